/* How many cores the process may use: what the scheduler would give it, not what the machine
 * has. In a CI container of two cores on a machine of 64, 64 threads would only wait for each
 * other. */
#include "base.h"
#include "base-internal.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* Room for the largest machines that Linux runs on. */
#define CPUS_MAX 8192

/* The files read here hold a line or a few. */
#define SMALL_FILE_MAX 4096

/* Cores that the affinity mask allows (taskset, cpusets of a container). */
static unsigned affinity_cores(void)
{
	cpu_set_t *set = memory_take(CPU_ALLOC_SIZE(CPUS_MAX));
	int count = 1;

	CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS_MAX), set);
	if (!sched_getaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), set))
		count = CPU_COUNT_S(CPU_ALLOC_SIZE(CPUS_MAX), set);
	memory_give(set);
	return count > 0 ? (unsigned)count : 1;
}

/* The begin of a small file; empty when it cannot be read. */
static str read_small(struct arena *arena, str path)
{
	char *text = arena_alloc(arena, SMALL_FILE_MAX);
	FILE *file = fopen(str_c(arena, path), "re");
	size_t n;

	if (!file)
		return (str){ 0 };
	n = fread(text, 1, SMALL_FILE_MAX, file);
	fclose(file);
	return (str){ text, n };
}

/* quota / period in whole cores, rounded up; UINT_MAX when there is no quota. */
static unsigned quota_cores(str quota, str period)
{
	int64_t microseconds, each;

	if (!str_to_int64(str_trim(quota), &microseconds) ||
	    !str_to_int64(str_trim(period), &each) || microseconds <= 0 || each <= 0)
		return UINT32_MAX;
	microseconds = (microseconds - 1) / each + 1;
	return microseconds < UINT32_MAX ? (unsigned)microseconds : UINT32_MAX;
}

/* cgroup v2: the own group and all above it, each with a cpu.max "quota period". */
static unsigned unified_cores(struct arena *arena)
{
	str rest = read_small(arena, STR("/proc/self/cgroup")), line, path = { 0 }, quota, period;
	unsigned least = UINT32_MAX;

	while (str_next(&rest, '\n', &line))
		if (str_starts(line, STR("0::/")))
			path = str_slice(line, 3, line.n);
	while (path.n) {
		str limit = read_small(arena, str_format(arena, "/sys/fs/cgroup%.*s/cpu.max",
		                                         STR_ARG(path)));
		unsigned cores;

		str_cut(limit, ' ', &quota, &period);
		cores = quota_cores(quota, period);
		least = cores < least ? cores : least;
		path = str_slice(path, 0, str_find_last(path, '/'));
	}
	return least;
}

/* cgroup v1: mounted at its usual place, the own group only. */
static unsigned legacy_cores(struct arena *arena)
{
	return quota_cores(read_small(arena, STR("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")),
	                   read_small(arena, STR("/sys/fs/cgroup/cpu/cpu.cfs_period_us")));
}

/* The least of what mask and quotas allow. */
unsigned parallel_cores(void)
{
	struct arena *arena = arena_new();
	unsigned cores = affinity_cores(), unified = unified_cores(arena);
	unsigned legacy = legacy_cores(arena);

	arena_free(arena);
	cores = unified < cores ? unified : cores;
	return legacy < cores ? legacy : cores;
}

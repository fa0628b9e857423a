/* Medians of paired runs, as ratios: the noise of a machine falls on both sides alike.
 *
 * usage: ratio ROUNDS -- COMMAND... -- COMMAND... [-- COMMAND...]
 * Runs the commands in turn, ROUNDS times, output thrown away, and prints one line a command:
 * median seconds, peak RSS in MiB, and the median over the rounds of its time divided by the
 * first command's time of the same round.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define MAX_COMMANDS 8
#define MAX_ROUNDS 101

struct command {
	char **argv;
	double seconds[MAX_ROUNDS], ratios[MAX_ROUNDS];
	long peak_kib;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run(struct command *command, int round)
{
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	double begin = now();
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, command->argv[0], &actions, NULL, command->argv, environ) != 0 ||
	    wait4(pid, &status, 0, &usage) != pid) {
		fprintf(stderr, "ratio: %s: %s\n", command->argv[0], strerror(errno));
		exit(2);
	}
	posix_spawn_file_actions_destroy(&actions);
	command->seconds[round] = now() - begin;
	if (usage.ru_maxrss > command->peak_kib)
		command->peak_kib = usage.ru_maxrss;
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
		fprintf(stderr, "ratio: %s: failed\n", command->argv[0]);
		exit(2);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, int n)
{
	double sorted[MAX_ROUNDS];

	memcpy(sorted, values, (size_t)n * sizeof *values);
	qsort(sorted, (size_t)n, sizeof *sorted, compare);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* Splits the arguments at `--` into commands. */
static int read_commands(int argc, char **argv, struct command *commands)
{
	int count = 0;

	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		argv[i] = NULL;
		if (count == MAX_COMMANDS || i + 1 == argc)
			return 0;
		commands[count++].argv = &argv[i + 1];
	}
	return count;
}

int main(int argc, char **argv)
{
	static struct command commands[MAX_COMMANDS];
	int rounds = argc > 1 ? atoi(argv[1]) : 0;
	int count = argc > 2 ? read_commands(argc - 2, argv + 2, commands) : 0;

	if (rounds < 1 || rounds > MAX_ROUNDS || count < 1) {
		fprintf(stderr, "usage: ratio ROUNDS -- COMMAND... [-- COMMAND...]\n");
		return 2;
	}
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < count; i++) {
			run(&commands[i], round);
			commands[i].ratios[round] =
				commands[i].seconds[round] / commands[0].seconds[round];
		}
	for (int i = 0; i < count; i++)
		printf("%8.4f s %7.1f MiB %8.3f  %s\n", median(commands[i].seconds, rounds),
		       (double)commands[i].peak_kib / 1024, median(commands[i].ratios, rounds),
		       commands[i].argv[0]);
	return 0;
}

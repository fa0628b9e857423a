/* KL308: how full a group is when every scaler is at its maximum (rules.md, KL3). */
#include "rules-internal.h"

/* What the workloads that can run on no other group ask of one, at their peak. */
struct load {
	int64_t cpu, memory, pods;
	size_t workloads;
};

/* The only group that may take the workload; SIZE_MAX when there are several or none. */
static size_t only_group(const struct placement *placement)
{
	size_t only = SIZE_MAX;

	for (size_t i = 0; i < placement->count && !placement->undecidable; i++) {
		if (placement->verdicts[i].answer == ANSWER_NO)
			continue;
		if (only != SIZE_MAX)
			return SIZE_MAX;
		only = i;
	}
	return only;
}

static int64_t asked(const struct workload *workload, const char *resource)
{
	return int64_mul_saturated(workload->peak.value,
	                           resources_get(&workload->requests.v, str_of(resource)).amount);
}

static struct load *find_loads(const struct judge *judge, struct arena *arena)
{
	struct load *loads = arena_calloc(arena, judge->scope->groups.n, sizeof *loads);

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		size_t group = only_group(placement_of(judge, workload));
		if (group == SIZE_MAX || workload->daemon_set || workload->job ||
		    !workload->peak.known)
			continue;
		struct load *load = &loads[group];
		load->workloads++;
		load->cpu = int64_add_saturated(load->cpu, asked(workload, "cpu"));
		load->memory = int64_add_saturated(load->memory, asked(workload, "memory"));
		load->pods = int64_add_saturated(load->pods, workload->peak.value);
	}
	return loads;
}

/* Hundredths of what the group holds of the resource at its maximum, DaemonSets first; 0 when
 * that is not known. */
static int64_t percent_of(const struct judge *judge, const struct group *group, int64_t used,
                          const char *resource)
{
	const struct resource_amounts *taken =
		sched_used(judge->judgement, group, &group->shapes.v[0]);
	struct capacity_fact fact =
		shape_allocatable(group, &group->shapes.v[0], str_of(resource));

	if (!fact.known || group->max.origin == ORIGIN_UNKNOWN || group->max.value <= 0)
		return 0;
	int64_t node = int64_sub_saturated(fact.safe,
	                                   resources_get(taken, str_of(resource)).amount);
	int64_t all = int64_mul_saturated(node, group->max.value);
	return all > 0 ? int64_mul_saturated(used, 100) / all : 0;
}

static void check_load(const struct judge *judge, const struct group *group,
                       const struct load *load)
{
	const struct {
		const char *resource;
		int64_t used;
	} rows[] = { { "cpu", load->cpu }, { "memory", load->memory }, { "pods", load->pods } };
	const char *bottleneck = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int64_t percent = percent_of(judge, group, rows[i].used, rows[i].resource);
		if (percent > most) {
			most = percent;
			bottleneck = rows[i].resource;
		}
	}
	if (most <= judge->scope->settings->headroom_percent || most > 100)
		return; /* above 100: that it does not fit is said elsewhere */
	struct finding *finding = emit_group(judge, LEVEL_NOTE, group, group->max.node,
	                                     group->max.node ? NULL : "maxSize");
	finding->salient = str_of(bottleneck);
	finding_message(judge->sink, finding,
	                "at the peak of the %zu workloads that only run here, group %.*s is %lld %% "
	                "full of %s at its maximum size", load->workloads, STR_ARG(group->name),
	                (long long)most, bottleneck);
	finding_help(judge->sink, finding, "leave room for rollouts and lost nodes: raise it");
}

/* Only what can run nowhere else is counted, so the share is a lower bound; one shape a group,
 * since the mix of several is not known. */
void kl308_headroom_low(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	const struct load *loads = find_loads(judge, scratch);

	for (size_t i = 0; i < judge->scope->groups.n; i++) {
		const struct group *group = judge->scope->groups.v[i];
		if (loads[i].workloads > 0 && group->shapes.n == 1 && !group->per_zone)
			check_load(judge, group, &loads[i]);
	}
	arena_free(scratch);
}

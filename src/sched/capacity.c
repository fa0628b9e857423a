/* How many replicas of one workload fit by itself: what each group offers, times its nodes.
 *
 * Two numbers are kept all the way. `most` never is too low: optimistic allocatable, groups
 * that only may take the pod, bounds that nobody knows. `least` never is too high.
 */
#include "crowd.h"

/* Scopes with more workloads are not tried out one by one. */
#define MAX_TRIED 200

/* Counts may be INT64_MAX, unbounded. */
static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Pods that a cap on the sum over a group's nodes (Karpenter limits) leaves. */
static int64_t limit_pods(const struct group *group, const struct site *site,
                          const struct workload *workload, int64_t per_node, int64_t pods)
{
	for (size_t i = 0; i < group->limits.n; i++) {
		const struct capacity_fact *limit = &group->limits.v[i];
		struct capacity_fact node;
		struct resource_amount request =
			resources_get(&workload->requests.v, limit->resource);
		int64_t by_request, nodes;

		if (!limit->known)
			continue;
		if (request.amount > 0) {
			by_request = limit->optimistic / request.amount;
			pods = by_request < pods ? by_request : pods;
		}
		node = str_is(limit->resource, "nodes")
		               ? (struct capacity_fact){ .known = true, .safe = 1 }
		               : shape_allocatable(group, site->shape, limit->resource);
		/* What a node has in all is at least what it can give to pods. */
		if (group->shapes.n != 1 || !node.known || node.safe <= 0)
			continue;
		nodes = limit->optimistic / node.safe;
		if (int64_mul_saturated(nodes, per_node) < pods)
			pods = int64_mul_saturated(nodes, per_node);
	}
	return pods;
}

/* Resources that limits name and the pod asks for: an unbounded group is bounded by these. */
static struct group_share share_of(const struct group_sites *sites, const struct offer *offer)
{
	return (struct group_share){ .group = sites->group, .nodes = sites->nodes_most,
		                     .per_node = offer->most, .limited_by = offer->limited_by };
}

/* Once a class: workloads of a class differ in nothing that a group offers. */
void class_add_up(const struct bench *bench, struct pod_class *class)
{
	size_t count = bench->scope->groups.n;

	class->shares = arena_calloc(bench->arena, count, sizeof(class->shares[0]));
	for (size_t i = 0; i < count; i++) {
		const struct group_sites *sites = &bench->groups[i];
		const struct offer *offer = &class->offers[i];
		const struct site *site = &bench->sites[offer->site];
		int64_t most, least;

		if (offer->answer == ANSWER_NO)
			continue;
		most = int64_mul_saturated(sites->nodes_most, offer->most);
		least = int64_mul_saturated(sites->nodes_least, offer->least);
		most = limit_pods(sites->group, site, class->profile->workload, offer->most, most);
		least = limit_pods(sites->group, site, class->profile->workload, offer->least,
		                   least);
		class->most = int64_add_saturated(class->most, most);
		class->least = int64_add_saturated(class->least, least);
		class->open = class->open || offer->answer == ANSWER_UNKNOWN ||
		              !sites->bound_known;
		class->shares[class->share_count++] = share_of(sites, offer);
	}
}

/* What keeps further replicas out, by the group that takes most of them. */
static str limiting(const struct capacity *capacity)
{
	const struct group_share *largest = NULL;

	for (size_t i = 0; i < capacity->share_count; i++) {
		const struct group_share *share = &capacity->shares[i];

		if (!largest || int64_mul_saturated(share->nodes, share->per_node) >
		                        int64_mul_saturated(largest->nodes, largest->per_node))
			largest = share;
	}
	return largest ? largest->limited_by : (str){ 0 };
}

/* Topology demands of a workload that formulas join loosely: more than one, or one beside
 * another kind. */
static bool is_intricate(const struct workload *workload)
{
	const struct pod_template *pod = workload->pod;
	size_t count = pod->required_affinity.n + pod->required_anti_affinity.n;

	for (size_t i = 0; i < pod->spread.n; i++)
		count += spread_is_hard(&pod->spread.v[i]);
	return count > 1;
}

/* Small ones are tried: formulas may promise more than any order of placing gives. */
static int64_t try_out(const struct bench *bench, const struct workload *workload, int64_t least)
{
	const struct crowd_item item = { workload, workload->peak.value };
	struct arena *arena;
	struct crowd *crowd;

	if (!is_intricate(workload) || bench->scope->workloads.n > MAX_TRIED)
		return least;
	arena = arena_new();
	crowd = crowd_new(arena, bench, &item, 1);
	/* Affinity to others can only be kept once those are there. */
	if (crowd && (!crowd->affinities[0].key_count || crowd->affinities[0].self)) {
		struct crowd_result result;

		crowd_search(crowd, &result);
		least = smaller(least, result.most);
	}
	arena_free(arena);
	return least;
}

/* The peak cuts both numbers: nobody asks for more. */
void bench_measure(const struct bench *bench, const struct workload *workload,
                   struct capacity *ret_capacity)
{
	const struct pod_class *class = bench->classes[workload->index];
	struct capacity *capacity = ret_capacity;
	int64_t least = class->least, peak = workload->peak.value;

	*capacity = (struct capacity){ .workload = workload };
	if (workload->daemon_set)
		return;
	capacity->shares = class->shares;
	capacity->share_count = class->share_count;
	capacity->total = capacity->spread_total = class->most;
	solo_measure(bench, workload, capacity, &least);
	least = try_out(bench, workload, least);
	capacity->upper = smaller(capacity->total, peak);
	capacity->placeable = smaller(smaller(least, capacity->upper), peak);
	capacity->tight = capacity->placeable < capacity->upper;
	/* Enough is enough, and too little is too little, whatever else may be declared. */
	capacity->known = workload->peak.known && (!class->open || capacity->upper < peak ||
	                                           capacity->placeable >= peak);
	if (capacity->upper >= peak)
		capacity->limited_by = (str){ 0 };
	else if (!capacity->limited_by.n)
		capacity->limited_by = limiting(capacity);
}

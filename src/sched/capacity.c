/* How many replicas of one workload fit by itself: what each group offers, times its nodes.
 *
 * Two numbers are kept all the way. `most` never is too low: optimistic allocatable, groups
 * that only may take the pod, bounds that nobody knows. `least` never is too high.
 */
#include "sched-internal.h"

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

/* Adds up the groups. *ret_open: something that nobody declares may change the sum. */
static void add_groups(const struct bench *bench, const struct pod_class *class,
                       struct capacity *capacity, int64_t *ret_least, bool *ret_open)
{
	size_t count = bench->scope->groups.n;

	capacity->shares = arena_calloc(bench->arena, count, sizeof(capacity->shares[0]));
	*ret_least = 0;
	*ret_open = false;
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
		capacity->total = int64_add_saturated(capacity->total, most);
		*ret_least = int64_add_saturated(*ret_least, least);
		*ret_open = *ret_open || offer->answer == ANSWER_UNKNOWN || !sites->bound_known;
		capacity->shares[capacity->share_count++] = share_of(sites, offer);
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

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void bench_measure(const struct bench *bench, const struct workload *workload,
                   struct capacity *ret_capacity)
{
	const struct pod_class *class = bench->classes[workload->index];
	struct capacity *capacity = ret_capacity;
	int64_t least;
	bool open;

	*capacity = (struct capacity){ .workload = workload };
	if (workload->daemon_set)
		return;
	add_groups(bench, class, capacity, &least, &open);
	capacity->spread_total = capacity->total;
	solo_measure(bench, workload, capacity, &least);
	capacity->upper = smaller(capacity->total, workload->peak.value);
	capacity->placeable = smaller(smaller(least, capacity->upper), workload->peak.value);
	capacity->tight = capacity->placeable < capacity->upper;
	/* Enough is enough, and too little is too little, whatever else may be declared. */
	capacity->known = workload->peak.known &&
	                  (!open || capacity->upper < workload->peak.value ||
	                   capacity->placeable >= workload->peak.value);
	if (capacity->upper < workload->peak.value && !capacity->limited_by.n)
		capacity->limited_by = limiting(capacity);
}

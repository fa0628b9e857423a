/* KL301, KL302: do the replicas of one workload fit under the sizes that its groups may grow to?
 * Errors rest on the upper bound alone (model.md section 4). */
#include "rules-internal.h"

/* "high-memory-pool 10 nodes x 2, spare 3 nodes x 1" */
static str shares_text(struct arena *arena, const struct capacity *capacity)
{
	struct strs parts = { 0 };

	for (size_t i = 0; i < capacity->share_count; i++) {
		const struct group_share *share = &capacity->shares[i];
		str nodes = count_text(arena, share->nodes, "node");
		*VEC_PUSH(arena, &parts) =
			str_format(arena, "%.*s %.*s x %lld", STR_ARG(share->group->name),
			           STR_ARG(nodes), (long long)share->per_node);
	}
	return parts.n > 0 ? list_text(arena, &parts, 4) : STR("no group has room");
}

/* The group of which least new nodes are needed; NULL when more nodes would not help or nobody
 * can tell (sizes that count per zone, sizes that nobody declares). */
static const struct group_share *share_to_raise(const struct capacity *capacity)
{
	const struct group_share *best = NULL;

	for (size_t i = 0; i < capacity->share_count; i++) {
		const struct group_share *share = &capacity->shares[i];
		if (share->per_node <= 0 || share->nodes == INT64_MAX || share->group->per_zone ||
		    !share->group->max.node || share->nodes != share->group->max.value)
			continue;
		if (!best || share->per_node > best->per_node)
			best = share;
	}
	return best;
}

static void help_with_size(const struct judge *judge, struct finding *finding,
                           const struct capacity *capacity, int64_t demand)
{
	const struct group_share *share = share_to_raise(capacity);

	if (!share) {
		finding_help(judge->sink, finding,
		             "ask for fewer replicas or less each, or let more groups take them");
		return;
	}
	int64_t missing = int64_sub_saturated(demand, capacity->total);
	int64_t more = (missing - 1) / share->per_node + 1;
	int64_t size = int64_add_saturated(share->nodes, more);
	str text = str_format(JUDGE_ARENA(judge), "%lld", (long long)size);
	finding_help(judge->sink, finding, "it takes a maximum of %lld nodes in group %.*s",
	             (long long)size, STR_ARG(share->group->name));
	finding_relate(judge->sink, finding, node_place(share->group->max.node),
	               "group %.*s has at most %lld nodes", STR_ARG(share->group->name),
	               (long long)share->nodes);
	/* A flag or an annotation holds more than the number. */
	if (node_int(share->group->max.node, &(int64_t){ 0 }))
		emit_fix(judge, finding, false, share->group->max.node, text,
		         "raise the group's maximum");
}

static void complete(const struct judge *judge, struct finding *finding,
                     const struct workload *workload, int64_t demand)
{
	const struct capacity *capacity = capacity_of(judge, workload);
	str shares = shares_text(JUDGE_ARENA(judge), capacity);

	finding_message(judge->sink, finding, "places %lld of %lld: %.*s%s%.*s%s",
	                (long long)capacity->upper, (long long)demand, STR_ARG(shares),
	                capacity->limited_by.n > 0 ? ", bound by " : "",
	                STR_ARG(capacity->limited_by),
	                limit_stands_in(workload, capacity->limited_by)
	                        ? " (the limit stands in for a request)" : "");
	help_with_size(judge, finding, capacity, demand);
}

/* Can the question be asked? Jobs wait (KL311), DaemonSets follow the nodes (KL113). */
static bool has_capacity(const struct judge *judge, const struct workload *workload)
{
	if (workload->job || workload->daemon_set || judge->scope->groups.n == 0)
		return false;
	if (capacity_of(judge, workload)->known && !judge->scope->terraform_unread)
		return true;
	emit_undecided(judge, workload->object,
	               judge->scope->terraform_unread ? judge->scope->terraform_file
	                                              : STR("capacity of its groups"));
	return false;
}

/* ---- KL301 ------------------------------------------------------------------------------ */

/* `upper` is never too low (optimistic allocatable, maxima, no competitor), so replicas above it
 * cannot all run. */
void kl301_pool_max_size(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct object *object = workload->object;

		if (workload->scaler || !has_capacity(judge, workload) ||
		    !workload->baseline.known ||
		    workload->baseline.value <= capacity_of(judge, workload)->upper)
			continue;
		const struct node *spec = node_get(object->root, "spec");
		const struct node *replicas = node_get(spec, "replicas");
		complete(judge,
		         emit_at(judge, LEVEL_ERROR, object, replicas ? replicas : spec,
		                 replicas ? NULL : "replicas"),
		         workload, workload->baseline.value);
	}
}

/* ---- KL302 ------------------------------------------------------------------------------ */

/* At a bound of the scaler; fields: its name in an HPA and in a ScaledObject. */
static void say_bound(const struct judge *judge, const struct workload *workload,
                      enum level level, const char *const fields[2], int64_t demand)
{
	const struct scaler *scaler = workload->scaler;
	const char *field = fields[scaler->hpa ? 0 : 1];
	const struct node *spec = node_get(scaler->object->root, "spec");
	const struct node *bound = node_get(spec, field);
	struct finding *finding = emit_at(judge, level, scaler->object, bound ? bound : spec,
	                                  bound ? NULL : field);

	finding->partner = workload->object;
	complete(judge, finding, workload, demand);
	finding_relate(judge->sink, finding, node_place(workload->object->name.node), "%.*s",
	               STR_ARG(workload->text));
}

/* As KL301 at either bound of the scaler; only minReplicas are there on every day. */
void kl302_hpa_max_exceeds_capacity(const struct judge *judge)
{
	static const char *const least[] = { "minReplicas", "minReplicaCount" };
	static const char *const most[] = { "maxReplicas", "maxReplicaCount" };

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];

		if (!workload->scaler || !has_capacity(judge, workload))
			continue;
		int64_t upper = capacity_of(judge, workload)->upper;
		if (workload->baseline.known && workload->baseline.value > upper)
			say_bound(judge, workload, LEVEL_ERROR, least, workload->baseline.value);
		else if (workload->peak.known && workload->peak.value > upper)
			say_bound(judge, workload, LEVEL_WARNING, most, workload->peak.value);
	}
}

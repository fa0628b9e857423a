/* KL304, KL311, KL312: room for a rollout, for a Job's pods, and what binds (rules.md, KL3). */
#include "rules-internal.h"

/* Answers about a workload with declared sizes, or nothing. */
static const struct capacity *usable_capacity(const struct judge *judge,
                                              const struct workload *workload)
{
	const struct capacity *capacity = capacity_of(judge, workload);

	if (workload->daemon_set || judge->scope->groups.n == 0 || !capacity->known ||
	    judge->scope->terraform_unread)
		return NULL;
	return capacity;
}

/* ---- KL304 ------------------------------------------------------------------------------ */

#define DEFAULT_PERCENT 25 /* maxSurge and maxUnavailable of a Deployment */

/* Upstream: deployment util.ResolveFenceposts; surge is rounded up, unavailable down. */
static int64_t resolve(const struct int_or_percent *value, int64_t replicas, bool up)
{
	int64_t percent = value->node ? value->value : DEFAULT_PERCENT;

	if (value->node && !value->percent)
		return value->value;
	return (int64_mul_saturated(percent, replicas) + (up ? 99 : 0)) / 100;
}

static bool is_known(const struct int_or_percent *value)
{
	return !value->node || (value->valid && !value->node->unknown);
}

/* Does a rolling update of so many replicas need a pod more than it may take away? */
static bool must_surge(const struct workload_spec *spec, int64_t replicas)
{
	if (!is_known(&spec->max_surge) || !is_known(&spec->max_unavailable))
		return false;
	/* With both at 0 after rounding, the controller takes one away. */
	return resolve(&spec->max_unavailable, replicas, false) == 0 &&
	       resolve(&spec->max_surge, replicas, true) > 0;
}

enum surge { SURGE_FITS, SURGE_ALONE, SURGE_BESIDE, SURGE_AT_PEAK };

static void say_surge(const struct judge *judge, const struct workload *workload,
                      enum surge surge)
{
	const struct object *object = workload->object;
	const struct workload_spec *spec = object->workload;
	const struct node *strategy = node_get(spec->spec, "strategy");
	const struct capacity *capacity = capacity_of(judge, workload);
	int64_t replicas = surge == SURGE_AT_PEAK ? workload->peak.value
	                                          : workload->baseline.value;
	struct finding *finding = emit_at(judge, surge == SURGE_ALONE ? LEVEL_ERROR : LEVEL_WARNING,
	                                  object, strategy ? strategy : spec->spec,
	                                  strategy ? NULL : "strategy");

	if (surge == SURGE_BESIDE)
		finding_message(judge->sink, finding,
		                "a rolling update of %lld replicas needs one pod more (maxUnavailable "
		                "comes to 0), and beside the other workloads no node has room for it",
		                (long long)replicas);
	else
		finding_message(judge->sink, finding,
		                "a rolling update of %lld replicas%s needs one pod more "
		                "(maxUnavailable comes to 0), but its node groups hold %lld",
		                (long long)replicas, surge == SURGE_AT_PEAK ? " (the peak)" : "",
		                (long long)capacity->total);
	finding_help(judge->sink, finding,
	             "set maxUnavailable: 1, or let a node group grow by one node");
}

/* Only Deployments roll with a surge; StatefulSets and Recreate stop a pod first. */
static bool rolls(const struct workload *workload)
{
	const struct workload_spec *spec = workload->object->workload;

	return workload->object->class == OBJECT_DEPLOYMENT && spec &&
	       (!spec->strategy.node || str_is(spec->strategy.s, "RollingUpdate")) &&
	       workload->baseline.known && workload->baseline.value > 0;
}

bool rollout_needs_more(const struct workload *workload, int64_t replicas)
{
	return rolls(workload) && must_surge(workload->object->workload, replicas);
}

/* crowded: by workload index, whether a filled fleet leaves no room for one more. Where not even
 * the replicas fit, that is the cause (KL301, KL302). */
static enum surge surge_of(const struct workload *workload, const struct capacity *capacity,
                           const bool *crowded)
{
	const struct workload_spec *spec = workload->object->workload;
	int64_t baseline = workload->baseline.value;

	if (baseline <= capacity->total && must_surge(spec, baseline)) {
		if (baseline == capacity->total)
			return SURGE_ALONE;
		if (crowded[workload->index])
			return SURGE_BESIDE;
	}
	if (workload->peak.known && workload->peak.value == capacity->total &&
	    must_surge(spec, workload->peak.value))
		return SURGE_AT_PEAK;
	return SURGE_FITS;
}

/* All workloads at their baseline; nothing is crowded when they do not fit, or nobody knows. */
static const bool *find_crowded(const struct judge *judge, struct arena *arena)
{
	bool *crowded = arena_calloc(arena, judge->scope->workloads.n, sizeof *crowded);
	struct fleet_question question;
	struct fleet fleet;

	if (judge->scope->groups.n == 0)
		return crowded;
	sched_fleet_of_scope(arena, judge->judgement, false, &question, &fleet);
	for (size_t i = 0; i < question.count && fleet.fits == ANSWER_YES && !fleet.open; i++)
		crowded[question.items[i].workload->index] = fleet.crowded[i];
	return crowded;
}

/* Alone, so that an error does not hang on other workloads; where not even the replicas fit,
 * KL301 or KL302 says so. */
void kl304_rollout_surge_blocked(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	const bool *crowded = find_crowded(judge, scratch);

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct capacity *capacity = usable_capacity(judge, workload);
		enum surge surge = capacity && rolls(workload)
		                           ? surge_of(workload, capacity, crowded)
		                           : SURGE_FITS;
		if (surge != SURGE_FITS)
			say_surge(judge, workload, surge);
	}
	arena_free(scratch);
}

/* ---- KL311 ------------------------------------------------------------------------------ */

/* Never an error: a Job waits for room, nothing breaks. */
void kl311_job_parallelism_capacity(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct capacity *capacity = usable_capacity(judge, workload);

		if (!workload->job || !capacity || !workload->baseline.known ||
		    capacity->upper >= workload->baseline.value)
			continue;
		const struct node *node = workload->object->workload->parallelism.node;
		struct finding *finding =
			emit_at(judge, capacity->upper == 0 ? LEVEL_WARNING : LEVEL_NOTE,
			        workload->object, node ? node : workload->pod->spec, NULL);
		finding_message(judge->sink, finding,
		                "%lld of %lld pods of the Job can run at once; the rest waits",
		                (long long)capacity->upper, (long long)workload->baseline.value);
		finding_help(judge->sink, finding,
		             "lower the parallelism, or raise the maximum of a node group");
	}
}

/* ---- KL312 ------------------------------------------------------------------------------ */

/* Is less than half of the resource used on a node whose pod slots are full? */
static bool half_empty(const struct workload *workload, const struct group_share *share,
                       str resource)
{
	struct resource_amount request = resources_get(&workload->requests.v, resource);
	int64_t used = int64_mul_saturated(request.amount, share->per_node);

	for (size_t i = 0; i < share->group->shapes.n; i++) {
		struct capacity_fact fact =
			shape_allocatable(share->group, &share->group->shapes.v[i], resource);
		if (!fact.known || request.unknown || used >= fact.safe / 2)
			return false;
	}
	return share->group->shapes.n > 0;
}

/* Do pod slots, and neither cpu nor memory, bind on every group? */
static bool slots_bind(const struct workload *workload, const struct capacity *capacity)
{
	for (size_t i = 0; i < capacity->share_count; i++) {
		const struct group_share *share = &capacity->shares[i];
		if (!str_is(share->limited_by, "pods") ||
		    !half_empty(workload, share, STR("cpu")) ||
		    !half_empty(workload, share, STR("memory")))
			return false;
	}
	return capacity->share_count > 0;
}

/* So many replicas that slots come to matter: more than one node's worth. */
static bool fills_a_node(const struct workload *workload, const struct capacity *capacity)
{
	for (size_t i = 0; i < capacity->share_count; i++)
		if (workload->peak.value <= capacity->shares[i].per_node)
			return false;
	return true;
}

/* Only for workloads that do fill a node, and only when cpu and memory stay below half. */
void kl312_max_pods_bound(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct capacity *capacity = usable_capacity(judge, workload);

		if (!capacity || capacity->upper < workload->peak.value ||
		    !slots_bind(workload, capacity) || !fills_a_node(workload, capacity))
			continue;
		const struct group_share *share = &capacity->shares[0];
		struct finding *finding = emit_at(judge, LEVEL_NOTE, workload->object,
		                                  workload->pod->spec, NULL);
		finding_message(judge->sink, finding,
		                "pod slots bind, not cpu or memory: a node of group %.*s takes "
		                "%lld of these pods and is less than half used then",
		                STR_ARG(share->group->name), (long long)share->per_node);
		finding_help(judge->sink, finding,
		             "raise the kubelet's maxPods, or use smaller nodes");
	}
}

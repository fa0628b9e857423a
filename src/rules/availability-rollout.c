/* KL607: rolling updates that need a pod beside the old ones where there can be none. */
#include "rules-internal.h"

/* Why the new pod has no place beside the old ones. */
struct obstacle {
	enum level level;
	const struct node *node;   /* the port, term, constraint or claim name */
	const char *words;
};

/* Whether the groups are full because of what the pods ask of each other: the count alone is
 * KL304's. */
static bool find_limit(const struct judge *judge, const struct workload *workload,
                       struct obstacle *ret_obstacle)
{
	const struct capacity *capacity = capacity_of(judge, workload);
	int64_t baseline = workload->baseline.value;

	if (!capacity->known || judge->scope->groups.n == 0 || judge->scope->terraform_unread ||
	    capacity->total != baseline)
		return false;
	*ret_obstacle = (struct obstacle){
		.level = LEVEL_ERROR,
		.node = self_limit(workload, capacity, baseline + 1),
		.words = "keeps it off every node that has one of them, and there are no others",
	};
	return ret_obstacle->node != NULL;
}

/* A claim that one pod, or the pods of one node, may use. */
static bool find_claim(const struct judge *judge, const struct workload *workload,
                       struct obstacle *ret_obstacle)
{
	const struct volumes *volumes = &workload->pod->volumes;

	for (size_t i = 0; i < volumes->n; i++) {
		const struct text *name = &volumes->v[i].claim_name;
		const struct object *object =
			name->node && node_known(name->node)
				? scope_find(judge->scope, OBJECT_PVC, workload->namespace, name->s)
				: NULL;
		bool per_pod = object && object->claim &&
		               claim_is_only(object->claim, "ReadWriteOncePod");
		bool per_node = object && object->claim &&
		                claim_is_only(object->claim, "ReadWriteOnce") &&
		                judge->scope->groups.n > 0 && pods_may_spread(judge, workload);

		if (!per_pod && !per_node)
			continue;
		*ret_obstacle = (struct obstacle){
			.level = per_pod ? LEVEL_ERROR : LEVEL_WARNING,
			.node = name->node,
			.words = per_pod ? "is ReadWriteOncePod, so only one pod may use it"
			                 : "is ReadWriteOnce, so it cannot start on another node",
		};
		return true;
	}
	return false;
}

static void say_deadlock(const struct judge *judge, const struct workload *workload,
                         const struct obstacle *obstacle)
{
	const struct node *spec = workload->object->workload->spec;
	const struct node *strategy = node_get(spec, "strategy");
	struct finding *finding = emit_at(judge, obstacle->level, workload->object,
	                                  strategy ? strategy : spec,
	                                  strategy ? NULL : "strategy");

	finding_message(judge->sink, finding,
	                "a rolling update of %lld replicas needs one pod beside them (maxUnavailable "
	                "comes to 0), and %.*s %s",
	                (long long)workload->baseline.value,
	                STR_ARG(node_path(JUDGE_ARENA(judge), workload->object->root,
	                                  obstacle->node, NULL)),
	                obstacle->words);
	finding_relate(judge->sink, finding, node_place(obstacle->node), "what keeps it off");
	finding_help(judge->sink, finding, "set maxUnavailable: 1, or strategy type Recreate");
}

/* The limit of the groups is a proof; a claim on one node may be lucky, hence a warning. */
void kl607_rollout_deadlock(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		struct obstacle obstacle = { 0 };

		if (workload->baseline.known && workload->baseline.value > 0 &&
		    rollout_needs_more(workload, workload->baseline.value) &&
		    (find_limit(judge, workload, &obstacle) ||
		     find_claim(judge, workload, &obstacle)))
			say_deadlock(judge, workload, &obstacle);
	}
}

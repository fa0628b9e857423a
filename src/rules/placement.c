/* KL101-105: is there a node group on which one pod of the workload may run? Decided in this
 * order, each needs a "no" from every group (rules.md, KL1): the nodeSelector alone, the
 * affinity alone, labels in mixed ways, taints, size, anything else. */
#include "rules-internal.h"

enum {
	CAUSE_SELECTOR = 1, /* KL101 */
	CAUSE_AFFINITY = 2, /* KL102 */
	CAUSE_TAINT = 4,    /* KL103 */
	CAUSE_MIXED = 8,    /* KL104 */
	CAUSE_SIZE = 16,    /* KL105 */
};

#define RELATED_GROUPS 3 /* shown beside a finding; the message counts all */

/* No group of L(w) has a topology key that the pod needs: KL121 says that. */
static bool lacks_topology(const struct placement *placement)
{
	bool spread = true, affinity = true;

	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		if (!verdict_labels_admit(verdict))
			continue;
		spread = spread && verdict->by_filter[FILTER_POD_TOPOLOGY_SPREAD] == ANSWER_NO;
		affinity = affinity && verdict->by_filter[FILTER_INTER_POD_AFFINITY] == ANSWER_NO;
	}
	return spread || affinity;
}

static unsigned causes_within(const struct placement *placement)
{
	unsigned causes = CAUSE_TAINT | CAUSE_SIZE;
	bool any = false;

	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		if (!verdict_labels_admit(verdict))
			continue;
		any = true;
		if (verdict->by_filter[FILTER_TAINT_TOLERATION] != ANSWER_NO)
			causes &= ~(unsigned)CAUSE_TAINT;
		if (verdict->by_filter[FILTER_NODE_RESOURCES_FIT] != ANSWER_NO)
			causes &= ~(unsigned)CAUSE_SIZE;
	}
	if (any && causes)
		return causes;
	if (any && (lacks_topology(placement) || volume_leaves_no_group(placement)))
		return 0;
	return CAUSE_MIXED;
}

static unsigned causes_of(const struct placement *placement)
{
	unsigned causes = CAUSE_SELECTOR | CAUSE_AFFINITY;

	if (placement->undecidable || placement->count == 0)
		return 0;
	for (size_t i = 0; i < placement->count; i++) {
		if (placement->verdicts[i].answer != ANSWER_NO)
			return 0;
		if (placement->verdicts[i].selector != ANSWER_NO)
			causes &= ~(unsigned)CAUSE_SELECTOR;
		if (placement->verdicts[i].affinity != ANSWER_NO)
			causes &= ~(unsigned)CAUSE_AFFINITY;
	}
	return causes ? causes : causes_within(placement);
}

typedef void placement_sayer(const struct judge *judge, const struct workload *workload,
                             const struct placement *placement);

static void visit(const struct judge *judge, unsigned cause, placement_sayer *say)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct placement *placement = placement_of(judge, workload);
		if (placement->undecidable && placement->count > 0)
			emit_undecided(judge, workload->object, placement->undecidable_why);
		else if (causes_of(placement) & cause)
			say(judge, workload, placement);
	}
}

/* No pod of a DaemonSet is made where it does not match; groups that only Terraform files
 * declare may be the ones that are meant. */
static enum level level_for(const struct judge *judge, const struct workload *workload, bool near)
{
	if (workload->daemon_set)
		return near ? LEVEL_WARNING : LEVEL_NOTE;
	return judge->scope->terraform_unread ? LEVEL_WARNING : LEVEL_ERROR;
}

/* The finding with the scheduler's own counts. node NULL or not of the object (merged in from a
 * RuntimeClass): the absent field of the pod spec. */
static struct finding *say_unplaceable(const struct judge *judge, enum level level,
                                       const struct workload *workload,
                                       const struct node *node, const char *field)
{
	struct arena *arena = JUDGE_ARENA(judge);
	const struct object *object = workload->object;
	bool own = node && node_is_of(node, object);
	str counts = placement_text(arena, placement_of(judge, workload));
	struct finding *finding = emit_at(judge, level, object, own ? node : workload->pod->spec,
	                                  own ? NULL : field);

	finding_message(judge->sink, finding, "%.*s%s%.*s", STR_ARG(counts),
	                judge->scope->terraform_unread ? "; node groups may be declared in " : "",
	                STR_ARG(judge->scope->terraform_unread ? judge->scope->terraform_file
	                                                       : STR("")));
	if (node && !own)
		finding_relate(judge->sink, finding, node_place(node), "this comes in from here");
	return finding;
}

/* ---- KL101 ------------------------------------------------------------------------------ */

static size_t count_misses(const struct placement *placement, const struct node *entry)
{
	size_t misses = 0;

	for (size_t i = 0; i < placement->count; i++) {
		const struct reasons *reasons = &placement->verdicts[i].reasons;
		for (size_t k = 0; k < reasons->n; k++)
			misses += reasons->v[k].pod_node == entry &&
			          reasons->v[k].answer == ANSWER_NO;
	}
	return misses;
}

/* The entry that most groups lack. */
static const struct pair *worst_entry(const struct workload *workload,
                                      const struct placement *placement)
{
	const struct pairs *pairs = &workload->node_selector;
	const struct pair *worst = &pairs->v[0];
	size_t most = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		size_t misses = count_misses(placement, pairs->v[i].node);
		if (misses > most) {
			most = misses;
			worst = &pairs->v[i];
		}
	}
	return worst;
}

static void relate_labels(const struct judge *judge, struct finding *finding,
                          const struct label_uses *uses)
{
	for (size_t i = 0; i < uses->n && i < RELATED_GROUPS; i++) {
		const struct label_use *use = &uses->v[i];
		if (use->label->node)
			finding_relate(judge->sink, finding, node_place(use->label->node),
			               "group %.*s has %.*s=%.*s", STR_ARG(use->group->name),
			               STR_ARG(use->label->key), STR_ARG(use->value));
	}
}

static void help_with_label(const struct judge *judge, struct finding *finding,
                            const struct pair *entry, const struct label_uses *uses,
                            const struct label_use *nearest)
{
	struct arena *arena = JUDGE_ARENA(judge);

	if (nearest) {
		finding_help(judge->sink, finding, "did you mean %.*s=%.*s, which group %.*s has?",
		             STR_ARG(nearest->label->key), STR_ARG(nearest->value),
		             STR_ARG(nearest->group->name));
		if (str_eq(nearest->label->key, entry->key))
			emit_fix(judge, finding, false, entry->node,
			         scalar_text(arena, nearest->value), "use the nearest value");
	} else if (uses->n > 0) {
		struct strs values = { 0 };
		for (size_t i = 0; i < uses->n; i++)
			*VEC_PUSH(arena, &values) = uses->v[i].value;
		finding_help(judge->sink, finding, "declared values of %.*s: %.*s",
		             STR_ARG(entry->key), STR_ARG(list_text(arena, &values, 5)));
	} else {
		finding_help(judge->sink, finding, "no node group has a label %.*s: add it to one",
		             STR_ARG(entry->key));
	}
}

static void say_selector(const struct judge *judge, const struct workload *workload,
                         const struct placement *placement)
{
	struct arena *arena = JUDGE_ARENA(judge);
	const struct pair *entry = worst_entry(workload, placement);
	struct label_uses uses = { 0 };
	const struct label_use *nearest;
	struct finding *finding;

	label_uses_find(arena, judge->scope, entry->key, &uses);
	nearest = label_use_nearest(&uses, entry->value);
	if (uses.n == 0)
		nearest = label_key_nearest(arena, judge->scope, entry->key, entry->value);
	finding = say_unplaceable(
		judge, level_for(judge, workload,
		                 nearest && str_one_edit(nearest->value, entry->value)),
		workload, entry->node, "nodeSelector");
	if (nearest)
		relate_labels(judge, finding, &(struct label_uses){
			.v = (struct label_use[]){ *nearest }, .n = 1 });
	else
		relate_labels(judge, finding, &uses);
	help_with_label(judge, finding, entry, &uses, nearest);
}

/* Every declared group must answer no by the nodeSelector alone. A group with an open list of
 * labels answers "unknown", and then nothing is said. */
void kl101_node_selector_unmatched(const struct judge *judge)
{
	visit(judge, CAUSE_SELECTOR, say_selector);
}

/* ---- KL102 ------------------------------------------------------------------------------ */

/* The reason that node affinity fails for on the group with the fewest such reasons. */
static const struct reason *nearest_affinity_reason(const struct workload *workload,
                                                    const struct placement *placement,
                                                    const struct group **ret_group)
{
	const struct reason *best = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < placement->count; i++) {
		const struct reasons *reasons = &placement->verdicts[i].reasons;
		const struct reason *first = NULL;
		size_t count = 0;
		for (size_t k = 0; k < reasons->n; k++) {
			const struct reason *reason = &reasons->v[k];
			if (reason->filter != FILTER_NODE_AFFINITY || reason->answer != ANSWER_NO)
				continue;
			count++;
			/* Entries of the nodeSelector are scalars, expressions are not. */
			if (!first && reason->pod_node && reason->pod_node->kind != NODE_SCALAR)
				first = reason;
		}
		if (first && count < least) {
			least = count;
			best = first;
			*ret_group = placement->verdicts[i].group;
		}
	}
	(void)workload;
	return best;
}

static void say_affinity(const struct judge *judge, const struct workload *workload,
                         const struct placement *placement)
{
	const struct group *group = NULL;
	const struct reason *reason = nearest_affinity_reason(workload, placement, &group);
	const struct node *node = reason ? reason->pod_node
	                                 : workload->pod->required_node_terms.node;
	struct finding *finding = say_unplaceable(judge, level_for(judge, workload, false),
	                                          workload, node, "affinity");

	if (!reason)
		return;
	finding_help(judge->sink, finding, "group %.*s comes nearest: it %.*s",
	             STR_ARG(group->name), STR_ARG(reason->detail));
	finding_relate(judge->sink, finding, node_place(reason->group_node), "group %.*s",
	               STR_ARG(group->name));
}

/* Terms are alternatives: each must fail on every group. The nearest group is the one in which
 * least fails, so that the reader mends one expression. */
void kl102_node_affinity_unmatched(const struct judge *judge)
{
	visit(judge, CAUSE_AFFINITY, say_affinity);
}

/* ---- KL103 ------------------------------------------------------------------------------ */

/* GKE's admission tolerates taints that are named like an extended resource of the pod; where
 * nobody says whose cluster it is, it may. */
static bool admission_may_tolerate(const struct workload *workload, const struct verdict *verdict,
                                   const struct reason *reason)
{
	return verdict->group->provider.n == 0 && reason->taint &&
	       resources_get(&workload->requests.v, reason->taint->key).amount > 0;
}

/* The taint of the group whose key the pod already knows, else the first one's. */
static const struct reason *nearest_taint(const struct placement *placement,
                                          const struct group **ret_group)
{
	const struct reason *nearest = NULL;

	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		const struct reason *reason = verdict_reason(verdict, FILTER_TAINT_TOLERATION);
		if (!verdict_labels_admit(verdict) || !reason)
			continue;
		if (!nearest || (!nearest->nearest_toleration && reason->nearest_toleration)) {
			nearest = reason;
			*ret_group = verdict->group;
		}
	}
	return nearest;
}

static enum level taint_level(const struct judge *judge, const struct workload *workload,
                              const struct placement *placement)
{
	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		const struct reason *reason = verdict_reason(verdict, FILTER_TAINT_TOLERATION);
		if (verdict_labels_admit(verdict) && reason && !workload->daemon_set &&
		    admission_may_tolerate(workload, verdict, reason))
			return LEVEL_WARNING;
	}
	return level_for(judge, workload, false);
}

static void help_with_toleration(const struct judge *judge, struct finding *finding,
                                 const struct reason *reason)
{
	const struct taint *taint = reason->taint;
	const struct toleration *toleration = reason->nearest_toleration;
	bool value_fits = toleration && (str_is(toleration->op.s, "Exists") ||
	                                 str_eq(toleration->value.s, taint->value));

	if (toleration && value_fits && !str_eq(toleration->effect.s, taint->effect)) {
		finding_help(judge->sink, finding,
		             "the toleration is for %.*s, the taint's effect is %.*s: they must be "
		             "equal, or leave effect out", STR_ARG(toleration->effect.s),
		             STR_ARG(taint->effect));
		emit_fix(judge, finding, false, toleration->effect.node, taint->effect,
		         "tolerate the taint's effect");
		return;
	}
	finding_help(judge->sink, finding,
	             "tolerate it: {key: %.*s, operator: %s%s%.*s, effect: %.*s}",
	             STR_ARG(taint->key), taint->value.n > 0 ? "Equal" : "Exists",
	             taint->value.n > 0 ? ", value: " : "",
	             STR_ARG(taint->value.n > 0 ? scalar_text(JUDGE_ARENA(judge), taint->value)
	                                        : STR("")),
	             STR_ARG(taint->effect));
}

static void say_taint(const struct judge *judge, const struct workload *workload,
                      const struct placement *placement)
{
	const struct group *group = NULL;
	const struct reason *reason = nearest_taint(placement, &group);
	const struct node *node = workload->pod->tolerations.node;
	struct finding *finding;

	if (!reason || !reason->taint)
		return;
	if (reason->nearest_toleration && reason->nearest_toleration->node)
		node = reason->nearest_toleration->node;
	finding = say_unplaceable(judge, taint_level(judge, workload, placement), workload, node,
	                          "tolerations");
	finding->salient = taint_text(JUDGE_ARENA(judge), reason->taint);
	finding_relate(judge->sink, finding, node_place(reason->taint->node),
	               "group %.*s has taint %.*s", STR_ARG(group->name),
	               STR_ARG(finding->salient));
	help_with_toleration(judge, finding, reason);
}

/* The labels leave groups, and each of these has a taint that nothing tolerates. Taints that
 * nobody declares count as unknown, and so does a RuntimeClass that may add tolerations. */
void kl103_taint_not_tolerated(const struct judge *judge)
{
	visit(judge, CAUSE_TAINT, say_taint);
}

/* ---- KL104 ------------------------------------------------------------------------------ */

static void say_mixed(const struct judge *judge, const struct workload *workload,
                      const struct placement *placement)
{
	struct arena *arena = JUDGE_ARENA(judge);
	struct finding *finding = say_unplaceable(judge, level_for(judge, workload, false),
	                                          workload, workload->pod->spec, NULL);

	for (size_t i = 0; i < placement->count && i < RELATED_GROUPS; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		const struct reason *reason = verdict_first_no(verdict);
		if (!reason)
			continue;
		const struct node *place = reason->group_node ? reason->group_node
		                                              : verdict->group->node;
		finding_relate(judge->sink, finding, node_place(place), "group %.*s %.*s",
		               STR_ARG(verdict->group->name), STR_ARG(reason_text(arena, reason)));
	}
	finding_help(judge->sink, finding, "make one group pass every filter: kubelint why %.*s",
	             STR_ARG(workload->text));
}

/* What is left when no single filter explains it: each group refuses the pod, for its own
 * reason. */
void kl104_no_feasible_group(const struct judge *judge)
{
	visit(judge, CAUSE_MIXED, say_mixed);
}

/* ---- KL105 ------------------------------------------------------------------------------ */

/* What an empty node of the group leaves of the resource beside its DaemonSets, at best. */
static int64_t most_free(const struct judge *judge, const struct group *group, str resource)
{
	int64_t most = 0;

	for (size_t i = 0; i < group->shapes.n; i++) {
		const struct resource_amounts *taken =
			sched_used(judge->judgement, group, &group->shapes.v[i]);
		struct capacity_fact fact =
			shape_allocatable(group, &group->shapes.v[i], resource);
		int64_t left = int64_sub_saturated(fact.optimistic,
		                                   resources_get(taken, resource).amount);
		most = fact.known && left > most ? left : most;
	}
	return most;
}

/* The autoscaler knows nodes that are not there by the catalogue: without what is reserved. */
static bool simulated_in_vain(const struct judge *judge, const struct group *group)
{
	return judge->scope->pools.autoscaler_declared && group->min.origin != ORIGIN_UNKNOWN &&
	       group->min.value == 0 &&
	       (str_is(group->provider, "aws") || str_is(group->provider, "azure"));
}

/* The group of L(w) whose nodes offer most, and each group's shortfall as related place. */
static const struct group *roomiest(const struct judge *judge, struct finding *finding,
                                    const struct placement *placement, str resource,
                                    int64_t *ret_free)
{
	const struct group *best = NULL;
	size_t shown = 0;

	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		const struct reason *reason = verdict_reason(verdict, FILTER_NODE_RESOURCES_FIT);
		if (!verdict_labels_admit(verdict) || !reason)
			continue;
		const struct node *place = reason->group_node ? reason->group_node
		                                              : verdict->group->node;
		if (shown++ < RELATED_GROUPS)
			finding_relate(judge->sink, finding, node_place(place), "group %.*s: %.*s",
			               STR_ARG(verdict->group->name), STR_ARG(reason->detail));
		int64_t left = most_free(judge, verdict->group, resource);
		if (!best || left > *ret_free) {
			best = verdict->group;
			*ret_free = left;
		}
	}
	return best;
}

static void say_size(const struct judge *judge, const struct workload *workload,
                     const struct placement *placement)
{
	struct arena *arena = JUDGE_ARENA(judge);
	const struct reason *reason = NULL;
	int64_t left = 0;

	for (size_t i = 0; i < placement->count && !reason; i++)
		if (verdict_labels_admit(&placement->verdicts[i]))
			reason = verdict_reason(&placement->verdicts[i],
			                        FILTER_NODE_RESOURCES_FIT);
	if (!reason)
		return;
	struct resource_amount request = resources_get(&workload->requests.v, reason->key);
	enum level level = judge->scope->terraform_unread ? LEVEL_WARNING : LEVEL_ERROR;
	struct finding *finding = say_unplaceable(judge, level, workload,
	                                          request.node ? request.node
	                                                       : workload->pod->spec, NULL);
	const struct group *group = roomiest(judge, finding, placement, reason->key, &left);
	if (!group)
		return;
	finding_help(judge->sink, finding,
	             "an empty node of group %.*s offers %.*s at most, one pod asks for %.*s%s%s",
	             STR_ARG(group->name), STR_ARG(request_text(arena, reason->key, left)),
	             STR_ARG(request_text(arena, reason->key, request.amount)),
	             limit_stands_in(workload, reason->key) ? " (its limit stands in)" : "",
	             simulated_in_vain(judge, group)
	                     ? "; the autoscaler expects the nominal size and adds nodes in vain"
	                     : "");
}

/* Compared with the optimistic allocatable, so an error holds for every real node of the type.
 * What only the safe one refuses is `tight` and never an error. */
void kl105_request_exceeds_node(const struct judge *judge)
{
	visit(judge, CAUSE_SIZE, say_size);
}

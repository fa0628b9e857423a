/* KL117, KL118: what a house asks of its own workloads (config `policies`). */
#include "edits.h"
#include "rules-internal.h"

/* What a group lacks or a workload leaves open is named in a message up to this many. */
#define NAMED 4

/* ---- KL117 ------------------------------------------------------------------------------ */

/* Has no node of the group the label? One that does not list all of its labels may: silent. */
static bool lacks_label(const struct group *group, const struct pair *wanted)
{
	const struct group_label *label = group_label_find(group, NULL, wanted->key);

	if (label->kind != LABEL_VALUES)
		return label->kind == LABEL_ABSENT;
	for (size_t i = 0; i < label->values.n; i++)
		if (str_eq(label->values.v[i], wanted->value))
			return false;
	return true;
}

/* Groups that surely may take the workload, and lack the label. */
static void find_lacking(const struct placement *placement, const struct pair *wanted,
                         struct arena *arena, struct groups *ret_groups)
{
	for (size_t i = 0; i < placement->count; i++)
		if (placement->verdicts[i].answer == ANSWER_YES &&
		    lacks_label(placement->verdicts[i].group, wanted))
			*VEC_PUSH(arena, ret_groups) =
				(struct group *)(uintptr_t)placement->verdicts[i].group;
}

static void say_lacking(const struct judge *judge, const struct workload *workload,
                        const struct pair *wanted, const struct groups *groups)
{
	struct arena *arena = JUDGE_ARENA(judge);
	const struct node *selector = workload->pod->node_selector.node;
	str label = label_text(arena, wanted->key, wanted->value);
	struct finding *finding;
	struct strs names = { 0 };

	finding = emit_at(judge, LEVEL_WARNING, workload->object,
	                  selector ? selector : workload->pod->spec,
	                  selector ? NULL : "nodeSelector");
	for (size_t i = 0; i < groups->n; i++) {
		const struct node *name = group_name_node(groups->v[i]);

		*VEC_PUSH(arena, &names) = groups->v[i]->name;
		if (i < NAMED)
			finding_relate(judge->sink, finding,
			               node_place(name ? name : groups->v[i]->node),
			               "group %.*s", STR_ARG(groups->v[i]->name));
	}
	finding->salient = label;
	finding_message(judge->sink, finding,
	                "by policy its node groups carry the label %.*s, and it may run on %.*s "
	                "without that", STR_ARG(label), STR_ARG(list_text(arena, &names, NAMED)));
	finding_help(judge->sink, finding, "select %.*s, or give the groups that label",
	             STR_ARG(label));
}

static void check_labels(const struct judge *judge, const struct house_policy *policy,
                         const struct workload *workload)
{
	const struct placement *placement = placement_of(judge, workload);
	struct arena *scratch = arena_new();

	for (size_t i = 0; i < policy->labels.n && !placement->undecidable; i++) {
		struct groups lacking = { 0 };

		find_lacking(placement, &policy->labels.v[i], scratch, &lacking);
		if (lacking.n > 0)
			say_lacking(judge, workload, &policy->labels.v[i], &lacking);
	}
	arena_free(scratch);
}

/* One loop for both policies. */
static void each_chosen(const struct judge *judge, const struct house_policies *policies,
                        void (*check)(const struct judge *judge, const struct house_policy *policy,
                                      const struct workload *workload))
{
	for (size_t i = 0; i < policies->n; i++)
		for (size_t k = 0; k < judge->scope->workloads.n; k++)
			if (workload_is_chosen(&policies->v[i].workloads,
			                       judge->scope->workloads.v[k]))
				check(judge, &policies->v[i], judge->scope->workloads.v[k]);
}

void kl117_required_label_policy(const struct judge *judge)
{
	each_chosen(judge, &judge->scope->settings->label_policies, check_labels);
}

/* ---- KL118 ------------------------------------------------------------------------------ */

/* A toleration that a template hides may be any. */
static bool may_tolerate(const struct workload *workload, const struct taint *taint)
{
	const struct tolerations *tolerations = &workload->tolerations;

	if (workload->runtime_class_open || (tolerations->node && tolerations->node->unknown))
		return true;
	for (size_t i = 0; i < tolerations->n; i++)
		if ((tolerations->v[i].node && tolerations->v[i].node->unknown) ||
		    toleration_covers(&tolerations->v[i], taint, false))
			return true;
	return false;
}

static void check_taints(const struct judge *judge, const struct house_policy *policy,
                         const struct workload *workload)
{
	const struct node *node = workload->pod->tolerations.node;

	for (size_t i = 0; i < policy->taints.n; i++) {
		const struct taint *taint = &policy->taints.v[i];
		struct finding *finding;
		str text;

		if (may_tolerate(workload, taint))
			continue;
		text = taint_text(JUDGE_ARENA(judge), taint);
		finding = emit_at(judge, LEVEL_WARNING, workload->object,
		                  node ? node : workload->pod->spec, node ? NULL : "tolerations");
		finding->salient = text;
		finding_message(judge->sink, finding,
		                "by policy it tolerates the taint %.*s, and no toleration covers that",
		                STR_ARG(text));
		finding_help(judge->sink, finding, "add a toleration of key %.*s and effect %.*s",
		             STR_ARG(taint->key), STR_ARG(taint->effect));
	}
}

void kl118_required_toleration_policy(const struct judge *judge)
{
	each_chosen(judge, &judge->scope->settings->taint_policies, check_taints);
}

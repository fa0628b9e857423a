/* KL6, second part: PodDisruptionBudgets (rules.md, KL602-KL604). */
#include "ask.h"
#include "edits.h"

/* The workloads that the budget may select. */
static struct pod_candidates candidates(const struct scope *scope, const struct pod_index *index,
                                        const struct object *budget)
{
	return pod_index_find(index, object_namespace(scope, budget), &budget->pdb->selector);
}

/* NULL where another object stands. */
static const struct object *budget_at(const struct scope *scope, size_t i)
{
	const struct object *object = scope->objects.v[i];

	return object->class == OBJECT_PDB && object->pdb ? object : NULL;
}

/* ---- KL602 ----------------------------------------------------------------------------- */

/* Adds the replicas of those workloads that the budget selects at the baseline; false when that
 * is not known. */
static bool add_selected(const struct object *budget, const struct workloads *workloads,
                         int64_t *count)
{
	for (size_t i = 0; i < workloads->n; i++) {
		const struct workload *workload = workloads->v[i];
		enum answer answer = selector_matches(&budget->pdb->selector,
		                                      &workload->pod->labels);

		if (answer == ANSWER_NO)
			continue;
		if (answer == ANSWER_UNKNOWN || !workload->baseline.known)
			return false;
		*count = int64_add_saturated(*count, workload->baseline.value);
	}
	return true;
}

/* The field's count of n pods; percentages round up. */
static int64_t resolved(const struct int_or_percent *field, int64_t count)
{
	int64_t product;

	if (!field->percent)
		return field->value;
	product = int64_mul_saturated(count, field->value);
	return product / 100 + (product % 100 ? 1 : 0);
}

/* Both fields together are refused by the API server (KL005) and not judged here. */
static void check_budget(const struct judge *judge, const struct object *budget, int64_t count)
{
	const struct int_or_percent *least = &budget->pdb->min_available;
	const struct int_or_percent *most = &budget->pdb->max_unavailable;
	bool by_least = least->node != NULL;
	const struct int_or_percent *field = by_least ? least : most;
	struct finding *finding;

	if (!node_known(field->node) || !field->valid || (by_least && most->node) ||
	    (by_least ? resolved(field, count) < count : resolved(field, count) > 0))
		return;
	finding = emit_node(judge, LEVEL_WARNING, budget, field->node);
	finding_message(judge->sink, finding,
	                "%s %.*s of %lld %s at the lowest allows 0 disruptions: no drain, upgrade "
	                "or scale-down can evict a pod", by_least ? "minAvailable" : "maxUnavailable",
	                STR_ARG(node_text(field->node)), (long long)count,
	                count == 1 ? "replica" : "replicas");
	finding_help(judge->sink, finding, count == 1 ? "run 2 or more replicas, with maxUnavailable: 1"
	                                              : "set maxUnavailable: 1 instead");
}

/* n = 0 is silent: a workload that is off, or that KEDA keeps at zero, has nothing to evict. */
void kl602_pdb_blocks_eviction(const struct judge *judge)
{
	struct arena *arena = arena_new();
	const struct pod_index *index = pod_index_new(arena, judge->scope);

	for (size_t i = 0; i < judge->scope->objects.n; i++) {
		const struct object *budget = budget_at(judge->scope, i);
		struct pod_candidates found;
		int64_t count = 0;

		if (!budget)
			continue;
		found = candidates(judge->scope, index, budget);
		if (add_selected(budget, found.lists[0], &count) &&
		    add_selected(budget, found.lists[1], &count) && count > 0)
			check_budget(judge, budget, count);
	}
	arena_free(arena);
}

/* ---- KL603, KL604 ---------------------------------------------------------------------- */

struct budgets VEC(const struct object *);

/* What selects a workload. */
struct protection {
	const struct object *first, *second;
	bool unknown;               /* another budget may */
};

/* Adds what one budget selects; false when it selects none of the workloads. */
static bool protect(struct protection *all, const struct object *budget,
                    const struct workloads *workloads)
{
	bool any = false;

	for (size_t i = 0; i < workloads->n; i++) {
		struct protection *protection = &all[workloads->v[i]->index];
		enum answer answer = selector_matches(&budget->pdb->selector,
		                                      &workloads->v[i]->pod->labels);

		any = any || answer != ANSWER_NO;
		protection->unknown = protection->unknown || answer == ANSWER_UNKNOWN;
		if (answer == ANSWER_YES && !protection->first)
			protection->first = budget;
		else if (answer == ANSWER_YES && !protection->second)
			protection->second = budget;
	}
	return any;
}

/* By workload index; ret_empty: budgets that select none of the workloads. */
static struct protection *protections(struct arena *arena, const struct scope *scope,
                                      struct budgets *ret_empty)
{
	struct protection *all = arena_calloc(arena, scope->workloads.n, sizeof *all);
	const struct pod_index *index = pod_index_new(arena, scope);

	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *budget = budget_at(scope, i);
		struct pod_candidates found;
		bool any;

		if (!budget)
			continue;
		found = candidates(scope, index, budget);
		any = protect(all, budget, found.lists[0]);
		if (!protect(all, budget, found.lists[1]) && !any)
			*VEC_PUSH(arena, ret_empty) = budget;
	}
	return all;
}

/* At the selector, or where it is missing: a null one selects nothing. */
static struct finding *emit_selector(const struct judge *judge, enum level level,
                                     const struct object *budget)
{
	const struct node *selector = budget->pdb->selector.node;

	if (selector)
		return emit_node(judge, level, budget, selector);
	return emit_at(judge, level, budget, node_get(budget->root, "spec"), "selector");
}

/* Said on each of the two, since either may be the one to remove. */
static void say_second(const struct judge *judge, const struct object *budget,
                       const struct object *other, const struct workload *workload)
{
	struct finding *finding = emit_selector(judge, LEVEL_WARNING, budget);

	finding_message(judge->sink, finding,
	                "it selects the pods of %.*s, and so does PodDisruptionBudget %.*s: the "
	                "eviction API refuses pods with two budgets", STR_ARG(workload->text),
	                STR_ARG(other->name.s));
	finding_help(judge->sink, finding, "keep one of them");
	relate_object(judge, finding, other, other->pdb->selector.node, "the other budget");
}

/* Two PDB objects of one name are one budget. */
static bool is_same_budget(const struct scope *scope, const struct protection *protection)
{
	return str_eq(protection->first->name.s, protection->second->name.s) &&
	       str_eq(object_namespace(scope, protection->first),
	              object_namespace(scope, protection->second));
}

/* The eviction subresource fails for pods with two budgets, whatever they allow. An orphan is a
 * note: its pods may come from a chart. */
void kl603_pdb_matches_nothing(const struct judge *judge)
{
	struct arena *arena = arena_new();
	struct budgets empty = { 0 };
	const struct protection *all = protections(arena, judge->scope, &empty);

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];

		if (!all[i].second || is_same_budget(judge->scope, &all[i]))
			continue;
		say_second(judge, all[i].first, all[i].second, workload);
		say_second(judge, all[i].second, all[i].first, workload);
	}
	for (size_t i = 0; i < empty.n; i++) {
		const struct object *budget = empty.v[i];
		struct finding *finding;

		if (scope_absence_hidden(judge->scope, budget) ||
		    (budget->pdb->selector.node && budget->pdb->selector.node->unknown))
			continue;
		finding = emit_selector(judge, LEVEL_NOTE, budget);
		finding_message(judge->sink, finding,
		                "it selects the pods of no declared workload in namespace %.*s",
		                STR_ARG(object_namespace(judge->scope, budget)));
		finding_help(judge->sink, finding, "use the labels of a pod template");
	}
	arena_free(arena);
}

/* An unknown match counts as protection: absence must be certain. */
void kl604_pdb_missing(const struct judge *judge)
{
	struct arena *arena = arena_new();
	struct budgets empty = { 0 };
	const struct protection *all = protections(arena, judge->scope, &empty);

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		struct finding *finding;

		if (all[i].first || all[i].unknown || workload->job || workload->daemon_set ||
		    !workload->baseline.known || workload->baseline.value < 2 ||
		    scope_absence_hidden(judge->scope, workload->object))
			continue;
		finding = emit_node(judge, LEVEL_NOTE, workload->object, workload->object->name.node);
		finding_message(judge->sink, finding,
		                "%lld replicas and no PodDisruptionBudget: drains may evict them all "
		                "at once", (long long)workload->baseline.value);
		finding_help(judge->sink, finding,
		             "add a PodDisruptionBudget with maxUnavailable: 1");
	}
	arena_free(arena);
}

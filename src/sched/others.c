/* Whether a selector catches pods of other workloads too, by an index over pod labels. */
#include "sched-internal.h"

/* A line end is in no namespace, key or value. */
static str label_key(struct arena *arena, str ns, str key, str value)
{
	return str_format(arena, "%.*s\n%.*s\n%.*s", STR_ARG(ns), STR_ARG(key), STR_ARG(value));
}

/* Every label is an entry: which of them a selector names is not known yet. */
static void add_labels(struct bench *bench, struct workload *workload)
{
	for (size_t i = 0; i < workload->pod->labels.n; i++) {
		const struct pair *label = &workload->pod->labels.v[i];
		str key = label_key(bench->arena, workload->namespace, label->key, label->value);
		struct workloads *list = map_get(bench->labels, key);

		if (!list) {
			list = ARENA_NEW(bench->arena, struct workloads);
			map_put(bench->labels, key, list);
		}
		*VEC_PUSH(bench->arena, list) = workload;
	}
}

/* Without it each selector would meet each workload. */
void bench_index_labels(struct bench *bench)
{
	bench->labels = map_new(bench->arena);
	for (size_t i = 0; i < bench->scope->workloads.n; i++)
		add_labels(bench, bench->scope->workloads.v[i]);
}

/* Those whose pods may match: by one label of the selector where it names one. */
static const struct workloads *likely(const struct bench *bench, const struct workload *owner,
                                      const struct label_selector *selector)
{
	static const struct workloads none;
	const struct workloads *list;

	if (!selector->match_labels.n || selector->match_labels.v[0].node->unknown)
		return &bench->scope->workloads;
	list = map_get(bench->labels,
	               label_key(bench->arena, owner->namespace, selector->match_labels.v[0].key,
	                         selector->match_labels.v[0].value));
	return list ? list : &none;
}

/* An unknown answer counts as yes: then no bound is built on being alone. */
bool bench_others_selected(const struct bench *bench, const struct workload *owner,
                           const struct spread_constraint *constraint,
                           const struct pod_affinity_term *term)
{
	bool wide = term && (term->namespaces.n || term->namespace_selector.node);
	const struct workloads *list =
		wide ? &bench->scope->workloads
		     : likely(bench, owner, constraint ? &constraint->selector : &term->selector);

	for (size_t i = 0; i < list->n; i++) {
		const struct workload *other = list->v[i];
		enum answer answer;

		if (other == owner)
			continue;
		answer = constraint ? spread_counts(constraint, owner, other)
		                    : affinity_term_selects(term, owner, other);
		if (answer != ANSWER_NO)
			return true;
	}
	return false;
}

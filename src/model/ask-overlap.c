/* Whose pods a selector picks: an index over labels, and what an HPA counts besides the pods of
 * its target. */
#include <stdlib.h>

#include "ask.h"
#include "model-internal.h"

/* ---- pods by label ----------------------------------------------------------------------- */

struct pod_index {
	struct map *all;        /* namespace -> struct workloads */
	struct map *unsure;     /* namespace -> those with a label that is not known */
	struct map *by_label;   /* namespace, label, value -> struct workloads */
};

static const struct workloads no_workloads;

static void add_to(struct arena *arena, struct map *map, str key, struct workload *workload)
{
	struct workloads *list = map_get(map, key);

	if (!list) {
		list = ARENA_NEW(arena, struct workloads);
		map_put(map, key, list);
	}
	*VEC_PUSH(arena, list) = workload;
}

static const struct workloads *list_of(const struct map *map, str key)
{
	const struct workloads *list = map_get(map, key);

	return list ? list : &no_workloads;
}

/* May the pods carry labels that are not seen, or other values than those? */
static bool is_unsure(const struct pairs *labels)
{
	bool unsure = labels->node && labels->node->unknown;

	for (size_t i = 0; i < labels->n; i++)
		unsure = unsure || (labels->v[i].node && labels->v[i].node->unknown);
	return unsure;
}

static void index_workload(struct arena *arena, struct pod_index *index,
                           struct workload *workload)
{
	const struct pairs *labels = &workload->pod->labels;

	add_to(arena, index->all, workload->namespace, workload);
	if (is_unsure(labels)) {
		add_to(arena, index->unsure, workload->namespace, workload);
		return;
	}
	for (size_t i = 0; i < labels->n; i++)
		add_to(arena, index->by_label,
		       model_key(arena, workload->namespace, labels->v[i].key,
		                 labels->v[i].value), workload);
}

struct pod_index *pod_index_new(struct arena *arena, const struct scope *scope)
{
	struct pod_index *index = ARENA_NEW(arena, struct pod_index);

	index->all = map_new(arena);
	index->unsure = map_new(arena);
	index->by_label = map_new(arena);
	for (size_t i = 0; i < scope->workloads.n; i++)
		index_workload(arena, index, scope->workloads.v[i]);
	return index;
}

struct pod_candidates pod_index_find(const struct pod_index *index, str ns,
                                     const struct label_selector *selector)
{
	const struct pairs *labels = &selector->match_labels;
	struct pod_candidates found = { { list_of(index->unsure, ns), &no_workloads } };
	struct arena *arena;

	if (!labels->n || is_unsure(labels)) {
		found.lists[0] = list_of(index->all, ns);
		return found;
	}
	arena = arena_new();
	found.lists[1] = list_of(index->by_label,
	                         model_key(arena, ns, labels->v[0].key, labels->v[0].value));
	arena_free(arena);
	return found;
}

/* ---- overlaps ---------------------------------------------------------------------------- */

/* qsort: by workload, then in the order of the scalers. */
static int compare_overlaps(const void *a, const void *b)
{
	const struct overlap *left = a, *right = b;

	if (left->workload->index != right->workload->index)
		return left->workload->index < right->workload->index ? -1 : 1;
	return left->order < right->order ? -1 : left->order > right->order;
}

static void add_overlaps(struct arena *arena, const struct scaler *scaler, size_t order,
                         const struct workloads *candidates, struct overlaps *overlaps)
{
	const struct label_selector *selector = &scaler->target->object->workload->selector;

	for (size_t i = 0; i < candidates->n; i++)
		if (candidates->v[i] != scaler->target &&
		    selector_matches(selector, &candidates->v[i]->pod->labels) == ANSWER_YES)
			*VEC_PUSH(arena, overlaps) =
				(struct overlap){ scaler, candidates->v[i], order };
}

void scope_overlaps(struct arena *arena, const struct scope *scope, struct overlaps *ret_overlaps)
{
	const struct pod_index *index = pod_index_new(arena, scope);

	for (size_t i = 0; i < scope->scalers.n; i++) {
		const struct scaler *scaler = scope->scalers.v[i];
		struct pod_candidates found;

		if (scaler->kind != SCALER_HPA || !scaler->target ||
		    !scaler->target->object->workload->selector.node)
			continue;
		found = pod_index_find(index, scaler->namespace,
		                       &scaler->target->object->workload->selector);
		add_overlaps(arena, scaler, i, found.lists[0], ret_overlaps);
		add_overlaps(arena, scaler, i, found.lists[1], ret_overlaps);
	}
	if (ret_overlaps->n)
		qsort(ret_overlaps->v, ret_overlaps->n, sizeof *ret_overlaps->v,
		      compare_overlaps);
}

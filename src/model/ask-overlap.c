/* Whose pods an HPA counts besides those of its target. */
#include "ask.h"
#include "model-internal.h"

struct scaler_list VEC(const struct scaler *);

/* HPAs with a target that has a selector, by namespace. */
static struct map *hpas_by_namespace(struct arena *arena, const struct scope *scope)
{
	struct map *map = map_new(arena);

	for (size_t i = 0; i < scope->scalers.n; i++) {
		const struct scaler *scaler = scope->scalers.v[i];
		struct scaler_list *list = map_get(map, scaler->namespace);

		if (scaler->kind != SCALER_HPA || !scaler->target ||
		    !scaler->target->object->workload->selector.node)
			continue;
		if (!list) {
			list = ARENA_NEW(arena, struct scaler_list);
			map_put(map, scaler->namespace, list);
		}
		*VEC_PUSH(arena, list) = scaler;
	}
	return map;
}

void scope_overlaps(struct arena *arena, const struct scope *scope, struct overlaps *ret_overlaps)
{
	const struct map *map = hpas_by_namespace(arena, scope);

	for (size_t i = 0; i < scope->workloads.n; i++) {
		const struct workload *workload = scope->workloads.v[i];
		const struct scaler_list *list = map_get(map, workload->namespace);

		for (size_t k = 0; list && k < list->n; k++) {
			const struct workload *target = list->v[k]->target;

			if (target != workload &&
			    selector_matches(&target->object->workload->selector,
			                     &workload->pod->labels) == ANSWER_YES)
				*VEC_PUSH(arena, ret_overlaps) =
					(struct overlap){ list->v[k], workload };
		}
	}
}

struct map *workloads_by_namespace(struct arena *arena, const struct scope *scope)
{
	struct map *map = map_new(arena);

	for (size_t i = 0; i < scope->workloads.n; i++) {
		struct workload *workload = scope->workloads.v[i];
		struct workloads *list = map_get(map, workload->namespace);

		if (!list) {
			list = ARENA_NEW(arena, struct workloads);
			map_put(map, workload->namespace, list);
		}
		*VEC_PUSH(arena, list) = workload;
	}
	return map;
}

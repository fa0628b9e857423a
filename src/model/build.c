/* From everything that was read to scopes in which each thing knows its partners. */
#include "model-internal.h"

/* True when the whole text of the document could not be used: what it declares is not seen. */
static bool tree_is_unreadable(const struct tree *tree)
{
	for (size_t i = 0; i < tree->faults.n; i++) {
		const struct fault *fault = &tree->faults.v[i];

		if (fault->kind == FAULT_SYNTAX || fault->kind == FAULT_LIMIT ||
		    (fault->kind == FAULT_TEMPLATE && !fault->node))
			return true;
	}
	return false;
}

static void hide_folder(struct scope *scope, str folder)
{
	scope->incomplete = true;
	if (!map_put(scope->index->hidden, folder, scope))
		*VEC_PUSH(scope->arena, &scope->incomplete_folders) = folder;
}

static void find_unreadable(struct scope *scope)
{
	for (size_t i = 0; i < scope->trees.n; i++)
		if (tree_is_unreadable(scope->trees.v[i]))
			hide_folder(scope, path_folder(scope->trees.v[i]->source->path));
	for (size_t i = 0; i < scope->sources->skips.n; i++) {
		const struct skip *skip = &scope->sources->skips.v[i];

		if (skip->kind == SKIP_UNREADABLE || skip->kind == SKIP_TOO_LARGE)
			hide_folder(scope, path_folder(skip->path));
	}
}

static void index_objects(struct scope *scope)
{
	struct model_index *index = scope->index;

	for (size_t i = 0; i < scope->objects.n; i++) {
		struct object *object = scope->objects.v[i];
		char *letter = arena_alloc(scope->arena, 1);
		str ns = object_namespace(scope, object), key;

		*letter = (char)('A' + object->class);
		key = model_key(scope->arena, (str){ letter, 1 }, ns, object->name.s);
		if (!map_get(index->objects, key))
			map_put(index->objects, key, object);
		key = model_key(scope->arena, object->kind, ns, object->name.s);
		if (!map_get(index->by_kind, key))
			map_put(index->by_kind, key, object);
	}
}

/* Groups that can hold a pod at all: those whose maximum is not 0. */
static void keep_usable_groups(struct scope *scope)
{
	for (size_t i = 0; i < scope->pools.groups.n; i++) {
		struct group *group = scope->pools.groups.v[i];
		bool empty = group->max.origin != ORIGIN_UNKNOWN && group->max.value <= 0;

		if (!empty)
			*VEC_PUSH(scope->arena, &scope->groups) = group;
	}
}

/* The target version: as the options say, else the oldest that node groups declare. */
static const struct settings *scope_settings(struct scope *scope, const struct settings *given)
{
	struct settings *settings = ARENA_NEW(scope->arena, struct settings);

	*settings = *given;
	if (!settings->kubernetes_declared && scope->pools.declared_version.major) {
		settings->kubernetes = scope->pools.declared_version;
		settings->kubernetes_declared = true;
	}
	return settings;
}

static struct model_index *index_new(struct arena *arena)
{
	struct model_index *index = ARENA_NEW(arena, struct model_index);

	index->objects = map_new(arena);
	index->workloads = map_new(arena);
	index->by_kind = map_new(arena);
	index->namespaces = map_new(arena);
	index->hidden = map_new(arena);
	return index;
}

void model_build(struct arena *arena, const struct source_set *sources,
                 const struct settings *settings, const struct trees *trees,
                 const struct objects *objects, struct scopes *ret_scopes)
{
	struct scope *scope = ARENA_NEW(arena, struct scope);

	scope->arena = arena;
	scope->sources = sources;
	scope->index = index_new(arena);
	for (size_t i = 0; i < trees->n; i++)
		*VEC_PUSH(arena, &scope->trees) = trees->v[i];
	for (size_t i = 0; i < objects->n; i++)
		*VEC_PUSH(arena, &scope->objects) = objects->v[i];
	model_read_kustomizations(scope);
	find_unreadable(scope);
	pools_read(arena, &scope->trees, &scope->objects, &scope->pools);
	scope->settings = scope_settings(scope, settings);
	keep_usable_groups(scope);
	index_objects(scope);
	model_add_workloads(scope);
	model_add_scalers(scope);
	model_add_calls(scope);
	*VEC_PUSH(arena, ret_scopes) = scope;
}

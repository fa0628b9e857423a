/* From everything that was read to scopes in which each thing knows its partners. */
#include "model-internal.h"

/* True when the whole text of the document could not be used: what it declares is not seen. */
static bool tree_is_unreadable(const struct tree *tree)
{
	if (tree->foreign)
		return false;
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
			hide_folder(scope, source_folder(scope->trees.v[i]->source->path));
	for (size_t i = 0; i < scope->chart_templates.n; i++)
		hide_folder(scope, source_folder(scope->chart_templates.v[i]->source->path));
	for (size_t i = 0; i < scope->sources->skips.n; i++) {
		const struct skip *skip = &scope->sources->skips.v[i];

		if (skip->kind == SKIP_UNREADABLE || skip->kind == SKIP_TOO_LARGE)
			hide_folder(scope, source_folder(skip->path));
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
		if (object->class == OBJECT_LIMIT_RANGE && object->limit_range &&
		    !map_get(index->limit_ranges, ns))
			map_put(index->limit_ranges, ns, object->limit_range);
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
	index->fallbacks = map_new(arena);
	index->hidden = map_new(arena);
	index->limit_ranges = map_new(arena);
	return index;
}

/* What every scope of a run is made from. */
struct ground {
	const struct source_set *sources;
	const struct settings *settings;
	str cluster;
	struct trees trees;
	struct objects objects;
	struct kustomize_builds builds;
	struct lost_patches lost_patches;
	struct map *charts;      /* folders with a Chart.yaml */
};

static bool is_chart_file(str path)
{
	str folder = source_folder(path);

	return str_is(str_slice(path, folder.n ? folder.n + 1 : 0, path.n), "Chart.yaml");
}

static void find_charts(struct arena *arena, struct ground *ground)
{
	ground->charts = map_new(arena);
	for (size_t i = 0; i < ground->sources->sources.n; i++) {
		struct source *source = ground->sources->sources.v[i];

		if (is_chart_file(source->path))
			map_put(ground->charts, source_folder(source->path), source);
	}
}

/* Does the file lie below templates/ of a chart? Such text is no manifest before rendering. */
static bool is_chart_template(const struct ground *ground, str path)
{
	for (str folder = source_folder(path); folder.n; folder = source_folder(folder)) {
		str parent = source_folder(folder);
		str name = str_slice(folder, parent.n ? parent.n + 1 : 0, folder.n);

		if (str_is(name, "templates") && map_has(ground->charts, parent))
			return true;
	}
	return false;
}

/* Gives the files of the builds in this variant their namespaces. */
static void add_namespaces(struct scope *scope, const struct ground *ground,
                           const struct choice *choice)
{
	for (size_t i = 0; i < ground->builds.n; i++) {
		const struct build *build = ground->builds.v[i];
		bool taken = true;

		for (size_t j = 0; j < choice->dimensions->n; j++) {
			const struct alternatives *all = &choice->dimensions->v[j]->alternatives;

			for (size_t k = 0; k < all->n; k++)
				if (all->v[k].build == build)
					taken = taken && choice->taken[j] == k;
		}
		for (size_t j = 0; taken && j < map_count(build->files); j++) {
			str path;
			str *ns = map_at(build->files, j, &path);

			if (ns && !map_has(scope->index->namespaces, path))
				map_put(scope->index->namespaces, path, ns);
		}
	}
}

/* The trees and objects of this variant. */
static void take_files(struct scope *scope, const struct ground *ground,
                       const struct choice *choice)
{
	for (size_t i = 0; i < ground->trees.n; i++) {
		struct tree *tree = ground->trees.v[i];
		bool template = is_chart_template(ground, tree->source->path);

		if (choice_holds(choice, tree->source->path))
			*VEC_PUSH(scope->arena, template ? &scope->chart_templates
			                                 : &scope->trees) = tree;
	}
	for (size_t i = 0; i < ground->objects.n; i++) {
		struct object *object = ground->objects.v[i];
		str path = object->tree->source->path;

		if (choice_holds(choice, path) && !is_chart_template(ground, path))
			*VEC_PUSH(scope->arena, &scope->objects) = object;
	}
	for (size_t i = 0; i < ground->lost_patches.n; i++)
		if (choice_holds(choice, ground->lost_patches.v[i].tree->source->path))
			*VEC_PUSH(scope->arena, &scope->lost_patches) = ground->lost_patches.v[i];
}

static struct scope *scope_new(struct arena *arena, const struct ground *ground,
                               const struct choice *choice)
{
	struct scope *scope = ARENA_NEW(arena, struct scope);

	scope->arena = arena;
	scope->sources = ground->sources;
	scope->cluster = ground->cluster;
	scope->variant = choice_text(arena, choice);
	scope->index = index_new(arena);
	take_files(scope, ground, choice);
	add_namespaces(scope, ground, choice);
	model_read_namespace_rules(scope, &ground->settings->namespaces);
	model_read_deployers(scope);
	find_unreadable(scope);
	pools_read(arena, &scope->trees, &scope->objects, &scope->pools);
	scope->settings = scope_settings(scope, ground->settings);
	keep_usable_groups(scope);
	index_objects(scope);
	model_add_workloads(scope);
	model_add_scalers(scope);
	model_add_calls(scope);
	model_find_metrics(scope);
	return scope;
}

/* The scopes of one cluster: ground holds its trees and objects. */
static void build_cluster(struct arena *arena, struct ground *ground, struct scopes *ret_scopes)
{
	struct dimensions dimensions = { 0 };
	struct choices choices = { 0 };

	find_charts(arena, ground);
	model_find_lost_patches(arena, &ground->trees, &ground->objects, &ground->lost_patches);
	model_read_kustomizations(arena, &ground->trees, &ground->objects, &ground->builds);
	model_find_dimensions(arena, &ground->objects, &ground->builds, &dimensions);
	model_list_choices(arena, &dimensions, &choices);
	for (size_t i = 0; i < choices.n; i++)
		*VEC_PUSH(arena, ret_scopes) = scope_new(arena, ground, &choices.v[i]);
}

/* Files of no cluster are judged too, by themselves: what is left out of a list is most often an
 * oversight, and silence about it would look like praise. */
void model_build(struct arena *arena, const struct source_set *sources,
                 const struct settings *settings, const struct trees *trees,
                 const struct objects *objects, struct scopes *ret_scopes)
{
	const struct clusters *clusters = &settings->clusters;

	for (size_t i = 0; i <= clusters->n; i++) {
		const struct cluster *cluster = i < clusters->n ? &clusters->v[i] : NULL;
		struct ground ground = {
			.sources = sources,
			.settings = cluster ? cluster->settings : settings,
			.cluster = cluster ? cluster->name : STR(""),
		};

		model_take_cluster(arena, clusters, cluster, trees, &ground.trees);
		model_take_cluster_objects(arena, clusters, cluster, objects, &ground.objects);
		if (cluster || !clusters->n || (ground.objects.n && !settings->one_cluster))
			build_cluster(arena, &ground, ret_scopes);
	}
}

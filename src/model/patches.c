/* Kustomize patches that name no object of their build (KL014). Only where all that the build
 * takes in is here: what a URL, a generator or a chart brings cannot be seen.
 */
#include "model-internal.h"

/* One kustomization at work. */
struct inspector {
	struct arena *arena;
	struct map *kustomizations; /* folder -> its tree */
	struct map *objects;        /* path of a file -> its struct objects */
	struct map *trees;          /* path of a file -> its struct trees */
	struct objects members;     /* of the build */
	bool open;                  /* something in it cannot be seen */
	struct lost_patches *lost;
};

/* Keys by which objects come in that no file declares. */
static const char *const makers[] = { "configMapGenerator", "secretGenerator", "generators",
	                              "helmCharts", "helmChartInflationGenerator",
	                              "transformers" };

static void add_members(struct inspector *inspector, str folder, unsigned depth);

static void add_entry(struct inspector *inspector, str path, unsigned depth)
{
	const struct objects *objects = map_get(inspector->objects, path);

	if (map_has(inspector->kustomizations, path)) {
		add_members(inspector, path, depth + 1);
		return;
	}
	if (!path.n || !map_has(inspector->trees, path))
		inspector->open = true;
	for (size_t i = 0; objects && i < objects->n; i++)
		*VEC_PUSH(inspector->arena, &inspector->members) = objects->v[i];
}

static void add_members(struct inspector *inspector, str folder, unsigned depth)
{
	const struct tree *tree = map_get(inspector->kustomizations, folder);
	struct strs members = { 0 };

	if (depth > BUILD_DEPTH) {
		inspector->open = true;
		return;
	}
	for (size_t i = 0; i < COUNT_OF(makers); i++)
		if (node_get(tree->root, makers[i]))
			inspector->open = true;
	kustomization_members(inspector->arena, folder, tree->root, &members);
	for (size_t i = 0; i < members.n; i++)
		add_entry(inspector, members.v[i], depth);
}

/* Kinds of which every object is kept: of others some are passed over unread. */
static bool is_kept_kind(str kind)
{
	static const char *const kinds[] = {
		"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod",
		"HorizontalPodAutoscaler", "Service", "PodDisruptionBudget", "ConfigMap",
		"PersistentVolumeClaim",
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_is(kind, kinds[i]))
			return true;
	return false;
}

/* A target's text is a regular expression over the whole name. */
bool model_text_matches(struct arena *arena, str pattern, str text)
{
	const struct regex *regex;
	str error;

	if (!pattern.n || str_eq(pattern, text))
		return true;
	regex = regex_new(arena, str_format(arena, "^(?:%.*s)$", STR_ARG(pattern)), &error);
	return !regex || regex_finds(regex, text);
}

static bool is_member(const struct inspector *inspector, const struct patch_target *target)
{
	for (size_t i = 0; i < inspector->members.n; i++) {
		const struct object *object = inspector->members.v[i];

		if (model_text_matches(inspector->arena, target->kind, object->kind) &&
		    model_text_matches(inspector->arena, target->name, object->name.s))
			return true;
	}
	return false;
}

static void check_target(struct inspector *inspector, const struct tree *tree,
                         const struct node *node, const struct node *from)
{
	struct patch_target target = {
		.tree = tree,
		.node = node,
		.kind = node_text(node_get(from, "kind")),
		.name = node_text(node_get(from, "name")),
	};

	if (!target.name.n)
		target.name = node_text(node_at(from, "metadata.name"));
	/* A target by labels alone, or one that is a template, decides nothing. */
	if (!is_kept_kind(target.kind) || !target.name.n || from->unknown || (node && node->unknown))
		return;
	if (!is_member(inspector, &target))
		*VEC_PUSH(inspector->arena, inspector->lost) = target;
}

/* A patch file: each of its documents names its own object. */
static void check_file(struct inspector *inspector, const struct tree *tree,
                       const struct node *entry, str path)
{
	const struct trees *patches = map_get(inspector->trees, path);

	for (size_t i = 0; patches && i < patches->n; i++)
		if (node_is_map(patches->v[i]->root))
			check_target(inspector, tree, entry, patches->v[i]->root);
}

static void check_patch(struct inspector *inspector, const struct tree *tree, str folder,
                        const struct node *entry)
{
	const struct node *target = node_get(entry, "target"), *path = node_get(entry, "path");

	if (node_is_map(target))
		check_target(inspector, tree, target, target);
	else if (node_is_scalar(path))
		check_file(inspector, tree, path,
		           path_resolve(inspector->arena, folder, node_text(path)));
	else if (node_is_scalar(entry))
		check_file(inspector, tree, entry,
		           path_resolve(inspector->arena, folder, node_text(entry)));
}

static void check_kustomization(struct inspector *inspector, str folder, const struct tree *tree)
{
	static const char *const lists[] = { "patches", "patchesStrategicMerge",
		                             "patchesJson6902" };

	inspector->members.n = 0;
	inspector->open = str_is(node_text(node_get(tree->root, "kind")), "Component");
	add_members(inspector, folder, 0);
	for (size_t i = 0; !inspector->open && i < COUNT_OF(lists); i++) {
		const struct node *list = node_get(tree->root, lists[i]);

		for (uint32_t j = 0; node_is_list(list) && j < list->child_count; j++)
			check_patch(inspector, tree, folder, &list->children[j]);
	}
}

static void index_files(struct inspector *inspector, const struct trees *trees,
                        const struct objects *objects)
{
	for (size_t i = 0; i < trees->n; i++) {
		str path = trees->v[i]->source->path;
		struct trees *of_file = map_get(inspector->trees, path);

		if (!of_file) {
			of_file = ARENA_NEW(inspector->arena, struct trees);
			map_put(inspector->trees, path, of_file);
		}
		*VEC_PUSH(inspector->arena, of_file) = trees->v[i];
	}
	for (size_t i = 0; i < objects->n; i++) {
		str path = objects->v[i]->tree->source->path;
		struct objects *of_file = map_get(inspector->objects, path);

		if (!of_file) {
			of_file = ARENA_NEW(inspector->arena, struct objects);
			map_put(inspector->objects, path, of_file);
		}
		*VEC_PUSH(inspector->arena, of_file) = objects->v[i];
	}
}

void model_find_lost_patches(struct arena *arena, const struct trees *trees,
                             const struct objects *objects, struct lost_patches *ret_lost)
{
	struct inspector inspector = {
		.arena = arena,
		.kustomizations = map_new(arena),
		.objects = map_new(arena),
		.trees = map_new(arena),
		.lost = ret_lost,
	};

	for (size_t i = 0; i < trees->n; i++)
		if (model_knows(trees->v[i]))
			map_put(inspector.kustomizations, source_folder(trees->v[i]->source->path),
			        trees->v[i]);
	if (!map_count(inspector.kustomizations))
		return;
	index_files(&inspector, trees, objects);
	for (size_t i = 0; i < map_count(inspector.kustomizations); i++) {
		str folder;
		const struct tree *tree = map_at(inspector.kustomizations, i, &folder);

		check_kustomization(&inspector, folder, tree);
	}
}

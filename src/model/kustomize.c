/* kustomization.yaml read raw: namespaces of builds, and patch files that are no objects
 * (model.md section 1). Nothing is rendered here.
 */
#include "model-internal.h"

/* Builds that include each other are cut at this depth. */
#define BUILD_DEPTH 16

/* All kustomizations of a scope, by folder. */
struct builds {
	struct scope *scope;
	struct map *by_folder;   /* folder -> root node of its kustomization */
	struct map *included;    /* folder -> some build that lists it */
	struct map *patches;     /* path of a file -> it is a patch */
};

static bool is_kustomization(const struct tree *tree)
{
	str path = tree->source->path;
	str file = str_slice(path, path_folder(path).n ? path_folder(path).n + 1 : 0, path.n);

	return tree->root && (str_is(file, "kustomization.yaml") ||
	                      str_is(file, "kustomization.yml"));
}

/* `entry` as seen from folder, with `.` and `..` resolved; empty when it leaves the root or is
 * a URL. */
static str resolve(struct arena *arena, str folder, str entry)
{
	struct buf joined = { .arena = arena };
	struct strs parts = { 0 };
	str piece, rest;

	if (str_contains(entry, STR("://")) || str_starts(entry, STR("/")))
		return (str){ 0 };
	buf_add(&joined, folder);
	buf_char(&joined, '/');
	buf_add(&joined, entry);
	rest = buf_str(&joined);
	while (str_next(&rest, '/', &piece)) {
		if (!piece.n || str_is(piece, "."))
			continue;
		if (!str_is(piece, "..")) {
			*VEC_PUSH(arena, &parts) = piece;
			continue;
		}
		if (!parts.n)
			return (str){ 0 };
		parts.n--;
	}
	joined.n = 0;
	for (size_t i = 0; i < parts.n; i++) {
		if (i)
			buf_char(&joined, '/');
		buf_add(&joined, parts.v[i]);
	}
	return str_copy(arena, buf_str(&joined));
}

/* Calls visit for every text item of a list. */
static void each_entry(struct builds *builds, str folder, const struct node *list,
                       struct map *marks)
{
	struct arena *arena = builds->scope->arena;

	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		str path = resolve(arena, folder, node_text(&list->children[i]));

		if (path.n)
			map_put(marks, path, builds);
	}
}

static void note_patches(struct builds *builds, str folder, const struct node *root)
{
	static const char *const lists[] = { "patches", "patchesJson6902" };

	each_entry(builds, folder, node_get(root, "patchesStrategicMerge"), builds->patches);
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct node *list = node_get(root, lists[i]);

		for (uint32_t j = 0; node_is_list(list) && j < list->child_count; j++) {
			str path = resolve(builds->scope->arena, folder,
			                   node_text(node_get(&list->children[j], "path")));

			if (path.n)
				map_put(builds->patches, path, builds);
		}
	}
}

static void find_builds(struct builds *builds)
{
	struct scope *scope = builds->scope;

	for (size_t i = 0; i < scope->trees.n; i++) {
		const struct tree *tree = scope->trees.v[i];
		str folder = path_folder(tree->source->path);

		if (!is_kustomization(tree))
			continue;
		map_put(builds->by_folder, folder, tree->root);
		each_entry(builds, folder, node_get(tree->root, "resources"), builds->included);
		each_entry(builds, folder, node_get(tree->root, "bases"), builds->included);
		note_patches(builds, folder, tree->root);
	}
}

/* Gives the files of a build their namespace; the outermost kustomization's counts. */
static void spread_namespace(struct builds *builds, str folder, str *outer, unsigned depth)
{
	static const char *const lists[] = { "resources", "bases" };
	const struct node *root = map_get(builds->by_folder, folder);
	struct arena *arena = builds->scope->arena;
	const struct node *given = node_get(root, "namespace");
	str *ns = outer;

	if (depth > BUILD_DEPTH || !root)
		return;
	if (!ns && node_known(given)) {
		ns = ARENA_NEW(arena, str);
		*ns = node_text(given);
	}
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct node *list = node_get(root, lists[i]);

		for (uint32_t j = 0; node_is_list(list) && j < list->child_count; j++) {
			str path = resolve(arena, folder, node_text(&list->children[j]));

			if (ns && path.n && !map_get(builds->scope->index->namespaces, path))
				map_put(builds->scope->index->namespaces, path, ns);
			spread_namespace(builds, path, ns, depth + 1);
		}
	}
}

/* Everything below a node is unknown; the tree's own depth limit bounds the recursion. */
static void forget(struct node *node)
{
	node->unknown = true;
	for (uint32_t i = 0; i < node->child_count; i++)
		forget(&node->children[i]);
}

/* Marks as unknown, in an object's tree, every field that the patch sets. */
static void touch(struct node *target, const struct node *patch, unsigned depth)
{
	if (target->kind != NODE_MAP || patch->kind != NODE_MAP || depth > TREE_MAX_DEPTH) {
		forget(target);
		return;
	}
	for (uint32_t i = 0; i < patch->child_count; i++)
		for (uint32_t j = 0; j < target->child_count; j++)
			if (str_eq(target->children[j].key, patch->children[i].key))
				touch(&target->children[j], &patch->children[i], depth + 1);
}

/* A strategic-merge patch against every object of its kind and name in the scope. */
static void apply_patch(struct scope *scope, const struct tree *patch)
{
	const struct node *root = patch->root;
	const struct node *spec = node_get(root, "spec");
	str kind = node_text(node_get(root, "kind"));
	str name = node_text(node_at(root, "metadata.name"));

	for (size_t i = 0; spec && i < scope->trees.n; i++) {
		struct node *other = scope->trees.v[i]->root;

		if (!other || other->kind != NODE_MAP || other == root ||
		    !str_eq(node_text(node_get(other, "kind")), kind) ||
		    !str_eq(node_text(node_at(other, "metadata.name")), name))
			continue;
		for (uint32_t j = 0; j < other->child_count; j++)
			if (str_is(other->children[j].key, "spec"))
				touch(&other->children[j], spec, 0);
	}
}

/* Patch documents leave the scope: they are no whole objects. */
static void drop_patches(struct builds *builds)
{
	struct scope *scope = builds->scope;
	size_t kept = 0;

	for (size_t i = 0; i < scope->trees.n; i++)
		if (map_get(builds->patches, scope->trees.v[i]->source->path))
			apply_patch(scope, scope->trees.v[i]);
	for (size_t i = 0; i < scope->trees.n; i++)
		if (!map_get(builds->patches, scope->trees.v[i]->source->path))
			scope->trees.v[kept++] = scope->trees.v[i];
	scope->trees.n = kept;
	kept = 0;
	for (size_t i = 0; i < scope->objects.n; i++)
		if (!map_get(builds->patches, scope->objects.v[i]->tree->source->path))
			scope->objects.v[kept++] = scope->objects.v[i];
	scope->objects.n = kept;
}

void model_read_kustomizations(struct scope *scope)
{
	struct builds builds = {
		.scope = scope,
		.by_folder = map_new(scope->arena),
		.included = map_new(scope->arena),
		.patches = map_new(scope->arena),
	};

	find_builds(&builds);
	for (size_t i = 0; i < map_count(builds.by_folder); i++) {
		str folder;

		map_at(builds.by_folder, i, &folder);
		if (!map_get(builds.included, folder))
			spread_namespace(&builds, folder, NULL, 0);
	}
	if (map_count(builds.patches))
		drop_patches(&builds);
}

/* kustomization.yaml read raw: namespaces of builds, and patch files that are no objects
 * (model.md section 1). Nothing is rendered here.
 */
#include "model-internal.h"

/* More fields in one map than this are not looked at one by one. */
#define JUDGED_TOGETHER 64

/* All kustomizations, by folder. */
struct finder {
	struct arena *arena;
	struct trees *trees;
	struct map *by_folder;   /* folder -> root node of its kustomization */
	struct map *included;    /* path -> some build lists it */
	struct map *patches;     /* path of a file -> it is a patch */
};

bool model_knows(const struct tree *tree)
{
	str path = tree->source->path;
	str file = str_slice(path, source_folder(path).n ? source_folder(path).n + 1 : 0, path.n);

	return tree->root && (str_is(file, "kustomization.yaml") ||
	                      str_is(file, "kustomization.yml"));
}

str path_resolve(struct arena *arena, str folder, str entry)
{
	struct buf joined = { .arena = arena }, resolved = { .arena = arena };
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
	/* files outside of the root have absolute paths */
	for (size_t i = 0; i < parts.n; i++) {
		if (i || str_starts(folder, STR("/")))
			buf_char(&resolved, '/');
		buf_add(&resolved, parts.v[i]);
	}
	return buf_str(&resolved);
}

void kustomization_members(struct arena *arena, str folder, const struct node *root,
                           struct strs *ret_paths)
{
	static const char *const lists[] = { "resources", "bases", "components" };

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct node *list = node_get(root, lists[i]);

		for (uint32_t j = 0; node_is_list(list) && j < list->child_count; j++)
			*VEC_PUSH(arena, ret_paths) =
				path_resolve(arena, folder, node_text(&list->children[j]));
	}
}

static void note_patches(struct finder *finder, str folder, const struct node *root)
{
	static const char *const lists[] = { "patchesStrategicMerge", "patches",
		                             "patchesJson6902" };

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct node *list = node_get(root, lists[i]);

		for (uint32_t j = 0; node_is_list(list) && j < list->child_count; j++) {
			const struct node *entry = &list->children[j];
			/* Lenient readers take a bare path for the map that it should be. */
			const struct node *file = node_is_scalar(entry) ? entry
			                                                : node_get(entry, "path");
			str path = path_resolve(finder->arena, folder, node_text(file));

			if (path.n)
				map_put(finder->patches, path, finder);
		}
	}
}

static void find_kustomizations(struct finder *finder)
{
	for (size_t i = 0; i < finder->trees->n; i++) {
		struct tree *tree = finder->trees->v[i];
		str folder = source_folder(tree->source->path);
		struct strs members = { 0 };

		if (!model_knows(tree))
			continue;
		map_put(finder->by_folder, folder, tree->root);
		kustomization_members(finder->arena, folder, tree->root, &members);
		for (size_t j = 0; j < members.n; j++)
			if (members.v[j].n)
				map_put(finder->included, members.v[j], finder);
		note_patches(finder, folder, tree->root);
	}
}

/* Adds what a kustomization reaches to the build; the outermost namespace counts. */
static void reach(struct finder *finder, struct build *build, str folder, str *outer,
                  unsigned depth)
{
	const struct node *root = map_get(finder->by_folder, folder);
	const struct node *given = node_get(root, "namespace");
	struct strs members = { 0 };
	str *ns = outer;

	if (depth > BUILD_DEPTH || !root)
		return;
	if (!ns && node_known(given)) {
		ns = ARENA_NEW(finder->arena, str);
		*ns = node_text(given);
	}
	kustomization_members(finder->arena, folder, root, &members);
	for (size_t i = 0; i < members.n; i++) {
		str path = members.v[i];

		if (!path.n || map_has(build->files, path))
			continue;
		map_put(build->files, path, ns);
		reach(finder, build, path, ns, depth + 1);
	}
}

/* ---- labels ---------------------------------------------------------------------------- */

/* Does the kustomization write labels into selectors and pod templates? */
static bool gives_labels(const struct node *root)
{
	const struct node *list = node_get(root, "labels");

	if (node_is_map(node_get(root, "commonLabels")))
		return true;
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		bool selectors = false, templates = false;

		node_bool(node_get(&list->children[i], "includeSelectors"), &selectors);
		node_bool(node_get(&list->children[i], "includeTemplates"), &templates);
		if (selectors || templates)
			return true;
	}
	return false;
}

/* What validation finds missing or unequal, and such labels would mend. */
static bool is_about_labels(const struct fault *fault)
{
	static const char *const ends[] = { "spec.selector", "spec.template.labels",
		                            "spec.template.metadata.labels" };

	for (size_t i = 0; fault->kind == FAULT_INVALID && i < COUNT_OF(ends); i++)
		if (str_is(fault->c, ends[i]))
			return true;
	return false;
}

/* Files whose objects get labels in some build are not blamed for what the labels mend. */
static void forgive_labels(struct finder *finder)
{
	struct build labelled = { .files = map_new(finder->arena) };

	for (size_t i = 0; i < map_count(finder->by_folder); i++) {
		str folder;
		const struct node *root = map_at(finder->by_folder, i, &folder);

		if (gives_labels(root))
			reach(finder, &labelled, folder, NULL, 0);
	}
	for (size_t i = 0; i < finder->trees->n; i++) {
		struct faults *faults = &finder->trees->v[i]->faults;
		size_t kept = 0;

		if (!map_has(labelled.files, finder->trees->v[i]->source->path))
			continue;
		for (size_t j = 0; j < faults->n; j++)
			if (!is_about_labels(&faults->v[j]))
				faults->v[kept++] = faults->v[j];
		faults->n = kept;
	}
}

/* ---- patches --------------------------------------------------------------------------- */

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
	for (uint32_t i = 0; i < patch->child_count; i++) {
		bool found = false;

		for (uint32_t j = 0; j < target->child_count; j++)
			if (str_eq(target->children[j].key, patch->children[i].key)) {
				touch(&target->children[j], &patch->children[i], depth + 1);
				found = true;
			}
		/* It gains a field: what it lacks is not known. */
		target->unknown = target->unknown || !found;
	}
}

/* May a patch have changed what validation found? It may add what is missing; what stands
 * beside a touched field may have been judged together with it. */
static bool is_touched(const struct fault *fault)
{
	const struct node *around = fault->node ? fault->node->parent : NULL;

	if (fault->kind != FAULT_INVALID)
		return false;
	if (fault->missing || !fault->node || fault->node->unknown || !around)
		return true;
	for (uint32_t i = 0; i < around->child_count && i < JUDGED_TOGETHER; i++)
		if (around->children[i].unknown)
			return true;
	return around->child_count > JUDGED_TOGETHER;
}

static void forgive_touched(struct tree *tree)
{
	size_t kept = 0;

	for (size_t i = 0; i < tree->faults.n; i++)
		if (!is_touched(&tree->faults.v[i]))
			tree->faults.v[kept++] = tree->faults.v[i];
	tree->faults.n = kept;
}

/* ---- patches with a target ------------------------------------------------------------- */

/* The child that one piece of a JSON pointer names, or NULL. */
static struct node *step(struct node *node, str piece)
{
	int64_t index = -1;

	if (node->kind == NODE_LIST)
		return str_to_int64(piece, &index) && index >= 0 && index < node->child_count
		               ? &node->children[index]
		               : NULL;
	for (uint32_t i = 0; i < node->child_count; i++)
		if (str_eq(node->children[i].key, piece))
			return &node->children[i];
	return NULL;
}

/* Forgets what an operation of JSON Patch is about. `-` is the place after a list's end: that
 * list is no longer known. */
static void touch_pointer(struct arena *arena, struct node *node, str pointer)
{
	while (node && pointer.n && pointer.p[0] == '/') {
		struct buf piece = { .arena = arena };
		size_t i = 1;

		for (; i < pointer.n && pointer.p[i] != '/'; i++) {
			bool escaped = pointer.p[i] == '~' && i + 1 < pointer.n;

			if (escaped)
				i++;
			buf_char(&piece, !escaped              ? pointer.p[i]
			                 : pointer.p[i] == '1' ? '/'
			                                       : '~');
		}
		pointer = str_slice(pointer, i, pointer.n);
		if (node->kind != NODE_LIST || !str_is(buf_str(&piece), "-")) {
			struct node *around = node;

			node = step(node, buf_str(&piece));
			around->unknown = around->unknown || !node; /* gains a field */
		}
	}
	if (node)
		forget(node);
}

static void touch_object(struct arena *arena, struct tree *tree, const struct node *patch)
{
	const struct node *spec = node_get(patch, "spec");

	for (uint32_t i = 0; node_is_list(patch) && i < patch->child_count; i++)
		touch_pointer(arena, tree->root,
		              node_text(node_get(&patch->children[i], "path")));
	for (uint32_t i = 0; spec && i < tree->root->child_count; i++)
		if (str_is(tree->root->children[i].key, "spec"))
			touch(&tree->root->children[i], spec, 0);
	forgive_touched(tree);
}

/* A strategic-merge patch against every object of its kind and name. */
static void apply_patch(struct finder *finder, const struct tree *patch)
{
	const struct node *root = patch->root;
	str kind = node_text(node_get(root, "kind"));
	str name = node_text(node_at(root, "metadata.name"));

	for (size_t i = 0; node_get(root, "spec") && i < finder->trees->n; i++) {
		struct tree *tree = finder->trees->v[i];
		const struct node *other = tree->root;

		if (other && other->kind == NODE_MAP && other != root &&
		    str_eq(node_text(node_get(other, "kind")), kind) &&
		    str_eq(node_text(node_at(other, "metadata.name")), name))
			touch_object(finder->arena, tree, root);
	}
}

/* A patch against the objects of a build that its target, or else itself, names. */
static void aim_patch(struct finder *finder, const struct build *build, const struct node *patch,
                      const struct node *target)
{
	str kind = node_text(node_get(target ? target : patch, "kind"));
	str name = node_text(target ? node_get(target, "name") : node_at(patch, "metadata.name"));

	if (!target && (!kind.n || !name.n))
		return;
	for (size_t i = 0; patch && i < finder->trees->n; i++) {
		struct tree *tree = finder->trees->v[i];
		const struct node *root = tree->root;

		if (!root || root->kind != NODE_MAP || root == patch ||
		    !map_has(build->files, tree->source->path) ||
		    map_has(finder->patches, tree->source->path))
			continue;
		if (model_text_matches(finder->arena, kind, node_text(node_get(root, "kind"))) &&
		    model_text_matches(finder->arena, name,
		                       node_text(node_at(root, "metadata.name"))))
			touch_object(finder->arena, tree, patch);
	}
}

/* One entry of `patches`: its text stands in it, or in a file that names no object itself. */
static void aim_entry(struct finder *finder, const struct build *build, const struct tree *tree,
                      const struct node *entry)
{
	const struct node *target = node_get(entry, "target"), *text = node_get(entry, "patch");
	str path = path_resolve(finder->arena, source_folder(tree->source->path),
	                        node_text(node_get(entry, "path")));
	struct trees inside = { 0 };

	if (node_is_scalar(text))
		tree_parse_embedded(finder->arena, tree, text, &inside);
	for (size_t i = 0; target && path.n && i < finder->trees->n; i++)
		if (str_eq(finder->trees->v[i]->source->path, path))
			*VEC_PUSH(finder->arena, &inside) = finder->trees->v[i];
	for (size_t i = 0; i < inside.n; i++)
		aim_patch(finder, build, inside.v[i]->root, target);
}

static void aim_patches(struct finder *finder, const struct tree *tree)
{
	static const char *const lists[] = { "patches", "patchesJson6902" };
	struct build build = { .files = map_new(finder->arena) };
	bool reached = false;

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct node *list = node_get(tree->root, lists[i]);

		for (uint32_t j = 0; node_is_list(list) && j < list->child_count; j++) {
			if (!reached)
				reach(finder, &build, source_folder(tree->source->path), NULL, 0);
			reached = true;
			aim_entry(finder, &build, tree, &list->children[j]);
		}
	}
}

/* Patch documents are no whole objects. */
static void drop_patches(struct finder *finder, struct objects *objects)
{
	struct trees *trees = finder->trees;
	size_t kept = 0;

	for (size_t i = 0; i < trees->n; i++)
		if (map_has(finder->patches, trees->v[i]->source->path))
			apply_patch(finder, trees->v[i]);
	for (size_t i = 0; i < trees->n; i++)
		if (!map_has(finder->patches, trees->v[i]->source->path))
			trees->v[kept++] = trees->v[i];
	trees->n = kept;
	kept = 0;
	for (size_t i = 0; i < objects->n; i++)
		if (!map_has(finder->patches, objects->v[i]->tree->source->path))
			objects->v[kept++] = objects->v[i];
	objects->n = kept;
}

void model_read_kustomizations(struct arena *arena, struct trees *trees, struct objects *objects,
                               struct kustomize_builds *ret_builds)
{
	struct finder finder = {
		.arena = arena,
		.trees = trees,
		.by_folder = map_new(arena),
		.included = map_new(arena),
		.patches = map_new(arena),
	};

	find_kustomizations(&finder);
	for (size_t i = 0; i < map_count(finder.by_folder); i++) {
		struct build *build = ARENA_NEW(arena, struct build);

		map_at(finder.by_folder, i, &build->folder);
		if (map_has(finder.included, build->folder))
			continue;
		build->files = map_new(arena);
		reach(&finder, build, build->folder, NULL, 0);
		*VEC_PUSH(arena, ret_builds) = build;
	}
	forgive_labels(&finder);
	for (size_t i = 0; i < trees->n; i++)
		if (model_knows(trees->v[i]))
			aim_patches(&finder, trees->v[i]);
	if (map_count(finder.patches))
		drop_patches(&finder, objects);
}

/* Pod templates in custom kinds: at the places that a table names, else by their shape.
 *
 * The table was made by walking the kinds' CRDs, so it knows what multiplies the pods and where
 * the selector stands. A kind that nobody listed is still a workload when something in it looks
 * like a pod template: an unlisted operator's pods take room on the nodes like any others.
 * Nothing found by shape is ever checked, as nobody knows what its fields may be.
 */
#include "bind-rows.h"

#define SHAPE_DEPTH 12    /* maps and lists between the root and a template */
#define SHAPE_NODES 20000 /* looked at per object */
#define PODS_MAX 200      /* templates per object */

/* ---- paths ---------------------------------------------------------------------------- */

/* What stays the same while one row's path is followed. */
struct path_search {
	struct arena *arena;
	const struct pod_path_row *row;
	struct custom_pods *pods;
};

static struct node *child_named(struct node *node, str key)
{
	for (uint32_t i = 0; node && node->kind == NODE_MAP && i < node->child_count; i++)
		if (str_eq(node->children[i].key, key))
			return &node->children[i];
	return NULL;
}

/* Adds what lies at path: `a.b[].c`, `*` for every value of a map. As deep as the path. */
static void add_at(struct path_search *search, struct node *node, str path)
{
	str step, rest;
	bool all;

	if (!node_is_map(node) && !node_is_list(node))
		return;
	if (!path.n) {
		if (node_is_map(node) && search->pods->n < PODS_MAX)
			*VEC_PUSH(search->arena, search->pods) =
				(struct custom_pod){ node, search->row };
		return;
	}
	str_cut(path, '.', &step, &rest);
	all = str_is(step, "*");
	if (str_ends(step, STR("[]"))) {
		node = child_named(node, str_slice(step, 0, step.n - 2));
		all = true;
	}
	if (!all) {
		add_at(search, child_named(node, step), rest);
		return;
	}
	for (uint32_t i = 0; node && i < node->child_count; i++)
		add_at(search, &node->children[i], rest);
}

/* A pod spec's own fields that matter for placement. */
static bool has_placement(const struct node *spec)
{
	static const char *const fields[] = { "containers", "nodeSelector", "affinity",
		                              "tolerations", "resources", "initContainers" };

	for (size_t i = 0; i < COUNT_OF(fields); i++)
		if (node_get(spec, fields[i]))
			return true;
	return false;
}

/* A pod spec among other fields of the kind counts when something of a pod is there. */
static void drop_empty(struct custom_pods *pods, size_t from)
{
	size_t kept = from;

	for (size_t i = from; i < pods->n; i++)
		if (has_placement(pods->v[i].node) ||
		    has_placement(node_get(pods->v[i].node, "spec")))
			pods->v[kept++] = pods->v[i];
	pods->n = kept;
}

static void find_by_path(struct arena *arena, const struct object *object, struct node *root,
                         struct custom_pods *pods)
{
	size_t count;
	const struct pod_path_row *rows = pod_path_rows_all(&count);

	for (size_t i = 0; i < count; i++) {
		struct path_search search = { arena, &rows[i], pods };
		size_t before = pods->n;

		if (!rows[i].path.n ||
		    !pod_path_serves(&rows[i], object->group, object->version, object->kind))
			continue;
		add_at(&search, root, rows[i].path);
		drop_empty(pods, before);
	}
}

/* ---- shape ---------------------------------------------------------------------------- */

/* nodes: looked at so far, so that a huge document costs no more than a large one. */
struct shape_search {
	struct arena *arena;
	struct custom_pods *pods;
	size_t nodes;
};

/* spec.containers is a list of maps with a name or an image. */
static bool looks_like_template(const struct node *node)
{
	const struct node *containers = node_at(node, "spec.containers");
	const struct node *first = node_is_list(containers) && containers->child_count
	                                   ? &containers->children[0] : NULL;

	return node_is_map(first) && (node_get(first, "image") || node_get(first, "name"));
}

/* Keys below which lies no part of the object's own pods. */
static bool is_foreign(const struct node *node)
{
	static const char *const keys[] = { "status", "values", "valuesObject", "properties",
		                            "data", "metadata" };

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (str_is(node->key, keys[i]))
			return true;
	/* a whole object of its own */
	return node_get(node, "apiVersion") && node_get(node, "kind");
}

static void find_by_shape(struct shape_search *search, struct node *node, size_t depth)
{
	for (uint32_t i = 0; i < node->child_count && search->pods->n < PODS_MAX; i++) {
		struct node *child = &node->children[i];

		if (child->kind == NODE_SCALAR || search->nodes++ >= SHAPE_NODES ||
		    depth >= SHAPE_DEPTH || is_foreign(child))
			continue;
		if (looks_like_template(child))
			*VEC_PUSH(search->arena, search->pods) = (struct custom_pod){ child, NULL };
		else
			find_by_shape(search, child, depth + 1);
	}
}

void custom_find(struct arena *arena, const struct object *object, struct node *root,
                 struct custom_pods *ret_pods)
{
	struct shape_search search = { arena, ret_pods, 0 };

	find_by_path(arena, object, root, ret_pods);
	if (!ret_pods->n && root->kind == NODE_MAP)
		find_by_shape(&search, root, 0);
}

/* ---- check ---------------------------------------------------------------------------- */

void custom_check(const struct checker *checker, const struct custom_pods *pods)
{
	const struct schema_type *template = schema_type_named("core/v1.PodTemplateSpec");

	for (size_t i = 0; i < pods->n; i++) {
		const struct pod_path_row *row = pods->v[i].row;

		/* rows of common knowledge may be wrong about the place */
		if (row && str_is(row->form, "template") && !str_starts(row->source, STR("common")))
			check_object(checker, pods->v[i].node, template);
	}
}

/* ---- bind ----------------------------------------------------------------------------- */

/* The child of a list or map that the template lies in. */
static const struct node *child_around(const struct node *node, const struct node *template)
{
	while (node && template && template->parent != node)
		template = template->parent;
	return node ? template : NULL;
}

/* The value at path in the list items that the template lies in. */
static const struct node *beside(const struct node *root, str path, const struct node *template)
{
	const struct node *node = root;
	str step;

	while (node && str_next(&path, '.', &step)) {
		bool item = str_ends(step, STR("[]"));
		const struct node *next = NULL;

		for (uint32_t i = 0; node_is_map(node) && i < node->child_count; i++)
			if (str_eq(node->children[i].key,
			           item ? str_slice(step, 0, step.n - 2) : step))
				next = &node->children[i];
		if (str_is(step, "*"))
			next = child_around(node, template);
		node = item ? child_around(next, template) : next;
	}
	return node;
}

/* Bounds of an autoscaler and the completions of a Job are no factors. */
static bool is_factor(str path)
{
	str name = str_slice(path, str_find_last(path, '.') + 1, path.n);

	return !str_starts(name, STR("min")) && !str_starts(name, STR("max")) &&
	       !str_is(name, "completions");
}

/* The product of the paths that multiply the pods; the node is the first of them, or one that
 * is not known. */
static struct number product_of(const struct binder *binder, const struct object *object,
                                str paths, const struct node *template)
{
	struct number product = { 0 };
	str path, note;

	while (str_next(&paths, ',', &path)) {
		struct number factor;

		str_cut(path, ' ', &path, &note);
		if (!str_starts(path, STR("spec")) || !is_factor(path))
			continue;
		factor = bind_number(binder, beside(object->root, path, template));
		if (!factor.node)
			continue;
		product.value = product.node ? int64_mul_saturated(product.value, factor.value)
		                             : factor.value;
		if (!product.node || factor.node->unknown)
			product.node = factor.node;
	}
	return product;
}

static void bind_selector(const struct binder *binder, const struct node *node,
                          struct label_selector *selector)
{
	if (node_get(node, "matchLabels") || node_get(node, "matchExpressions") ||
	    (node_is_map(node) && !node->child_count)) {
		bind_map(binder, node, &bind_label_selector, selector);
	} else if (node_is_map(node)) { /* a plain map */
		selector->node = node;
		bind_pairs(binder, node, &selector->match_labels);
	}
}

static void bind_by_path(const struct binder *binder, const struct object *object,
                         const struct custom_pod *pod, struct workload_spec *workload)
{
	str selector, rest;

	str_cut(pod->row->selector, ',', &selector, &rest);
	str_cut(selector, ' ', &selector, &rest);
	workload->replicas = product_of(binder, object, pod->row->replicas, pod->node);
	if (selector.n)
		bind_selector(binder, beside(object->root, selector, pod->node),
		              &workload->selector);
}

/* What stands beside the template, as in a Deployment. */
static void bind_by_shape(const struct binder *binder, const struct custom_pod *pod,
                          struct workload_spec *workload)
{
	const struct node *around = pod->node->parent;

	workload->replicas = bind_number(binder, node_get(around, "replicas"));
	bind_selector(binder, node_get(around, "selector"), &workload->selector);
}

static void bind_one(const struct binder *binder, const struct object *object,
                     const struct custom_pod *pod, struct workload_spec *workload)
{
	bool bare = pod->row && (str_is(pod->row->form, "podspec") ||
	                         str_is(pod->row->form, "partial"));

	workload->spec = pod->node->parent;
	if (bare) {
		workload->pod.node = pod->node;
		workload->pod.spec = pod->node;
		bind_map(binder, pod->node, &bind_pod_spec, &workload->pod);
	} else {
		bind_pod(binder, pod->node, &workload->pod);
	}
	if (pod->row)
		bind_by_path(binder, object, pod, workload);
	else
		bind_by_shape(binder, pod, workload);
}

void custom_bind(const struct binder *binder, struct object *object, const struct custom_pods *pods)
{
	struct workload_spec *last = NULL;

	for (size_t i = 0; i < pods->n; i++) {
		struct workload_spec *workload = ARENA_NEW(binder->arena, struct workload_spec);

		bind_one(binder, object, &pods->v[i], workload);
		if (last)
			last->more = workload;
		else
			object->workload = workload;
		last = workload;
	}
	if (last)
		object->class = OBJECT_CUSTOM_WORKLOAD;
}

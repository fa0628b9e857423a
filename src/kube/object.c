/* kube_bind: which objects a document holds, and everything that is done to each.
 *
 * Order matters: fields are checked first, as a value that the API cannot decode is marked
 * unknown there; then the structs are filled from what is left; validation comes last and sees
 * both. A document that is a template as a whole is bound only: whatever is odd about it may be
 * the template's doing.
 */
#include "kube-internal.h"

#define LIST_DEPTH 8 /* Lists in Lists */

/* What binding one document takes. */
struct binding {
	struct tree *tree;
	const struct kube_options *options;
	struct objects *objects;
	bool quiet; /* the document is a template: bound, not judged */
	struct check_state *state;
};

/* ---- metadata ------------------------------------------------------------------------- */

static void bind_metadata(const struct binder *binder, struct object *object)
{
	const struct node *metadata = node_get(object->root, "metadata");
	const struct node *labels = node_get(metadata, "labels");
	const struct node *annotations = node_get(metadata, "annotations");

	object->name = bind_text(node_get(metadata, "name"));
	object->generate_name = bind_text(node_get(metadata, "generateName"));
	if (!object->cluster_scoped)
		object->namespace = bind_text(node_get(metadata, "namespace"));
	if (!node_is_null(labels))
		bind_pairs(binder, labels, &object->labels);
	if (!node_is_null(annotations))
		bind_pairs(binder, annotations, &object->annotations);
}

/* ---- one object ----------------------------------------------------------------------- */

/* A kind without a type is in no table and is taken as it is. */
static void check_fields(const struct checker *checker, struct node *root,
                         const struct schema_kind *kind)
{
	const struct schema_type *type = kind ? schema_type(kind->type) : NULL;

	if (type)
		check_object(checker, root, type);
}

/* Only for kinds that are in no list of a version. */
static void check_served(const struct binding *binding, const struct object *object)
{
	str message = kind_not_served(binding->tree->arena, object->api_version, object->kind);
	const struct node *place = node_get(object->root, "apiVersion");

	if (message.n)
		tree_add_fault(binding->tree, FAULT_NOT_SERVED, place ? place : object->root)->a =
			message;
}

/* The struct of the object's class; kinds of other projects may turn out to carry pods. */
static void bind_class(const struct binder *binder, struct object *object,
                       const struct custom_pods *pods)
{
	if ((object->class >= OBJECT_POD && object->class <= OBJECT_CRON_JOB) ||
	    object->class == OBJECT_SCALED_JOB)
		bind_workload(binder, object);
	else if (object->class == OBJECT_HPA)
		bind_hpa(binder, object);
	else if (object->class == OBJECT_OTHER)
		custom_bind(binder, object, pods);
	else
		bind_simple(binder, object);
}

/* A kind of another project: in none of Kubernetes' own groups. */
static bool is_custom(const struct object *object, const struct schema_kind *kind)
{
	struct api_life life;

	if (kind)
		return kind->scope == SCOPE_CUSTOM;
	return !kube_api_life(object->api_version, object->kind, &life);
}

static void judge_and_bind(const struct binding *binding, struct object *object,
                           struct node *root, const struct schema_kind *kind)
{
	bool custom = is_custom(object, kind);
	struct binder binder = { .arena = binding->tree->arena };
	struct custom_pods pods = { 0 };
	struct checker checker = {
		.tree = binding->tree,
		.root = root,
		.target = binding->options->target.major ? binding->options->target.minor
		                                         : kube_newest().minor,
		.custom = custom,
		.state = binding->state,
	};

	object->modelled = kind && kind->type != SCHEMA_NONE;
	if (custom && object->class == OBJECT_OTHER)
		custom_find(binder.arena, object, root, &pods);
	checker.unbound = custom && object->class == OBJECT_OTHER && !pods.n;
	if (!binding->quiet) {
		if (!kind)
			check_served(binding, object);
		check_fields(&checker, root, kind);
		if (!object->modelled)
			custom_check(&checker, &pods);
	}
	bind_metadata(&binder, object);
	bind_class(&binder, object, &pods);
	if (!binding->quiet && object->modelled && !custom)
		kube_validate(object, binding->options);
}

static void bind_object(const struct binding *binding, struct node *root, str api_version,
                        str kind)
{
	struct object *object = ARENA_NEW(binding->tree->arena, struct object);
	const struct schema_kind *row = schema_kind(api_version, kind);

	object->tree = binding->tree;
	object->root = root;
	object->api_version = api_version;
	object->kind = kind;
	api_version_split(api_version, &object->group, &object->version);
	object->class = kind_class(object->group, kind);
	object->cluster_scoped = kind_is_cluster_scoped(row, object->group, kind);
	judge_and_bind(binding, object, root, row);
	*VEC_PUSH(binding->tree->arena, binding->objects) = object;
}

/* ---- documents ------------------------------------------------------------------------ */

/* The text of a key that must be a known string. */
static str text_of(const struct node *root, const char *key)
{
	const struct node *node = node_get(root, key);

	return node && node->unknown ? (str){ 0 } : node_text(node);
}

/* A Prometheus rule file: no object, `groups` of rules at the top. */
static bool is_rule_file(const struct node *root)
{
	const struct node *groups = node_get(root, "groups");
	const struct node *first = node_is_list(groups) && groups->child_count
	                                   ? &groups->children[0] : NULL;

	return !node_get(root, "apiVersion") && !node_get(root, "kind") &&
	       node_get(first, "name") && node_is_list(node_get(first, "rules"));
}

/* It has no name and no kind; only its groups count. */
static void bind_rule_file(const struct binding *binding, struct node *root)
{
	struct binder binder = { .arena = binding->tree->arena };
	struct object *object = ARENA_NEW(binder.arena, struct object);

	object->tree = binding->tree;
	object->root = root;
	object->class = OBJECT_PROMETHEUS_RULE;
	bind_simple(&binder, object);
	*VEC_PUSH(binder.arena, binding->objects) = object;
}

static void bind_any(const struct binding *binding, struct node *root, str list_version,
                     str list_kind, size_t depth);

/* Items of a typed list may leave out what the list says. */
static void bind_items(const struct binding *binding, const struct node *items, str api_version,
                       str kind, size_t depth)
{
	str item = str_is(kind, "List") ? (str){ 0 } : str_slice(kind, 0, kind.n - 4);

	for (uint32_t i = 0; i < items->child_count; i++)
		bind_any(binding, &items->children[i], item.n ? api_version : item, item,
		         depth + 1);
}

static void bind_any(const struct binding *binding, struct node *root, str list_version,
                     str list_kind, size_t depth)
{
	str api_version = text_of(root, "apiVersion"), kind = text_of(root, "kind");
	const struct node *items = node_get(root, "items");

	if (!node_is_map(root) || depth > LIST_DEPTH)
		return;
	if (!node_get(root, "apiVersion") && !node_get(root, "kind")) {
		api_version = list_version;
		kind = list_kind;
	}
	if (!depth && is_rule_file(root))
		bind_rule_file(binding, root);
	else if (!api_version.n || !kind.n)
		return;
	else if (str_ends(kind, STR("List")) && node_is_list(items))
		bind_items(binding, items, api_version, kind, depth);
	else
		bind_object(binding, root, api_version, kind);
}

/* The document as a whole is a template: its fault names no node. */
static bool is_template(const struct tree *tree)
{
	for (size_t i = 0; i < tree->faults.n; i++)
		if (tree->faults.v[i].kind == FAULT_TEMPLATE && !tree->faults.v[i].node)
			return true;
	return false;
}

void kube_bind(struct tree *tree, const struct kube_options *options, struct objects *ret_objects)
{
	struct check_state state = { 0 };
	struct binding binding = { tree, options, ret_objects, is_template(tree), &state };

	if (tree->root)
		bind_any(&binding, tree->root, (str){ 0 }, (str){ 0 }, 0);
}

str object_text(struct arena *arena, const struct object *object, str ns)
{
	str group = object->group.n ? object->group : object->version;
	str name = object->name.s.n ? object->name.s : object->generate_name.s;

	if (object->cluster_scoped)
		ns = (str){ 0 };
	return str_format(arena, "%.*s/%.*s/%.*s%s%.*s", STR_ARG(group), STR_ARG(object->kind),
	                  STR_ARG(ns), ns.n ? "/" : "", STR_ARG(name));
}

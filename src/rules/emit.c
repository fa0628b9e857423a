/* How a finding is made: object, path, place and the keys that triage needs. */
#include "rules-internal.h"

struct object_ref object_ref_of(const struct scope *scope, const struct object *object)
{
	if (!object)
		return (struct object_ref){ 0 };
	return (struct object_ref){
		.api_version = object->api_version,
		.kind = object->kind,
		.namespace = object_namespace(scope, object),
		.name = object->name.node ? object->name.s : object->generate_name.s,
	};
}

/* Is the group the only one that its document's object declares? */
static bool group_is_object(const struct group *group)
{
	return group->node && !group->node->parent && group->object_kind.n > 0 &&
	       str_eq(group->object_name, group->name);
}

struct object_ref group_ref_of(const struct scope *scope, const struct group *group)
{
	(void)scope;
	if (!group_is_object(group))
		return (struct object_ref){
			.api_version = STR("kubelint.dev/v1"),
			.kind = STR("NodeGroup"),
			.name = group->name,
		};
	return (struct object_ref){
		.api_version = group->object_api_version,
		.kind = group->object_kind,
		.namespace = group->object_namespace,
		.name = group->object_name,
	};
}

/* The path of a node with the items' names in place of list indexes, so that an item put in
 * front of it changes nothing. The steps come from the leaf up. */
static str anchor_of(struct arena *arena, const struct node *node, const char *missing)
{
	struct strs steps = { 0 };
	struct buf buf = { .arena = arena };

	for (; node && node->parent; node = node->parent) {
		str step = node->key;
		/* Only items are asked for a name: a map with a finding for each of its many
		 * entries would else be searched for each of them. */
		if (node->parent->kind == NODE_LIST) {
			str name = node_text(node_get(node, "name"));
			step = name.n > 0 ? str_format(arena, "[%.*s]", STR_ARG(name))
			                  : str_format(arena, "[%u]", node->index);
		}
		*VEC_PUSH(arena, &steps) = step;
	}
	while (steps.n-- > 0) {
		buf_add(&buf, steps.v[steps.n]);
		buf_char(&buf, '/');
	}
	buf_add(&buf, str_of(missing));
	return buf_str(&buf);
}

/* Where it is said; a node that stands in no file (a rendered default) has its object's place. */
static struct span place_of(const struct node *node, const struct node *root,
                            const struct tree *tree)
{
	struct span span = node_place(node);

	if (span.file == 0)
		span = node_place(root);
	if (span.file == 0 && tree)
		span = (struct span){ tree->source->id, tree->document->begin,
			              tree->document->begin };
	return span;
}

static void locate(const struct judge *judge, struct finding *finding, const struct node *below,
                   const struct node *node, const char *missing)
{
	struct arena *arena = JUDGE_ARENA(judge);

	finding->cluster = judge->scope->cluster;
	finding->scope = judge->scope;
	finding->path = node_path(arena, below, node, missing);
	finding->anchor = anchor_of(arena, node, missing);
	finding->value = node;
	finding->missing = missing;
	finding->salient = missing ? STR("") : node_text(node);
}

struct finding *emit_at(const struct judge *judge, enum level level, const struct object *object,
                        const struct node *node, const char *missing)
{
	const struct node *at = node ? node : object->root;
	struct span span = place_of(at, object->root, object->tree);
	struct finding *finding = sink_add(judge->sink, judge->rule, level, span);

	finding->object = object_ref_of(judge->scope, object);
	finding->owner = object;
	locate(judge, finding, object->root, at, missing);
	return finding;
}

struct finding *emit_group(const struct judge *judge, enum level level,
                           const struct group *group, const struct node *node,
                           const char *missing)
{
	const struct node *at = node ? node : group->node;
	/* A group in a list has no key of its own: its name is where it begins. */
	const struct node *name = at == group->node ? node_get(at, "name") : NULL;
	struct span span = place_of(name ? name : at, group->node, group->tree);
	struct finding *finding = sink_add(judge->sink, judge->rule, level, span);

	finding->object = group_ref_of(judge->scope, group);
	finding->owner = group;
	locate(judge, finding, NULL, at, missing);
	return finding;
}

/* Roots of objects are told apart by their address. */
static str node_key(const struct node *const *node)
{
	return (str){ (const char *)node, sizeof *node };
}

const struct object *object_at(const struct judge *judge, const struct node *node)
{
	const struct object *object = NULL;

	for (; node && !object; node = node->parent)
		object = map_get(judge->roots, node_key(&node));
	return object;
}

const struct map *object_roots(struct arena *arena, const struct scope *scope)
{
	struct map *roots = map_new(arena);

	for (size_t i = 0; i < scope->objects.n; i++) {
		struct object *object = scope->objects.v[i];
		map_put(roots, node_key(&object->root), object);
	}
	return roots;
}

bool node_is_of(const struct node *node, const struct object *object)
{
	while (node && node != object->root)
		node = node->parent;
	return node;
}

struct finding *emit_fault(const struct judge *judge, enum level level, const struct tree *tree,
                           const struct fault *fault)
{
	const struct object *object = object_at(judge, fault->node);
	struct finding *finding = sink_add(judge->sink, judge->rule, level, fault->span);

	finding->object = object_ref_of(judge->scope, object);
	finding->owner = object;
	locate(judge, finding, object ? object->root : NULL, fault->node, fault->missing);
	if (!fault->node)
		finding->anchor = str_format(JUDGE_ARENA(judge), "%.*s",
		                             STR_ARG(tree->source->path));
	return finding;
}

void emit_undecided(const struct judge *judge, const struct object *object, str missing)
{
	sink_undecided(judge->sink, judge->rule, object_ref_of(judge->scope, object),
	               place_of(object->root, object->root, object->tree), missing);
}

void emit_fix(const struct judge *judge, struct finding *finding, bool safe,
              const struct node *scalar, str text, const char *description)
{
	if (!scalar || scalar->aliased || scalar->merged || scalar->unknown ||
	    scalar->kind != NODE_SCALAR || scalar->span.file == 0)
		return;
	finding_fix(judge->sink, finding, safe, description,
	            (struct edit){ .span = scalar->span, .text = text });
}

/* The walker that holds an object against the API types. What Go's JSON decoder refuses is a
 * fault, what it takes is none: null anywhere, 3.0 and 1e3 as integers, any key order.
 *
 * Depth is that of the tree, which is bounded (TREE_MAX_DEPTH). Values of enums, required
 * fields and forms of names are left to validation, which knows the defaults; texts in base64
 * and times are not looked into, as no rule reads them. Held against tests/vectors:
 * validation.jsonl (undecodable, notServed, strictErrors).
 */
#include "kube-internal.h"

static void check_map(const struct checker *checker, struct node *node, const struct frame *frame);

/* ---- words ---------------------------------------------------------------------------- */

static const char *const wanted_words[] = {
	[VALUE_STRING] = "a string",      [VALUE_INT32] = "an integer",
	[VALUE_INT64] = "an integer",     [VALUE_BOOL] = "true or false",
	[VALUE_FLOAT] = "a number",       [VALUE_QUANTITY] = "a quantity",
	[VALUE_INT_OR_STRING] = "an integer or a string",
	[VALUE_TIME] = "a time",          [VALUE_MICROTIME] = "a time",
	[VALUE_DURATION] = "a duration",  [VALUE_BYTES] = "base64 text",
	[VALUE_ANY] = "anything",         [VALUE_EMPTY] = "a map",
	[VALUE_OBJECT] = "a map",
};

static const char *const type_words[] = {
	[SCALAR_NULL] = "null", [SCALAR_BOOL] = "bool", [SCALAR_INT] = "int",
	[SCALAR_FLOAT] = "float", [SCALAR_STRING] = "string",
};

static str node_words(struct arena *arena, const struct node *node)
{
	if (node->kind != NODE_SCALAR)
		return node->kind == NODE_MAP ? STR("a map") : STR("a list");
	if (node->type == SCALAR_STRING)
		return str_format(arena, "the string \"%.*s\"", STR_ARG(node->text));
	return str_format(arena, "the %s %.*s", type_words[node->type], STR_ARG(node->text));
}

/* "replicas", or "an item of args". */
static str place_words(struct arena *arena, const struct node *node)
{
	if (!node->parent || node->parent->kind == NODE_MAP)
		return node->key;
	return str_format(arena, "an item of %.*s", STR_ARG(node->parent->key));
}

/* ---- faults --------------------------------------------------------------------------- */

/* Custom kinds are held to their own types only where these are Kubernetes' types. */
static bool is_lenient(const struct checker *checker, const struct frame *frame)
{
	return checker->custom && frame->type->custom;
}

static void undecodable(const struct checker *checker, const struct frame *frame,
                        struct node *node, const char *wanted)
{
	struct arena *arena = checker->tree->arena;
	str place = place_words(arena, node), got = node_words(arena, node);
	struct fault *fault;

	node->unknown = !checker->unbound || !is_lenient(checker, frame);
	if (is_lenient(checker, frame))
		return;
	fault = tree_add_fault(checker->tree, FAULT_UNDECODABLE, node);
	fault->a = str_format(arena, "%.*s wants %s, not %.*s", STR_ARG(place), wanted,
	                      STR_ARG(got));
}

/* Its text says enough: the wanted form is well known, the suffix is what is wrong. */
static void no_quantity(const struct checker *checker, const struct frame *frame, struct node *node)
{
	struct fault *fault;

	node->unknown = !checker->unbound || !is_lenient(checker, frame);
	if (is_lenient(checker, frame))
		return;
	fault = tree_add_fault(checker->tree, FAULT_UNDECODABLE, node);
	fault->a = str_format(checker->tree->arena, "\"%.*s\" is no quantity",
	                      STR_ARG(node->text));
}

/* ---- templates ------------------------------------------------------------------------ */

/* Fields whose values decide something: names, labels, selectors, tolerations, counts,
 * quantities, references. In any other field a template is ordinary text. */
static const char *const deciding_fields[] = {
	"claimName", "completions", "effect", "key", "kind", "labels", "limits", "matchLabels",
	"maxReplicaCount", "maxReplicas", "minAvailable", "minReplicaCount", "minReplicas", "name",
	"namespace", "nodeName", "nodeSelector", "operator", "parallelism", "priorityClassName",
	"replicas", "requests", "runtimeClassName", "selector", "serviceAccountName",
	"storageClassName", "topologyKey", "value", "values", "volumeName",
};

static bool field_decides(const struct frame *frame, const struct schema_field *field)
{
	if (str_ends(frame->type->name, STR(".EnvVar")))
		return false;
	for (size_t i = 0; i < COUNT_OF(deciding_fields); i++)
		if (str_is(field->name, deciding_fields[i]))
			return true;
	return false;
}

/* A text that a template or a shell would fill in. */
static void note_template(const struct checker *checker, const struct frame *frame,
                          const struct node *node, const struct schema_field *field)
{
	if (checker->state->template_told || node->kind != NODE_SCALAR ||
	    node->type != SCALAR_STRING || !field_decides(frame, field))
		return;
	checker->state->template_told = true;
	tree_add_fault(checker->tree, FAULT_TEMPLATE, node)->a = node->text;
}

/* ---- scalars -------------------------------------------------------------------------- */

/* A plain scalar of another type goes on as its source text (KL007), so it is no mistake of
 * decoding here. */
static void check_string(const struct checker *checker, const struct frame *frame,
                         struct node *node)
{
	if (node->kind != NODE_SCALAR) {
		undecodable(checker, frame, node, "a string");
		return;
	}
	if (node->type != SCALAR_STRING)
		tree_add_fault(checker->tree, FAULT_STRING_WANTED, node)->a =
			str_of(type_words[node->type]);
}

static void check_integer(const struct checker *checker, const struct frame *frame,
                          struct node *node, enum schema_value value)
{
	bool number = node->kind == NODE_SCALAR &&
	              (node->type == SCALAR_INT || node->type == SCALAR_FLOAT);
	int64_t integer;

	if (!number || !str_to_int64(node_json_text(checker->tree->arena, node), &integer))
		undecodable(checker, frame, node, wanted_words[value]);
	else if (value != VALUE_INT64 && (integer < INT32_MIN || integer > INT32_MAX))
		undecodable(checker, frame, node, "a 32-bit integer");
}

/* A number is taken by its JSON text, as YAML libraries hand it on. */
static void check_quantity(const struct checker *checker, const struct frame *frame,
                           struct node *node)
{
	struct quantity quantity;

	if (node->kind != NODE_SCALAR || node->type == SCALAR_BOOL)
		undecodable(checker, frame, node, "a quantity");
	else if (!quantity_parse(node_json_text(checker->tree->arena, node), &quantity))
		no_quantity(checker, frame, node);
}

static void check_scalar(const struct checker *checker, const struct frame *frame,
                         struct node *node, enum schema_value value)
{
	bool string = node->kind == NODE_SCALAR && node->type == SCALAR_STRING;
	int64_t nanoseconds;

	switch (value) {
	case VALUE_INT_OR_STRING:
		if (string)
			return;
		/* fall through */
	case VALUE_INT32:
	case VALUE_INT64:
		check_integer(checker, frame, node, value);
		break;
	case VALUE_BOOL:
		if (node->kind != NODE_SCALAR || node->type != SCALAR_BOOL)
			undecodable(checker, frame, node, wanted_words[value]);
		break;
	case VALUE_FLOAT:
		if (node->kind != NODE_SCALAR ||
		    (node->type != SCALAR_INT && node->type != SCALAR_FLOAT))
			undecodable(checker, frame, node, wanted_words[value]);
		break;
	case VALUE_DURATION:
		if (!string || !duration_parse(node->text, &nanoseconds))
			undecodable(checker, frame, node, wanted_words[value]);
		break;
	case VALUE_QUANTITY:
		check_quantity(checker, frame, node);
		break;
	default: /* strings, times and bytes: texts whose form nobody here reads */
		check_string(checker, frame, node);
		break;
	}
}

/* ---- values --------------------------------------------------------------------------- */

/* A value by itself: a field, an item of a list, a value of a map. */
static void check_one(const struct checker *checker, const struct frame *frame, struct node *node,
                      const struct schema_field *field)
{
	struct frame inner = { .outer = frame, .node = node, .dated = frame->dated };

	if (node->unknown)
		note_template(checker, frame, node, field);
	if (node->unknown || field->value == VALUE_ANY || node_is_null(node))
		return;
	if (field->value != VALUE_OBJECT && field->value != VALUE_EMPTY) {
		check_scalar(checker, frame, node, field->value);
		return;
	}
	if (!node_is_map(node)) {
		undecodable(checker, frame, node, wanted_words[field->value]);
		return;
	}
	inner.type = schema_type(field->type);
	inner.former = schema_type(field->former);
	if (inner.type)
		check_map(checker, node, &inner);
}

/* A CRD's schema drops or refuses null on its own terms. */
static void null_string(const struct checker *checker, struct node *node)
{
	if (!checker->custom)
		tree_add_fault(checker->tree, FAULT_NULL_STRING, node);
}

/* Maps and lists in a map of strings are most often fields that slipped one level down. */
static void check_items(const struct checker *checker, const struct frame *frame,
                        struct node *node, const struct schema_field *field)
{
	for (uint32_t i = 0; i < node->child_count; i++) {
		struct node *item = &node->children[i];
		bool texts = field->value == VALUE_STRING && field->shape == SHAPE_MAP;

		if (field->value == VALUE_STRING && node_is_null(item) && !item->unknown)
			null_string(checker, item);
		else if (texts && item->kind != NODE_SCALAR && !item->unknown && !checker->custom &&
		         fields_judge_entry(checker, frame, item))
			item->unknown = true;
		else
			check_one(checker, frame, item, field);
	}
}

static void check_value(const struct checker *checker, const struct frame *frame,
                        struct node *node, const struct schema_field *field)
{
	if (node_is_null(node) || field->value == VALUE_ANY)
		return;
	if (field->shape == SHAPE_ONE || node->unknown)
		check_one(checker, frame, node, field);
	else if (node->kind != (field->shape == SHAPE_LIST ? NODE_LIST : NODE_MAP))
		undecodable(checker, frame, node, field->shape == SHAPE_LIST ? "a list" : "a map");
	else
		check_items(checker, frame, node, field);
}

/* ---- maps ----------------------------------------------------------------------------- */

/* A fault when the target version lacks the field; true when it does. A field that went with
 * its whole type is the matter of the API version. */
static bool check_version(const struct checker *checker, const struct frame *frame,
                          const struct node *node, const struct schema_field *field)
{
	bool early = field->since > checker->target;
	bool late = field->removed && field->removed <= checker->target;
	struct fault *fault;

	if ((!early && !late) || frame->dated || checker->custom || node->unknown)
		return false;
	fault = tree_add_fault(checker->tree, FAULT_VERSION_FIELD, node);
	fault->a = node->key;
	fault->b = str_format(checker->tree->arena, early ? "since 1.%d" : "removed in 1.%d",
	                      early ? field->since : field->removed);
	return true;
}

/* Directives of strategic merge patches, legal in any map of a patch. */
static bool is_patch_key(str key)
{
	return str_is(key, "$patch") || str_is(key, "$retainKeys") ||
	       str_starts(key, STR("$setElementOrder/")) ||
	       str_starts(key, STR("$deleteFromPrimitiveList/"));
}

/* Nobody judges what a controller writes. */
static bool is_status(const struct schema_field *field, str key)
{
	return str_eq(key, STR("status")) && (!field || field->value == VALUE_OBJECT);
}

static void check_key(const struct checker *checker, const struct frame *frame, struct node *child)
{
	const struct schema_field *field = schema_field(frame->type, child->key);
	struct frame inner = *frame;

	if (is_status(field, child->key))
		return;
	if (field) {
		inner.dated = check_version(checker, frame, child, field) || frame->dated;
		check_value(checker, &inner, child, field);
	} else if (!child->unknown && !is_patch_key(child->key) &&
	           !(frame->former && schema_field(frame->former, child->key))) {
		fields_judge_key(checker, frame, child);
	}
}

static void check_map(const struct checker *checker, struct node *node, const struct frame *frame)
{
	for (uint32_t i = 0; i < node->child_count; i++)
		check_key(checker, frame, &node->children[i]);
}

void check_object(const struct checker *checker, struct node *node, const struct schema_type *type)
{
	struct frame frame = { .node = node, .type = type };

	if (!node_is_map(node) || node->unknown)
		return;
	frame.dated = type->since > checker->target ||
	              (type->removed && type->removed <= checker->target);
	check_map(checker, node, &frame);
}

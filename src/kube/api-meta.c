/* Metadata and label selectors. Upstream: apimachinery pkg/api/validation (objectmeta),
 * pkg/apis/meta/v1/validation. */
#include "api-pod.h"

#define ANNOTATION_BYTES (256 * 1024) /* of all annotations together */

static bool is_name(str text, enum api_name name)
{
	if (name == API_NAME_LABEL)
		return name_is_dns_label(text);
	return name == API_NAME_SEGMENT ? api_is_path_segment(text) : name_is_dns_subdomain(text);
}

static const char *const name_words[] = {
	[API_NAME_SUBDOMAIN] = "of parts of a-z, 0-9 and inner dashes, joined by dots",
	[API_NAME_GIVEN] = "of parts of a-z, 0-9 and inner dashes, joined by dots",
	[API_NAME_LABEL] = "of at most 63 of a-z, 0-9 and inner dashes",
	[API_NAME_SEGMENT] = "without / and %",
};

str api_mask_dash(struct arena *arena, str text)
{
	if (text.n < 2 || text.p[text.n - 1] != '-')
		return text;
	return str_format(arena, "%.*sa", STR_ARG(str_slice(text, 0, text.n - 2)));
}

/* A prefix that is a segment of a path may be "..", as more comes behind it. */
static bool is_prefix(const struct api_check *check, str text, enum api_name kind)
{
	if (kind == API_NAME_SEGMENT)
		return str_find(text, '/') == text.n && str_find(text, '%') == text.n;
	return is_name(api_mask_dash(check->tree->arena, text), kind);
}

#define PREFIX_BYTES 58 /* that are kept; five random ones come behind them */

static void check_name(const struct api_check *check, const struct api_place *meta,
                       enum api_name kind)
{
	struct api_place name = api_field(meta, "name");
	struct api_place prefix = api_field(meta, "generateName");
	str text = api_text(&name);

	if (api_text(&prefix).n > 0 && !is_prefix(check, api_text(&prefix), kind))
		api_fault(check, &prefix, API_INVALID, "generateName is \"%.*s\", but must be %s",
		          STR_ARG(api_text(&prefix)), name_words[kind]);
	if (api_is_unknown(&name) || api_is_unknown(&prefix))
		return;
	/* with generateName the server completes the name before it looks at it */
	if (text.n == 0 && api_text(&prefix).n > 0)
		text = str_format(check->tree->arena, "%.*sxxxxx",
		                  STR_ARG(str_slice(api_text(&prefix), 0, PREFIX_BYTES)));
	if (text.n == 0) {
		if (kind != API_NAME_GIVEN)
			api_fault(check, &name, API_REQUIRED, "name and generateName are missing");
	} else if (!is_name(text, kind)) {
		api_fault(check, &name, API_INVALID, "name is \"%.*s\", but must be %s",
		          STR_ARG(text), name_words[kind]);
	}
}

void api_check_meta(const struct api_check *check, const struct api_place *root,
                    enum api_name name)
{
	static const struct api_rule rules[] = { { "namespace", RULE_LABEL, NULL, 0, 0 } };
	struct api_place meta = api_field(root, "metadata");
	struct api_place labels = api_field(&meta, "labels");
	struct api_place annotations = api_field(&meta, "annotations");

	if (!api_has(&meta) && !api_lacks(&meta))
		return;
	check_name(check, &meta, name);
	/* what a kind without namespaces says of one is dropped */
	if (!check->object->cluster_scoped)
		api_apply(check, &meta, rules, COUNT_OF(rules));
	api_check_labels(check, &labels);
	api_check_annotations(check, &annotations);
}

void api_check_labels(const struct api_check *check, const struct api_place *labels)
{
	for (uint32_t i = 0; i < api_count(labels); i++) {
		struct api_place label = api_entry(labels, i);

		if (label.node->merged && label.node->unknown)
			continue;
		if (!label_key_is_valid(label.key))
			api_fault(check, labels, API_INVALID, "\"%.*s\" is no valid label key",
			          STR_ARG(label.key));
		if (api_has(&label) && !label_value_is_valid(api_text(&label)))
			api_fault(check, labels, API_INVALID,
			          "\"%.*s\", the value of %.*s, is no valid label value: at most 63 "
			          "of letters, digits and inner - _ .", STR_ARG(api_text(&label)),
			          STR_ARG(label.key));
	}
}

/* Keys are judged in small letters. */
void api_check_annotations(const struct api_check *check, const struct api_place *annotations)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < api_count(annotations); i++) {
		struct api_place entry = api_entry(annotations, i);

		if (!label_key_is_valid(str_lower(check->tree->arena, entry.key)))
			api_fault(check, annotations, API_INVALID,
			          "\"%.*s\" is no valid annotation key", STR_ARG(entry.key));
		bytes += entry.key.n + api_text(&entry).n;
	}
	if (bytes > ANNOTATION_BYTES)
		api_fault(check, annotations, API_TOO_LONG,
		          "the annotations are %zu bytes long, but may be %d at most", bytes,
		          ANNOTATION_BYTES);
}

/* ---- selectors ------------------------------------------------------------------------ */

enum operator_use { USE_SOME, USE_NONE, USE_ONE };
static const struct {
	const char *text;
	enum operator_use use;
	bool node_only;
} operators[] = {
	{ "In", USE_SOME, false },   { "NotIn", USE_SOME, false },
	{ "Exists", USE_NONE, false }, { "DoesNotExist", USE_NONE, false },
	{ "Gt", USE_ONE, true },     { "Lt", USE_ONE, true },
};

/* An unknown operator is invalid here, not "not supported" as elsewhere. */
static void check_operator(const struct api_check *check, const struct api_place *op,
                           const struct api_place *values, bool of_node)
{
	uint32_t count = api_count(values);
	bool known = api_has(values) || api_lacks(values);

	if (!api_has(op) && !api_lacks(op))
		return;
	for (size_t i = 0; i < COUNT_OF(operators); i++) {
		if (!api_is(op, operators[i].text) || (operators[i].node_only && !of_node))
			continue;
		if (!known)
			return;
		if (operators[i].use == USE_SOME && count == 0)
			api_fault(check, values, API_REQUIRED, "the operator %s needs values",
			          operators[i].text);
		else if (operators[i].use == USE_NONE && count > 0)
			api_fault(check, values, API_FORBIDDEN, "the operator %s takes no values",
			          operators[i].text);
		else if (operators[i].use == USE_ONE && count != 1)
			api_fault(check, values, API_REQUIRED,
			          "the operator %s takes exactly one value", operators[i].text);
		return;
	}
	api_fault(check, op, API_INVALID, "\"%.*s\" is no operator here",
	          STR_ARG(api_text(op)));
}

void api_check_requirement(const struct api_check *check, const struct api_place *requirement,
                           bool of_node, bool loose)
{
	struct api_place key = api_field(requirement, "key");
	struct api_place op = api_field(requirement, "operator");
	struct api_place values = api_field(requirement, "values");

	if (!api_has(requirement))
		return;
	check_operator(check, &op, &values, of_node);
	if (api_has(&key) || api_lacks(&key))
		api_want_qualified(check, &key);
	for (uint32_t i = 0; !loose && i < api_count(&values); i++) {
		struct api_place value = api_item(&values, i);

		if (api_has(&value) && !label_value_is_valid(api_text(&value)))
			api_fault(check, &value, API_INVALID, "\"%.*s\" is no valid label value",
			          STR_ARG(api_text(&value)));
	}
}

void api_check_selector(const struct api_check *check, const struct api_place *selector)
{
	struct api_place labels = api_field(selector, "matchLabels");
	struct api_place expressions = api_field(selector, "matchExpressions");

	if (!api_has(selector))
		return;
	api_check_labels(check, &labels);
	for (uint32_t i = 0; i < api_count(&expressions); i++) {
		struct api_place requirement = api_item(&expressions, i);

		api_check_requirement(check, &requirement, false, false);
	}
}

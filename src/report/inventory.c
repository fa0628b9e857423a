/* Node groups as understood: for people, for machines, and in the native form that can be
 * committed. */
#include "report-internal.h"

/* Width of the words before the facts in the text form. */
#define WORD_WIDTH 13

static const char *const origins[] = {
	[ORIGIN_UNKNOWN] = "unknown", [ORIGIN_DECLARED] = "declared", [ORIGIN_IMPLIED] = "implied",
	[ORIGIN_OBSERVED] = "observed",
};

/* A scope's groups on their way out. */
struct page {
	const struct scope *scope;
	struct arena *arena;
	struct buf *out;
};

/* ---- facts as text ------------------------------------------------------------------- */

static str count_text(const struct page *page, const struct count_fact *fact)
{
	if (fact->origin == ORIGIN_UNKNOWN)
		return STR("?");
	if (fact->value == INT64_MAX)
		return STR("unbounded");
	return str_format(page->arena, "%lld", (long long)fact->value);
}

static str values_text(const struct page *page, const struct strs *values, const char *separator)
{
	struct buf text = { .arena = page->arena };

	for (size_t i = 0; i < values->n; i++)
		buf_printf(&text, "%s%.*s", i == 0 ? "" : separator, STR_ARG(values->v[i]));
	return buf_str(&text);
}

/* A label is a set of values: one, some, any, unknown, or none. */
static str label_text(const struct page *page, const struct group_label *label)
{
	switch (label->kind) {
	case LABEL_VALUES:
		return str_format(page->arena, "%.*s=%.*s", STR_ARG(label->key),
		                  STR_ARG(values_text(page, &label->values, "|")));
	case LABEL_ANY:
		return str_format(page->arena, "%.*s=*", STR_ARG(label->key));
	case LABEL_UNKNOWN:
		return str_format(page->arena, "%.*s=?", STR_ARG(label->key));
	case LABEL_ABSENT:
		break;
	}
	return str_format(page->arena, "no %.*s", STR_ARG(label->key));
}

/* Bytes that are no whole number of anything are told in Mi, rounded down. */
static str bytes_text(const struct page *page, str resource, int64_t amount)
{
	const int64_t mebi = 1024 * 1024;
	bool bytes = str_is(resource, "memory") || str_is(resource, "ephemeral-storage");

	if (bytes && amount >= mebi && amount % mebi != 0)
		amount -= amount % mebi;
	return amount_text(page->arena, resource, amount);
}

/* An amount, or the two between which it lies. */
static str capacity_text(const struct page *page, const struct capacity_fact *fact)
{
	if (!fact->known)
		return STR("?");
	str safe = bytes_text(page, fact->resource, fact->safe);
	if (fact->safe == fact->optimistic)
		return safe;
	return str_format(page->arena, "%.*s..%.*s", STR_ARG(safe),
	                  STR_ARG(bytes_text(page, fact->resource, fact->optimistic)));
}

/* ---- text ---------------------------------------------------------------------------- */

static void add_fact(const struct page *page, const char *word, str text)
{
	if (text.n > 0)
		buf_printf(page->out, "  %-*s%.*s\n", WORD_WIDTH, word,
		           STR_ARG(report_terminal_text(page->arena, text)));
}

static void add_list(const struct page *page, const char *word, const struct strs *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		add_fact(page, i == 0 ? word : "", texts->v[i]);
}

/* Labels that nobody wrote down come with the rule that implies them. */
static void add_labels(const struct page *page, const char *word,
                       const struct group_labels *labels)
{
	struct strs texts = { 0 };

	for (size_t i = 0; i < labels->n; i++) {
		const struct group_label *label = &labels->v[i];
		str text = label_text(page, label);
		if (label->origin != ORIGIN_DECLARED)
			text = str_format(page->arena, "%.*s  (%s%s%s)", STR_ARG(text),
			                  origins[label->origin], label->why ? ": " : "",
			                  label->why ? label->why : "");
		*VEC_PUSH(page->arena, &texts) = text;
	}
	add_list(page, word, &texts);
}

/* An open list ends in a question mark: other taints may be there. */
static void add_taints(const struct page *page, const char *word, const struct taints *taints,
                       bool known)
{
	struct strs texts = { 0 };

	for (size_t i = 0; i < taints->n; i++)
		*VEC_PUSH(page->arena, &texts) = taint_text(page->arena, &taints->v[i]);
	if (!known)
		*VEC_PUSH(page->arena, &texts) = STR("?  (further taints are possible)");
	add_list(page, word, &texts);
}

static void add_shape(const struct page *page, const struct node_shape *shape)
{
	struct strs texts = { 0 };

	for (size_t i = 0; i < shape->allocatable.n; i++) {
		const struct capacity_fact *fact = &shape->allocatable.v[i];
		*VEC_PUSH(page->arena, &texts) =
			str_format(page->arena, "%.*s %.*s%s%s%s", STR_ARG(fact->resource),
		                   STR_ARG(capacity_text(page, fact)), fact->why ? "  (" : "",
		                   fact->why ? fact->why : "", fact->why ? ")" : "");
	}
	add_fact(page, "type", shape->instance_type);
	add_list(page, "allocatable", &texts);
	add_labels(page, "", &shape->labels);
}

/* Everything that a verdict about the group could rest on. */
static void add_group(const struct page *page, const struct group *group)
{
	const struct source *source = group->tree ? group->tree->source : NULL;

	buf_printf(page->out, "%.*s  (%s",
	           STR_ARG(report_terminal_text(page->arena, group->name)), group->format);
	if (source && group->node)
		buf_printf(page->out, ", %.*s:%u",
		           STR_ARG(report_terminal_text(page->arena, source->path)),
		           source_position(source, group->node->span.begin).line);
	buf_add(page->out, STR(")\n"));
	add_fact(page, "nodes", str_format(page->arena, "%.*s to %.*s%s",
	                                   STR_ARG(count_text(page, &group->min)),
	                                   STR_ARG(count_text(page, &group->max)),
	                                   group->per_zone ? " per zone" : ""));
	add_fact(page, "capacity", group->capacity_type);
	add_fact(page, "zones", values_text(page, &group->zones, ", "));
	add_labels(page, "labels", &group->labels);
	add_taints(page, "taints", &group->taints, group->taints_known);
	add_taints(page, "startup", &group->startup_taints, true);
	for (size_t i = 0; i < group->shapes.n; i++)
		add_shape(page, &group->shapes.v[i]);
	add_fact(page, "unknown", values_text(page, &group->unknown, ", "));
}

static void write_text(const struct page *page)
{
	const struct groups *groups = &page->scope->pools.groups;

	if (page->scope->cluster.n > 0)
		buf_printf(page->out, "cluster %.*s\n\n", STR_ARG(page->scope->cluster));
	if (groups->n == 0)
		buf_add(page->out, STR("no node group is declared\n"));
	for (size_t i = 0; i < groups->n; i++) {
		if (i > 0)
			buf_char(page->out, '\n');
		add_group(page, groups->v[i]);
	}
}

/* ---- the native form ----------------------------------------------------------------- */

static const struct report *reporting(const struct page *page, struct report *ret_report)
{
	*ret_report = (struct report){ .arena = page->arena };
	return ret_report;
}

static json_t *text_json(const struct page *page, str text)
{
	struct report report;

	return json_text(reporting(page, &report), text);
}

static void put_text(const struct page *page, json_t *object, const char *key, str text)
{
	if (text.n > 0)
		json_put(object, key, text_json(page, text));
}

/* Absent rather than empty: an empty list would be a statement. */
static void put_list(const struct page *page, json_t *object, const char *key,
                     const struct strs *texts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < texts->n; i++)
		json_array_append_new(list, text_json(page, texts->v[i]));
	if (texts->n > 0)
		json_put(object, key, list);
	else
		json_decref(list);
}

/* The native form has no word for unknown or unbounded: the key is left out. */
static void put_count(json_t *object, const char *key, const struct count_fact *fact)
{
	if (fact->origin != ORIGIN_UNKNOWN && fact->value != INT64_MAX)
		json_put(object, key, json_integer(fact->value));
}

/* Labels with one fixed value: what the native form can say. */
static void put_labels(const struct page *page, json_t *object, const struct group_labels *labels)
{
	json_t *map = json_object();

	for (size_t i = 0; i < labels->n; i++)
		if (labels->v[i].kind == LABEL_VALUES && labels->v[i].values.n == 1 &&
		    labels->v[i].origin != ORIGIN_IMPLIED)
			json_put(map, str_c(page->arena, utf8_clean(page->arena, labels->v[i].key)),
			         text_json(page, labels->v[i].values.v[0]));
	if (json_object_size(map) > 0)
		json_put(object, "labels", map);
	else
		json_decref(map);
}

static void put_taints(const struct page *page, json_t *object, const char *key,
                       const struct taints *taints)
{
	struct strs texts = { 0 };

	for (size_t i = 0; i < taints->n; i++)
		*VEC_PUSH(page->arena, &texts) = taint_text(page->arena, &taints->v[i]);
	put_list(page, object, key, &texts);
}

/* Amounts that are known for sure; of two bounds the safe one. */
static void put_allocatable(const struct page *page, json_t *object,
                            const struct capacity_facts *facts)
{
	json_t *map = json_object();

	for (size_t i = 0; i < facts->n; i++) {
		const struct capacity_fact *fact = &facts->v[i];
		str amount = amount_text(page->arena, fact->resource, fact->safe);
		if (fact->known)
			json_put(map, str_c(page->arena, utf8_clean(page->arena, fact->resource)),
			         text_json(page, amount));
	}
	if (json_object_size(map) > 0)
		json_put(object, "allocatable", map);
	else
		json_decref(map);
}

static void put_types(const struct page *page, json_t *object, const struct group *group)
{
	struct strs types = { 0 };

	for (size_t i = 0; i < group->shapes.n; i++)
		if (group->shapes.v[i].instance_type.n > 0)
			*VEC_PUSH(page->arena, &types) = group->shapes.v[i].instance_type;
	put_list(page, object, "instanceTypes", &types);
}

/* The native form of one group, as far as it can say what is known. */
static json_t *group_value(const struct page *page, const struct group *group)
{
	json_t *value = json_object();

	put_text(page, value, "name", group->name);
	put_labels(page, value, &group->labels);
	if (!group->labels_complete)
		json_put(value, "labelsOpen", json_true());
	put_taints(page, value, "taints", &group->taints);
	put_taints(page, value, "startupTaints", &group->startup_taints);
	put_count(value, "minSize", &group->min);
	put_count(value, "maxSize", &group->max);
	put_count(value, "desiredSize", &group->desired);
	put_types(page, value, group);
	put_text(page, value, "capacityType", group->capacity_type);
	put_text(page, value, "os", group->os);
	put_text(page, value, "arch", group->arch);
	put_list(page, value, "zones", &group->zones);
	if (group->per_zone)
		json_put(value, "perZone", json_true());
	/* Of several shapes the native form takes the types; their amounts differ. */
	if (group->shapes.n == 1)
		put_allocatable(page, value, &group->shapes.v[0].allocatable);
	return value;
}

static json_t *inventory_value(const struct page *page)
{
	const struct groups *groups = &page->scope->pools.groups;
	json_t *value = json_object(), *list = json_array();

	json_put(value, "apiVersion", json_string("kubelint.dev/v1"));
	json_put(value, "kind", json_string("NodeGroupInventory"));
	for (size_t i = 0; i < groups->n; i++)
		json_array_append_new(list, group_value(page, groups->v[i]));
	json_put(value, "nodeGroups", list);
	return value;
}

/* ---- YAML ---------------------------------------------------------------------------- */

static void yaml_add(const json_t *value, unsigned depth, struct buf *out);

/* Scalars in JSON's notation, which YAML reads as the same strings and numbers. */
static void yaml_add_scalar(const json_t *value, struct buf *out)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY);

	buf_add(out, str_of(text));
	buf_char(out, '\n');
	memory_give(text);
}

/* Keys with dots or slashes are quoted; ours are plain words. */
static void yaml_add_entry(const char *key, const json_t *value, unsigned depth, struct buf *out)
{
	json_t *quoted = json_string(key);
	bool plain = key[0] >= 'a' && key[0] <= 'z' && str_find(str_of(key), '/') == str_of(key).n;

	if (plain) {
		buf_printf(out, "%s:", key);
	} else {
		char *text = json_dumps(quoted, JSON_ENCODE_ANY);
		buf_printf(out, "%s:", text);
		memory_give(text);
	}
	json_decref(quoted);
	buf_char(out, json_is_object(value) || json_is_array(value) ? '\n' : ' ');
	yaml_add(value, depth + 1, out);
}

/* Entries of a map; the first stands on the line that is there already when it is an item. */
static void yaml_add_map(const json_t *value, unsigned depth, bool item, struct buf *out)
{
	const char *key;
	json_t *child;
	json_t *map = json_deep_copy(value); /* jansson iterates over what may be changed only */

	json_object_foreach(map, key, child) {
		buf_printf(out, "%*s", item ? 0 : (int)depth * 2, "");
		yaml_add_entry(key, child, depth, out);
		item = false;
	}
	json_decref(map);
}

/* depth is bounded by our own form: four levels. */
static void yaml_add(const json_t *value, unsigned depth, struct buf *out)
{
	if (json_is_object(value)) {
		yaml_add_map(value, depth, false, out);
		return;
	}
	if (!json_is_array(value)) {
		yaml_add_scalar(value, out);
		return;
	}
	for (size_t i = 0; i < json_array_size(value); i++) {
		const json_t *item = json_array_get(value, i);
		buf_printf(out, "%*s- ", (int)(depth - 1) * 2, "");
		if (json_is_object(item))
			yaml_add_map(item, depth, true, out);
		else
			yaml_add_scalar(item, out);
	}
}

bool report_inventory(const struct scope *scope, str format, struct buf *out)
{
	struct page page = { .scope = scope, .arena = scope->arena, .out = out };

	if (str_is(format, "text")) {
		write_text(&page);
		return true;
	}
	if (!str_is(format, "json") && !str_is(format, "yaml"))
		return false;
	json_begin();
	json_t *value = inventory_value(&page);
	if (str_is(format, "json")) {
		json_dump_into(value, out);
		return true;
	}
	yaml_add(value, 0, out);
	json_decref(value);
	return true;
}

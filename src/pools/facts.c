/* Facts of a group out of checked nodes: sizes, labels, taints, amounts. */
#include "pools-internal.h"

#include <string.h>

/* Labels or taints of one group; more are no group of anybody's. */
#define MAX_ITEMS 1000

/* ---- faults -------------------------------------------------------------------------- */

/* The node that a fault points at: what stands in a text has no path in the document. */
static const struct node *fault_node(const struct reader *reader, const struct node *node)
{
	if (reader->scalar)
		return reader->scalar;
	return node ? node : reader->entry->root;
}

/* The tree's address as a key. */
static str tree_key(const struct tree *const *tree)
{
	return (str){ (const char *)tree, sizeof *tree };
}

/* Said once per document: a second variant of the repo reads the same trees. */
struct fault *reader_fault(const struct reader *reader, const struct node *node, const char *class,
                           const char *format, ...)
{
	const struct tree *tree = reader->entry->tree;
	struct fault *fault;
	va_list args;

	if (map_has(reader->context->quiet, tree_key(&tree)))
		return NULL;
	fault = tree_add_fault(reader->entry->tree, FAULT_INVENTORY, fault_node(reader, node));
	if (reader->scalar && node && node_place(node).file)
		fault->span = node_place(node);
	va_start(args, format);
	fault->a = str_vformat(reader->entry->tree->arena, format, args);
	va_end(args);
	fault->c = str_of(class);
	return fault;
}

/* ---- groups -------------------------------------------------------------------------- */

struct group *group_new(const struct reader *reader, str name, const struct node *node)
{
	struct group *group = ARENA_NEW(reader->arena, struct group);
	const struct entry *entry = reader->entry;

	group->name = name;
	group->format = reader->format;
	group->object = entry->object;
	group->tree = entry->tree;
	group->node = node;
	group->object_api_version = entry->api_version;
	group->object_kind = entry->kind;
	group->object_name = entry->name;
	group->object_namespace = entry->namespace;
	*VEC_PUSH(reader->arena, &reader->pools->groups) = group;
	return group;
}

struct group *group_unknown(const struct reader *reader, str name, const struct node *node)
{
	struct group *group = group_new(reader, name, node);
	const struct sizing sizing = { 0 };

	count_imply(&group->min, 0, node, "nodes come and go by themselves");
	shapes_resolve(reader, group, &sizing);
	return group;
}

void group_list_check(const struct reader *reader, const struct node *list)
{
	if (list && list->unknown)
		group_unknown(reader, STR("template"), list);
	else if (!node_is_null(list) && !node_is_list(list))
		reader_fault(reader, list, "type", "%.*s is no list", STR_ARG(list->key));
}

bool group_item_check(const struct reader *reader, const struct node *item,
                      const struct node *name, struct map *names)
{
	if (item->unknown) {
		group_unknown(reader, STR("template"), item);
		return false;
	}
	if (!node_is_map(item) || !node_text(name).n) {
		reader_fault(reader, item, "name", node_is_map(item)
		             ? "a node group needs a name" : "this is no node group");
		return false;
	}
	if (name->unknown)
		return true; /* the text of the template tells it from others */
	if (map_has(names, node_text(name))) {
		reader_fault(reader, name, "duplicate",
		             "node group %.*s is given twice: the first one counts",
		             STR_ARG(node_text(name)));
		return false;
	}
	map_put(names, node_text(name), names);
	return true;
}

/* A declared label wins over what the format says. */
void group_set_os(const struct reader *reader, struct group *group, str os)
{
	struct group_label *label = label_find(&group->labels, STR(LABEL_OS));

	if (label && label->kind == LABEL_VALUES && label->values.n == 1) {
		group->os = label->values.v[0];
		return;
	}
	group->os = os;
	if (!label)
		label_imply(reader->arena, &group->labels, STR(LABEL_OS), os, "set by the kubelet");
}

void group_set_region(const struct reader *reader, struct group *group, str region)
{
	if (region.n)
		label_imply(reader->arena, &group->labels, STR(LABEL_REGION), region,
		            "set by the cloud, from the declared region");
}

void group_set_capacity_type(struct group *group, const char *type)
{
	group->capacity_type = str_of(type);
	group->spot_only = strcmp(type, "spot") == 0;
}

/* A list with a template in it is no zone set at all. */
void read_zones(const struct reader *reader, const struct node *list, struct group *group)
{
	struct group_label *label;
	struct strs zones = { 0 };

	if (!read_texts(reader, list, &zones) || !zones.n)
		return;
	group->zones = zones;
	label = label_imply(reader->arena, &group->labels, STR(LABEL_ZONE), zones.v[0],
	                    "set by the cloud, from the declared zones");
	if (!label)
		return;
	label->values = zones;
	label->node = list;
}

/* Of several versions the oldest decides what may be used. */
void pools_add_version(struct pools *pools, str text)
{
	struct version version;

	if (!version_parse(text, &version) || version.major <= 0)
		return;
	if (!pools->declared_version.major || version_cmp(version, pools->declared_version) < 0)
		pools->declared_version = version;
}

/* Each text once. */
void pools_note(struct context *context, struct strs *notes, str text)
{
	for (size_t i = 0; i < notes->n && i < MAX_ITEMS; i++)
		if (str_eq(notes->v[i], text))
			return;
	if (notes->n < MAX_ITEMS)
		*VEC_PUSH(context->arena, notes) = text;
}

/* ---- single values ------------------------------------------------------------------- */

bool text_is_any(str text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(text, words[i]))
			return true;
	return false;
}

const struct node *node_first(const struct node *node, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct node *child = node_get(node, keys[i]);

		if (!node_is_null(child))
			return child;
	}
	return NULL;
}

/* Unknown numbers stay unknown; absent ones leave the fact to its defaults. */
void read_number(const struct reader *reader, const struct node *node, bool text, const char *class,
                 struct count_fact *ret_fact)
{
	int64_t value;

	if (node_is_null(node) || node->unknown)
		return;
	if (!node_int(node, &value) &&
	    !(text && node_is_scalar(node) && str_to_int64(str_trim(node_text(node)), &value))) {
		reader_fault(reader, node, class, "%.*s is no whole number: %.*s",
		             STR_ARG(node->key), STR_ARG(node_text(node)));
		return;
	}
	*ret_fact = (struct count_fact){ value, ORIGIN_DECLARED, node, NULL };
}

void read_count(const struct reader *reader, const struct node *node, bool text,
                struct count_fact *ret_fact)
{
	read_number(reader, node, text, "bounds", ret_fact);
}

void count_imply(struct count_fact *fact, int64_t value, const struct node *node,
                 const char *why)
{
	if (fact->origin == ORIGIN_UNKNOWN)
		*fact = (struct count_fact){ value, ORIGIN_IMPLIED, node, why };
}

/* One text counts as a list of one, as most of the formats take it. */
bool read_texts(const struct reader *reader, const struct node *node, struct strs *ret_texts)
{
	bool known = true;

	if (node_is_scalar(node)) {
		if (!node->unknown)
			*VEC_PUSH(reader->arena, ret_texts) = node_text(node);
		return !node->unknown;
	}
	if (!node_is_list(node)) {
		if (!node_is_null(node))
			reader_fault(reader, node, "type", "%.*s is no list", STR_ARG(node->key));
		return node_is_null(node);
	}
	for (uint32_t i = 0; i < node->child_count; i++) {
		const struct node *item = &node->children[i];

		if (!node_is_scalar(item))
			reader_fault(reader, item, "type", "%.*s: this item is no text",
			             STR_ARG(node->key));
		if (!node_is_scalar(item) || item->unknown)
			known = false;
		else
			*VEC_PUSH(reader->arena, ret_texts) = node_text(item);
	}
	return known && !node->unknown;
}

void read_pairs(const struct reader *reader, const struct node *map, struct pairs *pairs)
{
	if (!node_is_map(map))
		return;
	pairs->node = map;
	for (uint32_t i = 0; i < map->child_count; i++) {
		const struct node *child = &map->children[i];

		if (node_is_scalar(child))
			*VEC_PUSH(reader->arena, pairs) =
				(struct pair){ child->key, node_text(child), child };
	}
}

/* ---- labels -------------------------------------------------------------------------- */

/* The text as written also where YAML reads another type: that is said elsewhere. */
static void read_label(const struct reader *reader, const struct node *node, struct group *group)
{
	struct group_label *label;

	if (node->kind != NODE_SCALAR && !node->unknown) {
		reader_fault(reader, node, "type", "the label %.*s has no text as its value",
		             STR_ARG(node->key));
		label = label_declare(reader->arena, &group->labels, node->key, (str){ 0 }, node);
		if (label)
			label->kind = LABEL_UNKNOWN;
		return;
	}
	label_declare(reader->arena, &group->labels, node->key, node_text(node), node);
}

/* What is not read leaves the list open, so that nothing is called absent. */
void read_labels(const struct reader *reader, const struct node *map, struct group *group)
{
	if (node_is_null(map))
		return;
	if (!node_is_map(map) || map->unknown || map->child_count > MAX_ITEMS) {
		group->labels_complete = false;
		if (!map->unknown)
			reader_fault(reader, map, "type", node_is_map(map)
			             ? "%.*s holds more labels than a node can have"
			             : "%.*s is no map of labels", STR_ARG(map->key));
		return;
	}
	for (uint32_t i = 0; i < map->child_count; i++)
		read_label(reader, &map->children[i], group);
}

/* Unreadable pieces are passed over: the kubelet would refuse to start. */
void read_label_text(const struct reader *reader, str text, const struct node *node,
                     struct group *group)
{
	str piece, key, value;

	while (str_next(&text, ',', &piece)) {
		str_cut(str_trim(piece), '=', &key, &value);
		if (key.n && group->labels.n < MAX_ITEMS)
			label_declare(reader->arena, &group->labels, str_trim(key),
			              str_trim(value), node);
	}
}

/* ---- taints -------------------------------------------------------------------------- */

static void taint_add(const struct reader *reader, const struct taint *taint, struct group *group,
                      struct taints *taints)
{
	if (taints->n < MAX_ITEMS)
		*VEC_PUSH(reader->arena, taints) = *taint;
	else
		group->taints_known = false;
}

/* A bad taint may stand for any taint. */
static void taint_fault(const struct reader *reader, const struct node *node, struct group *group,
                        const char *what, str text)
{
	group->taints_known = false;
	if (!node->unknown)
		reader_fault(reader, node, "taint", "%s: %.*s", what, STR_ARG(text));
}

void read_taint_text(const struct reader *reader, str text, const struct node *node,
                     struct group *group, struct taints *taints)
{
	struct taint taint;

	if (!taint_parse(text, &taint)) {
		taint_fault(reader, node, group,
		            "no taint of the form key[=value]:Effect with the effect NoSchedule, "
		            "PreferNoSchedule or NoExecute", text);
		return;
	}
	taint.node = node;
	taint_add(reader, &taint, group, taints);
}

/* The child that a template hides, else the item. */
static const struct node *taint_place(const struct node *item)
{
	for (uint32_t i = 0; i < item->child_count; i++)
		if (item->children[i].unknown)
			return &item->children[i];
	return item;
}

/* Upstream: core/v1 Taint; the effect in the spelling of any cloud. */
static void read_taint_map(const struct reader *reader, const struct node *item,
                           struct group *group, struct taints *taints)
{
	const struct node *key = node_get(item, "key"), *effect = node_get(item, "effect");
	struct taint taint = { .key = node_text(key), .value = node_text(node_get(item, "value")),
		               .node = taint_place(item) };

	if (key && key->unknown) {
		group->taints_known = false;
		return;
	}
	if (effect && effect->unknown)
		taint.effect = STR("NoSchedule"); /* counts as unknown by its node */
	else if (!taint.key.n)
		taint_fault(reader, item, group, "a taint needs a key", STR("none is given"));
	else if (!taint_effect_parse(node_text(effect), &taint.effect))
		taint_fault(reader, effect ? effect : item, group,
		            "the effect of a taint is NoSchedule, PreferNoSchedule or NoExecute",
		            effect ? node_text(effect) : STR("none is given"));
	if (taint.key.n && taint.effect.n)
		taint_add(reader, &taint, group, taints);
}

/* An entry `key: "value:Effect"`, `key: ":Effect"` or `key: Effect` of a map of taints. */
static void read_taint_entry(const struct reader *reader, const struct node *node,
                             struct group *group, struct taints *taints)
{
	str text = node_text(node), value, effect;
	size_t colon = str_find_last(text, ':');
	struct taint taint = { .key = node->key, .node = node };

	value = colon < text.n ? str_slice(text, 0, colon) : (str){ 0 };
	effect = colon < text.n ? str_slice(text, colon + 1, text.n) : text;
	taint.value = value;
	if (node->unknown)
		taint.effect = STR("NoSchedule");
	else if (!taint_effect_parse(str_trim(effect), &taint.effect)) {
		taint_fault(reader, node, group,
		            "the taint's value ends in none of the effects NoSchedule, "
		            "PreferNoSchedule and NoExecute", text);
		return;
	}
	taint_add(reader, &taint, group, taints);
}

void read_taints(const struct reader *reader, const struct node *node, struct group *group,
                 struct taints *taints)
{
	if (node_is_null(node))
		return;
	taints->node = node;
	if (node->unknown || (!node_is_list(node) && !node_is_map(node))) {
		taint_fault(reader, node, group, "this is no list of taints", node_text(node));
		return;
	}
	for (uint32_t i = 0; i < node->child_count; i++) {
		const struct node *item = &node->children[i];

		if (node_is_map(node))
			read_taint_entry(reader, item, group, taints);
		else if (node_is_map(item) && !item->unknown)
			read_taint_map(reader, item, group, taints);
		else if (node_is_scalar(item) && !item->unknown)
			read_taint_text(reader, node_text(item), item, group, taints);
		else
			taint_fault(reader, item, group, "this is no taint", STR("no text or map"));
	}
}

/* Of nobody's text: it has no place. */
void taint_imply(struct arena *arena, struct group *group, const char *key, const char *value,
                 const char *effect)
{
	*VEC_PUSH(arena, &group->taints) =
		(struct taint){ .key = str_of(key), .value = str_of(value),
		                .effect = str_of(effect) };
}

/* ---- amounts ------------------------------------------------------------------------- */

struct capacity_fact *capacity_find(const struct capacity_facts *facts, str resource)
{
	for (size_t i = 0; i < facts->n; i++)
		if (str_eq(facts->v[i].resource, resource))
			return &facts->v[i];
	return NULL;
}

struct capacity_fact *capacity_put(struct arena *arena, struct capacity_facts *facts,
                                   str resource)
{
	struct capacity_fact *fact = capacity_find(facts, resource);

	if (fact)
		return fact;
	fact = VEC_PUSH(arena, facts);
	*fact = (struct capacity_fact){ .resource = resource, .optimistic = INT64_MAX };
	return fact;
}

/* Upstream: the scheduler takes cpu in thousandths and the rest in whole units, rounded up. */
static void read_amount(const struct reader *reader, const struct node *node,
                        struct capacity_facts *facts)
{
	struct capacity_fact *fact = VEC_PUSH(reader->arena, facts);
	struct quantity quantity;
	int64_t amount = 0;
	bool parsed = node_is_scalar(node) && !node->unknown &&
	              quantity_parse(node_json_text(reader->arena, node), &quantity) &&
	              quantity_sign(&quantity) >= 0;

	*fact = (struct capacity_fact){ .resource = node->key, .optimistic = INT64_MAX,
		                        .node = node };
	if (!parsed) {
		if (!node->unknown)
			reader_fault(reader, node, "quantity", "%.*s is no amount: %.*s",
			             STR_ARG(node->key), STR_ARG(node_text(node)));
		return;
	}
	if (str_is(node->key, "cpu"))
		quantity_milli_ceil(&quantity, &amount);
	else
		quantity_value_ceil(&quantity, &amount);
	fact->known = true;
	fact->safe = fact->optimistic = amount;
	fact->origin = ORIGIN_DECLARED;
}

void read_amounts(const struct reader *reader, const struct node *map, struct capacity_facts *facts)
{
	if (node_is_null(map) || map->unknown)
		return;
	if (!node_is_map(map) || map->child_count > MAX_ITEMS) {
		reader_fault(reader, map, "type", "%.*s is no map of resources to amounts",
		             STR_ARG(map->key));
		return;
	}
	for (uint32_t i = 0; i < map->child_count; i++)
		read_amount(reader, &map->children[i], facts);
}

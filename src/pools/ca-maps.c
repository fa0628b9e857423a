/* ConfigMaps of the cluster-autoscaler: its status, in three forms, and the priorities of its
 * expander (autoscalers.md sections 5 and 6). */
#include "pools-internal.h"

#define STATUS_MAP "cluster-autoscaler-status"
#define PRIORITY_MAP "cluster-autoscaler-priority-expander"

/* ---- status, text before 1.30 -------------------------------------------------------- */

/* The number behind `name=`; false when there is none. */
static bool number_behind(str line, const char *name, int64_t *ret_value)
{
	for (size_t i = 0; i < line.n; i++) {
		str rest = str_slice(line, i, line.n);
		size_t end;

		if (!str_starts(rest, str_of(name)))
			continue;
		rest = str_slice(rest, str_of(name).n, rest.n);
		for (end = 0; end < rest.n && rest.p[end] >= '0' && rest.p[end] <= '9';)
			end++;
		return str_to_int64(str_slice(rest, 0, end), ret_value);
	}
	return false;
}

static bool line_value(str line, const char *key, str *ret_value)
{
	line = str_trim(line);
	if (!str_starts(line, str_of(key)))
		return false;
	*ret_value = str_trim(str_slice(line, str_of(key).n, line.n));
	return true;
}

/* A status tells what was, and binds nobody. */
static struct count_fact observed(int64_t value, const struct node *node)
{
	return (struct count_fact){ value, ORIGIN_OBSERVED, node, "the autoscaler's status" };
}

/* `Name:` begins a group, the `Health:` line below it has its sizes. */
static void read_text(const struct reader *reader, const struct node *node)
{
	str rest = node_text(node), line, name = { 0 }, value;
	bool groups = false;

	while (str_next(&rest, '\n', &line)) {
		struct bounds_claim claim = { .format = "status", .observed = true, .node = node };
		int64_t min, max;

		groups = groups || str_is(str_trim(line), "NodeGroups:");
		if (groups && line_value(line, "Name:", &value))
			name = value;
		if (!name.n || !line_value(line, "Health:", &value) ||
		    !number_behind(value, "minSize=", &min) ||
		    !number_behind(value, "maxSize=", &max))
			continue;
		claim.min = observed(min, node);
		claim.max = observed(max, node);
		claim_add(reader, claim_name(name), claim);
		name = (str){ 0 };
	}
}

/* ---- status, YAML -------------------------------------------------------------------- */

static void observe_count(const struct reader *reader, const struct node *node,
                          struct count_fact *fact)
{
	read_count(reader, node, true, fact);
	if (fact->origin) {
		fact->origin = ORIGIN_OBSERVED;
		fact->why = "the autoscaler's status";
	}
}

/* Since 1.30: the sizes stand in the health of the group. */
static void read_status_group(const struct reader *reader, const struct node *item)
{
	struct bounds_claim claim = { .format = "status", .observed = true, .node = item };
	const struct node *health = node_get(item, "health");
	str name = node_text(node_get(item, "name"));

	if (!node_is_map(health) || !name.n)
		return;
	observe_count(reader, node_get(health, "minSize"), &claim.min);
	observe_count(reader, node_get(health, "maxSize"), &claim.max);
	claim_add(reader, claim_name(name), claim);
}

/* A status that stands in a file of its own. */
bool status_detect(str api_version, str kind, const struct node *root)
{
	const struct node *list = node_get(root, "nodeGroups");

	return !api_version.n && !kind.n && node_get(root, "autoscalerStatus") &&
	       node_is_list(list) && list->child_count &&
	       node_is_map(node_get(&list->children[0], "health"));
}

void status_read(const struct reader *reader)
{
	const struct node *list = node_get(reader->entry->root, "nodeGroups");

	for (uint32_t i = 0; i < list->child_count; i++)
		read_status_group(reader, &list->children[i]);
}

/* The incident's form: sizes right in the item, as if this configured anything. */
static void read_edited_group(const struct reader *reader, const struct node *item)
{
	struct bounds_claim claim = { .format = "config.yaml", .observed = true, .node = item };
	str name = node_text(node_get(item, "name"));

	if (!name.n)
		return;
	observe_count(reader, node_get(item, "minSize"), &claim.min);
	observe_count(reader, node_get(item, "maxSize"), &claim.max);
	claim_add(reader, claim_name(name), claim);
}

/* Every document of the text that has nodeGroups; `...` may stand before the first. true: one of
 * them has sizes where the autoscaler never writes them. */
static bool read_yaml(const struct reader *reader, const struct node *scalar)
{
	struct reader inner = *reader;
	struct trees trees = { 0 };
	bool edited = false;

	tree_parse_embedded(reader->arena, reader->entry->tree, scalar, &trees);
	inner.scalar = scalar;
	for (size_t i = 0; i < trees.n; i++) {
		const struct node *list = node_get(trees.v[i]->root, "nodeGroups");

		for (uint32_t k = 0; node_is_list(list) && k < list->child_count; k++) {
			const struct node *item = &list->children[k];

			if (node_is_map(node_get(item, "health"))) {
				read_status_group(&inner, item);
				continue;
			}
			read_edited_group(&inner, item);
			edited = true;
		}
	}
	return edited;
}

/* Both keys may be there: what the autoscaler wrote and what somebody added. */
static void read_status(const struct reader *reader, const struct node *data,
                        struct autoscaler_map *map)
{
	const struct node *config = node_get(data, "config.yaml");
	const struct node *status = node_get(data, "status");

	map->status = true;
	map->node = config ? config : status;
	if (node_is_scalar(config) && !config->unknown) {
		read_yaml(reader, config);
		map->config_yaml = true;
	}
	if (!node_is_scalar(status) || status->unknown)
		return;
	if (str_starts(str_trim(node_text(status)), STR("Cluster-autoscaler status")))
		read_text(reader, status);
	else
		map->config_yaml = read_yaml(reader, status) || map->config_yaml;
}

/* Other names are given by flags; those maps are found by nobody here. */
void autoscaler_read_map(const struct reader *reader, const struct object *object)
{
	bool status = str_is(object->name.s, STATUS_MAP);
	const struct node *data = node_get(object->root, "data");
	struct autoscaler_map *map;

	if (!status && !str_is(object->name.s, PRIORITY_MAP))
		return;
	map = VEC_PUSH(reader->arena, &reader->pools->maps);
	map->object = object;
	if (status)
		read_status(reader, data, map);
	else
		map->node = node_get(data, "priorities");
	if (!map->node)
		map->node = data ? data : object->root;
}

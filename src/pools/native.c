/* The native inventory: kubelint.dev/v1 NodeGroupInventory (node-groups.md section 20). Also the
 * reading of one group, which the loose forms share once their words are the native ones. */
#include "native.h"

/* Keys of the document and of a group. */
static const char *const top_keys[] = { "apiVersion", "kind", "metadata", "provider", "region",
	                                "autoscaler", "daemonOverhead", "nodeGroups", "spec" };
static const char *const group_keys[] = {
	"name", "labels", "taints", "startupTaints", "minSize", "maxSize", "desiredSize",
	"instanceTypes", "capacityType", "spot", "os", "arch", "zones", "maxPods", "capacity",
	"allocatable", "reserved", "daemonOverhead", "priority", "limits", "labelsOpen", "perZone",
	"tags", "provider",
};
static const char *const reserved_keys[] = { "kube", "system", "evictionHard" };
static const char *const providers[] = { "aws", "gcp", "azure", "kind", "k3s", "baremetal",
	                                 "other" };

bool native_detect(str api_version, str kind, const struct node *root)
{
	(void)root;
	return version_in_group(api_version, "kubelint.dev") && str_is(kind, "NodeGroupInventory");
}

/* ---- words --------------------------------------------------------------------------- */

/* Ours is a closed form: a key that it does not have is a slip. */
static void check_keys(const struct reader *reader, const struct node *map, const char *const *keys,
                       size_t count)
{
	str names[COUNT_OF(group_keys)];

	for (size_t i = 0; i < count; i++)
		names[i] = str_of(keys[i]);
	for (uint32_t i = 0; node_is_map(map) && i < map->child_count; i++) {
		const struct node *child = &map->children[i];
		struct fault *fault;
		size_t nearest;

		if (text_is_any(child->key, keys, count) || child->unknown)
			continue;
		nearest = str_nearest(child->key, names, count);
		fault = reader_fault(reader, child, "unknown-key",
		                     "the inventory has no key %.*s", STR_ARG(child->key));
		if (fault && nearest < count)
			fault->b = names[nearest];
	}
}

/* The text of a key that must be one of words; else a fault and an empty text. */
static str one_word(const struct reader *reader, const struct node *node, const char *const *words,
                    size_t count)
{
	if (node_is_null(node) || node->unknown)
		return (str){ 0 };
	if (text_is_any(node_text(node), words, count))
		return node_text(node);
	reader_fault(reader, node, "type", "%.*s cannot be %.*s", STR_ARG(node->key),
	             STR_ARG(node_text(node)));
	return (str){ 0 };
}

/* ---- other words (section 20, loosest forms) ----------------------------------------- */

/* What people call the keys of a group elsewhere. */
static const struct alias_row {
	const char *key;
	const char *aliases[10];
} alias_rows[] = {
	{ "name", { "poolName", "pool_name", "nodeGroupName", "node_group_name" } },
	{ "minSize", { "min", "minNodes", "min_size", "minCount", "minNodeCount", "min_nodes",
	               "min_count", "min_node_count" } },
	{ "maxSize", { "max", "maxNodes", "max_size", "maxCount", "maxNodeCount", "max_nodes",
	               "max_count", "max_node_count" } },
	{ "desiredSize", { "desired", "desiredCapacity", "count", "replicas", "nodeCount",
	                   "desired_size", "desired_capacity", "node_count", "size" } },
	{ "instanceTypes", { "instanceType", "instance_type", "instance_types", "vmSize",
	                     "vm_size", "machineType", "machine_type" } },
	{ "labels", { "nodeLabels", "node_labels" } },
	{ "taints", { "nodeTaints", "node_taints" } },
	{ "zones", { "availabilityZones", "availability_zones" } },
	{ "capacityType", { "capacity_type" } },
	{ "maxPods", { "max_pods", "maxPodsPerNode" } },
};

const struct node *native_get(const struct native *native, const struct node *node,
                              const char *key)
{
	const struct node *child = node_get(node, key);

	for (size_t i = 0; native->loose && !child && i < COUNT_OF(alias_rows); i++)
		for (size_t k = 0; str_is(str_of(alias_rows[i].key), key) && !child &&
		                   k < COUNT_OF(alias_rows[i].aliases) &&
		                   alias_rows[i].aliases[k]; k++)
			child = node_get(node, alias_rows[i].aliases[k]);
	return child;
}

/* Labels as a map, as "k=v,k2=v2", or as a list of k=v. */
static void read_any_labels(const struct reader *reader, const struct native *native,
                            const struct node *node, struct group *group)
{
	if (!native->loose || node_is_null(node) || node_is_map(node) || node->unknown) {
		read_labels(reader, node, group);
		return;
	}
	if (node_is_scalar(node))
		read_label_text(reader, node_text(node), node, group);
	for (uint32_t i = 0; i < node->child_count; i++)
		if (node_is_scalar(&node->children[i]) && !node->children[i].unknown)
			read_label_text(reader, node_text(&node->children[i]), &node->children[i],
			                group);
		else
			group->labels_complete = false;
}

/* ---- one group ----------------------------------------------------------------------- */

/* What is written under a bound counts, even where nobody can read it: defaults are for bounds
 * that are not there. */
static void imply_sizes(const struct native *native, bool has_min, bool has_max,
                        struct group *group)
{
	if (!has_max && group->desired.origin)
		count_imply(&group->max, group->desired.value, group->desired.node,
		            "the desired size");
	else if (!has_max && group->min.origin)
		count_imply(&group->max, group->min.value, group->min.node, "the minimum");
	if (!has_min && group->max.origin && native->autoscaler_none)
		count_imply(&group->min, group->max.value, group->max.node, "the maximum");
	else if (!has_min && group->max.origin)
		count_imply(&group->min, 0, NULL, "an autoscaler may empty the group");
}

static void read_sizes(const struct reader *reader, const struct native *native,
                       const struct node *node, struct group *group)
{
	const struct node *min = native_get(native, node, "minSize");
	const struct node *max = native_get(native, node, "maxSize");

	read_count(reader, min, native->loose, &group->min);
	read_count(reader, max, native->loose, &group->max);
	read_count(reader, native_get(native, node, "desiredSize"), native->loose,
	           &group->desired);
	imply_sizes(native, min, max, group);
	group->managed_by_autoscaler = !native->autoscaler_none && group->max.origin &&
	                               group->min.value < group->max.value;
}

/* The word, else `spot`, as both are in use. */
static void read_capacity_type(const struct reader *reader, const struct native *native,
                               const struct node *node, struct group *group)
{
	static const char *const types[] = { "on-demand", "spot", "reserved" };
	str type = one_word(reader, native_get(native, node, "capacityType"), types,
	                    COUNT_OF(types));
	bool spot = false;

	if (type.n)
		group_set_capacity_type(group, str_c(reader->arena, type));
	else if (node_bool(node_get(node, "spot"), &spot))
		group_set_capacity_type(group, spot ? "spot" : "on-demand");
	else if (!node_is_null(node_get(node, "spot")) && !node_get(node, "spot")->unknown)
		reader_fault(reader, node_get(node, "spot"), "type", "spot is neither true nor "
		                                                     "false");
}

/* Each type is a shape; a template among them leaves one more of which nothing is known. */
static void read_types(const struct reader *reader, const struct native *native,
                       const struct node *node, struct group *group)
{
	const struct node *types = native_get(native, node, "instanceTypes");
	struct strs names = { 0 };

	if (!read_texts(reader, types, &names))
		shape_add(reader, group, (str){ 0 }, types);
	for (size_t i = 0; i < names.n && i < 1000; i++)
		shape_add(reader, group, names.v[i],
		          node_is_list(types) && names.n == types->child_count
		                  ? &types->children[i] : types);
}

/* Amounts that cannot be read stay unknown by themselves. */
static void read_sizing(const struct reader *reader, const struct native *native,
                        const struct node *node, struct sizing *sizing)
{
	const struct node *reserved = node_get(node, "reserved");

	sizing->allocatable_node = node_get(node, "allocatable");
	sizing->capacity_node = node_get(node, "capacity");
	read_amounts(reader, sizing->allocatable_node, &sizing->allocatable);
	read_amounts(reader, sizing->capacity_node, &sizing->capacity);
	if (!node_is_map(sizing->allocatable_node))
		sizing->allocatable_node = NULL;
	if (!node_is_map(sizing->capacity_node))
		sizing->capacity_node = NULL;
	if (!native->loose)
		check_keys(reader, reserved, reserved_keys, COUNT_OF(reserved_keys));
	read_reservations(reader, node_get(reserved, "kube"), node_get(reserved, "system"),
	                  node_get(reserved, "evictionHard"), &sizing->reserved);
	read_max_pods(reader, native_get(native, node, "maxPods"), sizing);
}

static bool is_true(const struct node *node)
{
	bool value = false;

	return node_bool(node, &value) && value;
}

/* tags: a map, or a list of {Key, Value} as AWS writes them. */
static void read_tags(const struct reader *reader, const struct node *tags, struct group *group)
{
	read_pairs(reader, tags, &group->tags);
	for (uint32_t i = 0; node_is_list(tags) && i < tags->child_count; i++) {
		const struct node *item = &tags->children[i];
		const struct node *key = node_get(item, "Key"), *value = node_get(item, "Value");

		key = key ? key : node_get(item, "key");
		value = value ? value : node_get(item, "value");
		if (node_is_scalar(key) && node_is_scalar(value))
			*VEC_PUSH(reader->arena, &group->tags) =
				(struct pair){ node_text(key), node_text(value), value };
	}
}

/* The provider of the group, else of the document, else by the first known type. */
static void read_platform(const struct reader *reader, const struct native *native,
                          const struct node *node, struct group *group)
{
	static const char *const systems[] = { "linux", "windows" };
	str os = one_word(reader, node_get(node, "os"), systems, COUNT_OF(systems));
	const struct node *provider = node_get(node, "provider");

	group->provider = provider ? one_word(reader, provider, providers, COUNT_OF(providers))
	                           : native->provider;
	group_set_os(reader, group, os.n ? os : STR("linux"));
	if (node_is_scalar(node_get(node, "arch")) && !node_get(node, "arch")->unknown)
		group->arch = node_text(node_get(node, "arch"));
	group_set_region(reader, group, native->region);
	read_zones(reader, native_get(native, node, "zones"), group);
}

struct group *native_read_group(const struct reader *reader, const struct native *native,
                                const struct node *node)
{
	struct group *group = group_new(reader, node_text(native_get(native, node, "name")), node);
	const struct node *overhead = node_get(node, "daemonOverhead");
	const struct node *taints = native_get(native, node, "taints");
	struct sizing sizing = { 0 };
	struct count_fact priority = { 0 };

	group->labels_complete = native->labels_closed && !is_true(node_get(node, "labelsOpen"));
	group->taints_known = group->labels_complete || !node_is_null(taints);
	read_any_labels(reader, native, native_get(native, node, "labels"), group);
	read_taints(reader, taints, group, &group->taints);
	read_taints(reader, node_get(node, "startupTaints"), group, &group->startup_taints);
	read_sizes(reader, native, node, group);
	read_capacity_type(reader, native, node, group);
	read_platform(reader, native, node, group);
	read_types(reader, native, node, group);
	read_sizing(reader, native, node, &sizing);
	shapes_resolve(reader, group, &sizing);
	read_amounts(reader, overhead ? overhead : native->overhead, &group->daemon_overhead);
	read_amounts(reader, node_get(node, "limits"), &group->limits);
	read_number(reader, node_get(node, "priority"), native->loose, "type", &priority);
	group->priority = priority.value;
	group->per_zone = is_true(node_get(node, "perZone"));
	read_tags(reader, node_get(node, "tags"), group);
	return group;
}

/* ---- the document -------------------------------------------------------------------- */

/* `none` makes all sizes fixed. */
static void read_autoscaler(const struct reader *reader, const struct node *top,
                            struct native *native)
{
	static const char *const words[] = { "cluster-autoscaler", "karpenter", "none" };
	str word = one_word(reader, node_get(top, "autoscaler"), words, COUNT_OF(words));

	native->autoscaler_none = str_is(word, "none");
	if (str_is(word, "cluster-autoscaler"))
		reader->pools->autoscaler_declared = true;
	if (str_is(word, "karpenter"))
		reader->pools->karpenter = true;
}

void native_read(const struct reader *reader)
{
	const struct node *root = reader->entry->root, *spec = node_get(root, "spec");
	const struct node *top = node_is_map(spec) ? spec : root;
	const struct node *list = node_get(top, "nodeGroups");
	struct map *names = map_new(reader->arena);
	struct native native = { .labels_closed = true };

	check_keys(reader, root, top_keys, COUNT_OF(top_keys));
	if (top == spec)
		check_keys(reader, spec, top_keys, COUNT_OF(top_keys));
	native.provider = one_word(reader, node_get(top, "provider"), providers,
	                           COUNT_OF(providers));
	native.region = node_text(node_get(top, "region"));
	native.overhead = node_get(top, "daemonOverhead");
	read_autoscaler(reader, top, &native);
	group_list_check(reader, list);
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		if (!group_item_check(reader, &list->children[i],
		                      node_get(&list->children[i], "name"), names))
			continue;
		check_keys(reader, &list->children[i], group_keys, COUNT_OF(group_keys));
		native_read_group(reader, &native, &list->children[i]);
	}
}

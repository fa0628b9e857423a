/* Loose forms of the inventory: no apiVersion and kind, other words, lists or maps of groups
 * (node-groups.md section 20). Unknown keys are nobody's business here. */
#include "native.h"

static const char *const list_keys[] = { "nodeGroups", "node_groups", "nodegroups", "nodePools",
	                                 "node_pools", "nodepools", "pools" };

static const struct native loose_native = { .loose = true };

/* The first of the keys counts. */
static const struct node *group_list(const struct node *root)
{
	const struct node *list = node_first(root, list_keys, COUNT_OF(list_keys));

	return (node_is_list(list) || node_is_map(list)) && !list->unknown ? list : NULL;
}

/* Does it look like a node group: has it a size or an instance type? */
static bool looks_like_group(const struct node *item)
{
	static const char *const keys[] = { "minSize", "maxSize", "desiredSize", "instanceTypes" };

	for (size_t i = 0; node_is_map(item) && i < COUNT_OF(keys); i++)
		if (native_get(&loose_native, item, keys[i]))
			return true;
	return false;
}

bool loose_detect(str api_version, str kind, const struct node *root)
{
	const struct node *list = group_list(root);

	return !api_version.n && !kind.n && !node_get(root, "apiVersion") &&
	       !node_get(root, "kind") && list && list->child_count &&
	       looks_like_group(&list->children[0]);
}

/* Only a group with a labels key has a closed list. */
static void read_item(const struct reader *reader, const struct node *item, const struct node *list,
                      struct map *names)
{
	struct native native = loose_native;
	struct group *group;

	native.labels_closed = native_get(&native, item, "labels") != NULL;
	if (node_is_list(list)) {
		if (group_item_check(reader, item, native_get(&native, item, "name"), names))
			native_read_group(reader, &native, item);
		return;
	}
	/* A map of groups keyed by name; what is no map is no group. */
	if (!node_is_map(item) || item->unknown)
		return;
	group = native_read_group(reader, &native, item);
	if (!group->name.n)
		group->name = item->key;
}

void loose_read(const struct reader *reader)
{
	const struct node *list = group_list(reader->entry->root);
	struct map *names = map_new(reader->arena);

	reader->pools->loose = true;
	for (uint32_t i = 0; list && i < list->child_count; i++)
		read_item(reader, &list->children[i], list, names);
}

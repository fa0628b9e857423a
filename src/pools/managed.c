/* Fields of cloud APIs in their spellings, and what pools of all clouds share. */
#include "managed.h"

/* The field's name in camelCase equals the key? (max_node_count, maxNodeCount) */
static bool is_camel_of(str key, const char *snake)
{
	size_t i = 0;

	for (; *snake; snake++) {
		char c = *snake;

		if (c == '_') {
			c = *++snake;
			if (c >= 'a' && c <= 'z')
				c = (char)(c + 'A' - 'a');
		}
		if (!c || i == key.n || key.p[i] != c)
			return false;
		i++;
	}
	return i == key.n;
}

const struct node *managed_get(const struct node *values, const char *name)
{
	if (!node_is_map(values))
		return NULL;
	for (uint32_t i = 0; i < values->child_count; i++) {
		const struct node *child = &values->children[i];

		if (str_is(child->key, name) || is_camel_of(child->key, name))
			return node_is_null(child) ? NULL : child;
	}
	return NULL;
}

const struct node *managed_block(const struct node *values, const char *name)
{
	const struct node *node = managed_get(values, name);

	if (node_is_list(node))
		node = node->child_count ? &node->children[0] : NULL;
	return node_is_map(node) ? node : NULL;
}

/* after_unknown repeats the fields with true where nothing is known yet; lists of blocks hold
 * objects, which are empty when all is known. */
static bool holds_true(const struct node *node, int depth)
{
	bool value = false;

	if (node_is_scalar(node))
		return node_bool(node, &value) && value;
	for (uint32_t i = 0; node && depth < 8 && i < node->child_count; i++)
		if (holds_true(&node->children[i], depth + 1))
			return true;
	return false;
}

/* A template in the value, or a value that Terraform does not know yet. */
bool managed_is_unknown(const struct managed *managed, const char *name)
{
	const struct node *node = managed_get(managed->values, name);

	return (node && node->unknown) ||
	       holds_true(managed_get(managed->unknown, name), 0);
}

bool managed_flag(const struct node *values, const char *name)
{
	bool value = false;

	return node_bool(managed_get(values, name), &value) && value;
}

struct group *managed_begin(const struct reader *reader, const struct managed *managed,
                            const char *provider, const char *labels, const char *taints)
{
	struct group *group = group_new(reader, managed->name, managed->node);

	group->provider = str_of(provider);
	group->version = managed->version;
	group->labels_complete = !managed_is_unknown(managed, labels);
	group->taints_known = !managed_is_unknown(managed, taints);
	pools_add_version(reader->pools, managed->version);
	return group;
}

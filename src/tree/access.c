/* Reading a tree without fear of NULL and of wrong kinds: whatever is not there answers as
 * absent, so the code that reads manifests needs no checks of its own. */
#include "tree-internal.h"

#include <string.h>

static const struct node *child_of(const struct node *node, str key)
{
	if (!node || node->kind != NODE_MAP)
		return NULL;
	for (uint32_t i = 0; i < node->child_count; i++)
		if (str_eq(node->children[i].key, key))
			return &node->children[i];
	return NULL;
}

const struct node *node_get(const struct node *node, const char *key)
{
	return child_of(node, str_of(key));
}

/* No key of the API's types has a dot in it; labels are asked for with node_get(). */
const struct node *node_at(const struct node *node, const char *path)
{
	str rest = str_of(path), key;

	while (node && str_next(&rest, '.', &key))
		node = child_of(node, key);
	return node;
}

bool node_is_map(const struct node *node)
{
	return node && node->kind == NODE_MAP;
}

bool node_is_list(const struct node *node)
{
	return node && node->kind == NODE_LIST;
}

bool node_is_scalar(const struct node *node)
{
	return node && node->kind == NODE_SCALAR && node->type != SCALAR_NULL;
}

bool node_is_null(const struct node *node)
{
	return !node || (node->kind == NODE_SCALAR && node->type == SCALAR_NULL);
}

str node_text(const struct node *node)
{
	return node_is_scalar(node) ? node->text : (str){ 0 };
}

/* A fault always has a place, so that it can be printed: at worst the document's begin. */
struct fault *tree_add_fault(struct tree *tree, enum fault_kind kind, const struct node *node)
{
	struct fault *fault = VEC_PUSH(tree->arena, &tree->faults);

	fault->kind = kind;
	fault->node = node;
	fault->span = node_place(node);
	if (!fault->span.file)
		fault->span = (struct span){ tree->source->id, tree->document->begin,
			                     tree->document->begin };
	return fault;
}

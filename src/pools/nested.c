/* Documents inside of documents. */
#include "nested.h"

/* Texts in texts in texts. */
#define NESTING 3

void *nested_hold(struct arena *arena, const struct node *node)
{
	const struct node **held;

	if (!node)
		return NULL;
	held = ARENA_NEW(arena, const struct node *);
	*held = node;
	return held;
}

const struct node *nested_held(void *held)
{
	const struct node **node = held;

	return node ? *node : NULL;
}

/* Bounded, as a text may hold a text that holds a text. */
static bool go_deeper(const struct reader *reader)
{
	return reader->context->nesting < NESTING;
}

static void read_root(const struct reader *reader, const struct node *root,
                      const struct node *scalar)
{
	const struct entry entry = {
		.tree = reader->entry->tree, .root = root,
		.api_version = node_text(node_get(root, "apiVersion")),
		.kind = node_text(node_get(root, "kind")),
		.name = node_text(node_at(root, "metadata.name")),
		.namespace = node_text(node_at(root, "metadata.namespace")),
	};

	reader->context->nesting++;
	read_entry(reader->context, &entry, scalar);
	reader->context->nesting--;
}

void nested_read_node(const struct reader *reader, const struct node *root)
{
	if (node_is_map(root) && !root->unknown && go_deeper(reader))
		read_root(reader, root, reader->scalar);
}

/* What cannot be parsed is no manifest: the outer file is fine. */
void nested_read_text(const struct reader *reader, const struct node *scalar)
{
	struct trees trees = { 0 };

	if (!node_is_scalar(scalar) || scalar->unknown || !go_deeper(reader))
		return;
	tree_parse_embedded(reader->arena, reader->entry->tree, scalar, &trees);
	for (size_t i = 0; i < trees.n; i++)
		if (node_is_map(trees.v[i]->root))
			read_root(reader, trees.v[i]->root, scalar);
}

void nested_read_values(const struct reader *reader, str chart, const struct node *values)
{
	struct trees trees = { 0 };
	struct reader inner = *reader;

	if (!str_is(chart, "cluster-autoscaler") || !values || values->unknown)
		return;
	if (node_is_map(values)) {
		values_read_autoscaler(reader, values);
		return;
	}
	tree_parse_embedded(reader->arena, reader->entry->tree, values, &trees);
	inner.scalar = values;
	for (size_t i = 0; i < trees.n; i++)
		if (node_is_map(trees.v[i]->root))
			values_read_autoscaler(&inner, trees.v[i]->root);
}

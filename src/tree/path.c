/* Where a node is: its path in words, its place in the file. The form of paths is that of
 * outputs.md, section 0, rule 9; the place of a finding is never a whole block. */
#include "tree-internal.h"

/* Letters, digits, `_` and `-` stand without brackets. */
static bool is_plain_key(str key)
{
	for (size_t i = 0; i < key.n; i++) {
		char c = key.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-'))
			return false;
	}
	return key.n > 0;
}

/* The first key has no dot before it. */
static void add_key(struct buf *buf, str key)
{
	if (!is_plain_key(key)) {
		buf_add(buf, STR("[\""));
		buf_add(buf, key);
		buf_add(buf, STR("\"]"));
		return;
	}
	if (buf->n)
		buf_char(buf, '.');
	buf_add(buf, key);
}

/* The parents of node up to (without) below, the nearest last. */
struct steps VEC(const struct node *);

/* Collected from the node upwards, written from the root down. */
str node_path(struct arena *arena, const struct node *below, const struct node *node,
              const char *absent)
{
	struct buf buf = { .arena = arena };
	struct steps steps = { 0 };

	for (; node && node != below && node->parent; node = node->parent)
		*VEC_PUSH(arena, &steps) = node;
	while (steps.n--) {
		const struct node *step = steps.v[steps.n];

		if (step->parent->kind == NODE_LIST)
			buf_printf(&buf, "[%u]", step->index);
		else
			add_key(&buf, step->key);
	}
	if (absent)
		add_key(&buf, str_of(absent));
	return buf_str(&buf);
}

struct span node_key_place(const struct node *node)
{
	for (; node; node = node->parent)
		if (node->key_span.file)
			return node->key_span;
	return (struct span){ 0 };
}

/* An empty value has no text to point at, so its key stands for it. */
struct span node_place(const struct node *node)
{
	if (!node)
		return (struct span){ 0 };
	if (node->kind == NODE_SCALAR && node->span.end > node->span.begin)
		return node->span;
	for (const struct node *at = node; at; at = at->parent)
		if (at->key_span.file)
			return at->key_span;
	/* The root itself: its first key, or the place where it begins. */
	if (node->kind == NODE_MAP && node->child_count && node->children[0].key_span.file)
		return node->children[0].key_span;
	return (struct span){ node->span.file, node->span.begin, node->span.begin };
}

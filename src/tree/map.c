/* Closing containers: children into one array, merge keys, keys given twice. */
#include "tree-internal.h"

#include <string.h>

/* A key that stood twice: where it stood first. */
struct repeat {
	str key;
	struct span first;
};
struct repeats VEC(struct repeat);

/* Said of one map; more of them tell nothing new. */
#define REPEATS_SAID 100

void node_relink(struct node *node)
{
	for (uint32_t i = 0; i < node->child_count; i++) {
		struct node *child = &node->children[i];

		child->parent = node;
		child->index = i;
		for (uint32_t j = 0; j < child->child_count; j++)
			child->children[j].parent = child;
	}
}

void node_adopt(struct parser *parser, struct node *parent, size_t base)
{
	size_t count = parser->stack.n - base;

	parent->child_count = (uint32_t)count;
	if (count) {
		parent->children = arena_calloc(parser->tree->arena, count, sizeof(struct node));
		memcpy(parent->children, parser->stack.v + base, count * sizeof(struct node));
	}
	parser->stack.n = base;
	node_relink(parent);
}

static bool is_merge_key(const struct node *node)
{
	return node->style == STYLE_PLAIN && str_is(node->key, "<<") &&
	       (node->kind == NODE_MAP || node->kind == NODE_LIST);
}

/* Drops the earlier of two equal keys and remembers where it stood. */
static void drop_repeats(struct parser *parser, size_t base, struct repeats *repeats)
{
	struct map *seen = map_new(parser->scratch); /* key -> index + 1 of the latest */
	size_t count = parser->stack.n - base, kept = 0;
	struct node *v = parser->stack.v + base;
	bool *lost = arena_alloc(parser->scratch, count);

	for (size_t i = 0; i < count; i++) {
		size_t former;

		if (is_merge_key(&v[i]))
			continue;
		former = (size_t)(uintptr_t)map_put(seen, v[i].key, (void *)(uintptr_t)(i + 1));
		if (!former)
			continue;
		lost[former - 1] = true;
		if (repeats->n < REPEATS_SAID)
			*VEC_PUSH(parser->scratch, repeats) =
				(struct repeat){ v[i].key, v[former - 1].key_span };
	}
	for (size_t i = 0; i < count; i++)
		if (!lost[i])
			v[kept++] = v[i];
	parser->stack.n = base + kept;
}

static void merge_map(struct parser *parser, struct map *present, const struct node *from)
{
	if (from->kind != NODE_MAP)
		return;
	for (uint32_t i = 0; i < from->child_count; i++) {
		struct node child = from->children[i];

		if (map_put(present, child.key, parser))
			continue;
		child.merged = true;
		*VEC_PUSH(parser->scratch, &parser->stack) = child;
	}
}

/* Replaces `<<` entries by what they bring in; explicit keys win, then the earlier map. */
static void apply_merges(struct parser *parser, size_t base)
{
	struct map *present = map_new(parser->scratch);
	struct node_stack merges = { 0 };
	size_t kept = base;

	for (size_t i = base; i < parser->stack.n; i++) {
		if (is_merge_key(&parser->stack.v[i])) {
			*VEC_PUSH(parser->scratch, &merges) = parser->stack.v[i];
			continue;
		}
		map_put(present, parser->stack.v[i].key, parser);
		parser->stack.v[kept++] = parser->stack.v[i];
	}
	parser->stack.n = kept;
	for (size_t i = 0; i < merges.n; i++) {
		const struct node *merge = &merges.v[i];

		merge_map(parser, present, merge);
		for (uint32_t j = 0; merge->kind == NODE_LIST && j < merge->child_count; j++)
			merge_map(parser, present, &merge->children[j]);
	}
}

static bool keys_differ(const struct parser *parser, size_t base, bool *ret_merge)
{
	size_t count = parser->stack.n - base;
	const struct node *v = parser->stack.v + base;

	*ret_merge = false;
	for (size_t i = 0; i < count; i++)
		*ret_merge = *ret_merge || is_merge_key(&v[i]);
	if (count > 12)
		return false;
	for (size_t i = 1; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (str_eq(v[i].key, v[j].key))
				return false;
	return true;
}

static void say_repeats(struct parser *parser, const struct node *map,
                        const struct repeats *repeats)
{
	for (size_t i = 0; i < repeats->n; i++)
		for (uint32_t j = 0; j < map->child_count; j++) {
			const struct node *child = &map->children[j];
			struct fault *fault;

			if (child->merged || !str_eq(child->key, repeats->v[i].key))
				continue;
			fault = tree_add_fault(parser->tree, FAULT_DUPLICATE_KEY, child);
			fault->span = child->key_span;
			fault->related = repeats->v[i].first;
			fault->a = child->key;
		}
}

void map_close(struct parser *parser, struct node *map, size_t base)
{
	struct repeats repeats = { 0 };
	bool merge;

	if (!keys_differ(parser, base, &merge))
		drop_repeats(parser, base, &repeats);
	if (merge)
		apply_merges(parser, base);
	node_adopt(parser, map, base);
	say_repeats(parser, map, &repeats);
}

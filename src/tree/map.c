/* Closing containers: children into one array, merge keys, keys given twice. Here every node
 * gets its final address; until then it lies on the parser's stack and may move. */
#include "tree-internal.h"

#include <string.h>

/* A key that stood more than once: where it stood before. */
struct repeat {
	str key;
	struct span first;
};
struct repeats VEC(struct repeat);

/* Said of one map; more of them tell nothing new. */
#define REPEATS_SAID 100

#define STACK_FIRST 256

/* Up to so many keys are compared each with each. */
#define KEYS_COMPARED 12

/* Doubled in place: an arena would keep every former array, and large lists make large arrays. */
struct node *stack_push(struct parser *parser)
{
	struct node_stack *stack = &parser->stack;

	if (stack->n == stack->cap) {
		stack->cap = stack->cap ? stack->cap * 2 : STACK_FIRST;
		stack->v = memory_regrow(stack->v, stack->cap * sizeof *stack->v);
	}
	return &stack->v[stack->n++];
}

/* Grandchildren need it too: their parent has just moved. */
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

/* The children's own children stay where they are; only pointers to the parent change. */
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

/* Of two equal keys the later one wins, as Go's decoder has it: also a merged one over an
 * explicit one before it. Only two explicit ones are a mistake. */
static void drop_repeats(struct parser *parser, size_t base, struct repeats *repeats)
{
	struct map *seen = map_new(parser->scratch); /* key -> index + 1 of the latest */
	size_t count = parser->stack.n - base, kept = 0;
	struct node *v = parser->stack.v + base;
	bool *lost = arena_alloc(parser->scratch, count);

	for (size_t i = 0; i < count; i++) {
		size_t former = (size_t)(uintptr_t)map_put(seen, v[i].key,
		                                           (void *)(uintptr_t)(i + 1));

		if (!former)
			continue;
		lost[former - 1] = true;
		if (repeats->n < REPEATS_SAID && !v[i].merged && !v[former - 1].merged)
			*VEC_PUSH(parser->scratch, repeats) =
				(struct repeat){ v[i].key, v[former - 1].key_span };
	}
	for (size_t i = 0; i < count; i++)
		if (!lost[i])
			v[kept++] = v[i];
	parser->stack.n = base + kept;
}

/* The values keep their places in the anchor's text. */
static void push_merged(struct parser *parser, const struct node *from)
{
	for (uint32_t i = 0; i < from->child_count; i++) {
		struct node child = from->children[i];

		child.merged = true;
		*stack_push(parser) = child;
	}
}

/* What `<<` may hold: a map, or a list of maps. */
static bool is_mergeable(const struct node *node)
{
	for (uint32_t i = 0; node->kind == NODE_LIST && i < node->child_count; i++)
		if (node->children[i].kind != NODE_MAP)
			return false;
	return node->kind != NODE_SCALAR;
}

/* An unknown value may bring in anything; it is left out rather than guessed. */
static bool push_merge(struct parser *parser, const struct node *merge)
{
	if (merge->unknown)
		return true;
	if (!is_mergeable(merge)) {
		parser_fail(parser, FAULT_SYNTAX, merge->key_span,
		            STR("`<<` wants a map or a list of maps"));
		return false;
	}
	if (merge->kind == NODE_MAP)
		push_merged(parser, merge);
	else
		for (uint32_t i = merge->child_count; i-- > 0;) /* the first of a list wins */
			push_merged(parser, &merge->children[i]);
	return true;
}

/* Replaces `<<` entries by what they bring in. Until here `merged` marks the entry itself. */
static bool apply_merges(struct parser *parser, size_t base)
{
	struct node_stack entries = { 0 };

	for (size_t i = base; i < parser->stack.n; i++)
		*VEC_PUSH(parser->scratch, &entries) = parser->stack.v[i];
	parser->stack.n = base;
	for (size_t i = 0; i < entries.n; i++) {
		if (!entries.v[i].merged)
			*stack_push(parser) = entries.v[i];
		else if (!push_merge(parser, &entries.v[i]))
			return false;
	}
	return true;
}

static bool has_merge(const struct node *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (v[i].merged)
			return true;
	return false;
}

/* Cheap for the few keys that most maps have; true means that it has to be looked at. */
static bool may_repeat(const struct node *v, size_t count)
{
	if (count > KEYS_COMPARED)
		return true;
	for (size_t i = 1; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (str_eq(v[i].key, v[j].key))
				return true;
	return false;
}

/* A key given three times is one mistake, not two. */
static bool is_said(const struct repeats *repeats, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (str_eq(repeats->v[i].key, repeats->v[j].key))
			return true;
	return false;
}

/* Placed at the key that wins: it is the one that is to be removed or renamed. */
static void say_repeat(struct parser *parser, const struct node *map,
                       const struct repeat *repeat)
{
	for (uint32_t i = 0; i < map->child_count; i++) {
		const struct node *child = &map->children[i];
		struct fault *fault;

		if (child->merged || !str_eq(child->key, repeat->key))
			continue;
		fault = tree_add_fault(parser->tree, FAULT_DUPLICATE_KEY, child);
		fault->span = child->key_span;
		fault->related = repeat->first;
		fault->a = child->key;
	}
}

/* The order matters: merged entries take part in the search for repeated keys. */
bool map_close(struct parser *parser, struct node *map, size_t base)
{
	struct repeats repeats = { 0 };

	if (parser->stack.n == base)
		return true;
	if (has_merge(parser->stack.v + base, parser->stack.n - base) &&
	    !apply_merges(parser, base))
		return false;
	if (may_repeat(parser->stack.v + base, parser->stack.n - base))
		drop_repeats(parser, base, &repeats);
	node_adopt(parser, map, base);
	for (size_t i = 0; i < repeats.n; i++)
		if (!is_said(&repeats, i))
			say_repeat(parser, map, &repeats.v[i]);
	return true;
}

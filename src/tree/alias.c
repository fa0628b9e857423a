/* Anchors and aliases: copies within a budget. */
#include "tree-internal.h"

#include <string.h>

/* goyaml.v2 refuses documents that are mostly copies; a small one may hold 99 of a hundred, a
 * large one fewer (decode.go, allowedAliasRatio). What kubectl refuses is refused here too, and
 * long before the copies cost memory. */
#define COPIES_CHECKED 100
#define NODES_CHECKED 1000
#define SMALL_DOCUMENT 400000
#define LARGE_DOCUMENT 4000000
#define SMALL_PERMILLE 990
#define LARGE_PERMILLE 100

/* Copies allowed among a thousand nodes. */
static size_t allowed_permille(size_t nodes)
{
	if (nodes <= SMALL_DOCUMENT)
		return SMALL_PERMILLE;
	if (nodes >= LARGE_DOCUMENT)
		return LARGE_PERMILLE;
	return SMALL_PERMILLE - (SMALL_PERMILLE - LARGE_PERMILLE) * (nodes - SMALL_DOCUMENT) /
	                                (LARGE_DOCUMENT - SMALL_DOCUMENT);
}

/* Limits end a document: half a tree would be judged as if it were whole. */
static bool limit_fail(struct parser *parser, const yaml_event_t *event, str text)
{
	size_t begin, end;

	event_bytes(parser, event, &begin, &end);
	parser_fail(parser, FAULT_LIMIT, parser_span(parser, begin, end), text);
	return false;
}

/* Counted before anything is copied, so that a bomb costs no memory. */
bool count_nodes(struct parser *parser, const yaml_event_t *event, size_t count)
{
	if (count <= TREE_MAX_NODES && parser->nodes + count <= TREE_MAX_NODES) {
		parser->nodes += count;
		return true;
	}
	return limit_fail(parser, event,
	                  str_format(parser->tree->arena,
	                             "more than %d nodes in one document, aliases expanded",
	                             TREE_MAX_NODES));
}

bool fits_depth(struct parser *parser, const yaml_event_t *event, unsigned depth)
{
	if (depth <= TREE_MAX_DEPTH)
		return true;
	return limit_fail(parser, event,
	                  str_format(parser->tree->arena, "nested deeper than %d levels",
	                             TREE_MAX_DEPTH));
}

/* An alias counts as a node of its own besides what it brings in, as it does in Go. */
static bool count_copies(struct parser *parser, const yaml_event_t *event, size_t count)
{
	size_t steps;

	if (!count_nodes(parser, event, count))
		return false;
	parser->copies += count;
	parser->aliases++;
	steps = parser->nodes + parser->aliases;
	if (parser->copies <= COPIES_CHECKED || steps <= NODES_CHECKED ||
	    parser->copies * 1000 <= steps * allowed_permille(steps))
		return true;
	return limit_fail(parser, event,
	                  str_format(parser->tree->arena,
	                             "aliases multiply the document: %zu of its first %zu nodes "
	                             "are copies",
	                             parser->copies, parser->nodes));
}

/* A later anchor of the same name replaces the former from here on, also within itself. */
struct anchor *anchor_open(struct parser *parser, const yaml_event_t *event)
{
	const yaml_char_t *name = NULL;
	struct anchor *anchor;

	if (event->type == YAML_SCALAR_EVENT)
		name = event->data.scalar.anchor;
	else if (event->type == YAML_MAPPING_START_EVENT)
		name = event->data.mapping_start.anchor;
	else if (event->type == YAML_SEQUENCE_START_EVENT)
		name = event->data.sequence_start.anchor;
	if (!name)
		return NULL;
	anchor = ARENA_NEW(parser->scratch, struct anchor);
	anchor->open = true;
	map_put(parser->anchors, str_copy(parser->scratch, str_of((const char *)name)), anchor);
	return anchor;
}

/* Gives node its own copy of its children; depth is its own. */
static bool copy_children(struct parser *parser, const yaml_event_t *event, struct node *node,
                          unsigned depth)
{
	const struct node *from = node->children;

	node->aliased = true;
	if (node->kind != NODE_SCALAR && !fits_depth(parser, event, depth))
		return false;
	if (!node->child_count)
		return true;
	node->children = arena_calloc(parser->tree->arena, node->child_count, sizeof(struct node));
	memcpy(node->children, from, node->child_count * sizeof(struct node));
	for (uint32_t i = 0; i < node->child_count; i++)
		if (!copy_children(parser, event, &node->children[i], depth + 1))
			return false;
	node_relink(node);
	return true;
}

/* A copy for each alias gives every node one parent and one path; its places stay those of the
 * anchor's text, where the value has to be changed. */
bool read_alias(struct parser *parser, const yaml_event_t *event, unsigned depth,
                struct node *ret_node)
{
	str name = str_of((const char *)event->data.alias.anchor);
	const struct anchor *anchor = map_get(parser->anchors, name);
	size_t begin;

	if (!anchor || anchor->open)
		return event_fail(parser, event,
		                  str_format(parser->tree->arena,
		                             anchor ? "alias *%.*s lies within its own anchor"
		                                    : "alias *%.*s names no anchor before it",
		                             STR_ARG(name)));
	if (!count_copies(parser, event, anchor->size))
		return false;
	*ret_node = anchor->node;
	if (!copy_children(parser, event, ret_node, depth))
		return false;
	event_bytes(parser, event, &begin, &parser->last_end);
	return true;
}

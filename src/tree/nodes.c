/* Nodes from libyaml's events. Recursion is as deep as the document, which is bounded. */
#include "tree-internal.h"

/* The unquoted {{ … }} that YAML reads as a map in a map. */
static bool is_template(const struct parser *parser, size_t begin)
{
	return str_starts(str_slice(parser->marks.fed, begin, parser->marks.fed.n), STR("{{"));
}

/* A node whose value a template engine would fill in: as a scalar with the template's text. */
static void become_template(struct parser *parser, size_t begin, size_t end, struct node *node)
{
	struct node unknown = { .kind = NODE_SCALAR, .type = SCALAR_STRING, .flow = true,
		                .unknown = true };

	unknown.span = parser_span(parser, begin, end);
	unknown.text = str_copy(parser->tree->arena, str_slice(parser->marks.fed, begin, end));
	*node = unknown;
}

/* Reads the key that begins with event into child's key. It is as deep as its value would be,
 * since a key may be a map with such a key. */
static bool read_key(struct parser *parser, const yaml_event_t *event, unsigned depth,
                     struct node *ret_child)
{
	struct node key = { 0 };
	size_t begin, end;

	event_bytes(parser, event, &begin, &end);
	if (!read_node(parser, event, depth, &key))
		return false;
	if (key.kind == NODE_SCALAR && !key.flow)
		return read_scalar_key(parser, event, &key, ret_child);
	if (!is_template(parser, begin) && !(begin && is_template(parser, begin - 1)))
		return event_fail(parser, event,
		                  STR("a map key must be a plain value, not a map or a list"));
	become_template(parser, begin, parser->last_end, &key);
	ret_child->key = key.text;
	ret_child->key_span = key.span;
	ret_child->unknown = true;
	return true;
}

/* One value below a map; child's key is set. */
static bool read_value(struct parser *parser, unsigned depth, struct node *child)
{
	struct node key = *child;
	yaml_event_t event;
	bool good;

	if (!parser_next(parser, &event))
		return false;
	good = read_node(parser, &event, depth, child);
	yaml_event_delete(&event);
	child->key = key.key;
	child->key_span = key.key_span;
	child->merged = key.merged;
	child->unknown = child->unknown || key.unknown;
	return good;
}

/* A node of a list, or a key with its value, onto the stack. */
static bool read_child(struct parser *parser, const yaml_event_t *event, unsigned depth,
                       bool in_map)
{
	struct node child = { 0 };
	bool good = in_map ? read_key(parser, event, depth, &child) &&
	                             read_value(parser, depth, &child)
	                   : read_node(parser, event, depth, &child);

	if (good)
		*stack_push(parser) = child;
	return good;
}

/* The span is the template's own; the fault's node is what it would have filled in. */
void note_template(struct parser *parser, const struct node *node)
{
	str written = str_slice(parser->tree->source->text, node->key_span.begin,
	                        node->key_span.end);
	bool value = node->kind == NODE_SCALAR && node->flow;
	bool key = node->unknown && str_starts(written, STR("{{"));
	struct fault *fault;

	/* Copies say nothing new. */
	if ((!value && !key) || node->aliased || node->merged)
		return;
	fault = tree_add_fault(parser->tree, FAULT_TEMPLATE, node);
	fault->span = value ? node->span : node->key_span;
	fault->a = value ? node->text : node->key;
}

/* Templates are told of when their nodes have got their place. */
static void note_templates(struct parser *parser, const struct node *parent)
{
	for (uint32_t i = 0; parser->tree->has_template && i < parent->child_count; i++)
		note_template(parser, &parent->children[i]);
}

/* A block collection ends where its last child does: libyaml says so only at the next token,
 * which may be pages of comments away. */
static bool close_container(struct parser *parser, const yaml_event_t *end, struct node *node,
                            size_t base, size_t begin)
{
	size_t unused;

	if (node->kind == NODE_LIST)
		node_adopt(parser, node, base);
	else if (!map_close(parser, node, base))
		return false;
	if (node->flow)
		event_bytes(parser, end, &unused, &parser->last_end);
	if (parser->last_end < begin)
		parser->last_end = begin;
	node->span = parser_span(parser, begin, parser->last_end);
	note_templates(parser, node);
	return true;
}

/* Events up to the end of this container. */
static bool read_children(struct parser *parser, unsigned depth, struct node *node,
                          size_t begin)
{
	size_t base = parser->stack.n;
	bool good = true, open = true;

	while (good && open) {
		yaml_event_t event;

		if (!parser_next(parser, &event))
			return false;
		open = event.type != YAML_MAPPING_END_EVENT &&
		       event.type != YAML_SEQUENCE_END_EVENT;
		good = open ? read_child(parser, &event, depth + 1, node->kind == NODE_MAP)
		            : close_container(parser, &event, node, base, begin);
		yaml_event_delete(&event);
	}
	return good;
}

/* Depth is checked before the children are read, so it bounds the recursion. */
static bool read_container(struct parser *parser, const yaml_event_t *event, unsigned depth,
                           struct node *ret_node)
{
	bool map = event->type == YAML_MAPPING_START_EVENT;
	size_t begin, end;

	event_bytes(parser, event, &begin, &end);
	ret_node->kind = map ? NODE_MAP : NODE_LIST;
	ret_node->flow = map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
	                     : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	if (!fits_depth(parser, event, depth) || !read_children(parser, depth, ret_node, begin))
		return false;
	if (map && ret_node->flow && is_template(parser, begin))
		become_template(parser, begin, parser->last_end, ret_node);
	return true;
}

/* The one entry for all kinds of nodes. The anchor is registered before the children are read,
 * so that an alias among them is known to be a loop. */
bool read_node(struct parser *parser, const yaml_event_t *event, unsigned depth,
               struct node *ret_node)
{
	size_t before = parser->nodes;
	struct anchor *anchor;
	bool good;

	if (event->type == YAML_ALIAS_EVENT)
		return read_alias(parser, event, depth, ret_node);
	if (!count_nodes(parser, event, 1))
		return false;
	anchor = anchor_open(parser, event);
	if (event->type == YAML_SCALAR_EVENT)
		good = read_scalar(parser, event, ret_node);
	else
		good = read_container(parser, event, depth, ret_node);
	if (good && anchor) {
		anchor->node = *ret_node;
		anchor->size = parser->nodes - before;
		anchor->open = false;
	}
	return good;
}

/* libyaml's events to a tree whose nodes know their bytes. */
#include "tree-internal.h"

#include <yaml.h>

#include <string.h>

/* One document being read. The event at hand is owned by whoever took it. */
struct reader {
	struct parser *parser;
	yaml_parser_t yaml;
};

static bool read_node(struct reader *reader, const yaml_event_t *event, unsigned depth,
                      struct node *ret_node);

void parser_fail(struct parser *parser, enum fault_kind kind, size_t begin, str text)
{
	struct tree *tree = parser->tree;
	uint32_t at = marks_offset(&parser->marks, begin);
	struct fault *fault;

	if (parser->failed)
		return;
	parser->failed = true;
	fault = VEC_PUSH(tree->arena, &tree->faults);
	fault->kind = kind;
	fault->span = (struct span){ tree->source->id, at, at };
	fault->a = text;
	if (kind == FAULT_SYNTAX && tree->has_template) {
		fault->kind = FAULT_TEMPLATE;
		fault->b = text;
	}
}

static void fail_from_yaml(struct reader *reader)
{
	struct parser *parser = reader->parser;
	const yaml_parser_t *yaml = &reader->yaml;
	bool reading = yaml->error == YAML_READER_ERROR;
	size_t byte = reading ? yaml->problem_offset
	                      : marks_byte(&parser->marks, yaml->problem_mark.index);
	str at = str_slice(parser->marks.fed, byte, parser->marks.fed.n);

	parser_fail(parser, FAULT_SYNTAX, byte,
	            problem_words(parser->tree->arena, yaml->problem, yaml->context, at));
}

static bool next_event(struct reader *reader, yaml_event_t *ret_event)
{
	if (yaml_parser_parse(&reader->yaml, ret_event))
		return true;
	fail_from_yaml(reader);
	return false;
}

static struct span event_span(struct reader *reader, const yaml_event_t *event)
{
	struct marks *marks = &reader->parser->marks;
	size_t begin = marks_byte(marks, event->start_mark.index);
	size_t end = marks_byte(marks, event->end_mark.index);

	return (struct span){ reader->parser->tree->source->id, marks_offset(marks, begin),
		              marks_offset(marks, end) };
}

static size_t event_byte(struct reader *reader, const yaml_event_t *event)
{
	return marks_byte(&reader->parser->marks, event->start_mark.index);
}

/* One more node; false when the document has too many. */
static bool count_nodes(struct reader *reader, const yaml_event_t *event, size_t count)
{
	struct parser *parser = reader->parser;

	if (count <= TREE_MAX_NODES && parser->nodes + count <= TREE_MAX_NODES) {
		parser->nodes += count;
		return true;
	}
	parser_fail(parser, FAULT_LIMIT, event_byte(reader, event),
	            str_format(parser->tree->arena,
	                       "more than %d nodes in one document, aliases expanded",
	                       TREE_MAX_NODES));
	return false;
}

static bool fits_depth(struct reader *reader, const yaml_event_t *event, unsigned depth)
{
	if (depth <= TREE_MAX_DEPTH)
		return true;
	parser_fail(reader->parser, FAULT_LIMIT, event_byte(reader, event),
	            str_format(reader->parser->tree->arena, "nested deeper than %d levels",
	                       TREE_MAX_DEPTH));
	return false;
}

static void remember_anchor(struct reader *reader, const yaml_char_t *name,
                            const struct node *node, size_t nodes_before)
{
	struct parser *parser = reader->parser;
	struct anchor *anchor;

	if (!name)
		return;
	anchor = ARENA_NEW(parser->scratch, struct anchor);
	anchor->node = *node;
	anchor->size = parser->nodes - nodes_before;
	map_put(parser->anchors, str_copy(parser->scratch, str_of((const char *)name)), anchor);
}

/* ---- scalars ------------------------------------------------------------------------- */

static enum scalar_style style_of(yaml_scalar_style_t style)
{
	switch (style) {
	case YAML_SINGLE_QUOTED_SCALAR_STYLE:
		return STYLE_SINGLE;
	case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
		return STYLE_DOUBLE;
	case YAML_LITERAL_SCALAR_STYLE:
		return STYLE_LITERAL;
	case YAML_FOLDED_SCALAR_STYLE:
		return STYLE_FOLDED;
	default:
		return STYLE_PLAIN;
	}
}

/* A plain scalar's type, unless its tag says string (!!str, !, or one of somebody's own). */
static enum scalar_type type_of(const yaml_event_t *event, enum scalar_style style, str text)
{
	static const char *const typed[] = { "tag:yaml.org,2002:int", "tag:yaml.org,2002:float",
		                             "tag:yaml.org,2002:bool",
		                             "tag:yaml.org,2002:null" };
	const char *tag = (const char *)event->data.scalar.tag;

	if (!tag)
		return style == STYLE_PLAIN ? scalar_resolve(text) : SCALAR_STRING;
	for (size_t i = 0; i < COUNT_OF(typed); i++)
		if (!strcmp(tag, typed[i]))
			return scalar_resolve(text);
	return SCALAR_STRING;
}

/* The bytes of the file itself where they are the value, else a copy. */
static str scalar_text(struct reader *reader, const yaml_event_t *event, struct span span)
{
	const struct tree *tree = reader->parser->tree;
	str value = { (const char *)event->data.scalar.value, event->data.scalar.length };
	str source = str_slice(tree->source->text, span.begin, span.end);

	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && str_eq(source, value))
		return source;
	if (source.n == value.n + 2 && str_eq(str_slice(source, 1, source.n - 1), value))
		return str_slice(source, 1, source.n - 1);
	return str_copy(tree->arena, value);
}

/* Block scalars end before the blank space that follows them. */
static void trim_block(const struct tree *tree, struct span *span)
{
	const char *p = tree->source->text.p;

	while (span->end > span->begin && span->end <= tree->source->text.n &&
	       (p[span->end - 1] == '\n' || p[span->end - 1] == ' ' ||
	        p[span->end - 1] == '\r'))
		span->end--;
}

static bool read_scalar(struct reader *reader, const yaml_event_t *event, struct node *ret_node)
{
	struct node *node = ret_node;

	node->kind = NODE_SCALAR;
	node->style = style_of(event->data.scalar.style);
	node->span = event_span(reader, event);
	node->text = scalar_text(reader, event, node->span);
	node->type = type_of(event, node->style, node->text);
	if (node->style == STYLE_LITERAL || node->style == STYLE_FOLDED)
		trim_block(reader->parser->tree, &node->span);
	node->unknown = template_hides(node->text);
	return true;
}

/* ---- aliases ------------------------------------------------------------------------- */

static bool copy_fits(struct reader *reader, const yaml_event_t *event, const struct node *node,
                      unsigned depth)
{
	if (!fits_depth(reader, event, depth))
		return false;
	for (uint32_t i = 0; i < node->child_count; i++)
		if (!copy_fits(reader, event, &node->children[i], depth + 1))
			return false;
	return true;
}

static void copy_children(struct arena *arena, struct node *node)
{
	const struct node *from = node->children;

	node->aliased = true;
	if (!node->child_count)
		return;
	node->children = arena_calloc(arena, node->child_count, sizeof(struct node));
	memcpy(node->children, from, node->child_count * sizeof(struct node));
	for (uint32_t i = 0; i < node->child_count; i++)
		copy_children(arena, &node->children[i]);
	node_relink(node);
}

static bool read_alias(struct reader *reader, const yaml_event_t *event, unsigned depth,
                       struct node *ret_node)
{
	struct parser *parser = reader->parser;
	str name = str_of((const char *)event->data.alias.anchor);
	const struct anchor *anchor = map_get(parser->anchors, name);

	if (!anchor) {
		parser_fail(parser, FAULT_SYNTAX, event_byte(reader, event),
		            str_format(parser->tree->arena,
		                       "alias *%.*s names no anchor before it, or one that "
		                       "contains it",
		                       STR_ARG(name)));
		return false;
	}
	if (!count_nodes(reader, event, anchor->size) ||
	    !copy_fits(reader, event, &anchor->node, depth))
		return false;
	*ret_node = anchor->node;
	copy_children(parser->tree->arena, ret_node);
	return true;
}

/* ---- maps and lists ------------------------------------------------------------------ */

/* A key that is no scalar: what an unquoted {{ … }} turns into, else refused as Go does. */
static bool take_complex_key(struct reader *reader, const yaml_event_t *event, struct node *map)
{
	struct parser *parser = reader->parser;

	if (parser->tree->has_template && map->flow) {
		map->unknown = true;
		return true;
	}
	parser_fail(parser, FAULT_SYNTAX, event_byte(reader, event),
	            STR("a map key must be a plain value, not a map or a list"));
	return false;
}

/* Reads the key that begins with event into child's key. */
static bool read_key(struct reader *reader, const yaml_event_t *event, struct node *map,
                     struct node *ret_child)
{
	struct node key = { 0 };

	if (!read_node(reader, event, TREE_MAX_DEPTH, &key))
		return false;
	if (key.kind != NODE_SCALAR && !take_complex_key(reader, event, map))
		return false;
	ret_child->key = key.text;
	ret_child->key_span = key.span;
	return true;
}

/* One value below map whose key is set. */
static bool read_value(struct reader *reader, unsigned depth, struct node *child)
{
	struct span key_span = child->key_span;
	str key = child->key;
	yaml_event_t event;
	bool good;

	if (!next_event(reader, &event))
		return false;
	good = read_node(reader, &event, depth, child);
	yaml_event_delete(&event);
	child->key = key;
	child->key_span = key_span;
	child->unknown = child->unknown || template_hides(key);
	return good;
}

static void close_span(struct reader *reader, const yaml_event_t *end, struct node *node)
{
	const struct node *last = node->child_count ? &node->children[node->child_count - 1]
	                                            : NULL;

	if (node->flow)
		node->span.end = event_span(reader, end).end;
	else if (last && last->span.end >= node->span.begin)
		node->span.end = last->span.end;
	if (node->span.end < node->span.begin)
		node->span.end = node->span.begin;
}

static bool read_children(struct reader *reader, unsigned depth, struct node *node)
{
	struct parser *parser = reader->parser;
	size_t base = parser->stack.n;
	bool map = node->kind == NODE_MAP, open = true;

	while (open) {
		struct node child = { 0 };
		yaml_event_t event;
		bool good = true;

		if (!next_event(reader, &event))
			return false;
		if (event.type == YAML_MAPPING_END_EVENT ||
		    event.type == YAML_SEQUENCE_END_EVENT) {
			open = false;
			if (map)
				map_close(parser, node, base);
			else
				node_adopt(parser, node, base);
			close_span(reader, &event, node);
		} else if (map) {
			good = read_key(reader, &event, node, &child) &&
			       read_value(reader, depth + 1, &child);
		} else {
			good = read_node(reader, &event, depth + 1, &child);
		}
		yaml_event_delete(&event);
		if (!good)
			return false;
		if (open)
			*VEC_PUSH(parser->scratch, &parser->stack) = child;
	}
	return true;
}

static bool read_container(struct reader *reader, const yaml_event_t *event, unsigned depth,
                           struct node *ret_node)
{
	bool map = event->type == YAML_MAPPING_START_EVENT;

	ret_node->kind = map ? NODE_MAP : NODE_LIST;
	ret_node->flow = map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
	                     : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	ret_node->span = event_span(reader, event);
	return fits_depth(reader, event, depth) && read_children(reader, depth, ret_node);
}

static const yaml_char_t *event_anchor(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor;
	default:
		return NULL;
	}
}

static bool read_node(struct reader *reader, const yaml_event_t *event, unsigned depth,
                      struct node *ret_node)
{
	size_t before = reader->parser->nodes;
	bool good;

	if (event->type == YAML_ALIAS_EVENT)
		return read_alias(reader, event, depth, ret_node);
	if (!count_nodes(reader, event, 1))
		return false;
	if (event->type == YAML_SCALAR_EVENT)
		good = read_scalar(reader, event, ret_node);
	else
		good = read_container(reader, event, depth, ret_node);
	if (good)
		remember_anchor(reader, event_anchor(event), ret_node, before);
	return good;
}

/* ---- templates ----------------------------------------------------------------------- */

/* Every unquoted {{ … }} that YAML read as a flow map: its value is not known. */
static void note_templates(struct tree *tree, const struct node *node)
{
	if (node->kind == NODE_MAP && node->flow && node->unknown) {
		struct fault *fault = tree_add_fault(tree, FAULT_TEMPLATE, node);

		fault->span = node->span;
		fault->a = str_slice(tree->source->text, node->span.begin, node->span.end);
		return;
	}
	for (uint32_t i = 0; i < node->child_count; i++)
		note_templates(tree, &node->children[i]);
}

/* ---- documents ----------------------------------------------------------------------- */

/* What stands behind the first document of text that holds one: libyaml alone ends a document
 * without a marker where the text makes no sense any more. */
static void expect_end(struct reader *reader)
{
	yaml_event_t event;

	if (!next_event(reader, &event))
		return;
	if (event.type == YAML_DOCUMENT_START_EVENT)
		parser_fail(reader->parser, FAULT_SYNTAX, event_byte(reader, &event),
		            STR("text behind the end of the document"));
	yaml_event_delete(&event);
}

static void read_root(struct reader *reader)
{
	struct tree *tree = reader->parser->tree;
	struct node *root = ARENA_NEW(tree->arena, struct node);
	yaml_event_t event;
	bool good;

	if (!next_event(reader, &event))
		return;
	good = read_node(reader, &event, 1, root);
	yaml_event_delete(&event);
	if (good && next_event(reader, &event)) { /* the document's end */
		yaml_event_delete(&event);
		expect_end(reader);
	}
	node_relink(root);
	if (!reader->parser->failed)
		tree->root = root;
}

void parse_text(struct parser *parser, str fed)
{
	struct reader reader = { .parser = parser };
	yaml_event_t event;
	bool more = true;

	if (!yaml_parser_initialize(&reader.yaml)) {
		parser_fail(parser, FAULT_LIMIT, 0, STR("out of memory in libyaml"));
		return;
	}
	yaml_parser_set_encoding(&reader.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader.yaml, (const unsigned char *)fed.p, fed.n);
	while (more && !parser->tree->root && next_event(&reader, &event)) {
		more = event.type != YAML_STREAM_END_EVENT;
		if (event.type == YAML_DOCUMENT_START_EVENT) {
			read_root(&reader);
			more = false;
		}
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&reader.yaml);
	if (parser->failed)
		parser->tree->root = NULL;
	if (parser->tree->root && parser->tree->has_template)
		note_templates(parser->tree, parser->tree->root);
}

struct tree *tree_parse(struct arena *arena, const struct document *document)
{
	struct tree *tree = ARENA_NEW(arena, struct tree);
	struct parser parser = { .tree = tree, .scratch = arena_new() };
	str text = str_slice(document->source->text, document->begin, document->end);
	str fed = text;

	tree->arena = arena;
	tree->source = document->source;
	tree->document = document;
	tree->has_template = template_any(text);
	parser.anchors = map_new(parser.scratch);
	if (document->source->json)
		fed = marks_join_surrogates(parser.scratch, text, &parser.marks);
	marks_init(&parser.marks, fed, document->begin);
	parse_text(&parser, fed);
	arena_free(parser.scratch);
	return tree;
}

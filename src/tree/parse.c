/* From a document to its tree: what happens around the nodes. */
#include "tree-internal.h"

#include <stdlib.h>

bool parser_next(struct parser *parser, yaml_event_t *ret_event)
{
	if (yaml_parser_parse(&parser->yaml, ret_event))
		return true;
	parser_fail_from_yaml(parser);
	return false;
}

/* A second document can begin only behind a line end that YAML knows and the source room does
 * not (U+2028 and the like). */
static void expect_end(struct parser *parser)
{
	yaml_event_t event;

	if (!parser_next(parser, &event))
		return;
	if (event.type == YAML_DOCUMENT_START_EVENT)
		event_fail(parser, &event, STR("text behind the end of the document"));
	yaml_event_delete(&event);
}

/* The tree is handed out only when the whole document has been read. */
static void read_root(struct parser *parser)
{
	struct tree *tree = parser->tree;
	struct node *root = ARENA_NEW(tree->arena, struct node);
	yaml_event_t event;
	bool good;

	if (!parser_next(parser, &event))
		return;
	good = read_node(parser, &event, 1, root);
	yaml_event_delete(&event);
	if (good && parser_next(parser, &event)) { /* the document's end */
		yaml_event_delete(&event);
		expect_end(parser);
	}
	if (parser->failed)
		return;
	node_relink(root);
	note_template(parser, root);
	tree->root = root;
}

/* Faults are found bottom-up, and told from top to bottom. */
static int by_place(const void *a, const void *b)
{
	const struct fault *first = a, *second = b;

	return (first->span.begin > second->span.begin) - (first->span.begin < second->span.begin);
}

/* Places of different faults differ, so an unstable sort will do. */
static void sort_faults(struct tree *tree)
{
	if (tree->faults.n > 1)
		qsort(tree->faults.v, tree->faults.n, sizeof *tree->faults.v, by_place);
}

/* Looked for once a document, so that most scalars need no look at all. */
void parser_begin(struct parser *parser, str text)
{
	struct tree *tree = parser->tree;

	tree->has_template = template_any(text);
	parser->may_hide = tree->has_template || template_may_hide(text);
}

/* libyaml is told that the text is UTF-8: left to guess, it would take a BOM for UTF-16 as well. */
void parse_text(struct parser *parser, str fed)
{
	yaml_event_t event;
	bool more = true;

	parser->anchors = map_new(parser->scratch);
	if (!yaml_parser_initialize(&parser->yaml)) {
		parser_fail(parser, FAULT_LIMIT, parser_span(parser, 0, 0), STR("out of memory"));
		return;
	}
	yaml_parser_set_encoding(&parser->yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser->yaml, (const unsigned char *)fed.p, fed.n);
	while (more && parser_next(parser, &event)) {
		more = event.type == YAML_STREAM_START_EVENT;
		if (event.type == YAML_DOCUMENT_START_EVENT)
			read_root(parser);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser->yaml);
}

void parser_end(struct parser *parser)
{
	sort_faults(parser->tree);
	memory_give(parser->stack.v);
	arena_free(parser->scratch);
}

/* Where to begin feeding: with the document's own `---`, behind which a block collection or a
 * plain text may stand only by certain rules. */
static uint32_t feed_begin(const struct document *document)
{
	str before = str_slice(document->source->text, 0, document->begin);

	return str_ends(before, STR("---")) ? document->begin - 3 : document->begin;
}

/* JSON first where the file's name says so; YAML otherwise, and for what is no JSON. */
struct tree *tree_parse(struct arena *arena, const struct document *document)
{
	struct tree *tree = ARENA_NEW(arena, struct tree);
	struct parser parser = { .tree = tree, .scratch = arena_new() };
	uint32_t begin = feed_begin(document);
	str text = str_slice(document->source->text, begin, document->end);
	bool json = document->source->json;

	tree->arena = arena;
	tree->source = document->source;
	tree->document = document;
	parser_begin(&parser, text);
	parser.marks.base = begin;
	if (!json || !json_parse(&parser, text)) {
		/* kubectl takes what begins with a brace for JSON, whose escapes may be pairs. */
		if (json || str_starts(str_trim(text), STR("{")))
			text = marks_join_surrogates(parser.scratch, text, &parser.marks);
		marks_init(&parser.marks, text, begin);
		parse_text(&parser, text);
	}
	parser_end(&parser);
	return tree;
}

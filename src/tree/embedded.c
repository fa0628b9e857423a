/* YAML inside a YAML string: ConfigMap entries, chart values. */
#include "tree-internal.h"

/* File offset of each line of a literal block: behind its header line, past its indentation. */
static void map_lines(struct arena *arena, const struct tree *outer, const struct node *scalar,
                      struct marks *marks)
{
	str block = str_slice(outer->source->text, scalar->span.begin, scalar->span.end);
	size_t header = str_find(block, '\n') + 1, indent = 0, at = header;

	for (size_t i = header; i < block.n && (block.p[i] == ' ' || block.p[i] == '\n'); i++)
		indent = block.p[i] == '\n' ? 0 : indent + 1;
	for (size_t fed = 0; fed < scalar->text.n && at < block.n;) {
		str line = str_slice(block, at, block.n);
		str text = str_slice(scalar->text, fed, scalar->text.n);
		size_t skip = str_find(line, '\n') < indent ? str_find(line, '\n') : indent;

		*VEC_PUSH(arena, &marks->lines) = scalar->span.begin + (uint32_t)(at + skip);
		*VEC_PUSH(arena, &marks->line_begins) = (uint32_t)fed;
		fed += str_find(text, '\n') + 1;
		at += str_find(line, '\n') + 1;
	}
}

static void parse_one(struct arena *arena, const struct tree *outer, const struct node *scalar,
                      str fed, struct trees *ret_trees)
{
	struct tree *tree = ARENA_NEW(arena, struct tree);
	struct parser parser = { .tree = tree, .scratch = arena_new() };
	size_t shift = (size_t)(fed.p - scalar->text.p);

	tree->arena = arena;
	tree->source = outer->source;
	tree->document = outer->document;
	tree->has_template = template_any(fed);
	parser.anchors = map_new(parser.scratch);
	marks_init(&parser.marks, fed, scalar->span.begin);
	if (scalar->style == STYLE_LITERAL)
		map_lines(parser.scratch, outer, scalar, &parser.marks);
	/* Lines are counted from the scalar's start, bytes from the document's. */
	for (size_t i = 0; i < parser.marks.line_begins.n; i++) {
		uint32_t begin = parser.marks.line_begins.v[i];

		parser.marks.lines.v[i] += begin < shift ? (uint32_t)(shift - begin) : 0;
		parser.marks.line_begins.v[i] = begin < shift ? 0 : begin - (uint32_t)shift;
	}
	parser.marks.fixed = !parser.marks.lines.n;
	parse_text(&parser, fed);
	arena_free(parser.scratch);
	*VEC_PUSH(arena, ret_trees) = tree;
}

void tree_parse_embedded(struct arena *arena, const struct tree *outer, const struct node *scalar,
                         struct trees *ret_trees)
{
	struct arena *scratch;
	struct source_set *set;
	const struct source *inner;

	if (!node_is_scalar(scalar))
		return;
	/* Only to find the documents: the nodes point into the outer file. */
	scratch = arena_new();
	set = source_from_text(scratch, STR("embedded"), scalar->text);
	inner = source_of(set, 1);
	for (size_t i = 0; i < inner->document_count; i++)
		parse_one(arena, outer, scalar,
		          str_slice(scalar->text, inner->documents[i].begin,
		                    inner->documents[i].end),
		          ret_trees);
	arena_free(scratch);
}

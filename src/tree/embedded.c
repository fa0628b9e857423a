/* YAML inside a YAML string: ConfigMap entries, chart values. What is said about such a text
 * shall point at its own line, so offsets within the string are taken back to the file wherever
 * the string stands there as it is. */
#include "tree-internal.h"

/* Bytes up to the LF or the end. */
static size_t line_length(str s)
{
	return str_find(s, '\n');
}

/* Bytes of indentation before line in its source line; false when it is not there as it is. */
static bool find_line(str source, str line, size_t *ret_indent)
{
	if (str_ends(source, STR("\r")))
		source.n--;
	*ret_indent = source.n - line.n;
	/* A blank line may be indented less than the block. */
	return line.n ? str_ends(source, line) : !str_trim(source).n;
}

/* File offset of each line of a literal block: behind its header line, past its indentation.
 * false when the block cannot be found again in its source. */
static bool map_lines(struct arena *arena, const struct tree *outer, const struct node *scalar,
                      struct marks *marks)
{
	str text = outer->source->text, value = scalar->text;
	size_t at = scalar->span.begin + line_length(str_slice(text, scalar->span.begin, text.n)) + 1;

	for (size_t fed = 0; fed < value.n && at < text.n;) {
		str source = str_slice(text, at, at + line_length(str_slice(text, at, text.n)));
		str line = str_slice(value, fed, value.n);
		size_t indent;

		line = str_slice(line, 0, line_length(line));
		if (!find_line(source, line, &indent))
			return false;
		*VEC_PUSH(arena, &marks->lines) = (uint32_t)(at + indent);
		*VEC_PUSH(arena, &marks->line_begins) = (uint32_t)fed;
		fed += line.n + 1;
		at += source.n + 1;
	}
	return marks->lines.n > 0;
}

/* Lines are counted from the scalar's start, bytes from the document's. */
static void shift_lines(struct marks *marks, size_t shift)
{
	for (size_t i = 0; i < marks->line_begins.n; i++) {
		uint32_t begin = marks->line_begins.v[i];

		marks->lines.v[i] += begin < shift ? (uint32_t)(shift - begin) : 0;
		marks->line_begins.v[i] = begin < shift ? 0 : begin - (uint32_t)shift;
	}
}

/* How places in fed, a part of the scalar's text, are found in the file. */
static void set_marks(struct parser *parser, const struct tree *outer, const struct node *scalar,
                      str fed)
{
	struct marks *marks = &parser->marks;
	str text = outer->source->text;

	marks_init(marks, fed, scalar->span.begin);
	if (scalar->style == STYLE_LITERAL && map_lines(parser->scratch, outer, scalar, marks)) {
		shift_lines(marks, (size_t)(fed.p - scalar->text.p));
	} else if ((uintptr_t)fed.p >= (uintptr_t)text.p &&
	           (uintptr_t)fed.p < (uintptr_t)text.p + text.n) {
		/* The value is the file's own text. */
		marks->base = (uint32_t)((uintptr_t)fed.p - (uintptr_t)text.p);
	} else {
		marks->lines.n = 0;
		marks->fixed_end = scalar->span.end;
	}
}

/* The tree of one document of the text. It names the outer file and document as its own. */
static void parse_one(struct arena *arena, const struct tree *outer, const struct node *scalar,
                      str fed, struct trees *ret_trees)
{
	struct tree *tree = ARENA_NEW(arena, struct tree);
	struct parser parser = { .tree = tree, .scratch = arena_new() };

	tree->arena = arena;
	tree->source = outer->source;
	tree->document = outer->document;
	set_marks(&parser, outer, scalar, fed);
	parser_begin(&parser, fed);
	parse_text(&parser, fed);
	parser_end(&parser);
	*VEC_PUSH(arena, ret_trees) = tree;
}

/* Split by the source room, since `---` parts documents here as well. */
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

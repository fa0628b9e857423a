/* Where one document of a file ends and the next begins. A line of `---` or `...` at column 0 is
 * a boundary wherever it stands, also inside quotes and block texts (YAML 1.2, section 9.1.2),
 * so a file is split before it is parsed: a mistake in one document leaves the others readable. */
#include "source-internal.h"

/* True when line (without its end) is the marker, alone or before white space. */
static bool is_marker(str line, const char *marker)
{
	return str_starts(line, str_of(marker)) &&
	       (line.n == 3 || line.p[3] == ' ' || line.p[3] == '\t');
}

/* Nothing but blank lines, comments and at least one %directive: the header of a document. */
static bool is_directives(str text)
{
	bool seen = false;
	str line;

	while (str_next(&text, '\n', &line)) {
		if (line.n && line.p[0] == '%') {
			seen = true;
			continue;
		}
		line = str_trim(line);
		if (line.n && line.p[0] != '#')
			return false;
	}
	return seen;
}

/* End of the line that begins at byte at: its CR or LF. *lf is the next LF, found anew only
 * when it has been passed, since a file of lone CRs may have none. */
static size_t line_end(str text, size_t at, size_t *lf)
{
	size_t cr;

	if (*lf < at)
		*lf = at + str_find(str_slice(text, at, text.n), '\n');
	cr = at + str_find(str_slice(text, at, *lf), '\r');
	return cr < *lf ? cr : *lf;
}

/* Blank ones are no documents: `---` at the end of a file is a habit of generators. */
static void add_document(struct splitter *splitter, size_t begin, size_t end)
{
	str text = str_slice(splitter->source->text, begin, end);
	struct document *document;

	if (!str_trim(text).n)
		return;
	document = VEC_PUSH(splitter->arena, splitter);
	document->source = splitter->source;
	document->begin = (uint32_t)begin;
	document->end = (uint32_t)end;
	document->index = (uint32_t)splitter->n - 1;
}

/* A directive line belongs to the document behind the marker that follows it. */
void source_split(struct arena *arena, struct source *source)
{
	struct splitter splitter = { .arena = arena, .source = source };
	str text = source->text;
	size_t begin = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;
	size_t lf = begin + str_find(str_slice(text, begin, text.n), '\n');

	for (size_t at = begin; !source->json && at < text.n;) {
		size_t end = line_end(text, at, &lf);
		str line = str_slice(text, at, end);
		bool starts = is_marker(line, "---");

		if (starts && is_directives(str_slice(text, begin, at)))
			starts = false;
		if (starts || is_marker(line, "...")) {
			add_document(&splitter, begin, at);
			begin = starts ? at + 3 : end;
		}
		at = end + 1;
	}
	add_document(&splitter, begin, text.n);
	source->documents = splitter.v;
	source->document_count = splitter.n;
}

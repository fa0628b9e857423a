/* A glance at a document: its top-level keys, apiVersion and kind, without parsing it.
 *
 * In a block map at column 0 every line that begins with another character than a blank, `#`
 * or a line end is a key of the root, since everything below a key is indented. Whatever
 * breaks that picture makes the glance unsure, and an unsure document is parsed.
 */
#include "source-internal.h"

#include <string.h>

static str document_text(const struct document *document)
{
	return str_slice(document->source->text, document->begin, document->end);
}

/* The next line of text from *at on, without its end; false behind the last. */
static bool next_line(str text, size_t *at, str *ret_line)
{
	const char *end;
	size_t length;

	if (*at >= text.n)
		return false;
	end = memchr(text.p + *at, '\n', text.n - *at);
	length = end ? (size_t)(end - (text.p + *at)) : text.n - *at;
	*ret_line = (str){ text.p + *at, length };
	*at += length + 1;
	return true;
}

static bool is_indented(str line)
{
	return !line.n || line.p[0] == ' ' || line.p[0] == '#' || line.p[0] == '\r';
}

/* Characters that begin something else than a plain key: flow style, quotes, tags, anchors,
 * merge keys, directives, list items, tabs. */
static bool begins_plainly(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9');
}

/* A plain value without comment; false when it is more than that. */
static bool plain_value(str text, str *ret_value)
{
	size_t comment = 0;

	text = str_trim(text);
	if (text.n >= 2 && (text.p[0] == '"' || text.p[0] == '\'') &&
	    text.p[text.n - 1] == text.p[0] && str_find(str_slice(text, 1, text.n), text.p[0]) ==
	    text.n - 2 && str_find(text, '\\') == text.n) {
		*ret_value = str_slice(text, 1, text.n - 1);
		return true;
	}
	while (comment < text.n && !(text.p[comment] == '#' && comment &&
	                             (text.p[comment - 1] == ' ' || text.p[comment - 1] == '\t')))
		comment++;
	*ret_value = str_trim(str_slice(text, 0, comment));
	return ret_value->n && begins_plainly(ret_value->p[0]) &&
	       str_find(*ret_value, ':') == ret_value->n;
}

bool document_next_key(const struct document *document, size_t *at, str *ret_key, str *ret_rest)
{
	str text = document_text(document), line;

	while (next_line(text, at, &line)) {
		size_t colon;

		if (is_indented(line))
			continue;
		colon = str_find(line, ':');
		if (!begins_plainly(line.p[0]) || colon == line.n) {
			*ret_key = (str){ 0 };
			*ret_rest = line;
			return true;
		}
		*ret_key = str_trim(str_slice(line, 0, colon));
		*ret_rest = str_slice(line, colon + 1, line.n);
		return true;
	}
	return false;
}

/* Takes the value of apiVersion or kind; a second one or an odd one is no sure glance. */
static void take(struct sniff *sniff, str *value, str rest)
{
	if (value->n || !plain_value(rest, value))
		sniff->sure = false;
}

/* Text behind the `---` marker itself: a value, a tag or a flow map that is no key line. */
static bool marker_has_text(const struct document *document)
{
	str text = document_text(document);
	str line = str_trim(str_slice(text, 0, str_find(text, '\n')));

	return document->begin >= 3 && line.n && line.p[0] != '#' &&
	       str_starts(str_slice(document->source->text, document->begin - 3,
	                            document->begin), STR("---"));
}

void source_sniff(const struct document *document, struct sniff *ret_sniff)
{
	size_t at = 0, keys = 0;
	str key, rest;

	*ret_sniff = (struct sniff){ .sure = !document->source->json &&
		                             !marker_has_text(document) };
	while (ret_sniff->sure && document_next_key(document, &at, &key, &rest)) {
		keys++;
		if (!key.n)
			ret_sniff->sure = false;
		else if (str_is(key, "kind"))
			take(ret_sniff, &ret_sniff->kind, rest);
		else if (str_is(key, "apiVersion"))
			take(ret_sniff, &ret_sniff->api_version, rest);
	}
	/* No key at column 0: the whole map may be indented. */
	ret_sniff->sure = ret_sniff->sure && keys;
}

bool document_contains(const struct document *document, str part)
{
	return str_contains(document_text(document), part);
}

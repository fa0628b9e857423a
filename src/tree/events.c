/* Which bytes an event of libyaml covers. Its start mark stands before the anchor and the tag of
 * a node, its end mark behind the blank lines after a block text; edits and findings want the
 * node itself. */
#include "tree-internal.h"

/* Where the places of a text cannot be told apart, all of them are the whole of it. */
struct span parser_span(const struct parser *parser, size_t begin, size_t end)
{
	const struct marks *marks = &parser->marks;
	uint32_t file = parser->tree->source->id;

	if (marks->fixed_end)
		return (struct span){ file, marks->base, marks->fixed_end };
	return (struct span){ file, marks_offset(marks, begin), marks_offset(marks, end) };
}

/* An anchor or a tag stands before the node. */
static bool has_properties(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor || event->data.scalar.tag;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor || event->data.mapping_start.tag;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor || event->data.sequence_start.tag;
	default:
		return false;
	}
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Bytes of the white space and comments at the start of s. */
static size_t blank_length(str s)
{
	size_t at = 0;

	while (at < s.n && (is_blank(s.p[at]) || s.p[at] == '#'))
		if (s.p[at] == '#')
			at += str_find(str_slice(s, at, s.n), '\n');
		else
			at++;
	return at;
}

/* Bytes of the anchor and the tag at the start of s, and of what parts them from the node. */
static size_t properties_length(str s)
{
	size_t at = 0, node = 0;

	while (at < s.n && (s.p[at] == '&' || s.p[at] == '!')) {
		while (at < s.n && !is_blank(s.p[at]) && s.p[at] != ',')
			at++;
		node = at;
		at += blank_length(str_slice(s, at, s.n));
	}
	/* A comment or a line end behind a property that has no node belongs to nobody. */
	return at < s.n ? at : node;
}

/* Block scalars end before the blank space that follows them. */
static size_t without_blank_end(str fed, size_t begin, size_t end)
{
	while (end > begin && is_blank(fed.p[end - 1]))
		end--;
	return end;
}

void event_bytes(struct parser *parser, const yaml_event_t *event, size_t *ret_begin,
                 size_t *ret_end)
{
	struct marks *marks = &parser->marks;
	size_t begin = marks_byte(marks, event->start_mark.index);
	size_t end = marks_byte(marks, event->end_mark.index);

	if (has_properties(event)) {
		size_t length = properties_length(str_slice(marks->fed, begin, marks->fed.n));

		/* An empty scalar ends behind its properties. */
		if (event->type != YAML_SCALAR_EVENT || begin + length < end)
			begin += length;
		else
			begin = end;
	}
	if (event->type == YAML_SCALAR_EVENT &&
	    (event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
	     event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE))
		end = without_blank_end(marks->fed, begin, end);
	*ret_begin = begin;
	*ret_end = end > begin ? end : begin;
}

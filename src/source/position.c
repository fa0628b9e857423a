/* Lines and columns of byte offsets. A line ends at LF, CRLF or a lone CR, as editors and SARIF
 * viewers count; libyaml also ends one at U+0085, U+2028 and U+2029, so its own lines are never
 * used. */
#include "source-internal.h"

#define BOM_SIZE 3
#define MILESTONE_BYTES 4096

static bool has_bom(str text)
{
	return str_starts(text, STR("\xef\xbb\xbf"));
}

/* A CR before an LF ends no line of its own. */
static void fill_lines(struct line_index *lines, str text)
{
	struct VEC(uint32_t) begins = { 0 };

	*VEC_PUSH(lines->arena, &begins) = has_bom(text) ? BOM_SIZE : 0;
	for (size_t i = 0; i < text.n; i++) {
		bool crlf = text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n';

		if ((text.p[i] == '\n' || text.p[i] == '\r') && !crlf)
			*VEC_PUSH(lines->arena, &begins) = (uint32_t)i + 1;
	}
	lines->begins = begins.v;
	lines->n = begins.n;
}

/* Index of the line that holds offset. */
static size_t find_line(const struct line_index *lines, uint32_t offset)
{
	size_t low = 0, high = lines->n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (lines->begins[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Length of the well-formed UTF-8 sequence at the start of s; 1 for a byte that starts none. */
static size_t sequence_length(str s)
{
	unsigned char lead = (unsigned char)s.p[0];
	size_t n = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;

	if (n > s.n)
		return 1;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)s.p[i] & 0xc0) != 0x80)
			return 1;
	return n;
}

/* Moves a milestone on by whole characters, while it lies before offset. */
static void advance(struct milestone *milestone, str text, uint32_t offset)
{
	while (milestone->offset < offset) {
		size_t n = sequence_length(str_slice(text, milestone->offset, text.n));

		milestone->offset += (uint32_t)n;
		milestone->points++;
		milestone->units += n == 4 ? 2 : 1;
	}
}

/* Without an early way out, so that the loop is done by vectors of bytes. */
static bool is_ascii(str text)
{
	unsigned char all = 0;

	for (size_t i = 0; i < text.n; i++)
		all |= (unsigned char)text.p[i];
	return all < 0x80;
}

/* In an ASCII file a column is a difference of offsets. */
static void fill_milestones(struct line_index *lines, str text)
{
	struct milestone milestone = { 0 };

	if (is_ascii(text))
		return;
	lines->milestone_count = text.n / MILESTONE_BYTES + 1;
	lines->milestones = arena_calloc(lines->arena, lines->milestone_count,
	                                 sizeof *lines->milestones);
	for (size_t i = 0; i < lines->milestone_count; i++) {
		advance(&milestone, text, (uint32_t)(i * MILESTONE_BYTES));
		lines->milestones[i] = milestone;
	}
}

/* Made when the first place is printed: a file without findings never needs it. */
static struct line_index *lines_of(const struct source *source)
{
	struct line_index *lines = source->lines;

	if (!lines->filled) {
		fill_lines(lines, source->text);
		fill_milestones(lines, source->text);
		lines->filled = true;
	}
	return lines;
}

/* The characters before offset; one that offset lies within is counted. */
static struct milestone count_before(const struct source *source, uint32_t offset)
{
	const struct line_index *lines = source->lines;
	struct milestone milestone = { offset, offset, offset };
	size_t i = offset / MILESTONE_BYTES;

	if (!lines->milestone_count)
		return milestone;
	/* One that was moved past the stretch's begin may lie behind offset. */
	if (i && lines->milestones[i].offset > offset)
		i--;
	milestone = lines->milestones[i];
	advance(&milestone, source->text, offset);
	return milestone;
}

struct position source_position(const struct source *source, uint32_t offset)
{
	const struct line_index *lines = lines_of(source);
	struct milestone begin, at;
	size_t line;

	if (offset > source->text.n)
		offset = (uint32_t)source->text.n;
	line = find_line(lines, offset);
	if (offset < lines->begins[line])
		offset = lines->begins[line]; /* within the BOM */
	begin = count_before(source, lines->begins[line]);
	at = count_before(source, offset);
	return (struct position){ .line = (uint32_t)line + 1,
		                  .column = at.points - begin.points + 1,
		                  .column_utf16 = at.units - begin.units + 1 };
}

str source_line(const struct source *source, uint32_t line)
{
	const struct line_index *lines = lines_of(source);
	size_t begin, end;

	if (!line || line > lines->n)
		return (str){ 0 };
	begin = lines->begins[line - 1];
	end = line < lines->n ? lines->begins[line] : source->text.n;
	while (end > begin &&
	       (source->text.p[end - 1] == '\n' || source->text.p[end - 1] == '\r'))
		end--;
	return str_slice(source->text, begin, end);
}

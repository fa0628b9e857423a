/* Lines and columns of byte offsets. A line ends at LF, CRLF or a lone CR, as editors count;
 * libyaml's own lines differ and are never used.
 */
#include "source-internal.h"

#define BOM_SIZE 3

static bool has_bom(str text)
{
	return str_starts(text, STR("\xef\xbb\xbf"));
}

static void fill(const struct source *source)
{
	struct line_index *lines = source->lines;
	str text = source->text;
	struct { uint32_t *v; size_t n, cap; } begins = { 0 };

	*VEC_PUSH(lines->arena, &begins) = has_bom(text) ? BOM_SIZE : 0;
	for (size_t i = 0; i < text.n; i++) {
		bool crlf = text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n';

		if ((text.p[i] == '\n' || text.p[i] == '\r') && !crlf)
			*VEC_PUSH(lines->arena, &begins) = (uint32_t)i + 1;
	}
	lines->begins = begins.v;
	lines->n = begins.n;
	lines->filled = true;
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

struct position source_position(const struct source *source, uint32_t offset)
{
	struct position position = { .column = 1, .column_utf16 = 1 };
	size_t line;
	str before;

	if (!source->lines->filled)
		fill(source);
	if (offset > source->text.n)
		offset = (uint32_t)source->text.n;
	line = find_line(source->lines, offset);
	before = str_slice(source->text, source->lines->begins[line], offset);
	while (before.n) {
		size_t n = sequence_length(before);

		position.column++;
		position.column_utf16 += n == 4 ? 2 : 1;
		before = str_slice(before, n, before.n);
	}
	position.line = (uint32_t)line + 1;
	return position;
}

str source_line(const struct source *source, uint32_t line)
{
	size_t begin, end;

	if (!source->lines->filled)
		fill(source);
	if (!line || line > source->lines->n)
		return (str){ 0 };
	begin = source->lines->begins[line - 1];
	end = line < source->lines->n ? source->lines->begins[line] : source->text.n;
	while (end > begin &&
	       (source->text.p[end - 1] == '\n' || source->text.p[end - 1] == '\r'))
		end--;
	return str_slice(source->text, begin, end);
}

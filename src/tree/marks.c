/* From libyaml's marks, which count code points, to bytes of the file. Events come nearly in
 * order, so one known pair of both is moved along and a file costs one walk; in an ASCII text
 * the two are the same. */
#include "tree-internal.h"

#include <string.h>

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static bool is_ascii(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

void marks_init(struct marks *marks, str fed, uint32_t base)
{
	marks->fed = fed;
	marks->base = base;
	marks->ascii = is_ascii(fed);
}

/* Goes back as well as on: the start of a node is asked for after its end. */
size_t marks_byte(struct marks *marks, size_t point)
{
	str fed = marks->fed;

	if (marks->ascii)
		return point < fed.n ? point : fed.n;
	while (marks->point < point && marks->byte < fed.n) {
		marks->byte++;
		while (marks->byte < fed.n && is_continuation(fed.p[marks->byte]))
			marks->byte++;
		marks->point++;
	}
	while (marks->point > point) {
		marks->byte--;
		while (marks->byte && is_continuation(fed.p[marks->byte]))
			marks->byte--;
		marks->point--;
	}
	return marks->byte;
}

/* How many of the sorted offsets lie before at. */
static size_t count_before(const struct offsets *offsets, size_t at)
{
	size_t low = 0, high = offsets->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (offsets->v[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* fed and the file run in step but for rewritten escapes, each of which is two bytes shorter. */
uint32_t marks_offset(const struct marks *marks, size_t byte)
{
	if (marks->lines.n) {
		size_t line = count_before(&marks->line_begins, byte + 1);

		line = line ? line - 1 : 0;
		if (line >= marks->lines.n)
			line = marks->lines.n - 1;
		return marks->lines.v[line] + (uint32_t)byte - marks->line_begins.v[line];
	}
	return marks->base + (uint32_t)(byte + 2 * count_before(&marks->rewritten, byte));
}

/* Value of the \uXXXX escape at the start of s; -1 when there is none. */
static long escape_value(str s)
{
	long value = 0;

	if (s.n < 6 || s.p[0] != '\\' || s.p[1] != 'u')
		return -1;
	for (size_t i = 2; i < 6; i++) {
		char c = s.p[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
		            : c >= 'a' && c <= 'f' ? c - 'a' + 10
		            : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                                   : -1;

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

/* A cheap look before a copy is made: most files have none. */
static bool holds_surrogate(str text)
{
	static const char *const leads[] = { "\\ud", "\\uD" };

	for (size_t i = 0; i < COUNT_OF(leads); i++)
		for (str rest = text; rest.n;) {
			const char *at = memmem(rest.p, rest.n, leads[i], 3);

			if (!at)
				break;
			rest = str_slice(rest, (size_t)(at - rest.p), rest.n);
			if (escape_value(rest) >= 0xd800)
				return true;
			rest = str_slice(rest, 1, rest.n);
		}
	return false;
}

/* Writes one escape of the file in a form that libyaml takes; gives what it used up. */
static size_t write_escape(struct arena *arena, struct buf *out, str rest, struct marks *marks)
{
	long high = escape_value(rest);
	long low = escape_value(str_slice(rest, 6, rest.n));

	if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
		buf_printf(out, "\\U%08lx", 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
		*VEC_PUSH(arena, &marks->rewritten) = (uint32_t)out->n - 1;
		return 12;
	}
	if (high >= 0xd800 && high < 0xe000) {
		buf_add(out, STR("\\ufffd"));
		return 6;
	}
	buf_add(out, str_slice(rest, 0, 2));
	return 2;
}

/* Text between the escapes is copied in stretches. */
str marks_join_surrogates(struct arena *arena, str text, struct marks *marks)
{
	struct buf out = { .arena = arena };
	size_t copied = 0;

	if (!holds_surrogate(text))
		return text;
	for (size_t i = 0; i + 1 < text.n;) {
		if (text.p[i] != '\\') {
			i++;
			continue;
		}
		buf_add(&out, str_slice(text, copied, i));
		i += write_escape(arena, &out, str_slice(text, i, text.n), marks);
		copied = i;
	}
	buf_add(&out, str_slice(text, copied, text.n));
	return buf_str(&out);
}

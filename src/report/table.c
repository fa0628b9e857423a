/* Tables for people: aligned text in blocks that fit a terminal, and markdown. */
#include "matrix.h"

/* The first column is not cut below this, however narrow the terminal is. */
#define MIN_FIRST 10
/* Names of groups, where the table says nothing else. */
#define MAX_OTHER 20

#define GAP 2

/* Code points; a name of wide characters shifts its own row only. */
static size_t length_of(str text)
{
	size_t length = 0;
	bool valid;

	while (text.n > 0) {
		utf8_next(&text, &valid);
		length++;
	}
	return length;
}

/* The code points [begin, end). */
static void add_points(struct buf *buf, str text, size_t begin, size_t end)
{
	bool valid;

	for (size_t i = 0; text.n > 0 && i < end; i++) {
		uint32_t point = utf8_next(&text, &valid);
		if (i >= begin)
			utf8_add(buf, point);
	}
}

/* Names tell apart by their beginnings and by their ends, so the middle goes. */
str table_cut(struct arena *arena, str text, size_t width)
{
	struct buf buf = { .arena = arena };
	size_t length = length_of(text), head, tail;

	if (length <= width || width < 4)
		return text;
	head = (width - 1) / 2;
	tail = width - 2 - head;
	add_points(&buf, text, 0, head);
	buf_add(&buf, STR(".."));
	add_points(&buf, text, length - tail, length);
	return buf_str(&buf);
}

void table_add(struct table *table, str cell)
{
	*VEC_PUSH(table->arena, &table->cells) = report_terminal_text(table->arena, cell);
}

static str cell_at(const struct table *table, size_t row, size_t column)
{
	return table->cells.v[row * table->columns + column];
}

static size_t row_count(const struct table *table)
{
	return table->columns > 0 ? table->cells.n / table->columns : 0;
}

static size_t width_of(const struct table *table, size_t column, size_t most)
{
	size_t width = 1;

	for (size_t row = 0; row < row_count(table); row++) {
		size_t length = length_of(cell_at(table, row, column));
		width = length > width ? length : width;
	}
	return width < most ? width : most;
}

/* Lines end where their text does: blanks are written when something follows. *blanks: that are
 * due. */
static void add_cell(struct buf *out, str cell, size_t width, size_t *blanks)
{
	str text = table_cut(out->arena, cell, width);
	size_t length = length_of(text);

	if (length > 0) {
		buf_printf(out, "%*s", (int)*blanks, "");
		*blanks = 0;
		buf_add(out, text);
	}
	*blanks += width + GAP - length;
}

/* Columns [begin, end) beside the first one. */
static void add_block(const struct table *table, const size_t *widths, size_t begin, size_t end,
                      struct buf *out)
{
	for (size_t row = 0; row < row_count(table); row++) {
		size_t blanks = 0;
		add_cell(out, cell_at(table, row, 0), widths[0], &blanks);
		for (size_t i = begin; i < end; i++)
			add_cell(out, cell_at(table, row, i), widths[i], &blanks);
		buf_char(out, '\n');
	}
}

/* As many columns as fit; one at least, or nothing would ever end. */
void table_text(const struct table *table, size_t width, struct buf *out)
{
	size_t *widths = arena_calloc(table->arena, table->columns + 1, sizeof *widths);
	size_t first = width * 2 / 5 > MIN_FIRST ? width * 2 / 5 : MIN_FIRST, begin = 1;
	size_t other = table->most > 0 ? table->most : MAX_OTHER;

	for (size_t i = 0; i < table->columns; i++)
		widths[i] = width_of(table, i, i == 0 ? first : other);
	do {
		size_t end = begin, used = widths[0];
		while (end < table->columns &&
		       (end == begin || used + GAP + widths[end] <= width))
			used += GAP + widths[end++];
		if (begin > 1)
			buf_char(out, '\n');
		add_block(table, widths, begin, end, out);
		begin = end;
	} while (begin < table->columns);
}

/* What markdown would read as its own is written so that it shows as it stands. */
void table_markdown_cell(struct buf *out, str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (c == '<')
			buf_add(out, STR("&lt;"));
		else if (c == '&')
			buf_add(out, STR("&amp;"));
		else if (c == '@')
			buf_add(out, STR("&#64;"));
		else if (c == '|' || c == '`' || c == '*' || c == '_' || c == '[' || c == '\\')
			buf_printf(out, "\\%c", c);
		else
			buf_char(out, c);
	}
}

void table_markdown(const struct table *table, struct buf *out)
{
	for (size_t row = 0; row < row_count(table); row++) {
		buf_char(out, '|');
		for (size_t i = 0; i < table->columns; i++) {
			buf_char(out, ' ');
			table_markdown_cell(out, cell_at(table, row, i));
			buf_add(out, STR(" |"));
		}
		buf_char(out, '\n');
		if (row > 0)
			continue;
		for (size_t i = 0; i < table->columns; i++)
			buf_add(out, i == 0 ? STR("|---|") : STR("---|"));
		buf_char(out, '\n');
	}
}

/* RFC 4180, for programs: cells stand as they are, quoted where they must be. */
void csv_add(struct buf *out, str cell, bool last)
{
	bool quoted = false;

	for (size_t i = 0; i < cell.n && !quoted; i++)
		quoted = cell.p[i] == ',' || cell.p[i] == '"' || cell.p[i] == '\n' ||
		         cell.p[i] == '\r';
	if (quoted)
		buf_char(out, '"');
	for (size_t i = 0; i < cell.n; i++) {
		if (cell.p[i] == '"')
			buf_char(out, '"');
		buf_char(out, cell.p[i]);
	}
	if (quoted)
		buf_char(out, '"');
	buf_add(out, last ? STR("\r\n") : STR(","));
}

/* Words of a text from the current line on; further lines begin with indent blanks. */
void text_wrap(struct buf *out, size_t width, size_t indent, str text)
{
	str rest = report_terminal_text(out->arena, text), word;
	size_t at = indent;

	while (str_next(&rest, ' ', &word)) {
		size_t length = length_of(word);
		if (at > indent && at + 1 + length > width) {
			buf_printf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			buf_char(out, ' ');
			at++;
		}
		buf_add(out, word);
		at += length;
	}
	buf_char(out, '\n');
}

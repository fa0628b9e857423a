/* tablegen: reading sheets, memory and text. */
#include "gen.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void gen_fail(const char *path, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "tablegen: %s: ", path);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void *gen_alloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		gen_fail("memory", "none left");
	return memory;
}

void *gen_grow(void *items, size_t n, size_t size)
{
	void *larger;

	if (n & (n - 1)) /* between two powers of two there is room */
		return items;
	larger = realloc(items, (n ? 2 * n : 1) * size);
	if (!larger)
		gen_fail("memory", "none left");
	return larger;
}

static char *texts_add(struct texts *texts, size_t size)
{
	texts->v = gen_grow(texts->v, texts->n, sizeof *texts->v);
	return texts->v[texts->n++] = gen_alloc(size, 1);
}

const char *texts_copy(struct texts *texts, const char *text, size_t n)
{
	return memcpy(texts_add(texts, n + 1), text, n);
}

const char *texts_format(struct texts *texts, const char *format, ...)
{
	va_list args;
	int n;
	char *text;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = texts_add(texts, (size_t)n + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)n + 1, format, args);
	va_end(args);
	return text;
}

void texts_free(struct texts *texts)
{
	while (texts->n)
		free(texts->v[--texts->n]);
	free(texts->v);
	texts->v = NULL;
}

static char *read_text(const char *path)
{
	FILE *in = fopen(path, "rb");
	long size;
	char *text;

	if (!in || fseek(in, 0, SEEK_END) != 0 || (size = ftell(in)) < 0)
		gen_fail(path, "cannot be read");
	rewind(in);
	text = gen_alloc((size_t)size + 1, 1);
	if (fread(text, 1, (size_t)size, in) != (size_t)size)
		gen_fail(path, "cannot be read");
	fclose(in);
	return text;
}

/* Cuts the line at the separators and appends its cells; gives their number. */
static size_t cut_line(struct sheet *sheet, char *line, char separator, size_t *n)
{
	size_t count = 0;

	for (char *cell = line; cell; count++) {
		char *end = strchr(cell, separator);

		sheet->cells = gen_grow(sheet->cells, *n, sizeof *sheet->cells);
		sheet->cells[(*n)++] = cell;
		if (end)
			*end++ = 0;
		cell = end;
	}
	return count;
}

void sheet_read(const char *path, struct sheet *ret_sheet)
{
	size_t length = strlen(path), cells = 0;
	char separator = length > 4 && strcmp(path + length - 4, ".csv") == 0 ? ',' : '\t';
	struct sheet sheet = { .path = path, .text = read_text(path) };

	for (char *line = sheet.text, *next; line && *line; line = next) {
		size_t count;

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (*line == '#')
			continue;
		count = cut_line(&sheet, line, separator, &cells);
		if (!sheet.rows)
			sheet.columns = count;
		if (count != sheet.columns)
			gen_fail(path, "row %zu has %zu cells, not %zu", sheet.rows, count,
			         sheet.columns);
		sheet.rows++;
	}
	if (!sheet.rows)
		gen_fail(path, "is empty");
	*ret_sheet = sheet;
}

void sheet_free(struct sheet *sheet)
{
	free(sheet->text);
	free(sheet->cells);
	*sheet = (struct sheet){ 0 };
}

size_t sheet_column(const struct sheet *sheet, const char *header)
{
	for (size_t i = 0; i < sheet->columns; i++)
		if (strcmp(sheet->cells[i], header) == 0)
			return i;
	gen_fail(sheet->path, "has no column %s", header);
}

const char *sheet_cell(const struct sheet *sheet, size_t row, size_t column)
{
	return sheet->cells[row * sheet->columns + column];
}

void write_literal(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

unsigned minor_of(const char *path, const char *text)
{
	char *end;
	unsigned long minor;

	if (!*text || strncmp(text, "<=", 2) == 0)
		return 0;
	minor = strncmp(text, "1.", 2) == 0 ? strtoul(text + 2, &end, 10) : 0;
	if (!minor || *end)
		gen_fail(path, "%s is no version", text);
	return (unsigned)minor;
}

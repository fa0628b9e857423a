/* tablegen: the build's own tool that turns the fact tables of rules/data (TSV, CSV) into
 * `static const` C tables, so that the product parses nothing at start-up.
 *
 * usage: tablegen TABLE OUTPUT INPUT...
 * A table is a row of row_tables (rows.c), or `schema`, which joins three files. The output
 * holds arrays only; whoever includes it declares the structs first. Uses libc only and ends
 * the build with one message at the first mistake.
 */
#ifndef KUBELINT_GEN_H
#define KUBELINT_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A table file: comment lines (`#`) dropped, the first other line is the header. */
struct sheet {
	const char *path;
	char *text;          /* the whole file, cut at separators and line ends */
	char **cells;        /* rows x columns, row by row; the header is row 0 */
	size_t rows, columns;
};

/* Texts that live until texts_free(). */
struct texts {
	char **v;
	size_t n;
};

/* Ends the program with "tablegen: PATH: MESSAGE" (printf form) and status 1. */
_Noreturn void gen_fail(const char *path, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Zeroed memory, or the end of the program. The caller frees it. */
void *gen_alloc(size_t count, size_t size);
/* items with room for one more behind n (capacities are powers of two). */
void *gen_grow(void *items, size_t n, size_t size);
/* The first n bytes of text. */
const char *texts_copy(struct texts *texts, const char *text, size_t n);
const char *texts_format(struct texts *texts, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void texts_free(struct texts *texts);

/* Reads a sheet; a line with another number of cells than the header is an error. */
void sheet_read(const char *path, struct sheet *ret_sheet);
void sheet_free(struct sheet *sheet);
/* The number of the column with that header; ends the program when there is none. */
size_t sheet_column(const struct sheet *sheet, const char *header);
const char *sheet_cell(const struct sheet *sheet, size_t row, size_t column);

/* A C string literal. */
void write_literal(FILE *out, const char *text);
/* The minor of "1.N" or "<=1.N"; 0 for an empty cell and for "<=": the oldest looked at. */
unsigned minor_of(const char *path, const char *text);

/* The tables of one file each; false: no such table. */
bool rows_write(FILE *out, const char *table, const struct sheet *sheet);
/* k8s-fields, k8s-kinds and crd-fields in one: types with fields, and kinds. */
void schema_write(FILE *out, const struct sheet *sheets);

#endif

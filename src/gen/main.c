/* tablegen: the command line. */
#include "gen.h"

#include <string.h>

#define SCHEMA_INPUTS 3

static void write_schema(FILE *out, const char *const *inputs)
{
	struct sheet sheets[SCHEMA_INPUTS];

	for (size_t i = 0; i < SCHEMA_INPUTS; i++)
		sheet_read(inputs[i], &sheets[i]);
	schema_write(out, sheets);
	for (size_t i = 0; i < SCHEMA_INPUTS; i++)
		sheet_free(&sheets[i]);
}

static void write_rows(FILE *out, const char *table, const char *input)
{
	struct sheet sheet;

	sheet_read(input, &sheet);
	if (!rows_write(out, table, &sheet))
		gen_fail(table, "no such table");
	sheet_free(&sheet);
}

int main(int argc, char **argv)
{
	const char *const *args = (const char *const *)argv;
	bool schema = argc > 1 && strcmp(args[1], "schema") == 0;
	FILE *out;

	if (argc != (schema ? 3 + SCHEMA_INPUTS : 4))
		gen_fail("usage", "tablegen TABLE OUTPUT INPUT...");
	out = fopen(args[2], "w");
	if (!out)
		gen_fail(args[2], "cannot be written");
	fprintf(out, "/* Made by tablegen from rules/data; do not edit. */\n");
	if (schema)
		write_schema(out, args + 3);
	else
		write_rows(out, args[1], args[3]);
	if (ferror(out) || fclose(out) != 0)
		gen_fail(args[2], "cannot be written");
	return 0;
}

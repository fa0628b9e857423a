/* tablegen: tables that are one file and one C struct per row. A new table is a new row here
 * and one in meson.build; a new column a line in its columns. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

enum column_kind {
	COLUMN_TEXT,   /* const char * */
	COLUMN_VIEW,   /* str */
	COLUMN_NUMBER, /* whole number; an empty cell is 0 */
	COLUMN_MILLI,  /* decimal number, times 1000 */
	COLUMN_MINOR,  /* 1.N as N; empty or "<=1.N" as 0 */
};

struct column {
	const char *header, *member;
	enum column_kind kind;
};

struct row_table {
	const char *name;
	const char *structure, *array;   /* static const struct STRUCTURE ARRAY[] */
	struct column columns[12];       /* up to the first without header */
};

/* clang-format off */
static const struct row_table row_tables[] = {
	{ "api-life", "api_life_row", "api_life_rows", {
		{ "apiVersion", "api_version", COLUMN_VIEW }, { "kind", "kind", COLUMN_VIEW },
		{ "introduced", "introduced", COLUMN_VIEW }, { "deprecated", "deprecated", COLUMN_VIEW },
		{ "removed", "removed", COLUMN_VIEW }, { "replacement", "replacement", COLUMN_VIEW },
		{ "note", "note", COLUMN_VIEW } } },
	{ "pod-paths", "pod_path_row", "pod_path_rows", {
		{ "group", "group", COLUMN_VIEW }, { "versions", "versions", COLUMN_VIEW },
		{ "kind", "kind", COLUMN_VIEW }, { "form", "form", COLUMN_VIEW },
		{ "path", "path", COLUMN_VIEW }, { "replicas", "replicas", COLUMN_VIEW },
		{ "selector", "selector", COLUMN_VIEW }, { "scale", "scale", COLUMN_VIEW },
		{ "source", "source", COLUMN_VIEW } } },
	{ "component-flags", "flag_row", "flag_rows", {
		{ "component", "component", COLUMN_VIEW }, { "flag", "flag", COLUMN_VIEW },
		{ "type", "type", COLUMN_VIEW }, { "default", "value", COLUMN_VIEW },
		{ "first", "first", COLUMN_VIEW }, { "last", "last", COLUMN_VIEW },
		{ "deprecated_in", "deprecated_in", COLUMN_VIEW }, { "note", "note", COLUMN_VIEW } } },
	{ "labels-taints", "known_key_row", "known_key_rows", {
		{ "key", "key", COLUMN_VIEW }, { "kind", "kind", COLUMN_VIEW },
		{ "status", "status", COLUMN_VIEW }, { "replacement", "replacement", COLUMN_VIEW },
		{ "set_by", "set_by", COLUMN_VIEW }, { "values", "values", COLUMN_VIEW },
		{ "conf", "conf", COLUMN_VIEW }, { "note", "note", COLUMN_VIEW } } },
	{ "ksm-metrics", "metric_row", "metric_rows", {
		{ "metric", "metric", COLUMN_VIEW }, { "source", "source", COLUMN_VIEW },
		{ "type", "type", COLUMN_VIEW }, { "labels", "labels", COLUMN_VIEW },
		{ "since", "since", COLUMN_VIEW }, { "last", "last", COLUMN_VIEW },
		{ "replacement", "replacement", COLUMN_VIEW }, { "range", "range", COLUMN_VIEW },
		{ "note", "note", COLUMN_VIEW } } },
	{ "metrics-providers", "provider_row", "provider_rows", {
		{ "name", "name", COLUMN_VIEW }, { "apis", "apis", COLUMN_VIEW },
		{ "how", "how", COLUMN_VIEW }, { "pattern", "pattern", COLUMN_VIEW },
		{ "registers", "registers", COLUMN_VIEW }, { "note", "note", COLUMN_VIEW },
		{ "conf", "conf", COLUMN_VIEW } } },
	{ "runtimes", "runtime_row", "runtime_rows", {
		{ "runtime", "runtime", COLUMN_VIEW }, { "setting", "setting", COLUMN_VIEW },
		{ "where", "where", COLUMN_VIEW }, { "syntax", "syntax", COLUMN_VIEW },
		{ "kind", "kind", COLUMN_VIEW }, { "share", "share", COLUMN_VIEW },
		{ "default", "value", COLUMN_VIEW }, { "conf", "conf", COLUMN_VIEW },
		{ "note", "note", COLUMN_VIEW } } },
	{ "version-compat", "compat_row", "compat_rows", {
		{ "name", "name", COLUMN_VIEW }, { "kind", "kind", COLUMN_VIEW },
		{ "version", "version", COLUMN_VIEW }, { "min", "min", COLUMN_VIEW },
		{ "max", "max", COLUMN_VIEW }, { "beta_on", "beta_on", COLUMN_VIEW },
		{ "beta_off", "beta_off", COLUMN_VIEW }, { "ga", "ga", COLUMN_VIEW },
		{ "conf", "conf", COLUMN_VIEW }, { "note", "note", COLUMN_VIEW } } },
	/* struct instance_type of pools.h */
	{ "instance-types", "instance_type", "instance_types", {
		{ "provider", "provider", COLUMN_TEXT }, { "type", "name", COLUMN_TEXT },
		{ "arch", "arch", COLUMN_TEXT }, { "gpu_resource", "gpu_resource", COLUMN_TEXT },
		{ "vcpu", "milli_cpu", COLUMN_MILLI }, { "memory_mib", "memory_mib", COLUMN_NUMBER },
		{ "gpu_count", "gpu_count", COLUMN_NUMBER },
		{ "max_pods_default", "max_pods", COLUMN_NUMBER },
		{ "local_storage_gb", "local_storage_gb", COLUMN_NUMBER } } },
};
/* clang-format on */

static void write_number(FILE *out, const struct sheet *sheet, const char *text)
{
	char *end = NULL;
	long number = *text ? strtol(text, &end, 10) : 0;

	if (end && *end)
		gen_fail(sheet->path, "%s is no whole number", text);
	fprintf(out, "%ld", number);
}

/* At most three digits behind the point are meant. */
static void write_milli(FILE *out, const struct sheet *sheet, const char *text)
{
	char *end = NULL;
	double number = *text ? strtod(text, &end) : 0;

	if (end && *end)
		gen_fail(sheet->path, "%s is no number", text);
	fprintf(out, "%ld", (long)(number * 1000 + 0.5));
}

static void write_value(FILE *out, const struct sheet *sheet, enum column_kind kind,
                        const char *text)
{
	switch (kind) {
	case COLUMN_TEXT:
		write_literal(out, text);
		break;
	case COLUMN_VIEW:
		fputs("{ ", out);
		write_literal(out, text);
		fprintf(out, ", %zu }", strlen(text));
		break;
	case COLUMN_NUMBER:
		write_number(out, sheet, text);
		break;
	case COLUMN_MILLI:
		write_milli(out, sheet, text);
		break;
	case COLUMN_MINOR:
		fprintf(out, "%u", minor_of(sheet->path, text));
		break;
	}
}

static void write_row(FILE *out, const struct row_table *table, const struct sheet *sheet,
                      size_t row)
{
	fputs("\t{ ", out);
	for (const struct column *column = table->columns; column->header; column++) {
		fprintf(out, ".%s = ", column->member);
		write_value(out, sheet, column->kind,
		            sheet_cell(sheet, row, sheet_column(sheet, column->header)));
		fputs(", ", out);
	}
	fputs("},\n", out);
}

bool rows_write(FILE *out, const char *name, const struct sheet *sheet)
{
	for (size_t i = 0; i < sizeof row_tables / sizeof row_tables[0]; i++) {
		const struct row_table *table = &row_tables[i];

		if (strcmp(table->name, name) != 0)
			continue;
		fprintf(out, "static const struct %s %s[] = {\n", table->structure, table->array);
		for (size_t row = 1; row < sheet->rows; row++)
			write_row(out, table, sheet, row);
		fputs("};\n", out);
		return true;
	}
	return false;
}

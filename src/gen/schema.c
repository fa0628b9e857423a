/* tablegen: the API schema. The built-in types come as rows of (type, field); a custom kind
 * comes as paths and is cut here into types of its own, named by apiVersion, kind and path, so
 * that the product walks both alike. */
#include "gen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_SHEET, KINDS_SHEET, CUSTOM_SHEET };

struct field {
	const char *name, *value, *values, *former;
	bool required;
	unsigned since, removed;
};
struct type {
	const char *name;
	struct field *fields;
	size_t count;
	bool custom, open;
};
struct schema {
	struct type *types;
	size_t count;
	struct texts texts;  /* names that are in no sheet */
};

/* ---- types in memory ------------------------------------------------------------------ */

static struct type *type_find(const struct schema *schema, const char *name)
{
	for (size_t i = schema->count; i-- > 0;) /* rows of one type follow each other */
		if (strcmp(schema->types[i].name, name) == 0)
			return &schema->types[i];
	return NULL;
}

static struct type *type_take(struct schema *schema, const char *name)
{
	struct type *type = type_find(schema, name);

	if (type)
		return type;
	schema->types = gen_grow(schema->types, schema->count, sizeof *schema->types);
	type = &schema->types[schema->count++];
	*type = (struct type){ .name = name };
	return type;
}

static void field_add(struct type *type, struct field field)
{
	type->fields = gen_grow(type->fields, type->count, sizeof *type->fields);
	type->fields[type->count++] = field;
}

static bool field_has(const struct type *type, const char *name)
{
	for (size_t i = 0; i < type->count; i++)
		if (strcmp(type->fields[i].name, name) == 0)
			return true;
	return false;
}

/* "object T<1.23" gives T. */
static const char *former_type(struct schema *schema, const char *was)
{
	const char *end = strchr(was, '<');

	if (strncmp(was, "object ", 7) != 0 || !end)
		return "";
	return texts_copy(&schema->texts, was + 7, (size_t)(end - was) - 7);
}

static void read_fields(struct schema *schema, const struct sheet *sheet)
{
	size_t type = sheet_column(sheet, "type"), name = sheet_column(sheet, "field"),
	       value = sheet_column(sheet, "value"), required = sheet_column(sheet, "req"),
	       values = sheet_column(sheet, "enum"), since = sheet_column(sheet, "since"),
	       removed = sheet_column(sheet, "removed"), was = sheet_column(sheet, "was");

	for (size_t row = 1; row < sheet->rows; row++)
		field_add(type_take(schema, sheet_cell(sheet, row, type)), (struct field){
			.name = sheet_cell(sheet, row, name),
			.value = sheet_cell(sheet, row, value),
			.values = sheet_cell(sheet, row, values),
			.former = former_type(schema, sheet_cell(sheet, row, was)),
			.required = *sheet_cell(sheet, row, required) == 'y',
			.since = minor_of(sheet->path, sheet_cell(sheet, row, since)),
			.removed = minor_of(sheet->path, sheet_cell(sheet, row, removed)),
		});
}

/* ---- custom kinds --------------------------------------------------------------------- */

static const char *root_name(struct schema *schema, const char *api_version, const char *kind)
{
	return texts_format(&schema->texts, "%s.%s", api_version, kind);
}

/* Name of the type whose fields lie below path: "" is the root. */
static const char *path_type(struct schema *schema, const char *root, const char *path, size_t n)
{
	return n ? texts_format(&schema->texts, "%s:%.*s", root, (int)n, path) : root;
}

/* The value text with the type's name in it where rows follow below the path. */
static const char *custom_value(struct schema *schema, const char *root, const char *path,
                                const char *value)
{
	if (strcmp(value, "object") == 0)
		return texts_format(&schema->texts, "object %s:%s", root, path);
	if (strcmp(value, "list of object") == 0)
		return texts_format(&schema->texts, "list of object %s:%s[]", root, path);
	if (strcmp(value, "map of string to object") == 0)
		return texts_format(&schema->texts, "map of string to object %s:%s.*", root,
		                    path);
	return value;
}

static void add_custom_row(struct schema *schema, const struct sheet *sheet, size_t row)
{
	const char *root = root_name(schema,
	                             sheet_cell(sheet, row, sheet_column(sheet, "apiVersion")),
	                             sheet_cell(sheet, row, sheet_column(sheet, "kind")));
	const char *path = sheet_cell(sheet, row, sheet_column(sheet, "path"));
	const char *value = sheet_cell(sheet, row, sheet_column(sheet, "value"));
	const char *flags = sheet_cell(sheet, row, sheet_column(sheet, "flags"));
	const char *name = strrchr(path, '.');
	const char *typed = custom_value(schema, root, path, value);
	struct type *type;

	if (path[strlen(path) - 1] == ']') /* the items of a free-form list */
		return;
	type = type_take(schema, path_type(schema, root, path, name ? (size_t)(name - path) : 0));
	type->custom = true;
	field_add(type, (struct field){
		.name = name ? name + 1 : path,
		.value = typed,
		.values = sheet_cell(sheet, row, sheet_column(sheet, "enum")),
		.former = "",
		.required = *sheet_cell(sheet, row, sheet_column(sheet, "req")) == 'y',
	});
	if (typed == value)
		return;
	type = type_take(schema, strrchr(typed, ' ') + 1);
	type->custom = true;
	type->open = type->open || strstr(flags, "preserve") || strstr(flags, "partial");
}

static void add_root_field(struct type *root, const char *name, const char *value)
{
	if (!field_has(root, name))
		field_add(root, (struct field){ .name = name, .value = value, .values = "",
		                                .former = "" });
}

static void read_custom(struct schema *schema, const struct sheet *sheet)
{
	size_t before = schema->count;

	for (size_t row = 1; row < sheet->rows; row++)
		add_custom_row(schema, sheet, row);
	for (size_t i = before; i < schema->count; i++) {
		struct type *type = &schema->types[i];

		if (strchr(type->name, ':')) {
			type->open = type->open || !type->count; /* nothing listed: free-form */
			continue;
		}
		add_root_field(type, "apiVersion", "string");
		add_root_field(type, "kind", "string");
		add_root_field(type, "metadata", "object meta/v1.ObjectMeta");
	}
}

/* ---- output --------------------------------------------------------------------------- */

static int compare_types(const void *a, const void *b)
{
	return strcmp(((const struct type *)a)->name, ((const struct type *)b)->name);
}

/* By length first: a search then mostly compares numbers. */
static int compare_fields(const void *a, const void *b)
{
	const char *x = ((const struct field *)a)->name, *y = ((const struct field *)b)->name;
	size_t n = strlen(x), m = strlen(y);

	return n != m ? (n > m) - (n < m) : strcmp(x, y);
}

static void sort(struct schema *schema)
{
	qsort(schema->types, schema->count, sizeof *schema->types, compare_types);
	for (size_t i = 0; i < schema->count; i++)
		if (schema->types[i].count)
			qsort(schema->types[i].fields, schema->types[i].count,
			      sizeof(struct field), compare_fields);
}

/* The number of a type; a type without fields is none. */
static void write_type_number(FILE *out, const struct schema *schema, const char *name)
{
	const struct type *type = *name ? type_find(schema, name) : NULL;

	if (!type)
		fputs("SCHEMA_NONE", out);
	else
		fprintf(out, "%zu", (size_t)(type - schema->types));
}

static void write_view(FILE *out, const char *text)
{
	fputs("{ ", out);
	write_literal(out, text);
	fprintf(out, ", %zu }", strlen(text));
}

/* "list of object T" as shape, value and type. */
static void write_field_value(FILE *out, const struct schema *schema, const char *value)
{
	const char *shape = "ONE", *name = "";

	if (strncmp(value, "list of ", 8) == 0) {
		shape = "LIST";
		value += 8;
	} else if (strncmp(value, "map of string to ", 17) == 0) {
		shape = "MAP";
		value += 17;
	}
	if (strncmp(value, "object ", 7) == 0) {
		name = value + 7;
		value = "object";
	} else if (strcmp(value, "list") == 0) {
		value = "any";
	}
	fprintf(out, ".shape = SHAPE_%s, .value = VALUE_", shape);
	for (; *value; value++) {
		if (isupper((unsigned char)*value))
			fputc('_', out);
		fputc(toupper((unsigned char)*value), out);
	}
	fputs(", .type = ", out);
	write_type_number(out, schema, name);
}

static void write_fields(FILE *out, const struct schema *schema)
{
	fputs("static const struct schema_field schema_fields[] = {\n", out);
	for (size_t i = 0; i < schema->count; i++)
		for (size_t j = 0; j < schema->types[i].count; j++) {
			const struct field *field = &schema->types[i].fields[j];

			fputs("\t{ .name = ", out);
			write_view(out, field->name);
			fputs(", .values = ", out);
			write_view(out, field->values);
			fputs(", ", out);
			write_field_value(out, schema, field->value);
			fputs(", .former = ", out);
			write_type_number(out, schema, field->former);
			fprintf(out, ", .required = %d, .since = %u, .removed = %u },\n",
			        field->required, field->since, field->removed);
		}
	fputs("};\n", out);
}

/* When all fields of a type came later or went, the type did. */
static void write_type_life(FILE *out, const struct type *type)
{
	unsigned since = type->count ? type->fields[0].since : 0, removed = 0;
	bool gone = type->count > 0;

	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];

		if (field->since < since)
			since = field->since;
		if (field->removed > removed)
			removed = field->removed;
		gone = gone && field->removed;
	}
	fprintf(out, ".since = %u, .removed = %u", since, gone ? removed : 0);
}

static void write_types(FILE *out, const struct schema *schema)
{
	size_t first = 0;

	fputs("static const struct schema_type schema_types[] = {\n", out);
	for (size_t i = 0; i < schema->count; i++) {
		const struct type *type = &schema->types[i];

		fputs("\t{ .name = ", out);
		write_view(out, type->name);
		fprintf(out, ", .first = %zu, .count = %zu, .custom = %d, .open = %d, ", first,
		        type->count, type->custom, type->open);
		write_type_life(out, type);
		fputs(" },\n", out);
		first += type->count;
	}
	fputs("};\n", out);
}

struct kind {
	const char *api_version, *kind, *type, *scope;
	unsigned first, last;
};
struct kinds {
	struct kind *v;
	size_t n;
};

static void kind_add(struct kinds *kinds, struct kind kind)
{
	kinds->v = gen_grow(kinds->v, kinds->n, sizeof *kinds->v);
	kinds->v[kinds->n++] = kind;
}

static void read_kinds(struct kinds *kinds, const struct sheet *sheet)
{
	size_t api_version = sheet_column(sheet, "apiVersion"), kind = sheet_column(sheet, "kind"),
	       type = sheet_column(sheet, "goType"), scope = sheet_column(sheet, "scope"),
	       fields = sheet_column(sheet, "fields"), first = sheet_column(sheet, "first"),
	       last = sheet_column(sheet, "last");

	for (size_t row = 1; row < sheet->rows; row++) {
		const char *place = sheet_cell(sheet, row, scope);

		kind_add(kinds, (struct kind){
			.api_version = sheet_cell(sheet, row, api_version),
			.kind = sheet_cell(sheet, row, kind),
			.type = *sheet_cell(sheet, row, fields) == 'y'
			                ? sheet_cell(sheet, row, type) : "",
			.scope = *place == 'N' ? "NAMESPACED" : *place == 'C' ? "CLUSTER" : "NONE",
			.first = minor_of(sheet->path, sheet_cell(sheet, row, first)),
			.last = minor_of(sheet->path, sheet_cell(sheet, row, last)),
		});
	}
}

static void read_custom_kinds(struct schema *schema, struct kinds *kinds,
                              const struct sheet *sheet)
{
	size_t api_version = sheet_column(sheet, "apiVersion"), kind = sheet_column(sheet, "kind");

	for (size_t row = 1; row < sheet->rows; row++) {
		const char *version = sheet_cell(sheet, row, api_version);
		const char *name = sheet_cell(sheet, row, kind);
		const struct kind *last = &kinds->v[kinds->n - 1];

		if (strcmp(last->api_version, version) == 0 && strcmp(last->kind, name) == 0)
			continue;
		kind_add(kinds, (struct kind){ .api_version = version, .kind = name,
		                               .type = root_name(schema, version, name),
		                               .scope = "CUSTOM" });
	}
}

static int compare_kinds(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;
	int order = strcmp(x->api_version, y->api_version);

	return order ? order : strcmp(x->kind, y->kind);
}

static void write_kinds(FILE *out, const struct schema *schema, const struct kinds *kinds)
{
	fputs("static const struct schema_kind schema_kinds[] = {\n", out);
	for (size_t i = 0; i < kinds->n; i++) {
		const struct kind *kind = &kinds->v[i];

		fputs("\t{ .api_version = ", out);
		write_view(out, kind->api_version);
		fputs(", .kind = ", out);
		write_view(out, kind->kind);
		fputs(", .type = ", out);
		write_type_number(out, schema, kind->type);
		fprintf(out, ", .scope = SCOPE_%s, .first = %u, .last = %u },\n", kind->scope,
		        kind->first, kind->last);
	}
	fputs("};\n", out);
}

void schema_write(FILE *out, const struct sheet *sheets)
{
	struct schema schema = { 0 };
	struct kinds kinds = { 0 };

	read_fields(&schema, &sheets[FIELDS_SHEET]);
	read_custom(&schema, &sheets[CUSTOM_SHEET]);
	sort(&schema);
	read_kinds(&kinds, &sheets[KINDS_SHEET]);
	read_custom_kinds(&schema, &kinds, &sheets[CUSTOM_SHEET]);
	qsort(kinds.v, kinds.n, sizeof *kinds.v, compare_kinds);
	write_types(out, &schema);
	write_fields(out, &schema);
	write_kinds(out, &schema, &kinds);
	for (size_t i = 0; i < schema.count; i++)
		free(schema.types[i].fields);
	free(schema.types);
	free(kinds.v);
	texts_free(&schema.texts);
}

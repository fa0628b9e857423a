/* The generated tables of API types and kinds, and looking things up in them. All are sorted by
 * tablegen; every search is a binary one, as each key of each document is looked up here. */
#include "kube-internal.h"

#include "schema-table.h"

const struct schema_type *schema_type(uint16_t number)
{
	return number < COUNT_OF(schema_types) ? &schema_types[number] : NULL;
}

uint16_t schema_type_number(const struct schema_type *type)
{
	return type ? (uint16_t)(type - schema_types) : SCHEMA_NONE;
}

size_t schema_type_count(void)
{
	return COUNT_OF(schema_types);
}

const struct schema_type *schema_type_named(const char *name)
{
	str wanted = str_of(name);
	size_t low = 0, high = COUNT_OF(schema_types);

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = str_cmp(wanted, schema_types[middle].name);

		if (order == 0)
			return &schema_types[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const struct schema_field *schema_fields_of(const struct schema_type *type)
{
	return &schema_fields[type->first];
}

/* The order of tablegen: length, then bytes. */
static int compare_names(str a, str b)
{
	return a.n != b.n ? (a.n > b.n) - (a.n < b.n) : str_cmp(a, b);
}

const struct schema_field *schema_field(const struct schema_type *type, str name)
{
	const struct schema_field *fields = schema_fields_of(type);
	size_t low = 0, high = type->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare_names(name, fields[middle].name);

		if (order == 0)
			return &fields[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static int compare_kind(str api_version, str kind, const struct schema_kind *row)
{
	int order = str_cmp(api_version, row->api_version);

	return order ? order : str_cmp(kind, row->kind);
}

const struct schema_kind *schema_kind(str api_version, str kind)
{
	size_t low = 0, high = COUNT_OF(schema_kinds);

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare_kind(api_version, kind, &schema_kinds[middle]);

		if (order == 0)
			return &schema_kinds[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

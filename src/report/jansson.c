/* jansson, with our memory and our idea of text. */
#include "report-internal.h"

/* Set before each report: jansson keeps the pair in variables of its own. */
void json_begin(void)
{
	json_set_alloc_funcs(memory_take, memory_give);
}

/* The length is given along: a NUL is a character like any other. */
json_t *json_text(const struct report *report, str text)
{
	str clean = utf8_clean(report->arena, text);

	return json_stringn_nocheck(clean.p ? clean.p : "", clean.n);
}

void json_put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new_nocheck(object, key, value);
}

void json_put_text(const struct report *report, json_t *object, const char *key, str text)
{
	if (text.n > 0)
		json_put(object, key, json_text(report, text));
}

void json_put_count(json_t *object, const char *key, size_t count)
{
	json_put(object, key, json_integer((json_int_t)count));
}

static int add_piece(const char *bytes, size_t size, void *out)
{
	buf_add(out, (str){ bytes, size });
	return 0;
}

void json_dump_into(json_t *value, struct buf *out)
{
	json_dump_callback(value, add_piece, out, JSON_INDENT(2) | JSON_ENCODE_ANY);
	buf_char(out, '\n');
	json_decref(value);
}

/* Scalars and keys: their tags, their text, their type. */
#include "tree-internal.h"

#include <string.h>

#define TAG_PREFIX "tag:yaml.org,2002:"

/* Tags of YAML's own types that change how a scalar is read. */
enum tag { TAG_NONE, TAG_OTHER, TAG_STR, TAG_INT, TAG_FLOAT, TAG_BOOL, TAG_NULL, TAG_BINARY,
	   TAG_MERGE, TAG_TIMESTAMP };

/* Shorthands are expanded by libyaml already. */
static enum tag tag_of(const yaml_event_t *event)
{
	static const struct {
		const char *name;
		enum tag tag;
	} rows[] = {
		{ TAG_PREFIX "str", TAG_STR },       { TAG_PREFIX "int", TAG_INT },
		{ TAG_PREFIX "float", TAG_FLOAT },   { TAG_PREFIX "bool", TAG_BOOL },
		{ TAG_PREFIX "null", TAG_NULL },     { TAG_PREFIX "binary", TAG_BINARY },
		{ TAG_PREFIX "merge", TAG_MERGE },   { TAG_PREFIX "timestamp", TAG_TIMESTAMP },
	};
	const char *tag = (const char *)event->data.scalar.tag;

	for (size_t i = 0; tag && i < COUNT_OF(rows); i++)
		if (!strcmp(tag, rows[i].name))
			return rows[i].tag;
	return tag ? TAG_OTHER : TAG_NONE;
}

static enum scalar_style style_of(yaml_scalar_style_t style)
{
	switch (style) {
	case YAML_SINGLE_QUOTED_SCALAR_STYLE:
		return STYLE_SINGLE;
	case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
		return STYLE_DOUBLE;
	case YAML_LITERAL_SCALAR_STYLE:
		return STYLE_LITERAL;
	case YAML_FOLDED_SCALAR_STYLE:
		return STYLE_FOLDED;
	default:
		return STYLE_PLAIN;
	}
}

/* The value of a base64 digit; -1 when it is none. */
static int base64_digit(char c)
{
	static const str digits = { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
		                    64 };
	size_t at = str_find(digits, c);

	return at < digits.n ? (int)at : -1;
}

/* Decodes base64 with its padding; line ends are passed over. false when it is none. */
static bool decode_base64(struct arena *arena, str text, str *ret_bytes)
{
	char *out = arena_alloc(arena, text.n + 1);
	size_t n = 0, digits = 0, padding = 0;
	unsigned bits = 0;

	for (size_t i = 0; i < text.n; i++) {
		int digit = base64_digit(text.p[i]);

		if (text.p[i] == '\n' || text.p[i] == '\r')
			continue;
		padding += text.p[i] == '=';
		if (text.p[i] != '=' && (digit < 0 || padding))
			return false;
		bits = bits << 6 | (unsigned)(digit < 0 ? 0 : digit);
		digits++;
		if (digits % 4)
			continue;
		out[n++] = (char)(bits >> 16 & 0xff);
		out[n++] = (char)(bits >> 8 & 0xff);
		out[n++] = (char)(bits & 0xff);
	}
	if (digits % 4 || padding > 2)
		return false;
	*ret_bytes = (str){ out, n - padding };
	return true;
}

/* The bytes of the file itself where they are the value, else a copy. */
static str scalar_text(struct parser *parser, const yaml_event_t *event, struct span span)
{
	const struct tree *tree = parser->tree;
	str value = { (const char *)event->data.scalar.value, event->data.scalar.length };
	str source = str_slice(tree->source->text, span.begin, span.end);

	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && str_eq(source, value))
		return source;
	if (source.n == value.n + 2 && str_eq(str_slice(source, 1, source.n - 1), value))
		return str_slice(source, 1, source.n - 1);
	return str_copy(tree->arena, value);
}

/* As Go's decoder, which then reads nothing of the document. */
static bool refuse(struct parser *parser, const yaml_event_t *event, const struct node *node)
{
	const char *tag = (const char *)event->data.scalar.tag + sizeof(TAG_PREFIX) - 1;

	return event_fail(parser, event,
	                  str_format(parser->tree->arena, "`%.*s` is no !!%s",
	                             STR_ARG(str_slice(node->text, 0, 40)), tag));
}

/* The type that a tag or the text itself gives. Go refuses a text that its tag does not fit. */
static bool set_type(struct parser *parser, const yaml_event_t *event, struct node *node)
{
	static const enum scalar_type wanted[] = { [TAG_INT] = SCALAR_INT,
		                                   [TAG_FLOAT] = SCALAR_FLOAT,
		                                   [TAG_BOOL] = SCALAR_BOOL,
		                                   [TAG_NULL] = SCALAR_NULL };
	enum tag tag = tag_of(event);

	node->type = SCALAR_STRING;
	switch (tag) {
	case TAG_NONE:
		if (node->style == STYLE_PLAIN)
			node->type = scalar_resolve(node->text);
		return true;
	case TAG_BINARY:
		return decode_base64(parser->tree->arena, node->text, &node->text) ||
		       refuse(parser, event, node);
	case TAG_INT:
	case TAG_FLOAT:
	case TAG_BOOL:
	case TAG_NULL:
		node->type = scalar_resolve(node->text);
		return node->type == wanted[tag] ||
		       (tag == TAG_FLOAT && node->type == SCALAR_INT) ||
		       refuse(parser, event, node);
	default:
		return true;
	}
}

/* Type, text and place of a value; of a key, too, before read_scalar_key(). */
bool read_scalar(struct parser *parser, const yaml_event_t *event, struct node *ret_node)
{
	size_t begin, end;

	event_bytes(parser, event, &begin, &end);
	parser->last_end = end;
	ret_node->kind = NODE_SCALAR;
	ret_node->style = style_of(event->data.scalar.style);
	ret_node->span = parser_span(parser, begin, end);
	ret_node->text = scalar_text(parser, event, ret_node->span);
	ret_node->json = parser->tree->source->json;
	ret_node->unknown = parser->may_hide && template_hides(ret_node->text);
	return set_type(parser, event, ret_node);
}

/* A key as JSON would hold it: `on`, `0x10` and `1.0` are read as their values first. */
bool read_scalar_key(struct parser *parser, const yaml_event_t *event, const struct node *key,
                     struct node *ret_child)
{
	bool plain = event->type == YAML_SCALAR_EVENT && key->style == STYLE_PLAIN;
	size_t begin, end;

	event_bytes(parser, event, &begin, &end);
	ret_child->key = key->text;
	ret_child->key_span = parser_span(parser, begin, end);
	ret_child->unknown = key->unknown;
	if (plain && str_is(key->text, "<<"))
		ret_child->merged = tag_of(event) == TAG_NONE || tag_of(event) == TAG_MERGE;
	if (key->type == SCALAR_NULL)
		return event_fail(parser, event, STR("a map key may not be empty or null"));
	if (key->type != SCALAR_STRING && !key->json)
		ret_child->key = node_json_text(parser->tree->arena, key);
	return true;
}

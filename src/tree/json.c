/* The short way for JSON files: Terraform states and `kubectl get -o json` are large, and libyaml
 * is five times slower than JSON needs. What is not plain JSON within the limits is left to the
 * YAML way, which knows what to say about it; both give the same tree.
 */
#include "tree-internal.h"

#include <string.h>

/* A text being read; at is the byte to look at next. */
struct json {
	struct parser *parser;
	str text;
	size_t at;
};

static bool read_value(struct json *json, unsigned depth, struct node *ret_node);

static char peek(const struct json *json)
{
	return json->at < json->text.n ? json->text.p[json->at] : '\0';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void skip_blanks(struct json *json)
{
	while (json->at < json->text.n && is_blank(json->text.p[json->at]))
		json->at++;
}

static bool take(struct json *json, char c)
{
	if (peek(json) != c)
		return false;
	json->at++;
	return true;
}

/* From byte begin to where the reader stands. */
static struct span span_from(const struct json *json, size_t begin)
{
	return parser_span(json->parser, begin, json->at);
}

/* ---- strings ------------------------------------------------------------------------- */

/* Bytes of the well-formed UTF-8 sequence at the start of s that is no control character and no
 * line end to YAML; 0 when there is none. Rare ones are left to libyaml. */
static size_t utf8_length(str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	if (p[0] < 0x80)
		return p[0] >= 0x20 && p[0] != 0x7f;
	if (p[0] < 0xc3 || p[0] > 0xf3 || n > s.n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Short forms, surrogates, U+2028 and U+2029, U+FEFF to U+FFFF. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xe2 && p[1] == 0x80) || (p[0] == 0xef && p[1] >= 0xbb) ||
	    (p[0] == 0xf0 && p[1] < 0x90))
		return 0;
	return n;
}

/* The four hexadecimal digits at the start of s; -1 when they are not there. */
static long hex_value(str s)
{
	long value = 0;

	for (size_t i = 0; i < 4; i++) {
		static const str digits = { "0123456789abcdef", 16 };
		char c = i < s.n ? s.p[i] : '\0';
		size_t digit = str_find(digits, c >= 'A' && c <= 'F' ? (char)(c + 'a' - 'A') : c);

		if (digit == digits.n)
			return -1;
		value = value * 16 + (long)digit;
	}
	return value;
}

/* Any value below 0x110000 that is no surrogate. */
static void add_utf8(struct buf *buf, unsigned long c)
{
	if (c < 0x80) {
		buf_char(buf, (char)c);
	} else if (c < 0x800) {
		buf_char(buf, (char)(0xc0 | c >> 6));
		buf_char(buf, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf_char(buf, (char)(0xe0 | c >> 12));
		buf_char(buf, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_char(buf, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_char(buf, (char)(0xf0 | c >> 18));
		buf_char(buf, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_char(buf, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_char(buf, (char)(0x80 | (c & 0x3f)));
	}
}

/* \uXXXX at the start of s, or two that are one character; a half alone is U+FFFD, as Go reads
 * it. Gives the bytes used, 0 for a bad escape. */
static size_t add_unicode(struct buf *buf, str s)
{
	long high = hex_value(str_slice(s, 2, s.n)), low = -1;

	if (high < 0)
		return 0;
	if (high >= 0xd800 && high < 0xdc00 && str_starts(str_slice(s, 6, s.n), STR("\\u")))
		low = hex_value(str_slice(s, 8, s.n));
	if (low >= 0xdc00 && low < 0xe000) {
		add_utf8(buf, 0x10000 + (((unsigned long)high - 0xd800) << 10) +
		                      ((unsigned long)low - 0xdc00));
		return 12;
	}
	add_utf8(buf, high >= 0xd800 && high < 0xe000 ? 0xfffd : (unsigned long)high);
	return 6;
}

/* The text of a string without its quotes; false for an escape that JSON does not know. */
static bool unescape(struct arena *arena, str raw, str *ret_text)
{
	static const str letters = { "\"\\/bfnrt", 8 };
	static const char values[] = "\"\\/\b\f\n\r\t";
	struct buf buf = { .arena = arena };

	while (raw.n) {
		size_t plain = str_find(raw, '\\'), used = 2;
		size_t letter = plain + 1 < raw.n ? str_find(letters, raw.p[plain + 1]) : letters.n;

		buf_add(&buf, str_slice(raw, 0, plain));
		raw = str_slice(raw, plain, raw.n);
		if (!raw.n)
			break;
		if (letter < letters.n)
			buf_char(&buf, values[letter]);
		else if (raw.n > 1 && raw.p[1] == 'u')
			used = add_unicode(&buf, raw);
		else
			return false;
		if (!used)
			return false;
		raw = str_slice(raw, used, raw.n);
	}
	*ret_text = buf_str(&buf);
	return true;
}

/* Reads a string, its quote being next. */
static bool read_string(struct json *json, str *ret_text, struct span *ret_span)
{
	size_t begin = json->at++;
	bool escaped = false;

	while (json->at < json->text.n && json->text.p[json->at] != '"') {
		size_t n = utf8_length(str_slice(json->text, json->at, json->text.n));

		if (!n)
			return false;
		if (json->text.p[json->at] == '\\') {
			escaped = true;
			n = 2;
		}
		json->at += n;
	}
	*ret_text = str_slice(json->text, begin + 1, json->at);
	if (!take(json, '"'))
		return false;
	*ret_span = span_from(json, begin);
	return !escaped || unescape(json->parser->tree->arena, *ret_text, ret_text);
}

/* ---- values -------------------------------------------------------------------------- */

/* YAML's own idea of numbers is checked besides; only what is one to both goes this way. */
static bool is_number(str s)
{
	size_t at = s.n && s.p[0] == '-' ? 1 : 0;

	/* YAML would read a leading zero as octal, JSON not at all. */
	return at < s.n && s.p[at] >= '0' && s.p[at] <= '9' &&
	       (s.p[at] != '0' || at + 1 == s.n || !strchr("0123456789xXoObB_", s.p[at + 1]));
}

static bool ends_word(char c)
{
	return is_blank(c) || c == ',' || c == ']' || c == '}';
}

/* A number, true, false or null. */
static bool read_word(struct json *json, struct node *ret_node)
{
	size_t begin = json->at;
	str word;

	while (json->at < json->text.n && !ends_word(json->text.p[json->at]))
		json->at++;
	word = str_slice(json->text, begin, json->at);
	ret_node->text = word;
	ret_node->type = scalar_resolve(word);
	ret_node->span = span_from(json, begin);
	if (str_is(word, "true") || str_is(word, "false") || str_is(word, "null"))
		return true;
	return is_number(word) &&
	       (ret_node->type == SCALAR_INT || ret_node->type == SCALAR_FLOAT);
}

static bool read_scalar_value(struct json *json, struct node *ret_node)
{
	ret_node->kind = NODE_SCALAR;
	ret_node->json = true;
	if (peek(json) != '"')
		return read_word(json, ret_node);
	ret_node->type = SCALAR_STRING;
	ret_node->style = STYLE_DOUBLE;
	if (!read_string(json, &ret_node->text, &ret_node->span))
		return false;
	ret_node->unknown = json->parser->may_hide && template_hides(ret_node->text);
	return true;
}

/* A key counts as a node, as it does in YAML. */
static bool read_member(struct json *json, unsigned depth, bool in_map)
{
	struct node child = { 0 };
	struct span key_span = { 0 };
	str key = { 0 };

	skip_blanks(json);
	if (in_map) {
		if (peek(json) != '"' || !read_string(json, &key, &key_span))
			return false;
		skip_blanks(json);
		if (!take(json, ':'))
			return false;
		json->parser->nodes++;
	}
	if (!read_value(json, depth, &child))
		return false;
	child.key = key;
	child.key_span = key_span;
	child.unknown = child.unknown || (json->parser->may_hide && template_hides(key));
	*stack_push(json->parser) = child;
	skip_blanks(json);
	return true;
}

/* A comma at the end is no JSON: behind one a member must follow. */
static bool read_container(struct json *json, unsigned depth, struct node *ret_node)
{
	size_t begin = json->at, base = json->parser->stack.n;
	bool map = peek(json) == '{';
	char end = map ? '}' : ']';

	if (depth > TREE_MAX_DEPTH)
		return false;
	json->at++;
	ret_node->kind = map ? NODE_MAP : NODE_LIST;
	ret_node->flow = true;
	skip_blanks(json);
	while (peek(json) != end || json->parser->stack.n > base) {
		if (!read_member(json, depth + 1, map))
			return false;
		if (!take(json, ','))
			break;
	}
	if (!take(json, end))
		return false;
	ret_node->span = span_from(json, begin);
	if (map)
		return map_close(json->parser, ret_node, base);
	node_adopt(json->parser, ret_node, base);
	return true;
}

static bool read_value(struct json *json, unsigned depth, struct node *ret_node)
{
	skip_blanks(json);
	if (++json->parser->nodes > TREE_MAX_NODES)
		return false;
	if (peek(json) == '{' || peek(json) == '[')
		return read_container(json, depth, ret_node);
	return read_scalar_value(json, ret_node);
}

/* What was built so far is dropped when the text turns out to be something else: YAML then
 * begins anew. */
bool json_parse(struct parser *parser, str text)
{
	struct json json = { .parser = parser, .text = text };
	struct tree *tree = parser->tree;
	struct node *root = ARENA_NEW(tree->arena, struct node);
	bool good = read_value(&json, 1, root);

	skip_blanks(&json);
	parser->stack.n = 0;
	parser->nodes = 0;
	if (!good || json.at < text.n) {
		tree->faults.n = 0;
		return false;
	}
	node_relink(root);
	tree->root = root;
	return true;
}

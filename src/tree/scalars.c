/* What a plain scalar is, by the rules of the Go YAML library that Kubernetes uses
 * (sigs.k8s.io/yaml 1.6 over goyaml.v2 2.4, resolve.go): YAML 1.1 words, Go's own number syntax,
 * and no base 60. Checked against that library on tens of thousands of texts. */
#include "tree-internal.h"

#include <math.h>
#include <stdlib.h>

/* A word that is no string, and what it is worth as a boolean. */
struct word {
	str word;
	enum scalar_type type;
	bool value;
};

static const struct word words[] = {
#define WORD(w, t, v) { { w, sizeof(w) - 1 }, t, v }
	WORD("y", SCALAR_BOOL, true), WORD("Y", SCALAR_BOOL, true),
	WORD("yes", SCALAR_BOOL, true), WORD("Yes", SCALAR_BOOL, true),
	WORD("YES", SCALAR_BOOL, true), WORD("true", SCALAR_BOOL, true),
	WORD("True", SCALAR_BOOL, true), WORD("TRUE", SCALAR_BOOL, true),
	WORD("on", SCALAR_BOOL, true), WORD("On", SCALAR_BOOL, true),
	WORD("ON", SCALAR_BOOL, true), WORD("n", SCALAR_BOOL, false),
	WORD("N", SCALAR_BOOL, false), WORD("no", SCALAR_BOOL, false),
	WORD("No", SCALAR_BOOL, false), WORD("NO", SCALAR_BOOL, false),
	WORD("false", SCALAR_BOOL, false), WORD("False", SCALAR_BOOL, false),
	WORD("FALSE", SCALAR_BOOL, false), WORD("off", SCALAR_BOOL, false),
	WORD("Off", SCALAR_BOOL, false), WORD("OFF", SCALAR_BOOL, false),
	WORD("", SCALAR_NULL, false), WORD("~", SCALAR_NULL, false),
	WORD("null", SCALAR_NULL, false), WORD("Null", SCALAR_NULL, false),
	WORD("NULL", SCALAR_NULL, false), WORD(".nan", SCALAR_FLOAT, false),
	WORD(".NaN", SCALAR_FLOAT, false), WORD(".NAN", SCALAR_FLOAT, false),
	WORD(".inf", SCALAR_FLOAT, false), WORD(".Inf", SCALAR_FLOAT, false),
	WORD(".INF", SCALAR_FLOAT, false), WORD("+.inf", SCALAR_FLOAT, false),
	WORD("+.Inf", SCALAR_FLOAT, false), WORD("+.INF", SCALAR_FLOAT, false),
	WORD("-.inf", SCALAR_FLOAT, false), WORD("-.Inf", SCALAR_FLOAT, false),
	WORD("-.INF", SCALAR_FLOAT, false),
#undef WORD
};

#define LONGEST_WORD 5

/* Longest number text that is read; a longer one is taken for a string. */
#define NUMBER_MAX 400

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Most scalars are longer than the longest word, so the list is rarely walked. */
static size_t find_word(str text)
{
	for (size_t i = 0; text.n <= LONGEST_WORD && i < COUNT_OF(words); i++)
		if (str_eq(words[i].word, text))
			return i;
	return COUNT_OF(words);
}

/* The text without underscores, as Go's library drops them from numbers, with a NUL. */
static str without_underscores(str text, char *space)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n && n < NUMBER_MAX; i++)
		if (text.p[i] != '_')
			space[n++] = text.p[i];
	space[n] = '\0';
	return (str){ space, n };
}

static int digit_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* The base of a Go integer literal, its prefix taken off; 10 without one. */
static int take_base(str *s)
{
	static const struct {
		char letters[2];
		int base;
	} prefixes[] = { { { 'x', 'X' }, 16 }, { { 'o', 'O' }, 8 }, { { 'b', 'B' }, 2 } };

	if (s->n < 2 || s->p[0] != '0')
		return 10;
	for (size_t i = 0; i < COUNT_OF(prefixes); i++)
		if (s->p[1] == prefixes[i].letters[0] || s->p[1] == prefixes[i].letters[1]) {
			*s = str_slice(*s, 2, s->n);
			return prefixes[i].base;
		}
	*s = str_slice(*s, 1, s->n);
	return 8;
}

/* An integer as Go's ParseInt with base 0 reads it. ret_value is cut to int64 when the text
 * is an unsigned integer beyond it. */
static bool parse_integer(str text, int64_t *ret_value)
{
	bool negative = text.n && text.p[0] == '-';
	uint64_t value = 0;
	int base;

	if (text.n && (text.p[0] == '-' || text.p[0] == '+'))
		text = str_slice(text, 1, text.n);
	base = take_base(&text);
	if (!text.n)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		int digit = digit_of(text.p[i]);

		if (digit >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return false;
	}
	if (negative && value > (uint64_t)INT64_MAX + 1)
		return false;
	if (negative)
		*ret_value = value > INT64_MAX ? INT64_MIN : -(int64_t)value;
	else
		*ret_value = value > INT64_MAX ? INT64_MAX : (int64_t)value;
	return true;
}

/* Count of digits from byte at on. */
static size_t digits(str s, size_t at)
{
	size_t n = at;

	while (n < s.n && is_digit(s.p[n]))
		n++;
	return n - at;
}

/* [-+]?(.d+|d+(.d*)?)([eE][-+]?d+)? */
static bool is_float(str s)
{
	size_t at = s.n && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;
	size_t whole = digits(s, at), part = 0;

	at += whole;
	if (at < s.n && s.p[at] == '.') {
		part = digits(s, ++at);
		at += part;
		if (!whole && !part)
			return false;
	} else if (!whole) {
		return false;
	}
	if (at < s.n && (s.p[at] == 'e' || s.p[at] == 'E')) {
		at++;
		if (at < s.n && (s.p[at] == '-' || s.p[at] == '+'))
			at++;
		if (!digits(s, at))
			return false;
		at += digits(s, at);
	}
	return at == s.n;
}

/* A float that Go can hold: one that would overflow stays a string. number ends in a NUL. */
static bool float_fits(str number)
{
	return is_float(number) && isfinite(strtod(number.p, NULL));
}

/* What Go's own float parser asks of underscores, where the library does not drop them first. */
static bool underscores_part_digits(str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '_' && (!i || i + 1 == text.n || !is_digit(text.p[i - 1]) ||
		                         !is_digit(text.p[i + 1])))
			return false;
	return true;
}

/* First the words, then by the first character: a number begins with a digit, a sign or a point. */
enum scalar_type scalar_resolve(str text)
{
	char space[NUMBER_MAX + 1];
	size_t word = find_word(text);
	int64_t value;
	str number;

	if (word < COUNT_OF(words))
		return words[word].type;
	if (!is_digit(text.p[0]) && text.p[0] != '-' && text.p[0] != '+' && text.p[0] != '.')
		return SCALAR_STRING;
	if (text.n > NUMBER_MAX)
		return SCALAR_STRING;
	number = without_underscores(text, space);
	if (text.p[0] == '.')
		return underscores_part_digits(text) && float_fits(number) ? SCALAR_FLOAT
		                                                           : SCALAR_STRING;
	if (parse_integer(number, &value))
		return SCALAR_INT;
	return float_fits(number) ? SCALAR_FLOAT : SCALAR_STRING;
}

/* An unsigned integer beyond int64 is cut: it is far above any bound that it is compared with. */
bool node_int(const struct node *node, int64_t *ret_value)
{
	char space[NUMBER_MAX + 1];
	str number;
	double value;

	if (!node || node->kind != NODE_SCALAR)
		return false;
	number = without_underscores(node->text, space);
	if (node->type == SCALAR_INT)
		return parse_integer(number, ret_value);
	if (node->type != SCALAR_FLOAT || !is_float(number))
		return false;
	/* Go decodes 1e3 as a float; JSON then holds 1000, which an integer field takes. */
	value = strtod(number.p, NULL);
	if (!(value > -9e15 && value < 9e15))
		return false;
	*ret_value = (int64_t)value;
	return value >= (double)*ret_value && value <= (double)*ret_value;
}

bool node_bool(const struct node *node, bool *ret_value)
{
	size_t word;

	if (!node || node->kind != NODE_SCALAR || node->type != SCALAR_BOOL)
		return false;
	word = find_word(node->text);
	*ret_value = word < COUNT_OF(words) && words[word].value;
	return word < COUNT_OF(words);
}

/* The shortest digits that read back as value, as printf's %e writes them. */
static str shortest_text(struct arena *arena, double value)
{
	str text = { 0 };

	for (int precision = 0; precision <= 17; precision++) {
		text = str_format(arena, "%.*e", precision, value);
		if (strtod(text.p, NULL) == value)
			break;
	}
	return text;
}

/* Puts the point into digits so that the first stands for 10^exponent; zeros fill the gap. */
static void add_plain(struct buf *buf, str digits, int exponent)
{
	if (exponent < 0)
		buf_add(buf, STR("0."));
	for (int place = -1; place > exponent; place--)
		buf_char(buf, '0');
	for (size_t i = 0; i < digits.n; i++) {
		if (exponent >= 0 && i == (size_t)exponent + 1)
			buf_char(buf, '.');
		buf_char(buf, digits.p[i]);
	}
	for (size_t i = digits.n; exponent >= 0 && i <= (size_t)exponent; i++)
		buf_char(buf, '0');
}

/* The text of a float as Go's JSON encoder writes it: its shortest digits, and no exponent
 * from 1e-6 to below 1e21. */
static str float_text(struct arena *arena, double value)
{
	struct buf buf = { .arena = arena };
	struct buf digits = { .arena = arena };
	str mantissa, exponent;
	int64_t places = 0;

	str_cut(shortest_text(arena, value), 'e', &mantissa, &exponent);
	str_to_int64(exponent, &places);
	if (value != 0 && (places < -6 || places >= 21))
		return str_format(arena, "%.*se%+d", STR_ARG(mantissa), (int)places);
	for (size_t i = 0; i < mantissa.n; i++)
		if (is_digit(mantissa.p[i]))
			buf_char(&digits, mantissa.p[i]);
	if (str_starts(mantissa, STR("-")))
		buf_char(&buf, '-');
	add_plain(&buf, buf_str(&digits), (int)places);
	return buf_str(&buf);
}

/* Strings are given as they are: a quantity in quotes is parsed from its text. */
str node_json_text(struct arena *arena, const struct node *node)
{
	char space[NUMBER_MAX + 1];
	bool value = false;
	int64_t integer;
	double real;
	str number;

	if (!node || node->kind != NODE_SCALAR)
		return (str){ 0 };
	if (node->json && node->type != SCALAR_NULL)
		return node->text;
	number = without_underscores(node->text, space);
	switch (node->type) {
	case SCALAR_NULL:
		return STR("null");
	case SCALAR_BOOL:
		node_bool(node, &value);
		return value ? STR("true") : STR("false");
	case SCALAR_INT:
		if (parse_integer(number, &integer) && integer != INT64_MAX)
			return str_format(arena, "%lld", (long long)integer);
		return str_format(arena, "%llu", strtoull(number.p, NULL, 0));
	case SCALAR_FLOAT:
		real = strtod(number.p, NULL);
		/* Infinity and .nan have no JSON. */
		return is_float(number) ? float_text(arena, real) : node->text;
	default:
		return node->text;
	}
}

/* A PromQL tokenizer: metric names, matchers and plain comparisons.
 *
 * Upstream: prometheus promql/parser lexer (names, numbers, durations, three kinds of quotes,
 * comments) and its operator words. Functions and aggregations are told from metrics by what
 * follows them.
 */
#include "ask.h"
#include "model-internal.h"

enum token_kind { TOKEN_USE, TOKEN_NUMBER, TOKEN_COMPARE, TOKEN_SET, TOKEN_OPEN, TOKEN_CLOSE,
	          TOKEN_COMMA, TOKEN_MINUS, TOKEN_OTHER };

struct token {
	enum token_kind kind;
	size_t use;            /* of TOKEN_USE */
	enum promql_op op;     /* of TOKEN_COMPARE */
	str text;
};
struct tokens VEC(struct token);

struct reader {
	struct arena *arena;
	str text;
	size_t at;
	struct tokens tokens;
	struct promql *promql;
};

/* Words that are followed by a list of labels in brackets. */
static const char *const list_words[] = { "by", "without", "on", "ignoring", "group_left",
	                                  "group_right" };
/* Words that are no metric. bool is dropped; the set operators end an operand. */
static const char *const set_words[] = { "and", "or", "unless" };
static const char *const plain_words[] = { "offset", "atan2", "inf", "nan", "start", "end" };
static const char *const aggregations[] = {
	"sum", "min", "max", "avg", "group", "stddev", "stdvar", "count", "count_values",
	"bottomk", "topk", "quantile", "limitk", "limit_ratio",
};

/* Words are few, so a loop will do. */
static bool word_is(str word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(word, list[i]))
			return true;
	return false;
}

/* Recorded series have colons in their names. */
static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
}

/* ASCII only, whatever the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* NUL behind the end, which no expression holds. */
static char peek(const struct reader *reader)
{
	return reader->at < reader->text.n ? reader->text.p[reader->at] : '\0';
}

/* Comments run to the end of the line. */
static void skip_blanks(struct reader *reader)
{
	for (; reader->at < reader->text.n; reader->at++) {
		char c = peek(reader);

		if (c == '#')
			while (reader->at + 1 < reader->text.n &&
			       reader->text.p[reader->at + 1] != '\n')
				reader->at++;
		else if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return;
	}
}

/* Empty when no name stands here. */
static str read_name(struct reader *reader)
{
	size_t begin = reader->at;

	while (is_name_start(peek(reader)) || is_digit(peek(reader)))
		reader->at++;
	return str_slice(reader->text, begin, reader->at);
}

/* The text between quotes at the reader's place; false when they do not close. */
static bool read_string(struct reader *reader, str *ret_value)
{
	char quote = peek(reader);
	size_t begin = ++reader->at;

	for (; reader->at < reader->text.n; reader->at++) {
		char c = peek(reader);

		if (c == '\\' && quote != '`') {
			reader->at++;
		} else if (c == quote) {
			*ret_value = str_slice(reader->text, begin, reader->at++);
			return true;
		}
	}
	return false;
}

/* Everything up to the closing bracket, strings kept whole; false when there is none. */
static bool skip_bracket(struct reader *reader, char close)
{
	str ignored;

	for (reader->at++; reader->at < reader->text.n;) {
		char c = peek(reader);

		if (c == '"' || c == '\'' || c == '`') {
			if (!read_string(reader, &ignored))
				return false;
			continue;
		}
		reader->at++;
		if (c == close)
			return true;
	}
	return false;
}

/* The operator of a matcher; false when there is none. */
static bool read_matcher_op(struct reader *reader, struct promql_matcher *matcher)
{
	char first = peek(reader);
	char second = reader->at + 1 < reader->text.n ? reader->text.p[reader->at + 1] : '\0';

	if (first != '=' && first != '!')
		return false;
	matcher->negated = first == '!';
	matcher->regex = second == '~';
	if (matcher->negated && second != '=' && second != '~')
		return false;
	reader->at += matcher->negated || matcher->regex ? 2 : 1;
	return true;
}

/* One entry between { and }: a matcher, or a quoted metric name. */
static bool read_matcher(struct reader *reader, struct promql_use *use)
{
	struct promql_matcher matcher = { 0 };
	bool quoted = peek(reader) == '"' || peek(reader) == '\'';

	if (quoted && !read_string(reader, &matcher.label))
		return false;
	if (!quoted)
		matcher.label = read_name(reader);
	skip_blanks(reader);
	if (quoted && (peek(reader) == ',' || peek(reader) == '}')) {
		use->name = matcher.label;
		return true;
	}
	if (!matcher.label.n || !read_matcher_op(reader, &matcher))
		return false;
	skip_blanks(reader);
	if (!peek(reader) || str_find(STR("\"'`"), peek(reader)) == 3 ||
	    !read_string(reader, &matcher.value))
		return false;
	if (str_is(matcher.label, "__name__"))
		reader->promql->named = false;
	*VEC_PUSH(reader->arena, &use->matchers) = matcher;
	return true;
}

/* From { to }, entries separated by commas, a last comma allowed. */
static bool read_matchers(struct reader *reader, struct promql_use *use)
{
	for (reader->at++;;) {
		skip_blanks(reader);
		if (peek(reader) == '}') {
			reader->at++;
			return true;
		}
		if (!read_matcher(reader, use))
			return false;
		skip_blanks(reader);
		if (peek(reader) == ',')
			reader->at++;
		else if (peek(reader) != '}')
			return false;
	}
}

/* The rest of the token is filled in by the caller. */
static struct token *add_token(struct reader *reader, enum token_kind kind, str text)
{
	struct token *token = VEC_PUSH(reader->arena, &reader->tokens);

	token->kind = kind;
	token->text = text;
	return token;
}

/* A series selector whose name (perhaps empty) has been read. */
static bool read_use(struct reader *reader, str name)
{
	struct promql_use use = { .name = name, .instant = true };
	size_t mark;

	skip_blanks(reader);
	if (peek(reader) == '{' && !read_matchers(reader, &use))
		return false;
	skip_blanks(reader);
	if (peek(reader) == '[') {
		use.instant = false;
		if (!skip_bracket(reader, ']'))
			return false;
	}
	skip_blanks(reader);
	mark = reader->at;
	if (peek(reader) == '@' || str_is(read_name(reader), "offset"))
		use.instant = false;
	reader->at = mark;
	add_token(reader, TOKEN_USE, name)->use = reader->promql->uses.n;
	*VEC_PUSH(reader->arena, &reader->promql->uses) = use;
	return true;
}

/* A word: a label list, an operator, a function, or a metric. */
static bool read_word(struct reader *reader)
{
	str word = read_name(reader);
	str lower = str_lower(reader->arena, word);

	skip_blanks(reader);
	if (word_is(lower, list_words, COUNT_OF(list_words))) {
		add_token(reader, TOKEN_OTHER, word);
		return peek(reader) != '(' || skip_bracket(reader, ')');
	}
	if (word_is(lower, set_words, COUNT_OF(set_words))) {
		add_token(reader, TOKEN_SET, word);
		return true;
	}
	if (str_is(lower, "bool"))
		return true;
	if (peek(reader) == '(' || word_is(lower, plain_words, COUNT_OF(plain_words)) ||
	    word_is(lower, aggregations, COUNT_OF(aggregations))) {
		add_token(reader, TOKEN_OTHER, word);
		return true;
	}
	return read_use(reader, word);
}

/* Numbers and durations: 0.5, 1e-3, 0x1f, 5m30s. */
static void read_number(struct reader *reader)
{
	size_t begin = reader->at;
	char before = '\0';

	for (;; reader->at++) {
		char c = peek(reader);
		bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');

		if (!is_digit(c) && !is_name_start(c) && c != '.' && !sign)
			break;
		before = c;
	}
	add_token(reader, TOKEN_NUMBER, str_slice(reader->text, begin, reader->at));
}

/* == and >= have two bytes; a lone = or ! is left to the grammar that nobody checks here. */
static void read_comparison(struct reader *reader)
{
	char first = peek(reader);
	char second = reader->at + 1 < reader->text.n ? reader->text.p[reader->at + 1] : '\0';
	bool wide = second == '=';
	struct token *token = add_token(reader, TOKEN_COMPARE, (str){ 0 });

	switch (first) {
	case '>':
		token->op = wide ? PROMQL_AT_LEAST : PROMQL_ABOVE;
		break;
	case '<':
		token->op = wide ? PROMQL_AT_MOST : PROMQL_BELOW;
		break;
	case '!':
		token->op = PROMQL_UNEQUAL;
		break;
	default:
		token->op = PROMQL_EQUAL;
		break;
	}
	reader->at += wide ? 2 : 1;
}

/* Arithmetic is OTHER: it ends no operand. */
static enum token_kind kind_of(char c)
{
	switch (c) {
	case '(':
		return TOKEN_OPEN;
	case ')':
		return TOKEN_CLOSE;
	case ',':
		return TOKEN_COMMA;
	case '-':
		return TOKEN_MINUS;
	default:
		return TOKEN_OTHER;
	}
}

/* false for what PromQL does not have: a template, a Grafana variable, a stray bracket. */
static bool read_token(struct reader *reader)
{
	char c = peek(reader);
	str ignored;

	if (is_name_start(c))
		return read_word(reader);
	if (c == '{')
		return read_use(reader, (str){ 0 });
	if (c == '[')
		return skip_bracket(reader, ']');
	if (c == '"' || c == '\'' || c == '`') {
		add_token(reader, TOKEN_OTHER, (str){ 0 });
		return read_string(reader, &ignored);
	}
	if (is_digit(c) || c == '.') {
		read_number(reader);
	} else if (str_find(STR("<>=!"), c) < 4) {
		read_comparison(reader);
	} else {
		add_token(reader, kind_of(c), (str){ 0 });
		reader->at++;
	}
	return c != '$' && c != '}' && c != ']';
}

/* Does an operand begin behind the token with that index, or end in front of it? */
static bool is_border(const struct tokens *tokens, size_t i)
{
	enum token_kind kind;

	if (i >= tokens->n)
		return true;
	kind = tokens->v[i].kind;
	return kind == TOKEN_OPEN || kind == TOKEN_CLOSE || kind == TOKEN_SET ||
	       kind == TOKEN_COMMA;
}

/* The right side of a comparison, from the token at i on. */
static bool read_right(const struct reader *reader, size_t i, struct promql_comparison *comparison)
{
	const struct tokens *tokens = &reader->tokens;
	bool negative = i < tokens->n && tokens->v[i].kind == TOKEN_MINUS;

	i += negative ? 1 : 0;
	if (i >= tokens->n || !is_border(tokens, i + 1))
		return false;
	if (tokens->v[i].kind == TOKEN_USE && !negative) {
		comparison->right = tokens->v[i].use;
		return true;
	}
	comparison->right = SIZE_MAX;
	return tokens->v[i].kind == TOKEN_NUMBER &&
	       quantity_parse(negative ? str_format(reader->arena, "-%.*s",
	                                            STR_ARG(tokens->v[i].text))
	                               : tokens->v[i].text,
	                      &comparison->number);
}

/* Only operands with a border on both sides: precedence need not be known then. */
static void find_comparisons(struct reader *reader)
{
	const struct tokens *tokens = &reader->tokens;

	for (size_t i = 1; i + 1 < tokens->n; i++) {
		struct promql_comparison comparison = { .op = tokens->v[i].op };

		if (tokens->v[i].kind != TOKEN_COMPARE || tokens->v[i - 1].kind != TOKEN_USE ||
		    !is_border(tokens, i - 2) || !read_right(reader, i + 1, &comparison))
			continue;
		comparison.left = tokens->v[i - 1].use;
		*VEC_PUSH(reader->arena, &reader->promql->comparisons) = comparison;
	}
}

void promql_read(struct arena *arena, str expression, struct promql *ret_promql)
{
	struct reader reader = { .arena = arena, .text = expression, .promql = ret_promql };

	*ret_promql = (struct promql){ .named = true };
	if (str_contains(expression, STR("{{")) || str_contains(expression, STR("${")))
		return;
	for (skip_blanks(&reader); reader.at < expression.n; skip_blanks(&reader))
		if (!read_token(&reader))
			return;
	ret_promql->readable = true;
	find_comparisons(&reader);
}

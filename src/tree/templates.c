/* Text that a template engine or a shell would replace before kubectl sees it: Helm and Go ({{
 * }}), Jinja ({% %}), ERB (<% %>), envsubst and Flux (${NAME}). `$(NAME)` is Kubernetes' own and
 * known. */
#include "tree-internal.h"

#include <string.h>

/* Does an open byte stand before one of the others? memchr finds the few that there are. */
static bool holds_pair(str text, char open, const char *others)
{
	for (size_t at = str_find(text, open); at + 1 < text.n;) {
		if (strchr(others, text.p[at + 1]) && text.p[at + 1])
			return true;
		at += 1 + str_find(str_slice(text, at + 1, text.n), open);
	}
	return false;
}

bool template_any(str text)
{
	return holds_pair(text, '{', "{%") || holds_pair(text, '<', "%");
}

/* Characters of a shell variable's name. */
static bool is_name_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
	       (c >= '0' && c <= '9');
}

/* `$NAME` as the whole text. */
static bool is_variable(str text)
{
	if (text.n < 2 || text.p[0] != '$' || (text.p[1] >= '0' && text.p[1] <= '9'))
		return false;
	for (size_t i = 1; i < text.n; i++)
		if (!is_name_char(text.p[i]))
			return false;
	return true;
}

/* `${NAME}`, `${NAME:-default}` or `${expression}` somewhere in the text. Digits are left out:
 * `${1}` is a group of a regular expression. */
static bool holds_braces(str text)
{
	size_t last = str_find_last(text, '}');

	for (size_t at = str_find(text, '$'); last < text.n && at + 2 < last;) {
		char first = text.p[at + 2];

		if (text.p[at + 1] == '{' && is_name_char(first) && (first < '0' || first > '9'))
			return true;
		at += 1 + str_find(str_slice(text, at + 1, text.n), '$');
	}
	return false;
}

/* All shell forms begin with a dollar; templates are looked for by template_any(). */
bool template_may_hide(str text)
{
	return str_find(text, '$') < text.n;
}

/* Asked of single values, after parser_begin() has seen that the document has any. */
bool template_hides(str text)
{
	return template_any(text) || is_variable(text) || holds_braces(text);
}

/* What is shown to the user: one line at most. */
str template_first(str text)
{
	static const struct {
		str open, close;
	} rows[] = { { { "{{", 2 }, { "}}", 2 } }, { { "{%", 2 }, { "%}", 2 } },
		     { { "<%", 2 }, { "%>", 2 } } };
	str first = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *begin = text.n ? memmem(text.p, text.n, rows[i].open.p, 2) : NULL;
		const char *end;
		str rest;

		if (!begin || (first.n && begin > first.p))
			continue;
		rest = str_slice(text, (size_t)(begin - text.p), text.n);
		rest = str_slice(rest, 0, str_find(rest, '\n'));
		end = memmem(rest.p, rest.n, rows[i].close.p, 2);
		first = str_trim(end ? str_slice(rest, 0, (size_t)(end - rest.p) + 2) : rest);
	}
	return first;
}

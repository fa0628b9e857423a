/* Views of bytes. No function here looks for a NUL, none writes to what it is given, and all of
 * them take the empty view with a NULL pointer. */
#include "base.h"
#include "base-internal.h"

#include <string.h>

str str_of(const char *c_string)
{
	return c_string ? (str){ c_string, strlen(c_string) } : (str){ 0 };
}

/* Clamped, so that an offset computed from a hostile text cannot leave it. */
str str_slice(str s, size_t begin, size_t end)
{
	if (end > s.n)
		end = s.n;
	if (begin >= end)
		return (str){ s.p, 0 };
	return (str){ s.p + begin, end - begin };
}

bool str_eq(str a, str b)
{
	return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

bool str_is(str a, const char *c_string)
{
	return str_eq(a, str_of(c_string));
}

/* Byte order is the order of code points in UTF-8, and needs no locale. */
int str_cmp(str a, str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.p, b.p, n) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

bool str_starts(str s, str prefix)
{
	return s.n >= prefix.n && str_eq(str_slice(s, 0, prefix.n), prefix);
}

bool str_ends(str s, str suffix)
{
	return s.n >= suffix.n && str_eq(str_slice(s, s.n - suffix.n, s.n), suffix);
}

bool str_contains(str s, str part)
{
	return !part.n || (s.n && memmem(s.p, s.n, part.p, part.n));
}

size_t str_find(str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

size_t str_find_last(str s, char c)
{
	const char *at = s.n ? memrchr(s.p, c, s.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

/* ASCII only: what Unicode calls space is content to YAML and JSON. */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

str str_trim(str s)
{
	while (s.n && is_space(s.p[0]))
		s = str_slice(s, 1, s.n);
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_cut(str s, char c, str *ret_before, str *ret_after)
{
	size_t at = str_find(s, c);

	*ret_before = str_slice(s, 0, at);
	*ret_after = at < s.n ? str_slice(s, at + 1, s.n) : (str){ 0 };
	return at < s.n;
}

bool str_next(str *rest, char c, str *ret_piece)
{
	if (!rest->n)
		return false;
	str_cut(*rest, c, ret_piece, rest);
	return true;
}

/* The NUL behind the copy makes it fit for open(2) and its like. */
str str_copy(struct arena *arena, str s)
{
	char *p = arena_alloc(arena, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	return (str){ p, s.n };
}

const char *str_c(struct arena *arena, str s)
{
	return str_copy(arena, s).p;
}

str str_vformat(struct arena *arena, const char *format, va_list args)
{
	struct buf buf = { .arena = arena };

	buf_vprintf(&buf, format, args);
	return buf_str(&buf);
}

str str_format(struct arena *arena, const char *format, ...)
{
	va_list args;
	str s;

	va_start(args, format);
	s = str_vformat(arena, format, args);
	va_end(args);
	return s;
}

str str_lower(struct arena *arena, str s)
{
	char *p = arena_alloc(arena, s.n + 1);

	for (size_t i = 0; i < s.n; i++)
		p[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 'a' - 'A') : s.p[i];
	return (str){ p, s.n };
}

/* libyaml's problems in the words of somebody who edits manifests. */
#include "tree-internal.h"

#include <string.h>

/* problem: what libyaml says; words: what we say instead. */
static const struct {
	const char *problem, *words;
} table[] = {
	{ "could not find expected ':'", "a `key: value` line lacks its colon" },
	{ "mapping values are not allowed in this context",
	  "a `: ` where no key can stand (quote the text before it, or mend the indentation)" },
	{ "did not find expected key", "a key was expected here: mend the indentation or a quote" },
	{ "did not find expected '-' indicator",
	  "a list item (`- `) was expected here: mend the indentation" },
	{ "did not find expected ',' or ']'", "`,` or `]` was expected: a `[` is not closed" },
	{ "did not find expected ',' or '}'", "`,` or `}` was expected: a `{` is not closed" },
	{ "found unexpected end of stream", "the text ends inside a quoted string" },
	{ "found character that cannot start any token",
	  "a character that cannot start a value: quote the text" },
	{ "found undefined tag handle", "a tag handle that no %TAG line declares" },
	{ "control characters are not allowed", "a control character, which YAML does not allow" },
	{ "invalid leading UTF-8 octet", "a byte that is no UTF-8" },
	{ "invalid trailing UTF-8 octet", "a byte sequence that is no UTF-8" },
	{ "incomplete UTF-8 octet sequence", "the text ends inside a UTF-8 character" },
	{ "found a tab character that violates indentation",
	  "a tab may not be used for indentation" },
	{ "found a tab character where an indentation space is expected",
	  "a tab may not be used for indentation" },
};

str problem_words(struct arena *arena, const char *problem, const char *context, str at)
{
	if (at.n && at.p[0] == '\t' && problem && strstr(problem, "cannot start any token"))
		return STR("a tab may not be used for indentation");
	for (size_t i = 0; problem && i < COUNT_OF(table); i++)
		if (!strcmp(problem, table[i].problem))
			return str_of(table[i].words);
	if (context)
		return str_format(arena, "%s %s", problem ? problem : "a mistake", context);
	return str_format(arena, "%s", problem ? problem : "the text is no YAML");
}

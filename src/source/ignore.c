/* What is left out: excludes, and .gitignore files by git's own rules (gitignore(5)). The file
 * .kubelintignore has the same syntax and is heard after .gitignore. */
#include "source-internal.h"

/* One file of patterns is not read beyond this. */
#define IGNORE_FILE_MAX ((size_t)256 * 1024)

/* Parses one line of an ignore file; false when it holds no pattern. */
static bool rule_parse(str line, struct ignore_rule *ret_rule)
{
	struct ignore_rule rule = { 0 };

	if (str_ends(line, STR("\r")))
		line.n--;
	while (line.n && line.p[line.n - 1] == ' ' &&
	       !(line.n > 1 && line.p[line.n - 2] == '\\'))
		line.n--;
	if (!line.n || line.p[0] == '#')
		return false;
	rule.negated = line.p[0] == '!';
	if (rule.negated)
		line = str_slice(line, 1, line.n);
	rule.folders_only = str_ends(line, STR("/"));
	while (str_ends(line, STR("/")))
		line.n--;
	rule.anchored = str_find(line, '/') < line.n;
	rule.glob = line;
	*ret_rule = rule;
	return line.n > 0;
}

/* Rules are kept in order of the file: the last one that matches decides. */
void ignore_add_text(struct arena *arena, struct ignores *ignores, str text)
{
	struct ignore_rule rule;
	str line;

	while (str_next(&text, '\n', &line))
		if (rule_parse(line, &rule))
			*VEC_PUSH(arena, &ignores->rules) = rule;
}

/* Most folders have no such file and share the rules of the folder above. */
const struct ignores *ignore_enter(struct arena *arena, const struct ignores *outer, int folder,
                                   str path)
{
	static const char *const names[] = { ".gitignore", ".kubelintignore" };
	struct ignores *ignores = NULL;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct reading reading = { .limit = IGNORE_FILE_MAX };

		if (file_read(arena, folder, names[i], &reading) != READ_GOOD)
			continue;
		if (!ignores) {
			ignores = ARENA_NEW(arena, struct ignores);
			ignores->outer = outer;
			ignores->folder = path;
		}
		ignore_add_text(arena, ignores, reading.text);
	}
	return ignores ? ignores : outer;
}

/* A rule without a slash is about names at any depth, another one about paths from its folder. */
static bool rule_matches(const struct ignore_rule *rule, str path, bool is_folder)
{
	size_t slash = str_find_last(path, '/');
	str name = slash < path.n ? str_slice(path, slash + 1, path.n) : path;

	if (rule->folders_only && !is_folder)
		return false;
	return source_glob_matches(rule->glob, rule->anchored ? path : name);
}

/* path without the folder that it lies in; the whole path when it does not. */
static str path_below(str folder, str path)
{
	if (!str_starts(path, folder))
		return path;
	path = str_slice(path, folder.n, path.n);
	return str_starts(path, STR("/")) ? str_slice(path, 1, path.n) : path;
}

bool ignore_hits(const struct ignores *ignores, str path, bool is_folder)
{
	for (; ignores; ignores = ignores->outer) {
		str below = path_below(ignores->folder, path);

		for (size_t i = ignores->rules.n; i-- > 0;)
			if (rule_matches(&ignores->rules.v[i], below, is_folder))
				return !ignores->rules.v[i].negated;
	}
	return false;
}

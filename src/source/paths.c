/* What a file is called: its absolute path, and the path that is printed. Printed paths are the
 * same wherever the program is started and however a path is spelled, since baselines and code
 * scanning compare them as text. */
#include "source-internal.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

str source_real_path(struct arena *arena, str path)
{
	char resolved[PATH_MAX];

	if (!realpath(str_c(arena, path), resolved))
		return path;
	return str_copy(arena, str_of(resolved));
}

str source_folder(str path)
{
	size_t slash = str_find_last(path, '/');

	return str_slice(path, 0, slash < path.n ? slash : 0);
}

/* The parts are not looked at: `..` behind a link means what the system says it means. */
str path_join(struct arena *arena, str folder, str name)
{
	if (!folder.n || str_ends(folder, STR("/")))
		return str_format(arena, "%.*s%.*s", STR_ARG(folder), STR_ARG(name));
	return str_format(arena, "%.*s/%.*s", STR_ARG(folder), STR_ARG(name));
}

str path_without_end_slash(str path)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return path;
}

bool path_is_below(str folder, str path)
{
	if (str_is(folder, "/"))
		return str_starts(path, folder);
	return str_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/');
}

/* The last part keeps its own name, also when it is a link: that is what the user calls it. */
str path_absolute(struct arena *arena, str path)
{
	size_t slash;
	str name, folder;

	path = path_without_end_slash(path);
	slash = str_find_last(path, '/');
	name = slash < path.n ? str_slice(path, slash + 1, path.n) : path;
	folder = slash < path.n ? str_slice(path, 0, slash ? slash : 1) : STR(".");
	if (!name.n || str_is(name, ".") || str_is(name, ".."))
		return source_real_path(arena, path);
	return path_join(arena, source_real_path(arena, folder), name);
}

static bool exists(struct arena *arena, str folder, const char *name)
{
	return !access(str_c(arena, path_join(arena, folder, str_of(name))), F_OK);
}

/* Walks up from the working folder. An access(2) a folder is all it costs. */
str path_find_root(struct arena *arena, const char *wanted)
{
	str here = source_real_path(arena, wanted ? str_of(wanted) : STR("."));

	if (wanted)
		return here;
	for (str at = here; at.n; at = str_slice(at, 0, str_find_last(at, '/')))
		if (exists(arena, at, ".kubelint.yaml") || exists(arena, at, ".git"))
			return at;
	return here;
}

/* Outside of the root there is no name that holds on every machine, so the path stays absolute. */
str path_printed(str root, str path, bool *ret_outside)
{
	*ret_outside = !path_is_below(root, path);
	if (*ret_outside)
		return path;
	path = str_slice(path, root.n, path.n);
	return str_starts(path, STR("/")) ? str_slice(path, 1, path.n) : path;
}

str source_find_upward(struct arena *arena, str path, const char *name)
{
	str at = source_real_path(arena, str_is(path, "-") ? STR(".") : path);

	while (at.n) {
		if (exists(arena, at, name))
			return path_join(arena, at, str_of(name));
		if (exists(arena, at, ".git"))
			break;
		at = str_slice(at, 0, str_find_last(at, '/') < at.n ? str_find_last(at, '/') : 0);
	}
	return (str){ 0 };
}

str source_root(struct arena *arena, const char *wanted)
{
	return path_find_root(arena, wanted);
}

str source_printed_path(str root, str path)
{
	bool outside;

	return path_printed(root, path, &outside);
}

#include <limits.h>
#include <stdlib.h>

#include "source.h"

str source_real_path(struct arena *arena, str path)
{
	char resolved[PATH_MAX];

	if (!realpath(str_c(arena, path), resolved))
		return path;
	return str_copy(arena, str_of(resolved));
}

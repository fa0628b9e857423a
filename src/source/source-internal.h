/* What only the files of source share. */
#ifndef KUBELINT_SOURCE_INTERNAL_H
#define KUBELINT_SOURCE_INTERNAL_H

#include "source.h"

/* Spans are 32 bits wide: no file may be larger, whatever the user's limit. */
#define SOURCE_SIZE_MAX ((size_t)UINT32_MAX - 1)
#define SOURCE_SIZE_DEFAULT ((size_t)64 * 1024 * 1024)

/* Documents found so far; its first members are those of a vec. */
struct splitter {
	struct document *v;
	size_t n, cap;
	struct arena *arena;
	const struct source *source;
};

/* How many characters lie before a byte that begins one. */
struct milestone {
	uint32_t offset;
	/* code points, UTF-16 units */
	uint32_t points, units;
};

/* Begins of lines, filled when the first position is asked for. */
struct line_index {
	struct arena *arena;
	uint32_t *begins;
	size_t n;
	/* One for each stretch of MILESTONE_BYTES; none when the file is ASCII. A minified JSON
	 * file is one line: without them each place would cost as much as the file is long. */
	struct milestone *milestones;
	size_t milestone_count;
	bool filled;
};

/* Fills documents of a source whose text and json are set. */
void source_split(struct arena *arena, struct source *source);

/* Appends a source with that path and text, split. */
struct source *source_new(struct source_set *set, str path, str text);

/* ---- files --------------------------------------------------------------------------- */

enum read_result { READ_GOOD, READ_FAILED, READ_TOO_LARGE, READ_BINARY, READ_SPECIAL };

struct reading {
	/* bytes */
	size_t limit;
	/* pipes and devices too: somebody named them */
	bool any_type;
	/* the result, in the arena */
	str text;
	/* errno of READ_FAILED */
	int error;
};

/* Reads name, relative to the open folder (AT_FDCWD: the working folder). */
enum read_result file_read(struct arena *arena, int folder, const char *name,
                           struct reading *reading);
/* The same of an open file, which stays open. */
enum read_result file_read_open(struct arena *arena, int fd, struct reading *reading);

/* ---- what is left out ---------------------------------------------------------------- */

struct ignore_rule {
	str glob;
	bool negated;
	/* ended in a slash */
	bool folders_only;
	/* holds a slash: matched against the path, not the name */
	bool anchored;
};

/* The rules of one folder; those of the folders above follow. NULL: none at all. */
struct ignores {
	const struct ignores *outer;
	/* absolute; rules are relative to it */
	str folder;
	struct VEC(struct ignore_rule) rules;
};

void ignore_add_text(struct arena *arena, struct ignores *ignores, str text);
/* What holds in the open folder of that absolute path: outer, and its own ignore files. */
const struct ignores *ignore_enter(struct arena *arena, const struct ignores *outer, int folder,
                                   str path);
/* Is the absolute path left out? The last rule of the innermost folder that matches decides. */
bool ignore_hits(const struct ignores *ignores, str path, bool is_folder);

/* ---- paths --------------------------------------------------------------------------- */

/* folder/name. */
str path_join(struct arena *arena, str folder, str name);
str path_without_end_slash(str path);
/* Is path the folder itself or something below it? Both absolute. */
bool path_is_below(str folder, str path);
/* The absolute path: links resolved in all parts but the last. */
str path_absolute(struct arena *arena, str path);
/* wanted, or the folder with .kubelint.yaml or .git upward from the working folder, or that. */
str path_find_root(struct arena *arena, const char *wanted);
/* An absolute path as it is printed: relative to root unless it lies outside. */
str path_printed(str root, str path, bool *ret_outside);

#endif

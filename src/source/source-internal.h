/* What only the files of source share. */
#ifndef KUBELINT_SOURCE_INTERNAL_H
#define KUBELINT_SOURCE_INTERNAL_H

#include "source.h"

/* Documents found so far; its first members are those of a vec. */
struct splitter {
	struct document *v;
	size_t n, cap;
	struct arena *arena;
	const struct source *source;
};

/* Begins of lines, filled when the first position is asked for. */
struct line_index {
	struct arena *arena;
	uint32_t *begins;
	size_t n, cap;
	bool filled;
};

/* Fills documents of a source whose text and json are set. */
void source_split(struct arena *arena, struct source *source);

/* Appends a source with that path and text, split. */
struct source *source_new(struct source_set *set, str path, str text);

#endif

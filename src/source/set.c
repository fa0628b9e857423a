/* Sets of sources, and sources made from texts in memory: the tests, the vector runner, rule
 * examples and fuzzing all come this way, so that what they see is what files would give. */
#include "source-internal.h"

/* JSON is known by the name alone. A YAML file that holds JSON goes the YAML way, which reads it
 * too. */
struct source *source_new(struct source_set *set, str path, str text)
{
	struct source *source = ARENA_NEW(set->arena, struct source);

	*VEC_PUSH(set->arena, &set->sources) = source;
	source->id = (uint32_t)set->sources.n;
	source->path = path;
	source->open_path = path;
	source->text = str_slice(text, 0, SOURCE_SIZE_MAX);
	source->json = str_ends(path, STR(".json")) || str_ends(path, STR(".tfstate"));
	source->lines = ARENA_NEW(set->arena, struct line_index);
	source->lines->arena = set->arena;
	source_split(set->arena, source);
	set->file_count++;
	return source;
}

struct source_set *source_from_text(struct arena *arena, str path, str text)
{
	struct source_set *set = ARENA_NEW(arena, struct source_set);

	set->arena = arena;
	source_add_text(set, path, text);
	return set;
}

/* Copied, since texts of tests and examples are often built in memory of their own. */
struct source *source_add_text(struct source_set *set, str path, str text)
{
	return source_new(set, str_copy(set->arena, path), str_copy(set->arena, text));
}

const struct source *source_of(const struct source_set *set, uint32_t id)
{
	return id && id <= set->sources.n ? set->sources.v[id - 1] : NULL;
}

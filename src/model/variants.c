/* Variants: files that describe the same cluster several times are judged apart
 * (model.md section 1). Builds and folders become alternatives only where they exclude each
 * other: they share a file, or declare the same object. Builds that merely stand side by side
 * (one for each app) are deployed together, so they are judged together.
 */
#include "model-internal.h"

/* Where an object was declared before: its first and latest places. */
struct sighting {
	str first, latest; /* paths of files */
};

struct explorer {
	struct arena *arena;
	const struct kustomize_builds *builds;
	struct dimensions *dimensions;
};

static bool below(str path, str folder)
{
	return !folder.n || (str_starts(path, folder) && path.n > folder.n &&
	                     path.p[folder.n] == '/');
}

static bool alternative_holds(const struct alternative *alternative, str path)
{
	if (alternative->build)
		return map_has(alternative->build->files, path);
	if (alternative->exact)
		return str_eq(source_folder(path), alternative->folder);
	return below(path, alternative->folder);
}

static bool same_alternative(const struct alternative *a, const struct alternative *b)
{
	return a->build == b->build && a->exact == b->exact && str_eq(a->folder, b->folder);
}

static void add_alternative(struct arena *arena, struct dimension *dimension,
                            struct alternative alternative)
{
	for (size_t i = 0; i < dimension->alternatives.n; i++)
		if (same_alternative(&dimension->alternatives.v[i], &alternative))
			return;
	*VEC_PUSH(arena, &dimension->alternatives) = alternative;
}

static struct dimension *dimension_new(struct explorer *explorer, str parent)
{
	struct dimension *dimension = ARENA_NEW(explorer->arena, struct dimension);

	dimension->parent = parent;
	*VEC_PUSH(explorer->arena, explorer->dimensions) = dimension;
	return dimension;
}

/* The dimension that has this build as an alternative, or NULL. */
static struct dimension *dimension_of_build(const struct explorer *explorer,
                                            const struct build *build)
{
	for (size_t i = 0; i < explorer->dimensions->n; i++) {
		struct dimension *dimension = explorer->dimensions->v[i];

		for (size_t j = 0; j < dimension->alternatives.n; j++)
			if (dimension->alternatives.v[j].build == build)
				return dimension;
	}
	return NULL;
}

static void exclude_builds(struct explorer *explorer, const struct build *a, const struct build *b)
{
	struct dimension *dimension = dimension_of_build(explorer, a);

	if (!dimension)
		dimension = dimension_of_build(explorer, b);
	if (!dimension)
		dimension = dimension_new(explorer, (str){ 0 });
	add_alternative(explorer->arena, dimension, (struct alternative){ a, a->folder, false });
	add_alternative(explorer->arena, dimension, (struct alternative){ b, b->folder, false });
}

static const struct build *build_of(const struct explorer *explorer, str path)
{
	for (size_t i = 0; i < explorer->builds->n; i++)
		if (map_has(explorer->builds->v[i]->files, path))
			return explorer->builds->v[i];
	return NULL;
}

/* Builds that reach one file describe it in different ways. */
static void compare_builds(struct explorer *explorer)
{
	struct map *owners = map_new(explorer->arena);

	for (size_t i = 0; i < explorer->builds->n; i++) {
		struct build *build = explorer->builds->v[i];

		for (size_t j = 0; j < map_count(build->files); j++) {
			str path;
			struct build *other;

			map_at(build->files, j, &path);
			other = map_get(owners, path);
			if (other)
				exclude_builds(explorer, other, build);
			else
				map_put(owners, path, build);
		}
	}
}

/* The folder of path just below parent; the file's own folder (exact) when it lies in it. */
static struct alternative part(str path, str parent)
{
	size_t begin = parent.n ? parent.n + 1 : 0;
	str rest = str_slice(path, begin, path.n);
	size_t end = str_find(rest, '/');

	if (end == rest.n)
		return (struct alternative){ NULL, parent, true };
	return (struct alternative){ NULL, str_slice(path, 0, begin + end), false };
}

/* The deepest folder that holds both files. */
static str common_folder(str a, str b)
{
	size_t last = 0;

	for (size_t i = 0; i < a.n && i < b.n && a.p[i] == b.p[i]; i++)
		if (a.p[i] == '/')
			last = i;
	return str_slice(a, 0, last);
}

static void exclude_folders(struct explorer *explorer, str a, str b)
{
	str parent = common_folder(a, b);
	struct dimension *dimension = NULL;

	for (size_t i = 0; i < explorer->dimensions->n; i++) {
		struct dimension *other = explorer->dimensions->v[i];

		if (!other->alternatives.v[0].build && str_eq(other->parent, parent))
			dimension = other;
	}
	if (!dimension)
		dimension = dimension_new(explorer, parent);
	add_alternative(explorer->arena, dimension, part(a, parent));
	add_alternative(explorer->arena, dimension, part(b, parent));
}

/* Two files declare one object. In the same folder that is a duplicate, no variant. */
static void exclude(struct explorer *explorer, str a, str b)
{
	const struct build *first, *second;

	if (str_eq(source_folder(a), source_folder(b)))
		return;
	first = build_of(explorer, a);
	second = build_of(explorer, b);
	if (first && second && first != second)
		exclude_builds(explorer, first, second);
	else if (!first || !second)
		exclude_folders(explorer, a, b);
}

static str object_identity(struct explorer *explorer, const struct object *object)
{
	const struct build *build = build_of(explorer, object->tree->source->path);
	const str *ns = build ? map_get(build->files, object->tree->source->path) : NULL;
	str where = ns ? *ns : object->namespace.s;

	return model_key(explorer->arena,
	                 model_key(explorer->arena, object->group, object->kind, (str){ 0 }),
	                 where, object->name.s);
}

static void compare_objects(struct explorer *explorer, const struct objects *objects)
{
	struct map *seen = map_new(explorer->arena);

	for (size_t i = 0; i < objects->n; i++) {
		const struct object *object = objects->v[i];
		str path = object->tree->source->path, key;
		struct sighting *sighting;

		if (!object->name.s.n || !node_known(object->name.node))
			continue;
		key = object_identity(explorer, object);
		sighting = map_get(seen, key);
		if (!sighting) {
			sighting = ARENA_NEW(explorer->arena, struct sighting);
			sighting->first = path;
			map_put(seen, key, sighting);
		} else {
			exclude(explorer, sighting->first, path);
			exclude(explorer, sighting->latest, path);
		}
		sighting->latest = path;
	}
}

void model_find_dimensions(struct arena *arena, const struct objects *objects,
                           const struct kustomize_builds *builds,
                           struct dimensions *ret_dimensions)
{
	struct explorer explorer = { arena, builds, ret_dimensions };

	compare_builds(&explorer);
	compare_objects(&explorer, objects);
}

/* The other dimensions take the alternative in which the chosen one lies, else their first. */
static struct choice choice_around(struct arena *arena, const struct dimensions *dimensions,
                                   size_t dimension, size_t taken)
{
	struct choice choice = { dimensions, arena_calloc(arena, dimensions->n, sizeof(size_t)) };
	str folder = dimensions->n ? dimensions->v[dimension]->alternatives.v[taken].folder
	                           : (str){ 0 };

	for (size_t i = 0; i < dimensions->n; i++) {
		const struct alternatives *others = &dimensions->v[i]->alternatives;

		for (size_t j = 0; j < others->n; j++)
			if (!others->v[j].build && below(folder, others->v[j].folder))
				choice.taken[i] = j;
	}
	if (dimensions->n)
		choice.taken[dimension] = taken;
	return choice;
}

/* Is the alternative taken, and all folders around it too? */
static bool choice_covers(const struct choice *choice, size_t dimension, size_t taken)
{
	struct alternative alternative = choice->dimensions->v[dimension]->alternatives.v[taken];

	if (choice->taken[dimension] != taken)
		return false;
	for (size_t i = 0; i < choice->dimensions->n; i++) {
		const struct alternatives *others = &choice->dimensions->v[i]->alternatives;

		for (size_t j = 0; j < others->n; j++)
			if (!others->v[j].build && below(alternative.folder, others->v[j].folder) &&
			    choice->taken[i] != j)
				return false;
	}
	return true;
}

static str last_part(str folder)
{
	str parent = source_folder(folder);

	return str_slice(folder, parent.n ? parent.n + 1 : 0, folder.n);
}

/* Every dimension takes its alternative of that name ("prod"), else its first. */
static struct choice choice_named(struct arena *arena, const struct dimensions *dimensions,
                                  str name)
{
	struct choice choice = { dimensions, arena_calloc(arena, dimensions->n, sizeof(size_t)) };

	for (size_t i = 0; i < dimensions->n; i++) {
		const struct alternatives *all = &dimensions->v[i]->alternatives;

		for (size_t j = 0; j < all->n; j++)
			if (str_eq(last_part(all->v[j].folder), name)) {
				choice.taken[i] = j;
				break;
			}
	}
	return choice;
}

static bool is_covered(const struct choices *choices, size_t dimension, size_t taken)
{
	for (size_t i = 0; i < choices->n; i++)
		if (choice_covers(&choices->v[i], dimension, taken))
			return true;
	return false;
}

void model_list_choices(struct arena *arena, const struct dimensions *dimensions,
                        struct choices *ret_choices)
{
	*VEC_PUSH(arena, ret_choices) = choice_around(arena, dimensions, 0, 0);
	for (size_t i = 0; i < dimensions->n; i++)
		for (size_t j = 0; j < dimensions->v[i]->alternatives.n; j++) {
			str folder = dimensions->v[i]->alternatives.v[j].folder;

			if (!is_covered(ret_choices, i, j))
				*VEC_PUSH(arena, ret_choices) =
					choice_named(arena, dimensions, last_part(folder));
			if (!is_covered(ret_choices, i, j))
				*VEC_PUSH(arena, ret_choices) =
					choice_around(arena, dimensions, i, j);
		}
}

bool choice_holds(const struct choice *choice, str path)
{
	for (size_t i = 0; i < choice->dimensions->n; i++) {
		const struct alternatives *all = &choice->dimensions->v[i]->alternatives;
		bool any = false;

		for (size_t j = 0; j < all->n && !any; j++)
			any = alternative_holds(&all->v[j], path);
		if (any && !alternative_holds(&all->v[choice->taken[i]], path))
			return false;
	}
	return true;
}

str choice_text(struct arena *arena, const struct choice *choice)
{
	struct buf buf = { .arena = arena };

	for (size_t i = 0; i < choice->dimensions->n; i++) {
		str folder = choice->dimensions->v[i]->alternatives.v[choice->taken[i]].folder;

		buf_printf(&buf, "%s%.*s", i ? ", " : "", STR_ARG(folder.n ? folder : STR(".")));
	}
	return buf_str(&buf);
}

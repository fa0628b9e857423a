/* What was meant by a key that its map does not have: another name, or another place.
 *
 * A name one edit away wins: `port` in a container is `ports`, though probes have a port. Else
 * the key belongs where the fewest steps lead, up to the maps around it and down from them by
 * the types' fields. `nodeSelector` in a Deployment's spec goes two steps down, `volumes` in a
 * container one step up, `privileged` in a pod's securityContext one up and two down.
 */
#include "kube-internal.h"

#include <string.h>

/* Keys of one document that are searched for; more of them get no advice. */
#define SEARCH_MAX 1000

/* Names that many types have: elsewhere in the kind they mean something else. */
static const char *const common_names[] = {
	"apiVersion", "data", "group", "items", "key", "kind", "mode", "name", "namespace",
	"operator", "optional", "path", "port", "type", "uid", "value", "version",
};

/* Types of which a map holds one member: another member is no place for its keys. */
static const char *const union_types[] = {
	"core/v1.PersistentVolumeSpec", "core/v1.Volume", "core/v1.VolumeProjection",
};

/* A type that is reached by field from another one of the walk. */
struct step {
	const struct schema_type *type;
	const struct schema_field *field; /* NULL at the start */
	const struct step *from;
	size_t depth;
};
/* Types in the order in which a walk downwards meets them. */
struct walk {
	struct step *steps;
	size_t count;
};
struct field_search {
	struct walk best, next;  /* room for every type; swapped when next found a better place */
	bool *seen;              /* by number of type */
	size_t searches;
};
/* Where a key belongs: a field of the last step, below a map that is there. */
struct place {
	const struct frame *frame;
	const struct step *step;
	size_t distance;
};

/* ---- other places --------------------------------------------------------------------- */

/* Could the value be that field's, by its kind alone? */
static bool value_fits(const struct node *value, const struct schema_field *field)
{
	bool map = field->shape == SHAPE_MAP ||
	           (field->shape == SHAPE_ONE &&
	            (field->value == VALUE_OBJECT || field->value == VALUE_EMPTY));

	if (node_is_null(value) || field->value == VALUE_ANY)
		return true;
	if (value->kind == NODE_LIST)
		return field->shape == SHAPE_LIST;
	if (value->kind == NODE_MAP)
		return map;
	return field->shape == SHAPE_ONE && !map;
}

static bool has_field(const struct schema_type *type, const struct node *value)
{
	const struct schema_field *field = schema_field(type, value->key);

	return field && value_fits(value, field);
}

/* Puts a type at the end of the walk, unless it was met before. */
static void walk_add(struct field_search *search, const struct schema_type *type,
                     const struct schema_field *field, const struct step *from)
{
	uint16_t number = schema_type_number(type);
	struct walk *walk = &search->next;

	if (!type || search->seen[number])
		return;
	search->seen[number] = true;
	walk->steps[walk->count++] = (struct step){
		.type = type, .field = field, .from = from, .depth = from ? from->depth + 1 : 0,
	};
}

static bool is_there(const struct node *map, str key)
{
	for (uint32_t i = 0; i < map->child_count; i++)
		if (str_eq(map->children[i].key, key))
			return true;
	return false;
}

static bool is_union(const struct schema_type *type)
{
	for (size_t i = 0; i < COUNT_OF(union_types); i++)
		if (str_is(type->name, union_types[i]))
			return true;
	return false;
}

/* One step down from a map of the innermost frame (beside NULL) or of one around it, whose
 * fields count only when they are written. */
static void walk_fields(struct field_search *search, const struct step *step,
                        const struct node *beside)
{
	const struct schema_field *fields = schema_fields_of(step->type);
	const struct node *map = step->depth ? NULL : beside;

	if (beside && step->depth && is_union(step->type))
		return;
	for (uint16_t i = 0; i < step->type->count; i++)
		if (fields[i].value == VALUE_OBJECT && !str_is(fields[i].name, "status") &&
		    (!map || is_there(map, fields[i].name)))
			walk_add(search, schema_type(fields[i].type), &fields[i], step);
}

/* The nearest type at or below the frame's that has the key, less than limit steps down. */
static const struct step *search_below(struct field_search *search, const struct frame *frame,
                                       const struct node *value, size_t limit)
{
	const struct walk *walk = &search->next;
	const struct node *beside = value->parent == frame->node ? NULL : frame->node;

	search->next.count = 0;
	memset(search->seen, 0, schema_type_count() * sizeof *search->seen);
	walk_add(search, frame->type, NULL, NULL);
	for (size_t i = 0; i < walk->count && walk->steps[i].depth < limit; i++) {
		if (has_field(walk->steps[i].type, value))
			return &walk->steps[i];
		walk_fields(search, &walk->steps[i], beside);
	}
	return NULL;
}

/* The steps of the best place must outlive the next search. */
static void keep_walk(struct field_search *search)
{
	struct walk best = search->next;

	search->next = search->best;
	search->best = best;
}

static bool is_common(str name)
{
	for (size_t i = 0; i < COUNT_OF(common_names); i++)
		if (str_is(name, common_names[i]))
			return true;
	return false;
}

/* The place with the fewest steps up and down from the innermost map; false: none. */
static bool find_place(struct field_search *search, const struct frame *innermost,
                       const struct node *value, struct place *ret_place)
{
	struct place best = { .distance = SIZE_MAX };
	size_t up = 0;

	for (const struct frame *frame = innermost; frame && up < best.distance;
	     frame = frame->outer, up++) {
		size_t limit = is_common(value->key) ? 1
		               : best.distance == SIZE_MAX ? SIZE_MAX : best.distance - up;
		const struct step *step = search_below(search, frame, value, limit);

		if (!step)
			continue;
		best = (struct place){ .frame = frame, .step = step,
			               .distance = up + step->depth };
		keep_walk(search);
	}
	*ret_place = best;
	return best.frame;
}

/* The fields from the start of the walk to the step, as a path. */
static void add_steps(struct buf *buf, const struct step *step)
{
	const struct step *chain[64];
	size_t n = 0;

	for (; step->field && n < COUNT_OF(chain); step = step->from)
		chain[n++] = step;
	while (n--) {
		const struct schema_field *field = chain[n]->field;

		buf_printf(buf, "%s%.*s%s", buf->n ? "." : "", STR_ARG(field->name),
		           field->shape == SHAPE_LIST  ? "[]"
		           : field->shape == SHAPE_MAP ? ".*" : "");
	}
}

static void misplaced(const struct checker *checker, const struct place *place,
                      const struct node *value)
{
	struct arena *arena = checker->tree->arena;
	struct fault *fault = tree_add_fault(checker->tree, FAULT_MISPLACED_FIELD, value);
	struct buf buf = { .arena = arena };

	if (place->frame->node != checker->root)
		buf_add(&buf, node_path(arena, checker->root, place->frame->node, NULL));
	add_steps(&buf, place->step);
	buf_printf(&buf, "%s%.*s", buf.n ? "." : "", STR_ARG(value->key));
	fault->a = value->key;
	fault->b = buf_str(&buf);
}

/* ---- other names ---------------------------------------------------------------------- */

static const struct schema_field *nearest_field(struct arena *arena,
                                                const struct schema_type *type, str key)
{
	const struct schema_field *fields = schema_fields_of(type);
	str *names = arena_calloc(arena, type->count, sizeof *names);
	size_t found;

	for (uint16_t i = 0; i < type->count; i++)
		names[i] = fields[i].name;
	found = str_nearest(key, names, type->count);
	return found < type->count ? &fields[found] : NULL;
}

/* Near enough to be a slip of the hand. */
static bool is_close(struct arena *arena, str key, const struct schema_field *field)
{
	return field && (str_one_edit(key, field->name) ||
	                 str_eq(str_lower(arena, key), str_lower(arena, field->name)));
}

static void unknown(const struct checker *checker, const struct frame *frame,
                    const struct schema_field *nearest, const struct node *value)
{
	struct fault *fault = tree_add_fault(checker->tree, FAULT_UNKNOWN_FIELD, value);
	str name = frame->type->name;

	fault->a = value->key;
	if (nearest)
		fault->b = nearest->name;
	fault->c = checker->custom ? STR("custom")
	                           : str_slice(name, str_find_last(name, '.') + 1, name.n);
}

/* No version of the HPA has a selector of its own; that of a metric is another thing. */
static bool is_never_misplaced(const struct frame *frame, str key)
{
	return str_ends(frame->type->name, STR(".HorizontalPodAutoscalerSpec")) &&
	       str_is(key, "selector");
}

static struct field_search *search_new(struct arena *arena)
{
	size_t types = schema_type_count();
	struct field_search *search = ARENA_NEW(arena, struct field_search);

	search->best.steps = arena_calloc(arena, types, sizeof(struct step));
	search->next.steps = arena_calloc(arena, types, sizeof(struct step));
	search->seen = arena_calloc(arena, types, sizeof *search->seen);
	return search;
}

/* The document's search, made at its first mistake; NULL when it has had enough. */
static struct field_search *search_of(const struct checker *checker)
{
	struct check_state *state = checker->state;

	if (!state->search)
		state->search = search_new(checker->tree->arena);
	return state->search->searches++ < SEARCH_MAX ? state->search : NULL;
}

void fields_judge_key(const struct checker *checker, const struct frame *frame,
                      const struct node *value)
{
	struct arena *arena = checker->tree->arena;
	struct field_search *search;
	const struct schema_field *nearest = NULL;
	struct place place;
	bool close;

	if (frame->type->open)
		return;
	search = search_of(checker);
	if (search)
		nearest = nearest_field(arena, frame->type, value->key);
	close = is_close(arena, value->key, nearest);
	if (checker->custom) {
		if (close)
			unknown(checker, frame, nearest, value);
		return;
	}
	if (search && !(close && value_fits(value, nearest)) &&
	    !is_never_misplaced(frame, value->key) && find_place(search, frame, value, &place))
		misplaced(checker, &place, value);
	else
		unknown(checker, frame, nearest, value);
}

bool fields_judge_entry(const struct checker *checker, const struct frame *frame,
                        const struct node *value)
{
	struct field_search *search = search_of(checker);
	struct place place;

	if (!search || !find_place(search, frame, value, &place))
		return false;
	misplaced(checker, &place, value);
	return true;
}

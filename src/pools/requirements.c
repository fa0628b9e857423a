/* Karpenter's requirement algebra: sets of values by label key. */
#include "requirements.h"

/* Requirements of a pool, and values of one: more are no pool of anybody's (the API refuses 100
 * requirements). */
#define MAX_KEYS 200
#define MAX_VALUES 2000
/* Shapes of all pools together. */
#define MAX_SHAPES 200000

static const struct spelling_row {
	const char *former, *key;
} spelling_rows[] = {
	{ "beta.kubernetes.io/arch", LABEL_ARCH },
	{ "beta.kubernetes.io/os", LABEL_OS },
	{ "beta.kubernetes.io/instance-type", LABEL_TYPE },
	{ "failure-domain.beta.kubernetes.io/zone", LABEL_ZONE },
	{ "failure-domain.beta.kubernetes.io/region", LABEL_REGION },
};

static str modern_spelling(str key)
{
	for (size_t i = 0; i < COUNT_OF(spelling_rows); i++)
		if (str_is(key, spelling_rows[i].former))
			return str_of(spelling_rows[i].key);
	return key;
}

/* ---- membership ---------------------------------------------------------------------- */

static bool lists(const struct strs *values, str value)
{
	for (size_t i = 0; i < values->n; i++)
		if (str_eq(values->v[i], value))
			return true;
	return false;
}

/* A value that is no integer never satisfies a bound. */
static bool in_bounds(const struct value_set *set, str value)
{
	int64_t number;

	return !set->bounded ||
	       (str_to_int64(value, &number) && number >= set->least && number <= set->most);
}

bool set_has(const struct value_set *set, str value)
{
	return set->open ||
	       (lists(&set->values, value) != set->complement && in_bounds(set, value));
}

/* NotIn and DoesNotExist hold for a label that is not there; In, Exists and bounds do not. */
bool set_allows_absence(const struct value_set *set)
{
	if (set->open)
		return true;
	return !set->bounded && (set->complement ? set->values.n > 0 : set->values.n == 0);
}

bool set_is_contradiction(const struct value_set *set)
{
	if (set->open || set->complement)
		return set->bounded && set->least > set->most;
	return set->values.n == 0;
}

/* ---- intersection -------------------------------------------------------------------- */

/* Values of one side that the other admits, or the union of what both exclude. */
static void intersect(struct arena *arena, struct value_set *set, const struct value_set *other)
{
	struct strs values = { 0 };
	bool both = set->complement && other->complement;
	const struct value_set *listed = set->complement ? other : set;
	const struct value_set *filter = set->complement ? set : other;

	set->open = set->open || other->open;
	for (size_t i = 0; i < listed->values.n; i++)
		if (both || lists(&filter->values, listed->values.v[i]) != filter->complement)
			*VEC_PUSH(arena, &values) = listed->values.v[i];
	for (size_t i = 0; both && i < filter->values.n; i++)
		if (!lists(&listed->values, filter->values.v[i]))
			*VEC_PUSH(arena, &values) = filter->values.v[i];
	set->values = values;
	set->complement = both;
	if (!other->bounded)
		return;
	set->least = set->bounded && set->least > other->least ? set->least : other->least;
	set->most = set->bounded && set->most < other->most ? set->most : other->most;
	set->bounded = true;
}

/* Listed values out of bounds are no values. */
static void drop_out_of_bounds(struct value_set *set)
{
	size_t kept = 0;

	for (size_t i = 0; !set->complement && i < set->values.n; i++)
		if (in_bounds(set, set->values.v[i]))
			set->values.v[kept++] = set->values.v[i];
	if (!set->complement) {
		set->values.n = kept;
		set->bounded = false;
	}
}

/* One set a key. */
static void add_set(struct arena *arena, struct value_sets *sets, const struct value_set *set)
{
	for (size_t i = 0; i < sets->n; i++)
		if (str_eq(sets->v[i].key, set->key)) {
			intersect(arena, &sets->v[i], set);
			drop_out_of_bounds(&sets->v[i]);
			return;
		}
	if (sets->n < MAX_KEYS)
		*VEC_PUSH(arena, sets) = *set;
}

const struct value_set *requirements_find(const struct value_sets *sets, str key)
{
	for (size_t i = 0; i < sets->n; i++)
		if (str_eq(sets->v[i].key, key))
			return &sets->v[i];
	return NULL;
}

/* ---- reading ------------------------------------------------------------------------- */

/* Gt, Lt, Gte and Lte take one integer. */
static void set_bound(struct value_set *set, str op)
{
	int64_t number;
	bool greater = str_starts(op, STR("Gt"));

	if (set->values.n != 1 || !str_to_int64(set->values.v[0], &number)) {
		set->open = true;
		return;
	}
	if (!str_ends(op, STR("e")))
		number = greater ? int64_add_saturated(number, 1) : int64_sub_saturated(number, 1);
	set->bounded = set->complement = true;
	set->least = greater ? number : INT64_MIN;
	set->most = greater ? INT64_MAX : number;
	set->values = (struct strs){ 0 };
}

/* An operator that nobody knows leaves the key open. */
static void apply_operator(const struct reader *reader, const struct node *item,
                           struct value_set *set)
{
	static const char *const bounds[] = { "Gt", "Lt", "Gte", "Lte" };
	const struct node *node = node_get(item, "operator");
	str op = node_text(node);

	if (str_is(op, "NotIn") || str_is(op, "Exists"))
		set->complement = true;
	else if (text_is_any(op, bounds, COUNT_OF(bounds)))
		set_bound(set, op);
	else if (!str_is(op, "In") && !str_is(op, "DoesNotExist"))
		set->open = true;
	if (str_is(op, "Exists") || str_is(op, "DoesNotExist"))
		set->values.n = 0;
	if (set->open && !item->unknown && node_is_scalar(node) && !node->unknown &&
	    !text_is_any(op, bounds, COUNT_OF(bounds)))
		reader_fault(reader, node, "type", "no operator of a requirement: %.*s",
		             STR_ARG(op));
}

static void add_requirement(const struct reader *reader, const struct node *item,
                            struct value_sets *sets)
{
	const struct node *key = node_get(item, "key"), *values = node_get(item, "values");
	struct value_set set = { .key = modern_spelling(node_text(key)), .node = item };

	if (item->unknown || !node_is_map(item) || !set.key.n || key->unknown) {
		if (!item->unknown && !(key && key->unknown))
			reader_fault(reader, item, "type", "a requirement needs a key");
		return;
	}
	set.open = !read_texts(reader, values, &set.values) || set.values.n > MAX_VALUES;
	apply_operator(reader, item, &set);
	add_set(reader->arena, sets, &set);
}

void requirements_add_list(const struct reader *reader, const struct node *list,
                           struct value_sets *sets)
{
	if (!node_is_list(list) && !node_is_null(list) && !list->unknown)
		reader_fault(reader, list, "type", "requirements is no list");
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++)
		add_requirement(reader, &list->children[i], sets);
}

void requirements_add_values(struct arena *arena, struct value_sets *sets, str key,
                             const struct strs *values)
{
	const struct value_set set = { .key = key, .values = *values };

	add_set(arena, sets, &set);
}

/* Karpenter turns template labels into requirements. */
void requirements_add_labels(const struct reader *reader, const struct node *map,
                             struct value_sets *sets)
{
	for (uint32_t i = 0; node_is_map(map) && i < map->child_count; i++) {
		const struct node *node = &map->children[i];
		struct value_set set = { .key = modern_spelling(node->key), .node = node };

		if (!node_is_scalar(node) || node->unknown)
			set.open = true;
		else
			*VEC_PUSH(reader->arena, &set.values) = node_text(node);
		add_set(reader->arena, sets, &set);
	}
}

/* ---- labels -------------------------------------------------------------------------- */

/* An unlisted value within bounds may be anything: unknown. */
void set_as_label(struct arena *arena, const struct value_set *set, struct group *group)
{
	struct group_label *label = label_declare(arena, &group->labels, set->key, (str){ 0 },
	                                          set->node);

	if (!label)
		return;
	label->values = (struct strs){ 0 };
	if (!set->node) {
		label->origin = ORIGIN_IMPLIED;
		label->why = "Karpenter";
	}
	if (set->open || (set->complement && set->bounded)) {
		label->kind = LABEL_UNKNOWN;
	} else if (set->complement) {
		label->kind = LABEL_ANY;
		label->excluded = set->values;
	} else {
		label->kind = LABEL_VALUES;
		label->values = set->values;
	}
	/* DoesNotExist and a contradiction look alike: no value at all. */
	if (!set->open && !set->complement && !set->values.n)
		label->kind = LABEL_ABSENT;
}

/* Of well-known keys a pool takes any value, of its own keys only what it names. */
bool karpenter_knows_label(str key)
{
	static const char *const keys[] = {
		LABEL_ZONE, LABEL_REGION, LABEL_TYPE, LABEL_ARCH, LABEL_OS,
		"node.kubernetes.io/windows-build", "karpenter.sh/capacity-type",
		"karpenter.sh/nodepool", "topology.k8s.aws/zone-id",
	};
	static const char *const domains[] = { "karpenter.k8s.aws/", "karpenter.azure.com/",
		                               "karpenter.k8s.gcp/", "kubernetes.azure.com/" };

	key = modern_spelling(key);
	for (size_t i = 0; i < COUNT_OF(domains); i++)
		if (str_starts(key, str_of(domains[i])))
			return true;
	return text_is_any(key, keys, COUNT_OF(keys));
}

/* ---- instance types ------------------------------------------------------------------ */

/* Keys that the catalogue does not know exclude no type. */
static bool type_is_admitted(struct arena *arena, const struct value_sets *sets,
                             const struct instance_type *type)
{
	for (size_t i = 0; i < sets->n; i++) {
		str value;

		if (!instance_label(arena, type, sets->v[i].key, &value))
			continue;
		if (value.n ? !set_has(&sets->v[i], value) : !set_allows_absence(&sets->v[i]))
			return false;
	}
	return true;
}

/* The labels that the provider puts on a node of that type. */
static void add_type_labels(const struct reader *reader, struct node_shape *shape,
                            const struct instance_type *type)
{
	static const char *const aws[] = {
		"karpenter.k8s.aws/instance-category", "karpenter.k8s.aws/instance-family",
		"karpenter.k8s.aws/instance-generation", "karpenter.k8s.aws/instance-size",
		"karpenter.k8s.aws/instance-cpu", "karpenter.k8s.aws/instance-memory",
		"karpenter.k8s.aws/instance-local-nvme", "karpenter.k8s.aws/instance-gpu-count",
	};
	static const char *const azure[] = {
		"karpenter.azure.com/sku-family", "karpenter.azure.com/sku-name",
		"karpenter.azure.com/sku-cpu", "karpenter.azure.com/sku-memory",
		"karpenter.azure.com/sku-gpu-count",
	};
	static const char *const gcp[] = { "karpenter.k8s.gcp/instance-family" };
	const char *const *keys = gcp;
	size_t count = COUNT_OF(gcp);

	if (str_is(str_of(type->provider), "aws")) {
		keys = aws;
		count = COUNT_OF(aws);
	} else if (str_is(str_of(type->provider), "azure")) {
		keys = azure;
		count = COUNT_OF(azure);
	}
	for (size_t i = 0; i < count; i++) {
		str key = str_of(keys[i]), value;
		struct group_label *label = NULL;

		if (instance_label(reader->arena, type, key, &value))
			label = label_imply(reader->arena, &shape->labels, key, value,
			                    "instance type");
		if (label && !value.n)
			label->kind = LABEL_ABSENT;
	}
}

/* The shape of a type; what it is labelled with is the same in every pool. */
static void add_type(const struct reader *reader, const struct instance_type *type,
                     const struct node *node, struct group *group)
{
	struct map *known = reader->context->type_labels;
	struct group_labels *labels = map_get(known, str_of(type->name));
	struct node_shape *shape;

	reader->context->shape_count++;
	if (labels) {
		shape = VEC_PUSH(reader->arena, &group->shapes);
		shape->instance_type = str_of(type->name);
		shape->node = node;
		shape->labels = *labels;
		return;
	}
	shape = shape_add(reader, group, str_of(type->name), node);
	add_type_labels(reader, shape, type);
	labels = ARENA_NEW(reader->arena, struct group_labels);
	*labels = shape->labels;
	labels->cap = labels->n;
	map_put(known, str_of(type->name), labels);
}

void requirements_add_shapes(const struct reader *reader, const struct value_sets *sets,
                             struct group *group)
{
	struct arena *scratch = arena_new();
	size_t count;
	const struct instance_type *all = instance_types_all(&count);
	const struct value_set *named = requirements_find(sets, STR(LABEL_TYPE));
	const struct node *node = named ? named->node : NULL;

	if (reader->context->shape_count > MAX_SHAPES)
		count = 0; /* hundreds of open pools: what they start stays open */
	for (size_t i = 0; i < count; i++)
		if (str_is(group->provider, all[i].provider) &&
		    type_is_admitted(scratch, sets, &all[i]))
			add_type(reader, &all[i], node, group);
	/* Types that the catalogue does not know: theirs is a shape of which little is known. */
	for (size_t i = 0; named && !named->complement && i < named->values.n; i++)
		if (!instance_type_find(group->provider, named->values.v[i]))
			shape_add(reader, group, named->values.v[i], node);
	arena_free(scratch);
}

/* One group out of several declarations: joined by name, bounds of flags and status attached,
 * unknown facts named (node-groups.md section 0). */
#include "pools-internal.h"

#include <string.h>

/* Comparisons that two sets of one group may cost. */
#define MAX_PAIRS 1000000

/* How much a format tells of a group; the higher one stays, the others fill its gaps. */
static int rank_of(const struct group *group)
{
	if (group->known_by_name_only)
		return 0;
	if (strcmp(group->format, "nodes") == 0)
		return 1;
	if (strcmp(group->format, "loose") == 0)
		return 2;
	return strcmp(group->format, "native") == 0 ? 3 : 4;
}

/* ---- facts --------------------------------------------------------------------------- */

/* The union: who lists more knows more. A declared value wins over an implied one. */
static void merge_labels(struct arena *arena, struct group *into, const struct group *from)
{
	if (from->labels.n && into->labels.n > MAX_PAIRS / from->labels.n)
		return;
	for (size_t i = 0; i < from->labels.n; i++) {
		struct group_label *own = label_find(&into->labels, from->labels.v[i].key);

		if (!own)
			*VEC_PUSH(arena, &into->labels) = from->labels.v[i];
		else if (own->origin == ORIGIN_IMPLIED &&
		         from->labels.v[i].origin == ORIGIN_DECLARED)
			*own = from->labels.v[i];
	}
	into->labels_complete = into->labels_complete || from->labels_complete;
}

static bool has_taint(const struct taints *taints, const struct taint *taint)
{
	for (size_t i = 0; i < taints->n; i++)
		if (str_eq(taints->v[i].key, taint->key) &&
		    str_eq(taints->v[i].effect, taint->effect))
			return true;
	return false;
}

/* The union, too: no declaration takes another one's taint away. */
static void merge_taints(struct arena *arena, struct group *into, const struct group *from)
{
	if (from->taints.n && into->taints.n > MAX_PAIRS / from->taints.n)
		return;
	for (size_t i = 0; i < from->taints.n; i++)
		if (!has_taint(&into->taints, &from->taints.v[i]))
			*VEC_PUSH(arena, &into->taints) = from->taints.v[i];
	if (!into->startup_taints.n)
		into->startup_taints = from->startup_taints;
	into->taints_known = into->taints_known || from->taints_known;
}

/* A shape of the same type, or the only one of both groups. */
static const struct node_shape *twin_of(const struct group *from, const struct group *into,
                                        const struct node_shape *shape)
{
	for (size_t i = 0; i < from->shapes.n && i < MAX_PAIRS / into->shapes.n; i++)
		if (shape->instance_type.n &&
		    str_eq(from->shapes.v[i].instance_type, shape->instance_type))
			return &from->shapes.v[i];
	if (from->shapes.n != 1)
		return NULL;
	return into->shapes.n == 1 || !from->shapes.v[0].instance_type.n ? &from->shapes.v[0]
	                                                                  : NULL;
}

/* An observed amount is worth more than a declared one, that more than a computed one. */
static int trust(enum origin origin)
{
	return origin == ORIGIN_OBSERVED ? 3 : origin == ORIGIN_DECLARED ? 2
	     : origin == ORIGIN_IMPLIED;
}

/* Types from whoever names them, amounts from whoever is trusted more. */
static void merge_shapes(struct arena *arena, struct group *into, const struct group *from)
{
	if (from->shapes.n && into->shapes.n == 1 && !into->shapes.v[0].instance_type.n &&
	    from->shapes.v[0].instance_type.n) {
		const struct node_shape own = into->shapes.v[0];

		into->shapes = from->shapes;
		into->shapes.v = memcpy(arena_calloc(arena, from->shapes.n, sizeof own),
		                        from->shapes.v, from->shapes.n * sizeof own);
		into->shapes.cap = into->shapes.n;
		return;
	}
	for (size_t i = 0; i < into->shapes.n; i++) {
		struct node_shape *shape = &into->shapes.v[i];
		const struct node_shape *twin = twin_of(from, into, shape);

		for (size_t k = 0; twin && k < twin->allocatable.n && k < 1000; k++) {
			const struct capacity_fact *fact = &twin->allocatable.v[k];
			struct capacity_fact *own = capacity_put(arena, &shape->allocatable,
			                                         fact->resource);

			if (fact->known &&
			    (!own->known || trust(fact->origin) > trust(own->origin)))
				*own = *fact;
		}
		if (twin && twin->allocatable_complete)
			shape->allocatable_complete = true;
	}
}

/* Declared before observed, and both before what only follows from something. */
static bool counts_more(const struct count_fact *fact, const struct count_fact *own)
{
	return fact->origin != ORIGIN_UNKNOWN &&
	       (own->origin == ORIGIN_UNKNOWN ||
	        (own->origin == ORIGIN_OBSERVED && fact->origin != ORIGIN_OBSERVED) ||
	        (own->origin == ORIGIN_IMPLIED && fact->origin == ORIGIN_DECLARED));
}

static void merge_count(struct count_fact *into, const struct count_fact *from)
{
	if (counts_more(from, into))
		*into = *from;
}

static bool disagree(const struct count_fact *a, const struct count_fact *b)
{
	return a->origin == ORIGIN_DECLARED && b->origin == ORIGIN_DECLARED && a->value != b->value;
}

static struct bounds_claim claim_of(const struct group *group, struct group *of)
{
	return (struct bounds_claim){
		.name = group->name, .min = group->min, .max = group->max,
		.desired = group->desired, .format = group->format, .object = group->object,
		.tree = group->tree, .node = group->max.node ? group->max.node : group->node,
		.group = of,
	};
}

/* Of two maxima the smaller one counts. */
static void keep_smaller(struct group *group, const struct count_fact *max)
{
	const struct count_fact *known = group->smaller_max.origin ? &group->smaller_max
	                                                           : &group->max;

	if (disagree(&group->max, max) && max->value < known->value)
		group->smaller_max = *max;
}

/* A second declaration with other bounds is kept for whoever reports that. */
static void merge_bounds(struct arena *arena, struct pools *pools, struct group *into,
                         const struct group *from)
{
	const struct bounds_claim claim = claim_of(from, into);

	if (disagree(&into->min, &from->min) || disagree(&into->max, &from->max)) {
		*VEC_PUSH(arena, &pools->claims) = claim;
		keep_smaller(into, &from->max);
	}
	merge_count(&into->min, &from->min);
	merge_count(&into->max, &from->max);
	merge_count(&into->desired, &from->desired);
}

/* Gaps are filled, nothing is replaced. */
static void merge_rest(struct group *into, const struct group *from)
{
	str *texts[] = { &into->provider, &into->os, &into->arch, &into->capacity_type,
		         &into->version };
	const str *others[] = { &from->provider, &from->os, &from->arch, &from->capacity_type,
		                &from->version };

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		if (!texts[i]->n)
			*texts[i] = *others[i];
	into->spot_only = str_is(into->capacity_type, "spot");
	if (!into->zones.n)
		into->zones = from->zones;
	if (!into->daemon_overhead.n)
		into->daemon_overhead = from->daemon_overhead;
	if (!into->limits.n)
		into->limits = from->limits;
	if (!into->tags.n)
		into->tags = from->tags;
	if (!into->priority)
		into->priority = from->priority;
	into->control_plane = into->control_plane || from->control_plane;
	into->managed_by_autoscaler = into->min.origin && into->max.origin &&
	                              into->min.value < into->max.value;
}

static void merge_into(struct arena *arena, struct pools *pools, struct group *into,
                       const struct group *from)
{
	merge_labels(arena, into, from);
	merge_taints(arena, into, from);
	merge_shapes(arena, into, from);
	merge_bounds(arena, pools, into, from);
	merge_rest(into, from);
}

/* ---- names --------------------------------------------------------------------------- */

/* The group that goes by the name; NULL: none does. */
static struct group *group_by_name(const struct map *by_name, str name)
{
	struct name_walk walk = { .name = name };
	str part;

	while (name_walk_next(&walk, &part)) {
		struct group *group = map_get(by_name, part);

		if (group && (part.n == name.n || name_may_be(group, name, part)))
			return group;
	}
	return NULL;
}

/* Two documents of one format are two clusters, or two pools of one name: they stay apart. */
static bool may_join(const struct group *a, const struct group *b)
{
	return strcmp(a->format, b->format) != 0;
}

/* In order of place, so that the result does not depend on maps. */
static void join_groups(struct context *context, struct map *by_name)
{
	struct groups *groups = &context->pools->groups, joined = { 0 };

	for (size_t i = 0; i < groups->n; i++) {
		struct group *group = groups->v[i], *other = group_by_name(by_name, group->name);

		if (!other || !may_join(other, group)) {
			*VEC_PUSH(context->arena, &joined) = group;
			if (!other)
				map_put(by_name, group->name, group);
		} else if (rank_of(group) <= rank_of(other)) {
			merge_into(context->arena, context->pools, other, group);
		} else {
			const struct group lesser = *other;

			/* The one that tells more takes the place of the other. */
			*other = *group;
			merge_into(context->arena, context->pools, other, &lesser);
			map_put(by_name, other->name, other);
		}
	}
	*groups = joined;
}

/* ---- claims -------------------------------------------------------------------------- */

/* A name and bounds, no more. */
static struct group *group_of_claim(struct context *context, const struct bounds_claim *claim)
{
	const struct entry entry = {
		.tree = claim->tree, .object = claim->object,
		.api_version = claim->object ? claim->object->api_version : (str){ 0 },
		.kind = claim->object ? claim->object->kind : (str){ 0 },
		.name = claim->object ? claim->object->name.s : (str){ 0 },
	};
	struct reader reader = { .arena = context->arena, .context = context,
		                 .pools = context->pools, .entry = &entry,
		                 .format = claim->format };
	const struct sizing sizing = { 0 };
	struct group *group = group_new(&reader, claim->name, claim->node);

	group->known_by_name_only = true;
	shapes_resolve(&reader, group, &sizing);
	/* Of nodes that nobody describes not even this is known. */
	group->labels.n = 0;
	return group;
}

/* Bounds that nobody else declares are taken over, others are kept to be compared. */
static void attach_claim(struct context *context, struct map *by_name,
                         struct bounds_claim *claim)
{
	struct group *group = claim->group;

	if (!group)
		group = group_by_name(by_name, claim->name);
	if (!group) {
		group = group_of_claim(context, claim);
		map_put(by_name, group->name, group);
	}
	claim->group = group;
	if (!str_eq(group->name, claim->name) && group->aliases.n < 1000)
		*VEC_PUSH(context->arena, &group->aliases) = claim->name;
	merge_count(&group->min, &claim->min);
	merge_count(&group->max, &claim->max);
	if (!claim->observed)
		keep_smaller(group, &claim->max);
	group->managed_by_autoscaler = group->min.origin && group->max.origin &&
	                               group->min.value < group->max.value;
}

/* Groups that the autoscaler finds by tags, where no document declares any. */
static void add_discovered(struct context *context)
{
	struct reader reader = { .arena = context->arena, .context = context,
		                 .pools = context->pools, .entry = &context->discovery_entry,
		                 .format = "discovery" };
	struct group *group;

	if (!context->discovery || context->pools->groups.n)
		return;
	group = group_unknown(&reader, STR("auto-discovery"), context->discovery);
	group->known_by_name_only = true;
	group->labels.n = 0;
}

/* ---- what stays unknown -------------------------------------------------------------- */

static bool amounts_known(const struct group *group)
{
	for (size_t i = 0; i < group->shapes.n; i++)
		if (!shape_allocatable(group, &group->shapes.v[i], STR("cpu")).known ||
		    !shape_allocatable(group, &group->shapes.v[i], STR("memory")).known)
			return false;
	return true;
}

/* For a notification: how to declare it is the same for all. */
static void name_unknown(struct arena *arena, struct group *group)
{
	if (!group->labels_complete)
		*VEC_PUSH(arena, &group->unknown) = STR("labels");
	if (!group->taints_known)
		*VEC_PUSH(arena, &group->unknown) = STR("taints");
	if (group->max.origin == ORIGIN_UNKNOWN)
		*VEC_PUSH(arena, &group->unknown) = STR("maximum");
	if (!amounts_known(group))
		*VEC_PUSH(arena, &group->unknown) = STR("allocatable");
}

void merge_groups(struct context *context)
{
	struct map *by_name = map_new(context->arena);
	struct pools *pools = context->pools;

	join_groups(context, by_name);
	for (size_t i = 0; i < pools->claims.n; i++)
		attach_claim(context, by_name, &pools->claims.v[i]);
	add_discovered(context);
	for (size_t i = 0; i < pools->groups.n; i++)
		name_unknown(context->arena, pools->groups.v[i]);
}

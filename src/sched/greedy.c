/* A feasible placement for fleets of any size: large pods first, each kind of pod filled into
 * lots of equal nodes by division, never pod by pod.
 *
 * Only what is certain is used: safe allocatable, groups that say yes, known bounds. Pods that
 * demand things of each other are placed so that they certainly may be: one a node, or not at
 * all where that is not plain.
 */
#include <stdlib.h>

#include "crowd.h"

/* Equal nodes of one group and what they have left, by resource. */
struct lot {
	size_t group, next;          /* next lot of the group; SIZE_MAX ends */
	int64_t nodes;
	int64_t *free;
	bool port;                   /* some pod with host ports is there */
};

struct yard {
	const struct bench *bench;
	struct arena *arena;
	struct strs resources;       /* "pods" first */
	size_t *first;               /* per group */
	struct VEC(struct lot) lots;
};

/* One item in the order of placement. */
struct turn {
	size_t item;
	int64_t priority;
	int64_t size;                /* share of the largest node, in millionths */
};

static size_t resource_index(struct yard *yard, str resource)
{
	for (size_t i = 0; i < yard->resources.n; i++)
		if (str_eq(yard->resources.v[i], resource))
			return i;
	*VEC_PUSH(yard->arena, &yard->resources) = resource;
	return yard->resources.n - 1;
}

static void add_lots(struct yard *yard)
{
	const struct bench *bench = yard->bench;
	size_t groups = bench->scope->groups.n;

	yard->first = arena_calloc(yard->arena, groups, sizeof(size_t));
	for (size_t g = 0; g < groups; g++) {
		const struct group_sites *sites = &bench->groups[g];
		const struct site *site = &bench->sites[sites->first];
		struct lot *lot = VEC_PUSH(yard->arena, &yard->lots);

		*lot = (struct lot){ .group = g, .next = SIZE_MAX, .nodes = sites->nodes_least };
		yard->first[g] = yard->lots.n - 1;
		lot->free = arena_calloc(yard->arena, yard->resources.n, sizeof(int64_t));
		/* Several shapes, or a cap on their sum: what will be started is not certain. */
		if (sites->count != 1 || sites->group->limits.n)
			lot->nodes = 0;
		for (size_t r = 0; r < yard->resources.n; r++) {
			struct capacity_fact fact = shape_allocatable(site->group, site->shape,
			                                              yard->resources.v[r]);
			int64_t used = resources_get(&site->used_most,
			                             yard->resources.v[r]).amount;

			lot->free[r] = fact.known ? int64_sub_saturated(fact.safe, used) : 0;
		}
	}
}

static int64_t request_of(const struct workload *workload, str resource)
{
	return str_is(resource, "pods") ? 1
	                                : resources_get(&workload->requests.v, resource).amount;
}

/* May more than one pod of it share a node, and may it be placed at all without a look at where
 * the others are? */
static bool is_plain(const struct workload *workload)
{
	const struct pod_template *pod = workload->pod;

	for (size_t i = 0; i < pod->spread.n; i++)
		if (spread_is_hard(&pod->spread.v[i]))
			return false;
	return !pod->required_affinity.n && !pod->required_anti_affinity.n;
}

static int64_t per_node(const struct yard *yard, const struct lot *lot,
                        const struct pod_profile *profile)
{
	int64_t least = INT64_MAX;

	for (size_t r = 0; r < yard->resources.n; r++) {
		int64_t request = request_of(profile->workload, yard->resources.v[r]);
		int64_t count = 0;

		if (request <= 0)
			continue;
		count = lot->free[r] > 0 ? lot->free[r] / request : 0;
		least = count < least ? count : least;
	}
	if (profile->ports.n)
		least = lot->port || least < 1 ? 0 : 1;
	return least;
}

/* Takes `nodes` nodes out of a lot into one that holds `pods` more pods each. */
static void fill_nodes(struct yard *yard, size_t at, const struct pod_profile *profile,
                       int64_t nodes, int64_t pods)
{
	struct lot filled = yard->lots.v[at];

	filled.nodes = nodes;
	filled.port = filled.port || profile->ports.n > 0;
	filled.free = arena_calloc(yard->arena, yard->resources.n, sizeof(int64_t));
	for (size_t r = 0; r < yard->resources.n; r++)
		filled.free[r] = yard->lots.v[at].free[r] -
		                 pods * request_of(profile->workload, yard->resources.v[r]);
	yard->lots.v[at].nodes -= nodes;
	yard->lots.v[at].next = yard->lots.n;
	*VEC_PUSH(yard->arena, &yard->lots) = filled;
}

static int64_t fill_lot(struct yard *yard, size_t at, const struct pod_profile *profile,
                        int64_t wanted)
{
	int64_t each = per_node(yard, &yard->lots.v[at], profile), nodes, rest;

	if (each <= 0 || yard->lots.v[at].nodes <= 0)
		return 0;
	each = each < wanted ? each : wanted;
	nodes = wanted / each < yard->lots.v[at].nodes ? wanted / each : yard->lots.v[at].nodes;
	fill_nodes(yard, at, profile, nodes, each);
	rest = wanted - nodes * each;
	if (rest > 0 && yard->lots.v[at].nodes > 0) {
		rest = rest < each ? rest : each;
		fill_nodes(yard, at, profile, 1, rest);
		return nodes * each + rest;
	}
	return nodes * each;
}

/* Groups in order, those that started to fill first. */
static int64_t place(struct yard *yard, const struct pod_profile *profile,
                     const struct pod_class *class, int64_t wanted)
{
	int64_t placed = 0;

	if (!is_plain(profile->workload) || profile->workload->runtime_class_open)
		return 0;
	for (size_t g = 0; g < yard->bench->scope->groups.n && placed < wanted; g++) {
		size_t at = yard->first[g], next;

		if (class->offers[g].answer != ANSWER_YES || class->offers[g].tight)
			continue;
		for (; at != SIZE_MAX && placed < wanted; at = next) {
			next = yard->lots.v[at].next;
			placed += fill_lot(yard, at, profile, wanted - placed);
		}
	}
	return placed;
}

static int64_t size_of(const struct yard *yard, const struct workload *workload)
{
	int64_t size = 0;

	for (size_t r = 0; r < yard->resources.n; r++) {
		int64_t request = request_of(workload, yard->resources.v[r]), most = 1;

		for (size_t g = 0; g < yard->bench->scope->groups.n; g++)
			if (yard->lots.v[yard->first[g]].free[r] > most)
				most = yard->lots.v[yard->first[g]].free[r];
		request = request < most ? request : most;
		request = int64_mul_saturated(request, 1000000) / most;
		size = request > size ? request : size;
	}
	return size;
}

static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

static int64_t priority_of(const struct workload *workload)
{
	if (workload->critical)
		return INT64_MAX;
	return workload->priority_class && workload->priority_class->priority_class
	               ? workload->priority_class->priority_class->value.value : 0;
}

int64_t greedy_fill(const struct bench *bench, struct arena *arena,
                    const struct fleet_question *question, int64_t *placed)
{
	struct yard yard = { .bench = bench, .arena = arena };
	struct turn *turns = arena_calloc(arena, question->count, sizeof(turns[0]));
	int64_t total = 0;

	resource_index(&yard, STR("pods"));
	for (size_t i = 0; i < question->count; i++) {
		const struct resource_amounts *requests =
			&question->items[i].workload->requests.v;

		for (size_t k = 0; k < requests->n; k++)
			resource_index(&yard, requests->v[k].resource);
	}
	add_lots(&yard);
	for (size_t i = 0; i < question->count; i++) {
		const struct workload *workload = question->items[i].workload;

		turns[i] = (struct turn){ i, priority_of(workload), size_of(&yard, workload) };
	}
	if (question->count > 1)
		qsort(turns, question->count, sizeof(turns[0]), compare_turns);
	for (size_t i = 0; i < question->count; i++) {
		const struct fleet_item *item = &question->items[turns[i].item];
		size_t index = item->workload->index;

		placed[turns[i].item] = place(&yard, bench->profiles[index],
		                              bench->classes[index], item->replicas);
		total = int64_add_saturated(total, placed[turns[i].item]);
	}
	return total;
}

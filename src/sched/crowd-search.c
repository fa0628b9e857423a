/* Tries every way to place a crowd that matters.
 *
 * Types that demand nothing of each other are placed one after the other, since their order
 * cannot matter; types of one component interleave freely. States that differ only in which of
 * several equal nodes holds what are one. The last type, when it demands nothing at all, is
 * not tried but counted.
 */
#include <stdlib.h>
#include <string.h>

#include "crowd.h"

struct search {
	const struct crowd *crowd;
	struct arena *arena;
	struct map *visited;
	size_t states, limit;
	size_t component[CROWD_MAX_TYPES]; /* of each type */
	size_t order[CROWD_MAX_TYPES];     /* components in the order that they are placed in */
	size_t components;
	bool inert[CROWD_MAX_TYPES];       /* demands nothing and is in nobody's way */
	bool cut;                          /* the limit was hit */
	struct crowd_result *result;
};

/* ---- who has to do with whom ------------------------------------------------------------- */

/* One way is enough: whoever looks at whom, their order matters. */
static bool is_related(const struct crowd *crowd, size_t a, size_t b)
{
	for (size_t i = 0; i < crowd->spreads.n; i++)
		if (crowd->spreads.v[i].type == a && crowd->spreads.v[i].counts[b])
			return true;
	for (size_t i = 0; i < crowd->antis.n; i++)
		if (crowd->antis.v[i].owner == a && crowd->antis.v[i].selects[b])
			return true;
	return crowd->affinities[a].key_count > 0 && crowd->affinities[a].selects[b];
}

/* A type that has demands of whatever kind, or that a DaemonSet keeps off. */
static bool has_demands(const struct crowd *crowd, size_t type)
{
	for (size_t i = 0; i < crowd->spreads.n; i++)
		if (crowd->spreads.v[i].type == type)
			return true;
	for (size_t i = 0; i < crowd->antis.n; i++)
		if (crowd->antis.v[i].owner == type || crowd->antis.v[i].selects[type])
			return true;
	return crowd->affinities[type].key_count > 0;
}

/* Types of one component bear the number of one of them. */
static void find_components(struct search *search)
{
	const struct crowd *crowd = search->crowd;

	for (size_t i = 0; i < crowd->types; i++)
		search->component[i] = i;
	for (size_t a = 0; a < crowd->types; a++) {
		search->inert[a] = !has_demands(crowd, a);
		for (size_t b = 0; b < crowd->types; b++) {
			size_t from = search->component[b], to = search->component[a];

			if (a == b || !(is_related(crowd, a, b) || is_related(crowd, b, a)))
				continue;
			search->inert[a] = false;
			for (size_t c = 0; c < crowd->types; c++)
				if (search->component[c] == from)
					search->component[c] = to;
		}
	}
}

/* Rough count of the ways that a component can be placed in: few first, the inert one with the
 * most last. */
static int64_t component_weight(const struct search *search, const struct crowd_state *empty,
                                size_t component)
{
	int64_t weight = 0;

	for (size_t t = 0; t < search->crowd->types; t++) {
		int64_t per_node = 0;

		if (search->component[t] != component)
			continue;
		for (size_t n = 0; n < search->crowd->nodes; n++) {
			int64_t room = crowd_room(search->crowd, empty, t, n);

			per_node = room > per_node ? room : per_node;
		}
		weight += 1 + (per_node < CROWD_MAX_PODS ? per_node : CROWD_MAX_PODS) +
		          (search->inert[t] ? CROWD_MAX_PODS * CROWD_MAX_TYPES * 2 : 0);
	}
	return weight;
}

/* Insertion by weight, for eight of them at most. */
static void order_components(struct search *search, const struct crowd_state *empty)
{
	int64_t weights[CROWD_MAX_TYPES];

	for (size_t t = 0; t < search->crowd->types; t++) {
		size_t at = search->components;
		int64_t weight;

		/* A component goes by the type whose number it bears. */
		if (search->component[t] != t)
			continue;
		weight = component_weight(search, empty, t);
		for (; at > 0 && weights[at - 1] > weight; at--) {
			weights[at] = weights[at - 1];
			search->order[at] = search->order[at - 1];
		}
		weights[at] = weight;
		search->order[at] = t;
		search->components++;
	}
}

/* ---- states ----------------------------------------------------------------------------- */

/* The best total so far, for the lower bound, also when the search is cut. */
static void record(const struct search *search, const struct crowd_state *state)
{
	struct crowd_result *result = search->result;
	int64_t total = 0;

	for (size_t t = 0; t < search->crowd->types; t++)
		total += state->placed[t];
	if (total <= result->most)
		return;
	result->most = total;
	memcpy(result->placed, state->placed, search->crowd->types * sizeof(state->placed[0]));
}

/* Sorts the nodes of each kind by what they hold, so that equal states look equal. */
static void normalize(const struct crowd *crowd, struct crowd_state *state)
{
	size_t size = crowd->types * sizeof(state->count[0]);

	for (size_t i = 1; i < crowd->nodes; i++)
		for (size_t k = i; k > 0 && crowd->kind[k] == crowd->kind[k - 1]; k--) {
			uint16_t *a = &state->count[(k - 1) * crowd->types];
			uint16_t *b = &state->count[k * crowd->types];
			uint16_t swap[CROWD_MAX_TYPES];

			if (memcmp(a, b, size) >= 0)
				break;
			memcpy(swap, a, size);
			memcpy(a, b, size);
			memcpy(b, swap, size);
		}
}

/* The bytes of the sorted counts are the state; nothing else differs. */
static bool is_new(struct search *search, const struct crowd_state *state)
{
	const struct crowd *crowd = search->crowd;
	str key = { (const char *)state->count,
		    crowd->nodes * crowd->types * sizeof(state->count[0]) };

	if (map_has(search->visited, key))
		return false;
	map_put(search->visited, key, NULL);
	search->states++;
	return true;
}

/* Copies: the states on the way are what the search returns to. */
static struct crowd_state *with_pod(const struct search *search, const struct crowd_state *state,
                                    size_t type, size_t node)
{
	struct crowd_state *next = crowd_state_new(search->arena, search->crowd, state);

	next->count[node * search->crowd->types + type]++;
	next->placed[type]++;
	normalize(search->crowd, next);
	crowd_state_refresh(search->crowd, next);
	return next;
}

/* ---- the search ------------------------------------------------------------------------- */

/* Room for the type by resources and ports, over all nodes; what it demands may leave less. */
static int64_t room_for(const struct crowd *crowd, const struct crowd_state *state, size_t type)
{
	int64_t sum = 0;

	for (size_t n = 0; n < crowd->nodes; n++) {
		int64_t room = crowd_room(crowd, state, type, n);

		for (size_t t = 0; t < crowd->types && room > 0; t++)
			if (crowd->clash[type * crowd->types + t])
				room = state->count[n * crowd->types + t] ? 0
				       : t == type && room > 1            ? 1
				                                          : room;
		sum = int64_add_saturated(sum, room);
	}
	return sum;
}

/* Resources alone show that the rest can never fit, whatever the order. */
static bool is_hopeless(const struct crowd *crowd, const struct crowd_state *state)
{
	for (size_t t = 0; t < crowd->types; t++)
		if (room_for(crowd, state, t) < crowd->wanted[t] - state->placed[t])
			return true;
	return false;
}

/* A type of which no pod is wanted is done from the start. */
static bool component_is_done(const struct search *search, const struct crowd_state *state,
                              size_t component)
{
	for (size_t t = 0; t < search->crowd->types; t++)
		if (search->component[t] == component &&
		    state->placed[t] < search->crowd->wanted[t])
			return false;
	return true;
}

struct candidate {
	size_t node;
	int64_t score;
};

/* Equal scores go by node, so that every run is the same. */
static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Low is tried first: few of its own kind in the domain, a node that few types may use, then
 * the fuller node. */
static int64_t score_of(const struct crowd *crowd, const struct crowd_state *state, size_t type,
                        size_t node)
{
	int64_t own = 0, users = 0, room = crowd_room(crowd, state, type, node);

	for (size_t i = 0; i < crowd->spreads.n; i++)
		if (crowd->spreads.v[i].type == type)
			own += crowd_domain_count(crowd, state, &crowd->spreads.v[i], node);
	for (size_t t = 0; t < crowd->types; t++)
		users += crowd->admits[t * crowd->kinds + crowd->kind[node]];
	return own * 100000 + users * 1000 + (room < 999 ? room : 999);
}

/* Sorted states: equal nodes stand together, and one of them is enough to try. */
static bool equals_previous(const struct crowd *crowd, const struct crowd_state *state,
                            size_t node)
{
	return node > 0 && crowd->kind[node] == crowd->kind[node - 1] &&
	       memcmp(&state->count[node * crowd->types],
	              &state->count[(node - 1) * crowd->types],
	              crowd->types * sizeof(state->count[0])) == 0;
}

/* Best first: the first dive of the search is then a good greedy placement. */
static size_t list_candidates(const struct crowd *crowd, const struct crowd_state *state,
                              size_t type, struct candidate *candidates)
{
	size_t count = 0;

	for (size_t n = 0; n < crowd->nodes; n++)
		if (!equals_previous(crowd, state, n) && crowd_admits(crowd, state, type, n))
			candidates[count++] = (struct candidate){
				n, score_of(crowd, state, type, n) };
	if (count > 1)
		qsort(candidates, count, sizeof(candidates[0]), compare_candidates);
	return count;
}

static bool try_component(struct search *search, const struct crowd_state *state, size_t at);

/* Places one more pod of the type in every way; true when everything fits in the end. */
static bool try_type(struct search *search, const struct crowd_state *state, size_t at,
                     size_t type)
{
	struct candidate candidates[CROWD_MAX_NODES];
	size_t count = list_candidates(search->crowd, state, type, candidates);

	for (size_t i = 0; i < count && !search->cut; i++) {
		const struct crowd_state *next =
			with_pod(search, state, type, candidates[i].node);

		if (search->states >= search->limit)
			search->cut = true;
		else if (is_new(search, next) && try_component(search, next, at))
			return true;
	}
	return false;
}

/* The last component is one type that demands nothing: what its nodes have room for fits. */
static bool fits_by_count(const struct search *search, struct crowd_state *state, size_t type)
{
	int64_t missing = search->crowd->wanted[type] - state->placed[type];

	if (room_for(search->crowd, state, type) < missing)
		return false;
	state->placed[type] = search->crowd->wanted[type];
	record(search, state);
	return true;
}

/* Depth: one level a pod, CROWD_MAX_PODS at most. */
static bool try_component(struct search *search, const struct crowd_state *state, size_t at)
{
	const struct crowd *crowd = search->crowd;

	record(search, state);
	while (at < search->components &&
	       component_is_done(search, state, search->order[at]))
		at++;
	if (at == search->components)
		return true;
	if (crowd->types > 1 && is_hopeless(crowd, state))
		return false;
	if (at + 1 == search->components && search->inert[search->order[at]])
		return fits_by_count(search, crowd_state_new(search->arena, crowd, state),
		                     search->order[at]);
	for (size_t t = 0; t < crowd->types && !search->cut; t++)
		if (search->component[t] == search->order[at] &&
		    state->placed[t] < crowd->wanted[t] && try_type(search, state, at, t))
			return true;
	return false;
}

/* One run without a step back, each type as often as it goes; rounds, for those that wait for
 * others. */
static void try_greedily(struct search *search, bool backwards)
{
	const struct crowd *crowd = search->crowd;
	struct candidate candidates[CROWD_MAX_NODES];
	const struct crowd_state *state = crowd_state_new(search->arena, crowd, NULL);
	bool moved = true;

	while (moved) {
		moved = false;
		for (size_t i = 0; i < crowd->types; i++) {
			size_t type = backwards ? crowd->types - 1 - i : i;

			while (state->placed[type] < crowd->wanted[type] &&
			       list_candidates(crowd, state, type, candidates)) {
				state = with_pod(search, state, type, candidates[0].node);
				moved = true;
			}
		}
	}
	record(search, state);
}

/* At most CROWD_MAX_PODS. */
static int64_t wanted_pods(const struct crowd *crowd)
{
	int64_t sum = 0;

	for (size_t t = 0; t < crowd->types; t++)
		sum += crowd->wanted[t];
	return sum;
}

/* Greedy runs first: most fleets that fit need no search at all. */
void crowd_search(const struct crowd *crowd, struct crowd_result *ret_result)
{
	struct search search = { .crowd = crowd, .arena = arena_new(), .result = ret_result };
	size_t work = crowd->nodes * crowd->nodes * crowd->types + 1;
	const struct crowd_state *empty;

	*ret_result = (struct crowd_result){ .fits = ANSWER_UNKNOWN };
	ret_result->placed = arena_calloc(crowd->arena, crowd->types, sizeof(int32_t));
	search.visited = map_new(search.arena);
	search.limit = CROWD_MAX_WORK / work < CROWD_MAX_STATES ? CROWD_MAX_WORK / work
	                                                         : CROWD_MAX_STATES;
	find_components(&search);
	empty = crowd_state_new(search.arena, crowd, NULL);
	order_components(&search, empty);
	try_greedily(&search, false);
	try_greedily(&search, true);
	if (ret_result->most == wanted_pods(crowd) || try_component(&search, empty, 0))
		ret_result->fits = ANSWER_YES;
	else if (!search.cut)
		ret_result->fits = ANSWER_NO;
	ret_result->exact = ret_result->fits == ANSWER_YES ||
	                    (ret_result->fits == ANSWER_NO && crowd->types == 1 &&
	                     !search.inert[0]);
	if (crowd->types == 1 && search.inert[0]) {
		ret_result->most = room_for(crowd, empty, 0);
		ret_result->most = ret_result->most < crowd->wanted[0] ? ret_result->most
		                                                        : crowd->wanted[0];
		ret_result->placed[0] = (int32_t)ret_result->most;
		ret_result->exact = true;
	}
	arena_free(search.arena);
}

/* The filters that hang on the pods that are there: resources, ports, spread, pod affinity. */
#include <string.h>

#include "crowd.h"

/* DaemonSets are part of the count: their pods are there before the first of the others. */
static int64_t counted(const struct crowd *crowd, const struct crowd_state *state,
                       const bool *selects, size_t node)
{
	const uint16_t *daemons = &crowd->daemons[crowd->kind[node] * crowd->all];
	int64_t sum = 0;

	for (size_t i = 0; i < crowd->types; i++)
		sum += selects[i] ? state->count[node * crowd->types + i] : 0;
	for (size_t i = crowd->types; i < crowd->all; i++)
		sum += selects[i] ? daemons[i] : 0;
	return sum;
}

/* By amounts alone; what the pods demand of each other is asked by crowd_admits(). */
int64_t crowd_room(const struct crowd *crowd, const struct crowd_state *state, size_t type,
                   size_t node)
{
	const int64_t *room = &crowd->room[crowd->kind[node] * crowd->resources];
	int64_t least = INT64_MAX;

	if (!crowd->admits[type * crowd->kinds + crowd->kind[node]])
		return 0;
	for (size_t r = 0; r < crowd->resources; r++) {
		int64_t free = room[r], request = crowd->request[type * crowd->resources + r];

		if (request <= 0)
			continue;
		for (size_t t = 0; t < crowd->types; t++)
			free = int64_sub_saturated(
				free, int64_mul_saturated(state->count[node * crowd->types + t],
			                                  crowd->request[t * crowd->resources + r]));
		free = free > 0 ? free / request : 0;
		least = free < least ? free : least;
	}
	return least;
}

/* A type with host ports clashes with itself too, so one pod of it fills the node. */
static bool ports_are_free(const struct crowd *crowd, const struct crowd_state *state, size_t type,
                           size_t node)
{
	for (size_t t = 0; t < crowd->types; t++)
		if (crowd->clash[type * crowd->types + t] && state->count[node * crowd->types + t])
			return false;
	return true;
}

/* -1 where the node lacks the label: it is in no domain of the key. */
static int32_t domain_of(const struct crowd *crowd, size_t key, size_t node)
{
	return crowd->domain[key * crowd->nodes + node];
}

/* Pods on nodes that make no domain are not counted, as upstream does. */
int64_t crowd_domain_count(const struct crowd *crowd, const struct crowd_state *state,
                           const struct crowd_spread *spread, size_t node)
{
	int32_t domain = domain_of(crowd, spread->key, node);
	int64_t sum = 0;

	for (size_t n = 0; n < crowd->nodes; n++)
		if (spread->domain[crowd->kind[n]] &&
		    domain_of(crowd, spread->key, n) == domain)
			sum += counted(crowd, state, spread->counts, n);
	return sum;
}

/* The least count over all domains; 0 when there are fewer than minDomains. */
static int64_t least_count(const struct crowd *crowd, const struct crowd_state *state,
                           const struct crowd_spread *spread)
{
	int64_t least = INT64_MAX, domains = 0;

	for (size_t n = 0; n < crowd->nodes; n++) {
		bool first = true;

		if (!spread->domain[crowd->kind[n]])
			continue;
		for (size_t m = 0; m < n && first; m++)
			first = !spread->domain[crowd->kind[m]] ||
			        domain_of(crowd, spread->key, m) !=
			                domain_of(crowd, spread->key, n);
		if (first) {
			int64_t count = crowd_domain_count(crowd, state, spread, n);

			domains++;
			least = count < least ? count : least;
		}
	}
	return domains < (spread->min_domains > 1 ? spread->min_domains : 1) ? 0 : least;
}

/* States are never changed once they are in the search: a step is a copy. */
struct crowd_state *crowd_state_new(struct arena *arena, const struct crowd *crowd,
                                    const struct crowd_state *from)
{
	struct crowd_state *state = ARENA_NEW(arena, struct crowd_state);
	size_t counts = crowd->nodes * crowd->types;

	state->count = arena_calloc(arena, counts, sizeof(state->count[0]));
	state->placed = arena_calloc(arena, crowd->types, sizeof(state->placed[0]));
	state->least = arena_calloc(arena, crowd->spreads.n, sizeof(state->least[0]));
	if (from) {
		memcpy(state->count, from->count, counts * sizeof(state->count[0]));
		memcpy(state->placed, from->placed, crowd->types * sizeof(state->placed[0]));
	}
	crowd_state_refresh(crowd, state);
	return state;
}

/* The minimum is asked for every node that is tried, and changes with no node. */
void crowd_state_refresh(const struct crowd *crowd, struct crowd_state *state)
{
	for (size_t i = 0; i < crowd->spreads.n; i++)
		state->least[i] = least_count(crowd, state, &crowd->spreads.v[i]);
}

/* Upstream: matchNum + selfMatchNum - minMatchNum <= maxSkew. */
static bool spread_holds(const struct crowd *crowd, const struct crowd_state *state, size_t type,
                         size_t node)
{
	for (size_t i = 0; i < crowd->spreads.n; i++) {
		const struct crowd_spread *spread = &crowd->spreads.v[i];

		if (spread->type == type &&
		    crowd_domain_count(crowd, state, spread, node) + spread->self -
		                    state->least[i] > spread->max_skew)
			return false;
	}
	return true;
}

/* Is a selected pod in the node's domain? */
static bool any_in_domain(const struct crowd *crowd, const struct crowd_state *state,
                          const bool *selects, size_t key, size_t node)
{
	int32_t domain = domain_of(crowd, key, node);

	for (size_t n = 0; n < crowd->nodes; n++)
		if (domain_of(crowd, key, n) == domain && counted(crowd, state, selects, n) > 0)
			return true;
	return false;
}

/* Is a selected pod on any node that has one of the keys? */
static bool any_at_all(const struct crowd *crowd, const struct crowd_state *state,
                       const struct crowd_affinity *affinity)
{
	for (size_t n = 0; n < crowd->nodes; n++)
		for (size_t k = 0; k < affinity->key_count; k++)
			if (domain_of(crowd, affinity->keys[k], n) >= 0 &&
			    counted(crowd, state, affinity->selects, n) > 0)
				return true;
	return false;
}

/* Each term needs a selected pod in its own domain; the pod itself is selected by all terms or
 * by none, so the keys may be asked one after the other. */
static bool affinity_holds(const struct crowd *crowd, const struct crowd_state *state, size_t type,
                           size_t node)
{
	const struct crowd_affinity *affinity = &crowd->affinities[type];
	bool near = true;

	for (size_t k = 0; k < affinity->key_count; k++) {
		if (domain_of(crowd, affinity->keys[k], node) < 0)
			return false;
		near = near && any_in_domain(crowd, state, affinity->selects, affinity->keys[k],
		                             node);
	}
	/* The first of a series that selects itself needs nobody. */
	return near || (affinity->self && !any_at_all(crowd, state, affinity));
}

/* A term works in the domain of its owner, not of the pod that it keeps out. */
static bool owner_is_near(const struct crowd *crowd, const struct crowd_state *state,
                          const struct crowd_anti *anti, size_t node)
{
	int32_t domain = domain_of(crowd, anti->key, node);

	for (size_t n = 0; n < crowd->nodes; n++) {
		int64_t count = anti->owner < crowd->types
		                        ? state->count[n * crowd->types + anti->owner]
		                        : crowd->daemons[crowd->kind[n] * crowd->all +
		                                         anti->owner];

		if (count > 0 && domain_of(crowd, anti->key, n) == domain)
			return true;
	}
	return false;
}

/* Anti-affinity counts both ways; over a label that the node lacks it keeps nobody out. */
static bool anti_holds(const struct crowd *crowd, const struct crowd_state *state, size_t type,
                       size_t node)
{
	for (size_t i = 0; i < crowd->antis.n; i++) {
		const struct crowd_anti *anti = &crowd->antis.v[i];

		if (domain_of(crowd, anti->key, node) < 0)
			continue;
		if (anti->owner == type &&
		    any_in_domain(crowd, state, anti->selects, anti->key, node))
			return false;
		if (anti->selects[type] && owner_is_near(crowd, state, anti, node))
			return false;
	}
	return true;
}

/* Cheap questions first: resources leave few nodes to ask further. */
bool crowd_admits(const struct crowd *crowd, const struct crowd_state *state, size_t type,
                  size_t node)
{
	return crowd_room(crowd, state, type, node) > 0 &&
	       ports_are_free(crowd, state, type, node) &&
	       anti_holds(crowd, state, type, node) &&
	       affinity_holds(crowd, state, type, node) &&
	       spread_holds(crowd, state, type, node);
}

/* A crowd: a few kinds of pods on a few dozen nodes, one by one. Where formulas end (several
 * workloads that demand things of each other), small fleets are decided by trying.
 *
 * Only what is wholly known becomes a crowd: one shape a group, one value a label, known
 * bounds and amounts. All limits are small, so that the search has a bound.
 *
 * Everything is a number here: types of pods, kinds of nodes (groups), nodes, resources,
 * topology keys, domains. The tables are made once; a state is only how many pods of each type
 * are on each node. DaemonSets are part of the tables: they are there before all others and
 * are never moved.
 */
#ifndef KUBELINT_CROWD_H
#define KUBELINT_CROWD_H

#include "sched-internal.h"

#define CROWD_MAX_NODES 64
#define CROWD_MAX_TYPES 8      /* workloads that are placed */
#define CROWD_MAX_PODS 160
/* Of the search; beyond them the answer is unknown. A state costs nodes^2 x types of work. */
#define CROWD_MAX_STATES 60000
#define CROWD_MAX_WORK 200000000

/* A hard spread constraint of one type. counts and self are asked of the selector once; a node
 * makes a domain unless the constraint's policies exclude its kind, or it lacks one of the keys
 * of all the type's constraints. */
struct crowd_spread {
	size_t type, key;
	int64_t max_skew, min_domains;
	bool self;
	bool *counts;              /* per type and DaemonSet: are its pods counted */
	bool *domain;              /* per kind of node: does it make a domain */
};

/* A required anti-affinity term, of a type or a DaemonSet. It works both ways: the owner stays
 * away from those selected, and they from it. */
struct crowd_anti {
	size_t owner, key;
	bool *selects;             /* per type and DaemonSet */
};

/* Required pod affinity of one type: the terms' keys, and whom all of them select. self: the pods
 * select themselves, so that the first of them needs nobody. No keys: no affinity. */
struct crowd_affinity {
	size_t *keys, key_count;
	bool *selects;
	bool self;
};

/* The tables. Products in brackets are how a table of two numbers is laid out. */
struct crowd {
	struct arena *arena;
	const struct bench *bench;
	const struct pod_profile **pods; /* the types, then the DaemonSets */
	size_t types, all;
	int32_t *wanted;           /* per type */
	size_t kinds;              /* kinds of nodes: groups */
	size_t *site;              /* per kind: index into bench->sites */
	size_t nodes;
	uint8_t *kind;             /* per node */
	bool *admits;              /* [type * kinds + kind]: filters that do not hang on pods */
	size_t resources;
	int64_t *request;          /* [type * resources + r] */
	int64_t *room;             /* [kind * resources + r]: beside the DaemonSets */
	uint16_t *daemons;         /* [kind * all + type or DaemonSet]: pods there from the start */
	bool *clash;               /* [type * types + type]: host ports */
	size_t keys;
	int32_t *domain;           /* [key * nodes + node]; -1: the label is not there */
	struct VEC(struct crowd_spread) spreads;
	struct VEC(struct crowd_anti) antis;
	struct crowd_affinity *affinities; /* per type */
};

/* The pods on each node: count[node * types + type]. placed are the sums over all nodes. */
struct crowd_state {
	uint16_t *count;
	int32_t *placed;           /* per type */
	int64_t *least;            /* per spread: the least count over its domains */
};

/* One workload and how many of its pods are to be placed. */
struct crowd_item {
	const struct workload *workload;
	int64_t replicas;
};

/* NULL when the fleet is too large or not wholly known. items: at most CROWD_MAX_TYPES workloads
 * with CROWD_MAX_PODS pods in all. The crowd lives in arena. */
struct crowd *crowd_new(struct arena *arena, const struct bench *bench,
                        const struct crowd_item *items, size_t count);

/* Makes an empty state, or a copy; fills least after a change of the counts. */
struct crowd_state *crowd_state_new(struct arena *arena, const struct crowd *crowd,
                                    const struct crowd_state *from);
void crowd_state_refresh(const struct crowd *crowd, struct crowd_state *state);

/* May one more pod of the type go to the node? All filters but those of admits are asked. */
bool crowd_admits(const struct crowd *crowd, const struct crowd_state *state, size_t type,
                  size_t node);
/* Pods of the type that the node's resources would still take; 0 where its kind does not admit
 * them at all. */
int64_t crowd_room(const struct crowd *crowd, const struct crowd_state *state, size_t type,
                   size_t node);
/* Pods in the domain of the node that the constraint counts. */
int64_t crowd_domain_count(const struct crowd *crowd, const struct crowd_state *state,
                           const struct crowd_spread *spread, size_t node);

/* What the search found. most is reached by some order of placing, so it is a lower bound even
 * where the search was cut short. */
struct crowd_result {
	enum answer fits;          /* can all be placed; UNKNOWN: the search was cut short */
	int64_t most;              /* the largest total that was reached */
	bool exact;                /* no larger total exists */
	int32_t *placed;           /* per type, of that total */
};
/* Greedy runs first, then all that matters. Takes well under a second at the limits; memory of
 * the search is given back. */
void crowd_search(const struct crowd *crowd, struct crowd_result *ret_result);

#endif

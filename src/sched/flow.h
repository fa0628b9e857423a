/* Maximum flow in a network of a few thousand nodes.
 *
 * fleet.c asks with it how much of a resource can reach the groups that may give it: a relaxed
 * placement, in which pods may be cut in pieces. What does not get through fits in no placement.
 */
#ifndef KUBELINT_FLOW_H
#define KUBELINT_FLOW_H

#include "base.h"

/* Edges lie in pairs: that with number e ^ 1 leads back. */
struct flow_edge {
	size_t to, next;         /* next: of the same tail; SIZE_MAX ends */
	int64_t room;            /* what may still go through */
};

/* level of the last search stays: nodes with a level are on the source's side of a least cut,
 * which names what is full. */
struct flow {
	struct arena *arena;
	size_t count;            /* nodes; 0 is the source, 1 the sink */
	size_t *head, *turn, *level, *path;
	struct VEC(struct flow_edge) edges; /* each followed by its reverse */
};

/* A network without edges. All memory is taken from arena. */
void flow_init(struct arena *arena, size_t count, struct flow *ret_flow);
/* room: INT64_MAX is as good as endless, others must not be negative. */
void flow_add_edge(struct flow *flow, size_t from, size_t to, int64_t room);
/* The value of a maximum flow, cut at INT64_MAX; edges keep what room is left. */
int64_t flow_maximum(struct flow *flow);

#endif

/* Maximum flow in a network of a few thousand nodes. */
#ifndef KUBELINT_FLOW_H
#define KUBELINT_FLOW_H

#include "base.h"

struct flow_edge {
	size_t to, next;         /* next: of the same tail; SIZE_MAX ends */
	int64_t room;            /* what may still go through */
};

struct flow {
	struct arena *arena;
	size_t count;            /* nodes; 0 is the source, 1 the sink */
	size_t *head, *turn, *level, *path;
	struct VEC(struct flow_edge) edges; /* each followed by its reverse */
};

void flow_init(struct arena *arena, size_t count, struct flow *ret_flow);
void flow_add_edge(struct flow *flow, size_t from, size_t to, int64_t room);
/* The value of a maximum flow, cut at INT64_MAX; edges keep what room is left. */
int64_t flow_maximum(struct flow *flow);

#endif

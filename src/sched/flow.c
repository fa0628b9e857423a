/* Maximum flow by levels (Dinic), without recursion. */
#include "flow.h"

#define SOURCE 0
#define SINK 1

/* All arrays are of one size, nodes are numbers. */
void flow_init(struct arena *arena, size_t count, struct flow *ret_flow)
{
	*ret_flow = (struct flow){
		.arena = arena, .count = count,
		.head = arena_calloc(arena, count, sizeof(size_t)),
		.turn = arena_calloc(arena, count, sizeof(size_t)),
		.level = arena_calloc(arena, count, sizeof(size_t)),
		.path = arena_calloc(arena, count, sizeof(size_t)),
	};
	for (size_t i = 0; i < count; i++)
		ret_flow->head[i] = SIZE_MAX;
}

/* Edges come in pairs, so that e ^ 1 is the way back. */
static void add_half(struct flow *flow, size_t from, size_t to, int64_t room)
{
	struct flow_edge *edge = VEC_PUSH(flow->arena, &flow->edges);

	*edge = (struct flow_edge){ .to = to, .next = flow->head[from], .room = room };
	flow->head[from] = flow->edges.n - 1;
}

/* The way back has no room until something went forth. */
void flow_add_edge(struct flow *flow, size_t from, size_t to, int64_t room)
{
	add_half(flow, from, to, room);
	add_half(flow, to, from, 0);
}

/* Distances from the source over edges with room, breadth first; is the sink in reach? */
static bool find_levels(struct flow *flow)
{
	size_t *queue = flow->path;
	size_t begin = 0, end = 0;

	for (size_t i = 0; i < flow->count; i++)
		flow->level[i] = SIZE_MAX;
	flow->level[SOURCE] = 0;
	queue[end++] = SOURCE;
	while (begin < end) {
		size_t at = queue[begin++];

		for (size_t e = flow->head[at]; e != SIZE_MAX; e = flow->edges.v[e].next) {
			size_t to = flow->edges.v[e].to;

			if (flow->edges.v[e].room > 0 && flow->level[to] == SIZE_MAX) {
				flow->level[to] = flow->level[at] + 1;
				queue[end++] = to;
			}
		}
	}
	return flow->level[SINK] != SIZE_MAX;
}

/* The next usable edge of a node in the level graph, or SIZE_MAX. */
static size_t next_edge(struct flow *flow, size_t at)
{
	size_t e = flow->turn[at];

	while (e != SIZE_MAX && !(flow->edges.v[e].room > 0 &&
	                          flow->level[flow->edges.v[e].to] == flow->level[at] + 1))
		e = flow->edges.v[e].next;
	flow->turn[at] = e;
	return e;
}

/* Sends as much as one path takes; the path holds edges. */
static int64_t send(struct flow *flow, size_t length)
{
	int64_t amount = INT64_MAX;

	for (size_t i = 0; i < length; i++)
		if (flow->edges.v[flow->path[i]].room < amount)
			amount = flow->edges.v[flow->path[i]].room;
	for (size_t i = 0; i < length; i++) {
		struct flow_edge *edge = &flow->edges.v[flow->path[i]];
		struct flow_edge *back = &flow->edges.v[flow->path[i] ^ 1];

		edge->room -= amount;
		back->room = int64_add_saturated(back->room, amount);
	}
	return amount;
}

/* One path from source to sink; 0 when there is none left. */
static int64_t find_path(struct flow *flow)
{
	size_t at = SOURCE, length = 0;

	while (at != SINK) {
		size_t e = next_edge(flow, at);

		if (e != SIZE_MAX) {
			flow->path[length++] = e;
			at = flow->edges.v[e].to;
		} else if (length > 0) {
			/* A dead end: step back and pass over the edge that led here. */
			e = flow->path[--length];
			at = flow->edges.v[e ^ 1].to;
			flow->turn[at] = flow->edges.v[e].next;
		} else {
			return 0;
		}
	}
	return send(flow, length);
}

/* Levels are found again until the sink is out of reach: at most once a node, in practice a
 * handful of times. */
int64_t flow_maximum(struct flow *flow)
{
	int64_t total = 0, amount;

	while (find_levels(flow)) {
		for (size_t i = 0; i < flow->count; i++)
			flow->turn[i] = flow->head[i];
		while ((amount = find_path(flow)) > 0)
			total = int64_add_saturated(total, amount);
	}
	return total;
}

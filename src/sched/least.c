/* The least maximum of one group that places everything, when this group alone changes. */
#include "sched-internal.h"

/* Each of some ten tries judges all workloads against all groups, and every group is asked for.
 * Scopes where groups x groups x workloads is more get no answer rather than one that takes
 * longer than about a second. */
#define MAX_WORK 100000

/* Nodes of the largest group there can be; doubling ends there. */
#define MAX_NODES INT32_MAX

struct search {
	const struct judgement *judgement;
	const struct fleet_question *question;
	size_t group;
};

/* The scope with another maximum of the group, judged. The copy of the group has no place of its
 * own for that number, since nobody wrote it. */
static bool fits_with(const struct search *search, int64_t nodes)
{
	struct arena *arena = arena_new();
	struct scope *scope = ARENA_NEW(arena, struct scope);
	struct group *group = ARENA_NEW(arena, struct group);
	struct fleet fleet;

	*scope = *search->judgement->scope;
	scope->groups = (struct groups){ 0 };
	for (size_t i = 0; i < search->judgement->scope->groups.n; i++)
		*VEC_PUSH(arena, &scope->groups) = search->judgement->scope->groups.v[i];
	*group = *scope->groups.v[search->group];
	group->max.value = nodes;
	if (group->min.value > nodes)
		group->min.value = nodes;
	scope->groups.v[search->group] = group;
	sched_fleet(arena, sched_judge(arena, scope), search->question, &fleet);
	bool fits = fleet.fits == ANSWER_YES;
	arena_free(arena);
	return fits;
}

/* Some number of nodes that is enough; -1: none is. */
static int64_t enough_nodes(const struct search *search, int64_t start, int64_t demand)
{
	int64_t nodes = start > 0 ? start : 1;

	if (fits_with(search, nodes))
		return nodes;
	/* A node for each pod: what does not fit then never will. */
	int64_t most = int64_add_saturated(nodes, demand);
	most = most < MAX_NODES ? most : MAX_NODES;
	if (!fits_with(search, most))
		return -1;
	for (; nodes < most / 2; nodes *= 2)
		if (fits_with(search, nodes * 2))
			return nodes * 2;
	return most;
}

/* Everything that has a place somewhere, at its peak: also what is too much for the groups as
 * they are, for that is what growing is about. */
static void ask_for_all(struct arena *arena, const struct judgement *judgement,
                        struct fleet_question *ret_question)
{
	struct VEC(struct fleet_item) items = { 0 };

	for (size_t i = 0; i < judgement->count; i++) {
		const struct workload *workload = judgement->placements[i].workload;

		if (workload->daemon_set || workload->job || judgement->placements[i].undecidable ||
		    !workload->peak.known || workload->peak.value <= 0 ||
		    judgement->capacities[i].share_count == 0)
			continue;
		*VEC_PUSH(arena, &items) =
			(struct fleet_item){ workload, workload->peak.value };
	}
	*ret_question = (struct fleet_question){ .items = items.v, .count = items.n,
		                                 .formulas_only = true };
}

static int64_t demand_of(const struct fleet_question *question)
{
	int64_t demand = 0;

	for (size_t i = 0; i < question->count; i++)
		demand = int64_add_saturated(demand, question->items[i].replicas);
	return demand;
}

int64_t sched_least_max(const struct judgement *judgement, const struct group *group)
{
	const struct groups *groups = &judgement->scope->groups;
	struct arena *arena = arena_new();
	struct fleet_question question;
	struct search search = { judgement, &question, 0 };
	int64_t low = 0, high = -1;

	while (search.group < groups->n && groups->v[search.group] != group)
		search.group++;
	ask_for_all(arena, judgement, &question);
	if (search.group < groups->n && group->max.origin != ORIGIN_UNKNOWN &&
	    groups->n * judgement->count <= MAX_WORK / groups->n)
		high = enough_nodes(&search,
		                    group->max.value < MAX_NODES ? group->max.value : 1,
		                    demand_of(&question));
	/* high fits. */
	while (high > low) {
		int64_t middle = low + (high - low) / 2;

		if (fits_with(&search, middle))
			high = middle;
		else
			low = middle + 1;
	}
	arena_free(arena);
	return high;
}

void sched_fleet_that_fits(struct arena *arena, const struct judgement *judgement, bool peak,
                           struct fleet *ret_fleet)
{
	struct VEC(struct fleet_item) items = { 0 };
	struct fleet_question question;

	for (size_t i = 0; i < judgement->count; i++) {
		const struct capacity *capacity = &judgement->capacities[i];
		const struct workload *workload = capacity->workload;
		const struct count *count = peak ? &workload->peak : &workload->baseline;
		int64_t most = capacity->total;

		if (workload->daemon_set || workload->job || judgement->placements[i].undecidable ||
		    !count->known)
			continue;
		most = count->value < most ? count->value : most;
		if (most > 0)
			*VEC_PUSH(arena, &items) = (struct fleet_item){ workload, most };
	}
	question = (struct fleet_question){ .items = items.v, .count = items.n,
		                            .formulas_only = true };
	sched_fleet(arena, judgement, &question, ret_fleet);
}

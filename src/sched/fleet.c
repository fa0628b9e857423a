/* Several workloads together: how many pods can be placed, by two bounds.
 *
 * Upper: what each workload can have by itself, joined by flows from workloads to the groups
 * that may take them, once for every resource in its own units and once in whole pods. Lower:
 * a greedy placement, large pods first. Small fleets are decided by trying (crowd.h).
 */
#include <stdlib.h>

#include "crowd.h"
#include "flow.h"

/* Pods of one class together. */
struct mass {
	const struct pod_class *class;
	int64_t pods;                /* each workload at most what it can have alone */
};

struct joint {
	const struct judgement *judgement;
	const struct bench *bench;
	const struct fleet_question *question;
	struct arena *arena;         /* for the time of one question */
	struct VEC(struct mass) masses;
	int64_t demand, alone;       /* pods asked for; of which each workload can have alone */
	bool open;
};

/* Counts here may be INT64_MAX, unbounded: they are compared before they are added to. */
static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* ---- what comes together ----------------------------------------------------------------- */

/* Pods that one workload can have, at most. */
static int64_t alone_most(const struct joint *joint, const struct fleet_item *item)
{
	return smaller(joint->judgement->capacities[item->workload->index].total,
	               item->replicas);
}

/* Masses come sorted by class. */
static void add_mass(struct joint *joint, const struct pod_class *class, int64_t pods)
{
	struct mass *last = joint->masses.n ? &joint->masses.v[joint->masses.n - 1] : NULL;

	if (last && last->class == class)
		last->pods = int64_add_saturated(last->pods, pods);
	else
		*VEC_PUSH(joint->arena, &joint->masses) = (struct mass){ class, pods };
}

/* By the number of the class and not by its address, so that every run is the same. */
static int compare_items(const void *a, const void *b)
{
	const struct mass *x = a, *y = b;

	return (x->class->number > y->class->number) - (x->class->number < y->class->number);
}

/* Requests that are lower bounds could be more than what the flows send. */
static bool class_is_open(const struct pod_class *class)
{
	const struct resource_amounts *requests = &class->profile->workload->requests.v;

	for (size_t i = 0; i < requests->n; i++)
		if (requests->v[i].unknown)
			return true;
	return class->open;
}

/* What a workload cannot have even alone is left out of the flows, and of the upper bound. */
static void collect(struct joint *joint)
{
	struct VEC(struct mass) all = { 0 };

	for (size_t i = 0; i < joint->question->count; i++) {
		const struct fleet_item *item = &joint->question->items[i];
		int64_t most;

		if (item->replicas <= 0)
			continue;
		most = alone_most(joint, item);
		joint->demand = int64_add_saturated(joint->demand, item->replicas);
		joint->alone = int64_add_saturated(joint->alone, most);
		*VEC_PUSH(joint->arena, &all) =
			(struct mass){ joint->bench->classes[item->workload->index], most };
	}
	if (all.n > 1)
		qsort(all.v, all.n, sizeof(all.v[0]), compare_items);
	for (size_t i = 0; i < all.n; i++) {
		if (!joint->masses.n || joint->masses.v[joint->masses.n - 1].class != all.v[i].class)
			joint->open = class_is_open(all.v[i].class) || joint->open;
		if (all.v[i].pods > 0)
			add_mass(joint, all.v[i].class, all.v[i].pods);
	}
}

/* ---- upper bounds ------------------------------------------------------------------------ */

/* Each pod takes one slot; the slots are a resource like any other. */
static int64_t request_of(const struct mass *mass, str resource)
{
	return str_is(resource, "pods")
	               ? 1
	               : resources_get(&mass->class->profile->workload->requests.v, resource)
	                         .amount;
}

/* The most that a node of the group leaves of a resource beside its DaemonSets. */
static int64_t node_room(const struct bench *bench, size_t group, str resource)
{
	const struct group_sites *sites = &bench->groups[group];
	int64_t most = 0;

	for (size_t i = sites->first; i < sites->first + sites->count; i++) {
		const struct site *site = &bench->sites[i];
		struct capacity_fact fact = shape_allocatable(site->group, site->shape, resource);
		int64_t room = fact.known ? int64_sub_saturated(
						    fact.optimistic,
						    resources_get(&site->used, resource).amount)
		                          : INT64_MAX;

		most = room > most ? room : most;
	}
	return most;
}

/* All of the resource that the group can offer; Karpenter limits cap it. */
static int64_t group_room(const struct bench *bench, size_t group, str resource)
{
	const struct group_sites *sites = &bench->groups[group];
	int64_t room = int64_mul_saturated(sites->nodes_most, node_room(bench, group, resource));

	for (size_t i = 0; i < sites->group->limits.n; i++)
		if (str_eq(sites->group->limits.v[i].resource, resource) &&
		    sites->group->limits.v[i].known)
			room = smaller(room, sites->group->limits.v[i].optimistic);
	return room;
}

/* Whole pods that the group can take: the least request of all that may come, per resource. */
static int64_t group_slots(const struct joint *joint, size_t group, const struct strs *resources)
{
	int64_t per_node = INT64_MAX;

	for (size_t r = 0; r < resources->n; r++) {
		int64_t least = INT64_MAX;

		for (size_t i = 0; i < joint->masses.n; i++)
			if (joint->masses.v[i].class->offers[group].answer != ANSWER_NO)
				least = smaller(least, request_of(&joint->masses.v[i],
				                                  resources->v[r]));
		if (least > 0 && least < INT64_MAX)
			per_node = smaller(per_node,
			                   node_room(joint->bench, group, resources->v[r]) / least);
	}
	return int64_mul_saturated(joint->bench->groups[group].nodes_most, per_node);
}

/* Resources that nobody asks for bind nobody. */
static void list_resources(const struct joint *joint, struct strs *resources)
{
	struct map *known = map_new(joint->arena);

	*VEC_PUSH(joint->arena, resources) = STR("pods");
	for (size_t i = 0; i < joint->masses.n; i++) {
		const struct resource_amounts *requests =
			&joint->masses.v[i].class->profile->workload->requests.v;

		for (size_t k = 0; k < requests->n; k++) {
			if (map_has(known, requests->v[k].resource))
				continue;
			map_put(known, requests->v[k].resource, NULL);
			*VEC_PUSH(joint->arena, resources) = requests->v[k].resource;
		}
	}
}

/* Source -> masses -> groups -> sink, in units of the resource; slots: in whole pods. */
static void build_flow(const struct joint *joint, str resource, const int64_t *slots,
                       struct flow *flow, int64_t *ret_supply)
{
	size_t masses = joint->masses.n, groups = joint->bench->scope->groups.n;

	flow_init(joint->arena, 2 + masses + groups, flow);
	*ret_supply = 0;
	for (size_t i = 0; i < masses; i++) {
		const struct mass *mass = &joint->masses.v[i];
		int64_t supply = int64_mul_saturated(mass->pods,
		                                     slots ? 1 : request_of(mass, resource));

		*ret_supply = int64_add_saturated(*ret_supply, supply);
		if (supply > 0)
			flow_add_edge(flow, 0, 2 + i, supply);
		for (size_t g = 0; supply > 0 && g < groups; g++)
			if (mass->class->offers[g].answer != ANSWER_NO)
				flow_add_edge(flow, 2 + i, 2 + masses + g, INT64_MAX);
	}
	for (size_t g = 0; g < groups; g++)
		flow_add_edge(flow, 2 + masses + g, 1,
		              slots ? slots[g] : group_room(joint->bench, g, resource));
}

/* The group that more would be sent to than it can take: the fullest of those in the cut. */
static const struct group *fullest(const struct joint *joint, const struct flow *flow)
{
	size_t masses = joint->masses.n;

	/* Levels are those of the last search: what it reached is the source's side of the cut. */
	for (size_t g = 0; g < joint->bench->scope->groups.n; g++)
		if (flow->level[2 + masses + g] != SIZE_MAX)
			return joint->bench->groups[g].group;
	return NULL;
}

/* The pods left out are at least the amount left out, divided by this. */
static int64_t largest_request(const struct joint *joint, str resource)
{
	int64_t largest = 1;

	for (size_t i = 0; i < joint->masses.n; i++) {
		int64_t request = request_of(&joint->masses.v[i], resource);

		largest = request > largest ? request : largest;
	}
	return largest;
}

/* Lowers upper by the pods that the resource certainly keeps out. */
static void bound_by(const struct joint *joint, str resource, const int64_t *slots,
                     struct fleet *fleet)
{
	int64_t supply, sent, unit = slots ? 1 : largest_request(joint, resource), out;
	struct flow flow;

	build_flow(joint, resource, slots, &flow, &supply);
	if (supply == INT64_MAX)
		return;
	sent = flow_maximum(&flow);
	if (sent >= supply)
		return;
	/* Every pod left out frees at most the largest request. */
	out = (supply - sent - 1) / unit + 1;
	if (joint->alone - out >= fleet->upper)
		return;
	fleet->upper = joint->alone - out;
	fleet->limited_by = resource;
	fleet->group = fullest(joint, &flow);
}

/* Each bound holds by itself, so the least of them does. Slots go last: they name the resource
 * that makes a node full, which is the scarcest of the flows. */
static void find_upper(const struct joint *joint, struct fleet *fleet)
{
	size_t groups = joint->bench->scope->groups.n;
	int64_t *slots = arena_calloc(joint->arena, groups, sizeof(slots[0]));
	struct strs resources = { 0 };

	fleet->upper = joint->alone;
	list_resources(joint, &resources);
	for (size_t r = 0; r < resources.n; r++)
		bound_by(joint, resources.v[r], NULL, fleet);
	for (size_t g = 0; g < groups; g++)
		slots[g] = group_slots(joint, g, &resources);
	bound_by(joint, fleet->limited_by.n ? fleet->limited_by : STR("pods"), slots, fleet);
}

/* ---- small fleets ------------------------------------------------------------------------ */

/* Trying assumes that all nodes are there. Fewer nodes hold less, but for spread: a domain
 * without nodes is none, and stops nobody. */
static bool sizes_matter(const struct joint *joint, const struct crowd *crowd)
{
	if (!crowd->spreads.n)
		return false;
	for (size_t i = 0; i < joint->bench->scope->groups.n; i++) {
		const struct group *group = joint->bench->groups[i].group;

		if (group->min.origin == ORIGIN_UNKNOWN ||
		    group->min.value != joint->bench->groups[i].nodes_most)
			return true;
	}
	return false;
}

/* Tries all ways, where the fleet is a crowd. */
static void decide_by_trying(const struct joint *joint, struct fleet *fleet)
{
	size_t count = joint->question->count;
	struct crowd_item *items = arena_calloc(joint->arena, count, sizeof(items[0]));
	struct crowd_result result;
	struct crowd *crowd;

	for (size_t i = 0; i < count; i++)
		items[i] = (struct crowd_item){ joint->question->items[i].workload,
			                        joint->question->items[i].replicas };
	crowd = crowd_new(joint->arena, joint->bench, items, count);
	if (!crowd)
		return;
	crowd_search(crowd, &result);
	fleet->partial = false;
	if (result.most > fleet->lower) {
		fleet->lower = result.most;
		for (size_t i = 0; i < count; i++)
			fleet->placed[i] = result.placed[i];
	}
	if (!joint->question->at_maximum && sizes_matter(joint, crowd))
		return;
	if (result.exact && result.most < fleet->upper)
		fleet->upper = result.most;
	if (result.fits == ANSWER_NO && fleet->upper >= joint->demand)
		fleet->upper = joint->demand - 1;
}

/* Greedy first: where it places everything, nothing has to be proved. */
void sched_fleet(struct arena *arena, const struct judgement *judgement,
                 const struct fleet_question *question, struct fleet *ret_fleet)
{
	struct joint joint = { .judgement = judgement, .bench = judgement->bench,
		               .question = question,
		               .arena = arena_new() };

	*ret_fleet = (struct fleet){ .fits = ANSWER_UNKNOWN };
	ret_fleet->placed = arena_calloc(arena, question->count, sizeof(int64_t));
	collect(&joint);
	ret_fleet->demand = joint.demand;
	ret_fleet->open = joint.open;
	find_upper(&joint, ret_fleet);
	ret_fleet->lower = greedy_fill(arena, joint.bench, question, ret_fleet);
	if (!question->formulas_only && ret_fleet->lower < ret_fleet->demand)
		decide_by_trying(&joint, ret_fleet);
	if (ret_fleet->lower >= ret_fleet->demand)
		ret_fleet->fits = ANSWER_YES;
	else if (ret_fleet->upper < ret_fleet->demand)
		ret_fleet->fits = ANSWER_NO;
	ret_fleet->open = ret_fleet->open ||
	                  (ret_fleet->partial && ret_fleet->fits == ANSWER_UNKNOWN);
	arena_free(joint.arena);
}

/* Workloads that fail alone have their own finding, and would hide what the others lack. */
void sched_fleet_of_scope(struct arena *arena, const struct judgement *judgement, bool peak,
                          struct fleet_question *ret_question, struct fleet *ret_fleet)
{
	struct VEC(struct fleet_item) items = { 0 };

	for (size_t i = 0; i < judgement->count; i++) {
		const struct capacity *capacity = &judgement->capacities[i];
		const struct workload *workload = capacity->workload;
		const struct count *count = peak ? &workload->peak : &workload->baseline;

		if (workload->daemon_set || workload->job || !capacity->known ||
		    judgement->placements[i].undecidable || !count->known || count->value <= 0 ||
		    capacity->total < count->value)
			continue;
		*VEC_PUSH(arena, &items) = (struct fleet_item){ workload, count->value };
	}
	*ret_question = (struct fleet_question){ .items = items.v, .count = items.n };
	sched_fleet(arena, judgement, ret_question, ret_fleet);
}

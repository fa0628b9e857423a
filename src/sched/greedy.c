/* A feasible placement for fleets of any size: large pods first, each kind of pod filled into
 * lots of equal nodes by division, never pod by pod.
 *
 * Only what is certain is used: safe allocatable, groups that say yes, known bounds. Spread and
 * anti-affinity of a workload to itself are kept by filling evenly; a workload that demands
 * more of others is left out, and the fleet says so (partial).
 */
#include <stdlib.h>

#include "sched-internal.h"

/* Pods of one item on each node of a lot, and the others there; lists share their tails. */
struct guest {
	size_t item;
	int64_t pods;
	const struct guest *next;
};

/* Equal nodes of one group and what they have left, by resource. */
struct lot {
	size_t group, next;          /* next lot of the group; SIZE_MAX ends */
	str zone;                    /* where the group's nodes are spread over several */
	int64_t nodes;
	int64_t *free;
	const struct guest *guests;  /* NULL: no pod is there but those of DaemonSets */
	bool port;                   /* a pod with host ports is there */
};
struct lots VEC(struct lot);

struct yard {
	const struct bench *bench;
	struct arena *arena;
	struct strs resources;       /* "pods" first */
	size_t *first;               /* per group */
	struct lots lots;
};

/* One item in the order of placement. */
struct turn {
	size_t item;
	int64_t priority;
	int64_t size;                /* share of the largest node, in millionths */
};

/* How a workload wants its pods apart. */
struct plan {
	const struct pod_profile *profile;
	const struct pod_class *class;
	size_t item;
	const int64_t *request;      /* per resource of the yard */
	int64_t wanted;
	int64_t node_limit;          /* pods on one node */
	int64_t node_skew;           /* of a spread over host names; 0: none */
	str key;                     /* another topology key; empty: none */
	int64_t domain_limit;        /* pods in one of its domains, or 0: by skew */
	int64_t domain_skew;
	bool floor_is_zero;          /* a domain that stays empty holds all others down */
	bool impossible;             /* demands that this placement does not follow */
};

#define ZONE_LABEL "topology.kubernetes.io/zone"

/* Counts may be INT64_MAX, unbounded. */
static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* ---- the yard ---------------------------------------------------------------------------- */

/* Only what the items ask for is tracked. */
static void list_resources(struct yard *yard, const struct fleet_question *question)
{
	struct map *known = map_new(yard->arena);

	*VEC_PUSH(yard->arena, &yard->resources) = STR("pods");
	for (size_t i = 0; i < question->count; i++) {
		const struct resource_amounts *requests =
			&question->items[i].workload->requests.v;

		for (size_t k = 0; k < requests->n; k++) {
			if (map_has(known, requests->v[k].resource))
				continue;
			map_put(known, requests->v[k].resource, NULL);
			*VEC_PUSH(yard->arena, &yard->resources) = requests->v[k].resource;
		}
	}
}

/* The safe side of everything: what certainly fits. */
static int64_t *free_amounts(const struct yard *yard, const struct site *site)
{
	int64_t *free = arena_calloc(yard->arena, yard->resources.n, sizeof(int64_t));

	for (size_t r = 0; r < yard->resources.n; r++) {
		struct capacity_fact fact = shape_allocatable(site->group, site->shape,
		                                              yard->resources.v[r]);
		int64_t used = resources_get(&site->used_most, yard->resources.v[r]).amount;

		free[r] = fact.known ? int64_sub_saturated(fact.safe, used) : 0;
	}
	return free;
}

/* One lot a zone, each with its even share of the nodes. */
static void add_lots(struct yard *yard, size_t g)
{
	const struct group_sites *sites = &yard->bench->groups[g];
	const struct site *site = &yard->bench->sites[sites->first];
	const struct group_label *zone = site_label(site, STR(ZONE_LABEL));
	size_t zones = zone->kind == LABEL_VALUES && zone->values.n ? zone->values.n : 1;
	/* Several shapes, or a cap on their sum: what will be started is not certain. */
	int64_t nodes = sites->count == 1 && !sites->group->limits.n ? sites->nodes_least : 0;

	yard->first[g] = yard->lots.n;
	for (size_t z = 0; z < zones; z++) {
		struct lot *lot = VEC_PUSH(yard->arena, &yard->lots);

		*lot = (struct lot){ .group = g, .next = z + 1 < zones ? yard->lots.n : SIZE_MAX,
			             .free = free_amounts(yard, site) };
		lot->zone = zone->kind == LABEL_VALUES && zone->values.n ? zone->values.v[z]
		                                                         : (str){ 0 };
		lot->nodes = nodes / (int64_t)zones + ((int64_t)z < nodes % (int64_t)zones);
	}
}

/* Each pod takes one slot. */
static int64_t request_of(const struct workload *workload, str resource)
{
	return str_is(resource, "pods") ? 1
	                                : resources_get(&workload->requests.v, resource).amount;
}

/* Pods of the plan on each node of the lot. */
static int64_t own_pods(const struct lot *lot, const struct plan *plan)
{
	int64_t pods = 0;

	for (const struct guest *guest = lot->guests; guest; guest = guest->next)
		if (guest->item == plan->item)
			pods += guest->pods;
	return pods;
}

/* More pods of the plan that one node of the lot takes. */
static int64_t node_room(const struct yard *yard, const struct lot *lot, const struct plan *plan)
{
	int64_t least = INT64_MAX;

	if (plan->profile->ports.n && lot->port)
		return 0;
	for (size_t r = 0; r < yard->resources.n && least > 0; r++)
		if (plan->request[r] > 0)
			least = smaller(least, lot->free[r] > 0 ? lot->free[r] / plan->request[r]
			                                        : 0);
	if (least > 0 && plan->node_limit < INT64_MAX)
		least = smaller(least, plan->node_limit - own_pods(lot, plan));
	return least > 0 ? least : 0;
}

/* A group that only may take the pod, or only with luck, is no proof. */
static bool may_use(const struct plan *plan, size_t group)
{
	return plan->class->offers[group].answer == ANSWER_YES && !plan->class->offers[group].tight;
}

/* The zone is the lot's own; any other label has to be the same on all nodes of the group. */
static bool lot_domain(const struct yard *yard, const struct lot *lot, str key, str *ret_value)
{
	const struct group_sites *sites = &yard->bench->groups[lot->group];
	const struct group_label *label = site_label(&yard->bench->sites[sites->first], key);

	*ret_value = lot->zone;
	if (str_is(key, ZONE_LABEL))
		return lot->zone.n > 0;
	if (label->kind != LABEL_VALUES || label->values.n != 1)
		return false;
	*ret_value = label->values.v[0];
	return true;
}

/* ---- plans ------------------------------------------------------------------------------- */

/* Nodes are domains of one node each. */
static bool is_host(const struct text *key)
{
	return str_is(key->s, HOSTNAME_LABEL);
}

/* Takes another key into the plan; a second one is too much. */
static void want_key(struct plan *plan, str key)
{
	if (plan->key.n && !str_eq(plan->key, key))
		plan->impossible = true;
	plan->key = key;
}

/* Two constraints on one key: the stricter skew does for both. */
static void plan_spread(const struct yard *yard, const struct spread_constraint *constraint,
                        struct plan *plan)
{
	const struct workload *workload = plan->profile->workload;
	int64_t skew = constraint->max_skew.value;

	if (!spread_is_hard(constraint) ||
	    spread_counts(constraint, workload, workload) == ANSWER_NO)
		return;
	if (bench_others_selected(yard->bench, workload, constraint, NULL) || skew <= 0)
		plan->impossible = true;
	for (size_t g = 0; g < yard->bench->scope->groups.n; g++) {
		const struct verdict *verdict = &plan->class->verdicts[g];

		/* A group that the pods cannot use may be a domain all the same. */
		if (!may_use(plan, g) && verdict->by_filter[FILTER_NODE_AFFINITY] != ANSWER_NO &&
		    !str_is(constraint->node_taints_policy.s, "Honor"))
			plan->floor_is_zero = true;
	}
	plan->floor_is_zero = plan->floor_is_zero || constraint->min_domains.value > 1 ||
	                      str_is(constraint->node_affinity_policy.s, "Ignore");
	if (is_host(&constraint->topology_key)) {
		plan->node_skew = plan->node_skew ? smaller(plan->node_skew, skew) : skew;
	} else {
		want_key(plan, constraint->topology_key.s);
		plan->domain_skew = plan->domain_skew ? smaller(plan->domain_skew, skew) : skew;
	}
}

/* A term that selects others keeps them out too, which a filling by lots cannot see. */
static void plan_anti(const struct yard *yard, const struct pod_affinity_term *term,
                      struct plan *plan)
{
	const struct workload *workload = plan->profile->workload;

	if (bench_others_selected(yard->bench, workload, NULL, term))
		plan->impossible = true;
	if (affinity_term_selects(term, workload, workload) == ANSWER_NO)
		return;
	if (is_host(&term->topology_key)) {
		plan->node_limit = 1;
	} else {
		want_key(plan, term->topology_key.s);
		plan->domain_limit = 1;
	}
}

/* Works out once what would be asked for every lot. */
static struct plan make_plan(const struct yard *yard, const struct fleet_question *question,
                             size_t index)
{
	const struct fleet_item *item = &question->items[index];
	const struct pod_template *pod = item->workload->pod;
	int64_t *request = arena_calloc(yard->arena, yard->resources.n, sizeof(int64_t));
	struct plan plan = { .profile = yard->bench->profiles[item->workload->index],
		             .class = yard->bench->classes[item->workload->index],
		             .wanted = item->replicas, .node_limit = INT64_MAX,
		             .item = index, .request = request };

	for (size_t r = 0; r < yard->resources.n; r++)
		request[r] = request_of(item->workload, yard->resources.v[r]);
	plan.impossible = pod->required_affinity.n > 0 || item->workload->runtime_class_open;
	if (plan.profile->ports.n)
		plan.node_limit = 1;
	for (size_t i = 0; i < pod->spread.n; i++)
		plan_spread(yard, &pod->spread.v[i], &plan);
	for (size_t i = 0; i < pod->required_anti_affinity.n; i++)
		plan_anti(yard, &pod->required_anti_affinity.v[i], &plan);
	return plan;
}

/* ---- filling ----------------------------------------------------------------------------- */

/* Takes `nodes` nodes out of a lot into one that holds `pods` more pods each. */
static void fill_nodes(struct yard *yard, size_t at, const struct plan *plan, int64_t nodes,
                       int64_t pods)
{
	struct lot filled = yard->lots.v[at];
	struct guest *guest;

	if (nodes <= 0 || pods <= 0)
		return;
	filled.nodes = nodes;
	guest = ARENA_NEW(yard->arena, struct guest);
	*guest = (struct guest){ plan->item, pods, filled.guests };
	filled.guests = guest;
	filled.port = filled.port || plan->profile->ports.n > 0;
	filled.free = arena_calloc(yard->arena, yard->resources.n, sizeof(int64_t));
	for (size_t r = 0; r < yard->resources.n; r++)
		filled.free[r] = yard->lots.v[at].free[r] - pods * plan->request[r];
	yard->lots.v[at].nodes -= nodes;
	yard->lots.v[at].next = yard->lots.n;
	*VEC_PUSH(yard->arena, &yard->lots) = filled;
}

/* Full nodes by division, and one more for the rest. */
static int64_t fill_lot(struct yard *yard, size_t at, const struct plan *plan, int64_t each,
                        int64_t wanted)
{
	int64_t nodes, rest;

	each = smaller(smaller(each, node_room(yard, &yard->lots.v[at], plan)), wanted);
	if (each <= 0 || yard->lots.v[at].nodes <= 0)
		return 0;
	nodes = smaller(wanted / each, yard->lots.v[at].nodes);
	fill_nodes(yard, at, plan, nodes, each);
	rest = yard->lots.v[at].nodes > 0 ? smaller(wanted - nodes * each, each) : 0;
	fill_nodes(yard, at, plan, 1, rest);
	return nodes * each + rest;
}

/* The lot behind `at` in its group; lots without nodes leave the list on the way. */
static size_t next_lot(const struct yard *yard, size_t at)
{
	size_t next = yard->lots.v[at].next;

	while (next != SIZE_MAX && yard->lots.v[next].nodes <= 0)
		next = yard->lots.v[next].next;
	yard->lots.v[at].next = next;
	return next;
}

/* Up to `wanted` pods, `each` more a node, on the lots of one domain (value NULL: on all). */
static int64_t fill(struct yard *yard, const struct plan *plan, const str *value, int64_t each,
                    int64_t wanted)
{
	int64_t placed = 0;

	for (size_t g = 0; g < yard->bench->scope->groups.n && placed < wanted; g++) {
		size_t next;

		if (!may_use(plan, g))
			continue;
		for (size_t at = yard->first[g]; at != SIZE_MAX && placed < wanted; at = next) {
			str its;

			next = next_lot(yard, at);
			if (!value || (lot_domain(yard, &yard->lots.v[at], plan->key, &its) &&
			               str_eq(its, *value)))
				placed += fill_lot(yard, at, plan, each, wanted - placed);
		}
	}
	return placed;
}

/* The first lot of the next group, from `group` on, that the plan may use. */
static size_t group_lot(const struct yard *yard, const struct plan *plan, size_t group)
{
	while (group < yard->bench->scope->groups.n && !may_use(plan, group))
		group++;
	return group < yard->bench->scope->groups.n ? yard->first[group] : SIZE_MAX;
}

/* All lots that the plan may use, one after the other; SIZE_MAX ends. */
static size_t first_lot(const struct yard *yard, const struct plan *plan)
{
	return group_lot(yard, plan, 0);
}

/* Lots of one group stand in a list, groups in an array. */
static size_t further_lot(const struct yard *yard, const struct plan *plan, size_t at)
{
	size_t next = yard->lots.v[at].next;

	return next != SIZE_MAX ? next : group_lot(yard, plan, yard->lots.v[at].group + 1);
}

/* The least room on a node that the plan may use, and how many such nodes there are. */
static int64_t least_room(const struct yard *yard, const struct plan *plan, int64_t *ret_nodes)
{
	int64_t least = INT64_MAX;

	*ret_nodes = 0;
	for (size_t at = first_lot(yard, plan); at != SIZE_MAX; at = further_lot(yard, plan, at)) {
		if (yard->lots.v[at].nodes <= 0)
			continue;
		least = smaller(least, node_room(yard, &yard->lots.v[at], plan));
		*ret_nodes = int64_add_saturated(*ret_nodes, yard->lots.v[at].nodes);
	}
	return least;
}

/* Evenly over the nodes: a base on each of them, then up to the skew on some. */
static int64_t fill_hosts(struct yard *yard, const struct plan *plan)
{
	int64_t nodes, base = least_room(yard, plan, &nodes), placed = 0;

	if (nodes <= 0)
		return 0;
	base = plan->floor_is_zero ? 0 : smaller(base, plan->wanted / nodes);
	if (base > 0)
		placed = fill(yard, plan, NULL, base, int64_mul_saturated(base, nodes));
	return placed + fill(yard, plan, NULL, plan->node_skew, plan->wanted - placed);
}

/* In order of first use, so that a filling is the same in every run. */
static void list_domains(const struct yard *yard, const struct plan *plan, struct strs *values)
{
	struct map *known = map_new(yard->arena);

	for (size_t at = first_lot(yard, plan); at != SIZE_MAX; at = further_lot(yard, plan, at)) {
		str value;

		if (yard->lots.v[at].nodes <= 0 ||
		    !lot_domain(yard, &yard->lots.v[at], plan->key, &value) ||
		    map_has(known, value))
			continue;
		map_put(known, value, NULL);
		*VEC_PUSH(yard->arena, values) = value;
	}
}

/* What the domain could take if the workload were the only one left. */
static int64_t domain_room(const struct yard *yard, const struct plan *plan, str value)
{
	int64_t room = 0;

	for (size_t at = first_lot(yard, plan); at != SIZE_MAX; at = further_lot(yard, plan, at)) {
		const struct lot *lot = &yard->lots.v[at];
		str its;

		if (lot_domain(yard, lot, plan->key, &its) && str_eq(its, value))
			room = int64_add_saturated(
				room, int64_mul_saturated(lot->nodes, node_room(yard, lot, plan)));
	}
	return room;
}

/* Evenly over the domains of the key: first every one to the level that all reach. */
static int64_t fill_domains(struct yard *yard, struct plan *plan)
{
	struct strs values = { 0 };
	int64_t base = INT64_MAX, placed = 0, extra;

	/* With a skew over host names as well, no node gets more than that. */
	if (plan->node_skew)
		plan->node_limit = smaller(plan->node_limit, plan->node_skew);
	list_domains(yard, plan, &values);
	if (!values.n)
		return 0;
	for (size_t i = 0; i < values.n; i++)
		base = smaller(base, domain_room(yard, plan, values.v[i]));
	base = smaller(base, plan->wanted / (int64_t)values.n);
	if (plan->floor_is_zero || plan->domain_limit)
		base = 0;
	extra = plan->domain_skew ? plan->domain_skew : INT64_MAX;
	if (plan->domain_limit)
		extra = smaller(extra, plan->domain_limit);
	for (size_t i = 0; base > 0 && i < values.n; i++)
		placed += fill(yard, plan, &values.v[i], INT64_MAX, base);
	for (size_t i = 0; i < values.n; i++)
		placed += fill(yard, plan, &values.v[i], INT64_MAX,
		               smaller(extra, plan->wanted - placed));
	return placed;
}

/* Spread over zones goes before that over hosts: see fill_domains(). */
static int64_t place(struct yard *yard, struct plan *plan)
{
	if (plan->impossible)
		return 0;
	if (plan->key.n)
		return fill_domains(yard, plan);
	if (plan->node_skew)
		return fill_hosts(yard, plan);
	return fill(yard, plan, NULL, INT64_MAX, plan->wanted);
}

/* ---- order ------------------------------------------------------------------------------- */

/* The share of the scarcest resource of the largest node: a pod that needs half of one comes
 * before a hundred that need little. */
static int64_t size_of(const struct yard *yard, const struct workload *workload,
                       const int64_t *largest)
{
	int64_t size = 0;

	for (size_t r = 0; r < yard->resources.n; r++) {
		int64_t request = smaller(request_of(workload, yard->resources.v[r]), largest[r]);

		request = int64_mul_saturated(request, 1000000) / largest[r];
		size = request > size ? request : size;
	}
	return size;
}

/* Priority as the scheduler queues them, then the large ones, then the order of the files. */
static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

/* The two system classes are above all that a cluster can declare. */
static int64_t priority_of(const struct workload *workload)
{
	if (workload->critical)
		return INT64_MAX;
	return workload->priority_class && workload->priority_class->priority_class
	               ? workload->priority_class->priority_class->value.value : 0;
}

/* The largest free amount stands for the largest node. */
static struct turn *order_items(const struct yard *yard, const struct fleet_question *question)
{
	struct turn *turns = arena_calloc(yard->arena, question->count, sizeof(turns[0]));
	int64_t *largest = arena_calloc(yard->arena, yard->resources.n, sizeof(int64_t));

	for (size_t r = 0; r < yard->resources.n; r++) {
		largest[r] = 1;
		for (size_t i = 0; i < yard->lots.n; i++)
			if (yard->lots.v[i].free[r] > largest[r])
				largest[r] = yard->lots.v[i].free[r];
	}
	for (size_t i = 0; i < question->count; i++) {
		const struct workload *workload = question->items[i].workload;

		turns[i] = (struct turn){ i, priority_of(workload),
			                  size_of(yard, workload, largest) };
	}
	if (question->count > 1)
		qsort(turns, question->count, sizeof(turns[0]), compare_turns);
	return turns;
}

/* ---- what came out ----------------------------------------------------------------------- */

/* Percent of a resource of the group that is taken; 0 where the group has no bound. */
static int64_t percent_taken(const struct yard *yard, size_t group, const int64_t *empty, size_t r)
{
	int64_t nodes = yard->bench->groups[group].nodes_least, all, left = 0;

	if (nodes <= 0 || empty[r] <= 0 || nodes == INT64_MAX)
		return 0;
	all = int64_mul_saturated(nodes, empty[r]);
	for (size_t i = 0; i < yard->lots.n; i++)
		if (yard->lots.v[i].group == group)
			left = int64_add_saturated(
				left, int64_mul_saturated(yard->lots.v[i].nodes,
			                                  yard->lots.v[i].free[r]));
	/* In hundredths of the whole, so that the product cannot overflow. */
	return all >= 100 ? (all - left) / (all / 100) : (all - left) * 100 / all;
}

/* Extended resources are left out: to be full is what accelerators are there for. */
static void report_group(const struct yard *yard, size_t group, struct fleet_group *ret_group)
{
	const struct group_sites *sites = &yard->bench->groups[group];
	const int64_t *empty = free_amounts(yard, &yard->bench->sites[sites->first]);

	*ret_group = (struct fleet_group){ .group = sites->group };
	for (size_t i = 0; i < yard->lots.n; i++)
		if (yard->lots.v[i].group == group && yard->lots.v[i].guests)
			ret_group->nodes = int64_add_saturated(ret_group->nodes,
			                                       yard->lots.v[i].nodes);
	for (size_t r = 0; r < yard->resources.n; r++) {
		int64_t percent = percent_taken(yard, group, empty, r);

		if (str_find(yard->resources.v[r], '/') < yard->resources.v[r].n ||
		    percent <= ret_group->percent)
			continue;
		ret_group->percent = percent;
		ret_group->resource = yard->resources.v[r];
	}
}

/* Is there a group that might take what is left, but was not filled: of several shapes, or with
 * a cap on their sum? */
static bool passed_over(const struct yard *yard, const struct plan *plan)
{
	for (size_t g = 0; g < yard->bench->scope->groups.n; g++) {
		const struct group_sites *sites = &yard->bench->groups[g];

		if (plan->class->offers[g].answer != ANSWER_NO &&
		    (sites->count != 1 || sites->group->limits.n))
			return true;
	}
	return false;
}

/* Does the filling leave no node for one more pod? Spread is not asked: it could only make it
 * worse, and a surge pod takes the place of another before long. */
static bool is_crowded(const struct yard *yard, const struct plan *plan)
{
	if (plan->impossible || passed_over(yard, plan))
		return false;
	for (size_t at = first_lot(yard, plan); at != SIZE_MAX; at = further_lot(yard, plan, at))
		if (yard->lots.v[at].nodes > 0 && node_room(yard, &yard->lots.v[at], plan) > 0)
			return false;
	return true;
}

/* One pass and no step back: the scheduler does not take one either. */
int64_t greedy_fill(struct arena *arena, const struct bench *bench,
                    const struct fleet_question *question, struct fleet *fleet)
{
	struct yard yard = { .bench = bench, .arena = arena_new() };
	size_t groups = bench->scope->groups.n;
	int64_t total = 0;
	struct turn *turns;

	list_resources(&yard, question);
	yard.first = arena_calloc(yard.arena, groups, sizeof(size_t));
	for (size_t g = 0; g < groups; g++)
		add_lots(&yard, g);
	turns = order_items(&yard, question);
	for (size_t i = 0; i < question->count; i++) {
		struct plan plan = make_plan(&yard, question, turns[i].item);

		fleet->placed[turns[i].item] = plan.wanted > 0 ? place(&yard, &plan) : 0;
		if (fleet->placed[turns[i].item] < plan.wanted)
			fleet->partial = fleet->partial || plan.impossible ||
			                 passed_over(&yard, &plan);
		total = int64_add_saturated(total, fleet->placed[turns[i].item]);
	}
	fleet->crowded = arena_calloc(arena, question->count, sizeof(fleet->crowded[0]));
	for (size_t i = 0; i < question->count; i++) {
		const struct plan plan = make_plan(&yard, question, i);

		fleet->crowded[i] = is_crowded(&yard, &plan);
	}
	fleet->groups = arena_calloc(arena, groups, sizeof(fleet->groups[0]));
	for (size_t g = 0; g < groups; g++)
		report_group(&yard, g, &fleet->groups[g]);
	arena_free(yard.arena);
	return total;
}

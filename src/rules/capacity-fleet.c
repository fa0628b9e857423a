/* KL303, KL307, KL309, KL310: all workloads together, and what groups are good for (rules.md,
 * KL3). */
#include "rules-internal.h"

/* ---- KL303 ------------------------------------------------------------------------------ */

struct fleet_items VEC(struct fleet_item);

/* Rules after which no pod of the workload runs, whatever the room: it counts 0 in sums. They
 * have lower codes, so they have run already. */
static const char *const unplaceable_rules[] = {
	"KL101", "KL102", "KL103", "KL104", "KL105", "KL114", "KL116", "KL119", "KL121", "KL126",
};

static str owner_key(const void *const *owner)
{
	return (str){ (const char *)owner, sizeof *owner };
}

/* The objects that an error of those rules was said of in this scope. */
static struct map *find_unplaceable(const struct judge *judge, struct arena *arena)
{
	struct map *owners = map_new(arena);

	for (size_t i = 0; i < judge->sink->findings.n; i++) {
		struct finding *finding = judge->sink->findings.v[i];
		for (size_t k = 0; k < COUNT_OF(unplaceable_rules); k++)
			if (finding->scope == judge->scope && finding->level == LEVEL_ERROR &&
			    str_is(str_of(finding->rule->code), unplaceable_rules[k]))
				map_put(owners, owner_key(&finding->owner), finding);
	}
	return owners;
}

/* Runs on some group, by the scheduler's word, and fits there when it is alone: what does not is
 * said of the workload itself. Jobs wait, DaemonSets come first. */
static bool takes_part(const struct judge *judge, const struct map *unplaceable,
                       const struct workload *workload)
{
	const void *object = workload->object;
	const struct placement *placement = placement_of(judge, workload);
	const struct capacity *capacity = capacity_of(judge, workload);
	bool possible = false;

	if (workload->job || workload->daemon_set || placement->undecidable ||
	    !workload->baseline.known || !capacity->known ||
	    capacity->upper < workload->baseline.value ||
	    map_has(unplaceable, owner_key(&object)))
		return false;
	for (size_t i = 0; i < placement->count && !possible; i++)
		possible = placement->verdicts[i].answer != ANSWER_NO;
	return possible;
}

/* That share of the way from the baseline to the peak, rounded up; no more than fits alone, since
 * the workload's own finding tells the rest. */
static int64_t replicas_at(const struct workload *workload, const struct capacity *capacity,
                           int32_t percent)
{
	int64_t baseline = workload->baseline.value, replicas = baseline;

	if (percent > 0 && workload->peak.known) {
		int64_t way = int64_mul_saturated(workload->peak.value - baseline, percent);

		replicas += way / 100 + (way % 100 > 0);
		replicas = replicas < capacity->upper ? replicas : capacity->upper;
	}
	return replicas;
}

/* percent: how far from the baseline to the peak. *ret_certain: each surely fits when it is alone, whatever type of node the autoscaler starts. */
static void collect(const struct judge *judge, struct arena *arena, int32_t percent,
                    struct fleet_items *ret_items, bool *ret_certain)
{
	const struct workloads *workloads = &judge->scope->workloads;
	const struct map *unplaceable = find_unplaceable(judge, arena);

	*ret_certain = true;
	for (size_t i = 0; i < workloads->n; i++) {
		const struct workload *workload = workloads->v[i];
		const struct capacity *capacity = capacity_of(judge, workload);
		if (!takes_part(judge, unplaceable, workload))
			continue;
		int64_t replicas = replicas_at(workload, capacity, percent);
		*ret_certain = *ret_certain && capacity->placeable >= replicas;
		if (replicas > 0)
			*VEC_PUSH(arena, ret_items) = (struct fleet_item){ workload, replicas };
	}
}

/* The workloads that lose in the placement behind the lower bound; all of them where it proves
 * nothing. Their capacity findings are consequences. */
static void name_workloads(const struct judge *judge, struct finding *finding,
                           const struct fleet_items *items, const struct fleet *fleet)
{
	struct arena *arena = JUDGE_ARENA(judge);
	struct strs names = { 0 };
	struct { const void **v; size_t n, cap; } owners = { 0 };

	for (size_t i = 0; i < items->n; i++) {
		const struct workload *workload = items->v[i].workload;
		const struct node *name = workload->object->name.node;
		*VEC_PUSH(arena, &owners) = workload->object;
		if (fleet->placed[i] >= items->v[i].replicas)
			continue;
		*VEC_PUSH(arena, &names) =
			str_format(arena, "%.*s (%lld of %lld)", STR_ARG(workload->text),
			           (long long)fleet->placed[i], (long long)items->v[i].replicas);
		if (name)
			finding_relate(judge->sink, finding, node_place(name),
			               "%.*s: %lld of %lld placed", STR_ARG(workload->text),
			               (long long)fleet->placed[i],
			               (long long)items->v[i].replicas);
	}
	finding->named = owners.v;
	finding->named_count = owners.n;
	if (names.n > 0)
		finding_help(judge->sink, finding,
		             "raise the group's maximum, or ask for less; left over: %.*s",
		             STR_ARG(list_text(arena, &names, 4)));
	else
		finding_help(judge->sink, finding, "raise the group's maximum, or ask for less");
}

/* What the demand is, behind "pods". */
static str demand_text(struct arena *arena, int32_t percent)
{
	if (percent == 0)
		return STR("");
	return percent == 100 ? STR(" at their peak")
	                      : str_format(arena, " at %d %% of the way to their peak", percent);
}

static void say_fleet(const struct judge *judge, enum level level, int32_t percent,
                      const struct fleet_items *items, const struct fleet *fleet)
{
	const struct group *group = fleet->group ? fleet->group : judge->scope->groups.v[0];
	const struct node *max = group->max.node;
	struct finding *finding = emit_group(judge, level, group, max, max ? NULL : "maxSize");

	finding->salient = STR("fleet");
	if (fleet->fits != ANSWER_NO)
		finding_message(judge->sink, finding,
		                "the workloads ask for %lld pods; the scheduler may place only %lld of "
		                "them, though a perfect packing might do",
		                (long long)fleet->demand, (long long)fleet->lower);
	else
		finding_message(judge->sink, finding,
		                "the workloads ask for %lld pods%.*s; the node groups at their maximum "
		                "hold at most %lld%s%.*s", (long long)fleet->demand,
		                STR_ARG(demand_text(JUDGE_ARENA(judge), percent)),
		                (long long)fleet->upper,
		                fleet->limited_by.n > 0 ? ", bound by " : "",
		                STR_ARG(fleet->limited_by));
	name_workloads(judge, finding, items, fleet);
}

/* true: said something, or cannot say. level: of a demand that certainly does not fit. */
static bool judge_fleet(const struct judge *judge, struct arena *arena, int32_t percent,
                        enum level level)
{
	struct fleet_items items = { 0 };
	struct fleet fleet;
	bool certain;

	collect(judge, arena, percent, &items, &certain);
	if (items.n < 2)
		return true;
	sched_fleet(arena, judge->judgement,
	            &(struct fleet_question){ .items = items.v, .count = items.n }, &fleet);
	if (fleet.open || fleet.fits == ANSWER_YES)
		return fleet.open;
	if (fleet.fits == ANSWER_NO)
		say_fleet(judge, level, percent, &items, &fleet);
	else if (percent == 0 && certain)
		say_fleet(judge, LEVEL_WARNING, percent, &items, &fleet);
	return true;
}

/* Sound by the fleet's bounds: an error needs the demand above what any packing places. What was
 * left out (Jobs, unplaceable workloads) could only add to the demand. */
void kl303_fleet_exceeds_capacity(const struct judge *judge)
{
	int32_t percent = judge->scope->settings->fleet_percent;
	struct arena *scratch;

	if (judge->scope->groups.n == 0 || judge->scope->terraform_unread)
		return;
	scratch = arena_new();
	if (!judge_fleet(judge, scratch, 0, LEVEL_ERROR) &&
	    (!percent || !judge_fleet(judge, scratch, percent, LEVEL_WARNING)))
		judge_fleet(judge, scratch, 100, LEVEL_NOTE);
	arena_free(scratch);
}

/* ---- KL310 ------------------------------------------------------------------------------ */

/* A group that certainly has nodes in the zone; never NULL for a zone that sched_zones() gave. */
static const struct group *group_in_zone(const struct scope *scope, str zone)
{
	struct label_uses uses;
	const struct group *group = scope->groups.v[0];
	struct arena *scratch = arena_new();

	label_uses_find(scratch, scope, STR("topology.kubernetes.io/zone"), &uses);
	for (size_t i = 0; i < uses.n; i++)
		if (str_eq(uses.v[i].value, zone)) {
			group = uses.v[i].group;
			break;
		}
	arena_free(scratch);
	return group;
}

static void say_zone(const struct judge *judge, str zone, const struct fleet *after)
{
	const struct group *group = group_in_zone(judge->scope, zone);
	struct finding *finding = emit_group(judge, LEVEL_NOTE, group, NULL, NULL);

	finding->salient = zone;
	finding_message(judge->sink, finding,
	                "without zone %.*s the other node groups hold at most %lld of the %lld pods "
	                "that always run", STR_ARG(zone), (long long)after->upper,
	                (long long)after->demand);
	finding_help(judge->sink, finding,
	             "let the groups of other zones grow further, or let more of them take these "
	             "workloads");
}

static void check_losses(const struct judge *judge, struct arena *arena,
                         const struct fleet_question *question, const struct strs *zones)
{
	struct fleet before, after;

	sched_fleet(arena, judge->judgement, question, &before);
	for (size_t i = 0; i < zones->n && before.fits == ANSWER_YES; i++) {
		sched_fleet_after(arena, judge->judgement, question,
		                  &(struct fleet_loss){ .zone = zones->v[i] }, &after);
		if (after.fits == ANSWER_NO && !after.open)
			say_zone(judge, zones->v[i], &after);
	}
}

/* Only where everything fits before the loss, and only among several zones: that the loss of the
 * only one stops everything goes without saying. The bound after it is an upper one. */
void kl310_failure_domain_loss(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	struct fleet_items items = { 0 };
	struct strs zones = { 0 };
	bool certain;

	sched_zones(scratch, judge->scope, &zones);
	if (zones.n > 1 && !judge->scope->terraform_unread) {
		collect(judge, scratch, 0, &items, &certain);
		check_losses(judge, scratch, &(struct fleet_question){
			.items = items.v, .count = items.n }, &zones);
	}
	arena_free(scratch);
}

/* ---- KL307 ------------------------------------------------------------------------------ */

/* Sum of the maxima of all groups; INT64_MAX where one is unbounded or not declared. */
static int64_t all_maxima(const struct groups *groups)
{
	int64_t sum = 0;

	for (size_t i = 0; i < groups->n; i++) {
		if (groups->v[i]->max.origin == ORIGIN_UNKNOWN || groups->v[i]->per_zone)
			return INT64_MAX;
		sum = int64_add_saturated(sum, groups->v[i]->max.value);
	}
	return sum;
}

/* A note: the cap may be a budget that is meant. Silent when a maximum is not declared. */
void kl307_autoscaler_total_cap(const struct judge *judge)
{
	const struct pools *pools = &judge->scope->pools;
	int64_t maxima = all_maxima(&pools->groups);

	for (size_t i = 0; i < pools->autoscalers.n; i++) {
		const struct autoscaler *autoscaler = pools->autoscalers.v[i];
		const struct count_fact *cap = &autoscaler->max_nodes_total;

		if (!autoscaler->object || !node_known(cap->node) || cap->value <= 0 ||
		    maxima == INT64_MAX || maxima <= cap->value)
			continue;
		struct finding *finding =
			emit_at(judge, LEVEL_NOTE, autoscaler->object, cap->node, NULL);
		finding_message(judge->sink, finding,
		                "--max-nodes-total is %lld, but the groups may grow to %lld nodes: "
		                "some never reach their maximum", (long long)cap->value,
		                (long long)maxima);
		finding_help(judge->sink, finding, "raise it to %lld, or lower the groups' maxima",
		             (long long)maxima);
	}
}

/* ---- KL309 ------------------------------------------------------------------------------ */

static const char *const wasted[] = { "cpu", "memory" };

/* What the workloads of a group make of its nodes. */
struct waste {
	size_t guests;
	bool used[COUNT_OF(wasted)]; /* some workload fills half of it or more */
};

/* Does a node that is filled with the workload leave more than half of the resource? */
static bool leaves_half(const struct workload *workload, const struct group_share *share,
                        str resource)
{
	struct resource_amount request = resources_get(&workload->requests.v, resource);
	struct capacity_fact fact =
		shape_allocatable(share->group, &share->group->shapes.v[0], resource);
	int64_t used = int64_mul_saturated(request.amount, share->per_node);

	return fact.known && !request.unknown && share->group->shapes.n == 1 &&
	       used < fact.safe / 2;
}

/* Where a port or anti-affinity binds, size says nothing. */
static void add_share(const struct workload *workload, const struct group_share *share,
                      struct waste *waste)
{
	if (str_is(share->limited_by, "hostPort") || str_is(share->limited_by, "podAntiAffinity") ||
	    share->per_node <= 0)
		return;
	waste->guests++;
	for (size_t i = 0; i < COUNT_OF(wasted); i++)
		waste->used[i] = waste->used[i] ||
		                 !leaves_half(workload, share, str_of(wasted[i]));
}

/* Shares stand in the order of the groups. */
static struct waste *find_waste(const struct judge *judge, struct arena *arena)
{
	const struct groups *groups = &judge->scope->groups;
	struct waste *waste = arena_calloc(arena, groups->n, sizeof *waste);

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct capacity *capacity = capacity_of(judge, workload);
		size_t group = 0;
		for (size_t k = 0; k < capacity->share_count && !workload->daemon_set; k++) {
			while (group < groups->n && groups->v[group] != capacity->shares[k].group)
				group++;
			if (group < groups->n)
				add_share(workload, &capacity->shares[k], &waste[group]);
		}
	}
	return waste;
}

static void say_waste(const struct judge *judge, const struct group *group, size_t guests,
                      const char *resource)
{
	struct finding *finding = emit_group(judge, LEVEL_NOTE, group, NULL, NULL);

	finding->salient = str_of(resource);
	finding_message(judge->sink, finding,
	                "a node of group %.*s that is filled with any workload that may run there "
	                "(%zu) leaves more than half of its %s unused", STR_ARG(group->name),
	                guests, resource);
	finding_help(judge->sink, finding,
	             "choose an instance type with less %s for each unit of the other", resource);
}

/* For every workload that may run there, by its own count per node; one that uses half of the
 * resource ends the claim. */
void kl309_stranded_capacity(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	const struct waste *waste = find_waste(judge, scratch);

	for (size_t i = 0; i < judge->scope->groups.n; i++)
		for (size_t k = 0; k < COUNT_OF(wasted); k++)
			if (waste[i].guests > 0 && !waste[i].used[k])
				say_waste(judge, judge->scope->groups.v[i], waste[i].guests,
				          wasted[k]);
	arena_free(scratch);
}

/* The bench: groups split into kinds of nodes, each with the DaemonSets that run on it, and the
 * verdict on one kind of pod for each group.
 */
#include "sched-internal.h"

/* Does the DaemonSet controller make a pod for the site? Upstream: daemon
 * nodeShouldRunDaemonPod. */
static enum answer daemon_runs(const struct question *question)
{
	static const enum filter asked[] = { FILTER_NODE_NAME, FILTER_TAINT_TOLERATION,
		                             FILTER_NODE_AFFINITY };
	enum answer worst = ANSWER_YES;

	for (size_t i = 0; i < COUNT_OF(asked); i++) {
		enum answer answer = question_ask(question, asked[i]);

		worst = answer < worst ? answer : worst;
	}
	/* Of a group that spreads over several values only some nodes may match. */
	if (worst == ANSWER_YES && !affinity_admits_all(question))
		return ANSWER_UNKNOWN;
	return worst;
}

/* Overhead that the group declares besides the DaemonSets of the repo. */
static void add_declared_overhead(struct arena *arena, struct site *site)
{
	const struct capacity_facts *facts = &site->group->daemon_overhead;

	for (size_t i = 0; i < facts->n; i++) {
		struct resource_amount amount = { .resource = facts->v[i].resource,
			                          .unknown = !facts->v[i].known,
			                          .node = facts->v[i].node };

		amount.amount = facts->v[i].known ? facts->v[i].safe : 0;
		*VEC_PUSH(arena, &site->used) = amount;
		amount.amount = facts->v[i].known ? facts->v[i].optimistic : 0;
		*VEC_PUSH(arena, &site->used_most) = amount;
	}
}

/* One that does not fit stays Pending and takes nothing; one that only may run counts on the
 * safe side alone. */
static void add_daemon(const struct bench *bench, struct site *site,
                       const struct pod_profile *profile)
{
	struct question question = { .arena = bench->arena, .profile = profile, .site = site,
		                     .comparison = bench->comparison };
	enum answer answer = daemon_runs(&question);

	if (answer == ANSWER_NO || question_ask(&question, FILTER_NODE_RESOURCES_FIT) == ANSWER_NO)
		return;
	if (answer == ANSWER_YES) {
		site->pods[site->pod_count++] = profile;
		site_add_use(bench->arena, &site->used, profile);
	} else {
		site->maybe[site->maybe_count++] = profile;
	}
	site_add_use(bench->arena, &site->used_most, profile);
}

/* In the order of the files: DaemonSets that together do not fit are rare, and then any order is
 * a guess. */
void site_add_daemons(const struct bench *bench, struct site *site)
{
	const struct workloads *workloads = &bench->scope->workloads;
	size_t daemons = 0;

	add_declared_overhead(bench->arena, site);
	for (size_t i = 0; i < workloads->n; i++)
		daemons += workloads->v[i]->daemon_set;
	site->pods = arena_calloc(bench->arena, daemons, sizeof(site->pods[0]));
	site->maybe = arena_calloc(bench->arena, daemons, sizeof(site->maybe[0]));
	for (size_t i = 0; daemons && i < workloads->n; i++)
		if (workloads->v[i]->daemon_set)
			add_daemon(bench, site, bench->profiles[i]);
}

/* Nodes that the group may have: INT64_MAX without a bound. */
static void read_bounds(struct group_sites *sites)
{
	const struct group *group = sites->group;
	int64_t zones = group->per_zone && group->zones.n ? (int64_t)group->zones.n : 1;

	sites->bound_known = group->max.origin != ORIGIN_UNKNOWN &&
	                     !(group->max.node && group->max.node->unknown);
	if (sites->bound_known) {
		/* Where two declarations disagree, the smaller maximum stops the group. */
		int64_t nodes = group->smaller_max.origin ? group->smaller_max.value
		                                          : group->max.value;

		sites->nodes_most = int64_mul_saturated(nodes, zones);
		sites->nodes_least = sites->nodes_most;
	} else {
		sites->nodes_most = INT64_MAX;
		sites->nodes_least = group->min.origin != ORIGIN_UNKNOWN ? group->min.value : 0;
	}
	/* Bounds that count per zone of an unknown number of zones are a lower bound. */
	if (group->per_zone && !group->zones.n) {
		sites->bound_known = false;
		sites->nodes_most = INT64_MAX;
	}
}

/* One site a shape: DaemonSets may run on one instance type and not on another. */
static void add_sites(struct bench *bench)
{
	const struct groups *groups = &bench->scope->groups;
	size_t count = 0;

	for (size_t i = 0; i < groups->n; i++)
		count += groups->v[i]->shapes.n;
	bench->sites = arena_calloc(bench->arena, count, sizeof(bench->sites[0]));
	bench->groups = arena_calloc(bench->arena, groups->n, sizeof(bench->groups[0]));
	for (size_t i = 0; i < groups->n; i++) {
		const struct group *group = groups->v[i];

		bench->groups[i] = (struct group_sites){ .group = group, .count = group->shapes.n,
			                                 .first = bench->site_count };
		read_bounds(&bench->groups[i]);
		for (size_t k = 0; k < group->shapes.n; k++) {
			struct site *site = &bench->sites[bench->site_count++];

			site->group = group;
			site->shape = &group->shapes.v[k];
			site_add_daemons(bench, site);
		}
	}
}

/* Profiles first: the DaemonSets among them are placed on the sites. */
struct bench *bench_new(struct arena *arena, const struct scope *scope)
{
	struct bench *bench = ARENA_NEW(arena, struct bench);
	size_t count = scope->workloads.n;

	bench->arena = arena;
	bench->scope = scope;
	bench->scratch = ARENA_NEW(arena, struct reasons);
	bench->comparison = scope->settings &&
	                    kube_gate_is_on(&scope->settings->feature_gates,
	                                    "TaintTolerationComparisonOperators",
	                                    scope->settings->kubernetes);
	bench->profiles = arena_calloc(arena, count, sizeof(bench->profiles[0]));
	bench->classes = arena_calloc(arena, count, sizeof(bench->classes[0]));
	for (size_t i = 0; i < count; i++) {
		bench->profiles[i] = pod_profile_new(arena, scope->workloads.v[i]);
		pod_add_volumes(arena, scope, bench->profiles[i]);
	}
	bench_index_labels(bench);
	add_sites(bench);
	return bench;
}

/* Shapes rank by the answer, then by how near they come: labels before size. */
static int64_t rank(const struct verdict *verdict)
{
	int64_t rank = (int64_t)verdict->answer * 1000 +
	               (int64_t)verdict->by_filter[FILTER_NODE_AFFINITY] * 300 +
	               (int64_t)verdict->by_filter[FILTER_NODE_RESOURCES_FIT] * 100;

	for (size_t i = 0; i < FILTER_COUNT; i++)
		rank += verdict->by_filter[i];
	return rank;
}

/* Pods of one kind on one node, by resources alone; *ret_limit is what runs out. */
static int64_t count_on_node(const struct question *question, str *ret_limit)
{
	int64_t least = INT64_MAX;
	struct room room;

	*ret_limit = (str){ 0 };
	for (size_t i = 0; site_room(question, i, &room); i++) {
		int64_t count;

		if (room.request <= 0 || room.free == INT64_MAX)
			continue;
		count = room.free > 0 ? room.free / room.request : 0;
		/* Named after the scarcest; of equals a resource says more than the slots. */
		if (count < least || (count == least && str_is(*ret_limit, "pods"))) {
			least = count;
			*ret_limit = room.resource;
		}
	}
	return least;
}

/* Do pods of the workload keep each other off one node? */
static bool one_per_node(const struct pod_profile *profile, str *ret_limit)
{
	const struct workload *workload = profile->workload;
	const struct pod_affinity_terms *terms = &workload->pod->required_anti_affinity;

	if (profile->ports.n) {
		*ret_limit = STR("hostPort");
		return true;
	}
	for (size_t i = 0; i < terms->n; i++)
		if (str_is(terms->v[i].topology_key.s, HOSTNAME_LABEL) &&
		    affinity_term_selects(&terms->v[i], workload, workload) == ANSWER_YES) {
			*ret_limit = STR("podAntiAffinity");
			return true;
		}
	return false;
}

/* Karpenter looks at the pods before it picks an instance type. */
static bool chooses_shape(const struct group *group)
{
	return str_contains(str_of(group->format), STR("arpenter"));
}

/* Folds one shape into the group's offer. */
static void offer_shape(const struct question *question, enum answer answer, bool first,
                        struct offer *offer)
{
	struct question safe = *question;
	str limit, single, ignored;
	int64_t most = 0, least = 0;

	safe.safe = true;
	if (answer != ANSWER_NO)
		most = count_on_node(question, &limit);
	if (answer == ANSWER_YES)
		least = count_on_node(&safe, &ignored);
	if (answer != ANSWER_NO && most > 1 && one_per_node(question->profile, &single)) {
		limit = single;
		most = 1;
		least = least > 1 ? 1 : least;
	}
	if (most > offer->most) {
		offer->most = most;
		offer->limited_by = limit;
	}
	/* Karpenter takes the shape that suits; other autoscalers may start any of them. */
	if (first || (chooses_shape(question->site->group) ? least > offer->least
	                                                   : least < offer->least))
		offer->least = least;
}

/* Asks all filters for reasons. They are collected in one place and copied to size: there may be
 * millions of verdicts with one reason each. */
static void explain(const struct bench *bench, struct question *question, struct verdict *verdict)
{
	struct reasons *reasons = bench->scratch;

	reasons->n = 0;
	question->reasons = reasons;
	for (size_t i = 0; i < FILTER_COUNT; i++)
		question_ask(question, (enum filter)i);
	verdict->reasons.v = arena_calloc(bench->arena, reasons->n, sizeof(reasons->v[0]));
	verdict->reasons.n = verdict->reasons.cap = reasons->n;
	for (size_t i = 0; i < reasons->n; i++)
		verdict->reasons.v[i] = reasons->v[i];
}

/* Answers first and reasons only for the best shape: a group of 500 instance types gives one
 * reason, not 500. */
void bench_judge_group(const struct bench *bench, const struct pod_profile *profile,
                       size_t group, struct verdict *ret_verdict, struct offer *ret_offer)
{
	const struct group_sites *sites = &bench->groups[group];
	enum answer safe_answer = ANSWER_NO;
	struct question question = { .arena = bench->arena, .profile = profile,
		                     .comparison = bench->comparison };

	*ret_verdict = (struct verdict){ .answer = ANSWER_NO };
	*ret_offer = (struct offer){ .site = sites->first };
	for (size_t i = sites->first; i < sites->first + sites->count; i++) {
		struct verdict verdict = { .workload = profile->workload, .group = sites->group };
		enum answer answer;

		question.site = &bench->sites[i];
		answer = question_ask_all(&question, &verdict);
		if (answer == ANSWER_YES && safe_answer != ANSWER_YES) {
			/* Only amounts differ between the two bounds. */
			question.safe = true;
			safe_answer = question_ask(&question, FILTER_NODE_RESOURCES_FIT);
			question.safe = false;
		}
		offer_shape(&question, verdict.answer, i == sites->first, ret_offer);
		if (i == sites->first || rank(&verdict) > rank(ret_verdict)) {
			*ret_verdict = verdict;
			ret_offer->site = i;
		}
	}
	ret_offer->answer = ret_verdict->answer;
	ret_offer->tight = ret_verdict->answer == ANSWER_YES && safe_answer != ANSWER_YES;
	ret_verdict->tight = ret_offer->tight;
	if (ret_verdict->answer == ANSWER_YES || !sites->count)
		return;
	question.site = &bench->sites[ret_offer->site];
	explain(bench, &question, ret_verdict);
}

/* Once for all workloads of a kind. */
struct pod_class *bench_judge(const struct bench *bench, const struct pod_profile *profile)
{
	size_t groups = bench->scope->groups.n;
	struct pod_class *class = ARENA_NEW(bench->arena, struct pod_class);

	class->profile = profile;
	class->verdicts = arena_calloc(bench->arena, groups, sizeof(class->verdicts[0]));
	class->offers = arena_calloc(bench->arena, groups, sizeof(class->offers[0]));
	for (size_t i = 0; i < groups; i++)
		bench_judge_group(bench, profile, i, &class->verdicts[i], &class->offers[i]);
	class_add_up(bench, class);
	return class;
}

const struct resource_amounts *sched_used(const struct judgement *judgement,
                                          const struct group *group,
                                          const struct node_shape *shape)
{
	static const struct resource_amounts none;
	const struct bench *bench = judgement->bench;

	for (size_t g = 0; g < bench->scope->groups.n; g++)
		if (bench->groups[g].group == group)
			return &bench->sites[bench->groups[g].first +
			                     (size_t)(shape - group->shapes.v)].used;
	return &none;
}

/* For callers without a judgement; sched_judge() keeps the same sums per site. */
void sched_daemon_overhead(struct arena *arena, const struct scope *scope,
                           const struct group *group, const struct node_shape *shape,
                           struct resource_amounts *ret_amounts)
{
	struct bench bench = { .arena = arena, .scope = scope };
	struct site site = { .group = group, .shape = shape };

	bench.profiles = arena_calloc(arena, scope->workloads.n, sizeof(bench.profiles[0]));
	for (size_t i = 0; i < scope->workloads.n; i++)
		if (scope->workloads.v[i]->daemon_set)
			bench.profiles[i] = pod_profile_new(arena, scope->workloads.v[i]);
	site_add_daemons(&bench, &site);
	*ret_amounts = site.used;
	/* What may run there besides leaves the amounts as lower bounds. */
	for (size_t i = 0; site.maybe_count && i < ret_amounts->n; i++)
		ret_amounts->v[i].unknown = true;
}

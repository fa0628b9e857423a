/* sched: answers of the filters over label sets, capacities, fleets against an exhaustive
 * search of our own, and the HPA controller.
 *
 * What the real scheduler says to single pods and fleets is held by the conformance vectors;
 * here stand the things that it never sees: sets of values, unknown facts, two bounds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched-scope.h"
#include "sched.h"

#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"

/* ---- filters over label sets ------------------------------------------------------------- */

#define POD(name, spec) \
	"apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", labels: {app: " name "}}\n" \
	"spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}], " spec "}\n"

#define AFFINITY(terms) \
	"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
	"{nodeSelectorTerms: [" terms "]}}}"

/* One group with disk in (ssd, hdd), zone in (a, b), tier any but x, team unknown; the labels
 * are a closed list but for team. */
static void fill_label_sets(struct arena *arena, struct scope *scope)
{
	struct group *group = add_group(arena, scope, "g", 3, 4000);
	struct group_label *tier, *team;

	add_label(arena, group, "disk", "ssd");
	add_label(arena, group, "disk", "hdd");
	add_label(arena, group, "cores", "8");
	add_label(arena, group, "cores", "16");
	tier = VEC_PUSH(arena, &group->labels);
	*tier = (struct group_label){ .key = STR("tier"), .kind = LABEL_ANY };
	*VEC_PUSH(arena, &tier->excluded) = STR("x");
	team = VEC_PUSH(arena, &group->labels);
	*team = (struct group_label){ .key = STR("team"), .kind = LABEL_UNKNOWN };
}

static void test_label_sets(void **state)
{
	static const struct {
		const char *text;
		enum answer answer;
	} rows[] = {
		{ POD("p", "nodeSelector: {disk: ssd}"), ANSWER_YES },
		{ POD("p", "nodeSelector: {disk: nvme}"), ANSWER_NO },
		{ POD("p", "nodeSelector: {other: x}"), ANSWER_NO },
		{ POD("p", "nodeSelector: {team: red}"), ANSWER_UNKNOWN },
		{ POD("p", "nodeSelector: {tier: gold}"), ANSWER_YES },
		{ POD("p", "nodeSelector: {tier: x}"), ANSWER_NO },
		/* one value must satisfy selector and term together */
		{ POD("p", "nodeSelector: {disk: ssd}, "
		           AFFINITY("{matchExpressions: [{key: disk, operator: NotIn, values: [ssd]}]}")),
		  ANSWER_NO },
		{ POD("p", "nodeSelector: {disk: ssd}, "
		           AFFINITY("{matchExpressions: [{key: disk, operator: NotIn, values: [hdd]}]}")),
		  ANSWER_YES },
		{ POD("p", AFFINITY("{matchExpressions: [{key: disk, operator: NotIn, values: [ssd]},"
		                    " {key: disk, operator: NotIn, values: [hdd]}]}")),
		  ANSWER_NO },
		{ POD("p", AFFINITY("{matchExpressions: [{key: tier, operator: DoesNotExist}]}")),
		  ANSWER_NO },
		{ POD("p", AFFINITY("{matchExpressions: [{key: other, operator: DoesNotExist}]}")),
		  ANSWER_YES },
		{ POD("p", AFFINITY("{matchExpressions: [{key: team, operator: In, values: []}]}")),
		  ANSWER_NO },
		{ POD("p", AFFINITY("{matchExpressions: [{key: cores, operator: Gt, values: ['8']}]}")),
		  ANSWER_YES },
		{ POD("p", AFFINITY("{matchExpressions: [{key: cores, operator: Gt, values: ['16']}]}")),
		  ANSWER_NO },
		{ POD("p", AFFINITY("{matchExpressions: [{key: tier, operator: Gt, values: ['3']},"
		                    " {key: tier, operator: Lt, values: ['4']}]}")),
		  ANSWER_NO },
		{ POD("p", AFFINITY("{matchExpressions: [{key: team, operator: Gt, values: ['3']},"
		                    " {key: team, operator: Lt, values: ['4']}]}")),
		  ANSWER_NO },
		/* terms are ORed, an empty one matches nothing */
		{ POD("p", AFFINITY("{}")), ANSWER_NO },
		{ POD("p", AFFINITY("{}, {matchExpressions: [{key: disk, operator: Exists}]}")),
		  ANSWER_YES },
		{ POD("p", AFFINITY("{matchExpressions: [{key: team, operator: Exists}]}, "
		                    "{matchExpressions: [{key: nope, operator: Exists}]}")),
		  ANSWER_UNKNOWN },
		{ POD("p", AFFINITY("{matchFields: [{key: metadata.name, operator: In, values: [n]}]}")),
		  ANSWER_UNKNOWN },
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct scope *scope = scope_of_text(arena, str_of(rows[i].text));
		struct judgement *judgement;

		fill_label_sets(arena, scope);
		judgement = sched_judge(arena, scope);
		if (judgement->placements[0].verdicts[0].answer != rows[i].answer)
			fail_msg("%s: %d", rows[i].text,
			         (int)judgement->placements[0].verdicts[0].answer);
		arena_free(arena);
	}
}

static void test_reasons(void **state)
{
	static const char text[] =
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
		"  nodeSelector: {role: inference, disk: ssd}\n"
		"  tolerations: [{key: spot, value: 'false', effect: NoSchedule}]\n"
		"  containers: [{name: c, image: i, resources: {requests: {cpu: 8}}}]\n";
	struct arena *arena = arena_new();
	struct scope *scope = scope_of_text(arena, str_of(text));
	struct group *group = add_group(arena, scope, "g", 3, 1930);
	struct judgement *judgement;
	const struct verdict *verdict;
	(void)state;

	add_label(arena, group, "disk", "hdd");
	add_taint(arena, group, "spot=true:NoSchedule");
	judgement = sched_judge(arena, scope);
	verdict = &judgement->placements[0].verdicts[0];
	assert_int_equal(verdict->answer, ANSWER_NO);
	assert_int_equal(verdict->reasons.n, 4);
	assert_true(str_is(verdict->reasons.v[0].text, "node(s) had untolerated taint(s)"));
	assert_non_null(verdict->reasons.v[0].nearest_toleration);
	assert_true(str_is(verdict->reasons.v[0].key, "spot"));
	assert_true(str_is(verdict->reasons.v[1].detail, "has label disk=hdd, not disk=ssd"));
	assert_true(str_is(verdict->reasons.v[2].detail, "lacks label role=inference"));
	assert_non_null(verdict->reasons.v[2].pod_node);
	assert_true(str_is(verdict->reasons.v[3].text, "Insufficient cpu"));
	assert_true(str_is(verdict->reasons.v[3].detail, "cpu 8 of 1930m"));
	assert_true(str_is(node_text(verdict->reasons.v[3].pod_node), "8"));
	arena_free(arena);
}

/* A fact that nobody declares turns yes into unknown, and never hides a no. */
static void test_unknown_facts(void **state)
{
	static const char text[] = POD("p", "nodeSelector: {disk: ssd}");
	struct arena *arena = arena_new();
	struct scope *scope = scope_of_text(arena, str_of(text));
	struct group *taints = add_group(arena, scope, "taints", 1, 4000);
	struct group *amounts = add_group(arena, scope, "amounts", 1, 4000);
	struct group *small = add_group(arena, scope, "small", 1, 500);
	struct judgement *judgement;
	const struct verdict *verdicts;
	(void)state;

	add_label(arena, taints, "disk", "ssd");
	add_label(arena, amounts, "disk", "ssd");
	add_label(arena, small, "disk", "ssd");
	taints->taints_known = false;
	small->taints_known = false;
	amounts->shapes.v[0].allocatable.v[0].known = false;
	judgement = sched_judge(arena, scope);
	verdicts = judgement->placements[0].verdicts;
	assert_int_equal(verdicts[0].answer, ANSWER_UNKNOWN);
	assert_int_equal(verdicts[1].answer, ANSWER_UNKNOWN);
	assert_int_equal(verdicts[2].answer, ANSWER_NO);
	arena_free(arena);
}

static void test_tight(void **state)
{
	static const char text[] = POD("p", "nodeSelector: {}");
	struct arena *arena = arena_new();
	struct scope *scope = scope_of_text(arena, str_of(text));
	struct group *group = add_group(arena, scope, "g", 2, 1000);
	struct judgement *judgement;
	(void)state;

	group->shapes.v[0].allocatable.v[0].safe = 900;
	judgement = sched_judge(arena, scope);
	assert_int_equal(judgement->placements[0].verdicts[0].answer, ANSWER_YES);
	assert_true(judgement->placements[0].verdicts[0].tight);
	assert_int_equal(judgement->capacities[0].placeable, 0);
	assert_int_equal(judgement->capacities[0].upper, 1);
	assert_true(judgement->capacities[0].tight);
	arena_free(arena);
}

/* ---- capacities -------------------------------------------------------------------------- */

#define DEPLOYMENT(replicas, cpu, spec) \
	"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\n" \
	"spec:\n  replicas: " replicas "\n  selector: {matchLabels: {app: w}}\n" \
	"  template:\n    metadata: {labels: {app: w}}\n    spec:\n" \
	"      containers: [{name: c, image: i, ports: [{containerPort: 80}], " \
	"resources: {requests: {cpu: " cpu "}}}]\n" spec
#define DAEMON \
	"---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d}\n" \
	"spec:\n  selector: {matchLabels: {app: d}}\n" \
	"  template:\n    metadata: {labels: {app: d}}\n    spec:\n" \
	"      containers: [{name: c, image: i, resources: {requests: {cpu: 500m}}}]\n"
#define SPREAD(key, more) \
	"      topologySpreadConstraints:\n      - {topologyKey: " key ", maxSkew: 1, " \
	"whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: w}}" more "}\n"
#define ANTI(key) \
	"      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
	"[{topologyKey: " key ", labelSelector: {matchLabels: {app: w}}}]}}\n"

/* Two groups: three nodes of 4 cores in zone a, two of 8 in zone b. */
static void test_capacities(void **state)
{
	static const struct {
		const char *text;
		int64_t placeable;
		const char *limited_by;
	} rows[] = {
		{ DEPLOYMENT("100", "1", ""), 3 * 4 + 2 * 8, "cpu" },
		{ DEPLOYMENT("5", "1", ""), 5, "" },
		{ DEPLOYMENT("100", "3", ""), 3 * 1 + 2 * 2, "cpu" },
		{ DEPLOYMENT("100", "1", "") DAEMON, 3 * 3 + 2 * 7, "cpu" },
		{ DEPLOYMENT("1000", "1m", "") DAEMON, 5 * 109, "pods" },
		{ DEPLOYMENT("100", "1", "      hostNetwork: true\n"), 5, "hostPort" },
		{ DEPLOYMENT("100", "1", ANTI(HOST)), 5, "podAntiAffinity" },
		{ DEPLOYMENT("100", "1", ANTI(ZONE)), 2, "podAntiAffinity" },
		{ DEPLOYMENT("100", "1", SPREAD(ZONE, "")), 12 + 13, "topologySpread" },
		{ DEPLOYMENT("100", "1", SPREAD(HOST, "")), 3 * 4 + 2 * 5, "topologySpread" },
		{ DEPLOYMENT("100", "1", SPREAD(ZONE, ", minDomains: 3")), 2, "topologySpread" },
		{ DEPLOYMENT("100", "9", ""), 0, "" },
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct scope *scope = scope_of_text(arena, str_of(rows[i].text));
		struct judgement *judgement;
		const struct capacity *capacity;

		add_label(arena, add_group(arena, scope, "a", 3, 4000), ZONE, "a");
		add_label(arena, add_group(arena, scope, "b", 2, 8000), ZONE, "b");
		judgement = sched_judge(arena, scope);
		capacity = &judgement->capacities[0];
		if (!capacity->known || capacity->placeable != rows[i].placeable ||
		    capacity->upper != rows[i].placeable ||
		    !str_is(capacity->limited_by, rows[i].limited_by))
			fail_msg("%s: %lld..%lld by %.*s", rows[i].text,
			         (long long)capacity->placeable, (long long)capacity->upper,
			         STR_ARG(capacity->limited_by));
		arena_free(arena);
	}
}

/* Undeclared bounds decide nothing, unless enough or too little is there without them. */
static void test_unknown_bounds(void **state)
{
	static const struct {
		const char *text;
		bool known;
	} rows[] = {
		{ DEPLOYMENT("4", "1", ""), true },
		{ DEPLOYMENT("5", "1", ""), false },
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct scope *scope = scope_of_text(arena, str_of(rows[i].text));
		struct group *open;
		struct judgement *judgement;

		add_group(arena, scope, "a", 1, 4000);
		open = add_group(arena, scope, "open", 0, 4000);
		open->max.origin = ORIGIN_UNKNOWN;
		judgement = sched_judge(arena, scope);
		assert_int_equal(judgement->capacities[0].known, rows[i].known);
		arena_free(arena);
	}
}

/* A DaemonSet that only some nodes of a group take makes the bounds differ. */
static void test_daemon_on_some_nodes(void **state)
{
	static const char text[] =
		DEPLOYMENT("100", "1", "") DAEMON "      nodeSelector: {" ZONE ": a}\n";
	struct arena *arena = arena_new();
	struct scope *scope = scope_of_text(arena, str_of(text));
	struct group *group = add_group(arena, scope, "g", 2, 4000);
	struct judgement *judgement;
	(void)state;

	add_label(arena, group, ZONE, "a");
	add_label(arena, group, ZONE, "b");
	judgement = sched_judge(arena, scope);
	assert_int_equal(judgement->capacities[0].placeable, 6);
	assert_int_equal(judgement->capacities[0].upper, 8);
	arena_free(arena);
}

/* Counts at the ends of what fits: no overflow, no loop over nodes. */
static void test_large_numbers(void **state)
{
	static const char text[] = DEPLOYMENT("2147483647", "1", SPREAD(HOST, ""));
	struct arena *arena = arena_new();
	struct scope *scope = scope_of_text(arena, str_of(text));
	struct fleet_question question = { .count = 1 };
	struct fleet_item item;
	struct judgement *judgement;
	struct fleet fleet;
	(void)state;

	add_group(arena, scope, "many", 1000000, 4000);
	add_group(arena, scope, "endless", INT64_MAX, 8000);
	judgement = sched_judge(arena, scope);
	assert_int_equal(judgement->capacities[0].total, INT64_MAX);
	assert_int_equal(judgement->capacities[0].placeable, 2147483647);
	item = (struct fleet_item){ scope->workloads.v[0], 2147483647 };
	question.items = &item;
	sched_fleet(arena, judgement, &question, &fleet);
	assert_int_not_equal(fleet.fits, ANSWER_NO);
	arena_free(arena);
}

/* ---- fleets against every order and choice ----------------------------------------------- */

#define MAX_NODES 5
#define MAX_KINDS 3

/* One random story. */
struct story {
	size_t groups, nodes, kinds;
	struct {
		int64_t nodes, cpu;
		size_t zone, pool;
	} group[3];
	size_t group_of[MAX_NODES];
	struct {
		int64_t pods, cpu;
		int64_t skew_host, skew_zone;  /* 0: none */
		bool apart_host, apart_zone, port;
		size_t pool;                   /* 0: any */
	} kind[MAX_KINDS];
};

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static int64_t between(uint64_t *seed, int64_t low, int64_t high)
{
	return low + (int64_t)(next_random(seed) % (uint64_t)(high - low + 1));
}

static void invent(uint64_t *seed, struct story *story)
{
	*story = (struct story){ .groups = (size_t)between(seed, 1, 3),
		                 .kinds = (size_t)between(seed, 1, MAX_KINDS) };
	for (size_t g = 0; g < story->groups; g++) {
		story->group[g].nodes = between(seed, 1, 2);
		story->group[g].cpu = between(seed, 1, 4);
		story->group[g].zone = (size_t)between(seed, 0, 1);
		story->group[g].pool = (size_t)between(seed, 1, 2);
		for (int64_t n = 0; n < story->group[g].nodes && story->nodes < MAX_NODES; n++)
			story->group_of[story->nodes++] = g;
	}
	/* No more nodes than the search takes. */
	if (story->groups == 3)
		story->group[2].nodes = (int64_t)story->nodes - story->group[0].nodes -
		                        story->group[1].nodes;
	for (size_t k = 0; k < story->kinds; k++) {
		story->kind[k].pods = between(seed, 0, 4);
		story->kind[k].cpu = between(seed, 0, 3);
		story->kind[k].pool = between(seed, 0, 2) ? 0 : (size_t)between(seed, 1, 2);
		switch (between(seed, 0, 7)) {
		case 0: story->kind[k].skew_host = between(seed, 1, 2); break;
		case 1: story->kind[k].skew_zone = between(seed, 1, 2); break;
		case 2: story->kind[k].apart_host = true; break;
		case 3: story->kind[k].apart_zone = true; break;
		case 4: story->kind[k].port = true; break;
		case 5:
			story->kind[k].skew_host = 1;
			story->kind[k].skew_zone = between(seed, 1, 2);
			break;
		default: break;
		}
	}
}

static void write_spread(struct buf *buf, size_t k, const char *key, int64_t skew)
{
	buf_printf(buf, "      - {topologyKey: %s, maxSkew: %lld, whenUnsatisfiable: "
	                "DoNotSchedule, labelSelector: {matchLabels: {app: w%zu}}}\n",
	           key, (long long)skew, k);
}

static void write_kind(struct buf *buf, const struct story *story, size_t k)
{
	buf_printf(buf, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w%zu}\n"
	                "spec:\n  replicas: %lld\n  selector: {matchLabels: {app: w%zu}}\n"
	                "  template:\n    metadata: {labels: {app: w%zu}}\n    spec:\n"
	                "      containers:\n      - name: c\n        image: i\n"
	                "        resources: {requests: {cpu: %lld}}\n",
	           k, (long long)story->kind[k].pods, k, k, (long long)story->kind[k].cpu);
	if (story->kind[k].port)
		buf_printf(buf, "        ports: [{containerPort: 80, hostPort: 80}]\n");
	if (story->kind[k].pool)
		buf_printf(buf, "      nodeSelector: {pool: p%zu}\n", story->kind[k].pool);
	if (story->kind[k].skew_host || story->kind[k].skew_zone)
		buf_printf(buf, "      topologySpreadConstraints:\n");
	if (story->kind[k].skew_host)
		write_spread(buf, k, HOST, story->kind[k].skew_host);
	if (story->kind[k].skew_zone)
		write_spread(buf, k, ZONE, story->kind[k].skew_zone);
	if (story->kind[k].apart_host || story->kind[k].apart_zone)
		buf_printf(buf, "      affinity: {podAntiAffinity: {requiredDuringScheduling"
		                "IgnoredDuringExecution: [{topologyKey: %s, labelSelector: "
		                "{matchLabels: {app: w%zu}}}]}}\n",
		           story->kind[k].apart_host ? HOST : ZONE, k);
}

static struct scope *stage(struct arena *arena, const struct story *story)
{
	static const char *const names[] = { "g0", "g1", "g2" };
	struct buf buf = { .arena = arena };
	struct scope *scope;

	for (size_t k = 0; k < story->kinds; k++)
		write_kind(&buf, story, k);
	scope = scope_of_text(arena, buf_str(&buf));
	for (size_t g = 0; g < story->groups; g++) {
		struct group *group;

		if (story->group[g].nodes <= 0)
			continue;
		group = add_group(arena, scope, names[g], story->group[g].nodes,
		                  story->group[g].cpu * 1000);
		add_label(arena, group, ZONE, story->group[g].zone ? "z1" : "z0");
		add_label(arena, group, "pool", story->group[g].pool == 1 ? "p1" : "p2");
	}
	return scope;
}

/* Pods per node and kind. */
struct counts {
	uint8_t on[MAX_NODES][MAX_KINDS];
};

static bool pool_admits(const struct story *story, size_t k, size_t n)
{
	return !story->kind[k].pool ||
	       story->group[story->group_of[n]].pool == story->kind[k].pool;
}

static size_t zone_of(const struct story *story, size_t n)
{
	return story->group[story->group_of[n]].zone;
}

/* Pods of the kind in the domain of a node, and the least over all domains that count: those of
 * nodes that the nodeSelector admits. */
static int64_t domain_sum(const struct story *story, const struct counts *counts, size_t k,
                          size_t n, bool zone)
{
	int64_t sum = 0;

	if (!zone)
		return counts->on[n][k];
	for (size_t m = 0; m < story->nodes; m++)
		if (zone_of(story, m) == zone_of(story, n) && pool_admits(story, k, m))
			sum += counts->on[m][k];
	return sum;
}

static bool skew_holds(const struct story *story, const struct counts *counts, size_t k, size_t n,
                       bool zone)
{
	int64_t skew = zone ? story->kind[k].skew_zone : story->kind[k].skew_host;
	int64_t least = INT64_MAX;

	if (!skew)
		return true;
	for (size_t m = 0; m < story->nodes; m++)
		if (pool_admits(story, k, m)) {
			int64_t sum = domain_sum(story, counts, k, m, zone);

			least = sum < least ? sum : least;
		}
	return domain_sum(story, counts, k, n, zone) + 1 - least <= skew;
}

static bool may_go(const struct story *story, const struct counts *counts, size_t k, size_t n)
{
	int64_t cpu = story->group[story->group_of[n]].cpu;

	if (!pool_admits(story, k, n))
		return false;
	for (size_t j = 0; j < story->kinds; j++) {
		cpu -= counts->on[n][j] * story->kind[j].cpu;
		if (story->kind[k].port && story->kind[j].port && counts->on[n][j])
			return false;
	}
	if (story->kind[k].cpu > cpu && story->kind[k].cpu > 0)
		return false;
	if (story->kind[k].apart_host && counts->on[n][k])
		return false;
	for (size_t m = 0; m < story->nodes; m++)
		if (story->kind[k].apart_zone && zone_of(story, m) == zone_of(story, n) &&
		    counts->on[m][k])
			return false;
	return skew_holds(story, counts, k, n, false) && skew_holds(story, counts, k, n, true);
}

/* The largest total over all orders and choices. */
static int64_t exhaust(struct arena *arena, struct map *seen, const struct story *story,
                       const struct counts *counts)
{
	int64_t placed[MAX_KINDS] = { 0 }, best = 0;
	struct counts *copy = ARENA_NEW(arena, struct counts);
	str key = { (const char *)copy, sizeof(*copy) };

	*copy = *counts;
	if (map_has(seen, key))
		return 0;
	map_put(seen, key, NULL);
	for (size_t n = 0; n < story->nodes; n++)
		for (size_t k = 0; k < story->kinds; k++)
			placed[k] += counts->on[n][k];
	for (size_t k = 0; k < story->kinds; k++)
		best += placed[k];
	for (size_t k = 0; k < story->kinds; k++)
		for (size_t n = 0; placed[k] < story->kind[k].pods && n < story->nodes; n++) {
			struct counts next = *counts;
			int64_t total;

			if (!may_go(story, counts, k, n))
				continue;
			next.on[n][k]++;
			total = exhaust(arena, seen, story, &next);
			best = total > best ? total : best;
		}
	return best;
}

static void hold_against(struct arena *arena, const struct story *story, int64_t best,
                         uint64_t number, bool formulas)
{
	struct scope *scope = stage(arena, story);
	struct judgement *judgement = sched_judge(arena, scope);
	struct fleet_item items[MAX_KINDS];
	struct fleet_question question = { .items = items, .count = story->kinds,
		                           .at_maximum = true, .formulas_only = formulas };
	struct fleet fleet;

	assert_int_equal(scope->workloads.n, story->kinds);
	for (size_t k = 0; k < story->kinds; k++)
		items[k] = (struct fleet_item){ scope->workloads.v[k], story->kind[k].pods };
	sched_fleet(arena, judgement, &question, &fleet);
	if (fleet.lower > best || fleet.upper < best)
		fail_msg("story %llu: %lld..%lld, but the best is %lld (formulas %d)",
		         (unsigned long long)number, (long long)fleet.lower,
		         (long long)fleet.upper, (long long)best, formulas);
	if (fleet.fits != ANSWER_UNKNOWN)
		assert_int_equal(fleet.fits == ANSWER_YES, best == fleet.demand);
}

static void test_bounds_enclose_the_optimum(void **state)
{
	(void)state;
	for (uint64_t number = 1; number <= 1500; number++) {
		struct arena *arena = arena_new();
		uint64_t seed = number * 7919;
		struct story story;
		int64_t best;

		invent(&seed, &story);
		best = exhaust(arena, map_new(arena), &story, &(struct counts){ 0 });
		hold_against(arena, &story, best, number, true);
		hold_against(arena, &story, best, number, false);
		arena_free(arena);
	}
}

/* ---- losses and fillings ----------------------------------------------------------------- */

/* Four nodes over zones a and b, one more in b; 4 cores each, one core a pod. */
static void test_losses(void **state)
{
	static const struct {
		const char *zone;
		bool group;
		int64_t upper;
	} rows[] = { { "", false, 20 }, { "a", false, 12 }, { "b", false, 8 }, { "", true, 4 } };
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct scope *scope = scope_of_text(arena, str_of(DEPLOYMENT("100", "1", "")));
		struct group *wide = add_group(arena, scope, "wide", 4, 4000);
		struct fleet_item item = { scope->workloads.v[0], 100 };
		const struct fleet_question question = { .items = &item, .count = 1 };
		const struct fleet_loss loss = { rows[i].group ? wide : NULL,
			                         str_of(rows[i].zone) };
		struct strs zones = { 0 };
		struct fleet fleet;

		add_label(arena, wide, ZONE, "a");
		add_label(arena, wide, ZONE, "b");
		add_label(arena, add_group(arena, scope, "b", 1, 4000), ZONE, "b");
		sched_zones(arena, scope, &zones);
		assert_int_equal(zones.n, 2);
		sched_fleet_after(arena, sched_judge(arena, scope), &question, &loss, &fleet);
		assert_int_equal(fleet.upper, rows[i].upper);
		assert_int_equal(fleet.lower, rows[i].upper);
		assert_int_equal(fleet.fits, ANSWER_NO);
		arena_free(arena);
	}
}

static void test_filling(void **state)
{
	struct arena *arena = arena_new();
	struct scope *scope = scope_of_text(arena, str_of(DEPLOYMENT("6", "1", "") DAEMON));
	struct fleet_question question;
	struct fleet fleet;
	(void)state;

	add_group(arena, scope, "g", 4, 4000);
	sched_fleet_of_scope(arena, sched_judge(arena, scope), false, &question, &fleet);
	assert_int_equal(question.count, 1);
	assert_int_equal(fleet.fits, ANSWER_YES);
	assert_int_equal(fleet.groups[0].nodes, 2);
	/* 6 of 4 x 3.5 cores beside the DaemonSet */
	assert_int_equal(fleet.groups[0].percent, 42);
	assert_true(str_is(fleet.groups[0].resource, "cpu"));
	assert_false(fleet.crowded[0]);
	arena_free(arena);
}

/* Room for a surge: by amounts, and by anti-affinity to the own kind. */
static void test_crowded(void **state)
{
	static const struct {
		const char *text;
		bool crowded;
	} rows[] = {
		{ DEPLOYMENT("7", "1", ""), false },
		{ DEPLOYMENT("8", "1", ""), true },
		{ DEPLOYMENT("1", "1", ANTI(HOST)), false },
		{ DEPLOYMENT("2", "1", ANTI(HOST)), true },
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct scope *scope = scope_of_text(arena, str_of(rows[i].text));
		struct fleet_question question;
		struct fleet fleet;

		add_group(arena, scope, "g", 2, 4000);
		sched_fleet_of_scope(arena, sched_judge(arena, scope), false, &question, &fleet);
		assert_int_equal(fleet.fits, ANSWER_YES);
		assert_int_equal(fleet.crowded[0], rows[i].crowded);
		arena_free(arena);
	}
}

/* Whom the greedy placement does not follow makes it partial, which proves nothing. */
static void test_partial(void **state)
{
	static const char text[] =
		DEPLOYMENT("2", "1", "      affinity: {podAffinity: {requiredDuringScheduling"
		           "IgnoredDuringExecution: [{topologyKey: " HOST ", labelSelector: "
		           "{matchLabels: {app: other}}}]}}\n");
	struct arena *arena = arena_new();
	struct scope *scope = scope_of_text(arena, str_of(text));
	struct fleet_item item = { scope->workloads.v[0], 2 };
	const struct fleet_question question = { .items = &item, .count = 1,
		                                 .formulas_only = true };
	struct fleet fleet;
	(void)state;

	add_group(arena, scope, "g", 4, 4000);
	sched_fleet(arena, sched_judge(arena, scope), &question, &fleet);
	assert_int_equal(fleet.fits, ANSWER_UNKNOWN);
	assert_true(fleet.partial);
	assert_true(fleet.open);
	arena_free(arena);
}

/* ---- the HPA controller ------------------------------------------------------------------ */

#define SCALED(behavior) \
	DEPLOYMENT("4", "1", "") \
	"---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\n" \
	"spec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: w}\n" \
	"  minReplicas: 2\n  maxReplicas: 20\n" behavior

/* Four pods of 1 cpu that use the same share of it; 80 % is the default target. */
static void test_hpa(void **state)
{
	static const struct {
		const char *text;
		int64_t milli, window, desired;
		const char *reason; /* of AbleToScale */
	} rows[] = {
		{ SCALED(""), 1600, 0, 8, "SucceededRescale" },
		{ SCALED(""), 880, 0, 4, "ReadyForNewScale" },
		{ SCALED(""), 890, 0, 5, "SucceededRescale" },
		{ SCALED(""), 8000, 0, 8, "SucceededRescale" },
		{ SCALED(""), 100, 0, 2, "SucceededRescale" },
		{ SCALED(""), 100, 300, 4, "ScaleDownStabilized" },
		{ SCALED("  behavior: {scaleUp: {policies: [{type: Pods, value: 1, "
		         "periodSeconds: 60}]}}\n"), 1600, 300, 5, "SucceededRescale" },
		{ SCALED("  behavior: {scaleUp: {selectPolicy: Disabled}}\n"), 1600, 300, 4,
		  "ReadyForNewScale" },
		{ SCALED("  behavior: {scaleUp: {stabilizationWindowSeconds: 60}}\n"), 1600, 300, 4,
		  "ScaleUpStabilized" },
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct scope *scope = scope_of_text(arena, str_of(rows[i].text));
		struct hpa_usage usage = { STR("c"), STR("cpu"), rows[i].milli };
		struct hpa_pod pods[4];
		struct hpa_input input = { .pods = pods, .pod_count = 4, .current = 4,
			                   .down_window_seconds = rows[i].window };
		struct hpa_decision decision;

		for (size_t p = 0; p < 4; p++)
			pods[p] = (struct hpa_pod){ .has_metrics = true, .usage = &usage,
				                    .usage_count = 1 };
		assert_int_equal(scope->scalers.n, 1);
		input.hpa = scope->scalers.v[0]->hpa;
		input.target = scope->scalers.v[0]->target;
		hpa_decide(arena, &input, &decision);
		if (!decision.decided || decision.desired != rows[i].desired ||
		    strcmp(decision.conditions[0].reason, rows[i].reason) != 0)
			fail_msg("row %zu: %lld, %s", i, (long long)decision.desired,
			         decision.conditions[0].reason);
		arena_free(arena);
	}
}

/* ---- shared verdicts --------------------------------------------------------------------- */

/* In a large scope equal pods share their verdicts, unless they run nowhere. */
static void test_shared_verdicts(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };
	struct scope *scope;
	struct judgement *judgement;
	const struct reason *last;
	(void)state;

	for (size_t i = 0; i < 300; i++)
		buf_printf(&buf, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%zu}\n"
		                 "spec: {nodeSelector: {pool: %s}, containers: [{name: c, image: "
		                 "i}]}\n", i, i % 2 ? "none" : "a");
	scope = scope_of_text(arena, buf_str(&buf));
	for (size_t i = 0; i < 100; i++)
		add_label(arena, add_group(arena, scope, "g", 1, 4000), "pool", "a");
	judgement = sched_judge(arena, scope);
	assert_int_equal(judgement->count, 300);
	assert_ptr_equal(judgement->placements[0].verdicts, judgement->placements[2].verdicts);
	assert_ptr_not_equal(judgement->placements[1].verdicts,
	                     judgement->placements[3].verdicts);
	last = &judgement->placements[299].verdicts[0].reasons.v[0];
	assert_ptr_equal(last->pod_node, scope->workloads.v[299]->node_selector.v[0].node);
	arena_free(arena);
}

/* ---- Fargate -------------------------------------------------------------------------- */

/* Pods that a profile takes have nodes of their own: no group says anything about them. */
static void test_fargate(void **state)
{
	struct arena *arena = arena_new();
	struct scope *scope = scope_of_text(arena, STR(
		"apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: c}\n"
		"fargateProfiles: [{name: f, selectors: [{namespace: default, labels: {app: a}}]}]\n"
		"---\n" POD("a", "nodeSelector: {no: such}") "---\n"
		POD("b", "nodeSelector: {no: such}")));
	const struct judgement *judgement;

	(void)state;
	add_group(arena, scope, "g", 3, 4000);
	judgement = sched_judge(arena, scope);
	assert_int_equal(judgement->count, 2);
	assert_true(judgement->placements[0].undecidable);
	assert_false(judgement->capacities[0].known);
	assert_false(judgement->placements[1].undecidable);
	assert_int_equal(judgement->placements[1].verdicts[0].answer, ANSWER_NO);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fargate),
		cmocka_unit_test(test_label_sets),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_unknown_facts),
		cmocka_unit_test(test_tight),
		cmocka_unit_test(test_capacities),
		cmocka_unit_test(test_unknown_bounds),
		cmocka_unit_test(test_daemon_on_some_nodes),
		cmocka_unit_test(test_large_numbers),
		cmocka_unit_test(test_bounds_enclose_the_optimum),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_filling),
		cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_hpa),
		cmocka_unit_test(test_shared_verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

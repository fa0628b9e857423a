/* What a scaler's selector picks, who leaves its replicas alone, and how fast it moves. */
#include <string.h>

#include "ask.h"
#include "model-internal.h"

/* ---- spec.selector of an HPA ----------------------------------------------------------- */

/* A map of label to value; anything else is empty. */
static void read_labels(struct arena *arena, const struct node *map, struct pairs *ret_pairs)
{
	ret_pairs->node = map;
	if (!node_is_map(map))
		return;
	for (uint32_t i = 0; i < map->child_count; i++)
		*VEC_PUSH(arena, ret_pairs) = (struct pair){
			.key = map->children[i].key,
			.value = node_text(&map->children[i]),
			.node = &map->children[i],
		};
}

/* As upstream binds them; the words are checked by whoever matches. */
static void read_expressions(struct arena *arena, const struct node *list,
                             struct requirements *ret_requirements)
{
	if (!node_is_list(list))
		return;
	for (uint32_t i = 0; i < list->child_count; i++) {
		const struct node *item = &list->children[i];
		const struct node *values = node_get(item, "values");
		struct requirement *requirement = VEC_PUSH(arena, ret_requirements);

		requirement->node = item;
		requirement->key = node_text(node_get(item, "key"));
		requirement->op = label_operator_of(node_text(node_get(item, "operator")));
		for (uint32_t k = 0; node_is_list(values) && k < values->child_count; k++)
			*VEC_PUSH(arena, &requirement->values) = (struct text){
				.s = node_text(&values->children[k]),
				.node = &values->children[k],
			};
	}
}

enum answer scaler_selector_matches(const struct scaler *scaler)
{
	const struct node *node = scaler->hpa ? scaler->hpa->selector : NULL;
	struct label_selector selector = { .node = node };
	struct arena *arena;
	enum answer answer;

	if (!node || node->unknown || !scaler->target)
		return ANSWER_UNKNOWN;
	arena = arena_new();
	if (node_get(node, "matchLabels") || node_get(node, "matchExpressions")) {
		read_labels(arena, node_get(node, "matchLabels"), &selector.match_labels);
		read_expressions(arena, node_get(node, "matchExpressions"),
		                 &selector.match_expressions);
	} else {
		read_labels(arena, node, &selector.match_labels);
	}
	answer = selector_matches(&selector, &scaler->target->pod->labels);
	arena_free(arena);
	return answer;
}

/* ---- Argo CD --------------------------------------------------------------------------- */

/* Absent and "*" mean any. */
static bool absent_or(const struct node *node, str wanted)
{
	return node_is_null(node) || str_is(node_text(node), "*") ||
	       str_eq(node_text(node), wanted);
}

/* Does the list hold a path to the replicas, as pointer or as jq path? */
static bool names_replicas(const struct node *list)
{
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		str path = str_trim(node_text(&list->children[i]));

		if (str_is(path, "/spec/replicas") || str_is(path, ".spec.replicas"))
			return true;
	}
	return false;
}

/* One entry of ignoreDifferences must name the object and the field. */
static bool ignores_replicas(const struct node *spec, const struct object *object)
{
	const struct node *list = node_get(spec, "ignoreDifferences");

	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		const struct node *item = &list->children[i];

		if (absent_or(node_get(item, "group"), object->group) &&
		    absent_or(node_get(item, "kind"), object->kind) &&
		    absent_or(node_get(item, "name"), object->name.s) &&
		    absent_or(node_get(item, "namespace"), object->namespace.s) &&
		    (names_replicas(node_get(item, "jsonPointers")) ||
		     names_replicas(node_get(item, "jqPathExpressions"))))
			return true;
	}
	return false;
}

/* Without it Argo CD hides the difference and writes the field all the same. */
static bool respects_differences(const struct node *spec)
{
	const struct node *options = node_at(spec, "syncPolicy.syncOptions");

	for (uint32_t i = 0; node_is_list(options) && i < options->child_count; i++)
		if (str_is(node_text(&options->children[i]), "RespectIgnoreDifferences=true"))
			return true;
	return false;
}

const struct object *scope_ignores_replicas(const struct scope *scope,
                                            const struct workload *workload)
{
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];
		bool set = str_is(object->kind, "ApplicationSet");
		const struct node *spec, *where;

		if (!str_is(object->group, "argoproj.io") ||
		    (!set && !str_is(object->kind, "Application")))
			continue;
		spec = node_at(object->root, set ? "spec.template.spec" : "spec");
		where = node_at(spec, "destination.namespace");
		if ((set || absent_or(where, workload->namespace)) &&
		    respects_differences(spec) && ignores_replicas(spec, workload->object))
			return object;
	}
	return NULL;
}

/* ---- behavior -------------------------------------------------------------------------- */

/* The controller looks again every 15 s (--horizontal-pod-autoscaler-sync-period). */
#define SYNC_SECONDS 15
#define MAX_POLICIES 8
#define MAX_STEPS 5760 /* a day */

/* One policy with numbers that are known. */
struct policy {
	bool percent;
	int64_t value, period;
};

struct policies {
	struct policy v[MAX_POLICIES];
	size_t n;
	bool smallest;      /* selectPolicy Min */
	bool disabled;
	bool known;
};

/* The defaults stand in where no policy is written. */
static struct policies policies_of(const struct scaling_rules *rules,
                                   const struct policies *defaults)
{
	struct policies policies = { .known = true };

	policies.disabled = str_is(rules->select_policy.s, "Disabled");
	policies.smallest = str_is(rules->select_policy.s, "Min");
	if (rules->node && rules->node->unknown)
		policies.known = false;
	if (!rules->policies.n) {
		memcpy(policies.v, defaults->v, sizeof policies.v);
		policies.n = defaults->n;
		return policies;
	}
	policies.known = policies.known && rules->policies.n <= MAX_POLICIES;
	for (size_t i = 0; i < rules->policies.n && i < MAX_POLICIES; i++) {
		const struct scaling_policy *policy = &rules->policies.v[i];

		policies.v[policies.n++] = (struct policy){
			.percent = str_is(policy->type.s, "Percent"),
			.value = policy->value.value,
			.period = policy->period_seconds.value,
		};
		policies.known = policies.known && node_known(policy->value.node) &&
		                 node_known(policy->period_seconds.node) &&
		                 policy->value.value > 0 && policy->period_seconds.value > 0 &&
		                 policy->period_seconds.value <= 1800;
	}
	return policies;
}

/* Where one policy lets the scaler go to, from the count that stood a period ago. */
static int64_t policy_limit(const struct policy *policy, int64_t before)
{
	int64_t add = policy->value;

	if (policy->percent) {
		add = int64_mul_saturated(before, policy->value);
		add = add / 100 + (add % 100 ? 1 : 0);
	}
	return int64_add_saturated(before, add);
}

/* The limit at a step over all policies. history[i]: the count in front of step i; a step counts
 * against a period until the period has passed. */
static int64_t step_limit(const struct policies *policies, const int64_t *history, size_t step)
{
	int64_t limit = policies->smallest ? INT64_MAX : 0;

	for (size_t i = 0; i < policies->n; i++) {
		size_t back = (size_t)((policies->v[i].period + SYNC_SECONDS - 1) / SYNC_SECONDS);
		int64_t to = policy_limit(&policies->v[i],
		                          history[step + 1 > back ? step + 1 - back : 0]);

		if (policies->smallest ? to < limit : to > limit)
			limit = to;
	}
	return limit;
}

int64_t hpa_scale_up_seconds(const struct hpa *hpa, int64_t from, int64_t to, int64_t cap)
{
	static const struct policies defaults = {
		.v = { { true, 100, 15 }, { false, 4, 15 } }, .n = 2
	};
	struct policies policies = policies_of(&hpa->scale_up, &defaults);
	int64_t window = hpa->scale_up.stabilization_seconds.value;
	int64_t history[MAX_STEPS + 1] = { from };
	size_t step = 0;

	if (policies.disabled)
		return -1;
	if (!policies.known || window < 0)
		return -2;
	while (step < MAX_STEPS && history[step] < to &&
	       (int64_t)step * SYNC_SECONDS + window < cap) {
		int64_t next = step_limit(&policies, history, step);

		history[step + 1] = next > history[step] ? next : history[step];
		step++;
	}
	return history[step] >= to ? (int64_t)step * SYNC_SECONDS + window : cap;
}

int64_t hpa_scale_down_drop(const struct hpa *hpa, int64_t min, int64_t max)
{
	static const struct policies defaults = { .v = { { true, 100, 15 } }, .n = 1 };
	struct policies policies = policies_of(&hpa->scale_down, &defaults);
	int64_t most = max > min ? max - min : 0;
	int64_t drop = policies.smallest ? INT64_MAX : 0;

	if (policies.disabled)
		return 0;
	if (!policies.known)
		return -1;
	for (size_t i = 0; i < policies.n; i++) {
		const struct policy *policy = &policies.v[i];
		int64_t value = policy->percent ? int64_mul_saturated(max, policy->value) / 100
		                                : policy->value;

		value = int64_mul_saturated(value, 60) / policy->period;
		value = value < most ? value : most;
		if (policies.smallest ? value < drop : value > drop)
			drop = value;
	}
	return drop;
}

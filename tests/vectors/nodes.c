/* Areas of one pod against one node: nodeaffinity, toleration, fit. */
#include "vectors.h"

#include "sched.h"

void check_node_affinity(struct vector *vector)
{
	const struct node *node = node_get(vector->in, "node");
	str name = node_text(node_get(node, "name"));
	struct node_state state = { .name = name };
	const struct workload *workload;
	struct verdict verdict;
	struct loaded loaded;
	struct group *group;

	load_manifest(vector, node_get(vector->in, "manifest"), NULL, &loaded);
	workload = first_workload(vector, &loaded);
	if (!workload)
		return;
	group = read_group(vector->arena, node, (str){ 0 });
	close_labels(vector->arena, group, &loaded.scope->workloads, true);
	node_judge(vector->arena, workload, group, &group->shapes.v[0], &state, &verdict);
	want_bool(vector, "match", verdict.by_filter[FILTER_NODE_AFFINITY] == ANSWER_YES,
	          expect_bool(vector, "match"));
	if (node_get(vector->expect, "preferredScore"))
		want_number(vector, "preferredScore",
		            node_preferred_score(vector->arena, workload, group,
		                                 &group->shapes.v[0], name),
		            number_at(vector->expect, "preferredScore", 0));
	want_valid(vector, &loaded);
}

static void read_gates(struct arena *arena, const struct node *gates, struct strs *ret_gates)
{
	for (uint32_t i = 0; gates && i < gates->child_count; i++) {
		bool on = false;

		if (node_bool(&gates->children[i], &on) && on)
			*VEC_PUSH(arena, ret_gates) = gates->children[i].key;
	}
}

static void want_untolerated(struct vector *vector, const struct workload *workload,
                             const struct group *group, bool comparison)
{
	const struct node *list = node_get(vector->expect, "untolerated");
	const struct node *first = node_get(vector->expect, "firstUntolerated");
	size_t at = taint_untolerated(&workload->tolerations, &group->taints, 0, comparison);
	uint32_t n = 0;

	want_bool(vector, "tolerated", at == group->taints.n, expect_bool(vector, "tolerated"));
	want_bool(vector, "has firstUntolerated", at < group->taints.n, first != NULL);
	if (first && at < group->taints.n) {
		want_text(vector, "first key", group->taints.v[at].key,
		          node_text(node_get(first, "key")));
		want_text(vector, "first value", group->taints.v[at].value,
		          node_text(node_get(first, "value")));
		want_text(vector, "first effect", group->taints.v[at].effect,
		          node_text(node_get(first, "effect")));
	}
	for (; at < group->taints.n; n++) {
		const struct taint *taint = &group->taints.v[at];
		str text = str_format(vector->arena, "%.*s=%.*s:%.*s", STR_ARG(taint->key),
		                      STR_ARG(taint->value), STR_ARG(taint->effect));

		if (list && n < list->child_count)
			want_text(vector, "untolerated", text, node_text(&list->children[n]));
		at = taint_untolerated(&workload->tolerations, &group->taints, at + 1, comparison);
	}
	want_number(vector, "untolerated", n, list ? list->child_count : 0);
}

void check_toleration(struct vector *vector)
{
	struct strs gates = { 0 };
	const struct workload *workload;
	struct loaded loaded;
	struct group *group;
	bool comparison;

	read_gates(vector->arena, node_get(vector->in, "featureGates"), &gates);
	comparison = gates.n > 0;
	load_manifest(vector, node_get(vector->in, "manifest"), &gates, &loaded);
	workload = first_workload(vector, &loaded);
	if (!workload)
		return;
	group = read_group(vector->arena, node_get(vector->in, "node"), (str){ 0 });
	want_untolerated(vector, workload, group, comparison);
	want_number(vector, "preferNoScheduleIntolerable",
	            (int64_t)taint_soft_untolerated(&workload->tolerations, &group->taints,
	                                            comparison),
	            number_at(vector->expect, "preferNoScheduleIntolerable", 0));
	want_valid(vector, &loaded);
}

static bool gives_reason(const struct verdict *verdict, enum filter filter, str text)
{
	for (size_t i = 0; i < verdict->reasons.n; i++)
		if (verdict->reasons.v[i].filter == filter &&
		    str_eq(verdict->reasons.v[i].text, text))
			return true;
	return false;
}

static void want_reasons(struct vector *vector, const struct verdict *verdict,
                         const struct node *wanted)
{
	size_t given = 0;

	for (uint32_t i = 0; i < wanted->child_count; i++)
		want_bool(vector, "reason",
		          gives_reason(verdict, FILTER_NODE_RESOURCES_FIT,
		                       node_text(&wanted->children[i])),
		          true);
	for (size_t i = 0; i < verdict->reasons.n; i++)
		given += verdict->reasons.v[i].filter == FILTER_NODE_RESOURCES_FIT;
	want_number(vector, "reasons", (int64_t)given, wanted->child_count);
}

static void want_failures(struct vector *vector, const struct verdict *verdict)
{
	const struct node *failures = node_get(vector->expect, "failures");

	want_bool(vector, "fits", verdict->answer == ANSWER_YES, expect_bool(vector, "fits"));
	for (size_t i = 0; i < FILTER_COUNT; i++) {
		const char *name = filter_name((enum filter)i);
		const struct node *wanted = node_get(failures, name);

		want_bool(vector, name, verdict->by_filter[i] != ANSWER_YES, wanted != NULL);
		if (wanted && i == FILTER_NODE_RESOURCES_FIT)
			want_reasons(vector, verdict, wanted);
	}
}

/* The pod in question and those that run already, each a text of its own. */
static void load_pods(struct vector *vector, struct loaded *ret_loaded)
{
	const struct node *pods = node_get(vector->in, "podsOnNode");
	size_t count = 1 + (pods ? pods->child_count : 0);
	str *texts = arena_calloc(vector->arena, count, sizeof(*texts));

	texts[0] = json_text(vector->arena, node_get(vector->in, "manifest"));
	for (size_t i = 1; i < count; i++)
		texts[i] = json_text(vector->arena, &pods->children[i - 1]);
	load_texts(vector->arena, texts, count, NULL, ret_loaded);
}

void check_fit(struct vector *vector)
{
	const struct node *node = node_get(vector->in, "nodeGroup");
	str name = str_format(vector->arena, "%.*s-0", STR_ARG(node_text(node_get(node, "name"))));
	struct node_state state = { .name = name };
	const struct workload *workload;
	struct verdict verdict;
	struct loaded loaded, alone;
	struct group *group;

	load_pods(vector, &loaded);
	workload = first_workload(vector, &loaded);
	if (!workload)
		return;
	node_bool(node_get(node, "unschedulable"), &state.unschedulable);
	state.pods = (const struct workload *const *)&loaded.scope->workloads.v[1];
	state.pod_count = loaded.scope->workloads.n - 1;
	group = read_group(vector->arena, node, name);
	close_labels(vector->arena, group, &loaded.scope->workloads, true);
	node_judge(vector->arena, workload, group, &group->shapes.v[0], &state, &verdict);
	want_failures(vector, &verdict);
	load_manifest(vector, node_get(vector->in, "manifest"), NULL, &alone);
	want_valid(vector, &alone);
}

/* Area placement: fleets of workloads on groups at their maximum. */
#include "vectors.h"

#include "sched.h"

/* What one question gave. */
struct story {
	struct vector *vector;
	struct scope scope;
	struct judgement *judgement;
	struct VEC(struct fleet_item) items;
};

/* Workloads and DaemonSets, each a text of its own. */
static void load_story(struct vector *vector, struct loaded *ret_loaded)
{
	const struct node *lists[] = { node_get(vector->in, "workloads"),
		                       node_get(vector->in, "daemonSets") };
	struct strs texts = { 0 };

	for (size_t l = 0; l < COUNT_OF(lists); l++)
		for (uint32_t i = 0; lists[l] && i < lists[l]->child_count; i++)
			*VEC_PUSH(vector->arena, &texts) =
				json_text(vector->arena, &lists[l]->children[i]);
	load_texts(vector->arena, texts.v, texts.n, NULL, ret_loaded);
}

static void read_groups(struct vector *vector, struct scope *scope)
{
	const struct node *list = node_get(vector->in, "nodeGroups");

	scope->groups = (struct groups){ 0 };
	for (uint32_t i = 0; list && i < list->child_count; i++) {
		struct group *group = read_group(vector->arena, &list->children[i], (str){ 0 });

		close_labels(vector->arena, group, &scope->workloads, false);
		if (group->max.value > 0)
			*VEC_PUSH(vector->arena, &scope->groups) = group;
	}
}

static void read_items(struct story *story)
{
	for (size_t i = 0; i < story->scope.workloads.n; i++) {
		const struct workload *workload = story->scope.workloads.v[i];

		if (!workload->daemon_set)
			*VEC_PUSH(story->vector->arena, &story->items) = (struct fleet_item){
				workload, workload->replicas.value };
	}
}

static void ask(const struct story *story, size_t first, size_t count, struct fleet *ret_fleet)
{
	const struct fleet_question question = { .items = &story->items.v[first],
		                                 .count = count, .at_maximum = true };

	sched_fleet(story->vector->arena, story->judgement, &question, ret_fleet);
}

/* Each workload by itself, where the vectors know its maximum. */
static void want_alone(const struct story *story)
{
	struct vector *vector = story->vector;

	for (size_t i = 0; i < story->items.n; i++) {
		const struct workload *workload = story->items.v[i].workload;
		const struct node *wanted = node_get(node_get(vector->expect, "alone"),
		                                     str_c(vector->arena, workload->text));
		bool exact = false;
		struct fleet fleet;

		if (!node_bool(node_get(wanted, "exact"), &exact) || !exact)
			continue;
		ask(story, i, 1, &fleet);
		want_number(vector, "alone lower", fleet.lower, number_at(wanted, "placed", 0));
		want_number(vector, "alone upper", fleet.upper, number_at(wanted, "placed", 0));
	}
}

static void want_verdict(const struct story *story, const struct fleet *fleet)
{
	struct vector *vector = story->vector;
	bool fits = str_is(node_text(node_get(vector->expect, "verdict")), "fits");

	if (fleet->fits == ANSWER_UNKNOWN)
		vector->undecided = true;
	else
		want_bool(vector, "fits", fleet->fits == ANSWER_YES, fits);
	if (fleet->fits == ANSWER_UNKNOWN && story->items.n == 1)
		buf_printf(&vector->miss, " undecided for one workload;");
	if (!node_get(vector->expect, "placedMax"))
		return;
	if (story->items.n == 1) {
		want_number(vector, "lower", fleet->lower, number_at(vector->expect, "placedMax", 0));
		want_number(vector, "upper", fleet->upper, number_at(vector->expect, "placedMax", 0));
	}
	if (fleet->lower > number_at(vector->expect, "placedMax", 0) ||
	    fleet->upper < number_at(vector->expect, "placedMax", 0))
		buf_printf(&vector->miss, " bounds %lld..%lld miss it;", (long long)fleet->lower,
		           (long long)fleet->upper);
}

void check_placement(struct vector *vector)
{
	struct story story = { .vector = vector };
	struct loaded loaded;
	struct fleet fleet;

	load_story(vector, &loaded);
	if (!loaded.scope) {
		buf_printf(&vector->miss, " nothing was read;");
		return;
	}
	story.scope = *loaded.scope;
	read_groups(vector, &story.scope);
	read_items(&story);
	story.judgement = sched_judge(vector->arena, &story.scope);
	ask(&story, 0, story.items.n, &fleet);
	want_verdict(&story, &fleet);
	want_alone(&story);
}

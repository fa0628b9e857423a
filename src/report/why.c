/* kubelint why: one workload against each node group, filter by filter, as the scheduler asks. */
#include "matrix.h"

/* Reasons of one filter that are told when the groups are told in short. */
#define MAX_REASONS_SHOWN 4
/* Column at which the scheduler's words begin. */
#define WORDS_COLUMN 8
/* Different reasons that the first line counts. */
#define MAX_COUNTED 4

struct page {
	const struct report *report;
	struct arena *arena;
	const struct judgement *judgement;
	const struct placement *placement;
	const struct capacity *capacity;
	bool full;                     /* one group: every filter has a line of its own */
	struct buf *out;
};

static const char *const answers[] = {
	[ANSWER_NO] = "no", [ANSWER_UNKNOWN] = "?", [ANSWER_YES] = "yes",
};

/* A paragraph that begins at a column. */
static void add_line(const struct page *page, size_t column, str text)
{
	buf_printf(page->out, "%*s", (int)column, "");
	text_wrap(page->out, report_width(page->report), column + 2, text);
}

/* " (path:line)", or nothing. */
static str place_text(const struct page *page, const struct node *node)
{
	str line = node_line(page->report, node);

	return line.n > 0 ? str_format(page->arena, " (%.*s)", STR_ARG(line)) : STR("");
}

static str with_place(const struct page *page, str text, const struct node *node)
{
	return str_format(page->arena, "%.*s%.*s", STR_ARG(text),
	                  STR_ARG(place_text(page, node)));
}

/* ---- what it wants ------------------------------------------------------------------- */

static str replicas_text(const struct page *page)
{
	const struct workload *workload = page->placement->workload;

	if (workload->daemon_set)
		return STR("runs one pod on each node that it fits");
	if (!workload->baseline.known || !workload->peak.known)
		return STR("wants a number of replicas that is not declared");
	if (workload->peak.value > workload->baseline.value)
		return str_format(page->arena, "wants %lld replicas, up to %lld at its peak",
		                  (long long)workload->baseline.value,
		                  (long long)workload->peak.value);
	return str_format(page->arena, "wants %lld %s", (long long)workload->baseline.value,
	                  workload->baseline.value == 1 ? "replica" : "replicas");
}

/* Each amount with the largest part that goes into it. */
static void add_requests(const struct page *page)
{
	const struct pod_requests *requests = &page->placement->workload->requests;
	struct buf text = { .arena = page->arena };

	for (size_t i = 0; i < requests->v.n; i++) {
		const struct resource_amount *amount = &requests->v.v[i];
		str shown = shown_amount(page->arena, amount->resource, amount->amount);
		buf_printf(&text, "%s%.*s %.*s%s%.*s", i == 0 ? "each pod requests " : ", ",
		           STR_ARG(amount->resource), STR_ARG(shown),
		           amount->unknown ? " or more" : "",
		           STR_ARG(place_text(page, amount->node)));
	}
	if (requests->v.n == 0)
		buf_add(&text, STR("each pod requests nothing"));
	if (requests->from_limits)
		buf_add(&text, STR("; limits stand in for requests that are missing"));
	add_line(page, 2, buf_str(&text));
}

static void add_selector(const struct page *page)
{
	const struct workload *workload = page->placement->workload;
	const struct pairs *pairs = &workload->node_selector;

	for (size_t i = 0; i < pairs->n; i++)
		add_line(page, 2, with_place(page, str_format(page->arena,
		                                              "selects nodes with %.*s=%.*s",
		                                              STR_ARG(pairs->v[i].key),
		                                              STR_ARG(pairs->v[i].value)),
		                             pairs->v[i].node));
	if (workload->pod->required_node_terms.node)
		add_line(page, 2, with_place(page, STR("requires node affinity"),
		                             workload->pod->required_node_terms.node));
}

/* Tolerations that controllers add would only distract. */
static void add_tolerations(const struct page *page)
{
	const struct tolerations *tolerations = &page->placement->workload->tolerations;

	for (size_t i = 0; i < tolerations->n; i++) {
		const struct toleration *toleration = &tolerations->v[i];
		struct buf text = { .arena = page->arena };
		if (!toleration->node)
			continue;
		buf_printf(&text, "tolerates %.*s", STR_ARG(toleration->key.s.n > 0
		                                                   ? toleration->key.s
		                                                   : STR("every key")));
		if (toleration->value.s.n > 0)
			buf_printf(&text, "=%.*s", STR_ARG(toleration->value.s));
		if (toleration->effect.s.n > 0)
			buf_printf(&text, ":%.*s", STR_ARG(toleration->effect.s));
		add_line(page, 2, with_place(page, buf_str(&text), toleration->node));
	}
}

/* ---- one group ----------------------------------------------------------------------- */

static str reason_text(const struct page *page, const struct reason *reason)
{
	str words = reason->text.n > 0 ? reason->text : str_of(filter_name(reason->filter));

	if (reason->answer == ANSWER_UNKNOWN)
		words = STR("hangs on a fact that is not declared");
	if (reason->detail.n == 0)
		return words;
	return str_format(page->arena, "%.*s: %.*s", STR_ARG(words), STR_ARG(reason->detail));
}

/* Both sides, where they are written. */
static str evidence_text(const struct page *page, const struct reason *reason)
{
	str pod = node_line(page->report, reason->pod_node);
	str group = node_line(page->report, reason->group_node);
	struct buf text = { .arena = page->arena };

	if (pod.n > 0)
		buf_printf(&text, " (pod %.*s", STR_ARG(pod));
	if (group.n > 0)
		buf_printf(&text, "%sgroup %.*s", text.n > 0 ? "; " : " (", STR_ARG(group));
	if (text.n > 0)
		buf_char(&text, ')');
	return buf_str(&text);
}

static void add_reasons(const struct page *page, const struct verdict *verdict,
                        enum filter filter)
{
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < verdict->reasons.n; i++) {
		const struct reason *reason = &verdict->reasons.v[i];
		if (reason->filter != filter)
			continue;
		if (!page->full && shown == MAX_REASONS_SHOWN) {
			more++;
			continue;
		}
		add_line(page, WORDS_COLUMN,
		         str_format(page->arena, "%.*s%.*s", STR_ARG(reason_text(page, reason)),
		                    STR_ARG(evidence_text(page, reason))));
		shown++;
	}
	if (more > 0)
		add_line(page, WORDS_COLUMN, str_format(page->arena, "and %zu more", more));
}

/* Filters that pass one after the other share a line, unless every one is asked for. */
static void add_filters(const struct page *page, const struct verdict *verdict)
{
	struct buf passed = { .arena = page->arena };

	for (size_t i = 0; i <= FILTER_COUNT; i++) {
		bool fine = i < FILTER_COUNT && verdict->by_filter[i] == ANSWER_YES;
		if (fine)
			buf_printf(&passed, "%s%s", passed.n > 0 ? ", " : "yes ",
			           filter_name((enum filter)i));
		if (passed.n > 0 && (!fine || page->full)) {
			add_line(page, 4, buf_str(&passed));
			passed = (struct buf){ .arena = page->arena };
		}
		if (fine || i == FILTER_COUNT)
			continue;
		add_line(page, 4, str_format(page->arena, "%-3s %s",
		                             answers[verdict->by_filter[i]],
		                             filter_name((enum filter)i)));
		add_reasons(page, verdict, (enum filter)i);
	}
}

/* What a node offers: one number, or the two between which it lies. */
static str allocatable_text(const struct page *page, const struct capacity_fact *fact)
{
	str safe = shown_amount(page->arena, fact->resource, fact->safe);
	str optimistic = shown_amount(page->arena, fact->resource, fact->optimistic);

	if (!fact->known)
		return STR("what nobody declares");
	if (fact->safe == fact->optimistic)
		return safe;
	return str_format(page->arena, "%.*s to %.*s", STR_ARG(safe), STR_ARG(optimistic));
}

/* "cpu 4 of 15890m, of which DaemonSets take 200m (infra/pools.yaml:14)". */
static void add_room(const struct page *page, const struct group *group,
                     const struct node_shape *shape, str resource, int64_t request)
{
	struct capacity_fact fact = shape_allocatable(group, shape, resource);
	struct resource_amount used =
		resources_get(sched_used(page->judgement, group, shape), resource);
	struct buf text = { .arena = page->arena };

	fact.resource = resource;
	buf_printf(&text, "%.*s: asks %.*s, a node offers %.*s", STR_ARG(resource),
	           STR_ARG(shown_amount(page->arena, resource, request)),
	           STR_ARG(allocatable_text(page, &fact)));
	if (used.amount > 0)
		buf_printf(&text, ", of which DaemonSets and reserves take %.*s%s",
		           STR_ARG(shown_amount(page->arena, resource, used.amount)),
		           used.unknown ? " or more" : "");
	buf_add(&text, place_text(page, fact.node));
	add_line(page, WORDS_COLUMN, buf_str(&text));
}

/* The first shape stands for all where a group has several. */
static void add_rooms(const struct page *page, const struct group *group)
{
	const struct workload *workload = page->placement->workload;
	const struct resource_amounts *requests = &workload->requests.v;

	for (size_t s = 0; s < group->shapes.n && (s == 0 || page->full); s++) {
		const struct node_shape *shape = &group->shapes.v[s];
		str type = shape->instance_type;
		add_line(page, 4, str_format(page->arena, "room on an empty node%s%.*s",
		                             type.n > 0 ? " of type " : "", STR_ARG(type)));
		add_room(page, group, shape, STR("pods"), 1);
		for (size_t i = 0; i < requests->n; i++)
			add_room(page, group, shape, requests->v[i].resource,
			         requests->v[i].amount);
	}
}

/* ---- the fix ------------------------------------------------------------------------- */

static str taint_fix(const struct page *page, const struct taint *taint)
{
	if (taint->value.n == 0)
		return str_format(page->arena, "tolerate it: {key: %.*s, operator: Exists, effect: "
		                  "%.*s}", STR_ARG(taint->key), STR_ARG(taint->effect));
	return str_format(page->arena, "tolerate it: {key: %.*s, operator: Equal, value: \"%.*s\", "
	                  "effect: %.*s}", STR_ARG(taint->key), STR_ARG(taint->value),
	                  STR_ARG(taint->effect));
}

/* One line where a single reason keeps the workload off the group; empty where there are more. */
static str fix_text(const struct page *page, const struct verdict *verdict)
{
	const struct reason *reason;

	if (verdict->answer != ANSWER_NO || verdict->reasons.n != 1)
		return STR("");
	reason = &verdict->reasons.v[0];
	if (reason->taint)
		return taint_fix(page, reason->taint);
	if (reason->filter == FILTER_NODE_AFFINITY && reason->key.n > 0)
		return str_format(page->arena, "give the group's nodes the label that is asked for, "
		                  "or ask for one that they have (%.*s)", STR_ARG(reason->key));
	if (reason->filter == FILTER_NODE_RESOURCES_FIT && reason->key.n > 0)
		return str_format(page->arena, "request less %.*s, or give the group larger nodes",
		                  STR_ARG(reason->key));
	return STR("");
}

/* By what decides, for the line that one reads first. */
static str headline(const struct page *page, const struct verdict *verdict)
{
	const struct reason *reason = shown_reason(verdict);

	if (verdict->answer == ANSWER_YES)
		return verdict->tight ? STR("fits, if nodes offer what the larger estimate says")
		                      : STR("fits");
	if (!reason)
		return str_of(shown_verdict(verdict));
	return str_format(page->arena, "%s: %.*s",
	                  verdict->answer == ANSWER_NO ? "does not fit" : "undecided",
	                  STR_ARG(reason->detail.n > 0 ? reason->detail : reason->text));
}

static void add_group(const struct page *page, const struct verdict *verdict)
{
	str place = group_line(page->report, verdict->group), fix = fix_text(page, verdict);

	buf_char(page->out, '\n');
	if (place.n > 0)
		place = str_format(page->arena, " (%.*s)", STR_ARG(place));
	add_line(page, 0, str_format(page->arena, "%.*s%.*s: %.*s", STR_ARG(verdict->group->name),
	                             STR_ARG(place), STR_ARG(headline(page, verdict))));
	add_filters(page, verdict);
	if (page->full || verdict->by_filter[FILTER_NODE_RESOURCES_FIT] == ANSWER_YES)
		add_rooms(page, verdict->group);
	if (fix.n > 0)
		add_line(page, 4, str_format(page->arena, "fix: %.*s", STR_ARG(fix)));
}

/* ---- capacity ------------------------------------------------------------------------ */

static void add_share(const struct page *page, const struct group_share *share)
{
	str pods = shown_count(page->arena, int64_mul_saturated(share->nodes, share->per_node));
	str nodes = shown_count(page->arena, share->nodes);
	str each = shown_count(page->arena, share->per_node);

	add_line(page, 2, with_place(page,
	                             str_format(page->arena, "%.*s: %.*s nodes x %.*s a node = "
	                                        "%.*s%s%.*s", STR_ARG(share->group->name),
	                                        STR_ARG(nodes), STR_ARG(each), STR_ARG(pods),
	                                        share->limited_by.n > 0 ? ", bound by " : "",
	                                        STR_ARG(share->limited_by)),
	                             share->group->max.node));
}

static str capacity_verdict(const struct page *page)
{
	const struct capacity *capacity = page->capacity;
	int64_t peak = capacity->workload->peak.value;
	long long stay = (long long)int64_sub_saturated(peak, capacity->upper);

	if (!capacity->known)
		return STR("how many replicas fit hangs on facts that are not declared");
	if (capacity->upper < peak)
		return str_format(page->arena, "%lld of %lld replicas fit%s%.*s: %lld %s Pending",
		                  (long long)capacity->upper, (long long)peak,
		                  capacity->limited_by.n > 0 ? ", bound by " : "",
		                  STR_ARG(capacity->limited_by), stay, stay == 1 ? "stays" : "stay");
	if (capacity->placeable < peak)
		return str_format(page->arena, "%lld of %lld replicas fit for certain, all of them "
		                  "by the larger estimate of what nodes offer",
		                  (long long)capacity->placeable, (long long)peak);
	return str_format(page->arena, "all %lld replicas fit when the workload is alone",
	                  (long long)peak);
}

/* Only where more nodes are all that it takes: demands over topologies are no matter of size. */
static void add_growth(const struct page *page)
{
	const struct capacity *capacity = page->capacity;
	const struct group_share *share = capacity->share_count == 1 ? &capacity->shares[0] : NULL;
	int64_t missing = int64_sub_saturated(capacity->workload->peak.value, capacity->total);

	if (!share || !capacity->known || missing <= 0 || share->per_node <= 0 ||
	    share->group->per_zone || share->group->limits.n > 0 ||
	    share->nodes != share->group->max.value || capacity->spread_total != capacity->total)
		return;
	int64_t size = int64_add_saturated(share->nodes, (missing - 1) / share->per_node + 1);
	add_line(page, 2, with_place(page,
	                             str_format(page->arena, "fix: raise the maximum of %.*s from "
	                                        "%lld to %lld nodes", STR_ARG(share->group->name),
	                                        (long long)share->nodes, (long long)size),
	                             share->group->max.node));
}

static void add_capacity(const struct page *page)
{
	const struct capacity *capacity = page->capacity;

	if (capacity->workload->daemon_set || page->placement->count == 0)
		return;
	buf_char(page->out, '\n');
	add_line(page, 0, str_format(page->arena, "Capacity: %.*s",
	                             STR_ARG(capacity_verdict(page))));
	for (size_t i = 0; i < capacity->share_count; i++)
		add_share(page, &capacity->shares[i]);
	add_growth(page);
}

/* ---- the page ------------------------------------------------------------------------ */

/* ": lacks label role=inference (2); has taint … (1)", by the first reason of each group. */
static str counted_reasons(const struct page *page)
{
	struct buf text = { .arena = page->arena };
	struct map *counts = map_new(page->arena);

	for (size_t i = 0; i < page->placement->count; i++) {
		const struct reason *reason = shown_reason(&page->placement->verdicts[i]);
		str key = !reason ? STR("") : reason->detail.n > 0 ? reason->detail : reason->text;
		uintptr_t count = (uintptr_t)map_get(counts, key);
		map_put(counts, key, (void *)(count + 1));
	}
	for (size_t i = 0; i < map_count(counts) && i < MAX_COUNTED; i++) {
		str key;
		uintptr_t count = (uintptr_t)map_at(counts, i, &key);
		buf_printf(&text, "%s%.*s (%zu)", i == 0 ? ": " : "; ", STR_ARG(key), (size_t)count);
	}
	if (map_count(counts) > MAX_COUNTED)
		buf_printf(&text, "; and other reasons");
	return buf_str(&text);
}

/* In one line what the pages below prove. */
static str summary_text(const struct page *page)
{
	size_t counts[ANSWER_YES + 1] = { 0 }, all = page->placement->count;

	if (page->placement->undecidable)
		return str_format(page->arena, "Undecided: %.*s",
		                  STR_ARG(page->placement->undecidable_why));
	for (size_t i = 0; i < all; i++)
		counts[page->placement->verdicts[i].answer]++;
	if (all == 0)
		return STR("Undecided: no node group is declared");
	if (counts[ANSWER_NO] == all)
		return str_format(page->arena, "Not placeable: none of %zu node %s can run it%.*s",
		                  all, all == 1 ? "group" : "groups",
		                  STR_ARG(counted_reasons(page)));
	if (counts[ANSWER_YES] == 0)
		return str_format(page->arena, "Undecided: %zu of %zu node groups may run it, "
		                  "depending on facts that are not declared",
		                  counts[ANSWER_UNKNOWN], all);
	return str_format(page->arena, "%zu of %zu node groups can run one pod of it",
	                  counts[ANSWER_YES], all);
}

static void add_head(const struct page *page)
{
	const struct workload *workload = page->placement->workload;
	str title = scope_title(page->arena, page->judgement->scope);

	if (title.n > 0)
		add_line(page, 0, title);
	add_line(page, 0, str_format(page->arena, "%.*s%.*s %.*s", STR_ARG(workload->text),
	                             STR_ARG(place_text(page, workload->object->name.node)),
	                             STR_ARG(replicas_text(page))));
	add_requests(page);
	add_selector(page);
	add_tolerations(page);
	buf_char(page->out, '\n');
	add_line(page, 0, summary_text(page));
}

void report_why(const struct report *report, const struct judgement *judgement, size_t index,
                size_t group, struct buf *out)
{
	const struct page page = {
		.report = report, .arena = report->arena, .judgement = judgement,
		.placement = &judgement->placements[index],
		.capacity = &judgement->capacities[index], .full = group != SIZE_MAX, .out = out,
	};

	add_head(&page);
	for (size_t i = 0; i < page.placement->count; i++)
		if (group == SIZE_MAX || group == i)
			add_group(&page, &page.placement->verdicts[i]);
	add_capacity(&page);
}

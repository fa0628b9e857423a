/* Verdicts in words, as more than one writer says them. */
#include "matrix.h"

#define DEFAULT_WIDTH 80

/* What a filter is called in a cell; resources have names of their own. */
static const char *const filter_words[FILTER_COUNT] = {
	[FILTER_NODE_UNSCHEDULABLE] = "cordoned", [FILTER_NODE_NAME] = "name",
	[FILTER_TAINT_TOLERATION] = "taint", [FILTER_NODE_AFFINITY] = "label",
	[FILTER_NODE_PORTS] = "port", [FILTER_NODE_RESOURCES_FIT] = "resources",
	[FILTER_VOLUME_ZONE] = "zone", [FILTER_POD_TOPOLOGY_SPREAD] = "spread",
	[FILTER_INTER_POD_AFFINITY] = "affinity",
};

size_t report_width(const struct report *report)
{
	return report->width > 0 ? report->width : DEFAULT_WIDTH;
}

const char *shown_verdict(const struct verdict *verdict)
{
	if (verdict->answer == ANSWER_UNKNOWN)
		return "?";
	if (verdict->answer == ANSWER_NO)
		return "no";
	return verdict->tight ? "tight" : "yes";
}

const struct reason *shown_reason(const struct verdict *verdict)
{
	if (verdict->answer == ANSWER_YES)
		return NULL;
	for (size_t i = 0; i < verdict->reasons.n; i++)
		if (verdict->reasons.v[i].answer == verdict->answer)
			return &verdict->reasons.v[i];
	return NULL;
}

/* "nvidia.com/gpu" is "gpu". */
static str reason_word(const struct reason *reason)
{
	size_t slash = str_find_last(reason->key, '/');

	if (reason->filter != FILTER_NODE_RESOURCES_FIT || reason->key.n == 0)
		return str_of(filter_words[reason->filter]);
	if (str_is(reason->key, "ephemeral-storage"))
		return STR("disk");
	return slash < reason->key.n ? str_slice(reason->key, slash + 1, reason->key.n)
	                             : reason->key;
}

/* A question mark comes with what the missing fact is about. */
str shown_cell(struct arena *arena, const struct placement *placement,
                 const struct verdict *verdict)
{
	const struct reason *reason = shown_reason(verdict);

	if (placement->undecidable && verdict->answer != ANSWER_NO)
		return STR("?");
	if (!reason)
		return str_of(shown_verdict(verdict));
	return str_format(arena, "%s%.*s", verdict->answer == ANSWER_UNKNOWN ? "?" : "",
	                  STR_ARG(reason_word(reason)));
}

str shown_name(const struct workload *workload)
{
	str kind, rest;

	return str_cut(workload->text, '/', &kind, &rest) ? rest : workload->text;
}

str node_line(const struct report *report, const struct node *node)
{
	struct place place;

	if (!node)
		return STR("");
	place = place_of(report, node_place(node));
	if (!place.source)
		return STR("");
	return str_format(report->arena, "%.*s:%u", STR_ARG(place.source->path),
	                  (unsigned)place.begin.line);
}

/* An item of a list has no key of its own: its first entry shows the line. */
str group_line(const struct report *report, const struct group *group)
{
	const struct node *node = group->node, *name = node_get(node, "name");

	if (!name && node_is_map(node) && node->child_count > 0)
		name = &node->children[0];
	return node_line(report, name ? name : node);
}

str shown_count(struct arena *arena, int64_t count)
{
	if (count == INT64_MAX)
		return STR("unbounded");
	return str_format(arena, "%lld", (long long)count);
}

str shown_amount(struct arena *arena, str resource, int64_t amount)
{
	const int64_t mebi = 1024 * 1024;
	bool bytes = str_is(resource, "memory") || str_is(resource, "ephemeral-storage");

	if (bytes && amount >= mebi && amount != INT64_MAX)
		amount -= amount % mebi;
	return amount == INT64_MAX ? STR("unbounded") : amount_text(arena, resource, amount);
}

str scope_title(struct arena *arena, const struct scope *scope)
{
	struct buf text = { .arena = arena };

	if (scope->cluster.n > 0)
		buf_printf(&text, "cluster %.*s", STR_ARG(scope->cluster));
	if (scope->variant.n > 0)
		buf_printf(&text, "%svariant %.*s", text.n > 0 ? ", " : "",
		           STR_ARG(scope->variant));
	return buf_str(&text);
}

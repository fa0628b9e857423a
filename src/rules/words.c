/* The words of messages. */
#include "rules-internal.h"

str count_text(struct arena *arena, int64_t count, const char *noun)
{
	return str_format(arena, "%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
}

str list_text(struct arena *arena, const struct strs *parts, size_t limit)
{
	struct buf buf = { .arena = arena };
	size_t shown = parts->n <= limit ? parts->n : limit;

	for (size_t i = 0; i < shown; i++) {
		bool last = i + 1 == parts->n;
		if (i > 0)
			buf_add(&buf, last ? STR(" and ") : STR(", "));
		buf_add(&buf, parts->v[i]);
	}
	if (shown < parts->n)
		buf_printf(&buf, " and %zu more", parts->n - shown);
	return buf_str(&buf);
}

str label_text(struct arena *arena, str key, str value)
{
	if (value.n == 0)
		return str_copy(arena, key);
	return str_format(arena, "%.*s=%.*s", STR_ARG(key), STR_ARG(value));
}

str request_text(struct arena *arena, str resource, int64_t amount)
{
	str text = amount_text(arena, resource, amount);

	return str_format(arena, "%.*s %.*s", STR_ARG(text), STR_ARG(resource));
}

/* Letters first, then characters that mean nothing to YAML, and no word that it reads as bool or
 * null. */
str scalar_text(struct arena *arena, str value)
{
	static const char *const words[] = { "true", "false", "yes", "no", "on", "off", "y", "n",
		                             "null" };
	str lower = str_lower(arena, value);
	bool plain = lower.n > 0 && lower.p[0] >= 'a' && lower.p[0] <= 'z';

	for (size_t i = 0; i < lower.n && plain; i++) {
		char c = lower.p[i];
		plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
		        c == '_' || c == '/';
	}
	for (size_t i = 0; i < COUNT_OF(words) && plain; i++)
		plain = !str_is(lower, words[i]);
	return plain ? value : str_format(arena, "\"%.*s\"", STR_ARG(value));
}

/* The largest part of the request stands below the key `limits`. */
bool limit_stands_in(const struct workload *workload, str resource)
{
	const struct node *node = resources_get(&workload->requests.v, resource).node;

	return (str_is(resource, "cpu") || str_is(resource, "memory")) && node && node->parent &&
	       str_is(node->parent->key, "limits");
}

/* ---- reasons ----------------------------------------------------------------------------- */

/* An entry of the nodeSelector, which stands in the map as a scalar, is said like a label. */
str reason_text(struct arena *arena, const struct reason *reason)
{
	if (reason->filter == FILTER_NODE_AFFINITY && node_is_scalar(reason->pod_node)) {
		str label = label_text(arena, reason->key, node_text(reason->pod_node));
		return str_format(arena, "lacks label %.*s", STR_ARG(label));
	}
	if (reason->taint) {
		str taint = taint_text(arena, reason->taint);
		return str_format(arena, "has taint %.*s that it does not tolerate",
		                  STR_ARG(taint));
	}
	if (reason->filter == FILTER_NODE_RESOURCES_FIT && reason->key.n > 0)
		return str_format(arena, "has too little %.*s", STR_ARG(reason->key));
	return reason->detail.n > 0 ? reason->detail : reason->text;
}

str reasons_text(struct arena *arena, const struct reason *reason, size_t count)
{
	static const struct {
		const char *one, *many;
	} verbs[] = { { "has ", "have " }, { "lacks ", "lack " }, { "is ", "are " } };
	str text = reason_text(arena, reason);

	for (size_t i = 0; count != 1 && i < COUNT_OF(verbs); i++) {
		str one = str_of(verbs[i].one);
		if (str_starts(text, one)) {
			str rest = str_slice(text, one.n, text.n);
			return str_format(arena, "%s%.*s", verbs[i].many, STR_ARG(rest));
		}
	}
	return text;
}

/* Reasons of equal text, counted. */
struct tally_row {
	str text;
	const struct reason *reason;
	size_t count;
};
struct tally_rows VEC(struct tally_row);

static void tally_reason(struct arena *arena, struct tally_rows *rows,
                         const struct reason *reason)
{
	str text = reason_text(arena, reason);

	for (size_t i = 0; i < rows->n; i++) {
		if (str_eq(rows->v[i].text, text)) {
			rows->v[i].count++;
			return;
		}
	}
	*VEC_PUSH(arena, rows) = (struct tally_row){ text, reason, 1 };
}

#define ROWS_SHOWN 4

/* The most frequent reasons first, equal ones in the order of the groups; only as many as are
 * shown need be in order. */
static void sort_rows(struct tally_rows *rows)
{
	for (size_t i = 0; i < rows->n && i < ROWS_SHOWN; i++) {
		size_t most = i;
		for (size_t k = i + 1; k < rows->n; k++)
			most = rows->v[k].count > rows->v[most].count ? k : most;
		struct tally_row row = rows->v[most];
		for (size_t k = most; k > i; k--)
			rows->v[k] = rows->v[k - 1];
		rows->v[i] = row;
	}
}

const struct reason *verdict_first_no(const struct verdict *verdict)
{
	const struct reason *label = verdict_reason(verdict, FILTER_NODE_AFFINITY);

	if (label)
		return label;
	for (size_t i = 0; i < verdict->reasons.n; i++)
		if (verdict->reasons.v[i].answer == ANSWER_NO)
			return &verdict->reasons.v[i];
	return NULL;
}

str placement_text(struct arena *arena, const struct placement *placement)
{
	struct tally_rows rows = { 0 };
	struct buf buf = { .arena = arena };
	size_t able = 0, others = 0;

	for (size_t i = 0; i < placement->count; i++) {
		const struct reason *reason = verdict_first_no(&placement->verdicts[i]);
		able += placement->verdicts[i].answer == ANSWER_YES;
		if (placement->verdicts[i].answer == ANSWER_NO && reason)
			tally_reason(arena, &rows, reason);
	}
	buf_printf(&buf, "%zu/%zu node groups can run it", able, placement->count);
	sort_rows(&rows);
	for (size_t i = 0; i < rows.n && i < ROWS_SHOWN; i++) {
		str text = reasons_text(arena, rows.v[i].reason, rows.v[i].count);
		buf_printf(&buf, "%s%zu %.*s", i == 0 ? ": " : ", ", rows.v[i].count,
		           STR_ARG(text));
	}
	for (size_t i = ROWS_SHOWN; i < rows.n; i++)
		others += rows.v[i].count;
	if (others > 0)
		buf_printf(&buf, ", %zu for other reasons", others);
	return buf_str(&buf);
}

/* ---- verdicts ---------------------------------------------------------------------------- */

const struct placement *placement_of(const struct judge *judge, const struct workload *workload)
{
	return &judge->judgement->placements[workload->index];
}

const struct capacity *capacity_of(const struct judge *judge, const struct workload *workload)
{
	return &judge->judgement->capacities[workload->index];
}

bool verdict_labels_admit(const struct verdict *verdict)
{
	return verdict->by_filter[FILTER_NODE_AFFINITY] != ANSWER_NO;
}

const struct reason *verdict_reason(const struct verdict *verdict, enum filter filter)
{
	for (size_t i = 0; i < verdict->reasons.n; i++)
		if (verdict->reasons.v[i].filter == filter &&
		    verdict->reasons.v[i].answer == ANSWER_NO)
			return &verdict->reasons.v[i];
	return NULL;
}

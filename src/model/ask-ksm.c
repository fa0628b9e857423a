/* Metrics that alert rules read (rules/data/ksm-metrics.tsv). */
#include "ask.h"
#include "model-internal.h"

struct metric_row {
	str metric, source, type, labels, since, last, replacement, range, note;
};

#include "ksm-metrics-table.h"

/* The first row of the metric, or NULL; rows are sorted by name. */
static const struct metric_row *row_of(str name)
{
	size_t low = 0, high = COUNT_OF(metric_rows);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (str_cmp(metric_rows[middle].metric, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < COUNT_OF(metric_rows) && str_eq(metric_rows[low].metric, name)
	               ? &metric_rows[low] : NULL;
}

/* One of a comma-separated list? */
static bool has_label(str labels, str label)
{
	str one;

	while (str_next(&labels, ',', &one))
		if (str_eq(one, label))
			return true;
	return false;
}

bool metric_fact_find(str name, struct metric_fact *ret_fact)
{
	const struct metric_row *row = row_of(name);

	*ret_fact = (struct metric_fact){ 0 };
	if (!row)
		return false;
	*ret_fact = (struct metric_fact){
		.source = row->source,
		.labels = row->labels,
		.last = row->last,
		.replacement = row->replacement,
		.flag = str_is(row->range, "0-1"),
		.constant = str_is(row->range, "1"),
	};
	return true;
}

bool metric_lost_label(str name, str label)
{
	const struct metric_row *now = row_of(name);

	if (!now || now->last.n || has_label(now->labels, label))
		return false;
	for (size_t i = 0; i < COUNT_OF(metric_rows); i++)
		if (str_eq(metric_rows[i].replacement, name) &&
		    has_label(metric_rows[i].labels, label))
			return true;
	return false;
}

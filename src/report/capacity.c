/* kubelint capacity: how full the groups get, and what does not fit. */
#include "matrix.h"

/* Width of a column: what limits a workload is told in words. */
#define MAX_CELL 32

struct page {
	const struct report *report;
	struct arena *arena;
	const struct matrix *matrix;
	struct buf *out;
};

/* Heads of both tables, and of their CSV. */
static const char *const group_heads[] = {
	"node group", "max", "baseline", "peak", "use", "of", "headroom", "least max",
};
static const char *const workload_heads[] = {
	"workload", "baseline", "peak", "placeable", "limited by",
};

/* ---- cells --------------------------------------------------------------------------- */

static const struct group *group_at(const struct page *page, size_t column)
{
	return page->matrix->judgement->scope->groups.v[page->matrix->columns[column]];
}

static const struct group_use *use_at(const struct page *page, size_t column)
{
	return &page->matrix->uses[page->matrix->columns[column]];
}

/* Bounds by zone count once for each. */
static bool max_nodes(const struct group *group, int64_t *ret_max)
{
	if (group->max.origin == ORIGIN_UNKNOWN || (group->per_zone && group->zones.n == 0))
		return false;
	*ret_max = group->max.value;
	if (group->per_zone)
		*ret_max = int64_mul_saturated(*ret_max, (int64_t)group->zones.n);
	return true;
}

static str known_count(const struct page *page, bool known, int64_t count)
{
	return known ? shown_count(page->arena, count) : STR("?");
}

/* Of a group without bound no share can be told. */
static bool has_percent(const struct group *group, const struct group_use *use)
{
	int64_t max = 0;

	return use->known && max_nodes(group, &max) && max != INT64_MAX;
}

static str percent_text(const struct page *page, bool known, int64_t percent)
{
	return known ? str_format(page->arena, "%lld%%", (long long)percent) : STR("?");
}

static void group_cells(const struct page *page, size_t column, struct strs *cells)
{
	const struct group *group = group_at(page, column);
	const struct group_use *use = use_at(page, column);
	bool percent = has_percent(group, use);
	int64_t max = 0;
	bool bound = max_nodes(group, &max);
	str texts[COUNT_OF(group_heads)] = {
		group->name, known_count(page, bound, max),
		known_count(page, use->known, use->at_baseline),
		known_count(page, use->known, use->at_peak),
		percent_text(page, percent, use->percent), use->resource,
		percent_text(page, percent, 100 - use->percent),
		use->least_max < 0 ? STR("-") : shown_count(page->arena, use->least_max),
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		*VEC_PUSH(page->arena, cells) = texts[i];
}

static str placeable_text(const struct page *page, const struct capacity *capacity)
{
	if (!capacity->known)
		return STR("?");
	if (!capacity->tight)
		return shown_count(page->arena, capacity->placeable);
	return str_format(page->arena, "%lld..%lld", (long long)capacity->placeable,
	                  (long long)capacity->upper);
}

/* A workload that no group takes is limited by the first reason of the first group. */
static str limit_text(const struct page *page, size_t row)
{
	const struct placement *placement =
		&page->matrix->judgement->placements[page->matrix->rows[row]];
	const struct capacity *capacity =
		&page->matrix->judgement->capacities[page->matrix->rows[row]];

	if (placement->undecidable)
		return placement->undecidable_why;
	if (capacity->share_count == 0 && placement->count > 0)
		return STR("no node group takes it");
	return capacity->limited_by;
}

/* whole: with its kind, for programs. */
static void workload_cells(const struct page *page, size_t row, bool whole, struct strs *cells)
{
	const struct capacity *capacity =
		&page->matrix->judgement->capacities[page->matrix->rows[row]];
	const struct workload *workload = capacity->workload;
	str texts[COUNT_OF(workload_heads)] = {
		whole ? workload->text : shown_name(workload),
		known_count(page, workload->baseline.known, workload->baseline.value),
		known_count(page, workload->peak.known, workload->peak.value),
		placeable_text(page, capacity), limit_text(page, row),
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		*VEC_PUSH(page->arena, cells) = texts[i];
}

/* DaemonSets run one a node: they have no number to place. */
static bool is_counted(const struct page *page, size_t row)
{
	const struct judgement *judgement = page->matrix->judgement;

	return !judgement->capacities[page->matrix->rows[row]].workload->daemon_set;
}

/* ---- tables -------------------------------------------------------------------------- */

static void begin_table(const struct page *page, const char *const *heads, size_t count,
                        struct table *table)
{
	*table = (struct table){ .arena = page->arena, .columns = count, .most = MAX_CELL };
	for (size_t i = 0; i < count; i++)
		table_add(table, str_of(heads[i]));
}

static void write_table(const struct page *page, const struct table *table, bool markdown)
{
	if (markdown)
		table_markdown(table, page->out);
	else
		table_text(table, report_width(page->report), page->out);
}

static void add_groups(const struct page *page, bool markdown)
{
	struct table table;

	begin_table(page, group_heads, COUNT_OF(group_heads), &table);
	for (size_t i = 0; i < page->matrix->column_count; i++) {
		struct strs cells = { 0 };
		group_cells(page, i, &cells);
		for (size_t k = 0; k < cells.n; k++)
			table_add(&table, cells.v[k]);
	}
	write_table(page, &table, markdown);
}

static void add_workloads(const struct page *page, bool markdown)
{
	struct table table;

	begin_table(page, workload_heads, COUNT_OF(workload_heads), &table);
	for (size_t i = 0; i < page->matrix->row_count; i++) {
		struct strs cells = { 0 };
		if (!is_counted(page, i))
			continue;
		workload_cells(page, i, false, &cells);
		for (size_t k = 0; k < cells.n; k++)
			table_add(&table, cells.v[k]);
	}
	write_table(page, &table, markdown);
}

static void add_legend(const struct page *page, bool markdown)
{
	static const char *const lines[][2] = {
		{ "baseline, peak", "nodes in use when all workloads run together, each as far as it fits" },
		{ "use", "of the scarcest resource at the maximum size, at the peak" },
		{ "least max", "places every replica at the peak when this group alone changes; "
		               "- where no size does, or facts are missing" },
		{ "placeable", "replicas that fit when the workload is alone" },
	};
	size_t column = 16;

	buf_char(page->out, '\n');
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		if (markdown) {
			buf_printf(page->out, "- %s: %s\n", lines[i][0], lines[i][1]);
			continue;
		}
		buf_printf(page->out, "%-*s", (int)column, lines[i][0]);
		text_wrap(page->out, report_width(page->report), column, str_of(lines[i][1]));
	}
}

static void add_scope(const struct page *page, bool markdown)
{
	str title = scope_title(page->arena, page->matrix->judgement->scope);

	if (page->out->n > 0)
		buf_char(page->out, '\n');
	if (title.n > 0)
		buf_printf(page->out, "%s%.*s\n\n", markdown ? "### " : "",
		           STR_ARG(report_terminal_text(page->arena, title)));
	if (page->matrix->column_count == 0) {
		buf_add(page->out, STR("no node group is declared\n"));
		return;
	}
	add_groups(page, markdown);
	buf_char(page->out, '\n');
	add_workloads(page, markdown);
	add_legend(page, markdown);
}

/* ---- for programs -------------------------------------------------------------------- */

static void add_csv_line(const struct page *page, const char *kind, const struct strs *cells)
{
	const struct scope *scope = page->matrix->judgement->scope;

	csv_add(page->out, scope->cluster, false);
	csv_add(page->out, scope->variant, false);
	csv_add(page->out, str_of(kind), false);
	for (size_t i = 0; i < COUNT_OF(group_heads); i++)
		csv_add(page->out, i < cells->n ? cells->v[i] : STR(""),
		        i + 1 == COUNT_OF(group_heads));
}

/* Both tables in one: a column says which a line belongs to. A workload's placeable replicas stand
 * under `placeable`, its limit under `limitedBy`. */
static void add_csv(const struct page *page)
{
	for (size_t i = 0; i < page->matrix->column_count; i++) {
		struct strs cells = { 0 };
		group_cells(page, i, &cells);
		add_csv_line(page, "group", &cells);
	}
	for (size_t i = 0; i < page->matrix->row_count; i++) {
		struct strs cells = { 0 }, wide = { 0 };
		if (!is_counted(page, i))
			continue;
		workload_cells(page, i, true, &cells);
		*VEC_PUSH(page->arena, &wide) = cells.v[0];
		*VEC_PUSH(page->arena, &wide) = cells.v[3];
		*VEC_PUSH(page->arena, &wide) = cells.v[1];
		*VEC_PUSH(page->arena, &wide) = cells.v[2];
		*VEC_PUSH(page->arena, &wide) = STR("");
		*VEC_PUSH(page->arena, &wide) = cells.v[4];
		add_csv_line(page, "workload", &wide);
	}
}

static json_t *count_value(bool known, int64_t count)
{
	return known && count >= 0 && count != INT64_MAX ? json_integer(count) : json_null();
}

static void add_fleet(const struct page *page, size_t column, json_t *list)
{
	const struct group *group = group_at(page, column);
	const struct group_use *use = use_at(page, column);
	json_t *value = json_object();
	int64_t max = 0;
	bool bound = max_nodes(group, &max);

	json_put_text(page->report, value, "cluster", page->matrix->judgement->scope->cluster);
	json_put(value, "group", json_text(page->report, group->name));
	json_put(value, "maxNodes", count_value(bound, max));
	json_put(value, "nodesAtBaseline", count_value(use->known, use->at_baseline));
	json_put(value, "nodesAtPeak", count_value(use->known, use->at_peak));
	json_put(value, "leastMaxSize", count_value(true, use->least_max));
	json_put(value, "headroomPercent", count_value(has_percent(group, use),
	                                               100 - use->percent));
	json_put_text(page->report, value, "limitedBy", use->resource);
	json_array_append_new(list, value);
}

static void write_json(const struct report *report, const struct matrices *matrices,
                       struct buf *out)
{
	json_begin();
	json_t *root = json_root(report), *capacity = json_array(), *fleet = json_array();

	json_put(root, "diagnostics", json_array());
	for (size_t i = 0; i < matrices->n; i++) {
		const struct matrix *matrix = &matrices->v[i];
		const struct page page = { report, report->arena, matrix, out };
		for (size_t row = 0; matrix->column_count > 0 && row < matrix->row_count; row++)
			json_add_capacity(report,
			                  &matrix->judgement->capacities[matrix->rows[row]],
			                  matrix->judgement->scope->cluster, capacity);
		for (size_t k = 0; k < matrix->column_count; k++)
			add_fleet(&page, k, fleet);
	}
	json_put(root, "capacity", capacity);
	json_put(root, "fleet", fleet);
	json_dump_into(root, out);
}

void report_capacity(const struct report *report, const struct matrices *matrices, str format,
                     struct buf *out)
{
	bool csv = str_is(format, "csv");

	if (str_is(format, "json")) {
		write_json(report, matrices, out);
		return;
	}
	if (csv)
		buf_add(out, STR("cluster,variant,kind,name,max or placeable,baseline,peak,"
		                 "use,limited by,headroom,least max\r\n"));
	for (size_t i = 0; i < matrices->n; i++) {
		const struct page page = { report, report->arena, &matrices->v[i], out };
		if (csv)
			add_csv(&page);
		else
			add_scope(&page, str_is(format, "markdown"));
	}
}

/* kubelint fit: the matrix workload x group. */
#include "matrix.h"

/* More rows than this do not fit a screen: equal ones become one. */
#define FOLD_ABOVE 12
/* Facts that the legend lists under one word. */
#define MAX_FACTS 6

/* One scope's matrix on its way out. */
struct page {
	const struct report *report;
	struct arena *arena;
	const struct matrix *matrix;
	struct buf *out;
};

static const struct placement *placement_at(const struct page *page, size_t row)
{
	return &page->matrix->judgement->placements[page->matrix->rows[row]];
}

static str cell_at(const struct page *page, size_t row, size_t column)
{
	const struct placement *placement = placement_at(page, row);

	return shown_cell(page->arena, placement,
	                    &placement->verdicts[page->matrix->columns[column]]);
}

/* ---- rows ---------------------------------------------------------------------------- */

/* Workloads with equal cells: the first, and how many more. */
struct fold {
	size_t row, more;
};
struct folds VEC(struct fold);

static str row_key(const struct page *page, size_t row)
{
	struct buf key = { .arena = page->arena };

	for (size_t i = 0; i < page->matrix->column_count; i++)
		buf_printf(&key, "%.*s|", STR_ARG(cell_at(page, row, i)));
	return buf_str(&key);
}

/* Folds are found by index + 1: a map holds pointers. */
static void fold_rows(const struct page *page, struct folds *ret_folds)
{
	struct map *known = map_new(page->arena);
	bool folded = page->matrix->row_count > FOLD_ABOVE;

	for (size_t row = 0; row < page->matrix->row_count; row++) {
		str key = folded ? row_key(page, row) : STR("");
		size_t at = folded ? (uintptr_t)map_get(known, key) : 0;
		if (at > 0) {
			ret_folds->v[at - 1].more++;
			continue;
		}
		*VEC_PUSH(page->arena, ret_folds) = (struct fold){ .row = row };
		if (folded)
			map_put(known, key, (void *)(uintptr_t)ret_folds->n);
	}
}

static str row_name(const struct page *page, const struct fold *fold)
{
	str name = shown_name(placement_at(page, fold->row)->workload);

	if (fold->more == 0)
		return name;
	return str_format(page->arena, "%.*s +%zu", STR_ARG(table_cut(page->arena, name, 24)),
	                  fold->more);
}

static void fill_table(const struct page *page, const struct folds *folds, struct table *table)
{
	const struct scope *scope = page->matrix->judgement->scope;

	table->arena = page->arena;
	table->columns = page->matrix->column_count + 1;
	table_add(table, STR("workload"));
	for (size_t i = 0; i < page->matrix->column_count; i++)
		table_add(table, scope->groups.v[page->matrix->columns[i]]->name);
	for (size_t i = 0; i < folds->n; i++) {
		table_add(table, row_name(page, &folds->v[i]));
		for (size_t k = 0; k < page->matrix->column_count; k++)
			table_add(table, cell_at(page, folds->v[i].row, k));
	}
}

/* ---- the legend ---------------------------------------------------------------------- */

/* A word of the cells: the scheduler's own, and the facts behind it. */
struct entry {
	str word, text;
	struct strs facts;
	size_t more;
};
struct legend {
	struct map *entries, *facts;
	struct arena *arena;
	struct VEC(struct entry *) list;
};

static struct entry *legend_entry(struct legend *legend, str word, str text)
{
	str key = str_format(legend->arena, "%.*s|%.*s", STR_ARG(word), STR_ARG(text));
	struct entry *entry = map_get(legend->entries, key);

	if (entry)
		return entry;
	entry = ARENA_NEW(legend->arena, struct entry);
	entry->word = word;
	entry->text = text;
	map_put(legend->entries, key, entry);
	*VEC_PUSH(legend->arena, &legend->list) = entry;
	return entry;
}

static void legend_add(struct legend *legend, str word, str text, str fact)
{
	struct entry *entry = legend_entry(legend, word, text);
	str key = str_format(legend->arena, "%.*s|%.*s|%.*s", STR_ARG(word), STR_ARG(text),
	                     STR_ARG(fact));

	if (fact.n == 0 || map_has(legend->facts, key))
		return;
	map_put(legend->facts, key, entry);
	if (entry->facts.n < MAX_FACTS)
		*VEC_PUSH(legend->arena, &entry->facts) = fact;
	else
		entry->more++;
}

static void add_cell_to_legend(const struct page *page, struct legend *legend, size_t row,
                               size_t column)
{
	const struct placement *placement = placement_at(page, row);
	const struct verdict *verdict = &placement->verdicts[page->matrix->columns[column]];
	const struct reason *reason = shown_reason(verdict);
	str word = cell_at(page, row, column);

	if (placement->undecidable && verdict->answer != ANSWER_NO)
		legend_add(legend, word, STR("not decided"), placement->undecidable_why);
	else if (reason && reason->answer == ANSWER_UNKNOWN)
		legend_add(legend, word, STR("hangs on a fact that is not declared"),
		           reason->detail);
	else if (reason)
		legend_add(legend, word, reason->text, reason->detail);
	else if (verdict->tight)
		legend_add(legend, word,
		           STR("fits by the larger estimate of what a node offers, not by the "
		               "smaller"), STR(""));
}

static str entry_text(const struct page *page, const struct entry *entry)
{
	struct buf text = { .arena = page->arena };

	buf_add(&text, entry->text);
	for (size_t i = 0; i < entry->facts.n; i++)
		buf_printf(&text, "%s%.*s", i == 0 ? ": " : "; ", STR_ARG(entry->facts.v[i]));
	if (entry->more > 0)
		buf_printf(&text, "; and %zu more", entry->more);
	return buf_str(&text);
}

static void collect_legend(const struct page *page, const struct folds *folds,
                           struct legend *legend)
{
	legend->arena = page->arena;
	legend->entries = map_new(page->arena);
	legend->facts = map_new(page->arena);
	for (size_t i = 0; i < folds->n; i++)
		for (size_t k = 0; k < page->matrix->column_count; k++)
			add_cell_to_legend(page, legend, folds->v[i].row, k);
}

static void add_legend(const struct page *page, const struct folds *folds, bool markdown)
{
	struct legend legend = { 0 };

	collect_legend(page, folds, &legend);
	if (legend.list.n > 0)
		buf_char(page->out, '\n');
	for (size_t i = 0; i < legend.list.n; i++) {
		const struct entry *entry = legend.list.v[i];
		str word = report_terminal_text(page->arena, entry->word);
		str text = entry_text(page, entry);
		if (markdown) {
			struct table line = { .arena = page->arena, .columns = 1 };
			buf_add(page->out, STR("- "));
			table_add(&line, str_format(page->arena, "%.*s: %.*s", STR_ARG(word),
			                            STR_ARG(text)));
			table_markdown_cell(page->out, line.cells.v[0]);
			buf_char(page->out, '\n');
			continue;
		}
		buf_printf(page->out, "%-10.*s  ", STR_ARG(word));
		text_wrap(page->out, report_width(page->report), 12, text);
	}
}

/* ---- one scope ----------------------------------------------------------------------- */

static void add_folded_note(const struct page *page, const struct folds *folds)
{
	if (folds->n == page->matrix->row_count)
		return;
	buf_add(page->out, STR("+N          "));
	text_wrap(page->out, report_width(page->report), 12,
	          STR("further workloads with the same row; --format csv lists each"));
}

static void add_scope(const struct page *page, bool markdown)
{
	struct folds folds = { 0 };
	struct table table = { 0 };
	str title = scope_title(page->arena, page->matrix->judgement->scope);

	if (page->out->n > 0)
		buf_char(page->out, '\n');
	if (title.n > 0)
		buf_printf(page->out, "%s%.*s\n\n", markdown ? "### " : "",
		           STR_ARG(report_terminal_text(page->arena, title)));
	if (page->matrix->row_count == 0 || page->matrix->column_count == 0) {
		buf_add(page->out, page->matrix->row_count == 0
		                           ? STR("no workload is declared\n")
		                           : STR("no node group is declared\n"));
		return;
	}
	fold_rows(page, &folds);
	fill_table(page, &folds, &table);
	if (markdown)
		table_markdown(&table, page->out);
	else
		table_text(&table, report_width(page->report), page->out);
	add_legend(page, &folds, markdown);
	if (!markdown)
		add_folded_note(page, &folds);
}

/* ---- for programs -------------------------------------------------------------------- */

static void add_csv(const struct page *page)
{
	const struct scope *scope = page->matrix->judgement->scope;

	for (size_t row = 0; row < page->matrix->row_count; row++) {
		const struct placement *placement = placement_at(page, row);
		for (size_t i = 0; i < page->matrix->column_count; i++) {
			const struct verdict *verdict =
				&placement->verdicts[page->matrix->columns[i]];
			const struct reason *reason = shown_reason(verdict);
			csv_add(page->out, scope->cluster, false);
			csv_add(page->out, scope->variant, false);
			csv_add(page->out, placement->workload->text, false);
			csv_add(page->out, verdict->group->name, false);
			csv_add(page->out, cell_at(page, row, i), false);
			csv_add(page->out, reason ? reason->text : STR(""), false);
			csv_add(page->out, reason ? reason->detail : STR(""), true);
		}
	}
}

static void write_json(const struct report *report, const struct matrices *matrices,
                       struct buf *out)
{
	json_begin();
	json_t *root = json_root(report), *fit = json_array();

	json_put(root, "diagnostics", json_array());
	for (size_t i = 0; i < matrices->n; i++) {
		const struct matrix *matrix = &matrices->v[i];
		for (size_t row = 0; row < matrix->row_count; row++)
			for (size_t k = 0; k < matrix->column_count; k++)
				json_add_cell(report,
				              &matrix->judgement->placements[matrix->rows[row]],
				              matrix->columns[k],
				              matrix->judgement->scope->cluster, fit);
	}
	json_put(root, "fit", fit);
	json_dump_into(root, out);
}

void report_fit(const struct report *report, const struct matrices *matrices, str format,
                struct buf *out)
{
	bool csv = str_is(format, "csv");

	if (str_is(format, "json")) {
		write_json(report, matrices, out);
		return;
	}
	if (csv)
		buf_add(out, STR("cluster,variant,workload,group,fits,reason,detail\r\n"));
	for (size_t i = 0; i < matrices->n; i++) {
		struct page page = { report, report->arena, &matrices->v[i], out };
		if (csv)
			add_csv(&page);
		else
			add_scope(&page, str_is(format, "markdown"));
	}
}

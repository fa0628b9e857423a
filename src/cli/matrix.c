/* kubelint fit, why and capacity: what was judged, shown instead of linted. */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli-internal.h"

/* Workloads that a message lists at most. */
#define MAX_LISTED 8
/* Narrower terminals are written for as if they had this. */
#define MIN_WIDTH 40
#define MAX_WIDTH 1000

/* ---- what is asked ------------------------------------------------------------------- */

/* Kinds are written in any case, as kubectl takes them. */
static bool kind_is(struct arena *arena, str kind, str wanted)
{
	return str_eq(str_lower(arena, kind), str_lower(arena, wanted));
}

/* NAME, NS/NAME or KIND/NS/NAME. */
static bool is_called(struct arena *arena, const struct workload *workload, str wanted)
{
	str kind, name, head, rest;

	str_cut(workload->text, '/', &kind, &name);
	if (!str_cut(wanted, '/', &head, &rest))
		return str_eq(str_slice(name, str_find_last(name, '/') + 1, name.n), wanted);
	if (str_find(rest, '/') < rest.n)
		return kind_is(arena, kind, head) && str_eq(name, rest);
	return str_eq(name, wanted);
}

/* A workload of some scope. */
struct match {
	size_t scope, index;
};
struct matches VEC(struct match);

static void find_workloads(const struct pipeline *pipeline, str wanted,
                           struct matches *ret_matches)
{
	for (size_t i = 0; i < pipeline->scopes.n; i++) {
		const struct workloads *workloads = &pipeline->scopes.v[i]->workloads;
		for (size_t k = 0; k < workloads->n; k++)
			if (is_called(pipeline->arena, workloads->v[k], wanted))
				*VEC_PUSH(pipeline->arena, ret_matches) = (struct match){ i, k };
	}
}

/* The name nearest to what was asked, in the form in which it was asked; empty: none. */
static str nearest_workload(const struct pipeline *pipeline, str wanted)
{
	struct strs names = { 0 };
	struct map *known = map_new(pipeline->arena);
	size_t slashes = 0;

	for (size_t i = 0; i < wanted.n; i++)
		slashes += wanted.p[i] == '/';
	for (size_t i = 0; i < pipeline->scopes.n; i++)
		for (size_t k = 0; k < pipeline->scopes.v[i]->workloads.n; k++) {
			str head, name = pipeline->scopes.v[i]->workloads.v[k]->text;
			for (size_t cut = slashes; cut < 2; cut++)
				str_cut(name, '/', &head, &name);
			if (map_has(known, name))
				continue;
			map_put(known, name, known);
			*VEC_PUSH(pipeline->arena, &names) = name;
		}
	size_t i = str_nearest(wanted, names.v, names.n);
	return i < names.n ? names.v[i] : STR("");
}

static int no_such_workload(const struct run *run, const struct pipeline *pipeline)
{
	str wanted = run->options->workload, near = nearest_workload(pipeline, wanted);

	fprintf(run->err, "kubelint: error: no workload is called '%.*s'", STR_ARG(wanted));
	if (near.n > 0)
		fprintf(run->err, "; did you mean '%.*s'?",
		        STR_ARG(report_terminal_text(run->arena, near)));
	fputc('\n', run->err);
	return 2;
}

/* Each name once: of two that are equally near neither is the nearest. */
static void list_groups(const struct pipeline *pipeline, struct strs *ret_names)
{
	struct map *known = map_new(pipeline->arena);

	for (size_t i = 0; i < pipeline->scopes.n; i++)
		for (size_t k = 0; k < pipeline->scopes.v[i]->groups.n; k++) {
			str name = pipeline->scopes.v[i]->groups.v[k]->name;
			if (map_has(known, name))
				continue;
			map_put(known, name, known);
			*VEC_PUSH(pipeline->arena, ret_names) = name;
		}
}

static int no_such_group(const struct run *run, const struct pipeline *pipeline)
{
	struct strs names = { 0 };

	list_groups(pipeline, &names);
	size_t near = str_nearest(run->options->group, names.v, names.n);
	fprintf(run->err, "kubelint: error: no node group is called '%.*s'",
	        STR_ARG(run->options->group));
	if (near < names.n)
		fprintf(run->err, "; did you mean '%.*s'?",
		        STR_ARG(report_terminal_text(run->arena, names.v[near])));
	fputc('\n', run->err);
	return 2;
}

/* ---- what is shown ------------------------------------------------------------------- */

/* The environment wins, as for ls. */
static size_t terminal_width(const struct run *run)
{
	static const char name[] = "COLUMNS=";
	struct winsize size;
	int64_t width = 0;

	for (size_t i = 0; run->environment && run->environment[i]; i++)
		if (strncmp(run->environment[i], name, sizeof name - 1) == 0 &&
		    !str_to_int64(str_of(run->environment[i] + sizeof name - 1), &width))
			width = 0;
	if (width <= 0 && isatty(fileno(run->out)) &&
	    ioctl(fileno(run->out), TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width <= 0)
		return 0;
	width = width < MIN_WIDTH ? MIN_WIDTH : width;
	return (size_t)(width < MAX_WIDTH ? width : MAX_WIDTH);
}

static bool row_is_wanted(const struct run *run, const struct workload *workload)
{
	return run->options->workload.n == 0 ||
	       is_called(run->arena, workload, run->options->workload);
}

/* Rows and columns of one scope that the options leave. */
static void take_matrix(const struct run *run, const struct judgement *judgement,
                        struct matrix *matrix)
{
	const struct groups *groups = &judgement->scope->groups;
	size_t *rows = arena_calloc(run->arena, judgement->count, sizeof *rows);
	size_t *columns = arena_calloc(run->arena, groups->n, sizeof *columns);

	*matrix = (struct matrix){ .judgement = judgement, .rows = rows, .columns = columns };
	for (size_t i = 0; i < judgement->count; i++)
		if (row_is_wanted(run, judgement->placements[i].workload))
			rows[matrix->row_count++] = i;
	for (size_t i = 0; i < groups->n; i++)
		if (run->options->group.n == 0 ||
		    str_eq(groups->v[i]->name, run->options->group))
			columns[matrix->column_count++] = i;
}

/* Scopes in which an option finds nothing are left out. 2: no scope has what was named. */
static int take_matrices(const struct run *run, const struct pipeline *pipeline,
                         struct matrices *ret_matrices)
{
	bool row = run->options->workload.n == 0, column = run->options->group.n == 0;

	for (size_t i = 0; i < pipeline->scopes.n; i++) {
		struct matrix matrix;
		take_matrix(run, pipeline->judgements[i], &matrix);
		row = row || matrix.row_count > 0;
		column = column || matrix.column_count > 0;
		if ((run->options->workload.n == 0 || matrix.row_count > 0) &&
		    (run->options->group.n == 0 || matrix.column_count > 0))
			*VEC_PUSH(run->arena, ret_matrices) = matrix;
	}
	if (!row)
		return no_such_workload(run, pipeline);
	return column ? 0 : no_such_group(run, pipeline);
}

static struct pipeline *read_and_judge(const struct run *run, struct report *ret_report)
{
	struct pipeline *pipeline = read_and_load(run);

	pipeline_judge(pipeline);
	pipeline_report(pipeline, ret_report);
	ret_report->width = terminal_width(run);
	/* The numbers of a report are those of its findings, and these list none. */
	ret_report->summary.errors = ret_report->summary.warnings = 0;
	ret_report->summary.notes = ret_report->summary.suppressed = 0;
	ret_report->summary.baselined = ret_report->summary.fixable = 0;
	ret_report->summary.exit_code = pipeline->sink->failed ? 2 : 0;
	notices_print(pipeline, !run->options->quiet, run->err);
	return pipeline;
}

/* A command that prints a matrix of each scope. prepare may be NULL. */
static int print_matrices(const struct run *run,
                          void (*prepare)(const struct run *run, struct matrix *matrix),
                          void (*write)(const struct report *report,
                                        const struct matrices *matrices, str format,
                                        struct buf *out))
{
	struct report report;
	struct pipeline *pipeline = read_and_judge(run, &report);
	struct matrices matrices = { 0 };
	struct buf text = { .arena = run->arena };

	if (take_matrices(run, pipeline, &matrices) != 0)
		return 2;
	for (size_t i = 0; prepare && i < matrices.n; i++)
		prepare(run, &matrices.v[i]);
	write(&report, &matrices, format_of(run->options), &text);
	print_text(run, buf_str(&text));
	mention_errors(run, pipeline);
	return pipeline->sink->failed ? 2 : 0;
}

int fit_run(const struct run *run)
{
	return print_matrices(run, NULL, report_fit);
}
/* ---- capacity ------------------------------------------------------------------------ */

/* Two fillings of the whole scope, and one search a group. */
static void use_groups(const struct run *run, struct matrix *matrix)
{
	const struct groups *groups = &matrix->judgement->scope->groups;
	struct group_use *uses = arena_calloc(run->arena, groups->n, sizeof *uses);
	struct fleet baseline, peak;

	sched_fleet_that_fits(run->arena, matrix->judgement, false, &baseline);
	sched_fleet_that_fits(run->arena, matrix->judgement, true, &peak);
	for (size_t i = 0; i < groups->n; i++)
		uses[i] = (struct group_use){
			.known = !baseline.open && !peak.open,
			.at_baseline = baseline.groups[i].nodes,
			.at_peak = peak.groups[i].nodes,
			.percent = peak.groups[i].percent,
			.resource = peak.groups[i].resource,
			.least_max = sched_least_max(matrix->judgement, groups->v[i]),
		};
	matrix->uses = uses;
}

int capacity_run(const struct run *run)
{
	return print_matrices(run, use_groups, report_capacity);
}

/* ---- why ----------------------------------------------------------------------------- */

static bool are_one(const struct pipeline *pipeline, const struct matches *matches)
{
	const struct match *first = &matches->v[0];

	for (size_t i = 1; i < matches->n; i++) {
		const struct match *other = &matches->v[i];
		if (!str_eq(pipeline->scopes.v[first->scope]->workloads.v[first->index]->text,
		            pipeline->scopes.v[other->scope]->workloads.v[other->index]->text))
			return false;
	}
	return true;
}

static int several_workloads(const struct run *run, const struct pipeline *pipeline,
                             const struct matches *matches)
{
	fprintf(run->err, "kubelint: error: %zu workloads are called '%.*s'; which of them?\n",
	        matches->n, STR_ARG(run->options->workload));
	for (size_t i = 0; i < matches->n && i < MAX_LISTED; i++) {
		const struct match *match = &matches->v[i];
		str text = pipeline->scopes.v[match->scope]->workloads.v[match->index]->text;
		fprintf(run->err, "  %.*s\n", STR_ARG(report_terminal_text(run->arena, text)));
	}
	if (matches->n > MAX_LISTED)
		fprintf(run->err, "  and %zu more\n", matches->n - MAX_LISTED);
	return 2;
}

static size_t group_index(const struct scope *scope, str name)
{
	for (size_t i = 0; i < scope->groups.n; i++)
		if (str_eq(scope->groups.v[i]->name, name))
			return i;
	return SIZE_MAX;
}

/* Proved that it cannot run: no group takes it, or fewer replicas than the baseline fit. */
static bool is_unplaceable(const struct judgement *judgement, size_t index)
{
	const struct placement *placement = &judgement->placements[index];
	const struct capacity *capacity = &judgement->capacities[index];
	const struct count *baseline = &placement->workload->baseline;
	bool possible = false;

	if (placement->undecidable || placement->count == 0)
		return false;
	for (size_t i = 0; i < placement->count && !possible; i++)
		possible = placement->verdicts[i].answer != ANSWER_NO;
	return !possible || (capacity->known && baseline->known &&
	                     capacity->upper < baseline->value);
}

/* In every cluster and variant that has it. */
static int explain_matches(const struct run *run, const struct report *report,
                           const struct matches *matches)
{
	struct buf text = { .arena = run->arena };
	bool found = run->options->group.n == 0;
	int status = 0;

	for (size_t i = 0; i < matches->n; i++) {
		const struct judgement *judgement = report->judgements[matches->v[i].scope];
		size_t group = group_index(judgement->scope, run->options->group);
		if (run->options->group.n > 0 && group == SIZE_MAX)
			continue;
		found = true;
		if (text.n > 0)
			buf_char(&text, '\n');
		report_why(report, judgement, matches->v[i].index, group, &text);
		if (is_unplaceable(judgement, matches->v[i].index))
			status = 1;
	}
	print_text(run, buf_str(&text));
	return found ? status : -1;
}

int why_run(const struct run *run)
{
	struct report report;
	struct pipeline *pipeline = read_and_judge(run, &report);
	struct matches matches = { 0 };

	find_workloads(pipeline, run->options->workload, &matches);
	if (matches.n == 0)
		return no_such_workload(run, pipeline);
	if (!are_one(pipeline, &matches))
		return several_workloads(run, pipeline, &matches);
	int status = explain_matches(run, &report, &matches);
	if (status < 0)
		return no_such_group(run, pipeline);
	mention_errors(run, pipeline);
	return pipeline->sink->failed ? 2 : status;
}

/* kubelint check. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli-internal.h"
#include "rules.h"

/* Value of an environment variable; "" when it is not set. */
static str environment_of(const struct run *run, const char *name)
{
	for (size_t i = 0; run->environment && run->environment[i]; i++) {
		str key, value;
		str_cut(str_of(run->environment[i]), '=', &key, &value);
		if (str_is(key, name))
			return value;
	}
	return STR("");
}

/* A forcing variable counts when it is set to anything but 0. */
static bool is_on(str value)
{
	return value.n > 0 && !str_is(value, "0");
}

/* outputs.md section 3: NO_COLOR, then the forcing variables, then what the stream is. */
static bool wants_color(const struct run *run)
{
	if (run->options->color != WHEN_AUTO)
		return run->options->color == WHEN_ALWAYS;
	if (environment_of(run, "NO_COLOR").n > 0)
		return false;
	if (is_on(environment_of(run, "CLICOLOR_FORCE")) ||
	    is_on(environment_of(run, "FORCE_COLOR")))
		return true;
	return !str_is(environment_of(run, "TERM"), "dumb") && isatty(fileno(run->out));
}

/* Reports go beside the files that they are about, never onto them. */
static bool is_input(const struct run *run, const struct source_set *set, str file)
{
	str real = source_real_path(run->arena, file);

	for (size_t i = 0; i < set->sources.n; i++) {
		const struct source *source = set->sources.v[i];
		str path = source->path;
		if (!source->outside_root)
			path = str_format(run->arena, "%.*s/%.*s", STR_ARG(set->root),
			                  STR_ARG(source->path));
		if (str_eq(real, path))
			return true;
	}
	return false;
}

/* Tells why a report was not written; gives false, as the caller needs it. */
static bool refuse(const struct run *run, str file, const char *reason)
{
	fprintf(run->err, "kubelint: error: --output %.*s: %s\n", STR_ARG(file), reason);
	return false;
}

/* Writes one report. A file never gets colour by itself, and is always written in full: --quiet is
 * about the terminal. */
static bool write_output(const struct run *run, const struct report *report,
                         const struct output *output)
{
	struct report own = *report;
	struct buf text = { .arena = run->arena };
	str error;

	if (str_is(output->file, "-")) {
		output->format->write(&own, &text);
		print_text(run, buf_str(&text));
		return true;
	}
	if (is_input(run, report->sources, output->file))
		return refuse(run, output->file, "is one of the files that were checked");
	own.color = run->options->color == WHEN_ALWAYS;
	own.quiet = own.very_quiet = false;
	output->format->write(&own, &text);
	if (!report_write_file(run->arena, output->file, buf_str(&text), &error))
		return refuse(run, output->file, str_c(run->arena, error));
	return true;
}

/* Counts by rule, in code order. */
static void print_statistics(const struct run *run, const struct pipeline *pipeline)
{
	size_t count = 0;
	const struct rule *rules = rules_all(&count);
	const struct findings *findings = &pipeline->sink->findings;
	size_t *counts = arena_calloc(run->arena, count, sizeof *counts);

	for (size_t i = 0; i < findings->n; i++)
		if (!findings->v[i]->suppressed && !findings->v[i]->baselined)
			counts[findings->v[i]->rule - rules]++;
	for (size_t i = 0; i < count; i++)
		if (counts[i] > 0)
			fprintf(run->out, "%6zu  %s %s\n", counts[i], rules[i].code, rules[i].name);
}

static bool has_stdout_output(const struct options *options)
{
	for (size_t i = 0; i < options->outputs.n; i++)
		if (str_is(options->outputs.v[i].file, "-"))
			return true;
	return false;
}

/* The format on standard output: --format, unless an --output goes there. */
static struct output standard_output(const struct options *options)
{
	return (struct output){
		.format = report_format_find(format_of(options)),
		.file = STR("-"),
	};
}

/* All reports, the one for the terminal last: what a reader sees then also says that the others
 * are there. One that fails does not keep the rest from being written. */
static bool write_outputs(const struct run *run, const struct report *report)
{
	const struct options *options = run->options;
	bool fine = true;

	for (size_t i = 0; i < options->outputs.n; i++)
		fine = write_output(run, report, &options->outputs.v[i]) && fine;
	if (options->very_quiet || has_stdout_output(options))
		return fine;
	struct output standard = standard_output(options);
	return write_output(run, report, &standard) && fine;
}

/* JSON and SARIF carry the notifications themselves. */
static bool text_on_stdout(const struct options *options)
{
	if (options->very_quiet || has_stdout_output(options))
		return false;
	return options->format.n == 0 || str_is(options->format, "text") ||
	       str_is(options->format, "junit");
}

/* The findings decide between 0 and 1; a report that was not written makes it 2. */
int check_run(const struct run *run)
{
	struct pipeline *pipeline = read_and_load(run);
	struct report report;

	pipeline_judge(pipeline);
	pipeline_report(pipeline, &report);
	report.color = wants_color(run);
	notices_print(pipeline, text_on_stdout(run->options) && !run->options->quiet, run->err);
	bool written = write_outputs(run, &report);
	if (run->options->statistics && text_on_stdout(run->options))
		print_statistics(run, pipeline);
	return written ? report.summary.exit_code : 2;
}

/* One short function per option: a text into a field, or a message. */
#include <unistd.h>

#include "cli-internal.h"
#include "rules.h"

/* Leaves the message for whoever parses, who knows where the value came from. */
static bool fail(struct option_target *target, str message)
{
	target->error = message;
	return false;
}

/* One of a list of words; the message names them all. */
static bool choose(struct option_target *target, const char *option, str value,
                   const char *const *words, size_t count, size_t *ret_index)
{
	struct buf list = { .arena = target->arena };

	for (size_t i = 0; i < count; i++) {
		if (str_is(value, words[i])) {
			*ret_index = i;
			return true;
		}
		buf_printf(&list, "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", words[i]);
	}
	return fail(target, str_format(target->arena, "--%s takes %.*s, not '%.*s'", option,
	                               STR_ARG(buf_str(&list)), STR_ARG(value)));
}

/* A whole number from 1 to max. */
static bool set_count(struct option_target *target, const char *option, str value, int64_t max,
                      int64_t *ret_count)
{
	if (!str_to_int64(value, ret_count) || *ret_count < 1 || *ret_count > max)
		return fail(target, str_format(target->arena,
		                               "--%s takes a number from 1 on, not '%.*s'", option,
		                               STR_ARG(value)));
	return true;
}

/* A selection that means no rule would make the run pass for the wrong reason. */
static bool selector_means_a_rule(str selector)
{
	size_t count = 0;
	const struct rule *rules = rules_all(&count);

	for (size_t i = 0; i < count; i++)
		if (rule_selected(&rules[i], selector))
			return true;
	return false;
}

static bool unknown_rule(struct option_target *target, str selector)
{
	str near = rule_nearest(selector);

	if (near.n == 0)
		return fail(target,
		            str_format(target->arena,
		                       "no rule is called '%.*s'; `kubelint rules` lists them",
		                       STR_ARG(selector)));
	return fail(target, str_format(target->arena,
	                               "no rule is called '%.*s'; did you mean '%.*s'?",
	                               STR_ARG(selector), STR_ARG(near)));
}

/* Comma-separated codes, names and families; given again, they add up. */
static bool add_rules(struct option_target *target, str value, struct strs *rules)
{
	str rest = value, piece;

	while (str_next(&rest, ',', &piece)) {
		piece = str_trim(piece);
		if (piece.n == 0)
			continue;
		if (!selector_means_a_rule(piece))
			return unknown_rule(target, piece);
		*VEC_PUSH(target->arena, rules) = piece;
	}
	return true;
}

bool set_allow_empty(struct option_target *target, str value)
{
	(void)value;
	return target->options->allow_empty = true;
}

bool set_color(struct option_target *target, str value)
{
	static const char *const words[] = { "auto", "always", "never" };
	size_t i = 0;

	if (!choose(target, "color", value, words, COUNT_OF(words), &i))
		return false;
	target->options->color = (enum when)i;
	return true;
}

bool set_cluster(struct option_target *target, str value)
{
	target->options->cluster = value;
	return true;
}

bool set_complete(struct option_target *target, str value)
{
	(void)value;
	return target->options->complete = true;
}

bool set_config(struct option_target *target, str value)
{
	target->options->config_file = value;
	return true;
}

static bool set_view(struct option_target *target, enum config_view view)
{
	target->options->config_view = view;
	return true;
}

bool set_config_files(struct option_target *target, str value)
{
	(void)value;
	return set_view(target, CONFIG_VIEW_FILES);
}

bool set_config_schema(struct option_target *target, str value)
{
	(void)value;
	return set_view(target, CONFIG_VIEW_SCHEMA);
}

bool set_config_show(struct option_target *target, str value)
{
	(void)value;
	return set_view(target, CONFIG_VIEW_SHOW);
}

bool set_exclude(struct option_target *target, str value)
{
	*VEC_PUSH(target->arena, &target->options->excludes) = value;
	return true;
}

bool set_extend_select(struct option_target *target, str value)
{
	return add_rules(target, value, &target->options->extend_select);
}

bool set_fail_on(struct option_target *target, str value)
{
	static const char *const words[] = {
		[FAIL_ON_ERROR] = "error", [FAIL_ON_WARNING] = "warning", [FAIL_ON_NOTE] = "note",
		[FAIL_ON_NEVER] = "never",
	};
	size_t i = 0;

	if (!choose(target, "fail-on", value, words, COUNT_OF(words), &i))
		return false;
	target->options->triage.fail_on = (enum fail_on)i;
	return target->options->fail_on_given = true;
}

bool set_force_exclude(struct option_target *target, str value)
{
	(void)value;
	return target->options->source.force_exclude = true;
}

/* Which formats there are hangs on the command; options_parse() looks when all is read. */
bool set_format(struct option_target *target, str value)
{
	target->options->format = value;
	return true;
}

bool set_group(struct option_target *target, str value)
{
	target->options->group = value;
	return true;
}

/* value: "h" for the letter, empty for the long name. */
bool set_help(struct option_target *target, str value)
{
	target->options->help = true;
	target->options->long_help = target->options->long_help || value.n == 0;
	return true;
}

bool set_ignore(struct option_target *target, str value)
{
	return add_rules(target, value, &target->options->triage.ignore);
}

bool set_ignore_suppressions(struct option_target *target, str value)
{
	(void)value;
	return target->options->triage.ignore_suppressions = true;
}

bool set_inventory(struct option_target *target, str value)
{
	*VEC_PUSH(target->arena, &target->options->inventory) = value;
	return true;
}

bool set_jobs(struct option_target *target, str value)
{
	int64_t count = 0;

	if (!set_count(target, "jobs", value, 4096, &count))
		return false;
	target->options->jobs = (unsigned)count;
	return true;
}

bool set_junit_passing(struct option_target *target, str value)
{
	static const char *const words[] = { "all", "none" };
	size_t i = 0;

	if (!choose(target, "junit-passing", value, words, COUNT_OF(words), &i))
		return false;
	target->options->junit_passing_none = i == 1;
	return true;
}

bool set_kubernetes(struct option_target *target, str value)
{
	struct version version;

	if (!version_parse(value, &version) || version.major < 1)
		return fail(target, str_format(target->arena,
		                               "--kubernetes takes a version as 1.34, not '%.*s'",
		                               STR_ARG(value)));
	target->options->kubernetes = version;
	return true;
}

bool set_max_file_size(struct option_target *target, str value)
{
	struct quantity size;
	int64_t bytes = 0;

	if (!quantity_parse(value, &size) || quantity_sign(&size) <= 0 ||
	    !quantity_value_ceil(&size, &bytes))
		return fail(target, str_format(target->arena,
		                               "--max-file-size takes a size as 10Mi, not '%.*s'",
		                               STR_ARG(value)));
	target->options->source.max_file_size = (size_t)bytes;
	return true;
}

bool set_max_findings(struct option_target *target, str value)
{
	int64_t count = 0;

	if (!set_count(target, "max-findings", value, INT32_MAX, &count))
		return false;
	target->options->max_findings = (size_t)count;
	return true;
}

bool set_min_level(struct option_target *target, str value)
{
	static const char *const words[] = {
		[LEVEL_NOTE] = "note", [LEVEL_WARNING] = "warning", [LEVEL_ERROR] = "error",
	};
	size_t i = 0;

	if (!choose(target, "min-level", value, words, COUNT_OF(words), &i))
		return false;
	target->options->triage.min_level = (enum level)i;
	return target->options->min_level_given = true;
}

bool set_no_config(struct option_target *target, str value)
{
	(void)value;
	return target->options->no_config = true;
}

bool set_no_gitignore(struct option_target *target, str value)
{
	(void)value;
	return target->options->source.no_gitignore = true;
}

bool set_no_suppressed(struct option_target *target, str value)
{
	(void)value;
	return target->options->no_suppressed = true;
}

static bool unknown_format(struct option_target *target, str name, const char *option)
{
	size_t count = 0;
	const struct report_format *formats = report_formats(&count);
	struct buf list = { .arena = target->arena };

	for (size_t i = 0; i < count; i++)
		buf_printf(&list, "%s%s", i == 0 ? "" : ", ", formats[i].name);
	return fail(target, str_format(target->arena, "%s: '%.*s' names none of the formats %.*s",
	                               option, STR_ARG(name), STR_ARG(buf_str(&list))));
}

/* FORMAT:FILE, or FILE alone. A drive-like or URL-like text is no format: the part before the
 * colon must be one of ours. */
static bool add_output(struct option_target *target, str value)
{
	str name, file;
	bool both = str_cut(value, ':', &name, &file);
	const struct report_format *format =
		both ? report_format_find(name) : report_format_of_file(value);

	if (!format)
		return unknown_format(target, both ? name : value, "--output");
	if (!both)
		file = value;
	if (file.n == 0)
		return fail(target, str_format(target->arena, "--output %.*s: the file is missing",
		                               STR_ARG(value)));
	*VEC_PUSH(target->arena, &target->options->outputs) =
		(struct output){ .format = format, .file = file };
	return true;
}

/* One a line, so that the environment variable can hold several. */
bool set_output(struct option_target *target, str value)
{
	str rest = value, line;

	while (str_next(&rest, '\n', &line))
		if (line.n > 0 && !add_output(target, line))
			return false;
	return true;
}

/* Given twice (-qq) nothing is printed at all. */
bool set_quiet(struct option_target *target, str value)
{
	(void)value;
	target->options->very_quiet = target->options->quiet;
	return target->options->quiet = true;
}

/* Paths are printed relative to it; a typo here would make all of them absolute. */
bool set_root(struct option_target *target, str value)
{
	if (access(str_c(target->arena, value), F_OK) != 0)
		return fail(target, str_format(target->arena, "--root %.*s: no such folder",
		                               STR_ARG(value)));
	target->options->source.root = str_c(target->arena, value);
	return true;
}

bool set_sarif_category(struct option_target *target, str value)
{
	target->options->sarif_category = value;
	return true;
}

bool set_select(struct option_target *target, str value)
{
	return add_rules(target, value, &target->options->triage.select);
}

bool set_statistics(struct option_target *target, str value)
{
	(void)value;
	return target->options->statistics = true;
}

bool set_stdin_filename(struct option_target *target, str value)
{
	target->options->source.stdin_name = str_c(target->arena, value);
	return true;
}

bool set_strict_yaml(struct option_target *target, str value)
{
	(void)value;
	return target->options->strict_yaml = true;
}

bool set_verbose(struct option_target *target, str value)
{
	(void)value;
	return target->options->verbose = true;
}

bool set_version(struct option_target *target, str value)
{
	(void)value;
	return target->options->version = true;
}

bool set_workload(struct option_target *target, str value)
{
	target->options->workload = value;
	return true;
}

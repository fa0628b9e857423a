/* From argv and the environment to struct options, by the option table. */
#include <getopt.h>
#include <string.h>

#include "cli-internal.h"

/* Values of long options in getopt's array: above any letter. */
#define FIRST_LONG 256

/* State of one command line. */
struct parse {
	struct option_target target;
	const struct option_row *rows;
	size_t row_count;
	unsigned command;             /* bit of the command */
	bool *seen;                   /* by row: given on the command line */
};

static bool fail(struct parse *parse, str message)
{
	parse->target.error = message;
	return false;
}

static bool row_is_taken(const struct parse *parse, const struct option_row *row)
{
	return (row->commands & parse->command) != 0;
}

/* getopt_long's arrays for the options of the command. '-' first: operands come in their
 * place, as option 1, so that argv is not reordered and each element can be looked at; ':'
 * second: a missing value is told apart from an unknown option. */
static void make_getopt_arrays(const struct parse *parse, struct buf *letters,
                               struct option *longs)
{
	size_t n = 0;

	buf_add(letters, STR("-:"));
	for (size_t i = 0; i < parse->row_count; i++) {
		const struct option_row *row = &parse->rows[i];
		if (!row_is_taken(parse, row))
			continue;
		if (row->letter) {
			buf_char(letters, row->letter);
			buf_add(letters, row->argument ? STR(":") : STR(""));
		}
		longs[n++] = (struct option){
			.name = row->name,
			.has_arg = row->argument ? required_argument : no_argument,
			.val = FIRST_LONG + (int)i,
		};
	}
}

/* The row that getopt means: by letter, or by its number for a long name. */
static size_t row_of(const struct parse *parse, int option)
{
	for (size_t i = 0; i < parse->row_count; i++)
		if (option == FIRST_LONG + (int)i ||
		    (option < FIRST_LONG && option == parse->rows[i].letter))
			return i;
	return parse->row_count;
}

/* Name of a long option as written: without dashes and value. */
static str written_name(const char *element)
{
	str name, value;

	str_cut(str_slice(str_of(element), 2, SIZE_MAX), '=', &name, &value);
	return name;
}

/* An option of another command is told apart from one that does not exist. */
static bool is_row_name(const struct parse *parse, str name)
{
	for (size_t i = 0; i < parse->row_count; i++)
		if (str_is(name, parse->rows[i].name))
			return true;
	return false;
}

/* Nearest by letters, else the option of which the word is a beginning. */
static bool unknown_long(struct parse *parse, str name)
{
	struct arena *arena = parse->target.arena;
	str *names = arena_calloc(arena, parse->row_count, sizeof *names);
	const char *command = parse->target.options->command->name;
	size_t n = 0;

	if (is_row_name(parse, name))
		return fail(parse, str_format(arena, "`kubelint %s` takes no option --%.*s",
		                              command, STR_ARG(name)));
	for (size_t i = 0; i < parse->row_count; i++)
		if (row_is_taken(parse, &parse->rows[i]))
			names[n++] = str_of(parse->rows[i].name);
	size_t nearest = str_nearest(name, names, n);
	/* A prefix is what people type who expect getopt_long's shortcuts. */
	for (size_t i = 0; nearest == n && i < n; i++)
		if (name.n > 1 && str_starts(names[i], name))
			nearest = i;
	if (nearest < n)
		return fail(parse, str_format(arena, "unknown option --%.*s; did you mean --%.*s?",
		                              STR_ARG(name), STR_ARG(names[nearest])));
	return fail(parse,
	            str_format(arena, "unknown option --%.*s; `kubelint %s --help` lists all",
	                       STR_ARG(name), command));
}

/* getopt_long gave '?': an unknown letter, or a flag with a value. */
static bool bad_option(struct parse *parse)
{
	struct arena *arena = parse->target.arena;

	if (optopt >= FIRST_LONG)
		return fail(parse, str_format(arena, "--%s takes no value",
		                              parse->rows[optopt - FIRST_LONG].name));
	return fail(parse, str_format(arena, "unknown option -%c; `kubelint %s --help` lists all",
	                              optopt, parse->target.options->command->name));
}

static bool missing_value(struct parse *parse)
{
	const struct option_row *row = &parse->rows[row_of(parse, optopt)];

	return fail(parse, str_format(parse->target.arena, "--%s needs a value: %s", row->name,
	                              row->argument));
}

/* A long option whose name is not written out. getopt_long takes any unique prefix; scripts that
 * used one would break when an option is added. */
static bool is_shortened(const struct parse *parse, const char *element)
{
	str name = written_name(element);

	for (size_t i = 0; i < parse->row_count; i++)
		if (row_is_taken(parse, &parse->rows[i]) && str_is(name, parse->rows[i].name))
			return false;
	return true;
}

/* One answer of getopt_long; element: the text of argv that it began to read. */
static bool take(struct parse *parse, int option, const char *element)
{
	if (option != 1 && str_starts(str_of(element), STR("--")) && is_shortened(parse, element))
		return unknown_long(parse, written_name(element));
	if (option == '?')
		return bad_option(parse);
	if (option == ':')
		return missing_value(parse);
	if (option == 1) {
		*VEC_PUSH(parse->target.arena, &parse->target.options->paths) = str_of(optarg);
		return true;
	}
	size_t i = row_of(parse, option);
	const struct option_row *row = &parse->rows[i];
	parse->seen[i] = true;
	str letter = option < FIRST_LONG ? str_format(parse->target.arena, "%c", option) : STR("");
	return row->set(&parse->target, optarg ? str_of(optarg) : letter);
}

/* getopt_long goes through argv once; each element that it begins to read is looked at as well,
 * since only its text tells a full name from a prefix. */
static bool parse_arguments(struct parse *parse, int count, char **argv)
{
	struct arena *arena = parse->target.arena;
	struct buf letters = { .arena = arena };
	struct option *longs = arena_calloc(arena, parse->row_count + 1, sizeof *longs);

	make_getopt_arrays(parse, &letters, longs);
	const char *short_options = str_c(arena, buf_str(&letters));
	opterr = 0;
	optind = 0; /* glibc: start afresh, whatever was parsed before */
	for (;;) {
		int at = optind == 0 ? 1 : optind;
		optarg = NULL;
		int option = getopt_long(count, argv, short_options, longs, NULL);
		if (option == -1)
			break;
		if (!take(parse, option, at < count ? argv[at] : ""))
			return false;
	}
	for (int i = optind; i < count; i++)
		*VEC_PUSH(arena, &parse->target.options->paths) = str_of(argv[i]);
	return true;
}

/* The first operand of `why` is the workload, not a path. */
static bool take_workload(struct parse *parse)
{
	struct options *options = parse->target.options;

	if (parse->command != COMMAND_WHY || options->help || options->version)
		return true;
	if (options->paths.n == 0)
		return fail(parse, STR("which workload? as `kubelint why prod/web k8s`"));
	options->workload = options->paths.v[0];
	options->paths.v++;
	options->paths.n--;
	options->paths.cap--;
	return true;
}

/* Value of a variable; false when it is not set or empty. */
static bool environment_find(char **environment, const char *name, str *ret_value)
{
	for (size_t i = 0; environment && environment[i]; i++) {
		str key;
		if (str_cut(str_of(environment[i]), '=', &key, ret_value) && str_is(key, name))
			return ret_value->n > 0;
	}
	return false;
}

/* KUBELINT_FORMAT is about reports: the other commands have formats of their own. */
static bool environment_counts(const struct parse *parse, const struct option_row *row)
{
	return row->environment && row_is_taken(parse, row) &&
	       (row->set != set_format || parse->command == COMMAND_CHECK);
}

/* Variables fill in what the command line leaves open. Messages name the variable: the user may
 * not know that it is set. */
static bool parse_environment(struct parse *parse, char **environment)
{
	for (size_t i = 0; i < parse->row_count; i++) {
		const struct option_row *row = &parse->rows[i];
		str value;
		if (parse->seen[i] || !environment_counts(parse, row) ||
		    !environment_find(environment, row->environment, &value))
			continue;
		if (!row->set(&parse->target, value)) {
			parse->target.error =
				str_format(parse->target.arena, "%s: %.*s", row->environment,
			                   STR_ARG(parse->target.error));
			return false;
		}
	}
	return true;
}

/* --format, by the formats of the command. */
static bool check_format(struct parse *parse)
{
	const struct options *options = parse->target.options;
	str rest = str_of(options->command->formats), word;

	if (options->format.n == 0)
		return true;
	while (str_next(&rest, ',', &word))
		if (str_eq(word, options->format))
			return true;
	return fail(parse, str_format(parse->target.arena, "--format takes one of %s, not '%.*s'",
	                              options->command->formats, STR_ARG(options->format)));
}

/* Two reports in one stream could not be told apart by whoever reads it. */
static bool check_streams(struct parse *parse)
{
	const struct options *options = parse->target.options;
	size_t writers = options->format.n > 0;

	for (size_t i = 0; i < options->outputs.n; i++)
		writers += str_is(options->outputs.v[i].file, "-");
	if (writers > 1)
		return fail(parse, STR("more than one report would go to standard output"));
	return true;
}

bool options_parse(struct arena *arena, int count, char **argv, char **environment,
                   struct options *ret_options, str *ret_error)
{
	*ret_options = (struct options){
		.triage = { .fail_on = FAIL_ON_WARNING, .min_level = LEVEL_NOTE },
		.command = command_find(str_of(argv[0])),
	};
	struct parse parse = { .target = { .arena = arena, .options = ret_options } };
	parse.rows = option_rows(&parse.row_count);
	parse.command = ret_options->command->bit;
	parse.seen = arena_calloc(arena, parse.row_count, sizeof *parse.seen);

	bool fine = parse_arguments(&parse, count, argv) && take_workload(&parse) &&
	            parse_environment(&parse, environment) && check_format(&parse) &&
	            check_streams(&parse);
	*ret_error = parse.target.error;
	ret_options->source.excludes = &ret_options->excludes;
	/* Without a selection all rules are on already, and more of them is no selection. */
	bool selects = ret_options->triage.select.n > 0;
	for (size_t i = 0; selects && i < ret_options->extend_select.n; i++)
		*VEC_PUSH(arena, &ret_options->triage.select) = ret_options->extend_select.v[i];
	return fine;
}

/* A writable C string, as argv wants. */
static char *argument(struct arena *arena, str word)
{
	char *text = arena_alloc(arena, word.n + 1);

	return memcpy(text, word.p, word.n);
}

bool options_parse_text(struct arena *arena, str text, struct options *ret_options,
                        str *ret_error)
{
	str rest = text, word;
	char **argv = arena_calloc(arena, text.n + 2, sizeof *argv);
	int count = 0;

	argv[count++] = argument(arena, STR("check"));
	while (str_next(&rest, ' ', &word))
		if (str_trim(word).n > 0)
			argv[count++] = argument(arena, str_trim(word));
	return options_parse(arena, count, argv, NULL, ret_options, ret_error);
}

/* One command line, from its first word to the exit status. */
#include <errno.h>
#include <string.h>

#include "cli-internal.h"

static int usage_error(const struct run *run, const char *format, ...) BASE_PRINTF(2, 3);

static int usage_error(const struct run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str message = str_vformat(run->arena, format, args);
	va_end(args);
	/* Words of the command line may come from file names that strangers chose. */
	fprintf(run->err, "kubelint: error: %.*s\n",
	        STR_ARG(report_terminal_text(run->arena, message)));
	return 2;
}

/* The first word is no command: perhaps a path, an option, or a slip. */
static int no_command(const struct run *run, str word)
{
	str near = command_nearest(word);

	if (near.n > 0)
		return usage_error(run, "unknown command '%.*s'; did you mean `kubelint %.*s`?",
		                   STR_ARG(word), STR_ARG(near));
	if (str_starts(word, STR("-")) && word.n > 1)
		return usage_error(run, "a command comes first, as `kubelint check %.*s`",
		                   STR_ARG(word));
	return usage_error(run, "unknown command '%.*s'; did you mean `kubelint check %.*s`?",
	                   STR_ARG(word), STR_ARG(word));
}

/* A command whose options are understood: --help and --version win over what it would do. */
static int run_command(struct run *run, int count, char **argv)
{
	struct options *options = ARENA_NEW(run->arena, struct options);
	str error;

	run->options = options;
	if (!options_parse(run->arena, count, argv, run->environment, options, &error))
		return usage_error(run, "%.*s", STR_ARG(error));
	if (options->help) {
		help_print(options->command, options->long_help, run->out);
		return 0;
	}
	if (options->version)
		return version_run(run);
	notices_of_environment(run);
	if ((options->command->bit & COMMANDS_OF_TREES) && !configure(run, options))
		return 2;
	return options->command->run(run);
}

/* Words that stand where a command is expected and ask for no command. */
static bool run_bare_word(const struct run *run, str word)
{
	bool help = str_is(word, "-h") || str_is(word, "--help");

	if (help)
		help_print(NULL, str_is(word, "--help"), run->out);
	else if (str_is(word, "--version"))
		version_run(run);
	else
		return false;
	return true;
}

void print_text(const struct run *run, str text)
{
	if (text.n > 0)
		fwrite(text.p, 1, text.n, run->out);
}

/* What was printed must have arrived: a full disk is a failed run, a closed pipe ends it
 * quietly. */
static int flush(const struct run *run, int status)
{
	if (fflush(run->out) == 0 && !ferror(run->out))
		return status;
	if (errno != EPIPE)
		fprintf(run->err, "kubelint: error: standard output: %s\n", strerror(errno));
	return 2;
}

int cli_run(int argc, char **argv, char **environment, FILE *out, FILE *err)
{
	struct run run = {
		.arena = arena_new(), .out = out, .err = err, .environment = environment,
	};
	int status = 0;

	if (argc < 2) {
		help_print(NULL, false, err);
		status = 2;
	} else if (!run_bare_word(&run, str_of(argv[1]))) {
		status = command_find(str_of(argv[1])) ? run_command(&run, argc - 1, argv + 1)
		                                       : no_command(&run, str_of(argv[1]));
	}
	status = flush(&run, status);
	arena_free(run.arena);
	return status;
}

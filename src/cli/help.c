/* Help texts, made from the tables; no line is wider than 80 columns. */
#include <string.h>

#include "cli-internal.h"

/* Column at which the texts of options begin, and the last column of a line. */
#define TEXT_COLUMN 26
#define LAST_COLUMN 79

/* Prints words of text from column `at` on, broken before the last column. */
static void print_wrapped(FILE *out, int at, str text)
{
	str rest = text, word;
	int column = at;

	while (str_next(&rest, ' ', &word)) {
		if (column > TEXT_COLUMN && column + 1 + (int)word.n > LAST_COLUMN) {
			fprintf(out, "\n%*s", TEXT_COLUMN, "");
			column = TEXT_COLUMN;
		} else if (column > TEXT_COLUMN) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", STR_ARG(word));
		column += (int)word.n;
	}
	fputc('\n', out);
}

/* One option: its forms on the left, its text on the right, on a line of its own where the forms
 * are too wide. */
static void print_option(const struct option_row *row, struct arena *arena, FILE *out)
{
	struct buf name = { .arena = arena }, text = { .arena = arena };

	if (row->letter)
		buf_printf(&name, "  -%c, --%s", row->letter, row->name);
	else
		buf_printf(&name, "      --%s", row->name);
	if (row->argument)
		buf_printf(&name, " %s", row->argument);
	buf_printf(&text, "%s", row->help);
	if (row->environment)
		buf_printf(&text, " [env: %s]", row->environment);
	fprintf(out, "%.*s", STR_ARG(buf_str(&name)));
	if (name.n + 2 > TEXT_COLUMN)
		fprintf(out, "\n%*s", TEXT_COLUMN, "");
	else
		fprintf(out, "%*s", TEXT_COLUMN - (int)name.n, "");
	print_wrapped(out, TEXT_COLUMN, buf_str(&text));
}

/* -h shows the options that most people want; --help all that the command takes. */
static bool is_shown(const struct option_row *row, const struct command *command, bool all)
{
	return (row->commands & command->bit) != 0 && (all || row->in_short_help);
}

/* A group of options with its title; nothing for a command that has none of them. */
static void print_group(const struct command *command, enum option_group group, bool all,
                        FILE *out)
{
	struct arena *arena = arena_new();
	size_t count = 0;
	const struct option_row *rows = option_rows(&count);
	bool first = true;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].group != group || !is_shown(&rows[i], command, all))
			continue;
		if (first)
			fprintf(out, "\n%s:\n", option_group_title(group));
		first = false;
		print_option(&rows[i], arena, out);
	}
	arena_free(arena);
}

static void print_formats(const char *formats, FILE *out)
{
	str rest = str_of(formats), word;
	const char *separator = "\nFormats: ";

	while (str_next(&rest, ',', &word)) {
		fprintf(out, "%s%.*s", separator, STR_ARG(word));
		separator = ", ";
	}
	fprintf(out, formats[0] ? " (the first is the default)\n" : "");
}

static void print_command_help(const struct command *command, bool all, FILE *out)
{
	fprintf(out, "kubelint %s: %s\n\nUsage: kubelint %s [OPTION...]%s%s\n", command->name,
	        command->summary, command->name, command->operands[0] ? " " : "",
	        command->operands);
	for (size_t i = 0; command->examples[i]; i++)
		fprintf(out, "%s  %s\n", i == 0 ? "\nExamples:\n" : "", command->examples[i]);
	for (enum option_group group = 0; group < GROUP_COUNT; group++)
		print_group(command, group, all, out);
	print_formats(command->formats, out);
	if (command->bit & COMMAND_CHECK)
		fprintf(out, "\nExit status: 0 nothing found, 1 findings from --fail-on on, "
		             "2 the run failed.\n");
	if (!all)
		fprintf(out, "\n`kubelint %s --help` lists all options.\n", command->name);
	fprintf(out, "\nA rule's page: kubelint explain RULE\n");
}

/* Help of the program itself: what there is, and what to type first. */
static void print_overview(FILE *out)
{
	size_t count = 0;
	const struct command *commands = commands_all(&count);

	fprintf(out, "kubelint: will the pods run, and will the scalers scale?\n\n"
	             "Usage: kubelint COMMAND [OPTION...] [PATH...]\n\nCommands:\n");
	for (size_t i = 0; i < count; i++)
		fprintf(out, "  %-11s%s\n", commands[i].name, commands[i].summary);
	fprintf(out, "\nExamples:\n");
	for (size_t i = 0; commands[0].examples[i]; i++)
		fprintf(out, "  %s\n", commands[0].examples[i]);
	fprintf(out, "\n`kubelint help COMMAND` shows the options of a command.\n");
}

void help_print(const struct command *command, bool all, FILE *out)
{
	if (command)
		print_command_help(command, all, out);
	else
		print_overview(out);
}

int help_run(const struct run *run)
{
	const struct strs *paths = &run->options->paths;

	if (paths->n == 0) {
		help_print(NULL, true, run->out);
		return 0;
	}
	const struct command *command = command_find(paths->v[0]);
	if (command) {
		help_print(command, true, run->out);
		return 0;
	}
	str near = command_nearest(paths->v[0]);
	fprintf(run->err, "kubelint: error: no command is called '%.*s'", STR_ARG(paths->v[0]));
	if (near.n > 0)
		fprintf(run->err, "; did you mean '%.*s'?", STR_ARG(near));
	fputc('\n', run->err);
	return 2;
}

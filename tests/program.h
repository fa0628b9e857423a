/* Running the program inside a test: one command line, what it prints, its status. To be
 * included behind cmocka.h. */
#ifndef KUBELINT_TESTS_PROGRAM_H
#define KUBELINT_TESTS_PROGRAM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Words of one command line. */
#define MAX_ARGUMENTS 16

/* One run of the program. */
struct result {
	int status;
	char *out, *err;
};

static char *stream_text(FILE *stream)
{
	long size;

	assert_int_equal(fseek(stream, 0, SEEK_END), 0);
	size = ftell(stream);
	char *text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	rewind(stream);
	assert_int_equal(fread(text, 1, (size_t)size, stream), size);
	fclose(stream);
	return text;
}

/* Runs a command line (words split at blanks) in an environment. */
static void run_in(const char *line, const char *const *environment, struct result *ret_result)
{
	char *copy = strdup(line), *save = NULL;
	char *argv[MAX_ARGUMENTS + 1] = { NULL };
	FILE *out = tmpfile(), *err = tmpfile();
	char **names = (char **)(uintptr_t)environment;
	int argc = 0;

	assert_non_null(copy);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		assert_true(argc < MAX_ARGUMENTS);
		argv[argc++] = word;
	}
	ret_result->status = cli_run(argc, argv, names, out, err);
	ret_result->out = stream_text(out);
	ret_result->err = stream_text(err);
	free(copy);
}

static void forget(struct result *result)
{
	free(result->out);
	free(result->err);
}

#endif

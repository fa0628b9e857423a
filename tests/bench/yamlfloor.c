/* The floor that ci/bench compares with: libyaml's bare event loop over the same files.
 *
 * usage: yamlfloor FILE...   or, with file names on stdin, one a line: yamlfloor -
 * Prints `files bytes events`. A file that libyaml refuses counts up to the mistake.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

struct totals {
	unsigned long files, bytes, events;
};

static void die(const char *what, const char *name)
{
	fprintf(stderr, "yamlfloor: %s: %s\n", name, what);
	exit(2);
}

static unsigned char *read_file(const char *name, size_t *ret_size)
{
	FILE *file = fopen(name, "rb");
	unsigned char *text;
	long size = -1;

	if (!file || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0)
		die("cannot read", name);
	rewind(file);
	text = malloc((size_t)size + 1);
	if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
		die("cannot read", name);
	fclose(file);
	*ret_size = (size_t)size;
	return text;
}

static void count_events(const unsigned char *text, size_t size, struct totals *totals)
{
	yaml_parser_t parser;
	yaml_event_t event;
	int done = 0;

	if (!yaml_parser_initialize(&parser))
		die("out of memory", "libyaml");
	yaml_parser_set_input_string(&parser, text, size);
	while (!done && yaml_parser_parse(&parser, &event)) {
		done = event.type == YAML_STREAM_END_EVENT;
		totals->events++;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
}

static void run_file(const char *name, struct totals *totals)
{
	size_t size;
	unsigned char *text = read_file(name, &size);

	count_events(text, size, totals);
	totals->files++;
	totals->bytes += size;
	free(text);
}

int main(int argc, char **argv)
{
	struct totals totals = { 0 };
	char line[4096];

	if (argc < 2) {
		fprintf(stderr, "usage: yamlfloor FILE... | yamlfloor - (names on stdin)\n");
		return 2;
	}
	if (argc == 2 && !strcmp(argv[1], "-")) {
		while (fgets(line, sizeof line, stdin)) {
			line[strcspn(line, "\n")] = '\0';
			run_file(line, &totals);
		}
	} else {
		for (int i = 1; i < argc; i++)
			run_file(argv[i], &totals);
	}
	printf("%lu files %lu bytes %lu events\n", totals.files, totals.bytes, totals.events);
	return 0;
}

/* vectors [--area A] [--without A] [--matching-only] [-v] DIR: holds kubelint's verdicts against
 * the answers of the real Kubernetes code.
 *
 * --matching-only does not compare apiValid, what API validation says of a manifest.
 * Every DIR/AREA.jsonl is read, one vector a line. Prints `area: passed/total` per file, with
 * -v each miss, and a closing line. Exit: 0 all passed, 1 some failed, 2 a file that cannot be
 * read or a broken line.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/vectors.h"

const struct area areas[] = {
	{ "quantity", check_quantity },
	{ "selector", check_selector },
	{ "nodeaffinity", check_node_affinity },
	{ "toleration", check_toleration },
	{ "requests", check_requests },
	{ "fit", check_fit },
	{ "placement", check_placement },
	{ "hpa", check_hpa },
	{ "validation", check_validation },
};
const size_t area_count = COUNT_OF(areas);

/* What is asked for, and what came out. */
struct run {
	const char *folder, *only;
	struct strs without;
	bool verbose, broken, matching_only;
	size_t passed, failed, undecided;
};

static bool read_file(struct arena *arena, const char *path, str *ret_text)
{
	FILE *file = fopen(path, "rb");
	struct buf buf = { .arena = arena };
	size_t n;

	if (!file)
		return false;
	do {
		char *chunk = arena_alloc(arena, 1 << 16);

		n = fread(chunk, 1, 1 << 16, file);
		buf_add(&buf, (str){ chunk, n });
	} while (n > 0);
	fclose(file);
	*ret_text = buf_str(&buf);
	return true;
}

/* Parses one line; false when it is no vector. */
static bool read_vector(struct arena *arena, str line, struct vector *ret_vector)
{
	struct source_set *set = source_from_text(arena, STR("vector.json"), line);
	const struct source *source = source_of(set, 1);
	struct tree *tree;

	if (!source || source->document_count != 1)
		return false;
	tree = tree_parse(arena, &source->documents[0]);
	if (!node_is_map(tree->root))
		return false;
	*ret_vector = (struct vector){
		.arena = arena,
		.id = node_text(node_get(tree->root, "id")),
		.in = node_get(tree->root, "in"),
		.expect = node_get(tree->root, "expect"),
		.miss.arena = arena,
	};
	return ret_vector->id.n && node_is_map(ret_vector->in) &&
	       node_is_map(ret_vector->expect);
}

static bool run_line(struct run *run, const struct area *area, str line)
{
	struct arena *arena = arena_new();
	struct vector vector;
	bool readable = read_vector(arena, line, &vector);

	if (readable) {
		vector.matching_only = run->matching_only;
		area->check(&vector);
		if (vector.miss.n)
			run->failed++;
		else
			run->passed++;
		run->undecided += vector.undecided;
		if (vector.undecided && run->verbose)
			printf("%.*s: undecided\n", STR_ARG(vector.id));
		if (vector.miss.n && run->verbose)
			printf("%.*s:%.*s\n", STR_ARG(vector.id), STR_ARG(buf_str(&vector.miss)));
	}
	arena_free(arena);
	return readable;
}

static void run_file(struct run *run, const struct area *area, const char *path)
{
	struct arena *arena = arena_new();
	size_t passed = run->passed, failed = run->failed, number = 0;
	str text, line;

	if (!read_file(arena, path, &text)) {
		fprintf(stderr, "vectors: %s cannot be read\n", path);
		run->broken = true;
	} else {
		while (str_next(&text, '\n', &line)) {
			number++;
			if (!str_trim(line).n || run_line(run, area, line))
				continue;
			fprintf(stderr, "vectors: %s:%zu: not a vector\n", path, number);
			run->broken = true;
		}
		passed = run->passed - passed;
		failed = run->failed - failed;
		printf("%s: %zu/%zu", area->name, passed, passed + failed);
		if (run->undecided)
			printf(", of which %zu undecided", run->undecided);
		printf("\n");
		run->undecided = 0;
	}
	arena_free(arena);
}

static bool is_left_out(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->without.n; i++)
		if (str_is(run->without.v[i], name))
			return true;
	return run->only && strcmp(run->only, name) != 0;
}

static bool run_folder(struct run *run, struct arena *arena)
{
	DIR *folder = opendir(run->folder);
	size_t files = 0;

	if (!folder) {
		fprintf(stderr, "vectors: %s cannot be opened\n", run->folder);
		return false;
	}
	closedir(folder);
	for (size_t i = 0; i < area_count; i++) {
		str path = str_format(arena, "%s/%s.jsonl", run->folder, areas[i].name);
		FILE *file = fopen(path.p, "rb");

		if (!file)
			continue;
		fclose(file);
		files++;
		if (is_left_out(run, areas[i].name))
			printf("%s: left out\n", areas[i].name);
		else
			run_file(run, &areas[i], path.p);
	}
	if (!files)
		fprintf(stderr, "vectors: no vector file in %s\n", run->folder);
	return files > 0;
}

static bool read_arguments(struct arena *arena, int argc, char **argv, struct run *run)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-v") == 0)
			run->verbose = true;
		else if (strcmp(argv[i], "--matching-only") == 0)
			run->matching_only = true;
		else if (strcmp(argv[i], "--area") == 0 && i + 1 < argc)
			run->only = argv[++i];
		else if (strcmp(argv[i], "--without") == 0 && i + 1 < argc)
			*VEC_PUSH(arena, &run->without) = str_of(argv[++i]);
		else if (argv[i][0] != '-' && !run->folder)
			run->folder = argv[i];
		else
			return false;
	}
	return run->folder != NULL;
}

int main(int argc, char **argv)
{
	struct arena *arena = arena_new();
	struct run run = { 0 };
	int status = 2;

	if (!read_arguments(arena, argc, argv, &run)) {
		fprintf(stderr, "usage: vectors [--area A] [--without A] [--matching-only] [-v] DIR\n");
	} else if (run_folder(&run, arena)) {
		printf("%zu passed, %zu failed\n", run.passed, run.failed);
		status = run.broken ? 2 : run.failed > 0;
	}
	arena_free(arena);
	return status;
}

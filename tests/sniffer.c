/* Holds the glance that skips documents against parsing them all: on all test data both must find
 * the same, but for mistakes of the text (KL001, KL002) in documents that nobody reads.
 *
 * usage: sniffer TESTDATA */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "rules.h"

struct score {
	size_t sets, skipped, wrong;
};

static bool is_about_text(const struct finding *finding)
{
	return str_is(str_of(finding->rule->code), "KL001") ||
	       str_is(str_of(finding->rule->code), "KL002");
}

static str show(struct arena *arena, const struct pipeline *pipeline,
                const struct finding *finding)
{
	const struct source *source = source_of(pipeline->sources, finding->span.file);

	return str_format(arena, "%.*s:%u-%u %s %s %.*s/%.*s %.*s: %.*s",
	                  STR_ARG(source ? source->path : STR("?")), finding->span.begin,
	                  finding->span.end, finding->rule->code, level_name(finding->level),
	                  STR_ARG(finding->object.kind), STR_ARG(finding->object.name),
	                  STR_ARG(finding->path), STR_ARG(finding->message));
}

/* The findings of one pipeline that the other lacks; text_too: also mistakes of the text. */
static size_t tell_missing(struct arena *arena, const struct pipeline *had,
                           const struct pipeline *other, bool text_too, const char *words)
{
	struct map *shown = map_new(arena);
	size_t missing = 0;

	for (size_t i = 0; i < other->sink->findings.n; i++)
		map_put(shown, show(arena, other, other->sink->findings.v[i]), shown);
	for (size_t i = 0; i < had->sink->findings.n; i++) {
		const struct finding *finding = had->sink->findings.v[i];
		str text = show(arena, had, finding);
		if (map_has(shown, text) || (is_about_text(finding) && !text_too))
			continue;
		printf("%s: %.*s\n", words, STR_ARG(text));
		missing++;
	}
	return missing;
}

static struct pipeline *run(struct arena *arena, const char *words, const char *root,
                            struct source_set *sources)
{
	struct options *options = ARENA_NEW(arena, struct options);
	str error;

	if (!options_parse_text(arena, str_of(words), options, &error))
		abort();
	if (!sources) {
		struct strs paths = { 0 };
		*VEC_PUSH(arena, &paths) = str_of(root);
		options->source.root = root;
		sources = source_read(arena, &options->source, &paths);
	}
	return pipeline_run(arena, options, sources);
}

/* Of a folder, or of sources that are given. */
static void compare(struct score *score, const char *name, struct source_set *sources)
{
	struct arena *arena = arena_new();
	const struct pipeline *glance = run(arena, "", name, sources);
	const struct pipeline *all = run(arena, "--strict-yaml", name, sources);
	size_t wrong = tell_missing(arena, glance, all, true, "only with a glance");

	wrong += tell_missing(arena, all, glance, false, "only when all is parsed");
	if (wrong)
		printf("  in %s\n", name);
	score->sets++;
	score->skipped += glance->passed_over;
	score->wrong += wrong;
	arena_free(arena);
}

static void compare_folders(struct score *score, const char *folder)
{
	struct arena *arena = arena_new();
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		if (entries[i]->d_type == DT_DIR && entries[i]->d_name[0] != '.')
			compare(score, str_c(arena, str_format(arena, "%s/%s", folder,
			                                       entries[i]->d_name)), NULL);
		free(entries[i]);
	}
	free(entries);
	arena_free(arena);
}

static void compare_examples(struct score *score, const char *code, const char *const *examples)
{
	for (size_t i = 0; examples[i]; i++) {
		struct arena *arena = arena_new();
		compare(score, code,
		        source_from_text(arena, STR("example.yaml"), str_of(examples[i])));
		arena_free(arena);
	}
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "cases", "incidents", "samples", "sniffer", "apps" };
	struct arena *arena = arena_new();
	struct score score = { 0 };
	size_t count = 0;
	const struct rule *rules = rules_all(&count);

	for (size_t i = 0; argc > 1 && i < COUNT_OF(folders); i++)
		compare_folders(&score, str_c(arena, str_format(arena, "%s/%s", argv[1],
		                                                folders[i])));
	for (size_t i = 0; i < count; i++) {
		compare_examples(&score, rules[i].code, rules[i].bad);
		compare_examples(&score, rules[i].code, rules[i].good);
	}
	printf("%zu sets, %zu documents passed over, %zu differences\n", score.sets, score.skipped,
	       score.wrong);
	arena_free(arena);
	return score.wrong || !score.skipped || argc < 2;
}

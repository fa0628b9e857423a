/* Every example of every rule file goes through the whole pipeline: `bad` says what it marks and
 * nothing else of weight, `good` says nothing of the rule and nothing of weight (style: a rule
 * = one YAML file + one function). What they say is held to one form on the way.
 *
 * usage: test-rules [CODE...]    (all rules without) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli.h"
#include "rules.h"

/* A line `… # KL101 error` of an example. */
struct mark {
	str file;
	uint32_t line;
	str code, level;  /* level empty: any */
	bool met;
};
struct marks VEC(struct mark);

/* One example and what is wrong with it. */
struct trial {
	struct arena *arena;
	const struct rule *rule;
	const char *kind;         /* "bad" or "good" */
	size_t number;
	struct marks marks;
	struct source_set *sources;
	str args;
	struct pipeline *pipeline;
	size_t complaints;
};

static void complain(struct trial *trial, const char *format, ...) BASE_PRINTF(2, 3);

static void complain(struct trial *trial, const char *format, ...)
{
	va_list args;

	print_error("%s %s[%zu]: ", trial->rule->code, trial->kind, trial->number);
	va_start(args, format);
	str text = str_vformat(trial->arena, format, args);
	va_end(args);
	print_error("%.*s\n", STR_ARG(text));
	trial->complaints++;
}

/* ---- reading an example -------------------------------------------------------------------- */

static void read_mark(struct trial *trial, str file, uint32_t line, str text)
{
	for (size_t i = text.n; i-- > 0;) {
		str rest = str_slice(text, i, text.n), code, level;
		if (!str_starts(rest, STR("# KL")))
			continue;
		str_cut(str_slice(rest, 2, rest.n), ' ', &code, &level);
		*VEC_PUSH(trial->arena, &trial->marks) = (struct mark){
			.file = file, .line = line, .code = code, .level = str_trim(level) };
		return;
	}
}

static void add_file(struct trial *trial, str path, str text)
{
	if (text.n == 0)
		return;
	if (trial->sources)
		source_add_text(trial->sources, path, text);
	else
		trial->sources = source_from_text(trial->arena, path, text);
}

/* `# args: …` on the first line; `# file: PATH` begins a file. */
static void read_example(struct trial *trial, const char *example)
{
	str rest = str_of(example), line, path = STR("example.yaml");
	str args = STR("# args: "), file = STR("# file: ");
	struct buf text = { .arena = trial->arena };
	uint32_t number = 0;

	for (bool first = true; str_next(&rest, '\n', &line); first = false) {
		if (first && str_starts(line, args)) {
			trial->args = str_slice(line, args.n, line.n);
			continue;
		}
		if (str_starts(line, file)) {
			add_file(trial, path, str_copy(trial->arena, buf_str(&text)));
			text = (struct buf){ .arena = trial->arena };
			path = str_slice(line, file.n, line.n);
			number = 0;
			continue;
		}
		read_mark(trial, path, ++number, line);
		buf_add(&text, line);
		buf_char(&text, '\n');
	}
	add_file(trial, path, buf_str(&text));
}

/* ---- judging -------------------------------------------------------------------------------- */

static const char *path_of(const struct trial *trial, const struct finding *finding)
{
	return str_c(trial->arena, source_of(trial->sources, finding->span.file)->path);
}

static uint32_t line_of(const struct trial *trial, const struct finding *finding)
{
	return source_position(source_of(trial->sources, finding->span.file),
	                       finding->span.begin).line;
}

static bool is_marked(struct trial *trial, const struct finding *finding)
{
	bool marked = false;

	for (size_t i = 0; i < trial->marks.n; i++) {
		struct mark *mark = &trial->marks.v[i];
		if (str_is(mark->code, finding->rule->code) &&
		    str_is(mark->file, path_of(trial, finding)) &&
		    mark->line == line_of(trial, finding) &&
		    (mark->level.n == 0 || str_is(mark->level, level_name(finding->level))))
			marked = mark->met = true;
	}
	return marked;
}

/* Kinds and proper names keep their capital: "RuntimeClass x is not declared". */
static bool is_name(str word, const struct finding *finding)
{
	static const char *const names[] = { "Kubernetes", "Karpenter", "Prometheus", "Windows" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_is(word, names[i]))
			return true;
	for (size_t i = 1; i < word.n; i++)
		if (word.p[i] >= 'A' && word.p[i] <= 'Z')
			return true;
	return str_eq(word, finding->object.kind);
}

/* Lower-case start, no final stop, one line. */
static void check_text(struct trial *trial, const struct finding *finding, str text)
{
	str word, rest;

	str_cut(text, ' ', &word, &rest);
	bool capital = word.n > 1 && word.p[0] >= 'A' && word.p[0] <= 'Z' &&
	               !is_name(word, finding);
	if (capital || str_ends(text, STR(".")) || str_find(text, '\n') < text.n)
		complain(trial, "%s: form of \"%.*s\"", finding->rule->code, STR_ARG(text));
}

static void check_form(struct trial *trial, const struct finding *finding)
{
	if (finding->message.n == 0)
		complain(trial, "%s: no message", finding->rule->code);
	check_text(trial, finding, finding->message);
	check_text(trial, finding, finding->help);
	if (finding->fingerprint.n != 32)
		complain(trial, "%s: no fingerprint", finding->rule->code);
	for (size_t i = 0; i < finding->related.n; i++)
		if (finding->related.v[i].message.n == 0)
			complain(trial, "%s: a related place says nothing", finding->rule->code);
}

static void check_finding(struct trial *trial, const struct finding *finding)
{
	bool own = finding->rule == trial->rule;

	check_form(trial, finding);
	if (is_marked(trial, finding))
		return;
	if (own || finding->level > LEVEL_NOTE)
		complain(trial, "%s:%u: %s %s: %.*s", path_of(trial, finding),
		         line_of(trial, finding), level_name(finding->level), finding->rule->code,
		         STR_ARG(finding->message));
}

static void try_example(struct trial *trial, const char *example)
{
	struct options options;
	str error = { 0 };

	read_example(trial, example);
	if (!trial->sources || !options_parse_text(trial->arena, trial->args, &options, &error)) {
		complain(trial, "not an example: %.*s", STR_ARG(error));
		return;
	}
	trial->pipeline = pipeline_run(trial->arena, &options, trial->sources);
	const struct findings *findings = &trial->pipeline->sink->findings;
	for (size_t i = 0; i < findings->n; i++)
		check_finding(trial, findings->v[i]);
	for (size_t i = 0; i < trial->marks.n; i++)
		if (!trial->marks.v[i].met)
			complain(trial, "%.*s:%u: nothing says %.*s %.*s",
			         STR_ARG(trial->marks.v[i].file), trial->marks.v[i].line,
			         STR_ARG(trial->marks.v[i].code), STR_ARG(trial->marks.v[i].level));
}

static size_t try_examples(const struct rule *rule, const char *kind,
                           const char *const *examples)
{
	size_t complaints = 0;

	for (size_t i = 0; examples[i]; i++) {
		struct arena *arena = arena_new();
		struct trial trial = { .arena = arena, .rule = rule, .kind = kind, .number = i };
		try_example(&trial, examples[i]);
		complaints += trial.complaints;
		arena_free(arena);
	}
	return complaints;
}

static void test_rule(void **state)
{
	const struct rule *rule = *state;

	assert_non_null(rule->bad[0]);
	assert_non_null(rule->good[0]);
	size_t complaints = try_examples(rule, "bad", rule->bad) +
	                    try_examples(rule, "good", rule->good);
	if (complaints > 0)
		fail_msg("%s: %zu complaints", rule->code, complaints);
}

/* ---- the table --------------------------------------------------------------------------------- */

static void test_table(void **state)
{
	size_t count;
	const struct rule *rules = rules_all(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			assert_true(strcmp(rules[i - 1].code, rules[i].code) < 0);
		assert_ptr_equal(rule_find(str_of(rules[i].code)), &rules[i]);
		assert_ptr_equal(rule_find(str_of(rules[i].name)), &rules[i]);
		assert_non_null(rules[i].applies_to[0]);
		assert_non_null(rules[i].references[0]);
	}
	assert_null(rule_find(STR("KL999")));
	assert_null(rule_find(STR("")));
	assert_true(str_is(rule_nearest(STR("node-selector-unmatchd")), "node-selector-unmatched"));
	assert_int_equal(rule_nearest(STR("zzzzzzzzzzzz")).n, 0);
}

static bool is_wanted(const struct rule *rule, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], rule->code) == 0)
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	size_t count, n = 0;
	const struct rule *rules = rules_all(&count);
	struct arena *arena = arena_new();
	struct CMUnitTest *tests = arena_calloc(arena, count + 1, sizeof *tests);

	tests[n++] = (struct CMUnitTest){ .name = "table", .test_func = test_table };
	for (size_t i = 0; i < count; i++)
		if (is_wanted(&rules[i], argc, argv))
			tests[n++] = (struct CMUnitTest){
				.name = rules[i].code, .test_func = test_rule,
				.initial_state = (void *)(uintptr_t)&rules[i] };
	int failed = _cmocka_run_group_tests("rules", tests, n, NULL, NULL);
	arena_free(arena);
	return failed;
}

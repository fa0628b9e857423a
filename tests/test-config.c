/* Config files: the complete example loads, and each kind of mistake is told at its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "config.h"
#include "source.h"
#include "tree.h"

static const struct config *load(struct arena *arena, str text,
                                 struct config_problems *ret_problems)
{
	struct source_set *set = source_from_text(arena, STR(".kubelint.yaml"), text);

	return config_load(arena, set->sources.v[0], STR("/repo"), ret_problems);
}

/* Text and config of a file of testdata/config. */
static const struct config *load_file(struct arena *arena, const char *name)
{
	struct config_problems problems = { 0 };
	struct strs paths = { 0 };
	struct source_options options = { .no_gitignore = true };

	*VEC_PUSH(arena, &paths) =
		str_format(arena, "%s/config/%s", getenv("KUBELINT_TESTDATA"), name);
	const struct source_set *set = source_read(arena, &options, &paths);
	assert_int_equal(set->sources.n, 1);
	const struct config *config = config_load(arena, set->sources.v[0], STR("/repo"), &problems);
	for (size_t i = 0; i < problems.n; i++)
		print_error("%.*s\n", STR_ARG(problems.v[i].text));
	assert_non_null(config);
	return config;
}

/* ---- files without a mistake ----------------------------------------------------------- */

/* Every key stands in both files, so nothing of the listing is a mere default. */
static void test_examples(void **state)
{
	static const char *const names[] = { "complete.yaml", "samples.yaml" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct arena *arena = arena_new();
		str listing = config_listing(arena, load_file(arena, names[i]));
		assert_true(str_contains(listing, STR("thresholds.heap: 90%  # file\n")));
		assert_false(str_contains(listing, STR("# default")));
		arena_free(arena);
	}
}

static void test_values(void **state)
{
	struct arena *arena = arena_new();
	const struct config *config = load_file(arena, "samples.yaml");

	(void)state;
	assert_string_equal(config->version, "1");
	assert_int_equal(config->paths.n, 1);
	assert_string_equal(config->namespaces[0].namespace, "shop");
	assert_int_equal(config->clusters_count, 1);
	assert_string_equal(config->clusters[0].paths.v[1], "clusters/prod");
	assert_int_equal(config->clusters[0].complete, CONFIG_FALSE);
	assert_string_equal(config->render.charts[0].values.v[0], "values-prod.yaml");
	assert_int_equal(config->rules[0].level, CONFIG_NOTE);
	assert_string_equal(config->ignore[0].reason, "pool is grown by hand");
	assert_int_equal(config->fail_on, CONFIG_WARNING);
	assert_int_equal(config->alerts, CONFIG_ALERTS_AUTO);
	assert_string_equal(config->thresholds.scale_up_time, "30m");
	assert_string_equal(config->critical[0].namespaces.v[0], "pay");
	assert_string_equal(config->images[0].platforms.v[0], "linux/amd64");
	assert_string_equal(config->usage[0].format, "top");
	assert_string_equal(config->policies.node_labels[0].wanted.v[0], "role=inference");
	assert_string_equal(config->policies.tolerations[0].wanted.v[0], "spot=true:NoSchedule");
	assert_string_equal(config->limits.file_size, "64Mi");
	assert_int_equal(config_entry(config, "ignore", 0)->span.file, 1);
	assert_null(config_entry(config, "ignore", 1));
	arena_free(arena);
}

/* Texts that say nothing, and lists of which every entry is commented out. */
static void test_empty(void **state)
{
	static const char *const texts[] = { "", "# nothing\n", "---\n", "ignore:\n", "{}\n",
		                             "paths:\nrules:\n# - rule: KL604\n" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct arena *arena = arena_new();
		struct config_problems problems = { 0 };
		const struct config *config = load(arena, str_of(texts[i]), &problems);
		assert_int_equal(problems.n, 0);
		assert_non_null(config);
		assert_int_equal(config->ignore_count + config->paths.n, 0);
		assert_null(config->kubernetes);
		arena_free(arena);
	}
}

/* ---- mistakes -------------------------------------------------------------------------- */

static const struct {
	const char *text;
	const char *wanted; /* the first problem: its place as line:column, and its words */
} mistakes[] = {
	{ "thresholds:\n  hedroom: 85%\n",
	  "2:12: thresholds.hedroom: there is no such key; the nearest is headroom" },
	{ "qqqqqq: 1\n", "1:9: qqqqqq: there is no such key" },
	{ "version: \"2\"\n", "1:10: version: 2 is none of: 1" },
	{ "failOn: errors\n", "1:9: failOn: errors is none of: error warning note never" },
	{ "complete: maybe\n", "1:11: complete: true or false is wanted" },
	{ "complete: yes\n", "1:11: complete: true or false is wanted" },
	{ "kubernetes: newest\n", "1:13: kubernetes: newest: a version such as 1.34 is wanted" },
	{ "thresholds: {heap: 90 percent}\n",
	  "1:20: thresholds.heap: 90 percent: a percentage such as 85% is wanted" },
	{ "thresholds: {heap: -5%}\n",
	  "1:20: thresholds.heap: -5%: a percentage such as 85% is wanted" },
	{ "thresholds: {cpuOvercommit: \"0\"}\n",
	  "1:29: thresholds.cpuOvercommit: 0: a number above 0 is wanted" },
	{ "thresholds: {scaleUpTime: 30}\n",
	  "1:27: thresholds.scaleUpTime: 30: a duration such as 30s or 5m is wanted" },
	{ "limits: {fileSize: big}\n", "1:20: limits.fileSize: big: a size such as 64Mi is wanted" },
	{ "limits: {findings: -1}\n", "1:20: limits.findings: -1: a whole number is wanted" },
	{ "fleet: most\n", "1:8: fleet: most: baseline, peak or a percentage is wanted" },
	{ "paths: k8s\n", "1:8: paths: a list is wanted" },
	{ "paths: [[a]]\n", "1:1: paths[0]: a single value is wanted" },
	{ "thresholds: 5\n", "1:13: thresholds: a map is wanted" },
	{ "rules: [KL604]\n", "1:9: rules[0]: a map is wanted" },
	{ "rules:\n- level: note\n", "1:1: rules[0]: rule is missing" },
	{ "rules:\n- rule: KL604\n  level: loud\n",
	  "3:10: rules[0].level: loud is none of: error warning note off" },
	{ "failOn: error\nfailOn: note\n", "2:1: failOn: given twice" },
	{ "- paths\n", "1:1: a map is wanted" },
	{ "paths: [a]\n---\npaths: [b]\n", "2:4: a config file has one document" },
	{ "format: [\n", NULL }, /* the words are those of the YAML reader */
	{ "kubernetes:\n", "1:1: kubernetes: a single value is wanted" },
};

static void test_mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
		struct arena *arena = arena_new();
		struct config_problems problems = { 0 };
		struct source_set *set =
			source_from_text(arena, STR("c"), str_of(mistakes[i].text));
		assert_null(config_load(arena, set->sources.v[0], STR("/"), &problems));
		assert_true(problems.n > 0);
		assert_int_equal(problems.v[0].span.file, 1);
		struct position at = source_position(set->sources.v[0], problems.v[0].span.begin);
		str text = str_format(arena, "%u:%u: %.*s", at.line, at.column,
		                      STR_ARG(problems.v[0].text));
		if (mistakes[i].wanted)
			assert_string_equal(str_c(arena, text), mistakes[i].wanted);
		arena_free(arena);
	}
}

/* All mistakes of a file are told at once. */
static void test_all_mistakes(void **state)
{
	struct arena *arena = arena_new();
	struct config_problems problems = { 0 };

	(void)state;
	load(arena, STR("pats: [a]\ncomplete: 1\nrules: 3\n"), &problems);
	assert_int_equal(problems.n, 3);
	arena_free(arena);
}

/* ---- readings of texts ----------------------------------------------------------------- */

static void test_numbers(void **state)
{
	(void)state;
	assert_int_equal(config_percent("85%", 1), 85);
	assert_int_equal(config_percent("0.85", 1), 85);
	assert_int_equal(config_percent(NULL, 7), 7);
	assert_int_equal(config_hundredths("10", 1), 1000);
	assert_int_equal(config_hundredths("2.5", 1), 250);
	assert_int_equal(config_hundredths(NULL, 200), 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),  cmocka_unit_test(test_values),
		cmocka_unit_test(test_empty),     cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_all_mistakes), cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

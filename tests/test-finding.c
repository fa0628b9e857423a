/* The list of findings: order, equal ones, texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "finding.h"

static const struct rule rule_a = { .code = "KL101", .name = "a", .level = LEVEL_ERROR };
static const struct rule rule_b = { .code = "KL201", .name = "b", .level = LEVEL_WARNING };

static void assert_text(str text, const char *expected)
{
	if (!str_is(text, expected))
		fail_msg("\"%.*s\" is not \"%s\"", STR_ARG(text), expected);
}

static struct finding *say(struct sink *sink, const struct rule *rule, uint32_t file,
                           uint32_t begin, const char *message)
{
	struct finding *finding = sink_add(sink, rule, rule->level,
	                                   (struct span){ file, begin, begin + 1 });

	finding_message(sink, finding, "%s", message);
	return finding;
}

static void test_levels(void **state)
{
	static const enum level levels[] = { LEVEL_NOTE, LEVEL_WARNING, LEVEL_ERROR };
	enum level level;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(levels); i++) {
		assert_true(level_parse(str_of(level_name(levels[i])), &level));
		assert_int_equal(level, levels[i]);
	}
	assert_false(level_parse(STR("errors"), &level));
	assert_false(level_parse(STR(""), &level));
}

/* Whatever the order of emission: by file, place, code, message. */
static void test_order(void **state)
{
	struct arena *arena = arena_new();
	struct sink *sink = sink_new(arena);
	static const char *const expected[] = { "one", "two", "three", "four", "five" };

	(void)state;
	say(sink, &rule_a, 2, 0, "five");
	say(sink, &rule_b, 1, 9, "four");
	say(sink, &rule_a, 1, 9, "three");
	say(sink, &rule_a, 1, 4, "two");
	say(sink, &rule_b, 1, 3, "one");
	sink_finish(sink);
	assert_int_equal(sink->findings.n, COUNT_OF(expected));
	for (size_t i = 0; i < COUNT_OF(expected); i++)
		assert_text(sink->findings.v[i]->message, expected[i]);
	arena_free(arena);
}

/* Equal in rule, level, object, path, place and message: said once. */
static void test_equal(void **state)
{
	struct arena *arena = arena_new();
	struct sink *sink = sink_new(arena);

	(void)state;
	say(sink, &rule_a, 1, 4, "same");
	say(sink, &rule_a, 1, 4, "same");
	say(sink, &rule_a, 1, 4, "same")->level = LEVEL_WARNING;
	say(sink, &rule_a, 1, 4, "same")->path = STR("spec");
	say(sink, &rule_a, 1, 4, "same")->object.name = STR("web");
	say(sink, &rule_b, 1, 4, "same");
	say(sink, &rule_a, 1, 4, "other");
	sink_finish(sink);
	assert_int_equal(sink->findings.n, 6);
	sink_finish(sink);
	assert_int_equal(sink->findings.n, 6);
	arena_free(arena);
}

static void test_undecided(void **state)
{
	struct arena *arena = arena_new();
	struct sink *sink = sink_new(arena);
	const struct object_ref web = { .kind = STR("Deployment"), .name = STR("web") };

	(void)state;
	for (int i = 0; i < 3; i++)
		sink_undecided(sink, &rule_a, web, (struct span){ 1, 0, 1 }, STR("labels"));
	sink_undecided(sink, &rule_a, web, (struct span){ 1, 0, 1 }, STR("taints"));
	sink_finish(sink);
	assert_int_equal(sink->undecided.n, 2);
	assert_text(sink->undecided.v[0].missing, "labels");
	arena_free(arena);
}

static void test_notifications(void **state)
{
	struct arena *arena = arena_new();
	struct sink *sink = sink_new(arena);

	(void)state;
	sink_notify(sink, "b", LEVEL_NOTE, (struct span){ 0 }, "%d groups", 2);
	sink_notify(sink, "b", LEVEL_NOTE, (struct span){ 0 }, "%d groups", 2);
	sink_notify(sink, "b", LEVEL_NOTE, (struct span){ 0 }, "%d groups", 3);
	sink_notify(sink, "a", LEVEL_NOTE, (struct span){ 0 }, "%d groups", 2);
	sink_finish(sink);
	assert_int_equal(sink->notifications.n, 3);
	assert_string_equal(sink->notifications.v[0].id, "a");
	assert_text(sink->notifications.v[2].message, "3 groups");
	arena_free(arena);
}

/* Texts are copies: what they were made of may go. */
static void test_parts(void **state)
{
	struct arena *arena = arena_new();
	struct sink *sink = sink_new(arena);
	struct finding *finding = say(sink, &rule_a, 1, 0, "m");
	char text[] = "new";

	(void)state;
	finding_help(sink, finding, "use %s", text);
	finding_relate(sink, finding, (struct span){ 1, 2, 3 }, "group %s", text);
	finding_relate(sink, finding, (struct span){ 0 }, "a place in no file");
	finding_fix(sink, finding, true, text,
	            (struct edit){ .span = { 1, 0, 1 }, .text = str_of(text) });
	text[0] = 'X';
	assert_text(finding->help, "use new");
	assert_int_equal(finding->related.n, 1);
	assert_text(finding->related.v[0].message, "group new");
	assert_int_equal(finding->fixes.n, 1);
	assert_text(finding->fixes.v[0].description, "new");
	assert_text(finding->fixes.v[0].edits.v[0].text, "new");
	assert_true(finding->fixes.v[0].safe);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),        cmocka_unit_test(test_order),
		cmocka_unit_test(test_equal),         cmocka_unit_test(test_undecided),
		cmocka_unit_test(test_notifications), cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

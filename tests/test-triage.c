/* Triage: the covering table, selection, fingerprints, tally and exit code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "finding.h"
#include "triage.h"
#include "tree.h"

static int owner_a, owner_b, scope_a, scope_b;

/* One finding of a test; unset keys are those of the first owner and scope. */
struct said {
	const char *code;
	enum level level;
	const void *owner, *partner, *scope;
	const struct node *value;
	const char *path;
};

#define SAID(code_, level_) .code = code_, .level = LEVEL_##level_

static const struct rule rule_table[] = {
	{ .code = "KL001", .level = LEVEL_ERROR },
	{ .code = "KL004", .level = LEVEL_ERROR },
	{ .code = "KL005", .level = LEVEL_ERROR },
	{ .code = "KL007", .level = LEVEL_ERROR },
	{ .code = "KL012", .level = LEVEL_ERROR },
	{ .code = "KL101", .name = "node-selector-unmatched", .family = "placement",
	  .level = LEVEL_ERROR },
	{ .code = "KL105", .level = LEVEL_ERROR },
	{ .code = "KL114", .level = LEVEL_ERROR },
	{ .code = "KL119", .level = LEVEL_ERROR },
	{ .code = "KL121", .level = LEVEL_ERROR },
	{ .code = "KL202", .level = LEVEL_ERROR },
	{ .code = "KL301", .level = LEVEL_ERROR },
	{ .code = "KL302", .level = LEVEL_ERROR },
	{ .code = "KL303", .level = LEVEL_ERROR },
	{ .code = "KL304", .level = LEVEL_ERROR },
	{ .code = "KL401", .level = LEVEL_NOTE },
	{ .code = "KL403", .level = LEVEL_NOTE },
};

static const struct rule *rule_of(const char *code)
{
	for (size_t i = 0; i < COUNT_OF(rule_table); i++)
		if (strcmp(rule_table[i].code, code) == 0)
			return &rule_table[i];
	fail_msg("no rule %s in this test", code);
	return NULL;
}

static struct finding *say(struct sink *sink, const struct said *said)
{
	uint32_t place = (uint32_t)sink->findings.n;
	struct finding *finding = sink_add(sink, rule_of(said->code), said->level,
	                                   (struct span){ 1, place, place + 1 });

	finding->owner = said->owner ? said->owner : &owner_a;
	finding->partner = said->partner;
	finding->scope = said->scope ? said->scope : &scope_a;
	finding->value = said->value;
	finding->path = str_of(said->path);
	finding_message(sink, finding, "%s", said->code);
	return finding;
}

static void triage(struct sink *sink, const struct triage_options *options,
                   struct tally *ret_tally)
{
	const struct scopes scopes = { 0 };
	const struct triage_options all = { .fail_on = FAIL_ON_WARNING };

	triage_run(sink, &scopes, options ? options : &all, ret_tally);
}

/* ---- covering ---------------------------------------------------------------------------- */

static struct node parent_node, child_node = { .parent = &parent_node }, other_node;

static const struct covering_case {
	const char *what;
	struct said first, second;
	bool covered; /* the second is not said */
} covering_cases[] = {
	{ "an unplaceable workload has no capacity", { SAID("KL101", ERROR) }, { SAID("KL301", ERROR) },
	  true },
	{ "another workload does", { SAID("KL101", ERROR) },
	  { SAID("KL301", ERROR), .owner = &owner_b }, false },
	{ "another variant does", { SAID("KL101", ERROR) },
	  { SAID("KL301", ERROR), .scope = &scope_b }, false },
	{ "said on the scaler of the workload", { SAID("KL105", ERROR) },
	  { SAID("KL302", ERROR), .owner = &owner_b, .partner = &owner_a }, true },
	{ "a scaler's error covers its workload's", { SAID("KL302", ERROR), .owner = &owner_b,
	  .partner = &owner_a }, { SAID("KL304", ERROR) }, true },
	{ "a scaler's warning does not", { SAID("KL302", WARNING), .owner = &owner_b,
	  .partner = &owner_a }, { SAID("KL304", ERROR) }, false },
	{ "only an error of the platform covers", { SAID("KL114", WARNING) }, { SAID("KL101", ERROR) },
	  false },
	{ "an error of the platform covers", { SAID("KL114", ERROR) }, { SAID("KL101", ERROR) }, true },
	{ "a bad field and what reads it", { SAID("KL005", ERROR), .value = &parent_node },
	  { SAID("KL302", ERROR), .value = &child_node }, true },
	{ "a bad field and its parent", { SAID("KL005", ERROR), .value = &child_node },
	  { SAID("KL302", ERROR), .value = &parent_node }, false },
	{ "a bad field and another", { SAID("KL005", ERROR), .value = &other_node },
	  { SAID("KL302", ERROR), .value = &child_node }, false },
	{ "a type trap is no bad value", { SAID("KL007", ERROR), .value = &child_node },
	  { SAID("KL005", ERROR), .value = &child_node }, true },
	{ "the HPA's selector is no unknown field", { SAID("KL202", ERROR), .path = "spec.selector" },
	  { SAID("KL004", ERROR), .path = "spec.selector" }, true },
	{ "other unknown fields are", { SAID("KL202", ERROR), .path = "spec.selector" },
	  { SAID("KL004", ERROR), .path = "spec.selectors" }, false },
	{ "limits that stand in for requests",
	  { SAID("KL403", NOTE), .path = "spec.containers[0].resources.limits" },
	  { SAID("KL401", NOTE), .path = "spec.containers[0].resources" }, true },
	{ "of another container", { SAID("KL403", NOTE), .path = "spec.containers[0].resources.limits" },
	  { SAID("KL401", NOTE), .path = "spec.containers[1].resources" }, false },
	{ "absence beside an unreadable document", { SAID("KL001", ERROR) },
	  { SAID("KL012", WARNING), .owner = &owner_b }, true },
};

static void test_covering(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(covering_cases); i++) {
		const struct covering_case *row = &covering_cases[i];
		for (int swapped = 0; swapped < 2; swapped++) {
			struct arena *arena = arena_new();
			struct sink *sink = sink_new(arena);
			struct tally tally;
			say(sink, swapped ? &row->second : &row->first);
			say(sink, swapped ? &row->first : &row->second);
			triage(sink, NULL, &tally);
			if (sink->findings.n != (row->covered ? 1u : 2u) ||
			    tally.covered != (row->covered ? 1u : 0u))
				fail_msg("%s: %zu findings", row->what, sink->findings.n);
			if (row->covered)
				assert_string_equal(sink->findings.v[0]->rule->code,
				                    row->first.code);
			arena_free(arena);
		}
	}
}

/* A finding about all workloads covers those that it names. */
static void test_covering_named(void **state)
{
	static const void *const named[] = { &owner_b, &owner_a };
	struct arena *arena = arena_new();
	struct sink *sink = sink_new(arena);
	struct tally tally;

	(void)state;
	struct finding *fleet = say(sink, &(struct said){ SAID("KL303", ERROR),
	                                                  .owner = &scope_a });
	fleet->named = named;
	fleet->named_count = 1;
	say(sink, &(struct said){ SAID("KL302", WARNING), .owner = &owner_b });
	say(sink, &(struct said){ SAID("KL302", WARNING), .owner = &owner_a });
	triage(sink, NULL, &tally);
	assert_int_equal(tally.covered, 1);
	assert_int_equal(sink->findings.n, 2);
	arena_free(arena);
}

/* Two that would cover each other: one stays. */
static void test_covering_circle(void **state)
{
	struct arena *arena = arena_new();
	struct sink *sink = sink_new(arena);
	struct tally tally;

	(void)state;
	say(sink, &(struct said){ SAID("KL119", ERROR) });
	say(sink, &(struct said){ SAID("KL121", ERROR) });
	triage(sink, NULL, &tally);
	assert_int_equal(sink->findings.n, 1);
	arena_free(arena);
}

/* A deselected cause still covers. */
static void test_deselected_cause(void **state)
{
	struct arena *arena = arena_new();
	struct sink *sink = sink_new(arena);
	struct triage_options options = { .fail_on = FAIL_ON_WARNING };
	struct tally tally;

	(void)state;
	*VEC_PUSH(arena, &options.ignore) = STR("KL101");
	say(sink, &(struct said){ SAID("KL101", ERROR) });
	say(sink, &(struct said){ SAID("KL301", ERROR) });
	triage(sink, &options, &tally);
	assert_int_equal(sink->findings.n, 0);
	assert_int_equal(tally.exit_code, 0);
	arena_free(arena);
}

/* ---- selection ---------------------------------------------------------------------------- */

static void test_selectors(void **state)
{
	static const struct {
		const char *selector;
		bool selected;
	} rows[] = {
		{ "KL101", true }, { "node-selector-unmatched", true }, { "KL1", true },
		{ "placement", true }, { "KL10", false }, { "KL", false }, { "KL2", false },
		{ "", false }, { "kl101", false }, { "KL1011", false }, { "node-selector", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rule_selected(rule_of("KL101"), str_of(rows[i].selector)) != rows[i].selected)
			fail_msg("selector \"%s\"", rows[i].selector);
}

static const struct tally_case {
	const char *select, *ignore;
	enum level min_level;
	enum fail_on fail_on;
	size_t errors, warnings, notes;
	int exit_code;
} tally_cases[] = {
	{ "", "", LEVEL_NOTE, FAIL_ON_WARNING, 1, 1, 1, 1 },
	{ "", "", LEVEL_NOTE, FAIL_ON_NEVER, 1, 1, 1, 0 },
	{ "KL0", "", LEVEL_NOTE, FAIL_ON_WARNING, 0, 1, 0, 1 },
	{ "KL0", "", LEVEL_NOTE, FAIL_ON_ERROR, 0, 1, 0, 0 },
	{ "", "KL1", LEVEL_NOTE, FAIL_ON_ERROR, 0, 1, 1, 0 },
	{ "KL4", "", LEVEL_NOTE, FAIL_ON_WARNING, 0, 0, 1, 0 },
	{ "KL4", "", LEVEL_NOTE, FAIL_ON_NOTE, 0, 0, 1, 1 },
	{ "KL1", "KL101", LEVEL_NOTE, FAIL_ON_NOTE, 0, 0, 0, 0 },
	{ "", "", LEVEL_ERROR, FAIL_ON_WARNING, 1, 0, 0, 1 },
};

static void test_tally(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(tally_cases); i++) {
		const struct tally_case *row = &tally_cases[i];
		struct arena *arena = arena_new();
		struct sink *sink = sink_new(arena);
		struct triage_options options = { .fail_on = row->fail_on,
			                          .min_level = row->min_level };
		struct tally tally;
		if (row->select[0])
			*VEC_PUSH(arena, &options.select) = str_of(row->select);
		if (row->ignore[0])
			*VEC_PUSH(arena, &options.ignore) = str_of(row->ignore);
		say(sink, &(struct said){ SAID("KL101", ERROR) });
		say(sink, &(struct said){ SAID("KL012", WARNING) });
		say(sink, &(struct said){ SAID("KL401", NOTE) });
		triage(sink, &options, &tally);
		if (tally.errors != row->errors || tally.warnings != row->warnings ||
		    tally.notes != row->notes || tally.exit_code != row->exit_code)
			fail_msg("row %zu: %zu/%zu/%zu, exit %d", i, tally.errors, tally.warnings,
			         tally.notes, tally.exit_code);
		arena_free(arena);
	}
}

static void test_failed_run(void **state)
{
	struct arena *arena = arena_new();
	struct sink *sink = sink_new(arena);
	const struct triage_options options = { .fail_on = FAIL_ON_NEVER };
	struct tally tally;

	(void)state;
	sink->failed = true;
	say(sink, &(struct said){ SAID("KL101", ERROR) });
	triage(sink, &options, &tally);
	assert_int_equal(tally.exit_code, 2);
	arena_free(arena);
}

/* ---- suppressions -------------------------------------------------------------------------- */

static const struct rule unused_rule = { .code = "KL010", .level = LEVEL_NOTE };

/* A finding of KL101 at the text TARGET of the file; what becomes of it, and how many unused
 * suppressions are said. */
static const struct suppression_case {
	const char *what, *text, *justification; /* justification NULL: not suppressed */
	size_t unused;
} suppression_cases[] = {
	{ "an annotation",
	  "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n"
	  "    kubelint.dev/ignore: \"KL101 by hand\"\nspec: {nodeName: TARGET}\n", "by hand", 0 },
	{ "an annotation of two entries",
	  "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n"
	  "    kubelint.dev/ignore: \"KL604; KL3,KL1 by hand\"\nspec: {nodeName: TARGET}\n", "by hand",
	  1 },
	{ "of another object",
	  "apiVersion: v1\nkind: Pod\nmetadata:\n  name: b\n  annotations:\n"
	  "    kubelint.dev/ignore: \"*\"\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
	  "spec: {nodeName: TARGET}\n", NULL, 1 },
	{ "a comment on the line",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
	  "spec: {nodeName: TARGET} # kubelint: ignore node-selector-unmatched so be it\n", "so be it",
	  0 },
	{ "a comment above",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n# kubelint: ignore KL101\n"
	  "spec: {nodeName: TARGET}\n", "", 0 },
	{ "a comment behind the line above",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: a} # kubelint: ignore KL101\n"
	  "spec: {nodeName: TARGET}\n", NULL, 1 },
	{ "another rule",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
	  "spec: {nodeName: TARGET} # kubelint: ignore KL102\n", NULL, 1 },
	{ "no comment",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
	  "spec: {nodeName: TARGET, hostname: \"x#kubelint: ignore KL101\"}\n", NULL, 0 },
	{ "no rule named",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
	  "spec: {nodeName: TARGET} # kubelint: ignore\n", NULL, 0 },
};

/* The scalar TARGET below node, or NULL. */
static const struct node *find_target(const struct node *node)
{
	const struct node *found = str_is(node_text(node), "TARGET") ? node : NULL;

	for (uint32_t i = 0; i < node->child_count && !found; i++)
		found = find_target(&node->children[i]);
	return found;
}

static void try_suppression(struct arena *arena, const struct suppression_case *row)
{
	struct source_set *sources = source_from_text(arena, STR("a.yaml"), str_of(row->text));
	struct triage_options options = { .fail_on = FAIL_ON_ERROR, .unused_rule = &unused_rule };
	const struct node *target = NULL;
	struct sink *sink = sink_new(arena);
	struct settings settings;
	struct trees trees = { 0 };
	struct objects objects = { 0 };
	struct scopes scopes = { 0 };
	struct tally tally;

	settings_default(&settings);
	for (size_t i = 0; i < sources->sources.v[0]->document_count; i++) {
		struct tree *tree = tree_parse(arena, &sources->sources.v[0]->documents[i]);
		kube_bind(tree, &(struct kube_options){ 0 }, &objects);
		*VEC_PUSH(arena, &trees) = tree;
		target = find_target(tree->root) ? find_target(tree->root) : target;
	}
	model_build(arena, sources, &settings, &trees, &objects, &scopes);
	struct finding *finding = sink_add(sink, rule_of("KL101"), LEVEL_ERROR, node_place(target));
	finding->value = target;
	triage_run(sink, &scopes, &options, &tally);
	bool right = finding->suppressed == (row->justification != NULL) &&
	             (!row->justification || str_is(finding->justification, row->justification)) &&
	             tally.exit_code == (row->justification ? 0 : 1) && tally.notes == row->unused;
	if (!right)
		fail_msg("%s: suppressed %d, %zu unused, exit %d", row->what, finding->suppressed,
		         tally.notes, tally.exit_code);
}

static void test_suppressions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(suppression_cases); i++) {
		struct arena *arena = arena_new();
		try_suppression(arena, &suppression_cases[i]);
		arena_free(arena);
	}
}

/* ---- fingerprints -------------------------------------------------------------------------- */

static str fingerprint_of(struct arena *arena, uint32_t place, const char *anchor,
                          const char *salient, const char *message)
{
	struct sink *sink = sink_new(arena);
	struct finding *finding = sink_add(sink, rule_of("KL101"), LEVEL_ERROR,
	                                   (struct span){ 1, place, place + 1 });
	struct tally tally;

	finding->anchor = str_of(anchor);
	finding->salient = str_of(salient);
	finding_message(sink, finding, "%s", message);
	triage(sink, NULL, &tally);
	return finding->fingerprint;
}

static void test_fingerprints(void **state)
{
	struct arena *arena = arena_new();
	str first = fingerprint_of(arena, 10, "spec/[app]/", "m5", "0/3 groups");

	(void)state;
	assert_int_equal(first.n, 32);
	for (size_t i = 0; i < first.n; i++)
		assert_non_null(strchr("0123456789abcdef", first.p[i]));
	assert_true(str_eq(first, fingerprint_of(arena, 99, "spec/[app]/", "m5", "0/4 groups")));
	assert_false(str_eq(first, fingerprint_of(arena, 10, "spec/[web]/", "m5", "0/3 groups")));
	assert_false(str_eq(first, fingerprint_of(arena, 10, "spec/[app]/", "m6", "0/3 groups")));
	arena_free(arena);
}

/* The n-th equal one is another one, and the first stays the same beside it. */
static void test_equal_fingerprints(void **state)
{
	struct arena *arena = arena_new();
	struct sink *sink = sink_new(arena);
	struct tally tally;

	(void)state;
	for (int i = 0; i < 3; i++)
		say(sink, &(struct said){ SAID("KL101", ERROR), .path = "spec" });
	triage(sink, NULL, &tally);
	assert_int_equal(sink->findings.n, 3);
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < i; k++)
			assert_false(str_eq(sink->findings.v[i]->fingerprint,
			                    sink->findings.v[k]->fingerprint));
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_covering),
		cmocka_unit_test(test_covering_named),
		cmocka_unit_test(test_covering_circle),
		cmocka_unit_test(test_deselected_cause),
		cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_tally),
		cmocka_unit_test(test_failed_run),
		cmocka_unit_test(test_suppressions),
		cmocka_unit_test(test_fingerprints),
		cmocka_unit_test(test_equal_fingerprints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

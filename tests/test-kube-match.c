/* kube: selectors, requirements, taints and tolerations. The official vectors of these run
 * elsewhere (tests/vectors); here stand the forms, and what templates hide. */
#include "kube-bound.h"

/* ---- selectors ------------------------------------------------------------------------ */

static const struct selector_row {
	const char *selector, *labels; /* YAML flow text */
	enum answer matches;
	bool parses;
} selector_rows[] = {
	{ "~", "{a: b}", ANSWER_NO, true },
	{ "{}", "{}", ANSWER_YES, true },
	{ "{matchLabels: {a: b}}", "{a: b, c: d}", ANSWER_YES, true },
	{ "{matchLabels: {a: b}}", "{a: B}", ANSWER_NO, true },
	{ "{matchLabels: {a: ''}}", "{}", ANSWER_NO, true },
	{ "{matchLabels: {a: b c}}", "{a: b c}", ANSWER_NO, false },
	{ "{matchExpressions: [{key: a, operator: In, values: [x, b]}]}", "{a: b}", ANSWER_YES,
	  true },
	{ "{matchExpressions: [{key: a, operator: In}]}", "{a: b}", ANSWER_NO, false },
	{ "{matchExpressions: [{key: a, operator: NotIn, values: [b]}]}", "{}", ANSWER_YES, true },
	{ "{matchExpressions: [{key: a, operator: NotIn, values: [b]}]}", "{a: b}", ANSWER_NO,
	  true },
	{ "{matchExpressions: [{key: a, operator: Exists}]}", "{a: ''}", ANSWER_YES, true },
	{ "{matchExpressions: [{key: a, operator: Exists, values: [b]}]}", "{a: b}", ANSWER_NO,
	  false },
	{ "{matchExpressions: [{key: a, operator: DoesNotExist}]}", "{a: ''}", ANSWER_NO, true },
	{ "{matchExpressions: [{key: a, operator: Gt, values: ['1']}]}", "{a: '2'}", ANSWER_NO,
	  false },
	{ "{matchExpressions: [{key: a, operator: exists}]}", "{a: b}", ANSWER_NO, false },
	{ "{matchExpressions: [{key: a}]}", "{a: b}", ANSWER_NO, false },
	/* hidden values decide only where they could change the verdict */
	{ "{matchLabels: {a: \"${A}\"}}", "{a: b}", ANSWER_UNKNOWN, true },
	{ "{matchLabels: {a: \"${A}\"}}", "{c: d}", ANSWER_NO, true },
	{ "{matchLabels: {a: b}}", "{a: \"${A}\"}", ANSWER_UNKNOWN, true },
	{ "{matchLabels: {a: b, c: d}}", "{a: \"${A}\", c: e}", ANSWER_NO, true },
	{ "{matchLabels: {a: b}}", "{\"${K}\": b}", ANSWER_UNKNOWN, true },
	{ "{matchExpressions: [{key: a, operator: Exists}]}", "{a: \"${A}\"}", ANSWER_YES, true },
	{ "{matchExpressions: [{key: a, operator: In, values: [\"${A}\"]}]}", "{a: b}",
	  ANSWER_UNKNOWN, true },
};

static void test_selectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(selector_rows); i++) {
		const struct selector_row *row = &selector_rows[i];
		struct arena *arena = arena_new();
		str text = str_format(arena, DEPLOYMENT "spec: {selector: %s, template: {metadata: "
		                      "{labels: %s}}}", row->selector, row->labels);
		struct bound bound = bind(str_c(arena, text));
		const struct workload_spec *workload = only(&bound)->workload;

		assert_int_equal(selector_matches(&workload->selector, &workload->pod.labels),
		                 row->matches);
		assert_int_equal(selector_parses(&workload->selector), row->parses);
		release(&bound);
		arena_free(arena);
	}
}

static void test_node_requirements(void **state)
{
	static const struct {
		enum selector_operator op;
		const char *wanted, *have; /* have NULL: no such label */
		bool holds, parses;
	} rows[] = {
		{ SELECTOR_GT, "5", "6", true, true },    { SELECTOR_GT, "5", "5", false, true },
		{ SELECTOR_LT, "5", "4", true, true },    { SELECTOR_LT, "5", NULL, false, true },
		{ SELECTOR_GT, "5", "x", false, true },   { SELECTOR_GT, "x", "6", false, false },
		{ SELECTOR_IN, "5", "5", true, true },    { SELECTOR_NOT_IN, "5", NULL, true, true },
		{ SELECTOR_INVALID, "5", "5", false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct text value = { .s = str_of(rows[i].wanted) };
		struct requirement requirement = { .key = STR("cpus"), .op = rows[i].op,
			                           .values = { &value, 1, 1, NULL } };

		assert_int_equal(requirement_holds(&requirement, rows[i].have != NULL,
		                                   str_of(rows[i].have)), rows[i].holds);
		assert_int_equal(requirement_parses(&requirement, true), rows[i].parses);
	}
}

/* ---- taints --------------------------------------------------------------------------- */

static void test_tolerations(void **state)
{
	static const struct {
		const char *key, *op, *value, *effect; /* toleration */
		const char *taint;
		bool gate, covers;
	} rows[] = {
		{ "spot", "", "true", "", "spot=true:NoSchedule", false, true },
		{ "spot", "Equal", "", "", "spot=true:NoSchedule", false, false },
		{ "spot", "", "", "NoSchedule", "spot:NoSchedule", false, true },
		{ "spot", "Exists", "", "NoExecute", "spot=true:NoSchedule", false, false },
		{ "", "Exists", "", "", "spot=true:NoSchedule", false, true },
		{ "", "", "true", "", "spot=true:NoSchedule", false, true },
		{ "spot", "exists", "", "", "spot=true:NoSchedule", false, false },
		{ "spot", "", "true", "", "gpu=true:NoSchedule", false, false },
		{ "n", "Gt", "3", "", "n=5:NoSchedule", false, false },
		{ "n", "Gt", "3", "", "n=5:NoSchedule", true, true },
		{ "n", "Gt", "5", "", "n=5:NoSchedule", true, false },
		{ "n", "Lt", "9", "", "n=-5:NoSchedule", true, true },
		{ "n", "Gt", "03", "", "n=5:NoSchedule", true, false },
		{ "n", "Gt", "3", "", "n=+5:NoSchedule", true, false },
		{ "n", "Gt", "3", "", "n=five:NoSchedule", true, false },
		{ "n", "Lt", "1", "", "n=0:NoSchedule", true, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct toleration toleration = {
			.key.s = str_of(rows[i].key), .op.s = str_of(rows[i].op),
			.value.s = str_of(rows[i].value), .effect.s = str_of(rows[i].effect),
		};
		struct taint taint;

		assert_true(taint_parse(str_of(rows[i].taint), &taint));
		assert_int_equal(toleration_covers(&toleration, &taint, rows[i].gate),
		                 rows[i].covers);
	}
}

static void test_taint_texts(void **state)
{
	static const struct {
		const char *text;
		const char *canonical; /* NULL: no taint */
	} rows[] = {
		{ "a=b:NoSchedule", "a=b:NoSchedule" }, { "a:NoExecute", "a:NoExecute" },
		{ "a=:PREFER_NO_SCHEDULE", "a:PreferNoSchedule" },
		{ "a=b:noExecute", "a=b:NoExecute" },
		{ "example.com/x=y:no-schedule", "example.com/x=y:NoSchedule" },
		{ "a=b", NULL }, { "a=b:Never", NULL }, { ":NoSchedule", NULL }, { "", NULL },
		{ "a=b:", NULL }, { "a=b:NoScheduleX", NULL },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct taint taint;

		assert_int_equal(taint_parse(str_of(rows[i].text), &taint),
		                 rows[i].canonical != NULL);
		if (rows[i].canonical)
			assert_text(taint_text(arena, &taint), rows[i].canonical);
		else
			assert_int_equal(taint.key.n + taint.effect.n, 0);
	}
	arena_free(arena);
}

static void test_gates(void **state)
{
	static const struct {
		const char *named, *asked;
		struct version target;
		bool on;
	} rows[] = {
		{ "", "HPAScaleToZero", { 1, 36, -1 }, false },
		{ "", "HPAScaleToZero", { 1, 37, -1 }, true },
		{ "", "HPAScaleToZero", { 0, 0, 0 }, true }, /* the newest known */
		{ "HPAScaleToZero", "HPAScaleToZero", { 1, 29, -1 }, true },
		{ "Other", "TaintTolerationComparisonOperators", { 1, 37, -1 }, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		str named = str_of(rows[i].named);
		const struct strs gates = { .v = &named, .n = 1, .cap = 1 };

		assert_int_equal(kube_gate_is_on(&gates, rows[i].asked, rows[i].target),
		                 rows[i].on);
	}
	assert_false(kube_gate_is_on(NULL, "Other", (struct version){ 1, 37, -1 }));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gates),
		cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_node_requirements),
		cmocka_unit_test(test_tolerations),
		cmocka_unit_test(test_taint_texts),
	};

	return cmocka_run_group_tests_name("kube-match", tests, NULL, NULL);
}

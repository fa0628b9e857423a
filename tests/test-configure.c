/* What a configuration does to the findings of a small repo: levels, selection, suppressions and
 * their upkeep (KL010), critical workloads, namespaces, clusters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "cli.h"

#define WEB                                                                                      \
	"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"        \
	"spec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n  template:\n"             \
	"    metadata: {labels: {app: web, tier: critical}}\n    spec:\n      containers:\n"     \
	"        - name: c\n          image: r.example.com/c:1\n          resources:\n"          \
	"            limits: {cpu: 1, memory: 1Gi}\n            requests: {cpu: 200m, memory: 900Mi}\n"

/* All findings of one rule in that repo under that configuration. */
static const struct row {
	const char *config, *code;
	size_t open, suppressed;
	enum level level;          /* of the open ones */
} rows[] = {
	{ "", "KL604", 1, 0, LEVEL_NOTE },
	/* levels: later entries win, families and names count */
	{ "rules: [{rule: KL604, level: warning}]", "KL604", 1, 0, LEVEL_WARNING },
	{ "rules: [{rule: KL604, level: off}]", "KL604", 0, 0, LEVEL_NOTE },
	{ "rules: [{rule: KL6, level: off}, {rule: pdb-missing, level: error}]", "KL604", 1, 0,
	  LEVEL_ERROR },
	{ "rules: [{rule: KL604, level: error}, {rule: KL6, level: off}]", "KL604", 0, 0,
	  LEVEL_NOTE },
	{ "minLevel: warning", "KL604", 0, 0, LEVEL_NOTE },
	{ "select: [KL4]", "KL604", 0, 0, LEVEL_NOTE },
	{ "select: [KL6]", "KL604", 1, 0, LEVEL_NOTE },
	/* suppressions: all given keys must match */
	{ "ignore: [{rule: KL604, reason: no}]", "KL604", 0, 1, LEVEL_NOTE },
	{ "ignore: [{rule: \"*\", reason: no}]", "KL604", 0, 1, LEVEL_NOTE },
	{ "ignore: [{rule: KL604, path: \"k8s/**\"}]", "KL604", 0, 1, LEVEL_NOTE },
	{ "ignore: [{rule: KL604, path: \"infra/**\"}]", "KL604", 1, 0, LEVEL_NOTE },
	{ "ignore: [{rule: KL604, object: Deployment/shop/web}]", "KL604", 0, 1, LEVEL_NOTE },
	{ "ignore: [{rule: KL604, object: \"*/sh*/*\"}]", "KL604", 0, 1, LEVEL_NOTE },
	{ "ignore: [{rule: KL604, object: Deployment/web}]", "KL604", 1, 0, LEVEL_NOTE },
	{ "ignore: [{rule: KL604, object: \"*\"}]", "KL604", 1, 0, LEVEL_NOTE },
	{ "ignore: [{rule: KL604, path: \"k8s/**\", object: Pod/shop/web}]", "KL604", 1, 0,
	  LEVEL_NOTE },
	/* KL010 */
	{ "ignore: [{rule: KL604, reason: no}]", "KL010", 0, 0, LEVEL_NOTE },
	{ "ignore: [{rule: KL301, reason: no}]", "KL010", 1, 0, LEVEL_NOTE },
	{ "ignore: [{rule: KL301, path: \"elsewhere/**\"}]", "KL010", 0, 0, LEVEL_NOTE },
	{ "ignore: [{rule: KL999}]\nrules: [{rule: KL998, level: off}]\nselect: [KL0, KL997]",
	  "KL010", 3, 0, LEVEL_NOTE },
	{ "ignore: [{rule: KL604}]\nrequireReasons: true", "KL010", 1, 0, LEVEL_NOTE },
	{ "ignore: [{rule: KL604, reason: no}]\nrequireReasons: true", "KL010", 0, 0, LEVEL_NOTE },
	/* what rules read */
	{ "critical: [{workloads: tier=critical}]", "KL412", 1, 0, LEVEL_NOTE },
	{ "critical: [{workloads: \"\"}]", "KL412", 2, 0, LEVEL_NOTE },
	{ "critical: [{workloads: \"tier notin (critical)\"}]", "KL412", 1, 0, LEVEL_NOTE },
	{ "critical: [{workloads: \"tier,!x\", namespaces: [\"s*\"]}]", "KL412", 1, 0, LEVEL_NOTE },
	{ "critical: [{workloads: tier=critical, namespaces: [pay]}]", "KL412", 0, 0, LEVEL_NOTE },
	{ "thresholds: {cpuLimitRatio: \"4\"}", "KL407", 1, 0, LEVEL_NOTE },
	{ "thresholds: {cpuLimitRatio: \"5\"}", "KL407", 0, 0, LEVEL_NOTE },
	{ "complete: false", "KL012", 1, 0, LEVEL_WARNING },
	{ "complete: true", "KL012", 1, 0, LEVEL_ERROR },
	/* a file of two clusters is judged in each, and what is equal is said once */
	{ "clusters: [{name: a, paths: [k8s]}, {name: b, paths: [infra]}]", "KL604", 1, 0,
	  LEVEL_NOTE },
	{ "clusters: [{name: a, paths: [k8s]}, {name: b, paths: [k8s, infra]}]", "KL604", 1, 0,
	  LEVEL_NOTE },
};

static void count(const struct row *row, const struct findings *findings, size_t *ret_open,
                  size_t *ret_suppressed)
{
	*ret_open = *ret_suppressed = 0;
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = findings->v[i];

		if (strcmp(finding->rule->code, row->code) != 0)
			continue;
		*ret_suppressed += finding->suppressed;
		*ret_open += !finding->suppressed;
		if (!finding->suppressed && finding->level != row->level)
			fail_msg("%s: level %s", row->config, level_name(finding->level));
		if (finding->suppressed != finding->external)
			fail_msg("%s: suppressed by the configuration, not in the source", row->config);
	}
}

static void try_row(const struct row *row)
{
	struct arena *arena = arena_new();
	struct source_set *set =
		source_from_text(arena, STR(".kubelint.yaml"), str_of(row->config));
	struct options options;
	size_t open, suppressed;
	str error;

	source_add_text(set, STR("infra/pod.yaml"),
	                STR("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: infra}\nspec:\n"
	                    "  runtimeClassName: sandboxed\n  containers:\n    - {name: c, image: i}\n"));
	source_add_text(set, STR("k8s/web.yaml"), STR(WEB));
	assert_true(options_parse_text(arena, (str){ 0 }, &options, &error));
	const struct pipeline *pipeline = pipeline_run(arena, &options, set);
	for (size_t i = 0; i < pipeline->sink->notifications.n; i++)
		if (pipeline->sink->notifications.v[i].level == LEVEL_ERROR)
			fail_msg("%s: %.*s", row->config,
			         STR_ARG(pipeline->sink->notifications.v[i].message));
	count(row, &pipeline->sink->findings, &open, &suppressed);
	if (open != row->open || suppressed != row->suppressed)
		fail_msg("%s: %s: %zu open, %zu suppressed", row->config, row->code, open,
		         suppressed);
	assert_int_equal(pipeline->summary.suppressed > 0, suppressed > 0 ||
	                 pipeline->tally.suppressed > 0);
	arena_free(arena);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		try_row(&rows[i]);
}

/* Each cluster is judged by its own groups: a label that only the other one has does not help. */
static void test_clusters(void **state)
{
	struct arena *arena = arena_new();
	struct source_set *set = source_from_text(arena, STR(".kubelint.yaml"),
		STR("clusters:\n- {name: a, paths: [k8s], nodes: [a.yaml]}\n"
		    "- {name: b, paths: [k8s], nodes: [b.yaml], kubernetes: \"1.30\"}\n"));
	struct options options;
	size_t found = 0;
	str error;

	(void)state;
	for (int i = 0; i < 2; i++)
		source_add_text(set, i ? STR("b.yaml") : STR("a.yaml"),
			str_format(arena, "apiVersion: kubelint.dev/v1\nkind: NodeGroupInventory\n"
			           "nodeGroups:\n- {name: g, minSize: 1, maxSize: 3, "
			           "labels: {role: %s}, allocatable: {cpu: 8, memory: 16Gi, pods: \"50\"}}\n",
			           i ? "web" : "api"));
	source_add_text(set, STR("k8s/pod.yaml"),
		STR("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: n}\nspec:\n"
		    "  nodeSelector: {role: api}\n  containers: [{name: c, image: i}]\n"));
	assert_true(options_parse_text(arena, (str){ 0 }, &options, &error));
	const struct pipeline *pipeline = pipeline_run(arena, &options, set);
	assert_int_equal(pipeline->scopes.n, 2);
	assert_int_equal(pipeline->scopes.v[1]->settings->kubernetes.minor, 30);
	for (size_t i = 0; i < pipeline->sink->findings.n; i++) {
		const struct finding *finding = pipeline->sink->findings.v[i];

		if (strcmp(finding->rule->code, "KL101") == 0) {
			assert_true(str_is(finding->cluster, "b"));
			found++;
		}
	}
	assert_int_equal(found, 1);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_clusters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* model: partners of objects, replica counts, calls, kustomizations, variants, charts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model.h"

#define DEPLOYMENT(name, ns, body)                                                               \
	"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " name ", namespace: " ns "}\n"     \
	"spec:\n  selector: {matchLabels: {app: " name "}}\n" body                                   \
	"  template:\n    metadata: {labels: {app: " name "}}\n    spec:\n      containers:\n"        \
	"      - {name: a, image: i}\n"
#define HPA(name, ns, kind, target, version)                                                     \
	"apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n"                                \
	"metadata: {name: " name ", namespace: " ns "}\nspec:\n"                                     \
	"  scaleTargetRef: {apiVersion: " version ", kind: " kind ", name: " target "}\n"             \
	"  minReplicas: 2\n  maxReplicas: 9\n"

struct file {
	const char *path, *text;
};

/* Scopes of a small repo. */
static struct scopes build(struct arena *arena, const struct file *files, size_t count)
{
	struct source_set *set = source_from_text(arena, str_of(files[0].path),
	                                          str_of(files[0].text));
	struct settings *settings = ARENA_NEW(arena, struct settings);
	struct kube_options options = { 0 };
	struct trees trees = { 0 };
	struct objects objects = { 0 };
	struct scopes scopes = { 0 };

	for (size_t i = 1; i < count; i++)
		source_add_text(set, str_of(files[i].path), str_of(files[i].text));
	for (size_t i = 0; i < set->sources.n; i++)
		for (size_t j = 0; j < set->sources.v[i]->document_count; j++) {
			struct tree *tree = tree_parse(arena, &set->sources.v[i]->documents[j]);

			*VEC_PUSH(arena, &trees) = tree;
			kube_bind(tree, &options, &objects);
		}
	settings_default(settings);
	model_build(arena, set, settings, &trees, &objects, &scopes);
	return scopes;
}

#define BUILD(arena, files) build((arena), (files), COUNT_OF(files))

static void test_scale_targets(void **state)
{
	static const struct {
		const char *hpa;
		enum target_state wanted;
	} rows[] = {
		{ HPA("h", "web", "Deployment", "shop", "apps/v1"), SCALE_TARGET_FOUND },
		{ HPA("h", "web", "Deployment", "shop", "apps/v1beta2"), SCALE_TARGET_OTHER_VERSION },
		{ HPA("h", "web", "Deployment", "shop", "extensions/v1beta1"),
		  SCALE_TARGET_OTHER_GROUP },
		{ HPA("h", "web", "Deployment", "shop", "v1"), SCALE_TARGET_OTHER_GROUP },
		{ HPA("h", "other", "Deployment", "shop", "apps/v1"),
		  SCALE_TARGET_OTHER_NAMESPACE },
		{ HPA("h", "web", "Deployment", "shopp", "apps/v1"), SCALE_TARGET_NEAR_NAME },
		{ HPA("h", "web", "StatefulSet", "shop", "apps/v1"), SCALE_TARGET_OTHER_KIND },
		{ HPA("h", "web", "Deployment", "billing", "apps/v1"), SCALE_TARGET_NONE },
		{ HPA("h", "web", "Deployment", "\"${APP}\"", "apps/v1"), SCALE_TARGET_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct file files[] = { { "d.yaml", DEPLOYMENT("shop", "web", "") },
			                { "h.yaml", rows[i].hpa } };
		struct scopes scopes = BUILD(arena, files);

		assert_int_equal(scopes.n, 1);
		assert_int_equal(scopes.v[0]->scalers.n, 1);
		assert_int_equal(scopes.v[0]->scalers.v[0]->target_state, rows[i].wanted);
		assert_int_equal(scopes.v[0]->workloads.v[0]->peak.value,
		                 rows[i].wanted <= SCALE_TARGET_OTHER_VERSION &&
		                                 rows[i].wanted != SCALE_TARGET_OTHER_GROUP
		                         ? 9
		                         : 1);
		arena_free(arena);
	}
}

static void test_replicas(void **state)
{
	static const struct {
		const char *text;
		int64_t baseline;
		bool known, singleton;
	} rows[] = {
		{ DEPLOYMENT("a", "b", ""), 1, true, true },
		{ DEPLOYMENT("a", "b", "  replicas: 3\n"), 3, true, false },
		{ DEPLOYMENT("a", "b", "  replicas: ${N}\n"), 0, false, false },
		{ "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  parallelism: 5\n"
		  "  completions: 2\n  template: {spec: {restartPolicy: Never, containers: "
		  "[{name: a, image: i}]}}\n",
		  2, true, false },
		{ "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: "
		  "[{name: a, image: i}]}\n",
		  1, true, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct file files[] = { { "d.yaml", rows[i].text } };
		struct scopes scopes = BUILD(arena, files);
		const struct workload *workload = scopes.v[0]->workloads.v[0];

		assert_int_equal(workload->baseline.known, rows[i].known);
		if (rows[i].known)
			assert_int_equal(workload->baseline.value, rows[i].baseline);
		assert_int_equal(workload->singleton, rows[i].singleton);
		arena_free(arena);
	}
}

/* A caller whose one env variable holds the value, and the Service `db` of namespace data. */
static size_t count_calls(const char *ns, const char *env, const char *value)
{
	struct arena *arena = arena_new();
	str caller = str_format(arena,
	                        "apiVersion: v1\nkind: Pod\nmetadata: {name: c, namespace: %s}\n"
	                        "spec: {containers: [{name: a, image: i, env: [{name: %s, value: "
	                        "\"%s\"}]}]}\n",
	                        ns, env, value);
	struct file files[] = {
		{ "db.yaml", DEPLOYMENT("db", "data", "") },
		{ "svc.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: db, namespace: data}\n"
		              "spec: {selector: {app: db}, ports: [{port: 5432}]}\n" },
		{ "c.yaml", caller.p },
	};
	struct scopes scopes = BUILD(arena, files);
	size_t count = scopes.v[0]->calls.n;

	arena_free(arena);
	return count;
}

static void test_calls(void **state)
{
	static const struct {
		const char *ns, *env, *value;
		size_t calls;
	} rows[] = {
		{ "data", "DB", "postgres://u:p@db:5432/x", 1 }, { "data", "DB_HOST", "db", 1 },
		{ "data", "DB_NAME", "db", 0 },                  { "web", "DB_HOST", "db", 0 },
		{ "web", "X", "http://db.data.svc:80", 1 },      { "web", "X", "db.data", 1 },
		{ "web", "X", "http://db.data.example.com", 0 }, { "data", "X", "http://db/x", 1 },
		{ "data", "X", "http://db2/x", 0 },              { "web", "X", "db.data.svc.cluster.local", 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(count_calls(rows[i].ns, rows[i].env, rows[i].value),
		                 rows[i].calls);
}

static void test_kustomize_namespace(void **state)
{
	static const struct file files[] = {
		{ "base/d.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
		                 "spec: {containers: [{name: a, image: i}]}\n" },
		{ "base/kustomization.yaml", "resources: [d.yaml]\nnamespace: inner\n" },
		{ "over/kustomization.yaml", "resources: [../base]\nnamespace: outer\n" },
	};
	struct arena *arena = arena_new();
	struct scopes scopes = BUILD(arena, files);

	(void)state;
	assert_int_equal(scopes.n, 1);
	assert_true(str_is(scopes.v[0]->workloads.v[0]->namespace, "outer"));
	arena_free(arena);
}

static void test_deployed_namespace(void **state)
{
	static const struct file files[] = {
		{ "apps/web/d.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
		                     "spec: {containers: [{name: a, image: i}]}\n" },
		{ "apps/own/d.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: x}\n"
		                     "spec: {containers: [{name: a, image: i}]}\n" },
		{ "flux.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
		               "metadata: {name: web}\nspec: {path: ./apps/web, "
		               "targetNamespace: shop}\n" },
		{ "argo.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
		               "metadata: {name: a}\nspec: {source: {path: apps/own}, "
		               "destination: {namespace: other}}\n" },
	};
	struct arena *arena = arena_new();
	struct scopes scopes = BUILD(arena, files);

	(void)state;
	assert_int_equal(scopes.v[0]->workloads.n, 2);
	assert_true(str_is(scopes.v[0]->workloads.v[0]->namespace, "shop"));
	assert_true(str_is(scopes.v[0]->workloads.v[1]->namespace, "x"));
	arena_free(arena);
}

static void test_patches(void **state)
{
	static const struct file files[] = {
		{ "d.yaml", DEPLOYMENT("shop", "web", "  replicas: 3\n") },
		{ "kustomization.yaml", "resources: [d.yaml]\npatches:\n- path: more.yaml\n" },
		{ "more.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\n"
		               "spec: {replicas: 7}\n" },
	};
	struct arena *arena = arena_new();
	struct scopes scopes = BUILD(arena, files);

	(void)state;
	assert_int_equal(scopes.v[0]->workloads.n, 1);
	assert_false(node_known(scopes.v[0]->workloads.v[0]->object->workload->replicas.node));
	arena_free(arena);
}

/* A field that a patch adds is not known to be absent. */
static void test_patches_that_add(void **state)
{
	static const struct file files[] = {
		{ "d.yaml", DEPLOYMENT("shop", "web", "") },
		{ "kustomization.yaml", "resources: [d.yaml]\npatches:\n- path: more.yaml\n" },
		{ "more.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\n"
		               "spec: {replicas: 7, template: {spec: {tolerations: [{operator: "
		               "Exists}]}}}\n" },
	};
	struct arena *arena = arena_new();
	struct scopes scopes = BUILD(arena, files);

	(void)state;
	assert_false(scopes.v[0]->workloads.v[0]->replicas.known);
	assert_true(scopes.v[0]->workloads.v[0]->pod->spec->unknown);
	arena_free(arena);
}

static void test_labels_of_kustomizations(void **state)
{
	static const struct {
		const char *labels;
		size_t faults;
	} rows[] = {
		{ "commonLabels: {app: shop}\n", 0 },
		{ "labels:\n- pairs: {app: shop}\n  includeSelectors: true\n", 0 },
		{ "labels:\n- pairs: {app: shop}\n", 2 },
		{ "", 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		str kustomization = str_format(arena, "resources: [d.yaml]\n%s", rows[i].labels);
		struct file files[] = {
			{ "d.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\n"
			            "spec: {template: {spec: {containers: [{name: a, image: i}]}}}\n" },
			{ "kustomization.yaml", kustomization.p },
		};
		struct scopes scopes = BUILD(arena, files);

		assert_int_equal(scopes.v[0]->objects.v[0]->tree->faults.n, rows[i].faults);
		arena_free(arena);
	}
}

static void test_variants(void **state)
{
	static const struct {
		struct file files[4];
		size_t scopes, workloads; /* of the first scope */
	} rows[] = {
		/* two folders that declare one object */
		{ { { "envs/dev/d.yaml", DEPLOYMENT("shop", "web", "") },
		    { "envs/prod/d.yaml", DEPLOYMENT("shop", "web", "") },
		    { "envs/prod/e.yaml", DEPLOYMENT("other", "web", "") },
		    { "d.yaml", DEPLOYMENT("common", "web", "") } },
		  2, 2 },
		/* one folder: a duplicate, no variant */
		{ { { "a.yaml", DEPLOYMENT("shop", "web", "") },
		    { "b.yaml", DEPLOYMENT("shop", "web", "") } },
		  1, 2 },
		/* other namespaces: other objects */
		{ { { "a/d.yaml", DEPLOYMENT("shop", "web", "") },
		    { "b/d.yaml", DEPLOYMENT("shop", "api", "") } },
		  1, 2 },
		/* two builds over one base */
		{ { { "base/d.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
		                     "spec: {containers: [{name: a, image: i}]}\n" },
		    { "base/kustomization.yaml", "resources: [d.yaml]\n" },
		    { "over/dev/kustomization.yaml", "resources: [../../base]\nnamespace: dev\n" },
		    { "over/prod/kustomization.yaml", "resources: [../../base]\nnamespace: p\n" } },
		  2, 1 },
		/* builds side by side are one cluster */
		{ { { "a/d.yaml", DEPLOYMENT("one", "web", "") },
		    { "a/kustomization.yaml", "resources: [d.yaml]\n" },
		    { "b/d.yaml", DEPLOYMENT("two", "web", "") },
		    { "b/kustomization.yaml", "resources: [d.yaml]\n" } },
		  1, 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		size_t count = 0;
		struct scopes scopes;

		while (count < 4 && rows[i].files[count].path)
			count++;
		scopes = build(arena, rows[i].files, count);
		assert_int_equal(scopes.n, rows[i].scopes);
		assert_int_equal(scopes.v[0]->workloads.n, rows[i].workloads);
		arena_free(arena);
	}
}

static void test_chart_templates(void **state)
{
	static const struct file files[] = {
		{ "charts/web/Chart.yaml", "name: web\nversion: 1.0.0\n" },
		{ "charts/web/templates/d.yaml", DEPLOYMENT("shop", "web", "") },
		{ "charts/web/crds/p.yaml", DEPLOYMENT("other", "web", "") },
	};
	struct arena *arena = arena_new();
	struct scopes scopes = BUILD(arena, files);

	(void)state;
	assert_int_equal(scopes.v[0]->workloads.n, 1);
	assert_int_equal(scopes.v[0]->chart_templates.n, 1);
	assert_true(scopes.v[0]->incomplete);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scale_targets), cmocka_unit_test(test_replicas),
		cmocka_unit_test(test_calls), cmocka_unit_test(test_kustomize_namespace),
		cmocka_unit_test(test_deployed_namespace), cmocka_unit_test(test_patches), cmocka_unit_test(test_labels_of_kustomizations),
		cmocka_unit_test(test_patches_that_add), cmocka_unit_test(test_variants),
		cmocka_unit_test(test_chart_templates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

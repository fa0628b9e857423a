/* The questions of model's second leaf: PromQL, containers' amounts, runtimes, scalers' pace,
 * providers of metrics APIs. Manifests go through the real loader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ask.h"

/* ---- loading ----------------------------------------------------------------------------- */

struct world {
	struct arena *arena;
	struct settings settings;
	struct scopes scopes;
};

static void world_load(struct world *world, const char *text)
{
	const struct source_set *set;
	struct trees trees = { 0 };
	struct objects objects = { 0 };

	world->arena = arena_new();
	settings_default(&world->settings);
	set = source_from_text(world->arena, STR("a.yaml"), str_of(text));
	for (size_t i = 0; i < set->sources.v[0]->document_count; i++) {
		struct tree *tree = tree_parse(world->arena, &set->sources.v[0]->documents[i]);
		const struct kube_options options = { .target = world->settings.kubernetes };

		*VEC_PUSH(world->arena, &trees) = tree;
		if (tree->root)
			kube_bind(tree, &options, &objects);
	}
	world->scopes = (struct scopes){ 0 };
	model_build(world->arena, set, &world->settings, &trees, &objects, &world->scopes);
}

static const struct scope *world_scope(const struct world *world)
{
	assert_true(world->scopes.n > 0);
	return world->scopes.v[0];
}

/* A Deployment with one container, of which body is the rest (indented by 10). */
#define DEPLOYMENT(body) \
	"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n" \
	"spec:\n  selector: {matchLabels: {app: web}}\n  template:\n" \
	"    metadata: {labels: {app: web}}\n    spec:\n      containers:\n" \
	"        - name: app\n          image: registry.example/web:1\n" body

static const struct container *first_container(const struct world *world)
{
	const struct scope *scope = world_scope(world);

	assert_true(scope->workloads.n > 0);
	return &scope->workloads.v[0]->pod->containers.v[0];
}

/* ---- PromQL ------------------------------------------------------------------------------ */

static const struct promql_case {
	const char *text;
	bool readable, named;
	const char *uses;         /* names, with ! where not instant */
	size_t comparisons;
} promql_cases[] = {
	{ "up", true, true, "up ", 0 },
	{ "up == 0", true, true, "up ", 1 },
	{ "sum by (pod) (rate(x_total{a=\"b\"}[5m])) > 3", true, true, "x_total! ", 0 },
	{ "a{x=\"1\"} > a{x=\"1\"}", true, true, "a a ", 1 },
	{ "a > a offset 1h", true, true, "a a! ", 0 },
	{ "a + b > b", true, true, "a b b ", 0 },
	{ "a > b + 1", true, true, "a b ", 0 },
	{ "a > -1", true, true, "a ", 1 },
	{ "a > bool b", true, true, "a b ", 1 },
	{ "(a > 1) and on (pod) b == 0", true, true, "a b ", 1 },
	{ "sum(a) by (x) > 1", true, true, "a ", 0 },
	{ "{__name__=~\"kube_.*\"}", true, false, " ", 0 },
	{ "{\"quoted.name\", x=\"y\"} > 1", true, true, "quoted.name ", 1 },
	{ "job:a:rate5m > 0.5", true, true, "job:a:rate5m ", 1 },
	{ "a # comment } > 1\n > 2", true, true, "a ", 1 },
	{ "a{x='it\\'s', y=`raw\\`} >= 1e3", true, true, "a ", 1 },
	{ "histogram_quantile(0.9, rate(h_bucket[5m:1m]))", true, true, "h_bucket! ", 0 },
	{ "a * on (x) group_left (y) b", true, true, "a b ", 0 },
	{ "count_values(\"v\", a)", true, true, "a ", 0 },
	{ "a @ 1609746000 > 1", true, true, "a! ", 0 },
	{ "{{ .Values.metric }} > 1", false, true, "", 0 },
	{ "a{x=\"1\"", false, true, "", 0 },
	{ "rate(a[$__interval])", true, true, "a! ", 0 },
	{ "a{x=\"unclosed} > 1", false, true, "", 0 },
	{ "", true, true, "", 0 },
};

static void test_promql(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(promql_cases); i++) {
		const struct promql_case *want = &promql_cases[i];
		struct arena *arena = arena_new();
		struct buf names = { .arena = arena };
		struct promql got;

		promql_read(arena, str_of(want->text), &got);
		for (size_t k = 0; k < got.uses.n; k++)
			buf_printf(&names, "%.*s%s ", STR_ARG(got.uses.v[k].name),
			           got.uses.v[k].instant ? "" : "!");
		if (got.readable != want->readable || got.named != want->named ||
		    (want->readable && (!str_is(buf_str(&names), want->uses) ||
		                        got.comparisons.n != want->comparisons)))
			fail_msg("%s: readable %d, named %d, uses '%.*s', %zu comparisons",
			         want->text, got.readable, got.named, STR_ARG(buf_str(&names)),
			         got.comparisons.n);
		arena_free(arena);
	}
}

/* Every text that ends early is refused or read, without reading past its end. */
static void test_promql_cut(void **state)
{
	static const char text[] = "sum by (a) (x{b=\"c\\\"d\", e=~'f'}[5m] offset 1h) >= bool -1.5e3";

	(void)state;
	for (size_t n = 0; n < sizeof text; n++) {
		struct arena *arena = arena_new();
		struct promql got;
		char *copy = arena_alloc(arena, n);

		memcpy(copy, text, n);
		promql_read(arena, (str){ copy, n }, &got);
		assert_true(got.uses.n <= 2); /* a cut word may pass for a metric */
		arena_free(arena);
	}
}

/* ---- alerts ------------------------------------------------------------------------------ */

#define RULES(rules) \
	"apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: r}\n" \
	"spec:\n  groups:\n    - name: g\n      rules:\n" rules

static const struct alert_case {
	const char *text;
	enum alert_answer pending;
} alert_cases[] = {
	{ RULES("        - {alert: A, expr: 'kube_pod_status_phase{phase=\"Pending\"} == 1'}\n"),
	  ALERTS_READ },
	{ RULES("        - {alert: A, expr: 'kube_pod_status_phase{phase=~\"Pen.*|Failed\"} > 0'}\n"),
	  ALERTS_READ },
	{ RULES("        - {alert: A, expr: 'sum(kube_pod_status_phase) > 0'}\n"), ALERTS_READ },
	{ RULES("        - {alert: A, expr: 'kube_pod_status_phase{phase=\"Failed\"} == 1'}\n"),
	  ALERTS_NONE },
	{ RULES("        - {alert: A, expr: 'kube_pod_status_phase{phase!=\"Pending\"} == 1'}\n"),
	  ALERTS_NONE },
	{ RULES("        - {alert: A, expr: 'job:pending:sum > 1'}\n"), ALERTS_UNDECIDED },
	{ RULES("        - {record: 'a:b', expr: 'sum(kube_pod_status_phase)'}\n"),
	  ALERTS_UNDECIDED },
	{ RULES("        - {record: 'a:b', expr: 'sum(up)'}\n"), ALERTS_NONE },
	{ RULES("        - {alert: A, expr: '{__name__=~\"kube.*\"} > 1'}\n"), ALERTS_UNDECIDED },
};

static void test_alerts(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(alert_cases); i++) {
		struct world world;
		enum alert_answer got;

		world_load(&world, alert_cases[i].text);
		got = scope_alert_reads_value(world_scope(&world), "kube_pod_status_phase", "phase",
		                              "Pending");
		if (got != alert_cases[i].pending)
			fail_msg("%s: %d", alert_cases[i].text, (int)got);
		arena_free(world.arena);
	}
}

/* ---- metrics of exporters ---------------------------------------------------------------- */

static void test_metric_facts(void **state)
{
	struct metric_fact fact;

	(void)state;
	assert_true(metric_fact_find(STR("kube_hpa_spec_max_replicas"), &fact));
	assert_true(str_is(fact.replacement, "kube_horizontalpodautoscaler_spec_max_replicas"));
	assert_true(str_is(fact.last, "1.9"));
	assert_true(metric_fact_find(STR("kube_pod_status_ready"), &fact));
	assert_true(fact.flag && !fact.last.n);
	assert_false(metric_fact_find(STR("kube_no_such_metric"), &fact));
	assert_true(metric_lost_label(STR("kube_horizontalpodautoscaler_spec_max_replicas"),
	                              STR("hpa")));
	assert_false(metric_lost_label(STR("kube_horizontalpodautoscaler_spec_max_replicas"),
	                               STR("namespace")));
}

/* ---- runtimes ---------------------------------------------------------------------------- */

#define ENV(name, value) \
	"          env: [{name: " name ", value: '" value "'}]\n"

static const struct heap_case {
	const char *body;
	enum heap_kind kind;
	int64_t bytes, milli_percent;
} heap_cases[] = {
	{ ENV("JAVA_OPTS", "-Xms64m -Xmx2g"), HEAP_JVM, INT64_C(2) << 30, 0 },
	{ ENV("JAVA_TOOL_OPTIONS", "-Xmx512M"), HEAP_JVM, INT64_C(512) << 20, 0 },
	{ ENV("JAVA_TOOL_OPTIONS", "-XX:MaxHeapSize=1048576"), HEAP_JVM, 1 << 20, 0 },
	{ ENV("JAVA_TOOL_OPTIONS", "-XX:MaxRAMPercentage=75.5"), HEAP_JVM_SHARE, 0, 75500 },
	{ "          args: [java, -XX:MaxRAMPercentage=80.0, -Xmx1g]\n", HEAP_JVM, 1 << 30, 0 },
	{ "          args: [java, -Xmx1g, -XX:MaxRAMPercentage=80.0]\n", HEAP_JVM, 1 << 30, 0 },
	{ "          command: [sh, -c, 'exec java -Xmx256m -Xmx300m -jar a.jar']\n", HEAP_JVM,
	  INT64_C(300) << 20, 0 },
	{ "          command: [sh, -c, 'exec java -Xmx${HEAP} -jar a.jar']\n", HEAP_NONE, 0, 0 },
	{ "          args: [java, '-Xmx$(HEAP)']\n" ENV("HEAP", "1g"), HEAP_JVM, 1 << 30, 0 },
	{ "          args: [java, '-Xmx$(OTHER)']\n", HEAP_NONE, 0, 0 },
	{ ENV("NODE_OPTIONS", "--max-old-space-size=4096"), HEAP_NODE, INT64_C(4) << 30, 0 },
	{ ENV("NODE_OPTIONS", "--max_old_space_size=512"), HEAP_NODE, INT64_C(512) << 20, 0 },
	{ "          command: [node, server.js]\n", HEAP_NODE_DEFAULT, 256 << 20, 0 },
	{ "          command: [/usr/bin/node, --max-old-space-size-percentage=50, a.js]\n",
	  HEAP_NONE, 0, 0 },
	{ ENV("GOMEMLIMIT", "900MiB"), HEAP_GO, INT64_C(900) << 20, 0 },
	{ ENV("GOMEMLIMIT", "900MB"), HEAP_NONE, 0, 0 },
	{ ENV("DOTNET_GCHeapHardLimit", "0x10000000"), HEAP_DOTNET, 0x10000000, 0 },
	{ ENV("DOTNET_GCHeapHardLimit", "10000000"), HEAP_DOTNET, 0x10000000, 0 },
	{ ENV("DOTNET_GCHeapHardLimitPercent", "0x50"), HEAP_DOTNET_SHARE, 0, 80000 },
	{ ENV("OTHER", "-Xmx2g"), HEAP_NONE, 0, 0 },
	{ "          args: [echo]\n", HEAP_NONE, 0, 0 },
};

static void test_heaps(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(heap_cases); i++) {
		const struct heap_case *want = &heap_cases[i];
		struct world world;
		struct heap_setting got;
		struct buf text;

		struct arena *arena = arena_new();
		text = (struct buf){ .arena = arena };
		buf_printf(&text, DEPLOYMENT("%s"), want->body);
		world_load(&world, str_c(arena, buf_str(&text)));
		got = container_heap(world.arena, first_container(&world));
		if (got.kind != want->kind || (want->kind && (got.bytes != want->bytes ||
		                                              got.milli_percent !=
		                                                      want->milli_percent)))
			fail_msg("%s: kind %d, %lld bytes, %lld", want->body, (int)got.kind,
			         (long long)got.bytes, (long long)got.milli_percent);
		arena_free(world.arena);
		arena_free(arena);
	}
}

/* ---- amounts of one container ------------------------------------------------------------ */

static const struct amount_case {
	const char *body, *range;
	bool request_set, limit_set;
	int64_t request, limit;     /* of memory */
} amount_cases[] = {
	{ "", NULL, false, false, 0, 0 },
	{ "          resources: {requests: {memory: 1Ki}}\n", NULL, true, false, 1024, 0 },
	{ "          resources: {limits: {memory: 2Ki}}\n", NULL, true, true, 2048, 2048 },
	{ "", "default: {memory: 4Ki}", true, true, 4096, 4096 },
	{ "", "default: {memory: 4Ki}, defaultRequest: {memory: 1Ki}", true, true, 1024, 4096 },
	{ "", "max: {memory: 8Ki}", true, true, 8192, 8192 },
	{ "", "min: {memory: 1Ki}", true, false, 1024, 0 },
	{ "          resources: {limits: {memory: 2Ki}}\n", "defaultRequest: {memory: 1Ki}", true,
	  true, 2048, 2048 },
};

static void check_amounts(const struct amount_case *want, const struct world *world)
{
	const struct limit_range *range = scope_limit_range(world_scope(world), STR("shop"));
	const struct container *container = first_container(world);
	struct effective_amount request = container_request(range, container, STR("memory"));
	struct effective_amount limit = container_limit(range, container, STR("memory"));

	if (request.set != want->request_set || limit.set != want->limit_set ||
	    request.amount != want->request || limit.amount != want->limit || !request.known)
		fail_msg("%s %s: request %d %lld, limit %d %lld", want->body,
		         want->range ? want->range : "", request.set, (long long)request.amount,
		         limit.set, (long long)limit.amount);
}

static void test_amounts(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(amount_cases); i++) {
		const struct amount_case *want = &amount_cases[i];
		struct arena *arena = arena_new();
		struct buf text = { .arena = arena };
		struct world world;

		buf_printf(&text, DEPLOYMENT("%s"), want->body);
		if (want->range)
			buf_printf(&text, "---\napiVersion: v1\nkind: LimitRange\n"
			                  "metadata: {name: l, namespace: shop}\n"
			                  "spec: {limits: [{type: Container, %s}]}\n", want->range);
		world_load(&world, str_c(arena, buf_str(&text)));
		check_amounts(want, &world);
		arena_free(world.arena);
		arena_free(arena);
	}
}

/* ---- pace of scalers --------------------------------------------------------------------- */

static const struct pace_case {
	const char *behavior;
	int64_t from, to, seconds, drop;   /* drop: of `to` replicas, with minimum `from` */
} pace_cases[] = {
	{ "{}", 1, 4, 15, 3 },
	{ "{}", 2, 64, 75, 62 },
	{ "{scaleUp: {selectPolicy: Disabled}}", 1, 4, -1, 3 },
	{ "{scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}}", 2, 5, 135, 3 },
	{ "{scaleUp: {stabilizationWindowSeconds: 60, policies: [{type: Pods, value: 10, "
	  "periodSeconds: 15}]}}", 1, 5, 75, 4 },
	{ "{scaleUp: {policies: [{type: Percent, value: 100, periodSeconds: 15}, {type: Pods, "
	  "value: 1, periodSeconds: 15}], selectPolicy: Min}}", 4, 8, 60, 4 },
	{ "{scaleDown: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}}", 2, 20, 45, 1 },
	{ "{scaleDown: {policies: [{type: Percent, value: 10, periodSeconds: 60}]}}", 2, 20, 45, 2 },
	{ "{scaleDown: {selectPolicy: Disabled}}", 2, 20, 45, 0 },
	{ "{scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 1800}]}}", 1, 1000, 3600, 999 },
};

static void test_pace(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(pace_cases); i++) {
		const struct pace_case *want = &pace_cases[i];
		struct arena *arena = arena_new();
		struct buf text = { .arena = arena };
		struct world world;
		const struct hpa *hpa;
		int64_t seconds, drop;

		buf_printf(&text, "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n"
		                  "metadata: {name: h}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, "
		                  "kind: Deployment, name: web}\n  maxReplicas: 5\n  behavior: %s\n",
		           want->behavior);
		world_load(&world, str_c(arena, buf_str(&text)));
		assert_int_equal(world_scope(&world)->scalers.n, 1);
		hpa = world_scope(&world)->scalers.v[0]->hpa;
		seconds = hpa_scale_up_seconds(hpa, want->from, want->to, 3600);
		drop = hpa_scale_down_drop(hpa, want->from, want->to);
		if (seconds != want->seconds || drop != want->drop)
			fail_msg("%s %lld to %lld: %lld s, drop %lld", want->behavior,
			         (long long)want->from, (long long)want->to, (long long)seconds,
			         (long long)drop);
		arena_free(world.arena);
		arena_free(arena);
	}
}

/* ---- providers of metrics APIs ----------------------------------------------------------- */

#define PROVIDER(image) \
	"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c, image: '" \
	image "'}]\n"

static const struct provider_case {
	const char *text;
	bool metrics, custom, external;
} provider_cases[] = {
	{ PROVIDER("registry.k8s.io/metrics-server/metrics-server:v0.7.2"), true, false, false },
	{ PROVIDER("rancher/mirrored-metrics-server:v0.7.2"), true, false, false },
	{ PROVIDER("k8s.gcr.io/metrics-server-amd64:v0.3.6"), true, false, false },
	{ PROVIDER("ghcr.io/kedacore/keda-metrics-apiserver:2.17"), false, false, true },
	{ PROVIDER("registry.k8s.io/prometheus-adapter/prometheus-adapter:v0.12.0"), true, true,
	  true },
	{ PROVIDER("registry.example/web:1"), false, false, false },
	{ "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: "
	  "v1beta1.custom.metrics.k8s.io}\nspec: {group: custom.metrics.k8s.io, version: v1beta1, "
	  "service: {name: a, namespace: b}, groupPriorityMinimum: 1, versionPriority: 1}\n",
	  false, true, false },
	{ "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: k}\n"
	  "spec: {chart: {spec: {chart: keda}}}\n", false, false, true },
	{ "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: k}\n"
	  "spec: {sources: [{chart: metrics-server}]}\n", true, false, false },
	{ "apiVersion: kops.k8s.io/v1alpha2\nkind: Cluster\nmetadata: {name: k}\n"
	  "spec: {metricsServer: {enabled: true}}\n", true, false, false },
};

static void test_providers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(provider_cases); i++) {
		const struct provider_case *want = &provider_cases[i];
		struct world world;
		const struct scope *scope;

		world_load(&world, want->text);
		scope = world_scope(&world);
		if (scope_api_provider(scope, API_METRICS).provided != want->metrics ||
		    scope_api_provider(scope, API_CUSTOM_METRICS).provided != want->custom ||
		    scope_api_provider(scope, API_EXTERNAL_METRICS).provided != want->external)
			fail_msg("%s", want->text);
		assert_int_equal(scope_declares_metrics(scope),
		                 want->metrics || want->custom || want->external);
		arena_free(world.arena);
	}
}

/* ---- observed use ------------------------------------------------------------------------ */

static const struct usage_case {
	const char *annotation;
	int64_t memory;      /* of container app; 0: none */
} usage_cases[] = {
	{ "app memory=380Mi", INT64_C(380) << 20 },
	{ "app cpu=200m memory=1Gi; side memory=2Gi", INT64_C(1) << 30 },
	{ "side memory=2Gi; app memory=1Ki", 1024 },
	{ "side memory=2Gi", 0 },
	{ "app memory=many", 0 },
	{ "", 0 },
};

static void test_usage(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(usage_cases); i++) {
		struct arena *arena = arena_new();
		struct buf text = { .arena = arena };
		struct world world;
		struct amount got;
		int64_t bytes = 0;

		buf_printf(&text, "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: "
		                  "{kubelint.dev/usage: '%s'}}\n"
		                  "spec: {containers: [{name: app, image: a}]}\n",
		           usage_cases[i].annotation);
		world_load(&world, str_c(arena, buf_str(&text)));
		got = workload_usage(world_scope(&world)->workloads.v[0], STR("app"), STR("memory"));
		if (got.node)
			quantity_value_ceil(&got.quantity, &bytes);
		assert_int_equal(bytes, usage_cases[i].memory);
		arena_free(world.arena);
		arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_promql),    cmocka_unit_test(test_promql_cut),
		cmocka_unit_test(test_alerts),    cmocka_unit_test(test_metric_facts),
		cmocka_unit_test(test_heaps),     cmocka_unit_test(test_amounts),
		cmocka_unit_test(test_pace),      cmocka_unit_test(test_providers),
		cmocka_unit_test(test_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* kube: command lines, images, tables of flags, kinds and their lives. */
#include "kube-bound.h"

static const struct {
	const char *container; /* YAML flow text of its fields */
	const char *flags;     /* name=value, or name alone */
} command_rows[] = {
	{ "command: [./cluster-autoscaler, --v=4, --nodes=1:5:a, --nodes=1:3:b]",
	  "v=4 nodes=1:5:a nodes=1:3:b" },
	{ "args: [--a=b=c, -x=y, --bare, --last]", "a=b=c x=y bare last" },
	{ "args: [--name, value, --n, -5, --, --not]", "name=value n=-5" },
	{ "command: [run, word], args: [--a=1]", "a=1" },
	{ "args: [--zone=$(ZONE), --other=$(NONE)], env: [{name: ZONE, value: z1}]",
	  "zone=z1 other=$(NONE)" },
	{ "command: [/bin/sh, -c, 'exec ca --a=1 --b \"two words\" 2>&1']", "a=1 b=two words" },
	{ "command: [sh, -ec], args: ['wget -q x && ca --a=1 --b=2; sleep 1']", "a=1 b=2" },
	{ "command: [bash], args: [-c, \"ca \\\\\\n --a=1 \\\\\\n --b\"]", "a=1 b" },
	{ "command: [sh, --a]", "" },
	{ "image: x", "" },
};

static void test_command_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(command_rows); i++) {
		struct arena *arena = arena_new();
		str text = str_format(arena, "apiVersion: v1\nkind: Pod\nspec: {containers: [{%s}]}",
		                      command_rows[i].container);
		struct bound bound = bind(str_c(arena, text));
		struct flag_uses uses = { 0 };
		struct buf buf = { .arena = arena };

		container_flags(arena, &only(&bound)->workload->pod.containers.v[0], &uses);
		for (size_t k = 0; k < uses.n; k++) {
			assert_non_null(uses.v[k].node);
			buf_printf(&buf, "%s%.*s%s%.*s", k ? " " : "", STR_ARG(uses.v[k].name),
			           uses.v[k].has_value ? "=" : "", STR_ARG(uses.v[k].value));
		}
		assert_text(buf_str(&buf), command_rows[i].flags);
		release(&bound);
		arena_free(arena);
	}
}

static void test_images(void **state)
{
	static const struct {
		const char *image, *name, *tag;
	} rows[] = {
		{ "mirror/x/metrics-server:v0.5.0@sha256:12", "metrics-server", "v0.5.0" },
		{ "host:5000/a/b", "b", "" }, { "host:5000/a/b:1", "b", "1" },
		{ "nginx", "nginx", "" }, { "a@sha256:1", "a", "" }, { "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		str name, tag;

		image_split(str_of(rows[i].image), &name, &tag);
		assert_text(name, rows[i].name);
		assert_text(tag, rows[i].tag);
	}
}

static void test_flag_facts(void **state)
{
	static const struct {
		const char *component, *flag, *version; /* version "": unknown */
		enum flag_state state;
		const char *nearest;
	} rows[] = {
		{ "cluster-autoscaler", "--nodes", "1.30.1", FLAG_KNOWN, "" },
		{ "cluster-autoscaler", "scan_interval", "1.30", FLAG_KNOWN, "" },
		{ "cluster-autoscaler", "scan-intervall", "1.30", FLAG_NEVER, "scan-interval" },
		{ "cluster-autoscaler", "scan-intervall", "1.50", FLAG_UNDECIDED, "" },
		{ "cluster-autoscaler", "scan-intervall", "", FLAG_NEVER, "scan-interval" },
		{ "cluster-autoscaler", "version", "1.30", FLAG_NEVER, "" },
		{ "cluster-autoscaler", "help", "1.30", FLAG_KNOWN, "" },
		{ "cluster-autoscaler", "async-node-groups", "1.30", FLAG_NOT_YET, "" },
		{ "cluster-autoscaler", "async-node-groups", "1.31", FLAG_KNOWN, "" },
		{ "cluster-autoscaler", "parallel-drain", "1.31", FLAG_DEPRECATED, "" },
		{ "cluster-autoscaler", "parallel-drain", "1.32", FLAG_REMOVED, "" },
		{ "cluster-autoscaler", "parallel-drain", "", FLAG_REMOVED, "" },
		{ "cluster-autoscaler", "scale-down-enabled", "1.34", FLAG_KNOWN, "" },
		{ "cluster-autoscaler", "scale-down-enabled", "1.35", FLAG_DEPRECATED, "" },
		/* forgotten in some patch releases */
		{ "cluster-autoscaler", "leader-elect", "1.26.5", FLAG_NEVER, "" },
		{ "cluster-autoscaler", "leader-elect", "1.26.6", FLAG_KNOWN, "" },
		{ "cluster-autoscaler", "leader-elect", "1.26", FLAG_KNOWN, "" },
		/* older than the table */
		{ "cluster-autoscaler", "nodes", "1.12", FLAG_UNDECIDED, "" },
		{ "cluster-autoscaler", "async-node-groups", "1.12", FLAG_NOT_YET, "" },
		{ "metrics-server", "kubelet-insecure-tls", "0.6.1", FLAG_KNOWN, "" },
		{ "metrics-server", "kubelet-insecure-tl", "0.6.1", FLAG_NEVER,
		  "kubelet-insecure-tls" },
		{ "metrics-server", "kubelet_insecure_tls", "0.6.1", FLAG_NEVER,
		  "kubelet-insecure-tls" },
		{ "metrics-server", "nothing", "0.3", FLAG_UNDECIDED, "" },
		{ "kube-state-metrics", "collectors", "1.9", FLAG_KNOWN, "" },
		{ "kube-state-metrics", "collectors", "2.0", FLAG_REMOVED, "" },
		{ "vpa-updater", "nothing", "1.0", FLAG_UNDECIDED, "" },
		{ "unheard-of", "x", "1.0", FLAG_UNDECIDED, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct version version = { -1, -1, -1 };
		struct flag_fact fact;

		if (*rows[i].version)
			assert_true(version_parse(str_of(rows[i].version), &version));
		component_flag(str_of(rows[i].component), str_of(rows[i].flag), version, &fact);
		assert_int_equal(fact.state, rows[i].state);
		if (*rows[i].nearest)
			assert_text(fact.nearest, rows[i].nearest);
	}
}

static void test_flag_texts(void **state)
{
	struct flag_fact fact;

	(void)state;
	component_flag(STR("cluster-autoscaler"), STR("parallel-drain"),
	               (struct version){ 1, 33, -1 }, &fact);
	assert_text(fact.since, "1.26");
	assert_text(fact.last, "1.31");
	assert_text(fact.type, "bool");
}

static void test_lives(void **state)
{
	static const struct {
		const char *api_version, *kind;
		bool known;
		int32_t deprecated, removed; /* minors; 0: none */
		const char *replacement;
	} rows[] = {
		{ "autoscaling/v2beta2", "HorizontalPodAutoscaler", true, 23, 26, "autoscaling/v2" },
		{ "extensions/v1beta1", "Deployment", true, 8, 16, "apps/v1" },
		{ "policy/v1beta1", "PodDisruptionBudget", true, 21, 25, "policy/v1" },
		{ "apps/v1", "Deployment", true, 0, 0, "" },
		{ "apps/v1", "Nothing", false, 0, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct api_life life;

		assert_int_equal(kube_api_life(str_of(rows[i].api_version), str_of(rows[i].kind),
		                               &life), rows[i].known);
		assert_int_equal(life.deprecated.minor, rows[i].deprecated);
		assert_int_equal(life.removed.minor, rows[i].removed);
		assert_text(life.new_api_version, rows[i].replacement);
	}
	assert_int_equal(kube_newest().minor, 37);
	assert_int_equal(kube_oldest().minor, 16);
}

static void test_kinds(void **state)
{
	static const struct {
		const char *api_version, *kind;
		bool known, scalable;
	} rows[] = {
		{ "apps/v1", "Deployment", true, true },
		{ "apps/v1", "DeploymentList", true, false },
		{ "apps/v1", "DaemonSet", true, false },
		{ "apps/v1", "Deploymant", true, false },
		{ "v1", "List", true, false },
		{ "v1", "Config", false, false },
		{ "v1", "", false, false },
		{ "extensions/v1beta1", "Ingress", true, false },
		{ "networking.k8s.io/v1", "Ingress", false, false },
		{ "rbac.authorization.k8s.io/v1", "Role", false, false },
		{ "apiextensions.k8s.io/v1", "CustomResourceDefinition", false, false },
		{ "argoproj.io/v1alpha1", "Rollout", true, true },
		{ "keda.sh/v1alpha1", "ScaledObject", true, false },
		{ "karpenter.sh/v1", "NodePool", true, false },
		{ "monitoring.coreos.com/v1", "PrometheusRule", true, false },
		{ "example.com/v1", "Thing", false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(kube_knows(str_of(rows[i].api_version), str_of(rows[i].kind)),
		                 rows[i].known);
		assert_int_equal(kind_is_scalable(str_of(rows[i].kind)), rows[i].scalable);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_lines), cmocka_unit_test(test_images),
		cmocka_unit_test(test_flag_facts),    cmocka_unit_test(test_flag_texts),
		cmocka_unit_test(test_lives),         cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests_name("kube-flags", tests, NULL, NULL);
}

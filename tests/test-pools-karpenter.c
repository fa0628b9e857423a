/* pools: Karpenter's requirement algebra, the instance catalogue behind it, and the arithmetic over
 * the whole catalogue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pools-text.h"

#define POOL(rest) \
	"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n  " \
	"template:\n" rest
#define SPEC(requirements) \
	POOL("    spec:\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: c}\n" \
	     "      requirements: [" requirements "]\n")
#define NEED(key, op, values) "{key: " key ", operator: " op ", values: [" values "]}"
#define TYPE(name) NEED("node.kubernetes.io/instance-type", "In", name)

static void test_pools(void **state)
{
	static const struct text_row rows[] = {
		{ "types by name, taints, static size",
		  "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n  "
		  "replicas: 3\n"
		  "  template:\n    metadata: {labels: {x: y}}\n    spec:\n"
		  "      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: c}\n"
		  "      taints: [{key: k, value: v, effect: NoSchedule}]\n"
		  "      requirements: [" TYPE("m5.large") "]\n",
		  "p 3..3 labels{x=y} taints{k=v:NoSchedule} m5.large cpu=1930 "
		  "memory=6903Mi..7518Mi pods=29\n" },
		{ "operators on own keys",
		  SPEC(TYPE("m5.large") ", " NEED("a", "In", "b, c") ", " NEED("d", "Exists", "") ", "
		       NEED("e", "DoesNotExist", "") ", " NEED("f", "NotIn", "g") ", " NEED("h", "Gt", "'3'")),
		  "p 0..inf labels{a=b|c d=* e! f=* h=?} taints{} m5.large cpu=1930 "
		  "memory=6903Mi..7518Mi "
		  "pods=29\n" },
		{ "requirements on one key intersect",
		  SPEC(TYPE("m5.large") ", " NEED("a", "In", "b, c, "
		  "d") ", " NEED("a", "NotIn", "c") ", "
		       NEED("a", "In", "b, c")),
		  "p 0..inf labels{a=b} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi "
		  "pods=29\n" },
		{ "bounds cut listed values",
		  SPEC(TYPE("m5.large") ", " NEED("a", "In", "'1', '5', "
		  "x") ", " NEED("a", "Gt", "'2'")),
		  "p 0..inf labels{a=5} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi "
		  "pods=29\n" },
		{ "families, sizes and generations of the catalogue",
		  SPEC(NEED("karpenter.k8s.aws/instance-family", "In", "m5, m4") ", "
		       NEED("karpenter.k8s.aws/instance-size", "In", "large") ", "
		       NEED("karpenter.k8s.aws/instance-generation", "Gt", "'4'")),
		  "p 0..inf labels{} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi pods=29\n" },
		{ "spot only",
		  SPEC(TYPE("m5.large") ", " NEED("karpenter.sh/capacity-type", "In", "spot")),
		  "p 0..inf labels{karpenter.sh/capacity-type=spot} taints{} spot m5.large "
		  "cpu=1930 "
		  "memory=6903Mi..7518Mi pods=29\n" },
		{ "a limit on nodes is a maximum",
		  "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n  "
		  "limits: {nodes: 4}\n"
		  "  template: {spec: {nodeClassRef: {group: other, kind: Other, name: c}}}\n",
		  "p 0..4 labels{} taints{} -\n" },
		{ "kubelet settings of the class",
		  SPEC(TYPE("m5.large")) "---\napiVersion: karpenter.k8s.aws/v1\nkind: "
		  "EC2NodeClass\n"
		  "metadata: {name: c}\nspec: {amiSelectorTerms: [{alias: al2023@latest}], "
		  "kubelet: {maxPods: 50}}\n",
		  "p 0..inf labels{} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi pods=50\n" },
		{ "Bottlerocket counts the slots that are set",
		  SPEC(TYPE("m5.large")) "---\napiVersion: karpenter.k8s.aws/v1\nkind: "
		  "EC2NodeClass\n"
		  "metadata: {name: c}\nspec: {amiSelectorTerms: [{alias: "
		  "bottlerocket@latest}], kubelet: "
		  "{maxPods: 50}}\n",
		  "p 0..inf labels{} taints{} m5.large cpu=1930 memory=6672Mi..7287Mi pods=50\n" },
		{ "an old Provisioner's defaults",
		  "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: "
		  "p}\nspec:\n"
		  "  labels: {x: y}\n  requirements: [" TYPE("m5.large, c6g.xlarge") "]\n"
		  "  providerRef: {apiVersion: karpenter.k8s.aws/v1alpha1, kind: "
		  "AWSNodeTemplate, name: c}\n",
		  "p 0..inf labels{x=y} taints{} m5.large cpu=1930 "
		  "memory=6903Mi..7518Mi pods=29\n" },
		{ "a type that the catalogue has not",
		  SPEC(TYPE("z99.large")), "p 0..inf labels{} taints{} z99.large\n" },
		{ "a template for a value leaves its key open",
		  SPEC(TYPE("m5.large") ", " NEED("a", "In", "'{{ .Values.a }}'")),
		  "p 0..inf labels{a=?} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi "
		  "pods=29\n" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

static void test_labels(void **state)
{
	static const struct label_row {
		const char *text, *key;
		enum label_kind kind;
	} rows[] = {
		{ SPEC(TYPE("m5.large")), "x", LABEL_ABSENT },
		{ SPEC(TYPE("m5.large")), "topology.kubernetes.io/zone", LABEL_ANY },
		{ SPEC(TYPE("m5.large")), "karpenter.sh/capacity-type", LABEL_ANY },
		{ SPEC(TYPE("m5.large")), "failure-domain.beta.kubernetes.io/zone", LABEL_ANY },
		{ SPEC(TYPE("m5.large")), "karpenter.k8s.aws/instance-family", LABEL_VALUES },
		{ SPEC(TYPE("m5.large")), "karpenter.k8s.aws/instance-local-nvme", LABEL_ABSENT },
		{ SPEC(TYPE("m5.large")), "karpenter.k8s.aws/instance-hypervisor", LABEL_ANY },
		{ SPEC(TYPE("m5.large")), "karpenter.sh/nodepool", LABEL_VALUES },
		{ SPEC(TYPE("m5.large")), "karpenter.k8s.aws/ec2nodeclass", LABEL_VALUES },
		{ SPEC(TYPE("m5.large")), "kubernetes.io/hostname", LABEL_UNKNOWN },
		{ SPEC(TYPE("m5.large")), "kubernetes.io/arch", LABEL_VALUES },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct world world;
		const struct group *group;

		world_read(arena, str_of(rows[i].text), &world);
		group = world.pools.groups.v[0];
		if (group_label_find(group, &group->shapes.v[0], str_of(rows[i].key))->kind !=
		    rows[i].kind)
			fail_msg("row %zu: %s", i, rows[i].key);
		assert_true(world.pools.karpenter);
		arena_free(arena);
	}
}

/* What an open pool may start: every type of its provider, each once. */
static void test_open_pool(void **state)
{
	struct arena *arena = arena_new();
	struct world world;
	const struct group *group;

	(void)state;
	world_read(arena, STR(SPEC("")), &world);
	group = world.pools.groups.v[0];
	assert_int_equal(group->shapes.n, 1370);
	for (size_t i = 0; i < group->shapes.n; i++) {
		const struct node_shape *shape = &group->shapes.v[i];

		assert_non_null(instance_type_find(STR("aws"), shape->instance_type));
		assert_int_equal(group_label_find(group, shape, STR("kubernetes.io/arch"))->kind,
		                 LABEL_VALUES);
		if (i > 0)
			assert_true(str_cmp(group->shapes.v[i - 1].instance_type,
			                    shape->instance_type) < 0);
	}
	arena_free(arena);
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

/* Of numbers that are not negative. */
static int64_t round_down(double value)
{
	return (int64_t)value;
}

static int64_t round_up(double value)
{
	return round_down(value) + (value > (double)round_down(value) ? 1 : 0);
}

/* Karpenter's own arithmetic in floating point, as it stands upstream, for every AWS type: memory
 * less 7.5 % rounded up to a MiB, 11 MiB a pod and 255, 100 of eviction, cpu by tiers. */
static void test_arithmetic(void **state)
{
	struct arena *arena = arena_new();
	struct world world;
	const struct group *group;

	(void)state;
	world_read(arena, STR(SPEC("")), &world);
	group = world.pools.groups.v[0];
	for (size_t i = 0; i < group->shapes.n; i++) {
		const struct instance_type *type =
			instance_type_find(STR("aws"), group->shapes.v[i].instance_type);
		int64_t mib = type->memory_mib - (strcmp(type->arch, "arm64") == 0 ? 64 : 0);
		int64_t pods = type->max_pods ? type->max_pods : 110;
		int64_t memory = mib - round_up((double)mib * 1048576 * 0.075 / 1048576) -
		                 (11 * pods + 255) - 100;
		double left = type->milli_cpu;
		int64_t cpu = round_down(least(left, 1000) * 0.06) +
		              round_down(least(most(left - 1000, 0), 1000) * 0.01) +
		              round_down(least(most(left - 2000, 0), 2000) * 0.005) +
		              round_down(most(left - 4000, 0) * 0.0025);
		struct node_estimate estimate;

		eks_estimate(type, 0, &estimate);
		if (estimate.memory_safe_mib != (memory > 0 ? memory : 0) ||
		    estimate.milli_cpu != type->milli_cpu - cpu || estimate.pods != pods)
			fail_msg("%s: %lld MiB, %lldm", type->name,
			         (long long)estimate.memory_safe_mib,
			         (long long)estimate.milli_cpu);
		/* The reader comes to the same amounts as the arithmetic. */
		assert_int_equal(shape_allocatable(group, &group->shapes.v[i], STR("memory")).safe,
		                 estimate.memory_safe_mib * 1024 * 1024);
		assert_true(estimate.memory_optimistic_mib >= estimate.memory_safe_mib);
	}
	arena_free(arena);
}

/* A limit on the sum, weights, and classes without a pool. */
static void test_settings(void **state)
{
	struct arena *arena = arena_new();
	struct world world;
	const struct group *group;

	(void)state;
	world_read(arena, STR("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: "
	"p}\nspec:\n"
	                      "  weight: 10\n  limits: {cpu: '100', memory: 200Gi}\n  template: "
	                      "{spec: "
	                      "{requirements: []}}\n---\napiVersion: karpenter.k8s.aws/v1\n"
	                      "kind: EC2NodeClass\nmetadata: {name: c}\n"), &world);
	assert_int_equal(world.pools.groups.n, 1);
	group = world.pools.groups.v[0];
	assert_int_equal(group->priority, 10);
	assert_int_equal(group->limits.n, 2);
	assert_int_equal(group->limits.v[0].optimistic, 100000);
	assert_int_equal(group->max.value, INT64_MAX);
	assert_true(group->managed_by_autoscaler);
	/* No provider is named: the one shape is of unknown size. */
	assert_int_equal(group->shapes.n, 1);
	assert_false(shape_allocatable(group, &group->shapes.v[0], STR("cpu")).known);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pools), cmocka_unit_test(test_labels),
		cmocka_unit_test(test_open_pool), cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

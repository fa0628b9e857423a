/* pools: node groups out of each format, in one line a group; the arithmetic of allocatable; names
 * and labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pools-text.h"

#define INVENTORY "apiVersion: kubelint.dev/v1\nkind: NodeGroupInventory\n"
#define EKSCTL "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: c, region: r-1}\n"

static void test_native(void **state)
{
	static const struct text_row rows[] = {
		{ "sizes and their defaults",
		  INVENTORY "nodeGroups:\n- {name: a, minSize: 1, maxSize: 5}\n- {name: b, "
		  "desiredSize: 3}\n"
		  "- {name: c, minSize: 2}\n- {name: d}\n",
		  "a 1..5 labels{} taints{} -\nb 0..3 labels{} taints{} -\n"
		  "c 2..2 labels{} taints{} -\nd ?..? labels{} taints{} -\n" },
		{ "fixed sizes without an autoscaler",
		  INVENTORY "autoscaler: none\nnodeGroups:\n- {name: a, maxSize: 5}\n",
		  "a 5..5 labels{} taints{} -\n" },
		{ "spec around everything",
		  INVENTORY "spec:\n  nodeGroups:\n  - {name: a, maxSize: 5}\n",
		  "a 0..5 labels{} taints{} -\n" },
		{ "labels and taints in both forms",
		  INVENTORY "nodeGroups:\n- name: a\n  maxSize: 1\n  labels: {role: web, num: 1}\n"
		  "  taints: [{key: k, value: v, effect: NoSchedule}, g=h:NoExecute, "
		  "x:PreferNoSchedule]\n",
		  "a 0..1 labels{role=web num=1} taints{k=v:NoSchedule g=h:NoExecute "
		  "x:PreferNoSchedule} -\n" },
		{ "a template hides one value, not the group",
		  INVENTORY "nodeGroups:\n- {name: a, maxSize: 4, labels: {role: '{{ "
		  ".Values.role }}', b: c}}\n",
		  "a 0..4 labels{role=? b=c} taints{} -\n" },
		{ "a template in place of a group may be any",
		  INVENTORY "nodeGroups:\n- {name: a, maxSize: 4}\n- '{{ .Values.more }}'\n",
		  "a 0..4 labels{} taints{} -\ntemplate 0..? labels{...} taints{...} -\n" },
		{ "a template as a name still is one group's",
		  INVENTORY "nodeGroups:\n- {name: '{{ .Values.name }}', maxSize: 4}\n",
		  "{{ .Values.name }} 0..4 labels{} taints{} -\n" },
		{ "open labels leave taints open",
		  INVENTORY "nodeGroups:\n- {name: a, maxSize: 4, labelsOpen: true}\n",
		  "a 0..4 labels{...} taints{...} -\n" },
		{ "allocatable wins",
		  INVENTORY "nodeGroups:\n- {name: a, maxSize: 1, instanceTypes: [m5.large],\n"
		  "   allocatable: {cpu: 1500m, memory: 6Gi}}\n",
		  "a 0..1 labels{} taints{} m5.large cpu=1500 memory=6144Mi pods=29\n" },
		{ "capacity less declared reservations",
		  INVENTORY "nodeGroups:\n- name: a\n  maxSize: 1\n"
		  "  capacity: {cpu: '4', memory: 16393244Ki, pods: '110'}\n"
		  "  reserved: {kube: {cpu: 100m, memory: 500Mi}, system: {memory: 300Mi}}\n",
		  "a 0..1 labels{} taints{} - cpu=3900 memory=15109.0Mi pods=110\n" },
		{ "capacity alone: an unknown part is reserved",
		  INVENTORY "nodeGroups:\n- {name: a, maxSize: 1, capacity: {cpu: '2', memory: "
		  "8Gi}}\n",
		  "a 0..1 labels{} taints{} - cpu=1800..1999 memory=7372.8Mi..8192.0Mi\n" },
		{ "a declared capacity below the nominal one is what the node shows",
		  INVENTORY "nodeGroups:\n- {name: a, maxSize: 1, instanceTypes: [m5.large],\n"
		  "   capacity: {cpu: '2', memory: 7577Mi, pods: '29'}}\n",
		  "a 0..1 labels{} taints{} m5.large cpu=1930 memory=6903Mi pods=29\n" },
		{ "an accelerator of the catalogue",
		  INVENTORY "nodeGroups:\n- {name: a, maxSize: 1, instanceTypes: [p3.2xlarge]}\n",
		  "a 0..1 labels{} taints{} p3.2xlarge cpu=7910 memory=56214Mi..60899Mi pods=110 "
		  "nvidia.com/gpu=1\n" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

static void test_loose(void **state)
{
	static const struct text_row rows[] = {
		{ "other words",
		  "node_groups:\n- {name: a, min: 1, max: '4', vmSize: Standard_D4s_v5, "
		  "nodeLabels: 'x=y,z=w',\n"
		  "   nodeTaints: [k=v:NO_SCHEDULE]}\n",
		  "a 1..4 labels{x=y z=w} taints{k=v:NoSchedule} Standard_D4s_v5 cpu=3860 "
		  "memory=10959Mi..15634Mi\n" },
		{ "a map of groups, the incident's taint",
		  "nodePools:\n  gpu: {minNodes: 0, maxNodes: 2, taints: {spot: "
		  "true:NoSchedule}}\n",
		  "gpu 0..2 labels{...} taints{spot=true:NoSchedule} -\n" },
		{ "only names and sizes: nothing else is known",
		  "nodeGroups: [{name: a, minSize: 1, maxSize: 2}]\n",
		  "a 1..2 labels{...} taints{...} -\n" },
		{ "not every list of pools is one of nodes",
		  "pools: [{name: a, threads: 4}]\n", "" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

static void test_eksctl(void **state)
{
	static const struct text_row rows[] = {
		{ "sizes by eksctl's defaults",
		  EKSCTL "nodeGroups:\n- {name: a}\n- {name: b, desiredCapacity: 4}\n- {name: "
		  "c, minSize: 1}\n"
		  "managedNodeGroups:\n- {name: d, minSize: 0}\n",
		  "a 2..2 labels{} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi pods=29\n"
		  "b 4..4 labels{} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi pods=29\n"
		  "c 1..1 labels{} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi pods=29\n"
		  "d 0..1 labels{} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi pods=29\n" },
		{ "taints as a map",
		  EKSCTL "nodeGroups:\n- {name: a, maxSize: 3, minSize: 1, instanceType: "
		  "c6g.xlarge,\n"
		  "   taints: {k: 'v:NoSchedule', l: ':NoExecute', m: PreferNoSchedule}}\n",
		  "a 1..3 labels{} taints{k=v:NoSchedule l:NoExecute m:PreferNoSchedule} "
		  "c6g.xlarge "
		  "cpu=3920 memory=6525Mi..7199Mi pods=58\n" },
		{ "spot and several types",
		  EKSCTL "managedNodeGroups:\n- {name: a, minSize: 1, maxSize: 2, spot: true,\n"
		  "   instanceTypes: [c5.large, t3.medium]}\n",
		  "a 1..2 labels{} taints{} spot c5.large cpu=1930 memory=3114Mi..3422Mi pods=29 | "
		  "t3.medium cpu=1930 memory=3246Mi..3554Mi pods=17\n" },
		{ "a launch template hides labels and size",
		  EKSCTL "managedNodeGroups:\n- {name: a, minSize: 1, maxSize: 2, "
		  "launchTemplate: {id: x}}\n",
		  "a 1..2 labels{...} taints{...} -\n" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

#define NODE(name, labels, rest) \
	"- apiVersion: v1\n  kind: Node\n  metadata: {name: " name ", labels: {" labels "}}\n" rest
#define HOST(name) "kubernetes.io/hostname: " name ", kubernetes.io/os: linux, kubernetes.io/arch: amd64"
#define AMOUNTS(cpu) "  status: {allocatable: {cpu: '" cpu "', memory: 8Gi, pods: '110'}}\n"

static void test_nodes(void **state)
{
	static const struct text_row rows[] = {
		{ "equal nodes are one group, taints part them",
		  "apiVersion: v1\nkind: List\nitems:\n"
		  NODE("a", HOST("a"), AMOUNTS("4")) NODE("b", HOST("b"), AMOUNTS("4"))
		  NODE("c", HOST("c"), "  spec: {taints: [{key: k, effect: "
		  "NoSchedule}]}\n" AMOUNTS("4")),
		  "a 2..2 labels{} taints{} - cpu=4000 memory=8192Mi pods=110\n"
		  "c 1..1 labels{} taints{k:NoSchedule} - cpu=4000 memory=8192Mi pods=110\n" },
		{ "the provider's pool label joins unequal ones",
		  "apiVersion: v1\nkind: NodeList\nitems:\n"
		  "- metadata: {name: a, labels: {agentpool: p, x: '1'}}\n" AMOUNTS("4")
		  "- metadata: {name: b, labels: {agentpool: p, x: '2'}}\n" AMOUNTS("8"),
		  "p 2..2 labels{} taints{} - cpu=4000 memory=8192Mi pods=110 | "
		  "- cpu=8000 memory=8192Mi pods=110\n" },
		{ "passing taints are dropped, a cordon stays",
		  "apiVersion: v1\nkind: List\nitems:\n"
		  NODE("a", HOST("a"), "  spec: {unschedulable: true, taints: [{key: "
		       "node.kubernetes.io/unreachable, effect: NoExecute}]}\n" AMOUNTS("4")),
		  "a 1..1 labels{} taints{node.kubernetes.io/unschedulable:NoSchedule} - cpu=4000 "
		  "memory=8192Mi pods=110\n" },
		{ "without status nothing is known of the size",
		  "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {x: y}}\n",
		  "a 1..1 labels{x=y} taints{} -\n" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

#define AUTOSCALER(args) \
	"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ca, namespace: kube-system}\n" \
	"spec:\n  selector: {matchLabels: {app: ca}}\n  template:\n    metadata: {labels: {app: ca}}\n" \
	"    spec:\n      containers:\n      - name: ca\n" \
	"        image: registry.k8s.io/autoscaling/cluster-autoscaler:v1.29.3\n        command: [./cluster-autoscaler]\n" \
	"        args: [" args "]\n"
#define STATUS(body) \
	"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: cluster-autoscaler-status, namespace: kube-system}\n" \
	"data:\n" body

static void test_merging(void **state)
{
	static const struct text_row rows[] = {
		{ "a flag alone: only bounds are known",
		  AUTOSCALER("--nodes=1:10:workers"), "workers 1..10 labels{...} taints{...} -\n" },
		{ "the inventory completes eksctl",
		  EKSCTL "nodeGroups:\n- {name: a, minSize: 1, maxSize: 3, instanceType: "
		  "m5.large}\n"
		  "---\n" INVENTORY "nodeGroups:\n- {name: a, labels: {x: y}, allocatable: "
		  "{cpu: 1700m}}\n",
		  "a 1..3 labels{x=y} taints{} m5.large cpu=1700 memory=6903Mi..7518Mi pods=29\n" },
		{ "a flag under the cloud's name; the declaration's bounds stay, the flag is a "
		  "claim",
		  EKSCTL "nodeGroups:\n- {name: web, minSize: 1, maxSize: 3}\n"
		  AUTOSCALER("'--nodes=1:9:eksctl-c-nodegroup-web-NodeGroup-1ABC'"),
		  "web 1..3 labels{} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi pods=29\n"
		  "claim flag eksctl-c-nodegroup-web-NodeGroup-1ABC 1..9 of web\n" },
		{ "of two maxima the smaller one counts, and both are kept",
		  EKSCTL "nodeGroups:\n- {name: web, minSize: 1, maxSize: 8}\n"
		  AUTOSCALER("'--nodes=0:4:web'"),
		  "web 1..8<4 labels{} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi "
		  "pods=29\nclaim flag web 0..4 of web\n" },
		{ "status as text",
		  STATUS("  status: |\n    Cluster-autoscaler status at 2023-01-01:\n    "
		  "NodeGroups:\n"
		         "      Name:        asg-1\n      Health:      Healthy (ready=1 "
		         "(minSize=2, maxSize=7))\n"),
		  "asg-1 2..7 labels{...} taints{...} -\nclaim status asg-1 2..7 of asg-1\n" },
		{ "status as YAML",
		  STATUS("  status: |\n    time: x\n    nodeGroups:\n    - name: asg-1\n      "
		  "health: {minSize: 2, maxSize: 7}\n"),
		  "asg-1 2..7 labels{...} taints{...} -\nclaim status asg-1 2..7 of asg-1\n" },
		{ "the incident's form, behind a document end",
		  STATUS("  config.yaml: |\n    ...\n    nodeGroups:\n    - {name: gpu, "
		  "minSize: 1, maxSize: 20}\n")
		  "---\nnodeGroups: [{name: gpu, maxSize: 10, labels: {}}]\n",
		  "gpu 0..10 labels{} taints{} -\nclaim config.yaml gpu 1..20 of gpu\n" },
		{ "two clusters' groups of one name stay apart",
		  EKSCTL "nodeGroups: [{name: a, desiredCapacity: 1}]\n---\n"
		  EKSCTL "nodeGroups: [{name: a, desiredCapacity: 2}]\n",
		  "a 1..1 labels{} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi pods=29\n"
		  "a 2..2 labels{} taints{} m5.large cpu=1930 memory=6903Mi..7518Mi pods=29\n" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

static void test_faults(void **state)
{
	static const struct fault_row {
		const char *text, *class, *mark, *nearest;
	} rows[] = {
		{ INVENTORY "nodeGroups:\n- {name: a, maxsize: "
		  "5}\n", "unknown-key", "5", "maxSize" },
		{ INVENTORY "nodeGroups:\n- {name: a, maxSize: many}\n", "bounds", "many", "" },
		{ INVENTORY "nodeGroups:\n- {name: a, taints: [k=v]}\n", "taint", "k=v", "" },
		{ INVENTORY "nodeGroups:\n- {name: a, taints: [{key: k, effect: "
		  "Never}]}\n", "taint", "Never", "" },
		{ INVENTORY "nodeGroups:\n- {maxSize: 5}\n", "name", "- ", "" },
		{ INVENTORY "nodeGroups:\n- {name: a}\n- {name: a}\n", "duplicate", "a}\n", "" },
		{ INVENTORY "nodeGroups: 5\n", "type", "5", "" },
		{ INVENTORY "nodeGroups:\n- {name: a, capacity: {cpu: "
		  "lots}}\n", "quantity", "lots", "" },
		{ INVENTORY "provider: ibm\nnodeGroups: []\n", "type", "ibm", "" },
		{ EKSCTL "nodeGroups:\n- {name: a, taints: {k: v}}\n", "taint", "v}", "" },
		{ EKSCTL "nodeGroups:\n- {minSize: 1}\n", "name", "- ", "" },
		{ AUTOSCALER("--nodes=1:x:web"), "bounds", "--nodes", "" },
		{ AUTOSCALER("--nodes=web"), "bounds", "--nodes", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct world world;
		const struct fault *fault;

		world_read(arena, str_of(rows[i].text), &world);
		fault = world_fault(&world);
		if (!fault)
			fail_msg("row %zu: no fault for %s", i, rows[i].class);
		assert_string_equal(str_c(arena, fault->c), rows[i].class);
		assert_string_equal(str_c(arena, fault->b), rows[i].nearest);
		assert_true(fault->a.n > 0);
		assert_int_equal(world_fault_count(&world), 1);
		/* Read again (another variant of the repo), it is not said twice. */
		world_read_again(arena, &world);
		assert_int_equal(world_fault_count(&world), 1);
		arena_free(arena);
	}
}

static void test_labels(void **state)
{
	static const struct label_row {
		const char *text, *key;
		enum label_kind kind;
		const char *value;
	} rows[] = {
		{ INVENTORY "nodeGroups: [{name: a, labels: {x: y}}]\n", "x", LABEL_VALUES, "y" },
		{ INVENTORY "nodeGroups: [{name: a}]\n", "x", LABEL_ABSENT, "" },
		{ INVENTORY "nodeGroups: [{name: a, labelsOpen: true}]\n", "x", LABEL_UNKNOWN, "" },
		{ INVENTORY "nodeGroups: [{name: "
		  "a}]\n", "kubernetes.io/os", LABEL_VALUES, "linux" },
		{ INVENTORY "nodeGroups: [{name: "
		  "a}]\n", "beta.kubernetes.io/os", LABEL_VALUES, "linux" },
		{ INVENTORY "nodeGroups: [{name: a, os: "
		  "windows}]\n", "kubernetes.io/os", LABEL_VALUES, "windows" },
		{ INVENTORY "nodeGroups: [{name: a}]\n", "kubernetes.io/arch", LABEL_ANY, "" },
		{ INVENTORY "nodeGroups: [{name: a, instanceTypes: "
		  "[m6g.large]}]\n", "kubernetes.io/arch",
		  LABEL_VALUES, "arm64" },
		{ INVENTORY "nodeGroups: [{name: a, instanceTypes: [m5.large]}]\n",
		  "node.kubernetes.io/instance-type", LABEL_VALUES, "m5.large" },
		{ INVENTORY "nodeGroups: [{name: "
		  "a}]\n", "topology.kubernetes.io/zone", LABEL_UNKNOWN, "" },
		{ INVENTORY "nodeGroups: [{name: a, zones: "
		  "[z-1]}]\n", "topology.kubernetes.io/zone",
		  LABEL_VALUES, "z-1" },
		{ INVENTORY "region: r-1\nnodeGroups: [{name: "
		  "a}]\n", "failure-domain.beta.kubernetes.io/region",
		  LABEL_VALUES, "r-1" },
		{ INVENTORY "nodeGroups: [{name: "
		  "a}]\n", "kubernetes.io/hostname", LABEL_UNKNOWN, "" },
		{ INVENTORY "nodeGroups: [{name: "
		  "a}]\n", "eks.amazonaws.com/nodegroup", LABEL_UNKNOWN, "" },
		{ INVENTORY "provider: gcp\nnodeGroups: [{name: "
		  "a}]\n", "eks.amazonaws.com/nodegroup",
		  LABEL_ABSENT, "" },
		{ INVENTORY "nodeGroups: [{name: "
		  "a}]\n", "feature.node.kubernetes.io/cpu-x", LABEL_UNKNOWN, "" },
		{ EKSCTL "managedNodeGroups: [{name: "
		  "a}]\n", "eks.amazonaws.com/nodegroup", LABEL_VALUES, "a" },
		{ EKSCTL "nodeGroups: [{name: "
		  "a}]\n", "eks.amazonaws.com/nodegroup", LABEL_ABSENT, "" },
		{ EKSCTL "nodeGroups: [{name: "
		  "a}]\n", "alpha.eksctl.io/cluster-name", LABEL_VALUES, "c" },
		{ EKSCTL "nodeGroups: [{name: "
		  "a}]\n", "cloud.google.com/gke-spot", LABEL_ABSENT, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct world world;
		const struct group *group;
		const struct group_label *label;

		world_read(arena, str_of(rows[i].text), &world);
		assert_int_equal(world.pools.groups.n, 1);
		group = world.pools.groups.v[0];
		label = group_label_find(group, &group->shapes.v[0], str_of(rows[i].key));
		if (label->kind != rows[i].kind)
			fail_msg("row %zu: %s is %d", i, rows[i].key, (int)label->kind);
		if (*rows[i].value)
			assert_string_equal(str_c(arena, label->values.v[0]), rows[i].value);
		arena_free(arena);
	}
}

static void test_names(void **state)
{
	static const struct name_row {
		const char *format, *group, *name;
		bool same;
	} rows[] = {
		{ "eksctl", "web", "web", true },
		{ "eksctl", "web", "web2", false },
		{ "eksctl", "web", "eks-web-0ac5a3f2-7c1b-4b3e-9d2f-1a2b3c4d5e6f", true },
		{ "eksctl", "web", "eks-web-0ac5a3f2", false },
		{ "eksctl", "web", "eksctl-prod-nodegroup-web-NodeGroup-X1", true },
		{ "eksctl", "web", "eksctl-prod-nodegroup-web-a-NodeGroup-X1", false },
		{ "kops", "nodes", "nodes.example.com", true },
		{ "eksctl", "nodes", "nodes.example.com", false },
		{ "native", "pool-1", "gke-my-cluster-pool-1-0a1b2c3d-grp", true },
		{ "native", "1", "gke-my-cluster-pool-1-0a1b2c3d-grp", true },
		{ "native", "pool-1",
		  "https://www.googleapis.com/compute/v1/projects/p/zones/z/instanceGroups/gke-c-pool-1-0a1b2c3d-grp",
		  true },
		{ "native", "agentpool", "aks-agentpool-12345678-vmss", true },
		{ "native", "md-0", "MachineDeployment/default/md-0", true },
		{ "native", "md-0", "MachineDeployment/default/md-1", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct group group = { .name = str_of(rows[i].group),
			                     .format = rows[i].format };

		if (group_goes_by(&group, str_of(rows[i].name)) != rows[i].same)
			fail_msg("row %zu: %s and %s", i, rows[i].group, rows[i].name);
	}
}

/* allocatable.md, section 1, to the digit. */
static void test_eks(void **state)
{
	static const struct eks_row {
		const char *type;
		int64_t milli_cpu, safe_mib, pods;
	} rows[] = {
		{ "m5.large", 1930, 6903, 29 },
		{ "c6g.xlarge", 3920, 6525, 58 },
		{ "m5.24xlarge", 95690, 355262, 737 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct instance_type *type = instance_type_find(STR("aws"),
		                                                      str_of(rows[i].type));
		struct node_estimate estimate;

		assert_non_null(type);
		eks_estimate(type, 0, &estimate);
		assert_int_equal(estimate.milli_cpu, rows[i].milli_cpu);
		assert_int_equal(estimate.memory_safe_mib, rows[i].safe_mib);
		assert_int_equal(estimate.pods, rows[i].pods);
		assert_int_equal(estimate.ephemeral_mib, 17 * 1024);
	}
}

/* Section 4, and the capacity of which an unknown part is reserved, to the byte. */
static void test_bytes(void **state)
{
	static const struct byte_row {
		const char *text;
		int64_t safe, optimistic;
	} rows[] = {
		{ INVENTORY "nodeGroups:\n- {name: a, capacity: {memory: 16393244Ki}, reserved: "
		  "{kube: {}}}\n",
		  INT64_C(16290844) * 1024, INT64_C(16290844) * 1024 },
		{ INVENTORY "nodeGroups:\n- name: a\n  capacity: {memory: 16393244Ki}\n"
		  "  reserved: {kube: {memory: 500Mi}, system: {memory: 300Mi}}\n",
		  INT64_C(15471644) * 1024, INT64_C(15471644) * 1024 },
		{ INVENTORY "nodeGroups:\n- name: a\n  capacity: {memory: 8124744Ki}\n"
		  "  reserved: {evictionHard: {nodefs.available: 0%}}\n",
		  INT64_C(8124744) * 1024, INT64_C(8124744) * 1024 },
		{ INVENTORY "nodeGroups:\n- {name: a, capacity: {memory: '1000'}}\n", 900, 999 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct world world;
		const struct group *group;
		struct capacity_fact fact;

		world_read(arena, str_of(rows[i].text), &world);
		group = world.pools.groups.v[0];
		fact = shape_allocatable(group, &group->shapes.v[0], STR("memory"));
		assert_int_equal(fact.safe, rows[i].safe);
		assert_int_equal(fact.optimistic, rows[i].optimistic);
		arena_free(arena);
	}
}

static void test_catalogue(void **state)
{
	(void)state;
	assert_null(instance_type_find(STR("aws"), STR("m5.huge")));
	assert_null(instance_type_find(STR("gcp"), STR("m5.large")));
	assert_string_equal(instance_type_find((str){ 0 }, STR("e2-standard-4"))->provider, "gcp");
	assert_string_equal(instance_type_find((str){ 0 }, STR("Standard_D4s_v5"))->provider, "azure");
	assert_int_equal(instance_type_find(STR("aws"), STR("p3.2xlarge"))->gpu_count, 1);
}

/* Sections 2 and 3, to a tenth of a MiB where the kernel's share is none whole. */
static void test_providers(void **state)
{
	static const struct text_row rows[] = {
		{ "GKE",
		  INVENTORY "provider: gcp\nnodeGroups:\n- {name: a, instanceTypes: "
		  "[e2-standard-2]}\n"
		  "- {name: b, instanceTypes: [e2-standard-4]}\n- {name: c, instanceTypes: "
		  "[n2-standard-8]}\n",
		  "a ?..? labels{} taints{} e2-standard-2 cpu=1930 memory=6018.7Mi..6249Mi "
		  "pods=110\n"
		  "b ?..? labels{} taints{} e2-standard-4 cpu=3920 memory=13257.3Mi..13622Mi "
		  "pods=110\n"
		  "c ?..? labels{} taints{} n2-standard-8 cpu=7910 memory=28373.7Mi..29023Mi "
		  "pods=110\n" },
		{ "AKS, release not known: both formulas",
		  INVENTORY "provider: azure\nnodeGroups:\n- {name: a, instanceTypes: "
		  "[Standard_D2s_v3], maxPods: 30}\n",
		  "a ?..? labels{} taints{} Standard_D2s_v3 cpu=1900 memory=4983.8Mi..7442Mi "
		  "pods=30\n" },
		{ "kind and k3s reserve nothing",
		  INVENTORY "provider: kind\nnodeGroups:\n- {name: a, capacity: {cpu: 2, "
		  "memory: 4Gi}}\n",
		  "a ?..? labels{} taints{} - cpu=2000 memory=4096Mi pods=110\n" },
	};

	(void)state;
	check_rows(rows, COUNT_OF(rows));
}

static void test_fargate(void **state)
{
	struct arena *arena = arena_new();
	struct world world;
	struct pairs labels = { 0 };

	(void)state;
	world_read(arena, STR(EKSCTL "fargateProfiles:\n- name: f\n  selectors:\n"
	                      "  - {namespace: 'web-*', labels: {run: fargate}}\n"), &world);
	assert_int_equal(pools_fargate_takes(&world.pools, STR("web-1"), &labels), ANSWER_NO);
	*VEC_PUSH(arena, &labels) = (struct pair){ STR("run"), STR("fargate"), NULL };
	assert_int_equal(pools_fargate_takes(&world.pools, STR("web-1"), &labels), ANSWER_YES);
	assert_int_equal(pools_fargate_takes(&world.pools, STR("other"), &labels), ANSWER_NO);
	assert_int_equal(world.pools.fargate_notes.n, 1);
	arena_free(arena);
}

static void test_autoscaler(void **state)
{
	struct arena *arena = arena_new();
	struct world world;
	const struct autoscaler *autoscaler;

	(void)state;
	world_read(arena, STR(AUTOSCALER("--max-nodes-total=12, '--expander=priority,least-waste', "
	                                 "--skip-nodes-with-local-storage=false, --namespace=ops, "
	                                 "--expendable-pods-priority-cutoff=-5")), &world);
	assert_int_equal(world.pools.autoscalers.n, 1);
	assert_true(world.pools.autoscaler_declared);
	autoscaler = world.pools.autoscalers.v[0];
	assert_int_equal(autoscaler->version.minor, 29);
	assert_int_equal(autoscaler->max_nodes_total.value, 12);
	assert_int_equal(autoscaler->expanders.n, 2);
	assert_false(autoscaler->skip_local_storage);
	assert_int_equal(autoscaler->expendable_priority_cutoff, -5);
	assert_string_equal(str_c(arena, autoscaler->namespace), "ops");
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_native), cmocka_unit_test(test_loose),
		cmocka_unit_test(test_eksctl), cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_merging), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_labels), cmocka_unit_test(test_names),
		cmocka_unit_test(test_eks), cmocka_unit_test(test_bytes), cmocka_unit_test(test_catalogue),
		cmocka_unit_test(test_providers), cmocka_unit_test(test_fargate),
		cmocka_unit_test(test_autoscaler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

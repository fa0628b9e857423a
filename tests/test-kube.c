/* kube: faults of fields, and which objects a document holds. */
#include "kube-bound.h"

/* ---- faults --------------------------------------------------------------------------- */

struct fault_row {
	const char *text;
	const char *target; /* version, or NULL: the newest */
	const char *faults;
};

#define POD_SPEC "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
#define CONTAINER POD_SPEC "  containers:\n  - name: a\n    "
static const struct fault_row unknown_rows[] = {
	{ DEPLOYMENT "spec: {replica: 1}", NULL, "unknown spec.replica -> replicas" },
	{ DEPLOYMENT "spec: {Replicas: 1}", NULL, "unknown spec.Replicas -> replicas" },
	{ DEPLOYMENT "spec: {strategi: {}}", NULL, "unknown spec.strategi -> strategy" },
	{ DEPLOYMENT "spec: {selector: {app.kubernetes.io/name: x}}", NULL,
	  "unknown spec.selector[\"app.kubernetes.io/name\"]" },
	{ POD_SPEC "  toleration: []", NULL, "unknown spec.toleration -> tolerations" },
	{ POD_SPEC "  imagePullSecrets: [{name: a, namespace: b}]", NULL,
	  "unknown spec.imagePullSecrets[0].namespace" },
	{ POD_SPEC "  dnsConfig: {Searches: [a]}", NULL,
	  "unknown spec.dnsConfig.Searches -> searches" },
	{ POD_SPEC "  volumes: [{name: v, scaleIO: {protectionDoamin: x}}]", NULL,
	  "unknown spec.volumes[0].scaleIO.protectionDoamin -> protectionDomain" },
	{ CONTAINER "securityContext: {allowPrivilegedEscalation: false}", NULL,
	  "unknown spec.containers[0].securityContext.allowPrivilegedEscalation -> "
	  "allowPrivilegeEscalation" },
	{ CONTAINER "resources: {request: {cpu: 1}}", NULL,
	  "unknown spec.containers[0].resources.request -> requests" },
	{ CONTAINER "limit: {cpu: 1}", NULL, "unknown spec.containers[0].limit" },
	{ CONTAINER "port: 80", NULL, "unknown spec.containers[0].port -> ports" },
	/* a field of another kind of volume is no place for it */
	{ POD_SPEC "  volumes: [{name: v, storageos: {pool: p}}]", NULL,
	  "unknown spec.volumes[0].storageos.pool" },
	{ HPA("v2") "selector: {matchLabels: {a: b}}", NULL, "unknown spec.selector" },
	{ HPA("v2") "targetCPUUtilizationPercentage: 5", NULL,
	  "unknown spec.targetCPUUtilizationPercentage" },
	{ HPA("v2beta2") "metrics: [{resource: {name: cpu, targetAverageUtilization: 5}}]", NULL,
	  "unknown spec.metrics[0].resource.targetAverageUtilization" },
	{ HPA("v1") "scaleTargetRef: {kind: Deployment, name: a, namespace: b}", NULL,
	  "unknown spec.scaleTargetRef.namespace" },
	{ HPA("v1") "metrics: []", NULL, "unknown spec.metrics" },
	{ "apiVersion: apps/v1\nkind: DaemonSet\nspec: {replicas: 2}", NULL,
	  "unknown spec.replicas" },
	{ "apiVersion: v1\nkind: ConfigMap\nstringData: {a: b}", NULL, "unknown stringData" },
	/* an older version of the type had it */
	{ "apiVersion: v1\nkind: PersistentVolumeClaim\nspec: {resources: {claims: []}}", NULL, "" },
	/* directives of patches, status and null are no mistakes */
	{ DEPLOYMENT "spec: {$patch: replace, $setElementOrder/x: [], replicas: ~}\nstatus: {x: 1}",
	  NULL, "" },
	/* a kind whose fields are in no table */
	{ "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrule: []", NULL, "" },
};

static const struct fault_row misplaced_rows[] = {
	{ DEPLOYMENT "template: {}", NULL, "misplaced template -> spec.template" },
	{ DEPLOYMENT "nodeName: n", NULL, "misplaced nodeName -> spec.template.spec.nodeName" },
	{ DEPLOYMENT "spec: {nodeSelector: {a: b}}", NULL,
	  "misplaced spec.nodeSelector -> spec.template.spec.nodeSelector" },
	{ DEPLOYMENT "spec: {containers: []}", NULL,
	  "misplaced spec.containers -> spec.template.spec.containers" },
	{ DEPLOYMENT "spec: {template: {tolerations: []}}", NULL,
	  "misplaced spec.template.tolerations -> spec.template.spec.tolerations" },
	{ POD_SPEC "  nodeSelector: {a: b, affinity: {podAffinity: {}}}", NULL,
	  "misplaced spec.nodeSelector.affinity -> spec.affinity" },
	{ POD_SPEC "  affinity: {tolerations: []}", NULL,
	  "misplaced spec.affinity.tolerations -> spec.tolerations" },
	{ POD_SPEC "  securityContext: {privileged: true}", NULL,
	  "misplaced spec.securityContext.privileged -> "
	  "spec.containers[].securityContext.privileged" },
	{ CONTAINER "runAsNonRoot: true", NULL,
	  "misplaced spec.containers[0].runAsNonRoot -> "
	  "spec.containers[0].securityContext.runAsNonRoot" },
	{ CONTAINER "requests: {cpu: 1}", NULL,
	  "misplaced spec.containers[0].requests -> spec.containers[0].resources.requests" },
	{ CONTAINER "volumes: []", NULL, "misplaced spec.containers[0].volumes -> spec.volumes" },
	{ POD_SPEC "  volumes: [{name: v, claimName: c}]", NULL,
	  "misplaced spec.volumes[0].claimName -> spec.volumes[0].persistentVolumeClaim.claimName" },
	{ "apiVersion: batch/v1\nkind: CronJob\nspec: {tolerations: []}", NULL,
	  "misplaced spec.tolerations -> spec.jobTemplate.spec.template.spec.tolerations" },
};

static const struct fault_row type_rows[] = {
	{ DEPLOYMENT "spec: {replicas: '3'}", NULL,
	  "undecodable spec.replicas: replicas wants an integer, not the string \"3\"" },
	{ DEPLOYMENT "spec: {replicas: 3.0}", NULL, "" },
	{ DEPLOYMENT "spec: {replicas: 3.5}", NULL,
	  "undecodable spec.replicas: replicas wants an integer, not the float 3.5" },
	{ DEPLOYMENT "spec: {replicas: 3000000000}", NULL,
	  "undecodable spec.replicas: replicas wants a 32-bit integer, not the int 3000000000" },
	{ DEPLOYMENT "spec: {paused: 'yes'}", NULL,
	  "undecodable spec.paused: paused wants true or false, not the string \"yes\"" },
	{ DEPLOYMENT "spec: {paused: yes}", NULL, "" },
	{ DEPLOYMENT "spec: []", NULL, "undecodable spec: spec wants a map, not a list" },
	{ DEPLOYMENT "spec: {strategy: {rollingUpdate: {maxSurge: 25%, maxUnavailable: 1}}}", NULL,
	  "" },
	{ DEPLOYMENT "spec: {strategy: {rollingUpdate: {maxSurge: true}}}", NULL,
	  "undecodable spec.strategy.rollingUpdate.maxSurge: maxSurge wants an integer or a "
	  "string, not the bool true" },
	{ CONTAINER "resources: {limits: {cpu: 2GB, memory: 1e3, a: ' 5Mi '}}", NULL,
	  "undecodable spec.containers[0].resources.limits.cpu: \"2GB\" is no quantity" },
	{ CONTAINER "resources: {limits: {cpu: ~, memory: 0x10}}", NULL, "" },
	{ CONTAINER "args: {a: b}", NULL,
	  "undecodable spec.containers[0].args: args wants a list, not a map" },
	{ CONTAINER "args: [[a]]", NULL,
	  "undecodable spec.containers[0].args[0]: an item of args wants a string, not a list" },
	{ POD_SPEC "  nodeSelector: {a: true, b: 1e3, c: 'on', d: on, e: 012}", NULL,
	  "string spec.nodeSelector.a: bool\nstring spec.nodeSelector.b: float\n"
	  "string spec.nodeSelector.d: bool\nstring spec.nodeSelector.e: int" },
	{ CONTAINER "image: 1.5", NULL, "string spec.containers[0].image: float" },
	{ CONTAINER "env: [{name: A, value: 1}]", NULL,
	  "string spec.containers[0].env[0].value: int" },
	{ POD_SPEC "  nodeSelector: {a: , b: ~}\n  nodeName:", NULL,
	  "null spec.nodeSelector.a\nnull spec.nodeSelector.b" },
	{ CONTAINER "args: [~, x]", NULL, "null spec.containers[0].args[0]" },
	/* templates are never faulted, and told of once, where they hide what decides */
	{ POD_SPEC "  nodeSelector: {a: \"${A}\"}\n  priority: ${P}\n  nodeName: \"{{ .N }}\"",
	  NULL, "template spec.nodeSelector.a" },
	{ POD_SPEC "  priority: ${P}\n  nodeName: \"{{ .N }}\"", NULL, "template spec.nodeName" },
	{ CONTAINER "resources: {limits: {cpu: \"${CPU}\"}}", NULL,
	  "template spec.containers[0].resources.limits.cpu" },
	{ CONTAINER "env: [{name: A, value: \"${A}\"}]\n    args: [\"${A}\"]\n    image: ${I}", NULL,
	  "" },
	{ "apiVersion: v1\nkind: ConfigMap\nmetadata: {annotations: {a: \"${B}\"}}\n"
	  "data: {a: \"${B}\"}", NULL, "" },
	{ DEPLOYMENT "spec: {replicas: \"${N}\"}", NULL, "template spec.replicas" },
	{ "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: 5\n  b: |\n    5", NULL, "string data.a: int" },
};

static const struct fault_row version_rows[] = {
	{ CONTAINER "resizePolicy: []", "1.26", "version spec.containers[0].resizePolicy -> since 1.27" },
	{ CONTAINER "resizePolicy: []", "1.27", "" },
	{ POD_SPEC "  workloadRef: {name: a}", "1.35", "" },
	{ POD_SPEC "  workloadRef: {name: a}", "1.36",
	  "version spec.workloadRef -> removed in 1.36" },
	/* the whole kind is of another version: not a matter of its fields */
	{ HPA("v2beta2") "maxReplicas: 3", "1.37", "" },
	{ HPA("v2") "maxReplicas: 3", "1.20", "" },
	{ "apiVersion: v1\nkind: Deployment", NULL,
	  "served apiVersion: no Kubernetes version serves v1 Deployment; Deployment is in apps/v1" },
	{ "apiVersion: apps/v1\nkind: Deploymant", NULL,
	  "served apiVersion: no Kubernetes version serves apps/v1 Deploymant; nearest is apps/v1 "
	  "Deployment" },
	{ "apiVersion: autoscaling/v3\nkind: HorizontalPodAutoscaler", NULL,
	  "served apiVersion: no Kubernetes version serves autoscaling/v3 HorizontalPodAutoscaler; "
	  "HorizontalPodAutoscaler is in autoscaling/v2" },
	/* gone ones are a matter of their life cycle; kubeconfig and others are no API objects */
	{ "apiVersion: extensions/v1beta1\nkind: Deployment", NULL, "" },
	{ "apiVersion: v1\nkind: Config", NULL, "" },
	{ "apiVersion: example.com/v1\nkind: Deployment", NULL, "" },
};

/* Only one edit from a field counts on custom kinds; types of Kubernetes inside are whole. */
static const struct fault_row custom_rows[] = {
	{ "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nspec: {maxReplicaCounts: 5, foo: 1}",
	  NULL, "unknown spec.maxReplicaCounts -> maxReplicaCount" },
	{ "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\n"
	  "spec: {triggers: [{type: cron, metadata: {desiredReplicas: 5}}]}",
	  NULL, "string spec.triggers[0].metadata.desiredReplicas: int" },
	{ "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nspec: {maxReplicaCount: '5'}", NULL, "" },
	{ "apiVersion: autoscaling.openshift.io/v1\nkind: ClusterAutoscaler\n"
	  "spec: {scaleDown: {uneededTime: 5m}}", NULL,
	  "unknown spec.scaleDown.uneededTime -> unneededTime" },
	{ "apiVersion: ray.io/v1\nkind: RayCluster\nspec: {headGroupSpec: {template: {spec: {\n"
	  "  toleration: [], other: 1, containers: [{name: a, resources: {limits: {cpu: x}}}]}}}}",
	  NULL,
	  "unknown spec.headGroupSpec.template.spec.toleration -> tolerations\n"
	  "undecodable spec.headGroupSpec.template.spec.containers[0].resources.limits.cpu: \"x\" "
	  "is no quantity" },
	{ "apiVersion: example.com/v1\nkind: Thing\nspec: {template: {spec: {toleration: [],\n"
	  "  containers: [{name: a}]}}}", NULL, "" },
};

static void check_faults(const struct fault_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct bound bound = bind_at(rows[i].text, rows[i].target ? rows[i].target : "");

		assert_text(fault_lines(&bound), rows[i].faults);
		release(&bound);
	}
}

static void test_unknown_fields(void **state)
{
	(void)state;
	check_faults(unknown_rows, COUNT_OF(unknown_rows));
}

static void test_misplaced_fields(void **state)
{
	(void)state;
	check_faults(misplaced_rows, COUNT_OF(misplaced_rows));
}

static void test_types(void **state)
{
	(void)state;
	check_faults(type_rows, COUNT_OF(type_rows));
}

static void test_versions(void **state)
{
	(void)state;
	check_faults(version_rows, COUNT_OF(version_rows));
}

static void test_custom_fields(void **state)
{
	(void)state;
	check_faults(custom_rows, COUNT_OF(custom_rows));
}

/* The texts that a rule prints beside the key. */
static void test_fault_texts(void **state)
{
	struct bound bound = bind(DEPLOYMENT "spec: {replica: 1}");
	struct bound custom = bind("apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\n"
	                           "spec: {trigger: []}");

	(void)state;
	assert_text(bound.tree->faults.v[0].a, "replica");
	assert_text(bound.tree->faults.v[0].c, "DeploymentSpec");
	assert_text(custom.tree->faults.v[0].c, "custom");
	release(&bound);
	release(&custom);
}

/* ---- documents ------------------------------------------------------------------------ */

static void test_lists(void **state)
{
	struct bound bound = bind(
		"apiVersion: v1\nkind: List\nitems:\n"
		"- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}}\n"
		"- apiVersion: apps/v1\n  kind: DeploymentList\n  items:\n"
		"  - {metadata: {name: d}, spec: {replicas: 2, replica: 3}}\n"
		"- {apiVersion: v1}\n- x\n");

	(void)state;
	assert_int_equal(bound.objects.n, 2);
	assert_text(bound.objects.v[0]->namespace.s, "ns");
	assert_int_equal(bound.objects.v[1]->class, OBJECT_DEPLOYMENT);
	assert_int_equal(bound.objects.v[1]->workload->replicas.value, 2);
	assert_text(node_path(bound.arena, bound.objects.v[1]->root,
	                      bound.objects.v[1]->workload->replicas.node, NULL), "spec.replicas");
	assert_text(fault_lines(&bound), "unknown items[1].items[0].spec.replica -> replicas");
	release(&bound);
}

static void test_no_objects(void **state)
{
	static const char *const texts[] = {
		"a: b", "- x", "x", "apiVersion: v1", "kind: Pod", "apiVersion: v1\nkind: {a: b}",
		"apiVersion: v1\nkind: ", "apiVersion: ${A}\nkind: Pod", "groups: [{name: a}]",
		"# nothing", "{}", "apiVersion: v1\nkind: List\nitems: []",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct bound bound = bind(texts[i]);

		assert_int_equal(bound.objects.n, 0);
		release(&bound);
	}
}

static void test_metadata(void **state)
{
	struct bound bound = bind("apiVersion: v1\nkind: ServiceAccount\nmetadata:\n"
	                          "  generateName: x-\n  namespace: n\n  labels: {a: b, c: 1}\n"
	                          "  annotations: {d: e}\n");
	struct bound cluster = bind("apiVersion: v1\nkind: Namespace\n"
	                            "metadata: {name: n, namespace: ignored}\n");
	struct bound pool = bind("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}");
	const struct object *object = only(&bound);

	(void)state;
	assert_null(object->name.node);
	assert_text(object->generate_name.s, "x-");
	assert_text(pairs_find(&object->labels, STR("c"))->value, "1");
	assert_text(pairs_find(&object->annotations, STR("d"))->value, "e");
	assert_true(object->modelled);
	assert_false(object->cluster_scoped);
	assert_text(object_text(bound.arena, object, STR("n")), "v1/ServiceAccount/n/x-");
	assert_true(only(&cluster)->cluster_scoped);
	assert_null(only(&cluster)->namespace.node);
	assert_text(object_text(bound.arena, only(&cluster), STR("n")), "v1/Namespace/n");
	assert_true(only(&pool)->cluster_scoped);
	release(&bound);
	release(&cluster);
	release(&pool);
}

/* Many mistakes in one document: told, with advice for the first ones only. */
static void test_many_mistakes(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };
	struct bound bound;

	(void)state;
	buf_printf(&buf, "%s", POD_SPEC);
	for (int i = 0; i < 3000; i++)
		buf_printf(&buf, "  toleration%d: []\n", i);
	bound = bind(str_c(arena, buf_str(&buf)));
	assert_int_equal(bound.tree->faults.n >= 3000, 1);
	assert_text(bound.tree->faults.v[0].b, "tolerations");
	assert_text(bound.tree->faults.v[2999].b, "");
	release(&bound);
	arena_free(arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_fields), cmocka_unit_test(test_misplaced_fields),
		cmocka_unit_test(test_types),          cmocka_unit_test(test_versions),
		cmocka_unit_test(test_custom_fields),  cmocka_unit_test(test_fault_texts),
		cmocka_unit_test(test_lists),          cmocka_unit_test(test_no_objects),
		cmocka_unit_test(test_metadata),       cmocka_unit_test(test_many_mistakes),
	};

	return cmocka_run_group_tests_name("kube", tests, NULL, NULL);
}

/* kube: the binding of every class. */
#include "kube-bound.h"

/* ---- classes -------------------------------------------------------------------------- */

static const char pod_text[] =
	"apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: a}, annotations: {x: z}}\n"
	"spec:\n"
	"  nodeSelector: {role: r}\n"
	"  nodeName: nn\n  schedulerName: s\n  priorityClassName: c\n  runtimeClassName: rc\n"
	"  serviceAccountName: sa\n  os: {name: linux}\n  restartPolicy: Never\n"
	"  preemptionPolicy: Never\n  priority: 7\n  terminationGracePeriodSeconds: 30\n"
	"  hostNetwork: true\n  overhead: {cpu: 10m}\n"
	"  resources: {requests: {cpu: 2}, limits: {memory: 1Gi}}\n"
	"  tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]\n"
	"  topologySpreadConstraints:\n"
	"  - {maxSkew: 1, minDomains: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule,\n"
	"     labelSelector: {matchLabels: {app: a}}, matchLabelKeys: [h], nodeTaintsPolicy: Honor,\n"
	"     nodeAffinityPolicy: Ignore}\n"
	"  affinity:\n"
	"    nodeAffinity:\n"
	"      requiredDuringSchedulingIgnoredDuringExecution:\n"
	"        nodeSelectorTerms:\n"
	"        - matchExpressions: [{key: a, operator: In, values: [x, z]}]\n"
	"          matchFields: [{key: metadata.name, operator: in, values: [nn]}]\n"
	"      preferredDuringSchedulingIgnoredDuringExecution:\n"
	"      - {weight: 5, preference: {matchExpressions: [{key: b, operator: Exists}]}}\n"
	"    podAffinity:\n"
	"      requiredDuringSchedulingIgnoredDuringExecution:\n"
	"      - {topologyKey: host, namespaces: [m], labelSelector: {matchLabels: {q: r}},\n"
	"         namespaceSelector: {}, matchLabelKeys: [h], mismatchLabelKeys: [i]}\n"
	"    podAntiAffinity:\n"
	"      preferredDuringSchedulingIgnoredDuringExecution:\n"
	"      - {weight: 9, podAffinityTerm: {topologyKey: rack}}\n"
	"  initContainers:\n"
	"  - {name: i, image: x}\n"
	"  - {name: side, image: x, restartPolicy: Always}\n"
	"  containers:\n"
	"  - name: main\n    image: x:1\n    command: [run]\n    args: [--a=b, 5]\n"
	"    env: [{name: A, value: b}, {name: C, valueFrom: {fieldRef: {fieldPath: x}}}]\n"
	"    ports: [{containerPort: 80, hostPort: 81, protocol: UDP, hostIP: 1.2.3.4, name: w}]\n"
	"    resources: {requests: {cpu: 250m, memory: 1e3}, limits: {nvidia.com/gpu: 1}}\n"
	"  volumes:\n"
	"  - {name: v, persistentVolumeClaim: {claimName: pvc}}\n"
	"  - {name: e, emptyDir: {medium: Memory, sizeLimit: 5Mi}}\n"
	"  - {name: h, hostPath: {path: /x}}\n";

static void check_scalars(const struct pod_template *pod)
{
	assert_text(pod->labels.v[0].value, "a");
	assert_text(pod->annotations.v[0].value, "z");
	assert_text(pod->node_selector.v[0].key, "role");
	assert_text(pod->node_name.s, "nn");
	assert_text(pod->scheduler_name.s, "s");
	assert_text(pod->priority_class.s, "c");
	assert_text(pod->runtime_class.s, "rc");
	assert_text(pod->service_account.s, "sa");
	assert_text(pod->os.s, "linux");
	assert_text(pod->restart_policy.s, "Never");
	assert_text(pod->preemption_policy.s, "Never");
	assert_int_equal(pod->priority.value, 7);
	assert_int_equal(pod->termination_grace_seconds.value, 30);
	assert_true(pod->host_network.value);
}

static void check_amount(const struct amounts *amounts, const char *resource, int64_t milli)
{
	const struct amount *amount = amounts_find(amounts, str_of(resource));
	int64_t value = -1;

	assert_non_null(amount);
	assert_true(amount->valid);
	assert_true(quantity_milli_ceil(&amount->quantity, &value));
	assert_int_equal(value, milli);
}

static void check_containers(const struct pod_template *pod)
{
	const struct container *main = &pod->containers.v[0];

	assert_int_equal(pod->containers.n, 1);
	assert_int_equal(pod->init_containers.n, 2);
	assert_int_equal(pod->init_containers.v[0].role, CONTAINER_INIT);
	assert_int_equal(pod->init_containers.v[1].role, CONTAINER_SIDECAR);
	assert_int_equal(main->role, CONTAINER_MAIN);
	assert_text(main->name.s, "main");
	assert_text(main->image.s, "x:1");
	assert_text(main->command.v[0].s, "run");
	assert_text(main->args.v[1].s, "5");
	assert_text(main->env.v[0].value.s, "b");
	assert_null(main->env.v[1].value.node);
	assert_non_null(main->env.v[1].value_from);
	assert_int_equal(main->ports.v[0].host_port.value, 81);
	assert_text(main->ports.v[0].host_ip.s, "1.2.3.4");
	assert_non_null(main->resources);
	check_amount(&main->requests, "cpu", 250);
	check_amount(&main->requests, "memory", 1000 * 1000);
	check_amount(&main->limits, "nvidia.com/gpu", 1000);
	check_amount(&pod->requests, "cpu", 2000);
	check_amount(&pod->overhead, "cpu", 10);
	assert_non_null(amounts_find(&pod->limits, STR("memory")));
}

static void check_affinity(const struct pod_template *pod)
{
	const struct node_selector_term *term = &pod->required_node_terms.v[0];
	const struct pod_affinity_term *near = &pod->required_affinity.v[0];

	assert_int_equal(pod->required_node_terms.n, 1);
	assert_non_null(pod->required_node_terms.node);
	assert_int_equal(term->match_expressions.v[0].op, SELECTOR_IN);
	assert_text(term->match_expressions.v[0].values.v[1].s, "z");
	assert_int_equal(term->match_fields.v[0].op, SELECTOR_INVALID); /* case counts */
	assert_int_equal(pod->preferred_node_terms.v[0].weight.value, 5);
	assert_text(pod->preferred_node_terms.v[0].term.match_expressions.v[0].key, "b");
	assert_text(near->topology_key.s, "host");
	assert_text(near->namespaces.v[0].s, "m");
	assert_text(near->selector.match_labels.v[0].value, "r");
	assert_non_null(near->namespace_selector.node);
	assert_text(near->match_label_keys.v[0].s, "h");
	assert_text(near->mismatch_label_keys.v[0].s, "i");
	assert_int_equal(pod->preferred_anti_affinity.v[0].weight.value, 9);
	assert_text(pod->preferred_anti_affinity.v[0].term.topology_key.s, "rack");
	assert_null(pod->preferred_anti_affinity.v[0].term.selector.node);
	assert_int_equal(pod->required_anti_affinity.n + pod->preferred_affinity.n, 0);
}

static void check_rest(const struct pod_template *pod)
{
	const struct spread_constraint *spread = &pod->spread.v[0];

	assert_text(pod->tolerations.v[0].effect.s, "NoExecute");
	assert_int_equal(pod->tolerations.v[0].seconds.value, 5);
	assert_non_null(pod->tolerations.node);
	assert_int_equal(spread->max_skew.value, 1);
	assert_int_equal(spread->min_domains.value, 2);
	assert_text(spread->when_unsatisfiable.s, "DoNotSchedule");
	assert_text(spread->node_taints_policy.s, "Honor");
	assert_text(spread->node_affinity_policy.s, "Ignore");
	assert_text(spread->match_label_keys.v[0].s, "h");
	assert_text(pod->volumes.v[0].claim_name.s, "pvc");
	assert_text(pod->volumes.v[1].empty_dir_medium.s, "Memory");
	assert_non_null(pod->volumes.v[1].empty_dir);
	assert_true(pod->volumes.v[1].size_limit.valid);
	assert_non_null(pod->volumes.v[2].host_path);
	assert_null(pod->volumes.v[2].empty_dir);
}

static void test_pod(void **state)
{
	struct bound bound = bind(pod_text);
	const struct object *object = only(&bound);

	(void)state;
	assert_int_equal(object->class, OBJECT_POD);
	assert_ptr_equal(object->workload->pod.node, object->root);
	assert_ptr_equal(object->workload->spec, object->workload->pod.spec);
	check_scalars(&object->workload->pod);
	check_containers(&object->workload->pod);
	check_affinity(&object->workload->pod);
	check_rest(&object->workload->pod);
	assert_text(fault_lines(&bound), "string spec.containers[0].args[1]: int");
	release(&bound);
}

#define TEMPLATE "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c}]}}"

static void test_workloads(void **state)
{
	static const struct {
		const char *text;
		enum object_class class;
		int64_t replicas, parallelism;
		bool selector;
	} rows[] = {
		{ DEPLOYMENT "spec: {replicas: 3, selector: {matchLabels: {a: b}}, " TEMPLATE "}",
		  OBJECT_DEPLOYMENT, 3, 0, true },
		{ "apiVersion: extensions/v1beta1\nkind: Deployment\nspec: {replicas: 3, " TEMPLATE "}",
		  OBJECT_DEPLOYMENT, 3, 0, false },
		{ "apiVersion: apps/v1\nkind: ReplicaSet\nspec: {replicas: 1e0, " TEMPLATE "}",
		  OBJECT_REPLICA_SET, 1, 0, false },
		{ "apiVersion: apps/v1\nkind: DaemonSet\nspec: {" TEMPLATE "}", OBJECT_DAEMON_SET, 0,
		  0, false },
		{ "apiVersion: apps/v1\nkind: StatefulSet\nspec: {replicas: 2, serviceName: s, "
		  TEMPLATE "}", OBJECT_STATEFUL_SET, 2, 0, false },
		{ "apiVersion: v1\nkind: ReplicationController\nspec: {replicas: 2, selector: {a: b}, "
		  TEMPLATE "}", OBJECT_REPLICATION_CONTROLLER, 2, 0, true },
		{ "apiVersion: batch/v1\nkind: Job\nspec: {parallelism: 4, " TEMPLATE "}", OBJECT_JOB,
		  0, 4, false },
		{ "apiVersion: batch/v1beta1\nkind: CronJob\nspec: {jobTemplate: {spec: "
		  "{parallelism: 4, " TEMPLATE "}}}", OBJECT_CRON_JOB, 0, 4, false },
		{ "apiVersion: keda.sh/v1alpha1\nkind: ScaledJob\nspec: {jobTargetRef: "
		  "{parallelism: 4, " TEMPLATE "}}", OBJECT_SCALED_JOB, 0, 4, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct bound bound = bind(rows[i].text);
		const struct object *object = only(&bound);
		const struct workload_spec *workload = object->workload;

		assert_int_equal(object->class, rows[i].class);
		assert_int_equal(workload->replicas.value, rows[i].replicas);
		assert_int_equal(workload->parallelism.value, rows[i].parallelism);
		assert_int_equal(workload->pod.containers.n, 1);
		assert_text(workload->pod.labels.v[0].value, "b");
		assert_int_equal(workload->selector.node != NULL, rows[i].selector);
		if (rows[i].selector)
			assert_int_equal(selector_matches(&workload->selector,
			                                  &workload->pod.labels), ANSWER_YES);
		assert_text(fault_lines(&bound), "");
		release(&bound);
	}
}

static void test_strategy(void **state)
{
	struct bound bound = bind(DEPLOYMENT "spec: {strategy: {type: RollingUpdate, rollingUpdate: "
	                          "{maxSurge: 25%, maxUnavailable: 1}}}");
	struct bound set = bind("apiVersion: apps/v1\nkind: StatefulSet\nspec: {updateStrategy: "
	                        "{type: OnDelete, rollingUpdate: {maxUnavailable: x}},\n"
	                        "volumeClaimTemplates: [{metadata: {name: data}}]}");
	const struct workload_spec *workload = only(&bound)->workload;

	(void)state;
	assert_text(workload->strategy.s, "RollingUpdate");
	assert_true(workload->max_surge.percent && workload->max_surge.valid);
	assert_int_equal(workload->max_surge.value, 25);
	assert_false(workload->max_unavailable.percent);
	assert_int_equal(workload->max_unavailable.value, 1);
	workload = only(&set)->workload;
	assert_text(workload->strategy.s, "OnDelete");
	assert_false(workload->max_unavailable.valid);
	assert_text(workload->claim_templates.v[0].s, "data");
	release(&bound);
	release(&set);
}

static void test_custom_workloads(void **state)
{
	static const struct {
		const char *text;
		const char *replicas; /* of each template; - for absent */
	} rows[] = {
		{ "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nspec: {replicas: 3, "
		  "selector: {matchLabels: {a: b}}, " TEMPLATE "}", "3" },
		{ "apiVersion: ray.io/v1\nkind: RayCluster\nspec: {headGroupSpec: {" TEMPLATE "}, "
		  "workerGroupSpecs: [{replicas: 3, numOfHosts: 2, " TEMPLATE "}, {replicas: 4, "
		  "maxReplicas: 9, " TEMPLATE "}]}", "- 6 4" },
		{ "apiVersion: kubeflow.org/v1\nkind: TFJob\nspec: {tfReplicaSpecs: {Chief: {replicas: 1, "
		  TEMPLATE "}, Worker: {replicas: 5, " TEMPLATE "}}}", "1 5" },
		{ "apiVersion: example.com/v1\nkind: Thing\nspec: {replicas: 2, " TEMPLATE "}", "2" },
		{ "apiVersion: example.com/v1\nkind: Thing\nspec: {objects: [{apiVersion: apps/v1, "
		  "kind: Deployment, spec: {" TEMPLATE "}}]}", "" },
		{ "apiVersion: example.com/v1\nkind: Thing\nspec: {template: {spec: {containers: []}}}",
		  "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct bound bound = bind(rows[i].text);
		const struct object *object = only(&bound);
		const struct workload_spec *workload = object->workload;
		struct buf buf = { .arena = bound.arena };

		assert_int_equal(object->class,
		                 *rows[i].replicas ? OBJECT_CUSTOM_WORKLOAD : OBJECT_OTHER);
		for (; workload; workload = workload->more) {
			assert_int_equal(workload->pod.containers.n, 1);
			if (workload->replicas.node)
				buf_printf(&buf, " %lld", (long long)workload->replicas.value);
			else
				buf_printf(&buf, " -");
		}
		assert_text(str_trim(buf_str(&buf)), rows[i].replicas);
		release(&bound);
	}
}

/* Every version in the shape of v2. */
static void test_hpa_metrics(void **state)
{
	static const struct {
		const char *text;
		enum metric_kind kind;
		const char *name;
		enum target_kind target;
		int64_t utilization;
	} rows[] = {
		{ HPA("v1") "targetCPUUtilizationPercentage: 70", METRIC_RESOURCE, "cpu",
		  TARGET_UTILIZATION, 70 },
		{ HPA("v2") "metrics: [{type: Resource, resource: {name: memory, target: "
		  "{type: Utilization, averageUtilization: 60}}}]", METRIC_RESOURCE, "memory",
		  TARGET_UTILIZATION, 60 },
		{ HPA("v2") "metrics: [{type: ContainerResource, containerResource: {name: cpu, "
		  "container: c, target: {averageValue: 1}}}]", METRIC_CONTAINER_RESOURCE, "cpu",
		  TARGET_AVERAGE_VALUE, 0 },
		{ HPA("v2beta2") "metrics: [{type: External, external: {metric: {name: q}, target: "
		  "{value: 5}}}]", METRIC_EXTERNAL, "q", TARGET_VALUE, 0 },
		{ HPA("v2beta1") "metrics: [{type: Resource, resource: {name: cpu, "
		  "targetAverageUtilization: 50}}]", METRIC_RESOURCE, "cpu", TARGET_UTILIZATION, 50 },
		{ HPA("v2beta1") "metrics: [{type: Pods, pods: {metricName: m, targetAverageValue: 5}}]",
		  METRIC_PODS, "m", TARGET_AVERAGE_VALUE, 0 },
		{ HPA("v2beta1") "metrics: [{type: Object, object: {metricName: o, targetValue: 5}}]",
		  METRIC_OBJECT, "o", TARGET_VALUE, 0 },
		{ HPA("v2") "metrics: [{type: Odd}]", METRIC_OTHER, "", TARGET_NONE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct bound bound = bind(rows[i].text);
		const struct hpa_metrics *metrics = &only(&bound)->hpa->metrics;

		assert_int_equal(metrics->n, 1);
		assert_non_null(metrics->node);
		assert_int_equal(metrics->v[0].kind, rows[i].kind);
		assert_text(metrics->v[0].name.s, rows[i].name);
		assert_int_equal(metrics->v[0].target, rows[i].target);
		assert_int_equal(metrics->v[0].utilization.value, rows[i].utilization);
		if (rows[i].target > TARGET_UTILIZATION)
			assert_true(metrics->v[0].value.valid);
		release(&bound);
	}
}

static void test_hpa(void **state)
{
	struct bound bound = bind(
		HPA("v2") "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}\n"
		"  minReplicas: 2\n  maxReplicas: 9\n  selector: {matchLabels: {a: b}}\n"
		"  behavior:\n    scaleUp: {stabilizationWindowSeconds: 60, selectPolicy: Max,\n"
		"      policies: [{type: Pods, value: 4, periodSeconds: 15}], tolerance: 0.1}\n"
		"    scaleDown: {selectPolicy: Disabled}\n");
	const struct hpa *hpa = only(&bound)->hpa;

	(void)state;
	assert_text(hpa->target.kind.s, "Deployment");
	assert_text(hpa->target.name.s, "d");
	assert_int_equal(hpa->min_replicas.value, 2);
	assert_int_equal(hpa->max_replicas.value, 9);
	assert_non_null(hpa->selector);
	assert_non_null(hpa->behavior);
	assert_int_equal(hpa->scale_up.policies.v[0].value.value, 4);
	assert_int_equal(hpa->scale_up.stabilization_seconds.value, 60);
	assert_true(hpa->scale_up.tolerance.valid);
	assert_text(hpa->scale_down.select_policy.s, "Disabled");
	assert_null(hpa->scale_down.policies.node);
	assert_null(hpa->metrics.node);
	release(&bound);
}

static void test_services(void **state)
{
	struct bound bound = bind("apiVersion: v1\nkind: Service\nspec: {selector: {a: b}, type: "
	                          "NodePort, clusterIP: None, ports: [{name: h, port: 80}]}");
	struct bound api = bind("apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nspec: "
	                        "{group: metrics.k8s.io, version: v1beta1, insecureSkipTLSVerify: "
	                        "true, service: {name: m, namespace: kube-system, port: 443}}");
	struct bound pdb = bind("apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nspec: "
	                        "{minAvailable: 50%, selector: {matchExpressions: [{key: a, "
	                        "operator: Exists}]}}");

	(void)state;
	assert_text(only(&bound)->service->selector.v[0].value, "b");
	assert_text(only(&bound)->service->cluster_ip.s, "None");
	assert_int_equal(only(&bound)->service->ports.v[0].port.value, 80);
	assert_text(only(&api)->api_service->group.s, "metrics.k8s.io");
	assert_text(only(&api)->api_service->service_namespace.s, "kube-system");
	assert_int_equal(only(&api)->api_service->service_port.value, 443);
	assert_true(only(&api)->api_service->insecure_skip_tls.value);
	assert_non_null(only(&api)->api_service->service);
	assert_true(only(&pdb)->pdb->min_available.percent);
	assert_null(only(&pdb)->pdb->max_unavailable.node);
	assert_int_equal(only(&pdb)->pdb->selector.match_expressions.v[0].op, SELECTOR_EXISTS);
	release(&bound);
	release(&api);
	release(&pdb);
}

static void test_classes(void **state)
{
	struct bound runtime = bind("apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nhandler: h\n"
	                            "overhead: {podFixed: {cpu: 1}}\nscheduling: {nodeSelector: "
	                            "{a: b}, tolerations: [{operator: Exists}]}");
	struct bound old = bind("apiVersion: node.k8s.io/v1alpha1\nkind: RuntimeClass\n"
	                        "spec: {runtimeHandler: h}");
	struct bound priority = bind("apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"
	                             "value: -5\nglobalDefault: true\npreemptionPolicy: Never");
	struct bound limits = bind("apiVersion: v1\nkind: LimitRange\nspec: {limits: [{type: "
	                           "Container, default: {cpu: 1}, defaultRequest: {cpu: 100m}, max: "
	                           "{cpu: 2}, min: {cpu: 1m}, maxLimitRequestRatio: {cpu: 4}}]}");
	const struct limit_range_item *item = &only(&limits)->limit_range->items.v[0];

	(void)state;
	assert_text(only(&runtime)->runtime_class->handler.s, "h");
	check_amount(&only(&runtime)->runtime_class->overhead, "cpu", 1000);
	assert_int_equal(only(&runtime)->runtime_class->tolerations.n, 1);
	assert_text(only(&runtime)->runtime_class->node_selector.v[0].key, "a");
	assert_text(only(&old)->runtime_class->handler.s, "h");
	assert_int_equal(only(&priority)->priority_class->value.value, -5);
	assert_true(only(&priority)->priority_class->global_default.value);
	check_amount(&item->defaults, "cpu", 1000);
	check_amount(&item->default_requests, "cpu", 100);
	check_amount(&item->max, "cpu", 2000);
	check_amount(&item->min, "cpu", 1);
	check_amount(&item->max_ratio, "cpu", 4000);
	release(&runtime);
	release(&old);
	release(&priority);
	release(&limits);
}

static void test_data(void **state)
{
	struct bound map = bind("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n"
	                        "  a: |\n    x: 1\n    y: 2\n  b: plain\n");
	struct bound rules = bind("apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nspec: "
	                          "{groups: [{name: g, rules: [{alert: A, expr: up}, {record: r, "
	                          "expr: 1}]}, {name: h, rules: [{alert: B, expr: up}]}]}");
	struct bound file = bind("groups:\n- name: g\n  rules:\n  - {alert: A, expr: up == 0}\n");
	struct bound claim = bind("apiVersion: v1\nkind: PersistentVolumeClaim\nspec: {volumeName: v, "
	                          "storageClassName: s, accessModes: [ReadWriteOnce]}");

	(void)state;
	assert_text(pairs_find(&only(&map)->config_map->data, STR("a"))->value, "x: 1\ny: 2\n");
	assert_int_equal(only(&rules)->prometheus_rule->rules.n, 3);
	assert_text(only(&rules)->prometheus_rule->rules.v[1].record.s, "r");
	assert_text(only(&rules)->prometheus_rule->rules.v[2].alert.s, "B");
	assert_int_equal(only(&file)->class, OBJECT_PROMETHEUS_RULE);
	assert_text(only(&file)->prometheus_rule->rules.v[0].expr.s, "up == 0");
	assert_text(only(&claim)->claim->volume_name.s, "v");
	assert_text(only(&claim)->claim->storage_class.s, "s");
	assert_text(only(&claim)->claim->access_modes.v[0].s, "ReadWriteOnce");
	release(&map);
	release(&rules);
	release(&file);
	release(&claim);
}

/* A value that does not decode decides nothing; one that does keeps its node. */
static void test_unknown_values(void **state)
{
	struct bound bound = bind(DEPLOYMENT "spec: {replicas: '3', minReadySeconds: 5,\n"
	                          "  template: {spec: {nodeSelector: {a: \"${X}\", b: 012}}}}");
	const struct workload_spec *workload = only(&bound)->workload;

	(void)state;
	assert_true(workload->replicas.node->unknown);
	assert_false(node_known(workload->replicas.node));
	assert_true(workload->pod.node_selector.v[0].node->unknown);
	assert_true(node_known(workload->pod.node_selector.v[1].node));
	assert_text(workload->pod.node_selector.v[1].value, "012");
	assert_false(node_known(NULL));
	release(&bound);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pod),              cmocka_unit_test(test_workloads),
		cmocka_unit_test(test_strategy),         cmocka_unit_test(test_custom_workloads),
		cmocka_unit_test(test_hpa_metrics),      cmocka_unit_test(test_hpa),
		cmocka_unit_test(test_services),         cmocka_unit_test(test_classes),
		cmocka_unit_test(test_data),             cmocka_unit_test(test_unknown_values),
	};

	return cmocka_run_group_tests_name("kube-bind", tests, NULL, NULL);
}

/* kube: API validation of the parts of pods that the vectors hardly touch, and of the kinds that
 * they lack. Every answer was compared with upstream's own code (k8s.io/kubernetes v1.36.3). */
#include "kube-bound.h"

/* "Type path", a line for each fault of validation, without the common prefix of the types. */
static str invalid_lines(const struct bound *bound)
{
	struct buf buf = { .arena = bound->arena };

	for (size_t i = 0; i < bound->tree->faults.n; i++) {
		const struct fault *fault = &bound->tree->faults.v[i];

		if (fault->kind != FAULT_INVALID)
			continue;
		assert_true(str_starts(fault->b, STR("FieldValue")));
		assert_true(fault->a.n > 0);
		assert_non_null(fault->node);
		buf_printf(&buf, "%s%.*s %.*s", buf.n ? "\n" : "",
		           STR_ARG(str_slice(fault->b, 10, fault->b.n)), STR_ARG(fault->c));
	}
	return buf_str(&buf);
}

static void say(const char *text, const char *wanted)
{
	struct bound bound = bind_at(text, "1.36");
	str got = invalid_lines(&bound);

	if (!str_is(got, wanted))
		print_message("%s\n", text);
	assert_text(got, wanted);
	release(&bound);
}

/* ---- pods ----------------------------------------------------------------------------- */

#define POD "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {"
#define C "name: c, image: i"

/* What stands beside `containers:` in a pod's spec, or in its only container. */
struct row {
	const char *text, *wanted;
};

static const struct row spec_rows[] = {
	{ "", "" },
	{ "hostAliases: [{ip: 01.2.3.4, hostnames: [a_b]}]",
	  "Invalid spec.hostAliases[0].ip\nInvalid spec.hostAliases[0].hostnames[0]" },
	{ "dnsPolicy: None", "Required spec.dnsConfig" },
	{ "dnsConfig: {searches: [a_b., ., -x], options: [{value: x}]}",
	  "Invalid spec.dnsConfig.searches[2]\nRequired spec.dnsConfig.options[0]" },
	{ "serviceAccount: A_B", "Invalid spec.serviceAccountName" },
	{ "preemptionPolicy: \"\"", "Required spec.preemptionPolicy" },
	{ "hostnameOverride: a, hostNetwork: true", "Forbidden spec.hostnameOverride" },
	{ "hostUsers: false, hostPID: true", "Forbidden spec.HostPID" },
	{ "shareProcessNamespace: true, hostPID: true",
	  "Invalid spec.securityContext.shareProcessNamespace" },
	{ "securityContext: {sysctls: [{name: a.b}, {name: a.b}, {name: .a}, {}]}",
	  "Duplicate spec.securityContext.sysctls[1].name\n"
	  "Invalid spec.securityContext.sysctls[2].name\n"
	  "Required spec.securityContext.sysctls[3].name" },
	{ "securityContext: {seccompProfile: {type: Localhost}, appArmorProfile: {}}",
	  "Required spec.securityContext.seccompProfile.localhostProfile\n"
	  "Required spec.securityContext.appArmorProfile.type" },
	{ "securityContext: {seccompProfile: {type: Unconfined, localhostProfile: x}}",
	  "Invalid spec.securityContext.seccompProfile.localhostProfile" },
	{ "os: {name: windows}, securityContext: {fsGroup: 1}",
	  "Forbidden spec.securityContext.fsGroup" },
	{ "os: {name: linux}, securityContext: {windowsOptions: {}}",
	  "Forbidden spec.securityContext.windowsOptions" },
	{ "securityContext: {windowsOptions: {runAsUserName: 'a\\b\\c'}}",
	  "Invalid spec.securityContext.windowsOptions.runAsUserName" },
	{ "resourceClaims: [{name: a}, {name: a, resourceClaimName: x}]",
	  "Invalid spec.resourceClaims[0]\nDuplicate spec.resourceClaims[1].name" },
	{ "ephemeralContainers: [{name: c, image: i, ports: [{containerPort: 1}]}]",
	  "Duplicate spec.ephemeralContainers[0].name\n"
	  "Forbidden spec.ephemeralContainers[0].ports\nForbidden spec.ephemeralContainers" },
	{ "volumes: [{name: v, hostPath: {path: /a/../b, type: file}}]",
	  "Invalid spec.volumes[0].hostPath.path\nNotSupported spec.volumes[0].hostPath.type" },
	{ "volumes: [{name: v, nfs: {server: s, path: x}, emptyDir: {}}]",
	  "Forbidden spec.volumes[0].nfs" },
	{ "volumes: [{name: v, nfs: {server: s, path: x}}]", "Invalid spec.volumes[0].nfs.path" },
	{ "volumes: [{name: v, gcePersistentDisk: {}}]",
	  "Required spec.volumes[0].persistentDisk.pdName" },
	{ "volumes: [{name: v, azureDisk: {diskName: d, diskURI: u}}]",
	  "NotSupported spec.volumes[0].azureDisk.diskURI" },
	{ "volumes: [{name: v, configMap: {name: m, items: [{key: k, path: ../x, mode: 512}]}}]",
	  "Invalid spec.volumes[0].configMap.items[0].mode\n"
	  "Invalid spec.volumes[0].configMap.items[0].path" },
	{ "volumes: [{name: v, downwardAPI: {items: [{path: a}]}}]",
	  "Required spec.volumes[0].downwardAPI" },
	{ "volumes: [{name: v, downwardAPI: {items: [{path: a, fieldRef: {fieldPath: "
	  "spec.nodeName}}]}}]",
	  "NotSupported spec.volumes[0].downwardAPI.fieldRef.fieldPath" },
	{ "serviceAccountName: a, volumes: [{name: v, projected: {sources: [{serviceAccountToken: "
	  "{expirationSeconds: 60}}]}}]",
	  "Invalid spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds\n"
	  "Required spec.volumes[0].projected.path" },
	{ "volumes: [{name: v, csi: {driver: A_b}}]", "Invalid spec.volumes[0].csi.driver" },
	{ "volumes: [{name: v, ephemeral: {volumeClaimTemplate: {metadata: {name: x}, spec: "
	  "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]",
	  "Forbidden spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name" },
	/* a template that is not rendered decides nothing */
	{ "hostname: \"{{ .Values.name }}\", serviceAccountName: \"{{ .x }}\"", "" },
};

static void test_specs(void **state)
{
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(spec_rows); i++)
		say(str_format(arena, POD "%s%scontainers: [{" C "}]}}", spec_rows[i].text,
		               spec_rows[i].text[0] ? ", " : "").p, spec_rows[i].wanted);
	arena_free(arena);
}

#define IN "spec.containers[0]."

static const struct row container_rows[] = {
	{ "env: [{name: A, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['a/b/c']\"}}}]",
	  "Invalid " IN "env[0].valueFrom.fieldRef" },
	{ "env: [{name: A, valueFrom: {fieldRef: {fieldPath: status.phase}}}]",
	  "NotSupported " IN "env[0].valueFrom.fieldRef.fieldPath" },
	{ "env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 2m}}}]",
	  "Invalid " IN "env[0].valueFrom.resourceFieldRef.divisor" },
	{ "env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.memory, "
	  "divisor: 1Mi}}}]", "" },
	{ "env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: a/b}}}]",
	  "Invalid " IN "env[0].valueFrom.secretKeyRef.key" },
	{ "envFrom: [{prefix: a=, configMapRef: {name: m}}]", "Invalid " IN "envFrom[0].prefix" },
	{ "resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}, {resourceName: gpu}]",
	  "NotSupported " IN "resizePolicy\nRequired " IN "resizePolicy" },
	{ "restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [1]}}]",
	  "Required " IN "restartPolicy" },
	{ "restartPolicy: Never, restartPolicyRules: [{action: Stop}]",
	  "NotSupported " IN "restartPolicyRules[0].action\n"
	  "Required " IN "restartPolicyRules[0].exitCodes" },
	{ "resources: {claims: [{name: a}, {}]}",
	  "NotFound " IN "resources.claims[0]\nRequired " IN "resources.claims[1]" },
	{ "volumeDevices: [{name: v, devicePath: /a/../b}]",
	  "NotFound " IN "volumeDevices[0].name\nInvalid " IN "volumeDevices[0].devicePath" },
	{ "volumeMounts: [{name: v, mountPath: /a}]", "NotFound " IN "volumeMounts[0].name" },
	{ "securityContext: {procMount: Unmasked}", "Invalid " IN "securityContext.procMount" },
	{ "securityContext: {allowPrivilegeEscalation: false, capabilities: {add: "
	  "[CAP_SYS_ADMIN]}}", "Invalid " IN "securityContext" },
	{ "livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: a_b}]}}",
	  "Invalid " IN "livenessProbe.httpGet.httpHeaders" },
	{ "lifecycle: {preStop: {sleep: {seconds: 31}}}", "Invalid " IN "lifecycle.preStop.sleep" },
	{ "lifecycle: {preStop: {sleep: {seconds: 30}}}", "" },
};

static void test_containers(void **state)
{
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(container_rows); i++)
		say(str_format(arena, POD "containers: [{" C ", %s}]}}", container_rows[i].text).p,
		    container_rows[i].wanted);
	arena_free(arena);
}

/* ---- other kinds ---------------------------------------------------------------------- */

#define META "metadata: {name: n}"
#define TEMPLATE "template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, " \
	"containers: [{" C "}]}}"
#define JOB "{apiVersion: batch/v1, kind: Job, " META ", spec: {" TEMPLATE ", "

static const struct row object_rows[] = {
	{ JOB "managedBy: x}}", "Invalid spec.managedBy" },
	{ JOB "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, "
	  "values: [2, 1, 1, 0]}}]}}}",
	  "Duplicate spec.podFailurePolicy.rules[0].onExitCodes.values[2]\n"
	  "Invalid spec.podFailurePolicy.rules[0].onExitCodes.values[3]\n"
	  "Invalid spec.podFailurePolicy.rules[0].onExitCodes.values" },
	{ JOB "podFailurePolicy: {rules: [{action: FailIndex}]}}}",
	  "Invalid spec.podFailurePolicy.rules[0].action\n"
	  "Invalid spec.podFailurePolicy.rules[0]" },
	{ JOB "completionMode: Indexed, completions: 3, successPolicy: {rules: "
	  "[{succeededIndexes: '0,2-3'}, {succeededCount: 4}, {}]}}}",
	  "Invalid spec.successPolicy.rules[0].succeededIndexes\n"
	  "Invalid spec.successPolicy.rules[1].succeededCount\n"
	  "Required spec.successPolicy.rules[2]" },
	{ "{apiVersion: batch/v1, kind: CronJob, " META ", spec: {schedule: '@daily', "
	  "jobTemplate: {spec: {" TEMPLATE ", completionMode: Indexed}}}}",
	  "Required spec.jobTemplate.spec.completions" },
	{ "{apiVersion: apps/v1, kind: StatefulSet, " META ", spec: {selector: {matchLabels: "
	  "{a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{" C "}], "
	  "volumes: [{name: v, secret: {}}]}}, volumeClaimTemplates: [{metadata: {name: d}, "
	  "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}}",
	  "Required spec.template.spec.volumes[1].secret.secretName" },
	{ "{apiVersion: v1, kind: Service, " META ", spec: {ports: [{port: 80}, {port: 80, "
	  "name: a}, {port: 0, name: a, nodePort: 3}]}}",
	  "Required spec.ports[0].name\nDuplicate spec.ports[1]\nInvalid spec.ports[2].port\n"
	  "Invalid spec.ports[2].targetPort\nDuplicate spec.ports[2].name\n"
	  "Forbidden spec.ports[2].nodePort" },
	{ "{apiVersion: v1, kind: LimitRange, " META ", spec: {limits: [{type: Container, "
	  "max: {cpu: 1}, min: {cpu: 2}}]}}",
	  "Invalid spec.limits[0].min[cpu]\nInvalid spec.limits[0].defaultRequest[cpu]\n"
	  "Invalid spec.limits[0].default[cpu]" },
	{ "{apiVersion: v1, kind: LimitRange, metadata: {}, spec: {limits: [{type: Pod, "
	  "default: {cpu: 1}}, {type: PersistentVolumeClaim}]}}",
	  "Forbidden spec.limits[0].default\nRequired spec.limits[1].limits" },
	{ "{apiVersion: v1, kind: ResourceQuota, " META ", spec: {hard: {pods: 1.5, "
	  "services: 1}, scopes: [BestEffort, Foo]}}",
	  "Invalid spec.hard[pods]\nInvalid spec.scopes" },
	{ "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, " META ", value: 1000000001}",
	  "Forbidden value" },
	{ "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, " META ", overhead: {podFixed: "
	  "{gpu: 1}}}", "Required handler\nInvalid overhead.limits[gpu]" },
	{ "{apiVersion: v1, kind: ConfigMap, " META ", data: {a b: c, d: e}, binaryData: "
	  "{d: YQ==}}", "Invalid data[a b]\nInvalid data[d]" },
	{ "{apiVersion: v1, kind: Namespace, metadata: {name: a.b}}", "Invalid metadata.name" },
	{ "{apiVersion: v1, kind: PersistentVolumeClaim, " META ", spec: {accessModes: [RWO]}}",
	  "NotSupported spec.accessModes\nRequired spec.resources[storage]" },
	{ "{apiVersion: storage.k8s.io/v1, kind: StorageClass, " META ", volumeBindingMode: x}",
	  "Required provisioner\nNotSupported volumeBindingMode" },
	{ "{apiVersion: v1, kind: ReplicationController, metadata: {generateName: n-}, spec: "
	  "{selector: {a: c}, template: {metadata: {labels: {a: b}}, spec: {containers: "
	  "[{" C "}]}}}}", "Invalid spec.template.metadata.labels" },
	{ "{apiVersion: policy/v1, kind: PodDisruptionBudget, " META ", spec: "
	  "{minAvailable: \"\"}}", "Invalid spec.minAvailable" },
};

static void test_objects(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(object_rows); i++)
		say(object_rows[i].text, object_rows[i].wanted);
}

/* A fault of an absent field is at what is around it, and names it. */
static void test_missing(void **state)
{
	struct bound bound = bind_at("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
	                             "spec: {containers: [{name: c}]}\n", "1.36");
	const struct fault *fault = NULL;

	(void)state;
	for (size_t i = 0; i < bound.tree->faults.n; i++)
		if (bound.tree->faults.v[i].kind == FAULT_INVALID)
			fault = &bound.tree->faults.v[i];
	assert_non_null(fault);
	assert_string_equal(fault->missing, "image");
	assert_text(node_path(bound.arena, NULL, fault->node, NULL), "spec.containers[0]");
	release(&bound);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_specs),   cmocka_unit_test(test_containers),
		cmocka_unit_test(test_objects), cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

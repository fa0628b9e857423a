/* kube: API validation beyond the official vectors (tests/vectors): single values, defaults, and
 * what templates and patches hide. */
#include "kube-bound.h"

/* ---- names ---------------------------------------------------------------------------- */

#define X9 "xxxxxxxxx"
#define X63 X9 X9 X9 X9 X9 X9 X9

static void test_names(void **state)
{
	static const struct {
		const char *text;
		bool label, subdomain, key, value;
	} rows[] = {
		{ "", false, false, false, true },
		{ "a", true, true, true, true },
		{ "a-1", true, true, true, true },
		{ "-a", false, false, false, false },
		{ "a-", false, false, false, false },
		{ "a.b", false, true, true, true },
		{ "a..b", false, false, true, true },
		{ "a.", false, false, false, false },
		{ "A", false, false, true, true },
		{ "a_b", false, false, true, true },
		{ "a b", false, false, false, false },
		{ "a/b", false, false, true, false },
		{ "a/b/c", false, false, false, false },
		{ "/b", false, false, false, false },
		{ "a/", false, false, false, false },
		{ "A/b", false, false, false, false },
		{ X63, true, true, true, true },
		{ X63 "x", false, true, false, false },
		{ "\xc3\xa4", false, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		str text = str_of(rows[i].text);

		assert_int_equal(name_is_dns_label(text), rows[i].label);
		assert_int_equal(name_is_dns_subdomain(text), rows[i].subdomain);
		assert_int_equal(label_key_is_valid(text), rows[i].key);
		assert_int_equal(label_value_is_valid(text), rows[i].value);
	}
}

/* ---- objects -------------------------------------------------------------------------- */

/* Frames of objects around the part that a row is about. */
#define POD_SPEC(kind_text, text) \
	"apiVersion: apps/v1\nkind: " kind_text "\nmetadata: {name: a}\n" \
	"spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {" \
	text "}}}\n"
#define IN_SPEC(text) POD_SPEC("Deployment", "containers: [{name: a, image: i}], " text)
#define IN_CONTAINER(text) POD_SPEC("Deployment", "containers: [{name: a, image: i, " text "}]")
#define ROLLED(text) \
	"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {" text ", selector: " \
	"{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: " \
	"[{name: a, image: i}]}}}\n"
#define JOB(meta, text) \
	"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a" meta "}\nspec: {" text \
	"template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}\n"
#define CRON(text) \
	"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {" text ", jobTemplate: " \
	"{spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}}}\n"
#define POD(text) \
	"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: i, " \
	text "}]}\n"

static const struct {
	const char *text;
	const char *faults; /* type and path, one a line, without "FieldValue"; "" : none */
} rows[] = {
	/* schedules */
	{ CRON("schedule: '*/5 1-3,7 ? jan-MAR mon'"), "" },
	{ CRON("schedule: '@every 1h30m'"), "" },
	{ CRON("schedule: '@hourly'"), "" },
	{ CRON("schedule: '@sometimes'"), "Invalid spec.schedule\n" },
	{ CRON("schedule: '60 * * * *'"), "Invalid spec.schedule\n" },
	{ CRON("schedule: '* * 0 * *'"), "Invalid spec.schedule\n" },
	{ CRON("schedule: '* * * * 7'"), "Invalid spec.schedule\n" },
	{ CRON("schedule: '5-1 * * * *'"), "Invalid spec.schedule\n" },
	{ CRON("schedule: '*/0 * * * *'"), "Invalid spec.schedule\n" },
	{ CRON("schedule: '* * * * * *'"), "Invalid spec.schedule\n" },
	{ CRON("schedule: ''"), "Required spec.schedule\n" },
	{ CRON("schedule: '* * * * *', timeZone: Europe/Berlin"), "" },
	{ CRON("schedule: '* * * * *', timeZone: europe/berlin"), "Invalid spec.timeZone\n" },
	{ CRON("schedule: '* * * * *', timeZone: Local"), "Invalid spec.timeZone\n" },
	{ CRON("schedule: '* * * * *', timeZone: '${ZONE}'"), "" },
	/* shares and their defaults */
	{ ROLLED("strategy: {rollingUpdate: {maxUnavailable: 0}}"), "" },
	{ ROLLED("strategy: {rollingUpdate: {maxUnavailable: 0%, maxSurge: 0}}"),
	  "Invalid spec.strategy.rollingUpdate.maxUnavailable\n" },
	{ ROLLED("strategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: \"${S}\"}}"), "" },
	{ ROLLED("strategy: {rollingUpdate: {maxSurge: 200%, maxUnavailable: 101%}}"),
	  "Invalid spec.strategy.rollingUpdate.maxUnavailable\n" },
	{ ROLLED("minReadySeconds: 600"), "Invalid spec.progressDeadlineSeconds\n" },
	{ ROLLED("minReadySeconds: 599"), "" },
	/* words: "" is a default here and a mistake there */
	{ IN_SPEC("restartPolicy: ''"), "" },
	{ IN_SPEC("dnsPolicy: clusterFirst"), "NotSupported spec.template.spec.dnsPolicy\n" },
	{ IN_SPEC("topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: "
	          "DoNotSchedule, nodeTaintsPolicy: ''}]"),
	  "NotSupported spec.template.spec.topologySpreadConstraints[0].nodeTaintsPolicy\n" },
	/* containers */
	{ IN_CONTAINER("env: [{name: 'a=b'}]"),
	  "Invalid spec.template.spec.containers[0].env[0].name\n" },
	{ IN_CONTAINER("env: [{name: a, value: b, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]"),
	  "Invalid spec.template.spec.containers[0].env[0].valueFrom\n" },
	{ IN_CONTAINER("envFrom: [{}]"), "Invalid spec.template.spec.containers[0].envFrom\n" },
	{ IN_CONTAINER("volumeMounts: [{name: v, mountPath: /v}]"),
	  "NotFound spec.template.spec.containers[0].volumeMounts[0].name\n" },
	{ IN_CONTAINER("ports: [{containerPort: 80, name: a--b}]"),
	  "Invalid spec.template.spec.containers[0].ports[0].name\n" },
	{ IN_CONTAINER("readinessProbe: {}"),
	  "Required spec.template.spec.containers[0].readinessProbe\n" },
	{ IN_CONTAINER("securityContext: {privileged: true, allowPrivilegeEscalation: false}"),
	  "Invalid spec.template.spec.containers[0].securityContext\n" },
	{ IN_CONTAINER("resources: {requests: {cpu: \"${C}\"}, limits: {cpu: 1}}"), "" },
	/* pods: limits are requests, in templates not */
	{ POD("resources: {limits: {gpu: 1}}"),
	  "Invalid spec.containers[0].resources.limits[gpu]\n"
	  "Invalid spec.containers[0].resources.requests[gpu]\n" },
	{ IN_CONTAINER("resources: {limits: {gpu: 1}}"),
	  "Invalid spec.template.spec.containers[0].resources.limits[gpu]\n" },
	/* addresses */
	{ IN_SPEC("hostAliases: [{ip: 10.0.0.256}]"),
	  "Invalid spec.template.spec.hostAliases[0].ip\n" },
	{ IN_SPEC("hostAliases: [{ip: 10.0.0.1}, {ip: 'fe80::1'}]"), "" },
	{ IN_SPEC("dnsPolicy: None"), "Required spec.template.spec.dnsConfig\n" },
	/* volumes: without a kind they are empty directories */
	{ IN_SPEC("volumes: [{name: v}]"), "" },
	{ IN_SPEC("volumes: [{name: v, emptyDir: {}, hostPath: {path: /}}]"),
	  "Forbidden spec.template.spec.volumes[0].hostPath\n" },
	{ IN_SPEC("volumes: [{name: v, secret: {}}]"),
	  "Required spec.template.spec.volumes[0].secret.secretName\n" },
	/* jobs */
	{ JOB("", ""), "" },
	{ JOB("", "completionMode: Indexed, parallelism: 2, "), "Required spec.completions\n" },
	{ JOB("", "selector: {matchLabels: {a: b}}, "),
	  "Invalid spec.selector\nInvalid spec.template.metadata.labels\n" },
	{ JOB(", uid: x", "selector: {matchLabels: {a: b}}, "), "" },
};

static str faults_text(const struct bound *bound)
{
	struct buf buf = { .arena = bound->arena };

	for (size_t i = 0; i < bound->tree->faults.n; i++) {
		const struct fault *fault = &bound->tree->faults.v[i];

		if (fault->kind != FAULT_INVALID)
			continue;
		assert_true(str_starts(fault->b, STR("FieldValue")));
		assert_true(fault->a.n > 0 && fault->node && fault->span.file);
		buf_printf(&buf, "%.*s %.*s\n",
		           STR_ARG(str_slice(fault->b, 10, fault->b.n)), STR_ARG(fault->c));
	}
	return buf_str(&buf);
}

static void test_objects(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct bound bound = bind_at(rows[i].text, "1.36");
		str got = faults_text(&bound);

		if (!str_eq(got, str_of(rows[i].faults)))
			print_message("%s", rows[i].text);
		assert_text(got, rows[i].faults);
		release(&bound);
	}
}

/* Many faults in one list are found in time that grows with the text only. */
static void test_many(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };
	struct bound bound;

	(void)state;
	buf_add(&buf, STR("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n"));
	for (int i = 0; i < 20000; i++)
		buf_add(&buf, STR("  - {name: A, volumeMounts: [{name: v}]}\n"));
	buf_char(&buf, '\0');
	bound = bind(buf.p);
	/* of each: the name, the image, the volume and its path; all but the first a twin */
	assert_int_equal(bound.tree->faults.n, 20000 * 5 - 1);
	release(&bound);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_objects),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

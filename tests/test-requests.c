/* Requests, limits and QoS of pods as pod creation makes them; what a LimitRange fills in, and
 * what templates leave open. The conformance vectors hold the plain cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched-scope.h"

#define POD(spec) "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {" spec "}\n"
#define RANGE(item) \
	"---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: r}\n" \
	"spec: {limits: [{type: Container, " item "}]}\n"
#define MI ((int64_t)1 << 20)

struct wanted {
	int64_t cpu, memory;
	bool from_limits;
};

static void assert_requests(const char *text, struct wanted wanted)
{
	struct arena *arena = arena_new();
	const struct scope *scope = scope_of_text(arena, str_of(text));
	const struct pod_requests *requests = &scope->workloads.v[0]->requests;
	struct resource_amount cpu = resources_get(&requests->v, STR("cpu"));
	struct resource_amount memory = resources_get(&requests->v, STR("memory"));

	if (cpu.amount != wanted.cpu || memory.amount != wanted.memory ||
	    requests->from_limits != wanted.from_limits)
		fail_msg("%s: cpu %lld, memory %lld, from limits %d", text, (long long)cpu.amount,
		         (long long)memory.amount, requests->from_limits);
	assert_false(cpu.unknown || memory.unknown);
	arena_free(arena);
}

static void test_requests(void **state)
{
	static const struct {
		const char *text;
		struct wanted wanted;
	} rows[] = {
		{ POD("containers: [{name: a}]"), { 0, 0, false } },
		/* each container is rounded up to thousandths before the sum is */
		{ POD("containers: [{name: a, resources: {requests: {cpu: 0.0004}}}, "
		      "{name: b, resources: {requests: {cpu: 0.0004}}}]"), { 2, 0, false } },
		{ POD("containers: [{name: a, resources: {requests: {memory: 400m}}}, "
		      "{name: b, resources: {requests: {memory: 400m}}}]"), { 0, 1, false } },
		/* a limit stands in for a request, resource by resource */
		{ POD("containers: [{name: a, resources: {requests: {cpu: 1}, "
		      "limits: {cpu: 2, memory: 1Mi}}}]"), { 1000, MI, true } },
		/* init containers raise, sidecars add to those behind them */
		{ POD("containers: [{name: a, resources: {requests: {cpu: 1}}}], initContainers: ["
		      "{name: i, resources: {requests: {cpu: 3}}}]"), { 3000, 0, false } },
		{ POD("containers: [{name: a, resources: {requests: {cpu: 1}}}], initContainers: ["
		      "{name: i, resources: {requests: {cpu: 3}}}, "
		      "{name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}]"),
		  { 3000, 0, false } },
		{ POD("containers: [{name: a, resources: {requests: {cpu: 1}}}], initContainers: ["
		      "{name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}, "
		      "{name: i, resources: {requests: {cpu: 3}}}]"), { 4000, 0, false } },
		/* pod-level amounts win where they are, overhead comes on top */
		{ POD("resources: {requests: {cpu: 5}}, overhead: {cpu: 250m}, containers: "
		      "[{name: a, resources: {requests: {cpu: 1, memory: 1Mi}}}]"),
		  { 5250, MI, false } },
		{ POD("resources: {limits: {cpu: 5, memory: 2Mi}}, containers: "
		      "[{name: a, resources: {requests: {cpu: 1}}}]"), { 1000, 2 * MI, false } },
		/* the LimitRange fills what is missing, but not over a limit of the container */
		{ POD("containers: [{name: a}]") RANGE("defaultRequest: {cpu: 100m}"),
		  { 100, 0, false } },
		{ POD("containers: [{name: a}]") RANGE("default: {cpu: 200m, memory: 1Mi}"),
		  { 200, MI, false } },
		{ POD("containers: [{name: a}]") RANGE("max: {cpu: 300m}, min: {memory: 2Mi}"),
		  { 300, 2 * MI, false } },
		{ POD("containers: [{name: a, resources: {limits: {cpu: 2}}}]")
		  RANGE("defaultRequest: {cpu: 100m}"), { 2000, 0, true } },
		/* more than int64 stays at its end */
		{ POD("containers: [{name: a, resources: {requests: {cpu: 8Ei}}}, "
		      "{name: b, resources: {requests: {memory: 8Ei}}}, "
		      "{name: c, resources: {requests: {memory: 8Ei}}}]"),
		  { INT64_MAX, INT64_MAX, false } },
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_requests(rows[i].text, rows[i].wanted);
}

/* What a template hides is unknown, and what stands beside it a lower bound. */
static void test_unknown_amounts(void **state)
{
	static const char text[] =
		POD("containers: [{name: a, resources: {requests: {cpu: \"{{ .cpu }}\", "
		    "memory: 1Mi}}}, {name: b, resources: {requests: {cpu: 2}}}]");
	struct arena *arena = arena_new();
	const struct scope *scope = scope_of_text(arena, str_of(text));
	const struct resource_amounts *amounts = &scope->workloads.v[0]->requests.v;
	(void)state;

	assert_true(resources_get(amounts, STR("cpu")).unknown);
	assert_int_equal(resources_get(amounts, STR("cpu")).amount, 2000);
	assert_false(resources_get(amounts, STR("memory")).unknown);
	arena_free(arena);
}

static void test_largest_part(void **state)
{
	static const char text[] =
		POD("containers: [{name: a, resources: {requests: {cpu: 1}}}, "
		    "{name: b, resources: {requests: {cpu: 3}}}], initContainers: "
		    "[{name: i, resources: {requests: {cpu: 9, memory: 1Mi}}}]");
	struct arena *arena = arena_new();
	const struct scope *scope = scope_of_text(arena, str_of(text));
	struct resource_amount cpu =
		resources_get(&scope->workloads.v[0]->requests.v, STR("cpu"));
	(void)state;

	assert_true(str_is(node_text(cpu.node), "9"));
	arena_free(arena);
}

static void test_limits_and_class(void **state)
{
	static const struct {
		const char *text;
		int64_t cpu;
		enum qos_class class;
	} rows[] = {
		{ POD("containers: [{name: a}]"), 0, QOS_BEST_EFFORT },
		{ POD("containers: [{name: a, resources: {requests: {nvidia.com/gpu: 1}, "
		      "limits: {nvidia.com/gpu: 1}}}]"), 0, QOS_BEST_EFFORT },
		{ POD("containers: [{name: a, resources: {limits: {cpu: 1}}}]"), 1000,
		  QOS_BURSTABLE },
		{ POD("overhead: {cpu: 100m}, containers: [{name: a, resources: {limits: {cpu: 1, "
		      "memory: 1Mi}}}]"), 1100, QOS_GUARANTEED },
		{ POD("containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Mi}}}, "
		      "{name: b}]"), 1000, QOS_BURSTABLE },
		{ POD("resources: {limits: {cpu: 2, memory: 1Mi}}, containers: [{name: a}]"), 2000,
		  QOS_GUARANTEED },
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		const struct scope *scope = scope_of_text(arena, str_of(rows[i].text));
		const struct pod_template *pod = scope->workloads.v[0]->pod;
		struct resource_amounts limits;

		pod_limits(arena, pod, &limits);
		if (resources_get(&limits, STR("cpu")).amount != rows[i].cpu ||
		    pod_qos(pod) != rows[i].class)
			fail_msg("%s: %lld, class %d", rows[i].text,
			         (long long)resources_get(&limits, STR("cpu")).amount,
			         (int)pod_qos(pod));
		arena_free(arena);
	}
}

/* Many resources in one list take no quadratic time; all of them are summed. */
static void test_many_resources(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };
	const struct scope *scope;
	(void)state;

	buf_printf(&buf, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n");
	for (size_t c = 0; c < 2; c++) {
		buf_printf(&buf, "  - name: c%zu\n    resources:\n      requests:\n", c);
		for (size_t i = 0; i < 5000; i++)
			buf_printf(&buf, "        example.com/r%zu: 1\n", i);
	}
	scope = scope_of_text(arena, buf_str(&buf));
	assert_int_equal(scope->workloads.v[0]->requests.v.n, 5000);
	assert_int_equal(scope->workloads.v[0]->requests.v.v[4999].amount, 2);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_unknown_amounts),
		cmocka_unit_test(test_largest_part),
		cmocka_unit_test(test_limits_and_class),
		cmocka_unit_test(test_many_resources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

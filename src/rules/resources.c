/* KL4: requests, limits and their headroom (rules.md, KL4). */
#include "ask.h"
#include "edits.h"

/* Of the namespace in which the pods are made. */
static const struct limit_range *range_of(const struct judge *judge,
                                          const struct workload *workload)
{
	return scope_limit_range(judge->scope, workload->namespace);
}

static const char *const compute_resources[] = { "cpu", "memory" };

/* ---- KL401, KL402 ---------------------------------------------------------------------- */

/* Is the resource certainly bounded by nothing: no request and no limit of its own, of the
 * LimitRange or of the pod? */
static bool asks_nothing(const struct judge *judge, const struct workload *workload,
                         const struct container *container, const char *resource)
{
	const struct limit_range *range = range_of(judge, workload);
	struct effective_amount request = container_request(range, container, str_of(resource));
	struct effective_amount limit = container_limit(range, container, str_of(resource));

	return request.known && limit.known && !request.set && !limit.set &&
	       !amounts_find(&workload->pod->requests, str_of(resource)) &&
	       !amounts_find(&workload->pod->limits, str_of(resource));
}

/* "container app has neither request nor limit for cpu", or empty. */
static str nothing_text(const struct judge *judge, const struct workload *workload,
                        const struct container *container)
{
	bool cpu = asks_nothing(judge, workload, container, "cpu");
	bool memory = asks_nothing(judge, workload, container, "memory");

	if (!cpu && !memory)
		return (str){ 0 };
	return str_format(JUDGE_ARENA(judge), "container %.*s has neither request nor limit for %s",
	                  STR_ARG(container->name.s),
	                  cpu && memory ? "cpu and memory" : cpu ? "cpu" : "memory");
}

/* At resources, or at the container without any. */
static struct finding *emit_resources(const struct judge *judge, enum level level,
                                      const struct workload *workload,
                                      const struct container *container)
{
	if (container->resources)
		return emit_node(judge, level, workload->object, container->resources);
	return emit_at(judge, level, workload->object, container->node, "resources");
}

/* One finding per workload, at the first such container; init containers end and are left out. */
void kl401_request_missing(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		struct finding *finding = NULL;
		struct buf buf = { .arena = JUDGE_ARENA(judge) };
		const struct container *container;

		for (size_t k = 0; (container = pod_running(workload->pod, k)); k++) {
			str text = nothing_text(judge, workload, container);

			if (!text.n)
				continue;
			buf_printf(&buf, "%s%.*s", buf.n ? "; " : "", STR_ARG(text));
			if (!finding)
				finding = emit_resources(judge, LEVEL_NOTE, workload, container);
		}
		if (!finding)
			continue;
		finding_message(judge->sink, finding, "%.*s: the scheduler counts 0",
		                STR_ARG(buf_str(&buf)));
		finding_help(judge->sink, finding, "set resources.requests from the observed use");
	}
}

/* A missing cpu limit is no fault, so only memory is looked at. */
void kl402_memory_limit_missing(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct limit_range *range = range_of(judge, workload);
		struct strs names = { 0 };
		struct finding *finding = NULL;
		const struct container *container;

		if (amounts_find(&workload->pod->limits, STR("memory")))
			continue;
		for (size_t k = 0; (container = pod_running(workload->pod, k)); k++) {
			struct effective_amount limit = container_limit(range, container,
			                                                STR("memory"));

			if (limit.set || !limit.known)
				continue;
			*VEC_PUSH(JUDGE_ARENA(judge), &names) = container->name.s;
			if (!finding)
				finding = emit_resources(judge, LEVEL_NOTE, workload, container);
		}
		if (!finding)
			continue;
		finding_message(judge->sink, finding,
		                "no memory limit on container %.*s: it may take all memory of its "
		                "node", STR_ARG(list_text(JUDGE_ARENA(judge), &names, 5)));
		finding_help(judge->sink, finding, "set resources.limits.memory");
	}
}

/* ---- KL407 ----------------------------------------------------------------------------- */

/* "10 times", "2.5 times", of a percentage. */
static str times_text(struct arena *arena, int32_t percent)
{
	if (percent % 100 == 0)
		return str_format(arena, "%d times", percent / 100);
	return str_format(arena, "%d.%02d times", percent / 100, percent % 100);
}

/* A limit of the LimitRange is the namespace's choice, not this container's. */
static void check_ratio(const struct judge *judge, const struct workload *workload,
                        const struct container *container, const char *resource,
                        int32_t most_percent)
{
	str name = str_of(resource);
	const struct limit_range *range = range_of(judge, workload);
	struct effective_amount request = container_request(range, container, name);
	struct effective_amount limit = container_limit(range, container, name);
	struct arena *arena = JUDGE_ARENA(judge);
	struct finding *finding;

	if (!request.set || !request.known || !limit.set || !limit.known || request.amount <= 0 ||
	    !amounts_find(&container->limits, name) || most_percent <= 0 ||
	    int64_mul_saturated(limit.amount, 100) <=
	            int64_mul_saturated(request.amount, most_percent))
		return;
	finding = emit_node(judge, LEVEL_NOTE, workload->object, limit.node);
	finding_message(judge->sink, finding,
	                "the %s limit of container %.*s, %.*s, is more than %.*s its request of "
	                "%.*s", resource, STR_ARG(container->name.s),
	                STR_ARG(amount_text(arena, name, limit.amount)),
	                STR_ARG(times_text(arena, most_percent)),
	                STR_ARG(amount_text(arena, name, request.amount)));
	finding_help(judge->sink, finding, "request %.*s or more, or lower the limit",
	             STR_ARG(amount_text(arena, name, int64_mul_saturated(limit.amount, 100) /
	                                                      most_percent)));
}

/* A request that the limit stands in for has a ratio of 1. */
void kl407_limit_request_ratio(const struct judge *judge)
{
	const struct settings *settings = judge->scope->settings;

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct container *container;

		for (size_t k = 0; (container = pod_running(workload->pod, k)); k++) {
			check_ratio(judge, workload, container, "cpu", settings->cpu_limit_percent);
			check_ratio(judge, workload, container, "memory",
			            settings->memory_limit_percent);
		}
	}
}

/* ---- KL412, KL413 ---------------------------------------------------------------------- */

/* A LimitRange may complete the pod, so a namespace with one is silent. */
void kl412_qos_mixed(const struct judge *judge)
{
	static const char *const names[] = { "Guaranteed", "Burstable", "BestEffort" };

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		enum qos_class qos = pod_qos(workload->pod);
		struct finding *finding;

		if (!workload->critical || qos == QOS_GUARANTEED ||
		    workload->pod->spec->unknown || range_of(judge, workload))
			continue;
		finding = emit_node(judge, LEVEL_NOTE, workload->object, workload->pod->spec);
		finding_message(judge->sink, finding,
		                "a critical workload of QoS class %s is evicted before others that "
		                "are Guaranteed", names[qos]);
		finding_help(judge->sink, finding,
		             "set cpu and memory limits equal to the requests on every container");
	}
}

/* In the units of effective_amount; false when it is no quantity or not known. */
static bool known_amount(const struct amount *amount, int64_t *ret_amount)
{
	if (!amount->valid || amount->node->unknown)
		return false;
	return str_is(amount->resource, "cpu")
	               ? quantity_milli_ceil(&amount->quantity, ret_amount)
	               : quantity_value_ceil(&amount->quantity, ret_amount);
}

/* A pod-level request below the sum of the running containers' own ones. */
static void check_pod_request(const struct judge *judge, const struct workload *workload,
                              const struct amount *pod_amount)
{
	struct arena *arena = JUDGE_ARENA(judge);
	int64_t own, one, sum = 0;
	const struct container *container;
	struct finding *finding;

	if (!known_amount(pod_amount, &own))
		return;
	for (size_t i = 0; (container = pod_running(workload->pod, i)); i++) {
		const struct amount *amount = amounts_find(&container->requests,
		                                           pod_amount->resource);

		if (amount && known_amount(amount, &one))
			sum = int64_add_saturated(sum, one);
	}
	if (sum <= own)
		return;
	finding = emit_node(judge, LEVEL_ERROR, workload->object, pod_amount->node);
	finding_message(judge->sink, finding,
	                "the pod requests %.*s %.*s and its containers together %.*s",
	                STR_ARG(amount_text(arena, pod_amount->resource, own)),
	                STR_ARG(pod_amount->resource),
	                STR_ARG(amount_text(arena, pod_amount->resource, sum)));
	finding_help(judge->sink, finding, "request %.*s or more for the pod",
	             STR_ARG(amount_text(arena, pod_amount->resource, sum)));
}

/* A container limit above the pod's. */
static void check_pod_limit(const struct judge *judge, const struct workload *workload,
                            const struct amount *pod_amount)
{
	struct arena *arena = JUDGE_ARENA(judge);
	int64_t own, one;
	const struct container *container;

	for (size_t i = 0; (container = pod_container(workload->pod, i)); i++) {
		const struct amount *amount = amounts_find(&container->limits,
		                                           pod_amount->resource);
		struct finding *finding;

		if (!amount || !known_amount(amount, &one) || !known_amount(pod_amount, &own) ||
		    one <= own)
			continue;
		finding = emit_node(judge, LEVEL_ERROR, workload->object, amount->node);
		finding_message(judge->sink, finding,
		                "container %.*s has a %.*s limit of %.*s, above the pod's %.*s",
		                STR_ARG(container->name.s), STR_ARG(pod_amount->resource),
		                STR_ARG(amount_text(arena, pod_amount->resource, one)),
		                STR_ARG(amount_text(arena, pod_amount->resource, own)));
		finding_help(judge->sink, finding, "lower it, or raise the pod's limit");
		relate_object(judge, finding, workload->object, pod_amount->node, "the pod's limit");
	}
}

/* The gate PodLevelResources: on by default from 1.34, by option from 1.32. */
static bool pod_level_is_served(const struct settings *settings)
{
	const struct version alpha = { 1, 32, -1 }, beta = { 1, 34, -1 };

	if (!settings->kubernetes_declared || version_cmp(settings->kubernetes, beta) >= 0)
		return true;
	for (size_t i = 0; i < settings->feature_gates.n; i++)
		if (str_is(settings->feature_gates.v[i], "PodLevelResources"))
			return version_cmp(settings->kubernetes, alpha) >= 0;
	return false;
}

/* From 1.34 they are served and must agree with the containers'; before, they are not there. */
static void check_pod_level(const struct judge *judge, const struct workload *workload,
                            const struct node *resources)
{
	const struct settings *settings = judge->scope->settings;
	struct finding *finding;

	if (pod_level_is_served(settings)) {
		for (size_t i = 0; i < workload->pod->requests.n; i++)
			check_pod_request(judge, workload, &workload->pod->requests.v[i]);
		for (size_t i = 0; i < workload->pod->limits.n; i++)
			check_pod_limit(judge, workload, &workload->pod->limits.v[i]);
		return;
	}
	finding = emit_node(judge, LEVEL_ERROR, workload->object, resources);
	finding_message(judge->sink, finding,
	                "pod-level resources are on by default from 1.34: Kubernetes %d.%d drops or "
	                "refuses them", settings->kubernetes.major,
	                settings->kubernetes.minor);
	finding_help(judge->sink, finding, "set the resources of each container");
}

/* Upstream: validatePodResources; the sum of running containers is a lower bound of what the
 * API server adds up, so the error is sound. */
void kl413_pod_level_resources(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct node *resources = node_get(workload->pod->spec, "resources");

		if (node_is_map(resources) && !resources->unknown)
			check_pod_level(judge, workload, resources);
	}
}

/* ---- KL403 ----------------------------------------------------------------------------- */

/* The limits that stand in for a request, as text: "cpu 300m, memory 400Mi"; block: as lines of
 * a requests map. */
static str lone_limits(struct arena *arena, const struct container *container, const char *format,
                       const char *between)
{
	struct buf buf = { .arena = arena };

	for (size_t i = 0; i < COUNT_OF(compute_resources); i++) {
		str resource = str_of(compute_resources[i]);
		const struct amount *limit = amounts_find(&container->limits, resource);

		if (!limit || amounts_find(&container->requests, resource))
			continue;
		if (buf.n)
			buf_add(&buf, str_of(between));
		buf_printf(&buf, format, STR_ARG(resource), STR_ARG(node_text(limit->node)));
	}
	return buf_str(&buf);
}

/* A template or patch may still put something into it. */
static bool is_map_open(const struct node *node)
{
	return node && node->unknown;
}

/* Writes the requests out in front of the limits, in the style of the text. */
static void fix_requests(const struct judge *judge, struct finding *finding,
                         const struct workload *workload, const struct container *container)
{
	const struct node *limits = container->limits.node;
	struct arena *arena = JUDGE_ARENA(judge);
	struct position at;
	str text;

	if (container->requests.node || limits->aliased || limits->merged ||
	    !limits->key_span.file)
		return;
	at = source_position(workload->object->tree->source, limits->key_span.begin);
	text = str_format(arena, "requests: {%.*s}",
	                  STR_ARG(lone_limits(arena, container, "%.*s: %.*s", ", ")));
	text = limits->parent->flow
		? str_format(arena, "%.*s, ", STR_ARG(text))
		: str_format(arena, "%.*s\n%*s", STR_ARG(text), (int)at.column - 1, "");
	finding_fix(judge->sink, finding, true, "write the requests out",
	            (struct edit){ { limits->key_span.file, limits->key_span.begin,
	                             limits->key_span.begin }, text });
}

/* The API server copies limits on creation: the template itself stays as written. */
static void check_lone_limits(const struct judge *judge, const struct workload *workload,
                              const struct container *container)
{
	str lone = lone_limits(JUDGE_ARENA(judge), container, "%.*s %.*s", ", ");
	struct finding *finding;

	if (!lone.n || is_map_open(container->node) || is_map_open(container->resources) ||
	    is_map_open(container->requests.node) || is_map_open(container->limits.node))
		return;
	finding = emit_node(judge, LEVEL_NOTE, workload->object, container->limits.node);
	finding_message(judge->sink, finding,
	                "container %.*s has limits without requests: it requests all of %.*s, and "
	                "nothing is left above that", STR_ARG(container->name.s), STR_ARG(lone));
	finding_help(judge->sink, finding, "write the requests out");
	fix_requests(judge, finding, workload, container);
}

/* cpu and memory only: extended resources must be equal anyway. */
void kl403_limit_without_request(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct container *container;

		for (size_t k = 0; (container = pod_container(workload->pod, k)); k++)
			check_lone_limits(judge, workload, container);
	}
}

/* ---- KL404 ----------------------------------------------------------------------------- */

#define MEBIBYTE (INT64_C(1) << 20)

/* peak x (1 + headroom), rounded up to whole mebibytes. */
static int64_t with_headroom(int64_t peak, int32_t percent)
{
	int64_t need = int64_mul_saturated(peak, 100 + percent) / 100;

	return need / MEBIBYTE * MEBIBYTE + (need % MEBIBYTE ? MEBIBYTE : 0);
}

/* Against the limit after the LimitRange's defaults, since that one kills. */
static void say_headroom(const struct judge *judge, const struct workload *workload,
                         const struct container *container, const struct amount *usage,
                         int64_t peak)
{
	struct arena *arena = JUDGE_ARENA(judge);
	int32_t percent = judge->scope->settings->usage_headroom_percent;
	const struct limit_range *range = range_of(judge, workload);
	struct effective_amount limit = container_limit(range, container, STR("memory"));
	int64_t need = with_headroom(peak, percent);
	str wanted = amount_text(arena, STR("memory"), need);
	struct finding *finding;

	if (!limit.set || !limit.known || need <= limit.amount)
		return;
	finding = emit_node(judge, LEVEL_WARNING, workload->object, limit.node);
	finding_message(judge->sink, finding,
	                "container %.*s peaks at %.*s and its memory limit is %.*s: with %d %% "
	                "headroom it needs %.*s", STR_ARG(container->name.s),
	                STR_ARG(amount_text(arena, STR("memory"), peak)),
	                STR_ARG(amount_text(arena, STR("memory"), limit.amount)), percent,
	                STR_ARG(wanted));
	finding_help(judge->sink, finding, "set the memory limit to %.*s", STR_ARG(wanted));
	if (node_place(usage->node).file)
		finding_relate(judge->sink, finding, node_place(usage->node), "the observed peak");
	if (amounts_find(&container->limits, STR("memory")))
		emit_fix(judge, finding, false, limit.node, wanted, "raise the memory limit");
}

/* A text that is no quantity, or 0, is no observation. */
static void check_peak(const struct judge *judge, const struct workload *workload,
                       const struct container *container, const struct amount *usage)
{
	int64_t peak;

	if (usage->node && usage->valid && quantity_sign(&usage->quantity) > 0 &&
	    quantity_value_ceil(&usage->quantity, &peak))
		say_headroom(judge, workload, container, usage, peak);
}

/* Containers that no annotation and no usage file speaks of: the VPA's target counts as the peak. */
static void check_vpa(const struct judge *judge, const struct object *vpa)
{
	const struct workload *workload = vpa_target(judge->scope, vpa);
	const struct container *container;

	for (size_t i = 0; workload && (container = pod_container(workload->pod, i)); i++) {
		struct amount target = vpa_recommendation(vpa, container->name.s, STR("memory"));

		if (!scope_usage(judge->scope, workload, container->name.s, STR("memory")).node)
			check_peak(judge, workload, container, &target);
	}
}

/* Annotations first, then usage files; a VerticalPodAutoscaler only where they are silent. */
void kl404_limit_no_headroom(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct container *container;

		for (size_t k = 0; (container = pod_container(workload->pod, k)); k++) {
			struct amount usage = scope_usage(judge->scope, workload,
			                                  container->name.s, STR("memory"));

			check_peak(judge, workload, container, &usage);
		}
	}
	for (size_t i = 0; i < judge->scope->objects.n; i++)
		if (judge->scope->objects.v[i]->class == OBJECT_VPA)
			check_vpa(judge, judge->scope->objects.v[i]);
}

/* KL2, third part: bounds, targets and pace of a scaler (rules.md, KL212-KL222). */
#include "ask.h"
#include "edits.h"

/* Of the target, which lies in the scaler's namespace. */
static const struct limit_range *target_range(const struct judge *judge,
                                              const struct scaler *scaler)
{
	return scope_limit_range(judge->scope, scaler->namespace);
}

/* What metrics.k8s.io serves and a VPA writes. */
static bool is_compute(str resource)
{
	return str_is(resource, "cpu") || str_is(resource, "memory");
}

/* A Utilization target on cpu or memory, of the pod or of one container. */
static bool is_utilization(const struct hpa_metric *metric)
{
	return metric->target == TARGET_UTILIZATION && is_compute(metric->name.s) &&
	       (metric->kind == METRIC_RESOURCE || metric->kind == METRIC_CONTAINER_RESOURCE);
}

/* ---- KL212 ----------------------------------------------------------------------------- */

/* At the mode that lets the VPA write, or where its default is meant. */
static void say_vpa(const struct judge *judge, const struct object *vpa,
                    const struct scaler *scaler, const struct hpa_metric *metric)
{
	str resource = metric ? metric->name.s : STR("cpu");
	const struct node *mode = node_at(vpa->root, "spec.updatePolicy.updateMode");
	const struct node *spec = node_get(vpa->root, "spec");
	struct finding *finding = mode ? emit_node(judge, LEVEL_WARNING, vpa, mode)
	                               : emit_at(judge, LEVEL_WARNING, vpa, spec, "updatePolicy");

	finding_message(judge->sink, finding,
	                "the VPA in mode %.*s sets the %.*s request of %.*s, and HPA %.*s scales on "
	                "%.*s Utilization: both chase each other", STR_ARG(vpa_mode(vpa)),
	                STR_ARG(resource), STR_ARG(scaler->target->text),
	                STR_ARG(scaler->object->name.s), STR_ARG(resource));
	finding_help(judge->sink, finding,
	             "leave %.*s out of controlledResources, or use AverageValue in the HPA",
	             STR_ARG(resource));
	relate_object(judge, finding, scaler->object, metric ? metric->node : NULL, "the metric");
}

/* The first metric that they share is enough. */
static void check_vpa(const struct judge *judge, const struct object *vpa,
                      const struct workload *workload)
{
	const struct scaler *scaler = workload->scaler;
	const struct hpa *hpa = scaler ? scaler->hpa : NULL;

	if (!hpa)
		return;
	for (size_t i = 0; i < hpa->metrics.n; i++) {
		const struct hpa_metric *metric = &hpa->metrics.v[i];
		str container = metric->kind == METRIC_CONTAINER_RESOURCE ? metric->container.s
		                                                          : (str){ 0 };

		if (is_utilization(metric) &&
		    vpa_controls(vpa, workload, container, metric->name.s)) {
			say_vpa(judge, vpa, scaler, metric);
			return;
		}
	}
	if (!hpa->metrics.n && vpa_controls(vpa, workload, (str){ 0 }, STR("cpu")))
		say_vpa(judge, vpa, scaler, NULL);
}

/* Initial writes requests too, when pods are made: only Off does not. */
void kl212_hpa_vpa_conflict(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->objects.n; i++) {
		const struct object *vpa = judge->scope->objects.v[i];
		const struct workload *workload;
		str mode;

		if (vpa->class != OBJECT_VPA)
			continue;
		workload = vpa_target(judge->scope, vpa);
		mode = vpa_mode(vpa);
		if (workload && mode.n && !str_is(mode, "Off"))
			check_vpa(judge, vpa, workload);
	}
}

/* ---- KL213, KL215 ---------------------------------------------------------------------- */

/* One Utilization metric of an HPA and the cap that the limits put on it. */
struct capped_metric {
	const struct scaler *scaler;
	const struct hpa_metric *metric;
	struct utilization_cap cap;
};

/* Calls check for each metric whose use is capped. */
static void each_capped(const struct judge *judge,
                        void (*check)(const struct judge *, const struct capped_metric *))
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];

		if (!scaler->hpa || !scaler->target || scaler->target->pod->spec->unknown)
			continue;
		for (size_t k = 0; k < scaler->hpa->metrics.n; k++) {
			const struct hpa_metric *metric = &scaler->hpa->metrics.v[k];
			bool one = metric->kind == METRIC_CONTAINER_RESOURCE;
			struct capped_metric capped = { .scaler = scaler, .metric = metric };

			if (!is_utilization(metric) || !node_known(metric->utilization.node))
				continue;
			capped.cap = pod_utilization_cap(target_range(judge, scaler),
			                                 scaler->target->pod,
			                                 one ? metric->container.s : (str){ 0 },
			                                 metric->name.s);
			if (capped.cap.capped)
				check(judge, &capped);
		}
	}
}

/* "limits 500m of requests 500m cap the cpu use at 100 %". */
static str cap_text(struct arena *arena, const struct capped_metric *capped)
{
	str resource = capped->metric->name.s;

	return str_format(arena, "limits of %.*s over requests of %.*s cap the %.*s use at %lld %%",
	                  STR_ARG(amount_text(arena, resource, capped->cap.limits)),
	                  STR_ARG(amount_text(arena, resource, capped->cap.requests)),
	                  STR_ARG(resource), (long long)capped->cap.percent);
}

/* cpu is throttled at the limit: the value is never passed, E. Memory kills there first: W. */
static void check_reachable(const struct judge *judge, const struct capped_metric *capped)
{
	const struct hpa_metric *metric = capped->metric;
	bool cpu = str_is(metric->name.s, "cpu");
	struct finding *finding;

	if (capped->cap.percent > metric->utilization.value)
		return;
	finding = emit_node(judge, cpu ? LEVEL_ERROR : LEVEL_WARNING, capped->scaler->object,
	                    metric->utilization.node);
	finding_message(judge->sink, finding, "%.*s: the target of %lld %% is never passed",
	                STR_ARG(cap_text(JUDGE_ARENA(judge), capped)),
	                (long long)metric->utilization.value);
	finding_help(judge->sink, finding, "set a target of %lld or less, or raise the limits",
	             (long long)(capped->cap.percent * 100 / 111));
	relate_object(judge, finding, capped->scaler->target->object, capped->cap.node,
	              "the limit");
}

/* A container without limit has no cap, so nothing is claimed then. */
void kl213_hpa_target_unreachable(const struct judge *judge)
{
	each_capped(judge, check_reachable);
}

/* behavior.scaleUp.tolerance in thousandths, 100 when absent; -1 when it is not known. */
static int64_t tolerance_of(const struct hpa *hpa)
{
	const struct amount *amount = &hpa->scale_up.tolerance;
	int64_t milli;

	if (!amount->node)
		return 100;
	if (!amount->valid || amount->node->unknown ||
	    !quantity_milli_ceil(&amount->quantity, &milli))
		return -1;
	return milli;
}

/* Below the target is KL213's; here the cap lies between target and target plus tolerance. */
static void check_deadband(const struct judge *judge, const struct capped_metric *capped)
{
	const struct hpa_metric *metric = capped->metric;
	int64_t tolerance = tolerance_of(capped->scaler->hpa), target = metric->utilization.value;
	bool cpu = str_is(metric->name.s, "cpu");
	struct finding *finding;

	if (tolerance < 0 || target <= 0 || capped->cap.percent <= target ||
	    int64_mul_saturated(capped->cap.percent, 1000) >
	            int64_mul_saturated(target, 1000 + tolerance))
		return;
	finding = emit_node(judge, cpu ? LEVEL_WARNING : LEVEL_NOTE, capped->scaler->object,
	                    metric->utilization.node);
	finding_message(judge->sink, finding,
	                "%.*s: that passes the target of %lld %% by no more than the tolerance of "
	                "%lld %%, so it never scales up",
	                STR_ARG(cap_text(JUDGE_ARENA(judge), capped)), (long long)target,
	                (long long)(tolerance / 10));
	finding_help(judge->sink, finding, "set a target below %lld, or raise the limits",
	             (long long)(capped->cap.percent * 1000 / (1000 + tolerance)));
	relate_object(judge, finding, capped->scaler->target->object, capped->cap.node,
	              "the limit");
}

/* Upstream: the controller leaves the scale alone while |1 - ratio| <= tolerance. */
void kl215_hpa_tolerance_deadband(const struct judge *judge)
{
	each_capped(judge, check_deadband);
}

/* ---- KL214, KL222 ---------------------------------------------------------------------- */

#define DAY_SECONDS 86400

/* From the least size at which it can grow to its maximum. */
static void say_slow(const struct judge *judge, const struct scaler *scaler, int64_t seconds)
{
	const struct scaling_rules *rules = &scaler->hpa->scale_up;
	const struct node *node = rules->policies.node ? rules->policies.node : rules->node;
	int64_t from = scaler->min.value > 0 ? scaler->min.value : 1;
	struct finding *finding = emit_node(judge, LEVEL_NOTE, scaler->object, node);

	finding_message(judge->sink, finding,
	                "scaling up from %lld to %lld replicas takes %s%lld minutes by these "
	                "policies", (long long)from, (long long)scaler->max.value,
	                seconds >= DAY_SECONDS ? "more than " : "", (long long)(seconds / 60));
	finding_help(judge->sink, finding, "use a policy in percent, or a larger one");
}

/* Without behavior.scaleUp the defaults double every 15 s: never slow. */
void kl214_hpa_scaleup_blocked(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];
		int64_t from, seconds;
		struct finding *finding;

		if (!scaler->hpa || !scaler->hpa->scale_up.node || !scaler->min.known ||
		    !scaler->max.known || scaler->min.value >= scaler->max.value)
			continue;
		from = scaler->min.value > 0 ? scaler->min.value : 1;
		seconds = hpa_scale_up_seconds(scaler->hpa, from, scaler->max.value, DAY_SECONDS);
		if (seconds > judge->scope->settings->scale_up_seconds)
			say_slow(judge, scaler, seconds);
		if (seconds != -1)
			continue;
		finding = emit_node(judge, LEVEL_WARNING, scaler->object,
		                    scaler->hpa->scale_up.select_policy.node);
		finding_message(judge->sink, finding,
		                "scaling up is disabled: the workload stays at %lld of at most %lld "
		                "replicas under any load", (long long)from,
		                (long long)scaler->max.value);
		finding_help(judge->sink, finding, "remove selectPolicy");
	}
}

/* Only a written 0: the default is 300 s. A maximum of 1 is a switch, which may act at once. */
void kl222_hpa_no_stabilization(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];
		const struct number *window = scaler->hpa
			? &scaler->hpa->scale_down.stabilization_seconds : NULL;
		struct finding *finding;
		int64_t drop;

		if (!window || !node_known(window->node) || window->value != 0 ||
		    !scaler->min.known || !scaler->max.known || scaler->max.value < 2)
			continue;
		drop = hpa_scale_down_drop(scaler->hpa, scaler->min.value, scaler->max.value);
		if (int64_mul_saturated(drop, 100) <=
		    int64_mul_saturated(scaler->max.value,
		                        judge->scope->settings->scale_down_drop_percent))
			continue;
		finding = emit_node(judge, LEVEL_WARNING, scaler->object, window->node);
		finding_message(judge->sink, finding,
		                "a window of 0 s switches the damping off, and the policies let %lld "
		                "of %lld replicas go within 60 s", (long long)drop,
		                (long long)scaler->max.value);
		finding_help(judge->sink, finding,
		             "leave the window at its default of 300 s, or slow the policies down");
	}
}

/* ---- KL216 ----------------------------------------------------------------------------- */

/* A metric that is a template may be one. */
static bool has_outside_metric(const struct hpa *hpa)
{
	for (size_t i = 0; i < hpa->metrics.n; i++)
		if (hpa->metrics.v[i].kind == METRIC_OBJECT ||
		    hpa->metrics.v[i].kind == METRIC_EXTERNAL ||
		    hpa->metrics.v[i].node->unknown)
			return true;
	return false;
}

/* Both are refused by the API server, each for its own reason. */
static void check_hpa_zero(const struct judge *judge, const struct scaler *scaler)
{
	const struct settings *settings = judge->scope->settings;
	const struct node *node = scaler->hpa->min_replicas.node;
	bool gate = kube_gate_is_on(&settings->feature_gates, "HPAScaleToZero",
	                            settings->kubernetes);
	struct finding *finding;

	if (!node_known(node) || scaler->hpa->min_replicas.value != 0 ||
	    (gate && has_outside_metric(scaler->hpa)))
		return;
	finding = emit_node(judge, LEVEL_ERROR, scaler->object, node);
	if (gate)
		finding_message(judge->sink, finding,
		                "minReplicas 0 needs an Object or External metric: no other one "
		                "exists without pods");
	else
		finding_message(judge->sink, finding,
		                "minReplicas 0 needs the feature gate HPAScaleToZero, which is off "
		                "on Kubernetes %d.%d", settings->kubernetes.major,
		                settings->kubernetes.minor);
	finding_help(judge->sink, finding, "set minReplicas to 1 or more");
}

/* Are all triggers cpu or memory? false without any, or when one is not known. */
static bool only_compute_triggers(const struct object *object)
{
	const struct node *triggers = node_at(object->root, "spec.triggers");

	if (!node_is_list(triggers) || triggers->unknown || !triggers->child_count)
		return false;
	for (uint32_t i = 0; i < triggers->child_count; i++)
		if (!is_compute(node_text(node_get(&triggers->children[i], "type"))))
			return false;
	return true;
}

/* Absent means 0. */
static void check_keda_zero(const struct judge *judge, const struct scaler *scaler)
{
	const struct node *spec = node_get(scaler->object->root, "spec");
	const struct node *node = node_get(spec, "minReplicaCount");
	struct finding *finding;

	if (!scaler->min.known || scaler->min.value != 0 || spec->unknown ||
	    !only_compute_triggers(scaler->object))
		return;
	finding = node ? emit_node(judge, LEVEL_ERROR, scaler->object, node)
	               : emit_at(judge, LEVEL_ERROR, scaler->object, spec, "minReplicaCount");
	finding_message(judge->sink, finding,
	                "minReplicaCount is 0%s and all triggers are cpu or memory: KEDA refuses "
	                "it, since nothing is measured without pods",
	                node ? "" : " by default");
	finding_help(judge->sink, finding, "set minReplicaCount: 1, or add another trigger");
}

/* At zero pods nothing is measured, so nothing would wake the workload. */
void kl216_scale_to_zero_unsupported(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];

		if (scaler->hpa)
			check_hpa_zero(judge, scaler);
		else
			check_keda_zero(judge, scaler);
	}
}

/* ---- KL218 ----------------------------------------------------------------------------- */

/* The one metric of the HPA when it is memory, else NULL. */
static const struct hpa_metric *only_memory(const struct hpa *hpa)
{
	const struct hpa_metric *metric = hpa->metrics.n == 1 ? &hpa->metrics.v[0] : NULL;
	bool resource = metric && (metric->kind == METRIC_RESOURCE ||
	                           metric->kind == METRIC_CONTAINER_RESOURCE);

	return resource && str_is(metric->name.s, "memory") && !metric->node->unknown ? metric
	                                                                              : NULL;
}

/* A container that the metric sees and that keeps its heap, or NULL. */
static const struct container *keeps_memory(const struct pod_template *pod,
                                            const struct hpa_metric *metric)
{
	const struct container *container;

	for (size_t i = 0; (container = pod_running(pod, i)); i++) {
		enum runtime runtime = container_runtime(container);

		if (metric->kind == METRIC_CONTAINER_RESOURCE &&
		    !str_eq(metric->container.s, container->name.s))
			continue;
		if (runtime == RUNTIME_JVM || runtime == RUNTIME_NODE)
			return container;
	}
	return NULL;
}

/* The controller takes the largest proposal, so memory holds the size beside other metrics too; but
 * then the author has a reason to watch it: silent. */
void kl218_memory_hpa_no_release(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];
		const struct hpa_metric *metric = scaler->hpa ? only_memory(scaler->hpa) : NULL;
		const struct container *container;
		struct finding *finding;

		if (!metric || !scaler->target)
			continue;
		container = keeps_memory(scaler->target->pod, metric);
		if (!container)
			continue;
		finding = emit_item(judge, LEVEL_NOTE, scaler->object, metric->node, "type");
		finding_message(judge->sink, finding,
		                "memory is the only metric, and container %.*s runs on the %s, which "
		                "keeps what it once took: it scales up and not down",
		                STR_ARG(container->name.s),
		                runtime_name(container_runtime(container)));
		finding_help(judge->sink, finding, "scale on cpu or on a metric of the load");
		relate_object(judge, finding, scaler->target->object, container->name.node,
		              "the container");
	}
}

/* ---- KL219 ----------------------------------------------------------------------------- */

/* false for a template or a text. */
static bool count_at(const struct node *spec, const char *field, int64_t absent,
                     int64_t *ret_count)
{
	const struct node *node = node_get(spec, field);

	*ret_count = absent;
	return node_is_null(node) || (node_known(node) && node_int(node, ret_count));
}

/* Upstream: ScaledObject webhook, verifyReplicaCount. */
static void check_keda_counts(const struct judge *judge, const struct object *object)
{
	const struct node *spec = node_get(object->root, "spec");
	const struct node *idle = node_get(spec, "idleReplicaCount");
	int64_t min, max, idle_count;
	struct finding *finding;

	if (!count_at(spec, "minReplicaCount", 0, &min) ||
	    !count_at(spec, "maxReplicaCount", 100, &max) ||
	    !count_at(spec, "idleReplicaCount", 0, &idle_count))
		return;
	if (!node_is_null(idle) && idle_count >= min) {
		finding = emit_node(judge, LEVEL_ERROR, object, idle);
		finding_message(judge->sink, finding,
		                "idleReplicaCount %lld is not below minReplicaCount %lld: KEDA "
		                "refuses it", (long long)idle_count, (long long)min);
		finding_help(judge->sink, finding, "KEDA supports idleReplicaCount 0 only");
	}
	if (min > max) {
		finding = emit_node(judge, LEVEL_ERROR, object, node_get(spec, "minReplicaCount"));
		finding_message(judge->sink, finding,
		                "minReplicaCount %lld is above maxReplicaCount %lld%s: KEDA refuses "
		                "it", (long long)min, (long long)max,
		                node_is_null(node_get(spec, "maxReplicaCount")) ? " (the default)"
		                                                                : "");
		finding_help(judge->sink, finding, "set maxReplicaCount to %lld or more",
		             (long long)min);
	}
}

/* Upstream: ScaledObject webhook, verifyTriggers. Triggers without a name get one. */
static void check_keda_names(const struct judge *judge, const struct object *object)
{
	const struct node *triggers = node_at(object->root, "spec.triggers");
	struct arena *arena = arena_new();
	struct map *names = map_new(arena);

	for (uint32_t i = 0; node_is_list(triggers) && i < triggers->child_count; i++) {
		struct node *trigger = &triggers->children[i];
		const struct node *name = node_get(trigger, "name");
		const struct node *first = NULL;
		struct finding *finding;

		if (!node_known(name) || !node_text(name).n)
			continue;
		first = map_put(names, node_text(name), trigger);
		if (!first)
			continue;
		finding = emit_node(judge, LEVEL_ERROR, object, name);
		finding_message(judge->sink, finding,
		                "two triggers are named %.*s: KEDA refuses it",
		                STR_ARG(node_text(name)));
		finding_help(judge->sink, finding, "give each trigger a name of its own");
		finding_relate(judge->sink, finding, node_place(node_get(first, "name")),
		               "the first one");
	}
	arena_free(arena);
}

/* Does the trigger scale on utilization (the default of metricType for cpu and memory)? */
static bool trigger_is_utilization(const struct node *trigger)
{
	str type = node_text(node_get(trigger, "metricType"));
	str old = node_text(node_at(trigger, "metadata.type"));

	return is_compute(node_text(node_get(trigger, "type"))) && !trigger->unknown &&
	       (str_is(type, "Utilization") || (!type.n && (!old.n || str_is(old, "Utilization"))));
}

/* A container whose resources may still be patched says nothing. */
static void say_keda_request(const struct judge *judge, const struct scaler *scaler,
                             const struct node *trigger, const struct container *container)
{
	str resource = node_text(node_get(trigger, "type"));
	struct effective_amount request = container_request(target_range(judge, scaler),
	                                                    container, resource);
	struct finding *finding;

	if (!request.known || (request.set && request.amount > 0))
		return;
	finding = emit_node(judge, LEVEL_ERROR, scaler->object, node_get(trigger, "type"));
	finding_message(judge->sink, finding,
	                "the %.*s trigger needs a request, and container %.*s of %.*s has none: "
	                "KEDA refuses it", STR_ARG(resource), STR_ARG(container->name.s),
	                STR_ARG(scaler->target->text));
	finding_help(judge->sink, finding, "set resources.requests.%.*s there", STR_ARG(resource));
	relate_object(judge, finding, scaler->target->object, container->name.node,
	              "the container");
}

/* Upstream: ScaledObject webhook, verifyCPUMemoryScalers; a limit is enough. */
static void check_keda_requests(const struct judge *judge, const struct scaler *scaler)
{
	const struct node *triggers = node_at(scaler->object->root, "spec.triggers");
	const struct container *container;

	if (!scaler->target || scaler->target->pod->spec->unknown)
		return;
	for (uint32_t i = 0; node_is_list(triggers) && i < triggers->child_count; i++) {
		const struct node *trigger = &triggers->children[i];
		str only = node_text(node_at(trigger, "metadata.containerName"));

		if (!trigger_is_utilization(trigger))
			continue;
		for (size_t k = 0; (container = pod_running(scaler->target->pod, k)); k++)
			if (!only.n || str_eq(only, container->name.s))
				say_keda_request(judge, scaler, trigger, container);
	}
}

/* Each check by itself: the webhook names the first only. */
void kl219_keda_invalid(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];

		if (scaler->kind != SCALER_SCALED_OBJECT)
			continue;
		check_keda_counts(judge, scaler->object);
		check_keda_names(judge, scaler->object);
		check_keda_requests(judge, scaler);
	}
}

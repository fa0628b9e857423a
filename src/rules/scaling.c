/* KL2, first half: scalers and their targets (rules.md, KL2). The behaviour of the scaler itself
 * is in scaling-behavior.c, the metrics APIs are in scaling-metrics.c. */
#include "ask.h"
#include "edits.h"

/* A field of the scaler's scaleTargetRef; the reference itself where the field is absent. */
static const struct node *ref_node(const struct scaler *scaler, const char *field)
{
	const struct node *ref = node_at(scaler->object->root, "spec.scaleTargetRef");
	const struct node *node = field ? node_get(ref, field) : NULL;

	return node ? node : ref;
}

/* Empty where the field is absent. */
static str ref_text(const struct scaler *scaler, const char *field)
{
	const struct node *ref = node_at(scaler->object->root, "spec.scaleTargetRef");

	return node_text(node_get(ref, field));
}

/* A ScaledObject means a Deployment unless it says otherwise. */
static str ref_kind(const struct scaler *scaler)
{
	str kind = ref_text(scaler, "kind");

	return kind.n ? kind : STR("Deployment");
}

/* As written, or what its absence means: the core API for an HPA, apps/v1 for KEDA. */
static str ref_version(const struct scaler *scaler)
{
	str version = ref_text(scaler, "apiVersion");

	if (version.n)
		return version;
	return scaler->hpa ? STR("the core API (no apiVersion)") : STR("apps/v1");
}

/* Of the target, which lies in the scaler's namespace. */
static const struct limit_range *target_range(const struct judge *judge,
                                              const struct scaler *scaler)
{
	return scope_limit_range(judge->scope, scaler->namespace);
}

/* ---- KL201 ----------------------------------------------------------------------------- */

/* What differs, by the state of the target. */
static const struct target_row {
	enum target_state state;
	const char *field;      /* of scaleTargetRef; NULL: the namespace */
	enum level level;
} target_rows[] = {
	{ SCALE_TARGET_OTHER_GROUP, "apiVersion", LEVEL_ERROR },
	{ SCALE_TARGET_OTHER_VERSION, "apiVersion", LEVEL_NOTE },
	{ SCALE_TARGET_OTHER_NAMESPACE, NULL, LEVEL_ERROR },
	{ SCALE_TARGET_NEAR_NAME, "name", LEVEL_ERROR },
	{ SCALE_TARGET_OTHER_KIND, "kind", LEVEL_ERROR },
};

/* field: name, kind or apiVersion. */
static str candidate_value(const struct object *candidate, const char *field)
{
	if (field[0] == 'n')
		return candidate->name.s;
	return field[0] == 'k' ? candidate->kind : candidate->api_version;
}

/* A candidate exists, so what is written cannot be meant: E, but for the version, which the
 * controller does not look at. */
static void say_candidate(const struct judge *judge, const struct scaler *scaler,
                          const struct target_row *row)
{
	const struct object *candidate = scaler->candidate;
	const struct node *node = ref_node(scaler, row->field);
	str kind = ref_kind(scaler), name = ref_text(scaler, "name"), ns, value;
	struct finding *finding = emit_node(judge, row->level, scaler->object, node);

	relate_object(judge, finding, candidate, candidate->name.node, "declared here");
	if (!row->field) {
		ns = object_namespace(judge->scope, candidate);
		finding_message(judge->sink, finding,
		                "no %.*s %.*s in namespace %.*s%s; one exists in namespace %.*s",
		                STR_ARG(kind), STR_ARG(name), STR_ARG(scaler->namespace),
		                scaler->object->namespace.node
		                        ? "" : ", in which a scaler without metadata.namespace lies",
		                STR_ARG(ns));
		finding_help(judge->sink, finding, "set metadata.namespace: %.*s", STR_ARG(ns));
		return;
	}
	value = candidate_value(candidate, row->field);
	finding_message(judge->sink, finding,
	                "scaleTargetRef names %.*s %.*s of %.*s, but namespace %.*s has %.*s %.*s "
	                "of %.*s", STR_ARG(kind), STR_ARG(name), STR_ARG(ref_version(scaler)),
	                STR_ARG(scaler->namespace), STR_ARG(candidate->kind),
	                STR_ARG(candidate->name.s), STR_ARG(candidate->api_version));
	finding_help(judge->sink, finding, "use %s: %.*s", row->field, STR_ARG(value));
	if (node_is_scalar(node))
		emit_fix(judge, finding, false, node, value, "name the declared object");
}

/* A namespace of which this repository holds workloads is probably whole here. */
static bool declares_workload_in(const struct scope *scope, str ns)
{
	for (size_t i = 0; i < scope->workloads.n; i++)
		if (str_eq(scope->workloads.v[i]->namespace, ns))
			return true;
	return false;
}

/* Beside an unreadable file, or with one anywhere, absence is no proof. */
static void say_no_target(const struct judge *judge, const struct scaler *scaler)
{
	const struct scope *scope = judge->scope;
	bool local = declares_workload_in(scope, scaler->namespace);
	enum level level = local ? LEVEL_WARNING : LEVEL_NOTE;
	struct finding *finding;

	if (scope_absence_hidden(scope, scaler->object))
		return;
	if (scope->settings->complete)
		level = scope->incomplete ? LEVEL_WARNING : LEVEL_ERROR;
	finding = emit_node(judge, level, scaler->object, ref_node(scaler, "name"));
	finding_message(judge->sink, finding, "no %.*s %.*s is declared in namespace %.*s%s",
	                STR_ARG(ref_kind(scaler)), STR_ARG(ref_text(scaler, "name")),
	                STR_ARG(scaler->namespace),
	                local ? ", which holds other workloads" : "");
	finding_help(judge->sink, finding,
	             "declare the workload, or correct scaleTargetRef; it may live elsewhere");
}

/* Upstream: the controller maps group and kind, so a wrong version is found all the same. */
void kl201_scale_target_missing(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];

		if (scaler->target_state == SCALE_TARGET_NONE)
			say_no_target(judge, scaler);
		for (size_t k = 0; scaler->candidate && k < COUNT_OF(target_rows); k++)
			if (target_rows[k].state == scaler->target_state)
				say_candidate(judge, scaler, &target_rows[k]);
	}
}

/* ---- KL202 ----------------------------------------------------------------------------- */

/* When it does match, the unknown field alone is said (KL004). */
void kl202_hpa_selector_mismatch(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];
		struct finding *finding;
		struct edit edit;

		if (!scaler->hpa || !scaler->hpa->selector ||
		    scaler_selector_matches(scaler) != ANSWER_NO)
			continue;
		finding = emit_node(judge, LEVEL_ERROR, scaler->object, scaler->hpa->selector);
		finding_message(judge->sink, finding,
		                "a HorizontalPodAutoscaler has no spec.selector, and this one does "
		                "not match the pod labels of %.*s", STR_ARG(scaler->target->text));
		finding_help(judge->sink, finding,
		             "remove it: the pods are found by the selector of the target");
		relate_object(judge, finding, scaler->target->object,
		            scaler->target->pod->labels.node, "labels of the target's pods");
		if (edit_remove(scaler->object, scaler->hpa->selector, &edit))
			finding_fix(judge->sink, finding, true, "remove spec.selector", edit);
	}
}

/* ---- KL203 ----------------------------------------------------------------------------- */

/* Only where the container says nothing for certain; 0 divides as badly as nothing. */
static void say_request(const struct judge *judge, const struct scaler *scaler,
                        const struct container *container, const struct node *metric,
                        const char *resource)
{
	struct effective_amount request = container_request(target_range(judge, scaler),
	                                                    container, str_of(resource));
	const struct object *object = scaler->target->object;
	struct finding *finding;

	if (!request.known || (request.set && request.amount > 0))
		return;
	finding = request.set ? emit_node(judge, LEVEL_ERROR, object, request.node)
	                      : emit_resource(judge, LEVEL_ERROR, object, container,
	                                      "requests", resource);
	finding->partner = scaler->object;
	finding_message(judge->sink, finding,
	                "container %.*s has %s, and HPA %.*s scales on %s Utilization: the "
	                "controller cannot compute it and does not scale",
	                STR_ARG(container->name.s),
	                request.set ? "a request of 0" : "no request and no limit",
	                STR_ARG(scaler->object->name.s), resource);
	finding_help(judge->sink, finding, "set resources.requests.%s on container %.*s",
	             resource, STR_ARG(container->name.s));
	relate_object(judge, finding, scaler->object, metric, "the metric");
}

/* Every container that the metric sees; container empty: all that run. */
static void check_requests(const struct judge *judge, const struct scaler *scaler,
                           const struct node *metric, const char *resource, str only)
{
	const struct pod_template *pod = scaler->target->pod;
	const struct container *container;

	if (pod->spec->unknown || (!only.n && (amounts_find(&pod->requests, str_of(resource)) ||
	                                       amounts_find(&pod->limits, str_of(resource)))))
		return;
	for (size_t i = 0; (container = pod_running(pod, i)); i++)
		if (!only.n || str_eq(only, container->name.s))
			say_request(judge, scaler, container, metric, resource);
}

/* AverageValue and other resources need no request. */
static void check_metric_requests(const struct judge *judge, const struct scaler *scaler,
                                  const struct hpa_metric *metric)
{
	static const char *const resources[] = { "cpu", "memory" };
	bool of_pod = metric->kind == METRIC_RESOURCE;

	if (metric->target != TARGET_UTILIZATION ||
	    (!of_pod && metric->kind != METRIC_CONTAINER_RESOURCE) ||
	    (!of_pod && !metric->container.s.n))
		return;
	for (size_t i = 0; i < COUNT_OF(resources); i++)
		if (str_is(metric->name.s, resources[i]))
			check_requests(judge, scaler, metric->node, resources[i],
			               of_pod ? (str){ 0 } : metric->container.s);
}

/* Upstream: calculatePodRequests, which fails for the whole pod on the first container without.
 * An HPA without metrics is one on cpu at 80 %. */
void kl203_hpa_request_missing(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];
		const struct hpa *hpa = scaler->hpa;

		if (!hpa || !scaler->target)
			continue;
		for (size_t k = 0; k < hpa->metrics.n; k++)
			check_metric_requests(judge, scaler, &hpa->metrics.v[k]);
		if (!hpa->metrics.n && !node_get(scaler->object->root, "spec")->unknown)
			check_requests(judge, scaler, hpa->target.node, "cpu", (str){ 0 });
	}
}

/* ---- KL204, KL205 ---------------------------------------------------------------------- */

/* An init container that ends gives no metrics, so it does not count. */
static const struct container *find_container(const struct pod_template *pod, str name)
{
	const struct container *container;

	for (size_t i = 0; (container = pod_running(pod, i)); i++)
		if (str_eq(container->name.s, name))
			return container;
	return NULL;
}

/* With all names that would do. */
static void say_container(const struct judge *judge, const struct scaler *scaler,
                          const struct hpa_metric *metric)
{
	const struct pod_template *pod = scaler->target->pod;
	struct finding *finding = emit_node(judge, LEVEL_ERROR, scaler->object,
	                                   metric->container.node);
	struct buf names = { .arena = JUDGE_ARENA(judge) };
	const struct container *container;

	finding->value = metric->node;
	for (size_t i = 0; (container = pod_running(pod, i)); i++) {
		buf_printf(&names, "%s%.*s", i ? ", " : "", STR_ARG(container->name.s));
		if (str_one_edit(container->name.s, metric->container.s))
			emit_fix(judge, finding, true, metric->container.node, container->name.s,
			         "name the container");
	}
	finding_message(judge->sink, finding,
	                "the metric reads container %.*s, and the pods of %.*s run %.*s",
	                STR_ARG(metric->container.s), STR_ARG(scaler->target->text),
	                STR_ARG(buf_str(&names)));
	finding_help(judge->sink, finding, "name one of them");
	relate_object(judge, finding, scaler->target->object, pod->containers.v[0].name.node,
	            "the target's containers");
}

/* A patched pod spec may hold further containers: silent. */
void kl204_hpa_container_missing(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];

		if (!scaler->hpa || !scaler->target || scaler->target->pod->spec->unknown ||
		    !scaler->target->pod->containers.n)
			continue;
		for (size_t k = 0; k < scaler->hpa->metrics.n; k++) {
			const struct hpa_metric *metric = &scaler->hpa->metrics.v[k];

			if (metric->kind == METRIC_CONTAINER_RESOURCE &&
			    node_known(metric->container.node) &&
			    !find_container(scaler->target->pod, metric->container.s))
				say_container(judge, scaler, metric);
		}
	}
}

/* The maximum must be written; KEDA's default of 100 is not meant as a bound. */
void kl205_hpa_bounds_useless(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];
		const struct node *spec = node_get(scaler->object->root, "spec");
		const char *field = scaler->hpa ? "maxReplicas" : "maxReplicaCount";
		struct finding *finding;

		if (!scaler->min.known || !scaler->max.known || !node_get(spec, field) ||
		    scaler->min.value != scaler->max.value)
			continue;
		finding = emit_node(judge, LEVEL_NOTE, scaler->object, node_get(spec, field));
		finding_message(judge->sink, finding,
		                "minimum and maximum are both %lld: the scaler can never scale",
		                (long long)scaler->max.value);
		finding_help(judge->sink, finding, "raise %s above %lld", field,
		             (long long)scaler->max.value);
	}
}

/* ---- KL206, KL221 ---------------------------------------------------------------------- */

/* What makes each apply certain to be undone. */
static const char *out_of_bounds(const struct scaler *scaler, int64_t replicas)
{
	if (scaler->min.known && replicas < scaler->min.value)
		return ", below the minimum";
	if (scaler->max.known && replicas > scaler->max.value)
		return ", above the maximum";
	return "";
}

/* N where Argo CD leaves the field alone: then only other ways of applying reset it. */
static void say_replicas(const struct judge *judge, const struct workload *workload,
                         const struct object *argo)
{
	const struct number *replicas = &workload->object->workload->replicas;
	const struct scaler *scaler = workload->scaler;
	struct finding *finding = emit_node(judge, argo ? LEVEL_NOTE : LEVEL_WARNING,
	                                   workload->object, replicas->node);
	struct edit edit;

	finding->partner = scaler->object;
	finding_message(judge->sink, finding,
	                "replicas %lld is set, and %.*s %.*s manages it (%lld to %lld): %s it to "
	                "%lld%s", (long long)replicas->value, STR_ARG(scaler->object->kind),
	                STR_ARG(scaler->object->name.s), (long long)scaler->min.value,
	                (long long)scaler->max.value,
	                argo ? "each apply outside of Argo CD resets" : "each apply resets",
	                (long long)replicas->value, out_of_bounds(scaler, replicas->value));
	finding_help(judge->sink, finding, "leave spec.replicas out of the manifest");
	relate_object(judge, finding, scaler->object, scaler->object->name.node, "the scaler");
	if (edit_remove(workload->object, replicas->node, &edit))
		finding_fix(judge->sink, finding, false, "remove spec.replicas", edit);
}

/* A manifest that says nothing leaves the scale subresource alone. */
void kl206_hpa_replicas_fight(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];

		if (!workload->scaler || workload->daemon_set || workload->job ||
		    !node_known(workload->object->workload->replicas.node) ||
		    !workload->scaler->min.known || !workload->scaler->max.known)
			continue;
		say_replicas(judge, workload, scope_ignores_replicas(judge->scope, workload));
	}
}

/* With minReplicas 0 the controller does scale up again (HPAScaleToZero). */
void kl221_hpa_disabled(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct number *replicas = &workload->object->workload->replicas;
		const struct scaler *scaler = workload->scaler;
		struct finding *finding;

		if (!scaler || !scaler->hpa || !node_known(replicas->node) ||
		    replicas->value != 0 || !scaler->min.known || scaler->min.value == 0)
			continue;
		finding = emit_node(judge, LEVEL_WARNING, workload->object, replicas->node);
		finding->partner = scaler->object;
		finding_message(judge->sink, finding,
		                "replicas 0 switches HPA %.*s off: it waits until somebody else "
		                "raises the number", STR_ARG(scaler->object->name.s));
		finding_help(judge->sink, finding,
		             "leave spec.replicas out, or remove the HPA while the workload is off");
		relate_object(judge, finding, scaler->object, scaler->object->name.node, "the HPA");
	}
}

/* ---- KL207, KL220 ---------------------------------------------------------------------- */

/* Does the ScaledObject take over this HPA on purpose? */
static bool takes_over(const struct scaler *scaled, const struct scaler *hpa)
{
	const struct pair *pair = pairs_find(&scaled->object->annotations,
	                                     STR("scaledobject.keda.sh/transfer-hpa-ownership"));
	str name = node_text(node_at(scaled->object->root,
	                             "spec.advanced.horizontalPodAutoscalerConfig.name"));

	return scaled->kind == SCALER_SCALED_OBJECT && hpa->kind == SCALER_HPA && pair &&
	       str_is(pair->value, "true") && str_eq(name, hpa->object->name.s);
}

/* One object declared twice is KL008's. */
static bool same_object(const struct scaler *a, const struct scaler *b)
{
	return a->kind == b->kind && str_eq(a->namespace, b->namespace) &&
	       str_eq(a->object->name.s, b->object->name.s);
}

/* One finding on each of the two scalers: both stop. */
static void say_duplicate(const struct judge *judge, const struct scaler *scaler,
                          const struct scaler *other, str shared)
{
	struct finding *finding = emit_node(judge, LEVEL_ERROR, scaler->object,
	                                   ref_node(scaler, NULL));

	finding_message(judge->sink, finding,
	                "%.*s is also scaled by %.*s %.*s: the controller stops both",
	                STR_ARG(shared), STR_ARG(other->object->kind),
	                STR_ARG(other->object->name.s));
	finding_help(judge->sink, finding, "keep one scaler with all metrics and both directions");
	relate_object(judge, finding, other->object, ref_node(other, NULL), "the other scaler");
}

/* KEDA's takeover of an HPA is declared on purpose. */
static void say_pair(const struct judge *judge, const struct scaler *a, const struct scaler *b,
                     str shared)
{
	if (same_object(a, b) || takes_over(a, b) || takes_over(b, a))
		return;
	say_duplicate(judge, a, b, shared);
	say_duplicate(judge, b, a, shared);
}

/* Each scaler against the first one of the same target. */
static void check_targets(const struct judge *judge, struct arena *arena)
{
	struct map *first = map_new(arena);

	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		struct scaler *scaler = judge->scope->scalers.v[i];
		const struct scaler *other;
		str target;

		if (scaler->target_state == SCALE_TARGET_UNKNOWN)
			continue;
		target = str_format(arena, "the target %.*s/%.*s/%.*s", STR_ARG(ref_kind(scaler)),
		                    STR_ARG(scaler->namespace), STR_ARG(ref_text(scaler, "name")));
		other = map_get(first, target);
		if (other)
			say_pair(judge, scaler, other, target);
		else
			map_put(first, target, scaler);
	}
}

/* Is the workload's own HPA, or another overlap's, a second one that counts its pods? */
static const struct scaler *second_scaler(const struct overlaps *overlaps, size_t i)
{
	const struct overlap *overlap = &overlaps->v[i];
	const struct scaler *own = overlap->workload->scaler;

	if (own && own->kind == SCALER_HPA)
		return own;
	if (i > 0 && overlaps->v[i - 1].workload == overlap->workload &&
	    overlaps->v[i - 1].scaler->target != overlap->scaler->target)
		return overlaps->v[i - 1].scaler;
	if (i + 1 < overlaps->n && overlaps->v[i + 1].workload == overlap->workload &&
	    overlaps->v[i + 1].scaler->target != overlap->scaler->target)
		return overlaps->v[i + 1].scaler;
	return NULL;
}

/* Upstream: the controller looks for other HPAs whose selector picks one of the pods and sets
 * AmbiguousSelector; targets need not be the same. */
void kl207_hpa_duplicate_target(const struct judge *judge)
{
	struct arena *arena = arena_new();
	struct overlaps overlaps = { 0 };

	check_targets(judge, arena);
	scope_overlaps(arena, judge->scope, &overlaps);
	for (size_t i = 0; i < overlaps.n; i++) {
		const struct overlap *overlap = &overlaps.v[i];
		const struct scaler *other = second_scaler(&overlaps, i);

		if (other)
			say_pair(judge, overlap->scaler, other,
			         str_format(arena, "every pod of %.*s",
			                    STR_ARG(overlap->workload->text)));
	}
	arena_free(arena);
}

/* Does the HPA look at pods at all? External metrics do not. */
static bool counts_pods(const struct hpa *hpa)
{
	bool any = hpa->metrics.n == 0;

	for (size_t i = 0; i < hpa->metrics.n; i++) {
		enum metric_kind kind = hpa->metrics.v[i].kind;

		any = any || kind == METRIC_RESOURCE || kind == METRIC_CONTAINER_RESOURCE ||
		      kind == METRIC_PODS;
	}
	return any;
}

/* On the scaler, which reads the wrong numbers; the labels are beside it. */
static void say_overlap(const struct judge *judge, const struct overlap *overlap)
{
	const struct scaler *scaler = overlap->scaler;
	const struct object *target = scaler->target->object;
	struct finding *finding = emit_node(judge, LEVEL_WARNING, scaler->object,
	                                   ref_node(scaler, NULL));

	finding_message(judge->sink, finding,
	                "the selector of %.*s also matches the pods of %.*s: the HPA counts both",
	                STR_ARG(scaler->target->text), STR_ARG(overlap->workload->text));
	finding_help(judge->sink, finding,
	             "give each workload a label of its own in selector and pod template");
	relate_object(judge, finding, target, target->workload->selector.node,
	            "the target's selector");
	relate_object(judge, finding, overlap->workload->object,
	            overlap->workload->pod->labels.node, "labels of the other pods");
}

/* Where the other workload has an HPA of its own, both stop: KL207. */
void kl220_hpa_selector_overlap(const struct judge *judge)
{
	struct arena *arena = arena_new();
	struct overlaps overlaps = { 0 };

	scope_overlaps(arena, judge->scope, &overlaps);
	for (size_t i = 0; i < overlaps.n; i++)
		if (counts_pods(overlaps.v[i].scaler->hpa) && !second_scaler(&overlaps, i))
			say_overlap(judge, &overlaps.v[i]);
	arena_free(arena);
}

/* ---- KL217 ----------------------------------------------------------------------------- */

/* Kinds without a scale subresource. */
static bool has_no_scale(const struct scaler *scaler)
{
	static const char *const kinds[][2] = {
		{ "DaemonSet", "apps" }, { "Job", "batch" }, { "CronJob", "batch" }, { "Pod", "" },
	};
	str kind = ref_text(scaler, "kind"), group = ref_text(scaler, "apiVersion"), rest;

	if (!str_cut(group, '/', &group, &rest))
		group = (str){ 0 };
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_is(kind, kinds[i][0]) && str_is(group, kinds[i][1]))
			return node_known(ref_node(scaler, "kind"));
	return false;
}

/* The owner that writes the target's replicas, or NULL. */
static const struct node *target_owner(const struct scaler *scaler)
{
	const struct node *owners = scaler->target
		? node_at(scaler->target->object->root, "metadata.ownerReferences") : NULL;
	bool controller = false;

	for (uint32_t i = 0; node_is_list(owners) && i < owners->child_count; i++)
		if (node_bool(node_get(&owners->children[i], "controller"), &controller) &&
		    controller)
			return &owners->children[i];
	return NULL;
}

/* By kind alone, whether declared or not: no cluster serves a scale for these. */
void kl217_target_not_scalable(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];
		const struct node *owner = target_owner(scaler);
		bool none = has_no_scale(scaler);
		struct finding *finding;

		if (!none && !owner)
			continue;
		finding = emit_node(judge, LEVEL_ERROR, scaler->object, ref_node(scaler, "kind"));
		if (none) {
			finding_message(judge->sink, finding,
			                "a %.*s has no scale subresource: the scaler cannot move it",
			                STR_ARG(ref_text(scaler, "kind")));
			finding_help(judge->sink, finding,
			             "point at a Deployment, StatefulSet or custom resource");
			continue;
		}
		finding_message(judge->sink, finding,
		                "the target %.*s is owned by %.*s %.*s, which sets its replicas itself",
		                STR_ARG(scaler->target->text),
		                STR_ARG(node_text(node_get(owner, "kind"))),
		                STR_ARG(node_text(node_get(owner, "name"))));
		finding_help(judge->sink, finding, "point at the owner");
		relate_object(judge, finding, scaler->target->object, owner, "the owner");
	}
}

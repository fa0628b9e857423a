/* HPAs and ScaledObjects, the workloads they move, and what that makes of replica counts. */
#include "model-internal.h"

/* KEDA's maxReplicaCount when it is absent. */
#define KEDA_DEFAULT_MAX 100

static struct count number_or(const struct number *number, int64_t fallback)
{
	if (!number->node)
		return (struct count){ fallback, true };
	return (struct count){ number->value, node_known(number->node) && number->value >= 0 };
}

static struct count node_count(const struct node *node, int64_t fallback)
{
	struct count count = { fallback, true };

	if (!node_is_null(node))
		count.known = node_known(node) && node_int(node, &count.value) && count.value >= 0;
	return count;
}

static bool group_is(str api_version, str group)
{
	size_t slash = str_find(api_version, '/');
	str written = slash < api_version.n ? str_slice(api_version, 0, slash) : (str){ 0 };

	return str_eq(written, group);
}

/* Another object that the reference may have meant, in order of likelihood. */
static void find_candidate(struct scope *scope, struct scaler *scaler, str kind, str name)
{
	enum target_state best = SCALE_TARGET_NONE;

	for (size_t i = 0; i < scope->workloads.n; i++) {
		const struct workload *workload = scope->workloads.v[i];
		bool same_kind = str_eq(workload->object->kind, kind);
		bool same_name = str_eq(workload->object->name.s, name);
		bool same_ns = str_eq(workload->namespace, scaler->namespace);
		enum target_state state = SCALE_TARGET_NONE;

		if (same_kind && same_name)
			state = SCALE_TARGET_OTHER_NAMESPACE;
		else if (same_kind && same_ns && str_one_edit(workload->object->name.s, name))
			state = SCALE_TARGET_NEAR_NAME;
		else if (same_name && same_ns && kind_is_scalable(workload->object->kind))
			state = SCALE_TARGET_OTHER_KIND;
		if (state < best) {
			best = state;
			scaler->candidate = workload->object;
		}
	}
	scaler->target_state = best;
}

/* The reference's API version against that of the object it names. */
static enum target_state compare_versions(str written, const struct object *object)
{
	if (str_eq(written, object->api_version))
		return SCALE_TARGET_FOUND;
	return group_is(written, object->group) ? SCALE_TARGET_OTHER_VERSION
	                                        : SCALE_TARGET_OTHER_GROUP;
}

static void link_target(struct scope *scope, struct scaler *scaler, str api_version, str kind,
                        str name)
{
	str key = model_key(scope->arena, kind, scaler->namespace, name);
	struct workload *workload = map_get(scope->index->workloads, key);
	const struct object *object = workload ? workload->object
	                                       : map_get(scope->index->by_kind, key);

	if (!object) {
		find_candidate(scope, scaler, kind, name);
		return;
	}
	scaler->candidate = object;
	scaler->target_state = compare_versions(api_version, object);
	if (scaler->target_state == SCALE_TARGET_OTHER_GROUP)
		return;
	scaler->target = workload;
	if (workload && !workload->scaler)
		workload->scaler = scaler;
}

static void read_hpa(struct scope *scope, struct scaler *scaler)
{
	const struct target_ref *target = &scaler->hpa->target;

	scaler->min = number_or(&scaler->hpa->min_replicas, 1);
	scaler->max = number_or(&scaler->hpa->max_replicas, 0);
	scaler->max.known = scaler->max.known && scaler->hpa->max_replicas.node;
	if (!node_known(target->kind.node) || !node_known(target->name.node) ||
	    (target->api_version.node && !node_known(target->api_version.node)) ||
	    (scaler->object->namespace.node && !node_known(scaler->object->namespace.node)))
		scaler->target_state = SCALE_TARGET_UNKNOWN;
	else
		link_target(scope, scaler, target->api_version.s, target->kind.s, target->name.s);
}

static void read_scaled_object(struct scope *scope, struct scaler *scaler)
{
	const struct node *spec = node_get(scaler->object->root, "spec");
	const struct node *target = node_get(spec, "scaleTargetRef");
	const struct node *name = node_get(target, "name");
	str api_version = node_text(node_get(target, "apiVersion"));
	str kind = node_text(node_get(target, "kind"));
	struct count fallback = node_count(node_at(spec, "fallback.replicas"), 0);

	scaler->min = node_count(node_get(spec, "minReplicaCount"), 0);
	scaler->max = node_count(node_get(spec, "maxReplicaCount"), KEDA_DEFAULT_MAX);
	if (fallback.value > scaler->max.value)
		scaler->max.value = fallback.value;
	scaler->max.known = scaler->max.known && fallback.known;
	if (!node_known(name)) {
		scaler->target_state = SCALE_TARGET_UNKNOWN;
		return;
	}
	link_target(scope, scaler, api_version.n ? api_version : STR("apps/v1"),
	            kind.n ? kind : STR("Deployment"), node_text(name));
}

/* Baseline and peak of the workloads that a scaler moves (rules.md, Terms). */
static void apply_bounds(struct scope *scope)
{
	for (size_t i = 0; i < scope->workloads.n; i++) {
		struct workload *workload = scope->workloads.v[i];
		bool kept = workload->object->class == OBJECT_DEPLOYMENT ||
		            workload->object->class == OBJECT_STATEFUL_SET;

		if (workload->scaler) {
			workload->baseline = workload->scaler->min;
			workload->peak = workload->scaler->max;
		}
		workload->singleton = kept && workload->peak.known && workload->peak.value == 1;
	}
}

void model_add_scalers(struct scope *scope)
{
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];
		bool hpa = object->class == OBJECT_HPA && object->hpa;
		struct scaler *scaler;

		if (!hpa && object->class != OBJECT_SCALED_OBJECT)
			continue;
		scaler = ARENA_NEW(scope->arena, struct scaler);
		scaler->object = object;
		scaler->kind = hpa ? SCALER_HPA : SCALER_SCALED_OBJECT;
		scaler->hpa = hpa ? object->hpa : NULL;
		scaler->namespace = object_namespace(scope, object);
		if (hpa)
			read_hpa(scope, scaler);
		else
			read_scaled_object(scope, scaler);
		*VEC_PUSH(scope->arena, &scope->scalers) = scaler;
	}
	apply_bounds(scope);
}

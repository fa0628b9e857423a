/* Workloads: who they are, how many replicas, what the scheduler sees of their pods. */
#include "model-internal.h"

static bool is_workload(const struct object *object)
{
	return object->class >= OBJECT_POD && object->class <= OBJECT_CUSTOM_WORKLOAD &&
	       object->workload && object->workload->pod.spec;
}

/* A replica count as written, or its default where it is absent. */
static struct count count_of(const struct number *number, int64_t fallback, bool fallback_known)
{
	if (!number->node)
		return (struct count){ fallback, fallback_known };
	return (struct count){ number->value, node_known(number->node) && number->value >= 0 };
}

/* Pods of a Job that run at once: parallelism, capped by completions where those are given. */
static struct count job_count(const struct workload_spec *spec)
{
	struct count parallel = count_of(&spec->parallelism, 1, true);
	struct count total = count_of(&spec->completions, INT64_MAX, true);

	if (total.value < parallel.value)
		parallel.value = total.value;
	parallel.known = parallel.known && total.known;
	return parallel;
}

static struct count replica_count(const struct object *object)
{
	const struct workload_spec *spec = object->workload;

	switch (object->class) {
	case OBJECT_POD:
		return (struct count){ 1, true };
	case OBJECT_JOB:
	case OBJECT_CRON_JOB:
		return job_count(spec);
	case OBJECT_DAEMON_SET:
		return (struct count){ 0, true };
	default:
		return count_of(&spec->replicas, 1, object->class != OBJECT_CUSTOM_WORKLOAD &&
		                                    !(spec->spec && spec->spec->unknown));
	}
}

static void add_toleration(struct scope *scope, struct workload *workload, const char *key,
                           const char *effect)
{
	struct toleration *toleration = VEC_PUSH(scope->arena, &workload->tolerations);

	toleration->key.s = str_of(key);
	toleration->op.s = STR("Exists");
	toleration->effect.s = str_of(effect);
}

/* What the DaemonSet controller adds (upstream: daemon util AddOrUpdateDaemonPodTolerations). */
static void add_daemon_tolerations(struct scope *scope, struct workload *workload)
{
	static const char *const keys[][2] = {
		{ "node.kubernetes.io/not-ready", "NoExecute" },
		{ "node.kubernetes.io/unreachable", "NoExecute" },
		{ "node.kubernetes.io/disk-pressure", "NoSchedule" },
		{ "node.kubernetes.io/memory-pressure", "NoSchedule" },
		{ "node.kubernetes.io/pid-pressure", "NoSchedule" },
		{ "node.kubernetes.io/unschedulable", "NoSchedule" },
	};

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		add_toleration(scope, workload, keys[i][0], keys[i][1]);
	if (workload->pod->host_network.value)
		add_toleration(scope, workload, "node.kubernetes.io/network-unavailable",
		               "NoSchedule");
}

/* Admission merges the RuntimeClass's nodeSelector and tolerations into the pod. */
static void merge_runtime_class(struct scope *scope, struct workload *workload)
{
	const struct runtime_class *class = workload->runtime_class->runtime_class;

	if (!class)
		return;
	for (size_t i = 0; i < class->node_selector.n; i++)
		if (!pairs_find(&workload->node_selector, class->node_selector.v[i].key))
			*VEC_PUSH(scope->arena, &workload->node_selector) =
				class->node_selector.v[i];
	for (size_t i = 0; i < class->tolerations.n; i++)
		*VEC_PUSH(scope->arena, &workload->tolerations) = class->tolerations.v[i];
}

static void copy_placement(struct scope *scope, struct workload *workload)
{
	const struct pod_template *pod = workload->pod;

	workload->node_selector.node = pod->node_selector.node;
	workload->tolerations.node = pod->tolerations.node;
	for (size_t i = 0; i < pod->node_selector.n; i++)
		*VEC_PUSH(scope->arena, &workload->node_selector) = pod->node_selector.v[i];
	for (size_t i = 0; i < pod->tolerations.n; i++)
		*VEC_PUSH(scope->arena, &workload->tolerations) = pod->tolerations.v[i];
}

static bool is_declared_critical(const struct settings *settings,
                                 const struct workload *workload)
{
	for (size_t i = 0; i < settings->critical.n; i++)
		if (workload_is_chosen(&settings->critical.v[i], workload))
			return true;
	return false;
}

void workload_resolve(struct scope *scope, struct workload *workload)
{
	const struct pod_template *pod = workload->pod;
	const struct amounts *overhead = NULL;
	str priority = pod->priority_class.s;

	copy_placement(scope, workload);
	workload->priority_class = scope_find(scope, OBJECT_PRIORITY_CLASS, (str){ 0 }, priority);
	workload->critical = str_is(priority, "system-cluster-critical") ||
	                     str_is(priority, "system-node-critical") ||
	                     is_declared_critical(scope->settings, workload);
	if (pod->runtime_class.s.n)
		workload->runtime_class =
			scope_find(scope, OBJECT_RUNTIME_CLASS, (str){ 0 }, pod->runtime_class.s);
	workload->runtime_class_open = pod->runtime_class.s.n && !workload->runtime_class;
	if (workload->runtime_class) {
		merge_runtime_class(scope, workload);
		if (workload->runtime_class->runtime_class && !pod->overhead.node)
			overhead = &workload->runtime_class->runtime_class->overhead;
	}
	if (workload->daemon_set)
		add_daemon_tolerations(scope, workload);
	pod_requests(scope->arena, pod, overhead,
	             scope_limit_range(scope, workload->namespace), &workload->requests);
}

static struct workload *workload_new(struct scope *scope, const struct object *object)
{
	struct workload *workload = ARENA_NEW(scope->arena, struct workload);
	str name = object->name.s.n ? object->name.s : object->generate_name.s;

	workload->object = object;
	workload->pod = &object->workload->pod;
	workload->namespace = object_namespace(scope, object);
	workload->text = str_format(scope->arena, "%.*s/%.*s/%.*s", STR_ARG(object->kind),
	                            STR_ARG(workload->namespace), STR_ARG(name));
	workload->daemon_set = object->class == OBJECT_DAEMON_SET;
	workload->job = object->class == OBJECT_JOB || object->class == OBJECT_CRON_JOB;
	workload->replicas = replica_count(object);
	workload->baseline = workload->replicas;
	workload->peak = workload->replicas;
	workload->index = (uint32_t)scope->workloads.n;
	return workload;
}

void model_add_workloads(struct scope *scope)
{
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];
		struct workload *workload;
		str key;

		if (!is_workload(object))
			continue;
		workload = workload_new(scope, object);
		workload_resolve(scope, workload);
		*VEC_PUSH(scope->arena, &scope->workloads) = workload;
		key = model_key(scope->arena, object->kind, workload->namespace, object->name.s);
		if (object->name.s.n && !map_get(scope->index->workloads, key))
			map_put(scope->index->workloads, key, workload);
	}
}

bool container_requests(const struct scope *scope, str ns, const struct container *container,
                        str resource, bool *ret_zero)
{
	const struct amount *found = amounts_find(&container->requests, resource);
	const struct limit_range *range = scope_limit_range(scope, ns);

	if (!found)
		found = amounts_find(&container->limits, resource);
	for (size_t i = 0; !found && range && i < range->items.n; i++) {
		const struct limit_range_item *item = &range->items.v[i];

		if (!str_is(item->type.s, "Container"))
			continue;
		found = amounts_find(&item->default_requests, resource);
		if (!found)
			found = amounts_find(&item->defaults, resource);
	}
	*ret_zero = found && found->valid && quantity_sign(&found->quantity) == 0;
	return found != NULL;
}

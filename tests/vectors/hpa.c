/* Area hpa: one run of the HPA controller. */
#include "vectors.h"

#include "sched.h"

static int64_t milli_of(struct arena *arena, const struct node *node)
{
	struct quantity quantity;
	int64_t milli = 0;

	if (quantity_parse(node_json_text(arena, node), &quantity))
		quantity_milli_ceil(&quantity, &milli);
	return milli;
}

static void read_usage(struct arena *arena, const struct node *usage, struct hpa_pod *pod)
{
	struct VEC(struct hpa_usage) entries = { 0 };

	pod->has_metrics = usage != NULL;
	for (uint32_t i = 0; usage && i < usage->child_count; i++) {
		const struct node *container = &usage->children[i];

		if (!container->child_count)
			*VEC_PUSH(arena, &entries) =
				(struct hpa_usage){ .container = container->key };
		for (uint32_t k = 0; k < container->child_count; k++)
			*VEC_PUSH(arena, &entries) = (struct hpa_usage){
				.container = container->key,
				.resource = container->children[k].key,
				.milli = milli_of(arena, &container->children[k]),
			};
	}
	pod->usage = entries.v;
	pod->usage_count = entries.n;
}

static const struct workload *workload_named(const struct scope *scope, str name)
{
	for (size_t i = 0; i < scope->workloads.n; i++)
		if (str_eq(scope->workloads.v[i]->object->name.s, name))
			return scope->workloads.v[i];
	return NULL;
}

static bool selects(const struct workload *target, const struct workload *workload)
{
	return target && workload &&
	       selector_matches(&target->object->workload->selector, &workload->pod->labels) ==
	               ANSWER_YES;
}

static void read_pods(struct vector *vector, const struct scope *scope, struct hpa_input *input)
{
	const struct node *list = node_get(vector->in, "pods");
	struct hpa_pod *pods = arena_calloc(vector->arena, list ? list->child_count : 0,
	                                    sizeof(*pods));

	for (uint32_t i = 0; list && i < list->child_count; i++) {
		const struct node *node = &list->children[i];
		const struct workload *workload =
			workload_named(scope, node_text(node_get(node, "workload")));
		str phase = node_text(node_get(node, "phase"));
		struct hpa_pod *pod = &pods[input->pod_count];

		if (!selects(input->target, workload))
			continue;
		pod->workload = workload;
		pod->phase = str_is(phase, "Failed")    ? HPA_POD_FAILED
		             : str_is(phase, "Pending") ? HPA_POD_PENDING
		                                        : HPA_POD_RUNNING;
		node_bool(node_get(node, "notReady"), &pod->never_ready);
		read_usage(vector->arena, node_get(node, "usage"), pod);
		input->pod_count++;
	}
	input->pods = pods;
}

/* Does the target of another HPA select one of the pods too? */
static bool is_ambiguous(const struct scope *scope, const struct scaler *scaler,
                         const struct hpa_input *input)
{
	for (size_t i = 0; i < scope->scalers.n; i++)
		for (size_t k = 0; scope->scalers.v[i] != scaler && k < input->pod_count; k++)
			if (selects(scope->scalers.v[i]->target, input->pods[k].workload))
				return true;
	return false;
}

static void want_decision(struct vector *vector, const struct node *wanted,
                          const struct hpa_decision *decision)
{
	const struct node *conditions = node_get(wanted, "conditions");

	want_bool(vector, "decided", decision->decided,
	          node_get(wanted, "desiredReplicas") != NULL);
	if (decision->decided)
		want_number(vector, "desiredReplicas", decision->desired,
		            number_at(wanted, "desiredReplicas", -1));
	want_number(vector, "conditions", (int64_t)decision->condition_count,
	            conditions ? conditions->child_count : 0);
	for (size_t i = 0; i < decision->condition_count; i++) {
		const struct hpa_condition *condition = &decision->conditions[i];
		const struct node *node = node_get(conditions, condition->type);

		want_text(vector, condition->type, str_of(condition->reason),
		          node_text(node_get(node, "reason")));
		want_text(vector, condition->type, str_of(condition->status),
		          node_text(node_get(node, "status")));
	}
}

static void check_scaler(struct vector *vector, const struct scope *scope,
                         const struct scaler *scaler)
{
	struct hpa_input input = { .hpa = scaler->hpa, .target = scaler->target };
	const char *name = str_c(vector->arena, scaler->object->name.s);
	struct hpa_decision decision;

	if (scaler->target)
		input.current = number_at(
			node_get(vector->in, "currentReplicas"),
			str_c(vector->arena, scaler->target->object->name.s), 0);
	read_pods(vector, scope, &input);
	input.ambiguous = is_ambiguous(scope, scaler, &input);
	hpa_decide(vector->arena, &input, &decision);
	want_decision(vector, node_get(node_get(vector->expect, "hpas"), name), &decision);
}

void check_hpa(struct vector *vector)
{
	const struct node *manifests = node_get(vector->in, "manifests");
	size_t count = manifests ? manifests->child_count : 0;
	str *texts = arena_calloc(vector->arena, count, sizeof(*texts));
	struct loaded loaded;

	for (size_t i = 0; i < count; i++)
		texts[i] = json_text(vector->arena, &manifests->children[i]);
	load_texts(vector->arena, texts, count, NULL, &loaded);
	want_number(vector, "scalers", loaded.scope ? (int64_t)loaded.scope->scalers.n : 0,
	            node_get(vector->expect, "hpas")->child_count);
	for (size_t i = 0; loaded.scope && i < loaded.scope->scalers.n; i++)
		check_scaler(vector, loaded.scope, loaded.scope->scalers.v[i]);
	want_valid(vector, &loaded);
}

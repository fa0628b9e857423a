/* Area requests: what the scheduler takes for a pod, its class, and how many pods. */
#include "vectors.h"

static void want_scalars(struct vector *vector, const struct resource_amounts *amounts)
{
	const struct node *wanted = node_at(vector->expect, "scheduler.scalar");

	for (uint32_t i = 0; wanted && i < wanted->child_count; i++) {
		int64_t amount = 0;

		node_int(&wanted->children[i], &amount);
		want_number(vector, str_c(vector->arena, wanted->children[i].key),
		            resources_get(amounts, wanted->children[i].key).amount, amount);
	}
	for (size_t i = 0; i < amounts->n; i++) {
		const char *name = str_c(vector->arena, amounts->v[i].resource);

		if (!str_is(amounts->v[i].resource, "cpu") &&
		    !str_is(amounts->v[i].resource, "memory") &&
		    !str_is(amounts->v[i].resource, "ephemeral-storage"))
			want_bool(vector, name, node_get(wanted, name) != NULL, true);
	}
}

void check_requests(struct vector *vector)
{
	static const char *const classes[] = { [QOS_GUARANTEED] = "Guaranteed",
		                               [QOS_BURSTABLE] = "Burstable",
		                               [QOS_BEST_EFFORT] = "BestEffort" };
	const struct resource_amounts *amounts;
	const struct workload *workload;
	struct loaded loaded;

	load_manifest(vector, node_get(vector->in, "manifest"), NULL, &loaded);
	workload = first_workload(vector, &loaded);
	if (!workload)
		return;
	amounts = &workload->requests.v;
	want_number(vector, "cpu", resources_get(amounts, STR("cpu")).amount,
	            number_at(vector->expect, "scheduler.milliCPU", 0));
	want_number(vector, "memory", resources_get(amounts, STR("memory")).amount,
	            number_at(vector->expect, "scheduler.memory", 0));
	want_number(vector, "ephemeral", resources_get(amounts, STR("ephemeral-storage")).amount,
	            number_at(vector->expect, "scheduler.ephemeralStorage", 0));
	want_scalars(vector, amounts);
	if (!workload->daemon_set)
		want_number(vector, "replicas", workload->replicas.value,
		            number_at(vector->expect, "replicas", 0));
	want_text(vector, "qosClass", str_of(classes[pod_qos(workload->pod)]),
	          node_text(node_get(vector->expect, "qosClass")));
	want_valid(vector, &loaded);
}

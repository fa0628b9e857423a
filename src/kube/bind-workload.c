/* Tables of the kinds that carry a pod template.
 *
 * All versions of a kind are bound alike: what the older ones name or default otherwise does not
 * touch the fields that are read here.
 */
#include "bind-rows.h"

/* ---- specs ---------------------------------------------------------------------------- */

static const struct bind_row rolling_rows[] = {
	ROW("maxSurge", INT_OR_PERCENT, struct workload_spec, max_surge),
	ROW("maxUnavailable", INT_OR_PERCENT, struct workload_spec, max_unavailable),
};
static const struct bind_table rolling_table = BIND_TABLE_PLAIN(rolling_rows,
                                                                struct workload_spec);

static const struct bind_row strategy_rows[] = {
	ROW("type", TEXT, struct workload_spec, strategy),
	ROW_SAME("rollingUpdate", &rolling_table),
};
static const struct bind_table strategy_table = BIND_TABLE_PLAIN(strategy_rows,
                                                                 struct workload_spec);

/* Only the names of the claim templates matter: a volume of that name is theirs. */
static void bind_claim_name(const struct binder *binder, const struct node *node, void *member)
{
	struct texts *names = member;

	names->node = node;
	for (uint32_t i = 0; node_is_list(node) && i < node->child_count; i++)
		*VEC_PUSH(binder->arena, names) = bind_text(node_at(&node->children[i],
		                                                    "metadata.name"));
}

/* One table for all: a kind has either `strategy` or `updateStrategy`. */
static const struct bind_row spec_rows[] = {
	ROW("replicas", NUMBER, struct workload_spec, replicas),
	ROW("parallelism", NUMBER, struct workload_spec, parallelism),
	ROW("completions", NUMBER, struct workload_spec, completions),
	ROW_INTO("selector", struct workload_spec, selector, &bind_label_selector),
	ROW_SAME("strategy", &strategy_table),
	ROW_SAME("updateStrategy", &strategy_table),
	ROW("serviceName", TEXT, struct workload_spec, service_name),
	ROW_FUNCTION("volumeClaimTemplates", struct workload_spec, claim_templates,
	             bind_claim_name),
	ROW_INTO("template", struct workload_spec, pod, &bind_pod_template),
};
static const struct bind_table spec_table = {
	spec_rows, COUNT_OF(spec_rows), sizeof(struct workload_spec),
	offsetof(struct workload_spec, spec), NULL,
};

/* ---- classes -------------------------------------------------------------------------- */

static void bind_spec(const struct binder *binder, const struct object *object, const char *path)
{
	bind_map(binder, node_at(object->root, path), &spec_table, object->workload);
}

/* Its own metadata is the template's. */
static void bind_bare_pod(const struct binder *binder, const struct object *object)
{
	struct workload_spec *workload = object->workload;

	bind_pod(binder, object->root, &workload->pod);
	workload->spec = workload->pod.spec;
}

/* Its selector is a plain map. */
static void bind_controller(const struct binder *binder, const struct object *object)
{
	struct label_selector *selector = &object->workload->selector;
	const struct node *map = node_at(object->root, "spec.selector");

	bind_spec(binder, object, "spec");
	*selector = (struct label_selector){ 0 };
	if (node_is_null(map))
		return;
	selector->node = map;
	bind_pairs(binder, map, &selector->match_labels);
}

void bind_workload(const struct binder *binder, struct object *object)
{
	object->workload = ARENA_NEW(binder->arena, struct workload_spec);
	switch (object->class) {
	case OBJECT_POD:
		bind_bare_pod(binder, object);
		break;
	case OBJECT_REPLICATION_CONTROLLER:
		bind_controller(binder, object);
		break;
	case OBJECT_CRON_JOB:
		bind_spec(binder, object, "spec.jobTemplate.spec");
		break;
	case OBJECT_SCALED_JOB:
		bind_spec(binder, object, "spec.jobTargetRef");
		break;
	default:
		bind_spec(binder, object, "spec");
		break;
	}
}

/* HorizontalPodAutoscalers of every version, in the shape of autoscaling/v2.
 *
 * v2 and v2beta2 are alike. v2beta1 keeps names and targets flat in the source of a metric. v1
 * has one number, which becomes a Resource metric on cpu; its other metrics hide in an
 * annotation, which nobody writes by hand.
 */
#include "bind-rows.h"

static const struct bind_row target_rows[] = {
	ROW("apiVersion", TEXT, struct target_ref, api_version),
	ROW("kind", TEXT, struct target_ref, kind),
	ROW("name", TEXT, struct target_ref, name),
};
static const struct bind_table target_table = BIND_TABLE(target_rows, struct target_ref);

static const struct bind_row policy_rows[] = {
	ROW("type", TEXT, struct scaling_policy, type),
	ROW("value", NUMBER, struct scaling_policy, value),
	ROW("periodSeconds", NUMBER, struct scaling_policy, period_seconds),
};
static const struct bind_table policy_table = BIND_TABLE(policy_rows, struct scaling_policy);

static const struct bind_row rules_rows[] = {
	ROW("stabilizationWindowSeconds", NUMBER, struct scaling_rules, stabilization_seconds),
	ROW("selectPolicy", TEXT, struct scaling_rules, select_policy),
	ROW("policies", NODE, struct scaling_rules, policies.node),
	ROW_LIST("policies", struct scaling_rules, policies, &policy_table),
	ROW("tolerance", AMOUNT, struct scaling_rules, tolerance),
};
static const struct bind_table rules_table = BIND_TABLE(rules_rows, struct scaling_rules);

static const struct bind_row behavior_rows[] = {
	ROW_INTO("scaleUp", struct hpa, scale_up, &rules_table),
	ROW_INTO("scaleDown", struct hpa, scale_down, &rules_table),
};
static const struct bind_table behavior_table = BIND_TABLE_PLAIN(behavior_rows, struct hpa);

/* ---- metrics -------------------------------------------------------------------------- */

/* The five sources of a metric. */
struct source_row {
	const char *type;      /* of a metric */
	const char *field;     /* that holds its source */
	enum metric_kind kind;
	const char *name;      /* path of its name from autoscaling/v2beta2 on */
	const char *flat_name; /* in v2beta1 */
};
static const struct source_row source_rows[] = {
	{ "Resource", "resource", METRIC_RESOURCE, "name", "name" },
	{ "ContainerResource", "containerResource", METRIC_CONTAINER_RESOURCE, "name", "name" },
	{ "Pods", "pods", METRIC_PODS, "metric.name", "metricName" },
	{ "Object", "object", METRIC_OBJECT, "metric.name", "metricName" },
	{ "External", "external", METRIC_EXTERNAL, "metric.name", "metricName" },
};

static const struct source_row *source_of_type(str type)
{
	for (size_t i = 0; i < COUNT_OF(source_rows); i++)
		if (str_is(type, source_rows[i].type))
			return &source_rows[i];
	return NULL;
}

/* The fields that carry a target, nested under `target` or flat in v2beta1. */
struct target_row {
	const char *field;
	enum target_kind kind;
};
static const struct target_row nested_targets[] = {
	{ "averageUtilization", TARGET_UTILIZATION },
	{ "value", TARGET_VALUE },
	{ "averageValue", TARGET_AVERAGE_VALUE },
};
static const struct target_row flat_targets[] = {
	{ "targetAverageUtilization", TARGET_UTILIZATION },
	{ "targetValue", TARGET_VALUE },
	{ "targetAverageValue", TARGET_AVERAGE_VALUE },
};

/* The quantity of a target; its resource stays empty. */
static struct amount amount_of(const struct binder *binder, const struct node *node)
{
	struct amount amount = { .node = node };

	amount.valid = node_is_scalar(node) && !node->unknown &&
	               quantity_parse(node_json_text(binder->arena, node), &amount.quantity);
	return amount;
}

/* The first target that is given. */
static void bind_target(const struct binder *binder, const struct node *node,
                        const struct target_row *rows, struct hpa_metric *metric)
{
	for (size_t i = 0; i < COUNT_OF(nested_targets); i++) {
		const struct node *value = node_get(node, rows[i].field);

		if (node_is_null(value) || metric->target != TARGET_NONE)
			continue;
		metric->target = rows[i].kind;
		if (rows[i].kind == TARGET_UTILIZATION)
			metric->utilization = bind_number(binder, value);
		else
			metric->value = amount_of(binder, value);
	}
}

/* The type says which source counts, whatever else is written. */
static void bind_metric(const struct binder *binder, const struct node *node, bool flat,
                        struct hpa_metric *metric)
{
	const struct source_row *row = source_of_type(node_text(node_get(node, "type")));
	const struct node *source = row ? node_get(node, row->field) : NULL;

	metric->node = node;
	metric->kind = row ? row->kind : METRIC_OTHER;
	if (!row)
		return;
	metric->name = bind_text(node_at(source, flat ? row->flat_name : row->name));
	metric->container = bind_text(node_get(source, "container"));
	if (flat)
		bind_target(binder, source, flat_targets, metric);
	else
		bind_target(binder, node_get(source, "target"), nested_targets, metric);
}

static void bind_metrics(const struct binder *binder, const struct node *list, bool flat,
                         struct hpa *hpa)
{
	hpa->metrics.node = node_is_null(list) ? NULL : list;
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++)
		if (node_is_map(&list->children[i]))
			bind_metric(binder, &list->children[i], flat,
			            VEC_PUSH(binder->arena, &hpa->metrics));
}

/* autoscaling/v1 has one field for the one metric that it knows. */
static void bind_cpu_field(const struct binder *binder, const struct node *field, struct hpa *hpa)
{
	struct hpa_metric *metric;

	if (node_is_null(field))
		return;
	metric = VEC_PUSH(binder->arena, &hpa->metrics);
	metric->node = field;
	metric->kind = METRIC_RESOURCE;
	metric->name = (struct text){ .s = STR("cpu"), .node = field };
	metric->target = TARGET_UTILIZATION;
	metric->utilization = bind_number(binder, field);
	hpa->metrics.node = field;
}

void bind_hpa(const struct binder *binder, struct object *object)
{
	const struct node *spec = node_get(object->root, "spec");
	const struct node *behavior = node_get(spec, "behavior");
	const struct node *selector = node_get(spec, "selector");
	struct hpa *hpa = ARENA_NEW(binder->arena, struct hpa);

	object->hpa = hpa;
	bind_map(binder, node_get(spec, "scaleTargetRef"), &target_table, &hpa->target);
	hpa->min_replicas = bind_number(binder, node_get(spec, "minReplicas"));
	hpa->max_replicas = bind_number(binder, node_get(spec, "maxReplicas"));
	if (str_is(object->version, "v1"))
		bind_cpu_field(binder, node_get(spec, "targetCPUUtilizationPercentage"), hpa);
	else
		bind_metrics(binder, node_get(spec, "metrics"), str_is(object->version, "v2beta1"),
		             hpa);
	hpa->behavior = node_is_null(behavior) ? NULL : behavior;
	bind_map(binder, behavior, &behavior_table, hpa);
	hpa->selector = node_is_null(selector) ? NULL : selector;
}

/* HorizontalPodAutoscaler. Upstream: pkg/apis/autoscaling/validation. */
#include "api-pod.h"

/* A text that must not be empty and must be a path segment. */
static void want_segment(const struct api_check *check, const struct api_place *map,
                         const char *field)
{
	struct api_place place = api_field(map, field);
	str text = api_text(&place);

	if (api_is_empty(&place))
		api_fault(check, &place, API_REQUIRED, "%s is missing or empty", field);
	else if (api_has(&place) && !api_is_path_segment(text))
		api_fault(check, &place, API_INVALID, "%s is \"%.*s\", but must not contain / or %%",
		          field, STR_ARG(text));
}

/* The API group must be named where only kinds of groups can be scaled. */
static void check_reference(const struct api_check *check, const struct api_place *reference,
                            bool wants_group)
{
	struct api_place version = api_field(reference, "apiVersion");
	struct api_place kind = api_field(reference, "kind");
	str text = api_text(&version), group, rest;
	bool grouped = str_cut(text, '/', &group, &rest);

	if (api_is_unknown(reference))
		return;
	want_segment(check, reference, "kind");
	want_segment(check, reference, "name");
	if (api_is_unknown(&version))
		return;
	if (grouped && str_find(rest, '/') < rest.n)
		api_fault(check, &version, API_INVALID, "\"%.*s\" is no group and version",
		          STR_ARG(text));
	else if (wants_group && (!grouped || group.n == 0) && !api_is_unknown(&kind) &&
	         !api_is(&kind, "ReplicationController"))
		api_fault(check, &version, API_INVALID,
		          "apiVersion is \"%.*s\", but must name the API group, as apps/v1 does",
		          STR_ARG(text));
}

/* ---- metrics -------------------------------------------------------------------------- */

/* Zero is refused like negative values; text that is no quantity is the binder's matter. */
static void want_positive(const struct api_check *check, const struct api_place *target,
                          const char *field)
{
	struct api_place place = api_field(target, field);
	struct quantity quantity;

	if (api_quantity(check, &place, &quantity) && quantity_sign(&quantity) <= 0)
		api_fault(check, &place, API_INVALID, "%s is %.*s, but must be more than 0", field,
		          STR_ARG(api_text(&place)));
}

/* Which of the values must be there depends on the source, see the checks of these. */
static void check_target(const struct api_check *check, const struct api_place *target)
{
	static const struct api_rule rules[] = {
		{ "type", RULE_NEEDED, NULL, 0, 0 },
		{ "averageUtilization", RULE_RANGE, NULL, 1, INT64_MAX },
	};
	struct api_place type = api_field(target, "type");

	api_apply(check, target, rules, COUNT_OF(rules));
	if (!api_is_unknown(&type) && !api_is(&type, "Utilization") && !api_is(&type, "Value") &&
	    !api_is(&type, "AverageValue"))
		api_fault(check, &type, API_INVALID,
		          "type is \"%.*s\", but must be Utilization, Value or AverageValue",
		          STR_ARG(api_text(&type)));
	want_positive(check, target, "value");
	want_positive(check, target, "averageValue");
}

static void check_metric_name(const struct api_check *check, const struct api_place *source)
{
	struct api_place metric = api_field(source, "metric");

	if (!api_is_unknown(&metric))
		want_segment(check, &metric, "name");
}

/* Of two fields of the target one must be there; both: the place of that of banned. */
static void want_one(const struct api_check *check, const struct api_place *target,
                     const char *wanted, const char *other, const char *banned)
{
	struct api_place a = api_field(target, wanted);
	struct api_place b = api_field(target, other);
	struct api_place both = api_field(target, banned ? banned : wanted);

	if (api_lacks(&a) && api_lacks(&b))
		api_fault(check, &a, API_REQUIRED, "the target has neither %s nor %s", wanted,
		          other);
	else if (banned && !api_lacks(&a) && !api_lacks(&b))
		api_fault(check, &both, API_FORBIDDEN, "the target has both %s and %s", wanted,
		          other);
}

static void check_object_metric(const struct api_check *check, const struct api_place *source)
{
	struct api_place described = api_field(source, "describedObject");
	struct api_place target = api_field(source, "target");

	check_reference(check, &described, false);
	check_metric_name(check, source);
	if (api_is_unknown(&target))
		return;
	check_target(check, &target);
	want_one(check, &target, "averageValue", "value", NULL);
}

static void check_external(const struct api_check *check, const struct api_place *source)
{
	struct api_place target = api_field(source, "target");

	check_metric_name(check, source);
	if (api_is_unknown(&target))
		return;
	check_target(check, &target);
	want_one(check, &target, "averageValue", "value", "value");
}

static void check_pods(const struct api_check *check, const struct api_place *source)
{
	struct api_place target = api_field(source, "target");

	check_metric_name(check, source);
	if (api_is_unknown(&target))
		return;
	check_target(check, &target);
	want_one(check, &target, "averageValue", "averageValue", NULL);
}

static void check_resource(const struct api_check *check, const struct api_place *source)
{
	static const struct api_rule rules[] = { { "name", RULE_NEEDED, NULL, 0, 0 } };
	struct api_place target = api_field(source, "target");

	api_apply(check, source, rules, COUNT_OF(rules));
	if (api_is_unknown(&target))
		return;
	check_target(check, &target);
	want_one(check, &target, "averageUtilization", "averageValue", "averageValue");
}

static void check_container_resource(const struct api_check *check,
                                     const struct api_place *source)
{
	static const struct api_rule rules[] = {
		{ "container", RULE_NEEDED, NULL, 0, 0 },
		{ "container", RULE_LABEL, NULL, 0, 0 },
	};
	struct api_place name = api_field(source, "name");

	if (api_has(&name) && !api_is_empty(&name) && !api_is_container_resource(api_text(&name)))
		api_fault(check, &name, API_INVALID, "\"%.*s\" is no resource of a container",
		          STR_ARG(api_text(&name)));
	api_apply(check, source, rules, COUNT_OF(rules));
	check_resource(check, source);
}

/* In upstream's order: the first source that is there is judged. */
static const struct {
	const char *type, *field;
	void (*check)(const struct api_check *check, const struct api_place *source);
} sources[] = {
	{ "Object", "object", check_object_metric },
	{ "External", "external", check_external },
	{ "Pods", "pods", check_pods },
	{ "Resource", "resource", check_resource },
	{ "ContainerResource", "containerResource", check_container_resource },
};

/* Sources beside the one that the type names. count: of all sources. */
static void check_others(const struct api_check *check, const struct api_place *metric,
                         const struct api_place *type, size_t count)
{
	for (size_t i = 0; i < COUNT_OF(sources) && count > 1; i++) {
		struct api_place source = api_field(metric, sources[i].field);

		if (api_has(&source) && !api_is(type, sources[i].type))
			api_fault(check, &source, API_FORBIDDEN, "the type of the metric is %.*s",
			          STR_ARG(api_text(type)));
	}
}

/* A wrong type is told beside what is wrong in the source that is there. */
static void check_metric(const struct api_check *check, const struct api_place *metric)
{
	struct api_place type = api_field(metric, "type");
	bool named = false;
	size_t count = 0;

	if (api_is_unknown(&type))
		return;
	if (api_is_empty(&type))
		api_fault(check, &type, API_REQUIRED, "type is missing or empty");
	for (size_t i = 0; i < COUNT_OF(sources); i++) {
		struct api_place source = api_field(metric, sources[i].field);

		named = named || api_is(&type, sources[i].type);
		if (api_has(&source) && count == 0)
			sources[i].check(check, &source);
		count += !api_lacks(&source);
		if (api_is(&type, sources[i].type) && api_lacks(&source))
			api_fault(check, &source, API_REQUIRED, "a metric of type %s needs it",
			          sources[i].type);
	}
	if (!named)
		api_fault(check, &type, API_NOT_SUPPORTED,
		          "type is \"%.*s\", but must be Resource, ContainerResource, Pods, Object "
		          "or External", STR_ARG(api_text(&type)));
	check_others(check, metric, &type, count);
}

/* No metrics at all are cpu at 80 % by default. */
static void check_metrics(const struct api_check *check, const struct api_place *spec)
{
	struct api_place metrics = api_field(spec, "metrics");
	struct api_place least = api_field(spec, "minReplicas");
	bool from_zero = false;
	int64_t value;

	for (uint32_t i = 0; i < api_count(&metrics); i++) {
		struct api_place metric = api_item(&metrics, i);
		struct api_place type = api_field(&metric, "type");

		from_zero = from_zero || api_is(&type, "Object") || api_is(&type, "External") ||
		            !api_has(&metric);
		if (api_has(&metric))
			check_metric(check, &metric);
	}
	if (api_int(&least, &value) && value == 0 && !from_zero && !api_is_unknown(&metrics))
		api_fault(check, &metrics, API_FORBIDDEN,
		          "to scale from zero there must be an Object or External metric");
}

/* autoscaling/v1 has one metric only, which becomes the first. */
static void check_v1_metric(const struct api_check *check, const struct api_place *spec)
{
	struct api_place percent = api_field(spec, "targetCPUUtilizationPercentage");
	struct api_place metrics = { .outer = spec, .field = "metrics" };
	struct api_place first = { .outer = &metrics };
	struct api_place resource = { .outer = &first, .field = "resource" };
	struct api_place target = { .outer = &resource, .field = "target" };
	struct api_place place = { .outer = &target, .node = percent.node,
		                   .field = "averageUtilization" };
	struct api_place least = api_field(spec, "minReplicas");
	int64_t value;

	if (api_int(&percent, &value) && value < 1)
		api_fault(check, &place, API_INVALID,
		          "targetCPUUtilizationPercentage is %lld, but must be at least 1",
		          (long long)value);
	if (api_int(&least, &value) && value == 0)
		api_fault(check, &metrics, API_FORBIDDEN,
		          "to scale from zero there must be an Object or External metric");
}

/* ---- behavior ------------------------------------------------------------------------- */

static const struct api_rule scaling_rules[] = {
	{ "stabilizationWindowSeconds", RULE_RANGE, NULL, 0, 3600 },
	{ "selectPolicy", RULE_CHOICE, "Max|Min|Disabled", 0, 0 },
};
static const struct api_rule policy_rules[] = {
	{ "type", RULE_WORD, "Pods|Percent", 0, 0 },
	{ "value", RULE_RANGE, NULL, 1, INT64_MAX },
	{ "periodSeconds", RULE_RANGE, NULL, 1, 1800 },
};

/* Its fields have no defaults, so that each must be written. */
static void check_policy(const struct api_check *check, const struct api_place *policy)
{
	struct api_place type = api_field(policy, "type");
	struct api_place value = api_field(policy, "value");
	struct api_place period = api_field(policy, "periodSeconds");

	api_apply(check, policy, policy_rules, COUNT_OF(policy_rules));
	if (api_is_empty(&type))
		api_fault(check, &type, API_NOT_SUPPORTED, "type must be Pods or Percent");
	if (api_lacks(&value))
		api_fault(check, &value, API_INVALID, "value must be at least 1");
	if (api_lacks(&period))
		api_fault(check, &period, API_INVALID, "periodSeconds must be at least 1");
}

/* Absent policies have defaults; an empty list has not. */
static void check_scaling(const struct api_check *check, const struct api_place *rules)
{
	struct api_place policies = api_field(rules, "policies");
	struct api_place tolerance = api_field(rules, "tolerance");
	struct quantity quantity;

	if (!api_has(rules))
		return;
	api_apply(check, rules, scaling_rules, COUNT_OF(scaling_rules));
	if (api_has(&policies) && api_count(&policies) == 0)
		api_fault(check, &policies, API_REQUIRED, "there must be a policy");
	for (uint32_t i = 0; i < api_count(&policies); i++) {
		struct api_place policy = api_item(&policies, i);

		if (api_has(&policy))
			check_policy(check, &policy);
	}
	if (api_quantity(check, &tolerance, &quantity) && quantity_sign(&quantity) < 0)
		api_fault(check, &tolerance, API_INVALID, "tolerance must be at least 0");
}

/* ---- the object ----------------------------------------------------------------------- */

static void check_bounds(const struct api_check *check, const struct api_place *spec)
{
	bool to_zero = kube_gate_is_on(check->options->feature_gates, "HPAScaleToZero",
	                               check->options->target);
	int64_t floor = to_zero ? 0 : 1;
	struct api_place least = api_field(spec, "minReplicas");
	struct api_place most = api_field(spec, "maxReplicas");
	int64_t low, high;

	if (!api_int(&least, &low))
		low = api_is_unknown(&least) ? INT64_MIN : 1;
	if (api_has(&least) && low < floor && low != INT64_MIN)
		api_fault(check, &least, API_INVALID, "minReplicas is %lld, but must be at least %lld",
		          (long long)low, (long long)floor);
	if (api_is_unknown(&most))
		return;
	api_int(&most, &high);
	if (high == 0)
		api_fault(check, &most, API_REQUIRED, "maxReplicas must be set and more than 0");
	else if (high < 0)
		api_fault(check, &most, API_INVALID, "maxReplicas is %lld, but must be at least 1",
		          (long long)high);
	if (high < low)
		api_fault(check, &most, API_INVALID,
		          "maxReplicas is %lld, less than minReplicas (%lld)", (long long)high,
		          (long long)low);
}

void api_check_hpa(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");
	struct api_place reference = api_field(&spec, "scaleTargetRef");
	struct api_place behavior = api_field(&spec, "behavior");
	struct api_place up = api_field(&behavior, "scaleUp");
	struct api_place down = api_field(&behavior, "scaleDown");

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	if (api_is_unknown(&spec))
		return;
	check_bounds(check, &spec);
	check_reference(check, &reference, true);
	if (str_is(check->object->version, "v1"))
		check_v1_metric(check, &spec);
	else
		check_metrics(check, &spec);
	if (api_has(&behavior)) {
		check_scaling(check, &up);
		check_scaling(check, &down);
	}
}

/* From checked text to struct config, by libcyaml. Flags and levels are enums with STRICT, since
 * libcyaml's own booleans take any word; numbers are texts, which base/ reads.
 */
#include "config-internal.h"

#include <cyaml/cyaml.h>

#include <string.h>

/* Shapes of fields. Every key is optional; an absent one leaves NULL or 0, which stand for the
 * default. A list may be null: all its entries are commented out. */
#define TEXT(key, type, member) \
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member, 0, \
	                       CYAML_UNLIMITED)
#define TEXTS(name, owner, member) \
	{ .key = name, \
	  .value = { .type = CYAML_SEQUENCE, \
	             .flags = CYAML_FLAG_POINTER_NULL | CYAML_FLAG_OPTIONAL, \
	             .data_size = sizeof(char *), \
	             .sequence = { .entry = &text_schema, .min = 0, .max = CYAML_UNLIMITED } }, \
	  .data_offset = offsetof(owner, member.v), \
	  .count_offset = offsetof(owner, member.n), .count_size = sizeof(unsigned) }
#define MAPS(key, type, member, schema) \
	CYAML_FIELD_SEQUENCE(key, CYAML_FLAG_POINTER_NULL | CYAML_FLAG_OPTIONAL, type, member, \
	                     &schema, 0, CYAML_UNLIMITED)
#define MAP(key, type, member, fields) \
	CYAML_FIELD_MAPPING(key, CYAML_FLAG_OPTIONAL, type, member, fields)
#define ENUM(key, type, member, words) \
	CYAML_FIELD_ENUM(key, CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, type, member, words, \
	                 CYAML_ARRAY_LEN(words))
#define ENTRY(name, type, fields) \
	static const cyaml_schema_value_t name = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, type, \
	                                                               fields) }

static const cyaml_schema_value_t text_schema = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED),
};
/* The enums begin at 1, so that 0 is "not said". */
static const cyaml_strval_t flag_words[] = { { "false", CONFIG_FALSE }, { "true", CONFIG_TRUE } };
static const cyaml_strval_t level_words[] = {
	{ "error", CONFIG_ERROR }, { "warning", CONFIG_WARNING }, { "note", CONFIG_NOTE },
	{ "off", CONFIG_OFF },     { "never", CONFIG_NEVER },
};
static const cyaml_strval_t alert_words[] = {
	{ "auto", CONFIG_ALERTS_AUTO }, { "always", CONFIG_ALERTS_ALWAYS },
	{ "never", CONFIG_ALERTS_NEVER },
};

/* One table for each map of the file, innermost first. */
static const cyaml_schema_field_t namespace_fields[] = {
	TEXT("path", struct config_namespace, path),
	TEXT("namespace", struct config_namespace, namespace),
	CYAML_FIELD_END,
};
ENTRY(namespace_schema, struct config_namespace, namespace_fields);
static const cyaml_schema_field_t cluster_fields[] = {
	TEXT("name", struct config_cluster, name),
	TEXTS("paths", struct config_cluster, paths),
	TEXTS("nodes", struct config_cluster, nodes),
	TEXT("kubernetes", struct config_cluster, kubernetes),
	ENUM("complete", struct config_cluster, complete, flag_words),
	TEXTS("apis", struct config_cluster, apis),
	TEXTS("featureGates", struct config_cluster, feature_gates),
	CYAML_FIELD_END,
};
ENTRY(cluster_schema, struct config_cluster, cluster_fields);
static const cyaml_schema_field_t chart_fields[] = {
	TEXT("path", struct config_render_chart, path),
	TEXT("release", struct config_render_chart, release),
	TEXT("namespace", struct config_render_chart, namespace),
	TEXTS("values", struct config_render_chart, values),
	CYAML_FIELD_END,
};
ENTRY(chart_schema, struct config_render_chart, chart_fields);
static const cyaml_schema_field_t render_fields[] = {
	TEXT("mode", struct config_render, mode),
	TEXT("timeout", struct config_render, timeout),
	MAPS("charts", struct config_render, charts, chart_schema),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t rule_fields[] = {
	TEXT("rule", struct config_rule, rule),
	ENUM("level", struct config_rule, level, level_words),
	CYAML_FIELD_END,
};
ENTRY(rule_schema, struct config_rule, rule_fields);
static const cyaml_schema_field_t ignore_fields[] = {
	TEXT("rule", struct config_ignore, rule),
	TEXT("path", struct config_ignore, path),
	TEXT("object", struct config_ignore, object),
	TEXT("reason", struct config_ignore, reason),
	CYAML_FIELD_END,
};
ENTRY(ignore_schema, struct config_ignore, ignore_fields);
static const cyaml_schema_field_t threshold_fields[] = {
	TEXT("headroom", struct config_thresholds, headroom),
	TEXT("cpuOvercommit", struct config_thresholds, cpu_overcommit),
	TEXT("memoryOvercommit", struct config_thresholds, memory_overcommit),
	TEXT("cpuLimitRatio", struct config_thresholds, cpu_limit_ratio),
	TEXT("memoryLimitRatio", struct config_thresholds, memory_limit_ratio),
	TEXT("usageHeadroom", struct config_thresholds, usage_headroom),
	TEXT("heap", struct config_thresholds, heap),
	TEXT("scaleUpTime", struct config_thresholds, scale_up_time),
	TEXT("scaleDownDrop", struct config_thresholds, scale_down_drop),
	TEXT("spotNotice", struct config_thresholds, spot_notice),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t critical_fields[] = {
	TEXT("workloads", struct config_critical, workloads),
	TEXTS("namespaces", struct config_critical, namespaces),
	CYAML_FIELD_END,
};
ENTRY(critical_schema, struct config_critical, critical_fields);
static const cyaml_schema_field_t image_fields[] = {
	TEXT("match", struct config_image, match),
	TEXTS("platforms", struct config_image, platforms),
	CYAML_FIELD_END,
};
ENTRY(image_schema, struct config_image, image_fields);
static const cyaml_schema_field_t usage_fields[] = {
	TEXT("file", struct config_usage, file),
	TEXT("format", struct config_usage, format),
	CYAML_FIELD_END,
};
ENTRY(usage_schema, struct config_usage, usage_fields);
static const cyaml_schema_field_t label_policy_fields[] = {
	TEXT("workloads", struct config_policy, workloads),
	TEXTS("namespaces", struct config_policy, namespaces),
	TEXTS("labels", struct config_policy, wanted),
	CYAML_FIELD_END,
};
ENTRY(label_policy_schema, struct config_policy, label_policy_fields);
static const cyaml_schema_field_t taint_policy_fields[] = {
	TEXT("workloads", struct config_policy, workloads),
	TEXTS("namespaces", struct config_policy, namespaces),
	TEXTS("taints", struct config_policy, wanted),
	CYAML_FIELD_END,
};
ENTRY(taint_policy_schema, struct config_policy, taint_policy_fields);
static const cyaml_schema_field_t policy_fields[] = {
	MAPS("nodeLabels", struct config_policies, node_labels, label_policy_schema),
	MAPS("tolerations", struct config_policies, tolerations, taint_policy_schema),
	CYAML_FIELD_END,
};
static const cyaml_schema_field_t limit_fields[] = {
	TEXT("fileSize", struct config_limits, file_size),
	TEXT("findings", struct config_limits, findings),
	TEXT("time", struct config_limits, time),
	CYAML_FIELD_END,
};
/* The file itself, in the order of keys.c. */
static const cyaml_schema_field_t config_fields[] = {
	TEXT("version", struct config, version),
	TEXTS("paths", struct config, paths),
	TEXTS("exclude", struct config, exclude),
	TEXTS("nodes", struct config, nodes),
	TEXT("kubernetes", struct config, kubernetes),
	ENUM("complete", struct config, complete, flag_words),
	TEXTS("apis", struct config, apis),
	TEXTS("featureGates", struct config, feature_gates),
	MAPS("namespaces", struct config, namespaces, namespace_schema),
	MAPS("clusters", struct config, clusters, cluster_schema),
	MAP("render", struct config, render, render_fields),
	MAPS("rules", struct config, rules, rule_schema),
	TEXTS("select", struct config, select),
	MAPS("ignore", struct config, ignore, ignore_schema),
	ENUM("requireReasons", struct config, require_reasons, flag_words),
	ENUM("failOn", struct config, fail_on, level_words),
	ENUM("minLevel", struct config, min_level, level_words),
	ENUM("alerts", struct config, alerts, alert_words),
	MAP("thresholds", struct config, thresholds, threshold_fields),
	TEXT("fleet", struct config, fleet),
	TEXT("metricsServerMin", struct config, metrics_server_min),
	MAPS("critical", struct config, critical, critical_schema),
	TEXTS("specialGroups", struct config, special_groups),
	MAPS("images", struct config, images, image_schema),
	MAPS("usage", struct config, usage, usage_schema),
	MAP("policies", struct config, policies, policy_fields),
	TEXT("format", struct config, format),
	TEXTS("outputs", struct config, outputs),
	TEXT("baseline", struct config, baseline),
	MAP("limits", struct config, limits, limit_fields),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t config_schema_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct config, config_fields),
};

/* libcyaml's memory is the arena's: each piece remembers its size, for growing. */
#define HEADER ((size_t)16)

/* Nothing is given back: what a config leaves behind goes with the arena of the run. */
static void *take_memory(void *context, void *old, size_t size)
{
	struct arena *arena = context;
	char *fresh;

	if (!size)
		return NULL;
	fresh = arena_alloc(arena, size + HEADER);
	memcpy(fresh, &size, sizeof size);
	if (old) {
		size_t former;

		memcpy(&former, (char *)old - HEADER, sizeof former);
		memcpy(fresh + HEADER, old, former < size ? former : size);
	}
	return fresh + HEADER;
}

/* No logger: config_check() has told all mistakes already, with places that libcyaml lacks. */
bool config_fill(struct arena *arena, str text, struct config **ret_config, str *ret_error)
{
	const cyaml_config_t settings = {
		.log_level = CYAML_LOG_ERROR,
		.mem_fn = take_memory,
		.mem_ctx = arena,
		.flags = CYAML_CFG_DEFAULT,
	};
	cyaml_data_t *data = NULL;
	cyaml_err_t error = cyaml_load_data((const uint8_t *)text.p, text.n, &settings,
	                                    &config_schema_value, &data, NULL);

	*ret_config = error == CYAML_OK ? (struct config *)data : NULL;
	*ret_error = error == CYAML_OK ? (str){ 0 } : str_of(cyaml_strerror(error));
	return error == CYAML_OK;
}

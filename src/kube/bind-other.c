/* Tables of the classes that are one struct filled from one map. */
#include "bind-rows.h"

/* ---- Service, PodDisruptionBudget ----------------------------------------------------- */

static const struct bind_row service_port_rows[] = {
	ROW("name", TEXT, struct service_port, name),
	ROW("protocol", TEXT, struct service_port, protocol),
	ROW("port", NUMBER, struct service_port, port),
};
static const struct bind_table service_port_table = BIND_TABLE(service_port_rows,
                                                               struct service_port);

static const struct bind_row service_rows[] = {
	ROW("selector", PAIRS, struct service, selector),
	ROW_LIST("ports", struct service, ports, &service_port_table),
	ROW("type", TEXT, struct service, type),
	ROW("clusterIP", TEXT, struct service, cluster_ip),
	ROW("externalName", TEXT, struct service, external_name),
};
static const struct bind_table service_table = BIND_TABLE_PLAIN(service_rows, struct service);

static const struct bind_row pdb_rows[] = {
	ROW_INTO("selector", struct pdb, selector, &bind_label_selector),
	ROW("minAvailable", INT_OR_PERCENT, struct pdb, min_available),
	ROW("maxUnavailable", INT_OR_PERCENT, struct pdb, max_unavailable),
};
static const struct bind_table pdb_table = BIND_TABLE_PLAIN(pdb_rows, struct pdb);

/* ---- RuntimeClass, PriorityClass ------------------------------------------------------ */

/* The scheduler adds podFixed to every pod of the class. */
static const struct bind_row overhead_rows[] = {
	ROW("podFixed", AMOUNTS, struct runtime_class, overhead),
};
static const struct bind_table overhead_table = BIND_TABLE_PLAIN(overhead_rows,
                                                                 struct runtime_class);

static const struct bind_row scheduling_rows[] = {
	ROW("nodeSelector", PAIRS, struct runtime_class, node_selector),
	ROW("tolerations", NODE, struct runtime_class, tolerations.node),
	ROW_LIST("tolerations", struct runtime_class, tolerations, &bind_toleration),
};
static const struct bind_table scheduling_table = BIND_TABLE_PLAIN(scheduling_rows,
                                                                   struct runtime_class);

/* node.k8s.io/v1alpha1 keeps everything under spec. */
static const struct bind_row old_runtime_class_rows[] = {
	ROW("runtimeHandler", TEXT, struct runtime_class, handler),
	ROW_SAME("overhead", &overhead_table),
	ROW_SAME("scheduling", &scheduling_table),
};
static const struct bind_table old_runtime_class_table = BIND_TABLE_PLAIN(
	old_runtime_class_rows, struct runtime_class);

static const struct bind_row runtime_class_rows[] = {
	ROW_SAME("spec", &old_runtime_class_table),
	ROW("handler", TEXT, struct runtime_class, handler),
	ROW_SAME("overhead", &overhead_table),
	ROW_SAME("scheduling", &scheduling_table),
};
static const struct bind_table runtime_class_table = BIND_TABLE_PLAIN(
	runtime_class_rows, struct runtime_class);

static const struct bind_row priority_class_rows[] = {
	ROW("value", NUMBER, struct priority_class, value),
	ROW("globalDefault", FLAG, struct priority_class, global_default),
	ROW("preemptionPolicy", TEXT, struct priority_class, preemption_policy),
};
static const struct bind_table priority_class_table = BIND_TABLE_PLAIN(priority_class_rows,
                                                                       struct priority_class);

/* ---- APIService, ConfigMap ------------------------------------------------------------ */

/* The service that answers for the group; without one the API server itself does. */
static const struct bind_row api_backend_rows[] = {
	ROW("name", TEXT, struct api_service, service_name),
	ROW("namespace", TEXT, struct api_service, service_namespace),
	ROW("port", NUMBER, struct api_service, service_port),
};
static const struct bind_table api_backend_table = BIND_TABLE_PLAIN(api_backend_rows,
                                                                    struct api_service);

static const struct bind_row api_service_rows[] = {
	ROW("group", TEXT, struct api_service, group),
	ROW("version", TEXT, struct api_service, version),
	ROW("service", NODE, struct api_service, service),
	ROW_SAME("service", &api_backend_table),
	ROW("caBundle", TEXT, struct api_service, ca_bundle),
	ROW("insecureSkipTLSVerify", FLAG, struct api_service, insecure_skip_tls),
};
static const struct bind_table api_service_table = BIND_TABLE_PLAIN(api_service_rows,
                                                                    struct api_service);

/* binaryData is nobody's business. */
static const struct bind_row config_map_rows[] = {
	ROW("data", PAIRS, struct config_map, data),
};
static const struct bind_table config_map_table = BIND_TABLE_PLAIN(config_map_rows,
                                                                   struct config_map);

/* ---- Prometheus rules ----------------------------------------------------------------- */

static const struct bind_row rule_rows[] = {
	ROW("alert", TEXT, struct alert_rule, alert),
	ROW("record", TEXT, struct alert_rule, record),
	ROW("expr", TEXT, struct alert_rule, expr),
};
static const struct bind_table rule_table = BIND_TABLE(rule_rows, struct alert_rule);

static const struct bind_row rule_group_rows[] = {
	ROW_LIST("rules", struct prometheus_rule, rules, &rule_table),
};
static const struct bind_table rule_group_table = BIND_TABLE_PLAIN(rule_group_rows,
                                                                   struct prometheus_rule);

/* The rules of all groups, in one list. */
static void bind_groups(const struct binder *binder, const struct node *node, void *member)
{
	for (uint32_t i = 0; node_is_list(node) && i < node->child_count; i++)
		bind_map(binder, &node->children[i], &rule_group_table, member);
}

static const struct bind_row prometheus_rule_rows[] = {
	ROW_FUNCTION("groups", struct prometheus_rule, rules, bind_groups),
};
static const struct bind_table prometheus_rule_table = BIND_TABLE_PLAIN(
	prometheus_rule_rows, struct prometheus_rule);

/* ---- LimitRange, claims --------------------------------------------------------------- */

static const struct bind_row limit_rows[] = {
	ROW("type", TEXT, struct limit_range_item, type),
	ROW("max", AMOUNTS, struct limit_range_item, max),
	ROW("min", AMOUNTS, struct limit_range_item, min),
	ROW("default", AMOUNTS, struct limit_range_item, defaults),
	ROW("defaultRequest", AMOUNTS, struct limit_range_item, default_requests),
	ROW("maxLimitRequestRatio", AMOUNTS, struct limit_range_item, max_ratio),
};
static const struct bind_table limit_table = BIND_TABLE(limit_rows, struct limit_range_item);

static const struct bind_row limit_range_rows[] = {
	ROW_LIST("limits", struct limit_range, items, &limit_table),
};
static const struct bind_table limit_range_table = BIND_TABLE_PLAIN(limit_range_rows,
                                                                    struct limit_range);

static const struct bind_row claim_rows[] = {
	ROW("volumeName", TEXT, struct claim, volume_name),
	ROW("storageClassName", TEXT, struct claim, storage_class),
	ROW("accessModes", TEXTS, struct claim, access_modes),
};
static const struct bind_table claim_table = BIND_TABLE_PLAIN(claim_rows, struct claim);

/* ---- classes -------------------------------------------------------------------------- */

/* The classes that one table binds whole. */
struct class_row {
	enum object_class class;
	const char *below;                /* key that the fields lie under; NULL: the root */
	const struct bind_table *table;
};
static const struct class_row class_rows[] = {
	{ OBJECT_SERVICE, "spec", &service_table },
	{ OBJECT_PDB, "spec", &pdb_table },
	{ OBJECT_RUNTIME_CLASS, NULL, &runtime_class_table },
	{ OBJECT_PRIORITY_CLASS, NULL, &priority_class_table },
	{ OBJECT_API_SERVICE, "spec", &api_service_table },
	{ OBJECT_CONFIG_MAP, NULL, &config_map_table },
	{ OBJECT_PROMETHEUS_RULE, "spec", &prometheus_rule_table },
	{ OBJECT_LIMIT_RANGE, "spec", &limit_range_table },
	{ OBJECT_PVC, "spec", &claim_table },
};

void bind_simple(const struct binder *binder, struct object *object)
{
	for (size_t i = 0; i < COUNT_OF(class_rows); i++) {
		const struct class_row *row = &class_rows[i];
		const struct node *map = object->root;
		void *structure;

		if (row->class != object->class)
			continue;
		structure = arena_alloc(binder->arena, row->table->size);
		/* a plain rule file has no kind and its groups at the top */
		if (row->below && object->kind.n)
			map = node_get(map, row->below);
		bind_map(binder, map, row->table, structure);
		object->service = structure; /* any member: the union's pointers are one */
	}
}

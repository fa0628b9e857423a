/* AKS node pools as Terraform, Crossplane and Azure Service Operator declare them. */
#include "managed.h"

/* The first of the names that the pool has. */
static const struct node *first_of(const struct node *values, const char *const *names,
                                   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct node *node = managed_get(values, names[i]);

		if (node)
			return node;
	}
	return NULL;
}

/* Without autoscaling the count is minimum and maximum; AKS' default is one node. */
static void read_sizes(const struct reader *reader, const struct managed *managed,
                       struct group *group)
{
	static const char *const switches[] = { "auto_scaling_enabled", "enable_auto_scaling" };
	static const char *const counts[] = { "node_count", "count" };
	const struct node *scaling = first_of(managed->values, switches, COUNT_OF(switches));
	bool scales = false;

	if (scaling && !node_bool(scaling, &scales))
		return;
	if (!scales) {
		read_count(reader, first_of(managed->values, counts, COUNT_OF(counts)), true,
		           &group->max);
		if (!group->max.origin && !first_of(managed->values, counts, COUNT_OF(counts)))
			count_imply(&group->max, 1, NULL, "AKS' default");
		group->min = group->desired = group->max;
		return;
	}
	group->managed_by_autoscaler = true;
	read_count(reader, managed_get(managed->values, "min_count"), true, &group->min);
	read_count(reader, managed_get(managed->values, "max_count"), true, &group->max);
	read_count(reader, first_of(managed->values, counts, COUNT_OF(counts)), true,
	           &group->desired);
}

/* "1" of a pool in westus3 is the zone westus3-1 on its nodes. */
static void read_zone_numbers(const struct reader *reader, const struct managed *managed,
                              struct group *group)
{
	static const char *const names[] = { "zones", "availability_zones" };
	const struct node *list = first_of(managed->values, names, COUNT_OF(names));
	str region = managed->location && !managed->location->unknown
	                     ? node_text(managed->location) : (str){ 0 };
	struct strs numbers = { 0 };
	struct group_label *label = NULL;

	group_set_region(reader, group, region);
	if (!read_texts(reader, list, &numbers) || !numbers.n)
		return;
	for (size_t i = 0; i < numbers.n; i++) {
		str zone = region.n ? str_format(reader->arena, "%.*s-%.*s", STR_ARG(region),
		                                 STR_ARG(numbers.v[i])) : numbers.v[i];

		*VEC_PUSH(reader->arena, &group->zones) = zone;
	}
	if (region.n)
		label = label_imply(reader->arena, &group->labels, STR(LABEL_ZONE),
		                    group->zones.v[0], "set by AKS, from the zones");
	if (label)
		label->values = group->zones;
}

/* "regular" is never written as a priority, and spot is tainted. */
static void imply_labels(const struct reader *reader, const struct managed *managed,
                         struct group *group)
{
	static const char why[] = "set by AKS";
	static const char *const names[] = { "priority", "scale_set_priority" };
	struct group_labels *labels = &group->labels;
	str mode = node_text(managed_get(managed->values, "mode"));
	bool spot = str_is(node_text(first_of(managed->values, names, COUNT_OF(names))), "Spot");

	label_imply(reader->arena, labels, STR("kubernetes.azure.com/agentpool"), group->name, why);
	label_imply(reader->arena, labels, STR("agentpool"), group->name, why);
	label_imply(reader->arena, labels, STR("kubernetes.azure.com/role"), STR("agent"), why);
	if (mode.n)
		label_imply(reader->arena, labels, STR("kubernetes.azure.com/mode"),
		            str_lower(reader->arena, mode), why);
	group_set_capacity_type(group, spot ? "spot" : "on-demand");
	if (!spot)
		return;
	label_imply(reader->arena, labels, STR("kubernetes.azure.com/scalesetpriority"),
	            STR("spot"), why);
	taint_imply(reader->arena, group, "kubernetes.azure.com/scalesetpriority", "spot",
	            "NoSchedule");
}

static void read_type(const struct reader *reader, const struct managed *managed,
                      struct group *group)
{
	const struct node *size = managed_get(managed->values, "vm_size");

	if (size)
		shape_add(reader, group, size->unknown ? (str){ 0 } : node_text(size), size);
}

struct group *managed_read_aks(const struct reader *reader, const struct managed *managed)
{
	const struct node *values = managed->values;
	struct group *group = managed_begin(reader, managed, "azure", "node_labels",
	                                    "node_taints");
	bool windows = str_is(node_text(managed_get(values, "os_type")), "Windows");
	str own = node_text(managed_get(values, "orchestrator_version"));
	struct sizing sizing = { 0 };

	if (own.n)
		group->version = own;
	read_labels(reader, managed_get(values, "node_labels"), group);
	read_taints(reader, managed_get(values, "node_taints"), group, &group->taints);
	read_pairs(reader, managed_get(values, "tags"), &group->tags);
	if (managed_flag(values, "only_critical_addons_enabled"))
		taint_imply(reader->arena, group, "CriticalAddonsOnly", "true", "NoSchedule");
	read_sizes(reader, managed, group);
	group_set_os(reader, group, windows ? STR("windows") : STR("linux"));
	imply_labels(reader, managed, group);
	read_zone_numbers(reader, managed, group);
	read_type(reader, managed, group);
	read_max_pods(reader, managed_get(values, "max_pods"), &sizing);
	sizing.hidden_kubelet = windows || managed_block(values, "kubelet_config");
	shapes_resolve(reader, group, &sizing);
	return group;
}

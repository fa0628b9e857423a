/* OpenShift: MachineSet with MachineAutoscaler and ClusterAutoscaler, HyperShift's NodePool
 * (node-groups.md section 14). */
#include "pools-internal.h"

#define MACHINE "machine.openshift.io"
#define AUTOSCALING "autoscaling.openshift.io"
#define HYPERSHIFT "hypershift.openshift.io"

bool openshift_detect(str api_version, str kind, const struct node *root)
{
	(void)root;
	return (version_in_group(api_version, MACHINE) && str_is(kind, "MachineSet")) ||
	       (version_in_group(api_version, AUTOSCALING) &&
	        (str_is(kind, "MachineAutoscaler") || str_is(kind, "ClusterAutoscaler"))) ||
	       (version_in_group(api_version, HYPERSHIFT) && str_is(kind, "NodePool"));
}

/* ---- machines ------------------------------------------------------------------------ */

/* Providers by the kind of the machine's configuration. */
static const struct machine_row {
	const char *kind, *provider, *type, *spot, *zone;
} machine_rows[] = {
	{ "AWSMachineProviderConfig", "aws", "instanceType", "spotMarketOptions",
	  "placement.availabilityZone" },
	{ "AzureMachineProviderSpec", "azure", "vmSize", "spotVMOptions", "zone" },
	{ "GCPMachineProviderSpec", "gcp", "machineType", "preemptible", "zone" },
};

static const struct machine_row *machine_row(str kind)
{
	for (size_t i = 0; i < COUNT_OF(machine_rows); i++)
		if (str_is(kind, machine_rows[i].kind))
			return &machine_rows[i];
	return NULL;
}

static bool is_on(const struct node *node)
{
	bool value = false;

	return node_is_map(node) || (node_bool(node, &value) && value);
}

/* Other providers' machines (vSphere, OpenStack) have no type that the catalogue knows. */
static void read_machine(const struct reader *reader, const struct node *value, struct group *group)
{
	const struct machine_row *row = machine_row(node_text(node_get(value, "kind")));
	const struct node *type, *zone;

	if (!row)
		return;
	group->provider = str_of(row->provider);
	type = node_get(value, row->type);
	zone = node_at(value, row->zone);
	if (node_is_scalar(type))
		shape_add(reader, group, type->unknown ? (str){ 0 } : node_text(type), type);
	group_set_capacity_type(group, is_on(node_get(value, row->spot)) ? "spot" : "on-demand");
	group_set_region(reader, group, node_text(node_at(value, "placement.region")));
	if (node_is_scalar(zone) && !zone->unknown && !str_is(group->provider, "azure"))
		read_zones(reader, zone, group);
}

/* From-zero annotations say what a node has. */
static void read_annotations(const struct reader *reader, struct sizing *sizing)
{
	static const struct {
		const char *key, *resource;
		int64_t factor;
	} rows[] = {
		{ "machine.openshift.io/vCPU", "cpu", 1000 },
		{ "machine.openshift.io/memoryMb", "memory", MIB },
		{ "machine.openshift.io/GPU", "nvidia.com/gpu", 1 },
	};
	const struct node *map = node_at(reader->entry->root, "metadata.annotations");

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct node *node = node_get(map, rows[i].key);
		int64_t amount;

		if (!node_is_scalar(node) || node->unknown ||
		    !str_to_int64(node_text(node), &amount) || amount < 0)
			continue;
		amount = int64_mul_saturated(amount, rows[i].factor);
		*VEC_PUSH(reader->arena, &sizing->capacity) = (struct capacity_fact){
			.resource = str_of(rows[i].resource), .known = true, .safe = amount,
			.optimistic = amount, .origin = ORIGIN_DECLARED, .node = node };
	}
}

/* What the operator reserves on every node unless a KubeletConfig says other. */
static void reserve(struct sizing *sizing)
{
	sizing->reserved = (struct reservations){ .declared = true, .milli_cpu = 500,
		                                  .memory = 1024 * MIB };
	if (!sizing->max_pods)
		sizing->max_pods = 250;
}

/* ---- sizes --------------------------------------------------------------------------- */

/* The operator writes annotations; a MachineAutoscaler among the documents claims bounds. */
static void read_sizes(const struct reader *reader, struct group *group)
{
	static const char prefix[] = "machine.openshift.io/cluster-api-autoscaler-node-group-";
	const struct node *spec = node_get(reader->entry->root, "spec");
	const struct node *map = node_at(reader->entry->root, "metadata.annotations");
	const struct node *replicas = node_get(spec, "replicas");
	const char *min = str_c(reader->arena, str_format(reader->arena, "%smin-size", prefix));
	const char *max = str_c(reader->arena, str_format(reader->arena, "%smax-size", prefix));

	read_count(reader, node_get(map, min), true, &group->min);
	read_count(reader, node_get(map, max), true, &group->max);
	read_count(reader, replicas, false, &group->desired);
	group->managed_by_autoscaler = group->max.origin != ORIGIN_UNKNOWN;
	if (group->max.origin || node_get(map, max) ||
	    map_has(reader->context->scaled, reader->entry->name))
		return;
	if (group->desired.origin)
		group->max = group->desired;
	else if (!replicas)
		count_imply(&group->max, 1, NULL, "the API's default");
	group->min = group->max;
}

/* A MachineAutoscaler claims the bounds of its set. */
static void read_scaler(const struct reader *reader)
{
	const struct node *spec = node_get(reader->entry->root, "spec");
	const struct node *name = node_at(spec, "scaleTargetRef.name");
	const struct node *max = node_get(spec, "maxReplicas");
	struct bounds_claim claim = { .format = "MachineAutoscaler", .node = name };

	if (!node_is_scalar(name) || name->unknown)
		return;
	read_count(reader, node_get(spec, "minReplicas"), false, &claim.min);
	read_count(reader, max, false, &claim.max);
	claim_add(reader, node_text(name), claim);
}

static void read_cluster_scaler(const struct reader *reader)
{
	const struct node *spec = node_get(reader->entry->root, "spec");
	struct autoscaler *autoscaler = ARENA_NEW(reader->arena, struct autoscaler);
	const struct node *cutoff = node_get(spec, "podPriorityThreshold");
	const struct node *total = node_at(spec, "resourceLimits.maxNodesTotal");
	bool local = true;

	autoscaler->version = (struct version){ -1, -1, -1 };
	autoscaler->namespace = STR("openshift-machine-api");
	autoscaler->expendable_priority_cutoff = -10;
	node_int(cutoff, &autoscaler->expendable_priority_cutoff);
	autoscaler->skip_local_storage =
		!node_bool(node_get(spec, "skipNodesWithLocalStorage"), &local) || local;
	read_count(reader, total, false, &autoscaler->max_nodes_total);
	read_texts(reader, node_get(spec, "expanders"), &autoscaler->expanders);
	*VEC_PUSH(reader->arena, &reader->pools->autoscalers) = autoscaler;
	reader->pools->autoscaler_declared = true;
}

/* ---- groups -------------------------------------------------------------------------- */

static void imply_labels(const struct reader *reader, struct group *group)
{
	label_imply(reader->arena, &group->labels, STR("node-role.kubernetes.io/worker"),
	            (str){ 0 }, "set by OpenShift");
	label_imply(reader->arena, &group->labels, STR("node.openshift.io/os_id"), STR("rhcos"),
	            "set by OpenShift");
	group_set_os(reader, group, STR("linux"));
}

static void read_set(const struct reader *reader)
{
	const struct node *spec = node_at(reader->entry->root, "spec.template.spec");
	const struct node *labels = node_at(spec, "metadata.labels");
	struct group *group = group_new(reader, reader->entry->name, reader->entry->root);
	struct sizing sizing = { 0 };

	/* Sets without labels for their nodes may get them elsewhere. */
	group->labels_complete = labels != NULL;
	group->taints_known = true;
	read_labels(reader, labels, group);
	read_taints(reader, node_get(spec, "taints"), group, &group->taints);
	read_sizes(reader, group);
	read_machine(reader, node_at(spec, "providerSpec.value"), group);
	imply_labels(reader, group);
	read_annotations(reader, &sizing);
	reserve(&sizing);
	shapes_resolve(reader, group, &sizing);
}

/* Hosted clusters size their pools themselves. */
static void read_hypershift(const struct reader *reader)
{
	const struct node *spec = node_get(reader->entry->root, "spec");
	const struct node *scaling = node_get(spec, "autoScaling");
	const struct node *type = node_at(spec, "platform.aws.instanceType");
	struct group *group = group_new(reader, reader->entry->name, reader->entry->root);
	struct sizing sizing = { 0 };

	group->labels_complete = group->taints_known = true;
	group->arch = node_get(spec, "arch") ? node_text(node_get(spec, "arch")) : STR("amd64");
	read_labels(reader, node_get(spec, "nodeLabels"), group);
	read_taints(reader, node_get(spec, "taints"), group, &group->taints);
	if (scaling) {
		read_count(reader, node_get(scaling, "min"), false, &group->min);
		read_count(reader, node_get(scaling, "max"), false, &group->max);
		group->managed_by_autoscaler = true;
	} else {
		read_count(reader, node_get(spec, "replicas"), false, &group->max);
		group->min = group->desired = group->max;
	}
	label_imply(reader->arena, &group->labels, STR("hypershift.openshift.io/nodePool"),
	            group->name, "set by HyperShift");
	if (node_is_scalar(type))
		shape_add(reader, group, node_text(type), type);
	imply_labels(reader, group);
	reserve(&sizing);
	shapes_resolve(reader, group, &sizing);
}

void openshift_read(const struct reader *reader)
{
	str kind = reader->entry->kind;

	if (str_is(kind, "MachineAutoscaler"))
		read_scaler(reader);
	else if (str_is(kind, "ClusterAutoscaler"))
		read_cluster_scaler(reader);
	else if (str_is(kind, "MachineSet"))
		read_set(reader);
	else
		read_hypershift(reader);
}

/* Cluster API: MachineDeployment, MachineSet, MachinePool, and Clusters of a class; the templates
 * that they name (node-groups.md section 3). */
#include "kubelet-args.h"
#include "managed.h"

#define CAPI "cluster.x-k8s.io"
#define INFRASTRUCTURE "infrastructure.cluster.x-k8s.io"
#define BOOTSTRAP "bootstrap.cluster.x-k8s.io"
#define SIZE_PREFIX "cluster.x-k8s.io/cluster-api-autoscaler-node-group-"
#define CAPACITY_PREFIX "capacity.cluster-autoscaler.kubernetes.io/"

static bool is_machine_kind(str kind)
{
	static const char *const kinds[] = { "MachineDeployment", "MachineSet", "MachinePool" };

	return text_is_any(kind, kinds, COUNT_OF(kinds));
}

bool capi_detect(str api_version, str kind, const struct node *root)
{
	if (version_in_group(api_version, CAPI))
		return is_machine_kind(kind) ||
		       (str_is(kind, "Cluster") && (!root || node_at(root, "spec.topology")));
	return version_in_group(api_version, BOOTSTRAP) ||
	       (version_in_group(api_version, INFRASTRUCTURE) &&
	        (str_ends(kind, STR("MachineTemplate")) || str_ends(kind, STR("MachinePool"))));
}

/* ---- sizes --------------------------------------------------------------------------- */

/* Keys are long: they are looked up by their last part. */
static const struct node *annotation(const struct node *annotations, const char *prefix,
                                     const char *name)
{
	str wanted = str_of(prefix);

	for (uint32_t i = 0; node_is_map(annotations) && i < annotations->child_count; i++) {
		const struct node *node = &annotations->children[i];

		if (str_starts(node->key, wanted) &&
		    str_is(str_slice(node->key, wanted.n, node->key.n), name))
			return node;
	}
	return NULL;
}

/* The autoscaler moves the object only if both annotations are there. */
static void read_sizes(const struct reader *reader, const struct node *annotations,
                       const struct node *replicas, struct group *group)
{
	const struct node *min = annotation(annotations, SIZE_PREFIX, "min-size");
	const struct node *max = annotation(annotations, SIZE_PREFIX, "max-size");

	read_count(reader, replicas, false, &group->desired);
	if (min && max) {
		read_count(reader, min, true, &group->min);
		read_count(reader, max, true, &group->max);
		group->managed_by_autoscaler = true;
		return;
	}
	if (group->desired.origin)
		group->max = group->desired;
	else if (node_is_null(replicas))
		count_imply(&group->max, 1, NULL, "the API's default");
	group->min = group->max;
}

/* ---- labels -------------------------------------------------------------------------- */

/* Domains whose Machine labels reach the Node. */
static bool is_synced(str key)
{
	str domain, name;
	static const char *const domains[] = { "node-restriction.kubernetes.io",
		                               "node.cluster.x-k8s.io" };

	if (!str_cut(key, '/', &domain, &name))
		return false;
	if (str_is(domain, "node-role.kubernetes.io"))
		return true;
	for (size_t i = 0; i < COUNT_OF(domains); i++) {
		str own = str_of(domains[i]);

		if (str_eq(domain, own) ||
		    (str_ends(domain, own) && domain.p[domain.n - own.n - 1] == '.'))
			return true;
	}
	return false;
}

/* The other labels stay on the Machine object. */
static void read_machine_labels(const struct reader *reader, const struct node *labels,
                                struct group *group)
{
	for (uint32_t i = 0; node_is_map(labels) && i < labels->child_count && i < 1000; i++) {
		const struct node *node = &labels->children[i];

		if (is_synced(node->key) && node_is_scalar(node))
			label_declare(reader->arena, &group->labels, node->key, node_text(node),
			              node);
	}
}

/* ---- capacity from zero -------------------------------------------------------------- */

static void add_capacity(const struct reader *reader, const struct node *node, str resource,
                         struct sizing *sizing)
{
	struct quantity quantity;
	int64_t amount = 0;

	if (!node_is_scalar(node) || node->unknown ||
	    !quantity_parse(node_json_text(reader->arena, node), &quantity) ||
	    quantity_sign(&quantity) < 0)
		return;
	if (str_is(resource, "cpu"))
		quantity_milli_ceil(&quantity, &amount);
	else
		quantity_value_ceil(&quantity, &amount);
	*VEC_PUSH(reader->arena, &sizing->capacity) = (struct capacity_fact){
		.resource = resource, .known = true, .safe = amount, .optimistic = amount,
		.origin = ORIGIN_DECLARED, .node = node };
}

/* Upstream: cluster-autoscaler cloudprovider/clusterapi, scale from zero. */
static void read_capacity(const struct reader *reader, const struct node *annotations,
                          struct group *group, struct sizing *sizing)
{
	const struct node *gpu = annotation(annotations, CAPACITY_PREFIX, "gpu-type");
	const struct node *labels = annotation(annotations, CAPACITY_PREFIX, "labels");

	add_capacity(reader, annotation(annotations, CAPACITY_PREFIX, "cpu"), STR("cpu"), sizing);
	add_capacity(reader, annotation(annotations, CAPACITY_PREFIX, "memory"), STR("memory"),
	             sizing);
	add_capacity(reader, annotation(annotations, CAPACITY_PREFIX, "ephemeral-disk"),
	             STR("ephemeral-storage"), sizing);
	add_capacity(reader, annotation(annotations, CAPACITY_PREFIX, "gpu-count"),
	             gpu && !gpu->unknown ? node_text(gpu) : STR("nvidia.com/gpu"), sizing);
	read_max_pods(reader, annotation(annotations, CAPACITY_PREFIX, "maxPods"), sizing);
	if (node_is_scalar(labels) && !labels->unknown)
		read_label_text(reader, node_text(labels), labels, group);
}

/* ---- references ---------------------------------------------------------------------- */

static const struct entry *follow(const struct reader *reader, const struct node *ref,
                                  const char *group)
{
	return ref ? context_find(reader->context, group, node_text(node_get(ref, "kind")),
	                          node_text(node_get(ref, "name"))) : NULL;
}

/* What a worker registers; without the template nobody knows. */
static void read_bootstrap(const struct reader *reader, const struct node *ref, struct group *group,
                           struct sizing *sizing)
{
	const struct entry *entry = follow(reader, ref, BOOTSTRAP);
	const struct node *spec = entry ? node_get(entry->root, "spec") : NULL;
	const struct node *inner = node_at(spec, "template.spec");
	const struct node *registration;

	group->labels_complete = group->taints_known = entry && entry->name.n;
	inner = inner ? inner : spec;
	registration = node_at(inner, "joinConfiguration.nodeRegistration");
	if (str_is(node_text(node_get(ref, "kind")), "KubeadmConfigTemplate") ||
	    str_is(node_text(node_get(ref, "kind")), "KubeadmConfig"))
		sizing->kubelet_only = true;
	else
		group->labels_complete = group->taints_known = false;
	registration_read(reader, registration, false, group, sizing);
}

/* Machines by the kind of their template. */
static const struct machine_row {
	const char *kind, *provider, *type, *spot;
} machine_rows[] = {
	{ "AWSMachineTemplate", "aws", "instanceType", "spotMarketOptions" },
	{ "AWSMachinePool", "aws", "awsLaunchTemplate.instanceType",
	  "awsLaunchTemplate.spotMarketOptions" },
	{ "AzureMachineTemplate", "azure", "vmSize", "spotVMOptions" },
	{ "AzureMachinePool", "azure", "template.vmSize", "template.spotVMOptions" },
	{ "GCPMachineTemplate", "gcp", "instanceType", "preemptible" },
};

/* The first row of the kind decides; kinds without a row leave the machine unknown. */
static void read_machine(const struct reader *reader, const struct entry *entry,
                         struct group *group)
{
	const struct node *spec = node_get(entry->root, "spec"), *type, *spot;
	const struct node *inner = node_at(spec, "template.spec");
	bool on = false;

	inner = inner ? inner : spec;
	for (size_t i = 0; i < COUNT_OF(machine_rows); i++) {
		const struct machine_row *row = &machine_rows[i];

		if (!str_is(entry->kind, row->kind))
			continue;
		group->provider = str_of(row->provider);
		type = node_at(inner, row->type);
		spot = node_at(inner, row->spot);
		if (node_is_scalar(type))
			shape_add(reader, group, type->unknown ? (str){ 0 } : node_text(type),
			          type);
		on = node_is_map(spot) || (node_bool(spot, &on) && on);
		group_set_capacity_type(group, on ? "spot" : "on-demand");
		return;
	}
}

/* Pools whose sizes and labels are the cloud's own. */
static void read_managed(const struct reader *reader, const struct entry *entry,
                         struct group *group)
{
	const struct node *spec = node_get(entry->root, "spec");
	const struct node *scaling = node_get(spec, "scaling");
	static const char *const labels[] = { "labels", "nodeLabels", "kubernetesLabels" };
	static const char *const taints[] = { "taints", "kubernetesTaints" };
	static const char *const types[] = { "instanceType", "sku" };
	static const char *const mins[] = { "minSize", "minCount" };
	static const char *const maxs[] = { "maxSize", "maxCount" };
	const struct node *type = node_first(spec, types, COUNT_OF(types));

	group->provider = str_starts(entry->kind, STR("AWS")) ? STR("aws")
	                : str_starts(entry->kind, STR("Azure")) ? STR("azure") : STR("gcp");
	group->labels_complete = group->taints_known = true;
	read_labels(reader, node_first(spec, labels, COUNT_OF(labels)), group);
	read_taints(reader, node_first(spec, taints, COUNT_OF(taints)), group, &group->taints);
	if (scaling) {
		group->min = group->max = (struct count_fact){ 0 };
		read_count(reader, node_first(scaling, mins, COUNT_OF(mins)), false, &group->min);
		read_count(reader, node_first(scaling, maxs, COUNT_OF(maxs)), false, &group->max);
		group->managed_by_autoscaler = true;
	}
	if (node_is_scalar(type))
		shape_add(reader, group, type->unknown ? (str){ 0 } : node_text(type), type);
	if (str_is(node_text(node_get(spec, "capacityType")), "spot") ||
	    str_is(node_text(node_get(spec, "scaleSetPriority")), "Spot"))
		group_set_capacity_type(group, "spot");
	read_zones(reader, node_get(spec, "availabilityZones"), group);
}

/* An AWSMachinePool has bounds of its own. */
static void read_pool_bounds(const struct reader *reader, const struct entry *entry,
                             struct group *group)
{
	const struct node *min = node_at(entry->root, "spec.minSize");
	const struct node *max = node_at(entry->root, "spec.maxSize");

	if (group->managed_by_autoscaler || !min || !max)
		return;
	group->min = group->max = (struct count_fact){ 0 };
	read_count(reader, min, false, &group->min);
	read_count(reader, max, false, &group->max);
}

/* Without the template among the documents the machine stays unknown. */
static void read_infrastructure(const struct reader *reader, const struct node *ref,
                                struct group *group, struct sizing *sizing)
{
	const struct entry *entry = follow(reader, ref, INFRASTRUCTURE);
	const struct node *capacity;

	if (!entry)
		return;
	if (str_ends(entry->kind, STR("ManagedMachinePool"))) {
		sizing->kubelet_only = false;
		read_managed(reader, entry, group);
		return;
	}
	read_machine(reader, entry, group);
	read_pool_bounds(reader, entry, group);
	capacity = node_at(entry->root, "status.capacity");
	for (uint32_t i = 0; node_is_map(capacity) && i < capacity->child_count; i++)
		if (!capacity_find(&sizing->capacity, capacity->children[i].key))
			add_capacity(reader, &capacity->children[i], capacity->children[i].key,
			             sizing);
}

/* ---- groups -------------------------------------------------------------------------- */

/* One failure domain of a deployment, several of a pool. */
static void read_domains(const struct reader *reader, const struct node *spec,
                         const struct node *template, struct group *group)
{
	const struct node *one = node_get(template, "failureDomain");
	const struct node *many = node_get(spec, "failureDomains");

	if (node_is_scalar(one) || node_is_list(many))
		read_zones(reader, one ? one : many, group);
}

/* Bootstrap first: it decides whether the labels are a closed list. */
static void read_machines(const struct reader *reader)
{
	const struct node *root = reader->entry->root, *spec = node_get(root, "spec");
	const struct node *annotations = node_at(root, "metadata.annotations");
	const struct node *template = node_at(spec, "template.spec");
	struct group *group = group_new(reader, reader->entry->name, root);
	struct sizing sizing = { 0 };

	read_bootstrap(reader, node_at(template, "bootstrap.configRef"), group, &sizing);
	read_machine_labels(reader, node_at(spec, "template.metadata.labels"), group);
	read_taints(reader, node_get(template, "taints"), group, &group->taints);
	read_sizes(reader, annotations, node_get(spec, "replicas"), group);
	read_capacity(reader, annotations, group, &sizing);
	read_infrastructure(reader, node_get(template, "infrastructureRef"), group, &sizing);
	read_domains(reader, spec, template, group);
	group_set_os(reader, group, STR("linux"));
	group->version = node_text(node_get(template, "version"));
	pools_add_version(reader->pools, group->version);
	shapes_resolve(reader, group, &sizing);
}

/* Groups of a topology: their class is a template that is not followed. */
static void read_topology(const struct reader *reader, const char *path)
{
	const struct node *list = node_at(reader->entry->root, path);

	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		const struct node *item = &list->children[i];
		struct group *group;
		const struct sizing sizing = { 0 };

		if (!node_is_map(item) || item->unknown || !node_text(node_get(item, "name")).n)
			continue;
		group = group_new(reader, node_text(node_get(item, "name")), item);
		read_machine_labels(reader, node_at(item, "metadata.labels"), group);
		read_sizes(reader, node_at(item, "metadata.annotations"),
		           node_get(item, "replicas"), group);
		read_domains(reader, item, item, group);
		group_set_os(reader, group, STR("linux"));
		shapes_resolve(reader, group, &sizing);
	}
}

/* A set that a MachineDeployment owns is no group of its own. */
static bool is_owned(const struct node *root)
{
	const struct node *owners = node_at(root, "metadata.ownerReferences");

	for (uint32_t i = 0; node_is_list(owners) && i < owners->child_count; i++)
		if (str_is(node_text(node_get(&owners->children[i], "kind")), "MachineDeployment"))
			return true;
	return false;
}

void capi_read(const struct reader *reader)
{
	const struct entry *entry = reader->entry;

	if (!version_in_group(entry->api_version, CAPI))
		return; /* read by whoever names it */
	if (str_is(entry->kind, "Cluster")) {
		pools_add_version(reader->pools,
		                  node_text(node_at(entry->root, "spec.topology.version")));
		read_topology(reader, "spec.topology.workers.machineDeployments");
		read_topology(reader, "spec.topology.workers.machinePools");
	} else if (!is_owned(entry->root)) {
		read_machines(reader);
	}
}

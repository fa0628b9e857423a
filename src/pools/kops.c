/* kOps InstanceGroup and what its Cluster says for it (node-groups.md section 4). */
#include "kubelet-args.h"

#define ROLE_NODE "Node"

bool kops_detect(str api_version, str kind, const struct node *root)
{
	(void)root;
	return version_in_group(api_version, "kops.k8s.io") &&
	       (str_is(kind, "InstanceGroup") || str_is(kind, "Cluster"));
}

/* ---- cluster ------------------------------------------------------------------------- */

static void read_autoscaler(const struct reader *reader, const struct node *spec)
{
	const struct node *settings = node_get(spec, "clusterAutoscaler");
	const struct node *local = node_get(settings, "skipNodesWithLocalStorage");
	struct autoscaler *autoscaler;
	bool enabled = false, skip = true;
	str rest = node_text(node_get(settings, "expander")), piece;

	if (!node_bool(node_get(settings, "enabled"), &enabled) || !enabled)
		return;
	autoscaler = ARENA_NEW(reader->arena, struct autoscaler);
	autoscaler->version = (struct version){ -1, -1, -1 };
	autoscaler->namespace = STR("kube-system");
	autoscaler->expendable_priority_cutoff = -10;
	autoscaler->skip_local_storage = !node_bool(local, &skip) || skip;
	while (str_next(&rest, ',', &piece) && autoscaler->expanders.n < 100)
		*VEC_PUSH(reader->arena, &autoscaler->expanders) = str_trim(piece);
	*VEC_PUSH(reader->arena, &reader->pools->autoscalers) = autoscaler;
	reader->pools->autoscaler_declared = true;
}

static void read_cluster(const struct reader *reader)
{
	const struct node *spec = node_get(reader->entry->root, "spec");
	bool karpenter = false;

	pools_add_version(reader->pools, node_text(node_get(spec, "kubernetesVersion")));
	read_autoscaler(reader, spec);
	if (node_bool(node_at(spec, "karpenter.enabled"), &karpenter) && karpenter)
		reader->pools->karpenter = true;
}

/* A word in v1alpha2, a map with the provider's key in v1alpha3. */
static str provider_of(const struct node *spec)
{
	static const struct {
		const char *word, *provider;
	} rows[] = { { "aws", "aws" }, { "gce", "gcp" }, { "azure", "azure" } };
	const struct node *cloud = node_get(spec, "cloudProvider");

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_is(node_text(cloud), rows[i].word) || node_get(cloud, rows[i].word))
			return str_of(rows[i].provider);
	return (str){ 0 };
}

/* ---- zones --------------------------------------------------------------------------- */

/* The zone of a subnet of the cluster; the subnet's own name where it has none. */
static str zone_of_subnet(const struct node *cluster, str name)
{
	static const char *const paths[] = { "networking.subnets", "subnets" };

	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		const struct node *list = node_at(cluster, paths[i]);

		for (uint32_t k = 0; node_is_list(list) && k < list->child_count; k++)
			if (str_eq(node_text(node_get(&list->children[k], "name")), name))
				return node_text(node_get(&list->children[k], "zone"));
	}
	return (str){ 0 };
}

/* A subnet that the cluster does not declare leaves the zones unknown. */
static void read_kops_zones(const struct reader *reader, const struct node *spec,
                            const struct node *cluster, struct group *group)
{
	const struct node *subnets = node_get(spec, "subnets");
	struct group_label *label;
	struct strs zones = { 0 };

	if (node_get(spec, "zones")) {
		read_zones(reader, node_get(spec, "zones"), group);
		return;
	}
	for (uint32_t i = 0; node_is_list(subnets) && i < subnets->child_count && i < 100; i++) {
		str zone = zone_of_subnet(cluster, node_text(&subnets->children[i]));
		bool seen = false;

		if (!zone.n)
			return;
		for (size_t k = 0; k < zones.n; k++)
			seen = seen || str_eq(zones.v[k], zone);
		if (!seen)
			*VEC_PUSH(reader->arena, &zones) = zone;
	}
	if (!zones.n)
		return;
	group->zones = zones;
	label = label_imply(reader->arena, &group->labels, STR(LABEL_ZONE), zones.v[0],
	                    "set by the cloud, from the subnets");
	if (label)
		label->values = zones;
}

/* ---- groups -------------------------------------------------------------------------- */

/* Karpenter's groups have no default sizes. */
static void read_sizes(const struct reader *reader, const struct node *spec, bool worker,
                       struct group *group)
{
	const struct node *min = node_get(spec, "minSize"), *max = node_get(spec, "maxSize");
	bool karpenter = str_is(node_text(node_get(spec, "manager")), "Karpenter");

	read_count(reader, min, false, &group->min);
	read_count(reader, max, false, &group->max);
	if (karpenter) {
		count_imply(&group->min, 0, NULL, "Karpenter removes what is not used");
		if (!max)
			count_imply(&group->max, INT64_MAX, NULL, "no limit on nodes");
	}
	if (!min)
		count_imply(&group->min, worker ? 2 : 1, NULL, "kOps' default");
	if (!max)
		count_imply(&group->max, worker ? 2 : 1, NULL, "kOps' default");
	group->managed_by_autoscaler = group->min.origin && group->max.origin &&
	                               group->min.value < group->max.value;
}

/* Instance requirements instead of types leave the shape unknown. */
static void read_types(const struct reader *reader, const struct node *spec, struct group *group)
{
	const struct node *mixed = node_at(spec, "mixedInstancesPolicy.instances");
	const struct node *type = node_get(spec, "machineType");
	str rest = node_text(type), name;

	for (uint32_t i = 0; node_is_list(mixed) && i < mixed->child_count && i < 1000; i++)
		shape_add(reader, group, node_text(&mixed->children[i]), &mixed->children[i]);
	if (group->shapes.n || !type || type->unknown ||
	    node_at(spec, "mixedInstancesPolicy.instanceRequirements"))
		return;
	while (str_next(&rest, ',', &name) && group->shapes.n < 1000)
		shape_add(reader, group, str_trim(name), type);
}

static void read_spot(const struct node *spec, struct group *group)
{
	const struct node *policy = node_get(spec, "mixedInstancesPolicy");
	int64_t base = -1, above = -1;

	if (!node_is_null(node_get(spec, "maxPrice")))
		group_set_capacity_type(group, "spot");
	else if (!policy)
		group_set_capacity_type(group, "on-demand");
	else if (node_int(node_get(policy, "onDemandAboveBase"), &above) && above == 0 &&
	         (!node_get(policy, "onDemandBase") ||
	          (node_int(node_get(policy, "onDemandBase"), &base) && base == 0)))
		group_set_capacity_type(group, "spot");
}

/* The group's own containerd settings, the cluster's where it has none. */
static bool has_gpu_runtime(const struct node *spec, const struct node *cluster)
{
	const struct node *own = node_at(spec, "containerd.nvidiaGPU.enabled");
	bool enabled = false;

	own = own ? own : node_at(cluster, "containerd.nvidiaGPU.enabled");
	return node_bool(own, &enabled) && enabled;
}

/* The label and the taint come only where a device is. */
static bool has_device(const struct group *group)
{
	for (size_t i = 0; i < group->shapes.n; i++) {
		const struct instance_type *type =
			instance_type_find(group->provider, group->shapes.v[i].instance_type);

		if (type && type->gpu_count)
			return true;
	}
	return false;
}

/* On AWS the group's own label is there only when it is declared. */
static void imply_labels(const struct reader *reader, const struct node *spec,
                         const struct node *cluster, bool worker, struct group *group)
{

	if (worker)
		label_imply(reader->arena, &group->labels, STR("node-role.kubernetes.io/node"),
		            (str){ 0 }, "set by kOps");
	else
		control_plane_imply(reader, group, true, "");
	if (!str_is(group->provider, "aws"))
		label_imply(reader->arena, &group->labels, STR("kops.k8s.io/instancegroup"),
		            group->name, "set by kOps");
	if (!has_gpu_runtime(spec, cluster) || !has_device(group))
		return;
	label_imply(reader->arena, &group->labels, STR("kops.k8s.io/gpu"), STR("1"), "set by kOps");
	for (size_t i = 0; i < group->taints.n; i++)
		if (str_starts(group->taints.v[i].key, STR("nvidia.com/gpu")))
			return;
	taint_imply(reader->arena, group, "nvidia.com/gpu", "", "NoSchedule");
}

/* The group's own kubelet settings, the cluster's where it has none. */
static void read_sizing(const struct reader *reader, const struct node *spec,
                        const struct node *cluster, struct sizing *sizing)
{
	const struct node *common = node_get(cluster, "kubelet"), *own = node_get(spec, "kubelet");
	bool reserves = node_get(own, "kubeReserved") || node_get(own, "systemReserved") ||
	                node_get(own, "evictionHard");

	read_max_pods(reader, node_get(own, "maxPods") ? node_get(own, "maxPods")
	                                               : node_get(common, "maxPods"), sizing);
	own = reserves ? own : common;
	read_reservations(reader, node_get(own, "kubeReserved"), node_get(own, "systemReserved"),
	                  NULL, &sizing->reserved);
	/* evictionHard is a text here; its default is the kubelet's. */
	if (node_is_scalar(node_get(own, "evictionHard")))
		sizing->reserved.unknown = true;
	sizing->kubelet_only = true;
	sizing->slots_by_type = node_at(cluster, "networking.amazonvpc") != NULL;
}

/* The names of the autoscaling groups that kOps makes. */
static void add_aliases(const struct reader *reader, str cluster, bool worker, struct group *group)
{
	if (cluster.n)
		*VEC_PUSH(reader->arena, &group->aliases) =
			str_format(reader->arena, "%.*s%s.%.*s", STR_ARG(group->name),
		                   worker ? "" : ".masters", STR_ARG(cluster));
}

static void read_group(const struct reader *reader, const struct node *spec, bool worker)
{
	str cluster_name = node_text(node_get(node_at(reader->entry->root, "metadata.labels"),
	                                      "kops.k8s.io/cluster"));
	const struct entry *found = context_find(reader->context, "kops.k8s.io", STR("Cluster"),
	                                         cluster_name);
	const struct node *cluster = found ? node_get(found->root, "spec") : NULL;
	struct group *group = group_new(reader, reader->entry->name, reader->entry->root);
	struct sizing sizing = { 0 };

	group->labels_complete = group->taints_known = true;
	group->provider = provider_of(cluster);
	group->version = node_text(node_get(cluster, "kubernetesVersion"));
	read_labels(reader, node_get(spec, "nodeLabels"), group);
	read_labels(reader, node_at(spec, "kubelet.nodeLabels"), group);
	read_taints(reader, node_get(spec, "taints"), group, &group->taints);
	read_taints(reader, node_at(spec, "kubelet.taints"), group, &group->taints);
	read_taints(reader, node_at(cluster, "kubelet.taints"), group, &group->taints);
	read_pairs(reader, node_get(spec, "cloudLabels"), &group->tags);
	read_sizes(reader, spec, worker, group);
	read_spot(spec, group);
	group_set_os(reader, group, STR("linux"));
	read_kops_zones(reader, spec, cluster, group);
	read_types(reader, spec, group);
	imply_labels(reader, spec, cluster, worker, group);
	read_sizing(reader, spec, cluster, &sizing);
	add_aliases(reader, cluster_name, worker, group);
	shapes_resolve(reader, group, &sizing);
}

void kops_read(const struct reader *reader)
{
	const struct node *spec = node_get(reader->entry->root, "spec");
	str role = node_text(node_get(spec, "role"));
	struct count_fact priority = { 0 };

	if (str_is(reader->entry->kind, "Cluster")) {
		read_cluster(reader);
		return;
	}
	if (str_is(role, "Bastion") || !reader->entry->name.n)
		return; /* no node of the cluster */
	read_group(reader, spec, !role.n || str_is(role, ROLE_NODE));
	read_number(reader, node_get(spec, "autoscalePriority"), false, "type", &priority);
	reader->pools->groups.v[reader->pools->groups.n - 1]->priority = priority.value;
}

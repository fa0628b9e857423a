/* eksctl.io ClusterConfig: nodeGroups and managedNodeGroups (node-groups.md section 1). */
#include "pools-internal.h"

/* What the cluster says for its groups. */
struct cluster {
	const struct node *root;
	str name, region;
	struct strs zones;         /* of the cluster */
	bool managed;              /* the list at hand is managedNodeGroups */
};

bool eksctl_detect(str api_version, str kind, const struct node *root)
{
	(void)root;
	return version_in_group(api_version, "eksctl.io") && str_is(kind, "ClusterConfig");
}

/* ---- sizes --------------------------------------------------------------------------- */

/* eksctl's own defaults: nothing given is 2; a size that is missing follows its neighbour. What
 * is written but cannot be read has no default. */
static void read_sizes(const struct reader *reader, const struct cluster *cluster,
                       const struct node *node, struct group *group)
{
	const struct node *min = node_get(node, "minSize"), *max = node_get(node, "maxSize");
	const struct node *desired = node_get(node, "desiredCapacity");
	struct count_fact *facts[] = { &group->min, &group->max, &group->desired };

	read_count(reader, min, false, &group->min);
	read_count(reader, max, false, &group->max);
	read_count(reader, desired, false, &group->desired);
	if (!min && group->desired.origin)
		count_imply(facts[0], group->desired.value, desired, "desiredCapacity");
	else if (!min && !desired)
		count_imply(facts[0], 2, NULL, "eksctl's default");
	if (!max && group->desired.origin)
		count_imply(facts[1], group->desired.value, desired, "desiredCapacity");
	else if (!max && !desired && group->min.origin)
		count_imply(facts[1], cluster->managed && !group->min.value ? 1 : group->min.value,
		            min, "minSize");
	if (!desired && group->min.origin)
		count_imply(facts[2], group->min.value, min, "minSize");
	group->managed_by_autoscaler = group->min.origin && group->max.origin &&
	                               group->min.value < group->max.value;
}

/* ---- instance types ------------------------------------------------------------------ */

/* Memory of an instanceSelector in MiB; a bare number is GiB. false: not readable. */
static bool selector_mib(const struct node *node, int64_t *ret_mib)
{
	str text = str_trim(node_text(node)), number = text;
	int64_t unit = 1024;

	while (number.n && (number.p[number.n - 1] < '0' || number.p[number.n - 1] > '9'))
		number.n--;
	text = str_trim(str_slice(text, number.n, text.n));
	if (str_is(text, "MiB") || str_is(text, "Mi") || str_is(text, "mib"))
		unit = 1;
	else if (text.n && !str_is(text, "GiB") && !str_is(text, "Gi") && !str_is(text, "gib"))
		return false;
	return str_to_int64(number, ret_mib) && *ret_mib > 0 && *ret_mib < 1 << 24 &&
	       (*ret_mib *= unit) > 0;
}

/* The types that the selector admits, by the catalogue; false when it asks for something that
 * the catalogue does not know. */
static bool select_types(const struct node *selector, struct strs *types, struct arena *arena)
{
	static const char *const known[] = { "vCPUs", "memory", "gpus", "cpuArchitecture" };
	const struct node *cpus = node_get(selector, "vCPUs"), *gpus = node_get(selector, "gpus");
	const struct node *memory = node_get(selector, "memory");
	str arch = node_text(node_get(selector, "cpuArchitecture"));
	int64_t vcpu = 0, gpu = -1, mib = 0;
	size_t count;
	const struct instance_type *all = instance_types_all(&count);

	for (uint32_t i = 0; node_is_map(selector) && i < selector->child_count; i++)
		if (!text_is_any(selector->children[i].key, known, COUNT_OF(known)) ||
		    selector->children[i].unknown)
			return false;
	if ((cpus && !node_int(cpus, &vcpu)) || (gpus && !node_int(gpus, &gpu)) ||
	    (memory && !selector_mib(memory, &mib)))
		return false;
	if (!arch.n || str_is(arch, "x86_64"))
		arch = STR("amd64");
	for (size_t i = 0; i < count; i++)
		if (str_is(str_of(all[i].provider), "aws") && str_is(arch, all[i].arch) &&
		    (!vcpu || all[i].milli_cpu == vcpu * 1000) &&
		    (!mib || all[i].memory_mib == mib) && (gpu < 0 || all[i].gpu_count == gpu))
			*VEC_PUSH(arena, types) = str_of(all[i].name);
	return true;
}

/* A template in place of a type leaves a shape of which nothing is known. */
static void add_types(const struct reader *reader, const struct node *list, struct group *group)
{
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count && i < 1000; i++) {
		const struct node *item = &list->children[i];

		shape_add(reader, group, item->unknown ? (str){ 0 } : node_text(item), item);
	}
}

/* In the order in which eksctl looks: the list, the one type, the selector, its default. */
static void read_types(const struct reader *reader, const struct cluster *cluster,
                       const struct node *node, struct group *group)
{
	const struct node *one = node_get(node, "instanceType");
	const struct node *many = cluster->managed ? node_get(node, "instanceTypes")
	                        : node_at(node, "instancesDistribution.instanceTypes");
	const struct node *selector = node_get(node, "instanceSelector");
	struct strs types = { 0 };

	group->provider = STR("aws");
	add_types(reader, many, group);
	if (group->shapes.n)
		return;
	if (node_is_scalar(one) && !str_is(node_text(one), "mixed")) {
		shape_add(reader, group, one->unknown ? (str){ 0 } : node_text(one), one);
	} else if (node_is_map(selector)) {
		if (!select_types(selector, &types, reader->arena) || !types.n)
			shape_add(reader, group, (str){ 0 }, selector);
		for (size_t i = 0; i < types.n; i++)
			shape_add(reader, group, types.v[i], selector);
	} else if (!one && !node_get(node, "launchTemplate")) {
		shape_add(reader, group, STR("m5.large"), NULL);
	}
}

/* Mixed groups of both kinds are of no one capacity type. */
static void read_spot(const struct cluster *cluster, const struct node *node,
                      struct group *group)
{
	const struct node *distribution = node_get(node, "instancesDistribution");
	const struct node *share = node_get(distribution, "onDemandPercentageAboveBaseCapacity");
	const struct node *base = node_get(distribution, "onDemandBaseCapacity");
	bool spot = false;
	int64_t percent = 100, first = 0;

	if (cluster->managed) {
		const struct node *word = node_get(node, "spot");

		if (!word || node_bool(word, &spot))
			group_set_capacity_type(group, spot ? "spot" : "on-demand");
		return;
	}
	if ((share && !node_int(share, &percent)) || (base && !node_int(base, &first)))
		return;
	if (percent >= 100)
		group_set_capacity_type(group, "on-demand");
	else if (percent <= 0 && first <= 0)
		group_set_capacity_type(group, "spot");
}

/* ---- kubelet ------------------------------------------------------------------------- */

/* Where another image or launch template boots the node, eksctl's settings do not apply. */
static void read_sizing(const struct reader *reader, const struct cluster *cluster,
                        const struct node *node, struct sizing *sizing)
{
	const struct node *kubelet = cluster->managed ? NULL : node_get(node, "kubeletExtraConfig");
	const struct node *volume = node_get(node, "volumeSize");
	str family = node_text(node_get(node, "amiFamily"));
	int64_t gib = 80;

	read_max_pods(reader, node_get(node, "maxPodsPerNode"), sizing);
	read_max_pods(reader, node_get(kubelet, "maxPods"), sizing);
	read_reservations(reader, node_get(kubelet, "kubeReserved"),
	                  node_get(kubelet, "systemReserved"), node_get(kubelet, "evictionHard"),
	                  &sizing->reserved);
	/* What the bootstrap reserves by itself stays where only a part is set. */
	if (sizing->reserved.declared && !node_get(kubelet, "kubeReserved"))
		sizing->reserved.unknown = true;
	sizing->reserves_by_pods = str_is(family, "Bottlerocket") ||
	                           str_starts(family, STR("Windows"));
	sizing->hidden_kubelet = node_get(node, "launchTemplate") || node_get(node, "ami") ||
	                         node_get(node, "overrideBootstrapCommand") ||
	                         str_starts(family, STR("Windows"));
	if (!volume || node_int(volume, &gib))
		sizing->disk_gib = sizing->hidden_kubelet ? 0 : gib;
}

/* ---- labels and zones ---------------------------------------------------------------- */

/* Unmanaged groups certainly lack the labels that EKS gives to managed ones. */
static void imply_labels(const struct reader *reader, const struct cluster *cluster,
                         struct group *group)
{
	static const char why[] = "set by eksctl";
	struct group_labels *labels = &group->labels;
	struct group_label *label;

	if (cluster->name.n)
		label_imply(reader->arena, labels, STR("alpha.eksctl.io/cluster-name"),
		            cluster->name, why);
	label_imply(reader->arena, labels, STR("alpha.eksctl.io/nodegroup-name"), group->name, why);
	label = label_imply(reader->arena, labels, STR("eks.amazonaws.com/nodegroup"), group->name,
	                    cluster->managed ? "set by EKS" : "only managed groups have it");
	if (label && !cluster->managed)
		label->kind = LABEL_ABSENT;
	label = label_imply(reader->arena, labels, STR("eks.amazonaws.com/capacityType"),
	                    group->spot_only ? STR("SPOT") : STR("ON_DEMAND"),
	                    cluster->managed ? "set by EKS" : "only managed groups have it");
	if (label && !cluster->managed)
		label->kind = LABEL_ABSENT;
}

/* A group's own list, else the cluster's; subnets by id tell no zone. */
static void read_group_zones(const struct reader *reader, const struct cluster *cluster,
                             const struct node *node, struct group *group)
{
	static const char *const keys[] = { "availabilityZones", "localZones" };
	const struct node *own = node_first(node, keys, COUNT_OF(keys));
	struct group_label *label;

	group_set_region(reader, group, cluster->region);
	if (own) {
		read_zones(reader, own, group);
		return;
	}
	if (!cluster->zones.n || node_get(node, "subnets"))
		return;
	group->zones = cluster->zones;
	label = label_imply(reader->arena, &group->labels, STR(LABEL_ZONE), cluster->zones.v[0],
	                    "set by the cloud, from the zones of the cluster");
	if (label)
		label->values = cluster->zones;
}

static str os_of(const struct node *node)
{
	return str_starts(node_text(node_get(node, "amiFamily")), STR("Windows"))
	               ? STR("windows") : STR("linux");
}

/* ---- groups -------------------------------------------------------------------------- */

static void read_group(const struct reader *reader, const struct cluster *cluster,
                       const struct node *node)
{
	struct group *group = group_new(reader, node_text(node_get(node, "name")), node);
	struct sizing sizing = { 0 };

	group->labels_complete = !node_get(node, "launchTemplate") &&
	                         !node_get(node, "overrideBootstrapCommand");
	group->taints_known = group->labels_complete;
	read_labels(reader, node_get(node, "labels"), group);
	read_taints(reader, node_get(node, "taints"), group, &group->taints);
	read_pairs(reader, node_get(node, "tags"), &group->tags);
	read_sizes(reader, cluster, node, group);
	read_spot(cluster, node, group);
	group_set_os(reader, group, os_of(node));
	read_types(reader, cluster, node, group);
	read_group_zones(reader, cluster, node, group);
	imply_labels(reader, cluster, group);
	read_sizing(reader, cluster, node, &sizing);
	shapes_resolve(reader, group, &sizing);
	group->version = node_text(node_at(cluster->root, "metadata.version"));
}

static void read_list(const struct reader *reader, struct cluster *cluster, struct map *names,
                      const char *key)
{
	const struct node *list = node_get(cluster->root, key);

	group_list_check(reader, list);
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++)
		if (group_item_check(reader, &list->children[i],
		                     node_get(&list->children[i], "name"), names))
			read_group(reader, cluster, &list->children[i]);
}

/* Zones that the cluster names: its own list, else those of its subnets. */
static void read_cluster_zones(const struct reader *reader, struct cluster *cluster)
{
	const struct node *own = node_get(cluster->root, "availabilityZones");
	static const char *const sides[] = { "vpc.subnets.private", "vpc.subnets.public" };

	if (own && !read_texts(reader, own, &cluster->zones))
		cluster->zones.n = 0;
	for (size_t i = 0; !own && i < COUNT_OF(sides); i++) {
		const struct node *subnets = node_at(cluster->root, sides[i]);

		for (uint32_t k = 0; node_is_map(subnets) && k < subnets->child_count; k++) {
			const struct node *subnet = &subnets->children[k];
			str zone = node_text(node_get(subnet, "az"));
			bool seen = false;

			zone = zone.n ? zone : subnet->key;
			for (size_t z = 0; z < cluster->zones.n && z < 100; z++)
				seen = seen || str_eq(cluster->zones.v[z], zone);
			if (!seen && cluster->zones.n < 100)
				*VEC_PUSH(reader->arena, &cluster->zones) = zone;
		}
	}
}

static void read_fargate(const struct reader *reader, const struct node *root)
{
	const struct node *profiles = node_get(root, "fargateProfiles");

	for (uint32_t i = 0; node_is_list(profiles) && i < profiles->child_count; i++)
		pools_read_fargate(reader, node_get(&profiles->children[i], "name"),
		                   node_get(&profiles->children[i], "selectors"));
}

/* Nodes that EKS makes by itself: anything may be among them. */
static void read_auto_mode(const struct reader *reader, const struct node *root)
{
	const struct node *mode = node_get(root, "autoModeConfig");
	bool enabled = false;

	if (node_bool(node_get(mode, "enabled"), &enabled) && enabled)
		group_unknown(reader, STR("auto-mode"), mode);
	if (node_is_map(node_get(root, "karpenter")))
		reader->pools->karpenter = true;
}

void eksctl_read(const struct reader *reader)
{
	const struct node *root = reader->entry->root;
	struct map *names = map_new(reader->arena);
	struct cluster cluster = {
		.root = root, .name = node_text(node_at(root, "metadata.name")),
		.region = node_text(node_at(root, "metadata.region")),
	};

	read_cluster_zones(reader, &cluster);
	pools_add_version(reader->pools, node_text(node_at(root, "metadata.version")));
	read_list(reader, &cluster, names, "nodeGroups");
	cluster.managed = true;
	read_list(reader, &cluster, names, "managedNodeGroups");
	read_fargate(reader, root);
	read_auto_mode(reader, root);
}

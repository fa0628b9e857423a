/* GKE node pools as Terraform, Crossplane and Config Connector declare them. */
#include "managed.h"

#include <string.h>

/* ---- sizes --------------------------------------------------------------------------- */

/* A zone such as us-east1-c; a region has one dash less. */
static bool is_zone(str location)
{
	size_t dash = str_find_last(location, '-');

	return dash + 2 == location.n && str_find(location, '-') < dash;
}

/* Counts of a pool without totals are per zone. */
static void read_zonal(const struct reader *reader, const struct managed *managed,
                       struct group *group)
{
	const struct node *locations = managed_get(managed->values, "node_locations");
	const struct node *location = managed_get(managed->values, "location");
	struct group_label *label;

	location = location ? location : managed->location;
	if (locations) {
		read_zones(reader, locations, group);
	} else if (location && !location->unknown && is_zone(node_text(location))) {
		*VEC_PUSH(reader->arena, &group->zones) = node_text(location);
		label = label_imply(reader->arena, &group->labels, STR(LABEL_ZONE),
		                    node_text(location), "set by the cloud, from the location");
		if (label)
			label->node = location;
	}
	group->per_zone = group->zones.n != 1;
	if (location && !location->unknown)
		group_set_region(reader, group, is_zone(node_text(location))
		                 ? str_slice(node_text(location), 0, node_text(location).n - 2)
		                 : node_text(location));
}

/* Totals are of the pool, the other counts of each zone. */
static void read_sizes(const struct reader *reader, const struct managed *managed,
                       struct group *group)
{
	const struct node *scaling = managed_block(managed->values, "autoscaling");
	const struct node *total = managed_get(scaling, "total_max_node_count");
	const struct node *count = managed_get(managed->values, "node_count");

	count = count ? count : managed_get(managed->values, "initial_node_count");
	read_zonal(reader, managed, group);
	if (scaling) {
		group->managed_by_autoscaler = true;
		group->per_zone = group->per_zone && !total;
		read_count(reader, managed_get(scaling, total ? "total_min_node_count"
		                                              : "min_node_count"), true,
		           &group->min);
		read_count(reader, total ? total : managed_get(scaling, "max_node_count"), true,
		           &group->max);
		count_imply(&group->min, 0, scaling, "no minimum");
		return;
	}
	read_count(reader, count, true, &group->max);
	group->min = group->desired = group->max;
}

/* ---- machines ------------------------------------------------------------------------ */

/* [family-]custom-CPUS-MIB[-ext]: the size stands in the name. */
static void read_custom_type(const struct reader *reader, str type, const struct node *node,
                             struct sizing *sizing)
{
	str rest = type, piece;
	int64_t cpus = 0, mib = 0;

	while (str_next(&rest, '-', &piece) && !str_is(piece, "custom"))
		;
	if (!str_next(&rest, '-', &piece) || !str_to_int64(piece, &cpus) ||
	    !str_next(&rest, '-', &piece) || !str_to_int64(piece, &mib) || cpus <= 0 ||
	    cpus > 10000 || mib <= 0 || mib > 1 << 30)
		return;
	*VEC_PUSH(reader->arena, &sizing->capacity) = (struct capacity_fact){
		.resource = STR("cpu"), .known = true, .safe = cpus * 1000,
		.optimistic = cpus * 1000, .origin = ORIGIN_IMPLIED, .node = node };
	*VEC_PUSH(reader->arena, &sizing->capacity) = (struct capacity_fact){
		.resource = STR("memory"), .known = true, .safe = mib * MIB,
		.optimistic = mib * MIB, .origin = ORIGIN_IMPLIED, .node = node };
}

/* GKE's default is e2-medium. */
static void read_type(const struct reader *reader, const struct managed *managed,
                      const struct node *config, struct group *group, struct sizing *sizing)
{
	const struct node *type = managed_get(config, "machine_type");

	if (managed_is_unknown(managed, "node_config") && !type)
		return;
	if (type && type->unknown)
		shape_add(reader, group, (str){ 0 }, type);
	else
		shape_add(reader, group, type ? node_text(type) : STR("e2-medium"), type);
	if (type && str_contains(node_text(type), STR("custom-")))
		read_custom_type(reader, node_text(type), type, sizing);
}

static int64_t count_of(const struct node *node, const char *name)
{
	int64_t value = 0;

	return node_int(managed_get(node, name), &value) && value > 0 && value < 1000 ? value : 1;
}

/* Devices of a node: count x partitions x clients that share one. */
static void read_accelerators(const struct reader *reader, const struct node *config,
                              struct group *group, struct sizing *sizing)
{
	const struct node *device = managed_block(config, "guest_accelerator");
	const struct node *sharing = managed_block(device, "gpu_sharing_config");
	str type = node_text(managed_get(device, "type"));
	int64_t count;

	if (!device || !type.n)
		return;
	label_imply(reader->arena, &group->labels, STR("cloud.google.com/gke-accelerator"), type,
	            "set by GKE");
	if (managed_get(device, "gpu_partition_size"))
		return; /* how many partitions that makes hangs on the device */
	count = count_of(device, "count") * count_of(sharing, "max_shared_clients_per_gpu");
	*VEC_PUSH(reader->arena, &sizing->capacity) = (struct capacity_fact){
		.resource = STR("nvidia.com/gpu"), .known = true, .safe = count,
		.optimistic = count, .origin = ORIGIN_DECLARED, .node = device };
}

/* Local disks change the arithmetic of ephemeral storage: unknown then. */
static void read_sizing(const struct reader *reader, const struct managed *managed,
                        const struct node *config, struct sizing *sizing)
{
	const struct node *disk = managed_get(config, "disk_size_gb");
	int64_t gib = 100;

	read_max_pods(reader, managed_get(managed->values, "max_pods_per_node"), sizing);
	sizing->hidden_kubelet =
		str_starts(node_text(managed_get(config, "image_type")), STR("WINDOWS"));
	if (!managed_get(config, "local_ssd_count") &&
	    !managed_get(config, "ephemeral_storage_local_ssd_config") &&
	    (!disk || node_int(disk, &gib)))
		sizing->disk_gib = gib;
}

/* ---- labels -------------------------------------------------------------------------- */

/* Spot pools are labelled, and not tainted. */
static void imply_labels(const struct reader *reader, const struct node *config,
                         struct group *group)
{
	static const char why[] = "set by GKE";
	struct group_labels *labels = &group->labels;
	bool spot = managed_flag(config, "spot"), preemptible = managed_flag(config, "preemptible");

	label_imply(reader->arena, labels, STR("cloud.google.com/gke-nodepool"), group->name, why);
	label_imply(reader->arena, labels, STR("cloud.google.com/gke-provisioning"),
	            spot ? STR("spot") : preemptible ? STR("preemptible") : STR("standard"), why);
	if (spot)
		label_imply(reader->arena, labels, STR("cloud.google.com/gke-spot"), STR("true"),
		            why);
	if (preemptible)
		label_imply(reader->arena, labels, STR("cloud.google.com/gke-preemptible"),
		            STR("true"), why);
	group_set_capacity_type(group, spot || preemptible ? "spot" : "on-demand");
}

/* kube-proxy may run as a static pod on each node. */
static void add_static_pod(const struct reader *reader, struct group *group)
{
	*VEC_PUSH(reader->arena, &group->daemon_overhead) = (struct capacity_fact){
		.resource = STR("cpu"), .known = true, .safe = 0, .optimistic = 100,
		.origin = ORIGIN_IMPLIED, .why = "kube-proxy" };
}

struct group *managed_read_gke(const struct reader *reader, const struct managed *managed)
{
	const struct node *config = managed_block(managed->values, "node_config");
	struct group *group = managed_begin(reader, managed, "gcp", "node_config", "node_config");
	bool windows = str_starts(node_text(managed_get(config, "image_type")), STR("WINDOWS"));
	struct sizing sizing = { 0 };

	/* Much of node_config is computed; what is written there counts. */
	group->labels_complete = group->labels_complete || config;
	group->taints_known = group->taints_known || config;
	read_labels(reader, managed_get(config, "labels"), group);
	read_taints(reader, managed_get(config, "taint"), group, &group->taints);
	read_sizes(reader, managed, group);
	group_set_os(reader, group, windows ? STR("windows") : STR("linux"));
	imply_labels(reader, config, group);
	read_type(reader, managed, config, group, &sizing);
	read_accelerators(reader, config, group, &sizing);
	read_sizing(reader, managed, config, &sizing);
	add_static_pod(reader, group);
	shapes_resolve(reader, group, &sizing);
	return group;
}

/* ---- taints that GKE adds ------------------------------------------------------------ */

/* By the label that the reader implied. */
static bool has_accelerators(const struct group *group)
{
	return label_find(&group->labels, STR("cloud.google.com/gke-accelerator")) != NULL;
}

static bool has_taint(const struct group *group, const char *key)
{
	for (size_t i = 0; i < group->taints.n; i++)
		if (str_is(group->taints.v[i].key, key))
			return true;
	return false;
}

static bool is_gke(const struct group *group)
{
	return str_is(group->provider, "gcp") &&
	       label_find(&group->labels, STR("cloud.google.com/gke-nodepool")) &&
	       strcmp(group->format, "nodes") != 0;
}

void managed_finish_gke(struct context *context)
{
	const struct groups *groups = &context->pools->groups;
	bool mixed = false;

	for (size_t i = 0; i < groups->n; i++)
		mixed = mixed || (is_gke(groups->v[i]) && !has_accelerators(groups->v[i]));
	for (size_t i = 0; i < groups->n; i++) {
		struct group *group = groups->v[i];

		if (!is_gke(group))
			continue;
		if (mixed && has_accelerators(group) && !has_taint(group, "nvidia.com/gpu"))
			taint_imply(context->arena, group, "nvidia.com/gpu", "present",
			            "NoSchedule");
		if (str_is(group->arch, "arm64") && !has_taint(group, LABEL_ARCH))
			taint_imply(context->arena, group, LABEL_ARCH, "arm64", "NoSchedule");
		if (str_is(group->os, "windows") && !has_taint(group, "node.kubernetes.io/os"))
			taint_imply(context->arena, group, "node.kubernetes.io/os", "windows",
			            "NoSchedule");
	}
}

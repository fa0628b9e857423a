/* Machine configurations without apiVersion and kind: Talos and talhelper, RKE2 and k3s
 * (node-groups.md sections 12 and 15); Rancher's Cluster; Kueue's ResourceFlavor, which claims
 * nodes but makes none. Secrets stand in these files: only the named fields are read.
 */
#include "kubelet-args.h"

/* ---- Talos --------------------------------------------------------------------------- */

/* A machine configuration, or talhelper's list of machines. */
bool talos_detect(str api_version, str kind, const struct node *root)
{
	const struct node *nodes = node_get(root, "nodes");
	const struct node *first = node_is_list(nodes) && nodes->child_count ? &nodes->children[0]
	                                                                     : NULL;

	if (api_version.n || kind.n)
		return false;
	if (node_is_map(node_get(root, "machine")))
		return node_is_map(node_get(root, "cluster")) || node_at(root, "machine.type");
	return node_get(root, "clusterName") &&
	       (node_get(first, "hostname") || node_get(first, "ipAddress"));
}

/* Taints by key: "value:Effect" or ":Effect". */
static void read_talos(const struct reader *reader, const struct node *labels,
                       const struct node *taints, struct group *group)
{
	group->labels_complete = group->taints_known = true;
	read_labels(reader, labels, group);
	read_taints(reader, taints, group, &group->taints);
}

/* What Talos reserves when the user sets nothing; 192Mi before 1.8. */
static void reserve_talos(struct sizing *sizing, bool control_plane)
{
	if (sizing->reserved.declared)
		return;
	sizing->reserved = (struct reservations){
		.declared = true, .milli_cpu = 50, .memory = (control_plane ? 512 : 384) * MIB };
}

static void finish_talos(const struct reader *reader, bool control_plane, bool schedulable,
                         struct group *group, struct sizing *sizing)
{
	if (control_plane)
		control_plane_imply(reader, group, !schedulable, "");
	group_set_os(reader, group, STR("linux"));
	reserve_talos(sizing, control_plane);
	shapes_resolve(reader, group, sizing);
}

/* Without a host name the file is one for all machines of its type. */
static void read_machine_config(const struct reader *reader)
{
	const struct node *root = reader->entry->root, *machine = node_get(root, "machine");
	const struct node *host = node_at(machine, "network.hostname");
	bool control_plane = !str_is(node_text(node_get(machine, "type")), "worker");
	bool schedulable = false;
	struct sizing sizing = { 0 };
	struct group *group = group_new(reader, node_is_scalar(host) ? node_text(host)
	                                : control_plane ? STR("controlplane") : STR("worker"),
	                                machine);

	node_bool(node_at(root, "cluster.allowSchedulingOnControlPlanes"), &schedulable);
	read_talos(reader, node_get(machine, "nodeLabels"), node_get(machine, "nodeTaints"), group);
	kubelet_config_read(reader, node_at(machine, "kubelet.extraConfig"), &sizing);
	kubelet_args_read(reader, node_at(machine, "kubelet.extraArgs"), group, &sizing);
	count_imply(&group->min, 0, NULL, "nobody tells how many machines take the file");
	finish_talos(reader, control_plane, schedulable, group, &sizing);
}

/* Each node of a talconfig is a group of one; its role's defaults come behind its own. */
static void read_talconfig_node(const struct reader *reader, const struct node *node,
                                bool schedulable)
{
	const struct node *root = reader->entry->root, *name = node_get(node, "hostname");
	bool control_plane = false;
	const struct node *common;
	struct group *group;
	struct sizing sizing = { 0 };

	name = name ? name : node_get(node, "ipAddress");
	if (!node_is_scalar(name))
		return;
	node_bool(node_get(node, "controlPlane"), &control_plane);
	common = node_get(root, control_plane ? "controlPlane" : "worker");
	group = group_new(reader, node_text(name), node);
	read_talos(reader, node_get(node, "nodeLabels"), node_get(node, "nodeTaints"), group);
	read_labels(reader, node_get(common, "nodeLabels"), group);
	read_taints(reader, node_get(common, "nodeTaints"), group, &group->taints);
	if (node_get(node, "patches") || node_get(common, "patches") || node_get(root, "patches"))
		group->labels_complete = false;
	group_set_fixed(group, 1, node);
	finish_talos(reader, control_plane, schedulable, group, &sizing);
}

void talos_read(const struct reader *reader)
{
	static const char *const keys[] = { "allowSchedulingOnControlPlanes",
		                            "allowSchedulingOnMasters" };
	const struct node *root = reader->entry->root, *nodes = node_get(root, "nodes");
	bool schedulable = false;

	if (node_get(root, "machine")) {
		read_machine_config(reader);
		return;
	}
	node_bool(node_first(root, keys, COUNT_OF(keys)), &schedulable);
	for (uint32_t i = 0; node_is_list(nodes) && i < nodes->child_count; i++)
		read_talconfig_node(reader, &nodes->children[i], schedulable);
}

/* ---- RKE2, k3s ----------------------------------------------------------------------- */

/* The keys are RKE2's and k3s' own; `token` alone is everybody's. */
bool rke2_detect(str api_version, str kind, const struct node *root)
{
	if (api_version.n || kind.n)
		return false;
	return node_get(root, "node-label") || node_get(root, "node-taint") ||
	       node_get(root, "kubelet-arg") || node_get(root, "node-label+") ||
	       node_get(root, "node-taint+") ||
	       (node_get(root, "tls-san") && node_get(root, "token"));
}

/* A list or one text; `key+` appends in the files of config.yaml.d. */
static void read_args(const struct reader *reader, const char *key, const char *arg,
                      struct group *group, struct sizing *sizing)
{
	const struct node *root = reader->entry->root;
	const struct node *list = node_get(root, key);
	uint32_t count;

	list = list ? list : node_get(root, str_c(reader->arena,
	                                         str_format(reader->arena, "%s+", key)));
	count = node_is_list(list) ? list->child_count : node_is_scalar(list);
	for (uint32_t i = 0; i < count; i++) {
		const struct node *item = node_is_list(list) ? &list->children[i] : list;
		str name = str_of(arg), value = node_text(item);

		if (!*arg)
			str_cut(node_text(item), '=', &name, &value);
		kubelet_arg_read(reader, name, value, item, group, sizing);
	}
}

/* One file, of which nobody tells how many machines take it. */
void rke2_read(const struct reader *reader)
{
	const struct node *root = reader->entry->root;
	const struct node *name = node_get(root, "node-name");
	struct group *group = group_new(reader, node_is_scalar(name) ? node_text(name)
	                                                             : STR("config"), root);
	struct sizing sizing = { 0 };

	group->provider = STR("k3s");
	group->labels_complete = group->taints_known = true;
	read_args(reader, "node-label", "node-labels", group, &sizing);
	read_args(reader, "node-taint", "register-with-taints", group, &sizing);
	read_args(reader, "kubelet-arg", "", group, &sizing);
	group_set_os(reader, group, STR("linux"));
	count_imply(&group->min, 0, NULL, "nobody tells how many machines take the file");
	shapes_resolve(reader, group, &sizing);
}

/* ---- Rancher ------------------------------------------------------------------------- */

bool rancher_detect(str api_version, str kind, const struct node *root)
{
	return version_in_group(api_version, "provisioning.cattle.io") &&
	       str_is(kind, "Cluster") && (!root || node_at(root, "spec.rkeConfig"));
}

/* Sizes by the annotations of Rancher's autoscaler provider, else the quantity. */
static void read_machine_pool(const struct reader *reader, const struct node *pool)
{
	const struct node *annotations = node_get(pool, "machineDeploymentAnnotations");
	const struct node *quantity = node_get(pool, "quantity");
	struct group *group = group_new(reader, node_text(node_get(pool, "name")), pool);
	const struct sizing sizing = { 0 };
	bool control_plane = false;

	group->labels_complete = group->taints_known = true;
	read_labels(reader, node_get(pool, "labels"), group);
	read_taints(reader, node_get(pool, "taints"), group, &group->taints);
	read_count(reader, node_get(annotations, "cluster.provisioning.cattle.io/"
	                                         "autoscaler-min-size"), true, &group->min);
	read_count(reader, node_get(annotations, "cluster.provisioning.cattle.io/"
	                                         "autoscaler-max-size"), true, &group->max);
	read_count(reader, quantity, false, &group->desired);
	group->managed_by_autoscaler = group->max.origin != ORIGIN_UNKNOWN;
	if (!group->max.origin)
		group->min = group->max = group->desired;
	if (node_bool(node_get(pool, "controlPlaneRole"), &control_plane) && control_plane)
		control_plane_imply(reader, group, false, "true");
	group_set_os(reader, group, STR("linux"));
	shapes_resolve(reader, group, &sizing);
}

void rancher_read(const struct reader *reader)
{
	const struct node *pools = node_at(reader->entry->root, "spec.rkeConfig.machinePools");

	pools_add_version(reader->pools,
	                  node_text(node_at(reader->entry->root, "spec.kubernetesVersion")));
	for (uint32_t i = 0; node_is_list(pools) && i < pools->child_count; i++)
		if (node_text(node_get(&pools->children[i], "name")).n)
			read_machine_pool(reader, &pools->children[i]);
}

/* ---- Kueue --------------------------------------------------------------------------- */

bool kueue_detect(str api_version, str kind, const struct node *root)
{
	(void)root;
	return version_in_group(api_version, "kueue.x-k8s.io") && str_is(kind, "ResourceFlavor");
}

/* A claim that such nodes exist, no group: it changes no verdict. */
void kueue_read(const struct reader *reader)
{
	(void)reader;
}

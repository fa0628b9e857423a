/* What a kubelet registers of its node. */
#include "kubelet-args.h"

/* ---- reservations as text ------------------------------------------------------------ */

/* "cpu=100m,memory=500Mi" */
static void add_reserved_text(str text, struct reservations *reserved)
{
	str piece, key, value;

	reserved->declared = true;
	while (str_next(&text, ',', &piece)) {
		struct quantity quantity;
		int64_t amount = 0;

		str_cut(str_trim(piece), '=', &key, &value);
		if (!quantity_parse(str_trim(value), &quantity) || quantity_sign(&quantity) < 0) {
			reserved->unknown = true;
			continue;
		}
		if (str_is(key, "cpu"))
			quantity_milli_ceil(&quantity, &amount);
		else
			quantity_value_ceil(&quantity, &amount);
		if (str_is(key, "cpu"))
			reserved->milli_cpu = int64_add_saturated(reserved->milli_cpu, amount);
		else if (str_is(key, "memory"))
			reserved->memory = int64_add_saturated(reserved->memory, amount);
		else if (str_is(key, "ephemeral-storage"))
			reserved->ephemeral = int64_add_saturated(reserved->ephemeral, amount);
	}
}

/* "memory.available<100Mi,nodefs.available<10%" */
static void read_eviction_text(str text, struct reservations *reserved)
{
	str piece, key, value;

	reserved->declared = reserved->eviction_declared = true;
	while (str_next(&text, ',', &piece)) {
		struct quantity quantity;
		int64_t percent;

		str_cut(str_trim(piece), '<', &key, &value);
		if (!str_is(key, "memory.available"))
			continue;
		if (str_ends(value, STR("%")) &&
		    str_to_int64(str_slice(value, 0, value.n - 1), &percent) && percent >= 0 &&
		    percent <= 100)
			reserved->eviction_memory_percent = percent;
		else if (quantity_parse(value, &quantity) && quantity_sign(&quantity) >= 0)
			quantity_value_ceil(&quantity, &reserved->eviction_memory);
		else
			reserved->unknown = true;
	}
}

/* ---- arguments ----------------------------------------------------------------------- */

static void read_taint_texts(const struct reader *reader, str text, const struct node *node,
                             struct group *group)
{
	str piece;

	while (str_next(&text, ',', &piece))
		if (str_trim(piece).n)
			read_taint_text(reader, str_trim(piece), node, group, &group->taints);
}

/* A template in labels or taints leaves their list open. */
void kubelet_arg_read(const struct reader *reader, str name, str value, const struct node *node,
                      struct group *group, struct sizing *sizing)
{
	bool hidden = node && node->unknown;
	int64_t pods;

	if (str_is(name, "node-labels")) {
		group->labels_complete = group->labels_complete && !hidden;
		if (!hidden)
			read_label_text(reader, value, node, group);
	} else if (str_is(name, "register-with-taints")) {
		group->taints_known = group->taints_known && !hidden;
		if (!hidden)
			read_taint_texts(reader, value, node, group);
	} else if (str_is(name, "max-pods")) {
		if (str_to_int64(value, &pods) && pods > 0 && pods < 100000) {
			sizing->max_pods = pods;
			sizing->max_pods_node = node;
		}
	} else if (str_is(name, "kube-reserved") || str_is(name, "system-reserved")) {
		add_reserved_text(value, &sizing->reserved);
	} else if (str_is(name, "eviction-hard")) {
		read_eviction_text(value, &sizing->reserved);
	}
}

void kubelet_args_read(const struct reader *reader, const struct node *args, struct group *group,
                       struct sizing *sizing)
{
	for (uint32_t i = 0; args && args->kind != NODE_SCALAR && i < args->child_count; i++) {
		const struct node *item = &args->children[i], *value = item;
		str name = item->key;

		if (node_is_list(args)) {
			name = node_text(node_get(item, "name"));
			value = node_get(item, "value");
		}
		if (node_is_scalar(value))
			kubelet_arg_read(reader, name, node_text(value), value, group, sizing);
	}
}

/* Upstream: kubelet.config.k8s.io/v1beta1. */
void kubelet_config_read(const struct reader *reader, const struct node *config,
                         struct sizing *sizing)
{
	read_max_pods(reader, node_get(config, "maxPods"), sizing);
	read_reservations(reader, node_get(config, "kubeReserved"),
	                  node_get(config, "systemReserved"), node_get(config, "evictionHard"),
	                  &sizing->reserved);
}

/* ---- registration -------------------------------------------------------------------- */

void control_plane_imply(const struct reader *reader, struct group *group, bool taint,
                         const char *value)
{
	static const char exclude[] = "node.kubernetes.io/exclude-from-external-load-balancers";
	static const char why[] = "set on control planes";
	struct group_labels *labels = &group->labels;

	group->control_plane = true;
	label_imply(reader->arena, labels, STR(CONTROL_PLANE), str_of(value), why);
	/* k3s and RKE2 write true, and the old name still. */
	if (*value)
		label_imply(reader->arena, labels, STR("node-role.kubernetes.io/master"),
		            str_of(value), why);
	else
		label_imply(reader->arena, labels, str_of(exclude), (str){ 0 }, why);
	if (taint)
		taint_imply(reader->arena, group, CONTROL_PLANE, "", "NoSchedule");
}

/* `taints: []` of a control plane means none, their absence the default one. */
void registration_read(const struct reader *reader, const struct node *registration,
                       bool control_plane, struct group *group, struct sizing *sizing)
{
	const struct node *taints = node_get(registration, "taints");

	read_taints(reader, taints, group, &group->taints);
	kubelet_args_read(reader, node_get(registration, "kubeletExtraArgs"), group, sizing);
	if (control_plane)
		control_plane_imply(reader, group, node_is_null(taints), "");
}

/* What is listed is there, no more and no less. */
void group_set_fixed(struct group *group, int64_t count, const struct node *node)
{
	count_imply(&group->max, count, node, "nodes that are listed");
	group->min = group->desired = group->max;
}

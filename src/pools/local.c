/* Clusters of local machines: kind, k3d, kubeadm (node-groups.md sections 11 and 13). Equal nodes
 * are one group. */
#include "nested.h"
#include "kubelet-args.h"

/* ---- kind ---------------------------------------------------------------------------- */

bool kind_detect(str api_version, str kind, const struct node *root)
{
	(void)root;
	return (version_in_group(api_version, "kind.x-k8s.io") ||
	        version_in_group(api_version, "kind.sigs.k8s.io")) && str_is(kind, "Cluster");
}

static void read_patch(const struct reader *reader, const struct node *patch, struct group *group,
                       struct sizing *sizing)
{
	struct reader inner = *reader;
	struct trees trees = { 0 };

	tree_parse_embedded(reader->arena, reader->entry->tree, patch, &trees);
	inner.scalar = patch;
	for (size_t i = 0; i < trees.n; i++)
		registration_read(&inner, node_get(trees.v[i]->root, "nodeRegistration"), false,
		                  group, sizing);
}

/* What makes kind's nodes equal: everything but the image. */
static str kind_signature(struct arena *arena, const struct node *node)
{
	struct buf buf = { .arena = arena };
	const struct node *labels = node_get(node, "labels");
	const struct node *patches = node_get(node, "kubeadmConfigPatches");

	buf_printf(&buf, "%.*s\n", STR_ARG(node_text(node_get(node, "role"))));
	for (uint32_t i = 0; node_is_map(labels) && i < labels->child_count; i++)
		buf_printf(&buf, "%.*s=%.*s\n", STR_ARG(labels->children[i].key),
		           STR_ARG(node_text(&labels->children[i])));
	for (uint32_t i = 0; node_is_list(patches) && i < patches->child_count; i++)
		buf_printf(&buf, "%.*s\n", STR_ARG(node_text(&patches->children[i])));
	return buf_str(&buf);
}

/* kindest/node:v1.36.1@sha256… */
static void add_image_version(const struct reader *reader, const struct node *image)
{
	str name, tag;

	if (!node_is_scalar(image) || image->unknown)
		return;
	image_split(node_text(image), &name, &tag);
	if (str_is(name, "node"))
		pools_add_version(reader->pools, tag);
}

/* The role of a node that names none. */
static bool is_kind_control_plane(const struct node *node)
{
	str role = node_text(node_get(node, "role"));

	return !role.n || str_is(role, "control-plane");
}

/* The host's size is nobody's declaration: capacity stays unknown. */
static struct group *kind_group(const struct reader *reader, const struct node *node, bool single,
                                size_t index)
{
	const struct node *patches = node_get(node, "kubeadmConfigPatches");
	bool control_plane = is_kind_control_plane(node);
	const char *role = control_plane ? "control-plane" : "worker";
	struct group *group = group_new(reader, index ? str_format(reader->arena, "%s-%zu", role,
	                                                           index + 1)
	                                              : str_of(role), node);
	struct sizing sizing = { 0 };

	group->provider = STR("kind");
	group->labels_complete = group->taints_known = true;
	read_labels(reader, node_get(node, "labels"), group);
	for (uint32_t i = 0; node_is_list(patches) && i < patches->child_count; i++)
		read_patch(reader, &patches->children[i], group, &sizing);
	if (control_plane)
		control_plane_imply(reader, group, !single && !group->taints.node, "");
	group_set_os(reader, group, STR("linux"));
	shapes_resolve(reader, group, &sizing);
	return group;
}

/* Of one signature, how many, and what they are called. */
void kind_read(const struct reader *reader)
{
	static const char *const roles[] = { "control-plane", "worker" };
	const struct node *nodes = node_get(reader->entry->root, "nodes");
	struct map *groups = map_new(reader->arena);
	size_t seen[2] = { 0, 0 };

	if (!node_is_list(nodes) || !nodes->child_count) {
		group_set_fixed(kind_group(reader, NULL, true, 0), 1, reader->entry->root);
		return;
	}
	for (uint32_t i = 0; i < nodes->child_count; i++) {
		const struct node *node = &nodes->children[i];
		str role = node_text(node_get(node, "role")), key;
		size_t kind = !is_kind_control_plane(node);
		struct group *group;

		if (!node_is_map(node) || node->unknown)
			continue;
		if (role.n && !text_is_any(role, roles, COUNT_OF(roles)))
			reader_fault(reader, node_get(node, "role"), "type",
			             "no role of a node: %.*s", STR_ARG(role));
		add_image_version(reader, node_get(node, "image"));
		key = kind_signature(reader->arena, node);
		group = map_get(groups, key);
		if (group) {
			group->max.value++;
			group->min = group->desired = group->max;
			continue;
		}
		group = kind_group(reader, node, nodes->child_count == 1, seen[kind]++);
		group_set_fixed(group, 1, node);
		map_put(groups, key, group);
	}
}

/* ---- k3d ----------------------------------------------------------------------------- */

bool k3d_detect(str api_version, str kind, const struct node *root)
{
	(void)root;
	return version_in_group(api_version, "k3d.io") && str_is(kind, "Simple");
}

/* Does the filter ("all", "agent:*", "server:0") mean nodes of the role? -1: only some of them. */
static int filter_means(str filter, const char *role)
{
	str head, tail;

	if (str_is(filter, "all"))
		return 1;
	str_cut(filter, ':', &head, &tail);
	if (str_ends(head, STR("s")))
		head.n--;
	if (!str_is(head, role))
		return 0;
	return !tail.n || str_is(tail, "*") ? 1 : -1;
}

/* Without filters everything is meant; the widest one decides. */
static int filters_mean(const struct node *item, const char *role)
{
	const struct node *filters = node_get(item, "nodeFilters");
	int best = 0;

	for (uint32_t i = 0; node_is_list(filters) && i < filters->child_count; i++) {
		int means = filter_means(node_text(&filters->children[i]), role);

		if (means > 0)
			return 1;
		best = means ? means : best;
	}
	return node_is_list(filters) && filters->child_count ? best : 1;
}

/* A label or argument of some nodes of the group makes the whole list open. */
static void read_k3d_item(const struct reader *reader, const struct node *item, const char *key,
                          struct group *group, struct sizing *sizing)
{
	const char *role = group->control_plane ? "server" : "agent";
	const struct node *node = node_get(item, key);
	str text = node_text(node), name, value;
	int means = filters_mean(item, role);

	if (!means || !node_is_scalar(node))
		return;
	if (str_is(str_of(key), "label")) {
		name = STR("node-labels");
		value = text;
	} else {
		while (str_starts(text, STR("-")))
			text = str_slice(text, 1, text.n);
		str_cut(text, '=', &name, &value);
		if (str_is(name, "node-label"))
			name = STR("node-labels");
		else if (str_is(name, "node-taint"))
			name = STR("register-with-taints");
		else if (str_is(name, "kubelet-arg"))
			str_cut(value, '=', &name, &value);
	}
	if (means > 0) {
		kubelet_arg_read(reader, name, value, node, group, sizing);
		return;
	}
	group->labels_complete = group->labels_complete && !str_is(name, "node-labels");
	group->taints_known = group->taints_known && !str_is(name, "register-with-taints");
}

/* Servers take pods too: k3s does not taint them. */
static void read_k3d_group(const struct reader *reader, const char *key, int64_t count, bool server)
{
	const struct node *root = reader->entry->root, *own = node_get(root, key);
	const struct node *labels = node_at(root, "options.k3s.nodeLabels");
	const struct node *args = node_at(root, "options.k3s.extraArgs");
	struct group *group;
	struct sizing sizing = { 0 };

	if ((own && !node_int(own, &count)) || count <= 0)
		return;
	group = group_new(reader, server ? STR("server") : STR("agent"), own ? own : root);
	group->provider = STR("k3s");
	group->labels_complete = group->taints_known = true;
	group->control_plane = server;
	for (uint32_t i = 0; node_is_list(labels) && i < labels->child_count; i++)
		read_k3d_item(reader, &labels->children[i], "label", group, &sizing);
	for (uint32_t i = 0; node_is_list(args) && i < args->child_count; i++)
		read_k3d_item(reader, &args->children[i], "arg", group, &sizing);
	if (server)
		control_plane_imply(reader, group, false, "true");
	label_imply(reader->arena, &group->labels, STR(LABEL_TYPE), STR("k3s"), "set by k3s");
	group_set_os(reader, group, STR("linux"));
	group_set_fixed(group, count, own);
	shapes_resolve(reader, group, &sizing);
}

void k3d_read(const struct reader *reader)
{
	read_k3d_group(reader, "servers", 1, true);
	read_k3d_group(reader, "agents", 0, false);
}

/* ---- kubeadm ------------------------------------------------------------------------- */

bool kubeadm_detect(str api_version, str kind, const struct node *root)
{
	static const char *const kinds[] = { "JoinConfiguration", "InitConfiguration" };

	(void)root;
	return version_in_group(api_version, "kubeadm.k8s.io") &&
	       text_is_any(kind, kinds, COUNT_OF(kinds));
}

/* One node; how many are made of the file nobody tells. */
void kubeadm_read(const struct reader *reader)
{
	const struct node *root = reader->entry->root;
	const struct node *registration = node_get(root, "nodeRegistration");
	bool control_plane = str_is(reader->entry->kind, "InitConfiguration") ||
	                     node_get(root, "controlPlane");
	str name = node_text(node_get(registration, "name"));
	struct group *group = group_new(reader, name.n ? name : STR("kubeadm"), root);
	struct sizing sizing = { .kubelet_only = true };

	group->labels_complete = group->taints_known = true;
	registration_read(reader, registration, control_plane, group, &sizing);
	group_set_os(reader, group, STR("linux"));
	count_imply(&group->min, 0, NULL, "nobody tells how many nodes join");
	shapes_resolve(reader, group, &sizing);
}

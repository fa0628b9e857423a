/* `kubectl get nodes`: v1 Nodes, put together into groups (node-groups.md section 10).
 *
 * A snapshot: sizes are what runs now, everything else is exact. Nodes of one group share their
 * taints; where labels or amounts differ, each kind is a shape of its own.
 */
#include "pools-internal.h"

/* Labels that name the pool of a node, in order of trust. */
static const char *const pool_labels[] = {
	"karpenter.sh/nodepool", "karpenter.sh/provisioner-name", "eks.amazonaws.com/nodegroup",
	"alpha.eksctl.io/nodegroup-name", "cloud.google.com/gke-nodepool",
	"kubernetes.azure.com/agentpool", "agentpool", "kops.k8s.io/instancegroup",
	"hypershift.openshift.io/nodePool",
};

/* Taints that come and go: of conditions and of autoscalers (autoscalers.md section 3). */
static const char *const passing_taints[] = {
	"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable",
	"node.kubernetes.io/memory-pressure", "node.kubernetes.io/disk-pressure",
	"node.kubernetes.io/network-unavailable", "node.kubernetes.io/pid-pressure",
	"node.kubernetes.io/unschedulable", "node.cloudprovider.kubernetes.io/uninitialized",
	"node.cloudprovider.kubernetes.io/shutdown", "cloud.google.com/impending-node-termination",
	"NodeWithImpairedVolumes", "ToBeDeletedByClusterAutoscaler",
	"DeletionCandidateOfClusterAutoscaler", "karpenter.sh/unregistered",
	"karpenter.sh/disrupted", "node.cluster.x-k8s.io/uninitialized",
};
static const char *const passing_prefixes[] = {
	"startup-taint.cluster-autoscaler.kubernetes.io/",
	"ignore-taint.cluster-autoscaler.kubernetes.io/",
	"status-taint.cluster-autoscaler.kubernetes.io/",
};

/* A group in the making. */
struct pool {
	struct group *group;
	struct map *shapes;   /* signature -> anything: kinds of nodes that were seen */
};

bool nodes_detect(str api_version, str kind, const struct node *root)
{
	return str_is(api_version, "v1") && str_is(kind, "Node") &&
	       (!root || node_is_map(node_get(root, "metadata")));
}

/* Only kept: groups show when all nodes are seen. */
void nodes_read(const struct reader *reader)
{
	*VEC_PUSH(reader->arena, &reader->context->nodes) = *reader->entry;
}

/* ---- what nodes have in common ------------------------------------------------------- */

/* Gone before any pod of ours would come. */
static bool is_passing(str key)
{
	for (size_t i = 0; i < COUNT_OF(passing_prefixes); i++)
		if (str_starts(key, str_of(passing_prefixes[i])))
			return true;
	return text_is_any(key, passing_taints, COUNT_OF(passing_taints));
}

static bool is_cordoned(const struct entry *entry)
{
	bool value = false;

	return node_bool(node_at(entry->root, "spec.unschedulable"), &value) && value;
}

static void add_map_text(struct arena *arena, struct buf *buf, const struct node *map)
{
	for (uint32_t i = 0; node_is_map(map) && i < map->child_count; i++)
		if (!str_is(map->children[i].key, LABEL_HOSTNAME))
			buf_printf(buf, "%.*s=%.*s\n", STR_ARG(map->children[i].key),
			           STR_ARG(node_json_text(arena, &map->children[i])));
	buf_char(buf, '\n');
}

/* What makes two nodes one kind: labels but the host's name, and amounts. */
static str shape_signature(struct arena *arena, const struct entry *entry)
{
	struct buf buf = { .arena = arena };

	add_map_text(arena, &buf, node_at(entry->root, "metadata.labels"));
	add_map_text(arena, &buf, node_at(entry->root, "status.allocatable"));
	return buf_str(&buf);
}

/* The pool that a node belongs to; empty: no label or annotation says. */
static str pool_name(const struct entry *entry)
{
	const struct node *labels = node_at(entry->root, "metadata.labels");
	const struct node *owner = node_get(node_at(entry->root, "metadata.annotations"),
	                                    "cluster.x-k8s.io/owner-name");
	const struct node *label = node_first(labels, pool_labels, COUNT_OF(pool_labels));

	return node_text(label ? label : owner);
}

/* Taints and cordons are the group's own; without a pool label everything must be equal. */
static str pool_key(struct arena *arena, const struct entry *entry)
{
	const struct node *taints = node_at(entry->root, "spec.taints");
	struct buf buf = { .arena = arena };
	str name = pool_name(entry);

	buf_printf(&buf, "%.*s\n%d\n", STR_ARG(name), is_cordoned(entry));
	for (uint32_t i = 0; node_is_list(taints) && i < taints->child_count; i++) {
		str key = node_text(node_get(&taints->children[i], "key"));

		if (!is_passing(key))
			buf_printf(&buf, "%.*s=%.*s:%.*s\n", STR_ARG(key),
			           STR_ARG(node_text(node_get(&taints->children[i], "value"))),
			           STR_ARG(node_text(node_get(&taints->children[i], "effect"))));
	}
	if (!name.n)
		buf_add(&buf, shape_signature(arena, entry));
	return buf_str(&buf);
}

/* ---- groups -------------------------------------------------------------------------- */

/* Upstream: the cloud controllers' providerID schemes. */
static str provider_of(const struct entry *entry)
{
	static const struct {
		const char *prefix, *provider;
	} rows[] = { { "aws://", "aws" }, { "gce://", "gcp" }, { "azure://", "azure" },
		     { "kind://", "kind" }, { "k3s://", "k3s" } };
	str id = node_text(node_at(entry->root, "spec.providerID"));

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_starts(id, str_of(rows[i].prefix)))
			return str_of(rows[i].provider);
	return (str){ 0 };
}

/* A cordon is the taint that the controller sets for it. */
static void read_node_taints(const struct reader *reader, struct group *group)
{
	const struct node *list = node_at(reader->entry->root, "spec.taints");
	struct taints all = { 0 };

	group->taints_known = true;
	read_taints(reader, list, group, &all);
	group->taints.node = all.node;
	for (size_t i = 0; i < all.n; i++) {
		if (!is_passing(all.v[i].key))
			*VEC_PUSH(reader->arena, &group->taints) = all.v[i];
		if (str_is(all.v[i].key, CONTROL_PLANE))
			group->control_plane = true;
	}
	if (is_cordoned(reader->entry))
		taint_imply(reader->arena, group, "node.kubernetes.io/unschedulable", "",
		            "NoSchedule");
}

static struct pool *pool_new(const struct reader *reader)
{
	const struct entry *entry = reader->entry;
	str name = pool_name(entry);
	struct pool *pool = ARENA_NEW(reader->arena, struct pool);

	pool->group = group_new(reader, name.n ? name : entry->name, entry->root);
	pool->shapes = map_new(reader->arena);
	pool->group->labels_complete = true;
	pool->group->provider = provider_of(entry);
	read_node_taints(reader, pool->group);
	return pool;
}

/* One value a node. */
static void add_host(struct arena *arena, struct group *group, str host)
{
	struct group_label *label;

	if (!host.n)
		return;
	label = label_find(&group->labels, STR(LABEL_HOSTNAME));
	if (label) {
		*VEC_PUSH(arena, &label->values) = host;
		return;
	}
	label = label_imply(arena, &group->labels, STR(LABEL_HOSTNAME), host, "seen on the nodes");
	label->origin = ORIGIN_OBSERVED;
}

/* nodeInfo stands in for labels that a cut-down list has lost. */
static void observe_labels(const struct reader *reader, struct node_shape *shape)
{
	const struct node *labels = node_at(reader->entry->root, "metadata.labels");
	const struct node *info = node_at(reader->entry->root, "status.nodeInfo");
	str os = node_text(node_get(info, "operatingSystem"));
	str arch = node_text(node_get(info, "architecture"));

	for (uint32_t i = 0; node_is_map(labels) && i < labels->child_count && i < 1000; i++) {
		const struct node *node = &labels->children[i];
		struct group_label *label;

		if (str_is(node->key, LABEL_HOSTNAME))
			continue;
		label = label_declare(reader->arena, &shape->labels, node->key, node_text(node),
		                      node);
		if (label)
			label->origin = ORIGIN_OBSERVED;
	}
	if (os.n)
		label_imply(reader->arena, &shape->labels, STR(LABEL_OS), os, "nodeInfo");
	if (arch.n)
		label_imply(reader->arena, &shape->labels, STR(LABEL_ARCH), arch, "nodeInfo");
	shape->instance_type = node_text(node_get(labels, LABEL_TYPE));
}

static void observe_amounts(const struct reader *reader, const struct group *group,
                            struct node_shape *shape)
{
	const struct node *status = node_get(reader->entry->root, "status");
	struct sizing sizing = { 0 };

	sizing.allocatable_node = node_get(status, "allocatable");
	sizing.capacity_node = node_get(status, "capacity");
	read_amounts(reader, sizing.allocatable_node, &sizing.allocatable);
	read_amounts(reader, sizing.capacity_node, &sizing.capacity);
	if (!node_is_map(sizing.allocatable_node))
		sizing.allocatable_node = NULL;
	if (!node_is_map(sizing.capacity_node))
		sizing.capacity_node = NULL;
	shape_resolve(reader, group, &sizing, shape);
	for (size_t i = 0; i < shape->allocatable.n; i++)
		if (shape->allocatable.v[i].origin == ORIGIN_DECLARED)
			shape->allocatable.v[i].origin = ORIGIN_OBSERVED;
}

/* Sizes are counted here; what else a node shows is read once of each kind. */
static void add_node(const struct reader *reader, struct map *pools)
{
	const struct entry *entry = reader->entry;
	str key = pool_key(reader->arena, entry), signature = shape_signature(reader->arena, entry);
	struct pool *pool = map_get(pools, key);
	const struct node *labels = node_at(entry->root, "metadata.labels");
	struct node_shape *shape;

	if (!pool) {
		pool = pool_new(reader);
		map_put(pools, key, pool);
	}
	pool->group->max.value++;
	pool->group->max.node = NULL;
	add_host(reader->arena, pool->group, node_text(node_get(labels, LABEL_HOSTNAME)));
	pools_add_version(reader->pools,
	                  node_text(node_at(entry->root, "status.nodeInfo.kubeletVersion")));
	if (map_has(pool->shapes, signature))
		return;
	map_put(pool->shapes, signature, pool);
	shape = VEC_PUSH(reader->arena, &pool->group->shapes);
	shape->node = entry->root;
	observe_labels(reader, shape);
	observe_amounts(reader, pool->group, shape);
}

/* Facts that all shapes share are the group's. */
static void settle_group(struct arena *arena, struct group *group)
{
	struct node_shape *first = &group->shapes.v[0];
	const struct group_label *label = label_find(&first->labels, STR(LABEL_OS));

	group->max.origin = ORIGIN_OBSERVED;
	group->max.why = "nodes that run now";
	group->min = group->max;
	group->desired = group->max;
	group->os = label ? label->values.v[0] : (str){ 0 };
	label = label_find(&first->labels, STR(LABEL_ARCH));
	if (group->shapes.n > 1)
		return;
	group->arch = label ? label->values.v[0] : (str){ 0 };
	label = label_find(&first->labels, STR(LABEL_ZONE));
	if (label)
		group->zones = label->values;
	for (size_t i = 0; i < group->labels.n; i++)
		*VEC_PUSH(arena, &first->labels) = group->labels.v[i];
	group->labels = first->labels;
	first->labels = (struct group_labels){ 0 };
}

void nodes_finish(struct context *context)
{
	struct map *pools = map_new(context->arena);
	struct reader reader = { .arena = context->arena, .context = context,
		                 .pools = context->pools, .format = "nodes" };
	str key;

	for (size_t i = 0; i < context->nodes.n; i++) {
		reader.entry = &context->nodes.v[i];
		add_node(&reader, pools);
	}
	for (size_t i = 0; i < map_count(pools); i++)
		settle_group(context->arena,
		             ((struct pool *)map_at(pools, i, &key))->group);
}

/* Terraform: plan and state as JSON (node-groups.md section 8). Modules are flattened; HCL is not
 * read.
 */
#include "managed.h"
#include "nested.h"

#define MODULE_DEPTH 50

/* One resource in the shape of all versions. */
struct resource {
	str type, name, address;
	const struct node *values;
	const struct node *unknown;  /* fields known after apply; NULL: all are known */
};
struct resources VEC(struct resource);

/* A document at work. */
struct plan {
	const struct reader *reader;
	struct resources resources;
	struct map *unknown;         /* address -> after_unknown */
	struct map *templates;       /* id or name -> launch template's values */
	struct map *pools;           /* names of GKE pools that were read */
};

bool terraform_detect(str api_version, str kind, const struct node *root)
{
	bool plan = node_is_scalar(node_get(root, "format_version")) &&
	            (node_is_map(node_get(root, "planned_values")) ||
	             node_is_list(node_get(root, "resource_changes")) ||
	             node_is_map(node_get(root, "values")));

	if (api_version.n || kind.n)
		return false;
	return plan || (node_get(root, "lineage") && node_get(root, "version") &&
	                (node_is_list(node_get(root, "resources")) ||
	                 node_is_list(node_get(root, "modules"))));
}

/* ---- resources ----------------------------------------------------------------------- */

/* Data sources and resources without values declare nothing. */
static void add_resource(struct plan *plan, const struct node *node, const struct node *values,
                         const struct node *unknown)
{
	str mode = node_text(node_get(node, "mode"));
	struct resource resource = {
		.type = node_text(node_get(node, "type")), .values = values, .unknown = unknown,
		.name = node_text(node_get(node, "name")),
		.address = node_text(node_get(node, "address")),
	};

	if ((mode.n && !str_is(mode, "managed")) || !node_is_map(values) || !resource.type.n)
		return;
	if (!unknown && resource.address.n)
		resource.unknown = nested_held(map_get(plan->unknown, resource.address));
	*VEC_PUSH(plan->reader->arena, &plan->resources) = resource;
}

/* Modules only nest. */
static void add_module(struct plan *plan, const struct node *module, size_t depth)
{
	const struct node *resources = node_get(module, "resources");
	const struct node *children = node_get(module, "child_modules");

	for (uint32_t i = 0; node_is_list(resources) && i < resources->child_count; i++)
		add_resource(plan, &resources->children[i],
		             node_get(&resources->children[i], "values"), NULL);
	for (uint32_t i = 0; node_is_list(children) && depth < MODULE_DEPTH &&
	                     i < children->child_count; i++)
		add_module(plan, &children->children[i], depth + 1);
}

/* Raw state: each resource with its instances. */
static void add_state(struct plan *plan, const struct node *resources)
{
	for (uint32_t i = 0; node_is_list(resources) && i < resources->child_count; i++) {
		const struct node *node = &resources->children[i];
		const struct node *instances = node_get(node, "instances");

		for (uint32_t k = 0; node_is_list(instances) && k < instances->child_count; k++)
			add_resource(plan, node, node_get(&instances->children[k], "attributes"),
			             NULL);
	}
}

/* What is known only after apply, by address; the values too where a plan holds nothing else. */
static void add_changes(struct plan *plan, const struct node *changes, bool values)
{
	for (uint32_t i = 0; node_is_list(changes) && i < changes->child_count; i++) {
		const struct node *node = &changes->children[i];
		const struct node *unknown = node_at(node, "change.after_unknown");
		str address = node_text(node_get(node, "address"));

		if (values)
			add_resource(plan, node, node_at(node, "change.after"), unknown);
		else if (address.n && node_is_map(unknown))
			map_put(plan->unknown, address, nested_hold(plan->reader->arena, unknown));
	}
}

/* A plan has planned values, a state its resources; changes alone will do. */
static void list_resources(struct plan *plan)
{
	const struct node *root = plan->reader->entry->root;
	const struct node *changes = node_get(root, "resource_changes");
	const struct node *planned = node_at(root, "planned_values.root_module");
	const struct node *shown = node_at(root, "values.root_module");

	if (node_is_list(node_get(root, "modules")))
		pools_note(plan->reader->context, &plan->reader->pools->notes,
		           STR("a Terraform state of version 3 or older is not read: run terraform "
		               "show -json"));
	add_changes(plan, changes, !planned && !shown);
	add_module(plan, planned ? planned : shown, 0);
	add_state(plan, node_get(root, "resources"));
}

/* ---- pools --------------------------------------------------------------------------- */

static struct managed pool_of(const struct resource *resource, const char *name)
{
	struct managed managed = { .values = resource->values, .unknown = resource->unknown,
		                   .node = resource->values };

	managed.name = node_text(managed_get(resource->values, name));
	if (!managed.name.n)
		managed.name = resource->name;
	return managed;
}

/* The launch template by id, else by name. */
static void read_eks(struct plan *plan, const struct resource *resource)
{
	struct managed managed = pool_of(resource, "node_group_name");
	const struct node *template = managed_block(resource->values, "launch_template");
	const struct node *found = NULL;

	if (template)
		found = nested_held(map_get(plan->templates,
		                            node_text(managed_get(template, "id"))));
	if (template && !found)
		found = nested_held(map_get(plan->templates,
		                            node_text(managed_get(template, "name"))));
	managed.instance_type = node_text(managed_get(found, "instance_type"));
	managed.version = node_text(managed_get(resource->values, "version"));
	managed_read_eks(plan->reader, &managed);
}

static void read_gke(struct plan *plan, const struct resource *resource)
{
	struct managed managed = pool_of(resource, "name");

	managed.version = node_text(managed_get(resource->values, "version"));
	map_put(plan->pools, managed.name, plan);
	managed_read_gke(plan->reader, &managed);
}

/* State repeats all pools inside of the cluster. */
static void read_gke_cluster(struct plan *plan, const struct resource *resource)
{
	const struct node *values = resource->values, *list = managed_get(values, "node_pool");
	struct managed managed = { .unknown = NULL, .location = managed_get(values, "location") };

	pools_add_version(plan->reader->pools,
	                  node_text(managed_get(values, "min_master_version")));
	if (managed_flag(values, "enable_autopilot"))
		group_unknown(plan->reader, STR("autopilot"), values);
	else if (managed_flag(managed_block(values, "cluster_autoscaling"), "enabled"))
		group_unknown(plan->reader, STR("node auto-provisioning"), values);
	if (managed_flag(values, "remove_default_node_pool"))
		return;
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		managed.values = managed.node = &list->children[i];
		managed.name = node_text(managed_get(managed.values, "name"));
		if (!managed.name.n || map_has(plan->pools, managed.name))
			continue;
		map_put(plan->pools, managed.name, plan);
		managed_read_gke(plan->reader, &managed);
	}
}

static void read_aks(struct plan *plan, const struct resource *resource)
{
	struct managed managed = pool_of(resource, "name");

	managed_read_aks(plan->reader, &managed);
}

static void read_aks_cluster(struct plan *plan, const struct resource *resource)
{
	struct managed managed = {
		.values = managed_block(resource->values, "default_node_pool"),
		.unknown = managed_block(resource->unknown, "default_node_pool"),
		.location = managed_get(resource->values, "location"),
		.version = node_text(managed_get(resource->values, "kubernetes_version")),
	};

	pools_add_version(plan->reader->pools, managed.version);
	if (!managed.values)
		return;
	managed.node = managed.values;
	managed.name = node_text(managed_get(managed.values, "name"));
	managed_read_aks(plan->reader, &managed);
}

/* ---- autoscaling groups -------------------------------------------------------------- */

/* Upstream: the cloud provider and the autoscaler's discovery. */
static bool is_cluster_tag(str key)
{
	return str_starts(key, STR("kubernetes.io/cluster/")) ||
	       str_starts(key, STR("k8s.io/cluster-autoscaler/"));
}

/* Only groups with a cluster's tag hold nodes. Their labels and taints stand in user data, which
 * nobody reads; tags are no labels. */
static void read_asg(struct plan *plan, const struct resource *resource)
{
	const struct reader *reader = plan->reader;
	const struct node *tags = managed_get(resource->values, "tag");
	const struct node *template = managed_block(resource->values, "launch_template");
	struct pairs pairs = { 0 };
	const struct sizing sizing = { .hidden_kubelet = true };
	struct group *group;
	bool nodes = false;
	str type;

	for (uint32_t i = 0; node_is_list(tags) && i < tags->child_count; i++) {
		const struct node *item = &tags->children[i], *value = node_get(item, "value");
		str key = node_text(node_get(item, "key"));

		nodes = nodes || is_cluster_tag(key);
		if (key.n && node_is_scalar(value))
			*VEC_PUSH(reader->arena, &pairs) =
				(struct pair){ key, node_text(value), value };
	}
	if (!nodes)
		return;
	group = group_new(reader, pool_of(resource, "name").name, resource->values);
	group->provider = STR("aws");
	group->tags = pairs;
	read_count(reader, managed_get(resource->values, "min_size"), true, &group->min);
	read_count(reader, managed_get(resource->values, "max_size"), true, &group->max);
	read_count(reader, managed_get(resource->values, "desired_capacity"), true,
	           &group->desired);
	group->managed_by_autoscaler = group->min.origin && group->max.origin &&
	                               group->min.value < group->max.value;
	type = node_text(managed_get(nested_held(map_get(plan->templates,
		node_text(managed_get(template, "id")))), "instance_type"));
	shape_add(reader, group, type, resource->values);
	shapes_resolve(reader, group, &sizing);
}

/* ---- others -------------------------------------------------------------------------- */

static void read_template(struct plan *plan, const struct resource *resource)
{
	static const char *const keys[] = { "id", "name" };

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		str key = node_text(managed_get(resource->values, keys[i]));

		if (key.n)
			map_put(plan->templates, key,
			        nested_hold(plan->reader->arena, resource->values));
	}
}

static void read_fargate(struct plan *plan, const struct resource *resource)
{
	pools_read_fargate(plan->reader, managed_get(resource->values, "fargate_profile_name"),
	                   managed_get(resource->values, "selector"));
}

static void read_eks_cluster(struct plan *plan, const struct resource *resource)
{
	pools_add_version(plan->reader->pools, node_text(managed_get(resource->values, "version")));
	if (managed_flag(managed_block(resource->values, "compute_config"), "enabled"))
		group_unknown(plan->reader, STR("auto-mode"), resource->values);
}

static void read_manifest(struct plan *plan, const struct resource *resource)
{
	nested_read_node(plan->reader, managed_get(resource->values, "manifest"));
	nested_read_text(plan->reader, managed_get(resource->values, "yaml_body"));
}

/* Charts of the autoscaler that Terraform installs. */
static void read_release(struct plan *plan, const struct resource *resource)
{
	const struct node *values = managed_get(resource->values, "values");

	for (uint32_t i = 0; node_is_list(values) && i < values->child_count; i++)
		nested_read_values(plan->reader, node_text(managed_get(resource->values, "chart")),
		                   &values->children[i]);
}

/* Launch templates first, and pools before the clusters that repeat them. */
static const struct type_row {
	const char *type;
	void (*read)(struct plan *plan, const struct resource *resource);
	int round;
} type_rows[] = {
	{ "aws_launch_template", read_template, 0 },
	{ "aws_eks_node_group", read_eks, 1 },
	{ "google_container_node_pool", read_gke, 1 },
	{ "azurerm_kubernetes_cluster_node_pool", read_aks, 1 },
	{ "aws_autoscaling_group", read_asg, 1 },
	{ "google_container_cluster", read_gke_cluster, 2 },
	{ "azurerm_kubernetes_cluster", read_aks_cluster, 2 },
	{ "aws_eks_cluster", read_eks_cluster, 2 },
	{ "aws_eks_fargate_profile", read_fargate, 2 },
	{ "kubernetes_manifest", read_manifest, 2 },
	{ "kubectl_manifest", read_manifest, 2 },
	{ "helm_release", read_release, 2 },
};

/* In rounds: what others refer to comes first. */
void terraform_read(const struct reader *reader)
{
	struct plan plan = { .reader = reader, .unknown = map_new(reader->arena),
		             .templates = map_new(reader->arena),
		             .pools = map_new(reader->arena) };

	list_resources(&plan);
	for (int round = 0; round <= 2; round++)
		for (size_t i = 0; i < plan.resources.n; i++)
			for (size_t k = 0; k < COUNT_OF(type_rows); k++)
				if (type_rows[k].round == round &&
				    str_is(plan.resources.v[i].type, type_rows[k].type))
					type_rows[k].read(&plan, &plan.resources.v[i]);
}

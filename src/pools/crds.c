/* Cloud node pools as custom resources: Config Connector, Azure Service Operator, Crossplane, ACK
 * (node-groups.md sections 5 to 7). */
#include "managed.h"

/* Which cloud's fields a kind holds, and where. */
static const struct crd_row {
	const char *group;           /* API group */
	const char *kind;
	const char *fields;          /* path to the fields */
	enum { CRD_EKS, CRD_GKE, CRD_AKS, CRD_GKE_CLUSTER, CRD_AKS_CLUSTER } cloud;
} crd_rows[] = {
	{ "container.cnrm.cloud.google.com", "ContainerNodePool", "spec", CRD_GKE },
	{ "container.cnrm.cloud.google.com", "ContainerCluster", "spec", CRD_GKE_CLUSTER },
	{ "containerservice.azure.com", "ManagedClustersAgentPool", "spec", CRD_AKS },
	{ "containerservice.azure.com", "ManagedCluster", "spec", CRD_AKS_CLUSTER },
	{ "eks.aws.upbound.io", "NodeGroup", "spec.forProvider", CRD_EKS },
	{ "eks.aws.m.upbound.io", "NodeGroup", "spec.forProvider", CRD_EKS },
	{ "container.gcp.upbound.io", "NodePool", "spec.forProvider", CRD_GKE },
	{ "container.gcp.m.upbound.io", "NodePool", "spec.forProvider", CRD_GKE },
	{ "containerservice.azure.upbound.io", "KubernetesClusterNodePool", "spec.forProvider",
	  CRD_AKS },
	{ "containerservice.azure.m.upbound.io", "KubernetesClusterNodePool", "spec.forProvider",
	  CRD_AKS },
	{ "containerservice.azure.upbound.io", "KubernetesCluster", "spec.forProvider",
	  CRD_AKS_CLUSTER },
	{ "eks.services.k8s.aws", "Nodegroup", "spec", CRD_EKS },
};

static const struct crd_row *row_of(str api_version, str kind)
{
	for (size_t i = 0; i < COUNT_OF(crd_rows); i++)
		if (str_is(kind, crd_rows[i].kind) &&
		    version_in_group(api_version, crd_rows[i].group))
			return &crd_rows[i];
	return NULL;
}

bool crd_detect(str api_version, str kind, const struct node *root)
{
	(void)root;
	return row_of(api_version, kind) != NULL;
}

/* What the pool is called in the cloud: a field or annotation, else the object's name. */
static str pool_name(const struct reader *reader, const struct node *fields)
{
	static const char *const names[] = { "resourceID", "azureName", "name" };
	const struct node *node = node_first(fields, names, COUNT_OF(names));

	if (!node)
		node = node_get(node_at(reader->entry->root, "metadata.annotations"),
		                "crossplane.io/external-name");
	return node_is_scalar(node) ? node_text(node) : reader->entry->name;
}

/* The cluster that a pool belongs to, when it is among the documents. */
static const struct entry *cluster_of(const struct reader *reader, const struct node *fields,
                                      const char *kind)
{
	const struct node *name = node_at(fields, "clusterRef.name");

	if (!name)
		name = node_at(fields, "owner.name");
	return context_find(reader->context, "", str_of(kind), node_text(name));
}

/* The group stands for the whole object. */
static struct managed pool_of(const struct reader *reader, const struct node *fields)
{
	return (struct managed){ .name = pool_name(reader, fields), .values = fields,
		                 .node = reader->entry->root };
}

/* Pools name no location: it is the cluster's. */
static void read_gke_pool(const struct reader *reader, const struct node *fields)
{
	const struct entry *cluster = cluster_of(reader, fields, "ContainerCluster");
	struct managed managed = pool_of(reader, fields);

	if (cluster)
		managed.location = node_at(cluster->root, "spec.location");
	managed_read_gke(reader, &managed);
}

/* Zones are numbers within the cluster's region, and reservations depend on its version. */
static void read_aks_pool(const struct reader *reader, const struct node *fields)
{
	const struct entry *cluster = cluster_of(reader, fields, "ManagedCluster");
	struct managed managed = pool_of(reader, fields);

	if (cluster) {
		managed.location = node_at(cluster->root, "spec.location");
		managed.version = node_text(node_at(cluster->root, "spec.kubernetesVersion"));
	}
	managed_read_aks(reader, &managed);
}

/* The default pool lives in the cluster, unless it is removed at once. */
static void read_gke_cluster(const struct reader *reader, const struct node *fields)
{
	const struct node *removes =
		node_get(node_at(reader->entry->root, "metadata.annotations"),
	                 "cnrm.cloud.google.com/remove-default-node-pool");
	const struct node *scaling = managed_block(fields, "cluster_autoscaling");
	struct managed managed = pool_of(reader, fields);

	pools_add_version(reader->pools, node_text(node_get(fields, "minMasterVersion")));
	if (managed_flag(fields, "enable_autopilot"))
		group_unknown(reader, STR("autopilot"), reader->entry->root);
	else if (managed_flag(scaling, "enabled"))
		group_unknown(reader, STR("node auto-provisioning"), scaling);
	if (managed_flag(fields, "enable_autopilot") || str_is(node_text(removes), "true") ||
	    !node_get(fields, "initialNodeCount"))
		return;
	managed.name = STR("default-pool");
	managed_read_gke(reader, &managed);
}

/* Azure Service Operator lists the pools, Crossplane has a default one. */
static void read_aks_cluster(const struct reader *reader, const struct node *fields)
{
	static const char *const keys[] = { "agentPoolProfiles", "defaultNodePool" };
	const struct node *list = node_first(fields, keys, COUNT_OF(keys));
	struct managed managed = {
		.location = node_get(fields, "location"),
		.version = node_text(node_get(fields, "kubernetesVersion")),
	};

	pools_add_version(reader->pools, managed.version);
	if (node_is_map(list)) {
		managed.values = managed.node = list;
		managed.name = node_text(node_get(list, "name"));
		managed_read_aks(reader, &managed);
	}
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		managed.values = managed.node = &list->children[i];
		managed.name = node_text(node_get(managed.values, "name"));
		if (node_is_map(managed.values))
			managed_read_aks(reader, &managed);
	}
}

void crd_read(const struct reader *reader)
{
	const struct crd_row *row = row_of(reader->entry->api_version, reader->entry->kind);
	const struct node *fields = node_at(reader->entry->root, row->fields);
	struct managed managed;

	if (!node_is_map(fields) || fields->unknown) {
		reader_fault(reader, reader->entry->root, "type", "there is no %s", row->fields);
		group_unknown(reader, reader->entry->name, reader->entry->root);
		return;
	}
	switch (row->cloud) {
	case CRD_EKS:
		managed = pool_of(reader, fields);
		managed.version = node_text(node_get(fields, "version"));
		managed_read_eks(reader, &managed);
		break;
	case CRD_GKE:
		read_gke_pool(reader, fields);
		break;
	case CRD_AKS:
		read_aks_pool(reader, fields);
		break;
	case CRD_GKE_CLUSTER:
		read_gke_cluster(reader, fields);
		break;
	case CRD_AKS_CLUSTER:
		read_aks_cluster(reader, fields);
		break;
	}
}

/* Which values a label key may have on the nodes of a group. */
#include "requirements.h"

/* Former names that the kubelet and cloud controllers still write beside the new ones. */
static const struct twin_row {
	const char *former, *key;
} twin_rows[] = {
	{ "beta.kubernetes.io/arch", LABEL_ARCH },
	{ "beta.kubernetes.io/os", LABEL_OS },
	{ "beta.kubernetes.io/instance-type", LABEL_TYPE },
	{ "failure-domain.beta.kubernetes.io/zone", LABEL_ZONE },
	{ "failure-domain.beta.kubernetes.io/region", LABEL_REGION },
};

/* Labels that stand on nodes without anybody declaring them, by whole key or by domain (the
 * part before `/`, sub-domains included). provider NULL: of any. Source: labels-taints.tsv. */
static const struct own_row {
	const char *name, *provider;
} key_rows[] = {
	{ LABEL_OS, NULL }, { LABEL_ARCH, NULL }, { LABEL_HOSTNAME, NULL }, { LABEL_TYPE, NULL },
	{ LABEL_ZONE, NULL }, { LABEL_REGION, NULL }, { "node.kubernetes.io/windows-build", NULL },
	{ "kubernetes.io/role", NULL }, { "node-lifecycle", "aws" },
	{ "accelerator", "azure" }, { "agentpool", "azure" }, { "storageprofile", "azure" },
	{ "storagetier", "azure" }, { "kubernetes.io/role", "azure" },
	{ "topology.k8s.aws/zone-id", "aws" }, { "topology.k8s.aws/network-node-layer-1", "aws" },
	{ "topology.k8s.aws/network-node-layer-2", "aws" },
	{ "topology.k8s.aws/network-node-layer-3", "aws" },
}, domain_rows[] = {
	/* clouds */
	{ "eks.amazonaws.com", "aws" }, { "k8s.amazonaws.com", "aws" },
	{ "alpha.eksctl.io", "aws" }, { "cloud.google.com", "gcp" },
	{ "sandbox.gke.io", "gcp" }, { "iam.gke.io", "gcp" }, { "topology.gke.io", "gcp" },
	{ "kubernetes.azure.com", "azure" }, { "karpenter.k8s.aws", "aws" },
	{ "karpenter.azure.com", "azure" },
	/* add-ons and installers that label what they find on a node */
	{ "karpenter.sh", NULL }, { "feature.node.kubernetes.io", NULL }, { "nvidia.com", NULL },
	{ "amd.com", NULL }, { "gpu.intel.com", NULL }, { "topology.ebs.csi.aws.com", NULL },
	{ "topology.disk.csi.azure.com", NULL }, { "csi.volume.kubernetes.io", NULL },
	{ "extensions.talos.dev", NULL }, { "minikube.k8s.io", NULL }, { "kops.k8s.io", NULL },
	{ "p2p.k3s.cattle.io", NULL }, { "node.openshift.io", NULL },
	{ "node.cluster.x-k8s.io", NULL }, { "cluster-api", NULL }, { "topology.rook.io", NULL },
};

static const struct group_label absent = { .kind = LABEL_ABSENT };
static const struct group_label unknown = { .kind = LABEL_UNKNOWN };
static const struct group_label by_kubelet = {
	.kind = LABEL_UNKNOWN, .origin = ORIGIN_IMPLIED, .why = "set by the kubelet or the cloud",
};

static const struct group_label any = {
	.kind = LABEL_ANY, .origin = ORIGIN_IMPLIED,
	.why = "Karpenter starts what the pod asks for",
};

static str modern_key(str key)
{
	for (size_t i = 0; i < COUNT_OF(twin_rows); i++)
		if (str_is(key, twin_rows[i].former))
			return str_of(twin_rows[i].key);
	return key;
}

static bool provider_may(const struct group *group, const char *provider)
{
	return !provider || !group->provider.n || str_is(group->provider, provider);
}

/* Sub-domains belong to the domain. */
static bool in_domain(str key, const char *domain)
{
	str head, own = str_of(domain);

	str_cut(key, '/', &head, &(str){ 0 });
	return head.n < key.n && str_ends(head, own) &&
	       (head.n == own.n || head.p[head.n - own.n - 1] == '.');
}

/* May the key stand on the group's nodes though no list of labels names it? */
static bool comes_by_itself(const struct group *group, str key)
{
	for (size_t i = 0; i < COUNT_OF(key_rows); i++)
		if (str_is(key, key_rows[i].name) && provider_may(group, key_rows[i].provider))
			return true;
	for (size_t i = 0; i < COUNT_OF(domain_rows); i++)
		if (in_domain(key, domain_rows[i].name) &&
		    provider_may(group, domain_rows[i].provider))
			return true;
	return false;
}

/* A list of running nodes shows every label that they have. */
static bool is_observed(const struct group *group)
{
	return str_is(str_of(group->format), "nodes");
}

const struct group_label *group_label_find(const struct group *group,
                                           const struct node_shape *shape, str key)
{
	const struct group_label *label = shape ? label_find(&shape->labels, key) : NULL;
	str modern = modern_key(key);

	if (!label)
		label = label_find(&group->labels, key);
	if (!label && modern.p != key.p)
		return group_label_find(group, shape, modern);
	if (label)
		return label;
	if (str_is(str_of(group->format), "karpenter") && karpenter_knows_label(key))
		return &any;
	if (!group->labels_complete)
		return comes_by_itself(group, key) ? &by_kubelet : &unknown;
	/* Labels of running nodes are all there is, but for those of a list cut down by hand. */
	if (is_observed(group) && label_find(&group->labels, STR(LABEL_HOSTNAME)))
		return &absent;
	return comes_by_itself(group, key) ? &by_kubelet : &absent;
}

struct group_label *label_find(const struct group_labels *labels, str key)
{
	for (size_t i = 0; i < labels->n; i++)
		if (str_eq(labels->v[i].key, key))
			return &labels->v[i];
	return NULL;
}

/* ---- making labels ------------------------------------------------------------------- */

/* The first one stays: formats are read from the more special to the more general. */
static struct group_label *label_put(struct arena *arena, struct group_labels *labels, str key,
                                     str value)
{
	struct group_label *label = label_find(labels, key);

	if (label)
		return NULL;
	label = VEC_PUSH(arena, labels);
	label->key = key;
	label->kind = LABEL_VALUES;
	/* One value nearly always: no room for more. */
	label->values = (struct strs){ ARENA_NEW(arena, str), 1, 1 };
	label->values.v[0] = value;
	return label;
}

struct group_label *label_declare(struct arena *arena, struct group_labels *labels, str key,
                                  str value, const struct node *node)
{
	struct group_label *label = label_put(arena, labels, key, value);

	if (label) {
		label->origin = ORIGIN_DECLARED;
		label->node = node;
	}
	return label;
}

struct group_label *label_imply(struct arena *arena, struct group_labels *labels, str key,
                                str value, const char *why)
{
	struct group_label *label = label_put(arena, labels, key, value);

	if (label) {
		label->origin = ORIGIN_IMPLIED;
		label->why = why;
	}
	return label;
}

/* Which kinds there are: classes, scope, life.
 *
 * Sources: the generated kinds of the schema (k8s.io/api 0.16-0.37), the life cycle of every
 * built-in kind, and the places of pod templates in custom kinds. The sniffer asks kube_knows()
 * for every document of a run, so whatever is wanted there must be found without a tree.
 */
#include "kube-internal.h"

/* One kind of api-lifecycle.tsv; versions as text, empty: none. */
struct api_life_row {
	str api_version, kind;
	str introduced, deprecated, removed;
	str replacement, note;
};
#include "api-life-table.h"
#include "pod-paths-table.h"

#define NEWEST_MINOR 37 /* of rules/data/k8s-kinds.tsv */
#define OLDEST_MINOR 16

/* A kind in a group may move between versions, never between these groups but for extensions. */
#define ROW(group, kind, class) \
	{ { "" group, sizeof(group) - 1 }, { "" kind, sizeof(kind) - 1 }, class }
struct class_row {
	str group, kind;
	enum object_class class;
};
static const struct class_row class_rows[] = {
	ROW("", "Pod", OBJECT_POD),
	ROW("apps", "Deployment", OBJECT_DEPLOYMENT),
	ROW("extensions", "Deployment", OBJECT_DEPLOYMENT),
	ROW("apps", "StatefulSet", OBJECT_STATEFUL_SET),
	ROW("apps", "DaemonSet", OBJECT_DAEMON_SET),
	ROW("extensions", "DaemonSet", OBJECT_DAEMON_SET),
	ROW("apps", "ReplicaSet", OBJECT_REPLICA_SET),
	ROW("extensions", "ReplicaSet", OBJECT_REPLICA_SET),
	ROW("", "ReplicationController", OBJECT_REPLICATION_CONTROLLER),
	ROW("batch", "Job", OBJECT_JOB),
	ROW("batch", "CronJob", OBJECT_CRON_JOB),
	ROW("autoscaling", "HorizontalPodAutoscaler", OBJECT_HPA),
	ROW("", "Service", OBJECT_SERVICE),
	ROW("policy", "PodDisruptionBudget", OBJECT_PDB),
	ROW("node.k8s.io", "RuntimeClass", OBJECT_RUNTIME_CLASS),
	ROW("scheduling.k8s.io", "PriorityClass", OBJECT_PRIORITY_CLASS),
	ROW("apiregistration.k8s.io", "APIService", OBJECT_API_SERVICE),
	ROW("", "ConfigMap", OBJECT_CONFIG_MAP),
	ROW("monitoring.coreos.com", "PrometheusRule", OBJECT_PROMETHEUS_RULE),
	ROW("", "Namespace", OBJECT_NAMESPACE),
	ROW("", "PersistentVolumeClaim", OBJECT_PVC),
	ROW("", "PersistentVolume", OBJECT_PV),
	ROW("storage.k8s.io", "StorageClass", OBJECT_STORAGE_CLASS),
	ROW("", "LimitRange", OBJECT_LIMIT_RANGE),
	ROW("", "ResourceQuota", OBJECT_RESOURCE_QUOTA),
	ROW("keda.sh", "ScaledObject", OBJECT_SCALED_OBJECT),
	ROW("keda.sh", "ScaledJob", OBJECT_SCALED_JOB),
	ROW("autoscaling.k8s.io", "VerticalPodAutoscaler", OBJECT_VPA),
};

/* Custom kinds that are known to be cluster-scoped (their CRDs, read with crd-fields.tsv). */
struct cluster_kind {
	const char *group, *kind;
};
static const struct cluster_kind cluster_kinds[] = {
	{ "karpenter.sh", "NodePool" },          { "karpenter.sh", "NodeClaim" },
	{ "karpenter.sh", "NodeOverlay" },       { "karpenter.sh", "Provisioner" },
	{ "karpenter.k8s.aws", "EC2NodeClass" }, { "karpenter.k8s.aws", "AWSNodeTemplate" },
	{ "karpenter.azure.com", "AKSNodeClass" },
	{ "karpenter.k8s.gcp", "GCENodeClass" },
	{ "keda.sh", "ClusterTriggerAuthentication" },
	{ "kueue.x-k8s.io", "ResourceFlavor" },  { "kueue.x-k8s.io", "ClusterQueue" },
	{ "autoscaling.openshift.io", "ClusterAutoscaler" },
};

/* ---- classes and scope ---------------------------------------------------------------- */

void api_version_split(str api_version, str *ret_group, str *ret_version)
{
	str group, version;

	if (!str_cut(api_version, '/', &group, &version)) {
		version = group;
		group = (str){ 0 };
	}
	*ret_group = group;
	*ret_version = version;
}

/* Groups that Kubernetes itself serves or served. */
static bool group_is_built_in(str group)
{
	for (size_t i = 0; i < COUNT_OF(api_life_rows); i++) {
		str row_group, version;

		api_version_split(api_life_rows[i].api_version, &row_group, &version);
		if (str_eq(row_group, group))
			return true;
	}
	return false;
}

enum object_class kind_class(str group, str kind)
{
	const struct class_row *other = NULL;

	for (size_t i = 0; i < COUNT_OF(class_rows); i++) {
		if (!str_eq(kind, class_rows[i].kind))
			continue;
		if (str_eq(group, class_rows[i].group))
			return class_rows[i].class;
		other = &class_rows[i];
	}
	/* A built-in kind under a wrong built-in group is still read as what was meant. */
	if (other && group_is_built_in(group) && group_is_built_in(other->group))
		return other->class;
	return OBJECT_OTHER;
}

bool kind_is_cluster_scoped(const struct schema_kind *row, str group, str kind)
{
	if (row && row->scope != SCOPE_CUSTOM)
		return row->scope == SCOPE_CLUSTER;
	for (size_t i = 0; i < COUNT_OF(cluster_kinds); i++)
		if (str_is(group, cluster_kinds[i].group) && str_is(kind, cluster_kinds[i].kind))
			return true;
	return false;
}

bool kind_is_scalable(str kind)
{
	static const char *const built_in[] = { "Deployment", "StatefulSet", "ReplicaSet",
		                                "ReplicationController" };

	for (size_t i = 0; i < COUNT_OF(built_in); i++)
		if (str_is(kind, built_in[i]))
			return true;
	for (size_t i = 0; i < COUNT_OF(pod_path_rows); i++)
		if (pod_path_rows[i].scale.n && str_eq(pod_path_rows[i].kind, kind))
			return true;
	return false;
}

/* ---- pod templates of custom kinds ---------------------------------------------------- */

const struct pod_path_row *pod_path_rows_all(size_t *ret_count)
{
	*ret_count = COUNT_OF(pod_path_rows);
	return pod_path_rows;
}

bool pod_path_serves(const struct pod_path_row *row, str group, str version, str kind)
{
	str rest = row->versions, piece;

	if (!str_eq(row->group, group) || !str_eq(row->kind, kind))
		return false;
	while (str_next(&rest, ',', &piece))
		if (str_eq(piece, version))
			return true;
	return false;
}

/* ---- life ----------------------------------------------------------------------------- */

struct version kube_newest(void)
{
	return (struct version){ .major = 1, .minor = NEWEST_MINOR, .patch = -1 };
}

struct version kube_oldest(void)
{
	return (struct version){ .major = 1, .minor = OLDEST_MINOR, .patch = -1 };
}

/* The row of exactly that apiVersion and kind. */
static const struct api_life_row *life_row(str api_version, str kind)
{
	for (size_t i = 0; i < COUNT_OF(api_life_rows); i++)
		if (str_eq(api_life_rows[i].kind, kind) &&
		    str_eq(api_life_rows[i].api_version, api_version))
			return &api_life_rows[i];
	return NULL;
}

/* An empty cell is no version: major 0. */
static struct version version_of(str text)
{
	struct version version = { 0 };

	if (!version_parse(text, &version))
		version = (struct version){ 0 };
	return version;
}

bool kube_api_life(str api_version, str kind, struct api_life *ret_life)
{
	const struct api_life_row *row = life_row(api_version, kind);

	*ret_life = (struct api_life){ 0 };
	if (!row)
		return false;
	ret_life->introduced = version_of(row->introduced);
	ret_life->deprecated = version_of(row->deprecated);
	ret_life->removed = version_of(row->removed);
	if (!str_cut(row->replacement, ' ', &ret_life->new_api_version, &ret_life->new_kind))
		ret_life->new_api_version = ret_life->new_kind = (str){ 0 };
	return true;
}

/* The kind without the List of its list form, or the empty view. */
static str item_kind(str kind)
{
	return str_ends(kind, STR("List")) ? str_slice(kind, 0, kind.n - 4) : (str){ 0 };
}

/* How well a row says where the kind is now: served and no beta, served, gone. */
static int life_rank(const struct api_life_row *row)
{
	if (row->removed.n)
		return 0;
	return str_contains(row->api_version, STR("beta")) ||
	       str_contains(row->api_version, STR("alpha")) ? 1 : 2;
}

/* The newest row of a kind, in whatever group, whose name is equal or one edit away. */
static const struct api_life_row *life_like(str kind, bool one_edit)
{
	const struct api_life_row *best = NULL;

	for (size_t i = 0; i < COUNT_OF(api_life_rows); i++) {
		const struct api_life_row *row = &api_life_rows[i];

		if (one_edit ? !str_one_edit(row->kind, kind) : !str_eq(row->kind, kind))
			continue;
		if (!best || life_rank(row) >= life_rank(best)) /* v2 comes behind v1 */
			best = row;
	}
	return best;
}

str kind_not_served(struct arena *arena, str api_version, str kind)
{
	const struct api_life_row *row;
	str group, version;

	api_version_split(api_version, &group, &version);
	if (str_is(kind, "List") || !group_is_built_in(group) || life_row(api_version, kind) ||
	    life_row(api_version, item_kind(kind)))
		return (str){ 0 };
	row = life_like(kind, false);
	if (row)
		return str_format(arena, "no Kubernetes version serves %.*s %.*s; %.*s is in %.*s",
		                  STR_ARG(api_version), STR_ARG(kind), STR_ARG(kind),
		                  STR_ARG(row->api_version));
	row = life_like(kind, true);
	if (row)
		return str_format(arena,
		                  "no Kubernetes version serves %.*s %.*s; nearest is %.*s %.*s",
		                  STR_ARG(api_version), STR_ARG(kind), STR_ARG(row->api_version),
		                  STR_ARG(row->kind));
	/* The group without a name is also used by files that are no API objects (kubeconfig). */
	if (!group.n)
		return (str){ 0 };
	return str_format(arena, "no Kubernetes version serves %.*s %.*s", STR_ARG(api_version),
	                  STR_ARG(kind));
}

/* ---- what kube has a use for ---------------------------------------------------------- */

/* Any version: a newer one of a listed kind is found by shape. */
static bool custom_pods(str group, str kind)
{
	for (size_t i = 0; i < COUNT_OF(pod_path_rows); i++)
		if (str_eq(pod_path_rows[i].group, group) && str_eq(pod_path_rows[i].kind, kind))
			return true;
	return false;
}

/* Of a kind without fields and class only a life that ends is of interest. */
static bool knows_item(str api_version, str group, str kind)
{
	const struct schema_kind *row = schema_kind(api_version, kind);
	const struct api_life_row *life;

	if (row && row->type != SCHEMA_NONE)
		return true;
	if (kind_class(group, kind) != OBJECT_OTHER || custom_pods(group, kind))
		return true;
	life = life_row(api_version, kind);
	if (life)
		return life->deprecated.n || life->removed.n;
	return false;
}

bool kube_is_built_in(str api_version)
{
	str group, version;

	api_version_split(api_version, &group, &version);
	return group_is_built_in(group);
}

/* A kind that no version serves in a group of Kubernetes is of use too: it is a mistake. */
bool kube_knows(str api_version, str kind)
{
	str group, version, item = item_kind(kind);

	if (!kind.n)
		return false;
	api_version_split(api_version, &group, &version);
	if (str_is(kind, "List") || knows_item(api_version, group, kind) ||
	    (item.n && knows_item(api_version, group, item)))
		return true;
	return group_is_built_in(group) && !schema_kind(api_version, kind) &&
	       !life_row(api_version, kind) && !life_row(api_version, item) &&
	       (group.n || life_like(kind, false) || life_like(kind, true));
}

/* Karpenter: NodePool v1 and v1beta1, Provisioner v1alpha5, and the node classes that they name
 * (node-groups.md section 2). */
#include "requirements.h"

#define CAPACITY_TYPE "karpenter.sh/capacity-type"

/* Classes of nodes by provider. */
static const struct class_row {
	const char *group, *kind, *provider;
} class_rows[] = {
	{ "karpenter.k8s.aws", "EC2NodeClass", "aws" },
	{ "karpenter.k8s.aws", "AWSNodeTemplate", "aws" },
	{ "karpenter.azure.com", "AKSNodeClass", "azure" },
	{ "karpenter.k8s.gcp", "GCENodeClass", "gcp" },
	{ "eks.amazonaws.com", "NodeClass", "aws" },
};

/* A pool in the words of all versions. */
struct pool {
	const struct node *spec, *labels, *taints, *startup_taints, *requirements;
	const struct node *limits, *kubelet, *class_ref;
	bool provisioner;
};

static bool is_pool(str api_version, str kind)
{
	return version_in_group(api_version, "karpenter.sh") &&
	       (str_is(kind, "NodePool") || str_is(kind, "Provisioner"));
}

bool karpenter_detect(str api_version, str kind, const struct node *root)
{
	(void)root;
	for (size_t i = 0; i < COUNT_OF(class_rows); i++)
		if (version_in_group(api_version, class_rows[i].group) &&
		    str_is(kind, class_rows[i].kind))
			return true;
	return is_pool(api_version, kind);
}

/* ---- node classes -------------------------------------------------------------------- */

/* v1 names the API group, v1beta1 and older the whole apiVersion. */
static const struct class_row *row_of_ref(const struct node *ref)
{
	str group = node_text(node_get(ref, "group")), kind = node_text(node_get(ref, "kind"));

	if (!group.n)
		str_cut(node_text(node_get(ref, "apiVersion")), '/', &group, &(str){ 0 });
	for (size_t i = 0; i < COUNT_OF(class_rows); i++)
		if (str_is(group, class_rows[i].group) && str_is(kind, class_rows[i].kind))
			return &class_rows[i];
	return NULL;
}

/* The class that the pool names; in v1beta1 the name may be all there is. */
static const struct entry *class_of(const struct context *context, const struct node *ref,
                                    const struct class_row **ret_row)
{
	str name = node_text(node_get(ref, "name"));

	*ret_row = row_of_ref(ref);
	if (*ret_row)
		return context_find(context, (*ret_row)->group, str_of((*ret_row)->kind), name);
	for (size_t i = 0; ref && i < COUNT_OF(class_rows); i++) {
		const struct entry *entry = context_find(context, class_rows[i].group,
		                                         str_of(class_rows[i].kind), name);

		if (entry) {
			*ret_row = &class_rows[i];
			return entry;
		}
	}
	return NULL;
}

/* "al2023" of `alias: al2023@latest`, else amiFamily; empty: none is named. */
static str family_of(const struct node *spec)
{
	const struct node *terms = node_get(spec, "amiSelectorTerms");
	str family = node_text(node_get(spec, "amiFamily")), alias = { 0 };

	for (uint32_t i = 0; node_is_list(terms) && i < terms->child_count && !alias.n; i++)
		str_cut(node_text(node_get(&terms->children[i], "alias")), '@', &alias,
		        &(str){ 0 });
	return alias.n ? alias : family;
}

static bool starts_fold(str text, const char *lower_prefix)
{
	str prefix = str_of(lower_prefix);

	for (size_t i = 0; i < prefix.n; i++) {
		char c = i < text.n ? text.p[i] : 0;

		if ((c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c) != prefix.p[i])
			return false;
	}
	return true;
}

/* GiB of the disk that pods use: Bottlerocket's second one, else the first; 20 without any. */
static int64_t disk_gib(const struct reader *reader, const struct node *spec, bool bottlerocket)
{
	const struct node *list = node_get(spec, "blockDeviceMappings");
	uint32_t index = bottlerocket && node_is_list(list) && list->child_count > 1 ? 1 : 0;
	const struct node *size;
	struct quantity quantity;
	int64_t bytes = 0;

	if (!node_is_list(list) || !list->child_count)
		return node_is_null(list) ? 20 : 0;
	size = node_at(&list->children[index], "ebs.volumeSize");
	if (!node_is_scalar(size) || size->unknown ||
	    !quantity_parse(node_json_text(reader->arena, size), &quantity) ||
	    !quantity_value_ceil(&quantity, &bytes))
		return 0;
	return bytes / (1024 * MIB);
}

/* The image family decides how the kubelet is set up. */
static void read_class(const struct reader *reader, const struct entry *class,
                       struct sizing *sizing)
{
	const struct node *spec = class ? node_get(class->root, "spec") : NULL;
	str family = family_of(spec);
	bool bottlerocket = starts_fold(family, "bottlerocket");

	sizing->reserves_by_pods = bottlerocket || starts_fold(family, "windows");
	sizing->hidden_kubelet = starts_fold(family, "windows") || str_is(family, "Custom");
	if (class && !node_is_scalar(node_get(spec, "instanceStorePolicy")))
		sizing->disk_gib = disk_gib(reader, spec, bottlerocket);
}

/* In the pool up to v1beta1, in the node class from v1 on. */
static void read_kubelet(const struct reader *reader, const struct node *kubelet,
                         struct sizing *sizing)
{
	if (!node_is_map(kubelet))
		return;
	read_max_pods(reader, node_get(kubelet, "maxPods"), sizing);
	read_reservations(reader, node_get(kubelet, "kubeReserved"),
	                  node_get(kubelet, "systemReserved"), node_get(kubelet, "evictionHard"),
	                  &sizing->reserved);
	if (node_get(kubelet, "podsPerCore"))
		sizing->hidden_kubelet = true;
	/* What Karpenter reserves by itself stays where only a part is set. */
	if (sizing->reserved.declared && !node_get(kubelet, "kubeReserved"))
		sizing->reserved.unknown = true;
}

/* ---- pools --------------------------------------------------------------------------- */

/* Where each version keeps its fields. */
static struct pool pool_of(const struct entry *entry)
{
	const struct node *spec = node_get(entry->root, "spec");
	const struct node *template = node_at(spec, "template.spec");
	struct pool pool = {
		.spec = spec, .provisioner = str_is(entry->kind, "Provisioner"),
		.labels = node_at(spec, "template.metadata.labels"),
		.taints = node_get(template, "taints"),
		.startup_taints = node_get(template, "startupTaints"),
		.requirements = node_get(template, "requirements"),
		.limits = node_get(spec, "limits"),
		.kubelet = node_get(template, "kubelet"),
		.class_ref = node_get(template, "nodeClassRef"),
	};

	if (!pool.provisioner)
		return pool;
	pool.labels = node_get(spec, "labels");
	pool.taints = node_get(spec, "taints");
	pool.startup_taints = node_get(spec, "startupTaints");
	pool.requirements = node_get(spec, "requirements");
	pool.limits = node_at(spec, "limits.resources");
	pool.kubelet = node_get(spec, "kubeletConfiguration");
	pool.class_ref = node_get(spec, "providerRef");
	return pool;
}

static bool has_prefix_key(const struct value_sets *sets, const char *prefix)
{
	for (size_t i = 0; i < sets->n; i++)
		if (str_starts(sets->v[i].key, str_of(prefix)))
			return true;
	return false;
}

/* Without a class among the documents the label domains tell the provider. */
static str provider_of(const struct class_row *row, const struct value_sets *sets)
{
	if (row)
		return str_of(row->provider);
	if (has_prefix_key(sets, "karpenter.k8s.aws/"))
		return STR("aws");
	if (has_prefix_key(sets, "karpenter.azure.com/"))
		return STR("azure");
	return has_prefix_key(sets, "karpenter.k8s.gcp/") ? STR("gcp") : (str){ 0 };
}

static void add_default(const struct reader *reader, struct value_sets *sets, const char *key,
                        const char *value)
{
	struct strs values = { 0 };

	if (requirements_find(sets, str_of(key)))
		return;
	*VEC_PUSH(reader->arena, &values) = str_of(value);
	requirements_add_values(reader->arena, sets, str_of(key), &values);
}

/* What the Provisioner's webhook adds where the user says nothing. */
static void add_provisioner_defaults(const struct reader *reader, struct value_sets *sets)
{
	static const char *const categories[] = { "c", "m", "r" };
	struct strs values = { 0 };
	bool typed = requirements_find(sets, STR(LABEL_TYPE)) ||
	             has_prefix_key(sets, "karpenter.k8s.aws/instance-");

	add_default(reader, sets, CAPACITY_TYPE, "on-demand");
	add_default(reader, sets, LABEL_OS, "linux");
	add_default(reader, sets, LABEL_ARCH, "amd64");
	for (size_t i = 0; i < COUNT_OF(categories); i++)
		*VEC_PUSH(reader->arena, &values) = str_of(categories[i]);
	if (!typed)
		requirements_add_values(reader->arena, sets,
		                        STR("karpenter.k8s.aws/instance-category"), &values);
}

/* Requirements on what the shapes differ in are theirs, all others the group's. */
static void take_labels(const struct reader *reader, const struct value_sets *sets,
                        struct group *group)
{
	size_t count;
	const struct instance_type *any = instance_types_all(&count);
	struct arena *scratch = arena_new();

	while (count > 1 && !str_is(group->provider, any->provider)) {
		any++;
		count--;
	}
	for (size_t i = 0; i < sets->n; i++) {
		bool by_type = group->shapes.n && instance_label(scratch, any, sets->v[i].key,
		                                                 &(str){ 0 });

		if (!by_type)
			set_as_label(reader->arena, &sets->v[i], group);
	}
	arena_free(scratch);
}

/* A pool that may take either is of no one type. */
static void read_capacity_type(const struct value_sets *sets, struct group *group)
{
	const struct value_set *set = requirements_find(sets, STR(CAPACITY_TYPE));

	if (!set || set->open || set->complement || set->values.n != 1)
		return;
	group->capacity_type = set->values.v[0];
	group->spot_only = str_is(group->capacity_type, "spot");
}

/* Karpenter has no minimum; a limit on nodes is a maximum, replicas are both. */
static void read_sizes(const struct reader *reader, const struct pool *pool, struct group *group)
{
	const struct node *replicas = node_get(pool->spec, "replicas");
	const struct node *nodes = node_get(pool->limits, "nodes");
	struct count_fact weight = { 0 };

	read_amounts(reader, pool->limits, &group->limits);
	read_number(reader, node_get(pool->spec, "weight"), false, "type", &weight);
	group->priority = weight.value;
	if (replicas) {
		read_count(reader, replicas, false, &group->max);
		group->min = group->desired = group->max;
		return;
	}
	group->managed_by_autoscaler = true;
	count_imply(&group->min, 0, NULL, "Karpenter removes what is not used");
	if (nodes)
		read_count(reader, nodes, true, &group->max);
	else
		count_imply(&group->max, INT64_MAX, NULL, "no limit on nodes");
}

static void imply_pool_labels(const struct reader *reader, const struct pool *pool,
                              const struct class_row *row, struct group *group)
{
	str kind = row ? str_lower(reader->arena, str_of(row->kind)) : (str){ 0 };

	label_imply(reader->arena, &group->labels,
	            pool->provisioner ? STR("karpenter.sh/provisioner-name")
	                              : STR("karpenter.sh/nodepool"), group->name, "Karpenter");
	label_imply(reader->arena, &group->labels, STR("karpenter.sh/registered"), STR("true"),
	            "Karpenter");
	label_imply(reader->arena, &group->labels, STR("karpenter.sh/initialized"), STR("true"),
	            "Karpenter");
	if (row && !pool->provisioner)
		label_imply(reader->arena, &group->labels,
		            str_format(reader->arena, "%s/%.*s", row->group, STR_ARG(kind)),
		            node_text(node_get(pool->class_ref, "name")), "Karpenter");
}

static void read_taint_lists(const struct reader *reader, const struct pool *pool,
                             struct group *group)
{
	group->taints_known = true;
	read_taints(reader, pool->taints, group, &group->taints);
	read_taints(reader, pool->startup_taints, group, &group->startup_taints);
}

/* A pool of which no type of the catalogue is left still is a pool. */
static void add_shapes(const struct reader *reader, const struct value_sets *sets,
                       struct group *group)
{
	const struct value_set *zones = requirements_find(sets, STR(LABEL_ZONE));

	if (group->provider.n)
		requirements_add_shapes(reader, sets, group);
	take_labels(reader, sets, group);
	if (zones && !zones->complement && !zones->open)
		group->zones = zones->values;
}

/* No pool makes Windows nodes without a Windows image family. */
static str default_os(const struct entry *class)
{
	str family = class ? family_of(node_get(class->root, "spec")) : (str){ 0 };

	return starts_fold(family, "windows") ? STR("windows") : STR("linux");
}

/* Requirements first: they decide the provider, the shapes and the labels. */
static void read_pool(const struct reader *reader)
{
	const struct entry *entry = reader->entry;
	struct pool pool = pool_of(entry);
	const struct class_row *row;
	const struct entry *class = class_of(reader->context, pool.class_ref, &row);
	struct group *group = group_new(reader, entry->name, entry->root);
	struct value_sets sets = { 0 };
	struct sizing sizing = { 0 };

	group->labels_complete = true;
	requirements_add_labels(reader, pool.labels, &sets);
	requirements_add_list(reader, pool.requirements, &sets);
	if (pool.provisioner)
		add_provisioner_defaults(reader, &sets);
	group->provider = provider_of(row, &sets);
	add_shapes(reader, &sets, group);
	group_set_os(reader, group, default_os(class));
	imply_pool_labels(reader, &pool, row, group);
	read_taint_lists(reader, &pool, group);
	read_sizes(reader, &pool, group);
	read_capacity_type(&sets, group);
	read_class(reader, class, &sizing);
	read_kubelet(reader, class && !pool.kubelet ? node_at(class->root, "spec.kubelet")
	                                            : pool.kubelet, &sizing);
	shapes_resolve(reader, group, &sizing);
}

void karpenter_read(const struct reader *reader)
{
	const struct entry *entry = reader->entry;

	if (!is_pool(entry->api_version, entry->kind))
		return;
	reader->pools->karpenter = true;
	if (!entry->name.n) {
		if (!node_at(entry->root, "metadata.name"))
			reader_fault(reader, entry->root, "name", "the pool has no name");
		return;
	}
	read_pool(reader);
}

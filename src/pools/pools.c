/* The table of formats, and one pass over all documents. */
#include "nested.h"
#include "managed.h"

#define LIST_DEPTH 8 /* Lists in Lists */

/* First hit wins (node-groups.md section 0, Recognition). versions: those that the reader was
 * written for; another one is read all the same, with a note. */
static const struct format formats[] = {
	{ "native", "v1", native_detect, native_read },
	{ "eksctl", "v1alpha5", eksctl_detect, eksctl_read },
	{ "karpenter", "v1 v1beta1 v1alpha5 v1alpha2 v1alpha1", karpenter_detect, karpenter_read },
	{ "cluster-api", "v1beta1 v1beta2", capi_detect, capi_read },
	{ "kops", "v1alpha2 v1alpha3", kops_detect, kops_read },
	{ "cloud-crd", NULL, crd_detect, crd_read },
	{ "openshift", "v1beta1 v1", openshift_detect, openshift_read },
	{ "nodes", NULL, nodes_detect, nodes_read },
	{ "kind", "v1alpha4 v1alpha3", kind_detect, kind_read },
	{ "k3d", "v1alpha2 v1alpha3 v1alpha4 v1alpha5", k3d_detect, k3d_read },
	{ "kubeadm", "v1beta2 v1beta3 v1beta4", kubeadm_detect, kubeadm_read },
	{ "talos", NULL, talos_detect, talos_read },
	{ "rancher", "v1", rancher_detect, rancher_read },
	{ "kueue", NULL, kueue_detect, kueue_read },
	{ "terraform", NULL, terraform_detect, terraform_read },
	{ "helm-values", NULL, values_detect, values_read },
	{ "helm-release", NULL, release_detect, release_read },
	{ "status", NULL, status_detect, status_read },
	{ "rke2", NULL, rke2_detect, rke2_read },
	{ "loose", NULL, loose_detect, loose_read },
};

/* Kinds of one name live in many groups: group and kind count together. */
bool version_in_group(str api_version, const char *group)
{
	str own = str_of(group);

	return str_starts(api_version, own) && api_version.n > own.n && api_version.p[own.n] == '/';
}

static const struct format *format_of(str api_version, str kind, const struct node *root)
{
	if (root && (!node_is_map(root) || root->unknown))
		return NULL;
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (formats[i].detect(api_version, kind, root))
			return &formats[i];
	return NULL;
}

/* ---- documents ----------------------------------------------------------------------- */

/* A document's text under a key that is known. */
static str known_text(const struct node *node)
{
	return node && node->unknown ? (str){ 0 } : node_text(node);
}

static bool is_list_kind(str kind, const struct node *root)
{
	return str_ends(kind, STR("List")) && node_is_list(node_get(root, "items"));
}

/* What the items of a typed list leave out. */
static void item_type(const struct node *item, str list_version, str list_kind,
                      str *ret_api_version, str *ret_kind)
{
	*ret_api_version = known_text(node_get(item, "apiVersion"));
	*ret_kind = known_text(node_get(item, "kind"));
	if (node_get(item, "apiVersion") || node_get(item, "kind") || !list_kind.n ||
	    str_is(list_kind, "List"))
		return;
	*ret_api_version = list_version;
	*ret_kind = str_slice(list_kind, 0, list_kind.n - 4);
}

/* One item of a list is enough. */
static bool knows_any(str api_version, str kind, const struct node *root, size_t depth)
{
	const struct node *items = node_get(root, "items");

	if (format_of(api_version, kind, root))
		return true;
	if (!root && str_ends(kind, STR("List")))
		return format_of(api_version, str_slice(kind, 0, kind.n - 4), NULL) != NULL;
	if (!is_list_kind(kind, root) || depth == LIST_DEPTH)
		return false;
	for (uint32_t i = 0; i < items->child_count; i++) {
		str item_version, item_kind;

		item_type(&items->children[i], api_version, kind, &item_version, &item_kind);
		if (knows_any(item_version, item_kind, &items->children[i], depth + 1))
			return true;
	}
	return false;
}

bool pools_knows(str api_version, str kind, const struct node *root)
{
	return knows_any(api_version, kind, root, 0);
}

/* Items of lists are documents of their own. */
static void add_entries(struct context *context, struct entry entry, size_t depth)
{
	const struct node *items = node_get(entry.root, "items");

	if (!node_is_map(entry.root))
		return;
	if (!is_list_kind(entry.kind, entry.root)) {
		/* A template as its name still is one group's name. */
		entry.name = node_text(node_at(entry.root, "metadata.name"));
		entry.namespace = node_text(node_at(entry.root, "metadata.namespace"));
		*VEC_PUSH(context->arena, &context->entries) = entry;
		return;
	}
	for (uint32_t i = 0; depth < LIST_DEPTH && i < items->child_count; i++) {
		struct entry item = { .tree = entry.tree, .root = &items->children[i] };

		item_type(item.root, entry.api_version, entry.kind, &item.api_version, &item.kind);
		add_entries(context, item, depth + 1);
	}
}

/* Text that is no document but a template of one. */
static bool is_template(const struct tree *tree)
{
	for (size_t i = 0; i < tree->faults.n; i++)
		if (tree->faults.v[i].kind == FAULT_TEMPLATE && !tree->faults.v[i].node)
			return true;
	return false;
}

static bool has_inventory_fault(const struct tree *tree)
{
	for (size_t i = 0; i < tree->faults.n; i++)
		if (tree->faults.v[i].kind == FAULT_INVENTORY)
			return true;
	return false;
}

/* Addresses as keys: the variables that hold them live as long as the maps. */
static str node_key(const struct node *const *node)
{
	return (str){ (const char *)node, sizeof *node };
}

static void list_entries(struct context *context, const struct trees *trees)
{
	struct map *objects = map_new(context->arena);

	for (size_t i = 0; i < context->objects->n; i++)
		map_put(objects, node_key(&context->objects->v[i]->root), context->objects->v[i]);
	for (size_t i = 0; i < trees->n; i++) {
		struct tree *const *tree = &trees->v[i];
		const struct node *root = (*tree)->root;

		if (has_inventory_fault(*tree))
			map_put(context->quiet, (str){ (const char *)tree, sizeof *tree }, context);
		if (!root || is_template(*tree))
			continue;
		add_entries(context, (struct entry){
			.tree = *tree, .root = root,
			.api_version = known_text(node_get(root, "apiVersion")),
			.kind = known_text(node_get(root, "kind")) }, 0);
	}
	for (size_t i = 0; i < context->entries.n; i++) {
		struct entry *entry = &context->entries.v[i];
		str key = str_format(context->arena, "%.*s/%.*s", STR_ARG(entry->kind),
		                     STR_ARG(entry->name));

		entry->object = map_get(objects, node_key(&entry->root));
		if (entry->name.n && !map_has(context->by_name, key))
			map_put(context->by_name, key, entry);
		if (str_is(entry->kind, "MachineAutoscaler"))
			map_put(context->scaled,
			        node_text(node_at(entry->root, "spec.scaleTargetRef.name")), entry);
	}
}

const struct entry *context_find(const struct context *context, const char *group_prefix,
                                 str kind, str name)
{
	str key = str_format(context->arena, "%.*s/%.*s", STR_ARG(kind), STR_ARG(name));
	const struct entry *entry = name.n ? map_get(context->by_name, key) : NULL;

	return entry && str_starts(entry->api_version, str_of(group_prefix)) ? entry : NULL;
}

/* ---- reading ------------------------------------------------------------------------- */

/* "v1beta9" of a known group is read with the reader that there is. */
static bool is_known_version(const struct format *format, str api_version)
{
	str rest = str_of(format->versions), word, version = api_version;
	size_t slash = str_find_last(api_version, '/');

	if (!format->versions || slash == api_version.n)
		return true;
	version = str_slice(api_version, slash + 1, api_version.n);
	while (str_next(&rest, ' ', &word))
		if (str_eq(word, version))
			return true;
	return false;
}

void read_entry(struct context *context, const struct entry *entry, const struct node *scalar)
{
	const struct format *format = format_of(entry->api_version, entry->kind, entry->root);
	struct reader reader = { .arena = context->arena, .context = context,
		                 .pools = context->pools, .entry = entry, .scalar = scalar };

	if (!format)
		return;
	reader.format = format->name;
	if (!is_known_version(format, entry->api_version))
		pools_note(context, &context->pools->notes,
		           str_format(context->arena,
		                      "%.*s %.*s is a version of %s that is not known: read as %s",
		                      STR_ARG(entry->api_version), STR_ARG(entry->kind),
		                      format->name, format->versions));
	format->read(&reader);
}

/* Documents first, then what needs all of them: Nodes, GKE's taints, objects, names. */
void pools_read(struct arena *arena, const struct trees *trees, const struct objects *objects,
                struct pools *ret_pools)
{
	struct context context = { .arena = arena, .pools = ret_pools, .objects = objects,
		                   .by_name = map_new(arena), .quiet = map_new(arena),
		                   .scaled = map_new(arena), .type_labels = map_new(arena) };

	*ret_pools = (struct pools){ 0 };
	list_entries(&context, trees);
	for (size_t i = 0; i < context.entries.n; i++)
		read_entry(&context, &context.entries.v[i], NULL);
	nodes_finish(&context);
	managed_finish_gke(&context);
	autoscaler_read_objects(&context);
	merge_groups(&context);
}

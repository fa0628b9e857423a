/* Helm values of the cluster-autoscaler chart, alone or inside of a HelmRelease or an Argo CD
 * Application (autoscalers.md section 2). */
#include "nested.h"

static const char chart_name[] = "cluster-autoscaler";

/* Keys that no other chart has. */
bool values_detect(str api_version, str kind, const struct node *root)
{
	if (api_version.n || kind.n || node_get(root, "kind"))
		return false;
	return node_get(root, "autoscalingGroups") ||
	       (node_get(root, "autoDiscovery") && node_get(root, "cloudProvider"));
}

/* ---- groups -------------------------------------------------------------------------- */

/* Each becomes a --nodes flag. */
static void read_groups(const struct reader *reader, const struct node *list)
{
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		const struct node *item = &list->children[i], *name = node_get(item, "name");
		const struct node *max = node_get(item, "maxSize");
		struct bounds_claim claim = { .format = "values", .node = max ? max : item };

		if (!node_is_map(item) || item->unknown || !node_text(name).n)
			continue;
		read_count(reader, node_get(item, "minSize"), true, &claim.min);
		read_count(reader, max, true, &claim.max);
		claim_add(reader, claim_name(node_text(name)), claim);
	}
}

/* Groups that are found by tags: some that nobody describes, where nothing else is declared. */
static void read_discovery(const struct reader *reader, const struct node *values)
{
	const struct node *discovery = node_get(values, "autoDiscovery");

	if (node_text(node_get(discovery, "clusterName")).n)
		discovery_note(reader, discovery);
}

/* ---- settings ------------------------------------------------------------------------ */

/* A flag of extraArgs: its key ends at the first `_`. */
static const struct node *extra_arg(const struct node *values, const char *name)
{
	const struct node *args = node_get(values, "extraArgs");
	const struct node *found = NULL;

	for (uint32_t i = 0; node_is_map(args) && i < args->child_count; i++) {
		str key = args->children[i].key;

		if (str_is(str_slice(key, 0, str_find(key, '_')), name))
			found = &args->children[i];
	}
	return found;
}

static void read_settings(const struct reader *reader, const struct node *values,
                          struct autoscaler *autoscaler)
{
	const struct node *total = extra_arg(values, "max-nodes-total");
	const struct node *cutoff = extra_arg(values, "expendable-pods-priority-cutoff");
	str rest = node_text(extra_arg(values, "expander")), piece;
	bool local = true;

	autoscaler->skip_local_storage =
		!node_bool(extra_arg(values, "skip-nodes-with-local-storage"), &local) || local;
	autoscaler->expendable_priority_cutoff = -10;
	autoscaler->namespace = reader->entry->namespace;
	if (cutoff)
		node_int(cutoff, &autoscaler->expendable_priority_cutoff);
	read_count(reader, total, true, &autoscaler->max_nodes_total);
	while (str_next(&rest, ',', &piece) && autoscaler->expanders.n < 100)
		*VEC_PUSH(reader->arena, &autoscaler->expanders) = str_trim(piece);
	if (!version_parse(node_text(node_at(values, "image.tag")), &autoscaler->version))
		autoscaler->version = (struct version){ -1, -1, -1 };
}

/* The chart installs one autoscaler. */
void values_read_autoscaler(const struct reader *reader, const struct node *values)
{
	struct autoscaler *autoscaler = ARENA_NEW(reader->arena, struct autoscaler);

	read_settings(reader, values, autoscaler);
	*VEC_PUSH(reader->arena, &reader->pools->autoscalers) = autoscaler;
	reader->pools->autoscaler_declared = true;
	read_groups(reader, node_get(values, "autoscalingGroups"));
	read_discovery(reader, values);
}

/* The chart's own defaults declare nothing: neither groups nor a cluster. */
void values_read(const struct reader *reader)
{
	const struct node *root = reader->entry->root;
	const struct node *groups = node_get(root, "autoscalingGroups");

	if ((node_is_list(groups) && groups->child_count) ||
	    node_text(node_at(root, "autoDiscovery.clusterName")).n)
		values_read_autoscaler(reader, root);
}

/* ---- HelmRelease, Application -------------------------------------------------------- */

bool release_detect(str api_version, str kind, const struct node *root)
{
	(void)root;
	return (version_in_group(api_version, "helm.toolkit.fluxcd.io") &&
	        str_is(kind, "HelmRelease")) ||
	       (version_in_group(api_version, "argoproj.io") && str_is(kind, "Application"));
}

/* A chart by name; values as an object or as text. */
static void read_source(const struct reader *reader, const struct node *source)
{
	str chart = node_text(node_get(source, "chart"));
	const struct node *helm = node_get(source, "helm");
	const struct node *object = node_get(helm, "valuesObject");

	if (str_is(chart, "karpenter"))
		reader->pools->karpenter = true;
	nested_read_values(reader, chart, object ? object : node_get(helm, "values"));
	if (str_is(chart, chart_name))
		reader->pools->autoscaler_declared = true;
}

void release_read(const struct reader *reader)
{
	const struct node *spec = node_get(reader->entry->root, "spec");
	const struct node *sources = node_get(spec, "sources");
	str chart = node_text(node_at(spec, "chart.spec.chart"));

	if (chart.n) {
		if (str_is(chart, chart_name))
			reader->pools->autoscaler_declared = true;
		nested_read_values(reader, chart, node_get(spec, "values"));
		return;
	}
	read_source(reader, node_get(spec, "source"));
	for (uint32_t i = 0; node_is_list(sources) && i < sources->child_count; i++)
		read_source(reader, &sources->children[i]);
}

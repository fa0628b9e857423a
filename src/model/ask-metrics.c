/* Who serves the metrics APIs that scalers ask.
 *
 * Facts of the two tables: rules/data/metrics-providers.tsv (images and charts seen in the
 * sources of the projects, their documentation or public manifests, read 2026-11-30). A row
 * silences KL208, so a name that is merely plausible may stand here; nothing is proven by it.
 */
#include "model-internal.h"

#define M (1u << API_METRICS)
#define C (1u << API_CUSTOM_METRICS)
#define E (1u << API_EXTERNAL_METRICS)

struct provider_row {
	const char *name;
	unsigned apis;
	bool by_config;         /* which of them it registers hangs on its configuration */
	const char *env;        /* serves only where this variable is "true" */
};

/* Last path part of an image, without an architecture at its end. */
static const struct provider_row image_rows[] = {
	{ "azure-k8s-metrics-adapter", C | E, false, NULL },
	{ "cluster-agent", E, false, "DD_EXTERNAL_METRICS_PROVIDER_ENABLED" },
	{ "custom-metrics-stackdriver-adapter", C | E, false, NULL },
	{ "k8s-cloudwatch-adapter", E, false, NULL },
	{ "k8s-custom-metrics-apiserver", C, false, NULL },
	{ "k8s-prometheus-adapter", C | E | M, true, NULL },
	{ "keda", E, false, NULL },
	{ "keda-metrics-adapter", E, false, NULL },
	{ "keda-metrics-apiserver", E, false, NULL },
	{ "kube-metrics-adapter", C | E, false, NULL },
	{ "metrics-server", M, false, NULL },
	{ "mirrored-metrics-server", M, false, NULL },
	{ "newrelic-k8s-metrics-adapter", E, false, NULL },
	{ "prometheus-adapter", C | E | M, true, NULL },
	{ "signalfx-k8s-metrics-adapter", C, false, NULL },
	{ "wavefront-hpa-adapter", C | E, false, NULL },
};

/* Helm charts, by name. */
static const struct provider_row chart_rows[] = {
	{ "datadog", E, false, NULL },
	{ "k8s-prometheus-adapter", C | E | M, true, NULL },
	{ "keda", E, false, NULL },
	{ "kube-metrics-adapter", C | E, false, NULL },
	{ "metrics-server", M, false, NULL },
	{ "newrelic-k8s-metrics-adapter", E, false, NULL },
	{ "prometheus-adapter", C | E | M, true, NULL },
	{ "rke2-metrics-server", M, false, NULL },
};

/* Where manifests of other tools name a chart or an add-on: the kind (NULL: a document
 * without one), the list or map that holds it and the key of the name. */
static const struct chart_place {
	const char *kind, *path, *key;
} chart_places[] = {
	{ "HelmRelease", "spec.chart.spec", "chart" },
	{ "HelmChart", "spec", "chart" },
	{ "Application", "spec.source", "chart" },
	{ "Application", "spec.sources", "chart" },
	{ "ApplicationSet", "spec.template.spec.source", "chart" },
	{ "ClusterConfig", "addons", "name" },
	{ "Kustomization", "helmCharts", "name" },
	{ NULL, "helmCharts", "name" },
	{ NULL, "dependencies", "name" },
};

static const char *const api_groups[] = {
	[API_METRICS] = "metrics.k8s.io",
	[API_CUSTOM_METRICS] = "custom.metrics.k8s.io",
	[API_EXTERNAL_METRICS] = "external.metrics.k8s.io",
};

const char *metrics_api_group(enum metrics_api api)
{
	return api_groups[api];
}

enum metrics_api metric_api(enum metric_kind kind)
{
	switch (kind) {
	case METRIC_PODS:
	case METRIC_OBJECT:
		return API_CUSTOM_METRICS;
	case METRIC_EXTERNAL:
		return API_EXTERNAL_METRICS;
	default:
		return API_METRICS;
	}
}

/* An image's name without `-amd64` and the like. */
static str without_architecture(str name)
{
	static const char *const endings[] = { "-amd64", "-arm64", "-arm", "-ppc64le", "-s390x" };

	for (size_t i = 0; i < COUNT_OF(endings); i++)
		if (str_ends(name, str_of(endings[i])))
			return str_slice(name, 0, name.n - str_of(endings[i]).n);
	return name;
}

/* Registry hosts, mirrors and tags do not matter. */
static str image_program(const struct container *container)
{
	str name, tag;

	image_split(container->image.s, &name, &tag);
	return without_architecture(name);
}

bool container_runs(const struct container *container, const char *program)
{
	static const char *const prefixes[] = { "", "mirrored-", "k8s-", "hardened-" };
	str name = image_program(container);
	str wanted = str_of(program);

	for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
		str prefix = str_of(prefixes[i]);

		if (str_starts(name, prefix) &&
		    str_eq(str_slice(name, prefix.n, name.n), wanted))
			return true;
	}
	if (container->command.n) {
		str first = container->command.v[0].s;
		size_t slash = str_find_last(first, '/');

		return str_eq(slash < first.n ? str_slice(first, slash + 1, first.n) : first,
		              wanted);
	}
	return false;
}

/* By exact name; the tables are short. */
static const struct provider_row *row_of(const struct provider_row *rows, size_t count, str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

/* Only the text "true": a reference to a ConfigMap proves nothing. */
static bool env_is_true(const struct container *container, const char *name)
{
	for (size_t i = 0; i < container->env.n; i++)
		if (str_is(container->env.v[i].name.s, name))
			return str_is(container->env.v[i].value.s, "true");
	return false;
}

/* Does an APIService point into this namespace? Then the declared ones say which APIs a
 * configurable adapter there registers. */
static bool registered_from(const struct scope *scope, str ns)
{
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];

		if (object->class == OBJECT_API_SERVICE && object->api_service &&
		    str_eq(object->api_service->service_namespace.s, ns))
			return true;
	}
	return false;
}

/* The provider that one of the containers is, or NULL. */
static const struct provider_row *workload_row(const struct scope *scope,
                                               const struct workload *workload)
{
	for (size_t i = 0; i < workload->pod->containers.n; i++) {
		const struct container *container = &workload->pod->containers.v[i];
		const struct provider_row *row = row_of(image_rows, COUNT_OF(image_rows),
		                                        image_program(container));

		if (row && (!row->env || env_is_true(container, row->env)) &&
		    !(row->by_config && registered_from(scope, workload->namespace)))
			return row;
	}
	return NULL;
}

/* Bits of the APIs that a chart of that name registers. */
static unsigned chart_apis(const struct node *name)
{
	const struct provider_row *row = row_of(chart_rows, COUNT_OF(chart_rows),
	                                        node_text(name));

	return row ? row->apis : 0;
}

/* A map holds one chart, a list several. */
static unsigned charts_at(const struct node *root, const struct chart_place *place)
{
	const struct node *at = node_at(root, place->path);
	unsigned apis = chart_apis(node_get(at, place->key));

	if (node_is_list(at))
		for (uint32_t i = 0; i < at->child_count; i++)
			apis |= chart_apis(node_get(&at->children[i], place->key));
	return apis;
}

/* APIs of the charts and add-ons that a document of another tool names. */
static unsigned tree_apis(const struct tree *tree)
{
	str kind = node_text(node_get(tree->root, "kind"));
	bool enabled = false;
	unsigned apis = 0;

	for (size_t i = 0; i < COUNT_OF(chart_places); i++) {
		const struct chart_place *place = &chart_places[i];

		if (place->kind ? str_is(kind, place->kind) : !kind.n)
			apis |= charts_at(tree->root, place);
	}
	if (str_is(kind, "Cluster") &&
	    node_bool(node_at(tree->root, "spec.metricsServer.enabled"), &enabled) && enabled)
		apis |= M;
	return str_is(kind, "KedaController") ? apis | E : apis;
}

/* Managed platforms that bring metrics-server along (metrics-providers.tsv, platform). */
static bool platform_serves(const struct scope *scope, enum metrics_api api)
{
	static const char *const platforms[] = { "gcp", "azure", "openshift", "alibaba" };

	if (api != API_METRICS)
		return false;
	for (size_t i = 0; i < scope->pools.groups.n; i++)
		for (size_t j = 0; j < COUNT_OF(platforms); j++)
			if (str_is(scope->pools.groups.v[i]->provider, platforms[j]))
				return true;
	return false;
}

/* Named by the user: the platform serves it. */
static bool settings_serve(const struct scope *scope, enum metrics_api api)
{
	for (size_t i = 0; i < scope->settings->apis.n; i++)
		if (str_is(scope->settings->apis.v[i], api_groups[api]))
			return true;
	return false;
}

/* The APIService or workload that provides one of the APIs of the mask, or NULL. */
static const struct object *declared_provider(const struct scope *scope, unsigned mask)
{
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];

		if (object->class != OBJECT_API_SERVICE || !object->api_service)
			continue;
		for (size_t api = 0; api < COUNT_OF(api_groups); api++)
			if ((mask & (1u << api)) &&
			    str_is(object->api_service->group.s, api_groups[api]))
				return object;
	}
	for (size_t i = 0; i < scope->workloads.n; i++) {
		const struct provider_row *row = workload_row(scope, scope->workloads.v[i]);

		if (row && (row->apis & mask))
			return scope->workloads.v[i]->object;
	}
	return NULL;
}

/* Does any document of another tool install a provider? */
static bool charts_provide(const struct scope *scope, unsigned mask)
{
	for (size_t i = 0; i < scope->trees.n; i++)
		if (tree_apis(scope->trees.v[i]) & mask)
			return true;
	return false;
}

void model_find_metrics(struct scope *scope)
{
	struct model_index *index = scope->index;

	for (int api = API_METRICS; api <= API_EXTERNAL_METRICS; api++) {
		const struct object *object = declared_provider(scope, 1u << api);

		index->providers[api] = (struct api_provider){
			.object = object,
			.provided = object || settings_serve(scope, (enum metrics_api)api) ||
			            platform_serves(scope, (enum metrics_api)api) ||
			            charts_provide(scope, 1u << api),
		};
	}
	index->declares_metrics =
		declared_provider(scope, M | C | E) || charts_provide(scope, M | C | E);
}

struct api_provider scope_api_provider(const struct scope *scope, enum metrics_api api)
{
	return scope->index->providers[api];
}

bool scope_declares_metrics(const struct scope *scope)
{
	return scope->index->declares_metrics;
}

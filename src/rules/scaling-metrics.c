/* KL2, second half: who serves the metrics that scalers ask for (rules.md, KL208-211, KL223). */
#include "ask.h"
#include "edits.h"

/* ---- KL208 ----------------------------------------------------------------------------- */

/* Who provides the APIs, asked once for all scalers. */
struct api_state {
	struct api_provider providers[API_EXTERNAL_METRICS + 1];
	enum level level;       /* of a missing one */
};

static const char *const metric_kind_names[] = { "Resource", "ContainerResource", "Pods",
	                                         "Object", "External", "" };

/* At the metric that needs it, or at the HPA that has none and so means cpu. */
static void say_api(const struct judge *judge, const struct scaler *scaler, enum level level,
                    const struct hpa_metric *metric)
{
	const char *group = metrics_api_group(metric ? metric_api(metric->kind) : API_METRICS);
	struct finding *finding;

	finding = emit_item(judge, level, scaler->object,
	                    metric ? metric->node : scaler->hpa->target.node, "type");
	if (metric)
		finding_message(judge->sink, finding,
		                "the %s metric %.*s needs the API %s, and nothing declared "
		                "provides it", metric_kind_names[metric->kind],
		                STR_ARG(metric->name.s), group);
	else
		finding_message(judge->sink, finding,
		                "without metrics the HPA reads cpu from the API %s, and nothing "
		                "declared provides it", group);
	finding_help(judge->sink, finding,
	             "declare an APIService for %s and its adapter, or name the API under `apis`",
	             group);
}

/* One finding per HPA and API, at the first metric that needs it. */
static void check_apis(const struct judge *judge, const struct scaler *scaler,
                       const struct api_state *state)
{
	const struct hpa_metrics *metrics = &scaler->hpa->metrics;
	bool said[API_EXTERNAL_METRICS + 1] = { false };

	for (size_t i = 0; i < metrics->n; i++) {
		enum metrics_api api = metric_api(metrics->v[i].kind);

		if (metrics->v[i].kind == METRIC_OTHER || metrics->v[i].node->unknown ||
		    said[api] || state->providers[api].provided)
			continue;
		said[api] = true;
		say_api(judge, scaler, state->level, &metrics->v[i]);
	}
	if (!metrics->n && !state->providers[API_METRICS].provided && scaler->hpa->target.node &&
	    !node_get(scaler->object->root, "spec")->unknown)
		say_api(judge, scaler, state->level, NULL);
}

/* W where the repository declares some provider: it is then meant to be whole. */
static enum level missing_api_level(const struct scope *scope)
{
	if (scope->settings->complete)
		return scope->incomplete ? LEVEL_WARNING : LEVEL_ERROR;
	return scope_declares_metrics(scope) ? LEVEL_WARNING : LEVEL_NOTE;
}

/* KEDA serves its own triggers, so ScaledObjects are left out. */
void kl208_metrics_api_missing(const struct judge *judge)
{
	struct api_state state = { 0 };

	if (!judge->scope->scalers.n)
		return;
	state.level = missing_api_level(judge->scope);
	for (int api = API_METRICS; api <= API_EXTERNAL_METRICS; api++)
		state.providers[api] = scope_api_provider(judge->scope, (enum metrics_api)api);
	for (size_t i = 0; i < judge->scope->scalers.n; i++) {
		const struct scaler *scaler = judge->scope->scalers.v[i];

		if (scaler->hpa && !scope_absence_hidden(judge->scope, scaler->object))
			check_apis(judge, scaler, &state);
	}
}

/* ---- KL209 ----------------------------------------------------------------------------- */

/* An unknown port may be the one. */
static bool has_port(const struct service *service, int64_t port)
{
	for (size_t i = 0; i < service->ports.n; i++)
		if (service->ports.v[i].port.value == port || !node_known(service->ports.v[i].port.node))
			return true;
	return false;
}

/* A Service of that name in another namespace, or NULL. */
static const struct object *service_elsewhere(const struct scope *scope, str name)
{
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];

		if (object->class == OBJECT_SERVICE && str_eq(object->name.s, name))
			return object;
	}
	return NULL;
}

/* Without any Service of the namespace it comes from elsewhere. */
static bool declares_service_in(const struct scope *scope, str ns)
{
	for (size_t i = 0; i < scope->objects.n; i++)
		if (scope->objects.v[i]->class == OBJECT_SERVICE &&
		    str_eq(object_namespace(scope, scope->objects.v[i]), ns))
			return true;
	return false;
}

/* Upstream: apiregistration validation, ValidateAPIService. */
static void check_refused(const struct judge *judge, const struct object *object)
{
	const struct api_service *api = object->api_service;
	str wanted = str_format(JUDGE_ARENA(judge), "%.*s.%.*s", STR_ARG(api->version.s),
	                        STR_ARG(api->group.s));
	struct finding *finding;

	if (api->insecure_skip_tls.value && api->ca_bundle.s.n) {
		finding = emit_node(judge, LEVEL_ERROR, object, api->insecure_skip_tls.node);
		finding_message(judge->sink, finding,
		                "insecureSkipTLSVerify stands beside a caBundle: the API server "
		                "refuses both together");
		finding_help(judge->sink, finding, "remove insecureSkipTLSVerify");
	}
	if (node_known(api->version.node) && node_known(api->group.node) &&
	    node_known(object->name.node) && !str_eq(object->name.s, wanted)) {
		finding = emit_node(judge, LEVEL_ERROR, object, object->name.node);
		finding_message(judge->sink, finding,
		                "the name %.*s is not version.group, which is %.*s",
		                STR_ARG(object->name.s), STR_ARG(wanted));
		finding_help(judge->sink, finding, "name it %.*s", STR_ARG(wanted));
	}
}

/* The same name in another namespace is surely the one that is meant. */
static void say_elsewhere(const struct judge *judge, const struct object *object,
                          const struct object *service)
{
	const struct api_service *api = object->api_service;
	str ns = object_namespace(judge->scope, service);
	struct finding *finding = emit_node(judge, LEVEL_ERROR, object,
	                                   api->service_namespace.node);

	finding_message(judge->sink, finding,
	                "no Service %.*s in namespace %.*s; it is declared in namespace %.*s",
	                STR_ARG(api->service_name.s), STR_ARG(api->service_namespace.s),
	                STR_ARG(ns));
	finding_help(judge->sink, finding, "use namespace: %.*s", STR_ARG(ns));
	relate_object(judge, finding, service, service->name.node, "the Service");
}

/* The port is the Service's, not the container's; 443 unless given. */
static void check_service(const struct judge *judge, const struct object *object)
{
	const struct api_service *api = object->api_service;
	const struct object *service = scope_find(judge->scope, OBJECT_SERVICE,
	                                          api->service_namespace.s,
	                                          api->service_name.s);
	const struct object *other = service ? NULL : service_elsewhere(judge->scope,
	                                                                api->service_name.s);
	int64_t port = api->service_port.node ? api->service_port.value : 443;
	struct finding *finding;

	if (other) {
		say_elsewhere(judge, object, other);
	} else if (!service && !scope_absence_hidden(judge->scope, object)) {
		finding = emit_node(judge, LEVEL_WARNING, object, api->service_name.node);
		finding_message(judge->sink, finding, "no Service %.*s is declared in namespace %.*s",
		                STR_ARG(api->service_name.s), STR_ARG(api->service_namespace.s));
		finding_help(judge->sink, finding, "declare it, or name the one that is there");
	} else if (service && service->service && !has_port(service->service, port)) {
		finding = emit_node(judge, LEVEL_ERROR, object,
		                   api->service_port.node ? api->service_port.node
		                                          : api->service);
		finding_message(judge->sink, finding, "the Service %.*s/%.*s has no port %lld",
		                STR_ARG(api->service_namespace.s), STR_ARG(api->service_name.s),
		                (long long)port);
		finding_help(judge->sink, finding, "set spec.service.port to a port of the Service");
		relate_object(judge, finding, service, service->name.node, "the Service");
	}
}

/* An APIService without a Service is served by the API server itself. */
void kl209_apiservice_broken(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->objects.n; i++) {
		const struct object *object = judge->scope->objects.v[i];
		const struct api_service *api = object->class == OBJECT_API_SERVICE
		                                        ? object->api_service : NULL;

		if (!api || node_is_null(api->service))
			continue;
		check_refused(judge, object);
		if (node_known(api->service_name.node) && node_known(api->service_namespace.node) &&
		    (judge->scope->settings->complete ||
		     declares_service_in(judge->scope, api->service_namespace.s)))
			check_service(judge, object);
	}
}

/* ---- KL210, KL211 ---------------------------------------------------------------------- */

/* Version by the image's tag; major -1 without one. */
static struct version image_version(const struct container *container)
{
	struct version version = { -1, -1, -1 };
	struct version parsed;
	str name, tag;

	image_split(container->image.s, &name, &tag);
	return version_parse(tag, &parsed) ? parsed : version;
}

/* The first workload that a scaler moves and that runs under a RuntimeClass, or NULL. */
static const struct workload *sandboxed_target(const struct scope *scope)
{
	for (size_t i = 0; i < scope->scalers.n; i++)
		if (scope->scalers.v[i]->target &&
		    scope->scalers.v[i]->target->pod->runtime_class.s.n)
			return scope->scalers.v[i]->target;
	return NULL;
}

/* The newest release line that is new enough for the minimum and supports the target version.
 * Source: releases of kubernetes-sigs/metrics-server, 2026-08-04. */
static const char *better_release(const struct settings *settings)
{
	static const char *const releases[] = { "v0.9.0", "v0.8.0", "v0.7.2", "v0.6.4" };
	struct version version;

	for (size_t i = 0; i < COUNT_OF(releases); i++) {
		struct version_range range;

		if (!version_parse(str_of(releases[i]), &version))
			continue;
		range = metrics_server_supports(version);
		if (version_cmp(version, settings->metrics_server_min) >= 0 &&
		    version_cmp(settings->kubernetes, range.min) >= 0)
			return releases[i];
	}
	return NULL;
}

/* Incident reports blame old releases for pods with a runtimeClassName; the sources have no
 * such line, so it is told as a report. */
static void say_release(const struct judge *judge, const struct workload *workload,
                        const struct container *container, str fault)
{
	const char *better = better_release(judge->scope->settings);
	const struct workload *sandboxed = sandboxed_target(judge->scope);
	struct finding *finding = emit_node(judge, LEVEL_WARNING, workload->object,
	                                   container->image.node);
	struct edit edit;
	str name, tag;

	image_split(container->image.s, &name, &tag);
	finding_message(judge->sink, finding, "metrics-server %.*s %.*s%s", STR_ARG(tag),
	                STR_ARG(fault), sandboxed ? "; a scaled workload uses a runtimeClassName, "
	                                            "for which reports blame old releases" : "");
	if (sandboxed)
		relate_object(judge, finding, sandboxed->object, sandboxed->pod->runtime_class.node,
		            "runtimeClassName of a scaled workload");
	if (!better)
		return;
	finding_help(judge->sink, finding, "use %s", better);
	if (edit_part(workload->object, container->image.node, tag, str_of(better), &edit) &&
	    str_find(container->image.s, '@') == container->image.s.n)
		finding_fix(judge->sink, finding, false, "raise the release", edit);
}

/* Against the target version only where it is declared. */
static void check_release(const struct judge *judge, const struct workload *workload,
                          const struct container *container)
{
	const struct settings *settings = judge->scope->settings;
	struct version version = image_version(container);
	struct version_range range = metrics_server_supports(version);
	struct arena *arena = JUDGE_ARENA(judge);
	struct version least = settings->metrics_server_min;

	if (version.major < 0 || !node_known(container->image.node))
		return;
	if (version_cmp(version, least) < 0)
		say_release(judge, workload, container,
		            str_format(arena, "is older than %d.%d.%d", least.major, least.minor,
		                       least.patch < 0 ? 0 : least.patch));
	else if (settings->kubernetes_declared && range.min.major &&
	         version_cmp(settings->kubernetes, range.min) < 0)
		say_release(judge, workload, container,
		            str_format(arena, "supports Kubernetes from %d.%d on, the target is "
		                              "%d.%d", range.min.major, range.min.minor,
		                       settings->kubernetes.major, settings->kubernetes.minor));
	else if (settings->kubernetes_declared && range.max.major &&
	         version_cmp(settings->kubernetes, range.max) > 0)
		say_release(judge, workload, container,
		            str_format(arena, "supports Kubernetes up to %d.%d, the target is "
		                              "%d.%d", range.max.major, range.max.minor,
		                       settings->kubernetes.major, settings->kubernetes.minor));
}

/* By the tag: a digest alone says no version. */
void kl210_metrics_server_version(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];

		for (size_t k = 0; k < workload->pod->containers.n; k++)
			if (container_runs(&workload->pod->containers.v[k], "metrics-server"))
				check_release(judge, workload, &workload->pod->containers.v[k]);
	}
}

/* Why a flag is not there, by the table's answer. */
static str flag_fault(struct arena *arena, const struct flag_fact *fact)
{
	switch (fact->state) {
	case FLAG_REMOVED:
		return str_format(arena, ": the last release with it is %.*s", STR_ARG(fact->last));
	case FLAG_NOT_YET:
		return str_format(arena, ": it comes with release %.*s", STR_ARG(fact->since));
	default:
		return (str){ 0 };
	}
}

/* Without a version the flag may exist in some release: W. */
static void say_flag(const struct judge *judge, const struct workload *workload,
                     const struct flag_use *use, const char *program,
                     const struct flag_fact *fact)
{
	struct version version = { -1, -1, -1 };
	str fault = flag_fault(JUDGE_ARENA(judge), fact);
	struct finding *finding;
	struct edit edit;

	for (size_t i = 0; i < workload->pod->containers.n; i++)
		if (container_runs(&workload->pod->containers.v[i], program))
			version = image_version(&workload->pod->containers.v[i]);
	finding = emit_node(judge, version.major < 0 ? LEVEL_WARNING : LEVEL_ERROR,
	                   workload->object, use->node);
	
	finding->value = use->node;
	finding_message(judge->sink, finding, "%s has no flag --%.*s%.*s: it exits at start",
	                program, STR_ARG(use->name), STR_ARG(fault));
	if (!fact->nearest.n) {
		finding_help(judge->sink, finding, "remove the flag");
		return;
	}
	finding_help(judge->sink, finding, "did you mean --%.*s?", STR_ARG(fact->nearest));
	if (str_one_edit(use->name, fact->nearest) &&
	    edit_part(workload->object, use->node, use->name, fact->nearest, &edit))
		finding_fix(judge->sink, finding, true, "spell the flag", edit);
}

/* Flags that hold a template are left out. */
static void check_flags(const struct judge *judge, const struct workload *workload,
                        const struct container *container, const char *program)
{
	struct version version = image_version(container);
	struct flag_uses uses = { 0 };

	container_flags(JUDGE_ARENA(judge), container, &uses);
	for (size_t i = 0; i < uses.n; i++) {
		struct flag_fact fact = { 0 };

		if (uses.v[i].node->unknown)
			continue;
		component_flag(str_of(program), uses.v[i].name, version, &fact);
		if (fact.state == FLAG_NEVER || fact.state == FLAG_REMOVED ||
		    fact.state == FLAG_NOT_YET)
			say_flag(judge, workload, &uses.v[i], program, &fact);
	}
}

/* cluster-autoscaler's own flags are KL506's. */
void kl211_component_flag_unknown(const struct judge *judge)
{
	static const char *const programs[] = { "metrics-server", "kube-state-metrics",
		                                "prometheus-adapter" };

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];

		for (size_t k = 0; k < workload->pod->containers.n; k++)
			for (size_t p = 0; p < COUNT_OF(programs); p++)
				if (container_runs(&workload->pod->containers.v[k], programs[p]))
					check_flags(judge, workload,
					            &workload->pod->containers.v[k],
					            programs[p]);
	}
}

/* ---- KL223 ----------------------------------------------------------------------------- */

/* A copy of the same declaration is KL008's. */
static bool same_service(const struct api_service *a, const struct api_service *b)
{
	return str_eq(a->service_name.s, b->service_name.s) &&
	       str_eq(a->service_namespace.s, b->service_namespace.s);
}

/* Said on each, since either may be the one to go. */
static void say_contested(const struct judge *judge, const struct object *object,
                          const struct object *other)
{
	const struct api_service *a = object->api_service, *b = other->api_service;
	struct finding *finding = emit_node(judge, LEVEL_ERROR, object, a->service);

	finding_message(judge->sink, finding,
	                "%.*s is declared twice, for %.*s/%.*s and for %.*s/%.*s: the API server "
	                "keeps one", STR_ARG(object->name.s), STR_ARG(a->service_namespace.s),
	                STR_ARG(a->service_name.s), STR_ARG(b->service_namespace.s),
	                STR_ARG(b->service_name.s));
	finding_help(judge->sink, finding, "keep one provider of %.*s", STR_ARG(a->group.s));
	relate_object(judge, finding, other, b->service, "the other one");
}

/* An image that may register an API is no proof: only declared APIServices count. */
void kl223_metrics_api_contested(const struct judge *judge)
{
	struct arena *arena = arena_new();
	struct map *first = map_new(arena);

	for (size_t i = 0; i < judge->scope->objects.n; i++) {
		struct object *object = judge->scope->objects.v[i];
		const struct object *other;

		if (object->class != OBJECT_API_SERVICE || !object->api_service ||
		    node_is_null(object->api_service->service) || !object->name.s.n ||
		    object->api_service->service->unknown)
			continue;
		other = map_get(first, object->name.s);
		if (!other) {
			map_put(first, object->name.s, object);
		} else if (!same_service(object->api_service, other->api_service)) {
			say_contested(judge, object, other);
			say_contested(judge, other, object);
		}
	}
	arena_free(arena);
}

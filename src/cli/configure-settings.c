/* From a configuration to what rules read: thresholds, policies, clusters. */
#include "cli-internal.h"
#include "config.h"

#define NANOSECONDS INT64_C(1000000000)

static void add_texts(struct arena *arena, const struct config_texts *texts, struct strs *ret_strs)
{
	for (unsigned i = 0; i < texts->n; i++)
		*VEC_PUSH(arena, ret_strs) = str_of(texts->v[i]);
}

/* ---- numbers ------------------------------------------------------------------------- */

static int64_t seconds_of(const char *text, int64_t fallback)
{
	int64_t nanoseconds;

	return text && duration_parse(str_of(text), &nanoseconds) ? nanoseconds / NANOSECONDS
	                                                          : fallback;
}

/* "2.5" is 250 %. */
static int32_t ratio_of(const char *text, int32_t fallback)
{
	int64_t hundredths = config_hundredths(text, fallback);

	return hundredths > INT32_MAX ? INT32_MAX : (int32_t)hundredths;
}

static void set_thresholds(const struct config_thresholds *given, struct settings *settings)
{
	settings->headroom_percent = config_percent(given->headroom, settings->headroom_percent);
	settings->cpu_overcommit_percent =
		ratio_of(given->cpu_overcommit, settings->cpu_overcommit_percent);
	settings->memory_overcommit_percent =
		ratio_of(given->memory_overcommit, settings->memory_overcommit_percent);
	settings->cpu_limit_percent =
		ratio_of(given->cpu_limit_ratio, settings->cpu_limit_percent);
	settings->memory_limit_percent =
		ratio_of(given->memory_limit_ratio, settings->memory_limit_percent);
	settings->usage_headroom_percent =
		config_percent(given->usage_headroom, settings->usage_headroom_percent);
	settings->heap_percent = config_percent(given->heap, settings->heap_percent);
	settings->scale_up_seconds = seconds_of(given->scale_up_time, settings->scale_up_seconds);
	settings->scale_down_drop_percent =
		config_percent(given->scale_down_drop, settings->scale_down_drop_percent);
	settings->spot_notice_seconds =
		seconds_of(given->spot_notice, settings->spot_notice_seconds);
}

static int32_t fleet_percent(const char *text)
{
	if (!text || str_is(str_of(text), "baseline"))
		return 0;
	return str_is(str_of(text), "peak") ? 100 : config_percent(text, 0);
}

/* ---- workloads and what they must have ------------------------------------------------- */

/* A selector that does not parse would choose nothing, and a rule would be silent for ever. */
static struct workload_choice choice_of(const struct applier *applier, const char *workloads,
                                        const struct config_texts *namespaces,
                                        const struct node *entry)
{
	struct workload_choice choice = { 0 };

	if (!selector_from_text(applier->arena, str_of(workloads), &choice.selector))
		applier_complain(applier, node_get(entry, "workloads"),
		                 str_format(applier->arena,
		                            "%s: a label selector such as app=web is wanted",
		                            workloads));
	add_texts(applier->arena, namespaces, &choice.namespaces);
	return choice;
}

/* An empty selector is every workload of those namespaces. */
static void add_critical(const struct applier *applier, struct settings *settings)
{
	const struct config *config = applier->config;

	for (unsigned i = 0; i < config->critical_count; i++)
		*VEC_PUSH(applier->arena, &settings->critical) =
			choice_of(applier, config->critical[i].workloads,
			          &config->critical[i].namespaces,
			          config_entry(config, "critical", i));
}

/* An empty value is a value; a text without = is none. */
static void add_label(const struct applier *applier, const struct node *node, const char *text,
                      struct house_policy *policy)
{
	struct pair pair = { .node = node };

	if (!str_cut(str_of(text), '=', &pair.key, &pair.value))
		applier_complain(applier, node, STR("a label such as role=web is wanted"));
	*VEC_PUSH(applier->arena, &policy->labels) = pair;
}

static void add_taint(const struct applier *applier, const struct node *node, const char *text,
                      struct house_policy *policy)
{
	struct taint taint = { 0 };

	if (!taint_parse(str_of(text), &taint))
		applier_complain(applier, node,
		                 STR("a taint such as spot=true:NoSchedule is wanted"));
	taint.node = node;
	*VEC_PUSH(applier->arena, &policy->taints) = taint;
}

/* One list of policies; what its entries want is under key, and add() reads one of it. */
static void add_policies(const struct applier *applier, const struct config_policy *policies,
                         unsigned count, bool taints, struct house_policies *ret_policies)
{
	const char *key = taints ? "taints" : "labels";

	for (unsigned i = 0; i < count; i++) {
		const struct node *entry = config_entry(
			applier->config, taints ? "policies.tolerations" : "policies.nodeLabels", i);
		const struct node *wanted = node_get(entry, key);
		struct house_policy policy = {
			.workloads = choice_of(applier, policies[i].workloads,
			                       &policies[i].namespaces, entry),
		};

		for (unsigned k = 0; k < policies[i].wanted.n; k++)
			(taints ? add_taint : add_label)(applier, &wanted->children[k],
			                                 policies[i].wanted.v[k], &policy);
		*VEC_PUSH(applier->arena, ret_policies) = policy;
	}
}

/* Globs of image names are matched with their registry and tag, as manifests write them. */
static void add_images(const struct applier *applier, struct settings *settings)
{
	const struct config *config = applier->config;

	for (unsigned i = 0; i < config->images_count; i++) {
		struct image_platforms image = { .match = str_of(config->images[i].match) };

		add_texts(applier->arena, &config->images[i].platforms, &image.platforms);
		*VEC_PUSH(applier->arena, &settings->images) = image;
	}
}

/* ---- clusters ------------------------------------------------------------------------- */

static void add_rooted(const struct applier *applier, const struct config_texts *paths,
                       struct strs *ret_paths)
{
	for (unsigned i = 0; i < paths->n; i++)
		*VEC_PUSH(applier->arena, ret_paths) = applier_rooted(applier, paths->v[i]);
}

/* An option beats the file, that of one cluster too. */
static const struct settings *cluster_settings(const struct applier *applier,
                                               const struct config_cluster *given,
                                               const struct settings *outer)
{
	struct settings *settings = ARENA_NEW(applier->arena, struct settings);

	*settings = *outer;
	if (given->kubernetes && *given->kubernetes && !applier->options->kubernetes.major)
		settings->kubernetes_declared =
			version_parse(str_of(given->kubernetes), &settings->kubernetes);
	if (given->complete && !applier->options->complete)
		settings->complete = given->complete == CONFIG_TRUE;
	if (given->apis.n) {
		settings->apis = (struct strs){ 0 };
		add_texts(applier->arena, &given->apis, &settings->apis);
	}
	if (given->feature_gates.n) {
		settings->feature_gates = (struct strs){ 0 };
		add_texts(applier->arena, &given->feature_gates, &settings->feature_gates);
	}
	return settings;
}

/* Two of one name could not be told apart by --cluster, nor in reports. */
static bool has_cluster(const struct settings *settings, str name)
{
	for (size_t i = 0; i < settings->clusters.n; i++)
		if (str_eq(settings->clusters.v[i].name, name))
			return true;
	return false;
}

static void add_clusters(const struct applier *applier, struct settings *settings)
{
	const struct config *config = applier->config;

	for (unsigned i = 0; i < config->clusters_count; i++) {
		struct cluster cluster = { .name = str_of(config->clusters[i].name) };

		if (has_cluster(settings, cluster.name))
			applier_complain(applier,
			                 node_get(config_entry(config, "clusters", i), "name"),
			                 STR("there is a cluster of that name already"));
		add_rooted(applier, &config->clusters[i].paths, &cluster.paths);
		add_rooted(applier, &config->clusters[i].nodes, &cluster.nodes);
		cluster.settings = cluster_settings(applier, &config->clusters[i], settings);
		*VEC_PUSH(applier->arena, &settings->clusters) = cluster;
	}
}

/* --cluster leaves one of them. */
static void choose_cluster(const struct applier *applier, struct settings *settings)
{
	str name = applier->options->cluster;

	for (size_t i = 0; name.n && i < settings->clusters.n; i++) {
		if (!str_eq(settings->clusters.v[i].name, name))
			continue;
		settings->clusters.v[0] = settings->clusters.v[i];
		settings->clusters.n = 1;
		settings->one_cluster = true;
		return;
	}
	if (name.n)
		applier_complain(applier, NULL,
		                 str_format(applier->arena, "there is no cluster called %.*s",
		                            STR_ARG(name)));
}

void applier_settings(const struct applier *applier, struct settings *ret_settings)
{
	static const enum alerts_setting alerts[] = {
		[CONFIG_ALERTS_AUTO] = ALERTS_WHEN_DECLARED,
		[CONFIG_ALERTS_ALWAYS] = ALERTS_ALWAYS,
		[CONFIG_ALERTS_NEVER] = ALERTS_NEVER,
	};
	const struct config *config = applier->config;
	struct arena *arena = applier->arena;

	if (config->kubernetes && *config->kubernetes)
		ret_settings->kubernetes_declared =
			version_parse(str_of(config->kubernetes), &ret_settings->kubernetes);
	ret_settings->complete = config->complete == CONFIG_TRUE;
	add_texts(arena, &config->apis, &ret_settings->apis);
	add_texts(arena, &config->feature_gates, &ret_settings->feature_gates);
	set_thresholds(&config->thresholds, ret_settings);
	ret_settings->fleet_percent = fleet_percent(config->fleet);
	ret_settings->alerts = alerts[config->alerts];
	if (config->metrics_server_min)
		version_parse(str_of(config->metrics_server_min), &ret_settings->metrics_server_min);
	add_critical(applier, ret_settings);
	add_texts(arena, &config->special_groups, &ret_settings->special_groups);
	add_images(applier, ret_settings);
	applier_usages(applier, &ret_settings->usages);
	add_policies(applier, config->policies.node_labels, config->policies.node_labels_count,
	             false, &ret_settings->label_policies);
	add_policies(applier, config->policies.tolerations, config->policies.tolerations_count,
	             true, &ret_settings->taint_policies);
	for (unsigned i = 0; i < config->namespaces_count; i++)
		*VEC_PUSH(arena, &ret_settings->namespaces) = (struct namespace_rule){
			applier_rooted(applier, config->namespaces[i].path),
			str_of(config->namespaces[i].namespace) };
	add_clusters(applier, ret_settings);
	choose_cluster(applier, ret_settings);
}

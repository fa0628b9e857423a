/* Deployment, ReplicaSet, StatefulSet, DaemonSet. Upstream: pkg/apis/apps/validation. */
#include "api-pod.h"

static const struct api_rule spec_rules[] = {
	{ "replicas", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "minReadySeconds", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "revisionHistoryLimit", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "progressDeadlineSeconds", RULE_RANGE, NULL, 0, INT64_MAX },
};

/* ---- selector and template ------------------------------------------------------------ */

/* There, and without a requirement: it would match every pod. */
static bool is_bare(const struct api_place *selector)
{
	struct api_place labels = api_field(selector, "matchLabels");
	struct api_place expressions = api_field(selector, "matchExpressions");

	return api_has(selector) && !api_is_unknown(&labels) && !api_is_unknown(&expressions) &&
	       api_count(&labels) == 0 && api_count(&expressions) == 0;
}

/* An unknown label or selector value gives no verdict, and so no fault. A null selector matches
 * nothing, so it is a mistake of the labels too: upstream says both. */
static void want_match(const struct api_check *check, const struct api_place *template)
{
	const struct workload_spec *workload = check->object->workload;
	struct api_place meta = api_field(template, "metadata");
	struct api_place labels = api_field(&meta, "labels");

	if (api_is_unknown(template) || api_is_unknown(&meta) || api_is_unknown(&labels) || !workload)
		return;
	if (selector_matches(&workload->selector, &workload->pod.labels) == ANSWER_NO)
		api_fault(check, &labels, API_INVALID,
		          "the selector does not match the labels of the template");
}

/* True when the selector parses, so that the template is to be judged. strict: it is required,
 * and must be right before upstream looks at the template. */
static bool check_selector(const struct api_check *check, const struct api_place *spec,
                           bool strict)
{
	struct api_place selector = api_field(spec, "selector");
	struct api_place template = api_field(spec, "template");
	const struct workload_spec *workload = check->object->workload;

	api_check_selector(check, &selector);
	if (strict && api_lacks(&selector))
		api_fault(check, &selector, API_REQUIRED, "the selector is missing");
	if (is_bare(&selector)) {
		api_fault(check, &selector, API_INVALID, "an empty selector matches every pod");
		return true;
	}
	if (workload && api_has(&selector) && !selector_parses(&workload->selector)) {
		if (strict)
			api_fault(check, &selector, API_INVALID, "the selector cannot be read");
		return !strict;
	}
	if (!api_is_unknown(&selector))
		want_match(check, &template);
	return true;
}

/* ---- Deployment ----------------------------------------------------------------------- */

static const struct api_rule deployment_roll_rules[] = {
	{ "maxUnavailable", RULE_SHARE_100, NULL, 0, 0 },
	{ "maxSurge", RULE_SHARE, NULL, 0, 0 },
};

/* Both bounds are 25 % by default; as a surge that is at least one pod, so a maxUnavailable of 0
 * alone is fine. */
static void check_strategy(const struct api_check *check, const struct api_place *spec)
{
	struct api_place strategy = api_field(spec, "strategy");
	struct api_place type = api_field(&strategy, "type");
	struct api_place roll = api_field(&strategy, "rollingUpdate");
	struct api_place down = api_field(&roll, "maxUnavailable");
	struct api_place surge = api_field(&roll, "maxSurge");

	if (!api_has(&strategy) || api_is_unknown(&type))
		return;
	if (api_is(&type, "Recreate")) {
		if (api_has(&roll))
			api_fault(check, &roll, API_FORBIDDEN, "strategy Recreate takes none");
	} else if (api_is_empty(&type) || api_is(&type, "RollingUpdate")) {
		if (!api_has(&roll))
			return;
		api_apply(check, &roll, deployment_roll_rules, COUNT_OF(deployment_roll_rules));
		if (api_share(&down, 25) == 0 && api_share(&surge, 25) == 0)
			api_fault(check, &down, API_INVALID,
			          "maxUnavailable and maxSurge must not both be 0");
	} else {
		api_fault(check, &strategy, API_NOT_SUPPORTED,
		          "type is \"%.*s\", but must be Recreate or RollingUpdate",
		          STR_ARG(api_text(&type)));
	}
}

#define PROGRESS_DEADLINE 600 /* seconds, by default */

/* The default counts too: minReadySeconds of ten minutes is refused without any deadline. */
static void check_deadline(const struct api_check *check, const struct api_place *spec)
{
	struct api_place deadline = api_field(spec, "progressDeadlineSeconds");
	struct api_place ready = api_field(spec, "minReadySeconds");
	int64_t seconds, least;

	if (!api_int(&deadline, &seconds))
		seconds = PROGRESS_DEADLINE;
	if (!api_is_unknown(&deadline) && !api_is_unknown(&ready) &&
	    (api_int(&ready, &least) || !api_lacks(&deadline)) && seconds <= least)
		api_fault(check, &deadline, API_INVALID,
		          "progressDeadlineSeconds is %lld, but must exceed minReadySeconds",
		          (long long)seconds);
}

/* Deployment and ReplicaSet. Where the selector cannot be read, upstream says nothing of the
 * template. */
static void check_replicated(const struct api_check *check, const struct api_place *spec)
{
	struct api_place template = api_field(spec, "template");

	api_apply(check, spec, spec_rules, COUNT_OF(spec_rules));
	if (!check_selector(check, spec, true))
		return;
	api_check_template(check, &template, NULL);
	api_want_always(check, &template);
}

void api_check_deployment(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	if (api_is_unknown(&spec))
		return;
	check_replicated(check, &spec);
	check_strategy(check, &spec);
	check_deadline(check, &spec);
}

void api_check_replica_set(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	if (!api_is_unknown(&spec))
		check_replicated(check, &spec);
}

/* ---- StatefulSet ---------------------------------------------------------------------- */

static const struct api_rule set_rules[] = {
	{ "serviceName", RULE_LABEL, NULL, 0, 0 },
};
static const struct api_rule partition_rules[] = {
	{ "partition", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "maxUnavailable", RULE_SHARE_100, NULL, 0, 0 },
};
static const struct api_rule retention_rules[] = {
	{ "whenDeleted", RULE_WORD, "Retain|Delete", 0, 0 },
	{ "whenScaled", RULE_WORD, "Retain|Delete", 0, 0 },
};

/* Upstream blames the whole strategy for an unknown type, and calls it invalid rather than not
 * supported. */
static void check_set_update(const struct api_check *check, const struct api_place *spec)
{
	struct api_place update = api_field(spec, "updateStrategy");
	struct api_place type = api_field(&update, "type");
	struct api_place roll = api_field(&update, "rollingUpdate");
	struct api_place down = api_field(&roll, "maxUnavailable");

	if (!api_has(&update) || api_is_unknown(&type))
		return;
	if (api_is(&type, "OnDelete")) {
		if (api_has(&roll))
			api_fault(check, &roll, API_INVALID, "updateStrategy OnDelete takes none");
	} else if (api_is_empty(&type) || api_is(&type, "RollingUpdate")) {
		if (!api_has(&roll))
			return;
		api_apply(check, &roll, partition_rules, COUNT_OF(partition_rules));
		if (api_has(&down) && api_share(&down, 1) == 0)
			api_fault(check, &down, API_INVALID, "maxUnavailable must not be 0");
	} else {
		api_fault(check, &update, API_INVALID,
		          "type is \"%.*s\", but must be RollingUpdate or OnDelete",
		          STR_ARG(api_text(&type)));
	}
}

/* Words that upstream does not look up in a set, and the start of the ordinals. */
static void check_set_policies(const struct api_check *check, const struct api_place *spec)
{
	struct api_place management = api_field(spec, "podManagementPolicy");
	struct api_place retention = api_field(spec, "persistentVolumeClaimRetentionPolicy");
	struct api_place ordinals = api_field(spec, "ordinals");
	struct api_place start = api_field(&ordinals, "start");
	int64_t value;

	if (api_has(&management) && !api_is_empty(&management) &&
	    !api_is(&management, "OrderedReady") && !api_is(&management, "Parallel"))
		api_fault(check, &management, API_INVALID,
		          "podManagementPolicy is \"%.*s\", but must be OrderedReady or Parallel",
		          STR_ARG(api_text(&management)));
	if (api_has(&retention))
		api_apply(check, &retention, retention_rules, COUNT_OF(retention_rules));
	if (api_int(&start, &value) && value < 0)
		api_fault(check, &start, API_INVALID, "start is %lld, but must be at least 0",
		          (long long)value);
}

void api_check_stateful_set(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");
	struct api_place template = api_field(&spec, "template");
	struct api_place claims = api_field(&spec, "volumeClaimTemplates");

	api_check_meta(check, root, API_NAME_LABEL);
	if (api_is_unknown(&spec))
		return;
	/* upstream reads no history limit and no deadline here */
	api_apply(check, &spec, spec_rules, 2);
	api_apply(check, &spec, set_rules, COUNT_OF(set_rules));
	check_set_update(check, &spec);
	check_set_policies(check, &spec);
	for (uint32_t i = 0; i < api_count(&claims); i++) {
		struct api_place claim = api_item(&claims, i);
		struct api_place claim_spec = api_field(&claim, "spec");

		if (api_has(&claim) && !api_is_unknown(&claim_spec))
			api_check_claim(check, &claim_spec, true);
	}
	if (check_selector(check, &spec, true))
		api_check_template(check, &template, &claims);
	api_want_always(check, &template);
}

/* ---- DaemonSet ------------------------------------------------------------------------ */

static const struct api_rule daemon_roll_rules[] = {
	{ "maxUnavailable", RULE_SHARE_100, NULL, 0, 0 },
	{ "maxSurge", RULE_SHARE_100, NULL, 0, 0 },
};

/* Exactly one of the two must not be 0: a DaemonSet either adds the new pod first or takes the old
 * one away first. By default maxUnavailable is 1. */
static void check_daemon_update(const struct api_check *check, const struct api_place *spec)
{
	struct api_place update = api_field(spec, "updateStrategy");
	struct api_place type = api_field(&update, "type");
	struct api_place roll = api_field(&update, "rollingUpdate");
	struct api_place down = api_field(&roll, "maxUnavailable");
	struct api_place surge = api_field(&roll, "maxSurge");

	if (!api_has(&update) || api_is_unknown(&type) || api_is(&type, "OnDelete"))
		return;
	if (!api_is_empty(&type) && !api_is(&type, "RollingUpdate")) {
		api_fault(check, &update, API_NOT_SUPPORTED,
		          "type is \"%.*s\", but must be RollingUpdate or OnDelete",
		          STR_ARG(api_text(&type)));
		return;
	}
	if (!api_has(&roll) || api_is_unknown(&down) || api_is_unknown(&surge))
		return;
	api_apply(check, &roll, daemon_roll_rules, COUNT_OF(daemon_roll_rules));
	if (api_share(&down, 1) != 0 && api_share(&surge, 0) != 0)
		api_fault(check, &surge, API_INVALID,
		          "maxSurge must be 0 while maxUnavailable is not (1 by default)");
	else if (api_share(&down, 1) == 0 && api_share(&surge, 0) == 0)
		api_fault(check, &down, API_REQUIRED,
		          "maxUnavailable must not be 0 while maxSurge is");
}

void api_check_daemon_set(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");
	struct api_place template = api_field(&spec, "template");

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	if (api_is_unknown(&spec))
		return;
	api_apply(check, &spec, &spec_rules[1], 2);
	check_selector(check, &spec, false);
	api_check_template(check, &template, NULL);
	api_want_always(check, &template);
	check_daemon_update(check, &spec);
}

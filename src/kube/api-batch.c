/* Job and CronJob. Upstream: pkg/apis/batch/validation, pkg/registry/batch/job/strategy. */
#include "api-pod.h"

static const struct api_rule job_rules[] = {
	{ "parallelism", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "completions", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "activeDeadlineSeconds", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "backoffLimit", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "ttlSecondsAfterFinished", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "backoffLimitPerIndex", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "maxFailedIndexes", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "completionMode", RULE_CHOICE, "NonIndexed|Indexed", 0, 0 },
};

/* ---- job spec ------------------------------------------------------------------------- */

#define INDEXED_MOST 100000 /* pods at once, and indexes that may fail */
#define MANY_COMPLETIONS 100000
#define MANY_MOST 10000 /* the same for jobs of many completions with a backoff per index */

/* Absent completions are 1 when parallelism is absent too; the template of a CronJob has no such
 * default. -1: not known. */
static int64_t completions_of(const struct api_check *check, const struct api_place *spec)
{
	struct api_place completions = api_field(spec, "completions");
	struct api_place parallelism = api_field(spec, "parallelism");
	int64_t value;

	if (api_int(&completions, &value))
		return value;
	return api_lacks(&completions) && api_lacks(&parallelism) &&
	       str_is(check->object->kind, "Job") ? 1 : -1;
}

static void want_most(const struct api_check *check, const struct api_place *place, int64_t most,
                      const char *why)
{
	int64_t value;

	if (api_int(place, &value) && value > most)
		api_fault(check, place, API_INVALID, "%s is %lld, but must be at most %lld %s",
		          place->field, (long long)value, (long long)most, why);
}

static void check_indexed(const struct api_check *check, const struct api_place *spec)
{
	struct api_place completions = api_field(spec, "completions");
	struct api_place parallelism = api_field(spec, "parallelism");
	struct api_place most = api_field(spec, "maxFailedIndexes");
	struct api_place limit = api_field(spec, "backoffLimitPerIndex");
	int64_t all = completions_of(check, spec);

	if (all < 0 && api_lacks(&completions))
		api_fault(check, &completions, API_REQUIRED, "an Indexed job needs completions");
	want_most(check, &parallelism, INDEXED_MOST, "in an Indexed job");
	want_most(check, &most, INDEXED_MOST, "in an Indexed job");
	if (all >= 0)
		want_most(check, &most, all, "as there are completions");
	if (all > MANY_COMPLETIONS && api_has(&limit)) {
		if (api_lacks(&most))
			api_fault(check, &most, API_REQUIRED, "so many completions need it");
		want_most(check, &parallelism, MANY_MOST, "with so many completions");
		want_most(check, &most, MANY_MOST, "with so many completions");
	}
	api_check_success_policy(check, spec, all);
}

/* Backoff per index and success policies are of Indexed jobs only. */
static void check_mode(const struct api_check *check, const struct api_place *spec)
{
	static const char *const bans[] = { "backoffLimitPerIndex", "maxFailedIndexes" };
	struct api_place mode = api_field(spec, "completionMode");
	struct api_place limit = api_field(spec, "backoffLimitPerIndex");
	struct api_place most = api_field(spec, "maxFailedIndexes");
	struct api_place success = api_field(spec, "successPolicy");
	bool plain = api_lacks(&mode) || api_is(&mode, "NonIndexed");

	if (api_has(&most) && api_lacks(&limit))
		api_fault(check, &limit, API_REQUIRED, "maxFailedIndexes needs it");
	if (api_is_unknown(&mode))
		return;
	if (api_is(&mode, "Indexed")) {
		check_indexed(check, spec);
		return;
	}
	if (api_has(&success))
		api_fault(check, &success, API_INVALID, "it needs completionMode: Indexed");
	for (size_t i = 0; plain && i < COUNT_OF(bans); i++) {
		struct api_place place = api_field(spec, bans[i]);

		if (api_has(&place))
			api_fault(check, &place, API_INVALID, "it needs completionMode: Indexed");
	}
}

/* Beside a podFailurePolicy a pod that is ending is no failure yet. */
static void check_replacement(const struct api_check *check, const struct api_place *spec)
{
	struct api_place policy = api_field(spec, "podReplacementPolicy");
	struct api_place failure = api_field(spec, "podFailurePolicy");

	if (!api_has(&policy) || api_is(&policy, "Failed") || api_is_unknown(&failure))
		return;
	if (api_has(&failure) || !api_is(&policy, "TerminatingOrFailed"))
		api_fault(check, &policy, API_NOT_SUPPORTED,
		          "podReplacementPolicy is \"%.*s\", but must be Failed%s",
		          STR_ARG(api_text(&policy)),
		          api_has(&failure) ? " beside a podFailurePolicy"
		                            : " or TerminatingOrFailed");
}

#define MANAGER_BYTES 63

/* domain/path, as in acme.io/foo */
static bool is_domain_path(str text)
{
	static const char other[] = "/%!$&'()*+,;=:.~_@-";
	str domain, path;

	if (!str_cut(text, '/', &domain, &path) || !name_is_dns_subdomain(domain))
		return false;
	for (size_t i = 0; i < path.n; i++) {
		char c = path.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      str_find(str_of(other), c) < sizeof(other) - 1))
			return false;
	}
	return path.n > 0;
}

static void check_manager(const struct api_check *check, const struct api_place *spec)
{
	struct api_place manager = api_field(spec, "managedBy");
	str text = api_text(&manager);

	if (!api_has(&manager))
		return;
	if (text.n == 0)
		api_fault(check, &manager, API_REQUIRED, "managedBy is empty");
	else if (!is_domain_path(text))
		api_fault(check, &manager, API_INVALID,
		          "managedBy is \"%.*s\", but must be a domain and a path, as acme.io/foo",
		          STR_ARG(text));
	if (text.n > MANAGER_BYTES)
		api_fault(check, &manager, API_TOO_LONG, "it may be %d bytes at most",
		          MANAGER_BYTES);
}

/* The pod's default, Always, is no choice for a job: an absent policy is a mistake. */
static void check_restart(const struct api_check *check, const struct api_place *spec)
{
	struct api_place template = api_field(spec, "template");
	struct api_place pod = api_field(&template, "spec");
	struct api_place policy = api_field(&pod, "restartPolicy");
	struct api_place failure = api_field(spec, "podFailurePolicy");

	if (api_is_unknown(&template) || api_is_unknown(&pod) || api_is_unknown(&policy))
		return;
	if (api_is_empty(&policy) || api_is(&policy, "Always"))
		api_fault(check, &policy, API_REQUIRED,
		          "a job's restartPolicy must be OnFailure or Never; Always is the default");
	else if (!api_is(&policy, "OnFailure") && !api_is(&policy, "Never"))
		api_fault(check, &policy, API_NOT_SUPPORTED,
		          "restartPolicy is \"%.*s\", but must be OnFailure or Never",
		          STR_ARG(api_text(&policy)));
	else if (api_has(&failure) && !api_is(&policy, "Never"))
		api_fault(check, &policy, API_INVALID,
		          "with a podFailurePolicy restartPolicy must be Never");
}

/* What a Job and the template of a CronJob have in common. */
static void check_job_spec(const struct api_check *check, const struct api_place *spec)
{
	struct api_place template = api_field(spec, "template");

	api_apply(check, spec, job_rules, COUNT_OF(job_rules));
	check_mode(check, spec);
	check_manager(check, spec);
	api_check_failure_policy(check, spec);
	check_replacement(check, spec);
	api_check_template(check, &template, NULL);
	check_restart(check, spec);
}

/* ---- Job ------------------------------------------------------------------------------ */

/* Labels that a job's pods get; a template may hold them only with the right value. */
static const struct {
	const char *key;
	bool is_name; /* else the UID, which nobody knows before */
} job_labels[] = {
	{ "controller-uid", false }, { "batch.kubernetes.io/controller-uid", false },
	{ "job-name", true },        { "batch.kubernetes.io/job-name", true },
};

static bool is_job_label(str key)
{
	for (size_t i = 0; i < COUNT_OF(job_labels); i++)
		if (str_is(key, job_labels[i].key))
			return true;
	return false;
}

static void check_job_labels(const struct api_check *check, const struct api_place *template,
                             const struct api_place *labels)
{
	struct api_place given = api_field(labels, "job-name");
	struct api_place own = { .outer = template, .node = labels->node, .field = "labels" };
	str name = check->object->name.s;

	if (api_lacks(&given) && node_known(check->object->name.node) &&
	    !label_value_is_valid(name))
		api_fault(check, &own, API_INVALID,
		          "the job's name becomes a label of its pods, but \"%.*s\" is no label "
		          "value", STR_ARG(name));
	for (size_t i = 0; i < COUNT_OF(job_labels); i++) {
		struct api_place label = api_field(labels, job_labels[i].key);
		bool right = job_labels[i].is_name && str_eq(api_text(&label), check->object->name.s);

		if (api_has(&label) && !right)
			api_fault(check, labels, API_INVALID,
			          "%s is \"%.*s\", but the job sets this label itself",
			          job_labels[i].key, STR_ARG(api_text(&label)));
	}
}

/* Selectors of jobs are made by the API server; one by hand must not ask for other labels. */
static void check_job_selector(const struct api_check *check, const struct api_place *spec)
{
	struct api_place manual = api_field(spec, "manualSelector");
	struct api_place selector = api_field(spec, "selector");
	struct api_place template = api_field(spec, "template");
	struct api_place meta = api_field(&template, "metadata");
	struct api_place labels = api_field(&meta, "labels");
	const struct workload_spec *workload = check->object->workload;
	struct pairs generated = { 0 }, all = { 0 };
	struct arena *arena = check->tree->arena;

	/* what was read from a cluster keeps what was generated there */
	if (api_is_unknown(&manual) || api_is_unknown(&selector) || api_is_unknown(&labels) || !workload ||
	    node_at(check->object->root, "metadata.uid"))
		return;
	api_check_selector(check, &selector);
	if (api_is_true(&manual)) {
		if (api_lacks(&selector))
			api_fault(check, &selector, API_REQUIRED, "manualSelector needs a selector");
		if (api_lacks(&selector) ||
		    (selector_parses(&workload->selector) &&
		     selector_matches(&workload->selector, &workload->pod.labels) == ANSWER_NO))
			api_fault(check, &labels, API_INVALID,
			          "the selector does not match the labels of the template");
		return;
	}
	check_job_labels(check, &template, &labels);
	if (!api_has(&selector) || !selector_parses(&workload->selector))
		return;
	for (size_t i = 0; i < COUNT_OF(job_labels); i++) {
		struct pair pair = { .key = str_of(job_labels[i].key),
			             .value = job_labels[i].is_name ? check->object->name.s
			                                            : STR("uid"),
			             .node = spec->node };

		*VEC_PUSH(arena, &generated) = pair;
		*VEC_PUSH(arena, &all) = pair;
	}
	for (size_t i = 0; i < workload->pod.labels.n; i++)
		if (!is_job_label(workload->pod.labels.v[i].key))
			*VEC_PUSH(arena, &all) = workload->pod.labels.v[i];
	if (selector_matches(&workload->selector, &generated) == ANSWER_NO)
		api_fault(check, &selector, API_INVALID,
		          "a job's selector is generated; manualSelector: true is needed for another");
	if (selector_matches(&workload->selector, &all) == ANSWER_NO)
		api_fault(check, &labels, API_INVALID,
		          "the selector does not match the labels of the template");
}

/* Pods of an Indexed job are named after it and their index. */
static void check_job_name(const struct api_check *check, const struct api_place *root,
                           const struct api_place *spec)
{
	struct api_place meta = api_field(root, "metadata");
	struct api_place name = api_field(&meta, "name");
	struct api_place prefix = api_field(&meta, "generateName");
	struct api_place mode = api_field(spec, "completionMode");
	int64_t count = completions_of(check, spec);
	str host;

	/* A generated name is not known yet; upstream judges none at all as the empty one. */
	if (!api_is(&mode, "Indexed") || count <= 0 || api_is_unknown(&name) ||
	    (api_is_empty(&name) && !api_is_empty(&prefix)))
		return;
	host = str_format(check->tree->arena, "%.*s-%lld", STR_ARG(api_text(&name)),
	                  (long long)count - 1);
	if (!name_is_dns_label(host))
		api_fault(check, &name, API_INVALID, "the last pod's name %.*s is no DNS label",
		          STR_ARG(host));
}

void api_check_job(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	if (!api_is_unknown(&spec))
		api_check_given_labels(check, root, &spec);
	if (api_is_unknown(&spec))
		return;
	check_job_selector(check, &spec);
	check_job_spec(check, &spec);
	check_job_name(check, root, &spec);
}

/* ---- CronJob -------------------------------------------------------------------------- */

#define CRON_NAME 52 /* bytes: eleven more make the job's name */

static const struct api_rule cron_rules[] = {
	{ "schedule", RULE_NEEDED, NULL, 0, 0 },
	{ "startingDeadlineSeconds", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "concurrencyPolicy", RULE_WORD, "Allow|Forbid|Replace", 0, 0 },
	{ "successfulJobsHistoryLimit", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "failedJobsHistoryLimit", RULE_RANGE, NULL, 0, INT64_MAX },
};

/* Schedules are parsed as robfig/cron v3 does, which has no seconds and no 7 for Sunday. */
static void check_times(const struct api_check *check, const struct api_place *spec)
{
	struct api_place schedule = api_field(spec, "schedule");
	struct api_place zone = api_field(spec, "timeZone");
	const char *why;

	if (api_has(&schedule) && !api_is_empty(&schedule) &&
	    !api_is_schedule(api_text(&schedule), &why))
		api_fault(check, &schedule, API_INVALID, "the schedule \"%.*s\" is wrong: %s",
		          STR_ARG(api_text(&schedule)), why);
	if (api_has(&zone) && !api_is_time_zone(api_text(&zone)))
		api_fault(check, &zone, API_INVALID, "\"%.*s\" is no known time zone",
		          STR_ARG(api_text(&zone)));
}

/* A job of a CronJob has no say in its selector. */
static void check_job_template(const struct api_check *check, const struct api_place *job)
{
	struct api_place selector = api_field(job, "selector");
	struct api_place manual = api_field(job, "manualSelector");

	check_job_spec(check, job);
	if (api_has(&selector))
		api_fault(check, &selector, API_INVALID, "the selector is generated");
	if (api_is_true(&manual))
		api_fault(check, &manual, API_NOT_SUPPORTED,
		          "a CronJob's jobs have no manual selector");
}

void api_check_cron_job(const struct api_check *check, const struct api_place *root)
{
	struct api_place meta = api_field(root, "metadata");
	struct api_place name = api_field(&meta, "name");
	struct api_place spec = api_field(root, "spec");
	struct api_place template = api_field(&spec, "jobTemplate");
	struct api_place job = api_field(&template, "spec");

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	if (api_text(&name).n > CRON_NAME)
		api_fault(check, &name, API_INVALID, "name is %zu bytes long, but may be %d at most",
		          api_text(&name).n, CRON_NAME);
	if (api_is_unknown(&spec))
		return;
	api_apply(check, &spec, cron_rules, COUNT_OF(cron_rules));
	check_times(check, &spec);
	if (!api_is_unknown(&template) && !api_is_unknown(&job))
		check_job_template(check, &job);
}

/* pipeline: the one place that calls the rooms in order. */
#include "cli.h"
#include "cli-internal.h"
#include "pools.h"
#include "rules.h"

struct pipeline *pipeline_load(struct arena *arena, const struct options *options,
                               const struct source_set *sources)
{
	struct pipeline *pipeline = ARENA_NEW(arena, struct pipeline);

	pipeline->arena = arena;
	pipeline->options = options;
	pipeline->sources = sources;
	pipeline->sink = sink_new(arena);
	settings_default(&pipeline->settings);
	if (options->settings)
		pipeline->settings = *options->settings;
	if (options->complete)
		pipeline->settings.complete = true;
	if (options->kubernetes.major > 0) {
		pipeline->settings.kubernetes = options->kubernetes;
		pipeline->settings.kubernetes_declared = true;
	}
	pipeline_read(pipeline);
	model_build(pipeline->arena, pipeline->sources, &pipeline->settings, &pipeline->trees,
	            &pipeline->objects, &pipeline->scopes);
	notices_of_sources(pipeline);
	notices_of_scopes(pipeline);
	return pipeline;
}

/* What is suppressed or in the baseline is no error any more, but stays visible as a number. */
static void count_level(struct report_summary *summary, const struct finding *finding)
{
	if (finding->suppressed) {
		summary->suppressed++;
		return;
	}
	if (finding->baselined) {
		summary->baselined++;
		return;
	}
	summary->errors += finding->level == LEVEL_ERROR;
	summary->warnings += finding->level == LEVEL_WARNING;
	summary->notes += finding->level == LEVEL_NOTE;
	summary->fixable += finding->fixes.n > 0;
}

/* Things that several variants share are one thing. */
static void count_once(struct arena *arena, struct map *seen, const void *thing)
{
	str key = str_copy(arena, (str){ (const char *)&thing, sizeof thing });

	map_put(seen, key, seen);
}

static size_t count_workloads(const struct pipeline *pipeline)
{
	struct map *seen = map_new(pipeline->arena);

	for (size_t i = 0; i < pipeline->scopes.n; i++)
		for (size_t k = 0; k < pipeline->scopes.v[i]->workloads.n; k++)
			count_once(pipeline->arena, seen,
			           pipeline->scopes.v[i]->workloads.v[k]->object);
	return map_count(seen);
}

static size_t count_groups(const struct pipeline *pipeline)
{
	struct map *seen = map_new(pipeline->arena);

	for (size_t i = 0; i < pipeline->scopes.n; i++) {
		const struct groups *groups = &pipeline->scopes.v[i]->pools.groups;
		for (size_t k = 0; k < groups->n; k++)
			count_once(pipeline->arena, seen,
			           groups->v[k]->node ? (const void *)groups->v[k]->node
			                              : groups->v[k]);
	}
	return map_count(seen);
}

/* Counts what is going to be written, so that the numbers under a list are those of the list. */
static void fill_summary(struct pipeline *pipeline)
{
	struct report_summary *summary = &pipeline->summary;

	*summary = (struct report_summary){
		.files = pipeline->sources->file_count,
		.objects = pipeline->objects.n,
		.exit_code = pipeline->sink->failed ? 2 : pipeline->tally.exit_code,
	};
	summary->workloads = count_workloads(pipeline);
	summary->node_groups = count_groups(pipeline);
	for (size_t i = 0; i < pipeline->sink->findings.n; i++)
		count_level(summary, pipeline->sink->findings.v[i]);
	if (pipeline->options->no_suppressed)
		summary->suppressed = pipeline->tally.suppressed;
}

/* The first N in order stay, so that the same input gives the same output. A report that is cut
 * is no clean result. */
static void limit_findings(struct pipeline *pipeline)
{
	struct findings *findings = &pipeline->sink->findings;
	size_t limit = pipeline->options->max_findings;

	if (limit == 0 || findings->n <= limit)
		return;
	sink_notify(pipeline->sink, "too-many-findings", LEVEL_ERROR, (struct span){ 0 },
	            "%zu findings, of which the first %zu are written (--max-findings)",
	            findings->n, limit);
	findings->n = limit;
	pipeline->sink->failed = true;
}

/* They stay counted: the number is how a reader learns that there are any. */
static void drop_suppressed(struct findings *findings)
{
	size_t kept = 0;

	for (size_t i = 0; i < findings->n; i++)
		if (!findings->v[i]->suppressed)
			findings->v[kept++] = findings->v[i];
	findings->n = kept;
}

void pipeline_judge(struct pipeline *pipeline)
{
	struct scopes *scopes = &pipeline->scopes;

	pipeline->judgements =
		arena_calloc(pipeline->arena, scopes->n, sizeof *pipeline->judgements);
	for (size_t i = 0; i < scopes->n; i++) {
		pipeline->judgements[i] = sched_judge(pipeline->arena, scopes->v[i]);
		rules_run(scopes->v[i], pipeline->judgements[i], pipeline->sink);
	}
	struct triage_options triage;
	triage_options_of(pipeline, &triage);
	triage_run(pipeline->sink, scopes, &triage, &pipeline->tally);
	if (pipeline->options->no_suppressed)
		drop_suppressed(&pipeline->sink->findings);
	limit_findings(pipeline);
	fill_summary(pipeline);
}

/* A set of texts may hold its configuration itself. */
struct pipeline *pipeline_run(struct arena *arena, const struct options *options,
                              const struct source_set *sources)
{
	struct options *own = ARENA_NEW(arena, struct options);
	struct strs errors = { 0 };
	struct pipeline *pipeline;

	*own = *options;
	if (!own->config && !own->no_config)
		configure_from_set(arena, own, sources, &errors);
	pipeline = pipeline_load(arena, own, sources);
	for (size_t i = 0; i < errors.n; i++)
		sink_notify(pipeline->sink, "bad-configuration", LEVEL_ERROR, (struct span){ 0 },
		            "%.*s", STR_ARG(errors.v[i]));
	pipeline->sink->failed = pipeline->sink->failed || errors.n;
	pipeline_judge(pipeline);
	return pipeline;
}

/* With --fail-on never no finding fails; the level then only says where JUnit would draw the
 * line. */
static enum level fail_level(enum fail_on fail_on)
{
	switch (fail_on) {
	case FAIL_ON_ERROR:
	case FAIL_ON_NEVER:
		return LEVEL_ERROR;
	case FAIL_ON_WARNING:
		return LEVEL_WARNING;
	case FAIL_ON_NOTE:
		break;
	}
	return LEVEL_NOTE;
}

void pipeline_report(const struct pipeline *pipeline, struct report *ret_report)
{
	const struct options *options = pipeline->options;
	size_t count = 0;
	const struct rule *all = rules_all(&count);
	const struct rule **rules = arena_calloc(pipeline->arena, count, sizeof *rules);

	for (size_t i = 0; i < count; i++)
		rules[i] = &all[i];
	*ret_report = (struct report){
		.arena = pipeline->arena,
		.version = cli_version,
		.sources = pipeline->sources,
		.sink = pipeline->sink,
		.scopes = &pipeline->scopes,
		.judgements = pipeline->judgements,
		.rules = rules,
		.rule_count = count,
		.summary = pipeline->summary,
		.fail_level = fail_level(options->triage.fail_on),
		.fail_never = options->triage.fail_on == FAIL_ON_NEVER,
		.quiet = options->quiet,
		.very_quiet = options->very_quiet,
		.sarif_category = options->sarif_category,
		.junit_passing_none = options->junit_passing_none,
	};
}

/* From a configuration to what counts: levels, selection and suppressions. */
#include "cli-internal.h"
#include "config.h"
#include "rules.h"

/* No node, no place: KL010 then has nothing to point at and is silent. */
static struct span place_of(const struct node *node)
{
	return node ? node_place(node) : (struct span){ 0 };
}

static str optional_text(const char *text)
{
	return text ? str_of(text) : STR("");
}

/* Paths in the file are relative to it, those of findings to the root. */
static void add_ignores(const struct applier *applier)
{
	const struct config *config = applier->config;

	for (unsigned i = 0; i < config->ignore_count; i++) {
		const struct config_ignore *ignore = &config->ignore[i];

		*VEC_PUSH(applier->arena, &applier->options->triage.ignores) = (struct rule_ignore){
			.rule = str_of(ignore->rule),
			.path = ignore->path ? applier_rooted(applier, ignore->path) : STR(""),
			.object = optional_text(ignore->object),
			.reason = optional_text(ignore->reason),
			.span = place_of(node_get(config_entry(config, "ignore", i), "rule")),
		};
	}
}

/* The levels of the file in our words; that of a rule which is off never shows. */
static void add_levels(const struct applier *applier)
{
	static const enum level levels[] = {
		[CONFIG_ERROR] = LEVEL_ERROR, [CONFIG_WARNING] = LEVEL_WARNING,
		[CONFIG_NOTE] = LEVEL_NOTE, [CONFIG_OFF] = LEVEL_NOTE,
	};
	const struct config *config = applier->config;

	for (unsigned i = 0; i < config->rules_count; i++)
		*VEC_PUSH(applier->arena, &applier->options->triage.levels) = (struct rule_level){
			.rule = str_of(config->rules[i].rule),
			.off = config->rules[i].level == CONFIG_OFF,
			.level = levels[config->rules[i].level],
			.span = place_of(node_get(config_entry(config, "rules", i), "rule")),
		};
}

/* The command line's own selection wins as a whole; --extend-select adds to that of the file. */
static void add_selection(const struct applier *applier)
{
	struct triage_options *triage = &applier->options->triage;
	const struct config_texts *select = &applier->config->select;
	bool own = triage->select.n > 0;

	for (unsigned i = 0; i < select->n; i++) {
		str rule = str_of(select->v[i]);

		if (!own)
			*VEC_PUSH(applier->arena, &triage->select) = rule;
		*VEC_PUSH(applier->arena, &triage->mentions) = (struct rule_mention){
			rule, place_of(config_entry(applier->config, "select", i)) };
	}
	for (size_t i = 0; !own && select->n && i < applier->options->extend_select.n; i++)
		*VEC_PUSH(applier->arena, &triage->select) = applier->options->extend_select.v[i];
}

/* What the command line or a variable said stays. */
void applier_triage(const struct applier *applier)
{
	static const enum fail_on fail_on[] = {
		[CONFIG_ERROR] = FAIL_ON_ERROR, [CONFIG_WARNING] = FAIL_ON_WARNING,
		[CONFIG_NOTE] = FAIL_ON_NOTE, [CONFIG_NEVER] = FAIL_ON_NEVER,
	};
	static const enum level levels[] = {
		[CONFIG_ERROR] = LEVEL_ERROR, [CONFIG_WARNING] = LEVEL_WARNING,
		[CONFIG_NOTE] = LEVEL_NOTE,
	};
	const struct config *config = applier->config;
	struct options *options = applier->options;

	if (!options->fail_on_given && config->fail_on)
		options->triage.fail_on = fail_on[config->fail_on];
	if (!options->min_level_given && config->min_level)
		options->triage.min_level = levels[config->min_level];
	options->triage.require_reasons = config->require_reasons == CONFIG_TRUE;
	add_ignores(applier);
	add_levels(applier);
	add_selection(applier);
}

/* ---- one run -------------------------------------------------------------------------- */

/* The file was read alone before the run's sources, so its number there is another one; 0: it is
 * not among them. */
static uint32_t config_file_of(const struct pipeline *pipeline)
{
	const struct config *config = pipeline->options->config;
	const struct sources *sources = &pipeline->sources->sources;

	for (size_t i = 0; config && config->tree && i < sources->n; i++)
		if (str_eq(sources->v[i]->path, config->tree->source->path))
			return sources->v[i]->id;
	return 0;
}

void triage_options_of(const struct pipeline *pipeline, struct triage_options *ret_options)
{
	uint32_t file = config_file_of(pipeline);

	*ret_options = pipeline->options->triage;
	ret_options->unused_rule = rule_find(STR("KL010"));
	ret_options->rules = rules_all(&ret_options->rule_count);
	for (size_t i = 0; i < ret_options->ignores.n; i++)
		ret_options->ignores.v[i].span.file = file;
	for (size_t i = 0; i < ret_options->levels.n; i++)
		ret_options->levels.v[i].span.file = file;
	for (size_t i = 0; i < ret_options->mentions.n; i++)
		ret_options->mentions.v[i].span.file = file;
}

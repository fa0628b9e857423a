/* Selection, tally and exit code. */
#include "triage-internal.h"

bool rule_selected(const struct rule *rule, str selector)
{
	str code = str_of(rule->code);

	if (str_is(selector, rule->name) || str_is(selector, rule->family))
		return true;
	/* KL1 is a family. */
	return str_eq(selector, code) || (selector.n == 3 && str_starts(code, selector));
}

static bool any_selects(const struct strs *selectors, const struct rule *rule)
{
	for (size_t i = 0; i < selectors->n; i++)
		if (rule_selected(rule, selectors->v[i]))
			return true;
	return false;
}

/* Without a selection all rules are on. */
static bool rule_is_on(const struct rule *rule, const struct triage_options *options)
{
	if (options->select.n > 0 && !any_selects(&options->select, rule))
		return false;
	return !any_selects(&options->ignore, rule) && !triage_is_off(options, rule);
}

/* Covered findings are counted and go. */
static void drop_covered(struct sink *sink, struct tally *tally)
{
	size_t kept = 0;

	for (size_t i = 0; i < sink->findings.n; i++) {
		struct finding *finding = sink->findings.v[i];
		if (finding->covered_by)
			tally->covered++;
		else
			sink->findings.v[kept++] = finding;
	}
	sink->findings.n = kept;
}

static void drop_unselected(struct sink *sink, const struct triage_options *options)
{
	size_t kept = 0, said = 0;

	for (size_t i = 0; i < sink->findings.n; i++) {
		struct finding *finding = sink->findings.v[i];
		finding->deselected = !rule_is_on(finding->rule, options);
		if (!finding->deselected && finding->level >= options->min_level)
			sink->findings.v[kept++] = finding;
	}
	sink->findings.n = kept;
	for (size_t i = 0; i < sink->undecided.n; i++)
		if (rule_is_on(sink->undecided.v[i].rule, options))
			sink->undecided.v[said++] = sink->undecided.v[i];
	sink->undecided.n = said;
}

/* Does the finding make the run fail? */
static bool fails(const struct finding *finding, enum fail_on fail_on)
{
	static const enum level least[] = {
		[FAIL_ON_ERROR] = LEVEL_ERROR,
		[FAIL_ON_WARNING] = LEVEL_WARNING,
		[FAIL_ON_NOTE] = LEVEL_NOTE,
	};

	return fail_on != FAIL_ON_NEVER && finding->level >= least[fail_on];
}

static void count(const struct finding *finding, enum fail_on fail_on, struct tally *tally)
{
	if (finding->suppressed || finding->baselined) {
		tally->suppressed += finding->suppressed;
		tally->baselined += !finding->suppressed;
		return;
	}
	tally->errors += finding->level == LEVEL_ERROR;
	tally->warnings += finding->level == LEVEL_WARNING;
	tally->notes += finding->level == LEVEL_NOTE;
	tally->fixable += finding->fixes.n > 0;
	if (!finding->out_of_scope && fails(finding, fail_on))
		tally->exit_code = 1;
}

void triage_run(struct sink *sink, const struct scopes *scopes,
                const struct triage_options *options, struct tally *ret_tally)
{
	*ret_tally = (struct tally){ 0 };
	triage_cover(sink, scopes);
	if (!options->ignore_suppressions) {
		triage_suppress(sink, scopes, options);
		triage_ignore(sink, scopes, options);
	}
	triage_set_levels(sink, options);
	drop_covered(sink, ret_tally);
	sink_finish(sink);
	triage_fingerprint(sink);
	drop_unselected(sink, options);
	for (size_t i = 0; i < sink->findings.n; i++)
		count(sink->findings.v[i], options->fail_on, ret_tally);
	if (sink->failed)
		ret_tally->exit_code = 2;
}

/* triage: which findings count. Covering (one fault, one finding), selection, suppression,
 * fingerprints, and the exit code.
 */
#ifndef KUBELINT_TRIAGE_H
#define KUBELINT_TRIAGE_H

#include "base.h"
#include "finding.h"
#include "source.h"
#include "model.h"

enum fail_on { FAIL_ON_ERROR, FAIL_ON_WARNING, FAIL_ON_NOTE, FAIL_ON_NEVER };

/* A suppression of the configuration. Empty texts match everything. */
struct rule_ignore {
	str rule;                      /* code, name, family or * */
	str path, object;              /* globs; object: Kind/namespace/name, each part a glob */
	str reason;
	struct span span;              /* of the entry's rule, for KL010; file 0: nowhere */
};
struct rule_ignores VEC(struct rule_ignore);
/* The level that all findings of a rule get; later ones win. */
struct rule_level {
	str rule;
	bool off;
	enum level level;
	struct span span;
};
struct rule_levels VEC(struct rule_level);
/* A rule named by the configuration elsewhere. */
struct rule_mention {
	str rule;
	struct span span;
};
struct rule_mentions VEC(struct rule_mention);

struct triage_options {
	enum fail_on fail_on;
	enum level min_level;
	struct strs select, ignore;    /* codes, names, families (KL1) */
	struct rule_ignores ignores;
	struct rule_levels levels;
	struct rule_mentions mentions; /* names that KL010 looks at besides those of the above */
	bool require_reasons;          /* a suppression without one is KL010 */
	const struct rule *rules;      /* all, to tell known names; NULL: none is looked up */
	size_t rule_count;
	bool ignore_suppressions;      /* act as if nobody had written any */
	const struct rule *unused_rule;/* KL010, by which unused suppressions are said; NULL: not */
};

struct tally {
	size_t errors, warnings, notes, suppressed, baselined, fixable, covered;
	int exit_code;                 /* 0, 1; 2 when the sink failed */
};

/* Marks covered, deselected and suppressed findings, sorts the sink (sink_finish()), fills
 * fingerprints, and counts. Findings that are covered, deselected or below min_level are
 * removed from the sink's list. */
void triage_run(struct sink *sink, const struct scopes *scopes,
                const struct triage_options *options, struct tally *ret_tally);

/* True when selector (a code, name, or family prefix such as KL1) means the rule. */
bool rule_selected(const struct rule *rule, str selector);

#endif

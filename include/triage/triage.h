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

struct triage_options {
	enum fail_on fail_on;
	enum level min_level;
	struct strs select, ignore;    /* codes, names, families (KL1) */
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

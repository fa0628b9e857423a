/* What only the files of triage share. */
#ifndef KUBELINT_TRIAGE_INTERNAL_H
#define KUBELINT_TRIAGE_INTERNAL_H

#include "triage.h"

/* Sets covered_by of every finding that is a mere consequence of another one. */
void triage_cover(struct sink *sink, const struct scopes *scopes);

/* Marks findings that an annotation or a comment suppresses, and adds a finding of unused_rule
 * (when it is not NULL) for each that suppresses none, covered ones counted. */
void triage_suppress(struct sink *sink, const struct scopes *scopes,
                     const struct triage_options *options);

/* Fills fingerprints; findings must be in their final order. */
void triage_fingerprint(struct sink *sink);

/* Suppresses what the configuration ignores, and says what of it does nothing. */
void triage_ignore(struct sink *sink, const struct scopes *scopes,
                   const struct triage_options *options);
/* Is the rule off by the configuration? */
bool triage_is_off(const struct triage_options *options, const struct rule *rule);
/* Gives findings the levels that the configuration wants. */
void triage_set_levels(struct sink *sink, const struct triage_options *options);
/* KL010 about a suppression without a reason. */
struct finding *triage_say_reasonless(struct sink *sink, const struct rule *rule, struct span span,
                                      str name);

#endif

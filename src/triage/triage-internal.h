/* What only the files of triage share. */
#ifndef KUBELINT_TRIAGE_INTERNAL_H
#define KUBELINT_TRIAGE_INTERNAL_H

#include "triage.h"

/* Sets covered_by of every finding that is a mere consequence of another one. */
void triage_cover(struct sink *sink, const struct scopes *scopes);

/* Marks findings that an annotation or a comment suppresses, and adds a finding of rule (when it
 * is not NULL) for each that suppresses none, covered ones counted. */
void triage_suppress(struct sink *sink, const struct scopes *scopes, const struct rule *rule);

/* Fills fingerprints; findings must be in their final order. */
void triage_fingerprint(struct sink *sink);

#endif

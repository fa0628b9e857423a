/* What only the files of triage share. */
#ifndef KUBELINT_TRIAGE_INTERNAL_H
#define KUBELINT_TRIAGE_INTERNAL_H

#include "triage.h"

/* Sets covered_by of every finding that is a mere consequence of another one. */
void triage_cover(struct sink *sink, const struct scopes *scopes);

/* Fills fingerprints; findings must be in their final order. */
void triage_fingerprint(struct sink *sink);

#endif

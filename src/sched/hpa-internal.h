/* What the two halves of the HPA controller share: hpa-metrics.c turns one metric into a count,
 * hpa.c turns counts into a decision. Both keep upstream's float64 ratios as doubles: where it
 * rounds, so do we.
 */
#ifndef KUBELINT_HPA_INTERNAL_H
#define KUBELINT_HPA_INTERNAL_H

#include "base.h"
#include "kube.h"
#include "sched.h"

/* Shares of the target by which usage may differ without a change: 0.1 is a tenth. */
struct hpa_tolerances { /* --horizontal-pod-autoscaler-tolerance, or behavior.*.tolerance */
	double down, up;
};

/* Replicas by one Resource or ContainerResource metric; false when the controller has no value
 * for it (no metrics, a missing request, no pods). */
bool hpa_propose(struct arena *arena, const struct hpa_input *input,
                 const struct hpa_metric *metric, const struct hpa_tolerances *tolerances,
                 int64_t *ret_replicas);

/* Rounds up to a whole count; INT32_MIN for what does not fit int32. */
int64_t hpa_ceil(double replicas);

#endif

/* Whom an inter-pod affinity term means: for rules that look for its partners. */
#include "sched-internal.h"

enum answer pod_affinity_selects(const struct pod_affinity_term *term,
                                 const struct workload *owner, const struct workload *other)
{
	return affinity_term_selects(term, owner, other);
}

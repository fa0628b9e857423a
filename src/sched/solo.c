/* One workload against itself: topology spread, pod affinity and anti-affinity. */
#include "sched-internal.h"

void solo_measure(const struct bench *bench, const struct workload *workload,
                  struct capacity *capacity, int64_t *least)
{
	(void)bench;
	(void)workload;
	(void)capacity;
	(void)least;
}

/* Feature gates: what is on by default from which minor on, and what an option switches on. */
#include "kube.h"

/* Gates that some verdict hangs on and that became on by default; others are off unless named.
 * Source: rules/data/api-version-compat.tsv. */
static const struct {
	const char *name;
	struct version on_from;
} defaults[] = {
	{ "HPAScaleToZero", { .major = 1, .minor = 37, .patch = -1 } },
};

bool kube_gate_is_on(const struct strs *gates, const char *gate, struct version target)
{
	for (size_t i = 0; gates && i < gates->n; i++)
		if (str_is(gates->v[i], gate))
			return true;
	for (size_t i = 0; i < COUNT_OF(defaults); i++)
		if (str_is(str_of(defaults[i].name), gate))
			return version_cmp(target.major ? target : kube_newest(),
			                   defaults[i].on_from) >= 0;
	return false;
}

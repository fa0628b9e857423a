/* Which Kubernetes versions a metrics-server release supports.
 *
 * Source: compatibility matrix of the README at tags v0.4.0 to v0.9.0 (rows of
 * rules/data/api-version-compat.tsv). For 0.6 and 0.7 the page named 1.19 first and later 1.25
 * and 1.27: the wider range stands here, so that nothing is claimed that one of them denies.
 */
#include "ask.h"
#include "model-internal.h"

static const struct support_row {
	int32_t minor;                 /* of metrics-server 0.x */
	int32_t min_minor, max_minor;  /* of Kubernetes 1.x; 0: no bound */
} support_rows[] = {
	{ 3, 8, 21 }, { 4, 8, 0 },   { 5, 8, 0 }, { 6, 19, 0 },
	{ 7, 19, 0 }, { 8, 31, 0 }, { 9, 34, 0 },
};

/* Kubernetes 1.N; 0 is no bound. */
static struct version one_dot(int32_t minor)
{
	return (struct version){ .major = minor ? 1 : 0, .minor = minor, .patch = -1 };
}

struct version_range metrics_server_supports(struct version release)
{
	for (size_t i = 0; release.major == 0 && i < COUNT_OF(support_rows); i++)
		if (support_rows[i].minor == release.minor)
			return (struct version_range){
				.min = one_dot(support_rows[i].min_minor),
				.max = one_dot(support_rows[i].max_minor),
			};
	return (struct version_range){ 0 };
}

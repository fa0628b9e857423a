/* PodDisruptionBudget. Upstream: pkg/apis/policy/validation. */
#include "api.h"

static const struct api_rule rules[] = {
	{ "minAvailable", RULE_SHARE_100, NULL, 0, 0 },
	{ "maxUnavailable", RULE_SHARE_100, NULL, 0, 0 },
	{ "unhealthyPodEvictionPolicy", RULE_CHOICE, "AlwaysAllow|IfHealthyBudget", 0, 0 },
};

void api_check_pdb(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");
	struct api_place least = api_field(&spec, "minAvailable");
	struct api_place most = api_field(&spec, "maxUnavailable");
	struct api_place selector = api_field(&spec, "selector");

	if (api_has(&spec)) {
		if (!api_lacks(&least) && !api_lacks(&most))
			api_fault(check, &spec, API_INVALID,
			          "minAvailable and maxUnavailable exclude each other");
		api_apply(check, &spec, rules, COUNT_OF(rules));
		api_check_selector(check, &selector);
	}
	/* upstream has no name check of its own here; the general one runs when all is well */
	if (api_fault_count(check) == 0)
		api_check_meta(check, root, API_NAME_SEGMENT);
}

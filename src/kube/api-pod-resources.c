/* Resources of a pod as a whole against those of its containers. Upstream:
 * pkg/apis/core/validation (validatePodResourceConsistency), component-helpers
 * AggregateContainerRequests. */
#include "api.h"

/* cpu, memory and a few sizes of huge pages are all that a pod as a whole can have; of more than
 * that, which must be wrong, no sums are made. */
#define SUMMED 16

/* Adds b to a; false when the sum leaves what nano can hold. */
static bool add(struct quantity *a, const struct quantity *b)
{
	if (a->big || b->big)
		return false;
	a->nano += b->nano;
	return true;
}

static bool is_sidecar(const struct api_place *container)
{
	struct api_place policy = api_field(container, "restartPolicy");

	return api_is(&policy, "Always");
}

/* What the container requests; zero when it does not. In a created pod a limit is a request
 * where there is none. false: not known. */
static bool request_of(const struct api_check *check, const struct api_place *container,
                       const char *list, const char *name, struct quantity *ret_quantity)
{
	struct api_place resources = api_field(container, "resources");
	struct api_place amounts = api_field(&resources, list);
	struct api_place amount = api_field(&amounts, name);
	struct api_place limits = api_field(&resources, "limits");
	struct api_place limit = api_field(&limits, name);

	*ret_quantity = (struct quantity){ 0 };
	if (api_lacks(&amount) && check->is_pod && !api_lacks(&limit))
		return api_quantity(check, &limit, ret_quantity);
	if (api_lacks(&amount))
		return (api_has(container) && (api_has(&amounts) || api_lacks(&amounts)));
	return api_quantity(check, &amount, ret_quantity);
}

/* Containers and sidecars run at once; an init container runs beside the sidecars before it. */
static bool sum_of(const struct api_check *check, const struct api_place *spec,
                   const char *list, const char *name, struct quantity *ret_sum)
{
	struct api_place containers = api_field(spec, "containers");
	struct api_place inits = api_field(spec, "initContainers");
	struct quantity sidecars = { 0 }, peak = { 0 }, one;

	*ret_sum = (struct quantity){ 0 };
	for (uint32_t i = 0; i < api_count(&containers); i++) {
		struct api_place container = api_item(&containers, i);

		if (!request_of(check, &container, list, name, &one) || !add(ret_sum, &one))
			return false;
	}
	for (uint32_t i = 0; i < api_count(&inits); i++) {
		struct api_place container = api_item(&inits, i);

		if (!request_of(check, &container, list, name, &one))
			return false;
		if (!add(is_sidecar(&container) ? &sidecars : &one,
		         is_sidecar(&container) ? &one : &sidecars))
			return false;
		if (quantity_cmp(&peak, is_sidecar(&container) ? &sidecars : &one) < 0)
			peak = is_sidecar(&container) ? sidecars : one;
	}
	if (!add(ret_sum, &sidecars))
		return false;
	if (quantity_cmp(ret_sum, &peak) < 0)
		*ret_sum = peak;
	return true;
}

/* The sum may be lower than the pod's amount, which covers what the containers do not ask for. */
static void check_sums(const struct api_check *check, const struct api_place *spec,
                       const struct api_place *resources, const char *list, bool huge_only)
{
	struct api_place amounts = api_field(resources, list);

	for (uint32_t i = 0; i < api_count(&amounts) && i < SUMMED; i++) {
		struct api_place entry = api_entry(&amounts, i);
		struct quantity quantity, sum;

		if (huge_only && !str_starts(entry.key, STR("hugepages-")))
			continue;
		if (api_quantity(check, &entry, &quantity) &&
		    sum_of(check, spec, list, str_c(check->tree->arena, entry.key), &sum) &&
		    quantity_cmp(&sum, &quantity) > 0)
			api_fault(check, &entry, API_INVALID,
			          "the pod's %.*s of %.*s is less than the sum of its containers'",
			          STR_ARG(entry.key), STR_ARG(api_text(&entry)));
	}
}

/* A created pod whose requests are not given gets the sum of its containers' as its own. */
static void check_given(const struct api_check *check, const struct api_place *spec,
                        const struct api_place *resources)
{
	struct api_place limits = api_field(resources, "limits");
	struct api_place requests = api_field(resources, "requests");

	if (!check->is_pod || (!api_has(&requests) && !api_lacks(&requests)))
		return;
	for (uint32_t i = 0; i < api_count(&limits) && i < SUMMED; i++) {
		struct api_place entry = api_entry(&limits, i);
		const char *name = str_c(check->tree->arena, entry.key);
		struct api_place request = api_field(&requests, name);
		struct quantity limit, sum;

		if (api_lacks(&request) && api_quantity(check, &entry, &limit) &&
		    sum_of(check, spec, "requests", name, &sum) && quantity_cmp(&sum, &limit) > 0)
			api_fault(check, &requests, API_INVALID,
			          "the containers request more %s together than the pod's limit "
			          "of %.*s", name, STR_ARG(api_text(&entry)));
	}
}

/* Upstream's path for it: resources.containers[0][cpu].limits. */
static void check_one_limit(const struct api_check *check, const struct api_place *entry,
                            const struct api_place *pod_limits, struct api_place *at)
{
	struct api_place limit = api_field(pod_limits, str_c(check->tree->arena, entry->key));
	struct api_place key = { .outer = at, .node = entry->node, .key = entry->key };
	struct api_place place = { .outer = &key, .node = entry->node, .field = "limits" };
	struct quantity own, all;

	if (api_quantity(check, entry, &own) && api_quantity(check, &limit, &all) &&
	    quantity_cmp(&own, &all) > 0)
		api_fault(check, &place, API_INVALID,
		          "the container's limit of %.*s %.*s exceeds the pod's of %.*s",
		          STR_ARG(api_text(entry)), STR_ARG(entry->key),
		          STR_ARG(api_text(&limit)));
}

/* No single container may have more than the pod. */
static void check_limits(const struct api_check *check, const struct api_place *spec,
                         const struct api_place *resources)
{
	struct api_place pod_limits = api_field(resources, "limits");
	struct api_place containers = api_field(spec, "containers");
	struct api_place as = { .outer = resources, .node = containers.node,
		                .field = "containers" };

	for (uint32_t i = 0; api_has(&pod_limits) && i < api_count(&containers); i++) {
		struct api_place container = api_item(&containers, i);
		struct api_place own = api_field(&container, "resources");
		struct api_place limits = api_field(&own, "limits");
		struct api_place at = api_item(&as, i);

		if (!api_has(&container) || !api_has(&own))
			continue;
		for (uint32_t k = 0; k < api_count(&limits) && k < SUMMED; k++) {
			struct api_place entry = api_entry(&limits, k);

			check_one_limit(check, &entry, &pod_limits, &at);
		}
	}
}

void api_check_pod_resources(const struct api_check *check, const struct api_place *spec)
{
	static const struct api_rule rules[] = {
		{ "claims", RULE_BANNED, "cannot be set for a pod as a whole", 0, 0 },
	};
	struct api_place resources = api_field(spec, "resources");
	struct api_place os = api_field(spec, "os");
	struct api_place os_name = api_field(&os, "name");

	if (!api_has(&resources))
		return;
	if (api_is(&os_name, "windows")) {
		api_fault(check, &resources, API_FORBIDDEN, "a Windows pod has no resources");
		return;
	}
	api_apply(check, &resources, rules, COUNT_OF(rules));
	api_check_resources(check, &resources, true);
	check_sums(check, spec, &resources, "requests", false);
	check_sums(check, spec, &resources, "limits", true);
	check_given(check, spec, &resources);
	check_limits(check, spec, &resources);
}

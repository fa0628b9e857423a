/* Devices by resource claims. Upstream: pkg/apis/core/validation (validatePodResourceClaims,
 * validateResourceClaimNames). */
#include "api-pod.h"

/* ---- of the pod ----------------------------------------------------------------------- */

/* A pointer upstream, so that an empty name is a name, and a wrong one. */
static void want_claim_name(const struct api_check *check, const struct api_place *name)
{
	if (api_has(name))
		api_want_subdomain(check, name);
}

static void check_pod_claim(const struct api_check *check, const struct api_place *claim,
                            struct map *names)
{
	struct api_place name = api_field(claim, "name");
	struct api_place source = api_field(claim, "resourceClaimName");
	struct api_place template = api_field(claim, "resourceClaimTemplateName");

	if (api_is_empty(&name))
		api_fault(check, &name, API_REQUIRED, "name is missing or empty");
	else if (api_has(&name) && map_has(names, api_text(&name)))
		api_fault(check, &name, API_DUPLICATE, "another claim is named %.*s",
		          STR_ARG(api_text(&name)));
	else if (api_has(&name))
		api_want_label(check, &name);
	if (api_has(&name) && api_text(&name).n > 0)
		map_put(names, api_text(&name), names);
	if (api_lacks(&source) == api_lacks(&template))
		api_fault(check, claim, API_INVALID,
		          "it must name either a claim or a template of claims");
	want_claim_name(check, &source);
	want_claim_name(check, &template);
}

struct map *api_check_pod_claims(const struct api_check *check, const struct api_place *spec)
{
	struct api_place claims = api_field(spec, "resourceClaims");
	struct map *names = map_new(check->tree->arena);
	bool known = !api_is_unknown(&claims);

	for (uint32_t i = 0; i < api_count(&claims); i++) {
		struct api_place claim = api_item(&claims, i);
		struct api_place name = api_field(&claim, "name");

		known = known && !api_is_unknown(&claim) && !api_is_unknown(&name);
		if (!api_is_unknown(&claim))
			check_pod_claim(check, &claim, names);
	}
	return known ? names : NULL;
}

/* ---- of containers -------------------------------------------------------------------- */

/* What a container uses so far: whole claims by name, single requests as "name/request", and
 * the names of claims with single requests. */
struct uses {
	struct map *keys, *parts;
};

/* A claim is used as a whole or by requests, each of them once. */
static void check_use(const struct api_check *check, const struct api_place *item,
                      const struct uses *uses)
{
	struct api_place name = api_field(item, "name");
	struct api_place request = api_field(item, "request");
	str key = api_text(&name);
	bool twice = map_has(uses->keys, key);

	if (!twice && !api_is_empty(&request)) {
		api_want_label(check, &request);
		key = str_format(check->tree->arena, "%.*s/%.*s", STR_ARG(key),
		                 STR_ARG(api_text(&request)));
		twice = map_has(uses->keys, key);
		map_put(uses->parts, api_text(&name), uses->parts);
	} else if (!twice) {
		twice = map_has(uses->parts, key);
	}
	if (twice)
		api_fault(check, item, API_DUPLICATE, "%.*s is used already", STR_ARG(key));
	map_put(uses->keys, key, uses->keys);
}

void api_check_claim_uses(const struct api_check *check, const struct api_place *resources,
                          const struct api_pod *pod)
{
	struct api_place claims = api_field(resources, "claims");
	struct uses uses = { map_new(check->tree->arena), map_new(check->tree->arena) };

	for (uint32_t i = 0; i < api_count(&claims); i++) {
		struct api_place item = api_item(&claims, i);
		struct api_place name = api_field(&item, "name");
		struct api_place request = api_field(&item, "request");

		if (api_is_unknown(&item) || api_is_unknown(&name) || api_is_unknown(&request))
			continue;
		if (api_is_empty(&name)) {
			api_fault(check, &item, API_REQUIRED, "name is missing or empty");
			continue;
		}
		check_use(check, &item, &uses);
		if (pod->claims && !map_has(pod->claims, api_text(&name)))
			api_fault(check, &item, API_NOT_FOUND,
			          "\"%.*s\" is not among the resourceClaims of the pod",
			          STR_ARG(api_text(&name)));
	}
}

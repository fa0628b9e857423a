/* Affinity and spread constraints. Upstream: pkg/apis/core/validation (validateAffinity,
 * validateTopologySpreadConstraints). */
#include "api.h"

static const char REQUIRED[] = "requiredDuringSchedulingIgnoredDuringExecution";
static const char PREFERRED[] = "preferredDuringSchedulingIgnoredDuringExecution";

/* 0, the value of an absent weight, is out of range too. */
static void check_weight(const struct api_check *check, const struct api_place *term)
{
	struct api_place weight = api_field(term, "weight");
	int64_t value;

	if ((api_int(&weight, &value) || api_lacks(&weight)) && (value < 1 || value > 100))
		api_fault(check, &weight, API_INVALID, "weight is %lld, but must be 1 to 100",
		          (long long)value);
}

/* ---- nodes ---------------------------------------------------------------------------- */

/* metadata.name is the only field that can be selected by. */
static void check_field_requirement(const struct api_check *check,
                                    const struct api_place *requirement)
{
	struct api_place key = api_field(requirement, "key");
	struct api_place op = api_field(requirement, "operator");
	struct api_place values = api_field(requirement, "values");

	if (!api_has(requirement))
		return;
	if (api_is(&op, "In") || api_is(&op, "NotIn")) {
		if (api_count(&values) != 1 && (api_has(&values) || api_lacks(&values)))
			api_fault(check, &values, API_REQUIRED,
			          "matchFields takes exactly one value");
	} else if (api_has(&op) || api_lacks(&op)) {
		api_fault(check, &op, API_INVALID, "\"%.*s\" is no operator here",
		          STR_ARG(api_text(&op)));
	}
	if (api_is(&key, "metadata.name")) {
		for (uint32_t i = 0; i < api_count(&values); i++) {
			struct api_place value = api_item(&values, i);

			if (api_has(&value))
				api_want_subdomain(check, &value);
		}
	} else if (api_has(&key) || api_lacks(&key)) {
		api_fault(check, &key, API_INVALID,
		          "\"%.*s\" cannot be selected by; metadata.name can",
		          STR_ARG(api_text(&key)));
	}
}

/* A term without requirements is valid, and matches no node. */
static void check_node_term(const struct api_check *check, const struct api_place *term,
                            bool loose)
{
	struct api_place expressions = api_field(term, "matchExpressions");
	struct api_place fields = api_field(term, "matchFields");

	if (!api_has(term))
		return;
	for (uint32_t i = 0; i < api_count(&expressions); i++) {
		struct api_place requirement = api_item(&expressions, i);

		api_check_requirement(check, &requirement, true, loose);
	}
	for (uint32_t i = 0; i < api_count(&fields); i++) {
		struct api_place requirement = api_item(&fields, i);

		check_field_requirement(check, &requirement);
	}
}

/* Values of preferred terms are not looked at: such a term may match no node and do no harm. */
static void check_node_affinity(const struct api_check *check, const struct api_place *affinity)
{
	struct api_place required = api_field(affinity, REQUIRED);
	struct api_place terms = api_field(&required, "nodeSelectorTerms");
	struct api_place preferred = api_field(affinity, PREFERRED);

	if (api_has(&required) && api_count(&terms) == 0 && (api_has(&terms) || api_lacks(&terms)))
		api_fault(check, &terms, API_REQUIRED, "there must be a node selector term");
	for (uint32_t i = 0; api_has(&required) && i < api_count(&terms); i++) {
		struct api_place term = api_item(&terms, i);

		check_node_term(check, &term, false);
	}
	for (uint32_t i = 0; i < api_count(&preferred); i++) {
		struct api_place item = api_item(&preferred, i);
		struct api_place term = api_field(&item, "preference");

		if (!api_has(&item))
			continue;
		check_weight(check, &item);
		check_node_term(check, &term, true);
	}
}

/* ---- pods ----------------------------------------------------------------------------- */

/* Keys without a selector would select nothing. */
static void check_keys(const struct api_check *check, const struct api_place *keys,
                       const struct api_place *selector)
{
	if (api_count(keys) > 0 && api_lacks(selector)) {
		api_fault(check, keys, API_FORBIDDEN, "without a labelSelector it has no use");
		return;
	}
	for (uint32_t i = 0; i < api_count(keys); i++) {
		struct api_place key = api_item(keys, i);

		if (api_has(&key))
			api_want_qualified(check, &key);
	}
}

/* A key of matchLabelKeys becomes part of the selector, so it must not be there twice. Upstream
 * blames an index of the term itself. */
static void check_repeated(const struct api_check *check, const struct api_place *term,
                           const struct api_place *selector, const struct api_place *match)
{
	struct api_place labels = api_field(selector, "matchLabels");
	struct api_place expressions = api_field(selector, "matchExpressions");
	struct map *seen = map_new(check->tree->arena), *keys = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(match); i++)
		map_put(keys, node_text(&match->node->children[i]), match->node->children + i);
	for (uint32_t i = 0; i < api_count(&labels); i++)
		map_put(seen, labels.node->children[i].key, seen);
	for (uint32_t i = 0; api_count(match) > 0 && i < api_count(&expressions); i++) {
		struct api_place item = api_item(&expressions, i);
		struct api_place key = api_field(&item, "key");
		const struct node *at = map_get(keys, api_text(&key));
		struct api_place place = { .outer = term, .node = at, .index = at ? at->index : 0 };

		if (at && api_has(&key) && map_has(seen, api_text(&key)))
			api_fault(check, &place, API_INVALID,
			          "\"%.*s\" stands in the labelSelector too",
			          STR_ARG(api_text(&key)));
		map_put(seen, api_text(&key), seen);
	}
}

/* matchLabelKeys and mismatchLabelKeys, of pod terms and (the former) of spread constraints. */
static void check_both_keys(const struct api_check *check, const struct api_place *term)
{
	struct api_place selector = api_field(term, "labelSelector");
	struct api_place match = api_field(term, "matchLabelKeys");
	struct api_place mismatch = api_field(term, "mismatchLabelKeys");
	struct map *seen = map_new(check->tree->arena);

	check_keys(check, &match, &selector);
	check_keys(check, &mismatch, &selector);
	check_repeated(check, term, &selector, &match);
	for (uint32_t i = 0; i < api_count(&mismatch); i++)
		map_put(seen, node_text(&mismatch.node->children[i]), seen);
	for (uint32_t i = 0; i < api_count(&match); i++) {
		struct api_place key = api_item(&match, i);

		if (api_has(&key) && map_has(seen, api_text(&key)))
			api_fault(check, &key, API_INVALID,
			          "\"%.*s\" stands in mismatchLabelKeys too",
			          STR_ARG(api_text(&key)));
	}
}

/* An absent topologyKey is missing and is no label key: upstream says both. Upstream's path of a
 * namespace is the singular without an index. */
static void check_pod_term(const struct api_check *check, const struct api_place *term)
{
	struct api_place selector = api_field(term, "labelSelector");
	struct api_place namespace_selector = api_field(term, "namespaceSelector");
	struct api_place namespaces = api_field(term, "namespaces");
	struct api_place singular = api_field_as(term, "namespaces", "namespace");
	struct api_place key = api_field(term, "topologyKey");

	if (!api_has(term) && !api_lacks(term))
		return;
	api_check_selector(check, &selector);
	api_check_selector(check, &namespace_selector);
	for (uint32_t i = 0; i < api_count(&namespaces); i++) {
		struct api_place name = api_item(&namespaces, i);

		if (api_has(&name) && !name_is_dns_label(api_text(&name)))
			api_fault(check, &singular, API_INVALID,
			          "\"%.*s\" is no namespace name", STR_ARG(api_text(&name)));
	}
	check_both_keys(check, term);
	if (api_is_empty(&key))
		api_fault(check, &key, API_REQUIRED, "topologyKey is missing or empty");
	if (api_has(&key) || api_lacks(&key))
		api_want_qualified(check, &key);
}

static void check_pod_affinity(const struct api_check *check, const struct api_place *affinity)
{
	struct api_place required = api_field(affinity, REQUIRED);
	struct api_place preferred = api_field(affinity, PREFERRED);

	for (uint32_t i = 0; i < api_count(&required); i++) {
		struct api_place term = api_item(&required, i);

		check_pod_term(check, &term);
	}
	for (uint32_t i = 0; i < api_count(&preferred); i++) {
		struct api_place item = api_item(&preferred, i);
		struct api_place term = api_field(&item, "podAffinityTerm");

		if (!api_has(&item))
			continue;
		check_weight(check, &item);
		check_pod_term(check, &term);
	}
}

void api_check_affinity(const struct api_check *check, const struct api_place *affinity)
{
	struct api_place of_node = api_field(affinity, "nodeAffinity");
	struct api_place of_pod = api_field(affinity, "podAffinity");
	struct api_place anti = api_field(affinity, "podAntiAffinity");

	if (!api_has(affinity))
		return;
	if (api_has(&of_node))
		check_node_affinity(check, &of_node);
	if (api_has(&of_pod))
		check_pod_affinity(check, &of_pod);
	if (api_has(&anti))
		check_pod_affinity(check, &anti);
}

/* ---- spread --------------------------------------------------------------------------- */

static const struct api_rule spread_rules[] = {
	{ "maxSkew", RULE_RANGE, NULL, 1, INT64_MAX },
	{ "topologyKey", RULE_NEEDED, NULL, 0, 0 },
	{ "minDomains", RULE_RANGE, NULL, 1, INT64_MAX },
	{ "whenUnsatisfiable", RULE_WORD, "DoNotSchedule|ScheduleAnyway", 0, 0 },
	{ "nodeAffinityPolicy", RULE_CHOICE, "Honor|Ignore", 0, 0 },
	{ "nodeTaintsPolicy", RULE_CHOICE, "Honor|Ignore", 0, 0 },
};

/* What the tables of rules cannot say of one constraint. */
static void check_constraint(const struct api_check *check, const struct api_place *constraint)
{
	struct api_place skew = api_field(constraint, "maxSkew");
	struct api_place when = api_field(constraint, "whenUnsatisfiable");
	struct api_place domains = api_field(constraint, "minDomains");
	struct api_place selector = api_field(constraint, "labelSelector");

	api_apply(check, constraint, spread_rules, COUNT_OF(spread_rules));
	if (api_lacks(&skew))
		api_fault(check, &skew, API_INVALID, "maxSkew must be at least 1");
	if (api_is_empty(&when))
		api_fault(check, &when, API_NOT_SUPPORTED,
		          "whenUnsatisfiable must be one of: DoNotSchedule|ScheduleAnyway");
	if (api_has(&domains) && (api_has(&when) || api_lacks(&when)) &&
	    !api_is(&when, "DoNotSchedule"))
		api_fault(check, &domains, API_INVALID,
		          "minDomains goes with whenUnsatisfiable: DoNotSchedule only");
	check_both_keys(check, constraint);
	api_check_selector(check, &selector);
}

/* Key and action together must be unique; upstream blames the earlier of two. */
static void check_twins(const struct api_check *check, const struct api_place *constraints)
{
	struct map *seen = map_new(check->tree->arena);

	for (uint32_t i = api_count(constraints); i-- > 0;) {
		struct api_place constraint = api_item(constraints, i);
		struct api_place key = api_field(&constraint, "topologyKey");
		struct api_place when = api_field(&constraint, "whenUnsatisfiable");
		struct api_place both = { .outer = &constraint, .node = key.node,
			                  .field = "{topologyKey, whenUnsatisfiable}" };
		str text;

		if (!api_has(&constraint) || (key.node && key.node->unknown) ||
		    (when.node && when.node->unknown))
			continue;
		text = str_format(check->tree->arena, "{%.*s, %.*s}", STR_ARG(api_text(&key)),
		                  STR_ARG(api_text(&when)));
		if (map_has(seen, text))
			api_fault(check, &both, API_DUPLICATE,
			          "there is another constraint for %.*s", STR_ARG(text));
		map_put(seen, text, seen);
	}
}

void api_check_spread(const struct api_check *check, const struct api_place *constraints)
{
	for (uint32_t i = 0; i < api_count(constraints); i++) {
		struct api_place constraint = api_item(constraints, i);

		if (api_has(&constraint))
			check_constraint(check, &constraint);
	}
	check_twins(check, constraints);
}

/* What a job makes of its pods' failures and successes. Upstream: pkg/apis/batch/validation
 * (validatePodFailurePolicy, validateSuccessPolicy). */
#include "api-pod.h"

#define POLICY_RULES 20     /* of either policy, and patterns of conditions */
#define EXIT_CODES 255
#define INDEX_TEXT (64 * 1024)

/* A field without default that must be one of the words. */
static void want_one_of(const struct api_check *check, const struct api_place *map,
                        const char *field, const char *words)
{
	const struct api_rule rules[] = {
		{ field, RULE_NEEDED, NULL, 0, 0 },
		{ field, RULE_WORD, words, 0, 0 },
	};

	api_apply(check, map, rules, COUNT_OF(rules));
}

static void want_at_most(const struct api_check *check, const struct api_place *list,
                         uint32_t most)
{
	if (api_count(list) > most)
		api_fault(check, list, API_TOO_MANY, "there are %u, but may be %u at most",
		          (unsigned)api_count(list), (unsigned)most);
}

/* ---- failures ------------------------------------------------------------------------- */

/* Ascending, each once, and no 0 that is asked for: 0 is no failure. */
static void check_codes(const struct api_check *check, const struct api_place *codes)
{
	struct api_place op = api_field(codes, "operator");
	struct api_place values = api_field(codes, "values");
	struct map *seen = map_new(check->tree->arena);
	int64_t last = INT64_MIN, value;
	bool ordered = true;

	if (!api_is_unknown(&values) && api_count(&values) == 0)
		api_fault(check, &values, API_INVALID, "there must be a value");
	want_at_most(check, &values, EXIT_CODES);
	for (uint32_t i = 0; i < api_count(&values); i++) {
		struct api_place item = api_item(&values, i);

		if (!api_int(&item, &value) && !api_lacks(&item))
			continue;
		if (api_is(&op, "In") && value == 0)
			api_fault(check, &item, API_INVALID, "0 is no failure");
		if (map_put(seen, str_format(check->tree->arena, "%lld", (long long)value), seen))
			api_fault(check, &item, API_DUPLICATE, "%lld stands there already",
			          (long long)value);
		ordered = ordered && last <= value;
		last = value;
	}
	if (!ordered)
		api_fault(check, &values, API_INVALID, "the values must be in ascending order");
}

static void check_exit_codes(const struct api_check *check, const struct api_place *codes,
                             const struct map *names)
{
	struct api_place container = api_field(codes, "containerName");

	want_one_of(check, codes, "operator", "In|NotIn");
	if (names && api_has(&container) && !map_has(names, api_text(&container)))
		api_fault(check, &container, API_INVALID, "there is no container \"%.*s\"",
		          STR_ARG(api_text(&container)));
	check_codes(check, codes);
}

/* The status is True by default. */
static void check_conditions(const struct api_check *check, const struct api_place *conditions)
{
	static const struct api_rule rules[] = {
		{ "status", RULE_WORD, "False|True|Unknown", 0, 0 },
	};

	want_at_most(check, conditions, POLICY_RULES);
	for (uint32_t i = 0; i < api_count(conditions); i++) {
		struct api_place pattern = api_item(conditions, i);
		struct api_place type = api_field(&pattern, "type");

		if (api_is_unknown(&pattern))
			continue;
		if (!api_is_unknown(&type))
			api_want_qualified(check, &type);
		api_apply(check, &pattern, rules, COUNT_OF(rules));
	}
}

static void check_action(const struct api_check *check, const struct api_place *rule,
                         const struct api_place *spec)
{
	struct api_place action = api_field(rule, "action");
	struct api_place limit = api_field(spec, "backoffLimitPerIndex");

	want_one_of(check, rule, "action", "Count|FailIndex|FailJob|Ignore");
	if (api_is(&action, "FailIndex") && api_lacks(&limit))
		api_fault(check, &action, API_INVALID, "FailIndex needs backoffLimitPerIndex");
}

static void check_failure_rule(const struct api_check *check, const struct api_place *rule,
                               const struct api_place *spec, const struct map *names)
{
	struct api_place codes = api_field(rule, "onExitCodes");
	struct api_place conditions = api_field(rule, "onPodConditions");

	check_action(check, rule, spec);
	if (api_has(&codes))
		check_exit_codes(check, &codes, names);
	check_conditions(check, &conditions);
	if (!api_is_unknown(&codes) && !api_is_unknown(&conditions) &&
	    api_has(&codes) == (api_count(&conditions) > 0))
		api_fault(check, rule, API_INVALID,
		          "a rule is about either exit codes or conditions");
}

/* Names of all containers; NULL when one is not known. */
static struct map *container_names(const struct api_check *check, const struct api_place *pod)
{
	static const char *const lists[] = { "containers", "initContainers" };
	struct map *names = map_new(check->tree->arena);

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		struct api_place list = api_field(pod, lists[i]);

		for (uint32_t k = 0; k < api_count(&list); k++) {
			struct api_place container = api_item(&list, k);
			struct api_place name = api_field(&container, "name");

			if (api_is_unknown(&container) || api_is_unknown(&name))
				return NULL;
			map_put(names, api_text(&name), names);
		}
		if (api_is_unknown(&list))
			return NULL;
	}
	return names;
}

void api_check_failure_policy(const struct api_check *check, const struct api_place *spec)
{
	struct api_place policy = api_field(spec, "podFailurePolicy");
	struct api_place rules = api_field(&policy, "rules");
	struct api_place template = api_field(spec, "template");
	struct api_place pod = api_field(&template, "spec");
	const struct map *names;

	if (!api_has(&policy))
		return;
	names = container_names(check, &pod);
	want_at_most(check, &rules, POLICY_RULES);
	for (uint32_t i = 0; i < api_count(&rules); i++) {
		struct api_place rule = api_item(&rules, i);

		if (!api_is_unknown(&rule))
			check_failure_rule(check, &rule, spec, names);
	}
}

/* ---- successes ------------------------------------------------------------------------ */

/* "0,2-4,7" in ascending order, all below completions: their number, or -1. A comma list of
 * numbers and ranges; the empty text is no index. */
static int64_t count_indexes(str text, int64_t completions)
{
	int64_t last = -1, count = 0, low, high;
	str rest = text, part, first, second;

	if (text.n > 0 && text.p[text.n - 1] == ',')
		return -1;
	while (str_next(&rest, ',', &part)) {
		bool pair = str_cut(part, '-', &first, &second);

		if (!str_to_int64(first, &low) || low < 0 || low <= last || low >= completions)
			return -1;
		high = low;
		if (pair && (!str_to_int64(second, &high) || high <= low || high >= completions))
			return -1;
		count += high - low + 1;
		last = high;
	}
	return count;
}

static void check_success_rule(const struct api_check *check, const struct api_place *rule,
                               int64_t completions)
{
	struct api_place indexes = api_field(rule, "succeededIndexes");
	struct api_place needed = api_field(rule, "succeededCount");
	int64_t count = 0, value;

	if (api_lacks(&indexes) && api_lacks(&needed))
		api_fault(check, rule, API_REQUIRED, "a rule needs succeededIndexes or a count");
	if (api_has(&indexes)) {
		count = count_indexes(api_text(&indexes), completions);
		if (api_text(&indexes).n > INDEX_TEXT)
			api_fault(check, &indexes, API_TOO_LONG, "it may be %d bytes at most",
			          INDEX_TEXT);
		if (count < 0)
			api_fault(check, &indexes, API_INVALID,
			          "\"%.*s\" is no ascending list of indexes below %lld",
			          STR_ARG(api_text(&indexes)), (long long)completions);
	}
	if (!api_int(&needed, &value))
		return;
	if (value < 0 || value > completions ||
	    (api_has(&indexes) && value > (count < 0 ? 0 : count)))
		api_fault(check, &needed, API_INVALID,
		          "succeededCount is %lld, but must be from 0 to the number of indexes",
		          (long long)value);
}

void api_check_success_policy(const struct api_check *check, const struct api_place *spec,
                              int64_t completions)
{
	struct api_place policy = api_field(spec, "successPolicy");
	struct api_place rules = api_field(&policy, "rules");

	if (!api_has(&policy))
		return;
	if (!api_is_unknown(&rules) && api_count(&rules) == 0)
		api_fault(check, &rules, API_REQUIRED, "there must be a rule");
	want_at_most(check, &rules, POLICY_RULES);
	for (uint32_t i = 0; i < api_count(&rules); i++) {
		struct api_place rule = api_item(&rules, i);

		if (!api_is_unknown(&rule))
			check_success_rule(check, &rule, completions);
	}
}

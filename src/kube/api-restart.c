/* Restart and resize policies of containers. Upstream: pkg/apis/core/validation
 * (validateContainerRestartPolicy, validateInitContainerRestartPolicy, validateResizePolicy). */
#include "api-pod.h"

#define RESTART_RULES 20
#define RESTART_VALUES 255

/* ---- restart -------------------------------------------------------------------------- */

static const struct api_rule restart_rules[] = {
	{ "restartPolicy", RULE_CHOICE, "Always|Never|OnFailure", 0, 0 },
};

/* A field without default that must be one of the words: absent is as wrong as another word. */
static void want_word(const struct api_check *check, const struct api_place *place,
                      const char *first, const char *second)
{
	if (!api_is_unknown(place) && !api_is(place, first) && !api_is(place, second))
		api_fault(check, place, API_NOT_SUPPORTED, "\"%.*s\" must be %s or %s",
		          STR_ARG(api_text(place)), first, second);
}

static void check_restart_rule(const struct api_check *check, const struct api_place *rule)
{
	struct api_place action = api_field(rule, "action");
	struct api_place codes = api_field(rule, "exitCodes");
	struct api_place op = api_field(&codes, "operator");
	struct api_place values = api_field(&codes, "values");

	want_word(check, &action, "Restart", "RestartAllContainers");
	if (api_lacks(&codes))
		api_fault(check, &codes, API_REQUIRED, "a rule needs exit codes");
	if (!api_has(&codes))
		return;
	want_word(check, &op, "In", "NotIn");
	if (api_count(&values) > RESTART_VALUES)
		api_fault(check, &values, API_TOO_MANY, "there may be %d values at most",
		          RESTART_VALUES);
}

/* Of an init container without restartPolicy upstream does not look at the rules. */
void api_check_restart(const struct api_check *check, const struct api_place *container,
                       bool init)
{
	struct api_place policy = api_field(container, "restartPolicy");
	struct api_place rules = api_field(container, "restartPolicyRules");

	api_apply(check, container, restart_rules, COUNT_OF(restart_rules));
	if (api_lacks(&policy) && api_count(&rules) > 0)
		api_fault(check, &policy, API_REQUIRED, "restartPolicyRules need a restartPolicy");
	if (init && api_lacks(&policy))
		return;
	if (api_count(&rules) > RESTART_RULES)
		api_fault(check, &rules, API_TOO_MANY, "there may be %d rules at most",
		          RESTART_RULES);
	for (uint32_t i = 0; i < api_count(&rules); i++) {
		struct api_place rule = api_item(&rules, i);

		if (!api_is_unknown(&rule))
			check_restart_rule(check, &rule);
	}
}

/* ---- resize --------------------------------------------------------------------------- */

/* Faults of both fields are at the list. */
static void check_resize_word(const struct api_check *check, const struct api_place *list,
                              const struct api_place *field, const char *first,
                              const char *second)
{
	if (api_is_empty(field))
		api_fault(check, list, API_REQUIRED, "%s is missing or empty", field->field);
	else if (api_has(field) && !api_is(field, first) && !api_is(field, second))
		api_fault(check, list, API_NOT_SUPPORTED, "%s is \"%.*s\", but must be %s or %s",
		          field->field, STR_ARG(api_text(field)), first, second);
}

/* A pod that is never restarted cannot restart a container to resize it. */
static void check_resize_item(const struct api_check *check, const struct api_place *list,
                              const struct api_place *item, bool never)
{
	struct api_place resource = api_field(item, "resourceName");
	struct api_place policy = api_field(item, "restartPolicy");

	check_resize_word(check, list, &resource, "cpu", "memory");
	check_resize_word(check, list, &policy, "NotRequired", "RestartContainer");
	if (never && !api_is_unknown(&policy) && !api_is(&policy, "NotRequired"))
		api_fault(check, list, API_INVALID,
		          "restartPolicy must be NotRequired in a pod that is never restarted");
}

void api_check_resize(const struct api_check *check, const struct api_place *container,
                      const struct api_place *spec, bool init)
{
	struct api_place list = api_field(container, "resizePolicy");
	struct api_place pod = api_field(spec, "restartPolicy");
	struct map *seen = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&list); i++) {
		struct api_place item = api_item(&list, i);
		struct api_place resource = api_field(&item, "resourceName");
		struct api_place policy = api_field(&item, "restartPolicy");

		if (api_is_unknown(&item) || api_is_unknown(&resource))
			continue;
		if (map_put(seen, api_text(&resource), seen))
			api_fault(check, &item, API_DUPLICATE, "%.*s has a policy already",
			          STR_ARG(api_text(&resource)));
		check_resize_item(check, &list, &item, api_is(&pod, "Never"));
		if (init && api_is(&policy, "RestartContainer"))
			api_fault(check, &policy, API_INVALID,
			          "an init container that is no sidecar cannot be restarted");
	}
}

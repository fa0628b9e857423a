/* Requests and limits. Upstream: pkg/apis/core/validation (validateResourceRequirements,
 * validatePodResources), pkg/apis/core/helper. */
#include "api.h"

#define HUGE_PAGES STR("hugepages-")

/* ---- names ---------------------------------------------------------------------------- */

static bool is_one_of(str name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(name, words[i]))
			return true;
	return false;
}

static bool is_huge(str name)
{
	return str_starts(name, HUGE_PAGES);
}

/* Kubernetes' own: without a prefix, or with one of its domain. */
static bool is_native(str name)
{
	return str_find(name, '/') == name.n || str_contains(name, STR("kubernetes.io/"));
}

/* Its name with "requests." before it, as in a quota, must be a qualified name too. */
static bool is_extended(str name)
{
	return !is_native(name) && !str_starts(name, STR("requests.")) &&
	       label_key_is_valid(name) && str_find(name, '/') + sizeof("requests.") - 1 <= 253;
}

bool api_is_container_resource(str name)
{
	static const char *const words[] = { "cpu", "memory", "ephemeral-storage" };

	if (!label_key_is_valid(name))
		return false;
	if (str_find(name, '/') == name.n)
		return is_huge(name) || is_one_of(name, words, COUNT_OF(words));
	return is_native(name) || is_extended(name);
}

static bool is_basic(str name)
{
	return str_is(name, "cpu") || str_is(name, "memory");
}

/* What a quota may count; these are names, but nothing to request. */
static bool is_quota_word(str name)
{
	static const char *const words[] = {
		"ephemeral-storage", "requests.cpu", "requests.memory",
		"requests.ephemeral-storage", "limits.cpu", "limits.memory",
		"limits.ephemeral-storage", "pods", "resourcequotas", "services",
		"replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims",
		"storage", "requests.storage", "services.nodeports", "services.loadbalancers",
	};

	return is_one_of(name, words, COUNT_OF(words)) ||
	       str_starts(name, STR("requests.hugepages-")) || str_find(name, '/') < name.n;
}

bool api_is_resource(str name, enum api_resource_use use)
{
	if (use == API_CONTAINER_RESOURCE)
		return api_is_container_resource(name);
	if (!label_key_is_valid(name) || (use == API_QUOTA_RESOURCE && str_is(name, "storage")))
		return false;
	return is_basic(name) || is_huge(name) || is_quota_word(name);
}

/* Things that are counted: quota words, and devices. */
static bool is_integer(str name)
{
	static const char *const words[] = {
		"pods", "resourcequotas", "services", "replicationcontrollers", "secrets",
		"configmaps", "persistentvolumeclaims", "services.nodeports",
		"services.loadbalancers",
	};

	return is_one_of(name, words, COUNT_OF(words)) || is_extended(name);
}

/* A name may be wrong for two reasons upstream, at the same place; one of them is told. */
static void check_name(const struct api_check *check, const struct api_place *entry,
                       bool pod_level)
{
	str name = entry->key;

	if (!pod_level) {
		if (!api_is_container_resource(name))
			api_fault(check, entry, API_INVALID,
			          "\"%.*s\" is no resource that a container can have",
			          STR_ARG(name));
		return;
	}
	if (is_basic(name) || (is_huge(name) && label_key_is_valid(name)))
		return;
	if (label_key_is_valid(name) && is_quota_word(name))
		api_fault(check, entry, API_NOT_SUPPORTED,
		          "a pod as a whole can have cpu, memory and hugepages, not %.*s",
		          STR_ARG(name));
	else
		api_fault(check, entry, API_INVALID, "\"%.*s\" is no resource", STR_ARG(name));
}

/* ---- amounts -------------------------------------------------------------------------- */

/* Upstream rounds the amount up to whole bytes first. */
static bool divides(str name, const struct quantity *quantity)
{
	struct quantity page;
	int64_t size, value;

	if (!quantity_parse(str_slice(name, HUGE_PAGES.n, name.n), &page) ||
	    quantity_sign(&page) <= 0 || !quantity_is_whole(&page))
		return false;
	quantity_value_ceil(&page, &size);
	quantity_value_ceil(quantity, &value);
	return size > 0 && value % size == 0;
}

void api_check_amount(const struct api_check *check, const struct api_place *entry,
                      const struct quantity *quantity)
{
	str name = entry->key, text = api_text(entry);

	if (quantity_sign(quantity) < 0)
		api_fault(check, entry, API_INVALID, "%.*s is %.*s, but must be at least 0",
		          STR_ARG(name), STR_ARG(text));
	if (is_integer(name) && !quantity_is_whole(quantity))
		api_fault(check, entry, API_INVALID, "%.*s is %.*s, but must be a whole number",
		          STR_ARG(name), STR_ARG(text));
}

static void check_amount(const struct api_check *check, const struct api_place *entry,
                         const struct quantity *quantity)
{
	str name = entry->key, text = api_text(entry);

	api_check_amount(check, entry, quantity);
	if (is_huge(name) && !divides(name, quantity))
		api_fault(check, entry, API_INVALID, "%.*s is no whole number of %.*s",
		          STR_ARG(text), STR_ARG(name));
}

/* May the request differ from the limit? Not for devices and huge pages. */
bool api_is_overcommitted(str name)
{
	return is_native(name) && !is_huge(name);
}

/* Entry: of requests; upstream's path is that of the map, but the reader wants the entry. */
static void compare_limit(const struct api_check *check, const struct api_place *entry,
                          const struct quantity *request, const struct api_place *limits)
{
	str name = entry->key;
	struct api_place limit = api_field(limits, str_c(check->tree->arena, name));
	struct fault *fault = NULL;
	struct quantity quantity;

	if (api_quantity(check, &limit, &quantity)) {
		int order = quantity_cmp(request, &quantity);

		if (order > 0 || (order < 0 && !api_is_overcommitted(name)))
			fault = api_fault(check, entry->outer, API_INVALID,
			                  "the request of %.*s %.*s must %s its limit of %.*s",
			                  STR_ARG(api_text(entry)), STR_ARG(name),
			                  api_is_overcommitted(name) ? "not exceed" : "equal",
			                  STR_ARG(api_text(&limit)));
		if (fault && entry->node) {
			fault->node = entry->node;
			fault->span = node_place(entry->node);
		}
	} else if (!limit.node && !api_is_overcommitted(name) &&
	           (api_has(limits) || api_lacks(limits))) {
		api_fault(check, limits, API_REQUIRED,
		          "%.*s is requested without a limit, which must be equal",
		          STR_ARG(name));
	}
}

/* ---- lists ---------------------------------------------------------------------------- */

/* Does the list name something that huge pages need beside them (basic), or huge pages? */
static bool has_some(const struct api_place *list, bool basic)
{
	for (uint32_t i = 0; i < api_count(list); i++) {
		str name = list->node->children[i].key;

		if (list->node->children[i].unknown || (basic ? is_basic(name) : is_huge(name)))
			return true;
	}
	return list->node && !api_has(list) && !api_lacks(list) && basic;
}

/* limits NULL: the list is that of the limits. */
static void check_list(const struct api_check *check, const struct api_place *list,
                       const struct api_place *limits, bool pod_level)
{
	for (uint32_t i = 0; i < api_count(list); i++) {
		struct api_place entry = api_entry(list, i);
		struct quantity quantity;

		check_name(check, &entry, pod_level);
		if (!api_quantity(check, &entry, &quantity))
			continue;
		check_amount(check, &entry, &quantity);
		if (limits && i < API_MANY_RESOURCES)
			compare_limit(check, &entry, &quantity, limits);
	}
}

/* In a created pod, limits are requests too where nothing else is requested. */
static void check_given(const struct api_check *check, const struct api_place *limits,
                        const struct api_place *requests, bool pod_level)
{
	for (uint32_t i = 0; i < api_count(limits) && i < API_MANY_RESOURCES; i++) {
		struct api_place entry = api_entry(limits, i);
		struct quantity quantity;

		entry.outer = requests;
		if (node_get(requests->node, str_c(check->tree->arena, entry.key)))
			continue;
		check_name(check, &entry, pod_level);
		if (api_quantity(check, &entry, &quantity))
			check_amount(check, &entry, &quantity);
	}
}

void api_check_resources(const struct api_check *check, const struct api_place *resources,
                         bool pod_level)
{
	struct api_place limits = api_field(resources, "limits");
	struct api_place requests = api_field(resources, "requests");

	if (!api_has(resources))
		return;
	check_list(check, &limits, NULL, pod_level);
	check_list(check, &requests, &limits, pod_level);
	if (check->is_pod && !pod_level && (api_has(&requests) || api_lacks(&requests)))
		check_given(check, &limits, &requests, pod_level);
	if ((has_some(&limits, false) || has_some(&requests, false)) &&
	    !has_some(&limits, true) && !has_some(&requests, true))
		api_fault(check, resources, API_FORBIDDEN,
		          "huge pages need cpu or memory beside them");
}

void api_check_overhead(const struct api_check *check, const struct api_place *overhead,
                        const struct node *amounts)
{
	struct api_place limits = { .outer = overhead, .node = amounts, .field = "limits" };
	bool huge = has_some(&limits, false) && !has_some(&limits, true);

	check_list(check, &limits, NULL, false);
	if (huge)
		api_fault(check, overhead, API_FORBIDDEN,
		          "huge pages need cpu or memory beside them");
}

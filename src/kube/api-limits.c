/* LimitRange and ResourceQuota. Upstream: pkg/apis/core/validation (ValidateLimitRange,
 * ValidateResourceQuota). */
#include "api-pod.h"

/* ---- limits --------------------------------------------------------------------------- */

/* The lists of one item, in upstream's order. */
enum limit_list { LIST_MAX, LIST_MIN, LIST_DEFAULT, LIST_REQUEST, LIST_RATIO, LIST_COUNT };
static const char *const list_fields[LIST_COUNT] = {
	"max", "min", "default", "defaultRequest", "maxLimitRequestRatio",
};

/* What an item says of one resource, defaults of containers filled in. */
struct limit {
	bool has[LIST_COUNT];
	struct quantity amounts[LIST_COUNT];
};

/* Where the item says nothing of a list, containers take it from another one. */
static void fill(struct limit *limit, enum limit_list to, enum limit_list from)
{
	if (limit->has[to] || !limit->has[from])
		return;
	limit->has[to] = true;
	limit->amounts[to] = limit->amounts[from];
}

static struct limit limit_of(const struct api_check *check, const struct api_place *lists,
                             str name, bool of_container)
{
	struct limit limit = { 0 };

	for (int i = 0; i < LIST_COUNT; i++) {
		struct api_place entry = api_field(&lists[i], str_c(check->tree->arena, name));

		limit.has[i] = api_quantity(check, &entry, &limit.amounts[i]);
	}
	if (of_container) {
		fill(&limit, LIST_DEFAULT, LIST_MAX);
		fill(&limit, LIST_REQUEST, LIST_DEFAULT);
		fill(&limit, LIST_REQUEST, LIST_MIN);
	}
	return limit;
}

/* Of each pair the first must not exceed the second; the fault is at the list at. */
static const struct {
	enum limit_list low, high, at;
} orders[] = {
	{ LIST_MIN, LIST_MAX, LIST_MIN },         { LIST_MIN, LIST_REQUEST, LIST_REQUEST },
	{ LIST_REQUEST, LIST_MAX, LIST_REQUEST }, { LIST_REQUEST, LIST_DEFAULT, LIST_REQUEST },
	{ LIST_MIN, LIST_DEFAULT, LIST_DEFAULT }, { LIST_DEFAULT, LIST_MAX, LIST_DEFAULT },
};

/* A request may be at most max/min times smaller than its limit: min * ratio <= max. Upstream
 * computes in floating point thousandths. */
static bool is_ratio_wide(const struct limit *limit)
{
	int64_t ratio, low, high;

	return limit->has[LIST_RATIO] && limit->has[LIST_MIN] && limit->has[LIST_MAX] &&
	       quantity_milli_ceil(&limit->amounts[LIST_RATIO], &ratio) &&
	       quantity_milli_ceil(&limit->amounts[LIST_MIN], &low) &&
	       quantity_milli_ceil(&limit->amounts[LIST_MAX], &high) && low > 0 &&
	       (double)ratio / 1000 > (double)high / (double)low;
}

static struct api_place place_of(const struct api_check *check, const struct api_place *list,
                                 str name)
{
	return (struct api_place){ .outer = list, .key = name,
		                   .node = node_get(list->node, str_c(check->tree->arena, name)) };
}

static void check_limit(const struct api_check *check, const struct api_place *lists, str name,
                        bool of_container)
{
	static const struct quantity one = { .nano = 1000000000 };
	struct limit limit = limit_of(check, lists, name, of_container);
	struct api_place ratio = place_of(check, &lists[LIST_RATIO], name);
	struct api_place request = place_of(check, &lists[LIST_REQUEST], name);

	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		struct api_place at = place_of(check, &lists[orders[i].at], name);

		if (limit.has[orders[i].low] && limit.has[orders[i].high] &&
		    quantity_cmp(&limit.amounts[orders[i].low],
		                 &limit.amounts[orders[i].high]) > 0)
			api_fault(check, &at, API_INVALID, "%s of %.*s exceeds %s",
			          list_fields[orders[i].low], STR_ARG(name),
			          list_fields[orders[i].high]);
	}
	if ((limit.has[LIST_RATIO] && quantity_cmp(&limit.amounts[LIST_RATIO], &one) < 0) ||
	    is_ratio_wide(&limit))
		api_fault(check, &ratio, API_INVALID,
		          "the ratio of %.*s must be at least 1 and at most max/min", STR_ARG(name));
	if (!api_is_overcommitted(name) && limit.has[LIST_DEFAULT] && limit.has[LIST_REQUEST] &&
	    quantity_cmp(&limit.amounts[LIST_DEFAULT], &limit.amounts[LIST_REQUEST]) != 0)
		api_fault(check, &request, API_INVALID,
		          "default and defaultRequest of %.*s must be equal", STR_ARG(name));
}

/* Pods as a whole have no defaults. */
static void check_pod_item(const struct api_check *check, const struct api_place *lists)
{
	for (int i = LIST_DEFAULT; i <= LIST_REQUEST; i++)
		if (api_count(&lists[i]) > 0)
			api_fault(check, &lists[i], API_FORBIDDEN, "limits of type Pod have none");
}

static void check_resource(const struct api_check *check, const struct api_place *entry,
                           bool of_claim)
{
	if (!api_is_resource(entry->key, of_claim ? API_CLAIM_RESOURCE : API_CONTAINER_RESOURCE))
		api_fault(check, entry, API_INVALID, "\"%.*s\" is no resource",
		          STR_ARG(entry->key));
}

/* What is filled in has the name of what it comes from. */
static void check_filled(const struct api_check *check, const struct api_place *lists, str name)
{
	struct limit limit = limit_of(check, lists, name, true);

	for (int i = LIST_DEFAULT; i <= LIST_REQUEST; i++) {
		struct api_place entry = place_of(check, &lists[i], name);

		if (limit.has[i])
			check_resource(check, &entry, false);
	}
}

static void check_lists(const struct api_check *check, const struct api_place *lists,
                        const struct api_place *type)
{
	bool of_pod = api_is(type, "Pod"), of_container = api_is(type, "Container");
	struct map *seen = map_new(check->tree->arena);

	for (int i = 0; i < LIST_COUNT; i++) {
		if (of_pod && (i == LIST_DEFAULT || i == LIST_REQUEST))
			continue;
		for (uint32_t k = 0; k < api_count(&lists[i]) && k < API_MANY_RESOURCES; k++) {
			struct api_place entry = api_entry(&lists[i], k);

			check_resource(check, &entry, !of_pod && !of_container);
			if (map_put(seen, entry.key, seen))
				continue;
			check_limit(check, lists, entry.key, of_container);
			if (of_container)
				check_filled(check, lists, entry.key);
		}
	}
	if (of_pod)
		check_pod_item(check, lists);
}

/* A type of another project has a prefix. */
static bool is_limit_type(const struct api_place *type)
{
	str text = api_text(type);

	return label_key_is_valid(text) &&
	       (str_find(text, '/') < text.n || api_is(type, "Pod") ||
	        api_is(type, "Container") || api_is(type, "PersistentVolumeClaim"));
}

static void check_limit_item(const struct api_check *check, const struct api_place *item,
                             struct map *types)
{
	struct api_place type = api_field(item, "type");
	struct api_place lists[LIST_COUNT], nothing = api_field(item, "limits");
	bool bounded = false, unknown = api_is_unknown(&type);

	for (int i = 0; i < LIST_COUNT; i++) {
		lists[i] = api_field(item, list_fields[i]);
		unknown = unknown || api_is_unknown(&lists[i]);
		bounded = bounded || (i <= LIST_MIN && node_get(lists[i].node, "storage"));
	}
	if (unknown)
		return;
	if (!is_limit_type(&type))
		api_fault(check, &type, API_INVALID, "\"%.*s\" must be Container, Pod or "
		          "PersistentVolumeClaim", STR_ARG(api_text(&type)));
	if (map_put(types, api_text(&type), types))
		api_fault(check, &type, API_DUPLICATE, "another item is of type %.*s",
		          STR_ARG(api_text(&type)));
	if (api_is(&type, "PersistentVolumeClaim") && !bounded)
		api_fault(check, &nothing, API_REQUIRED, "min or max of storage is needed");
	check_lists(check, lists, &type);
}

void api_check_limit_range(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");
	struct api_place limits = api_field(&spec, "limits");
	struct map *types = map_new(check->tree->arena);

	api_check_meta(check, root, API_NAME_GIVEN);
	for (uint32_t i = 0; i < api_count(&limits); i++) {
		struct api_place item = api_item(&limits, i);

		if (!api_is_unknown(&item))
			check_limit_item(check, &item, types);
	}
}

/* ---- quotas --------------------------------------------------------------------------- */

/* What a scope can count, beside what has a prefix. */
enum scope_use { SCOPE_PODS, SCOPE_COMPUTE, SCOPE_CLAIMS };
static const struct {
	const char *name;
	enum scope_use use;
	const char *opposite; /* cannot stand beside it */
	bool exists_only;     /* has no values */
} scopes[] = {
	{ "Terminating", SCOPE_COMPUTE, "NotTerminating", true },
	{ "NotTerminating", SCOPE_COMPUTE, "Terminating", true },
	{ "BestEffort", SCOPE_PODS, "NotBestEffort", true },
	{ "NotBestEffort", SCOPE_COMPUTE, "BestEffort", true },
	{ "PriorityClass", SCOPE_COMPUTE, NULL, false },
	{ "CrossNamespacePodAffinity", SCOPE_COMPUTE, NULL, true },
	{ "VolumeAttributesClass", SCOPE_CLAIMS, NULL, false },
};

static size_t scope_of(str name)
{
	size_t i = 0;

	while (i < COUNT_OF(scopes) && !str_is(name, scopes[i].name))
		i++;
	return i;
}

static bool is_counted(enum scope_use use, str resource)
{
	static const char *const compute[] = { "cpu", "memory", "limits.cpu", "limits.memory",
		                               "requests.cpu", "requests.memory" };

	if (use == SCOPE_CLAIMS)
		return str_is(resource, "persistentvolumeclaims") ||
		       str_is(resource, "requests.storage");
	if (str_is(resource, "pods"))
		return true;
	for (size_t i = 0; use == SCOPE_COMPUTE && i < COUNT_OF(compute); i++)
		if (str_is(resource, compute[i]))
			return true;
	return false;
}

/* Faults are at the list; blamed: the place of an unknown scope. */
static void check_scope(const struct api_check *check, const struct api_place *list,
                        const struct api_place *blamed, str name,
                        const struct api_place *hard)
{
	size_t scope = scope_of(name);

	if (scope == COUNT_OF(scopes)) {
		api_fault(check, blamed, API_INVALID, "\"%.*s\" is no scope", STR_ARG(name));
		return;
	}
	for (uint32_t i = 0; i < api_count(hard); i++) {
		str resource = hard->node->children[i].key;

		if (str_find(resource, '/') == resource.n &&
		    api_is_resource(resource, API_QUOTA_RESOURCE) &&
		    !is_counted(scopes[scope].use, resource))
			api_fault(check, list, API_INVALID, "the scope %.*s does not count %.*s",
			          STR_ARG(name), STR_ARG(resource));
	}
}

/* Two scopes that leave nothing. */
static void check_pairs(const struct api_check *check, const struct api_place *list,
                        const struct map *seen)
{
	for (size_t i = 0; i < COUNT_OF(scopes); i++)
		if (scopes[i].opposite && map_has(seen, str_of(scopes[i].name)) &&
		    map_has(seen, str_of(scopes[i].opposite)))
			api_fault(check, list, API_INVALID, "%s and %s exclude each other",
			          scopes[i].name, scopes[i].opposite);
}

static void check_scopes(const struct api_check *check, const struct api_place *spec,
                         const struct api_place *hard)
{
	struct api_place list = api_field(spec, "scopes");
	struct map *seen = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&list) && i < API_MANY_RESOURCES; i++) {
		struct api_place item = api_item(&list, i);

		if (api_is_unknown(&item))
			continue;
		if (!map_put(seen, api_text(&item), seen))
			check_scope(check, &list, &list, api_text(&item), hard);
	}
	check_pairs(check, &list, seen);
}

/* Upstream's paths lack the index. */
static void check_expression(const struct api_check *check, const struct api_place *list,
                             const struct api_place *item, const struct api_place *hard)
{
	struct api_place name = { .outer = list, .node = node_get(item->node, "scopeName"),
		                  .field = "scopeName" };
	struct api_place op = { .outer = list, .node = node_get(item->node, "operator"),
		                .field = "operator" };
	struct api_place values = { .outer = list, .node = node_get(item->node, "values"),
		                    .field = "values" };
	size_t scope = scope_of(api_text(&name));

	if (api_is_unknown(&name) || api_is_unknown(&op) || api_is_unknown(&values))
		return;
	check_scope(check, list, &name, api_text(&name), hard);
	if (scope < COUNT_OF(scopes) && scopes[scope].exists_only && !api_is(&op, "Exists"))
		api_fault(check, &op, API_INVALID, "the scope %s takes Exists only",
		          scopes[scope].name);
	if (api_is(&op, "In") || api_is(&op, "NotIn")) {
		if (api_count(&values) == 0)
			api_fault(check, &values, API_REQUIRED, "the operator needs values");
	} else if (api_is(&op, "Exists") || api_is(&op, "DoesNotExist")) {
		if (api_count(&values) > 0)
			api_fault(check, &values, API_INVALID, "the operator takes no values");
	} else {
		api_fault(check, &op, API_INVALID, "\"%.*s\" is no operator here",
		          STR_ARG(api_text(&op)));
	}
}

static void check_scope_selector(const struct api_check *check, const struct api_place *spec,
                                 const struct api_place *hard)
{
	struct api_place selector = api_field(spec, "scopeSelector");
	struct api_place list = api_field(&selector, "matchExpressions");
	struct map *seen = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&list) && i < API_MANY_RESOURCES; i++) {
		struct api_place item = api_item(&list, i);
		struct api_place name = api_field(&item, "scopeName");

		if (api_is_unknown(&item))
			continue;
		check_expression(check, &list, &item, hard);
		map_put(seen, api_text(&name), seen);
	}
	check_pairs(check, &list, seen);
}

void api_check_quota(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");
	struct api_place hard = api_field(&spec, "hard");

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	for (uint32_t i = 0; i < api_count(&hard); i++) {
		struct api_place entry = api_entry(&hard, i);
		struct quantity quantity;

		if (!api_is_resource(entry.key, API_QUOTA_RESOURCE))
			api_fault(check, &entry, API_INVALID, "\"%.*s\" is nothing that a quota counts",
			          STR_ARG(entry.key));
		if (api_quantity(check, &entry, &quantity))
			api_check_amount(check, &entry, &quantity);
	}
	check_scopes(check, &spec, &hard);
	check_scope_selector(check, &spec, &hard);
}

/* What all parts of API validation stand on: places, faults, rule tables; the door itself. */
#include "api.h"

#include <string.h>

/* ---- places --------------------------------------------------------------------------- */

struct api_place api_field_as(const struct api_place *outer, const char *name,
                              const char *path_name)
{
	return (struct api_place){ .outer = outer, .node = node_get(outer->node, name),
		                   .field = path_name };
}

struct api_place api_field(const struct api_place *outer, const char *name)
{
	return api_field_as(outer, name, name);
}

struct api_place api_item(const struct api_place *list, uint32_t i)
{
	return (struct api_place){ .outer = list, .node = &list->node->children[i], .index = i };
}

struct api_place api_entry(const struct api_place *map, uint32_t i)
{
	const struct node *node = &map->node->children[i];

	return (struct api_place){ .outer = map, .node = node,
		                   .key = node->key.p ? node->key : STR("") };
}

bool api_has(const struct api_place *place)
{
	return !node_is_null(place->node) && !place->node->unknown;
}

/* A null that a template left behind is not known to be one. */
bool api_lacks(const struct api_place *place)
{
	return !place->node || (node_is_null(place->node) && !place->node->unknown);
}

uint32_t api_count(const struct api_place *place)
{
	return api_has(place) ? place->node->child_count : 0;
}

str api_text(const struct api_place *place)
{
	return api_has(place) ? node_text(place->node) : STR("");
}

bool api_is_empty(const struct api_place *place)
{
	return api_lacks(place) || (api_has(place) && place->node->kind == NODE_SCALAR &&
	                            place->node->text.n == 0);
}

bool api_is(const struct api_place *place, const char *text)
{
	return api_has(place) && str_is(node_text(place->node), text);
}

bool api_is_true(const struct api_place *place)
{
	bool value;

	return api_has(place) && node_bool(place->node, &value) && value;
}

bool api_is_false(const struct api_place *place)
{
	bool value;

	return api_has(place) && node_bool(place->node, &value) && !value;
}

bool api_int(const struct api_place *place, int64_t *ret_value)
{
	*ret_value = 0;
	return api_has(place) && place->node->kind == NODE_SCALAR &&
	       place->node->type != SCALAR_STRING && node_int(place->node, ret_value);
}

bool api_quantity(const struct api_check *check, const struct api_place *place,
                  struct quantity *ret_quantity)
{
	return api_has(place) && place->node->kind == NODE_SCALAR &&
	       quantity_parse(node_json_text(check->tree->arena, place->node), ret_quantity);
}

/* ---- faults --------------------------------------------------------------------------- */

static const str error_names[] = {
	[API_INVALID] = { "FieldValueInvalid", 17 },
	[API_REQUIRED] = { "FieldValueRequired", 18 },
	[API_NOT_SUPPORTED] = { "FieldValueNotSupported", 22 },
	[API_FORBIDDEN] = { "FieldValueForbidden", 19 },
	[API_DUPLICATE] = { "FieldValueDuplicate", 19 },
	[API_TOO_LONG] = { "FieldValueTooLong", 17 },
	[API_TOO_MANY] = { "FieldValueTooMany", 17 },
	[API_NOT_FOUND] = { "FieldValueNotFound", 18 },
};

#define PATH_LINKS 64 /* more than the deepest place that is judged */

/* As field.Path writes it: a.b[0].c[key]. The root itself has no name. */
static str path_text(struct arena *arena, const struct api_place *place)
{
	const struct api_place *links[PATH_LINKS];
	struct buf buf = { .arena = arena };
	size_t n = 0;

	for (; place && place->outer && n < PATH_LINKS; place = place->outer)
		links[n++] = place;
	while (n-- > 0)
		if (links[n]->field)
			buf_printf(&buf, "%s%s", buf.n ? "." : "", links[n]->field);
		else if (links[n]->key.p)
			buf_printf(&buf, "[%.*s]", STR_ARG(links[n]->key));
		else
			buf_printf(&buf, "[%u]", (unsigned)links[n]->index);
	return buf_str(&buf);
}

/* Upstream often finds one mistake by two checks; here it is told once. The twins come close
 * together, so that a short look back does. */
static bool is_told(const struct api_check *check, str type, str path)
{
	const struct faults *faults = &check->tree->faults;
	size_t least = faults->n > check->first + 8 ? faults->n - 8 : check->first;

	for (size_t i = faults->n; i > least; i--)
		if (faults->v[i - 1].kind == FAULT_INVALID && str_eq(faults->v[i - 1].b, type) &&
		    str_eq(faults->v[i - 1].c, path))
			return true;
	return false;
}

/* The node that stands for an absent one: the nearest around it. */
static const struct node *node_around(const struct api_place *place, const char **ret_missing)
{
	*ret_missing = NULL;
	for (; place; place = place->outer) {
		if (place->node)
			return place->node;
		*ret_missing = place->field;
	}
	return NULL;
}

struct fault *api_fault(const struct api_check *check, const struct api_place *place,
                        enum api_error error, const char *format, ...)
{
	str path = path_text(check->tree->arena, place), type = error_names[error];
	const char *missing;
	const struct node *node = node_around(place, &missing);
	struct fault *fault;
	va_list args;

	if (is_told(check, type, path))
		return NULL;
	fault = tree_add_fault(check->tree, FAULT_INVALID, node);
	va_start(args, format);
	fault->a = str_vformat(check->tree->arena, format, args);
	va_end(args);
	fault->b = type;
	fault->c = path;
	fault->missing = missing;
	return fault;
}

size_t api_fault_count(const struct api_check *check)
{
	return check->tree->faults.n - check->first;
}

/* ---- rules ---------------------------------------------------------------------------- */

/* Words are few: a linear search of the text will do. */
static bool is_word(str text, const char *words)
{
	str rest = str_of(words), word;

	while (str_next(&rest, '|', &word))
		if (str_eq(word, text))
			return true;
	return false;
}

/* Numbers in quotes are the binder's matter. */
static void apply_range(const struct api_check *check, const struct api_place *place,
                        const struct api_rule *rule)
{
	int64_t value;

	if (!api_int(place, &value) || (value >= rule->min && value <= rule->max))
		return;
	if (value < rule->min)
		api_fault(check, place, API_INVALID, "%s is %lld, but must be at least %lld",
		          rule->field, (long long)value, (long long)rule->min);
	else
		api_fault(check, place, API_INVALID, "%s is %lld, but must be at most %lld",
		          rule->field, (long long)value, (long long)rule->max);
}

/* The field is there and not empty, but for RULE_CHOICE. */
static void apply_rule(const struct api_check *check, const struct api_place *place,
                       const struct api_rule *rule)
{
	str text = api_text(place);

	switch (rule->kind) {
	case RULE_LABEL:
		api_want_label(check, place);
		break;
	case RULE_SUBDOMAIN:
		api_want_subdomain(check, place);
		break;
	case RULE_QUALIFIED:
		api_want_qualified(check, place);
		break;
	case RULE_WORD:
	case RULE_CHOICE:
		if (!is_word(text, rule->words))
			api_fault(check, place, API_NOT_SUPPORTED,
			          "%s is \"%.*s\", but must be one of: %s", rule->field,
			          STR_ARG(text), rule->words);
		break;
	case RULE_RANGE:
		apply_range(check, place, rule);
		break;
	case RULE_SHARE:
	case RULE_SHARE_100:
		api_want_share(check, place, rule->kind == RULE_SHARE_100);
		break;
	default:
		break;
	}
}

/* Empty text is judged too: the field is a pointer upstream, so that it is no default. */
static bool is_strict(enum api_rule_kind kind)
{
	return kind == RULE_CHOICE || kind == RULE_SHARE || kind == RULE_SHARE_100;
}

void api_apply(const struct api_check *check, const struct api_place *map,
               const struct api_rule *rules, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct api_place place = api_field(map, rules[i].field);

		if (rules[i].kind == RULE_NEEDED && api_is_empty(&place))
			api_fault(check, &place, API_REQUIRED, "%s is missing or empty",
			          rules[i].field);
		else if (rules[i].kind == RULE_BANNED && api_has(&place))
			api_fault(check, &place, API_FORBIDDEN, "%s %s", rules[i].field,
			          rules[i].words);
		else if (api_has(&place) &&
		         (is_strict(rules[i].kind) || !api_is_empty(&place)))
			apply_rule(check, &place, &rules[i]);
	}
}

/* ---- kinds ---------------------------------------------------------------------------- */

/* Versions whose defaults are those of today; older ones filled in selectors. */
static const struct {
	const char *api_version, *kind;
	void (*check)(const struct api_check *check, const struct api_place *root);
} kinds[] = {
	{ "v1", "Pod", api_check_pod },
	{ "apps/v1", "Deployment", api_check_deployment },
	{ "apps/v1", "ReplicaSet", api_check_replica_set },
	{ "apps/v1", "StatefulSet", api_check_stateful_set },
	{ "apps/v1", "DaemonSet", api_check_daemon_set },
	{ "batch/v1", "Job", api_check_job },
	{ "batch/v1", "CronJob", api_check_cron_job },
	{ "batch/v1beta1", "CronJob", api_check_cron_job },
	{ "autoscaling/v1", "HorizontalPodAutoscaler", api_check_hpa },
	{ "autoscaling/v2", "HorizontalPodAutoscaler", api_check_hpa },
	{ "autoscaling/v2beta2", "HorizontalPodAutoscaler", api_check_hpa },
	{ "policy/v1", "PodDisruptionBudget", api_check_pdb },
	{ "policy/v1beta1", "PodDisruptionBudget", api_check_pdb },
	{ "v1", "ReplicationController", api_check_controller },
	{ "v1", "ConfigMap", api_check_config_map },
	{ "v1", "LimitRange", api_check_limit_range },
	{ "v1", "Namespace", api_check_namespace },
	{ "v1", "PersistentVolumeClaim", api_check_volume_claim },
	{ "v1", "ResourceQuota", api_check_quota },
	{ "v1", "Service", api_check_service },
	{ "node.k8s.io/v1", "RuntimeClass", api_check_runtime_class },
	{ "scheduling.k8s.io/v1", "PriorityClass", api_check_priority_class },
	{ "storage.k8s.io/v1", "StorageClass", api_check_storage_class },
};

void kube_validate(struct object *object, const struct kube_options *options)
{
	struct api_check check = { .object = object, .tree = object->tree, .options = options,
		                   .first = object->tree->faults.n };
	struct api_place root = { .node = object->root };

	if (!api_has(&root))
		return;
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_is(object->api_version, kinds[i].api_version) &&
		    str_is(object->kind, kinds[i].kind))
			kinds[i].check(&check, &root);
}

/* Kinds of few fields: classes, namespaces, ConfigMaps, claims, ReplicationControllers. Upstream:
 * pkg/apis/{scheduling,node,storage,core}/validation. */
#include "api-pod.h"

/* ---- priority ------------------------------------------------------------------------- */

#define HIGHEST_PRIORITY 1000000000 /* of those that users define */

static const struct {
	const char *name;
	int64_t value;
} system_classes[] = {
	{ "system-node-critical", 2000001000 }, { "system-cluster-critical", 2000000000 },
};

/* Names of the system are for the two classes that it has. */
static bool is_system_class(const struct api_place *name, const struct api_place *value,
                            const struct api_place *global)
{
	int64_t number;

	for (size_t i = 0; i < COUNT_OF(system_classes); i++)
		if (api_is(name, system_classes[i].name))
			return api_int(value, &number) && number == system_classes[i].value &&
			       !api_is_true(global);
	return false;
}

void api_check_priority_class(const struct api_check *check, const struct api_place *root)
{
	static const struct api_rule rules[] = {
		{ "preemptionPolicy", RULE_WORD, "PreemptLowerPriority|Never", 0, 0 },
	};
	struct api_place meta = api_field(root, "metadata");
	struct api_place name = api_field(&meta, "name");
	struct api_place value = api_field(root, "value");
	struct api_place global = api_field(root, "globalDefault");
	struct api_place preemption = api_field(root, "preemptionPolicy");
	int64_t number;

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	api_apply(check, root, rules, COUNT_OF(rules));
	if (api_has(&preemption) && api_is_empty(&preemption))
		api_fault(check, &preemption, API_REQUIRED, "preemptionPolicy is empty");
	if (api_is_unknown(&name) || api_is_unknown(&value))
		return;
	if (str_starts(api_text(&name), STR("system-"))) {
		if (!is_system_class(&name, &value, &global))
			api_fault(check, &name, API_FORBIDDEN,
			          "names that begin with system- are the system's own");
	} else if (api_int(&value, &number) && number > HIGHEST_PRIORITY) {
		api_fault(check, &value, API_FORBIDDEN, "value is %lld, but may be %d at most",
		          (long long)number, HIGHEST_PRIORITY);
	}
}

/* ---- runtime, storage ----------------------------------------------------------------- */

/* Elsewhere the same toleration may be given twice. */
static void want_unique_tolerations(const struct api_check *check,
                                    const struct api_place *scheduling)
{
	static const char *const fields[] = { "key", "operator", "value", "effect" };
	struct api_place list = api_field(scheduling, "tolerations");
	struct map *seen = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&list); i++) {
		struct api_place item = api_item(&list, i);
		struct buf key = { .arena = check->tree->arena };

		for (size_t k = 0; k < COUNT_OF(fields); k++) {
			struct api_place field = api_field(&item, fields[k]);

			buf_printf(&key, "%.*s\n", STR_ARG(api_text(&field)));
		}
		if (!api_is_unknown(&item) && map_put(seen, buf_str(&key), seen))
			api_fault(check, &item, API_DUPLICATE, "the toleration is there already");
	}
}

void api_check_runtime_class(const struct api_check *check, const struct api_place *root)
{
	static const struct api_rule rules[] = {
		{ "handler", RULE_NEEDED, NULL, 0, 0 },
		{ "handler", RULE_LABEL, NULL, 0, 0 },
	};
	struct api_place overhead = api_field(root, "overhead");
	struct api_place fixed = api_field(&overhead, "podFixed");
	struct api_place scheduling = api_field(root, "scheduling");
	struct api_place selector = api_field(&scheduling, "nodeSelector");

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	api_apply(check, root, rules, COUNT_OF(rules));
	api_check_overhead(check, &overhead, fixed.node);
	api_check_labels(check, &selector);
	api_check_tolerations(check, &scheduling);
	want_unique_tolerations(check, &scheduling);
}

/* Keys and values of labels that volumes of the class may have; each key once, each value once. */
static void check_topology(const struct api_check *check, const struct api_place *term)
{
	struct api_place list = api_field(term, "matchLabelExpressions");
	struct map *keys = map_new(check->tree->arena);

	/* upstream finds one without keys twice */
	if (api_count(&list) == 0 && !api_is_unknown(&list))
		api_fault(check, &list, API_DUPLICATE, "a term without keys says nothing");
	for (uint32_t i = 0; i < api_count(&list); i++) {
		struct api_place item = api_item(&list, i);
		struct api_place key = api_field(&item, "key");
		struct api_place values = api_field(&item, "values");
		struct map *seen = map_new(check->tree->arena);

		if (api_is_unknown(&item) || api_is_unknown(&key) || api_is_unknown(&values))
			continue;
		api_want_qualified(check, &key);
		if (map_put(keys, api_text(&key), keys))
			api_fault(check, &key, API_DUPLICATE, "%.*s is there already",
			          STR_ARG(api_text(&key)));
		if (api_count(&values) == 0)
			api_fault(check, &values, API_REQUIRED, "there must be a value");
		for (uint32_t k = 0; k < api_count(&values); k++) {
			struct api_place value = api_item(&values, k);

			if (!api_is_unknown(&value) && map_put(seen, api_text(&value), seen))
				api_fault(check, &value, API_DUPLICATE, "%.*s is there already",
				          STR_ARG(api_text(&value)));
		}
	}
}

void api_check_storage_class(const struct api_check *check, const struct api_place *root)
{
	static const struct api_rule rules[] = {
		{ "provisioner", RULE_NEEDED, NULL, 0, 0 },
		{ "reclaimPolicy", RULE_WORD, "Delete|Retain", 0, 0 },
		{ "volumeBindingMode", RULE_CHOICE, "Immediate|WaitForFirstConsumer", 0, 0 },
	};
	struct api_place provisioner = api_field(root, "provisioner");
	struct api_place parameters = api_field(root, "parameters");
	struct api_place topologies = api_field(root, "allowedTopologies");
	str text = api_text(&provisioner);

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	api_apply(check, root, rules, COUNT_OF(rules));
	if (text.n > 0 && !label_key_is_valid(str_lower(check->tree->arena, text)))
		api_fault(check, &provisioner, API_INVALID, "\"%.*s\" is no name of a provisioner",
		          STR_ARG(text));
	for (uint32_t i = 0; i < api_count(&parameters); i++)
		if (parameters.node->children[i].key.n == 0)
			api_fault(check, &parameters, API_INVALID, "a parameter needs a name");
	for (uint32_t i = 0; i < api_count(&topologies); i++) {
		struct api_place term = api_item(&topologies, i);

		if (!api_is_unknown(&term))
			check_topology(check, &term);
	}
}

void api_check_volume_claim(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	if (!api_is_unknown(&spec))
		api_check_claim(check, &spec, false);
}

/* ---- others --------------------------------------------------------------------------- */

#define DATA_BYTES (1024 * 1024) /* of all values together */

/* Bytes of the values; binary ones are base64 text. keys: those of the list before. */
static size_t check_data(const struct api_check *check, const struct api_place *data,
                         struct map *keys, bool binary)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < api_count(data); i++) {
		struct api_place entry = api_entry(data, i);
		str text = api_text(&entry);

		if (!api_is_data_key(entry.key))
			api_fault(check, &entry, API_INVALID,
			          "\"%.*s\" is no key here: letters, digits, - _ .",
			          STR_ARG(entry.key));
		else if (map_put(keys, entry.key, keys))
			api_fault(check, &entry, API_INVALID, "%.*s stands in binaryData too",
			          STR_ARG(entry.key));
		bytes += binary ? text.n / 4 * 3 : text.n;
	}
	return bytes;
}

void api_check_config_map(const struct api_check *check, const struct api_place *root)
{
	struct api_place data = api_field(root, "data");
	struct api_place binary = api_field(root, "binaryData");
	struct map *keys = map_new(check->tree->arena);
	size_t bytes;

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	/* a key of both is blamed in data */
	bytes = check_data(check, &binary, keys, true);
	bytes += check_data(check, &data, keys, false);
	if (bytes > DATA_BYTES)
		api_fault(check, root, API_TOO_LONG, "the data is %zu bytes long, but may be %d",
		          bytes, DATA_BYTES);
}

/* A namespace's name becomes one of its labels. */
void api_check_namespace(const struct api_check *check, const struct api_place *root)
{
	struct api_place meta = api_field(root, "metadata");
	struct api_place labels = api_field(&meta, "labels");
	struct api_place name = api_field(&meta, "name");

	api_check_meta(check, root, API_NAME_LABEL);
	if (!label_value_is_valid(api_text(&name)) && !api_is_unknown(&labels))
		api_fault(check, &labels, API_INVALID,
		          "the name becomes a label, but \"%.*s\" is no label value",
		          STR_ARG(api_text(&name)));
}

#define MANY_LABELS 256 /* more would take time in the square of their number */

/* Does the template have all labels of the selector? Without a selector it takes the template's
 * labels. */
static void check_map_selector(const struct api_check *check, const struct api_place *spec,
                               const struct api_place *labels, bool has_template)
{
	struct api_place selector = api_field(spec, "selector");

	if (api_is_unknown(&selector) || api_is_unknown(labels))
		return;
	if (api_count(&selector) == 0 && api_count(labels) == 0)
		api_fault(check, &selector, API_REQUIRED, "there is no selector");
	for (uint32_t i = 0; has_template && i < api_count(&selector) && i < MANY_LABELS; i++) {
		struct api_place entry = api_entry(&selector, i);
		struct api_place label = api_field(labels, str_c(check->tree->arena, entry.key));

		if (api_is_unknown(&entry) || api_is_unknown(&label))
			continue;
		if (!label.node || !str_eq(api_text(&entry), api_text(&label)))
			api_fault(check, labels, API_INVALID,
			          "the selector does not match the labels of the template");
	}
}

void api_check_controller(const struct api_check *check, const struct api_place *root)
{
	static const struct api_rule rules[] = {
		{ "minReadySeconds", RULE_RANGE, NULL, 0, INT64_MAX },
		{ "replicas", RULE_RANGE, NULL, 0, INT64_MAX },
	};
	struct api_place spec = api_field(root, "spec");
	struct api_place template = api_field(&spec, "template");
	struct api_place meta = api_field(&template, "metadata");
	struct api_place labels = api_field(&meta, "labels");

	api_check_meta(check, root, API_NAME_SUBDOMAIN);
	if (api_is_unknown(&spec) || api_is_unknown(&template) || api_is_unknown(&meta))
		return;
	if (api_has(&spec))
		api_apply(check, &spec, rules, COUNT_OF(rules));
	api_check_given_labels(check, root, &spec);
	check_map_selector(check, &spec, &labels, api_has(&template));
	if (api_lacks(&template)) {
		api_fault(check, &template, API_REQUIRED, "there is no template");
		return;
	}
	api_check_template(check, &template, NULL);
	api_want_always(check, &template);
}

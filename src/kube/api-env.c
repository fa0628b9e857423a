/* Environment variables, and references to fields of the pod. Upstream:
 * pkg/apis/core/validation (ValidateEnv, ValidateEnvFrom, validateObjectFieldSelector,
 * validateContainerResourceFieldSelector). */
#include "api-pod.h"

/* Upstream: IsRelaxedEnvVarName. Since 1.30 names may hold any printable ASCII character but the
 * equals sign. */
static bool is_env_name(str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] < ' ' || name.p[i] > '~' || name.p[i] == '=')
			return false;
	return name.n > 0;
}

/* Upstream: IsConfigMapKey. */
bool api_is_data_key(str key)
{
	for (size_t i = 0; i < key.n; i++) {
		char c = key.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '-' || c == '_' || c == '.'))
			return false;
	}
	return key.n > 0 && key.n <= 253 && !str_is(key, ".") && !str_starts(key, STR(".."));
}

/* ---- fields of the pod ---------------------------------------------------------------- */

enum field_use { FIELD_ENV = 1, FIELD_VOLUME = 2 };
/* Fields that the API knows by these names; those without a use can be selected by only. */
static const struct {
	const char *path;
	int uses;
} fields[] = {
	{ "metadata.name", FIELD_ENV | FIELD_VOLUME },
	{ "metadata.namespace", FIELD_ENV | FIELD_VOLUME },
	{ "metadata.uid", FIELD_ENV | FIELD_VOLUME },
	{ "metadata.labels", FIELD_VOLUME },
	{ "metadata.annotations", FIELD_VOLUME },
	{ "spec.nodeName", FIELD_ENV },
	{ "spec.host", FIELD_ENV },
	{ "spec.serviceAccountName", FIELD_ENV },
	{ "spec.restartPolicy", 0 },
	{ "spec.schedulerName", 0 },
	{ "status.phase", 0 },
	{ "status.hostIP", FIELD_ENV },
	{ "status.hostIPs", FIELD_ENV },
	{ "status.podIP", FIELD_ENV },
	{ "status.podIPs", FIELD_ENV },
};

static void check_field_name(const struct api_check *check, const struct api_place *path,
                             bool of_volume)
{
	int use = of_volume ? FIELD_VOLUME : FIELD_ENV;
	str text = api_text(path);

	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		if (!str_is(text, fields[i].path))
			continue;
		if (!(fields[i].uses & use))
			api_fault(check, path, API_NOT_SUPPORTED, "%.*s cannot be had by a pod here",
			          STR_ARG(text));
		return;
	}
	api_fault(check, path, API_INVALID, "\"%.*s\" is no field of a pod that it can have",
	          STR_ARG(text));
}

/* metadata.labels['app']: the key is between the quotes; true when the text has that form. */
static bool has_subscript(str text, str *ret_path, str *ret_key)
{
	size_t open = 0;

	while (open + 1 < text.n && !(text.p[open] == '[' && text.p[open + 1] == '\''))
		open++;
	if (!str_ends(text, STR("']")) || open == 0 || open + 4 > text.n)
		return false;
	*ret_path = str_slice(text, 0, open);
	*ret_key = str_slice(text, open + 2, text.n - 2);
	return true;
}

/* Faults of a key are at the reference itself. Keys of annotations are judged in small letters. */
static void check_subscript(const struct api_check *check, const struct api_place *reference,
                            str path, str key)
{
	if (str_is(path, "metadata.annotations"))
		key = str_lower(check->tree->arena, key);
	if (!label_key_is_valid(key))
		api_fault(check, reference, API_INVALID, "\"%.*s\" is no valid key of %.*s",
		          STR_ARG(key), STR_ARG(path));
}

void api_check_field_ref(const struct api_check *check, const struct api_place *reference,
                         bool of_volume)
{
	struct api_place version = api_field(reference, "apiVersion");
	struct api_place path = api_field(reference, "fieldPath");
	str text = api_text(&path), name, key;

	if (api_is_unknown(&path) || api_is_unknown(&version))
		return;
	if (text.n == 0)
		api_fault(check, &path, API_REQUIRED, "fieldPath is missing or empty");
	else if (!api_is_empty(&version) && !api_is(&version, "v1"))
		api_fault(check, &path, API_INVALID, "pods have no version %.*s",
		          STR_ARG(api_text(&version)));
	else if (!has_subscript(text, &name, &key))
		check_field_name(check, &path, of_volume);
	else if (str_is(name, "metadata.annotations") || str_is(name, "metadata.labels"))
		check_subscript(check, reference, name, key);
	else
		api_fault(check, &path, API_INVALID, "%.*s has no keys", STR_ARG(name));
}

/* ---- resources of a container --------------------------------------------------------- */

static const char *const amounts[] = { "cpu", "memory", "ephemeral-storage" };

/* limits.cpu, requests.hugepages-2Mi …; false: no such thing. */
static bool is_amount(str resource, str *ret_name)
{
	str list;

	if (!str_cut(resource, '.', &list, ret_name) ||
	    (!str_is(list, "limits") && !str_is(list, "requests")))
		return false;
	for (size_t i = 0; i < COUNT_OF(amounts); i++)
		if (str_is(*ret_name, amounts[i]))
			return true;
	return str_starts(*ret_name, STR("hugepages-"));
}

/* One step of a unit, as 1k, 1Mi or 1: upstream compares its canonical text. */
static bool is_unit(const struct quantity *quantity, str text)
{
	char last = text.n ? text.p[text.n - 1] : ' ';
	bool exponent = last >= '0' && last <= '9' &&
	                (str_find(text, 'e') < text.n || str_find(text, 'E') < text.n);
	int64_t step = quantity->binary ? 1024 : 1000, value;

	if (!quantity_is_whole(quantity) || !quantity_value_ceil(quantity, &value) || value <= 0)
		return false;
	while (!exponent && value % step == 0)
		value /= step;
	return value == 1;
}

static void check_divisor(const struct api_check *check, const struct api_place *reference,
                          str name)
{
	struct api_place divisor = api_field(reference, "divisor");
	struct quantity quantity;
	int64_t milli;

	if (!api_quantity(check, &divisor, &quantity) || quantity_sign(&quantity) == 0)
		return;
	if (str_is(name, "cpu")) {
		quantity_milli_ceil(&quantity, &milli);
		if (milli != 1 && milli != 1000)
			api_fault(check, &divisor, API_INVALID,
			          "divisor is %.*s, but must be 1m or 1 for cpu",
			          STR_ARG(api_text(&divisor)));
	} else if (!is_unit(&quantity, api_text(&divisor))) {
		api_fault(check, &divisor, API_INVALID,
		          "divisor is %.*s, but must be a unit such as 1, 1M or 1Mi",
		          STR_ARG(api_text(&divisor)));
	}
}

void api_check_resource_ref(const struct api_check *check, const struct api_place *reference,
                            bool of_volume)
{
	struct api_place container = api_field(reference, "containerName");
	struct api_place resource = api_field(reference, "resource");
	str text = api_text(&resource), name = STR("");
	bool known = is_amount(text, &name);

	if (of_volume && api_is_empty(&container))
		api_fault(check, &container, API_REQUIRED, "containerName is missing or empty");
	else if (api_is_empty(&resource))
		api_fault(check, &resource, API_REQUIRED, "resource is missing or empty");
	else if (api_has(&resource) && !known)
		api_fault(check, &resource, API_NOT_SUPPORTED,
		          "\"%.*s\" is none of requests and limits of cpu, memory, "
		          "ephemeral-storage and hugepages", STR_ARG(text));
	if (known)
		check_divisor(check, reference, name);
}

/* ---- variables ------------------------------------------------------------------------ */

static void check_env_field(const struct api_check *check, const struct api_place *source,
                            const struct api_place *spec)
{
	(void)spec;
	api_check_field_ref(check, source, false);
}

static void check_env_resource(const struct api_check *check, const struct api_place *source,
                               const struct api_place *spec)
{
	(void)spec;
	api_check_resource_ref(check, source, false);
}

static void check_env_key(const struct api_check *check, const struct api_place *source,
                          const struct api_place *spec)
{
	struct api_place name = api_field(source, "name");
	struct api_place key = api_field(source, "key");

	(void)spec;
	if (!api_is_unknown(&name))
		api_want_subdomain(check, &name);
	if (api_is_empty(&key))
		api_fault(check, &key, API_REQUIRED, "key is missing or empty");
	else if (api_has(&key) && !api_is_data_key(api_text(&key)))
		api_fault(check, &key, API_INVALID,
		          "\"%.*s\" is no key of a ConfigMap or Secret: letters, digits, - _ .",
		          STR_ARG(api_text(&key)));
}

#define MANY_VOLUMES 256 /* more are not searched, which would take time in the square */

/* The volume must be an emptyDir; of several with the name the last one counts. */
static void check_env_volume(const struct api_check *check, const struct api_place *name,
                             const struct api_place *spec)
{
	struct api_place volumes = api_field(spec, "volumes");
	const struct node *found = NULL;

	if (api_is_unknown(&volumes) || api_is_unknown(name) ||
	    api_count(&volumes) > MANY_VOLUMES)
		return;
	for (uint32_t i = 0; i < api_count(&volumes); i++) {
		struct api_place volume = api_item(&volumes, i);
		struct api_place own = api_field(&volume, "name");

		if (api_is_unknown(&volume) || api_is_unknown(&own))
			return;
		if (str_eq(api_text(&own), api_text(name)))
			found = volume.node;
	}
	if (!found)
		api_fault(check, name, API_NOT_FOUND, "there is no volume \"%.*s\"",
		          STR_ARG(api_text(name)));
	else if (!node_get(found, "emptyDir"))
		api_fault(check, name, API_INVALID, "the volume %.*s is no emptyDir",
		          STR_ARG(api_text(name)));
}

static void check_env_file(const struct api_check *check, const struct api_place *source,
                           const struct api_place *spec)
{
	static const struct api_rule rules[] = {
		{ "volumeName", RULE_NEEDED, NULL, 0, 0 },
		{ "volumeName", RULE_LABEL, NULL, 0, 0 },
		{ "path", RULE_NEEDED, NULL, 0, 0 },
	};
	struct api_place key = api_field(source, "key");
	struct api_place path = api_field(source, "path");
	struct api_place volume = api_field(source, "volumeName");

	if (api_is_empty(&key))
		api_fault(check, &key, API_REQUIRED, "key is missing or empty");
	else if (api_has(&key) && !is_env_name(api_text(&key)))
		api_fault(check, &key, API_INVALID,
		          "\"%.*s\" is no name of an environment variable",
		          STR_ARG(api_text(&key)));
	api_apply(check, source, rules, COUNT_OF(rules));
	if (api_has_backstep(api_text(&path)))
		api_fault(check, &path, API_INVALID, "path is \"%.*s\", but must not contain ..",
		          STR_ARG(api_text(&path)));
	check_env_volume(check, &volume, spec);
}

static const struct {
	const char *field;
	void (*check)(const struct api_check *check, const struct api_place *source,
	              const struct api_place *spec);
} sources[] = {
	{ "fieldRef", check_env_field },       { "resourceFieldRef", check_env_resource },
	{ "configMapKeyRef", check_env_key },  { "secretKeyRef", check_env_key },
	{ "fileKeyRef", check_env_file },
};

/* Exactly one source, and no value beside it; upstream's fault is at valueFrom itself. */
static void check_value_from(const struct api_check *check, const struct api_place *item,
                             const struct api_place *spec)
{
	struct api_place from = api_field(item, "valueFrom");
	struct api_place value = api_field(item, "value");
	int count = 0;

	if (!api_has(&from))
		return;
	for (size_t i = 0; i < COUNT_OF(sources); i++) {
		struct api_place source = api_field(&from, sources[i].field);

		count += !api_lacks(&source);
		if (api_has(&source))
			sources[i].check(check, &source, spec);
	}
	if (count == 0)
		api_fault(check, &from, API_INVALID, "valueFrom names no source");
	else if (!api_is_empty(&value))
		api_fault(check, &from, API_INVALID, "there is a value already");
	else if (count > 1)
		api_fault(check, &from, API_INVALID, "valueFrom names several sources");
}

static void check_variables(const struct api_check *check, const struct api_place *container,
                            const struct api_place *spec)
{
	struct api_place env = api_field(container, "env");

	for (uint32_t i = 0; i < api_count(&env); i++) {
		struct api_place item = api_item(&env, i);
		struct api_place name = api_field(&item, "name");

		if (api_is_unknown(&item))
			continue;
		if (api_is_empty(&name))
			api_fault(check, &name, API_REQUIRED, "name is missing or empty");
		else if (api_has(&name) && !is_env_name(api_text(&name)))
			api_fault(check, &name, API_INVALID,
			          "\"%.*s\" is no name of an environment variable",
			          STR_ARG(api_text(&name)));
		check_value_from(check, &item, spec);
	}
}

/* ---- whole sources -------------------------------------------------------------------- */

/* Upstream takes the name as one that may be completed, so that a dash may end it. */
static void check_env_source(const struct api_check *check, const struct api_place *source)
{
	struct api_place name = api_field(source, "name");

	if (!api_has(source))
		return;
	if (api_is_empty(&name))
		api_fault(check, &name, API_REQUIRED, "name is missing or empty");
	else if (api_has(&name) &&
	         !name_is_dns_subdomain(api_mask_dash(check->tree->arena, api_text(&name))))
		api_want_subdomain(check, &name);
}

/* Upstream's fault about a wrong number of sources is at the list. */
static void check_env_from(const struct api_check *check, const struct api_place *container)
{
	struct api_place list = api_field(container, "envFrom");

	for (uint32_t i = 0; i < api_count(&list); i++) {
		struct api_place item = api_item(&list, i);
		struct api_place prefix = api_field(&item, "prefix");
		struct api_place config_map = api_field(&item, "configMapRef");
		struct api_place secret = api_field(&item, "secretRef");

		if (api_is_unknown(&item))
			continue;
		if (api_text(&prefix).n > 0 && !is_env_name(api_text(&prefix)))
			api_fault(check, &prefix, API_INVALID,
			          "\"%.*s\" cannot begin the name of an environment variable",
			          STR_ARG(api_text(&prefix)));
		check_env_source(check, &config_map);
		check_env_source(check, &secret);
		if (api_lacks(&config_map) == api_lacks(&secret))
			api_fault(check, &list, API_INVALID,
			          "an item must name either configMapRef or secretRef");
	}
}

void api_check_env(const struct api_check *check, const struct api_place *container,
                   const struct api_place *spec)
{
	check_variables(check, container, spec);
	check_env_from(check, container);
}

/* Containers but for their resources and mounts. Upstream: pkg/apis/core/validation
 * (validateContainers, validateInitContainers, validateProbe, ValidateEnv). */
#include "api.h"

/* ---- ports ---------------------------------------------------------------------------- */

static const struct api_rule port_rules[] = {
	{ "hostPort", RULE_RANGE, NULL, 0, 65535 },
	{ "protocol", RULE_WORD, "SCTP|TCP|UDP", 0, 0 },
};

/* containerPort has no default. A hostPort of 0 is none. */
static void check_port(const struct api_check *check, const struct api_place *port,
                       struct map *names)
{
	struct api_place name = api_field(port, "name");
	struct api_place number = api_field(port, "containerPort");
	str text = api_text(&name);
	int64_t value = 0;

	if (text.n > 0 && !api_is_port_name(text))
		api_fault(check, &name, API_INVALID, "\"%.*s\" is no valid port name: at most 15 of "
		          "a-z, 0-9 and single inner dashes, with a letter", STR_ARG(text));
	else if (text.n > 0 && map_put(names, text, names))
		api_fault(check, &name, API_DUPLICATE, "another port is named %.*s",
		          STR_ARG(text));
	if (api_lacks(&number) || (api_int(&number, &value) && value == 0))
		api_fault(check, &number, API_REQUIRED, "containerPort is missing or 0");
	else if (api_int(&number, &value) && (value < 1 || value > 65535))
		api_fault(check, &number, API_INVALID,
		          "containerPort is %lld, but must be 1 to 65535", (long long)value);
	api_apply(check, port, port_rules, COUNT_OF(port_rules));
}

/* Names must differ within a container only. */
static void check_ports(const struct api_check *check, const struct api_place *container)
{
	struct api_place ports = api_field(container, "ports");
	struct map *names = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&ports); i++) {
		struct api_place port = api_item(&ports, i);

		if (api_has(&port))
			check_port(check, &port, names);
	}
}

/* Ports of the host that two containers would take; main containers share one set. list: what
 * upstream's path begins with. */
static void check_host_ports(const struct api_check *check, const struct api_place *container,
                             struct map *taken)
{
	struct api_place ports = api_field(container, "ports");

	for (uint32_t i = 0; i < api_count(&ports); i++) {
		struct api_place port = api_item(&ports, i);
		struct api_place host = api_field(&port, "hostPort");
		struct api_place protocol = api_field(&port, "protocol");
		struct api_place ip = api_field(&port, "hostIP");
		int64_t value;
		str text;

		if (!api_has(&port) || !api_int(&host, &value) || value == 0 ||
		    (protocol.node && protocol.node->unknown) || (ip.node && ip.node->unknown))
			continue;
		text = str_format(check->tree->arena, "%.*s/%.*s/%lld",
		                  STR_ARG(api_is_empty(&protocol) ? STR("TCP")
		                                                  : api_text(&protocol)),
		                  STR_ARG(api_text(&ip)), (long long)value);
		if (map_put(taken, text, taken))
			api_fault(check, &host, API_DUPLICATE, "port %lld of the host is taken twice",
			          (long long)value);
	}
}

/* ---- environment ---------------------------------------------------------------------- */

/* Upstream: IsRelaxedEnvVarName. */
static bool is_env_name(str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] < ' ' || name.p[i] > '~' || name.p[i] == '=')
			return false;
	return name.n > 0;
}

static const struct api_rule field_rules[] = { { "fieldPath", RULE_NEEDED, NULL, 0, 0 } };
static const struct api_rule resource_rules[] = { { "resource", RULE_NEEDED, NULL, 0, 0 } };
static const struct api_rule key_rules[] = {
	{ "name", RULE_SUBDOMAIN, NULL, 0, 0 },
	{ "key", RULE_NEEDED, NULL, 0, 0 },
};
static const struct api_rule file_rules[] = { { "key", RULE_NEEDED, NULL, 0, 0 } };

#define ROWS(rules) rules, COUNT_OF(rules)
static const struct {
	const char *field;
	const struct api_rule *rules;
	size_t count;
} sources[] = {
	{ "fieldRef", ROWS(field_rules) },     { "resourceFieldRef", ROWS(resource_rules) },
	{ "configMapKeyRef", ROWS(key_rules) }, { "secretKeyRef", ROWS(key_rules) },
	{ "fileKeyRef", ROWS(file_rules) },
};

/* Exactly one source, and no value beside it; upstream's fault is at valueFrom itself. */
static void check_value_from(const struct api_check *check, const struct api_place *item)
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
			api_apply(check, &source, sources[i].rules, sources[i].count);
	}
	if (count == 0)
		api_fault(check, &from, API_INVALID, "valueFrom names no source");
	else if (!api_is_empty(&value))
		api_fault(check, &from, API_INVALID, "there is a value already");
	else if (count > 1)
		api_fault(check, &from, API_INVALID, "valueFrom names several sources");
}

/* Since 1.30 names may hold any printable ASCII character but the equals sign. */
static void check_env(const struct api_check *check, const struct api_place *container)
{
	struct api_place env = api_field(container, "env");

	for (uint32_t i = 0; i < api_count(&env); i++) {
		struct api_place item = api_item(&env, i);
		struct api_place name = api_field(&item, "name");

		if (!api_has(&item))
			continue;
		if (api_is_empty(&name))
			api_fault(check, &name, API_REQUIRED, "name is missing or empty");
		else if (api_has(&name) && !is_env_name(api_text(&name)))
			api_fault(check, &name, API_INVALID,
			          "\"%.*s\" is no name of an environment variable",
			          STR_ARG(api_text(&name)));
		check_value_from(check, &item);
	}
}

static void check_env_source(const struct api_check *check, const struct api_place *source)
{
	static const struct api_rule rules[] = {
		{ "name", RULE_NEEDED, NULL, 0, 0 },
		{ "name", RULE_SUBDOMAIN, NULL, 0, 0 },
	};

	if (api_has(source))
		api_apply(check, source, rules, COUNT_OF(rules));
}

/* Upstream's fault about a wrong number of sources is at the list. */
static void check_env_from(const struct api_check *check, const struct api_place *container)
{
	struct api_place list = api_field(container, "envFrom");

	for (uint32_t i = 0; i < api_count(&list); i++) {
		struct api_place item = api_item(&list, i);
		struct api_place config_map = api_field(&item, "configMapRef");
		struct api_place secret = api_field(&item, "secretRef");

		if (!api_has(&item))
			continue;
		check_env_source(check, &config_map);
		check_env_source(check, &secret);
		if (api_lacks(&config_map) == api_lacks(&secret))
			api_fault(check, &list, API_INVALID,
			          "an item must name either configMapRef or secretRef");
	}
}

/* ---- probes --------------------------------------------------------------------------- */

/* The path has a default, "/"; the port has none. */
static void check_http(const struct api_check *check, const struct api_place *http)
{
	static const struct api_rule rules[] = { { "scheme", RULE_WORD, "HTTP|HTTPS", 0, 0 } };
	struct api_place port = api_field(http, "port");

	api_want_port(check, &port);
	api_apply(check, http, rules, COUNT_OF(rules));
}

static void check_exec(const struct api_check *check, const struct api_place *exec)
{
	struct api_place command = api_field(exec, "command");

	if (api_count(&command) == 0 && (api_has(&command) || api_lacks(&command)))
		api_fault(check, &command, API_REQUIRED, "the command is missing or empty");
}

static void check_socket(const struct api_check *check, const struct api_place *action)
{
	struct api_place port = api_field(action, "port");

	api_want_port(check, &port);
}

/* The first of several handlers is the one that is judged. */
static void check_handler(const struct api_check *check, const struct api_place *handler)
{
	static const struct {
		const char *field;
		void (*check)(const struct api_check *check, const struct api_place *action);
	} actions[] = {
		{ "exec", check_exec }, { "httpGet", check_http },
		{ "tcpSocket", check_socket }, { "grpc", check_socket }, { "sleep", NULL },
	};
	bool found = false;

	for (size_t i = 0; i < COUNT_OF(actions); i++) {
		struct api_place action = api_field(handler, actions[i].field);

		if (api_lacks(&action))
			continue;
		if (found)
			api_fault(check, &action, API_FORBIDDEN, "only one handler can be given");
		else if (api_has(&action) && actions[i].check)
			actions[i].check(check, &action);
		found = true;
	}
	if (!found)
		api_fault(check, handler, API_REQUIRED, "it names no handler");
}

static const struct api_rule probe_rules[] = {
	{ "initialDelaySeconds", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "timeoutSeconds", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "periodSeconds", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "successThreshold", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "failureThreshold", RULE_RANGE, NULL, 0, INT64_MAX },
	{ "terminationGracePeriodSeconds", RULE_RANGE, NULL, 1, INT64_MAX },
};

/* 0 stands for the default in every number of a probe. */
static void check_probe(const struct api_check *check, const struct api_place *container,
                        const char *name, bool of_readiness)
{
	struct api_place probe = api_field(container, name);
	struct api_place threshold = api_field(&probe, "successThreshold");
	struct api_place grace = api_field(&probe, "terminationGracePeriodSeconds");
	int64_t value;

	if (!api_has(&probe))
		return;
	check_handler(check, &probe);
	api_apply(check, &probe, probe_rules, COUNT_OF(probe_rules));
	if (of_readiness && api_has(&grace))
		api_fault(check, &grace, API_INVALID, "a readinessProbe has no grace period");
	if (!of_readiness && api_int(&threshold, &value) && value != 0 && value != 1)
		api_fault(check, &threshold, API_INVALID,
		          "successThreshold is %lld, but must be 1 for a %s", (long long)value,
		          name);
}

static void check_lifecycle(const struct api_check *check, const struct api_place *container)
{
	struct api_place lifecycle = api_field(container, "lifecycle");
	struct api_place start = api_field(&lifecycle, "postStart");
	struct api_place stop = api_field(&lifecycle, "preStop");

	if (!api_has(&lifecycle))
		return;
	if (api_has(&start))
		check_handler(check, &start);
	if (api_has(&stop))
		check_handler(check, &stop);
}

static void check_life(const struct api_check *check, const struct api_place *container)
{
	check_lifecycle(check, container);
	check_probe(check, container, "livenessProbe", false);
	check_probe(check, container, "readinessProbe", true);
	check_probe(check, container, "startupProbe", false);
}

/* ---- containers ----------------------------------------------------------------------- */

static const struct api_rule container_rules[] = {
	{ "name", RULE_NEEDED, NULL, 0, 0 },
	{ "name", RULE_LABEL, NULL, 0, 0 },
	{ "image", RULE_NEEDED, NULL, 0, 0 },
	{ "terminationMessagePolicy", RULE_WORD, "File|FallbackToLogsOnError", 0, 0 },
	{ "imagePullPolicy", RULE_WORD, "Always|IfNotPresent|Never", 0, 0 },
};
static const struct api_rule restart_rules[] = {
	{ "restartPolicy", RULE_CHOICE, "Always|Never|OnFailure", 0, 0 },
};
static const struct api_rule init_rules[] = {
	{ "lifecycle", RULE_BANNED, "needs restartPolicy: Always in an init container", 0, 0 },
	{ "livenessProbe", RULE_BANNED, "needs restartPolicy: Always in an init container", 0, 0 },
	{ "readinessProbe", RULE_BANNED, "needs restartPolicy: Always in an init container", 0, 0 },
	{ "startupProbe", RULE_BANNED, "needs restartPolicy: Always in an init container", 0, 0 },
};

static void check_security(const struct api_check *check, const struct api_place *container)
{
	static const struct api_rule rules[] = {
		{ "runAsUser", RULE_RANGE, NULL, 0, INT32_MAX },
		{ "runAsGroup", RULE_RANGE, NULL, 0, INT32_MAX },
	};
	struct api_place security = api_field(container, "securityContext");
	struct api_place escalation = api_field(&security, "allowPrivilegeEscalation");
	struct api_place privileged = api_field(&security, "privileged");

	if (!api_has(&security))
		return;
	api_apply(check, &security, rules, COUNT_OF(rules));
	if (api_is_true(&privileged) && api_is_false(&escalation))
		api_fault(check, &security, API_INVALID,
		          "privileged: true and allowPrivilegeEscalation: false exclude each other");
}

/* What all containers have in common. Init containers share their names with the main ones, which
 * come first, so that upstream blames the init container. */
static void check_container(const struct api_check *check, const struct api_place *container,
                            const struct map *volumes, struct map *names)
{
	struct api_place name = api_field(container, "name");
	struct api_place resources = api_field(container, "resources");

	api_apply(check, container, container_rules, COUNT_OF(container_rules));
	check_ports(check, container);
	check_env(check, container);
	check_env_from(check, container);
	check_security(check, container);
	api_check_mounts(check, container, volumes);
	api_check_resources(check, &resources, false);
	api_apply(check, container, restart_rules, COUNT_OF(restart_rules));
	if (api_has(&name) && map_put(names, api_text(&name), names))
		api_fault(check, &name, API_DUPLICATE, "another container is named \"%.*s\"",
		          STR_ARG(api_text(&name)));
}

/* Init containers run one by one: ports of the host clash only within one of them. Only sidecars
 * (restartPolicy Always) have probes and a life cycle. */
static void check_init(const struct api_check *check, const struct api_place *container)
{
	struct api_place policy = api_field(container, "restartPolicy");

	check_host_ports(check, container, map_new(check->tree->arena));
	if (api_is(&policy, "Always"))
		check_life(check, container);
	else if (api_has(&policy) || api_lacks(&policy))
		api_apply(check, container, init_rules, COUNT_OF(init_rules));
}

void api_check_containers(const struct api_check *check, const struct api_place *spec,
                          const struct map *volumes)
{
	struct api_place containers = api_field(spec, "containers");
	struct api_place inits = api_field(spec, "initContainers");
	struct map *names = map_new(check->tree->arena), *taken = map_new(check->tree->arena);

	if (api_count(&containers) == 0 && (api_has(&containers) || api_lacks(&containers)))
		api_fault(check, &containers, API_REQUIRED, "there is no container");
	for (uint32_t i = 0; i < api_count(&containers); i++) {
		struct api_place container = api_item(&containers, i);

		if (!api_has(&container))
			continue;
		check_container(check, &container, volumes, names);
		check_life(check, &container);
		check_host_ports(check, &container, taken);
	}
	for (uint32_t i = 0; i < api_count(&inits); i++) {
		struct api_place container = api_item(&inits, i);

		if (!api_has(&container))
			continue;
		check_container(check, &container, volumes, names);
		check_init(check, &container);
	}
}

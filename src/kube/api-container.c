/* Containers but for their resources and mounts. Upstream: pkg/apis/core/validation
 * (validateContainers, validateInitContainers, validateProbe, ValidateEnv). */
#include "api-pod.h"

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

/* ---- probes --------------------------------------------------------------------------- */

static bool is_header_name(str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '-'))
			return false;
	}
	return name.n > 0;
}

/* Upstream's faults are at the list. */
static void check_headers(const struct api_check *check, const struct api_place *http)
{
	struct api_place headers = api_field(http, "httpHeaders");

	for (uint32_t i = 0; i < api_count(&headers); i++) {
		struct api_place header = api_item(&headers, i);
		struct api_place name = api_field(&header, "name");

		if (!api_is_unknown(&header) && !api_is_unknown(&name) &&
		    !is_header_name(api_text(&name)))
			api_fault(check, &headers, API_INVALID,
			          "\"%.*s\" is no name of a header: letters, digits and dashes",
			          STR_ARG(api_text(&name)));
	}
}

/* The path has a default, "/"; the port has none. */
static void check_http(const struct api_check *check, const struct api_place *http)
{
	static const struct api_rule rules[] = { { "scheme", RULE_WORD, "HTTP|HTTPS", 0, 0 } };
	struct api_place port = api_field(http, "port");

	api_want_port(check, &port);
	api_apply(check, http, rules, COUNT_OF(rules));
	check_headers(check, http);
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

#define GRACE_SECONDS 30 /* by default, between the signal to end and the end */

/* Sleeping at the end of a container takes from the pod's time to end. */
static void check_sleep(const struct api_check *check, const struct api_place *handler,
                        const struct api_place *spec)
{
	struct api_place sleep = api_field(handler, "sleep");
	struct api_place seconds = api_field(&sleep, "seconds");
	struct api_place grace = api_field(spec, "terminationGracePeriodSeconds");
	int64_t value, most;

	/* beside another handler it is that which is wrong */
	if (handler->node->child_count > 1)
		return;
	if (!api_int(&grace, &most))
		most = GRACE_SECONDS;
	if (!api_is_unknown(&grace) && api_int(&seconds, &value) && (value < 0 || value > most))
		api_fault(check, &sleep, API_INVALID,
		          "seconds is %lld, but must be from 0 to the pod's grace period of %lld",
		          (long long)value, (long long)most);
}

/* stopSignal is dropped before anybody looks at it: its gate is off by default. */
static void check_lifecycle(const struct api_check *check, const struct api_place *container,
                            const struct api_place *spec)
{
	static const char *const hooks[] = { "postStart", "preStop" };
	struct api_place lifecycle = api_field(container, "lifecycle");

	if (!api_has(&lifecycle))
		return;
	for (size_t i = 0; i < COUNT_OF(hooks); i++) {
		struct api_place hook = api_field(&lifecycle, hooks[i]);

		if (!api_has(&hook))
			continue;
		check_handler(check, &hook);
		check_sleep(check, &hook, spec);
	}
}

static void check_life(const struct api_check *check, const struct api_place *container,
                       const struct api_place *spec)
{
	check_lifecycle(check, container, spec);
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
static const struct api_rule init_rules[] = {
	{ "lifecycle", RULE_BANNED, "needs restartPolicy: Always in an init container", 0, 0 },
	{ "livenessProbe", RULE_BANNED, "needs restartPolicy: Always in an init container", 0, 0 },
	{ "readinessProbe", RULE_BANNED, "needs restartPolicy: Always in an init container", 0, 0 },
	{ "startupProbe", RULE_BANNED, "needs restartPolicy: Always in an init container", 0, 0 },
};

/* A template's image may be trimmed when the pod is made; a pod's is not. */
static void check_image(const struct api_check *check, const struct api_place *container,
                        bool of_pod)
{
	struct api_place image = api_field(container, "image");
	str text = api_text(&image);

	if (of_pod && str_trim(text).n != text.n)
		api_fault(check, &image, API_INVALID, "\"%.*s\" begins or ends with white space",
		          STR_ARG(text));
}

/* What all containers have in common. */
static void check_common(const struct api_check *check, const struct api_place *container,
                         const struct api_pod *pod)
{
	struct api_place resources = api_field(container, "resources");

	api_apply(check, container, container_rules, COUNT_OF(container_rules));
	check_ports(check, container);
	api_check_env(check, container, pod->spec);
	api_check_mounts(check, container, pod);
	api_check_devices(check, container, pod);
	api_check_resources(check, &resources, false);
	api_check_claim_uses(check, &resources, pod);
	api_check_security(check, container, pod->spec);
}

/* Names of all containers differ. The main ones come first, so that upstream blames an init
 * container; of those, nameless ones are not counted. */
static void check_name(const struct api_check *check, const struct api_place *container,
                       struct map *names, bool init)
{
	struct api_place name = api_field(container, "name");
	str text = api_text(&name);

	if (api_is_unknown(&name))
		return;
	if (map_has(names, text))
		api_fault(check, &name, API_DUPLICATE, "another container is named \"%.*s\"",
		          STR_ARG(text));
	else if (!init || text.n > 0)
		map_put(names, text, names);
}

static void check_main(const struct api_check *check, const struct api_place *container,
                       const struct api_pod *pod, struct map *names)
{
	check_common(check, container, pod);
	check_image(check, container, check->is_pod);
	check_name(check, container, names, false);
	check_life(check, container, pod->spec);
	api_check_restart(check, container, false);
	api_check_resize(check, container, pod->spec, false);
}

/* Init containers run one by one: ports of the host clash only within one of them. Only sidecars
 * (restartPolicy Always) have probes and a life cycle. */
static void check_init(const struct api_check *check, const struct api_place *container,
                       const struct api_pod *pod, struct map *names)
{
	struct api_place policy = api_field(container, "restartPolicy");
	bool sidecar = api_is(&policy, "Always");

	check_common(check, container, pod);
	check_image(check, container, check->is_pod);
	check_name(check, container, names, true);
	check_host_ports(check, container, map_new(check->tree->arena));
	api_check_restart(check, container, true);
	api_check_resize(check, container, pod->spec, !sidecar && !api_is_unknown(&policy));
	if (sidecar)
		check_life(check, container, pod->spec);
	else if (!api_is_unknown(&policy))
		api_apply(check, container, init_rules, COUNT_OF(init_rules));
}

/* What a container for debugging cannot have, as it comes into a running pod. */
static const char EPHEMERAL_BAN[] = "cannot be set for an ephemeral container";
static const struct api_rule ephemeral_rules[] = {
	{ "lifecycle", RULE_BANNED, EPHEMERAL_BAN, 0, 0 },
	{ "livenessProbe", RULE_BANNED, EPHEMERAL_BAN, 0, 0 },
	{ "readinessProbe", RULE_BANNED, EPHEMERAL_BAN, 0, 0 },
	{ "startupProbe", RULE_BANNED, EPHEMERAL_BAN, 0, 0 },
	{ "restartPolicy", RULE_BANNED, EPHEMERAL_BAN, 0, 0 },
};
static const char *const ephemeral_lists[] = { "ports", "resizePolicy", "restartPolicyRules" };

static void check_ephemeral(const struct api_check *check, const struct api_place *container,
                            const struct api_pod *pod, struct map *names)
{
	struct api_place resources = api_field(container, "resources");
	struct api_place target = api_field(container, "targetContainerName");
	struct api_check plain = *check;

	/* limits do not become requests here */
	plain.is_pod = false;
	check_common(&plain, container, pod);
	check_image(check, container, true);
	check_name(check, container, names, false);
	api_check_resize(check, container, pod->spec, false);
	api_apply(check, container, ephemeral_rules, COUNT_OF(ephemeral_rules));
	for (size_t i = 0; i < COUNT_OF(ephemeral_lists); i++) {
		struct api_place list = api_field(container, ephemeral_lists[i]);

		if (api_has(&list))
			api_fault(check, &list, API_FORBIDDEN, "%s %s", list.field, EPHEMERAL_BAN);
	}
	if (api_has(&resources) && resources.node->child_count > 0)
		api_fault(check, &resources, API_FORBIDDEN, "resources %s", EPHEMERAL_BAN);
	if (api_text(&target).n > 0 && !map_has(names, api_text(&target)))
		api_fault(check, &target, API_NOT_FOUND, "there is no container \"%.*s\"",
		          STR_ARG(api_text(&target)));
}

/* Known items of a list of containers; null is an empty container. */
static void check_list(const struct api_check *check, const struct api_pod *pod,
                       const char *field, struct map *names,
                       void (*visit)(const struct api_check *check,
                                     const struct api_place *container,
                                     const struct api_pod *pod, struct map *names))
{
	struct api_place list = api_field(pod->spec, field);

	for (uint32_t i = 0; i < api_count(&list); i++) {
		struct api_place container = api_item(&list, i);

		if (!api_is_unknown(&container))
			visit(check, &container, pod, names);
	}
}

static void take_host_ports(const struct api_check *check, const struct api_place *container,
                            const struct api_pod *pod, struct map *taken)
{
	(void)pod;
	check_host_ports(check, container, taken);
}

void api_check_containers(const struct api_check *check, const struct api_pod *pod)
{
	struct api_place containers = api_field(pod->spec, "containers");
	struct map *names = map_new(check->tree->arena);

	if (api_count(&containers) == 0 && !api_is_unknown(&containers))
		api_fault(check, &containers, API_REQUIRED, "there is no container");
	check_list(check, pod, "containers", names, check_main);
	check_list(check, pod, "containers", map_new(check->tree->arena), take_host_ports);
	check_list(check, pod, "initContainers", names, check_init);
	check_list(check, pod, "ephemeralContainers", names, check_ephemeral);
}

void api_visit_containers(const struct api_check *check, const struct api_place *spec,
                          void (*visit)(const struct api_check *check,
                                        const struct api_place *container, void *context),
                          void *context)
{
	static const char *const lists[] = { "initContainers", "containers",
		                             "ephemeralContainers" };

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		struct api_place list = api_field(spec, lists[i]);

		for (uint32_t k = 0; k < api_count(&list); k++) {
			struct api_place container = api_item(&list, k);

			if (!api_is_unknown(&container))
				visit(check, &container, context);
		}
	}
}

/* Pod specs and templates. Upstream: pkg/apis/core/validation (ValidatePodSpec,
 * ValidatePodTemplateSpec, ValidateTolerations). */
#include "api-pod.h"

static const struct api_rule spec_rules[] = {
	{ "restartPolicy", RULE_WORD, "Always|OnFailure|Never", 0, 0 },
	{ "dnsPolicy", RULE_WORD, "ClusterFirstWithHostNet|ClusterFirst|Default|None", 0, 0 },
	{ "nodeName", RULE_SUBDOMAIN, NULL, 0, 0 },
	{ "activeDeadlineSeconds", RULE_RANGE, NULL, 1, INT32_MAX },
	{ "priorityClassName", RULE_SUBDOMAIN, NULL, 0, 0 },
	{ "preemptionPolicy", RULE_WORD, "PreemptLowerPriority|Never", 0, 0 },
};
/* A StatefulSet's controller overwrites them. */
static const struct api_rule host_rules[] = {
	{ "hostname", RULE_LABEL, NULL, 0, 0 },
	{ "subdomain", RULE_LABEL, NULL, 0, 0 },
};

/* ---- tolerations ---------------------------------------------------------------------- */

bool api_is_unknown(const struct api_place *place)
{
	return !api_has(place) && !api_lacks(place);
}

static bool has_gate(const struct kube_options *options, const char *gate)
{
	for (size_t i = 0; options && options->feature_gates && i < options->feature_gates->n; i++)
		if (str_is(options->feature_gates->v[i], gate))
			return true;
	return false;
}

/* Upstream takes no plus sign and no leading zeros here. */
static bool is_plain_integer(str text)
{
	size_t first = text.n > 0 && text.p[0] == '-';
	int64_t value;

	if (text.n > first + 1 && text.p[first] == '0')
		return false;
	return text.n > first && text.p[first] != '+' && !str_is(text, "-0") &&
	       str_to_int64(text, &value);
}

/* Gt and Lt compare numbers, behind a gate. */
static void check_comparison(const struct api_check *check, const struct api_place *op,
                             const struct api_place *value)
{
	if (!has_gate(check->options, "TaintTolerationComparisonOperators"))
		api_fault(check, op, API_NOT_SUPPORTED,
		          "operator %.*s needs the feature gate "
		          "TaintTolerationComparisonOperators", STR_ARG(api_text(op)));
	else if (!api_is_unknown(value) && !is_plain_integer(api_text(value)))
		api_fault(check, value, API_INVALID, "value is \"%.*s\", but must be an integer",
		          STR_ARG(api_text(value)));
}

/* Upstream's faults about the value are at the operator. */
static void check_operator(const struct api_check *check, const struct api_place *op,
                           const struct api_place *value)
{
	str text = api_text(value);

	if (api_is_unknown(op))
		return;
	if (api_is_empty(op) || api_is(op, "Equal")) {
		if (!label_value_is_valid(text))
			api_fault(check, op, API_INVALID, "the value \"%.*s\" is no label value",
			          STR_ARG(text));
	} else if (api_is(op, "Exists")) {
		if (text.n > 0)
			api_fault(check, op, API_INVALID,
			          "operator Exists takes no value, not \"%.*s\"", STR_ARG(text));
	} else if (api_is(op, "Lt") || api_is(op, "Gt")) {
		check_comparison(check, op, value);
	} else {
		api_fault(check, op, API_NOT_SUPPORTED,
		          "operator is \"%.*s\", but must be Equal or Exists",
		          STR_ARG(api_text(op)));
	}
}

/* An empty key with Exists tolerates everything; an empty effect stands for all effects. */
static void check_toleration(const struct api_check *check, const struct api_place *toleration)
{
	static const struct api_rule rules[] = {
		{ "key", RULE_QUALIFIED, NULL, 0, 0 },
		{ "effect", RULE_WORD, "NoSchedule|PreferNoSchedule|NoExecute", 0, 0 },
	};
	struct api_place key = api_field(toleration, "key");
	struct api_place op = api_field(toleration, "operator");
	struct api_place value = api_field(toleration, "value");
	struct api_place effect = api_field(toleration, "effect");
	struct api_place seconds = api_field(toleration, "tolerationSeconds");

	api_apply(check, toleration, rules, COUNT_OF(rules));
	if (api_is_empty(&key) && !api_is(&op, "Exists") && !api_is_unknown(&op))
		api_fault(check, &op, API_INVALID, "without a key the operator must be Exists");
	if (api_has(&seconds) && !api_is_unknown(&effect) && !api_is(&effect, "NoExecute"))
		api_fault(check, &effect, API_INVALID,
		          "tolerationSeconds goes with the effect NoExecute only");
	check_operator(check, &op, &value);
}

void api_check_tolerations(const struct api_check *check, const struct api_place *spec)
{
	struct api_place tolerations = api_field(spec, "tolerations");

	for (uint32_t i = 0; i < api_count(&tolerations); i++) {
		struct api_place toleration = api_item(&tolerations, i);

		if (api_has(&toleration))
			check_toleration(check, &toleration);
	}
}

/* ---- network -------------------------------------------------------------------------- */

/* In a created pod, an absent hostPort is the containerPort. */
static void check_host_network(const struct api_check *check, const struct api_place *spec)
{
	struct api_place network = api_field(spec, "hostNetwork");
	struct api_place containers = api_field(spec, "containers");

	for (uint32_t i = 0; api_is_true(&network) && i < api_count(&containers); i++) {
		struct api_place container = api_item(&containers, i);
		struct api_place ports = api_field(&container, "ports");

		for (uint32_t k = 0; api_has(&container) && k < api_count(&ports); k++) {
			struct api_place port = api_item(&ports, k);
			struct api_place host = api_field(&port, "hostPort");
			struct api_place own = api_field(&port, "containerPort");
			int64_t a, b;

			if (api_has(&port) && api_int(&host, &a) && a != 0 && !api_is_unknown(&own) &&
			    (api_int(&own, &b) || api_lacks(&own)) && a != b)
				api_fault(check, &host, API_INVALID,
				          "hostPort is %lld, but must be the containerPort under "
				          "hostNetwork", (long long)a);
		}
	}
}

/* An absent ip is no address either. */
static void check_aliases(const struct api_check *check, const struct api_place *spec)
{
	struct api_place aliases = api_field(spec, "hostAliases");

	for (uint32_t i = 0; i < api_count(&aliases); i++) {
		struct api_place alias = api_item(&aliases, i);
		struct api_place ip = api_field(&alias, "ip");
		struct api_place names = api_field(&alias, "hostnames");

		if (!api_has(&alias))
			continue;
		if (!api_is_unknown(&ip) && !api_is_ip(api_text(&ip)))
			api_fault(check, &ip, API_INVALID, "\"%.*s\" is no IP address",
			          STR_ARG(api_text(&ip)));
		for (uint32_t k = 0; k < api_count(&names); k++) {
			struct api_place name = api_item(&names, k);

			if (api_has(&name))
				api_want_subdomain(check, &name);
		}
	}
}

#define MAX_SEARCHES 32
#define SEARCH_BYTES 2048 /* of all, with a space between two */

/* As a host name, but with underscores; one dot may end it, or be all of it. */
static bool is_search(struct arena *arena, str text)
{
	struct buf buf = { .arena = arena };

	if (str_is(text, "."))
		return true;
	if (text.n > 0 && text.p[text.n - 1] == '.')
		text.n--;
	for (size_t i = 0; i < text.n; i++)
		buf_char(&buf, text.p[i] == '_' ? '-' : text.p[i]);
	return text.n > 0 && text.p[0] != '_' && text.p[text.n - 1] != '_' &&
	       name_is_dns_subdomain(buf_str(&buf));
}

static void check_dns_rest(const struct api_check *check, const struct api_place *config)
{
	struct api_place searches = api_field(config, "searches");
	struct api_place options = api_field(config, "options");
	size_t bytes = 0;

	for (uint32_t i = 0; i < api_count(&searches); i++) {
		struct api_place search = api_item(&searches, i);

		bytes += api_text(&search).n + (i > 0);
		if (!api_is_unknown(&search) &&
		    !is_search(check->tree->arena, api_text(&search)))
			api_fault(check, &search, API_INVALID, "\"%.*s\" is no name of a domain",
			          STR_ARG(api_text(&search)));
	}
	if (api_count(&searches) > MAX_SEARCHES || bytes > SEARCH_BYTES)
		api_fault(check, &searches, API_INVALID,
		          "there may be %d search domains of %d bytes at most", MAX_SEARCHES,
		          SEARCH_BYTES);
	for (uint32_t i = 0; i < api_count(&options); i++) {
		struct api_place option = api_item(&options, i);
		struct api_place name = api_field(&option, "name");

		if (!api_is_unknown(&option) && api_is_empty(&name))
			api_fault(check, &option, API_REQUIRED, "an option needs a name");
	}
}

#define MAX_NAMESERVERS 3

/* With dnsPolicy None the pod has no name server but those given. */
static void check_dns(const struct api_check *check, const struct api_place *spec)
{
	struct api_place policy = api_field(spec, "dnsPolicy");
	struct api_place config = api_field(spec, "dnsConfig");
	struct api_place servers = api_field(&config, "nameservers");

	if (api_is(&policy, "None") && api_lacks(&config)) {
		api_fault(check, &config, API_REQUIRED, "dnsPolicy None needs a dnsConfig");
		return;
	}
	if (!api_has(&config) || api_is_unknown(&servers))
		return;
	if (api_is(&policy, "None") && api_count(&servers) == 0) {
		api_fault(check, &servers, API_REQUIRED, "dnsPolicy None needs a nameserver");
		return;
	}
	if (api_count(&servers) > MAX_NAMESERVERS)
		api_fault(check, &servers, API_INVALID, "there may be %d nameservers at most",
		          MAX_NAMESERVERS);
	for (uint32_t i = 0; i < api_count(&servers); i++) {
		struct api_place server = api_item(&servers, i);

		if (api_has(&server) && !api_is_ip(api_text(&server)))
			api_fault(check, &server, API_INVALID, "\"%.*s\" is no IP address",
			          STR_ARG(api_text(&server)));
	}
	check_dns_rest(check, &config);
}

/* ---- gates ---------------------------------------------------------------------------- */

/* Names of gates are judged, and blamed, at the item. */
static void check_gates(const struct api_check *check, const struct api_place *spec)
{
	struct api_place ready = api_field(spec, "readinessGates");
	struct api_place gates = api_field(spec, "schedulingGates");
	struct map *seen = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&ready); i++) {
		struct api_place gate = api_item(&ready, i);
		struct api_place type = api_field(&gate, "conditionType");

		if (api_has(&gate) && !api_is_unknown(&type))
			api_want_qualified(check, &type);
	}
	for (uint32_t i = 0; i < api_count(&gates); i++) {
		struct api_place gate = api_item(&gates, i);
		struct api_place name = api_field(&gate, "name");
		str text = api_text(&name);

		if (!api_has(&gate) || api_is_unknown(&name))
			continue;
		if (!label_key_is_valid(text))
			api_fault(check, &gate, API_INVALID, "\"%.*s\" is no name of a gate",
			          STR_ARG(text));
		if (map_put(seen, text, seen))
			api_fault(check, &gate, API_DUPLICATE, "the gate %.*s is there already",
			          STR_ARG(text));
	}
}

/* Upstream blames os for an unknown name, not its field. */
static void check_os(const struct api_check *check, const struct api_place *spec)
{
	struct api_place os = api_field(spec, "os");
	struct api_place name = api_field(&os, "name");

	if (!api_has(&os) || api_is_unknown(&name))
		return;
	if (api_is_empty(&name))
		api_fault(check, &name, API_REQUIRED, "name is missing or empty");
	else if (!api_is(&name, "linux") && !api_is(&name, "windows"))
		api_fault(check, &os, API_NOT_SUPPORTED, "\"%.*s\" must be linux or windows",
		          STR_ARG(api_text(&name)));
}

#define HOST_NAME_BYTES 64

/* Pointers upstream, so that an empty text is a value, and a wrong one. */
static void check_host_name(const struct api_check *check, const struct api_place *spec)
{
	struct api_place name = api_field(spec, "hostnameOverride");
	struct api_place whole = api_field(spec, "setHostnameAsFQDN");
	struct api_place network = api_field(spec, "hostNetwork");
	struct api_place class = api_field(spec, "runtimeClassName");
	struct api_place preemption = api_field(spec, "preemptionPolicy");

	if (api_has(&class))
		api_want_subdomain(check, &class);
	if (api_has(&preemption) && api_is_empty(&preemption))
		api_fault(check, &preemption, API_REQUIRED, "preemptionPolicy is empty");
	if (!api_has(&name))
		return;
	if (api_is_true(&whole) || api_is_true(&network))
		api_fault(check, &name, API_FORBIDDEN,
		          "hostnameOverride excludes setHostnameAsFQDN and hostNetwork");
	if (api_text(&name).n > HOST_NAME_BYTES)
		api_fault(check, &name, API_TOO_LONG, "it may be %d bytes at most",
		          HOST_NAME_BYTES);
	api_want_subdomain(check, &name);
}

/* The older spelling stands in where the newer one is not given. */
static void check_account(const struct api_check *check, const struct api_place *spec)
{
	struct api_place name = api_field(spec, "serviceAccountName");
	struct api_place older = api_field_as(spec, "serviceAccount", "serviceAccountName");
	const struct api_place *given = api_is_empty(&name) ? &older : &name;

	if (api_text(given).n > 0)
		api_want_subdomain(check, given);
}

/* Debugging containers come into running pods only. */
static void check_ephemeral(const struct api_check *check, const struct api_place *spec)
{
	struct api_place containers = api_field(spec, "ephemeralContainers");

	if (api_count(&containers) > 0)
		api_fault(check, &containers, API_FORBIDDEN,
		          "ephemeral containers cannot be declared");
}

/* Beside that a pod as a whole has no claims. */
static void check_pod_claims(const struct api_check *check, const struct api_pod *pod)
{
	struct api_place resources = api_field(pod->spec, "resources");
	struct api_place os = api_field(pod->spec, "os");
	struct api_place name = api_field(&os, "name");

	if (api_has(&resources) && !api_is(&name, "windows"))
		api_check_claim_uses(check, &resources, pod);
}

/* ---- specs ---------------------------------------------------------------------------- */

void api_check_pod_spec(const struct api_check *check, const struct api_place *spec,
                        const struct api_place *claims)
{
	struct api_place node_selector = api_field(spec, "nodeSelector");
	struct api_place affinity = api_field(spec, "affinity");
	struct api_place spread = api_field(spec, "topologySpreadConstraints");
	struct api_place overhead = api_field(spec, "overhead");
	struct api_pod pod = { .spec = spec, .volumes = api_check_volumes(check, spec, claims),
		               .claims = api_check_pod_claims(check, spec) };

	api_check_containers(check, &pod);
	api_check_pod_resources(check, spec);
	check_pod_claims(check, &pod);
	api_apply(check, spec, spec_rules, COUNT_OF(spec_rules));
	if (!claims)
		api_apply(check, spec, host_rules, COUNT_OF(host_rules));
	check_host_network(check, spec);
	api_check_labels(check, &node_selector);
	api_check_affinity(check, &affinity);
	check_dns(check, spec);
	check_gates(check, spec);
	api_check_spread(check, &spread);
	api_check_tolerations(check, spec);
	check_aliases(check, spec);
	api_check_overhead(check, &overhead, overhead.node);
	check_os(check, spec);
	api_check_pod_security(check, spec);
	check_host_name(check, spec);
	check_account(check, spec);
	check_ephemeral(check, spec);
}

void api_check_template(const struct api_check *check, const struct api_place *template,
                        const struct api_place *claims)
{
	struct api_place meta = api_field(template, "metadata");
	struct api_place spec = api_field(template, "spec");
	/* upstream's paths lack "metadata" here */
	struct api_place labels = { .outer = template, .field = "labels" };
	struct api_place annotations = { .outer = template, .field = "annotations" };

	if (api_is_unknown(template) || api_is_unknown(&spec))
		return;
	if (api_has(&meta)) {
		labels.node = node_get(meta.node, "labels");
		annotations.node = node_get(meta.node, "annotations");
		api_check_labels(check, &labels);
		api_check_annotations(check, &annotations);
	}
	api_check_pod_spec(check, &spec, claims);
}

void api_check_given_labels(const struct api_check *check, const struct api_place *root,
                            const struct api_place *spec)
{
	struct api_place meta = api_field(root, "metadata");
	struct api_place own = api_field(&meta, "labels");
	struct api_place template = api_field(spec, "template");
	struct api_place template_meta = api_field(&template, "metadata");
	struct api_place given = { .outer = &meta, .field = "labels",
		                   .node = node_get(template_meta.node, "labels") };

	if (!api_is_unknown(&meta) && !api_is_unknown(&own) && api_count(&own) == 0)
		api_check_labels(check, &given);
}

void api_check_pod(const struct api_check *check, const struct api_place *root)
{
	struct api_check pod = *check;
	struct api_place spec = api_field(root, "spec");

	pod.is_pod = true;
	api_check_meta(&pod, root, API_NAME_SUBDOMAIN);
	if (!api_is_unknown(&spec))
		api_check_pod_spec(&pod, &spec, NULL);
}

void api_want_always(const struct api_check *check, const struct api_place *template)
{
	struct api_place spec = api_field(template, "spec");
	struct api_place policy = api_field(&spec, "restartPolicy");
	struct api_place deadline = api_field(&spec, "activeDeadlineSeconds");

	if (api_is_unknown(template) || api_is_unknown(&spec))
		return;
	if (api_has(&policy) && !api_is_empty(&policy) && !api_is(&policy, "Always"))
		api_fault(check, &policy, API_NOT_SUPPORTED,
		          "restartPolicy is %.*s, but must be Always in a %.*s",
		          STR_ARG(api_text(&policy)), STR_ARG(check->object->kind));
	if (api_has(&deadline))
		api_fault(check, &deadline, API_FORBIDDEN,
		          "a %.*s has no activeDeadlineSeconds", STR_ARG(check->object->kind));
}

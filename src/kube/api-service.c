/* Service: its ports, names and type. Upstream: pkg/apis/core/validation (validateService); what
 * the API server allots, addresses and families, is left to it. */
#include "api-pod.h"

static const struct api_rule port_rules[] = {
	{ "name", RULE_LABEL, NULL, 0, 0 },
	{ "protocol", RULE_WORD, "SCTP|TCP|UDP", 0, 0 },
};

/* A targetPort of 0 or "" is the port. */
static void check_port(const struct api_check *check, const struct api_place *port)
{
	struct api_place number = api_field(port, "port");
	struct api_place target = api_field(port, "targetPort");
	struct api_place protocol = api_field(port, "appProtocol");
	int64_t value = 0, given = 0;

	api_apply(check, port, port_rules, COUNT_OF(port_rules));
	if (!api_is_unknown(&number) && (api_int(&number, &value) || api_lacks(&number)) &&
	    (value < 1 || value > 65535))
		api_fault(check, &number, API_INVALID, "port is %lld, but must be 1 to 65535",
		          (long long)value);
	if (api_has(&target) && !api_is_empty(&target) &&
	    !(api_int(&target, &given) && given == 0))
		api_want_port(check, &target);
	else if (!api_is_unknown(&target) && !api_is_unknown(&number) &&
	         (value < 1 || value > 65535))
		api_fault(check, &target, API_INVALID, "it is the port, which is wrong");
	if (api_has(&protocol))
		api_want_qualified(check, &protocol);
}

/* Several ports need names, and all of these differ. */
static void check_name(const struct api_check *check, const struct api_place *port, bool several,
                       struct map *names)
{
	struct api_place name = api_field(port, "name");
	str text = api_text(&name);

	if (api_is_unknown(&name))
		return;
	if (several && text.n == 0)
		api_fault(check, &name, API_REQUIRED, "with several ports each needs a name");
	if (text.n > 0 && map_put(names, text, names))
		api_fault(check, &name, API_DUPLICATE, "another port is named %.*s", STR_ARG(text));
}

/* Two ports differ in number or protocol; so do the ports of nodes. */
static void check_twin(const struct api_check *check, const struct api_place *port,
                       const char *field, struct map *seen)
{
	struct api_place number = api_field(port, field);
	struct api_place protocol = api_field(port, "protocol");
	bool of_node = str_is(str_of(field), "nodePort");
	int64_t value = 0;
	str key;

	if (api_is_unknown(&protocol) || (!api_int(&number, &value) && !api_lacks(&number)) ||
	    (of_node && value == 0))
		return;
	key = str_format(check->tree->arena, "%lld/%.*s", (long long)value,
	                 STR_ARG(api_is_empty(&protocol) ? STR("TCP") : api_text(&protocol)));
	if (map_put(seen, key, seen))
		api_fault(check, of_node ? &number : port, API_DUPLICATE, "%s %.*s is taken twice",
		          field, STR_ARG(key));
}

static void check_ports(const struct api_check *check, const struct api_place *spec)
{
	struct api_place type = api_field(spec, "type");
	struct api_place ports = api_field(spec, "ports");
	struct map *names = map_new(check->tree->arena);
	struct map *numbers = map_new(check->tree->arena), *nodes = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&ports); i++) {
		struct api_place port = api_item(&ports, i);
		struct api_place node = api_field(&port, "nodePort");
		int64_t value;

		if (!api_has(&port))
			continue;
		check_port(check, &port);
		check_name(check, &port, api_count(&ports) > 1, names);
		check_twin(check, &port, "port", numbers);
		check_twin(check, &port, "nodePort", nodes);
		if (!api_is_unknown(&type) && (api_is_empty(&type) || api_is(&type, "ClusterIP")) &&
		    api_int(&node, &value) && value != 0)
			api_fault(check, &node, API_FORBIDDEN,
			          "a service of type ClusterIP has no nodePort");
	}
}

/* Only a service without an address of its own, or a mere name, can do without ports. */
static void check_type(const struct api_check *check, const struct api_place *spec)
{
	static const struct api_rule rules[] = {
		{ "type", RULE_WORD, "ClusterIP|ExternalName|LoadBalancer|NodePort", 0, 0 },
		{ "sessionAffinity", RULE_WORD, "ClientIP|None", 0, 0 },
		{ "internalTrafficPolicy", RULE_CHOICE, "Cluster|Local", 0, 0 },
	};
	struct api_place type = api_field(spec, "type");
	struct api_place address = api_field(spec, "clusterIP");
	struct api_place addresses = api_field(spec, "clusterIPs");
	struct api_place ports = api_field(spec, "ports");
	struct api_place name = api_field(spec, "externalName");
	str text = api_text(&name);

	api_apply(check, spec, rules, COUNT_OF(rules));
	if (api_is_unknown(&type) || api_is_unknown(&ports))
		return;
	if (api_is(&type, "ExternalName")) {
		if (text.n > 0 && text.p[text.n - 1] == '.')
			text.n--;
		if (text.n == 0 && !api_is_unknown(&name))
			api_fault(check, &name, API_REQUIRED, "externalName is missing or empty");
		else if (text.n > 0 && !name_is_dns_subdomain(text))
			api_want_subdomain(check, &name);
	} else if (api_count(&ports) == 0 && !api_is_unknown(&address) &&
	           !api_is(&address, "None") && api_count(&addresses) == 0) {
		api_fault(check, &ports, API_REQUIRED, "there is no port");
	}
}

void api_check_service(const struct api_check *check, const struct api_place *root)
{
	struct api_place spec = api_field(root, "spec");
	struct api_place selector = api_field(&spec, "selector");

	api_check_meta(check, root, API_NAME_LABEL);
	if (api_is_unknown(&spec))
		return;
	check_type(check, &spec);
	check_ports(check, &spec);
	api_check_labels(check, &selector);
}

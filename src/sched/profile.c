/* Pods prepared for many questions: demands on labels sorted by key, host ports collected. */
#include <stdlib.h>

#include "sched-internal.h"

/* Stable by order, so that messages name the first demand of a key in the file. */
static int compare_demands(const void *a, const void *b)
{
	const struct demand *x = a, *y = b;
	int order = str_cmp(x->key, y->key);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* qsort() must not be given NULL, not even for no items. */
static void sort_demands(struct demands *demands)
{
	if (demands->n > 1)
		qsort(demands->v, demands->n, sizeof(demands->v[0]), compare_demands);
}

/* Templates and patches hide what they touch. */
static bool is_open(const struct node *node)
{
	return node && node->unknown;
}

/* Is a part of it a template or touched by a patch? */
static bool requirement_is_open(const struct requirement *requirement)
{
	if (is_open(requirement->node) || is_open(requirement->values.node) ||
	    is_open(node_get(requirement->node, "key")) ||
	    is_open(node_get(requirement->node, "operator")))
		return true;
	for (size_t i = 0; i < requirement->values.n; i++)
		if (is_open(requirement->values.v[i].node))
			return true;
	return false;
}

/* Pointers into the pod: a reason must lead back to the place in the file. */
static void add_demand(struct arena *arena, struct demands *demands,
                       const struct requirement *requirement)
{
	struct demand *demand = VEC_PUSH(arena, demands);

	*demand = (struct demand){ .key = requirement->key, .requirement = requirement,
		                   .open = requirement_is_open(requirement),
		                   .order = demands->n - 1 };
}

/* A nodeSelector entry is an expression with one value. */
static void add_selector(struct arena *arena, struct demands *demands, const struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		struct requirement *requirement = ARENA_NEW(arena, struct requirement);
		struct text *value = VEC_PUSH(arena, &requirement->values);

		requirement->key = pairs->v[i].key;
		requirement->op = SELECTOR_IN;
		requirement->node = pairs->v[i].node;
		*value = (struct text){ .s = pairs->v[i].value, .node = pairs->v[i].node };
		add_demand(arena, demands, requirement);
	}
}

/* Upstream: nodeaffinity.nodeSelectorRequirementsAsFieldSelector. */
static bool field_parses(const struct requirement *field)
{
	return (field->op == SELECTOR_IN || field->op == SELECTOR_NOT_IN) && field->values.n == 1;
}

/* An empty term is valid for the API, and matches nothing. */
static bool term_parses(const struct node_selector_term *term)
{
	for (size_t i = 0; i < term->match_expressions.n; i++)
		if (!requirement_parses(&term->match_expressions.v[i], true))
			return false;
	for (size_t i = 0; i < term->match_fields.n; i++)
		if (!field_parses(&term->match_fields.v[i]))
			return false;
	return term->match_expressions.n + term->match_fields.n > 0;
}

/* Demands of both lists on the keys that both have; both are sorted. */
static void add_shared(struct arena *arena, const struct demands *selector,
                       const struct demands *own, struct demands *shared)
{
	for (size_t i = 0, k = 0; i < selector->n && k < own->n;) {
		int order = str_cmp(selector->v[i].key, own->v[k].key);
		str key = selector->v[i].key;

		if (order < 0) {
			i++;
		} else if (order > 0) {
			k++;
		} else {
			for (; i < selector->n && str_eq(selector->v[i].key, key); i++)
				add_demand(arena, shared, selector->v[i].requirement);
			for (; k < own->n && str_eq(own->v[k].key, key); k++)
				add_demand(arena, shared, own->v[k].requirement);
		}
	}
}

/* selector may be NULL: terms that stand for themselves. */
static struct term_profile *profile_terms(struct arena *arena, const struct demands *selector,
                                          const struct node_selector_terms *terms)
{
	struct term_profile *profiles = arena_calloc(arena, terms->n, sizeof(*profiles));

	for (size_t i = 0; i < terms->n; i++) {
		struct term_profile *profile = &profiles[i];
		const struct requirements *expressions = &terms->v[i].match_expressions;

		profile->term = &terms->v[i];
		profile->parses = term_parses(&terms->v[i]);
		for (size_t e = 0; e < expressions->n; e++)
			add_demand(arena, &profile->alone, &expressions->v[e]);
		sort_demands(&profile->alone);
		if (selector)
			add_shared(arena, selector, &profile->alone, &profile->shared);
	}
	return profiles;
}

/* May a toleration that nobody can read cover anything? */
static bool tolerations_open(const struct workload *workload)
{
	const struct tolerations *tolerations = &workload->tolerations;

	if (workload->runtime_class_open)
		return true;
	if (tolerations->node && tolerations->node->unknown)
		return true;
	for (size_t i = 0; i < tolerations->n; i++) {
		const struct toleration *t = &tolerations->v[i];
		const struct node *const nodes[] = { t->node, t->key.node, t->op.node,
			                             t->value.node, t->effect.node };

		for (size_t k = 0; k < COUNT_OF(nodes); k++)
			if (nodes[k] && nodes[k]->unknown)
				return true;
	}
	return false;
}

static int compare_tolerations(const void *a, const void *b)
{
	const struct toleration *const *x = a, *const *y = b;
	int order = str_cmp((*x)->key.s, (*y)->key.s);

	/* Both point into one list. */
	return order ? order : (*x > *y) - (*x < *y);
}

/* A pod may bring thousands of tolerations and meet thousands of taints. */
static void sort_tolerations(struct arena *arena, struct pod_profile *profile)
{
	const struct tolerations *tolerations = &profile->workload->tolerations;

	profile->tolerations = arena_calloc(arena, tolerations->n, sizeof(profile->tolerations[0]));
	profile->toleration_count = tolerations->n;
	for (size_t i = 0; i < tolerations->n; i++) {
		profile->tolerations[i] = &tolerations->v[i];
		profile->keyless_count += !tolerations->v[i].key.s.n;
	}
	if (tolerations->n > 1)
		qsort(profile->tolerations, tolerations->n, sizeof(profile->tolerations[0]),
		      compare_tolerations);
}

/* Ports without hostPort stay inside the pod. */
static void add_ports(struct arena *arena, const struct pod_template *pod,
                      const struct container *container, struct port_uses *ports)
{
	bool host_network = pod->host_network.value;

	for (size_t i = 0; i < container->ports.n; i++) {
		const struct container_port *port = &container->ports.v[i];
		const struct number *number = &port->host_port;

		/* Under hostNetwork every container port is one of the node's. */
		if (host_network && !number->value)
			number = &port->container_port;
		if (number->value <= 0 && !(number->node && number->node->unknown))
			continue;
		*VEC_PUSH(arena, ports) = (struct port_use){
			.protocol = port->protocol.s.n ? port->protocol.s : STR("TCP"),
			.ip = port->host_ip.s.n ? port->host_ip.s : STR("0.0.0.0"),
			.port = number->value,
			.unknown = number->node && number->node->unknown,
			.node = number->node ? number->node : port->node,
		};
	}
}

/* No address and 0.0.0.0 are the same: all addresses of the node. */
static bool is_wildcard(const struct port_use *port)
{
	return str_is(port->ip, "0.0.0.0");
}

/* By port and protocol; the address that stands for all of them first. */
static int compare_sockets(const struct port_use *a, const struct port_use *b)
{
	return a->port != b->port ? (a->port > b->port) - (a->port < b->port)
	                          : str_cmp(a->protocol, b->protocol);
}

/* The order that ports_clash() walks in. */
static int compare_ports(const void *a, const void *b)
{
	const struct port_use *x = a, *y = b;
	int order = compare_sockets(x, y);

	if (!order)
		order = is_wildcard(y) - is_wildcard(x);
	return order ? order : str_cmp(x->ip, y->ip);
}

/* Ordinary init containers are over before the node counts ports. Upstream: GetHostPorts. */
static void collect_ports(struct arena *arena, const struct pod_template *pod,
                          struct port_uses *ports)
{
	for (size_t i = 0; i < pod->init_containers.n; i++)
		if (pod->init_containers.v[i].role == CONTAINER_SIDECAR)
			add_ports(arena, pod, &pod->init_containers.v[i], ports);
	for (size_t i = 0; i < pod->containers.n; i++)
		add_ports(arena, pod, &pod->containers.v[i], ports);
	if (ports->n > 1)
		qsort(ports->v, ports->n, sizeof(ports->v[0]), compare_ports);
}

/* Sorting and collecting is done once here, not for every group that is asked. */
struct pod_profile *pod_profile_new(struct arena *arena, const struct workload *workload)
{
	struct pod_profile *profile = ARENA_NEW(arena, struct pod_profile);
	const struct pod_template *pod = workload->pod;

	profile->workload = workload;
	add_selector(arena, &profile->selector, &workload->node_selector);
	sort_demands(&profile->selector);
	profile->term_count = pod->required_node_terms.n;
	profile->terms = profile_terms(arena, &profile->selector, &pod->required_node_terms);
	sort_tolerations(arena, profile);
	profile->tolerations_open = tolerations_open(workload);
	collect_ports(arena, pod, &profile->ports);
	return profile;
}

/* For terms that do not belong to the pod itself. */
struct term_profile *profile_terms_alone(struct arena *arena,
                                         const struct node_selector_terms *terms)
{
	return profile_terms(arena, NULL, terms);
}

/* A port that a template gives may be any. */
static bool any_unknown(const struct port_uses *ports)
{
	for (size_t i = 0; i < ports->n; i++)
		if (ports->v[i].unknown)
			return true;
	return false;
}

/* Linear in both lists; a pod with thousands of ports must not cost their product. */
enum answer ports_clash(const struct port_uses *a, const struct port_uses *b,
                        const struct port_use **ret_port)
{
	if (!a->n || !b->n)
		return ANSWER_NO;
	/* Both are sorted, wildcards first: a clash shows where the two walks meet. */
	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		const struct port_use *x = &a->v[i], *y = &b->v[k];
		int order = compare_sockets(x, y);

		if (!order && !is_wildcard(x) && !is_wildcard(y))
			order = str_cmp(x->ip, y->ip);
		if (!order && !x->unknown && !y->unknown) {
			*ret_port = x;
			return ANSWER_YES;
		}
		if (order <= 0)
			i++;
		else
			k++;
	}
	return any_unknown(a) || any_unknown(b) ? ANSWER_UNKNOWN : ANSWER_NO;
}

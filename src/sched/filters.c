/* The filters in the scheduler's order, and those of them that need a page each to themselves
 * no more than a few lines.
 */
#include "sched-internal.h"

/* Reasons of one filter in one verdict: nobody reads more, and a pod may have thousands. */
#define MAX_REASONS 64

static const struct {
	const char *name;
	filter_function *ask;
} filters[FILTER_COUNT] = {
	[FILTER_NODE_UNSCHEDULABLE] = { "NodeUnschedulable", filter_unschedulable },
	[FILTER_NODE_NAME] = { "NodeName", filter_node_name },
	[FILTER_TAINT_TOLERATION] = { "TaintToleration", filter_taints },
	[FILTER_NODE_AFFINITY] = { "NodeAffinity", filter_affinity },
	[FILTER_NODE_PORTS] = { "NodePorts", filter_ports },
	[FILTER_NODE_RESOURCES_FIT] = { "NodeResourcesFit", filter_resources },
	[FILTER_VOLUME_ZONE] = { "VolumeBinding", filter_volume_zone },
	[FILTER_POD_TOPOLOGY_SPREAD] = { "PodTopologySpread", filter_spread },
	[FILTER_INTER_POD_AFFINITY] = { "InterPodAffinity", filter_pod_affinity },
};

/* The names of upstream's plugins, which is what events and metrics show. */
const char *filter_name(enum filter filter)
{
	return filters[filter].name;
}

/* Most questions want no reasons: nothing is built for those. */
struct reason *question_because(const struct question *question, enum filter filter,
                                enum answer answer, const char *text)
{
	struct reason *reason;

	/* Reasons of one filter stand together. */
	if (!question->reasons ||
	    (question->reasons->n >= MAX_REASONS &&
	     question->reasons->v[question->reasons->n - MAX_REASONS].filter == filter))
		return NULL;
	reason = VEC_PUSH(question->arena, question->reasons);
	reason->filter = filter;
	reason->answer = answer;
	reason->text = str_of(text);
	return reason;
}

/* For those who need single filters: DaemonSets, crowds. */
enum answer question_ask(const struct question *question, enum filter filter)
{
	return filters[filter].ask(question);
}

/* All filters are asked, not only up to the first that fails: a person wants every cause. */
enum answer question_ask_all(const struct question *question, struct verdict *ret_verdict)
{
	enum answer worst = ANSWER_YES;

	for (size_t i = 0; i < FILTER_COUNT; i++) {
		enum answer answer = filters[i].ask(question);

		ret_verdict->by_filter[i] = answer;
		worst = answer < worst ? answer : worst;
	}
	ret_verdict->selector = affinity_selector_alone(question);
	ret_verdict->affinity = affinity_terms_alone(question);
	ret_verdict->answer = worst;
	return worst;
}

/* A node's name is taken to be its host name, as everywhere but in odd clusters. */
static enum answer host_is(const struct site *site, str name)
{
	const struct group_label *host = site_label(site, STR(HOSTNAME_LABEL));

	if (site->node_name.n)
		return str_eq(site->node_name, name) ? ANSWER_YES : ANSWER_NO;
	if (host->kind != LABEL_VALUES)
		return ANSWER_UNKNOWN;
	for (size_t i = 0; i < host->values.n; i++)
		if (str_eq(host->values.v[i], name))
			return ANSWER_YES;
	return ANSWER_NO;
}

/* With nodeName set the scheduler is not asked at all; the kubelet would refuse the same. */
enum answer filter_node_name(const struct question *question)
{
	const struct text *name = &question->profile->workload->pod->node_name;
	enum answer answer = name->s.n ? host_is(question->site, name->s) : ANSWER_YES;
	struct reason *reason;

	if (name->node && name->node->unknown)
		answer = ANSWER_UNKNOWN;
	if (answer == ANSWER_YES)
		return answer;
	reason = question_because(question, FILTER_NODE_NAME, answer,
	                          "node(s) didn't match the requested node name");
	if (reason)
		reason->pod_node = name->node;
	return answer;
}

/* Against what is on the node for certain; a DaemonSet in question does not clash with itself. */
enum answer filter_ports(const struct question *question)
{
	const struct site *site = question->site;
	enum answer answer = ANSWER_YES;
	const struct port_use *port = NULL;
	struct reason *reason;

	if (!question->profile->ports.n)
		return ANSWER_YES;
	for (size_t i = 0; i < site->pod_count && answer != ANSWER_NO; i++) {
		enum answer clash = ANSWER_NO;

		if (site->pods[i] != question->profile)
			clash = ports_clash(&question->profile->ports, &site->pods[i]->ports,
			                    &port);
		if (clash != ANSWER_NO)
			answer = clash == ANSWER_YES ? ANSWER_NO : ANSWER_UNKNOWN;
	}
	if (answer == ANSWER_YES)
		return answer;
	reason = question_because(question, FILTER_NODE_PORTS, answer,
	                          "node(s) didn't have free ports for the requested pod ports");
	if (reason && port) {
		reason->pod_node = port->node;
		reason->detail = str_format(question->arena, "port %lld is taken",
		                            (long long)port->port);
	}
	return answer;
}

/* Is the topology label there at all? An unknown one may be. */
static enum answer has_key(const struct question *question, enum filter filter, const char *text,
                           const struct text *key)
{
	const struct group_label *label = site_label(question->site, key->s);
	enum answer answer = ANSWER_YES;
	struct reason *reason;

	if (key->node && key->node->unknown)
		answer = ANSWER_UNKNOWN;
	else if (label->kind == LABEL_ABSENT)
		answer = ANSWER_NO;
	else if (label->kind == LABEL_UNKNOWN && !str_is(key->s, HOSTNAME_LABEL))
		answer = ANSWER_UNKNOWN;
	if (answer == ANSWER_YES)
		return answer;
	reason = question_because(question, filter, answer, text);
	if (reason) {
		reason->key = key->s;
		reason->pod_node = key->node;
		reason->detail = str_format(question->arena,
		                            answer == ANSWER_NO ? "lacks topology label %.*s"
		                                                : "label %.*s is not declared",
		                            STR_ARG(key->s));
	}
	return answer;
}

/* Of spread constraints, only the label decides for one empty node; how many pods a domain
 * takes is a question of capacity. */
enum answer filter_spread(const struct question *question)
{
	const struct spread_constraints *spread = &question->profile->workload->pod->spread;
	enum answer worst = ANSWER_YES;

	for (size_t i = 0; i < spread->n; i++) {
		enum answer answer;

		if (!str_is(spread->v[i].when_unsatisfiable.s, "DoNotSchedule"))
			continue;
		answer = has_key(question, FILTER_POD_TOPOLOGY_SPREAD,
		                 "node(s) didn't match pod topology spread constraints "
		                 "(missing required label)", &spread->v[i].topology_key);
		worst = answer < worst ? answer : worst;
	}
	return worst;
}

/* Whom it wants near is a question of the fleet; here only the label decides. */
enum answer filter_pod_affinity(const struct question *question)
{
	const struct pod_affinity_terms *terms =
		&question->profile->workload->pod->required_affinity;
	enum answer worst = ANSWER_YES;

	for (size_t i = 0; i < terms->n; i++) {
		enum answer answer = has_key(question, FILTER_INTER_POD_AFFINITY,
		                             "node(s) didn't match pod affinity rules",
		                             &terms->v[i].topology_key);

		worst = answer < worst ? answer : worst;
	}
	return worst;
}

/* Signatures: pods that every filter treats alike are judged once. */
#include "sched-internal.h"

static void add_text(struct buf *buf, str s)
{
	/* Length first, so that no two lists of texts run into the same bytes. */
	buf_printf(buf, "%zu:", s.n);
	buf_add(buf, s);
}

/* A value that nobody can read is not equal to the same text that one can. */
static void add_known(struct buf *buf, const struct node *node)
{
	buf_char(buf, !node ? '-' : node->unknown ? '?' : '+');
}

/* In the order of the file: to sort would find few more equals and cost more. */
static void add_requirements(struct buf *buf, const struct requirements *requirements)
{
	buf_printf(buf, "r%zu", requirements->n);
	for (size_t i = 0; i < requirements->n; i++) {
		const struct requirement *requirement = &requirements->v[i];

		add_text(buf, requirement->key);
		add_known(buf, requirement->node);
		buf_printf(buf, "o%dv%zu", (int)requirement->op, requirement->values.n);
		for (size_t k = 0; k < requirement->values.n; k++) {
			add_text(buf, requirement->values.v[k].s);
			add_known(buf, requirement->values.v[k].node);
		}
	}
}

/* RuntimeClass and pod are merged already. */
static void add_labels(struct buf *buf, const struct workload *workload)
{
	const struct node_selector_terms *terms = &workload->pod->required_node_terms;

	add_known(buf, workload->node_selector.node);
	buf_printf(buf, "s%zu", workload->node_selector.n);
	for (size_t i = 0; i < workload->node_selector.n; i++) {
		add_text(buf, workload->node_selector.v[i].key);
		add_text(buf, workload->node_selector.v[i].value);
		add_known(buf, workload->node_selector.v[i].node);
	}
	add_known(buf, terms->node);
	buf_printf(buf, "t%zu", terms->n);
	for (size_t i = 0; i < terms->n; i++) {
		add_known(buf, terms->v[i].node);
		add_requirements(buf, &terms->v[i].match_expressions);
		add_requirements(buf, &terms->v[i].match_fields);
	}
}

/* Absent and empty differ. */
static void add_field(struct buf *buf, const struct text *text)
{
	add_text(buf, text->s);
	add_known(buf, text->node);
}

/* Those of controllers have no node, which tells them apart. */
static void add_tolerations(struct buf *buf, const struct workload *workload)
{
	add_known(buf, workload->tolerations.node);
	buf_printf(buf, "T%zu", workload->tolerations.n);
	for (size_t i = 0; i < workload->tolerations.n; i++) {
		const struct toleration *toleration = &workload->tolerations.v[i];

		add_known(buf, toleration->node);
		add_field(buf, &toleration->key);
		add_field(buf, &toleration->op);
		add_field(buf, &toleration->value);
		add_field(buf, &toleration->effect);
	}
}

/* Amounts, not texts: 1 and 1000m are judged alike. */
static void add_requests(struct buf *buf, const struct pod_profile *profile)
{
	const struct resource_amounts *amounts = &profile->workload->requests.v;

	buf_printf(buf, "R%zu", amounts->n);
	for (size_t i = 0; i < amounts->n; i++) {
		add_text(buf, amounts->v[i].resource);
		buf_printf(buf, "%lld%c", (long long)amounts->v[i].amount,
		           amounts->v[i].unknown ? '?' : '.');
	}
	buf_printf(buf, "P%zu", profile->ports.n);
	for (size_t i = 0; i < profile->ports.n; i++) {
		const struct port_use *port = &profile->ports.v[i];

		add_text(buf, port->protocol);
		add_text(buf, port->ip);
		buf_printf(buf, "%lld%c", (long long)port->port, port->unknown ? '?' : '.');
	}
}

/* Of these filters only the keys matter to an empty node. */
static void add_topology(struct buf *buf, const struct pod_template *pod)
{
	for (size_t i = 0; i < pod->spread.n; i++)
		if (spread_is_hard(&pod->spread.v[i])) {
			buf_char(buf, 'k');
			add_field(buf, &pod->spread.v[i].topology_key);
		}
	for (size_t i = 0; i < pod->required_affinity.n; i++) {
		buf_char(buf, 'a');
		add_field(buf, &pod->required_affinity.v[i].topology_key);
	}
}

/* Anti-affinity of a pod to its own kind over the host name. */
static bool keeps_apart(const struct workload *workload)
{
	const struct pod_affinity_terms *terms = &workload->pod->required_anti_affinity;

	for (size_t i = 0; i < terms->n; i++)
		if (str_is(terms->v[i].topology_key.s, HOSTNAME_LABEL) &&
		    affinity_term_selects(&terms->v[i], workload, workload) == ANSWER_YES)
			return true;
	return false;
}

/* Names, images and labels are in none of the filters, so they are not in it. */
str pod_signature(struct arena *arena, const struct pod_profile *profile)
{
	const struct workload *workload = profile->workload;
	struct buf buf = { .arena = arena };

	/* Volumes and DaemonSets are particular to one object. */
	if (profile->volumes.n || workload->daemon_set)
		buf_printf(&buf, "#%u", workload->index);
	buf_printf(&buf, "%d%d", workload->runtime_class_open, keeps_apart(workload));
	add_field(&buf, &workload->pod->node_name);
	add_labels(&buf, workload);
	add_tolerations(&buf, workload);
	add_requests(&buf, profile);
	add_topology(&buf, workload->pod);
	return buf_str(&buf);
}

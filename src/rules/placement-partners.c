/* KL119: required pod affinity and the pods that it wants to be near to (rules.md, KL1). */
#include "rules-internal.h"

/* What a term's topology key makes of two workloads. */
struct meeting {
	const struct placement *own, *other;
	str key;
};

/* The values of the key on the shapes of a group are all known, and none is on the other's. */
static bool values_apart(const struct group *a, const struct group *b, str key)
{
	for (size_t i = 0; i < a->shapes.n; i++)
		for (size_t k = 0; k < b->shapes.n; k++) {
			const struct group_label *x = group_label_find(a, &a->shapes.v[i], key);
			const struct group_label *y = group_label_find(b, &b->shapes.v[k], key);
			if (x->kind != LABEL_VALUES || y->kind != LABEL_VALUES)
				return false;
			for (size_t m = 0; m < x->values.n; m++)
				for (size_t n = 0; n < y->values.n; n++)
					if (str_eq(x->values.v[m], y->values.v[n]))
						return false;
		}
	return true;
}

/* Nodes of different groups are different nodes; every other domain may span groups. */
static bool groups_apart(const struct group *a, const struct group *b, str key)
{
	if (a == b)
		return false;
	return str_is(key, "kubernetes.io/hostname") || values_apart(a, b, key);
}

/* Certainly no domain in which a pod of each may run. */
static bool never_meet(const struct meeting *meeting)
{
	for (size_t i = 0; i < meeting->own->count; i++) {
		const struct verdict *own = &meeting->own->verdicts[i];
		for (size_t k = 0; own->answer != ANSWER_NO && k < meeting->other->count; k++) {
			const struct verdict *other = &meeting->other->verdicts[k];
			if (other->answer != ANSWER_NO &&
			    !groups_apart(own->group, other->group, meeting->key))
				return false;
		}
	}
	return !meeting->own->undecidable && !meeting->other->undecidable &&
	       meeting->own->count > 0;
}

/* What becomes of a term. */
enum prospect { PROSPECT_FINE, PROSPECT_NOBODY, PROSPECT_APART };

/* A term that selects the workload's own pods is satisfied by the first of them. */
static enum prospect prospect_of(const struct judge *judge, const struct workload *workload,
                                 const struct pod_affinity_term *term,
                                 const struct workload **ret_partner)
{
	const struct workloads *workloads = &judge->scope->workloads;
	enum prospect prospect = PROSPECT_NOBODY;

	if (pod_affinity_selects(term, workload, workload) != ANSWER_NO)
		return PROSPECT_FINE;
	for (size_t i = 0; i < workloads->n; i++) {
		const struct workload *other = workloads->v[i];
		enum answer selects = other == workload
		                              ? ANSWER_NO
		                              : pod_affinity_selects(term, workload, other);
		const struct meeting meeting = { placement_of(judge, workload),
			                         placement_of(judge, other),
			                         term->topology_key.s };
		if (selects == ANSWER_NO)
			continue;
		if (selects == ANSWER_UNKNOWN || !never_meet(&meeting))
			return PROSPECT_FINE;
		prospect = PROSPECT_APART;
		*ret_partner = other;
	}
	return prospect;
}

static void say_nobody(const struct judge *judge, const struct workload *workload,
                       const struct pod_affinity_term *term)
{
	const struct scope *scope = judge->scope;
	bool proof = scope->settings->complete && !scope->incomplete;
	struct finding *finding;

	if (scope_absence_hidden(scope, workload->object))
		return;
	finding = emit_at(judge, proof ? LEVEL_ERROR : LEVEL_WARNING, workload->object,
	                  term->selector.node ? term->selector.node : term->node, NULL);
	finding_message(judge->sink, finding,
	                "the required pod affinity selects none of the %zu declared workloads",
	                scope->workloads.n);
	finding_help(judge->sink, finding,
	             "correct the selector or the namespaces, or declare the pods that are meant");
}

static void say_apart(const struct judge *judge, const struct workload *workload,
                      const struct pod_affinity_term *term, const struct workload *partner)
{
	struct finding *finding = emit_at(judge, LEVEL_ERROR, workload->object,
	                                  term->topology_key.node ? term->topology_key.node
	                                                          : term->node, NULL);

	finding_message(judge->sink, finding,
	                "the required pod affinity wants one %.*s with %.*s, but no node group takes "
	                "both", STR_ARG(term->topology_key.s), STR_ARG(partner->text));
	finding_relate(judge->sink, finding, node_place(partner->object->name.node), "%.*s",
	               STR_ARG(partner->text));
	finding_help(judge->sink, finding, "let both run in one group, or use a wider topologyKey");
}

/* Partners in other namespaces count as the term says. An open label of a domain may be the
 * partner's: silent. */
void kl119_pod_affinity_unmatched(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct pod_affinity_terms *terms = &workload->pod->required_affinity;

		for (size_t k = 0; k < terms->n; k++) {
			const struct workload *partner = NULL;
			enum prospect prospect =
				prospect_of(judge, workload, &terms->v[k], &partner);
			if (prospect == PROSPECT_NOBODY)
				say_nobody(judge, workload, &terms->v[k]);
			else if (prospect == PROSPECT_APART)
				say_apart(judge, workload, &terms->v[k], partner);
		}
	}
}

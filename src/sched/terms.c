/* Whom pod affinity terms and spread constraints select. Upstream: framework AffinityTerm
 * Matches; podtopologyspread countPodsMatchSelector.
 */
#include "sched-internal.h"

#define HASH_LABEL "pod-template-hash"

/* The conjunction of two answers. */
static enum answer least(enum answer a, enum answer b)
{
	return a < b ? a : b;
}

/* Names are exact; there are no patterns. */
static bool names_namespace(const struct texts *namespaces, str ns)
{
	for (size_t i = 0; i < namespaces->n; i++)
		if (str_eq(namespaces->v[i].s, ns))
			return true;
	return false;
}

/* Of a namespace's labels only its name is certain. */
static bool asks_name_only(const struct label_selector *selector)
{
	for (size_t i = 0; i < selector->match_labels.n; i++)
		if (!str_is(selector->match_labels.v[i].key, "kubernetes.io/metadata.name"))
			return false;
	for (size_t i = 0; i < selector->match_expressions.n; i++)
		if (!str_is(selector->match_expressions.v[i].key, "kubernetes.io/metadata.name"))
			return false;
	return true;
}

/* Neither list nor selector: the namespace of the pod that owns the term. */
static enum answer namespace_matches(const struct pod_affinity_term *term, str own, str ns)
{
	struct pair name = { .key = STR("kubernetes.io/metadata.name"), .value = ns };
	struct pairs labels = { .v = &name, .n = 1 };

	if (!term->namespaces.n && !term->namespace_selector.node)
		return str_eq(own, ns) ? ANSWER_YES : ANSWER_NO;
	if (names_namespace(&term->namespaces, ns))
		return ANSWER_YES;
	if (!term->namespace_selector.node)
		return ANSWER_NO;
	return asks_name_only(&term->namespace_selector)
	               ? selector_matches(&term->namespace_selector, &labels) : ANSWER_UNKNOWN;
}

/* Have both pods the label with the same value? Pods without it are not told apart. */
static bool label_differs(str key, const struct workload *owner, const struct workload *other)
{
	const struct pair *own = pairs_find(&owner->pod->labels, key);
	const struct pair *its = pairs_find(&other->pod->labels, key);

	if (str_is(key, HASH_LABEL) && !own)
		return owner != other;
	return own && !(its && str_eq(own->value, its->value));
}

/* The API server adds these labels to the selector when the pod is made. */
static bool keys_differ(const struct texts *keys, const struct workload *owner,
                        const struct workload *other)
{
	for (size_t i = 0; i < keys->n; i++)
		if (label_differs(keys->v[i].s, owner, other))
			return true;
	return false;
}

/* mismatchLabelKeys excludes pods that share the value. */
static bool shares_mismatch(const struct texts *keys, const struct workload *owner,
                            const struct workload *other)
{
	for (size_t i = 0; i < keys->n; i++)
		if (pairs_find(&owner->pod->labels, keys->v[i].s) &&
		    !label_differs(keys->v[i].s, owner, other))
			return true;
	return false;
}

/* Certain reasons first: an unknown namespace does not matter to a pod that differs anyway. */
enum answer affinity_term_selects(const struct pod_affinity_term *term,
                                  const struct workload *owner, const struct workload *other)
{
	enum answer answer = namespace_matches(term, owner->namespace, other->namespace);

	if (answer == ANSWER_NO || keys_differ(&term->match_label_keys, owner, other) ||
	    shares_mismatch(&term->mismatch_label_keys, owner, other))
		return ANSWER_NO;
	return least(answer, selector_matches(&term->selector, &other->pod->labels));
}

/* Upstream counts a pod for affinity only when all terms select it. */
enum answer affinity_terms_select(const struct pod_affinity_terms *terms,
                                  const struct workload *owner, const struct workload *other)
{
	enum answer worst = terms->n ? ANSWER_YES : ANSWER_NO;

	for (size_t i = 0; i < terms->n && worst != ANSWER_NO; i++)
		worst = least(worst, affinity_term_selects(&terms->v[i], owner, other));
	return worst;
}

/* ScheduleAnyway is a wish and no filter. */
bool spread_is_hard(const struct spread_constraint *constraint)
{
	return str_is(constraint->when_unsatisfiable.s, "DoNotSchedule");
}

/* Spread never looks beyond the namespace. */
enum answer spread_selects(const struct spread_constraint *constraint,
                           const struct workload *owner, const struct workload *other)
{
	if (!str_eq(owner->namespace, other->namespace) ||
	    keys_differ(&constraint->match_label_keys, owner, other))
		return ANSWER_NO;
	return selector_matches(&constraint->selector, &other->pod->labels);
}

/* What is counted in the domains, which is not quite what is selected. */
enum answer spread_counts(const struct spread_constraint *constraint,
                          const struct workload *owner, const struct workload *other)
{
	const struct label_selector *selector = &constraint->selector;

	/* Upstream counts nothing for an empty selector, though it matches every pod. */
	if (selector->node && !selector->match_labels.n && !selector->match_expressions.n &&
	    !constraint->match_label_keys.n)
		return ANSWER_NO;
	return spread_selects(constraint, owner, other);
}

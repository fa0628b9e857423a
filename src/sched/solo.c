/* One workload against itself: topology spread, pod affinity and anti-affinity as formulas
 * over domains.
 *
 * A domain is a value of the topology key. A hard spread constraint lets a domain have
 * maxSkew pods more than the least filled one, and the least filled one can never have more
 * than it has room for: that gives the total. Anti-affinity leaves one pod a domain, affinity
 * to the own kind one domain in all. Where the domains themselves are not known, or other
 * workloads' pods count too, a constraint does not lower the upper bound.
 */
#include <stdlib.h>

#include "sched-internal.h"

/* Water levels that are tried; with more different ones the constraint is passed over. */
#define MAX_LEVELS 64

/* So many equal domains. */
struct domain {
	str value;               /* empty: one of `count` nodes, each a domain of its own */
	int64_t count;
	int64_t most, least;     /* pods that have room: optimistic, safe */
	bool certain;            /* it exists whatever size the groups have */
};
struct domains {
	struct domain *v;
	size_t n, cap;
	bool open;               /* some eligible group has values that nobody declares */
};

struct solo {
	const struct bench *bench;
	const struct workload *workload;
	const struct pod_class *class;
	struct arena *arena;     /* for the time of one measurement */
};

/* Room may be INT64_MAX, unbounded. */
static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* ---- domains ----------------------------------------------------------------------------- */

/* Domains of equal value are one, from whatever group they come. */
static void add_value(const struct solo *solo, struct domains *domains,
                      const struct domain *domain)
{
	for (size_t i = 0; domain->value.n && i < domains->n; i++) {
		struct domain *known = &domains->v[i];

		if (!str_eq(known->value, domain->value))
			continue;
		known->most = int64_add_saturated(known->most, domain->most);
		known->least = int64_add_saturated(known->least, domain->least);
		known->certain = known->certain || domain->certain;
		return;
	}
	*VEC_PUSH(solo->arena, domains) = *domain;
}

/* A minimum is kept by every autoscaler; what lies above it may be gone tomorrow. */
static int64_t certain_nodes(const struct group_sites *sites)
{
	const struct group *group = sites->group;

	return group->min.origin == ORIGIN_UNKNOWN ? 0
	                                           : smaller(group->min.value,
	                                                     sites->nodes_most);
}

/* Every node of the group is a domain. */
static void add_hosts(const struct solo *solo, size_t group, bool certain,
                      struct domains *domains)
{
	const struct group_sites *sites = &solo->bench->groups[group];
	const struct offer *offer = &solo->class->offers[group];
	int64_t fixed = certain ? certain_nodes(sites) : 0;
	struct domain domain = { .most = offer->most, .least = offer->least };

	if (fixed > 0) {
		domain.count = fixed;
		domain.certain = true;
		*VEC_PUSH(solo->arena, domains) = domain;
	}
	domain.count = int64_sub_saturated(sites->nodes_most, fixed);
	domain.certain = false;
	if (domain.count > 0)
		*VEC_PUSH(solo->arena, domains) = domain;
}

/* The group's nodes are spread over the values of its label. */
static void add_values(const struct solo *solo, size_t group, bool certain,
                       const struct group_label *label, struct domains *domains)
{
	const struct group_sites *sites = &solo->bench->groups[group];
	const struct offer *offer = &solo->class->offers[group];
	int64_t values = (int64_t)label->values.n;

	for (size_t i = 0; i < label->values.n; i++) {
		struct domain domain = { .value = label->values.v[i], .count = 1 };

		domain.most = int64_mul_saturated(sites->nodes_most, offer->most);
		domain.least = int64_mul_saturated(sites->nodes_least / values, offer->least);
		domain.certain = certain && values == 1 && certain_nodes(sites) > 0;
		add_value(solo, domains, &domain);
	}
}

/* Three cases: a value each node shares, a value of its own, and values that nobody declares. */
static void add_group(const struct solo *solo, size_t group, str key, bool certain,
                      struct domains *domains)
{
	const struct offer *offer = &solo->class->offers[group];
	const struct group_label *label =
		site_label(&solo->bench->sites[offer->site], key);

	if (label->kind == LABEL_VALUES && (label->values.n == 1 || !str_is(key, HOSTNAME_LABEL)))
		add_values(solo, group, certain, label, domains);
	else if (str_is(key, HOSTNAME_LABEL) && label->kind != LABEL_ABSENT)
		add_hosts(solo, group, certain, domains);
	else if (label->kind != LABEL_ABSENT && offer->most > 0)
		domains->open = true;
}

/* nodeAffinityPolicy is Honor when absent, nodeTaintsPolicy is Ignore. */
static bool is_honored(const struct text *policy, bool by_default)
{
	return policy->s.n ? str_is(policy->s, "Honor") : by_default;
}

/* Do the group's nodes make domains for the constraint? */
static enum answer counts_group(const struct solo *solo, size_t group,
                                const struct spread_constraint *constraint)
{
	const struct verdict *verdict = &solo->class->verdicts[group];
	enum answer answer = ANSWER_YES;

	if (is_honored(&constraint->node_affinity_policy, true))
		answer = verdict->by_filter[FILTER_NODE_AFFINITY];
	if (is_honored(&constraint->node_taints_policy, false) &&
	    verdict->by_filter[FILTER_TAINT_TOLERATION] < answer)
		answer = verdict->by_filter[FILTER_TAINT_TOLERATION];
	return answer;
}

/* Groups that cannot run the pod are domains too: empty ones, which hold the others down. */
static void list_domains(const struct solo *solo, const struct spread_constraint *constraint,
                         struct domains *domains)
{
	for (size_t i = 0; i < solo->bench->scope->groups.n; i++) {
		enum answer answer = counts_group(solo, i, constraint);

		if (answer != ANSWER_NO && solo->bench->groups[i].nodes_most > 0)
			add_group(solo, i, constraint->topology_key.s, answer == ANSWER_YES,
			          domains);
	}
}

/* ---- spread ------------------------------------------------------------------------------ */

/* For minDomains: those that exist when the least filled one has `level` pods. */
static int64_t domain_count(const struct domains *domains, int64_t level)
{
	int64_t count = 0;

	for (size_t i = 0; i < domains->n; i++)
		if (domains->v[i].most >= level || domains->v[i].certain)
			count = int64_add_saturated(count, domains->v[i].count);
	return count;
}

/* Total when the least filled domain has `level` pods and domains that cannot reach it are not
 * there. Fewer domains than minDomains: the least counts as 0. */
static int64_t total_at(const struct domains *domains, int64_t level, int64_t skew,
                        int64_t min_domains)
{
	int64_t total = 0, base = domain_count(domains, level) < min_domains ? 0 : level;

	for (size_t i = 0; i < domains->n; i++) {
		int64_t room = smaller(domains->v[i].most, int64_add_saturated(base, skew));

		if (domains->v[i].most >= level)
			total = int64_add_saturated(
				total, int64_mul_saturated(domains->v[i].count, room));
	}
	return total;
}

/* At most MAX_LEVELS: see there. */
static bool is_listed(const int64_t *levels, size_t count, int64_t level)
{
	for (size_t i = 0; i < count; i++)
		if (levels[i] == level)
			return true;
	return false;
}

/* The most that any mix of existing domains allows. */
static int64_t spread_most(const struct domains *domains, int64_t skew, int64_t min_domains)
{
	int64_t levels[MAX_LEVELS], ceiling = INT64_MAX, best;
	size_t count = 0;

	for (size_t i = 0; i < domains->n; i++)
		if (domains->v[i].certain)
			ceiling = smaller(ceiling, domains->v[i].most);
	for (size_t i = 0; i < domains->n; i++) {
		int64_t level = smaller(domains->v[i].most, ceiling);

		if (is_listed(levels, count, level))
			continue;
		if (count == MAX_LEVELS)
			return INT64_MAX;
		levels[count++] = level;
	}
	best = total_at(domains, 0, skew, min_domains);
	for (size_t i = 0; i < count; i++) {
		int64_t total = total_at(domains, levels[i], skew, min_domains);

		best = total > best ? total : best;
	}
	return best;
}

/* What is reached when every domain exists, as at maximum size. */
static int64_t spread_least(const struct domains *domains, int64_t skew, int64_t min_domains)
{
	int64_t total = 0, level = INT64_MAX, count = 0;

	for (size_t i = 0; i < domains->n; i++) {
		level = smaller(level, domains->v[i].least);
		count = int64_add_saturated(count, domains->v[i].count);
	}
	if (count < min_domains || !domains->n)
		level = 0;
	for (size_t i = 0; i < domains->n; i++)
		total = int64_add_saturated(
			total, int64_mul_saturated(domains->v[i].count,
		                                   smaller(domains->v[i].least,
		                                           int64_add_saturated(level, skew))));
	return total;
}

/* A constraint with a part that nobody can read limits nothing for certain. */
static bool is_open(const struct spread_constraint *constraint)
{
	const struct node *const nodes[] = { constraint->node, constraint->max_skew.node,
		                             constraint->min_domains.node,
		                             constraint->topology_key.node };

	for (size_t i = 0; i < COUNT_OF(nodes); i++)
		if (nodes[i] && nodes[i]->unknown)
			return true;
	return false;
}

/* The lower bound takes the constraint in any case, the upper one only where it is certain. */
static void measure_spread(const struct solo *solo, const struct spread_constraint *constraint,
                           struct capacity *capacity, int64_t *least)
{
	const struct workload *workload = solo->workload;
	struct domains domains = { 0 };
	int64_t total, skew = constraint->max_skew.value;
	int64_t min_domains = constraint->min_domains.value > 1 ? constraint->min_domains.value
	                                                        : 1;

	/* A constraint that does not select its own pods never limits them. */
	if (spread_selects(constraint, workload, workload) == ANSWER_NO ||
	    spread_counts(constraint, workload, workload) == ANSWER_NO)
		return;
	list_domains(solo, constraint, &domains);
	*least = smaller(*least, domains.open ? *least
	                                      : spread_least(&domains, skew, min_domains));
	if (domains.open || is_open(constraint) ||
	    spread_selects(constraint, workload, workload) != ANSWER_YES ||
	    bench_others_selected(solo->bench, workload, constraint, NULL))
		return;
	total = spread_most(&domains, skew, min_domains);
	if (total >= capacity->total)
		return;
	capacity->total = total;
	capacity->limited_by = STR("topologySpread");
}

/* ---- anti-affinity and affinity ---------------------------------------------------------- */

/* Domains of a key over the groups that can take the pod. *ret_free: pods on groups without
 * the label, which such a term does not touch. */
static void list_eligible(const struct solo *solo, str key, struct domains *domains,
                          int64_t *ret_free)
{
	*ret_free = 0;
	for (size_t i = 0; i < solo->bench->scope->groups.n; i++) {
		const struct offer *offer = &solo->class->offers[i];
		const struct group_sites *sites = &solo->bench->groups[i];

		if (offer->most <= 0 || sites->nodes_most <= 0)
			continue;
		if (site_label(&solo->bench->sites[offer->site], key)->kind == LABEL_ABSENT)
			*ret_free = int64_add_saturated(
				*ret_free, int64_mul_saturated(sites->nodes_most, offer->most));
		else
			add_group(solo, i, key, true, domains);
	}
}

/* Over the host name it is part of what a node offers (bench.c), here are zones and the like. */
static void measure_anti(const struct solo *solo, const struct pod_affinity_term *term,
                         struct capacity *capacity, int64_t *least)
{
	struct domains domains = { 0 };
	int64_t rest, most, safe;

	if (str_is(term->topology_key.s, HOSTNAME_LABEL) ||
	    affinity_term_selects(term, solo->workload, solo->workload) == ANSWER_NO)
		return;
	list_eligible(solo, term->topology_key.s, &domains, &rest);
	most = safe = rest;
	for (size_t i = 0; i < domains.n; i++) {
		most = int64_add_saturated(most, domains.v[i].count);
		if (domains.v[i].least > 0)
			safe = int64_add_saturated(safe, domains.v[i].count);
	}
	*least = smaller(*least, safe);
	if (domains.open || affinity_term_selects(term, solo->workload, solo->workload) !=
	                            ANSWER_YES || most >= capacity->total)
		return;
	capacity->total = most;
	capacity->limited_by = STR("podAntiAffinity");
}

/* All pods of the kind gather in the domain of the first of them. */
static void measure_affinity(const struct solo *solo, const struct pod_affinity_term *term,
                             struct capacity *capacity, int64_t *least)
{
	struct domains domains = { 0 };
	int64_t ignored, most = 0, safe = 0;

	if (affinity_term_selects(term, solo->workload, solo->workload) != ANSWER_YES ||
	    bench_others_selected(solo->bench, solo->workload, NULL, term))
		return;
	list_eligible(solo, term->topology_key.s, &domains, &ignored);
	for (size_t i = 0; i < domains.n; i++) {
		most = domains.v[i].most > most ? domains.v[i].most : most;
		safe = domains.v[i].least > safe ? domains.v[i].least : safe;
	}
	*least = smaller(*least, safe);
	if (domains.open || most >= capacity->total)
		return;
	capacity->total = most;
	capacity->limited_by = STR("podAffinity");
}

/* Each demand narrows by itself; where several meet, the bound may be loose but never too low. */
void solo_measure(const struct bench *bench, const struct workload *workload,
                  struct capacity *capacity, int64_t *least)
{
	const struct pod_template *pod = workload->pod;
	struct solo solo = { .bench = bench, .workload = workload,
		             .class = bench->classes[workload->index] };

	if (!pod->spread.n && !pod->required_affinity.n && !pod->required_anti_affinity.n)
		return;
	solo.arena = arena_new();
	for (size_t i = 0; i < pod->spread.n; i++)
		if (spread_is_hard(&pod->spread.v[i]))
			measure_spread(&solo, &pod->spread.v[i], capacity, least);
	for (size_t i = 0; i < pod->required_anti_affinity.n; i++)
		measure_anti(&solo, &pod->required_anti_affinity.v[i], capacity, least);
	for (size_t i = 0; i < pod->required_affinity.n; i++)
		measure_affinity(&solo, &pod->required_affinity.v[i], capacity, least);
	arena_free(solo.arena);
}

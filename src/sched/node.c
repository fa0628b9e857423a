/* One concrete node, alone in its cluster: what the conformance vectors ask. */
#include "sched-internal.h"

static const char spread_text[] = "node(s) didn't match pod topology spread constraints";

/* Pods that run already are taken as they are, whether they fit or not. */
static void place_pods(struct arena *arena, const struct node_state *state, struct site *site)
{
	site->pods = arena_calloc(arena, state->pod_count, sizeof(site->pods[0]));
	site->pod_count = state->pod_count;
	for (size_t i = 0; i < state->pod_count; i++) {
		site->pods[i] = pod_profile_new(arena, state->pods[i]);
		site_add_use(arena, &site->used, site->pods[i]);
		site_add_use(arena, &site->used_most, site->pods[i]);
	}
}

/* nodeAffinityPolicy is Honor when absent, nodeTaintsPolicy is Ignore. */
static bool is_honored(const struct text *policy, bool by_default)
{
	return policy->s.n ? str_is(policy->s, "Honor") : by_default;
}

/* Is the node a domain for the constraint? It has the label: that was asked before. */
static bool is_domain(const struct question *question, const struct spread_constraint *constraint)
{
	return !(is_honored(&constraint->node_affinity_policy, true) &&
	         affinity_admits(question) != ANSWER_YES) &&
	       !(is_honored(&constraint->node_taints_policy, false) &&
	         taints_admit(question) != ANSWER_YES);
}

/* Pods in the only domain, the newcomer's own share, and the least over all domains. */
static bool exceeds_skew(const struct question *question,
                         const struct spread_constraint *constraint)
{
	const struct workload *workload = question->profile->workload;
	int64_t matching = 0, self, least;

	for (size_t i = 0; i < question->site->pod_count; i++)
		matching += spread_counts(constraint, workload,
		                          question->site->pods[i]->workload) == ANSWER_YES;
	self = spread_selects(constraint, workload, workload) == ANSWER_YES;
	if (!is_domain(question, constraint)) {
		/* No domain at all: the minimum is 0, and so is the count in this one. */
		return self > constraint->max_skew.value;
	}
	least = constraint->min_domains.value > 1 ? 0 : matching;
	return matching + self - least > constraint->max_skew.value;
}

/* One reason for all constraints: the scheduler stops at the first that fails. */
static void judge_spread(const struct question *question, struct verdict *verdict)
{
	const struct spread_constraints *spread = &question->profile->workload->pod->spread;

	if (verdict->by_filter[FILTER_POD_TOPOLOGY_SPREAD] != ANSWER_YES)
		return;
	for (size_t i = 0; i < spread->n; i++) {
		struct reason *reason;

		if (!spread_is_hard(&spread->v[i]) || !exceeds_skew(question, &spread->v[i]))
			continue;
		verdict->by_filter[FILTER_POD_TOPOLOGY_SPREAD] = ANSWER_NO;
		reason = question_because(question, FILTER_POD_TOPOLOGY_SPREAD, ANSWER_NO,
		                          spread_text);
		if (reason) {
			reason->pod_node = spread->v[i].node;
			reason->key = spread->v[i].topology_key.s;
		}
		return;
	}
}

/* A concrete node has one value or none. */
static bool site_has_key(const struct site *site, str key)
{
	const struct group_label *label = site_label(site, key);

	return label->kind == LABEL_VALUES || label->kind == LABEL_ANY;
}

/* Required affinity: each term needs a pod that all terms select; the first of a series that
 * selects itself needs none. */
static bool affinity_holds(const struct question *question)
{
	const struct workload *workload = question->profile->workload;
	const struct pod_affinity_terms *terms = &workload->pod->required_affinity;
	bool found = false;

	if (!terms->n)
		return true;
	for (size_t i = 0; i < question->site->pod_count; i++)
		found = found || affinity_terms_select(terms, workload,
		                                       question->site->pods[i]->workload) ==
		                         ANSWER_YES;
	return found || affinity_terms_select(terms, workload, workload) == ANSWER_YES;
}

/* Does a required anti-affinity term of owner forbid other on this node? */
static bool keeps_out(const struct site *site, const struct workload *owner,
                      const struct workload *other)
{
	const struct pod_affinity_terms *terms = &owner->pod->required_anti_affinity;

	for (size_t i = 0; i < terms->n; i++)
		if (site_has_key(site, terms->v[i].topology_key.s) &&
		    affinity_term_selects(&terms->v[i], owner, other) == ANSWER_YES)
			return true;
	return false;
}

static const char *affinity_failure(const struct question *question)
{
	const struct site *site = question->site;
	const struct workload *workload = question->profile->workload;

	if (!affinity_holds(question))
		return "node(s) didn't match pod affinity rules";
	for (size_t i = 0; i < site->pod_count; i++)
		if (keeps_out(site, workload, site->pods[i]->workload))
			return "node(s) didn't match pod anti-affinity rules";
	for (size_t i = 0; i < site->pod_count; i++)
		if (keeps_out(site, site->pods[i]->workload, workload))
			return "node(s) didn't satisfy existing pods anti-affinity rules";
	return NULL;
}

/* Affinity, own anti-affinity, that of others: upstream names the first that fails. */
static void judge_pod_affinity(const struct question *question, struct verdict *verdict)
{
	const char *failure;

	if (verdict->by_filter[FILTER_INTER_POD_AFFINITY] != ANSWER_YES)
		return;
	failure = affinity_failure(question);
	if (!failure)
		return;
	verdict->by_filter[FILTER_INTER_POD_AFFINITY] = ANSWER_NO;
	question_because(question, FILTER_INTER_POD_AFFINITY, ANSWER_NO, failure);
}

/* The site filters run as for a group; what hangs on the pods of the node comes on top. */
void node_judge(struct arena *arena, const struct workload *workload, const struct group *group,
                const struct node_shape *shape, const struct node_state *state,
                struct verdict *ret_verdict)
{
	struct site site = { .group = group, .shape = shape, .node_name = state->name,
		             .unschedulable = state->unschedulable };
	struct question question = { .arena = arena, .site = &site,
		                     .comparison = state->comparison,
		                     .profile = pod_profile_new(arena, workload),
		                     .reasons = &ret_verdict->reasons };

	*ret_verdict = (struct verdict){ .workload = workload, .group = group };
	place_pods(arena, state, &site);
	question_ask_all(&question, ret_verdict);
	judge_spread(&question, ret_verdict);
	judge_pod_affinity(&question, ret_verdict);
	for (size_t i = 0; i < FILTER_COUNT; i++)
		if (ret_verdict->by_filter[i] < ret_verdict->answer)
			ret_verdict->answer = ret_verdict->by_filter[i];
}

/* A term that does not parse scores nothing; the score is a sum, not normalized. */
int64_t node_preferred_score(struct arena *arena, const struct workload *workload,
                             const struct group *group, const struct node_shape *shape,
                             str node_name)
{
	const struct preferred_terms *terms = &workload->pod->preferred_node_terms;
	struct site site = { .group = group, .shape = shape, .node_name = node_name };
	int64_t score = 0;

	for (size_t i = 0; i < terms->n; i++) {
		struct node_selector_term *copy = ARENA_NEW(arena, struct node_selector_term);
		struct node_selector_terms one = { .v = copy, .n = 1 };

		*copy = terms->v[i].term;
		if (affinity_term_matches(&site, profile_terms_alone(arena, &one)) == ANSWER_YES)
			score = int64_add_saturated(score, terms->v[i].weight.value);
	}
	return score;
}

/* TaintToleration and NodeUnschedulable. Upstream: component-helpers scheduling/corev1
 * FindMatchingUntoleratedTaint; plugins tainttoleration, nodeunschedulable.
 */
#include "sched-internal.h"

/* PreferNoSchedule never excludes a node. */
static bool is_hard(const struct taint *taint)
{
	return str_is(taint->effect, "NoSchedule") || str_is(taint->effect, "NoExecute");
}

/* Tolerations are ORed; tolerationSeconds does not matter to the scheduler. */
static bool any_covers(const struct tolerations *tolerations, const struct taint *taint,
                       bool comparison)
{
	for (size_t i = 0; i < tolerations->n; i++)
		if (toleration_covers(&tolerations->v[i], taint, comparison))
			return true;
	return false;
}

/* Callers walk from one to the next: a message wants all, the filter only the first. */
size_t taint_untolerated(const struct tolerations *tolerations, const struct taints *taints,
                         size_t from, bool comparison)
{
	for (size_t i = from; i < taints->n; i++)
		if (is_hard(&taints->v[i]) && !any_covers(tolerations, &taints->v[i], comparison))
			return i;
	return taints->n;
}

/* Upstream scores with the tolerations that name PreferNoSchedule or no effect. */
static bool covers_softly(const struct toleration *toleration)
{
	return !toleration->effect.s.n || str_is(toleration->effect.s, "PreferNoSchedule");
}

/* For the score only, no filter reads it. */
size_t taint_soft_untolerated(const struct tolerations *tolerations, const struct taints *taints,
                              bool comparison)
{
	size_t count = 0;

	for (size_t i = 0; i < taints->n; i++) {
		bool covered = !str_is(taints->v[i].effect, "PreferNoSchedule");

		for (size_t k = 0; k < tolerations->n && !covered; k++)
			covered = covers_softly(&tolerations->v[k]) &&
			          toleration_covers(&tolerations->v[k], &taints->v[i],
			                            comparison);
		count += !covered;
	}
	return count;
}

/* The first toleration of that key, or the count: where it would stand. */
static size_t first_of_key(const struct pod_profile *profile, str key)
{
	size_t low = 0, high = profile->toleration_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (str_cmp(profile->tolerations[middle]->key.s, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* As any_covers(): a toleration covers taints of its own key, or has none. */
static bool profile_covers(const struct question *question, const struct taint *taint)
{
	const struct pod_profile *profile = question->profile;

	for (size_t i = 0; i < profile->keyless_count; i++)
		if (toleration_covers(profile->tolerations[i], taint, question->comparison))
			return true;
	for (size_t i = first_of_key(profile, taint->key);
	     i < profile->toleration_count && str_eq(profile->tolerations[i]->key.s, taint->key); i++)
		if (toleration_covers(profile->tolerations[i], taint, question->comparison))
			return true;
	return false;
}

/* As taint_untolerated(), for a prepared pod. */
static size_t next_untolerated(const struct question *question, size_t from)
{
	const struct taints *taints = &question->site->group->taints;

	for (size_t i = from; i < taints->n; i++)
		if (is_hard(&taints->v[i]) && !profile_covers(question, &taints->v[i]))
			return i;
	return taints->n;
}

static const struct toleration *nearest(const struct tolerations *tolerations,
                                        const struct taint *taint)
{
	const struct toleration *found = NULL;

	for (size_t i = 0; i < tolerations->n; i++) {
		const struct toleration *toleration = &tolerations->v[i];

		if (!str_eq(toleration->key.s, taint->key))
			continue;
		if (!found || str_eq(toleration->value.s, taint->value))
			found = toleration;
	}
	return found;
}

/* GKE's admission tolerates the taint of an extended resource that the pod asks for. */
static bool admission_tolerates(const struct question *question, const struct taint *taint)
{
	return str_is(question->site->group->provider, "gcp") &&
	       str_find(taint->key, '/') < taint->key.n &&
	       resources_get(&question->profile->workload->requests.v, taint->key).amount > 0;
}

/* A taint that nobody can read excludes nobody for certain, nor does one against tolerations
 * that may be added by a RuntimeClass or a template. */
static enum answer taint_answer(const struct question *question, const struct taint *taint)
{
	if (admission_tolerates(question, taint))
		return ANSWER_YES;
	if (taint->node && taint->node->unknown)
		return ANSWER_UNKNOWN;
	return question->profile->tolerations_open ? ANSWER_UNKNOWN : ANSWER_NO;
}

/* The nearest toleration is what a reader most likely meant: same key, same value if there is
 * one. */
static void explain(const struct question *question, enum answer answer,
                    const struct taint *taint)
{
	const struct tolerations *tolerations = &question->profile->workload->tolerations;
	struct reason *reason = question_because(question, FILTER_TAINT_TOLERATION, answer,
	                                         "node(s) had untolerated taint(s)");

	if (!reason)
		return;
	if (!taint) {
		reason->detail = STR("taints are not declared");
		return;
	}
	reason->taint = taint;
	reason->key = taint->key;
	reason->group_node = taint->node;
	reason->nearest_toleration = nearest(tolerations, taint);
	reason->pod_node = reason->nearest_toleration && reason->nearest_toleration->node
	                   ? reason->nearest_toleration->node : tolerations->node;
	reason->detail = str_format(question->arena,
	                            "has taint %.*s that it does not tolerate",
	                            STR_ARG(taint_text(question->arena, taint)));
}

/* Startup taints go away by themselves and are not asked. */
enum answer taints_admit(const struct question *question)
{
	const struct group *group = question->site->group;
	enum answer worst = group->taints_known ? ANSWER_YES : ANSWER_UNKNOWN;

	for (size_t i = 0; (i = next_untolerated(question, i)) < group->taints.n; i++) {
		enum answer answer = taint_answer(question, &group->taints.v[i]);

		worst = answer < worst ? answer : worst;
	}
	return worst;
}

/* One reason a taint, though the scheduler itself names none of them. */
enum answer filter_taints(const struct question *question)
{
	const struct group *group = question->site->group;
	enum answer answer = taints_admit(question);

	if (answer == ANSWER_YES || !question->reasons)
		return answer;
	for (size_t i = 0; (i = next_untolerated(question, i)) < group->taints.n; i++) {
		enum answer one = taint_answer(question, &group->taints.v[i]);

		if (one != ANSWER_YES)
			explain(question, one, &group->taints.v[i]);
	}
	if (answer == ANSWER_UNKNOWN && !group->taints_known)
		explain(question, answer, NULL);
	return answer;
}

/* Only concrete nodes are cordoned; the taint of that name is not asked for. */
enum answer filter_unschedulable(const struct question *question)
{
	static const struct taint cordoned = {
		.key = { UNSCHEDULABLE_TAINT, sizeof(UNSCHEDULABLE_TAINT) - 1 },
		.effect = { "NoSchedule", sizeof("NoSchedule") - 1 },
	};
	const struct workload *workload = question->profile->workload;

	if (!question->site->unschedulable ||
	    any_covers(&workload->tolerations, &cordoned, question->comparison))
		return ANSWER_YES;
	question_because(question, FILTER_NODE_UNSCHEDULABLE, ANSWER_NO,
	                 "node(s) were unschedulable");
	return ANSWER_NO;
}

/* NodeAffinity: nodeSelector and required terms against sets of possible labels.
 *
 * A group admits a pod when values can be chosen from its sets so that, for every key, one
 * value satisfies the nodeSelector and all expressions of one term together. Upstream:
 * component-helpers nodeaffinity.GetRequiredNodeAffinity.
 */
#include "sched-internal.h"

static const char mismatch[] = "node(s) didn't match Pod's node affinity/selector";

const struct group_label *site_label(const struct site *site, str key)
{
	/* The kubelet sets the host name on every node, to a value that nobody declares. */
	static const struct group_label any_host = {
		.key = { HOSTNAME_LABEL, sizeof(HOSTNAME_LABEL) - 1 },
		.kind = LABEL_UNKNOWN, .origin = ORIGIN_IMPLIED,
		.why = "set by the kubelet",
	};
	const struct group_label *label = group_label_find(site->group, site->shape, key);

	if (str_is(key, HOSTNAME_LABEL) && label->kind == LABEL_ABSENT &&
	    label->origin != ORIGIN_DECLARED)
		return &any_host;
	return label;
}

/* Do all demands on one key hold for a value, or for the absence of the label? */
static bool all_hold(const struct demand *demands, size_t count, bool present, str value)
{
	for (size_t i = 0; i < count; i++)
		if (!requirement_holds(demands[i].requirement, present, value))
			return false;
	return true;
}

/* Linear: value sets are short but for zones and instance types, which are few hundreds. */
static bool contains(const struct strs *values, str value)
{
	for (size_t i = 0; i < values->n; i++)
		if (str_eq(values->v[i], value))
			return true;
	return false;
}

/* One value must do for all demands: two expressions on a key are not met by two nodes. */
static bool one_of_values(const struct demand *demands, size_t count, const struct strs *values)
{
	for (size_t i = 0; i < values->n; i++)
		if (all_hold(demands, count, true, values->v[i]))
			return true;
	return false;
}

/* Is there an integer between the Gt and Lt bounds? True without any. */
static bool range_is_open(const struct demand *demands, size_t count)
{
	int64_t low = INT64_MIN, high = INT64_MAX;

	for (size_t i = 0; i < count; i++) {
		const struct requirement *requirement = demands[i].requirement;
		int64_t bound = 0;

		if (requirement->op != SELECTOR_GT && requirement->op != SELECTOR_LT)
			continue;
		if (requirement->values.n != 1 ||
		    !str_to_int64(requirement->values.v[0].s, &bound))
			return false;
		if (requirement->op == SELECTOR_GT && bound >= low)
			low = int64_add_saturated(bound, 1);
		if (requirement->op == SELECTOR_LT && bound <= high)
			high = int64_sub_saturated(bound, 1);
	}
	return low <= high;
}

/* Could some value, not excluded, satisfy all demands? */
static bool any_value(const struct demand *demands, size_t count, const struct strs *excluded)
{
	for (size_t i = 0; i < count; i++) {
		const struct requirement *requirement = demands[i].requirement;

		if (requirement->op == SELECTOR_DOES_NOT_EXIST ||
		    requirement->op == SELECTOR_INVALID)
			return false;
		if (requirement->op != SELECTOR_IN)
			continue;
		for (size_t k = 0; k < requirement->values.n; k++)
			if (!contains(excluded, requirement->values.v[k].s) &&
			    all_hold(demands, count, true, requirement->values.v[k].s))
				return true;
		return false;
	}
	return range_is_open(demands, count);
}

/* All demands on one key against the values that it may have. */
static enum answer judge_key(const struct demand *demands, size_t count,
                             const struct group_label *label)
{
	static const struct strs none;
	bool holds;

	for (size_t i = 0; i < count; i++)
		if (demands[i].open)
			return ANSWER_UNKNOWN;
	if (label->node && label->node->unknown)
		return ANSWER_UNKNOWN;
	switch (label->kind) {
	case LABEL_VALUES:
		holds = one_of_values(demands, count, &label->values);
		break;
	case LABEL_ANY:
		holds = any_value(demands, count, &label->excluded);
		break;
	case LABEL_ABSENT:
		holds = all_hold(demands, count, false, (str){ 0 });
		break;
	default:
		return any_value(demands, count, &none) ||
		               all_hold(demands, count, false, (str){ 0 })
		               ? ANSWER_UNKNOWN : ANSWER_NO;
	}
	return holds ? ANSWER_YES : ANSWER_NO;
}

/* The first run of demands on one key that answers worst; *ret_run is its first demand. */
static enum answer judge_demands(const struct site *site, const struct demands *demands,
                                 const struct demand **ret_run)
{
	enum answer worst = ANSWER_YES;

	*ret_run = NULL;
	for (size_t i = 0, end; i < demands->n && worst != ANSWER_NO; i = end) {
		enum answer answer;

		for (end = i + 1; end < demands->n; end++)
			if (!str_eq(demands->v[end].key, demands->v[i].key))
				break;
		answer = judge_key(&demands->v[i], end - i, site_label(site, demands->v[i].key));
		if (answer < worst) {
			worst = answer;
			*ret_run = &demands->v[i];
		}
	}
	return worst;
}

/* metadata.name, the only field that a node selector can name. */
static enum answer judge_fields(const struct site *site, const struct requirements *fields)
{
	const struct group_label *host = site_label(site, STR(HOSTNAME_LABEL));
	enum answer worst = ANSWER_YES;

	for (size_t i = 0; i < fields->n; i++) {
		const struct requirement *field = &fields->v[i];
		const struct demand demand = { .key = field->key, .requirement = field };
		enum answer answer = ANSWER_UNKNOWN;

		if (!str_is(field->key, "metadata.name"))
			return ANSWER_NO;
		if (site->node_name.n && !(field->node && field->node->unknown))
			answer = requirement_holds(field, true, site->node_name) ? ANSWER_YES
			                                                         : ANSWER_NO;
		else if (!site->node_name.n)
			answer = judge_key(&demand, 1, host);
		worst = answer < worst ? answer : worst;
	}
	return worst;
}

/* A term that the API could not parse matches nothing, and stops no other term. Fields and labels
 * are judged apart: the name of a node is no label. joint: beside a nodeSelector that holds. */
static enum answer judge_term(const struct site *site, const struct term_profile *term,
                              bool joint, const struct demand **ret_run)
{
	const struct demand *shared_run;
	enum answer fields, labels, shared = ANSWER_YES;

	*ret_run = NULL;
	if (term->term->node && term->term->node->unknown)
		return ANSWER_UNKNOWN;
	if (!term->parses)
		return ANSWER_NO;
	labels = judge_demands(site, &term->alone, ret_run);
	if (joint && labels != ANSWER_NO)
		shared = judge_demands(site, &term->shared, &shared_run);
	if (shared < labels) {
		labels = shared;
		*ret_run = shared_run;
	}
	fields = judge_fields(site, &term->term->match_fields);
	return labels < fields ? labels : fields;
}

/* Preferred terms and those of volumes go without the nodeSelector. */
enum answer affinity_term_matches(const struct site *site, const struct term_profile *term)
{
	const struct demand *ignored;

	return judge_term(site, term, false, &ignored);
}

/* An affinity without terms is there, and matches nothing: presence counts, not the number. */
static bool has_terms(const struct pod_profile *profile)
{
	return profile->workload->pod->required_node_terms.node != NULL;
}

/* The best of the ORed terms. ret_run: what fails in the first of the best ones. */
static enum answer judge_terms(const struct question *question, bool joint,
                               const struct demand **ret_run)
{
	const struct pod_profile *profile = question->profile;
	const struct node *node = profile->workload->pod->required_node_terms.node;
	enum answer best = ANSWER_NO;

	*ret_run = NULL;
	for (size_t i = 0; i < profile->term_count; i++) {
		const struct demand *run;
		enum answer answer = judge_term(question->site, &profile->terms[i], joint, &run);

		if (answer == ANSWER_YES)
			return ANSWER_YES;
		if (answer > best || !*ret_run)
			*ret_run = run;
		best = answer > best ? answer : best;
	}
	return node->unknown ? ANSWER_UNKNOWN : best;
}

/* Rules tell nodeSelector and affinity apart, though the scheduler has one filter for both. */
enum answer affinity_selector_alone(const struct question *question)
{
	const struct node *node = question->profile->workload->node_selector.node;
	const struct demand *ignored;

	if (node && node->unknown)
		return ANSWER_UNKNOWN;
	return judge_demands(question->site, &question->profile->selector, &ignored);
}

/* Without the nodeSelector: what remains of L(w) if only this were asked. */
enum answer affinity_terms_alone(const struct question *question)
{
	const struct demand *ignored;

	return has_terms(question->profile) ? judge_terms(question, false, &ignored) : ANSWER_YES;
}

/* The nodeSelector has to hold anyway, so it is asked first: it is a map look-up, terms are not.
 * A selector of which nothing is known cannot hide a term that certainly fails. */
enum answer affinity_admits(const struct question *question)
{
	enum answer selector = affinity_selector_alone(question);
	enum answer joint = selector;
	const struct demand *ignored;

	if (selector == ANSWER_YES && has_terms(question->profile))
		joint = judge_terms(question, true, &ignored);
	else if (selector == ANSWER_UNKNOWN && has_terms(question->profile) &&
	         affinity_terms_alone(question) == ANSWER_NO)
		joint = ANSWER_NO;
	return joint;
}

/* Does every value that the label may have satisfy all demands on it? */
static bool holds_everywhere(const struct demand *demands, size_t count,
                             const struct group_label *label)
{
	if (label->kind == LABEL_ABSENT)
		return all_hold(demands, count, false, (str){ 0 });
	if (label->kind == LABEL_ANY) {
		for (size_t i = 0; i < count; i++)
			if (demands[i].requirement->op != SELECTOR_EXISTS)
				return false;
		return true;
	}
	if (label->kind != LABEL_VALUES)
		return false;
	for (size_t i = 0; i < label->values.n; i++)
		if (!all_hold(demands, count, true, label->values.v[i]))
			return false;
	return true;
}

/* Keys are independent: a node may have any combination of the values. */
static bool demands_hold_everywhere(const struct site *site, const struct demands *demands)
{
	for (size_t i = 0, end; i < demands->n; i = end) {
		for (end = i + 1; end < demands->n; end++)
			if (!str_eq(demands->v[end].key, demands->v[i].key))
				break;
		if (!holds_everywhere(&demands->v[i], end - i,
		                      site_label(site, demands->v[i].key)))
			return false;
	}
	return true;
}

/* A term that names nodes by field is taken for one that some of them fail. */
bool affinity_admits_all(const struct question *question)
{
	const struct pod_profile *profile = question->profile;

	if (!demands_hold_everywhere(question->site, &profile->selector))
		return false;
	for (size_t i = 0; i < profile->term_count; i++)
		if (profile->terms[i].parses && !profile->terms[i].term->match_fields.n &&
		    demands_hold_everywhere(question->site, &profile->terms[i].alone))
			return true;
	return !has_terms(profile);
}

/* Values between marks, cut after the third when there are many: sets of instance types are
 * long, and a message is one line. */
static void add_list(struct buf *buf, const struct strs *values, str between)
{
	size_t shown = values->n > 4 ? 3 : values->n;

	for (size_t i = 0; i < shown; i++) {
		if (i)
			buf_add(buf, between);
		buf_add(buf, values->v[i]);
	}
	if (shown < values->n)
		buf_printf(buf, "%.*s... (%zu values)", STR_ARG(between), values->n);
}

static struct strs values_of(struct arena *arena, const struct requirement *requirement)
{
	struct strs values = { 0 };

	for (size_t i = 0; i < requirement->values.n; i++)
		*VEC_PUSH(arena, &values) = requirement->values.v[i].s;
	return values;
}

/* What the pod wants of the key, as a person would write it: role=inference, disk in (a, b).
 * Millions of these may be written, so no format is read. */
static void add_demand_text(struct buf *buf, const struct requirement *requirement)
{
	static const char *const words[] = {
		[SELECTOR_IN] = " in (", [SELECTOR_NOT_IN] = " not in (", [SELECTOR_EXISTS] = "",
		[SELECTOR_DOES_NOT_EXIST] = " absent", [SELECTOR_GT] = " > ", [SELECTOR_LT] = " < ",
		[SELECTOR_INVALID] = " (invalid operator)",
	};
	bool one = requirement->op == SELECTOR_IN && requirement->values.n == 1;
	bool list = requirement->op == SELECTOR_IN || requirement->op == SELECTOR_NOT_IN;
	struct strs values;

	buf_add(buf, requirement->key);
	buf_add(buf, one ? STR("=") : str_of(words[requirement->op]));
	if (one || (requirement->values.n && !list)) {
		buf_add(buf, requirement->values.v[0].s);
	} else if (list) {
		values = values_of(buf->arena, requirement);
		add_list(buf, &values, STR(", "));
		buf_char(buf, ')');
	}
}

/* Evidence in the form that messages count by: equal details of several groups are one. */
static str demand_detail(struct arena *arena, const struct requirement *requirement,
                         const struct group_label *label)
{
	struct buf buf = { .arena = arena };

	if (label->kind == LABEL_UNKNOWN) {
		buf_add(&buf, STR("label "));
		buf_add(&buf, requirement->key);
		buf_add(&buf, STR(" is not declared"));
		return buf_str(&buf);
	}
	buf_add(&buf, label->kind == LABEL_ABSENT ? STR("lacks label ") : STR("has label "));
	if (label->kind != LABEL_ABSENT) {
		buf_add(&buf, requirement->key);
		buf_add(&buf, label->kind == LABEL_VALUES ? STR("=") : STR(""));
		if (label->kind == LABEL_VALUES)
			add_list(&buf, &label->values, STR("|"));
		buf_add(&buf, STR(", not "));
	}
	add_demand_text(&buf, requirement);
	return buf_str(&buf);
}

/* Places at both ends: what the pod asks, and what the group has. */
static void explain(const struct question *question, enum answer answer,
                    const struct requirement *requirement)
{
	struct reason *reason = question_because(question, FILTER_NODE_AFFINITY, answer, mismatch);
	const struct group_label *label;

	if (!reason || !requirement)
		return;
	label = site_label(question->site, requirement->key);
	reason->pod_node = requirement->node;
	reason->group_node = label->node;
	reason->key = requirement->key;
	reason->detail = demand_detail(question->arena, requirement, label);
}

/* One reason for each nodeSelector entry that does not hold. */
static void explain_selector(const struct question *question)
{
	const struct demands *demands = &question->profile->selector;

	for (size_t i = 0; i < demands->n; i++) {
		const struct demand *demand = &demands->v[i];
		enum answer answer = judge_key(demand, 1,
		                               site_label(question->site, demand->key));

		if (answer != ANSWER_YES)
			explain(question, answer, demand->requirement);
	}
}

/* Of the demands on one key, the first that fails by itself; else the last one, which the
 * others contradict. */
static const struct requirement *failing(const struct question *question,
                                         const struct demand *run)
{
	const struct group_label *label;

	if (!run)
		return NULL;
	label = site_label(question->site, run->key);
	return judge_key(run, 1, label) == ANSWER_YES ? (run + 1)->requirement : run->requirement;
}

/* Says first what fails alone; the joint failure only where selector and terms hold apart. */
enum answer filter_affinity(const struct question *question)
{
	enum answer answer = affinity_admits(question), selector, terms;
	const struct demand *run = NULL;

	if (answer == ANSWER_YES || !question->reasons)
		return answer;
	selector = affinity_selector_alone(question);
	terms = affinity_terms_alone(question);
	if (selector != ANSWER_YES)
		explain_selector(question);
	if (terms == ANSWER_YES && selector != ANSWER_YES)
		return answer;
	if (has_terms(question->profile))
		judge_terms(question, terms == ANSWER_YES, &run);
	if (run || selector == ANSWER_YES)
		explain(question, terms < answer ? terms : answer, failing(question, run));
	return answer;
}

/* Terms of a volume are ORed like those of a pod. */
static enum answer judge_volume(const struct site *site, const struct volume_profile *volume)
{
	enum answer best = ANSWER_NO;

	for (size_t i = 0; i < volume->term_count && best != ANSWER_YES; i++) {
		enum answer answer = affinity_term_matches(site, &volume->terms[i]);

		best = answer > best ? answer : best;
	}
	return best;
}

/* Every volume has to be in reach; the scheduler names none of them in its reason. */
enum answer filter_volume_zone(const struct question *question)
{
	const struct pod_profile *profile = question->profile;
	enum answer worst = ANSWER_YES;

	for (size_t i = 0; i < profile->volumes.n; i++) {
		const struct volume_profile *volume = &profile->volumes.v[i];
		enum answer answer = judge_volume(question->site, volume);
		struct reason *reason;

		worst = answer < worst ? answer : worst;
		if (answer == ANSWER_YES)
			continue;
		reason = question_because(question, FILTER_VOLUME_ZONE, answer,
		                          "node(s) had volume node affinity conflict");
		if (reason) {
			reason->pod_node = volume->pod_node;
			reason->detail = volume->text;
		}
	}
	return worst;
}

/* Label selectors, as metav1.LabelSelectorAsSelector and labels.Selector.Matches judge them
 * (apimachinery v0.36), with a third answer where a template hides a value.
 *
 * Held against upstream by tests/vectors: selector.jsonl and nodeaffinity.jsonl. Upstream first
 * builds requirements and gives an error for one that cannot be; such a selector matches
 * nothing at all, whatever its other requirements say.
 */
#include "kube-internal.h"

/* Upstream compares them exactly, case and all. */
static const struct {
	const char *word;
	enum selector_operator op;
} operator_words[] = {
	{ "In", SELECTOR_IN },         { "NotIn", SELECTOR_NOT_IN },
	{ "Exists", SELECTOR_EXISTS }, { "DoesNotExist", SELECTOR_DOES_NOT_EXIST },
	{ "Gt", SELECTOR_GT },         { "Lt", SELECTOR_LT },
};

enum selector_operator selector_operator_of(str word)
{
	for (size_t i = 0; i < COUNT_OF(operator_words); i++)
		if (str_is(word, operator_words[i].word))
			return operator_words[i].op;
	return SELECTOR_INVALID;
}

enum selector_operator label_operator_of(str word)
{
	enum selector_operator op = selector_operator_of(word);

	return op == SELECTOR_GT || op == SELECTOR_LT ? SELECTOR_INVALID : op;
}

static enum answer least(enum answer a, enum answer b)
{
	return a < b ? a : b;
}

/* Membership; an empty value is a value. */
static bool texts_have(const struct texts *texts, str s)
{
	for (size_t i = 0; i < texts->n; i++)
		if (str_eq(texts->v[i].s, s))
			return true;
	return false;
}

static bool is_unknown(const struct node *node)
{
	return node && node->unknown;
}

/* ---- single requirements -------------------------------------------------------------- */

/* Strict comparison of integers; text that is none compares false. */
static bool compares(const struct requirement *requirement, str value)
{
	int64_t wanted, have;

	if (requirement->values.n != 1 ||
	    !str_to_int64(requirement->values.v[0].s, &wanted) || !str_to_int64(value, &have))
		return false;
	return requirement->op == SELECTOR_GT ? have > wanted : have < wanted;
}

bool requirement_holds(const struct requirement *requirement, bool present, str value)
{
	switch (requirement->op) {
	case SELECTOR_IN:
		return present && texts_have(&requirement->values, value);
	case SELECTOR_NOT_IN:
		return !present || !texts_have(&requirement->values, value);
	case SELECTOR_EXISTS:
		return present;
	case SELECTOR_DOES_NOT_EXIST:
		return !present;
	case SELECTOR_GT:
	case SELECTOR_LT:
		return present && compares(requirement, value);
	default:
		return false;
	}
}

/* Values must be label values, even where they could match nothing. */
static bool values_parse(const struct texts *values)
{
	for (size_t i = 0; i < values->n; i++)
		if (!is_unknown(values->v[i].node) && !label_value_is_valid(values->v[i].s))
			return false;
	return true;
}

bool requirement_parses(const struct requirement *requirement, bool of_node)
{
	int64_t number;

	switch (requirement->op) {
	case SELECTOR_IN:
	case SELECTOR_NOT_IN:
		if (!requirement->values.n)
			return false;
		break;
	case SELECTOR_EXISTS:
	case SELECTOR_DOES_NOT_EXIST:
		if (requirement->values.n)
			return false;
		break;
	case SELECTOR_GT:
	case SELECTOR_LT:
		if (!of_node || requirement->values.n != 1 ||
		    !str_to_int64(requirement->values.v[0].s, &number))
			return false;
		break;
	default:
		return false;
	}
	return label_key_is_valid(requirement->key) && values_parse(&requirement->values);
}

/* ---- selectors ------------------------------------------------------------------------ */

bool selector_parses(const struct label_selector *selector)
{
	for (size_t i = 0; i < selector->match_labels.n; i++) {
		const struct pair *pair = &selector->match_labels.v[i];

		if (!is_unknown(pair->node) &&
		    (!label_key_is_valid(pair->key) || !label_value_is_valid(pair->value)))
			return false;
	}
	for (size_t i = 0; i < selector->match_expressions.n; i++)
		if (!requirement_parses(&selector->match_expressions.v[i], false))
			return false;
	return true;
}

/* Something in the item of matchExpressions is hidden. */
static bool requirement_unknown(const struct requirement *requirement)
{
	if (is_unknown(requirement->node) || is_unknown(requirement->values.node) ||
	    is_unknown(node_get(requirement->node, "key")) ||
	    is_unknown(node_get(requirement->node, "operator")))
		return true;
	for (size_t i = 0; i < requirement->values.n; i++)
		if (is_unknown(requirement->values.v[i].node))
			return true;
	return false;
}

/* Something anywhere in the selector is hidden, so that its parse error may be none. */
static bool selector_unknown(const struct label_selector *selector)
{
	if (is_unknown(selector->node) || is_unknown(selector->match_labels.node))
		return true;
	for (size_t i = 0; i < selector->match_labels.n; i++)
		if (is_unknown(selector->match_labels.v[i].node))
			return true;
	for (size_t i = 0; i < selector->match_expressions.n; i++)
		if (requirement_unknown(&selector->match_expressions.v[i]))
			return true;
	return false;
}

/* A label whose key or whose whole map is hidden may be any label. */
static bool hidden_labels(const struct pairs *labels)
{
	if (is_unknown(labels->node))
		return true;
	for (size_t i = 0; i < labels->n; i++)
		if (is_unknown(labels->v[i].node) &&
		    str_find(labels->v[i].key, '{') < labels->v[i].key.n)
			return true;
	return false;
}

/* One item of matchExpressions whose own text is known. */
static enum answer judge(const struct requirement *requirement, const struct pairs *labels,
                         bool hidden)
{
	const struct pair *label = pairs_find(labels, requirement->key);

	if (!label && hidden)
		return ANSWER_UNKNOWN;
	if (label && is_unknown(label->node) && requirement->op != SELECTOR_EXISTS &&
	    requirement->op != SELECTOR_DOES_NOT_EXIST)
		return ANSWER_UNKNOWN;
	return requirement_holds(requirement, label, label ? label->value : (str){ 0 })
	               ? ANSWER_YES : ANSWER_NO;
}

/* One entry of matchLabels; a hidden value may still be settled by the label's absence. */
static enum answer judge_pair(const struct pair *pair, const struct pairs *labels, bool hidden)
{
	const struct pair *label = pairs_find(labels, pair->key);

	if (!label)
		return hidden ? ANSWER_UNKNOWN : ANSWER_NO;
	if (is_unknown(pair->node) || is_unknown(label->node))
		return ANSWER_UNKNOWN;
	return str_eq(pair->value, label->value) ? ANSWER_YES : ANSWER_NO;
}

enum answer selector_matches(const struct label_selector *selector, const struct pairs *labels)
{
	enum answer answer = ANSWER_YES;
	bool hidden = hidden_labels(labels);

	if (!selector->node)
		return ANSWER_NO;
	if (!selector_parses(selector))
		return selector_unknown(selector) ? ANSWER_UNKNOWN : ANSWER_NO;
	if (is_unknown(selector->node) || is_unknown(selector->match_labels.node))
		answer = ANSWER_UNKNOWN;
	for (size_t i = 0; i < selector->match_labels.n; i++)
		answer = least(answer, judge_pair(&selector->match_labels.v[i], labels, hidden));
	for (size_t i = 0; i < selector->match_expressions.n; i++) {
		const struct requirement *requirement = &selector->match_expressions.v[i];

		answer = least(answer, requirement_unknown(requirement)
		                               ? ANSWER_UNKNOWN
		                               : judge(requirement, labels, hidden));
	}
	return answer;
}

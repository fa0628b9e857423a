/* Single requirements against what a label may be: for rules that look at one value of many. */
#include "sched-internal.h"

static bool has_unknown(const struct requirement *requirement)
{
	if (requirement->node && requirement->node->unknown)
		return true;
	for (size_t i = 0; i < requirement->values.n; i++)
		if (requirement->values.v[i].node && requirement->values.v[i].node->unknown)
			return true;
	return false;
}

/* Of a label that takes any value but some: In needs one that is not excluded; whatever else is
 * wanted of the value, some value does it. */
static enum answer any_admits(const struct group_label *label,
                              const struct requirement *requirement)
{
	if (requirement->op == SELECTOR_DOES_NOT_EXIST)
		return ANSWER_NO;
	if (requirement->op != SELECTOR_IN)
		return ANSWER_YES;
	for (size_t i = 0; i < requirement->values.n; i++) {
		bool excluded = false;
		for (size_t k = 0; k < label->excluded.n && !excluded; k++)
			excluded = str_eq(label->excluded.v[k], requirement->values.v[i].s);
		if (!excluded)
			return ANSWER_YES;
	}
	return ANSWER_NO;
}

enum answer label_admits(const struct group_label *label, const struct requirement *requirement)
{
	if (has_unknown(requirement) || label->kind == LABEL_UNKNOWN)
		return ANSWER_UNKNOWN;
	if (label->kind == LABEL_ABSENT)
		return requirement_holds(requirement, false, STR("")) ? ANSWER_YES : ANSWER_NO;
	if (label->kind == LABEL_ANY)
		return any_admits(label, requirement);
	for (size_t i = 0; i < label->values.n; i++)
		if (requirement_holds(requirement, true, label->values.v[i]))
			return ANSWER_YES;
	return ANSWER_NO;
}

enum answer group_admits(const struct group *group, const struct requirement *requirement)
{
	enum answer best = ANSWER_NO;

	for (size_t i = 0; i < group->shapes.n; i++) {
		const struct group_label *label =
			group_label_find(group, &group->shapes.v[i], requirement->key);
		enum answer answer = label_admits(label, requirement);
		best = answer > best ? answer : best;
	}
	return best;
}

/* What the declared alert rules read. */
#include "ask.h"
#include "model-internal.h"

/* What is looked for: one of the names, or one name of which a label value is wanted. */
struct wanted {
	const char *const *names;  /* NULL ends; a name that ends in `*` is a prefix */
	const char *label, *value; /* NULL: any series */
};

/* May the selector let the label value through? A regex that cannot be read may. */
static bool admits(struct arena *arena, const struct promql_use *use, const struct wanted *wanted)
{
	for (size_t i = 0; wanted->label && i < use->matchers.n; i++) {
		const struct promql_matcher *matcher = &use->matchers.v[i];
		const struct regex *regex;
		bool hit = str_is(matcher->value, wanted->value);
		str error;

		if (!str_is(matcher->label, wanted->label))
			continue;
		if (matcher->regex) {
			regex = regex_new(arena, str_format(arena, "^(?:%.*s)$",
			                                    STR_ARG(matcher->value)), &error);
			if (!regex)
				continue;
			hit = regex_finds(regex, str_of(wanted->value));
		}
		if (hit == matcher->negated)
			return false;
	}
	return true;
}

/* Linear: lists have a few names. */
static bool name_is_wanted(str name, const struct wanted *wanted)
{
	for (const char *const *want = wanted->names; *want; want++) {
		str pattern = str_of(*want);
		bool prefix = str_ends(pattern, STR("*"));

		if (prefix ? str_starts(name, str_slice(pattern, 0, pattern.n - 1))
		           : str_eq(name, pattern))
			return true;
	}
	return false;
}

/* One expression: READ, NONE, or UNDECIDED when it may read more than it says. A recorded
 * series (its name has a colon) may stand for any metric. */
static enum alert_answer expression_reads(struct arena *arena, str expression,
                                          const struct wanted *wanted)
{
	struct promql promql;
	enum alert_answer answer;

	promql_read(arena, expression, &promql);
	answer = promql.readable && promql.named ? ALERTS_NONE : ALERTS_UNDECIDED;
	for (size_t i = 0; i < promql.uses.n; i++) {
		const struct promql_use *use = &promql.uses.v[i];

		if (str_find(use->name, ':') < use->name.n)
			answer = ALERTS_UNDECIDED;
		if (name_is_wanted(use->name, wanted) && admits(arena, use, wanted))
			return ALERTS_READ;
	}
	return answer;
}

/* The answer of one rule. A recording rule that reads the metric leaves it open who reads the
 * recorded series. */
static enum alert_answer rule_reads(struct arena *arena, const struct alert_rule *rule,
                                    const struct wanted *wanted)
{
	enum alert_answer answer;

	if (rule->expr.node && !node_known(rule->expr.node))
		return ALERTS_UNDECIDED;
	answer = expression_reads(arena, rule->expr.s, wanted);
	if (rule->alert.node)
		return answer;
	return answer == ALERTS_NONE ? ALERTS_NONE : ALERTS_UNDECIDED;
}

/* The most telling of its rules. */
static enum alert_answer object_reads(struct arena *arena, const struct object *object,
                                      const struct wanted *wanted)
{
	enum alert_answer best = ALERTS_NONE;

	for (size_t i = 0; i < object->prometheus_rule->rules.n; i++) {
		enum alert_answer answer = rule_reads(arena, &object->prometheus_rule->rules.v[i],
		                                      wanted);

		if (answer > best)
			best = answer;
	}
	return best;
}

/* The most telling of all rules of the scope. */
static enum alert_answer scope_reads(const struct scope *scope, const struct wanted *wanted,
                                     const struct object **ret_first)
{
	struct arena *arena = arena_new();
	enum alert_answer best = ALERTS_NONE;

	*ret_first = NULL;
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];
		enum alert_answer answer;

		if (object->class != OBJECT_PROMETHEUS_RULE || !object->prometheus_rule)
			continue;
		if (!*ret_first)
			*ret_first = object;
		answer = object_reads(arena, object, wanted);
		if (answer > best)
			best = answer;
	}
	arena_free(arena);
	return best;
}

enum alert_answer scope_alert_reads(const struct scope *scope, const char *const *metrics,
                                    bool *ret_any, const struct object **ret_first)
{
	struct wanted wanted = { .names = metrics };
	enum alert_answer answer = scope_reads(scope, &wanted, ret_first);

	*ret_any = *ret_first != NULL;
	return answer;
}

enum alert_answer scope_alert_reads_value(const struct scope *scope, const char *metric,
                                          const char *label, const char *value)
{
	const char *const names[] = { metric, NULL };
	struct wanted wanted = { .names = names, .label = label, .value = value };
	const struct object *first;

	return scope_reads(scope, &wanted, &first);
}

/* KL010: suppressions that name no known rule (rules.md, KL0). That one suppresses nothing only
 * triage can know, which says so by the same rule. */
#include "ask.h"
#include "rules-internal.h"

static bool is_family(str text)
{
	for (size_t i = 0; i < rules_count; i++)
		if (str_is(text, rules_table[i].family) ||
		    (text.n == 3 && str_starts(str_of(rules_table[i].code), text)))
			return true;
	return false;
}

static void say_unknown(const struct judge *judge, const struct suppression *suppression, str name)
{
	struct finding *finding =
		suppression->node
			? emit_at(judge, LEVEL_NOTE, suppression->object, suppression->node, NULL)
			: sink_add(judge->sink, judge->rule, LEVEL_NOTE, suppression->span);
	str near = rule_nearest(name);

	finding->salient = name;
	finding_message(judge->sink, finding, "no rule is called \"%.*s\"", STR_ARG(name));
	if (near.n > 0)
		finding_help(judge->sink, finding, "did you mean %.*s?", STR_ARG(near));
	else
		finding_help(judge->sink, finding, "write a code, a name or a family");
}

void kl010_unused_suppression(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	struct suppressions all;

	scope_suppressions(scratch, judge->scope, &all);
	for (size_t i = 0; i < all.n; i++)
		for (size_t k = 0; k < all.v[i].rules.n; k++) {
			str name = all.v[i].rules.v[k];
			if (!rule_find(name) && !is_family(name) && !str_is(name, "*"))
				say_unknown(judge, &all.v[i], name);
		}
	arena_free(scratch);
}

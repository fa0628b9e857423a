/* The table of rules, and the loop that runs them. */
#include "rules-internal.h"

const struct rule *rules_all(size_t *ret_count)
{
	*ret_count = rules_count;
	return rules_table;
}

const struct rule *rule_find(str code_or_name)
{
	for (size_t i = 0; i < rules_count; i++)
		if (str_is(code_or_name, rules_table[i].code) ||
		    str_is(code_or_name, rules_table[i].name))
			return &rules_table[i];
	return NULL;
}

str rule_nearest(str text)
{
	struct arena *arena = arena_new();
	str *names = arena_calloc(arena, 2 * rules_count, sizeof *names);

	for (size_t i = 0; i < rules_count; i++) {
		names[2 * i] = str_of(rules_table[i].code);
		names[2 * i + 1] = str_of(rules_table[i].name);
	}
	size_t nearest = str_nearest(text, names, 2 * rules_count);
	str name = nearest < 2 * rules_count ? names[nearest] : STR("");
	arena_free(arena);
	return name; /* a view of the table */
}

void rules_run(const struct scope *scope, const struct judgement *judgement, struct sink *sink)
{
	struct arena *scratch = arena_new();
	const struct map *roots = object_roots(scratch, scope);

	for (size_t i = 0; i < rules_count; i++) {
		const struct judge judge = {
			.scope = scope,
			.judgement = judgement,
			.rule = &rules_table[i],
			.sink = sink,
			.roots = roots,
		};
		rules_functions[i](&judge);
	}
	arena_free(scratch);
}

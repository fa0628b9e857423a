/* Which workloads a configuration means: selectors as kubectl writes them, and namespaces. */
#include "model.h"

/* A selector that came from a text: label_selector without a node would be a null one. */
static const struct node somewhere;

/* The begin of the next requirement: commas inside of parentheses separate values. */
static str next_requirement(str *rest)
{
	size_t end = 0, depth = 0;
	str piece;

	while (end < rest->n && (rest->p[end] != ',' || depth)) {
		depth += rest->p[end] == '(';
		depth -= depth && rest->p[end] == ')';
		end++;
	}
	piece = str_trim(str_slice(*rest, 0, end));
	*rest = str_slice(*rest, end < rest->n ? end + 1 : end, rest->n);
	return piece;
}

static void add_value(struct arena *arena, struct requirement *requirement, str value)
{
	*VEC_PUSH(arena, &requirement->values) = (struct text){ .s = str_trim(value) };
}

/* `key in (a,b)`, `key notin (a)`; false when the text has no such form. */
static bool read_set(struct arena *arena, str text, struct requirement *ret_requirement)
{
	str before, list, key, word, value;
	bool wanted;

	if (!str_cut(text, '(', &before, &list) || !str_ends(list, STR(")")))
		return false;
	list = str_slice(list, 0, list.n - 1);
	before = str_trim(before);
	if (!str_cut(before, ' ', &key, &word))
		return false;
	word = str_trim(word);
	wanted = str_is(word, "in");
	if (!wanted && !str_is(word, "notin"))
		return false;
	ret_requirement->key = key;
	ret_requirement->op = wanted ? SELECTOR_IN : SELECTOR_NOT_IN;
	while (str_next(&list, ',', &value))
		add_value(arena, ret_requirement, value);
	return true;
}

/* `key=value`, `key==value`, `key!=value`, `key`, `!key`. */
static void read_equality(struct arena *arena, str text, struct requirement *ret_requirement)
{
	str key, value;

	if (!str_cut(text, '=', &key, &value)) {
		bool absent = str_starts(text, STR("!"));

		ret_requirement->op = absent ? SELECTOR_DOES_NOT_EXIST : SELECTOR_EXISTS;
		ret_requirement->key = str_trim(str_slice(text, absent, text.n));
		return;
	}
	ret_requirement->op = str_ends(key, STR("!")) ? SELECTOR_NOT_IN : SELECTOR_IN;
	if (str_ends(key, STR("!")))
		key.n--;
	if (str_starts(value, STR("=")))
		value = str_slice(value, 1, value.n);
	ret_requirement->key = str_trim(key);
	add_value(arena, ret_requirement, value);
}

bool selector_from_text(struct arena *arena, str text, struct label_selector *ret_selector)
{
	str rest = str_trim(text);

	*ret_selector = (struct label_selector){ .node = &somewhere };
	while (rest.n) {
		str piece = next_requirement(&rest);
		struct requirement requirement = { 0 };

		if (!read_set(arena, piece, &requirement))
			read_equality(arena, piece, &requirement);
		*VEC_PUSH(arena, &ret_selector->match_expressions) = requirement;
	}
	return selector_parses(ret_selector);
}

static bool any_glob_matches(const struct strs *globs, str text)
{
	for (size_t i = 0; i < globs->n; i++)
		if (source_glob_matches(globs->v[i], text))
			return true;
	return globs->n == 0;
}

bool workload_is_chosen(const struct workload_choice *choice, const struct workload *workload)
{
	return any_glob_matches(&choice->namespaces, workload->namespace) &&
	       selector_matches(&choice->selector, &workload->pod->labels) == ANSWER_YES;
}

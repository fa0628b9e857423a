/* Taints and tolerations (v1.Toleration.ToleratesTaint, api v0.36).
 *
 * An absent field of a toleration is a wild card for key (with Exists) and effect, but not for
 * value: without value, Equal covers only a taint without value. What the operators Gt and Lt
 * compare is the taint's value to the toleration's. Held against tests/vectors: toleration.jsonl.
 */
#include "kube-internal.h"

struct effect_row {
	const char *word;      /* lower case, without _ and - */
	const char *effect;
};
static const struct effect_row effect_rows[] = {
	{ "noschedule", "NoSchedule" },
	{ "prefernoschedule", "PreferNoSchedule" },
	{ "noexecute", "NoExecute" },
};

/* The form upstream asks of both sides: an optional minus, no leading zero, no plus sign. */
static bool parse_strict(str text, int64_t *ret_value)
{
	str digits = str_starts(text, STR("-")) ? str_slice(text, 1, text.n) : text;

	if (!digits.n || digits.p[0] < '0' || digits.p[0] > '9' ||
	    (digits.p[0] == '0' && text.n > 1))
		return false;
	return str_to_int64(text, ret_value);
}

/* Is the taint's value above (Gt) or below (Lt) the toleration's? */
static bool compares(const struct toleration *toleration, const struct taint *taint)
{
	int64_t wanted, have;

	if (!parse_strict(toleration->value.s, &wanted) || !parse_strict(taint->value, &have))
		return false;
	return str_is(toleration->op.s, "Gt") ? have > wanted : have < wanted;
}

bool toleration_covers(const struct toleration *toleration, const struct taint *taint,
                       bool comparison)
{
	str op = toleration->op.s;

	if (toleration->effect.s.n && !str_eq(toleration->effect.s, taint->effect))
		return false;
	if (toleration->key.s.n && !str_eq(toleration->key.s, taint->key))
		return false;
	if (!op.n || str_is(op, "Equal"))
		return str_eq(toleration->value.s, taint->value);
	if (str_is(op, "Exists"))
		return true;
	return comparison && (str_is(op, "Gt") || str_is(op, "Lt")) && compares(toleration, taint);
}

str taint_text(struct arena *arena, const struct taint *taint)
{
	return str_format(arena, "%.*s%s%.*s:%.*s", STR_ARG(taint->key), taint->value.n ? "=" : "",
	                  STR_ARG(taint->value), STR_ARG(taint->effect));
}

/* Compares without regard to case, `_`, `-` and blanks. */
static bool effect_is(str text, const char *word)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '_' || c == '-' || c == ' ')
			continue;
		if (c >= 'A' && c <= 'Z')
			c = (char)(c + 'a' - 'A');
		if (c != *word)
			return false;
		word++;
	}
	return !*word;
}

bool taint_effect_parse(str text, str *ret_effect)
{
	for (size_t i = 0; i < COUNT_OF(effect_rows); i++)
		if (effect_is(text, effect_rows[i].word)) {
			*ret_effect = str_of(effect_rows[i].effect);
			return true;
		}
	return false;
}

bool taint_parse(str text, struct taint *ret_taint)
{
	size_t colon = str_find_last(text, ':');
	struct taint taint = { 0 };

	*ret_taint = taint;
	if (colon == text.n ||
	    !taint_effect_parse(str_trim(str_slice(text, colon + 1, text.n)), &taint.effect))
		return false;
	str_cut(str_trim(str_slice(text, 0, colon)), '=', &taint.key, &taint.value);
	if (!taint.key.n)
		return false;
	*ret_taint = taint;
	return true;
}

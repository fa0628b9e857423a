/* Which labels the groups have: for the nearest value of a selector. */
#include "rules-internal.h"

static void add_uses(struct arena *arena, const struct group *group,
                     const struct group_labels *labels, str key, struct label_uses *uses)
{
	for (size_t i = 0; i < labels->n; i++) {
		const struct group_label *label = &labels->v[i];
		if (label->kind != LABEL_VALUES || (key.n > 0 && !str_eq(label->key, key)))
			continue;
		for (size_t k = 0; k < label->values.n; k++)
			*VEC_PUSH(arena, uses) =
				(struct label_use){ group, label, label->values.v[k] };
	}
}

/* Equal values of several groups or shapes are one. */
static void drop_equal(struct label_uses *uses)
{
	size_t kept = 0;

	for (size_t i = 0; i < uses->n; i++) {
		bool known = false;
		for (size_t k = 0; k < kept && !known; k++)
			known = str_eq(uses->v[k].value, uses->v[i].value) &&
			        str_eq(uses->v[k].label->key, uses->v[i].label->key);
		if (!known)
			uses->v[kept++] = uses->v[i];
	}
	uses->n = kept;
}

void label_uses_find(struct arena *arena, const struct scope *scope, str key,
                     struct label_uses *ret_uses)
{
	*ret_uses = (struct label_uses){ 0 };
	for (size_t i = 0; i < scope->groups.n; i++) {
		const struct group *group = scope->groups.v[i];
		add_uses(arena, group, &group->labels, key, ret_uses);
		for (size_t k = 0; k < group->shapes.n; k++)
			add_uses(arena, group, &group->shapes.v[k].labels, key, ret_uses);
	}
	if (key.n > 0)
		drop_equal(ret_uses);
}

const struct label_use *label_use_nearest(const struct label_uses *uses, str value)
{
	struct arena *scratch = arena_new();
	str *values = arena_calloc(scratch, uses->n, sizeof *values);

	for (size_t i = 0; i < uses->n; i++)
		values[i] = uses->v[i].value;
	size_t nearest = str_nearest(value, values, uses->n);
	arena_free(scratch);
	return nearest < uses->n ? &uses->v[nearest] : NULL;
}

const struct label_use *label_key_nearest(struct arena *arena, const struct scope *scope,
                                          str key, str value)
{
	struct label_uses all;
	struct label_uses *same = ARENA_NEW(arena, struct label_uses);

	label_uses_find(arena, scope, STR(""), &all);
	for (size_t i = 0; i < all.n; i++)
		if (str_eq(all.v[i].value, value))
			*VEC_PUSH(arena, same) = all.v[i];
	drop_equal(same);
	str *keys = arena_calloc(arena, same->n, sizeof *keys);
	for (size_t i = 0; i < same->n; i++)
		keys[i] = same->v[i].label->key;
	size_t nearest = str_nearest(key, keys, same->n);
	return nearest < same->n ? &same->v[nearest] : NULL;
}

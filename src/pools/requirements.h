/* requirements: Karpenter's algebra of label requirements (node-groups.md section 2).
 *
 * Each key has a set of values: listed ones, or all but the listed ones (complement), within
 * bounds. Several requirements on a key intersect. Upstream: karpenter pkg/scheduling
 * requirement.go.
 */
#ifndef KUBELINT_REQUIREMENTS_H
#define KUBELINT_REQUIREMENTS_H

#include "pools-internal.h"

struct value_set {
	str key;                   /* in its modern spelling */
	bool complement;           /* all values but those listed */
	struct strs values;
	bool bounded;              /* only integers of [least, most] */
	int64_t least, most;
	bool open;                 /* an unreadable part (template): anything may be meant */
	const struct node *node;   /* the first requirement on the key */
};
struct value_sets VEC(struct value_set);

/* Requirements of a list, and labels of a map as In with one value, joined by key. */
void requirements_add_list(const struct reader *reader, const struct node *list,
                           struct value_sets *sets);
void requirements_add_labels(const struct reader *reader, const struct node *map,
                             struct value_sets *sets);
/* One more requirement on the key. */
void requirements_add_values(struct arena *arena, struct value_sets *sets, str key,
                             const struct strs *values);
const struct value_set *requirements_find(const struct value_sets *sets, str key);

/* May the label have the value? */
bool set_has(const struct value_set *set, str value);
/* May the label be absent? */
bool set_allows_absence(const struct value_set *set);
/* No value and no absence is left. */
bool set_is_contradiction(const struct value_set *set);

/* Requirements as a label of the group: a set of values, any value, or absent. */
void set_as_label(struct arena *arena, const struct value_set *set, struct group *group);

/* The value of an instance type's label; false: the catalogue does not know the key. An empty
 * value: the type has no such label. */
bool instance_label(struct arena *arena, const struct instance_type *type, str key,
                    str *ret_value);
/* Adds a shape for each type of the group's provider that the sets admit. */
void requirements_add_shapes(const struct reader *reader, const struct value_sets *sets,
                             struct group *group);
/* Can any node of a Karpenter pool carry the key without the pool naming it? */
bool karpenter_knows_label(str key);

#endif

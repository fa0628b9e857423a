/* What is left when a group or a zone is gone: the scope judged again without it. */
#include "sched-internal.h"

#define ZONE_LABEL "topology.kubernetes.io/zone"

static const struct group_label *zones_of(const struct group *group)
{
	return group_label_find(group, &group->shapes.v[0], STR(ZONE_LABEL));
}

/* A zone that nobody declares cannot be lost. */
static bool lies_in(const struct group_label *label, str zone)
{
	for (size_t i = 0; label->kind == LABEL_VALUES && i < label->values.n; i++)
		if (str_eq(label->values.v[i], zone))
			return true;
	return false;
}

/* Zones of all groups, also of those that no workload may use. */
void sched_zones(struct arena *arena, const struct scope *scope, struct strs *ret_zones)
{
	struct map *known = map_new(arena);

	for (size_t g = 0; g < scope->groups.n; g++) {
		const struct group *group = scope->groups.v[g];
		const struct group_label *label = group->shapes.n ? zones_of(group) : NULL;

		for (size_t i = 0; label && label->kind == LABEL_VALUES && i < label->values.n; i++) {
			if (map_has(known, label->values.v[i]))
				continue;
			map_put(known, label->values.v[i], NULL);
			*VEC_PUSH(arena, ret_zones) = label->values.v[i];
		}
	}
}

/* The group without its nodes in the zone; NULL when none are left. */
static struct group *shrink(struct arena *arena, const struct group *group,
                            const struct group_label *label, str zone)
{
	struct group *rest = ARENA_NEW(arena, struct group);
	int64_t zones = (int64_t)label->values.n;

	if (zones < 2)
		return NULL;
	*rest = *group;
	/* Bounds per zone already leave the zone out once it is not listed. */
	if (!group->per_zone && rest->max.value < INT64_MAX)
		rest->max.value -= (rest->max.value + zones - 1) / zones;
	rest->labels = (struct group_labels){ 0 };
	for (size_t i = 0; i < group->labels.n; i++) {
		struct group_label *copy = VEC_PUSH(arena, &rest->labels);

		*copy = group->labels.v[i];
		if (!str_is(copy->key, ZONE_LABEL))
			continue;
		copy->values = (struct strs){ 0 };
		for (size_t v = 0; v < label->values.n; v++)
			if (!str_eq(label->values.v[v], zone))
				*VEC_PUSH(arena, &copy->values) = label->values.v[v];
	}
	rest->zones = (struct strs){ 0 };
	for (size_t i = 0; i < group->zones.n; i++)
		if (!str_eq(group->zones.v[i], zone))
			*VEC_PUSH(arena, &rest->zones) = group->zones.v[i];
	return rest;
}

/* Groups keep their order, which is that of the verdicts. */
static void take_groups(struct arena *arena, const struct scope *scope,
                        const struct fleet_loss *loss, struct scope *rest)
{
	rest->groups = (struct groups){ 0 };
	for (size_t i = 0; i < scope->groups.n; i++) {
		struct group *group = scope->groups.v[i];
		const struct group_label *label;

		if (group == loss->group || !group->shapes.n)
			continue;
		label = zones_of(group);
		if (loss->zone.n && lies_in(label, loss->zone))
			group = shrink(arena, group, label, loss->zone);
		if (group)
			*VEC_PUSH(arena, &rest->groups) = group;
	}
}

/* Judged anew: with fewer groups workloads may have no place at all. */
void sched_fleet_after(struct arena *arena, const struct judgement *judgement,
                       const struct fleet_question *question, const struct fleet_loss *loss,
                       struct fleet *ret_fleet)
{
	struct scope *rest = ARENA_NEW(arena, struct scope);

	*rest = *judgement->scope;
	take_groups(arena, judgement->scope, loss, rest);
	sched_fleet(arena, sched_judge(arena, rest), question, ret_fleet);
}

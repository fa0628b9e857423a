/* KL116, KL125: volumes and the zones that pods may run in (rules.md, KL1). */
#include "rules-internal.h"

#define ZONE_LABEL "topology.kubernetes.io/zone"

/* ---- KL116 ------------------------------------------------------------------------------ */

/* Does only the volume keep the pod off the group? */
static bool only_volume(const struct verdict *verdict)
{
	for (size_t i = 0; i < FILTER_COUNT; i++)
		if (verdict->by_filter[i] == ANSWER_NO && i != FILTER_VOLUME_ZONE)
			return false;
	return verdict->by_filter[FILTER_VOLUME_ZONE] == ANSWER_NO;
}

bool volume_leaves_no_group(const struct placement *placement)
{
	size_t fit = 0;

	for (size_t i = 0; i < placement->count; i++) {
		if (placement->verdicts[i].answer != ANSWER_NO)
			return false;
		fit += only_volume(&placement->verdicts[i]);
	}
	return fit > 0 && !placement->undecidable;
}

static void say_zone_conflict(const struct judge *judge, const struct workload *workload,
                              const struct placement *placement)
{
	struct arena *arena = JUDGE_ARENA(judge);
	const struct reason *reason = NULL;
	struct strs names = { 0 };

	for (size_t i = 0; i < placement->count; i++) {
		if (!only_volume(&placement->verdicts[i]))
			continue;
		*VEC_PUSH(arena, &names) = placement->verdicts[i].group->name;
		reason = reason ? reason : verdict_reason(&placement->verdicts[i],
		                                          FILTER_VOLUME_ZONE);
	}
	bool own = reason && reason->pod_node && node_is_of(reason->pod_node, workload->object);
	struct finding *finding = emit_at(judge, LEVEL_ERROR, workload->object,
	                                  own ? reason->pod_node : workload->pod->spec, NULL);
	finding_message(judge->sink, finding,
	                "0/%zu node groups can run it: the volume cannot be used in the zones of "
	                "%.*s", placement->count, STR_ARG(list_text(arena, &names, 4)));
	finding_help(judge->sink, finding,
	             "add a node group in the volume's zone, or move the data to another volume");
}

/* Several nodes at once, as far as is declared. */
bool pods_may_spread(const struct judge *judge, const struct workload *workload)
{
	const struct placement *placement = placement_of(judge, workload);
	int64_t nodes = 0;

	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		if (verdict->answer == ANSWER_YES && verdict->group->max.origin != ORIGIN_UNKNOWN)
			nodes = int64_add_saturated(nodes, verdict->group->max.value);
	}
	return nodes > 1;
}

/* Only one access mode, and that one. */
bool claim_is_only(const struct claim *claim, const char *mode)
{
	return claim->access_modes.n == 1 && str_is(claim->access_modes.v[0].s, mode);
}

static void check_shared_claim(const struct judge *judge, const struct workload *workload,
                               const struct volume *volume)
{
	const struct object *object = scope_find(judge->scope, OBJECT_PVC, workload->namespace,
	                                         volume->claim_name.s);
	bool per_pod, per_node;

	if (!object || !object->claim || !node_known(volume->claim_name.node))
		return;
	per_pod = claim_is_only(object->claim, "ReadWriteOncePod");
	per_node = claim_is_only(object->claim, "ReadWriteOnce") && pods_may_spread(judge, workload);
	if (!per_pod && !per_node)
		return;
	struct finding *finding = emit_at(judge, per_pod ? LEVEL_ERROR : LEVEL_WARNING,
	                                  workload->object, volume->claim_name.node, NULL);
	finding_message(judge->sink, finding,
	                "up to %lld replicas share claim %.*s, which is %s: %s",
	                (long long)workload->peak.value, STR_ARG(volume->claim_name.s),
	                per_pod ? "ReadWriteOncePod" : "ReadWriteOnce",
	                per_pod ? "only one of them can run"
	                        : "those on another node than the first never start");
	finding_relate(judge->sink, finding, node_place(object->name.node),
	               "PersistentVolumeClaim %.*s", STR_ARG(object->name.s));
	finding_help(judge->sink, finding,
	             "use ReadWriteMany storage, or a StatefulSet with a claim for each pod");
}

/* An error needs every group that would otherwise fit to fail for the volume alone. A claim that
 * is not declared restricts nothing. */
void kl116_volume_zone_conflict(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct placement *placement = placement_of(judge, workload);
		const struct volumes *volumes = &workload->pod->volumes;

		if (volume_leaves_no_group(placement))
			say_zone_conflict(judge, workload, placement);
		if (!workload->peak.known || workload->peak.value < 2 || workload->daemon_set ||
		    workload->job)
			continue;
		for (size_t k = 0; k < volumes->n; k++)
			if (volumes->v[k].claim_name.node)
				check_shared_claim(judge, workload, &volumes->v[k]);
	}
}

/* ---- KL125 ------------------------------------------------------------------------------ */

/* Zones that the groups span, each once; false when some group's are not known. */
static bool zones_of(const struct placement *placement, bool eligible, struct map *zones)
{
	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		if (eligible && verdict->answer == ANSWER_NO)
			continue;
		for (size_t k = 0; k < verdict->group->shapes.n; k++) {
			const struct group_label *label = group_label_find(
				verdict->group, &verdict->group->shapes.v[k], STR(ZONE_LABEL));
			if (label->kind != LABEL_VALUES)
				return false;
			for (size_t m = 0; m < label->values.n; m++)
				map_put(zones, label->values.v[m], zones);
		}
	}
	return placement->count > 0;
}

/* Is the pod kept from some zones that the groups span? */
static bool is_confined(struct arena *arena, const struct placement *placement)
{
	struct map *all = map_new(arena), *own = map_new(arena);

	return !placement->undecidable && zones_of(placement, false, all) &&
	       zones_of(placement, true, own) && map_count(own) > 0 &&
	       map_count(own) < map_count(all);
}

static bool binds_at_once(const struct object *class)
{
	const struct node *mode = node_get(class->root, "volumeBindingMode");

	return (node_is_null(mode) || (node_known(mode) && str_is(node_text(mode), "Immediate"))) &&
	       node_is_null(node_get(class->root, "allowedTopologies"));
}

/* name: where a claim or a claim template names its class. */
static void check_class(const struct judge *judge, const struct workload *workload,
                        const struct node *name)
{
	const struct object *class = scope_find(judge->scope, OBJECT_STORAGE_CLASS, STR(""),
	                                        node_text(name));
	struct arena *scratch;

	if (!node_known(name) || !class || !binds_at_once(class))
		return;
	scratch = arena_new();
	bool confined = is_confined(scratch, placement_of(judge, workload));
	arena_free(scratch);
	if (!confined)
		return;
	struct finding *finding = emit_at(judge, LEVEL_WARNING, workload->object, name, NULL);
	const struct node *mode = node_get(class->root, "volumeBindingMode");
	finding_message(judge->sink, finding,
	                "StorageClass %.*s binds at once, in any zone, but the pods may run in "
	                "some zones of the node groups only", STR_ARG(class->name.s));
	finding_relate(judge->sink, finding, node_place(mode ? mode : class->name.node),
	               "StorageClass %.*s", STR_ARG(class->name.s));
	finding_help(judge->sink, finding,
	             "use a class with volumeBindingMode: WaitForFirstConsumer");
}

/* Claim templates; a claim that is declared by itself may be bound already. */
static void check_claims(const struct judge *judge, const struct workload *workload)
{
	const struct node *templates =
		node_at(workload->object->root, "spec.volumeClaimTemplates");

	for (uint32_t i = 0; node_is_list(templates) && i < templates->child_count; i++)
		check_class(judge, workload,
		            node_at(&templates->children[i], "spec.storageClassName"));
}

/* All zones of all groups must be known, and the pod must be kept from some of them. */
void kl125_volume_binding_immediate(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++)
		check_claims(judge, judge->scope->workloads.v[i]);
}

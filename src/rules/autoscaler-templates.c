/* KL5, third part: what the cluster autoscaler takes a node for that is not there yet (rules.md,
 * KL504, KL508, KL515).
 *
 * Upstream: cloudprovider/aws buildNodeFromTemplate. At 0 nodes it knows the instance type of the
 * first override, the first zone, and what tags with the prefix node-template say.
 */
#include "ask.h"
#include "edits.h"

/* Karpenter plans with each type and knows its own labels. */
static bool is_karpenter(const struct group *group)
{
	return str_starts(str_of(group->format), STR("karpenter"));
}

/* Only a group that can be empty has to be imagined. */
static bool scales_from_zero(const struct group *group)
{
	return group->min.origin != ORIGIN_UNKNOWN && group->min.value == 0;
}

/* The verdict on the workload for the group with that index; NULL when nothing is decided. */
static const struct verdict *verdict_on(const struct judge *judge,
                                        const struct workload *workload, size_t index)
{
	const struct placement *placement = placement_of(judge, workload);

	return placement->undecidable || index >= placement->count ? NULL
	                                                           : &placement->verdicts[index];
}

/* Does every other group certainly refuse the workload? */
static bool is_only_group(const struct judge *judge, const struct workload *workload,
                          size_t index)
{
	const struct placement *placement = placement_of(judge, workload);

	for (size_t i = 0; i < placement->count; i++)
		if (i != index && placement->verdicts[i].answer != ANSWER_NO)
			return false;
	return true;
}

/* ---- KL504 ----------------------------------------------------------------------------- */

#define TEMPLATE_TAG "k8s.io/cluster-autoscaler/node-template/"

/* A group of EKS's own machines made by eksctl: only its tags tell the autoscaler. */
static bool is_self_managed(const struct group *group)
{
	return str_starts(str_of(group->format), STR("eksctl")) && group->node &&
	       group->node->parent && str_is(group->node->parent->key, "nodeGroups");
}

/* eksctl then writes labels (and taints without effect) into the tags itself. */
static bool propagates_tags(const struct group *group)
{
	bool on = false;

	return node_bool(node_get(group->node, "propagateASGTags"), &on) && on;
}

/* The key alone counts: a wrong value is another mistake. */
static bool has_template_tag(const struct group *group, const char *what, str key)
{
	struct arena *arena = arena_new();
	str tag = str_format(arena, TEMPLATE_TAG "%s/%.*s", what, STR_ARG(key));
	bool has = pairs_find(&group->tags, tag) != NULL;

	arena_free(arena);
	return has;
}

/* Implied labels come from the provider, which the autoscaler knows too. */
static bool declares_label(const struct group *group, str key)
{
	for (size_t i = 0; i < group->labels.n; i++)
		if (str_eq(group->labels.v[i].key, key))
			return group->labels.v[i].origin == ORIGIN_DECLARED;
	return false;
}

/* A fact that the template of an absent node lacks. */
struct blind_fact {
	const char *what;              /* label, taint, resources */
	str key;
	const struct workload *needs;  /* the first one that needs it; NULL for a taint */
	const struct node *where;      /* where it asks */
	bool only;                     /* the group is the only one for some of them */
};
struct blind_facts VEC(struct blind_fact);

/* One finding per missing fact, at its worst. */
static void add_fact(struct arena *arena, struct blind_facts *facts,
                     const struct blind_fact *fact)
{
	for (size_t i = 0; i < facts->n; i++)
		if (str_is(str_of(facts->v[i].what), fact->what) &&
		    str_eq(facts->v[i].key, fact->key)) {
			facts->v[i].only = facts->v[i].only || fact->only;
			return;
		}
	*VEC_PUSH(arena, facts) = *fact;
}

/* A label that the group does not declare is KL101, not this. */
static void add_label(struct arena *arena, const struct group *group, struct blind_facts *facts,
                      const struct blind_fact *fact)
{
	if (declares_label(group, fact->key) && !propagates_tags(group) &&
	    !has_template_tag(group, "label", fact->key))
		add_fact(arena, facts, fact);
}

/* Labels that the workload's selector and required affinity ask for. */
static void add_labels(struct arena *arena, const struct group *group,
                       const struct workload *workload, bool only, struct blind_facts *facts)
{
	const struct node_selector_terms *terms = &workload->pod->required_node_terms;
	struct blind_fact fact = { .what = "label", .needs = workload, .only = only };

	for (size_t i = 0; i < workload->node_selector.n; i++) {
		fact.key = workload->node_selector.v[i].key;
		fact.where = workload->node_selector.v[i].node;
		add_label(arena, group, facts, &fact);
	}
	for (size_t i = 0; terms->n == 1 && i < terms->v[0].match_expressions.n; i++) {
		const struct requirement *requirement = &terms->v[0].match_expressions.v[i];

		fact.key = requirement->key;
		fact.where = requirement->node;
		if (requirement->op == SELECTOR_IN || requirement->op == SELECTOR_EXISTS)
			add_label(arena, group, facts, &fact);
	}
}

/* Resources that no instance type has by itself: ephemeral storage and extended ones but GPUs. */
static bool is_in_template(const struct group *group, str resource)
{
	const struct instance_type *type = group->shapes.n
		? instance_type_find(group->provider, group->shapes.v[0].instance_type) : NULL;

	if (str_is(resource, "cpu") || str_is(resource, "memory") || str_is(resource, "pods"))
		return true;
	return type && type->gpu_count > 0 && type->gpu_resource &&
	       str_is(resource, type->gpu_resource);
}

/* Requests of 0 need nothing. */
static void add_resources(struct arena *arena, const struct group *group,
                          const struct workload *workload, bool only,
                          struct blind_facts *facts)
{
	for (size_t i = 0; i < workload->requests.v.n; i++) {
		const struct resource_amount *amount = &workload->requests.v.v[i];
		struct blind_fact fact = { .what = "resources", .key = amount->resource,
			                   .needs = workload, .where = amount->node,
			                   .only = only };

		if (amount->amount > 0 && !is_in_template(group, amount->resource) &&
		    !has_template_tag(group, "resources", amount->resource))
			add_fact(arena, facts, &fact);
	}
}

/* Only workloads that certainly run there need anything of the group. A taint that is not seen
 * makes the autoscaler start nodes in vain: never an error. */
static void collect_facts(const struct judge *judge, size_t index, struct arena *arena,
                          struct blind_facts *facts)
{
	const struct group *group = judge->scope->groups.v[index];

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct verdict *verdict = verdict_on(judge, workload, index);
		bool only;

		if (workload->daemon_set || !verdict || verdict->answer != ANSWER_YES)
			continue;
		only = is_only_group(judge, workload, index);
		add_labels(arena, group, workload, only, facts);
		add_resources(arena, group, workload, only, facts);
	}
	for (size_t i = 0; i < group->taints.n; i++) {
		struct blind_fact fact = { .what = "taint", .key = group->taints.v[i].key };

		if (group->taints.v[i].node && !has_template_tag(group, "taint", fact.key))
			add_fact(arena, facts, &fact);
	}
}

/* E only when no other group could take the workload. */
static void say_fact(const struct judge *judge, const struct group *group,
                     const struct blind_fact *fact)
{
	const struct node *tags = node_get(group->node, "tags");
	enum level level = fact->needs && fact->only ? LEVEL_ERROR : LEVEL_WARNING;
	struct finding *finding = tags ? emit_group(judge, level, group, tags, NULL)
	                               : emit_group(judge, level, group, group->node, "tags");

	finding->salient = fact->key;
	if (fact->needs)
		finding_message(judge->sink, finding,
		                "minSize is 0 and no tag tells the autoscaler of %s %.*s, which "
		                "%.*s needs: it never starts the first node%s",
		                str_is(str_of(fact->what), "label") ? "label" : "resource",
		                STR_ARG(fact->key), STR_ARG(fact->needs->text),
		                fact->only ? "" : " for it");
	else
		finding_message(judge->sink, finding,
		                "minSize is 0 and no tag tells the autoscaler of taint %.*s: it may "
		                "start nodes for pods that cannot run there", STR_ARG(fact->key));
	finding_help(judge->sink, finding, "add the tag " TEMPLATE_TAG "%s/%.*s", fact->what,
	             STR_ARG(fact->key));
	if (fact->needs)
		relate_object(judge, finding, fact->needs->object, fact->where, "needs it");
}

/* Other self-managed formats say nothing of their tags here, so eksctl's nodeGroups alone are
 * judged. */
void kl504_scale_from_zero_blind(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->groups.n; i++) {
		const struct group *group = judge->scope->groups.v[i];
		struct arena *arena;
		struct blind_facts facts = { 0 };

		if (!judge->scope->pools.autoscaler_declared || !scales_from_zero(group) ||
		    !is_self_managed(group) || (group->tags.node && group->tags.node->unknown))
			continue;
		arena = arena_new();
		collect_facts(judge, i, arena, &facts);
		for (size_t k = 0; k < facts.n; k++)
			say_fact(judge, group, &facts.v[k]);
		arena_free(arena);
	}
}

/* ---- KL508 ----------------------------------------------------------------------------- */

/* Only where both are known. */
static bool capacity_differs(const struct group *group, const struct node_shape *shape,
                             const char *resource, int64_t tolerance_percent)
{
	const struct node_shape *first = &group->shapes.v[0];
	struct capacity_fact a = shape_allocatable(group, first, str_of(resource));
	struct capacity_fact b = shape_allocatable(group, shape, str_of(resource));
	int64_t low = a.optimistic < b.optimistic ? a.optimistic : b.optimistic;
	int64_t high = a.optimistic < b.optimistic ? b.optimistic : a.optimistic;

	return a.known && b.known &&
	       int64_mul_saturated(high - low, 100) > int64_mul_saturated(high, tolerance_percent);
}

/* What tells the type from the first one: vCPU, accelerators, or memory by more than 10 %. */
static bool types_differ(const struct group *group, const struct node_shape *shape)
{
	const struct instance_type *a = instance_type_find(group->provider,
	                                                   group->shapes.v[0].instance_type);
	const struct instance_type *b = instance_type_find(group->provider, shape->instance_type);

	if (!a || !b)
		return capacity_differs(group, shape, "cpu", 5) ||
		       capacity_differs(group, shape, "memory", 10);
	return a->milli_cpu != b->milli_cpu || a->gpu_count != b->gpu_count ||
	       (int64_t)(a->memory_mib > b->memory_mib ? a->memory_mib - b->memory_mib
	                                               : b->memory_mib - a->memory_mib) * 10 >
	               (a->memory_mib > b->memory_mib ? a->memory_mib : b->memory_mib);
}

/* As if the node were the only one and empty. */
static enum answer fits_shape(struct arena *arena, const struct workload *workload,
                              const struct group *group, const struct node_shape *shape)
{
	const struct node_state empty = { .name = group->name };
	struct verdict verdict = { 0 };

	node_judge(arena, workload, group, shape, &empty, &verdict);
	return verdict.by_filter[FILTER_NODE_RESOURCES_FIT];
}

/* How the workload's fit hangs on the type: a type that takes it and one that does not. */
struct mixed_fit {
	const struct workload *workload;
	const struct node_shape *takes, *refuses;
	bool first_refuses;
};

/* The worst case first: a workload that the simulated type refuses. */
static struct mixed_fit mixed_fit(const struct judge *judge, struct arena *arena, size_t index)
{
	const struct group *group = judge->scope->groups.v[index];
	struct mixed_fit best = { 0 };

	for (size_t i = 0; i < judge->scope->workloads.n && !best.first_refuses; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct verdict *verdict = verdict_on(judge, workload, index);
		struct mixed_fit fit = { .workload = workload };

		if (workload->daemon_set || !verdict || verdict->answer != ANSWER_YES)
			continue;
		for (size_t k = 0; k < group->shapes.n; k++) {
			const struct node_shape *shape = &group->shapes.v[k];
			enum answer answer = fits_shape(arena, workload, group, shape);

			fit.takes = answer == ANSWER_YES ? shape : fit.takes;
			fit.refuses = answer == ANSWER_NO ? shape : fit.refuses;
			fit.first_refuses = fit.first_refuses || (k == 0 && answer == ANSWER_NO);
		}
		if (fit.takes && fit.refuses && (!best.workload || fit.first_refuses))
			best = fit;
	}
	return best;
}

/* Different types that hold the same workloads are no fault. */
static void check_types(const struct judge *judge, size_t index)
{
	const struct group *group = judge->scope->groups.v[index];
	struct arena *arena = arena_new();
	bool differ = false;
	struct mixed_fit fit;
	struct finding *finding;

	for (size_t k = 1; k < group->shapes.n && !differ; k++)
		differ = types_differ(group, &group->shapes.v[k]);
	fit = differ ? mixed_fit(judge, arena, index) : (struct mixed_fit){ 0 };
	arena_free(arena);
	if (!fit.workload)
		return;
	fit.first_refuses = fit.first_refuses && scales_from_zero(group);
	finding = emit_group(judge, fit.first_refuses ? LEVEL_ERROR : LEVEL_WARNING, group,
	                     fit.takes->node ? fit.takes->node : group_name_node(group), NULL);
	finding_message(judge->sink, finding,
	                "the autoscaler simulates %.*s with its first type %.*s; %.*s fits %.*s and "
	                "not %.*s%s", STR_ARG(group->name),
	                STR_ARG(group->shapes.v[0].instance_type), STR_ARG(fit.workload->text),
	                STR_ARG(fit.takes->instance_type), STR_ARG(fit.refuses->instance_type),
	                fit.first_refuses ? ", so at 0 nodes it never starts one" : "");
	finding_help(judge->sink, finding,
	             "use types of equal vCPU, memory and accelerators, or a group for each");
	relate_object(judge, finding, fit.workload->object, NULL, "hangs on the type");
}

/* E only from zero: with nodes there the autoscaler looks at a real one. */
void kl508_mixed_instance_group(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->groups.n; i++)
		if (judge->scope->pools.autoscaler_declared &&
		    judge->scope->groups.v[i]->shapes.n > 1 &&
		    !is_karpenter(judge->scope->groups.v[i]))
			check_types(judge, i);
}

/* ---- KL515 ----------------------------------------------------------------------------- */

/* Drivers whose volumes live in one zone. */
static bool is_zonal(const struct scope *scope, str class_name)
{
	static const char *const drivers[] = { "ebs.csi.aws.com", "kubernetes.io/aws-ebs",
		                               "pd.csi.storage.gke.io", "kubernetes.io/gce-pd" };
	const struct object *class = scope_find(scope, OBJECT_STORAGE_CLASS, (str){ 0 },
	                                        class_name);
	str driver = class ? node_text(node_get(class->root, "provisioner")) : (str){ 0 };

	for (size_t i = 0; i < COUNT_OF(drivers); i++)
		if (str_is(driver, drivers[i]))
			return true;
	return false;
}

/* Why the zone of a node matters to the workload, with the place; NULL: it does not. */
static const char *zone_need(const struct scope *scope, const struct workload *workload,
                             const struct node **ret_node)
{
	const struct node *claims = node_at(workload->object->root, "spec.volumeClaimTemplates");

	for (size_t i = 0; i < workload->pod->spread.n; i++) {
		const struct spread_constraint *spread = &workload->pod->spread.v[i];

		*ret_node = spread->topology_key.node;
		if (str_is(spread->topology_key.s, "topology.kubernetes.io/zone") &&
		    !str_is(spread->when_unsatisfiable.s, "ScheduleAnyway"))
			return "is spread over zones";
	}
	for (uint32_t i = 0; node_is_list(claims) && i < claims->child_count; i++) {
		*ret_node = node_at(&claims->children[i], "spec.storageClassName");
		if (*ret_node && is_zonal(scope, node_text(*ret_node)))
			return "has volumes of one zone each";
	}
	return NULL;
}

/* With a second group the other one may have the zone. */
static void check_zone(const struct judge *judge, const struct workload *workload, size_t index)
{
	const struct group *group = judge->scope->groups.v[index];
	const struct verdict *verdict = verdict_on(judge, workload, index);
	const struct node *node = NULL;
	const char *need;
	struct finding *finding;

	if (!verdict || verdict->answer != ANSWER_YES || !is_only_group(judge, workload, index))
		return;
	need = zone_need(judge->scope, workload, &node);
	if (!need)
		return;
	finding = emit_group(judge, LEVEL_NOTE, group, group_name_node(group), NULL);
	finding->salient = workload->text;
	finding_message(judge->sink, finding,
	                "workload %.*s %s, and its only group %.*s spans %zu zones: the "
	                "autoscaler cannot choose the zone of a new node", STR_ARG(workload->text), need,
	                STR_ARG(group->name), group->zones.n);
	finding_help(judge->sink, finding,
	             "make one group per zone, with --balance-similar-node-groups");
	relate_object(judge, finding, workload->object, node, "needs a zone");
}

/* GKE and AKS make one group per zone behind the pool, so this is about AWS. */
void kl515_group_single_zone(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->groups.n; i++) {
		const struct group *group = judge->scope->groups.v[i];

		if (!judge->scope->pools.autoscaler_declared || group->zones.n < 2 ||
		    group->per_zone || is_karpenter(group) || !str_is(group->provider, "aws"))
			continue;
		for (size_t k = 0; k < judge->scope->workloads.n; k++)
			if (!judge->scope->workloads.v[k]->daemon_set)
				check_zone(judge, judge->scope->workloads.v[k], i);
	}
}

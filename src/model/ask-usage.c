/* VerticalPodAutoscalers, and what somebody observed of a container's use. */
#include "ask.h"
#include "model-internal.h"

const struct workload *scope_workload(const struct scope *scope, str kind, str ns, str name)
{
	struct arena *arena = arena_new();
	const struct workload *workload = map_get(scope->index->workloads,
	                                          model_key(arena, kind, ns, name));

	arena_free(arena);
	return workload;
}

const struct workload *vpa_target(const struct scope *scope, const struct object *vpa)
{
	const struct node *target = node_at(vpa->root, "spec.targetRef");

	return scope_workload(scope, node_text(node_get(target, "kind")),
	                      object_namespace(scope, vpa), node_text(node_get(target, "name")));
}

str vpa_mode(const struct object *vpa)
{
	const struct node *mode = node_at(vpa->root, "spec.updatePolicy.updateMode");

	if (node_is_null(mode))
		return STR("Recreate");
	return mode->unknown ? (str){ 0 } : node_text(mode);
}

/* The policy for that container: its own entry, else that of "*", else NULL. */
static const struct node *container_policy(const struct object *vpa, str container)
{
	const struct node *list = node_at(vpa->root, "spec.resourcePolicy.containerPolicies");
	const struct node *rest = NULL;

	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		str name = node_text(node_get(&list->children[i], "containerName"));

		if (str_eq(name, container))
			return &list->children[i];
		if (str_is(name, "*"))
			rest = &list->children[i];
	}
	return rest;
}

/* No policy at all: everything is controlled. */
static bool policy_controls(const struct node *policy, str resource)
{
	const struct node *resources = node_get(policy, "controlledResources");

	if (str_is(node_text(node_get(policy, "mode")), "Off"))
		return false;
	if (!node_is_list(resources))
		return str_is(resource, "cpu") || str_is(resource, "memory");
	for (uint32_t i = 0; i < resources->child_count; i++)
		if (str_eq(node_text(&resources->children[i]), resource))
			return true;
	return false;
}

bool vpa_controls(const struct object *vpa, const struct workload *workload, str container,
                  str resource)
{
	const struct containers *all = &workload->pod->containers;

	if (container.n)
		return policy_controls(container_policy(vpa, container), resource);
	for (size_t i = 0; i < all->n; i++)
		if (policy_controls(container_policy(vpa, all->v[i].name.s), resource))
			return true;
	return false;
}

/* node NULL when the text is no quantity. */
static struct amount amount_from(str resource, str text, const struct node *node)
{
	struct amount amount = { .resource = resource };

	if (quantity_parse(text, &amount.quantity)) {
		amount.valid = true;
		amount.node = node;
	}
	return amount;
}

struct amount vpa_recommendation(const struct object *vpa, str container, str resource)
{
	const struct node *list = node_at(vpa->root,
	                                  "status.recommendation.containerRecommendations");

	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		const struct node *item = &list->children[i];
		const struct node *target = node_get(item, "target");

		if (!str_eq(node_text(node_get(item, "containerName")), container) ||
		    !node_is_map(target))
			continue;
		for (uint32_t k = 0; k < target->child_count; k++)
			if (str_eq(target->children[k].key, resource))
				return amount_from(resource, node_text(&target->children[k]),
				                   &target->children[k]);
	}
	return (struct amount){ 0 };
}

/* One entry of the annotation: "main memory=380Mi cpu=200m". */
static struct amount entry_usage(str entry, str container, str resource, const struct node *node)
{
	str word, key, value;

	entry = str_trim(entry);
	if (!str_next(&entry, ' ', &word) || !str_eq(word, container))
		return (struct amount){ 0 };
	while (str_next(&entry, ' ', &word))
		if (str_cut(word, '=', &key, &value) && str_eq(key, resource))
			return amount_from(resource, value, node);
	return (struct amount){ 0 };
}

/* Entries are separated by semicolons. */
static struct amount annotation_usage(const struct pairs *annotations, str container,
                                      str resource)
{
	const struct pair *pair = pairs_find(annotations, STR("kubelint.dev/usage"));
	struct amount amount = { 0 };
	str rest, entry;

	if (!pair || !node_known(pair->node))
		return amount;
	for (rest = pair->value; !amount.node && str_next(&rest, ';', &entry);)
		amount = entry_usage(entry, container, resource, pair->node);
	return amount;
}

struct amount workload_usage(const struct workload *workload, str container, str resource)
{
	struct amount amount = annotation_usage(&workload->pod->annotations, container, resource);

	return amount.node ? amount
	                   : annotation_usage(&workload->object->annotations, container, resource);
}

/* Zones of volumes: from a pod's claims over PersistentVolumes to their nodeAffinity. */
#include "sched-internal.h"

/* PersistentVolumes are not bound by kube: their terms are read from the tree. */
static enum selector_operator operator_of(str text)
{
	static const char *const names[] = {
		[SELECTOR_IN] = "In", [SELECTOR_NOT_IN] = "NotIn", [SELECTOR_EXISTS] = "Exists",
		[SELECTOR_DOES_NOT_EXIST] = "DoesNotExist", [SELECTOR_GT] = "Gt",
		[SELECTOR_LT] = "Lt",
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_is(text, names[i]))
			return (enum selector_operator)i;
	return SELECTOR_INVALID;
}

/* Anything that is no list is no requirement; validation has said so. */
static void read_requirements(struct arena *arena, const struct node *list,
                              struct requirements *requirements)
{
	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++) {
		const struct node *item = &list->children[i], *values = node_get(item, "values");
		struct requirement *requirement = VEC_PUSH(arena, requirements);

		requirement->key = node_text(node_get(item, "key"));
		requirement->op = operator_of(node_text(node_get(item, "operator")));
		requirement->node = item;
		for (uint32_t k = 0; node_is_list(values) && k < values->child_count; k++)
			*VEC_PUSH(arena, &requirement->values) = (struct text){
				node_text(&values->children[k]), &values->children[k] };
	}
}

/* The terms of a PersistentVolume; NULL when it may be used anywhere. */
static struct node_selector_terms *read_terms(struct arena *arena, const struct object *volume)
{
	const struct node *list =
		node_at(volume->root, "spec.nodeAffinity.required.nodeSelectorTerms");
	struct node_selector_terms *terms;

	if (!node_is_list(list))
		return NULL;
	terms = ARENA_NEW(arena, struct node_selector_terms);
	terms->node = list;
	for (uint32_t i = 0; i < list->child_count; i++) {
		struct node_selector_term *term = VEC_PUSH(arena, terms);

		term->node = &list->children[i];
		read_requirements(arena, node_get(term->node, "matchExpressions"),
		                  &term->match_expressions);
		read_requirements(arena, node_get(term->node, "matchFields"),
		                  &term->match_fields);
	}
	return terms;
}

/* The declared volume that a claim names, or that names the claim. */
static const struct object *volume_of(const struct scope *scope, str ns,
                                      const struct object *claim)
{
	str name = claim->claim ? claim->claim->volume_name.s : (str){ 0 };

	if (name.n)
		return scope_find(scope, OBJECT_PV, (str){ 0 }, name);
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct node *ref;

		if (scope->objects.v[i]->class != OBJECT_PV)
			continue;
		ref = node_at(scope->objects.v[i]->root, "spec.claimRef");
		if (str_eq(node_text(node_get(ref, "name")), claim->name.s) &&
		    str_eq(node_text(node_get(ref, "namespace")), ns))
			return scope->objects.v[i];
	}
	return NULL;
}

/* A claim or volume that is not declared restricts nothing that we know of. */
void pod_add_volumes(struct arena *arena, const struct scope *scope, struct pod_profile *profile)
{
	const struct workload *workload = profile->workload;

	for (size_t i = 0; i < workload->pod->volumes.n; i++) {
		const struct volume *volume = &workload->pod->volumes.v[i];
		const struct object *claim, *object;
		struct node_selector_terms *terms;

		if (!volume->claim_name.s.n || node_is_null(volume->claim_name.node))
			continue;
		claim = scope_find(scope, OBJECT_PVC, workload->namespace, volume->claim_name.s);
		object = claim ? volume_of(scope, workload->namespace, claim) : NULL;
		terms = object ? read_terms(arena, object) : NULL;
		if (!terms)
			continue;
		*VEC_PUSH(arena, &profile->volumes) = (struct volume_profile){
			.terms = profile_terms_alone(arena, terms), .term_count = terms->n,
			.text = str_format(arena, "PersistentVolume %.*s is elsewhere",
			                   STR_ARG(object->name.s)),
			.pod_node = volume->claim_name.node, .volume_node = terms->node,
		};
	}
}

/* KL5, first half: node groups as they are declared (rules.md, KL5). What concerns the
 * autoscaler's own configuration is in autoscaler.c. */
#include "ask.h"
#include "edits.h"

/* ---- KL507 ----------------------------------------------------------------------------- */

static bool fact_differs(const struct count_fact *claimed, const struct count_fact *declared)
{
	return claimed->origin != ORIGIN_UNKNOWN && claimed->node &&
	       declared->origin == ORIGIN_DECLARED && declared->node != claimed->node &&
	       claimed->value != declared->value;
}

/* A bound in the ConfigMap that another declaration contradicts, or NULL. */
static const struct bounds_claim *contradicted(const struct scope *scope,
                                               const struct object *object)
{
	for (size_t i = 0; i < scope->pools.claims.n; i++) {
		const struct bounds_claim *claim = &scope->pools.claims.v[i];

		if (claim->object == object && claim->group &&
		    claim->group->object != object &&
		    (fact_differs(&claim->min, &claim->group->min) ||
		     fact_differs(&claim->max, &claim->group->max)))
			return claim;
	}
	return NULL;
}

static void say_status(const struct judge *judge, const struct autoscaler_map *map)
{
	const struct bounds_claim *claim = contradicted(judge->scope, map->object);
	bool edited = map->config_yaml || claim;
	struct finding *finding = emit_node(judge, edited ? LEVEL_ERROR : LEVEL_WARNING,
	                                    map->object, map->node);

	if (map->config_yaml)
		finding_message(judge->sink, finding,
		                "the autoscaler overwrites cluster-autoscaler-status on every scan "
		                "and reads nothing in it: these node groups configure nothing");
	else if (claim)
		finding_message(judge->sink, finding,
		                "the bounds %lld to %lld of %.*s in cluster-autoscaler-status are "
		                "not those of its declaration, %lld to %lld: the autoscaler does "
		                "not read them", (long long)claim->min.value,
		                (long long)claim->max.value, STR_ARG(claim->name),
		                (long long)claim->group->min.value,
		                (long long)claim->group->max.value);
	else
		finding_message(judge->sink, finding,
		                "cluster-autoscaler-status is the autoscaler's own output: as a "
		                "manifest it is a snapshot that configures nothing");
	finding_help(judge->sink, finding,
	             "delete it, and set bounds where the node group is declared");
	if (claim && claim->group->max.node)
		finding_relate(judge->sink, finding, node_place(claim->group->max.node),
		               "declaration of %.*s", STR_ARG(claim->group->name));
}

void kl507_status_configmap_edited(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->pools.maps.n; i++)
		if (judge->scope->pools.maps.v[i].status)
			say_status(judge, &judge->scope->pools.maps.v[i]);
}

/* ---- KL510 ----------------------------------------------------------------------------- */

/* The place where the workload asks for key=value: a nodeSelector entry, or an In value of its
 * required node affinity; NULL when it does not. */
static const struct node *asks_for(const struct workload *workload, const struct pair *tag)
{
	const struct pair *entry = pairs_find(&workload->node_selector, tag->key);
	const struct node_selector_terms *terms = &workload->pod->required_node_terms;

	if (entry && str_eq(entry->value, tag->value))
		return entry->node;
	for (size_t i = 0; i < terms->n; i++)
		for (size_t k = 0; k < terms->v[i].match_expressions.n; k++) {
			const struct requirement *requirement =
				&terms->v[i].match_expressions.v[k];

			if (requirement->op != SELECTOR_IN ||
			    !str_eq(requirement->key, tag->key))
				continue;
			for (size_t v = 0; v < requirement->values.n; v++)
				if (str_eq(requirement->values.v[v].s, tag->value))
					return requirement->values.v[v].node;
		}
	return NULL;
}

/* Has every node of the group certainly no such label? */
static bool lacks_label(const struct group *group, const struct pair *tag)
{
	for (size_t i = 0; i < group->shapes.n; i++) {
		const struct group_label *label = group_label_find(group, &group->shapes.v[i],
		                                                   tag->key);
		bool other = label->kind == LABEL_VALUES;

		for (size_t k = 0; other && k < label->values.n; k++)
			other = !str_eq(label->values.v[k], tag->value);
		if (label->kind != LABEL_ABSENT && !other)
			return false;
	}
	return group->shapes.n > 0;
}

static void check_tag(const struct judge *judge, const struct group *group,
                      const struct pair *tag)
{
	const struct workload *first = NULL;
	const struct node *where = NULL;
	size_t count = 0;
	struct finding *finding;

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct node *node = asks_for(workload, tag);

		count += node ? 1 : 0;
		if (node && !first) {
			first = workload;
			where = node;
		}
	}
	if (!first || !lacks_label(group, tag))
		return;
	finding = emit_group(judge, LEVEL_WARNING, group, tag->node, NULL);
	finding_message(judge->sink, finding,
	                "the tag %.*s=%.*s is no node label, and %.*s%s selects on it: nodes of "
	                "%.*s do not carry it", STR_ARG(tag->key), STR_ARG(tag->value),
	                STR_ARG(first->text), count > 1 ? " (and others)" : "",
	                STR_ARG(group->name));
	finding_help(judge->sink, finding, "declare the label %.*s=%.*s on the node group",
	             STR_ARG(tag->key), STR_ARG(tag->value));
	relate_object(judge, finding, first->object, where, "selects on it");
}

void kl510_tag_is_not_label(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->groups.n; i++) {
		const struct group *group = judge->scope->groups.v[i];

		for (size_t k = 0; k < group->tags.n; k++)
			if (node_known(group->tags.v[k].node))
				check_tag(judge, group, &group->tags.v[k]);
	}
}

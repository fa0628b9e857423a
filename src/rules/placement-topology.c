/* KL121-124, KL126: constraints that constrain nothing, or everything (rules.md, KL1). */
#include "rules-internal.h"

/* ---- KL121 ------------------------------------------------------------------------------ */

static bool group_lacks(const struct group *group, str key)
{
	for (size_t i = 0; i < group->shapes.n; i++)
		if (group_label_find(group, &group->shapes.v[i], key)->kind != LABEL_ABSENT)
			return false;
	return true;
}

/* Which groups lack a key: worked out once for each key. */
struct lacking {
	const struct judge *judge;
	struct arena *arena;
	struct map *by_key; /* key -> one bool per group */
};

static const bool *groups_lacking(const struct lacking *lacking, str key)
{
	const struct groups *groups = &lacking->judge->scope->groups;
	bool *lack = map_get(lacking->by_key, key);

	if (lack)
		return lack;
	lack = arena_calloc(lacking->arena, groups->n, sizeof *lack);
	for (size_t i = 0; i < groups->n; i++)
		lack[i] = group_lacks(groups->v[i], key);
	map_put(lacking->by_key, key, lack);
	return lack;
}

/* Every group that the pod's labels admit certainly lacks the key. */
static bool key_is_missing(const struct placement *placement, const bool *lack)
{
	size_t admitted = 0;

	for (size_t i = 0; i < placement->count; i++) {
		if (!verdict_labels_admit(&placement->verdicts[i]))
			continue;
		admitted++;
		if (!lack[i])
			return false;
	}
	return admitted > 0 && !placement->undecidable;
}

/* A label key that some group has and that is one edit away; empty without. */
static str near_key(const struct judge *judge, str key)
{
	struct label_uses all;

	label_uses_find(JUDGE_ARENA(judge), judge->scope, STR(""), &all);
	for (size_t i = 0; i < all.n; i++)
		if (str_one_edit(all.v[i].label->key, key))
			return all.v[i].label->key;
	return STR("");
}

static void check_key(const struct lacking *lacking, const struct workload *workload,
                      const struct text *key, enum level level)
{
	const struct judge *judge = lacking->judge;

	if (!node_known(key->node) || key->s.n == 0 ||
	    !key_is_missing(placement_of(judge, workload), groups_lacking(lacking, key->s)))
		return;
	str near = near_key(judge, key->s);
	struct finding *finding = emit_at(judge, level, workload->object, key->node, NULL);
	finding_message(judge->sink, finding,
	                "no node group that its labels admit has label %.*s: %s", STR_ARG(key->s),
	                level == LEVEL_ERROR ? "its pods are never scheduled"
	                                     : "the anti-affinity keeps nothing apart");
	if (near.n > 0)
		finding_help(judge->sink, finding, "did you mean %.*s?", STR_ARG(near));
	else
		finding_help(judge->sink, finding,
		             "use topology.kubernetes.io/zone, kubernetes.io/hostname or a label "
		             "that the groups have");
}

static void check_keys(const struct lacking *lacking, const struct workload *workload)
{
	const struct pod_template *pod = workload->pod;

	for (size_t i = 0; i < pod->spread.n; i++)
		if (!str_is(pod->spread.v[i].when_unsatisfiable.s, "ScheduleAnyway"))
			check_key(lacking, workload, &pod->spread.v[i].topology_key, LEVEL_ERROR);
	for (size_t i = 0; i < pod->required_affinity.n; i++)
		check_key(lacking, workload, &pod->required_affinity.v[i].topology_key,
		          LEVEL_ERROR);
	for (size_t i = 0; i < pod->required_anti_affinity.n; i++)
		check_key(lacking, workload, &pod->required_anti_affinity.v[i].topology_key,
		          LEVEL_WARNING);
}

/* Labels that are not declared may be there: only a closed list of labels proves that the key is
 * missing. */
void kl121_topology_key_missing(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	const struct lacking lacking = { judge, scratch, map_new(scratch) };

	for (size_t i = 0; i < judge->scope->workloads.n; i++)
		check_keys(&lacking, judge->scope->workloads.v[i]);
	arena_free(scratch);
}

/* ---- KL122 ------------------------------------------------------------------------------ */

static void check_spread(const struct judge *judge, const struct workload *workload,
                         const struct spread_constraint *constraint)
{
	const struct label_selector *selector = &constraint->selector;

	if (selector_matches(selector, &workload->pod->labels) != ANSWER_NO ||
	    !node_known(constraint->node))
		return;
	struct finding *finding = emit_at(judge, LEVEL_WARNING, workload->object,
	                                  selector->node ? selector->node : constraint->node,
	                                  selector->node ? NULL : "labelSelector");
	finding_message(judge->sink, finding,
	                "the spread constraint %s the pod's own labels, so it does not spread "
	                "these pods", selector->node ? "does not select" : "has no selector for");
	finding_help(judge->sink, finding, "select the labels of the pod template");
}

/* The one entry in which a selector differs from the pod's own label by one edit, while all
 * others agree; NULL else. */
static const struct pair *mistyped_entry(const struct label_selector *selector,
                                         const struct pairs *labels)
{
	const struct pair *mistyped = NULL;

	for (size_t i = 0; i < selector->match_labels.n; i++) {
		const struct pair *entry = &selector->match_labels.v[i];
		const struct pair *label = pairs_find(labels, entry->key);
		if (!label || !node_known(entry->node) || !node_known(label->node))
			return NULL;
		if (str_eq(label->value, entry->value))
			continue;
		if (mistyped || !str_one_edit(label->value, entry->value))
			return NULL;
		mistyped = entry;
	}
	return selector->match_expressions.n == 0 ? mistyped : NULL;
}

/* Pods of others may be meant, unless a declared workload has just those labels. */
static bool selects_another(const struct scope *scope, const struct label_selector *selector)
{
	for (size_t i = 0; i < scope->workloads.n; i++)
		if (selector_matches(selector, &scope->workloads.v[i]->pod->labels) != ANSWER_NO)
			return true;
	return false;
}

static void check_anti_affinity(const struct judge *judge, const struct workload *workload,
                                const struct pod_affinity_term *term)
{
	const struct pairs *labels = &workload->pod->labels;
	const struct pair *entry = mistyped_entry(&term->selector, labels);

	if (!entry || selects_another(judge->scope, &term->selector))
		return;
	str own = pairs_find(labels, entry->key)->value;
	struct finding *finding =
		emit_at(judge, LEVEL_WARNING, workload->object, entry->node, NULL);
	finding_message(judge->sink, finding,
	                "the anti-affinity selects %.*s=%.*s, but the pod's own label is %.*s",
	                STR_ARG(entry->key), STR_ARG(entry->value), STR_ARG(own));
	finding_help(judge->sink, finding, "did you mean %.*s?", STR_ARG(own));
	emit_fix(judge, finding, false, entry->node, scalar_text(JUDGE_ARENA(judge), own),
	         "select the pod's own label");
}

/* A label that is not known on either side could make them match: silent. */
void kl122_spread_selector_mismatch(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct pod_template *pod = workload->pod;

		for (size_t k = 0; k < pod->spread.n; k++)
			check_spread(judge, workload, &pod->spread.v[k]);
		for (size_t k = 0; k < pod->required_anti_affinity.n; k++)
			check_anti_affinity(judge, workload, &pod->required_anti_affinity.v[k]);
	}
}

/* ---- KL123 ------------------------------------------------------------------------------ */

static bool only_excludes(const struct node_selector_term *term)
{
	for (size_t i = 0; i < term->match_expressions.n; i++)
		if (term->match_expressions.v[i].op != SELECTOR_NOT_IN &&
		    term->match_expressions.v[i].op != SELECTOR_DOES_NOT_EXIST)
			return false;
	return term->match_expressions.n > 0 && term->match_fields.n == 0;
}

static bool satisfies(const struct group *group, const struct node_selector_term *term)
{
	for (size_t i = 0; i < term->match_expressions.n; i++)
		if (group_admits(group, &term->match_expressions.v[i]) != ANSWER_YES)
			return false;
	return true;
}

/* Every group satisfies some term, but no term is satisfied by all groups. */
static bool ors_exclude_nothing(const struct groups *groups,
                                const struct node_selector_terms *terms)
{
	for (size_t i = 0; i < terms->n; i++) {
		size_t satisfied = 0;
		if (!only_excludes(&terms->v[i]))
			return false;
		for (size_t k = 0; k < groups->n; k++)
			satisfied += satisfies(groups->v[k], &terms->v[i]);
		if (satisfied == groups->n)
			return false;
	}
	for (size_t k = 0; k < groups->n; k++) {
		bool any = false;
		for (size_t i = 0; i < terms->n && !any; i++)
			any = satisfies(groups->v[k], &terms->v[i]);
		if (!any)
			return false;
	}
	return groups->n > 0;
}

/* Each expression must be certainly true of a group to count; one open label ends the claim. */
void kl123_affinity_terms_ored(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct node_selector_terms *terms = &workload->pod->required_node_terms;

		if (terms->n < 2 || !ors_exclude_nothing(&judge->scope->groups, terms))
			continue;
		struct finding *finding =
			emit_at(judge, LEVEL_WARNING, workload->object, terms->node, NULL);
		finding_message(judge->sink, finding,
		                "the %zu terms are alternatives, and each of %zu node groups "
		                "satisfies one: they exclude nothing", terms->n, judge->scope->groups.n);
		finding_help(judge->sink, finding, "put the expressions into one term");
	}
}

/* ---- KL124 ------------------------------------------------------------------------------ */

/* Does anything lead the pod to particular nodes: a label, or a resource that not all have? */
static bool is_attracted(const struct workload *workload)
{
	const struct pod_template *pod = workload->pod;

	for (size_t i = 0; i < workload->requests.v.n; i++)
		if (str_find(workload->requests.v.v[i].resource, '/') <
		    workload->requests.v.v[i].resource.n)
			return true;
	return workload->node_selector.n > 0 || pod->required_node_terms.node ||
	       pod->preferred_node_terms.n > 0 || pod->required_affinity.n > 0 ||
	       pod->preferred_affinity.n > 0 || pod->node_name.node;
}

/* A group whose taint the toleration is for, by key. */
static const struct group *tolerated_group(const struct scope *scope,
                                           const struct toleration *toleration)
{
	for (size_t i = 0; i < scope->groups.n; i++) {
		const struct group *group = scope->groups.v[i];
		for (size_t k = 0; k < group->taints.n; k++)
			if (str_eq(group->taints.v[k].key, toleration->key.s) &&
			    toleration_covers(toleration, &group->taints.v[k], true))
				return group;
	}
	return NULL;
}

static const struct group *untainted_group(const struct placement *placement)
{
	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		if (verdict->answer == ANSWER_YES && verdict->group->taints_known &&
		    verdict->group->taints.n == 0)
			return verdict->group;
	}
	return NULL;
}

static void check_attraction(const struct judge *judge, const struct workload *workload,
                             const struct toleration *toleration, const struct group *other)
{
	const struct group *group = NULL;

	if (node_known(toleration->node) && toleration->key.s.n > 0)
		group = tolerated_group(judge->scope, toleration);
	if (!group)
		return;
	struct finding *finding =
		emit_at(judge, LEVEL_NOTE, workload->object, toleration->node, NULL);
	finding->salient = toleration->key.s;
	finding_message(judge->sink, finding,
	                "it tolerates the taint of group %.*s, but nothing leads it there: group "
	                "%.*s takes it too", STR_ARG(group->name), STR_ARG(other->name));
	finding_help(judge->sink, finding,
	             "add a nodeSelector for the group, if the pod belongs there");
}

/* A note: the pod runs, only not where its author thinks. */
void kl124_toleration_without_attraction(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct tolerations *tolerations = &workload->pod->tolerations;
		const struct placement *placement = placement_of(judge, workload);

		if (workload->daemon_set || tolerations->n == 0 || placement->undecidable ||
		    is_attracted(workload))
			continue;
		const struct group *other = untainted_group(placement);
		for (size_t k = 0; k < tolerations->n && other; k++)
			check_attraction(judge, workload, &tolerations->v[k], other);
	}
}

/* ---- KL126 ------------------------------------------------------------------------------ */

static void check_entry(const struct judge *judge, const struct workload *workload,
                        const struct pair *entry, enum level level, const char *source)
{
	const struct pair *own = pairs_find(&workload->pod->node_selector, entry->key);

	if (!own || !node_known(own->node) || !node_known(entry->node) ||
	    str_eq(own->value, entry->value))
		return;
	struct finding *finding = emit_at(judge, level, workload->object, own->node, NULL);
	finding_message(judge->sink, finding,
	                "nodeSelector wants %.*s=%.*s, but %s adds %.*s=%.*s: admission refuses "
	                "the pod", STR_ARG(own->key), STR_ARG(own->value), source, STR_ARG(entry->key),
	                STR_ARG(entry->value));
	finding_relate(judge->sink, finding, node_place(entry->node), "%s says %.*s here", source,
	               STR_ARG(entry->value));
	finding_help(judge->sink, finding, "make the two agree, or drop one");
}

/* "a=b,c=d", which the plugin PodNodeSelector adds to each pod of the namespace. */
static void check_namespace(const struct judge *judge, const struct workload *workload)
{
	const struct object *namespace = scope_find(judge->scope, OBJECT_NAMESPACE, STR(""),
	                                            workload->namespace);
	const struct pair *annotation =
		namespace ? pairs_find(&namespace->annotations,
		                       STR("scheduler.alpha.kubernetes.io/node-selector"))
		          : NULL;
	str rest = annotation ? annotation->value : STR(""), piece;

	while (str_next(&rest, ',', &piece)) {
		struct pair entry = { .node = annotation->node };
		if (!str_cut(piece, '=', &entry.key, &entry.value))
			continue;
		entry.key = str_trim(entry.key);
		entry.value = str_trim(entry.value);
		check_entry(judge, workload, &entry, LEVEL_WARNING, "the namespace's annotation");
	}
}

/* Upstream: the RuntimeClass admission plugin refuses a conflict; PodNodeSelector does so too
 * where it is switched on, which no manifest shows, hence a warning. */
void kl126_namespace_selector_conflict(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct object *class = workload->runtime_class;

		for (size_t k = 0; class && class->runtime_class &&
		                   k < class->runtime_class->node_selector.n; k++)
			check_entry(judge, workload, &class->runtime_class->node_selector.v[k],
			            LEVEL_ERROR, "its RuntimeClass");
		check_namespace(judge, workload);
	}
}

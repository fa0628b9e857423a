/* KL106-109: values, tolerations and pins that do little or too much (rules.md, KL1). */
#include "rules-internal.h"

/* ---- KL106 ------------------------------------------------------------------------------ */

/* Requirements that were asked already: many workloads ask the same. */
struct asked {
	const struct judge *judge;
	struct arena *arena;
	struct map *dead; /* text of the requirement -> non-NULL when it is dead */
};

static str requirement_text(struct arena *arena, const struct requirement *requirement)
{
	struct buf buf = { .arena = arena };

	buf_printf(&buf, "%d %.*s", (int)requirement->op, STR_ARG(requirement->key));
	for (size_t i = 0; i < requirement->values.n; i++)
		buf_printf(&buf, "\n%.*s", STR_ARG(requirement->values.v[i].s));
	return buf_str(&buf);
}

/* Certainly on no node of any group; a value that is not known may be anything. */
static bool is_dead(const struct asked *asked, const struct requirement *requirement)
{
	const struct groups *groups = &asked->judge->scope->groups;
	bool dead = groups->n > 0;

	for (size_t i = 0; i < requirement->values.n; i++)
		if (!node_known(requirement->values.v[i].node))
			return false;
	str text = requirement_text(asked->arena, requirement);
	if (map_has(asked->dead, text))
		return map_get(asked->dead, text);
	for (size_t i = 0; i < groups->n && dead; i++)
		dead = group_admits(groups->v[i], requirement) == ANSWER_NO;
	map_put(asked->dead, text, dead ? asked->dead : NULL);
	return dead;
}

/* The same requirement with only one of its values. */
static struct requirement with_value(const struct requirement *requirement, struct text *value)
{
	struct requirement one = *requirement;

	one.values.v = value;
	one.values.n = 1;
	return one;
}

static void say_dead_value(const struct judge *judge, const struct workload *workload,
                           const struct requirement *requirement, const struct text *value)
{
	struct arena *arena = JUDGE_ARENA(judge);
	struct label_uses uses;
	const struct label_use *nearest;

	label_uses_find(arena, judge->scope, requirement->key, &uses);
	nearest = label_use_nearest(&uses, value->s);
	bool typo = nearest && str_one_edit(nearest->value, value->s);
	struct finding *finding = emit_at(judge, typo ? LEVEL_WARNING : LEVEL_NOTE,
	                                  workload->object, value->node, NULL);
	finding_message(judge->sink, finding,
	                "no node group has %.*s=%.*s: the value never matches",
	                STR_ARG(requirement->key), STR_ARG(value->s));
	if (!nearest) {
		finding_help(judge->sink, finding, "drop it, or label a group so");
		return;
	}
	finding_help(judge->sink, finding, "did you mean %.*s, which group %.*s has?",
	             STR_ARG(nearest->value), STR_ARG(nearest->group->name));
	if (typo)
		emit_fix(judge, finding, false, value->node, scalar_text(arena, nearest->value),
		         "use the nearest value");
}

static void say_dead_term(const struct judge *judge, const struct workload *workload,
                          const struct requirement *requirement)
{
	struct finding *finding = emit_at(judge, LEVEL_NOTE, workload->object,
	                                  requirement->node, NULL);

	finding_message(judge->sink, finding,
	                "no node group satisfies this on %.*s: the term never matches",
	                STR_ARG(requirement->key));
	finding_help(judge->sink, finding, "drop the term, or label a group so");
}

/* alone: a term that is the only one is KL102's when it is dead. */
static void check_requirement(const struct asked *asked, const struct workload *workload,
                              const struct requirement *requirement, bool alone)
{
	if (is_dead(asked, requirement)) {
		bool single = requirement->op == SELECTOR_IN && requirement->values.n == 1;
		if (single && !alone)
			say_dead_value(asked->judge, workload, requirement,
			               &requirement->values.v[0]);
		else if (!alone)
			say_dead_term(asked->judge, workload, requirement);
		return;
	}
	for (size_t i = 0; requirement->op == SELECTOR_IN && i < requirement->values.n; i++) {
		struct requirement one = with_value(requirement, &requirement->values.v[i]);
		if (is_dead(asked, &one))
			say_dead_value(asked->judge, workload, requirement,
			               &requirement->values.v[i]);
	}
}

static void check_term(const struct asked *asked, const struct workload *workload,
                       const struct node_selector_term *term, bool alone)
{
	for (size_t i = 0; i < term->match_expressions.n; i++)
		check_requirement(asked, workload, &term->match_expressions.v[i], alone);
}

/* A group whose label is open may have the value: silent. With all values dead it is KL102's. */
void kl106_affinity_value_dead(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	const struct asked asked = { judge, scratch, map_new(scratch) };

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct pod_template *pod = workload->pod;

		for (size_t k = 0; k < pod->required_node_terms.n; k++)
			check_term(&asked, workload, &pod->required_node_terms.v[k],
			           pod->required_node_terms.n == 1);
		for (size_t k = 0; k < pod->preferred_node_terms.n; k++)
			check_term(&asked, workload, &pod->preferred_node_terms.v[k].term, false);
	}
	arena_free(scratch);
}

/* ---- KL107 ------------------------------------------------------------------------------ */

/* Keys of taints that clouds, drivers and controllers put on nodes by themselves. Source:
 * node-group formats of the clouds, and rules/data/labels-taints.tsv. */
static const char *const known_taints[] = {
	"CriticalAddonsOnly", "aws.amazon.com/", "cloud.google.com/", "ebs.csi.aws.com/",
	"efs.csi.aws.com/", "eks.amazonaws.com/", "karpenter.", "kubernetes.azure.com/",
	"node.cilium.io/", "node.cloudprovider.", "nvidia.com/", "amd.com/", "google.com/",
	"habana.ai/", "sandbox.gke.io/", "components.gke.io/", "virtual-kubelet.io/",
	"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler",
};

/* Keys of Kubernetes' own domains, sub-domains included. */
static bool is_own_domain(str key)
{
	str domain, name;

	if (!str_cut(key, '/', &domain, &name))
		return false;
	return str_is(domain, "kubernetes.io") || str_is(domain, "k8s.io") ||
	       str_ends(domain, STR(".kubernetes.io")) || str_ends(domain, STR(".k8s.io"));
}

static bool is_known_taint(str key)
{
	for (size_t i = 0; i < COUNT_OF(known_taints); i++)
		if (str_starts(key, str_of(known_taints[i])))
			return true;
	return is_own_domain(key);
}

/* A taint of the groups, with the group that has it. */
struct taint_use {
	const struct taint *taint;
	const struct group *group;
};
struct taint_uses VEC(struct taint_use);

static void add_taints(struct arena *arena, const struct group *group,
                       const struct taints *taints, struct taint_uses *uses)
{
	for (size_t i = 0; i < taints->n; i++)
		*VEC_PUSH(arena, uses) = (struct taint_use){ &taints->v[i], group };
}

/* All taints of all groups, of those that may not grow too; false when some are not known. */
static bool find_taints(struct arena *arena, const struct scope *scope,
                        struct taint_uses *ret_uses)
{
	for (size_t i = 0; i < scope->pools.groups.n; i++) {
		const struct group *group = scope->pools.groups.v[i];
		if (!group->taints_known)
			return false;
		add_taints(arena, group, &group->taints, ret_uses);
		add_taints(arena, group, &group->startup_taints, ret_uses);
	}
	return scope->groups.n > 0;
}

/* One edit in key or value, or only another effect. */
static bool is_near(const struct toleration *toleration, const struct taint *taint)
{
	bool same_key = str_eq(toleration->key.s, taint->key);
	bool same_value = str_is(toleration->op.s, "Exists") ||
	                  str_eq(toleration->value.s, taint->value);

	if (same_key && same_value)
		return true;
	if (same_key)
		return str_one_edit(toleration->value.s, taint->value);
	return same_value && str_one_edit(toleration->key.s, taint->key);
}

static const struct taint_use *near_taint(const struct taint_uses *uses,
                                          const struct toleration *toleration)
{
	for (size_t i = 0; i < uses->n; i++)
		if (is_near(toleration, uses->v[i].taint))
			return &uses->v[i];
	return NULL;
}

static bool covers_any(const struct taint_uses *uses, const struct toleration *toleration)
{
	for (size_t i = 0; i < uses->n; i++)
		if (toleration_covers(toleration, uses->v[i].taint, true))
			return true;
	return false;
}

static void check_toleration(const struct judge *judge, const struct workload *workload,
                             const struct toleration *toleration, const struct taint_uses *uses)
{
	struct arena *arena = JUDGE_ARENA(judge);

	if (!node_known(toleration->node) || !node_known(toleration->key.node) ||
	    (toleration->value.node && toleration->value.node->unknown) ||
	    toleration->key.s.n == 0 || is_known_taint(toleration->key.s) ||
	    covers_any(uses, toleration))
		return;
	const struct taint_use *near = near_taint(uses, toleration);
	struct finding *finding = emit_at(judge, near ? LEVEL_WARNING : LEVEL_NOTE,
	                                  workload->object, toleration->node, NULL);
	finding->salient = toleration->key.s;
	finding_message(judge->sink, finding,
	                "no node group has a taint that this tolerates (%.*s)",
	                STR_ARG(label_text(arena, toleration->key.s, toleration->value.s)));
	if (!near) {
		finding_help(judge->sink, finding, "drop it if the taint is gone");
		return;
	}
	str taint = taint_text(arena, near->taint);
	finding_help(judge->sink, finding, "did you mean taint %.*s of group %.*s?", STR_ARG(taint),
	             STR_ARG(near->group->name));
	finding_relate(judge->sink, finding, node_place(near->taint->node),
	               "group %.*s has taint %.*s", STR_ARG(near->group->name), STR_ARG(taint));
}

/* Silent unless the taints of every group are declared. DaemonSets tolerate ahead of what there
 * is. */
void kl107_toleration_dead(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	struct taint_uses uses = { 0 };

	if (find_taints(scratch, judge->scope, &uses))
		for (size_t i = 0; i < judge->scope->workloads.n; i++) {
			const struct workload *workload = judge->scope->workloads.v[i];
			const struct tolerations *tolerations = &workload->pod->tolerations;
			for (size_t k = 0; k < tolerations->n && !workload->daemon_set; k++)
				check_toleration(judge, workload, &tolerations->v[k], &uses);
		}
	arena_free(scratch);
}

/* ---- KL108 ------------------------------------------------------------------------------ */

static bool pins(str key)
{
	return str_ends(key, STR("/instance-type")) || str_ends(key, STR("/hostname")) ||
	       str_is(key, "instance-type");
}

static void say_pin(const struct judge *judge, const struct workload *workload,
                    const struct node *node, str what)
{
	struct finding *finding = emit_at(judge, LEVEL_NOTE, workload->object, node, NULL);

	finding_message(judge->sink, finding,
	                "%.*s pins the workload: it stays Pending when that is replaced",
	                STR_ARG(what));
	finding_help(judge->sink, finding,
	             "select a role label that a new group can carry too, or list several values "
	             "in node affinity");
}

/* A habit, hence a note: it works until the hardware changes. */
void kl108_instance_type_pinned(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct pairs *selector = &workload->pod->node_selector;

		if (workload->pod->node_name.node)
			say_pin(judge, workload, workload->pod->node_name.node, STR("nodeName"));
		for (size_t k = 0; k < selector->n; k++)
			if (pins(selector->v[k].key))
				say_pin(judge, workload, selector->v[k].node,
				        label_text(JUDGE_ARENA(judge), selector->v[k].key,
				                   selector->v[k].value));
	}
}

/* ---- KL109 ------------------------------------------------------------------------------ */

/* The filter that alone keeps the pod off a group that its labels admit; NULL when there are
 * several, or none. */
static const struct reason *only_obstacle(const struct verdict *verdict)
{
	size_t obstacles = 0;

	if (verdict->by_filter[FILTER_NODE_AFFINITY] == ANSWER_NO)
		return NULL;
	for (size_t i = 0; i < FILTER_COUNT; i++)
		obstacles += verdict->by_filter[i] == ANSWER_NO;
	return obstacles == 1 ? verdict_first_no(verdict) : NULL;
}

static void say_single(const struct judge *judge, const struct workload *workload,
                       const struct group *single, const struct verdict *other)
{
	struct finding *finding = emit_at(judge, LEVEL_NOTE, workload->object,
	                                  workload->pod->spec, NULL);
	str why = reason_text(JUDGE_ARENA(judge), only_obstacle(other));

	finding_message(judge->sink, finding,
	                "only group %.*s can run it, with up to %lld replicas",
	                STR_ARG(single->name), (long long)workload->peak.value);
	finding_help(judge->sink, finding, "group %.*s could too, but it %.*s",
	             STR_ARG(other->group->name), STR_ARG(why));
	finding_relate(judge->sink, finding, node_place(other->group->node), "group %.*s",
	               STR_ARG(other->group->name));
}

/* Only where exactly one group can take it at all; a group that is unknown would be a second
 * one. */
void kl109_single_group(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct placement *placement = placement_of(judge, workload);
		const struct group *single = NULL;
		const struct verdict *other = NULL;
		size_t possible = 0;

		for (size_t k = 0; k < placement->count && !placement->undecidable; k++) {
			const struct verdict *verdict = &placement->verdicts[k];
			possible += verdict->answer != ANSWER_NO;
			if (verdict->answer == ANSWER_YES)
				single = verdict->group;
			else if (!other && only_obstacle(verdict))
				other = verdict;
		}
		if (possible == 1 && single && other && workload->peak.known &&
		    workload->peak.value > 1 && !workload->daemon_set)
			say_single(judge, workload, single, other);
	}
}

/* KL6: what a drain, a restart or a lost node costs (rules.md, KL6). */
#include "ask.h"
#include "edits.h"

/* ---- KL601 ----------------------------------------------------------------------------- */

/* The first call that reaches the workload, or NULL. */
static const struct call *first_call(const struct scope *scope, const struct workload *callee)
{
	for (size_t i = 0; i < scope->calls.n; i++)
		if (scope->calls.v[i].callee == callee)
			return &scope->calls.v[i];
	return NULL;
}

/* At spec.replicas, also where its default of 1 is what is meant. */
static struct finding *emit_replicas(const struct judge *judge, enum level level,
                                     const struct workload *workload)
{
	const struct workload_spec *spec = workload->object->workload;

	if (spec->replicas.node)
		return emit_node(judge, level, workload->object, spec->replicas.node);
	return emit_at(judge, level, workload->object, spec->spec, "replicas");
}

/* A Deployment that somebody calls, or that is critical, hurts others: W. For a StatefulSet one
 * replica may be all that its program can do: N. */
static void say_singleton(const struct judge *judge, const struct workload *workload)
{
	bool deployment = workload->object->class == OBJECT_DEPLOYMENT;
	const struct call *call = deployment ? first_call(judge->scope, workload) : NULL;
	bool grave = deployment && (call || workload->critical);
	struct finding *finding = emit_replicas(judge, grave ? LEVEL_WARNING : LEVEL_NOTE,
	                                        workload);

	if (call)
		finding_message(judge->sink, finding,
		                "one replica, and %.*s calls its Service %.*s%s%.*s: every "
		                "restart, drain or rollout is an outage of the caller",
		                STR_ARG(call->caller->text), STR_ARG(call->service->name.s),
		                call->env_name.n ? " by env " : "", STR_ARG(call->env_name));
	else
		finding_message(judge->sink, finding,
		                "one replica%s: every restart, drain or rollout is an outage",
		                grave ? " of a critical workload" : "");
	finding_help(judge->sink, finding, "run 2 or more replicas, or elect a leader among them");
	if (call)
		relate_object(judge, finding, call->caller->object, call->node, "the call");
}

/* A peak of 1: no scaler ever adds a second pod. Replicas 0 is off, not single. */
void kl601_singleton(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++)
		if (judge->scope->workloads.v[i]->singleton)
			say_singleton(judge, judge->scope->workloads.v[i]);
}

/* ---- KL605, KL606 ---------------------------------------------------------------------- */

/* Is every group that does not say no spot only, and is there one? */
static bool runs_on_spot_only(const struct placement *placement)
{
	bool any = false;

	for (size_t i = 0; !placement->undecidable && i < placement->count; i++) {
		if (placement->verdicts[i].answer == ANSWER_NO)
			continue;
		if (!placement->verdicts[i].group->spot_only)
			return false;
		any = any || placement->verdicts[i].answer == ANSWER_YES;
	}
	return any;
}

/* A group that says nothing about its capacity type may be on-demand: it is no spot group. */
void kl605_spot_only(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		bool grave = workload->singleton || workload->critical ||
		             workload->object->class == OBJECT_STATEFUL_SET;
		struct finding *finding;

		if (workload->daemon_set || !runs_on_spot_only(placement_of(judge, workload)))
			continue;
		finding = emit_node(judge, grave ? LEVEL_WARNING : LEVEL_NOTE, workload->object,
		                    workload->pod->spec);
		finding_message(judge->sink, finding,
		                "every node group that can run %s is spot: an interruption may take "
		                "%s, and no PodDisruptionBudget holds it back",
		                workload->singleton ? "this single replica" : "these pods",
		                workload->singleton ? "it" : "all of them at once");
		finding_help(judge->sink, finding,
		             "let it run on on-demand nodes too, and prefer spot");
	}
}

/* Nodes that the groups may have together on which the workload may run, capped at 2. */
static int64_t possible_nodes(const struct placement *placement)
{
	int64_t nodes = 0;

	for (size_t i = 0; !placement->undecidable && i < placement->count && nodes < 2; i++) {
		const struct count_fact *max = &placement->verdicts[i].group->max;

		if (placement->verdicts[i].answer == ANSWER_YES)
			nodes += max->origin == ORIGIN_UNKNOWN || max->value > 1 ? 2 : max->value;
	}
	return nodes;
}

/* Preferred terms and ScheduleAnyway count: the author has thought of it. */
static bool is_spread(const struct pod_template *pod)
{
	return pod->required_anti_affinity.n || pod->preferred_anti_affinity.n || pod->spread.n ||
	       pod->spec->unknown;
}

/* Only where nodes are declared, and more than one can be there: else there is nothing to spread
 * over. */
void kl606_replicas_not_spread(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		struct finding *finding;

		if (workload->job || workload->daemon_set || !workload->baseline.known ||
		    workload->baseline.value < 2 || is_spread(workload->pod) ||
		    possible_nodes(placement_of(judge, workload)) < 2)
			continue;
		finding = emit_node(judge, LEVEL_NOTE, workload->object, workload->pod->spec);
		finding_message(judge->sink, finding,
		                "%lld replicas with neither anti-affinity nor spread constraints may "
		                "share one node", (long long)workload->baseline.value);
		finding_help(judge->sink, finding,
		             "add topologySpreadConstraints over kubernetes.io/hostname");
	}
}

/* ---- KL608 ----------------------------------------------------------------------------- */

struct priority {
	int64_t value;
	bool known, preempts;
};

/* The class that pods without one get, or NULL. */
static const struct object *default_class(const struct scope *scope)
{
	for (size_t i = 0; i < scope->objects.n; i++)
		if (scope->objects.v[i]->class == OBJECT_PRIORITY_CLASS &&
		    scope->objects.v[i]->priority_class &&
		    scope->objects.v[i]->priority_class->global_default.value)
			return scope->objects.v[i];
	return NULL;
}

/* A class whose value is a template decides nothing. */
static struct priority class_priority(const struct priority_class *class)
{
	return (struct priority){
		.value = class->value.value,
		.known = node_known(class->value.node),
		.preempts = !str_is(class->preemption_policy.s, "Never"),
	};
}

/* Upstream: the Priority admission plugin; the two system classes have fixed values. */
static struct priority priority_of(const struct workload *workload, const struct object *fallback)
{
	str name = workload->pod->priority_class.s;
	struct priority none = { .known = true, .preempts = true };
	bool never = str_is(workload->pod->preemption_policy.s, "Never");

	if (str_is(name, "system-cluster-critical"))
		return (struct priority){ 2000000000, true, !never };
	if (str_is(name, "system-node-critical"))
		return (struct priority){ 2000001000, true, !never };
	if (workload->priority_class && workload->priority_class->priority_class)
		return class_priority(workload->priority_class->priority_class);
	if (name.n)
		return (struct priority){ .known = false };
	return fallback ? class_priority(fallback->priority_class) : none;
}

/* The name of a group on which both certainly run; empty: none. */
static str shared_group(const struct judge *judge, const struct workload *a,
                        const struct workload *b)
{
	const struct placement *first = placement_of(judge, a), *second = placement_of(judge, b);

	if (first->undecidable || second->undecidable)
		return (str){ 0 };
	for (size_t i = 0; i < first->count && i < second->count; i++)
		if (first->verdicts[i].answer == ANSWER_YES &&
		    second->verdicts[i].answer == ANSWER_YES)
			return first->verdicts[i].group->name;
	return (str){ 0 };
}

static void say_inversion(const struct judge *judge, const struct workload *workload,
                          const struct workload *other, const struct priority *all, str group)
{
	const struct node *node = workload->pod->priority_class.node;
	struct finding *finding = emit_node(judge, LEVEL_WARNING, workload->object,
	                                    node ? node : workload->pod->spec);

	finding_message(judge->sink, finding,
	                "a critical workload of priority %lld may be preempted on %.*s by %.*s of "
	                "priority %lld", (long long)all[workload->index].value, STR_ARG(group),
	                STR_ARG(other->text), (long long)all[other->index].value);
	finding_help(judge->sink, finding,
	             "give it the higher priority, or the other preemptionPolicy: Never");
	relate_object(judge, finding, other->object, other->pod->priority_class.node,
	              "the other priority");
}

/* The first workload that could take its place is named; one is enough to act on. */
static void check_inversion(const struct judge *judge, const struct workload *workload,
                            const struct priority *all)
{
	const struct priority *own = &all[workload->index];

	for (size_t i = 0; own->known && i < judge->scope->workloads.n; i++) {
		const struct workload *other = judge->scope->workloads.v[i];
		str group;

		if (other->daemon_set || !all[i].known || !all[i].preempts ||
		    all[i].value <= own->value)
			continue;
		group = shared_group(judge, workload, other);
		if (group.n) {
			say_inversion(judge, workload, other, all, group);
			return;
		}
	}
}

/* Preemption needs room on one node: only workloads that share a group can hurt each other. */
void kl608_priority_inversion(const struct judge *judge)
{
	const struct scope *scope = judge->scope;
	const struct object *fallback = default_class(scope);
	struct arena *arena = arena_new();
	struct priority *all = arena_calloc(arena, scope->workloads.n, sizeof *all);

	for (size_t i = 0; i < scope->workloads.n; i++)
		all[i] = priority_of(scope->workloads.v[i], fallback);
	for (size_t i = 0; i < scope->workloads.n; i++) {
		const struct workload *workload = scope->workloads.v[i];

		if (workload->critical && !workload->daemon_set)
			check_inversion(judge, workload, all);
	}
	arena_free(arena);
}

/* ---- KL609 ----------------------------------------------------------------------------- */

#define NANOSECONDS INT64_C(1000000000)

/* Who waits for a pod when its node goes, and how long. */
struct patience {
	int64_t seconds;
	str who;
	const struct node *node;  /* where it is set, or NULL */
	enum level level;
};

/* The declared autoscaler's limit; false when none is declared or it is not known. */
static bool autoscaler_patience(const struct scope *scope, struct patience *ret_patience)
{
	*ret_patience = (struct patience){ 600, STR("cluster-autoscaler"), NULL, LEVEL_WARNING };
	for (size_t i = 0; i < scope->pools.autoscalers.n; i++) {
		const struct flag_uses *flags = &scope->pools.autoscalers.v[i]->flags;

		for (size_t k = 0; k < flags->n; k++) {
			if (!str_is(flags->v[k].name, "max-graceful-termination-sec"))
				continue;
			ret_patience->node = flags->v[k].node;
			if (!str_to_int64(flags->v[k].value, &ret_patience->seconds))
				return false;
		}
	}
	return scope->pools.autoscaler_declared;
}

/* A Karpenter NodePool's own limit, or the notice of a spot group; false: none. */
static bool group_patience(const struct settings *settings, const struct group *group,
                           struct patience *ret_patience)
{
	const struct node *node = node_at(group->node, "spec.template.spec.terminationGracePeriod");
	int64_t nanoseconds;

	if (node_known(node) && duration_parse(node_text(node), &nanoseconds)) {
		*ret_patience = (struct patience){ nanoseconds / NANOSECONDS, group->name, node,
			                           LEVEL_WARNING };
		return true;
	}
	*ret_patience = (struct patience){ settings->spot_notice_seconds, group->name, NULL,
		                           LEVEL_NOTE };
	return group->spot_only;
}

/* The autoscaler cuts a longer grace period short; a spot notice is only likely to: N. */
static void say_grace(const struct judge *judge, const struct workload *workload,
                      const struct patience *patience)
{
	const struct number *grace = &workload->pod->termination_grace_seconds;
	struct finding *finding = emit_node(judge, patience->level, workload->object, grace->node);

	if (patience->level == LEVEL_NOTE)
		finding_message(judge->sink, finding,
		                "a grace period of %lld s is longer than the notice of spot nodes: "
		                "%.*s may go after %lld s", (long long)grace->value,
		                STR_ARG(patience->who), (long long)patience->seconds);
	else
		finding_message(judge->sink, finding,
		                "a grace period of %lld s is cut short: %.*s waits %lld s before it "
		                "removes the node", (long long)grace->value, STR_ARG(patience->who),
		                (long long)patience->seconds);
	finding_help(judge->sink, finding, "set %lld or less, or let it wait longer",
	             (long long)patience->seconds);
	if (patience->node)
		finding_relate(judge->sink, finding, node_place(patience->node), "the limit");
}

/* The shortest patience of the groups on which the workload certainly runs. */
static bool placed_patience(const struct judge *judge, const struct workload *workload,
                            enum level level, struct patience *ret_patience)
{
	const struct placement *placement = placement_of(judge, workload);
	struct patience one;
	bool any = false;

	for (size_t i = 0; !placement->undecidable && i < placement->count; i++) {
		if (placement->verdicts[i].answer != ANSWER_YES ||
		    !group_patience(judge->scope->settings, placement->verdicts[i].group, &one) ||
		    one.level != level)
			continue;
		if (!any || one.seconds < ret_patience->seconds)
			*ret_patience = one;
		any = true;
	}
	return any;
}

/* The default of 30 s is below every limit, so only a written grace period counts. */
void kl609_grace_exceeds_autoscaler(const struct judge *judge)
{
	struct patience autoscaler, placed;
	bool declared = autoscaler_patience(judge->scope, &autoscaler);

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct number *grace = &workload->pod->termination_grace_seconds;

		if (!node_known(grace->node) || workload->daemon_set)
			continue;
		if (declared && grace->value > autoscaler.seconds)
			say_grace(judge, workload, &autoscaler);
		else if ((placed_patience(judge, workload, LEVEL_WARNING, &placed) &&
		          grace->value > placed.seconds) ||
		         (placed_patience(judge, workload, LEVEL_NOTE, &placed) &&
		          grace->value > placed.seconds))
			say_grace(judge, workload, &placed);
	}
}

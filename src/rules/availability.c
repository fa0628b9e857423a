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

static struct finding *emit_replicas(const struct judge *judge, enum level level,
                                     const struct workload *workload)
{
	const struct workload_spec *spec = workload->object->workload;

	if (spec->replicas.node)
		return emit_node(judge, level, workload->object, spec->replicas.node);
	return emit_at(judge, level, workload->object, spec->spec, "replicas");
}

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

void kl601_singleton(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++)
		if (judge->scope->workloads.v[i]->singleton)
			say_singleton(judge, judge->scope->workloads.v[i]);
}

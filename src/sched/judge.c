/* Everything that is judged about a scope: each workload against each group, and how many
 * replicas fit. Pods that are judged alike share one verdict.
 */
#include "sched-internal.h"

/* Up to so many verdicts each workload is judged by itself, so that the places in its reasons
 * are its own. */
#define OWN_VERDICTS 20000

/* A single group that certainly takes it will do: then little is said about the workload. */
static bool runs_somewhere(const struct pod_class *class, size_t groups)
{
	for (size_t i = 0; i < groups; i++)
		if (class->offers[i].answer == ANSWER_YES)
			return true;
	return false;
}

/* Finds or makes the class of each workload. A workload that runs nowhere, of which much will
 * be said, gets verdicts of its own in any case. */
static void classify(struct bench *bench)
{
	const struct workloads *workloads = &bench->scope->workloads;
	size_t groups = bench->scope->groups.n;
	bool share = groups && workloads->n > OWN_VERDICTS / groups;
	struct map *known = map_new(bench->arena);

	for (size_t i = 0; i < workloads->n; i++) {
		str key = share ? pod_signature(bench->arena, bench->profiles[i]) : (str){ 0 };
		struct pod_class *class = share ? map_get(known, key) : NULL;

		if (!class || !runs_somewhere(class, groups)) {
			struct pod_class *own = bench_judge(bench, bench->profiles[i]);

			own->number = i;
			class = own;
		}
		if (share && !map_has(known, key))
			map_put(known, key, class);
		bench->classes[i] = class;
	}
}

/* Pods that no scheduler of ours places get verdicts for the matrix, but no findings. */
static str undecidable(const struct scope *scope, const struct workload *workload)
{
	const struct text *name = &workload->pod->scheduler_name;

	if (!scope->groups.n)
		return STR("no node group is declared");
	if (workload->pod->node_name.node)
		return STR("spec.nodeName is set: the scheduler is not asked");
	if (workload->pod->spec && workload->pod->spec->unknown)
		return STR("a patch adds fields to its pod spec");
	if (name->node && (name->node->unknown || !str_is(name->s, "default-scheduler")))
		return STR("another scheduler places it");
	if (!workload->daemon_set &&
	    pools_fargate_takes(&scope->pools, workload->namespace, &workload->pod->labels) !=
		    ANSWER_NO)
		return STR("a Fargate profile takes its pods");
	return (str){ 0 };
}

/* Capacities come after all verdicts: a workload's own demands look at its class. */
struct judgement *sched_judge(struct arena *arena, const struct scope *scope)
{
	struct judgement *judgement = ARENA_NEW(arena, struct judgement);
	struct bench *bench = bench_new(arena, scope);
	size_t count = scope->workloads.n;

	classify(bench);
	*judgement = (struct judgement){
		.scope = scope, .count = count, .bench = bench,
		.placements = arena_calloc(arena, count, sizeof(judgement->placements[0])),
		.capacities = arena_calloc(arena, count, sizeof(judgement->capacities[0])),
	};
	for (size_t i = 0; i < count; i++) {
		const struct workload *workload = scope->workloads.v[i];
		str why = undecidable(scope, workload);

		judgement->placements[i] = (struct placement){
			.workload = workload, .verdicts = bench->classes[i]->verdicts,
			.count = scope->groups.n, .undecidable = why.n > 0,
			.undecidable_why = why,
		};
		bench_measure(bench, workload, &judgement->capacities[i]);
		if (why.n)
			judgement->capacities[i].known = false;
	}
	return judgement;
}

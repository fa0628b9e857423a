/* KL313: how many volumes a node may attach. */
#include "rules-internal.h"

#define VOLUME_LIMITS "attachable-volumes-"

/* Claims of one pod: templates of a StatefulSet and volumes that name a claim. */
static int64_t claims_of(const struct workload *workload)
{
	int64_t count = (int64_t)workload->object->workload->claim_templates.n;

	for (size_t i = 0; i < workload->pod->volumes.n; i++)
		count += workload->pod->volumes.v[i].claim_name.node != NULL;
	return count;
}

/* Least declared limit of attachable volumes on a node of the group; INT64_MAX: none is. */
static int64_t volume_limit(const struct group *group)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < group->shapes.n; i++) {
		const struct capacity_facts *facts = &group->shapes.v[i].allocatable;

		for (size_t j = 0; j < facts->n; j++)
			if (facts->v[j].known && facts->v[j].optimistic < least &&
			    str_starts(facts->v[j].resource, STR(VOLUME_LIMITS)))
				least = facts->v[j].optimistic;
	}
	return least;
}

/* Pods that fit when each takes its claims too; bound gets the group that limits. */
static int64_t pods_with_volumes(const struct capacity *capacity, int64_t claims,
                                 const struct group **ret_group)
{
	int64_t total = 0;

	for (size_t i = 0; i < capacity->share_count; i++) {
		const struct group_share *share = &capacity->shares[i];
		int64_t by_volumes = volume_limit(share->group) / claims;
		int64_t per_node = share->per_node;

		if (by_volumes < per_node) {
			per_node = by_volumes;
			*ret_group = share->group;
		}
		total = int64_add_saturated(total, int64_mul_saturated(share->nodes, per_node));
	}
	return total;
}

/* A note: the limit may count volumes of one driver only, and the claims be of another. */
void kl313_volume_limit_bound(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct capacity *capacity = capacity_of(judge, workload);
		const struct group *group = NULL;
		int64_t claims, total;

		if (workload->object->class != OBJECT_STATEFUL_SET || !capacity->known ||
		    !workload->peak.known || judge->scope->groups.n == 0)
			continue;
		claims = claims_of(workload);
		if (!claims)
			continue;
		total = pods_with_volumes(capacity, claims, &group);
		if (!group || total >= workload->peak.value || capacity->upper <= total)
			continue;
		const struct workload_spec *spec = workload->object->workload;
		struct finding *finding =
			emit_at(judge, LEVEL_NOTE, workload->object,
			        spec->replicas.node ? spec->replicas.node : spec->spec,
			        spec->replicas.node ? NULL : "replicas");
		finding_message(judge->sink, finding,
		                "volumes allow %lld of %lld replicas: a node of %.*s attaches %lld, and "
		                "each pod has %lld",
		                (long long)total, (long long)workload->peak.value,
		                STR_ARG(group->name), (long long)volume_limit(group),
		                (long long)claims);
		finding_help(judge->sink, finding,
		             "use fewer claims a pod, or more and smaller nodes");
	}
}

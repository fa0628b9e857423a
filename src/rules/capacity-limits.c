/* KL110-112: what a workload asks of its own replicas (a host port, anti-affinity, spread) allows
 * fewer of them than it wants (rules.md, KL1). */
#include "rules-internal.h"

/* Which of its own demands binds, and where it stands. */
struct bond {
	enum { BOND_NONE, BOND_PORT, BOND_ANTI_AFFINITY, BOND_SPREAD } kind;
	const struct node *node;
};

/* Do all groups take one pod a node for that reason? */
static bool shares_bound_by(const struct capacity *capacity, const char *reason)
{
	for (size_t i = 0; i < capacity->share_count; i++)
		if (!str_is(capacity->shares[i].limited_by, reason))
			return false;
	return capacity->share_count > 0;
}

static const struct node *hard_constraint(const struct pod_template *pod)
{
	for (size_t i = 0; i < pod->spread.n; i++)
		if (!str_is(pod->spread.v[i].when_unsatisfiable.s, "ScheduleAnyway"))
			return pod->spread.v[i].node;
	return NULL;
}

static const struct node *host_port(const struct pod_template *pod)
{
	for (size_t i = 0; i < pod->containers.n; i++)
		for (size_t k = 0; k < pod->containers.v[i].ports.n; k++)
			if (pod->containers.v[i].ports.v[k].host_port.node)
				return pod->containers.v[i].ports.v[k].host_port.node;
	return NULL;
}

/* demand: what would fit but for the constraint. */
static struct bond bond_of(const struct workload *workload, const struct capacity *capacity,
                           int64_t demand)
{
	const struct pod_template *pod = workload->pod;
	const struct node *constraint = hard_constraint(pod), *port = host_port(pod);
	const struct node *term = pod->required_anti_affinity.n > 0
	                                  ? pod->required_anti_affinity.v[0].node : NULL;

	if (capacity->spread_total >= demand && constraint)
		return (struct bond){ BOND_SPREAD, constraint };
	if (term && (capacity->spread_total >= demand ||
	             shares_bound_by(capacity, "podAntiAffinity")))
		return (struct bond){ BOND_ANTI_AFFINITY, term };
	if (port && shares_bound_by(capacity, "hostPort"))
		return (struct bond){ BOND_PORT, port };
	return (struct bond){ BOND_NONE, NULL };
}

const struct node *self_limit(const struct workload *workload, const struct capacity *capacity,
                              int64_t demand)
{
	return bond_of(workload, capacity, demand).node;
}

static void say_bond(const struct judge *judge, const struct workload *workload,
                     const struct bond *bond, int64_t demand, bool peak)
{
	static const char *const words[] = {
		[BOND_NONE] = "",
		[BOND_PORT] = "the host port allows one pod a node",
		[BOND_ANTI_AFFINITY] = "the required anti-affinity keeps them apart",
		[BOND_SPREAD] = "the spread constraint allows no more in its domains",
	};
	const struct capacity *capacity = capacity_of(judge, workload);
	struct finding *finding = emit_at(judge, peak ? LEVEL_WARNING : LEVEL_ERROR,
	                                  workload->object, bond->node, NULL);

	finding_message(judge->sink, finding, "places %lld of %lld replicas%s: %s",
	                (long long)capacity->upper, (long long)demand, peak ? " at the peak" : "",
	                words[bond->kind]);
	finding_help(judge->sink, finding, "%s",
	             bond->kind == BOND_SPREAD
	                     ? "whenUnsatisfiable: ScheduleAnyway, a larger maxSkew, or "
	                       "nodeTaintsPolicy: Honor where a tainted node counts as a domain"
	                     : "ask for fewer replicas, or raise the maximum of a node group");
}

static void check_bond(const struct judge *judge, int kind)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct capacity *capacity = capacity_of(judge, workload);

		if (workload->daemon_set || workload->job || !capacity->known ||
		    judge->scope->groups.n == 0 || judge->scope->terraform_unread ||
		    !workload->peak.known || capacity->upper >= workload->peak.value)
			continue;
		bool peak = !workload->baseline.known ||
		            workload->baseline.value <= capacity->upper;
		int64_t demand = peak ? workload->peak.value : workload->baseline.value;
		struct bond bond = bond_of(workload, capacity, demand);
		if ((int)bond.kind == kind && node_is_of(bond.node, workload->object))
			say_bond(judge, workload, &bond, demand, peak);
	}
}

/* Upstream's NodePorts filter lets one pod with the port onto a node. */
void kl110_host_port_limit(const struct judge *judge)
{
	check_bond(judge, BOND_PORT);
}

/* Soundness as for all counts: the bound is on the optimistic allocatable and the groups'
 * maxima. */
void kl111_anti_affinity_limit(const struct judge *judge)
{
	check_bond(judge, BOND_ANTI_AFFINITY);
}

/* The count without the constraints is known too (spread_total): the constraint is the cause
 * only when the replicas would fit without it. */
void kl112_topology_spread_limit(const struct judge *judge)
{
	check_bond(judge, BOND_SPREAD);
}

/* KL011: labels and taints that nodes do not carry any more, or only beside their successors
 * (rules.md, KL0). */
#include "rules-internal.h"

enum use { USE_LABEL = 1, USE_TAINT = 2 };

/* Old names and their successors. gone: the first minor that does not set it (0: nodes still
 * carry both). twin: both carry the same value. Sources: k8s.io/api well_known_labels.go,
 * kubeadm's constants v1.20 to v1.37 (rules/data/labels-taints.tsv). */
struct old_name {
	const char *key, *successor;
	int uses, gone;
	bool twin;
};
static const struct old_name old_names[] = {
	{ "beta.kubernetes.io/arch", "kubernetes.io/arch", USE_LABEL, 0, true },
	{ "beta.kubernetes.io/os", "kubernetes.io/os", USE_LABEL, 0, true },
	{ "beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type", USE_LABEL, 0,
	  true },
	{ "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region", USE_LABEL, 0,
	  true },
	{ "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone", USE_LABEL, 0,
	  true },
	{ "node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane", USE_LABEL, 24,
	  false },
	{ "node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane", USE_TAINT, 25,
	  false },
};

/* One place where a pod names a label or taint. */
struct name_use {
	str key;
	const struct node *node; /* the scalar that is the name, or the entry whose key it is */
	bool is_key;             /* the latter */
	int use;
};
struct name_uses VEC(struct name_use);

static void add_requirements(struct arena *arena, const struct requirements *requirements,
                             struct name_uses *uses)
{
	for (size_t i = 0; i < requirements->n; i++)
		*VEC_PUSH(arena, uses) = (struct name_use){
			.key = requirements->v[i].key,
			.node = node_get(requirements->v[i].node, "key"), .use = USE_LABEL };
}

static void add_topology(struct arena *arena, const struct text *key, struct name_uses *uses)
{
	if (key->node)
		*VEC_PUSH(arena, uses) =
			(struct name_use){ .key = key->s, .node = key->node, .use = USE_LABEL };
}

static void add_affinity(struct arena *arena, const struct pod_template *pod,
                         struct name_uses *uses)
{
	for (size_t i = 0; i < pod->required_node_terms.n; i++)
		add_requirements(arena, &pod->required_node_terms.v[i].match_expressions, uses);
	for (size_t i = 0; i < pod->preferred_node_terms.n; i++)
		add_requirements(arena, &pod->preferred_node_terms.v[i].term.match_expressions,
		                 uses);
	for (size_t i = 0; i < pod->required_affinity.n; i++)
		add_topology(arena, &pod->required_affinity.v[i].topology_key, uses);
	for (size_t i = 0; i < pod->required_anti_affinity.n; i++)
		add_topology(arena, &pod->required_anti_affinity.v[i].topology_key, uses);
	for (size_t i = 0; i < pod->preferred_affinity.n; i++)
		add_topology(arena, &pod->preferred_affinity.v[i].term.topology_key, uses);
	for (size_t i = 0; i < pod->preferred_anti_affinity.n; i++)
		add_topology(arena, &pod->preferred_anti_affinity.v[i].term.topology_key, uses);
	for (size_t i = 0; i < pod->spread.n; i++)
		add_topology(arena, &pod->spread.v[i].topology_key, uses);
}

/* Every label and taint that the pod's own text names. */
static void find_uses(struct arena *arena, const struct pod_template *pod,
                      struct name_uses *ret_uses)
{
	for (size_t i = 0; i < pod->node_selector.n; i++)
		*VEC_PUSH(arena, ret_uses) = (struct name_use){
			.key = pod->node_selector.v[i].key, .node = pod->node_selector.v[i].node,
			.is_key = true, .use = USE_LABEL };
	add_affinity(arena, pod, ret_uses);
	for (size_t i = 0; i < pod->tolerations.n; i++)
		*VEC_PUSH(arena, ret_uses) = (struct name_use){
			.key = pod->tolerations.v[i].key.s,
			.node = pod->tolerations.v[i].key.node, .use = USE_TAINT };
}

static bool names_successor(const struct name_uses *uses, const struct old_name *old)
{
	for (size_t i = 0; i < uses->n; i++)
		if (str_is(uses->v[i].key, old->successor) && (uses->v[i].use & old->uses))
			return true;
	return false;
}

static void say_old_name(const struct judge *judge, const struct workload *workload,
                         const struct name_use *use, const struct old_name *old)
{
	struct version target = judge->scope->settings->kubernetes.major > 0
	                                ? judge->scope->settings->kubernetes : kube_newest();
	bool gone = old->gone > 0 && target.minor >= old->gone;
	struct finding *finding = emit_at(judge, gone ? LEVEL_WARNING : LEVEL_NOTE,
	                                  workload->object, use->node, NULL);
	struct span span = use->is_key ? use->node->key_span : use->node->span;

	finding->salient = use->key;
	if (gone)
		finding_message(judge->sink, finding,
		                "nodes do not carry %s %s any more, since Kubernetes 1.%d",
		                use->use == USE_TAINT ? "taint" : "label", old->key, old->gone);
	else
		finding_message(judge->sink, finding,
		                "label %s is deprecated; nodes carry %s beside it", old->key,
		                old->successor);
	finding_help(judge->sink, finding, "use %s", old->successor);
	if (!use->node->aliased && !use->node->merged && span.file > 0)
		finding_fix(judge->sink, finding, old->twin, "use the name of today",
		            (struct edit){ .span = span, .text = str_of(old->successor) });
}

static void check_name(const struct judge *judge, const struct workload *workload,
                       const struct name_uses *uses, const struct old_name *old)
{
	if (names_successor(uses, old))
		return;
	for (size_t i = 0; i < uses->n; i++) {
		const struct name_use *use = &uses->v[i];
		if (use->node && str_is(use->key, old->key) && (use->use & old->uses))
			say_old_name(judge, workload, use, old);
	}
}

/* A pod that names the successor as well is in the middle of a migration: silent. Twins carry
 * the same value on every node, so to replace the one by the other changes nothing. */
void kl011_deprecated_label(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		struct arena *scratch = arena_new();
		struct name_uses uses = { 0 };

		find_uses(scratch, workload->pod, &uses);
		for (size_t k = 0; k < COUNT_OF(old_names); k++)
			check_name(judge, workload, &uses, &old_names[k]);
		arena_free(scratch);
	}
}

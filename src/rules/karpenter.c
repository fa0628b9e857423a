/* KL5, fourth part: Karpenter's NodePools (rules.md, KL512, KL520).
 *
 * Upstream: karpenter pkg/scheduling requirements and pkg/apis/v1 labels.go; the domains of
 * labels are restricted as in releases up to 1.8, relaxed from 1.9.0.
 */
#include "edits.h"

/* OpenShift, GKE and others have a NodePool too. */
static bool is_node_pool(const struct object *object)
{
	return str_is(object->group, "karpenter.sh") && str_is(object->kind, "NodePool");
}

/* NULL without any: everything is allowed then. */
static const struct node *requirements_of(const struct object *pool)
{
	const struct node *list = node_at(pool->root, "spec.template.spec.requirements");

	return node_is_list(list) ? list : NULL;
}

/* ---- KL512: what excludes each other ----------------------------------------------------- */

/* One requirement, or a template label, which counts as In with one value. */
struct demand {
	str key;
	enum selector_operator op;
	const struct node *values;    /* list, or a scalar */
	const struct node *node;
};

/* Texts of one entry; what is missing stays empty and open. */
static struct demand demand_of(const struct node *item)
{
	return (struct demand){
		.key = node_text(node_get(item, "key")),
		/* Gt, Lt, Gte and Lte are left open: their bounds rarely contradict. */
		.op = label_operator_of(node_text(node_get(item, "operator"))),
		.values = node_get(item, "values"),
		.node = node_get(item, "key"),
	};
}

/* A label's scalar counts as a list of one. */
static bool has_value(const struct node *values, str value)
{
	if (node_is_scalar(values))
		return str_eq(node_text(values), value);
	for (uint32_t i = 0; node_is_list(values) && i < values->child_count; i++)
		if (str_eq(node_text(&values->children[i]), value))
			return true;
	return false;
}

/* Nothing follows from a demand that cannot be read. */
static bool is_open(const struct demand *demand)
{
	return !demand->key.n || demand->op == SELECTOR_INVALID ||
	       (demand->values && demand->values->unknown) ||
	       (demand->node && demand->node->unknown);
}

/* Is a value of the In demand allowed by the other one? */
static bool any_allowed(const struct demand *in, const struct demand *other)
{
	const struct node *values = in->values;

	if (node_is_scalar(values))
		return has_value(other->values, node_text(values)) == (other->op == SELECTOR_IN);
	for (uint32_t i = 0; node_is_list(values) && i < values->child_count; i++)
		if (has_value(other->values, node_text(&values->children[i])) ==
		    (other->op == SELECTOR_IN))
			return true;
	return false;
}

/* Can no value satisfy both? */
static bool exclude(const struct demand *a, const struct demand *b)
{
	if (!str_eq(a->key, b->key) || is_open(a) || is_open(b))
		return false;
	if (a->op == SELECTOR_DOES_NOT_EXIST || b->op == SELECTOR_DOES_NOT_EXIST)
		return a->op == SELECTOR_IN || a->op == SELECTOR_EXISTS || b->op == SELECTOR_IN ||
		       b->op == SELECTOR_EXISTS;
	if (a->op == SELECTOR_IN && (b->op == SELECTOR_IN || b->op == SELECTOR_NOT_IN))
		return !any_allowed(a, b);
	return b->op == SELECTOR_IN && a->op == SELECTOR_NOT_IN && !any_allowed(b, a);
}

/* At the later one, with the earlier one beside it. */
static void say_excluded(const struct judge *judge, const struct object *pool,
                         const struct demand *a, const struct demand *b)
{
	struct finding *finding = emit_node(judge, LEVEL_ERROR, pool, a->node);

	finding_message(judge->sink, finding,
	                "no node satisfies both demands on %.*s: the NodePool never starts one",
	                STR_ARG(a->key));
	finding_help(judge->sink, finding, "keep one of them");
	finding_relate(judge->sink, finding, node_place(b->node), "the other demand");
}

/* A requirement against all those in front of it and against the template's labels. */
static void check_demand(const struct judge *judge, const struct object *pool,
                         const struct node *list, uint32_t index)
{
	const struct node *labels = node_at(pool->root, "spec.template.metadata.labels");
	struct demand own = demand_of(&list->children[index]);

	for (uint32_t i = 0; i < index; i++) {
		struct demand other = demand_of(&list->children[i]);

		if (exclude(&own, &other)) {
			say_excluded(judge, pool, &own, &other);
			return;
		}
	}
	for (uint32_t i = 0; node_is_map(labels) && i < labels->child_count; i++) {
		struct demand label = { labels->children[i].key, SELECTOR_IN,
			                &labels->children[i], &labels->children[i] };

		if (exclude(&own, &label))
			say_excluded(judge, pool, &own, &label);
	}
}

/* ---- KL512: restricted domains ----------------------------------------------------------- */

/* Linear: the lists are short. */
static bool is_one_of(str key, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(key, list[i]))
			return true;
	return false;
}

/* The level of a key in a domain that Karpenter keeps to itself, or -1. */
static int restricted_level(str key)
{
	static const char *const known[] = {
		"karpenter.sh/capacity-type", "karpenter.sh/nodepool", "kubernetes.io/arch",
		"kubernetes.io/os", "node.kubernetes.io/instance-type",
		"node.kubernetes.io/windows-build", "topology.kubernetes.io/zone",
		"topology.kubernetes.io/region", "beta.kubernetes.io/arch",
		"beta.kubernetes.io/os", "beta.kubernetes.io/instance-type",
		"failure-domain.beta.kubernetes.io/zone",
		"failure-domain.beta.kubernetes.io/region", "karpenter.sh/do-not-sync-taints",
	};
	static const char *const open[] = { "node.kubernetes.io", "node-restriction.kubernetes.io",
		                            "kops.k8s.io" };
	str domain, name;

	if (is_one_of(key, known, COUNT_OF(known)) || !str_cut(key, '/', &domain, &name))
		return -1;
	if (str_is(domain, "karpenter.sh") || str_is(key, "kubernetes.io/hostname"))
		return LEVEL_ERROR;
	for (size_t i = 0; i < COUNT_OF(open); i++)
		if (str_ends(domain, str_of(open[i])))
			return -1;
	/* CSI drivers and cloud providers have zones of their own in these domains */
	if (str_starts(name, STR("zone")))
		return -1;
	return str_is(domain, "kubernetes.io") || str_is(domain, "k8s.io") ||
	                       str_ends(domain, STR(".kubernetes.io")) ||
	                       str_ends(domain, STR(".k8s.io"))
	               ? LEVEL_WARNING : -1;
}

/* E where every release refuses it, W where those before 1.9 do. */
static void check_key(const struct judge *judge, const struct object *pool, str key,
                      const struct node *node)
{
	int level = restricted_level(key);
	struct finding *finding;

	if (level < 0 || !node || node->unknown)
		return;
	finding = emit_node(judge, (enum level)level, pool, node);
	finding_message(judge->sink, finding, "the label %.*s is kept by Karpenter to itself%s",
	                STR_ARG(key), level == LEVEL_ERROR ? ": it refuses the NodePool"
	                                                   : ": releases before 1.9 refuse the "
	                                                     "NodePool");
	finding_help(judge->sink, finding, "use a key of a domain of your own");
}

/* ---- KL512: overlap -------------------------------------------------------------------- */

/* Absent is 0. */
static int64_t weight_of(const struct object *pool)
{
	int64_t weight = 0;

	node_int(node_at(pool->root, "spec.weight"), &weight);
	return weight;
}

/* A demand that cannot be read may keep them apart: then nothing is said. */
static bool pools_exclude(const struct object *a, const struct object *b)
{
	const struct node *first = requirements_of(a), *second = requirements_of(b);

	for (uint32_t i = 0; first && i < first->child_count; i++)
		for (uint32_t k = 0; second && k < second->child_count; k++) {
			struct demand one = demand_of(&first->children[i]);
			struct demand two = demand_of(&second->children[k]);

			if (exclude(&one, &two) || is_open(&one) || is_open(&two))
				return true;
		}
	return false;
}

/* Taints or custom labels tell pools apart for pods. */
static bool is_plain(const struct object *pool)
{
	const struct node *spec = node_at(pool->root, "spec.template.spec");
	const struct node *taints = node_get(spec, "taints");

	return spec && !spec->unknown && !(node_is_list(taints) && taints->child_count) &&
	       !node_at(pool->root, "spec.template.metadata.labels");
}

/* With the first one in the order of the files. */
static void check_overlap(const struct judge *judge, const struct objects *pools, size_t index)
{
	const struct object *pool = pools->v[index];

	for (size_t i = 0; i < index; i++) {
		const struct object *other = pools->v[i];
		struct finding *finding;

		if (weight_of(pool) != weight_of(other) || !is_plain(pool) || !is_plain(other) ||
		    pools_exclude(pool, other))
			continue;
		finding = emit_node(judge, LEVEL_NOTE, pool, pool->name.node);
		finding_message(judge->sink, finding,
		                "the NodePools %.*s and %.*s overlap with equal weight: which one starts "
		                "a node is left to chance", STR_ARG(pool->name.s),
		                STR_ARG(other->name.s));
		finding_help(judge->sink, finding, "give them different weights");
		relate_object(judge, finding, other, NULL, "the other one");
		return;
	}
}

/* Requirements against each other, then every key for itself. */
static void check_pool(const struct judge *judge, const struct object *pool)
{
	const struct node *list = requirements_of(pool);
	const struct node *labels = node_at(pool->root, "spec.template.metadata.labels");

	for (uint32_t i = 0; list && i < list->child_count; i++) {
		const struct node *key = node_get(&list->children[i], "key");

		check_demand(judge, pool, list, i);
		check_key(judge, pool, node_text(key), key);
	}
	for (uint32_t i = 0; node_is_map(labels) && i < labels->child_count; i++)
		check_key(judge, pool, labels->children[i].key, &labels->children[i]);
}

/* Whether instance types are left is not asked: the catalogue is not whole for every key. */
void kl512_nodepool_requirements_contradict(const struct judge *judge)
{
	struct objects pools = { 0 };

	for (size_t i = 0; i < judge->scope->objects.n; i++)
		if (is_node_pool(judge->scope->objects.v[i]))
			*VEC_PUSH(JUDGE_ARENA(judge), &pools) = judge->scope->objects.v[i];
	for (size_t i = 0; i < pools.n; i++) {
		check_pool(judge, pools.v[i]);
		check_overlap(judge, &pools, i);
	}
}

/* ---- KL520 ----------------------------------------------------------------------------- */

/* Limits above this are not looked at: the rest is then small beside them. */
#define MAX_CORES 4096

/* Whole cores of each allowed type; false when one is not known. */
static bool type_cores(const struct group *group, bool *sizes, int64_t *ret_smallest)
{
	*ret_smallest = INT64_MAX;
	for (size_t i = 0; i < group->shapes.n; i++) {
		const struct instance_type *type =
			instance_type_find(group->provider, group->shapes.v[i].instance_type);
		int64_t cores = type ? type->milli_cpu / 1000 : 0;

		if (cores <= 0)
			return false;
		if (cores <= MAX_CORES)
			sizes[cores] = true;
		if (cores < *ret_smallest)
			*ret_smallest = cores;
	}
	return group->shapes.n > 0;
}

/* The largest sum of sizes that is at most limit. */
static int64_t largest_sum(const bool *sizes, int64_t limit)
{
	bool reached[MAX_CORES + 1] = { true };
	int64_t best = 0;

	for (int64_t size = 1; size <= limit; size++)
		for (int64_t sum = size; sizes[size] && sum <= limit; sum++)
			reached[sum] = reached[sum] || reached[sum - size];
	for (int64_t sum = 0; sum <= limit; sum++)
		best = reached[sum] ? sum : best;
	return best;
}

/* The sum of whole nodes decides, since Karpenter starts none that would pass the limit. */
static void check_limit(const struct judge *judge, const struct group *group,
                        const struct capacity_fact *limit)
{
	bool sizes[MAX_CORES + 1] = { false };
	int64_t cores = limit->optimistic / 1000, smallest, rest;
	struct finding *finding;
	bool dead;

	if (!limit->known || cores > MAX_CORES || !type_cores(group, sizes, &smallest))
		return;
	dead = cores < smallest;
	rest = limit->optimistic - largest_sum(sizes, cores) * 1000;
	if (!dead && rest == 0)
		return;
	finding = emit_group(judge, dead || rest * 10 >= smallest * 1000 ? LEVEL_WARNING
	                                                                 : LEVEL_NOTE,
	                     group, limit->node, NULL);
	if (dead)
		finding_message(judge->sink, finding,
		                "the limit of %lld cpu is below the smallest allowed type of %lld: "
		                "the NodePool never starts a node", (long long)cores,
		                (long long)smallest);
	else
		finding_message(judge->sink, finding,
		                "no number of the allowed types adds up to the limit of %lld cpu: "
		                "%.*s of it can never be used", (long long)cores,
		                STR_ARG(amount_text(JUDGE_ARENA(judge), STR("cpu"), rest)));
	finding_help(judge->sink, finding, "use a limit of %lld or %lld cpu",
	             (long long)(dead ? smallest : cores - rest / 1000),
	             (long long)(dead ? 2 * smallest : cores - rest / 1000 + smallest));
}

/* Only cpu: memory limits are never exact to a node. */
void kl520_nodepool_limit_granularity(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->groups.n; i++) {
		const struct group *group = judge->scope->groups.v[i];

		for (size_t k = 0; k < group->limits.n; k++)
			if (str_is(group->limits.v[k].resource, "cpu") && group->limits.v[k].node &&
			    str_starts(str_of(group->format), STR("karpenter")))
				check_limit(judge, group, &group->limits.v[k]);
	}
}

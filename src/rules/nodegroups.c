/* KL5, first half: node groups as they are declared (rules.md, KL5). What concerns the
 * autoscaler's own configuration is in autoscaler.c. */
#include "ask.h"
#include "edits.h"

/* ---- KL507 ----------------------------------------------------------------------------- */

/* A snapshot or an implied default never contradicts a declaration. */
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

/* E when somebody believes to configure something with it, W for a mere snapshot. */
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

/* Upstream: clusterstate writes the map on every loop and has no code that reads it. */
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

/* One finding per tag, with the first workload that is misled. */
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

/* Only groups whose labels are known for certain: LABEL_UNKNOWN silences. */
void kl510_tag_is_not_label(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->groups.n; i++) {
		const struct group *group = judge->scope->groups.v[i];

		for (size_t k = 0; k < group->tags.n; k++)
			if (node_known(group->tags.v[k].node))
				check_tag(judge, group, &group->tags.v[k]);
	}
}

/* ---- KL501 ----------------------------------------------------------------------------- */

/* Written by somebody, and not a template. */
static bool is_declared(const struct count_fact *fact)
{
	return fact->origin == ORIGIN_DECLARED && fact->node && !fact->node->unknown;
}

/* Bounds of one declaration: a group's own, or a flag's. */
struct bounds {
	const struct count_fact *min, *max, *desired;
	str name;
};

/* The fault of the bounds and the fact to blame; NULL when there is none. */
static const struct count_fact *bounds_fault(struct arena *arena, const struct bounds *bounds,
                                             str *ret_fault)
{
	const struct count_fact *min = bounds->min, *max = bounds->max, *desired = bounds->desired;
	const struct count_fact *const facts[] = { min, max, desired };

	for (size_t i = 0; i < COUNT_OF(facts); i++)
		if (is_declared(facts[i]) && facts[i]->value < 0) {
			*ret_fault = str_format(arena, "%lld nodes are fewer than none",
			                        (long long)facts[i]->value);
			return facts[i];
		}
	if (min->origin && max->origin && (is_declared(min) || is_declared(max)) &&
	    min->value > max->value) {
		*ret_fault = str_format(arena, "the minimum of %lld nodes is above the maximum of "
		                               "%lld", (long long)min->value,
		                        (long long)max->value);
		return is_declared(max) ? max : min;
	}
	if (is_declared(desired) && min->origin && max->origin &&
	    (desired->value < min->value || desired->value > max->value)) {
		*ret_fault = str_format(arena, "the desired %lld nodes are outside of %lld to %lld",
		                        (long long)desired->value, (long long)min->value,
		                        (long long)max->value);
		return desired;
	}
	return NULL;
}

/* Said with both numbers, so that either can be corrected. */
static void say_bounds(const struct judge *judge, struct finding *finding, str name, str fault)
{
	finding_message(judge->sink, finding, "node group %.*s: %.*s", STR_ARG(name),
	                STR_ARG(fault));
	finding_help(judge->sink, finding, "set minimum <= desired <= maximum");
}

/* A flag's bounds stand in the autoscaler's manifest, which is no node group's document. */
static void check_claim_bounds(const struct judge *judge, const struct bounds_claim *claim)
{
	struct bounds bounds = { &claim->min, &claim->max, &claim->desired, claim->name };
	str fault;

	if (!claim->observed && claim->object && claim->node &&
	    bounds_fault(JUDGE_ARENA(judge), &bounds, &fault))
		say_bounds(judge, emit_node(judge, LEVEL_ERROR, claim->object, claim->node),
		           claim->name, fault);
}

/* The group in whose declaration the node lies, or NULL. */
static const struct group *group_around(const struct scope *scope, const struct node *node)
{
	for (; node; node = node->parent)
		for (size_t i = 0; i < scope->pools.groups.n; i++)
			if (scope->pools.groups.v[i]->node == node)
				return scope->pools.groups.v[i];
	return NULL;
}

/* What the readers of the formats found wrong with bounds. */
static void visit_bounds(const struct judge *judge, const struct tree *tree, struct map *told)
{
	for (size_t i = 0; i < tree->faults.n; i++) {
		const struct fault *fault = &tree->faults.v[i];
		const struct group *group;
		struct finding *finding;

		if (fault->kind != FAULT_INVENTORY || !str_is(fault->c, "bounds"))
			continue;
		group = group_around(judge->scope, fault->node);
		finding = group ? emit_group(judge, LEVEL_ERROR, group, fault->node, NULL)
		                : emit_fault(judge, LEVEL_ERROR, tree, fault);
		finding_message(judge->sink, finding, "%.*s", STR_ARG(fault->a));
		finding_help(judge->sink, finding,
		             "set whole numbers, minimum <= desired <= maximum");
		if (group)
			map_put(told, group->name, finding);
	}
}

/* Do the bounds come from a claim, which is judged on its own? */
static bool is_claimed(const struct scope *scope, const struct count_fact *fact)
{
	for (size_t i = 0; i < scope->pools.claims.n; i++) {
		const struct bounds_claim *claim = &scope->pools.claims.v[i];

		if (claim->object && (claim->min.node == fact->node ||
		                      claim->max.node == fact->node || claim->node == fact->node))
			return true;
	}
	return false;
}

/* What the readers could not take as numbers comes from them; relations between numbers are
 * looked at here. */
void kl501_group_bounds_invalid(const struct judge *judge)
{
	struct arena *arena = arena_new();
	struct map *told = map_new(arena);

	for (size_t i = 0; i < judge->scope->trees.n; i++)
		visit_bounds(judge, judge->scope->trees.v[i], told);
	for (size_t i = 0; i < judge->scope->pools.groups.n; i++) {
		const struct group *group = judge->scope->pools.groups.v[i];
		struct bounds bounds = { &group->min, &group->max, &group->desired, group->name };
		str fault;
		const struct count_fact *fact = bounds_fault(JUDGE_ARENA(judge), &bounds, &fault);

		if (fact && !is_claimed(judge->scope, fact) && !map_get(told, group->name))
			say_bounds(judge, emit_group(judge, LEVEL_ERROR, group, fact->node, NULL),
			           group->name, fault);
	}
	for (size_t i = 0; i < judge->scope->pools.claims.n; i++)
		check_claim_bounds(judge, &judge->scope->pools.claims.v[i]);
	arena_free(arena);
}

/* ---- KL502, KL503 ---------------------------------------------------------------------- */

/* Names of the groups that something else than flags and status declares. */
static struct strs declared_names(struct arena *arena, const struct scope *scope)
{
	struct strs names = { 0 };

	for (size_t i = 0; i < scope->pools.groups.n; i++)
		if (!scope->pools.groups.v[i]->known_by_name_only)
			*VEC_PUSH(arena, &names) = scope->pools.groups.v[i]->name;
	return names;
}

/* E only with complete: another repository may make the group. */
static void say_unknown_group(const struct judge *judge, const struct bounds_claim *claim,
                              const struct strs *names)
{
	const struct scope *scope = judge->scope;
	bool sure = scope->settings->complete && !scope->incomplete;
	size_t nearest = str_nearest(claim->name, names->v, names->n);
	struct finding *finding = emit_node(judge, sure ? LEVEL_ERROR : LEVEL_WARNING,
	                                    claim->object, claim->node);
	struct edit edit;

	finding_message(judge->sink, finding,
	                "no inventory declares a node group %.*s; declared %s %.*s",
	                STR_ARG(claim->name), names->n == 1 ? "is" : "are",
	                STR_ARG(list_text(JUDGE_ARENA(judge), names, 5)));
	if (nearest == names->n) {
		finding_help(judge->sink, finding, "name a declared group, or declare this one");
		return;
	}
	finding_help(judge->sink, finding, "did you mean %.*s?", STR_ARG(names->v[nearest]));
	if (str_one_edit(claim->name, names->v[nearest]) &&
	    edit_part(claim->object, claim->node, claim->name, names->v[nearest], &edit))
		finding_fix(judge->sink, finding, true, "name the declared group", edit);
}

/* Without any declared group there is nothing to compare with. */
void kl502_autoscaler_group_unknown(const struct judge *judge)
{
	struct strs names = declared_names(JUDGE_ARENA(judge), judge->scope);

	for (size_t i = 0; names.n && i < judge->scope->pools.claims.n; i++) {
		const struct bounds_claim *claim = &judge->scope->pools.claims.v[i];

		if (!claim->observed && claim->object && claim->node && !claim->node->unknown &&
		    (!claim->group || claim->group->known_by_name_only) &&
		    claim->object->class != OBJECT_CONFIG_MAP &&
		    !scope_absence_hidden(judge->scope, claim->object))
			say_unknown_group(judge, claim, &names);
	}
}

/* The bound that the group has from elsewhere and that differs; NULL: none. */
static const struct count_fact *other_bound(const struct count_fact *claimed,
                                            const struct count_fact *declared)
{
	return fact_differs(claimed, declared) ? declared : NULL;
}

/* At the flag: the declaration of the group is the better place to keep the number. */
static void say_disagree(const struct judge *judge, const struct bounds_claim *claim,
                         const struct count_fact *claimed, const struct count_fact *declared,
                         const char *which)
{
	int64_t smaller = claimed->value < declared->value ? claimed->value : declared->value;
	struct finding *finding = emit_node(judge, LEVEL_WARNING, claim->object, claimed->node);

	finding->partner = claim->group;
	finding_message(judge->sink, finding,
	                "the %s of node group %.*s is %lld here and %lld in its declaration", which,
	                STR_ARG(claim->group->name), (long long)claimed->value,
	                (long long)declared->value);
	finding_help(judge->sink, finding, "make them equal; %lld counts here",
	             (long long)smaller);
	finding_relate(judge->sink, finding, node_place(declared->node), "declaration of %.*s",
	               STR_ARG(claim->group->name));
}

/* ConfigMaps are KL507's. */
void kl503_bounds_disagree(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->pools.claims.n; i++) {
		const struct bounds_claim *claim = &judge->scope->pools.claims.v[i];
		const struct count_fact *min, *max;

		if (claim->observed || !claim->group || !claim->object ||
		    claim->group->known_by_name_only ||
		    claim->object->class == OBJECT_CONFIG_MAP)
			continue;
		max = other_bound(&claim->max, &claim->group->max);
		min = other_bound(&claim->min, &claim->group->min);
		if (max)
			say_disagree(judge, claim, &claim->max, max, "maximum");
		else if (min)
			say_disagree(judge, claim, &claim->min, min, "minimum");
	}
}

/* ---- KL509, KL516 ---------------------------------------------------------------------- */

/* Does every workload but the DaemonSets certainly not run on the group? */
static bool is_unused(const struct judge *judge, size_t index)
{
	size_t judged = 0;

	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct placement *placement = placement_of(judge, workload);

		if (workload->daemon_set)
			continue;
		if (placement->undecidable || index >= placement->count ||
		    placement->verdicts[index].answer != ANSWER_NO)
			return false;
		judged++;
	}
	return judged > 0;
}

/* An undecided placement may be a use: silent. */
void kl509_group_unused(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->groups.n; i++) {
		const struct group *group = judge->scope->groups.v[i];
		bool wasted = judge->scope->settings->complete && group->min.origin &&
		              group->min.value > 0;
		struct finding *finding;

		if (group->control_plane || group->known_by_name_only || !is_unused(judge, i))
			continue;
		finding = emit_group(judge, wasted ? LEVEL_WARNING : LEVEL_NOTE, group,
		                     group_name_node(group), NULL);
		finding_message(judge->sink, finding, "no declared workload can run on node group "
		                                      "%.*s", STR_ARG(group->name));
		finding_help(judge->sink, finding,
		             "lead a workload to it by labels and tolerations, or remove it");
	}
}

/* Once per group, at the first such type. */
void kl516_inventory_unknown_instance(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->groups.n; i++) {
		const struct group *group = judge->scope->groups.v[i];

		for (size_t k = 0; k < group->shapes.n; k++) {
			const struct node_shape *shape = &group->shapes.v[k];
			struct finding *finding;

			if (!shape->instance_type.n ||
			    instance_type_find(group->provider, shape->instance_type) ||
			    shape_allocatable(group, shape, STR("cpu")).known ||
			    (shape->node && shape->node->unknown))
				continue;
			finding = emit_group(judge, LEVEL_NOTE, group,
			                     shape->node ? shape->node : group_name_node(group),
			                     NULL);
			finding_message(judge->sink, finding,
			                "the instance type %.*s is not in the catalogue and its "
			                "capacity is not declared: capacity rules are off for %.*s",
			                STR_ARG(shape->instance_type), STR_ARG(group->name));
			finding_help(judge->sink, finding,
			             "declare allocatable or capacity of the group");
			break;
		}
	}
}

/* ---- KL513 ----------------------------------------------------------------------------- */

/* Taints that an agent takes off when it is ready (labels-taints.tsv, startup taints). */
static const struct startup_row {
	const char *key, *agent;
} startup_rows[] = {
	{ "disk.csi.azure.com/agent-not-ready", "the Azure Disk CSI driver" },
	{ "ebs.csi.aws.com/agent-not-ready", "the EBS CSI driver" },
	{ "efs.csi.aws.com/agent-not-ready", "the EFS CSI driver" },
	{ "fsx.csi.aws.com/agent-not-ready", "the FSx CSI driver" },
	{ "node.cilium.io/agent-not-ready", "Cilium" },
	{ "node.cloudprovider.kubernetes.io/uninitialized", "the cloud controller" },
	{ "node.istio.io/not-ready", "istio-cni" },
};

/* NULL for a taint that no known agent takes off. */
static const char *agent_of(str key)
{
	for (size_t i = 0; i < COUNT_OF(startup_rows); i++)
		if (str_is(key, startup_rows[i].key))
			return startup_rows[i].agent;
	return NULL;
}

/* Where a taint of a list is named: its key, or the whole text. */
static const struct node *taint_node(const struct taint *taint)
{
	const struct node *key = node_get(taint->node, "key");

	return key ? key : taint->node;
}

/* Karpenter alone tells taints from startup taints: elsewhere the agent's own taint stands among
 * the taints rightly. */
static void check_startup(const struct judge *judge, const struct group *group)
{
	struct finding *finding;

	for (size_t i = 0; i < group->taints.n; i++) {
		const struct taint *taint = &group->taints.v[i];
		const char *agent = agent_of(taint->key);

		if (!agent || !taint->node)
			continue;
		finding = emit_group(judge, LEVEL_WARNING, group, taint_node(taint), NULL);
		finding_message(judge->sink, finding,
		                "the taint %.*s goes when %s is ready, but as a lasting taint every "
		                "pod must tolerate it", STR_ARG(taint->key), agent);
		finding_help(judge->sink, finding, "move it to startupTaints");
	}
	for (size_t i = 0; i < group->startup_taints.n; i++) {
		const struct taint *taint = &group->startup_taints.v[i];

		if (agent_of(taint->key) || !taint->node)
			continue;
		finding = emit_group(judge, LEVEL_NOTE, group, taint_node(taint), NULL);
		finding_message(judge->sink, finding,
		                "nobody is known to remove the startup taint %.*s: until somebody "
		                "does, no pod runs on a new node", STR_ARG(taint->key));
		finding_help(judge->sink, finding, "make sure that an agent removes it");
	}
}

/* Elsewhere a startup taint has no list of its own. */
void kl513_startup_taint_misused(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->groups.n; i++) {
		const struct group *group = judge->scope->groups.v[i];

		if (str_starts(str_of(group->format), STR("karpenter")) ||
		    str_is(str_of(group->format), "native"))
			check_startup(judge, group);
	}
}

/* ---- KL517 ----------------------------------------------------------------------------- */

/* Formats whose labels the kubelet registers itself. */
static bool kubelet_labels(const char *format)
{
	static const char *const formats[] = { "eksctl", "kubeadm", "rke2", "k3s", "talos" };

	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (str_starts(str_of(format), str_of(formats[i])))
			return true;
	return false;
}

/* Does the kubelet refuse the key? Upstream: kubelet apis IsKubeletLabel and the
 * NodeRestriction plugin's prefixes. */
static bool is_refused(str key)
{
	static const char *const allowed[] = {
		"kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch",
		"beta.kubernetes.io/os", "beta.kubernetes.io/arch",
		"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type",
		"failure-domain.beta.kubernetes.io/zone",
		"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/zone",
		"topology.kubernetes.io/region",
	};
	static const char *const domains[] = { "kubelet.kubernetes.io", "node.kubernetes.io" };
	str domain, name;

	if (!str_cut(key, '/', &domain, &name))
		return false;
	for (size_t i = 0; i < COUNT_OF(allowed); i++)
		if (str_is(key, allowed[i]))
			return false;
	for (size_t i = 0; i < COUNT_OF(domains); i++) {
		str own = str_of(domains[i]);

		if (str_eq(domain, own) ||
		    (str_ends(domain, own) && domain.p[domain.n - own.n - 1] == '.'))
			return false;
	}
	return str_is(domain, "kubernetes.io") || str_is(domain, "k8s.io") ||
	       str_ends(domain, STR(".kubernetes.io")) || str_ends(domain, STR(".k8s.io"));
}

/* The kubelet checks its own --node-labels and exits; labels that a controller sets are free. */
void kl517_restricted_node_label(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->pools.groups.n; i++) {
		const struct group *group = judge->scope->pools.groups.v[i];

		for (size_t k = 0; kubelet_labels(group->format) && k < group->labels.n; k++) {
			const struct group_label *label = &group->labels.v[k];
			struct finding *finding;

			if (label->origin != ORIGIN_DECLARED || !label->node ||
			    !is_refused(label->key))
				continue;
			finding = emit_group(judge, LEVEL_ERROR, group, label->node, NULL);
			finding_message(judge->sink, finding,
			                "the kubelet may not set the label %.*s on its own node: it "
			                "exits at start and the node never joins",
			                STR_ARG(label->key));
			finding_help(judge->sink, finding,
			             "use a key of a domain of your own, or label nodes from outside");
		}
	}
}

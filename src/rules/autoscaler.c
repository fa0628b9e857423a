/* KL5, second part: how the cluster autoscaler is set up, and what it cannot do (rules.md, KL506,
 * KL511, KL514, KL518, KL519). The priority expander is in autoscaler-expander.c. */
#include "ask.h"
#include "edits.h"

/* ---- KL506 ----------------------------------------------------------------------------- */

/* cluster-autoscaler takes _ for - in every flag. */
static str flag_name(struct arena *arena, str name)
{
	struct buf buf = { .arena = arena };

	for (size_t i = 0; i < name.n; i++)
		buf_char(&buf, name.p[i] == '_' ? '-' : name.p[i]);
	return buf_str(&buf);
}

/* At the item of command or args. */
static struct finding *emit_flag(const struct judge *judge, enum level level,
                                 const struct autoscaler *autoscaler,
                                 const struct flag_use *use)
{
	return emit_node(judge, level, autoscaler->object, use->node);
}

/* pflag ends the program on an unknown flag. Without a version the flag may exist: W. */
static void say_unknown_flag(const struct judge *judge, const struct autoscaler *autoscaler,
                             const struct flag_use *use, const struct flag_fact *fact)
{
	bool sure = autoscaler->version.major >= 0;
	struct finding *finding = emit_flag(judge, sure ? LEVEL_ERROR : LEVEL_WARNING, autoscaler,
	                                    use);
	struct edit edit;

	if (fact->state == FLAG_REMOVED)
		finding_message(judge->sink, finding,
		                "cluster-autoscaler has no flag --%.*s any more, %.*s was the last "
		                "release with it: it exits at start", STR_ARG(use->name),
		                STR_ARG(fact->last));
	else if (fact->state == FLAG_NOT_YET)
		finding_message(judge->sink, finding,
		                "cluster-autoscaler has the flag --%.*s from %.*s on: it exits at "
		                "start", STR_ARG(use->name), STR_ARG(fact->since));
	else
		finding_message(judge->sink, finding,
		                "cluster-autoscaler has no flag --%.*s: it exits at start",
		                STR_ARG(use->name));
	if (!fact->nearest.n) {
		finding_help(judge->sink, finding, "remove the flag");
		return;
	}
	finding_help(judge->sink, finding, "did you mean --%.*s?", STR_ARG(fact->nearest));
	if (str_one_edit(use->name, fact->nearest) &&
	    edit_part(autoscaler->object, use->node, use->name, fact->nearest, &edit))
		finding_fix(judge->sink, finding, true, "spell the flag", edit);
}

/* What Go's strconv.ParseBool takes. */
static bool is_bool_word(str value)
{
	static const char *const words[] = { "1", "0", "t", "f", "T", "F", "true", "false", "TRUE",
		                             "FALSE", "True", "False" };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_is(value, words[i]))
			return true;
	return false;
}

/* What is wrong with the value of a flag of that type; NULL when nothing is. */
static const char *value_fault(str type, const struct flag_use *use)
{
	int64_t number;

	if (!use->has_value || str_contains(use->value, STR("$(")))
		return NULL;
	if (str_is(type, "duration") && !duration_parse(use->value, &number))
		return "is no duration with a unit such as 10m";
	if (str_is(type, "int") && !str_to_int64(use->value, &number))
		return "is no whole number";
	if (str_is(type, "bool") && !is_bool_word(use->value))
		return "is neither true nor false";
	return NULL;
}

/* Thresholds are shares of 1, not percentages. */
static bool is_above_one(const struct flag_use *use)
{
	static const char *const names[] = { "scale-down-utilization-threshold",
		                             "scale-down-gpu-utilization-threshold" };
	struct quantity value, one;

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_is(use->name, names[i]))
			return quantity_parse(use->value, &value) &&
			       quantity_parse(STR("1"), &one) && quantity_cmp(&value, &one) > 0;
	return false;
}

/* One finding per flag: a value that does not parse hides the rest. */
static void check_flag_value(const struct judge *judge, const struct autoscaler *autoscaler,
                             const struct flag_use *use, const struct flag_fact *fact)
{
	const char *fault = value_fault(fact->type, use);
	struct finding *finding;

	if (fault) {
		finding = emit_flag(judge, LEVEL_ERROR, autoscaler, use);
		finding_message(judge->sink, finding,
		                "the value %.*s of --%.*s %s: cluster-autoscaler exits at start",
		                STR_ARG(use->value), STR_ARG(use->name), fault);
		finding_help(judge->sink, finding, "its type is %.*s", STR_ARG(fact->type));
	} else if (is_above_one(use)) {
		finding = emit_flag(judge, LEVEL_WARNING, autoscaler, use);
		finding_message(judge->sink, finding,
		                "--%.*s is a share of 1, and %.*s is above it: every node counts as "
		                "unneeded", STR_ARG(use->name), STR_ARG(use->value));
		finding_help(judge->sink, finding, "use a value such as 0.5");
	} else if (fact->state == FLAG_DEPRECATED) {
		finding = emit_flag(judge, LEVEL_NOTE, autoscaler, use);
		finding_message(judge->sink, finding, "the flag --%.*s is deprecated%s%.*s",
		                STR_ARG(use->name), fact->note.n ? ": " : "", STR_ARG(fact->note));
		finding_help(judge->sink, finding, "remove it before the next upgrade");
	}
}

/* FLAG_UNDECIDED (a version whose flag set is not whole) says nothing. */
static void check_flag(const struct judge *judge, const struct autoscaler *autoscaler,
                       const struct flag_use *use)
{
	str name = flag_name(JUDGE_ARENA(judge), use->name);
	struct flag_fact fact = { 0 };

	if (use->node->unknown)
		return;
	component_flag(STR("cluster-autoscaler"), name, autoscaler->version, &fact);
	switch (fact.state) {
	case FLAG_NEVER:
	case FLAG_REMOVED:
	case FLAG_NOT_YET:
		say_unknown_flag(judge, autoscaler, use, &fact);
		break;
	case FLAG_KNOWN:
	case FLAG_DEPRECATED:
		check_flag_value(judge, autoscaler, use, &fact);
		break;
	default:
		break;
	}
}

/* Values and charts have no command line of their own: only workloads are looked at. */
void kl506_autoscaler_flag(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->pools.autoscalers.n; i++) {
		const struct autoscaler *autoscaler = judge->scope->pools.autoscalers.v[i];

		for (size_t k = 0; autoscaler->object && k < autoscaler->flags.n; k++)
			check_flag(judge, autoscaler, &autoscaler->flags.v[k]);
	}
}

/* ---- KL511 ----------------------------------------------------------------------------- */

/* Only against a declared version: the assumed one is nobody's cluster. */
void kl511_autoscaler_version_skew(const struct judge *judge)
{
	const struct settings *settings = judge->scope->settings;

	for (size_t i = 0; i < judge->scope->pools.autoscalers.n; i++) {
		const struct autoscaler *autoscaler = judge->scope->pools.autoscalers.v[i];
		int32_t skew = autoscaler->version.minor - settings->kubernetes.minor;
		struct finding *finding;

		if (!autoscaler->object || !autoscaler->container || !settings->kubernetes_declared ||
		    autoscaler->version.major != settings->kubernetes.major || skew == 0)
			continue;
		finding = emit_node(judge, skew == 1 || skew == -1 ? LEVEL_NOTE : LEVEL_WARNING,
		                    autoscaler->object, autoscaler->container->image.node);
		finding_message(judge->sink, finding,
		                "cluster-autoscaler %d.%d on Kubernetes %d.%d: it simulates the "
		                "scheduler of its own minor", autoscaler->version.major,
		                autoscaler->version.minor, settings->kubernetes.major,
		                settings->kubernetes.minor);
		finding_help(judge->sink, finding, "use a release of %d.%d",
		             settings->kubernetes.major, settings->kubernetes.minor);
	}
}

/* ---- KL514 ----------------------------------------------------------------------------- */

#define CA_DOMAIN "cluster-autoscaler.kubernetes.io/"

/* cluster-autoscaler reads annotations of the pod, not of its owner. */
static const struct pair *pod_annotation(const struct workload *workload, const char *key)
{
	return pairs_find(&workload->pod->annotations, str_of(key));
}

/* Values are compared as texts: the autoscaler does so too. */
static bool annotation_is(const struct workload *workload, const char *key, const char *value)
{
	const struct pair *pair = pod_annotation(workload, key);

	return pair && str_is(pair->value, value);
}

/* Does the annotation list the volume as safe to lose? */
static bool is_listed(const struct workload *workload, str volume)
{
	const struct pair *pair = pod_annotation(workload,
	                                         CA_DOMAIN "safe-to-evict-local-volumes");
	str rest = pair ? pair->value : (str){ 0 }, name;

	while (str_next(&rest, ',', &name))
		if (str_eq(str_trim(name), volume))
			return true;
	return pair && pair->node->unknown;
}

/* Upstream: drain.HasBlockingLocalStorage. tmpfs goes with the pod anyway. */
static bool is_local(const struct volume *volume)
{
	bool disk = volume->empty_dir && !str_is(volume->empty_dir_medium.s, "Memory");

	return (disk || volume->host_path) && !volume->node->unknown;
}

/* Does local storage hold a node: an autoscaler is declared, and does not say otherwise? On AKS
 * its own default is that it does not. */
static const struct autoscaler *holding_autoscaler(const struct scope *scope)
{
	for (size_t i = 0; i < scope->pools.groups.n; i++)
		if (str_is(scope->pools.groups.v[i]->provider, "azure"))
			return NULL;
	for (size_t i = 0; i < scope->pools.autoscalers.n; i++)
		if (scope->pools.autoscalers.v[i]->skip_local_storage)
			return scope->pools.autoscalers.v[i];
	return NULL;
}

/* One finding per volume: each has its own entry in the annotation. */
static void check_volumes(const struct judge *judge, const struct workload *workload,
                          const struct autoscaler *autoscaler)
{
	for (size_t i = 0; i < workload->pod->volumes.n; i++) {
		const struct volume *volume = &workload->pod->volumes.v[i];
		struct finding *finding;

		if (!is_local(volume) || is_listed(workload, volume->name.s))
			continue;
		finding = emit_node(judge, LEVEL_WARNING, workload->object,
		                    volume->name.node ? volume->name.node : volume->node);
		finding_message(judge->sink, finding,
		                "volume %.*s is %s: cluster-autoscaler removes no node on which such "
		                "a pod runs", STR_ARG(volume->name.s),
		                volume->host_path ? "a hostPath" : "an emptyDir on local storage");
		finding_help(judge->sink, finding,
		             "annotate the pod template with " CA_DOMAIN
		             "safe-to-evict-local-volumes: \"%.*s\"", STR_ARG(volume->name.s));
		if (autoscaler->object)
			relate_object(judge, finding, autoscaler->object, NULL,
			              "skips nodes with local storage");
	}
}

/* Is there a budget for the workload's pods? UNKNOWN counts as yes. */
static bool has_budget(const struct scope *scope, const struct workload *workload)
{
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];

		if (object->class == OBJECT_PDB && object->pdb &&
		    str_eq(object_namespace(scope, object), workload->namespace) &&
		    selector_matches(&object->pdb->selector, &workload->pod->labels) != ANSWER_NO)
			return true;
	}
	return false;
}

/* Why the pods hold their node by the author's choice; NULL: they do not. */
static const char *holds_by_choice(const struct scope *scope, const struct workload *workload,
                                   const struct node **ret_node)
{
	static const char *const keys[][2] = {
		{ CA_DOMAIN "safe-to-evict", "false" }, { "karpenter.sh/do-not-disrupt", "true" },
	};

	*ret_node = workload->object->name.node;
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (annotation_is(workload, keys[i][0], keys[i][1])) {
			*ret_node = pod_annotation(workload, keys[i][0])->node;
			return "an annotation forbids to evict these pods";
		}
	if (!scope->pools.autoscaler_declared)
		return NULL;
	if (workload->object->class == OBJECT_POD)
		return "nothing would create this bare pod again";
	if (str_is(workload->namespace, "kube-system") && !has_budget(scope, workload))
		return "pods of kube-system without a PodDisruptionBudget are not evicted";
	return NULL;
}

/* Notes: whoever wrote such an annotation meant it. False: nothing was chosen. */
static bool check_choice(const struct judge *judge, const struct workload *workload)
{
	const struct node *node;
	const char *why = holds_by_choice(judge->scope, workload, &node);
	struct finding *finding;

	if (!why)
		return false;
	finding = emit_node(judge, LEVEL_NOTE, workload->object, node);
	finding_message(judge->sink, finding, "%s: their node is not removed", why);
	finding_help(judge->sink, finding, "annotate with " CA_DOMAIN
	                                   "safe-to-evict: \"true\" where that is fine");
	return true;
}

/* Is it certain that no autoscaler would remove a node of the workload: it runs on groups of a
 * fixed size only? */
static bool runs_on_fixed_groups(const struct placement *placement)
{
	bool any = false;

	for (size_t i = 0; !placement->undecidable && i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];

		if (verdict->answer == ANSWER_NO)
			continue;
		if (verdict->group->managed_by_autoscaler ||
		    verdict->group->min.origin == ORIGIN_UNKNOWN ||
		    verdict->group->max.origin == ORIGIN_UNKNOWN ||
		    verdict->group->min.value != verdict->group->max.value)
			return false;
		any = true;
	}
	return any;
}

/* DaemonSet pods do not hold a node, and safe-to-evict overrides everything else. The autoscaler
 * itself has to run somewhere: the node that it holds is no loss. */
void kl514_scale_down_blocked(const struct judge *judge)
{
	const struct autoscaler *autoscaler = holding_autoscaler(judge->scope);

	if (!judge->scope->pools.autoscaler_declared && !judge->scope->pools.karpenter)
		return;
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];

		if (workload->daemon_set ||
		    annotation_is(workload, CA_DOMAIN "safe-to-evict", "true") ||
		    runs_on_fixed_groups(placement_of(judge, workload)))
			continue;
		if (autoscaler && autoscaler->object != workload->object)
			check_volumes(judge, workload, autoscaler);
		check_choice(judge, workload);
	}
}

/* ---- KL518 ----------------------------------------------------------------------------- */

/* A group of that many eligible ones that the autoscaler moves between different sizes. */
static const struct group *growing_group(const struct placement *placement)
{
	for (size_t i = 0; !placement->undecidable && i < placement->count; i++) {
		const struct group *group = placement->verdicts[i].group;

		if (placement->verdicts[i].answer == ANSWER_YES && group->min.origin &&
		    group->max.origin && group->min.value < group->max.value)
			return group;
	}
	return NULL;
}

/* A group of fixed size is not started for anybody, so the cutoff does not matter there. */
void kl518_expendable_priority(const struct judge *judge)
{
	int64_t cutoff = judge->scope->pools.autoscalers.n
		? judge->scope->pools.autoscalers.v[0]->expendable_priority_cutoff : -10;

	if (!judge->scope->pools.autoscaler_declared)
		return;
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct object *class = workload->priority_class;
		const struct number *value = class && class->priority_class
			? &class->priority_class->value : NULL;
		const struct group *group = growing_group(placement_of(judge, workload));
		struct finding *finding;

		if (workload->daemon_set || !value || !node_known(value->node) ||
		    value->value >= cutoff || !group)
			continue;
		finding = emit_node(judge, LEVEL_WARNING, workload->object,
		                    workload->pod->priority_class.node);
		finding_message(judge->sink, finding,
		                "priority %lld is below the cutoff of %lld: cluster-autoscaler never "
		                "starts a node of %.*s for these pods", (long long)value->value,
		                (long long)cutoff, STR_ARG(group->name));
		finding_help(judge->sink, finding,
		             "use a priority of %lld or more, or lower "
		             "--expendable-pods-priority-cutoff", (long long)cutoff);
		relate_object(judge, finding, class, value->node, "the priority");
	}
}

/* ---- KL519 ----------------------------------------------------------------------------- */

/* Does the MachineAutoscaler point at the object? */
static bool moves(const struct object *autoscaler, const struct object *object)
{
	const struct node *ref = node_at(autoscaler->root, "spec.scaleTargetRef");

	return str_is(autoscaler->kind, "MachineAutoscaler") &&
	       str_eq(node_text(node_get(ref, "kind")), object->kind) &&
	       str_eq(node_text(node_get(ref, "name")), object->name.s) &&
	       str_eq(autoscaler->namespace.s, object->namespace.s);
}

/* What moves the size of a machine object: an annotation or a MachineAutoscaler; NULL: nothing. */
static const struct node *size_mover(const struct scope *scope, const struct object *object)
{
	static const char *const keys[] = {
		"cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size",
		"cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size",
	};

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		const struct pair *pair = pairs_find(&object->annotations, str_of(keys[i]));

		if (pair)
			return pair->node;
	}
	for (size_t i = 0; i < scope->objects.n; i++)
		if (moves(scope->objects.v[i], object))
			return scope->objects.v[i]->name.node;
	return NULL;
}

/* As KL206 for machines: two writers of spec.replicas. */
void kl519_size_fought_over(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->objects.n; i++) {
		const struct object *object = judge->scope->objects.v[i];
		bool machines = str_is(object->kind, "MachineDeployment") ||
		                str_is(object->kind, "MachineSet") ||
		                str_is(object->kind, "MachinePool");
		const struct node *replicas, *mover;
		struct finding *finding;
		struct edit edit;

		if (!machines)
			continue;
		replicas = node_at(object->root, "spec.replicas");
		if (!node_known(replicas))
			continue;
		mover = size_mover(judge->scope, object);
		if (!mover)
			continue;
		finding = emit_node(judge, LEVEL_WARNING, object, replicas);
		finding_message(judge->sink, finding,
		                "replicas %.*s is set, and an autoscaler moves the size: each apply "
		                "resets it", STR_ARG(node_text(replicas)));
		finding_help(judge->sink, finding, "leave spec.replicas out");
		finding_relate(judge->sink, finding, node_place(mover), "what moves it");
		if (edit_remove(object, replicas, &edit))
			finding_fix(judge->sink, finding, false, "remove spec.replicas", edit);
	}
}

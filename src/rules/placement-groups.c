/* KL113-115, KL120: workloads against the kind of node that groups are (rules.md, KL1). */
#include "rules-internal.h"

/* ---- KL113 ------------------------------------------------------------------------------ */

/* The groups that a DaemonSet's labels admit and that the filter keeps it off, taints before
 * size: where it is not tolerated its size does not matter. */
static void gaps_of(struct arena *arena, const struct placement *placement, bool size,
                    struct strs *ret_names)
{
	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		bool tainted = verdict->by_filter[FILTER_TAINT_TOLERATION] == ANSWER_NO;
		bool small = verdict->by_filter[FILTER_NODE_RESOURCES_FIT] == ANSWER_NO;
		if (verdict_labels_admit(verdict) && (size ? small && !tainted : tainted))
			*VEC_PUSH(arena, ret_names) = verdict->group->name;
	}
}

static void say_gap(const struct judge *judge, const struct workload *workload, bool size)
{
	struct arena *arena = JUDGE_ARENA(judge);
	const struct placement *placement = placement_of(judge, workload);
	struct strs names = { 0 };

	gaps_of(arena, placement, size, &names);
	if (names.n == 0)
		return;
	struct finding *finding = emit_at(judge, size ? LEVEL_WARNING : LEVEL_NOTE,
	                                  workload->object, workload->pod->spec, NULL);
	finding->salient = size ? STR("size") : STR("taint");
	finding_message(judge->sink, finding, "%s on %zu of %zu node groups: %.*s",
	                size ? "it does not fit" : "a taint that it does not tolerate keeps it off",
	                names.n, placement->count, STR_ARG(list_text(arena, &names, 6)));
	finding_help(judge->sink, finding, "%s",
	             size ? "request less, or select the groups that are meant"
	                  : "tolerate the taints (operator Exists) if it is wanted on every node");
}

/* Judged where the labels admit it; a selector that excludes a group is the author's choice. */
void kl113_daemonset_gap(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		if (!workload->daemon_set || placement_of(judge, workload)->undecidable)
			continue;
		say_gap(judge, workload, true);
		say_gap(judge, workload, false);
	}
}

/* ---- KL114 ------------------------------------------------------------------------------ */

/* Does the pod ask for an operating system by label? */
static bool asks_for_os(const struct workload *workload)
{
	static const char *const keys[] = { "kubernetes.io/os", "beta.kubernetes.io/os" };
	const struct node_selector_terms *terms = &workload->pod->required_node_terms;

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (pairs_find(&workload->node_selector, str_of(keys[i])))
			return true;
		for (size_t k = 0; k < terms->n; k++)
			for (size_t m = 0; m < terms->v[k].match_expressions.n; m++)
				if (str_is(terms->v[k].match_expressions.v[m].key, keys[i]))
					return true;
	}
	return false;
}

/* No group that its labels admit has the system that spec.os names: the kubelet refuses it. */
static bool os_is_nowhere(const struct placement *placement, str os)
{
	size_t admitted = 0;

	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		if (!verdict_labels_admit(verdict))
			continue;
		admitted++;
		if (verdict->group->os.n == 0 || str_eq(verdict->group->os, os))
			return false;
	}
	return admitted > 0;
}

static bool is_tainted(const struct group *group)
{
	for (size_t i = 0; i < group->taints.n; i++)
		if (!str_is(group->taints.v[i].effect, "PreferNoSchedule"))
			return true;
	return false;
}

/* The Windows group on which a pod that names no system may land beside a Linux one. */
static const struct group *stray_group(const struct placement *placement)
{
	const struct group *windows = NULL;
	bool linux_too = false;

	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		if (verdict->answer == ANSWER_NO)
			continue;
		if (str_is(verdict->group->os, "windows"))
			windows = verdict->group;
		else
			linux_too = true;
	}
	return linux_too ? windows : NULL;
}

static void say_nowhere(const struct judge *judge, const struct workload *workload)
{
	const struct text *os = &workload->pod->os;
	struct finding *finding =
		emit_at(judge, LEVEL_ERROR, workload->object, os->node, NULL);

	finding_message(judge->sink, finding, "no node group that its labels admit runs %.*s",
	                STR_ARG(os->s));
	finding_help(judge->sink, finding, "the kubelet of another system refuses the pod");
}

static void say_stray(const struct judge *judge, const struct workload *workload,
                      const struct group *group)
{
	const struct pod_template *pod = workload->pod;
	bool selects = pod->node_selector.node;
	struct finding *finding = emit_at(judge, LEVEL_WARNING, workload->object,
	                                  selects ? pod->node_selector.node : pod->spec,
	                                  selects ? NULL : "nodeSelector");

	finding_message(judge->sink, finding,
	                "it tolerates the taint of Windows group %.*s and names no operating "
	                "system, so it may land there", STR_ARG(group->name));
	finding_help(judge->sink, finding, "add kubernetes.io/os: linux to the nodeSelector");
	finding_relate(judge->sink, finding, node_place(group->node), "group %.*s runs Windows",
	               STR_ARG(group->name));
}

/* Once on a Windows group that nothing guards. */
static void say_open_group(const struct judge *judge, const struct group *group,
                           const struct strs *workloads)
{
	struct finding *finding = emit_group(judge, LEVEL_WARNING, group, NULL, "taints");
	str list = list_text(JUDGE_ARENA(judge), workloads, 4);

	finding_message(judge->sink, finding,
	                "a Windows group without a taint: %zu workloads that name no operating "
	                "system may land on it (%.*s)", workloads->n, STR_ARG(list));
	finding_help(judge->sink, finding, "give it a taint such as os=windows:NoSchedule");
}

static bool may_stray(const struct judge *judge, const struct workload *workload)
{
	return !workload->pod->os.node && !asks_for_os(workload) &&
	       !placement_of(judge, workload)->undecidable;
}

static bool is_open_windows(const struct group *group)
{
	return str_is(group->os, "windows") && group->taints_known && !is_tainted(group);
}

static void check_open_groups(const struct judge *judge)
{
	const struct scope *scope = judge->scope;
	struct arena *scratch = arena_new();
	struct strs *names = arena_calloc(scratch, scope->groups.n, sizeof *names);

	for (size_t i = 0; i < scope->workloads.n; i++) {
		const struct workload *workload = scope->workloads.v[i];
		const struct placement *placement = placement_of(judge, workload);
		if (!may_stray(judge, workload) || !stray_group(placement))
			continue;
		for (size_t k = 0; k < placement->count; k++)
			if (placement->verdicts[k].answer != ANSWER_NO &&
			    is_open_windows(scope->groups.v[k]))
				*VEC_PUSH(scratch, &names[k]) = workload->text;
	}
	for (size_t k = 0; k < scope->groups.n; k++)
		if (names[k].n > 0)
			say_open_group(judge, scope->groups.v[k], &names[k]);
	arena_free(scratch);
}

/* A group that does not say its system may have any: silent. Of images only the configuration
 * tells. */
void kl114_platform_mismatch(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct placement *placement = placement_of(judge, workload);
		const struct group *stray;

		if (placement->undecidable)
			continue;
		if (node_known(workload->pod->os.node) &&
		    os_is_nowhere(placement, workload->pod->os.s))
			say_nowhere(judge, workload);
		stray = may_stray(judge, workload) ? stray_group(placement) : NULL;
		if (stray && is_tainted(stray))
			say_stray(judge, workload, stray);
	}
	check_open_groups(judge);
	check_images(judge);
}

/* ---- KL115, KL120 ----------------------------------------------------------------------- */

/* Resources of devices that cost; a name or the begin of one. */
static const char *const accelerators[] = {
	"nvidia.com/", "amd.com/gpu", "gpu.intel.com/", "aws.amazon.com/neuron", "google.com/tpu",
	"habana.ai/gaudi", "huawei.com/Ascend", "cloud-tpus.google.com/",
};

static bool is_accelerator(str resource)
{
	for (size_t i = 0; i < COUNT_OF(accelerators); i++)
		if (str_starts(resource, str_of(accelerators[i])))
			return true;
	return false;
}

static bool shape_has_accelerator(const struct node_shape *shape)
{
	for (size_t i = 0; i < shape->allocatable.n; i++) {
		const struct capacity_fact *fact = &shape->allocatable.v[i];
		if (is_accelerator(fact->resource) && fact->known && fact->safe > 0)
			return true;
	}
	return false;
}

/* On every node that the group may start. */
static bool has_accelerator(const struct group *group)
{
	for (size_t i = 0; i < group->shapes.n; i++)
		if (!shape_has_accelerator(&group->shapes.v[i]))
			return false;
	return group->shapes.n > 0;
}

static bool requests_accelerator(const struct workload *workload)
{
	for (size_t i = 0; i < workload->requests.v.n; i++)
		if (is_accelerator(workload->requests.v.v[i].resource))
			return true;
	return false;
}

static bool only_accelerated(const struct placement *placement)
{
	size_t eligible = 0;

	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		if (verdict->answer == ANSWER_UNKNOWN)
			return false;
		if (verdict->answer == ANSWER_NO)
			continue;
		eligible++;
		if (!has_accelerator(verdict->group))
			return false;
	}
	return eligible > 0;
}

/* All eligible groups must be known to have accelerators on every type of node. */
void kl115_accelerator_mismatch(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct placement *placement = placement_of(judge, workload);

		if (workload->daemon_set || placement->undecidable ||
		    requests_accelerator(workload) || !only_accelerated(placement))
			continue;
		struct finding *finding = emit_at(judge, LEVEL_NOTE, workload->object,
		                                  workload->pod->spec, NULL);
		finding_message(judge->sink, finding,
		                "it requests no accelerator, but every node group that can run it "
		                "has some");
		finding_help(judge->sink, finding,
		             "request what it uses, or lead it to nodes without accelerators");
	}
}

static void say_open_pool(const struct judge *judge, const struct group *group,
                          const struct strs *guests)
{
	/* A NodePool keeps its taints in the template of its nodes. */
	const struct node *template = node_at(group->node, "spec.template.spec");
	const struct node *node = group->taints.node ? group->taints.node
	                          : template         ? template
	                                             : group->node;
	struct finding *finding = emit_group(judge, LEVEL_WARNING, group, node,
	                                     group->taints.node ? NULL : "taints");
	str list = list_text(JUDGE_ARENA(judge), guests, 4);
	bool accelerated = has_accelerator(group);

	finding_message(judge->sink, finding,
	                "group %.*s %s and no taint: %zu of %zu workloads %s and may fill its nodes "
	                "(%.*s)", STR_ARG(group->name),
	                accelerated ? "has accelerators" : "is special by the configuration, has room",
	                guests->n, judge->scope->workloads.n,
	                accelerated ? "request none" : "could run elsewhere", STR_ARG(list));
	finding_help(judge->sink, finding,
	             accelerated ? "add a NoSchedule taint such as nvidia.com/gpu=present:NoSchedule, "
	                           "and tolerate it where accelerators are requested"
	                         : "add a NoSchedule taint, and tolerate it where the group is meant");
}

/* What the loop over workloads needs to know of each group. */
struct pool {
	bool special, open;     /* open: no taint keeps anybody off */
	struct strs guests;     /* workloads that need no accelerator, and could run elsewhere */
};

/* By the configuration. */
static bool is_named_special(const struct settings *settings, const struct group *group)
{
	for (size_t i = 0; i < settings->special_groups.n; i++)
		if (source_glob_matches(settings->special_groups.v[i], group->name))
			return true;
	return false;
}

static struct pool *find_pools(struct arena *arena, const struct scope *scope)
{
	const struct groups *groups = &scope->groups;
	struct pool *pools = arena_calloc(arena, groups->n, sizeof *pools);

	for (size_t i = 0; i < groups->n; i++) {
		pools[i].special = has_accelerator(groups->v[i]) ||
		                   is_named_special(scope->settings, groups->v[i]);
		pools[i].open = groups->v[i]->taints_known && !is_tainted(groups->v[i]);
	}
	return pools;
}

static void add_guest(struct arena *arena, const struct workload *workload,
                      const struct placement *placement, struct pool *pools)
{
	bool elsewhere = false;

	for (size_t i = 0; i < placement->count && !elsewhere; i++)
		elsewhere = placement->verdicts[i].answer == ANSWER_YES && !pools[i].special;
	for (size_t i = 0; i < placement->count && elsewhere; i++)
		if (placement->verdicts[i].answer == ANSWER_YES && pools[i].special &&
		    pools[i].open)
			*VEC_PUSH(arena, &pools[i].guests) = workload->text;
}

/* Guests must be able to run elsewhere: where the accelerator nodes are all there is, they
 * belong there. */
void kl120_pool_taint_open(const struct judge *judge)
{
	const struct scope *scope = judge->scope;
	struct arena *scratch = arena_new();
	struct pool *pools = find_pools(scratch, scope);

	for (size_t i = 0; i < scope->workloads.n; i++) {
		const struct workload *workload = scope->workloads.v[i];
		const struct placement *placement = placement_of(judge, workload);
		if (!workload->daemon_set && !placement->undecidable &&
		    !requests_accelerator(workload))
			add_guest(scratch, workload, placement, pools);
	}
	for (size_t i = 0; i < scope->groups.n; i++)
		if (pools[i].guests.n > 0)
			say_open_pool(judge, scope->groups.v[i], &pools[i].guests);
	arena_free(scratch);
}

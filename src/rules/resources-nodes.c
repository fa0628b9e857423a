/* KL4, third part: limits against the nodes on which they may act (rules.md, KL405, KL406,
 * KL411). */
#include <stdlib.h>

#include "ask.h"
#include "edits.h"

/* The most of a resource that an empty node has on which the workload may run, and the group it
 * belongs to. */
struct node_most {
	int64_t amount;
	const struct group *group;
};

/* false when there is no such node, or one of which it is not known. */
static bool find_most(const struct judge *judge, const struct workload *workload,
                      const char *resource, struct node_most *ret_most)
{
	const struct placement *placement = placement_of(judge, workload);

	*ret_most = (struct node_most){ .amount = -1 };
	for (size_t i = 0; !placement->undecidable && i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];

		for (size_t k = 0; verdict->answer != ANSWER_NO && k < verdict->group->shapes.n;
		     k++) {
			struct capacity_fact fact = shape_allocatable(
				verdict->group, &verdict->group->shapes.v[k], str_of(resource));

			if (!fact.known)
				return false;
			if (fact.optimistic > ret_most->amount)
				*ret_most = (struct node_most){ fact.optimistic,
					                        verdict->group };
		}
	}
	return ret_most->group != NULL;
}

/* Names the largest node: the one that comes nearest. */
static void say_above(const struct judge *judge, struct finding *finding, const char *resource,
                      str what, int64_t limit, const struct node_most *most)
{
	struct arena *arena = JUDGE_ARENA(judge);
	str amount = amount_text(arena, str_of(resource), most->amount);

	finding_message(judge->sink, finding,
	                "%.*s of %.*s is above what the largest node has on which it may run: "
	                "%.*s on %.*s", STR_ARG(what),
	                STR_ARG(amount_text(arena, str_of(resource), limit)), STR_ARG(amount),
	                STR_ARG(most->group->name));
	finding_help(judge->sink, finding, "set it below %.*s", STR_ARG(amount));
}

/* ---- KL405 ----------------------------------------------------------------------------- */

/* Compared with the optimistic allocatable: what is above that is above every truth. */
static void check_limit(const struct judge *judge, const struct workload *workload,
                        const struct container *container, const char *resource,
                        enum level level)
{
	const struct amount *own = amounts_find(&container->limits, str_of(resource));
	struct effective_amount limit = container_limit(NULL, container, str_of(resource));
	struct node_most most;

	if (!own || !limit.known || !find_most(judge, workload, resource, &most) ||
	    limit.amount <= most.amount)
		return;
	say_above(judge, emit_node(judge, level, workload->object, own->node), resource,
	          str_format(JUDGE_ARENA(judge), "the %s limit of container %.*s", resource,
	                     STR_ARG(container->name.s)),
	          limit.amount, &most);
}

/* Memory beyond the node brings the node down: W. cpu beyond it is only useless: N. */
void kl405_limit_exceeds_node(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct container *container;

		for (size_t k = 0; (container = pod_container(workload->pod, k)); k++) {
			check_limit(judge, workload, container, "memory", LEVEL_WARNING);
			check_limit(judge, workload, container, "cpu", LEVEL_NOTE);
		}
	}
}

/* ---- KL411 ----------------------------------------------------------------------------- */

/* A sizeLimit evicts the pod; above the disk it never acts. */
static void check_scratch(const struct judge *judge, const struct workload *workload,
                          const struct volume *volume)
{
	const struct amount *size = &volume->size_limit;
	struct node_most most;
	int64_t bytes;

	if (!volume->empty_dir || str_is(volume->empty_dir_medium.s, "Memory") || !size->node ||
	    !size->valid || size->node->unknown || !quantity_value_ceil(&size->quantity, &bytes) ||
	    !find_most(judge, workload, "ephemeral-storage", &most) || bytes <= most.amount)
		return;
	say_above(judge, emit_node(judge, LEVEL_WARNING, workload->object, size->node),
	          "ephemeral-storage",
	          str_format(JUDGE_ARENA(judge), "the sizeLimit of volume %.*s",
	                     STR_ARG(volume->name.s)),
	          bytes, &most);
}

/* tmpfs volumes count against memory and are KL410's. */
void kl411_ephemeral_storage_bound(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct container *container;

		for (size_t k = 0; k < workload->pod->volumes.n; k++)
			check_scratch(judge, workload, &workload->pod->volumes.v[k]);
		for (size_t k = 0; (container = pod_container(workload->pod, k)); k++)
			check_limit(judge, workload, container, "ephemeral-storage",
			            LEVEL_WARNING);
	}
}

/* ---- KL406 ----------------------------------------------------------------------------- */

/* Pods of one workload that may come together on a node. */
struct share {
	const struct workload *workload;
	int64_t limit;              /* of one pod, in the resource looked at */
	int64_t cpu, memory;        /* requests of one pod */
	int64_t most;               /* pods there may be */
	int64_t taken;
};
struct shares VEC(struct share);

/* Sum of the containers' own limits; false when one has none or it is not known. */
static bool pod_limit(const struct workload *workload, str resource, int64_t *ret_limit)
{
	const struct container *container;

	*ret_limit = 0;
	for (size_t i = 0; (container = pod_running(workload->pod, i)); i++) {
		struct effective_amount limit = container_limit(NULL, container, resource);

		if (!limit.set || !limit.known)
			return false;
		*ret_limit = int64_add_saturated(*ret_limit, limit.amount);
	}
	return *ret_limit > 0;
}

__extension__ typedef __int128 wide;

/* More limit per request first: the order in which a greedy mix takes them. */
static int compare_density(const struct share *a, const struct share *b, int64_t request_a,
                           int64_t request_b)
{
	wide left = (wide)a->limit * ((wide)request_b + 1);
	wide right = (wide)b->limit * ((wide)request_a + 1);

	if (left != right)
		return left > right ? -1 : 1;
	return a->workload->index < b->workload->index ? -1 : 1;
}

/* qsort: limit per requested byte. */
static int by_memory(const void *a, const void *b)
{
	const struct share *left = a, *right = b;

	return compare_density(left, right, left->memory, right->memory);
}

/* qsort: limit per requested millicore. */
static int by_cpu(const void *a, const void *b)
{
	const struct share *left = a, *right = b;

	return compare_density(left, right, left->cpu, right->cpu);
}

/* The workloads that certainly run on the group and have limits, densest first. */
static void collect_shares(const struct judge *judge, size_t group, const char *resource,
                           struct arena *arena, struct shares *shares)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct placement *placement = placement_of(judge, workload);
		struct resource_amount cpu = resources_get(&workload->requests.v, STR("cpu"));
		struct resource_amount memory = resources_get(&workload->requests.v,
		                                              STR("memory"));
		struct share share = { .workload = workload, .cpu = cpu.amount,
			               .memory = memory.amount, .most = workload->peak.value };

		if (placement->undecidable || group >= placement->count ||
		    placement->verdicts[group].answer != ANSWER_YES || !workload->peak.known ||
		    workload->job || workload->peak.value <= 0 || cpu.unknown || memory.unknown ||
		    !pod_limit(workload, str_of(resource), &share.limit))
			continue;
		*VEC_PUSH(arena, shares) = share;
	}
	if (shares->n)
		qsort(shares->v, shares->n, sizeof *shares->v,
		      str_is(str_of(resource), "memory") ? by_memory : by_cpu);
}

/* A pod that requests nothing always fits. */
static int64_t fits(int64_t free, int64_t request)
{
	return request > 0 ? free / request : INT64_MAX;
}

/* What is left of a node, and how much the pods taken may use. */
struct node_fill {
	int64_t cpu, memory, pods, limits;
};

/* Fills the node with the densest pods first. */
static void fill_node(struct shares *shares, struct node_fill *fill)
{
	for (size_t i = 0; i < shares->n; i++) {
		struct share *share = &shares->v[i];
		int64_t count = share->most;

		count = fits(fill->cpu, share->cpu) < count ? fits(fill->cpu, share->cpu) : count;
		count = fits(fill->memory, share->memory) < count ? fits(fill->memory, share->memory)
		                                                  : count;
		count = fill->pods < count ? fill->pods : count;
		share->taken = count > 0 ? count : 0;
		fill->cpu -= share->taken * share->cpu;
		fill->memory -= share->taken * share->memory;
		fill->pods -= share->taken;
		fill->limits = int64_add_saturated(fill->limits, int64_mul_saturated(share->taken,
		                                                                     share->limit));
	}
}

/* The pods that were taken, densest first. */
static str mix_text(struct arena *arena, const struct shares *shares)
{
	struct strs parts = { 0 };

	for (size_t i = 0; i < shares->n; i++)
		if (shares->v[i].taken > 0)
			*VEC_PUSH(arena, &parts) = str_format(
				arena, "%lld x %.*s", (long long)shares->v[i].taken,
				STR_ARG(shares->v[i].workload->text));
	return list_text(arena, &parts, 4);
}

/* Groups of one shape only: of several types no single node is meant. */
static void check_group(const struct judge *judge, size_t index, const char *name,
                        int32_t most_percent)
{
	const struct group *group = judge->scope->groups.v[index];
	const struct node_shape *shape = &group->shapes.v[0];
	struct capacity_fact own = shape_allocatable(group, shape, str_of(name));
	struct capacity_fact cpu = shape_allocatable(group, shape, STR("cpu"));
	struct capacity_fact memory = shape_allocatable(group, shape, STR("memory"));
	struct capacity_fact pods = shape_allocatable(group, shape, STR("pods"));
	struct node_fill fill = { cpu.safe, memory.safe, pods.known ? pods.safe : 110, 0 };
	struct arena *arena = arena_new(), *texts = JUDGE_ARENA(judge);
	struct shares shares = { 0 };
	str resource = str_of(name);
	struct finding *finding;

	if (group->shapes.n == 1 && own.known && cpu.known && memory.known) {
		collect_shares(judge, index, name, arena, &shares);
		fill_node(&shares, &fill);
	}
	if (int64_mul_saturated(fill.limits, 100) >
	    int64_mul_saturated(own.optimistic, most_percent)) {
		finding = emit_group(judge, LEVEL_NOTE, group, group_name_node(group), NULL);
		finding_message(judge->sink, finding,
		                "one node of %.*s may hold %.*s, whose %s limits add up to %.*s, "
		                "above %d %% of its %.*s", STR_ARG(group->name),
		                STR_ARG(mix_text(texts, &shares)), name,
		                STR_ARG(amount_text(texts, resource, fill.limits)), most_percent,
		                STR_ARG(amount_text(texts, resource, own.optimistic)));
		finding_help(judge->sink, finding, "raise the requests of these pods");
	}
	arena_free(arena);
}

/* The mix is one that the requests allow, so the sum is reached by some placement; it need not be
 * the largest one. */
void kl406_node_overcommit(const struct judge *judge)
{
	const struct settings *settings = judge->scope->settings;

	for (size_t i = 0; i < judge->scope->groups.n; i++) {
		if (!judge->scope->groups.v[i]->shapes.n)
			continue;
		check_group(judge, i, "memory", settings->memory_overcommit_percent);
		check_group(judge, i, "cpu", settings->cpu_overcommit_percent);
	}
}

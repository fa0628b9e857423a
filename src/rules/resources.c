/* KL4: requests, limits and their headroom (rules.md, KL4). */
#include "ask.h"
#include "edits.h"

/* The i-th container of a pod, init containers last; NULL behind the last one. */
static const struct container *any_container(const struct pod_template *pod, size_t i)
{
	if (i < pod->containers.n)
		return &pod->containers.v[i];
	i -= pod->containers.n;
	return i < pod->init_containers.n ? &pod->init_containers.v[i] : NULL;
}

static const struct limit_range *range_of(const struct judge *judge,
                                          const struct workload *workload)
{
	return scope_limit_range(judge->scope, workload->namespace);
}

/* ---- KL403 ----------------------------------------------------------------------------- */

static const char *const compute_resources[] = { "cpu", "memory" };

/* The limits that stand in for a request, as text: "cpu 300m, memory 400Mi"; block: as lines of
 * a requests map. */
static str lone_limits(struct arena *arena, const struct container *container, const char *format,
                       const char *between)
{
	struct buf buf = { .arena = arena };

	for (size_t i = 0; i < COUNT_OF(compute_resources); i++) {
		str resource = str_of(compute_resources[i]);
		const struct amount *limit = amounts_find(&container->limits, resource);

		if (!limit || amounts_find(&container->requests, resource))
			continue;
		if (buf.n)
			buf_add(&buf, str_of(between));
		buf_printf(&buf, format, STR_ARG(resource), STR_ARG(node_text(limit->node)));
	}
	return buf_str(&buf);
}

static bool is_map_open(const struct node *node)
{
	return node && node->unknown;
}

/* Writes the requests out in front of the limits, in the style of the text. */
static void fix_requests(const struct judge *judge, struct finding *finding,
                         const struct workload *workload, const struct container *container)
{
	const struct node *limits = container->limits.node;
	struct arena *arena = JUDGE_ARENA(judge);
	struct position at;
	str text;

	if (container->requests.node || limits->aliased || limits->merged ||
	    !limits->key_span.file)
		return;
	at = source_position(workload->object->tree->source, limits->key_span.begin);
	text = str_format(arena, "requests: {%.*s}",
	                  STR_ARG(lone_limits(arena, container, "%.*s: %.*s", ", ")));
	text = limits->parent->flow
		? str_format(arena, "%.*s, ", STR_ARG(text))
		: str_format(arena, "%.*s\n%*s", STR_ARG(text), (int)at.column - 1, "");
	finding_fix(judge->sink, finding, true, "write the requests out",
	            (struct edit){ { limits->key_span.file, limits->key_span.begin,
	                             limits->key_span.begin }, text });
}

static void check_lone_limits(const struct judge *judge, const struct workload *workload,
                              const struct container *container)
{
	str lone = lone_limits(JUDGE_ARENA(judge), container, "%.*s %.*s", ", ");
	struct finding *finding;

	if (!lone.n || is_map_open(container->node) || is_map_open(container->resources) ||
	    is_map_open(container->requests.node) || is_map_open(container->limits.node))
		return;
	finding = emit_node(judge, LEVEL_NOTE, workload->object, container->limits.node);
	finding_message(judge->sink, finding,
	                "container %.*s has limits without requests: it requests all of %.*s, and "
	                "nothing is left above that", STR_ARG(container->name.s), STR_ARG(lone));
	finding_help(judge->sink, finding, "write the requests out");
	fix_requests(judge, finding, workload, container);
}

void kl403_limit_without_request(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct container *container;

		for (size_t k = 0; (container = any_container(workload->pod, k)); k++)
			check_lone_limits(judge, workload, container);
	}
}

/* ---- KL404 ----------------------------------------------------------------------------- */

#define MEBIBYTE (INT64_C(1) << 20)

/* peak x (1 + headroom), rounded up to whole mebibytes. */
static int64_t with_headroom(int64_t peak, int32_t percent)
{
	int64_t need = int64_mul_saturated(peak, 100 + percent) / 100;

	return need / MEBIBYTE * MEBIBYTE + (need % MEBIBYTE ? MEBIBYTE : 0);
}

static void say_headroom(const struct judge *judge, const struct workload *workload,
                         const struct container *container, const struct amount *usage,
                         int64_t peak)
{
	struct arena *arena = JUDGE_ARENA(judge);
	int32_t percent = judge->scope->settings->usage_headroom_percent;
	const struct limit_range *range = range_of(judge, workload);
	struct effective_amount limit = container_limit(range, container, STR("memory"));
	int64_t need = with_headroom(peak, percent);
	str wanted = amount_text(arena, STR("memory"), need);
	struct finding *finding;

	if (!limit.set || !limit.known || need <= limit.amount)
		return;
	finding = emit_node(judge, LEVEL_WARNING, workload->object, limit.node);
	finding_message(judge->sink, finding,
	                "container %.*s peaks at %.*s and its memory limit is %.*s: with %d %% "
	                "headroom it needs %.*s", STR_ARG(container->name.s),
	                STR_ARG(amount_text(arena, STR("memory"), peak)),
	                STR_ARG(amount_text(arena, STR("memory"), limit.amount)), percent,
	                STR_ARG(wanted));
	finding_help(judge->sink, finding, "set the memory limit to %.*s", STR_ARG(wanted));
	finding_relate(judge->sink, finding, node_place(usage->node), "the observed peak");
	if (amounts_find(&container->limits, STR("memory")))
		emit_fix(judge, finding, false, limit.node, wanted, "raise the memory limit");
}

static void check_peak(const struct judge *judge, const struct workload *workload,
                       const struct container *container, const struct amount *usage)
{
	int64_t peak;

	if (usage->node && usage->valid && quantity_sign(&usage->quantity) > 0 &&
	    quantity_value_ceil(&usage->quantity, &peak))
		say_headroom(judge, workload, container, usage, peak);
}

/* Containers that no annotation speaks of: the VPA's target counts as the peak. */
static void check_vpa(const struct judge *judge, const struct object *vpa)
{
	const struct workload *workload = vpa_target(judge->scope, vpa);
	const struct container *container;

	for (size_t i = 0; workload && (container = any_container(workload->pod, i)); i++) {
		struct amount target = vpa_recommendation(vpa, container->name.s, STR("memory"));

		if (!workload_usage(workload, container->name.s, STR("memory")).node)
			check_peak(judge, workload, container, &target);
	}
}

void kl404_limit_no_headroom(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct container *container;

		for (size_t k = 0; (container = any_container(workload->pod, k)); k++) {
			struct amount usage = workload_usage(workload, container->name.s,
			                                     STR("memory"));

			check_peak(judge, workload, container, &usage);
		}
	}
	for (size_t i = 0; i < judge->scope->objects.n; i++)
		if (judge->scope->objects.v[i]->class == OBJECT_VPA)
			check_vpa(judge, judge->scope->objects.v[i]);
}

/* KL4, second part: what a container's own settings make of its limits (rules.md, KL408-KL410). */
#include "ask.h"
#include "edits.h"

#define MEBIBYTE (INT64_C(1) << 20)

/* Calls check for every container of every workload. */
static void each_container(const struct judge *judge,
                           void (*check)(const struct judge *, const struct workload *,
                                         const struct container *))
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct container *container;

		for (size_t k = 0; (container = pod_container(workload->pod, k)); k++)
			check(judge, workload, container);
	}
}

/* After the defaults of the namespace's LimitRange. */
static struct effective_amount limit_of(const struct judge *judge,
                                        const struct workload *workload,
                                        const struct container *container, const char *resource)
{
	return container_limit(scope_limit_range(judge->scope, workload->namespace), container,
	                       str_of(resource));
}

/* ---- KL409 ----------------------------------------------------------------------------- */

/* The level, or -1 for none: at 100 % of the limit the heap alone fills it. */
static int heap_level(const struct settings *settings, const struct heap_setting *heap,
                      int64_t limit)
{
	bool soft = heap->kind == HEAP_GO || heap->kind == HEAP_NODE_DEFAULT;
	int64_t share = heap->milli_percent;

	if (heap->bytes > 0 && limit > 0) {
		if (heap->bytes >= limit)
			return soft ? LEVEL_WARNING : LEVEL_ERROR;
		/* 100 x heap > percent x limit, without overflow for real sizes */
		return !soft && int64_mul_saturated(heap->bytes, 100) >
		                        int64_mul_saturated(limit, settings->heap_percent)
		               ? LEVEL_WARNING : -1;
	}
	if (share >= 100000)
		return LEVEL_ERROR;
	return share > int64_mul_saturated(settings->heap_percent, 1000) ? LEVEL_WARNING : -1;
}

/* The setting at about three quarters of the limit; empty when none is offered. */
static str smaller_heap(struct arena *arena, const struct heap_setting *heap, int64_t limit)
{
	long long mebibytes = (long long)(limit / 4 * 3 / MEBIBYTE);

	switch (heap->kind) {
	case HEAP_JVM:
		return str_starts(heap->text, STR("-Xmx"))
		               ? str_format(arena, "-Xmx%lldm", mebibytes)
		               : str_format(arena, "-XX:MaxHeapSize=%lldm", mebibytes);
	case HEAP_JVM_SHARE:
		return STR("-XX:MaxRAMPercentage=75.0");
	case HEAP_NODE:
		return str_format(arena, "--max-old-space-size=%lld", mebibytes);
	case HEAP_GO:
		return str_format(arena, "%lldMiB", (long long)(limit / 10 * 9 / MEBIBYTE));
	default:
		return (str){ 0 };
	}
}

/* With the setting as written and the limit that it meets. */
static void heap_message(const struct judge *judge, struct finding *finding,
                         const struct heap_setting *heap, str limit)
{
	if (heap->kind == HEAP_NODE_DEFAULT)
		finding_message(judge->sink, finding,
		                "the heap of Node.js is at least about 256 MiB unless told "
		                "otherwise, and the memory limit is %.*s", STR_ARG(limit));
	else if (heap->bytes == 0)
		finding_message(judge->sink, finding,
		                "%.*s is %lld %% of the memory limit of %.*s: too little is left for "
		                "what is not heap", STR_ARG(heap->text),
		                (long long)(heap->milli_percent / 1000), STR_ARG(limit));
	else
		finding_message(judge->sink, finding,
		                "%.*s sets %.*s of the memory limit of %.*s: too little is left for "
		                "what is not heap", STR_ARG(heap->text),
		                STR_ARG(amount_text(JUDGE_ARENA(judge), STR("memory"), heap->bytes)),
		                STR_ARG(limit));
}

/* No limit: silent, since nothing kills at a certain size then. */
static void check_heap(const struct judge *judge, const struct workload *workload,
                       const struct container *container)
{
	struct arena *arena = JUDGE_ARENA(judge);
	struct effective_amount limit = limit_of(judge, workload, container, "memory");
	struct heap_setting heap = container_heap(arena, container);
	int level = heap.kind == HEAP_NONE || !limit.set || !limit.known
	                    ? -1 : heap_level(judge->scope->settings, &heap, limit.amount);
	struct finding *finding;
	struct edit edit;
	str smaller;

	if (level < 0)
		return;
	smaller = smaller_heap(arena, &heap, limit.amount);
	finding = emit_node(judge, (enum level)level, workload->object,
	                    heap.node ? heap.node : limit.node);
	heap_message(judge, finding, &heap, amount_text(arena, STR("memory"), limit.amount));
	if (heap.node)
		relate_object(judge, finding, workload->object, limit.node, "the memory limit");
	if (!smaller.n) {
		finding_help(judge->sink, finding, "leave about a quarter of the limit free");
		return;
	}
	finding_help(judge->sink, finding, "use %.*s, or raise the limit", STR_ARG(smaller));
	if (edit_part(workload->object, heap.node, heap.text, smaller, &edit))
		finding_fix(judge->sink, finding, false, "lower the heap", edit);
}

/* A heap as large as the limit cannot be reached without being killed: E. Above the share of
 * the configuration too little is left for the rest: W. */
void kl409_heap_exceeds_limit(const struct judge *judge)
{
	each_container(judge, check_heap);
}

/* ---- KL408 ----------------------------------------------------------------------------- */

/* Thread counts are the container's own words; the runtime by command or variables, never by
 * the image's name. */
static void check_throttle(const struct judge *judge, const struct workload *workload,
                           const struct container *container)
{
	struct arena *arena = JUDGE_ARENA(judge);
	struct effective_amount limit = limit_of(judge, workload, container, "cpu");
	struct thread_setting threads = container_threads(arena, container);
	enum runtime runtime = container_runtime(container);
	bool small = limit.amount < 1000 && (runtime == RUNTIME_JVM || runtime == RUNTIME_DOTNET);
	str text = amount_text(arena, STR("cpu"), limit.amount);
	struct finding *finding;

	if (!limit.set || !limit.known || limit.amount <= 0 ||
	    (!small && limit.amount >= int64_mul_saturated(threads.count, 1000)))
		return;
	finding = emit_node(judge, LEVEL_NOTE, workload->object, limit.node);
	if (small) {
		finding_message(judge->sink, finding,
		                "the cpu limit of container %.*s is %.*s, and the %s needs a whole "
		                "core for its own threads", STR_ARG(container->name.s),
		                STR_ARG(text), runtime_name(runtime));
		finding_help(judge->sink, finding, "set 1 or more, or leave the cpu limit out");
		return;
	}
	finding_message(judge->sink, finding,
	                "the cpu limit of container %.*s is %.*s, and %.*s runs %lld at once: they "
	                "are throttled", STR_ARG(container->name.s), STR_ARG(text),
	                STR_ARG(threads.text), (long long)threads.count);
	finding_help(judge->sink, finding, "set one to the other, or leave the cpu limit out");
	relate_object(judge, finding, workload->object, threads.node, "the setting");
}

/* N: throttling costs latency, it stops nothing. */
void kl408_cpu_limit_throttle(const struct judge *judge)
{
	each_container(judge, check_throttle);
}

/* ---- KL410 ----------------------------------------------------------------------------- */

/* By the volume's name; read-only mounts count, since another container may fill it. */
static bool mounts(const struct container *container, str volume)
{
	const struct node *list = node_get(container->node, "volumeMounts");

	for (uint32_t i = 0; node_is_list(list) && i < list->child_count; i++)
		if (str_eq(node_text(node_get(&list->children[i], "name")), volume))
			return true;
	return false;
}

/* The largest memory limit of the containers that mount the volume; false when one of them has
 * none, or none mounts it. */
static bool largest_limit(const struct judge *judge, const struct workload *workload, str volume,
                          int64_t *ret_limit)
{
	const struct container *container;
	bool any = false;

	*ret_limit = 0;
	for (size_t i = 0; (container = pod_container(workload->pod, i)); i++) {
		struct effective_amount limit;

		if (!mounts(container, volume))
			continue;
		limit = limit_of(judge, workload, container, "memory");
		if (!limit.set || !limit.known)
			return false;
		any = true;
		if (limit.amount > *ret_limit)
			*ret_limit = limit.amount;
	}
	return any;
}

/* Pages of tmpfs are charged to the container that writes them. */
static void check_volume(const struct judge *judge, const struct workload *workload,
                         const struct volume *volume)
{
	struct arena *arena = JUDGE_ARENA(judge);
	int64_t limit, size = 0;
	struct finding *finding;

	if (!volume->empty_dir || volume->empty_dir->unknown ||
	    !str_is(volume->empty_dir_medium.s, "Memory") ||
	    !largest_limit(judge, workload, volume->name.s, &limit))
		return;
	if (!volume->size_limit.node) {
		finding = emit_at(judge, LEVEL_NOTE, workload->object, volume->empty_dir, "sizeLimit");
		finding_message(judge->sink, finding,
		                "volume %.*s lies in memory without a sizeLimit: it may fill the "
		                "memory limit of %.*s", STR_ARG(volume->name.s),
		                STR_ARG(amount_text(arena, STR("memory"), limit)));
		finding_help(judge->sink, finding, "set a sizeLimit well below it");
		return;
	}
	if (!volume->size_limit.valid || volume->size_limit.node->unknown ||
	    !quantity_value_ceil(&volume->size_limit.quantity, &size) || size < limit)
		return;
	finding = emit_node(judge, LEVEL_WARNING, workload->object, volume->size_limit.node);
	finding_message(judge->sink, finding,
	                "volume %.*s lies in memory and may grow to %.*s, and the containers that "
	                "mount it are killed at %.*s", STR_ARG(volume->name.s),
	                STR_ARG(amount_text(arena, STR("memory"), size)),
	                STR_ARG(amount_text(arena, STR("memory"), limit)));
	finding_help(judge->sink, finding, "set a sizeLimit well below the memory limit");
}

/* Without a limit on the containers there is nothing that the volume could exceed. */
void kl410_memory_volume_uncounted(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];

		for (size_t k = 0; k < workload->pod->volumes.n; k++)
			check_volume(judge, workload, &workload->pod->volumes.v[k]);
	}
}

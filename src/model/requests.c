/* What the scheduler takes for a pod: requests and limits summed as upstream sums them.
 *
 * The order of events is that of pod creation: decoding rounds every quantity up to
 * thousandths, limits stand in for missing requests, then the LimitRange fills what is still
 * missing, then pod-level resources are completed and win over the sum. Upstream:
 * core/v1 SetDefaults_Pod, LimitRanger, component-helpers resource.PodRequests (v0.36.3).
 */
#include "model-internal.h"

/* Sets up to this size are searched from end to end; larger ones get a map. */
#define SMALL_SET 16

/* A running amount of one resource, in thousandths of its unit. */
struct tally {
	str resource;
	__extension__ __int128 milli;
	__extension__ __int128 largest; /* of the parts */
	bool unknown;
	const struct node *node;        /* of the largest part */
};

/* A resource list under construction. */
struct tallies {
	struct arena *arena;
	struct tally *v;
	size_t n, cap;
	struct map *index;              /* resource -> position + 1; NULL while the set is small */
};

/* Everything that pod_requests() and pod_limits() work with. */
struct sums {
	struct tallies requests, limits;         /* aggregated over containers */
	struct tallies pod_requests, pod_limits; /* pod-level, completed */
	bool from_limits;
};

static struct tally *tallies_find(const struct tallies *set, str resource)
{
	if (set->index) {
		size_t at = (size_t)(uintptr_t)map_get(set->index, resource);

		return at ? &set->v[at - 1] : NULL;
	}
	for (size_t i = 0; i < set->n; i++)
		if (str_eq(set->v[i].resource, resource))
			return &set->v[i];
	return NULL;
}

static void index_tally(struct tallies *set, size_t i)
{
	/* The map wants a pointer; a position stays right when the array moves. */
	map_put(set->index, set->v[i].resource, (void *)(uintptr_t)(i + 1));
}

static struct tally *tallies_at(struct tallies *set, str resource)
{
	struct tally *tally = tallies_find(set, resource);

	if (tally)
		return tally;
	tally = VEC_PUSH(set->arena, set);
	tally->resource = resource;
	if (set->index) {
		index_tally(set, set->n - 1);
	} else if (set->n > SMALL_SET) {
		set->index = map_new(set->arena);
		for (size_t i = 0; i < set->n; i++)
			index_tally(set, i);
	}
	return tally;
}

__extension__ static __int128 milli_of(const struct quantity *quantity)
{
	if (quantity->big)
		return (__extension__ (__int128)INT64_MAX) * 1000;
	return (quantity->nano + 999999) / 1000000;
}

/* Adds the amounts that the set has not yet. Returns whether there were any such. */
static bool tallies_fill(struct tallies *set, const struct amounts *amounts)
{
	size_t before = set->n;

	for (size_t i = 0; i < amounts->n; i++) {
		const struct amount *amount = &amounts->v[i];
		struct tally *tally;

		if (tallies_find(set, amount->resource))
			continue;
		tally = tallies_at(set, amount->resource);
		tally->node = amount->node;
		tally->unknown = !amount->valid || quantity_sign(&amount->quantity) < 0 ||
		                 (amount->node && amount->node->unknown);
		if (!tally->unknown)
			tally->milli = milli_of(&amount->quantity);
		tally->largest = tally->milli;
	}
	return set->n > before;
}

static bool is_open(const struct node *node)
{
	return node && node->unknown;
}

/* A template or patch may add any resource: nothing is known beyond what stands there. The two
 * that every pod is judged by stand for all. */
static void mark_open(struct tallies *set)
{
	tallies_at(set, STR("cpu"))->unknown = true;
	tallies_at(set, STR("memory"))->unknown = true;
}

/* The LimitRange's container defaults; a later item wins over an earlier one. */
static void fill_from_range(struct tallies *set, const struct limit_range *range, bool requests)
{
	for (size_t i = range ? range->items.n : 0; i-- > 0;) {
		const struct limit_range_item *item = &range->items.v[i];

		if (!str_is(item->type.s, "Container"))
			continue;
		if (requests)
			tallies_fill(set, &item->default_requests);
		tallies_fill(set, &item->defaults);
		tallies_fill(set, &item->max);
		if (requests)
			tallies_fill(set, &item->min);
	}
}

static bool container_is_open(const struct container *container)
{
	return is_open(container->node) || is_open(container->resources) ||
	       is_open(container->requests.node) || is_open(container->limits.node);
}

static void read_requests(const struct container *container, const struct limit_range *range,
                          struct tallies *set, bool *from_limits)
{
	tallies_fill(set, &container->requests);
	if (tallies_fill(set, &container->limits))
		*from_limits = true;
	fill_from_range(set, range, true);
	if (container_is_open(container))
		mark_open(set);
}

static void read_limits(const struct container *container, const struct limit_range *range,
                        struct tallies *set)
{
	tallies_fill(set, &container->limits);
	fill_from_range(set, range, false);
	if (container_is_open(container))
		mark_open(set);
}

static void tallies_add(struct tallies *total, const struct tallies *part)
{
	for (size_t i = 0; i < part->n; i++) {
		struct tally *tally = tallies_at(total, part->v[i].resource);

		tally->milli += part->v[i].milli;
		tally->unknown = tally->unknown || part->v[i].unknown;
		if (part->v[i].largest > tally->largest || !tally->node) {
			tally->largest = part->v[i].largest;
			tally->node = part->v[i].node;
		}
	}
}

static void raise_tally(struct tallies *total, const struct tally *part)
{
	struct tally *tally = tallies_at(total, part->resource);
	bool unknown = tally->unknown || part->unknown;

	if (part->milli > tally->milli || !tally->node)
		*tally = *part;
	tally->unknown = unknown;
}

/* Raises the peak of the init phase by one init container. Only the resources that it names
 * can rise: those of the sidecars before it were counted when they came. */
static void raise_init(struct tallies *peak, const struct tallies *own,
                       const struct tallies *sidecars, bool is_sidecar)
{
	for (size_t i = 0; i < own->n; i++) {
		const struct tally *beside = tallies_find(sidecars, own->v[i].resource);
		struct tally sum = own->v[i];

		if (is_sidecar) {
			sum = *beside;
		} else if (beside) {
			sum.milli += beside->milli;
			sum.unknown = sum.unknown || beside->unknown;
		}
		raise_tally(peak, &sum);
	}
}

typedef void read_function(const struct container *container, const struct limit_range *range,
                           struct tallies *set, bool *from_limits);

static void read_limits_only(const struct container *container, const struct limit_range *range,
                             struct tallies *set, bool *from_limits)
{
	(void)from_limits;
	read_limits(container, range, set);
}

/* Containers and sidecars together; no less than any moment of the init phase. */
static void aggregate(const struct pod_template *pod, const struct limit_range *range,
                      read_function *read, struct tallies *ret_total, bool *ret_from_limits)
{
	struct arena *arena = ret_total->arena;
	struct tallies sidecars = { .arena = arena }, peak = { .arena = arena };

	for (size_t i = 0; i < pod->containers.n; i++) {
		struct tallies own = { .arena = arena };

		read(&pod->containers.v[i], range, &own, ret_from_limits);
		tallies_add(ret_total, &own);
	}
	for (size_t i = 0; i < pod->init_containers.n; i++) {
		const struct container *container = &pod->init_containers.v[i];
		bool is_sidecar = container->role == CONTAINER_SIDECAR;
		struct tallies own = { .arena = arena };

		read(container, range, &own, ret_from_limits);
		if (is_sidecar) {
			tallies_add(ret_total, &own);
			tallies_add(&sidecars, &own);
		}
		raise_init(&peak, &own, &sidecars, is_sidecar);
	}
	for (size_t i = 0; i < peak.n; i++)
		raise_tally(ret_total, &peak.v[i]);
}

static bool is_hugepages(str resource)
{
	return str_starts(resource, STR("hugepages-"));
}

static bool is_pod_level(str resource)
{
	return str_is(resource, "cpu") || str_is(resource, "memory") || is_hugepages(resource);
}

/* Completes pod-level resources where some are given. Upstream: defaultHugePagePodLimits,
 * then defaultPodRequests. */
static void complete_pod_level(struct sums *sums)
{
	struct tallies *requests = &sums->pod_requests, *limits = &sums->pod_limits;

	if (!requests->n && !limits->n)
		return;
	for (size_t i = 0; i < sums->limits.n; i++) {
		const struct tally *tally = &sums->limits.v[i];

		if (is_hugepages(tally->resource) && !tallies_find(requests, tally->resource) &&
		    !tallies_find(limits, tally->resource))
			*tallies_at(limits, tally->resource) = *tally;
	}
	if (!limits->n)
		return;
	for (size_t i = 0; i < sums->requests.n; i++) {
		const struct tally *tally = &sums->requests.v[i];

		if (is_pod_level(tally->resource) && !is_hugepages(tally->resource) &&
		    !tallies_find(requests, tally->resource))
			*tallies_at(requests, tally->resource) = *tally;
	}
	for (size_t i = 0; i < limits->n; i++)
		if (is_pod_level(limits->v[i].resource) &&
		    !tallies_find(requests, limits->v[i].resource))
			*tallies_at(requests, limits->v[i].resource) = limits->v[i];
}

static void sum_up(struct arena *arena, const struct pod_template *pod,
                   const struct limit_range *range, struct sums *sums)
{
	bool ignored = false;

	*sums = (struct sums){ .requests.arena = arena, .limits.arena = arena,
		               .pod_requests.arena = arena, .pod_limits.arena = arena };
	aggregate(pod, range, read_requests, &sums->requests, &sums->from_limits);
	aggregate(pod, range, read_limits_only, &sums->limits, &ignored);
	if (is_open(pod->spec) || is_open(node_get(pod->spec, "containers")) ||
	    is_open(node_get(pod->spec, "initContainers"))) {
		mark_open(&sums->requests);
		mark_open(&sums->limits);
	}
	tallies_fill(&sums->pod_requests, &pod->requests);
	tallies_fill(&sums->pod_limits, &pod->limits);
	complete_pod_level(sums);
	if (is_open(node_get(pod->spec, "resources")) || is_open(pod->requests.node) ||
	    is_open(pod->limits.node))
		mark_open(&sums->pod_requests);
}

/* Pod-level amounts replace the containers' resource by resource. */
static void override(struct tallies *total, const struct tallies *pod_level)
{
	for (size_t i = 0; i < pod_level->n; i++)
		if (is_pod_level(pod_level->v[i].resource))
			*tallies_at(total, pod_level->v[i].resource) = pod_level->v[i];
}

__extension__ static int64_t amount_in_units(str resource, __int128 milli)
{
	__extension__ __int128 amount =
		str_is(resource, "cpu") ? milli : (milli + 999) / 1000;

	return amount > INT64_MAX ? INT64_MAX : (int64_t)amount;
}

static void write_amounts(struct arena *arena, const struct tallies *total,
                          struct resource_amounts *ret_amounts)
{
	for (size_t i = 0; i < total->n; i++) {
		const struct tally *tally = &total->v[i];

		if (tally->milli || tally->unknown)
			*VEC_PUSH(arena, ret_amounts) = (struct resource_amount){
				.resource = tally->resource,
				.amount = amount_in_units(tally->resource, tally->milli),
				.unknown = tally->unknown,
				.node = tally->node,
			};
	}
}

void pod_requests(struct arena *arena, const struct pod_template *pod,
                  const struct amounts *overhead, const struct limit_range *range,
                  struct pod_requests *ret_requests)
{
	struct tallies extra = { .arena = arena };
	struct sums sums;

	sum_up(arena, pod, range, &sums);
	override(&sums.requests, &sums.pod_requests);
	tallies_fill(&extra, overhead ? overhead : &pod->overhead);
	tallies_add(&sums.requests, &extra);
	*ret_requests = (struct pod_requests){ .from_limits = sums.from_limits };
	write_amounts(arena, &sums.requests, &ret_requests->v);
}

void pod_limits(struct arena *arena, const struct pod_template *pod,
                struct resource_amounts *ret_limits)
{
	struct tallies extra = { .arena = arena };
	struct sums sums;

	sum_up(arena, pod, NULL, &sums);
	override(&sums.limits, &sums.pod_limits);
	tallies_fill(&extra, &pod->overhead);
	for (size_t i = 0; i < extra.n; i++) {
		struct tally *limit = tallies_find(&sums.limits, extra.v[i].resource);

		/* Without a limit there is nothing that the overhead could widen. */
		if (limit && limit->milli)
			limit->milli += extra.v[i].milli;
	}
	*ret_limits = (struct resource_amounts){ 0 };
	write_amounts(arena, &sums.limits, ret_limits);
}

/* Of cpu and memory: do both lists name the same amounts above 0? */
static bool same_amounts(const struct tallies *requests, const struct tallies *limits)
{
	static const char *const resources[] = { "cpu", "memory" };

	for (size_t i = 0; i < COUNT_OF(resources); i++) {
		const struct tally *request = tallies_find(requests, str_of(resources[i]));
		const struct tally *limit = tallies_find(limits, str_of(resources[i]));

		if ((request ? request->milli : 0) != (limit ? limit->milli : 0))
			return false;
	}
	return true;
}

static bool asks_anything(const struct tallies *set)
{
	const struct tally *cpu = tallies_find(set, STR("cpu"));
	const struct tally *memory = tallies_find(set, STR("memory"));

	return (cpu && cpu->milli > 0) || (memory && memory->milli > 0);
}

static bool limits_both(const struct tallies *set)
{
	const struct tally *cpu = tallies_find(set, STR("cpu"));
	const struct tally *memory = tallies_find(set, STR("memory"));

	return cpu && cpu->milli > 0 && memory && memory->milli > 0;
}

/* Adds up one list of containers; false when one of them lacks a limit. */
static bool add_for_qos(const struct containers *containers, struct sums *sums)
{
	bool limited = true;

	for (size_t i = 0; i < containers->n; i++) {
		struct tallies requests = { .arena = sums->requests.arena };
		struct tallies limits = { .arena = sums->limits.arena };
		bool ignored = false;

		read_requests(&containers->v[i], NULL, &requests, &ignored);
		read_limits(&containers->v[i], NULL, &limits);
		tallies_add(&sums->requests, &requests);
		tallies_add(&sums->limits, &limits);
		limited = limited && limits_both(&limits);
	}
	return limited;
}

/* Plain sums, as ComputePodQOS takes them: init containers count in full. */
static bool sum_for_qos(struct arena *arena, const struct pod_template *pod, struct sums *sums)
{
	bool limited;

	sum_up(arena, pod, NULL, sums);
	if (!node_is_null(node_get(pod->spec, "resources"))) {
		sums->requests = sums->pod_requests;
		sums->limits = sums->pod_limits;
		return !sums->limits.n || limits_both(&sums->limits);
	}
	sums->requests = (struct tallies){ .arena = arena };
	sums->limits = (struct tallies){ .arena = arena };
	limited = add_for_qos(&pod->containers, sums);
	return add_for_qos(&pod->init_containers, sums) && limited;
}

enum qos_class pod_qos(const struct pod_template *pod)
{
	struct arena *arena = arena_new();
	struct sums sums;
	bool limited = sum_for_qos(arena, pod, &sums);
	enum qos_class class = QOS_BURSTABLE;

	if (!asks_anything(&sums.requests) && !asks_anything(&sums.limits))
		class = QOS_BEST_EFFORT;
	else if (limited && same_amounts(&sums.requests, &sums.limits))
		class = QOS_GUARANTEED;
	arena_free(arena);
	return class;
}

struct resource_amount resources_get(const struct resource_amounts *amounts, str resource)
{
	for (size_t i = 0; i < amounts->n; i++)
		if (str_eq(amounts->v[i].resource, resource))
			return amounts->v[i];
	return (struct resource_amount){ .resource = resource };
}

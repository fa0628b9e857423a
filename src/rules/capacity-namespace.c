/* KL305, KL306: what a namespace's ResourceQuota and LimitRange let through (rules.md, KL3). */
#include "ask.h"
#include "rules-internal.h"

/* One entry of spec.hard. */
struct quota_entry {
	const struct object *quota;
	str namespace;
	str key;                  /* requests.cpu, limits.memory, cpu, pods … */
	str resource;             /* cpu, memory, pods … */
	bool of_limits;
	struct quantity hard;
	const struct node *node;
};
struct quota_entries VEC(struct quota_entry);

/* Quotas with scopes count only some pods: they are left out. */
static bool counts_all_pods(const struct object *quota)
{
	const struct node *spec = node_get(quota->root, "spec");

	return node_is_null(node_get(spec, "scopes")) &&
	       node_is_null(node_get(spec, "scopeSelector"));
}

static bool read_entry(const struct object *quota, const struct node *node,
                       struct quota_entry *ret_entry)
{
	str limits = STR("limits."), requests = STR("requests.");

	*ret_entry = (struct quota_entry){ .quota = quota, .key = node->key,
		                           .resource = node->key, .node = node };
	if (str_starts(node->key, limits)) {
		ret_entry->of_limits = true;
		ret_entry->resource = str_slice(node->key, limits.n, node->key.n);
	} else if (str_starts(node->key, requests)) {
		ret_entry->resource = str_slice(node->key, requests.n, node->key.n);
	} else if (!str_is(node->key, "cpu") && !str_is(node->key, "memory") &&
	           !str_is(node->key, "pods")) {
		return false; /* counts of objects, and names of another kind */
	}
	return node_known(node) && quantity_parse(node_text(node), &ret_entry->hard);
}

/* Every entry of the scope's quotas that counts all pods of its namespace. */
static void read_quotas(struct arena *arena, const struct scope *scope,
                        struct quota_entries *ret_entries)
{
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];
		const struct node *hard = node_at(object->root, "spec.hard");
		if (object->class != OBJECT_RESOURCE_QUOTA || !node_is_map(hard) ||
		    !counts_all_pods(object))
			continue;
		for (uint32_t k = 0; k < hard->child_count; k++) {
			struct quota_entry entry;
			if (!read_entry(object, &hard->children[k], &entry))
				continue;
			entry.namespace = object_namespace(scope, object);
			*VEC_PUSH(arena, ret_entries) = entry;
		}
	}
}

static bool is_of(const struct quota_entry *entry, const struct workload *workload)
{
	return str_eq(entry->namespace, workload->namespace);
}

/* ---- KL305, demanded amounts --------------------------------------------------------------- */

/* Quotas make only these mandatory for every container. */
static bool is_demanded(const struct quota_entry *entry)
{
	return str_is(entry->resource, "cpu") || str_is(entry->resource, "memory");
}

static bool lacks(const struct limit_range *range, const struct container *container,
                  const struct quota_entry *entry)
{
	struct effective_amount amount =
		entry->of_limits ? container_limit(range, container, entry->resource)
		                 : container_request(range, container, entry->resource);

	return amount.known && !amount.set;
}

/* The first container that the pod would be refused for, or NULL. */
static const struct container *refused_container(const struct limit_range *range,
                                                 const struct pod_template *pod,
                                                 const struct quota_entry *entry)
{
	for (size_t i = 0; i < pod->containers.n; i++)
		if (lacks(range, &pod->containers.v[i], entry))
			return &pod->containers.v[i];
	for (size_t i = 0; i < pod->init_containers.n; i++)
		if (lacks(range, &pod->init_containers.v[i], entry))
			return &pod->init_containers.v[i];
	return NULL;
}

static void say_refused(const struct judge *judge, const struct workload *workload,
                        const struct container *container, const struct quota_entry *entry)
{
	bool there = container->resources;
	struct finding *finding = emit_at(judge, LEVEL_ERROR, workload->object,
	                                  there ? container->resources : container->node,
	                                  there ? NULL : "resources");
	const char *what = entry->of_limits ? "limit" : "request";

	finding_message(judge->sink, finding,
	                "container %.*s has no %.*s %s, but ResourceQuota %.*s counts %.*s: every "
	                "pod is refused", STR_ARG(container->name.s), STR_ARG(entry->resource),
	                what, STR_ARG(entry->quota->name.s), STR_ARG(entry->key));
	finding_relate(judge->sink, finding, node_place(entry->node),
	               "ResourceQuota %.*s counts %.*s", STR_ARG(entry->quota->name.s),
	               STR_ARG(entry->key));
	finding_help(judge->sink, finding,
	             "set it, or give the namespace a LimitRange with defaults");
}

/* One finding for the workload: the first entry that it fails. */
static void check_demands(const struct judge *judge, const struct workload *workload,
                          const struct quota_entries *entries)
{
	const struct limit_range *range = scope_limit_range(judge->scope, workload->namespace);

	for (size_t i = 0; i < entries->n; i++) {
		const struct quota_entry *entry = &entries->v[i];
		if (!is_demanded(entry) || !is_of(entry, workload) ||
		    workload->pod->requests.node || workload->pod->limits.node)
			continue;
		const struct container *container =
			refused_container(range, workload->pod, entry);
		if (container) {
			say_refused(judge, workload, container, entry);
			return;
		}
	}
}

/* ---- KL305, sums ----------------------------------------------------------------------------- */

/* What one pod counts for the entry. */
static int64_t pod_amount(const struct workload *workload, const struct quota_entry *entry,
                          const struct resource_amounts *limits)
{
	if (str_is(entry->resource, "pods"))
		return 1;
	return resources_get(entry->of_limits ? limits : &workload->requests.v,
	                     entry->resource).amount;
}

/* The sums of what is declared are lower bounds: there may be more in the namespace. DaemonSets
 * and Jobs are left out, since nobody knows how many of their pods run at once. */
static void add_up(const struct judge *judge, const struct quota_entry *entry,
                   int64_t *ret_baseline, int64_t *ret_peak)
{
	const struct workloads *workloads = &judge->scope->workloads;

	*ret_baseline = *ret_peak = 0;
	for (size_t i = 0; i < workloads->n; i++) {
		const struct workload *workload = workloads->v[i];
		struct resource_amounts limits = { 0 };
		if (workload->daemon_set || workload->job || !is_of(entry, workload))
			continue;
		if (entry->of_limits)
			pod_limits(JUDGE_ARENA(judge), workload->pod, &limits);
		int64_t amount = pod_amount(workload, entry, &limits);
		int64_t baseline = workload->baseline.known ? workload->baseline.value : 0;
		int64_t peak = workload->peak.known ? workload->peak.value : baseline;
		*ret_baseline = int64_add_saturated(*ret_baseline,
		                                    int64_mul_saturated(amount, baseline));
		*ret_peak = int64_add_saturated(*ret_peak, int64_mul_saturated(amount, peak));
	}
}

static int64_t hard_amount(const struct quota_entry *entry)
{
	int64_t amount = 0;

	if (str_is(entry->resource, "cpu"))
		quantity_milli_ceil(&entry->hard, &amount);
	else
		quantity_value_ceil(&entry->hard, &amount);
	return amount;
}

static void check_sum(const struct judge *judge, const struct quota_entry *entry)
{
	struct arena *arena = JUDGE_ARENA(judge);
	int64_t baseline, peak, hard = hard_amount(entry);

	add_up(judge, entry, &baseline, &peak);
	if (peak <= hard)
		return;
	bool certain = baseline > hard;
	struct finding *finding = emit_at(judge, certain ? LEVEL_ERROR : LEVEL_WARNING,
	                                  entry->quota, entry->node, NULL);
	finding_message(judge->sink, finding,
	                "the declared workloads of the namespace need %.*s of %.*s%s, the quota is "
	                "%.*s: the last pods are refused",
	                STR_ARG(amount_text(arena, entry->resource, certain ? baseline : peak)),
	                STR_ARG(entry->key), certain ? "" : " at their peak",
	                STR_ARG(amount_text(arena, entry->resource, hard)));
	finding_help(judge->sink, finding, "raise it to at least %.*s",
	             STR_ARG(amount_text(arena, entry->resource, peak)));
}

/* Sums of declared workloads are lower bounds of what the namespace holds, and quotas with
 * scopes are left out: an error is certain. */
void kl305_quota_blocks_replicas(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	struct quota_entries entries = { 0 };

	read_quotas(scratch, judge->scope, &entries);
	for (size_t i = 0; i < judge->scope->workloads.n && entries.n > 0; i++)
		check_demands(judge, judge->scope->workloads.v[i], &entries);
	for (size_t i = 0; i < entries.n; i++)
		check_sum(judge, &entries.v[i]);
	arena_free(scratch);
}

/* ---- KL306 ------------------------------------------------------------------------------ */

/* A container of a namespace with a LimitRange, and where it stands. */
struct bounded {
	const struct judge *judge;
	const struct workload *workload;
	const struct limit_range *range;
	const struct container *container;
};

static int64_t amount_of(const struct amount *bound)
{
	int64_t value = 0;

	if (str_is(bound->resource, "cpu"))
		quantity_milli_ceil(&bound->quantity, &value);
	else
		quantity_value_ceil(&bound->quantity, &value);
	return value;
}

static void say_conflict(const struct bounded *bounded, const struct effective_amount *amount,
                         const struct amount *bound, const char *problem)
{
	const struct judge *judge = bounded->judge;
	const struct object *object = bounded->workload->object;
	const struct container *container = bounded->container;
	bool own = amount->node && node_is_of(amount->node, object);
	const struct node *node = own                    ? amount->node
	                          : container->resources ? container->resources
	                                                 : container->node;
	struct finding *finding = emit_at(judge, LEVEL_ERROR, object, node, NULL);
	str resource = bound->resource;

	finding_message(judge->sink, finding, "container %.*s: the %.*s %s (%.*s)",
	                STR_ARG(container->name.s), STR_ARG(resource), problem,
	                STR_ARG(amount_text(JUDGE_ARENA(judge), resource, amount->amount)));
	finding_relate(judge->sink, finding, node_place(bound->node), "the LimitRange says %.*s",
	               STR_ARG(node_text(bound->node)));
	finding_help(judge->sink, finding, "the LimitRange's value is %.*s",
	             STR_ARG(node_text(bound->node)));
}

static void check_bounds(const struct bounded *bounded, const struct limit_range_item *item)
{
	for (size_t i = 0; i < item->max.n; i++) {
		const struct amount *max = &item->max.v[i];
		struct effective_amount limit =
			container_limit(bounded->range, bounded->container, max->resource);
		if (max->valid && limit.known && limit.set && limit.amount > amount_of(max))
			say_conflict(bounded, &limit, max, "limit is above the LimitRange's max");
	}
	for (size_t i = 0; i < item->min.n; i++) {
		const struct amount *min = &item->min.v[i];
		struct effective_amount request =
			container_request(bounded->range, bounded->container, min->resource);
		if (min->valid && request.known && request.set && request.amount < amount_of(min))
			say_conflict(bounded, &request, min,
			             "request is below the LimitRange's min");
	}
}

/* A default limit below the request that the container sets itself. */
static void check_default(const struct bounded *bounded, const struct limit_range_item *item)
{
	for (size_t i = 0; i < item->defaults.n; i++) {
		const struct amount *given = &item->defaults.v[i];
		struct effective_amount request =
			container_request(bounded->range, bounded->container, given->resource);
		if (given->valid && !amounts_find(&bounded->container->limits, given->resource) &&
		    request.known && request.set && !request.from_limit &&
		    request.amount > amount_of(given))
			say_conflict(bounded, &request, given,
			             "request is above the limit that the LimitRange adds");
	}
}

static void check_ratio(const struct bounded *bounded, const struct limit_range_item *item)
{
	for (size_t i = 0; i < item->max_ratio.n; i++) {
		const struct amount *ratio = &item->max_ratio.v[i];
		struct effective_amount request =
			container_request(bounded->range, bounded->container, ratio->resource);
		struct effective_amount limit =
			container_limit(bounded->range, bounded->container, ratio->resource);
		int64_t thousandths = 0;
		quantity_milli_ceil(&ratio->quantity, &thousandths);
		if (ratio->valid && request.known && request.set && limit.known && limit.set &&
		    int64_mul_saturated(limit.amount, 1000) >
			    int64_mul_saturated(request.amount, thousandths))
			say_conflict(bounded, &limit, ratio,
			             "limit is above the LimitRange's ratio to the request");
	}
}

static void check_range(const struct judge *judge, const struct workload *workload,
                        const struct containers *containers)
{
	const struct limit_range *range = scope_limit_range(judge->scope, workload->namespace);

	for (size_t i = 0; range && i < containers->n; i++) {
		const struct bounded bounded = { judge, workload, range, &containers->v[i] };
		for (size_t k = 0; k < range->items.n; k++) {
			if (!str_is(range->items.v[k].type.s, "Container"))
				continue;
			check_bounds(&bounded, &range->items.v[k]);
			check_default(&bounded, &range->items.v[k]);
			check_ratio(&bounded, &range->items.v[k]);
		}
	}
}

/* Upstream: the LimitRanger admission plugin, after defaults. */
void kl306_limit_range_conflict(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		check_range(judge, workload, &workload->pod->containers);
		check_range(judge, workload, &workload->pod->init_containers);
	}
}

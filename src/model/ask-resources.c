/* What one container requests and may use, once admission has filled the gaps. */
#include "ask.h"
#include "model-internal.h"

/* In the scheduler's units; false when the quantity is none. */
static bool amount_of(const struct amount *amount, int64_t *ret_amount)
{
	*ret_amount = 0;
	if (!amount->valid)
		return false;
	return str_is(amount->resource, "cpu")
	               ? quantity_milli_ceil(&amount->quantity, ret_amount)
	               : quantity_value_ceil(&amount->quantity, ret_amount);
}

/* A template or patch may change what it holds. */
static bool map_is_open(const struct node *node)
{
	return node && node->unknown;
}

/* May a template or a patch add to what the container says of its resources? */
static bool resources_open(const struct container *container)
{
	return map_is_open(container->node) || map_is_open(container->resources) ||
	       map_is_open(container->requests.node) || map_is_open(container->limits.node);
}

/* An amount that is written somewhere. */
static struct effective_amount found(const struct container *container,
                                     const struct amount *amount)
{
	struct effective_amount effective = { .set = true, .node = amount->node };
	bool readable = amount_of(amount, &effective.amount);

	effective.known = readable && !map_is_open(amount->node) && !resources_open(container);
	return effective;
}

/* The first of the LimitRange's container defaults in those maps that names the resource.
 * Upstream: SetDefaults_LimitRangeItem (default from max; defaultRequest from default, then
 * from min). */
static const struct amount *range_default(const struct limit_range *range, str resource,
                                          bool request)
{
	for (size_t i = 0; range && i < range->items.n; i++) {
		const struct limit_range_item *item = &range->items.v[i];
		const struct amounts *const maps[] = { &item->default_requests, &item->defaults,
			                               &item->max, &item->min };
		size_t first = request ? 0 : 1, end = request ? 4 : 3;

		if (!str_is(item->type.s, "Container"))
			continue;
		for (size_t m = first; m < end; m++) {
			const struct amount *amount = amounts_find(maps[m], resource);

			if (amount)
				return amount;
		}
	}
	return NULL;
}

/* What admission fills in, or nothing. */
static struct effective_amount from_range(const struct limit_range *range,
                                          const struct container *container, str resource,
                                          bool request)
{
	const struct amount *amount = range_default(range, resource, request);

	if (amount)
		return found(container, amount);
	return (struct effective_amount){ .known = !resources_open(container) };
}

struct effective_amount container_limit(const struct limit_range *range,
                                        const struct container *container, str resource)
{
	const struct amount *own = amounts_find(&container->limits, resource);

	return own ? found(container, own) : from_range(range, container, resource, false);
}

struct effective_amount container_request(const struct limit_range *range,
                                          const struct container *container, str resource)
{
	const struct amount *own = amounts_find(&container->requests, resource);
	const struct amount *limit = amounts_find(&container->limits, resource);
	struct effective_amount effective;

	if (own)
		return found(container, own);
	if (!limit)
		return from_range(range, container, resource, true);
	effective = found(container, limit);
	effective.from_limit = true;
	return effective;
}

const struct container *pod_running(const struct pod_template *pod, size_t i)
{
	if (i < pod->containers.n)
		return &pod->containers.v[i];
	i -= pod->containers.n;
	for (size_t k = 0; k < pod->init_containers.n; k++)
		if (pod->init_containers.v[k].role == CONTAINER_SIDECAR && i-- == 0)
			return &pod->init_containers.v[k];
	return NULL;
}

const struct container *pod_container(const struct pod_template *pod, size_t i)
{
	if (i < pod->containers.n)
		return &pod->containers.v[i];
	i -= pod->containers.n;
	return i < pod->init_containers.n ? &pod->init_containers.v[i] : NULL;
}

struct utilization_cap pod_utilization_cap(const struct limit_range *range,
                                           const struct pod_template *pod, str name, str resource)
{
	struct utilization_cap cap = { .capped = true };
	const struct container *container;

	if (!name.n && (amounts_find(&pod->requests, resource) ||
	                amounts_find(&pod->limits, resource)))
		return (struct utilization_cap){ 0 };
	for (size_t i = 0; (container = pod_running(pod, i)); i++) {
		struct effective_amount request, limit;

		if (name.n && !str_eq(name, container->name.s))
			continue;
		request = container_request(range, container, resource);
		limit = container_limit(range, container, resource);
		cap.capped = cap.capped && request.set && request.known && limit.set &&
		             limit.known;
		cap.requests = int64_add_saturated(cap.requests, request.amount);
		cap.limits = int64_add_saturated(cap.limits, limit.amount);
		cap.node = cap.node ? cap.node : limit.node;
	}
	cap.capped = cap.capped && cap.requests > 0 && cap.limits < INT64_MAX / 100;
	cap.percent = cap.capped ? cap.limits * 100 / cap.requests : 0;
	return cap;
}

/* NodeResourcesFit: requests against what an empty node leaves beside what runs there.
 * Upstream: plugins/noderesources fitsRequest.
 */
#include "sched-internal.h"

/* Lists of a handful of resources: a map would cost more than it finds. */
static void add_amount(struct arena *arena, struct resource_amounts *used,
                       const struct resource_amount *amount)
{
	for (size_t i = 0; i < used->n; i++)
		if (str_eq(used->v[i].resource, amount->resource)) {
			used->v[i].amount = int64_add_saturated(used->v[i].amount, amount->amount);
			used->v[i].unknown = used->v[i].unknown || amount->unknown;
			return;
		}
	*VEC_PUSH(arena, used) = *amount;
}

/* A pod without requests takes its slot all the same. */
void site_add_use(struct arena *arena, struct resource_amounts *used,
                  const struct pod_profile *profile)
{
	const struct resource_amounts *requests = &profile->workload->requests.v;
	const struct resource_amount slot = { .resource = STR("pods"), .amount = 1 };

	add_amount(arena, used, &slot);
	for (size_t i = 0; i < requests->n; i++)
		add_amount(arena, used, &requests->v[i]);
}

/* By identity: two DaemonSets may ask for the same. */
static bool stands_in(const struct pod_profile *const *pods, size_t count,
                      const struct pod_profile *profile)
{
	for (size_t i = 0; i < count; i++)
		if (pods[i] == profile)
			return true;
	return false;
}

/* What others take of a resource: a DaemonSet in question does not count against itself. */
static int64_t used_by_others(const struct question *question, str resource, bool *ret_unknown)
{
	const struct site *site = question->site;
	const struct pod_profile *profile = question->profile;
	struct resource_amount used =
		resources_get(question->safe ? &site->used_most : &site->used, resource);
	bool counted = profile->workload->daemon_set &&
	               (stands_in(site->pods, site->pod_count, profile) ||
	                (question->safe && stands_in(site->maybe, site->maybe_count, profile)));

	*ret_unknown = used.unknown;
	if (!counted)
		return used.amount;
	return used.amount - (str_is(resource, "pods")
	                              ? 1
	                              : resources_get(&profile->workload->requests.v, resource)
	                                        .amount);
}

/* Slots first, then the requests in order: the order of the reasons. */
bool site_room(const struct question *question, size_t i, struct room *ret_room)
{
	const struct site *site = question->site;
	const struct workload *workload = question->profile->workload;
	const struct resource_amounts *requests = &workload->requests.v;
	struct capacity_fact fact;
	bool unknown;

	if (i > requests->n)
		return false;
	*ret_room = (struct room){ .resource = STR("pods"), .request = 1 };
	if (i > 0) {
		ret_room->resource = requests->v[i - 1].resource;
		ret_room->request = requests->v[i - 1].amount;
		ret_room->unknown = requests->v[i - 1].unknown || workload->runtime_class_open;
	}
	fact = shape_allocatable(site->group, site->shape, ret_room->resource);
	ret_room->allocatable = question->safe ? fact.safe : fact.optimistic;
	if (!fact.known)
		ret_room->allocatable = INT64_MAX;
	ret_room->used = used_by_others(question, ret_room->resource, &unknown);
	ret_room->free = int64_sub_saturated(ret_room->allocatable, ret_room->used);
	ret_room->unknown = ret_room->unknown || !fact.known || unknown;
	return true;
}

/* Requests of 0 pass even on a node that is over-full, as upstream has it. */
static enum answer room_answer(const struct room *room)
{
	/* A request is a lower bound and free an upper one: too much stays too much. */
	if (room->request > 0 && room->request > room->free)
		return ANSWER_NO;
	return room->unknown ? ANSWER_UNKNOWN : ANSWER_YES;
}

/* What a node offers: estimates of bytes are no whole number of anything and go down to Mi. */
static str offer_text(struct arena *arena, str resource, int64_t amount)
{
	const int64_t mebi = 1024 * 1024;
	bool bytes = str_is(resource, "memory") || str_is(resource, "ephemeral-storage");

	return amount_text(arena, resource,
	                   bytes && amount >= mebi ? amount - amount % mebi : amount);
}

/* Numbers in the form in which people write them, so that they find them in their files. */
static void explain(const struct question *question, const struct room *room, size_t i)
{
	static const str pods = { "pods", 4 };
	const struct resource_amounts *requests = &question->profile->workload->requests.v;
	struct arena *arena = question->arena;
	bool slot = str_eq(room->resource, pods);
	str text = slot ? STR("Too many pods")
	                : str_format(arena, "Insufficient %.*s", STR_ARG(room->resource));
	struct reason *reason = question_because(question, FILTER_NODE_RESOURCES_FIT,
	                                         room_answer(room), str_c(arena, text));
	struct capacity_fact fact = shape_allocatable(question->site->group,
	                                              question->site->shape, room->resource);

	if (!reason)
		return;
	reason->key = room->resource;
	reason->group_node = fact.node;
	reason->pod_node = slot ? NULL : requests->v[i - 1].node;
	if (!fact.known)
		reason->detail = str_format(arena, "allocatable %.*s is not known",
		                            STR_ARG(room->resource));
	else if (room->unknown && room_answer(room) == ANSWER_UNKNOWN)
		reason->detail = str_format(arena, "its request of %.*s is not known",
		                            STR_ARG(room->resource));
	else if (room->used > 0)
		reason->detail = str_format(
			arena, "%.*s %.*s of %.*s, of which others take %.*s",
			STR_ARG(room->resource),
			STR_ARG(amount_text(arena, room->resource, room->request)),
			STR_ARG(offer_text(arena, room->resource, room->allocatable)),
			STR_ARG(offer_text(arena, room->resource, room->used)));
	else
		reason->detail = str_format(
			arena, "%.*s %.*s of %.*s", STR_ARG(room->resource),
			STR_ARG(amount_text(arena, room->resource, room->request)),
			STR_ARG(offer_text(arena, room->resource, room->allocatable)));
}

/* All resources are asked, not only up to the first that lacks: one reason each. */
enum answer filter_resources(const struct question *question)
{
	enum answer worst = ANSWER_YES;
	struct room room;

	for (size_t i = 0; site_room(question, i, &room); i++) {
		enum answer answer = room_answer(&room);

		if (answer != ANSWER_YES && question->reasons)
			explain(question, &room, i);
		worst = answer < worst ? answer : worst;
	}
	return worst;
}

/* Crowds: from the bench to nodes one by one, and the filters that hang on the pods there. */
#include <string.h>

#include "crowd.h"

/* ---- topology keys ---------------------------------------------------------------------- */

struct keys VEC(str);

/* A few keys and values: a list does. */
static size_t key_index(struct arena *arena, struct keys *keys, str key)
{
	for (size_t i = 0; i < keys->n; i++)
		if (str_eq(keys->v[i], key))
			return i;
	*VEC_PUSH(arena, keys) = key;
	return keys->n - 1;
}

/* The domain of a node of the kind: one number per value; a host name that nobody declares is
 * another one on every node. false: the value is not known. */
static bool find_domain(const struct crowd *crowd, str key, size_t node, struct keys *values,
                        int32_t *ret_domain)
{
	const struct site *site = &crowd->bench->sites[crowd->site[crowd->kind[node]]];
	const struct group_label *label = site_label(site, key);
	bool host = str_is(key, HOSTNAME_LABEL);

	if (label->kind == LABEL_ABSENT && !host) {
		*ret_domain = -1;
		return true;
	}
	if (label->kind == LABEL_VALUES && label->values.n == 1) {
		*ret_domain = (int32_t)key_index(crowd->arena, values, label->values.v[0]);
		return true;
	}
	/* Apart from the numbers of values, of which there are no more than nodes. */
	*ret_domain = (int32_t)(CROWD_MAX_NODES + node);
	return host;
}

/* Once a crowd: domains are compared as numbers in the search. */
static bool number_domains(struct crowd *crowd, const struct keys *keys)
{
	crowd->keys = keys->n;
	crowd->domain = arena_calloc(crowd->arena, keys->n * crowd->nodes, sizeof(int32_t));
	for (size_t k = 0; k < keys->n; k++) {
		struct keys values = { 0 };

		for (size_t n = 0; n < crowd->nodes; n++)
			if (!find_domain(crowd, keys->v[k], n, &values,
			                 &crowd->domain[k * crowd->nodes + n]))
				return false;
	}
	return true;
}

/* ---- what pods demand of each other ------------------------------------------------------ */

/* nodeAffinityPolicy is Honor when absent, nodeTaintsPolicy is Ignore. */
static bool is_honored(const struct text *policy, bool by_default)
{
	return policy->s.n ? str_is(policy->s, "Honor") : by_default;
}

/* A kind of node makes a domain or none for all its nodes. */
static bool makes_domain(const struct crowd *crowd, const struct pod_profile *profile,
                         const struct spread_constraint *constraint, size_t kind)
{
	struct question question = { .arena = crowd->arena, .profile = profile,
		                     .site = &crowd->bench->sites[crowd->site[kind]],
		                     .comparison = crowd->bench->comparison };
	const struct spread_constraints *all = &profile->workload->pod->spread;

	/* Upstream counts nodes that have the keys of all constraints. */
	for (size_t i = 0; i < all->n; i++)
		if (spread_is_hard(&all->v[i]) &&
		    site_label(question.site, all->v[i].topology_key.s)->kind == LABEL_ABSENT)
			return false;
	return !(is_honored(&constraint->node_affinity_policy, true) &&
	         affinity_admits(&question) != ANSWER_YES) &&
	       !(is_honored(&constraint->node_taints_policy, false) &&
	         taints_admit(&question) != ANSWER_YES);
}

/* Records an answer; false when it is not known. */
static bool settle(enum answer answer, bool *ret_yes)
{
	*ret_yes = answer == ANSWER_YES;
	return answer != ANSWER_UNKNOWN;
}

/* Everything about a constraint that does not change while pods are placed. */
static bool add_spread(struct crowd *crowd, struct keys *keys, size_t type,
                       const struct spread_constraint *constraint)
{
	const struct workload *owner = crowd->pods[type]->workload;
	struct crowd_spread *spread = VEC_PUSH(crowd->arena, &crowd->spreads);
	bool known = settle(spread_selects(constraint, owner, owner), &spread->self);

	spread->type = type;
	spread->key = key_index(crowd->arena, keys, constraint->topology_key.s);
	spread->max_skew = constraint->max_skew.value;
	spread->min_domains = constraint->min_domains.value;
	spread->counts = arena_calloc(crowd->arena, crowd->all, sizeof(bool));
	spread->domain = arena_calloc(crowd->arena, crowd->kinds, sizeof(bool));
	for (size_t i = 0; i < crowd->all; i++)
		known = settle(spread_counts(constraint, owner, crowd->pods[i]->workload),
		               &spread->counts[i]) && known;
	for (size_t i = 0; i < crowd->kinds; i++)
		spread->domain[i] = makes_domain(crowd, crowd->pods[type], constraint, i);
	return known;
}

/* Terms of DaemonSets are taken too: they keep newcomers out. */
static bool add_anti(struct crowd *crowd, struct keys *keys, size_t owner,
                     const struct pod_affinity_term *term)
{
	struct crowd_anti *anti = VEC_PUSH(crowd->arena, &crowd->antis);
	bool known = true;

	anti->owner = owner;
	anti->key = key_index(crowd->arena, keys, term->topology_key.s);
	anti->selects = arena_calloc(crowd->arena, crowd->all, sizeof(bool));
	for (size_t i = 0; i < crowd->all; i++)
		known = settle(affinity_term_selects(term, crowd->pods[owner]->workload,
		                                     crowd->pods[i]->workload),
		               &anti->selects[i]) && known;
	return known;
}

/* All terms together select a pod or none does: one row for the type. */
static bool add_affinity(struct crowd *crowd, struct keys *keys, size_t type)
{
	const struct workload *owner = crowd->pods[type]->workload;
	const struct pod_affinity_terms *terms = &owner->pod->required_affinity;
	struct crowd_affinity *affinity = &crowd->affinities[type];
	bool known = settle(affinity_terms_select(terms, owner, owner), &affinity->self);

	affinity->keys = arena_calloc(crowd->arena, terms->n, sizeof(size_t));
	affinity->selects = arena_calloc(crowd->arena, crowd->all, sizeof(bool));
	affinity->key_count = terms->n;
	for (size_t i = 0; i < terms->n; i++)
		affinity->keys[i] = key_index(crowd->arena, keys, terms->v[i].topology_key.s);
	for (size_t i = 0; i < crowd->all; i++)
		known = settle(affinity_terms_select(terms, owner, crowd->pods[i]->workload),
		               &affinity->selects[i]) && known;
	return known;
}

/* Keys are numbered while the demands are read, and domains once all are known. */
static bool add_demands(struct crowd *crowd)
{
	struct keys keys = { 0 };
	bool known = true;

	crowd->affinities = arena_calloc(crowd->arena, crowd->types, sizeof(*crowd->affinities));
	for (size_t i = 0; i < crowd->all; i++) {
		const struct pod_template *pod = crowd->pods[i]->workload->pod;

		for (size_t k = 0; k < pod->required_anti_affinity.n; k++)
			known = add_anti(crowd, &keys, i, &pod->required_anti_affinity.v[k]) &&
			        known;
		if (i >= crowd->types)
			continue;
		for (size_t k = 0; k < pod->spread.n; k++)
			if (spread_is_hard(&pod->spread.v[k]))
				known = add_spread(crowd, &keys, i, &pod->spread.v[k]) && known;
		known = add_affinity(crowd, &keys, i) && known;
	}
	return number_domains(crowd, &keys) && known;
}

/* ---- amounts ---------------------------------------------------------------------------- */

/* Slots are number 0, whatever is asked for. */
static void list_resources(const struct crowd *crowd, struct keys *resources)
{
	key_index(crowd->arena, resources, STR("pods"));
	for (size_t i = 0; i < crowd->types; i++) {
		const struct resource_amounts *requests = &crowd->pods[i]->workload->requests.v;

		for (size_t k = 0; k < requests->n; k++)
			key_index(crowd->arena, resources, requests->v[k].resource);
	}
}

/* An amount that is a lower bound makes the crowd one that is not wholly known. */
static bool fill_requests(struct crowd *crowd, const struct keys *resources)
{
	size_t n = resources->n;

	for (size_t i = 0; i < crowd->types; i++)
		for (size_t r = 0; r < n; r++) {
			struct resource_amount amount = resources_get(
				&crowd->pods[i]->workload->requests.v, resources->v[r]);

			crowd->request[i * n + r] = r ? amount.amount : 1;
			if (amount.unknown)
				return false;
		}
	return true;
}

/* Two bounds on the allocatable would need two crowds; formulas answer those. */
static bool fill_rooms(struct crowd *crowd, const struct keys *resources)
{
	for (size_t k = 0; k < crowd->kinds; k++) {
		const struct site *site = &crowd->bench->sites[crowd->site[k]];

		for (size_t r = 0; r < resources->n; r++) {
			struct capacity_fact fact = shape_allocatable(site->group, site->shape,
			                                              resources->v[r]);
			struct resource_amount used = resources_get(&site->used, resources->v[r]);

			if (!fact.known || fact.safe != fact.optimistic || used.unknown)
				return false;
			crowd->room[k * resources->n + r] =
				int64_sub_saturated(fact.optimistic, used.amount);
		}
	}
	return true;
}

/* Tables by number: the search asks for nothing by name. */
static bool add_amounts(struct crowd *crowd)
{
	struct keys resources = { 0 };

	list_resources(crowd, &resources);
	crowd->resources = resources.n;
	crowd->request = arena_calloc(crowd->arena, crowd->types * resources.n, sizeof(int64_t));
	crowd->room = arena_calloc(crowd->arena, crowd->kinds * resources.n, sizeof(int64_t));
	return fill_requests(crowd, &resources) && fill_rooms(crowd, &resources);
}

/* Filters that look at the node alone. */
static bool add_admissions(struct crowd *crowd)
{
	static const enum filter asked[] = {
		FILTER_NODE_UNSCHEDULABLE, FILTER_NODE_NAME, FILTER_TAINT_TOLERATION,
		FILTER_NODE_AFFINITY, FILTER_NODE_PORTS, FILTER_VOLUME_ZONE,
		FILTER_POD_TOPOLOGY_SPREAD, FILTER_INTER_POD_AFFINITY,
	};

	crowd->admits = arena_calloc(crowd->arena, crowd->types * crowd->kinds, sizeof(bool));
	for (size_t t = 0; t < crowd->types; t++)
		for (size_t k = 0; k < crowd->kinds; k++) {
			struct question question = {
				.arena = crowd->arena, .profile = crowd->pods[t],
				.site = &crowd->bench->sites[crowd->site[k]],
				.comparison = crowd->bench->comparison,
			};
			enum answer worst = ANSWER_YES;

			for (size_t i = 0; i < COUNT_OF(asked); i++) {
				enum answer answer = question_ask(&question, asked[i]);

				worst = answer < worst ? answer : worst;
			}
			if (!settle(worst, &crowd->admits[t * crowd->kinds + k]))
				return false;
		}
	return true;
}

/* Also of each type with itself. */
static bool add_clashes(struct crowd *crowd)
{
	crowd->clash = arena_calloc(crowd->arena, crowd->types * crowd->types, sizeof(bool));
	for (size_t a = 0; a < crowd->types; a++)
		for (size_t b = 0; b < crowd->types; b++) {
			const struct port_use *ignored;

			if (!settle(ports_clash(&crowd->pods[a]->ports, &crowd->pods[b]->ports,
			                        &ignored),
			            &crowd->clash[a * crowd->types + b]))
				return false;
		}
	return true;
}

/* ---- nodes ------------------------------------------------------------------------------ */

/* One kind a group, and its nodes; false beyond the limits or where facts are missing. */
static bool add_nodes(struct crowd *crowd)
{
	const struct bench *bench = crowd->bench;
	size_t groups = bench->scope->groups.n;

	crowd->site = arena_calloc(crowd->arena, groups, sizeof(size_t));
	crowd->kind = arena_calloc(crowd->arena, CROWD_MAX_NODES, sizeof(uint8_t));
	for (size_t i = 0; i < groups; i++) {
		const struct group_sites *sites = &bench->groups[i];

		if (sites->count != 1 || !sites->bound_known || sites->group->limits.n ||
		    bench->sites[sites->first].maybe_count ||
		    sites->nodes_most > (int64_t)(CROWD_MAX_NODES - crowd->nodes))
			return false;
		crowd->site[crowd->kinds] = sites->first;
		for (int64_t n = 0; n < sites->nodes_most; n++)
			crowd->kind[crowd->nodes++] = (uint8_t)crowd->kinds;
		crowd->kinds++;
	}
	return true;
}

/* Types first, then every DaemonSet that runs on some node. */
static void add_pods(struct crowd *crowd, const struct crowd_item *items, size_t count)
{
	const struct workloads *workloads = &crowd->bench->scope->workloads;

	crowd->types = count;
	crowd->pods = arena_calloc(crowd->arena, count + workloads->n, sizeof(crowd->pods[0]));
	crowd->wanted = arena_calloc(crowd->arena, count, sizeof(int32_t));
	for (size_t i = 0; i < count; i++) {
		crowd->pods[i] = crowd->bench->profiles[items[i].workload->index];
		crowd->wanted[i] = (int32_t)items[i].replicas;
	}
	crowd->all = count;
	for (size_t i = 0; i < workloads->n; i++)
		if (workloads->v[i]->daemon_set)
			crowd->pods[crowd->all++] = crowd->bench->profiles[i];
}

/* Which ones run on a kind of node has been found out by the bench. */
static void add_daemons(struct crowd *crowd)
{
	crowd->daemons = arena_calloc(crowd->arena, crowd->kinds * crowd->all, sizeof(uint16_t));
	for (size_t k = 0; k < crowd->kinds; k++) {
		const struct site *site = &crowd->bench->sites[crowd->site[k]];

		for (size_t i = 0; i < site->pod_count; i++)
			for (size_t p = crowd->types; p < crowd->all; p++)
				if (crowd->pods[p] == site->pods[i])
					crowd->daemons[k * crowd->all + p]++;
	}
}

/* Checked first: nothing is built for a fleet that is no crowd. */
static bool is_small(const struct crowd_item *items, size_t count)
{
	int64_t pods = 0;

	if (!count || count > CROWD_MAX_TYPES)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (items[i].replicas > CROWD_MAX_PODS || items[i].workload->runtime_class_open)
			return false;
		pods += items[i].replicas;
	}
	return pods <= CROWD_MAX_PODS;
}

/* Any fact that is missing ends it: a search proves nothing on guesses. */
struct crowd *crowd_new(struct arena *arena, const struct bench *bench,
                        const struct crowd_item *items, size_t count)
{
	struct crowd *crowd = ARENA_NEW(arena, struct crowd);

	if (!is_small(items, count))
		return NULL;
	crowd->arena = arena;
	crowd->bench = bench;
	add_pods(crowd, items, count);
	if (!add_nodes(crowd) || !add_amounts(crowd) || !add_admissions(crowd) ||
	    !add_clashes(crowd) || !add_demands(crowd))
		return NULL;
	add_daemons(crowd);
	return crowd;
}

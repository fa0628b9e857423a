/* KL505: the expander of the cluster autoscaler and its priorities (rules.md, KL505).
 *
 * Upstream: cluster-autoscaler expander/priority. It rejects the whole configuration for one
 * fault, keeps all options then, and reads it again when the ConfigMap changes.
 */
#include "ask.h"
#include "edits.h"

/* expander/factory and cloudprovider names, up to 1.37. */
static const char *const expander_names[] = { "random", "most-pods", "least-waste", "least-nodes",
	                                      "price", "priority", "grpc" };

/* The last one wins, as with pflag. */
static const struct flag_use *flag_of(const struct autoscaler *autoscaler, const char *name)
{
	for (size_t i = autoscaler->flags.n; i-- > 0;)
		if (str_is(autoscaler->flags.v[i].name, name))
			return &autoscaler->flags.v[i];
	return NULL;
}

/* It may be one of several, used in turn. */
static bool uses_priority(const struct autoscaler *autoscaler)
{
	for (size_t i = 0; i < autoscaler->expanders.n; i++)
		if (str_is(autoscaler->expanders.v[i], "priority"))
			return true;
	return false;
}

/* expander/factory fails on a name that it does not know. */
static void check_names(const struct judge *judge, const struct autoscaler *autoscaler,
                        const struct flag_use *use)
{
	for (size_t i = 0; i < autoscaler->expanders.n; i++) {
		str name = autoscaler->expanders.v[i];
		struct finding *finding;
		bool known = false;

		for (size_t k = 0; k < COUNT_OF(expander_names); k++)
			known = known || str_is(name, expander_names[k]);
		if (known)
			continue;
		finding = emit_node(judge, LEVEL_ERROR, autoscaler->object, use->node);
		finding_message(judge->sink, finding,
		                "there is no expander %.*s: cluster-autoscaler exits at start",
		                STR_ARG(name));
		finding_help(judge->sink, finding,
		             "use random, most-pods, least-waste, least-nodes, price, priority or grpc");
	}
}

/* ---- the ConfigMap --------------------------------------------------------------------- */

/* The priorities as they were read. */
struct priorities {
	const struct judge *judge;
	const struct object *map;
	const struct node *entry;   /* data.priorities */
	bool broken;                /* the autoscaler rejects them */
};

/* A fault at a place in the embedded text. */
static struct finding *emit_inside(const struct priorities *priorities, const struct node *node)
{
	struct finding *finding = emit_node(priorities->judge, LEVEL_WARNING, priorities->map,
	                                    priorities->entry);
	struct span span = node_place(node);

	if (span.file)
		finding->span = span;
	finding->salient = node_is_scalar(node) ? node_text(node) : node->key;
	return finding;
}

/* One fault rejects the map, so groups that nothing matches are not worth naming then. */
static void say_broken(struct priorities *priorities, const struct node *node, const char *what)
{
	struct finding *finding = emit_inside(priorities, node);

	priorities->broken = true;
	finding_message(priorities->judge->sink, finding,
	                "%s: cluster-autoscaler rejects all of the priorities and chooses without "
	                "them", what);
	finding_help(priorities->judge->sink, finding,
	             "write a map of whole numbers to lists of regular expressions");
}

/* What the autoscaler may call the group: its own name, its aliases, and how clouds make names. */
static bool regex_finds_group(struct arena *arena, const struct regex *regex,
                              const struct group *group)
{
	const str names[] = {
		group->name,
		str_format(arena, "eks-%.*s-0ac5a3f2-7c1b-4b3e-9d2f-1a2b3c4d5e6f",
		           STR_ARG(group->name)),
		str_format(arena, "eksctl-cluster-nodegroup-%.*s-NodeGroup-1A2B3C4D5E6F",
		           STR_ARG(group->name)),
		str_format(arena, "aks-%.*s-12345678-vmss", STR_ARG(group->name)),
		str_format(arena, "gke-cluster-%.*s-1a2b3c4d-grp", STR_ARG(group->name)),
		str_format(arena, "MachineDeployment/%.*s/%.*s", STR_ARG(group->object_namespace),
		           STR_ARG(group->name)),
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (regex_finds(regex, names[i]))
			return true;
	for (size_t i = 0; i < group->aliases.n; i++)
		if (regex_finds(regex, group->aliases.v[i]))
			return true;
	return false;
}

/* Karpenter has no expander, and nobody adds control planes. */
static bool is_moved(const struct group *group)
{
	return !group->control_plane && !str_starts(str_of(group->format), STR("karpenter"));
}

/* RE2 reads neither look-around nor back-references; regex_new() refuses them too. */
static void check_regex(struct priorities *priorities, const struct node *item, bool *matched)
{
	const struct judge *judge = priorities->judge;
	const struct groups *groups = &judge->scope->pools.groups;
	struct arena *arena = JUDGE_ARENA(judge);
	struct strs names = { 0 };
	bool any = false;
	str error = { 0 };
	const struct regex *regex = regex_new(arena, node_text(item), &error);
	struct finding *finding;

	if (!regex) {
		say_broken(priorities, item, "this is no regular expression that RE2 reads");
		return;
	}
	for (size_t i = 0; i < groups->n; i++) {
		*VEC_PUSH(arena, &names) = groups->v[i]->name;
		if (is_moved(groups->v[i]) && regex_finds_group(arena, regex, groups->v[i]))
			any = matched[i] = true;
	}
	if (any || !groups->n)
		return;
	finding = emit_inside(priorities, item);
	finding_message(judge->sink, finding,
	                "priority %.*s: regex %.*s matches no node group; declared are %.*s",
	                STR_ARG(item->parent->key), STR_ARG(node_text(item)),
	                STR_ARG(list_text(arena, &names, 5)));
	finding_help(judge->sink, finding, "match the name of a group, or remove the regex");
}

/* Quoted whole numbers are read from cluster-autoscaler 1.35 on: not said here. */
static void check_level(struct priorities *priorities, const struct node *list, bool *matched)
{
	int64_t number;

	if (!str_to_int64(list->key, &number)) {
		say_broken(priorities, list, "the priority is no whole number");
		return;
	}
	if (!node_is_list(list)) {
		say_broken(priorities, list, "the priority has no list of regular expressions");
		return;
	}
	for (uint32_t i = 0; i < list->child_count; i++)
		check_regex(priorities, &list->children[i], matched);
}

/* Groups that no regex matches are not used while any other option matches. */
static void say_unmatched(const struct priorities *priorities, const bool *matched)
{
	const struct judge *judge = priorities->judge;
	const struct groups *groups = &judge->scope->pools.groups;

	for (size_t i = 0; i < groups->n; i++) {
		const struct group *group = groups->v[i];
		struct finding *finding;

		if (matched[i] || !is_moved(group))
			continue;
		finding = emit_group(judge, LEVEL_WARNING, group, group_name_node(group), NULL);
		finding_message(judge->sink, finding,
		                "no regex of the priority expander matches node group %.*s: it is "
		                "skipped whenever another one matches", STR_ARG(group->name));
		finding_help(judge->sink, finding, "add a priority for it, such as 1: [.*]");
		finding_relate(judge->sink, finding, node_place(priorities->entry),
		               "the priorities");
	}
}

/* An unknown group (known by name only) has a name to match all the same. */
static void check_priorities(struct priorities *priorities)
{
	const struct judge *judge = priorities->judge;
	size_t count = judge->scope->pools.groups.n;
	bool *matched = arena_calloc(JUDGE_ARENA(judge), count + 1, sizeof *matched);
	bool any = false;
	struct trees trees = { 0 };
	const struct node *root;

	tree_parse_embedded(JUDGE_ARENA(judge), priorities->map->tree, priorities->entry, &trees);
	root = trees.n ? trees.v[0]->root : NULL;
	if (!node_is_map(root)) {
		say_broken(priorities, priorities->entry, "this is no YAML map");
		return;
	}
	for (uint32_t i = 0; i < root->child_count; i++)
		check_level(priorities, &root->children[i], matched);
	for (size_t i = 0; i < count; i++)
		any = any || matched[i];
	if (any && !priorities->broken)
		say_unmatched(priorities, matched);
}

/* ---- KL505 ----------------------------------------------------------------------------- */

/* Does an autoscaler of the scope read this map? true also when none is declared. */
static bool is_read(const struct judge *judge, const struct autoscaler_map *map)
{
	const struct autoscalers *all = &judge->scope->pools.autoscalers;
	str ns = object_namespace(judge->scope, map->object);
	bool elsewhere = false;
	struct finding *finding;

	for (size_t i = 0; i < all->n; i++) {
		if (!uses_priority(all->v[i]))
			continue;
		if (!all->v[i]->namespace.n || str_eq(all->v[i]->namespace, ns))
			return true;
		elsewhere = true;
	}
	if (elsewhere) {
		finding = emit_node(judge, LEVEL_WARNING, map->object,
		                    map->object->namespace.node ? map->object->namespace.node
		                                                : map->object->name.node);
		finding_message(judge->sink, finding,
		                "the autoscaler reads this ConfigMap in another namespace, and this "
		                "one is in %.*s", STR_ARG(ns));
		finding_help(judge->sink, finding, "move it to the namespace of the autoscaler");
	}
	return all->n == 0;
}

/* Without the key the expander keeps all options and warns in an event only. */
static void check_map(const struct judge *judge, const struct autoscaler_map *map)
{
	struct priorities priorities = { .judge = judge, .map = map->object };
	const struct node *data = node_get(map->object->root, "data");
	struct finding *finding;

	priorities.entry = node_get(data, "priorities");
	if (!is_read(judge, map))
		return;
	if (priorities.entry) {
		if (!priorities.entry->unknown)
			check_priorities(&priorities);
		return;
	}
	finding = data ? emit_at(judge, LEVEL_WARNING, map->object, data, "priorities")
	               : emit_at(judge, LEVEL_WARNING, map->object, NULL, "data");
	finding_message(judge->sink, finding,
	                "the ConfigMap has no key priorities: the expander does nothing");
	finding_help(judge->sink, finding, "put the map of priorities under data.priorities");
}

/* In whatever namespace: the wrong one is said at the map. */
static bool declares_map(const struct scope *scope)
{
	for (size_t i = 0; i < scope->pools.maps.n; i++)
		if (!scope->pools.maps.v[i].status)
			return true;
	return false;
}

/* W, since a bad map is ignored; only a name that does not exist stops the program. */
void kl505_expander_misconfigured(const struct judge *judge)
{
	const struct scope *scope = judge->scope;

	for (size_t i = 0; i < scope->pools.autoscalers.n; i++) {
		const struct autoscaler *autoscaler = scope->pools.autoscalers.v[i];
		const struct flag_use *use = autoscaler->object ? flag_of(autoscaler, "expander")
		                                                : NULL;
		struct finding *finding;

		if (!use || use->node->unknown)
			continue;
		check_names(judge, autoscaler, use);
		if (!uses_priority(autoscaler) || declares_map(scope) ||
		    scope_absence_hidden(scope, autoscaler->object))
			continue;
		finding = emit_node(judge, LEVEL_WARNING, autoscaler->object, use->node);
		finding_message(judge->sink, finding,
		                "the expander is priority, and no ConfigMap "
		                "cluster-autoscaler-priority-expander is declared: it does nothing");
		finding_help(judge->sink, finding, "declare it in the namespace of the autoscaler");
	}
	for (size_t i = 0; i < scope->pools.maps.n; i++)
		if (!scope->pools.maps.v[i].status)
			check_map(judge, &scope->pools.maps.v[i]);
}

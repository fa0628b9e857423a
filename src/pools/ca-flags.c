/* The cluster-autoscaler's workload: flags, version, the groups that `--nodes` names
 * (autoscalers.md section 1). */
#include "pools-internal.h"

static const char program[] = "cluster-autoscaler";

/* By image or by command, as both are renamed by people but rarely at once. */
static bool is_autoscaler(const struct container *container)
{
	str name, tag, command = container->command.n ? container->command.v[0].s : (str){ 0 };

	image_split(container->image.s, &name, &tag);
	return str_starts(name, str_of(program)) || str_ends(command, str_of(program));
}

/* Tags of other images tell nothing of the program inside. */
static struct version version_of(const struct container *container)
{
	struct version version = { .major = -1, .minor = -1, .patch = -1 };
	str name, tag;

	image_split(container->image.s, &name, &tag);
	if (!str_starts(name, str_of(program)) ||
	    (container->image.node && container->image.node->unknown) ||
	    !version_parse(tag, &version))
		version = (struct version){ -1, -1, -1 };
	return version;
}

/* Of a flag given twice the last one wins (lists are read by whoever wants them). */
static const struct flag_use *flag_last(const struct flag_uses *flags, const char *name)
{
	for (size_t i = flags->n; i-- > 0;)
		if (str_is(flags->v[i].name, name))
			return &flags->v[i];
	return NULL;
}

/* Upstream: strconv.ParseBool. */
static bool is_false(const struct flag_use *use)
{
	static const char *const words[] = { "0", "f", "F", "false", "FALSE", "False" };

	return use && use->has_value && text_is_any(use->value, words, COUNT_OF(words));
}

/* ---- --nodes ------------------------------------------------------------------------- */

/* The name of a group as a flag gives it: of a URL the last part, of Hetzner's triple too. */
str claim_name(str name)
{
	size_t slash = str_find_last(name, '/');

	if (str_contains(name, STR("://")) && slash < name.n)
		return str_slice(name, slash + 1, name.n);
	return name;
}

void claim_add(const struct reader *reader, str name, struct bounds_claim claim)
{
	struct bounds_claim *added = VEC_PUSH(reader->arena, &reader->pools->claims);

	*added = claim;
	added->name = name;
	added->object = reader->entry->object;
	added->tree = reader->entry->tree;
}

void discovery_note(const struct reader *reader, const struct node *node)
{
	reader->context->discovery = node;
	reader->context->discovery_entry = *reader->entry;
}

static struct count_fact claimed(str text, const struct node *node)
{
	struct count_fact fact = { .origin = ORIGIN_DECLARED, .node = node };

	if (!str_to_int64(text, &fact.value))
		fact.origin = ORIGIN_UNKNOWN;
	return fact;
}

/* <min>:<max>:<name>; the name may hold colons. */
static void read_nodes_flag(const struct reader *reader, const struct flag_use *use, bool hetzner)
{
	struct bounds_claim claim = { .format = "flag", .node = use->node };
	str min, max, name, rest;

	if (!str_cut(use->value, ':', &min, &rest) || !str_cut(rest, ':', &max, &name) ||
	    !name.n) {
		if (!use->node->unknown)
			reader_fault(reader, use->node, "bounds",
			             "--nodes takes <min>:<max>:<name>, not %.*s",
			             STR_ARG(use->value));
		return;
	}
	claim.min = claimed(min, use->node);
	claim.max = claimed(max, use->node);
	if (!use->node->unknown && (!claim.min.origin || !claim.max.origin))
		reader_fault(reader, use->node, "bounds",
		             "--nodes takes whole numbers before the name, not %.*s:%.*s",
		             STR_ARG(min), STR_ARG(max));
	if (hetzner)
		name = str_slice(name, str_find_last(name, ':') + 1, name.n);
	claim_add(reader, claim_name(name), claim);
}

/* ---- settings ------------------------------------------------------------------------ */

static void read_expanders(const struct reader *reader, struct autoscaler *autoscaler)
{
	const struct flag_use *use = flag_last(&autoscaler->flags, "expander");
	str rest = use ? use->value : (str){ 0 }, piece;

	while (str_next(&rest, ',', &piece) && autoscaler->expanders.n < 100)
		*VEC_PUSH(reader->arena, &autoscaler->expanders) = str_trim(piece);
}

/* Defaults as in the autoscaler's own flag set; what cannot be read keeps them. */
static void read_settings(const struct reader *reader, struct autoscaler *autoscaler)
{
	const struct flag_uses *flags = &autoscaler->flags;
	const struct flag_use *total = flag_last(flags, "max-nodes-total");
	const struct flag_use *cutoff = flag_last(flags, "expendable-pods-priority-cutoff");
	const struct flag_use *ns = flag_last(flags, "namespace");
	int64_t value;

	autoscaler->skip_local_storage =
		!is_false(flag_last(flags, "skip-nodes-with-local-storage"));
	autoscaler->expendable_priority_cutoff = -10;
	autoscaler->namespace = ns && ns->value.n ? ns->value : STR("kube-system");
	if (ns && ns->node->unknown)
		autoscaler->namespace = (str){ 0 };
	if (cutoff && str_to_int64(cutoff->value, &value))
		autoscaler->expendable_priority_cutoff = value;
	if (total && str_to_int64(total->value, &value) && value > 0)
		autoscaler->max_nodes_total =
			(struct count_fact){ value, ORIGIN_DECLARED, total->node, NULL };
	read_expanders(reader, autoscaler);
}

/* Each container of the program is an autoscaler of its own. */
static void read_container(const struct reader *reader, const struct container *container)
{
	struct autoscaler *autoscaler = ARENA_NEW(reader->arena, struct autoscaler);
	const struct flag_use *provider;
	bool hetzner;

	autoscaler->object = reader->entry->object;
	autoscaler->container = container;
	autoscaler->version = version_of(container);
	container_flags(reader->arena, container, &autoscaler->flags);
	read_settings(reader, autoscaler);
	*VEC_PUSH(reader->arena, &reader->pools->autoscalers) = autoscaler;
	reader->pools->autoscaler_declared = true;
	provider = flag_last(&autoscaler->flags, "cloud-provider");
	hetzner = provider && str_is(provider->value, "hetzner");
	for (size_t i = 0; i < autoscaler->flags.n; i++)
		if (str_is(autoscaler->flags.v[i].name, "nodes"))
			read_nodes_flag(reader, &autoscaler->flags.v[i], hetzner);
		else if (str_is(autoscaler->flags.v[i].name, "node-group-auto-discovery"))
			discovery_note(reader, autoscaler->flags.v[i].node);
}

static bool has_pods(const struct object *object)
{
	return object->class >= OBJECT_POD && object->class <= OBJECT_CUSTOM_WORKLOAD &&
	       object->workload;
}

static void read_workload(const struct reader *reader, const struct object *object)
{
	const struct containers *containers = &object->workload->pod.containers;

	for (size_t i = 0; i < containers->n; i++)
		if (is_autoscaler(&containers->v[i]))
			read_container(reader, &containers->v[i]);
}

/* Objects are bound already: pods by their templates, ConfigMaps by name. */
void autoscaler_read_objects(struct context *context)
{
	for (size_t i = 0; i < context->objects->n; i++) {
		struct object *object = context->objects->v[i];
		const struct entry entry = { .tree = object->tree, .root = object->root,
			                     .object = object };
		struct reader reader = { .arena = context->arena, .context = context,
			                 .pools = context->pools, .entry = &entry,
			                 .format = "autoscaler" };

		if (has_pods(object))
			read_workload(&reader, object);
		else if (object->class == OBJECT_CONFIG_MAP && object->config_map)
			autoscaler_read_map(&reader, object);
	}
}

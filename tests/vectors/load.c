/* From a vector to texts, and from texts through the loader to objects and workloads. */
#include "vectors.h"

void want_text(struct vector *vector, const char *what, str got, str wanted)
{
	if (!str_eq(got, wanted))
		buf_printf(&vector->miss, " %s: %.*s, not %.*s;", what, STR_ARG(got),
		           STR_ARG(wanted));
}

void want_number(struct vector *vector, const char *what, int64_t got, int64_t wanted)
{
	if (got != wanted)
		buf_printf(&vector->miss, " %s: %lld, not %lld;", what, (long long)got,
		           (long long)wanted);
}

void want_bool(struct vector *vector, const char *what, bool got, bool wanted)
{
	if (got != wanted)
		buf_printf(&vector->miss, " %s: %s;", what, got ? "true" : "false");
}

bool expect_bool(const struct vector *vector, const char *path)
{
	bool value = false;

	return node_bool(node_at(vector->expect, path), &value) && value;
}

int64_t number_at(const struct node *node, const char *path, int64_t fallback)
{
	int64_t value;

	return node_int(node_at(node, path), &value) ? value : fallback;
}

static void add_string(struct buf *buf, str s)
{
	buf_char(buf, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '"' || c == '\\')
			buf_printf(buf, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			buf_printf(buf, "\\u%04x", c);
		else
			buf_char(buf, s.p[i]);
	}
	buf_char(buf, '"');
}

/* Depth is bounded by the tree's own limit. */
static void add_json(struct buf *buf, const struct node *node)
{
	if (node->kind == NODE_SCALAR) {
		if (node->style == STYLE_PLAIN)
			buf_add(buf, node->text);
		else
			add_string(buf, node->text);
		return;
	}
	buf_char(buf, node->kind == NODE_MAP ? '{' : '[');
	for (uint32_t i = 0; i < node->child_count; i++) {
		if (i)
			buf_char(buf, ',');
		if (node->kind == NODE_MAP) {
			add_string(buf, node->children[i].key);
			buf_char(buf, ':');
		}
		add_json(buf, &node->children[i]);
	}
	buf_char(buf, node->kind == NODE_MAP ? '}' : ']');
}

str json_text(struct arena *arena, const struct node *node)
{
	struct buf buf = { .arena = arena };

	if (node)
		add_json(&buf, node);
	return buf_str(&buf);
}

static void parse_source(struct arena *arena, const struct source *source,
                         const struct kube_options *options, struct loaded *loaded)
{
	for (size_t i = 0; i < source->document_count; i++) {
		struct tree *tree = tree_parse(arena, &source->documents[i]);

		*VEC_PUSH(arena, &loaded->trees) = tree;
		kube_bind(tree, options, &loaded->objects);
	}
}

void load_texts(struct arena *arena, const str *texts, size_t count, const struct strs *gates,
                struct loaded *ret_loaded)
{
	struct settings *settings = ARENA_NEW(arena, struct settings);
	struct kube_options options = { .target = { 1, 36, -1 }, .feature_gates = gates };
	struct scopes scopes = { 0 };

	*ret_loaded = (struct loaded){ 0 };
	for (size_t i = 0; i < count; i++) {
		str name = str_format(arena, "manifest-%zu.yaml", i);
		const struct source *source;

		if (i == 0)
			ret_loaded->set = source_from_text(arena, name, texts[i]);
		source = i ? source_add_text(ret_loaded->set, name, texts[i])
		           : source_of(ret_loaded->set, 1);
		parse_source(arena, source, &options, ret_loaded);
	}
	settings_default(settings);
	settings->kubernetes = options.target;
	if (gates)
		settings->feature_gates = *gates;
	model_build(arena, ret_loaded->set, settings, &ret_loaded->trees, &ret_loaded->objects,
	            &scopes);
	ret_loaded->scope = scopes.n ? scopes.v[0] : NULL;
}

void load_manifest(struct vector *vector, const struct node *manifest, const struct strs *gates,
                   struct loaded *ret_loaded)
{
	str text = json_text(vector->arena, manifest);

	load_texts(vector->arena, &text, 1, gates, ret_loaded);
}

static bool is_valid(const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->trees.n; i++) {
		const struct faults *faults = &loaded->trees.v[i]->faults;

		for (size_t k = 0; k < faults->n; k++)
			switch (faults->v[k].kind) {
			case FAULT_INVALID:
			case FAULT_UNDECODABLE:
			case FAULT_STRING_WANTED:
			case FAULT_NOT_SERVED:
				return false;
			default:
				break;
			}
	}
	return true;
}

void want_valid(struct vector *vector, const struct loaded *loaded)
{
	if (!vector->matching_only)
		want_bool(vector, "apiValid", is_valid(loaded), expect_bool(vector, "apiValid"));
}

const struct workload *first_workload(struct vector *vector, const struct loaded *loaded)
{
	if (loaded->scope && loaded->scope->workloads.n)
		return loaded->scope->workloads.v[0];
	buf_printf(&vector->miss, " no workload;");
	return NULL;
}

static void add_label(struct arena *arena, struct group *group, str key, str value)
{
	struct group_label *label = VEC_PUSH(arena, &group->labels);

	*label = (struct group_label){ .key = key, .kind = LABEL_VALUES,
		                       .origin = ORIGIN_DECLARED };
	*VEC_PUSH(arena, &label->values) = value;
}

static void add_allocatable(struct arena *arena, struct node_shape *shape,
                            const struct node *entry)
{
	struct capacity_fact *fact = VEC_PUSH(arena, &shape->allocatable);
	struct quantity quantity;

	*fact = (struct capacity_fact){ .resource = entry->key, .known = true,
		                        .origin = ORIGIN_DECLARED };
	quantity_parse(node_json_text(arena, entry), &quantity);
	if (str_is(entry->key, "cpu"))
		quantity_milli_ceil(&quantity, &fact->safe);
	else
		quantity_value_ceil(&quantity, &fact->safe);
	fact->optimistic = fact->safe;
}

static void read_shape(struct arena *arena, const struct node *node, struct group *group)
{
	const struct node *allocatable = node_get(node, "allocatable");
	struct node_shape *shape = VEC_PUSH(arena, &group->shapes);
	bool slots = false;

	shape->allocatable_complete = true;
	for (uint32_t i = 0; allocatable && i < allocatable->child_count; i++) {
		add_allocatable(arena, shape, &allocatable->children[i]);
		slots = slots || str_is(allocatable->children[i].key, "pods");
	}
	if (!slots)
		*VEC_PUSH(arena, &shape->allocatable) =
			(struct capacity_fact){ .resource = STR("pods"), .known = true,
				                .safe = 110, .optimistic = 110,
				                .origin = ORIGIN_DECLARED };
}

struct group *read_group(struct arena *arena, const struct node *node, str node_name)
{
	struct group *group = ARENA_NEW(arena, struct group);
	const struct node *labels = node_get(node, "labels"), *taints = node_get(node, "taints");
	bool host = false;

	group->name = node_text(node_get(node, "name"));
	group->format = "vector";
	group->labels_complete = group->taints_known = true;
	for (uint32_t i = 0; labels && i < labels->child_count; i++) {
		add_label(arena, group, labels->children[i].key, node_text(&labels->children[i]));
		host = host || str_is(labels->children[i].key, "kubernetes.io/hostname");
	}
	if (!host && node_name.n)
		add_label(arena, group, STR("kubernetes.io/hostname"), node_name);
	for (uint32_t i = 0; taints && i < taints->child_count; i++)
		*VEC_PUSH(arena, &group->taints) = (struct taint){
			.key = node_text(node_get(&taints->children[i], "key")),
			.value = node_text(node_get(&taints->children[i], "value")),
			.effect = node_text(node_get(&taints->children[i], "effect")),
		};
	group->min = (struct count_fact){ .value = number_at(node, "minSize", 0),
		                          .origin = ORIGIN_DECLARED };
	group->max = (struct count_fact){ .value = number_at(node, "maxSize", 0),
		                          .origin = ORIGIN_DECLARED };
	read_shape(arena, node, group);
	return group;
}

/* ---- closing a group's labels ------------------------------------------------------------ */

static void deny(struct arena *arena, struct group *group, str key, bool host_too)
{
	if (str_is(key, "kubernetes.io/hostname") && !host_too)
		return;
	for (size_t i = 0; i < group->labels.n; i++)
		if (str_eq(group->labels.v[i].key, key))
			return;
	*VEC_PUSH(arena, &group->labels) = (struct group_label){
		.key = key, .kind = LABEL_ABSENT, .origin = ORIGIN_DECLARED };
}

static void deny_expressions(struct arena *arena, struct group *group,
                             const struct requirements *expressions, bool host_too)
{
	for (size_t i = 0; i < expressions->n; i++)
		deny(arena, group, expressions->v[i].key, host_too);
}

static void deny_topologies(struct arena *arena, struct group *group,
                            const struct pod_affinity_terms *terms, bool host_too)
{
	for (size_t i = 0; i < terms->n; i++)
		deny(arena, group, terms->v[i].topology_key.s, host_too);
}

void close_labels(struct arena *arena, struct group *group, const struct workloads *workloads,
                  bool host_too)
{
	for (size_t w = 0; w < workloads->n; w++) {
		const struct pod_template *pod = workloads->v[w]->pod;

		for (size_t i = 0; i < pod->node_selector.n; i++)
			deny(arena, group, pod->node_selector.v[i].key, host_too);
		for (size_t i = 0; i < pod->required_node_terms.n; i++)
			deny_expressions(arena, group,
			                 &pod->required_node_terms.v[i].match_expressions,
			                 host_too);
		for (size_t i = 0; i < pod->preferred_node_terms.n; i++)
			deny_expressions(arena, group,
			                 &pod->preferred_node_terms.v[i].term.match_expressions,
			                 host_too);
		for (size_t i = 0; i < pod->spread.n; i++)
			deny(arena, group, pod->spread.v[i].topology_key.s, host_too);
		deny_topologies(arena, group, &pod->required_affinity, host_too);
		deny_topologies(arena, group, &pod->required_anti_affinity, host_too);
	}
}

/* KL006, KL008, KL009, KL011: whole objects, quantities and names that time has overtaken
 * (rules.md, KL0). */
#include "ask.h"
#include "rules-internal.h"

/* ---- KL006 ------------------------------------------------------------------------------ */

/* Supported clusters serve at most this many minors besides the newest. */
#define SUPPORTED_SPAN 4

/* Moves that change nothing but the apiVersion: the fields are the same. Source: the types of
 * k8s.io/api v0.22 to v0.25, compared. */
struct move {
	const char *kind, *from, *to;
};
static const struct move moves[] = {
	{ "HorizontalPodAutoscaler", "autoscaling/v2beta2", "autoscaling/v2" },
	{ "CronJob", "batch/v1beta1", "batch/v1" },
	{ "PriorityClass", "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1" },
	{ "RuntimeClass", "node.k8s.io/v1beta1", "node.k8s.io/v1" },
	{ "StorageClass", "storage.k8s.io/v1beta1", "storage.k8s.io/v1" },
	{ "APIService", "apiregistration.k8s.io/v1beta1", "apiregistration.k8s.io/v1" },
	{ "Role", "rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1" },
	{ "ClusterRole", "rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1" },
	{ "RoleBinding", "rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1" },
	{ "ClusterRoleBinding", "rbac.authorization.k8s.io/v1beta1",
	  "rbac.authorization.k8s.io/v1" },
	{ "Lease", "coordination.k8s.io/v1beta1", "coordination.k8s.io/v1" },
};

static const struct move *move_of(const struct object *object)
{
	for (size_t i = 0; i < COUNT_OF(moves); i++)
		if (str_is(object->kind, moves[i].kind) &&
		    str_is(object->api_version, moves[i].from))
			return &moves[i];
	return NULL;
}

/* Is the kind still served, as far as this run can tell? false: nothing to say. */
static bool judge_life(const struct settings *settings, const struct api_life *life,
                       enum level *ret_level)
{
	struct version target = settings->kubernetes.major > 0 ? settings->kubernetes
	                                                       : kube_newest();
	bool gone = life->removed.major > 0 && version_cmp(target, life->removed) >= 0;

	*ret_level = LEVEL_NOTE;
	if (gone && settings->kubernetes_declared)
		*ret_level = LEVEL_ERROR;
	else if (gone)
		*ret_level = kube_newest().minor - life->removed.minor >= SUPPORTED_SPAN
		                     ? LEVEL_ERROR : LEVEL_WARNING;
	return gone || (life->deprecated.major > 0 && version_cmp(target, life->deprecated) >= 0);
}

static void say_life(const struct judge *judge, const struct object *object,
                     const struct api_life *life, enum level level)
{
	const struct node *place = node_get(object->root, "apiVersion");
	struct finding *finding = emit_at(judge, level, object, place, NULL);
	bool gone = level != LEVEL_NOTE;
	struct version since = gone ? life->removed : life->deprecated;
	const struct move *move = move_of(object);

	finding_message(judge->sink, finding, "%.*s %.*s is %s since Kubernetes %d.%d",
	                STR_ARG(object->api_version), STR_ARG(object->kind),
	                gone ? "not served any more" : "deprecated", since.major, since.minor);
	if (life->new_api_version.n == 0)
		return;
	finding_help(judge->sink, finding, "use %.*s %.*s%s", STR_ARG(life->new_api_version),
	             STR_ARG(life->new_kind.n > 0 ? life->new_kind : object->kind),
	             move ? ", whose fields are the same" : "; compare its fields");
	if (move)
		emit_fix(judge, finding, true, place, str_of(move->to), "use the served version");
}

static void say_never_served(const struct judge *judge, const struct tree *tree)
{
	for (size_t i = 0; i < tree->faults.n; i++)
		if (tree->faults.v[i].kind == FAULT_NOT_SERVED)
			finding_message(judge->sink,
			                emit_fault(judge, LEVEL_ERROR, tree, &tree->faults.v[i]),
			                "%.*s", STR_ARG(tree->faults.v[i].a));
}

/* The table was checked against the discovery documents of four Kubernetes versions. Without a
 * declared target version the newest known is assumed; only a removal that no supported cluster
 * escapes is then an error. */
void kl006_removed_api_version(const struct judge *judge)
{
	const struct scope *scope = judge->scope;

	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];
		struct api_life life;
		enum level level;

		if (kube_api_life(object->api_version, object->kind, &life) &&
		    judge_life(scope->settings, &life, &level))
			say_life(judge, object, &life, level);
	}
	for (size_t i = 0; i < scope->trees.n; i++)
		say_never_served(judge, scope->trees.v[i]);
}

/* ---- KL008 ------------------------------------------------------------------------------ */

/* Bounded by the depth that tree allows. */
static bool nodes_equal(const struct node *a, const struct node *b)
{
	if (a->kind != b->kind || a->child_count != b->child_count || a->type != b->type)
		return false;
	if (a->kind == NODE_SCALAR)
		return str_eq(a->text, b->text);
	for (uint32_t i = 0; i < a->child_count; i++)
		if (!str_eq(a->children[i].key, b->children[i].key) ||
		    !nodes_equal(&a->children[i], &b->children[i]))
			return false;
	return true;
}

/* Folder and identity: in different folders they are variants of each other. */
static str identity_of(struct arena *arena, const struct scope *scope,
                       const struct object *object)
{
	str folder = source_folder(object->tree->source->path);
	str namespace = object_namespace(scope, object);

	return str_format(arena, "%.*s\n%.*s\n%.*s\n%.*s\n%.*s", STR_ARG(folder),
	                  STR_ARG(object->group), STR_ARG(object->kind), STR_ARG(namespace),
	                  STR_ARG(object->name.s));
}

static void say_duplicate_object(const struct judge *judge, const struct object *first,
                                 const struct object *second)
{
	bool equal = nodes_equal(first->root, second->root);
	struct finding *finding = emit_at(judge, equal ? LEVEL_NOTE : LEVEL_WARNING, second,
	                                  second->name.node, NULL);

	finding_message(judge->sink, finding, "%.*s %.*s is declared twice in this folder%s",
	                STR_ARG(second->kind), STR_ARG(second->name.s),
	                equal ? ", each time alike" : ", and the two differ: the last one wins");
	finding_relate(judge->sink, finding, node_place(first->name.node), "declared here first");
	finding_help(judge->sink, finding, "remove one of them, or give it another name");
}

/* Files of tools that look like objects and are none: two of one name are two inputs. */
static bool is_tool_file(const struct object *object)
{
	static const char *const groups[] = { "kind.x-k8s.io", "k3d.io", "eksctl.io",
		                              "kubeadm.k8s.io", "kustomize.config.k8s.io",
		                              "kubelint.dev" };

	for (size_t i = 0; i < COUNT_OF(groups); i++)
		if (str_is(object->group, groups[i]))
			return true;
	return false;
}

/* Folders that declare the same object are variants of each other (model), hence the folder is
 * part of the identity. An object whose name or namespace is a template has no identity. */
void kl008_duplicate_object(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	struct map *seen = map_new(scratch);

	for (size_t i = 0; i < judge->scope->objects.n; i++) {
		struct object *object = judge->scope->objects.v[i];
		if (!node_known(object->name.node) || object->name.s.n == 0 || is_tool_file(object) ||
		    (object->namespace.node && object->namespace.node->unknown))
			continue;
		str identity = identity_of(scratch, judge->scope, object);
		const struct object *first = map_get(seen, identity);
		if (first)
			say_duplicate_object(judge, first, object);
		else
			map_put(seen, identity, object);
	}
	arena_free(scratch);
}

/* ---- KL009 ------------------------------------------------------------------------------ */

#define MEBIBYTE (INT64_C(1) << 20)
#define MANY_CORES 256 /* cpu; more than nearly all nodes have */

/* The largest cpu, in thousandths, that a declared node offers; 0 without one. */
static int64_t largest_node_cpu(const struct scope *scope)
{
	int64_t most = 0;

	for (size_t i = 0; i < scope->groups.n; i++) {
		const struct group *group = scope->groups.v[i];
		for (size_t k = 0; k < group->shapes.n; k++) {
			struct capacity_fact fact =
				shape_allocatable(group, &group->shapes.v[k], STR("cpu"));
			most = fact.known && fact.optimistic > most ? fact.optimistic : most;
		}
	}
	return most;
}

static bool is_bytes(str resource)
{
	return str_is(resource, "memory") || str_is(resource, "ephemeral-storage") ||
	       str_is(resource, "storage");
}

static void say_quantity(const struct judge *judge, const struct object *object,
                         const struct amount *amount, const char *problem, const char *suffix)
{
	struct arena *arena = JUDGE_ARENA(judge);
	struct finding *finding = emit_at(judge, LEVEL_WARNING, object, amount->node, NULL);
	str text = node_text(amount->node), digits = text;

	while (digits.n > 0 && (digits.p[digits.n - 1] < '0' || digits.p[digits.n - 1] > '9'))
		digits.n--;
	str meant = str_format(arena, "%.*s%s", STR_ARG(digits), suffix);
	finding_message(judge->sink, finding, "%.*s of %.*s %s", STR_ARG(text),
	                STR_ARG(amount->resource), problem);
	finding_help(judge->sink, finding, "did you mean %.*s?", STR_ARG(meant));
	emit_fix(judge, finding, false, amount->node, meant, "use the unit that is meant");
}

/* The rule's question, and the answer that all amounts need. */
struct weigher {
	const struct judge *judge;
	int64_t largest_cpu;
};

static void check_amount(const struct weigher *weigher, const struct object *object,
                         const struct amount *amount)
{
	const struct judge *judge = weigher->judge;
	int64_t value = 0;

	if (!amount->valid || !node_known(amount->node) || quantity_sign(&amount->quantity) <= 0 ||
	    !node_is_of(amount->node, object))
		return;
	if (is_bytes(amount->resource)) {
		quantity_value_ceil(&amount->quantity, &value);
		if (amount->quantity.format_milli)
			say_quantity(judge, object, amount, "is in thousandths of a byte", "Mi");
		else if (value < MEBIBYTE)
			say_quantity(judge, object, amount, "is less than one mebibyte", "Mi");
	} else if (str_is(amount->resource, "cpu")) {
		quantity_milli_ceil(&amount->quantity, &value);
		if (value >= INT64_C(1000) * MANY_CORES && !amount->quantity.format_milli &&
		    value > weigher->largest_cpu)
			say_quantity(judge, object, amount,
			             "is that many cores, which no declared node has", "m");
	}
}

static void check_amounts(const struct weigher *weigher, const struct object *object,
                          const struct amounts *amounts)
{
	for (size_t i = 0; i < amounts->n; i++)
		check_amount(weigher, object, &amounts->v[i]);
}

/* `M` on one side and `Mi` on the other: five per cent apart, seldom meant. */
static bool units_mixed(const struct amount *request, const struct amount *limit)
{
	str a = node_text(request->node), b = node_text(limit->node);
	bool decimal_a = str_ends(a, STR("M")) || str_ends(a, STR("G"));
	bool decimal_b = str_ends(b, STR("M")) || str_ends(b, STR("G"));
	bool binary_a = str_ends(a, STR("Mi")) || str_ends(a, STR("Gi"));
	bool binary_b = str_ends(b, STR("Mi")) || str_ends(b, STR("Gi"));

	return (decimal_a && binary_b) || (binary_a && decimal_b);
}

static void check_units(const struct judge *judge, const struct object *object,
                        const struct container *container)
{
	const struct amount *request = amounts_find(&container->requests, STR("memory"));
	const struct amount *limit = amounts_find(&container->limits, STR("memory"));

	if (!request || !limit || !node_known(request->node) || !node_known(limit->node) ||
	    !units_mixed(request, limit))
		return;
	struct finding *finding = emit_at(judge, LEVEL_NOTE, object, limit->node, NULL);
	finding_message(judge->sink, finding,
	                "the limit %.*s and the request %.*s use different units (M is 1000000, Mi "
	                "is 1048576)", STR_ARG(node_text(limit->node)),
	                STR_ARG(node_text(request->node)));
	finding_help(judge->sink, finding, "use one unit for both");
}

static void check_containers(const struct weigher *weigher, const struct object *object,
                             const struct containers *containers)
{
	for (size_t i = 0; i < containers->n; i++) {
		check_amounts(weigher, object, &containers->v[i].requests);
		check_amounts(weigher, object, &containers->v[i].limits);
		check_units(weigher->judge, object, &containers->v[i]);
	}
}

static void check_pod(const struct weigher *weigher, const struct workload *workload)
{
	const struct pod_template *pod = workload->pod;

	check_containers(weigher, workload->object, &pod->init_containers);
	check_containers(weigher, workload->object, &pod->containers);
	check_amounts(weigher, workload->object, &pod->requests);
	check_amounts(weigher, workload->object, &pod->limits);
	for (size_t i = 0; i < pod->volumes.n; i++) {
		struct amount limit = pod->volumes.v[i].size_limit;
		limit.resource = STR("storage");
		check_amount(weigher, workload->object, &limit);
	}
}

/* Quantities of an HPA's targets are amounts of the metric's resource. */
static void check_targets(const struct weigher *weigher, const struct scaler *scaler)
{
	for (size_t i = 0; scaler->hpa && i < scaler->hpa->metrics.n; i++) {
		const struct hpa_metric *metric = &scaler->hpa->metrics.v[i];
		struct amount value = metric->value;
		if (metric->kind != METRIC_RESOURCE && metric->kind != METRIC_CONTAINER_RESOURCE)
			continue;
		value.resource = metric->name.s;
		check_amount(weigher, scaler->object, &value);
	}
}

/* Valid to the API, so a warning at most; values of 0 say "nothing" on purpose. The largest
 * declared node bounds what a count of cores can mean. */
void kl009_suspicious_quantity(const struct judge *judge)
{
	const struct weigher weigher = { judge, largest_node_cpu(judge->scope) };

	for (size_t i = 0; i < judge->scope->workloads.n; i++)
		check_pod(&weigher, judge->scope->workloads.v[i]);
	for (size_t i = 0; i < judge->scope->scalers.n; i++)
		check_targets(&weigher, judge->scope->scalers.v[i]);
}

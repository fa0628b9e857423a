/* KL012: objects that refer to one that nothing declares (rules.md, KL0). */
#include "rules-internal.h"

/* What is looked up for every workload. */
struct known {
	struct map *handlers;         /* handler -> the RuntimeClass (a struct object) */
	struct map *claim_namespaces; /* namespaces that declare a PersistentVolumeClaim */
};

/* A reference by name from one object to another of the cluster. */
struct reference {
	enum object_class class;
	const char *kind;
	const struct object *from;
	const struct node *node; /* the name */
	str namespace, name;     /* namespace empty: cluster-scoped */
	enum level level;        /* when absence is no proof */
};

static void say_unresolved(const struct judge *judge, const struct reference *reference)
{
	const struct scope *scope = judge->scope;
	str nearest = scope_nearest_name(scope, reference->class, reference->namespace,
	                                 reference->name);
	bool proof = scope->settings->complete && !scope->incomplete;
	struct finding *finding = emit_at(judge, proof ? LEVEL_ERROR : reference->level,
	                                  reference->from, reference->node, NULL);

	finding_message(judge->sink, finding, "%s %.*s is not declared%s%.*s", reference->kind,
	                STR_ARG(reference->name),
	                reference->namespace.n > 0 ? " in namespace " : " in these files",
	                STR_ARG(reference->namespace));
	const struct object *near = nearest.n > 0 ? scope_find(scope, reference->class,
	                                                       reference->namespace, nearest)
	                                          : NULL;
	if (!near) {
		finding_help(judge->sink, finding, "declare it, unless the cluster has it already");
		return;
	}
	finding_help(judge->sink, finding, "did you mean %.*s?", STR_ARG(nearest));
	finding_relate(judge->sink, finding, node_place(near->name.node),
	               "%s %.*s is declared here", reference->kind, STR_ARG(nearest));
}

static void check_reference(const struct judge *judge, const struct reference *reference)
{
	if (!node_known(reference->node) || reference->name.n == 0 ||
	    !node_is_of(reference->node, reference->from) ||
	    scope_find(judge->scope, reference->class, reference->namespace, reference->name) ||
	    scope_absence_hidden(judge->scope, reference->from))
		return;
	say_unresolved(judge, reference);
}

/* Priority classes that every cluster has begin like this. */
static void check_priority_class(const struct judge *judge, const struct workload *workload)
{
	const struct text *name = &workload->pod->priority_class;

	if (str_is(name->s, "system-cluster-critical") || str_is(name->s, "system-node-critical"))
		return;
	check_reference(judge, &(struct reference){
		.class = OBJECT_PRIORITY_CLASS, .kind = "PriorityClass", .from = workload->object,
		.node = name->node, .name = name->s, .level = LEVEL_WARNING });
}

/* A handler's name in place of the class's is a mistake for certain. */
static void check_runtime_class(const struct judge *judge, const struct known *known,
                                const struct workload *workload)
{
	const struct text *name = &workload->pod->runtime_class;
	const struct object *meant;

	if (!node_known(name->node) || name->s.n == 0 || workload->runtime_class)
		return;
	meant = map_get(known->handlers, name->s);
	if (!meant) {
		check_reference(judge, &(struct reference){
			.class = OBJECT_RUNTIME_CLASS, .kind = "RuntimeClass",
			.from = workload->object, .node = name->node, .name = name->s, .level = LEVEL_WARNING });
		return;
	}
	struct finding *finding =
		emit_at(judge, LEVEL_ERROR, workload->object, name->node, NULL);
	finding_message(judge->sink, finding,
	                "%.*s is the handler of RuntimeClass %.*s, not the name of a RuntimeClass",
	                STR_ARG(name->s), STR_ARG(meant->name.s));
	finding_help(judge->sink, finding, "use runtimeClassName: %.*s", STR_ARG(meant->name.s));
	finding_relate(judge->sink, finding, node_place(meant->name.node),
	               "RuntimeClass %.*s is declared here", STR_ARG(meant->name.s));
}

static void check_claims(const struct judge *judge, const struct known *known,
                         const struct workload *workload)
{
	const struct volumes *volumes = &workload->pod->volumes;
	bool local = map_has(known->claim_namespaces, workload->namespace);

	for (size_t i = 0; i < volumes->n; i++) {
		const struct text *name = &volumes->v[i].claim_name;
		if (!name->node)
			continue;
		check_reference(judge, &(struct reference){
			.class = OBJECT_PVC, .kind = "PersistentVolumeClaim",
			.from = workload->object, .node = name->node, .name = name->s,
			.namespace = workload->namespace,
			.level = local ? LEVEL_WARNING : LEVEL_NOTE });
	}
}

/* The names of ConfigMaps and StorageClasses are only known to be all with `complete`. */
static void check_complete(const struct judge *judge, const struct workload *workload)
{
	const struct volumes *volumes = &workload->pod->volumes;

	for (size_t i = 0; i < volumes->n; i++) {
		const struct node *name = node_get(volumes->v[i].config_map, "name");
		bool optional = false;
		node_bool(node_get(volumes->v[i].config_map, "optional"), &optional);
		if (name && !optional)
			check_reference(judge, &(struct reference){
				.class = OBJECT_CONFIG_MAP, .kind = "ConfigMap",
				.from = workload->object, .node = name, .name = node_text(name),
				.namespace = workload->namespace, .level = LEVEL_NOTE });
	}
}

static void check_storage_classes(const struct judge *judge)
{
	for (size_t i = 0; i < judge->scope->objects.n; i++) {
		const struct object *object = judge->scope->objects.v[i];
		if (object->class != OBJECT_PVC || !object->claim)
			continue;
		check_reference(judge, &(struct reference){
			.class = OBJECT_STORAGE_CLASS, .kind = "StorageClass", .from = object,
			.node = object->claim->storage_class.node,
			.name = object->claim->storage_class.s, .level = LEVEL_NOTE });
	}
}

static void learn(struct arena *arena, const struct scope *scope, struct known *ret_known)
{
	ret_known->handlers = map_new(arena);
	ret_known->claim_namespaces = map_new(arena);
	for (size_t i = 0; i < scope->objects.n; i++) {
		struct object *object = scope->objects.v[i];
		if (object->class == OBJECT_RUNTIME_CLASS && object->runtime_class)
			map_put(ret_known->handlers, object->runtime_class->handler.s, object);
		if (object->class == OBJECT_PVC)
			map_put(ret_known->claim_namespaces, object_namespace(scope, object),
			        object);
	}
}

/* Absence proves something only with `complete`; the exception is a name that is a declared
 * class's handler. Beside an unreadable file nothing is absent. */
void kl012_unresolved_reference(const struct judge *judge)
{
	struct arena *scratch = arena_new();
	struct known known;

	learn(scratch, judge->scope, &known);
	for (size_t i = 0; i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		check_priority_class(judge, workload);
		check_runtime_class(judge, &known, workload);
		check_claims(judge, &known, workload);
		if (judge->scope->settings->complete)
			check_complete(judge, workload);
	}
	if (judge->scope->settings->complete)
		check_storage_classes(judge);
	arena_free(scratch);
}

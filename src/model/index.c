/* Finding objects by class, namespace and name. */
#include "model-internal.h"

str model_key(struct arena *arena, str first, str second, str third)
{
	struct buf buf = { .arena = arena };

	buf_add(&buf, first);
	buf_char(&buf, '\n');
	buf_add(&buf, second);
	buf_char(&buf, '\n');
	buf_add(&buf, third);
	return buf_str(&buf);
}

static bool class_is_cluster_scoped(enum object_class class)
{
	switch (class) {
	case OBJECT_RUNTIME_CLASS:
	case OBJECT_PRIORITY_CLASS:
	case OBJECT_API_SERVICE:
	case OBJECT_NAMESPACE:
	case OBJECT_PV:
	case OBJECT_STORAGE_CLASS:
		return true;
	default:
		return false;
	}
}

str object_namespace(const struct scope *scope, const struct object *object)
{
	const str *given = map_get(scope->index->namespaces, object->tree->source->path);

	if (object->cluster_scoped || class_is_cluster_scoped(object->class))
		return (str){ 0 };
	if (given)
		return *given;
	if (object->namespace.s.n)
		return object->namespace.s;
	given = map_get(scope->index->fallbacks, object->tree->source->path);
	return given ? *given : STR("default");
}

const struct object *scope_find(const struct scope *scope, enum object_class class, str ns,
                                str name)
{
	char letter = (char)('A' + class);
	struct arena *arena = arena_new();
	str where = class_is_cluster_scoped(class) ? (str){ 0 } : ns;
	const struct object *found = map_get(scope->index->objects,
	                                     model_key(arena, (str){ &letter, 1 }, where, name));

	arena_free(arena);
	return found;
}

str scope_nearest_name(const struct scope *scope, enum object_class class, str ns, str name)
{
	struct arena *arena = arena_new();
	struct strs names = { 0 };
	size_t at;
	str nearest;

	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];

		if (object->class == class &&
		    (class_is_cluster_scoped(class) || str_eq(object_namespace(scope, object), ns)))
			*VEC_PUSH(arena, &names) = object->name.s;
	}
	at = str_nearest(name, names.v, names.n);
	nearest = at < names.n ? names.v[at] : (str){ 0 };
	arena_free(arena);
	return nearest;
}

bool scope_absence_hidden(const struct scope *scope, const struct object *object)
{
	return map_get(scope->index->hidden, source_folder(object->tree->source->path)) != NULL;
}

const struct limit_range *scope_limit_range(const struct scope *scope, str ns)
{
	return map_get(scope->index->limit_ranges, ns);
}

/* Which workload names another one's Service as a host (rules.md, KL601 calls). */
#include "model-internal.h"

/* One string that may hold host names. */
struct place {
	const struct workload *caller;
	str text;
	str env_name;
	const struct node *node;
};

static bool is_host_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       c == '-' || c == '.' || c == '_';
}

/* Environment names whose whole value is a host. */
static bool env_holds_host(str name)
{
	static const char *const endings[] = { "HOST", "ADDR", "ADDRESS", "URL", "ENDPOINT",
		                               "SERVER" };

	for (size_t i = 0; i < COUNT_OF(endings); i++)
		if (str_ends(name, str_of(endings[i])))
			return true;
	return false;
}

static bool pods_match(const struct object *service, const struct workload *workload)
{
	const struct pairs *selector = &service->service->selector;

	for (size_t i = 0; i < selector->n; i++) {
		const struct pair *label = pairs_find(&workload->pod->labels,
		                                      selector->v[i].key);

		if (!label || !str_eq(label->value, selector->v[i].value))
			return false;
	}
	return selector->n > 0;
}

static void add_call(struct scope *scope, const struct place *place, const struct object *service)
{
	str ns = object_namespace(scope, service);

	for (size_t i = 0; i < scope->workloads.n; i++) {
		const struct workload *callee = scope->workloads.v[i];

		if (callee == place->caller || !str_eq(callee->namespace, ns) ||
		    !pods_match(service, callee))
			continue;
		*VEC_PUSH(scope->arena, &scope->calls) = (struct call){
			.caller = place->caller,
			.callee = callee,
			.service = service,
			.node = place->node,
			.env_name = place->env_name,
		};
	}
}

/* NAME.NAMESPACE or NAME.NAMESPACE.svc…: the Service that a dotted host means. */
static const struct object *dotted_service(const struct scope *scope, str host)
{
	str name, rest, ns, tail;

	str_cut(host, '.', &name, &rest);
	if (str_cut(rest, '.', &ns, &tail) && !str_is(tail, "svc") && !str_starts(tail, STR("svc.")))
		return NULL;
	return scope_find(scope, OBJECT_SERVICE, ns, name);
}

/* A bare NAME counts behind `//`, before `:port`, or as the whole value of a host variable. */
static bool bare_name_is_host(const struct place *place, size_t begin, size_t end)
{
	str text = place->text;
	bool scheme = begin >= 2 && text.p[begin - 1] == '/' && text.p[begin - 2] == '/';
	bool port = end + 1 < text.n && text.p[end] == ':' && text.p[end + 1] >= '0' &&
	            text.p[end + 1] <= '9';

	return scheme || port || (begin == 0 && end == text.n && env_holds_host(place->env_name));
}

static void read_host(struct scope *scope, const struct place *place, size_t begin, size_t end)
{
	str host = str_slice(place->text, begin, end);
	const struct object *service = NULL;

	while (host.n && host.p[host.n - 1] == '.')
		host.n--;
	if (str_find(host, '.') < host.n)
		service = dotted_service(scope, host);
	else if (bare_name_is_host(place, begin, end))
		service = scope_find(scope, OBJECT_SERVICE, place->caller->namespace, host);
	if (service && service->service)
		add_call(scope, place, service);
}

static void read_place(struct scope *scope, const struct place *place)
{
	str text = place->text;

	for (size_t i = 0; i < text.n;) {
		size_t end = i;

		while (end < text.n && is_host_char(text.p[end]))
			end++;
		if (end > i && end - i <= 253)
			read_host(scope, place, i, end);
		i = end > i ? end : i + 1;
	}
}

static void read_texts(struct scope *scope, const struct workload *workload,
                       const struct texts *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		read_place(scope, &(struct place){ .caller = workload,
		                                   .text = texts->v[i].s,
		                                   .node = texts->v[i].node });
}

static void read_containers(struct scope *scope, const struct workload *workload,
                            const struct containers *containers)
{
	for (size_t i = 0; i < containers->n; i++) {
		const struct container *container = &containers->v[i];

		read_texts(scope, workload, &container->command);
		read_texts(scope, workload, &container->args);
		for (size_t j = 0; j < container->env.n; j++) {
			const struct env_var *var = &container->env.v[j];

			read_place(scope, &(struct place){ .caller = workload,
			                                   .text = var->value.s,
			                                   .env_name = var->name.s,
			                                   .node = var->value.node });
		}
	}
}

static bool declares_service(const struct scope *scope)
{
	for (size_t i = 0; i < scope->objects.n; i++)
		if (scope->objects.v[i]->class == OBJECT_SERVICE)
			return true;
	return false;
}

void model_add_calls(struct scope *scope)
{
	if (!declares_service(scope))
		return;
	for (size_t i = 0; i < scope->workloads.n; i++) {
		const struct workload *workload = scope->workloads.v[i];

		read_containers(scope, workload, &workload->pod->containers);
		read_containers(scope, workload, &workload->pod->init_containers);
	}
}

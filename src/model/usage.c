/* Peaks that were observed outside of the manifests (config `usage`). */
#include "ask.h"

/* Stands for the place of an amount that no manifest holds: its file is 0. */
static const struct node elsewhere;

static bool is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* The parts between dashes behind a workload's name; 0: other characters stand in them. */
static size_t count_parts(str suffix)
{
	size_t parts = 1;

	for (size_t i = 0; i < suffix.n; i++) {
		if (suffix.p[i] != '-' && !is_lower(suffix.p[i]))
			return 0;
		parts += suffix.p[i] == '-';
	}
	return suffix.n ? parts : 0;
}

/* Is it a pod of the workload, by the names that controllers give? A Deployment's pods end in two
 * parts (ReplicaSet's hash and the pod's own), others in one, and a Pod has its own name. */
static bool pod_is_of(str pod, const struct workload *workload)
{
	str name = workload->object->name.s;
	size_t parts;

	if (str_is(workload->object->kind, "Pod"))
		return str_eq(pod, name);
	if (!str_starts(pod, name) || pod.n <= name.n || pod.p[name.n] != '-')
		return false;
	parts = count_parts(str_slice(pod, name.n + 1, pod.n));
	return parts == (str_is(workload->object->kind, "Deployment") ? 2 : 1);
}

static bool usage_is_of(const struct usage *usage, const struct workload *workload,
                        str container)
{
	str ns, pod;

	if (!str_eq(usage->container, container))
		return false;
	if (str_eq(usage->workload, workload->text))
		return true;
	return str_cut(usage->workload, '/', &ns, &pod) && str_find(pod, '/') == pod.n &&
	       str_eq(ns, workload->namespace) && pod_is_of(pod, workload);
}

/* Of several pods the one that used most. */
static struct amount observed(const struct usages *usages, const struct workload *workload,
                              str container, str resource)
{
	struct amount most = { .resource = resource };

	for (size_t i = 0; i < usages->n; i++) {
		str text = str_is(resource, "cpu") ? usages->v[i].cpu : usages->v[i].memory;
		struct quantity quantity;

		if (!usage_is_of(&usages->v[i], workload, container) ||
		    !quantity_parse(text, &quantity) ||
		    (most.valid && quantity_cmp(&quantity, &most.quantity) <= 0))
			continue;
		most.quantity = quantity;
		most.valid = true;
		most.node = &elsewhere;
	}
	return most;
}

struct amount scope_usage(const struct scope *scope, const struct workload *workload,
                          str container, str resource)
{
	struct amount amount = workload_usage(workload, container, resource);

	return amount.node ? amount
	                   : observed(&scope->settings->usages, workload, container, resource);
}

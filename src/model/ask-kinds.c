/* Whose kinds an API group's are. */
#include "ask.h"

/* Groups that the API server itself serves, v1.16 to v1.37, besides those of one word (apps,
 * batch, autoscaling, policy, extensions) and the core group. Groups of that domain which are
 * custom resources (autoscaling.k8s.io, gateway.networking.k8s.io …) are not among them. */
static const char *const built_in_groups[] = {
	"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io",
	"apps", "auditregistration.k8s.io", "authentication.k8s.io", "authorization.k8s.io",
	"autoscaling", "batch", "certificates.k8s.io", "coordination.k8s.io",
	"discovery.k8s.io", "events.k8s.io", "extensions", "flowcontrol.apiserver.k8s.io",
	"internal.apiserver.k8s.io", "networking.k8s.io", "node.k8s.io", "policy",
	"rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "settings.k8s.io",
	"storage.k8s.io", "storagemigration.k8s.io",
};

bool object_is_built_in(const struct object *object)
{
	if (object->group.n == 0)
		return str_is(object->api_version, "v1");
	for (size_t i = 0; i < COUNT_OF(built_in_groups); i++)
		if (str_is(object->group, built_in_groups[i]))
			return true;
	return false;
}

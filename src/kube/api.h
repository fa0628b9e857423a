/* kube: API validation, as k8s.io/kubernetes v1.36.3 does it (pkg/apis/.../validation).
 *
 * api            faults, places and rule tables; which kind is judged by what
 * api-values     single values: names, labels, ports, times of cron
 * api-zones      names of time zones
 * api-meta       metadata, label selectors
 * api-resources  requests and limits
 * api-container  containers but for their resources
 * api-volume     volumes and mounts
 * api-affinity   affinity of all sorts, spread constraints
 * api-pod        pod specs and templates
 * api-workload   Deployment, StatefulSet, DaemonSet, ReplicaSet
 * api-batch, api-hpa, api-pdb, api-limits, api-service, api-classes  the other kinds
 *
 * Everything works on the tree, so that a fault can point at its node. Fields are taken after
 * defaulting: a field that is absent or null and has a default is not judged. A node whose
 * value is not known (a template, a patch, a wrong JSON type) is passed over with everything
 * below it.
 */
#ifndef KUBELINT_API_H
#define KUBELINT_API_H

#include "kube-internal.h"

/* Upstream's field.ErrorType, in the order of api.c's table. */
enum api_error {
	API_INVALID, API_REQUIRED, API_NOT_SUPPORTED, API_FORBIDDEN, API_DUPLICATE,
	API_TOO_LONG, API_TOO_MANY, API_NOT_FOUND,
};

/* One object's validation. Faults go to its tree. */
struct api_check {
	const struct object *object;
	struct tree *tree;
	const struct kube_options *options;
	/* the pod spec is a Pod's own: defaults of created pods hold too */
	bool is_pod;
	/* faults of this object begin here in the tree's list */
	size_t first;
};

/* A place in the object: a link of the path from the root, kept on the stack of the walk. The
 * node is NULL where the file has nothing there. Field, key or index, in that order, says which
 * child of outer it is. */
struct api_place {
	const struct api_place *outer;
	const struct node *node;
	/* name of a map's field as upstream spells it in paths; NULL: see key */
	const char *field;
	/* free key of a map ("[cpu]"); p NULL: see index */
	str key;
	uint32_t index;
};

/* The child of that name; outer may have no node. */
struct api_place api_field(const struct api_place *outer, const char *name);
/* The same for a child whose name in upstream's path is another than the file's. */
struct api_place api_field_as(const struct api_place *outer, const char *name,
                              const char *path_name);
/* Item i of a list, entry i of a map of free keys. */
struct api_place api_item(const struct api_place *list, uint32_t i);
struct api_place api_entry(const struct api_place *map, uint32_t i);
/* Number of children of a known list or map; else 0. */
uint32_t api_count(const struct api_place *place);

/* There and known: a value to judge. */
bool api_has(const struct api_place *place);
/* Absent or null. */
bool api_lacks(const struct api_place *place);
/* Absent, null or the text "": what upstream finds empty. */
bool api_is_empty(const struct api_place *place);
/* Its text; empty when absent or not known. */
str api_text(const struct api_place *place);
/* Known and exactly that text. */
bool api_is(const struct api_place *place, const char *text);
/* Known boolean true. */
bool api_is_true(const struct api_place *place);
/* Known boolean false; an absent field is not. */
bool api_is_false(const struct api_place *place);
/* The integer there; false when absent, unknown or no integer. */
bool api_int(const struct api_place *place, int64_t *ret_value);
/* The quantity there; false when absent, unknown or no quantity. */
bool api_quantity(const struct api_check *check, const struct api_place *place,
                  struct quantity *ret_quantity);

/* A fault at the place. The format makes the message, which names the value. NULL: one of that
 * type and path is told already. */
struct fault *api_fault(const struct api_check *check, const struct api_place *place,
                        enum api_error error, const char *format, ...) BASE_PRINTF(4, 5);
/* Faults of the object so far. */
size_t api_fault_count(const struct api_check *check);

/* What a rule asks of a field. Absent and empty values pass but for RULE_NEEDED, as they have
 * a default or are optional. */
enum api_rule_kind {
	RULE_NEEDED,     /* not empty */
	RULE_LABEL,      /* DNS label */
	RULE_SUBDOMAIN,
	RULE_QUALIFIED,  /* qualified name, as a label key */
	RULE_WORD,       /* one of words, separated by | */
	RULE_CHOICE,     /* the same for a field without default: "" is no choice either */
	RULE_RANGE,      /* an integer of min..max */
	RULE_BANNED,     /* must not be there; words says why */
	RULE_SHARE,      /* a count from 0 or a percentage from 0 */
	RULE_SHARE_100,  /* of at most 100 % */
};
struct api_rule {
	const char *field;
	enum api_rule_kind kind;
	const char *words;
	int64_t min, max;
};
/* Holds the fields of a known map against the rules. */
void api_apply(const struct api_check *check, const struct api_place *map,
               const struct api_rule *rules, size_t count);

/* ---- single values -------------------------------------------------------------------- */

/* One fault when the text is no label or subdomain (RFC 1123); empty text is one too. */
void api_want_label(const struct api_check *check, const struct api_place *place);
void api_want_subdomain(const struct api_check *check, const struct api_place *place);
void api_want_qualified(const struct api_check *check, const struct api_place *place);
/* A count or a percentage; whole: at most 100 %. */
void api_want_share(const struct api_check *check, const struct api_place *place, bool whole);
/* Its number, percent or not: what upstream compares with 0. otherwise when absent. */
int64_t api_share(const struct api_place *place, int64_t otherwise);
/* A port number, or the name of a port. */
void api_want_port(const struct api_check *check, const struct api_place *place);
/* A port's name: at most 15 of a-z, 0-9 and single inner dashes, with a letter. */
bool api_is_port_name(str name);
/* No "." or "..", no '/' or '%': a name that can stand in a URL's path. */
bool api_is_path_segment(str name);
bool api_is_ip(str text);
/* A schedule of robfig/cron v3 (five fields or a descriptor); false with ret_why set. */
bool api_is_schedule(str text, const char **ret_why);
bool api_is_time_zone(str text);

/* ---- parts of objects ----------------------------------------------------------------- */

/* How metadata.name must look. Given: a subdomain, which the server makes where there is none. */
enum api_name { API_NAME_SUBDOMAIN, API_NAME_LABEL, API_NAME_SEGMENT, API_NAME_GIVEN };
void api_check_meta(const struct api_check *check, const struct api_place *root,
                    enum api_name name);
/* A map of labels (of matchLabels, nodeSelector …); faults are at the map. */
void api_check_labels(const struct api_check *check, const struct api_place *labels);
void api_check_annotations(const struct api_check *check, const struct api_place *annotations);
/* metav1.LabelSelector; absent is fine. */
void api_check_selector(const struct api_check *check, const struct api_place *selector);
/* A label selector of a node or of metav1, one requirement. of_node: Gt and Lt too. loose:
 * values are not looked at. */
void api_check_requirement(const struct api_check *check, const struct api_place *requirement,
                           bool of_node, bool loose);

/* Lists of resources beyond it are absurd, and not compared with each other: that would take time
 * in the square of their length. */
#define API_MANY_RESOURCES 256

/* Requests and limits of a container (pod_level: of a pod); absent is fine. */
void api_check_resources(const struct api_check *check, const struct api_place *resources,
                         bool pod_level);
/* spec.resources of the pod spec: also against the containers' sums. */
void api_check_pod_resources(const struct api_check *check, const struct api_place *spec);
/* A resource list by itself (overhead), named like the place. */
void api_check_overhead(const struct api_check *check, const struct api_place *overhead,
                        const struct node *amounts);
/* A name that a container may request. */
bool api_is_container_resource(str name);
/* A name that is fit for the use: a claim's is any that the API knows; a quota counts all but
 * storage itself. */
enum api_resource_use { API_CONTAINER_RESOURCE, API_CLAIM_RESOURCE, API_QUOTA_RESOURCE };
bool api_is_resource(str name, enum api_resource_use use);
/* May the request differ from the limit? Not for devices and huge pages. */
bool api_is_overcommitted(str name);
/* An amount in a map: at least 0, and whole for what is counted. */
void api_check_amount(const struct api_check *check, const struct api_place *entry,
                      const struct quantity *quantity);

void api_check_affinity(const struct api_check *check, const struct api_place *affinity);
void api_check_spread(const struct api_check *check, const struct api_place *constraints);

/* Pod specs by themselves; claims as for api_check_volumes(). */
void api_check_pod_spec(const struct api_check *check, const struct api_place *spec,
                        const struct api_place *claims);
/* A pod template: labels, annotations, spec. */
void api_check_template(const struct api_check *check, const struct api_place *template,
                        const struct api_place *claims);
/* A template whose pods must be restarted always (Deployment and the like). */
void api_want_always(const struct api_check *check, const struct api_place *template);

/* ---- kinds: root is the object -------------------------------------------------------- */

void api_check_pod(const struct api_check *check, const struct api_place *root);
void api_check_deployment(const struct api_check *check, const struct api_place *root);
void api_check_replica_set(const struct api_check *check, const struct api_place *root);
void api_check_stateful_set(const struct api_check *check, const struct api_place *root);
void api_check_daemon_set(const struct api_check *check, const struct api_place *root);
void api_check_job(const struct api_check *check, const struct api_place *root);
void api_check_cron_job(const struct api_check *check, const struct api_place *root);
void api_check_hpa(const struct api_check *check, const struct api_place *root);
void api_check_pdb(const struct api_check *check, const struct api_place *root);
void api_check_controller(const struct api_check *check, const struct api_place *root);
void api_check_priority_class(const struct api_check *check, const struct api_place *root);
void api_check_runtime_class(const struct api_check *check, const struct api_place *root);
void api_check_storage_class(const struct api_check *check, const struct api_place *root);
void api_check_config_map(const struct api_check *check, const struct api_place *root);
void api_check_namespace(const struct api_check *check, const struct api_place *root);
void api_check_volume_claim(const struct api_check *check, const struct api_place *root);
void api_check_service(const struct api_check *check, const struct api_place *root);
void api_check_limit_range(const struct api_check *check, const struct api_place *root);
void api_check_quota(const struct api_check *check, const struct api_place *root);

#endif

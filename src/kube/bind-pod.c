/* Tables of the pod spec.
 *
 * One table per map of the API. A map that has no struct of its own (affinity, resources,
 * emptyDir …) binds straight into the struct around it: ROW_SAME. Where a list or map has a
 * member `node` beside its items, a row of BIND_NODE for the same field stands before it.
 */
#include "bind-rows.h"

#include <string.h>

/* ---- selectors ------------------------------------------------------------------------ */

/* The key alone, as a view: where it stands is known by the item. */
static void bind_key(const struct binder *binder, const struct node *node, void *member)
{
	(void)binder;
	*(str *)member = node_text(node);
}

/* A missing operator is as wrong as an unknown one, so this looks for itself. */
static void finish_requirement(const struct binder *binder, void *structure)
{
	struct requirement *requirement = structure;

	(void)binder;
	requirement->op =
		selector_operator_of(node_text(node_get(requirement->node, "operator")));
}

static const struct bind_row requirement_rows[] = {
	ROW_FUNCTION("key", struct requirement, key, bind_key),
	ROW("values", TEXTS, struct requirement, values),
};
static const struct bind_table requirement_table = {
	requirement_rows, COUNT_OF(requirement_rows), sizeof(struct requirement),
	offsetof(struct requirement, node), finish_requirement,
};

static const struct bind_row label_selector_rows[] = {
	ROW("matchLabels", PAIRS, struct label_selector, match_labels),
	ROW_LIST("matchExpressions", struct label_selector, match_expressions, &requirement_table),
};
const struct bind_table bind_label_selector = BIND_TABLE(label_selector_rows,
                                                         struct label_selector);

static const struct bind_row term_rows[] = {
	ROW_LIST("matchExpressions", struct node_selector_term, match_expressions,
	         &requirement_table),
	ROW_LIST("matchFields", struct node_selector_term, match_fields, &requirement_table),
};
static const struct bind_table term_table = BIND_TABLE(term_rows, struct node_selector_term);

/* ---- affinity ------------------------------------------------------------------------- */

static const struct bind_row preferred_rows[] = {
	ROW("weight", NUMBER, struct preferred_term, weight),
	ROW_INTO("preference", struct preferred_term, term, &term_table),
};
static const struct bind_table preferred_table = BIND_TABLE_PLAIN(preferred_rows,
                                                                  struct preferred_term);

static const struct bind_row node_terms_rows[] = {
	ROW("nodeSelectorTerms", NODE, struct pod_template, required_node_terms.node),
	ROW_LIST("nodeSelectorTerms", struct pod_template, required_node_terms, &term_table),
};
static const struct bind_table node_terms_table = BIND_TABLE_PLAIN(node_terms_rows,
                                                                   struct pod_template);

static const struct bind_row node_affinity_rows[] = {
	/* An affinity without terms is there, and is invalid: its map is the node then. */
	ROW("requiredDuringSchedulingIgnoredDuringExecution", NODE, struct pod_template,
	    required_node_terms.node),
	ROW_SAME("requiredDuringSchedulingIgnoredDuringExecution", &node_terms_table),
	ROW_LIST("preferredDuringSchedulingIgnoredDuringExecution", struct pod_template,
	         preferred_node_terms, &preferred_table),
};
static const struct bind_table node_affinity_table = BIND_TABLE_PLAIN(node_affinity_rows,
                                                                      struct pod_template);

static const struct bind_row pod_term_rows[] = {
	ROW_INTO("labelSelector", struct pod_affinity_term, selector, &bind_label_selector),
	ROW_INTO("namespaceSelector", struct pod_affinity_term, namespace_selector,
	         &bind_label_selector),
	ROW("namespaces", TEXTS, struct pod_affinity_term, namespaces),
	ROW("topologyKey", TEXT, struct pod_affinity_term, topology_key),
	ROW("matchLabelKeys", TEXTS, struct pod_affinity_term, match_label_keys),
	ROW("mismatchLabelKeys", TEXTS, struct pod_affinity_term, mismatch_label_keys),
};
static const struct bind_table pod_term_table = BIND_TABLE(pod_term_rows,
                                                           struct pod_affinity_term);

static const struct bind_row weighted_rows[] = {
	ROW("weight", NUMBER, struct weighted_pod_term, weight),
	ROW_INTO("podAffinityTerm", struct weighted_pod_term, term, &pod_term_table),
};
static const struct bind_table weighted_table = BIND_TABLE_PLAIN(weighted_rows,
                                                                 struct weighted_pod_term);

static const struct bind_row pod_affinity_rows[] = {
	ROW_LIST("requiredDuringSchedulingIgnoredDuringExecution", struct pod_template,
	         required_affinity, &pod_term_table),
	ROW_LIST("preferredDuringSchedulingIgnoredDuringExecution", struct pod_template,
	         preferred_affinity, &weighted_table),
};
static const struct bind_table pod_affinity_table = BIND_TABLE_PLAIN(pod_affinity_rows,
                                                                     struct pod_template);

static const struct bind_row anti_affinity_rows[] = {
	ROW_LIST("requiredDuringSchedulingIgnoredDuringExecution", struct pod_template,
	         required_anti_affinity, &pod_term_table),
	ROW_LIST("preferredDuringSchedulingIgnoredDuringExecution", struct pod_template,
	         preferred_anti_affinity, &weighted_table),
};
static const struct bind_table anti_affinity_table = BIND_TABLE_PLAIN(anti_affinity_rows,
                                                                      struct pod_template);

static const struct bind_row affinity_rows[] = {
	ROW_SAME("nodeAffinity", &node_affinity_table),
	ROW_SAME("podAffinity", &pod_affinity_table),
	ROW_SAME("podAntiAffinity", &anti_affinity_table),
};
static const struct bind_table affinity_table = BIND_TABLE_PLAIN(affinity_rows,
                                                                 struct pod_template);

/* ---- containers and volumes ----------------------------------------------------------- */

static const struct bind_row port_rows[] = {
	ROW("containerPort", NUMBER, struct container_port, container_port),
	ROW("hostPort", NUMBER, struct container_port, host_port),
	ROW("protocol", TEXT, struct container_port, protocol),
	ROW("hostIP", TEXT, struct container_port, host_ip),
	ROW("name", TEXT, struct container_port, name),
};
static const struct bind_table port_table = BIND_TABLE(port_rows, struct container_port);

static const struct bind_row env_rows[] = {
	ROW("name", TEXT, struct env_var, name),
	ROW("value", TEXT, struct env_var, value),
	ROW("valueFrom", NODE, struct env_var, value_from),
};
static const struct bind_table env_table = BIND_TABLE(env_rows, struct env_var);

/* resources of a container, into the container. */
static const struct bind_row resources_rows[] = {
	ROW("requests", AMOUNTS, struct container, requests),
	ROW("limits", AMOUNTS, struct container, limits),
};
static const struct bind_table resources_table = BIND_TABLE_PLAIN(resources_rows,
                                                                  struct container);

static const struct bind_row container_rows[] = {
	ROW("name", TEXT, struct container, name),
	ROW("image", TEXT, struct container, image),
	ROW("restartPolicy", TEXT, struct container, restart_policy),
	ROW("command", TEXTS, struct container, command),
	ROW("args", TEXTS, struct container, args),
	ROW_LIST("env", struct container, env, &env_table),
	ROW_LIST("ports", struct container, ports, &port_table),
	ROW("resources", NODE, struct container, resources),
	ROW_SAME("resources", &resources_table),
};
static const struct bind_table container_table = BIND_TABLE(container_rows, struct container);

static const struct bind_row claim_source_rows[] = {
	ROW("claimName", TEXT, struct volume, claim_name),
};
static const struct bind_table claim_source_table = BIND_TABLE_PLAIN(claim_source_rows,
                                                                     struct volume);

static const struct bind_row empty_dir_rows[] = {
	ROW("medium", TEXT, struct volume, empty_dir_medium),
	ROW("sizeLimit", AMOUNT, struct volume, size_limit),
};
static const struct bind_table empty_dir_table = BIND_TABLE_PLAIN(empty_dir_rows,
                                                                  struct volume);

static const struct bind_row volume_rows[] = {
	ROW("name", TEXT, struct volume, name),
	ROW_SAME("persistentVolumeClaim", &claim_source_table),
	ROW("emptyDir", NODE, struct volume, empty_dir),
	ROW_SAME("emptyDir", &empty_dir_table),
	ROW("hostPath", NODE, struct volume, host_path),
	ROW("configMap", NODE, struct volume, config_map),
	ROW("secret", NODE, struct volume, secret),
	ROW("ephemeral", NODE, struct volume, ephemeral),
};
static const struct bind_table volume_table = BIND_TABLE(volume_rows, struct volume);

/* ---- the pod spec --------------------------------------------------------------------- */

static const struct bind_row toleration_rows[] = {
	ROW("key", TEXT, struct toleration, key),
	ROW("operator", TEXT, struct toleration, op),
	ROW("value", TEXT, struct toleration, value),
	ROW("effect", TEXT, struct toleration, effect),
	ROW("tolerationSeconds", NUMBER, struct toleration, seconds),
};
const struct bind_table bind_toleration = BIND_TABLE(toleration_rows, struct toleration);

static const struct bind_row spread_rows[] = {
	ROW("maxSkew", NUMBER, struct spread_constraint, max_skew),
	ROW("minDomains", NUMBER, struct spread_constraint, min_domains),
	ROW("topologyKey", TEXT, struct spread_constraint, topology_key),
	ROW("whenUnsatisfiable", TEXT, struct spread_constraint, when_unsatisfiable),
	ROW_INTO("labelSelector", struct spread_constraint, selector, &bind_label_selector),
	ROW("matchLabelKeys", TEXTS, struct spread_constraint, match_label_keys),
	ROW("nodeAffinityPolicy", TEXT, struct spread_constraint, node_affinity_policy),
	ROW("nodeTaintsPolicy", TEXT, struct spread_constraint, node_taints_policy),
};
static const struct bind_table spread_table = BIND_TABLE(spread_rows, struct spread_constraint);

/* resources of the pod as a whole (1.32 and later). */
static const struct bind_row pod_resources_rows[] = {
	ROW("requests", AMOUNTS, struct pod_template, requests),
	ROW("limits", AMOUNTS, struct pod_template, limits),
};
static const struct bind_table pod_resources_table = BIND_TABLE_PLAIN(pod_resources_rows,
                                                                      struct pod_template);

static const struct bind_row os_rows[] = {
	ROW("name", TEXT, struct pod_template, os),
};
static const struct bind_table os_table = BIND_TABLE_PLAIN(os_rows, struct pod_template);

/* An init container that restarts always is a sidecar. */
static void finish_pod(const struct binder *binder, void *structure)
{
	struct pod_template *pod = structure;

	(void)binder;
	for (size_t i = 0; i < pod->init_containers.n; i++) {
		struct container *container = &pod->init_containers.v[i];

		container->role = str_is(container->restart_policy.s, "Always") ? CONTAINER_SIDECAR
		                                                               : CONTAINER_INIT;
	}
}

static const struct bind_row pod_spec_rows[] = {
	ROW_LIST("containers", struct pod_template, containers, &container_table),
	ROW_LIST("initContainers", struct pod_template, init_containers, &container_table),
	ROW_SAME("resources", &pod_resources_table),
	ROW("overhead", AMOUNTS, struct pod_template, overhead),
	ROW("nodeSelector", PAIRS, struct pod_template, node_selector),
	ROW_SAME("affinity", &affinity_table),
	ROW("tolerations", NODE, struct pod_template, tolerations.node),
	ROW_LIST("tolerations", struct pod_template, tolerations, &bind_toleration),
	ROW_LIST("topologySpreadConstraints", struct pod_template, spread, &spread_table),
	ROW_LIST("volumes", struct pod_template, volumes, &volume_table),
	ROW("nodeName", TEXT, struct pod_template, node_name),
	ROW("schedulerName", TEXT, struct pod_template, scheduler_name),
	ROW("priorityClassName", TEXT, struct pod_template, priority_class),
	ROW("runtimeClassName", TEXT, struct pod_template, runtime_class),
	ROW("serviceAccountName", TEXT, struct pod_template, service_account),
	ROW_SAME("os", &os_table),
	ROW("restartPolicy", TEXT, struct pod_template, restart_policy),
	ROW("preemptionPolicy", TEXT, struct pod_template, preemption_policy),
	ROW("priority", NUMBER, struct pod_template, priority),
	ROW("terminationGracePeriodSeconds", NUMBER, struct pod_template,
	    termination_grace_seconds),
	ROW("hostNetwork", FLAG, struct pod_template, host_network),
};
const struct bind_table bind_pod_spec = {
	pod_spec_rows, COUNT_OF(pod_spec_rows), sizeof(struct pod_template), SIZE_MAX, finish_pod,
};

/* A Pod has the same two keys, so its root is bound by this table too. */
static const struct bind_row template_metadata_rows[] = {
	ROW("labels", PAIRS, struct pod_template, labels),
	ROW("annotations", PAIRS, struct pod_template, annotations),
};
static const struct bind_table template_metadata_table = BIND_TABLE_PLAIN(
	template_metadata_rows, struct pod_template);

static const struct bind_row template_rows[] = {
	ROW("spec", NODE, struct pod_template, spec),
	ROW_SAME("spec", &bind_pod_spec),
	ROW_SAME("metadata", &template_metadata_table),
};
const struct bind_table bind_pod_template = BIND_TABLE(template_rows, struct pod_template);

void bind_pod(const struct binder *binder, const struct node *template,
              struct pod_template *ret_pod)
{
	bind_map(binder, template, &bind_pod_template, ret_pod);
}

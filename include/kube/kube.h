/* kube: from positioned trees to typed Kubernetes objects.
 *
 * One table (generated from rules/k8s-fields.tsv) knows every field of every modelled API
 * type: it drives the check for unknown, misplaced and wrongly typed fields and the binding
 * into the structs below. API validation (api-*.c) works on the tree with tables of
 * field rules and gives upstream's error types and field paths. What is wrong becomes a fault
 * of the document's tree. Every bound value keeps its node, so whoever reads it can point at
 * it; a value whose node is `unknown` (template, patch) must decide nothing.
 */
#ifndef KUBELINT_KUBE_H
#define KUBELINT_KUBE_H

#include "base.h"
#include "tree.h"

/* ---- bound values ------------------------------------------------------------------- */

/* All of these: node NULL means that the field is absent (null counts as absent) and the value
 * is zero; `node->unknown` means that the value is not known. */
struct text {
	str s;
	const struct node *node;
};
struct number {
	int64_t value;
	const struct node *node;
};
struct flag {
	bool value;
	const struct node *node;
};
/* int-or-percentage (maxSurge, minAvailable …). */
struct int_or_percent {
	int64_t value;   /* a count, or a percentage when percent */
	bool percent;
	bool valid;      /* false: text that is neither */
	const struct node *node;
};
/* One entry of a resource list. */
struct amount {
	str resource;          /* cpu, memory, nvidia.com/gpu … */
	struct quantity quantity;
	bool valid;            /* false: no quantity (a FAULT_UNDECODABLE says so) */
	const struct node *node;
};
struct amounts {
	struct amount *v;
	size_t n, cap;
	const struct node *node; /* the map itself */
};
/* A map of string to string in order of the file. */
struct pair {
	str key, value;        /* value: source text also where YAML reads another type (KL007) */
	const struct node *node;
};
struct pairs {
	struct pair *v;
	size_t n, cap;
	const struct node *node;
};
struct texts {
	struct text *v;
	size_t n, cap;
	const struct node *node;
};

const struct amount *amounts_find(const struct amounts *amounts, str resource);
const struct pair *pairs_find(const struct pairs *pairs, str key);
/* True when the field is there and known. */
bool node_known(const struct node *node);

/* ---- selectors ---------------------------------------------------------------------- */

enum selector_operator {
	SELECTOR_IN, SELECTOR_NOT_IN, SELECTOR_EXISTS, SELECTOR_DOES_NOT_EXIST,
	SELECTOR_GT, SELECTOR_LT, /* node selectors only */
	SELECTOR_INVALID,         /* any other word: the selector does not parse */
};

/* The operator of a word as manifests write it, any other word being SELECTOR_INVALID; for
 * labels without Gt and Lt, which only node selectors have. */
enum selector_operator selector_operator_of(str word);
enum selector_operator label_operator_of(str word);

struct requirement {
	str key;
	enum selector_operator op;
	struct texts values;
	const struct node *node;  /* the list item, or the matchLabels entry */
};
struct requirements {
	struct requirement *v;
	size_t n, cap;
};

/* metav1.LabelSelector. node NULL: a null selector, which matches nothing; no requirement at
 * all: matches everything. */
struct label_selector {
	struct pairs match_labels;
	struct requirements match_expressions;
	const struct node *node;
};

/* Does the selector match the labels? An unknown value on either side that could change the
 * verdict gives ANSWER_UNKNOWN. A selector that does not parse matches nothing.
 * Upstream: metav1.LabelSelectorAsSelector and labels.Selector.Matches. */
enum answer selector_matches(const struct label_selector *selector, const struct pairs *labels);
/* False when upstream's LabelSelectorAsSelector gives an error. */
bool selector_parses(const struct label_selector *selector);

/* Does one requirement hold for a label of that value (present) or for its absence?
 * Gt/Lt: strict integer comparison as for node labels. */
bool requirement_holds(const struct requirement *requirement, bool present, str value);
/* False when upstream refuses it (labels.NewRequirement); a node selector term with such a
 * requirement matches no node. of_node: Gt and Lt are operators too. */
bool requirement_parses(const struct requirement *requirement, bool of_node);

struct node_selector_term {
	struct requirements match_expressions, match_fields;
	const struct node *node;
};
struct node_selector_terms {
	struct node_selector_term *v;
	size_t n, cap;
	const struct node *node;
};
struct preferred_term {
	struct number weight;
	struct node_selector_term term;
};
struct preferred_terms {
	struct preferred_term *v;
	size_t n, cap;
};

struct pod_affinity_term {
	struct label_selector selector;
	struct label_selector namespace_selector;
	struct texts namespaces;
	struct text topology_key;
	struct texts match_label_keys, mismatch_label_keys;
	const struct node *node;
};
struct pod_affinity_terms {
	struct pod_affinity_term *v;
	size_t n, cap;
};
struct weighted_pod_term {
	struct number weight;
	struct pod_affinity_term term;
};
struct weighted_pod_terms {
	struct weighted_pod_term *v;
	size_t n, cap;
};

/* ---- taints and tolerations --------------------------------------------------------- */

struct taint {
	str key, value, effect;   /* effect: NoSchedule, PreferNoSchedule, NoExecute */
	const struct node *node;
};
struct taints {
	struct taint *v;
	size_t n, cap;
	const struct node *node;
};
struct toleration {
	struct text key, op, value, effect; /* absent fields as the API takes them; op "" is Equal */
	struct number seconds;
	const struct node *node;            /* NULL for one that a controller adds */
};
struct tolerations {
	struct toleration *v;
	size_t n, cap;
	const struct node *node;
};
/* Upstream: v1.Toleration.ToleratesTaint. comparison: the gate
 * TaintTolerationComparisonOperators (Gt, Lt). */
bool toleration_covers(const struct toleration *toleration, const struct taint *taint,
                       bool comparison);
/* "key=value:Effect", "key:Effect", for messages. */
str taint_text(struct arena *arena, const struct taint *taint);
/* Parses kubectl's form `key[=value]:Effect`; false when the effect is missing or unknown.
 * Effects in any of the clouds' spellings (NO_SCHEDULE, noSchedule …). */
bool taint_parse(str text, struct taint *ret_taint);
bool taint_effect_parse(str text, str *ret_effect);

/* ---- pods --------------------------------------------------------------------------- */

enum container_role { CONTAINER_MAIN, CONTAINER_INIT, CONTAINER_SIDECAR };

struct container_port {
	struct number container_port, host_port;
	struct text protocol, host_ip, name;
	const struct node *node;
};
struct container_ports {
	struct container_port *v;
	size_t n, cap;
};
struct env_var {
	struct text name, value;  /* value absent when valueFrom gives it */
	const struct node *value_from;
	const struct node *node;
};
struct env_vars {
	struct env_var *v;
	size_t n, cap;
};
struct container {
	enum container_role role;
	struct text name, image, restart_policy;
	struct texts command, args;
	struct env_vars env;
	struct container_ports ports;
	struct amounts requests, limits;
	const struct node *resources; /* the map, or NULL */
	const struct node *node;
};
struct containers {
	struct container *v;
	size_t n, cap;
};
struct volume {
	struct text name, claim_name, empty_dir_medium;
	const struct node *empty_dir, *host_path, *config_map, *secret, *ephemeral;
	struct amount size_limit;     /* of the emptyDir; node NULL: none */
	const struct node *node;
};
struct volumes {
	struct volume *v;
	size_t n, cap;
};
struct spread_constraint {
	struct number max_skew, min_domains;
	struct text topology_key, when_unsatisfiable;
	struct label_selector selector;
	struct texts match_label_keys;
	struct text node_affinity_policy, node_taints_policy;
	const struct node *node;
};
struct spread_constraints {
	struct spread_constraint *v;
	size_t n, cap;
};

struct pod_template {
	const struct node *node;          /* the template, or the Pod itself */
	const struct node *spec;          /* the pod spec; NULL when missing */
	struct pairs labels, annotations;
	struct containers containers;     /* main containers, in order */
	struct containers init_containers;/* init and sidecar, in order */
	struct amounts requests, limits;  /* pod-level resources */
	struct amounts overhead;
	struct pairs node_selector;
	struct node_selector_terms required_node_terms; /* node NULL: no required node affinity */
	struct preferred_terms preferred_node_terms;
	struct pod_affinity_terms required_affinity, required_anti_affinity;
	struct weighted_pod_terms preferred_affinity, preferred_anti_affinity;
	struct tolerations tolerations;
	struct spread_constraints spread;
	struct volumes volumes;
	struct text node_name, scheduler_name, priority_class, runtime_class, service_account, os,
		restart_policy, preemption_policy;
	struct number priority, termination_grace_seconds;
	struct flag host_network;
};

/* ---- objects ------------------------------------------------------------------------ */

/* Kinds with a struct of their own; X(enum suffix). OBJECT_OTHER has only its metadata. */
enum object_class {
	OBJECT_OTHER = 0,
	OBJECT_POD, OBJECT_DEPLOYMENT, OBJECT_STATEFUL_SET, OBJECT_DAEMON_SET, OBJECT_REPLICA_SET,
	OBJECT_REPLICATION_CONTROLLER, OBJECT_JOB, OBJECT_CRON_JOB,
	OBJECT_CUSTOM_WORKLOAD,   /* another kind that carries a pod template */
	OBJECT_HPA, OBJECT_SERVICE, OBJECT_PDB, OBJECT_RUNTIME_CLASS, OBJECT_PRIORITY_CLASS,
	OBJECT_API_SERVICE, OBJECT_CONFIG_MAP, OBJECT_PROMETHEUS_RULE, OBJECT_NAMESPACE,
	OBJECT_PVC, OBJECT_PV, OBJECT_STORAGE_CLASS, OBJECT_LIMIT_RANGE, OBJECT_RESOURCE_QUOTA,
	OBJECT_SCALED_OBJECT, OBJECT_SCALED_JOB, OBJECT_VPA,
};

/* Pod, Deployment … CronJob, ScaledJob and custom workloads. */
struct workload_spec {
	struct pod_template pod;
	struct number replicas, parallelism, completions;
	struct label_selector selector;   /* of a ReplicationController: its map as matchLabels */
	struct text strategy;             /* RollingUpdate, Recreate, OnDelete */
	struct int_or_percent max_surge, max_unavailable;
	struct text service_name;
	struct texts claim_templates;     /* names of volumeClaimTemplates */
	const struct node *spec;          /* that holds the template: spec of a Deployment,
	                                   * jobTemplate.spec of a CronJob, jobTargetRef of a
	                                   * ScaledJob, of a Pod the pod spec itself */
	/* A custom kind with several pod templates (RayCluster: head, workers): the next one, with
	 * its own replicas; NULL for the last. */
	struct workload_spec *more;
};

enum metric_kind {
	METRIC_RESOURCE, METRIC_CONTAINER_RESOURCE, METRIC_PODS, METRIC_OBJECT, METRIC_EXTERNAL,
	METRIC_OTHER,
};
enum target_kind { TARGET_NONE, TARGET_UTILIZATION, TARGET_VALUE, TARGET_AVERAGE_VALUE };

/* One metric of an HPA of any version, in the shape of autoscaling/v2. */
struct hpa_metric {
	enum metric_kind kind;
	struct text name;          /* resource or metric name */
	struct text container;
	enum target_kind target;
	struct number utilization; /* percent */
	struct amount value;       /* Value or AverageValue */
	const struct node *node;   /* metrics[i], or the v1 field */
};
struct hpa_metrics {
	struct hpa_metric *v;
	size_t n, cap;
	const struct node *node;
};
struct scaling_policy {
	struct text type;          /* Pods, Percent */
	struct number value, period_seconds;
	const struct node *node;
};
struct scaling_policies {
	struct scaling_policy *v;
	size_t n, cap;
	const struct node *node;
};
struct scaling_rules {
	struct number stabilization_seconds;
	struct text select_policy;  /* Max, Min, Disabled */
	struct scaling_policies policies;
	struct amount tolerance;
	const struct node *node;
};
struct target_ref {
	struct text api_version, kind, name;
	const struct node *node;
};
struct hpa {
	struct target_ref target;
	struct number min_replicas, max_replicas;
	struct hpa_metrics metrics; /* none at all: the controller takes cpu 80 % */
	struct scaling_rules scale_up, scale_down;
	const struct node *behavior;
	const struct node *selector; /* spec.selector, which no version has (KL202) */
};
struct service_port {
	struct text name, protocol;
	struct number port;
	const struct node *node;
};
struct service_ports {
	struct service_port *v;
	size_t n, cap;
};
struct service {
	struct pairs selector;
	struct service_ports ports;
	struct text type, cluster_ip, external_name;
};
struct pdb {
	struct label_selector selector;
	struct int_or_percent min_available, max_unavailable;
};
struct runtime_class {
	struct text handler;
	struct amounts overhead;
	struct pairs node_selector;
	struct tolerations tolerations;
};
struct priority_class {
	struct number value;
	struct flag global_default;
	struct text preemption_policy;
};
struct api_service {
	struct text group, version, service_name, service_namespace, ca_bundle;
	struct number service_port;
	struct flag insecure_skip_tls;
	const struct node *service;   /* NULL or null: a local API */
};
struct config_map {
	struct pairs data;
};
struct alert_rule {
	struct text alert, record, expr;
	const struct node *node;
};
struct alert_rules {
	struct alert_rule *v;
	size_t n, cap;
};
/* PrometheusRule, or a plain Prometheus rule file (top key groups). */
struct prometheus_rule {
	struct alert_rules rules;
};
struct limit_range_item {
	struct text type;             /* Container, Pod, PersistentVolumeClaim */
	struct amounts max, min, defaults, default_requests, max_ratio;
	const struct node *node;
};
struct limit_range_items {
	struct limit_range_item *v;
	size_t n, cap;
};
struct limit_range {
	struct limit_range_items items;
};
struct claim {
	struct text volume_name, storage_class;
	struct texts access_modes;
};

/* One Kubernetes object (or an item of a List). Lives in its tree's arena. */
struct object {
	struct tree *tree;             /* of its document; faults go there */
	const struct node *root;       /* the object's own root (List item or document) */
	str api_version, group, version, kind; /* group "" for v1 */
	struct text name, namespace;   /* as written; namespace absent for cluster-scoped kinds */
	struct text generate_name;
	bool cluster_scoped;           /* known to be; false also for unknown kinds */
	bool modelled;                 /* its fields are in the generated table */
	struct pairs labels, annotations;
	enum object_class class;
	union {
		struct workload_spec *workload;
		struct hpa *hpa;
		struct service *service;
		struct pdb *pdb;
		struct runtime_class *runtime_class;
		struct priority_class *priority_class;
		struct api_service *api_service;
		struct config_map *config_map;
		struct prometheus_rule *prometheus_rule;
		struct limit_range *limit_range;
		struct claim *claim;
	};                             /* NULL where the class has no struct */
};
struct objects VEC(struct object *);

/* What decides how an object is judged. */
struct kube_options {
	struct version target;         /* target version; major 0: newest known */
	const struct strs *feature_gates; /* switched on; may be NULL */
};

/* Is the feature gate on: named in gates (NULL: none is), or by default at the target version
 * (major 0: the newest known)? */
bool kube_gate_is_on(const struct strs *gates, const char *gate, struct version target);

/* Newest and oldest Kubernetes minor in the tables (1.37, 1.16). */
struct version kube_newest(void);
struct version kube_oldest(void);

/* Life of a built-in kind (rules/data/api-lifecycle.tsv); a version of major 0 is none. removed:
 * the first version that does not serve it, which may lie in the future. */
struct api_life {
	struct version introduced, deprecated, removed;
	str new_api_version, new_kind; /* what to move to; empty: nothing named */
};
/* False when the table has no such kind in that apiVersion. */
bool kube_api_life(str api_version, str kind, struct api_life *ret_life);

/* Binds every object of a parsed document (List items flattened) and appends them to
 * ret_objects; documents without apiVersion and kind give none, except plain Prometheus rule
 * files. Unknown, misplaced and wrongly typed fields and failed validation become faults of
 * the tree. Never fails. */
void kube_bind(struct tree *tree, const struct kube_options *options,
               struct objects *ret_objects);

/* True when kube has a use for documents of that group-version and kind. */
bool kube_knows(str api_version, str kind);

/* Is the group of that apiVersion one of Kubernetes itself? Its kinds hide no pod templates that
 * kube_knows() would not name; kinds of other groups may. */
bool kube_is_built_in(str api_version);

/* API validation with defaulting of one object (upstream pkg/apis/.../validation at the target
 * version): FAULT_INVALID faults in the object's tree. Called by kube_bind(). */
void kube_validate(struct object *object, const struct kube_options *options);

/* Checks of single values, as upstream (apimachinery util/validation). */
bool name_is_dns_label(str s);
bool name_is_dns_subdomain(str s);
bool label_key_is_valid(str s);     /* IsQualifiedName */
bool label_value_is_valid(str s);

/* The API version and kind as other objects name them: "apps/Deployment/prod/infer",
 * "v1/Node/…" as group/Kind/namespace/name for JUnit and SARIF. ns: effective namespace. */
str object_text(struct arena *arena, const struct object *object, str ns);

/* Is the kind of a well-known scalable workload (for scaleTargetRef)? */
bool kind_is_scalable(str kind);

/* ---- command lines ------------------------------------------------------------------ */

/* One flag of a program's command line (command and args of a container). */
struct flag_use {
	str name;                      /* without dashes and value */
	str value;                     /* empty with has_value false: a bare flag */
	bool has_value;
	const struct node *node;       /* the item that holds it */
};
struct flag_uses VEC(struct flag_use);

/* Flags in command[1..] and args, `--x=v`, `-x=v`, `--x v`; a shell form is split at white
 * space. `$(VAR)` of the container's own env is resolved; else the value is kept and the node's
 * unknown mark counts. */
void container_flags(struct arena *arena, const struct container *container,
                     struct flag_uses *ret_flags);

/* Last path part and tag of an image: mirror/x/metrics-server:v0.5.0@sha256… gives
 * metrics-server and v0.5.0 (tag empty when absent). */
void image_split(str image, str *ret_name, str *ret_tag);

/* ---- tables of components ----------------------------------------------------------- */

enum flag_state {
	FLAG_KNOWN, FLAG_DEPRECATED, FLAG_REMOVED, FLAG_NOT_YET, FLAG_NEVER,
	FLAG_UNDECIDED,                /* the table is not whole for this version */
};
struct flag_fact {
	enum flag_state state;
	str nearest;                   /* nearest known flag (without dashes), or empty */
	str type, note;                /* of the known flag */
	str since, last;
};
/* What the flag table says of component's flag at a version (version.major < 0: unknown). */
void component_flag(str component, str flag, struct version version, struct flag_fact *ret_fact);

#endif

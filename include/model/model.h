/* model: one view of everything that belongs together, and the questions that rules ask.
 *
 * Objects and groups of one cluster (and one variant of it) are linked here: workloads with
 * their scalers, RuntimeClass, PriorityClass, LimitRange and Services; effective requests and
 * replica counts are worked out. All structs are read-only for the rooms above.
 */
#ifndef KUBELINT_MODEL_H
#define KUBELINT_MODEL_H

#include "base.h"
#include "source.h"
#include "tree.h"
#include "kube.h"
#include "pools.h"

/* ---- resources ---------------------------------------------------------------------- */

/* An amount the scheduler compares: cpu in millicores, everything else in whole units. */
struct resource_amount {
	str resource;
	int64_t amount;
	bool unknown;                  /* some part of it is not known: amount is a lower bound */
	const struct node *node;       /* the largest single part, or NULL */
};
struct resource_amounts VEC(struct resource_amount);

/* What the scheduler takes for a pod. Resources of amount 0 are left out. */
struct pod_requests {
	struct resource_amounts v;
	bool from_limits;              /* some request was taken from a limit (KL403) */
};

enum qos_class { QOS_GUARANTEED, QOS_BURSTABLE, QOS_BEST_EFFORT };

/* Requests as kube-scheduler computes them for the created pod: sum of containers and sidecars,
 * init containers by order, pod-level resources, overhead; limits default requests.
 * Upstream: component-helpers resource.PodRequests + pod defaulting. overhead may be NULL (the
 * pod's own is used). range: the LimitRange whose container defaults apply first; may be NULL. */
void pod_requests(struct arena *arena, const struct pod_template *pod,
                  const struct amounts *overhead, const struct limit_range *range,
                  struct pod_requests *ret_requests);
/* Sum of limits by the same rules. */
void pod_limits(struct arena *arena, const struct pod_template *pod,
                struct resource_amounts *ret_limits);
enum qos_class pod_qos(const struct pod_template *pod);
/* The amount of a resource; 0 and known when it is not there. */
struct resource_amount resources_get(const struct resource_amounts *amounts, str resource);

/* ---- workloads and scalers ---------------------------------------------------------- */

struct scaler;

struct count {
	int64_t value;
	bool known;
};

/* An object with a pod template, or a Pod (rules.md, Terms). */
struct workload {
	const struct object *object;
	const struct pod_template *pod;
	str namespace;                     /* effective */
	str text;                          /* Kind/namespace/name */
	bool daemon_set, job, singleton, critical;
	struct count baseline, peak;       /* replicas; 0 for DaemonSets */
	struct count replicas;             /* as declared or defaulted */
	struct scaler *scaler;             /* the first one that targets it, or NULL */
	struct pod_requests requests;
	const struct object *runtime_class;  /* declared and named by it, or NULL */
	const struct object *priority_class;
	/* Labels, selector and tolerations as the scheduler sees them (RuntimeClass merged in,
	 * DaemonSet tolerations added). */
	struct pairs node_selector;
	struct tolerations tolerations;
	/* It names a RuntimeClass that nothing declares: that may add tolerations, a nodeSelector
	 * and overhead, so an untolerated taint proves nothing and requests are lower bounds. */
	bool runtime_class_open;
	uint32_t index;
};
struct workloads VEC(struct workload *);

enum scaler_kind { SCALER_HPA, SCALER_SCALED_OBJECT };
enum target_state {
	SCALE_TARGET_FOUND,
	SCALE_TARGET_OTHER_GROUP,      /* same kind and name, API group wrong or missing */
	SCALE_TARGET_OTHER_VERSION,    /* found, but the version differs */
	SCALE_TARGET_OTHER_NAMESPACE, SCALE_TARGET_NEAR_NAME, SCALE_TARGET_OTHER_KIND, /* candidates */
	SCALE_TARGET_NONE,
	SCALE_TARGET_UNKNOWN,          /* a template in the reference */
};
struct scaler {
	const struct object *object;
	const struct hpa *hpa;             /* NULL for a ScaledObject */
	enum scaler_kind kind;
	str namespace;
	enum target_state target_state;
	struct workload *target;           /* when FOUND or OTHER_VERSION */
	const struct object *candidate;    /* the object meant, for the other states; may be NULL */
	struct count min, max;
};
struct scalers VEC(struct scaler *);

/* A workload that names a Service of another one (KL601 calls). */
struct call {
	const struct workload *caller, *callee;
	const struct object *service;
	const struct node *node;           /* the env value, arg or command item */
	str env_name;                      /* empty when it is none */
};
struct calls VEC(struct call);

/* What a kustomize patch names. */
struct patch_target {
	const struct tree *tree;           /* of the kustomization */
	const struct node *node;           /* its target, or the entry that names the patch file */
	str kind, name;
};
struct lost_patches VEC(struct patch_target);

/* ---- the scope that rules judge ------------------------------------------------------ */

/* When the absence of alerts is judged. */
enum alerts_setting { ALERTS_WHEN_DECLARED, ALERTS_ALWAYS, ALERTS_NEVER };

/* Workloads that a configuration speaks of: by labels of their pods and by namespace. */
struct workload_choice {
	struct label_selector selector;
	struct strs namespaces;            /* globs; none: all */
};
struct workload_choices VEC(struct workload_choice);
/* What such workloads must have: labels of their groups (KL117), or tolerated taints (KL118). */
struct house_policy {
	struct workload_choice workloads;
	struct pairs labels;
	struct taints taints;
};
struct house_policies VEC(struct house_policy);
/* Images whose names match, and what they run on ("linux/amd64"): KL114. */
struct image_platforms {
	str match;                         /* glob */
	struct strs platforms;
};
struct images VEC(struct image_platforms);
/* What somebody observed of a container (KL404); amounts as quantities, empty: not said. */
struct usage {
	str workload;                      /* Kind/namespace/name, or namespace/pod */
	str container, memory, cpu;
	struct span span;
};
struct usages VEC(struct usage);
/* Namespace of objects that name none, by a glob on the path of their file. */
struct namespace_rule {
	str path, namespace;
};
struct namespace_rules VEC(struct namespace_rule);
/* One of several clusters of a repo. Paths are relative to the root; "" is all of it. */
struct cluster {
	str name;
	struct strs paths, nodes;          /* none: all files; groups of all files */
	const struct settings *settings;
};
struct clusters VEC(struct cluster);

/* Thresholds and settings of config.md, at their defaults until a configuration says other. */
struct settings {
	struct version kubernetes;         /* target version */
	bool kubernetes_declared;          /* by option, config or node groups; else assumed */
	bool complete;
	struct strs apis;                  /* served APIs that no manifest shows */
	struct strs feature_gates;
	struct version metrics_server_min; /* 0.6.0 */
	int32_t usage_headroom_percent;    /* 20 */
	int32_t heap_percent;              /* 90 */
	int32_t headroom_percent;          /* 85: KL308, of a group at its maximum size */
	int32_t cpu_limit_percent;         /* 1000: KL407, limit / request */
	int32_t memory_limit_percent;      /* 200 */
	int32_t cpu_overcommit_percent;    /* 1000: KL406, sum of limits / allocatable */
	int32_t memory_overcommit_percent; /* 200 */
	int32_t scale_down_drop_percent;   /* 50: KL222, of maxReplicas within 60 s */
	int64_t scale_up_seconds;          /* 1800: KL214 */
	int64_t spot_notice_seconds;       /* 30: KL609 */
	enum alerts_setting alerts;        /* ALERTS_WHEN_DECLARED: KL701-703 */
	int32_t fleet_percent;             /* 0: KL303, of the way from baseline to peak */
	struct workload_choices critical;  /* besides those of system priority classes */
	struct strs special_groups;        /* globs on names of groups: KL120 */
	struct images images;
	struct house_policies label_policies, taint_policies;
	struct usages usages;
	struct namespace_rules namespaces; /* the first that matches wins */
	struct clusters clusters;          /* none: all files describe one */
	bool one_cluster;                  /* files of no cluster are not judged */
};

/* One cluster (and variant): everything in it may judge everything else in it. */
struct scope {
	struct arena *arena;
	str cluster;                       /* empty: the only one */
	str variant;                       /* "envs/prod" (several: joined by ", "); empty: the only one */
	const struct source_set *sources;
	const struct settings *settings;
	struct trees trees;                /* all parsed documents of it, without patches and templates */
	struct trees chart_templates;      /* documents below templates/ of a folder with Chart.yaml */
	struct objects objects;
	struct workloads workloads;
	struct scalers scalers;
	struct calls calls;
	struct lost_patches lost_patches;  /* patches that name no object of their build (KL014) */
	struct pools pools;
	struct groups groups;              /* those whose maximum is not 0 (rules.md, Terms) */
	bool terraform_unread;             /* *.tf with node groups and no plan or state */
	str terraform_file;
	/* Files and folders with text that could not be read: absence there proves nothing. */
	bool incomplete;
	struct strs incomplete_folders;
	struct model_index *index;         /* private */
};
struct scopes VEC(struct scope *);

/* Builds the scopes from everything that was read. trees and objects in argument order. */
void model_build(struct arena *arena, const struct source_set *sources,
                 const struct settings *settings, const struct trees *trees,
                 const struct objects *objects, struct scopes *ret_scopes);

/* Does the model read this document itself, though it may be no object (a kustomization
 * without apiVersion)? */
bool model_knows(const struct tree *tree);
/* Does it read objects of that kind besides those of kube and pools (what deploys a folder, what
 * holds chart values)? */
bool model_reads_kind(str api_version, str kind);

/* Settings at their defaults. */
void settings_default(struct settings *ret_settings);

/* kubectl's text form of a selector ("a=b,c!=d,e in (f,g),h,!i"); "" matches everything. false:
 * it is none. Lives in arena. */
bool selector_from_text(struct arena *arena, str text, struct label_selector *ret_selector);
/* Is the workload one of them? Labels that are not known are no match. */
bool workload_is_chosen(const struct workload_choice *choice, const struct workload *workload);

/* Namespace that an object lives in: its own, else the kustomization's, else "default"; empty
 * for cluster-scoped kinds. */
str object_namespace(const struct scope *scope, const struct object *object);

/* First object of that class with that namespace (ignored when empty) and name, or NULL. */
const struct object *scope_find(const struct scope *scope, enum object_class class, str ns,
                                str name);
/* Nearest declared name of that class ("" when none). */
str scope_nearest_name(const struct scope *scope, enum object_class class, str ns, str name);

/* Absence is provable nowhere in the folder of this object (a broken file lies there). */
bool scope_absence_hidden(const struct scope *scope, const struct object *object);

/* The LimitRange of a namespace, or NULL. */
const struct limit_range *scope_limit_range(const struct scope *scope, str ns);

/* Does the container have a request for the resource, after LimitRange defaults and limits
 * (limits_count: a limit stands in for it)? ret_zero: it is there and 0. */
bool container_requests(const struct scope *scope, str ns, const struct container *container,
                        str resource, bool *ret_zero);

/* ---- metrics APIs (KL208, KL210) ----------------------------------------------------- */

enum metrics_api { API_METRICS, API_CUSTOM_METRICS, API_EXTERNAL_METRICS };
struct api_provider {
	bool provided;
	const struct object *object;      /* APIService or workload; NULL: config or platform */
};
/* Who provides the API in this scope, and does the scope declare any provider at all? */
struct api_provider scope_api_provider(const struct scope *scope, enum metrics_api api);
bool scope_declares_metrics(const struct scope *scope);
const char *metrics_api_group(enum metrics_api api); /* "custom.metrics.k8s.io" */
enum metrics_api metric_api(enum metric_kind kind);

/* Is the container one of that program (last path part of its image, or its command)? */
bool container_runs(const struct container *container, const char *program);

/* ---- alerts -------------------------------------------------------------------------- */

enum alert_answer { ALERTS_NONE, ALERTS_UNDECIDED, ALERTS_READ };
/* Does any alert expression read one of the metrics (names, NULL ends)? NONE: rules are declared
 * and none does; UNDECIDED: templates or __name__ matchers. ret_any: rules are declared at all;
 * ret_first: the first declared rule object. */
enum alert_answer scope_alert_reads(const struct scope *scope, const char *const *metrics,
                               bool *ret_any, const struct object **ret_first);

#endif

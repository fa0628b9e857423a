/* pools: node groups and autoscaler settings, as declared in many formats.
 *
 * One file and one table row {name, detect, read} per format. Every fact of a group is
 * declared (with its place), implied (with the reason) or unknown; nothing unknown ever turns
 * into 0 or "none" (node-groups.md section 0).
 */
#ifndef KUBELINT_POOLS_H
#define KUBELINT_POOLS_H

#include "base.h"
#include "tree.h"
#include "kube.h"

enum origin {
	ORIGIN_UNKNOWN = 0,
	ORIGIN_DECLARED, /* node is the place */
	ORIGIN_IMPLIED,  /* why names the rule; node may be the place that implies it */
	ORIGIN_OBSERVED, /* a Node list or status ConfigMap: a snapshot, no declaration */
};

struct count_fact {
	int64_t value;           /* nodes */
	enum origin origin;
	const struct node *node;
	const char *why;
};

/* Possible values of a label key on the group's nodes. */
enum label_kind {
	LABEL_VALUES,  /* one of these values, on every node */
	LABEL_ANY,     /* present with any value that a pod asks for (Karpenter `Exists`) */
	LABEL_UNKNOWN, /* present or not, any value: decides nothing */
	LABEL_ABSENT,  /* certainly not there */
};
struct group_label {
	str key;
	enum label_kind kind;
	struct strs values;
	struct strs excluded;    /* LABEL_ANY: values it cannot have */
	enum origin origin;
	const struct node *node; /* where declared */
	const char *why;
};
struct group_labels VEC(struct group_label);

/* Amount of a resource on one empty node: safe <= optimistic. Units: cpu in millicores, all
 * others in whole units. */
struct capacity_fact {
	str resource;
	bool known;              /* false: unknown, and the amounts are 0 and max */
	int64_t safe, optimistic;
	enum origin origin;
	const struct node *node;
	const char *why;
};
struct capacity_facts VEC(struct capacity_fact);

/* One kind of node that the group may start: an instance type, or the only shape there is. */
struct node_shape {
	str instance_type;               /* empty: not named */
	struct group_labels labels;      /* labels that depend on the type (instance-type, arch …) */
	struct capacity_facts allocatable;
	bool allocatable_complete;       /* a resource not listed is 0 (extended ones always are) */
	const struct node *node;
};
struct node_shapes VEC(struct node_shape);

struct group {
	str name;
	const char *format;              /* row name: "native", "eksctl" … */
	str provider;                    /* aws gcp azure …; empty: unknown */
	const struct object *object;     /* that declares it; NULL for inventories and values */
	struct tree *tree;
	const struct node *node;         /* its list item or root */
	str object_api_version, object_kind, object_name, object_namespace; /* of the declaring document */
	struct group_labels labels;
	bool labels_complete;            /* a custom key not listed is absent */
	bool labels_exact;               /* observed nodes: every key not listed is absent */
	struct taints taints, startup_taints;
	bool taints_known;               /* false: further taints are possible */
	struct count_fact min, max, desired;
	struct count_fact smaller_max;   /* of a second declaration, below max: this one counts */
	bool per_zone;                   /* bounds count per zone (GKE) */
	struct strs zones;               /* empty: unknown */
	struct node_shapes shapes;       /* at least one */
	str os, arch;                    /* empty: any */
	str capacity_type;               /* on-demand, spot, reserved; empty: unknown */
	bool spot_only;
	struct capacity_facts daemon_overhead; /* per node, besides DaemonSets of the repo */
	struct capacity_facts limits;    /* Karpenter: cap on the sum over nodes */
	int64_t priority;                /* expander preference or NodePool weight */
	struct pairs tags;               /* cloud tags (ASG, launch template) that are no labels */
	bool managed_by_autoscaler;      /* a size range that an autoscaler moves in */
	bool known_by_name_only;         /* bounds from flags or status only */
	bool control_plane;
	struct strs aliases;             /* other names it goes by (ASG names from flags) */
	str version;                     /* declared Kubernetes version, empty: none */
	struct strs unknown;             /* names of facts that nobody declares, for notifications */
};
struct groups VEC(struct group *);

/* A second declaration of a group's bounds, kept for KL503/KL507. */
struct bounds_claim {
	str name;                        /* as written there */
	struct count_fact min, max, desired;
	const char *format;              /* "flag", "status", "config.yaml", "values" … */
	bool observed;                   /* status or Node list */
	struct tree *tree;               /* of the document that claims it */
	const struct object *object;     /* NULL for values and inventories */
	const struct node *node;
	struct group *group;             /* that it was merged into; NULL: none of that name */
};
struct bounds_claims VEC(struct bounds_claim);

/* Cluster-autoscaler settings; every text field absent when not set. */
struct autoscaler {
	const struct object *object;     /* the workload; NULL when only values or status declare it */
	const struct container *container;
	struct flag_uses flags;
	struct version version;          /* major -1: unknown */
	str namespace;                   /* where its ConfigMaps live */
	struct count_fact max_nodes_total;
	struct strs expanders;           /* in order */
	bool skip_local_storage;
	int64_t expendable_priority_cutoff;
};
struct autoscalers VEC(struct autoscaler *);

/* A cluster-autoscaler-status or -priority-expander ConfigMap of the repo. */
struct autoscaler_map {
	const struct object *object;
	bool status;                     /* else priority expander */
	bool config_yaml;                /* holds config.yaml / nodeGroups text (KL507 E) */
	const struct node *node;         /* the data entry of interest */
};
struct autoscaler_maps VEC(struct autoscaler_map);

/* Pods that a Fargate profile takes: nodes of their own, no group. */
struct fargate_selector {
	str namespace;                   /* may hold `*` and `?` */
	struct pairs labels;             /* all of them must be on the pod */
	const struct node *node;
};
struct fargate_selectors VEC(struct fargate_selector);

/* Everything that the repo says about nodes. */
struct pools {
	struct groups groups;            /* merged by name, in order of place */
	struct bounds_claims claims;
	struct autoscalers autoscalers;
	struct autoscaler_maps maps;
	bool karpenter;                  /* a NodePool or Provisioner, or native autoscaler: karpenter */
	bool autoscaler_declared;        /* CA declared (rules.md, Terms) */
	bool loose;                      /* a loose inventory was read: a notification says so */
	struct version declared_version; /* oldest that groups declare; major 0: none */
	struct strs notes;               /* notifications: "read v1beta9 with the v1 reader", … */
	struct strs fargate_notes;
	struct fargate_selectors fargate;
};

/* Does a Fargate profile take pods of that namespace and these labels? UNKNOWN when a label that
 * decides is not known. No placement or capacity verdict holds for such pods. */
enum answer pools_fargate_takes(const struct pools *pools, str ns, const struct pairs *labels);

/* True when a document of that apiVersion and kind (or, without both, with these top keys) is
 * in a node-group format.
 * root NULL: could such a document be in one, as far as apiVersion and kind tell (a glance of
 * the source room)? */
bool pools_knows(str api_version, str kind, const struct node *root);

/* Reads all node groups and autoscaler settings from parsed documents and bound objects. trees
 * and objects are those of one cluster. Faults (FAULT_INVENTORY …) go to the trees. */
void pools_read(struct arena *arena, const struct trees *trees, const struct objects *objects,
                struct pools *ret_pools);

/* The value set of a label key on the group for one shape; never NULL (a shared constant for
 * unknown or absent keys). */
const struct group_label *group_label_find(const struct group *group,
                                           const struct node_shape *shape, str key);
/* Allocatable of a resource on a shape; known with 0 when the format says that it is absent. */
struct capacity_fact shape_allocatable(const struct group *group, const struct node_shape *shape,
                                       str resource);

/* One row of the instance catalogue (generated from rules/data/instance-types.csv). */
struct instance_type {
	const char *provider, *name, *arch, *gpu_resource;
	int32_t milli_cpu, memory_mib, gpu_count, max_pods, local_storage_gb; /* 0: not known (gpu: none) */
};
const struct instance_type *instance_type_find(str provider, str name); /* provider empty: any */

/* The EKS arithmetic (allocatable.md section 1), MiB and millicores; for tests too. */
struct node_estimate {
	int64_t milli_cpu, memory_safe_mib, memory_optimistic_mib, pods, ephemeral_mib;
};
void eks_estimate(const struct instance_type *type, int64_t max_pods_override,
                  struct node_estimate *ret_estimate);

/* True when a name in a flag or status means this group (exact, or the clouds' patterns). */
bool group_goes_by(const struct group *group, str name);

#endif

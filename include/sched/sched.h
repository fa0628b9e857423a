/* sched: verdicts as kube-scheduler and the HPA controller give them. Pure functions.
 *
 * Filters run in the scheduler's order (a table); each answers yes, no or unknown with the
 * scheduler's own reason and the facts that decided it. Upstream: kube-scheduler v1.36.3
 * plugins NodeUnschedulable … InterPodAffinity.
 */
#ifndef KUBELINT_SCHED_H
#define KUBELINT_SCHED_H

#include "base.h"
#include "kube.h"
#include "pools.h"
#include "model.h"

enum filter {
	FILTER_NODE_UNSCHEDULABLE, FILTER_NODE_NAME, FILTER_TAINT_TOLERATION, FILTER_NODE_AFFINITY,
	FILTER_NODE_PORTS, FILTER_NODE_RESOURCES_FIT, FILTER_VOLUME_ZONE,
	FILTER_POD_TOPOLOGY_SPREAD, FILTER_INTER_POD_AFFINITY,
	FILTER_COUNT,
};
const char *filter_name(enum filter filter); /* plugin name: "NodeAffinity" */

/* Why one filter answered as it did. */
struct reason {
	enum filter filter;
	enum answer answer;
	str text;                      /* the scheduler's words: "Insufficient cpu" */
	str detail;                    /* evidence: "lacks label role=inference", "cpu 4 of 1930m" */
	const struct node *pod_node;   /* selector entry, expression, toleration, request; may be NULL */
	const struct node *group_node; /* label, taint, allocatable of the group; may be NULL */
	str key;                       /* label key, taint key or resource */
	const struct taint *taint;     /* the untolerated taint */
	const struct toleration *nearest_toleration; /* same key, or NULL */
};
struct reasons VEC(struct reason);

/* May one pod of w run on an empty node of the group (its DaemonSets counted)? */
struct verdict {
	const struct workload *workload;
	const struct group *group;
	enum answer answer;            /* with the optimistic allocatable */
	bool tight;                    /* the safe allocatable says otherwise */
	enum answer by_filter[FILTER_COUNT];
	enum answer selector, affinity; /* NodeAffinity split: nodeSelector alone, affinity alone */
	struct reasons reasons;        /* all that are not yes, in the scheduler's order */
};

/* A workload against all groups of its scope. */
struct placement {
	const struct workload *workload;
	struct verdict *verdicts;      /* one per group of scope->groups, same order */
	size_t count;
	bool undecidable;              /* no groups, another scheduler, nodeName set */
	str undecidable_why;
};

/* How many replicas fit alone at maxSize (model.md section 4). */
struct capacity {
	const struct workload *workload;
	bool known;                    /* false: placeable and upper are not known */
	int64_t placeable;             /* safe allocatable, at most the peak */
	int64_t upper;                 /* optimistic, at most the peak */
	int64_t total;                 /* optimistic, not cut at the peak; INT64_MAX: unbounded */
	/* As total, but for what the pods demand of each other over topologies (spread and
	 * anti-affinity beyond the host name): more than total means that these limit it. */
	int64_t spread_total;
	bool tight;                    /* placeable < upper */
	str limited_by;                /* binding resource, "pods", "maxSize" …; empty when all fit */
	struct group_share {
		const struct group *group;
		int64_t nodes, per_node;   /* optimistic; nodes = maxSize, INT64_MAX: unbounded */
		str limited_by;
	} *shares;
	size_t share_count;
};
struct capacities VEC(struct capacity *);

/* Everything judged about one scope; owned by arena. */
struct judgement {
	const struct scope *scope;
	struct placement *placements;  /* one per workload, by workload index */
	struct capacity *capacities;   /* one per workload; DaemonSets have known false */
	size_t count;
	struct bench *bench;           /* private: what further questions start from */
};
/* Verdicts and capacities of all workloads. In a large scope workloads that every filter treats
 * alike share their verdicts: verdict.workload and reason.pod_node are then those of the first
 * of them; a workload that runs nowhere always has its own. */
struct judgement *sched_judge(struct arena *arena, const struct scope *scope);

/* ---- fleets -------------------------------------------------------------------------- */

/* So many replicas of a workload. */
struct fleet_item {
	const struct workload *workload;
	int64_t replicas;
};

/* Several workloads together on all groups of the scope, DaemonSets first. */
struct fleet {
	enum answer fits;              /* YES: a placement is known; NO: none exists */
	bool open;                     /* facts that nobody declares may change the answer, or
	                                * the placement is partial and proves nothing */
	int64_t demand;                /* pods */
	int64_t lower, upper;          /* lower <= pods that can be placed <= upper */
	/* The placement behind lower leaves out workloads whose demands on others it does not
	 * follow: lower < demand then proves nothing. */
	bool partial;
	int64_t *placed;               /* per item, of the placement behind lower */
	/* Per item: a scheduler-like filling leaves no node for one more pod of it (the surge of a
	 * rollout). false proves nothing. */
	bool *crowded;
	/* Per group of the scope, by a scheduler-like filling (large pods first). */
	struct fleet_group {
		const struct group *group;
		int64_t nodes;         /* nodes with some pod of the items */
		int64_t percent;       /* of the scarcest resource, beside the DaemonSets */
		str resource;          /* that one; extended resources do not count */
	} *groups;
	str limited_by;                /* resource that proves upper < demand; "pods"; empty */
	const struct group *group;     /* that lacks most of it, or NULL */
};
struct fleet_question {
	const struct fleet_item *items;
	size_t count;
	/* Every group has its maximum of nodes. Otherwise groups may be smaller, which leaves out
	 * domains that would stop a spread. */
	bool at_maximum;
	bool formulas_only;            /* do not decide small fleets by trying all ways */
};
void sched_fleet(struct arena *arena, const struct judgement *judgement,
                 const struct fleet_question *question, struct fleet *ret_fleet);

/* The fleet of a scope that rules judge: every workload at its baseline, or at its peak, but
 * DaemonSets, Jobs and those that do not even fit alone. */
void sched_fleet_of_scope(struct arena *arena, const struct judgement *judgement, bool peak,
                          struct fleet_question *ret_question, struct fleet *ret_fleet);

/* The same question after a loss: without that group (or NULL), and with no node in that zone
 * (empty: no zone is lost). A group of several zones loses its even share, rounded up. */
struct fleet_loss {
	const struct group *group;
	str zone;
};
void sched_fleet_after(struct arena *arena, const struct judgement *judgement,
                       const struct fleet_question *question, const struct fleet_loss *loss,
                       struct fleet *ret_fleet);
/* The zones that the scope's groups certainly have, by their label; in order of first use. */
void sched_zones(struct arena *arena, const struct scope *scope, struct strs *ret_zones);

/* Requests of the DaemonSets that run on a node of that shape, with pod slots as resource
 * "pods" (each one counts 1). */
void sched_daemon_overhead(struct arena *arena, const struct scope *scope,
                           const struct group *group, const struct node_shape *shape,
                           struct resource_amounts *ret_amounts);

/* May a node with that label satisfy the requirement, taken alone? Of a set of values, one is
 * enough. */
enum answer label_admits(const struct group_label *label, const struct requirement *requirement);
/* The same for some node of the group: the best of its shapes. */
enum answer group_admits(const struct group *group, const struct requirement *requirement);

/* Does an affinity term of owner's pods select the pods of other? Namespaces, namespaceSelector
 * and the label keys of the term count. */
enum answer pod_affinity_selects(const struct pod_affinity_term *term,
                                 const struct workload *owner, const struct workload *other);

/* ---- one node ------------------------------------------------------------------------ */

/* A node that stands for itself, and the pods that run on it already. */
struct node_state {
	str name;
	bool unschedulable;
	const struct workload *const *pods; /* one entry a pod */
	size_t pod_count;
	bool comparison;               /* gate TaintTolerationComparisonOperators */
};

/* All filters on one concrete node, the only one of its cluster: group and shape say its labels
 * (one value each), taints and allocatable. Each filter is asked, so reasons has every cause. */
void node_judge(struct arena *arena, const struct workload *workload, const struct group *group,
                const struct node_shape *shape, const struct node_state *state,
                struct verdict *ret_verdict);

/* Sum of the weights of preferred node affinity terms that such a node matches. */
int64_t node_preferred_score(struct arena *arena, const struct workload *workload,
                             const struct group *group, const struct node_shape *shape,
                             str node_name);

/* Index of the first NoSchedule or NoExecute taint at or behind `from` that no toleration
 * covers; taints->n when there is none. comparison: gate TaintTolerationComparisonOperators. */
size_t taint_untolerated(const struct tolerations *tolerations, const struct taints *taints,
                         size_t from, bool comparison);
/* How many PreferNoSchedule taints nothing tolerates (upstream's score counts these). */
size_t taint_soft_untolerated(const struct tolerations *tolerations, const struct taints *taints,
                              bool comparison);

/* ---- the HPA controller -------------------------------------------------------------- */

enum hpa_phase { HPA_POD_RUNNING, HPA_POD_PENDING, HPA_POD_FAILED };

/* A pod as the HPA controller sees it. */
struct hpa_pod {
	enum hpa_phase phase;
	bool never_ready;
	bool has_metrics;
	struct hpa_usage {
		str container, resource;   /* resource empty: the container reports nothing */
		int64_t milli;
	} *usage;                          /* entries of one container stand together */
	size_t usage_count;
	const struct workload *workload;   /* whose pod it is; NULL: the target's */
};
struct hpa_condition {
	const char *type, *status, *reason; /* literals */
};
struct hpa_decision {
	bool decided;                      /* false: the controller came to no decision */
	int64_t desired;
	struct hpa_condition conditions[4];
	size_t condition_count;
};
/* One run of the controller that has seen nothing before. Metrics of custom.metrics.k8s.io and
 * external.metrics.k8s.io have no data and fail. */
struct hpa_input {
	const struct hpa *hpa;
	const struct workload *target;     /* NULL: scaleTargetRef names nothing */
	int64_t current;                   /* spec.replicas of the target */
	const struct hpa_pod *pods;        /* that the target's selector matches */
	size_t pod_count;
	bool ambiguous;                    /* another HPA's target selects one of the pods */
	int64_t down_window_seconds;       /* --horizontal-pod-autoscaler-downscale-stabilization */
};
/* Upstream: pkg/controller/podautoscaler v1.36.3, tolerance 0.1, gates at their defaults. */
void hpa_decide(struct arena *arena, const struct hpa_input *input,
                struct hpa_decision *ret_decision);

#endif

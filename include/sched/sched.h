/* sched: verdicts as kube-scheduler and the HPA controller give them. Pure functions.
 *
 * Filters run in the scheduler's order (a table); each answers yes, no or unknown with the
 * scheduler's own reason and the facts that decided it. Upstream: kube-scheduler v1.36.3
 * plugins NodeUnschedulable … InterPodAffinity.
 *
 * What may be claimed (model.md section 2): a *no* rests on declared facts only. Two bounds are
 * kept of everything that is counted: one that is never too low (optimistic allocatable, groups
 * that only may take a pod, bounds that nobody declares) and one that is never too high.
 *
 * Units: cpu in millicores, all other resources in whole units; nodes and pods are counts.
 * INT64_MAX stands for unbounded. Sums saturate there and never overflow. Results live in the
 * arena that is given; they point into the scope, which has to outlive them.
 */
#ifndef KUBELINT_SCHED_H
#define KUBELINT_SCHED_H

#include "base.h"
#include "kube.h"
#include "pools.h"
#include "model.h"

/* Filters in the order that the scheduler runs them in. FILTER_VOLUME_ZONE stands for VolumeBinding
 * and VolumeZone: the nodeAffinity of PersistentVolumes that the pod's claims are bound to. */
enum filter {
	FILTER_NODE_UNSCHEDULABLE, FILTER_NODE_NAME, FILTER_TAINT_TOLERATION, FILTER_NODE_AFFINITY,
	FILTER_NODE_PORTS, FILTER_NODE_RESOURCES_FIT, FILTER_VOLUME_ZONE,
	FILTER_POD_TOPOLOGY_SPREAD, FILTER_INTER_POD_AFFINITY,
	FILTER_COUNT,
};
const char *filter_name(enum filter filter); /* plugin name: "NodeAffinity" */

/* Why one filter answered as it did. One filter may give several: each nodeSelector entry, taint
 * and resource that is not fine has a reason of its own. */
struct reason {
	enum filter filter;
	enum answer answer;            /* NO, or UNKNOWN */
	/* The scheduler's own words: "Insufficient cpu", "node(s) had untolerated taint(s)". */
	str text;
	/* The evidence, equal for groups that fail alike, so that messages can count by it:
	 * "lacks label role=inference", "cpu 4 of 1930m"; of an unknown: the missing fact. */
	str detail;
	/* Where the pod says so: selector entry, expression, toleration, request; may be NULL. */
	const struct node *pod_node;
	/* Where the group does: label, taint, allocatable; NULL when it is implied or absent. */
	const struct node *group_node;
	str key;                       /* label key, taint key or resource; may be empty */
	/* Of TaintToleration: the untolerated taint, and the toleration that comes nearest: of
	 * the same key, and of the same value when there is such a one. NULL else. */
	const struct taint *taint;
	const struct toleration *nearest_toleration;
};
struct reasons VEC(struct reason);

/* May one pod of w run on an empty node of the group (its DaemonSets counted)? Of a group with
 * several shapes: the best of them, and the reasons of that one. Spread and pod affinity are
 * asked for their topology label only; how many pods a domain takes is a matter of capacity. */
struct verdict {
	const struct workload *workload;
	const struct group *group;
	enum answer answer;            /* with the optimistic allocatable */
	bool tight;                    /* the safe allocatable says otherwise */
	/* Answers of the single filters; answer is the smallest of them. */
	enum answer by_filter[FILTER_COUNT];
	/* NodeAffinity split: nodeSelector alone, affinity alone. Both may be yes while the filter
	 * says no: then no value satisfies them at once. */
	enum answer selector, affinity;
	struct reasons reasons;        /* all that are not yes, in the scheduler's order */
};

/* A workload against all groups of its scope. The verdicts are there in any case, for the matrix;
 * where the placement is undecidable no rule may judge by them. */
struct placement {
	const struct workload *workload;
	struct verdict *verdicts;      /* one per group of scope->groups, same order */
	size_t count;
	bool undecidable;              /* no groups, another scheduler, nodeName set */
	str undecidable_why;
};

/* How many replicas fit alone at maxSize, DaemonSets first (model.md section 4). Affinity to other
 * workloads is taken as kept: whom a pod wants near is a question of fleets. */
struct capacity {
	const struct workload *workload;
	/* false: facts that nobody declares decide. true also where they do not matter: enough
	 * fits without them (placeable is the peak), or too little even with them (upper is
	 * below the peak, which proves it). */
	bool known;
	int64_t placeable;             /* never too high: safe allocatable; at most the peak */
	int64_t upper;                 /* never too low: optimistic; at most the peak */
	int64_t total;                 /* upper, not cut at the peak; INT64_MAX: unbounded */
	/* As total, but for what the pods demand of each other over topologies (spread and
	 * anti-affinity beyond the host name): more than total means that these limit it. */
	int64_t spread_total;
	bool tight;                    /* placeable < upper */
	/* What keeps further replicas out: a resource, "pods" (slots), "hostPort",
	 * "podAntiAffinity", "podAffinity" or "topologySpread"; empty when all fit. */
	str limited_by;
	/* Groups that do not say no: what they add to total, before topologies. nodes is maxSize;
	 * limited_by is what runs out on one node, or keeps it at one pod. */
	struct group_share {
		const struct group *group;
		int64_t nodes, per_node;
		str limited_by;
	} *shares;
	size_t share_count;
};
struct capacities VEC(struct capacity *);

/* Everything judged about one scope; owned by arena. Rules and reports only read it. */
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

/* So many replicas of a workload of the judged scope. 0 or less: it is left out. */
struct fleet_item {
	const struct workload *workload;
	int64_t replicas;
};

/* Several workloads together on all groups of the scope, DaemonSets first. The upper bound joins
 * what each can have alone by flows from workloads to the groups that may take them, for each
 * resource and in whole pods; the lower one is a placement. Small fleets (some dozen nodes, all
 * facts declared) are decided by trying. */
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
/* What is asked. Items are in the order of the files; the placement takes them by priority, then
 * by size. */
struct fleet_question {
	const struct fleet_item *items;
	size_t count;
	/* Every group has its maximum of nodes. Otherwise groups may be smaller, which leaves out
	 * domains that would stop a spread. */
	bool at_maximum;
	bool formulas_only;            /* do not decide small fleets by trying all ways */
};
/* ret_fleet's arrays live in arena; memory of the work itself is given back. */
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

/* All workloads but DaemonSets and Jobs at their baseline or peak, each cut to what fits alone: how
 * the groups are used in the end, for whoever looks at them. */
void sched_fleet_that_fits(struct arena *arena, const struct judgement *judgement, bool peak,
                           struct fleet *ret_fleet);
/* The least maxSize of the group with which a scheduler-like filling places every replica, at the
 * peaks, of all workloads that have a place at all; the other groups stay as they are. -1: no size
 * does, nobody declares what decides, or the scope is too large to try. May be below the present
 * maximum, and 0 where nothing needs the group. */
int64_t sched_least_max(const struct judgement *judgement, const struct group *group);

/* Requests of the DaemonSets that run on a node of that shape, with pod slots as resource
 * "pods" (each one counts 1). */
void sched_daemon_overhead(struct arena *arena, const struct scope *scope,
                           const struct group *group, const struct node_shape *shape,
                           struct resource_amounts *ret_amounts);

/* The same for a group of the judged scope, without working it out again. */
const struct resource_amounts *sched_used(const struct judgement *judgement,
                                          const struct group *group,
                                          const struct node_shape *shape);

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

/* A node that stands for itself, and the pods that run on it already, whether they fit or not.
 * This is what the conformance vectors ask; the linter itself knows groups only. */
struct node_state {
	str name;                      /* metadata.name, for nodeName and matchFields */
	bool unschedulable;            /* spec.unschedulable, whatever taints there are */
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

/* Phases that the controller tells apart; a succeeded pod counts as running. */
enum hpa_phase { HPA_POD_RUNNING, HPA_POD_PENDING, HPA_POD_FAILED };

/* A pod as the HPA controller sees it, an hour after its start. */
struct hpa_pod {
	enum hpa_phase phase;
	bool never_ready;                  /* its cpu is then no measure */
	bool has_metrics;                  /* metrics.k8s.io knows the pod at all */
	struct hpa_usage {
		str container, resource;   /* resource empty: the container reports nothing */
		int64_t milli;             /* thousandths of the resource's unit */
	} *usage;                          /* entries of one container stand together */
	size_t usage_count;
	const struct workload *workload;   /* whose pod it is; NULL: the target's */
};
/* One of status.conditions: AbleToScale, ScalingActive or ScalingLimited; without its message. */
struct hpa_condition {
	const char *type, *status, *reason; /* literals */
};
/* What the controller writes to status and, where desired differs from current, to the target's
 * scale. conditions are in the order in which they were first set. */
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

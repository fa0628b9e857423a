/* What only the files of sched share: pods and places prepared for many questions, and the
 * filters over them.
 *
 * The order of work: a bench is made of a scope once. It holds a profile of every workload's
 * pod and a site for every shape of every group, with the DaemonSets that run there. Each kind
 * of pod (a class) is then asked about each group, which gives verdicts for people and offers
 * for arithmetic. Capacities add up offers (capacity.c), narrow them by what pods demand of
 * each other (solo.c), and fleets join them (fleet.c, greedy.c, crowd.h).
 *
 * Everything lives in the arena of the bench. Nothing here is changed after bench_new() and
 * classify(), so a bench may be asked from several threads, each with an arena of its own.
 */
#ifndef KUBELINT_SCHED_INTERNAL_H
#define KUBELINT_SCHED_INTERNAL_H

#include "base.h"
#include "kube.h"
#include "pools.h"
#include "model.h"
#include "sched.h"

#define HOSTNAME_LABEL "kubernetes.io/hostname"
#define UNSCHEDULABLE_TAINT "node.kubernetes.io/unschedulable"

/* ---- pods ------------------------------------------------------------------------------- */

/* One thing asked of a node label: an expression, or a nodeSelector entry as one. */
struct demand {
	str key;
	const struct requirement *requirement;
	bool open;                       /* a template or patch may say other */
	size_t order;                    /* place in the pod, selector entries first */
};
/* Sorted by key, so that all demands on one label stand together: one value of the label has to
 * meet all of them at once. */
struct demands VEC(struct demand);

/* One nodeSelectorTerm, by itself and together with the nodeSelector. */
struct term_profile {
	const struct node_selector_term *term;
	bool parses;                     /* upstream skips a term that does not */
	struct demands alone;            /* its own expressions */
	/* Those on keys that the nodeSelector names too, with its entries: the only ones for
	 * which it matters that one value meets both. */
	struct demands shared;
};

/* One host port of a pod. Upstream: GetHostPorts, after defaultHostNetworkPorts. */
struct port_use {
	str protocol, ip;                /* defaults filled in */
	int64_t port;
	bool unknown;
	const struct node *node;
};
/* Sorted by port, protocol and address, the address that stands for all of them first. */
struct port_uses VEC(struct port_use);

/* Where a volume of the pod may be used: nodeAffinity of its PersistentVolume. */
struct volume_profile {
	struct term_profile *terms;
	size_t term_count;
	str text;                        /* "claim data, volume pv-1" */
	const struct node *pod_node;     /* the pod's volume */
	const struct node *volume_node;  /* the terms */
};

/* A workload's pod, prepared once and asked about often. */
struct pod_profile {
	const struct workload *workload;
	/* nodeSelector with what RuntimeClass adds; then the ORed terms of required node
	 * affinity, each with and without it. No terms and a node in the workload's
	 * required_node_terms: an affinity that matches nothing. */
	struct demands selector;
	struct term_profile *terms;
	size_t term_count;
	/* Tolerations by key, those without key first; pointers into the workload's list. */
	const struct toleration **tolerations;
	size_t toleration_count, keyless_count;
	bool tolerations_open;           /* a template or RuntimeClass may add one for anything */
	struct port_uses ports;          /* host ports */
	/* One entry a PersistentVolume with nodeAffinity; all of them have to be in reach. */
	struct volume_profiles {
		struct volume_profile *v;
		size_t n, cap;
	} volumes;
};

/* Prepares a workload; the profile and what it points to live in arena, or in the workload's own
 * tree, which has to outlive it. Never NULL. */
struct pod_profile *pod_profile_new(struct arena *arena, const struct workload *workload);
/* Terms prepared alone, without the nodeSelector; array of terms->n. */
struct term_profile *profile_terms_alone(struct arena *arena,
                                         const struct node_selector_terms *terms);
/* May two pods not share a node for their host ports? ret_port: the port of a, or NULL. */
enum answer ports_clash(const struct port_uses *a, const struct port_uses *b,
                        const struct port_use **ret_port);

/* Does the term (of a pod of owner) select the pods of other? Namespaces and matchLabelKeys
 * count; pods of two workloads never share a pod-template-hash. */
enum answer affinity_term_selects(const struct pod_affinity_term *term,
                                  const struct workload *owner, const struct workload *other);
/* Do all terms select it? NO without any. */
enum answer affinity_terms_select(const struct pod_affinity_terms *terms,
                                  const struct workload *owner, const struct workload *other);
/* Does a spread constraint of owner select the pods of other, and does it count them? */
enum answer spread_selects(const struct spread_constraint *constraint,
                           const struct workload *owner, const struct workload *other);
enum answer spread_counts(const struct spread_constraint *constraint,
                          const struct workload *owner, const struct workload *other);
bool spread_is_hard(const struct spread_constraint *constraint);

/* Adds the nodeAffinity of the PersistentVolumes that the pod's claims name. */
void pod_add_volumes(struct arena *arena, const struct scope *scope, struct pod_profile *profile);

/* ---- places ----------------------------------------------------------------------------- */

/* One kind of node, and what is on it before the pod in question comes. Of a group: any of its
 * nodes of one shape, with DaemonSets only. In the vectors: one concrete node. */
struct site {
	const struct group *group;
	const struct node_shape *shape;
	str node_name;                   /* empty: any node of the group */
	bool unschedulable;
	/* DaemonSets that certainly run on every such node, or the pods given. */
	const struct pod_profile **pods;
	size_t pod_count;
	/* DaemonSets that may run there: on some nodes only, or by a fact that is not known. */
	const struct pod_profile **maybe;
	size_t maybe_count;
	/* What pods take, with their number as resource "pods", and what group.daemon_overhead
	 * declares besides. used is the optimistic sum; used_most counts maybe in. */
	struct resource_amounts used;
	struct resource_amounts used_most;
};

/* Adds a pod's requests and its slot to a site's sums, saturating at INT64_MAX. */
void site_add_use(struct arena *arena, struct resource_amounts *used,
                  const struct pod_profile *profile);

/* ---- filters ---------------------------------------------------------------------------- */

/* One pod against one site. Cheap to make; lives on the stack. */
struct question {
	struct arena *arena;
	const struct pod_profile *profile;
	const struct site *site;
	bool safe;                       /* with the safe allocatable and all that may run there */
	bool comparison;                 /* gate TaintTolerationComparisonOperators */
	struct reasons *reasons;         /* NULL: only the answer is wanted */
};
/* A filter adds a reason for each cause when reasons are wanted, and answers for all of them: the
 * smallest of its partial answers. */
typedef enum answer filter_function(const struct question *question);

/* taints.c. A site is cordoned only when it is one concrete node. */
enum answer filter_unschedulable(const struct question *question);
enum answer filter_taints(const struct question *question);
/* affinity.c: nodeSelector and required terms; nodeAffinity of the pod's PersistentVolumes. */
enum answer filter_affinity(const struct question *question);
enum answer filter_volume_zone(const struct question *question);
/* resources.c: amounts and pod slots, beside what is on the site. */
enum answer filter_resources(const struct question *question);
/* filters.c. Spread and pod affinity only ask whether the topology label is there: the rest is
 * decided by the pods of a fleet (solo.c, crowd.h). */
enum answer filter_node_name(const struct question *question);
enum answer filter_ports(const struct question *question);
enum answer filter_spread(const struct question *question);
enum answer filter_pod_affinity(const struct question *question);

/* Adds a reason when reasons are wanted, and gives it to be filled in; NULL otherwise. text is a
 * literal, or lives in the question's arena. */
struct reason *question_because(const struct question *question, enum filter filter,
                                enum answer answer, const char *text);

/* Runs one filter of the table (filters.c), with reasons if the question wants them. */
enum answer question_ask(const struct question *question, enum filter filter);

/* nodeSelector alone and node affinity alone, as struct verdict shows them. */
enum answer affinity_selector_alone(const struct question *question);
enum answer affinity_terms_alone(const struct question *question);
/* Both at once: values exist that satisfy the nodeSelector and one whole term. What spread's
 * nodeAffinityPolicy asks too. */
enum answer affinity_admits(const struct question *question);
/* Does every node of the site admit the pod, whatever values its labels have? */
bool affinity_admits_all(const struct question *question);
/* One term by itself. */
enum answer affinity_term_matches(const struct site *site, const struct term_profile *term);
/* Do all NoSchedule and NoExecute taints of the site have a toleration? */
enum answer taints_admit(const struct question *question);

/* The value set of a label at a site. The host name is there unless the group says other. */
const struct group_label *site_label(const struct site *site, str key);

/* What one pod may still take of a resource at a site, and what it asks. cpu in millicores, all
 * else in whole units; allocatable and free are INT64_MAX where nobody declares them. */
struct room {
	str resource;
	int64_t request, free, allocatable, used;
	bool unknown;                    /* the request is a lower bound, or free is a guess */
};
/* The i-th resource that the pod asks for, its slot ("pods") first; false behind the last. A
 * DaemonSet in question does not count among those that use the site. */
bool site_room(const struct question *question, size_t i, struct room *ret_room);

/* ---- a scope under judgement ----------------------------------------------------------- */

/* What a group offers to one kind of pod: the arithmetic side of a verdict. */
struct offer {
	enum answer answer;              /* optimistic */
	bool tight;                      /* the safe allocatable says no */
	size_t site;                     /* the shape that suits best, as index into sites */
	/* Pods on one node: optimistic and over the best shape; safe and, but for Karpenter,
	 * over the worst one. Host ports and anti-affinity over the host name leave one. */
	int64_t most, least;
	str limited_by;                  /* what runs out first on one node; "hostPort" … */
};

/* All kinds of nodes of one group: sites[first .. first + count). Bounds that count per zone are
 * multiplied by the zones. */
struct group_sites {
	const struct group *group;
	size_t first, count;
	/* Nodes at its maximum; INT64_MAX: no bound. Equal where the bound is known. */
	int64_t nodes_most, nodes_least;
	bool bound_known;
};

/* Pods that are judged alike, and what they were told. Workloads of one class differ in names,
 * labels, replicas, and in what they demand of other pods. */
struct pod_class {
	const struct pod_profile *profile; /* of the first of them */
	size_t number;                     /* in order of making */
	struct verdict *verdicts;          /* per group */
	struct offer *offers;              /* per group */
	struct group_share *shares;        /* of the groups that do not say no */
	size_t share_count;
	/* Pods on all groups, by what each offers times its nodes, Karpenter limits counted in.
	 * open: an answer or a bound that nobody declares may change the sums. */
	int64_t most, least;
	bool open;
};

/* Everything prepared about a scope. Groups and workloads are numbered as in the scope. */
struct bench {
	struct arena *arena;
	const struct scope *scope;
	bool comparison;                 /* gate TaintTolerationComparisonOperators */
	struct pod_profile **profiles;   /* per workload */
	struct pod_class **classes;      /* per workload; several may share one */
	struct group_sites *groups;      /* per group */
	struct site *sites;
	size_t site_count;
	struct reasons *scratch;         /* where reasons are collected before they are copied */
	struct map *labels;              /* namespace, label, value -> struct workloads with it */
};

/* Fills labels. */
void bench_index_labels(struct bench *bench);
/* Do pods of other declared workloads count for the selector, in the owner's namespace or
 * whatever ones the term names? Exactly one of the two is given. */
bool bench_others_selected(const struct bench *bench, const struct workload *owner,
                           const struct spread_constraint *constraint,
                           const struct pod_affinity_term *term);

/* Prepares profiles, sites and the DaemonSets on them. classes are left to the caller. */
struct bench *bench_new(struct arena *arena, const struct scope *scope);
/* Finds out which DaemonSets run on a site; profiles: of all workloads. */
void site_add_daemons(const struct bench *bench, struct site *site);
/* Text that is equal for pods which every filter treats alike. */
str pod_signature(struct arena *arena, const struct pod_profile *profile);
/* Verdicts and offers of one kind of pod, one of each per group. */
struct pod_class *bench_judge(const struct bench *bench, const struct pod_profile *profile);
/* The best verdict over the shapes of a group: by the answer, then by how near it comes, labels
 * before size. Reasons are those of that shape. */
void bench_judge_group(const struct bench *bench, const struct pod_profile *profile,
                       size_t group, struct verdict *ret_verdict, struct offer *ret_offer);
/* Fills shares, most, least and open from the offers. */
void class_add_up(const struct bench *bench, struct pod_class *class);
/* How many replicas a workload can have by itself; its class has to be judged. */
void bench_measure(const struct bench *bench, const struct workload *workload,
                   struct capacity *ret_capacity);

/* Places what certainly can be placed, large pods first; fills placed, groups and partial, and
 * gives the number of pods. arena: for the result. */
int64_t greedy_fill(struct arena *arena, const struct bench *bench,
                    const struct fleet_question *question, struct fleet *fleet);

/* Narrows total and *least by what pods of the workload demand of each other: spread, pod
 * affinity and anti-affinity over topologies. */
void solo_measure(const struct bench *bench, const struct workload *workload,
                  struct capacity *capacity, int64_t *least);

/* All filters; fills by_filter, selector, affinity and answer of the verdict. */
enum answer question_ask_all(const struct question *question, struct verdict *ret_verdict);

#endif

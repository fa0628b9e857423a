/* What only the files of sched share: pods and places prepared for many questions, and the
 * filters over them.
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
	size_t order;                    /* place in the pod, selector entries first */
};
/* Sorted by key, so that all demands on one label stand together. */
struct demands VEC(struct demand);

/* One nodeSelectorTerm. */
struct term_profile {
	const struct node_selector_term *term;
	bool parses;                     /* upstream skips a term that does not */
	struct demands alone;            /* its own expressions */
	struct demands merged;           /* with the nodeSelector's entries */
};

struct port_use {
	str protocol, ip;                /* defaults filled in */
	int64_t port;
	bool unknown;
	const struct node *node;
};
struct port_uses VEC(struct port_use);

/* A workload's pod, prepared once and asked about often. */
struct pod_profile {
	const struct workload *workload;
	struct demands selector;
	struct term_profile *terms;      /* of required node affinity */
	size_t term_count;
	struct port_uses ports;          /* host ports */
	/* Nodes that a volume of the pod may be used on; NULL: anywhere. */
	const struct node_selector_terms *volume_terms;
	struct term_profile *volume_profiles;
	const struct node *volume_node;
	const struct pod_profile *signature; /* the first pod that is judged alike, or itself */
};

/* Prepares a workload; the profile lives in arena. */
struct pod_profile *pod_profile_new(struct arena *arena, const struct workload *workload);
/* Adds the nodeAffinity of a PersistentVolume that the pod mounts. */
void pod_profile_add_volume(struct arena *arena, struct pod_profile *profile,
                            const struct node_selector_terms *terms, const struct node *node);
/* May two pods not share a node for their host ports? ret_port: the port of a, or NULL. */
enum answer ports_clash(const struct port_uses *a, const struct port_uses *b,
                        const struct port_use **ret_port);

/* ---- places ----------------------------------------------------------------------------- */

/* One kind of node, and what is on it before the pod in question comes. */
struct site {
	const struct group *group;
	const struct node_shape *shape;
	str node_name;                   /* empty: any node of the group */
	bool unschedulable;
	const struct pod_profile **pods; /* DaemonSets, or the pods given */
	size_t pod_count;
	const struct pod_profile **maybe;/* DaemonSets that may run there */
	size_t maybe_count;
	struct resource_amounts used;    /* by pods, with their number as "pods" */
	struct resource_amounts used_most; /* by pods and maybe */
};

/* Adds a pod's requests and its slot to a site's sums. */
void site_add_use(struct arena *arena, struct resource_amounts *used,
                  const struct pod_profile *profile);

/* ---- filters ---------------------------------------------------------------------------- */

/* One pod against one site. */
struct question {
	struct arena *arena;
	const struct pod_profile *profile;
	const struct site *site;
	bool safe;                       /* with the safe allocatable and all that may run there */
	bool comparison;                 /* gate TaintTolerationComparisonOperators */
	struct reasons *reasons;         /* NULL: only the answer is wanted */
};
typedef enum answer filter_function(const struct question *question);

filter_function filter_unschedulable, filter_node_name, filter_taints, filter_affinity,
	filter_ports, filter_resources, filter_volume_zone, filter_spread, filter_pod_affinity;

/* Adds a reason when reasons are wanted; NULL otherwise. */
struct reason *question_because(const struct question *question, enum filter filter,
                                enum answer answer, const char *text);

/* Runs one filter of the table. */
enum answer question_ask(const struct question *question, enum filter filter);

/* nodeSelector alone and node affinity alone. */
enum answer affinity_selector_alone(const struct question *question);
enum answer affinity_terms_alone(const struct question *question);
/* Both at once; what spread's nodeAffinityPolicy asks too. */
enum answer affinity_admits(const struct question *question);
/* Do all NoSchedule and NoExecute taints of the site have a toleration? */
enum answer taints_admit(const struct question *question);

/* The value set of a label at a site. The host name is there unless the group says other. */
const struct group_label *site_label(const struct site *site, str key);

/* What one pod may still take of a resource at a site, and what it asks. */
struct room {
	str resource;
	int64_t request, free, allocatable, used;
	bool unknown;                    /* the request is a lower bound, or free is a guess */
};
/* The i-th resource that the pod asks for, its slot ("pods") first; false behind the last. */
bool site_room(const struct question *question, size_t i, struct room *ret_room);

/* All filters; fills by_filter, selector and affinity. */
enum answer question_ask_all(const struct question *question, struct verdict *ret_verdict);

#endif

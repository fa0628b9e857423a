/* pools-internal: what the readers of formats share.
 *
 * A reader gets one document (or an item of a List) and appends groups to the pools. It reads
 * only node kinds that it has checked: every input is hostile. Facts that cannot be read stay
 * unknown; what is wrong becomes a FAULT_INVENTORY of the document's tree, with the class of the
 * mistake in c.
 */
#ifndef KUBELINT_POOLS_INTERNAL_H
#define KUBELINT_POOLS_INTERNAL_H

#include "pools.h"

#define LABEL_OS "kubernetes.io/os"
#define LABEL_ARCH "kubernetes.io/arch"
#define LABEL_HOSTNAME "kubernetes.io/hostname"
#define LABEL_TYPE "node.kubernetes.io/instance-type"
#define LABEL_ZONE "topology.kubernetes.io/zone"
#define LABEL_REGION "topology.kubernetes.io/region"
#define CONTROL_PLANE "node-role.kubernetes.io/control-plane"

#define MIB ((int64_t)1024 * 1024)

/* ---- documents ----------------------------------------------------------------------- */

/* A document, or an item of a List. */
struct entry {
	struct tree *tree;
	const struct node *root;
	const struct object *object;  /* bound from this root; NULL: none */
	str api_version, kind, name, namespace;
};
struct entries VEC(struct entry);

struct format;

/* All documents of one call, so that a reader can follow references. */
struct context {
	struct arena *arena;
	struct pools *pools;
	const struct objects *objects;
	struct entries entries;
	struct map *by_name;          /* "Kind/name" -> the first struct entry of that name */
	struct map *scaled;           /* names of MachineSets that a MachineAutoscaler sizes */
	struct entries nodes;         /* v1 Nodes, grouped when all are seen */
	struct map *type_labels;      /* instance type -> its labels, shared by pools */
	size_t shape_count;           /* of Karpenter's pools */
	const struct node *discovery; /* groups are found by tags; NULL: nothing says so */
	struct entry discovery_entry; /* where that stands */
	unsigned nesting;             /* documents in documents */
	struct map *quiet;            /* trees whose inventory faults an earlier call told */
};

/* What one reader works on. */
struct reader {
	struct arena *arena;
	struct context *context;
	struct pools *pools;
	const struct entry *entry;
	const struct node *scalar;    /* the text that is read; NULL: the document itself */
	const char *format;
};

/* One format: how its documents are told from others, and who reads them. */
struct format {
	const char *name;
	const char *versions;         /* known ones, by blanks; NULL: it has none */
	bool (*detect)(str api_version, str kind, const struct node *root);
	void (*read)(const struct reader *reader);
};

/* A document by kind and name, its group starting with prefix; NULL when there is none. */
const struct entry *context_find(const struct context *context, const char *group_prefix,
                                 str kind, str name);
/* Does apiVersion belong to this API group ("eksctl.io")? */
bool version_in_group(str api_version, const char *group);

/* detect() and read() of each format, by file. */
#define POOLS_FORMAT(name) \
	bool name##_detect(str api_version, str kind, const struct node *root); \
	void name##_read(const struct reader *reader)
POOLS_FORMAT(native);
POOLS_FORMAT(loose);
POOLS_FORMAT(eksctl);
POOLS_FORMAT(karpenter);
POOLS_FORMAT(nodes);
POOLS_FORMAT(terraform);
POOLS_FORMAT(crd);
POOLS_FORMAT(kind);
POOLS_FORMAT(k3d);
POOLS_FORMAT(kubeadm);
POOLS_FORMAT(kops);
POOLS_FORMAT(status);
POOLS_FORMAT(values);
POOLS_FORMAT(release);
POOLS_FORMAT(openshift);
POOLS_FORMAT(capi);
POOLS_FORMAT(talos);
POOLS_FORMAT(rke2);
POOLS_FORMAT(rancher);
POOLS_FORMAT(kueue);

/* Groups the Nodes that were seen (nodes.c). */
void nodes_finish(struct context *context);
/* Bound objects: autoscaler workloads and ConfigMaps (ca-*.c). */
void autoscaler_read_objects(struct context *context);
void autoscaler_read_map(const struct reader *reader, const struct object *object);
/* Keeps a claim of bounds under that name; the reader's object is its place. */
void claim_add(const struct reader *reader, str name, struct bounds_claim claim);
/* Groups are found by tags, as the reader's document says at node. */
void discovery_note(const struct reader *reader, const struct node *node);
/* The group's name in what a flag or status calls it (of a URL the last part). */
str claim_name(str name);
/* Joins groups that go by one name, attaches claims and says what stays unknown (merge.c). */
void merge_groups(struct context *context);

/* ---- faults -------------------------------------------------------------------------- */

/* Adds a FAULT_INVENTORY about node; class is a literal word. NULL when it was told before. */
struct fault *reader_fault(const struct reader *reader, const struct node *node, const char *class,
                           const char *format, ...) BASE_PRINTF(4, 5);

/* ---- facts --------------------------------------------------------------------------- */

/* A new group that node declares, in the pools' list: os linux, no shape yet. */
struct group *group_new(const struct reader *reader, str name, const struct node *node);

/* A group of which nothing is known but that it may take any pod (Auto Mode, Autopilot, node
 * auto-provisioning). */
struct group *group_unknown(const struct reader *reader, str name, const struct node *node);
/* Finds fault with what should be a list of groups. A template in place of it may make any: an
 * unknown group stands for them. */
void group_list_check(const struct reader *reader, const struct node *list);
/* Is the item of a list a group with a name (at name, may be NULL) that none before it has? Else a
 * fault, or for a template an unknown group. names: those that were seen. */
bool group_item_check(const struct reader *reader, const struct node *item,
                      const struct node *name, struct map *names);
/* A Fargate profile with its list of selectors {namespace, labels}. */
void pools_read_fargate(const struct reader *reader, const struct node *name,
                        const struct node *selectors);

/* The whole number at node (also in quotes when text is true); absent: the fact stays as it is.
 * Something else than a number is a fault and unknown. */
void read_count(const struct reader *reader, const struct node *node, bool text,
                struct count_fact *ret_fact);
/* As read_count(), for a number that is no size; class is the fault's. */
void read_number(const struct reader *reader, const struct node *node, bool text, const char *class,
                 struct count_fact *ret_fact);
void count_imply(struct count_fact *fact, int64_t value, const struct node *node,
                 const char *why);
/* The first of the keys that the node has. */
const struct node *node_first(const struct node *node, const char *const *keys, size_t count);

/* One label with one value. The first of a key stays. */
struct group_label *label_declare(struct arena *arena, struct group_labels *labels, str key,
                                  str value, const struct node *node);
struct group_label *label_imply(struct arena *arena, struct group_labels *labels, str key,
                                str value, const char *why);
struct group_label *label_find(const struct group_labels *labels, str key);
/* A map of labels. Anything else is a fault, and the labels are no closed list then. */
void read_labels(const struct reader *reader, const struct node *map, struct group *group);
/* "k=v,k2=v2" */
void read_label_text(const struct reader *reader, str text, const struct node *node,
                     struct group *group);
/* A list of {key, value, effect} or "key=value:Effect", or a map of key to "value:Effect". */
void read_taints(const struct reader *reader, const struct node *node, struct group *group,
                 struct taints *taints);
/* One taint in kubectl's form; a fault when it is none. */
void read_taint_text(const struct reader *reader, str text, const struct node *node,
                     struct group *group, struct taints *taints);
void taint_imply(struct arena *arena, struct group *group, const char *key, const char *value,
                 const char *effect);
/* A resource list (cpu in millicores, else whole units). */
void read_amounts(const struct reader *reader, const struct node *map,
                  struct capacity_facts *facts);
struct capacity_fact *capacity_find(const struct capacity_facts *facts, str resource);
struct capacity_fact *capacity_put(struct arena *arena, struct capacity_facts *facts,
                                   str resource);
/* Texts of a list of scalars, or of one scalar. Unknown ones (templates) are left out; false
 * when there was one. */
bool read_texts(const struct reader *reader, const struct node *node, struct strs *ret_texts);
void read_pairs(const struct reader *reader, const struct node *map, struct pairs *pairs);
/* Zones as a set of values of the zone label; also the region when it is not empty. */
void read_zones(const struct reader *reader, const struct node *list, struct group *group);
void group_set_region(const struct reader *reader, struct group *group, str region);
void group_set_os(const struct reader *reader, struct group *group, str os);
void group_set_capacity_type(struct group *group, const char *type);
/* The oldest version that groups declare. */
void pools_add_version(struct pools *pools, str text);
void pools_note(struct context *context, struct strs *notes, str text);
bool text_is_any(str text, const char *const *words, size_t count);

/* ---- shapes -------------------------------------------------------------------------- */

/* Reservations that a kubelet configuration declares. */
struct reservations {
	bool declared;                 /* something of them is written down */
	bool eviction_declared;        /* evictionHard is set: signals not listed have none */
	int64_t milli_cpu, memory, ephemeral;
	int64_t eviction_memory, eviction_ephemeral; /* bytes */
	int64_t eviction_memory_percent, eviction_ephemeral_percent;
	bool unknown;                  /* some part of it cannot be read */
};

/* What decides the allocatable of a group's shapes. */
struct sizing {
	struct capacity_facts allocatable; /* declared */
	struct capacity_facts capacity;    /* declared */
	const struct node *allocatable_node; /* the map; NULL: none */
	const struct node *capacity_node;
	struct reservations reserved;
	int64_t max_pods;                  /* 0: not set */
	const struct node *max_pods_node;
	int64_t disk_gib;                  /* 0: not known */
	bool reserves_by_pods;             /* Bottlerocket: kube-reserved counts the actual pods */
	bool kubelet_only;                 /* nothing reserved but the kubelet's own eviction */
	bool slots_by_type;                /* with kubelet_only: the network counts pods by type */
	bool hidden_kubelet;               /* launch template, own AMI: reservations not known */
};

void read_reservations(const struct reader *reader, const struct node *kube,
                       const struct node *system, const struct node *eviction,
                       struct reservations *ret_reserved);
void read_max_pods(const struct reader *reader, const struct node *node, struct sizing *sizing);

/* A shape of that instance type; provider, arch and labels are taken from the catalogue. */
struct node_shape *shape_add(const struct reader *reader, struct group *group, str type,
                             const struct node *node);
/* Works out the allocatable of every shape; adds the one nameless shape when there is none. */
void shapes_resolve(const struct reader *reader, struct group *group, const struct sizing *sizing);
/* The allocatable of one shape only. */
void shape_resolve(const struct reader *reader, const struct group *group,
                   const struct sizing *sizing, struct node_shape *shape);

/* Millicores that GKE and EKS reserve of so many. */
int64_t tiered_milli_cpu(int64_t milli_cpu);

/* ---- names --------------------------------------------------------------------------- */

/* Walks the names that a cloud's name may stand for: itself first, then what is left without
 * the parts that clouds put around a group's name. Views of name; a zeroed walk with its name
 * set begins. */
struct name_walk {
	str name;
	unsigned step;
	size_t at;
};
bool name_walk_next(struct name_walk *walk, str *ret_name);
/* Does part, one of the names that whole may stand for, mean the group? */
bool name_may_be(const struct group *group, str whole, str part);

/* Number of rows in the catalogue, and a row, for Karpenter's pools and tests. */
const struct instance_type *instance_types_all(size_t *ret_count);

#endif

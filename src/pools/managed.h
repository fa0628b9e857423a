/* managed: node pools of EKS, GKE and AKS, which Terraform, Crossplane, ACK, Config Connector and
 * Azure Service Operator all describe with the fields of the clouds' APIs (node-groups.md sections
 * 5 to 8). Names are given in Terraform's spelling (max_node_count); maxNodeCount is found too, and
 * a list of one object counts as the object.
 */
#ifndef KUBELINT_MANAGED_H
#define KUBELINT_MANAGED_H

#include "pools-internal.h"

/* One pool at hand. */
struct managed {
	str name;
	const struct node *values;   /* its fields */
	const struct node *unknown;  /* Terraform: true where known after apply; or NULL */
	const struct node *node;     /* the place of the group */
	const struct node *location; /* of the cluster, where the pool names none; or NULL */
	str version;                 /* of the cluster; may be empty */
	str instance_type;           /* of a launch template that was found; may be empty */
};

/* The value of a field in either spelling; NULL also for null. */
const struct node *managed_get(const struct node *values, const char *name);
/* As managed_get(), the object of a list of one. */
const struct node *managed_block(const struct node *values, const char *name);
/* Is the field set, but its value known only after apply? */
bool managed_is_unknown(const struct managed *managed, const char *name);
/* node_bool() of a field; false when absent. */
bool managed_flag(const struct node *values, const char *name);

struct group *managed_read_eks(const struct reader *reader, const struct managed *managed);
struct group *managed_read_gke(const struct reader *reader, const struct managed *managed);
struct group *managed_read_aks(const struct reader *reader, const struct managed *managed);

/* A group with its labels and taints, the steps that all three clouds share. */
struct group *managed_begin(const struct reader *reader, const struct managed *managed,
                            const char *provider, const char *labels, const char *taints);

/* GKE taints accelerator pools of clusters that have others too: known when all are read. */
void managed_finish_gke(struct context *context);

#endif

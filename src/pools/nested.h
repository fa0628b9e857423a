/* nested: documents inside of documents, and Helm values of the charts that matter here.
 *
 * A Terraform resource, a HelmRelease or an Argo CD Application holds manifests or values; they are
 * read as if they stood alone, with their places in the outer file.
 */
#ifndef KUBELINT_NESTED_H
#define KUBELINT_NESTED_H

#include "pools-internal.h"

/* A node as a value of a map, and back; NULL gives NULL. */
void *nested_hold(struct arena *arena, const struct node *node);
const struct node *nested_held(void *held);

/* Reads a manifest that is a map of the document itself; anything else is passed over. */
void nested_read_node(const struct reader *reader, const struct node *root);
/* Reads every manifest in the text of a scalar. */
void nested_read_text(const struct reader *reader, const struct node *scalar);
/* Reads values of a chart: a map, or a text that holds one. */
void nested_read_values(const struct reader *reader, str chart, const struct node *values);

/* Values of the cluster-autoscaler chart (values.c). */
void values_read_autoscaler(const struct reader *reader, const struct node *values);
/* Reads one document of any format (pools.c). */
void read_entry(struct context *context, const struct entry *entry, const struct node *scalar);

#endif

/* kubelet-args: what a kubelet registers of its node, as arguments or configuration, for the
 * formats that write these (kubeadm, kind, k3s, RKE2, Talos, Cluster API). */
#ifndef KUBELINT_KUBELET_ARGS_H
#define KUBELINT_KUBELET_ARGS_H

#include "pools-internal.h"

/* One argument by name without dashes: node-labels, register-with-taints, max-pods,
 * kube-reserved, system-reserved, eviction-hard; others are passed over. */
void kubelet_arg_read(const struct reader *reader, str name, str value, const struct node *node,
                      struct group *group, struct sizing *sizing);
/* kubeletExtraArgs: a map, or since v1beta4 a list of {name, value}. */
void kubelet_args_read(const struct reader *reader, const struct node *args, struct group *group,
                       struct sizing *sizing);
/* KubeletConfiguration. */
void kubelet_config_read(const struct reader *reader, const struct node *config,
                         struct sizing *sizing);
/* kubeadm's nodeRegistration. control_plane: without taints of its own it has the default one. */
void registration_read(const struct reader *reader, const struct node *registration,
                       bool control_plane, struct group *group, struct sizing *sizing);
/* The label, and with a taint also the taint, of a control plane. */
void control_plane_imply(const struct reader *reader, struct group *group, bool taint,
                         const char *value);
/* A group of so many nodes, all there. */
void group_set_fixed(struct group *group, int64_t count, const struct node *node);

#endif

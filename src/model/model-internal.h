/* What only the files of model share: the index of a scope and its makers. */
#ifndef KUBELINT_MODEL_INTERNAL_H
#define KUBELINT_MODEL_INTERNAL_H

#include "base.h"
#include "model.h"

/* Look-ups of a scope. Keys are built by model_key(). */
struct model_index {
	struct map *objects;    /* class, namespace, name -> first object of them */
	struct map *workloads;  /* kind, namespace, name -> struct workload */
	struct map *by_kind;    /* kind, namespace, name -> any object */
	struct map *namespaces; /* path of a file -> namespace that its kustomization gives (a str) */
	struct map *hidden;     /* folders with unreadable text */
};

/* One key of an index: three texts with a byte between them that no name has. */
str model_key(struct arena *arena, str first, str second, str third);

/* Folder part of a path, without the final slash; "" for a file at the root. */
str path_folder(str path);

/* Reads the kustomizations of the scope: namespaces of builds, patch files (their documents
 * leave scope->trees and scope->objects; the fields they touch become unknown). */
void model_read_kustomizations(struct scope *scope);

/* Fills scope->workloads from scope->objects. */
void model_add_workloads(struct scope *scope);

/* Fills scope->scalers, links them to workloads and works out baseline and peak. */
void model_add_scalers(struct scope *scope);

/* Fills scope->calls (rules.md, KL601 calls). */
void model_add_calls(struct scope *scope);

/* RuntimeClass, PriorityClass, tolerations, selector and requests of one workload. */
void workload_resolve(struct scope *scope, struct workload *workload);

#endif

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
	struct map *fallbacks;  /* path of a file -> namespace of objects that name none (a str) */
	struct map *hidden;     /* folders with unreadable text */
	struct map *limit_ranges; /* namespace -> its first struct limit_range */
	struct api_provider providers[3]; /* by enum metrics_api */
	bool declares_metrics;  /* some provider of some metrics API is declared */
};

/* One key of an index: three texts with a byte between them that no name has. */
str model_key(struct arena *arena, str first, str second, str third);

/* `entry` as seen from folder, with `.` and `..` resolved; empty when it leaves the root or is
 * a URL. */
str path_resolve(struct arena *arena, str folder, str entry);
/* Does a kustomize target's text, a regular expression over the whole, mean text? An empty one
 * means all. */
bool model_text_matches(struct arena *arena, str pattern, str text);

/* Builds that include each other are cut at this depth. */
#define BUILD_DEPTH 16

/* Paths of the files and folders that the kustomization in folder takes in, in order; empty ones
 * for what is not in the repository. */
void kustomization_members(struct arena *arena, str folder, const struct node *root,
                           struct strs *ret_paths);

/* Finds the patches that name no object of their build, before patch files are dropped. */
void model_find_lost_patches(struct arena *arena, const struct trees *trees,
                             const struct objects *objects, struct lost_patches *ret_lost);

/* One kustomize build that no other build uses: a root kustomization and all that it reaches. */
struct build {
	str folder;
	struct map *files;      /* path of each file of it -> NULL or its namespace (a str) */
};
struct kustomize_builds VEC(struct build *);

/* Finds the builds of all trees. Documents that are patches leave trees and objects; the fields
 * that they touch become unknown. */
void model_read_kustomizations(struct arena *arena, struct trees *trees, struct objects *objects,
                               struct kustomize_builds *ret_builds);

/* One way to describe the same thing: a build, a folder with all below it, or (exact) just the
 * files of a folder. */
struct alternative {
	const struct build *build; /* NULL: a folder */
	str folder;
	bool exact;
};
struct alternatives VEC(struct alternative);

/* Alternatives that exclude each other (model.md section 1, Variants). */
struct dimension {
	str parent;             /* folder at which their paths part; of builds: "" */
	struct alternatives alternatives;
};
struct dimensions VEC(struct dimension *);

/* The dimensions of a repo: builds that share a file or declare the same object, and folders
 * that declare the same object. */
void model_find_dimensions(struct arena *arena, const struct objects *objects,
                           const struct kustomize_builds *builds,
                           struct dimensions *ret_dimensions);

/* Which alternative of each dimension one variant takes. */
struct choice {
	const struct dimensions *dimensions;
	size_t *taken;          /* one index per dimension */
};
struct choices VEC(struct choice);

/* Every variant to judge; exactly one when there are no dimensions. */
void model_list_choices(struct arena *arena, const struct dimensions *dimensions,
                        struct choices *ret_choices);
/* Does the file belong to this variant (or to all of them)? */
bool choice_holds(const struct choice *choice, str path);
/* Folders that were taken where there was a choice, joined by ", ". */
str choice_text(struct arena *arena, const struct choice *choice);

/* The trees and objects of one of the clusters; cluster NULL: those that none of them holds. */
void model_take_cluster(struct arena *arena, const struct clusters *clusters,
                        const struct cluster *cluster, const struct trees *trees,
                        struct trees *ret_trees);
void model_take_cluster_objects(struct arena *arena, const struct clusters *clusters,
                                const struct cluster *cluster, const struct objects *objects,
                                struct objects *ret_objects);

/* Gives files the namespaces that the configuration has for objects that name none. */
void model_read_namespace_rules(struct scope *scope, const struct namespace_rules *rules);

/* Reads where Flux and Argo CD deploy folders to, for objects that name no namespace. */
void model_read_deployers(struct scope *scope);

/* Fills scope->workloads from scope->objects. */
void model_add_workloads(struct scope *scope);

/* Fills scope->scalers, links them to workloads and works out baseline and peak. */
void model_add_scalers(struct scope *scope);

/* Fills scope->calls (rules.md, KL601 calls). */
void model_add_calls(struct scope *scope);

/* Finds who provides the metrics APIs; once, since every HPA asks. */
void model_find_metrics(struct scope *scope);

/* RuntimeClass, PriorityClass, tolerations, selector and requests of one workload. */
void workload_resolve(struct scope *scope, struct workload *workload);

#endif

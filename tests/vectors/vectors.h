/* vectors: what the areas of the conformance runner share.
 *
 * Every manifest goes the way of any input: text, tree, kube, model. Only node groups, which
 * the vectors give in a form of their own, are put together here.
 */
#ifndef KUBELINT_VECTORS_H
#define KUBELINT_VECTORS_H

#include "base.h"
#include "kube.h"
#include "model.h"
#include "pools.h"
#include "source.h"
#include "tree.h"

/* One line of a vector file. */
struct vector {
	struct arena *arena;
	str id;
	const struct node *in, *expect;
	struct buf miss;          /* what differs; empty: passed */
	bool undecided;           /* the answer was "unknown", which is not wrong */
	bool matching_only;       /* apiValid is not asked */
};

/* One area: how its vectors are checked. */
struct area {
	const char *name;
	void (*check)(struct vector *vector);
};
extern const struct area areas[];
extern const size_t area_count;

void check_quantity(struct vector *vector);
void check_selector(struct vector *vector);
void check_node_affinity(struct vector *vector);
void check_toleration(struct vector *vector);
void check_requests(struct vector *vector);
void check_fit(struct vector *vector);
void check_hpa(struct vector *vector);
void check_validation(struct vector *vector);
void check_placement(struct vector *vector);

/* Notes a difference of two texts, numbers or truths. */
void want_text(struct vector *vector, const char *what, str got, str wanted);
void want_number(struct vector *vector, const char *what, int64_t got, int64_t wanted);
void want_bool(struct vector *vector, const char *what, bool got, bool wanted);

/* expect's value, absent meaning false, 0 or "". */
bool expect_bool(const struct vector *vector, const char *path);
int64_t number_at(const struct node *node, const char *path, int64_t fallback);

/* A node written as JSON, as it stood there. */
str json_text(struct arena *arena, const struct node *node);

/* What the loader makes of texts, one file each. */
struct loaded {
	struct source_set *set;
	struct trees trees;
	struct objects objects;
	const struct scope *scope;      /* NULL when nothing was read */
};
/* gates: feature gates switched on; may be NULL. */
void load_texts(struct arena *arena, const str *texts, size_t count, const struct strs *gates,
                struct loaded *ret_loaded);
/* in.manifest alone. */
void load_manifest(struct vector *vector, const struct node *manifest, const struct strs *gates,
                   struct loaded *ret_loaded);
/* Holds apiValid: would the API server take everything? */
void want_valid(struct vector *vector, const struct loaded *loaded);
/* The first workload, or NULL (then a miss is noted). */
const struct workload *first_workload(struct vector *vector, const struct loaded *loaded);

/* A group in the neutral form of the vectors, with one shape and all facts known. node_name not
 * empty: the group is that one node, and carries its host name. */
struct group *read_group(struct arena *arena, const struct node *node, str node_name);
/* The vectors' nodes have no label but those given: says so of every key that the pods of the
 * workloads name, of the host name only on request. */
void close_labels(struct arena *arena, struct group *group, const struct workloads *workloads,
                  bool host_too);

#endif

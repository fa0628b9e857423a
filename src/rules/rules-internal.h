/* What the rule functions share: how a finding is made, and the words of its message.
 *
 * A rule function reads verdicts and emits. It fills the finding that emit_…() gives back with
 * finding_message() (lower-case start, no final stop, evidence with numbers), finding_help()
 * (the number or the line that would make it right), finding_relate() and finding_fix().
 */
#ifndef KUBELINT_RULES_INTERNAL_H
#define KUBELINT_RULES_INTERNAL_H

#include "rules.h"
#include "rules-generated.h"

/* The arena of texts that end up in findings. */
#define JUDGE_ARENA(judge) ((judge)->sink->arena)

/* ---- emitting ---------------------------------------------------------------------------- */

/* How reports name the object: namespace resolved, empty for cluster-scoped kinds. */
struct object_ref object_ref_of(const struct scope *scope, const struct object *object);

/* How reports name a group: the object that declares it when that is one object for one group,
 * else kind NodeGroup of kubelint.dev/v1 (outputs.md section 0 rule 8). */
struct object_ref group_ref_of(const struct scope *scope, const struct group *group);

/* A finding about node of the object, with object, path, span and the keys for covering set:
 * value is the node, owner the object (a rule that speaks of a workload's fate on its scaler
 * sets finding->partner to the workload's struct object). node NULL: the object's root. missing:
 * name of the absent field below node, which the path then ends in; else NULL. */
struct finding *emit_at(const struct judge *judge, enum level level, const struct object *object,
                        const struct node *node, const char *missing);

/* The same about a node of the group's document; owner is the group. node NULL: the group's. */
struct finding *emit_group(const struct judge *judge, enum level level,
                           const struct group *group, const struct node *node,
                           const char *missing);

/* The root of each object of the scope, for object_at(); keys are views into the objects. */
const struct map *object_roots(struct arena *arena, const struct scope *scope);

/* The object of the tree that the node lies in; NULL when it is no object's. */
const struct object *object_at(const struct judge *judge, const struct node *node);

/* A finding about a fault of a text, at its place; the object where there is one. */
struct finding *emit_fault(const struct judge *judge, enum level level, const struct tree *tree,
                           const struct fault *fault);

/* Does the node lie in the object (and not in a RuntimeClass that was merged in)? */
bool node_is_of(const struct node *node, const struct object *object);

/* The rule cannot say anything about the object while the fact is missing. */
void emit_undecided(const struct judge *judge, const struct object *object, str missing);

/* An edit that replaces the place of a scalar by text, as a fix of its own. Does nothing when the
 * scalar came in through an alias or a merge key: the edit would change other places too. */
void emit_fix(const struct judge *judge, struct finding *finding, bool safe,
              const struct node *scalar, str text, const char *description);

/* ---- words ------------------------------------------------------------------------------- */

/* "1 group", "3 groups": the noun takes an s. */
str count_text(struct arena *arena, int64_t count, const char *noun);

/* Parts joined by ", ", at most limit of them: "a, b and 3 more". */
str list_text(struct arena *arena, const struct strs *parts, size_t limit);

/* A label as selectors are written: "role=inference", "role" without a value. */
str label_text(struct arena *arena, str key, str value);

/* What one amount is in messages: "4 cpu", "16Gi memory", "1 nvidia.com/gpu". */
str request_text(struct arena *arena, str resource, int64_t amount);

/* A value as YAML may hold it in place of another one: quoted where it would be no string. */
str scalar_text(struct arena *arena, str value);

/* "0/3 node groups can run it: 2 lack label role=inference, 1 has taint spot=true:NoSchedule
 * that it does not tolerate": each group's first reason, equal ones counted, the most
 * frequent first and only a few of them. */
str placement_text(struct arena *arena, const struct placement *placement);

/* Why one group says no, in the singular: "lacks label role=inference". */
str reason_text(struct arena *arena, const struct reason *reason);

/* The same in the plural for count groups: "lack label …", "have taint …". */
str reasons_text(struct arena *arena, const struct reason *reason, size_t count);

/* Was the request of the resource taken from a limit (KL403 tells more)? */
bool limit_stands_in(const struct workload *workload, str resource);

/* ---- verdicts ---------------------------------------------------------------------------- */

/* The verdict on a workload, never NULL (a placement of a scope without groups has none). */
const struct placement *placement_of(const struct judge *judge, const struct workload *workload);
const struct capacity *capacity_of(const struct judge *judge, const struct workload *workload);

/* Is the group in L(w): neither nodeSelector nor required node affinity says no? */
bool verdict_labels_admit(const struct verdict *verdict);

/* Does every group that would fit fail for the zone of a volume alone (KL116)? */
bool volume_leaves_no_group(const struct placement *placement);

/* The reason that is named for a group: a label it lacks before anything else, NULL without. */
const struct reason *verdict_first_no(const struct verdict *verdict);

/* First reason of that filter that says no, or NULL. */
const struct reason *verdict_reason(const struct verdict *verdict, enum filter filter);

/* ---- labels ------------------------------------------------------------------------------ */

/* A value that a label has on some group's nodes. */
struct label_use {
	const struct group *group;
	const struct group_label *label;
	str value;
};
struct label_uses VEC(struct label_use);

/* The values of a label key on all groups of the scope, each once; an empty key means every
 * label, then with repeats. */
void label_uses_find(struct arena *arena, const struct scope *scope, str key,
                     struct label_uses *ret_uses);

/* The one whose value is nearest (rules.md, Terms), or NULL. */
const struct label_use *label_use_nearest(const struct label_uses *uses, str value);

/* The label with exactly that value whose key is nearest, or NULL. */
const struct label_use *label_key_nearest(struct arena *arena, const struct scope *scope,
                                          str key, str value);

/* ---- what several families ask ----------------------------------------------------------- */

/* Is it a Deployment whose rolling update of so many replicas must start a pod before it stops
 * one (maxUnavailable comes to 0)? Upstream: deployment util.ResolveFenceposts. */
bool rollout_needs_more(const struct workload *workload, int64_t replicas);

/* The workload's own host port, anti-affinity term or spread constraint that keeps so many
 * replicas from fitting though they would without it; NULL when it is none of these. */
const struct node *self_limit(const struct workload *workload, const struct capacity *capacity,
                              int64_t demand);

/* Only one access mode, and that one. */
bool claim_is_only(const struct claim *claim, const char *mode);

/* The part of KL114 about images whose platforms the configuration tells. */
void check_images(const struct judge *judge);

/* May pods of the workload run on more than one node? */
bool pods_may_spread(const struct judge *judge, const struct workload *workload);

#endif

/* ask: second leaf of model's door. Questions that one rule or two ask, each answered in a file
 * of its own (src/model/ask-TOPIC.c), so that the first leaf stays readable. As there, all
 * results are read-only and unknown facts never become a verdict.
 */
#ifndef KUBELINT_ASK_H
#define KUBELINT_ASK_H

#include "base.h"
#include "kube.h"
#include "model.h"

/* ---- PromQL (KL701-705) ---------------------------------------------------------------- */

/* One matcher of a series selector: label OP "value". */
struct promql_matcher {
	str label, value;           /* value: between the quotes, escapes as written */
	bool negated, regex;        /* != and !~, =~ and !~ */
};
struct promql_matchers VEC(struct promql_matcher);

/* One series selector of an expression. */
struct promql_use {
	str name;                   /* a view of the expression; empty: only matchers */
	struct promql_matchers matchers;
	bool instant;               /* no [range], offset or @ behind it */
};
struct promql_uses VEC(struct promql_use);

enum promql_op { PROMQL_EQUAL, PROMQL_UNEQUAL, PROMQL_ABOVE, PROMQL_BELOW, PROMQL_AT_LEAST,
	         PROMQL_AT_MOST };

/* A comparison of which both sides are bare: a selector on the left, a selector or a number
 * on the right. Whatever is computed (sums, functions, arithmetic) is not listed. */
struct promql_comparison {
	enum promql_op op;
	size_t left;                /* index into uses */
	size_t right;               /* index into uses; SIZE_MAX: a number */
	struct quantity number;
};
struct promql_comparisons VEC(struct promql_comparison);

/* What a tokenizer sees of an expression: no grammar is checked. readable is false when a
 * template stands in it or its brackets do not close; named is false when a selector gives
 * the name by a matcher on __name__, so that further metrics may be read. */
struct promql {
	bool readable, named;
	struct promql_uses uses;
	struct promql_comparisons comparisons;
};
void promql_read(struct arena *arena, str expression, struct promql *ret_promql);

/* As scope_alert_reads() for one metric, of which the series with that label value is wanted:
 * a matcher that excludes the value makes it no reader. */
enum alert_answer scope_alert_reads_value(const struct scope *scope, const char *metric,
                                          const char *label, const char *value);

/* ---- one container's amounts (KL213, KL215, KL404-413) ----------------------------------- */

/* A request or limit after API defaulting and the LimitRange. */
struct effective_amount {
	bool set;                   /* false: there is none */
	bool known;                 /* false: a template or patch may give or change it */
	bool from_limit;            /* a request that the limit stands in for */
	int64_t amount;             /* millicores for cpu, whole units for anything else */
	const struct node *node;    /* the quantity that gives it, or NULL */
};
/* range: of the container's namespace, may be NULL. Upstream: SetDefaults_Pod, then the
 * LimitRanger's mergeContainerResources. */
struct effective_amount container_request(const struct limit_range *range,
                                          const struct container *container, str resource);
struct effective_amount container_limit(const struct limit_range *range,
                                        const struct container *container, str resource);

/* The i-th container that runs as long as the pod does: main containers, then sidecars; NULL
 * behind the last one. */
const struct container *pod_running(const struct pod_template *pod, size_t i);

/* The i-th container of all: main ones, then init containers and sidecars; NULL behind the last. */
const struct container *pod_container(const struct pod_template *pod, size_t i);

/* The highest utilization that a metric on the resource can show: floor(100 x sum of limits /
 * sum of requests), of one container (name not empty) or of all that run. */
struct utilization_cap {
	bool capped;                /* false: a container without limit, or something unknown */
	int64_t percent;
	int64_t requests, limits;   /* sums, in the units of effective_amount */
	const struct node *node;    /* a limit that caps it, or NULL */
};
struct utilization_cap pod_utilization_cap(const struct limit_range *range,
                                           const struct pod_template *pod, str container,
                                           str resource);

/* ---- scalers (KL202, KL206, KL214, KL222) ------------------------------------------------ */

/* Does the HPA's spec.selector, a field that it has not, match the labels of the target's pods?
 * UNKNOWN without a target. */
enum answer scaler_selector_matches(const struct scaler *scaler);

/* The Argo CD Application (or ApplicationSet) that leaves spec.replicas of the workload alone:
 * ignoreDifferences on it with RespectIgnoreDifferences=true. NULL: none. */
const struct object *scope_ignores_replicas(const struct scope *scope,
                                            const struct workload *workload);

/* Seconds that behavior.scaleUp (or its defaults) takes from one replica count to another, with
 * the stabilization window once; -1 when it never gets there (selectPolicy Disabled), -2 when a
 * policy is not known, the cap when it takes longer than cap seconds. Upstream: the controller's
 * calculateScaleUpLimitWithScalingRules, run every 15 s. */
int64_t hpa_scale_up_seconds(const struct hpa *hpa, int64_t from, int64_t to, int64_t cap);

/* Replicas that behavior.scaleDown lets go within 60 s at most, from max replicas; -1 when a
 * policy is not known. Each policy is scaled to 60 s and capped at max - min. */
int64_t hpa_scale_down_drop(const struct hpa *hpa, int64_t min, int64_t max);

/* ---- releases of components (KL210) ------------------------------------------------------- */

/* Kubernetes versions that a metrics-server release supports; major 0: no bound. Source: the
 * compatibility matrix of its README, v0.4.0 to v0.9.0. */
struct version_range {
	struct version min, max;
};
struct version_range metrics_server_supports(struct version release);

/* ---- runtimes (KL408, KL409, KL218) ------------------------------------------------------ */

enum runtime { RUNTIME_UNKNOWN, RUNTIME_JVM, RUNTIME_NODE, RUNTIME_DOTNET };
/* By the command (java, node, dotnet as a word of command or args) or the names of environment
 * variables that only it reads; never by the image's name. */
enum runtime container_runtime(const struct container *container);
const char *runtime_name(enum runtime runtime); /* "JVM", "Node.js", ".NET" */

enum heap_kind {
	HEAP_NONE,
	HEAP_JVM,               /* -Xmx, -XX:MaxHeapSize= */
	HEAP_JVM_SHARE,         /* -XX:MaxRAMPercentage=, of the memory limit */
	HEAP_NODE,              /* --max-old-space-size= */
	HEAP_NODE_DEFAULT,      /* node by command, nothing set: at least about 256 MiB */
	HEAP_DOTNET,            /* DOTNET_GCHeapHardLimit, hexadecimal bytes */
	HEAP_DOTNET_SHARE,      /* DOTNET_GCHeapHardLimitPercent, hexadecimal */
	HEAP_GO,                /* GOMEMLIMIT, which is soft */
};
/* The heap that the container's own env, command and args set; the one that wins. A setting
 * that cannot be read (`$VAR` of a shell, a template) gives HEAP_NONE. */
struct heap_setting {
	enum heap_kind kind;
	int64_t bytes;          /* 0 for a share */
	int64_t milli_percent;  /* of a share: 75.5 % is 75500 */
	str text;               /* the setting as written: "-Xmx2g" */
	const struct node *node;/* the value, argument or command item; NULL for HEAP_NODE_DEFAULT */
	size_t at;              /* where text begins in the node's text */
};
struct heap_setting container_heap(struct arena *arena, const struct container *container);

/* How many threads or processes the container itself sets to work at once: GOMAXPROCS,
 * -XX:ActiveProcessorCount, worker counts. count 0: nothing set. */
struct thread_setting {
	int64_t count;
	str text;
	const struct node *node;
};
struct thread_setting container_threads(struct arena *arena, const struct container *container);

/* ---- vertical autoscalers and observed use (KL212, KL404) -------------------------------- */

/* An index of all pods by namespace and label, so that rules that hold many selectors against
 * many workloads need not try each pair. Lives in its arena. */
struct pod_index;
struct pod_index *pod_index_new(struct arena *arena, const struct scope *scope);
/* The workloads of the namespace that the selector may match, and no fewer: those that carry its
 * first label, and those of which a label is not known. The caller asks selector_matches().
 * Both lists may be empty, never NULL. */
struct pod_candidates {
	const struct workloads *lists[2];
};
struct pod_candidates pod_index_find(const struct pod_index *index, str ns,
                                     const struct label_selector *selector);

/* The workload of that kind, namespace and name, or NULL. */
const struct workload *scope_workload(const struct scope *scope, str kind, str ns, str name);

/* The workload that a VerticalPodAutoscaler's targetRef names, or NULL. */
const struct workload *vpa_target(const struct scope *scope, const struct object *vpa);
/* updatePolicy.updateMode, "Recreate" when absent; empty when it is not known. */
str vpa_mode(const struct object *vpa);
/* Does it control the resource of that container (its name empty: of any of the workload's)?
 * resourcePolicy.containerPolicies: an own entry before "*"; mode Off and controlledResources
 * (cpu and memory when absent). */
bool vpa_controls(const struct object *vpa, const struct workload *workload, str container,
                  str resource);
/* status.recommendation's target for the container; a zeroed amount when there is none. */
struct amount vpa_recommendation(const struct object *vpa, str container, str resource);

/* Observed peak of a container by the annotation `kubelint.dev/usage` on the object or its pod
 * template: "CONTAINER RESOURCE=QUANTITY …", entries split at `;`. amount.node is the
 * annotation; a zeroed amount when there is none. */
struct amount workload_usage(const struct workload *workload, str container, str resource);
/* The same, else the largest peak of its pods in the usage files of the configuration, whose
 * amount.node has no place (its span's file is 0). */
struct amount scope_usage(const struct scope *scope, const struct workload *workload,
                          str container, str resource);

/* ---- overlapping selectors (KL207, KL220) ------------------------------------------------- */

/* An HPA whose target's selector also picks the pods of another workload of the namespace. */
struct overlap {
	const struct scaler *scaler;
	const struct workload *workload;
	size_t order;               /* of the scaler in the scope */
};
struct overlaps VEC(struct overlap);
/* All of them that are certain, by workload in the scope's order. */
void scope_overlaps(struct arena *arena, const struct scope *scope,
                    struct overlaps *ret_overlaps);

/* ---- kinds (KL004, KL013) ---------------------------------------------------------------- */

/* Is the object's kind one of the API server's own, whose fields the tables hold whole? false
 * for custom resources and for documents without apiVersion. */
bool object_is_built_in(const struct object *object);

/* ---- metrics of exporters (KL704, KL705) --------------------------------------------------- */

/* What the table knows of a metric; views of the table. */
struct metric_fact {
	str source;                 /* "kube-state-metrics" … */
	str labels;                 /* names, separated by commas */
	str last;                   /* last minor of the source that has it; empty: still there */
	str replacement;            /* what took its place, perhaps with {matchers}; may be empty */
	bool flag;                  /* 0 or 1 */
	bool constant;              /* always 1 */
};
/* False for a metric that the table has not: of that nothing is known. */
bool metric_fact_find(str name, struct metric_fact *ret_fact);

/* Did the metric that this one replaced have a label of that name, which this one has not? */
bool metric_lost_label(str name, str label);

/* ---- suppressions (KL010, triage) ----------------------------------------------------------- */

/* One entry of an annotation `kubelint.dev/ignore: "RULE[,RULE] reason; …"` on an object or its
 * pod template, or one comment `# kubelint: ignore RULE[,RULE] reason`. */
struct suppression {
	struct strs rules;           /* codes, names, families or *, as written; at least one */
	str reason;                  /* may be empty */
	const struct object *object; /* of an annotation: it counts for all that lies in it */
	const struct node *node;     /* the annotation's value; NULL for a comment */
	struct span span;            /* where it stands */
	uint32_t line;               /* of a comment: the line it counts for, from 1 */
};
struct suppressions VEC(struct suppression);
void scope_suppressions(struct arena *arena, const struct scope *scope,
                        struct suppressions *ret_suppressions);

#endif

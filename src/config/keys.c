/* Every key of .kubelint.yaml: its form, its default, its meaning. */
#include "config-internal.h"

#define END { .name = NULL }
/* `off` is a word here, though readers of YAML 1.1 take a plain one for false. */
#define LEVELS "error warning note off"

static const struct key namespace_keys[] = {
	{ .name = "path", .required = true, .meaning = "glob of files" },
	{ .name = "namespace", .required = true, .meaning = "namespace of their objects" },
	END,
};
/* No defaults: what is left out is that of the whole repo. */
static const struct key cluster_keys[] = {
	{ .name = "name", .required = true, .meaning = "name of the cluster" },
	{ .name = "paths", .form = KEY_TEXTS, .meaning = "folders and files of it" },
	{ .name = "nodes", .form = KEY_TEXTS, .meaning = "where its node groups are declared" },
	{ .name = "kubernetes", .form = KEY_VERSION, .meaning = "target version" },
	{ .name = "complete", .form = KEY_FLAG, .meaning = "nothing else runs in it" },
	{ .name = "apis", .form = KEY_TEXTS, .meaning = "served APIs" },
	{ .name = "featureGates", .form = KEY_TEXTS, .meaning = "gates switched on" },
	END,
};
static const struct key chart_keys[] = {
	{ .name = "path", .required = true, .meaning = "folder of the chart" },
	{ .name = "release", .meaning = "release name" },
	{ .name = "namespace", .meaning = "release namespace" },
	{ .name = "values", .form = KEY_TEXTS, .meaning = "values files" },
	END,
};
static const struct key render_keys[] = {
	{ .name = "mode", .form = KEY_WORDS, .words = "auto never helm kustomize",
	  .fallback = "auto", .meaning = "which renderers may run" },
	{ .name = "timeout", .form = KEY_DURATION, .fallback = "60s", .meaning = "of each build" },
	{ .name = "charts", .form = KEY_MAPS, .keys = chart_keys, .meaning = "values for charts" },
	END,
};
static const struct key rule_keys[] = {
	{ .name = "rule", .required = true, .meaning = "code, name or family" },
	{ .name = "level", .form = KEY_WORDS, .words = LEVELS, .required = true,
	  .meaning = "level of every finding of the rule" },
	END,
};
static const struct key ignore_keys[] = {
	{ .name = "rule", .required = true, .meaning = "code, name, family, or *" },
	{ .name = "path", .meaning = "glob of the finding's file" },
	{ .name = "object", .meaning = "Kind/namespace/name, each part a glob" },
	{ .name = "reason", .meaning = "why" },
	END,
};
/* Defaults here are for the listing; src/model/settings.c holds the numbers that rules use. */
static const struct key threshold_keys[] = {
	{ .name = "headroom", .form = KEY_PERCENT, .fallback = "85%",
	  .meaning = "KL308: use of a group's maxSize capacity at peak" },
	{ .name = "cpuOvercommit", .form = KEY_RATIO, .fallback = "10",
	  .meaning = "KL406: worst sum of cpu limits on a node / allocatable" },
	{ .name = "memoryOvercommit", .form = KEY_RATIO, .fallback = "2",
	  .meaning = "KL406: the same of memory" },
	{ .name = "cpuLimitRatio", .form = KEY_RATIO, .fallback = "10",
	  .meaning = "KL407: cpu limit / request" },
	{ .name = "memoryLimitRatio", .form = KEY_RATIO, .fallback = "2",
	  .meaning = "KL407: memory limit / request" },
	{ .name = "usageHeadroom", .form = KEY_PERCENT, .fallback = "20%",
	  .meaning = "KL404: room above the observed peak" },
	{ .name = "heap", .form = KEY_PERCENT, .fallback = "90%",
	  .meaning = "KL409: heap / memory limit" },
	{ .name = "scaleUpTime", .form = KEY_DURATION, .fallback = "30m",
	  .meaning = "KL214: from minReplicas to maxReplicas" },
	{ .name = "scaleDownDrop", .form = KEY_PERCENT, .fallback = "50%",
	  .meaning = "KL222: share of maxReplicas that one period may remove" },
	{ .name = "spotNotice", .form = KEY_DURATION, .fallback = "30s",
	  .meaning = "KL609: notice before a spot node goes" },
	END,
};
static const struct key critical_keys[] = {
	{ .name = "workloads", .required = true, .meaning = "label selector on pod labels" },
	{ .name = "namespaces", .form = KEY_TEXTS, .meaning = "globs; absent: all" },
	END,
};
static const struct key image_keys[] = {
	{ .name = "match", .required = true, .meaning = "glob of image names" },
	{ .name = "platforms", .form = KEY_TEXTS, .required = true, .meaning = "os/arch" },
	END,
};
static const struct key usage_keys[] = {
	{ .name = "file", .required = true, .meaning = "file with observed use" },
	{ .name = "format", .form = KEY_WORDS, .words = "top yaml", .required = true,
	  .meaning = "its form" },
	END,
};
static const struct key label_policy_keys[] = {
	{ .name = "workloads", .required = true, .meaning = "label selector on pod labels" },
	{ .name = "namespaces", .form = KEY_TEXTS, .meaning = "globs; absent: all" },
	{ .name = "labels", .form = KEY_TEXTS, .required = true,
	  .meaning = "labels that groups they may run on must carry" },
	END,
};
static const struct key taint_policy_keys[] = {
	{ .name = "workloads", .required = true, .meaning = "label selector on pod labels" },
	{ .name = "namespaces", .form = KEY_TEXTS, .meaning = "globs; absent: all" },
	{ .name = "taints", .form = KEY_TEXTS, .required = true,
	  .meaning = "taints that they must tolerate" },
	END,
};
static const struct key policy_keys[] = {
	{ .name = "nodeLabels", .form = KEY_MAPS, .keys = label_policy_keys, .meaning = "KL117" },
	{ .name = "tolerations", .form = KEY_MAPS, .keys = taint_policy_keys, .meaning = "KL118" },
	END,
};
static const struct key limit_keys[] = {
	{ .name = "fileSize", .form = KEY_SIZE, .fallback = "64Mi", .meaning = "of one file" },
	{ .name = "findings", .form = KEY_COUNT, .fallback = "0", .meaning = "0: no limit" },
	{ .name = "time", .form = KEY_DURATION, .fallback = "0s", .meaning = "0: no limit" },
	END,
};

/* In the order of the example in the manual. */
const struct key config_keys[] = {
	{ .name = "version", .form = KEY_WORDS, .words = "1", .fallback = "1",
	  .meaning = "of this format" },
	{ .name = "paths", .form = KEY_TEXTS, .fallback = "[.]",
	  .meaning = "read when no PATH is given" },
	{ .name = "exclude", .form = KEY_TEXTS, .fallback = "[]", .meaning = "globs left out" },
	{ .name = "nodes", .form = KEY_TEXTS, .fallback = "[]",
	  .meaning = "node groups are read from these only" },
	{ .name = "kubernetes", .form = KEY_VERSION, .fallback = "",
	  .meaning = "target version" },
	{ .name = "complete", .form = KEY_FLAG, .fallback = "false",
	  .meaning = "nothing runs in the cluster but what is declared here" },
	{ .name = "apis", .form = KEY_TEXTS, .fallback = "[]",
	  .meaning = "served APIs that no manifest shows" },
	{ .name = "featureGates", .form = KEY_TEXTS, .fallback = "[]",
	  .meaning = "feature gates switched on" },
	{ .name = "namespaces", .form = KEY_MAPS, .fallback = "[]", .keys = namespace_keys,
	  .meaning = "namespace of objects that name none; first match wins" },
	{ .name = "clusters", .form = KEY_MAPS, .fallback = "[]", .keys = cluster_keys,
	  .meaning = "several clusters in one repo, judged apart" },
	{ .name = "render", .form = KEY_MAP, .keys = render_keys,
	  .meaning = "kustomize builds and charts" },
	{ .name = "rules", .form = KEY_MAPS, .fallback = "[]", .keys = rule_keys,
	  .meaning = "levels of rules; later entries win" },
	{ .name = "select", .form = KEY_TEXTS, .fallback = "[]",
	  .meaning = "only these codes, names, families" },
	{ .name = "ignore", .form = KEY_MAPS, .fallback = "[]", .keys = ignore_keys,
	  .meaning = "suppressions; all given keys must match" },
	{ .name = "requireReasons", .form = KEY_FLAG, .fallback = "false",
	  .meaning = "a suppression without a reason is KL010" },
	{ .name = "failOn", .form = KEY_WORDS, .words = "error warning note never",
	  .fallback = "warning", .meaning = "least level that fails the run" },
	{ .name = "minLevel", .form = KEY_WORDS, .words = "error warning note",
	  .fallback = "note", .meaning = "findings below are hidden" },
	{ .name = "alerts", .form = KEY_WORDS, .words = "auto always never", .fallback = "auto",
	  .meaning = "KL701-703: auto when rules are declared" },
	{ .name = "thresholds", .form = KEY_MAP, .keys = threshold_keys,
	  .meaning = "numbers that rules compare with" },
	{ .name = "fleet", .form = KEY_FLEET, .fallback = "baseline",
	  .meaning = "KL303's demand: baseline, peak, or a share of the way between" },
	{ .name = "metricsServerMin", .form = KEY_VERSION, .fallback = "0.6.0",
	  .meaning = "KL210" },
	{ .name = "critical", .form = KEY_MAPS, .fallback = "[]", .keys = critical_keys,
	  .meaning = "critical workloads (KL412 KL601 KL605 KL608)" },
	{ .name = "specialGroups", .form = KEY_TEXTS, .fallback = "[]",
	  .meaning = "globs on group names that KL120 guards" },
	{ .name = "images", .form = KEY_MAPS, .fallback = "[]", .keys = image_keys,
	  .meaning = "KL114" },
	{ .name = "usage", .form = KEY_MAPS, .fallback = "[]", .keys = usage_keys,
	  .meaning = "KL404 KL408" },
	{ .name = "policies", .form = KEY_MAP, .keys = policy_keys, .meaning = "house rules" },
	{ .name = "format", .fallback = "text", .meaning = "on stdout" },
	{ .name = "outputs", .form = KEY_TEXTS, .fallback = "[]", .meaning = "as --output" },
	{ .name = "baseline", .fallback = ".kubelint-baseline.json", .meaning = "baseline file" },
	{ .name = "limits", .form = KEY_MAP, .keys = limit_keys, .meaning = "of one run" },
	END,
};

/* config: .kubelint.yaml (config.md). The only room of the product that includes <cyaml/cyaml.h>.
 *
 * The file is read by tree/ first: places, syntax, duplicate keys, unknown keys with the nearest
 * name, values of the wrong form. Only a file without a mistake goes through libcyaml into the
 * struct below. Absent keys have the defaults of the table in keys.c, which also makes the JSON
 * Schema and the listing.
 */
#ifndef KUBELINT_CONFIG_H
#define KUBELINT_CONFIG_H

#include "base.h"

struct node;
struct source;
struct tree;

/* Enums as libcyaml fills them; 0 is "not said" where a default or an outer value takes over. */
enum config_flag { CONFIG_UNSET, CONFIG_FALSE, CONFIG_TRUE };
enum config_level { CONFIG_LEVEL_UNSET, CONFIG_ERROR, CONFIG_WARNING, CONFIG_NOTE, CONFIG_OFF,
	            CONFIG_NEVER };
enum config_alerts { CONFIG_ALERTS_AUTO, CONFIG_ALERTS_ALWAYS, CONFIG_ALERTS_NEVER };

/* A list of texts; NUL-terminated, never NULL themselves. */
struct config_texts {
	char **v;
	unsigned n;
};

struct config_namespace {
	char *path, *namespace;
};
struct config_cluster {
	char *name;
	struct config_texts paths, nodes, apis, feature_gates;
	char *kubernetes;          /* NULL: the top-level one */
	enum config_flag complete; /* CONFIG_UNSET: the top-level one */
};
struct config_rule {
	char *rule;                /* code, name or family */
	enum config_level level;
};
struct config_ignore {
	char *rule;                /* "*": any */
	char *path, *object, *reason; /* NULL: not given */
};
struct config_critical {
	char *workloads;           /* label selector text; "" is all */
	struct config_texts namespaces;
};
struct config_image {
	char *match;
	struct config_texts platforms;
};
struct config_usage {
	char *file, *format;
};
struct config_policy {
	char *workloads;
	struct config_texts namespaces;
	struct config_texts wanted; /* labels "k=v", or taints "k=v:Effect" */
};
struct config_render_chart {
	char *path, *release, *namespace;
	struct config_texts values;
};

/* Texts as written, NULL where absent; config_number() and its like read them. */
struct config_thresholds {
	char *headroom, *cpu_overcommit, *memory_overcommit, *cpu_limit_ratio, *memory_limit_ratio,
		*usage_headroom, *heap, *scale_up_time, *scale_down_drop, *spot_notice;
};
struct config_limits {
	char *file_size, *findings, *time;
};
struct config_render {
	char *mode, *timeout;
	struct config_render_chart *charts;
	unsigned charts_count;
};
struct config_policies {
	struct config_policy *node_labels;
	unsigned node_labels_count;
	struct config_policy *tolerations;
	unsigned tolerations_count;
};

struct config {
	char *version;
	struct config_texts paths, exclude, nodes, apis, feature_gates, select, special_groups,
		outputs;
	char *kubernetes;
	enum config_flag complete, require_reasons;
	struct config_namespace *namespaces;
	unsigned namespaces_count;
	struct config_cluster *clusters;
	unsigned clusters_count;
	struct config_render render;
	struct config_rule *rules;
	unsigned rules_count;
	struct config_ignore *ignore;
	unsigned ignore_count;
	enum config_level fail_on, min_level;
	enum config_alerts alerts;
	struct config_thresholds thresholds;
	char *fleet;               /* "baseline", "peak" or a percentage */
	char *metrics_server_min;
	struct config_critical *critical;
	unsigned critical_count;
	struct config_image *images;
	unsigned images_count;
	struct config_usage *usage;
	unsigned usage_count;
	struct config_policies policies;
	char *format, *baseline;
	struct config_limits limits;
	/* Not of the file. */
	const struct tree *tree;   /* the file's own; NULL for the defaults */
	str folder;                /* absolute folder of the file; paths and globs are relative to it */
};

/* One mistake of a config file. */
struct config_problem {
	struct span span;
	str text;                  /* "key: what is wrong" */
};
struct config_problems VEC(struct config_problem);

/* The config of that file. On any mistake: NULL, and ret_problems is not empty. Lives in arena;
 * its tree points into the source. */
const struct config *config_load(struct arena *arena, const struct source *source, str folder,
                                 struct config_problems *ret_problems);
/* What holds without a file. */
const struct config *config_defaults(struct arena *arena);

/* Where a list entry stands, for KL010: path is "ignore", index its place. NULL when the config
 * has no file or the entry is not there. */
const struct node *config_entry(const struct config *config, const char *path, unsigned index);

/* The JSON Schema of the file, for editors. */
str config_schema(struct arena *arena);
/* Every key with its value and origin (file or default), one a line. */
str config_listing(struct arena *arena, const struct config *config);

/* Values of texts that have passed the check. "85%" and "0.85": 85. */
int32_t config_percent(const char *text, int32_t fallback);
/* "10", "2.5" in hundredths: 1000, 250. */
int64_t config_hundredths(const char *text, int64_t fallback);

#endif

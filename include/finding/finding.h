/* finding: what a rule says, and the list of everything said.
 *
 * Knows no Kubernetes object and no tree: whoever emits gives plain texts and spans. Texts
 * handed over are copied into the sink's arena.
 */
#ifndef KUBELINT_FINDING_H
#define KUBELINT_FINDING_H

#include "base.h"

struct node;

enum level { LEVEL_NOTE, LEVEL_WARNING, LEVEL_ERROR };
const char *level_name(enum level level); /* "note" "warning" "error" */
bool level_parse(str text, enum level *ret_level);

/* One rule, as the generated table holds it (rules/KLnnn-name.yaml through rulec). */
struct rule {
	const char *code, *name, *family; /* "KL101", "node-selector-unmatched", "placement" */
	enum level level;                 /* the highest that it uses */
	const char *const *applies_to;    /* kinds, or "workload" "group" "file" "cluster"; NULL ends */
	const char *precision;            /* very-high high medium */
	bool fixable;
	const char *summary, *why, *fix;  /* Markdown */
	const char *const *references;    /* URLs, NULL ends */
	const char *const *bad, *const *good; /* examples, NULL ends */
};

/* A Kubernetes object as reports name it; all empty: none (findings about a file). */
struct object_ref {
	str api_version, kind, namespace, name; /* namespace empty for cluster-scoped kinds */
};

struct related {
	struct span span;
	str message;
};
struct relateds VEC(struct related);

struct edit {
	struct span span; /* replaced by text; an empty span inserts */
	str text;
};
struct edits VEC(struct edit);
struct fix {
	str description;
	bool safe;
	struct edits edits;
};
struct fixes VEC(struct fix);

/* One finding. Filled by rules, completed by triage. */
struct finding {
	const struct rule *rule;
	enum level level;
	struct object_ref object;
	str path;                /* field path, outputs.md section 0 rule 9; may be empty */
	struct span span;        /* file is never 0 */
	str message;             /* lower-case start, no final stop, evidence with numbers */
	str help;                /* the number or line that would make it right; may be empty */
	struct relateds related;
	struct fixes fixes;
	str cluster;             /* empty: the only one */
	/* Keys for the covering table (triage): what the finding is about. Any may be NULL. */
	const struct node *value;  /* the node of the value, or its parent when it is absent */
	const char *missing;       /* name of the absent field below value, else NULL */
	const void *owner;         /* the struct object of the workload or scaler, or the struct group */
	const void *partner;       /* a second owner: the workload whose scaler owner is; may be NULL */
	const void *const *named;  /* further owners whose consequences it covers; array of named_count */
	size_t named_count;
	bool foreign;              /* about a text that nobody reads: it hides nothing */
	const void *scope;         /* the scope that was judged: variants do not cover each other */
	/* Parts of the fingerprint that outlive edits elsewhere. */
	str anchor;              /* path with the items' names in place of list indexes */
	str salient;             /* what tells it from others at that path (the bad value); may be empty */
	/* Set by triage. */
	const struct finding *covered_by;
	bool deselected, suppressed, baselined, out_of_scope;
	bool external;           /* suppressed by the configuration, not beside the object */
	str justification;
	str fingerprint;         /* 32 hex digits */
};
struct findings VEC(struct finding *);

/* A rule that could not be decided for an object (JUnit: skipped). */
struct undecided {
	const struct rule *rule;
	struct object_ref object;
	struct span span;
	str missing;             /* the fact that is missing */
};
struct undecideds VEC(struct undecided);

/* About the run, not about a manifest. */
struct notification {
	const char *id;          /* stable word: "no-node-groups", "skipped-file" … */
	enum level level;
	str message;
	struct span span;        /* file 0: none */
	bool configuration;      /* SARIF: toolConfigurationNotifications */
};
struct notifications VEC(struct notification);

/* Append-only. Lives in its arena. */
struct sink {
	struct arena *arena;
	struct findings findings;
	struct undecideds undecided;
	struct notifications notifications;
	bool failed;             /* something makes the run untrustworthy: exit 2 */
};
struct sink *sink_new(struct arena *arena);

/* Appends a finding of rule at span and gives it back to be completed. level above the rule's
 * own is a broken promise (assert). */
struct finding *sink_add(struct sink *sink, const struct rule *rule, enum level level,
                         struct span span);
void finding_message(struct sink *sink, struct finding *finding, const char *format, ...)
	BASE_PRINTF(3, 4);
void finding_help(struct sink *sink, struct finding *finding, const char *format, ...)
	BASE_PRINTF(3, 4);
void finding_relate(struct sink *sink, struct finding *finding, struct span span,
                    const char *format, ...) BASE_PRINTF(4, 5);
/* Adds one edit as a fix of its own. */
void finding_fix(struct sink *sink, struct finding *finding, bool safe, const char *description,
                 struct edit edit);
void sink_undecided(struct sink *sink, const struct rule *rule, struct object_ref object,
                    struct span span, str missing);
/* Says a notification once: an equal message of that id is dropped. */
void sink_notify(struct sink *sink, const char *id, enum level level, struct span span,
                 const char *format, ...) BASE_PRINTF(5, 6);

/* Sorts by file, place, rule and message and drops equal ones (equal in rule, level, object,
 * path, place and message); order of emission never shows. triage_run() does it, after the
 * covering: of equal findings of two variants one may be covered. */
void sink_finish(struct sink *sink);

#endif

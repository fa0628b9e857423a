/* report: one model in, many writers out. A writer computes nothing; it is a row and a file.
 */
#ifndef KUBELINT_REPORT_H
#define KUBELINT_REPORT_H

#include "base.h"
#include "finding.h"
#include "source.h"
#include "pools.h"
#include "model.h"
#include "sched.h"

/* Counts of the last line and of the JSON summary. */
struct report_summary {
	size_t files, objects, workloads, node_groups;
	size_t errors, warnings, notes, suppressed, baselined, fixable;
	int exit_code;
};

/* Everything a writer may print. */
struct report {
	struct arena *arena;
	const char *version;           /* of kubelint */
	const struct source_set *sources;
	const struct sink *sink;       /* finished and triaged */
	const struct scopes *scopes;
	const struct judgement *const *judgements; /* one per scope */
	const struct rule *const *rules; /* all rules in code order, for SARIF */
	size_t rule_count;
	struct report_summary summary;
	enum level fail_level;         /* findings at or above it are JUnit failures */
	bool fail_never;
	bool quiet, very_quiet;
	bool color;
	str sarif_category;
	bool junit_passing_none;
	size_t width;                  /* columns of the terminal; 0: none, 80 are taken */
};

struct report_format {
	const char *name;              /* "text", "sarif" … */
	void (*write)(const struct report *report, struct buf *out);
	const char *const *file_names; /* endings that name it in `-o FILE`; NULL ends */
};
/* NULL when there is no such format. */
const struct report_format *report_format_find(str name);
/* Format by file name (".sarif", "junit.xml", ".json"); NULL when none fits. */
const struct report_format *report_format_of_file(str file);
/* All formats in order, for help texts. */
const struct report_format *report_formats(size_t *ret_count);

/* Node groups as understood (kubelint inventory): text, json, or yaml (the native form). */
bool report_inventory(const struct scope *scope, str format, struct buf *out);

/* ---- questions about placement ------------------------------------------------------- */

/* How one group is used when all workloads of the scope that it may take run together. */
struct group_use {
	bool known;                    /* false: facts that nobody declares decide */
	int64_t at_baseline, at_peak;  /* nodes with some pod beside DaemonSets */
	int64_t percent;               /* of the scarcest resource at maxSize, at the peak */
	str resource;                  /* that one; may be empty */
	int64_t least_max;             /* places all when this group alone grows; -1: none does */
};

/* The part of a scope that is shown: indices of placements and of groups, in order. */
struct matrix {
	const struct judgement *judgement;
	const size_t *rows, *columns;
	size_t row_count, column_count;
	const struct group_use *uses;  /* one per group of the scope; NULL: fit does not ask */
};
struct matrices VEC(struct matrix);

/* kubelint fit and kubelint capacity; format: text, markdown, json or csv. */
void report_fit(const struct report *report, const struct matrices *matrices, str format,
                struct buf *out);
void report_capacity(const struct report *report, const struct matrices *matrices, str format,
                     struct buf *out);
/* kubelint why: one workload (index of its placement) against every group, or against the one
 * with that index in full; group SIZE_MAX: all. */
void report_why(const struct report *report, const struct judgement *judgement, size_t index,
                size_t group, struct buf *out);

/* The list of rules (text, json), and the page of one (text, markdown, json). false: no such
 * format. */
bool report_rules(const struct rule *rules, size_t count, str format, struct buf *out);
bool report_rule(const struct rule *rule, str format, struct buf *out);

/* text as a terminal may get it: control characters as \x1b, bidirectional controls as \u202e,
 * invalid UTF-8 as U+FFFD. Line feeds and tabs are escaped too: it is for one line. */
str report_terminal_text(struct arena *arena, str text);

/* Writes out whole: a temporary file beside path, then rename; "-" is stdout; devices and FIFOs
 * are written directly. false: ret_error has the text. */
bool report_write_file(struct arena *arena, str path, str text, str *ret_error);

/* SARIF's primaryLocationLineHash of every line of a text, as "hash:n" (outputs.md section 1). */
void report_line_hashes(struct arena *arena, str text, struct strs *ret_hashes);

#endif

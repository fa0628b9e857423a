/* cli: from a command line to an exit code.
 *
 * Commands and options are tables; pipeline.c alone calls the rooms in order, and every
 * command, the tests of rules and cases, and fuzzing go through it. Only this room prints,
 * and only to the two streams that it is given.
 */
#ifndef KUBELINT_CLI_H
#define KUBELINT_CLI_H

#include <stdio.h>

#include "base.h"
#include "finding.h"
#include "kube.h"
#include "model.h"
#include "report.h"
#include "sched.h"
#include "source.h"
#include "tree.h"
#include "triage.h"

/* Version of the program, "0.1.0"; generated from the build's own. */
extern const char cli_version[];

struct config;

/* ---- what a command line says -------------------------------------------------------- */

/* One `-o FORMAT:FILE`. */
struct output {
	const struct report_format *format; /* never NULL */
	str file;                           /* "-": stdout */
};
struct outputs VEC(struct output);

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

/* What `kubelint config` prints. */
enum config_view { CONFIG_VIEW_SHOW, CONFIG_VIEW_SCHEMA, CONFIG_VIEW_FILES };

/* Everything a command line and its environment say, at its defaults where they say nothing.
 * Texts point into argv, the environment, or the arena that it was parsed into. Not to be copied:
 * source.excludes points at the struct's own excludes. */
struct options {
	const struct command *command;      /* NULL: none was named */
	struct strs paths;                  /* operands, in order */
	/* what to check */
	struct source_options source;
	struct strs excludes, inventory;
	struct version kubernetes;          /* major 0: not given */
	bool complete, allow_empty;
	bool strict_yaml;                   /* what nobody reads has its text judged, too */
	/* configuration */
	str config_file;                    /* empty: looked for */
	bool no_config;
	const struct config *config;        /* what was found; NULL: nothing */
	const struct settings *settings;    /* with what it says; NULL: the defaults */
	str cluster;                        /* only this one; empty: all */
	enum config_view config_view;
	/* of fit and why */
	str workload;                       /* [KIND/]NS/NAME or NAME; empty: all */
	str group;                          /* a node group's name; empty: all */
	/* what to report */
	struct triage_options triage;
	bool fail_on_given, min_level_given, no_suppressed;
	struct strs extend_select;
	size_t max_findings;                /* 0: no limit */
	/* output */
	str format;                         /* empty: text */
	struct outputs outputs;
	bool quiet, very_quiet, verbose, statistics, junit_passing_none;
	enum when color;
	str sarif_category;
	unsigned jobs;                      /* 0: as many as there are cores */
	/* instead of running */
	bool help, long_help, version;
};

/* Parses argv[1..count) for the command that argv[0] names (an element of the command table,
 * "check" …). environment: NULL-ended "NAME=value" texts, as environ; NULL: none. Options beat
 * the environment, which beats defaults. false: ret_error says what is wrong, in one line. */
bool options_parse(struct arena *arena, int count, char **argv, char **environment,
                   struct options *ret_options, str *ret_error);

/* The options of `check` at their defaults, with the words of text (split at blanks) parsed on
 * top; for tests whose input names its own options. */
bool options_parse_text(struct arena *arena, str text, struct options *ret_options,
                        str *ret_error);

/* ---- the pipeline -------------------------------------------------------------------- */

/* Everything a run found out. Lives in arena with all that it points to, but for the sources,
 * which belong to their set. */
struct pipeline {
	struct arena *arena;
	const struct options *options;
	const struct source_set *sources;
	struct settings settings;
	struct trees trees;                 /* documents that some rule may use, in order */
	struct objects objects;
	struct scopes scopes;
	const struct judgement **judgements; /* one per scope */
	struct sink *sink;                  /* finished; after pipeline_judge() triaged */
	struct tally tally;
	struct report_summary summary;
	struct strs other_files;            /* open paths with Kubernetes objects that no rule uses */
	size_t documents, passed_over;      /* parsed; of these used by nobody */
};

/* Reads every document of the sources into scopes: parse, bind, pools, model. Notifications
 * about the sources are in the sink; what makes the run untrustworthy is marked there. */
struct pipeline *pipeline_load(struct arena *arena, const struct options *options,
                               const struct source_set *sources);

/* Judges the scopes, runs the rules and triages what they say; fills tally and summary. */
void pipeline_judge(struct pipeline *pipeline);

/* Both of the above. */
struct pipeline *pipeline_run(struct arena *arena, const struct options *options,
                              const struct source_set *sources);

/* What the writers take, for a pipeline that has judged. */
void pipeline_report(const struct pipeline *pipeline, struct report *ret_report);

/* ---- the program --------------------------------------------------------------------- */

/* Runs a whole command line, argv[0] being the program; gives the exit status 0, 1 or 2. */
int cli_run(int argc, char **argv, char **environment, FILE *out, FILE *err);

#endif

/* What the files of cli share: the tables of commands and options, and the notices. */
#ifndef KUBELINT_CLI_INTERNAL_H
#define KUBELINT_CLI_INTERNAL_H

#include "cli.h"

/* ---- commands ------------------------------------------------------------------------ */

/* A run of one command: what it was asked, where it may print. */
struct run {
	struct arena *arena;
	const struct options *options;
	FILE *out, *err;
	char **environment;
};

/* One row of the command table; src/cli/commands.c. */
struct command {
	const char *name;
	unsigned bit;                 /* in the masks of the option table */
	const char *operands;         /* for the usage line: "[PATH...]" */
	const char *summary;          /* one line, lower-case start, no final stop */
	const char *formats;          /* of --format, comma-separated; the first is the default */
	const char *const *examples;  /* lines that can be pasted; NULL ends */
	int (*run)(const struct run *run);
};

enum {
	COMMAND_CHECK = 1 << 0, COMMAND_INVENTORY = 1 << 1, COMMAND_RULES = 1 << 2,
	COMMAND_EXPLAIN = 1 << 3, COMMAND_VERSION = 1 << 4, COMMAND_HELP = 1 << 5,
	COMMAND_CONFIG = 1 << 6, COMMAND_FIT = 1 << 7, COMMAND_WHY = 1 << 8,
	COMMAND_CAPACITY = 1 << 9,
	/* Those that answer about workloads and groups. */
	COMMANDS_OF_MATRIX = COMMAND_FIT | COMMAND_WHY | COMMAND_CAPACITY,
	/* Those that read a tree. */
	COMMANDS_OF_TREES = COMMAND_CHECK | COMMAND_INVENTORY | COMMAND_CONFIG | COMMANDS_OF_MATRIX,
	COMMANDS_ALL = (1 << 10) - 1,
};

const struct command *command_find(str name);          /* NULL: none */
str command_nearest(str name);                         /* "": none is near */
const struct command *commands_all(size_t *ret_count); /* in order of the help text */

/* Prints a text on the run's output; a failed write is told once, when the run ends. */
void print_text(const struct run *run, str text);

/* Reads the paths of the run and loads them; what went wrong is in the sink. */
struct pipeline *read_and_load(const struct run *run);

/* The format on standard output: as asked for, else text. */
str format_of(const struct options *options);
/* Errors belong to check; who asks for something else is told that there are some. */
void mention_errors(const struct run *run, const struct pipeline *pipeline);

int check_run(const struct run *run);
int capacity_run(const struct run *run);
int config_run(const struct run *run);
int fit_run(const struct run *run);
int inventory_run(const struct run *run);
int rules_list_run(const struct run *run);
int explain_run(const struct run *run);
int version_run(const struct run *run);
int why_run(const struct run *run);
int help_run(const struct run *run);

/* ---- options ------------------------------------------------------------------------- */

enum option_group { GROUP_CHECK, GROUP_REPORT, GROUP_OUTPUT, GROUP_GENERAL, GROUP_COUNT };

/* What a setter works on. */
struct option_target {
	struct arena *arena;
	struct options *options;
	str error;                    /* set by a setter that gives false */
};

/* One row of the option table. */
struct option_row {
	const char *name;             /* without dashes */
	char letter;                  /* 0: none */
	const char *argument;         /* name of its value in help texts; NULL: a flag */
	const char *environment;      /* variable that stands in for it, or NULL */
	enum option_group group;
	unsigned commands;            /* mask of COMMAND_… that take it */
	bool in_short_help;           /* shown by -h too */
	const char *help;             /* text of --help, one or more sentences, no final stop */
	bool (*set)(struct option_target *target, str value);
};

const struct option_row *option_rows(size_t *ret_count);
const char *option_group_title(enum option_group group);

/* The setters of the table; src/cli/option-setters.c. */
bool set_allow_empty(struct option_target *target, str value);
bool set_color(struct option_target *target, str value);
bool set_cluster(struct option_target *target, str value);
bool set_complete(struct option_target *target, str value);
bool set_config(struct option_target *target, str value);
bool set_config_files(struct option_target *target, str value);
bool set_config_schema(struct option_target *target, str value);
bool set_config_show(struct option_target *target, str value);
bool set_exclude(struct option_target *target, str value);
bool set_extend_select(struct option_target *target, str value);
bool set_fail_on(struct option_target *target, str value);
bool set_force_exclude(struct option_target *target, str value);
bool set_format(struct option_target *target, str value);
bool set_group(struct option_target *target, str value);
bool set_help(struct option_target *target, str value);
bool set_ignore(struct option_target *target, str value);
bool set_ignore_suppressions(struct option_target *target, str value);
bool set_inventory(struct option_target *target, str value);
bool set_jobs(struct option_target *target, str value);
bool set_junit_passing(struct option_target *target, str value);
bool set_kubernetes(struct option_target *target, str value);
bool set_max_file_size(struct option_target *target, str value);
bool set_max_findings(struct option_target *target, str value);
bool set_min_level(struct option_target *target, str value);
bool set_no_config(struct option_target *target, str value);
bool set_no_gitignore(struct option_target *target, str value);
bool set_no_suppressed(struct option_target *target, str value);
bool set_output(struct option_target *target, str value);
bool set_quiet(struct option_target *target, str value);
bool set_root(struct option_target *target, str value);
bool set_sarif_category(struct option_target *target, str value);
bool set_select(struct option_target *target, str value);
bool set_statistics(struct option_target *target, str value);
bool set_stdin_filename(struct option_target *target, str value);
bool set_strict_yaml(struct option_target *target, str value);
bool set_verbose(struct option_target *target, str value);
bool set_version(struct option_target *target, str value);
bool set_workload(struct option_target *target, str value);

/* ---- configuration ------------------------------------------------------------------- */

/* Finds, loads and applies the configuration of a command that reads a tree. false: what is
 * wrong was told, the run ends with 2. */
bool configure(const struct run *run, struct options *options);
/* As configure(), for a set that holds its configuration itself as .kubelint.yaml (rule
 * examples); without one nothing is done. */
bool configure_from_set(struct arena *arena, struct options *options,
                        const struct source_set *set, struct strs *ret_errors);

/* What is being applied, and what is found wrong on the way. */
struct applier {
	struct arena *arena;
	struct options *options;
	const struct config *config;
	const struct source_set *set;       /* holds the file, as its first source */
	str root;                           /* absolute; printed paths begin there */
	struct strs *errors;
};
/* Adds "path:line:col: text"; node NULL: about the whole file. */
void applier_complain(const struct applier *applier, const struct node *node, str text);
/* A path or glob of the file as sources are called: relative to the root. */
str applier_rooted(const struct applier *applier, const char *path);
/* A path of the file as open(2) takes it. */
str applier_open(const struct applier *applier, const char *path);
/* What the usage files hold; src/cli/usage.c. */
void applier_usages(const struct applier *applier, struct usages *ret_usages);
/* What rules read: thresholds, policies, clusters; src/cli/configure-settings.c. */
void applier_settings(const struct applier *applier, struct settings *ret_settings);
/* Which findings count; src/cli/configure-triage.c. */
void applier_triage(const struct applier *applier);
/* The options of triage for this run: places in the configuration are those of its source among
 * those of the run. */
void triage_options_of(const struct pipeline *pipeline, struct triage_options *ret_options);

/* ---- help ---------------------------------------------------------------------------- */

/* Help of one command, or of the program (command NULL): a screenful, or all. */
void help_print(const struct command *command, bool all, FILE *out);

/* ---- notices ------------------------------------------------------------------------- */

/* Notifications about files that were passed over, and about what the scopes lack. */
void notices_of_sources(struct pipeline *pipeline);
void notices_of_scopes(struct pipeline *pipeline);
/* read.c: fills documents, trees and objects from the sources, and the target version that node
 * groups declare where no option says another. */
void pipeline_read(struct pipeline *pipeline);

/* A named path in which nothing was found that kubelint reads: exit 2 unless --allow-empty. */
void notices_of_paths(struct pipeline *pipeline);

/* Prints the notifications of a run: those that make it untrustworthy, or all of them. */
void notices_print(const struct pipeline *pipeline, bool all, FILE *err);

/* Warns about environment variables KUBELINT_… that no option has. */
void notices_of_environment(const struct run *run);

#endif

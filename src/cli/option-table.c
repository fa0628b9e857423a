/* The option table: help texts, getopt_long's array and the tests are made from it. */
#include "cli-internal.h"

static const struct option_row rows[] = {
	/* what to check */
	{ "inventory", 0, "PATH", "KUBELINT_INVENTORY", GROUP_CHECK, COMMANDS_OF_TREES, true,
	  "read node groups only from this file or folder (repeatable)", set_inventory },
	{ "kubernetes", 0, "VERSION", NULL, GROUP_CHECK, COMMANDS_OF_TREES, true,
	  "target version, as 1.34; default: the oldest that node groups declare, else the "
	  "newest known",
	  set_kubernetes },
	{ "complete", 0, NULL, NULL, GROUP_CHECK, COMMAND_CHECK, false,
	  "nothing runs in the cluster but what is declared here: absence counts as proof",
	  set_complete },
	{ "exclude", 0, "GLOB", NULL, GROUP_CHECK, COMMANDS_OF_TREES, true,
	  "leave out files and folders that match; ** stands for any folders (repeatable)",
	  set_exclude },
	{ "no-gitignore", 0, NULL, NULL, GROUP_CHECK, COMMANDS_OF_TREES, false,
	  "read also what .gitignore and .kubelintignore leave out", set_no_gitignore },
	{ "force-exclude", 0, NULL, NULL, GROUP_CHECK, COMMANDS_OF_TREES, false,
	  "excludes hold for files named on the command line too", set_force_exclude },
	{ "root", 0, "DIR", NULL, GROUP_CHECK, COMMANDS_OF_TREES, false,
	  "base of printed paths; default: the folder with .git above the working folder, else "
	  "that",
	  set_root },
	{ "stdin-filename", 0, "PATH", NULL, GROUP_CHECK, COMMANDS_OF_TREES, false,
	  "what the operand - (standard input) is called in reports", set_stdin_filename },
	{ "max-file-size", 0, "SIZE", NULL, GROUP_CHECK, COMMANDS_OF_TREES, false,
	  "do not read larger files, as 10Mi; such a file makes the run exit 2; default 64Mi",
	  set_max_file_size },
	{ "strict-yaml", 0, NULL, NULL, GROUP_CHECK, COMMAND_CHECK, false,
	  "parse also documents that no rule uses, and tell of what is wrong with their YAML",
	  set_strict_yaml },
	{ "allow-empty", 0, NULL, NULL, GROUP_CHECK, COMMANDS_OF_TREES, false,
	  "a path without any Kubernetes object or node group is fine", set_allow_empty },
	{ "config", 'c', "FILE", "KUBELINT_CONFIG", GROUP_CHECK, COMMANDS_OF_TREES, true,
	  "configuration; default: .kubelint.yaml in the folder of the first path or above it, up "
	  "to the one with .git",
	  set_config },
	{ "no-config", 0, NULL, NULL, GROUP_CHECK, COMMANDS_OF_TREES, false,
	  "read no configuration file", set_no_config },
	{ "cluster", 0, "NAME", NULL, GROUP_CHECK, COMMANDS_OF_TREES, false,
	  "only this one of the clusters that the configuration lists", set_cluster },
	{ "workload", 0, "[KIND/]NS/NAME", NULL, GROUP_CHECK, COMMAND_FIT, true,
	  "only this workload", set_workload },
	{ "group", 0, "NAME", NULL, GROUP_CHECK, COMMAND_FIT | COMMAND_WHY, true,
	  "only this node group; of why: every filter in full", set_group },
	{ "jobs", 'j', "N", "KUBELINT_JOBS", GROUP_CHECK, COMMANDS_OF_TREES, false,
	  "threads that may work; default: the cores there are", set_jobs },
	/* what to report */
	{ "fail-on", 0, "LEVEL", "KUBELINT_FAIL_ON", GROUP_REPORT, COMMAND_CHECK, true,
	  "exit 1 from this level on: error, warning (default), note, or never", set_fail_on },
	{ "min-level", 0, "LEVEL", NULL, GROUP_REPORT, COMMAND_CHECK, true,
	  "hide findings below error, warning or note (default: hide none)", set_min_level },
	{ "select", 0, "RULES", NULL, GROUP_REPORT, COMMAND_CHECK, true,
	  "only these rules: codes, names or families as KL1, comma-separated", set_select },
	{ "ignore", 0, "RULES", NULL, GROUP_REPORT, COMMAND_CHECK, true,
	  "all rules but these", set_ignore },
	{ "extend-select", 0, "RULES", NULL, GROUP_REPORT, COMMAND_CHECK, false,
	  "these rules besides the selected ones", set_extend_select },
	{ "no-suppressed", 0, NULL, NULL, GROUP_REPORT, COMMAND_CHECK, false,
	  "leave suppressed findings out of reports", set_no_suppressed },
	{ "ignore-suppressions", 0, NULL, NULL, GROUP_REPORT, COMMAND_CHECK, false,
	  "act as if nothing were suppressed", set_ignore_suppressions },
	{ "max-findings", 0, "N", NULL, GROUP_REPORT, COMMAND_CHECK, false,
	  "write the first N findings; more of them make the run exit 2", set_max_findings },
	/* output */
	{ "format", 'f', "FORMAT", "KUBELINT_FORMAT", GROUP_OUTPUT,
	  COMMANDS_OF_TREES | COMMAND_RULES | COMMAND_EXPLAIN, true,
	  "format on standard output", set_format },
	{ "output", 'o', "FORMAT:FILE", "KUBELINT_OUTPUT", GROUP_OUTPUT, COMMAND_CHECK, true,
	  "one more output (repeatable); FILE alone: format from its name (.sarif, junit.xml, "
	  ".json)",
	  set_output },
	{ "statistics", 0, NULL, NULL, GROUP_OUTPUT, COMMAND_CHECK, false,
	  "counts by rule after the text", set_statistics },
	{ "sarif-category", 0, "TEXT", NULL, GROUP_OUTPUT, COMMAND_CHECK, false,
	  "category of the SARIF run, to upload several for one commit", set_sarif_category },
	{ "junit-passing", 0, "all|none", NULL, GROUP_OUTPUT, COMMAND_CHECK, false,
	  "write a JUnit case for each rule that an object passed, or one a file; default all",
	  set_junit_passing },
	{ "quiet", 'q', NULL, NULL, GROUP_OUTPUT, COMMANDS_OF_TREES, true,
	  "findings without source lines, nothing when clean; twice: the exit status only",
	  set_quiet },
	{ "verbose", 'v', NULL, NULL, GROUP_OUTPUT, COMMANDS_OF_TREES, false,
	  "say on standard error what was read and passed over", set_verbose },
	{ "color", 0, "WHEN", NULL, GROUP_OUTPUT, COMMAND_CHECK, false,
	  "auto (default), always or never; NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR are honoured",
	  set_color },
	{ "show", 0, NULL, NULL, GROUP_OUTPUT, COMMAND_CONFIG, true,
	  "every key with its value and where that comes from (default)", set_config_show },
	{ "schema", 0, NULL, NULL, GROUP_OUTPUT, COMMAND_CONFIG, true,
	  "the JSON Schema of .kubelint.yaml, for editors", set_config_schema },
	{ "files", 0, NULL, NULL, GROUP_OUTPUT, COMMAND_CONFIG, true,
	  "the files that would be read, one a line", set_config_files },
	/* general */
	{ "help", 'h', NULL, NULL, GROUP_GENERAL, COMMANDS_ALL, true,
	  "-h: this screenful; --help: everything", set_help },
	{ "version", 0, NULL, NULL, GROUP_GENERAL, COMMANDS_ALL, false,
	  "print the version", set_version },
};

static const char *const group_titles[GROUP_COUNT] = {
	[GROUP_CHECK] = "What to check",
	[GROUP_REPORT] = "What to report",
	[GROUP_OUTPUT] = "Output",
	[GROUP_GENERAL] = "General",
};

const struct option_row *option_rows(size_t *ret_count)
{
	*ret_count = COUNT_OF(rows);
	return rows;
}

const char *option_group_title(enum option_group group)
{
	return group_titles[group];
}

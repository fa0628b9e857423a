/* rulec: from rules/KLnnn-name.yaml to the rule table, prototypes and documentation pages.
 *
 * A tool of the build, never installed. Whatever is wrong in a rule file ends it with one
 * message and status 1, so that the build stops there.
 */
#ifndef KUBELINT_RULEC_H
#define KUBELINT_RULEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The digit of a code names its family: KL1nn is placement. */
enum rule_family {
	FAMILY_MANIFEST, FAMILY_PLACEMENT, FAMILY_SCALING, FAMILY_CAPACITY, FAMILY_RESOURCES,
	FAMILY_NODEGROUPS, FAMILY_AVAILABILITY, FAMILY_OBSERVABILITY,
};

enum rule_level { RULE_NOTE, RULE_WARNING, RULE_ERROR };
enum rule_precision { PRECISION_VERY_HIGH, PRECISION_HIGH, PRECISION_MEDIUM };

/* Are there edits that repair what the rule finds (the Fix column of the catalogue)? */
enum rule_edits { EDITS_NONE, EDITS_SAFE, EDITS_UNSAFE };

struct text_list {
	char **v;
	unsigned n;
};

/* One rule file, as libcyaml loads it. */
struct rule_file {
	char *id, *name;
	enum rule_family family;
	enum rule_level level;
	enum rule_precision precision;
	enum rule_edits edits;
	char *summary, *why, *fix;
	struct text_list applies_to, references, bad, good;
};

/* All rule files of a folder in code order; file_names in the same order. */
struct rule_files {
	struct rule_file **v;
	char **file_names;
	size_t n;
};

/* Words of the enums, as the files write them. */
const char *rule_family_word(enum rule_family family);
const char *rule_precision_word(enum rule_precision precision);
const char *rule_level_word(enum rule_level level);

/* The name of the rule's C function, "kl101_node_selector_unmatched", on the stream. */
void write_function_name(FILE *out, const struct rule_file *rule);

/* The outputs. Each writes a whole file into folder and ends the process when it cannot. */
void write_table(const struct rule_files *rules, const char *folder);
void write_header(const struct rule_files *rules, const char *folder);
void write_pages(const struct rule_files *rules, const char *folder);
/* A Makefile fragment that makes the table depend on the rules' folder (so that a new or a
 * removed file counts) and on each file. */
void write_depfile(const struct rule_files *rules, const char *rules_folder, const char *target,
                   const char *path);

/* Prints "rulec: FILE: message" and ends the process with status 1. */
_Noreturn void fail(const char *file, const char *message);

#endif

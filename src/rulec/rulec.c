/* rulec: reads and checks the rule files. */
#include "rulec.h"

#include <cyaml/cyaml.h>
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define SUMMARY_MAX 160 /* characters; one line of a list of rules */

/* ---- what a rule file may hold -------------------------------------------------------- */

static const cyaml_strval_t family_words[] = {
	{ "manifest", FAMILY_MANIFEST }, { "placement", FAMILY_PLACEMENT },
	{ "scaling", FAMILY_SCALING }, { "capacity", FAMILY_CAPACITY },
	{ "resources", FAMILY_RESOURCES }, { "nodegroups", FAMILY_NODEGROUPS },
	{ "availability", FAMILY_AVAILABILITY }, { "observability", FAMILY_OBSERVABILITY },
};
static const cyaml_strval_t level_words[] = {
	{ "note", RULE_NOTE }, { "warning", RULE_WARNING }, { "error", RULE_ERROR },
};
static const cyaml_strval_t precision_words[] = {
	{ "very-high", PRECISION_VERY_HIGH }, { "high", PRECISION_HIGH },
	{ "medium", PRECISION_MEDIUM },
};
static const cyaml_strval_t edits_words[] = {
	{ "none", EDITS_NONE }, { "safe", EDITS_SAFE }, { "unsafe", EDITS_UNSAFE },
};

static const cyaml_schema_value_t text_item = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};

#define TEXT_FIELD(key, member) \
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, struct rule_file, member, 1, \
	                       CYAML_UNLIMITED)
#define ENUM_FIELD(key, flags, member, words) \
	CYAML_FIELD_ENUM(key, (flags) | CYAML_FLAG_STRICT, struct rule_file, member, words, \
	                 CYAML_ARRAY_LEN(words))
/* Every list has at least one item: an empty one is refused with its key. */
#define LIST_FIELD(key, member) \
	CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER, struct rule_file, member.v, member.n, \
	                           &text_item, 1, CYAML_UNLIMITED)

static const cyaml_schema_field_t rule_fields[] = {
	TEXT_FIELD("id", id),
	TEXT_FIELD("name", name),
	ENUM_FIELD("family", CYAML_FLAG_DEFAULT, family, family_words),
	ENUM_FIELD("level", CYAML_FLAG_DEFAULT, level, level_words),
	LIST_FIELD("appliesTo", applies_to),
	ENUM_FIELD("precision", CYAML_FLAG_DEFAULT, precision, precision_words),
	ENUM_FIELD("edits", CYAML_FLAG_OPTIONAL, edits, edits_words),
	TEXT_FIELD("summary", summary),
	TEXT_FIELD("why", why),
	TEXT_FIELD("fix", fix),
	LIST_FIELD("references", references),
	LIST_FIELD("bad", bad),
	LIST_FIELD("good", good),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t rule_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct rule_file, rule_fields),
};

static const cyaml_config_t yaml_config = {
	.log_fn = cyaml_log,
	.log_level = CYAML_LOG_WARNING,
	.mem_fn = cyaml_mem,
};

const char *rule_family_word(enum rule_family family)
{
	return family_words[family].str;
}

const char *rule_precision_word(enum rule_precision precision)
{
	return precision_words[precision].str;
}

const char *rule_level_word(enum rule_level level)
{
	return level_words[level].str;
}

_Noreturn void fail(const char *file, const char *message)
{
	fprintf(stderr, "rulec: %s: %s\n", file, message);
	exit(EXIT_FAILURE);
}

/* ---- checks of one file ----------------------------------------------------------------- */

static bool id_is_code(const char *id)
{
	return strlen(id) == 5 && strncmp(id, "KL", 2) == 0 &&
	       strspn(id + 2, "0123456789") == 3;
}

static bool name_is_kebab(const char *name)
{
	return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name) &&
	       islower((unsigned char)name[0]) && name[strlen(name) - 1] != '-' &&
	       !strstr(name, "--");
}

static bool file_is_named_so(const char *file, const char *id, const char *name)
{
	size_t n = strlen(id);

	return strncmp(file, id, n) == 0 && file[n] == '-' &&
	       strncmp(file + n + 1, name, strlen(name)) == 0 &&
	       strcmp(file + n + 1 + strlen(name), ".yaml") == 0;
}

/* One sentence on one line: it stands alone in lists. */
static bool summary_is_sentence(const char *summary)
{
	size_t n = strlen(summary);

	return n <= SUMMARY_MAX && !strchr(summary, '\n') && summary[n - 1] == '.' &&
	       !isspace((unsigned char)summary[0]);
}

/* Does the example mark a line for the rule (`# KL101`, also `# KL101 error`)? */
static bool example_marks(const char *example, const char *id)
{
	for (const char *p = strstr(example, "# KL"); p; p = strstr(p + 1, "# KL"))
		if (strncmp(p + 2, id, strlen(id)) == 0)
			return true;
	return false;
}

static void check_examples(const char *file, const struct rule_file *rule)
{
	for (unsigned i = 0; i < rule->bad.n; i++)
		if (!example_marks(rule->bad.v[i], rule->id))
			fail(file, "a bad example marks no line with this rule's code");
	for (unsigned i = 0; i < rule->good.n; i++)
		if (example_marks(rule->good.v[i], rule->id))
			fail(file, "a good example marks a line with this rule's code");
}

static void check_rule(const char *file, const struct rule_file *rule)
{
	if (!id_is_code(rule->id))
		fail(file, "id is not KL and three digits");
	if (!name_is_kebab(rule->name))
		fail(file, "name is not lower-case-with-dashes");
	if (!file_is_named_so(file, rule->id, rule->name))
		fail(file, "the file is not called ID-NAME.yaml");
	if (rule->id[2] - '0' != (int)rule->family)
		fail(file, "the first digit of id is not the family's");
	if (!summary_is_sentence(rule->summary))
		fail(file, "summary is not one sentence of at most 160 characters on one line");
	for (unsigned i = 0; i < rule->references.n; i++)
		if (strncmp(rule->references.v[i], "https://", 8) != 0)
			fail(file, "a reference does not begin with https://");
	check_examples(file, rule);
}

/* Codes and names are keys that people type: each once. Files are in code order. */
static void check_unique(const struct rule_files *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(rules->v[i]->id, rules->v[k]->id) == 0 ||
			    strcmp(rules->v[i]->name, rules->v[k]->name) == 0)
				fail(rules->file_names[i], "id or name is another rule's too");
}

/* ---- the folder ------------------------------------------------------------------------ */

static int is_rule_file(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 5 && strncmp(entry->d_name, "KL", 2) == 0 &&
	       strcmp(entry->d_name + n - 5, ".yaml") == 0;
}

/* Byte order, whatever the locale. */
static int compare_entries(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static char *join_path(const char *folder, const char *file)
{
	size_t size = strlen(folder) + strlen(file) + 2;
	char *path = malloc(size);

	if (!path)
		fail(file, "out of memory");
	snprintf(path, size, "%s/%s", folder, file);
	return path;
}

static struct rule_file *read_rule(const char *folder, const char *file)
{
	struct rule_file *rule = NULL;
	char *path = join_path(folder, file);
	cyaml_err_t error = cyaml_load_file(path, &yaml_config, &rule_schema,
	                                    (cyaml_data_t **)&rule, NULL);

	free(path);
	if (error != CYAML_OK)
		fail(file, cyaml_strerror(error));
	check_rule(file, rule);
	return rule;
}

static void read_rules(const char *folder, struct rule_files *ret_rules)
{
	struct dirent **entries = NULL;
	int found = scandir(folder, &entries, is_rule_file, compare_entries);

	if (found <= 0)
		fail(folder, "holds no rule files");
	ret_rules->n = (size_t)found;
	ret_rules->v = calloc(ret_rules->n, sizeof *ret_rules->v);
	ret_rules->file_names = calloc(ret_rules->n, sizeof *ret_rules->file_names);
	if (!ret_rules->v || !ret_rules->file_names)
		fail(folder, "out of memory");
	for (size_t i = 0; i < ret_rules->n; i++) {
		ret_rules->file_names[i] = strdup(entries[i]->d_name);
		if (!ret_rules->file_names[i])
			fail(folder, "out of memory");
		ret_rules->v[i] = read_rule(folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	check_unique(ret_rules);
}

/* A build with the leak sanitizer fails when a tool of it leaves memory behind. */
static void free_rules(struct rule_files *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		cyaml_free(&yaml_config, &rule_schema, rules->v[i], 0);
		free(rules->file_names[i]);
	}
	free(rules->v);
	free(rules->file_names);
}

/* rulec RULES-FOLDER OUTPUT-FOLDER DEPFILE TARGET: all of them as the build names them. */
int main(int argc, char **argv)
{
	struct rule_files rules = { 0 };

	if (argc != 5)
		fail("usage", "rulec RULES-FOLDER OUTPUT-FOLDER DEPFILE TARGET");
	read_rules(argv[1], &rules);
	write_table(&rules, argv[2]);
	write_header(&rules, argv[2]);
	write_pages(&rules, argv[2]);
	write_depfile(&rules, argv[1], argv[4], argv[3]);
	free_rules(&rules);
	return EXIT_SUCCESS;
}

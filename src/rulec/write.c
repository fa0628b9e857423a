/* rulec: writes what it read. */
#include "rulec.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const level_constants[] = { "LEVEL_NOTE", "LEVEL_WARNING", "LEVEL_ERROR" };

static FILE *open_output(const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = malloc(size);
	FILE *out = NULL;

	if (!path)
		fail(name, "out of memory");
	snprintf(path, size, "%s/%s", folder, name);
	out = fopen(path, "w");
	free(path);
	if (!out)
		fail(name, "cannot be written");
	return out;
}

static void close_output(FILE *out, const char *name)
{
	if (fflush(out) != 0 || ferror(out) || fclose(out) != 0)
		fail(name, "cannot be written");
}

void write_function_name(FILE *out, const struct rule_file *rule)
{
	fprintf(out, "kl%s_", rule->id + 2);
	for (const char *p = rule->name; *p; p++)
		fputc(*p == '-' ? '_' : *p, out);
}

/* A C string literal. Question marks are escaped because of trigraphs, bytes outside of ASCII
 * as three octal digits, which no following digit can lengthen. */
static void write_literal(FILE *out, const char *text)
{
	fputc('"', out);
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;
		if (c == '\n')
			fputs(p[1] ? "\\n\"\n\t\t\"" : "\\n", out);
		else if (c == '"' || c == '\\' || c == '?')
			fprintf(out, "\\%c", c);
		else if (isprint(c))
			fputc(c, out);
		else
			fprintf(out, "\\%03o", c);
	}
	fputc('"', out);
}

/* ---- rules-table.c ---------------------------------------------------------------------- */

static void write_list(FILE *out, const struct rule_file *rule, const char *suffix,
                       const struct text_list *list)
{
	fprintf(out, "static const char *const %s_%s[] = {\n", rule->id, suffix);
	for (unsigned i = 0; i < list->n; i++) {
		fputs("\t", out);
		write_literal(out, list->v[i]);
		fputs(",\n", out);
	}
	fputs("\tNULL,\n};\n", out);
}

static void write_row(FILE *out, const struct rule_file *rule)
{
	fprintf(out, "\t{ .code = \"%s\", .name = \"%s\", .family = \"%s\",\n", rule->id,
	        rule->name, rule_family_word(rule->family));
	fprintf(out, "\t  .level = %s, .precision = \"%s\", .fixable = %s,\n",
	        level_constants[rule->level], rule_precision_word(rule->precision),
	        rule->edits == EDITS_NONE ? "false" : "true");
	fputs("\t  .summary = ", out);
	write_literal(out, rule->summary);
	fputs(",\n\t  .why = ", out);
	write_literal(out, rule->why);
	fputs(",\n\t  .fix = ", out);
	write_literal(out, rule->fix);
	fprintf(out, ",\n\t  .applies_to = %s_applies_to, .references = %s_references,\n",
	        rule->id, rule->id);
	fprintf(out, "\t  .bad = %s_bad, .good = %s_good },\n", rule->id, rule->id);
}

void write_table(const struct rule_files *rules, const char *folder)
{
	FILE *out = open_output(folder, "rules-table.c");

	fputs("/* Made by rulec from the rule files; do not edit. */\n"
	      "#include \"rules-generated.h\"\n\n", out);
	for (size_t i = 0; i < rules->n; i++) {
		const struct rule_file *rule = rules->v[i];
		write_list(out, rule, "applies_to", &rule->applies_to);
		write_list(out, rule, "references", &rule->references);
		write_list(out, rule, "bad", &rule->bad);
		write_list(out, rule, "good", &rule->good);
	}
	fprintf(out, "\nconst size_t rules_count = %zu;\n\nconst struct rule rules_table[] = {\n",
	        rules->n);
	for (size_t i = 0; i < rules->n; i++)
		write_row(out, rules->v[i]);
	fputs("};\n\nvoid (*const rules_functions[])(const struct judge *judge) = {\n", out);
	for (size_t i = 0; i < rules->n; i++) {
		fputs("\t", out);
		write_function_name(out, rules->v[i]);
		fputs(",\n", out);
	}
	fputs("};\n", out);
	close_output(out, "rules-table.c");
}

/* ---- rules-generated.h ------------------------------------------------------------------ */

void write_header(const struct rule_files *rules, const char *folder)
{
	FILE *out = open_output(folder, "rules-generated.h");

	fputs("/* Made by rulec from the rule files; do not edit. */\n"
	      "#ifndef KUBELINT_RULES_GENERATED_H\n#define KUBELINT_RULES_GENERATED_H\n\n"
	      "#include \"rules.h\"\n\n"
	      "extern const size_t rules_count;\n"
	      "extern const struct rule rules_table[];\n"
	      "extern void (*const rules_functions[])(const struct judge *judge);\n\n", out);
	for (size_t i = 0; i < rules->n; i++) {
		fputs("void ", out);
		write_function_name(out, rules->v[i]);
		fputs("(const struct judge *judge);\n", out);
	}
	fputs("\n#endif\n", out);
	close_output(out, "rules-generated.h");
}

/* ---- pages -------------------------------------------------------------------------------- */

static const char *edits_text(enum rule_edits edits)
{
	switch (edits) {
	case EDITS_SAFE:
		return "`--fix` repairs it";
	case EDITS_UNSAFE:
		return "`--fix --unsafe-fixes` repairs it";
	default:
		return "no automatic repair";
	}
}

static void write_examples(FILE *out, const char *title, const struct text_list *examples)
{
	fprintf(out, "\n## %s\n", title);
	for (unsigned i = 0; i < examples->n; i++)
		fprintf(out, "\n```yaml\n%s```\n", examples->v[i]);
}

static void write_page(const struct rule_file *rule, const char *folder)
{
	size_t size = strlen(rule->id) + sizeof ".md";
	char *name = malloc(size);

	if (!name)
		fail(rule->id, "out of memory");
	snprintf(name, size, "%s.md", rule->id);
	FILE *out = open_output(folder, name);
	fprintf(out, "# %s %s\n\n%s\n\n", rule->id, rule->name, rule->summary);
	fprintf(out, "Level: %s. Family: %s. Precision: %s. Fix: %s. Applies to:",
	        rule_level_word(rule->level), rule_family_word(rule->family),
	        rule_precision_word(rule->precision), edits_text(rule->edits));
	for (unsigned i = 0; i < rule->applies_to.n; i++)
		fprintf(out, "%s %s", i ? "," : "", rule->applies_to.v[i]);
	fprintf(out, ".\n\n## Why\n\n%s\n## How to fix it\n\n%s", rule->why, rule->fix);
	write_examples(out, "Wrong", &rule->bad);
	write_examples(out, "Right", &rule->good);
	fputs("\n## References\n\n", out);
	for (unsigned i = 0; i < rule->references.n; i++)
		fprintf(out, "- <%s>\n", rule->references.v[i]);
	close_output(out, name);
	free(name);
}

static void write_index(const struct rule_files *rules, const char *folder)
{
	FILE *out = open_output(folder, "README.md");

	fputs("# Rules\n\n| code | name | level | what it says |\n|---|---|---|---|\n", out);
	for (size_t i = 0; i < rules->n; i++)
		fprintf(out, "| [%s](%s.md) | %s | %s | %s |\n", rules->v[i]->id, rules->v[i]->id,
		        rules->v[i]->name, rule_level_word(rules->v[i]->level),
		        rules->v[i]->summary);
	close_output(out, "README.md");
}

/* A page whose rule is gone would stay for ever: all pages go before new ones come. */
static void remove_pages(const char *folder)
{
	DIR *pages = opendir(folder);

	if (!pages)
		return;
	for (const struct dirent *entry = readdir(pages); entry; entry = readdir(pages))
		if (strncmp(entry->d_name, "KL", 2) == 0)
			unlinkat(dirfd(pages), entry->d_name, 0);
	closedir(pages);
}

void write_pages(const struct rule_files *rules, const char *folder)
{
	size_t size = strlen(folder) + sizeof "/pages";
	char *pages = malloc(size);

	if (!pages)
		fail(folder, "out of memory");
	snprintf(pages, size, "%s/pages", folder);
	mkdir(pages, 0777); /* when it fails for a reason, writing the first page says so */
	remove_pages(pages);
	for (size_t i = 0; i < rules->n; i++)
		write_page(rules->v[i], pages);
	write_index(rules, pages);
	free(pages);
}

/* ---- depfile ------------------------------------------------------------------------------ */

/* Spaces and dollars are special in Makefile fragments. */
static void write_make_path(FILE *out, const char *path)
{
	for (const char *p = path; *p; p++) {
		if (*p == ' ' || *p == '#')
			fputc('\\', out);
		if (*p == '$')
			fputc('$', out);
		fputc(*p, out);
	}
}

void write_depfile(const struct rule_files *rules, const char *rules_folder, const char *target,
                   const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		fail(path, "cannot be written");
	write_make_path(out, target);
	fputs(": \\\n ", out);
	write_make_path(out, rules_folder);
	for (size_t i = 0; i < rules->n; i++) {
		fputs(" \\\n ", out);
		write_make_path(out, rules_folder);
		fputc('/', out);
		write_make_path(out, rules->file_names[i]);
	}
	fputc('\n', out);
	close_output(out, path);
}

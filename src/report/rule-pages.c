/* Rules as a list, and one rule as a page. */
#include "report-internal.h"

static void list_text(const struct rule *rules, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s  %-7s  %s\n", rules[i].code, level_name(rules[i].level),
		           rules[i].name);
}

static json_t *texts_value(const char *const *texts)
{
	json_t *list = json_array();

	for (size_t i = 0; texts && texts[i]; i++)
		json_array_append_new(list, json_string(texts[i]));
	return list;
}

static json_t *brief_value(const struct rule *rule)
{
	json_t *value = json_object();

	json_put(value, "code", json_string(rule->code));
	json_put(value, "name", json_string(rule->name));
	json_put(value, "family", json_string(rule->family));
	json_put(value, "level", json_string(level_name(rule->level)));
	json_put(value, "precision", json_string(rule->precision));
	json_put(value, "appliesTo", texts_value(rule->applies_to));
	json_put(value, "summary", json_string(rule->summary));
	return value;
}

bool report_rules(const struct rule *rules, size_t count, str format, struct buf *out)
{
	if (str_is(format, "text")) {
		list_text(rules, count, out);
		return true;
	}
	if (!str_is(format, "json"))
		return false;
	json_begin();
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, brief_value(&rules[i]));
	json_dump_into(list, out);
	return true;
}

/* ---- one page ------------------------------------------------------------------------ */

static bool page_json(const struct rule *rule, struct buf *out)
{
	json_begin();
	json_t *value = brief_value(rule);

	json_put(value, "why", json_string(rule->why));
	json_put(value, "fix", json_string(rule->fix));
	json_put(value, "references", texts_value(rule->references));
	json_put(value, "bad", texts_value(rule->bad));
	json_put(value, "good", texts_value(rule->good));
	json_dump_into(value, out);
	return true;
}

static void add_examples(const char *title, const char *const *examples, bool markdown,
                         struct buf *out)
{
	for (size_t i = 0; examples && examples[i]; i++) {
		str rest = str_of(examples[i]), line;
		buf_printf(out, "\n%s%s\n\n%s", markdown ? "## " : "", title,
		           markdown ? "```yaml\n" : "");
		while (str_next(&rest, '\n', &line))
			buf_printf(out, "%s%.*s\n", markdown || line.n == 0 ? "" : "    ",
			           STR_ARG(line));
		buf_add(out, markdown ? STR("```\n") : STR(""));
	}
}

static void add_section(const char *title, const char *text, bool markdown, struct buf *out)
{
	buf_printf(out, "\n%s%s\n\n%.*s\n", markdown ? "## " : "", title,
	           STR_ARG(str_trim(str_of(text))));
}

/* The same page with and without the marks of Markdown. */
static bool page_words(const struct rule *rule, bool markdown, struct buf *out)
{
	buf_printf(out, "%s%s %s (%s)\n\n%.*s\n", markdown ? "# " : "", rule->code, rule->name,
	           level_name(rule->level), STR_ARG(str_trim(str_of(rule->summary))));
	add_section("Why", rule->why, markdown, out);
	add_section("How to fix", rule->fix, markdown, out);
	add_examples("Bad", rule->bad, markdown, out);
	add_examples("Good", rule->good, markdown, out);
	for (size_t i = 0; rule->references && rule->references[i]; i++)
		buf_printf(out, "%s%s%s\n", i == 0 ? "\nReferences\n\n" : "",
		           markdown ? "- " : "    ", rule->references[i]);
	return true;
}

bool report_rule(const struct rule *rule, str format, struct buf *out)
{
	if (str_is(format, "json"))
		return page_json(rule, out);
	if (str_is(format, "markdown"))
		return page_words(rule, true, out);
	return str_is(format, "text") && page_words(rule, false, out);
}

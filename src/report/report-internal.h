/* What the writers share: places, escapes, and the table's rows. */
#ifndef KUBELINT_REPORT_INTERNAL_H
#define KUBELINT_REPORT_INTERNAL_H

#include <jansson.h>

#include "report.h"

/* Where the pages of the project are. */
#define REPORT_HOME "https://kubelint.dev"

void text_write(const struct report *report, struct buf *out);
void json_write(const struct report *report, struct buf *out);
void sarif_write(const struct report *report, struct buf *out);
void junit_write(const struct report *report, struct buf *out);

/* ---- places -------------------------------------------------------------------------- */

/* Both ends of a span, the end exclusive. */
struct place {
	const struct source *source;   /* NULL: no place */
	struct position begin, end;
};
struct place place_of(const struct report *report, struct span span);

/* ---- characters ---------------------------------------------------------------------- */

/* Takes the first code point of *rest and moves it on; bytes that are no UTF-8 give U+FFFD and
 * ret_valid false. rest must not be empty. */
uint32_t utf8_next(str *rest, bool *ret_valid);
void utf8_add(struct buf *buf, uint32_t code_point);
/* The text with each invalid byte as U+FFFD. */
str utf8_clean(struct arena *arena, str text);

/* Adds a character as a terminal may get it; true when it had to be written as an escape. */
bool terminal_add(struct buf *buf, uint32_t code_point);

/* ---- objects ------------------------------------------------------------------------- */

/* "Deployment prod/infer", "NodePool gpu", empty for none. */
str object_ref_text(struct arena *arena, const struct object_ref *object);
/* "apps/Deployment/prod/infer" (SARIF, JUnit); v1 kinds begin with v1. Empty for none. */
str object_ref_path(struct arena *arena, const struct object_ref *object);

/* Address of a rule's page. */
str rule_address(const struct report *report, const struct rule *rule);

/* ---- text ---------------------------------------------------------------------------- */

/* One finding as the text format prints it, without colour, for JUnit's bodies. */
void text_add_finding(const struct report *report, const struct finding *finding,
                      struct buf *out);

/* ---- jansson ------------------------------------------------------------------------- */

/* From here on jansson's memory comes from base, which ends the process when there is none: its
 * results need no checks. */
void json_begin(void);

/* Any bytes as a JSON string; invalid UTF-8 becomes U+FFFD. */
json_t *json_text(const struct report *report, str text);
/* Sets a key and takes over the value. */
void json_put(json_t *object, const char *key, json_t *value);
/* Sets a key, unless the text is empty. */
void json_put_text(const struct report *report, json_t *object, const char *key, str text);
void json_put_count(json_t *object, const char *key, size_t count);
/* Appends the value and a line end, and frees the value. */
void json_dump_into(json_t *value, struct buf *out);

#endif

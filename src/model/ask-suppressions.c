/* What authors have said about findings: annotations on objects, comments in files. */
#include <string.h>

#include "ask.h"

#define IGNORE_ANNOTATION "kubelint.dev/ignore"
#define IGNORE_COMMENT "kubelint: ignore"

/* `RULE[,RULE] reason`: the rules up to the first blank, the rest is the reason. */
static bool read_entry(struct arena *arena, str entry, struct suppression *suppression)
{
	str words = str_trim(entry), rest, rule;
	size_t end = 0;

	while (end < words.n && words.p[end] != ' ' && words.p[end] != '\t')
		end++;
	rest = str_slice(words, 0, end);
	suppression->reason = str_trim(str_slice(words, end, words.n));
	while (str_next(&rest, ',', &rule))
		if (rule.n > 0)
			*VEC_PUSH(arena, &suppression->rules) = rule;
	return suppression->rules.n > 0;
}

/* ---- annotations ------------------------------------------------------------------------- */

/* Entries are split at `;`. */
static void read_annotation(struct arena *arena, const struct object *object,
                            const struct pairs *annotations, struct suppressions *suppressions)
{
	const struct pair *pair = pairs_find(annotations, STR(IGNORE_ANNOTATION));
	str rest = pair && node_known(pair->node) ? pair->value : STR(""), entry;

	while (str_next(&rest, ';', &entry)) {
		struct suppression suppression = { .object = object, .node = pair->node,
			                           .span = node_place(pair->node) };
		if (read_entry(arena, entry, &suppression))
			*VEC_PUSH(arena, suppressions) = suppression;
	}
}

static bool has_pod_template(const struct object *object)
{
	return object->workload && object->class >= OBJECT_DEPLOYMENT &&
	       object->class <= OBJECT_CUSTOM_WORKLOAD;
}

/* ---- comments ---------------------------------------------------------------------------- */

static uint32_t line_begin(str text, uint32_t offset)
{
	while (offset > 0 && text.p[offset - 1] != '\n')
		offset--;
	return offset;
}

static uint32_t line_end(str text, uint32_t offset)
{
	while (offset < text.n && text.p[offset] != '\n' && text.p[offset] != '\r')
		offset++;
	return offset;
}

/* The `#` that the words stand behind, with blanks only in between; the comment must begin a
 * line or follow a blank. false: the words are no comment of ours. */
static bool find_hash(str text, uint32_t words, uint32_t *ret_hash)
{
	uint32_t at = words;

	while (at > 0 && (text.p[at - 1] == ' ' || text.p[at - 1] == '\t'))
		at--;
	if (at == 0 || text.p[at - 1] != '#')
		return false;
	*ret_hash = --at;
	return at == 0 || text.p[at - 1] == ' ' || text.p[at - 1] == '\t' ||
	       text.p[at - 1] == '\n';
}

/* A comment alone on its line counts for the next line. */
static bool stands_alone(str text, uint32_t hash)
{
	for (uint32_t i = line_begin(text, hash); i < hash; i++)
		if (text.p[i] != ' ' && text.p[i] != '\t')
			return false;
	return true;
}

static void read_comment(struct arena *arena, const struct source *source, uint32_t words,
                         struct suppressions *suppressions)
{
	str text = source->text;
	uint32_t begin = words + (uint32_t)strlen(IGNORE_COMMENT);
	uint32_t end = line_end(text, begin), hash;
	struct suppression suppression = { 0 };

	if (!find_hash(text, words, &hash) ||
	    !read_entry(arena, str_slice(text, begin, end), &suppression))
		return;
	suppression.span = (struct span){ source->id, hash, end };
	suppression.line = source_position(source, hash).line;
	if (stands_alone(text, hash))
		suppression.line++;
	*VEC_PUSH(arena, suppressions) = suppression;
}

static void read_comments(struct arena *arena, const struct source *source,
                          struct suppressions *suppressions)
{
	str text = source->text;

	for (uint32_t at = 0; at < text.n;) {
		const char *found = memmem(text.p + at, text.n - at, IGNORE_COMMENT,
		                           strlen(IGNORE_COMMENT));
		if (!found)
			return;
		at = (uint32_t)(found - text.p);
		read_comment(arena, source, at, suppressions);
		at += (uint32_t)strlen(IGNORE_COMMENT);
	}
}

/* The documents of a file stand together. */
void scope_suppressions(struct arena *arena, const struct scope *scope,
                        struct suppressions *ret_suppressions)
{
	const struct source *last = NULL;

	*ret_suppressions = (struct suppressions){ 0 };
	for (size_t i = 0; i < scope->objects.n; i++) {
		const struct object *object = scope->objects.v[i];
		read_annotation(arena, object, &object->annotations, ret_suppressions);
		if (has_pod_template(object))
			read_annotation(arena, object, &object->workload->pod.annotations,
			                ret_suppressions);
	}
	for (size_t i = 0; i < scope->trees.n; i++) {
		if (scope->trees.v[i]->source != last)
			read_comments(arena, scope->trees.v[i]->source, ret_suppressions);
		last = scope->trees.v[i]->source;
	}
}

/* The list of everything said, and its order. */
#include "finding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct sink *sink_new(struct arena *arena)
{
	struct sink *sink = ARENA_NEW(arena, struct sink);

	sink->arena = arena;
	return sink;
}

struct finding *sink_add(struct sink *sink, const struct rule *rule, enum level level,
                         struct span span)
{
	assert(level <= rule->level);
	assert(span.file != 0);
	struct finding *finding = ARENA_NEW(sink->arena, struct finding);
	finding->rule = rule;
	finding->level = level;
	finding->span = span;
	*VEC_PUSH(sink->arena, &sink->findings) = finding;
	return finding;
}

void sink_undecided(struct sink *sink, const struct rule *rule, struct object_ref object,
                    struct span span, str missing)
{
	struct undecided *undecided = VEC_PUSH(sink->arena, &sink->undecided);

	undecided->rule = rule;
	undecided->object = object;
	undecided->span = span;
	undecided->missing = str_copy(sink->arena, missing);
}

void sink_notify(struct sink *sink, const char *id, enum level level, struct span span,
                 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str message = str_vformat(sink->arena, format, args);
	va_end(args);
	for (size_t i = 0; i < sink->notifications.n; i++) {
		const struct notification *said = &sink->notifications.v[i];
		if (strcmp(said->id, id) == 0 && str_eq(said->message, message))
			return;
	}
	struct notification *notification = VEC_PUSH(sink->arena, &sink->notifications);
	notification->id = id;
	notification->level = level;
	notification->span = span;
	notification->message = message;
}

/* ---- order ------------------------------------------------------------------------------ */

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_spans(struct span a, struct span b)
{
	int order = compare_numbers(a.file, b.file);

	if (order == 0)
		order = compare_numbers(a.begin, b.begin);
	return order != 0 ? order : compare_numbers(a.end, b.end);
}

static int compare_objects(const struct object_ref *a, const struct object_ref *b)
{
	int order = str_cmp(a->api_version, b->api_version);

	if (order == 0)
		order = str_cmp(a->kind, b->kind);
	if (order == 0)
		order = str_cmp(a->namespace, b->namespace);
	return order != 0 ? order : str_cmp(a->name, b->name);
}

/* Files are numbered in the order of their paths, so the number orders like the path. */
static int compare_findings(const struct finding *a, const struct finding *b)
{
	int order = compare_spans(a->span, b->span);

	if (order == 0)
		order = strcmp(a->rule->code, b->rule->code);
	if (order == 0)
		order = str_cmp(a->message, b->message);
	if (order == 0)
		order = compare_objects(&a->object, &b->object);
	if (order == 0)
		order = str_cmp(a->path, b->path);
	return order != 0 ? order : (int)b->level - (int)a->level;
}

static int compare_finding_items(const void *a, const void *b)
{
	const struct finding *const *left = a;
	const struct finding *const *right = b;

	return compare_findings(*left, *right);
}

static int compare_undecided(const struct undecided *a, const struct undecided *b)
{
	int order = compare_spans(a->span, b->span);

	if (order == 0)
		order = strcmp(a->rule->code, b->rule->code);
	if (order == 0)
		order = compare_objects(&a->object, &b->object);
	return order != 0 ? order : str_cmp(a->missing, b->missing);
}

static int compare_undecided_items(const void *a, const void *b)
{
	return compare_undecided(a, b);
}

static int compare_notification_items(const void *a, const void *b)
{
	const struct notification *left = a;
	const struct notification *right = b;
	int order = strcmp(left->id, right->id);

	if (order == 0)
		order = compare_spans(left->span, right->span);
	return order != 0 ? order : str_cmp(left->message, right->message);
}

/* Drops each finding that equals the one before it. */
static void drop_equal_findings(struct findings *findings)
{
	size_t kept = 0;

	for (size_t i = 0; i < findings->n; i++)
		if (kept == 0 || compare_findings(findings->v[kept - 1], findings->v[i]) != 0)
			findings->v[kept++] = findings->v[i];
	findings->n = kept;
}

static void drop_equal_undecided(struct undecideds *undecided)
{
	size_t kept = 0;

	for (size_t i = 0; i < undecided->n; i++)
		if (kept == 0 || compare_undecided(&undecided->v[kept - 1], &undecided->v[i]) != 0)
			undecided->v[kept++] = undecided->v[i];
	undecided->n = kept;
}

/* qsort(3) must not get NULL, which an empty list is. */
static void sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	if (n > 1)
		qsort(items, n, size, compare);
}

void sink_finish(struct sink *sink)
{
	sort(sink->findings.v, sink->findings.n, sizeof *sink->findings.v, compare_finding_items);
	drop_equal_findings(&sink->findings);
	sort(sink->undecided.v, sink->undecided.n, sizeof *sink->undecided.v,
	     compare_undecided_items);
	drop_equal_undecided(&sink->undecided);
	sort(sink->notifications.v, sink->notifications.n, sizeof *sink->notifications.v,
	     compare_notification_items);
}

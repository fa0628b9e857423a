/* Suppressions: which findings their authors have answered already. */
#include "ask.h"
#include "triage-internal.h"
#include "tree.h"

/* Suppressions that hold at one place: the same object, or the same line. */
struct held VEC(const struct suppression *);

/* All suppressions by where they hold, and which of them did anything. Those of several variants
 * are one: their place is their identity. */
struct suppressor {
	struct arena *arena;
	const struct source_set *sources;
	struct map *roots;  /* address of an object's root -> struct held */
	struct map *lines;  /* file and line -> struct held */
	struct map *used;   /* identity of a suppression -> non-NULL */
	struct map *named;  /* file and offset where the rule itself has said something -> non-NULL */
};

static str root_key(const struct suppressor *suppressor, const struct node *root)
{
	return str_format(suppressor->arena, "%p", (const void *)root);
}

static str line_key(const struct suppressor *suppressor, uint32_t file, uint32_t line)
{
	return str_format(suppressor->arena, "%u %u", file, line);
}

/* Entries of one annotation share their span: the rules tell them apart. */
static str identity(const struct suppressor *suppressor, const struct suppression *suppression)
{
	struct buf buf = { .arena = suppressor->arena };

	buf_printf(&buf, "%u %u", suppression->span.file, suppression->span.begin);
	for (size_t i = 0; i < suppression->rules.n; i++)
		buf_printf(&buf, " %.*s", STR_ARG(suppression->rules.v[i]));
	return buf_str(&buf);
}

static void add(const struct suppressor *suppressor, struct map *map, str key,
                const struct suppression *suppression)
{
	struct held *held = map_get(map, key);

	if (!held) {
		held = ARENA_NEW(suppressor->arena, struct held);
		map_put(map, key, held);
	}
	*VEC_PUSH(suppressor->arena, held) = suppression;
}

/* Each suppression once, however many variants hold its file. */
static void collect(const struct suppressor *suppressor, const struct scopes *scopes,
                    struct held *ret_all)
{
	struct map *seen = map_new(suppressor->arena);

	for (size_t i = 0; i < scopes->n; i++) {
		struct suppressions *found =
			ARENA_NEW(suppressor->arena, struct suppressions);
		scope_suppressions(suppressor->arena, scopes->v[i], found);
		for (size_t k = 0; k < found->n; k++) {
			const struct suppression *suppression = &found->v[k];
			if (map_put(seen, identity(suppressor, suppression), found))
				continue;
			*VEC_PUSH(suppressor->arena, ret_all) = suppression;
			if (suppression->object)
				add(suppressor, suppressor->roots,
				    root_key(suppressor, suppression->object->root), suppression);
			else
				add(suppressor, suppressor->lines,
				    line_key(suppressor, suppression->span.file,
				             suppression->line), suppression);
		}
	}
}

static bool means(const struct suppression *suppression, const struct rule *rule)
{
	for (size_t i = 0; i < suppression->rules.n; i++)
		if (str_is(suppression->rules.v[i], "*") ||
		    rule_selected(rule, suppression->rules.v[i]))
			return true;
	return false;
}

static void apply(const struct suppressor *suppressor, const struct held *held,
                  struct finding *finding)
{
	for (size_t i = 0; held && i < held->n; i++) {
		if (!means(held->v[i], finding->rule))
			continue;
		map_put(suppressor->used, identity(suppressor, held->v[i]), finding);
		if (!finding->suppressed)
			finding->justification = held->v[i]->reason;
		finding->suppressed = true;
	}
}

/* An annotation counts for all that lies in its object, groups that it declares included. */
static void suppress(const struct suppressor *suppressor, struct finding *finding)
{
	const struct source *source = source_of(suppressor->sources, finding->span.file);
	uint32_t line = source ? source_position(source, finding->span.begin).line : 0;

	if (map_count(suppressor->lines) > 0)
		apply(suppressor, map_get(suppressor->lines,
		                          line_key(suppressor, finding->span.file, line)),
		      finding);
	if (map_count(suppressor->roots) == 0)
		return;
	for (const struct node *node = finding->value; node; node = node->parent)
		apply(suppressor, map_get(suppressor->roots, root_key(suppressor, node)), finding);
}

static str place_key(const struct suppressor *suppressor, struct span span)
{
	return str_format(suppressor->arena, "%u %u", span.file, span.begin);
}

/* An annotation's object and path; a comment has neither. */
static void describe(struct sink *sink, struct finding *finding,
                     const struct suppression *suppression)
{
	if (!suppression->object)
		return;
	finding->object.api_version = suppression->object->api_version;
	finding->object.kind = suppression->object->kind;
	finding->object.namespace = suppression->object->namespace.s;
	finding->object.name = suppression->object->name.s;
	finding->path = node_path(sink->arena, suppression->object->root, suppression->node, NULL);
}

static void say_unused(struct sink *sink, const struct rule *rule,
                       const struct suppression *suppression)
{
	struct finding *finding = sink_add(sink, rule, LEVEL_NOTE, suppression->span);
	struct buf rules = { .arena = sink->arena };

	for (size_t i = 0; i < suppression->rules.n; i++)
		buf_printf(&rules, "%s%.*s", i ? "," : "", STR_ARG(suppression->rules.v[i]));
	describe(sink, finding, suppression);
	finding->salient = buf_str(&rules);
	finding_message(sink, finding, "nothing is found here that \"ignore %.*s\" would suppress",
	                STR_ARG(buf_str(&rules)));
	finding_help(sink, finding, "remove it, so that it hides nothing later");
}

/* What was used and gives no reason. */
static void check_reasons(struct sink *sink, const struct suppressor *suppressor,
                          const struct held *all, const struct rule *rule)
{
	for (size_t i = 0; i < all->n && rule; i++)
		if (!all->v[i]->reason.n && map_has(suppressor->used, identity(suppressor, all->v[i])))
			describe(sink, triage_say_reasonless(sink, rule, all->v[i]->span,
			                                     str_copy(sink->arena, all->v[i]->rules.v[0])),
			         all->v[i]);
}

void triage_suppress(struct sink *sink, const struct scopes *scopes,
                     const struct triage_options *options)
{
	const struct rule *rule = options->unused_rule;
	struct arena *scratch = arena_new();
	const struct suppressor suppressor = {
		.arena = scratch,
		.sources = scopes->n > 0 ? scopes->v[0]->sources : NULL,
		.roots = map_new(scratch), .lines = map_new(scratch),
		.used = map_new(scratch), .named = map_new(scratch),
	};
	struct held all = { 0 };

	collect(&suppressor, scopes, &all);
	for (size_t i = 0; i < sink->findings.n && all.n > 0; i++) {
		struct finding *finding = sink->findings.v[i];
		suppress(&suppressor, finding);
		if (finding->rule == rule)
			map_put(suppressor.named, place_key(&suppressor, finding->span), finding);
	}
	for (size_t i = 0; i < all.n && rule; i++)
		if (!map_has(suppressor.used, identity(&suppressor, all.v[i])) &&
		    !map_has(suppressor.named, place_key(&suppressor, all.v[i]->span)))
			say_unused(sink, rule, all.v[i]);
	if (options->require_reasons)
		check_reasons(sink, &suppressor, &all, rule);
	arena_free(scratch);
}

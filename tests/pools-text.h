/* For the tests of pools: a text read into pools, and groups in one line each.
 *
 * A line: NAME MIN..MAX[<SMALLER] [per zone] labels{K=V …} taints{…} [spot] TYPE cpu=… memory=… | TYPE …
 * Only declared labels are shown (`?`: not known, `*`: any, `!`: absent); `...` in braces: further
 * ones are possible. Amounts of SAFE..OPTIMISTIC, one number when they are equal; unknown ones are
 * left out, and so are amounts of ephemeral storage; of twelve shapes and more the first eight stand
 * for all. Claims of declared groups come last.
 */
#ifndef KUBELINT_TEST_POOLS_TEXT_H
#define KUBELINT_TEST_POOLS_TEXT_H

#include "kube.h"
#include "pools.h"
#include "source.h"

struct text_row {
	const char *what, *text, *wanted;
};

struct world {
	struct source_set *sources;
	struct trees trees;
	struct objects objects;
	struct pools pools;
};

static void world_parse(struct arena *arena, struct world *world)
{
	static const struct kube_options options;

	for (size_t i = 0; i < world->sources->sources.n; i++) {
		const struct source *source = world->sources->sources.v[i];

		for (size_t k = 0; k < source->document_count; k++) {
			struct tree *tree = tree_parse(arena, &source->documents[k]);

			*VEC_PUSH(arena, &world->trees) = tree;
			kube_bind(tree, &options, &world->objects);
		}
	}
	pools_read(arena, &world->trees, &world->objects, &world->pools);
}

static inline void world_read(struct arena *arena, str text, struct world *ret_world)
{
	*ret_world = (struct world){ .sources = source_from_text(arena, STR("t.yaml"), text) };
	world_parse(arena, ret_world);
}

static inline void world_read_again(struct arena *arena, struct world *world)
{
	pools_read(arena, &world->trees, &world->objects, &world->pools);
}

static inline size_t world_fault_count(const struct world *world)
{
	size_t count = 0;

	for (size_t i = 0; i < world->trees.n; i++)
		for (size_t k = 0; k < world->trees.v[i]->faults.n; k++)
			count += world->trees.v[i]->faults.v[k].kind == FAULT_INVENTORY;
	return count;
}

static inline const struct fault *world_fault(const struct world *world)
{
	for (size_t i = 0; i < world->trees.n; i++)
		for (size_t k = 0; k < world->trees.v[i]->faults.n; k++)
			if (world->trees.v[i]->faults.v[k].kind == FAULT_INVENTORY)
				return &world->trees.v[i]->faults.v[k];
	return NULL;
}

static inline void add_count(struct buf *buf, const struct count_fact *fact)
{
	if (fact->origin == ORIGIN_UNKNOWN)
		buf_char(buf, '?');
	else if (fact->value == INT64_MAX)
		buf_add(buf, STR("inf"));
	else
		buf_printf(buf, "%lld", (long long)fact->value);
}

static inline void add_label(struct buf *buf, const struct group_label *label, const char *gap)
{
	static const char *const signs[] = { "=", "=*", "=?", "!" };
	bool hidden = label->node && label->node->unknown;

	buf_printf(buf, "%s%.*s%s", gap, STR_ARG(label->key), hidden ? "=?" : signs[label->kind]);
	for (size_t i = 0; label->kind == LABEL_VALUES && !hidden && i < label->values.n; i++)
		buf_printf(buf, "%s%.*s", i ? "|" : "", STR_ARG(label->values.v[i]));
}

static inline void add_labels(struct buf *buf, const struct group *group)
{
	const char *gap = "";

	buf_add(buf, STR(" labels{"));
	for (size_t i = 0; i < group->labels.n; i++) {
		const struct group_label *label = &group->labels.v[i];

		if (label->origin == ORIGIN_IMPLIED || str_starts(label->key, STR("kubernetes.io/")))
			continue;
		add_label(buf, label, gap);
		gap = " ";
	}
	buf_printf(buf, "%s}", group->labels_complete ? "" : "...");
}

static inline void add_taints(struct arena *arena, struct buf *buf, const struct group *group)
{
	buf_add(buf, STR(" taints{"));
	for (size_t i = 0; i < group->taints.n; i++)
		buf_printf(buf, "%s%.*s", i ? " " : "",
		           STR_ARG(taint_text(arena, &group->taints.v[i])));
	buf_printf(buf, "%s}", group->taints_known ? "" : "...");
}

/* Memory in Mi, with a tenth where it is none whole. */
static inline void add_amount(struct buf *buf, str resource, int64_t amount)
{
	int64_t mib = 1024 * 1024;

	if (!str_is(resource, "memory"))
		buf_printf(buf, "%lld", (long long)amount);
	else if (amount % mib == 0)
		buf_printf(buf, "%lldMi", (long long)(amount / mib));
	else
		buf_printf(buf, "%lld.%lldMi", (long long)((amount + mib / 20) / mib),
		           (long long)((amount + mib / 20) % mib * 10 / mib));
}

static inline void add_shape(struct buf *buf, const struct node_shape *shape)
{
	buf_printf(buf, " %.*s", STR_ARG(shape->instance_type.n ? shape->instance_type : STR("-")));
	for (size_t i = 0; i < shape->allocatable.n; i++) {
		const struct capacity_fact *fact = &shape->allocatable.v[i];

		if (!fact->known || str_is(fact->resource, "ephemeral-storage"))
			continue;
		buf_printf(buf, " %.*s=", STR_ARG(fact->resource));
		add_amount(buf, fact->resource, fact->safe);
		if (fact->safe == fact->optimistic)
			continue;
		buf_add(buf, STR(".."));
		add_amount(buf, fact->resource, fact->optimistic);
	}
}

static inline void add_group(struct arena *arena, struct buf *buf, const struct group *group)
{
	buf_printf(buf, "%.*s ", STR_ARG(group->name));
	add_count(buf, &group->min);
	buf_add(buf, STR(".."));
	add_count(buf, &group->max);
	if (group->smaller_max.origin)
		buf_printf(buf, "<%lld", (long long)group->smaller_max.value);
	if (group->per_zone)
		buf_add(buf, STR(" per zone"));
	add_labels(buf, group);
	add_taints(arena, buf, group);
	if (group->spot_only)
		buf_add(buf, STR(" spot"));
	for (size_t i = 0; i < group->shapes.n && (i < 8 || group->shapes.n < 12); i++) {
		buf_add(buf, i ? STR(" |") : STR(""));
		add_shape(buf, &group->shapes.v[i]);
	}
	if (group->shapes.n >= 12)
		buf_printf(buf, " | ... %zu types", group->shapes.n);
	buf_char(buf, '\n');
}

static inline str world_text(struct arena *arena, const struct world *world)
{
	struct buf buf = { .arena = arena };

	for (size_t i = 0; i < world->pools.groups.n; i++)
		add_group(arena, &buf, world->pools.groups.v[i]);
	for (size_t i = 0; i < world->pools.claims.n; i++) {
		const struct bounds_claim *claim = &world->pools.claims.v[i];

		if (claim->group->known_by_name_only && !claim->observed)
			continue;
		buf_printf(&buf, "claim %s %.*s ", claim->format, STR_ARG(claim->name));
		add_count(&buf, &claim->min);
		buf_add(&buf, STR(".."));
		add_count(&buf, &claim->max);
		buf_printf(&buf, " of %.*s\n", STR_ARG(claim->group->name));
	}
	return buf_str(&buf);
}

static inline void check_rows(const struct text_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct arena *arena = arena_new();
		struct world world;
		str text;

		world_read(arena, str_of(rows[i].text), &world);
		text = world_text(arena, &world);
		if (!str_is(text, rows[i].wanted))
			fail_msg("%s:\n%.*swanted:\n%s", rows[i].what, STR_ARG(text),
			         rows[i].wanted);
		arena_free(arena);
	}
}

#endif

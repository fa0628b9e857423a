/* Scopes for the tests of sched: manifests through the loader, node groups by hand. */
#ifndef KUBELINT_SCHED_SCOPE_H
#define KUBELINT_SCHED_SCOPE_H

#include "base.h"
#include "kube.h"
#include "model.h"
#include "pools.h"
#include "source.h"
#include "tree.h"

/* A scope of what the text declares, with no group yet. */
static inline struct scope *scope_of_text(struct arena *arena, str text)
{
	struct source_set *set = source_from_text(arena, STR("test.yaml"), text);
	const struct source *source = source_of(set, 1);
	struct settings *settings = ARENA_NEW(arena, struct settings);
	struct kube_options options = { .target = { 1, 36, -1 } };
	struct scope *scope = ARENA_NEW(arena, struct scope);
	struct objects objects = { 0 };
	struct trees trees = { 0 };
	struct scopes scopes = { 0 };

	for (size_t i = 0; i < source->document_count; i++) {
		struct tree *tree = tree_parse(arena, &source->documents[i]);

		*VEC_PUSH(arena, &trees) = tree;
		kube_bind(tree, &options, &objects);
	}
	settings_default(settings);
	model_build(arena, set, settings, &trees, &objects, &scopes);
	if (scopes.n)
		*scope = *scopes.v[0];
	scope->groups = (struct groups){ 0 };
	return scope;
}

/* A group of that many nodes with cpu (millicores), 64 Gi of memory and 110 slots. */
static inline struct group *add_group(struct arena *arena, struct scope *scope, const char *name,
                                      int64_t nodes, int64_t milli_cpu)
{
	const struct {
		const char *resource;
		int64_t amount;
	} amounts[] = { { "cpu", milli_cpu }, { "memory", (int64_t)64 << 30 }, { "pods", 110 } };
	struct group *group = ARENA_NEW(arena, struct group);
	struct node_shape *shape = VEC_PUSH(arena, &group->shapes);

	group->name = str_of(name);
	group->format = "test";
	group->labels_complete = group->taints_known = true;
	group->min = (struct count_fact){ .value = nodes, .origin = ORIGIN_DECLARED };
	group->max = group->min;
	shape->allocatable_complete = true;
	for (size_t i = 0; i < COUNT_OF(amounts); i++)
		*VEC_PUSH(arena, &shape->allocatable) = (struct capacity_fact){
			.resource = str_of(amounts[i].resource), .known = true,
			.safe = amounts[i].amount, .optimistic = amounts[i].amount,
			.origin = ORIGIN_DECLARED,
		};
	*VEC_PUSH(arena, &scope->groups) = group;
	return group;
}

/* Another possible value of a label. */
static inline void add_label(struct arena *arena, struct group *group, const char *key,
                             const char *value)
{
	struct group_label *label = NULL;

	for (size_t i = 0; i < group->labels.n; i++)
		if (str_is(group->labels.v[i].key, key))
			label = &group->labels.v[i];
	if (!label) {
		label = VEC_PUSH(arena, &group->labels);
		*label = (struct group_label){ .key = str_of(key), .kind = LABEL_VALUES,
			                       .origin = ORIGIN_DECLARED };
	}
	*VEC_PUSH(arena, &label->values) = str_of(value);
}

static inline void add_taint(struct arena *arena, struct group *group, const char *text)
{
	taint_parse(str_of(text), VEC_PUSH(arena, &group->taints));
}

#endif

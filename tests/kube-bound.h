/* What the tests of kube share: text in, bound objects out. */
#ifndef KUBELINT_TEST_KUBE_BOUND_H
#define KUBELINT_TEST_KUBE_BOUND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kube.h"
#include "source.h"
#include "tree.h"

struct bound {
	struct arena *arena;
	struct tree *tree;
	struct objects objects;
};

/* The first document of the text; target "" is the newest version. */
static inline struct bound bind_at(const char *text, const char *target)
{
	struct bound bound = { .arena = arena_new() };
	struct source_set *set = source_from_text(bound.arena, STR("t.yaml"), str_of(text));
	struct kube_options options = { 0 };

	version_parse(str_of(target), &options.target);
	bound.tree = tree_parse(bound.arena, &source_of(set, 1)->documents[0]);
	kube_bind(bound.tree, &options, &bound.objects);
	return bound;
}

static inline struct bound bind(const char *text)
{
	return bind_at(text, "");
}

static inline void release(struct bound *bound)
{
	arena_free(bound->arena);
}

static inline void assert_text(str got, const char *wanted)
{
	char *text = strndup(got.p ? got.p : "", got.n);

	assert_string_equal(text, wanted);
	free(text);
}

static inline const struct object *only(const struct bound *bound)
{
	assert_int_equal(bound->objects.n, 1);
	return bound->objects.v[0];
}

static const char *const fault_words[] = {
	[FAULT_UNKNOWN_FIELD] = "unknown",   [FAULT_MISPLACED_FIELD] = "misplaced",
	[FAULT_STRING_WANTED] = "string",    [FAULT_NULL_STRING] = "null",
	[FAULT_UNDECODABLE] = "undecodable", [FAULT_NOT_SERVED] = "served",
	[FAULT_VERSION_FIELD] = "version",   [FAULT_TEMPLATE] = "template",
};

/* "kind path a -> b", lines for all faults but those of validation. */
static inline str fault_lines(struct bound *bound)
{
	struct buf buf = { .arena = bound->arena };

	for (size_t i = 0; i < bound->tree->faults.n; i++) {
		const struct fault *fault = &bound->tree->faults.v[i];
		str path = node_path(bound->arena, NULL, fault->node, NULL);
		bool message = fault->kind == FAULT_UNDECODABLE || fault->kind == FAULT_NOT_SERVED;

		if (fault->kind >= COUNT_OF(fault_words) || !fault_words[fault->kind])
			continue;
		buf_printf(&buf, "%s%s %.*s", buf.n ? "\n" : "", fault_words[fault->kind],
		           STR_ARG(path));
		if (fault->kind == FAULT_STRING_WANTED || message)
			buf_printf(&buf, ": %.*s", STR_ARG(fault->a));
		else if (fault->b.n)
			buf_printf(&buf, " -> %.*s", STR_ARG(fault->b));
	}
	return buf_str(&buf);
}

#define DEPLOYMENT "apiVersion: apps/v1\nkind: Deployment\n"
#define HPA(version) \
	"apiVersion: autoscaling/" version "\nkind: HorizontalPodAutoscaler\nspec:\n  "

#endif

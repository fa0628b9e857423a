/* ask: second leaf of model's door. Questions that one rule or two ask, each answered in a file
 * of its own (src/model/ask-TOPIC.c), so that the first leaf stays readable. As there, all
 * results are read-only and unknown facts never become a verdict.
 */
#ifndef KUBELINT_ASK_H
#define KUBELINT_ASK_H

#include "base.h"
#include "kube.h"
#include "model.h"

/* ---- PromQL (KL701-705) ---------------------------------------------------------------- */

/* One matcher of a series selector: label OP "value". */
struct promql_matcher {
	str label, value;           /* value: between the quotes, escapes as written */
	bool negated, regex;        /* != and !~, =~ and !~ */
};
struct promql_matchers VEC(struct promql_matcher);

/* One series selector of an expression. */
struct promql_use {
	str name;                   /* a view of the expression; empty: only matchers */
	struct promql_matchers matchers;
	bool instant;               /* no [range], offset or @ behind it */
};
struct promql_uses VEC(struct promql_use);

enum promql_op { PROMQL_EQUAL, PROMQL_UNEQUAL, PROMQL_ABOVE, PROMQL_BELOW, PROMQL_AT_LEAST,
	         PROMQL_AT_MOST };

/* A comparison of which both sides are bare: a selector on the left, a selector or a number
 * on the right. Whatever is computed (sums, functions, arithmetic) is not listed. */
struct promql_comparison {
	enum promql_op op;
	size_t left;                /* index into uses */
	size_t right;               /* index into uses; SIZE_MAX: a number */
	struct quantity number;
};
struct promql_comparisons VEC(struct promql_comparison);

/* What a tokenizer sees of an expression: no grammar is checked. readable is false when a
 * template stands in it or its brackets do not close; named is false when a selector gives
 * the name by a matcher on __name__, so that further metrics may be read. */
struct promql {
	bool readable, named;
	struct promql_uses uses;
	struct promql_comparisons comparisons;
};
void promql_read(struct arena *arena, str expression, struct promql *ret_promql);

/* As scope_alert_reads() for one metric, of which the series with that label value is wanted:
 * a matcher that excludes the value makes it no reader. */
enum alert_answer scope_alert_reads_value(const struct scope *scope, const char *metric,
                                          const char *label, const char *value);

#endif

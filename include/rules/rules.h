/* rules: from verdicts to findings. One short function per rule; nothing is registered by hand
 * (src/rulec makes the table from rules/KLnnn-name.yaml).
 */
#ifndef KUBELINT_RULES_H
#define KUBELINT_RULES_H

#include "base.h"
#include "finding.h"
#include "kube.h"
#include "model.h"
#include "sched.h"

/* What a rule function gets: one scope, its verdicts, itself and where to say things. */
struct judge {
	const struct scope *scope;
	const struct judgement *judgement;
	const struct rule *rule;
	struct sink *sink;
	const struct map *roots;           /* private: roots of objects, to find whose a node is */
};

/* All rules in code order; generated. */
const struct rule *rules_all(size_t *ret_count);
/* By code or name; NULL when there is none. */
const struct rule *rule_find(str code_or_name);
/* Nearest code or name, for messages; empty when none is near. */
str rule_nearest(str text);

/* Runs every rule on the scope. */
void rules_run(const struct scope *scope, const struct judgement *judgement, struct sink *sink);

#endif

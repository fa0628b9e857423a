/* KL7: would anybody be told (rules.md, KL7). */
#include "ask.h"
#include "edits.h"

/* Is the workload one for which KL601 is a warning? */
static bool is_grave_singleton(const struct scope *scope, const struct workload *workload)
{
	if (!workload->singleton || workload->object->class != OBJECT_DEPLOYMENT)
		return false;
	if (workload->critical)
		return true;
	for (size_t i = 0; i < scope->calls.n; i++)
		if (scope->calls.v[i].callee == workload)
			return true;
	return false;
}

/* How much an alert would have helped the workload. */
static int need_of(const struct scope *scope, const struct workload *workload)
{
	if (workload->critical)
		return 3;
	if (is_grave_singleton(scope, workload))
		return 2;
	return workload->singleton ? 1 : 0;
}

/* The workload that an alert would have helped most: critical, else a singleton, else the first
 * by name; NULL without workloads. grave: only those for which KL601 is a warning count. */
static const struct workload *neediest(const struct scope *scope, bool grave)
{
	const struct workload *best = NULL;
	int most = -1;

	for (size_t i = 0; i < scope->workloads.n; i++) {
		const struct workload *workload = scope->workloads.v[i];
		int need = need_of(scope, workload);

		if (grave && !is_grave_singleton(scope, workload))
			continue;
		if (need > most || (need == most && str_cmp(workload->text, best->text) < 0)) {
			best = workload;
			most = need;
		}
	}
	return best;
}

/* About the object that the alert would have helped, placed at the declared rules when there
 * are any. */
static struct finding *emit_alert(const struct judge *judge, const struct object *object,
                                  const struct object *rules)
{
	const struct node *spec = rules ? node_get(rules->root, "spec") : NULL;
	const struct node *groups = rules ? node_get(spec ? spec : rules->root, "groups") : NULL;
	struct finding *finding = emit_at(judge, LEVEL_NOTE, object, NULL, NULL);

	if (rules) {
		finding->path = (str){ 0 };
		finding->span = node_key_place(groups ? groups : rules->root);
		if (!finding->span.file) /* a root has no key */
			finding->span = node_place(rules->root);
	}
	return finding;
}

/* Is the absence of an alert a fact: where rules are declared, or because the user says so? */
static bool are_judged(const struct scope *scope, bool declared)
{
	return scope->settings->alerts == ALERTS_ALWAYS ||
	       (declared && scope->settings->alerts == ALERTS_WHEN_DECLARED);
}

/* Without any rules it is said for a singleton that others call: somebody should be told. */
void kl702_alert_missing_restarts(const struct judge *judge)
{
	static const char *const metrics[] = {
		"kube_pod_container_status_restarts_total",
		"kube_pod_container_status_last_terminated_reason",
		"kube_pod_container_status_waiting_reason", NULL,
	};
	const struct object *rules;
	bool any;
	enum alert_answer answer = scope_alert_reads(judge->scope, metrics, &any, &rules);
	const struct workload *workload = neediest(judge->scope,
	                                           !are_judged(judge->scope, any));
	struct finding *finding;

	if (!workload || answer != ALERTS_NONE ||
	    judge->scope->settings->alerts == ALERTS_NEVER)
		return;
	finding = emit_alert(judge, workload->object, rules);
	finding_message(judge->sink, finding,
	                "%s container restarts or their reasons: %.*s may be killed again and "
	                "again unseen", any ? "no alert watches" : "no alert is declared that watches",
	                STR_ARG(workload->text));
	finding_help(judge->sink, finding,
	             "alert on increase(kube_pod_container_status_restarts_total[15m]) > 3");
	if (rules)
		relate_object(judge, finding, workload->object, NULL, "would be helped");
}

/* ---- KL701, KL703 ---------------------------------------------------------------------- */

/* The worse of two answers to "does an alert read it": READ before UNDECIDED before NONE. */
static enum alert_answer either(enum alert_answer a, enum alert_answer b)
{
	return a > b ? a : b;
}

/* Only where alerts are declared at all: else they live elsewhere. */
void kl701_alert_missing_pending(const struct judge *judge)
{
	static const char *const metrics[] = { "kube_pod_status_unschedulable", NULL };
	const struct workload *workload = neediest(judge->scope, false);
	const struct object *rules;
	bool any;
	enum alert_answer answer = either(
		scope_alert_reads(judge->scope, metrics, &any, &rules),
		scope_alert_reads_value(judge->scope, "kube_pod_status_phase", "phase", "Pending"));
	struct finding *finding;

	if (!are_judged(judge->scope, any) || !workload || answer != ALERTS_NONE)
		return;
	finding = emit_alert(judge, workload->object, rules);
	finding_message(judge->sink, finding,
	                "no alert watches pods that stay Pending or are unschedulable: %.*s may wait "
	                "for nodes unseen", STR_ARG(workload->text));
	finding_help(judge->sink, finding,
	             "alert on kube_pod_status_phase{phase=\"Pending\"} == 1 for 15m");
	if (rules)
		relate_object(judge, finding, workload->object, NULL, "would be helped");
}

/* The HPA of the workload that needs it most, else the first by name; NULL without HPAs. */
static const struct scaler *neediest_scaler(const struct scope *scope)
{
	const struct scaler *best = NULL;
	int most = -1;

	for (size_t i = 0; i < scope->scalers.n; i++) {
		const struct scaler *scaler = scope->scalers.v[i];
		int need = scaler->target ? need_of(scope, scaler->target) : 0;

		if (scaler->kind != SCALER_HPA)
			continue;
		if (need > most || (need == most && str_cmp(scaler->object->name.s,
		                                            best->object->name.s) < 0)) {
			best = scaler;
			most = need;
		}
	}
	return best;
}

/* The old names count as reading them: that they are gone is KL704. */
void kl703_alert_missing_hpa(const struct judge *judge)
{
	static const char *const metrics[] = { "kube_horizontalpodautoscaler_*", "kube_hpa_*",
		                               NULL };
	const struct scaler *scaler = neediest_scaler(judge->scope);
	const struct object *rules;
	bool any;
	struct finding *finding;

	if (!scaler || scope_alert_reads(judge->scope, metrics, &any, &rules) != ALERTS_NONE ||
	    !are_judged(judge->scope, any))
		return;
	finding = emit_alert(judge, scaler->object, rules);
	finding_message(judge->sink, finding,
	                "no alert reads kube_horizontalpodautoscaler_*: HPA %.*s may stop or stand "
	                "at its maximum unseen", STR_ARG(scaler->object->name.s));
	finding_help(judge->sink, finding,
	             "alert on kube_horizontalpodautoscaler_status_condition with "
	             "condition=\"ScalingActive\" and status=\"false\"");
	if (rules)
		relate_object(judge, finding, scaler->object, NULL, "would be helped");
}

/* ---- KL704, KL705 ---------------------------------------------------------------------- */

/* One expression that can be read, and what the rules on it need. */
struct expression {
	const struct judge *judge;
	const struct object *object;
	const struct alert_rule *rule;
	const struct promql *promql;
	struct version exporter;    /* of the declared kube-state-metrics; major -1: not known */
};

/* The version of the declared kube-state-metrics; major -1 without one. */
static struct version exporter_version(const struct scope *scope)
{
	struct version version = { -1, -1, -1 };

	for (size_t i = 0; i < scope->workloads.n; i++) {
		const struct pod_template *pod = scope->workloads.v[i]->pod;

		for (size_t k = 0; k < pod->containers.n; k++) {
			struct version parsed;
			str name, tag;

			image_split(pod->containers.v[k].image.s, &name, &tag);
			if (container_runs(&pod->containers.v[k], "kube-state-metrics") &&
			    version_parse(tag, &parsed))
				version = parsed;
		}
	}
	return version;
}

/* Calls check for every expression of a declared rule that the tokenizer reads whole. */
static void each_expression(const struct judge *judge, void (*check)(const struct expression *))
{
	struct version exporter = exporter_version(judge->scope);

	for (size_t i = 0; i < judge->scope->objects.n; i++) {
		const struct object *object = judge->scope->objects.v[i];

		if (object->class != OBJECT_PROMETHEUS_RULE || !object->prometheus_rule)
			continue;
		for (size_t k = 0; k < object->prometheus_rule->rules.n; k++) {
			const struct alert_rule *rule = &object->prometheus_rule->rules.v[k];
			struct promql promql;

			if (!node_known(rule->expr.node))
				continue;
			promql_read(JUDGE_ARENA(judge), rule->expr.s, &promql);
			if (promql.readable && promql.named)
				check(&(struct expression){ judge, object, rule, &promql,
				                            exporter });
		}
	}
}

/* Is the metric gone from the exporter that is declared, or from every 2.x without one? */
static bool is_gone(const struct metric_fact *fact, struct version exporter)
{
	struct version last;

	if (!str_is(fact->source, "kube-state-metrics") || !fact->last.n ||
	    !version_parse(fact->last, &last))
		return false;
	return exporter.major < 0 ? last.major < 2 : version_cmp(exporter, last) > 0;
}

/* A label that a matcher asks for and the metric lost when it was renamed; empty: none. An empty
 * value also matches series without the label. */
static str lost_label(const struct promql_use *use)
{
	for (size_t i = 0; i < use->matchers.n; i++) {
		const struct promql_matcher *matcher = &use->matchers.v[i];

		if (!matcher->negated && !matcher->regex && matcher->value.n &&
		    metric_lost_label(use->name, matcher->label))
			return matcher->label;
	}
	return (str){ 0 };
}

/* Overlaps do not matter for names. */
static size_t occurrences(str text, str part)
{
	size_t count = 0;

	for (size_t i = 0; i + part.n <= text.n; i++)
		count += str_eq(str_slice(text, i, i + part.n), part) ? 1 : 0;
	return count;
}

/* Matchers may need the new labels too, so only a bare metric is renamed safely. */
static void say_gone(const struct expression *expression, const struct promql_use *use,
                     const struct metric_fact *fact)
{
	const struct judge *judge = expression->judge;
	const struct node *node = expression->rule->expr.node;
	str to = fact->replacement;
	struct finding *finding = emit_node(judge, LEVEL_WARNING, expression->object, node);
	struct edit edit;

	finding->salient = use->name;
	finding_message(judge->sink, finding,
	                "%.*s is gone, kube-state-metrics %.*s was the last with it: the expression "
	                "is always empty", STR_ARG(use->name), STR_ARG(fact->last));
	if (!to.n) {
		finding_help(judge->sink, finding, "nothing took its place: use another metric");
		return;
	}
	finding_help(judge->sink, finding, "read %.*s", STR_ARG(to));
	if (str_find(to, '{') == to.n && !use->matchers.n &&
	    occurrences(expression->rule->expr.s, use->name) == 1 &&
	    edit_part(expression->object, node, use->name, to, &edit))
		finding_fix(judge->sink, finding, true, "rename the metric", edit);
}

/* A metric that the table does not have says nothing: other exporters exist. */
static void check_gone(const struct expression *expression)
{
	const struct judge *judge = expression->judge;

	for (size_t i = 0; i < expression->promql->uses.n; i++) {
		const struct promql_use *use = &expression->promql->uses.v[i];
		struct metric_fact fact;
		struct finding *finding;
		str label;

		if (!metric_fact_find(use->name, &fact))
			continue;
		if (is_gone(&fact, expression->exporter))
			say_gone(expression, use, &fact);
		label = expression->exporter.major == 1 ? (str){ 0 } : lost_label(use);
		if (!label.n)
			continue;
		finding = emit_node(judge, LEVEL_WARNING, expression->object,
		                    expression->rule->expr.node);
		finding->salient = label;
		finding_message(judge->sink, finding,
		                "%.*s has no label %.*s since kube-state-metrics 2.0: the expression "
		                "is always empty", STR_ARG(use->name), STR_ARG(label));
		finding_help(judge->sink, finding, "its labels are %.*s", STR_ARG(fact.labels));
	}
}

/* A selector without series is empty, which no tool reports: the alert is silent for ever. */
void kl704_alert_metric_gone(const struct judge *judge)
{
	each_expression(judge, check_gone);
}

/* Does the comparison hold for a sample of that value? */
static bool holds(enum promql_op op, int64_t value, const struct quantity *number)
{
	struct quantity own;
	int order;

	quantity_parse(value ? STR("1") : STR("0"), &own);
	order = quantity_cmp(&own, number);
	switch (op) {
	case PROMQL_EQUAL:
		return order == 0;
	case PROMQL_UNEQUAL:
		return order != 0;
	case PROMQL_ABOVE:
		return order > 0;
	case PROMQL_BELOW:
		return order < 0;
	case PROMQL_AT_LEAST:
		return order >= 0;
	default:
		return order <= 0;
	}
}

/* Matchers in another order are the same. */
static bool has_matcher(const struct promql_use *use, const struct promql_matcher *wanted)
{
	for (size_t i = 0; i < use->matchers.n; i++)
		if (str_eq(use->matchers.v[i].label, wanted->label) &&
		    str_eq(use->matchers.v[i].value, wanted->value) &&
		    use->matchers.v[i].negated == wanted->negated &&
		    use->matchers.v[i].regex == wanted->regex)
			return true;
	return false;
}

/* offset and @ look at another time, a range at many samples. */
static bool same_series(const struct promql_use *a, const struct promql_use *b)
{
	if (!a->name.n || !str_eq(a->name, b->name) || !a->instant || !b->instant ||
	    a->matchers.n != b->matchers.n)
		return false;
	for (size_t i = 0; i < a->matchers.n; i++)
		if (!has_matcher(b, &a->matchers.v[i]))
			return false;
	return true;
}

/* Never or always: both make the alert worthless. */
static void say_vacuous(const struct expression *expression, const struct promql_use *use,
                        const char *why, bool always)
{
	const struct judge *judge = expression->judge;
	struct finding *finding = emit_node(judge, LEVEL_WARNING, expression->object,
	                                    expression->rule->expr.node);

	finding->salient = use->name;
	finding_message(judge->sink, finding, "%.*s %s: the comparison is %s true",
	                STR_ARG(use->name), why, always ? "always" : "never");
	finding_help(judge->sink, finding, "compare with what was meant");
}

/* For a constant 1 only "never" is said: `== 1` is how one joins on such metrics. */
static void check_number(const struct expression *expression, const struct promql_use *use,
                         const struct promql_comparison *comparison)
{
	struct metric_fact fact;
	bool zero, one;

	if (!use->instant || !metric_fact_find(use->name, &fact) ||
	    (!fact.flag && !fact.constant))
		return;
	zero = holds(comparison->op, 0, &comparison->number);
	one = holds(comparison->op, 1, &comparison->number);
	if (fact.flag && zero == one)
		say_vacuous(expression, use, "is 0 or 1", zero);
	else if (fact.constant && !one)
		say_vacuous(expression, use, "is always 1", false);
}

/* Only bare operands are listed by the tokenizer, so sums and functions are never misjudged. */
static void check_vacuous(const struct expression *expression)
{
	const struct promql *promql = expression->promql;

	for (size_t i = 0; i < promql->comparisons.n; i++) {
		const struct promql_comparison *comparison = &promql->comparisons.v[i];
		const struct promql_use *left = &promql->uses.v[comparison->left];
		bool always = comparison->op == PROMQL_EQUAL ||
		              comparison->op == PROMQL_AT_LEAST ||
		              comparison->op == PROMQL_AT_MOST;

		if (comparison->right == SIZE_MAX)
			check_number(expression, left, comparison);
		else if (same_series(left, &promql->uses.v[comparison->right]))
			say_vacuous(expression, left, "is compared with itself", always);
	}
}

/* Recording rules count: an alert on their series inherits the fault. */
void kl705_alert_vacuous(const struct judge *judge)
{
	each_expression(judge, check_vacuous);
}

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
	}
	return finding;
}

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
	const struct workload *workload = neediest(judge->scope, !any);
	struct finding *finding;

	if (!workload || answer != ALERTS_NONE)
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

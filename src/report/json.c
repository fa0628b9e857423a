/* The JSON report: kubelint-report-1.schema.json, the stable interface for machines. */
#include "matrix.h"

#define SCHEMA_VERSION "1.0"

/* Cells of the matrix workload x group that are written at most: above that the report would be
 * nothing else. */
#define MAX_FIT 20000

/* Columns in characters, as in the text format. */
static json_t *location(const struct report *report, const struct place *place)
{
	json_t *value = json_object();

	json_put(value, "path", json_text(report, place->source->path));
	json_put_count(value, "line", place->begin.line);
	json_put_count(value, "column", place->begin.column);
	json_put_count(value, "endLine", place->end.line);
	json_put_count(value, "endColumn", place->end.column);
	return value;
}

static json_t *object_value(const struct report *report, const struct object_ref *object)
{
	json_t *value = json_object();

	json_put(value, "apiVersion", json_text(report, object->api_version));
	json_put(value, "kind", json_text(report, object->kind));
	json_put_text(report, value, "namespace", object->namespace);
	json_put(value, "name", json_text(report, object->name));
	return value;
}

/* Related places that lie nowhere (a group that only a flag names) are left out here: the message
 * tells them too. */
static json_t *related_value(const struct report *report, const struct relateds *related)
{
	json_t *list = json_array();

	for (size_t i = 0; i < related->n; i++) {
		struct place place = place_of(report, related->v[i].span);
		if (!place.source)
			continue;
		json_t *value = json_object();
		json_put(value, "location", location(report, &place));
		json_put(value, "message", json_text(report, related->v[i].message));
		json_array_append_new(list, value);
	}
	return list;
}

static json_t *edits_value(const struct report *report, const struct edits *edits)
{
	json_t *list = json_array();

	for (size_t i = 0; i < edits->n; i++) {
		struct place place = place_of(report, edits->v[i].span);
		if (!place.source)
			continue;
		json_t *value = json_object();
		json_put(value, "location", location(report, &place));
		json_put(value, "text", json_text(report, edits->v[i].text));
		json_array_append_new(list, value);
	}
	return list;
}

static json_t *fixes_value(const struct report *report, const struct fixes *fixes)
{
	json_t *list = json_array();

	for (size_t i = 0; i < fixes->n; i++) {
		if (fixes->v[i].edits.n == 0)
			continue;
		json_t *value = json_object();
		json_put(value, "description", json_text(report, fixes->v[i].description));
		json_put(value, "safe", json_boolean(fixes->v[i].safe));
		json_put(value, "edits", edits_value(report, &fixes->v[i].edits));
		json_array_append_new(list, value);
	}
	return list;
}

/* Field order is that of the schema; readers must not depend on it, people do. */
static void add_diagnostic(const struct report *report, const struct finding *finding,
                           json_t *list)
{
	struct place place = place_of(report, finding->span);

	if (!place.source)
		return;
	json_t *value = json_object();
	json_put(value, "rule", json_text(report, str_of(finding->rule->code)));
	json_put(value, "name", json_text(report, str_of(finding->rule->name)));
	json_put(value, "level", json_text(report, str_of(level_name(finding->level))));
	json_put(value, "message", json_text(report, finding->message));
	json_put_text(report, value, "help", finding->help);
	json_put(value, "location", location(report, &place));
	if (finding->object.kind.n > 0)
		json_put(value, "object", object_value(report, &finding->object));
	json_put_text(report, value, "path", finding->path);
	json_put_text(report, value, "cluster", finding->cluster);
	json_put(value, "fingerprint", json_text(report, finding->fingerprint));
	json_put(value, "related", related_value(report, &finding->related));
	json_put(value, "fixes", fixes_value(report, &finding->fixes));
	json_put(value, "suppressed", json_boolean(finding->suppressed));
	json_put_text(report, value, "justification", finding->justification);
	if (finding->baselined)
		json_put(value, "baselined", json_true());
	json_put(value, "docs", json_text(report, rule_address(report, finding->rule)));
	json_array_append_new(list, value);
}

static size_t count_fit(const struct report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < report->scopes->n; i++)
		for (size_t k = 0; k < report->judgements[i]->count; k++)
			count += report->judgements[i]->placements[k].count;
	return count;
}

static void add_fit_notification(const struct report *report, json_t *list)
{
	json_t *value = json_object();
	str text = str_format(report->arena,
	                      "the matrix of workloads and node groups has %zu cells and is left "
	                      "out (limit: %d)",
	                      count_fit(report), MAX_FIT);

	json_put(value, "id", json_string("fit-left-out"));
	json_put(value, "level", json_string("note"));
	json_put(value, "message", json_text(report, text));
	json_array_append_new(list, value);
}

static json_t *notifications_value(const struct report *report)
{
	json_t *list = json_array();

	if (count_fit(report) > MAX_FIT)
		add_fit_notification(report, list);

	for (size_t i = 0; i < report->sink->notifications.n; i++) {
		const struct notification *from = &report->sink->notifications.v[i];
		struct place place = place_of(report, from->span);
		json_t *value = json_object();
		json_put(value, "id", json_text(report, str_of(from->id)));
		json_put(value, "level", json_text(report, str_of(level_name(from->level))));
		json_put(value, "message", json_text(report, from->message));
		if (place.source)
			json_put(value, "location", location(report, &place));
		json_array_append_new(list, value);
	}
	return list;
}

static json_t *summary_value(const struct report_summary *summary)
{
	json_t *value = json_object();

	json_put_count(value, "files", summary->files);
	json_put_count(value, "objects", summary->objects);
	json_put_count(value, "nodeGroups", summary->node_groups);
	json_put_count(value, "errors", summary->errors);
	json_put_count(value, "warnings", summary->warnings);
	json_put_count(value, "notes", summary->notes);
	json_put_count(value, "suppressed", summary->suppressed);
	json_put_count(value, "baselined", summary->baselined);
	json_put(value, "exitCode", json_integer(summary->exit_code));
	return value;
}

/* ---- verdicts ------------------------------------------------------------------------ */

static json_t *replicas(bool known, int64_t value)
{
	return known ? json_integer(value) : json_null();
}

/* DaemonSets run one a node and are never counted in replicas; of a workload whose peak is not
 * known nobody can say how many are wanted. */
void json_add_capacity(const struct report *report, const struct capacity *capacity, str cluster,
                       json_t *list)
{
	const struct workload *workload = capacity->workload;

	if (workload->daemon_set || !workload->peak.known)
		return;
	json_t *value = json_object();
	json_put(value, "workload", json_text(report, workload->text));
	json_put_text(report, value, "cluster", cluster);
	if (workload->baseline.known)
		json_put(value, "baseline", json_integer(workload->baseline.value));
	json_put(value, "wanted", json_integer(workload->peak.value));
	json_put(value, "placeable", replicas(capacity->known, capacity->placeable));
	json_put(value, "upperBound", replicas(capacity->known, capacity->upper));
	json_put_text(report, value, "limitedBy", capacity->limited_by);
	json_array_append_new(list, value);
}

/* The scheduler's words, and behind them the facts. */
static json_t *reasons_value(const struct report *report, const struct reasons *reasons)
{
	json_t *list = json_array();

	for (size_t i = 0; i < reasons->n; i++) {
		const struct reason *reason = &reasons->v[i];
		str text = reason->text.n > 0 ? reason->text : str_of(filter_name(reason->filter));
		if (reason->detail.n > 0)
			text = str_format(report->arena, "%.*s: %.*s", STR_ARG(text),
			                  STR_ARG(reason->detail));
		json_array_append_new(list, json_text(report, text));
	}
	return list;
}

/* yes, no, and null for what hangs on a fact that nobody declares. */
static json_t *answer_value(enum answer answer)
{
	return answer == ANSWER_UNKNOWN ? json_null() : json_boolean(answer == ANSWER_YES);
}

void json_add_cell(const struct report *report, const struct placement *placement, size_t group,
                   str cluster, json_t *list)
{
	const struct verdict *verdict = &placement->verdicts[group];
	json_t *value = json_object();

	json_put(value, "workload", json_text(report, placement->workload->text));
	json_put(value, "group", json_text(report, verdict->group->name));
	json_put_text(report, value, "cluster", cluster);
	json_put(value, "fits", answer_value(verdict->answer));
	if (verdict->tight)
		json_put(value, "tight", json_true());
	json_put(value, "reasons", reasons_value(report, &verdict->reasons));
	json_array_append_new(list, value);
}

static void add_fit(const struct report *report, const struct placement *placement, str cluster,
                    json_t *list)
{
	for (size_t i = 0; i < placement->count; i++)
		json_add_cell(report, placement, i, cluster, list);
}

/* Without a node group nothing was judged, and nothing is said. */
static void add_verdicts(const struct report *report, json_t *root)
{
	json_t *capacity = json_array(), *fit = json_array();
	bool whole = count_fit(report) <= MAX_FIT;

	for (size_t i = 0; i < report->scopes->n; i++) {
		const struct scope *scope = report->scopes->v[i];
		const struct judgement *judgement = report->judgements[i];
		for (size_t k = 0; scope->groups.n > 0 && k < judgement->count; k++) {
			json_add_capacity(report, &judgement->capacities[k], scope->cluster, capacity);
			if (whole)
				add_fit(report, &judgement->placements[k], scope->cluster, fit);
		}
	}
	json_put(root, "capacity", capacity);
	json_put(root, "fit", fit);
}

json_t *json_root(const struct report *report)
{
	json_t *root = json_object(), *tool = json_object();

	json_put(root, "schemaVersion", json_string(SCHEMA_VERSION));
	json_put(tool, "name", json_string("kubelint"));
	json_put(tool, "version", json_string(report->version));
	json_put(root, "tool", tool);
	json_put(root, "root", json_string(".")); /* never the machine's own folder */
	json_put(root, "summary", summary_value(&report->summary));
	return root;
}

void json_write(const struct report *report, struct buf *out)
{
	json_begin();
	json_t *root = json_root(report), *diagnostics = json_array();

	for (size_t i = 0; i < report->sink->findings.n; i++)
		add_diagnostic(report, report->sink->findings.v[i], diagnostics);
	json_put(root, "diagnostics", diagnostics);
	json_put(root, "notifications", notifications_value(report));
	add_verdicts(report, root);
	json_dump_into(root, out);
}

/* SARIF 2.1.0, one run, as GitHub code scanning and other readers want it (outputs.md section
 * 1). */
#include "report-internal.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" \
               "sarif-schema-2.1.0.json"
/* GitHub's limits: characters of a description, and what we quote of a line. */
#define MAX_DESCRIPTION 1024
#define MAX_SNIPPET 500

/* A run on its way out. */
struct run {
	const struct report *report;
	struct map *hashes;            /* path of a source -> struct strs of its lines */
	json_t *descriptions;          /* of the notifications met */
};

/* Texts of the notifications that are known by id; any other describes itself. */
struct notice_row {
	const char *id, *brief, *help;
};
static const struct notice_row notice_rows[] = {
	{ "file-not-parsed", "A file could not be parsed.",
	  "Repair the syntax error, or exclude the file." },
	{ "unreadable-file", "A file could not be read.",
	  "Make the file readable, or exclude it." },
	{ "missing-path", "A path that was named does not exist.", "Correct the command line." },
	{ "file-too-large", "A file is larger than the limit.",
	  "Raise --max-file-size, or exclude the file." },
	{ "nothing-to-check", "A path holds no Kubernetes object and no node group.",
	  "Name the folder of the manifests, or give --allow-empty." },
	{ "no-node-groups", "No node group is declared, so placement is not judged.",
	  "Declare the node groups in one of the formats that kubelint reads." },
	{ "outside-root", "A file lies outside the root.", "Set the root with --root." },
	{ "unknown-facts", "A fact of a node group is not declared.",
	  "Declare it in a NodeGroupInventory of that name." },
	{ "loose-inventory", "Node groups were read from a loose form.",
	  "Write them in the strict form that `kubelint inventory --format yaml` prints." },
	{ "too-many-findings", "There are more findings than may be written.",
	  "Raise --max-findings." },
};

static json_t *text_value(const struct run *run, str text)
{
	json_t *value = json_object();

	json_put(value, "text", json_text(run->report, text));
	return value;
}

/* At most max bytes, cut between characters. */
static str cut(str text, size_t max)
{
	if (text.n <= max)
		return text;
	while (max > 0 && ((unsigned char)text.p[max] & 0xc0) == 0x80)
		max--;
	return str_slice(text, 0, max);
}

/* ---- rules and notifications --------------------------------------------------------- */

static void add_examples(struct buf *out, const char *title, const char *const *examples)
{
	for (size_t i = 0; examples && examples[i]; i++)
		buf_printf(out, "\n%s\n\n```yaml\n%s%s```\n", title, examples[i],
		           str_ends(str_of(examples[i]), STR("\n")) ? "" : "\n");
}

/* GitHub shows the Markdown, others the plain text. */
static json_t *rule_help(const struct run *run, const struct rule *rule)
{
	struct arena *arena = run->report->arena;
	struct buf markdown = { .arena = arena };
	json_t *value = text_value(run, str_format(arena, "%s\n\n%s", rule->why, rule->fix));

	buf_printf(&markdown, "# %s: %s\n\n%s\n\n%s\n\n## How to fix\n\n%s\n", rule->code,
	           rule->name, rule->summary, rule->why, rule->fix);
	add_examples(&markdown, "Bad:", rule->bad);
	add_examples(&markdown, "Good:", rule->good);
	json_put(value, "markdown", json_text(run->report, buf_str(&markdown)));
	return value;
}

/* No security-severity: it would turn findings about scheduling into security alerts. */
static json_t *rule_properties(const struct run *run, const struct rule *rule)
{
	static const char *const severities[] = {
		[LEVEL_NOTE] = "recommendation",
		[LEVEL_WARNING] = "warning",
		[LEVEL_ERROR] = "error",
	};
	json_t *value = json_object(), *tags = json_array();

	json_array_append_new(tags, json_text(run->report, str_of(rule->family)));
	json_put(value, "precision", json_string(rule->precision));
	json_put(value, "problem.severity", json_string(severities[rule->level]));
	json_put(value, "tags", tags);
	return value;
}

/* All rules are described in every report, also those that found nothing: their indexes then never
 * move. */
static json_t *rule_value(const struct run *run, const struct rule *rule)
{
	json_t *value = json_object(), *configuration = json_object();

	json_put(value, "id", json_string(rule->code));
	json_put(value, "name", json_string(rule->name));
	json_put(value, "shortDescription",
	         text_value(run, cut(str_of(rule->summary), MAX_DESCRIPTION)));
	json_put(value, "fullDescription",
	         text_value(run, cut(str_of(rule->why), MAX_DESCRIPTION)));
	json_put(value, "helpUri", json_text(run->report, rule_address(run->report, rule)));
	json_put(value, "help", rule_help(run, rule));
	json_put(configuration, "level", json_string(level_name(rule->level)));
	json_put(value, "defaultConfiguration", configuration);
	json_put(value, "properties", rule_properties(run, rule));
	return value;
}

static json_t *notice_description(const struct run *run, const char *id)
{
	json_t *value = json_object();
	struct notice_row row = { id, "A notification about the run.",
		                  "The message says what was met and what would help." };

	for (size_t i = 0; i < COUNT_OF(notice_rows); i++)
		if (str_is(str_of(id), notice_rows[i].id))
			row = notice_rows[i];
	json_put(value, "id", json_string(id));
	json_put(value, "name", json_string(id));
	json_put(value, "shortDescription", text_value(run, str_of(row.brief)));
	json_put(value, "fullDescription", text_value(run, str_of(row.brief)));
	json_put(value, "help", text_value(run, str_of(row.help)));
	json_put(value, "helpUri", json_string(REPORT_HOME "/notifications"));
	return value;
}

/* Reference to a notification's description, which is added when it is first met. */
static json_t *descriptor(struct run *run, const char *id)
{
	json_t *value = json_object();
	size_t index = 0;

	while (index < json_array_size(run->descriptions) &&
	       !str_is(str_of(id), json_string_value(json_object_get(
	                               json_array_get(run->descriptions, index), "id"))))
		index++;
	if (index == json_array_size(run->descriptions))
		json_array_append_new(run->descriptions, notice_description(run, id));
	json_put(value, "id", json_string(id));
	json_put_count(value, "index", index);
	return value;
}

/* ---- places -------------------------------------------------------------------------- */

/* Percent-encodes a path (RFC 3986); `:` too, so that no first segment looks like a scheme. */
static str encode_path(struct arena *arena, str path)
{
	static const char kept[] = "-._~!$&'()*+,;=@/";
	struct buf out = { .arena = arena };

	path = utf8_clean(arena, path);
	for (size_t i = 0; i < path.n; i++) {
		char c = path.p[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		             (c >= '0' && c <= '9') || str_find(str_of(kept), c) < sizeof kept - 1;
		if (plain)
			buf_char(&out, c);
		else
			buf_printf(&out, "%%%02X", (unsigned)(unsigned char)c);
	}
	return buf_str(&out);
}

static json_t *artifact_location(const struct run *run, str path)
{
	json_t *value = json_object();

	json_put(value, "uri", json_text(run->report, encode_path(run->report->arena, path)));
	json_put(value, "uriBaseId", json_string("%SRCROOT%"));
	return value;
}

static json_t *region(const struct place *place)
{
	json_t *value = json_object();

	json_put_count(value, "startLine", place->begin.line);
	json_put_count(value, "startColumn", place->begin.column_utf16);
	json_put_count(value, "endLine", place->end.line);
	json_put_count(value, "endColumn", place->end.column_utf16);
	return value;
}

/* The snippet is one line at most: the region is meant to be one. */
static json_t *physical_location(const struct run *run, const struct place *place, bool snippet)
{
	json_t *value = json_object(), *where = region(place);

	if (snippet)
		json_put(where, "snippet",
		         text_value(run, cut(source_line(place->source, place->begin.line),
		                             MAX_SNIPPET)));
	json_put(value, "artifactLocation", artifact_location(run, place->source->path));
	json_put(value, "region", where);
	return value;
}

/* The place of a span, unless it has none or lies outside the root. */
static bool is_placed(const struct run *run, struct span span, struct place *ret_place)
{
	*ret_place = place_of(run->report, span);
	return ret_place->source && !ret_place->source->outside_root;
}

/* Line hash of a line (from 1); the hashes of a file are worked out once. */
static str line_hash(struct run *run, const struct source *source, uint32_t line)
{
	struct strs *hashes = map_get(run->hashes, source->path);

	if (!hashes) {
		hashes = ARENA_NEW(run->report->arena, struct strs);
		report_line_hashes(run->report->arena, source->text, hashes);
		map_put(run->hashes, source->path, hashes);
	}
	return line <= hashes->n ? hashes->v[line - 1] : STR("0:1");
}

/* ---- results ------------------------------------------------------------------------- */

/* Text of data inside a message, where brackets would make links. */
static void add_escaped(struct buf *out, str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		bool control = ((unsigned char)c < 0x20 || c == 0x7f);
		if (c == '[' || c == ']' || c == '\\')
			buf_char(out, '\\');
		buf_char(out, control ? ' ' : c);
	}
}

/* SARIF wants sentences, the text format does not: the stop is added here. */
static void add_sentence(struct buf *out, str text)
{
	if (out->n > 0)
		buf_char(out, ' ');
	add_escaped(out, text);
	if (!str_ends(text, STR(".")))
		buf_char(out, '.');
}

/* In the text of a link no bracket may stand, not even an escaped one. */
static void add_link_text(struct buf *out, str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (c == '[')
			c = '(';
		else if (c == ']')
			c = ')';
		else if (c == '\\' || (unsigned char)c < 0x20)
			c = ' ';
		buf_char(out, c);
	}
}

/* Adds the related places and the sentence that links to them. */
static json_t *related_locations(const struct run *run, const struct relateds *related,
                                 struct buf *message)
{
	json_t *list = json_array();

	for (size_t i = 0; i < related->n; i++) {
		struct place place;
		if (!is_placed(run, related->v[i].span, &place))
			continue;
		json_t *value = json_object();
		size_t id = json_array_size(list) + 1;
		json_put_count(value, "id", id);
		json_put(value, "physicalLocation", physical_location(run, &place, false));
		json_put(value, "message", text_value(run, related->v[i].message));
		json_array_append_new(list, value);
		buf_add(message, id == 1 ? STR(" See [") : STR(", ["));
		add_link_text(message, related->v[i].message);
		buf_printf(message, "](%zu)", id);
	}
	if (json_array_size(list) > 0)
		buf_char(message, '.');
	return list;
}

/* Kind and name of the object, and the field in it. */
static json_t *logical_locations(const struct run *run, const struct finding *finding)
{
	struct arena *arena = run->report->arena;
	str object = object_ref_path(arena, &finding->object);
	json_t *list = json_array(), *value = json_object();

	if (finding->path.n > 0)
		object = str_format(arena, "%.*s/%.*s", STR_ARG(object), STR_ARG(finding->path));
	json_put(value, "fullyQualifiedName", json_text(run->report, object));
	json_put(value, "kind", json_string("resource"));
	json_array_append_new(list, value);
	return list;
}

static json_t *location_list(const struct run *run, const struct finding *finding,
                             const struct place *place)
{
	json_t *list = json_array(), *value = json_object();

	json_put(value, "physicalLocation", physical_location(run, place, true));
	if (finding->object.kind.n > 0)
		json_put(value, "logicalLocations", logical_locations(run, finding));
	json_array_append_new(list, value);
	return list;
}

static json_t *fix_value(const struct run *run, const struct fix *fix)
{
	json_t *value = json_object(), *changes = json_array();

	for (size_t i = 0; i < fix->edits.n; i++) {
		struct place place;
		if (!is_placed(run, fix->edits.v[i].span, &place))
			continue;
		json_t *change = json_object(), *replacements = json_array();
		json_t *replacement = json_object();
		json_put(replacement, "deletedRegion", region(&place));
		json_put(replacement, "insertedContent", text_value(run, fix->edits.v[i].text));
		json_array_append_new(replacements, replacement);
		json_put(change, "artifactLocation", artifact_location(run, place.source->path));
		json_put(change, "replacements", replacements);
		json_array_append_new(changes, change);
	}
	json_put(value, "description", text_value(run, fix->description));
	json_put(value, "artifactChanges", changes);
	return value;
}

/* Safe fixes first. */
static json_t *fix_list(const struct run *run, const struct fixes *fixes)
{
	json_t *list = json_array();

	for (int safe = 1; safe >= 0; safe--)
		for (size_t i = 0; i < fixes->n; i++)
			if (fixes->v[i].safe == (safe == 1) && fixes->v[i].edits.n > 0)
				json_array_append_new(list, fix_value(run, &fixes->v[i]));
	return list;
}

/* GitHub shows these as open all the same; other readers honour them. */
static json_t *suppressions(const struct run *run, const struct finding *finding)
{
	json_t *list = json_array(), *value = json_object();

	json_put(value, "kind", json_string(finding->baselined || finding->external
	                                           ? "external" : "inSource"));
	json_put(value, "status", json_string("accepted"));
	json_put_text(run->report, value, "justification", finding->justification);
	json_array_append_new(list, value);
	return list;
}

static size_t rule_index(const struct run *run, const struct rule *rule)
{
	size_t i = 0;

	while (i < run->report->rule_count && run->report->rules[i] != rule)
		i++;
	return i;
}

/* The first is GitHub's, by text; the second ours, by meaning. */
static json_t *fingerprints(struct run *run, const struct finding *finding,
                            const struct place *place)
{
	json_t *value = json_object();

	json_put(value, "primaryLocationLineHash",
	         json_text(run->report, line_hash(run, place->source, place->begin.line)));
	json_put_text(run->report, value, "kubelintFingerprint/v1", finding->fingerprint);
	return value;
}

/* GitHub shows the first location only and drops results without one. */
static void add_result(struct run *run, const struct finding *finding, json_t *results)
{
	struct buf message = { .arena = run->report->arena };
	struct place place;

	if (!is_placed(run, finding->span, &place))
		return;
	json_t *value = json_object();
	add_sentence(&message, finding->message);
	if (finding->help.n > 0)
		add_sentence(&message, finding->help);
	json_t *related = related_locations(run, &finding->related, &message);
	json_put(value, "ruleId", json_string(finding->rule->code));
	json_put_count(value, "ruleIndex", rule_index(run, finding->rule));
	json_put(value, "level", json_string(level_name(finding->level)));
	json_put(value, "message", text_value(run, buf_str(&message)));
	json_put(value, "locations", location_list(run, finding, &place));
	json_put(value, "relatedLocations", related);
	json_put(value, "partialFingerprints", fingerprints(run, finding, &place));
	json_put(value, "fixes", fix_list(run, &finding->fixes));
	if (finding->suppressed || finding->baselined)
		json_put(value, "suppressions", suppressions(run, finding));
	json_array_append_new(results, value);
}

/* ---- the run ------------------------------------------------------------------------- */

static json_t *notification_value(struct run *run, const struct notification *notification)
{
	json_t *value = json_object();
	struct place place;

	json_put(value, "descriptor", descriptor(run, notification->id));
	json_put(value, "level", json_string(level_name(notification->level)));
	json_put(value, "message", text_value(run, notification->message));
	if (is_placed(run, notification->span, &place)) {
		json_t *list = json_array(), *location = json_object();
		json_put(location, "physicalLocation", physical_location(run, &place, false));
		json_array_append_new(list, location);
		json_put(value, "locations", list);
	}
	return value;
}

/* A text that could not be read is a result, for whoever reads the change, and a notification,
 * for whoever reads the run. */
static size_t add_parse_notices(struct run *run, json_t *list)
{
	const struct findings *findings = &run->report->sink->findings;
	size_t count = 0;

	for (size_t i = 0; i < findings->n; i++) {
		if (!str_is(str_of(findings->v[i]->rule->code), "KL001"))
			continue;
		const struct notification notification = {
			.id = "file-not-parsed",
			.level = LEVEL_ERROR,
			.message = findings->v[i]->message,
			.span = findings->v[i]->span,
		};
		json_array_append_new(list, notification_value(run, &notification));
		count++;
	}
	return count;
}

/* No command line, machine or time: two runs over the same files give the same bytes. */
static json_t *invocations(struct run *run)
{
	const struct notifications *from = &run->report->sink->notifications;
	json_t *list = json_array(), *value = json_object();
	json_t *execution = json_array(), *configuration = json_array();
	size_t unparsed = add_parse_notices(run, execution);

	for (size_t i = 0; i < from->n; i++)
		json_array_append_new(from->v[i].configuration ? configuration : execution,
		                      notification_value(run, &from->v[i]));
	json_put(value, "executionSuccessful",
	         json_boolean(run->report->summary.exit_code != 2 && unparsed == 0));
	json_put(value, "exitCode", json_integer(run->report->summary.exit_code));
	json_put(value, "toolExecutionNotifications", execution);
	json_put(value, "toolConfigurationNotifications", configuration);
	json_array_append_new(list, value);
	return list;
}

/* Every file that was read, also those without a finding. */
static json_t *artifacts(const struct run *run)
{
	const struct sources *sources = &run->report->sources->sources;
	json_t *list = json_array();

	for (size_t i = 0; i < sources->n; i++) {
		if (sources->v[i]->outside_root)
			continue;
		json_t *value = json_object();
		json_put(value, "location", artifact_location(run, sources->v[i]->path));
		json_array_append_new(list, value);
	}
	return list;
}

static json_t *driver(const struct run *run)
{
	json_t *value = json_object(), *rules = json_array();

	json_put(value, "name", json_string("kubelint"));
	json_put(value, "version", json_string(run->report->version));
	json_put(value, "semanticVersion", json_string(run->report->version));
	json_put(value, "informationUri", json_string(REPORT_HOME));
	for (size_t i = 0; i < run->report->rule_count; i++)
		json_array_append_new(rules, rule_value(run, run->report->rules[i]));
	json_put(value, "rules", rules);
	json_put(value, "notifications", run->descriptions);
	return value;
}

/* Described but without an address: that would be the machine of whoever ran it. */
static json_t *base_ids(const struct run *run)
{
	json_t *value = json_object(), *root = json_object();

	json_put(root, "description",
	         text_value(run, STR("Root of the files that were checked.")));
	json_put(value, "%SRCROOT%", root);
	return value;
}

static json_t *automation(const struct run *run)
{
	json_t *value = json_object();
	str category = run->report->sarif_category;

	json_put(value, "id", json_text(run->report,
	                                str_format(run->report->arena, "kubelint/%.*s%s",
	                                           STR_ARG(category), category.n > 0 ? "/" : "")));
	return value;
}

/* Null or absent results would mean that the tool could not run; an empty list is a clean run. */
static json_t *run_value(struct run *run)
{
	json_t *value = json_object(), *tool = json_object(), *results = json_array();
	json_t *invoked = invocations(run); /* before the driver: it meets the notifications */

	json_put(tool, "driver", driver(run));
	json_put(value, "tool", tool);
	json_put(value, "automationDetails", automation(run));
	json_put(value, "columnKind", json_string("utf16CodeUnits"));
	json_put(value, "originalUriBaseIds", base_ids(run));
	json_put(value, "invocations", invoked);
	json_put(value, "artifacts", artifacts(run));
	for (size_t i = 0; i < run->report->sink->findings.n; i++)
		add_result(run, run->report->sink->findings.v[i], results);
	json_put(value, "results", results);
	return value;
}

void sarif_write(const struct report *report, struct buf *out)
{
	json_begin();
	struct run run = {
		.report = report,
		.hashes = map_new(report->arena),
		.descriptions = json_array(),
	};
	json_t *root = json_object(), *runs = json_array();

	json_put(root, "$schema", json_string(SCHEMA));
	json_put(root, "version", json_string("2.1.0"));
	json_array_append_new(runs, run_value(&run));
	json_put(root, "runs", runs);
	json_dump_into(root, out);
}

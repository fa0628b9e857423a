/* JUnit XML: a suite is a file, a case is a rule on an object (outputs.md section 2). Written
 * so that each of the readers named there shows place and text. */
#include "report-internal.h"

/* Passing cases that are written at most; beyond that one a file says that it was read. */
#define MAX_PASSING 20000

/* One rule on one object of a file. */
struct test_case {
	const struct rule *rule;
	str name;                  /* object, or the path of the file */
	uint32_t line;
	struct findings findings;
	str undecided;             /* the missing fact; empty: decided */
};
struct test_cases VEC(struct test_case *);

struct suite {
	const struct source *source;
	struct test_cases cases;
	struct map *by_key;        /* "code name" -> test_case */
	struct map *object_counts; /* name -> how many objects of the file had it */
};
struct suites VEC(struct suite);

struct junit {
	const struct report *report;
	struct arena *arena;
	struct suite *suites;      /* one per source, by id - 1 */
	struct map *objects;       /* addresses of objects that have their cases */
	size_t suite_count;
};

/* ---- XML ----------------------------------------------------------------------------- */

/* Characters that XML 1.0 can hold at all. */
static bool is_xml_character(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xd7ff) ||
	       (c >= 0xe000 && c <= 0xfffd) || c >= 0x10000;
}

static void add_escaped(struct buf *out, str text, bool attribute)
{
	bool valid;

	while (text.n > 0) {
		uint32_t c = utf8_next(&text, &valid);
		if (c == '&')
			buf_add(out, STR("&amp;"));
		else if (c == '<')
			buf_add(out, STR("&lt;"));
		else if (c == '>')
			buf_add(out, STR("&gt;"));
		else if (c == '"' && attribute)
			buf_add(out, STR("&quot;"));
		else if (c == '\r' || (attribute && (c == '\t' || c == '\n')))
			buf_printf(out, "&#%u;", c);
		else
			utf8_add(out, is_xml_character(c) ? c : 0xfffd);
	}
}

/* Line ends and tabs are written as references: a parser would make blanks of them. */
static void add_attribute(struct buf *out, const char *name, str value)
{
	buf_printf(out, " %s=\"", name);
	add_escaped(out, value, true);
	buf_char(out, '"');
}

/* ---- gathering ----------------------------------------------------------------------- */

static struct suite *suite_of(struct junit *junit, uint32_t file)
{
	return file > 0 && file <= junit->suite_count ? &junit->suites[file - 1] : NULL;
}

/* The case of a rule on an object, made when it is not there. */
static struct test_case *case_of(struct junit *junit, struct suite *suite,
                                 const struct rule *rule, str name, uint32_t line)
{
	str key = str_format(junit->arena, "%s %.*s", rule->code, STR_ARG(name));
	struct test_case *found = map_get(suite->by_key, key);

	if (found)
		return found;
	found = ARENA_NEW(junit->arena, struct test_case);
	*found = (struct test_case){ .rule = rule, .name = name, .line = line };
	map_put(suite->by_key, key, found);
	*VEC_PUSH(junit->arena, &suite->cases) = found;
	return found;
}

/* "workload" stands for every kind that carries a pod template. */
static bool applies_to(const struct rule *rule, str kind, bool workload)
{
	for (size_t i = 0; rule->applies_to && rule->applies_to[i]; i++)
		if (str_is(kind, rule->applies_to[i]) ||
		    (workload && str_is(STR("workload"), rule->applies_to[i])))
			return true;
	return false;
}

/* The object as findings name it, so that a finding meets the case that was made before it. */
static struct object_ref ref_of(const struct scope *scope, const struct object *object)
{
	return (struct object_ref){
		.api_version = object->api_version,
		.kind = object->kind,
		.namespace = object->cluster_scoped ? STR("") : object_namespace(scope, object),
		.name = object->name.s,
	};
}

/* The name of an object's cases; a second object of that name in the file gets "#2". */
static str case_name(struct junit *junit, struct suite *suite, const struct object_ref *ref)
{
	str name = object_ref_path(junit->arena, ref);
	size_t *count = map_get(suite->object_counts, name);

	if (!count) {
		count = ARENA_NEW(junit->arena, size_t);
		map_put(suite->object_counts, name, count);
	}
	return ++*count == 1 ? name : str_format(junit->arena, "%.*s#%zu", STR_ARG(name), *count);
}

/* True the first time: an object that several variants share is one object. */
static bool is_new(struct junit *junit, const struct object *object)
{
	str key = { (const char *)&object, sizeof object };

	return !map_has(junit->objects, key) &&
	       !map_put(junit->objects, str_copy(junit->arena, key), junit->objects);
}

/* One case for each rule that looks at this kind of object. */
static void add_passing_object(struct junit *junit, const struct scope *scope,
                               const struct object *object, size_t *ret_count)
{
	struct suite *suite = suite_of(junit, object->tree->source->id);
	const struct report *report = junit->report;
	bool workload = object->class >= OBJECT_POD && object->class <= OBJECT_CUSTOM_WORKLOAD;
	struct object_ref ref = ref_of(scope, object);

	if (!suite || object->name.s.n == 0 || !is_new(junit, object))
		return;
	str name = case_name(junit, suite, &ref);
	uint32_t line = source_position(suite->source, object->root->span.begin).line;
	for (size_t i = 0; i < report->rule_count; i++) {
		if (!applies_to(report->rules[i], object->kind, workload))
			continue;
		case_of(junit, suite, report->rules[i], name, line);
		++*ret_count;
	}
}

/* How many passing cases there would be. */
static size_t count_passing(const struct report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < report->scopes->n; i++)
		count += report->scopes->v[i]->objects.n;
	return count * report->rule_count;
}

static void add_passing(struct junit *junit)
{
	const struct scopes *scopes = junit->report->scopes;
	size_t count = 0;

	for (size_t i = 0; i < scopes->n; i++)
		for (size_t k = 0; k < scopes->v[i]->objects.n && count < MAX_PASSING; k++)
			add_passing_object(junit, scopes->v[i], scopes->v[i]->objects.v[k], &count);
}

/* That a file was read is a case of the rule about reading it. */
static void add_file_cases(struct junit *junit)
{
	const struct report *report = junit->report;
	const struct rule *reading = NULL;

	for (size_t i = 0; i < report->rule_count && !reading; i++)
		if (applies_to(report->rules[i], STR("file"), false))
			reading = report->rules[i];
	for (size_t i = 0; reading && i < junit->suite_count; i++) {
		struct suite *suite = &junit->suites[i];
		if (suite->source)
			case_of(junit, suite, reading, suite->source->path, 1);
	}
}

/* Findings about a text as a whole belong to the file. */
static str finding_name(struct junit *junit, const struct suite *suite,
                        const struct object_ref *ref)
{
	return ref->kind.n > 0 ? object_ref_path(junit->arena, ref) : suite->source->path;
}

/* Findings come after the passing cases and turn them; those of a kind that no passing case was
 * made for make their own. */
static void add_finding_cases(struct junit *junit)
{
	const struct sink *sink = junit->report->sink;

	for (size_t i = 0; i < sink->findings.n; i++) {
		struct finding *finding = sink->findings.v[i];
		struct suite *suite = suite_of(junit, finding->span.file);
		if (!suite || !suite->source)
			continue;
		struct test_case *found =
			case_of(junit, suite, finding->rule,
		                finding_name(junit, suite, &finding->object), 1);
		if (found->findings.n == 0)
			found->line =
				source_position(suite->source, finding->span.begin).line;
		*VEC_PUSH(junit->arena, &found->findings) = finding;
	}
	for (size_t i = 0; i < sink->undecided.n; i++) {
		const struct undecided *undecided = &sink->undecided.v[i];
		struct suite *suite = suite_of(junit, undecided->span.file);
		if (!suite || !suite->source)
			continue;
		str name = finding_name(junit, suite, &undecided->object);
		uint32_t line = source_position(suite->source, undecided->span.begin).line;
		case_of(junit, suite, undecided->rule, name, line)->undecided =
			undecided->missing.n > 0 ? undecided->missing : STR("a fact is not known");
	}
}

static void gather(struct junit *junit)
{
	const struct report *report = junit->report;
	const struct sources *sources = &report->sources->sources;

	for (size_t i = 0; i < sources->n; i++)
		if (sources->v[i]->id > junit->suite_count)
			junit->suite_count = sources->v[i]->id;
	junit->objects = map_new(junit->arena);
	junit->suites = arena_calloc(junit->arena, junit->suite_count, sizeof *junit->suites);
	for (size_t i = 0; i < sources->n; i++)
		junit->suites[sources->v[i]->id - 1] = (struct suite){
			.source = sources->v[i],
			.by_key = map_new(junit->arena),
			.object_counts = map_new(junit->arena),
		};
	add_file_cases(junit);
	if (!report->junit_passing_none && count_passing(report) <= MAX_PASSING)
		add_passing(junit);
	add_finding_cases(junit);
}

/* ---- verdict of a case --------------------------------------------------------------- */

enum outcome { OUTCOME_PASSED, OUTCOME_SKIPPED, OUTCOME_FAILURE, OUTCOME_ERROR, OUTCOME_COUNT };

/* At or above --fail-on, and new. */
static bool is_failing(const struct report *report, const struct finding *finding)
{
	return !finding->suppressed && !finding->baselined && !report->fail_never &&
	       finding->level >= report->fail_level;
}

/* Exactly one result a case: readers take the first or the last of several. */
static enum outcome outcome_of(const struct report *report, const struct test_case *test)
{
	for (size_t i = 0; i < test->findings.n; i++)
		if (is_failing(report, test->findings.v[i]))
			return str_is(STR("KL001"), test->rule->code) ? OUTCOME_ERROR
			                                              : OUTCOME_FAILURE;
	return test->findings.n > 0 || test->undecided.n > 0 ? OUTCOME_SKIPPED : OUTCOME_PASSED;
}

/* The finding that gives a case its message: the first that fails, else the first. */
static const struct finding *leading(const struct report *report, const struct test_case *test)
{
	for (size_t i = 0; i < test->findings.n; i++)
		if (is_failing(report, test->findings.v[i]))
			return test->findings.v[i];
	return test->findings.v[0];
}

/* ---- writing ------------------------------------------------------------------------- */

static void add_skipped(const struct report *report, const struct test_case *test,
                        struct buf *out)
{
	struct buf message = { .arena = report->arena };

	if (test->findings.n == 0) {
		buf_printf(&message, "not decided: %.*s", STR_ARG(test->undecided));
	} else {
		const struct finding *finding = leading(report, test);
		const char *why = finding->suppressed ? "suppressed"
		                : finding->baselined  ? "in the baseline"
		                                      : level_name(finding->level);
		buf_printf(&message, "%s: %.*s", why, STR_ARG(finding->message));
		if (finding->justification.n > 0)
			buf_printf(&message, " (%.*s)", STR_ARG(finding->justification));
	}
	buf_add(out, STR("<skipped"));
	add_attribute(out, "message", buf_str(&message));
	buf_add(out, STR("/>"));
}

/* GitLab shows the body and nothing else, others the message first: both tell the story. */
static void add_failed(const struct report *report, const struct test_case *test,
                       const char *element, struct buf *out)
{
	const struct finding *finding = leading(report, test);
	struct buf message = { .arena = report->arena }, body = { .arena = report->arena };

	buf_add(&message, finding->message);
	if (test->findings.n > 1)
		buf_printf(&message, " (and %zu more)", test->findings.n - 1);
	for (size_t i = 0; i < test->findings.n; i++)
		text_add_finding(report, test->findings.v[i], &body);
	buf_printf(out, "<%s", element);
	add_attribute(out, "message", buf_str(&message));
	add_attribute(out, "type", str_format(report->arena, "%s/%s", test->rule->code,
	                                      level_name(finding->level)));
	buf_char(out, '>');
	add_escaped(out, buf_str(&body), false);
	buf_printf(out, "</%s>", element);
}

/* file and line are what makes annotations in pull requests. */
static void add_case(const struct report *report, const struct suite *suite,
                     const struct test_case *test, struct buf *out)
{
	enum outcome outcome = outcome_of(report, test);

	buf_printf(out, "    <testcase classname=\"kubelint.%s\"", test->rule->code);
	add_attribute(out, "name", test->name);
	if (!suite->source->outside_root)
		add_attribute(out, "file", suite->source->path);
	buf_printf(out, " line=\"%u\" time=\"0.000\"", test->line);
	if (outcome == OUTCOME_PASSED) {
		buf_add(out, STR("/>\n"));
		return;
	}
	buf_char(out, '>');
	if (outcome == OUTCOME_SKIPPED)
		add_skipped(report, test, out);
	else
		add_failed(report, test, outcome == OUTCOME_ERROR ? "error" : "failure", out);
	buf_add(out, STR("</testcase>\n"));
}

/* Counts of a suite, added to those of all. */
static void count_outcomes(const struct report *report, const struct suite *suite,
                           size_t counts[OUTCOME_COUNT])
{
	for (size_t i = 0; i < suite->cases.n; i++)
		counts[outcome_of(report, suite->cases.v[i])]++;
}

static void add_suite(const struct report *report, const struct suite *suite, size_t id,
                      struct buf *out)
{
	size_t counts[OUTCOME_COUNT] = { 0 };

	count_outcomes(report, suite, counts);
	buf_add(out, STR("  <testsuite"));
	add_attribute(out, "name", suite->source->path);
	if (!suite->source->outside_root)
		add_attribute(out, "file", suite->source->path);
	buf_printf(out, " id=\"%zu\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\""
	                " time=\"0.000\">\n",
	           id, suite->cases.n, counts[OUTCOME_FAILURE], counts[OUTCOME_ERROR],
	           counts[OUTCOME_SKIPPED]);
	buf_printf(out, "    <properties><property name=\"kubelint.version\" value=\"%s\"/>"
	                "</properties>\n",
	           report->version);
	for (size_t i = 0; i < suite->cases.n; i++)
		add_case(report, suite, suite->cases.v[i], out);
	buf_add(out, STR("  </testsuite>\n"));
}

void junit_write(const struct report *report, struct buf *out)
{
	struct junit junit = { .report = report, .arena = report->arena };
	size_t counts[OUTCOME_COUNT] = { 0 }, tests = 0, id = 0;

	gather(&junit);
	for (size_t i = 0; i < junit.suite_count; i++) {
		count_outcomes(report, &junit.suites[i], counts);
		tests += junit.suites[i].cases.n;
	}
	buf_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	                "<testsuites name=\"kubelint\" tests=\"%zu\" failures=\"%zu\""
	                " errors=\"%zu\" time=\"0.000\">\n",
	           tests, counts[OUTCOME_FAILURE], counts[OUTCOME_ERROR]);
	for (size_t i = 0; i < junit.suite_count; i++)
		if (junit.suites[i].source && junit.suites[i].cases.n > 0)
			add_suite(report, &junit.suites[i], id++, out);
	buf_add(out, STR("</testsuites>\n"));
}

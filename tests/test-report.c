/* The writers: what they print for findings made by hand, and that no text of a manifest gets
 * out of its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report.h"

static const struct rule rule_a = {
	.code = "KL101", .name = "node-selector-unmatched", .family = "placement",
	.level = LEVEL_ERROR, .precision = "very-high",
	.applies_to = (const char *const[]){ "workload", NULL },
	.summary = "No group has the labels.", .why = "Because.", .fix = "Declare it.",
	.references = (const char *const[]){ "https://kubernetes.io/docs/", NULL },
	.bad = (const char *const[]){ "a: b # KL101\n", NULL },
	.good = (const char *const[]){ "a: c\n", NULL },
};
static const struct rule rule_b = {
	.code = "KL001", .name = "yaml-syntax", .family = "manifest", .level = LEVEL_ERROR,
	.precision = "very-high", .applies_to = (const char *const[]){ "file", NULL },
	.summary = "The text is no YAML.", .why = "Nobody can read it.", .fix = "Repair it.",
};
static const struct rule *const all_rules[] = { &rule_b, &rule_a };

/* A run over one text, with room for findings. */
struct fixture {
	struct arena *arena;
	struct source_set *set;
	struct sink *sink;
	struct scopes scopes;
	struct report report;
};

static void begin(struct fixture *fixture, const char *path, str text)
{
	fixture->arena = arena_new();
	fixture->set = source_from_text(fixture->arena, str_of(path), text);
	fixture->sink = sink_new(fixture->arena);
	fixture->scopes = (struct scopes){ 0 };
	fixture->report = (struct report){
		.arena = fixture->arena, .version = "9.8.7", .sources = fixture->set,
		.sink = fixture->sink, .scopes = &fixture->scopes, .rules = all_rules,
		.rule_count = COUNT_OF(all_rules), .fail_level = LEVEL_WARNING,
		.summary = { .files = 1, .workloads = 2, .node_groups = 1 },
	};
}

static void end(struct fixture *fixture)
{
	arena_free(fixture->arena);
}

static struct finding *add(struct fixture *fixture, const struct rule *rule, uint32_t from,
                           uint32_t to, const char *message)
{
	struct finding *finding = sink_add(fixture->sink, rule, LEVEL_ERROR,
	                                   (struct span){ 1, from, to });

	finding->message = str_of(message);
	finding->fingerprint = STR("0123456789abcdef0123456789abcdef");
	fixture->report.summary.errors++;
	fixture->report.summary.exit_code = 1;
	return finding;
}

static const char *written(struct fixture *fixture, const char *format)
{
	struct buf out = { .arena = fixture->arena };

	report_format_find(str_of(format))->write(&fixture->report, &out);
	return str_c(fixture->arena, buf_str(&out));
}

static void assert_holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
}

/* ---- text ---------------------------------------------------------------------------- */

/* Source text, span, and what stands under the headline. */
static const struct caret_row {
	const char *text;
	uint32_t from, to;
	const char *wanted;
} caret_rows[] = {
	{ "a: bcd\n", 3, 6, ":1:4  error  KL101 node-selector-unmatched\n"
	                    "    1 | a: bcd\n      |    ^^^ msg\n" },
	{ "\ta:\tbcd\n", 4, 7, "    1 | \ta:\tbcd\n      | \t  \t^^^ msg\n" },
	{ "x: \xc3\xbc z\n", 6, 7, ":1:6  error" },                         /* columns: characters */
	{ "x: \xe6\xbc\xa2 z\n", 7, 8, "    1 | x: \xe6\xbc\xa2 z\n      |       ^ msg\n" }, /* wide */
	{ "e\xcc\x81: z\n", 5, 6, "      |    ^ msg\n" },                   /* combining mark */
	{ "a: \x1b[31m\n", 3, 4, "    1 | a: \\x1b[31m\n      |    ^^^^ msg\n" },
	{ "a: \xe2\x80\xaeq\n", 6, 7, "    1 | a: \\u202eq\n      |          ^ msg\n" },
	{ "a: \xff\xfe z\n", 6, 7, "    1 | a: \xef\xbf\xbd\xef\xbf\xbd z\n      |       ^ msg\n" },
	{ "a: b\nc: d\n", 3, 9, "    1 | a: b\n      |    ^ msg\n" },      /* to the end of the line */
	{ "a:\n", 2, 2, "    1 | a:\n      |   ^ msg\n" },                 /* behind the last */
	{ "\xef\xbb\xbf" "a: b\n", 6, 7, "    1 | a: b\n      |    ^ msg\n" },
};

static void test_carets_stand_under_their_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(caret_rows); i++) {
		const struct caret_row *row = &caret_rows[i];
		struct fixture fixture;
		begin(&fixture, "f.yaml", str_of(row->text));
		add(&fixture, &rule_a, row->from, row->to, "msg");
		assert_holds(written(&fixture, "text"), row->wanted);
		end(&fixture);
	}
}

static void test_long_lines_are_cut_around_the_span(void **state)
{
	struct fixture fixture;
	struct buf line = { .arena = arena_new() };

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_add(&line, STR("0123456789"));
	buf_add(&line, STR("\nlast: 1\n"));
	begin(&fixture, "f.yaml", buf_str(&line));
	add(&fixture, &rule_a, 500000, 500003, "msg");
	const char *text = written(&fixture, "text");
	assert_true(strlen(text) < 1000);
	assert_holds(text, "    1 | ...0123456789");
	assert_holds(text, "      |                                            ^^^ msg");
	end(&fixture);
	arena_free(line.arena);
}

static void test_text_tells_evidence_help_and_counts(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, "dir/f.yaml", STR("a: b\nc: d\n"));
	struct finding *finding = add(&fixture, &rule_a, 3, 4, "0/1 node groups can run it");
	finding_relate(fixture.sink, finding, (struct span){ 1, 8, 9 }, "gpu has %s", "c=d");
	finding_help(fixture.sink, finding, "use %s", "d");
	assert_string_equal(written(&fixture, "text"),
	                    "dir/f.yaml:1:4  error  KL101 node-selector-unmatched\n"
	                    "    1 | a: b\n"
	                    "      |    ^ 0/1 node groups can run it\n"
	                    "      = gpu has c=d (dir/f.yaml:2)\n"
	                    "      = help: use d (kubelint explain KL101)\n"
	                    "\n"
	                    "1 error, 0 warnings in 1 file (2 workloads, 1 node group)\n");
	fixture.report.quiet = true;
	assert_string_equal(written(&fixture, "text"),
	                    "dir/f.yaml:1:4  error  KL101 node-selector-unmatched: "
	                    "0/1 node groups can run it\n");
	fixture.report.very_quiet = true;
	assert_string_equal(written(&fixture, "text"), "");
	end(&fixture);
}

static void test_last_line_of_a_clean_and_of_a_failed_run(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, "f.yaml", STR("a: b\n"));
	assert_string_equal(written(&fixture, "text"), "ok: 1 file, 2 workloads, 1 node group\n");
	fixture.report.summary.exit_code = 2;
	assert_string_equal(written(&fixture, "text"),
	                    "not all could be checked: 1 file, 2 workloads, 1 node group\n");
	fixture.report.quiet = true;
	assert_string_equal(written(&fixture, "text"), "");
	end(&fixture);
}

static void test_colors_only_when_asked(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, "f.yaml", STR("a: b\n"));
	add(&fixture, &rule_a, 3, 4, "msg");
	assert_lacks(written(&fixture, "text"), "\033");
	fixture.report.color = true;
	assert_holds(written(&fixture, "text"), "\033[1;31merror\033[0m");
	end(&fixture);
}

static void test_suppressed_findings_are_counted_not_shown(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, "f.yaml", STR("a: b\n"));
	add(&fixture, &rule_a, 3, 4, "msg")->suppressed = true;
	fixture.report.summary.errors = 0;
	fixture.report.summary.suppressed = 1;
	assert_string_equal(written(&fixture, "text"),
	                    "0 errors, 0 warnings, 1 suppressed in 1 file"
	                    " (2 workloads, 1 node group)\n");
	assert_holds(written(&fixture, "json"), "\"suppressed\": true");
	assert_holds(written(&fixture, "sarif"), "\"kind\": \"inSource\"");
	assert_holds(written(&fixture, "junit"), "<skipped message=\"suppressed: msg\"/>");
	end(&fixture);
}

/* ---- hostile texts ------------------------------------------------------------------- */

/* Texts that some format could take for its own syntax. */
static const char *const hostile[] = {
	"\"", "<b>&amp;]]>", "%0A", "|", "`", "a\nb", "\033[2J", "\x01\x7f", "\xff\xc0\xaf",
	"\xed\xa0\x80", "\xef\xbf\xbe", "\xe2\x80\xae\xe2\x81\xa6", "\\", "[x](1)", "::error::x",
	"\xf0\x9f\x98\x80", "\r\n",
};

/* Neither markup of the data nor a character that the format cannot hold. */
static void assert_xml_is_sane(const char *text)
{
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t' && *p != '\r')
			fail_msg("control character in XML");
	assert_lacks(text, "<b>");
	assert_lacks(text, "]]>");
	assert_lacks(text, "\xef\xbf\xbe");
	assert_lacks(text, "\xff");
}

static void assert_json_is_sane(const char *text)
{
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 && *p != '\n')
			fail_msg("control character in JSON");
	assert_lacks(text, "\xff");
	assert_lacks(text, "\xed\xa0\x80");
}

static void test_hostile_texts_stay_data(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(hostile); i++) {
		struct fixture fixture;
		begin(&fixture, hostile[i], STR("a: b\n"));
		struct finding *finding = add(&fixture, &rule_a, 3, 4, hostile[i]);
		finding->help = finding->path = str_of(hostile[i]);
		finding->object = (struct object_ref){ STR("v1"), str_of(hostile[i]),
			                               str_of(hostile[i]), str_of(hostile[i]) };
		finding_relate(fixture.sink, finding, (struct span){ 1, 0, 1 }, "%s", hostile[i]);
		sink_notify(fixture.sink, "some-id", LEVEL_NOTE, (struct span){ 1, 0, 1 }, "%s",
		            hostile[i]);
		assert_xml_is_sane(written(&fixture, "junit"));
		assert_json_is_sane(written(&fixture, "json"));
		assert_json_is_sane(written(&fixture, "sarif"));
		const char *text = written(&fixture, "text");
		assert_lacks(text, "\033");
		assert_lacks(text, "\xe2\x80\xae");
		if (strncmp(text, "::", 2) == 0)
			fail_msg("a runner would take this for a command: %s", text);
		end(&fixture);
	}
}

/* ---- machine formats ----------------------------------------------------------------- */

static void test_json_and_sarif_tell_columns_apart(void **state)
{
	struct fixture fixture;

	(void)state;
	/* One emoji is one code point and two UTF-16 units. */
	begin(&fixture, "f.yaml", STR("a: \xf0\x9f\x98\x80 b\n"));
	add(&fixture, &rule_a, 8, 9, "msg");
	assert_holds(written(&fixture, "json"), "\"column\": 6");
	assert_holds(written(&fixture, "sarif"), "\"startColumn\": 7");
	end(&fixture);
}

static void test_sarif_encodes_paths_and_links(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, "a b/c:%\xc3\xbc.yaml", STR("a: b\n"));
	struct finding *finding = add(&fixture, &rule_a, 3, 4, "got [x]");
	finding_relate(fixture.sink, finding, (struct span){ 1, 0, 1 }, "here");
	const char *text = written(&fixture, "sarif");
	assert_holds(text, "\"uri\": \"a%20b/c%3A%25%C3%BC.yaml\"");
	assert_holds(text, "\"text\": \"got \\\\[x\\\\]. See [here](1).\"");
	assert_holds(text, "\"ruleIndex\": 1");
	assert_holds(text, "\"id\": \"kubelint/\"");
	fixture.report.sarif_category = STR("prod");
	assert_holds(written(&fixture, "sarif"), "\"id\": \"kubelint/prod/\"");
	end(&fixture);
}

static void test_sarif_of_a_clean_run_has_results_and_rules(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, "f.yaml", STR("a: b\n"));
	const char *text = written(&fixture, "sarif");
	assert_holds(text, "\"results\": []");
	assert_holds(text, "\"id\": \"KL001\"");
	assert_holds(text, "\"executionSuccessful\": true");
	end(&fixture);
}

static void test_junit_groups_by_object_and_rule(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, "f.yaml", STR("a: b\nc: d\n"));
	for (uint32_t at = 3; at <= 8; at += 5) {
		struct finding *finding = add(&fixture, &rule_a, at, at + 1, "msg");
		finding->object = (struct object_ref){ STR("apps/v1"), STR("Deployment"), STR("ns"),
			                               STR("x") };
	}
	const char *text = written(&fixture, "junit");
	assert_holds(text, "tests=\"2\" failures=\"1\" errors=\"0\"");
	assert_holds(text, "name=\"apps/Deployment/ns/x\" file=\"f.yaml\" line=\"1\"");
	assert_holds(text, "message=\"msg (and 1 more)\" type=\"KL101/error\"");
	assert_holds(text, "<testcase classname=\"kubelint.KL001\" name=\"f.yaml\"");
	fixture.report.fail_never = true;
	assert_holds(written(&fixture, "junit"), "<skipped message=\"error: msg\"/>");
	end(&fixture);
}

static void test_junit_calls_an_unreadable_text_an_error(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, "f.yaml", STR("a: [\n"));
	add(&fixture, &rule_b, 3, 4, "a list is not closed");
	const char *text = written(&fixture, "junit");
	assert_holds(text, "errors=\"1\"");
	assert_holds(text, "<error message=\"a list is not closed\" type=\"KL001/error\">");
	assert_holds(written(&fixture, "sarif"), "\"executionSuccessful\": false");
	end(&fixture);
}

static void test_same_input_same_bytes(void **state)
{
	static const char *const formats[] = { "text", "json", "sarif", "junit" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		struct fixture one, two;
		begin(&one, "f.yaml", STR("a: b\n"));
		begin(&two, "f.yaml", STR("a: b\n"));
		add(&one, &rule_a, 3, 4, "msg");
		add(&two, &rule_a, 3, 4, "msg");
		assert_string_equal(written(&one, formats[i]), written(&two, formats[i]));
		end(&one);
		end(&two);
	}
}

/* ---- formats, rules ------------------------------------------------------------------ */

static void test_formats_by_name_and_by_file(void **state)
{
	static const struct {
		const char *file, *format;
	} rows[] = {
		{ "out.sarif", "sarif" }, { "out.sarif.json", "sarif" }, { "a/b.json", "json" },
		{ "junit.xml", "junit" }, { "target/kubelint-junit.xml", "junit" },
		{ "out.xml", NULL }, { "out", NULL }, { "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct report_format *format = report_format_of_file(str_of(rows[i].file));
		if (rows[i].format)
			assert_string_equal(format->name, rows[i].format);
		else
			assert_null(format);
	}
	assert_null(report_format_find(STR("sari")));
}

static void test_rule_pages_hold_everything(void **state)
{
	static const char *const formats[] = { "text", "markdown", "json" };
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		struct buf out = { .arena = arena };
		assert_true(report_rule(&rule_a, str_of(formats[i]), &out));
		const char *text = str_c(arena, buf_str(&out));
		assert_holds(text, "KL101");
		assert_holds(text, "Declare it.");
		assert_holds(text, "a: b # KL101");
		assert_holds(text, "https://kubernetes.io/docs/");
	}
	struct buf out = { .arena = arena };
	assert_false(report_rule(&rule_a, STR("html"), &out));
	assert_false(report_rules(&rule_a, 1, STR("html"), &out));
	assert_true(report_rules(&rule_a, 1, STR("text"), &out));
	assert_string_equal(str_c(arena, buf_str(&out)),
	                    "KL101  error    node-selector-unmatched\n");
	arena_free(arena);
}

/* ---- line hashes --------------------------------------------------------------------- */

static str read_file(struct arena *arena, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct buf text = { .arena = arena };
	int c;

	assert_non_null(file);
	while ((c = fgetc(file)) != EOF)
		buf_char(&text, (char)c);
	fclose(file);
	return buf_str(&text);
}

static const char *vector_path(struct arena *arena, str name)
{
	const char *folder = getenv("KUBELINT_TESTDATA");

	return str_c(arena, str_format(arena, "%s/validate/linehash/%.*s",
	                               folder ? folder : "testdata", STR_ARG(name)));
}

/* expected.txt: `FILE LINE HASH:N`, made with the upload action's own code. */
static void test_line_hashes_equal_the_upload_actions(void **state)
{
	struct arena *arena = arena_new();
	str rest = read_file(arena, vector_path(arena, STR("expected.txt"))), line;
	size_t count = 0;

	(void)state;
	while (str_next(&rest, '\n', &line)) {
		struct strs hashes = { 0 };
		str name, number, hash;
		int64_t at = 0;
		str_cut(line, ' ', &name, &hash);
		str_cut(hash, ' ', &number, &hash);
		assert_true(str_to_int64(number, &at));
		report_line_hashes(arena, read_file(arena, vector_path(arena, name)), &hashes);
		assert_true((size_t)at <= hashes.n);
		if (!str_eq(hashes.v[at - 1], hash))
			fail_msg("%.*s: got %.*s", STR_ARG(line), STR_ARG(hashes.v[at - 1]));
		count++;
	}
	assert_true(count > 300);
	arena_free(arena);
}

/* ---- files --------------------------------------------------------------------------- */

static char *make_folder(void)
{
	static const char pattern[] = "/tmp/kubelint-report-XXXXXX";
	char *folder = malloc(sizeof pattern);

	assert_non_null(folder);
	memcpy(folder, pattern, sizeof pattern);
	assert_non_null(mkdtemp(folder));
	return folder;
}

static void test_files_are_written_whole(void **state)
{
	struct arena *arena = arena_new();
	char *folder = make_folder();
	str path = str_format(arena, "%s/out.json", folder), error;

	(void)state;
	assert_true(report_write_file(arena, path, STR("one"), &error));
	assert_int_equal(chmod(str_c(arena, path), 0640), 0);
	assert_true(report_write_file(arena, path, STR("second"), &error));
	assert_true(str_is(read_file(arena, str_c(arena, path)), "second"));
	struct stat status;
	assert_int_equal(stat(str_c(arena, path), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	assert_int_equal(unlink(str_c(arena, path)), 0);
	/* Nothing else is left behind. */
	assert_int_equal(rmdir(folder), 0);
	free(folder);
	arena_free(arena);
}

static void test_a_failed_write_says_why(void **state)
{
	static const char *const paths[] = { "/dev/full", "/nonexistent/out.json", "/tmp" };
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		str error = { 0 };
		assert_false(report_write_file(arena, str_of(paths[i]), STR("text"), &error));
		assert_true(error.n > 0);
	}
	str error;
	assert_true(report_write_file(arena, STR("/dev/null"), STR("text"), &error));
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carets_stand_under_their_text),
		cmocka_unit_test(test_long_lines_are_cut_around_the_span),
		cmocka_unit_test(test_text_tells_evidence_help_and_counts),
		cmocka_unit_test(test_last_line_of_a_clean_and_of_a_failed_run),
		cmocka_unit_test(test_colors_only_when_asked),
		cmocka_unit_test(test_suppressed_findings_are_counted_not_shown),
		cmocka_unit_test(test_hostile_texts_stay_data),
		cmocka_unit_test(test_json_and_sarif_tell_columns_apart),
		cmocka_unit_test(test_sarif_encodes_paths_and_links),
		cmocka_unit_test(test_sarif_of_a_clean_run_has_results_and_rules),
		cmocka_unit_test(test_junit_groups_by_object_and_rule),
		cmocka_unit_test(test_junit_calls_an_unreadable_text_an_error),
		cmocka_unit_test(test_same_input_same_bytes),
		cmocka_unit_test(test_formats_by_name_and_by_file),
		cmocka_unit_test(test_rule_pages_hold_everything),
		cmocka_unit_test(test_line_hashes_equal_the_upload_actions),
		cmocka_unit_test(test_files_are_written_whole),
		cmocka_unit_test(test_a_failed_write_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

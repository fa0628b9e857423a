/* tree: types, places, aliases, merge keys, duplicates, limits and bad text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "source.h"
#include "tree.h"

static struct tree *parse_as(struct arena *arena, const char *name, str text)
{
	struct source_set *set = source_from_text(arena, str_of(name), text);
	const struct source *source = source_of(set, 1);

	if (!source->document_count)
		return NULL;
	return tree_parse(arena, &source->documents[0]);
}

static struct tree *parse(struct arena *arena, const char *text)
{
	return parse_as(arena, "t.yaml", str_of(text));
}

static void assert_str(str got, const char *wanted)
{
	char *text = strndup(got.p ? got.p : "", got.n);

	assert_string_equal(text, wanted);
	free(text);
}

static void test_scalar_types(void **state)
{
	/* Measured with the Go libraries: cases/README.md, vectors/README.md. */
	static const struct {
		const char *text;
		enum scalar_type type;
		const char *json;
	} rows[] = {
		{ "81111e1", SCALAR_FLOAT, "811110" }, { "1.10", SCALAR_FLOAT, "1.1" },
		{ "0123", SCALAR_INT, "83" }, { "0o17", SCALAR_INT, "15" },
		{ "1_000", SCALAR_INT, "1000" }, { "no", SCALAR_BOOL, "false" },
		{ "on", SCALAR_BOOL, "true" }, { "y", SCALAR_BOOL, "true" },
		{ "12:30", SCALAR_STRING, "12:30" }, { "2024-01-01", SCALAR_STRING, "2024-01-01" },
		{ "0x10", SCALAR_INT, "16" }, { "0b101", SCALAR_INT, "5" },
		{ "-0x10", SCALAR_INT, "-16" }, { "08", SCALAR_FLOAT, "8" },
		{ ".5", SCALAR_FLOAT, "0.5" }, { "1.", SCALAR_FLOAT, "1" },
		{ "0x", SCALAR_STRING, "0x" },
		{ "1e3", SCALAR_FLOAT, "1000" }, { "1e30", SCALAR_FLOAT, "1e+30" },
		{ "~", SCALAR_NULL, "null" }, { "null", SCALAR_NULL, "null" },
		{ "nUll", SCALAR_STRING, "nUll" }, { "'on'", SCALAR_STRING, "on" },
		{ "\"1\"", SCALAR_STRING, "1" }, { "!!str 1", SCALAR_STRING, "1" },
		{ "18446744073709551615", SCALAR_INT, "18446744073709551615" },
		{ "99999999999999999999", SCALAR_FLOAT, "100000000000000000000" },
		{ "9223372036854775807", SCALAR_INT, "9223372036854775807" },
		{ "-9223372036854775808", SCALAR_INT, "-9223372036854775808" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		str text = str_format(arena, "v: %s\n", rows[i].text);
		struct tree *tree = parse_as(arena, "t.yaml", text);
		const struct node *node = node_get(tree->root, "v");

		assert_non_null(node);
		assert_int_equal(node->type, rows[i].type);
		assert_str(node_json_text(arena, node), rows[i].json);
		arena_free(arena);
	}
}

static void test_places(void **state)
{
	static const struct {
		const char *text, *path;
		uint32_t begin, end;
	} rows[] = {
		{ "a: b\n", "a", 3, 4 },
		{ "\xc3\xa4: \"\xe2\x82\xac\"\nb: c\n", "b", 13, 14 },
		{ "\xef\xbb\xbf" "a: b\n", "a", 6, 7 },
		{ "a:\n  - x\n  - 'y z'\n", "a", 5, 18 },
		{ "a: {b: c, d: [e]}\n", "a.d", 13, 16 },
		{ "\xf0\x9f\x98\x80: 1\nz: 2\n", "z", 11, 12 },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct tree *tree = parse(arena, rows[i].text);
		const struct node *node = node_at(tree->root, rows[i].path);

		assert_non_null(node);
		assert_int_equal(node->span.begin, rows[i].begin);
		assert_int_equal(node->span.end, rows[i].end);
	}
	arena_free(arena);
}

static void test_paths(void **state)
{
	struct arena *arena = arena_new();
	struct tree *tree = parse(arena, "spec:\n  nodeSelector:\n    kubernetes.io/arch: arm64\n"
	                                 "  containers:\n  - name: a\n  - name: b\n");
	const struct node *arch = node_at(tree->root, "spec.nodeSelector")->children;
	const struct node *second = &node_at(tree->root, "spec.containers")->children[1];

	(void)state;
	assert_str(node_path(arena, NULL, arch, NULL),
	           "spec.nodeSelector[\"kubernetes.io/arch\"]");
	assert_str(node_path(arena, NULL, node_get(second, "name"), NULL),
	           "spec.containers[1].name");
	assert_str(node_path(arena, NULL, second, "image"), "spec.containers[1].image");
	assert_str(node_path(arena, node_get(tree->root, "spec"), second, NULL), "containers[1]");
	arena_free(arena);
}

static void test_faults(void **state)
{
	static const struct {
		const char *text;
		enum fault_kind kind;
		uint32_t begin;
		const char *words;
	} rows[] = {
		{ "a: 1\nb:\n\tc: 2\n", FAULT_SYNTAX, 8, "tab" },
		{ "a: [1, 2\nb: 3\n", FAULT_SYNTAX, 3, "`[` is not closed" },
		{ "a: \"x\n", FAULT_SYNTAX, 3, "quote" },
		{ "a: *nobody\n", FAULT_SYNTAX, 3, "anchor" },
		{ "a: &x [*x]\n", FAULT_SYNTAX, 7, "anchor" },
		{ "? [a]\n: b\n", FAULT_SYNTAX, 2, "key" },
		{ "a: \xff\n", FAULT_SYNTAX, 3, "UTF-8" },
		{ "a: 1\na: 2\n", FAULT_DUPLICATE_KEY, 5, "a" },
		{ "a: {{ .Values.x }}\n", FAULT_TEMPLATE, 3, "{{ .Values.x }}" },
		{ "{{- if x }}\na: 1\n{{- end }}\n", FAULT_TEMPLATE, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct tree *tree = parse(arena, rows[i].text);

		assert_int_equal(tree->faults.n, 1);
		assert_int_equal(tree->faults.v[0].kind, rows[i].kind);
		if (rows[i].kind != FAULT_TEMPLATE || i < COUNT_OF(rows) - 1)
			assert_int_equal(tree->faults.v[0].span.begin, rows[i].begin);
		assert_true(str_contains(tree->faults.v[0].a, str_of(rows[i].words)));
		arena_free(arena);
	}
}

static void test_merge_and_alias(void **state)
{
	struct arena *arena = arena_new();
	struct tree *tree = parse(arena, "base: &b {x: 1, yy: 2}\nmore: &m {yy: 3, z: 4}\n"
	                                 "use:\n  <<: [*b, *m]\n  x: 9\ncopy: *b\n");
	int64_t value = 0;

	(void)state;
	assert_int_equal(tree->faults.n, 0);
	assert_true(node_int(node_at(tree->root, "use.x"), &value) && value == 9);
	assert_true(node_int(node_at(tree->root, "use.yy"), &value) && value == 2);
	assert_true(node_int(node_at(tree->root, "use.z"), &value) && value == 4);
	assert_null(node_at(tree->root, "use.<<"));
	assert_str(node_path(arena, NULL, node_at(tree->root, "copy.yy"), NULL), "copy.yy");
	assert_true(node_at(tree->root, "copy.yy")->aliased);
	arena_free(arena);
}

static void test_bombs(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };
	struct tree *tree;

	(void)state;
	buf_add(&buf, STR("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"));
	for (int i = 1; i < 12; i++) {
		buf_printf(&buf, "a%d: &a%d [", i, i);
		for (int j = 0; j < 10; j++)
			buf_printf(&buf, "*a%d%s", i - 1, j < 9 ? ", " : "]\n");
	}
	tree = parse_as(arena, "t.yaml", buf_str(&buf));
	assert_int_equal(tree->faults.n, 1);
	assert_int_equal(tree->faults.v[0].kind, FAULT_LIMIT);
	buf.n = 0;
	for (int i = 0; i < 5000; i++)
		buf_char(&buf, '[');
	tree = parse_as(arena, "t.yaml", buf_str(&buf));
	assert_int_equal(tree->faults.v[0].kind, FAULT_LIMIT);
	arena_free(arena);
}

static void test_unknown(void **state)
{
	static const struct {
		const char *text;
		bool unknown;
	} rows[] = {
		{ "a: ${REPLICAS}\n", true },      { "a: $NAME\n", true },
		{ "a: $(VAR)\n", false },          { "a: x-${A:-b}-y\n", true },
		{ "a: '{{ .x }}'\n", true },       { "a: cost $5\n", false },
		{ "a: $1\n", false },              { "a: plain\n", false },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct tree *tree = parse(arena, rows[i].text);

		assert_int_equal(node_get(tree->root, "a")->unknown, rows[i].unknown);
	}
	arena_free(arena);
}

static void test_json_surrogates(void **state)
{
	struct arena *arena = arena_new();
	struct tree *tree = parse_as(arena, "t.json",
	                             STR("{\"a\": \"x\\ud83d\\ude00y\",\t\"b\": \"\\ud83d\", \"c\": 1}"));

	(void)state;
	assert_non_null(tree->root);
	assert_str(node_text(node_get(tree->root, "a")), "x\xf0\x9f\x98\x80y");
	assert_str(node_text(node_get(tree->root, "b")), "\xef\xbf\xbd");
	assert_int_equal(node_get(tree->root, "c")->span.begin, 44);
	arena_free(arena);
}

static void test_embedded(void **state)
{
	const char *text = "data:\n  config.yaml: |\n    nodes:\n    - a: 1\n    ...\n    more: 2\n";
	struct arena *arena = arena_new();
	struct tree *tree = parse(arena, text);
	struct trees inner = { 0 };

	(void)state;
	tree_parse_embedded(arena, tree, node_at(tree->root, "data")->children, &inner);
	assert_int_equal(inner.n, 2);
	assert_int_equal(node_get(inner.v[0]->root, "nodes")->children[0].children[0].span.begin,
	                 (uint32_t)(strstr(text, "1\n") - text));
	assert_int_equal(node_get(inner.v[1]->root, "more")->span.begin,
	                 (uint32_t)(strstr(text, "2\n") - text));
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalar_types), cmocka_unit_test(test_places),
		cmocka_unit_test(test_paths), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_merge_and_alias), cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_json_surrogates),
		cmocka_unit_test(test_embedded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

/* JSON with bare keys and single quotes, short to write in a table. */
static void write_json(struct buf *buf, const struct node *node)
{
	if (node->kind == NODE_SCALAR) {
		str text = node_json_text(buf->arena, node);

		buf_printf(buf, node->type == SCALAR_STRING ? "'%.*s'" : "%.*s", STR_ARG(text));
		return;
	}
	buf_char(buf, node->kind == NODE_MAP ? '{' : '[');
	for (uint32_t i = 0; i < node->child_count; i++) {
		if (i)
			buf_char(buf, ',');
		if (node->kind == NODE_MAP)
			buf_printf(buf, "%.*s:", STR_ARG(node->children[i].key));
		write_json(buf, &node->children[i]);
	}
	buf_char(buf, node->kind == NODE_MAP ? '}' : ']');
}

static str span_text(const struct tree *tree, struct span span)
{
	return str_slice(tree->source->text, span.begin, span.end);
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
		{ "{{- if x }}\na: 1\n{{- end }}\n", FAULT_TEMPLATE, 0, "{{- if x }}" },
		{ "a: b\nc:\n  {% x %}\n", FAULT_TEMPLATE, 10, "{% x %}" },
		{ "{{ x }}\n", FAULT_TEMPLATE, 0, "{{ x }}" },
		{ "{{ x }}: y\n", FAULT_TEMPLATE, 0, "{{ x }}" },
		{ "a: [b, {{ x }}]\n", FAULT_TEMPLATE, 7, "{{ x }}" },
		{ "a: 1\nb:\n  c: 1\n\td: 2\n", FAULT_SYNTAX, 15, "tab" },
		{ "a: b\n\tc: d\n", FAULT_SYNTAX, 5, "tab" },
		{ "a: 1\nfoo\nb: 2\n", FAULT_SYNTAX, 5, "colon" },
		{ "a: {b: 1\nc: 2\n", FAULT_SYNTAX, 3, "`{` is not closed" },
		{ "a: [1, {b: 2 c: 3}]\n", FAULT_SYNTAX, 14, "`,` or `}`" },
		{ "a: 'it's'\n", FAULT_SYNTAX, 7, "quote" },
		{ "a: b: c\n", FAULT_SYNTAX, 4, "`: `" },
		{ "a:\n  b: 1\n c: 2\n", FAULT_SYNTAX, 11, "indentation" },
		{ "- a\nb: 1\n", FAULT_SYNTAX, 4, "list item" },
		{ "a: @x\n", FAULT_SYNTAX, 3, "quote the text" },
		{ "a: x\x07y\n", FAULT_SYNTAX, 4, "control character" },
		{ "\xff\xfe" "a", FAULT_SYNTAX, 0, "UTF-16" },
		{ "\xc3\xa4: \xc3(\n", FAULT_SYNTAX, 5, "no UTF-8" },
		{ "a: *x\n", FAULT_SYNTAX, 3, "*x" },
		{ "a: !x!y z\n", FAULT_SYNTAX, 3, "%TAG" },
		{ "a: !!int x\n", FAULT_SYNTAX, 9, "`x` is no !!int" },
		{ "a: !!binary '?'\n", FAULT_SYNTAX, 12, "!!binary" },
		{ "a: \"\\ud83d\\ude00\"\n", FAULT_SYNTAX, 6, "character itself" },
		{ "<<: 3\n", FAULT_SYNTAX, 0, "<<" },
		{ "x: {<<: [{a: 1}, 2]}\n", FAULT_SYNTAX, 4, "<<" },
		{ "~: x\n", FAULT_SYNTAX, 0, "null" },
		{ "--- a: 1\n", FAULT_SYNTAX, 5, "`: `" },
		{ "a: 1\n\xe2\x80\xa8--- b\n", FAULT_SYNTAX, 8, "end of the document" },
		{ "a: {b: 1, c: 2, b: 3, b: 4}\n", FAULT_DUPLICATE_KEY, 22, "b" },
		{ "1: a\n'1': b\n", FAULT_DUPLICATE_KEY, 5, "1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct tree *tree = parse(arena, rows[i].text);

		if (tree->faults.n != 1 || tree->faults.v[0].kind != rows[i].kind)
			fail_msg("%s: %zu faults", rows[i].text, tree->faults.n);
		if (tree->faults.v[0].span.begin != rows[i].begin)
			fail_msg("%s: at %u", rows[i].text, tree->faults.v[0].span.begin);
		assert_true(tree->faults.v[0].span.file == 1);
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

/* Go's own answers (sigs.k8s.io/yaml 1.6.0, YAMLToJSON), but for the order of keys. */
static void test_as_go_reads(void **state)
{
	static const struct {
		const char *text, *json;
	} rows[] = {
		{ "a: 1\n<<: {a: 2, b: 3}\n", "{a:2,b:3}" },
		{ "<<: {a: 2, b: 3}\na: 1\n", "{b:3,a:1}" },
		{ "x: {<<: [{a: 1}, {a: 2}]}\n", "{x:{a:1}}" },
		{ "'<<': {a: 1}\n", "{<<:{a:1}}" },
		{ "!!merge <<: {a: 1}\n", "{a:1}" },
		{ "yes: 1\n0x10: 2\n1.50: 3\n", "{true:1,16:2,1.5:3}" },
		{ "a: 1\na: 2\n", "{a:2}" },
		{ "a: !!int \"5\"\n", "{a:5}" },
		{ "a: !foo 5\nb: ! 5\n", "{a:'5',b:'5'}" },
		{ "a: !!float 5\n", "{a:5}" },
		{ "a: !!binary aGk=\n", "{a:'hi'}" },
		{ "a: !!str\nb: ''\n", "{a:'',b:''}" },
		{ "a: !!timestamp 2001-01-01\n", "{a:'2001-01-01'}" },
		{ "a: &x 1\nb: *x\nc: &x 2\nd: *x\n", "{a:1,b:1,c:2,d:2}" },
		{ "&a a: &b b\n*a : *b\n", "{a:'b'}" },
		{ "a: >\n  x\n  y\n\n   z\n", "{a:'x y\n\n z\n'}" },
		{ "a: |-\n  x\n  y\n", "{a:'x\ny'}" },
		{ "- a\n- - b\n  - c\n-\n  d: 1\n", "['a',['b','c'],{d:1}]" },
		{ "{a, b: [c: 1]}\n", "{a:null,b:[{c:1}]}" },
		{ "--- |\n  foo\n", "'foo\n'" },
		{ "%TAG ! tag:x,2000:\n---\na: !foo b\n", "{a:'b'}" },
		{ "\xef\xbb\xbf" "a: 1\n", "{a:1}" },
		{ "a: b#c\nd: e #f\n", "{a:'b#c',d:'e'}" },
		{ "a: 1\n...\n", "{a:1}" },
		{ "{\"a\": \"\\ud83d\\ude00\"}\n", "{a:'\xf0\x9f\x98\x80'}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct tree *tree = parse(arena, rows[i].text);
		struct buf buf = { .arena = arena };

		if (!tree->root)
			fail_msg("%s", rows[i].text);
		write_json(&buf, tree->root);
		assert_str(buf_str(&buf), rows[i].json);
		arena_free(arena);
	}
}

/* A node's own text, without anchor and tag; for edits. */
static void test_spans(void **state)
{
	static const struct {
		const char *text, *path, *span, *key;
	} rows[] = {
		{ "a: &x !!str 5 # c\n", "a", "5", "a" },
		{ "a: !!str &x\n  'b c'\n", "a", "'b c'", "a" },
		{ "a: &x\n  b: 1\n  c: 2\nd: 3\n", "a", "b: 1\n  c: 2", "a" },
		{ "a: &x # why\n  # really\n  b: 1\n", "a", "b: 1", "a" },
		{ "a: &x {b: 1}\n", "a", "{b: 1}", "a" },
		{ "a: &x\nb: 1\n", "a", "", "a" },
		{ "a: |  # c\n  x\n\n  y\n\nb: 1\n", "a", "|  # c\n  x\n\n  y", "a" },
		{ "a: x\n  y\nb: 1\n", "a", "x\n  y", "a" },
		{ "x: &x {y2: 1}\na:\n  b: *x\nc: 1\n", "a", "b: *x", "a" },
		{ "x: &x {y2: 1}\na: *x\n", "a", "{y2: 1}", "a" },
		{ "x: &x {k: 1}\na:\n  <<: *x\n  z: 2\n", "a", "<<: *x\n  z: 2", "a" },
		{ "'a': [b,\n c]\n", "a", "[b,\n c]", "'a'" },
		{ "&k a: 1\n", "a", "1", "a" },
		{ "a:\n", "a", "", "a" },
		{ "a:\nb: 1\n", "a", "", "a" },
		{ "--- {a: \xe2\x82\xac}\n", "a", "\xe2\x82\xac", "a" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct tree *tree = parse(arena, rows[i].text);
		const struct node *node = node_at(tree->root, rows[i].path);

		assert_non_null(node);
		assert_str(span_text(tree, node->span), rows[i].span);
		assert_str(span_text(tree, node->key_span), rows[i].key);
		arena_free(arena);
	}
}

static void test_finding_places(void **state)
{
	struct arena *arena = arena_new();
	struct tree *tree = parse(arena, "a:\n- b: 1\n  c:\n    d: {}\n  e:\n");
	const struct node *item = &node_get(tree->root, "a")->children[0];

	(void)state;
	assert_str(span_text(tree, node_place(node_get(item, "b"))), "1");
	assert_str(span_text(tree, node_place(item)), "a");
	assert_str(span_text(tree, node_place(node_at(item, "c.d"))), "d");
	assert_str(span_text(tree, node_place(node_get(item, "e"))), "e");
	assert_str(span_text(tree, node_key_place(node_get(item, "b"))), "b");
	assert_str(span_text(tree, node_key_place(item)), "a");
	assert_str(span_text(tree, node_place(tree->root)), "a");
	assert_int_equal(node_place(NULL).file, 0);
	assert_int_equal(node_key_place(tree->root).file, 0);
	arena_free(arena);
}

static void test_json_numbers(void **state)
{
	/* A JSON file goes to the API as it is; YAML is turned into JSON first. */
	static const struct {
		const char *name, *text, *json;
	} rows[] = {
		{ "t.json", "{\"a\": 1.50e1}", "1.50e1" }, { "t.yaml", "{\"a\": 1.50e1}", "15" },
		{ "t.yaml", "a: .inf", ".inf" },           { "t.yaml", "a: 1e400", "1e400" },
		{ "t.yaml", "a: 18446744073709551616", "18446744073709552000" },
		{ "t.yaml", "a: 9.5e-7", "9.5e-7" },       { "t.yaml", "a: 1.5e-6", "0.0000015" },
		{ "t.yaml", "a: 1e21", "1e+21" },          { "t.yaml", "a: -123456.5", "-123456.5" },
		{ "t.yaml", "a: 0.30000000000000004", "0.30000000000000004" },
		{ "t.yaml", "a: .5_5", "0.55" },           { "t.yaml", "a: .5_", ".5_" },
		{ "t.yaml", "a: -0.0", "-0" },
		{ "t.yaml", "a: 100000000000000000000", "100000000000000000000" },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct tree *tree = parse_as(arena, rows[i].name, str_of(rows[i].text));

		assert_str(node_json_text(arena, node_get(tree->root, "a")), rows[i].json);
	}
	assert_str(node_json_text(arena, NULL), "");
	arena_free(arena);
}

static void test_values(void **state)
{
	static const struct {
		const char *text;
		bool is_int, is_bool;
		int64_t value;
	} rows[] = {
		{ "0x10", true, false, 16 },  { "010", true, false, 8 },   { "0o17", true, false, 15 },
		{ "1_000", true, false, 1000 }, { "1e3", true, false, 1000 }, { "1.5", false, false, 0 },
		{ "-0b11", true, false, -3 }, { "18446744073709551615", true, false, INT64_MAX },
		{ "'5'", false, false, 0 },   { "yes", false, true, 1 },   { "Off", false, true, 0 },
		{ "'yes'", false, false, 0 }, { "~", false, false, 0 },    { "[1]", false, false, 0 },
		{ "1e300", false, false, 0 }, { ".nan", false, false, 0 },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct tree *tree = parse_as(arena, "t.yaml", str_format(arena, "a: %s\n", rows[i].text));
		const struct node *node = node_get(tree->root, "a");
		int64_t value = 0;
		bool truth = false;

		if (node_int(node, &value) != rows[i].is_int ||
		    node_bool(node, &truth) != rows[i].is_bool)
			fail_msg("%s", rows[i].text);
		assert_true(rows[i].is_int ? value == rows[i].value : truth == (rows[i].value == 1));
	}
	arena_free(arena);
}

/* NULL, wrong kinds and absent keys give nothing instead of a crash. */
static void test_absent(void **state)
{
	struct arena *arena = arena_new();
	struct tree *tree = parse(arena, "a: {b: ~}\nc: [d]\n");
	int64_t value;
	bool truth;

	(void)state;
	assert_null(node_get(NULL, "a"));
	assert_null(node_at(tree->root, "a.b.c"));
	assert_null(node_at(tree->root, "c.d"));
	assert_ptr_equal(node_at(tree->root, ""), tree->root);
	assert_false(node_is_map(NULL) || node_is_list(NULL) || node_is_scalar(NULL));
	assert_true(node_is_null(NULL) && node_is_null(node_at(tree->root, "a.b")));
	assert_false(node_is_scalar(node_at(tree->root, "a.b")));
	assert_str(node_text(node_get(tree->root, "a")), "");
	assert_str(node_text(node_at(tree->root, "a.b")), "");
	assert_false(node_int(NULL, &value) || node_bool(NULL, &truth));
	assert_str(node_path(arena, NULL, NULL, "x"), "x");
	assert_null(parse(arena, "# nothing\n")->root);
	assert_int_equal(parse(arena, "# nothing\n")->faults.n, 0);
	arena_free(arena);
}

static void test_duplicates(void **state)
{
	struct arena *arena = arena_new();
	struct tree *tree = parse(arena, "a: 1\nb: {x: &m {k: 1}}\na: 2\nc: 3\na: 4\n"
	                                 "d: {k: 0, <<: {k: 1}, z: {q: 1, q: 2}}\n");
	const struct fault *fault = tree->faults.v;

	(void)state;
	assert_int_equal(tree->faults.n, 2);
	assert_ptr_equal(fault[0].node, node_get(tree->root, "a"));
	assert_str(node_text(fault[0].node), "4");
	assert_int_equal(fault[0].related.begin, 0);
	assert_ptr_equal(fault[1].node, node_at(tree->root, "d.z.q"));
	assert_int_equal(tree->root->child_count, 4);
	for (uint32_t i = 0; i < tree->root->child_count; i++) {
		assert_int_equal(tree->root->children[i].index, i);
		assert_ptr_equal(tree->root->children[i].parent, tree->root);
	}
	arena_free(arena);
}

static void test_many_keys(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };
	struct tree *tree;

	(void)state;
	for (int i = 0; i < 20000; i++)
		buf_printf(&buf, "key-%d: %d\n", i % 19000, i);
	tree = parse_as(arena, "t.yaml", buf_str(&buf));
	assert_int_equal(tree->root->child_count, 19000);
	assert_int_equal(tree->faults.n, 100);
	assert_str(node_text(node_get(tree->root, "key-999")), "19999");
	arena_free(arena);
}

static void add_times(struct buf *buf, const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		buf_add(buf, str_of(text));
}

static void assert_limit(struct arena *arena, struct buf *buf)
{
	size_t before = arena_used(arena);
	struct tree *tree = parse_as(arena, "t.yaml", buf_str(buf));

	assert_int_equal(tree->faults.n, 1);
	assert_int_equal(tree->faults.v[0].kind, FAULT_LIMIT);
	assert_null(tree->root);
	/* Found out before the memory is taken. */
	assert_true(arena_used(arena) - before < 4 * 1000 * 1000);
	buf->n = 0;
}

static void test_bombs(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };

	(void)state;
	buf_add(&buf, STR("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"));
	for (int i = 1; i < 12; i++) {
		buf_printf(&buf, "a%d: &a%d [", i, i);
		for (int j = 0; j < 10; j++)
			buf_printf(&buf, "*a%d%s", i - 1, j < 9 ? ", " : "]\n");
	}
	assert_limit(arena, &buf);
	/* The same with merge keys. */
	buf_add(&buf, STR("a0: &a0 {x: 1}\n"));
	for (int i = 1; i < 30; i++)
		buf_printf(&buf, "a%d: &a%d {<<: *a%d, b: *a%d}\n", i, i, i - 1, i - 1);
	assert_limit(arena, &buf);
	add_times(&buf, "[", 5000);
	assert_limit(arena, &buf);
	add_times(&buf, "- ", 201);
	assert_limit(arena, &buf);
	/* Deep by way of keys that are maps. */
	add_times(&buf, "{", 100000);
	assert_limit(arena, &buf);
	add_times(&buf, "? ", 100000);
	assert_limit(arena, &buf);
	/* Deep by way of aliases. */
	buf_add(&buf, STR("a: &a "));
	add_times(&buf, "[", 150);
	add_times(&buf, "]", 150);
	buf_add(&buf, STR("\nb: "));
	add_times(&buf, "[", 60);
	buf_add(&buf, STR("*a"));
	add_times(&buf, "]", 60);
	assert_limit(arena, &buf);
	arena_free(arena);
}

static void test_limits_are_wide(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };

	(void)state;
	add_times(&buf, "[", 199);
	add_times(&buf, "]", 199);
	assert_non_null(parse_as(arena, "t.yaml", buf_str(&buf))->root);
	/* Hundreds of uses of one anchor are ordinary. */
	buf.n = 0;
	buf_add(&buf, STR("a: &a {cpu: 1, memory: 2}\nb:\n"));
	add_times(&buf, "- {name: x, image: y, resources: *a}\n", 2000);
	assert_int_equal(node_get(parse_as(arena, "t.yaml", buf_str(&buf))->root, "b")->child_count,
	                 2000);
	buf.n = 0;
	buf_add(&buf, STR("a: &a x\nb:\n"));
	add_times(&buf, "- *a\n", 20000);
	assert_int_equal(node_get(parse_as(arena, "t.yaml", buf_str(&buf))->root, "b")->child_count,
	                 20000);
	arena_free(arena);
}

/* Quoted templates are values like others, only not known. */
static void test_quoted_template(void **state)
{
	struct arena *arena = arena_new();
	struct tree *tree = parse(arena, "\"{{ a }}\": '{{ b }}'\n");

	(void)state;
	assert_int_equal(tree->faults.n, 0);
	assert_true(tree->has_template && tree->root->children[0].unknown);
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

/* Where `more` of the second document of embedded text lies in the file. */
static void test_embedded(void **state)
{
	static const struct {
		const char *text, *span;
	} rows[] = {
		{ "data:\n  c: |\n    nodes:\n    - a: 1\n    ---\n    more: 2\n", "2" },
		{ "data:\n  c: |\n    nodes:\n    - a: 1\n    ...\n    more: 2\n", "2" },
		{ "data:\r\n  c: |\r\n    a: 1\r\n\r\n    ---\r\n    more: 2\r\n", "2" },
		{ "data:\n  c: |1\n     a: 1\n   ---\n   more: 2\n", "2" },
		{ "data:\n  c: |\n    \xc3\xa4: \xe2\x82\xac\n    ---\n    more: \xc3\xa4\n", "\xc3\xa4" },
		{ "data:\n  c: \"a: 1\\n---\\nmore: 2\"\n", "\"a: 1\\n---\\nmore: 2\"" },
		{ "data:\n  c: >\n    a: 1\n\n    ---\n\n    more: 2\n",
		  ">\n    a: 1\n\n    ---\n\n    more: 2" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		struct tree *tree = parse(arena, rows[i].text);
		struct trees inner = { 0 };

		tree_parse_embedded(arena, tree, node_at(tree->root, "data.c"), &inner);
		assert_int_equal(inner.n, 2);
		assert_non_null(inner.v[1]->root);
		assert_str(span_text(tree, node_get(inner.v[1]->root, "more")->span), rows[i].span);
		arena_free(arena);
	}
}

static void test_embedded_line(void **state)
{
	struct arena *arena = arena_new();
	struct tree *tree = parse(arena, "a: \"{b: c, d: [e}\"\nf: 1\ng: {h: i}\nj: 'k: l'\n");
	struct trees inner = { 0 };

	(void)state;
	tree_parse_embedded(arena, tree, node_get(tree->root, "a"), &inner);
	tree_parse_embedded(arena, tree, node_get(tree->root, "j"), &inner);
	tree_parse_embedded(arena, tree, node_get(tree->root, "g"), &inner);
	tree_parse_embedded(arena, tree, NULL, &inner);
	assert_int_equal(inner.n, 2);
	assert_null(inner.v[0]->root);
	assert_str(span_text(tree, inner.v[0]->faults.v[0].span), "}");
	assert_str(span_text(tree, node_get(inner.v[1]->root, "k")->span), "l");
	arena_free(arena);
}

/* ---- texts that somebody damaged ----------------------------------------------------- */

static void check_node(const struct tree *tree, const struct node *node)
{
	assert_true(node->span.file == 1 && node->span.begin <= node->span.end);
	assert_true(node->span.end <= tree->source->text.n);
	assert_true(node_place(node).end <= tree->source->text.n);
	for (uint32_t i = 0; i < node->child_count; i++) {
		assert_ptr_equal(node->children[i].parent, node);
		assert_int_equal(node->children[i].index, i);
		check_node(tree, &node->children[i]);
	}
}

static void check_tree(const struct tree *tree)
{
	for (size_t i = 0; i < tree->faults.n; i++) {
		const struct fault *fault = &tree->faults.v[i];

		assert_int_equal(fault->span.file, 1);
		assert_true(fault->span.begin <= fault->span.end);
		assert_true(fault->span.end <= tree->source->text.n);
		assert_int_equal(!fault->node, !tree->root);
	}
	if (tree->root)
		check_node(tree, tree->root);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Puts a piece of YAML somewhere into text, over a few of its bytes. */
static str damage(struct arena *arena, str text, uint32_t *seed)
{
	static const char *const pieces[] = {
		"\t", "\n", ": ", "- ", "{", "}", "[", "]", "'", "\"", "|", ">", "&a ", "*a", "<<: *a",
		"!!int ", "!!binary ", "#", "? ", ",", "\\", "\n---\n", "\n...\n", "{{", "}}", "~",
		"\r", "\xc3\xa4", "\xe2\x80\xa8", "\xef\xbb\xbf", "\xff", "\\ud83d\\ude00", "${A}",
	};
	size_t begin = next_random(seed) % (text.n + 1), end = begin + next_random(seed) % 4;
	struct buf buf = { .arena = arena };

	buf_add(&buf, str_slice(text, 0, begin));
	buf_add(&buf, str_of(pieces[next_random(seed) % COUNT_OF(pieces)]));
	buf_add(&buf, str_slice(text, end, text.n));
	return buf_str(&buf);
}

static void test_damage(void **state)
{
	static const char *const texts[] = {
		"a: &a {b: 1, c: [2, 'x y']}\nd:\n  <<: *a\n  e: |\n    f: g\n    h: i\n",
		"{\"a\": \"x\\ud83d\\ude00y\",\t\"b\": [1, 2.5e3, null]}",
		"spec:\n  containers:\n  - name: a\n    args: [\"--x\", >-\n      y]\n  # c\n",
	};
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 6000; i++) {
		struct arena *arena = arena_new();
		str text = str_of(texts[i % (int)COUNT_OF(texts)]);
		const struct source *source;

		for (int times = 0; times < 1 + i % 4; times++)
			text = damage(arena, text, &seed);
		source = source_of(source_from_text(arena, i % 5 ? STR("t.yaml") : STR("t.json"),
		                                    text), 1);
		for (size_t j = 0; j < source->document_count; j++) {
			struct tree *tree = tree_parse(arena, &source->documents[j]);
			struct trees inner = { 0 };

			check_tree(tree);
			tree_parse_embedded(arena, tree, node_at(tree->root, "d.e"), &inner);
			for (size_t k = 0; k < inner.n; k++)
				check_tree(inner.v[k]);
		}
		arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalar_types),   cmocka_unit_test(test_as_go_reads),
		cmocka_unit_test(test_json_numbers),   cmocka_unit_test(test_values),
		cmocka_unit_test(test_absent),         cmocka_unit_test(test_places),
		cmocka_unit_test(test_spans),          cmocka_unit_test(test_finding_places),
		cmocka_unit_test(test_paths),          cmocka_unit_test(test_faults),
		cmocka_unit_test(test_duplicates),     cmocka_unit_test(test_many_keys),
		cmocka_unit_test(test_merge_and_alias), cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_limits_are_wide), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_quoted_template),
		cmocka_unit_test(test_json_surrogates), cmocka_unit_test(test_embedded),
		cmocka_unit_test(test_embedded_line),  cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* base: memory, views, containers, numbers, words, patterns, parallel work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base.h"

static void assert_str(str got, const char *wanted)
{
	char *text = strndup(got.p ? got.p : "", got.n);

	assert_string_equal(text, wanted);
	free(text);
}

static void test_arena(void **state)
{
	static const size_t sizes[] = { 0, 1, 15, 16, 17, 4096, 20000, 70000, 1 << 20, 3 };
	struct arena *arena = arena_new();
	char *former = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		size_t used = arena_used(arena);
		char *p = arena_alloc(arena, sizes[i]);

		assert_int_equal((uintptr_t)p % 16, 0);
		assert_ptr_not_equal(p, former);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(p[j], 0);
		memset(p, 0xff, sizes[i]);
		assert_true(arena_used(arena) >= used + sizes[i]);
		former = p;
	}
	arena_free(arena);
	arena_free(NULL);
}

static void test_views(void **state)
{
	str s = STR("  key=value=x\t\n"), before, after;

	(void)state;
	assert_str(str_trim(s), "key=value=x");
	assert_str(str_trim(STR(" \r\n")), "");
	assert_true(str_cut(str_trim(s), '=', &before, &after));
	assert_str(before, "key");
	assert_str(after, "value=x");
	assert_false(str_cut(before, '=', &before, &after));
	assert_str(before, "key");
	assert_str(after, "");
	assert_str(str_slice(s, 2, 5), "key");
	assert_str(str_slice(s, 9, 3), "");
	assert_str(str_slice(STR("abc"), 1, 100), "bc");
	assert_str(str_slice((str){ 0 }, 0, 4), "");
	assert_int_equal(str_find(STR("a/b/c"), '/'), 1);
	assert_int_equal(str_find_last(STR("a/b/c"), '/'), 3);
	assert_int_equal(str_find_last(STR("abc"), '/'), 3);
	assert_int_equal(str_find((str){ 0 }, '/'), 0);
}

static void test_compare(void **state)
{
	static const struct {
		str a, b;
		int order;
		bool starts, ends, contains;
	} rows[] = {
		{ { "", 0 }, { "", 0 }, 0, true, true, true },
		{ { NULL, 0 }, { "", 0 }, 0, true, true, true },
		{ { "abc", 3 }, { "ab", 2 }, 1, true, false, true },
		{ { "abc", 3 }, { "bc", 2 }, -1, false, true, true },
		{ { "abc", 3 }, { "b", 1 }, -1, false, false, true },
		{ { "ab", 2 }, { "abc", 3 }, -1, false, false, false },
		{ { "a\0b", 3 }, { "a\0c", 3 }, -1, false, false, false },
		{ { "\xff", 1 }, { "a", 1 }, 1, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int order = str_cmp(rows[i].a, rows[i].b);

		assert_int_equal((order > 0) - (order < 0), rows[i].order);
		assert_int_equal(str_eq(rows[i].a, rows[i].b), !rows[i].order);
		assert_int_equal(str_starts(rows[i].a, rows[i].b), rows[i].starts);
		assert_int_equal(str_ends(rows[i].a, rows[i].b), rows[i].ends);
		assert_int_equal(str_contains(rows[i].a, rows[i].b), rows[i].contains);
	}
}

static void test_pieces(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		const char *last;
	} rows[] = { { "", 0, NULL }, { "a", 1, "a" }, { "a,,b", 3, "b" }, { "a,", 1, "a" } };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		str rest = str_of(rows[i].text), piece = { 0 };
		size_t count = 0;

		while (str_next(&rest, ',', &piece))
			count++;
		assert_int_equal(count, rows[i].count);
		if (count)
			assert_str(piece, rows[i].last);
	}
}

static void test_texts(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };

	(void)state;
	assert_str(buf_str(&buf), "");
	for (int i = 0; i < 1000; i++)
		buf_printf(&buf, "%d,", i % 10);
	buf_char(&buf, 'x');
	buf_add(&buf, (str){ 0 });
	assert_int_equal(buf.n, 2001);
	assert_str(str_slice(buf_str(&buf), 1996, 2001), "8,9,x");
	assert_str(str_format(arena, "%.*s-%d", STR_ARG(STR("a")), 7), "a-7");
	assert_str(str_lower(arena, STR("Ab-\xc3\x84Z")), "ab-\xc3\x84z");
	assert_string_equal(str_c(arena, str_slice(STR("abcdef"), 1, 3)), "bc");
	arena_free(arena);
}

static void test_vec_and_map(void **state)
{
	struct arena *arena = arena_new();
	struct map *map = map_new(arena);
	struct strs names = { 0 };
	str key;

	(void)state;
	for (int i = 0; i < 5000; i++)
		*VEC_PUSH(arena, &names) = str_format(arena, "name-%d", i);
	for (size_t i = 0; i < names.n; i++)
		assert_null(map_put(map, names.v[i], &names.v[i]));
	assert_int_equal(map_count(map), 5000);
	for (size_t i = 0; i < names.n; i++)
		assert_ptr_equal(map_get(map, str_copy(arena, names.v[i])), &names.v[i]);
	assert_ptr_equal(map_put(map, STR("name-7"), arena), &names.v[7]);
	assert_int_equal(map_count(map), 5000);
	assert_ptr_equal(map_at(map, 7, &key), arena);
	assert_str(key, "name-7");
	assert_null(map_get(map, STR("absent")));
	assert_null(map_put(map, (str){ 0 }, NULL));
	assert_true(map_has(map, STR("")) && !map_has(map, STR("absent")));
	arena_free(arena);
}

static void test_integers(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} rows[] = {
		{ "0", true, 0 }, { "+7", true, 7 }, { "-7", true, -7 }, { "007", true, 7 },
		{ "9223372036854775807", true, INT64_MAX }, { "9223372036854775808", false, 0 },
		{ "-9223372036854775808", true, INT64_MIN }, { "-9223372036854775809", false, 0 },
		{ "", false, 0 }, { "-", false, 0 }, { " 1", false, 0 }, { "1 ", false, 0 },
		{ "1_0", false, 0 }, { "0x1", false, 0 }, { "--1", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int64_t value = 0;

		assert_int_equal(str_to_int64(str_of(rows[i].text), &value), rows[i].good);
		assert_true(value == rows[i].value);
	}
	assert_true(int64_add_saturated(INT64_MAX, 1) == INT64_MAX);
	assert_true(int64_add_saturated(INT64_MIN, -1) == INT64_MIN);
	assert_true(int64_sub_saturated(INT64_MIN, 1) == INT64_MIN);
	assert_true(int64_sub_saturated(0, INT64_MIN) == INT64_MAX);
	assert_true(int64_mul_saturated(INT64_MAX, -2) == INT64_MIN);
	assert_true(int64_mul_saturated(INT64_MIN, -2) == INT64_MAX);
	assert_true(int64_mul_saturated(6, -7) == -42);
}

static void test_distance(void **state)
{
	static const struct {
		const char *a, *b;
		size_t distance;
		bool one_edit;
	} rows[] = {
		{ "", "", 0, false },             { "abc", "abc", 0, false },
		{ "abc", "acb", 1, true },        { "abc", "abcd", 1, true },
		{ "abc", "bc", 1, false },        { "abc", "xbc", 1, true },
		{ "inferense", "inference", 1, true }, { "kitten", "sitting", 3, false },
		{ "ca", "abc", 3, false },        { "", "abc", 3, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		str a = str_of(rows[i].a), b = str_of(rows[i].b);

		assert_int_equal(str_distance(a, b, 10), rows[i].distance);
		assert_int_equal(str_distance(b, a, 10), rows[i].distance);
		assert_int_equal(str_one_edit(a, b), rows[i].one_edit);
	}
	assert_int_equal(str_distance(STR("kitten"), STR("sitting"), 1), 2);
}

static void test_nearest(void **state)
{
	static const str names[] = { { "nodeSelector", 12 }, { "nodeName", 8 }, { "affinity", 8 },
		                     { "tolerations", 11 }, { "cat", 3 }, { "car", 3 } };
	static const struct {
		const char *word;
		size_t nearest;
	} rows[] = {
		{ "nodeselector", 0 }, { "toleration", 3 }, { "NODENAME", 1 }, { "cap", 6 },
		{ "affinity", 6 }, { "replicas", 6 }, { "", 6 }, { "afinity", 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(str_nearest(str_of(rows[i].word), names, COUNT_OF(names)),
		                 rows[i].nearest);
}

static void test_versions(void **state)
{
	static const struct {
		const char *text;
		bool good;
		struct version version;
	} rows[] = {
		{ "1.29", true, { 1, 29, -1 } },        { "v1.29.3", true, { 1, 29, 3 } },
		{ "1.29.3-eks-1a2b", true, { 1, 29, 3 } }, { "1.30.0+k3s1", true, { 1, 30, 0 } },
		{ " 1.2 ", true, { 1, 2, -1 } },        { "1", false, { 0, 0, 0 } },
		{ "1.", false, { 0, 0, 0 } },           { "1.2.", false, { 0, 0, 0 } },
		{ "1.2x", false, { 0, 0, 0 } },         { "1.99999999999", false, { 0, 0, 0 } },
		{ "", false, { 0, 0, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct version version = { 0 };

		assert_int_equal(version_parse(str_of(rows[i].text), &version), rows[i].good);
		assert_memory_equal(&version, &rows[i].version, sizeof version);
	}
	assert_true(version_cmp((struct version){ 1, 29, -1 }, (struct version){ 1, 29, 4 }) == 0);
	assert_true(version_cmp((struct version){ 1, 9, 9 }, (struct version){ 1, 29, -1 }) < 0);
	assert_true(version_cmp((struct version){ 1, 29, 5 }, (struct version){ 1, 29, 4 }) > 0);
	assert_true(version_cmp((struct version){ 2, 0, 0 }, (struct version){ 1, 99, 0 }) > 0);
}

static void test_durations(void **state)
{
	/* Computed with Go's time.ParseDuration. */
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} rows[] = {
		{ "0", true, 0 }, { "10m0s", true, 600000000000 }, { "1h30m", true, 5400000000000 },
		{ "300ms", true, 300000000 }, { "1.5h", true, 5400000000000 }, { ".5s", true, 500000000 },
		{ "1.s", true, 1000000000 }, { "-2m", true, -120000000000 }, { "+5s", true, 5000000000 },
		{ "1us", true, 1000 }, { "1\xc2\xb5s", true, 1000 }, { "0.1ns", true, 0 },
		{ "2562047h47m16.854775807s", true, INT64_MAX },
		{ "2562047h47m16.854775808s", false, 0 }, { "9223372036854775808ns", false, 0 },
		{ "10", false, 0 }, { "", false, 0 }, { "-", false, 0 }, { "s", false, 0 },
		{ ".s", false, 0 }, { "1d", false, 0 }, { "1 h", false, 0 }, { "1h-5m", false, 0 },
		{ "99999999999999999999h", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int64_t value = 0;

		assert_int_equal(duration_parse(str_of(rows[i].text), &value), rows[i].good);
		assert_true(value == rows[i].value);
	}
}

static void test_regex(void **state)
{
	static const struct {
		const char *pattern, *text;
		int found; /* -1: refused */
	} rows[] = {
		{ ".*spot.*", "my-spot-pool", 1 }, { "^spot", "my-spot", 0 }, { "pool$", "pool\n", 0 },
		{ "(?i)SPOT", "spot", 1 }, { "(?:a|b)+c", "abac", 1 }, { "(?P<x>a)", "a", 1 },
		{ "(?<x>a)", "a", 1 }, { "[[:alpha:]]\\d", "a1", 1 }, { "[]a]", "]", 1 },
		{ "\\Qa.b\\E", "a.b", 1 }, { "\\Qa.b", "axb", 0 }, { "\\p{L}", "\xc3\xa4", 1 },
		{ "a{2,3}", "aa", 1 }, { "a{,2}", "a{,2}", 1 }, { "x{a}", "x{a}", 1 }, { "", "x", 1 },
		{ "", "", 1 }, { "(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", 0 },
		{ "(?=a)", "a", -1 }, { "(?!a)", "a", -1 }, { "(?<=a)", "a", -1 }, { "(?<!a)", "a", -1 },
		{ "(a)\\1", "aa", -1 }, { "(?P=x)", "a", -1 }, { "(?>a)", "a", -1 }, { "(?R)", "a", -1 },
		{ "a++", "a", -1 }, { "a**", "a", -1 }, { "a{2}{3}", "a", -1 }, { "a{1001}", "a", -1 },
		{ "(*FAIL)", "a", -1 }, { "\\K", "a", -1 }, { "\\R", "a", -1 }, { "[\\h]", "a", -1 },
		{ "(", "a", -1 }, { "[a", "a", -1 }, { "*", "a", -1 }, { "\\", "a", -1 },
		{ "a\xff", "a", -1 }, { "(?#x)", "a", -1 }, { "(?C1)a", "a", -1 }, { "a\\", "a", -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new();
		str error = { 0 };
		struct regex *regex = regex_new(arena, str_of(rows[i].pattern), &error);

		if (!regex != (rows[i].found < 0))
			fail_msg("pattern %s", rows[i].pattern);
		assert_int_equal(!regex, error.n > 0);
		if (regex && regex_finds(regex, str_of(rows[i].text)) != (rows[i].found == 1))
			fail_msg("pattern %s on %s", rows[i].pattern, rows[i].text);
		arena_free(arena);
	}
}

static void square(void *context, size_t i)
{
	size_t *squares = context;

	squares[i] += i * i;
}

static void test_parallel(void **state)
{
	static const struct {
		size_t count;
		unsigned jobs;
	} rows[] = { { 0, 4 }, { 1, 4 }, { 1000, 1 }, { 1000, 3 }, { 1000, 0 }, { 5, 100000 } };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		size_t squares[1000] = { 0 };

		parallel_for(rows[i].count, rows[i].jobs, square, squares);
		for (size_t j = 0; j < COUNT_OF(squares); j++)
			assert_int_equal(squares[j], j < rows[i].count ? j * j : 0);
	}
	assert_true(parallel_cores() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena),    cmocka_unit_test(test_views),
		cmocka_unit_test(test_compare),  cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_texts),    cmocka_unit_test(test_vec_and_map),
		cmocka_unit_test(test_integers), cmocka_unit_test(test_distance),
		cmocka_unit_test(test_nearest),  cmocka_unit_test(test_versions),
		cmocka_unit_test(test_durations), cmocka_unit_test(test_regex),
		cmocka_unit_test(test_parallel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Quantities against upstream's own parser. Rows were computed with apimachinery's ParseQuantity;
 * the whole set of vectors is run by the vector runner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base.h"

#define ABOVE INT64_MAX /* does not fit */

static void test_accepted(void **state)
{
	static const struct {
		const char *text;
		int64_t milli, value;
	} rows[] = {
		{ "0", 0, 0 }, { "100m", 100, 1 }, { "0.3", 300, 1 }, { "1e3", 1000000, 1000 },
		{ "1E3", 1000000, 1000 }, { "1.5Gi", 1610612736000, 1610612736 }, { ".5", 500, 1 },
		{ "1.", 1000, 1 }, { ".", 0, 0 }, { "+", 0, 0 }, { "-", 0, 0 }, { "m", 0, 0 },
		{ "Ti", 0, 0 }, { "0Ei", 0, 0 }, { "-0", 0, 0 }, { "00100m", 100, 1 },
		{ "1n", 1, 1 }, { "0.4n", 1, 1 }, { "1.0000000001", 1001, 2 }, { "12e-2", 120, 1 },
		{ "1e-10", 1, 1 }, { "1e-999999", 1, 1 }, { "0e999999", 0, 0 }, { "5Mi ", 5242880000, 5242880 },
		{ " \xc2\xa0" "1\xe3\x80\x80", 1000, 1 },
		{ "1E", ABOVE, 1000000000000000000 }, { "7Ei", ABOVE, 8070450532247928832 },
		{ "8Ei", ABOVE, INT64_MAX }, { "9223372036854775807Ki", ABOVE, INT64_MAX },
		{ "9223372036854775807", ABOVE, INT64_MAX },
		{ "9223372036854775.807", INT64_MAX, 9223372036854776 },
		{ "9223372036854775.8071", ABOVE, 9223372036854776 },
		/* One 2^-60th more than a whole: only exact arithmetic sees it. */
		{ "1.000000000000000000867361737988403547205962240695953369140625Ei", ABOVE,
		  1152921504606846977 },
		{ "1.0000000000000000008673617379884035472059622406959533691406251Ei", ABOVE,
		  1152921504606846978 },
		{ "0.00000000000000000000000000000000000001Ki", 1, 1 },
		/* Exponents wrap at 32 bits upstream. */
		{ "1e4294967296", 1000, 1 }, { "5e4294967297", 50000, 50 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct quantity q;
		int64_t milli, value;
		bool fits;

		if (!quantity_parse(str_of(rows[i].text), &q))
			fail_msg("%s", rows[i].text);
		fits = quantity_milli_ceil(&q, &milli);
		assert_true(milli == rows[i].milli && (fits || milli == ABOVE));
		quantity_value_ceil(&q, &value);
		assert_true(value == rows[i].value);
	}
}

static void test_refused(void **state)
{
	static const char *const rows[] = {
		"", " ", "1_000", "0x10", "1ki", "1K", "1MB", "10gi", "1e", "1e3m", "1m1", "1 Gi",
		"1,000", "null", "true", "--1", "1..2", "1.2.3", "Ei", "Pi", ".Ei", "e-10", "1\t",
		"1e9223372036854775808", "i", "1mm", "1KiB", "\xc2\xb5", "1-", "1e+",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct quantity q;

		if (quantity_parse(str_of(rows[i]), &q))
			fail_msg("%s", rows[i]);
		assert_int_equal(quantity_sign(&q), 0);
	}
}

static void test_order(void **state)
{
	/* Each smaller than the next. */
	static const char *const rows[] = {
		"-1e40", "-8Ei", "-1Gi", "-1", "-1m", "0", "1n", "1m", "0.1", "1", "1.5", "1k", "1Ki",
		"1G", "1Gi", "8Ei", "9223372036854775808", "1e20", "1e40",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (size_t j = 0; j < COUNT_OF(rows); j++) {
			struct quantity a, b;

			assert_true(quantity_parse(str_of(rows[i]), &a));
			assert_true(quantity_parse(str_of(rows[j]), &b));
			assert_int_equal(quantity_cmp(&a, &b), (i > j) - (i < j));
			assert_int_equal(quantity_sign(&a), (i > 5) - (i < 5));
		}
}

static void test_facts(void **state)
{
	static const struct {
		const char *text;
		bool whole, milli, binary;
	} rows[] = {
		{ "1", true, false, false }, { "1000m", true, true, false }, { "512m", false, true, false },
		{ "1Ki", true, false, true }, { "1.1Ki", false, false, true }, { "1e40", true, false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct quantity q;

		assert_true(quantity_parse(str_of(rows[i].text), &q));
		assert_int_equal(quantity_is_whole(&q), rows[i].whole);
		assert_int_equal(q.format_milli, rows[i].milli);
		assert_int_equal(q.binary, rows[i].binary);
	}
}

static void test_negative(void **state)
{
	struct quantity q;
	int64_t value;

	(void)state;
	assert_true(quantity_parse(STR("-1.5"), &q));
	assert_true(quantity_milli_ceil(&q, &value) && value == -1500);
	assert_true(quantity_value_ceil(&q, &value) && value == -1);
	assert_true(quantity_parse(STR("-1e40"), &q));
	assert_false(quantity_value_ceil(&q, &value));
	assert_true(value == INT64_MIN);
}

static void test_long_text(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };
	struct quantity q;
	int64_t value;

	(void)state;
	for (size_t i = 0; i < 1000000; i++)
		buf_char(&buf, '9');
	assert_true(quantity_parse(buf_str(&buf), &q));
	assert_false(quantity_value_ceil(&q, &value));
	buf.p[0] = '.';
	assert_true(quantity_parse(buf_str(&buf), &q));
	assert_true(quantity_milli_ceil(&q, &value) && value == 1000);
	arena_free(arena);
}

static void test_amounts(void **state)
{
	static const struct {
		const char *resource;
		int64_t amount;
		const char *text;
	} rows[] = {
		{ "cpu", 1930, "1930m" }, { "cpu", 4000, "4" }, { "cpu", 0, "0" },
		{ "memory", 17179869184, "16Gi" }, { "memory", 7238320128, "6903Mi" },
		{ "memory", 1000, "1000" }, { "memory", 0, "0" }, { "ephemeral-storage", 1024, "1Ki" },
		{ "hugepages-2Mi", 4194304, "4Mi" }, { "nvidia.com/gpu", 2048, "2048" },
		{ "memory", -2048, "-2Ki" }, { "cpu", -1500, "-1500m" },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		str text = amount_text(arena, str_of(rows[i].resource), rows[i].amount);

		assert_string_equal(str_c(arena, text), rows[i].text);
	}
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_order),    cmocka_unit_test(test_facts),
		cmocka_unit_test(test_negative), cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_amounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

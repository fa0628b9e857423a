/* pools: the real files of other projects (testdata/samples, origin in its SOURCES.tsv). What is read
 * of each stands in testdata/golden/samples.txt, checked by hand against the files; KUBELINT_BLESS=1
 * writes it anew. No sample has a mistake in its node groups.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pools-text.h"

static str read_file(struct arena *arena, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct buf buf = { .arena = arena };
	char part[4096];
	size_t n;

	if (!file)
		fail_msg("%s cannot be opened", path);
	while ((n = fread(part, 1, sizeof part, file)) > 0)
		buf_add(&buf, (str){ part, n });
	fclose(file);
	return buf_str(&buf);
}

static str in_testdata(struct arena *arena, str path)
{
	return str_format(arena, "%s/%.*s", getenv("KUBELINT_TESTDATA"), STR_ARG(path));
}

static void add_sample(struct arena *arena, struct buf *buf, str path)
{
	str file = in_testdata(arena, str_format(arena, "samples/%.*s", STR_ARG(path)));
	struct world world = { 0 };

	world.sources = source_from_text(arena, path, read_file(arena, str_c(arena, file)));
	world_parse(arena, &world);
	buf_printf(buf, "== %.*s\n%.*s", STR_ARG(path), STR_ARG(world_text(arena, &world)));
	for (size_t i = 0; i < world.pools.notes.n; i++)
		buf_printf(buf, "note: %.*s\n", STR_ARG(world.pools.notes.v[i]));
	if (world_fault_count(&world))
		fail_msg("%.*s: %.*s", STR_ARG(path), STR_ARG(world_fault(&world)->a));
}

static void test_samples(void **state)
{
	struct arena *arena = arena_new();
	str list = read_file(arena, str_c(arena, in_testdata(arena, STR("samples/SOURCES.tsv"))));
	const char *golden = str_c(arena, in_testdata(arena, STR("golden/samples.txt")));
	struct buf buf = { .arena = arena };
	str line, path;
	size_t count = 0;

	(void)state;
	str_next(&list, '\n', &line);
	while (str_next(&list, '\n', &line)) {
		str_cut(line, '\t', &path, &(str){ 0 });
		if (!path.n || str_starts(path, STR("hpa-keda-vpa/")))
			continue;
		add_sample(arena, &buf, path);
		count++;
	}
	assert_true(count > 80);
	if (getenv("KUBELINT_BLESS")) {
		FILE *out = fopen(golden, "wb");

		assert_non_null(out);
		fwrite(buf.p, 1, buf.n, out);
		fclose(out);
	}
	if (!str_eq(buf_str(&buf), read_file(arena, golden))) {
		printf("%.*s", STR_ARG(buf_str(&buf)));
		fail_msg("%s differs from what is read of the samples", golden);
	}
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

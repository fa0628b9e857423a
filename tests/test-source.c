/* source: documents, lines, globs, folders and what is left out of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "source.h"

static void assert_str(str got, const char *wanted)
{
	char *text = strndup(got.p ? got.p : "", got.n);

	assert_string_equal(text, wanted);
	free(text);
}

/* ---- documents ----------------------------------------------------------------------- */

static void test_split(void **state)
{
	/* documents: their texts, each behind a |. */
	static const struct {
		const char *name, *text, *documents;
	} rows[] = {
		{ "a.yaml", "", "" },
		{ "a.yaml", "\n \n", "" },
		{ "a.yaml", "a: 1\n", "|a: 1\n" },
		{ "a.yaml", "a: 1\n---\nb: 2\n", "|a: 1\n|\nb: 2\n" },
		{ "a.yaml", "---\na: 1\n---\n---\nb: 2", "|\na: 1\n|\nb: 2" },
		{ "a.yaml", "a: 1\r\n---\r\nb: 2\r\n", "|a: 1\r\n|\r\nb: 2\r\n" },
		{ "a.yaml", "a: 1\r---\rb: 2", "|a: 1\r|\rb: 2" },
		{ "a.yaml", "--- a\n--- |\n x\n", "| a\n| |\n x\n" },
		{ "a.yaml", "a: 1\n----\n ---\n---x\n", "|a: 1\n----\n ---\n---x\n" },
		{ "a.yaml", "a: |\n  x\n---\nb: 1\n", "|a: |\n  x\n|\nb: 1\n" },
		{ "a.yaml", "a: 1\n...\n# x\n---\nb: 1\n", "|a: 1\n|\n# x\n|\nb: 1\n" },
		{ "a.yaml", "%YAML 1.1\n---\na: 1\n---\nb: 1\n",
		  "|%YAML 1.1\n---\na: 1\n|\nb: 1\n" },
		{ "a.yaml", "\xef\xbb\xbf---\na: 1\n", "|\na: 1\n" },
		{ "a.json", "{}\n---\n{}\n", "|{}\n---\n{}\n" },
		{ "x.tfstate", "{}\n---\n", "|{}\n---\n" },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct source_set *set = source_from_text(arena, str_of(rows[i].name),
		                                          str_of(rows[i].text));
		const struct source *source = source_of(set, 1);
		struct buf buf = { .arena = arena };

		for (size_t j = 0; j < source->document_count; j++) {
			const struct document *document = &source->documents[j];

			assert_int_equal(document->index, j);
			assert_ptr_equal(document->source, source);
			buf_char(&buf, '|');
			buf_add(&buf, str_slice(source->text, document->begin, document->end));
		}
		assert_str(buf_str(&buf), rows[i].documents);
	}
	arena_free(arena);
}

/* Each of many lines without an LF must not look for one to the end of the file. */
static void test_lone_returns(void **state)
{
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };
	const struct source *source;

	(void)state;
	for (size_t i = 0; i < 300000; i++)
		buf_add(&buf, i % 2 ? STR("---\r") : STR("a\r"));
	source = source_of(source_from_text(arena, STR("a.yaml"), buf_str(&buf)), 1);
	assert_int_equal(source->document_count, 150000);
	arena_free(arena);
}

static void test_positions(void **state)
{
	static const struct {
		const char *text;
		uint32_t offset, line, column, utf16;
		const char *content;
	} rows[] = {
		{ "a\nbc\n", 0, 1, 1, 1, "a" },        { "a\nbc\n", 3, 2, 2, 2, "bc" },
		{ "a\nbc\n", 4, 2, 3, 3, "bc" },       { "a\nbc\n", 5, 3, 1, 1, "" },
		{ "a\nbc\n", 99, 3, 1, 1, "" },        { "a\r\nb\rc", 3, 2, 1, 1, "b" },
		{ "a\r\nb\rc", 5, 3, 1, 1, "c" },      { "\xc3\xa4x", 2, 1, 2, 2, "\xc3\xa4x" },
		{ "\xf0\x9f\x98\x80x", 4, 1, 2, 3, "\xf0\x9f\x98\x80x" },
		{ "\xff\xc3x", 2, 1, 3, 3, "\xff\xc3x" }, { "\xef\xbb\xbfx", 3, 1, 1, 1, "x" },
		{ "a: \xe2\x80\xa8 b", 7, 1, 6, 6, "a: \xe2\x80\xa8 b" }, { "", 0, 1, 1, 1, "" },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct source_set *set = source_from_text(arena, STR("a"), str_of(rows[i].text));
		struct position at = source_position(source_of(set, 1), rows[i].offset);

		assert_int_equal(at.line, rows[i].line);
		assert_int_equal(at.column, rows[i].column);
		assert_int_equal(at.column_utf16, rows[i].utf16);
		assert_str(source_line(source_of(set, 1), at.line), rows[i].content);
	}
	assert_null(source_of(source_from_text(arena, STR("a"), STR("")), 0));
	assert_null(source_of(source_from_text(arena, STR("a"), STR("")), 2));
	arena_free(arena);
}

/* Columns on one long line, counted in stretches, are those that are counted from its start. */
static void test_long_line(void **state)
{
	static const char *const pieces[] = { "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
		                              "\xff", "\xc3" };
	static const uint32_t units[] = { 1, 1, 1, 2, 1, 1 };
	struct arena *arena = arena_new();
	struct buf buf = { .arena = arena };
	struct { uint32_t *v; size_t n, cap; } starts = { 0 };
	uint32_t utf16 = 1;
	const struct source *source;

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		*VEC_PUSH(arena, &starts) = (uint32_t)buf.n;
		buf_add(&buf, str_of(pieces[i * i % 7 % COUNT_OF(pieces)]));
	}
	source = source_of(source_from_text(arena, STR("a"), buf_str(&buf)), 1);
	for (size_t i = 0; i < starts.n; i++) {
		struct position at = source_position(source, starts.v[i]);

		assert_int_equal(at.line, 1);
		assert_int_equal(at.column, i + 1);
		assert_int_equal(at.column_utf16, utf16);
		utf16 += units[i * i % 7 % COUNT_OF(pieces)];
	}
	arena_free(arena);
}

static void test_globs(void **state)
{
	static const struct {
		const char *glob, *path;
		bool match;
	} rows[] = {
		{ "a.yaml", "a.yaml", true },      { "*.yaml", "a.yaml", true },
		{ "*.yaml", "k/a.yaml", false },   { "*", "", true },
		{ "a?c", "abc", true },            { "a?c", "a\xc3\xa4" "c", true },
		{ "a?c", "a/c", false },           { "k8s/*/a", "k8s/x/a", true },
		{ "k8s/*/a", "k8s/x/y/a", false }, { "**/a", "a", true },
		{ "**/a", "x/y/a", true },         { "x/**", "x", false },
		{ "x/**", "x/y/z", true },         { "x/**/z", "x/z", true },
		{ "x/**/z", "x/1/2/z", true },     { "x/**/z", "y/z", false },
		{ "**", "a/b", true },             { "**/b/**/d", "a/b/c/b/d", true },
		{ "[a-c]x", "bx", true },          { "[!a-c]x", "bx", false },
		{ "[^a-c]x", "dx", true },         { "[]]", "]", true },
		{ "[a", "[a", true },              { "[a-]", "-", true },
		{ "\\*", "*", true },              { "\\*", "a", false },
		{ "/a", "a", true },               { "a", "ab", false },
		{ "*a*b*c*", "xxaxxbxxcxx", true }, { "*a*b*c*", "xxaxxcxxbxx", false },
		{ "a/*", "a", false },             { "", "a", false },
	};
	struct arena *arena = arena_new();
	struct buf stars = { .arena = arena }, many = { .arena = arena };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (source_glob_matches(str_of(rows[i].glob), str_of(rows[i].path)) !=
		    rows[i].match)
			fail_msg("%s on %s", rows[i].glob, rows[i].path);
	/* Would take for ever if every star were gone back to. */
	for (size_t i = 0; i < 100; i++) {
		buf_add(&stars, STR("a*"));
		buf_add(&many, STR("aaaaaaaaaa"));
	}
	buf_char(&stars, 'b');
	assert_false(source_glob_matches(buf_str(&stars), buf_str(&many)));
	arena_free(arena);
}

/* ---- folders ------------------------------------------------------------------------- */

/* A folder of its own for each test, its files as "path=text". */
struct world {
	struct arena *arena;
	str folder;
};

static void make_file(struct world *world, const char *path, str text)
{
	str full = str_format(world->arena, "%.*s/%s", STR_ARG(world->folder), path);
	FILE *file;

	for (size_t i = world->folder.n + 1; i < full.n; i++)
		if (full.p[i] == '/')
			mkdir(str_c(world->arena, str_slice(full, 0, i)), 0777);
	if (str_ends(full, STR("/"))) {
		mkdir(full.p, 0777);
		return;
	}
	file = fopen(full.p, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text.p, 1, text.n, file), text.n);
	assert_int_equal(fclose(file), 0);
}

static void make_link(struct world *world, const char *path, const char *target)
{
	const char *full = str_format(world->arena, "%.*s/%s", STR_ARG(world->folder), path).p;

	assert_int_equal(symlink(target, full), 0);
}

static int setup(void **state)
{
	struct world *world;
	struct arena *arena = arena_new();
	const char *parent = getenv("TMPDIR");
	str name = str_format(arena, "%s/test-source-XXXXXX", parent ? parent : "/tmp");
	char *created = mkdtemp(strcpy(arena_alloc(arena, name.n + 1), name.p));

	if (!created)
		return -1;
	world = ARENA_NEW(arena, struct world);
	world->arena = arena;
	world->folder = str_copy(arena, source_real_path(arena, str_of(created)));
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;
	str command = str_format(world->arena, "rm -rf '%.*s'", STR_ARG(world->folder));
	int status = system(command.p);

	arena_free(world->arena);
	return status;
}

static str in_world(const struct world *world, const char *path)
{
	return str_format(world->arena, "%.*s/%s", STR_ARG(world->folder), path);
}

/* Reads the paths (behind commas, relative to the world) and gives what came of it: the paths of
 * the sources, then "!" and kind and path of each skip but the ignored ones. */
static str read_world(struct world *world, const char *paths, struct source_options *options,
                      const struct source_set **ret_set)
{
	struct buf buf = { .arena = world->arena };
	struct strs list = { 0 };
	str rest = str_of(paths), path;
	const struct source_set *set;

	while (str_next(&rest, ',', &path))
		*VEC_PUSH(world->arena, &list) = str_is(path, "-")
			? path : in_world(world, str_c(world->arena, path));
	options->root = options->root ? options->root : world->folder.p;
	set = source_read(world->arena, options, &list);
	for (size_t i = 0; i < set->sources.n; i++) {
		assert_int_equal(set->sources.v[i]->id, i + 1);
		buf_printf(&buf, "%s%.*s", buf.n ? " " : "", STR_ARG(set->sources.v[i]->path));
	}
	for (size_t i = 0; i < set->skips.n; i++)
		if (set->skips.v[i].kind != SKIP_IGNORED)
			buf_printf(&buf, " !%d:%.*s", (int)set->skips.v[i].kind,
			           STR_ARG(set->skips.v[i].path));
	assert_int_equal(set->file_count, set->sources.n);
	if (ret_set)
		*ret_set = set;
	return buf_str(&buf);
}

static void test_walk(void **state)
{
	struct world *world = *state;
	struct source_options options = { 0 };
	const struct source_set *set;
	static const char *const files[] = { "b.yaml", "a/c.yml", "a/d.json", "a/x.tfstate",
		                             "a/README.md", "B.yaml", "a.yaml", ".git/x.yaml",
		                             "a/node_modules/x.yaml", "vendor/x.yaml",
		                             ".github/w.yaml" };

	for (size_t i = 0; i < COUNT_OF(files); i++)
		make_file(world, files[i], STR("a: 1\n"));
	assert_str(read_world(world, ".", &options, &set),
	           ".github/w.yaml B.yaml a.yaml a/c.yml a/d.json a/x.tfstate b.yaml");
	assert_false(set->sources.v[0]->named);
	assert_true(set->sources.v[4]->json);
	assert_str(read_world(world, "a,b.yaml,b.yaml,./b.yaml,a/../b.yaml,a/d.json", &options, &set),
	           "a/c.yml a/d.json a/x.tfstate b.yaml");
	assert_true(set->sources.v[1]->named && !set->sources.v[0]->named);
	assert_str(read_world(world, "a/README.md", &options, NULL), "a/README.md");
	assert_str(read_world(world, "vendor", &options, NULL), "vendor/x.yaml");
}

static void test_missing(void **state)
{
	struct world *world = *state;
	struct source_options options = { .root = "/nonexistent-root" };
	const struct source_set *set;
	struct buf wanted = { .arena = world->arena };

	make_file(world, "a.yaml", STR("a: 1\n"));
	read_world(world, "a.yaml,gone.yaml,a.yaml/x", &options, &set);
	assert_int_equal(set->skips.n, 2);
	assert_int_equal(set->skips.v[0].kind, SKIP_MISSING);
	assert_int_equal(set->skips.v[1].kind, SKIP_MISSING);
	/* Outside of the root paths stay absolute. */
	assert_int_equal(set->sources.n, 1);
	assert_true(set->sources.v[0]->outside_root);
	buf_printf(&wanted, "%.*s/a.yaml", STR_ARG(world->folder));
	assert_str(set->sources.v[0]->path, str_c(world->arena, buf_str(&wanted)));
}

static void test_ignores(void **state)
{
	static const struct {
		const char *ignore, *wanted;
	} rows[] = {
		{ "", "a.yaml b.yaml k/a.yaml k/b.yaml k/l/a.yaml" },
		{ "a.yaml\n", "b.yaml k/b.yaml" },
		{ "/a.yaml\n", "b.yaml k/a.yaml k/b.yaml k/l/a.yaml" },
		{ "k/a.yaml\r\n", "a.yaml b.yaml k/b.yaml k/l/a.yaml" },
		{ "k/\n", "a.yaml b.yaml" },
		{ "b.yaml/\n", "a.yaml b.yaml k/a.yaml k/b.yaml k/l/a.yaml" },
		{ "**/l\n", "a.yaml b.yaml k/a.yaml k/b.yaml" },
		{ "k/**\n", "a.yaml b.yaml" },
		{ "*.yaml\n!a.yaml\n", "a.yaml k/a.yaml k/l/a.yaml" },
		{ "!a.yaml\n*.yaml\n", "" },
		{ "k\n!k/a.yaml\n", "a.yaml b.yaml" },
		{ "# a.yaml\n\\#x\n\n  \nb.yaml  \n", "a.yaml k/a.yaml k/l/a.yaml" },
		{ "k/*\n!k/l\n", "a.yaml b.yaml k/l/a.yaml" },
	};
	static const char *const names[] = { ".gitignore", ".kubelintignore" };
	struct world *world = *state;

	make_file(world, "k/l/a.yaml", STR("a: 1\n"));
	make_file(world, "k/a.yaml", STR("a: 1\n"));
	make_file(world, "k/b.yaml", STR("a: 1\n"));
	make_file(world, "a.yaml", STR("a: 1\n"));
	make_file(world, "b.yaml", STR("a: 1\n"));
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (size_t j = 0; j < COUNT_OF(names); j++) {
			struct source_options options = { 0 };

			make_file(world, names[j], str_of(rows[i].ignore));
			assert_str(read_world(world, ".", &options, NULL), rows[i].wanted);
			options.no_gitignore = true;
			assert_str(read_world(world, ".", &options, NULL), rows[0].wanted);
			make_file(world, names[j], STR(""));
		}
}

static void test_nested_ignores(void **state)
{
	struct world *world = *state;
	struct source_options options = { 0 }, forced = { .force_exclude = true };
	const struct source_set *set;

	make_file(world, ".gitignore", STR("*.json\nout/\n"));
	make_file(world, "k/.gitignore", STR("!keep.json\n/a.yaml\n"));
	make_file(world, "k/.kubelintignore", STR("b.yaml\n"));
	make_file(world, "k/keep.json", STR("{}"));
	make_file(world, "k/drop.json", STR("{}"));
	make_file(world, "k/a.yaml", STR("a: 1"));
	make_file(world, "k/b.yaml", STR("a: 1"));
	make_file(world, "k/l/a.yaml", STR("a: 1"));
	make_file(world, "k/out/a.yaml", STR("a: 1"));
	assert_str(read_world(world, ".", &options, &set), "k/keep.json k/l/a.yaml");
	assert_int_equal(set->skips.n, 4);
	/* The rules of the folders above hold below a named folder too. */
	assert_str(read_world(world, "k/l,k", &options, NULL), "k/keep.json k/l/a.yaml");
	/* Named files are read in any case, unless told otherwise. */
	assert_str(read_world(world, "k/b.yaml,k/out/a.yaml,k/drop.json", &options, NULL),
	           "k/b.yaml k/drop.json k/out/a.yaml");
	assert_str(read_world(world, "k/b.yaml,k/out/a.yaml,k/keep.json", &forced, &set),
	           "k/keep.json");
	assert_int_equal(set->skips.n, 2);
}

static void test_excludes(void **state)
{
	static str globs[] = { { "legacy", 6 }, { "k/*.yml", 7 }, { "/top/", 5 } };
	static const struct strs excludes = { .v = globs, .n = COUNT_OF(globs) };
	struct world *world = *state;
	struct source_options options = { .excludes = &excludes };

	make_file(world, "a/legacy/x.yaml", STR("a: 1"));
	make_file(world, "k/a.yml", STR("a: 1"));
	make_file(world, "k/a.yaml", STR("a: 1"));
	make_file(world, "top/a.yaml", STR("a: 1"));
	make_file(world, "a/top/a.yaml", STR("a: 1"));
	assert_str(read_world(world, ".", &options, NULL), "a/top/a.yaml k/a.yaml");
	assert_str(read_world(world, "a/legacy/x.yaml", &options, NULL), "a/legacy/x.yaml");
	options.force_exclude = true;
	assert_str(read_world(world, "a/legacy/x.yaml", &options, NULL), "");
}

static void test_links(void **state)
{
	struct world *world = *state;
	struct source_options options = { 0 };

	make_file(world, "real/a.yaml", STR("a: 1"));
	make_file(world, "other/", STR(""));
	make_link(world, "copy", "real");           /* another name of a folder that is read */
	make_link(world, "real/up", "..");          /* a loop */
	make_link(world, "real/self", "self");      /* a loop of links */
	make_link(world, "real/b.yaml", "a.yaml");  /* another file */
	make_link(world, "gone.yaml", "nowhere");
	make_link(world, "gone", "nowhere");
	make_link(world, "other/x", "../real");
	assert_str(read_world(world, ".", &options, NULL),
	           "real/a.yaml real/b.yaml !5:gone.yaml !3:real/self !3:real/up");
	assert_str(read_world(world, "other", &options, NULL),
	           "other/x/a.yaml other/x/b.yaml !3:other/x/self !3:other/x/up");
	assert_str(read_world(world, "copy", &options, NULL),
	           "copy/a.yaml copy/b.yaml !3:copy/self !3:copy/up");
}

static void test_odd_files(void **state)
{
	struct world *world = *state;
	struct source_options options = { .max_file_size = 100 };
	struct buf big = { .arena = world->arena };

	for (size_t i = 0; i < 101; i++)
		buf_char(&big, '#');
	make_file(world, "exact.yaml", str_slice(buf_str(&big), 0, 100));
	make_file(world, "big.yaml", buf_str(&big));
	make_file(world, "nul.yaml", STR("a: \0"));
	make_file(world, "utf16.yaml", STR("\xff\xfe" "a\0:\0"));
	make_file(world, "empty.yaml", STR(""));
	assert_int_equal(mkfifo(in_world(world, "fifo.yaml").p, 0666), 0);
	assert_int_equal(mkfifo(in_world(world, "fifo").p, 0666), 0);
	assert_str(read_world(world, ".", &options, NULL),
	           "empty.yaml exact.yaml utf16.yaml !1:big.yaml !5:fifo.yaml !4:nul.yaml");
	options.max_file_size = 0;
	assert_str(read_world(world, "big.yaml", &options, NULL), "big.yaml");
}

/* A web of folders that all link to each other has as many paths as there are orders. */
static void test_link_web(void **state)
{
	struct world *world = *state;
	struct source_options options = { 0 };
	const struct source_set *set;

	for (int i = 0; i < 12; i++) {
		make_file(world, str_format(world->arena, "d%d/a.yaml", i).p, STR("a: 1"));
		for (int j = 0; j < 12; j++)
			make_link(world, str_format(world->arena, "d%d/l%d", i, j).p,
			          str_format(world->arena, "../d%d", j).p);
	}
	read_world(world, "d0", &options, &set);
	assert_int_equal(set->sources.n, 12);
}

static void test_stdin(void **state)
{
	struct world *world = *state;
	struct source_options options = { 0 };
	const struct source_set *set;
	int saved = dup(STDIN_FILENO);

	make_file(world, "k/a.yaml", STR("old: 1"));
	for (int round = 0; round < 2; round++) {
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		assert_int_equal(write(ends[1], "new: 1", 6), 6);
		close(ends[1]);
		assert_int_equal(dup2(ends[0], STDIN_FILENO), 0);
		close(ends[0]);
		options.stdin_name = round ? in_world(world, "k/a.yaml").p : NULL;
		assert_str(read_world(world, "k,-", &options, &set), round ? "k/a.yaml"
		                                                           : "- k/a.yaml");
		assert_str(set->sources.v[0]->text, "new: 1");
		assert_true(set->sources.v[0]->named && !set->sources.v[0]->outside_root);
	}
	dup2(saved, STDIN_FILENO);
	close(saved);
}

static void test_root(void **state)
{
	struct world *world = *state;
	struct arena *arena = world->arena;
	struct source_options options = { 0 };
	struct strs paths = { 0 };
	char *before = getcwd(NULL, 0);

	*VEC_PUSH(arena, &paths) = STR("../a.yaml");
	*VEC_PUSH(arena, &paths) = STR("x.yaml");
	make_file(world, "a.yaml", STR("a: 1"));
	make_file(world, "k/x.yaml", STR("a: 1"));
	assert_int_equal(chdir(in_world(world, "k").p), 0);
	assert_str(source_read(arena, &options, &paths)->root, in_world(world, "k").p);
	assert_true(source_read(arena, &options, &paths)->sources.v[0]->outside_root);
	make_file(world, ".git/", STR(""));
	assert_str(source_read(arena, &options, &paths)->root, world->folder.p);
	assert_str(source_read(arena, &options, &paths)->sources.v[0]->path, "a.yaml");
	assert_str(source_read(arena, &options, &paths)->sources.v[0]->open_path, "../a.yaml");
	assert_str(source_read(arena, &options, &paths)->sources.v[1]->path, "k/x.yaml");
	make_file(world, "k/.kubelint.yaml", STR(""));
	assert_str(source_read(arena, &options, &paths)->root, in_world(world, "k").p);
	assert_int_equal(chdir(before), 0);
	free(before);
}

#define WORLD_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void test_folders_of_paths(void **state)
{
	static const char *const rows[][2] = {
		{ "a.yaml", "" }, { "k8s/a.yaml", "k8s" }, { "a/b/c", "a/b" }, { "/a", "" }, { "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_true(str_is(source_folder(str_of(rows[i][0])), rows[i][1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folders_of_paths),
		cmocka_unit_test(test_split),    cmocka_unit_test(test_lone_returns),
		cmocka_unit_test(test_positions),
		cmocka_unit_test(test_long_line), cmocka_unit_test(test_globs),
		WORLD_TEST(test_walk),
		WORLD_TEST(test_missing),        WORLD_TEST(test_ignores),
		WORLD_TEST(test_nested_ignores), WORLD_TEST(test_excludes),
		WORLD_TEST(test_links),          WORLD_TEST(test_odd_files),
		WORLD_TEST(test_link_web),       WORLD_TEST(test_stdin),
		WORLD_TEST(test_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

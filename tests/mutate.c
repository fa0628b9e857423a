/* Damages one value after the other in the files of every case and runs the whole pipeline over
 * what comes out. Whatever is in a file, a run must end, each finding must have a place in a file,
 * every report must be written, and a node group that has nothing to do with the damage must still
 * be there.
 *
 * usage: mutate EVERY FOLDER [CASE...]    (of all damages only each EVERY-th, spread evenly) */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Bytes of the long text. */
#define LONG_TEXT 20000

/* What is put in the place of a value, of the whole entry, or before it. */
enum way {
	WAY_VALUE,
	WAY_ENTRY,      /* key and value */
	WAY_TWICE,      /* the key once more, with this value, before the entry */
	WAY_ROOT_ALIAS, /* the value becomes an alias of the document that holds it */
	WAY_LONG,       /* the value becomes a long text */
};

static const struct damage {
	const char *name;
	enum way way;
	str text;
} damages[] = {
	{ "deleted", WAY_ENTRY, { "", 0 } },
	{ "misspelt", WAY_ENTRY, { "mispelt: 1", 10 } },
	{ "null", WAY_VALUE, { "null", 4 } },
	{ "list", WAY_VALUE, { "[a, {b: c}, [1]]", 16 } },
	{ "map", WAY_VALUE, { "{a: {b: c}}", 11 } },
	{ "empty map", WAY_VALUE, { "{}", 2 } },
	{ "empty list", WAY_VALUE, { "[]", 2 } },
	{ "nulls", WAY_VALUE, { "[null, ~, {}]", 13 } },
	{ "text", WAY_VALUE, { "text", 4 } },
	{ "boolean", WAY_VALUE, { "yes", 3 } },
	{ "negative", WAY_VALUE, { "-1", 2 } },
	{ "zero", WAY_VALUE, { "0", 1 } },
	{ "large", WAY_VALUE, { "2147483648", 10 } },
	{ "huge", WAY_VALUE, { "9223372036854775807", 19 } },
	{ "too huge", WAY_VALUE, { "1e999", 5 } },
	{ "huge quantity", WAY_VALUE, { "9999999999Ei", 12 } },
	{ "empty text", WAY_VALUE, { "\"\"", 2 } },
	{ "blank", WAY_VALUE, { "\" \\t\"", 5 } },
	{ "control", WAY_VALUE, { "\"a\\0\\x1b[31m\\x07b\"", 18 } },
	{ "right to left", WAY_VALUE, { "\"a\xe2\x80\xae\xe2\x81\xa6" "b\"", 10 } },
	{ "bad UTF-8", WAY_VALUE, { "\"a\xff\xc3\"", 5 } },
	{ "format", WAY_VALUE, { "\"%s%n ::error::x\"", 17 } },
	{ "markup", WAY_VALUE, { "\"<a href='x'>&]]>\"", 18 } },
	{ "template", WAY_VALUE, { "{{ .Values.x }}", 15 } },
	{ "shell", WAY_VALUE, { "${X}", 4 } },
	{ "alias", WAY_VALUE, { "*gone", 5 } },
	{ "tag", WAY_VALUE, { "!!binary x", 10 } },
	{ "open", WAY_VALUE, { "[", 1 } },
	{ "twice", WAY_TWICE, { "1", 1 } },
	{ "twice a map", WAY_TWICE, { "{a: b}", 6 } },
	{ "root alias", WAY_ROOT_ALIAS, { "*root", 5 } },
	{ "long", WAY_LONG, { "", 0 } },
};

/* A case as it is, and the damage at hand. */
struct trial {
	str name;
	const struct source_set *sources;
	const struct pipeline *sound;    /* what the undamaged files give */
	const struct options *options;
	const struct tree *tree;         /* that is damaged */
	const struct node *node;
	const struct damage *damage;
	size_t number, every, runs, wrong;
	str long_text;
};

static void complain(struct trial *trial, struct arena *arena, str text)
{
	printf("%.*s: %.*s#%u %.*s, %s: %.*s\n", STR_ARG(trial->name),
	       STR_ARG(trial->tree->source->path), trial->tree->document->index,
	       STR_ARG(node_path(arena, NULL, trial->node, NULL)), trial->damage->name,
	       STR_ARG(text));
	trial->wrong++;
}

/* ---- damaging ------------------------------------------------------------------------ */

static void splice(struct buf *out, str text, struct span span, str with)
{
	buf_add(out, str_slice(text, 0, span.begin));
	buf_add(out, with);
	buf_add(out, str_slice(text, span.end, text.n));
}

/* The entry's key again and a value, as the map around is written: in flow style, or on a line
 * of its own that is indented as the entry is. */
static str entry_before(struct arena *arena, str text, const struct node *node, str value)
{
	str key = str_slice(text, node->key_span.begin, node->key_span.end);
	struct buf out = { .arena = arena };
	uint32_t line = node->key_span.begin;

	buf_printf(&out, "%.*s: %.*s", STR_ARG(key), STR_ARG(value));
	if (node->parent->flow) {
		buf_add(&out, STR(", "));
		return buf_str(&out);
	}
	while (line > 0 && text.p[line - 1] != '\n')
		line--;
	buf_char(&out, '\n');
	for (uint32_t i = line; i < node->key_span.begin; i++)
		buf_char(&out, ' ');
	return buf_str(&out);
}

/* The text of the file with the damage done; NULL view when it does not apply to the node. */
static str damaged_text(const struct trial *trial, struct arena *arena)
{
	const struct node *node = trial->node;
	const struct damage *damage = trial->damage;
	str text = trial->tree->source->text, with = damage->text;
	struct span span = node->span;
	struct buf out = { .arena = arena };
	bool keyed = node->parent && node_is_map(node->parent);

	if ((damage->way == WAY_ENTRY || damage->way == WAY_TWICE) && !keyed)
		return (str){ 0 };
	if (damage->way == WAY_ENTRY)
		span.begin = node->key_span.begin;
	if (damage->way == WAY_TWICE) {
		with = entry_before(arena, text, node, with);
		span.begin = span.end = node->key_span.begin;
	}
	if (damage->way == WAY_LONG)
		with = trial->long_text;
	splice(&out, text, span, with);
	if (damage->way != WAY_ROOT_ALIAS)
		return buf_str(&out);
	struct buf anchored = { .arena = arena };
	splice(&anchored, buf_str(&out),
	       (struct span){ .begin = trial->tree->document->begin,
	                      .end = trial->tree->document->begin },
	       STR(" &root\n"));
	return buf_str(&anchored);
}

/* ---- judging ------------------------------------------------------------------------- */

static bool is_place(const struct source_set *sources, struct span span)
{
	const struct source *source = source_of(sources, span.file);

	return source && span.begin <= span.end && span.end <= source->text.n;
}

static void check_finding(struct trial *trial, struct arena *arena,
                          const struct source_set *sources, const struct finding *finding)
{
	if (!is_place(sources, finding->span))
		complain(trial, arena, str_format(arena, "%s without a place", finding->rule->code));
	if (!finding->message.n)
		complain(trial, arena, str_format(arena, "%s says nothing", finding->rule->code));
	for (size_t i = 0; i < finding->related.n; i++)
		if (!is_place(sources, finding->related.v[i].span))
			complain(trial, arena, str_format(arena, "%s relates to no place: %.*s",
			                                  finding->rule->code,
			                                  STR_ARG(finding->related.v[i].message)));
}

static bool is_within(const struct node *node, const struct node *outer)
{
	while (node && node != outer)
		node = node->parent;
	return node != NULL;
}

static const struct node *root_of(const struct node *node)
{
	while (node->parent)
		node = node->parent;
	return node;
}

/* Does the damage lie within a group of its document that is another one than this? Only then
 * may both be told apart. */
static bool hits_another(const struct trial *trial, const struct group *group)
{
	const struct scopes *scopes = &trial->sound->scopes;

	for (size_t i = 0; i < scopes->n; i++)
		for (size_t k = 0; k < scopes->v[i]->pools.groups.n; k++) {
			const struct node *other = scopes->v[i]->pools.groups.v[k]->node;
			if (other && other->parent && other != group->node &&
			    trial->node != other && is_within(trial->node, other))
				return !is_within(trial->node, group->node);
		}
	return false;
}

/* Has the damage nothing to do with the group? A text that is not readable any more takes its
 * whole document with it. */
static bool is_unrelated(const struct trial *trial, const struct group *group, bool readable)
{
	if (!group->node || group->known_by_name_only)
		return false;
	if (root_of(group->node) != trial->tree->root)
		return true;
	return readable && hits_another(trial, group);
}

static bool has_group(const struct pipeline *pipeline, str name)
{
	for (size_t i = 0; i < pipeline->scopes.n; i++) {
		const struct groups *groups = &pipeline->scopes.v[i]->pools.groups;
		for (size_t k = 0; k < groups->n; k++)
			if (str_eq(groups->v[k]->name, name))
				return true;
	}
	return false;
}

static bool is_readable(const struct trial *trial, const struct pipeline *pipeline)
{
	for (size_t i = 0; i < pipeline->trees.n; i++) {
		const struct tree *tree = pipeline->trees.v[i];
		if (str_eq(tree->source->path, trial->tree->source->path) &&
		    tree->document->index == trial->tree->document->index)
			return tree->root != NULL;
	}
	return false;
}

static void check_groups(struct trial *trial, const struct pipeline *pipeline)
{
	const struct scopes *scopes = &trial->sound->scopes;
	bool readable = is_readable(trial, pipeline);

	for (size_t i = 0; i < scopes->n; i++)
		for (size_t k = 0; k < scopes->v[i]->pools.groups.n; k++) {
			const struct group *group = scopes->v[i]->pools.groups.v[k];
			if (is_unrelated(trial, group, readable) && !has_group(pipeline, group->name))
				complain(trial, pipeline->arena,
				         str_format(pipeline->arena, "node group %.*s is lost",
				                    STR_ARG(group->name)));
		}
}

/* Each run writes one format: over many runs all are written often. */
static void write_report(struct trial *trial, const struct pipeline *pipeline)
{
	size_t count = 0;
	const struct report_format *formats = report_formats(&count);
	struct buf out = { .arena = pipeline->arena };
	struct report report;

	pipeline_report(pipeline, &report);
	formats[trial->runs % count].write(&report, &out);
	if (!out.n)
		complain(trial, pipeline->arena, STR("an empty report"));
}

/* ---- running ------------------------------------------------------------------------- */

/* The files of the case, with text in the place of the one that is damaged. */
static const struct source_set *sources_with(const struct trial *trial, struct arena *arena,
                                             str text)
{
	const struct sources *sources = &trial->sources->sources;
	struct source_set *set = NULL;

	for (size_t i = 0; i < sources->n; i++) {
		const struct source *source = sources->v[i];
		bool damaged = trial->tree && source == trial->tree->source;
		str own = damaged ? text : source->text;
		if (set)
			source_add_text(set, source->path, own);
		else
			set = source_from_text(arena, source->path, own);
	}
	return set;
}

static void run_damage(struct trial *trial)
{
	struct arena *arena = arena_new();
	str text = damaged_text(trial, arena);

	if (text.p) {
		const struct source_set *sources = sources_with(trial, arena, text);
		const struct pipeline *pipeline = pipeline_run(arena, trial->options, sources);
		for (size_t i = 0; i < pipeline->sink->findings.n; i++)
			check_finding(trial, arena, sources, pipeline->sink->findings.v[i]);
		check_groups(trial, pipeline);
		write_report(trial, pipeline);
		trial->runs++;
	}
	arena_free(arena);
}

/* Copies of an anchor lie where the anchor is: that place is damaged once. */
static void damage_below(struct trial *trial, const struct node *node)
{
	if (node->aliased || node->merged)
		return;
	trial->node = node;
	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		trial->damage = &damages[i];
		if (trial->number++ % trial->every == 0)
			run_damage(trial);
	}
	for (uint32_t i = 0; i < node->child_count; i++)
		damage_below(trial, &node->children[i]);
}

static void try_case(struct trial *trial, const char *folder)
{
	struct arena *arena = arena_new();
	struct strs paths = { 0 };
	struct options options;
	str error;

	*VEC_PUSH(arena, &paths) = str_of(folder);
	if (!options_parse_text(arena, STR("--exclude fixed/ --exclude expect.yaml -j 1"),
	                        &options, &error))
		abort();
	options.source.root = folder;
	trial->sources = source_read(arena, &options.source, &paths);
	trial->options = &options;
	trial->tree = NULL;
	trial->sound = pipeline_run(arena, &options, trial->sources);
	for (size_t i = 0; i < trial->sound->trees.n; i++) {
		trial->tree = trial->sound->trees.v[i];
		if (trial->tree->root)
			damage_below(trial, trial->tree->root);
	}
	arena_free(arena);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_wanted(const char *name, int count, char **names)
{
	bool wanted = count == 0 && name[0] != '.' && !strchr(name, '.');

	for (int i = 0; i < count; i++)
		wanted = wanted || strcmp(names[i], name) == 0;
	return wanted;
}

int main(int argc, char **argv)
{
	struct arena *arena = arena_new();
	struct buf text = { .arena = arena };
	struct trial trial = { .every = argc > 2 ? strtoul(argv[1], NULL, 10) : 0 };
	struct dirent **entries = NULL;

	if (trial.every == 0) {
		fprintf(stderr, "usage: mutate EVERY FOLDER [CASE...]\n");
		return 2;
	}
	for (size_t i = 0; i < LONG_TEXT; i++)
		buf_char(&text, "abcdefgh-."[i % 10]);
	trial.long_text = buf_str(&text);
	int count = scandir(argv[2], &entries, NULL, by_name);
	for (int i = 0; i < count; i++) {
		if (is_wanted(entries[i]->d_name, argc - 3, argv + 3)) {
			trial.name = str_of(entries[i]->d_name);
			try_case(&trial, str_c(arena, str_format(arena, "%s/%s", argv[2],
			                                         entries[i]->d_name)));
		}
		free(entries[i]);
	}
	free(entries);
	printf("%zu of %zu damages done, %zu complaints\n", trial.runs, trial.number, trial.wrong);
	arena_free(arena);
	return trial.wrong || !trial.runs;
}

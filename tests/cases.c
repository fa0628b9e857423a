/* Runs each case of testdata/cases through the pipeline and holds what is said against its
 * expect.yaml (testdata/cases/README.md, "Matching"). Cases that are named in required.txt must
 * pass; of the others the runner only tells how many do, so that a new rule shows.
 *
 * usage: cases FOLDER [CASE...]    (named cases must pass) */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* A line of topics.tsv: a topic and the codes that satisfy it. */
struct topic {
	str name;
	struct strs codes;
};
struct topics VEC(struct topic);

/* One entry of mayAlso: up to that level, of that rule, on that object (empty: any). */
struct allowance {
	enum level level;
	str code, object;
	bool fixed_too;
};
struct allowances VEC(struct allowance);

/* A case and what is wrong with it. */
struct trial {
	struct arena *arena;
	const struct topics *topics;
	const struct node *want;     /* expect.yaml */
	struct allowances allowed;
	struct strs wrong;
	struct pipeline *pipeline;   /* of the folder that is looked at */
	bool *used;                  /* by finding: someone asked for it */
};

static void complain(struct trial *trial, const char *format, ...) BASE_PRINTF(2, 3);

static void complain(struct trial *trial, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*VEC_PUSH(trial->arena, &trial->wrong) = str_vformat(trial->arena, format, args);
	va_end(args);
}

/* ---- reading ------------------------------------------------------------------------- */

static str file_text(struct arena *arena, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct buf text = { .arena = arena };
	char bytes[4096];
	size_t n;

	if (!file)
		return STR("");
	while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
		buf_add(&text, (str){ bytes, n });
	fclose(file);
	return buf_str(&text);
}

/* Root of a YAML file of ours; NULL when there is none. */
static const struct node *yaml_root(struct arena *arena, const char *path)
{
	str text = file_text(arena, path);
	const struct source_set *set = source_from_text(arena, str_of(path), text);

	if (text.n == 0 || set->sources.v[0]->document_count == 0)
		return NULL;
	return tree_parse(arena, &set->sources.v[0]->documents[0])->root;
}

static void read_topics(struct arena *arena, const char *path, struct topics *ret_topics)
{
	str rest = file_text(arena, path), line, name, codes, code;

	while (str_next(&rest, '\n', &line)) {
		if (line.n == 0 || line.p[0] == '#')
			continue;
		struct topic *topic = VEC_PUSH(arena, ret_topics);
		str_cut(line, '\t', &name, &codes);
		topic->name = name;
		while (str_next(&codes, ' ', &code))
			*VEC_PUSH(arena, &topic->codes) = code;
	}
}

/* A scalar as a list of one, a list as it is. */
static void texts_of(struct arena *arena, const struct node *node, struct strs *ret_texts)
{
	if (node_is_scalar(node))
		*VEC_PUSH(arena, ret_texts) = node_text(node);
	for (uint32_t i = 0; node_is_list(node) && i < node->child_count; i++)
		*VEC_PUSH(arena, ret_texts) = node_text(&node->children[i]);
}

/* "LEVEL CODE [on OBJECT] [(also on fixed/)][: why]"; entries of level info need no permission. */
static void read_allowances(struct trial *trial)
{
	struct strs texts = { 0 };

	texts_of(trial->arena, node_get(trial->want, "mayAlso"), &texts);
	for (size_t i = 0; i < texts.n; i++) {
		struct allowance allowance = { 0 };
		str word, rest = texts.v[i];
		str_cut(rest, ' ', &word, &rest);
		if (!level_parse(word, &allowance.level))
			continue;
		allowance.code = str_slice(rest, 0, 5);
		allowance.fixed_too = str_contains(rest, STR("(also on fixed/)"));
		if (str_starts(str_slice(rest, 5, rest.n), STR(" on "))) {
			str object = str_slice(rest, 9, rest.n);
			size_t end = 0;
			while (end < object.n && object.p[end] != ' ' && object.p[end] != ':')
				end++;
			allowance.object = str_slice(object, 0, end);
		}
		*VEC_PUSH(trial->arena, &trial->allowed) = allowance;
	}
}

/* ---- matching ------------------------------------------------------------------------ */

/* nodeSelector["a/b"] and nodeSelector['a/b'] as nodeSelector.a/b, [1] as .1. */
static str tidy(struct arena *arena, str path)
{
	struct buf out = { .arena = arena };

	for (size_t i = 0; i < path.n; i++) {
		char c = path.p[i];
		if (c == '[' && out.n > 0)
			buf_char(&out, '.');
		else if (c != '[' && c != ']' && c != '"' && c != '\'')
			buf_char(&out, c);
	}
	return buf_str(&out);
}

/* `nodeGroups.1` of a path into an inventory; empty for any other. */
static str group_of(struct arena *arena, str path)
{
	str text = tidy(arena, path);
	size_t dot = str_find(text, '.');
	size_t end = dot + 1;

	while (end < text.n && text.p[end] >= '0' && text.p[end] <= '9')
		end++;
	return dot < text.n && end > dot + 1 ? str_slice(text, 0, end) : STR("");
}

/* Equal, or one is a parent of the other. */
static bool same_path(struct arena *arena, str wanted, str got)
{
	str a = tidy(arena, wanted), b = tidy(arena, got);

	if (a.n == 0)
		return true;
	if (b.n == 0)
		return false;
	str whole = a.n > b.n ? a : b, part = a.n > b.n ? b : a;
	return str_starts(whole, part) && (whole.n == part.n || whole.p[part.n] == '.');
}

/* Kind/namespace/name, without the parts that are not there. */
static str name_of(struct arena *arena, const struct object_ref *object)
{
	const str parts[] = { object->kind, object->namespace, object->name };
	struct buf out = { .arena = arena };

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (parts[i].n == 0)
			continue;
		if (out.n > 0)
			buf_char(&out, '/');
		buf_add(&out, parts[i]);
	}
	return buf_str(&out);
}

static bool same_object(struct arena *arena, str wanted, str path, const struct finding *finding)
{
	str got = name_of(arena, &finding->object);
	str kind, name, ns;

	if (wanted.n == 0 || str_eq(wanted, got))
		return true;
	str_cut(wanted, '/', &kind, &name);
	if (str_is(kind, "NodeGroup")) {
		str group = group_of(arena, path);
		return str_eq(name, finding->object.name) ||
		       (group.n > 0 && str_eq(group, group_of(arena, finding->path)));
	}
	return str_cut(name, '/', &ns, &name) && str_is(ns, "default") &&
	       str_eq(got, str_format(arena, "%.*s/%.*s", STR_ARG(kind), STR_ARG(name)));
}

static bool is_level(const struct strs *severities, enum level level)
{
	const char *name = level == LEVEL_NOTE ? "info" : level_name(level);

	for (size_t i = 0; i < severities->n; i++)
		if (str_is(severities->v[i], name))
			return true;
	return false;
}

/* One entry of report[]. */
struct wish {
	str topic, path, file;
	struct strs severities, objects;
	const struct topic *codes;
};

static const struct topic *find_topic(const struct topics *topics, str name)
{
	for (size_t i = 0; i < topics->n; i++)
		if (str_eq(topics->v[i].name, name))
			return &topics->v[i];
	return NULL;
}

static void read_wish(struct trial *trial, const struct node *entry, struct wish *ret_wish)
{
	*ret_wish = (struct wish){
		.topic = node_text(node_get(entry, "topic")),
		.path = node_text(node_get(entry, "path")),
		.file = node_text(node_get(entry, "file")),
	};
	texts_of(trial->arena, node_get(entry, "severity"), &ret_wish->severities);
	texts_of(trial->arena, node_get(entry, "object"), &ret_wish->objects);
	if (ret_wish->objects.n == 0)
		*VEC_PUSH(trial->arena, &ret_wish->objects) = STR("");
	ret_wish->codes = find_topic(trial->topics, ret_wish->topic);
}

static bool has_code(const struct topic *topic, const struct finding *finding)
{
	for (size_t i = 0; topic && i < topic->codes.n; i++)
		if (str_is(topic->codes.v[i], finding->rule->code))
			return true;
	return false;
}

static bool is_hit(struct trial *trial, const struct wish *wish, const struct finding *finding)
{
	if (!has_code(wish->codes, finding))
		return false;
	for (size_t i = 0; i < wish->objects.n; i++)
		if (same_object(trial->arena, wish->objects.v[i], wish->path, finding))
			return true;
	return false;
}

/* Level, and for the first named object also path and file. */
static bool is_exact(struct trial *trial, const struct wish *wish, const struct finding *finding)
{
	struct arena *arena = trial->arena;
	str first = wish->objects.v[0];
	const struct source *source = source_of(trial->pipeline->sources, finding->span.file);
	bool at = same_path(arena, wish->path, finding->path) ||
	          (str_starts(first, STR("NodeGroup/")) &&
	           str_eq(group_of(arena, wish->path), group_of(arena, finding->path)));

	if (!is_level(&wish->severities, finding->level))
		return false;
	if (same_object(arena, first, wish->path, finding) && at && source &&
	    str_ends(source->path, wish->file))
		return true;
	for (size_t i = 1; i < wish->objects.n; i++)
		if (same_object(arena, wish->objects.v[i], STR(""), finding))
			return true;
	return false;
}

static str show(struct trial *trial, const struct finding *finding)
{
	return str_format(trial->arena, "%s %s %.*s %.*s: %.*s", finding->rule->code,
	                  level_name(finding->level),
	                  STR_ARG(name_of(trial->arena, &finding->object)),
	                  STR_ARG(finding->path), STR_ARG(finding->message));
}

static bool is_notified(const struct trial *trial, str text)
{
	const struct notifications *notifications = &trial->pipeline->sink->notifications;

	for (size_t i = 0; text.n > 0 && i < notifications->n; i++)
		if (str_contains(notifications->v[i].message, text))
			return true;
	return false;
}

static void check_wish(struct trial *trial, const struct node *entry)
{
	const struct findings *findings = &trial->pipeline->sink->findings;
	const struct finding *near = NULL;
	struct wish wish;
	bool exact = false;

	read_wish(trial, entry, &wish);
	for (size_t i = 0; i < findings->n; i++) {
		if (!is_hit(trial, &wish, findings->v[i]))
			continue;
		near = near ? near : findings->v[i];
		trial->used[i] = true;
		exact = exact || is_exact(trial, &wish, findings->v[i]);
	}
	if (near && !exact)
		complain(trial, "wanted %.*s at %.*s in %.*s, got %.*s", STR_ARG(wish.topic),
		         STR_ARG(wish.path), STR_ARG(wish.file), STR_ARG(show(trial, near)));
	else if (!near && !is_notified(trial, node_text(node_get(entry, "notification"))))
		complain(trial, "missing %.*s on %.*s", STR_ARG(wish.topic),
		         STR_ARG(wish.objects.v[0]));
}

static bool is_allowed(struct trial *trial, const struct finding *finding, bool fixed)
{
	for (size_t i = 0; i < trial->allowed.n; i++) {
		const struct allowance *allowance = &trial->allowed.v[i];
		if (str_is(allowance->code, finding->rule->code) &&
		    finding->level <= allowance->level && (!fixed || allowance->fixed_too) &&
		    same_object(trial->arena, allowance->object, STR(""), finding))
			return true;
	}
	return false;
}

/* Errors and warnings that nobody asked for; the exit status; that something was read. */
static void check_rest(struct trial *trial, bool fixed)
{
	const struct findings *findings = &trial->pipeline->sink->findings;
	const char *where = fixed ? "fixed/: " : "";
	int wanted = 0;

	for (size_t i = 0; i < findings->n; i++) {
		if (findings->v[i]->level == LEVEL_NOTE)
			continue;
		wanted = 1;
		if (!trial->used[i] && !is_allowed(trial, findings->v[i], fixed))
			complain(trial, "%sfalse alarm %.*s", where,
			         STR_ARG(show(trial, findings->v[i])));
	}
	if (trial->pipeline->summary.exit_code != wanted)
		complain(trial, "%sexit %d, the report asks for %d", where,
		         trial->pipeline->summary.exit_code, wanted);
	if (trial->pipeline->summary.objects == 0)
		complain(trial, "%snothing was read", where);
}

/* The topics behind "no TOPIC" of silent[] must not be said even as notes. */
static void check_silent(struct trial *trial)
{
	const struct findings *findings = &trial->pipeline->sink->findings;
	struct strs texts = { 0 };

	texts_of(trial->arena, node_get(trial->want, "silent"), &texts);
	for (size_t i = 0; i < texts.n; i++)
		for (size_t k = 0; k < trial->topics->n; k++) {
			const struct topic *topic = &trial->topics->v[k];
			str phrase = str_format(trial->arena, "no %.*s", STR_ARG(topic->name));
			if (!str_contains(texts.v[i], phrase) ||
			    str_contains(texts.v[i], STR(" on ")))
				continue;
			for (size_t f = 0; f < findings->n; f++)
				if (findings->v[f]->level == LEVEL_NOTE && !trial->used[f] &&
				    has_code(topic, findings->v[f]))
					complain(trial, "not silent: %.*s",
					         STR_ARG(show(trial, findings->v[f])));
		}
}

static const struct capacity *capacity_of(const struct pipeline *pipeline, str workload)
{
	for (size_t i = 0; i < pipeline->scopes.n; i++)
		for (size_t k = 0; k < pipeline->judgements[i]->count; k++) {
			const struct capacity *capacity = &pipeline->judgements[i]->capacities[k];
			if (capacity->workload && str_eq(capacity->workload->text, workload))
				return capacity;
		}
	return NULL;
}

static void check_placement(struct trial *trial)
{
	const struct node *list = node_get(trial->want, "placement");

	for (uint32_t i = 0; list && i < list->child_count; i++) {
		str workload = node_text(node_get(&list->children[i], "workload"));
		int64_t wanted = 0, placeable = 0;
		node_int(node_get(&list->children[i], "wanted"), &wanted);
		node_int(node_get(&list->children[i], "placeable"), &placeable);
		const struct capacity *got = capacity_of(trial->pipeline, workload);
		if (!got || !got->known || got->placeable != placeable ||
		    got->workload->peak.value != wanted)
			complain(trial, "placement of %.*s: wanted %lld of %lld, got %lld of %lld",
			         STR_ARG(workload), (long long)placeable, (long long)wanted,
			         got && got->known ? (long long)got->placeable : -1LL,
			         got ? (long long)got->workload->peak.value : -1LL);
	}
}

/* ---- running ------------------------------------------------------------------------- */

/* Options of the case: its kubeVersion and args. */
static bool read_options(struct trial *trial, struct options *options)
{
	struct buf text = { .arena = trial->arena };
	struct strs args = { 0 };
	str version = node_text(node_get(trial->want, "kubeVersion")), error;

	texts_of(trial->arena, node_get(trial->want, "args"), &args);
	for (size_t i = 0; i < args.n; i++)
		buf_printf(&text, "%.*s ", STR_ARG(args.v[i]));
	if (version.n > 0)
		buf_printf(&text, "--kubernetes %.*s", STR_ARG(version));
	if (options_parse_text(trial->arena, buf_str(&text), options, &error))
		return true;
	complain(trial, "args: %.*s", STR_ARG(error));
	return false;
}

/* Runs the inputs that exist in the working folder. */
static bool run_here(struct trial *trial)
{
	struct options *options = ARENA_NEW(trial->arena, struct options);
	struct strs inputs = { 0 };

	if (!read_options(trial, options))
		return false;
	options->source.root = ".";
	texts_of(trial->arena, node_get(trial->want, "inputs"), &inputs);
	for (size_t i = 0; i < inputs.n; i++)
		if (access(str_c(trial->arena, inputs.v[i]), F_OK) == 0)
			*VEC_PUSH(trial->arena, &options->paths) = inputs.v[i];
	const struct source_set *set =
		source_read(trial->arena, &options->source, &options->paths);
	trial->pipeline = pipeline_run(trial->arena, options, set);
	trial->used = arena_calloc(trial->arena, trial->pipeline->sink->findings.n + 1,
	                           sizeof *trial->used);
	return true;
}

static void check_case(struct trial *trial)
{
	const struct node *list = node_get(trial->want, "report");

	if (!run_here(trial))
		return;
	for (uint32_t i = 0; list && i < list->child_count; i++)
		check_wish(trial, &list->children[i]);
	check_rest(trial, false);
	check_silent(trial);
	check_placement(trial);
	if (chdir("fixed") != 0)
		return;
	if (run_here(trial))
		check_rest(trial, true);
}

/* Runs one case; true when nothing is wrong. loud: says what is. */
static bool run_case(const char *folder, const struct topics *topics, const char *name, bool loud)
{
	struct arena *arena = arena_new();
	struct trial trial = { .arena = arena, .topics = topics };
	const char *path = str_c(arena, str_format(arena, "%s/%s", folder, name));

	if (chdir(path) != 0 || !(trial.want = yaml_root(arena, "expect.yaml"))) {
		complain(&trial, "no expect.yaml");
	} else {
		read_allowances(&trial);
		check_case(&trial);
	}
	bool fine = trial.wrong.n == 0;
	for (size_t i = 0; loud && i < trial.wrong.n; i++)
		printf("%s: %.*s\n", name, STR_ARG(trial.wrong.v[i]));
	arena_free(arena);
	return fine;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_case(const struct dirent *entry)
{
	return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

static bool is_required(str required, const char *name)
{
	str rest = required, line;

	while (str_next(&rest, '\n', &line))
		if (str_is(line, name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct arena *arena = arena_new();
	struct topics topics = { 0 };
	struct dirent **entries = NULL;
	size_t passed = 0, failed = 0, other_passed = 0, other = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: cases FOLDER [CASE...]\n");
		return 2;
	}
	/* Each case is run in its own folder. */
	const char *folder = str_c(arena, source_real_path(arena, str_of(argv[1])));
	if (chdir(folder) != 0) {
		perror(folder);
		return 2;
	}
	read_topics(arena, "topics.tsv", &topics);
	str required = file_text(arena, "required.txt");
	int count = scandir(folder, &entries, is_case, by_name);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		bool named = argc == 2 ? is_required(required, name) : false;
		for (int k = 2; k < argc; k++)
			named = named || strcmp(argv[k], name) == 0;
		if (named || argc == 2) {
			bool fine = run_case(folder, &topics, name, named);
			passed += named && fine;
			failed += named && !fine;
			other += !named;
			other_passed += !named && fine;
			if (!named && fine)
				printf("%s passes and could be named in required.txt\n", name);
		}
		free(entries[i]);
	}
	free(entries);
	if (argc == 2)
		printf("not required yet: %zu cases, of which %zu pass\n", other, other_passed);
	printf("%zu passed, %zu failed\n", passed, failed);
	arena_free(arena);
	return failed > 0 || passed == 0;
}

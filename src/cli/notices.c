/* Notifications about the run: what was passed over, what cannot be decided, and why. */
#include <unistd.h>

#include "cli-internal.h"
#include "rules.h"

/* What a skipped path means for the run. */
struct skip_row {
	const char *id;
	enum level level;
	bool fails;            /* the run cannot be trusted: exit 2 */
	const char *text;
};
static const struct skip_row skip_rows[] = {
	[SKIP_UNREADABLE] = { "unreadable-file", LEVEL_ERROR, true, "cannot be read" },
	[SKIP_TOO_LARGE] = { "file-too-large", LEVEL_ERROR, true,
	                     "is larger than --max-file-size and was not read" },
	[SKIP_MISSING] = { "missing-path", LEVEL_ERROR, true, "no such file or folder" },
	[SKIP_LINK_LOOP] = { "link-loop", LEVEL_WARNING, false,
	                     "is a link to a folder above it and was not followed" },
	[SKIP_BINARY] = { "binary-file", LEVEL_NOTE, false, "is no text and was not read" },
	[SKIP_SPECIAL] = { "special-file", LEVEL_NOTE, false,
	                   "is no regular file and was not read" },
	[SKIP_IGNORED] = { NULL, LEVEL_NOTE, false, "" },
};

static const struct span nowhere = { 0 };

/* As sink_notify(), for what is set up wrongly rather than executed wrongly. */
static void notify_setup(struct sink *sink, const char *id, enum level level, str message)
{
	size_t before = sink->notifications.n;

	sink_notify(sink, id, level, nowhere, "%.*s", STR_ARG(message));
	if (sink->notifications.n > before)
		sink->notifications.v[before].configuration = true;
}

/* What was left out on purpose is counted by the caller and not told. */
static void notify_skip(struct pipeline *pipeline, const struct skip *skip)
{
	const struct skip_row *row = &skip_rows[skip->kind];

	if (!row->id)
		return;
	if (skip->reason.n > 0)
		sink_notify(pipeline->sink, row->id, row->level, nowhere, "%.*s: %s: %.*s",
		            STR_ARG(skip->path), row->text, STR_ARG(skip->reason));
	else
		sink_notify(pipeline->sink, row->id, row->level, nowhere, "%.*s: %s",
		            STR_ARG(skip->path), row->text);
	pipeline->sink->failed = pipeline->sink->failed || row->fails;
}

/* A file outside the root cannot be named in SARIF, whose paths are relative: that is said once. */
void notices_of_sources(struct pipeline *pipeline)
{
	const struct source_set *set = pipeline->sources;
	str outside = { 0 };
	size_t outside_count = 0;

	for (size_t i = 0; i < set->skips.n; i++)
		notify_skip(pipeline, &set->skips.v[i]);
	for (size_t i = 0; i < set->sources.n; i++) {
		if (!set->sources.v[i]->outside_root)
			continue;
		outside = outside_count++ == 0 ? set->sources.v[i]->path : outside;
	}
	if (outside_count > 0)
		notify_setup(pipeline->sink, "outside-root", LEVEL_WARNING,
		             str_format(pipeline->arena,
		                        "files outside the root (%zu, the first is %.*s) are left "
		                        "out of SARIF; --root sets the root",
		                        outside_count, STR_ARG(outside)));
}

/* ---- named paths --------------------------------------------------------------------- */

/* Marks a path and all folders above it, up to one that is marked already. */
static void mark_upward(struct map *marks, str path)
{
	while (path.n > 0 && !map_put(marks, path, marks)) {
		size_t slash = str_find_last(path, '/');
		path = str_slice(path, 0, slash < path.n ? slash : 0);
	}
}

static str without_end_slash(str path)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return path;
}

/* Is path the folder itself or below it? By whole parts: /ab is not in /a. */
static bool is_in(str folder, str path)
{
	return str_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/');
}

/* Has a skipped file told already why nothing came of this path? */
static bool is_told(const struct pipeline *pipeline, str path)
{
	const struct source_set *set = pipeline->sources;
	str real = source_real_path(pipeline->arena, path);

	if (access(str_c(pipeline->arena, path), F_OK) != 0)
		return true;
	for (size_t i = 0; i < set->skips.n; i++) {
		str skipped = set->skips.v[i].path;
		if (!skip_rows[set->skips.v[i].kind].fails)
			continue;
		if (!str_starts(skipped, STR("/")))
			skipped = str_format(pipeline->arena, "%.*s/%.*s", STR_ARG(set->root),
			                     STR_ARG(skipped));
		if (is_in(real, skipped))
			return true;
	}
	return false;
}

/* A path that holds nothing is most often a typo or an unrendered chart, and a green check of
 * nothing is worse than a red one. */
void notices_of_paths(struct pipeline *pipeline)
{
	const struct strs *paths = &pipeline->options->paths;
	struct map *marks = map_new(pipeline->arena);

	if (pipeline->options->allow_empty)
		return;
	for (size_t i = 0; i < pipeline->trees.n; i++) {
		str path = pipeline->trees.v[i]->source->open_path;
		mark_upward(marks, path);
		if (paths->n > 1) /* one path spelled twice is read under one spelling */
			mark_upward(marks, source_real_path(pipeline->arena, path));
	}
	for (size_t i = 0; i < pipeline->other_files.n; i++) {
		mark_upward(marks, pipeline->other_files.v[i]);
		if (paths->n > 1)
			mark_upward(marks, source_real_path(pipeline->arena,
			                                    pipeline->other_files.v[i]));
	}
	for (size_t i = 0; i < paths->n; i++) {
		str path = without_end_slash(paths->v[i]);
		if (paths->n == 1 ? pipeline->trees.n + pipeline->other_files.n > 0
		                  : map_get(marks, path) ||
		                    map_get(marks, source_real_path(pipeline->arena, path)))
			continue;
		if (!str_is(path, "-") && is_told(pipeline, path))
			continue;
		sink_notify(pipeline->sink, "nothing-to-check", LEVEL_ERROR, nowhere,
		            "%.*s: no Kubernetes object or node group in it (--allow-empty takes "
		            "that)",
		            STR_ARG(paths->v[i]));
		pipeline->sink->failed = true;
	}
}

/* ---- what scopes lack ---------------------------------------------------------------- */

static void notify_texts(struct pipeline *pipeline, const char *id, const struct strs *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		notify_setup(pipeline->sink, id, LEVEL_NOTE, texts->v[i]);
}

/* Names what nobody declares of a group, since all that hangs on it stays silent. */
static void notify_unknown_facts(struct pipeline *pipeline, const struct group *group)
{
	struct buf list = { .arena = pipeline->arena };
	const struct node *name = node_get(group->node, "name");
	struct span place = group->node ? node_place(name ? name : group->node) : nowhere;

	for (size_t i = 0; i < group->unknown.n; i++)
		buf_printf(&list, "%s%.*s", i == 0 ? "" : ", ", STR_ARG(group->unknown.v[i]));
	if (list.n > 0)
		sink_notify(pipeline->sink, "unknown-facts", LEVEL_NOTE, place,
		            "node group %.*s: %.*s not known, so what hangs on it is not decided; "
		            "declare it in a NodeGroupInventory of that name",
		            STR_ARG(group->name), STR_ARG(buf_str(&list)));
}

static void notices_of_scope(struct pipeline *pipeline, const struct scope *scope)
{
	notify_texts(pipeline, "node-group-reading", &scope->pools.notes);
	notify_texts(pipeline, "fargate", &scope->pools.fargate_notes);
	if (scope->pools.loose)
		notify_setup(pipeline->sink, "loose-inventory", LEVEL_NOTE,
		             STR("loose inventory: node groups were read from a form without "
		                 "apiVersion and kind; `kubelint inventory --format yaml` prints "
		                 "the strict one"));
	if (scope->terraform_unread)
		notify_setup(pipeline->sink, "terraform-unread", LEVEL_WARNING,
		             str_format(pipeline->arena,
		                        "%.*s declares node groups that are not read; give a plan "
		                        "or state as JSON",
		                        STR_ARG(scope->terraform_file)));
	for (size_t i = 0; i < scope->pools.groups.n; i++)
		notify_unknown_facts(pipeline, scope->pools.groups.v[i]);
}

/* Variants are told, so that nobody wonders why two folders do not see each other. */
static void notify_variants(struct pipeline *pipeline)
{
	struct buf list = { .arena = pipeline->arena };

	for (size_t i = 0; i < pipeline->scopes.n; i++)
		if (pipeline->scopes.v[i]->variant.n > 0)
			buf_printf(&list, "%s%.*s", list.n == 0 ? "" : "; ",
			           STR_ARG(pipeline->scopes.v[i]->variant));
	if (list.n > 0)
		notify_setup(pipeline->sink, "variants", LEVEL_NOTE,
		             str_format(pipeline->arena,
		                        "one cluster is described several times and each variant "
		                        "is judged apart: %.*s",
		                        STR_ARG(buf_str(&list))));
}

/* Without a node group a whole family of rules is undecided; that is said once, not per object. */
void notices_of_scopes(struct pipeline *pipeline)
{
	size_t groups = 0, workloads = 0;

	for (size_t i = 0; i < pipeline->scopes.n; i++) {
		notices_of_scope(pipeline, pipeline->scopes.v[i]);
		groups += pipeline->scopes.v[i]->pools.groups.n;
		workloads += pipeline->scopes.v[i]->workloads.n;
	}
	notify_variants(pipeline);
	if (groups == 0 && workloads > 0)
		notify_setup(pipeline->sink, "no-node-groups", LEVEL_NOTE,
		             STR("no node group is declared: placement and capacity are not judged "
		                 "(give an eksctl ClusterConfig, `kubectl get nodes -o yaml`, or a "
		                 "NodeGroupInventory)"));
}

/* ---- printing ------------------------------------------------------------------------ */

static void print_notification(const struct pipeline *pipeline,
                               const struct notification *notification, FILE *err)
{
	const struct source *source = source_of(pipeline->sources, notification->span.file);
	struct buf text = { .arena = pipeline->arena };

	buf_printf(&text, "kubelint: %s: ", level_name(notification->level));
	if (source) {
		struct position at = source_position(source, notification->span.begin);
		buf_add(&text, source->path);
		buf_printf(&text, ":%u:%u: ", at.line, at.column);
	}
	buf_add(&text, notification->message);
	str safe = report_terminal_text(pipeline->arena, buf_str(&text));
	fprintf(err, "%.*s\n", STR_ARG(safe));
}

/* JSON and SARIF carry notifications themselves, so that standard error then has only what makes
 * the run untrustworthy. File names come from strangers and are escaped. */
void notices_print(const struct pipeline *pipeline, bool all, FILE *err)
{
	const struct notifications *notifications = &pipeline->sink->notifications;

	for (size_t i = 0; i < notifications->n; i++)
		if (all || notifications->v[i].level == LEVEL_ERROR)
			print_notification(pipeline, &notifications->v[i], err);
	if (!all || !pipeline->options->verbose)
		return;
	fprintf(err, "kubelint: read %zu files, %zu documents, of which %zu are of no use here\n",
	        pipeline->sources->file_count, pipeline->documents, pipeline->passed_over);
	for (size_t i = 0; i < pipeline->sources->skips.n; i++)
		if (pipeline->sources->skips.v[i].kind == SKIP_IGNORED)
			fprintf(err, "kubelint: left out: %.*s\n",
			        STR_ARG(report_terminal_text(pipeline->arena,
			                                     pipeline->sources->skips.v[i].path)));
}

static bool is_option_variable(str name)
{
	size_t count = 0;
	const struct option_row *rows = option_rows(&count);

	for (size_t i = 0; i < count; i++)
		if (rows[i].environment && str_is(name, rows[i].environment))
			return true;
	return false;
}

/* A misspelt variable would be ignored in silence, and a gate with it. */
void notices_of_environment(const struct run *run)
{
	for (size_t i = 0; run->environment && run->environment[i]; i++) {
		str name, value;
		str_cut(str_of(run->environment[i]), '=', &name, &value);
		if (str_starts(name, STR("KUBELINT_")) && !is_option_variable(name))
			fprintf(run->err,
			        "kubelint: warning: the environment variable %.*s means nothing\n",
			        STR_ARG(report_terminal_text(run->arena, name)));
	}
}

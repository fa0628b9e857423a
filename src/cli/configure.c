/* The configuration file: found, loaded, and put where the command line said nothing. */
#include "cli-internal.h"
#include "config.h"

#define CONFIG_NAME ".kubelint.yaml"

/* ---- what is wrong ------------------------------------------------------------------- */

static void complain(const struct applier *applier, struct span span, str text)
{
	const struct source *source = source_of(applier->set, span.file ? span.file : 1);
	struct position at = source_position(source, span.begin);

	*VEC_PUSH(applier->arena, applier->errors) =
		str_format(applier->arena, "%.*s:%u:%u: %.*s", STR_ARG(source->path), at.line,
		           at.column, STR_ARG(text));
}

void applier_complain(const struct applier *applier, const struct node *node, str text)
{
	struct buf buf = { .arena = applier->arena };

	if (node)
		buf_printf(&buf, "%.*s: ", STR_ARG(node_path(applier->arena, NULL, node, NULL)));
	buf_add(&buf, text);
	complain(applier, node ? node_place(node) : (struct span){ 0 }, buf_str(&buf));
}

/* ---- paths --------------------------------------------------------------------------- */

static str without_dot(str path)
{
	while (str_starts(path, STR("./")))
		path = str_slice(path, 2, path.n);
	return str_is(path, ".") ? STR("") : path;
}

static str in_folder(const struct applier *applier, const char *path)
{
	str name = without_dot(str_of(path)), folder = applier->config->folder;

	if (str_starts(name, STR("/")) || !folder.n)
		return name;
	return name.n ? str_format(applier->arena, "%.*s/%.*s", STR_ARG(folder), STR_ARG(name))
	              : folder;
}

str applier_rooted(const struct applier *applier, const char *path)
{
	return source_printed_path(applier->root, in_folder(applier, path));
}

/* As open(2) takes it: short where the file lies in the working folder. */
str applier_open(const struct applier *applier, const char *path)
{
	str here = source_real_path(applier->arena, STR("."));
	str full = in_folder(applier, path);
	str name = source_printed_path(here, full);

	return name.n ? name : STR(".");
}

/* ---- options ------------------------------------------------------------------------- */

static void open_all(const struct applier *applier, const struct config_texts *paths,
                     struct strs *ret_paths)
{
	for (unsigned i = 0; i < paths->n; i++)
		*VEC_PUSH(applier->arena, ret_paths) = applier_open(applier, paths->v[i]);
}

static void apply_paths(const struct applier *applier)
{
	const struct config *config = applier->config;
	struct options *options = applier->options;
	struct strs *excludes = ARENA_NEW(applier->arena, struct strs);

	if (options->paths.n == 0)
		open_all(applier, &config->paths, &options->paths);
	if (options->inventory.n == 0)
		open_all(applier, &config->nodes, &options->inventory);
	for (unsigned i = 0; i < config->exclude.n; i++)
		*VEC_PUSH(applier->arena, excludes) = str_of(config->exclude.v[i]);
	options->source.config_excludes = excludes;
	options->source.config_folder = config->folder;
}

/* The setters of the command line know what a value may be; their words go to the place in the
 * file. */
static void apply_option(const struct applier *applier, const struct node *node, const char *value,
                         bool (*set)(struct option_target *target, str value))
{
	struct option_target target = { .arena = applier->arena, .options = applier->options };

	if (value && *value && !set(&target, str_of(value)))
		applier_complain(applier, node, target.error);
}

/* 0 is no limit, which is the default. */
static void apply_limits(const struct applier *applier)
{
	const struct config_limits *limits = &applier->config->limits;
	const struct node *node = node_at(applier->config->tree->root, "limits");

	if (applier->options->source.max_file_size == 0)
		apply_option(applier, node_get(node, "fileSize"), limits->file_size,
		             set_max_file_size);
	if (applier->options->max_findings == 0 && limits->findings &&
	    !str_is(str_of(limits->findings), "0"))
		apply_option(applier, node_get(node, "findings"), limits->findings,
		             set_max_findings);
}

static bool format_is_known(str format)
{
	const struct command *check = command_find(STR("check"));
	str rest = str_of(check->formats), word;

	while (str_next(&rest, ',', &word))
		if (str_eq(word, format))
			return true;
	return false;
}

/* Formats are those of `check`: the other commands have their own. */
static void apply_outputs(const struct applier *applier)
{
	struct options *options = applier->options;
	const struct config *config = applier->config;
	const struct node *root = config->tree->root;
	const struct node *outputs = node_get(root, "outputs");
	str format = str_of(config->format);

	if (format.n && !format_is_known(format))
		applier_complain(applier, node_get(root, "format"),
		                 str_format(applier->arena, "%.*s is none of: %s", STR_ARG(format),
		                            command_find(STR("check"))->formats));
	if (!options->command || options->command->bit != COMMAND_CHECK)
		return;
	if (options->format.n == 0)
		options->format = format;
	if (options->outputs.n > 0)
		return;
	for (unsigned i = 0; i < config->outputs.n; i++)
		apply_option(applier, &outputs->children[i], config->outputs.v[i], set_output);
}

static void apply(const struct applier *applier)
{
	struct settings *settings = ARENA_NEW(applier->arena, struct settings);

	settings_default(settings);
	if (applier->config->tree && applier->config->tree->root) {
		apply_paths(applier);
		apply_limits(applier);
		apply_outputs(applier);
		applier_settings(applier, settings);
		applier_triage(applier);
	}
	applier->options->config = applier->config;
	applier->options->settings = settings;
}

/* ---- finding and loading -------------------------------------------------------------- */

/* set: its first source is the file; root: where printed paths begin. */
static bool load(struct arena *arena, struct options *options, const struct source_set *set,
                 const struct source *source, str folder, struct strs *ret_errors)
{
	struct config_problems problems = { 0 };
	struct applier applier = {
		.arena = arena, .options = options, .set = set, .root = set->root,
		.errors = ret_errors,
	};

	applier.config = config_load(arena, source, folder, &problems);
	for (size_t i = 0; i < problems.n; i++)
		complain(&applier, problems.v[i].span, problems.v[i].text);
	if (applier.config)
		apply(&applier);
	return ret_errors->n == 0;
}

bool configure_from_set(struct arena *arena, struct options *options,
                        const struct source_set *set, struct strs *ret_errors)
{
	for (size_t i = 0; i < set->sources.n; i++)
		if (str_is(set->sources.v[i]->path, CONFIG_NAME))
			return load(arena, options, set, set->sources.v[i], set->root, ret_errors);
	return true;
}

/* The file that counts; empty: none. */
static str find_file(const struct run *run, const struct options *options)
{
	str first = options->paths.n ? options->paths.v[0] : STR(".");
	str file;

	if (options->config_file.n || options->no_config)
		return options->no_config ? STR("") : options->config_file;
	if (str_is(first, "-") && options->source.stdin_name)
		first = str_of(options->source.stdin_name);
	file = source_find_upward(run->arena, first, CONFIG_NAME);
	if (!file.n)
		return file;
	return source_printed_path(source_real_path(run->arena, STR(".")), file);
}

bool configure(const struct run *run, struct options *options)
{
	const struct source_options reading = { .root = options->source.root, .no_gitignore = true };
	struct strs paths = { 0 }, errors = { 0 };
	const struct source_set *set;

	options->config_file = find_file(run, options);
	if (!options->config_file.n && options->cluster.n)
		fprintf(run->err, "kubelint: error: --cluster needs a configuration that lists "
		        "clusters\n");
	if (!options->config_file.n)
		return options->cluster.n == 0;
	*VEC_PUSH(run->arena, &paths) = options->config_file;
	set = source_read(run->arena, &reading, &paths);
	if (set->sources.n != 1)
		*VEC_PUSH(run->arena, &errors) =
			str_format(run->arena, "%.*s: the configuration cannot be read",
		                   STR_ARG(options->config_file));
	else
		load(run->arena, options, set, set->sources.v[0],
		     source_folder(source_real_path(run->arena,
		                                    options->config_file)), &errors);
	for (size_t i = 0; i < errors.n; i++)
		fprintf(run->err, "kubelint: error: %.*s\n",
		        STR_ARG(report_terminal_text(run->arena, errors.v[i])));
	return errors.n == 0;
}

/* ---- kubelint config ------------------------------------------------------------------ */

static void print_files(const struct run *run)
{
	const struct options *options = run->options;
	struct strs paths = { 0 };
	const struct source_set *set;

	for (size_t i = 0; i < options->paths.n; i++)
		*VEC_PUSH(run->arena, &paths) = options->paths.v[i];
	if (!paths.n)
		*VEC_PUSH(run->arena, &paths) = STR(".");
	for (size_t i = 0; i < options->inventory.n; i++)
		*VEC_PUSH(run->arena, &paths) = options->inventory.v[i];
	set = source_read(run->arena, &options->source, &paths);
	for (size_t i = 0; i < set->sources.n; i++)
		fprintf(run->out, "%.*s\n",
		        STR_ARG(report_terminal_text(run->arena, set->sources.v[i]->path)));
}

int config_run(const struct run *run)
{
	const struct config *config = run->options->config;
	str text;

	if (run->options->config_view == CONFIG_VIEW_FILES) {
		print_files(run);
		return 0;
	}
	if (run->options->config_view == CONFIG_VIEW_SCHEMA)
		text = config_schema(run->arena);
	else
		text = config_listing(run->arena, config ? config : config_defaults(run->arena));
	print_text(run, text);
	return 0;
}

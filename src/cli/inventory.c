/* kubelint inventory, and the reading that it shares with check. */
#include "cli-internal.h"

/* Inventories are read like any other path; which groups count is decided by the pipeline. The
 * operands alone are answerable for holding something. */
struct pipeline *read_and_load(const struct run *run)
{
	const struct options *options = run->options;
	struct options *all = ARENA_NEW(run->arena, struct options);
	struct strs paths = { 0 };

	*all = *options;
	if (all->paths.n == 0)
		*VEC_PUSH(run->arena, &all->paths) = STR(".");
	for (size_t i = 0; i < all->paths.n; i++)
		*VEC_PUSH(run->arena, &paths) = all->paths.v[i];
	for (size_t i = 0; i < all->inventory.n; i++)
		*VEC_PUSH(run->arena, &paths) = all->inventory.v[i];
	if (all->config)
		*VEC_PUSH(run->arena, &paths) = all->config_file;
	const struct source_set *set = source_read(run->arena, &options->source, &paths);
	struct pipeline *pipeline = pipeline_load(run->arena, all, set);
	notices_of_paths(pipeline);
	return pipeline;
}

str format_of(const struct options *options)
{
	return options->format.n > 0 ? options->format : STR("text");
}

void mention_errors(const struct run *run, const struct pipeline *pipeline)
{
	size_t errors = pipeline->summary.errors;

	if (errors > 0 && !run->options->quiet)
		fprintf(run->err, "kubelint: %zu %s passed over; `kubelint check` shows them\n",
		        errors, errors == 1 ? "error was" : "errors were");
}

/* The groups go to standard output even when the manifests beside them are full of errors: who
 * asks what kubelint understood wants to see it then most of all. */
int inventory_run(const struct run *run)
{
	struct pipeline *pipeline = read_and_load(run);
	str format = format_of(run->options);
	struct buf text = { .arena = run->arena };

	for (size_t i = 0; i < pipeline->scopes.n; i++) {
		if (i > 0 && str_is(format, "yaml"))
			buf_add(&text, STR("---\n"));
		report_inventory(pipeline->scopes.v[i], format, &text);
	}
	notices_print(pipeline, !run->options->quiet, run->err);
	print_text(run, buf_str(&text));
	pipeline_judge(pipeline);
	mention_errors(run, pipeline);
	return pipeline->sink->failed ? 2 : 0;
}

/* Usage files that a configuration names: what containers were seen to use (KL404). */
#include "cli-internal.h"
#include "config.h"

/* The next word of a line, between blanks. */
static str next_word(str *rest)
{
	size_t end = 0;
	str word;

	*rest = str_trim(*rest);
	while (end < rest->n && rest->p[end] != ' ' && rest->p[end] != '\t')
		end++;
	word = str_slice(*rest, 0, end);
	*rest = str_slice(*rest, end, rest->n);
	return word;
}

/* `kubectl top pods -A --containers`: NAMESPACE POD NAME CPU(cores) MEMORY(bytes). */
static void read_top(struct arena *arena, str text, struct usages *usages)
{
	str line;

	while (str_next(&text, '\n', &line)) {
		str ns = next_word(&line), pod = next_word(&line);
		struct usage usage = { .container = next_word(&line), .cpu = next_word(&line) };

		usage.memory = next_word(&line);
		if (!usage.memory.n || str_is(ns, "NAMESPACE"))
			continue;
		usage.workload = str_format(arena, "%.*s/%.*s", STR_ARG(ns), STR_ARG(pod));
		*VEC_PUSH(arena, usages) = usage;
	}
}

/* A list of {workload, container, peakMemory, peakCpu}; false: it is none. */
static bool read_list(struct arena *arena, const struct source *source, struct usages *usages)
{
	const struct tree *tree;

	if (!source->document_count)
		return true;
	tree = tree_parse(arena, &source->documents[0]);
	if (!node_is_list(tree->root))
		return !tree->root && !tree->faults.n;
	for (uint32_t i = 0; i < tree->root->child_count; i++) {
		const struct node *item = &tree->root->children[i];

		*VEC_PUSH(arena, usages) = (struct usage){
			.workload = node_text(node_get(item, "workload")),
			.container = node_text(node_get(item, "container")),
			.memory = node_text(node_get(item, "peakMemory")),
			.cpu = node_text(node_get(item, "peakCpu")),
		};
	}
	return true;
}

/* A file that is named and cannot be read would make the rule silent: that is a mistake. */
void applier_usages(const struct applier *applier, struct usages *ret_usages)
{
	const struct config *config = applier->config;
	const struct source_options options = { .root = str_c(applier->arena, applier->root) };

	for (unsigned i = 0; i < config->usage_count; i++) {
		const struct node *node = node_get(config_entry(config, "usage", i), "file");
		struct strs paths = { 0 };
		const struct source_set *set;

		*VEC_PUSH(applier->arena, &paths) = applier_open(applier, config->usage[i].file);
		set = source_read(applier->arena, &options, &paths);
		if (set->sources.n != 1)
			applier_complain(applier, node, STR("the file cannot be read"));
		else if (str_is(str_of(config->usage[i].format), "top"))
			read_top(applier->arena, set->sources.v[0]->text, ret_usages);
		else if (!read_list(applier->arena, set->sources.v[0], ret_usages))
			applier_complain(applier, node, STR("the file holds no list"));
	}
}

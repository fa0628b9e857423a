/* Loading a config file, its defaults, and small readings of its texts. */
#include "config-internal.h"

#include "source.h"

const struct config *config_defaults(struct arena *arena)
{
	return ARENA_NEW(arena, struct config);
}

/* What the table cannot tell: a second document, or a failure of libcyaml's own. */
static void add_problem(struct arena *arena, struct config_problems *problems, struct span span,
                        str text)
{
	*VEC_PUSH(arena, problems) = (struct config_problem){ .span = span, .text = text };
}

/* A text with only comments is a config that says nothing. */
static struct config *load_document(struct arena *arena, const struct document *document,
                                    struct config_problems *ret_problems)
{
	struct tree *tree = tree_parse(arena, document);
	str text = str_slice(document->source->text, document->begin, document->end);
	struct config *config = NULL;
	str error;

	config_check(arena, tree, ret_problems);
	if (ret_problems->n)
		return NULL;
	if (!tree->root || !tree->root->child_count)
		config = ARENA_NEW(arena, struct config);
	else if (!config_fill(arena, text, &config, &error)) {
		add_problem(arena, ret_problems, tree->root->span, error);
		return NULL;
	}
	config->tree = tree;
	return config;
}

/* An empty file is a config too: it ends the search for one further up. */
const struct config *config_load(struct arena *arena, const struct source *source, str folder,
                                 struct config_problems *ret_problems)
{
	struct config *config;

	if (!source->document_count)
		config = ARENA_NEW(arena, struct config);
	else
		config = load_document(arena, &source->documents[0], ret_problems);
	if (source->document_count > 1)
		add_problem(arena, ret_problems,
		            (struct span){ source->id, source->documents[1].begin,
		                           source->documents[1].begin + 3 },
		            STR("a config file has one document"));
	if (ret_problems->n)
		return NULL;
	config->folder = folder;
	return config;
}

const struct node *config_entry(const struct config *config, const char *path, unsigned index)
{
	const struct node *list = config->tree ? node_at(config->tree->root, path) : NULL;

	return node_is_list(list) && index < list->child_count ? &list->children[index] : NULL;
}

int32_t config_percent(const char *text, int32_t fallback)
{
	struct quantity quantity;
	str s = str_of(text);
	int64_t value;

	if (!text)
		return fallback;
	if (str_ends(s, STR("%")) && str_to_int64(str_slice(s, 0, s.n - 1), &value))
		return (int32_t)value;
	if (quantity_parse(s, &quantity) && quantity_milli_ceil(&quantity, &value))
		return (int32_t)(value / 10);
	return fallback;
}

int64_t config_hundredths(const char *text, int64_t fallback)
{
	struct quantity quantity;
	int64_t milli;

	if (!text || !quantity_parse(str_of(text), &quantity) ||
	    !quantity_milli_ceil(&quantity, &milli))
		return fallback;
	return milli / 10;
}

/* The table of keys as JSON Schema and as a listing. */
#include "config-internal.h"

static void add_properties(struct buf *buf, const struct key *keys);

/* A JSON string literal; texts of the table hold no control characters. */
static void add_string(struct buf *buf, str text)
{
	buf_char(buf, '"');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"' || text.p[i] == '\\')
			buf_char(buf, '\\');
		buf_char(buf, text.p[i]);
	}
	buf_char(buf, '"');
}

static void add_words(struct buf *buf, const char *words)
{
	str rest = str_of(words), word;
	const char *between = "";

	buf_add(buf, STR("\"enum\": ["));
	while (str_next(&rest, ' ', &word)) {
		buf_printf(buf, "%s", between);
		add_string(buf, word);
		between = ", ";
		/* Readers of YAML 1.1 make a boolean of a plain `off`, and a number of 1. */
		if (str_is(word, "off"))
			buf_add(buf, STR(", false"));
		if (str_is(word, "1"))
			buf_add(buf, STR(", 1"));
	}
	buf_char(buf, ']');
}

/* Numbers are texts to us, and numbers to editors that read them unquoted: both pass. */
static void add_form(struct buf *buf, const struct key *key)
{
	switch (key->form) {
	case KEY_WORDS:
		add_words(buf, key->words);
		break;
	case KEY_FLAG:
		buf_add(buf, STR("\"type\": \"boolean\""));
		break;
	case KEY_TEXTS:
		buf_add(buf, STR("\"type\": \"array\", \"items\": "
		                 "{\"type\": [\"string\", \"number\"]}"));
		break;
	case KEY_MAP:
		buf_add(buf, STR("\"type\": \"object\", "));
		add_properties(buf, key->keys);
		break;
	case KEY_MAPS:
		buf_add(buf, STR("\"type\": \"array\", \"items\": {\"type\": \"object\", "));
		add_properties(buf, key->keys);
		buf_char(buf, '}');
		break;
	default:
		buf_add(buf, STR("\"type\": [\"string\", \"number\"]"));
	}
}

/* Only keys of list entries are ever required. */
static void add_required(struct buf *buf, const struct key *keys)
{
	bool any = false;

	for (; keys->name; keys++) {
		if (!keys->required)
			continue;
		buf_printf(buf, "%s", any ? ", " : ", \"required\": [");
		add_string(buf, str_of(keys->name));
		any = true;
	}
	if (any)
		buf_char(buf, ']');
}

/* Unknown keys are mistakes, in an editor as in a run. */
static void add_properties(struct buf *buf, const struct key *keys)
{
	const struct key *first = keys;

	buf_add(buf, STR("\"additionalProperties\": false, \"properties\": {"));
	for (; keys->name; keys++) {
		buf_printf(buf, "%s", keys == first ? "" : ", ");
		add_string(buf, str_of(keys->name));
		buf_add(buf, STR(": {\"description\": "));
		add_string(buf, str_of(keys->meaning));
		buf_add(buf, STR(", "));
		add_form(buf, keys);
		buf_char(buf, '}');
	}
	buf_char(buf, '}');
	add_required(buf, first);
}

str config_schema(struct arena *arena)
{
	struct buf buf = { .arena = arena };

	buf_add(&buf, STR("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", "
	                  "\"title\": \".kubelint.yaml\", \"type\": \"object\", "));
	add_properties(&buf, config_keys);
	buf_add(&buf, STR("}\n"));
	return buf_str(&buf);
}

/* A value on one line, in flow style. Depth is bounded by the table, which the file has been
 * checked against. */
static void add_value(struct buf *buf, const struct node *node)
{
	const char *open = node_is_map(node) ? "{" : "[", *close = node_is_map(node) ? "}" : "]";

	if (!node_is_map(node) && !node_is_list(node)) {
		if (node_is_null(node))
			buf_add(buf, STR("[]"));
		else if (node->style == STYLE_PLAIN)
			buf_add(buf, node_text(node));
		else
			add_string(buf, node_text(node));
		return;
	}
	buf_printf(buf, "%s", open);
	for (uint32_t i = 0; i < node->child_count; i++) {
		const struct node *child = &node->children[i];

		if (i)
			buf_add(buf, STR(", "));
		if (child->key.n)
			buf_printf(buf, "%.*s: ", STR_ARG(child->key));
		add_value(buf, child);
	}
	buf_printf(buf, "%s", close);
}

/* Defaults are written in the table as in a file; only an empty one needs quotes. */
static void add_fallback(struct buf *buf, const struct key *key)
{
	buf_add(buf, *key->fallback ? str_of(key->fallback) : STR("\"\""));
}

/* Maps of fixed keys are walked into, so that each default shows beside what the file says. */
static void list_keys(struct buf *buf, const struct config *config, const struct key *keys,
                      const struct node *map, str prefix)
{
	for (; keys->name; keys++) {
		const struct node *node = node_get(map, keys->name);
		str name = str_format(buf->arena, "%.*s%s", STR_ARG(prefix), keys->name);

		if (keys->form == KEY_MAP)
			list_keys(buf, config, keys->keys, node,
			          str_format(buf->arena, "%.*s.", STR_ARG(name)));
		else if (node || keys->fallback) {
			buf_printf(buf, "%.*s: ", STR_ARG(name));
			if (node)
				add_value(buf, node);
			else
				add_fallback(buf, keys);
			buf_add(buf, node ? STR("  # file\n") : STR("  # default\n"));
		}
	}
}

str config_listing(struct arena *arena, const struct config *config)
{
	struct buf buf = { .arena = arena };

	list_keys(&buf, config, config_keys, config->tree ? config->tree->root : NULL, (str){ 0 });
	return buf_str(&buf);
}

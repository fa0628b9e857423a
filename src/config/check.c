/* A config file against the table of keys: everything that is wrong, each at its place. */
#include "config-internal.h"

/* All mistakes of a file are told in one run: who mends one by one runs the program as often. */
struct checker {
	struct arena *arena;
	struct config_problems *problems;
};

static void say(struct checker *checker, const struct node *node, const char *format, ...)
	BASE_PRINTF(3, 4);

/* The path stands before the words, since a value alone does not tell which of many it is. */
static void say(struct checker *checker, const struct node *node, const char *format, ...)
{
	struct config_problem *problem = VEC_PUSH(checker->arena, checker->problems);
	struct buf buf = { .arena = checker->arena };
	va_list args;

	va_start(args, format);
	if (node->parent)
		buf_printf(&buf, "%.*s: ",
		           STR_ARG(node_path(checker->arena, NULL, node, NULL)));
	buf_add(&buf, str_vformat(checker->arena, format, args));
	va_end(args);
	problem->span = node_place(node);
	problem->text = buf_str(&buf);
}

/* Words are compared as written: True and TRUE are not words of this format. */
static bool is_word(const char *words, str text)
{
	str rest = str_of(words), word;

	while (str_next(&rest, ' ', &word))
		if (str_eq(word, text))
			return true;
	return false;
}

/* "85%" or "0.85", from 0 to 100 %. */
static bool is_percent(str text)
{
	struct quantity quantity;
	int64_t value;

	if (str_ends(text, STR("%")))
		return str_to_int64(str_slice(text, 0, text.n - 1), &value) && value >= 0 &&
		       value <= 1000;
	return quantity_parse(text, &quantity) && quantity_milli_ceil(&quantity, &value) &&
	       value >= 0 && value <= 10000;
}

/* Quantities are exact and know "2.5" as well as "64Mi", so sizes are read by it too. */
static bool is_ratio(str text)
{
	struct quantity quantity;

	return quantity_parse(text, &quantity) && quantity_sign(&quantity) > 0;
}

static bool is_count(str text)
{
	int64_t value;

	return str_to_int64(text, &value) && value >= 0;
}

static bool is_duration(str text)
{
	int64_t value;

	return duration_parse(text, &value) && value >= 0;
}

/* An empty text stands in the example and says the same as an absent key. */
static bool is_version(str text)
{
	struct version version;

	return !text.n || version_parse(text, &version);
}

static bool is_fleet(str text)
{
	return str_is(text, "baseline") || str_is(text, "peak") ||
	       (str_ends(text, STR("%")) && is_percent(text));
}

/* Forms of texts, in the words of a message. */
static const struct {
	enum key_form form;
	bool (*holds)(str text);
	const char *wanted;
} forms[] = {
	{ KEY_PERCENT, is_percent, "a percentage such as 85%" },
	{ KEY_RATIO, is_ratio, "a number above 0" },
	{ KEY_COUNT, is_count, "a whole number" },
	{ KEY_SIZE, is_ratio, "a size such as 64Mi" },
	{ KEY_DURATION, is_duration, "a duration such as 30s or 5m" },
	{ KEY_VERSION, is_version, "a version such as 1.34" },
	{ KEY_FLEET, is_fleet, "baseline, peak or a percentage" },
};

/* One scalar; its type in YAML does not matter, since 10 and "10" mean the same here. */
static void check_text(struct checker *checker, const struct key *key, const struct node *node)
{
	if (!node_is_scalar(node)) {
		say(checker, node, "a single value is wanted");
		return;
	}
	if (key->form == KEY_WORDS && !is_word(key->words, node->text))
		say(checker, node, "%.*s is none of: %s", STR_ARG(node->text), key->words);
	if (key->form == KEY_FLAG && !is_word("true false", node->text))
		say(checker, node, "true or false is wanted");
	for (size_t i = 0; i < COUNT_OF(forms); i++)
		if (forms[i].form == key->form && !forms[i].holds(node->text))
			say(checker, node, "%.*s: %s is wanted", STR_ARG(node->text),
			    forms[i].wanted);
}

/* A list of which every entry is commented out is an empty one. */
static void check_texts(struct checker *checker, const struct node *node)
{
	if (node_is_null(node))
		return;
	if (!node_is_list(node)) {
		say(checker, node, "a list is wanted");
		return;
	}
	for (uint32_t i = 0; i < node->child_count; i++)
		if (!node_is_scalar(&node->children[i]))
			say(checker, &node->children[i], "a single value is wanted");
}

static void check_map(struct checker *checker, const struct key *keys, const struct node *node);

static void check_value(struct checker *checker, const struct key *key, const struct node *node)
{
	switch (key->form) {
	case KEY_TEXTS:
		check_texts(checker, node);
		break;
	case KEY_MAP:
		check_map(checker, key->keys, node);
		break;
	case KEY_MAPS:
		if (!node_is_list(node) && !node_is_null(node))
			say(checker, node, "a list is wanted");
		for (uint32_t i = 0; node_is_list(node) && i < node->child_count; i++)
			check_map(checker, key->keys, &node->children[i]);
		break;
	default:
		check_text(checker, key, node);
	}
}

/* Tables are short: a linear look costs less than an index. */
static const struct key *find_key(const struct key *keys, str name)
{
	for (; keys->name; keys++)
		if (str_is(name, keys->name))
			return keys;
	return NULL;
}

/* A key that is passed over in silence would be a gate that its author believes in. */
static void say_unknown(struct checker *checker, const struct key *keys, const struct node *node)
{
	struct strs names = { 0 };
	size_t nearest;

	for (; keys->name; keys++)
		*VEC_PUSH(checker->arena, &names) = str_of(keys->name);
	nearest = str_nearest(node->key, names.v, names.n);
	if (nearest < names.n)
		say(checker, node, "there is no such key; the nearest is %.*s",
		    STR_ARG(names.v[nearest]));
	else
		say(checker, node, "there is no such key");
}

/* Depth is that of the table, whatever the file holds: no recursion on input. */
static void check_map(struct checker *checker, const struct key *keys, const struct node *node)
{
	if (!node_is_map(node)) {
		say(checker, node, "a map is wanted");
		return;
	}
	for (uint32_t i = 0; i < node->child_count; i++) {
		const struct node *child = &node->children[i];
		const struct key *key = find_key(keys, child->key);

		if (!key)
			say_unknown(checker, keys, child);
		else
			check_value(checker, key, child);
	}
	for (; keys->name; keys++)
		if (keys->required && !node_get(node, keys->name))
			say(checker, node, "%s is missing", keys->name);
}

/* A text with {{ }} in it is an ordinary text here; everything else that the reader of YAML finds
 * wrong is a mistake. */
void config_check(struct arena *arena, const struct tree *tree,
                  struct config_problems *ret_problems)
{
	struct checker checker = { arena, ret_problems };

	for (size_t i = 0; i < tree->faults.n; i++) {
		const struct fault *fault = &tree->faults.v[i];
		struct config_problem *problem;

		if (fault->kind == FAULT_TEMPLATE && fault->node)
			continue;
		problem = VEC_PUSH(arena, ret_problems);
		problem->span = fault->span;
		problem->text = fault->kind == FAULT_DUPLICATE_KEY
		                        ? str_format(arena, "%.*s: given twice", STR_ARG(fault->a))
		                        : fault->a;
	}
	if (tree->root && !node_is_null(tree->root))
		check_map(&checker, config_keys, tree->root);
}

/* Command lines of containers: flags in command and args, image names.
 *
 * Flags are read as pflag and Go's flag package do, but for one thing: without the program's
 * table nobody knows which flags are boolean, so a bare flag takes the next word as its value
 * unless that is a flag too. The shell is only split into words: nothing of it is evaluated.
 */
#include "kube-internal.h"

/* A word of a command line and the item that holds it. */
struct word {
	str text;
	const struct node *node;
};
struct words VEC(struct word);

/* ---- variables ------------------------------------------------------------------------ */

/* The last one of that name wins; one without a known value is not resolved. */
static const struct env_var *env_find(const struct container *container, str name)
{
	const struct env_var *found = NULL;

	for (size_t i = 0; i < container->env.n; i++)
		if (str_eq(container->env.v[i].name.s, name))
			found = &container->env.v[i];
	return found && found->value.node && !found->value.node->unknown ? found : NULL;
}

/* The text with each `$(NAME)` of the container's own environment replaced; `$$(` stays. */
static str resolve(struct arena *arena, const struct container *container, str text)
{
	struct buf buf = { .arena = arena };

	if (!str_contains(text, STR("$(")))
		return text;
	for (size_t i = 0; i < text.n; i++) {
		str rest = str_slice(text, i, text.n);
		size_t end = str_find(rest, ')');
		const struct env_var *variable = NULL;

		if (str_starts(rest, STR("$(")) && end < rest.n)
			variable = env_find(container, str_slice(rest, 2, end));
		if (!variable) {
			buf_char(&buf, text.p[i]);
			continue;
		}
		buf_add(&buf, variable->value.s);
		i += end;
	}
	return buf_str(&buf);
}

/* ---- words ---------------------------------------------------------------------------- */

/* White space of a shell. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static str without_quotes(str word)
{
	if (word.n >= 2 && (word.p[0] == '"' || word.p[0] == '\'') &&
	    word.p[word.n - 1] == word.p[0])
		return str_slice(word, 1, word.n - 1);
	return word;
}

/* A `;` at the end of a word is a word of its own. */
static void add_word(struct arena *arena, str word, const struct node *node,
                     struct words *ret_words)
{
	bool ends = word.n > 1 && str_ends(word, STR(";"));

	if (str_is(word, "\\")) /* of a continued line */
		return;
	*VEC_PUSH(arena, ret_words) = (struct word){
		without_quotes(str_slice(word, 0, word.n - (ends ? 1 : 0))), node };
	if (ends)
		*VEC_PUSH(arena, ret_words) = (struct word){ STR(";"), node };
}

/* Splits at white space; quotes keep it together. */
static void split_words(struct arena *arena, str text, const struct node *node,
                        struct words *ret_words)
{
	for (size_t i = 0; i < text.n;) {
		size_t begin;
		char quote = 0;

		while (i < text.n && is_blank(text.p[i]))
			i++;
		for (begin = i; i < text.n && (quote || !is_blank(text.p[i])); i++) {
			if (quote)
				quote = text.p[i] == quote ? 0 : quote;
			else if (text.p[i] == '"' || text.p[i] == '\'')
				quote = text.p[i];
		}
		if (i > begin)
			add_word(arena, str_slice(text, begin, i), node, ret_words);
	}
}

/* A word that begins the next command. */
static bool ends_command(str word)
{
	static const char *const ends[] = { "&&", "||", ";", "|", "&" };

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (str_is(word, ends[i]))
			return true;
	return false;
}

/* Of a shell line with several commands the one with the most long flags. */
static void keep_main_command(struct words *words)
{
	size_t best = 0, best_end = words->n, best_flags = 0, begin = 0, flags = 0;

	for (size_t i = 0; i <= words->n; i++) {
		if (i < words->n && str_starts(words->v[i].text, STR("--")))
			flags++;
		if (i < words->n && !ends_command(words->v[i].text))
			continue;
		if (flags > best_flags) {
			best = begin;
			best_end = i;
			best_flags = flags;
		}
		begin = i + 1;
		flags = 0;
	}
	if (words->n == 0)
		return; /* no address to move */
	words->v += best;
	words->n = best_end - best;
	words->cap = 0; /* nobody adds to a part */
}

/* By the last part of the path. */
static bool is_shell(str program)
{
	static const char *const shells[] = { "sh", "bash", "ash", "dash", "zsh" };
	str name = str_slice(program, 0, program.n);
	size_t slash = str_find_last(name, '/');

	if (slash < name.n)
		name = str_slice(name, slash + 1, name.n);
	for (size_t i = 0; i < COUNT_OF(shells); i++)
		if (str_is(name, shells[i]))
			return true;
	return false;
}

/* `-c`, `-ec`, `-lc` … */
static bool is_shell_command(str word)
{
	return word.n >= 2 && word.p[0] == '-' && word.p[1] != '-' && word.p[word.n - 1] == 'c';
}

static void add_items(struct arena *arena, const struct container *container,
                      const struct texts *items, struct words *ret_words)
{
	for (size_t i = 0; i < items->n; i++)
		*VEC_PUSH(arena, ret_words) = (struct word){
			resolve(arena, container, items->v[i].s), items->v[i].node };
}

/* Command and args in one list; a shell's script is split and stands for all. */
static void container_words(struct arena *arena, const struct container *container,
                            struct words *ret_words)
{
	struct words items = { 0 };
	bool script = false;

	add_items(arena, container, &container->command, &items);
	add_items(arena, container, &container->args, &items);
	if (!items.n || !is_shell(items.v[0].text)) {
		/* the program itself is no flag; without a command all are arguments */
		if (container->command.n) {
			items.v++;
			items.n--;
		}
		*ret_words = items;
		return;
	}
	for (size_t i = 1; i < items.n; i++) {
		if (script) {
			split_words(arena, items.v[i].text, items.v[i].node, ret_words);
			break;
		}
		script = is_shell_command(items.v[i].text);
	}
	keep_main_command(ret_words);
}

/* ---- flags ---------------------------------------------------------------------------- */

/* `-5` is a value. */
static bool is_flag(str word)
{
	return word.n >= 2 && word.p[0] == '-' && !str_is(word, "--") &&
	       !(word.p[1] >= '0' && word.p[1] <= '9');
}

void container_flags(struct arena *arena, const struct container *container,
                     struct flag_uses *ret_flags)
{
	struct words words = { 0 };

	container_words(arena, container, &words);
	for (size_t i = 0; i < words.n && !str_is(words.v[i].text, "--"); i++) {
		str word = words.v[i].text;
		struct flag_use *use;

		if (!is_flag(word))
			continue;
		use = VEC_PUSH(arena, ret_flags);
		use->node = words.v[i].node;
		word = str_slice(word, str_starts(word, STR("--")) ? 2 : 1, word.n);
		use->has_value = str_cut(word, '=', &use->name, &use->value);
		use->value = without_quotes(use->value);
		if (!use->has_value && i + 1 < words.n && !is_flag(words.v[i + 1].text) &&
		    !str_is(words.v[i + 1].text, "--")) {
			use->has_value = true;
			use->value = words.v[++i].text;
		}
	}
}

void image_split(str image, str *ret_name, str *ret_tag)
{
	size_t slash;
	str rest;

	str_cut(image, '@', &image, &rest);
	slash = str_find_last(image, '/');
	if (slash < image.n)
		image = str_slice(image, slash + 1, image.n);
	str_cut(image, ':', ret_name, ret_tag);
}

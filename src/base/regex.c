/* Regular expressions of the priority expander and of adapter rules. The programs that read
 * them are written in Go, so a pattern is first checked against what RE2 takes (syntax page of
 * Go's regexp/syntax) and then run by PCRE2's automaton, which does not backtrack. */
#include "base.h"
#include "base-internal.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Go refuses a counted repetition above this. */
#define REPEAT_MAX 1000

/* Work space of the automaton, in ints: where to begin and where to stop. */
#define WORKSPACE_MIN 1000
#define WORKSPACE_MAX (1 << 22)

struct regex {
	pcre2_code *code;
};

/* A walk over a pattern. */
struct walk {
	str pattern;
	size_t at;
	const char *error; /* the first thing that RE2 refuses */
};

/* PCRE2 frees in no order that an arena knows, but it frees little and the patterns are few. */
static void *take_memory(size_t size, void *arena)
{
	return arena_alloc(arena, size);
}

/* Memory goes with the arena. */
static void give_memory(void *memory, void *arena)
{
	(void)memory;
	(void)arena;
}

static char char_at(const struct walk *walk, size_t at)
{
	return at < walk->pattern.n ? walk->pattern.p[at] : '\0';
}

/* True for one of the letters; never for the NUL that stands for the end. */
static bool is_one_of(char c, const char *letters)
{
	return c && str_find(str_of(letters), c) < str_of(letters).n;
}

static bool is_alphanumeric(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Behind a backslash. Letters and digits that Go gives no meaning are errors to it, among them
 * back-references; a digit is one unless it begins an octal number. */
static void check_escape(struct walk *walk)
{
	char c = char_at(walk, ++walk->at), next = char_at(walk, walk->at + 1);

	walk->at++;
	if (c == 'Q') {
		while (walk->at < walk->pattern.n && !str_starts(str_slice(walk->pattern, walk->at,
		                                                           walk->pattern.n),
		                                                 STR("\\E")))
			walk->at++;
		walk->at += 2;
		return;
	}
	if (c >= '1' && c <= '9' && !(c <= '7' && next >= '0' && next <= '7'))
		walk->error = "back-references are not supported";
	else if (is_alphanumeric(c) && !is_one_of(c, "ABDPQSWabdfnprstvwxz01234567"))
		walk->error = "an escape sequence that RE2 does not know";
	else if (!c)
		walk->error = "a backslash at the end";
}

/* A class is copied over: only its end matters here. */
static void skip_class(struct walk *walk)
{
	walk->at++;
	if (char_at(walk, walk->at) == '^')
		walk->at++;
	if (char_at(walk, walk->at) == ']')
		walk->at++;
	while (walk->at < walk->pattern.n && char_at(walk, walk->at) != ']' && !walk->error) {
		if (char_at(walk, walk->at) == '\\') {
			check_escape(walk);
			continue;
		}
		if (char_at(walk, walk->at) == '[' && char_at(walk, walk->at + 1) == ':')
			walk->at++; /* [:alpha:] ends in its own bracket */
		walk->at++;
	}
	walk->at++;
}

/* Of a group only (?:…), (?flags), (?flags:…), (?P<name>…) and (?<name>…) are taken. */
static void check_group(struct walk *walk)
{
	size_t at = walk->at + 1;

	if (char_at(walk, at) == '*')
		walk->error = "nothing stands before the `*` of a group";
	if (char_at(walk, at) == '?') {
		at++;
		if (char_at(walk, at) == 'P' && char_at(walk, at + 1) == '<')
			at++;
		else if (char_at(walk, at) != '<' || is_one_of(char_at(walk, at + 1), "=!"))
			while (is_one_of(char_at(walk, at), "imsU-"))
				at++;
		if (!is_one_of(char_at(walk, at), "<:)") ||
		    (char_at(walk, at) == '<' && is_one_of(char_at(walk, at + 1), "=!")))
			walk->error = "look-around and other Perl groups are not supported";
	}
	walk->at++;
}

/* Bytes of a repetition operator at the place: * + ? {n} {n,} {n,m}; 0 when there is none.
 * ret_count is its largest number. */
static size_t repeat_length(const struct walk *walk, int64_t *ret_count)
{
	str rest = str_slice(walk->pattern, walk->at, walk->pattern.n);
	size_t end = str_find(rest, '}');
	str low, high;
	int64_t least, most;

	*ret_count = 0;
	if (is_one_of(rest.n ? rest.p[0] : '\0', "*+?"))
		return 1;
	if (!rest.n || rest.p[0] != '{' || end == rest.n)
		return 0;
	if (!str_cut(str_slice(rest, 1, end), ',', &low, &high))
		high = low;
	if (!is_alphanumeric(low.n ? low.p[0] : '\0') || !str_to_int64(low, &least))
		return 0;
	if (!high.n)
		most = least;
	else if (!is_alphanumeric(high.p[0]) || !str_to_int64(high, &most))
		return 0;
	*ret_count = most > least ? most : least;
	return end + 1;
}

/* RE2 refuses `a**` and counts above 1000; PCRE2 would take `a++` for a possessive `a+`. */
static void check_repeat(struct walk *walk, size_t length, int64_t count)
{
	walk->at += length;
	if (count > REPEAT_MAX)
		walk->error = "a repetition count above 1000";
	if (char_at(walk, walk->at) == '?')
		walk->at++;
	if (repeat_length(walk, &count))
		walk->error = "a repetition of a repetition";
}

/* What RE2 would refuse and PCRE2 would take; NULL when there is nothing. */
static const char *find_foreign(str pattern)
{
	struct walk walk = { .pattern = pattern };

	while (walk.at < pattern.n && !walk.error) {
		int64_t count;
		size_t length = repeat_length(&walk, &count);

		if (length)
			check_repeat(&walk, length, count);
		else if (pattern.p[walk.at] == '\\')
			check_escape(&walk);
		else if (pattern.p[walk.at] == '[')
			skip_class(&walk);
		else if (pattern.p[walk.at] == '(')
			check_group(&walk);
		else
			walk.at++;
	}
	return walk.error;
}

struct regex *regex_new(struct arena *arena, str pattern, str *ret_error)
{
	struct regex *regex = ARENA_NEW(arena, struct regex);
	const char *foreign = find_foreign(pattern);
	pcre2_general_context *general;
	pcre2_compile_context *compile;
	unsigned char message[256];
	size_t place = 0;
	int error = 0;

	if (foreign) {
		*ret_error = str_of(foreign);
		return NULL;
	}
	general = pcre2_general_context_create(take_memory, give_memory, arena);
	compile = pcre2_compile_context_create(general);
	regex->code = pcre2_compile((PCRE2_SPTR)(pattern.p ? pattern.p : ""), pattern.n,
	                            PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C,
	                            &error, &place, compile);
	if (regex->code)
		return regex;
	if (pcre2_get_error_message(error, message, sizeof message) < 0)
		message[0] = '\0';
	*ret_error = str_format(arena, "%s (at character %zu)", (const char *)message, place + 1);
	return NULL;
}

/* The shortest match is enough to know that there is one. The work space of a match grows with
 * the pattern's width; one beyond WORKSPACE_MAX counts as no match. */
bool regex_finds(const struct regex *regex, str text)
{
	struct arena *arena = arena_new();
	pcre2_general_context *general =
		pcre2_general_context_create(take_memory, give_memory, arena);
	pcre2_match_data *match = pcre2_match_data_create(1, general);
	int found = PCRE2_ERROR_DFA_WSSIZE;

	for (size_t ints = WORKSPACE_MIN; found == PCRE2_ERROR_DFA_WSSIZE && ints <= WORKSPACE_MAX;
	     ints *= 8)
		found = pcre2_dfa_match(regex->code, (PCRE2_SPTR)(text.p ? text.p : ""), text.n, 0,
		                        PCRE2_DFA_SHORTEST, match, NULL,
		                        arena_calloc(arena, ints, sizeof(int)), ints);
	arena_free(arena);
	return found >= 0;
}

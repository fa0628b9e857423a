/* What a container's own environment and command line say of its runtime, heap and threads.
 *
 * Facts: rules/data/runtimes.tsv (JVM 17 and Node.js 20 measured under memory limits, the rest
 * from the projects' documentation).
 */
#include "ask.h"
#include "model-internal.h"

/* One blank-separated word of the environment or the command line. */
struct word {
	str text;                 /* after $(VAR), without quotes around it */
	const struct node *node;
	size_t at;                /* of the word in the node's text; SIZE_MAX after an expansion */
};
struct words VEC(struct word);

/* Variables whose value is a list of options, in the order in which later ones win. The command
 * line comes behind them. */
static const char *const option_variables[] = {
	"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "NODE_OPTIONS", "JAVA_OPTS",
};

/* Variables that only one runtime reads. */
static const struct {
	const char *name;
	enum runtime runtime;
} runtime_variables[] = {
	{ "DOTNET_GCHeapHardLimit", RUNTIME_DOTNET },
	{ "DOTNET_GCHeapHardLimitPercent", RUNTIME_DOTNET },
	{ "DOTNET_gcServer", RUNTIME_DOTNET },
	{ "JAVA_OPTS", RUNTIME_JVM },
	{ "JAVA_TOOL_OPTIONS", RUNTIME_JVM },
	{ "JDK_JAVA_OPTIONS", RUNTIME_JVM },
	{ "NODE_OPTIONS", RUNTIME_NODE },
	{ "_JAVA_OPTIONS", RUNTIME_JVM },
};

static const struct {
	const char *name;
	enum runtime runtime;
} runtime_programs[] = {
	{ "dotnet", RUNTIME_DOTNET },
	{ "java", RUNTIME_JVM },
	{ "node", RUNTIME_NODE },
};

const char *runtime_name(enum runtime runtime)
{
	static const char *const names[] = { "unknown", "JVM", "Node.js", ".NET" };

	return names[runtime];
}

/* ---- words ----------------------------------------------------------------------------- */

/* The last one of a name wins, as in the container. */
static const struct env_var *env_of(const struct container *container, str name)
{
	for (size_t i = container->env.n; i-- > 0;)
		if (str_eq(container->env.v[i].name.s, name))
			return &container->env.v[i];
	return NULL;
}

/* `$(NAME)` replaced by the container's own plain variables; others stay as they are. */
static str expand(struct arena *arena, const struct container *container, str text)
{
	struct buf buf = { .arena = arena };

	if (!str_contains(text, STR("$(")))
		return text;
	for (size_t i = 0; i < text.n;) {
		str rest = str_slice(text, i, text.n);
		size_t close = str_find(rest, ')');
		const struct env_var *var = NULL;

		if (str_starts(rest, STR("$(")) && close < rest.n)
			var = env_of(container, str_slice(rest, 2, close));
		if (var && node_known(var->value.node)) {
			buf_add(&buf, var->value.s);
			i += close + 1;
		} else {
			buf_char(&buf, text.p[i++]);
		}
	}
	return buf_str(&buf);
}

/* What a shell splits at. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Quotes of a shell around a whole word. */
static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* Every word with its place, so that a fix can replace it. */
static void add_words(struct arena *arena, const struct container *container,
                      const struct text *from, struct words *words)
{
	str text = expand(arena, container, from->s);
	bool same = text.p == from->s.p;

	for (size_t i = 0; i < text.n;) {
		size_t begin = i, end;

		while (i < text.n && !is_blank(text.p[i]))
			i++;
		end = i++;
		while (begin < end && is_quote(text.p[begin]))
			begin++;
		while (end > begin && (is_quote(text.p[end - 1]) || text.p[end - 1] == ';'))
			end--;
		if (begin < end)
			*VEC_PUSH(arena, words) = (struct word){
				.text = str_slice(text, begin, end),
				.node = from->node,
				.at = same ? begin : SIZE_MAX,
			};
	}
}

/* command first, then args, as the container runs them. */
static void add_command_words(struct arena *arena, const struct container *container,
                              struct words *words)
{
	for (size_t i = 0; i < container->command.n; i++)
		add_words(arena, container, &container->command.v[i], words);
	for (size_t i = 0; i < container->args.n; i++)
		add_words(arena, container, &container->args.v[i], words);
}

/* Options in the order in which the runtimes take them: the last one wins. */
static void read_words(struct arena *arena, const struct container *container,
                       struct words *words)
{
	for (size_t i = 0; i < COUNT_OF(option_variables); i++) {
		const struct env_var *var = env_of(container, str_of(option_variables[i]));

		if (var && var->value.node)
			add_words(arena, container, &var->value, words);
	}
	add_command_words(arena, container, words);
}

/* Without the folders in front. */
static str program_of(str word)
{
	size_t slash = str_find_last(word, '/');

	return slash < word.n ? str_slice(word, slash + 1, word.n) : word;
}

/* `sh -c "exec java …"` counts: any word may be the program. */
static enum runtime command_runtime(const struct container *container)
{
	struct arena *arena = arena_new();
	enum runtime runtime = RUNTIME_UNKNOWN;
	struct words words = { 0 };

	add_command_words(arena, container, &words);
	for (size_t i = 0; runtime == RUNTIME_UNKNOWN && i < words.n; i++)
		for (size_t k = 0; k < COUNT_OF(runtime_programs); k++)
			if (str_is(program_of(words.v[i].text), runtime_programs[k].name))
				runtime = runtime_programs[k].runtime;
	arena_free(arena);
	return runtime;
}

enum runtime container_runtime(const struct container *container)
{
	enum runtime runtime = command_runtime(container);

	for (size_t i = 0; runtime == RUNTIME_UNKNOWN && i < COUNT_OF(runtime_variables); i++)
		if (env_of(container, str_of(runtime_variables[i].name)))
			runtime = runtime_variables[i].runtime;
	return runtime;
}

/* ---- numbers --------------------------------------------------------------------------- */

/* Digits at the front of *text, moved behind them; false when there are none or too many. */
static bool take_number(str *text, int64_t base, int64_t *ret_value)
{
	size_t i = 0;

	*ret_value = 0;
	for (; i < text->n; i++) {
		char c = text->p[i];
		int64_t digit = c >= '0' && c <= '9'   ? c - '0'
		                : c >= 'a' && c <= 'f' ? c - 'a' + 10
		                : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                                       : base;

		if (digit >= base)
			break;
		*ret_value = int64_add_saturated(int64_mul_saturated(*ret_value, base), digit);
	}
	*text = str_slice(*text, i, text->n);
	return i > 0 && *ret_value < INT64_MAX;
}

/* 1024 to the power that the letter means, 0 for none of them. */
static int64_t letter_unit(char c)
{
	switch (c) {
	case 'k':
	case 'K':
		return INT64_C(1) << 10;
	case 'm':
	case 'M':
		return INT64_C(1) << 20;
	case 'g':
	case 'G':
		return INT64_C(1) << 30;
	case 't':
	case 'T':
		return INT64_C(1) << 40;
	default:
		return 0;
	}
}

/* A JVM size: digits and one letter. */
static bool jvm_size(str text, int64_t *ret_bytes)
{
	int64_t unit = 1;

	if (!take_number(&text, 10, ret_bytes))
		return false;
	if (text.n == 1)
		unit = letter_unit(text.p[0]);
	*ret_bytes = int64_mul_saturated(*ret_bytes, unit);
	return unit > 0 && text.n <= 1;
}

/* A GOMEMLIMIT: digits and B, KiB, MiB, GiB, TiB or nothing. */
static bool go_size(str text, int64_t *ret_bytes)
{
	int64_t unit = 1;

	if (!take_number(&text, 10, ret_bytes))
		return false;
	if (text.n == 3 && str_ends(text, STR("iB")))
		unit = text.p[0] >= 'A' && text.p[0] <= 'Z' ? letter_unit(text.p[0]) : 0;
	else if (text.n && !str_is(text, "B"))
		unit = 0;
	*ret_bytes = int64_mul_saturated(*ret_bytes, unit);
	return unit > 0;
}

/* A percentage with a fraction, in thousandths; further digits are dropped. */
static bool milli_percent(str text, int64_t *ret_milli)
{
	int64_t fraction = 0, unit = 100;

	if (!take_number(&text, 10, ret_milli))
		return false;
	if (text.n && text.p[0] == '.')
		for (size_t i = 1; i < text.n; i++, unit /= 10) {
			if (text.p[i] < '0' || text.p[i] > '9')
				return false;
			fraction += unit * (text.p[i] - '0');
		}
	else if (text.n)
		return false;
	*ret_milli = int64_add_saturated(int64_mul_saturated(*ret_milli, 1000), fraction);
	return true;
}

/* With or without 0x: .NET reads both as hexadecimal. */
static bool hexadecimal(str text, int64_t *ret_value)
{
	if (str_starts(text, STR("0x")) || str_starts(text, STR("0X")))
		text = str_slice(text, 2, text.n);
	return take_number(&text, 16, ret_value) && !text.n;
}

/* ---- heaps ----------------------------------------------------------------------------- */

static const struct heap_option {
	const char *prefix;
	enum heap_kind kind;
} heap_options[] = {
	{ "-Xmx", HEAP_JVM },
	{ "-XX:MaxHeapSize=", HEAP_JVM },
	{ "-XX:MaxRAMPercentage=", HEAP_JVM_SHARE },
	{ "--max-old-space-size=", HEAP_NODE },
	{ "--max_old_space_size=", HEAP_NODE },
};

static const struct heap_option heap_variables[] = {
	{ "DOTNET_GCHeapHardLimit", HEAP_DOTNET },
	{ "COMPlus_GCHeapHardLimit", HEAP_DOTNET },
	{ "DOTNET_GCHeapHardLimitPercent", HEAP_DOTNET_SHARE },
	{ "COMPlus_GCHeapHardLimitPercent", HEAP_DOTNET_SHARE },
	{ "GOMEMLIMIT", HEAP_GO },
};

/* Reads a setting's value; an unreadable one becomes HEAP_NONE. */
static void read_value(struct heap_setting *heap, str value)
{
	bool readable = false;

	switch (heap->kind) {
	case HEAP_JVM:
		readable = jvm_size(value, &heap->bytes);
		break;
	case HEAP_NODE:
		readable = take_number(&value, 10, &heap->bytes) && !value.n;
		heap->bytes = int64_mul_saturated(heap->bytes, 1 << 20);
		break;
	case HEAP_GO:
		readable = go_size(value, &heap->bytes);
		break;
	case HEAP_JVM_SHARE:
		readable = milli_percent(value, &heap->milli_percent);
		break;
	case HEAP_DOTNET:
		readable = hexadecimal(value, &heap->bytes);
		break;
	case HEAP_DOTNET_SHARE:
		readable = hexadecimal(value, &heap->milli_percent);
		heap->milli_percent = int64_mul_saturated(heap->milli_percent, 1000);
		break;
	default:
		break;
	}
	if (!readable)
		heap->kind = HEAP_NONE;
}

/* Takes the word when it sets a heap; a size beats a share, whichever comes last. */
static void take_word(const struct word *word, struct heap_setting *heap)
{
	for (size_t i = 0; i < COUNT_OF(heap_options); i++) {
		str prefix = str_of(heap_options[i].prefix);
		struct heap_setting found = { .kind = heap_options[i].kind };

		if (!str_starts(word->text, prefix) ||
		    (found.kind == HEAP_JVM_SHARE && heap->kind == HEAP_JVM))
			continue;
		found.text = word->text;
		found.node = word->node;
		found.at = word->at;
		read_value(&found, str_slice(word->text, prefix.n, word->text.n));
		*heap = found;
		return;
	}
}

/* Settings that are a variable of their own. */
static struct heap_setting variable_heap(const struct container *container)
{
	struct heap_setting heap = { 0 };

	for (size_t i = 0; heap.kind == HEAP_NONE && i < COUNT_OF(heap_variables); i++) {
		const struct env_var *var = env_of(container, str_of(heap_variables[i].prefix));

		if (!var || !node_known(var->value.node))
			continue;
		heap = (struct heap_setting){
			.kind = heap_variables[i].kind,
			.text = var->value.s,
			.node = var->value.node,
		};
		read_value(&heap, str_trim(var->value.s));
	}
	return heap;
}

/* A shell variable may hold the setting: then the default is not claimed. */
static bool sets_node_heap(const struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (str_contains(words->v[i].text, STR("old-space-size")) ||
		    str_contains(words->v[i].text, STR("old_space_size")) ||
		    str_contains(words->v[i].text, STR("heap-size")) ||
		    str_find(words->v[i].text, '$') < words->v[i].text.n)
			return true;
	return false;
}

struct heap_setting container_heap(struct arena *arena, const struct container *container)
{
	struct heap_setting heap = { 0 };
	struct words words = { 0 };
	const struct env_var *options = env_of(container, STR("NODE_OPTIONS"));

	if (container->node && container->node->unknown)
		return heap;
	read_words(arena, container, &words);
	for (size_t i = 0; i < words.n; i++)
		take_word(&words.v[i], &heap);
	if (heap.kind == HEAP_NONE)
		heap = variable_heap(container);
	if (heap.kind == HEAP_NONE && command_runtime(container) == RUNTIME_NODE &&
	    !sets_node_heap(&words) && !(options && !node_known(options->value.node)))
		heap = (struct heap_setting){ .kind = HEAP_NODE_DEFAULT,
			                      .bytes = INT64_C(256) << 20 };
	if (heap.node && heap.node->unknown)
		heap.kind = HEAP_NONE;
	return heap;
}

/* ---- threads --------------------------------------------------------------------------- */

static const char *const thread_options[] = { "-XX:ActiveProcessorCount=", "--workers=",
	                                      "--concurrency=" };
static const char *const thread_variables[] = { "GOMAXPROCS", "WEB_CONCURRENCY",
	                                        "DOTNET_PROCESSOR_COUNT", "OMP_NUM_THREADS" };

struct thread_setting container_threads(struct arena *arena, const struct container *container)
{
	struct thread_setting most = { 0 };
	struct words words = { 0 };
	int64_t count;

	read_words(arena, container, &words);
	for (size_t i = 0; i < words.n; i++)
		for (size_t k = 0; k < COUNT_OF(thread_options); k++) {
			str prefix = str_of(thread_options[k]), text = words.v[i].text;

			if (str_starts(text, prefix) &&
			    str_to_int64(str_slice(text, prefix.n, text.n), &count) &&
			    count > most.count)
				most = (struct thread_setting){ count, text, words.v[i].node };
		}
	for (size_t i = 0; i < COUNT_OF(thread_variables); i++) {
		const struct env_var *var = env_of(container, str_of(thread_variables[i]));

		if (var && node_known(var->value.node) &&
		    str_to_int64(str_trim(var->value.s), &count) && count > most.count)
			most = (struct thread_setting){
				count, str_format(arena, "%s=%.*s", thread_variables[i],
				                  STR_ARG(var->value.s)), var->value.node };
	}
	return most;
}

/* Texts that are no YAML: libyaml's problems in the words of somebody who edits manifests, at
 * the place where the mistake is rather than where it was noticed. */
#include "tree-internal.h"

#include <string.h>

/* Longest template text that is shown. */
#define TEMPLATE_SHOWN 80

/* Where the mistake is: where libyaml stopped, or where the construct began. */
enum blame { BLAME_PROBLEM, BLAME_CONTEXT, BLAME_BRACKET };

struct problem {
	const char *problem; /* libyaml's */
	enum blame blame;
	const char *words;   /* ours */
};

static const struct problem table[] = {
	{ "could not find expected ':'", BLAME_CONTEXT, "a `key: value` line lacks its colon" },
	{ "mapping values are not allowed in this context", BLAME_PROBLEM,
	  "a `: ` where no key can stand (quote the text before it, or mend the indentation)" },
	{ "did not find expected key", BLAME_PROBLEM,
	  "a key was expected here: mend the indentation or a quote" },
	{ "did not find expected '-' indicator", BLAME_PROBLEM,
	  "a list item (`- `) was expected here: mend the indentation" },
	{ "block sequence entries are not allowed in this context", BLAME_PROBLEM,
	  "a list item (`- `) where none can stand: mend the indentation" },
	{ "did not find expected ',' or ']'", BLAME_BRACKET,
	  "`,` or `]` was expected: a `[` is not closed" },
	{ "did not find expected ',' or '}'", BLAME_BRACKET,
	  "`,` or `}` was expected: a `{` is not closed" },
	{ "did not find expected node content", BLAME_BRACKET,
	  "a value was expected here: a `[` or `{` is not closed, or a comma is too many" },
	{ "found unexpected end of stream", BLAME_CONTEXT, "a quote that is never closed" },
	{ "found unexpected document indicator", BLAME_CONTEXT, "a quote that is never closed" },
	{ "found character that cannot start any token", BLAME_PROBLEM,
	  "a character that cannot start a value: quote the text" },
	{ "found unknown escape character", BLAME_PROBLEM,
	  "a backslash sequence that YAML does not know: double it or use single quotes" },
	{ "found invalid Unicode character escape code", BLAME_PROBLEM,
	  "an escape that is no character of its own: write the character itself" },
	{ "found incompatible YAML document", BLAME_PROBLEM,
	  "a %YAML version other than 1.1 and 1.2" },
	{ "did not find expected alphabetic or numeric character", BLAME_PROBLEM,
	  "an anchor or alias without a name: quote a value that begins with `&` or `*`" },
	{ "found undefined tag handle", BLAME_PROBLEM, "a tag handle that no %TAG line declares" },
	{ "did not find expected <document start>", BLAME_PROBLEM,
	  "text that belongs to nothing: a line is indented too little, or `---` is missing" },
	{ "control characters are not allowed", BLAME_PROBLEM,
	  "a control character, which YAML does not allow" },
	{ "invalid leading UTF-8 octet", BLAME_PROBLEM, "a byte that is no UTF-8" },
	{ "invalid trailing UTF-8 octet", BLAME_PROBLEM, "a byte sequence that is no UTF-8" },
	{ "invalid length of a UTF-8 sequence", BLAME_PROBLEM, "a byte sequence that is no UTF-8" },
	{ "invalid Unicode character", BLAME_PROBLEM, "a byte sequence that is no UTF-8" },
	{ "incomplete UTF-8 octet sequence", BLAME_PROBLEM, "the text ends inside a character" },
};

static const char tab_words[] = "a tab may not be used for indentation";
static const char utf16_words[] = "the file is UTF-16: save it as UTF-8";

/* What failed and where, in bytes of fed. */
struct mistake {
	str words;
	size_t at;
	size_t related; /* SIZE_MAX: none */
};

/* In a text with templates the template is the cause, whatever the parser stumbled over. */
struct fault *parser_fail(struct parser *parser, enum fault_kind kind, struct span span,
                          str text)
{
	struct tree *tree = parser->tree;
	str shown = template_first(parser->marks.fed);
	struct fault *fault;

	if (parser->failed)
		return NULL;
	parser->failed = true;
	tree->faults.n = 0; /* they are about a tree that will not be */
	fault = VEC_PUSH(tree->arena, &tree->faults);
	*fault = (struct fault){ .kind = kind, .span = span, .a = text };
	if (kind == FAULT_SYNTAX && tree->has_template && shown.n) {
		size_t begin = (size_t)(shown.p - parser->marks.fed.p);

		fault->kind = FAULT_TEMPLATE;
		fault->span = parser_span(parser, begin, begin + shown.n);
		fault->a = str_copy(tree->arena, str_slice(shown, 0, TEMPLATE_SHOWN));
		fault->b = text;
	}
	return fault;
}

/* For mistakes that libyaml lets pass and Go's decoder does not. */
bool event_fail(struct parser *parser, const yaml_event_t *event, str text)
{
	size_t begin, end;

	event_bytes(parser, event, &begin, &end);
	parser_fail(parser, FAULT_SYNTAX, parser_span(parser, begin, end), text);
	return false;
}

/* Begin of the line that holds byte at. */
static size_t line_begin(str text, size_t at)
{
	while (at && text.p[at - 1] != '\n' && text.p[at - 1] != '\r')
		at--;
	return at;
}

/* The first tab in the indentation of the line that begins at; text.n when there is none. */
static size_t indent_tab(str text, size_t at)
{
	while (at < text.n && text.p[at] == ' ')
		at++;
	return at < text.n && text.p[at] == '\t' ? at : text.n;
}

/* A tab in the indentation of the line at fault, or of the line before it, on which the node
 * began that could not be finished. */
static size_t find_tab(str text, size_t at)
{
	size_t begin = line_begin(text, at < text.n ? at : text.n);
	size_t tab = indent_tab(text, begin);

	if (tab < text.n || !begin)
		return tab;
	begin--;
	if (begin && text.p[begin] == '\n' && text.p[begin - 1] == '\r')
		begin--;
	return indent_tab(text, line_begin(text, begin));
}

/* End of the word at byte at, on its line; one character at least, where there is one. */
static size_t word_end(str text, size_t at)
{
	size_t end = at;

	while (end < text.n && !strchr(" \t\r\n", text.p[end]))
		end++;
	if (end == at && at < text.n && text.p[at] != '\n' && text.p[at] != '\r')
		end++;
	return end;
}

static const struct problem *find_problem(const char *problem)
{
	for (size_t i = 0; problem && i < COUNT_OF(table); i++)
		if (!strcmp(problem, table[i].problem))
			return &table[i];
	return NULL;
}

/* The place to blame, given where libyaml stopped and where the construct began. */
static struct mistake blame(const struct problem *known, str fed, size_t stopped, size_t began)
{
	struct mistake mistake = { .at = stopped, .related = SIZE_MAX };
	bool apart;

	if (!known || began == SIZE_MAX || known->blame == BLAME_PROBLEM)
		return mistake;
	apart = line_begin(fed, began) != line_begin(fed, stopped);
	if (known->blame == BLAME_CONTEXT || apart)
		mistake.at = began;
	if (known->blame == BLAME_BRACKET && began != stopped)
		mistake.related = apart ? stopped : began;
	return mistake;
}

/* A tab in the indentation is named before all else: libyaml stumbles over it in many ways, and
 * never says so. */
static struct mistake find_mistake(struct parser *parser)
{
	const yaml_parser_t *yaml = &parser->yaml;
	str fed = parser->marks.fed;
	bool reading = yaml->error == YAML_READER_ERROR;
	size_t stopped = reading ? yaml->problem_offset
	                         : marks_byte(&parser->marks, yaml->problem_mark.index);
	size_t began = !reading && yaml->context
	                       ? marks_byte(&parser->marks, yaml->context_mark.index)
	                       : SIZE_MAX;
	const struct problem *known = find_problem(yaml->problem);
	struct mistake mistake = blame(known, fed, stopped, began);
	size_t tab = reading || (yaml->context && strstr(yaml->context, "quoted"))
	                     ? fed.n : find_tab(fed, mistake.at);

	mistake.words = known ? str_of(known->words)
	                      : str_format(parser->tree->arena, "%s%s%s",
	                                   yaml->problem ? yaml->problem : "the text is no YAML",
	                                   yaml->context ? " " : "",
	                                   yaml->context ? yaml->context : "");
	if (str_starts(fed, STR("\xff\xfe")) || str_starts(fed, STR("\xfe\xff")))
		mistake.words = str_of(utf16_words);
	if (tab < fed.n)
		mistake = (struct mistake){ str_of(tab_words), tab, SIZE_MAX };
	return mistake;
}

/* Where the text was fed from another place (embedded), the span is taken back to the file. */
void parser_fail_from_yaml(struct parser *parser)
{
	struct mistake mistake = find_mistake(parser);
	str fed = parser->marks.fed;
	struct fault *fault;

	if (parser->yaml.error == YAML_MEMORY_ERROR) {
		parser_fail(parser, FAULT_LIMIT, parser_span(parser, 0, 0), STR("out of memory"));
		return;
	}
	fault = parser_fail(parser, FAULT_SYNTAX,
	                    parser_span(parser, mistake.at, word_end(fed, mistake.at)),
	                    mistake.words);
	if (fault && fault->kind == FAULT_SYNTAX && mistake.related != SIZE_MAX)
		fault->related = parser_span(parser, mistake.related,
		                             word_end(fed, mistake.related));
}

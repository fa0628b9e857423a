/* The text format: for people, on a terminal or in a log. */
#include <locale.h>
#include <wchar.h>

#include "report-internal.h"

/* Cells of a source line that are shown at most; what lies further off the span is cut. */
#define WINDOW 120
/* Cells kept before the span when a line is cut. */
#define WINDOW_BEFORE 40
/* Digits of a line number before the gutter moves. */
#define GUTTER 5

enum color { COLOR_NONE, COLOR_PATH, COLOR_ERROR, COLOR_WARNING, COLOR_NOTE, COLOR_DIM };
static const char *const color_codes[] = {
	[COLOR_PATH] = "\033[1m", [COLOR_ERROR] = "\033[1;31m", [COLOR_WARNING] = "\033[1;33m",
	[COLOR_NOTE] = "\033[1;36m", [COLOR_DIM] = "\033[2m",
};
static const enum color level_colors[] = {
	[LEVEL_NOTE] = COLOR_NOTE, [LEVEL_WARNING] = COLOR_WARNING, [LEVEL_ERROR] = COLOR_ERROR,
};

/* A finding on its way to the page. cells: a locale in which wcwidth() knows all characters,
 * so that the carets do not hang on whoever runs this. */
struct page {
	const struct report *report;
	struct buf *out;
	bool color;
	locale_t cells;
};

/* Colour is laid around whole words, so that a cut line never leaves it on. */
static void add_colored(const struct page *page, enum color color, str text)
{
	if (page->color && color != COLOR_NONE)
		buf_add(page->out, str_of(color_codes[color]));
	buf_add(page->out, text);
	if (page->color && color != COLOR_NONE)
		buf_add(page->out, STR("\033[0m"));
}

static str terminal(const struct page *page, str text)
{
	return report_terminal_text(page->report->arena, text);
}

/* ---- the source line ----------------------------------------------------------------- */

/* Cells that a character takes; combining marks take none. */
static unsigned cells_of(const struct page *page, uint32_t c)
{
	if (c < 0x7f || page->cells == (locale_t)0)
		return 1;
	locale_t former = uselocale(page->cells);
	int width = wcwidth((wchar_t)c);
	uselocale(former);
	return width < 0 ? 1 : (unsigned)width;
}

/* One character of a source line as shown: its text in the page, and its cells. */
struct cell {
	str text;
	size_t offset; /* in the line, bytes */
	unsigned width;
	bool tab;
};
struct cells VEC(struct cell);

/* Adds the cell of the first character of *rest and moves *rest behind it. */
static void add_cell(const struct page *page, str *rest, size_t offset, struct cells *cells)
{
	struct buf text = { .arena = page->report->arena };
	struct cell *cell = VEC_PUSH(page->report->arena, cells);
	bool valid;
	uint32_t c = utf8_next(rest, &valid);

	cell->offset = offset;
	cell->tab = c == '\t';
	if (cell->tab)
		buf_char(&text, '\t');
	else if (terminal_add(&text, c))
		cell->width = (unsigned)text.n;
	else
		cell->width = cells_of(page, c);
	cell->text = buf_str(&text);
}

/* Byte of the line at which the window begins: the line's own begin, or a little before the
 * span when the line is long. A line of a megabyte is not walked for each finding on it. */
static size_t window_begin(str line, size_t at)
{
	size_t begin = at;

	if (line.n <= WINDOW)
		return 0;
	for (size_t i = 0; i < WINDOW_BEFORE && begin > 0; i++)
		do
			begin--;
		while (begin > 0 && ((unsigned char)line.p[begin] & 0xc0) == 0x80);
	return begin;
}

/* The part of a line that is shown. */
struct window {
	struct cells cells;
	bool cut_before, cut_behind;
};

/* Counts what is shown, not bytes: an escape is as wide as it is long. */
static void fill_window(const struct page *page, str line, size_t at, struct window *ret_window)
{
	size_t begin = window_begin(line, at), width = 0;
	str rest = str_slice(line, begin, line.n);

	*ret_window = (struct window){ .cut_before = begin > 0 };
	while (rest.n > 0 && (width < WINDOW || line.n <= WINDOW)) {
		add_cell(page, &rest, line.n - rest.n, &ret_window->cells);
		width += ret_window->cells.v[ret_window->cells.n - 1].width;
	}
	ret_window->cut_behind = rest.n > 0;
}

static void add_gutter(const struct page *page, const char *mark)
{
	buf_printf(page->out, "%*s %s ", GUTTER, "", mark);
}

/* What leads the carets to byte `at`: tabs stay tabs, so that they jump as in the line. */
static void add_lead(const struct page *page, const struct cells *cells, size_t at)
{
	for (size_t i = 0; i < cells->n && cells->v[i].offset < at; i++) {
		if (cells->v[i].tab)
			buf_char(page->out, '\t');
		else
			buf_printf(page->out, "%*s", (int)cells->v[i].width, "");
	}
}

/* Carets under the bytes [begin, end), at least one. */
static void add_carets(const struct page *page, const struct cells *cells, size_t begin,
                       size_t end, enum color color)
{
	struct buf text = { .arena = page->report->arena };
	size_t width = 0;

	for (size_t i = 0; i < cells->n && cells->v[i].offset < end; i++)
		if (cells->v[i].offset >= begin)
			width += cells->v[i].tab ? 1 : cells->v[i].width;
	do
		buf_char(&text, '^');
	while (text.n < width);
	add_colored(page, color, buf_str(&text));
}

/* The line of a span without its byte order mark. */
static str line_of(const struct place *place)
{
	str line = source_line(place->source, place->begin.line);

	if (place->begin.line == 1 && str_starts(line, STR("\xef\xbb\xbf")))
		return str_slice(line, 3, line.n);
	return line;
}

/* The line with its number, and the carets under the span. */
static void add_source_line(const struct page *page, const struct place *place,
                            struct span span, enum color color)
{
	str line = line_of(place);
	const char *text = place->source->text.p;
	size_t offset = line.n > 0 ? (size_t)(line.p - text) : span.begin;
	size_t begin = span.begin > offset ? span.begin - offset : 0;
	size_t end = span.end > offset ? span.end - offset : 0;
	struct window window;

	begin = begin < line.n ? begin : line.n;
	fill_window(page, line, begin, &window);
	buf_printf(page->out, "%*u | %s", GUTTER, place->begin.line,
	           window.cut_before ? "..." : "");
	for (size_t i = 0; i < window.cells.n; i++)
		buf_add(page->out, window.cells.v[i].text);
	buf_add(page->out, window.cut_behind ? STR("...\n") : STR("\n"));
	add_gutter(page, window.cut_before ? "|   " : "|");
	add_lead(page, &window.cells, begin);
	add_carets(page, &window.cells, begin, end, color);
}

/* ---- a finding ----------------------------------------------------------------------- */

static void add_headline(const struct page *page, const struct finding *finding,
                         const struct place *place)
{
	struct buf at = { .arena = page->report->arena };

	/* A runner would take a line that begins so for a command. */
	if (str_starts(place->source->path, STR("::")) ||
	    str_starts(place->source->path, STR("##[")))
		buf_char(&at, ' ');
	buf_add(&at, terminal(page, place->source->path));
	buf_printf(&at, ":%u:%u", place->begin.line, place->begin.column);
	add_colored(page, COLOR_PATH, buf_str(&at));
	buf_add(page->out, STR("  "));
	add_colored(page, level_colors[finding->level], str_of(level_name(finding->level)));
	buf_printf(page->out, "  %s %s", finding->rule->code, finding->rule->name);
}

/* Places that the finding rests on, then what would repair it. */
static void add_evidence(const struct page *page, const struct finding *finding)
{
	for (size_t i = 0; i < finding->related.n; i++) {
		struct place place = place_of(page->report, finding->related.v[i].span);
		add_gutter(page, "=");
		buf_add(page->out, terminal(page, finding->related.v[i].message));
		if (place.source) {
			buf_add(page->out, STR(" ("));
			buf_add(page->out, terminal(page, place.source->path));
			buf_printf(page->out, ":%u)", place.begin.line);
		}
		buf_char(page->out, '\n');
	}
	if (finding->help.n == 0)
		return;
	add_gutter(page, "=");
	buf_add(page->out, STR("help: "));
	buf_add(page->out, terminal(page, finding->help));
	buf_printf(page->out, " (kubelint explain %s)\n", finding->rule->code);
}

/* The message stands behind the carets, beside what it is about. */
static void add_finding(const struct page *page, const struct finding *finding)
{
	struct place place = place_of(page->report, finding->span);

	if (!place.source)
		return;
	add_headline(page, finding, &place);
	if (page->report->quiet) {
		buf_add(page->out, STR(": "));
		buf_add(page->out, terminal(page, finding->message));
		buf_char(page->out, '\n');
		return;
	}
	buf_char(page->out, '\n');
	add_source_line(page, &place, finding->span, level_colors[finding->level]);
	buf_char(page->out, ' ');
	buf_add(page->out, terminal(page, finding->message));
	buf_char(page->out, '\n');
	add_evidence(page, finding);
}

/* C.UTF-8 knows the width of every character, whatever the locale of the user is. */
static void with_page(const struct report *report, bool color, struct buf *out,
                      void (*write)(const struct page *page, const void *what),
                      const void *what)
{
	struct page page = {
		.report = report,
		.out = out,
		.color = color,
		.cells = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0),
	};

	write(&page, what);
	if (page.cells != (locale_t)0)
		freelocale(page.cells);
}

static void write_one(const struct page *page, const void *what)
{
	add_finding(page, what);
}

void text_add_finding(const struct report *report, const struct finding *finding,
                      struct buf *out)
{
	struct report full = *report;

	full.quiet = false;
	with_page(&full, false, out, write_one, finding);
}

/* ---- the last line ------------------------------------------------------------------- */

static void add_count(struct buf *out, size_t count, const char *one, const char *many)
{
	buf_printf(out, "%zu %s", count, count == 1 ? one : many);
}

static void add_objects(struct buf *out, const struct report_summary *summary,
                        const char *before, const char *after)
{
	add_count(out, summary->files, "file", "files");
	buf_add(out, str_of(before));
	add_count(out, summary->workloads, "workload", "workloads");
	buf_add(out, STR(", "));
	add_count(out, summary->node_groups, "node group", "node groups");
	buf_add(out, str_of(after));
}

/* A run that failed must never look clean. */
static void add_summary(const struct report *report, struct buf *out)
{
	const struct report_summary *summary = &report->summary;
	bool clean = summary->errors + summary->warnings + summary->notes + summary->suppressed +
	             summary->baselined == 0;

	bool failed = summary->exit_code == 2;

	if (clean) {
		buf_add(out, failed ? STR("not all could be checked: ") : STR("ok: "));
		add_objects(out, summary, ", ", "\n");
		return;
	}
	add_count(out, summary->errors, "error", "errors");
	buf_add(out, STR(", "));
	add_count(out, summary->warnings, "warning", "warnings");
	if (summary->notes > 0) {
		buf_add(out, STR(", "));
		add_count(out, summary->notes, "note", "notes");
	}
	if (summary->suppressed > 0)
		buf_printf(out, ", %zu suppressed", summary->suppressed);
	if (summary->baselined > 0)
		buf_printf(out, ", %zu in the baseline", summary->baselined);
	buf_add(out, STR(" in "));
	add_objects(out, summary, " (", ")");
	buf_add(out, failed ? STR("; not all could be checked\n") : STR("\n"));
}

/* What is suppressed is counted in the last line and not shown. */
static void write_all(const struct page *page, const void *what)
{
	const struct findings *findings = what;
	bool any = false;

	for (size_t i = 0; i < findings->n; i++) {
		if (findings->v[i]->suppressed || findings->v[i]->baselined)
			continue;
		add_finding(page, findings->v[i]);
		any = true;
	}
	if (page->report->quiet)
		return;
	if (any)
		buf_char(page->out, '\n');
	add_summary(page->report, page->out);
}

void text_write(const struct report *report, struct buf *out)
{
	if (!report->very_quiet)
		with_page(report, report->color, out, write_all, &report->sink->findings);
}

/* SARIF's primaryLocationLineHash, as GitHub's upload action computes it (outputs.md section 1):
 * a rolling hash over a window of UTF-16 units, so that an alert survives lines that move. */
#include <inttypes.h>

#include "report-internal.h"

#define WINDOW 100
#define FACTOR 37u
#define END_UNIT 0xffffu

/* The units of a text that count, and where its lines begin among them. */
struct units {
	uint16_t *v;       /* WINDOW zeros behind the last */
	size_t n;
	size_t *lines;     /* index of each line's first unit */
	size_t line_count;
};

/* Adds a unit; the first after a line feed begins a line. */
static void add_unit(struct units *units, uint32_t unit)
{
	if (units->n == 0 || units->v[units->n - 1] == '\n')
		units->lines[units->line_count++] = units->n;
	units->v[units->n++] = (uint16_t)unit;
}

/* The upload action counts in UTF-16, as JavaScript does. */
static void add_code_point(struct units *units, uint32_t c)
{
	if (c < 0x10000) {
		add_unit(units, c);
		return;
	}
	add_unit(units, 0xd800 + ((c - 0x10000) >> 10));
	add_unit(units, 0xdc00 + ((c - 0x10000) & 0x3ff));
}

/* Lines that a text can have at most: one more than it has line ends. */
static size_t count_lines(str text)
{
	size_t n = 1;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n' || text.p[i] == '\r';
	return n;
}

/* Blanks do not count, and each kind of line end is one line feed. */
static void read_units(struct arena *arena, str text, struct units *ret_units)
{
	bool valid, after_return = false;

	*ret_units = (struct units){
		.v = arena_calloc(arena, text.n + 1 + WINDOW, sizeof *ret_units->v),
		.lines = arena_calloc(arena, count_lines(text) + 1, sizeof *ret_units->lines),
	};
	while (text.n > 0) {
		uint32_t c = utf8_next(&text, &valid);
		if (c == ' ' || c == '\t' || (after_return && c == '\n')) {
			after_return = false;
			continue;
		}
		after_return = c == '\r';
		add_code_point(ret_units, after_return ? '\n' : c);
	}
	add_unit(ret_units, END_UNIT);
}

/* The hash with its number among equal ones, counted from 1. */
static str numbered(struct arena *arena, struct map *seen, uint64_t hash)
{
	str text = str_format(arena, "%" PRIx64, hash);
	size_t *count = map_get(seen, text);

	if (!count) {
		count = ARENA_NEW(arena, size_t);
		map_put(seen, text, count);
	}
	return str_format(arena, "%.*s:%zu", STR_ARG(text), ++*count);
}

/* The hash of a line covers the WINDOW units from its first one on. leading is the weight of the
 * unit that leaves when the window moves by one. */
void report_line_hashes(struct arena *arena, str text, struct strs *ret_hashes)
{
	struct map *seen = map_new(arena);
	struct units units;
	uint64_t hash = 0, leading = 1;
	size_t line = 0;

	read_units(arena, text, &units);
	for (size_t i = 0; i < WINDOW; i++) {
		hash = hash * FACTOR + (i < units.n ? units.v[i] : 0);
		leading = i + 1 < WINDOW ? leading * FACTOR : leading;
	}
	for (size_t i = 0; i < units.n; i++) {
		if (line < units.line_count && units.lines[line] == i) {
			*VEC_PUSH(arena, ret_hashes) = numbered(arena, seen, hash);
			line++;
		}
		hash = (hash - units.v[i] * leading) * FACTOR + units.v[i + WINDOW];
	}
}

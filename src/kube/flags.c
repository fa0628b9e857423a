/* Which flags the releases of autoscaling components know (rules/data/component-flags.tsv).
 *
 * The components refuse to start with an unknown flag, so "never" must be true: it is said only
 * where the table's header calls the flag set whole. A flag that is in the table is judged by
 * its own releases, whole set or not.
 */
#include "kube-internal.h"

struct flag_row {
	str component, flag;    /* flag with its dashes */
	str type, value;        /* value: the default */
	str first, last;        /* releases; "<=1.19": already in the oldest that was read; last
	                         * empty: still in the newest */
	str deprecated_in, note;
};
#include "component-flags-table.h"

/* Releases whose flags the table has all, from its header: an absent flag is no flag there. */
struct whole_row {
	const char *component;
	struct version first, last;
	bool underscores;       /* the program takes _ for - */
};
static const struct whole_row whole_rows[] = {
	{ "cluster-autoscaler", { 1, 19, -1 }, { 1, 36, -1 }, true },
	{ "metrics-server", { 0, 4, -1 }, { 0, 9, -1 }, false },
	{ "kube-state-metrics", { 1, 7, -1 }, { 2, 20, -1 }, false },
	{ "prometheus-adapter", { 0, 8, -1 }, { 0, 12, -1 }, false },
};

/* Longest name of a flag that is compared. */
#define FLAG_MAX 100

/* NULL: no release of the component is whole. */
static const struct whole_row *whole_of(str component)
{
	for (size_t i = 0; i < COUNT_OF(whole_rows); i++)
		if (str_is(component, whole_rows[i].component))
			return &whole_rows[i];
	return NULL;
}

static bool is_known(struct version version)
{
	return version.major >= 0;
}

/* Does the table say for sure that a flag it lacks is unknown to that release? Without a
 * release the newest ones are meant. */
static bool set_is_whole(const struct whole_row *whole, struct version version)
{
	if (!whole || !is_known(version))
		return whole;
	return version_cmp(version, whole->first) >= 0 && version_cmp(version, whole->last) <= 0;
}

/* Rules ask for the bare name, the table has `--name`. */
static str without_dashes(str flag)
{
	while (flag.n && flag.p[0] == '-')
		flag = str_slice(flag, 1, flag.n);
	return flag;
}

static str bare_name(const struct flag_row *row)
{
	return without_dashes(row->flag);
}

/* The release of a cell; a "<=" before it is dropped. */
static bool cell_version(str cell, struct version *ret_version)
{
	if (str_starts(cell, STR("<=")))
		cell = str_slice(cell, 2, cell.n);
	return version_parse(cell, ret_version);
}

/* ---- releases of one row -------------------------------------------------------------- */

/* "1.32.0-1.32.2" or one release. */
static bool range_has(str range, struct version version)
{
	struct version first, last;
	str from, to;

	if (!str_cut(range, '-', &from, &to))
		to = from;
	return version.patch >= 0 && version_parse(str_trim(from), &first) &&
	       version_parse(str_trim(to), &last) && version_cmp(version, first) >= 0 &&
	       version_cmp(version, last) <= 0;
}

/* The note "not in A, B-C; …": patch releases that forgot the flag. */
static bool is_hole(const struct flag_row *row, struct version version)
{
	str note = row->note, part, rest, range;

	while (str_next(&note, ';', &part)) {
		part = str_trim(part);
		if (!str_starts(part, STR("not in ")))
			continue;
		rest = str_slice(part, 7, part.n);
		while (str_next(&rest, ',', &range))
			if (range_has(range, version))
				return true;
	}
	return false;
}

/* What the release does with a flag that some release has. */
static enum flag_state state_in(const struct flag_row *row, struct version version)
{
	struct version bound;

	if (!is_known(version))
		return row->last.n ? FLAG_REMOVED
		       : row->deprecated_in.n ? FLAG_DEPRECATED : FLAG_KNOWN;
	if (cell_version(row->first, &bound) && version_cmp(version, bound) < 0)
		return str_starts(row->first, STR("<=")) ? FLAG_UNDECIDED : FLAG_NOT_YET;
	if (row->last.n && cell_version(row->last, &bound) && version_cmp(version, bound) > 0)
		return FLAG_REMOVED;
	if (is_hole(row, version))
		return FLAG_NEVER;
	if (cell_version(row->deprecated_in, &bound) && version_cmp(version, bound) >= 0)
		return FLAG_DEPRECATED;
	return FLAG_KNOWN;
}

/* ---- the table ------------------------------------------------------------------------ */

/* A component has a few hundred rows at most, and is asked a few dozen times in a run. */
static const struct flag_row *row_of(str component, str flag)
{
	for (size_t i = 0; i < COUNT_OF(flag_rows); i++)
		if (str_eq(flag_rows[i].component, component) &&
		    str_eq(bare_name(&flag_rows[i]), flag))
			return &flag_rows[i];
	return NULL;
}

/* The nearest flag that the release has. */
static str nearest_flag(str component, str flag, struct version version)
{
	str names[COUNT_OF(flag_rows)];
	size_t n = 0, found;

	for (size_t i = 0; i < COUNT_OF(flag_rows); i++) {
		enum flag_state state;

		if (!str_eq(flag_rows[i].component, component))
			continue;
		state = state_in(&flag_rows[i], version);
		if (state == FLAG_KNOWN || state == FLAG_DEPRECATED)
			names[n++] = bare_name(&flag_rows[i]);
	}
	found = str_nearest(flag, names, n);
	return found < n ? names[found] : (str){ 0 };
}

/* The flag with - for _; space holds the copy. */
static str with_dashes(str flag, char *space)
{
	if (flag.n > FLAG_MAX)
		return flag;
	for (size_t i = 0; i < flag.n; i++)
		space[i] = flag.p[i] == '_' ? '-' : flag.p[i];
	return (str){ space, flag.n };
}

void component_flag(str component, str flag, struct version version, struct flag_fact *ret_fact)
{
	const struct whole_row *whole = whole_of(component);
	const struct flag_row *row;
	char space[FLAG_MAX];
	struct flag_fact fact = { .state = FLAG_UNDECIDED };

	flag = without_dashes(flag);
	if (whole && whole->underscores)
		flag = with_dashes(flag, space);
	row = row_of(component, flag);
	if (row) {
		fact.state = state_in(row, version);
		fact.type = row->type;
		fact.note = row->note;
		fact.since = row->first;
		fact.last = row->last;
	} else if (str_is(flag, "help") || str_is(flag, "h")) {
		fact.state = FLAG_KNOWN; /* every flag library has it */
		fact.type = STR("bool");
	} else if (set_is_whole(whole, version)) {
		fact.state = FLAG_NEVER;
	}
	if (fact.state == FLAG_REMOVED || fact.state == FLAG_NOT_YET ||
	    (fact.state == FLAG_NEVER && !row))
		fact.nearest = nearest_flag(component, flag, version);
	*ret_fact = fact;
}

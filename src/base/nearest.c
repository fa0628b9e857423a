/* How far apart two words are, and which of many was meant. Distances are counted in bytes:
 * names of Kubernetes are ASCII, and a wrong byte in another text is no worse than a wrong
 * letter. */
#include "base.h"

/* Longest word that is compared; anything longer is no name that somebody mistyped. */
#define WORD_MAX 128

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* One row of the optimal string alignment table for a[i-1]. */
static void fill_row(str a, str b, size_t i, size_t (*rows)[WORD_MAX + 1])
{
	size_t *row = rows[i % 3];
	const size_t *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

	row[0] = i;
	for (size_t j = 1; j <= b.n; j++) {
		bool same = a.p[i - 1] == b.p[j - 1];

		row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + !same);
		if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1] &&
		    above2[j - 2] + 1 < row[j])
			row[j] = above2[j - 2] + 1;
	}
}

/* Optimal string alignment: a transposition is one edit, and no part is edited twice. Three rows
 * are enough; words too long or too far apart by length alone are not compared. */
size_t str_distance(str a, str b, size_t limit)
{
	size_t rows[3][WORD_MAX + 1];
	size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;
	size_t distance;

	if (gap > limit || a.n > WORD_MAX || b.n > WORD_MAX)
		return str_eq(a, b) ? 0 : limit + 1;
	for (size_t j = 0; j <= b.n; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a.n; i++)
		fill_row(a, b, i, rows);
	distance = rows[a.n % 3][b.n];
	return distance > limit ? limit + 1 : distance;
}

bool str_one_edit(str a, str b)
{
	return a.n >= 3 && b.n >= 3 && str_distance(a, b, 1) == 1;
}

/* nodeselector for nodeSelector is the commonest slip, and too many single edits to be found by
 * distance. */
static bool same_but_case(str a, str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return false;
	return true;
}

/* Two candidates at the same least distance answer nothing: a wrong proposal is worse than none. */
size_t str_nearest(str s, const str *candidates, size_t count)
{
	size_t best = count, best_distance = SIZE_MAX;
	bool tie = false;

	for (size_t i = 0; i < count; i++) {
		size_t longer = s.n > candidates[i].n ? s.n : candidates[i].n;
		size_t limit = longer / 3;
		size_t distance = same_but_case(s, candidates[i])
		                          ? !str_eq(s, candidates[i])
		                          : str_distance(s, candidates[i], limit);

		if (!distance || (distance > limit && !same_but_case(s, candidates[i])))
			continue;
		if (distance == best_distance && !str_eq(candidates[i], candidates[best]))
			tie = true;
		if (distance < best_distance) {
			best = i;
			best_distance = distance;
			tie = false;
		}
	}
	return tie ? count : best;
}

/* Globs: `*`, `?` and […] within one part of a path, `**` for any number of parts. The last star
 * alone is gone back to, so the time is bounded by the product of the lengths. */
#include "source-internal.h"

/* Two texts that are walked together, and where to go on when the last star takes more. */
struct match {
	str glob, text;
	size_t g, t;
	bool starred;
	size_t star_g, star_t;
};

/* A `?` stands for one character, also where it has several bytes. */
static size_t character_length(str text, size_t at)
{
	size_t n = 1;

	while (at + n < text.n && ((unsigned char)text.p[at + n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* The byte of a class at *at, past a backslash. */
static char class_char(str glob, size_t *at)
{
	if (glob.p[*at] == '\\' && *at + 1 < glob.n)
		++*at;
	return glob.p[(*at)++];
}

/* The class that begins at glob[*at] (behind the bracket) against c; *at is moved behind its
 * end. A bracket that is never closed stands for itself. */
static bool class_matches(str glob, size_t *at, char c)
{
	size_t i = *at;
	bool negated = i < glob.n && (glob.p[i] == '!' || glob.p[i] == '^'), found = false;

	i += negated;
	for (size_t first = i; i < glob.n && (glob.p[i] != ']' || i == first);) {
		unsigned char low = (unsigned char)class_char(glob, &i), high = low;

		if (i + 1 < glob.n && glob.p[i] == '-' && glob.p[i + 1] != ']') {
			i++;
			high = (unsigned char)class_char(glob, &i);
		}
		found = found || ((unsigned char)c >= low && (unsigned char)c <= high);
	}
	if (i >= glob.n)
		return c == '[';
	*at = i + 1;
	return found != negated;
}

/* Matches one character and moves on; false when it does not fit. */
static bool step(struct match *match)
{
	size_t g = match->g;
	char wanted;

	if (g >= match->glob.n)
		return false;
	wanted = match->glob.p[g++];
	if (wanted == '?') {
		match->g = g;
		match->t += character_length(match->text, match->t);
		return true;
	}
	if (wanted == '[') {
		if (!class_matches(match->glob, &g, match->text.p[match->t]))
			return false;
	} else {
		if (wanted == '\\' && g < match->glob.n)
			wanted = match->glob.p[g++];
		if (wanted != match->text.p[match->t])
			return false;
	}
	match->g = g;
	match->t++;
	return true;
}

/* One part of a path, without slashes. */
static bool part_matches(str glob, str text)
{
	struct match match = { .glob = glob, .text = text };

	while (match.t < text.n) {
		if (match.g < glob.n && glob.p[match.g] == '*') {
			match.starred = true;
			match.star_g = ++match.g;
			match.star_t = match.t;
		} else if (!step(&match)) {
			if (!match.starred)
				return false;
			match.g = match.star_g;
			match.t = ++match.star_t;
		}
	}
	while (match.g < glob.n && glob.p[match.g] == '*')
		match.g++;
	return match.g == glob.n;
}

/* The part of a path that begins at byte at. */
static str part_at(str path, size_t at)
{
	str rest = str_slice(path, at, path.n);

	return str_slice(rest, 0, str_find(rest, '/'));
}

/* The same walk as within one part, but step by step over parts: `**` is their star. At the end of
 * a glob it wants one part at least, since it means what lies in a folder, not the folder. */
bool source_glob_matches(str glob, str path)
{
	struct match match = { 0 };

	if (str_starts(glob, STR("/")))
		glob = str_slice(glob, 1, glob.n);
	/* Behind the last part an index is one more than the length. */
	while (match.t <= path.n) {
		str wanted = match.g <= glob.n ? part_at(glob, match.g) : (str){ 0 };
		str part = part_at(path, match.t);

		if (str_is(wanted, "**")) {
			match.starred = true;
			match.star_g = match.g += 3;
			match.star_t = match.t;
			if (match.g > glob.n)
				return true;
		} else if (match.g <= glob.n && part_matches(wanted, part)) {
			match.g += wanted.n + 1;
			match.t += part.n + 1;
		} else {
			if (!match.starred)
				return false;
			match.g = match.star_g;
			match.star_t += part_at(path, match.star_t).n + 1;
			match.t = match.star_t;
		}
	}
	return match.g > glob.n;
}

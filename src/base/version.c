/* Versions as components write them (v1.29.3-eks-1a2b, 1.30.0+k3s1), and Go durations as flags
 * and manifests hold them (time.ParseDuration of Go 1.24). */
#include "base.h"

/* Reads a run of digits off the front; false without one or above int32. */
static bool take_number(str *s, int32_t *ret_value)
{
	size_t n = 0;
	int64_t value;

	while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	if (!str_to_int64(str_slice(*s, 0, n), &value) || value > INT32_MAX)
		return false;
	*s = str_slice(*s, n, s->n);
	*ret_value = (int32_t)value;
	return true;
}

/* Takes c off the front; false when something else stands there. */
static bool take_char(str *s, char c)
{
	if (!s->n || s->p[0] != c)
		return false;
	*s = str_slice(*s, 1, s->n);
	return true;
}

/* Suffixes of distributions (-eks-…, -gke.…, +k3s1) say nothing about the API and are left out. */
bool version_parse(str text, struct version *ret_version)
{
	struct version version = { .patch = -1 };

	text = str_trim(text);
	take_char(&text, 'v');
	if (!take_number(&text, &version.major) || !take_char(&text, '.') ||
	    !take_number(&text, &version.minor))
		return false;
	if (take_char(&text, '.') && !take_number(&text, &version.patch))
		return false;
	if (text.n && text.p[0] != '-' && text.p[0] != '+')
		return false;
	*ret_version = version;
	return true;
}

static int compare(int32_t a, int32_t b)
{
	return (a > b) - (a < b);
}

int version_cmp(struct version a, struct version b)
{
	int order = compare(a.major, b.major);

	if (!order)
		order = compare(a.minor, b.minor);
	if (!order && a.patch >= 0 && b.patch >= 0)
		order = compare(a.patch, b.patch);
	return order;
}

/* Length of one unit in nanoseconds, its letters taken off the front; 0 when it is none. */
static int64_t take_unit(str *s)
{
	static const struct {
		str name;
		int64_t nanoseconds;
	} units[] = {
		{ { "ns", 2 }, 1 }, { { "us", 2 }, 1000 }, { { "\xc2\xb5s", 3 }, 1000 },
		{ { "\xce\xbcs", 3 }, 1000 }, { { "ms", 2 }, 1000000 },
		{ { "s", 1 }, 1000000000 }, { { "m", 1 }, 60000000000 },
		{ { "h", 1 }, 3600000000000 },
	};

	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (str_starts(*s, units[i].name)) {
			*s = str_slice(*s, units[i].name.n, s->n);
			return units[i].nanoseconds;
		}
	return 0;
}

/* One `number unit` pair, with an optional fraction, added to *total. */
static bool take_part(str *s, int64_t *total)
{
	__extension__ __int128 value = 0;
	int64_t scale = 1, unit;
	size_t digits = 0;
	bool fraction = false;

	for (; s->n && ((s->p[0] >= '0' && s->p[0] <= '9') || (s->p[0] == '.' && !fraction));
	     *s = str_slice(*s, 1, s->n)) {
		if (s->p[0] == '.') {
			fraction = true;
			continue;
		}
		digits++;
		if (fraction && scale >= 1000000000000)
			continue; /* below a nanosecond whatever the unit */
		value = value * 10 + (s->p[0] - '0');
		scale *= fraction ? 10 : 1;
		if (value / scale > INT64_MAX)
			return false;
	}
	unit = take_unit(s);
	if (!digits || !unit)
		return false;
	value = value * unit / scale;
	if (value > INT64_MAX)
		return false;
	return !__builtin_add_overflow(*total, (int64_t)value, total);
}

/* Sums up `number unit` pairs; only 0 may stand without a unit. */
bool duration_parse(str text, int64_t *ret_nanoseconds)
{
	int64_t total = 0;
	bool negative = take_char(&text, '-');

	if (!negative)
		take_char(&text, '+');
	if (!text.n)
		return false;
	if (str_is(text, "0"))
		text.n = 0;
	while (text.n)
		if (!take_part(&text, &total))
			return false;
	*ret_nanoseconds = negative ? -total : total;
	return true;
}

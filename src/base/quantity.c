/* Kubernetes quantities, exactly. Facts from apimachinery pkg/api/resource (quantity.go,
 * suffix.go, v0.36): what is accepted, rounding up to nano, the cut of binary ones. */
#include "base.h"

#include <limits.h>

/* Decimal places that can matter: binary suffixes reach 2^60, so a boundary of one nano unit
 * has at most 69 places; what stands behind only says "a little more". */
#define LIMB_BASE 1000000000u
#define LIMB_DIGITS 9
#define LIMBS 8

/* Powers of ten that an __int128 of nano units holds above the point. */
#define INTEGER_DIGITS_MAX 29

#define SHIFT_STEP 30

__extension__ typedef __int128 int128;

/* A text taken apart, before it is understood. */
struct parts {
	bool negative;
	str whole, fraction, suffix; /* digits, digits, unit or exponent */
	bool has_digit;
};

/* A non-negative value: whole + limbs as a base-10^9 fraction + something tiny if sticky. */
struct fixed {
	int128 whole;
	uint32_t limbs[LIMBS];
	bool sticky;
	bool big; /* whole would have more than INTEGER_DIGITS_MAX digits */
};

/* What a suffix multiplies with. */
struct unit {
	str name;
	int32_t exponent; /* of 10 */
	int32_t shift;    /* of 2 */
};

static const struct unit units[] = {
	{ { "n", 1 }, -9, 0 },  { { "u", 1 }, -6, 0 },  { { "m", 1 }, -3, 0 },
	{ { "", 0 }, 0, 0 },    { { "k", 1 }, 3, 0 },   { { "M", 1 }, 6, 0 },
	{ { "G", 1 }, 9, 0 },   { { "T", 1 }, 12, 0 },  { { "P", 1 }, 15, 0 },
	{ { "E", 1 }, 18, 0 },  { { "Ki", 2 }, 0, 10 }, { { "Mi", 2 }, 0, 20 },
	{ { "Gi", 2 }, 0, 30 }, { { "Ti", 2 }, 0, 40 }, { { "Pi", 2 }, 0, 50 },
	{ { "Ei", 2 }, 0, 60 },
};

/* White space that Go's TrimSpace takes and that is not escaped in JSON: the API trims the
 * JSON text, in which tabs and line ends are backslash sequences by then. */
static const str spaces[] = {
	{ " ", 1 },
	{ "\xc2\x85", 2 },     { "\xc2\xa0", 2 },     { "\xe1\x9a\x80", 3 }, { "\xe2\x80\x80", 3 },
	{ "\xe2\x80\x81", 3 }, { "\xe2\x80\x82", 3 }, { "\xe2\x80\x83", 3 }, { "\xe2\x80\x84", 3 },
	{ "\xe2\x80\x85", 3 }, { "\xe2\x80\x86", 3 }, { "\xe2\x80\x87", 3 }, { "\xe2\x80\x88", 3 },
	{ "\xe2\x80\x89", 3 }, { "\xe2\x80\x8a", 3 }, { "\xe2\x80\xaf", 3 }, { "\xe2\x81\x9f", 3 },
	{ "\xe3\x80\x80", 3 },
};

/* Takes one space off the front or the back; false when there is none. */
static bool strip_space(str *s)
{
	for (size_t i = 0; i < COUNT_OF(spaces); i++) {
		if (str_starts(*s, spaces[i])) {
			*s = str_slice(*s, spaces[i].n, s->n);
			return true;
		}
		if (str_ends(*s, spaces[i])) {
			s->n -= spaces[i].n;
			return true;
		}
	}
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The run of digits at the front, taken off. */
static str take_digits(str *s)
{
	str digits = { s->p, 0 };

	while (digits.n < s->n && is_digit(s->p[digits.n]))
		digits.n++;
	*s = str_slice(*s, digits.n, s->n);
	return digits;
}

/* True when s is letters of units, then maybe a sign and digits: ^[eEinumkKMGTP]*[-+]?[0-9]*$ */
static bool suffix_is_formed(str s)
{
	while (s.n && str_find(STR("eEinumkKMGTP"), s.p[0]) < sizeof "eEinumkKMGTP" - 1)
		s = str_slice(s, 1, s.n);
	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_slice(s, 1, s.n);
	take_digits(&s);
	return !s.n;
}

/* Takes a text apart as upstream's parseQuantityString does: the parts may be empty, and what
 * they mean is another matter. */
static bool split(str text, struct parts *ret_parts)
{
	struct parts parts = { .negative = text.n && text.p[0] == '-' };

	if (!text.n)
		return false;
	if (text.p[0] == '-' || text.p[0] == '+')
		text = str_slice(text, 1, text.n);
	parts.whole = take_digits(&text);
	if (text.n && text.p[0] == '.') {
		text = str_slice(text, 1, text.n);
		parts.fraction = take_digits(&text);
	}
	parts.suffix = text;
	parts.has_digit = parts.whole.n || parts.fraction.n;
	*ret_parts = parts;
	return suffix_is_formed(text);
}

/* The meaning of a suffix. An exponent that int32 does not hold wraps, as upstream's does. */
static bool unit_of(str suffix, struct unit *ret_unit)
{
	int64_t exponent;

	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (str_eq(units[i].name, suffix)) {
			*ret_unit = units[i];
			return true;
		}
	if (suffix.n < 2 || (suffix.p[0] != 'e' && suffix.p[0] != 'E') ||
	    !str_to_int64(str_slice(suffix, 1, suffix.n), &exponent))
		return false;
	*ret_unit = (struct unit){ .exponent = (int32_t)(uint32_t)(uint64_t)exponent };
	return true;
}

/* Adds digit x 10^place. Places come in falling order, one by one. */
static void add_digit(struct fixed *value, unsigned digit, int64_t place)
{
	static const uint32_t powers[LIMB_DIGITS] = { 100000000, 10000000, 1000000, 100000, 10000,
		                                      1000, 100, 10, 1 };
	int64_t below = -place - 1;

	if (place >= 0)
		value->whole = value->whole * 10 + digit;
	else if (below < LIMBS * LIMB_DIGITS)
		value->limbs[below / LIMB_DIGITS] += digit * powers[below % LIMB_DIGITS];
	else if (digit)
		value->sticky = true;
}

/* Digits of both halves, the point moved by exponent. */
static struct fixed fixed_of(str whole, str fraction, int32_t exponent)
{
	struct fixed value = { 0 };
	int64_t place = (int64_t)whole.n + exponent - 1;
	bool leading = true;

	for (size_t i = 0; i < whole.n + fraction.n; i++, place--) {
		char c = i < whole.n ? whole.p[i] : fraction.p[i - whole.n];

		if (leading && c == '0')
			continue;
		leading = false;
		value.big = value.big || place >= INTEGER_DIGITS_MAX;
		if (value.big)
			return value;
		add_digit(&value, (unsigned)(c - '0'), place);
	}
	for (; !leading && place >= 0; place--)
		add_digit(&value, 0, place);
	return value;
}

/* value x 2^bits, 0 <= bits <= SHIFT_STEP; the whole part is at most 2^63 before. */
static void shift_step(struct fixed *value, int bits)
{
	uint64_t carry = 0;

	for (int i = LIMBS - 1; i >= 0; i--) {
		carry += (uint64_t)value->limbs[i] << bits;
		value->limbs[i] = (uint32_t)(carry % LIMB_BASE);
		carry /= LIMB_BASE;
	}
	value->whole = (value->whole << bits) + (int128)carry;
}

/* value x 2^bits, cut to what int64 holds, as upstream does with binary suffixes. */
static void shift_and_cut(struct fixed *value, int bits)
{
	for (; bits > 0 && !value->big && value->whole <= INT64_MAX; bits -= SHIFT_STEP)
		shift_step(value, bits < SHIFT_STEP ? bits : SHIFT_STEP);
	if (value->big || value->whole >= INT64_MAX)
		*value = (struct fixed){ .whole = INT64_MAX };
}

/* In nano units, rounded up. */
static int128 nano_of(const struct fixed *value)
{
	bool more = value->sticky;

	for (size_t i = 1; i < LIMBS; i++)
		more = more || value->limbs[i];
	return value->whole * LIMB_BASE + value->limbs[0] + more;
}

/* Upstream knows a number without any digit only on its fast path: as 0 where the suffix is
 * not too far from 1, else as an error. */
static bool digitless_is_zero(const struct unit *unit)
{
	return unit->shift ? unit->shift <= 40 : unit->exponent >= -9;
}

bool quantity_parse(str text, struct quantity *ret_quantity)
{
	struct parts parts;
	struct unit unit;
	struct fixed value;

	*ret_quantity = (struct quantity){ 0 };
	while (strip_space(&text))
		;
	if (!split(text, &parts) || !unit_of(parts.suffix, &unit))
		return false;
	if (!parts.has_digit && parts.suffix.n && !digitless_is_zero(&unit))
		return false;
	value = fixed_of(parts.whole, parts.fraction, unit.exponent);
	if (unit.shift)
		shift_and_cut(&value, unit.shift);
	ret_quantity->binary = unit.shift != 0;
	ret_quantity->format_milli = str_is(parts.suffix, "m");
	ret_quantity->big = value.big;
	ret_quantity->nano = value.big ? 0 : nano_of(&value);
	if (parts.negative)
		ret_quantity->nano = -ret_quantity->nano;
	ret_quantity->negative = parts.negative && (value.big || ret_quantity->nano);
	return true;
}

/* A value that was rounded to nano keeps its sign: rounding goes away from 0. */
int quantity_sign(const struct quantity *q)
{
	if (q->negative)
		return -1;
	return q->big || q->nano > 0;
}

int quantity_cmp(const struct quantity *a, const struct quantity *b)
{
	/* A big one is farther from 0 than any other; two of one sign count as equal. */
	int a_far = a->big ? quantity_sign(a) : 0, b_far = b->big ? quantity_sign(b) : 0;

	if (a_far != b_far)
		return a_far < b_far ? -1 : 1;
	return (a->nano > b->nano) - (a->nano < b->nano);
}

bool quantity_is_whole(const struct quantity *q)
{
	return q->big || q->nano % LIMB_BASE == 0;
}

/* nano / divisor rounded up (towards larger values). */
static bool divide_up(const struct quantity *q, int64_t divisor, int64_t *ret_value)
{
	int128 value = q->nano / divisor + (q->nano > 0 && q->nano % divisor != 0);
	bool above = q->big ? !q->negative : value > INT64_MAX;
	bool below = q->big ? q->negative : value < INT64_MIN;

	*ret_value = above ? INT64_MAX : below ? INT64_MIN : (int64_t)value;
	return !above && !below;
}

bool quantity_milli_ceil(const struct quantity *q, int64_t *ret_value)
{
	return divide_up(q, 1000000, ret_value);
}

bool quantity_value_ceil(const struct quantity *q, int64_t *ret_value)
{
	return divide_up(q, LIMB_BASE, ret_value);
}

/* Bytes with the largest binary suffix that keeps them whole. */
static str bytes_text(struct arena *arena, int64_t amount)
{
	static const char *const suffixes[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	size_t i = 0;

	while (amount && amount % 1024 == 0 && i + 1 < COUNT_OF(suffixes)) {
		amount /= 1024;
		i++;
	}
	return str_format(arena, "%lld%s", (long long)amount, suffixes[i]);
}

/* cpu is counted in thousandths, as everywhere in this program. */
str amount_text(struct arena *arena, str resource, int64_t amount)
{
	if (str_is(resource, "cpu"))
		return amount % 1000 ? str_format(arena, "%lldm", (long long)amount)
		                     : str_format(arena, "%lld", (long long)(amount / 1000));
	if (str_is(resource, "memory") || str_is(resource, "ephemeral-storage") ||
	    str_starts(resource, STR("hugepages-")))
		return bytes_text(arena, amount);
	return str_format(arena, "%lld", (long long)amount);
}

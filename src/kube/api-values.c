/* Single values. Upstream: apimachinery pkg/util/validation; robfig/cron v3 for schedules. */
#include "api.h"

#include <arpa/inet.h>

/* ---- names ---------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
static bool is_lower_alnum(char c) { return is_lower(c) || is_digit(c); }
static bool is_alnum(char c) { return is_letter(c) || is_digit(c); }

/* Begins and ends with what ends takes; between may also stand characters of inner. */
static bool has_form(str s, bool (*ends)(char c), str inner)
{
	if (s.n == 0 || !ends(s.p[0]) || !ends(s.p[s.n - 1]))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!ends(s.p[i]) && str_find(inner, s.p[i]) == inner.n)
			return false;
	return true;
}

bool name_is_dns_label(str s)
{
	return s.n <= 63 && has_form(s, is_lower_alnum, STR("-"));
}

/* Its parts may be longer than 63, as upstream's are. */
bool name_is_dns_subdomain(str s)
{
	str rest = s, part;

	if (s.n == 0 || s.n > 253 || s.p[s.n - 1] == '.')
		return false;
	while (str_next(&rest, '.', &part))
		if (!has_form(part, is_lower_alnum, STR("-")))
			return false;
	return true;
}

bool label_key_is_valid(str s)
{
	str prefix, name;

	if (!str_cut(s, '/', &prefix, &name))
		name = s;
	else if (!name_is_dns_subdomain(prefix))
		return false;
	return name.n <= 63 && has_form(name, is_alnum, STR("-_."));
}

bool label_value_is_valid(str s)
{
	return s.n == 0 || (s.n <= 63 && has_form(s, is_alnum, STR("-_.")));
}

bool api_is_path_segment(str name)
{
	return !str_is(name, ".") && !str_is(name, "..") && str_find(name, '/') == name.n &&
	       str_find(name, '%') == name.n;
}

/* Upstream: IsValidPortName (RFC 6335). */
bool api_is_port_name(str name)
{
	bool letter = false;

	if (name.n > 15 || !has_form(name, is_lower_alnum, STR("-")) ||
	    str_contains(name, STR("--")))
		return false;
	for (size_t i = 0; i < name.n; i++)
		letter = letter || is_lower(name.p[i]);
	return letter;
}

/* ---- wants ---------------------------------------------------------------------------- */

/* For messages: the nearest field around a list item. */
static const char *place_name(const struct api_place *place)
{
	for (; place; place = place->outer)
		if (place->field)
			return place->field;
	return "the value";
}

void api_want_label(const struct api_check *check, const struct api_place *place)
{
	str text = api_text(place);

	if (!name_is_dns_label(text))
		api_fault(check, place, API_INVALID,
		          "%s is \"%.*s\", but must be a DNS label: at most 63 of a-z, 0-9 and "
		          "inner dashes", place_name(place), STR_ARG(text));
}

void api_want_subdomain(const struct api_check *check, const struct api_place *place)
{
	str text = api_text(place);

	if (!name_is_dns_subdomain(text))
		api_fault(check, place, API_INVALID,
		          "%s is \"%.*s\", but must be a DNS name: parts of a-z, 0-9 and inner "
		          "dashes, joined by dots", place_name(place), STR_ARG(text));
}

void api_want_qualified(const struct api_check *check, const struct api_place *place)
{
	str text = api_text(place);

	if (!label_key_is_valid(text))
		api_fault(check, place, API_INVALID,
		          "%s is \"%.*s\", which is no valid label key", place_name(place),
		          STR_ARG(text));
}

/* Digits and a percent sign; a number too large for int64 is the largest. */
static bool percent_of(str text, int64_t *ret_percent)
{
	*ret_percent = 0;
	if (text.n < 2 || text.p[text.n - 1] != '%')
		return false;
	for (size_t i = 0; i + 1 < text.n; i++)
		if (!is_digit(text.p[i]))
			return false;
	if (!str_to_int64(str_slice(text, 0, text.n - 1), ret_percent))
		*ret_percent = INT64_MAX;
	return true;
}

void api_want_share(const struct api_check *check, const struct api_place *place, bool whole)
{
	str text = api_text(place);
	int64_t value;

	if (!api_has(place) || place->node->kind != NODE_SCALAR)
		return;
	if (place->node->type == SCALAR_STRING && !percent_of(text, &value))
		api_fault(check, place, API_INVALID,
		          "%s is \"%.*s\", but must be a count without quotes or a percentage "
		          "like 50%%", place_name(place), STR_ARG(text));
	else if (place->node->type == SCALAR_STRING && whole && value > 100)
		api_fault(check, place, API_INVALID, "%s is %.*s, but must be at most 100%%",
		          place_name(place), STR_ARG(text));
	else if (api_int(place, &value) && value < 0)
		api_fault(check, place, API_INVALID, "%s is %lld, but must be at least 0",
		          place_name(place), (long long)value);
}

int64_t api_share(const struct api_place *place, int64_t otherwise)
{
	int64_t value;

	if (api_int(place, &value) || percent_of(api_text(place), &value) ||
	    str_to_int64(api_text(place), &value))
		return value;
	/* what is not known is taken for something: it must not make a fault */
	return api_lacks(place) ? otherwise : api_has(place) ? 0 : 1;
}

void api_want_port(const struct api_check *check, const struct api_place *place)
{
	str text = api_text(place);
	int64_t value = 0;

	if (place->node && !api_has(place) && !api_lacks(place))
		return;
	if (api_has(place) && place->node->type == SCALAR_STRING) {
		if (!api_is_port_name(text))
			api_fault(check, place, API_INVALID,
			          "port is \"%.*s\", which is no valid port name", STR_ARG(text));
		return;
	}
	if ((api_lacks(place) || api_int(place, &value)) && (value < 1 || value > 65535))
		api_fault(check, place, API_INVALID, "port is %lld, but must be 1 to 65535",
		          (long long)value);
}

/* ---- addresses ------------------------------------------------------------------------ */

/* Since 1.36 strictly: no leading zeros, which some programs read as octal, and no IPv4 address
 * in IPv6 clothes. */
bool api_is_ip(str text)
{
	char copy[INET6_ADDRSTRLEN];
	struct in6_addr address;

	if (text.n == 0 || text.n >= sizeof(copy))
		return false;
	for (size_t i = 0; i < text.n; i++)
		copy[i] = text.p[i];
	copy[text.n] = '\0';
	return inet_pton(AF_INET, copy, &address) == 1 ||
	       (inet_pton(AF_INET6, copy, &address) == 1 && !IN6_IS_ADDR_V4MAPPED(&address));
}

/* ---- schedules ------------------------------------------------------------------------ */

struct cron_field {
	const char *what;
	int64_t min, max;
	const char *names; /* three letters each, in order from min; NULL: none */
};
static const struct cron_field cron_fields[] = {
	{ "minute", 0, 59, NULL },
	{ "hour", 0, 23, NULL },
	{ "day of month", 1, 31, NULL },
	{ "month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
	{ "day of week", 0, 6, "sunmontuewedthufrisat" },
};
static const char *const cron_descriptors[] = {
	"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly",
};

static char to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* A number or a name in any case. */
static bool cron_value(str text, const struct cron_field *field, int64_t *ret_value)
{
	const char *name = field->names;

	for (int64_t i = 0; name && name[i * 3] && text.n == 3; i++) {
		const char *p = &name[i * 3];

		if (to_lower(text.p[0]) == p[0] && to_lower(text.p[1]) == p[1] &&
		    to_lower(text.p[2]) == p[2]) {
			*ret_value = field->min + i;
			return true;
		}
	}
	return str_to_int64(text, ret_value) && *ret_value >= 0;
}

/* One of a comma list: value, a-b, either with /step. */
static bool is_cron_range(str text, const struct cron_field *field)
{
	str range, step_text, low_text, high_text;
	bool stepped = str_cut(text, '/', &range, &step_text);
	bool pair = str_cut(range, '-', &low_text, &high_text);
	int64_t low = field->min, high = field->max, step = 1;

	/* what stands behind the dash of a `*-5` is not looked at */
	if (!str_is(low_text, "*") && !str_is(low_text, "?")) {
		if (!cron_value(low_text, field, &low))
			return false;
		if (pair ? !cron_value(high_text, field, &high) : false)
			return false;
		if (!pair && !stepped)
			high = low;
	}
	if (stepped && (!str_to_int64(step_text, &step) || step <= 0))
		return false;
	return low >= field->min && high <= field->max && low <= high;
}

/* Empty pieces between commas are passed over, as in Go's FieldsFunc. */
static bool is_cron_field(str text, const struct cron_field *field)
{
	str rest = text, part;

	while (str_next(&rest, ',', &part))
		if (part.n > 0 && !is_cron_range(part, field))
			return false;
	return true;
}

/* Shorthands, and @every with a Go duration. */
static bool is_descriptor(str text)
{
	int64_t nanoseconds;

	for (size_t i = 0; i < COUNT_OF(cron_descriptors); i++)
		if (str_is(text, cron_descriptors[i]))
			return true;
	return str_starts(text, STR("@every ")) &&
	       duration_parse(str_slice(text, 7, text.n), &nanoseconds);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static str next_word(str *rest)
{
	size_t begin = 0, end;
	str word;

	while (begin < rest->n && is_space(rest->p[begin]))
		begin++;
	for (end = begin; end < rest->n && !is_space(rest->p[end]);)
		end++;
	word = str_slice(*rest, begin, end);
	*rest = str_slice(*rest, end, rest->n);
	return word;
}

bool api_is_schedule(str text, const char **ret_why)
{
	str rest = text;

	*ret_why = "it has not exactly five fields";
	if (str_contains(text, STR("TZ"))) {
		*ret_why = "a time zone belongs into timeZone";
		return false;
	}
	if (text.n > 0 && text.p[0] == '@') {
		*ret_why = "there is no such descriptor";
		return is_descriptor(text);
	}
	for (size_t i = 0; i < COUNT_OF(cron_fields); i++) {
		str word = next_word(&rest);

		if (word.n == 0)
			return false;
		if (!is_cron_field(word, &cron_fields[i])) {
			*ret_why = cron_fields[i].what;
			return false;
		}
	}
	return next_word(&rest).n == 0;
}

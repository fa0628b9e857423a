/* Places and names, as more than one writer says them. */
#include "report-internal.h"

/* An empty span is a place between two characters. */
struct place place_of(const struct report *report, struct span span)
{
	struct place place = { .source = source_of(report->sources, span.file) };

	if (!place.source)
		return place;
	place.begin = source_position(place.source, span.begin);
	place.end = span.end > span.begin ? source_position(place.source, span.end) : place.begin;
	return place;
}

str object_ref_text(struct arena *arena, const struct object_ref *object)
{
	if (object->kind.n == 0)
		return STR("");
	if (object->namespace.n == 0)
		return str_format(arena, "%.*s %.*s", STR_ARG(object->kind), STR_ARG(object->name));
	return str_format(arena, "%.*s %.*s/%.*s", STR_ARG(object->kind),
	                  STR_ARG(object->namespace), STR_ARG(object->name));
}

str object_ref_path(struct arena *arena, const struct object_ref *object)
{
	str group, version;

	if (object->kind.n == 0)
		return STR("");
	if (!str_cut(object->api_version, '/', &group, &version) && group.n == 0)
		group = STR("v1");
	if (object->namespace.n == 0)
		return str_format(arena, "%.*s/%.*s/%.*s", STR_ARG(group), STR_ARG(object->kind),
		                  STR_ARG(object->name));
	return str_format(arena, "%.*s/%.*s/%.*s/%.*s", STR_ARG(group), STR_ARG(object->kind),
	                  STR_ARG(object->namespace), STR_ARG(object->name));
}

str rule_address(const struct report *report, const struct rule *rule)
{
	return str_format(report->arena, REPORT_HOME "/rules/%s", rule->code);
}

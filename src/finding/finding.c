/* Levels, and the texts of one finding. */
#include "finding.h"

static const char *const level_names[] = {
	[LEVEL_NOTE] = "note",
	[LEVEL_WARNING] = "warning",
	[LEVEL_ERROR] = "error",
};

const char *level_name(enum level level)
{
	return level_names[level];
}

bool level_parse(str text, enum level *ret_level)
{
	for (size_t i = 0; i < COUNT_OF(level_names); i++) {
		if (str_is(text, level_names[i])) {
			*ret_level = (enum level)i;
			return true;
		}
	}
	return false;
}

void finding_message(struct sink *sink, struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	finding->message = str_vformat(sink->arena, format, args);
	va_end(args);
}

void finding_help(struct sink *sink, struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	finding->help = str_vformat(sink->arena, format, args);
	va_end(args);
}

void finding_relate(struct sink *sink, struct finding *finding, struct span span,
                    const char *format, ...)
{
	va_list args;

	if (span.file == 0)
		return; /* a place outside of the files cannot be shown */
	struct related *related = VEC_PUSH(sink->arena, &finding->related);
	related->span = span;
	va_start(args, format);
	related->message = str_vformat(sink->arena, format, args);
	va_end(args);
}

void finding_fix(struct sink *sink, struct finding *finding, bool safe, const char *description,
                 struct edit edit)
{
	struct fix *fix = VEC_PUSH(sink->arena, &finding->fixes);

	fix->description = str_copy(sink->arena, str_of(description));
	fix->safe = safe;
	edit.text = str_copy(sink->arena, edit.text);
	*VEC_PUSH(sink->arena, &fix->edits) = edit;
}

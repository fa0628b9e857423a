/* The table of formats. */
#include "report-internal.h"

static const char *const no_names[] = { NULL };
static const char *const json_names[] = { ".json", NULL };
static const char *const sarif_names[] = { ".sarif", ".sarif.json", NULL };
static const char *const junit_names[] = { "junit.xml", NULL };

static const struct report_format formats[] = {
	{ "text", text_write, no_names },
	{ "json", json_write, json_names },
	{ "sarif", sarif_write, sarif_names },
	{ "junit", junit_write, junit_names },
};

const struct report_format *report_formats(size_t *ret_count)
{
	*ret_count = COUNT_OF(formats);
	return formats;
}

const struct report_format *report_format_find(str name)
{
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (str_is(name, formats[i].name))
			return &formats[i];
	return NULL;
}

/* The longest ending wins: .sarif.json is SARIF. */
const struct report_format *report_format_of_file(str file)
{
	const struct report_format *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		for (size_t k = 0; formats[i].file_names[k]; k++) {
			str ending = str_of(formats[i].file_names[k]);
			if (ending.n > longest && str_ends(file, ending)) {
				longest = ending.n;
				best = &formats[i];
			}
		}
	}
	return best;
}

/* What a configuration says of findings: suppressions by rule, file and object, levels of rules;
 * and which of that does nothing (KL010). */
#include "triage-internal.h"

/* ---- matching -------------------------------------------------------------------------- */

static bool means(str selector, const struct rule *rule)
{
	return str_is(selector, "*") || rule_selected(rule, selector);
}

/* Kind/namespace/name, or Kind/name of a cluster-scoped kind; part by part, so that no `*`
 * reaches over a slash. */
static bool object_matches(str pattern, const struct object_ref *object)
{
	const str parts[] = { object->kind, object->namespace, object->name };
	str piece;

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (i == 1 && object->namespace.n == 0)
			continue;
		if (!str_next(&pattern, '/', &piece) || !source_glob_matches(piece, parts[i]))
			return false;
	}
	return pattern.n == 0;
}

static bool path_matches(const struct source_set *sources, str pattern, uint32_t file)
{
	const struct source *source = sources ? source_of(sources, file) : NULL;

	return source && source_glob_matches(pattern, source->path);
}

static bool ignore_matches(const struct source_set *sources, const struct rule_ignore *ignore,
                           const struct finding *finding)
{
	return means(ignore->rule, finding->rule) &&
	       (!ignore->path.n || path_matches(sources, ignore->path, finding->span.file)) &&
	       (!ignore->object.n || object_matches(ignore->object, &finding->object));
}

/* ---- KL010 ------------------------------------------------------------------------------ */

static bool is_known(const struct triage_options *options, str name)
{
	for (size_t i = 0; i < options->rule_count; i++)
		if (means(name, &options->rules[i]))
			return true;
	return options->rule_count == 0;
}

static struct finding *say(struct sink *sink, const struct rule *rule, struct span span, str name)
{
	struct finding *finding = sink_add(sink, rule, LEVEL_NOTE, span);

	finding->salient = name;
	return finding;
}

/* Names of rules are checked wherever the file has one. */
static void check_name(struct sink *sink, const struct triage_options *options, str name,
                       struct span span)
{
	struct finding *finding;

	if (!options->unused_rule || !span.file || is_known(options, name))
		return;
	finding = say(sink, options->unused_rule, span, name);
	finding_message(sink, finding, "no rule is called \"%.*s\"", STR_ARG(name));
	finding_help(sink, finding, "write a code, a name or a family");
}

static void check_names(struct sink *sink, const struct triage_options *options)
{
	for (size_t i = 0; i < options->ignores.n; i++)
		check_name(sink, options, options->ignores.v[i].rule, options->ignores.v[i].span);
	for (size_t i = 0; i < options->levels.n; i++)
		check_name(sink, options, options->levels.v[i].rule, options->levels.v[i].span);
	for (size_t i = 0; i < options->mentions.n; i++)
		check_name(sink, options, options->mentions.v[i].rule,
		           options->mentions.v[i].span);
}

/* A run over a part of the tree proves nothing about entries for other files. */
static bool could_match(const struct source_set *sources, const struct rule_ignore *ignore)
{
	if (!ignore->path.n)
		return true;
	for (size_t i = 0; sources && i < sources->sources.n; i++)
		if (source_glob_matches(ignore->path, sources->sources.v[i]->path))
			return true;
	return false;
}

static void check_ignore(struct sink *sink, const struct triage_options *options,
                         const struct source_set *sources, const struct rule_ignore *ignore,
                         bool used)
{
	const struct rule *rule = options->unused_rule;

	if (!rule || !ignore->span.file || !is_known(options, ignore->rule))
		return;
	if (!used && could_match(sources, ignore)) {
		struct finding *finding = say(sink, rule, ignore->span, ignore->rule);

		finding_message(sink, finding, "nothing is found that this \"ignore %.*s\" would "
		                "suppress", STR_ARG(ignore->rule));
		finding_help(sink, finding, "remove it, so that it hides nothing later");
	} else if (used && options->require_reasons && !ignore->reason.n) {
		triage_say_reasonless(sink, rule, ignore->span, ignore->rule);
	}
}

struct finding *triage_say_reasonless(struct sink *sink, const struct rule *rule, struct span span,
                                      str name)
{
	struct finding *finding = say(sink, rule, span, name);

	finding_message(sink, finding, "\"ignore %.*s\" gives no reason, which requireReasons asks "
	                "for", STR_ARG(name));
	finding_help(sink, finding, "say why in a few words");
	return finding;
}

/* ---- applying ---------------------------------------------------------------------------- */

void triage_ignore(struct sink *sink, const struct scopes *scopes,
                   const struct triage_options *options)
{
	const struct source_set *sources = scopes->n > 0 ? scopes->v[0]->sources : NULL;
	size_t count = sink->findings.n; /* KL010's own come behind */

	for (size_t i = 0; i < options->ignores.n; i++) {
		const struct rule_ignore *ignore = &options->ignores.v[i];
		bool used = false;

		for (size_t k = 0; k < count; k++) {
			struct finding *finding = sink->findings.v[k];

			if (!ignore_matches(sources, ignore, finding))
				continue;
			used = true;
			if (finding->suppressed)
				continue;
			finding->suppressed = finding->external = true;
			finding->justification = str_copy(sink->arena, ignore->reason);
		}
		check_ignore(sink, options, sources, ignore, used);
	}
	check_names(sink, options);
}

bool triage_is_off(const struct triage_options *options, const struct rule *rule)
{
	bool off = false;

	for (size_t i = 0; i < options->levels.n; i++)
		if (means(options->levels.v[i].rule, rule))
			off = options->levels.v[i].off;
	return off;
}

void triage_set_levels(struct sink *sink, const struct triage_options *options)
{
	for (size_t i = 0; i < sink->findings.n && options->levels.n; i++) {
		struct finding *finding = sink->findings.v[i];

		for (size_t k = 0; k < options->levels.n; k++)
			if (means(options->levels.v[k].rule, finding->rule) &&
			    !options->levels.v[k].off)
				finding->level = options->levels.v[k].level;
	}
}

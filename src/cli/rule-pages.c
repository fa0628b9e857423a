/* kubelint rules, explain and version: what is known without reading anything. */
#include "cli-internal.h"
#include "rules.h"

static int print(const struct run *run, const struct buf *text)
{
	print_text(run, buf_str(text));
	return 0;
}

int rules_list_run(const struct run *run)
{
	struct buf text = { .arena = run->arena };
	size_t count = 0;
	const struct rule *rules = rules_all(&count);

	report_rules(rules, count, format_of(run->options), &text);
	return print(run, &text);
}

static int no_such_rule(const struct run *run, str name)
{
	str near = rule_nearest(name);

	if (near.n > 0)
		fprintf(run->err,
		        "kubelint: error: no rule is called '%.*s'; did you mean '%.*s'?\n",
		        STR_ARG(name), STR_ARG(near));
	else
		fprintf(run->err,
		        "kubelint: error: no rule is called '%.*s'; `kubelint rules` lists them\n",
		        STR_ARG(name));
	return 2;
}

int explain_run(const struct run *run)
{
	struct buf text = { .arena = run->arena };

	if (run->options->paths.n != 1) {
		fprintf(run->err, "kubelint: error: explain takes one code or name of a rule\n");
		return 2;
	}
	const struct rule *rule = rule_find(run->options->paths.v[0]);
	if (!rule)
		return no_such_rule(run, run->options->paths.v[0]);
	report_rule(rule, format_of(run->options), &text);
	return print(run, &text);
}

int version_run(const struct run *run)
{
	struct version newest = kube_newest();

	fprintf(run->out, "kubelint %s (Kubernetes up to %d.%d)\n", cli_version, newest.major,
	        newest.minor);
	return 0;
}

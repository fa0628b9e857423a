/* The command table. */
#include "cli-internal.h"

static const char *const check_examples[] = {
	"kubelint check k8s infra/node-groups.yaml",
	"kubelint check --format sarif --output junit:junit.xml .",
	"helm template web charts/web | kubelint check --inventory infra -",
	NULL,
};
static const char *const inventory_examples[] = {
	"kubelint inventory infra",
	"kubectl get nodes -o yaml | kubelint inventory --format yaml -",
	NULL,
};
static const char *const fit_examples[] = {
	"kubelint fit k8s infra",
	"kubelint fit --workload prod/web --format csv .",
	NULL,
};
static const char *const why_examples[] = {
	"kubelint why prod/web k8s infra",
	"kubelint why Deployment/prod/web --group gpu-pool",
	NULL,
};
static const char *const capacity_examples[] = {
	"kubelint capacity k8s infra",
	"kubelint capacity --format json .",
	NULL,
};
static const char *const config_examples[] = {
	"kubelint config",
	"kubelint config --schema > kubelint.schema.json",
	NULL,
};
static const char *const rules_examples[] = { "kubelint rules", "kubelint rules -f json", NULL };
static const char *const explain_examples[] = {
	"kubelint explain KL101",
	"kubelint explain node-selector-unmatched",
	NULL,
};
static const char *const no_examples[] = { NULL };

static const struct command commands[] = {
	{ "check", COMMAND_CHECK, "[PATH...]", "check manifests against the declared node groups",
	  "text,json,sarif,junit", check_examples, check_run },
	{ "fit", COMMAND_FIT, "[PATH...]", "show which workload runs on which node group",
	  "text,markdown,json,csv", fit_examples, fit_run },
	{ "why", COMMAND_WHY, "[KIND/]NS/NAME [PATH...]",
	  "tell why a workload runs, or does not, on each node group", "text", why_examples,
	  why_run },
	{ "capacity", COMMAND_CAPACITY, "[PATH...]",
	  "show how full the node groups get, and what does not fit", "text,markdown,json,csv",
	  capacity_examples, capacity_run },
	{ "inventory", COMMAND_INVENTORY, "[PATH...]", "show the node groups as understood",
	  "text,json,yaml", inventory_examples, inventory_run },
	{ "config", COMMAND_CONFIG, "[PATH...]", "show the configuration, or what may stand in it",
	  "text", config_examples, config_run },
	{ "rules", COMMAND_RULES, "", "list the rules: code, name, level", "text,json",
	  rules_examples, rules_list_run },
	{ "explain", COMMAND_EXPLAIN, "RULE", "show a rule's page: what, why, how to fix",
	  "text,markdown,json", explain_examples, explain_run },
	{ "version", COMMAND_VERSION, "", "print the version", "", no_examples, version_run },
	{ "help", COMMAND_HELP, "[COMMAND]", "show help of a command", "", no_examples, help_run },
};

const struct command *commands_all(size_t *ret_count)
{
	*ret_count = COUNT_OF(commands);
	return commands;
}

const struct command *command_find(str name)
{
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		if (str_is(name, commands[i].name))
			return &commands[i];
	return NULL;
}

str command_nearest(str name)
{
	str names[COUNT_OF(commands)];

	for (size_t i = 0; i < COUNT_OF(commands); i++)
		names[i] = str_of(commands[i].name);
	size_t i = str_nearest(name, names, COUNT_OF(commands));
	return i < COUNT_OF(commands) ? names[i] : STR("");
}

/* kubelint fit, why and capacity from the outside: one small repository, and what is said of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "program.h"

/* Two groups of which one is tainted and one unbounded in what is known; names that need care. */
static const char manifest[] =
	"apiVersion: kubelint.dev/v1\nkind: NodeGroupInventory\nnodeGroups:\n"
	"  - {name: plain, minSize: 0, maxSize: 2, labels: {size: small}, taints: [],\n"
	"     allocatable: {cpu: 2, memory: 4Gi, pods: 10}}\n"
	"  - {name: tainted, minSize: 0, maxSize: 1, taints: [\"team=ml:NoSchedule\"],\n"
	"     allocatable: {cpu: 8, memory: 16Gi, pods: 10}}\n";
static const char pod_format[] =
	"---\napiVersion: apps/v1\nkind: %s\nmetadata: {name: %s, namespace: %s}\n"
	"spec:\n  replicas: %d\n  selector: {matchLabels: {app: x}}\n  template:\n"
	"    metadata: {labels: {app: x}}\n    spec:\n      nodeSelector: %s\n"
	"      containers:\n        - name: c\n          image: r.example.com/c:1\n"
	"          resources: {requests: {cpu: %s, memory: 64Mi}}\n";
static const struct {
	const char *kind, *name, *ns;
	int replicas;
	const char *selector, *cpu;
} pods[] = {
	{ "Deployment", "fits", "prod", 2, "{}", "\"1\"" },
	{ "Deployment", "lacks", "prod", 1, "{size: huge}", "\"1\"" },
	{ "Deployment", "large", "prod", 1, "{}", "\"4\"" },
	{ "Deployment", "many", "prod", 9, "{size: small}", "\"1\"" },
	{ "Deployment", "twin", "prod", 1, "{}", "100m" },
	{ "StatefulSet", "twin", "stage", 1, "{}", "100m" },
};

static const struct row {
	const char *line;
	int status;
	const char *out, *err;
} rows[] = {
	{ "kubelint fit m.yaml", 0, "workload    plain  tainted\n", "" },
	{ "kubelint fit m.yaml", 0, "prod/fits   yes    taint\n", "" },
	{ "kubelint fit m.yaml", 0, "prod/lacks  label  taint\n", "" },
	{ "kubelint fit m.yaml", 0, "prod/large  cpu    taint\n", "" },
	{ "kubelint fit m.yaml", 0, "Insufficient cpu: cpu 4 of 2\n", "" },
	{ "kubelint fit --group plain m.yaml", 0, "workload    plain\n", "" },
	{ "kubelint fit --workload large m.yaml", 0, "prod/large  cpu    taint\n", "" },
	{ "kubelint fit --workload deployment/prod/large --format csv m.yaml", 0,
	  ",,Deployment/prod/large,plain,cpu,Insufficient cpu,cpu 4 of 2\r\n", "" },
	{ "kubelint fit --format markdown m.yaml", 0, "| prod/large | cpu | taint |\n", "" },
	{ "kubelint fit --format json m.yaml", 0, "\"Insufficient cpu: cpu 4 of 2\"", "" },
	{ "kubelint fit --workload prod/larg m.yaml", 2, "", "did you mean 'prod/large'?" },
	{ "kubelint fit --group plan m.yaml", 2, "", "did you mean 'plain'?" },
	{ "kubelint fit --format yaml m.yaml", 2, "", "--format takes one of text,markdown,json,csv" },
	{ "kubelint fit nosuch.yaml", 2, "", "nosuch.yaml: no such file" },
	{ "kubelint why fits m.yaml", 0, "Deployment/prod/fits (m.yaml:11) wants 2 replicas\n", "" },
	{ "kubelint why fits m.yaml", 0, "plain (m.yaml:4): fits\n", "" },
	{ "kubelint why fits m.yaml", 0,
	  "  plain: 2 nodes x 2 a node = 4, bound by cpu (m.yaml:4)\n", "" },
	{ "kubelint why fits m.yaml", 0, "fix: tolerate it: {key: team, operator: Equal,", "" },
	{ "kubelint why lacks m.yaml", 1, "Not placeable: none of 2 node groups can run it", "" },
	{ "kubelint why prod/large m.yaml", 1, "Insufficient cpu: cpu 4 of 2 (pod m.yaml:52; group "
	                                      "m.yaml:5)\n", "" },
	{ "kubelint why many m.yaml", 1, "4 of 9 replicas fit, bound by cpu: 5 stay Pending\n", "" },
	{ "kubelint why many m.yaml", 1, "raise the maximum of plain from 2 to 5 nodes", "" },
	{ "kubelint why large --group plain m.yaml", 1,
	  "    yes NodePorts\n    no  NodeResourcesFit\n", "" },
	{ "kubelint why large --group plan m.yaml", 2, "", "did you mean 'plain'?" },
	{ "kubelint why twin m.yaml", 2, "", "2 workloads are called 'twin'; which of them?\n"
	                                    "  Deployment/prod/twin\n  StatefulSet/stage/twin\n" },
	{ "kubelint why stage/twin m.yaml", 0, "StatefulSet/stage/twin", "" },
	{ "kubelint why prod/lax m.yaml", 2, "", "no workload is called 'prod/lax'" },
	{ "kubelint why", 2, "", "which workload? as `kubelint why prod/web k8s`" },
	{ "kubelint why --help", 0, "--group NAME", "" },
	{ "kubelint capacity m.yaml", 0, "plain       2    2         2     ", "" },
	{ "kubelint capacity m.yaml", 0, "prod/many   9         9     4          cpu\n", "" },
	{ "kubelint capacity --format csv m.yaml", 0, ",,group,plain,2,2,2,", "" },
	{ "kubelint capacity --format json m.yaml", 0, "\"leastMaxSize\": ", "" },
	{ "kubelint capacity --format markdown m.yaml", 0, "| prod/many | 9 | 9 | 4 | cpu |\n", "" },
	{ "kubelint capacity --group plain m.yaml", 2, "", "takes no option --group" },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];
		struct result result;
		run_in(row->line, NULL, &result);
		if (result.status != row->status || !strstr(result.out, row->out) ||
		    !strstr(result.err, row->err))
			fail_msg("%s: status %d, wanted %d, '%s' and '%s':\n%s%s", row->line,
			         result.status, row->status, row->out, row->err, result.out,
			         result.err);
		forget(&result);
	}
}

/* No line is wider than the terminal, as long as no single word is. */
static void test_width(void **state)
{
	static const char *const lines[] = {
		"kubelint fit m.yaml", "kubelint why large m.yaml", "kubelint capacity m.yaml",
	};
	static const int widths[] = { 50, 60, 80, 120 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lines) * COUNT_OF(widths); i++) {
		int width = widths[i % COUNT_OF(widths)];
		char columns[32], *save = NULL;
		const char *const environment[] = { columns, NULL };
		struct result result;
		snprintf(columns, sizeof columns, "COLUMNS=%d", width);
		run_in(lines[i / COUNT_OF(widths)], environment, &result);
		assert_true(result.out[0] != '\0');
		for (char *line = strtok_r(result.out, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			if (strlen(line) > (size_t)width)
				fail_msg("%s: wider than %d: %s", lines[i / COUNT_OF(widths)],
				         width, line);
		forget(&result);
	}
}

static int make_file(void **state)
{
	static char folder[] = "/tmp/kubelint-matrix-XXXXXX";
	FILE *file;

	(void)state;
	if (!mkdtemp(folder) || chdir(folder) != 0 || !(file = fopen("m.yaml", "w")))
		return -1;
	fputs(manifest, file);
	for (size_t i = 0; i < COUNT_OF(pods); i++)
		fprintf(file, pod_format, pods[i].kind, pods[i].name, pods[i].ns,
		        pods[i].replicas, pods[i].selector, pods[i].cpu);
	return fclose(file);
}

static int remove_file(void **state)
{
	char *folder = getcwd(NULL, 0);

	(void)state;
	unlink("m.yaml");
	int status = chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
	free(folder);
	return status;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_width),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}

/* The program as scripts see it: arguments and files in, exit status and two streams out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "program.h"

/* Files of the folder that the tests work in. */
static const struct {
	const char *path, *text;
} files[] = {
	{ "clean/app.yaml",
	  "apiVersion: v1\nkind: Service\nmetadata: {name: app, namespace: shop}\n"
	  "spec:\n  selector: {app: app}\n  ports: [{port: 80}]\n" },
	{ "broken/a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: a\n" },
	{ "broken/b.yaml",
	  "apiVersion: v1\nkind: Service\nmetadata: {name: b, namespace: shop}\n"
	  "spec:\n  selector: {app: b}\n  ports: [{port: 80}]\n" },
	{ "quantity/pod.yaml",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec:\n  containers:\n"
	  "    - name: c\n      image: r.example.com/c:1\n      resources:\n"
	  "        requests: {cpu: 100m, memory: 400Mib}\n" },
	{ "warning/pod.yaml",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec:\n"
	  "  runtimeClassName: sandboxed\n  containers:\n"
	  "    - name: c\n      image: r.example.com/c:1\n      resources:\n"
	  "        requests: {cpu: 100m, memory: 400Mi}\n        limits: {memory: 400Mi}\n" },
	{ "quieted/pod.yaml",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: q, namespace: shop}\nspec:\n"
	  "  runtimeClassName: sandboxed # kubelint: ignore KL012 it is there\n  containers:\n"
	  "    - name: c\n      image: r.example.com/c:1\n      resources:\n"
	  "        requests: {cpu: 100m, memory: 400Mi}\n        limits: {memory: 400Mi}\n" },
	{ "config/minimal.yaml", "failOn: error\nclusters: [{name: prod, paths: [.]}]\n" },
	{ "config/wrong.yaml", "failOn: high\n" },
	{ "note/pod.yaml",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec:\n  containers:\n"
	  "    - name: c\n      image: r.example.com/c:1\n      resources:\n"
	  "        limits: {memory: 400Mi}\n" },
	{ "foreign/role.yaml",
	  "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, name: s}\n" },
	{ "house/.kubelint.yaml",
	  "rules: [{rule: KL403, level: warning}]\nminLevel: warning\nformat: json\n"
	  "ignore: [{rule: KL012, object: Pod/shop/p, reason: a trial}]\n" },
	{ "house/pod.yaml",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec:\n"
	  "  runtimeClassName: sandboxed\n  containers:\n"
	  "    - name: c\n      image: r.example.com/c:1\n      resources:\n"
	  "        limits: {memory: 400Mi}\n" },
	{ "sick/.kubelint.yaml", "failOn: high\nclusters: [{name: a}]\nruls: []\n" },
	{ "sick/choice.yaml", "critical: [{workloads: \"a in b\"}]\n" },
	{ "towns/.kubelint.yaml", "clusters: [{name: north}, {name: south, paths: [south]}]\n" },
	{ "towns/pod.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n" },
	{ "seen/.kubelint.yaml",
	  "usage: [{file: top.txt, format: top}, {file: list.txt, format: yaml}]\n" },
	{ "seen/top.txt",
	  "NAMESPACE   POD   NAME   CPU(cores)   MEMORY(bytes)\nshop p c 10m 390Mi\n"
	  "shop other c 10m 900Mi\nshop p side 10m 900Mi\nshort line\n" },
	{ "seen/list.txt", "- {workload: Pod/shop/p, container: c, peakMemory: 380Mi}\n" },
	{ "seen/pod.yaml",
	  "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec:\n  containers:\n"
	  "    - name: c\n      image: r.example.com/c:1\n      resources:\n"
	  "        requests: {cpu: 100m, memory: 400Mi}\n        limits: {memory: 400Mi}\n" },
	{ "lost/.kubelint.yaml", "usage: [{file: nosuch.txt, format: top}]\n" },
	{ "other/compose.yaml", "services:\n  web: {image: web}\n" },
	{ "empty/readme.txt", "nothing here\n" },
	{ "nodes/pools.yaml",
	  "apiVersion: kubelint.dev/v1\nkind: NodeGroupInventory\nnodeGroups:\n"
	  "  - {name: general, minSize: 1, maxSize: 3, instanceTypes: [m5.large]}\n" },
};

static void run(const char *line, struct result *ret_result)
{
	run_in(line, NULL, ret_result);
}

static void assert_holds(const char *line, const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("%s: '%s' is not in:\n%s", line, part, text);
}

static void assert_lacks(const char *line, const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("%s: '%s' is in:\n%s", line, part, text);
}

static int make_files(void **state)
{
	static char folder[] = "/tmp/kubelint-cli-XXXXXX";

	(void)state;
	if (!mkdtemp(folder) || chdir(folder) != 0)
		return -1;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		char *path = strdup(files[i].path);
		*strchr(path, '/') = '\0';
		mkdir(path, 0755);
		free(path);
		FILE *file = fopen(files[i].path, "w");
		if (!file || fputs(files[i].text, file) < 0 || fclose(file) != 0)
			return -1;
	}
	return 0;
}

static int remove_files(void **state)
{
	char *folder = getcwd(NULL, 0);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++)
		unlink(files[i].path);
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		char *path = strdup(files[i].path);
		*strchr(path, '/') = '\0';
		rmdir(path);
		free(path);
	}
	int status = chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
	free(folder);
	return status;
}

/* ---- exit status and messages -------------------------------------------------------- */

/* A command line, its exit status, and parts of what goes to the two streams. */
static const struct row {
	const char *line;
	int status;
	const char *out, *err;
} rows[] = {
	/* nothing found */
	{ "kubelint check clean", 0, "ok: 1 file, 0 workloads, 0 node groups\n", "" },
	{ "kubelint check clean/app.yaml", 0, "ok: 1 file", "" },
	{ "kubelint check -q clean", 0, "", "" },
	{ "kubelint check --quiet clean", 0, "", "" },
	{ "kubelint check --no-gitignore --force-exclude clean", 0, "ok: 1 file", "" },
	{ "kubelint check - --allow-empty --stdin-filename x.yaml", 0, "ok", "" },
	{ "kubelint check note", 0, "note  KL403", "" },
	{ "kubelint check --fail-on error warning", 0, "warning  KL012", "" },
	{ "kubelint check --fail-on never broken", 0, "error  KL001", "" },
	{ "kubelint check --ignore KL012 warning", 0, "ok: 1 file", "" },
	{ "kubelint check --select KL1,hpa-request-missing warning", 0, "ok: 1 file", "" },
	{ "kubelint check --allow-empty empty", 0, "ok: 0 files", "" },
	{ "kubelint check --allow-empty other", 0, "ok: 1 file", "" },
	{ "kubelint check foreign clean", 0, "ok: 2 files", "" },
	{ "kubelint check --strict-yaml foreign clean", 1, "KL002 duplicate-key", "" },
	{ "kubelint check --no-config --jobs 1 clean", 0, "ok: 1 file", "" },
	{ "kubelint check -j2 clean", 0, "ok: 1 file", "" },
	{ "kubelint check --config config/minimal.yaml warning", 0, "warning  KL012", "" },
	{ "kubelint check -c config/wrong.yaml --no-config clean", 0, "ok: 1 file", "" },
	{ "kubelint check quieted", 0, "1 suppressed in 1 file", "" },
	{ "kubelint check --no-suppressed -f json quieted", 0, "\"diagnostics\": []", "" },
	/* findings */
	{ "kubelint check --ignore-suppressions quieted", 1, "warning  KL012", "" },
	{ "kubelint check warning", 1, "warning/pod.yaml:5:21  warning  KL012", "" },
	{ "kubelint check --select KL4 --extend-select KL012 warning", 1, "KL012", "" },
	{ "kubelint check --fail-on note note", 1, "note  KL403", "" },
	{ "kubelint check -- clean warning", 1, "in 2 files", "" },
	{ "kubelint check clean warning --fail-on=warning", 1, "in 2 files", "" },
	{ "kubelint check -qq warning", 1, "", "" },
	{ "kubelint check -q warning", 1, "warning  KL012 unresolved-reference: ", "" },
	/* one broken file of several: the others are checked, the place is told */
	{ "kubelint check broken", 1, "broken/a.yaml:", "" },
	{ "kubelint check broken", 1, "error  KL001 yaml-syntax", "" },
	{ "kubelint check broken", 1, "in 2 files", "" },
	/* a bad quantity: place, value, status */
	{ "kubelint check quantity", 1, "quantity/pod.yaml:9:", "" },
	{ "kubelint check quantity", 1, "400Mib", "" },
	/* the run cannot be trusted */
	{ "kubelint check nosuch", 2, "not all could be checked", "nosuch: no such file or folder" },
	{ "kubelint check nosuch broken", 2, "error  KL001", "nosuch: no such file or folder" },
	{ "kubelint check clean nosuch.yaml", 2, "", "nosuch.yaml: no such file or folder" },
	{ "kubelint check --fail-on never nosuch", 2, "", "nosuch: no such" },
	{ "kubelint check empty", 2, "not all could be checked",
	  "empty: no Kubernetes object or node group in it" },
	{ "kubelint check other", 2, "", "other: no Kubernetes object or node group in it" },
	{ "kubelint check clean other", 2, "", "other: no Kubernetes object" },
	{ "kubelint check --max-file-size 10 clean", 2, "", "clean/app.yaml: is larger than" },
	{ "kubelint check --max-findings 1 broken quantity", 2, "1 error",
	  "of which the first 1 are written" },
	{ "kubelint check -o json:/dev/full clean", 2, "ok: 1 file", "--output /dev/full: " },
	{ "kubelint check -o json:/nonexistent/x.json clean", 2, "", "No such file or directory" },
	{ "kubelint check -o text:clean/app.yaml clean", 2, "", "is one of the files that were checked" },
	{ "kubelint inventory nosuch", 2, "", "nosuch: no such file or folder" },
	{ "kubelint check --config nosuch.yaml clean", 2, "", "nosuch.yaml: " },
	{ "kubelint check --config config/wrong.yaml clean", 2, "", "config/wrong.yaml:1:9: failOn: " },
	{ "kubelint check --config config/minimal.yaml --cluster tset clean", 2, "", "tset" },
	/* usage */
	{ "kubelint", 2, "", "Usage: kubelint COMMAND" },
	{ "kubelint chek clean", 2, "", "unknown command 'chek'; did you mean `kubelint check`?" },
	{ "kubelint ./clean", 2, "", "did you mean `kubelint check ./clean`?" },
	{ "kubelint -q clean", 2, "", "a command comes first" },
	{ "kubelint check --fromat json clean", 2, "", "unknown option --fromat; did you mean --format?" },
	{ "kubelint check --fail never clean", 2, "", "unknown option --fail; did you mean --fail-on?" },
	{ "kubelint check --zzz clean", 2, "", "unknown option --zzz; `kubelint check --help`" },
	{ "kubelint check -Z clean", 2, "", "unknown option -Z" },
	{ "kubelint check --complete=1 clean", 2, "", "--complete takes no value" },
	{ "kubelint check clean --select", 2, "", "--select needs a value: RULES" },
	{ "kubelint check clean -f", 2, "", "--format needs a value: FORMAT" },
	{ "kubelint check --format xml clean", 2, "", "--format takes one of text,json,sarif,junit" },
	{ "kubelint check --fail-on high clean", 2, "", "error, warning, note or never, not 'high'" },
	{ "kubelint check --min-level info clean", 2, "", "note, warning or error, not 'info'" },
	{ "kubelint check --select KL999 clean", 2, "", "no rule is called 'KL999'" },
	{ "kubelint check --ignore hpa-request-mising clean", 2, "",
	  "did you mean 'hpa-request-missing'?" },
	{ "kubelint check --kubernetes latest clean", 2, "", "--kubernetes takes a version as 1.34" },
	{ "kubelint check --jobs 0 clean", 2, "", "--jobs takes a number from 1 on" },
	{ "kubelint check --max-findings x clean", 2, "", "--max-findings takes a number" },
	{ "kubelint check --max-file-size 10Mib clean", 2, "", "--max-file-size takes a size" },
	{ "kubelint check --color blue clean", 2, "", "auto, always or never, not 'blue'" },
	{ "kubelint check --junit-passing some clean", 2, "", "all or none, not 'some'" },
	{ "kubelint check -o report.xyz clean", 2, "", "names none of the formats text, json" },
	{ "kubelint check -o json: clean", 2, "", "the file is missing" },
	{ "kubelint check -f json -o sarif:- clean", 2, "", "more than one report" },
	{ "kubelint check --root nosuch clean", 2, "", "--root nosuch: no such folder" },
	{ "kubelint rules --fail-on note", 2, "", "`kubelint rules` takes no option --fail-on" },
	{ "kubelint explain", 2, "", "explain takes one code or name" },
	{ "kubelint explain KL999", 2, "", "no rule is called 'KL999'" },
	{ "kubelint explain hpa-request-mising", 2, "", "did you mean 'hpa-request-missing'?" },
	{ "kubelint help chek", 2, "", "did you mean 'check'?" },
	/* what the other commands say */
	{ "kubelint version", 0, "kubelint ", "" },
	{ "kubelint --version", 0, "kubelint ", "" },
	{ "kubelint check --version", 0, "kubelint ", "" },
	{ "kubelint -h", 0, "Commands:", "" },
	{ "kubelint --help", 0, "Commands:", "" },
	{ "kubelint check --help", 0, "What to check:", "" },
	{ "kubelint help", 0, "Commands:", "" },
	{ "kubelint help rules", 0, "kubelint rules: ", "" },
	{ "kubelint check -h", 0, "What to check:", "" },
	{ "kubelint rules", 0, "KL203  error    hpa-request-missing\n", "" },
	{ "kubelint rules -f json", 0, "\"code\": \"KL203\"", "" },
	{ "kubelint explain KL203", 0, "KL203 hpa-request-missing (error)", "" },
	{ "kubelint explain hpa-request-missing -f markdown", 0, "# KL203", "" },
	{ "kubelint explain KL203 --format json", 0, "\"why\": ", "" },
	{ "kubelint inventory nodes", 0, "general  (native, nodes/pools.yaml:4)", "" },
	{ "kubelint inventory nodes -f yaml", 0, "kind: \"NodeGroupInventory\"", "" },
	{ "kubelint inventory nodes -f json", 0, "\"maxSize\": 3", "" },
	{ "kubelint inventory clean --inventory nodes", 0, "general", "" },
	{ "kubelint config --show", 0, "failOn: ", "" },
	{ "kubelint config --schema", 0, "\"$schema\"", "" },
	{ "kubelint config --files clean", 0, "clean/app.yaml\n", "" },
	/* the configuration */
	{ "kubelint check house", 1, "\"justification\": \"a trial\"", "" },
	{ "kubelint check -f text house", 1, "warning  KL403", "" },
	{ "kubelint check -f text house", 1, "1 warning, 1 suppressed in 2 files", "" },
	{ "kubelint check -f text house/pod.yaml --fail-on error", 0, "1 suppressed", "" },
	{ "kubelint check -f text house --ignore-suppressions", 1, "warning  KL012", "" },
	{ "kubelint check house --no-suppressed", 1, "\"suppressed\": 1", "" },
	{ "kubelint check -f sarif house", 1, "\"kind\": \"external\"", "" },
	{ "kubelint check -f junit house", 1, "(a trial)", "" },
	{ "kubelint check --no-config house", 1, "warning  KL012", "" },
	{ "kubelint check --config house/.kubelint.yaml -f text note", 1, "warning  KL403", "" },
	{ "kubelint check -c nosuch.yaml clean", 2, "", "nosuch.yaml: the configuration cannot" },
	{ "kubelint check sick", 2, "", "sick/.kubelint.yaml:1:9: failOn: high is none of: error" },
	{ "kubelint check sick", 2, "", "sick/.kubelint.yaml:3:1: ruls: there is no such key; the "
	                                "nearest is rules" },
	{ "kubelint check -c sick/choice.yaml clean", 2, "",
	  "sick/choice.yaml:1:24: critical[0].workloads: a in b: a label selector" },
	{ "kubelint check seen", 1, "container c peaks at 390Mi and its memory limit is 400Mi", "" },
	{ "kubelint check lost", 2, "", "lost/.kubelint.yaml:1:16: usage[0].file: the file cannot" },
	{ "kubelint check --cluster north towns", 0, "ok: 2 files", "" },
	{ "kubelint check --cluster west towns", 2, "", "there is no cluster called west" },
	{ "kubelint check --cluster west clean", 2, "", "--cluster needs a configuration" },
	{ "kubelint config house", 0, "failOn: warning  # default\n", "" },
	{ "kubelint config --show house", 0, "minLevel: warning  # file\n", "" },
	{ "kubelint config --files house", 0, "house/pod.yaml\n", "" },
	{ "kubelint config --schema", 0, "\"additionalProperties\": false", "" },
	/* what check says besides */
	{ "kubelint check --strict-yaml clean", 0, "ok: 1 file", "" },
	{ "kubelint check --statistics warning", 1, "     1  KL012 unresolved-reference\n", "" },
	{ "kubelint check --min-level error warning", 0, "ok: 1 file", "" },
	{ "kubelint check --verbose clean", 0, "ok: 1 file", "read 1 files" },
	{ "kubelint check --output json:- clean", 0, "\"exitCode\": 0", "" },
	{ "kubelint check -v other clean --allow-empty", 0, "ok: 2 files", "of no use here" },
	{ "kubelint check -f json clean", 0, "\"exitCode\": 0", "" },
	{ "kubelint check -o json:- clean", 0, "\"exitCode\": 0", "" },
	{ "kubelint check -f json nosuch", 2, "\"exitCode\": 2", "nosuch" },
	{ "kubelint check -f sarif --sarif-category prod clean", 0, "\"kubelint/prod/\"", "" },
	{ "kubelint check -f junit note", 0, "name=\"v1/Pod/shop/p\"", "" },
	{ "kubelint check -f junit --junit-passing none clean", 0, "tests=\"1\"", "" },
	{ "kubelint check --root clean clean", 0, "ok: 1 file", "" },
	{ "kubelint check --root warning -q warning", 1, "pod.yaml:5:21  ", "" },
	{ "kubelint check --exclude warning . -q", 1, "broken/a.yaml", "" },
	{ "kubelint check --kubernetes 1.29 clean", 0, "ok: 1 file", "" },
	{ "kubelint check --complete clean", 0, "ok: 1 file", "" },
	{ "kubelint check --inventory nodes clean", 0, "1 node group\n", "" },
	{ "kubelint check --color always warning", 1, "\033[1;33mwarning\033[0m", "" },
	{ "kubelint check --color never warning", 1, "warning  KL012", "" },
};

static void test_status_and_messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct result result;
		run(rows[i].line, &result);
		if (result.status != rows[i].status)
			fail_msg("%s: status %d, wanted %d\n%s%s", rows[i].line, result.status,
			         rows[i].status, result.out, result.err);
		assert_holds(rows[i].line, result.out, rows[i].out);
		assert_holds(rows[i].line, result.err, rows[i].err);
		if (rows[i].status == 2 && strncmp(rows[i].err, "Usage", 5) != 0)
			assert_holds(rows[i].line, result.err, "kubelint: error: ");
		forget(&result);
	}
}

static void test_silence_is_silent(void **state)
{
	static const char *const lines[] = {
		"kubelint check -q clean nodes", "kubelint check -qq warning",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct result result;
		run(lines[i], &result);
		assert_string_equal(result.out, "");
		assert_string_equal(result.err, "");
		forget(&result);
	}
}

static void test_an_unreadable_file_fails_the_run(void **state)
{
	struct result result;
	const char *path = "clean/locked.yaml";
	FILE *file = fopen(path, "w");

	(void)state;
	assert_non_null(file);
	fclose(file);
	assert_int_equal(chmod(path, 0), 0);
	/* Root may read anything; the memory of a process has no byte 0 for anybody. */
	bool root = access(path, R_OK) == 0;
	run(root ? "kubelint check clean /proc/self/mem" : "kubelint check clean", &result);
	assert_int_equal(result.status, 2);
	assert_holds("locked", result.err, root ? "/mem: cannot be read: "
	                                        : "clean/locked.yaml: cannot be read: ");
	assert_holds("locked", result.out, "not all could be checked");
	forget(&result);
	unlink(path);
}

static void test_a_full_disk_fails_the_run(void **state)
{
	char *argv[] = { strdup("kubelint"), strdup("check"), strdup("clean"), NULL };
	FILE *full = fopen("/dev/full", "w"), *err = tmpfile();

	(void)state;
	assert_int_equal(cli_run(3, argv, NULL, full, err), 2);
	char *text = stream_text(err);
	assert_holds("/dev/full", text, "standard output: No space left on device");
	fclose(full);
	free(text);
	for (size_t i = 0; i < 3; i++)
		free(argv[i]);
}

static void test_standard_input(void **state)
{
	struct result result;
	int former = dup(STDIN_FILENO);

	(void)state;
	assert_non_null(freopen("warning/pod.yaml", "r", stdin));
	run("kubelint check - --stdin-filename k8s/p.yaml", &result);
	assert_int_equal(result.status, 1);
	assert_holds("stdin", result.out, "k8s/p.yaml:5:21  warning  KL012");
	forget(&result);
	dup2(former, STDIN_FILENO);
	close(former);
}

static void test_outputs_go_to_their_files(void **state)
{
	static const char *const paths[] = { "out.json", "out.sarif", "junit.xml", "plain" };
	struct result result;

	(void)state;
	run("kubelint check warning -o out.json -o out.sarif -o junit.xml -o text:plain", &result);
	assert_int_equal(result.status, 1);
	assert_holds("outputs", result.out, "warning  KL012");
	forget(&result);
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		FILE *file = fopen(paths[i], "r");
		assert_non_null(file);
		char *text = stream_text(file);
		assert_holds(paths[i], text, "KL012");
		free(text);
		unlink(paths[i]);
	}
}

/* ---- environment --------------------------------------------------------------------- */

static const struct {
	const char *line;
	const char *variables[3];
	int status;
	const char *out, *err;
} environment_rows[] = {
	{ "kubelint check warning", { "KUBELINT_FAIL_ON=error" }, 0, "KL012", "" },
	{ "kubelint check --fail-on warning warning", { "KUBELINT_FAIL_ON=error" }, 1, "KL012", "" },
	{ "kubelint check warning", { "KUBELINT_FAIL_ON=" }, 1, "KL012", "" },
	{ "kubelint check clean", { "KUBELINT_FAIL_ON=x" }, 2, "", "KUBELINT_FAIL_ON: --fail-on" },
	{ "kubelint check clean", { "KUBELINT_FORMAT=json" }, 0, "\"exitCode\": 0", "" },
	{ "kubelint rules", { "KUBELINT_FORMAT=sarif" }, 0, "KL203", "" },
	{ "kubelint check clean", { "KUBELINT_INVENTORY=nodes" }, 0, "1 node group\n", "" },
	{ "kubelint check clean", { "KUBELINT_OUTPUT=json:/dev/null\ntext:/dev/null" }, 0, "ok", "" },
	{ "kubelint check note -f text", { "KUBELINT_CONFIG=house/.kubelint.yaml" }, 1,
	  "warning  KL403", "" },
	{ "kubelint check clean", { "KUBELINT_JOBS=2" }, 0, "ok", "" },
	{ "kubelint check clean", { "KUBELINT_FROMAT=json" }, 0, "ok",
	  "warning: the environment variable KUBELINT_FROMAT means nothing" },
	{ "kubelint check warning", { "CLICOLOR_FORCE=1" }, 1, "\033[", "" },
	{ "kubelint check warning", { "FORCE_COLOR=1", "TERM=dumb" }, 1, "\033[", "" },
	{ "kubelint check warning --color always", { "NO_COLOR=1" }, 1, "\033[", "" },
};

static void test_environment(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(environment_rows); i++) {
		struct result result;
		run_in(environment_rows[i].line, environment_rows[i].variables, &result);
		if (result.status != environment_rows[i].status)
			fail_msg("%s %s: status %d\n%s", environment_rows[i].variables[0],
			         environment_rows[i].line, result.status, result.err);
		assert_holds(environment_rows[i].line, result.out, environment_rows[i].out);
		assert_holds(environment_rows[i].line, result.err, environment_rows[i].err);
		forget(&result);
	}
}

static void test_no_color_unless_forced(void **state)
{
	static const char *const variables[][3] = {
		{ "TERM=xterm" }, { "NO_COLOR=1", "CLICOLOR_FORCE=1" }, { "FORCE_COLOR=0" },
		{ "CLICOLOR_FORCE=" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(variables); i++) {
		struct result result;
		run_in("kubelint check warning", variables[i], &result);
		assert_lacks(variables[i][0], result.out, "\033");
		forget(&result);
	}
}

/* ---- help ---------------------------------------------------------------------------- */

/* Calls use(name) for each `--name` at the begin of an option's help. */
static void for_each_option(const char *help, void (*use)(const char *name))
{
	for (const char *line = help; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		const char *dashes = strncmp(line, "      --", 8) == 0                ? line + 6
		                     : strncmp(line, "  -", 3) == 0 && line[4] == ',' ? line + 6
		                                                                      : NULL;
		if (!dashes || strncmp(dashes, "--", 2) != 0)
			continue;
		size_t n = strcspn(dashes + 2, " \n");
		char *name = strndup(dashes + 2, n);
		use(name);
		free(name);
	}
}

/* An option that no row of the table uses is an option that nobody tried. */
static void assert_is_tried(const char *name)
{
	struct arena *arena = arena_new();
	str option = str_format(arena, " --%s", name);
	bool found = false;

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		found = found || str_contains(str_of(rows[i].line), option);
	if (!found)
		fail_msg("no row of the table uses --%s", name);
	arena_free(arena);
}

/* getopt_long alone would take it. */
static void refuse_prefix(const char *name)
{
	struct arena *arena = arena_new();
	struct result result;
	str line = str_format(arena, "kubelint check clean --%.*s", (int)strlen(name) - 1, name);

	run(str_c(arena, line), &result);
	assert_int_equal(result.status, 2);
	assert_holds(name, result.err, "unknown option --");
	forget(&result);
	arena_free(arena);
}

static void test_each_option_is_tried_and_has_no_prefix(void **state)
{
	static const char *const lines[] = {
		"kubelint check --help", "kubelint inventory --help", "kubelint rules --help",
		"kubelint explain --help", "kubelint config --help",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct result result;
		run(lines[i], &result);
		assert_holds(lines[i], result.out, "--help");
		for_each_option(result.out, assert_is_tried);
		if (i == 0)
			for_each_option(result.out, refuse_prefix);
		forget(&result);
	}
}

static void test_help_fits_a_terminal(void **state)
{
	static const char *const lines[] = {
		"kubelint -h", "kubelint check -h", "kubelint check --help", "kubelint inventory --help",
		"kubelint rules --help", "kubelint explain --help", "kubelint help --help",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct result result;
		size_t count = 0;
		run(lines[i], &result);
		assert_int_equal(result.status, 0);
		for (const char *p = result.out; *p; p += strcspn(p, "\n") + 1, count++)
			if (strcspn(p, "\n") > 80)
				fail_msg("%s: wider than 80 columns: %.90s", lines[i], p);
		if (strstr(lines[i], " -h"))
			assert_true(count <= 50);
		forget(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_and_messages),
		cmocka_unit_test(test_silence_is_silent),
		cmocka_unit_test(test_an_unreadable_file_fails_the_run),
		cmocka_unit_test(test_a_full_disk_fails_the_run),
		cmocka_unit_test(test_standard_input),
		cmocka_unit_test(test_outputs_go_to_their_files),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_no_color_unless_forced),
		cmocka_unit_test(test_each_option_is_tried_and_has_no_prefix),
		cmocka_unit_test(test_help_fits_a_terminal),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}

/* A deterministic corpus for ci/bench: the same bytes for the same arguments.
 *
 * usage: corpus FOLDER APPS [SIGNATURES] [GROUPS]
 * Writes APPS applications (Deployment, HPA, PDB, Service, ConfigMap) of SIGNATURES distinct
 * scheduling shapes (default 50), GROUPS node groups (default 20), and the bulk that public
 * repositories have besides: some 76 % of the bytes are custom resource definitions and 11 %
 * other documents that no rule reads.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static FILE *open_in(const char *folder, const char *format, unsigned number)
{
	char name[64], path[4096];
	FILE *file;

	snprintf(name, sizeof name, format, number);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "wb");
	if (!file) {
		fprintf(stderr, "corpus: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	return file;
}

static void write_deployment(FILE *file, unsigned app, unsigned shape, unsigned groups)
{
	fprintf(file,
	        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app-%u\n"
	        "  namespace: team-%u\n  labels:\n    app.kubernetes.io/name: app-%u\nspec:\n"
	        "  selector:\n    matchLabels:\n      app: app-%u\n  template:\n    metadata:\n"
	        "      labels:\n        app: app-%u\n        tier: backend\n    spec:\n"
	        "      nodeSelector:\n        pool: pool-%u\n      containers:\n"
	        "        - name: main\n          image: registry.example.com/app:%u.0.1\n"
	        "          ports:\n            - containerPort: 8080\n          env:\n"
	        "            - name: LOG_LEVEL\n              value: info\n"
	        "          resources:\n            requests:\n              cpu: %um\n"
	        "              memory: %uMi\n            limits:\n              memory: %uMi\n"
	        "          readinessProbe:\n            httpGet:\n              path: /healthz\n"
	        "              port: 8080\n---\n",
	        app, app % 40, app, app, app, shape % groups, app % 7, 50 + shape,
	        128 + shape * 2, 256 + shape * 4);
}

static void write_app(const char *folder, unsigned app, unsigned shapes, unsigned groups)
{
	FILE *file = open_in(folder, "app-%05u.yaml", app);

	write_deployment(file, app, app % shapes, groups);
	fprintf(file,
	        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n"
	        "  name: app-%u\n  namespace: team-%u\nspec:\n  scaleTargetRef:\n"
	        "    apiVersion: apps/v1\n    kind: Deployment\n    name: app-%u\n"
	        "  minReplicas: 2\n  maxReplicas: 4\n  metrics:\n    - type: Resource\n"
	        "      resource:\n        name: cpu\n        target:\n"
	        "          type: Utilization\n          averageUtilization: 70\n---\n"
	        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: app-%u\n"
	        "  namespace: team-%u\nspec:\n  maxUnavailable: 1\n  selector:\n"
	        "    matchLabels:\n      app: app-%u\n---\n"
	        "apiVersion: v1\nkind: Service\nmetadata:\n  name: app-%u\n"
	        "  namespace: team-%u\nspec:\n  selector:\n    app: app-%u\n  ports:\n"
	        "    - port: 80\n      targetPort: 8080\n",
	        app, app % 40, app, app, app % 40, app, app, app % 40, app);
	fclose(file);
}

static void write_groups(const char *folder, unsigned groups, unsigned apps)
{
	FILE *file = open_in(folder, "node-groups.yaml", 0);

	fprintf(file, "apiVersion: kubelint.dev/v1\nkind: NodeGroupInventory\nnodeGroups:\n");
	for (unsigned i = 0; i < groups; i++)
		fprintf(file,
		        "  - name: pool-%u\n    minSize: 1\n    maxSize: %u\n"
		        "    labels:\n      pool: pool-%u\n    allocatable:\n"
		        "      cpu: 15890m\n      memory: 60Gi\n      pods: \"110\"\n",
		        i, 10 + apps, i);
	fclose(file);
}

/* One custom resource definition of the usual size: about ten times the bytes of an app. */
static void write_bulk(const char *folder, unsigned number, unsigned fields)
{
	FILE *file = open_in(folder, "crd-%05u.yaml", number);

	fprintf(file,
	        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	        "metadata:\n  name: things%u.example.com\nspec:\n  group: example.com\n"
	        "  names:\n    kind: Thing%u\n    plural: things%u\n  scope: Namespaced\n"
	        "  versions:\n    - name: v1\n      served: true\n      storage: true\n"
	        "      schema:\n        openAPIV3Schema:\n          type: object\n"
	        "          properties:\n            spec:\n              type: object\n"
	        "              properties:\n",
	        number, number, number);
	for (unsigned i = 0; i < fields; i++)
		fprintf(file,
		        "                field%u:\n                  description: |-\n"
		        "                    The field with number %u of this resource, which\n"
		        "                    says what the controller does with it.\n"
		        "                  type: string\n                  maxLength: 253\n",
		        i, i);
	fclose(file);
	file = open_in(folder, "rbac-%05u.yaml", number);
	for (unsigned i = 0; i < 8; i++)
		fprintf(file,
		        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n"
		        "  name: role-%u-%u\n  namespace: team-1\nrules:\n"
		        "  - apiGroups: [\"\"]\n    resources: [pods, services]\n"
		        "    verbs: [get, list, watch]\n---\n",
		        number, i);
	fclose(file);
}

static unsigned number_of(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text || !value || value > 10000000) {
		fprintf(stderr, "corpus: %s: a number from 1 to 10000000 is wanted\n", text);
		exit(2);
	}
	return (unsigned)value;
}

int main(int argc, char **argv)
{
	unsigned apps, shapes, groups;

	if (argc < 3) {
		fprintf(stderr, "usage: corpus FOLDER APPS [SIGNATURES] [GROUPS]\n");
		return 2;
	}
	apps = number_of(argv[2]);
	shapes = argc > 3 ? number_of(argv[3]) : 50;
	groups = argc > 4 ? number_of(argv[4]) : 20;
	if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
		fprintf(stderr, "corpus: %s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	for (unsigned i = 0; i < apps; i++)
		write_app(argv[1], i, shapes, groups);
	for (unsigned i = 0; i < apps; i += 2)
		write_bulk(argv[1], i, 64);
	write_groups(argv[1], groups, apps);
	return 0;
}

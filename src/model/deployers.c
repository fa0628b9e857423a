/* Namespaces that a deployer gives to the objects of a folder: Flux's targetNamespace and Argo
 * CD's destination. They count for objects that no manifest and no kustomization places.
 */
#include "model-internal.h"

struct deployment {
	str folder, namespace;
};
struct deployments VEC(struct deployment);

bool model_reads_kind(str api_version, str kind)
{
	static const char *const rows[][2] = {
		{ "kustomize.toolkit.fluxcd.io/", "Kustomization" },
		{ "helm.toolkit.fluxcd.io/", "HelmRelease" },
		{ "argoproj.io/", "Application" },
		{ "kustomize.config.k8s.io/", "Kustomization" },
		{ "kustomize.config.k8s.io/", "Component" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_starts(api_version, str_of(rows[i][0])) && str_is(kind, rows[i][1]))
			return true;
	return false;
}

/* "./a/b/" as "a/b". */
static str tidy_folder(str path)
{
	while (str_starts(path, STR("./")))
		path = str_slice(path, 2, path.n);
	while (path.n && path.p[path.n - 1] == '/')
		path.n--;
	return str_is(path, ".") ? (str){ path.p, 0 } : path;
}

static void note(struct arena *arena, struct deployments *deployments, const struct node *path,
                 const struct node *ns)
{
	if (!node_is_scalar(path) || !node_is_scalar(ns) || !node_known(path) || !node_known(ns))
		return;
	*VEC_PUSH(arena, deployments) =
		(struct deployment){ tidy_folder(node_text(path)), node_text(ns) };
}

static void read_tree(struct arena *arena, const struct tree *tree,
                      struct deployments *deployments)
{
	const struct node *spec = node_get(tree->root, "spec");
	str api_version = node_text(node_get(tree->root, "apiVersion"));

	if (str_starts(api_version, STR("kustomize.toolkit.fluxcd.io/")))
		note(arena, deployments, node_get(spec, "path"),
		     node_get(spec, "targetNamespace"));
	else if (str_starts(api_version, STR("argoproj.io/")))
		note(arena, deployments, node_at(spec, "source.path"),
		     node_at(spec, "destination.namespace"));
}

static bool lies_below(str path, str folder)
{
	return folder.n && str_starts(path, folder) && path.n > folder.n &&
	       path.p[folder.n] == '/';
}

/* The deployment whose folder lies nearest around the file; the first of equal ones. */
static const struct deployment *nearest(const struct deployments *deployments, str path)
{
	const struct deployment *best = NULL;

	for (size_t i = 0; i < deployments->n; i++) {
		const struct deployment *deployment = &deployments->v[i];

		if (lies_below(path, deployment->folder) &&
		    (!best || deployment->folder.n > best->folder.n))
			best = deployment;
	}
	return best;
}

void model_read_deployers(struct scope *scope)
{
	struct deployments deployments = { 0 };

	for (size_t i = 0; i < scope->trees.n; i++)
		read_tree(scope->arena, scope->trees.v[i], &deployments);
	for (size_t i = 0; deployments.n && i < scope->trees.n; i++) {
		str path = scope->trees.v[i]->source->path;
		const struct deployment *found = nearest(&deployments, path);
		str *ns;

		if (!found || map_has(scope->index->fallbacks, path))
			continue;
		ns = ARENA_NEW(scope->arena, str);
		*ns = found->namespace;
		map_put(scope->index->fallbacks, path, ns);
	}
}

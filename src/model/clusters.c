/* Several clusters in one repo: which files describe which of them (config `clusters`). Objects of
 * one never judge those of another, so each is built from its own files alone. */
#include "model-internal.h"

/* Is the file one of the paths, or in one of these folders? "" is the root. */
static bool is_under(const struct strs *paths, str file)
{
	for (size_t i = 0; i < paths->n; i++) {
		str path = paths->v[i];

		while (str_ends(path, STR("/")))
			path.n--;
		if (!path.n || str_eq(path, file) || source_glob_matches(path, file) ||
		    (str_starts(file, path) && file.n > path.n && file.p[path.n] == '/'))
			return true;
	}
	return false;
}

/* Without paths a cluster has all files. */
static bool holds(const struct cluster *cluster, str file)
{
	return cluster->paths.n == 0 || is_under(&cluster->paths, file) ||
	       is_under(&cluster->nodes, file);
}

/* NULL stands for no cluster: the files that none of them holds. */
static bool is_of(const struct clusters *clusters, const struct cluster *cluster, str file)
{
	if (cluster)
		return holds(cluster, file);
	for (size_t i = 0; i < clusters->n; i++)
		if (holds(&clusters->v[i], file))
			return false;
	return true;
}

/* A document that only declares node groups counts for a cluster where the cluster says that its
 * groups are declared. */
static bool is_foreign_pool(const struct cluster *cluster, const struct tree *tree)
{
	str api_version = node_text(node_get(tree->root, "apiVersion"));
	str kind = node_text(node_get(tree->root, "kind"));

	return cluster && cluster->nodes.n && !is_under(&cluster->nodes, tree->source->path) &&
	       pools_knows(api_version, kind, tree->root) && !kube_knows(api_version, kind);
}

void model_take_cluster(struct arena *arena, const struct clusters *clusters,
                        const struct cluster *cluster, const struct trees *trees,
                        struct trees *ret_trees)
{
	for (size_t i = 0; i < trees->n; i++)
		if (is_of(clusters, cluster, trees->v[i]->source->path) &&
		    !is_foreign_pool(cluster, trees->v[i]))
			*VEC_PUSH(arena, ret_trees) = trees->v[i];
}

void model_take_cluster_objects(struct arena *arena, const struct clusters *clusters,
                                const struct cluster *cluster, const struct objects *objects,
                                struct objects *ret_objects)
{
	for (size_t i = 0; i < objects->n; i++)
		if (is_of(clusters, cluster, objects->v[i]->tree->source->path) &&
		    !is_foreign_pool(cluster, objects->v[i]->tree))
			*VEC_PUSH(arena, ret_objects) = objects->v[i];
}

/* The first rule that matches wins; object_namespace() asks the kustomization before. */
void model_read_namespace_rules(struct scope *scope, const struct namespace_rules *rules)
{
	for (size_t i = 0; i < scope->trees.n; i++) {
		str path = scope->trees.v[i]->source->path;

		for (size_t k = 0; k < rules->n; k++)
			if (!map_has(scope->index->fallbacks, path) &&
			    source_glob_matches(rules->v[k].path, path))
				map_put(scope->index->fallbacks, path, &rules->v[k].namespace);
	}
}

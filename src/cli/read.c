/* Reading the documents of all sources: a glance decides which of them anybody can use, those are
 * parsed and bound on all cores, each into an arena of its own, and put together in the order of
 * the sources, so that nothing depends on who was first.
 */
#include "cli.h"
#include "cli-internal.h"
#include "pools.h"

/* Documents of a run (cli.md section 8). */
#define MAX_DOCUMENTS 2000000

/* One document at work. */
struct piece {
	const struct document *document;
	struct arena *arena;
	struct tree *tree;
	struct objects objects;
	bool used;
};
struct pieces VEC(struct piece);

struct work {
	struct pipeline *pipeline;
	struct pieces pieces;
	struct kube_options kube;
};

/* ---- what is of use ------------------------------------------------------------------ */

static bool kind_is_used(str api_version, str kind, const struct node *root)
{
	return kube_knows(api_version, kind) || pools_knows(api_version, kind, root) ||
	       model_reads_kind(api_version, kind);
}

/* Can no rule use the document, as far as a glance tells? A custom kind may hide a pod template,
 * which has containers. */
static bool is_of_no_use(const struct document *document, const struct sniff *sniff)
{
	if (!sniff->sure || !sniff->kind.n || !sniff->api_version.n)
		return false;
	if (kind_is_used(sniff->api_version, sniff->kind, NULL))
		return false;
	return kube_is_built_in(sniff->api_version) ||
	       !document_contains(document, STR("containers"));
}

/* Would the text have been of use, had it been readable? Editors' settings with comments in
 * their JSON, say, are no business of ours. */
static bool text_is_ours(const struct document *document)
{
	static const char *const marks[] = { "apiVersion", "nodeGroups", "node_groups",
		                             "nodePools", "terraform_version" };

	for (size_t i = 0; i < COUNT_OF(marks); i++)
		if (document_contains(document, str_of(marks[i])))
			return true;
	return false;
}

static bool has_workload(const struct objects *objects)
{
	for (size_t i = 0; i < objects->n; i++)
		if (objects->v[i]->class != OBJECT_OTHER)
			return true;
	return false;
}

/* Is the parsed document of use to anybody? One that nobody reads is not checked at all, so that
 * the duplicate keys of somebody's CI file are no business of ours. The answer is that of
 * is_of_no_use() wherever that one is sure: a glance must change no finding. */
static bool piece_is_used(const struct piece *piece)
{
	const struct tree *tree = piece->tree;

	if (!tree->root)
		return tree->faults.n > 0 && text_is_ours(tree->document);
	return model_knows(tree) || has_workload(&piece->objects) ||
	       kind_is_used(node_text(node_get(tree->root, "apiVersion")),
	                    node_text(node_get(tree->root, "kind")), tree->root);
}

/* ---- --inventory ---------------------------------------------------------------------- */

/* Is the file one of the paths, or in one of these folders? */
static bool path_is_under(struct arena *arena, str file, const struct strs *paths)
{
	str real = source_real_path(arena, file);

	for (size_t i = 0; i < paths->n; i++) {
		str path = source_real_path(arena, paths->v[i]);

		if (str_starts(real, path) && (real.n == path.n || real.p[path.n] == '/'))
			return true;
	}
	return false;
}

/* With --inventory, node groups come from those files only: a document of another file that
 * nothing but the node groups would read is left out. */
static bool is_foreign_pool(const struct pipeline *pipeline, const struct piece *piece)
{
	const struct strs *inventory = &pipeline->options->inventory;
	const struct tree *tree = piece->tree;
	str api_version, kind;

	if (inventory->n == 0 || !tree->root ||
	    path_is_under(piece->arena, tree->source->open_path, inventory))
		return false;
	api_version = node_text(node_get(tree->root, "apiVersion"));
	kind = node_text(node_get(tree->root, "kind"));
	return pools_knows(api_version, kind, tree->root) && !kube_knows(api_version, kind);
}

/* ---- the work ------------------------------------------------------------------------ */

static void parse_piece(void *context, size_t i)
{
	struct work *work = context;
	struct piece *piece = &work->pieces.v[i];

	piece->arena = arena_new();
	piece->tree = tree_parse(piece->arena, piece->document);
}

static void bind_piece(void *context, size_t i)
{
	struct work *work = context;
	struct piece *piece = &work->pieces.v[i];

	if (!piece->tree->root && !piece->tree->faults.n)
		return; /* blank, or comments only */
	if (is_foreign_pool(work->pipeline, piece))
		return;
	kube_bind(piece->tree, &work->kube, &piece->objects);
	piece->used = piece_is_used(piece);
}

static void note_other(struct pipeline *pipeline, const struct source *source)
{
	struct strs *files = &pipeline->other_files;

	pipeline->passed_over++;
	if (!files->n || files->v[files->n - 1].p != source->open_path.p)
		*VEC_PUSH(pipeline->arena, files) = source->open_path;
}

/* One document of the run; false when there are too many. */
static bool take_document(struct work *work, const struct document *document)
{
	struct pipeline *pipeline = work->pipeline;
	struct sniff sniff;

	if (pipeline->documents == MAX_DOCUMENTS) {
		sink_notify(pipeline->sink, "too-many-documents", LEVEL_ERROR,
		            (struct span){ .file = document->source->id },
		            "more than %d documents: the rest is not read", MAX_DOCUMENTS);
		pipeline->sink->failed = true;
		return false;
	}
	pipeline->documents++;
	source_sniff(document, &sniff);
	if (!pipeline->options->strict_yaml && is_of_no_use(document, &sniff))
		note_other(pipeline, document->source);
	else
		VEC_PUSH(pipeline->arena, &work->pieces)->document = document;
	return true;
}

/* Configurations are no manifests, whoever's they are. */
static bool is_config(str path)
{
	size_t slash = str_find_last(path, '/');

	return str_is(slash < path.n ? str_slice(path, slash + 1, path.n) : path, ".kubelint.yaml");
}

static void take_documents(struct work *work)
{
	const struct sources *sources = &work->pipeline->sources->sources;

	for (size_t i = 0; i < sources->n; i++) {
		if (is_config(sources->v[i]->path))
			continue;
		for (size_t k = 0; k < sources->v[i]->document_count; k++)
			if (!take_document(work, &sources->v[i]->documents[k]))
				return;
	}
}

/* The oldest Kubernetes version that node groups declare decides how objects are bound; major 0:
 * none does. */
static struct version declared_version(const struct work *work)
{
	struct arena *arena = work->pipeline->arena; /* of the faults that the readers find */
	struct trees trees = { 0 };
	struct objects none = { 0 };
	struct pools pools = { 0 };

	for (size_t i = 0; i < work->pieces.n; i++) {
		struct tree *tree = work->pieces.v[i].tree;

		if (tree->root && !is_foreign_pool(work->pipeline, &work->pieces.v[i]) &&
		    pools_knows(node_text(node_get(tree->root, "apiVersion")),
		                node_text(node_get(tree->root, "kind")), tree->root))
			*VEC_PUSH(arena, &trees) = tree;
	}
	if (trees.n)
		pools_read(arena, &trees, &none, &pools);
	return pools.declared_version;
}

/* Keeps of a document that nobody reads what is wrong with its text, for --strict-yaml. */
static bool keep_text_faults(struct tree *tree)
{
	struct faults all = tree->faults;

	tree->foreign = true;
	tree->faults.n = 0;
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].kind == FAULT_SYNTAX || all.v[i].kind == FAULT_LIMIT ||
		    all.v[i].kind == FAULT_DUPLICATE_KEY)
			tree->faults.v[tree->faults.n++] = all.v[i];
	return tree->faults.n > 0;
}

/* In the order of the sources, which are sorted: the order of everything that follows. */
static void merge_piece(struct pipeline *pipeline, struct piece *piece)
{
	if (!piece->used && piece->tree->root && piece->objects.n)
		note_other(pipeline, piece->document->source);
	if (!piece->used &&
	    !(pipeline->options->strict_yaml && keep_text_faults(piece->tree))) {
		arena_free(piece->arena);
		return;
	}
	*VEC_PUSH(pipeline->arena, &pipeline->trees) = piece->tree;
	for (size_t i = 0; piece->used && i < piece->objects.n; i++)
		*VEC_PUSH(pipeline->arena, &pipeline->objects) = piece->objects.v[i];
	piece->tree->arena = pipeline->arena; /* faults that are found later */
	arena_adopt(pipeline->arena, piece->arena);
}

void pipeline_read(struct pipeline *pipeline)
{
	struct work work = { .pipeline = pipeline };
	unsigned jobs = pipeline->options->jobs ? pipeline->options->jobs : parallel_cores();

	take_documents(&work);
	parallel_for(work.pieces.n, jobs, parse_piece, &work);
	if (!pipeline->settings.kubernetes_declared) {
		struct version declared = declared_version(&work);

		if (declared.major > 0) {
			pipeline->settings.kubernetes = declared;
			pipeline->settings.kubernetes_declared = true;
		}
	}
	work.kube.target = pipeline->settings.kubernetes;
	work.kube.feature_gates = &pipeline->settings.feature_gates;
	parallel_for(work.pieces.n, jobs, bind_piece, &work);
	for (size_t i = 0; i < work.pieces.n; i++)
		merge_piece(pipeline, &work.pieces.v[i]);
}

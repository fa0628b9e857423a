/* KL0: does the file mean what its author thinks (rules.md, KL0)? Nearly every rule is a loop
 * over one kind of fault that the rooms below left in the texts. References between objects
 * are in manifest-references.c. */
#include "ask.h"
#include "rules-internal.h"

typedef void fault_visitor(const struct judge *judge, const struct tree *tree,
                           const struct fault *fault);

static void visit_faults(const struct judge *judge, enum fault_kind kind, fault_visitor *visit)
{
	for (size_t i = 0; i < judge->scope->trees.n; i++) {
		const struct tree *tree = judge->scope->trees.v[i];
		for (size_t k = 0; k < tree->faults.n; k++)
			if (tree->faults.v[k].kind == kind)
				visit(judge, tree, &tree->faults.v[k]);
	}
}

/* Messages start lower-case; words in capitals and quoted texts stay as they are. */
static str lower_start(struct arena *arena, str text)
{
	bool capital = text.n > 1 && text.p[0] >= 'A' && text.p[0] <= 'Z' &&
	               !(text.p[1] >= 'A' && text.p[1] <= 'Z');

	if (!capital)
		return text;
	return str_format(arena, "%c%.*s", text.p[0] - 'A' + 'a',
	                  STR_ARG(str_slice(text, 1, text.n)));
}

/* A text of the files in a message: cut where it is long. */
static str quote(struct arena *arena, str text)
{
	if (text.n <= 60)
		return text;
	return str_format(arena, "%.*s…", 57, text.p);
}

/* ---- KL001 ------------------------------------------------------------------------------ */

static void say_syntax(const struct judge *judge, const struct tree *tree,
                       const struct fault *fault)
{
	struct finding *finding = emit_fault(judge, LEVEL_ERROR, tree, fault);
	bool limit = fault->kind == FAULT_LIMIT;

	finding->foreign = tree->foreign;
	finding_message(judge->sink, finding, "the document %s: %.*s",
	                limit ? "goes beyond a limit" : "cannot be parsed",
	                STR_ARG(lower_start(JUDGE_ARENA(judge), fault->a)));
	finding_help(judge->sink, finding,
	             "nothing in this document was checked; other documents of the file were");
}

/* Provable: kubectl's own reader refuses the same text. Documents are split before they are
 * parsed, so the fault is one document's. A text with template marks is KL003's instead. */
void kl001_yaml_syntax(const struct judge *judge)
{
	visit_faults(judge, FAULT_SYNTAX, say_syntax);
	visit_faults(judge, FAULT_LIMIT, say_syntax);
}

/* ---- KL002 ------------------------------------------------------------------------------ */

static void say_duplicate(const struct judge *judge, const struct tree *tree,
                          const struct fault *fault)
{
	struct finding *finding = emit_fault(judge, LEVEL_ERROR, tree, fault);
	str key = quote(JUDGE_ARENA(judge), fault->a);

	finding_message(judge->sink, finding,
	                "key %.*s is given twice in one mapping: this one counts, the first is "
	                "lost", STR_ARG(key));
	finding_relate(judge->sink, finding, fault->related, "%.*s is given here first",
	               STR_ARG(key));
	finding_help(judge->sink, finding, "merge the two, or remove the one that is not meant");
}

/* YAML forbids it, and what readers do about it is to take the last one. tree drops the lost
 * value, so no other rule reads it. A key that overrides a merged one is none of this. */
void kl002_duplicate_key(const struct judge *judge)
{
	visit_faults(judge, FAULT_DUPLICATE_KEY, say_duplicate);
}

/* ---- KL003 ------------------------------------------------------------------------------ */

/* Said once per document: the first place stands for all. */
static const struct fault *first_template(const struct tree *tree)
{
	for (size_t i = 0; i < tree->faults.n; i++)
		if (tree->faults.v[i].kind == FAULT_TEMPLATE)
			return &tree->faults.v[i];
	return NULL;
}

static void say_template(const struct judge *judge, const struct tree *tree)
{
	const struct fault *fault = first_template(tree);
	struct finding *finding;

	if (!fault)
		return;
	finding = emit_fault(judge, LEVEL_NOTE, tree, fault);
	if (fault->node)
		finding_message(judge->sink, finding, "template text %.*s: the value is not known",
		                STR_ARG(quote(JUDGE_ARENA(judge), fault->a)));
	else
		finding_message(judge->sink, finding,
		                "template text in place of a manifest: the document was not "
		                "checked");
	finding_help(judge->sink, finding,
	             "check what comes out: render it first (helm template, kustomize build, …)");
}

/* The folder of the chart that a template belongs to. */
static str chart_of(const struct tree *tree)
{
	str path = tree->source->path, mark = STR("templates/");

	for (size_t i = 0; i + mark.n <= path.n; i++)
		if (str_starts(str_slice(path, i, path.n), mark) &&
		    (i == 0 || path.p[i - 1] == '/'))
			return str_slice(path, 0, i > 0 ? i - 1 : 0);
	return path;
}

/* One finding per chart, at the first file of it. */
static void say_chart(const struct judge *judge, const struct tree *tree)
{
	const struct fault fault = {
		.kind = FAULT_TEMPLATE,
		.span = { tree->source->id, tree->document->begin, tree->document->begin },
	};
	struct finding *finding = emit_fault(judge, LEVEL_NOTE, tree, &fault);
	str chart = chart_of(tree);

	if (chart.n == 0)
		chart = STR(".");
	finding_message(judge->sink, finding,
	                "the templates of chart %.*s were not rendered, so nothing in them was "
	                "checked", STR_ARG(chart));
	finding_help(judge->sink, finding,
	             "check what comes out: helm template %.*s | kubelint check -", STR_ARG(chart));
}

/* Never more than a note: nobody knows what the rendered text will say. What hangs on the
 * unknown value is silent in every other rule. */
void kl003_unrendered_template(const struct judge *judge)
{
	const struct trees *templates = &judge->scope->chart_templates;
	struct arena *scratch = arena_new();
	struct map *charts = map_new(scratch);

	for (size_t i = 0; i < judge->scope->trees.n; i++)
		say_template(judge, judge->scope->trees.v[i]);
	for (size_t i = 0; i < templates->n; i++)
		if (!map_put(charts, chart_of(templates->v[i]), templates->v[i]))
			say_chart(judge, templates->v[i]);
	arena_free(scratch);
}

/* ---- KL004, KL013 ----------------------------------------------------------------------- */

/* Puts the nearest name in place of the key, unless that key is there already. */
static void fix_key(const struct judge *judge, struct finding *finding,
                    const struct fault *fault)
{
	const struct node *node = fault->node;
	const char *nearest = str_c(JUDGE_ARENA(judge), fault->b);

	if (!node || node->aliased || node->merged || node->key_span.file == 0 ||
	    !str_one_edit(fault->a, fault->b) || node_get(node->parent, nearest))
		return;
	finding_fix(judge->sink, finding, true, "use the field's real name",
	            (struct edit){ .span = node->key_span, .text = fault->b });
}

/* E on built-in kinds, whose tables are whole; on others W, and only one edit from a field. */
static void say_unknown_field(const struct judge *judge, const struct tree *tree,
                              const struct fault *fault)
{
	const struct object *object = object_at(judge, fault->node);
	bool whole = object && object_is_built_in(object);
	struct finding *finding;

	if (!whole && !str_one_edit(fault->a, fault->b))
		return;
	finding = emit_fault(judge, whole ? LEVEL_ERROR : LEVEL_WARNING, tree, fault);
	finding->salient = fault->a;
	finding_message(judge->sink, finding, "%.*s has no field %.*s%s",
	                STR_ARG(whole && fault->c.n > 0 ? fault->c
	                        : object               ? object->kind
	                                               : STR("the object")),
	                STR_ARG(quote(JUDGE_ARENA(judge), fault->a)),
	                whole ? ": it is refused, or dropped without a word" : "");
	if (fault->b.n > 0)
		finding_help(judge->sink, finding, "did you mean %.*s?", STR_ARG(fault->b));
	fix_key(judge, finding, fault);
}

/* The tables of built-in kinds are whole, from Kubernetes 1.16 to the newest known, so a key
 * that is in none of them exists nowhere. Tables of custom resources may have holes: there only
 * a name one edit from a real one is said. */
/* The native inventory is ours: it has no other keys. */
static void say_inventory_key(const struct judge *judge, const struct tree *tree,
                              const struct fault *fault)
{
	struct finding *finding;

	if (!str_is(fault->c, "unknown-key"))
		return;
	finding = emit_fault(judge, LEVEL_ERROR, tree, fault);
	finding_message(judge->sink, finding, "%.*s: it is passed over", STR_ARG(fault->a));
	if (fault->b.n > 0)
		finding_help(judge->sink, finding, "did you mean %.*s?", STR_ARG(fault->b));
}

void kl004_unknown_field(const struct judge *judge)
{
	visit_faults(judge, FAULT_UNKNOWN_FIELD, say_unknown_field);
	visit_faults(judge, FAULT_INVENTORY, say_inventory_key);
}

static void say_misplaced(const struct judge *judge, const struct tree *tree,
                          const struct fault *fault)
{
	const struct object *object = object_at(judge, fault->node);
	struct finding *finding;

	if (!object || !object_is_built_in(object))
		return;
	finding = emit_fault(judge, LEVEL_ERROR, tree, fault);
	finding->salient = fault->a;
	finding_message(judge->sink, finding, "%.*s is not a field here; it belongs at %.*s",
	                STR_ARG(quote(JUDGE_ARENA(judge), fault->a)), STR_ARG(fault->b));
	finding_help(judge->sink, finding, "move it to %.*s", STR_ARG(fault->b));
}

/* As KL004, but the key is a field of the kind somewhere else: moving it is what helps. Only on
 * kinds whose tables are whole. */
void kl013_misplaced_field(const struct judge *judge)
{
	visit_faults(judge, FAULT_MISPLACED_FIELD, say_misplaced);
}

/* ---- KL005 ------------------------------------------------------------------------------ */

static void say_invalid(const struct judge *judge, const struct tree *tree,
                        const struct fault *fault)
{
	struct finding *finding = emit_fault(judge, LEVEL_ERROR, tree, fault);

	finding->salient = fault->c.n > 0 ? fault->c : finding->salient;
	finding_message(judge->sink, finding, "%.*s",
	                STR_ARG(lower_start(JUDGE_ARENA(judge), fault->a)));
}

/* Mistakes in node groups; bounds are KL501, unknown keys KL004. */
static void say_inventory(const struct judge *judge, const struct tree *tree,
                          const struct fault *fault)
{
	struct finding *finding;

	if (str_is(fault->c, "bounds") || str_is(fault->c, "unknown-key"))
		return;
	finding = emit_fault(judge, LEVEL_ERROR, tree, fault);
	finding_message(judge->sink, finding, "%.*s",
	                STR_ARG(lower_start(JUDGE_ARENA(judge), fault->a)));
	finding_help(judge->sink, finding, "what cannot be read stays unknown");
}

static void say_version_field(const struct judge *judge, const struct tree *tree,
                              const struct fault *fault)
{
	struct finding *finding = emit_fault(judge, LEVEL_WARNING, tree, fault);

	finding_message(judge->sink, finding, "Kubernetes %d.%d has no field %.*s (%.*s)",
	                judge->scope->settings->kubernetes.major,
	                judge->scope->settings->kubernetes.minor,
	                STR_ARG(quote(JUDGE_ARENA(judge), fault->a)), STR_ARG(fault->b));
}

/* The faults come from upstream's own validation, written down as tables and checked against its
 * answers (testdata/vectors). A field that only the target version lacks is dropped in silence
 * there, hence a warning. */
void kl005_invalid_value(const struct judge *judge)
{
	visit_faults(judge, FAULT_UNDECODABLE, say_invalid);
	visit_faults(judge, FAULT_INVALID, say_invalid);
	visit_faults(judge, FAULT_INVENTORY, say_inventory);
	visit_faults(judge, FAULT_VERSION_FIELD, say_version_field);
}

/* ---- KL007 ------------------------------------------------------------------------------ */

/* The texts that YAML reads as bool, int or float hold neither quotes nor backslashes. */
static void say_type_trap(const struct judge *judge, const struct tree *tree,
                          const struct fault *fault)
{
	struct finding *finding = emit_fault(judge, LEVEL_ERROR, tree, fault);
	str text = node_text(fault->node);
	str quoted = str_format(JUDGE_ARENA(judge), "\"%.*s\"", STR_ARG(text));

	finding_message(judge->sink, finding, "%.*s is read as %.*s, but a string is wanted here",
	                STR_ARG(text), STR_ARG(fault->a));
	finding_help(judge->sink, finding, "quote it: %.*s", STR_ARG(quoted));
	emit_fix(judge, finding, true, fault->node, quoted, "quote the value");
}

static void say_null_string(const struct judge *judge, const struct tree *tree,
                            const struct fault *fault)
{
	struct finding *finding = emit_fault(judge, LEVEL_NOTE, tree, fault);

	finding_message(judge->sink, finding,
	                "an empty value where a string is wanted: it counts as \"\"");
	finding_help(judge->sink, finding, "write \"\" if that is meant");
}

/* Decided by the scalar rules of the Go YAML libraries, by which the API server decodes. The
 * value goes on as its source text, so that one fault gives one finding. */
void kl007_yaml_type_trap(const struct judge *judge)
{
	visit_faults(judge, FAULT_STRING_WANTED, say_type_trap);
	visit_faults(judge, FAULT_NULL_STRING, say_null_string);
}

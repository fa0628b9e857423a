/* tree: a document's bytes to a tree whose every node knows its place.
 *
 * The only room that includes <yaml.h>. Scalars are typed by the rules of the Go YAML
 * libraries that Kubernetes uses (YAML 1.1 with their deviations), aliases and merge keys
 * are expanded by copying (within a budget), so every node has one parent and one path. JSON
 * goes the same way. What is wrong with the text is a fault in the tree's list.
 */
#ifndef KUBELINT_TREE_H
#define KUBELINT_TREE_H

#include "base.h"

struct source;
struct document;

enum node_kind { NODE_SCALAR, NODE_MAP, NODE_LIST };

/* Type of a scalar as the Go YAML libraries resolve it. Quoted and block scalars are always
 * strings. */
enum scalar_type { SCALAR_NULL, SCALAR_BOOL, SCALAR_INT, SCALAR_FLOAT, SCALAR_STRING };

enum scalar_style { STYLE_PLAIN, STYLE_SINGLE, STYLE_DOUBLE, STYLE_LITERAL, STYLE_FOLDED };

struct node {
	enum node_kind kind;
	/* of a scalar */
	enum scalar_type type;
	/* of a scalar */
	enum scalar_style style;
	/* a map or list written as {…} or […]; a scalar: an unquoted {{ … }}, which YAML would
	 * read as a map */
	bool flow;
	/* came in through a merge key `<<` */
	bool merged;
	/* copied from an anchor: its span is the anchor's text */
	bool aliased;
	/* holds a template ({{ … }}, ${NAME}) or is touched by a patch: the value is not known
	 * and decides nothing */
	bool unknown;
	/* a scalar of a JSON file, whose numbers mean what is written */
	bool json;
	/* place among its parent's children, from 0 */
	uint32_t index;
	/* NULL for the root */
	struct node *parent;
	/* key text when the parent is a map */
	str key;
	struct span key_span;
	/* a scalar: with its quotes; map or list: first to last child */
	struct span span;
	/* a scalar's value after quotes and escapes; plain: source text */
	str text;
	/* map values or list items, in order; array of child_count */
	struct node *children;
	uint32_t child_count;
};

/* What is wrong in a text. Rooms below `rules` know no rule: a rule of family KL0 is a loop
 * over one kind of these (architecture.md, Faults). */
enum fault_kind {
	/* a: libyaml's problem in words; the document has no root */
	FAULT_SYNTAX,
	/* a: which limit (depth, nodes); no root */
	FAULT_LIMIT,
	/* node: the value that wins; related: the first place; a: key */
	FAULT_DUPLICATE_KEY,
	/* a: the template text; node NULL when the whole document is one, b is then why it
	 * cannot be read */
	FAULT_TEMPLATE,
	/* node: the value; a: key; b: nearest real name or empty; c: type name */
	FAULT_UNKNOWN_FIELD,
	/* node: the value; a: key; b: where it belongs (path) */
	FAULT_MISPLACED_FIELD,
	/* node: a plain scalar that YAML reads as another type; a: its type */
	FAULT_STRING_WANTED,
	/* node: an empty value where a string is wanted (valid, reads "") */
	FAULT_NULL_STRING,
	/* API validation; node; a: message; b: upstream error type (FieldValueInvalid …); c:
	 * upstream's field path */
	FAULT_INVALID,
	/* wrong JSON type or unparsable quantity; node; a: message */
	FAULT_UNDECODABLE,
	/* apiVersion and kind that no known version serves; a: message */
	FAULT_NOT_SERVED,
	/* a field that the target version lacks; a: key; b: since or removed */
	FAULT_VERSION_FIELD,
	/* a node-group file's own mistake; node; a: message; b: nearest name or empty; c:
	 * rule-neutral class (bounds, taint, type …) */
	FAULT_INVENTORY,
};

struct fault {
	enum fault_kind kind;
	/* may be NULL */
	const struct node *node;
	/* name of the absent field below node, else NULL */
	const char *missing;
	/* always a place in the file */
	struct span span;
	/* file 0: none */
	struct span related;
	str a, b, c;
};
struct faults VEC(struct fault);

/* One parsed document. Everything lives in arena. */
struct tree {
	struct arena *arena;
	const struct source *source;
	const struct document *document;
	/* NULL for an empty document or a syntax fault */
	struct node *root;
	/* in order of place after tree_parse(); others append */
	struct faults faults;
	/* {{, {% or <% in the text */
	bool has_template;
	/* nobody reads it: only its text is judged */
	bool foreign;
};

#define TREE_MAX_DEPTH 200
#define TREE_MAX_NODES 10000000

/* Parses one document into arena; never NULL. A document of comments only has no root and no
 * fault. After a syntax fault root is NULL. */
struct tree *tree_parse(struct arena *arena, const struct document *document);

/* Parses text that lies inside a scalar (a ConfigMap entry): every document in it. Spans point
 * into the file where the scalar is a literal block or plain, else at the whole scalar. */
struct trees VEC(struct tree *);
void tree_parse_embedded(struct arena *arena, const struct tree *outer, const struct node *scalar,
                         struct trees *ret_trees);

/* The value under key, or NULL (also when node is NULL or no map). Keys are texts as JSON would
 * hold them (a plain `on` is "true"). Of a key given twice only the last value is in the tree;
 * so is that of `<<`, which overrides what stands before it (goyaml.v2, measured). */
const struct node *node_get(const struct node *node, const char *key);
/* The value at a dotted path of map keys ("spec.template.spec"), or NULL. */
const struct node *node_at(const struct node *node, const char *path);

/* NULL gives false */
bool node_is_map(const struct node *node);
bool node_is_list(const struct node *node);
/* Any scalar but null */
bool node_is_scalar(const struct node *node);
/* Absent (NULL) or null */
bool node_is_null(const struct node *node);

/* Text of a scalar; empty view for NULL, null, maps and lists. */
str node_text(const struct node *node);
/* Integer value by the Go-YAML rules (0x10, 0o17, 010, 1_000); false when it is none. */
bool node_int(const struct node *node, int64_t *ret_value);
/* Boolean value by the Go-YAML rules (yes, on, true …); false when it is none. */
bool node_bool(const struct node *node, bool *ret_value);
/* Text of a scalar as the JSON that Kubernetes decodes would hold it: canonical for plain
 * numbers (81111e1 -> 811110), source text for strings. For quantities given as numbers. */
str node_json_text(struct arena *arena, const struct node *node);

/* Path from the document's root (or the List item's own root, when below is that item):
 * spec.template.spec.nodeSelector["kubernetes.io/arch"], containers[0]. absent, when not
 * NULL, is appended as one more key. below NULL: from the document's root. */
str node_path(struct arena *arena, const struct node *below, const struct node *node,
              const char *absent);

/* Where a finding about node belongs: a scalar's own span, else its key's, else the nearest
 * parent's key (outputs.md section 0 rule 9). */
struct span node_place(const struct node *node);
/* The place of the key of node, or as node_place() without one. */
struct span node_key_place(const struct node *node);

/* Adds a fault about node (its place is taken) and gives it back, to fill in texts. */
struct fault *tree_add_fault(struct tree *tree, enum fault_kind kind, const struct node *node);

#endif

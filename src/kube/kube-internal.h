/* kube: what its own files share.
 *
 * schema   the generated tables: types with fields, kinds
 * kinds    lists of kinds: classes, scope, life, pod templates of other projects
 * check    holds a tree against the schema and makes faults; fields finds what was meant
 * bind     fills structs from a tree, by tables of rows; bind-pod, -workload, -scaler, -other
 *          hold the tables
 * custom   pod templates in kinds of other projects
 * object   ties these together: kube_bind()
 *
 * Check and bind walk the tree on their own. They could share one walk, but then a document of
 * a kind without a schema could not be bound, and a table of the one would have to agree with
 * the tables of the other. The second walk costs 2 us on a Deployment of forty keys.
 */
#ifndef KUBELINT_KUBE_INTERNAL_H
#define KUBELINT_KUBE_INTERNAL_H

#include "kube.h"

/* ---- schema: the API types ------------------------------------------------------------ */

/* Values as rules/data/k8s-fields.tsv writes them. */
enum schema_value {
	VALUE_STRING, VALUE_INT32, VALUE_INT64, VALUE_BOOL, VALUE_FLOAT, VALUE_QUANTITY,
	VALUE_INT_OR_STRING,
	VALUE_TIME, VALUE_MICROTIME,
	VALUE_DURATION, /* Go duration text */
	VALUE_BYTES,    /* base64 text */
	VALUE_ANY,      /* free-form: nobody looks inside */
	VALUE_EMPTY,    /* a map without fields */
	VALUE_OBJECT,   /* a map with the fields of a type */
};
/* Is the value one of it, a list of it or a map of free keys to it? Lists in lists do not occur
 * in the tables. */
enum schema_shape { SHAPE_ONE, SHAPE_LIST, SHAPE_MAP };
enum schema_scope {
	SCOPE_NONE,     /* a payload or subresource body */
	SCOPE_NAMESPACED, SCOPE_CLUSTER,
	SCOPE_CUSTOM,   /* a custom kind */
};

#define SCHEMA_NONE UINT16_MAX /* no type */

/* A Go struct of the API, inlined structs flattened, or a map of a custom kind's schema. Custom
 * types refer to built-in ones where a CRD copies these. */
struct schema_type {
	str name;               /* group/version.Name, custom ones apiVersion.Kind:path */
	uint16_t first, count;  /* its fields */
	bool custom;            /* of a custom kind: its table may be an older copy */
	bool open;              /* keys beyond its fields are kept by the API server */
	uint8_t since, removed; /* minor that brought it (0: the oldest known), that lacks it
	                         * first (0: none) */
};
/* A field by its JSON name, which is case-sensitive. Accepted is the union of all versions;
 * what the target version lacks is told by since and removed. */
struct schema_field {
	str name;
	str values;             /* enum column of k8s-fields.tsv: A|B, !A|B, ~A|B */
	uint16_t type;          /* of VALUE_OBJECT */
	uint16_t former;        /* type that the field had in older versions, or SCHEMA_NONE */
	uint8_t value, shape;   /* enum schema_value of the item, enum schema_shape */
	bool required;
	uint8_t since, removed;
};
/* A group-version-kind, built-in or custom. A built-in one without a type is known to exist and
 * nothing more. */
struct schema_kind {
	str api_version, kind;
	uint16_t type;          /* SCHEMA_NONE: its fields are in no table */
	uint8_t scope;          /* enum schema_scope */
	uint8_t first, last;    /* minors that register it; 0: the oldest known */
};

/* The type of that number; NULL for SCHEMA_NONE. */
const struct schema_type *schema_type(uint16_t number);
/* By its whole name ("core/v1.PodTemplateSpec"); NULL when there is none. */
const struct schema_type *schema_type_named(const char *name);
/* SCHEMA_NONE for NULL. */
uint16_t schema_type_number(const struct schema_type *type);
/* Numbers are below it. */
size_t schema_type_count(void);
/* The type's fields, sorted by length and bytes of the name; type->count of them. */
const struct schema_field *schema_fields_of(const struct schema_type *type);
/* The type's field of exactly that name, or NULL. */
const struct schema_field *schema_field(const struct schema_type *type, str name);
/* The kind with exactly that apiVersion, or NULL. */
const struct schema_kind *schema_kind(str api_version, str kind);

/* ---- kinds ---------------------------------------------------------------------------- */

/* The class of a kind of any version; a built-in kind under a wrong built-in group is what it
 * was meant to be. OBJECT_OTHER: none. */
enum object_class kind_class(str group, str kind);
/* True for cluster-scoped kinds, built-in or custom. row: schema_kind() of it, may be NULL. */
bool kind_is_cluster_scoped(const struct schema_kind *row, str group, str kind);
/* A message when the group is Kubernetes' own and no known version serves the kind in that
 * version; else the empty view. The caller has looked for a schema_kind(). */
str kind_not_served(struct arena *arena, str api_version, str kind);
/* "apps/v1" gives apps and v1, "v1" the empty group. */
void api_version_split(str api_version, str *ret_group, str *ret_version);

/* One place of a pod template in a custom kind (rules/data/pod-template-paths.tsv). */
struct pod_path_row {
	str group, versions, kind;
	str form;               /* template, podspec, open, partial, none */
	str path;               /* `[]` list item, `.*` map value */
	str replicas;           /* comma list of paths that multiply the pods */
	str selector;           /* path of the label selector */
	str scale;              /* scale subresource; empty: none */
	str source;
};
/* All rows, sorted by group; a kind may have several. Never NULL. */
const struct pod_path_row *pod_path_rows_all(size_t *ret_count);
/* Is the row about that kind in that version? */
bool pod_path_serves(const struct pod_path_row *row, str group, str version, str kind);

/* ---- check: faults of fields ---------------------------------------------------------- */

/* What the objects of one document share. */
struct check_state {
	struct field_search *search;        /* made when it is needed */
	bool template_told;                 /* FAULT_TEMPLATE is said once per document */
};
/* What one object is checked against. Faults go to the tree, texts of theirs to its arena. */
struct checker {
	struct tree *tree;
	const struct node *root;            /* of the object, for paths */
	int32_t target;                     /* minor of the target version */
	bool custom;                        /* only mistakes that hold in any version of a CRD */
	bool unbound;                       /* nobody binds the values here: whoever reads them
	                                     * judges them too, so they are left as they are */
	struct check_state *state;
};
/* A map that is being checked, with those around it; lives on the stack of the walk. Lists in
 * between have no frame of their own. */
struct frame {
	const struct frame *outer;
	const struct node *node;
	const struct schema_type *type;
	const struct schema_type *former;   /* type of older versions, or NULL */
	bool dated;                         /* the map as a whole is of another version already */
};
/* Checks the map against the type and everything below it. Values that the API could not
 * decode are marked unknown, so that they decide nothing. */
void check_object(const struct checker *checker, struct node *node, const struct schema_type *type);

/* A key that the type of the innermost map lacks: FAULT_UNKNOWN_FIELD with the nearest name, or
 * FAULT_MISPLACED_FIELD with the path of the nearest place that has it. On custom kinds only a
 * name one edit away is told, as the table may be an older copy of the CRD. */
void fields_judge_key(const struct checker *checker, const struct frame *frame,
                      const struct node *value);
/* True (and a fault) when a map or list in a map of strings is a field of the kind. */
bool fields_judge_entry(const struct checker *checker, const struct frame *frame,
                        const struct node *value);

/* ---- bind: trees into structs --------------------------------------------------------- */

/* What kind of member a row fills. Null and absent fields leave the member zero. */
enum bind_how {
	BIND_TEXT, BIND_NUMBER, BIND_FLAG, BIND_INT_OR_PERCENT,
	BIND_AMOUNT,    /* struct amount; its resource stays empty */
	BIND_AMOUNTS, BIND_PAIRS, BIND_TEXTS,
	BIND_NODE,      /* const struct node *: that the field is there */
	BIND_INTO,      /* a map: sub binds into the struct at offset */
	BIND_LIST,      /* a list of maps: sub binds each into a new item of the vec */
	BIND_FUNCTION,  /* function reads it */
};
/* What all readers need; bound values live in the arena. */
struct binder {
	struct arena *arena;
};
struct bind_table;
/* A field of a map and the member that takes it. Several rows may read one field; they run in
 * the order of the table. bind-rows.h has macros for them. */
struct bind_row {
	str field;
	enum bind_how how;
	size_t offset;
	const struct bind_table *sub;
	void (*function)(const struct binder *binder, const struct node *node, void *member);
};
/* How a map becomes a struct. */
struct bind_table {
	const struct bind_row *rows;
	size_t row_count;
	size_t size;            /* of the struct, for items of lists */
	size_t node_offset;     /* its member node; SIZE_MAX: none */
	/* Called behind the rows; may be NULL. */
	void (*finish)(const struct binder *binder, void *structure);
};
/* A table for a struct with a member `node`, and one for a struct without. */
#define BIND_TABLE(rows, structure) \
	{ (rows), COUNT_OF(rows), sizeof(structure), offsetof(structure, node), NULL }
#define BIND_TABLE_PLAIN(rows, structure) \
	{ (rows), COUNT_OF(rows), sizeof(structure), SIZE_MAX, NULL }

/* Reads the fields of the map into the struct; another node than a map binds nothing. */
void bind_map(const struct binder *binder, const struct node *node,
              const struct bind_table *table, void *structure);
/* The source text of a scalar; maps and lists give an empty text with their node. */
struct text bind_text(const struct node *node);
/* Whole numbers only: anything else is 0 with its node, which the check has marked. */
struct number bind_number(const struct binder *binder, const struct node *node);
/* "25%" and whole numbers are valid, other texts are not. */
struct int_or_percent bind_int_or_percent(const struct binder *binder, const struct node *node);
/* Every entry of a map, in order; anything else gives none. */
void bind_pairs(const struct binder *binder, const struct node *node, struct pairs *ret_pairs);

extern const struct bind_table bind_label_selector;  /* struct label_selector */
extern const struct bind_table bind_toleration;      /* struct toleration */
extern const struct bind_table bind_pod_template;    /* struct pod_template: the template */
extern const struct bind_table bind_pod_spec;        /* struct pod_template: the pod spec */

/* A pod template, or a Pod itself. */
void bind_pod(const struct binder *binder, const struct node *template,
              struct pod_template *ret_pod);
/* Pods, built-in workloads and ScaledJobs: fills object->workload. */
void bind_workload(const struct binder *binder, struct object *object);
/* Fills object->hpa from any version. */
void bind_hpa(const struct binder *binder, struct object *object);
/* Classes whose struct is filled by one table; the others are left without a struct. */
void bind_simple(const struct binder *binder, struct object *object);

/* ---- custom: pod templates in other kinds --------------------------------------------- */

/* A pod template (or pod spec) inside an object of a custom kind. */
struct custom_pod {
	struct node *node;
	const struct pod_path_row *row;     /* NULL: found by its shape */
};
struct custom_pods VEC(struct custom_pod);

/* Finds them by the table of paths, else by shape; at most 200 of them. root: the object's own,
 * mutable as the check marks what it cannot decode. */
void custom_find(struct arena *arena, const struct object *object, struct node *root,
                 struct custom_pods *ret_pods);
/* Checks templates whose CRD is known to hold Kubernetes' own type. */
void custom_check(const struct checker *checker, const struct custom_pods *pods);
/* Fills object->workload, one workload_spec for each (linked by `more`), and makes the object's
 * class OBJECT_CUSTOM_WORKLOAD when there is any. */
void custom_bind(const struct binder *binder, struct object *object,
                 const struct custom_pods *pods);

#endif

/* kube: what its own files share. schema (the generated tables), check (faults of fields),
 * bind (trees into structs), kinds (lists of kinds). */
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
enum schema_shape { SHAPE_ONE, SHAPE_LIST, SHAPE_MAP };
enum schema_scope {
	SCOPE_NONE,     /* a payload or subresource body */
	SCOPE_NAMESPACED, SCOPE_CLUSTER,
	SCOPE_CUSTOM,   /* a custom kind */
};

#define SCHEMA_NONE UINT16_MAX /* no type */

struct schema_type {
	str name;               /* group/version.Name, custom ones apiVersion.Kind:path */
	uint16_t first, count;  /* its fields */
	bool custom;            /* of a custom kind: its table may be an older copy */
	bool open;              /* keys beyond its fields are kept by the API server */
	uint8_t since, removed; /* minor that brought it (0: the oldest known), that lacks it
	                         * first (0: none) */
};
struct schema_field {
	str name;
	str values;             /* enum column of k8s-fields.tsv: A|B, !A|B, ~A|B */
	uint16_t type;          /* of VALUE_OBJECT */
	uint16_t former;        /* type that the field had in older versions, or SCHEMA_NONE */
	uint8_t value, shape;   /* enum schema_value of the item, enum schema_shape */
	bool required;
	uint8_t since, removed;
};
struct schema_kind {
	str api_version, kind;
	uint16_t type;          /* SCHEMA_NONE: its fields are in no table */
	uint8_t scope;          /* enum schema_scope */
	uint8_t first, last;    /* minors that register it; 0: the oldest known */
};

const struct schema_type *schema_type(uint16_t number); /* NULL for SCHEMA_NONE */
const struct schema_type *schema_type_named(const char *name);
uint16_t schema_type_number(const struct schema_type *type);
size_t schema_type_count(void);
/* The type's fields, sorted by length and bytes of the name; type->count of them. */
const struct schema_field *schema_fields_of(const struct schema_type *type);
const struct schema_field *schema_field(const struct schema_type *type, str name);
/* The kind with exactly that apiVersion, or NULL. */
const struct schema_kind *schema_kind(str api_version, str kind);

/* ---- kinds ---------------------------------------------------------------------------- */

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
/* All rows, sorted by group. */
const struct pod_path_row *pod_path_rows_all(size_t *ret_count);
bool pod_path_serves(const struct pod_path_row *row, str group, str version, str kind);

/* ---- check: faults of fields ---------------------------------------------------------- */

/* What one object is checked against. */
struct checker {
	struct tree *tree;
	const struct node *root;            /* of the object, for paths */
	int32_t target;                     /* minor of the target version */
	bool custom;                        /* only mistakes that hold in any version of a CRD */
	struct field_search **search;       /* of the document, made when it is needed */
};
/* A map that is being checked, with those around it. */
struct frame {
	const struct frame *outer;
	const struct node *node;
	const struct schema_type *type;
	const struct schema_type *former;   /* type of older versions, or NULL */
	bool dated;                         /* the map as a whole is of another version already */
};
/* Checks the map against the type and everything below it. Values that the API could not
 * decode are marked unknown, so that they decide nothing. */
void check_object(struct checker *checker, struct node *node, const struct schema_type *type);

/* A key that the type of the innermost map lacks: unknown or misplaced. */
void fields_judge_key(struct checker *checker, const struct frame *frame,
                      const struct node *value);
/* True (and a fault) when a map or list in a map of strings is a field of the kind. */
bool fields_judge_entry(struct checker *checker, const struct frame *frame,
                        const struct node *value);

/* ---- bind: trees into structs --------------------------------------------------------- */

enum bind_how {
	BIND_TEXT, BIND_NUMBER, BIND_FLAG, BIND_INT_OR_PERCENT,
	BIND_AMOUNT,    /* struct amount; its resource stays empty */
	BIND_AMOUNTS, BIND_PAIRS, BIND_TEXTS,
	BIND_NODE,      /* const struct node *: that the field is there */
	BIND_INTO,      /* a map: sub binds into the struct at offset */
	BIND_LIST,      /* a list of maps: sub binds each into a new item of the vec */
	BIND_FUNCTION,  /* function reads it */
};
struct binder {
	struct arena *arena;
};
struct bind_table;
struct bind_row {
	str field;
	enum bind_how how;
	size_t offset;
	const struct bind_table *sub;
	void (*function)(struct binder *binder, const struct node *node, void *member);
};
/* How a map becomes a struct. */
struct bind_table {
	const struct bind_row *rows;
	size_t row_count;
	size_t size;            /* of the struct, for items of lists */
	size_t node_offset;     /* its member node; SIZE_MAX: none */
	/* Called behind the rows; may be NULL. */
	void (*finish)(struct binder *binder, void *structure);
};
#define BIND_TABLE(rows, structure) \
	{ (rows), COUNT_OF(rows), sizeof(structure), offsetof(structure, node), NULL }
#define BIND_TABLE_PLAIN(rows, structure) \
	{ (rows), COUNT_OF(rows), sizeof(structure), SIZE_MAX, NULL }

/* Reads the fields of the map into the struct; another node than a map binds nothing. */
void bind_map(struct binder *binder, const struct node *node, const struct bind_table *table,
              void *structure);
struct text bind_text(const struct node *node);
struct number bind_number(struct binder *binder, const struct node *node);
struct int_or_percent bind_int_or_percent(struct binder *binder, const struct node *node);
void bind_pairs(struct binder *binder, const struct node *node, struct pairs *ret_pairs);

extern const struct bind_table bind_label_selector;  /* struct label_selector */
extern const struct bind_table bind_toleration;      /* struct toleration */
extern const struct bind_table bind_pod_template;    /* struct pod_template: the template */
extern const struct bind_table bind_pod_spec;        /* struct pod_template: the pod spec */

/* A pod template, or a Pod itself. */
void bind_pod(struct binder *binder, const struct node *template,
              struct pod_template *ret_pod);
void bind_workload(struct binder *binder, struct object *object);
void bind_hpa(struct binder *binder, struct object *object);
/* Classes whose struct is filled by one table. */
void bind_simple(struct binder *binder, struct object *object);

/* ---- custom: pod templates in other kinds --------------------------------------------- */

/* A pod template (or pod spec) inside an object of a custom kind. */
struct custom_pod {
	struct node *node;
	const struct pod_path_row *row;     /* NULL: found by its shape */
};
struct custom_pods VEC(struct custom_pod);

/* Finds them by the table of paths, else by shape. root: the object's own. */
void custom_find(struct arena *arena, const struct object *object, struct node *root,
                 struct custom_pods *ret_pods);
/* Checks templates whose CRD is known to hold Kubernetes' own type. */
void custom_check(struct checker *checker, const struct custom_pods *pods);
/* Fills object->workload, one workload_spec for each. */
void custom_bind(struct binder *binder, struct object *object, const struct custom_pods *pods);

#endif

/* The walker that fills structs from maps by tables, and readers of single values.
 *
 * It never complains: what does not fit has been told by the check, and is left zero here with
 * its node in place. Documents of unknown kinds are bound by the same tables without a check,
 * so every reader takes whatever it gets.
 */
#include "kube-internal.h"

#include <string.h>

bool node_known(const struct node *node)
{
	return !node_is_null(node) && !node->unknown;
}

const struct amount *amounts_find(const struct amounts *amounts, str resource)
{
	for (size_t i = 0; amounts && i < amounts->n; i++)
		if (str_eq(amounts->v[i].resource, resource))
			return &amounts->v[i];
	return NULL;
}

const struct pair *pairs_find(const struct pairs *pairs, str key)
{
	for (size_t i = 0; pairs && i < pairs->n; i++)
		if (str_eq(pairs->v[i].key, key))
			return &pairs->v[i];
	return NULL;
}

/* ---- single values -------------------------------------------------------------------- */

struct text bind_text(const struct node *node)
{
	if (node_is_null(node))
		return (struct text){ 0 };
	return (struct text){ .s = node_text(node), .node = node };
}

/* JSON text of the number, so that 3.0 and 1e3 count as the API decodes them; a quoted number
 * is taken too, the check has marked it unknown where that matters. */
struct number bind_number(const struct binder *binder, const struct node *node)
{
	struct number number = { 0 };

	if (node_is_null(node))
		return number;
	number.node = node;
	if (!node->unknown && !str_to_int64(node_json_text(binder->arena, node), &number.value))
		number.value = 0;
	return number;
}

struct int_or_percent bind_int_or_percent(const struct binder *binder, const struct node *node)
{
	struct int_or_percent result = { 0 };
	str text = node_text(node);

	if (node_is_null(node))
		return result;
	result.node = node;
	if (node_is_scalar(node) && node->type == SCALAR_STRING) {
		result.percent = str_ends(text, STR("%"));
		result.valid = result.percent &&
		               str_to_int64(str_slice(text, 0, text.n - 1), &result.value);
		return result;
	}
	result.valid = str_to_int64(node_json_text(binder->arena, node), &result.value);
	return result;
}

/* A quantity may be written as a number: YAML's reading of it counts then. */
static struct amount bind_amount(const struct binder *binder, const struct node *node)
{
	struct amount amount = { .node = node };
	struct quantity zero = { 0 };

	amount.quantity = zero;
	if (!node || node->unknown || node->kind != NODE_SCALAR)
		return amount;
	if (node->type == SCALAR_NULL) { /* decodes as 0 */
		amount.valid = true;
		return amount;
	}
	amount.valid = quantity_parse(node_json_text(binder->arena, node), &amount.quantity);
	return amount;
}

static void bind_amounts(const struct binder *binder, const struct node *node,
                         struct amounts *ret_amounts)
{
	ret_amounts->node = node;
	for (uint32_t i = 0; node_is_map(node) && i < node->child_count; i++) {
		struct amount *amount = VEC_PUSH(binder->arena, ret_amounts);

		*amount = bind_amount(binder, &node->children[i]);
		amount->resource = node->children[i].key;
	}
}

void bind_pairs(const struct binder *binder, const struct node *node, struct pairs *ret_pairs)
{
	ret_pairs->node = node;
	for (uint32_t i = 0; node_is_map(node) && i < node->child_count; i++)
		*VEC_PUSH(binder->arena, ret_pairs) = (struct pair){
			.key = node->children[i].key,
			.value = node_text(&node->children[i]),
			.node = &node->children[i],
		};
}

static void bind_texts(const struct binder *binder, const struct node *node,
                       struct texts *ret_texts)
{
	ret_texts->node = node;
	for (uint32_t i = 0; node_is_list(node) && i < node->child_count; i++)
		*VEC_PUSH(binder->arena, ret_texts) = (struct text){
			.s = node_text(&node->children[i]),
			.node = &node->children[i],
		};
}

/* ---- maps and lists ------------------------------------------------------------------- */

/* What all struct …s { T *v; size_t n, cap; } have in common; copied in and out, as the
 * pointers' types differ. */
struct any_vec {
	void *v;
	size_t n, cap;
};

/* Items that are no maps are passed over; the others keep their places by their nodes. */
static void bind_list(const struct binder *binder, const struct node *node,
                      const struct bind_table *table, void *member)
{
	struct any_vec vec;

	memcpy(&vec, member, sizeof vec);
	for (uint32_t i = 0; node_is_list(node) && i < node->child_count; i++) {
		if (!node_is_map(&node->children[i]))
			continue;
		vec.v = vec_reserve(binder->arena, vec.v, &vec.cap, vec.n, table->size);
		bind_map(binder, &node->children[i], table,
		         (char *)vec.v + vec.n++ * table->size);
	}
	memcpy(member, &vec, sizeof vec);
}

/* member lies in the struct at the row's offset and is of the type that `how` says. */
static void bind_field(const struct binder *binder, const struct node *node,
                       const struct bind_row *row, void *member)
{
	switch (row->how) {
	case BIND_TEXT:
		*(struct text *)member = bind_text(node);
		break;
	case BIND_NUMBER:
		*(struct number *)member = bind_number(binder, node);
		break;
	case BIND_FLAG:
		((struct flag *)member)->node = node;
		if (!node->unknown)
			node_bool(node, &((struct flag *)member)->value);
		break;
	case BIND_INT_OR_PERCENT:
		*(struct int_or_percent *)member = bind_int_or_percent(binder, node);
		break;
	case BIND_AMOUNT:
		*(struct amount *)member = bind_amount(binder, node);
		break;
	case BIND_AMOUNTS:
		bind_amounts(binder, node, member);
		break;
	case BIND_PAIRS:
		bind_pairs(binder, node, member);
		break;
	case BIND_TEXTS:
		bind_texts(binder, node, member);
		break;
	case BIND_NODE:
		*(const struct node **)member = node;
		break;
	case BIND_INTO:
		bind_map(binder, node, row->sub, member);
		break;
	case BIND_LIST:
		bind_list(binder, node, row->sub, member);
		break;
	case BIND_FUNCTION:
		row->function(binder, node, member);
		break;
	}
}

/* Lengths first: most keys differ there. */
static bool row_is_for(const struct bind_row *row, str key)
{
	return row->field.n == key.n && str_eq(row->field, key);
}

void bind_map(const struct binder *binder, const struct node *node,
              const struct bind_table *table, void *structure)
{
	if (!node_is_map(node))
		return;
	if (table->node_offset != SIZE_MAX)
		*(const struct node **)((char *)structure + table->node_offset) = node;
	for (uint32_t i = 0; i < node->child_count; i++) {
		const struct node *child = &node->children[i];

		if (node_is_null(child))
			continue;
		for (size_t k = 0; k < table->row_count; k++)
			if (row_is_for(&table->rows[k], child->key))
				bind_field(binder, child, &table->rows[k],
				           (char *)structure + table->rows[k].offset);
	}
	if (table->finish)
		table->finish(binder, structure);
}

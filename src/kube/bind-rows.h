/* kube: how rows of bind tables are written.
 *
 * field is a literal, structure and member name what is filled; the macros keep the length of
 * the field with it, so that a search compares numbers first.
 */
#ifndef KUBELINT_BIND_ROWS_H
#define KUBELINT_BIND_ROWS_H

#include "kube-internal.h"

/* A scalar, or a map or list of scalars: how is BIND_… without its prefix. */
#define ROW(field, how, structure, member) \
	{ { "" field, sizeof(field) - 1 }, BIND_##how, offsetof(structure, member), NULL, NULL }

/* A map that has a struct of its own inside the structure. */
#define ROW_INTO(field, structure, member, table) \
	{ { "" field, sizeof(field) - 1 }, BIND_INTO, offsetof(structure, member), table, NULL }

/* A map whose fields are members of the same struct. */
#define ROW_SAME(field, table) { { "" field, sizeof(field) - 1 }, BIND_INTO, 0, table, NULL }

/* A list of maps into a vec of structs. */
#define ROW_LIST(field, structure, member, table) \
	{ { "" field, sizeof(field) - 1 }, BIND_LIST, offsetof(structure, member), table, NULL }

/* Whatever else: function gets the node and the member's address. */
#define ROW_FUNCTION(field, structure, member, function) \
	{ { "" field, sizeof(field) - 1 }, BIND_FUNCTION, offsetof(structure, member), NULL, \
	  function }

#endif

/* kube: how rows of bind tables are written. ROW_SAME goes on in the same struct, one map
 * deeper. */
#ifndef KUBELINT_BIND_ROWS_H
#define KUBELINT_BIND_ROWS_H

#include "kube-internal.h"

#define ROW(field, how, structure, member) \
	{ { "" field, sizeof(field) - 1 }, BIND_##how, offsetof(structure, member), NULL, NULL }
#define ROW_INTO(field, structure, member, table) \
	{ { "" field, sizeof(field) - 1 }, BIND_INTO, offsetof(structure, member), table, NULL }
#define ROW_SAME(field, table) { { "" field, sizeof(field) - 1 }, BIND_INTO, 0, table, NULL }
#define ROW_LIST(field, structure, member, table) \
	{ { "" field, sizeof(field) - 1 }, BIND_LIST, offsetof(structure, member), table, NULL }
#define ROW_FUNCTION(field, structure, member, function) \
	{ { "" field, sizeof(field) - 1 }, BIND_FUNCTION, offsetof(structure, member), NULL, function }

#endif

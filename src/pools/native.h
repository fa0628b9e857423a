/* native: reading one group in the words of the native inventory, for native.c and loose.c. */
#ifndef KUBELINT_NATIVE_H
#define KUBELINT_NATIVE_H

#include "pools-internal.h"

/* What the document says for all of its groups. */
struct native {
	str provider, region;
	const struct node *overhead;
	bool autoscaler_none;      /* sizes are fixed */
	bool labels_closed;        /* labels not listed are absent */
	bool loose;                /* numbers may stand in quotes */
};

/* The value under a native key, or under another word for it in a loose form; NULL: none. */
const struct node *native_get(const struct native *native, const struct node *node,
                              const char *key);
/* The group that node, a map with a name, describes. */
struct group *native_read_group(const struct reader *reader, const struct native *native,
                                const struct node *node);

#endif

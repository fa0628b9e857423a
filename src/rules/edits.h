/* Finer emitting for families KL2 and KL4-KL7: absent fields, related objects, and edits of a
 * part of a text or of a whole entry.
 */
#ifndef KUBELINT_RULES_EDITS_H
#define KUBELINT_RULES_EDITS_H

#include "rules-internal.h"

/* emit_at() about a node that is there. */
struct finding *emit_node(const struct judge *judge, enum level level,
                          const struct object *object, const struct node *node);

/* About a list item: the path is the item's, the place that of its field of that name where it
 * has one (an item as such has no key to point at). */
struct finding *emit_item(const struct judge *judge, enum level level,
                          const struct object *object, const struct node *item,
                          const char *field);

/* About a field of a container's resources that is absent: path …resources.LIST.RESOURCE, place
 * the nearest key that exists. list: "requests" or "limits". */
struct finding *emit_resource(const struct judge *judge, enum level level,
                              const struct object *object, const struct container *container,
                              const char *list, const char *resource);

/* A related place in an object: "Deployment/shop/web: WHAT". node NULL: its name. */
void relate_object(const struct judge *judge, struct finding *finding,
                   const struct object *object, const struct node *node, const char *what);

/* Where a finding about the group as a whole belongs: its name, else NULL (the group itself). */
const struct node *group_name_node(const struct group *group);

/* An edit that removes the whole map entry of node with its line or lines. false where the text
 * does not allow it: a flow map, the first key of a list item, an only entry, an alias. */
bool edit_remove(const struct object *object, const struct node *node, struct edit *ret_edit);

/* An edit that replaces the first occurrence of old within the scalar's text; false when it does
 * not stand there as such (escapes, an alias). */
bool edit_part(const struct object *object, const struct node *node, str old, str text,
               struct edit *ret_edit);

#endif

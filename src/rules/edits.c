/* Findings about absent fields, and edits of parts of the text. */
#include "edits.h"

struct finding *emit_node(const struct judge *judge, enum level level,
                          const struct object *object, const struct node *node)
{
	return emit_at(judge, level, object, node, NULL);
}

struct finding *emit_item(const struct judge *judge, enum level level,
                          const struct object *object, const struct node *item,
                          const char *field)
{
	struct finding *finding = emit_at(judge, level, object, item, NULL);
	struct span place = node_place(node_get(item, field));

	if (node_get(item, field) && place.file)
		finding->span = place;
	return finding;
}

struct finding *emit_resource(const struct judge *judge, enum level level,
                              const struct object *object, const struct container *container,
                              const char *list, const char *resource)
{
	const struct node *map = str_is(str_of(list), "requests") ? container->requests.node
	                                                          : container->limits.node;
	const struct node *resources = container->resources;
	struct finding *finding;

	if (map)
		return emit_at(judge, level, object, map, resource);
	finding = emit_at(judge, level, object, resources ? resources : container->node,
	                  resources ? list : "resources");
	finding->path = str_format(JUDGE_ARENA(judge), "%.*s%s%s.%s", STR_ARG(finding->path),
	                           resources ? "" : ".", resources ? "" : list, resource);
	return finding;
}

void relate_object(const struct judge *judge, struct finding *finding,
                   const struct object *object, const struct node *node, const char *what)
{
	str text = object_text(JUDGE_ARENA(judge), object,
	                       object_namespace(judge->scope, object));
	const struct node *at = node ? node : object->name.node;

	if (at)
		finding_relate(judge->sink, finding, node_place(at), "%.*s: %s", STR_ARG(text), what);
}

const struct node *group_name_node(const struct group *group)
{
	const struct node *name = node_get(group->node, "name");

	return name ? name : node_at(group->node, "metadata.name");
}

/* Tabs cannot indent YAML but may stand behind a value. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The byte behind the line end that follows offset; 0 when something else than blanks or a
 * comment stands in between. */
static uint32_t line_end(str text, uint32_t offset)
{
	while (offset < text.n && is_blank(text.p[offset]))
		offset++;
	if (offset < text.n && text.p[offset] == '#')
		while (offset < text.n && text.p[offset] != '\n')
			offset++;
	if (offset < text.n && text.p[offset] == '\r')
		offset++;
	if (offset == text.n)
		return offset;
	return text.p[offset] == '\n' ? offset + 1 : 0;
}

bool edit_remove(const struct object *object, const struct node *node, struct edit *ret_edit)
{
	str text = object->tree->source->text;
	uint32_t begin, end;

	if (!node || !node->parent || node->parent->flow || node->parent->child_count < 2 ||
	    !node->key.n || node->merged || node->aliased || !node->key_span.file ||
	    node->span.end > text.n)
		return false;
	for (begin = node->key_span.begin; begin > 0 && is_blank(text.p[begin - 1]);)
		begin--;
	if (begin > 0 && text.p[begin - 1] != '\n')
		return false;
	end = line_end(text, node->span.end > node->key_span.end ? node->span.end
	                                                         : node->key_span.end);
	*ret_edit = (struct edit){ .span = { node->key_span.file, begin, end } };
	return end > begin;
}

bool edit_part(const struct object *object, const struct node *node, str old, str text,
               struct edit *ret_edit)
{
	str whole = object->tree->source->text;
	str slice;

	if (!node || node->merged || node->aliased || !old.n || node->span.end > whole.n)
		return false;
	slice = str_slice(whole, node->span.begin, node->span.end);
	for (uint32_t i = 0; i + old.n <= slice.n; i++)
		if (str_eq(str_slice(slice, i, i + old.n), old)) {
			uint32_t begin = node->span.begin + i;

			*ret_edit = (struct edit){
				.span = { node->span.file, begin, begin + (uint32_t)old.n },
				.text = text,
			};
			return true;
		}
	return false;
}

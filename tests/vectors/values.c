/* Areas of single values: quantity, selector. */
#include "vectors.h"

/* The value stands where manifests have quantities. */
static str quantity_manifest(struct arena *arena, str form, str text)
{
	static const char head[] = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: q\n"
	                           "spec:\n  containers:\n  - name: c\n    image: i\n"
	                           "    resources:\n      requests:\n        memory: ";
	struct buf buf = { .arena = arena };

	if (str_is(form, "number")) {
		buf_printf(&buf, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
		                 "\"q\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
		                 "\"i\",\"resources\":{\"requests\":{\"memory\":%.*s}}}]}}",
		           STR_ARG(text));
	} else if (str_is(form, "plain")) {
		buf_printf(&buf, "%s%.*s\n", head, STR_ARG(text));
	} else {
		struct node quoted = { .kind = NODE_SCALAR, .style = STYLE_DOUBLE, .text = text };
		str json = json_text(arena, &quoted);

		buf_printf(&buf, "%s%.*s\n", head, STR_ARG(json));
	}
	return buf_str(&buf);
}

static const struct amount *first_request(const struct loaded *loaded)
{
	const struct object *object = loaded->objects.n ? loaded->objects.v[0] : NULL;

	if (!object || object->class != OBJECT_POD || !object->workload ||
	    !object->workload->pod.containers.n ||
	    !object->workload->pod.containers.v[0].requests.n)
		return NULL;
	return &object->workload->pod.containers.v[0].requests.v[0];
}

void check_quantity(struct vector *vector)
{
	str text = quantity_manifest(vector->arena, node_text(node_get(vector->in, "form")),
	                             node_text(node_get(vector->in, "text")));
	const struct amount *amount;
	struct loaded loaded;
	int64_t milli, value;
	bool decodes;

	load_texts(vector->arena, &text, 1, NULL, &loaded);
	amount = first_request(&loaded);
	decodes = amount && amount->valid && loaded.trees.v[0]->root;
	want_bool(vector, "ok", decodes, expect_bool(vector, "ok"));
	if (!decodes)
		return;
	if (node_get(vector->expect, "milliCeil")) {
		quantity_milli_ceil(&amount->quantity, &milli);
		want_number(vector, "milliCeil", milli, number_at(vector->expect, "milliCeil", 0));
	}
	if (node_get(vector->expect, "valueCeil")) {
		quantity_value_ceil(&amount->quantity, &value);
		want_number(vector, "valueCeil", value, number_at(vector->expect, "valueCeil", 0));
	}
}

/* A PodDisruptionBudget takes any valid selector, also none. */
static str selector_manifest(struct arena *arena, const struct node *selector)
{
	str json = json_text(arena, selector);

	return str_format(arena, "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\","
	                         "\"metadata\":{\"name\":\"s\"},\"spec\":{\"selector\":%.*s}}",
	                  STR_ARG(json));
}

static void read_labels(struct arena *arena, const struct node *labels, struct pairs *ret_pairs)
{
	for (uint32_t i = 0; labels && i < labels->child_count; i++)
		*VEC_PUSH(arena, ret_pairs) = (struct pair){
			.key = labels->children[i].key, .value = node_text(&labels->children[i]),
			.node = &labels->children[i],
		};
}

void check_selector(struct vector *vector)
{
	str text = selector_manifest(vector->arena, node_get(vector->in, "selector"));
	struct pairs labels = { 0 };
	const struct label_selector *selector;
	struct loaded loaded;

	load_texts(vector->arena, &text, 1, NULL, &loaded);
	if (!loaded.objects.n || !loaded.objects.v[0]->pdb) {
		buf_printf(&vector->miss, " no budget;");
		return;
	}
	selector = &loaded.objects.v[0]->pdb->selector;
	read_labels(vector->arena, node_get(vector->in, "labels"), &labels);
	want_bool(vector, "match", selector_matches(selector, &labels) == ANSWER_YES,
	          expect_bool(vector, "match"));
	want_bool(vector, "parses", selector_parses(selector), !expect_bool(vector, "parseError"));
	want_valid(vector, &loaded);
}

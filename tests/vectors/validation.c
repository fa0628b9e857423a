/* Area validation: what the API server says of a manifest. */
#include "vectors.h"

/* The release that the vectors were made with; what it lacks is a matter of rules elsewhere. */
static const struct version made_with = { .major = 1, .minor = 36, .patch = -1 };

static bool is_removed(const struct object *object)
{
	struct api_life life;

	return kube_api_life(object->api_version, object->kind, &life) && life.removed.major &&
	       version_cmp(life.removed, made_with) <= 0;
}

static const char *verdict_of(const struct loaded *loaded)
{
	const char *verdict = "valid";

	for (size_t i = 0; i < loaded->objects.n; i++)
		if (is_removed(loaded->objects.v[i]))
			return "notServed";
	for (size_t i = 0; i < loaded->trees.n; i++)
		for (size_t k = 0; k < loaded->trees.v[i]->faults.n; k++)
			switch (loaded->trees.v[i]->faults.v[k].kind) {
			case FAULT_NOT_SERVED:
				return "notServed";
			case FAULT_UNDECODABLE:
			case FAULT_STRING_WANTED:
			case FAULT_SYNTAX:
				verdict = "undecodable";
				break;
			case FAULT_INVALID:
				if (str_is(str_of(verdict), "valid"))
					verdict = "invalid";
				break;
			default:
				break;
			}
	return verdict;
}

static bool is_given(const struct loaded *loaded, str type, str field)
{
	const struct faults *faults = &loaded->trees.v[0]->faults;

	for (size_t i = 0; i < faults->n; i++)
		if (faults->v[i].kind == FAULT_INVALID && str_eq(faults->v[i].b, type) &&
		    str_eq(faults->v[i].c, field))
			return true;
	return false;
}

static bool is_wanted(const struct node *errors, const struct fault *fault)
{
	for (uint32_t i = 0; errors && i < errors->child_count; i++)
		if (str_eq(node_text(node_get(&errors->children[i], "type")), fault->b) &&
		    str_eq(node_text(node_get(&errors->children[i], "field")), fault->c))
			return true;
	return false;
}

static void want_errors(struct vector *vector, const struct loaded *loaded)
{
	const struct node *errors = node_get(vector->expect, "errors");
	const struct faults *faults = &loaded->trees.v[0]->faults;

	for (uint32_t i = 0; errors && i < errors->child_count; i++) {
		str type = node_text(node_get(&errors->children[i], "type"));
		str field = node_text(node_get(&errors->children[i], "field"));

		if (!is_given(loaded, type, field))
			buf_printf(&vector->miss, " not said: %.*s %.*s;", STR_ARG(type),
			           STR_ARG(field));
	}
	for (size_t i = 0; i < faults->n; i++)
		if (faults->v[i].kind == FAULT_INVALID && !is_wanted(errors, &faults->v[i]))
			buf_printf(&vector->miss, " said in vain: %.*s %.*s;",
			           STR_ARG(faults->v[i].b), STR_ARG(faults->v[i].c));
}

/* Unknown and repeated fields: kubectl's strict validation. */
static bool is_strictly_faulty(const struct loaded *loaded)
{
	const struct faults *faults = &loaded->trees.v[0]->faults;

	for (size_t i = 0; i < faults->n; i++)
		if (faults->v[i].kind == FAULT_UNKNOWN_FIELD ||
		    faults->v[i].kind == FAULT_MISPLACED_FIELD ||
		    faults->v[i].kind == FAULT_DUPLICATE_KEY)
			return true;
	return false;
}

void check_validation(struct vector *vector)
{
	struct loaded loaded;
	str verdict = node_text(node_get(vector->expect, "verdict"));

	load_manifest(vector, node_get(vector->in, "manifest"), NULL, &loaded);
	want_text(vector, "verdict", str_of(verdict_of(&loaded)), verdict);
	if (str_is(verdict, "valid") || str_is(verdict, "invalid")) {
		want_errors(vector, &loaded);
		want_bool(vector, "strictErrors", is_strictly_faulty(&loaded),
		          node_get(vector->expect, "strictErrors") != NULL);
	}
}

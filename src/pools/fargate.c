/* Fargate profiles: pods that run on nodes of their own. */
#include "pools-internal.h"

/* Of namespaces and label values, in bytes. */
#define LONGEST_NAME 253

void pools_read_fargate(const struct reader *reader, const struct node *name,
                        const struct node *selectors)
{
	struct pools *pools = reader->pools;

	for (uint32_t i = 0; node_is_list(selectors) && i < selectors->child_count; i++) {
		const struct node *item = &selectors->children[i];
		struct fargate_selector *selector = VEC_PUSH(reader->arena, &pools->fargate);

		selector->namespace = node_text(node_get(item, "namespace"));
		selector->node = item;
		read_pairs(reader, node_get(item, "labels"), &selector->labels);
	}
	pools_note(reader->context, &pools->fargate_notes,
	           str_format(reader->arena, "Fargate profile %.*s: pods that its selectors take "
	                                     "need no node group", STR_ARG(node_text(name))));
}

/* `*` stands for any text, `?` for one byte. Upstream: EKS, wildcards in selectors. */
static bool wildcard_matches(str pattern, str text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;

	if (pattern.n > LONGEST_NAME || text.n > LONGEST_NAME)
		return false;
	while (t < text.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			mark = t;
		} else if (p < pattern.n && (pattern.p[p] == '?' || pattern.p[p] == text.p[t])) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

/* Namespace and all labels must fit; a label that is not known decides nothing. */
static enum answer selector_takes(const struct fargate_selector *selector, str ns,
                                  const struct pairs *labels)
{
	enum answer answer = selector->node->unknown ? ANSWER_UNKNOWN : ANSWER_YES;

	if (!wildcard_matches(selector->namespace, ns))
		return ANSWER_NO;
	for (size_t i = 0; i < selector->labels.n; i++) {
		const struct pair *wanted = &selector->labels.v[i];
		const struct pair *own = pairs_find(labels, wanted->key);
		bool open = (labels->node && labels->node->unknown) || wanted->node->unknown ||
		            (own && own->node && own->node->unknown);

		if (open)
			answer = ANSWER_UNKNOWN;
		else if (!own || !wildcard_matches(wanted->value, own->value))
			return ANSWER_NO;
	}
	return answer;
}

enum answer pools_fargate_takes(const struct pools *pools, str ns, const struct pairs *labels)
{
	enum answer best = ANSWER_NO;

	for (size_t i = 0; i < pools->fargate.n; i++) {
		enum answer answer = selector_takes(&pools->fargate.v[i], ns, labels);

		best = answer > best ? answer : best;
	}
	return best;
}

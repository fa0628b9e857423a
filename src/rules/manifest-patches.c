/* KL014: kustomize patches that meet nothing. */
#include "rules-internal.h"

/* The model leaves out builds that take in what is not here, so a name that is missing is wrong:
 * `kustomize build` ends with "no matches for target". */
void kl014_patch_target_missing(const struct judge *judge)
{
	const struct scope *scope = judge->scope;

	for (size_t i = 0; i < scope->lost_patches.n; i++) {
		const struct patch_target *target = &scope->lost_patches.v[i];
		const struct fault place = { .node = target->node,
			                     .span = node_place(target->node) };
		struct finding *finding = emit_fault(judge, LEVEL_WARNING, target->tree, &place);

		finding_message(judge->sink, finding,
		                "the patch is for %.*s %.*s, and no resource of this build is that",
		                STR_ARG(target->kind), STR_ARG(target->name));
		finding_help(judge->sink, finding,
		             "name an object of the build as it is called before namePrefix and "
		             "nameSuffix");
	}
}

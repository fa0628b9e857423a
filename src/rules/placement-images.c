/* KL114, images: what they run on by the configuration, against the groups (rules.md, KL1). */
#include "ask.h"
#include "rules-internal.h"

/* What the configuration says of an image; the first entry that matches, NULL: nothing. */
static const struct strs *platforms_of(const struct settings *settings, str image)
{
	for (size_t i = 0; i < settings->images.n; i++)
		if (source_glob_matches(settings->images.v[i].match, image))
			return &settings->images.v[i].platforms;
	return NULL;
}

/* May nodes of the group have that value of the label? Unknown where the group does not say. */
static enum answer may_have(const struct group *group, str given, const char *key, str value)
{
	const struct group_label *label = group_label_find(group, NULL, str_of(key));

	if (given.n)
		return str_eq(given, value) ? ANSWER_YES : ANSWER_NO;
	if (label->kind != LABEL_VALUES)
		return ANSWER_UNKNOWN;
	for (size_t i = 0; i < label->values.n; i++)
		if (str_eq(label->values.v[i], value))
			return label->values.n == 1 ? ANSWER_YES : ANSWER_UNKNOWN;
	return ANSWER_NO;
}

/* Does the group run an image of these platforms ("linux/amd64", a variant behind is ignored)? */
static enum answer runs_image(const struct group *group, const struct strs *platforms)
{
	enum answer best = ANSWER_NO;

	for (size_t i = 0; i < platforms->n; i++) {
		str os, arch, variant;
		enum answer by_os, by_arch, both;

		str_cut(platforms->v[i], '/', &os, &arch);
		str_cut(arch, '/', &arch, &variant);
		by_os = may_have(group, group->os, "kubernetes.io/os", os);
		by_arch = may_have(group, group->arch, "kubernetes.io/arch", arch);
		both = by_os < by_arch ? by_os : by_arch;
		best = both > best ? both : best;
	}
	return best;
}

/* How many groups that its labels admit there are, and how many of them do and do not run it. */
struct tally {
	size_t admitted, running, refusing;
	const struct group *refused; /* the first that does not */
};

static struct tally count_groups(const struct placement *placement, const struct strs *platforms)
{
	struct tally tally = { 0 };

	for (size_t i = 0; i < placement->count; i++) {
		const struct verdict *verdict = &placement->verdicts[i];
		enum answer answer;

		if (!verdict_labels_admit(verdict))
			continue;
		answer = runs_image(verdict->group, platforms);
		tally.admitted++;
		if (answer == ANSWER_NO) {
			/* A group that refuses the pod anyhow needs no image of its own. */
			tally.refusing += verdict->answer == ANSWER_YES;
			if (verdict->answer == ANSWER_YES && !tally.refused)
				tally.refused = verdict->group;
		} else {
			tally.running++;
		}
	}
	return tally;
}

static void check_image(const struct judge *judge, const struct workload *workload,
                        const struct container *container, const struct strs *platforms)
{
	struct tally tally = count_groups(placement_of(judge, workload), platforms);
	str list = list_text(JUDGE_ARENA(judge), platforms, 4);
	bool nowhere = tally.admitted && !tally.running;
	struct finding *finding;

	if (!nowhere && (!tally.refused || !tally.running))
		return;
	finding = emit_at(judge, nowhere ? LEVEL_ERROR : LEVEL_NOTE, workload->object,
	                  container->image.node, NULL);
	if (nowhere)
		finding_message(judge->sink, finding,
		                "the image of container %.*s is for %.*s, and no node group that the "
		                "pod's labels admit is", STR_ARG(container->name.s), STR_ARG(list));
	else
		finding_message(judge->sink, finding,
		                "the image of container %.*s is for %.*s, and the pod may also land on "
		                "%zu of the node groups that are not (%.*s)",
		                STR_ARG(container->name.s), STR_ARG(list), tally.refusing,
		                STR_ARG(tally.refused->name));
	finding_help(judge->sink, finding,
	             "build the image for both, or select kubernetes.io/arch as it needs");
}

void check_images(const struct judge *judge)
{
	const struct settings *settings = judge->scope->settings;

	for (size_t i = 0; settings->images.n && i < judge->scope->workloads.n; i++) {
		const struct workload *workload = judge->scope->workloads.v[i];
		const struct container *container;

		if (placement_of(judge, workload)->undecidable)
			continue;
		for (size_t k = 0; (container = pod_container(workload->pod, k)); k++) {
			const struct strs *platforms =
				platforms_of(settings, container->image.s);
			if (platforms && node_known(container->image.node))
				check_image(judge, workload, container, platforms);
		}
	}
}

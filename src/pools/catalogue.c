/* The instance catalogue: nominal size of cloud instance types, and the EKS arithmetic on it. */
#include "pools-internal.h"

#include "instance-types-table.h"

const struct instance_type *instance_types_all(size_t *ret_count)
{
	*ret_count = COUNT_OF(instance_types);
	return instance_types;
}

/* The table is sorted by provider and name in byte order. */
static const struct instance_type *find_of_provider(str provider, str name)
{
	size_t low = 0, high = COUNT_OF(instance_types);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct instance_type *type = &instance_types[middle];
		int order = str_cmp(str_of(type->provider), provider);

		if (!order)
			order = str_cmp(str_of(type->name), name);
		if (!order)
			return type;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct instance_type *instance_type_find(str provider, str name)
{
	static const char *const providers[] = { "aws", "azure", "gcp" };
	const struct instance_type *type = NULL;

	if (provider.n)
		return find_of_provider(provider, name);
	for (size_t i = 0; i < COUNT_OF(providers) && !type; i++)
		type = find_of_provider(str_of(providers[i]), name);
	return type;
}

/* ---- EKS (allocatable.md section 1) -------------------------------------------------- */

/* Share of each tier in units of 1/10000, each tier cut to whole millicores. Upstream: nodeadm
 * and the AL2 bootstrap script, also GKE. */
int64_t tiered_milli_cpu(int64_t milli_cpu)
{
	static const struct {
		int64_t size, share;
	} tiers[] = { { 1000, 600 }, { 1000, 100 }, { 2000, 50 }, { INT64_MAX, 25 } };
	int64_t reserved = 0;

	for (size_t i = 0; i < COUNT_OF(tiers) && milli_cpu > 0; i++) {
		int64_t part = milli_cpu < tiers[i].size ? milli_cpu : tiers[i].size;

		reserved += part / 10000 * tiers[i].share + part % 10000 * tiers[i].share / 10000;
		milli_cpu -= part;
	}
	return reserved;
}

/* What the kernel of an instance probably shows of its nominal MiB: Karpenter's estimate. */
static int64_t shown_memory_mib(const struct instance_type *type)
{
	int64_t mib = type->memory_mib;

	if (str_is(str_of(type->arch), "arm64"))
		mib -= 64;
	return mib - (mib * 75 + 999) / 1000;
}

/* Upstream: karpenter-provider-aws instancetype types.go, and nodeadm. */
void eks_estimate(const struct instance_type *type, int64_t max_pods_override,
                  struct node_estimate *ret_estimate)
{
	/* An override moves the slots, not the reservation, which counts the default ones. */
	int64_t pods = type->max_pods ? type->max_pods : 110;
	int64_t taken_mib = 11 * pods + 255 + 100;
	int64_t safe = shown_memory_mib(type) - taken_mib;
	int64_t most = type->memory_mib - taken_mib;

	*ret_estimate = (struct node_estimate){
		.milli_cpu = type->milli_cpu - tiered_milli_cpu(type->milli_cpu),
		.memory_safe_mib = safe > 0 ? safe : 0,
		.memory_optimistic_mib = most > 0 ? most : 0,
		.pods = max_pods_override > 0 ? max_pods_override : pods,
		.ephemeral_mib = (20 - 1 - 2) * 1024, /* 20 GiB root, 1 reserved, 10 % eviction */
	};
}

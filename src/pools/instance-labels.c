/* Labels that Karpenter's providers derive from an instance type (node-groups.md section 2). */
#include "requirements.h"

#include <string.h>

#define AWS "karpenter.k8s.aws/instance-"
#define AZURE "karpenter.azure.com/sku-"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Nothing for 0: the label is not there then. */
static str number_text(struct arena *arena, int64_t number)
{
	return number ? str_format(arena, "%lld", (long long)number) : (str){ 0 };
}

/* ---- AWS ----------------------------------------------------------------------------- */

/* m5d.large: family m5d, category m, generation 5, size large; u-6tb1.metal: category u,
 * generation 1. */
static str aws_part(const struct instance_type *type, str what)
{
	str name = str_of(type->name), family, size;
	size_t letters = 0, begin, end;

	str_cut(name, '.', &family, &size);
	while (letters < family.n && is_letter(family.p[letters]))
		letters++;
	begin = letters;
	if (begin < family.n && family.p[begin] == '-') {
		while (begin < family.n && !is_digit(family.p[begin]))
			begin++;
		while (begin < family.n && is_digit(family.p[begin]))
			begin++;
		while (begin < family.n && is_letter(family.p[begin]))
			begin++;
	}
	for (end = begin; end < family.n && is_digit(family.p[end]);)
		end++;
	if (str_is(what, "family"))
		return family;
	if (str_is(what, "size"))
		return size;
	return str_is(what, "category") ? str_slice(family, 0, letters)
	                                : str_slice(family, begin, end);
}

static bool aws_label(struct arena *arena, const struct instance_type *type, str what,
                      str *ret_value)
{
	static const char *const parts[] = { "family", "size", "category", "generation" };

	if (text_is_any(what, parts, COUNT_OF(parts)))
		*ret_value = aws_part(type, what);
	else if (str_is(what, "cpu"))
		*ret_value = number_text(arena, type->milli_cpu / 1000);
	else if (str_is(what, "memory"))
		*ret_value = number_text(arena, type->memory_mib);
	else if (str_is(what, "local-nvme"))
		*ret_value = number_text(arena, type->local_storage_gb);
	else if (str_is(what, "gpu-count") &&
	         (!type->gpu_count || str_starts(str_of(type->gpu_resource), STR("nvidia")) ||
	          str_starts(str_of(type->gpu_resource), STR("amd"))))
		*ret_value = number_text(arena, type->gpu_count);
	else
		return false;
	return true;
}

/* ---- Azure, GCP ---------------------------------------------------------------------- */

/* Standard_NC24ads_A100_v4: family N, sub-family C. */
static bool azure_label(struct arena *arena, const struct instance_type *type, str what,
                        str *ret_value)
{
	str name = str_of(type->name);

	if (str_starts(name, STR("Standard_")))
		name = str_slice(name, 9, name.n);
	if (str_is(what, "name"))
		*ret_value = str_of(type->name);
	else if (str_is(what, "family"))
		*ret_value = str_slice(name, 0, 1);
	else if (str_is(what, "cpu"))
		*ret_value = number_text(arena, type->milli_cpu / 1000);
	else if (str_is(what, "memory"))
		*ret_value = number_text(arena, type->memory_mib);
	else if (str_is(what, "gpu-count"))
		*ret_value = number_text(arena, type->gpu_count);
	else
		return false;
	return true;
}

/* The family is what stands before the first dash. */
static bool gcp_label(const struct instance_type *type, str what, str *ret_value)
{
	str name = str_of(type->name);

	if (!str_is(what, "family"))
		return false;
	*ret_value = str_slice(name, 0, str_find(name, '-'));
	return true;
}

/* Type and architecture are everybody's labels, the others a provider's. */
bool instance_label(struct arena *arena, const struct instance_type *type, str key,
                    str *ret_value)
{
	str aws = STR(AWS), azure = STR(AZURE), gcp = STR("karpenter.k8s.gcp/instance-");

	if (str_is(key, LABEL_TYPE)) {
		*ret_value = str_of(type->name);
		return true;
	}
	if (str_is(key, LABEL_ARCH)) {
		*ret_value = str_of(type->arch);
		return true;
	}
	if (str_starts(key, aws) && strcmp(type->provider, "aws") == 0)
		return aws_label(arena, type, str_slice(key, aws.n, key.n), ret_value);
	if (str_starts(key, azure) && strcmp(type->provider, "azure") == 0)
		return azure_label(arena, type, str_slice(key, azure.n, key.n), ret_value);
	if (str_starts(key, gcp) && strcmp(type->provider, "gcp") == 0)
		return gcp_label(type, str_slice(key, gcp.n, key.n), ret_value);
	return false;
}

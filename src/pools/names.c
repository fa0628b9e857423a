/* Names that clouds make of a group's name (node-groups.md section 0). */
#include "pools-internal.h"

static bool is_hex(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
			return false;
	return s.n > 0;
}

static bool is_uuid(str s)
{
	static const size_t dashes[] = { 8, 13, 18, 23 };

	if (s.n != 36)
		return false;
	for (size_t i = 0; i < COUNT_OF(dashes); i++)
		if (s.p[dashes[i]] != '-')
			return false;
	return is_hex(str_slice(s, 0, 8)) && is_hex(str_slice(s, 24, 36));
}

/* eks-NAME-UUID */
static bool cut_eks(str name, str *ret_name)
{
	if (!str_starts(name, STR("eks-")) || name.n < 42 || name.p[name.n - 37] != '-' ||
	    !is_uuid(str_slice(name, name.n - 36, name.n)))
		return false;
	*ret_name = str_slice(name, 4, name.n - 37);
	return ret_name->n > 0;
}

/* eksctl-CLUSTER-nodegroup-NAME-NodeGroup-… */
static bool cut_eksctl(str name, str *ret_name)
{
	str mark = STR("-nodegroup-"), end = STR("-NodeGroup-");
	size_t begin;

	if (!str_starts(name, STR("eksctl-")))
		return false;
	for (begin = 0; begin < name.n; begin++)
		if (str_starts(str_slice(name, begin, name.n), mark))
			break;
	for (size_t i = begin + mark.n; i < name.n; i++)
		if (str_starts(str_slice(name, i, name.n), end)) {
			*ret_name = str_slice(name, begin + mark.n, i);
			return ret_name->n > 0;
		}
	return false;
}

/* aks-NAME-DIGITS-vmss */
static bool cut_aks(str name, str *ret_name)
{
	size_t dash;

	if (!str_starts(name, STR("aks-")) || !str_ends(name, STR("-vmss")))
		return false;
	name = str_slice(name, 4, name.n - 5);
	dash = str_find_last(name, '-');
	if (dash == name.n || !is_hex(str_slice(name, dash + 1, name.n)))
		return false;
	*ret_name = str_slice(name, 0, dash);
	return dash > 0;
}

/* Machine{Deployment,Set,Pool}/NAMESPACE/NAME */
static bool cut_machine(str name, str *ret_name)
{
	size_t slash = str_find_last(name, '/');

	if (!str_starts(name, STR("Machine")) || slash == name.n)
		return false;
	*ret_name = str_slice(name, slash + 1, name.n);
	return ret_name->n > 0;
}

/* gke-CLUSTER-NAME-HEX8-grp: the cluster's name is cut, so each dash may begin the group's. */
static bool next_gke(struct name_walk *walk, str *ret_name)
{
	str name = walk->name;
	size_t end;

	if (!str_starts(name, STR("gke-")) || !str_ends(name, STR("-grp")) || name.n < 18)
		return false;
	end = name.n - 13;
	if (name.p[end] != '-' || !is_hex(str_slice(name, end + 1, name.n - 4)))
		return false;
	if (walk->at < 4)
		walk->at = 4;
	while (walk->at < end)
		if (name.p[walk->at++] == '-' && walk->at < end) {
			*ret_name = str_slice(name, walk->at, end);
			return true;
		}
	return false;
}

/* NAME.CLUSTER (kOps): each dot may end the group's. */
static bool next_kops(struct name_walk *walk, str *ret_name)
{
	while (walk->at < walk->name.n)
		if (walk->name.p[walk->at++] == '.' && walk->at > 1) {
			*ret_name = str_slice(walk->name, 0, walk->at - 1);
			return true;
		}
	return false;
}

/* The name itself, the cuts of one result, the walks of several. */
bool name_walk_next(struct name_walk *walk, str *ret_name)
{
	static bool (*const cuts[])(str name, str *ret_name) = { cut_eks, cut_eksctl, cut_aks,
		                                                 cut_machine };
	static bool (*const nexts[])(struct name_walk *walk, str *ret_name) = { next_gke,
		                                                                next_kops };

	if (walk->step == 0) {
		walk->step++;
		*ret_name = walk->name;
		return walk->name.n > 0;
	}
	while (walk->step <= COUNT_OF(cuts))
		if (cuts[walk->step++ - 1](walk->name, ret_name))
			return true;
	while (walk->step - COUNT_OF(cuts) <= COUNT_OF(nexts)) {
		if (nexts[walk->step - COUNT_OF(cuts) - 1](walk, ret_name))
			return true;
		walk->step++;
		walk->at = 0;
	}
	return false;
}

/* A cluster's name behind a dot is a kOps habit; other names with dots are just that. */
static bool is_dotted(str whole, str part)
{
	return part.p == whole.p && part.n < whole.n;
}

bool name_may_be(const struct group *group, str whole, str part)
{
	return str_eq(part, group->name) &&
	       (!is_dotted(whole, part) || str_starts(str_of(group->format), STR("kops")));
}

/* Aliases are whole names; only patterns are walked. */
bool group_goes_by(const struct group *group, str name)
{
	struct name_walk walk = { .name = claim_name(name) };
	str part;

	for (size_t i = 0; i < group->aliases.n; i++)
		if (str_eq(group->aliases.v[i], walk.name))
			return true;
	while (name_walk_next(&walk, &part))
		if (name_may_be(group, walk.name, part))
			return true;
	return false;
}

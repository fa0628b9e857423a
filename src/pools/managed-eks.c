/* EKS managed node groups as Terraform, Crossplane and ACK declare them. */
#include "managed.h"

static void read_sizes(const struct reader *reader, const struct managed *managed,
                       struct group *group)
{
	const struct node *scaling = managed_block(managed->values, "scaling_config");

	read_count(reader, managed_get(scaling, "min_size"), true, &group->min);
	read_count(reader, managed_get(scaling, "max_size"), true, &group->max);
	read_count(reader, managed_get(scaling, "desired_size"), true, &group->desired);
	group->managed_by_autoscaler = group->min.origin && group->max.origin &&
	                               group->min.value < group->max.value;
}

/* Without types and template EKS takes t3.medium. */
static void read_types(const struct reader *reader, const struct managed *managed,
                       struct group *group)
{
	const struct node *types = managed_get(managed->values, "instance_types");
	struct strs names = { 0 };

	if (managed_is_unknown(managed, "instance_types") || !read_texts(reader, types, &names))
		return;
	for (size_t i = 0; i < names.n && i < 100; i++)
		shape_add(reader, group, names.v[i], types);
	if (names.n)
		return;
	if (managed->instance_type.n)
		shape_add(reader, group, managed->instance_type, managed->node);
	else if (!managed_block(managed->values, "launch_template") &&
	         !managed_is_unknown(managed, "launch_template"))
		shape_add(reader, group, STR("t3.medium"), NULL);
}

static void read_capacity_type(const struct managed *managed, struct group *group)
{
	str type = node_text(managed_get(managed->values, "capacity_type"));

	if (managed_is_unknown(managed, "capacity_type"))
		return;
	if (str_is(type, "SPOT"))
		group_set_capacity_type(group, "spot");
	else if (str_is(type, "CAPACITY_BLOCK"))
		group_set_capacity_type(group, "reserved");
	else
		group_set_capacity_type(group, "on-demand");
}

/* The template carries what tells it apart by id or name; a group without one has no template. */
static bool has_template(const struct managed *managed)
{
	return managed_block(managed->values, "launch_template") ||
	       managed_is_unknown(managed, "launch_template");
}

/* EKS' default disk is of 20 GiB. */
static void read_sizing(const struct managed *managed, struct sizing *sizing)
{
	str ami = node_text(managed_get(managed->values, "ami_type"));
	const struct node *disk = managed_get(managed->values, "disk_size");
	int64_t gib = 20;

	sizing->reserves_by_pods = str_starts(ami, STR("BOTTLEROCKET"));
	sizing->hidden_kubelet = has_template(managed) || str_is(ami, "CUSTOM") ||
	                         str_starts(ami, STR("WINDOWS"));
	if (!sizing->hidden_kubelet && (!disk || node_int(disk, &gib)))
		sizing->disk_gib = gib;
}

struct group *managed_read_eks(const struct reader *reader, const struct managed *managed)
{
	static const char why[] = "set by EKS";
	const struct node *values = managed->values;
	const struct node *taints = managed_get(values, "taint");
	struct group *group = managed_begin(reader, managed, "aws", "labels",
	                                    taints ? "taint" : "taints");
	str ami = node_text(managed_get(values, "ami_type"));
	struct sizing sizing = { 0 };

	taints = taints ? taints : managed_get(values, "taints");
	read_labels(reader, managed_get(values, "labels"), group);
	read_taints(reader, taints, group, &group->taints);
	read_pairs(reader, managed_get(values, "tags"), &group->tags);
	read_sizes(reader, managed, group);
	read_capacity_type(managed, group);
	group_set_os(reader, group, str_starts(ami, STR("WINDOWS")) ? STR("windows")
	                                                            : STR("linux"));
	label_imply(reader->arena, &group->labels, STR("eks.amazonaws.com/nodegroup"), group->name,
	            why);
	if (group->capacity_type.n && !str_is(group->capacity_type, "reserved"))
		label_imply(reader->arena, &group->labels, STR("eks.amazonaws.com/capacityType"),
		            group->spot_only ? STR("SPOT") : STR("ON_DEMAND"), why);
	read_types(reader, managed, group);
	/* User data of a template may register more. */
	if (has_template(managed))
		group->labels_complete = group->taints_known = false;
	read_sizing(managed, &sizing);
	shapes_resolve(reader, group, &sizing);
	return group;
}

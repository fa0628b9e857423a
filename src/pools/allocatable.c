/* What an empty node leaves to pods: capacity less reservations, by provider.
 *
 * safe is what is surely there, optimistic what may be there at most (allocatable.md). Declared
 * amounts are both. Memory in bytes, cpu in millicores.
 */
#include "pools-internal.h"

/* Between its two readings: a capacity, a reservation, a result. */
struct range {
	int64_t safe, most;
};

/* One shape at work. */
struct frame {
	struct arena *arena;
	const struct group *group;
	const struct sizing *sizing;
	const struct instance_type *type; /* NULL: not in the catalogue */
	struct node_shape *shape;
	bool aws, gcp, azure, plain;      /* who reserves; plain: nobody */
};

/* ---- tiers --------------------------------------------------------------------------- */

struct tier {
	int64_t size, share; /* of each tier, in 1/100 */
};

/* Sum of shares of consecutive tiers, in 1/100 of the unit. */
static int64_t tiered(const struct tier *tiers, size_t count, int64_t amount)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count && amount > 0; i++) {
		int64_t part = amount < tiers[i].size ? amount : tiers[i].size;

		sum = int64_add_saturated(sum, int64_mul_saturated(part, tiers[i].share));
		amount -= part;
	}
	return sum;
}

/* MiB that GKE reserves, and AKS before 1.29 (not truncated there), in 1/100. */
static int64_t memory_tiers(int64_t mib)
{
	static const struct tier tiers[] = { { 4096, 25 }, { 4096, 20 }, { 8192, 10 },
		                             { 114688, 6 }, { INT64_MAX, 2 } };

	return tiered(tiers, COUNT_OF(tiers), mib);
}

/* Upstream: the AKS page "Resource reservations": 60, 100, 140, 180m of 1, 2, 4, 8 cores. */
static int64_t azure_milli_cpu(int64_t milli_cpu)
{
	static const struct tier tiers[] = { { 1000, 6 }, { 1000, 4 }, { 2000, 2 },
		                             { INT64_MAX, 1 } };

	return tiered(tiers, COUNT_OF(tiers), milli_cpu) / 100;
}

/* ---- results ------------------------------------------------------------------------- */

static const struct capacity_fact *declared(const struct capacity_facts *facts, const char *name)
{
	return capacity_find(facts, str_of(name));
}

static int64_t not_negative(int64_t value)
{
	return value > 0 ? value : 0;
}

/* What is worked out is implied; its node is what it was worked out from. */
static void put_range(const struct frame *frame, const char *resource, struct range range,
                      const struct node *node, const char *why)
{
	*capacity_put(frame->arena, &frame->shape->allocatable, str_of(resource)) =
		(struct capacity_fact){
			.resource = str_of(resource), .known = true,
			.safe = not_negative(range.safe), .optimistic = not_negative(range.most),
			.origin = ORIGIN_IMPLIED, .node = node, .why = why,
		};
}

/* Takes the declared allocatable; true when it decides the resource. */
static bool put_declared(const struct frame *frame, const char *resource)
{
	const struct capacity_fact *fact = declared(&frame->sizing->allocatable, resource);

	if (!fact)
		return false;
	*capacity_put(frame->arena, &frame->shape->allocatable, fact->resource) = *fact;
	return true;
}

/* An entry all the same, so that the resource is known to exist and not to be known. */
static void put_unknown(const struct frame *frame, const char *resource)
{
	capacity_put(frame->arena, &frame->shape->allocatable, str_of(resource));
}

/* A capacity of which an unknown part is reserved: all of it is never free, nine tenths are. */
static struct range without_unknown_part(int64_t capacity)
{
	return (struct range){ capacity / 10 * 9 + capacity % 10 * 9 / 10, capacity - 1 };
}

/* Why the amount is what it is, for people who read the inventory. */
static const char *formula_name(const struct frame *frame)
{
	if (frame->sizing->reserved.declared)
		return "capacity less reservations";
	if (frame->plain || frame->sizing->kubelet_only)
		return "capacity less the kubelet's eviction";
	return frame->aws ? "EKS formula" : frame->gcp ? "GKE formula"
	     : frame->azure ? "AKS formula" : "capacity, an unknown part of it is reserved";
}

/* ---- pods ---------------------------------------------------------------------------- */

/* Pod slots: declared, else what the provider gives; 0 when nobody tells. */
static int64_t pod_slots(const struct frame *frame, const struct node **ret_node)
{
	const struct capacity_fact *fact = declared(&frame->sizing->allocatable, "pods");

	*ret_node = NULL;
	if (!fact && frame->sizing->max_pods) {
		*ret_node = frame->sizing->max_pods_node;
		return frame->sizing->max_pods;
	}
	if (!fact)
		fact = declared(&frame->sizing->capacity, "pods");
	if (fact) {
		*ret_node = fact->node;
		return fact->known ? fact->safe : 0;
	}
	if (frame->sizing->kubelet_only && !frame->sizing->slots_by_type)
		return 110;
	if (frame->type && frame->type->max_pods)
		return frame->type->max_pods;
	/* EKS takes 110 for types that its own table lacks. */
	return frame->gcp || frame->plain || (frame->aws && frame->type) ? 110 : 0;
}

/* Slots have one reading: who declares them means exactly that many. */
static void resolve_pods(const struct frame *frame)
{
	const struct node *node;
	int64_t pods = pod_slots(frame, &node);

	if (put_declared(frame, "pods"))
		return;
	if (!pods) {
		put_unknown(frame, "pods");
		return;
	}
	put_range(frame, "pods", (struct range){ pods, pods }, node,
	          node ? "declared" : frame->type ? "instance type" : "kubelet's default");
	if (node)
		capacity_find(&frame->shape->allocatable, STR("pods"))->origin = ORIGIN_DECLARED;
}

/* ---- cpu ----------------------------------------------------------------------------- */

/* Shared-core types show two cpus and keep most of them. */
static bool is_shared_core(const struct frame *frame)
{
	return frame->gcp && frame->type && (str_is(str_of(frame->type->name), "e2-micro") ||
	                                     str_is(str_of(frame->type->name), "e2-small") ||
	                                     str_is(str_of(frame->type->name), "e2-medium"));
}

/* The kernel takes no cpu, so that only the reservations differ; a hidden kubelet
 * configuration may reserve nothing. */
static struct range cpu_left(const struct frame *frame, int64_t capacity)
{
	int64_t left = capacity - tiered_milli_cpu(capacity);

	if (frame->sizing->reserved.declared && !frame->sizing->reserved.unknown) {
		left = capacity - frame->sizing->reserved.milli_cpu;
		return (struct range){ left, left };
	}
	if (frame->plain || frame->sizing->kubelet_only)
		return (struct range){ capacity, capacity };
	if (is_shared_core(frame))
		return (struct range){ 940, 940 };
	if (!frame->aws && !frame->gcp && !frame->azure)
		return without_unknown_part(capacity);
	if (frame->azure)
		left = capacity - azure_milli_cpu(capacity);
	return (struct range){ left, frame->sizing->hidden_kubelet ? capacity : left };
}

/* A capacity of 0 is nobody's: it counts as not known. */
static void resolve_cpu(const struct frame *frame)
{
	const struct capacity_fact *capacity = declared(&frame->sizing->capacity, "cpu");
	int64_t milli = capacity ? capacity->safe : frame->type ? frame->type->milli_cpu : 0;

	if (put_declared(frame, "cpu"))
		return;
	if ((capacity && !capacity->known) || !milli)
		put_unknown(frame, "cpu");
	else
		put_range(frame, "cpu", cpu_left(frame, milli),
		          capacity ? capacity->node : frame->shape->node,
		          formula_name(frame));
}

/* ---- memory -------------------------------------------------------------------------- */

/* Memory that the kernel of a GKE node keeps before it shows the rest, of so many bytes.
 * Upstream: cluster-autoscaler cloudprovider/gce, COS. */
static int64_t gke_kernel(int64_t memory)
{
	int64_t share = memory / 100000 * 175 + memory % 100000 * 175 / 100000;
	int64_t kept = memory / 64 + 16 * MIB;

	kept += memory > 3 * 1024 * MIB ? 64 * MIB : 0;
	kept += memory <= 8 * 1024 * MIB ? 8 * MIB : 0;
	return kept + (share < 248 * MIB ? share : 248 * MIB);
}

/* What a node of that nominal memory shows as its capacity. */
static struct range shown_memory(const struct frame *frame, int64_t nominal)
{
	int64_t mib = nominal / MIB;

	if (frame->gcp)
		return (struct range){ nominal - gke_kernel(nominal), nominal };
	if (frame->type && str_is(str_of(frame->type->arch), "arm64") && frame->aws)
		mib -= 64;
	return (struct range){ (mib - (int64_mul_saturated(mib, 75) + 999) / 1000) * MIB, nominal };
}

/* Memory capacity: declared, else by the catalogue. A declared capacity below the type's nominal
 * one is what the node shows. false: not known. */
static bool memory_capacity(const struct frame *frame, struct range *ret_capacity,
                            int64_t *ret_nominal, const struct node **ret_node)
{
	const struct capacity_fact *fact = declared(&frame->sizing->capacity, "memory");
	int64_t nominal = frame->type ? frame->type->memory_mib * MIB : 0;
	bool cloud = frame->aws || frame->gcp || frame->azure;

	*ret_node = fact ? fact->node : frame->shape->node;
	if ((fact && !fact->known) || (!fact && !nominal))
		return false;
	*ret_nominal = nominal ? nominal : fact->safe;
	*ret_capacity = fact ? (struct range){ fact->safe, fact->safe }
	                     : shown_memory(frame, nominal);
	if (fact && cloud && fact->safe >= nominal)
		*ret_capacity = shown_memory(frame, fact->safe);
	return true;
}

/* MiB: kube-reserved of EKS, which counts pods. */
static int64_t aws_taken_mib(const struct frame *frame)
{
	const struct node *node;
	int64_t pods = frame->type ? frame->type->max_pods : 0;

	if (!pods || frame->sizing->reserves_by_pods)
		pods = pod_slots(frame, &node);
	return int64_add_saturated(int64_mul_saturated(11, pods ? pods : 110), 255 + 100);
}

/* Upstream: the GKE page "Plan node sizes": 255 MiB of a GiB or less, else by tiers. */
static int64_t gcp_taken(int64_t nominal)
{
	int64_t mib = nominal / MIB;

	return (mib <= 1024 ? 255 : memory_tiers(mib) / 100) * MIB + 100 * MIB;
}

/* Bytes taken of an AKS node by release and pod slots; safe takes the larger. */
static struct range azure_taken(const struct frame *frame, int64_t nominal)
{
	const struct node *node;
	int64_t pods = pod_slots(frame, &node), mib = nominal / MIB;
	int64_t old = int64_mul_saturated(memory_tiers(mib), MIB) / 100 + 750 * MIB;
	int64_t quarter = mib / 4;
	int64_t most = int64_add_saturated(int64_mul_saturated(20, pods ? pods : 250), 50);
	int64_t least = int64_add_saturated(int64_mul_saturated(20, pods ? pods : 30), 50);
	struct range modern = { ((most < quarter ? most : quarter) + 100) * MIB,
		                ((least < quarter ? least : quarter) + 100) * MIB };
	struct version version;

	if (!version_parse(frame->group->version, &version))
		return (struct range){ old > modern.safe ? old : modern.safe,
			               old < modern.most ? old : modern.most };
	if (version_cmp(version, (struct version){ 1, 29, -1 }) >= 0)
		return modern;
	return (struct range){ old, old };
}

/* Cut, as the kubelet does; without overflow for any amount. */
static int64_t percent_of(int64_t amount, int64_t percent)
{
	return amount / 100 * percent + amount % 100 * percent / 100;
}

/* What a declared kubelet configuration takes of the capacity. */
static int64_t declared_taken(const struct reservations *reserved, int64_t capacity)
{
	int64_t taken = int64_add_saturated(reserved->memory, reserved->eviction_memory);

	taken = int64_add_saturated(taken, percent_of(capacity,
	                                              reserved->eviction_memory_percent));
	return reserved->eviction_declared ? taken : int64_add_saturated(taken, 100 * MIB);
}

/* Declared reservations win over every formula; without a formula an unknown part is taken. */
static struct range memory_left(const struct frame *frame, struct range capacity,
                                int64_t nominal)
{
	const struct reservations *reserved = &frame->sizing->reserved;
	struct range taken = { 0, 0 };

	if (reserved->declared && !reserved->unknown) {
		taken.safe = declared_taken(reserved, capacity.safe);
		taken.most = declared_taken(reserved, capacity.most);
	} else if (frame->sizing->kubelet_only) {
		taken.safe = taken.most = 100 * MIB;
	} else if (frame->aws) {
		taken.safe = taken.most = int64_mul_saturated(aws_taken_mib(frame), MIB);
	} else if (frame->gcp) {
		taken.safe = taken.most = gcp_taken(nominal);
	} else if (frame->azure) {
		taken = azure_taken(frame, nominal);
	} else if (!frame->plain) {
		return without_unknown_part(capacity.safe);
	}
	if (frame->sizing->hidden_kubelet)
		taken.most = 0;
	return (struct range){ capacity.safe - taken.safe, capacity.most - taken.most };
}

/* Two readings nearly always: nobody tells what the kernel of a node that is not there shows. */
static void resolve_memory(const struct frame *frame)
{
	struct range capacity;
	const struct node *node;
	int64_t nominal;

	if (put_declared(frame, "memory"))
		return;
	if (!memory_capacity(frame, &capacity, &nominal, &node))
		put_unknown(frame, "memory");
	else
		put_range(frame, "memory", memory_left(frame, capacity, nominal), node,
		          formula_name(frame));
}

/* ---- ephemeral storage, devices ------------------------------------------------------ */

/* Of a disk of so many GiB. GKE keeps 10 % and min(50 %, 35 % + 6, 100) GiB; EKS 10 % and 1. */
static int64_t disk_left(const struct frame *frame, int64_t gib)
{
	int64_t system = 100 * gib, half = 50 * gib, third = 35 * gib + 600;

	if (!frame->gcp)
		return (90 * gib - 100) * 1024 * MIB / 100;
	system = half < third ? half : third;
	system = system < 10000 ? system : 10000;
	return (90 * gib - system) * 1024 * MIB / 100;
}

/* The disk is no property of the instance type: it must be declared. */
static void resolve_disk(const struct frame *frame)
{
	static const char name[] = "ephemeral-storage";
	const struct capacity_fact *capacity = declared(&frame->sizing->capacity, name);
	const struct reservations *reserved = &frame->sizing->reserved;
	int64_t gib = frame->sizing->disk_gib, left;

	if (put_declared(frame, name))
		return;
	if (capacity && capacity->known && reserved->declared && reserved->eviction_declared) {
		left = capacity->safe -
		       percent_of(capacity->safe, reserved->eviction_ephemeral_percent);
		left = int64_sub_saturated(left, reserved->ephemeral);
		left = int64_sub_saturated(left, reserved->eviction_ephemeral);
		put_range(frame, name, (struct range){ left, left }, capacity->node,
		          "capacity less reservations");
	} else if (capacity && capacity->known) {
		put_range(frame, name, without_unknown_part(capacity->safe), capacity->node,
		          "capacity, an unknown part of it is reserved");
	} else if (gib > 0 && gib < 1 << 20 && (frame->aws || frame->gcp)) {
		left = disk_left(frame, gib);
		put_range(frame, name, (struct range){ left, left }, NULL, formula_name(frame));
	} else {
		put_unknown(frame, name);
	}
}

static bool is_core(str resource)
{
	return str_is(resource, "cpu") || str_is(resource, "memory") || str_is(resource, "pods") ||
	       str_is(resource, "ephemeral-storage");
}

/* A given allocatable or capacity lists all devices; else the catalogue counts the
 * accelerators. */
static void resolve_devices(const struct frame *frame)
{
	const struct sizing *sizing = frame->sizing;
	const struct capacity_facts *facts = sizing->allocatable_node ? &sizing->allocatable
	                                                              : &sizing->capacity;
	const struct instance_type *type = frame->type;

	for (size_t i = 0; i < facts->n; i++)
		if (!is_core(facts->v[i].resource))
			*capacity_put(frame->arena, &frame->shape->allocatable,
			              facts->v[i].resource) = facts->v[i];
	frame->shape->allocatable_complete = sizing->allocatable_node || sizing->capacity_node;
	if (sizing->allocatable_node || !type || !type->gpu_count || !*type->gpu_resource ||
	    declared(&sizing->capacity, type->gpu_resource))
		return;
	put_range(frame, type->gpu_resource,
	          (struct range){ type->gpu_count, type->gpu_count }, frame->shape->node,
	          "instance type");
}

/* ---- shapes -------------------------------------------------------------------------- */

/* Devices that the catalogue counts: a type without them has none. */
static bool is_counted_device(str resource)
{
	static const char *const counted[] = { "nvidia.com/gpu", "amd.com/gpu",
		                               "habana.ai/gaudi", "gpu.intel.com/xe",
		                               "google.com/tpu", "aws.amazon.com/neuron" };

	return text_is_any(resource, counted, COUNT_OF(counted));
}

struct capacity_fact shape_allocatable(const struct group *group, const struct node_shape *shape,
                                       str resource)
{
	const struct capacity_fact *fact = capacity_find(&shape->allocatable, resource);

	if (fact)
		return *fact;
	if (shape->allocatable_complete ||
	    (is_counted_device(resource) && shape->instance_type.n &&
	     instance_type_find(group->provider, shape->instance_type)))
		return (struct capacity_fact){ .resource = resource, .known = true,
			                       .origin = ORIGIN_IMPLIED,
			                       .why = "the node has none" };
	return (struct capacity_fact){ .resource = resource, .optimistic = INT64_MAX };
}

/* The first type that the catalogue knows decides the provider where the format names none. */
struct node_shape *shape_add(const struct reader *reader, struct group *group, str type,
                             const struct node *node)
{
	struct node_shape *shape = VEC_PUSH(reader->arena, &group->shapes);
	const struct instance_type *known = instance_type_find(group->provider, type);

	shape->instance_type = type;
	shape->node = node;
	if (!type.n)
		return shape;
	label_imply(reader->arena, &shape->labels, STR(LABEL_TYPE), type,
	            "set by the cloud, from the instance type");
	if (!known)
		return shape;
	if (!group->provider.n)
		group->provider = str_of(known->provider);
	if (!label_find(&group->labels, STR(LABEL_ARCH)))
		label_imply(reader->arena, &shape->labels, STR(LABEL_ARCH), str_of(known->arch),
		            "instance type");
	return shape;
}

/* The architecture, where one is decided; else any that a pod asks for. */
static void imply_arch(struct arena *arena, struct group *group)
{
	struct group_label *label = label_find(&group->labels, STR(LABEL_ARCH));
	str arch = group->arch;
	bool same = group->shapes.n > 0;

	if (label && label->kind == LABEL_VALUES && label->values.n == 1)
		group->arch = label->values.v[0];
	for (size_t i = 0; i < group->shapes.n; i++) {
		const struct group_label *own = label_find(&group->shapes.v[i].labels,
		                                           STR(LABEL_ARCH));

		same = same && own && (!arch.n || str_eq(arch, own->values.v[0]));
		arch = same ? own->values.v[0] : arch;
	}
	if (same && !group->arch.n)
		group->arch = arch;
	if (label || same)
		return;
	label = label_imply(arena, &group->labels, STR(LABEL_ARCH), group->arch,
	                    group->arch.n ? "declared architecture" : "not declared");
	if (!group->arch.n) {
		label->kind = LABEL_ANY;
		label->values.n = 0;
	}
}

void shape_resolve(const struct reader *reader, const struct group *group,
                   const struct sizing *sizing, struct node_shape *shape)
{
	static const char *const plain[] = { "kind", "k3s" };
	const struct frame frame = {
		.arena = reader->arena, .group = group, .sizing = sizing, .shape = shape,
		.type = shape->instance_type.n
			? instance_type_find(group->provider, shape->instance_type) : NULL,
		.aws = str_is(group->provider, "aws"),
		.gcp = str_is(group->provider, "gcp"),
		.azure = str_is(group->provider, "azure"),
		.plain = text_is_any(group->provider, plain, COUNT_OF(plain)),
	};

	resolve_cpu(&frame);
	resolve_memory(&frame);
	resolve_pods(&frame);
	resolve_disk(&frame);
	resolve_devices(&frame);
}

void shapes_resolve(const struct reader *reader, struct group *group, const struct sizing *sizing)
{
	if (!group->shapes.n)
		shape_add(reader, group, (str){ 0 }, NULL);
	for (size_t i = 0; i < group->shapes.n; i++)
		shape_resolve(reader, group, sizing, &group->shapes.v[i]);
	imply_arch(reader->arena, group);
}

/* ---- declared reservations ----------------------------------------------------------- */

/* Adds one side of the reservations (kubeReserved or systemReserved). */
static void add_reserved(const struct reader *reader, const struct node *map,
                         struct reservations *reserved)
{
	struct capacity_facts facts = { 0 };

	if (node_is_null(map))
		return;
	read_amounts(reader, map, &facts);
	reserved->declared = true;
	reserved->unknown = reserved->unknown || map->unknown || !node_is_map(map);
	for (size_t i = 0; i < facts.n; i++) {
		const struct capacity_fact *fact = &facts.v[i];
		int64_t *sum = str_is(fact->resource, "cpu") ? &reserved->milli_cpu
		             : str_is(fact->resource, "memory") ? &reserved->memory
		             : str_is(fact->resource, "ephemeral-storage") ? &reserved->ephemeral
		                                                           : NULL;

		reserved->unknown = reserved->unknown || !fact->known;
		if (sum)
			*sum = int64_add_saturated(*sum, fact->safe);
	}
}

/* A threshold: an amount or a percentage of the capacity. */
static void read_threshold(const struct reader *reader, const struct node *node,
                           int64_t *ret_amount, int64_t *ret_percent, bool *unknown)
{
	struct quantity quantity;
	str text = node_text(node);
	int64_t percent;

	if (node_is_null(node))
		return;
	if (str_ends(text, STR("%")) &&
	    str_to_int64(str_slice(text, 0, text.n - 1), &percent) && percent >= 0 &&
	    percent <= 100)
		*ret_percent = percent;
	else if (!node->unknown && node_is_scalar(node) &&
	         quantity_parse(node_json_text(reader->arena, node), &quantity))
		quantity_value_ceil(&quantity, ret_amount);
	else
		*unknown = true;
}

/* Upstream: KubeletConfiguration kubeReserved, systemReserved, evictionHard. */
void read_reservations(const struct reader *reader, const struct node *kube,
                       const struct node *system, const struct node *eviction,
                       struct reservations *ret_reserved)
{
	struct reservations reserved = { 0 };

	add_reserved(reader, kube, &reserved);
	add_reserved(reader, system, &reserved);
	if (node_is_map(eviction)) {
		reserved.declared = reserved.eviction_declared = true;
		read_threshold(reader, node_get(eviction, "memory.available"),
		               &reserved.eviction_memory, &reserved.eviction_memory_percent,
		               &reserved.unknown);
		read_threshold(reader, node_get(eviction, "nodefs.available"),
		               &reserved.eviction_ephemeral,
		               &reserved.eviction_ephemeral_percent, &reserved.unknown);
	}
	*ret_reserved = reserved;
}

void read_max_pods(const struct reader *reader, const struct node *node, struct sizing *sizing)
{
	struct count_fact fact = { 0 };

	read_number(reader, node, true, "type", &fact);
	if (fact.origin == ORIGIN_UNKNOWN)
		return;
	if (fact.value <= 0 || fact.value > 100000) {
		reader_fault(reader, node, "type", "%lld pods to a node", (long long)fact.value);
		return;
	}
	sizing->max_pods = fact.value;
	sizing->max_pods_node = node;
}

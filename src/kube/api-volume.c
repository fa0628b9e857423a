/* Volumes, mounts, devices, claims. Upstream: pkg/apis/core/validation (ValidateVolumes,
 * ValidateVolumeMounts, ValidateVolumeDevices, ValidatePersistentVolumeClaimSpec). */
#include "api-pod.h"

/* ---- volumes -------------------------------------------------------------------------- */

/* A volume with any fault is no volume for mounts: upstream then finds these without one. */
static void check_volume(const struct api_check *check, const struct api_place *volume,
                         struct map *names)
{
	static const struct api_rule rules[] = {
		{ "name", RULE_NEEDED, NULL, 0, 0 },
		{ "name", RULE_LABEL, NULL, 0, 0 },
	};
	struct api_place name = api_field(volume, "name");
	size_t before = check->tree->faults.n;

	api_check_source(check, volume);
	api_apply(check, volume, rules, COUNT_OF(rules));
	if (map_has(names, api_text(&name)))
		api_fault(check, &name, API_DUPLICATE, "another volume is named %.*s",
		          STR_ARG(api_text(&name)));
	else if (check->tree->faults.n == before)
		map_put(names, api_text(&name), volume->node->children);
}

/* A template whose items are not all known may bring the volume that a mount wants. */
static bool is_known_list(const struct api_place *list)
{
	for (uint32_t i = 0; i < api_count(list); i++) {
		struct api_place item = api_item(list, i);
		struct api_place name = api_field(&item, "name");

		if (api_is_unknown(&item) || api_is_unknown(&name))
			return false;
	}
	return !api_is_unknown(list);
}

/* A claim template of a StatefulSet becomes a volume of its name, before the others. Its name is
 * judged as that volume's, and upstream's path counts the volumes so. */
static void add_claim(const struct api_check *check, const struct api_place *volumes,
                      const struct api_place *claim, struct map *names)
{
	struct api_place meta = api_field(claim, "metadata");
	struct api_place given = api_field(&meta, "name");
	struct api_place volume = { .outer = volumes, .node = given.node ? given.node : claim->node,
		                    .index = (uint32_t)map_count(names) };
	struct api_place name = { .outer = &volume, .node = volume.node, .field = "name" };
	struct api_place source = { .outer = &volume, .node = volume.node,
		                    .field = "persistentVolumeClaim" };
	struct api_place reference = { .outer = &source, .node = volume.node,
		                       .field = "claimName" };

	if (map_put(names, api_text(&given), names) || api_is_unknown(&given))
		return;
	if (api_is_empty(&given)) {
		api_fault(check, &reference, API_REQUIRED, "the template of a claim has no name");
		api_fault(check, &name, API_REQUIRED, "the template of a claim has no name");
	} else if (!name_is_dns_label(api_text(&given))) {
		api_fault(check, &name, API_INVALID,
		          "\"%.*s\" names a volume, but is no DNS label",
		          STR_ARG(api_text(&given)));
	}
}

struct map *api_check_volumes(const struct api_check *check, const struct api_place *spec,
                              const struct api_place *claims)
{
	struct api_place volumes = api_field(spec, "volumes");
	struct map *names = map_new(check->tree->arena), *claimed = map_new(check->tree->arena);
	bool known = is_known_list(&volumes) && !(claims && api_is_unknown(claims));
	uint32_t index;

	for (uint32_t i = 0; claims && i < api_count(claims); i++) {
		struct api_place claim = api_item(claims, i);
		struct api_place meta = api_field(&claim, "metadata");
		struct api_place name = api_field(&meta, "name");

		known = known && !api_is_unknown(&claim) && !api_is_unknown(&meta) &&
		        !api_is_unknown(&name);
		if (!api_is_unknown(&claim) && !api_is_unknown(&meta))
			add_claim(check, &volumes, &claim, claimed);
		if (name_is_dns_label(api_text(&name)))
			map_put(names, api_text(&name), names);
	}
	index = (uint32_t)map_count(claimed);
	for (uint32_t i = 0; i < api_count(&volumes); i++) {
		struct api_place volume = api_item(&volumes, i);
		struct api_place name = api_field(&volume, "name");

		/* a claim takes the place of a volume of its name */
		if (map_has(claimed, api_text(&name)))
			continue;
		volume.index = index++;
		if (api_has(&volume))
			check_volume(check, &volume, names);
	}
	return known ? names : NULL;
}

/* ---- mounts --------------------------------------------------------------------------- */

/* Names and paths of the mounts of a container, or of its devices: they must differ. */
struct taken {
	struct map *names, *paths;
};

static struct taken collect(const struct api_check *check, const struct api_place *container,
                            const char *list_field, const char *path_field)
{
	struct api_place list = api_field(container, list_field);
	struct taken taken = { map_new(check->tree->arena), map_new(check->tree->arena) };

	for (uint32_t i = 0; i < api_count(&list); i++) {
		struct api_place item = api_item(&list, i);
		struct api_place name = api_field(&item, "name");
		struct api_place path = api_field(&item, path_field);

		if (api_is_unknown(&item) || api_is_unknown(&name) || api_is_unknown(&path))
			continue;
		map_put(taken.names, api_text(&name), taken.names);
		map_put(taken.paths, api_text(&path), taken.paths);
	}
	return taken;
}

/* Upstream's path lacks the index. */
static struct api_place without_index(const struct api_place *mount, const char *field)
{
	return (struct api_place){ .outer = mount->outer, .node = node_get(mount->node, field),
		                   .field = field };
}

static void check_sub_paths(const struct api_check *check, const struct api_place *mount)
{
	struct api_place sub_path = without_index(mount, "subPath");
	struct api_place expression = without_index(mount, "subPathExpr");
	struct api_place second = api_field(mount, "subPathExpr");

	api_want_local_path(check, &sub_path, false);
	api_want_local_path(check, &expression, false);
	if (api_text(&sub_path).n > 0 && api_text(&expression).n > 0)
		api_fault(check, &second, API_INVALID, "subPath and subPathExpr exclude each other");
}

/* Mounts that come into being on both sides need a privileged container. */
static void check_propagation(const struct api_check *check, const struct api_place *mount,
                              const struct api_place *container)
{
	struct api_place mode = without_index(mount, "mountPropagation");
	struct api_place security = api_field(container, "securityContext");
	struct api_place privileged = api_field(&security, "privileged");

	if (!api_has(&mode))
		return;
	if (!api_is(&mode, "Bidirectional") && !api_is(&mode, "HostToContainer") &&
	    !api_is(&mode, "None"))
		api_fault(check, &mode, API_NOT_SUPPORTED,
		          "mountPropagation is \"%.*s\", but must be Bidirectional, "
		          "HostToContainer or None", STR_ARG(api_text(&mode)));
	if (api_is(&mode, "Bidirectional") && !api_is_unknown(&security) &&
	    !api_is_unknown(&privileged) && !api_is_true(&privileged))
		api_fault(check, &mode, API_FORBIDDEN,
		          "Bidirectional needs a privileged container");
}

static void check_recursion(const struct api_check *check, const struct api_place *mount)
{
	struct api_place mode = without_index(mount, "recursiveReadOnly");
	struct api_place read_only = api_field(mount, "readOnly");
	struct api_place propagation = api_field(mount, "mountPropagation");

	if (!api_has(&mode) || api_is(&mode, "Disabled"))
		return;
	if (!api_is(&mode, "Enabled") && !api_is(&mode, "IfPossible"))
		api_fault(check, &mode, API_NOT_SUPPORTED,
		          "recursiveReadOnly is \"%.*s\", but must be Disabled, Enabled or "
		          "IfPossible", STR_ARG(api_text(&mode)));
	else if (!api_is_unknown(&read_only) && !api_is_true(&read_only))
		api_fault(check, &mode, API_FORBIDDEN, "it needs readOnly: true");
	else if (api_has(&propagation) && !api_is(&propagation, "None"))
		api_fault(check, &mode, API_FORBIDDEN, "it needs mountPropagation: None");
}

static void check_mount(const struct api_check *check, const struct api_place *mount,
                        const struct api_pod *pod, const struct taken *devices)
{
	static const struct api_rule rules[] = {
		{ "name", RULE_NEEDED, NULL, 0, 0 },
		{ "mountPath", RULE_NEEDED, NULL, 0, 0 },
	};
	struct api_place name = api_field(mount, "name");
	struct api_place path = api_field(mount, "mountPath");

	api_apply(check, mount, rules, COUNT_OF(rules));
	if (pod->volumes && !api_is_unknown(&name) && !map_has(pod->volumes, api_text(&name)))
		api_fault(check, &name, API_NOT_FOUND, "there is no volume \"%.*s\"",
		          STR_ARG(api_text(&name)));
	if (!api_is_unknown(&name) && map_has(devices->names, api_text(&name)))
		api_fault(check, &name, API_INVALID, "%.*s is a device already",
		          STR_ARG(api_text(&name)));
	if (!api_is_unknown(&path) && map_has(devices->paths, api_text(&path)))
		api_fault(check, &path, API_INVALID, "a device is at %.*s already",
		          STR_ARG(api_text(&path)));
	check_sub_paths(check, mount);
	check_recursion(check, mount);
}

void api_check_mounts(const struct api_check *check, const struct api_place *container,
                      const struct api_pod *pod)
{
	struct api_place mounts = api_field(container, "volumeMounts");
	struct taken devices = collect(check, container, "volumeDevices", "devicePath");
	struct map *paths = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&mounts); i++) {
		struct api_place mount = api_item(&mounts, i);
		struct api_place path = api_field(&mount, "mountPath");

		if (api_is_unknown(&mount))
			continue;
		check_mount(check, &mount, pod, &devices);
		check_propagation(check, &mount, container);
		if (!api_is_unknown(&path) && map_put(paths, api_text(&path), paths))
			api_fault(check, &path, API_INVALID, "something is mounted at %.*s already",
			          STR_ARG(api_text(&path)));
	}
}

/* ---- devices -------------------------------------------------------------------------- */

/* Only a claim can be given to a container as a block device. fields: the volume's, or the map of
 * names itself for a claim template. */
static bool is_claim(const struct map *volumes, const void *fields)
{
	const struct node *first = fields;

	return fields == volumes || node_get(first->parent, "persistentVolumeClaim") ||
	       node_get(first->parent, "ephemeral");
}

static void check_device_name(const struct api_check *check, const struct api_place *name,
                              const struct api_pod *pod)
{
	const void *fields = pod->volumes ? map_get(pod->volumes, api_text(name)) : NULL;

	if (api_is_empty(name))
		api_fault(check, name, API_REQUIRED, "name is missing or empty");
	if (pod->volumes && !fields)
		api_fault(check, name, API_NOT_FOUND, "there is no volume \"%.*s\"",
		          STR_ARG(api_text(name)));
	else if (pod->volumes && !is_claim(pod->volumes, fields))
		api_fault(check, name, API_INVALID, "%.*s is no claim, so it is no device",
		          STR_ARG(api_text(name)));
}

static void check_device(const struct api_check *check, const struct api_place *device,
                         const struct taken *mounts, const struct taken *seen)
{
	struct api_place name = api_field(device, "name");
	struct api_place path = api_field(device, "devicePath");
	str text = api_text(&path);

	if (!api_is_unknown(&name) && (map_has(mounts->names, api_text(&name)) ||
	                               map_has(seen->names, api_text(&name))))
		api_fault(check, &name, API_INVALID, "%.*s is mounted or a device already",
		          STR_ARG(api_text(&name)));
	if (api_is_empty(&path))
		api_fault(check, &path, API_REQUIRED, "devicePath is missing or empty");
	if (!api_is_unknown(&path) && (api_has_backstep(text) || map_has(mounts->paths, text) ||
	                               map_has(seen->paths, text)))
		api_fault(check, &path, API_INVALID,
		          "\"%.*s\" must be of its own and without ..", STR_ARG(text));
	if (api_text(&name).n > 0)
		map_put(seen->names, api_text(&name), seen->names);
	if (!api_is_unknown(&path))
		map_put(seen->paths, text, seen->paths);
}

void api_check_devices(const struct api_check *check, const struct api_place *container,
                       const struct api_pod *pod)
{
	struct api_place devices = api_field(container, "volumeDevices");
	struct taken mounts = collect(check, container, "volumeMounts", "mountPath");
	struct taken seen = { map_new(check->tree->arena), map_new(check->tree->arena) };

	for (uint32_t i = 0; i < api_count(&devices); i++) {
		struct api_place device = api_item(&devices, i);
		struct api_place name = api_field(&device, "name");

		if (api_is_unknown(&device))
			continue;
		if (!api_is_unknown(&name))
			check_device_name(check, &name, pod);
		check_device(check, &device, &mounts, &seen);
	}
}

/* ---- claims --------------------------------------------------------------------------- */

/* Upstream's faults are at the list. */
static void check_modes(const struct api_check *check, const struct api_place *spec)
{
	struct api_place modes = api_field(spec, "accessModes");
	bool single = false, other = false;

	if (api_count(&modes) == 0 && !api_is_unknown(&modes))
		api_fault(check, &modes, API_REQUIRED, "a claim needs an access mode");
	for (uint32_t i = 0; i < api_count(&modes); i++) {
		struct api_place mode = api_item(&modes, i);
		bool known = api_is(&mode, "ReadWriteOnce") || api_is(&mode, "ReadOnlyMany") ||
		             api_is(&mode, "ReadWriteMany");

		other = other || known;
		if (api_is(&mode, "ReadWriteOncePod"))
			single = true;
		else if (!known && !api_is_unknown(&mode))
			api_fault(check, &modes, API_NOT_SUPPORTED, "\"%.*s\" is no access mode",
			          STR_ARG(api_text(&mode)));
	}
	if (single && other)
		api_fault(check, &modes, API_FORBIDDEN,
		          "ReadWriteOncePod goes with no other access mode");
}

/* Where the claim's data comes from; without a group it can only be another claim. */
static void check_data_source(const struct api_check *check, const struct api_place *source)
{
	static const struct api_rule rules[] = {
		{ "name", RULE_NEEDED, NULL, 0, 0 },
		{ "kind", RULE_NEEDED, NULL, 0, 0 },
		{ "apiGroup", RULE_SUBDOMAIN, NULL, 0, 0 },
		{ "namespace", RULE_LABEL, NULL, 0, 0 },
	};
	struct api_place group = api_field(source, "apiGroup");
	struct api_place kind = api_field(source, "kind");

	if (!api_has(source))
		return;
	api_apply(check, source, rules, COUNT_OF(rules));
	if (api_is_empty(&group) && !api_is_unknown(&kind) && !api_is(&kind, "PersistentVolumeClaim"))
		api_fault(check, source, API_INVALID,
		          "without apiGroup the kind must be PersistentVolumeClaim");
}

/* Of the two fields the newer one stands for both; upstream's faults are at the spec. */
static void check_data_sources(const struct api_check *check, const struct api_place *spec)
{
	static const char *const same[] = { "apiGroup", "kind", "name" };
	struct api_place source = api_field(spec, "dataSource");
	struct api_place reference = api_field(spec, "dataSourceRef");
	struct api_place namespace = api_field(&reference, "namespace");
	bool differ = api_text(&namespace).n > 0;

	check_data_source(check, &source);
	check_data_source(check, &reference);
	for (size_t i = 0; i < COUNT_OF(same); i++) {
		struct api_place a = api_field(&source, same[i]), b = api_field(&reference, same[i]);

		differ = differ || !str_eq(api_text(&a), api_text(&b));
	}
	if (differ && api_has(&source) && api_has(&reference))
		api_fault(check, spec, API_INVALID, "dataSource and dataSourceRef must agree");
}

void api_check_claim(const struct api_check *check, const struct api_place *spec,
                     bool of_template)
{
	static const struct api_rule rules[] = {
		{ "storageClassName", RULE_SUBDOMAIN, NULL, 0, 0 },
		{ "volumeMode", RULE_CHOICE, "Block|Filesystem", 0, 0 },
		{ "volumeAttributesClassName", RULE_SUBDOMAIN, NULL, 0, 0 },
	};
	struct api_place resources = api_field(spec, "resources");
	struct api_place requests = api_field(&resources, "requests");
	struct api_place storage = api_field(&requests, "storage");
	struct api_place key = { .outer = &resources, .node = storage.node, .key = STR("storage") };
	struct api_place selector = api_field(spec, "selector");
	struct quantity quantity;

	check_modes(check, spec);
	api_check_selector(check, &selector);
	if (api_lacks(&resources) || (api_has(&resources) && api_lacks(&requests)) ||
	    (api_has(&requests) && !storage.node))
		api_fault(check, &key, API_REQUIRED, "a claim must request storage");
	else if (api_quantity(check, &storage, &quantity) && quantity_sign(&quantity) <= 0)
		api_fault(check, &key, API_INVALID, "storage is %.*s, but must be more than 0",
		          STR_ARG(api_text(&storage)));
	api_apply(check, spec, rules, COUNT_OF(rules));
	if (of_template)
		check_data_sources(check, spec);
}

/* Volumes, mounts, claims. Upstream: pkg/apis/core/validation (ValidateVolumes,
 * ValidateVolumeMounts, ValidatePersistentVolumeClaimSpec). */
#include "api.h"

/* ---- volumes -------------------------------------------------------------------------- */

static const struct api_rule host_path_rules[] = {
	{ "path", RULE_NEEDED, NULL, 0, 0 },
	{ "type", RULE_WORD, "DirectoryOrCreate|Directory|FileOrCreate|File|Socket|CharDevice|"
	                     "BlockDevice", 0, 0 },
};
static const struct api_rule secret_rules[] = {
	{ "secretName", RULE_NEEDED, NULL, 0, 0 },
	{ "defaultMode", RULE_RANGE, NULL, 0, 0777 },
};
static const struct api_rule config_map_rules[] = {
	{ "name", RULE_NEEDED, NULL, 0, 0 },
	{ "defaultMode", RULE_RANGE, NULL, 0, 0777 },
};
static const struct api_rule pvc_rules[] = { { "claimName", RULE_NEEDED, NULL, 0, 0 } };
static const struct api_rule nfs_rules[] = {
	{ "server", RULE_NEEDED, NULL, 0, 0 },
	{ "path", RULE_NEEDED, NULL, 0, 0 },
};
static const struct api_rule csi_rules[] = { { "driver", RULE_NEEDED, NULL, 0, 0 } };
static const struct api_rule ephemeral_rules[] = {
	{ "volumeClaimTemplate", RULE_NEEDED, NULL, 0, 0 },
};
static const struct api_rule mode_rules[] = { { "defaultMode", RULE_RANGE, NULL, 0, 0777 } };

#define ROWS(rules) rules, COUNT_OF(rules)

/* In upstream's order: the first of several kinds is the one that is meant. */
static const struct {
	const char *field;
	const struct api_rule *rules;
	size_t count;
} sources[] = {
	{ "emptyDir", NULL, 0 }, { "hostPath", ROWS(host_path_rules) }, { "gitRepo", NULL, 0 },
	{ "gcePersistentDisk", NULL, 0 }, { "awsElasticBlockStore", NULL, 0 },
	{ "secret", ROWS(secret_rules) }, { "nfs", ROWS(nfs_rules) }, { "iscsi", NULL, 0 },
	{ "glusterfs", NULL, 0 }, { "flocker", NULL, 0 },
	{ "persistentVolumeClaim", ROWS(pvc_rules) }, { "rbd", NULL, 0 }, { "cinder", NULL, 0 },
	{ "cephfs", NULL, 0 }, { "downwardAPI", ROWS(mode_rules) }, { "fc", NULL, 0 },
	{ "flexVolume", NULL, 0 }, { "configMap", ROWS(config_map_rules) },
	{ "azureFile", NULL, 0 }, { "vsphereVolume", NULL, 0 },
	{ "photonPersistentDisk", NULL, 0 }, { "portworxVolume", NULL, 0 },
	{ "azureDisk", NULL, 0 }, { "storageos", NULL, 0 }, { "projected", ROWS(mode_rules) },
	{ "scaleIO", NULL, 0 }, { "csi", ROWS(csi_rules) }, { "ephemeral", ROWS(ephemeral_rules) },
	{ "image", NULL, 0 },
};

/* A negative limit is forbidden rather than invalid, in upstream's words. */
static void check_empty_dir(const struct api_check *check, const struct api_place *volume)
{
	struct api_place empty_dir = api_field(volume, "emptyDir");
	struct api_place limit = api_field(&empty_dir, "sizeLimit");
	struct quantity quantity;

	if (api_quantity(check, &limit, &quantity) && quantity_sign(&quantity) < 0)
		api_fault(check, &limit, API_FORBIDDEN, "sizeLimit is %.*s, but must not be negative",
		          STR_ARG(api_text(&limit)));
}

/* No kind at all is emptyDir by default. */
static void check_source(const struct api_check *check, const struct api_place *volume)
{
	bool found = false;

	for (size_t i = 0; i < COUNT_OF(sources); i++) {
		struct api_place source = api_field(volume, sources[i].field);

		if (api_lacks(&source))
			continue;
		if (found)
			api_fault(check, &source, API_FORBIDDEN,
			          "a volume can be of one kind only");
		else if (api_has(&source))
			api_apply(check, &source, sources[i].rules, sources[i].count);
		found = true;
	}
	check_empty_dir(check, volume);
}

/* A volume with any fault is no volume for mounts: upstream then finds these without one. */
static void check_volume(const struct api_check *check, const struct api_place *volume,
                         struct map *names)
{
	static const struct api_rule rules[] = {
		{ "name", RULE_NEEDED, NULL, 0, 0 },
		{ "name", RULE_LABEL, NULL, 0, 0 },
	};
	struct api_place name = api_field(volume, "name");
	size_t before = api_fault_count(check);

	check_source(check, volume);
	api_apply(check, volume, rules, COUNT_OF(rules));
	if (map_has(names, api_text(&name)))
		api_fault(check, &name, API_DUPLICATE, "another volume is named %.*s",
		          STR_ARG(api_text(&name)));
	else if (api_fault_count(check) == before)
		map_put(names, api_text(&name), names);
}

/* A template whose items are not all known may bring the volume that a mount wants. */
static bool is_known_list(const struct api_place *list)
{
	for (uint32_t i = 0; i < api_count(list); i++) {
		struct api_place item = api_item(list, i);
		struct api_place name = api_field(&item, "name");

		if (!api_has(&item) || (!api_has(&name) && !api_lacks(&name)))
			return false;
	}
	return api_has(list) || api_lacks(list);
}

struct map *api_check_volumes(const struct api_check *check, const struct api_place *spec,
                              const struct api_place *claims)
{
	struct api_place volumes = api_field(spec, "volumes");
	struct map *names = map_new(check->tree->arena);
	bool known = is_known_list(&volumes);

	for (uint32_t i = 0; claims && i < api_count(claims); i++) {
		struct api_place claim = api_item(claims, i);
		struct api_place meta = api_field(&claim, "metadata");
		struct api_place name = api_field(&meta, "name");

		known = known && api_has(&name);
		map_put(names, api_text(&name), names);
	}
	for (uint32_t i = 0; i < api_count(&volumes); i++) {
		struct api_place volume = api_item(&volumes, i);
		struct api_place name = api_field(&volume, "name");

		/* a claim takes the place of a volume of its name */
		if (api_has(&volume) && !(claims && map_has(names, api_text(&name))))
			check_volume(check, &volume, names);
	}
	return known ? names : NULL;
}

/* ---- mounts --------------------------------------------------------------------------- */

/* A part of the path that is "..": it would lead out of the volume. */
static bool has_backstep(str path)
{
	str rest = path, part;

	while (str_next(&rest, '/', &part))
		if (str_is(part, ".."))
			return true;
	return false;
}

/* Upstream's path lacks the index. */
static void check_sub_path(const struct api_check *check, const struct api_place *mounts,
                           const struct api_place *mount, const char *field)
{
	struct api_place given = api_field(mount, field);
	struct api_place place = { .outer = mounts, .node = given.node, .field = field };
	str text = api_text(&given);

	if (text.n > 0 && (text.p[0] == '/' || has_backstep(text)))
		api_fault(check, &place, API_INVALID,
		          "%s is \"%.*s\", but must be relative and without ..", field,
		          STR_ARG(text));
}

/* volumes NULL: not all names are known. */
static void check_mount(const struct api_check *check, const struct api_place *mounts,
                        const struct api_place *mount, const struct map *volumes)
{
	static const struct api_rule rules[] = {
		{ "name", RULE_NEEDED, NULL, 0, 0 },
		{ "mountPath", RULE_NEEDED, NULL, 0, 0 },
	};
	struct api_place name = api_field(mount, "name");

	api_apply(check, mount, rules, COUNT_OF(rules));
	if (volumes && (api_has(&name) || api_lacks(&name)) && !map_has(volumes, api_text(&name)))
		api_fault(check, &name, API_NOT_FOUND, "there is no volume \"%.*s\"",
		          STR_ARG(api_text(&name)));
	check_sub_path(check, mounts, mount, "subPath");
	check_sub_path(check, mounts, mount, "subPathExpr");
}

void api_check_mounts(const struct api_check *check, const struct api_place *container,
                      const struct map *volumes)
{
	struct api_place mounts = api_field(container, "volumeMounts");
	struct map *paths = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&mounts); i++) {
		struct api_place mount = api_item(&mounts, i);
		struct api_place path = api_field(&mount, "mountPath");

		if (!api_has(&mount))
			continue;
		check_mount(check, &mounts, &mount, volumes);
		if (api_has(&path) && map_put(paths, api_text(&path), paths))
			api_fault(check, &path, API_INVALID, "something is mounted at %.*s already",
			          STR_ARG(api_text(&path)));
	}
}

/* ---- claims --------------------------------------------------------------------------- */

/* Upstream's faults are at the list. */
static void check_modes(const struct api_check *check, const struct api_place *spec)
{
	struct api_place modes = api_field(spec, "accessModes");
	bool single = false;

	if (api_count(&modes) == 0 && (api_has(&modes) || api_lacks(&modes)))
		api_fault(check, &modes, API_REQUIRED, "a claim needs an access mode");
	for (uint32_t i = 0; i < api_count(&modes); i++) {
		struct api_place mode = api_item(&modes, i);

		single = single || api_is(&mode, "ReadWriteOncePod");
		if (api_has(&mode) && !api_is(&mode, "ReadWriteOnce") &&
		    !api_is(&mode, "ReadOnlyMany") && !api_is(&mode, "ReadWriteMany") &&
		    !api_is(&mode, "ReadWriteOncePod"))
			api_fault(check, &modes, API_NOT_SUPPORTED, "\"%.*s\" is no access mode",
			          STR_ARG(api_text(&mode)));
	}
	if (single && api_count(&modes) > 1)
		api_fault(check, &modes, API_FORBIDDEN,
		          "ReadWriteOncePod goes with no other access mode");
}

void api_check_claim(const struct api_check *check, const struct api_place *spec)
{
	static const struct api_rule rules[] = {
		{ "storageClassName", RULE_SUBDOMAIN, NULL, 0, 0 },
		{ "volumeMode", RULE_CHOICE, "Block|Filesystem", 0, 0 },
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
}

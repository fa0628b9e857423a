/* What a volume is made from. Upstream: pkg/apis/core/validation (validateVolumeSource and one
 * function for each kind of source). */
#include "api-pod.h"

#define FILE_MODE 0777
#define MODE_RULE(field) { field, RULE_RANGE, NULL, 0, FILE_MODE }
#define NEEDED(field) { field, RULE_NEEDED, NULL, 0, 0 }

/* ---- paths ---------------------------------------------------------------------------- */

bool api_has_backstep(str path)
{
	str rest = path, part;

	while (str_next(&rest, '/', &part))
		if (str_is(part, ".."))
			return true;
	return false;
}

void api_want_local_path(const struct api_check *check, const struct api_place *place,
                         bool reserved)
{
	str text = api_text(place);

	if (text.n > 0 && (text.p[0] == '/' || api_has_backstep(text) ||
	                   (reserved && str_starts(text, STR("..")))))
		api_fault(check, place, API_INVALID,
		          "\"%.*s\" must be relative and without ..", STR_ARG(text));
}

/* ---- files ---------------------------------------------------------------------------- */

/* Keys that become files. paths: those of the whole volume so far, or NULL; a path that is there
 * twice is a fault at whole. */
static void check_files(const struct api_check *check, const struct api_place *source,
                        struct map *paths, const struct api_place *whole)
{
	static const struct api_rule rules[] = { NEEDED("key"), NEEDED("path"), MODE_RULE("mode") };
	struct api_place items = api_field(source, "items");

	for (uint32_t i = 0; i < api_count(&items); i++) {
		struct api_place item = api_item(&items, i);
		struct api_place path = api_field(&item, "path");

		if (!api_has(&item))
			continue;
		api_apply(check, &item, rules, COUNT_OF(rules));
		api_want_local_path(check, &path, true);
		if (paths && api_text(&path).n > 0 && map_put(paths, api_text(&path), paths))
			api_fault(check, whole, API_INVALID, "two files have the path %.*s",
			          STR_ARG(api_text(&path)));
	}
}

static void check_keys(const struct api_check *check, const struct api_place *source)
{
	check_files(check, source, NULL, source);
}

/* Upstream's paths of a file's fields lack "items" and its index. */
static void check_field_file(const struct api_check *check, const struct api_place *source,
                             const struct api_place *item)
{
	static const struct api_rule rules[] = { NEEDED("path"), MODE_RULE("mode") };
	struct api_place at = { .outer = source->outer, .node = item->node,
		                .field = source->field, .key = source->key,
		                .index = source->index };
	struct api_place path = api_field(&at, "path");
	struct api_place of_pod = api_field(&at, "fieldRef");
	struct api_place of_container = api_field(&at, "resourceFieldRef");

	api_apply(check, &at, rules, COUNT_OF(rules));
	api_want_local_path(check, &path, true);
	if (api_has(&of_pod))
		api_check_field_ref(check, &of_pod, true);
	else if (api_lacks(&of_pod) && api_has(&of_container))
		api_check_resource_ref(check, &of_container, true);
	if (api_lacks(&of_pod) && api_lacks(&of_container))
		api_fault(check, &at, API_REQUIRED, "a file is of a field or of a resource");
	else if (api_has(&of_pod) && api_has(&of_container))
		api_fault(check, &at, API_INVALID, "a file is of a field or of a resource");
}

static void check_field_files(const struct api_check *check, const struct api_place *source,
                              struct map *paths, const struct api_place *whole)
{
	struct api_place items = api_field(source, "items");

	for (uint32_t i = 0; i < api_count(&items); i++) {
		struct api_place item = api_item(&items, i);
		struct api_place path = api_field(&item, "path");

		if (!api_has(&item))
			continue;
		check_field_file(check, source, &item);
		if (paths && api_text(&path).n > 0 && map_put(paths, api_text(&path), paths))
			api_fault(check, whole, API_INVALID, "two files have the path %.*s",
			          STR_ARG(api_text(&path)));
	}
}

static void check_downward(const struct api_check *check, const struct api_place *source)
{
	check_field_files(check, source, NULL, source);
}

/* ---- projected ------------------------------------------------------------------------ */

#define TOKEN_SECONDS 600

/* Upstream's path of the token's path lacks the source. */
static void check_token(const struct api_check *check, const struct api_place *token,
                        struct map *paths, const struct api_place *whole)
{
	static const struct api_rule rules[] = {
		{ "expirationSeconds", RULE_RANGE, NULL, TOKEN_SECONDS, INT64_C(1) << 32 },
	};
	struct api_place path = { .outer = whole, .node = node_get(token->node, "path"),
		                  .field = "path" };

	(void)paths;
	api_apply(check, token, rules, COUNT_OF(rules));
	if (api_is_empty(&path))
		api_fault(check, &path, API_REQUIRED, "the token's path is missing or empty");
	api_want_local_path(check, &path, true);
}

static void check_named_files(const struct api_check *check, const struct api_place *source,
                              struct map *paths, const struct api_place *whole)
{
	static const struct api_rule rules[] = { NEEDED("name") };

	api_apply(check, source, rules, COUNT_OF(rules));
	check_files(check, source, paths, whole);
}

static const struct {
	const char *field;
	void (*check)(const struct api_check *check, const struct api_place *source,
	              struct map *paths, const struct api_place *whole);
} projections[] = {
	{ "secret", check_named_files },      { "configMap", check_named_files },
	{ "downwardAPI", check_field_files }, { "serviceAccountToken", check_token },
	{ "clusterTrustBundle", NULL },       { "podCertificate", NULL },
};

static void check_projection(const struct api_check *check, const struct api_place *item,
                             struct map *paths, const struct api_place *whole)
{
	int count = 0;

	for (size_t i = 0; i < COUNT_OF(projections); i++) {
		struct api_place source = api_field(item, projections[i].field);

		count += !api_lacks(&source);
		if (api_has(&source) && projections[i].check)
			projections[i].check(check, &source, paths, whole);
	}
	if (count > 1)
		api_fault(check, item, API_FORBIDDEN, "a source can be of one kind only");
}

static void check_projected(const struct api_check *check, const struct api_place *source)
{
	struct api_place list = api_field(source, "sources");
	struct map *paths = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&list); i++) {
		struct api_place item = api_item(&list, i);

		if (api_has(&item))
			check_projection(check, &item, paths, source);
	}
}

/* ---- kinds with more than needed fields ----------------------------------------------- */

/* A negative limit is forbidden rather than invalid, in upstream's words. */
static void check_empty_dir(const struct api_check *check, const struct api_place *source)
{
	struct api_place limit = api_field(source, "sizeLimit");
	struct quantity quantity;

	if (api_quantity(check, &limit, &quantity) && quantity_sign(&quantity) < 0)
		api_fault(check, &limit, API_FORBIDDEN, "sizeLimit is %.*s, but must not be negative",
		          STR_ARG(api_text(&limit)));
}

static void check_host_path(const struct api_check *check, const struct api_place *source)
{
	static const struct api_rule rules[] = {
		{ "type", RULE_WORD, "DirectoryOrCreate|Directory|FileOrCreate|File|Socket|"
		                     "CharDevice|BlockDevice", 0, 0 },
	};
	struct api_place path = api_field(source, "path");

	if (api_is_empty(&path)) {
		api_fault(check, &path, API_REQUIRED, "path is missing or empty");
		return;
	}
	if (api_has_backstep(api_text(&path)))
		api_fault(check, &path, API_INVALID, "path is \"%.*s\", but must not contain ..",
		          STR_ARG(api_text(&path)));
	api_apply(check, source, rules, COUNT_OF(rules));
}

static void check_git(const struct api_check *check, const struct api_place *source)
{
	struct api_place directory = api_field(source, "directory");

	api_want_local_path(check, &directory, false);
}

static void check_nfs(const struct api_check *check, const struct api_place *source)
{
	struct api_place path = api_field(source, "path");

	if (!api_is_unknown(&path) && !str_starts(api_text(&path), STR("/")))
		api_fault(check, &path, API_INVALID, "path is \"%.*s\", but must be absolute",
		          STR_ARG(api_text(&path)));
}

static void check_iscsi(const struct api_check *check, const struct api_place *source)
{
	struct api_place name = api_field(source, "iqn");
	struct api_place discovery = api_field(source, "chapAuthDiscovery");
	struct api_place session = api_field(source, "chapAuthSession");
	struct api_place secret = api_field(source, "secretRef");
	str text = api_text(&name);

	if (text.n > 0 && !str_starts(text, STR("iqn")) && !str_starts(text, STR("eui")) &&
	    !str_starts(text, STR("naa")))
		api_fault(check, &name, API_INVALID,
		          "iqn is \"%.*s\", but must begin with iqn, eui or naa", STR_ARG(text));
	if ((api_is_true(&discovery) || api_is_true(&session)) && api_lacks(&secret))
		api_fault(check, &secret, API_REQUIRED, "CHAP needs a secret");
}

static void check_fc(const struct api_check *check, const struct api_place *source)
{
	static const struct api_rule rules[] = { { "lun", RULE_RANGE, NULL, 0, 255 } };
	struct api_place targets = api_field(source, "targetWWNs");
	struct api_place ids = api_field(source, "wwids");
	struct api_place unit = api_field(source, "lun");

	if (api_is_unknown(&targets) || api_is_unknown(&ids))
		return;
	if (api_count(&targets) == 0 && api_count(&ids) == 0)
		api_fault(check, &targets, API_REQUIRED, "targetWWNs or wwids must be given");
	else if (api_count(&targets) > 0 && api_count(&ids) > 0)
		api_fault(check, &targets, API_INVALID, "targetWWNs and wwids exclude each other");
	if (api_count(&targets) > 0 && api_lacks(&unit))
		api_fault(check, &unit, API_REQUIRED, "targetWWNs need a lun");
	else if (api_count(&targets) > 0)
		api_apply(check, source, rules, COUNT_OF(rules));
}

static void check_flocker(const struct api_check *check, const struct api_place *source)
{
	struct api_place name = api_field(source, "datasetName");
	struct api_place uuid = api_field(source, "datasetUUID");
	str text = api_text(&name);

	if (api_is_empty(&name) && api_is_empty(&uuid))
		api_fault(check, source, API_REQUIRED, "a datasetName or datasetUUID is needed");
	else if (text.n > 0 && api_text(&uuid).n > 0)
		api_fault(check, source, API_INVALID,
		          "datasetName and datasetUUID exclude each other");
	if (str_find(text, '/') < text.n)
		api_fault(check, &name, API_INVALID, "datasetName must not contain /");
}

/* Options of Kubernetes' own domains are kept for it. */
static void check_flex(const struct api_check *check, const struct api_place *source)
{
	struct api_place options = api_field(source, "options");

	for (uint32_t i = 0; i < api_count(&options); i++) {
		struct api_place option = api_entry(&options, i);
		str domain, rest;

		str_cut(option.key, '/', &domain, &rest);
		domain = str_format(check->tree->arena, ".%.*s", STR_ARG(domain));
		domain = str_lower(check->tree->arena, domain);
		if (str_ends(domain, STR(".kubernetes.io")) || str_ends(domain, STR(".k8s.io")))
			api_fault(check, &option, API_INVALID, "%.*s is reserved",
			          STR_ARG(option.key));
	}
}

/* Without kind it is Shared, which wants a disk in a blob. */
static void check_azure_disk(const struct api_check *check, const struct api_place *source)
{
	static const struct api_rule rules[] = {
		{ "cachingMode", RULE_CHOICE, "None|ReadOnly|ReadWrite", 0, 0 },
		{ "kind", RULE_CHOICE, "Dedicated|Managed|Shared", 0, 0 },
	};
	struct api_place kind = api_field(source, "kind");
	struct api_place uri = api_field(source, "diskURI");
	bool managed = api_is(&kind, "Managed");
	str begin = managed ? STR("/subscriptions/") : STR("https://");

	api_apply(check, source, rules, COUNT_OF(rules));
	if (!api_is_unknown(&kind) && !api_is_unknown(&uri) &&
	    !str_starts(api_text(&uri), begin))
		api_fault(check, &uri, API_NOT_SUPPORTED,
		          "diskURI is \"%.*s\", but must begin with %.*s for kind %.*s",
		          STR_ARG(api_text(&uri)), STR_ARG(begin),
		          STR_ARG(api_has(&kind) ? api_text(&kind) : STR("Shared")));
}

static void check_monitors(const struct api_check *check, const struct api_place *source)
{
	struct api_place monitors = api_field(source, "monitors");

	if (!api_is_unknown(&monitors) && api_count(&monitors) == 0)
		api_fault(check, &monitors, API_REQUIRED, "there must be a monitor");
}

/* The name of the volume's secret, where there is one, must not be empty. */
static void check_secret(const struct api_check *check, const struct api_place *source)
{
	static const struct api_rule rules[] = { NEEDED("name") };
	struct api_place secret = api_field(source, "secretRef");

	if (api_has(&secret))
		api_apply(check, &secret, rules, COUNT_OF(rules));
}

/* Upstream's path of a secret's wrong name is csi.name. */
static void check_csi(const struct api_check *check, const struct api_place *source)
{
	struct api_place driver = api_field(source, "driver");
	struct api_place secret = api_field(source, "nodePublishSecretRef");
	struct api_place name = api_field(&secret, "name");
	struct api_place wrong = { .outer = source, .node = name.node, .field = "name" };
	str text = api_text(&driver);

	if (text.n > 63)
		api_fault(check, &driver, API_TOO_LONG, "a driver's name may be 63 bytes at most");
	if (text.n > 0 && !name_is_dns_subdomain(str_lower(check->tree->arena, text)))
		api_fault(check, &driver, API_INVALID, "\"%.*s\" is no name of a driver",
		          STR_ARG(text));
	if (api_has(&secret) && api_is_empty(&name))
		api_fault(check, &name, API_REQUIRED, "name is missing or empty");
	else if (api_has(&name) && !name_is_dns_subdomain(api_text(&name)))
		api_fault(check, &wrong, API_INVALID, "\"%.*s\" is no name of a secret",
		          STR_ARG(api_text(&name)));
}

/* Of the claim's metadata only labels and annotations can be set. */
static void check_ephemeral(const struct api_check *check, const struct api_place *source)
{
	static const char ban[] = "cannot be set in a template of claims";
	static const struct api_rule bans[] = {
		{ "name", RULE_BANNED, ban, 0, 0 },
		{ "generateName", RULE_BANNED, ban, 0, 0 },
		{ "namespace", RULE_BANNED, ban, 0, 0 },
		{ "finalizers", RULE_BANNED, ban, 0, 0 },
	};
	struct api_place template = api_field(source, "volumeClaimTemplate");
	struct api_place meta = api_field(&template, "metadata");
	struct api_place labels = api_field(&meta, "labels");
	struct api_place annotations = api_field(&meta, "annotations");
	struct api_place spec = api_field(&template, "spec");

	if (!api_has(&template))
		return;
	if (api_has(&meta)) {
		api_apply(check, &meta, bans, COUNT_OF(bans));
		api_check_annotations(check, &annotations);
		api_check_labels(check, &labels);
	}
	if (!api_is_unknown(&spec))
		api_check_claim(check, &spec, true);
}

/* A template's image may be filled in later. */
static void check_image(const struct api_check *check, const struct api_place *source)
{
	static const struct api_rule rules[] = {
		{ "pullPolicy", RULE_WORD, "Always|IfNotPresent|Never", 0, 0 },
	};
	struct api_place reference = api_field(source, "reference");

	if (check->is_pod && api_is_empty(&reference))
		api_fault(check, &reference, API_REQUIRED, "reference is missing or empty");
	api_apply(check, source, rules, COUNT_OF(rules));
}

/* ---- the kinds ------------------------------------------------------------------------ */

static const struct api_rule git_rules[] = { NEEDED("repository") };
static const struct api_rule gce_rules[] = {
	NEEDED("pdName"), { "partition", RULE_RANGE, NULL, 0, 255 },
};
static const struct api_rule aws_rules[] = {
	NEEDED("volumeID"), { "partition", RULE_RANGE, NULL, 0, 255 },
};
static const struct api_rule secret_rules[] = { NEEDED("secretName"), MODE_RULE("defaultMode") };
static const struct api_rule nfs_rules[] = { NEEDED("server"), NEEDED("path") };
static const struct api_rule iscsi_rules[] = {
	NEEDED("targetPortal"), NEEDED("iqn"), { "lun", RULE_RANGE, NULL, 0, 255 },
};
static const struct api_rule gluster_rules[] = { NEEDED("endpoints"), NEEDED("path") };
static const struct api_rule pvc_rules[] = { NEEDED("claimName") };
static const struct api_rule rbd_rules[] = { NEEDED("image") };
static const struct api_rule volume_id_rules[] = { NEEDED("volumeID") };
static const struct api_rule mode_rules[] = { MODE_RULE("defaultMode") };
static const struct api_rule driver_rules[] = { NEEDED("driver") };
static const struct api_rule config_map_rules[] = { NEEDED("name"), MODE_RULE("defaultMode") };
static const struct api_rule azure_file_rules[] = { NEEDED("secretName"), NEEDED("shareName") };
static const struct api_rule vsphere_rules[] = { NEEDED("volumePath") };
static const struct api_rule photon_rules[] = { NEEDED("pdID") };
static const struct api_rule azure_disk_rules[] = { NEEDED("diskName"), NEEDED("diskURI") };
static const struct api_rule storage_os_rules[] = {
	NEEDED("volumeName"), { "volumeName", RULE_LABEL, NULL, 0, 0 },
	{ "volumeNamespace", RULE_LABEL, NULL, 0, 0 },
};
static const struct api_rule scale_io_rules[] = {
	NEEDED("gateway"), NEEDED("system"), NEEDED("volumeName"),
};
static const struct api_rule ephemeral_rules[] = { NEEDED("volumeClaimTemplate") };

/* In upstream's order: the first of several kinds is the one that is meant. Some paths of
 * upstream are spelled in their own way, and again where a second kind is banned. */
static const struct {
	const char *field, *path, *ban_path;
	const struct api_rule *rules;
	size_t count;
	void (*check)(const struct api_check *check, const struct api_place *source);
} sources[] = {
	{ "emptyDir", NULL, NULL, NULL, 0, check_empty_dir },
	{ "hostPath", NULL, NULL, NULL, 0, check_host_path },
	{ "gitRepo", NULL, NULL, API_ROWS(git_rules), check_git },
	{ "gcePersistentDisk", "persistentDisk", NULL, API_ROWS(gce_rules), NULL },
	{ "awsElasticBlockStore", NULL, NULL, API_ROWS(aws_rules), NULL },
	{ "secret", NULL, NULL, API_ROWS(secret_rules), check_keys },
	{ "nfs", NULL, NULL, API_ROWS(nfs_rules), check_nfs },
	{ "iscsi", NULL, NULL, API_ROWS(iscsi_rules), check_iscsi },
	{ "glusterfs", NULL, NULL, API_ROWS(gluster_rules), NULL },
	{ "flocker", NULL, NULL, NULL, 0, check_flocker },
	{ "persistentVolumeClaim", NULL, NULL, API_ROWS(pvc_rules), NULL },
	{ "rbd", NULL, NULL, API_ROWS(rbd_rules), check_monitors },
	{ "cinder", NULL, NULL, API_ROWS(volume_id_rules), check_secret },
	{ "cephfs", NULL, "cephFS", NULL, 0, check_monitors },
	{ "quobyte", NULL, NULL, NULL, 0, NULL },
	{ "downwardAPI", NULL, "downwarAPI", API_ROWS(mode_rules), check_downward },
	{ "fc", NULL, NULL, NULL, 0, check_fc },
	{ "flexVolume", NULL, NULL, API_ROWS(driver_rules), check_flex },
	{ "configMap", NULL, NULL, API_ROWS(config_map_rules), check_keys },
	{ "azureFile", NULL, NULL, API_ROWS(azure_file_rules), NULL },
	{ "vsphereVolume", NULL, NULL, API_ROWS(vsphere_rules), NULL },
	{ "photonPersistentDisk", NULL, NULL, API_ROWS(photon_rules), NULL },
	{ "portworxVolume", NULL, NULL, API_ROWS(volume_id_rules), NULL },
	{ "azureDisk", NULL, NULL, API_ROWS(azure_disk_rules), check_azure_disk },
	{ "storageos", NULL, NULL, API_ROWS(storage_os_rules), check_secret },
	{ "projected", NULL, NULL, API_ROWS(mode_rules), check_projected },
	{ "scaleIO", NULL, NULL, API_ROWS(scale_io_rules), NULL },
	{ "csi", NULL, NULL, API_ROWS(driver_rules), check_csi },
	{ "ephemeral", NULL, NULL, API_ROWS(ephemeral_rules), check_ephemeral },
	{ "image", NULL, NULL, NULL, 0, check_image },
};

/* No kind at all is emptyDir by default. */
void api_check_source(const struct api_check *check, const struct api_place *volume)
{
	bool found = false;

	for (size_t i = 0; i < COUNT_OF(sources); i++) {
		const char *field = sources[i].field;
		const char *path = sources[i].path ? sources[i].path : field;
		const char *ban = sources[i].ban_path ? sources[i].ban_path : field;
		struct api_place source = api_field_as(volume, field, path);
		struct api_place banned = api_field_as(volume, field, ban);

		if (api_lacks(&source))
			continue;
		if (found)
			api_fault(check, &banned, API_FORBIDDEN,
			          "a volume can be of one kind only");
		else if (api_has(&source)) {
			api_apply(check, &source, sources[i].rules, sources[i].count);
			if (sources[i].check)
				sources[i].check(check, &source);
		}
		found = true;
	}
}

/* Security contexts, and what an operating system forbids. Upstream: pkg/apis/core/validation
 * (ValidateSecurityContext, validatePodSpecSecurityContext, validateLinux, validateWindows,
 * validateHostUsers). Privileged containers are taken: every installation allows them. */
#include "api-pod.h"

/* ---- profiles ------------------------------------------------------------------------- */

#define APP_ARMOR_PATH 4095 /* bytes */

static bool is_padded(str text)
{
	return str_trim(text).n != text.n;
}

static void check_app_armor_path(const struct api_check *check, const struct api_place *path)
{
	str text = api_text(path);

	if (is_padded(text))
		api_fault(check, path, API_INVALID, "\"%.*s\" begins or ends with white space",
		          STR_ARG(text));
	else if (text.n == 0)
		api_fault(check, path, API_REQUIRED, "localhostProfile is empty");
	if (text.n > APP_ARMOR_PATH)
		api_fault(check, path, API_TOO_LONG, "it may be %d bytes at most", APP_ARMOR_PATH);
}

static void check_seccomp_path(const struct api_check *check, const struct api_place *path)
{
	api_want_local_path(check, path, false);
}

/* Only a profile of the node, Localhost, has a path. loose: beside an unknown type upstream does
 * not look at the path. */
static void check_profile(const struct api_check *check, const struct api_place *profile,
                          bool loose, void (*check_path)(const struct api_check *check,
                                                         const struct api_place *path))
{
	static const struct api_rule rules[] = {
		{ "type", RULE_NEEDED, NULL, 0, 0 },
		{ "type", RULE_WORD, "Localhost|RuntimeDefault|Unconfined", 0, 0 },
	};
	struct api_place type = api_field(profile, "type");
	struct api_place path = api_field(profile, "localhostProfile");
	bool known = api_is(&type, "RuntimeDefault") || api_is(&type, "Unconfined");

	if (!api_has(profile) || api_is_unknown(&type))
		return;
	api_apply(check, profile, rules, COUNT_OF(rules));
	if (!api_is(&type, "Localhost")) {
		if (api_has(&path) && (known || !loose))
			api_fault(check, &path, API_INVALID, "only a profile of type Localhost has it");
	} else if (api_lacks(&path)) {
		api_fault(check, &path, API_REQUIRED, "a profile of type Localhost needs it");
	} else if (api_has(&path)) {
		check_path(check, &path);
	}
}

static void check_profiles(const struct api_check *check, const struct api_place *security)
{
	struct api_place seccomp = api_field(security, "seccompProfile");
	struct api_place app_armor = api_field(security, "appArmorProfile");

	check_profile(check, &seccomp, false, check_seccomp_path);
	check_profile(check, &app_armor, true, check_app_armor_path);
}

/* ---- Windows -------------------------------------------------------------------------- */

#define CREDENTIAL_BYTES (64 * 1024)
#define DOMAIN_BYTES 255
#define NET_BIOS_BYTES 15
#define USER_BYTES 104

static bool has_any(str text, const char *characters)
{
	str set = str_of(characters);

	for (size_t i = 0; i < text.n; i++)
		if (str_find(set, text.p[i]) < set.n)
			return true;
	return false;
}

static bool has_control(str text)
{
	for (size_t i = 0; i < text.n; i++)
		if ((text.p[i] >= 0 && text.p[i] < ' ') || text.p[i] == 0x7f)
			return true;
	return false;
}

static bool is_only_dots(str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '.' && text.p[i] != ' ')
			return false;
	return text.n > 0;
}

/* A DNS name in letters of either case, or a NetBIOS name. */
static bool is_domain(struct arena *arena, str domain)
{
	bool net_bios = domain.n > 0 && domain.n <= NET_BIOS_BYTES && domain.p[0] != '.' &&
	                !has_any(domain, "\\/:*?\"<>|");

	return domain.n <= DOMAIN_BYTES &&
	       (net_bios || name_is_dns_subdomain(str_lower(arena, domain)));
}

/* USER or DOMAIN\USER */
static bool is_windows_user(struct arena *arena, str name)
{
	str domain, user;
	bool given = str_cut(name, '\\', &domain, &user);

	if (!given)
		user = name;
	return !has_control(name) && (!given || is_domain(arena, domain)) && user.n > 0 &&
	       user.n <= USER_BYTES && !is_only_dots(user) &&
	       !has_any(user, "\"/\\:;|=,+*?<>@[]");
}

static void check_windows(const struct api_check *check, const struct api_place *security)
{
	struct api_place options = api_field(security, "windowsOptions");
	struct api_place name = api_field(&options, "gmsaCredentialSpecName");
	struct api_place credential = api_field(&options, "gmsaCredentialSpec");
	struct api_place user = api_field(&options, "runAsUserName");

	if (!api_has(&options))
		return;
	if (api_has(&name))
		api_want_subdomain(check, &name);
	if (api_has(&credential) && (api_text(&credential).n == 0 ||
	                             api_text(&credential).n > CREDENTIAL_BYTES))
		api_fault(check, &credential, API_INVALID,
		          "it is %zu bytes long, but must be 1 to %d", api_text(&credential).n,
		          CREDENTIAL_BYTES);
	if (api_has(&user) && !is_windows_user(check->tree->arena, api_text(&user)))
		api_fault(check, &user, API_INVALID, "\"%.*s\" is no name of a Windows user",
		          STR_ARG(api_text(&user)));
}

/* Processes of the host: all containers or none. */
struct host_processes {
	/* the pod's own word: its place, or no node */
	struct api_place pod;
	size_t containers, hosts;
	bool unknown;
};

static void count_host_process(const struct api_check *check, const struct api_place *container,
                               void *context)
{
	struct host_processes *processes = context;
	struct api_place security = api_field(container, "securityContext");
	struct api_place options = api_field(&security, "windowsOptions");
	struct api_place own = api_field(&options, "hostProcess");

	processes->containers++;
	processes->unknown = processes->unknown || api_is_unknown(&security) ||
	                     api_is_unknown(&options) || api_is_unknown(&own);
	if (api_has(&processes->pod) && api_has(&own) &&
	    api_is_true(&processes->pod) != api_is_true(&own))
		api_fault(check, &own, API_INVALID, "the pod says otherwise");
	processes->hosts += api_lacks(&own) ? api_is_true(&processes->pod) : api_is_true(&own);
}

static void check_host_processes(const struct api_check *check, const struct api_place *spec)
{
	struct api_place security = api_field(spec, "securityContext");
	struct api_place options = api_field(&security, "windowsOptions");
	struct api_place network = api_field(spec, "hostNetwork");
	struct host_processes processes = { .pod = api_field(&options, "hostProcess") };

	api_visit_containers(check, spec, count_host_process, &processes);
	if (processes.hosts == 0 || processes.unknown || api_is_unknown(&processes.pod))
		return;
	if (processes.hosts != processes.containers)
		api_fault(check, spec, API_INVALID,
		          "all containers must be processes of the host, or none");
	if (!api_is_unknown(&network) && !api_is_true(&network))
		api_fault(check, &network, API_INVALID, "processes of the host need hostNetwork");
}

/* ---- containers ----------------------------------------------------------------------- */

static const struct api_rule container_rules[] = {
	{ "runAsUser", RULE_RANGE, NULL, 0, INT32_MAX },
	{ "runAsGroup", RULE_RANGE, NULL, 0, INT32_MAX },
	{ "procMount", RULE_CHOICE, "Default|Unmasked", 0, 0 },
};

/* Two settings that need privileges beside the one that keeps from gaining them; the fault is at
 * the context. */
static void check_escalation(const struct api_check *check, const struct api_place *security)
{
	struct api_place escalation = api_field(security, "allowPrivilegeEscalation");
	struct api_place privileged = api_field(security, "privileged");
	struct api_place capabilities = api_field(security, "capabilities");
	struct api_place added = api_field(&capabilities, "add");
	bool admin = false;

	for (uint32_t i = 0; i < api_count(&added); i++) {
		struct api_place capability = api_item(&added, i);

		admin = admin || api_is(&capability, "CAP_SYS_ADMIN");
	}
	if (api_is_false(&escalation) && (api_is_true(&privileged) || admin))
		api_fault(check, security, API_INVALID,
		          "%s and allowPrivilegeEscalation: false exclude each other",
		          admin ? "CAP_SYS_ADMIN" : "privileged: true");
}

void api_check_security(const struct api_check *check, const struct api_place *container,
                        const struct api_place *spec)
{
	struct api_place security = api_field(container, "securityContext");
	struct api_place mount = api_field(&security, "procMount");
	struct api_place users = api_field(spec, "hostUsers");

	if (!api_has(&security))
		return;
	api_apply(check, &security, container_rules, COUNT_OF(container_rules));
	if (api_is(&mount, "Unmasked") && !api_is_unknown(&users) && !api_is_false(&users))
		api_fault(check, &mount, API_INVALID, "Unmasked needs hostUsers: false");
	check_profiles(check, &security);
	check_escalation(check, &security);
	check_windows(check, &security);
}

/* ---- pods ----------------------------------------------------------------------------- */

static const struct api_rule pod_rules[] = {
	{ "fsGroup", RULE_RANGE, NULL, 0, INT32_MAX },
	{ "runAsUser", RULE_RANGE, NULL, 0, INT32_MAX },
	{ "runAsGroup", RULE_RANGE, NULL, 0, INT32_MAX },
	{ "fsGroupChangePolicy", RULE_CHOICE, "Always|OnRootMismatch", 0, 0 },
	{ "supplementalGroupsPolicy", RULE_CHOICE, "Merge|Strict", 0, 0 },
	/* MountOption needs a gate that is off by default */
	{ "seLinuxChangePolicy", RULE_CHOICE, "Recursive", 0, 0 },
};

/* Segments of a-z, 0-9 and inner - _, joined by dots or slashes. */
static bool is_sysctl(str name)
{
	for (size_t i = 0; i < name.n; i++) {
		bool joint = name.p[i] == '.' || name.p[i] == '/';
		bool inner = name.p[i] == '-' || name.p[i] == '_';
		bool edge = i == 0 || i + 1 == name.n || name.p[i - 1] == '.' ||
		            name.p[i - 1] == '/' || name.p[i + 1] == '.' || name.p[i + 1] == '/';

		if ((joint || inner) ? edge
		                     : !((name.p[i] >= 'a' && name.p[i] <= 'z') ||
		                         (name.p[i] >= '0' && name.p[i] <= '9')))
			return false;
	}
	return name.n > 0 && name.n <= 253;
}

static void check_sysctls(const struct api_check *check, const struct api_place *security)
{
	struct api_place sysctls = api_field(security, "sysctls");
	struct map *seen = map_new(check->tree->arena);

	for (uint32_t i = 0; i < api_count(&sysctls); i++) {
		struct api_place sysctl = api_item(&sysctls, i);
		struct api_place name = api_field(&sysctl, "name");

		if (api_is_unknown(&sysctl) || api_is_unknown(&name))
			continue;
		if (api_is_empty(&name))
			api_fault(check, &name, API_REQUIRED, "name is missing or empty");
		else if (!is_sysctl(api_text(&name)))
			api_fault(check, &name, API_INVALID, "\"%.*s\" is no name of a sysctl",
			          STR_ARG(api_text(&name)));
		else if (map_has(seen, api_text(&name)))
			api_fault(check, &name, API_DUPLICATE, "%.*s is set twice",
			          STR_ARG(api_text(&name)));
		map_put(seen, api_text(&name), seen);
	}
}

static void check_groups(const struct api_check *check, const struct api_place *security)
{
	struct api_place groups = api_field(security, "supplementalGroups");

	for (uint32_t i = 0; i < api_count(&groups); i++) {
		struct api_place group = api_item(&groups, i);
		int64_t value;

		if (api_int(&group, &value) && (value < 0 || value > INT32_MAX))
			api_fault(check, &group, API_INVALID, "%lld is no number of a group",
			          (long long)value);
	}
}

/* Upstream puts this one into the security context, where older versions had the fields. */
static void check_shared(const struct api_check *check, const struct api_place *spec,
                         const struct api_place *security)
{
	struct api_place shared = api_field(spec, "shareProcessNamespace");
	struct api_place pid = api_field(spec, "hostPID");
	struct api_place place = { .outer = security, .node = shared.node,
		                   .field = "shareProcessNamespace" };

	if (api_is_true(&shared) && api_is_true(&pid))
		api_fault(check, &place, API_INVALID, "it cannot be had beside hostPID");
}

static void ban_devices(const struct api_check *check, const struct api_place *container,
                        void *context)
{
	struct api_place devices = api_field(container, "volumeDevices");

	(void)context;
	if (api_count(&devices) > 0)
		api_fault(check, &devices, API_FORBIDDEN, "hostUsers is false");
}

/* Users of the pod that are none of the host's, beside namespaces of the host. */
static void check_host_users(const struct api_check *check, const struct api_place *spec)
{
	static const struct {
		const char *field, *path;
	} host[] = {
		{ "hostNetwork", "hostNetwork" }, { "hostPID", "HostPID" },
		{ "hostIPC", "HostIPC" },
	};
	struct api_place users = api_field(spec, "hostUsers");

	for (size_t i = 0; api_is_false(&users) && i < COUNT_OF(host); i++) {
		struct api_place place = api_field_as(spec, host[i].field, host[i].path);

		if (api_is_true(&place))
			api_fault(check, &place, API_FORBIDDEN, "hostUsers is false");
	}
	if (api_is_false(&users))
		api_visit_containers(check, spec, ban_devices, NULL);
}

/* ---- operating systems ---------------------------------------------------------------- */

/* Absent, or a false that upstream cannot tell from that. */
enum ban_kind { BAN_ANY, BAN_TRUE, BAN_FILLED };
static const struct {
	const char *field;
	bool in_context;
	enum ban_kind kind;
} windows_bans[] = {
	{ "appArmorProfile", true, BAN_ANY },      { "seLinuxOptions", true, BAN_ANY },
	{ "hostUsers", false, BAN_ANY },           { "hostPID", false, BAN_TRUE },
	{ "hostIPC", false, BAN_TRUE },            { "seccompProfile", true, BAN_ANY },
	{ "fsGroup", true, BAN_ANY },              { "fsGroupChangePolicy", true, BAN_ANY },
	{ "sysctls", true, BAN_FILLED },           { "shareProcessNamespace", false, BAN_ANY },
	{ "runAsUser", true, BAN_ANY },            { "runAsGroup", true, BAN_ANY },
	{ "supplementalGroups", true, BAN_ANY },   { "supplementalGroupsPolicy", true, BAN_ANY },
	{ "seLinuxChangePolicy", true, BAN_ANY },
};
static const char WINDOWS_BAN[] = "cannot be set for a Windows pod";
static const struct api_rule windows_container_bans[] = {
	{ "appArmorProfile", RULE_BANNED, WINDOWS_BAN, 0, 0 },
	{ "seLinuxOptions", RULE_BANNED, WINDOWS_BAN, 0, 0 },
	{ "seccompProfile", RULE_BANNED, WINDOWS_BAN, 0, 0 },
	{ "capabilities", RULE_BANNED, WINDOWS_BAN, 0, 0 },
	{ "readOnlyRootFilesystem", RULE_BANNED, WINDOWS_BAN, 0, 0 },
	{ "privileged", RULE_BANNED, WINDOWS_BAN, 0, 0 },
	{ "allowPrivilegeEscalation", RULE_BANNED, WINDOWS_BAN, 0, 0 },
	{ "procMount", RULE_BANNED, WINDOWS_BAN, 0, 0 },
	{ "runAsUser", RULE_BANNED, WINDOWS_BAN, 0, 0 },
	{ "runAsGroup", RULE_BANNED, WINDOWS_BAN, 0, 0 },
};
static const struct api_rule linux_bans[] = {
	{ "windowsOptions", RULE_BANNED, "cannot be set for a Linux pod", 0, 0 },
};

static void ban_windows_fields(const struct api_check *check, const struct api_place *spec,
                               const struct api_place *security)
{
	for (size_t i = 0; i < COUNT_OF(windows_bans); i++) {
		struct api_place place = api_field(windows_bans[i].in_context ? security : spec,
		                                   windows_bans[i].field);
		bool set = windows_bans[i].kind == BAN_TRUE     ? api_is_true(&place)
		           : windows_bans[i].kind == BAN_FILLED ? api_count(&place) > 0
		                                                : api_has(&place);

		if (set)
			api_fault(check, &place, API_FORBIDDEN, "%s %s", place.field, WINDOWS_BAN);
	}
}

static void ban_in_container(const struct api_check *check, const struct api_place *container,
                             void *context)
{
	const bool *windows = context;
	struct api_place security = api_field(container, "securityContext");

	if (!api_has(&security))
		return;
	if (*windows)
		api_apply(check, &security, windows_container_bans,
		          COUNT_OF(windows_container_bans));
	else
		api_apply(check, &security, linux_bans, COUNT_OF(linux_bans));
}

static void ban_by_os(const struct api_check *check, const struct api_place *spec,
                      const struct api_place *security)
{
	struct api_place os = api_field(spec, "os");
	struct api_place name = api_field(&os, "name");
	bool windows = api_is(&name, "windows");

	if (!windows && !api_is(&name, "linux"))
		return;
	if (windows)
		ban_windows_fields(check, spec, security);
	else if (api_has(security))
		api_apply(check, security, linux_bans, COUNT_OF(linux_bans));
	api_visit_containers(check, spec, ban_in_container, &windows);
}

void api_check_pod_security(const struct api_check *check, const struct api_place *spec)
{
	struct api_place security = api_field(spec, "securityContext");

	if (api_has(&security)) {
		api_apply(check, &security, pod_rules, COUNT_OF(pod_rules));
		check_groups(check, &security);
		check_sysctls(check, &security);
		check_profiles(check, &security);
		check_windows(check, &security);
	}
	check_shared(check, spec, &security);
	check_host_processes(check, spec);
	check_host_users(check, spec);
	ban_by_os(check, spec, &security);
}

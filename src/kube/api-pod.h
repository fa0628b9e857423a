/* kube: API validation of pod specs, what its parts share.
 *
 * api-pod        the spec itself and templates
 * api-container  containers: ports, probes, life cycle
 * api-env        environment variables, references to fields and resources of the pod
 * api-restart    restart and resize policies of containers
 * api-security   security contexts, and what an operating system forbids
 * api-claims     devices by resource claims
 * api-volume     volumes, mounts, devices, claims for volumes
 * api-source     what a volume is made from
 * api-job-policy, api-batch  jobs, which look into their pods
 *
 * Upstream: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation (ValidatePodSpec).
 */
#ifndef KUBELINT_API_POD_H
#define KUBELINT_API_POD_H

#include "api.h"

/* A table of rules and its length, for api_apply() and rows of tables. */
#define API_ROWS(rules) rules, COUNT_OF(rules)

/* What the checks of a pod spec's containers know of the rest of the spec. */
struct api_pod {
	const struct api_place *spec;
	/* names of valid volumes to their first field, or to the map itself for a claim of a
	 * StatefulSet; NULL: not all names are known */
	const struct map *volumes;
	/* names in resourceClaims; NULL: not all are known */
	const struct map *claims;
};

/* There, but hidden by a template, a patch or a wrong type: not to be judged. */
bool api_is_unknown(const struct api_place *place);

/* Calls visit for every known container: init containers, containers, ephemeral ones, in
 * upstream's order. */
void api_visit_containers(const struct api_check *check, const struct api_place *spec,
                          void (*visit)(const struct api_check *check,
                                        const struct api_place *container, void *context),
                          void *context);

/* ---- names and paths ------------------------------------------------------------------ */

/* A text that generateName may hold: a dash at its end is masked, as upstream does it before it
 * judges the text like a name. */
str api_mask_dash(struct arena *arena, str text);
/* A part of the path that is "..": it would lead out of the volume. */
bool api_has_backstep(str path);
/* One fault when the path is not relative, or has a backstep; reserved: names that begin with
 * two dots are taken by the kubelet too. Empty text passes. */
void api_want_local_path(const struct api_check *check, const struct api_place *place,
                         bool reserved);

/* ---- environment ---------------------------------------------------------------------- */

/* A key of a ConfigMap or Secret. */
bool api_is_data_key(str key);
/* env and envFrom of a container. */
void api_check_env(const struct api_check *check, const struct api_place *container,
                   const struct api_place *spec);
/* A reference to a field of the pod; of_volume: labels and annotations can be had as a whole,
 * but nothing that is known later only. */
void api_check_field_ref(const struct api_check *check, const struct api_place *reference,
                         bool of_volume);
/* A reference to requests or limits of a container, which volumes must name. */
void api_check_resource_ref(const struct api_check *check, const struct api_place *reference,
                            bool of_volume);

/* ---- parts of containers -------------------------------------------------------------- */

/* restartPolicy with its rules; init: of an init container. */
void api_check_restart(const struct api_check *check, const struct api_place *container,
                       bool init);
/* resizePolicy; init: an init container that is no sidecar. */
void api_check_resize(const struct api_check *check, const struct api_place *container,
                      const struct api_place *spec, bool init);
/* claims in the resources of a container, or of the pod, which must have none. */
void api_check_claim_uses(const struct api_check *check, const struct api_place *resources,
                          const struct api_pod *pod);
void api_check_security(const struct api_check *check, const struct api_place *container,
                        const struct api_place *spec);
void api_check_mounts(const struct api_check *check, const struct api_place *container,
                      const struct api_pod *pod);
void api_check_devices(const struct api_check *check, const struct api_place *container,
                       const struct api_pod *pod);
/* All containers of the spec. */
void api_check_containers(const struct api_check *check, const struct api_pod *pod);

/* ---- parts of specs ------------------------------------------------------------------- */

/* resourceClaims; the result is for struct api_pod. */
struct map *api_check_pod_claims(const struct api_check *check, const struct api_place *spec);
/* securityContext, hostUsers, and what the operating system forbids. */
void api_check_pod_security(const struct api_check *check, const struct api_place *spec);
/* Volumes; the result is for struct api_pod. claims: the place of a StatefulSet's
 * volumeClaimTemplates, or NULL. */
struct map *api_check_volumes(const struct api_check *check, const struct api_place *spec,
                              const struct api_place *claims);
/* tolerations of a spec, or of the scheduling of a RuntimeClass. */
void api_check_tolerations(const struct api_check *check, const struct api_place *spec);
/* What one volume is made from. */
void api_check_source(const struct api_check *check, const struct api_place *volume);
/* spec of a PersistentVolumeClaim; of_template: one that others make claims from. Of a claim itself
 * the API server drops data sources that it does not like. */
void api_check_claim(const struct api_check *check, const struct api_place *spec,
                     bool of_template);

/* An object without labels that gets those of its template. */
void api_check_given_labels(const struct api_check *check, const struct api_place *root,
                            const struct api_place *spec);

/* ---- jobs ----------------------------------------------------------------------------- */

/* podFailurePolicy and successPolicy of a job's spec; completions: -1 when not known. */
void api_check_failure_policy(const struct api_check *check, const struct api_place *spec);
void api_check_success_policy(const struct api_check *check, const struct api_place *spec,
                              int64_t completions);

#endif

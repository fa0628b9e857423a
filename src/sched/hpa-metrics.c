/* Replicas that one metric of an HPA proposes. Upstream: podautoscaler/replica_calculator.go
 * and metrics/utilization.go, whose float64 ratios are kept as doubles.
 */
#include "sched-internal.h"
#include "hpa-internal.h"

/* What the calculator knows of the pods for one resource. */
struct sample {
	const struct hpa_input *input;
	const struct hpa_metric *metric;
	bool *has;                       /* per pod: counted with value */
	bool *missing, *unready;         /* per pod: kept apart */
	int64_t *value, *request;        /* per pod, in thousandths */
	size_t counted, missing_count, unready_count, ready;
};

static const struct workload *workload_of(const struct hpa_input *input, const struct hpa_pod *pod)
{
	return pod->workload ? pod->workload : input->target;
}

/* Usage of one container, or the sum over all; false without data. */
static bool read_usage(const struct hpa_pod *pod, str container, str resource, int64_t *ret_milli)
{
	bool found = false;

	*ret_milli = 0;
	if (!pod->has_metrics)
		return false;
	for (size_t i = 0; i < pod->usage_count;) {
		str name = pod->usage[i].container;
		bool has = false;

		for (; i < pod->usage_count && str_eq(pod->usage[i].container, name); i++) {
			if (!str_eq(pod->usage[i].resource, resource))
				continue;
			has = true;
			if (!container.n || str_eq(name, container))
				*ret_milli = int64_add_saturated(*ret_milli, pod->usage[i].milli);
		}
		if (container.n && str_eq(name, container))
			return has;
		/* A pod's sum needs every container to report. */
		if (!container.n && !has)
			return false;
		found = true;
	}
	return found && !container.n;
}

/* Sorts the pods, as groupPods does. */
static void group_pods(struct sample *sample)
{
	const struct hpa_input *input = sample->input;
	bool cpu = str_is(sample->metric->name.s, "cpu");

	for (size_t i = 0; i < input->pod_count; i++) {
		const struct hpa_pod *pod = &input->pods[i];

		if (pod->phase == HPA_POD_FAILED)
			continue;
		if (pod->phase == HPA_POD_PENDING) {
			sample->unready[i] = true;
		} else if (!read_usage(pod, sample->metric->container.s, sample->metric->name.s,
		                       &sample->value[i])) {
			sample->missing[i] = true;
		} else if (cpu && pod->never_ready) {
			sample->unready[i] = true;
		} else {
			sample->has[i] = true;
			sample->ready++;
		}
		sample->missing_count += sample->missing[i];
		sample->unready_count += sample->unready[i];
		sample->counted += sample->has[i];
	}
}

/* Usage, requests and targets all meet in thousandths, as MilliValue() gives them. */
static bool milli_of(const struct amount *amount, int64_t *ret_milli)
{
	return amount && amount->valid && quantity_milli_ceil(&amount->quantity, ret_milli);
}

/* After pod creation a limit is the request where there is none. */
static bool container_milli(const struct container *container, str resource, int64_t *ret_milli)
{
	const struct amount *amount = amounts_find(&container->requests, resource);

	return milli_of(amount ? amount : amounts_find(&container->limits, resource), ret_milli);
}

/* Upstream: IsPodLevelRequestsSet, after defaulting from pod-level limits. */
static bool has_pod_level(const struct amounts *amounts)
{
	for (size_t i = 0; i < amounts->n; i++)
		if (str_is(amounts->v[i].resource, "cpu") ||
		    str_is(amounts->v[i].resource, "memory") ||
		    str_starts(amounts->v[i].resource, STR("hugepages-")))
			return true;
	return false;
}

/* The pod's request where pod-level resources are set: with overhead, as PodRequests. */
static bool pod_milli(struct arena *arena, const struct pod_template *pod, str resource,
                      int64_t *ret_milli)
{
	struct pod_requests requests;
	struct resource_amount amount;

	pod_requests(arena, pod, NULL, NULL, &requests);
	amount = resources_get(&requests.v, resource);
	*ret_milli = str_is(resource, "cpu") ? amount.amount
	                                     : int64_mul_saturated(amount.amount, 1000);
	return amount.amount > 0 || amounts_find(&pod->requests, resource) ||
	       amounts_find(&pod->limits, resource);
}

/* The request that a utilization is a share of; false when a container has none. */
static bool read_request(struct arena *arena, const struct pod_template *pod, str container,
                         str resource, int64_t *ret_milli)
{
	int64_t milli;

	*ret_milli = 0;
	if (!container.n && (has_pod_level(&pod->requests) || has_pod_level(&pod->limits)))
		return pod_milli(arena, pod, resource, ret_milli);
	for (size_t i = 0; i < pod->containers.n + pod->init_containers.n; i++) {
		const struct container *one =
			i < pod->containers.n
			        ? &pod->containers.v[i]
			        : &pod->init_containers.v[i - pod->containers.n];

		if (one->role == CONTAINER_INIT || (container.n && !str_eq(one->name.s, container)))
			continue;
		if (!container_milli(one, resource, &milli))
			return false;
		*ret_milli = int64_add_saturated(*ret_milli, milli);
		if (container.n)
			return true;
	}
	return !container.n;
}

/* All pods of the selector count here, failed ones too: one missing request fails the metric. */
static bool read_requests(struct arena *arena, struct sample *sample)
{
	for (size_t i = 0; i < sample->input->pod_count; i++) {
		const struct workload *workload =
			workload_of(sample->input, &sample->input->pods[i]);

		if (!read_request(arena, workload->pod, sample->metric->container.s,
		                  sample->metric->name.s, &sample->request[i]))
			return false;
	}
	return true;
}

/* Ratio of usage to target over the counted pods; false when the requests sum to 0. */
static bool usage_ratio(const struct sample *sample, int64_t target, bool utilization,
                        double *ret_ratio)
{
	__extension__ __int128 usage = 0, requests = 0;
	int32_t percent;

	for (size_t i = 0; i < sample->input->pod_count; i++)
		if (sample->has[i]) {
			usage += sample->value[i];
			requests += sample->request[i];
		}
	if (!utilization) {
		*ret_ratio = (double)(int64_t)(usage / (int64_t)sample->counted) / (double)target;
		return true;
	}
	if (requests == 0)
		return false;
	usage = usage * 100 / requests;
	percent = usage > INT32_MAX ? INT32_MAX : (int32_t)usage;
	*ret_ratio = (double)percent / (double)target;
	return true;
}

/* Takes pods into the count that had been kept apart. */
static void count_in(struct sample *sample, size_t pod, int64_t value)
{
	if (!sample->has[pod])
		sample->counted++;
	sample->has[pod] = true;
	sample->value[pod] = value;
}

/* What a pod without metrics is taken to use when the others are below their target. */
static int64_t fallback(const struct sample *sample, size_t pod, int64_t target, bool utilization)
{
	if (!utilization)
		return target;
	return int64_mul_saturated(sample->request[pod], target > 100 ? target : 100) / 100;
}

/* Upstream puts pods without data in such that they damp the step and never turn it round. */
static void fill_in(struct sample *sample, double ratio, int64_t target, bool utilization)
{
	bool unready = sample->unready_count > 0 && ratio > 1.0;

	for (size_t i = 0; i < sample->input->pod_count; i++) {
		if (sample->missing[i] && ratio < 1.0)
			count_in(sample, i, fallback(sample, i, target, utilization));
		else if (sample->missing[i] && ratio > 1.0)
			count_in(sample, i, 0);
		if (sample->unready[i] && unready)
			count_in(sample, i, 0);
	}
}

/* Both bounds belong to the tolerance. */
static bool is_within(const struct hpa_tolerances *tolerances, double ratio)
{
	return 1.0 - tolerances->down <= ratio && ratio <= 1.0 + tolerances->up;
}

/* The count once pods without data have been given values. */
static bool propose_again(const struct sample *sample, double ratio, int64_t target,
                          const struct hpa_tolerances *tolerances, int64_t *ret_replicas)
{
	bool utilization = sample->metric->target == TARGET_UTILIZATION;
	int64_t replicas;
	double again;

	if (!usage_ratio(sample, target, utilization, &again))
		return false;
	*ret_replicas = sample->input->current;
	if (is_within(tolerances, again) || (ratio < 1.0 && again > 1.0) ||
	    (ratio > 1.0 && again < 1.0))
		return true;
	replicas = hpa_ceil(again * (double)sample->counted);
	if ((again < 1.0 && replicas > sample->input->current) ||
	    (again > 1.0 && replicas < sample->input->current))
		return true;
	*ret_replicas = replicas;
	return true;
}

/* Where every pod has data, the ratio is scaled by the ready pods and nothing else is asked. */
static bool propose(struct sample *sample, int64_t target,
                    const struct hpa_tolerances *tolerances, int64_t *ret_replicas)
{
	bool utilization = sample->metric->target == TARGET_UTILIZATION;
	double ratio;

	if (!usage_ratio(sample, target, utilization, &ratio))
		return false;
	if (!(sample->unready_count > 0 && ratio > 1.0) && !sample->missing_count) {
		*ret_replicas = is_within(tolerances, ratio)
		                        ? sample->input->current
		                        : hpa_ceil(ratio * (double)sample->ready);
		return true;
	}
	fill_in(sample, ratio, target, utilization);
	return propose_again(sample, ratio, target, tolerances, ret_replicas);
}

/* Order of failures as upstream: no metrics, then a missing request, then a request sum of 0. */
bool hpa_propose(struct arena *arena, const struct hpa_input *input,
                 const struct hpa_metric *metric, const struct hpa_tolerances *tolerances,
                 int64_t *ret_replicas)
{
	size_t n = input->pod_count;
	struct sample sample = {
		.input = input, .metric = metric,
		.has = arena_calloc(arena, n, sizeof(bool)),
		.missing = arena_calloc(arena, n, sizeof(bool)),
		.unready = arena_calloc(arena, n, sizeof(bool)),
		.value = arena_calloc(arena, n, sizeof(int64_t)),
		.request = arena_calloc(arena, n, sizeof(int64_t)),
	};
	int64_t target = metric->utilization.value;

	if (metric->target != TARGET_UTILIZATION && !milli_of(&metric->value, &target))
		return false;
	if (!n || target <= 0)
		return false;
	group_pods(&sample);
	if (!sample.counted)
		return false;
	if (metric->target == TARGET_UTILIZATION && !read_requests(arena, &sample))
		return false;
	return propose(&sample, target, tolerances, ret_replicas);
}

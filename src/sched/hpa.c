/* One run of the HPA controller: metrics to a count, the count within bounds and rates.
 * Upstream: podautoscaler/horizontal.go reconcileAutoscaler.
 */
#include "sched-internal.h"
#include "hpa-internal.h"

#define DEFAULT_TOLERANCE 0.1

/* A step that is limited, and the reason that the condition names. */
struct limited {
	int64_t replicas;
	const char *reason;
};

/* Rates of one direction with upstream's defaults filled in. */
struct rate {
	const struct scaling_policies *policies; /* NULL: the defaults */
	bool disabled, least;
	int64_t window_seconds;
};

/* A later word on the same condition replaces the earlier one. */
static void set_condition(struct hpa_decision *decision, const char *type, const char *status,
                          const char *reason)
{
	struct hpa_condition condition = { type, status, reason };

	for (size_t i = 0; i < decision->condition_count; i++)
		if (str_is(str_of(decision->conditions[i].type), type)) {
			decision->conditions[i] = condition;
			return;
		}
	decision->conditions[decision->condition_count++] = condition;
}

/* As AsApproximateFloat64 of the canonical text: whole thousandths times 10^-3. */
static double tolerance_of(const struct amount *amount)
{
	int64_t milli;

	if (!amount->node || !amount->valid)
		return DEFAULT_TOLERANCE;
	if (amount->quantity.nano % 1000000 == 0 &&
	    quantity_milli_ceil(&amount->quantity, &milli))
		return (double)milli * 1e-3;
	return (double)amount->quantity.nano * 1e-9;
}

static const char *failure_of(enum metric_kind kind)
{
	static const char *const reasons[] = {
		[METRIC_RESOURCE] = "FailedGetResourceMetric",
		[METRIC_CONTAINER_RESOURCE] = "FailedGetContainerResourceMetric",
		[METRIC_PODS] = "FailedGetPodsMetric",
		[METRIC_OBJECT] = "FailedGetObjectMetric",
		[METRIC_EXTERNAL] = "FailedGetExternalMetric",
		[METRIC_OTHER] = "InvalidMetricSourceType",
	};

	return reasons[kind];
}

/* The largest proposal of all metrics; false when the failing ones forbid a decision. */
static bool propose_all(struct arena *arena, const struct hpa_input *input,
                        const struct hpa_metrics *metrics, struct hpa_decision *decision,
                        int64_t *ret_replicas)
{
	const struct hpa_tolerances tolerances = {
		.down = tolerance_of(&input->hpa->scale_down.tolerance),
		.up = tolerance_of(&input->hpa->scale_up.tolerance),
	};
	const char *failure = NULL;
	size_t failed = 0;

	*ret_replicas = 0;
	for (size_t i = 0; i < metrics->n; i++) {
		const struct hpa_metric *metric = &metrics->v[i];
		bool readable = metric->kind == METRIC_RESOURCE ||
		                metric->kind == METRIC_CONTAINER_RESOURCE;
		int64_t proposal;

		if (!readable || !hpa_propose(arena, input, metric, &tolerances, &proposal)) {
			failure = failure ? failure : failure_of(metric->kind);
			failed++;
		} else if (*ret_replicas == 0 || proposal > *ret_replicas) {
			*ret_replicas = proposal;
		}
	}
	if (failed >= metrics->n || (failed && *ret_replicas < input->current)) {
		set_condition(decision, "ScalingActive", "False", failure);
		return false;
	}
	set_condition(decision, "ScalingActive", "True", "ValidMetricFound");
	return true;
}

/* Absent parts of a behavior are filled one by one: selectPolicy Max, the default policies. */
static struct rate rate_of(const struct scaling_rules *rules, int64_t default_window)
{
	return (struct rate){
		.policies = rules->policies.node ? &rules->policies : NULL,
		.disabled = str_is(rules->select_policy.s, "Disabled"),
		.least = str_is(rules->select_policy.s, "Min"),
		.window_seconds = rules->stabilization_seconds.node
		                          ? rules->stabilization_seconds.value : default_window,
	};
}

/* Towards 0. Go's conversion on amd64 gives the least int32 for what does not fit. */
static int64_t to_int32(double value)
{
	return value > (double)INT32_MAX || value < (double)INT32_MIN ? INT32_MIN
	                                                              : (int64_t)value;
}

/* Without libm, which nothing else here needs. */
int64_t hpa_ceil(double replicas)
{
	int64_t whole = to_int32(replicas);

	return (double)whole < replicas && whole != INT32_MIN ? whole + 1 : whole;
}

/* Replicas that one policy allows within one step from current. */
static int64_t step(int64_t current, bool up, bool percent, int64_t value)
{
	if (!percent)
		return up ? current + value : current - value;
	if (up)
		return hpa_ceil((double)current * (1 + (double)value / 100));
	return to_int32((double)current * (1 - (double)value / 100));
}

/* The furthest count that the policies allow; nothing has happened in their periods. */
static int64_t rate_limit(const struct rate *rate, int64_t current, bool up)
{
	/* Of several policies the largest change counts, or the least one. */
	bool take_larger = up != rate->least;
	int64_t limit = take_larger ? INT32_MIN : INT32_MAX;

	if (rate->disabled)
		return current;
	if (!rate->policies) {
		int64_t pods = current + 4, percent = step(current, up, true, 100);

		if (!up)
			return percent;
		return (pods > percent) == take_larger ? pods : percent;
	}
	for (size_t i = 0; i < rate->policies->n; i++) {
		const struct scaling_policy *policy = &rate->policies->v[i];
		int64_t one = step(current, up, str_is(policy->type.s, "Percent"),
		                   policy->value.value);

		if ((one > limit) == take_larger)
			limit = one;
	}
	return limit;
}

/* The only recommendation on record is the current count. */
static int64_t stabilize(const struct rate *up, const struct rate *down, int64_t current,
                         int64_t desired)
{
	int64_t low = up->window_seconds > 0 && current < desired ? current : desired;
	int64_t high = down->window_seconds > 0 && current > desired ? current : desired;

	if (current < low)
		return low;
	return current > high ? high : current;
}

/* Rates first, bounds second: the reason names the one that binds. */
static struct limited limit_by_rates(const struct hpa_input *input, const struct rate *up,
                                     const struct rate *down, int64_t min, int64_t desired)
{
	int64_t current = input->current, bound;
	struct limited limited = { desired, "DesiredWithinRange" };

	if (desired > current) {
		bound = rate_limit(up, current, true);
		bound = bound < current ? current : bound;
		if (input->hpa->max_replicas.value > bound) {
			if (desired > bound)
				limited = (struct limited){ bound, "ScaleUpLimit" };
		} else if (desired > input->hpa->max_replicas.value) {
			limited = (struct limited){ input->hpa->max_replicas.value,
				                    "TooManyReplicas" };
		}
	} else if (desired < current) {
		bound = rate_limit(down, current, false);
		bound = bound > current ? current : bound;
		if (min < bound) {
			if (desired < bound)
				limited = (struct limited){ bound, "ScaleDownLimit" };
		} else if (desired < min) {
			limited = (struct limited){ min, "TooFewReplicas" };
		}
	}
	return limited;
}

/* Without behavior: at most the double, and no less than 4, in one step. */
static struct limited limit_plainly(const struct hpa_input *input, int64_t min, int64_t desired)
{
	int64_t max = input->hpa->max_replicas.value;
	int64_t step_limit = input->current * 2 > 4 ? input->current * 2 : 4;

	if (desired < min)
		return (struct limited){ min, "TooFewReplicas" };
	if (max > step_limit) {
		if (desired > step_limit)
			return (struct limited){ step_limit, "ScaleUpLimit" };
	} else if (desired > max) {
		return (struct limited){ max, "TooManyReplicas" };
	}
	return (struct limited){ desired, "DesiredWithinRange" };
}

/* Stabilization before rates: a count that is held back is not limited as well. */
static int64_t normalize(const struct hpa_input *input, int64_t min, int64_t desired,
                         struct hpa_decision *decision)
{
	const struct hpa *hpa = input->hpa;
	struct rate up = rate_of(&hpa->scale_up, 0);
	struct rate down = rate_of(&hpa->scale_down, input->down_window_seconds);
	const char *state = "ReadyForNewScale";
	int64_t stable;
	struct limited limited;

	if (hpa->behavior)
		stable = stabilize(&up, &down, input->current, desired);
	else
		stable = input->down_window_seconds > 0 && input->current > desired
		                 ? input->current : desired;
	if (stable != desired)
		state = desired >= input->current && hpa->behavior ? "ScaleUpStabilized"
		                                                   : "ScaleDownStabilized";
	set_condition(decision, "AbleToScale", "True", state);
	limited = hpa->behavior ? limit_by_rates(input, &up, &down, min, stable)
	                        : limit_plainly(input, min, stable);
	set_condition(decision, "ScalingLimited", limited.replicas == stable ? "False" : "True",
	              limited.reason);
	return limited.replicas;
}

/* The metrics of the HPA, or upstream's default where it names none. */
static struct hpa_metrics metrics_of(struct arena *arena, const struct hpa *hpa)
{
	struct hpa_metrics metrics = hpa->metrics;

	if (metrics.n)
		return metrics;
	metrics = (struct hpa_metrics){ 0 };
	*VEC_PUSH(arena, &metrics) = (struct hpa_metric){
		.kind = METRIC_RESOURCE, .name.s = STR("cpu"),
		.target = TARGET_UTILIZATION, .utilization.value = 80,
	};
	return metrics;
}

/* Counts outside the bounds are brought back without a look at the metrics. */
void hpa_decide(struct arena *arena, const struct hpa_input *input,
                struct hpa_decision *ret_decision)
{
	const struct hpa *hpa = input->hpa;
	int64_t min = hpa->min_replicas.node ? hpa->min_replicas.value : 1;
	struct hpa_decision *decision = ret_decision;
	struct hpa_metrics metrics;
	int64_t desired;

	*decision = (struct hpa_decision){ 0 };
	if (!input->target) {
		set_condition(decision, "AbleToScale", "False", "FailedGetScale");
		return;
	}
	set_condition(decision, "AbleToScale", "True", "SucceededGetScale");
	decision->desired = input->current;
	if (input->current == 0) {
		set_condition(decision, "ScalingActive", "False", "ScalingDisabled");
		decision->decided = true;
		return;
	}
	if (input->current > hpa->max_replicas.value) {
		desired = hpa->max_replicas.value;
	} else if (input->current < min) {
		desired = min;
	} else if (input->ambiguous) {
		set_condition(decision, "ScalingActive", "False", "AmbiguousSelector");
		return;
	} else {
		metrics = metrics_of(arena, hpa);
		if (!propose_all(arena, input, &metrics, decision, &desired))
			return;
		desired = normalize(input, min, desired > 0 ? desired : 0, decision);
	}
	decision->decided = true;
	decision->desired = desired;
	if (desired != input->current)
		set_condition(decision, "AbleToScale", "True", "SucceededRescale");
}

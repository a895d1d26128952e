import {
  type AutoscalingV2HorizontalPodAutoscalerCondition,
  type AutoscalingV2MetricStatus,
  formatTime,
  type LabelMatcher,
  parseLabelSelector,
  PodrunError,
  type StoredAutoscaler,
  type StoredPod,
} from '../../api/index.ts';
import type { ControllerEvent } from '../base/reconcile.ts';
import {
  ABOVE_MAX,
  aboveTarget,
  ALL_BELOW,
  ambiguousSelector,
  computeFailed,
  getScaleFailed,
  metricFailed,
  notComputed,
  notRescaled,
  NO_METRICS,
  scaleNotRead,
  type AutoscalerCondition,
  BELOW_MIN,
  failedGetScale,
  failedMetric,
  failedRescale,
  failedUpdateScale,
  invalidSelector,
  rescaled,
  SCALING_DISABLED,
  SELECTOR_REQUIRED,
  SUCCEEDED_GET_SCALE,
  succeededRescale,
  validMetric,
} from '../texts/autoscaler.ts';
import { invalidMetrics } from '../texts/autoscaler-metrics.ts';
import { remembered } from './limits.ts';
import type { AutoscalerInput, AutoscalerMemory, AutoscalerStatus, AutoscalerSync, TargetScale } from './model.ts';
import { propose, tolerancesOf } from './propose.ts';
import { type Behavior, normalize, normalizeWith } from './stabilize.ts';

/**
 * One sync of an autoscaler up to the write of the scale, as data: `endSync` completes it. Source of all rules here:
 * pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler.
 */
export interface AutoscalerPlan {
  readonly object: StoredAutoscaler;
  readonly nowMs: number;
  /** The replicas to write, and why. Undefined: the scale stays. */
  readonly rescale?: { readonly replicas: number; readonly reason: string };
  readonly current: number;
  readonly desired: number;
  readonly conditions: readonly AutoscalingV2HorizontalPodAutoscalerCondition[];
  readonly metrics: readonly AutoscalingV2MetricStatus[] | undefined;
  readonly events: readonly ControllerEvent[];
  readonly memory: AutoscalerMemory;
  readonly error?: string | undefined;
}

const NOTHING: AutoscalerMemory = { recommendations: [], scaleUps: [], scaleDowns: [] };

/** @param object with the defaults of the API server */
export function planSync(object: StoredAutoscaler, input: AutoscalerInput): AutoscalerPlan {
  const { nowMs, scale } = input;
  const { spec, status } = object;
  const draft: AutoscalerPlan = {
    object,
    nowMs,
    current: status?.currentReplicas ?? 0,
    desired: status?.desiredReplicas ?? 0,
    conditions: status?.conditions ?? [],
    metrics: status?.currentMetrics ?? undefined,
    events: [],
    memory: input.memory ?? NOTHING,
  };
  const reference = referenceOf(object);
  if ('error' in scale) {
    const { error } = scale;
    const failed = withConditions(draft, failedGetScale(error));
    return { ...failed, events: [getScaleFailed(error)], error: scaleNotRead(reference, error) };
  }
  const { replicas: current } = scale.value;
  const began = {
    ...withConditions(draft, SUCCEEDED_GET_SCALE),
    current,
    memory: input.memory ?? { ...NOTHING, recommendations: [{ replicas: current, atMs: nowMs }] },
  };
  const { minReplicas: min = 1, maxReplicas: max } = spec;
  // No metrics are read in these three cases.
  const silent = { ...began, metrics: undefined };
  if (current === 0 && min !== 0) return { ...withConditions(silent, SCALING_DISABLED), desired: 0 };
  if (current > max) return { ...silent, desired: max, rescale: { replicas: max, reason: ABOVE_MAX } };
  if (current < min) return { ...silent, desired: min, rescale: { replicas: min, reason: BELOW_MIN } };
  return planByMetrics(began, input, scale.value);
}

function planByMetrics(draft: AutoscalerPlan, input: AutoscalerInput, scale: TargetScale): AutoscalerPlan {
  const { object, nowMs, current } = draft;
  const wanted = wantedBy(draft, input, scale);
  const { draft: computed, error } = wanted;
  if (wanted.replicas === undefined) {
    const events = [...computed.events, computeFailed(error ?? '')];
    return { ...computed, events, error: notComputed(referenceOf(object), error ?? '') };
  }
  const desired = Math.max(0, wanted.replicas);
  const { minReplicas: min = 1, maxReplicas: max } = object.spec;
  const wish = { current, desired, min, max, nowMs, memory: computed.memory };
  const behavior = behaviorOf(object);
  const { replicas, conditions, recommendations } =
    behavior === undefined ? normalize(wish) : normalizeWith(behavior, wish);
  const reason = desired > current ? aboveTarget(wanted.metric ?? '') : ALL_BELOW;
  return {
    ...withConditions(computed, ...conditions),
    desired: replicas,
    memory: { ...computed.memory, recommendations },
    error,
    ...(replicas !== current && { rescale: { replicas, reason } }),
  };
}

interface Wanted {
  readonly draft: AutoscalerPlan;
  /** The largest proposal. Undefined: none counts. */
  readonly replicas?: number | undefined;
  readonly metric?: string | undefined;
  readonly error?: string | undefined;
}

/** Source: computeReplicasForMetrics. */
function wantedBy(draft: AutoscalerPlan, input: AutoscalerInput, scale: TargetScale): Wanted {
  const { object, current } = draft;
  const selected = selectedPods(object, input, scale);
  if ('condition' in selected) {
    const { condition, event } = selected;
    const failed = { ...withConditions(draft, condition), metrics: undefined, events: [event] };
    return { draft: failed, error: event.message };
  }
  const { namespace } = object.metadata;
  const target = { current, statusReplicas: scale.statusReplicas, tolerance: tolerancesOf(object.spec) };
  const read = { ...target, pods: selected.pods, nowMs: input.nowMs, namespace, metrics: input.metrics };
  const specs = object.spec.metrics ?? [];
  const proposals = specs.map((metric) => propose(metric, read));
  const valid = proposals.filter((proposal) => 'replicas' in proposal);
  const failures = proposals.filter((proposal) => 'error' in proposal);
  const [first] = failures;
  // The first of the largest names the reason.
  const best = valid.reduce<(typeof valid)[number] | undefined>(
    (most, each) => (most === undefined || each.replicas > most.replicas ? each : most),
    undefined,
  );
  const computed = {
    ...draft,
    metrics: proposals.map((proposal) => ('status' in proposal ? proposal.status : { type: '' })),
    events: failures.map(({ reason, error }) => metricFailed(reason, error)),
  };
  const error = first && invalidMetrics(failures.length, specs.length, first.inSync);
  if (first !== undefined && (best === undefined || best.replicas < current))
    return { draft: withConditions(computed, failedMetric(first.reason, first.error)), error };
  if (best === undefined) return { draft: computed, error: NO_METRICS };
  return { draft: withConditions(computed, validMetric(best.name)), replicas: best.replicas, metric: best.name, error };
}

type Selected = { readonly pods: readonly StoredPod[] } | ReturnType<typeof ambiguousSelector>;

/** Source: validateAndParseSelector. */
function selectedPods({ metadata }: StoredAutoscaler, { pods, others }: AutoscalerInput, scale: TargetScale): Selected {
  const { selector } = scale;
  if (selector === '') return SELECTOR_REQUIRED;
  const matches = matcherOf(selector);
  if (typeof matches === 'string') return invalidSelector(matches);
  const selected = pods.filter((pod) => matches(pod.metadata.labels ?? {}));
  const rivals = others.filter((other) => {
    const alsoMatches = matcherOf(other.selector);
    return typeof alsoMatches !== 'string' && selected.some((pod) => alsoMatches(pod.metadata.labels ?? {}));
  });
  if (rivals.length === 0) return { pods: selected };
  const keys = [`${metadata.namespace}/${metadata.name}`, ...rivals.map(({ key }) => key)];
  return ambiguousSelector(selector, keys);
}

/** A string says what is wrong with the selector. */
function matcherOf(selector: string): LabelMatcher | string {
  try {
    return parseLabelSelector(selector);
  } catch (error) {
    if (error instanceof PodrunError) return error.message;
    throw error;
  }
}

/**
 * The status and the events after the write of the scale.
 * @param updateError why the scale could not be written
 */
export function endSync(plan: AutoscalerPlan, updateError?: string): AutoscalerSync {
  const { object, rescale, current, nowMs } = plan;
  if (rescale === undefined) return concluded(plan);
  const { replicas, reason } = rescale;
  if (updateError !== undefined) {
    const failed = withConditions(plan, failedUpdateScale(updateError));
    return concluded({
      ...failed,
      desired: object.status?.desiredReplicas ?? 0,
      events: [...plan.events, failedRescale(replicas, reason, updateError)],
      error: notRescaled(referenceOf(object), updateError),
    });
  }
  const behavior = behaviorOf(object);
  return concluded(
    {
      ...withConditions(plan, succeededRescale(replicas)),
      events: [...plan.events, rescaled(replicas, reason)],
      memory:
        behavior === undefined ? plan.memory : remembered(behavior, { current, nowMs, memory: plan.memory }, replicas),
    },
    formatTime(nowMs),
  );
}

function concluded(plan: AutoscalerPlan, scaledAt?: string): AutoscalerSync {
  const { object, current, desired, metrics, conditions, events, memory, error } = plan;
  const lastScaleTime = scaledAt ?? object.status?.lastScaleTime;
  const status: AutoscalerStatus = {
    ...(lastScaleTime ? { lastScaleTime } : {}),
    ...(current === 0 ? {} : { currentReplicas: current }),
    desiredReplicas: desired,
    currentMetrics: metrics === undefined || metrics.length === 0 ? null : [...metrics],
    conditions: [...conditions],
  };
  return { status, events, memory, error };
}

const referenceOf = ({ metadata, spec: { scaleTargetRef } }: StoredAutoscaler): string =>
  `${scaleTargetRef.kind}/${metadata.namespace}/${scaleTargetRef.name}`;

function behaviorOf({ spec: { behavior } }: StoredAutoscaler): Behavior | undefined {
  return behavior && { scaleUp: behavior.scaleUp ?? {}, scaleDown: behavior.scaleDown ?? {} };
}

/** Conditions keep their order; the time of a transition changes with the status alone. */
function withConditions(plan: AutoscalerPlan, ...set: readonly AutoscalerCondition[]): AutoscalerPlan {
  const now = formatTime(plan.nowMs);
  const conditions = [...plan.conditions];
  for (const condition of set) {
    const index = conditions.findIndex(({ type }) => type === condition.type);
    const before = conditions[index];
    const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
    const current = { ...condition, lastTransitionTime };
    if (before === undefined) conditions.push(current);
    else conditions[index] = current;
  }
  return { ...plan, conditions };
}

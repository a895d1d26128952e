import type { LabelSelector, StoredAutoscaler } from '../../api/index.ts';
import type { ControllerEvent } from '../base/reconcile.ts';
import { normal, warning } from './pods.ts';

// The texts of HorizontalPodAutoscalers. Source: pkg/controller/podautoscaler/horizontal.go.

export const AUTOSCALER = 'horizontal-pod-autoscaler';

/** A condition without its times. */
export interface AutoscalerCondition {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const able = (reason: string, message: string): AutoscalerCondition => ({
  type: 'AbleToScale',
  status: 'True',
  reason,
  message,
});
const unable = (reason: string, message: string): AutoscalerCondition => ({
  ...able(reason, message),
  status: 'False',
});
const inactive = (reason: string, message: string): AutoscalerCondition => ({
  ...unable(reason, message),
  type: 'ScalingActive',
});

export const failedGetScale = (error: string): AutoscalerCondition =>
  unable('FailedGetScale', `the HPA controller was unable to get the target's current scale: ${error}`);

export const SUCCEEDED_GET_SCALE: AutoscalerCondition = able(
  'SucceededGetScale',
  "the HPA controller was able to get the target's current scale",
);

export const SCALING_DISABLED: AutoscalerCondition = inactive(
  'ScalingDisabled',
  'scaling is disabled since the replica count of the target is zero',
);

export const READY_FOR_NEW_SCALE: AutoscalerCondition = able(
  'ReadyForNewScale',
  'recommended size matches current size',
);

export const SCALE_UP_STABILIZED: AutoscalerCondition = able(
  'ScaleUpStabilized',
  'recent recommendations were lower than current one, applying the lowest recent recommendation',
);

export const SCALE_DOWN_STABILIZED: AutoscalerCondition = able(
  'ScaleDownStabilized',
  'recent recommendations were higher than current one, applying the highest recent recommendation',
);

export const failedUpdateScale = (error: string): AutoscalerCondition =>
  unable('FailedUpdateScale', `the HPA controller was unable to update the target scale: ${error}`);

const RESCALED = 'SucceededRescale';

export const succeededRescale = (replicas: number): AutoscalerCondition =>
  able(RESCALED, `the HPA controller was able to update the target scale to ${replicas}`);

/** True for the state right after a change of the replicas: later ones have the new number in both fields. */
export function hasJustRescaled({ status }: StoredAutoscaler): boolean {
  if (status === undefined || status.currentReplicas === status.desiredReplicas) return false;
  return (status.conditions ?? []).some(({ reason }) => reason === RESCALED);
}

export const validMetric = (metric: string): AutoscalerCondition => ({
  ...able('ValidMetricFound', `the HPA was able to successfully calculate a replica count from ${metric}`),
  type: 'ScalingActive',
});

export const failedMetric = (reason: string, error: string): AutoscalerCondition =>
  inactive(reason, `the HPA was unable to compute the replica count: ${error}`);

/** A mistake in the selector of a target: the condition, and the event before it. */
export interface SelectorMistake {
  readonly condition: AutoscalerCondition;
  readonly event: ControllerEvent;
}

export const SELECTOR_REQUIRED: SelectorMistake = {
  condition: inactive('InvalidSelector', "the HPA target's scale is missing a selector"),
  event: warning('SelectorRequired', 'selector is required'),
};

export function invalidSelector(error: string): SelectorMistake {
  const message = `couldn't convert selector into a corresponding internal selector object: ${error}`;
  return { condition: inactive('InvalidSelector', message), event: warning('InvalidSelector', message) };
}

/** @param keys the autoscalers, as `namespace/name` */
export function ambiguousSelector(selector: string, keys: readonly string[]): SelectorMistake {
  const message = `pods by selector ${selector} are controlled by multiple HPAs: [${keys.join(' ')}]`;
  return { condition: inactive('AmbiguousSelector', message), event: warning('AmbiguousSelector', message) };
}

const LIMITS = {
  DesiredWithinRange: 'the desired count is within the acceptable range',
  TooFewReplicas: 'the desired replica count is less than the minimum replica count',
  TooManyReplicas: 'the desired replica count is more than the maximum replica count',
  ScaleUpLimit: 'the desired replica count is increasing faster than the maximum scale rate',
  ScaleDownLimit: 'the desired replica count is decreasing faster than the maximum scale rate',
} as const;

export type ScalingLimit = keyof typeof LIMITS;

export const scalingLimited = (limit: ScalingLimit, isLimited: boolean): AutoscalerCondition => ({
  type: 'ScalingLimited',
  status: isLimited ? 'True' : 'False',
  reason: limit,
  message: LIMITS[limit],
});

export const rescaled = (replicas: number, reason: string): ControllerEvent =>
  normal('SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);

export const failedRescale = (replicas: number, reason: string, error: string): ControllerEvent =>
  warning('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${error}`);

export const getScaleFailed = (error: string): ControllerEvent => warning('FailedGetScale', error);

/** @param reason the one of the condition */
export const metricFailed = (reason: string, error: string): ControllerEvent => warning(reason, error);

export const computeFailed = (error: string): ControllerEvent => warning('FailedComputeMetricsReplicas', error);

// The errors of a whole sync, and the reasons of new sizes. `reference` is KIND/NAMESPACE/NAME of the target. Source:
// pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler.

export const scaleNotRead = (reference: string, error: string): string =>
  `failed to query scale subresource for ${reference}: ${error}`;

export const notComputed = (reference: string, error: string): string =>
  `failed to compute desired number of replicas based on listed metrics for ${reference}: ${error}`;

export const notRescaled = (reference: string, error: string): string => `failed to rescale ${reference}: ${error}`;

/** Our own: the API server gives each autoscaler a metric. */
export const NO_METRICS = 'no metrics';

export const ABOVE_MAX = 'Current number of replicas above Spec.MaxReplicas';
export const BELOW_MIN = 'Current number of replicas below Spec.MinReplicas';
export const ALL_BELOW = 'All metrics below target';

export const aboveTarget = (metric: string): string => `${metric} above target`;

/** A selector as Go prints it: `nil`, or its type with all fields. Source: apimachinery, meta/v1/generated.pb.go. */
export function selectorInGo(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const map = labels.map(([key, value]) => `${key}: ${value},`).join('');
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const list = `[]LabelSelectorRequirement{${expressions.join('')}}`;
  return `&LabelSelector{MatchLabels:map[string]string{${map}},MatchExpressions:${list},}`;
}

import {
  type AutoscalingV2MetricSpec,
  type AutoscalingV2MetricStatus,
  type AutoscalingV2MetricTarget,
  type AutoscalingV2MetricValueStatus,
  canonicalQuantity,
  type StoredAutoscaler,
} from '../../api/index.ts';
import { hasJustRescaled, type Owned } from '../../controllers/index.ts';
import type { Transition } from '../live/transition.ts';

/** The lines of the live view about a change of an autoscaler. Undefined: the object is none. */
export function autoscalerTransition(object: Owned, atMs: number): Transition[] | undefined {
  if (!isAutoscaler(object)) return undefined;
  if (!hasJustRescaled(object)) return [];
  const { text, why } = scalingText(object);
  const subject = `hpa/${object.metadata.name}`;
  return [{ atMs, pod: '', subject, kind: 'change', text: why === '' ? text : `${text}: ${why}`, tone: 'info' }];
}

function isAutoscaler(object: Owned): object is StoredAutoscaler {
  return object.kind === 'HorizontalPodAutoscaler';
}

/** The last change of an autoscaler: `web 2 → 4`, and the metrics behind it: `cpu 180 % of 50 %`. */
export function scalingText({ spec, status }: StoredAutoscaler): { readonly text: string; readonly why: string } {
  const { currentReplicas = 0, desiredReplicas = 0, currentMetrics } = status ?? {};
  const metrics = (spec.metrics ?? []).flatMap((metric, index) => {
    const source = sourceOf(metric);
    const state = sourceOf(currentMetrics?.[index] ?? {});
    if (source === undefined || state === undefined || !('target' in source) || !('current' in state)) return [];
    const amounts = comparison(state.current, source.target);
    return amounts === undefined ? [] : [`${'name' in source ? source.name : source.metric.name} ${amounts}`];
  });
  return { text: `${spec.scaleTargetRef.name} ${currentReplicas} → ${desiredReplicas}`, why: metrics.join(', ') };
}

type MetricPart = Omit<AutoscalingV2MetricSpec, 'type'> | Omit<AutoscalingV2MetricStatus, 'type'>;

/** The source of a metric with its target, or with its value. */
function sourceOf({ resource, containerResource, pods, object, external }: MetricPart) {
  return resource ?? containerResource ?? pods ?? object ?? external;
}

/** `180 % of 50 %`, or `30Mi of 20Mi`. Undefined: the value is not known. */
function comparison(current: AutoscalingV2MetricValueStatus, target: AutoscalingV2MetricTarget): string | undefined {
  const { averageUtilization: percent } = current;
  if (target.averageValue === undefined && target.value === undefined)
    return percent === undefined ? undefined : `${percent} % of ${target.averageUtilization} %`;
  const field = target.averageValue === undefined ? 'value' : 'averageValue';
  const [now, wanted] = [current[field], target[field]];
  if (now === undefined || wanted === undefined) return undefined;
  return `${canonicalQuantity(now)} of ${canonicalQuantity(wanted)}`;
}

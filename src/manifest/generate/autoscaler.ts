import {
  type AutoscalingV2HorizontalPodAutoscalerSpec,
  type AutoscalingV2MetricSpec,
  type KubeObject,
  parseQuantity,
} from '../../api/index.ts';

/** The wishes of a user who makes an autoscaler by flags. */
export interface WantedAutoscaler {
  readonly name: string;
  readonly target: AutoscalingV2HorizontalPodAutoscalerSpec['scaleTargetRef'];
  /** Undefined: the default of the API server. */
  readonly min: number | undefined;
  readonly max: number;
  /** `70%` of the requests, or an average value: `500m`. A bare number counts thousandths of a core. */
  readonly cpu: string | undefined;
  /** `70%` of the requests, or an average value: `500Mi`. A bare number counts mebibytes. */
  readonly memory: string | undefined;
}

const BARE_UNIT = { cpu: 'm', memory: 'Mi' } as const;

/**
 * An autoscaler as `kubectl autoscale` makes it. Source: kubectl/pkg/cmd/autoscale/autoscale.go.
 * @throws {PodrunError} (Invalid) for a text that is neither a percentage nor a quantity
 */
export function autoscalerToCreate({ name, target, min, max, cpu, memory }: WantedAutoscaler): KubeObject {
  const metrics = [
    ...(cpu === undefined ? [] : [metricOf('cpu', cpu)]),
    ...(memory === undefined ? [] : [metricOf('memory', memory)]),
  ];
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: {
      maxReplicas: max,
      ...(metrics.length > 0 && { metrics }),
      ...(min !== undefined && { minReplicas: min }),
      scaleTargetRef: target,
    },
  };
}

function metricOf(name: keyof typeof BARE_UNIT, text: string): AutoscalingV2MetricSpec {
  const percent = /^(\d+)%$/.exec(text)?.[1];
  if (percent !== undefined) {
    const target = { averageUtilization: Number(percent), type: 'Utilization' };
    return { resource: { name, target }, type: 'Resource' };
  }
  const averageValue = /^\d+$/.test(text) ? `${text}${BARE_UNIT[name]}` : text;
  parseQuantity(averageValue);
  return { resource: { name, target: { averageValue, type: 'AverageValue' } }, type: 'Resource' };
}

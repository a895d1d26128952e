import {
  type AutoscalingV2HorizontalPodAutoscalerSpec,
  type AutoscalingV2HorizontalPodAutoscalerStatus,
  isJsonObject,
  type JsonObject,
  type KubeObject,
} from '../../api/index.ts';

const OLD = 'autoscaling/v1';
const NEW = 'autoscaling/v2';

/** Annotations that carry what v1 has no fields for, so that a write in v1 keeps it: as JSON, in the form of v2. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

/** The spec of either version. */
type Spec = AutoscalingV2HorizontalPodAutoscalerSpec & { readonly targetCPUUtilizationPercentage?: number };

type Status = Partial<AutoscalingV2HorizontalPodAutoscalerStatus>;

/** An object of either version. */
interface Autoscaler extends KubeObject {
  readonly spec?: Spec;
  readonly status?: Status;
}

/**
 * An autoscaler in v1, where the use of the processor has a field of its own. Source:
 * pkg/apis/autoscaling/v1/conversion.go.
 */
export function autoscalerInV1<T extends KubeObject>(object: T): T {
  return object.apiVersion === OLD ? object : (inOld(object) as T);
}

/** An autoscaler in v2, the form in which it is stored. */
export function autoscalerInV2<T extends KubeObject>(object: T): T {
  return object.apiVersion === NEW ? object : (inNew(object) as T);
}

function inOld(object: Autoscaler): KubeObject {
  const { metrics = [], behavior, ...spec } = object.spec ?? ({} as Spec);
  const use = metrics.find((metric) => percentageOf(metric) !== undefined);
  const others = metrics.filter((metric) => metric !== use);
  const carried = {
    ...(others.length > 0 && { [METRICS]: JSON.stringify(others) }),
    ...(behavior !== undefined && { [BEHAVIOR]: JSON.stringify(behavior) }),
  };
  const { annotations, ...metadata } = object.metadata;
  const all = { ...annotations, ...carried };
  const percentage = use && percentageOf(use);
  return {
    ...object,
    apiVersion: OLD,
    metadata: { ...metadata, ...(Object.keys(all).length > 0 && { annotations: all }) },
    spec: { ...spec, ...(percentage !== undefined && { targetCPUUtilizationPercentage: percentage }) },
    ...(object.status && { status: statusInOld(object.status) }),
  };
}

/** The status that v1 has: the use of the processor instead of all metrics, and no conditions. */
function statusInOld({ currentMetrics, ...status }: Status): JsonObject {
  const uses = (currentMetrics ?? []).map((metric) => objectOf(objectOf(metric)['resource']));
  const use = uses.find(({ name }) => name === 'cpu');
  const percentage = objectOf(use?.['current'])['averageUtilization'];
  const own = typeof percentage === 'number' ? { currentCPUUtilizationPercentage: percentage } : {};
  const { currentReplicas = 0, desiredReplicas = 0, lastScaleTime, observedGeneration } = status;
  const known = { observedGeneration, lastScaleTime, currentReplicas, desiredReplicas, ...own };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

function inNew(object: Autoscaler): KubeObject {
  const { targetCPUUtilizationPercentage: percentage, ...spec } = object.spec ?? ({} as Spec);
  const { annotations, ...metadata } = object.metadata;
  const { [METRICS]: others, [BEHAVIOR]: behavior, ...kept } = annotations ?? {};
  const target = { type: 'Utilization', averageUtilization: percentage };
  const use = percentage === undefined ? [] : [{ type: 'Resource', resource: { name: 'cpu', target } }];
  const written: unknown = parsed(others);
  const metrics = [...use, ...(Array.isArray(written) ? written.filter(isJsonObject) : [])];
  const behaves = objectOf(parsed(behavior));
  return {
    ...object,
    apiVersion: NEW,
    metadata: { ...metadata, ...(Object.keys(kept).length > 0 && { annotations: kept }) },
    spec: {
      ...spec,
      ...(metrics.length > 0 && { metrics }),
      ...(Object.keys(behaves).length > 0 && { behavior: behaves }),
    },
  };
}

/** The use of the processor that a metric asks for, in percent of the request. Clients may have written anything. */
function percentageOf(metric: unknown): number | undefined {
  const { type, resource } = objectOf(metric);
  const { name, target } = objectOf(resource);
  const { type: unit, averageUtilization: percentage } = objectOf(target);
  const isProcessor = type === 'Resource' && name === 'cpu' && unit === 'Utilization';
  return isProcessor && typeof percentage === 'number' ? percentage : undefined;
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** Undefined for what a client wrote that is no JSON. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

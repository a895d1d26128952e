import {
  type AutoscalingV2HorizontalPodAutoscalerSpec,
  isJsonObject,
  type JsonObject,
  type KubeObject,
} from '../../api/index.ts';
import { validateObject } from '../../manifest/index.ts';
import type { Conversion } from './served-resource.ts';

const OLD = 'autoscaling/v1';
const NEW = 'autoscaling/v2';

/** Annotations that carry what v1 has no fields for, so that a write in v1 keeps it: as JSON, in the form of v2. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

/** The spec of either version. */
type Spec = AutoscalingV2HorizontalPodAutoscalerSpec & { readonly targetCPUUtilizationPercentage?: number };

/** An object of either version. */
interface Autoscaler extends KubeObject {
  readonly spec?: Spec;
}

/**
 * HorizontalPodAutoscalers are stored in v2. In v1, the use of the processor has a field of its own. Source:
 * pkg/apis/autoscaling/v1/conversion.go.
 */
export const AUTOSCALERS_CONVERSION: Conversion = {
  shown: (object) => (object.apiVersion === OLD ? object : (inOld(object) as typeof object)),
  stored: (object) => (object.apiVersion === NEW ? object : (inNew(object) as typeof object)),
  errors: (object, before) => (before === undefined ? validateObject(object) : []),
};

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
  };
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

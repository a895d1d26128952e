import {
  type AutoscalingV2HorizontalPodAutoscalerSpec,
  type AutoscalingV2HorizontalPodAutoscalerStatus,
  goJson,
  isJsonObject,
  type JsonObject,
  type KubeObject,
} from '../../api/index.ts';
import { metricInNew, metricInOld } from './metric-forms.ts';

const OLD = 'autoscaling/v1';
const NEW = 'autoscaling/v2';

/** Annotations that carry what v1 has no fields for, so that a write in v1 keeps it. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
/** All of them. The last two are of older versions, which had no other place for a tolerance. */
const CARRIERS: ReadonlySet<string> = new Set([
  METRICS,
  BEHAVIOR,
  CURRENT_METRICS,
  CONDITIONS,
  'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
]);

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
  const { currentMetrics, conditions } = object.status ?? {};
  const use = metrics.find((metric) => percentageOf(metric) !== undefined);
  const others = metrics.filter((metric) => percentageOf(metric) === undefined);
  const carried = {
    ...(others.length > 0 && { [METRICS]: goJson(others.map((metric) => metricInOld(metric, 'spec'))) }),
    ...(currentMetrics?.length && {
      [CURRENT_METRICS]: goJson(currentMetrics.map((metric) => metricInOld(metric, 'status'))),
    }),
    ...(conditions?.length && { [CONDITIONS]: goJson(conditions.map((condition) => conditionInOld(condition))) }),
    ...(behavior !== undefined && { [BEHAVIOR]: goJson(behaviorInOld(behavior)) }),
  };
  const { annotations, ...metadata } = object.metadata;
  const all = { ...withoutCarriers(annotations), ...carried };
  const percentage = use && percentageOf(use);
  return {
    ...object,
    apiVersion: OLD,
    metadata: { ...metadata, ...(Object.keys(all).length > 0 && { annotations: all }) },
    spec: { ...spec, ...(percentage !== undefined && { targetCPUUtilizationPercentage: percentage }) },
    ...(object.status && { status: statusInOld(object.status) }),
  };
}

function withoutCarriers(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !CARRIERS.has(name)));
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

function conditionInOld(condition: unknown): JsonObject {
  const { type, status, lastTransitionTime, reason, message } = objectOf(condition);
  const whole = typeof lastTransitionTime === 'string' ? lastTransitionTime.replace(/\.\d+Z$/, 'Z') : null;
  return { type, status, lastTransitionTime: whole, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
}

/** The API server writes its own form of a behavior, whose fields have the names of its source. */
function behaviorInOld(behavior: unknown): JsonObject {
  const { scaleUp, scaleDown } = objectOf(behavior);
  return { ScaleUp: rulesInOld(scaleUp), ScaleDown: rulesInOld(scaleDown) };
}

function rulesInOld(rules: unknown): JsonObject | null {
  if (!isJsonObject(rules)) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = rules;
  const steps = Array.isArray(policies)
    ? policies.map((policy) => {
        const { type = '', value = 0, periodSeconds = 0 } = objectOf(policy);
        return { Type: type, Value: value, PeriodSeconds: periodSeconds };
      })
    : null;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies: steps,
    Tolerance: tolerance ?? null,
  };
}

function inNew(object: Autoscaler): KubeObject {
  const { targetCPUUtilizationPercentage: percentage, ...spec } = object.spec ?? ({} as Spec);
  const { annotations, ...metadata } = object.metadata;
  const kept = withoutCarriers(annotations);
  const target = { type: 'Utilization', averageUtilization: percentage };
  const use = percentage === undefined ? [] : [{ type: 'Resource', resource: { name: 'cpu', target } }];
  const metrics = [...listIn(annotations?.[METRICS]).map((metric) => metricInNew(metric, 'spec')), ...use];
  const behaves = objectOf(withSmallNames(parsed(annotations?.[BEHAVIOR])));
  return {
    ...object,
    apiVersion: NEW,
    metadata: { ...metadata, ...(Object.keys(kept).length > 0 && { annotations: kept }) },
    spec: {
      ...spec,
      ...(metrics.length > 0 && { metrics }),
      ...(Object.keys(behaves).length > 0 && { behavior: behaves }),
    },
    ...(object.status && { status: statusInNew(object.status, annotations) }),
  };
}

function statusInNew(old: JsonObject, annotations: Readonly<Record<string, string>> = {}): JsonObject {
  const { currentCPUUtilizationPercentage: percentage, ...status } = old;
  const current = { averageUtilization: percentage };
  const use = percentage === undefined ? [] : [{ type: 'Resource', resource: { name: 'cpu', current } }];
  const carried = listIn(annotations[CURRENT_METRICS]).map((metric) => metricInNew(metric, 'status'));
  const currentMetrics = carried.length > 0 ? carried : use;
  const conditions = listIn(annotations[CONDITIONS]);
  return {
    ...status,
    ...(currentMetrics.length > 0 && { currentMetrics }),
    ...(conditions.length > 0 && { conditions }),
  };
}

/** The fields of the API server's own form begin with capital letters. Leaves out what is null. */
function withSmallNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSmallNames);
  if (!isJsonObject(value)) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    present.map(([name, field]) => [name.charAt(0).toLowerCase() + name.slice(1), withSmallNames(field)]),
  );
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

/** The objects of a list. Empty for what a client wrote that is none. */
function listIn(text: string | undefined): JsonObject[] {
  const list = parsed(text);
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Undefined for what a client wrote that is no JSON. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

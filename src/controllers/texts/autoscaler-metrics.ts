import { selectorInGo } from './autoscaler.ts';
import type { AutoscalingV2MetricIdentifier } from '../../api/index.ts';

// Why an autoscaler has no value of a metric. Source: pkg/controller/podautoscaler/horizontal.go,
// replica_calculator.go, metrics/client.go. `error` is the text of the event and of the condition; `inSync` is the one
// in the error of the whole sync.

export interface MetricFailure {
  readonly reason: string;
  readonly error: string;
  readonly inSync: string;
}

/** The metric APIs, as errors name them. */
export type MetricsApi = 'resource' | 'custom' | 'external';

export const NO_SAMPLES = 'did not receive metrics for targeted pods (pods might be unready)';
export const NO_PODS = 'no pods returned by selector while calculating replica count';
export const NO_READY_COUNT: string = `unable to calculate ready pods: ${NO_PODS}`;
export const NO_MATCHES = 'no metrics returned matched known pods';

export const missingRequest = (resource: string, container: string, pod: string): string =>
  `missing request for ${resource} in container ${container} of Pod ${pod}`;

export const missingPodRequest = (resource: string, pod: string): string =>
  `missing pod-level request for ${resource} in Pod ${pod}`;

export const noneReturned = (api: MetricsApi): string => `no metrics returned from ${api} metrics API`;

export const notFetched = (api: MetricsApi, error: string): string =>
  `unable to fetch metrics from ${api} metrics API: ${error}`;

export const noUsage = (resource: string, error: string): string =>
  `unable to get metrics for resource ${resource}: ${error}`;

export const noMetric = (metric: string, error: string): string => `unable to get metric ${metric}: ${error}`;

/** The order of the words is the one of Kubernetes. */
export const noObjectMetric = (
  metric: string,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  error: string,
): string => `unable to get metric ${metric}: ${kind} on ${namespace} ${name}/${error}`;

export const noExternalMetric = (
  namespace: string,
  { name, selector }: AutoscalingV2MetricIdentifier,
  error: string,
): string => `unable to get external metric ${namespace}/${name}/${selectorInGo(selector)}: ${error}`;

/** @param container undefined: the metric of whole Pods */
export function failedResource(
  { name, container, isAverage }: { readonly name: string; readonly container?: string; readonly isAverage: boolean },
  why: string,
): MetricFailure {
  const error = `failed to get ${name} ${isAverage ? 'usage' : 'utilization'}: ${why}`;
  const isOfPod = container === undefined;
  return {
    reason: isOfPod ? 'FailedGetResourceMetric' : 'FailedGetContainerResourceMetric',
    error,
    inSync: `failed to get ${isOfPod ? `${name} resource` : `${container} container`} metric value: ${error}`,
  };
}

export const failedPods = (error: string): MetricFailure => ({
  reason: 'FailedGetPodsMetric',
  error,
  inSync: `failed to get pods metric value: ${error}`,
});

/** @param isShare true: the target is an average of the replicas */
export const failedObject = (metric: string, isShare: boolean, error: string): MetricFailure => ({
  reason: 'FailedGetObjectMetric',
  error,
  inSync: `failed to get object metric value: ${isShare ? `failed to get ${metric} object metric: ${error}` : error}`,
});

/** @param isShare true: the target is an average of the replicas */
export function failedExternal(metric: string, isShare: boolean, error: string): MetricFailure {
  const which = isShare ? `${metric} external metric` : `external metric ${metric}`;
  const inSync = `failed to get ${metric} external metric value: failed to get ${which}: ${error}`;
  return { reason: 'FailedGetExternalMetric', error, inSync };
}

export function unknownSource(type: string): MetricFailure {
  const error = `unknown metric source type "${type}"`;
  return { reason: 'InvalidMetricSourceType', error, inSync: error };
}

/** @param first the error of the first metric without a value */
export const invalidMetrics = (invalid: number, all: number, first: string): string =>
  `invalid metrics (${invalid} invalid out of ${all}), first error is: ${first}`;

export const nameOfResource = (name: string, isAverage: boolean, isOfContainer: boolean): string =>
  isAverage
    ? `${name} resource`
    : `${name}${isOfContainer ? ' container' : ''} resource utilization (percentage of request)`;

export const nameOfPods = (metric: string): string => `pods metric ${metric}`;

export const nameOfObject = (kind: string, metric: string): string => `${kind} metric ${metric}`;

export const nameOfExternal = ({ name, selector }: AutoscalingV2MetricIdentifier): string =>
  `external metric ${name}(${selectorInGo(selector)})`;

// The errors of the APIs of other metrics where no adapter serves them, and the mistakes of a target. Source:
// staging/src/k8s.io/metrics/pkg/client/custom_metrics/discovery.go, apimachinery/pkg/api/errors, api/meta/errors.go.

export const NO_CUSTOM_API = 'no custom metrics API (custom.metrics.k8s.io) registered';

export const noExternalApi = (metric: string): string =>
  `the server could not find the requested resource (get ${metric}.external.metrics.k8s.io)`;

export const NO_SCALE = 'the server could not find the requested resource';

export const noMatchForKind = (kind: string, group: string): string =>
  `no matches for kind "${kind}" in group "${group}"`;

/** @param resource `deployments.apps` */
export const notStored = (resource: string, name: string): string => `${resource} "${name}" not found`;

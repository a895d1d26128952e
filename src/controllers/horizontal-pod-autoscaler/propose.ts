import {
  type AutoscalingV2HorizontalPodAutoscalerSpec,
  type AutoscalingV2MetricSpec,
  type AutoscalingV2MetricStatus,
  type AutoscalingV2MetricTarget,
  type AutoscalingV2MetricValueStatus,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
} from '../../api/index.ts';
import {
  failedExternal,
  failedObject,
  failedPods,
  failedResource,
  type MetricFailure,
  nameOfExternal,
  nameOfObject,
  nameOfPods,
  nameOfResource,
  noExternalMetric,
  noMetric,
  noneReturned,
  noObjectMetric,
  notFetched,
  noUsage,
  unknownSource,
} from '../texts/autoscaler-metrics.ts';
import { byAverage, byShare, byUtilization, byValue, type Proposal, type ScaledPods } from './calculate.ts';
import { type MetricAnswer, type MetricsReader, type PodValue, TOLERANCE, type UsageSample } from './model.ts';

/**
 * The replicas that one metric asks for, or why it asks for none. Source: pkg/controller/podautoscaler/horizontal.go
 * computeReplicasForMetric.
 */
export type MetricProposal =
  | { readonly replicas: number; readonly name: string; readonly status: AutoscalingV2MetricStatus }
  | MetricFailure;

/** Reads metrics for one sync of an autoscaler. */
export interface MetricsInput extends ScaledPods {
  readonly namespace: string;
  readonly metrics: MetricsReader;
}

export function tolerancesOf({ behavior }: AutoscalingV2HorizontalPodAutoscalerSpec): ScaledPods['tolerance'] {
  const own = (text: string | undefined): number =>
    text === undefined ? TOLERANCE : Number(parseQuantity(text).nano) / 1e9;
  return { up: own(behavior?.scaleUp?.tolerance), down: own(behavior?.scaleDown?.tolerance) };
}

export function propose(metric: AutoscalingV2MetricSpec, input: MetricsInput): MetricProposal {
  if (metric.resource !== undefined) return proposeResource(metric.resource, undefined, input);
  if (metric.containerResource !== undefined)
    return proposeResource(metric.containerResource, metric.containerResource.container, input);
  if (metric.pods !== undefined) return proposePods(metric.pods, input);
  if (metric.object !== undefined) return proposeObject(metric.object, input);
  if (metric.external !== undefined) return proposeExternal(metric.external, input);
  return unknownSource(metric.type);
}

type SourceOf<Field extends keyof AutoscalingV2MetricSpec> = NonNullable<AutoscalingV2MetricSpec[Field]>;

/** Source: computeStatusForResourceMetricGeneric. */
function proposeResource(
  { name, target }: SourceOf<'resource'>,
  container: string | undefined,
  input: MetricsInput,
): MetricProposal {
  const isAverage = target.averageValue !== undefined;
  const proposal = resourceProposal({ name, container, target }, input);
  if ('error' in proposal)
    return failedResource({ name, isAverage, ...(container !== undefined && { container }) }, proposal.error);
  const { replicas, value, percent } = proposal.value;
  const averageValue = quantity(value, name === 'memory' ? 'binary' : 'decimal');
  const current = { averageValue, ...(percent !== undefined && { averageUtilization: percent }) };
  const status: AutoscalingV2MetricStatus =
    container === undefined
      ? { type: 'Resource', resource: { name, current } }
      : { type: 'ContainerResource', containerResource: { name, current, container } };
  return { replicas, name: nameOfResource(name, isAverage, container !== undefined), status };
}

function resourceProposal(
  { name, container, target }: { name: string; container: string | undefined; target: AutoscalingV2MetricTarget },
  input: MetricsInput,
): MetricAnswer<Proposal> {
  const usage = input.metrics.usage(input.pods);
  if ('error' in usage) return { error: noUsage(name, notFetched('resource', usage.error)) };
  if (usage.value.length === 0) return { error: noUsage(name, noneReturned('resource')) };
  const values = usage.value.flatMap((sample) => valueOf(sample, name, container) ?? []);
  const { averageValue, averageUtilization: percent = 0 } = target;
  if (averageValue !== undefined) return byAverage(input, values, name, milli(averageValue));
  return byUtilization(input, values, { resource: name, container, percent });
}

/** The use of a resource by all containers of a Pod, or by one. Undefined: one of them has no value. */
function valueOf({ containers, ...sample }: UsageSample, name: string, container?: string): PodValue | undefined {
  const counted = containers.filter((each) => container === undefined || each.name === container);
  const values = counted.map(({ usage }) => usage[name]);
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return { ...sample, value: values.reduce<bigint>((sum, value = 0n) => sum + value, 0n) };
}

function proposePods({ metric, target }: SourceOf<'pods'>, input: MetricsInput): MetricProposal {
  const values = notEmpty(input.metrics.ofPods(metric), 'custom');
  const proposal =
    'error' in values
      ? { error: noMetric(metric.name, values.error) }
      : byAverage(input, values.value, '', milli(target.averageValue));
  if ('error' in proposal) return failedPods(proposal.error);
  const { replicas, value } = proposal.value;
  const status = { type: 'Pods', pods: { metric, current: { averageValue: quantity(value) } } };
  return { replicas, name: nameOfPods(metric.name), status };
}

function proposeObject({ metric, target, describedObject }: SourceOf<'object'>, input: MetricsInput): MetricProposal {
  const { kind, name } = describedObject;
  const answer = input.metrics.ofObject(metric, describedObject);
  const isShare = target.averageValue !== undefined;
  const object = { kind, namespace: input.namespace, name };
  const proposal =
    'error' in answer
      ? { error: noObjectMetric(metric.name, object, notFetched('custom', answer.error)) }
      : ofWhole(target, answer.value, input);
  if ('error' in proposal) return failedObject(metric.name, isShare, proposal.error);
  const { replicas, value } = proposal.value;
  const status = { type: 'Object', object: { metric, current: wholeStatus(isShare, value), describedObject } };
  return { replicas, name: isShare ? nameOfExternal(metric) : nameOfObject(kind, metric.name), status };
}

function proposeExternal({ metric, target }: SourceOf<'external'>, input: MetricsInput): MetricProposal {
  const values = notEmpty(input.metrics.external(metric), 'external');
  const isShare = target.averageValue !== undefined;
  const sum = 'error' in values ? 0n : values.value.reduce((total, value) => total + value, 0n);
  const proposal =
    'error' in values
      ? { error: noExternalMetric(input.namespace, metric, values.error) }
      : ofWhole(target, sum, input);
  if ('error' in proposal) return failedExternal(metric.name, isShare, proposal.error);
  const { replicas, value } = proposal.value;
  const status = { type: 'External', external: { metric, current: wholeStatus(isShare, value) } };
  return { replicas, name: nameOfExternal(metric), status };
}

/** The proposal for a value of all replicas together. The average wins where both targets are set. */
function ofWhole(
  { value: wanted, averageValue }: AutoscalingV2MetricTarget,
  value: bigint,
  input: ScaledPods,
): MetricAnswer<Proposal> {
  if (averageValue !== undefined) return { value: byShare(input, value, milli(averageValue)) };
  return byValue(input, value, milli(wanted));
}

function wholeStatus(isShare: boolean, value: bigint): AutoscalingV2MetricValueStatus {
  return isShare ? { averageValue: quantity(value) } : { value: quantity(value) };
}

/** An empty list is an error. Source: pkg/controller/podautoscaler/metrics/client.go. */
function notEmpty<T>(answer: MetricAnswer<readonly T[]>, api: 'custom' | 'external'): MetricAnswer<readonly T[]> {
  if ('error' in answer) return { error: notFetched(api, answer.error) };
  return answer.value.length > 0 ? answer : { error: noneReturned(api) };
}

const milli = (text: string | undefined): bigint => quantityMilliValue(parseQuantity(text ?? '0'));

const quantity = (value: bigint, format: 'binary' | 'decimal' = 'decimal'): string =>
  formatQuantity({ nano: value * 1_000_000n, format });

import {
  type AutoscalingV2CrossVersionObjectReference,
  type AutoscalingV2HorizontalPodAutoscaler,
  type AutoscalingV2HPAScalingRules,
  type AutoscalingV2MetricIdentifier,
  type AutoscalingV2MetricSpec,
  type AutoscalingV2MetricTarget,
  formatQuantity,
  parseQuantity,
  pathSegmentMessages,
} from '../../api/index.ts';
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import type { Decoded } from '../base/decoded.ts';
import { each, oneOfIfSet, requiredWellFormed, validateNotNegativeQuantity } from './checks.ts';

/** Source of all rules here: pkg/apis/autoscaling/validation/validation.go. */

const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
const TARGET_TYPES: ReadonlySet<string> = new Set(['Utilization', 'Value', 'AverageValue']);
const PERIOD_MAX_SECONDS = 1800;
const WINDOW_MAX_SECONDS = 3600;

type Metric = Decoded<AutoscalingV2MetricSpec>;
type Target = Decoded<AutoscalingV2MetricTarget>;

/** The fields of metrics with their sources, in the order in which the server looks at them, by the type. */
const SOURCES = {
  Object: 'object',
  External: 'external',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
} as const;

/** A HorizontalPodAutoscaler, in the form of v2. */
export function validateAutoscaler({ spec = {} }: Decoded<AutoscalingV2HorizontalPodAutoscaler>): FieldError[] {
  const { minReplicas: min, maxReplicas: max = 0, scaleTargetRef = {}, metrics, behavior } = spec;
  return [
    ...(min !== undefined && min < 1 ? [invalid('spec.minReplicas', min, 'must be greater than or equal to 1')] : []),
    ...validateMost(max),
    ...(min !== undefined && max < min
      ? [invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...validateReference('spec.scaleTargetRef', scaleTargetRef),
    ...validateGroup('spec.scaleTargetRef', scaleTargetRef),
    ...each('spec.metrics', metrics, validateMetric),
    ...(min === 0 && !metrics?.some(({ type }) => type === 'Object' || type === 'External')
      ? [
          forbidden(
            'spec.metrics',
            'must specify at least one Object or External metric to support scaling to zero replicas',
          ),
        ]
      : []),
    ...validateScaling('spec.behavior.scaleUp', behavior?.scaleUp),
    ...validateScaling('spec.behavior.scaleDown', behavior?.scaleDown),
  ];
}

function validateMost(max: number): FieldError[] {
  if (max === 0) return [required('spec.maxReplicas', 'must be set and greater than 0')];
  return max < 0 ? [invalid('spec.maxReplicas', max, 'must be greater than or equal to 1')] : [];
}

function validateReference(
  at: string,
  { kind, name }: Decoded<AutoscalingV2CrossVersionObjectReference>,
): FieldError[] {
  return [
    ...requiredWellFormed(child(at, 'kind'), kind, pathSegmentMessages),
    ...requiredWellFormed(child(at, 'name'), name, pathSegmentMessages),
  ];
}

/** The group and the kind name a target: only the kinds without a group may have none. */
function validateGroup(
  at: string,
  { apiVersion = '', kind }: Decoded<AutoscalingV2CrossVersionObjectReference>,
): FieldError[] {
  const place = child(at, 'apiVersion');
  if (apiVersion.split('/').length > 2)
    return [invalid(place, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  if (/^.+\//.test(apiVersion) || kind === 'ReplicationController') return [];
  return [invalid(place, apiVersion, 'apiVersion must specify API group')];
}

function validateMetric(metric: Metric, at: string): FieldError[] {
  const { type = '' } = metric;
  const place = child(at, 'type');
  const present = Object.values(SOURCES).filter((source) => metric[source] !== undefined);
  const [first] = present;
  const wanted = Object.hasOwn(SOURCES, type) ? SOURCES[type as keyof typeof SOURCES] : undefined;
  const others = present.filter((source) => source !== wanted);
  // The type is checked twice: by the list of its values, and by the fields that it names.
  const unknown = wanted === undefined ? [notSupported(place, type, Object.keys(SOURCES).sort())] : [];
  return [
    ...(type === '' ? [required(place, 'must specify a metric source type')] : []),
    ...unknown,
    ...(first === undefined ? [] : validateSource(first, metric, child(at, first))),
    ...unknown,
    ...(wanted !== undefined && metric[wanted] === undefined
      ? [required(child(at, wanted), 'must populate information for the given metric source')]
      : []),
    ...(present.length === 1
      ? []
      : others.map((source) => forbidden(child(at, source), 'must populate the given metric source only'))),
  ];
}

function validateSource(source: (typeof SOURCES)[keyof typeof SOURCES], metric: Metric, at: string): FieldError[] {
  const { target = {} } = metric[source] ?? {};
  const checked = validateTarget(child(at, 'target'), target);
  const place = child(at, 'target');
  if (source === 'object') {
    return [
      ...validateReference(child(at, 'describedObject'), metric.object?.describedObject ?? {}),
      ...validateIdentifier(child(at, 'metric'), metric.object?.metric ?? {}),
      ...checked,
      ...requiredValue(place, target, 'must set either a target value or averageValue'),
    ];
  }
  if (source === 'external') {
    const isBoth = target.value !== undefined && target.averageValue !== undefined;
    return [
      ...validateIdentifier(child(at, 'metric'), metric.external?.metric ?? {}),
      ...checked,
      ...requiredValue(place, target, 'must set either a target value for metric or a per-pod target'),
      ...(isBoth
        ? [forbidden(child(place, 'value'), 'may not set both a target value for metric and a per-pod target')]
        : []),
    ];
  }
  if (source === 'pods') {
    return [
      ...validateIdentifier(child(at, 'metric'), metric.pods?.metric ?? {}),
      ...checked,
      ...(isPositive(target.averageValue)
        ? []
        : [required(child(place, 'averageValue'), 'must specify a positive target averageValue')]),
    ];
  }
  return [
    ...named(at, 'name', 'must specify a resource name', metric[source]?.name),
    ...(source === 'resource' ? [] : named(at, 'container', 'must specify a container', metric[source]?.container)),
    ...checked,
    ...requiredUse(place, target),
  ];
}

const named = (at: string, field: string, why: string, name: string | undefined): FieldError[] =>
  name ? [] : [required(child(at, field), why)];

function validateIdentifier(at: string, { name }: Decoded<AutoscalingV2MetricIdentifier>): FieldError[] {
  const place = child(at, 'name');
  if (!name) return [required(place, 'must specify a metric name')];
  return requiredWellFormed(place, name, pathSegmentMessages);
}

function validateTarget(at: string, { type = '', value, averageValue, averageUtilization: use }: Target): FieldError[] {
  return [
    ...(type === '' ? [required(child(at, 'type'), 'must specify a metric target type')] : []),
    ...(TARGET_TYPES.has(type)
      ? []
      : [invalid(child(at, 'type'), type, 'must be either Utilization, Value, or AverageValue')]),
    ...positive(child(at, 'value'), value),
    ...positive(child(at, 'averageValue'), averageValue),
    ...(use !== undefined && use < 1 ? [invalid(child(at, 'averageUtilization'), use, 'must be greater than 0')] : []),
  ];
}

const isPositive = (quantity: string | undefined): boolean =>
  quantity !== undefined && parseQuantity(quantity).nano > 0n;

function positive(path: string, quantity: string | undefined): FieldError[] {
  if (quantity === undefined || isPositive(quantity)) return [];
  return [invalid(path, formatQuantity(parseQuantity(quantity)), 'must be positive')];
}

function requiredValue(at: string, { value, averageValue }: Target, why: string): FieldError[] {
  if (value !== undefined || averageValue !== undefined) return [];
  return [required(child(at, 'averageValue'), why)];
}

function requiredUse(at: string, { averageUtilization, averageValue }: Target): FieldError[] {
  if (averageUtilization === undefined && averageValue === undefined)
    return [required(child(at, 'averageUtilization'), 'must set either a target raw value or a target utilization')];
  if (averageUtilization === undefined || averageValue === undefined) return [];
  return [forbidden(child(at, 'averageValue'), 'may not set both a target raw value and a target utilization')];
}

function validateScaling(at: string, rules: Decoded<AutoscalingV2HPAScalingRules> | undefined): FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: seconds = 0, selectPolicy, policies, tolerance } = rules;
  const path = child(at, 'stabilizationWindowSeconds');
  return [
    ...(seconds < 0 ? [invalid(path, seconds, 'must be greater than or equal to zero')] : []),
    ...(seconds > WINDOW_MAX_SECONDS
      ? [invalid(path, seconds, `must be less than or equal to ${WINDOW_MAX_SECONDS}`)]
      : []),
    ...oneOfIfSet(child(at, 'selectPolicy'), selectPolicy, SELECT_POLICIES),
    // Absent policies get defaults; an empty list stays empty.
    ...(policies?.length === 0 ? [required(child(at, 'policies'), 'must specify at least one Policy')] : []),
    ...each(child(at, 'policies'), policies, ({ type = '', value = 0, periodSeconds = 0 }, place) => [
      ...(POLICY_TYPES.includes(type) ? [] : [notSupported(child(place, 'type'), type, POLICY_TYPES)]),
      ...aboveZero(child(place, 'value'), value),
      ...aboveZero(child(place, 'periodSeconds'), periodSeconds),
      ...(periodSeconds > PERIOD_MAX_SECONDS
        ? [invalid(child(place, 'periodSeconds'), periodSeconds, `must be less than or equal to ${PERIOD_MAX_SECONDS}`)]
        : []),
    ]),
    ...validateNotNegativeQuantity(child(at, 'tolerance'), tolerance),
  ];
}

function aboveZero(path: string, value: number): FieldError[] {
  return value > 0 ? [] : [invalid(path, value, 'must be greater than zero')];
}

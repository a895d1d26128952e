import type { Fields } from './objects.ts';
import { table } from './kind-table.ts';

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const VALUE = { type: 'Value' };
const NO_MOST = 'spec.maxReplicas: Required value: must be set and greater than 0';
const LESS_THAN_LEAST = 'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`';
const UNKNOWN_TYPE =
  'spec.metrics[0].type: Unsupported value: "Foo": supported values: ' +
  '"ContainerResource", "External", "Object", "Pods", "Resource"';
const cpu = (of: Fields): Fields => ({ metrics: [{ type: 'Resource', resource: { name: 'cpu', target: of } }] });

table('autoscaling/v2', 'HorizontalPodAutoscaler', { maxReplicas: 3, scaleTargetRef: target }, [
  {
    why: 'asks for fewer at most than at least',
    spec: { minReplicas: 5 },
    want: ['spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`'],
  },
  {
    why: 'scales to zero by nothing',
    spec: { minReplicas: 0 },
    want: [
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero ' +
        'replicas',
    ],
  },
  {
    why: 'names no kind and no group',
    spec: { scaleTargetRef: { name: 'x' } },
    want: [
      'spec.scaleTargetRef.kind: Required value',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ],
  },
  {
    why: 'names a group that cannot be read',
    spec: { scaleTargetRef: { ...target, apiVersion: 'a/b/c' } },
    want: ['spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
  },
  {
    why: 'scales a kind that has no group',
    spec: { scaleTargetRef: { apiVersion: 'v1', kind: 'ReplicationController', name: 'web' } },
    want: [],
  },
  { why: 'has no upper bound', spec: { maxReplicas: 0 }, want: [NO_MOST, LESS_THAN_LEAST] },
  {
    why: 'has a negative upper bound',
    spec: { maxReplicas: -1 },
    want: [
      'spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1',
      'spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`',
    ],
  },
  {
    why: 'has a metric without its source',
    spec: { metrics: [{ type: 'Resource' }] },
    want: ['spec.metrics[0].resource: Required value: must populate information for the given metric source'],
  },
  {
    why: 'has a metric of an unknown type',
    spec: { metrics: [{ type: 'Foo' }] },
    want: [UNKNOWN_TYPE, UNKNOWN_TYPE],
  },
  {
    why: 'has metrics of other API servers without names and targets',
    spec: {
      metrics: [
        { type: 'Object', object: { describedObject: { kind: 'Service', name: 'web' }, metric: {}, target: VALUE } },
        { type: 'External', external: { metric: { name: 'a/b' }, target: VALUE } },
      ],
    },
    want: [
      'spec.metrics[0].object.metric.name: Required value: must specify a metric name',
      'spec.metrics[0].object.target.averageValue: Required value: must set either a target value or averageValue',
      `spec.metrics[1].external.metric.name: Invalid value: "a/b": may not contain '/'`,
      'spec.metrics[1].external.target.averageValue: Required value: ' +
        'must set either a target value for metric or a per-pod target',
    ],
  },
  { why: 'has a share of the processor', spec: cpu({ type: 'Utilization', averageUtilization: 50 }), want: [] },
  {
    why: 'has a target of an unknown type',
    spec: cpu({ type: 'Foo' }),
    want: [
      'spec.metrics[0].resource.target.type: Invalid value: "Foo": must be either Utilization, Value, or AverageValue',
      'spec.metrics[0].resource.target.averageUtilization: Required value: ' +
        'must set either a target raw value or a target utilization',
    ],
  },
  {
    why: 'has metrics of two sources',
    spec: {
      metrics: [
        {
          type: 'Pods',
          pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '0' } },
          resource: { name: 'cpu', target: {} },
        },
      ],
    },
    want: [
      'spec.metrics[0].pods.target.averageValue: Invalid value: "0": must be positive',
      'spec.metrics[0].pods.target.averageValue: Required value: must specify a positive target averageValue',
      'spec.metrics[0].resource: Forbidden: must populate the given metric source only',
    ],
  },
  {
    why: 'scales by wrong policies',
    spec: {
      behavior: {
        scaleUp: { selectPolicy: 'Foo', policies: [{ type: 'Pods', value: 1, periodSeconds: 0 }] },
        scaleDown: { stabilizationWindowSeconds: 3601, policies: [] },
      },
    },
    want: [
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Foo": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
      'spec.behavior.scaleDown.policies: Required value: must specify at least one Policy',
    ],
  },
]);

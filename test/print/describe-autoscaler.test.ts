import { expect, it } from 'vitest';
import type { StoredKubeObject } from '../../src/api/index.ts';
import { describeObject } from '../../src/print/index.ts';

const target = (averageUtilization: number): object => ({ type: 'Utilization', averageUtilization });
const average = (averageValue: string): object => ({ type: 'AverageValue', averageValue });

/** An autoscaler with a metric of each kind, as kubectl shows it. */
const AUTOSCALER = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'default', uid: 'u', creationTimestamp: '2026-11-28T07:31:28.000000Z' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 2,
    maxReplicas: 10,
    metrics: [
      { type: 'Resource', resource: { name: 'cpu', target: target(50) } },
      { type: 'Resource', resource: { name: 'memory', target: average('100Mi') } },
      { type: 'Pods', pods: { metric: { name: 'rps' }, target: average('10') } },
      {
        type: 'Object',
        object: {
          describedObject: { kind: 'Ingress', name: 'main' },
          metric: { name: 'hits' },
          target: { type: 'Value', value: '2k' },
        },
      },
      { type: 'External', external: { metric: { name: 'queue' }, target: average('30') } },
      { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'app', target: target(60) } },
    ],
    behavior: {
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [
          { type: 'Pods', value: 4, periodSeconds: 15 },
          { type: 'Percent', value: 100, periodSeconds: 15 },
        ],
      },
      scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
    },
  },
  status: {
    currentReplicas: 2,
    desiredReplicas: 3,
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 62, averageValue: '62m' } } },
    ],
    conditions: [{ type: 'AbleToScale', status: 'True', reason: 'ReadyForNewScale', message: 'ready' }],
  },
} as unknown as StoredKubeObject;

it('an autoscaler is described as by kubectl', () => {
  const text = describeObject(AUTOSCALER, { events: undefined, list: () => [], nowMs: 0 });
  const lines = text.split('\n').map((line) => line.trimEnd());
  expect(lines).toEqual([
    'Name:                                                                     web',
    'Namespace:                                                                default',
    'Labels:                                                                   <none>',
    'Annotations:                                                              <none>',
    'CreationTimestamp:                                                        Sat, 28 Nov 2026 07:31:28 +0000',
    'Reference:                                                                Deployment/web',
    'Metrics:                                                                  ( current / target )',
    '  resource cpu on pods  (as a percentage of request):                     62% (62m) / 50%',
    '  resource memory on pods:                                                <unknown> / 100Mi',
    '  "rps" on pods:                                                          <unknown> / 10',
    '  "hits" on Ingress/main (target value):                                  <unknown> / 2k',
    '  "queue" (target average value):                                         <unknown> / 30',
    '  resource cpu of container "app" on pods  (as a percentage of request):  <unknown> / 60%',
    'Min replicas:                                                             2',
    'Max replicas:                                                             10',
    'Behavior:',
    '  Scale Up:',
    '    Stabilization Window: 0 seconds',
    '    Select Policy: Max',
    '    Policies:',
    '      - Type: Pods     Value: 4    Period: 15 seconds',
    '      - Type: Percent  Value: 100  Period: 15 seconds',
    '  Scale Down:',
    '    Select Policy: Max',
    '    Policies:',
    '      - Type: Percent  Value: 100  Period: 15 seconds',
    'Deployment pods:       2 current / 3 desired',
    'Conditions:',
    '  Type         Status  Reason            Message',
    '  ----         ------  ------            -------',
    '  AbleToScale  True    ReadyForNewScale  ready',
    '',
  ]);
});

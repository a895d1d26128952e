import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/index.ts';
import { autoscalerInV1, autoscalerInV2 } from '../../src/manifest/convert/autoscaler.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io/';
const TIME = '2026-11-29T10:00:00Z';

const METRICS = [
  { type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '10' } } },
  {
    type: 'Object',
    object: {
      describedObject: { kind: 'Service', name: 'web' },
      metric: { name: 'wait', selector: { matchLabels: { a: 'b' } } },
      target: { type: 'AverageValue', averageValue: '250m' },
    },
  },
  { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'Value', value: '30' } } },
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
];

const BEHAVIOR = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }],
    tolerance: '50m',
  },
};

const STATUS = {
  currentReplicas: 2,
  desiredReplicas: 3,
  currentMetrics: [
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 75, averageValue: '75m' } } },
  ],
  conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: TIME, reason: 'R', message: 'a < b' }],
};

const AUTOSCALER = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', annotations: { own: 'text' } },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 4, metrics: METRICS, behavior: BEHAVIOR },
  status: STATUS,
} as KubeObject;

describe('an autoscaler in v1', () => {
  it('has what v1 has no fields for in the annotations of a real API server', () => {
    const old = autoscalerInV1(AUTOSCALER);
    expect(old).toMatchObject({
      apiVersion: 'autoscaling/v1',
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 4, targetCPUUtilizationPercentage: 50 },
      status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 75 },
    });
    expect(old.metadata.annotations).toEqual({
      own: 'text',
      [`${PREFIX}metrics`]:
        '[{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"10"}},' +
        '{"type":"Object","object":{"target":{"kind":"Service","name":"web"},"metricName":"wait","targetValue":"0",' +
        '"selector":{"matchLabels":{"a":"b"}},"averageValue":"250m"}},' +
        '{"type":"External","external":{"metricName":"queue","targetValue":"30"}}]',
      [`${PREFIX}current-metrics`]:
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":75,"currentAverageValue":"75m"}}]',
      [`${PREFIX}conditions`]:
        `[{"type":"AbleToScale","status":"True","lastTransitionTime":"${TIME}","reason":"R",` +
        String.raw`"message":"a \u003c b"}]`,
      [`${PREFIX}behavior`]:
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max",' +
        '"Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":"50m"},"ScaleDown":null}',
    });
  });

  it('is the same again in v2, without these annotations', () => {
    expect(autoscalerInV2(autoscalerInV1(AUTOSCALER))).toEqual(AUTOSCALER);
  });

  it('has nothing of annotations that are no JSON', () => {
    const annotations = { [`${PREFIX}metrics`]: '{', [`${PREFIX}behavior`]: '7', [`${PREFIX}conditions`]: 'null' };
    const spec = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 4 };
    const old = {
      ...AUTOSCALER,
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', annotations },
      spec,
    } as KubeObject;
    expect(autoscalerInV2(old)).toMatchObject({ metadata: { name: 'web' }, spec });
  });
});

import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/api/base/json.ts';
import { rolloutAnswer } from '../../src/controllers/index.ts';

const seen = (status: JsonObject): JsonObject => ({ observedGeneration: 2, ...status });
const workload = (kind: string, spec: JsonObject, status: JsonObject) =>
  rolloutAnswer({ apiVersion: 'apps/v1', kind, metadata: { name: 'x', generation: 2 }, spec, status });
const deployment = (status: JsonObject) => workload('Deployment', { replicas: 3 }, status);
const daemonSet = (status: JsonObject, type = 'RollingUpdate') =>
  workload('DaemonSet', { updateStrategy: { type } }, status);
const statefulSet = (status: JsonObject, rollingUpdate: JsonObject = { partition: 0 }) =>
  workload('StatefulSet', { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate } }, status);

const timedOut = { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] };
const noStrategy = 'rollout status is only available for RollingUpdate strategy type';
const waitingForX = 'Waiting for deployment "x" rollout to finish:';
const waitingForSet = 'Waiting for daemon set "x" rollout to finish:';

it.each([
  [deployment({ observedGeneration: 1 }), 'going', 'Waiting for deployment spec update to be observed...'],
  [deployment(seen(timedOut)), 'failed', 'deployment "x" exceeded its progress deadline'],
  [
    deployment(seen({ updatedReplicas: 1, replicas: 4 })),
    'going',
    `${waitingForX} 1 out of 3 new replicas have been updated...`,
  ],
  [
    deployment(seen({ updatedReplicas: 3, replicas: 4 })),
    'going',
    `${waitingForX} 1 old replicas are pending termination...`,
  ],
  [
    deployment(seen({ updatedReplicas: 3, replicas: 3, availableReplicas: 2 })),
    'going',
    `${waitingForX} 2 of 3 updated replicas are available...`,
  ],
  [
    deployment(seen({ updatedReplicas: 3, replicas: 3, availableReplicas: 3 })),
    'done',
    'deployment "x" successfully rolled out',
  ],
  [daemonSet({}, 'OnDelete'), 'failed', noStrategy],
  [daemonSet({ observedGeneration: 1 }), 'going', 'Waiting for daemon set spec update to be observed...'],
  [
    daemonSet(seen({ desiredNumberScheduled: 1 })),
    'going',
    `${waitingForSet} 0 out of 1 new pods have been updated...`,
  ],
  [
    daemonSet(seen({ desiredNumberScheduled: 1, updatedNumberScheduled: 1 })),
    'going',
    `${waitingForSet} 0 of 1 updated pods are available...`,
  ],
  [
    daemonSet(seen({ desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1 })),
    'done',
    'daemon set "x" successfully rolled out',
  ],
  [statefulSet({}), 'going', 'Waiting for statefulset spec update to be observed...'],
  [statefulSet(seen({ readyReplicas: 1 })), 'going', 'Waiting for 2 pods to be ready...'],
  [
    statefulSet(seen({ readyReplicas: 3, updatedReplicas: 1 }), { partition: 1 }),
    'going',
    'Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...',
  ],
  [
    statefulSet(seen({ readyReplicas: 3, updatedReplicas: 2 }), { partition: 1 }),
    'done',
    'partitioned roll out complete: 2 new pods have been updated...',
  ],
] as const)('$0.text', (status, state, text) => {
  expect(status).toEqual({ state, text });
});

it('is unknown for a kind without rollouts', () => {
  expect(workload('Job', {}, {})).toBeUndefined();
});

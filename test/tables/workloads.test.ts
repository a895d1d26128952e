import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { formatTime } from '../../src/api/base/time.ts';
import { fencepostsOf, newReplicas } from '../../src/controllers/deployment/rollout-arithmetic.ts';
import { failureDelayMs, JOB_BACKOFF } from '../../src/controllers/job/failures.ts';
import type { StoredDeployment } from '../../src/controllers/base/reconcile.ts';
import { inOrderOfDeletion } from '../../src/controllers/base/scale-down.ts';
import { tableRows } from './table.ts';

interface FencepostRow {
  readonly id: string;
  readonly rule: 'fencepost';
  readonly replicas: number;
  readonly maxSurge: string;
  readonly maxUnavailable: string;
  readonly surge: number;
  readonly unavailable: number;
}

interface GrowRow {
  readonly id: string;
  readonly rule: 'grow';
  readonly replicas: number;
  readonly maxSurge: string;
  readonly old: number;
  readonly new: number;
  readonly newAfter: number;
}

interface ScaleDownRow {
  readonly id: string;
  readonly pods: ReadonlyArray<{
    readonly name: string;
    readonly phase: 'Pending' | 'Running';
    readonly scheduled: boolean;
    readonly ready: boolean;
    readonly deletionCost?: number;
    readonly restarts: number;
    readonly ageSeconds: number;
  }>;
  readonly deletedFirst: readonly string[];
}

const rollouts = tableRows<FencepostRow | GrowRow>('rollout');
const NOW_MS = Date.UTC(2026, 0, 15);

describe('rollout', () => {
  it.each(rollouts.filter((row) => row.rule === 'fencepost'))('$id', (row) => {
    const { replicas, maxSurge, maxUnavailable, surge, unavailable } = row;
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
    const deployment = { spec: { replicas, strategy } } as unknown as StoredDeployment;
    // No more can be missing than there are.
    expect(fencepostsOf(deployment)).toEqual({ surge, unavailable: Math.min(unavailable, replicas) });
  });

  it.each(rollouts.filter((row) => row.rule !== 'fencepost'))('$id', (row) => {
    const { replicas, maxSurge } = row;
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable: 0 } };
    const deployment = { spec: { replicas, strategy } } as unknown as StoredDeployment;
    expect(newReplicas(deployment, row.old + row.new, row.new)).toBe(row.newAfter);
  });
});

describe('job backoff', () => {
  it.each(tableRows<{ id: string; delaySeconds: number; failuresSinceLastSuccess: number }>('job-backoff'))(
    '$id',
    ({ delaySeconds, failuresSinceLastSuccess }) => {
      expect(failureDelayMs(failuresSinceLastSuccess, JOB_BACKOFF)).toBe(delaySeconds * 1000);
    },
  );
});

describe('scale down', () => {
  it.each(tableRows<ScaleDownRow>('scale-down'))('$id', ({ pods, deletedFirst }) => {
    expect(inOrderOfDeletion(pods.map(podOf), []).map(({ metadata }) => metadata.name)).toEqual(deletedFirst);
  });
});

function podOf({
  name,
  phase,
  scheduled,
  ready,
  deletionCost,
  restarts,
  ageSeconds,
}: ScaleDownRow['pods'][number]): StoredPod {
  const annotations =
    deletionCost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': String(deletionCost) };
  const creationTimestamp = formatTime(NOW_MS - ageSeconds * 1000);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp, annotations },
    spec: { containers: [{ name: 'main' }], ...(scheduled && { nodeName: 'node-1' }) },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: formatTime(NOW_MS) }],
      containerStatuses: [{ name: 'main', restartCount: restarts, image: '', imageID: '', ready }],
    },
  };
}

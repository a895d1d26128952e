import { describe, expect, it } from 'vitest';
import type { ContainerStatus } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { lostPodStatus } from '../../../src/lifecycle/status/lost-pod.ts';

const BEFORE = '2026-11-20T20:00:00.000000Z';
const NOW = { monotonicMs: 0, wallMs: Date.parse('2026-11-20T21:00:00Z') };
const NOW_TEXT = '2026-11-20T21:00:00.000000Z';
const LOST = { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } };

const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: BEFORE });
const container = (name: string, state: ContainerStatus['state'], ready = false): ContainerStatus => ({
  name,
  image: 'busybox',
  imageID: '',
  ready,
  restartCount: 0,
  ...(state === undefined ? {} : { state }),
});

const completed = container('setup', { terminated: { exitCode: 0, reason: 'Completed' } }, true);
const running = container('main', { running: { startedAt: BEFORE } }, true);

function pod(init: ContainerStatus[], regular: ContainerStatus[]): StoredPod {
  const spec = ({ name }: ContainerStatus) => ({ name, image: 'busybox' });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: BEFORE },
    spec: { nodeName: 'node-1', initContainers: init.map(spec), containers: regular.map(spec) },
    status: {
      phase: 'Running',
      podIP: '127.0.0.1',
      conditions: [condition('Initialized', 'True'), condition('Ready', 'True'), condition('ContainersReady', 'False')],
      initContainerStatuses: init,
      containerStatuses: regular,
    },
  };
}

describe('lostPodStatus()', () => {
  it('shows a failed Pod with lost containers', () => {
    const status = lostPodStatus(pod([completed], [running]), 42, NOW);
    expect(status).toMatchObject({
      phase: 'Failed',
      reason: 'NodeLost',
      message: expect.stringMatching(
        /^Node node-1 which was running pod web is unresponsive: podrun \(process 42\) was /,
      ),
      podIP: '127.0.0.1',
    });
    expect(status.initContainerStatuses).toEqual([completed]);
    expect(status.containerStatuses).toMatchObject([{ name: 'main', ready: false, started: false, state: LOST }]);
  });

  it('shows a running ephemeral container as lost, and keeps the states of ended ones', () => {
    const waiting = container('later', { waiting: { reason: 'ContainerCreating' } });
    const before = pod([], [running]);
    const ephemeralContainerStatuses = [{ ...running, name: 'debug', ready: false }, waiting];
    const status = lostPodStatus({ ...before, status: { ...before.status, ephemeralContainerStatuses } }, 42, NOW);
    expect(status.ephemeralContainerStatuses).toMatchObject([{ name: 'debug', ready: false, state: LOST }, waiting]);
    expect(status.ephemeralContainerStatuses?.[0]).not.toHaveProperty('started');
  });

  it('changes the times of changed conditions only', () => {
    const { conditions } = lostPodStatus(pod([], [running]), 42, NOW);
    const failed = { status: 'False', reason: 'PodFailed' };
    expect(conditions).toMatchObject([
      { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' },
      { type: 'Initialized', status: 'True', lastTransitionTime: BEFORE },
      { type: 'Ready', ...failed, lastTransitionTime: NOW_TEXT },
      { type: 'ContainersReady', ...failed, lastTransitionTime: BEFORE },
    ]);
  });

  it('keeps how containers ended that were seen to end', () => {
    const crashed = container('main', { terminated: { exitCode: 3, reason: 'Error' } });
    expect(lostPodStatus(pod([], [crashed]), 42, NOW).containerStatuses?.[0]?.state).toEqual(crashed.state);
  });

  it('leaves containers waiting whose turn never came', () => {
    const init = container('setup', { running: { startedAt: BEFORE } });
    const waiting = container('main', { waiting: { reason: 'PodInitializing' } });
    const status = lostPodStatus(pod([init], [waiting]), 42, NOW);
    expect(status.initContainerStatuses?.[0]?.state).toMatchObject(LOST);
    expect(status.containerStatuses?.[0]?.state).toEqual(waiting.state);
  });

  it('does not change the Pod it was given', () => {
    const given = pod([completed], [running]);
    const copy = structuredClone(given);
    lostPodStatus(given, 42, NOW);
    expect(given).toEqual(copy);
  });
});

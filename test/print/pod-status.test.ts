import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { summarizePod } from '../../src/print/table/pod-status.ts';
import { at, conditions, container, ended, NOW_MS, running, sidecar, waiting, webPod } from './pods.ts';

const columns = (pod: StoredPod): string => {
  const { ready, total, text, restarts } = summarizePod(pod);
  return `${ready}/${total} ${text} ${restarts}`;
};

const gone = { lastState: { terminated: { exitCode: 1, finishedAt: at(-40) } } };
const notInitialized = conditions({ Initialized: 'False' });
const twoInit = { initContainers: [container('i1'), container('i2')] };
const sidecarFirst = { initContainers: [sidecar('proxy')] };

/** An initializing Pod with these init container statuses. */
const initializing = (...initContainerStatuses: ReturnType<typeof running>[]): Partial<StoredPod['status']> => ({
  phase: 'Pending',
  conditions: notInitialized,
  initContainerStatuses,
  containerStatuses: [waiting('main', 'PodInitializing')],
});

describe('summarizePod()', () => {
  it.each<[name: string, pod: StoredPod, want: string]>([
    ['unscheduled', webPod({ status: { phase: 'Pending', conditions: [], containerStatuses: [] } }), '0/1 Pending 0'],
    [
      'scheduling gate',
      webPod({
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
          containerStatuses: [],
        },
      }),
      '0/1 SchedulingGated 0',
    ],
    [
      'first of two init containers running',
      webPod({
        spec: twoInit,
        status: initializing(running('i1', { ready: false }), waiting('i2', 'PodInitializing')),
      }),
      '0/1 Init:0/2 0',
    ],
    [
      'init crash loop',
      webPod({
        spec: twoInit,
        status: initializing(waiting('i1', 'CrashLoopBackOff', { restartCount: 4, ...gone }), waiting('i2', undefined)),
      }),
      '0/1 Init:CrashLoopBackOff 4',
    ],
    ['init failed', webPod({ spec: twoInit, status: initializing(ended('i1', 1)) }), '0/1 Init:Error 0'],
    [
      'init done, app waiting',
      webPod({
        spec: { initContainers: [container('i1')], containers: [container('a'), container('b')] },
        status: {
          ...initializing(ended('i1', 0)),
          containerStatuses: [waiting('a', 'PodInitializing'), waiting('b', 'PodInitializing')],
        },
      }),
      '0/2 PodInitializing 0',
    ],
    [
      'creating',
      webPod({ status: { phase: 'Pending', containerStatuses: [waiting('main', 'ContainerCreating')] } }),
      '0/1 ContainerCreating 0',
    ],
    ['running and ready', webPod(), '1/1 Running 0'],
    [
      'running, not ready',
      webPod({ status: { containerStatuses: [running('main', { ready: false })] } }),
      '0/1 Running 0',
    ],
    [
      'crash loop',
      webPod({ status: { containerStatuses: [waiting('main', 'CrashLoopBackOff', { restartCount: 5 })] } }),
      '0/1 CrashLoopBackOff 5',
    ],
    ['succeeded', webPod({ status: { phase: 'Succeeded', containerStatuses: [ended('main', 0)] } }), '0/1 Completed 0'],
    ['failed', webPod({ status: { phase: 'Failed', containerStatuses: [ended('main', 2)] } }), '0/1 Error 0'],
    [
      'OOM killed',
      webPod({ status: { phase: 'Failed', containerStatuses: [ended('main', 137, { reason: 'OOMKilled' })] } }),
      '0/1 OOMKilled 0',
    ],
    [
      'sidecar and app running',
      webPod({ spec: sidecarFirst, status: { initContainerStatuses: [running('proxy')] } }),
      '2/2 Running 0',
    ],
    [
      'startup probe of a sidecar pending',
      webPod({
        spec: { initContainers: [sidecar('proxy'), container('i2')] },
        status: initializing(running('proxy', { started: false, ready: false }), waiting('i2', 'PodInitializing')),
      }),
      '0/2 Init:0/2 0',
    ],
    [
      'one of two completed',
      webPod({
        spec: { containers: [container('a'), container('b')] },
        status: { conditions: conditions({ Ready: 'False' }), containerStatuses: [ended('a', 0), running('b')] },
      }),
      '1/2 NotReady 0',
    ],
    ['being deleted', webPod({ metadata: { deletionTimestamp: at(20) } }), '1/1 Terminating 0'],
    [
      'readiness gate missing',
      webPod({
        spec: { readinessGates: [{ conditionType: 'lb' }] },
        status: { conditions: conditions({ Ready: 'False' }) },
      }),
      '1/1 Running 0',
    ],
  ])('shows %s', (_name, pod, want) => {
    expect(columns(pod)).toBe(want);
  });

  it.each<[name: string, pod: StoredPod, want: string]>([
    [
      'the first container that waits or ended decides, not a running one before it',
      webPod({
        spec: { containers: [container('a'), container('b'), container('c')] },
        status: { containerStatuses: [running('a'), waiting('b', 'ErrImagePull'), ended('c', 1)] },
      }),
      '1/3 ErrImagePull 0',
    ],
    [
      'two of two completed and ready is Running',
      webPod({
        spec: { containers: [container('a'), container('b')] },
        status: { containerStatuses: [ended('a', 0), running('b')] },
      }),
      '1/2 Running 0',
    ],
    [
      'an evicted Pod with a container status shows how the container ended',
      webPod({ status: { phase: 'Failed', reason: 'Evicted', containerStatuses: [ended('main', 137)] } }),
      '0/1 Error 0',
    ],
    [
      'an evicted Pod without one shows the reason of the Pod',
      webPod({ status: { phase: 'Failed', reason: 'Evicted', conditions: [], containerStatuses: [] } }),
      '0/1 Evicted 0',
    ],
    [
      'a crash-looping sidecar of an initialized Pod keeps the text, while READY counts the rest',
      webPod({
        spec: sidecarFirst,
        status: { initContainerStatuses: [waiting('proxy', 'CrashLoopBackOff', { restartCount: 3 })] },
      }),
      '1/2 Init:CrashLoopBackOff 3',
    ],
    [
      'a sidecar that is up is skipped, but counts in the number of the next one',
      webPod({
        spec: { initContainers: [sidecar('proxy'), container('i2')] },
        status: initializing(running('proxy'), running('i2', { ready: false })),
      }),
      '1/2 Init:1/2 0',
    ],
    [
      'a sidecar beside a completed main container does not make it NotReady',
      webPod({
        spec: sidecarFirst,
        status: { initContainerStatuses: [running('proxy')], containerStatuses: [ended('main', 0)] },
      }),
      '1/2 Completed 0',
    ],
    [
      'a sidecar that ended with 143 does not show once the Pod is initialized',
      webPod({
        spec: sidecarFirst,
        status: { initContainerStatuses: [ended('proxy', 143)], containerStatuses: [ended('main', 0)] },
      }),
      '0/2 Completed 0',
    ],
    [
      'an init container without a reason shows its exit code',
      webPod({ spec: twoInit, status: initializing(ended('i1', 2, { reason: '' })) }),
      '0/1 Init:ExitCode:2 0',
    ],
    [
      'a container without a reason shows its exit code',
      webPod({ status: { containerStatuses: [ended('main', 3, { reason: '' })] } }),
      '0/1 ExitCode:3 0',
    ],
    [
      'restarts of plain init containers drop out of an initialized Pod, restarts of sidecars stay',
      webPod({
        spec: { initContainers: [container('i1'), sidecar('proxy')] },
        status: {
          initContainerStatuses: [ended('i1', 0, { restartCount: 7 }), running('proxy', { restartCount: 2 })],
          containerStatuses: [running('main', { restartCount: 1 })],
        },
      }),
      '2/2 Running 3',
    ],
    [
      'a lost Pod that is being deleted is Unknown',
      webPod({ metadata: { deletionTimestamp: at(-20) }, status: { reason: 'NodeLost' } }),
      '1/1 Unknown 0',
    ],
    [
      'a Pod that ended is not Terminating, even while it is deleted',
      webPod({
        metadata: { deletionTimestamp: at(-20) },
        status: { phase: 'Succeeded', containerStatuses: [ended('main', 0)] },
      }),
      '0/1 Completed 0',
    ],
  ])('%s', (_name, pod, want) => {
    expect(columns(pod)).toBe(want);
  });

  it('takes the age of the restarts from the newest last state of any container', () => {
    const last = (seconds: number): object => ({ lastState: { terminated: { exitCode: 1, finishedAt: at(seconds) } } });
    const pod = webPod({
      spec: { containers: [container('a'), container('b')] },
      status: { containerStatuses: [running('a', { restartCount: 3, ...last(-300) }), running('b', last(-30))] },
    });
    expect(summarizePod(pod).lastRestartMs).toBe(NOW_MS - 30_000);
  });
});

import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { causeOf, firstCause } from '../../../src/print/live/first-cause.ts';
import { NO_RECORDS, type RecordedEvidence } from '../../../src/history/evidence.ts';
import { stopping } from '../../../src/lifecycle/texts/killing.ts';
import {
  at,
  attempt,
  conditions,
  container,
  ended,
  hookRun,
  running,
  sidecar,
  waiting,
  webEvent,
  webPod,
} from '../pods.ts';

const failed = (change: Parameters<typeof webPod>[0]): StoredPod =>
  webPod({ ...change, status: { phase: 'Failed', conditions: [], ...change?.status } });
const two = { containers: [container('a'), container('b')] };

describe('firstCause()', () => {
  it.each<[want: string, container: string | undefined, pod: StoredPod]>([
    [
      'it was preempted: a Pod of higher priority needed its place',
      undefined,
      failed({
        status: {
          conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
          containerStatuses: [ended('main', 143)],
        },
      }),
    ],
    ['container main exited with code 3', 'main', failed({ status: { containerStatuses: [ended('main', 3)] } })],
    [
      'container main exited with code 127 (command not found)',
      'main',
      failed({ status: { containerStatuses: [ended('main', 127)] } }),
    ],
    [
      'container main ran out of memory: OOMKilled, exit code 137 (SIGKILL)',
      'main',
      failed({ status: { containerStatuses: [ended('main', 137, { reason: 'OOMKilled' })] } }),
    ],
    [
      'container main could not be started: exec: "x": executable file not found in $PATH',
      'main',
      failed({
        status: {
          containerStatuses: [
            ended('main', 128, { reason: 'StartError', message: 'exec: "x": executable file not found in $PATH' }),
          ],
        },
      }),
    ],
    [
      'container main exited with code 143 (SIGTERM)',
      'main',
      failed({
        spec: { ephemeralContainers: [container('debugger')] },
        status: {
          containerStatuses: [ended('main', 143)],
          ephemeralContainerStatuses: [ended('debugger', 7, { finishedAt: at(-20) })],
        },
      }),
    ],
    [
      'init container migrate (2/2) exited with code 4: no database',
      'migrate',
      failed({
        spec: { initContainers: [container('one'), container('migrate')] },
        status: {
          initContainerStatuses: [ended('one', 0), ended('migrate', 4, { message: 'no database' })],
          containerStatuses: [waiting('main', 'PodInitializing')],
        },
      }),
    ],
    [
      'container b exited with code 1',
      'b',
      failed({
        spec: two,
        status: { containerStatuses: [ended('a', 143, { finishedAt: at(-1) }), ended('b', 1, { finishedAt: at(-5) })] },
      }),
    ],
    [
      'container main exited with code 1',
      'main',
      failed({
        spec: { initContainers: [sidecar('proxy')] },
        status: {
          initContainerStatuses: [ended('proxy', 2, { finishedAt: at(-9) })],
          containerStatuses: [ended('main', 1, { finishedAt: at(-1) })],
        },
      }),
    ],
    [
      'sidecar proxy exited with code 2',
      'proxy',
      webPod({
        spec: { initContainers: [sidecar('proxy')] },
        status: {
          conditions: conditions({ Initialized: 'False' }),
          initContainerStatuses: [waiting('proxy', 'CrashLoopBackOff', { lastState: ended('proxy', 2).state })],
          containerStatuses: [waiting('main', 'PodInitializing')],
        },
      }),
    ],
    [
      'DeadlineExceeded: Pod was active on the node longer than the specified deadline',
      undefined,
      failed({
        status: {
          reason: 'DeadlineExceeded',
          message: 'Pod was active on the node longer than the specified deadline',
          containerStatuses: [ended('main', 143)],
        },
      }),
    ],
    [
      'it cannot be scheduled: 0/1 nodes are available',
      undefined,
      webPod({
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes are available' }],
          containerStatuses: [],
        },
      }),
    ],
    [
      'container main cannot start: ErrImagePull: no such image',
      'main',
      webPod({ status: { containerStatuses: [waiting('main', 'ErrImagePull', { message: 'no such image' })] } }),
    ],
    [
      'container main is not ready',
      'main',
      webPod({ status: { containerStatuses: [running('main', { ready: false })] } }),
    ],
    [
      'the status of pod readiness gate "lb" is not "True", but False',
      undefined,
      webPod({
        status: {
          conditions: [
            {
              type: 'Ready',
              status: 'False',
              reason: 'ReadinessGatesNotReady',
              message: 'the status of pod readiness gate "lb" is not "True", but False',
            },
          ],
        },
      }),
    ],
  ])('%s', (want, blamed, pod) => {
    expect(firstCause(pod)).toBe(want);
    expect(causeOf(pod)?.container).toBe(blamed);
  });

  it('names the deadline while the last processes end', () => {
    const pod = webPod({
      status: {
        phase: 'Pending',
        conditions: [{ type: 'ContainersReady', status: 'False', reason: 'PodFailed' }],
        containerStatuses: [waiting('main', 'PodInitializing')],
      },
    });
    const events = [webEvent('DeadlineExceeded', { message: 'Pod was active on the node longer than …' })];
    expect(firstCause(pod, { ...NO_RECORDS, events })).toBe(
      'DeadlineExceeded: Pod was active on the node longer than …',
    );
  });

  it('names no cause while all is well, and falls back to the phase', () => {
    expect(causeOf(webPod())).toBeUndefined();
    const stopped = { initContainerStatuses: [ended('proxy', 143)], containerStatuses: [ended('main', 0)] };
    const spec = { initContainers: [sidecar('proxy')] };
    expect(firstCause(webPod({ spec, status: { ...stopped, phase: 'Succeeded' } }))).toBe('its phase is Succeeded');
    const stale = [running('main', { ready: false })];
    expect(firstCause(webPod({ status: { phase: 'Unknown', containerStatuses: stale } }))).toBe('its phase is Unknown');
  });

  it('names the probe that had the container killed', () => {
    const pod = webPod({ status: { containerStatuses: [ended('main', 137, { restartCount: 2 })] } });
    const own = { container: 'main', probe: 'liveness' as const, restartCount: 2, exitCode: 1, failures: 3 };
    const killed = [attempt({ ...own, decision: 'restart' })];
    expect(firstCause(pod, { ...NO_RECORDS, attempts: killed })).toBe(
      'container main was killed by its liveness probe, which failed 3 times in a row (exit code 1), ' +
        'and ended with exit code 137 (SIGKILL)',
    );
    // Those attempts belong to the previous run, or decided nothing.
    for (const other of [{ restartCount: 1, decision: 'restart' as const }, { decision: 'none' as const }]) {
      expect(firstCause(pod, { ...NO_RECORDS, attempts: [attempt({ ...own, ...other })] })).toBe(
        'container main exited with code 137 (SIGKILL)',
      );
    }
  });

  it('shows the progress of the probe of an unready container', () => {
    const unready = webPod({ status: { containerStatuses: [running('main', { ready: false })] } });
    expect(
      firstCause(unready, { ...NO_RECORDS, attempts: [attempt({ probe: 'readiness', failures: 7, httpStatus: 503 })] }),
    ).toBe('container main is not ready: readiness probe failed 7 times in a row, last result: HTTP 503');
    const starting = webPod({ status: { containerStatuses: [running('main', { ready: false, started: false })] } });
    expect(
      firstCause(starting, {
        ...NO_RECORDS,
        attempts: [attempt({ probe: 'startup', failures: 3, failureThreshold: 30 })],
      }),
    ).toBe('container main has not started up: startup probe attempt 3 of 30, last result: failure');
  });

  const killed = (message: string, change: { container?: string; lastTimestamp?: string } = {}) =>
    webEvent('Killing', { container: 'main', lastTimestamp: at(-12), message, ...change });
  const deleted = (seconds: number) => ({ deletionTimestamp: at(-12 + seconds), deletionGracePeriodSeconds: seconds });

  it.each<[want: string, pod: StoredPod, records: Partial<RecordedEvidence>]>([
    [
      'container main was ended, as its postStart hook failed with exit code 4: no database',
      failed({ status: { containerStatuses: [ended('main', 143)] } }),
      {
        events: [killed('FailedPostStartHook')],
        hooks: [hookRun({ exitCode: 4, output: 'migrating\nno database\n' })],
      },
    ],
    [
      'container main was ended, as its postStart hook failed: connection refused',
      failed({ status: { containerStatuses: [ended('main', 0)] } }),
      { events: [killed('FailedPostStartHook')], hooks: [hookRun({ output: 'connection refused' })] },
    ],
    [
      'container main was ended, as its postStart hook failed: exec: "x": no such file',
      failed({ status: { containerStatuses: [ended('main', 143)] } }),
      {
        events: [killed('FailedPostStartHook')],
        hooks: [hookRun({ output: 'exec failed: unable to start container process: exec: "x": no such file' })],
      },
    ],
    [
      'container main was killed by its probe, and ended with exit code 137 (SIGKILL)',
      failed({ status: { containerStatuses: [ended('main', 137)] } }),
      { events: [killed('Container main failed liveness probe')] },
    ],
    [
      'it was deleted',
      failed({ metadata: deleted(30), status: { containerStatuses: [ended('main', 143)] } }),
      { events: [killed(stopping('main'))] },
    ],
    ['it was deleted', failed({ metadata: deleted(30), status: { containerStatuses: [ended('main', 143)] } }), {}],
    [
      'it was deleted, and container main ended with exit code 3',
      failed({ metadata: deleted(30), status: { containerStatuses: [ended('main', 3)] } }),
      {},
    ],
    [
      'it was deleted, and container main did not end within its grace period of 2s: podrun killed it',
      failed({ metadata: deleted(2), status: { containerStatuses: [ended('main', 137)] } }),
      {},
    ],
    [
      'it was deleted by force, which kills its containers at once',
      failed({ metadata: deleted(0), status: { containerStatuses: [ended('main', 137)] } }),
      {},
    ],
    [
      'the podrun that ran it has ended it, and container main did not end within its grace period of 7s: ' +
        'podrun killed it',
      failed({ spec: { terminationGracePeriodSeconds: 7 }, status: { containerStatuses: [ended('main', 137)] } }),
      { events: [killed(stopping('main'))] },
    ],
    // The container had failed before the Pod was deleted.
    [
      'container main exited with code 3',
      failed({ metadata: deleted(30), status: { containerStatuses: [ended('main', 3, { finishedAt: at(-20) })] } }),
      {},
    ],
    // The previous run was killed, not this one.
    [
      'container main exited with code 137 (SIGKILL)',
      failed({ status: { containerStatuses: [ended('main', 137)] } }),
      { events: [killed(stopping('main'), { lastTimestamp: at(-40) })] },
    ],
    // Another container was stopped because this one failed.
    [
      'container b exited with code 3',
      failed({
        spec: two,
        status: { containerStatuses: [ended('a', 143, { finishedAt: at(-11) }), ended('b', 3)] },
      }),
      { events: [killed(stopping('a'), { container: 'a' })] },
    ],
    [
      'volume conf cannot be set up: configmap "settings" not found',
      webPod({
        status: { phase: 'Pending', conditions: [], containerStatuses: [waiting('main', 'ContainerCreating')] },
      }),
      {
        events: [
          webEvent('FailedMount', {
            message: 'MountVolume.SetUp failed for volume "conf" : configmap "settings" not found',
          }),
        ],
      },
    ],
  ])('knows from the records: %s', (want, pod, records) => {
    expect(firstCause(pod, { ...NO_RECORDS, ...records })).toBe(want);
  });
});

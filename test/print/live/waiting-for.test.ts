import { describe, expect, it } from 'vitest';
import type { StoredEvent, StoredPod } from '../../../src/api/base/objects.ts';
import type { HookRun } from '../../../src/lifecycle/activity.ts';
import { waitingFor } from '../../../src/print/live/waiting-for.ts';
import { GOLDEN_NOW_MS, goldenPods, goldenStates } from '../golden.ts';
import { at, conditions, container, ended, NOW_MS, running, sidecar, waiting, webEvent, webPod } from '../pods.ts';

const notInitialized = conditions({ PodScheduled: 'True', Initialized: 'False', Ready: 'False' });
const scheduled = conditions({ PodScheduled: 'True', Initialized: 'True', Ready: 'False' });
const threeInit = { initContainers: [container('one'), container('migrate'), container('three')] };
const backOff = {
  message: 'back-off 10s restarting failed container=main pod=web_default(u-1)',
  restartCount: 1,
  lastState: ended('main', 1, { finishedAt: at(-2) }).state,
};
const main = (status: ReturnType<typeof running>, spec: StoredPod['spec'] = webPod().spec): StoredPod =>
  webPod({ spec, status: { conditions: scheduled, containerStatuses: [status] } });

describe('waitingFor()', () => {
  it.each<[want: string, pod: StoredPod]>([
    [
      'a node to run on',
      webPod({
        spec: { nodeName: '' },
        status: { phase: 'Pending', conditions: undefined, containerStatuses: [] },
      }),
    ],
    [
      'node node-1, which spec.nodeName names, to run it',
      webPod({ status: { phase: 'Pending', conditions: undefined, containerStatuses: [] } }),
    ],
    [
      'a node to run on: 0/1 nodes are available',
      webPod({
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes are available' }],
        },
      }),
    ],
    [
      'scheduling gates a, b to be removed',
      webPod({
        spec: { schedulingGates: [{ name: 'a' }, { name: 'b' }] },
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
        },
      }),
    ],
    [
      'init container migrate (2/3) to finish (running for 30s)',
      webPod({
        spec: threeInit,
        status: {
          phase: 'Pending',
          conditions: notInitialized,
          initContainerStatuses: [ended('one', 0), running('migrate')],
        },
      }),
    ],
    [
      'init container one (1/3) to be restarted after exit code 4',
      webPod({
        spec: { ...threeInit, restartPolicy: 'OnFailure' },
        status: { phase: 'Pending', conditions: notInitialized, initContainerStatuses: [ended('one', 4)] },
      }),
    ],
    [
      'sidecar proxy to start up (startup probe)',
      webPod({
        spec: { initContainers: [sidecar('proxy')] },
        status: {
          phase: 'Pending',
          conditions: notInitialized,
          initContainerStatuses: [running('proxy', { started: false })],
        },
      }),
    ],
    ['container main to start', main(waiting('main', 'ContainerCreating'))],
    [
      'container main to start: ErrImagePull: no such image',
      main(waiting('main', 'ErrImagePull', { message: 'no such image' })),
    ],
    [
      'container main to start: CreateContainerConfigError: configmap "x" not found',
      main(waiting('main', 'CreateContainerConfigError', { message: 'configmap "x" not found' })),
    ],
    [
      'container main to be restarted: back-off 10s, 8s left (exit code 1)',
      main(waiting('main', 'CrashLoopBackOff', backOff)),
    ],
    [
      'container main to be restarted: back-off 10s is over (exit code 1)',
      main(
        waiting('main', 'CrashLoopBackOff', { ...backOff, lastState: ended('main', 1, { finishedAt: at(-11) }).state }),
      ),
    ],
    [
      'container main to be restarted: back-off',
      main(waiting('main', 'CrashLoopBackOff', { message: 'odd', restartCount: 1 })),
    ],
    ['container main to start up (startup probe)', main(running('main', { started: false, ready: false }))],
    ['container main to become ready (readiness probe)', main(running('main', { ready: false }))],
    [
      'container b to become ready (readiness probe)',
      webPod({
        spec: { containers: [container('a'), container('b')] },
        status: { conditions: scheduled, containerStatuses: [ended('a', 0), running('b', { ready: false })] },
      }),
    ],
    [
      'readiness gates lb, dns',
      webPod({
        spec: { readinessGates: [{ conditionType: 'open' }, { conditionType: 'lb' }, { conditionType: 'dns' }] },
        status: {
          conditions: [
            ...conditions({ PodScheduled: 'True', Initialized: 'True', open: 'True', lb: 'False' }),
            { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' },
          ],
        },
      }),
    ],
    ['main to finish', webPod()],
    ['main to be stopped (restartPolicy Always)', webPod({ spec: { restartPolicy: 'Always' } })],
    ['its last containers to stop', webPod({ status: { containerStatuses: [ended('main', 0)] } })],
    ['main to stop (12s of grace left)', webPod({ metadata: { deletionTimestamp: at(11.2) } })],
    ['main to stop (the grace period is over)', webPod({ metadata: { deletionTimestamp: at(-1) } })],
    ['nothing, it has Succeeded', webPod({ status: { phase: 'Succeeded' } })],
    ['another agent: the podrun that ran the Pod is gone', webPod({ status: { phase: 'Unknown' } })],
  ])('%s', (want, pod) => {
    expect(waitingFor(pod, NOW_MS)).toBe(want);
  });

  it('says that a postStart hook is waited for, until it is on record as returned', () => {
    const lifecycle = { postStart: { exec: { command: ['register'] } } };
    const pod = webPod({
      spec: { containers: [container('main', { lifecycle })] },
      status: {
        conditions: conditions({ PodScheduled: 'True' }),
        containerStatuses: [waiting('main', 'ContainerCreating')],
      },
    });
    const started = webEvent('Started', { container: 'main', lastTimestamp: at(-5) });
    const hook = (seconds: number): HookRun => ({
      time: at(seconds),
      container: 'main',
      restartCount: 0,
      hook: 'postStart',
      handler: 'exec [register]',
      durationMs: 1000,
      result: 'success',
    });
    const phrase = (events: StoredEvent[], hooks: HookRun[]): string =>
      waitingFor(pod, NOW_MS, { attempts: [], hooks, events });
    const running = 'the postStart hook of container main to return';
    expect(phrase([started], [])).toBe(running);
    expect(phrase([started], [hook(-60)])).toBe(running);
    expect(phrase([started], [hook(-4.9)])).toBe('container main to start');
    expect(phrase([], [])).toBe('container main to start');
    expect(phrase([webEvent('Started', { container: 'other' })], [])).toBe('container main to start');
  });

  it.each(goldenStates)('has a phrase of one line for the recorded state %s', (state) => {
    for (const pod of goldenPods(state)) expect(waitingFor(pod, GOLDEN_NOW_MS)).toMatch(/^[a-z][^\n]+$/);
  });
});

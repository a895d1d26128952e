import { describe, expect, it } from 'vitest';
import type { PodStatus } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { transitionsOf } from '../../../src/print/live/pod-transitions.ts';
import { at, conditions, container, ended, running, sidecar, waiting, webPod } from '../pods.ts';
import { storyLine } from '../story.ts';

const linesOf = (previous: StoredPod | undefined, next: StoredPod | undefined): string[] =>
  transitionsOf(previous, next, 0).map(storyLine);

/** A Pod with only this container status, and nothing ready. */
const with1 = (status: ReturnType<typeof running>, change: Parameters<typeof webPod>[0] = {}): StoredPod =>
  webPod({ ...change, status: { conditions: [], containerStatuses: [status], ...change.status } });

const creating = with1(waiting('main', 'ContainerCreating'));
const backOff = (delay: string): string => `back-off ${delay} restarting failed container=main pod=web_default(u-1)`;
const endOf = (status: ReturnType<typeof ended>): NonNullable<(typeof status)['state']> => status.state ?? {};

describe('transitionsOf()', () => {
  it.each<[name: string, next: ReturnType<typeof running>, want: string[]]>([
    ['an ordinary wait', waiting('main', 'PodInitializing'), []],
    ['a start', running('main'), ['› main  started']],
    ['a later attempt', running('main', { restartCount: 2 }), ['› main  started (attempt 3)']],
    ['a clean exit', ended('main', 0), ['✓ main  exited with code 0 after 20s']],
    ['SIGKILL', ended('main', 137), ['✗ main  exited with code 137 (SIGKILL) after 20s']],
    ['SIGTERM', ended('main', 143), ['› main  exited with code 143 (SIGTERM) after 20s']],
    [
      'the stop signal of its own',
      { ...ended('main', 130), stopSignal: 'SIGINT' },
      ['› main  exited with code 130 (SIGINT) after 20s'],
    ],
    ['a missing command', ended('main', 127), ['✗ main  exited with code 127 (command not found) after 20s']],
    ['a last word', ended('main', 2, { message: 'a\nb\n' }), ['✗ main  exited with code 2 after 20s: b']],
    [
      'a failed start that is final',
      ended('main', 128, { reason: 'StartError', message: 'exec: "x": not found' }),
      ['✗ main  could not be started: exec: "x": not found'],
    ],
    [
      'an image that cannot be pulled',
      waiting('main', 'ErrImagePull', { message: 'no such image' }),
      ['✗ main  ErrImagePull: no such image'],
    ],
    [
      'the back-off of an image, without the error that is known',
      waiting('main', 'ImagePullBackOff', { message: 'Back-off pulling image "x": ErrImagePull: no such image' }),
      ['✗ main  ImagePullBackOff: Back-off pulling image "x"'],
    ],
    [
      'a missing ConfigMap',
      waiting('main', 'CreateContainerConfigError', { message: 'configmap "x" not found' }),
      ['✗ main  CreateContainerConfigError: configmap "x" not found'],
    ],
    [
      'a failed start that will be tried again, once',
      waiting('main', 'RunContainerError', {
        message: 'exec: "x": not found',
        lastState: { terminated: { exitCode: 128, reason: 'StartError', message: 'exec: "x": not found' } },
      }),
      ['✗ main  RunContainerError: exec: "x": not found'],
    ],
    [
      'a back-off with the end before it, when that was not seen',
      waiting('main', 'CrashLoopBackOff', {
        message: backOff('10s'),
        restartCount: 1,
        lastState: endOf(ended('main', 1)),
      }),
      ['✗ main  exited with code 1 after 20s', '✗ main  backing off 10s before attempt 3: CrashLoopBackOff'],
    ],
    [
      'a restart with the end before it, when that was not seen',
      running('main', { restartCount: 1, lastState: endOf(ended('main', 1)) }),
      ['✗ main  exited with code 1 after 20s', '› main  started (attempt 2)'],
    ],
    ['a container removed with all others', waiting('main', 'RestartingAllContainers', { restartCount: 1 }), []],
  ])('tells %s', (_name, next, want) => {
    expect(linesOf(creating, with1(next))).toEqual(want);
  });

  it('reports the end of a container once, also when an eviction removes it from the status', () => {
    const unknown = { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } };
    const forgotten = ended('main', 137, { state: unknown, lastState: unknown, restartCount: 1 });
    expect(linesOf(with1(ended('main', 143)), with1(forgotten))).toEqual([]);
  });

  it('reports a back-off again only when the next attempt has failed', () => {
    const first = with1(waiting('main', 'CrashLoopBackOff', { message: backOff('10s'), restartCount: 1 }));
    const second = with1(waiting('main', 'CrashLoopBackOff', { message: backOff('20s'), restartCount: 2 }));
    expect(linesOf(first, structuredClone(first))).toEqual([]);
    expect(linesOf(first, second)).toEqual(['✗ main  backing off 20s before attempt 4: CrashLoopBackOff']);
  });

  it('does not report an end again when the restart after it is called off', () => {
    const [first, second] = [endOf(ended('main', 1)), endOf(ended('main', 2))];
    const lastState = second;
    const backingOff = with1(
      waiting('main', 'CrashLoopBackOff', { message: backOff('10s'), restartCount: 1, lastState }),
    );
    const calledOff = with1(ended('main', 2, { restartCount: 1, lastState: first }));
    expect(linesOf(backingOff, calledOff)).toEqual([]);
  });

  it('does not dig out what happened before it looked', () => {
    const restarted = with1(running('main', { restartCount: 1, lastState: endOf(ended('main', 1)) }));
    expect(linesOf(undefined, restarted)).not.toContainEqual(expect.stringContaining('exited'));
  });

  it('takes the end of a sidecar after the main containers for what it is', () => {
    const spec = { initContainers: [sidecar('proxy')] };
    const status = (proxy: ReturnType<typeof running>, main: ReturnType<typeof running>): StoredPod =>
      webPod({ spec, status: { conditions: [], initContainerStatuses: [proxy], containerStatuses: [main] } });
    const up = status(running('proxy'), running('main'));
    expect(linesOf(up, status(ended('proxy', 1), running('main')))).toEqual([
      '✗ proxy  sidecar  exited with code 1 after 20s',
    ]);
    const done = status(running('proxy'), ended('main', 0));
    expect(linesOf(done, status(ended('proxy', 1), ended('main', 0)))).toEqual([
      '› proxy  sidecar  exited with code 1 after 20s',
    ]);
  });

  it('says that a probe has passed, where there is one', () => {
    const spec = { containers: [container('main', { startupProbe: {} }), container('side')] };
    const at1 = (main: ReturnType<typeof running>): StoredPod =>
      webPod({ spec, status: { conditions: [], containerStatuses: [main, running('side')] } });
    const started = at1(running('main', { started: false, ready: false }));
    expect(linesOf(started, at1(running('main')))).toEqual(['✓ main  ready: its startup probe has passed']);
    expect(linesOf(started, at1(running('main', { ready: false })))).toEqual(['✓ main  startup probe passed']);
  });
});

describe('what transitionsOf() says of the Pod as a whole', () => {
  const ready = conditions({ Initialized: 'True', Ready: 'True', ContainersReady: 'True', PodScheduled: 'True' });
  const unready = conditions({ Initialized: 'True', Ready: 'False', ContainersReady: 'False', PodScheduled: 'True' });
  const pending = webPod({ status: { phase: 'Pending', conditions: [], containerStatuses: [] } });
  const lost = (message: string | undefined, reason = 'ContainersNotReady'): typeof ready => [
    ...conditions({ Initialized: 'True', PodScheduled: 'True' }),
    ...['Ready', 'ContainersReady'].map((type) => ({ type, status: 'False', reason, message })),
  ];
  const unreadyMain = running('main', { ready: false });
  const scheduled = (status: string, reason?: string, message?: string): StoredPod =>
    webPod({
      spec: { schedulingGates: [{ name: 'a' }, { name: 'b' }] },
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status, reason, message }],
        containerStatuses: [],
      },
    });

  it.each<[name: string, previous: StoredPod | undefined, next: StoredPod | undefined, want: string[]]>([
    [
      'an existing Pod',
      undefined,
      webPod({ status: { phase: 'Pending', containerStatuses: undefined, conditions: [] } }),
      ['· Pod  created: Pending'],
    ],
    ['a Pod that is gone', webPod(), undefined, ['· Pod  deleted']],
    ['being scheduled', pending, scheduled('True'), ['· Pod  PodScheduled']],
    ['gates', pending, scheduled('False', 'SchedulingGated'), ['› Pod  PodScheduled=False: SchedulingGated: a, b']],
    [
      'no node that fits',
      pending,
      scheduled('False', 'Unschedulable', '0/1 nodes are available'),
      ['✗ Pod  PodScheduled=False: 0/1 nodes are available'],
    ],
    [
      'a scheduler that finds another reason',
      scheduled('False', 'Unschedulable', '0/1 nodes are available'),
      scheduled('False', 'Unschedulable', 'no room'),
      ['✗ Pod  PodScheduled=False: no room'],
    ],
    ['being scheduled in the end', scheduled('False', 'Unschedulable'), scheduled('True'), ['· Pod  PodScheduled']],
    [
      'phase and readiness in one line',
      webPod({ status: { phase: 'Pending', conditions: unready } }),
      webPod({ status: { conditions: ready } }),
      ['✓ Pod  Running, ContainersReady, Ready'],
    ],
    [
      'a container that becomes ready, and with it the Pod',
      webPod({
        spec: { containers: [container('main', { readinessProbe: {} })] },
        status: { conditions: unready, containerStatuses: [running('main', { ready: false })] },
      }),
      webPod({
        spec: { containers: [container('main', { readinessProbe: {} })] },
        status: { conditions: ready, containerStatuses: [running('main')] },
      }),
      ['✓ main  ready: its readiness probe has passed', '✓ Pod  ContainersReady, Ready'],
    ],
    [
      'readiness that is lost',
      webPod({ status: { conditions: ready } }),
      webPod({
        status: { conditions: lost('containers with unready status: [main]'), containerStatuses: [unreadyMain] },
      }),
      ['✗ main  not ready', '✗ Pod  ContainersReady=False, Ready=False: containers with unready status: [main]'],
    ],
    [
      'readiness that is lost for a reason outside the containers',
      webPod({ status: { conditions: ready } }),
      webPod({
        status: {
          conditions: [
            ...conditions({ Initialized: 'True', ContainersReady: 'True', PodScheduled: 'True' }),
            { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: 'lb is False' },
          ],
        },
      }),
      ['✗ Pod  Ready=False: lb is False'],
    ],
    [
      'readiness that is lost because the work is done',
      webPod({ status: { conditions: ready } }),
      webPod({ status: { conditions: lost(undefined, 'PodCompleted'), containerStatuses: [ended('main', 0)] } }),
      ['✓ main  exited with code 0 after 20s', '· Pod  ContainersReady=False, Ready=False: PodCompleted'],
    ],
    [
      'another reason for the same status: nothing',
      webPod({ status: { conditions: lost('containers with unready status: [main]') } }),
      webPod({ status: { conditions: lost(undefined, 'PodFailed') } }),
      [],
    ],
    [
      'containers that are ready, while a gate is closed',
      webPod({ status: { conditions: lost('containers with unready status: [main]') } }),
      webPod({
        status: {
          conditions: [
            ...conditions({ Initialized: 'True', ContainersReady: 'True', PodScheduled: 'True' }),
            { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: 'lb is False' },
          ],
        },
      }),
      ['› Pod  ContainersReady; Ready=False: lb is False'],
    ],
    [
      'initialization',
      webPod({ status: { conditions: conditions({ Initialized: 'False' }) } }),
      webPod({ status: { conditions: conditions({ Initialized: 'True' }) } }),
      ['› Pod  Initialized'],
    ],
    [
      'a disruption',
      webPod(),
      webPod({
        status: {
          conditions: [...ready, { type: 'DisruptionTarget', status: 'True', message: 'Eviction API: evicting' }],
        },
      }),
      ['✗ Pod  DisruptionTarget: Eviction API: evicting'],
    ],
    [
      'conditions of others, which come, turn and go',
      webPod({ status: { conditions: [...ready, ...conditions({ a: 'True', b: 'True' })] } }),
      webPod({
        status: {
          conditions: [...ready, { type: 'b', status: 'Unknown', reason: 'Lost' }, ...conditions({ c: 'True' })],
        },
      }),
      ['› Pod  b=Unknown: Lost; c, a removed'],
    ],
    [
      'a deletion',
      webPod(),
      webPod({ metadata: { deletionTimestamp: at(30), deletionGracePeriodSeconds: 30 } }),
      ['› Pod  Terminating: grace period 30s'],
    ],
    [
      'a second, shorter deletion',
      webPod({ metadata: { deletionTimestamp: at(30), deletionGracePeriodSeconds: 30 } }),
      webPod({ metadata: { deletionTimestamp: at(5), deletionGracePeriodSeconds: 5 } }),
      ['› Pod  Terminating sooner: grace period 5s'],
    ],
    [
      'the leave to remove the object: nothing',
      webPod({ metadata: { deletionTimestamp: at(30), deletionGracePeriodSeconds: 30 } }),
      webPod({ metadata: { deletionTimestamp: at(30), deletionGracePeriodSeconds: 0 } }),
      [],
    ],
    [
      'a failure with the reason of the Pod',
      webPod(),
      webPod({
        status: { phase: 'Failed', reason: 'Evicted', message: 'no disk', conditions: lost('x', 'PodFailed') },
      }),
      ['✗ Pod  Failed: Evicted: no disk; ContainersReady=False, Ready=False: x'],
    ],
    [
      'a failure with the container to blame, when it is not in the same update',
      webPod({ status: { containerStatuses: [ended('main', 3)] } }),
      webPod({ status: { phase: 'Failed', containerStatuses: [ended('main', 3)] } }),
      ['✗ Pod  Failed: container main exited with code 3'],
    ],
    [
      'a failure right with the exit',
      webPod(),
      webPod({ status: { phase: 'Failed', conditions: unready, containerStatuses: [ended('main', 3)] } }),
      ['✗ main  exited with code 3 after 20s', '✗ Pod  Failed, ContainersReady=False, Ready=False'],
    ],
    ['an agent that is gone', webPod(), webPod({ status: { phase: 'Unknown' } }), ['✗ Pod  Unknown']],
  ])('tells %s', (_name, previous, next, want) => {
    expect(linesOf(previous, next)).toEqual(want);
  });
});

describe('what transitionsOf() says of Pods that podrun ends', () => {
  const linesOf = (previous: StoredPod, next: StoredPod, stopped: readonly string[]): string[] =>
    transitionsOf(previous, next, 0, { stopped: new Set(stopped) }).map(storyLine);
  const gone = conditions({ Initialized: 'True', PodScheduled: 'True', Ready: 'False', ContainersReady: 'False' });
  const down = (status: Partial<PodStatus>): StoredPod => webPod({ status: { conditions: gone, ...status } });

  it('a container that ends by the signal, or is killed when the grace period is over', () => {
    const at1 = (main: ReturnType<typeof ended>): StoredPod => webPod({ status: { containerStatuses: [main] } });
    const lines = [ended('main', 143), ended('main', 1), ended('main', 137)].map((main) =>
      linesOf(webPod(), at1(main), ['main']),
    );
    expect(lines.flat()).toEqual([
      '› main  exited with code 143 (SIGTERM) after 20s',
      '› main  exited with code 1 after 20s',
      '› main  exited with code 137 (SIGKILL) after 20s: podrun ended it',
    ]);
  });

  it('its phase follows from that, and is no failure', () => {
    expect(linesOf(webPod(), down({ containerStatuses: [ended('main', 143)] }), ['main']).at(-1)).toBe(
      '· Pod  ContainersReady=False, Ready=False',
    );
    const last = down({ phase: 'Failed', containerStatuses: [ended('main', 143)] });
    expect(linesOf(down({ containerStatuses: [ended('main', 143)] }), last, ['main'])).toEqual([
      '✗ Pod  ended: phase Failed',
    ]);
    const succeeded = down({ phase: 'Succeeded', containerStatuses: [ended('main', 0)] });
    expect(linesOf(down({ containerStatuses: [ended('main', 0)] }), succeeded, ['main'])).toEqual([
      '✓ Pod  ended: phase Succeeded',
    ]);
  });

  it.each<[name: string, status: Partial<PodStatus>, stopped: string[]]>([
    ['a container had failed before', { containerStatuses: [ended('main', 143), ended('side', 1)] }, ['main']],
    ['no container was running', { containerStatuses: [ended('main', 1)] }, []],
    [
      'the Pod has a reason of its own',
      { reason: 'DeadlineExceeded', containerStatuses: [ended('main', 143)] },
      ['main'],
    ],
    ['memory ran out', { containerStatuses: [ended('main', 137, { reason: 'OOMKilled' })] }, ['main']],
  ])('a failure stays one where %s', (_name, status, stopped) => {
    expect(linesOf(down(status), down({ ...status, phase: 'Failed' }), stopped)).toEqual([
      expect.stringMatching(/^✗ Pod {2}Failed: /),
    ]);
  });
});

describe('transitionsOf() of a change by a user', () => {
  const web = webPod({ metadata: { labels: { app: 'web', old: '1' } }, spec: { initContainers: [sidecar('side')] } });
  const changed = (change: Parameters<typeof webPod>[0]): string[] =>
    linesOf(web, {
      ...web,
      metadata: { ...web.metadata, ...change?.metadata },
      spec: { ...web.spec, ...change?.spec },
    });

  it.each<[name: string, change: Parameters<typeof webPod>[0], want: string[]]>([
    ['labels', { metadata: { labels: { app: 'api' } } }, ['· Pod  labels changed: app=api, old-']],
    ['annotations', { metadata: { annotations: { note: 'hi' } } }, ['· Pod  annotations changed: note=hi']],
    ['a deadline', { spec: { activeDeadlineSeconds: 30 } }, ['› Pod  activeDeadlineSeconds set to 30']],
    ['tolerations', { spec: { tolerations: [{ operator: 'Exists' }] } }, ['· Pod  tolerations changed']],
    [
      'an image',
      { spec: { containers: [container('main', { image: 'busybox:2' })] } },
      ['› main  image changed: busybox → busybox:2'],
    ],
    [
      'the image of a sidecar',
      { spec: { initContainers: [sidecar('side', { image: 'proxy' })] } },
      ['› side  image changed: busybox → proxy'],
    ],
    [
      'resources',
      { spec: { containers: [container('main', { resources: { limits: { cpu: '2' } } })] } },
      ['› main  resized: limits.cpu none → 2'],
    ],
    ['nothing', {}, []],
  ])('%s', (_name, change, want) => {
    expect(changed(change)).toEqual(want);
  });

  it('a scheduling gate', () => {
    const gated = (...names: string[]) => webPod({ spec: { schedulingGates: names.map((name) => ({ name })) } });
    expect(linesOf(gated('a', 'b'), gated('b'))).toEqual(['› Pod  scheduling gate removed: a']);
  });
});

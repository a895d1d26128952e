import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import type { PodActivity } from '../../../src/lifecycle/activity.ts';
import { PLAIN } from '../../../src/print/text/painter.ts';
import { renderStatusBlock, type StatusBlock } from '../../../src/print/workloads/status-block.ts';
import { workload } from '../../controllers/goals/roots.ts';
import { at, conditions, container, ended, NOW_MS, running, sidecar, waiting, webPod } from '../pods.ts';

/** The current time: the monotonic clock shows 100 s. */
const now = { wallMs: NOW_MS, monotonicMs: 100_000 };
const inSeconds = (seconds: number): number => now.monotonicMs + seconds * 1000;

const idle = { stop: undefined, isInPostStart: false, retryAtMs: undefined };
const activity = (change: Partial<PodActivity>): PodActivity => ({
  deadlineMs: undefined,
  isEnding: false,
  containers: {},
  probes: [],
  ...change,
});
const probe = (change: Partial<PodActivity['probes'][number]>): PodActivity['probes'][number] => ({
  container: 'main',
  type: 'readiness',
  dueMs: inSeconds(3),
  lastOutcome: undefined,
  run: 0,
  successThreshold: 1,
  failureThreshold: 3,
  ...change,
});

const named = (name: string, change: Parameters<typeof webPod>[0] = {}): StoredPod =>
  webPod({ ...change, metadata: { name, uid: name } });

const shop = named('shop', {
  spec: {
    initContainers: [container('migrate'), sidecar('proxy')],
    containers: [container('app'), container('crasher'), container('stuck')],
  },
  status: {
    conditions: conditions({ PodScheduled: 'True', Initialized: 'True', Ready: 'False' }),
    initContainerStatuses: [ended('migrate', 0), running('proxy')],
    containerStatuses: [
      running('app', { ready: false, started: false }),
      waiting('crasher', 'CrashLoopBackOff', { restartCount: 3, lastState: ended('crasher', 3).state }),
      waiting('stuck', 'ImagePullBackOff', { message: 'Back-off pulling image "nowhere"' }),
    ],
  },
});
const shopActivity = activity({
  containers: {
    crasher: { ...idle, retryAtMs: inSeconds(37.2) },
    stuck: { ...idle, retryAtMs: inSeconds(8) },
  },
  probes: [
    probe({ container: 'app', type: 'startup', failureThreshold: 30, lastOutcome: 'failure', run: 3 }),
    probe({ container: 'app', type: 'liveness', dueMs: undefined }),
  ],
});
const db = named('db');

const block = (change: Partial<StatusBlock>): StatusBlock => ({
  workloads: [],
  pods: [
    { pod: shop, activity: shopActivity },
    { pod: db, activity: activity({ probes: [probe({ type: 'liveness', dueMs: inSeconds(7.1) })] }) },
  ],
  now,
  columns: 80,
  rows: 20,
  color: PLAIN,
  series: new Map(),
  keys: ['? help', 'q stop  ? help', 'q stop  d describe  l logs off  ? help'],
  ...change,
});
const lines = (change: Partial<StatusBlock>): readonly string[] => renderStatusBlock(block(change)).lines;

const FULL = { replicas: 3, readyReplicas: 3, updatedReplicas: 3 };
const busy = activity({});

describe('the rows of workloads', () => {
  it('have their Pods below them', () => {
    const pods = [named('web-a'), named('web-b', { status: { phase: 'Succeeded' } })];
    const followed = pods.map((pod) => ({ pod, activity: busy }));
    const workloads = [
      { workload: workload('Deployment', { ...FULL, readyReplicas: 1 }), pods: followed },
      { workload: workload('Job', { succeeded: 1, failed: 1 }, {}, { name: 'migrate' }), pods: [] },
    ];
    expect(lines({ columns: 110, workloads, pods: [{ pod: db, activity: busy }], keys: [] })).toEqual([
      'NAME     READY  STATUS      RESTARTS  AGE  NOW',
      'web      1/3    Deployment  0         60s  1/3 ready',
      '  web-a  1/1    Running     0         60s',
      'migrate         Job         0         60s  1/5 complete, 1 failed',
      'db       1/1    Running     0         60s',
    ]);
  });

  it('fold many Pods that are well', () => {
    const well = Array.from({ length: 6 }, (_, index) => named(`web-${index}`));
    const crashing = named('web-x', {
      status: { containerStatuses: [waiting('main', 'CrashLoopBackOff', { restartCount: 2 })] },
    });
    const pods = [...well, crashing].map((pod) => ({ pod, activity: busy }));
    const workloads = [{ workload: workload('Deployment', FULL), pods }];
    expect(lines({ columns: 110, workloads, pods: [] }).slice(1)).toEqual([
      'web      3/3    Deployment        2         60s  3/3 ready',
      '  web-x  0/1    CrashLoopBackOff  2         60s  back-off',
    ]);
  });

  it('count the running Pods of a Job, also where they are folded', () => {
    const running = Array.from({ length: 6 }, (_, index) => named(`many-${index}`));
    const pods = [...running, named('many-6', { status: { phase: 'Succeeded' } })].map((pod) => ({
      pod,
      activity: busy,
    }));
    const job = workload('Job', { succeeded: 1 }, {}, { name: 'many' });
    expect(lines({ columns: 110, workloads: [{ workload: job, pods }], pods: [] }).slice(1)).toEqual([
      'many         Job     0         60s  1/5 complete, 6 running',
    ]);
  });

  it('come before their Pods where there is little room', () => {
    const pods = ['web-a', 'web-b', 'web-c'].map((name) => ({ pod: named(name), activity: busy }));
    const workloads = [
      { workload: workload('Deployment', FULL), pods },
      { workload: workload('Job', {}, {}, { name: 'migrate' }), pods: [] },
    ];
    const shown = lines({ columns: 110, rows: 4, workloads, pods: [] });
    expect(shown.slice(1).map((line) => line.trimEnd().split('  ')[0])).toEqual([
      'web',
      'migrate',
      '… and 3 more: 3 Running',
    ]);
  });
});

describe('renderStatusBlock()', () => {
  it('has all columns where they have room', () => {
    expect(lines({ columns: 110 })).toEqual([
      'POD         READY  STATUS            RESTARTS  AGE  NOW                q stop  d describe  l logs off  ? help',
      'shop        1/4    CrashLoopBackOff  3         60s',
      ' ✓ proxy           Running           0         30s  sidecar',
      ' › app             Running           0         30s  startup probe 4 of 30 in 3s',
      ' ✗ crasher         CrashLoopBackOff  3              back-off 38s left, exit code 3',
      ' ✗ stuck           ImagePullBackOff  0              back-off 8s left: Back-off pulling image "nowhere"',
      'db          1/1    Running           0         60s  liveness probe in 8s',
    ]);
  });

  it('cuts the current activity at 80 columns, and leaves columns out at 60', () => {
    expect(lines({ columns: 80 })).toEqual([
      'POD         READY  STATUS            RST  AGE  NOW               q stop  ? help',
      'shop        1/4    CrashLoopBackOff  3    60s',
      ' ✓ proxy           Running           0    30s  sidecar',
      ' › app             Running           0    30s  startup probe 4 of 30 in 3s',
      ' ✗ crasher         CrashLoopBackOff  3         back-off 38s left, exit code 3',
      ' ✗ stuck           ImagePullBackOff  0         back-off 8s left: Back-off pull…',
      'db          1/1    Running           0    60s  liveness probe in 8s',
    ]);
    expect(lines({ columns: 60 })).toEqual([
      'POD         READY  STATUS            NOW     q stop  ? help',
      'shop        1/4    CrashLoopBackOff',
      ' ✓ proxy           Running           sidecar',
      ' › app             Running           startup probe 4 of 30…',
      ' ✗ crasher         CrashLoopBackOff  back-off 38s left, ex…',
      ' ✗ stuck           ImagePullBackOff  back-off 8s left: Bac…',
      'db          1/1    Running           liveness probe in 8s',
    ]);
  });

  it.each([0, 1, 2, 9, 10, 20, 60, 80, 200])('never fills a line of %i columns', (columns) => {
    for (let rows = 1; rows < 10; rows++) {
      const drawn = lines({ columns, rows });
      expect(drawn.length).toBeLessThanOrEqual(rows);
      expect(drawn.filter((line) => line.length > Math.max(0, columns - 1))).toEqual([]);
    }
  });

  it('shortens long names in their middle, to make room for the current activity', () => {
    const names = [
      'payments-reconciliation-worker-nightly-7c9d8f6b54-x2lqv',
      'payments-reconciliation-worker-nightly-abc',
    ];
    const pods = names.map((name) => ({ pod: named(name), activity: undefined }));
    expect(lines({ pods, keys: [] }).map((line) => line.slice(0, 40))).toEqual([
      'POD                   READY  STATUS   RS',
      'payments-…6b54-x2lqv  1/1    Running  0 ',
      'payments-…ightly-abc  1/1    Running  0 ',
    ]);
  });

  it('gives a Pod one line where its containers have no room', () => {
    expect(lines({ rows: 3 })).toEqual([
      'shop  1/4    CrashLoopBackOff  3    60s  crasher: back-off 38s left, exit code…',
      'db    1/1    Running           0    60s  liveness probe in 8s',
    ]);
  });

  it('shows the most interesting Pods where there is no room for all, and counts the others', () => {
    const pods = Array.from({ length: 50 }, (_, index) => {
      const name = `pod-${index}`;
      const isPending = index % 5 === 1;
      const pod = isPending
        ? named(name, { status: { phase: 'Pending', conditions: [], containerStatuses: [waiting('main', '')] } })
        : named(name);
      return { pod: index === 48 ? { ...shop, metadata: pod.metadata } : pod, activity: undefined };
    });
    expect(lines({ pods, rows: 6 })).toEqual([
      'POD     READY  STATUS            RST  AGE  NOW                   q stop  ? help',
      'pod-48  1/4    CrashLoopBackOff  3    60s  crasher: back-off, exit code 3',
      'pod-1   0/1    Pending           0    60s',
      'pod-6   0/1    Pending           0    60s',
      'pod-11  0/1    Pending           0    60s',
      '… and 46 more: 39 Running, 7 Pending',
    ]);
    expect(lines({ pods, rows: 1, keys: [] })).toEqual(['50 Pods: 39 Running, 10 Pending, 1 CrashLoopBackOff']);
  });

  it('keeps the widths of the columns it had', () => {
    const { widths } = renderStatusBlock(block({}));
    const alone = renderStatusBlock(block({ pods: [{ pod: db, activity: undefined }], keys: [], widths }));
    expect(alone.lines[1]).toBe('db          1/1    Running           0    60s');
  });

  it('has no room for what a terminal would obey, and counts cells, not characters', () => {
    const failed = named('failed', {
      status: { phase: 'Failed', reason: 'Evicted', message: '\u001B[2J日本語日本語日本語\r\u0007日本語日本語' },
    });
    expect(lines({ pods: [{ pod: failed, activity: undefined }], columns: 60, rows: 2 })).toEqual([
      'failed  1/1    Evicted  0    60s  Evicted: 日本語日本語日…',
    ]);
  });
});

describe('what is going on', () => {
  const main = (status: ReturnType<typeof running>): StoredPod => webPod({ status: { containerStatuses: [status] } });
  const ready = main(running('main'));
  const unready = main(running('main', { ready: false }));
  const stop = (stage: 'preStop' | 'turn' | 'signalled' | 'killed'): PodActivity =>
    activity({ isEnding: true, containers: { main: { ...idle, stop: { stage, untilMs: inSeconds(4.5) } } } });

  it.each<[want: string, pod: StoredPod, activity: PodActivity]>([
    ['', ready, activity({})],
    ['readiness probe in 3s', ready, activity({ probes: [probe({ lastOutcome: 'success', run: 9 })] })],
    ['readiness probe 3 of 3 in 3s', ready, activity({ probes: [probe({ lastOutcome: 'failure', run: 2 })] })],
    ['readiness probe in 3s, 7 failed', unready, activity({ probes: [probe({ lastOutcome: 'failure', run: 7 })] })],
    [
      'readiness probe in 3s, 1 of 2 succeeded',
      unready,
      activity({ probes: [probe({ lastOutcome: 'success', run: 1, successThreshold: 2 })] }),
    ],
    [
      'startup probe 1 of 30 running',
      unready,
      activity({ probes: [probe({ type: 'startup', dueMs: undefined, failureThreshold: 30 })] }),
    ],
    [
      'liveness probe 2 of 3 in 5s',
      ready,
      activity({
        probes: [probe({}), probe({ type: 'liveness', dueMs: inSeconds(5), lastOutcome: 'failure', run: 1 })],
      }),
    ],
    ['readiness probe in 0s', ready, activity({ probes: [probe({ dueMs: inSeconds(-1) })] })],
    ['preStop hook, 5s of grace left', ready, stop('preStop')],
    ['waits for its turn', ready, stop('turn')],
    ['stopping, 5s of grace left', ready, stop('signalled')],
    ['killed', ready, stop('killed')],
    [
      'postStart hook runs',
      main(waiting('main', 'ContainerCreating')),
      activity({ containers: { main: { ...idle, isInPostStart: true } } }),
    ],
    ['deadline in 1m30s', ready, activity({ deadlineMs: inSeconds(89.5) })],
    ['6s of grace left', webPod({ metadata: { deletionTimestamp: at(5.2) } }), activity({})],
    [
      'waiting for readiness gate example.com/gate',
      webPod({
        spec: { readinessGates: [{ conditionType: 'example.com/gate' }] },
        status: {
          conditions: [
            { type: 'ContainersReady', status: 'True' },
            { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' },
          ],
        },
      }),
      activity({}),
    ],
    [
      'container main exited with code 3',
      webPod({ status: { phase: 'Failed', containerStatuses: [ended('main', 3)] } }),
      activity({}),
    ],
  ])('%s', (want, pod, own) => {
    const [line = ''] = lines({ pods: [{ pod, activity: own }], rows: 1, columns: 200 });
    expect(line.replace(/^web +\S+ +\S+ +\S+ +\S+ */, '')).toBe(want);
  });
});

it('a Service has a line with its address and its ready endpoints', () => {
  const urls = ['http://127.96.0.12:80'];
  const service = { name: 'web', creationTimestamp: at(-5), urls, endpoints: 3, ready: 2 };
  const { lines } = renderStatusBlock(block({ services: [service], columns: 110 }));
  expect(lines[0]).toMatch(/^NAME /);
  expect(lines[1]).toMatch(/^service\/web +2\/3 +Service +5s +http:\/\/127\.96\.0\.12:80$/);
});

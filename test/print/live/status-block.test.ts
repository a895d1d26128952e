import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import type { PodActivity } from '../../../src/lifecycle/activity.ts';
import type { FollowedAddress } from '../../../src/print/workloads/workload-row.ts';
import { type Painter, PLAIN } from '../../../src/print/text/painter.ts';
import {
  blockTargets,
  renderStatusBlock,
  type StatusBlock,
  targetName,
} from '../../../src/print/workloads/status-block.ts';
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
  keys: ['? help', 'q stop  ? help', 'q stop  ↑↓ select  / filter  ? help'],
  ...change,
});
const lines = (change: Partial<StatusBlock>): readonly string[] => renderStatusBlock(block(change)).lines;

const FULL = { replicas: 3, readyReplicas: 3, updatedReplicas: 3 };
const busy = activity({});
const two = { containers: [container('cache'), container('web')] };
const replica = (name: string, change: Parameters<typeof webPod>[0] = {}): StoredPod => {
  const status = { containerStatuses: [running('cache'), running('web')], ...change.status };
  return webPod({ spec: two, metadata: { name, uid: name }, status });
};
const shopUrl = (change: Partial<FollowedAddress> = {}): FollowedAddress => ({
  name: 'ingress/web',
  urls: ['http://shop.localhost:8081'],
  isServed: true,
  trouble: undefined,
  workload: 'w-1',
  ...change,
});

describe('workloads', () => {
  const wellPods = ['web-pcpcs', 'web-hgckf'].map((name) => ({ pod: replica(name), activity: busy }));
  const web = { workload: workload('Deployment', FULL), pods: wellPods };
  const crashed = {
    status: { containerStatuses: [running('cache'), waiting('web', 'CrashLoopBackOff', { restartCount: 2 })] },
  };

  it('have their addresses beside them, and their Pods that are well side by side below', () => {
    expect(lines({ columns: 110, workloads: [web], addresses: [shopUrl()], pods: [] })).toEqual([
      'web  3/3 ready  http://shop.localhost:8081                                q stop  ↑↓ select  / filter  ? help',
      '  pcpcs ✓ cache ✓ web    hgckf ✓ cache ✓ web',
    ]);
  });

  it('have whole addresses, in lines of their own where there is no room beside', () => {
    const url = `http://shop.localhost:8081/${'a'.repeat(60)}`;
    const drawn = lines({ columns: 60, workloads: [web], addresses: [shopUrl({ urls: [url] })], pods: [], keys: [] });
    expect(drawn.slice(0, 3).map((line) => line.trim())).toEqual(['web  3/3 ready', url.slice(0, 57), url.slice(57)]);
  });

  it('show an address without a ready Pod in red, and no address that another program has', () => {
    const tags: Painter = { tone: (tone, text) => `<${tone}>${text}`, series: (_, text) => text };
    const unserved = shopUrl({ isServed: false });
    expect(lines({ workloads: [web], addresses: [unserved], pods: [], color: tags })[0]).toContain(
      '<bad>http://shop.localhost:8081',
    );
    const taken = { ...unserved, name: 'service/web', trouble: 'PortTaken: httpd (pid 16) has 127.96.43.33:80' };
    const [, , line] = lines({ columns: 110, workloads: [web], addresses: [taken], pods: [] });
    expect(line).toBe('service/web  not served  PortTaken: httpd (pid 16) has 127.96.43.33:80');
  });

  it('have lines for Pods that are not well, and for their containers', () => {
    const crashing = replica('web-x', crashed);
    const pods = [...wellPods, { pod: crashing, activity: busy }];
    expect(lines({ columns: 110, workloads: [{ ...web, pods }], pods: [], keys: [] })).toEqual([
      'web          3/3 ready',
      '  pcpcs ✓ cache ✓ web    hgckf ✓ cache ✓ web',
      '  web-x      CrashLoopBackOff  2 restarts',
      '    ✓ cache  Running',
      '    ✗ web    CrashLoopBackOff  back-off  2 restarts',
    ]);
  });

  it('have a column of nodes where there are several', () => {
    const on = (pod: StoredPod, nodeName?: string): StoredPod => ({ ...pod, spec: { ...pod.spec, nodeName } });
    const crashing = { pod: on(replica('web-x', crashed), 'node-11'), activity: busy };
    const well = wellPods.map(({ pod, activity }) => ({ pod: on(pod, 'node-2'), activity }));
    const other = { pod: on(named('db', { status: { phase: 'Pending' } })), activity: busy };
    const shown = { columns: 110, workloads: [{ ...web, pods: [...well, crashing] }], pods: [other], keys: [] };
    expect(lines({ ...shown, hasNodes: true })).toEqual([
      'web          3/3 ready',
      '  pcpcs node-2 ✓ cache ✓ web    hgckf node-2 ✓ cache ✓ web',
      '  web-x      CrashLoopBackOff  node-11  2 restarts',
      '    ✓ cache  Running',
      '    ✗ web    CrashLoopBackOff           back-off  2 restarts',
      'db           Pending',
    ]);
    expect(lines(shown)).not.toContainEqual(expect.stringContaining('node-'));
  });

  it('have lines for Pods whose containers are ready, but not the node or a gate', () => {
    const lost = named('web-1', { status: { conditions: conditions({ ContainersReady: 'True', Ready: 'False' }) } });
    const pods = [...wellPods, { pod: lost, activity: busy }];
    expect(lines({ columns: 110, workloads: [{ ...web, pods }], pods: [], keys: [] }).slice(1)).toEqual([
      '  pcpcs ✓ cache ✓ web    hgckf ✓ cache ✓ web',
      '  web-1  Running    its node is not ready',
    ]);
  });

  it('fold many Pods that are well, and count the rest', () => {
    const pods = Array.from({ length: 40 }, (_, index) => ({ pod: named(`web-p${index}`), activity: busy }));
    const drawn = lines({ workloads: [{ ...web, pods }], pods: [] });
    expect(drawn).toHaveLength(4);
    expect(drawn[1]).toMatch(/^ {2}✓ p0 {4}✓ p1 /);
    expect(drawn[3]).toMatch(/^ {2}… and (\d+) more: \1 Running$/);
  });

  it('count the running Pods of a Job, and come before Pods where there is little room', () => {
    const pods = [named('many-1'), named('many-6', { status: { phase: 'Succeeded' } })];
    const job = workload('Job', { succeeded: 1 }, {}, { name: 'many', uid: 'w-2' });
    const followed = pods.map((pod) => ({ pod, activity: busy }));
    const drawn = lines({ rows: 3, workloads: [web, { workload: job, pods: followed }], pods: [], keys: [] });
    expect(drawn).toEqual(['web   3/3 ready', 'many  1/5 complete, 1 running', '… and 3 more: 3 Running']);
  });
});

describe('renderStatusBlock()', () => {
  it('has a line for each Pod, and lines for the containers of a Pod that is not well', () => {
    expect(lines({ columns: 110 })).toEqual([
      'shop         CrashLoopBackOff  3 restarts                                 q stop  ↑↓ select  / filter  ? help',
      '  ✓ proxy    Running           sidecar',
      '  › app      Running           startup probe 4 of 30 in 3s',
      '  ✗ crasher  CrashLoopBackOff  back-off 38s left, exit code 3  3 restarts',
      '  ✗ stuck    ImagePullBackOff  back-off 8s left: Back-off pulling image "nowhere"',
      'db           Running           liveness probe in 8s',
    ]);
  });

  it('folds a Pod that is well to one line', () => {
    const pods = [{ pod: replica('web'), activity: busy }];
    expect(lines({ pods, keys: [] })).toEqual(['web  Running  ✓ cache ✓ web']);
  });

  it('cuts the current activity in a narrow terminal', () => {
    expect(lines({ columns: 60 })[4]).toBe('  ✗ stuck    ImagePullBackOff  back-off 8s left: Back-off …');
  });

  it.each([0, 1, 2, 9, 10, 20, 60, 80, 200])('never fills a line of %i columns', (columns) => {
    for (let rows = 1; rows < 10; rows++) {
      const drawn = lines({ columns, rows, addresses: [shopUrl()], selected: { pod: shop, container: 'app' } });
      expect(drawn.length).toBeLessThanOrEqual(rows);
      expect(drawn.filter((line) => line.length > Math.max(0, columns - 1))).toEqual([]);
    }
  });

  it('gives a Pod one line where its containers have no room', () => {
    expect(lines({ rows: 3, keys: [] })).toEqual([
      'shop         CrashLoopBackOff  ✓ proxy › app ✗ crasher ✗ stuck  crasher: back-…',
      'db           Running           liveness probe in 8s',
    ]);
  });

  it('shows the most interesting Pods where there is no room for all, and counts the rest', () => {
    const pods = Array.from({ length: 50 }, (_, index) => {
      const name = `pod-${index}`;
      const isPending = index % 5 === 1;
      const pod = isPending
        ? named(name, { status: { phase: 'Pending', conditions: [], containerStatuses: [waiting('main', '')] } })
        : named(name);
      return { pod: index === 48 ? { ...shop, metadata: pod.metadata } : pod, activity: undefined };
    });
    const drawn = lines({ pods, rows: 6, keys: [] });
    expect(drawn.map((line) => line.split(/ {2,}/)[0])).toEqual([
      'pod-1',
      'pod-6',
      'pod-11',
      'pod-16',
      'pod-48',
      '… and 45 more: 39 Running, 6 Pending',
    ]);
    expect(lines({ pods, rows: 1, keys: [] })).toEqual(['50 in all: 39 Running, 10 Pending, 1 CrashLoopBackOff']);
  });

  it('keeps the widths of the columns it had', () => {
    const { widths } = renderStatusBlock(block({}));
    const alone = renderStatusBlock(block({ pods: [{ pod: db, activity: undefined }], keys: [], widths }));
    expect(alone.lines).toEqual(['db           Running']);
  });

  it('has no room for what a terminal would obey, and counts cells, not characters', () => {
    const failed = named('failed', {
      status: { phase: 'Failed', reason: 'Evicted', message: '\u001B[2J日本語日本語日本語\r\u0007日本語日本語' },
    });
    expect(lines({ pods: [{ pod: failed, activity: undefined }], columns: 40, rows: 2, keys: [] })).toEqual([
      'failed  Evicted  Evicted: 日本語日本語…',
    ]);
  });
});

describe('a choice', () => {
  it('is marked, and has lines for its containers apart from the Pods that are well', () => {
    const pods = ['web-pcpcs', 'web-hgckf'].map((name) => ({ pod: replica(name), activity: busy }));
    const workloads = [{ workload: workload('Deployment', FULL), pods }];
    const [first] = pods;
    expect(lines({ workloads, pods: [], keys: [], selected: { pod: first!.pod, container: 'web' } })).toEqual([
      '  web          3/3 ready',
      '    hgckf ✓ cache ✓ web',
      '    web-pcpcs  Running',
      '      ✓ cache  Running',
      '▸     ✓ web    Running',
    ]);
  });

  it('goes through Pods and their containers in the order of the block, without what a filter hides', () => {
    const { pods } = block({});
    expect(blockTargets({ workloads: [], pods }).map(targetName)).toEqual([
      'shop',
      'shop/proxy',
      'shop/app',
      'shop/crasher',
      'shop/stuck',
      'db',
    ]);
    expect(blockTargets({ workloads: [], pods, filter: 'db' }).map(targetName)).toEqual(['db']);
    expect(lines({ filter: 'db', keys: [] })).toEqual(['db  Running  liveness probe in 8s']);
  });
});

describe('what happens now', () => {
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
    const [line = ''] = lines({ pods: [{ pod, activity: own }], rows: 1, columns: 200, keys: [] });
    expect(line.replace(/^web +\S+ */, '')).toBe(want);
  });
});

// The API server: its start, its memory with Pods, lists, writes, deletions and watchers.

import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { apiServer } from '../harness/api-server.mjs';
import { quantile, samplesOf, single } from '../harness/samples.mjs';

const PODS = 100;
const STARTS = 3;
const CREATES = 500;
/** The creates after these, when V8 has compiled their code. A real API server makes 858 a second with 10 requests. */
const BUSY_CREATES = 3000;
const BUSY_TOGETHER = 10;
const LISTED = 1000;
const LISTS = 10;
const DELETES = 200;
const WATCHERS = 200;
/** The first changes of a server wait until V8 has compiled their code: they are not counted. */
const FIRST_CHANGES = 100;
const CHANGES = 300;
const CHANGES_PER_SECOND = 100;
const IDLE_SECONDS = 10;
/** The time after the last Ready in which the server collects what the start has left, and what it forgets later. */
const SETTLE_MS = 60_000;
const TOGETHER = 8;

const NAMESPACE = '/api/v1/namespaces/default';
const MAPS = `${NAMESPACE}/configmaps`;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  if (process.platform !== 'linux') return [];
  const starts = [];
  for (let round = 0; round < STARTS; round++) {
    const server = await apiServer(podrun, path.join(folder, `start-${round}`));
    starts.push(server.startMs);
    await server.stop();
  }
  const server = await apiServer(podrun, path.join(folder, 'state'));
  try {
    const creates = await creation(server, 0, CREATES, TOGETHER);
    const busy = await creation(server, CREATES, CREATES + BUSY_CREATES, BUSY_TOGETHER);
    await server.call('DELETE', MAPS + '?fieldSelector=metadata.name!=kube-root-ca.crt');
    await creation(server, 0, DELETES, TOGETHER);
    const deletes = await deletion(server);
    await withPods(server);
    await pause(SETTLE_MS);
    const memory = server.usage().rssBytes / 1e6;
    const idle = await idleShare(server);
    const lists = await listing(server);
    const watched = await watching(server);
    return rows({ starts, creates, busy, deletes, memory, idle, lists, watched });
  } finally {
    await server.stop();
  }
}

function rows({ starts, creates, busy, deletes, memory, idle, lists, watched }) {
  const less = { better: 'less' };
  return [
    {
      ...less,
      name: 'server.start',
      what: 'podrun serve, from the start of the process to the answer of /readyz',
      unit: 'ms',
      podrun: samplesOf(starts),
      promises: [{ atMost: 300 }],
    },
    ...createRows(creates, busy),
    {
      ...less,
      name: 'server.deletes',
      what: `${DELETES} ConfigMaps, processor time of each`,
      unit: 'ms',
      podrun: single(deletes),
    },
    {
      ...less,
      name: 'server.memory',
      what: `${PODS} Pods that run: resident memory`,
      unit: 'MB',
      podrun: single(memory),
      promises: [{ atMost: 90 }],
    },
    {
      ...less,
      name: 'server.idle',
      what: `${PODS} Pods that run, no requests: of one core`,
      unit: '%',
      podrun: single(idle),
      promises: [{ atMost: 0.2 }],
    },
    {
      ...less,
      name: 'server.list',
      what: `a list of ${LISTED} Pods`,
      unit: 'ms',
      podrun: samplesOf(lists),
      promises: [{ atMost: 60 }],
    },
    {
      ...less,
      name: 'server.watch',
      what: `${WATCHERS} watchers of ${LISTED} Pods, ${CHANGES_PER_SECOND} changes a second: 99 of 100 arrive within`,
      unit: 'ms',
      podrun: single(watched.p99Ms),
      promises: [{ atMost: 50 }],
      note: `${watched.events} events, memory ${watched.beforeMB.toFixed(0)} to ${watched.afterMB.toFixed(0)} MB`,
    },
  ];
}

function createRows(creates, busy) {
  const row = ({ perSecond, cpuMs }, rest) => ({
    better: 'more',
    unit: '/s',
    podrun: single(perSecond),
    note: `${cpuMs.toFixed(2)} ms of processor time each`,
    ...rest,
  });
  return [
    row(creates, {
      name: 'server.creates',
      what: `${CREATES} ConfigMaps, ${TOGETHER} requests at a time`,
      promises: [{ atLeast: 500 }],
    }),
    row(busy, {
      name: 'server.creates-busy',
      what: `${BUSY_CREATES} more ConfigMaps, ${BUSY_TOGETHER} requests at a time`,
      promises: [{ atLeast: 900 }],
    }),
  ];
}

const map = (name) => ({ metadata: { name }, data: { key: 'value' } });

/** Does something some times, several at a time. */
async function times(count, task, together = TOGETHER) {
  let next = 0;
  const worker = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: together }, worker));
}

/** Creates ConfigMaps, from one number to another. */
async function creation(server, from, to, together) {
  const [before, beganMs] = [server.usage().cpuMs, performance.now()];
  const count = to - from;
  await times(count, (index) => server.call('POST', MAPS, map(`map-${from + index}`)), together);
  const seconds = (performance.now() - beganMs) / 1000;
  return { perSecond: count / seconds, cpuMs: (server.usage().cpuMs - before) / count };
}

async function deletion(server) {
  const before = server.usage().cpuMs;
  await times(DELETES, (index) => server.call('DELETE', `${MAPS}/map-${index}`));
  return (server.usage().cpuMs - before) / DELETES;
}

function pod(name, spec) {
  const containers = [{ name: 'main', image: 'busybox', command: ['sleep', '3600'] }];
  return { metadata: { name }, spec: { terminationGracePeriodSeconds: 0, containers, ...spec } };
}

async function withPods(server) {
  await times(PODS, (index) => server.call('POST', `${NAMESPACE}/pods`, pod(`web-${index}`)));
  for (;;) {
    const { items } = JSON.parse(await server.call('GET', `${NAMESPACE}/pods`));
    if (items.every(({ status }) => status.phase === 'Running')) return;
    await pause(100);
  }
}

async function idleShare(server) {
  const [before, beganMs] = [server.usage().cpuMs, performance.now()];
  await pause(IDLE_SECONDS * 1000);
  return ((server.usage().cpuMs - before) / (performance.now() - beganMs)) * 100;
}

/** Lists many Pods, most of which wait to be scheduled: their processes would only cost time here. */
async function listing(server) {
  const spec = { schedulingGates: [{ name: 'example.com/wait' }] };
  await times(LISTED - PODS, (index) => server.call('POST', `${NAMESPACE}/pods`, pod(`gated-${index}`, spec)));
  const taken = [];
  for (let round = 0; round < LISTS; round++) {
    const beganMs = performance.now();
    await server.call('GET', `${NAMESPACE}/pods`);
    taken.push(performance.now() - beganMs);
  }
  return taken;
}

/** The times from the request of a change to its event, over all watchers. */
async function watching(server) {
  const { metadata } = JSON.parse(await server.call('GET', `${NAMESPACE}/pods?limit=1`));
  const target = `${NAMESPACE}/pods?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const sentAt = new Map();
  const delays = [];
  const seen = (piece) => {
    for (const [, number] of piece.toString().matchAll(/"bench-change":"(\d+)"/g)) {
      if (Number(number) >= FIRST_CHANGES) delays.push(performance.now() - sentAt.get(Number(number)));
    }
  };
  for (let index = 0; index < WATCHERS; index++) await server.watch(target, seen);
  const beforeMB = server.usage().rssBytes / 1e6;
  const changes = [];
  for (let change = 0; change < FIRST_CHANGES + CHANGES; change++) {
    sentAt.set(change, performance.now());
    const annotations = { 'bench-change': String(change) };
    changes.push(server.patch(`${NAMESPACE}/pods/gated-${change}`, { metadata: { annotations } }));
    await pause(1000 / CHANGES_PER_SECOND);
  }
  await Promise.all(changes);
  // An event in two pieces is not counted.
  for (let waits = 0; waits < 200 && delays.length < WATCHERS * CHANGES; waits++) await pause(50);
  const sorted = delays.toSorted((one, other) => one - other);
  return { p99Ms: quantile(sorted, 0.99), events: delays.length, beforeMB, afterMB: server.usage().rssBytes / 1e6 };
}

// No client waits for another client's work: one asks `/readyz` every 10 ms while the server has much to do.

import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { apiServer } from '../harness/api-server.mjs';
import { started } from '../harness/processes.mjs';
import { quantile, single } from '../harness/samples.mjs';

const LOOP_DELAY = path.join(import.meta.dirname, '../harness/loop-delay.cjs');
const PROBER = path.join(import.meta.dirname, '../harness/readiness-prober.mjs');

const TOGETHER = 8;
const LOOK_MS = 100;
const LONGEST_MS = 300_000;
/** The time in which the minute of a CronJob comes, and its Jobs run. */
const CRON_MS = 75_000;
/** The Pods that a node runs. */
const CAPACITY = 110;

const NAMESPACE = '/api/v1/namespaces/default';
const MAPS = `${NAMESPACE}/configmaps`;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

/**
 * @typedef {object} Load
 * @property {string} name
 * @property {string} what
 * @property {(server) => Promise<void>} [prepare]  before the measurement
 * @property {(server) => Promise<void>} run        is over when the work of the server is
 */

/** @type {Load[]} */
const LOADS = [
  {
    name: 'pods',
    what: '200 Pods start, 110 of which run',
    run: async (server) => {
      await times(200, (index) => server.call('POST', `${NAMESPACE}/pods`, pod(`web-${index}`)));
      await until(async () => (await running(server)) === CAPACITY);
    },
  },
  {
    name: 'cronjobs',
    what: '200 CronJobs have their minute',
    run: async (server) => {
      const target = '/apis/batch/v1/namespaces/default/cronjobs';
      await times(200, (index) => server.call('POST', target, cronJob(`each-${index}`)));
      await pause(CRON_MS);
    },
  },
  {
    name: 'deletecollection',
    what: 'a collection of 5,000 ConfigMaps is deleted',
    prepare: (server) => times(5000, (index) => server.call('POST', MAPS, map(`map-${index}`))),
    run: (server) => server.call('DELETE', MAPS),
  },
  {
    name: 'namespace',
    what: 'a namespace with 2,000 ConfigMaps is deleted',
    prepare: async (server) => {
      await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'full' } });
      await times(2000, (index) => server.call('POST', '/api/v1/namespaces/full/configmaps', map(`map-${index}`)));
    },
    run: async (server) => {
      await server.call('DELETE', '/api/v1/namespaces/full');
      await until(async () => !(await server.call('GET', '/api/v1/namespaces')).includes('"full"'));
    },
  },
  {
    name: 'large-object',
    what: 'three ConfigMaps of 8,000 keys are created, applied by two managers, patched and updated',
    run: async (server) => {
      for (const name of ['one', 'two', 'three']) {
        const large = { ...map(name), apiVersion: 'v1', kind: 'ConfigMap', data: keys(8000) };
        await server.call('POST', MAPS, large);
        const applied = `${MAPS}/${name}?force=true&fieldManager=`;
        for (const manager of ['one', 'other'])
          await server.call('PATCH', applied + manager, large, 'application/apply-patch+yaml');
        await server.patch(`${MAPS}/${name}`, { data: { 'key-1': 'changed' } });
        await server.call('PUT', `${MAPS}/${name}`, large);
      }
    },
  },
  {
    name: 'deployment-1000',
    what: 'a Deployment of 1,000 replicas, 110 of which run',
    run: (server) => deployment(server, 1000),
  },
  {
    name: 'deployment-10000',
    what: 'a Deployment of 10,000 replicas, 110 of which run',
    run: (server) => deployment(server, 10_000),
  },
  {
    name: 'scale-down',
    what: 'a Deployment of 1,000 replicas is scaled to 0',
    prepare: (server) => deployment(server, 1000),
    run: async (server) => {
      await server.patch(`${DEPLOYMENTS}/wide`, { spec: { replicas: 0 } });
      await until(async () => (await count(server, `${NAMESPACE}/pods`)) === 0);
    },
  },
];

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  if (process.platform !== 'linux') return [];
  const wanted = process.env.PODRUN_BENCH_LOADS?.split(',');
  const rows = [];
  for (const load of LOADS) {
    if (wanted !== undefined && !wanted.includes(load.name)) continue;
    rows.push(rowOf(load, await measured(load, podrun, path.join(folder, load.name))));
  }
  return rows;
}

function rowOf({ name, what }, { delays, loop, seconds, cpuMs }) {
  const [median, p99, slowest] = [0.5, 0.99, 1].map((share) => quantile(delays, share));
  const round = (ms) => ms.toFixed(0);
  return {
    name: `server-fairness.${name}`,
    what: `${what}: 99 of 100 responses of /readyz within`,
    unit: 'ms',
    better: 'less',
    podrun: single(p99),
    promises: [{ atMost: 50 }],
    note:
      `median ${round(median)} ms, slowest ${round(slowest)} ms of ${delays.length} in ${seconds.toFixed(1)} s; ` +
      `processor time of the server ${(cpuMs / 1000).toFixed(1)} s; ` +
      `event loop: 99 of 100 turns within ${round(loop.p99Ms)} ms, slowest ${round(loop.maxMs)} ms`,
  };
}

async function measured({ prepare, run }, podrun, state) {
  const profile = process.env.PODRUN_BENCH_PROFILE;
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const server = await apiServer(podrun, state, ['-r', LOOP_DELAY, ...flags]);
  try {
    await prepare?.(server);
    const prober = started([process.execPath, PROBER], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const heard = () => new Promise((resolve) => prober.child.once('message', resolve));
    const begun = heard();
    prober.child.send(server.address);
    await begun;
    await server.ask('begin');
    // A histogram that was reset leaves out its first interval.
    await pause(LOOK_MS);
    const beganMs = performance.now();
    const { cpuMs: usedBefore } = server.usage();
    await run(server);
    const seconds = (performance.now() - beganMs) / 1000;
    const cpuMs = server.usage().cpuMs - usedBefore;
    const loop = await server.ask('end');
    const delivered = heard();
    prober.child.send('end');
    const delays = (await delivered).toSorted((one, other) => one - other);
    return { delays, loop, seconds, cpuMs };
  } finally {
    await server.stop();
  }
}

const map = (name) => ({ metadata: { name }, data: { key: 'value' } });

function keys(number) {
  return Object.fromEntries(Array.from({ length: number }, (_, index) => [`key-${index}`, 'value']));
}

function podSpec(command, rest) {
  const containers = [{ name: 'main', image: 'busybox', command }];
  return { terminationGracePeriodSeconds: 0, containers, ...rest };
}

function pod(name) {
  return { metadata: { name }, spec: podSpec(['sleep', '3600']) };
}

function cronJob(name) {
  const template = { spec: podSpec(['true'], { restartPolicy: 'Never' }) };
  return { metadata: { name }, spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } } };
}

async function deployment(server, replicas) {
  const labels = { app: 'wide' };
  const template = { metadata: { labels }, spec: podSpec(['sleep', '3600']) };
  await server.call('POST', DEPLOYMENTS, {
    metadata: { name: 'wide' },
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
  await until(async () => {
    const { status } = JSON.parse(await server.call('GET', `${DEPLOYMENTS}/wide`));
    return status?.replicas === replicas && status.readyReplicas === CAPACITY;
  });
}

async function running(server) {
  return await count(server, `${NAMESPACE}/pods?fieldSelector=status.phase%3DRunning`);
}

/** The objects of a list: a list of one has the number of the remaining ones. */
async function count(server, target) {
  return JSON.parse(await server.call('GET', target)).items.length;
}

/** Does something some times, several at a time. */
async function times(number, task) {
  let next = 0;
  const worker = async () => {
    while (next < number) await task(next++);
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}

async function until(isDone) {
  const untilMs = performance.now() + LONGEST_MS;
  while (!(await isDone())) {
    if (performance.now() > untilMs) throw new Error(`not done after ${LONGEST_MS / 1000} s`);
    await pause(LOOK_MS);
  }
}

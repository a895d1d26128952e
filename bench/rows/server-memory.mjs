// The memory of `podrun serve` depends on what is stored now, not on what was stored once; descriptors on what runs.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { apiServer } from '../harness/api-server.mjs';
import { single } from '../harness/samples.mjs';

const MAPS = 100_000;
const VALUE = 'x'.repeat(1024);
const WAITING = 2000;
const TOGETHER = 8;
/** The time in which the server forgets changes, and V8 collects. */
const SETTLE_MS = 60_000;

const NAMESPACE = '/api/v1/namespaces/default';

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  if (process.platform !== 'linux') return [];
  const server = await apiServer(podrun, path.join(folder, 'state'));
  try {
    const megabytes = () => server.usage().rssBytes / 1e6;
    const before = descriptors(server);
    await times(WAITING, (index) => server.call('POST', `${NAMESPACE}/pods`, waitingPod(`waits-${index}`)));
    const opened = descriptors(server) - before;
    await server.call('DELETE', `${NAMESPACE}/pods`);
    await times(MAPS, (index) => server.call('POST', `${NAMESPACE}/configmaps`, map(`map-${index}`)));
    await pause(SETTLE_MS);
    const stored = megabytes();
    await server.call('DELETE', `${NAMESPACE}/configmaps`);
    await pause(SETTLE_MS);
    return [
      row('descriptors', `${WAITING} Pods that wait: descriptors that they have opened`, '', opened, 500),
      row('stored', `${MAPS} ConfigMaps of 1 KB: resident memory`, 'MB', stored, 250),
      row('left', 'a minute after they were deleted: resident memory', 'MB', megabytes(), 150),
    ];
  } finally {
    await server.stop();
  }
}

function row(name, what, unit, value, atMost) {
  return {
    name: `server-memory.${name}`,
    what,
    unit,
    better: 'less',
    podrun: single(value),
    promises: [{ atMost }],
  };
}

const descriptors = ({ pid }) => readdirSync(`/proc/${pid}/fd`).length;

const map = (name) => ({ metadata: { name }, data: { key: VALUE } });

function waitingPod(name) {
  const containers = [{ name: 'main', image: 'busybox' }];
  return { metadata: { name }, spec: { containers, schedulingGates: [{ name: 'example.com/wait' }] } };
}

/** Does something some times, several at a time. */
async function times(number, task) {
  let next = 0;
  const worker = async () => {
    while (next < number) await task(next++);
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}

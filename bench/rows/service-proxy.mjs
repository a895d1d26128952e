// Services of a cluster network: through podrun's own proxy and through rules of nftables, beside the Pod's own
// address. Then what they cost at rest.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { written } from '../harness/manifests.mjs';
import { descendantsOf, started, timeOf, usageOf } from '../harness/processes.mjs';
import { interleaved, samplesOf, single } from '../harness/samples.mjs';

const LOAD = path.join(import.meta.dirname, '../harness/service-load.mjs');
const ROUNDS = 5;
const SERVICES = 100;
const ENDPOINTS = 3;
const IDLE_MS = 10_000;
const SETTLE_MS = 3000;
/** The least share of direct connections, in percent. */
const PROMISES = { node: { stream: 35, connections: 40 }, nft: { stream: 80, connections: 75 } };
const TASKS = { stream: 'one stream', connections: 'new connections with an HTTP request' };

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  const command = (...words) => [podrun.node, podrun.program, '--state-dir', `${folder}/state`, ...words];
  const isPossible = (feature) =>
    JSON.parse(textOf(command('doctor', '-o', 'json'))).findings.some(
      ({ feature: found, verdict }) => found === feature && verdict === 'yes',
    );
  if (process.platform !== 'linux' || !isPossible('clusterNetworks')) return [];
  const proxies = isPossible('serviceRules') ? ['node', 'nft'] : ['node'];
  const rows = [];
  for (const proxy of proxies) rows.push(...(await speed({ command, folder, podrun, proxy })));
  return [...rows, ...(await atRest({ command, folder, podrun }))];
}

async function speed({ command, folder, podrun, proxy }) {
  const objects = [
    pod('server', { command: [podrun.node, LOAD, 'server'], readinessProbe: { tcpSocket: { port: 8080 } } }),
    pod('client', { command: ['sleep', '600'] }),
    service('server', [8080, 8081]),
  ];
  return await whileItRuns({ command, folder, objects, flags: ['--proxy', proxy] }, async () => {
    const [direct, through] = ['pod/server -o jsonpath={.status.podIP}', 'service/server -o jsonpath={.spec.clusterIP}']
      .map((words) => textOf(command('get', ...words.split(' '))))
      .map((address) => address.replace(/^127\.96\./, '10.96.'));
    const rows = [];
    for (const [task, what] of Object.entries(TASKS)) {
      const measured = (host) => () => Number(textOf(command('exec', 'client', '--', podrun.node, LOAD, task, host)));
      const values = await interleaved({ direct: measured(direct), through: measured(through) }, { rounds: ROUNDS });
      const [own, proxied] = [samplesOf(values.direct).median, samplesOf(values.through).median];
      const unit = task === 'stream' ? 'MB/s' : 'a second';
      rows.push({
        name: `service-proxy.${proxy}-${task}`,
        what: `${what} through --proxy ${proxy}: of what a direct connection has`,
        unit: '%',
        better: 'more',
        podrun: single((proxied / own) * 100),
        promises: [{ atLeast: PROMISES[proxy][task] }],
        note: `${proxied.toFixed(0)} and ${own.toFixed(0)} ${unit}`,
      });
    }
    return rows;
  });
}

/** Many Services without a connection: podrun's helper process. Then podrun is killed. */
async function atRest({ command, folder }) {
  const labels = { app: 'server' };
  const objects = [
    ...Array.from({ length: ENDPOINTS }, (_, index) => pod(`server-${index}`, { command: ['sleep', '600'] }, labels)),
    ...Array.from({ length: SERVICES }, (_, index) => service(`web-${index}`, [8080], labels)),
  ];
  return await whileItRuns({ command, folder, objects, flags: [] }, async (child) => {
    await pause(SETTLE_MS);
    const helper = descendantsOf(child.pid).find((pid) => commandOf(pid).includes('network-helper'));
    const [before, beganMs] = [usageOf(helper).cpuSeconds, performance.now()];
    await pause(IDLE_MS);
    const cpu = ((usageOf(helper).cpuSeconds - before) / (performance.now() - beganMs)) * 100_000;
    const memory = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${helper}/smaps_rollup`, 'utf8'))[1]) / 1000;
    const all = descendantsOf(child.pid);
    child.kill('SIGKILL');
    const killedMs = performance.now();
    while (all.some((pid) => commandOf(pid) !== '')) await pause(5);
    const goneMs = performance.now() - killedMs;
    const what = `podrun's helper with ${SERVICES} Services of ${ENDPOINTS} endpoints, at rest`;
    const less = { better: 'less' };
    return [
      {
        ...less,
        name: 'service-proxy.cpu',
        what: `${what}: of one core`,
        unit: '%',
        podrun: single(cpu),
        promises: [{ atMost: 0.2 }],
      },
      {
        ...less,
        name: 'service-proxy.memory',
        what: `${what}: its share of memory`,
        unit: 'MB',
        podrun: single(memory),
        promises: [{ atMost: 20 }],
      },
      {
        ...less,
        name: 'service-proxy.killed',
        what: 'from SIGKILL of podrun to the end of the last process of its network and Pods',
        unit: 'ms',
        podrun: single(goneMs),
        promises: [{ atMost: 1000 }],
      },
    ];
  });
}

/** Runs objects in a cluster network while something is measured, then deletes them. */
async function whileItRuns({ command, folder, objects, flags }, measured) {
  const file = written(folder, 'services.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const running = started(command('apply', file, '--quiet', '--network', 'cluster', ...flags), {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const first = objects.filter(({ kind }) => kind === 'Pod').map(({ metadata }) => `pod/${metadata.name}`);
    await untilStored(command, first.at(-1));
    timeOf(command('wait', '--for=condition=Ready', ...first, '--timeout', '60s'));
    return await measured(running.child);
  } finally {
    await running.stop('SIGINT');
    timeOf(command('delete', '-f', file, '--ignore-not-found'));
  }
}

async function untilStored(command, object) {
  for (let attempts = 0; ; attempts++) {
    try {
      return timeOf(command('get', object));
    } catch (error) {
      if (attempts === 100) throw error;
      await pause(100);
    }
  }
}

function textOf([program, ...args]) {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function pod(name, container, labels = { app: name }) {
  const containers = [{ name: 'main', image: 'node', ...container }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { terminationGracePeriodSeconds: 0, containers },
  };
}

function service(name, ports, selector = { app: name }) {
  const spec = { selector, ports: ports.map((port) => ({ name: `p${port}`, port })) };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

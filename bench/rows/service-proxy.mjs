// Services of a cluster network: through podrun's own proxy and through rules of nftables, beside the Pod's own
// address; from this machine; and what they cost at rest.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { commandsOf, pod, service, textOf, whileItRuns } from '../harness/cluster-run.mjs';
import { descendantsOf, usageOf } from '../harness/processes.mjs';
import { interleaved, samplesOf, single } from '../harness/samples.mjs';
import { rootlessNetworks } from '../peers/rootless-networks.mjs';

const LOAD = path.join(import.meta.dirname, '../harness/service-load.mjs');
/** The source of a client and a server without Node.js. */
const BARE = path.join(import.meta.dirname, '../harness/bare-connections.c');
const BARE_PORT = 8083;
/** The ports for HTTP of a Pod itself, and of its Service: see service-load.mjs. */
const OWN_PORT = 8080;
const SERVED_PORT = 8084;
const ROUNDS = 5;
const SERVICES = 100;
const ENDPOINTS = 3;
const IDLE_MS = 10_000;
/** After some ten quiet seconds, V8 gives back the memory that the start has left. */
const SETTLE_MS = 20_000;
/** The least share of direct connections, in percent. */
const PROMISES = {
  node: { stream: 35, connections: 40, bare: 12 },
  nft: { stream: 80, connections: 75, bare: 60 },
};
/** The least share of what the proxy passes on inside, for a client on this machine, in percent. */
const FROM_MACHINE = { stream: 75, connections: 80 };
const TASKS = {
  stream: 'one stream',
  connections: 'new connections with an HTTP request',
  bare: 'new connections of a C program',
};
const UNITS = { stream: 'MB/s', connections: 'a second', bare: 'a second' };

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure(context) {
  const command = commandsOf(context);
  const isPossible = (feature) =>
    JSON.parse(textOf(command('doctor', '-o', 'json'))).findings.some(
      ({ feature: name, verdict }) => name === feature && verdict === 'yes',
    );
  if (process.platform !== 'linux' || !isPossible('clusterNetworks')) return [];
  const proxies = isPossible('serviceRules') ? ['node', 'nft'] : ['node'];
  const rows = [];
  for (const proxy of proxies) rows.push(...(await speed({ ...context, command, proxy })));
  return [...rows, ...(await atRest({ ...context, command }))];
}

async function speed({ command, folder, podrun, peers, proxy }) {
  const bare = compiled(folder);
  const script = `"$0" "$1" server & exec "$2" server ${BARE_PORT}`;
  const node = [podrun.node, LOAD];
  const serving = bare === undefined ? [...node, 'server'] : ['sh', '-c', script, ...node, bare];
  const objects = [
    pod('server', { command: serving, readinessProbe: { tcpSocket: { port: 8080 } } }),
    pod('client', { command: ['sleep', '600'] }),
    service('server', [8081, 8082, BARE_PORT, SERVED_PORT]),
  ];
  return await whileItRuns({ command, folder, objects, flags: ['--proxy', proxy] }, async () => {
    const addressOf = (words) => textOf(command('get', ...words.split(' ')));
    const direct = addressOf('pod/server -o jsonpath={.status.podIP}');
    const numbers = addressOf('service/server -o jsonpath={.spec.clusterIP}').split('.').slice(1).join('.');
    const client = (task, host) =>
      task === 'bare'
        ? [bare, 'client', host, `${BARE_PORT}`]
        : [podrun.node, LOAD, task, host, `${host === direct ? OWN_PORT : SERVED_PORT}`];
    const inPod = (task, host) => () => Number(textOf(command('exec', 'client', '--', ...client(task, host))));
    const here = (task, host) => () => Number(textOf(client(task, host)));
    const rows = [];
    for (const task of Object.keys(TASKS).filter((each) => each !== 'bare' || bare !== undefined)) {
      const measured = await interleaved(
        {
          direct: inPod(task, direct),
          through: inPod(task, `10.${numbers}`),
          ...(proxy === 'node' && task in FROM_MACHINE && { machine: here(task, `127.${numbers}`) }),
        },
        { rounds: ROUNDS },
      );
      rows.push(...shares(proxy, task, measured));
    }
    return proxy === 'node' ? [...rows, await upload(inPod('upload', `10.${numbers}`), { podrun, peers })] : rows;
  });
}

/** The path of the C program. Undefined: there is no compiler here. */
function compiled(folder) {
  const program = path.join(folder, 'bare-connections');
  const { status } = spawnSync('cc', ['-O2', '-pthread', '-o', program, BARE], { stdio: 'inherit' });
  return status === 0 ? program : undefined;
}

function shares(proxy, task, { direct, through, machine }) {
  const share = (name, what, [part, whole], atLeast) => {
    const [one, other] = [samplesOf(part).median, samplesOf(whole).median];
    return {
      name: `service-proxy.${name}`,
      what,
      unit: '%',
      better: 'more',
      podrun: single((one / other) * 100),
      promises: [{ atLeast }],
      note: `${one.toFixed(0)} and ${other.toFixed(0)} ${UNITS[task]}`,
    };
  };
  const what = TASKS[task];
  return [
    share(
      `${proxy}-${task}`,
      `${what} through --proxy ${proxy}: of what a direct connection has`,
      [through, direct],
      PROMISES[proxy][task],
    ),
    ...(machine === undefined
      ? []
      : [
          share(
            `machine-${task}`,
            `${what} from this machine: of what a Pod has through the proxy`,
            [machine, through],
            FROM_MACHINE[task],
          ),
        ]),
  ];
}

/** One stream from a Pod to a Service, beside one from a container of a rootless engine to this machine. */
async function upload(throughService, { podrun, peers }) {
  const others = rootlessNetworks({ podrun, peers, load: LOAD });
  try {
    const measured = await interleaved({ podrun: throughService, ...others.contestants }, { rounds: ROUNDS });
    const samples = Object.fromEntries(Object.entries(measured).map(([name, values]) => [name, samplesOf(values)]));
    const { podrun: own, ...there } = samples;
    return {
      name: 'service-proxy.upload',
      what: 'one stream from a Pod through --proxy node; the peers: from a rootless network to this machine',
      unit: 'MB/s',
      better: 'more',
      podrun: own,
      peers: { ...there, ...others.missing },
      promises: [{ against: 'slirp4netns', timesBetterAtLeast: 2 }],
    };
  } finally {
    others.close();
  }
}

/** Many Services without a connection: podrun's helper process. Then podrun is killed. */
async function atRest({ command, folder }) {
  const labels = { app: 'server' };
  const objects = [
    ...Array.from({ length: ENDPOINTS }, (_, index) => pod(`server-${index}`, { command: ['sleep', '600'] }, labels)),
    ...Array.from({ length: SERVICES }, (_, index) => service(`web-${index}`, [8080], labels)),
  ];
  return await whileItRuns({ command, folder, objects }, async (child) => {
    await pause(SETTLE_MS);
    const helper = descendantsOf(child.pid).find((pid) => commandOf(pid).includes('network-helper'));
    const [before, beganMs] = [usageOf(helper).cpuSeconds, performance.now()];
    await pause(IDLE_MS);
    const cpu = ((usageOf(helper).cpuSeconds - before) / (performance.now() - beganMs)) * 100_000;
    const memory = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${helper}/smaps_rollup`, 'utf8'))[1]) / 1000;
    const all = descendantsOf(child.pid);
    child.kill('SIGKILL');
    const killedMs = performance.now();
    const untilGone = async (isCounted) => {
      while (all.some((pid) => isCounted(commandOf(pid)))) await pause(5);
      return performance.now() - killedMs;
    };
    // The watchdog's shell ends last: it looks for processes that hide.
    const withoutShellMs = await untilGone((words) => words !== '' && !words.includes('podrun-watchdog'));
    const goneMs = await untilGone((words) => words !== '');
    const what = `podrun's helper with ${SERVICES} Services of ${ENDPOINTS} endpoints, at rest`;
    const row = (name, what, unit, value, atMost) => {
      const promises = [{ atMost }];
      return { name: `service-proxy.${name}`, what, unit, better: 'less', podrun: single(value), promises };
    };
    return [
      row('cpu', `${what}: of one core`, '%', cpu, 0.2),
      row('memory', `${what}: its share of memory`, 'MB', memory, 20),
      {
        ...row('killed', 'from SIGKILL of podrun to the end of its last process', 'ms', goneMs, 1000),
        note: `${withoutShellMs.toFixed(0)} ms for all but the watchdog's shell`,
      },
    ];
  });
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

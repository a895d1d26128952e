// The CPU and memory of the agent for many running containers: each prints a line a second and is probed once a second.
// The floor is a bare Node loop that spawns the same programs, writes their lines into files and connects as often.
//
// The probes reach one server in another process. Processor time is the agent's alone.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { spawnSync } from 'node:child_process';
import { manyYaml, podYaml } from '../harness/manifests.mjs';
import { started, usageOf } from '../harness/processes.mjs';
import { quantile, samplesOf, single } from '../harness/samples.mjs';

const PERIOD_MS = 1000;
const START_MAX_MS = 300_000;
/** The time after the last Ready in which podrun does the work that it put off during the start. */
const SETTLE_MS = 3000;

const TICKER =
  '$|=1; select undef,undef,undef,rand; while (1) { print "a line of forty characters, each second\\n"; sleep 1 }';
const SERVER = path.join(import.meta.dirname, '../harness/probed-server.mjs');
const BARE = path.join(import.meta.dirname, '../harness/bare-loop.mjs');
const LOOP_DELAY = path.join(import.meta.dirname, '../harness/loop-delay.cjs');

const SHAPES = [
  { name: 'tcp-100', pods: 100, each: 1, probe: 'tcp', isFast: true },
  { name: 'tcp-300', pods: 30, each: 10, probe: 'tcp' },
  { name: 'http-300', pods: 30, each: 10, probe: 'http' },
  { name: 'exec-200', pods: 20, each: 10, probe: 'exec' },
  {
    name: 'tcp-1000',
    pods: 100,
    each: 10,
    probe: 'tcp',
    promises: { cpu: [{ atMost: 40 }], memory: [{ atMost: 160 }] },
  },
  { name: 'tcp-1000-large-pods', pods: 10, each: 100, probe: 'tcp' },
];

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder, isFast: fast }) {
  if (process.platform !== 'linux' || spawnSync('perl', ['-e', '1']).status !== 0) return [];
  const rows = [];
  for (const shape of SHAPES.filter((one) => !fast || one.isFast)) {
    const server = started([process.execPath, SERVER], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const ports = await new Promise((resolve) => server.child.once('message', resolve));
    const seconds = fast ? 4 : 10;
    const run = { shape, ports, seconds, folder: path.join(folder, shape.name) };
    const bare = await observed([process.execPath, '-r', LOOP_DELAY, BARE, ...bareArgs(run)], run, {
      line: /^ready$/,
      times: shape.pods * shape.each,
    });
    // The containers of a Pod have lines of their own: the Pod is Ready when all containers are.
    const agent = await observed([podrun.node, '-r', LOOP_DELAY, podrun.program, ...applyArgs(run)], run, {
      line: /Pod .*\bReady$/,
      times: shape.pods,
    });
    await server.stop();
    rows.push(...rowsOf(run, agent, bare));
  }
  return rows;
}

function rowsOf({ shape, folder, seconds }, agent, bare) {
  const { name, pods, each, probe, promises = {} } = shape;
  const what = `${pods * each} containers (${pods} Pods of ${each}), ${probe} probes`;
  const floorIs = 'bare loop';
  const { lateness, missed, count } = probesOf(folder, pods, seconds);
  const common = { better: 'less', floorIs };
  return [
    {
      ...common,
      name: `steady-state.${name}.cpu`,
      what: `${what}: of one core`,
      unit: '%',
      podrun: samplesOf(agent.cpuShares),
      floor: samplesOf(bare.cpuShares),
      promises: promises.cpu ?? [],
    },
    {
      ...common,
      name: `steady-state.${name}.memory`,
      what: `${what}: resident memory`,
      unit: 'MB',
      podrun: single(agent.rssBytes / 1e6),
      floor: single(bare.rssBytes / 1e6),
      promises: promises.memory ?? [],
    },
    {
      ...common,
      name: `steady-state.${name}.delay`,
      what: `${what}: delay of the event loop, 99 of 100`,
      unit: 'ms',
      podrun: single(agent.delayMs),
      floor: single(bare.delayMs),
      promises: [{ atMost: 25 }],
    },
    {
      better: 'less',
      name: `steady-state.${name}.lateness`,
      what: `${what}: how late they begin, 99 of 100`,
      unit: 'ms',
      podrun: single(quantile(lateness, 0.99)),
      promises: [{ atMost: 100 }],
      note: `${count} probes, ${missed} ticks missed, the latest ${lateness.at(-1).toFixed(0)} ms late`,
    },
  ];
}

/** Runs a contestant until it is ready, and then observes it for some seconds. */
async function observed(argv, { seconds }, ready) {
  const running = started(argv, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const ask = (question) =>
    new Promise((resolve) => {
      running.child.once('message', resolve);
      running.child.send(question);
    });
  try {
    await saysReady(running.child.stdout, ready);
    await pause(SETTLE_MS);
    await ask('begin');
    const cpuShares = [];
    for (let second = 0; second < seconds; second++) cpuShares.push(await cpuShareOf(running.child.pid));
    const { p99Ms } = await ask('end');
    return { cpuShares, rssBytes: usageOf(running.child.pid).rssBytes, delayMs: p99Ms };
  } finally {
    await running.stop('SIGINT');
  }
}

async function cpuShareOf(pid) {
  const [before, beganMs] = [usageOf(pid).cpuSeconds, performance.now()];
  await pause(PERIOD_MS);
  return ((usageOf(pid).cpuSeconds - before) / (performance.now() - beganMs)) * 100_000;
}

function saysReady(output, { line, times }) {
  return new Promise((resolve, reject) => {
    let left = times;
    let rest = '';
    const late = setTimeout(() => reject(new Error(`${left} of ${times} are not ready in time`)), START_MAX_MS);
    output.on('data', (chunk) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop();
      left -= lines.filter((one) => line.test(one)).length;
      if (left > 0) return;
      clearTimeout(late);
      resolve();
    });
  });
}

function applyArgs({ shape, ports, folder }) {
  const action = {
    tcp: { tcpSocket: { port: ports.tcp } },
    http: { httpGet: { port: ports.http, path: '/' } },
    exec: { exec: { command: ['true'] } },
  }[shape.probe];
  const readinessProbe = { periodSeconds: PERIOD_MS / 1000, timeoutSeconds: 1, ...action };
  const containers = Array.from({ length: shape.each }, (_, index) => {
    return { name: `c${index}`, image: 'busybox', command: ['perl', '-e', TICKER], readinessProbe };
  });
  const pods = Array.from({ length: shape.pods }, (_, index) => {
    return podYaml(`pod-${index}`, { terminationGracePeriodSeconds: 1, containers });
  });
  const manifest = `${folder}.yaml`;
  writeFileSync(manifest, manyYaml(pods));
  return ['apply', manifest, '--no-logs', '--runtime', 'process', '--state-dir', folder];
}

function bareArgs({ shape, ports, folder }) {
  return [String(shape.pods * shape.each), shape.probe, String(ports[shape.probe] ?? 0), `${folder}-bare`, TICKER];
}

/**
 * Reads the probe journals: the delays of the probes of the last seconds, sorted, and the number of probes that were
 * due.
 */
function probesOf(folder, pods, seconds) {
  const lateness = [];
  let missed = 0;
  for (let index = 0; index < pods; index++) {
    const journal = readFileSync(path.join(folder, `pods/default/pod-${index}/probes.ndjson`), 'utf8');
    const attempts = journal
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const ofOne of grouped(attempts)) {
      const beganMs = ofOne.map(({ time }) => Date.parse(time)).slice(-seconds - 1, -1);
      const ticks = beganMs.map((ms) => Math.round((ms - beganMs[0]) / PERIOD_MS));
      const offsets = beganMs.map((ms, at) => ms - ticks[at] * PERIOD_MS);
      const onTimeMs = Math.min(...offsets);
      lateness.push(...offsets.map((ms) => ms - onTimeMs));
      missed += (ticks.at(-1) ?? 0) + 1 - new Set(ticks).size;
    }
  }
  return { lateness: lateness.toSorted((a, b) => a - b), missed, count: lateness.length };
}

function grouped(attempts) {
  const groups = {};
  for (const attempt of attempts) (groups[attempt.container] ??= []).push(attempt);
  return Object.values(groups);
}

// The throughput of container output: into the log, onto the screen, to a follower, and back from the log. Also its CPU
// and memory. Checks that every byte arrives.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkKept, comparison, COPY_BYTES, printing, writeLines } from '../harness/lines.mjs';
import { podYaml } from '../harness/manifests.mjs';
import { started, timeOf, usageOf } from '../harness/processes.mjs';
import { interleaved, samplesOf } from '../harness/samples.mjs';
import { podmanLogs } from '../peers/podman-logs.mjs';

const PLAIN_LOG = path.join(import.meta.dirname, '../harness/plain-log.mjs');
/** The period of reading the memory of a process. */
const LOOK_MS = 20;
/** The number of copies that `podrun logs` reads. */
const READ_COPIES = 2;
/** The copies that a follower reads: less than the 640 MB that it holds when a busy machine makes it slow. */
const FOLLOWED_COPIES = 30;
const READY = 'ready\n';

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure(context) {
  const { peers, folder, isFast } = context;
  const copies = isFast ? 10 : 50;
  const load = { ...context, copies, lines: writeLines(path.join(folder, 'lines')) };
  // CI compares only with the records and the floor.
  const peer = isFast ? 'not in a fast run' : peers.podman;
  const podman = typeof peer === 'string' ? undefined : podmanLogs(peer, load, READ_COPIES);
  const writing = await interleaved(
    {
      plain: () => plain(load),
      one: () => applied(load, 1),
      ten: () => applied(load, 10),
      printed: () => printed(load),
      followed: () => followed(load),
      podman: podman?.write,
    },
    { rounds: isFast ? 3 : 5 },
  );
  await applied({ ...load, copies: READ_COPIES }, 1);
  const reading = await interleaved(
    { cat: () => catOf(load), all: () => readOf(load), tail: () => tailOf(load), podman: podman?.read },
    { rounds: isFast ? 3 : 11 },
  );
  podman?.end();
  return [...writingRows(writing, peer), ...readingRows(reading, peer)];
}

const figures = (runs, field) => samplesOf(runs.map((run) => run[field]));

/** The samples of podman, or the reason why there are none. */
const ofPodman = (runs, peer) => ({ podman: runs === undefined ? peer : figures(runs, 'rate') });

function writingRows(runs, peer) {
  const floorIs = 'plain JavaScript';
  const rates = (name, what, more = {}) => ({
    name: `logs.${name}`,
    what,
    unit: 'MB/s',
    better: 'more',
    podrun: figures(runs[name], 'rate'),
    floor: figures(runs.plain, 'rate'),
    floorIs,
    note:
      `${figures(runs[name], 'cpu').median.toFixed(2)} s of processor time per GB, ` +
      `${figures(runs[name], 'peak').median.toFixed(0)} MB at most`,
    ...more,
  });
  const promises = [{ against: 'podman', timesBetterAtLeast: 1.5 }];
  return [
    rates('one', 'lines of one container, into its log', { peers: ofPodman(runs.podman, peer), promises }),
    rates('ten', 'lines of ten containers at once, into their logs'),
    rates('printed', 'lines of one container, into its log and through a pipe'),
    rates('followed', 'lines of one container, as podrun logs -f shows them'),
    {
      name: 'logs.cpu',
      what: 'processor time of podrun for lines of one container',
      unit: 's/GB',
      better: 'less',
      podrun: figures(runs.one, 'cpu'),
      floor: figures(runs.plain, 'cpu'),
      floorIs,
    },
    {
      name: 'logs.memory',
      what: 'memory of podrun meanwhile, at most',
      unit: 'MB',
      better: 'less',
      podrun: figures(runs.one, 'peak'),
      promises: [{ atMost: 200 }],
    },
  ];
}

function readingRows(runs, peer) {
  return [
    {
      name: 'logs.read',
      what: 'podrun logs of a whole log, through a pipe',
      unit: 'MB/s',
      better: 'more',
      podrun: figures(runs.all, 'rate'),
      floor: figures(runs.cat, 'rate'),
      floorIs: 'cat of its files',
      peers: ofPodman(runs.podman, peer),
      promises: [{ against: 'podman', timesBetterAtLeast: 5 }],
    },
    {
      name: 'logs.tail',
      what: 'podrun logs --tail=10 of the same log',
      unit: 'ms',
      better: 'less',
      podrun: figures(runs.tail, 'ms'),
      floor: figures(runs.tail, 'startMs'),
      floorIs: 'podrun version',
    },
  ];
}

/** MB/s of output, without the prefixes of lines. */
const rateOf = (bytes, ms) => bytes / 1e3 / ms;

async function plain({ folder, podrun, lines, copies }) {
  const log = path.join(folder, 'plain.log');
  const { stdout } = spawnSync(podrun.node, [PLAIN_LOG, log, ...printing(lines, copies)], { encoding: 'utf8' });
  rmSync(log);
  const [ms, cpuSeconds] = stdout.split(' ').map(Number);
  const bytes = copies * COPY_BYTES;
  return { rate: rateOf(bytes, ms), cpu: (cpuSeconds / bytes) * 1e9 };
}

/** A new Pod whose containers print the copies, and the command lines of podrun for it. */
function podOf({ folder, podrun, lines, copies }, { count = 1, go } = {}) {
  const state = path.join(folder, 'state');
  const manifest = path.join(folder, 'pod.yaml');
  const print = printing(lines, copies / count);
  const wait = 'echo ready; until [ -e "$0" ]; do sleep 0.01; done; exec "$@"';
  const command = go === undefined ? print : ['sh', '-c', wait, go, ...print];
  const containers = Array.from({ length: count }, (_, index) => ({ name: `c${index}`, image: 'busybox', command }));
  rmSync(state, { recursive: true, force: true });
  writeFileSync(manifest, podYaml('big', { restartPolicy: 'Never', containers }));
  return {
    apply: (...flags) => [podrun.node, podrun.program, 'apply', manifest, '--state-dir', state, ...flags],
    follow: [podrun.node, podrun.program, 'logs', '-f', 'big', '--state-dir', state],
  };
}

const logFolder = (folder, index = 0) => path.join(folder, 'state/pods/default/big/logs', `c${index}`);

async function applied(load, count) {
  const seen = await watched(podOf(load, { count }).apply('--no-logs'), () => undefined);
  for (let index = 0; index < count; index++) checkKept(logFolder(load.folder, index), load.lines);
  return figuresOf(load, seen, seen.ms - startMs(load));
}

async function printed(load) {
  const sum = comparison('podrun apply', { file: load.lines, copies: load.copies, prefix: 'c0 | ' });
  const seen = await watched(podOf(load).apply('--quiet'), (chunk) => sum.take(chunk));
  sum.end();
  return figuresOf(load, seen, seen.ms - startMs(load));
}

/** Measures a follower. The container prints the copies when the follower has read its first line. */
async function followed(all) {
  const load = { ...all, copies: Math.min(all.copies, FOLLOWED_COPIES) };
  const go = path.join(load.folder, 'go');
  rmSync(go, { force: true });
  const { apply, follow } = podOf(load, { go });
  const running = watched(apply('--no-logs'), () => undefined);
  while (!existsSync(logFolder(load.folder))) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  const sum = comparison('podrun logs -f', { file: load.lines, copies: load.copies, before: READY });
  let beganMs;
  await watched(follow, (chunk) => {
    if (beganMs === undefined) writeFileSync(go, '');
    beganMs ??= performance.now();
    sum.take(chunk);
  });
  const tookMs = performance.now() - beganMs;
  sum.end();
  return figuresOf(load, await running, tookMs);
}

/** Runs a program and passes its output on. Returns its time, CPU and memory. */
async function watched(argv, onOutput) {
  const beganMs = performance.now();
  const { child, ended } = started(argv);
  let usage = { cpuSeconds: 0, peakBytes: 0 };
  const look = setInterval(() => {
    const { cpuSeconds, peakBytes } = usageOf(child.pid);
    if (peakBytes > 0) usage = { cpuSeconds, peakBytes };
  }, LOOK_MS);
  child.stdout.on('data', onOutput);
  const allRead = new Promise((resolve) => child.stdout.once('close', resolve));
  const exit = await ended.finally(() => clearInterval(look));
  await allRead;
  if (exit !== 0) throw new Error(`${argv.join(' ')} ended with ${exit}`);
  return { ...usage, ms: performance.now() - beganMs };
}

function figuresOf({ copies }, { cpuSeconds, peakBytes }, ms) {
  const bytes = copies * COPY_BYTES;
  return { rate: rateOf(bytes, ms), cpu: (cpuSeconds / bytes) * 1e9, peak: peakBytes / 1e6 };
}

/** The time of a Pod that prints nothing. */
function startMs({ podrun, folder }) {
  const manifest = path.join(folder, 'silent.yaml');
  const containers = [{ name: 'main', image: 'busybox', command: ['true'] }];
  writeFileSync(manifest, podYaml('silent', { restartPolicy: 'Never', containers }));
  return timeOf([podrun.node, podrun.program, 'apply', manifest, '--state-dir', path.join(folder, 'silent')]);
}

function readOf({ podrun, folder }) {
  const args = [podrun.program, 'logs', 'big', '--state-dir', path.join(folder, 'state')];
  const beganMs = performance.now();
  const { stdout } = spawnSync(podrun.node, args, { maxBuffer: 2 * READ_COPIES * COPY_BYTES });
  return { rate: rateOf(stdout.length, performance.now() - beganMs), bytes: stdout.length };
}

/** The rate of `cat` for the same output. */
function catOf(load) {
  const folder = logFolder(load.folder);
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  const { bytes } = readOf(load);
  const beganMs = performance.now();
  spawnSync('cat', files, { maxBuffer: 4 * READ_COPIES * COPY_BYTES });
  return { rate: rateOf(bytes, performance.now() - beganMs) };
}

function tailOf({ podrun, folder }) {
  const flags = ['--tail=10', '--state-dir', path.join(folder, 'state')];
  return {
    ms: timeOf([podrun.node, podrun.program, 'logs', 'big', ...flags]),
    startMs: timeOf([podrun.node, podrun.program, 'version']),
  };
}

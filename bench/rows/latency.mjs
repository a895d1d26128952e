// The delay of a consequence: the restart of an ended container, the line about its end, the same line in another
// process, and the readiness of a server.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { podYaml } from '../harness/manifests.mjs';
import { started } from '../harness/processes.mjs';
import { interleaved, quantile, samplesOf, single } from '../harness/samples.mjs';

const EXITS = 200;
/** The number of exits in a fast run. */
const FEW_EXITS = 60;
const FIRST = '.status.containerStatuses[0]';
/** The number of a run of the container, and its exit code. */
const EXIT_PATH = `{${FIRST}.restartCount} {${FIRST}.state.terminated.exitCode}{"\\n"}`;
const NOW = 'date +%s.%N >> "$0"';

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure(context) {
  const rows = [...(await restarts(context)), ...(await exits(context))];
  return context.isFast ? rows : [...rows, await readiness(context)];
}

/**
 * Measures from the exit of a container to its first restart, which has no back-off. The floor is a loop that spawns
 * the program again.
 */
async function restarts({ podrun, folder, isFast: fast }) {
  let runs = 0;
  const once = (again) => async () => {
    const times = path.join(folder, `restart-${runs++}`);
    // The shell becomes date, so that nothing happens between its reading of the clock and its exit.
    const script = `${NOW}; [ -e "$0.again" ] && exec sleep 100; touch "$0.again"; sleep 0.05; exec ${NOW}`;
    await again(['sh', '-c', script, times], times);
    const [, exited, restarted] = readFileSync(times, 'utf8').trim().split('\n').map(Number);
    return (restarted - exited) * 1000;
  };
  const contestants = {
    podrun: once(async (command, times) => {
      const { child, stop } = applied(podrun, times, { containers: [{ name: 'main', image: 'busybox', command }] });
      await statusIn(child.stdout, ({ containerStatuses: [{ restartCount, state } = {}] = [] }) => {
        return restartCount === 1 && state.running !== undefined;
      });
      // The container may run before it has read the clock.
      while (!hasLines(times, 3)) await new Promise((resolve) => setTimeout(resolve, 2));
      await stop();
    }),
    floor: once(async ([program, ...args], times) => {
      await ended(spawn(program, args, { stdio: 'ignore' }));
      const second = spawn(program, args, { stdio: 'ignore' });
      while (!hasLines(times, 3)) await new Promise((resolve) => setTimeout(resolve, 2));
      second.kill('SIGKILL');
      await ended(second);
    }),
  };
  const measured = await interleaved(contestants, { rounds: fast ? 7 : 21 });
  return [
    {
      name: 'latency.first-restart',
      what: 'from the exit of a container to the first line of its next run',
      unit: 'ms',
      better: 'less',
      podrun: samplesOf(measured.podrun),
      floor: samplesOf(measured.floor),
      floorIs: 'bare loop',
    },
  ];
}

/** Measures from the exit of a container to the line about it, in `apply` and in a `get --watch` of another process. */
async function exits({ podrun, folder, isFast: fast }) {
  const count = fast ? FEW_EXITS : EXITS;
  const times = path.join(folder, 'exits');
  const containers = [{ name: 'main', image: 'busybox', command: ['sh', '-c', `sleep 0.02; exec ${NOW}`, times] }];
  const flags = ['--backoff-initial', '20ms', '--backoff-max', '20ms'];
  const { child, state, stop } = applied(podrun, times, { containers }, flags);
  const here = arrivals(child.stdout, count, exitIn);
  const watch = ['get', 'pods', '--watch', '-o', `jsonpath=${EXIT_PATH}`, '--state-dir', state];
  await statusIn(child.stdout, ({ phase }) => phase === 'Running');
  const reader = started([podrun.node, podrun.program, ...watch]);
  const seenByGet = await arrivals(reader.child.stdout, count, seenExitIn);
  await Promise.all([stop(), reader.stop('SIGINT')]);
  const exitedMs = readFileSync(times, 'utf8')
    .trim()
    .split('\n')
    .map((line) => Number(line) * 1000);
  const after = (reported) => {
    const late = reported.flatMap((atMs, run) =>
      atMs === undefined || exitedMs[run] === undefined ? [] : atMs - exitedMs[run],
    );
    return late.toSorted((a, b) => a - b);
  };
  return [
    ...bothRows('exit-told', 'from exit to printed transition', after(await here), 10),
    ...bothRows('exit-seen', 'from exit to what get --watch of another process prints', after(seenByGet)),
  ];
}

function bothRows(name, what, latencies, atMost) {
  const note = `${latencies.length} exits, longest ${latencies.at(-1).toFixed(1)} ms`;
  const common = { unit: 'ms', better: 'less', note };
  return [
    { ...common, name: `latency.${name}.half`, what: `${what}, half of them`, podrun: samplesOf(latencies) },
    {
      ...common,
      name: `latency.${name}.most`,
      what: `${what}, 99 of 100`,
      podrun: single(quantile(latencies, 0.99)),
      ...(atMost !== undefined && { promises: [{ atMost }] }),
    },
  ];
}

/**
 * Measures from the moment when a server listens, 200 ms after its start, to Ready. As a kubelet, podrun probes once a
 * second after the start of the container: the second probe finds the server.
 */
async function readiness({ podrun, folder }) {
  const measured = await interleaved(
    {
      podrun: async () => {
        const port = 20_000 + Math.floor(Math.random() * 10_000);
        const times = path.join(folder, `listening-${port}`);
        const script = `setTimeout(() => require('http').createServer((_, answer) => answer.end()).listen(${port}, () =>
          require('fs').writeFileSync(${JSON.stringify(times)}, String(Date.now()))), 200)`;
        const readinessProbe = { periodSeconds: 1, httpGet: { port, path: '/' } };
        const command = [process.execPath, '-e', script];
        const { child, stop } = applied(podrun, times, {
          containers: [{ name: 'main', image: 'node', command, readinessProbe }],
        });
        await statusIn(child.stdout, ({ conditions = [] }) => {
          return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
        });
        const readyMs = performance.timeOrigin + performance.now();
        await stop();
        return readyMs - Number(readFileSync(times, 'utf8'));
      },
    },
    { rounds: 7 },
  );
  return {
    name: 'latency.ready',
    what: 'from listening, 200 ms after its start, to Ready; probed each second over HTTP',
    unit: 'ms',
    better: 'less',
    podrun: samplesOf(measured.podrun),
    promises: [{ atMost: 1000 }],
  };
}

function applied({ node, program }, place, spec, flags = []) {
  const state = `${place}-state`;
  mkdirSync(state, { mode: 0o700 });
  const manifest = `${place}.yaml`;
  writeFileSync(manifest, podYaml('bench', { restartPolicy: 'Always', terminationGracePeriodSeconds: 1, ...spec }));
  const args = [program, 'apply', manifest, '-o', 'json', '--runtime', 'process', ...flags, '--state-dir', state];
  const podrun = started([node, ...args]);
  return { child: podrun.child, state, stop: () => podrun.stop('SIGINT') };
}

/** Resolves when a status meets the condition. */
async function statusIn(output, isWanted) {
  await new Promise((resolve, reject) => {
    const lines = createInterface({ input: output });
    lines.on('line', (line) => {
      const { object } = JSON.parse(line);
      if (object.kind === 'Pod' && object.status !== undefined && isWanted(object.status)) resolve();
    });
    lines.once('close', () => reject(new Error('podrun has ended before')));
  });
}

/** The number of the run whose end is in a line of `apply -o json`. Undefined for other lines. */
function exitIn(line) {
  const [status] = JSON.parse(line).object.status?.containerStatuses ?? [];
  return status?.state?.terminated === undefined ? undefined : status.restartCount;
}

/** The same for a line of `get --watch`. */
function seenExitIn(line) {
  return /^\d+ \d+$/.test(line) ? Number.parseInt(line, 10) : undefined;
}

/** The times of the lines about the ends, milliseconds since 1970, by the number of the run. */
function arrivals(output, count, exitOf) {
  const reported = [];
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: output });
    lines.on('line', (line) => {
      const run = exitOf(line);
      if (run !== undefined) reported[run] ??= performance.timeOrigin + performance.now();
      if (reported.length >= count) resolve(reported);
    });
    lines.once('close', () => reject(new Error(`only ${reported.length} exits were reported`)));
  });
}

function hasLines(file, count) {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').length >= count;
  } catch {
    return false;
  }
}

async function ended(child) {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

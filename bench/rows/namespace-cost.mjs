// The cost of namespaces: from the call of `start` to the first byte of output, and from the call of `exec` to its end,
// with namespaces and without, in turns.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { samplesOf, single } from '../harness/samples.mjs';

const STARTS = 50;
// The containers of a Pod start one after the other.
const PAUSE_MS = 250;
const ROOT = path.join(import.meta.dirname, '../..');
const PATH = process.env.PATH;

const PARTS = `
export { SystemClock } from './src/clock.ts';
export { detectNamespaces } from './src/runtime/linux/detection/namespaces.ts';
export { Namespaces } from './src/runtime/linux/namespaces.ts';
export { ProcessRuntime } from './src/runtime/process-runtime.ts';
`;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  // This file imports parts of podrun, so that only the Node of this process is measured.
  if (podrun.version !== process.version) return [];
  const program = path.join(ROOT, 'dist', `bench-${process.pid}.mjs`);
  try {
    const parts = await load(program);
    const clock = new parts.SystemClock();
    const detection = await parts.detectNamespaces({ stateDir: folder, clock, version: 'bench', userPath: PATH });
    return detection.ok ? await compare(parts, { folder, clock, facts: detection.facts }) : [];
  } finally {
    rmSync(program, { force: true });
  }
}

async function load(program) {
  await build({
    stdin: { contents: PARTS, resolveDir: ROOT, loader: 'ts' },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  return await import(pathToFileURL(program).href);
}

async function compare({ ProcessRuntime, Namespaces }, { folder, clock, facts }) {
  const fifoDir = path.join(folder, 'fifos');
  const features = { tier: 'namespace', namespaces: facts };
  const apart = new ProcessRuntime({
    clock,
    fifoDir,
    features,
    confiner: new Namespaces({ facts, clock, commonDir: path.join(folder, 'common') }),
  });
  const plain = new ProcessRuntime({ clock, fifoDir });
  await Promise.all([apart.prepare(), plain.prepare()]);
  const times = { start: { apart: [], plain: [] }, exec: { apart: [], plain: [] } };
  for (let round = 0; round < STARTS; round++) {
    for (const [name, runtime] of Object.entries({ plain, apart })) {
      const layerDir = path.join(folder, 'layers', `${name}-${round}`);
      await sleep(PAUSE_MS);
      const { startMs, execMs } = await once(runtime, `${name}/${round}`, layerDir);
      times.start[name].push(startMs);
      times.exec[name].push(execMs);
    }
  }
  await apart.close();
  const row = (kind, what, atMost) => {
    const [apart, plain] = [samplesOf(times[kind].apart), samplesOf(times[kind].plain)];
    const note = `${apart.median.toFixed(1)} and ${plain.median.toFixed(1)} ms, as ${facts.mode}`;
    const podrun = single(apart.median - plain.median);
    return { name: `namespace-cost.${kind}`, what, unit: 'ms', better: 'less', podrun, promises: [{ atMost }], note };
  };
  return [
    row('start', 'a start with namespaces, beyond one without', 12),
    row('exec', 'a command beside it with namespaces, beyond one without', 10),
  ];
}

async function once(runtime, id, layerDir) {
  const beganMs = performance.now();
  let startMs;
  let firstByte;
  const spoken = new Promise((resolve) => (firstByte = resolve));
  let onExit;
  const ended = new Promise((resolve) => (onExit = resolve));
  const pod = { uid: 'bench', hostname: 'bench', sharesMemory: false, sharesProcesses: false };
  const outcome = await runtime.start({
    id,
    argv: ['sh', '-c', 'echo up; read end'],
    env: { PATH },
    cwd: '/tmp',
    stdin: true,
    confinement: {
      pod: { ...pod, hostProcesses: false, hostIPC: false },
      layerDir,
      mounts: [],
      shared: ['/tmp'],
      isRootReadOnly: false,
      hasAllDevices: false,
      areKernelFilesOpen: false,
      hidden: [],
      strictPid1: false,
    },
    onOutput: () => {
      startMs ??= performance.now() - beganMs;
      firstByte();
    },
    onExit: (exit) => onExit(exit),
  });
  if (!outcome.ok) throw new Error(outcome.error);
  await spoken;
  const execMs = performance.now();
  await runtime.exec({ id, argv: ['true'], env: { PATH }, cwd: '/tmp', timeoutMs: undefined, maxOutputBytes: 1024 });
  const execTookMs = performance.now() - execMs;
  outcome.container.streams.input.end();
  await (
    await ended
  ).swept;
  return { startMs, execMs: execTookMs };
}

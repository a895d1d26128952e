// The cost of several nodes: what each of them adds to the time of a one-shot Pod, and to the memory of podrun.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { written } from '../harness/manifests.mjs';
import { costOf, started, usageOf } from '../harness/processes.mjs';
import { interleaved, samplesOf, single } from '../harness/samples.mjs';
import { onePod } from '../peers/contestants.mjs';

const NODES = 3;
const SOME = ['--nodes', String(NODES)];

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  if (process.platform !== 'linux') return [];
  const stateDir = path.join(folder, 'state');
  const applied = (manifest, flags) => {
    rmSync(stateDir, { recursive: true, force: true });
    const where = ['--runtime', 'process', '--network', 'host', '--state-dir', stateDir];
    return [podrun.node, podrun.program, 'apply', manifest, ...where, ...flags];
  };
  const brief = written(folder, 'true.yaml', onePod('bench', [['true']]));
  const lasting = written(folder, 'sleep.yaml', onePod('bench', [['sleep', '1000']]));
  const times = await interleaved(
    { one: () => costOf(applied(brief, [])), some: () => costOf(applied(brief, SOME)) },
    { rounds: 21 },
  );
  const memory = await interleaved(
    { one: () => memoryOf(applied(lasting, [])), some: () => memoryOf(applied(lasting, SOME)) },
    { rounds: 5 },
  );
  const row = (name, what, unit, values, atMost) => {
    const [one, some] = [samplesOf(values.one), samplesOf(values.some)];
    const note = `${some.median.toFixed(0)} ${unit} with ${NODES}, ${one.median.toFixed(0)} with this machine alone`;
    const podrun = single((some.median - one.median) / NODES);
    return { name: `nodes.${name}`, what, unit, better: 'less', podrun, promises: [{ atMost }], note };
  };
  return [
    row('time', 'a one-shot Pod from start to end: what each of several nodes adds', 'ms', times, 30),
    row('memory', 'resident memory beside a Pod that runs: what each of several nodes adds', 'MB', memory, 3),
  ];
}

async function memoryOf(argv) {
  const running = started(argv);
  for await (const line of createInterface(running.child.stdout)) {
    if (!line.includes('Ready')) continue;
    const { rssBytes } = usageOf(running.child.pid);
    await running.stop('SIGINT');
    return rssBytes / 1e6;
  }
  throw new Error('podrun has ended before the Pod was ready');
}

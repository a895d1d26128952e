// The simulator: the speed of simulated time for random Pods, and the memory that stays in use after many Pods.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { bundle } from '../../test/simulation/bundle.mjs';
import { single } from '../harness/samples.mjs';

const SEEDS = 1000;
const PODS = 10_000;
const EARLY = 1000;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  const program = path.join(folder, 'simulating.mjs');
  await bundle(path.join(import.meta.dirname, '../harness/simulating.mjs'), program);
  const args = ['--expose-gc', program, ...[SEEDS, PODS, EARLY].map(String)];
  const { status, stdout, stderr } = spawnSync(podrun.node, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the simulator ended with exit code ${status}: ${stderr}`);
  const { simulatedMs, scenariosMs, podsMs, before, after } = JSON.parse(stdout);
  const megabytes = ({ kept }) => `${(kept / 1e6).toFixed(1)} MB`;
  return [
    {
      name: 'simulator.pace',
      what: `simulated seconds a second, over the lives of ${SEEDS} random Pods`,
      unit: 's/s',
      better: 'more',
      podrun: single(simulatedMs / scenariosMs),
    },
    {
      name: 'simulator.pods',
      what: `simulated one-shot Pods a second, ${PODS} of them`,
      unit: '/s',
      better: 'more',
      podrun: single((PODS / podsMs) * 1000),
    },
    {
      name: 'simulator.kept',
      what: `what is in use after ${PODS} of them, more than after ${EARLY}`,
      unit: '%',
      better: 'less',
      podrun: single((after.kept / before.kept - 1) * 100),
      promises: [{ atMost: 10 }],
      note: `${megabytes(before)}, then ${megabytes(after)}`,
    },
  ];
}

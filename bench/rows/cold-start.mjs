// The cost of starting podrun, as a multiple of starting Node without work.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { oneShotYaml } from '../harness/manifests.mjs';
import { costOf } from '../harness/processes.mjs';
import { compared } from '../harness/samples.mjs';

export const isFast = true;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder, isFast }) {
  const manifest = path.join(folder, 'pod.yaml');
  writeFileSync(manifest, oneShotYaml('bench'));
  const flags = ['--state-dir', path.join(folder, 'state')];
  const run = (...args) => costOf([podrun.node, podrun.program, ...args]);
  run('apply', manifest, ...flags);
  const medians = await compared(
    {
      bare: () => costOf([podrun.node, '-e', '0']),
      version: () => run('version'),
      flag: () => run('--version'),
      get: () => run('get', ...flags),
      describe: () => run('describe', 'pod', 'bench', ...flags),
      validate: () => run('validate', manifest),
    },
    { rounds: isFast ? 11 : 31 },
  );
  const row = (name, what, timesWorseAtMost) => ({
    name: `cold-start.${name}`,
    what,
    unit: 'ms',
    better: 'less',
    podrun: medians[name],
    floor: medians.bare,
    floorIs: 'node -e 0',
    promises: timesWorseAtMost === undefined ? [] : [{ against: 'floor', timesWorseAtMost }],
  });
  return [
    row('version', 'podrun version, from start to end', 2.5),
    row('flag', 'podrun --version', 2.5),
    row('get', 'podrun get with one Pod on record', 2.5),
    row('describe', 'podrun describe of a Pod on record'),
    row('validate', 'podrun validate of a small manifest'),
  ];
}

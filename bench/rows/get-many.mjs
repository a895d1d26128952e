// The cost of `podrun get` with many recorded Pods, as a multiple of starting Node without work.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { costOf } from '../harness/processes.mjs';
import { compared } from '../harness/samples.mjs';

export const isFast = true;

const PODS = 200;
const POD = `
apiVersion: v1
kind: Pod
metadata: { name: bench-0, labels: { app: bench } }
spec:
  restartPolicy: Never
  containers:
    - { name: main, image: busybox, command: ['true'], env: [{ name: A, value: b }] }
    - { name: side, image: busybox, command: ['true'], resources: { limits: { memory: 1Gi } } }
`;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder, isFast }) {
  const state = path.join(folder, 'state');
  storePods(podrun, folder, state);
  const run = (...args) => costOf([podrun.node, podrun.program, ...args, '--state-dir', state]);
  const medians = await compared(
    {
      bare: () => costOf([podrun.node, '-e', '0']),
      table: () => run('get'),
      json: () => run('get', '-o', 'json'),
    },
    { rounds: isFast ? 9 : 31 },
  );
  const row = (name, what, promises) => ({
    name: `get-many.${name}`,
    what,
    unit: 'ms',
    better: 'less',
    podrun: medians[name],
    floor: medians.bare,
    floorIs: 'node -e 0',
    promises,
  });
  return [
    row('table', `podrun get with ${PODS} Pods on record`, [{ against: 'floor', timesWorseAtMost: 4 }]),
    row('json', `podrun get -o json with ${PODS} Pods on record`, []),
  ];
}

/** Runs one Pod, and copies its record. */
function storePods(podrun, folder, state) {
  const manifest = path.join(folder, 'pod.yaml');
  writeFileSync(manifest, POD);
  const args = [podrun.program, 'apply', manifest, '--state-dir', state];
  const { status, stderr } = spawnSync(podrun.node, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`apply exited with ${status}: ${stderr}`);
  const pods = path.join(state, 'pods', 'default');
  for (let index = 1; index < PODS; index++) {
    const copy = path.join(pods, `bench-${index}`);
    cpSync(path.join(pods, 'bench-0'), copy, { recursive: true });
    // Older versions of podrun keep the Pod in pod.json, too.
    for (const file of ['transitions.ndjson', 'pod.json'].map((name) => path.join(copy, name))) {
      if (existsSync(file)) writeFileSync(file, readFileSync(file, 'utf8').replaceAll('bench-0', `bench-${index}`));
    }
  }
}

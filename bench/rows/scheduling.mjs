// The scheduler: the CPU time in which the queue and the plugins place many Pods on a large cluster.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { bundle } from '../../test/simulation/bundle.mjs';
import { single } from '../harness/samples.mjs';

const NODES = 100;
const PODS = 1000;
/** The most that each kind may take, in milliseconds on one core. */
const AT_MOST_MS = 5000;

const WHAT = {
  plain: 'of ten ReplicaSets',
  spread: 'that are spread over zones',
  apart: 'of which no two of a ReplicaSet share a node',
};

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  const program = path.join(folder, 'scheduling.mjs');
  await bundle(path.join(import.meta.dirname, '../harness/scheduling.mjs'), program);
  const { status, stdout, stderr } = spawnSync(podrun.node, [program, NODES, PODS].map(String), { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the scheduler ended with exit code ${status}: ${stderr}`);
  return Object.entries(JSON.parse(stdout)).map(([name, ms]) => ({
    name: `scheduling.${name}`,
    what: `CPU time to place ${PODS} Pods on ${NODES} nodes, ${WHAT[name]}`,
    unit: 'ms',
    better: 'less',
    podrun: single(ms),
    promises: [{ atMost: AT_MOST_MS }],
  }));
}

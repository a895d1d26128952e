// Pods that come and go: how many a second one process runs, and how much memory stays in use afterwards.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { timeOf } from '../harness/processes.mjs';
import { single } from '../harness/samples.mjs';

const PODS = Number(process.env.PODRUN_BENCH_PODS ?? 2000);
const EARLY = Math.min(200, PODS / 2);
const AT_ONCE = 50;

/** The same processes without podrun. */
const LOOP = `
  const { spawn } = require('node:child_process');
  let left = ${PODS};
  const next = () => left-- > 0 && spawn('true', [], { stdio: ['ignore', 'pipe', 'pipe'] }).once('exit', next);
  for (let at = 0; at < ${AT_ONCE}; at++) next();
`;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  const loopSeconds = timeOf([podrun.node, '-e', LOOP]) / 1000;
  const program = path.join(import.meta.dirname, '../harness/churning.mjs');
  const args = ['--expose-gc', program, podrun.root, path.join(folder, 'state'), PODS, AT_ONCE, EARLY].map(String);
  const { status, stdout, stderr } = spawnSync(podrun.node, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${PODS} Pods: exit code ${status}: ${stderr}`);
  const { seconds, before, after } = JSON.parse(stdout);
  const megabytes = ({ rss, kept }) => `${(kept / 1e6).toFixed(1)} MB in use, ${(rss / 1e6).toFixed(0)} MB resident`;
  const growth = (which) => single((after[which] / before[which] - 1) * 100);
  const memory = { unit: '%', better: 'less' };
  const note = `${megabytes(before)}, then ${megabytes(after)}`;
  return [
    {
      name: 'churn.rate',
      what: `one-shot Pods a second, ${PODS} of them, ${AT_ONCE} at a time, in one process`,
      unit: '/s',
      better: 'more',
      podrun: single(PODS / seconds),
      floor: single(PODS / loopSeconds),
      floorIs: 'loop of the same processes',
    },
    {
      ...memory,
      name: 'churn.kept',
      // The growth is mostly V8's data about compiled code.
      what: `what is in use after ${PODS} Pods, more than after ${EARLY}`,
      podrun: growth('kept'),
      note,
    },
    {
      ...memory,
      name: 'churn.resident',
      what: `resident memory after ${PODS} Pods, more than after ${EARLY}`,
      podrun: growth('rss'),
      promises: [{ atMost: 10 }],
    },
  ];
}

// A Job of many Pods that run true, and 50 Pods until all run: podrun's own writing is most of their cost. With
// PODRUN_BENCH_BEFORE=/path/of/another/bin/podrun.js, another version of podrun is measured beside this one.

import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Beats } from '../harness/beats.mjs';
import { written } from '../harness/manifests.mjs';
import { costOf } from '../harness/processes.mjs';
import { compared, interleaved, samplesOf } from '../harness/samples.mjs';
import { foreground, loopOf, manyPods, upAndDown } from '../peers/contestants.mjs';

const PODS = Number(process.env.PODRUN_BENCH_PODS ?? 1000);
const RUNNING = 50;
const ROUNDS = 3;
const { PODRUN_BENCH_BEFORE: BEFORE } = process.env;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure(context) {
  return [
    await job(context, { name: 'process', tier: 'process', how: 'without namespaces' }),
    await job(context, { name: 'auto', tier: 'auto', how: 'with the defaults' }),
    await running(context),
  ];
}

async function job({ podrun, folder }, { name, tier, how }) {
  const manifest = written(folder, 'job.yaml', jobOf(PODS));
  const commands = Array.from({ length: PODS }, () => ['true']);
  const once = (program) => () =>
    inState(folder, (state) => costOf(applyOf({ ...podrun, program }, { manifest, tier, state })));
  const medians = await compared(
    {
      loop: () => costOf(loopOf(podrun, 'all', commands.slice(0, RUNNING))),
      podrun: once(podrun.program),
      before: BEFORE && once(BEFORE),
    },
    { rounds: ROUNDS },
  );
  return rowOf(`jobs.${name}`, `a Job of ${PODS} Pods that run true, ${how}, from start to end`, medians, 1.54);
}

async function running({ podrun, folder }) {
  const beats = new Beats(folder);
  const commands = Array.from({ length: RUNNING }, () => beats.untilSignal);
  const manifest = written(folder, 'up.yaml', manyPods('up', commands));
  const once = (argv) => upAndDown(beats, RUNNING, foreground(argv));
  const apply = (program) => () =>
    inState(folder, (state) => once(applyOf({ ...podrun, program }, { manifest, tier: 'process', state }))());
  try {
    const measured = await interleaved(
      {
        loop: once(loopOf(podrun, 'all', commands)),
        podrun: apply(podrun.program),
        before: BEFORE && apply(BEFORE),
      },
      { rounds: 3 * ROUNDS },
    );
    const medians = Object.fromEntries(
      Object.entries(measured).map(([name, runs]) => [name, samplesOf(runs.map(({ upMs }) => upMs))]),
    );
    return rowOf('jobs.running', `${RUNNING} Pods, without namespaces, from start until all run`, medians, 1.25);
  } finally {
    beats.close();
  }
}

function rowOf(name, what, { podrun, loop, before }, timesBetterAtLeast) {
  return {
    name,
    what,
    unit: 'ms',
    better: 'less',
    podrun,
    floor: loop,
    floorIs: `loop of ${RUNNING} processes`,
    peers: before === undefined ? {} : { before },
    promises: before === undefined ? [] : [{ against: 'before', timesBetterAtLeast }],
  };
}

function applyOf({ node, program }, { manifest, tier, state }) {
  return [node, program, 'apply', manifest, '--state-dir', state, '--runtime', tier];
}

/** Runs something with a new state folder: an applied Job does not run again. */
async function inState(folder, run) {
  const state = mkdtempSync(path.join(folder, 'state-'));
  try {
    return await run(state);
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

function jobOf(pods) {
  return `
apiVersion: batch/v1
kind: Job
metadata: { name: many }
spec:
  completions: ${pods}
  parallelism: ${pods}
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: busybox, command: ['true'] }]
`;
}

// Workloads at rest: the processor time of the controllers, and the memory that remains of Pods that are gone.

import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { written } from '../harness/manifests.mjs';
import { started, timeOf, usageOf } from '../harness/processes.mjs';
import { single } from '../harness/samples.mjs';

const DEPLOYMENTS = 20;
const REPLICAS = 5;
const IDLE_SECONDS = 10;
/** The time after the last Ready in which podrun does the work that it put off during the start. */
const SETTLE_MS = 3000;
const ROUNDS = 5;
const ROLLED = 40;
const COMPLETIONS = 200;
const PARALLELISM = 20;
const MEMORY = path.join(import.meta.dirname, '../harness/memory-on-request.cjs');

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  if (process.platform !== 'linux') return [];
  const command = (...words) => [podrun.node, podrun.program, '--state-dir', `${folder}/state`, ...words];
  const config = written(folder, 'podrun.yaml', 'maxPods: 1000\n');
  const run = { podrun, folder, command, config };
  const idle = await idleCpu(run);
  const rolled = await memoryOfRounds(run, JSON.stringify(deployment('web', ROLLED)), (round) => {
    const annotations = { round: String(round) };
    const patch = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
    timeOf(command('patch', 'deployment/web', '--patch', patch));
    timeOf(command('rollout', 'status', 'deployment/web'));
  });
  const jobs = await memoryOfRounds(run, JSON.stringify(cronJob()), (round) => {
    timeOf(command('create', 'job', `round-${round}`, '--from', 'cronjob/many'));
    timeOf(command('wait', '--for=delete', `job/round-${round}`, '--timeout', '300s'));
  });
  const growth = { unit: '%', better: 'less', promises: [{ atMost: 5 }] };
  return [
    {
      name: 'workloads-at-rest.cpu',
      what: `${DEPLOYMENTS} Deployments of ${REPLICAS} Pods that sleep: of one core`,
      unit: '%',
      better: 'less',
      podrun: single(idle),
      promises: [{ atMost: 0.5 }],
    },
    {
      ...growth,
      name: 'workloads-at-rest.rolled',
      what: `what is in use after ${ROUNDS} rollouts of ${ROLLED} Pods, more than after 2`,
      podrun: single(growthOf(rolled)),
      note: noteOf(rolled),
    },
    {
      ...growth,
      name: 'workloads-at-rest.jobs',
      what: `what is in use after ${ROUNDS} Jobs of ${COMPLETIONS} Pods that are gone, more than after 2`,
      podrun: single(growthOf(jobs)),
      note: noteOf(jobs),
    },
  ];
}

const growthOf = (rounds) => (rounds.at(-1).kept / rounds[1].kept - 1) * 100;
const noteOf = (rounds) =>
  rounds.map(({ kept, rss }) => `${(kept / 1e6).toFixed(1)} of ${(rss / 1e6).toFixed(0)} MB`).join(', ');

/** The share of a core that Deployments without any change take, in percent. */
async function idleCpu(run) {
  const objects = Array.from({ length: DEPLOYMENTS }, (_, index) => deployment(`web-${index}`, REPLICAS));
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  return whileItRuns(run, JSON.stringify(list), async ({ pid }) => {
    for (const { metadata } of objects) timeOf(run.command('rollout', 'status', `deployment/${metadata.name}`));
    await pause(SETTLE_MS);
    const [before, beganMs] = [usageOf(pid).cpuSeconds, performance.now()];
    await pause(IDLE_SECONDS * 1000);
    return ((usageOf(pid).cpuSeconds - before) / (performance.now() - beganMs)) * 100_000;
  });
}

/** The memory of one agent after each of some rounds. */
async function memoryOfRounds(run, manifest, round) {
  return whileItRuns(run, manifest, async (child) => {
    const measured = [];
    for (let index = 1; index <= ROUNDS; index++) {
      round(index);
      await pause(SETTLE_MS);
      child.send('memory');
      measured.push(await new Promise((resolve) => child.once('message', resolve)));
    }
    return measured;
  });
}

/** Runs a manifest while something is measured, then deletes it. */
async function whileItRuns({ podrun, folder, command, config }, manifest, measured) {
  const file = written(folder, 'at-rest.json', manifest);
  const [program, ...args] = command('apply', file, '--quiet', '--config', config);
  const running = started([program, '--expose-gc', '-r', MEMORY, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    await untilStored(command, manifest);
    return await measured(running.child, podrun);
  } finally {
    await running.stop('SIGINT');
    timeOf(command('delete', '-f', file));
  }
}

/** Waits until podrun has created what is applied. */
async function untilStored(command, manifest) {
  const { kind, metadata, items } = JSON.parse(manifest);
  const last = items?.at(-1) ?? { kind, metadata };
  for (let attempts = 0; ; attempts++) {
    try {
      return timeOf(command('get', last.kind, last.metadata.name));
    } catch (error) {
      if (attempts === 100) throw error;
      await pause(100);
    }
  }
}

function deployment(name, replicas) {
  const labels = { app: name };
  const spec = { terminationGracePeriodSeconds: 1, containers: [container(['sleep', '600'])] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

/** The owner of the Jobs of the rounds: they belong to its podrun. */
function cronJob() {
  const template = { spec: { restartPolicy: 'Never', containers: [container(['true'])] } };
  const spec = { completions: COMPLETIONS, parallelism: PARALLELISM, ttlSecondsAfterFinished: 0, template };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'many' },
    spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec } },
  };
}

function container(command) {
  return { name: 'main', image: 'busybox', command };
}

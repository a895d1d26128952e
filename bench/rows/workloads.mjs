// Workloads: the time until the Pods of a large Deployment are ready, of a rolling update, and of a Job of many Pods.

import { createInterface } from 'node:readline';
import { written } from '../harness/manifests.mjs';
import { started, timeOf } from '../harness/processes.mjs';
import { single } from '../harness/samples.mjs';

const REPLICAS = 200;
const UPDATED = 50;
const COMPLETIONS = 1000;
const PARALLELISM = 20;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  // A node takes 110 Pods, unless podrun.yaml says otherwise.
  const config = written(folder, 'podrun.yaml', 'maxPods: 1000\n');
  const command = (...words) => [podrun.node, podrun.program, '--state-dir', `${folder}/state`, ...words];
  const apply = (manifest, ...flags) => command('apply', manifest, '--config', config, ...flags);
  const seconds = { unit: 's', better: 'less' };
  const up = await deployed(apply, written(folder, 'up.json', deployment(REPLICAS)), (status) => {
    return status.readyReplicas === REPLICAS;
  });
  const update = JSON.stringify({ spec: { template: { metadata: { annotations: { changed: 'yes' } } } } });
  const rolled = await deployed(
    apply,
    written(folder, 'rolled.json', deployment(UPDATED)),
    ({ availableReplicas, updatedReplicas, replicas, observedGeneration }) => {
      const counts = [availableReplicas, updatedReplicas, replicas];
      return observedGeneration === 2 && counts.every((count) => count === UPDATED);
    },
    {
      isReady: (status) => status.readyReplicas === UPDATED,
      change: () => timeOf(command('patch', 'deployment/web', '--patch', update)),
    },
  );
  const jobMs = timeOf(apply(written(folder, 'job.json', job()), '--quiet'));
  return [
    {
      ...seconds,
      name: 'workloads.up',
      what: `a Deployment of ${REPLICAS} Pods that sleep, from the command until all are ready`,
      podrun: single(up),
      promises: [{ atMost: 15 }],
    },
    {
      ...seconds,
      name: 'workloads.rolling-update',
      what: `a rolling update of ${UPDATED} Pods, from the change to its end`,
      podrun: single(rolled),
      promises: [{ atMost: 20 }],
    },
    {
      ...seconds,
      name: 'workloads.job',
      what: `a Job of ${COMPLETIONS} Pods that run true, ${PARALLELISM} at a time, from the command to its end`,
      podrun: single(jobMs / 1000),
      promises: [{ atMost: 90 }],
    },
  ];
}

/**
 * The seconds until the status of a Deployment is as wanted: from its apply, or from a change of it.
 *
 * @param change what is to be done once the Deployment is ready, and how that is seen
 */
async function deployed(apply, manifest, isDone, change) {
  let beganMs = performance.now();
  let isChanged = change === undefined;
  const [program, ...args] = apply(manifest, '-o', 'json');
  const podrun = started([program, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    for await (const line of createInterface({ input: podrun.child.stdout })) {
      const { object } = JSON.parse(line);
      if (object.kind !== 'Deployment') continue;
      const status = object.status ?? {};
      if (!isChanged && change.isReady(status)) {
        isChanged = true;
        beganMs = performance.now();
        change.change();
      }
      if (isChanged && isDone(status)) return (performance.now() - beganMs) / 1000;
    }
    throw new Error(`${manifest}: podrun ended before the Deployment was ready`);
  } finally {
    await podrun.stop('SIGINT');
    timeOf([program, args[0], args[1], args[2], 'delete', '-f', manifest]);
  }
}

function deployment(replicas) {
  const labels = { app: 'web' };
  const spec = { terminationGracePeriodSeconds: 1, containers: [container(['sleep', '600'])] };
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}

function job() {
  const template = { spec: { restartPolicy: 'Never', containers: [container(['true'])] } };
  return JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'many' },
    spec: { completions: COMPLETIONS, parallelism: PARALLELISM, template },
  });
}

function container(command) {
  return { name: 'main', image: 'busybox', command };
}

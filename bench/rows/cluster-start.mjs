// The start of Pods in a cluster network, beside that in the network of this machine: a Job runs them one after
// another.

import { written } from '../harness/manifests.mjs';
import { timeOf } from '../harness/processes.mjs';
import { compared, single } from '../harness/samples.mjs';

const PODS = 16;
const ROUNDS = 7;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder, isFast }) {
  if (process.platform !== 'linux') return [];
  const run = (network, pods) => {
    const job = written(folder, `${network}-${pods}.yaml`, JSON.stringify(jobOf(`${network}-${pods}`, pods)));
    const flags = ['--quiet', '--runtime', 'process', '--network', network, '--state-dir', `${folder}/${network}`];
    return () => timeOf([podrun.node, podrun.program, 'apply', job, ...flags]);
  };
  const { hostOne, hostMany, clusterOne, clusterMany } = await compared(
    {
      hostOne: run('host', 1),
      hostMany: run('host', PODS),
      clusterOne: run('cluster', 1),
      clusterMany: run('cluster', PODS),
    },
    { rounds: isFast ? 3 : ROUNDS },
  );
  const [inHost, inCluster] = [
    [hostOne, hostMany],
    [clusterOne, clusterMany],
  ].map(([one, many]) => (many.median - one.median) / (PODS - 1));
  const common = { unit: 'ms', better: 'less' };
  return [
    {
      ...common,
      name: 'cluster-start.pod',
      what: 'a Pod of a Job, from one to the next, in a cluster network beyond the network of this machine',
      podrun: single(inCluster - inHost),
      promises: [{ atMost: 40 }],
      note: `${inCluster.toFixed(1)} and ${inHost.toFixed(1)} ms`,
    },
    {
      ...common,
      name: 'cluster-start.first',
      what: 'a run of one Pod, with the network of the run and its way out, beyond the same in that of this machine',
      podrun: single(clusterOne.median - hostOne.median),
      note: `${clusterOne.median.toFixed(0)} and ${hostOne.median.toFixed(0)} ms`,
    },
  ];
}

function jobOf(name, completions) {
  const containers = [{ name: 'main', image: 'busybox', command: ['true'] }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { completions, parallelism: 1, template } };
}

// Schedules Pods onto a large cluster, and prints the CPU time of each kind of Pods in milliseconds as JSON. The
// benchmark bundles this file.
//
//   node scheduling.mjs NODES PODS

import { attempt } from '../../src/lifecycle/scheduling/attempt.ts';
import { stateOf, withPods } from '../../src/lifecycle/scheduling/base/snapshot.ts';
import { SchedulingQueue } from '../../src/lifecycle/scheduling/queue/scheduling-queue.ts';
import { largeCluster, replicas } from '../../test/simulation/scheduling/large-cluster.ts';

const [nodes, pods] = process.argv.slice(2).map(Number);
const KINDS = { plain: {}, spread: { spread: true }, apart: { apart: true } };
const times = {};
for (const [name, kind] of Object.entries(KINDS)) {
  const cluster = largeCluster(nodes, 4);
  const waiting = replicas(pods, kind);
  const before = process.cpuUsage();
  const placed = scheduled(waiting, cluster);
  const { user, system } = process.cpuUsage(before);
  if (placed !== pods) throw new Error(`${placed} of ${pods} Pods have a node`);
  times[name] = (user + system) / 1000;
}
process.stdout.write(JSON.stringify(times));

/** Returns the number of Pods that get a node. */
function scheduled(waiting, cluster) {
  const queue = new SchedulingQueue(cluster);
  for (const pod of waiting) queue.add(pod);
  let snapshot = cluster;
  let placed = 0;
  for (let pod = queue.pop(0); pod !== undefined; pod = queue.pop(0)) {
    const { uid } = pod.metadata;
    const outcome = attempt(pod, snapshot, { order: queue.orderOf(uid) });
    if (outcome.type !== 'fits') throw new Error(`${pod.metadata.name} has no node`);
    const { nodeName } = outcome;
    const bound = { ...pod, spec: { ...pod.spec, nodeName } };
    snapshot = withPods(snapshot, nodeName, [...stateOf(snapshot, nodeName).pods, bound]);
    queue.remove(uid, 0);
    queue.heard({ kind: 'Pod', after: bound }, 0);
    placed += 1;
  }
  return placed;
}

import { describe, expect, it } from 'vitest';
import { placePods } from '../../../src/lifecycle/scheduling/place-pods.ts';
import { largeCluster, type PodKind, replicas } from './large-cluster.ts';

const NODES = 100;
const CORES = 4;

/** The CPU that the Pods of each node request together, in cores. */
function coresByNode(placed: ReturnType<typeof placePods>): Map<string, number> {
  const gone = new Set(placed.flatMap(({ victims }) => victims.map(({ metadata }) => metadata.uid)));
  const sums = new Map<string, number>();
  for (const { pod, nodeName } of placed) {
    if (nodeName === undefined || gone.has(pod.metadata.uid)) continue;
    const cores = Number(pod.spec.containers[0]?.resources?.requests?.['cpu'] ?? 0);
    sums.set(nodeName, (sums.get(nodeName) ?? 0) + cores);
  }
  return sums;
}

describe('100 nodes', () => {
  it.each<[name: string, kind: PodKind]>([
    ['plain', {}],
    ['that are spread over zones', { spread: true }],
    ['of which no two of a workload share a node', { apart: true }],
  ])('take 1,000 Pods %s', (_name, kind) => {
    const placed = placePods(replicas(1000, { ...kind, cpu: 0.25 }), largeCluster(NODES, CORES));
    expect(placed.filter(({ nodeName }) => nodeName === undefined)).toEqual([]);
    const sums = coresByNode(placed);
    expect(Math.max(...sums.values())).toBeLessThanOrEqual(CORES);
    // Ten Pods of ten workloads each: the scores keep all nodes about as full.
    expect(sums.size).toBe(NODES);
    expect(Math.min(...sums.values())).toBeGreaterThanOrEqual(1.5);
  });

  it('with room for 400 of 1,000 Pods are full, and the most important Pods have a node', () => {
    const pods = replicas(1000, { cpu: 1 }).map((pod, index) => ({
      ...pod,
      spec: { ...pod.spec, priority: index % 10 },
    }));
    const placed = placePods(pods, largeCluster(NODES, CORES));
    const sums = coresByNode(placed);
    expect([...sums.values()].every((cores) => cores === CORES)).toBe(true);
    const priorities = placed.filter(({ nodeName }) => nodeName !== undefined).map(({ pod }) => pod.spec.priority);
    expect([priorities.length, Math.min(...priorities.map((priority) => priority ?? 0))]).toEqual([400, 6]);
  });

  it('are chosen from in the same way by the same seed', () => {
    const nodesOf = (seed: number): unknown =>
      placePods(replicas(200, { cpu: 0.25 }), largeCluster(NODES, CORES), { seed }).map(({ nodeName }) => nodeName);
    expect(nodesOf(7)).toEqual(nodesOf(7));
    expect(nodesOf(7)).not.toEqual(nodesOf(8));
  });
});

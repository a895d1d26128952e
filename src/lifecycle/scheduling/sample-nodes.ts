import type { NodeState } from './base/snapshot.ts';
import { labelOf } from './filters/topology-spread.ts';

/** Clusters below this size are looked at as a whole, and so many feasible nodes are always looked for. */
const FEW_NODES = 100;

/** The smallest part of a cluster that is looked for, in percent. */
const LEAST_PERCENT = 5;

/**
 * The number of feasible nodes that are enough to choose from: half of the cluster, and less of a large one. Source:
 * pkg/scheduler/schedule_one.go numFeasibleNodesToFind.
 */
export function enoughNodes(all: number): number {
  if (all < FEW_NODES) return all;
  const percent = Math.max(50 - Math.trunc(all / 125), LEAST_PERCENT);
  return Math.max(FEW_NODES, Math.trunc((all * percent) / 100));
}

/**
 * The order in which the nodes of a cluster are looked at: zone after zone gives one, and each Pod begins where the one
 * before it has found enough. Source: pkg/scheduler/backend/cache/node_tree.go, schedule_one.go nextStartNodeIndex.
 * @param order the number of Pods before this one
 */
export function lookingOrder(nodes: readonly NodeState[], order: number): readonly NodeState[] {
  if (nodes.length < FEW_NODES) return nodes;
  const zones = new Map<string, NodeState[]>();
  for (const state of nodes) {
    const zone = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'].map((key) =>
      labelOf(state.node, key),
    );
    const ofZone = zones.get(zone.join('/')) ?? [];
    zones.set(zone.join('/'), ofZone);
    ofZone.push(state);
  }
  const longest = Math.max(...[...zones.values()].map((zone) => zone.length));
  const turns = Array.from({ length: longest }, (_, index) => [...zones.values()].flatMap((zone) => zone[index] ?? []));
  const ordered = turns.flat();
  const start = (order * enoughNodes(ordered.length)) % ordered.length;
  return [...ordered.slice(start), ...ordered.slice(0, start)];
}

import type { SchedulingNode } from '../base/snapshot.ts';
import type { ClusterEvent } from './cluster-event.ts';

/** The changes from one list of nodes to the next. */
export function nodeChanges(before: readonly SchedulingNode[], after: readonly SchedulingNode[]): ClusterEvent[] {
  const old = new Map(before.map((node) => [node.name, node]));
  const now = new Map(after.map((node) => [node.name, node]));
  const names = new Set([...old.keys(), ...now.keys()]);
  return [...names].map((name) => ({ kind: 'Node', before: old.get(name), after: now.get(name) }));
}

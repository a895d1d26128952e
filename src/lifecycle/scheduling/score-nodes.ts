import type { StoredPod } from '../../api/index.ts';
import type { ScorePlugin } from './base/plugin.ts';
import type { NodeState, Snapshot } from './base/snapshot.ts';

/** The score of a node by one plugin. */
export interface PluginScore {
  readonly plugin: string;
  readonly raw: number;
  /** From 0 to 100. */
  readonly normalized: number;
  /** The normalized score times the weight of the plugin. */
  readonly weighted: number;
}

export interface NodeScore {
  readonly nodeName: string;
  readonly total: number;
  readonly plugins: readonly PluginScore[];
}

/** The scores of the feasible nodes, in their order. Source: pkg/scheduler/schedule_one.go prioritizeNodes. */
export function scoreNodes(
  pod: StoredPod,
  snapshot: Snapshot,
  feasible: readonly NodeState[],
  plugins: readonly ScorePlugin[],
): NodeScore[] {
  const parts = plugins.flatMap(({ name: plugin, weight, score }) => {
    const scores = score(pod, snapshot, feasible);
    return scores === undefined ? [] : [{ plugin, weight, scores }];
  });
  return feasible.map(({ node }, index) => {
    const own = parts.map(({ plugin, weight, scores }) => {
      const normalized = scores.normalized[index] ?? 0;
      return { plugin, raw: scores.raw[index] ?? 0, normalized, weighted: normalized * weight };
    });
    return { nodeName: node.name, plugins: own, total: own.reduce((sum, { weighted }) => sum + weighted, 0) };
  });
}

/** The nodes with the highest total. */
export function bestNodes(scores: readonly NodeScore[]): string[] {
  const highest = Math.max(...scores.map(({ total }) => total));
  return scores.filter(({ total }) => total === highest).map(({ nodeName }) => nodeName);
}

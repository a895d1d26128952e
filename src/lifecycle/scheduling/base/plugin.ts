import type { StoredPod } from '../../../api/index.ts';
import type { NodeState, Snapshot } from './snapshot.ts';

/** Why a plugin rejects a node. */
export interface NodeMisfit {
  readonly reasons: readonly string[];
  /**
   * True: no deletion of Pods of the node makes the Pod fit (UnschedulableAndUnresolvable). False: it may
   * (Unschedulable).
   */
  readonly isFinal: boolean;
}

/** The judgement of one plugin about one Pod. Undefined: the node may take the Pod. */
export type NodeFilter = (state: NodeState) => NodeMisfit | undefined;

/** The answer of a plugin after it has looked at the Pod and at all nodes (PreFilter). */
export type PluginAnswer =
  /** The plugin has nothing against any node. */
  | { readonly type: 'passes' }
  /** The Pod fits no node at all. The plugins after this one are not asked. */
  | { readonly type: 'rejects'; readonly reasons: readonly string[] }
  | {
      readonly type: 'filters';
      readonly filter: NodeFilter;
      /** The only nodes that need to be looked at. Undefined: all. */
      readonly only?: ReadonlySet<string> | undefined;
    };

/** A plugin with the extension points PreFilter and Filter. Source: kube-scheduler's framework/interface.go. */
export interface FilterPlugin {
  readonly name: string;
  readonly prepare: (pod: StoredPod, snapshot: Snapshot) => PluginAnswer;
}

/** The raw score of a feasible node and its form from 0 to 100. */
export interface NodeScores {
  readonly raw: readonly number[];
  readonly normalized: readonly number[];
}

/** A plugin with the extension points PreScore, Score and NormalizeScore. */
export interface ScorePlugin {
  readonly name: string;
  readonly weight: number;
  /** The scores of the feasible nodes, in their order. Undefined: the plugin does not count for this Pod. */
  readonly score: (pod: StoredPod, snapshot: Snapshot, feasible: readonly NodeState[]) => NodeScores | undefined;
}

/** The highest normalized score. */
export const MAX_NODE_SCORE = 100;

export const PASSES: PluginAnswer = { type: 'passes' };

/** Rejects a node for one reason that no deletion of its Pods changes. */
export function final(reason: string): NodeMisfit {
  return { reasons: [reason], isFinal: true };
}

/** Rejects a node for one reason that may go with Pods of the node. */
export function solvable(reason: string): NodeMisfit {
  return { reasons: [reason], isFinal: false };
}

/**
 * Scales scores to 0 … 100 by the highest one. Source: pkg/scheduler/framework/plugins/helper/normalize_score.go.
 * @param isReversed true: the highest raw score becomes 0
 */
export function normalizeByMaximum(raw: readonly number[], isReversed: boolean): number[] {
  const highest = Math.max(0, ...raw);
  if (highest === 0) return raw.map((score) => (isReversed ? MAX_NODE_SCORE : score));
  const scaled = raw.map((score) => Math.trunc((MAX_NODE_SCORE * score) / highest));
  return isReversed ? scaled.map((score) => MAX_NODE_SCORE - score) : scaled;
}

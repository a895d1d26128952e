import {
  type LabelSelector,
  matchesSelector,
  ownValue,
  type StoredPod,
  type TopologySpreadConstraint,
} from '../../../api/index.ts';
import { matchesNode } from '../../node/node-affinity.ts';
import { hasUntoleratedTaint } from '../../node/taints.ts';
import { MISFIT } from '../../texts/scheduling.ts';
import { final, type FilterPlugin, PASSES, solvable } from '../base/plugin.ts';
import type { NodeState, SchedulingNode } from '../base/snapshot.ts';

/** A constraint whose selector has the Pod's own values of `matchLabelKeys`. */
export interface SpreadRule {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selectors: readonly LabelSelector[];
  /** True for a node whose Pods count. */
  readonly counts: (node: SchedulingNode) => boolean;
}

/**
 * Rejects nodes whose domain would have too many Pods more than the domain with the fewest. Source:
 * pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
 */
export const podTopologySpread: FilterPlugin = {
  name: 'PodTopologySpread',
  prepare: (pod, { nodes }) => {
    const rules = spreadRules(pod, 'DoNotSchedule');
    if (rules.length === 0) return PASSES;
    const domains = rules.map((rule) => ({ rule, counts: countByDomain(pod, rule, rules, nodes) }));
    return {
      type: 'filters',
      filter: ({ node }) => {
        for (const { rule, counts } of domains) {
          const domain = labelOf(node, rule.topologyKey);
          if (domain === undefined) return final(MISFIT.spreadLabel);
          const least = counts.size < rule.minDomains ? 0 : Math.min(...counts.values());
          const own = isSelected(pod, rule.selectors) ? 1 : 0;
          if ((counts.get(domain) ?? 0) + own - least > rule.maxSkew) return solvable(MISFIT.spread);
        }
        return undefined;
      },
    };
  },
};

/** The Pod's own constraints of a kind. Source: pkg/scheduler/framework/plugins/podtopologyspread/common.go. */
export function spreadRules(pod: StoredPod, kind: TopologySpreadConstraint['whenUnsatisfiable']): SpreadRule[] {
  const constraints = pod.spec.topologySpreadConstraints ?? [];
  return constraints
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === kind)
    .map(({ topologyKey, maxSkew, minDomains = 1, labelSelector, matchLabelKeys = [], ...policies }) => ({
      topologyKey,
      maxSkew,
      minDomains,
      selectors: labelSelector === undefined ? [] : [withOwnValues(labelSelector, matchLabelKeys, pod)],
      counts: (node) => includesNode(pod, policies, node),
    }));
}

/** Adds the Pod's own values of these labels. A label that the Pod lacks is left out. */
function withOwnValues(selector: LabelSelector, keys: readonly string[], { metadata }: StoredPod): LabelSelector {
  const { labels = {} } = metadata;
  const own = keys.filter((key) => Object.hasOwn(labels, key));
  if (own.length === 0) return selector;
  const requirements = own.map((key) => ({ key, operator: 'In', values: [labels[key] ?? ''] }));
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...requirements] };
}

function includesNode(
  { spec }: StoredPod,
  policies: Pick<TopologySpreadConstraint, 'nodeAffinityPolicy' | 'nodeTaintsPolicy'>,
  node: SchedulingNode,
): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = policies;
  if (nodeAffinityPolicy === 'Honor' && !matchesNode(spec, node)) return false;
  return nodeTaintsPolicy === 'Ignore' || !hasUntoleratedTaint(spec, node.taints, ['NoSchedule', 'NoExecute']);
}

/** The matching Pods of each domain. A node without one of the labels of all constraints belongs to none. */
function countByDomain(
  pod: StoredPod,
  rule: SpreadRule,
  rules: readonly SpreadRule[],
  nodes: readonly NodeState[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const state of nodes) {
    if (!hasLabels(state.node, rules) || !rule.counts(state.node)) continue;
    const domain = labelOf(state.node, rule.topologyKey) ?? '';
    counts.set(domain, (counts.get(domain) ?? 0) + countSelected(pod, rule.selectors, state.pods));
  }
  return counts;
}

/** True for a node that has the topology labels of all constraints. */
export function hasLabels(node: SchedulingNode, rules: readonly SpreadRule[]): boolean {
  return rules.every(({ topologyKey }) => labelOf(node, topologyKey) !== undefined);
}

/** The Pods of the same namespace that a constraint counts: Pods that are ending do not. */
export function countSelected(pod: StoredPod, selectors: readonly LabelSelector[], pods: readonly StoredPod[]): number {
  if (selectors.every(isEmptySelector)) return 0;
  return pods.filter((other) => isCounted(other, pod, selectors)).length;
}

/** True for a Pod that the constraints of another Pod count. */
export function isCounted(other: StoredPod, { metadata }: StoredPod, selectors: readonly LabelSelector[]): boolean {
  const { namespace, deletionTimestamp } = other.metadata;
  return namespace === metadata.namespace && deletionTimestamp === undefined && isSelected(other, selectors);
}

function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/** True when there are selectors, and all match. */
function isSelected({ metadata }: StoredPod, selectors: readonly LabelSelector[]): boolean {
  return selectors.length > 0 && selectors.every((selector) => matchesSelector(selector, metadata.labels));
}

/** The value of a node's label. */
export function labelOf({ labels }: SchedulingNode, key: string): string | undefined {
  return ownValue(labels, key);
}

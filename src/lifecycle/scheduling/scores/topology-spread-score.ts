import type { StoredPod } from '../../../api/index.ts';
import { matchesNode } from '../../node/node-affinity.ts';
import { countSelected, hasLabels, labelOf, type SpreadRule, spreadRules } from '../filters/topology-spread.ts';
import { MAX_NODE_SCORE, type ScorePlugin } from '../base/plugin.ts';
import type { NodeState, Snapshot } from '../base/snapshot.ts';

const HOSTNAME = 'kubernetes.io/hostname';

/** The rules for Pods without constraints of their own. Source: plugins/podtopologyspread/plugin.go. */
const DEFAULT_RULES = [
  { topologyKey: HOSTNAME, maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5 },
] as const;

/**
 * Prefers domains with the fewest matching Pods. Source:
 * pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
 */
export const podTopologySpreadScore: ScorePlugin = {
  name: 'PodTopologySpread',
  weight: 2,
  score: (pod, snapshot, feasible) => {
    const hasOwn = (pod.spec.topologySpreadConstraints ?? []).length > 0;
    const rules = hasOwn ? spreadRules(pod, 'ScheduleAnyway') : defaultRules(pod, snapshot);
    if (rules.length === 0) return undefined;
    const isCounted = ({ node }: NodeState): boolean => !hasOwn || hasLabels(node, rules);
    const counted = feasible.filter(isCounted);
    const parts = rules.map((rule) => ({ rule, ...domainsOf(pod, rule, { counted, snapshot, isCounted }) }));
    const raw = feasible.map((state) => {
      if (!isCounted(state)) return 0;
      const sums = parts.map(({ rule, weight, counts }) => {
        const domain = labelOf(state.node, rule.topologyKey);
        if (domain === undefined) return 0;
        const pods = counts?.get(domain) ?? countSelected(pod, rule.selectors, state.pods);
        return pods * weight + rule.maxSkew - 1;
      });
      return Math.round(sums.reduce((sum, each) => sum + each, 0));
    });
    return { raw, normalized: normalized(raw, feasible.map(isCounted)) };
  },
};

function defaultRules(pod: StoredPod, { groupsOf }: Snapshot): SpreadRule[] {
  const selectors = groupsOf(pod);
  if (selectors.length === 0) return [];
  return DEFAULT_RULES.map((rule) => ({
    ...rule,
    minDomains: 1,
    selectors,
    counts: (node) => matchesNode(pod.spec, node),
  }));
}

interface SpreadNodes {
  /** The feasible nodes with the labels that are needed. */
  readonly counted: readonly NodeState[];
  readonly snapshot: Snapshot;
  readonly isCounted: (state: NodeState) => boolean;
}

/** The matching Pods of the domains of feasible nodes. Each node is a domain of its own for its hostname. */
function domainsOf(
  pod: StoredPod,
  rule: SpreadRule,
  { counted, snapshot, isCounted }: SpreadNodes,
): { readonly weight: number; readonly counts: ReadonlyMap<string, number> | undefined } {
  if (rule.topologyKey === HOSTNAME) return { weight: weightOf(counted.length), counts: undefined };
  const domains = counted.flatMap(({ node }) => labelOf(node, rule.topologyKey) ?? []);
  const counts = new Map<string, number>(domains.map((domain) => [domain, 0]));
  for (const state of snapshot.nodes) {
    const domain = labelOf(state.node, rule.topologyKey) ?? '';
    const before = counts.get(domain);
    if (before === undefined || !isCounted(state) || !rule.counts(state.node)) continue;
    counts.set(domain, before + countSelected(pod, rule.selectors, state.pods));
  }
  return { weight: weightOf(counts.size), counts };
}

function weightOf(domains: number): number {
  return Math.log(domains + 2);
}

/** A node that does not count gets 0, and the fewest Pods get the highest score. */
function normalized(raw: readonly number[], isCounted: readonly boolean[]): number[] {
  const counted = raw.filter((_, index) => isCounted[index]);
  const most = Math.max(0, ...counted);
  const fewest = Math.min(...counted);
  return raw.map((score, index) => {
    if (isCounted[index] !== true) return 0;
    return most === 0 ? MAX_NODE_SCORE : Math.trunc((MAX_NODE_SCORE * (most + fewest - score)) / most);
  });
}

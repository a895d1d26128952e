import type { PodAffinityTerm, StoredPod } from '../../../api/index.ts';
import { matchesTerm, requiredTerms } from '../filters/inter-pod-affinity.ts';
import { labelOf } from '../filters/topology-spread.ts';
import { MAX_NODE_SCORE, type ScorePlugin } from '../base/plugin.ts';
import type { SchedulingNode, Snapshot } from '../base/snapshot.ts';

/** The weight of a required affinity of a Pod that runs. Source: apis/config/v1/defaults.go HardPodAffinityWeight. */
const HARD_AFFINITY_WEIGHT = 1;

/**
 * Prefers domains with Pods that this Pod, or that Pods there, would rather have near. Source:
 * pkg/scheduler/framework/plugins/interpodaffinity/scoring.go.
 */
export const interPodAffinityScore: ScorePlugin = {
  name: 'InterPodAffinity',
  weight: 2,
  score: (pod, snapshot, feasible) => {
    const sums = domainSums(pod, snapshot);
    if (sums.size === 0) return undefined;
    const raw = feasible.map(({ node }) =>
      [...sums].reduce((sum, [key, values]) => sum + (values.get(labelOf(node, key) ?? '\0') ?? 0), 0),
    );
    const lowest = Math.min(...raw);
    const range = Math.max(...raw) - lowest;
    const normalized = raw.map((score) => (range === 0 ? 0 : Math.trunc((MAX_NODE_SCORE * (score - lowest)) / range)));
    return { raw, normalized };
  },
};

/** By topology key and domain: the weights of all terms that match. */
function domainSums(pod: StoredPod, snapshot: Snapshot): Map<string, Map<string, number>> {
  const sums = new Map<string, Map<string, number>>();
  const add = ({ topologyKey }: PodAffinityTerm, node: SchedulingNode, weight: number): void => {
    const domain = labelOf(node, topologyKey);
    if (domain === undefined) return;
    const values = sums.get(topologyKey) ?? new Map<string, number>();
    sums.set(topologyKey, values.set(domain, (values.get(domain) ?? 0) + weight));
  };
  const own = weightedTerms(pod);
  for (const { node, pods } of snapshot.nodes) {
    for (const other of pods) {
      const its = [
        ...weightedTerms(other),
        ...requiredTerms(other, 'podAffinity').map((term) => ({ podAffinityTerm: term, weight: HARD_AFFINITY_WEIGHT })),
      ];
      for (const { podAffinityTerm: term, weight } of own) {
        if (matchesTerm(term, pod, other, snapshot)) add(term, node, weight);
      }
      for (const { podAffinityTerm: term, weight } of its) {
        if (matchesTerm(term, other, pod, snapshot)) add(term, node, weight);
      }
    }
  }
  return sums;
}

interface WeightedTerm {
  readonly podAffinityTerm: PodAffinityTerm;
  readonly weight: number;
}

/** The preferred terms of a Pod. Those to stay away have a negative weight. */
function weightedTerms({ spec: { affinity } }: StoredPod): WeightedTerm[] {
  const near = affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const away = affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [...near, ...away.map((term) => ({ ...term, weight: -term.weight }))];
}

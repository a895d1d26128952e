import { matchesSelector, type PodAffinityTerm, type StoredPod } from '../../../api/index.ts';
import { MISFIT } from '../../texts/scheduling.ts';
import { final, type FilterPlugin, PASSES, type NodeMisfit, solvable } from '../base/plugin.ts';
import type { SchedulingNode, Snapshot } from '../base/snapshot.ts';
import { labelOf } from './topology-spread.ts';

/**
 * Places a Pod beside the Pods that it wants, and away from the Pods that it, or they, do not want. Source:
 * pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
 */
export const interPodAffinity: FilterPlugin = {
  name: 'InterPodAffinity',
  prepare: (pod, snapshot) => {
    const wanted = requiredTerms(pod, 'podAffinity');
    const unwanted = requiredTerms(pod, 'podAntiAffinity');
    const near = new Domains();
    const away = new Domains();
    const refused = new Domains();
    for (const { node, pods } of snapshot.nodes) {
      for (const other of pods) {
        if (wanted.length > 0 && wanted.every((term) => matchesTerm(term, pod, other, snapshot)))
          near.add(wanted, node);
        away.add(
          unwanted.filter((term) => matchesTerm(term, pod, other, snapshot)),
          node,
        );
        const its = requiredTerms(other, 'podAntiAffinity');
        refused.add(
          its.filter((term) => matchesTerm(term, other, pod, snapshot)),
          node,
        );
      }
    }
    if (wanted.length === 0 && unwanted.length === 0 && refused.isEmpty) return PASSES;
    // The first Pod of a group that wants to be together may go anywhere.
    const isFirst = near.isEmpty && wanted.every((term) => matchesTerm(term, pod, pod, snapshot));
    return {
      type: 'filters',
      filter: ({ node }): NodeMisfit | undefined => {
        if (wanted.some(({ topologyKey }) => labelOf(node, topologyKey) === undefined))
          return final(MISFIT.podAffinity);
        if (!wanted.every((term) => near.has(term, node)) && !isFirst) return final(MISFIT.podAffinity);
        if (unwanted.some((term) => away.has(term, node))) return solvable(MISFIT.podAntiAffinity);
        return refused.hasAny(node) ? solvable(MISFIT.existingAntiAffinity) : undefined;
      },
    };
  },
};

/** Topology domains: values of a label of nodes. */
class Domains {
  readonly #valuesByKey = new Map<string, Set<string>>();

  /** Adds the domains of the terms in which the node is. */
  add(terms: readonly PodAffinityTerm[], node: SchedulingNode): void {
    for (const { topologyKey } of terms) {
      const value = labelOf(node, topologyKey);
      if (value === undefined) continue;
      const values = this.#valuesByKey.get(topologyKey) ?? new Set();
      this.#valuesByKey.set(topologyKey, values.add(value));
    }
  }

  has({ topologyKey }: PodAffinityTerm, node: SchedulingNode): boolean {
    const value = labelOf(node, topologyKey);
    return value !== undefined && this.#valuesByKey.get(topologyKey)?.has(value) === true;
  }

  /** True when the node is in one of the domains. */
  hasAny(node: SchedulingNode): boolean {
    return [...this.#valuesByKey].some(([key, values]) => values.has(labelOf(node, key) ?? '\0'));
  }

  get isEmpty(): boolean {
    return this.#valuesByKey.size === 0;
  }
}

/** The terms that a node must satisfy. */
export function requiredTerms(
  { spec: { affinity } }: StoredPod,
  kind: 'podAffinity' | 'podAntiAffinity',
): readonly PodAffinityTerm[] {
  return affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/**
 * True when a term of one Pod matches another Pod. Without namespaces and without a selector of namespaces, it means
 * the namespace of its Pod. Source: pkg/scheduler/framework/types.go AffinityTerm.Matches.
 */
export function matchesTerm(
  { namespaces = [], namespaceSelector, labelSelector }: PodAffinityTerm,
  owner: StoredPod,
  { metadata }: StoredPod,
  { namespaceLabels }: Pick<Snapshot, 'namespaceLabels'>,
): boolean {
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  const isInNamespace =
    (isOwn ? metadata.namespace === owner.metadata.namespace : namespaces.includes(metadata.namespace)) ||
    matchesSelector(namespaceSelector, namespaceLabels(metadata.namespace));
  return isInNamespace && matchesSelector(labelSelector, metadata.labels);
}

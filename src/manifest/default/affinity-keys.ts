import { isSameJson, type Pod, type PodAffinityTerm, type WeightedPodAffinityTerm } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields } from './fill.ts';

type Term = Decoded<PodAffinityTerm>;

/**
 * Writes the Pod's own values of `matchLabelKeys` and `mismatchLabelKeys` into the selectors of its terms: the
 * scheduler reads only these. Keys that the Pod lacks are left out. Source: pkg/registry/core/pod/strategy.go
 * applyMatchLabelKeysAndMismatchLabelKeys.
 */
export function withAffinityKeys(pod: Decoded<Pod>): Decoded<Pod> {
  const labels = pod.metadata?.labels ?? {};
  const withKeys = (term: Term): Term => withOwnValues(term, labels);
  const ofPods = {
    requiredDuringSchedulingIgnoredDuringExecution: (terms: Term[]) => terms.map(withKeys),
    preferredDuringSchedulingIgnoredDuringExecution: (terms: Decoded<WeightedPodAffinityTerm>[]) =>
      terms.map((weighted) => changeFields(weighted, { podAffinityTerm: withKeys })),
  };
  return changeFields(pod, {
    spec: (spec) =>
      changeFields(spec, {
        affinity: (affinity) =>
          changeFields(affinity, {
            podAffinity: (rules) => changeFields(rules, ofPods),
            podAntiAffinity: (rules) => changeFields(rules, ofPods),
          }),
      }),
  });
}

function withOwnValues(term: Term, labels: Readonly<Record<string, string | undefined>>): Term {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  if (labelSelector === undefined) return term;
  const { matchExpressions = [] } = labelSelector;
  const added = [
    ...matchLabelKeys.map((key) => ({ key, operator: 'In' as const })),
    ...mismatchLabelKeys.map((key) => ({ key, operator: 'NotIn' as const })),
  ].flatMap((rule) => {
    const value = labels[rule.key];
    return value === undefined ? [] : [{ ...rule, values: [value] }];
  });
  const fresh = added.filter((rule) => !matchExpressions.some((known) => isSameJson(known, rule)));
  if (fresh.length === 0) return term;
  return { ...term, labelSelector: { ...labelSelector, matchExpressions: [...matchExpressions, ...fresh] } };
}

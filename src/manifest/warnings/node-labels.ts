import type { Affinity, NodeSelectorTerm, PodSpec } from '../../api/index.ts';
import { entriesByKey, type Decoded } from '../base/decoded.ts';

/** Node labels with a new name. Source: pkg/api/node/util.go. */
const OLD_LABELS: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
]);

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Warnings about old node labels, and about topology spread that counts no Pods. */
export function placementWarnings(path: string, spec: Decoded<PodSpec>): string[] {
  return [
    ...entriesByKey(spec.nodeSelector).flatMap(([label]) => {
      const message = OLD_LABELS.get(label);
      return message === undefined ? [] : [`${path}.nodeSelector[${label}]: ${message}`];
    }),
    ...nodeAffinityWarnings(`${path}.affinity.nodeAffinity`, spec.affinity ?? {}),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey = '', labelSelector }, index) => {
      const at = `${path}.topologySpreadConstraints[${index}]`;
      return [...oldLabel(`${at}.topologyKey`, topologyKey), ...missingSelector(at, labelSelector)];
    }),
  ];
}

function nodeAffinityWarnings(path: string, { nodeAffinity = {} }: Decoded<Affinity>): string[] {
  const terms = nodeAffinity[REQUIRED]?.nodeSelectorTerms ?? [];
  const preferred = nodeAffinity[PREFERRED] ?? [];
  return [
    ...terms.flatMap((term, index) => termWarnings(`${path}.${REQUIRED}.nodeSelectorTerms[${index}]`, term)),
    ...preferred.flatMap(({ preference = {} }, index) =>
      termWarnings(`${path}.${PREFERRED}[${index}].preference`, preference),
    ),
  ];
}

function termWarnings(path: string, { matchExpressions = [] }: Decoded<NodeSelectorTerm>): string[] {
  return matchExpressions.flatMap(({ key = '' }, index) => oldLabel(`${path}.matchExpressions[${index}].key`, key));
}

function oldLabel(path: string, label: string): string[] {
  const message = OLD_LABELS.get(label);
  return message === undefined ? [] : [`${path}: ${label} is ${message}`];
}

/** Warnings about Pod affinity without a selector. */
export function podAffinityWarnings(path: string, affinity: Decoded<Affinity>): string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((kind) => {
    const rules = affinity[kind] ?? {};
    const at = `${path}.${kind}`;
    return [
      ...(rules[REQUIRED] ?? []).flatMap((term, index) =>
        missingSelector(`${at}.${REQUIRED}[${index}]`, term.labelSelector),
      ),
      ...(rules[PREFERRED] ?? []).flatMap(({ podAffinityTerm }, index) =>
        missingSelector(`${at}.${PREFERRED}[${index}].podAffinityTerm`, podAffinityTerm?.labelSelector),
      ),
    ];
  });
}

function missingSelector(path: string, selector: object | undefined): string[] {
  return selector === undefined ? [`${path}.labelSelector: a null labelSelector results in matching no pod`] : [];
}

import { type LabelSelector, matchesSelector, type NetworkPolicyPeer } from '../../api/index.ts';
import type { PolicyPod } from './policy-pods.ts';
import { addressPlaces, joined, type PlaceRange } from './ranges.ts';
import { namespaceLabels, type PolicyWorld } from './rules.ts';

type Labels = Readonly<Record<string, string>>;

/** Selects Pods by labels, at a cost that grows with the selected Pods and not with all. */
export class PodIndex {
  /** By namespace, and by namespace and label. */
  readonly #pods = new Map<string, PolicyPod[]>();
  readonly #namespaces = new Map<string, Labels>();
  readonly #places = new Map<PolicyPod, readonly PlaceRange[]>();

  constructor({ pods, namespaces }: Pick<PolicyWorld, 'pods' | 'namespaces'>) {
    const labelsOf = namespaceLabels(namespaces);
    for (const pod of pods) {
      if (pod.isOnNode) continue;
      const { namespace, labels } = pod;
      this.#namespaces.set(namespace, labelsOf(namespace));
      this.#add(namespace, pod);
      for (const [key, value] of Object.entries(labels)) this.#add(labelKey(namespace, key, value), pod);
    }
  }

  /** The Pods of a namespace with these labels. */
  select(namespace: string, selector: LabelSelector): readonly PolicyPod[] {
    const [first, ...more] = Object.entries(selector.matchLabels ?? {});
    const key = first === undefined ? namespace : labelKey(namespace, ...first);
    const pods = this.#pods.get(key) ?? [];
    const isExact = more.length === 0 && (selector.matchExpressions ?? []).length === 0;
    return isExact ? pods : pods.filter(({ labels }) => matchesSelector(selector, labels));
  }

  /** The Pods that the selectors of a peer name. */
  peers(namespace: string, { podSelector, namespaceSelector }: NetworkPolicyPeer): readonly PolicyPod[] {
    if (namespaceSelector === undefined) return podSelector === undefined ? [] : this.select(namespace, podSelector);
    const chosen = [...this.#namespaces].filter(([, labels]) => matchesSelector(namespaceSelector, labels));
    return chosen.flatMap(([name]) => this.select(name, podSelector ?? {}));
  }

  /** The addresses of a Pod. */
  placesOf(pod: PolicyPod): readonly PlaceRange[] {
    const known = this.#places.get(pod) ?? joined(pod.addresses.map(addressPlaces));
    this.#places.set(pod, known);
    return known;
  }

  /** All Pods. */
  get all(): readonly PolicyPod[] {
    return [...this.#namespaces.keys()].flatMap((name) => this.#pods.get(name) ?? []);
  }

  #add(key: string, pod: PolicyPod): void {
    const pods = this.#pods.get(key);
    if (pods === undefined) this.#pods.set(key, [pod]);
    else pods.push(pod);
  }
}

/** A namespace has no slash in its name. */
function labelKey(namespace: string, key: string, value: string): string {
  return `${namespace}/${key}=${value}`;
}

import { type LabelSelector, matchesSelector, type NetworkPolicyPeer } from '../../api/index.ts';
import type { PolicyPod } from './policy-pods.ts';
import { addressPlaces, EVERYWHERE, isSameSet, joined, type PlaceRange, placesOfBlock } from './ranges.ts';
import { namespaceLabels, type PolicyWorld } from './rules.ts';

type Labels = Readonly<Record<string, string>>;

/** The peers of rules in one namespace. */
export interface PeersOfRules {
  readonly namespace: string;
  /** None: any end. */
  readonly peers: readonly NetworkPolicyPeer[];
  /** The same text for the same peers of the same namespace. */
  readonly key: string;
}

/** Selects Pods by labels, at a cost that grows with the selected Pods and not with all. */
export class PodIndex {
  /** By namespace, and by namespace and label. */
  readonly #pods = new Map<string, PolicyPod[]>();
  readonly #namespaces = new Map<string, Labels>();
  readonly #places = new Map<PolicyPod, readonly PlaceRange[]>();
  /** By the key of peers. */
  readonly #peers = new Map<string, readonly PlaceRange[]>();
  /** The same of the former index. */
  readonly #former: ReadonlyMap<string, readonly PlaceRange[]>;

  /** @param former an earlier index: sets of places that have not changed are the same values here */
  constructor({ pods, namespaces }: Pick<PolicyWorld, 'pods' | 'namespaces'>, former?: PodIndex) {
    this.#former = former === undefined ? new Map() : former.#peers;
    const labelsOf = namespaceLabels(namespaces);
    for (const pod of pods) {
      if (pod.isOnNode) continue;
      const { namespace, labels } = pod;
      if (!this.#namespaces.has(namespace)) this.#namespaces.set(namespace, labelsOf(namespace));
      addTo(this.#pods, namespace, pod);
      for (const [key, value] of Object.entries(labels)) addTo(this.#pods, labelKey(namespace, key, value), pod);
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

  /** The addresses of peers. */
  placesOfPeers({ namespace, peers, key }: PeersOfRules): readonly PlaceRange[] {
    if (peers.length === 0) return EVERYWHERE;
    const known = this.#peers.get(key);
    if (known !== undefined) return known;
    const ranges = peers.flatMap((peer) => {
      if (peer.ipBlock !== undefined) return placesOfBlock(peer.ipBlock);
      return this.#podsOfPeer(namespace, peer).flatMap((pod) => this.placesOf(pod));
    });
    const places = joined(ranges);
    const former = this.#former.get(key);
    const own = former !== undefined && isSameSet(former, places) ? former : places;
    this.#peers.set(key, own);
    return own;
  }

  /** The Pods that the selectors of a peer name. */
  #podsOfPeer(namespace: string, { podSelector, namespaceSelector }: NetworkPolicyPeer): readonly PolicyPod[] {
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
}

/** Adds a value to the list of a key. */
export function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

/** A namespace has no slash in its name. */
function labelKey(namespace: string, key: string, value: string): string {
  return `${namespace}/${key}=${value}`;
}

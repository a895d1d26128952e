import type { LabelSelector } from '../../api/index.ts';
import { addTo, type PeersOfRules, type PodIndex } from './pod-index.ts';
import type { NamedPort, PolicyProtocol } from './policy-pods.ts';
import { hasPlace, isSameSet, joined, type PlaceRange, without } from './ranges.ts';
import {
  namespaceOf,
  type PolicyDirection,
  type PolicyObject,
  policyRules,
  type DirectedRule,
  portNumbers,
  type PortRange,
  protocolOf,
} from './rules.ts';

/** The other ends that may use some ports at the destination. */
export interface Permission {
  readonly protocol: PolicyProtocol;
  readonly ports: PortRange;
  readonly peers: readonly PlaceRange[];
}

/** Permissions without overlaps. */
export interface Permissions {
  /** The other ends that may use any port of any protocol. */
  readonly anyPort: readonly PlaceRange[];
  /** Further permissions. Of one protocol, no two have a port in common. */
  readonly byPort: readonly Permission[];
}

interface PlacedRule {
  readonly ports: DirectedRule['ports'];
  readonly places: readonly PlaceRange[];
}

const PROTOCOLS: readonly PolicyProtocol[] = ['TCP', 'UDP', 'SCTP'];

/** The permissions of the rules of one policy in one direction. What a change does not concern stays the same value. */
export class PolicyPermissions {
  readonly namespace: string;
  readonly selector: LabelSelector;
  /** The same text for the same selector in the same namespace. */
  readonly selection: string;
  /** True when they depend on the named ports of the selected Pod. */
  readonly dependOnPod: boolean;
  readonly #direction: PolicyDirection;
  readonly #rules: ReadonlyArray<PeersOfRules & { readonly ports: DirectedRule['ports'] }>;
  /** True when they depend on the named ports of all Pods. */
  readonly #dependOnPeers: boolean;
  #index: PodIndex | undefined;
  /** The rules with the places of their peers. */
  #placed: readonly PlacedRule[] = [];
  /** By named ports of the selected Pod. */
  #known = new Map<string, Permissions>();

  constructor(policy: PolicyObject, direction: PolicyDirection) {
    const namespace = namespaceOf(policy);
    this.namespace = namespace;
    this.selector = policy.spec?.podSelector ?? {};
    this.selection = JSON.stringify([namespace, this.selector]);
    this.#direction = direction;
    this.#rules = policyRules(policy, direction).map(({ peers, ports }) => {
      return { namespace, peers, ports, key: JSON.stringify([namespace, peers]) };
    });
    const hasNames = this.#rules.some(({ ports }) => ports.some(hasName));
    this.dependOnPod = hasNames && direction === 'ingress';
    this.#dependOnPeers = hasNames && direction === 'egress';
  }

  /** Takes the peers from an index, for all that follows. */
  refresh(index: PodIndex): void {
    const placed = this.#rules.map((rule) => ({ ports: rule.ports, places: index.placesOfPeers(rule) }));
    const isSame = this.#index !== undefined && placed.every(({ places }, at) => this.#placed[at]?.places === places);
    if (!isSame || this.#dependOnPeers) this.#known = new Map();
    this.#index = index;
    this.#placed = placed;
  }

  /** @param ports the named ports of the selected Pod */
  of(ports: readonly NamedPort[]): Permissions {
    const key = this.dependOnPod ? JSON.stringify(ports) : '';
    const known = this.#known.get(key) ?? this.#permissions(ports);
    this.#known.set(key, known);
    return known;
  }

  #permissions(ports: readonly NamedPort[]): Permissions {
    return {
      anyPort: this.#placed.flatMap((rule) => (rule.ports.length === 0 ? rule.places : [])),
      byPort: this.#placed.flatMap((rule) =>
        rule.ports.flatMap((port): Permission[] => {
          const protocol = protocolOf(port);
          if (this.#direction === 'egress' && hasName(port)) return this.#atDestinations(port, rule.places);
          return portNumbers(port, ports).map((numbers) => ({ protocol, ports: numbers, peers: rule.places }));
        }),
      ),
    };
  }

  /** A named port has a number of its own at each destination, and none outside of Pods. */
  #atDestinations(port: DirectedRule['ports'][number], places: readonly PlaceRange[]): Permission[] {
    const index = this.#index;
    if (index === undefined) return [];
    return index.all.flatMap((pod) => {
      const peers = index.placesOf(pod).filter(({ first }) => hasPlace(places, first));
      if (peers.length === 0) return [];
      return portNumbers(port, pod.ports).map((numbers) => ({ protocol: protocolOf(port), ports: numbers, peers }));
    });
  }
}

function hasName({ port }: DirectedRule['ports'][number]): boolean {
  return typeof port === 'string';
}

/** The union of permissions. */
export function united(all: readonly Permissions[]): Permissions {
  const anyPort = joined(all.flatMap((each) => each.anyPort));
  const byPort = all.flatMap((each) => each.byPort);
  return {
    anyPort,
    byPort: PROTOCOLS.flatMap((protocol) => {
      const own = byPort.filter((each) => each.protocol === protocol);
      return withoutOverlaps(own, anyPort).map((part) => ({ protocol, ...part }));
    }),
  };
}

/** Cuts the ports wherever a permission begins or ends. Neighbours with the same peers become one. */
function withoutOverlaps(
  permissions: readonly Permission[],
  anyPort: readonly PlaceRange[],
): Pick<Permission, 'ports' | 'peers'>[] {
  const begins = new Map<number, Permission[]>();
  const ends = new Map<number, Permission[]>();
  for (const each of permissions) {
    addTo(begins, each.ports.first, each);
    addTo(ends, each.ports.last + 1, each);
  }
  const cuts = [...new Set([...begins.keys(), ...ends.keys()])].toSorted((one, other) => one - other);
  const covering = new Set<Permission>();
  const parts: { ports: PortRange; readonly peers: readonly PlaceRange[] }[] = [];
  for (const [index, first] of cuts.entries()) {
    for (const each of ends.get(first) ?? []) covering.delete(each);
    for (const each of begins.get(first) ?? []) covering.add(each);
    const peers = without(peersOf([...covering]), anyPort);
    if (peers.length === 0) continue;
    const last = (cuts[index + 1] ?? first + 1) - 1;
    const before = parts.at(-1);
    if (before !== undefined && before.ports.last + 1 === first && isSameSet(before.peers, peers))
      before.ports = { first: before.ports.first, last };
    else parts.push({ ports: { first, last }, peers });
  }
  return parts;
}

/** The union of the peers. The peers of one permission are the same value. */
function peersOf(covering: readonly Permission[]): readonly PlaceRange[] {
  const [first, ...more] = new Set(covering.map(({ peers }) => peers));
  return more.length === 0 ? (first ?? []) : joined([first ?? [], ...more].flat());
}

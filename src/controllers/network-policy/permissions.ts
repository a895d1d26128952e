import type { NetworkPolicyPeer } from '../../api/index.ts';
import type { PodIndex } from './pod-index.ts';
import type { NamedPort, PolicyProtocol } from './policy-pods.ts';
import { EVERYWHERE, hasPlace, isSameSet, joined, type PlaceRange, placesOfBlock, without } from './ranges.ts';
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

const PROTOCOLS: readonly PolicyProtocol[] = ['TCP', 'UDP', 'SCTP'];

/** The permissions of the rules of one policy in one direction. */
export class PolicyPermissions {
  /** True when they depend on the named ports of the selected Pod. */
  readonly dependOnPod: boolean;
  readonly #policy: PolicyObject;
  readonly #direction: PolicyDirection;
  readonly #index: PodIndex;
  readonly #rules: readonly DirectedRule[];
  /** The rules with their peers. */
  #placed: ReadonlyArray<DirectedRule & { readonly places: readonly PlaceRange[] }> | undefined;
  #same: Permissions | undefined;

  constructor(policy: PolicyObject, direction: PolicyDirection, index: PodIndex) {
    this.#policy = policy;
    this.#direction = direction;
    this.#index = index;
    this.#rules = policyRules(policy, direction);
    this.dependOnPod = direction === 'ingress' && this.#rules.some(({ ports }) => ports.some(hasName));
  }

  /** @param ports the named ports of the selected Pod */
  of(ports: readonly NamedPort[]): Permissions {
    if (this.dependOnPod) return this.#permissions(ports);
    return (this.#same ??= this.#permissions([]));
  }

  #permissions(ports: readonly NamedPort[]): Permissions {
    const rules = (this.#placed ??= this.#rules.map((rule) => ({ ...rule, places: this.#placesOf(rule.peers) })));
    return {
      anyPort: rules.flatMap((rule) => (rule.ports.length === 0 ? rule.places : [])),
      byPort: rules.flatMap((rule) =>
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
    return this.#index.all.flatMap((pod) => {
      const peers = this.#index.placesOf(pod).filter(({ first }) => hasPlace(places, first));
      if (peers.length === 0) return [];
      return portNumbers(port, pod.ports).map((numbers) => ({ protocol: protocolOf(port), ports: numbers, peers }));
    });
  }

  #placesOf(peers: readonly NetworkPolicyPeer[]): readonly PlaceRange[] {
    if (peers.length === 0) return EVERYWHERE;
    const namespace = namespaceOf(this.#policy);
    const ranges = peers.flatMap((peer) => {
      if (peer.ipBlock !== undefined) return placesOfBlock(peer.ipBlock);
      return this.#index.peers(namespace, peer).flatMap((pod) => this.#index.placesOf(pod));
    });
    return joined(ranges);
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
  const starts = new Set(permissions.flatMap(({ ports }) => [ports.first, ports.last + 1]));
  const cuts = [...starts].toSorted((one, other) => one - other);
  const parts: { ports: PortRange; readonly peers: readonly PlaceRange[] }[] = [];
  for (const [index, first] of cuts.entries()) {
    const covering = permissions.filter(({ ports }) => ports.first <= first && first <= ports.last);
    const peers = without(joined(covering.flatMap((each) => each.peers)), anyPort);
    if (peers.length === 0) continue;
    const last = (cuts[index + 1] ?? first + 1) - 1;
    const before = parts.at(-1);
    if (before !== undefined && before.ports.last + 1 === first && isSameSet(before.peers, peers))
      before.ports = { first: before.ports.first, last };
    else parts.push({ ports: { first, last }, peers });
  }
  return parts;
}

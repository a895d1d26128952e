import type { PolicyGroup } from './compile.ts';
import type { PolicyProtocol } from './policy-pods.ts';
import { hasPlace, addressPlace, type AddressPlace, type PlaceRange, placesOfRanges } from './ranges.ts';
import type { PolicyDirection, PortRange } from './rules.ts';

/** A connection by its addresses, after the translation of a Service's. */
export interface AddressedConnection {
  readonly from: string;
  readonly to: string;
  readonly protocol: PolicyProtocol;
  readonly port: number;
}

/** A group whose addresses are places. */
interface ReadGroup {
  readonly anyPort: readonly PlaceRange[];
  readonly allowances: ReadonlyArray<{
    readonly protocol: PolicyProtocol;
    readonly ports: PortRange;
    readonly peers: readonly PlaceRange[];
  }>;
}

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/i;

/** Says by compiled policies which connections are permitted. */
export class PolicyGate {
  readonly #nodes: ReadonlySet<AddressPlace>;
  readonly #groups: Readonly<Record<PolicyDirection, ReadonlyMap<AddressPlace, ReadGroup>>>;

  /** @param nodes the addresses of the node. The loopback interface is the node's, too */
  constructor(groups: readonly PolicyGroup[], nodes: readonly string[]) {
    this.#nodes = new Set(nodes.map(addressPlace));
    this.#groups = { ingress: byMember(groups, 'ingress'), egress: byMember(groups, 'egress') };
  }

  permits({ from, to, protocol, port }: AddressedConnection): boolean {
    if (LOOPBACK.test(from) || LOOPBACK.test(to)) return true;
    const [source, target] = [addressPlace(from), addressPlace(to)];
    if (source === target || this.#nodes.has(source) || this.#nodes.has(target)) return true;
    const permits = (group: ReadGroup | undefined, peer: AddressPlace): boolean =>
      group === undefined ||
      hasPlace(group.anyPort, peer) ||
      group.allowances.some(
        (each) =>
          each.protocol === protocol &&
          each.ports.first <= port &&
          port <= each.ports.last &&
          hasPlace(each.peers, peer),
      );
    return permits(this.#groups.egress.get(source), target) && permits(this.#groups.ingress.get(target), source);
  }
}

function byMember(groups: readonly PolicyGroup[], direction: PolicyDirection): Map<AddressPlace, ReadGroup> {
  const own = groups.filter((group) => group.direction === direction);
  return new Map(
    own.flatMap(({ members, anyPort, allowances }) => {
      const group: ReadGroup = {
        anyPort: placesOfRanges(anyPort),
        allowances: allowances.map((each) => ({ ...each, peers: placesOfRanges(each.peers) })),
      };
      return members.map((member): [AddressPlace, ReadGroup] => [addressPlace(member), group]);
    }),
  );
}

import type { PolicyGroup, PolicyRange } from '../../controllers/index.ts';

/*
 * The chains of a table of nftables that enforces compiled NetworkPolicies, as data. Each change keeps what it does not
 * concern.
 */

const ANY_PROTOCOL = '0-255';

/** The rules of a group's chain. */
export interface GroupRules {
  readonly direction: PolicyGroup['direction'];
  readonly members: ReadonlySet<string>;
  /** The peers that may use any port. Undefined: none. */
  readonly anyPort: string | undefined;
  /** The peers by protocol and ports. */
  readonly ports: ReadonlyMap<string, string>;
}

/** Peers of one direction, with a chain that returns for them and refuses the rest. Groups share them. */
export interface PeerRules {
  readonly direction: PolicyGroup['direction'];
  readonly elements: ReadonlySet<string>;
  /** The same text for the same peers. */
  readonly text: string;
}

/** The rules of a table, by name of the chain. */
export interface PolicyTable {
  readonly groups: ReadonlyMap<string, GroupRules>;
  readonly peers: ReadonlyMap<string, PeerRules>;
  /** The number of the next chain. */
  readonly next: number;
}

export const EMPTY_TABLE: PolicyTable = { groups: new Map(), peers: new Map(), next: 1 };

/** A group with its chain, and the peers of each of its places: `any`, or a protocol and ports. */
interface PlacedGroup extends Pick<GroupRules, 'direction' | 'members'> {
  readonly chain: string;
  readonly peers: ReadonlyMap<string, PeerRules>;
}

const ANY = 'any';

/**
 * The table for these groups. A group that has members of a present group keeps its chain.
 * @param keepsPeers true: changed peers keep the chain of the former ones, unless these stay unchanged. In several
 *   transactions, other places of this chain would see the change too early.
 */
export function nextTable(groups: readonly PolicyGroup[], before: PolicyTable, keepsPeers: boolean): PolicyTable {
  const chainOf = new Map(
    [...before.groups].flatMap(([chain, { direction, members }]) =>
      [...members].map((member) => [`${direction} ${member}`, chain]),
    ),
  );
  const own = new Map<string, PlacedGroup>();
  let { next } = before;
  for (const group of groups) {
    const { direction } = group;
    const members = new Set(group.members.filter(isIpv4));
    if (members.size === 0) continue;
    const [known] = [...members].flatMap((member) => chainOf.get(`${direction} ${member}`) ?? []);
    const chain = known === undefined || own.has(known) ? `group_${next++}` : known;
    own.set(chain, { chain, direction, members, peers: peersOf(group) });
  }
  return withPeers([...own.values()], { ...before, next }, keepsPeers);
}

/** The groups with the chains of their peers. */
function withPeers(groups: readonly PlacedGroup[], before: PolicyTable, keepsPeers: boolean): PolicyTable {
  const wanted = new Set(groups.flatMap(({ peers }) => [...peers.values()].map(({ text }) => text)));
  const chains = new Map([...before.peers].map(([chain, { text }]) => [text, chain]));
  const free = new Set([...before.peers].flatMap(([chain, { text }]) => (wanted.has(text) ? [] : chain)));
  const after = new Map<string, PeerRules>();
  let { next } = before;
  const chainFor = (peers: PeerRules, former: string | undefined): string => {
    const isFree = keepsPeers && former !== undefined && !chains.has(peers.text) && free.delete(former);
    const chain = chains.get(peers.text) ?? (isFree ? former : `peers_${next++}`);
    chains.set(peers.text, chain);
    if (!after.has(chain)) after.set(chain, peers);
    return chain;
  };
  const placedGroups = groups.map(({ chain, direction, members, peers }): [string, GroupRules] => {
    const former = before.groups.get(chain);
    const own = new Map([...peers].map(([place, each]) => [place, chainFor(each, chainAt(former, place))]));
    const anyPort = own.get(ANY);
    own.delete(ANY);
    return [chain, { direction, members, anyPort, ports: own }];
  });
  return { groups: new Map(placedGroups), peers: after, next };
}

function chainAt(group: GroupRules | undefined, place: string): string | undefined {
  return place === ANY ? group?.anyPort : group?.ports.get(place);
}

function peersOf({ direction, anyPort, allowances }: PolicyGroup): PlacedGroup['peers'] {
  const all = [
    [ANY, peerRules(direction, anyPort)] as const,
    ...allowances.map(({ protocol, ports, peers }) => {
      const numbers = intervalOf(String(ports.first), String(ports.last));
      return [`${protocol.toLowerCase()} . ${numbers}`, peerRules(direction, peers)] as const;
    }),
  ];
  return new Map(all.filter(([, { elements }]) => elements.size > 0));
}

const KNOWN = { ingress: new WeakMap<object, PeerRules>(), egress: new WeakMap<object, PeerRules>() };

/** The network has no IPv6. */
function peerRules(direction: PolicyGroup['direction'], ranges: readonly PolicyRange[]): PeerRules {
  const known = KNOWN[direction].get(ranges);
  if (known !== undefined) return known;
  const own = ranges.flatMap(({ family, first, last }) => (family === 'IPv4' ? [intervalOf(first, last)] : []));
  const elements = new Set(own.map((range) => `${range} . ${ANY_PROTOCOL}`));
  const rules = { direction, elements, text: `${direction} ${own.join()}` };
  KNOWN[direction].set(ranges, rules);
  return rules;
}

function intervalOf(first: string, last: string): string {
  return first === last ? first : `${first}-${last}`;
}

function isIpv4(address: string): boolean {
  return !address.includes(':');
}

import type { PolicyGroup, PolicyRange } from '../../controllers/index.ts';
import { CLUSTER_DNS } from '../base/service-addresses.ts';

/*
 * The rules of nftables that enforce compiled NetworkPolicies. A map finds the chain of a Pod's group for each
 * direction; the chain looks once into a set of all that the group permits. An open connection stays open.
 */

/** An ordinary user may send little in one transaction: its messages take four times as much as its text. */
const TRANSACTION_BYTES = 32_768;
const ELEMENTS_A_LINE = 100;
const ANY_PORT = '0-255 . 0-65535';
/** The time for which the repeated packets of a refused client count as one connection: the longest time of SYNs. */
const ATTEMPT = '2m';

/** A group with its chain. */
interface GroupRules {
  readonly direction: PolicyGroup['direction'];
  readonly members: ReadonlySet<string>;
  /** All that it permits. */
  readonly elements: ReadonlySet<string>;
}

/** The rules of a table, by name of the chain. */
export interface PolicyTable {
  readonly groups: ReadonlyMap<string, GroupRules>;
  /** The number of the next chain. */
  readonly next: number;
}

export const EMPTY_TABLE: PolicyTable = { groups: new Map(), next: 1 };

/**
 * The transaction that makes a table without a policy. The hooks come after the translation of Services' addresses.
 * Connections with the node, which Pods have at its own addresses, are not judged; names are served by a Pod.
 * @param nodes the addresses of the node that are outside of the cluster
 */
export function emptyPolicyTable(table: string, nodes: readonly string[]): string {
  const lines = [
    `add table ${table}`,
    `add map ${table} ingress { type ipv4_addr : verdict ; }`,
    `add map ${table} egress { type ipv4_addr : verdict ; }`,
    `add set ${table} selves { type ipv4_addr . ipv4_addr ; }`,
    ...['ingress', 'egress'].flatMap((direction) => refusalLines(table, direction)),
    `add chain ${table} forward { type filter hook forward priority 0 ; }`,
    `add rule ${table} forward ct state established,related accept`,
    `add rule ${table} forward ip saddr . ip daddr @selves accept`,
    `add rule ${table} forward ip daddr { ${nodes.join(', ')} } accept`,
    `add rule ${table} forward ip saddr vmap @egress`,
    `add rule ${table} forward ip daddr vmap @ingress`,
    `add chain ${table} input { type filter hook input priority 0 ; }`,
    `add rule ${table} input ct state established accept`,
    `add rule ${table} input ip daddr ${CLUSTER_DNS} ip saddr vmap @egress`,
  ];
  return `${lines.join('\n')}\n`;
}

/** The chain that counts a refused connection once, however often its client sends. */
function refusalLines(table: string, direction: string): string[] {
  const chain = refusalsOf(direction);
  const tried = `${chain}_tried`;
  const ends = 'ip saddr . ip daddr . meta l4proto . th dport';
  const types = 'ipv4_addr . ipv4_addr . inet_proto . inet_service';
  const rule = `add rule ${table} ${chain} meta l4proto { tcp, udp, sctp }`;
  const flags = `size 65535 ; flags dynamic,timeout ; timeout ${ATTEMPT} ;`;
  return [
    `add set ${table} ${tried} { type ${types} . inet_service ; ${flags} }`,
    `add set ${table} ${chain} { type ${types} ; size 65535 ; flags dynamic ; counter ; }`,
    `add chain ${table} ${chain}`,
    `${rule} ${ends} . th sport @${tried} drop`,
    `${rule} update @${tried} { ${ends} . th sport } update @${chain} { ${ends} counter } drop`,
    `add rule ${table} ${chain} drop`,
  ];
}

/** The name of the set that counts refused connections, and of the chain that does it. */
export function refusalsOf(direction: string): string {
  return `refused_${direction}`;
}

/**
 * Computes the transactions that lead from the present rules to rules for these groups. What fits is one transaction.
 * More is sent in steps: new groups, then each Pod moves to its group at once, then changes of groups, then removals.
 * @param before the present rules
 * @param table its family and name
 */
export function policyTransactions(
  groups: readonly PolicyGroup[],
  before: PolicyTable,
  table: string,
): { readonly transactions: readonly string[]; readonly after: PolicyTable } {
  const after = placed(groups, before);
  const added = [...after.groups].filter(([chain]) => !before.groups.has(chain));
  const gone = [...before.groups].filter(([chain]) => !after.groups.has(chain));
  const kept = [...after.groups].filter(([chain]) => before.groups.has(chain));
  const steps = [
    added.flatMap(([chain, group]) => groupLines(table, chain, group)),
    [
      ...(['ingress', 'egress'] as const).flatMap((direction) =>
        moveLines(`${table} ${direction}`, placesOf(before, direction), placesOf(after, direction)),
      ),
      ...changeLines(`${table} selves`, selvesOf(before), selvesOf(after)),
    ],
    kept.flatMap(([chain, { elements }]) =>
      changeLines(`${table} ${chain}`, before.groups.get(chain)?.elements ?? new Set(), elements),
    ),
    gone.flatMap(([chain]) => [`delete chain ${table} ${chain}`, `delete set ${table} ${chain}`]),
  ];
  return { transactions: transactionsOf(steps), after };
}

/** The groups with their chains: a group that has members of a present group keeps its chain. */
function placed(groups: readonly PolicyGroup[], before: PolicyTable): PolicyTable {
  const chainOf = new Map(
    [...before.groups].flatMap(([chain, { direction, members }]) =>
      [...members].map((member) => [`${direction} ${member}`, chain]),
    ),
  );
  const after = new Map<string, GroupRules>();
  let { next } = before;
  for (const group of groups) {
    const { direction } = group;
    const members = new Set(group.members.filter(isIpv4));
    if (members.size === 0) continue;
    const [known] = [...members].flatMap((member) => chainOf.get(`${direction} ${member}`) ?? []);
    const chain = known === undefined || after.has(known) ? `group_${next++}` : known;
    after.set(chain, { direction, members, elements: elementsOf(group) });
  }
  return { groups: after, next };
}

function elementsOf({ anyPort, allowances }: PolicyGroup): Set<string> {
  const elements = rangesOf(anyPort).map((range) => `${range} . ${ANY_PORT}`);
  for (const { protocol, ports, peers } of allowances) {
    const place = `${protocol.toLowerCase()} . ${intervalOf(String(ports.first), String(ports.last))}`;
    for (const range of rangesOf(peers)) elements.push(`${range} . ${place}`);
  }
  return new Set(elements);
}

/** The network has no IPv6. */
function rangesOf(ranges: readonly PolicyRange[]): string[] {
  return ranges.flatMap(({ family, first, last }) => (family === 'IPv4' ? [intervalOf(first, last)] : []));
}

function intervalOf(first: string, last: string): string {
  return first === last ? first : `${first}-${last}`;
}

function isIpv4(address: string): boolean {
  return !address.includes(':');
}

function groupLines(table: string, chain: string, { direction, elements }: GroupRules): string[] {
  const peer = direction === 'ingress' ? 'ip saddr' : 'ip daddr';
  return [
    `add set ${table} ${chain} { type ipv4_addr . inet_proto . inet_service ; flags interval ; }`,
    ...elementLines('add', `${table} ${chain}`, elements),
    `add chain ${table} ${chain}`,
    `add rule ${table} ${chain} ${peer} . meta l4proto . th dport @${chain} return`,
    `add rule ${table} ${chain} goto ${refusalsOf(direction)}`,
  ];
}

/** The elements of the map of a direction: a chain that permits a packet returns to the rule for the other end. */
function placesOf({ groups }: PolicyTable, direction: PolicyGroup['direction']): Map<string, string> {
  const own = [...groups].filter(([, group]) => group.direction === direction);
  return new Map(own.flatMap(([chain, { members }]) => [...members].map((member) => [member, `jump ${chain}`])));
}

/** A Pod that calls its own Service comes back by the router. */
function selvesOf({ groups }: PolicyTable): Set<string> {
  return new Set([...groups.values()].flatMap(({ members }) => [...members].map((member) => `${member} . ${member}`)));
}

function moveLines(place: string, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const gone = [...before].filter(([member, verdict]) => after.get(member) !== verdict);
  const come = [...after].filter(([member, verdict]) => before.get(member) !== verdict);
  return [
    ...elementLines(
      'delete',
      place,
      gone.map(([member]) => member),
    ),
    ...elementLines(
      'add',
      place,
      come.map(([member, verdict]) => `${member} : ${verdict}`),
    ),
  ];
}

/** Deletes first: intervals of one set may not overlap. */
function changeLines(place: string, before: ReadonlySet<string>, after: ReadonlySet<string>): string[] {
  const gone = [...before].filter((element) => !after.has(element));
  const come = [...after].filter((element) => !before.has(element));
  return [...elementLines('delete', place, gone), ...elementLines('add', place, come)];
}

function elementLines(verb: 'add' | 'delete', place: string, elements: Iterable<string>): string[] {
  const all = [...elements];
  const lines: string[] = [];
  for (let at = 0; at < all.length; at += ELEMENTS_A_LINE)
    lines.push(`${verb} element ${place} { ${all.slice(at, at + ELEMENTS_A_LINE).join(', ')} }`);
  return lines;
}

/** One transaction, or for each step its own ones. */
function transactionsOf(steps: readonly (readonly string[])[]): string[] {
  const whole = steps.flat().join('\n');
  if (whole === '') return [];
  if (whole.length < TRANSACTION_BYTES) return [`${whole}\n`];
  return steps.flatMap((lines) => {
    const transactions: string[] = [];
    let text = '';
    for (const line of lines) {
      if (text !== '' && text.length + line.length >= TRANSACTION_BYTES) {
        transactions.push(text);
        text = '';
      }
      text += `${line}\n`;
    }
    return text === '' ? transactions : [...transactions, text];
  });
}

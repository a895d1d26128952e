import type { PolicyGroup } from '../../controllers/index.ts';
import { CLUSTER_DNS } from '../base/service-addresses.ts';
import { type GroupRules, nextTable, type PeerRules, type PolicyTable } from './policy-table.ts';

/*
 * The rules of nftables that enforce compiled NetworkPolicies. A map finds the chain of a Pod's group for each
 * direction; a map there finds, by protocol and port, the chain of the peers that the group permits. An open connection
 * stays open. Sets of intervals have keys of two parts: of these, the kernel replaces overlapping ones at once.
 */

/** An ordinary user may send little in one transaction: its messages take four times as much as its text. */
const TRANSACTION_BYTES = 32_768;
const ELEMENTS_A_LINE = 100;
/** The time for which the repeated packets of a refused client count as one connection: the longest time of SYNs. */
const ATTEMPT = '2m';

/**
 * The transaction that makes a table without a policy. The hooks come after the translation of Services' addresses.
 * Connections with nodes are not judged, nor are these of Pods in the network of a node; names are served by a Pod.
 * @param nodes the range of the addresses of nodes
 * @param outside the addresses of the node that are outside of the cluster
 */
export function emptyPolicyTable(table: string, nodes: string, outside: readonly string[]): string {
  const lines = [
    `add table ${table}`,
    `add map ${table} ingress { type ipv4_addr : verdict ; }`,
    `add map ${table} egress { type ipv4_addr : verdict ; }`,
    `add set ${table} selves { type ipv4_addr . ipv4_addr ; }`,
    ...['ingress', 'egress'].flatMap((direction) => refusalLines(table, direction)),
    `add chain ${table} forward { type filter hook forward priority 0 ; }`,
    `add rule ${table} forward ct state established,related accept`,
    `add rule ${table} forward ip saddr . ip daddr @selves accept`,
    `add rule ${table} forward ip saddr ${nodes} accept`,
    `add rule ${table} forward ip daddr { ${[nodes, ...outside].join(', ')} } accept`,
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
 * Computes the transactions that lead from the present rules to rules for these groups: for what has changed. What fits
 * is one transaction. More is sent in steps: new groups, then each Pod moves to its group at once, then changes of
 * groups, then removals.
 * @param before the present rules
 * @param table its family and name
 */
export function policyTransactions(
  groups: readonly PolicyGroup[],
  before: PolicyTable,
  table: string,
): { readonly transactions: readonly string[]; readonly after: PolicyTable } {
  const atOnce = nextTable(groups, before, true);
  const [first, ...more] = transactionsOf(stepsBetween(before, atOnce, table));
  if (more.length === 0) return { transactions: first === undefined ? [] : [first], after: atOnce };
  const after = nextTable(groups, before, false);
  return { transactions: transactionsOf(stepsBetween(before, after, table)), after };
}

function stepsBetween(before: PolicyTable, after: PolicyTable, table: string): string[][] {
  const [newPeers, newGroups] = [added(before.peers, after.peers), added(before.groups, after.groups)];
  return [
    newPeers.flatMap(([chain, peers]) => peerLines(table, chain, peers)),
    newGroups.flatMap(([chain, group]) => groupLines(table, chain, group)),
    [
      ...(['ingress', 'egress'] as const).flatMap((direction) =>
        moveLines(`${table} ${direction}`, placesOf(before, direction), placesOf(after, direction), 'jump'),
      ),
      ...changeLines(`${table} selves`, selvesOf(before), selvesOf(after)),
    ],
    [...after.peers].flatMap(([chain, { elements }]) => {
      const former = before.peers.get(chain)?.elements ?? elements;
      return former === elements ? [] : changeLines(`${table} ${chain}`, former, elements);
    }),
    [...after.groups].flatMap(([chain, group]) => {
      const former = before.groups.get(chain);
      return former === undefined ? [] : groupChanges(table, chain, former, group);
    }),
    added(after.groups, before.groups).flatMap(([chain]) => [
      `delete chain ${table} ${chain}`,
      `delete map ${table} ${chain}`,
    ]),
    added(after.peers, before.peers).flatMap(([chain]) => [
      `delete chain ${table} ${chain}`,
      `delete set ${table} ${chain}`,
    ]),
  ];
}

function added<Rules>(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, Rules>): [string, Rules][] {
  return [...after].filter(([chain]) => !before.has(chain));
}

function peerLines(table: string, chain: string, { direction, elements }: PeerRules): string[] {
  return [
    `add set ${table} ${chain} { type ipv4_addr . inet_proto ; flags interval ; }`,
    ...elementLines('add', `${table} ${chain}`, elements),
    `add chain ${table} ${chain}`,
    `add rule ${table} ${chain} ${isPeer(direction, chain)} return`,
    `add rule ${table} ${chain} goto ${refusalsOf(direction)}`,
  ];
}

function isPeer(direction: PolicyGroup['direction'], chain: string): string {
  return `${direction === 'ingress' ? 'ip saddr' : 'ip daddr'} . meta l4proto @${chain}`;
}

function groupLines(table: string, chain: string, group: GroupRules): string[] {
  return [
    `add map ${table} ${chain} { type inet_proto . inet_service : verdict ; flags interval ; }`,
    ...moveLines(`${table} ${chain}`, new Map(), group.ports, 'goto'),
    `add chain ${table} ${chain}`,
    ...ruleLines(table, chain, group),
  ];
}

function groupChanges(table: string, chain: string, before: GroupRules, after: GroupRules): string[] {
  const isSame = before.anyPort === after.anyPort;
  return [
    ...moveLines(`${table} ${chain}`, before.ports, after.ports, 'goto'),
    ...(isSame ? [] : [`flush chain ${table} ${chain}`, ...ruleLines(table, chain, after)]),
  ];
}

function ruleLines(table: string, chain: string, { direction, anyPort }: GroupRules): string[] {
  return [
    ...(anyPort === undefined ? [] : [`add rule ${table} ${chain} ${isPeer(direction, anyPort)} return`]),
    `add rule ${table} ${chain} meta l4proto . th dport vmap @${chain}`,
    `add rule ${table} ${chain} goto ${refusalsOf(direction)}`,
  ];
}

/** The elements of the map of a direction: a chain that permits a packet returns to the rule for the other end. */
function placesOf({ groups }: PolicyTable, direction: PolicyGroup['direction']): Map<string, string> {
  const own = [...groups].filter(([, group]) => group.direction === direction);
  return new Map(own.flatMap(([chain, { members }]) => [...members].map((member) => [member, chain])));
}

/** A Pod that calls its own Service comes back by the router. */
function selvesOf({ groups }: PolicyTable): Set<string> {
  return new Set([...groups.values()].flatMap(({ members }) => [...members].map((member) => `${member} . ${member}`)));
}

/** Changes a map of verdicts, whose elements lead to chains. */
function moveLines(
  map: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  verb: 'jump' | 'goto',
): string[] {
  const gone = [...before].filter(([key, chain]) => after.get(key) !== chain).map(([key]) => key);
  const come = [...after].filter(([key, chain]) => before.get(key) !== chain);
  const elements = come.map(([key, chain]) => `${key} : ${verb} ${chain}`);
  return [...elementLines('delete', map, gone), ...elementLines('add', map, elements)];
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

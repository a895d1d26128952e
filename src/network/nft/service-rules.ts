import { listenerKey, type ServiceEndpoint, type ServiceListener } from '../base/service-listener.ts';

/*
 * The rules of nftables that lead connections in the network of a run to the endpoints of Services. One map finds the
 * chain of a Service, whose rules choose an endpoint. Open connections stay with theirs: the kernel remembers it.
 */

/** An ordinary user may not send more in one transaction. */
const CHAINS_AT_ONCE = 50;

/** The present rules, by name of the chain: one a line. */
export type RulesByChain = ReadonlyMap<string, string>;

/**
 * True for what rules of nftables serve. They remember no clients, and this machine's sockets belong to podrun's
 * helper.
 */
export function isServedByRules({ network, affinitySeconds }: ServiceListener): boolean {
  return network === 'pods' && affinitySeconds === undefined;
}

/**
 * The transaction that makes the table of an agent, without a Service. Removes the table of a former process of the
 * agent.
 */
export function emptyTable(table: string): string {
  return `add table ${table}
delete table ${table}
add table ${table}
add map ${table} chains { type ipv4_addr . inet_proto . inet_service : verdict ; }
add set ${table} selves { type ipv4_addr . ipv4_addr ; }
add chain ${table} prerouting { type nat hook prerouting priority -100 ; }
add chain ${table} output { type nat hook output priority -100 ; }
add chain ${table} postrouting { type nat hook postrouting priority 100 ; }
add rule ${table} prerouting ip daddr . meta l4proto . th dport vmap @chains
add rule ${table} output ip daddr . meta l4proto . th dport vmap @chains
add rule ${table} postrouting ip saddr . ip daddr @selves masquerade
`;
}

/**
 * Computes the transactions that lead from the present rules to rules for these listeners. A Service without endpoints
 * has none: the kernel refuses its connections, since no socket listens at its address.
 * @param before the present rules
 * @param table its family and name
 */
export function serviceTransactions(
  listeners: readonly ServiceListener[],
  before: RulesByChain,
  table: string,
): { readonly transactions: readonly string[]; readonly rules: RulesByChain } {
  const served = listeners.filter(({ endpoints }) => endpoints.length > 0);
  const rules = new Map(served.map((listener) => [chainOf(listener), rulesOf(listener)]));
  const changed = [...rules].filter(([chain, rule]) => before.get(chain) !== rule);
  const gone = [...before.keys()].filter((chain) => !rules.has(chain));
  if (changed.length === 0 && gone.length === 0) return { transactions: [], rules };
  const chains = changed.map(([chain, text]) =>
    [
      `add chain ${table} ${chain}`,
      `flush chain ${table} ${chain}`,
      ...text.split('\n').map((rule) => `add rule ${table} ${chain} ${rule}`),
    ].join('\n'),
  );
  const places = served.map((listener) => `${placeOf(listener)} : goto ${chainOf(listener)}`);
  // A Pod that calls its own Service would answer itself, past the router.
  const all = served.flatMap(({ endpoints, near = [] }) => [endpoints, ...near.map((each) => each.endpoints)].flat());
  const selves = new Set(all.map(({ address }) => `${address} . ${address}`));
  const last = [
    `flush map ${table} chains`,
    `flush set ${table} selves`,
    ...elements(`${table} chains`, places),
    ...elements(`${table} selves`, [...selves]),
    ...gone.map((chain) => `delete chain ${table} ${chain}`),
  ];
  const transactions = [...inGroups(chains).map((group) => group.join('\n')), last.join('\n')];
  return { transactions: transactions.map((text) => `${text}\n`), rules };
}

function elements(place: string, texts: readonly string[]): string[] {
  return inGroups(texts).map((group) => `add element ${place} { ${group.join(', ')} }`);
}

function inGroups<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / CHAINS_AT_ONCE);
  return Array.from({ length: count }, (_, index) => items.slice(index * CHAINS_AT_ONCE, (index + 1) * CHAINS_AT_ONCE));
}

function placeOf({ address, protocol, port }: ServiceListener): string {
  return `${address} . ${protocol.toLowerCase()} . ${port}`;
}

function chainOf(listener: ServiceListener): string {
  return `s_${listenerKey(listener)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')}`;
}

/** The rules of a Service, one a line: rules for the clients of a node come first. */
function rulesOf({ protocol, endpoints, near = [] }: ServiceListener): string {
  const ofNodes = near.map((each) => {
    const rule = each.endpoints.length === 0 ? 'drop' : ruleOf({ protocol, endpoints: each.endpoints });
    return `ip saddr ${each.clients} ${rule}`;
  });
  return [...ofNodes, ruleOf({ protocol, endpoints })].join('\n');
}

/** The same endpoints in another order are the same rule. */
function ruleOf({ protocol, endpoints }: Pick<ServiceListener, 'protocol' | 'endpoints'>): string {
  const match = `meta l4proto ${protocol.toLowerCase()} dnat`;
  const places = endpoints.map(placeOfEndpoint).toSorted();
  const [first = ''] = places;
  if (places.length === 1) return `${match} to ${first.replace(' . ', ':')}`;
  const choice = places.map((place, index) => `${index} : ${place}`).join(', ');
  return `${match} ip addr . port to numgen random mod ${places.length} map { ${choice} }`;
}

function placeOfEndpoint({ address, port }: ServiceEndpoint): string {
  return `${address} . ${port}`;
}

import { describe, expect, it } from 'vitest';
import {
  emptyTable,
  isServedByRules,
  type RulesByChain,
  serviceTransactions,
} from '../../src/network/nft/service-rules.ts';
import type { ServiceListener } from '../../src/network/base/service-listener.ts';

const TABLE = 'ip podrun_services';
const NOTHING: RulesByChain = new Map();

/** A listener, and endpoints by the last number of their address. */
function listener(
  address: string,
  endpoints: readonly number[],
  changes: Partial<ServiceListener> = {},
): ServiceListener {
  return {
    protocol: 'TCP',
    network: 'pods',
    address,
    port: 80,
    service: 'default/web:80',
    endpoints: endpoints.map((last) => ({ address: `10.93.0.${last}`, port: 8080 })),
    affinitySeconds: undefined,
    ...changes,
  };
}

const transactions = (listeners: readonly ServiceListener[], before = NOTHING): readonly string[] =>
  serviceTransactions(listeners, before, TABLE).transactions;

it('the table has one map for both hooks, and hides the address of a Pod that calls itself', () => {
  expect(emptyTable(TABLE)).toBe(`\
add table ip podrun_services
delete table ip podrun_services
add table ip podrun_services
add map ip podrun_services chains { type ipv4_addr . inet_proto . inet_service : verdict ; }
add set ip podrun_services selves { type ipv4_addr . ipv4_addr ; }
add chain ip podrun_services prerouting { type nat hook prerouting priority -100 ; }
add chain ip podrun_services output { type nat hook output priority -100 ; }
add chain ip podrun_services postrouting { type nat hook postrouting priority 100 ; }
add rule ip podrun_services prerouting ip daddr . meta l4proto . th dport vmap @chains
add rule ip podrun_services output ip daddr . meta l4proto . th dport vmap @chains
add rule ip podrun_services postrouting ip saddr . ip daddr @selves masquerade
`);
});

it('clients of a node have endpoints of their own, or none', () => {
  const endpointOf = (last: number): object => ({ address: `10.93.${last}.9`, port: 8080 });
  const near = [
    { clients: '10.93.1.0/24', endpoints: [endpointOf(1)] },
    { clients: '10.93.2.0/24', endpoints: [] },
  ] as ServiceListener['near'];
  const [chain] = transactions([listener('10.96.0.1', [5], near && { near })]);
  expect(chain?.split('\n').slice(2)).toEqual([
    'add rule ip podrun_services s_pods_tcp_10_96_0_1_80 ip saddr 10.93.1.0/24 ' +
      'meta l4proto tcp dnat to 10.93.1.9:8080',
    'add rule ip podrun_services s_pods_tcp_10_96_0_1_80 ip saddr 10.93.2.0/24 drop',
    'add rule ip podrun_services s_pods_tcp_10_96_0_1_80 meta l4proto tcp dnat to 10.93.0.5:8080',
    '',
  ]);
});

it('a Service has a chain that chooses an endpoint, and an element that leads there', () => {
  const dns = listener('10.96.0.9', [7], { protocol: 'UDP', port: 53 });
  const choice = 'numgen random mod 2 map { 0 : 10.93.0.5 . 8080, 1 : 10.93.0.6 . 8080 }';
  const dnsElement = '10.96.0.9 . udp . 53 : goto s_pods_udp_10_96_0_9_53';
  expect(transactions([listener('10.96.0.1', [6, 5]), dns, listener('10.96.0.2', [])])).toEqual([
    `\
add chain ip podrun_services s_pods_tcp_10_96_0_1_80
flush chain ip podrun_services s_pods_tcp_10_96_0_1_80
add rule ip podrun_services s_pods_tcp_10_96_0_1_80 meta l4proto tcp dnat ip addr . port to ${choice}
add chain ip podrun_services s_pods_udp_10_96_0_9_53
flush chain ip podrun_services s_pods_udp_10_96_0_9_53
add rule ip podrun_services s_pods_udp_10_96_0_9_53 meta l4proto udp dnat to 10.93.0.7:8080
`,
    `\
flush map ip podrun_services chains
flush set ip podrun_services selves
add element ip podrun_services chains { 10.96.0.1 . tcp . 80 : goto s_pods_tcp_10_96_0_1_80, ${dnsElement} }
add element ip podrun_services selves { 10.93.0.6 . 10.93.0.6, 10.93.0.5 . 10.93.0.5, 10.93.0.7 . 10.93.0.7 }
`,
  ]);
});

describe('a change', () => {
  const { rules } = serviceTransactions([listener('10.96.0.1', [5, 6]), listener('10.96.0.2', [7])], NOTHING, TABLE);

  it('of nothing, or of the order of endpoints, sends nothing', () => {
    expect(transactions([listener('10.96.0.1', [6, 5]), listener('10.96.0.2', [7])], rules)).toEqual([]);
  });

  it('writes the chains that are different only', () => {
    const [first = '', ...others] = transactions([listener('10.96.0.1', [5]), listener('10.96.0.2', [7])], rules);
    expect(first.match(/^add chain .*$/gm)).toEqual(['add chain ip podrun_services s_pods_tcp_10_96_0_1_80']);
    expect(others).toHaveLength(1);
  });

  it('removes the chain of a Service without endpoints after its element', () => {
    expect(transactions([listener('10.96.0.1', []), listener('10.96.0.2', [7])], rules)).toEqual([
      `\
flush map ip podrun_services chains
flush set ip podrun_services selves
add element ip podrun_services chains { 10.96.0.2 . tcp . 80 : goto s_pods_tcp_10_96_0_2_80 }
add element ip podrun_services selves { 10.93.0.7 . 10.93.0.7 }
delete chain ip podrun_services s_pods_tcp_10_96_0_1_80
`,
    ]);
  });
});

it('an ordinary user sends 50 chains at once', () => {
  const many = Array.from({ length: 101 }, (_, index) => listener(`10.96.1.${index}`, [5, 6, 7]));
  const chains = transactions(many).map((text) => (text.match(/^add chain/gm) ?? []).length);
  expect(chains).toEqual([50, 50, 1, 0]);
});

it.each<[changes: Partial<ServiceListener>, want: boolean]>([
  [{}, true],
  [{ affinitySeconds: 10 }, false],
  [{ network: 'machine' }, false],
])('%j is served by rules: %s', (changes, want) => {
  expect(isServedByRules(listener('10.96.0.1', [5], changes))).toBe(want);
});

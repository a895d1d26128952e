import { expect, it } from 'vitest';
import type { PolicyGroup } from '../../src/controllers/network-policy/compile.ts';
import { emptyPolicyTable, policyTransactions } from '../../src/network/nft/policy-rules.ts';
import { EMPTY_TABLE, type PolicyTable } from '../../src/network/nft/policy-table.ts';

const TABLE = 'inet t';
const range = (first: string, last = first) => ({ family: 'IPv4', first, last }) as const;
const WEB: PolicyGroup = {
  direction: 'ingress',
  members: ['10.93.1.1', '10.93.1.2'],
  anyPort: [range('10.93.2.1'), { family: 'IPv6', first: 'fd00::1', last: 'fd00::1' }],
  allowances: [
    { protocol: 'TCP', ports: { first: 80, last: 80 }, peers: [range('10.93.3.1', '10.93.3.9')] },
    { protocol: 'UDP', ports: { first: 53, last: 60 }, peers: [range('10.93.3.1', '10.93.3.9')] },
  ],
};
const CLOSED = { anyPort: [], allowances: [] };

function lines(groups: readonly PolicyGroup[], before: PolicyTable = EMPTY_TABLE): string[] {
  return policyTransactions(groups, before, TABLE).transactions.flatMap((text) => text.trim().split('\n'));
}

const tableOf = (...groups: readonly PolicyGroup[]): PolicyTable =>
  policyTransactions(groups, EMPTY_TABLE, TABLE).after;

const peerLines = (chain: string, element: string): string[] => [
  `add set inet t ${chain} { type ipv4_addr . inet_proto ; flags interval ; }`,
  `add element inet t ${chain} { ${element} . 0-255 }`,
  `add chain inet t ${chain}`,
  `add rule inet t ${chain} ip saddr . meta l4proto @${chain} return`,
  `add rule inet t ${chain} goto refused_ingress`,
];

it('a new group is complete before its Pods are in it; its ports share the chain of the same peers', () => {
  expect(lines([WEB])).toEqual([
    ...peerLines('peers_2', '10.93.2.1'),
    ...peerLines('peers_3', '10.93.3.1-10.93.3.9'),
    'add map inet t group_1 { type inet_proto . inet_service : verdict ; flags interval ; }',
    'add element inet t group_1 { tcp . 80 : goto peers_3, udp . 53-60 : goto peers_3 }',
    'add chain inet t group_1',
    'add rule inet t group_1 ip saddr . meta l4proto @peers_2 return',
    'add rule inet t group_1 meta l4proto . th dport vmap @group_1',
    'add rule inet t group_1 goto refused_ingress',
    'add element inet t ingress { 10.93.1.1 : jump group_1, 10.93.1.2 : jump group_1 }',
    'add element inet t selves { 10.93.1.1 . 10.93.1.1, 10.93.1.2 . 10.93.1.2 }',
  ]);
  expect(lines([WEB], tableOf(WEB))).toEqual([]);
});

it('a group of the other direction looks at the other end', () => {
  const egress = lines([{ ...WEB, direction: 'egress', allowances: [] }]);
  expect(egress).toContain('add rule inet t group_1 ip daddr . meta l4proto @peers_2 return');
  expect(egress).toContain('add rule inet t group_1 goto refused_egress');
  expect(egress).toContain('add element inet t egress { 10.93.1.1 : jump group_1, 10.93.1.2 : jump group_1 }');
});

it('a peer that comes or goes is an element of the set, for all groups and ports', () => {
  const peers = [range('10.93.3.1', '10.93.3.10')];
  const allowances = WEB.allowances.map((each) => ({ ...each, peers }));
  expect(lines([{ ...WEB, allowances }], tableOf(WEB))).toEqual([
    'delete element inet t peers_3 { 10.93.3.1-10.93.3.9 . 0-255 }',
    'add element inet t peers_3 { 10.93.3.1-10.93.3.10 . 0-255 }',
  ]);
});

it('peers of one port only have a chain of their own, and the peers of another one stay', () => {
  const [web, dns] = WEB.allowances;
  const more = { ...WEB, allowances: [{ ...web!, peers: [range('10.93.3.1')] }, dns!] };
  expect(lines([more], tableOf(WEB))).toEqual([
    ...peerLines('peers_4', '10.93.3.1'),
    'delete element inet t group_1 { tcp . 80 }',
    'add element inet t group_1 { tcp . 80 : goto peers_4 }',
  ]);
});

it('a group that permits no port to all any more has other rules, and the chain of these peers goes', () => {
  expect(lines([{ ...WEB, anyPort: [] }], tableOf(WEB))).toEqual([
    'flush chain inet t group_1',
    'add rule inet t group_1 meta l4proto . th dport vmap @group_1',
    'add rule inet t group_1 goto refused_ingress',
    'delete chain inet t peers_2',
    'delete set inet t peers_2',
  ]);
});

it('a Pod moves between groups at once, and a group without Pods goes', () => {
  const one = { ...WEB, ...CLOSED, members: ['10.93.1.1'] };
  const two = { ...WEB, allowances: [], members: ['10.93.1.2'] };
  const split = lines([one, two], tableOf({ ...WEB, ...CLOSED }));
  expect(split.slice(-2)).toEqual([
    'delete element inet t ingress { 10.93.1.2 }',
    'add element inet t ingress { 10.93.1.2 : jump group_2 }',
  ]);
  expect(lines([], tableOf(one, two))).toEqual([
    'delete element inet t ingress { 10.93.1.1, 10.93.1.2 }',
    'delete element inet t selves { 10.93.1.1 . 10.93.1.1, 10.93.1.2 . 10.93.1.2 }',
    'delete chain inet t group_1',
    'delete map inet t group_1',
    'delete chain inet t group_2',
    'delete map inet t group_2',
    'delete chain inet t peers_3',
    'delete set inet t peers_3',
  ]);
});

it('what is too much for one transaction is sent in steps that an ordinary user may send', () => {
  const peers = Array.from({ length: 4000 }, (_, index) => range(`10.93.${10 + (index >> 8)}.${index & 255}`));
  const many = [{ ...WEB, anyPort: peers }];
  const { transactions } = policyTransactions(many, EMPTY_TABLE, TABLE);
  expect(transactions.length).toBeGreaterThan(3);
  expect(transactions.filter((text) => text.length > 32_768)).toEqual([]);
  expect(transactions.at(-1)).toMatch(/^add element inet t ingress .*\nadd element inet t selves .*\n$/);
});

it('in several transactions, no chain of peers changes: another port would see the change too early', () => {
  const many = Array.from({ length: 4000 }, (_, index) => range(`10.93.${10 + (index >> 8)}.${index & 255}`));
  const before = tableOf({ ...WEB, anyPort: [] });
  const allowances = WEB.allowances.map((each) => ({ ...each, peers: many }));
  const changed = lines([{ ...WEB, anyPort: [], allowances }], before);
  expect(changed.filter((line) => / element inet t peers_2 /.test(line))).toEqual([]);
  expect(changed.slice(-3)).toEqual([
    'add element inet t group_1 { tcp . 80 : goto peers_3, udp . 53-60 : goto peers_3 }',
    'delete chain inet t peers_2',
    'delete set inet t peers_2',
  ]);
});

it('the node is reached without a look at policies', () => {
  const table = emptyPolicyTable(TABLE, '10.92.0.0/16', ['10.94.0.1', '10.94.0.2']).split('\n');
  const rules = table.filter((line) => line.startsWith('add rule inet t forward'));
  expect(rules.map((line) => line.slice('add rule inet t forward '.length))).toEqual([
    'ct state established,related accept',
    'ip saddr . ip daddr @selves accept',
    'ip saddr 10.92.0.0/16 accept',
    'ip daddr { 10.92.0.0/16, 10.94.0.1, 10.94.0.2 } accept',
    'ip saddr vmap @egress',
    'ip daddr vmap @ingress',
  ]);
});

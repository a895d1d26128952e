import { expect, it } from 'vitest';
import type { PolicyGroup } from '../../src/controllers/network-policy/compile.ts';
import {
  EMPTY_TABLE,
  emptyPolicyTable,
  type PolicyTable,
  policyTransactions,
} from '../../src/network/nft/policy-rules.ts';

const TABLE = 'inet t';
const range = (first: string, last = first) => ({ family: 'IPv4', first, last }) as const;
const WEB: PolicyGroup = {
  direction: 'ingress',
  members: ['10.93.1.1', '10.93.1.2'],
  anyPort: [range('10.93.2.1'), { family: 'IPv6', first: 'fd00::1', last: 'fd00::1' }],
  allowances: [
    { protocol: 'TCP', ports: { first: 80, last: 80 }, peers: [range('10.93.3.1', '10.93.3.9')] },
    { protocol: 'UDP', ports: { first: 53, last: 60 }, peers: [range('0.0.0.0', '255.255.255.255')] },
  ],
};

const PERMITTED = [
  '10.93.2.1 . 0-255 . 0-65535',
  '10.93.3.1-10.93.3.9 . tcp . 80',
  '0.0.0.0-255.255.255.255 . udp . 53-60',
];

function lines(groups: readonly PolicyGroup[], before: PolicyTable = EMPTY_TABLE): string[] {
  return policyTransactions(groups, before, TABLE).transactions.flatMap((text) => text.trim().split('\n'));
}

const tableOf = (...groups: readonly PolicyGroup[]): PolicyTable =>
  policyTransactions(groups, EMPTY_TABLE, TABLE).after;

it('a new group is complete before its Pods are in it', () => {
  expect(lines([WEB])).toEqual([
    'add set inet t group_1 { type ipv4_addr . inet_proto . inet_service ; flags interval ; }',
    `add element inet t group_1 { ${PERMITTED.join(', ')} }`,
    'add chain inet t group_1',
    'add rule inet t group_1 ip saddr . meta l4proto . th dport @group_1 return',
    'add rule inet t group_1 goto refused_ingress',
    'add element inet t ingress { 10.93.1.1 : jump group_1, 10.93.1.2 : jump group_1 }',
    'add element inet t selves { 10.93.1.1 . 10.93.1.1, 10.93.1.2 . 10.93.1.2 }',
  ]);
  expect(lines([WEB], tableOf(WEB))).toEqual([]);
});

it('a group of the other direction looks at the other end', () => {
  expect(lines([{ ...WEB, direction: 'egress', anyPort: [], allowances: [] }])).toEqual([
    'add set inet t group_1 { type ipv4_addr . inet_proto . inet_service ; flags interval ; }',
    'add chain inet t group_1',
    'add rule inet t group_1 ip daddr . meta l4proto . th dport @group_1 return',
    'add rule inet t group_1 goto refused_egress',
    'add element inet t egress { 10.93.1.1 : jump group_1, 10.93.1.2 : jump group_1 }',
    'add element inet t selves { 10.93.1.1 . 10.93.1.1, 10.93.1.2 . 10.93.1.2 }',
  ]);
});

it('a peer that comes or goes is an element of the set', () => {
  const more = { ...WEB, anyPort: [range('10.93.2.1', '10.93.2.2')], allowances: WEB.allowances.slice(0, 1) };
  expect(lines([more], tableOf(WEB))).toEqual([
    'delete element inet t group_1 { 10.93.2.1 . 0-255 . 0-65535, 0.0.0.0-255.255.255.255 . udp . 53-60 }',
    'add element inet t group_1 { 10.93.2.1-10.93.2.2 . 0-255 . 0-65535 }',
  ]);
});

it('a Pod moves between groups at once, and a group without Pods goes', () => {
  const one = { ...WEB, members: ['10.93.1.1'] };
  const two = { ...WEB, members: ['10.93.1.2'], anyPort: [], allowances: [] };
  const split = lines([one, two], tableOf(WEB));
  expect(split.slice(-2)).toEqual([
    'delete element inet t ingress { 10.93.1.2 }',
    'add element inet t ingress { 10.93.1.2 : jump group_2 }',
  ]);
  expect(lines([], tableOf(one, two))).toEqual([
    'delete element inet t ingress { 10.93.1.1, 10.93.1.2 }',
    'delete element inet t selves { 10.93.1.1 . 10.93.1.1, 10.93.1.2 . 10.93.1.2 }',
    'delete chain inet t group_1',
    'delete set inet t group_1',
    'delete chain inet t group_2',
    'delete set inet t group_2',
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

it('the node is reached without a look at policies', () => {
  const table = emptyPolicyTable(TABLE, ['10.94.0.1', '10.94.0.2']).split('\n');
  const rules = table.filter((line) => line.startsWith('add rule inet t forward'));
  expect(rules.map((line) => line.slice('add rule inet t forward '.length))).toEqual([
    'ct state established,related accept',
    'ip saddr . ip daddr @selves accept',
    'ip daddr { 10.94.0.1, 10.94.0.2 } accept',
    'ip saddr vmap @egress',
    'ip daddr vmap @ingress',
  ]);
});

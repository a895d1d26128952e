import { expect, it } from 'vitest';
import type { PodSpec } from '../../../src/api/generated/types.ts';
import { podResolvConf } from '../../../src/lifecycle/files/resolv-conf.ts';

const HOST = `# made by somebody
; a comment of another kind
search first.example
nameserver 10.0.0.1
 nameserver\t10.0.0.2
nameserver
search corp.example. . lab.example
options ndots:2 timeout:3
options ndots:4 edns0
sortlist 130.155.160.0
`;

const long = (count: number): string[] => Array.from({ length: count }, (_, index) => `${'x'.repeat(95)}.d${index}`);

it.each<[string, Omit<PodSpec, 'containers'>, string | undefined]>([
  ['without wishes has that of the host', {}, undefined],
  ['with the policy Default has that of the host', { dnsPolicy: 'Default' }, undefined],
  ['with the policy ClusterFirst has that of the host: there is no cluster', { dnsPolicy: 'ClusterFirst' }, undefined],
  ['with the policy None and nothing else has an empty one', { dnsPolicy: 'None' }, ''],
  [
    'with the policy None has what it says, and nothing of the host',
    {
      dnsPolicy: 'None',
      dnsConfig: {
        nameservers: ['1.1.1.1', '1.1.1.1', '8.8.8.8'],
        searches: ['a.example', 'a.example', 'b.example'],
        options: [{ name: 'ndots', value: '5' }, { name: 'edns0' }, { name: 'rotate', value: '' }],
      },
    },
    'search a.example b.example\nnameserver 1.1.1.1\nnameserver 8.8.8.8\noptions ndots:5 edns0 rotate\n',
  ],
  [
    'adds to that of the host: the last search line, the last of each option, no name twice',
    {
      dnsPolicy: 'ClusterFirst',
      dnsConfig: {
        nameservers: ['10.0.0.2', '9.9.9.9'],
        searches: ['lab.example', 'own.example'],
        options: [{ name: 'ndots', value: '1' }, { name: 'single-request' }],
      },
    },
    'search corp.example lab.example own.example\nnameserver 10.0.0.1\nnameserver 10.0.0.2\nnameserver 9.9.9.9\n' +
      'options ndots:1 timeout:3 edns0 single-request\n',
  ],
  [
    'has no more name servers than resolvers ask',
    { dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3'] } },
    'search corp.example lab.example\nnameserver 10.0.0.1\nnameserver 10.0.0.2\nnameserver 1.1.1.1\n' +
      'options ndots:4 timeout:3 edns0\n',
  ],
  [
    'has no longer search line than resolvers read',
    { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], searches: [...long(40), 'y'.repeat(254)] } },
    `search ${long(20).join(' ')}\nnameserver 1.1.1.1\n`,
  ],
])('the resolv.conf of a Pod %s', (_, spec, want) => {
  expect(podResolvConf({ containers: [], ...spec }, HOST)).toBe(want);
});

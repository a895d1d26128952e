import { describe, expect, it } from 'vitest';
import {
  podResolvConf,
  type PodResolvConf,
  type ResolvConfFacts,
  unreachableResolver,
} from '../../../src/lifecycle/files/resolv-conf.ts';

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

const of = (spec: ResolvConfFacts['spec'], clusterDns: string | undefined): PodResolvConf =>
  podResolvConf({ namespace: 'default', spec, host: HOST, clusterDns, hasOwnNetwork: false });

it.each<[string, ResolvConfFacts['spec'], string | undefined]>([
  ['without settings equals the host file', {}, undefined],
  ['with the policy Default equals the host file', { dnsPolicy: 'Default' }, undefined],
  [
    'with the policy ClusterFirst equals the host file: there is no DNS server',
    { dnsPolicy: 'ClusterFirst' },
    undefined,
  ],
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
    'adds to the host file: the last search line, the last of each option, no name twice',
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
  expect(of(spec, undefined).text).toBe(want);
});

const OF_CLUSTER = 'search default.svc.cluster.local svc.cluster.local cluster.local corp.example lab.example\n';
const CLUSTER = `${OF_CLUSTER}nameserver 10.96.0.10\noptions ndots:5\n`;
const LOCAL = 'nameserver 127.0.0.53\nsearch corp.example\noptions edns0 trust-ad\n';

describe('where podrun serves names, the resolv.conf of a Pod', () => {
  it.each<[string, ResolvConfFacts['spec'], string | undefined]>([
    ['has the DNS server and the domains of the cluster before the domains of the host', {}, CLUSTER],
    ['with ClusterFirstWithHostNet has them', { dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }, CLUSTER],
    ['in the network of the host equals the host file', { hostNetwork: true }, undefined],
    ['with the policy Default equals the host file', { dnsPolicy: 'Default' }, undefined],
    [
      'has its own lists behind, and its own options',
      {
        dnsConfig: {
          nameservers: ['192.0.2.1', '10.96.0.10'],
          searches: ['lab.example', 'own.example'],
          options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
        },
      },
      `${OF_CLUSTER.trim()} own.example\nnameserver 10.96.0.10\nnameserver 192.0.2.1\noptions ndots:2 edns0\n`,
    ],
  ])('%s', (_, spec, want) => {
    expect(of(spec, '10.96.0.10').text).toBe(want);
  });

  it('with the policy Default has it in place of a local resolver, which only the host reaches', () => {
    const spec = { dnsPolicy: 'Default' } as const;
    const facts = { namespace: 'default', spec, host: LOCAL, clusterDns: '10.96.0.10', hasOwnNetwork: true };
    const want = 'search corp.example\nnameserver 10.96.0.10\noptions edns0 trust-ad\n';
    expect(podResolvConf(facts).text).toBe(want);
  });
});

it('events say what a resolv.conf lacks', () => {
  const nameservers = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
  const { events } = of({ dnsConfig: { nameservers, searches: ['y'.repeat(254)] } }, '10.96.0.10');
  expect(events).toEqual([
    {
      type: 'Warning',
      reason: 'DNSConfigForming',
      message:
        'Nameserver limits were exceeded, some nameservers have been omitted, ' +
        'the applied nameserver line is: 10.96.0.10 192.0.2.1 192.0.2.2',
    },
    {
      type: 'Warning',
      reason: 'DNSConfigForming',
      message:
        'Search Line limits were exceeded, some search paths have been omitted, ' +
        `the applied search line is: ${OF_CLUSTER.replace('search ', '').trim()}`,
    },
  ]);
});

it.each([
  ['nameserver 127.0.0.53', 'with 127.0.0.53, and'],
  ['', 'with no server, and'],
  ['nameserver 127.0.0.53\nnameserver 192.0.2.1', 'reachable'],
])('a Pod of a cluster with the file of this machine: %j', (text, words) => {
  expect(unreachableResolver(text)?.message ?? 'reachable').toContain(words);
});

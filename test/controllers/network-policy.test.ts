import { describe, expect, it } from 'vitest';
import type { NetworkPolicySpec } from '../../src/api/index.ts';
import { PolicyCompiler, type PolicyGroup } from '../../src/controllers/network-policy/compile.ts';
import { endAt, judgeConnection } from '../../src/controllers/network-policy/judge.ts';
import { PolicyGate } from '../../src/controllers/network-policy/policy-gate.ts';
import { dnsPod, type PolicyPod, policyPodOf } from '../../src/controllers/network-policy/policy-pods.ts';
import type { PolicyObject } from '../../src/controllers/network-policy/rules.ts';

function pod(name: string, address: string, more: Partial<PolicyPod> = {}): PolicyPod {
  const labels = { app: name };
  return { namespace: 'default', name, labels, addresses: [address], ports: [], isOnNode: false, ...more };
}

function policy(spec: NetworkPolicySpec, name = 'p'): PolicyObject {
  return { metadata: { name, namespace: 'default' }, spec };
}

function compiled(spec: NetworkPolicySpec, pods: readonly PolicyPod[]): PolicyGroup[] {
  return new PolicyCompiler().compile({ policies: [policy(spec)], pods, namespaces: [] });
}

const at = (first: string, last = first): object => ({ family: first.includes(':') ? 'IPv6' : 'IPv4', first, last });
const web = pod('web', '10.93.1.1');
const db = pod('db', '10.93.1.2', { ports: [{ name: 'sql', protocol: 'TCP', number: 5432 }] });
const selector = { matchLabels: { app: 'db' } };
const from = [{ podSelector: { matchLabels: { app: 'web' } } }];

describe('compiled policies', () => {
  it('have the peers and ports of a rule, with the number of a named port', () => {
    const ports = [{ port: 'sql' }, { protocol: 'UDP', port: 10, endPort: 20 }];
    expect(compiled({ podSelector: selector, ingress: [{ from, ports }] }, [web, db])).toEqual([
      {
        direction: 'ingress',
        members: ['10.93.1.2'],
        anyPort: [],
        allowances: [
          { protocol: 'TCP', ports: { first: 5432, last: 5432 }, peers: [at('10.93.1.1')] },
          { protocol: 'UDP', ports: { first: 10, last: 20 }, peers: [at('10.93.1.1')] },
        ],
      },
    ]);
  });

  it('look a named port up at each destination of egress', () => {
    const other = pod('other', '10.93.1.3', { ports: [{ name: 'sql', protocol: 'TCP', number: 3306 }] });
    const egress = [{ ports: [{ port: 'sql' }] }];
    const [group] = compiled({ podSelector: {}, policyTypes: ['Egress'], egress }, [web, db, other]);
    expect(group?.allowances.map(({ ports, peers }) => [ports.first, peers])).toEqual([
      [3306, [at('10.93.1.3')]],
      [5432, [at('10.93.1.2')]],
    ]);
  });

  it('cut exceptions out of their own block, in both families', () => {
    const peers = [
      { ipBlock: { cidr: '10.0.0.0/30', except: ['10.0.0.1/32'] } },
      { ipBlock: { cidr: '2001:db8::/32', except: ['2001:db8::/33'] } },
    ];
    const [group] = compiled({ podSelector: selector, ingress: [{ from: peers }] }, [db]);
    expect(group?.anyPort).toEqual([
      at('10.0.0.0'),
      at('10.0.0.2', '10.0.0.3'),
      at('2001:db8:8000::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'),
    ]);
  });

  it('name all addresses of both families for a rule without peers', () => {
    const [group] = compiled({ podSelector: selector, ingress: [{}] }, [db]);
    expect(group?.anyPort).toEqual([
      at('0.0.0.0', '255.255.255.255'),
      at('::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
    ]);
  });

  it('have no overlaps: ports are cut where another rule begins', () => {
    const ingress = [
      { from: [{ ipBlock: { cidr: '10.0.0.0/31' } }], ports: [{ port: 80, endPort: 90 }] },
      { from: [{ ipBlock: { cidr: '10.0.0.0/30' } }], ports: [{ port: 85 }] },
      { from: [{ ipBlock: { cidr: '10.0.0.1/32' } }] },
    ];
    const [group] = compiled({ podSelector: selector, ingress }, [db]);
    expect(group?.anyPort).toEqual([at('10.0.0.1')]);
    expect(group?.allowances.map(({ ports, peers }) => [ports.first, ports.last, peers])).toEqual([
      [80, 84, [at('10.0.0.0')]],
      [85, 85, [at('10.0.0.0'), at('10.0.0.2', '10.0.0.3')]],
      [86, 90, [at('10.0.0.0')]],
    ]);
  });

  it('have one group for Pods of the same policies and named ports', () => {
    const spec = { podSelector: {}, ingress: [{ ports: [{ port: 'sql' }] }] };
    const same = { ...db, name: 'same', addresses: ['10.93.1.9'] };
    expect(compiled(spec, [web, db, same]).map(({ members }) => members)).toEqual([
      ['10.93.1.1'],
      ['10.93.1.2', '10.93.1.9'],
    ]);
  });

  it('leave out Pods without an address, and Pods in the network of the node', () => {
    const pods = [pod('new', '', { addresses: [] }), pod('node', '10.93.0.1', { isOnNode: true })];
    expect(compiled({ podSelector: {}, ingress: [{ from }] }, pods)).toEqual([]);
  });
});

describe('a Pod under policies', () => {
  const spec = {
    containers: [{ name: 'a', ports: [{ name: 'web', containerPort: 80 }, { containerPort: 81 }] }],
    initContainers: [
      {
        name: 'side',
        restartPolicy: 'Always' as const,
        ports: [{ name: 'm', containerPort: 9, protocol: 'UDP' as const }],
      },
      { name: 'first', ports: [{ name: 'i', containerPort: 1 }] },
    ],
  };

  it('has the named ports of its containers and sidecars, and all of its addresses', () => {
    const status = {
      phase: 'Pending' as const,
      podIP: '10.1.1.1',
      podIPs: [{ ip: '10.1.1.1' }, { ip: '2001:db8::1' }],
    };
    expect(policyPodOf({ metadata: { name: 'x', labels: { a: 'b' } }, spec, status })).toEqual({
      namespace: 'default',
      name: 'x',
      labels: { a: 'b' },
      addresses: ['10.1.1.1', '2001:db8::1'],
      ports: [
        { name: 'web', protocol: 'TCP', number: 80 },
        { name: 'm', protocol: 'UDP', number: 9 },
      ],
      isOnNode: false,
    });
  });

  it('is no end of connections after it has ended', () => {
    expect(policyPodOf({ metadata: { name: 'x' }, spec, status: { phase: 'Succeeded', podIP: '10.1.1.1' } })).toBe(
      undefined,
    );
  });

  it('reaches the DNS server only as a policy permits', () => {
    const egress = [{ to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }] }];
    const pods = [web, dnsPod('10.96.0.10')];
    const asks = { from: '10.93.1.1', to: '10.96.0.10', protocol: 'UDP', port: 53 } as const;
    const gateOf = (rules: NetworkPolicySpec['egress']): PolicyGate =>
      new PolicyGate(compiled({ podSelector: {}, policyTypes: ['Egress'], egress: rules }, pods), ['10.93.0.1']);
    expect(gateOf([]).permits(asks)).toBe(false);
    expect(gateOf(egress).permits(asks)).toBe(true);
  });

  it('is reached by the node, at any of its addresses and in the form of a socket of both families', () => {
    const gate = new PolicyGate(compiled({ podSelector: {} }, [db, web]), ['10.93.0.1']);
    const sources = ['10.93.0.1', '::ffff:10.93.0.1', '127.0.0.1', '::1', '10.93.1.2', '10.93.1.1'];
    const permitted = sources.filter((source) =>
      gate.permits({ from: source, to: '10.93.1.2', protocol: 'TCP', port: 1 }),
    );
    expect(permitted).toEqual(sources.slice(0, 5));
  });
});

describe('a verdict', () => {
  const policies = [
    policy({ podSelector: selector, ingress: [{ from, ports: [{ port: 1 }, { port: 'sql' }] }] }, 'named'),
    policy({ podSelector: {}, policyTypes: ['Ingress', 'Egress'], egress: [{ ports: [{ port: 5432 }] }] }, 'all'),
  ];
  const world = { policies, pods: [web, db], namespaces: [] };
  const to = { kind: 'pod', pod: db } as const;

  it('says which peer and port of which rule match', () => {
    const connection = { from: { kind: 'pod', pod: web }, to, protocol: 'TCP', port: 5432 } as const;
    expect(judgeConnection(world, connection)).toMatchObject({
      allowed: true,
      sides: [
        {
          direction: 'egress',
          policies: [{ policy: policies[1], allows: true, rules: [{ matches: true, peer: 'any', port: 0 }] }],
        },
        {
          direction: 'ingress',
          policies: [
            { policy: policies[0], allows: true, rules: [{ matches: true, peer: 0, port: 1 }] },
            { policy: policies[1], allows: false, rules: [] },
          ],
        },
      ],
    });
  });

  it('is about an end by its address: the node, a Pod or an address outside', () => {
    const ends = ['10.93.0.1', '10.93.1.1', '203.0.113.9'].map((address) => endAt(address, [web, db], ['10.93.0.1']));
    expect(ends).toEqual([{ kind: 'node' }, { kind: 'pod', pod: web }, { kind: 'address', address: '203.0.113.9' }]);
    const verdicts = ends.map((end) => judgeConnection(world, { from: end, to, protocol: 'UDP', port: 5432 }).allowed);
    expect(verdicts).toEqual([true, false, false]);
  });
});

import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/clock.ts';
import type { ServiceSpec } from '../../src/api/generated/types.ts';
import {
  allocateService,
  balancedStatus,
  familyErrors,
  nodePortErrors,
  reachedAddresses,
} from '../../src/network/allocate-service.ts';
import { machineUrls } from '../../src/network/base/machine-urls.ts';
import { listenersOfServices } from '../../src/network/base/listeners-of-services.ts';
import { serviceAddress } from '../../src/network/base/service-addresses.ts';
import { hasSocket } from '../../src/network/base/service-listener.ts';
import { EndpointChoice } from '../../src/network/proxy/endpoint-choice.ts';
import { endpoint, service, slice } from './objects.ts';

const HOST = { network: 'host', lowestPort: 1024 } as const;
const HERE = '/state';
const READY = { ready: true, serving: true, terminating: false };
const UNREADY = { ready: false, serving: false, terminating: false };
const DRAINING = { ready: false, serving: true, terminating: true };
const GONE = { ready: false, serving: false, terminating: true };

describe('the endpoints of a listener', () => {
  it.each([
    ['ready ones only', [READY, UNREADY, DRAINING], ['10.0.0.0']],
    ['draining ones when none is ready', [UNREADY, DRAINING, GONE, DRAINING], ['10.0.0.1', '10.0.0.3']],
    ['none', [UNREADY, GONE], []],
    ['one without conditions', [{}], ['10.0.0.0']],
  ])('are %s', (_, conditions, addresses) => {
    const web = service('web', { clusterIP: '127.96.1.2', ports: [{ port: 8000 }] });
    const endpoints = conditions.map((each, index) => endpoint(`10.0.0.${index}`, each));
    const listeners = listenersOfServices([web], [slice('web', endpoints)], HOST);
    expect(listeners[0]?.endpoints).toEqual(addresses.map((address) => ({ address, port: 8080 })));
  });

  it('belong to the port with the same name and protocol, of all slices', () => {
    const ports = [
      { name: 'dns', port: 53, protocol: 'UDP' as const },
      { name: 'dns-tcp', port: 53 },
    ];
    const web = service('web', { clusterIP: '127.96.1.2', ports });
    const slices = [
      slice('web', [endpoint('10.0.0.1')], { name: 'dns', port: 5353, protocol: 'UDP' }),
      slice('web', [endpoint('10.0.0.2')], { name: 'dns', port: 5354, protocol: 'UDP' }),
      slice('other', [endpoint('10.0.0.3')], { name: 'dns', port: 5353, protocol: 'UDP' }),
    ];
    const listeners = listenersOfServices([web], slices, { ...HOST, lowestPort: 1 });
    expect(listeners.map(({ protocol, endpoints }) => [protocol, endpoints.map(({ port }) => port)])).toEqual([
      ['UDP', [5353, 5354]],
      ['TCP', []],
    ]);
  });
});

const nodes = ['a', 'b', 'c'].map((name, index) => ({
  name,
  labels: { 'topology.kubernetes.io/zone': name === 'c' ? 'south' : 'north' },
  podCIDR: `10.93.${index + 1}.0/24`,
  hostIPs: [`10.92.0.${index + 1}`] as const,
}));
const on = (nodeName: string, address: string, hints?: object): ReturnType<typeof endpoint> => ({
  ...endpoint(address, READY),
  nodeName,
  ...(hints && { hints }),
});

describe('the endpoints for the clients of a node', () => {
  const zone = (name: string): object => ({ forZones: [{ name }] });
  const node = (name: string, zoneName: string): object => ({ forNodes: [{ name }], ...zone(zoneName) });

  it.each<[string, ServiceSpec, ReturnType<typeof endpoint>[], Record<string, string[]>]>([
    ['are all', {}, [on('a', '1'), on('b', '2')], {}],
    [
      'are those of the node with internalTrafficPolicy: Local, also none',
      { internalTrafficPolicy: 'Local' },
      [on('a', '1'), on('b', '2')],
      { '10.93.1.0/24': ['1'], '10.93.2.0/24': ['2'], '10.93.3.0/24': [] },
    ],
    [
      'are those that end, where no other one is on the node',
      { internalTrafficPolicy: 'Local' },
      [on('a', '1'), { ...on('b', '2'), conditions: DRAINING }],
      { '10.93.1.0/24': ['1'], '10.93.2.0/24': ['2'], '10.93.3.0/24': [] },
    ],
    [
      'are those of the zone, where one is there',
      {},
      [on('a', '1', zone('north')), on('b', '2', zone('north'))],
      { '10.93.1.0/24': ['1', '2'], '10.93.2.0/24': ['1', '2'] },
    ],
    ['are all, where one has no hint', {}, [on('a', '1', zone('north')), on('c', '3')], {}],
    [
      'are those of the node, else of the zone',
      {},
      [on('a', '1', node('a', 'north')), on('c', '3', node('c', 'south'))],
      { '10.93.1.0/24': ['1'], '10.93.2.0/24': ['1'], '10.93.3.0/24': ['3'] },
    ],
  ])('%s', (_, spec, endpoints, want) => {
    const web = service('web', { clusterIP: '127.96.1.2', ports: [{ port: 8000 }], ...spec });
    const place = { network: 'cluster', lowestPort: 1, nodes } as const;
    const [inside, ...others] = listenersOfServices([web], [slice('web', endpoints)], place);
    const near = (inside?.near ?? []).map(({ clients, endpoints: own }) => [
      clients,
      own.map(({ address }) => address),
    ]);
    expect(Object.fromEntries(near)).toEqual(want);
    expect(others.every((listener) => listener.near === undefined)).toBe(true);
  });

  it('are at its node port, for Pods and for this machine', () => {
    const ports = [{ port: 80, nodePort: 30_080 }];
    const slices = [slice('web', [on('a', '10.93.1.1'), on('b', '10.93.2.1'), on('b', '10.93.2.2')])];
    const placesOf = (more: object, ofNodes: typeof nodes): string[] => {
      const web = service('web', { type: 'NodePort', clusterIP: '10.96.1.2', ports, ...more });
      return listenersOfServices([web], slices, { network: 'cluster', lowestPort: 1, nodes: ofNodes })
        .filter(({ port }) => port === 30_080)
        .map(({ network, address, endpoints }) => `${network} ${address} ${endpoints.length}`);
    };
    expect(placesOf({}, nodes)).toEqual([
      'machine 127.0.0.1 3',
      ...['1 3', '2 3', '3 3'].flatMap((each) => [`pods 10.92.0.${each}`, `machine 127.91.0.${each}`]),
    ]);
    expect(placesOf({}, [])).toEqual(['machine 127.0.0.1 3']);
  });
});

it.each([
  // Clients of the node itself are not from outside.
  ['pods 10.92.0.1', { '10.93.1.7': 3, '10.92.0.1': 3, '10.93.2.7': 1, '10.92.0.2': 1 }],
  ['pods 10.92.0.3', { '10.93.3.7': 3, '10.92.0.3': 3, '10.93.1.7': 'no answer', '10.92.0.1': 'no answer' }],
  ['machine 127.91.0.2', { '127.0.0.1': 2 }],
  ['machine 127.91.0.3', { '127.0.0.1': 'no answer' }],
  ['machine 127.0.0.1', { '127.0.0.1': 3 }],
])('with externalTrafficPolicy Local, the node port at %s has for clients so many endpoints: %o', (at, wanted) => {
  const spec = { clusterIP: '10.96.1.2', ports: [{ port: 80, nodePort: 30_080 }] };
  const web = service('web', { type: 'NodePort', externalTrafficPolicy: 'Local', ...spec });
  const slices = [slice('web', [on('a', '10.93.1.1'), on('b', '10.93.2.1'), on('b', '10.93.2.2')])];
  const listeners = listenersOfServices([web], slices, { network: 'cluster', lowestPort: 1, nodes });
  const listener = listeners.find((one) => `${one.network} ${one.address}` === at && one.port === 30_080)!;
  const choice = new EndpointChoice(listener, new SystemClock());
  const seen = Object.keys(wanted).map((client) => [
    client,
    choice.isCutOff(client) ? 'no answer' : choice.candidates(client).length,
  ]);
  expect(Object.fromEntries(seen)).toEqual(wanted);
});

it('with externalTrafficPolicy Local and no endpoint at all, connections are refused at each node', () => {
  const spec = { clusterIP: '10.96.1.2', ports: [{ port: 80, nodePort: 30_080 }] };
  const web = service('web', { type: 'NodePort', externalTrafficPolicy: 'Local', ...spec });
  const listeners = listenersOfServices([web], [], { network: 'cluster', lowestPort: 1, nodes });
  expect(listeners.some(hasSocket)).toBe(false);
});

describe('the places of a Service', () => {
  const spec = { clusterIP: '127.96.1.2', ports: [{ port: 80, nodePort: 30080 }] };
  it.each([
    ['ClusterIP', 'host', ['machine 127.96.1.2:20080', 'machine 127.0.0.1:30080']],
    ['ClusterIP', 'cluster', ['pods 10.96.1.2:80', 'machine 127.96.1.2:20080', 'machine 127.0.0.1:30080']],
    ['LoadBalancer', 'host', ['machine 127.96.1.2:20080', 'machine 127.0.0.1:30080', 'machine 127.0.0.1:20080']],
    ['ExternalName', 'host', []],
  ] as const)('of type %s in %s', (type, network, places) => {
    const listeners = listenersOfServices([service('web', { ...spec, type })], [], { network, lowestPort: 1024 });
    expect(listeners.map((each) => `${each.network} ${each.address}:${each.port}`)).toEqual(places);
  });

  it('are none for SCTP and headless Services, and the first Service keeps a place that two want', () => {
    const services = [
      service('a', { clusterIP: 'None', ports: [{ port: 80 }] }),
      service('b', { clusterIP: '127.96.1.2', ports: [{ port: 80, protocol: 'SCTP' }] }),
      service('c', { clusterIP: '127.96.1.3', ports: [{ port: 2000 }] }),
      service('d', { clusterIP: '127.96.1.3', ports: [{ port: 2000 }] }),
    ];
    expect(listenersOfServices(services, [], HOST).map((each) => each.service)).toEqual(['default/c:2000']);
  });

  it('keep clients at their endpoint with ClientIP', () => {
    const affinity = {
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 9 } },
    } as const;
    const web = service('web', { ...spec, ...affinity });
    expect(listenersOfServices([web], [], HOST)[0]?.affinitySeconds).toBe(9);
  });
});

it.each([
  [{}, 'all', 'all'],
  [{ internalTrafficPolicy: 'Cluster', externalTrafficPolicy: 'Cluster' }, 'all', 'all'],
  [{ internalTrafficPolicy: 'Local' }, 'this node', 'all'],
  // Clients of this machine are not from outside.
  [{ externalTrafficPolicy: 'Local' }, 'all', 'all'],
  // With one node, all Pods are equally near.
  [{ trafficDistribution: 'PreferSameNode' }, 'all', 'all'],
  [{ trafficDistribution: 'PreferClose' }, 'all', 'all'],
] as const)(
  'with %o, the address of a Service leads to endpoints of %s, and its node port of %s',
  (policy, ...wanted) => {
    const ofService = { clusterIP: '127.96.1.2', ports: [{ port: 8000, nodePort: 30_080 }] };
    const endpoints = [{ ...endpoint('10.0.0.1'), nodeName: 'vm' }, endpoint('10.0.0.2')];
    const web = service('web', { ...ofService, ...policy });
    const listeners = listenersOfServices([web], [slice('web', endpoints)], HOST);
    const at = (address: string): string[] | undefined =>
      listeners.find((each) => each.address === address)?.endpoints.map((each) => each.address);
    const [own, every] = [['10.0.0.1'], ['10.0.0.1', '10.0.0.2']];
    expect([at('127.96.1.2'), at('127.0.0.1')]).toEqual(wanted.map((which) => (which === 'all' ? every : own)));
  },
);

it('a Service with a healthCheckNodePort says there how many ready endpoints this node has, each address once', () => {
  const spec = { clusterIP: '127.96.1.2', ports: [{ port: 8000 }, { name: 'more', port: 8001 }] };
  const web = service('web', { ...spec, healthCheckNodePort: 30_009 });
  const here = (address: string, ready: boolean): ReturnType<typeof endpoint> => {
    return { ...endpoint(address, { ready }), nodeName: 'vm' };
  };
  const endpoints = [here('10.0.0.1', true), here('10.0.0.2', false), endpoint('10.0.0.3')];
  const slices = [slice('web', endpoints), slice('web', [here('10.0.0.1', true)], { name: 'more', port: 8081 })];
  const told = listenersOfServices([web], slices, HOST).filter(({ health }) => health !== undefined);
  expect(told).toMatchObject([
    { address: '127.0.0.1', port: 30_009, health: { namespace: 'default', name: 'web', localEndpoints: 1 } },
  ]);
  expect(listenersOfServices([service('web', spec)], slices, HOST).some(({ health }) => health)).toBe(false);
});

describe('a new Service', () => {
  const web = service('web', { ports: [{ port: 80 }] });

  it('gets the address of the DNS server only as kube-dns', () => {
    const spec = { clusterIP: '10.96.0.10', ports: [{ port: 53 }] };
    const given = (name: string, namespace: string): string | undefined =>
      allocateService(service(name, spec, namespace), [], HERE).spec?.clusterIP;
    expect(given('kube-dns', 'kube-system')).toBe('10.96.0.10');
    for (const [name, namespace] of [
      ['web', 'kube-system'],
      ['kube-dns', 'default'],
    ] as const)
      expect(given(name, namespace)).not.toBe('10.96.0.10');
  });

  it('that shows the DNS server has no address of this machine, where nothing serves it', () => {
    const shown = { clusterIP: '10.96.0.10', ports: [{ port: 53 }] };
    expect([machineUrls({ spec: shown }, 1), reachedAddresses(shown)]).toEqual([[], []]);
    const users = { ...shown, selector: { app: 'dns' } };
    expect([machineUrls({ spec: users }, 1), reachedAddresses(users)]).toEqual([
      ['http://127.96.0.10:53'],
      ['127.96.0.10'],
    ]);
  });

  it('has an address that follows from its name, or the next free one', () => {
    const first = allocateService(web, [], HERE).spec?.clusterIP ?? '';
    expect(first).toMatch(/^10\.96\.\d+\.\d+$/);
    expect(allocateService(web, [], '/other').spec?.clusterIP).not.toBe(first);
    const taken = service('other', { clusterIP: first });
    const second = allocateService(web, [taken], HERE).spec;
    expect(second?.clusterIP).not.toBe(first);
    expect(second).toMatchObject({
      clusterIPs: [second?.clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
  });

  it('never has an address that is reserved', () => {
    const all = new Set<string>();
    const isTaken = (address: string): boolean => all.has(address);
    for (let index = 0; index < 300; index++) all.add(serviceAddress('a/b', isTaken));
    expect(all.size).toBe(300);
    const everything = (address: string): boolean => !/^10\.96\.0\.(0|1|10)$/.test(address);
    expect(() => serviceAddress('a/b', everything)).toThrow(RangeError);
  });

  it.each([
    ['10.96.9.9', '10.96.9.9'],
    ['127.96.9.9', '10.96.9.9'],
    ['None', 'None'],
  ])('that asks for %s has %s', (clusterIP, kept) => {
    expect(allocateService(service('web', { clusterIP }), [], HERE).spec?.clusterIP).toBe(kept);
  });

  it('gets another address for one of another cluster, and for one that is taken', () => {
    const other = service('other', { clusterIPs: ['10.96.9.9'] });
    for (const clusterIP of ['10.43.3.4', '172.20.0.1', '10.96.9.9', '127.96.9.9']) {
      const { spec } = allocateService(service('web', { clusterIP }), [other], HERE);
      expect(spec?.clusterIP).toBe(allocateService(web, [], HERE).spec?.clusterIP);
    }
  });

  it.each<[ServiceSpec, string[]]>([
    [{ clusterIP: '10.96.9.9' }, ['127.96.9.9']],
    [{ clusterIP: 'None' }, []],
    [{ type: 'ExternalName', externalName: 'x' }, []],
    [{ type: 'LoadBalancer', clusterIP: '10.96.9.9' }, ['127.0.0.1', '127.96.9.9']],
  ])('of %j is reached from this machine at further addresses: %j', (spec, addresses) => {
    expect(reachedAddresses(spec)).toEqual(addresses);
    const isBalanced = spec.type === 'LoadBalancer';
    const ingress = addresses.map((ip) => ({ ip, ipMode: 'VIP' }));
    expect(balancedStatus(spec)).toEqual({ loadBalancer: isBalanced ? { ingress } : {} });
  });

  const selector = { app: 'web' };
  it.each<[ServiceSpec, string[], string]>([
    [{ selector }, ['IPv4'], 'SingleStack'],
    [{ selector, ipFamilyPolicy: 'PreferDualStack' }, ['IPv4'], 'PreferDualStack'],
    [{ selector, clusterIP: 'None' }, ['IPv4'], 'SingleStack'],
    [{ clusterIP: 'None' }, ['IPv4', 'IPv6'], 'RequireDualStack'],
    [{ clusterIP: 'None', ipFamilies: ['IPv6'] }, ['IPv6', 'IPv4'], 'RequireDualStack'],
    [{ clusterIP: 'None', ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] }, ['IPv6'], 'SingleStack'],
  ])('of %j has the families %j, %s', (spec, ipFamilies, ipFamilyPolicy) => {
    const wanted = service('web', spec);
    expect(familyErrors(wanted)).toEqual([]);
    expect(allocateService(wanted, [], HERE).spec).toMatchObject({ ipFamilies, ipFamilyPolicy });
  });

  const SEVERAL = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  it.each<[ServiceSpec, string[]]>([
    [
      { selector, ipFamilyPolicy: 'RequireDualStack' },
      ['spec.ipFamilyPolicy: this cluster is not configured for dual-stack services'],
    ],
    [{ selector, ipFamilies: ['IPv6'] }, ['spec.ipFamilies[0]: not configured on this cluster']],
    [
      { selector, clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] },
      ['spec.clusterIPs[0]: IPv6 is not configured on this cluster'],
    ],
    [{ selector, ipFamilies: ['IPv4', 'IPv6'] }, [`spec.ipFamilyPolicy: ${SEVERAL} IP families are specified`]],
    [{ type: 'ExternalName', ipFamilyPolicy: 'RequireDualStack' }, []],
  ])('is refused with families that the network lacks: %j', (spec, errors) => {
    expect(familyErrors(service('web', spec)).map(({ path, detail }) => `${path}: ${detail}`)).toEqual(errors);
  });

  it.each<[ServiceSpec, boolean]>([
    [{ type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, true],
    [{ type: 'LoadBalancer', externalTrafficPolicy: 'Cluster' }, false],
    [{ type: 'NodePort', externalTrafficPolicy: 'Local' }, false],
  ])('of %j has a port for health checks: %s', (spec, hasPort) => {
    const { spec: made } = allocateService(service('web', { ...spec, ports: [{ port: 80 }] }), [], HERE);
    expect((made?.healthCheckNodePort ?? 0) >= 30_000).toBe(hasPort);
    expect(made?.healthCheckNodePort).not.toBe(made?.ports?.[0]?.nodePort);
  });

  it('has node ports of its own where its type asks for them', () => {
    const wanted = { type: 'NodePort', ports: [{ port: 80 }, { port: 81, nodePort: 30_001 }] } as const;
    const made = allocateService(service('web', { ...wanted, ports: [...wanted.ports] }), [], HERE).spec?.ports ?? [];
    expect(made[1]?.nodePort).toBe(30_001);
    expect(made[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
    const others = [service('x', { ports: [{ port: 1, nodePort: made[0]?.nodePort }] })];
    const again = allocateService(service('web', { ...wanted, ports: [...wanted.ports] }), others, HERE).spec?.ports;
    expect(again?.[0]?.nodePort).not.toBe(made[0]?.nodePort);
    const balanced = service('b', {
      type: 'LoadBalancer',
      allocateLoadBalancerNodePorts: false,
      ports: [{ port: 80 }],
    });
    expect(allocateService(balanced, [], HERE).spec?.ports).toEqual([{ port: 80 }]);
  });

  it('is refused with a node port out of range or taken', () => {
    const others = [service('x', { ports: [{ port: 1, nodePort: 30_001, protocol: 'TCP' }] })];
    const ports = [
      { port: 1, nodePort: 80 },
      { port: 2, nodePort: 30_001 },
      { port: 3, nodePort: 30_001, protocol: 'UDP' as const },
    ];
    expect(nodePortErrors(service('web', { ports }), others).map(({ path, detail }) => `${path}: ${detail}`)).toEqual([
      'spec.ports[0].nodePort: provided port is not in the valid range. The range of valid ports is 30000-32767',
      'spec.ports[1].nodePort: provided port is already allocated',
    ]);
  });

  it('has no address as ExternalName', () => {
    const named = service('x', { type: 'ExternalName', externalName: 'a.org' });
    expect(allocateService(named, [], HERE)).toBe(named);
  });
});

describe('the link of a port', () => {
  it.each([
    [{ port: 80 }, 'http://127.96.0.9:20080'],
    [{ port: 443 }, 'https://127.96.0.9:10443'],
    [{ port: 8443, name: 'https' }, 'https://127.96.0.9:8443'],
    [{ port: 8443, name: 'https-web' }, 'https://127.96.0.9:8443'],
    [{ port: 8443, appProtocol: 'https' }, 'https://127.96.0.9:8443'],
    [{ port: 443, name: 'http' }, 'http://127.96.0.9:10443'],
    [{ port: 443, name: 'https', appProtocol: 'http' }, 'http://127.96.0.9:10443'],
    [{ port: 443, protocol: 'UDP' as const }, '127.96.0.9:10443/UDP'],
  ])('%j is %s', (port, url) => {
    expect(machineUrls({ spec: { clusterIP: '127.96.0.9', ports: [port] } }, 1024)).toEqual([url]);
  });
});

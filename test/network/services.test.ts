import { describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../../src/api/generated/types.ts';
import { allocateService, nodePortErrors, reachedStatus } from '../../src/network/allocate-service.ts';
import { listenersOfServices } from '../../src/network/base/listeners-of-services.ts';
import { serviceAddress } from '../../src/network/base/service-addresses.ts';
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

describe('the places of a Service', () => {
  const spec = { clusterIP: '127.96.1.2', ports: [{ port: 80, nodePort: 30080 }] };
  it.each([
    ['ClusterIP', 'host', ['machine 127.96.1.2:10080', 'machine 127.0.0.1:30080']],
    ['ClusterIP', 'cluster', ['pods 10.96.1.2:80', 'machine 127.96.1.2:10080', 'machine 127.0.0.1:30080']],
    ['LoadBalancer', 'host', ['machine 127.96.1.2:10080', 'machine 127.0.0.1:30080', 'machine 127.0.0.1:10080']],
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

describe('a new Service', () => {
  const web = service('web', { ports: [{ port: 80 }] });

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

  it.each<[ServiceSpec, string[] | undefined]>([
    [{ clusterIP: '10.96.9.9' }, ['127.96.9.9']],
    [{ clusterIP: 'None' }, undefined],
    [{ type: 'ExternalName', externalName: 'x' }, undefined],
    [{ type: 'LoadBalancer', clusterIP: '10.96.9.9' }, ['127.0.0.1', '127.96.9.9']],
  ])('of %j is reached from this machine at further addresses: %j', (spec, addresses) => {
    expect(reachedStatus(spec).loadBalancer?.ingress?.map(({ ip }) => ip)).toEqual(addresses);
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

import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { object } from '../objects.ts';
import { changed, outcomeOf, respecified, stored, type Fields } from './changes.ts';

describe('a Service', () => {
  const service = (spec: Fields): KubeObject => object('Service', { spec: { ports: [{ port: 80 }], ...spec } });

  it('changes type and ports', () => {
    const old = stored(service({}));
    const after = respecified(old, { type: 'NodePort', ports: [{ port: 81, nodePort: 30_000 }] });
    const outcome = outcomeOf(old, after);
    expect(outcome).toMatchObject({ spec: { type: 'NodePort', ports: [{ port: 81, targetPort: 81 }] } });
    expect(outcome).not.toHaveProperty('metadata.generation');
  });

  it('keeps the address and the node port that it was given', () => {
    const old = stored(service({ type: 'NodePort', clusterIP: '10.0.0.1', ports: [{ port: 80, nodePort: 30_000 }] }));
    const after = changed(old, { spec: { type: 'NodePort', ports: [{ port: 80 }, { port: 81, name: 'more' }] } });
    expect(outcomeOf(old, respecified(after, { ports: [{ port: 80 }] }))).toBe(old);
  });

  const addressed = { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'] };
  const families = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  const nodePorts = [{ port: 80, nodePort: 30_000 }];
  const byName = { type: 'ExternalName', externalName: 'example.com' };
  const affinity = { sessionAffinity: 'None' };
  const plain = { ...affinity, internalTrafficPolicy: 'Cluster' };
  const ports = [{ port: 80, protocol: 'TCP', targetPort: 80 }];
  it.each<[string, Fields, Fields, Fields | string[]]>([
    ['ClusterIP to ExternalName', { ...addressed, ...families }, byName, { ...affinity, ...byName, ports }],
    [
      'NodePort to ExternalName',
      { type: 'NodePort', ...addressed, ...families, ports: nodePorts },
      byName,
      { ...affinity, ...byName, ports },
    ],
    [
      'local traffic of a LoadBalancer to all traffic',
      { type: 'LoadBalancer', ...addressed, externalTrafficPolicy: 'Local', healthCheckNodePort: 30_009 },
      { externalTrafficPolicy: 'Cluster' },
      {
        ...plain,
        type: 'LoadBalancer',
        ...addressed,
        externalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
        ports,
      },
    ],
    [
      'another port for health checks',
      { type: 'LoadBalancer', ...addressed, externalTrafficPolicy: 'Local', healthCheckNodePort: 30_009 },
      { healthCheckNodePort: 30_010 },
      ['spec.healthCheckNodePort: Forbidden: field is immutable'],
    ],
    [
      'NodePort to ClusterIP',
      { type: 'NodePort', ...addressed, externalTrafficPolicy: 'Local', ports: nodePorts },
      { type: 'ClusterIP' },
      { ...plain, type: 'ClusterIP', ...addressed, ports },
    ],
    [
      'LoadBalancer to NodePort',
      { type: 'LoadBalancer', ...addressed, loadBalancerClass: 'example.com/a', ports: nodePorts },
      { type: 'NodePort' },
      {
        ...plain,
        type: 'NodePort',
        ...addressed,
        externalTrafficPolicy: 'Cluster',
        ports: [{ ...ports[0], nodePort: 30_000 }],
      },
    ],
    [
      'ExternalName to ClusterIP',
      byName,
      { type: 'ClusterIP', externalName: undefined },
      { ...plain, type: 'ClusterIP', ports },
    ],
    [
      'another port of a node with ClusterIP',
      { type: 'NodePort', ...addressed, ports: nodePorts },
      { type: 'ClusterIP', externalTrafficPolicy: undefined, ports: [{ port: 80, nodePort: 30_001 }] },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      'another address with ExternalName',
      addressed,
      { ...byName, clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7'] },
      ['spec.clusterIPs: Forbidden: may not be set for ExternalName services'],
    ],
  ])('changes its type, and loses what belonged to the former one: %s', (_what, before, change, want) => {
    const old = stored(service(before));
    const outcome = outcomeOf(old, respecified(old, change));
    expect(Array.isArray(outcome) ? outcome : outcome['spec']).toEqual(want);
  });

  it.each([[{ clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'] }], [{ clusterIP: '10.0.0.2' }]])(
    'has one address for good: %j is refused',
    (change) => {
      const old = stored(service({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] }));
      const errors = ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'];
      expect(outcomeOf(old, respecified(old, change))).toEqual(errors);
    },
  );

  it.each<[string, object, string[]]>([
    ['ClusterIP', { ip: '192.0.2.1' }, [": Forbidden: may only be used when `spec.type` is 'LoadBalancer'"]],
    ['LoadBalancer', { ip: '192.0.2.1' }, []],
    ['LoadBalancer', { ip: 'x', ipMode: 'Odd' }, ['[0].ip: ', '[0].ipMode: Unsupported value: "Odd"']],
    [
      'LoadBalancer',
      { hostname: '192.0.2.1', ipMode: 'VIP' },
      ['[0].ipMode: Forbidden', '[0].hostname: Invalid value'],
    ],
  ])('of type %s with the address %j in its status', (type, ingress, errors) => {
    const old = stored(service({ type, clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] }));
    const after = changed(old, { status: { loadBalancer: { ingress: [ingress] } } });
    const outcome = outcomeOf(old, after, 'status');
    const found = Array.isArray(outcome) ? outcome : [];
    expect(found).toEqual(errors.map((error) => expect.stringContaining(`ingress${error}`) as string));
  });
});

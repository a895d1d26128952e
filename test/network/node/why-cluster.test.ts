import { describe, expect, it } from 'vitest';
import { whyCluster } from '../../../src/network/node/why-cluster.ts';
import type { KubeObject } from '../../../src/api/base/objects.ts';

const object = (kind: string, spec: object | undefined): KubeObject => {
  const made = { apiVersion: 'v1', kind, metadata: { name: 'web', namespace: 'default' }, spec };
  return made;
};
const template = (container: object): object => ({
  spec: { containers: [{ name: 'main', image: 'x', ...container }] },
});
const listens = template({ ports: [{ containerPort: 80 }] });

const HERE = { needsDns: false };

describe('--network auto takes a cluster', () => {
  it.each([
    ['a Pod', object('Pod', { containers: [{ name: 'main', ports: [{ containerPort: 80 }] }] }), undefined],
    ['a Service with a selector', object('Service', { selector: { app: 'web' } }), 'service/web selects Pods'],
    ['a Service without a selector', object('Service', { ports: [{ port: 80 }] }), undefined],
    ['a Service with an empty selector', object('Service', { selector: {} }), undefined],
    ['a name of another host', object('Service', { type: 'ExternalName', selector: { app: 'web' } }), undefined],
    [
      'replicas with a port',
      object('Deployment', { replicas: 3, template: listens }),
      'deployment/web has 3 replicas with a containerPort',
    ],
    ['replicas without a port', object('Deployment', { replicas: 3, template: template({}) }), undefined],
    ['one replica with a port', object('StatefulSet', { replicas: 1, template: listens }), undefined],
    [
      'a hostPort that leads to another port',
      object('Job', { template: template({ ports: [{ containerPort: 80, hostPort: 8080 }] }) }),
      'job/web has the hostPort 8080',
    ],
    [
      'a hostPort that the program opens itself',
      object('Job', { template: template({ ports: [{ containerPort: 80, hostPort: 80 }] }) }),
      undefined,
    ],
    ['an object without a spec', object('ConfigMap', undefined), undefined],
  ])('for %s, or not', (_, one, expected) => {
    expect(whyCluster([object('Pod', { containers: [] }), one], HERE)).toBe(expected);
  });

  it('for a Pod that looks up a Service, where nothing else has a DNS server', () => {
    const looksUp = { containers: [{ name: 'main', args: ['until nslookup db.default.svc.cluster.local; do …'] }] };
    const objects = [object('Pod', looksUp)];
    expect(whyCluster(objects, HERE)).toBeUndefined();
    expect(whyCluster(objects, { needsDns: true })).toContain('pod/web looks up names of Services');
    expect(whyCluster([object('Job', { template: { spec: looksUp } })], { needsDns: true })).toContain(
      'job/web looks up',
    );
    const others = { containers: [{ name: 'main', args: ['cat /data/my.svcs'] }] };
    expect(whyCluster([object('Pod', others)], { needsDns: true })).toBeUndefined();
  });

  it.each<[string, object, string | undefined]>([
    ['says what it runs', {}, 'pod/web runs from an image'],
    ['runs a command of the manifest', { command: ['sleep', '1'] }, undefined],
    ['runs such a command and has a port', { command: ['serve'], ports: [{}] }, 'pod/web runs from an image'],
  ])('for a Pod with an image that %s, or not', (_, container, expected) => {
    const containers = [{ name: 'main', image: 'nginx', ...container }];
    expect(whyCluster([object('Pod', { containers })], { needsDns: false, runsImage: () => true })).toBe(expected);
    expect(whyCluster([object('Pod', { containers })], { needsDns: false, runsImage: () => false })).toBeUndefined();
    expect(
      whyCluster([object('Pod', { containers, hostNetwork: true })], { needsDns: false, runsImage: () => true }),
    ).toBeUndefined();
  });

  it.each<[string, object, string | undefined]>([
    ['a Pod', object('Pod', { containers: [{ name: 'main' }] }), undefined],
    [
      'hostNetwork',
      object('Pod', { hostNetwork: true, containers: [{ name: 'main' }] }),
      'pod/web uses the network of its node, and there are several',
    ],
    [
      'a hostPort that the program opens itself',
      object('Job', { template: template({ ports: [{ containerPort: 80, hostPort: 80 }] }) }),
      'job/web has the hostPort 80',
    ],
    ['a DaemonSet', object('DaemonSet', { template: template({}) }), undefined],
    [
      'a DaemonSet with a port',
      object('DaemonSet', { template: listens }),
      'daemonset/web has a Pod with a containerPort on each node',
    ],
  ])('for %s with several nodes, or not', (_, one, expected) => {
    expect(whyCluster([one as KubeObject], { ...HERE, hasNodes: true })).toBe(expected);
    expect(whyCluster([one as KubeObject], HERE)).toBeUndefined();
  });
});

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { KubeObject, StoredKubeObject } from '../../src/api/base/objects.ts';
import { describeObject } from '../../src/print/describe-object.ts';
import { at, NOW_MS } from './pods.ts';

beforeAll(() => {
  vi.stubEnv('TZ', 'UTC');
});

/** The description of an object among others of its namespace. */
function describeAmong(object: KubeObject, others: Readonly<Record<string, readonly unknown[]>> = {}): string {
  const metadata = { namespace: 'default', uid: 'u-1', resourceVersion: '1', creationTimestamp: at(-60) };
  const stored = { ...object, metadata: { ...metadata, ...object.metadata } } as StoredKubeObject;
  return describeObject(stored, {
    events: undefined,
    list: (resource) => (others[resource] ?? []) as never,
    nowMs: NOW_MS,
  });
}

/** A line of a description without its padding: `Title: value`. */
function lineOf(text: string, title: string): string | undefined {
  const found = text.split('\n').find((line) => line.trimStart().startsWith(title));
  return found?.trim().replaceAll(/ {2,}/g, ' ');
}

const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'main', image: 'busybox' }] } };

describe('describe job', () => {
  const job = (spec: object, status: object): string =>
    describeAmong({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'pi' },
      spec: { template, ...spec },
      status,
    });

  it('has no count of ready Pods before the first sync, and no completions where the spec has none', () => {
    const text = job({}, {});
    expect(lineOf(text, 'Pods Statuses')).toBe('Pods Statuses: 0 Active / 0 Succeeded / 0 Failed');
    expect(lineOf(text, 'Completions')).toBe('Completions: <unset>');
  });

  it.each([
    ['', '<none>'],
    ['0-2,5', '0-2,5'],
    [
      Array.from({ length: 25 }, (_, index) => index * 2).join(','),
      '0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,...',
    ],
  ])('shows the completed indexes %j of an Indexed Job as %s', (completedIndexes, shown) => {
    expect(lineOf(job({ completionMode: 'Indexed' }, { completedIndexes }), 'Completed Indexes')).toBe(
      `Completed Indexes: ${shown}`,
    );
  });

  it('names the controller', () => {
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'u', controller: true };
    const text = describeAmong({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'nightly-1', ownerReferences: [owner] },
      spec: { template },
    });
    expect(lineOf(text, 'Controlled By')).toBe('Controlled By: CronJob/nightly');
  });
});

it('describe cronjob shows deadlines, and the Jobs that run', () => {
  const text = describeAmong({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly' },
    spec: {
      schedule: '0 3 * * *',
      timeZone: 'Europe/Berlin',
      startingDeadlineSeconds: 60,
      jobTemplate: { spec: { template, parallelism: 2, activeDeadlineSeconds: 30 } },
    },
    status: { active: [{ name: 'a' }, { name: 'b' }] },
  });
  const titles = [
    'Time Zone',
    'Suspend',
    'Starting Deadline',
    'Parallelism',
    'Active Deadline',
    'Last Schedule',
    'Active Jobs',
  ];
  expect(titles.map((title) => lineOf(text, title))).toEqual([
    'Time Zone: Europe/Berlin',
    'Suspend: <unset>',
    'Starting Deadline Seconds: 60s',
    'Parallelism: 2',
    'Active Deadline Seconds: 30s',
    'Last Schedule Time: <unset>',
    'Active Jobs: a, b',
  ]);
});

it('describe statefulset shows the update strategy and the claims of its Pods', () => {
  const text = describeAmong({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: {
      template,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxUnavailable: '50%' } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data', labels: { a: 'b', c: 'd' } },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'fast',
            resources: { requests: { storage: '1024Mi' } },
          },
        },
        { metadata: { name: 'logs' }, spec: { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] } },
      ],
    },
  });
  expect(text).toContain('Update Strategy:    RollingUpdate\n  Partition:        1\n  MaxUnavailable:   50%\n');
  expect(text.slice(text.indexOf('Volume Claims'))).toBe(`\
Volume Claims:
  Name:          data
  StorageClass:  fast
  Labels:        a=b
                 c=d
  Annotations:   <none>
  Capacity:      1Gi
  Access Modes:  [ReadWriteOnce]
  Name:          logs
  StorageClass:  
  Labels:        <none>
  Annotations:   <none>
  Capacity:      <default>
  Access Modes:  [ReadWriteOnce ReadWriteMany]
`);
});

it('describe deployment shows only its own ReplicaSets, the oldest first, and no rolling update with Recreate', () => {
  const owned = (name: string, age: number, owner: string, image: string): object => ({
    metadata: {
      name,
      creationTimestamp: at(-age),
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: owner, controller: true }],
    },
    spec: { replicas: 0, template: { ...template, spec: { containers: [{ name: 'main', image }] } } },
    status: { replicas: 1 },
  });
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { template, strategy: { type: 'Recreate' }, selector: { matchLabels: { app: 'x' } } },
  };
  const text = describeAmong(deployment, {
    replicasets: [owned('b', 10, 'u-1', 'two'), owned('a', 30, 'u-1', 'one'), owned('c', 5, 'u-2', 'busybox')],
  });
  expect(lineOf(text, 'OldReplicaSets')).toBe('OldReplicaSets: a (1/0 replicas created), b (1/0 replicas created)');
  expect(lineOf(text, 'NewReplicaSet')).toBe('NewReplicaSet: <none>');
  expect(text).not.toContain('RollingUpdateStrategy');
});

it('describe shows all parts of a template, and the values that a Pod will get only as their sources', () => {
  const text = describeAmong({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web' },
    spec: {
      template: {
        metadata: { labels: { app: 'x' }, annotations: { note: 'y' } },
        spec: {
          serviceAccountName: 'robot',
          priorityClassName: 'high',
          initContainers: [{ name: 'setup', image: 'busybox' }],
          containers: [
            {
              name: 'main',
              image: 'busybox',
              env: [{ name: 'ME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
            },
          ],
          volumes: [{ name: 'data', emptyDir: {} }],
          nodeSelector: { disk: 'ssd' },
          tolerations: [{ key: 'slow', operator: 'Exists' }],
          topologySpreadConstraints: [{ topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', maxSkew: 1 }],
        },
      },
    },
  });
  const block = text.slice(text.indexOf('Pod Template'));
  expect(block).toMatch(/^ {6}ME: +\(v1:metadata\.name\)$/m);
  expect(block.match(/^ {2}\S[^:]*/gm)).toEqual([
    '  Labels',
    '  Annotations',
    '  Service Account',
    '  Init Containers',
    '  Containers',
    '  Volumes',
    '  Topology Spread Constraints',
    '  Priority Class Name',
    '  Node-Selectors',
    '  Tolerations',
  ]);
  expect(block).toContain('\n   setup:\n');
  expect(block).toContain('\n   data:\n    Type:  ');
});

it('describe of a kind without a form shows every field under a readable title', () => {
  const text = describeAmong({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'db-1', managedFields: [{ manager: 'x' }], finalizers: ['a/b'] },
    data: { spec: { podIPs: [{ ip: '1.2.3.4' }], hostURL: null, 'app.kubernetes.io/name': true, $patch: 'replace' } },
    revision: 3,
  });
  expect(text).toBe(`\
Name:         db-1
Namespace:    default
Labels:       <none>
Annotations:  <none>
API Version:  apps/v1
Data:
  Spec:
    $patch:                  replace
    app.kubernetes.io/name:  true
    Host URL:                <nil>
    Pod I Ps:
      Ip:  1.2.3.4
Kind:      ControllerRevision
Metadata:
  Creation Timestamp:  2026-01-15T11:59:00Z
  Finalizers:
    a/b
  Resource Version:  1
  UID:               u-1
Revision:            3
`);
});

describe('Services and their EndpointSlices', () => {
  const labels = { 'kubernetes.io/service-name': 'web' };
  const endpoint = (address: string, ready?: boolean): object => ({ addresses: [address], conditions: { ready } });
  const slice = (
    endpoints: readonly object[],
    ports: readonly object[] = [{ name: 'http', port: 8080 }],
  ): KubeObject => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'web-x', labels },
    addressType: 'IPv4',
    endpoints,
    ports,
  });
  const service = (...endpointslices: KubeObject[]): string | undefined => {
    const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
    const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports } };
    return lineOf(describeAmong(object, { endpointslices }), 'Endpoints');
  };

  it('a Service shows the first endpoints that are not unready, of its own slices', () => {
    const [a, b, c, d] = ['10.0.0.1', '10.0.0.2', '10.0.0.3', 'fd00::4'].map((address) => endpoint(address, true));
    expect(service(slice([a!, endpoint('10.0.0.9', false), b!]), slice([endpoint('10.0.0.8'), c!, d!]))).toBe(
      'Endpoints: 10.0.0.1:8080,10.0.0.2:8080,10.0.0.8:8080 + 2 more...',
    );
    expect(service(slice([d!]))).toBe('Endpoints: [fd00::4]:8080');
    expect(service(slice([]))).toBe('Endpoints:');
    expect(service({ ...slice([a!]), metadata: { name: 'other-x', labels: {} } })).toBe('Endpoints: <none>');
    expect(service(slice([a!], [{ name: 'metrics', port: 9090 }]))).toBe('Endpoints:');
  });

  it('an EndpointSlice shows ports and endpoints', () => {
    const pod = { kind: 'Pod', name: 'web-1' };
    const full = { addresses: ['10.0.0.1'], conditions: { ready: true }, hostname: 'a', targetRef: pod, nodeName: 'n' };
    const text = describeAmong(slice([full, { addresses: ['10.0.0.2'] }]));
    expect(text.slice(text.indexOf('AddressType'))).toBe(`\
AddressType:  IPv4
Ports:
  Name  Port  Protocol
  ----  ----  --------
  http  8080  TCP
Endpoints:
  - Addresses:  10.0.0.1
    Conditions:
      Ready:    true
    Hostname:   a
    TargetRef:  Pod/web-1
    NodeName:   n
    Zone:       <unset>
  - Addresses:  10.0.0.2
    Conditions:
      Ready:   <unset>
    Hostname:  <unset>
    NodeName:  <unset>
    Zone:      <unset>
`);
    expect(describeAmong(slice([], []))).toContain('Ports: <unset>\nEndpoints: <none>\n');
  });
});

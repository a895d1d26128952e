import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { KubeObject, StoredKubeObject } from '../../src/api/base/objects.ts';
import { describeObject } from '../../src/print/describe-object.ts';
import { columnsOf } from '../../src/print/table/resource-columns.ts';
import { renderTable } from '../../src/print/table/table-printer.ts';
import { NOW_MS } from './pods.ts';

beforeAll(() => {
  vi.stubEnv('TZ', 'UTC');
});

function stored(object: KubeObject): StoredKubeObject {
  const metadata = {
    namespace: 'default',
    uid: 'u-1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-15T11:59:00Z',
  };
  return { ...object, metadata: { ...metadata, ...object.metadata } } as StoredKubeObject;
}

const table = (resource: string, object: KubeObject): string =>
  renderTable(columnsOf(resource), [stored(object)], NOW_MS);

const described = (object: KubeObject, others: Readonly<Record<string, readonly KubeObject[]>> = {}): string =>
  describeObject(stored(object), {
    events: undefined,
    list: (resource) => (others[resource] ?? []).map(stored) as never,
    nowMs: NOW_MS,
  });

const quota: KubeObject = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'small' },
  spec: { hard: { pods: '10' }, scopes: ['NotTerminating', 'BestEffort'] },
  status: {
    hard: { 'requests.cpu': '2000m', pods: '10', 'limits.cpu': '4' },
    used: { pods: '3', 'requests.cpu': '100m' },
  },
};
const limits: KubeObject = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'sizes' },
  spec: {
    limits: [
      { type: 'Container', max: { memory: '1024Mi' }, default: { cpu: '500m' }, maxLimitRequestRatio: { cpu: '4' } },
      { type: 'Pod', min: { cpu: '10m' } },
    ],
  },
};

describe('a ResourceQuota', () => {
  it('is listed with what is used', () => {
    expect(table('resourcequotas', quota)).toBe(`\
NAME    REQUEST                            LIMIT             AGE
small   pods: 3/10, requests.cpu: 100m/2   limits.cpu: 0/4   60s
`);
  });

  it('is described with its scopes', () => {
    expect(described(quota)).toBe(`\
Name:       small
Namespace:  default
Scopes:     BestEffort, NotTerminating
 * Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.
 * Matches all pods that do not have an active deadline. \
These pods usually include long running pods whose container command is not expected to terminate.
Resource      Used  Hard
--------      ----  ----
limits.cpu    0     4
pods          3     10
requests.cpu  100m  2
`);
  });
});

it('a LimitRange is listed with its creation, and described as a table', () => {
  expect(table('limitranges', limits)).toBe('NAME    CREATED AT\nsizes   2026-01-15T11:59:00Z\n');
  expect(described(limits)).toBe(`\
Name:       sizes
Namespace:  default
Type        Resource  Min  Max  Default Request  Default Limit  Max Limit/Request Ratio
----        --------  ---  ---  ---------------  -------------  -----------------------
Container   cpu       -    -    -                500m           4
Container   memory    -    1Gi  -                -              -
Pod         cpu       10m  -    -                -              -
`);
});

it('a namespace shows its quotas and limits', () => {
  const text = described(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'test' }, status: { phase: 'Active' } },
    { resourcequotas: [{ ...quota, spec: {} }], limitranges: [limits] },
  );
  expect(text.slice(text.indexOf('\n\n') + 2)).toBe(`\
Resource Quotas
  Name:         small
  Resource      Used  Hard
  --------      ---   ---
  limits.cpu    0     4
  pods          3     10
  requests.cpu  100m  2

Resource Limits
 Type       Resource  Min  Max  Default Request  Default Limit  Max Limit/Request Ratio
 ----       --------  ---  ---  ---------------  -------------  -----------------------
 Container  cpu       -    -    -                500m           4
 Container  memory    -    1Gi  -                -              -
 Pod        cpu       10m  -    -                -              -
`);
});

it('a PodDisruptionBudget shows either limit', () => {
  const budget: KubeObject = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web' },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 },
  };
  expect(table('poddisruptionbudgets', budget)).toBe(`\
NAME   MIN AVAILABLE   MAX UNAVAILABLE   ALLOWED DISRUPTIONS   AGE
web    N/A             1                 1                     60s
`);
  expect(described(budget)).toBe(`\
Name:             web
Namespace:        default
Max unavailable:  1
Selector:         app=web
Status:
    Allowed disruptions:  1
    Current:              3
    Desired:              2
    Total:                3
`);
});

it('a PriorityClass shows its value and policy', () => {
  const high: KubeObject = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high' },
    value: 1000,
    description: 'first',
    preemptionPolicy: 'Never',
  };
  expect(table('priorityclasses', high)).toBe(`\
NAME   VALUE   GLOBAL-DEFAULT   AGE   PREEMPTIONPOLICY
high   1000    false            60s   Never
`);
  expect(described(high)).toBe(`\
Name:              high
Value:             1000
GlobalDefault:     false
PreemptionPolicy:  Never
Description:       first
Annotations:       <none>
`);
});

it('a PodTemplate shows its containers and labels', () => {
  const containers = [
    { name: 'main', image: 'busybox' },
    { name: 'proxy', image: 'envoy' },
  ];
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
  expect(table('podtemplates', { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'web' }, template })).toBe(`\
NAME   CONTAINERS   IMAGES          POD LABELS
web    main,proxy   busybox,envoy   app=web
`);
});

import { describe, expect, it } from 'vitest';
import type { StoredEndpointSlice, StoredService } from '../../../src/api/index.ts';
import { serviceProblem, withAvailable } from '../../../src/apiserver/aggregation/availability.ts';
import { discoveredResources } from '../../../src/apiserver/aggregation/discovered-resources.ts';
import { frontProxyHeaders } from '../../../src/apiserver/aggregation/front-proxy.ts';
import { groupsInOrder } from '../../../src/apiserver/aggregation/group-order.ts';
import { groupPriority } from '../../../src/apiserver/resources/group-priorities.ts';
import { remainingConditions } from '../../../src/apiserver/cluster/namespace-conditions.ts';

describe('the Service of an APIService', () => {
  const backend = { namespace: 'shop', name: 'coats', port: 443 };
  const service = (fields: object): StoredService =>
    ({ spec: { ports: [{ port: 443, name: 'https' }], ...fields } }) as never;
  const slice = (ready: boolean | undefined, name = 'https', port: number | undefined = 8443): StoredEndpointSlice =>
    ({ endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }], ports: [{ name, port }] }) as never;

  it.each<[string, StoredService | undefined, StoredEndpointSlice[], string | undefined]>([
    ['is not there', undefined, [], 'ServiceNotFound: service/coats in "shop" is not present'],
    [
      'has another port',
      service({ ports: [{ port: 80 }] }),
      [slice(true)],
      'ServicePortError: service/coats in "shop" is not listening on port 443',
    ],
    ['has no slices', service({}), [], 'EndpointsNotFound: cannot find endpointslices for service/coats in "shop"'],
    [
      'has no ready endpoint',
      service({}),
      [slice(false)],
      'MissingEndpoints: endpointslices for service/coats in "shop" have no addresses with port name "https"',
    ],
    [
      'has endpoints for another port',
      service({}),
      [slice(true, 'metrics')],
      'MissingEndpoints: endpointslices for service/coats in "shop" have no addresses with port name "https"',
    ],
    ['has a ready endpoint', service({}), [slice(false), slice(true)], undefined],
    ['has an endpoint of unknown readiness', service({}), [slice(undefined)], undefined],
    ['has a port without a name', service({ ports: [{ port: 443 }] }), [slice(true, '')], undefined],
    ['is of another type, which is not looked at', service({ type: 'NodePort', ports: [] }), [], undefined],
  ])('%s', (_, stored, slices, problem) => {
    const found = serviceProblem(backend, stored, slices);
    expect(found && `${found.reason}: ${found.message}`).toBe(problem);
    expect(found?.status ?? 'False').toBe('False');
  });
});

describe('the condition Available', () => {
  const [early, late] = ['2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z'];
  const other = { type: 'Other', status: 'True', lastTransitionTime: early, reason: 'R', message: 'M' };
  const available = (status: string, lastTransitionTime: string, reason: string): typeof other => ({
    type: 'Available',
    status,
    lastTransitionTime,
    reason,
    message: 'why',
  });

  it.each([
    ['comes after others', [other], 'False', [other, available('False', late, 'New')]],
    ['keeps its time with its status', [available('False', early, 'Old')], 'False', [available('False', early, 'New')]],
    ['has a new time with a new status', [available('True', early, 'Old')], 'False', [available('False', late, 'New')]],
  ])('%s', (_, before, status, after) => {
    expect(withAvailable(before, { status, reason: 'New', message: 'why' }, late)).toEqual(after);
  });
});

it.each<[string, unknown, unknown]>([
  ['no list', { kind: 'APIGroupList', groups: [] }, undefined],
  ['no object', [1], undefined],
  [
    'a resource with subresources',
    {
      kind: 'APIResourceList',
      resources: [
        { name: 'coats', singularName: 'coat', namespaced: true, kind: 'Coat', verbs: ['get'], categories: ['all'] },
        { name: 'coats/scale', namespaced: true, group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get'] },
        { name: 'racks', singularName: 'rack', namespaced: false, kind: 'Rack', verbs: ['list', 7] },
        'nonsense',
      ],
    },
    [
      {
        resource: 'coats',
        responseKind: { group: '', version: '', kind: 'Coat' },
        scope: 'Namespaced',
        singularResource: 'coat',
        verbs: ['get'],
        categories: ['all'],
        subresources: [
          {
            subresource: 'scale',
            responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: ['get'],
          },
        ],
      },
      {
        resource: 'racks',
        responseKind: { group: '', version: '', kind: 'Rack' },
        scope: 'Cluster',
        singularResource: 'rack',
        verbs: ['list'],
      },
    ],
  ],
])('discovery of another API server: %s', (_, list, resources) => {
  expect(discoveredResources(list)).toEqual(resources);
});

it('a list of another API server may have as many subresources as fit into it', () => {
  const entries = Array.from({ length: 500_000 }, (_, n) => ({ name: `coats/${n % 3}` }));
  const [coats] = discoveredResources({ kind: 'APIResourceList', resources: entries }) ?? [];
  expect([coats?.verbs, coats?.subresources?.length]).toEqual([[], entries.length]);
});

it('groups are in the order of their priorities, and so are their versions', () => {
  const local = ['apps/v1', 'batch/v1', 'example.com/v1', 'example.com/v1beta1', 'apiregistration.k8s.io/v1']
    .map((one) => one.split('/') as [string, string])
    .map(([group, version]) => ({ group, version, priority: groupPriority(`${group}/${version}`) }));
  const elsewhere = [
    { group: 'early.io', version: 'v1', priority: { group: 19_000, version: 1 } },
    { group: 'late.io', version: 'v1', priority: { group: 10, version: 1 } },
    { group: 'late.io', version: 'v1alpha1', priority: { group: 20, version: 5 } },
    { group: 'example.com', version: 'v2alpha1', priority: { group: 10, version: 200 } },
  ];
  const order = groupsInOrder([...local, ...elsewhere]);
  expect(order.map(({ name, versions }) => `${name} ${versions.map(({ version }) => version).join(' ')}`)).toEqual([
    'apiregistration.k8s.io v1',
    'early.io v1',
    'apps v1',
    'batch v1',
    'example.com v2alpha1 v1 v1beta1',
    'late.io v1alpha1 v1',
  ]);
});

it('the headers of the front proxy name the user, and encode what no header may have', () => {
  const extra = { 'example.com/Scope name': ['a', 'ü'] };
  expect(frontProxyHeaders({ name: 'jö', uid: 'u1', groups: ['a', 'b'], extra })).toEqual([
    ['X-Remote-User', Buffer.from('jö').toString('latin1')],
    ['X-Remote-Uid', 'u1'],
    ['X-Remote-Group', 'a'],
    ['X-Remote-Group', 'b'],
    ['X-Remote-Extra-example.com%2Fscope%20name', 'a'],
    ['X-Remote-Extra-example.com%2Fscope%20name', Buffer.from('ü').toString('latin1')],
  ]);
});

it('a namespace that is Terminating names the groups with unknown kinds, and what was not deleted', () => {
  const rest = { remaining: [], unknown: ['b.io/v1', 'a.io/v1'], errors: ['it failed'] };
  const conditions = remainingConditions([], rest, '2026-01-01T10:00:00Z');
  expect(conditions.filter(({ status }) => status === 'True')).toMatchObject([
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      reason: 'DiscoveryFailed',
      message:
        'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: ' +
        'a.io/v1: stale GroupVersion discovery: a.io/v1, b.io/v1: stale GroupVersion discovery: b.io/v1',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      reason: 'ContentDeletionFailed',
      message: 'Failed to delete all resource types, 1 remaining: it failed',
    },
  ]);
});

import { describe, expect, it } from 'vitest';
import type { StoredKubeObject } from '../../src/api/base/objects.ts';
import { describeObject } from '../../src/print/describe-object.ts';
import { NOW_MS } from './pods.ts';

// Every text here is what kubectl v1.32 prints about these objects.

const RBAC = 'rbac.authorization.k8s.io';

function described(object: object, metadata: Partial<StoredKubeObject['metadata']> = {}): string {
  const given = { name: 'demo', namespace: 'default', uid: 'u', resourceVersion: '1' };
  const stored = { ...object, metadata: { ...given, creationTimestamp: '2026-01-15T11:59:00.123456Z', ...metadata } };
  return describeObject(stored as StoredKubeObject, { events: [], list: () => [], nowMs: NOW_MS });
}

describe('a Role', () => {
  it('has a row for each resource, with its verbs together, sorted as kubectl sorts', () => {
    const rules = [
      { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['apps', ''], resources: ['deployments'], resourceNames: ['web', 'db'], verbs: ['*'] },
      { nonResourceURLs: ['/healthz', '/metrics'], verbs: ['get', 'post'] },
      { apiGroups: ['*'], resources: ['*'], verbs: ['delete'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'get'] },
      { apiGroups: ['g.example'], resources: ['a/b'], verbs: ['get'] },
    ];
    const labels = { b: 'x', a: 'y' };
    expect(described({ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', rules }, { labels })).toBe(`\
Name:         demo
Labels:       a=y
              b=x
Annotations:  <none>
PolicyRule:
  Resources         Non-Resource URLs  Resource Names  Verbs
  ---------         -----------------  --------------  -----
  deployments       []                 [db]            [*]
  deployments       []                 [web]           [*]
  deployments.apps  []                 [db]            [*]
  deployments.apps  []                 [web]           [*]
  *.*               []                 []              [delete]
  pods/log          []                 []              [get list watch]
  pods              []                 []              [get list watch]
  configmaps        []                 []              [get list]
                    [/healthz]         []              [get]
                    [/metrics]         []              [get]
  a.g.example/b     []                 []              [get]
                    [/healthz]         []              [post]
                    [/metrics]         []              [post]
`);
  });

  it('may have no rules', () => {
    expect(described({ apiVersion: `${RBAC}/v1`, kind: 'Role' })).toBe(`\
Name:         demo
Labels:       <none>
Annotations:  <none>
PolicyRule:
  Resources  Non-Resource URLs  Resource Names  Verbs
  ---------  -----------------  --------------  -----
`);
  });
});

it('a binding has its role and its subjects', () => {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'demo' };
  const subjects = [
    { kind: 'ServiceAccount', name: 'sa', namespace: 'default' },
    { kind: 'User', name: 'jane', apiGroup: RBAC },
    { kind: 'Group', name: 'system:masters', apiGroup: RBAC },
  ];
  expect(described({ apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', roleRef, subjects })).toBe(`\
Name:         demo
Labels:       <none>
Annotations:  <none>
Role:
  Kind:  ClusterRole
  Name:  demo
Subjects:
  Kind            Name            Namespace
  ----            ----            ---------
  ServiceAccount  sa              default
  User            jane            ${''}
  Group           system:masters  ${''}
`);
});

describe('a StorageClass', () => {
  const plain = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'x', reclaimPolicy: 'Delete' };

  it('says what its volumes are', () => {
    const zone = { key: 'zone', values: ['a', 'b'] };
    const allowedTopologies = [
      { matchLabelExpressions: [zone, { key: 'rack', values: ['c'] }] },
      { matchLabelExpressions: [{ key: 'zone', values: ['d'] }] },
    ];
    const rest = { parameters: { type: 'gp3', encrypted: 'true' }, mountOptions: ['discard'], allowedTopologies };
    const more = { allowVolumeExpansion: true, volumeBindingMode: 'WaitForFirstConsumer' };
    const annotations = { note: 'hi', 'storageclass.kubernetes.io/is-default-class': 'true' };
    expect(described({ ...plain, ...rest, ...more }, { annotations })).toBe(`\
Name:                  demo
IsDefaultClass:        Yes
Annotations:           note=hi,storageclass.kubernetes.io/is-default-class=true
Provisioner:           x
Parameters:            encrypted=true,type=gp3
AllowVolumeExpansion:  True
MountOptions:
  discard
ReclaimPolicy:      Delete
VolumeBindingMode:  WaitForFirstConsumer
AllowedTopologies:  ${''}
  Term 0:           zone in [a, b]
                    rack in [c]
  Term 1:           zone in [d]
Events:             <none>
`);
  });

  it('may have nothing but a provisioner', () => {
    expect(described(plain)).toBe(`\
Name:                  demo
IsDefaultClass:        No
Annotations:           <none>
Provisioner:           x
Parameters:            <none>
AllowVolumeExpansion:  <unset>
MountOptions:          <none>
ReclaimPolicy:         Delete
Events:                <none>
`);
  });
});

it('an object of another kind has its times in whole seconds, and microseconds where the kind has them', () => {
  const spec = { renewTime: '2026-01-15T11:59:00.654321Z' };
  const text = described({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec });
  expect(text).toContain('Creation Timestamp:  2026-01-15T11:59:00Z\n');
  expect(text).toContain('Renew Time:  2026-01-15T11:59:00.654321Z\n');
});

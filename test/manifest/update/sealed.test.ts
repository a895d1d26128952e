import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { changed, outcomeOf, stored, type Fields } from './changes.ts';

const of = (apiVersion: string, kind: string, fields: Fields): KubeObject =>
  stored({ apiVersion, kind, metadata: { name: 'demo' }, ...fields });

const RBAC = 'rbac.authorization.k8s.io';
const role = (name: string): Fields => ({ roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name } });
const claim = (deviceClassName: string): Fields => ({
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName } }] } },
});
const GO_CLAIM =
  '{"Devices":{"Requests":[{"Name":"r","Exactly":{"DeviceClassName":"d","Selectors":null,' +
  '"AllocationMode":"ExactCount","Count":1,"AdminAccess":null,"Tolerations":null,"Capacity":null},' +
  '"FirstAvailable":null}],"Constraints":null,"Config":null}}';
const attachment = (nodeName: string): Fields => ({
  spec: { attacher: 'a', nodeName, source: { persistentVolumeName: 'p' } },
});
const slice = (fields: Fields): Fields => ({
  spec: { driver: 'd.example.com', nodeName: 'n', pool: { name: 'n', resourceSliceCount: 1 }, ...fields },
});

describe('fields that stay as they were created', () => {
  it.each<[apiVersion: string, kind: string, before: Fields, after: Fields, lines: string[]]>([
    [
      `${RBAC}/v1`,
      'ClusterRoleBinding',
      role('x'),
      role('y'),
      [`roleRef: Invalid value: {"APIGroup":"${RBAC}","Kind":"ClusterRole","Name":"y"}: cannot change roleRef`],
    ],
    [
      'storage.k8s.io/v1',
      'StorageClass',
      { provisioner: 'p' },
      { provisioner: 'q', parameters: { a: 'b' }, volumeBindingMode: 'WaitForFirstConsumer' },
      [
        'parameters: Invalid value: {"a":"b"}: field is immutable',
        'provisioner: Invalid value: "q": field is immutable',
        'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
      ],
    ],
    [
      'storage.k8s.io/v1',
      'CSIDriver',
      { spec: {} },
      { spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] } },
      [
        'spec.attachedRequired: Invalid value: false: field is immutable',
        'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
      ],
    ],
    [
      'storage.k8s.io/v1',
      'CSINode',
      { spec: { drivers: [{ name: 'd', nodeID: 'n' }] } },
      { spec: { drivers: [{ name: 'd', nodeID: 'other' }] } },
      [
        'spec.drivers: Invalid value: {"Name":"d","NodeID":"other","TopologyKeys":null,"Allocatable":null}: ' +
          'field is immutable',
      ],
    ],
    [
      'storage.k8s.io/v1',
      'VolumeAttachment',
      attachment('n'),
      attachment('m'),
      [
        'spec: Invalid value: {"Attacher":"a","Source":{"PersistentVolumeName":"p","InlineVolumeSpec":null},' +
          '"NodeName":"m"}: field is immutable',
      ],
    ],
    [
      'storage.k8s.io/v1',
      'VolumeAttributesClass',
      { driverName: 'd', parameters: { a: 'b' } },
      { driverName: 'd', parameters: { a: 'c' } },
      ['parameters: Forbidden: updates to parameters are forbidden.'],
    ],
    [
      'resource.k8s.io/v1',
      'ResourceClaim',
      claim('c'),
      claim('d'),
      [`spec: Invalid value: ${GO_CLAIM}: field is immutable`],
    ],
    [
      'resource.k8s.io/v1',
      'ResourceClaimTemplate',
      { spec: claim('c') },
      { spec: { metadata: { labels: { a: 'b' } }, ...claim('d') } },
      [`spec: Invalid value: {"labels":{"a":"b"},"Spec":${GO_CLAIM}}: field is immutable`],
    ],
    [
      'resource.k8s.io/v1',
      'ResourceSlice',
      slice({}),
      slice({ nodeName: 'm' }),
      ['spec.nodeName: Invalid value: "m": field is immutable'],
    ],
    [
      'v1',
      'Node',
      { spec: { podCIDRs: ['10.0.0.0/24'] } },
      { spec: { podCIDRs: ['10.0.1.0/24'] } },
      ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
    ],
  ])('%s %s', (apiVersion, kind, before, after, lines) => {
    const old = of(apiVersion, kind, before);
    expect(outcomeOf(old, changed(old, {}))).toEqual(old);
    expect(outcomeOf(old, changed(old, after))).toEqual(lines);
  });
});

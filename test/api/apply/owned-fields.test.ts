import { describe, expect, it } from 'vitest';
import { applyServerSide, shapeOfType, trackUpdate } from '../../../src/api/apply/index.ts';
import { typeOfKind } from '../../../src/api/base/field-types.ts';
import type { KubeObject } from '../../../src/api/base/objects.ts';

const LEAF = {};

function object(apiVersion: string, kind: string, fields: object): KubeObject {
  return { apiVersion, kind, metadata: { name: 'a' }, ...fields };
}

const writeOf = ({ apiVersion, kind }: KubeObject, subresource = '') => ({
  shape: shapeOfType(typeOfKind(apiVersion, kind)),
  manager: 'me',
  subresource,
  hasStatus: true,
  time: '2026-11-25T10:00:00Z',
});

function owned({ metadata }: KubeObject): unknown {
  return metadata.managedFields?.find(({ manager }) => manager === 'me')?.fieldsV1;
}

/** A change of labels and status through the subresource `status`, and what it owns of them. */
const STATUS_WRITES: [apiVersion: string, kind: string, subresource: string, owned: unknown][] = [
  ['apps/v1', 'ReplicaSet', 'status', { 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } }, 'f:status': LEAF }],
  ['apps/v1', 'Deployment', 'status', { 'f:status': LEAF }],
  ['flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', 'status', { 'f:status': LEAF }],
  ['apps/v1', 'Deployment', '', { 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } } }],
];

describe('the fields that a new object owns', () => {
  it.each([
    [
      'the template of a ReplicationController is a pointer',
      object('v1', 'ReplicationController', { spec: { template: { metadata: {}, spec: { containers: [] } } } }),
      {
        'f:spec': {
          'f:template': { '.': LEAF, 'f:metadata': LEAF, 'f:spec': { '.': LEAF, 'f:containers': LEAF } },
        },
      },
    ],
    [
      'data of another kind is one field',
      object('apps/v1', 'ControllerRevision', { data: { a: { b: 1 } } }),
      { 'f:data': LEAF },
    ],
    [
      'the claim of a volume is no whole',
      object('v1', 'PersistentVolume', { spec: { claimRef: { name: 'c', namespace: 'n' } } }),
      { 'f:spec': { 'f:claimRef': { '.': LEAF, 'f:name': LEAF, 'f:namespace': LEAF } } },
    ],
    [
      'a variable of a policy is a whole',
      object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', {
        spec: { variables: [{ name: 'a', expression: 'object.spec' }] },
      }),
      { 'f:spec': { 'f:variables': { '.': LEAF, 'k:{"name":"a"}': LEAF } } },
    ],
    [
      'modes of volumes are a set',
      object('storage.k8s.io/v1', 'CSIDriver', { spec: { volumeLifecycleModes: ['Persistent'] } }),
      { 'f:spec': { 'f:volumeLifecycleModes': { '.': LEAF, 'v:"Persistent"': LEAF } } },
    ],
    [
      'the target of an autoscaler is a whole in v1',
      object('autoscaling/v1', 'HorizontalPodAutoscaler', { spec: { scaleTargetRef: { kind: 'X', name: 'x' } } }),
      { 'f:spec': { 'f:scaleTargetRef': LEAF } },
    ],
    [
      'a DaemonSet counts its templates',
      object('apps/v1', 'DaemonSet', { spec: { minReadySeconds: 1 } }),
      {
        'f:metadata': { 'f:annotations': { '.': LEAF, 'f:deprecated.daemonset.template.generation': LEAF } },
        'f:spec': { 'f:minReadySeconds': LEAF },
      },
    ],
    [
      'no client owns what a certificate is asked for with',
      object('certificates.k8s.io/v1', 'CertificateSigningRequest', { spec: { signerName: 's' } }),
      undefined,
    ],
    [
      'times that Go writes as null are not set by them',
      object('events.k8s.io/v1', 'Event', { note: 'm', eventTime: 'T', deprecatedFirstTimestamp: null }),
      { 'f:eventTime': LEAF, 'f:note': LEAF },
    ],
  ])('%s', (_case, created, expected) => {
    expect(owned(trackUpdate(undefined, created, writeOf(created)))).toEqual(expected);
  });
});

it.each(STATUS_WRITES)('a write of %s %s%s', (apiVersion, kind, subresource, expected) => {
  const before = object(apiVersion, kind, { status: {} });
  const after = { ...before, metadata: { name: 'a', labels: { l: 'x' } }, status: { observedGeneration: 1 } };
  const fields = owned(trackUpdate(before, after, writeOf(before, subresource))) as Record<string, unknown>;
  const inShort = fields['f:status'] === undefined ? fields : { ...fields, 'f:status': LEAF };
  expect(inShort).toEqual(expected);
});

it('an apply sets fields that its manager does not own', () => {
  const request = object('certificates.k8s.io/v1', 'CertificateSigningRequest', { spec: { signerName: 's' } });
  const outcome = applyServerSide(undefined, request, { ...writeOf(request), isForced: false });
  expect(outcome).toEqual({ ok: true, object: request });
});

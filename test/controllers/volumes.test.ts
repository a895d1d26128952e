import { describe, expect, it } from 'vitest';
import type { ControllerAction, StoredClaim, StoredVolume } from '../../src/controllers/base/reconcile.ts';
import { findVolume } from '../../src/controllers/volumes/match-volume.ts';
import {
  type ClaimInput,
  claimActions,
  classActions,
  placeClaim,
  releaseActions,
} from '../../src/controllers/volumes/volume-actions.ts';
import { PROTECTION, PROVISIONED_BY, PROVISIONER } from '../../src/api/workloads/volumes.ts';

function claim(spec: object = {}, metadata: object = {}, phase = 'Pending'): StoredClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: 'data',
      namespace: 'shop',
      uid: 'c1',
      resourceVersion: '5',
      finalizers: [PROTECTION['PersistentVolumeClaim']],
      ...metadata,
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'standard',
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
    status: { phase },
  } as unknown as StoredClaim;
}

function volume(name: string, spec: object = {}, metadata: object = {}, phase = 'Available'): StoredVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, uid: name, resourceVersion: '1', finalizers: [PROTECTION['PersistentVolume']], ...metadata },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'standard',
      hostPath: { path: '/data' },
      ...spec,
    },
    status: { phase },
  } as unknown as StoredVolume;
}

const around = (volumes: StoredVolume[], fields: Partial<ClaimInput> = {}): ClaimInput => ({
  volumes: () => volumes,
  volumeNamed: (name) => volumes.find(({ metadata }) => metadata.name === name),
  classNamed: () => undefined,
  isUsed: () => false,
  folder: () => '/state/claims/shop/data',
  wallMs: 0,
  tells: true,
  ...fields,
});

/** The actions, one a line. */
const shown = (actions: readonly ControllerAction[]): string[] =>
  actions.map((action) => {
    switch (action.type) {
      case 'create':
        return `create ${action.object.metadata.name}`;
      case 'event':
        return `event ${action.event.reason} ${action.event.message}`;
      case 'delete':
        return `delete ${action.on.name}`;
      case 'update':
        return `update ${action.on.name} ${JSON.stringify(action.patch ?? action.status)}`;
      default:
        return action satisfies never;
    }
  });

describe('the volume of a claim', () => {
  it.each<[string, object, StoredVolume[], string | undefined]>([
    ['none', {}, [], undefined],
    ['the smallest that is large enough', {}, [volume('big', { capacity: { storage: '5Gi' } }), volume('fit')], 'fit'],
    ['none that is too small', {}, [volume('small', { capacity: { storage: '1Mi' } })], undefined],
    ['one of its class', { storageClassName: 'fast' }, [volume('a'), volume('b', { storageClassName: 'fast' })], 'b'],
    ['one without a class', { storageClassName: '' }, [volume('a'), volume('b', { storageClassName: undefined })], 'b'],
    ['none of another mode', { volumeMode: 'Block' }, [volume('a')], undefined],
    ['one with its access modes', { accessModes: ['ReadWriteMany'] }, [volume('a')], undefined],
    [
      'one with the fewest access modes',
      {},
      [
        volume('more', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
        volume('a', { capacity: { storage: '9Gi' } }),
      ],
      'a',
    ],
    [
      'one that its selector matches',
      { selector: { matchLabels: { disk: 'ssd' } } },
      [volume('a'), volume('b', {}, { labels: { disk: 'ssd' } })],
      'b',
    ],
    ['none that another claim has', {}, [volume('a', { claimRef: { namespace: 'shop', name: 'other' } })], undefined],
    [
      'one that is meant for it, before smaller ones',
      {},
      [volume('a'), volume('b', { capacity: { storage: '9Gi' }, claimRef: { namespace: 'shop', name: 'data' } })],
      'b',
    ],
    ['none that is being deleted', {}, [volume('a', {}, { deletionTimestamp: 'x' })], undefined],
  ])('is %s', (_name, spec, volumes, want) => {
    expect(findVolume(claim(spec), volumes)?.metadata.name).toBe(want);
  });
});

describe('a claim', () => {
  it('is bound to a volume that fits: first the volume, then the claim', () => {
    const reference =
      '{"kind":"PersistentVolumeClaim","namespace":"shop","name":"data","uid":"c1",' +
      '"apiVersion":"v1","resourceVersion":"5"}';
    expect(shown(claimActions(claim(), around([volume('disk')])))).toEqual([
      'update disk {"metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},' +
        `"spec":{"claimRef":${reference}}}`,
      'update disk {"phase":"Bound","lastPhaseTransitionTime":"1970-01-01T00:00:00.000000Z"}',
      'update data {"metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes",' +
        '"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"disk"}}',
      'update data {"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"}}',
    ]);
  });

  it('gets a volume of its own where none fits, also a claim of an older podrun', () => {
    const made = ['create pvc-c1', 'event ProvisioningSucceeded Successfully provisioned volume pvc-c1'];
    expect(shown(claimActions(claim(), around([])))).toEqual(made);
    expect(shown(claimActions(claim({ storageClassName: 'fast' }), around([volume('a')])))).toEqual(made);
    expect(shown(claimActions(claim({ volumeName: 'pvc-c1' }, {}, 'Bound'), around([])))).toEqual(made);
    expect(claimActions(claim(), around([]))[0]).toMatchObject({
      object: {
        metadata: { annotations: { [PROVISIONED_BY]: PROVISIONER } },
        spec: {
          hostPath: { path: '/state/claims/shop/data' },
          claimRef: { uid: 'c1' },
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: 'standard',
        },
      },
    });
  });

  it.each<[string, object, StoredVolume[], string[]]>([
    [
      'without a class',
      { storageClassName: '' },
      [],
      ['event FailedBinding no persistent volumes available for this claim and no storage class is set'],
    ],
    [
      'of a class that a written volume has',
      {},
      [volume('small', { capacity: { storage: '1Mi' } })],
      ['event FailedBinding no persistent volumes available for this claim and no storage class is set'],
    ],
    [
      'with a selector',
      { selector: {}, storageClassName: 'fast' },
      [],
      [
        'event ProvisioningFailed no PersistentVolume matches the selector of the claim, ' +
          'and none is made for a selector',
      ],
    ],
    ['that names a volume which is missing', { volumeName: 'nope' }, [], []],
    [
      'that names a volume of another claim',
      { volumeName: 'a' },
      [volume('a', { claimRef: { namespace: 'shop', name: 'other', uid: 'c2' } })],
      ['event FailedBinding volume "a" already bound to a different claim.'],
    ],
    [
      'that names a volume which does not fit',
      { volumeName: 'a' },
      [volume('a', { capacity: { storage: '1Mi' } })],
      ['event VolumeMismatch Cannot bind to requested volume "a": requested PV is too small'],
    ],
  ])('%s waits, and says so once', (_name, spec, volumes, want) => {
    expect(shown(claimActions(claim(spec), around(volumes)))).toEqual(want);
    expect(claimActions(claim(spec), around(volumes, { tells: false }))).toEqual([]);
  });

  const type = (fields: object): Partial<ClaimInput> => ({
    classNamed: (name) => (name === 'standard' ? { provisioner: 'example.com/disks', ...fields } : undefined),
  });
  const late = { volumeBindingMode: 'WaitForFirstConsumer' };
  const placed = { annotations: { 'volume.kubernetes.io/selected-node': 'node-2' } };

  it('of a class that waits for the first Pod takes no volume that is free, and none is made', () => {
    expect(shown(claimActions(claim(), around([volume('free')], type(late))))).toEqual([
      'event WaitForFirstConsumer waiting for first consumer to be created before binding',
    ]);
  });

  it('of a class that waits for the first Pod gets what the scheduler chooses on the node of the Pod', () => {
    const [chosen] = placeClaim(claim(), 'node-2', volume('free'));
    expect(chosen).toMatchObject({ on: { name: 'free' }, patch: { spec: { claimRef: { uid: 'c1' } } } });
    const kept = volume('kept', { claimRef: { namespace: 'shop', name: 'data', uid: 'c1' } });
    expect(shown(claimActions(claim(), around([volume('free'), kept], type(late))))[0]).toContain('update kept');
    expect(placeClaim(claim(), 'node-2', undefined)).toMatchObject([
      { on: { name: 'data' }, patch: { metadata: placed } },
    ]);
    expect(shown(claimActions(claim({}, placed), around([], type(late))))[0]).toBe('create pvc-c1');
  });

  it('of a class without a provisioner gets no new volume', () => {
    expect(shown(claimActions(claim(), around([], type({ provisioner: 'kubernetes.io/no-provisioner' }))))).toEqual([
      'event ProvisioningFailed no volume plugin matched name: kubernetes.io/no-provisioner',
    ]);
  });

  it('gets a new volume as its class says, also where a written volume has the class', () => {
    const topology = { matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] };
    const fields = { reclaimPolicy: 'Retain', allowedTopologies: [topology] };
    const [made] = claimActions(claim(), around([volume('small', { capacity: { storage: '1Mi' } })], type(fields)));
    const term = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] };
    expect(made).toMatchObject({
      type: 'create',
      object: {
        spec: {
          persistentVolumeReclaimPolicy: 'Retain',
          nodeAffinity: { required: { nodeSelectorTerms: [term] } },
        },
      },
    });
  });

  it('that has lost its volume is Lost', () => {
    const bound = claim({ volumeName: 'a' }, { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }, 'Bound');
    expect(shown(claimActions(bound, around([])))).toEqual([
      'update data {"phase":"Lost"}',
      'event ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ]);
    expect(claimActions({ ...bound, status: { phase: 'Lost' } }, around([]))).toEqual([]);
    const own = volume('a', { claimRef: { namespace: 'shop', name: 'data', uid: 'c1' } }, {}, 'Bound');
    expect(claimActions(bound, around([own]))).toEqual([]);
  });

  it('that is deleted stays as long as a Pod uses it', () => {
    const finalizers = [PROTECTION['PersistentVolumeClaim']];
    const deleted = claim({}, { deletionTimestamp: 'x', finalizers });
    expect(claimActions(deleted, around([], { isUsed: () => true }))).toEqual([]);
    expect(shown(claimActions(deleted, around([])))).toEqual(['update data {"metadata":{"finalizers":null}}']);
  });
});

describe('a volume without its claim', () => {
  const claimRef = { namespace: 'shop', name: 'data', uid: 'c1' };
  const time = '"lastPhaseTransitionTime":"1970-01-01T00:00:00.000000Z"';
  const made = { annotations: { [PROVISIONED_BY]: PROVISIONER } };

  it.each<[string, StoredVolume, string[]]>([
    [
      'becomes Available when it never had one',
      volume('a', {}, {}, 'Pending'),
      [`update a {"phase":"Available",${time}}`],
    ],
    ['is Released with its data', volume('a', { claimRef }, {}, 'Bound'), [`update a {"phase":"Released",${time}}`]],
    ['stays Released', volume('a', { claimRef }, {}, 'Released'), []],
    [
      'goes, if podrun made it with the policy Delete',
      volume('a', { claimRef, persistentVolumeReclaimPolicy: 'Delete' }, made, 'Released'),
      ['delete a'],
    ],
    ['stays, if its policy was changed to Retain', volume('a', { claimRef }, made, 'Released'), []],
    [
      'fails with the policy Delete, if a person made it',
      volume('a', { claimRef, persistentVolumeReclaimPolicy: 'Delete' }, {}, 'Bound'),
      [
        'update a {"phase":"Failed","message":"error getting deleter volume plugin for volume \\"a\\": ' +
          `no deletable volume plugin matched",${time}}`,
        'event VolumeFailedDelete error getting deleter volume plugin for volume "a": ' +
          'no deletable volume plugin matched',
      ],
    ],
    [
      'goes when it is deleted',
      volume(
        'a',
        { claimRef },
        { deletionTimestamp: 'x', finalizers: [PROTECTION['PersistentVolume'], 'mine'] },
        'Bound',
      ),
      ['update a {"metadata":{"finalizers":["mine"]}}'],
    ],
  ])('%s', (_name, given, want) => {
    expect(shown(releaseActions(given, undefined, 0))).toEqual(want);
    // A later claim of that name is another claim.
    const later = given.spec.claimRef && claim({}, { uid: 'c2' });
    expect(shown(releaseActions(given, later, 0))).toEqual(want);
  });

  it('is left alone as long as the claim exists', () => {
    expect(releaseActions(volume('a', { claimRef }, { deletionTimestamp: 'x' }, 'Bound'), claim(), 0)).toEqual([]);
  });
});

describe('the finalizer of what is in use', () => {
  const attributes = (metadata: object): Parameters<typeof classActions>[0] => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: {
      name: 'gold',
      namespace: 'default',
      uid: 'k',
      creationTimestamp: '',
      resourceVersion: '1',
      ...metadata,
    },
    driverName: 'd',
  });
  const own = { finalizers: ['kubernetes.io/vac-protection'] };
  const gone = { deletionTimestamp: 'x', ...own };

  it.each<[string, ControllerAction[], string[]]>([
    [
      'of a claim comes back',
      claimActions(claim({}, { finalizers: ['mine'] }), around([])),
      ['update data {"metadata":{"finalizers":["mine","kubernetes.io/pvc-protection"]}}'],
    ],
    [
      'of a volume comes back',
      releaseActions(volume('a', {}, { finalizers: [] }), undefined, 0),
      ['update a {"metadata":{"finalizers":["kubernetes.io/pv-protection"]}}'],
    ],
    [
      'of a class comes back',
      classActions(attributes({}), () => false),
      [`update gold ${JSON.stringify({ metadata: own })}`],
    ],
    ['of a class stays', classActions(attributes(own), () => false), []],
    ['of a deleted class in use stays', classActions(attributes(gone), () => true), []],
    [
      'of a deleted class goes',
      classActions(attributes(gone), () => false),
      ['update gold {"metadata":{"finalizers":null}}'],
    ],
  ])('%s', (_name, actions, want) => {
    expect(shown(actions)).toEqual(want);
  });
});

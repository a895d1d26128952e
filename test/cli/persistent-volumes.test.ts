import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../src/api/generated/types.ts';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { runHere } from './in-process.ts';
import { putObjects, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const ATTRIBUTES = 'VOLUMEATTRIBUTESCLASS';

const claimOf = (name: string, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

async function apply(...objects: object[]): Promise<void> {
  const file = workshop.file('objects.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  expect(await workshop.run(['apply', '-f', file])).toMatchObject({ exitCode: 0 });
}

const claim = (name: string): (PersistentVolumeClaim & KubeObject) | undefined =>
  storeOf(workshop).get('persistentvolumeclaims', 'default', name);
const volumes = (): (PersistentVolume & KubeObject)[] => storeOf(workshop).list('persistentvolumes');

it('a claim has a volume of its own, which goes with it and its data', async () => {
  await apply(claimOf('data'));
  const [volume] = volumes();
  expect(volume?.metadata.name).toBe(`pvc-${claim('data')?.metadata.uid}`);
  const folder = volume?.spec?.hostPath?.path ?? '';
  expect(folder).toBe(path.join(storeOf(workshop).root, 'claims/default/data'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'file'), 'text');
  expect(await runHere(workshop, ['delete', 'pvc', 'data'])).toMatchObject({ exitCode: 0 });
  expect([volumes(), existsSync(folder)]).toEqual([[], false]);
});

it('a volume with the policy Retain stays with its data, and a new claim of the name gets another folder', async () => {
  await apply(claimOf('data'));
  const [first] = volumes();
  const name = first?.metadata.name ?? '';
  const folder = first?.spec?.hostPath?.path ?? '';
  mkdirSync(folder, { recursive: true });
  const patch = '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}';
  expect(await runHere(workshop, ['patch', 'pv', name, '-p', patch])).toMatchObject({ exitCode: 0 });
  await runHere(workshop, ['delete', 'pvc', 'data']);
  expect(volumes()).toMatchObject([{ metadata: { name }, status: { phase: 'Released' } }]);
  await apply(claimOf('data'));
  expect(volumes().find((volume) => volume.metadata.name !== name)?.spec?.hostPath?.path).not.toBe(folder);
  expect(await runHere(workshop, ['gc'])).toMatchObject({ exitCode: 0 });
  expect(existsSync(folder)).toBe(true);
  // A person may give the data to a claim of that name, as on a cluster.
  await runHere(workshop, ['patch', 'pv', name, '-p', '{"spec":{"claimRef":null}}']);
  expect(volumes().find((volume) => volume.metadata.name === name)?.status?.phase).toBe('Available');
});

it('a claim finds the volume beside it in the manifest, and both have kubectl’s form', async () => {
  const disk = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk' },
    spec: {
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'manual',
      hostPath: { path: '/mnt/disk' },
    },
  };
  await apply(claimOf('data', { storageClassName: 'manual' }), disk);
  const get = async (line: string): Promise<string> => (await runHere(workshop, line.split(' '))).stdout;
  const rows = (await get('get pv,pvc')).split('\n').map((row) => row.split(/ {2,}/).slice(0, -1));
  expect(rows.filter((row) => row.length > 0)).toEqual([
    ['NAME', 'CAPACITY', 'ACCESS MODES', 'RECLAIM POLICY', 'STATUS', 'CLAIM', 'STORAGECLASS', ATTRIBUTES, 'REASON'],
    ['persistentvolume/disk', '2Gi', 'RWO', 'Retain', 'Bound', 'default/data', 'manual', '<unset>'],
    ['NAME', 'STATUS', 'VOLUME', 'CAPACITY', 'ACCESS MODES', 'STORAGECLASS', ATTRIBUTES],
    ['persistentvolumeclaim/data', 'Bound', 'disk', '2Gi', 'RWO', 'manual', '<unset>'],
  ]);
  expect(await get('describe pv disk')).toBe(`\
Name:            disk
Labels:          <none>
Annotations:     pv.kubernetes.io/bound-by-controller: yes
Finalizers:      [kubernetes.io/pv-protection]
StorageClass:    manual
Status:          Bound
Claim:           default/data
Reclaim Policy:  Retain
Access Modes:    RWO
VolumeMode:      Filesystem
Capacity:        2Gi
Node Affinity:   <none>
Message:         
Source:
    Type:          HostPath (bare host directory volume)
    Path:          /mnt/disk
    HostPathType:  
Events:            <none>
`);
});

it('a claim in use is removed with the end of the last Pod that uses it', async () => {
  await apply(claimOf('data'));
  const spec = {
    nodeName: 'node',
    containers: [{ name: 'main', image: 'busybox' }],
    volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
  };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' }, spec };
  putObjects(storeOf(workshop), [{ ...pod, status: { phase: 'Running' } }]);
  expect(await runHere(workshop, ['delete', 'pvc', 'data', '--timeout=10ms'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      'persistentvolumeclaim/data stays until no Pod uses it: podrun delete pod web -n default\n',
    ) as string,
  });
  expect(claim('data')?.metadata.deletionTimestamp).toBeDefined();
  await runHere(workshop, ['delete', 'pod', 'web', '--force']);
  expect([claim('data'), volumes()]).toEqual([undefined, []]);
});

it('a claim of an older podrun keeps its folder, and gets a volume with the next change', async () => {
  const store = storeOf(workshop);
  const folder = path.join(store.root, 'claims/default/data');
  mkdirSync(folder, { recursive: true });
  const stored = {
    ...claimOf('data', { volumeName: 'pvc-1', volumeMode: 'Filesystem' }),
    status: { phase: 'Bound' },
  } as unknown as KubeObject;
  putObjects(store, [{ ...stored, metadata: { name: 'data', namespace: 'default', uid: '1' } }]);
  expect(volumes()).toEqual([]);
  expect(await runHere(workshop, ['label', 'pvc', 'data', 'a=b'])).toMatchObject({ exitCode: 0 });
  expect(volumes()).toMatchObject([{ metadata: { name: 'pvc-1' }, spec: { hostPath: { path: folder } } }]);
  expect(claim('data')?.status?.phase).toBe('Bound');
});

it('a bound claim does not grow, as with a storage class that does not allow it', async () => {
  await apply(claimOf('data'));
  const patch = JSON.stringify({ spec: { resources: { requests: { storage: '2Gi' } } } });
  const { exitCode, stderr } = await runHere(workshop, ['patch', 'pvc', 'data', '-p', patch]);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining(
      'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the ' +
        'storageclass that provisions the pvc must support resize',
    ),
  ]);
});

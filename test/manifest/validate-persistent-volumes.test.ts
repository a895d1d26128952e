import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/index.ts';
import { applyDefaults, formatFieldError, validateObject } from '../../src/manifest/index.ts';

const SECRET = { name: 's', namespace: 'n' };
const CSI = { driver: 'ebs.csi.example.com', volumeHandle: 'v-1' };
const ISCSI = { targetPortal: '192.0.2.1:3260', iqn: 'iqn.2003-01.org.example:a', lun: 0 };

function volumeOf(fields: object): KubeObject {
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...fields };
  return applyDefaults({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' }, spec });
}

const mistakesOf = (fields: object): string[] => validateObject(volumeOf(fields)).map(formatFieldError);

describe('the source of a PersistentVolume', () => {
  it.each<[string, object]>([
    ['csi', CSI],
    ['csi', { ...CSI, nodeStageSecretRef: {}, controllerExpandSecretRef: SECRET, volumeAttributes: { a: 'b' } }],
    ['iscsi', { ...ISCSI, secretRef: SECRET, portals: ['a'], initiatorName: 'iqn.2003-01.org.example:b' }],
    ['rbd', { monitors: ['m'], image: 'i' }],
    ['cephfs', { monitors: ['m'], secretRef: {} }],
    ['cinder', { volumeID: 'i', secretRef: SECRET }],
    ['flexVolume', { driver: 'd', options: { a: 'b' } }],
    ['azureFile', { secretName: 's', shareName: 'n', secretNamespace: 'a' }],
    ['glusterfs', { endpoints: 'e', path: 'p', endpointsNamespace: 'n' }],
    ['scaleIO', { gateway: 'g', system: 's', secretRef: {}, volumeName: 'v' }],
    ['storageos', { volumeName: 'v', secretRef: SECRET }],
    ['nfs', { server: 's', path: '/p' }],
  ])('%s %j is valid', (field, source) => {
    expect(mistakesOf({ [field]: source })).toEqual([]);
  });

  it.each<[object, string[]]>([
    [{}, ['spec: Required value: must specify a volume type']],
    [{ csi: { volumeHandle: 'v' } }, ['spec.csi.driver: Required value']],
    [{ csi: { driver: 'd' } }, ['spec.csi.volumeHandle: Required value']],
    [
      { csi: { ...CSI, nodePublishSecretRef: { name: 's' } } },
      ['spec.csi.nodePublishSecretRef.namespace: Required value'],
    ],
    [{ cinder: { volumeID: 'v', secretRef: { name: 's' } } }, ['spec.cinder.secretRef.namespace: Required value']],
    [
      { azureFile: { secretName: 's', shareName: 'n', secretNamespace: '' } },
      ['spec.azureFile.secretNamespace: Required value'],
    ],
    [
      { glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' } },
      [
        'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid ' +
          'namespace name',
      ],
    ],
    [{ iscsi: { ...ISCSI, secretRef: {} } }, ['spec.iscsi.secretRef.name: Required value']],
    [
      { iscsi: { ...ISCSI, targetPortal: 'p'.repeat(70), initiatorName: 'iqn.2003-01.org.example:b' } },
      [
        `spec.iscsi.targetportal: Invalid value: "${'p'.repeat(70)}": Total length of <volume name>:` +
          '<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
      ],
    ],
    [{ gcePersistentDisk: {} }, ['spec.persistentDisk.pdName: Required value']],
    [{ nfs: { server: 's', path: 'p' } }, ['spec.nfs.path: Invalid value: "p": must be an absolute path']],
    [{ local: { path: '/p' } }, ['spec.nodeAffinity: Required value: Local volume requires node affinity']],
    // The first in Kubernetes' order counts, whatever the order of the manifest.
    [{ csi: {}, nfs: { server: 's', path: '/p' } }, ['spec.csi: Forbidden: may not specify more than 1 volume type']],
  ])('%j has mistakes', (fields, mistakes) => {
    expect(mistakesOf(fields)).toEqual(mistakes);
  });

  it('has the defaults that it has in a Pod', () => {
    expect(volumeOf({ iscsi: ISCSI })).toMatchObject({ spec: { iscsi: { iscsiInterface: 'default' } } });
    expect(volumeOf({ rbd: { monitors: ['m'], image: 'i' } })).toMatchObject({
      spec: { rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' } },
    });
    expect(volumeOf({ azureDisk: {} })).toMatchObject({ spec: { azureDisk: { kind: 'Shared', fsType: 'ext4' } } });
    expect(volumeOf({ scaleIO: {} })).toMatchObject({ spec: { scaleIO: { storageMode: 'ThinProvisioned' } } });
  });
});

import { describe, expect, it } from 'vitest';
import { linesOf, pod } from './objects.ts';

const ofVolume = (source: object): string[] => linesOf(pod({ volumes: [{ name: 'v', ...source }] }));

describe('sources of volumes', () => {
  it('count in the order of the API, all further ones at the names it gives them', () => {
    const sources = { image: { reference: 'i' }, downwardAPI: {}, cephfs: { monitors: ['m'] }, emptyDir: {} };
    expect(ofVolume(sources)).toEqual(
      ['cephFS', 'downwarAPI', 'image'].map(
        (field) => `spec.volumes[0].${field}: Forbidden: may not specify more than 1 volume type`,
      ),
    );
  });

  it('may be reached from elsewhere; what they need is known all the same', () => {
    expect(
      [
        { iscsi: { iqn: 'iqn.nonsense', lun: 256, chapAuthSession: true, initiatorName: 'x' } },
        { glusterfs: {} },
        { flocker: {} },
        { flocker: { datasetName: 'a/b', datasetUUID: 'u' } },
        { rbd: {} },
        { cinder: { secretRef: {} } },
        { cephfs: {} },
        { quobyte: { registry: 'host' } },
        { fc: {} },
        { fc: { targetWWNs: ['a'], wwids: ['b'] } },
        { flexVolume: { options: { 'kubernetes.io/x': 'y', ok: 'z' } } },
        { azureFile: {} },
        { vsphereVolume: {} },
        { photonPersistentDisk: {} },
        { portworxVolume: {} },
        { azureDisk: { diskName: 'd', diskURI: 'x', kind: 'Managed', cachingMode: 'Some' } },
        { storageos: { volumeName: 'A' } },
        { scaleIO: {} },
        { csi: { driver: 'd'.repeat(64), nodePublishSecretRef: {} } },
        { gcePersistentDisk: { partition: 256 } },
        { awsElasticBlockStore: { partition: -1 } },
        { persistentVolumeClaim: {} },
      ].map((source) => ofVolume(source).map((line) => line.replace('spec.volumes[0].', '').slice(0, 96))),
    ).toMatchInlineSnapshot(`
      [
        [
          "iscsi.targetPortal: Required value",
          "iscsi.iqn: Invalid value: "iqn.nonsense": must be valid format",
          "iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
          "iscsi.secretRef: Required value",
          "iscsi.initiatorname: Invalid value: "x": must be valid format starting with iqn, eui, or naa",
        ],
        [
          "glusterfs.endpoints: Required value",
          "glusterfs.path: Required value",
        ],
        [
          "flocker: Required value: one of datasetName and datasetUUID is required",
        ],
        [
          "flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneou",
          "flocker.datasetName: Invalid value: "a/b": must not contain '/'",
        ],
        [
          "rbd.monitors: Required value",
          "rbd.image: Required value",
        ],
        [
          "cinder.volumeID: Required value",
          "cinder.secretRef.name: Required value",
        ],
        [
          "cephfs.monitors: Required value",
        ],
        [
          "quobyte.registry: Invalid value: "host": must be a host:port pair or multiple pairs separated by",
          "quobyte.volume: Required value",
        ],
        [
          "fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both",
        ],
        [
          "fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously",
          "fc.lun: Required value: lun is required if targetWWNs is specified",
        ],
        [
          "flexVolume.driver: Required value",
          "flexVolume.options[kubernetes.io/x]: Invalid value: "kubernetes.io/x": kubernetes.io and k8s.io ",
        ],
        [
          "azureFile.secretName: Required value",
          "azureFile.shareName: Required value",
        ],
        [
          "vsphereVolume.volumePath: Required value",
        ],
        [
          "photonPersistentDisk.pdID: Required value",
        ],
        [
          "portworxVolume.volumeID: Required value",
        ],
        [
          "azureDisk.cachingMode: Unsupported value: "Some": supported values: "None", "ReadOnly", "ReadWri",
          "azureDisk.diskURI: Unsupported value: "x": supported values: "/subscriptions/{sub-id}/resourcegr",
        ],
        [
          "storageos.volumeName: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case ",
        ],
        [
          "scaleIO.gateway: Required value",
          "scaleIO.system: Required value",
          "scaleIO.volumeName: Required value",
        ],
        [
          "csi.driver: Too long: may not be more than 63 bytes",
          "csi.nodePublishSecretRef.name: Required value",
        ],
        [
          "persistentDisk.pdName: Required value",
          "persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive",
        ],
        [
          "awsElasticBlockStore.volumeID: Required value",
          "awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive",
        ],
        [
          "persistentVolumeClaim.claimName: Required value",
        ],
      ]
    `);
  });
});

describe('a path in a volume', () => {
  it.each([
    { path: 'a/..b', wrong: [] },
    { path: '..', wrong: ["must not contain '..'", "must not start with '..'"] },
    { path: '../a', wrong: ["must not contain '..'"] },
    { path: '..a/..', wrong: ["must not contain '..'", "must not start with '..'"] },
    { path: '/..', wrong: ['must be a relative path', "must not contain '..'"] },
  ])('$path', ({ path, wrong }) => {
    expect(ofVolume({ secret: { secretName: 's', items: [{ key: 'k', path }] } })).toEqual(
      wrong.map((text) => `spec.volumes[0].secret.items[0].path: Invalid value: "${path}": ${text}`),
    );
  });
});

describe('files that the kubelet writes', () => {
  it('of downward volumes are reported without their index', () => {
    const items = [{ path: 'a', fieldRef: { fieldPath: 'status.podIP' }, resourceFieldRef: {}, mode: 512 }, {}];
    expect(ofVolume({ downwardAPI: { items } })).toEqual([
      expect.stringMatching(
        /^spec\.volumes\[0\]\.downwardAPI\.fieldRef\.fieldPath: Unsupported value: "status\.podIP"/,
      ),
      'spec.volumes[0].downwardAPI: Invalid value: "resource": ' +
        'fieldRef and resourceFieldRef can not be specified simultaneously',
      'spec.volumes[0].downwardAPI.mode: Invalid value: 512: ' +
        'must be a number between 0 and 0777 (octal), both inclusive',
      'spec.volumes[0].downwardAPI.path: Required value',
      'spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
    ]);
  });

  it('conflict over all sources of a projected volume', () => {
    const items = [{ key: 'k', path: 'same' }];
    const file = { path: 'same', fieldRef: { fieldPath: 'metadata.name' } };
    const sources = [
      { secret: { name: 's', items } },
      { configMap: { name: 'c', items } },
      { downwardAPI: { items: [file] } },
    ];
    expect(ofVolume({ projected: { sources } })).toEqual([
      'spec.volumes[0].projected: Invalid value: "c": conflicting duplicate paths',
      'spec.volumes[0].projected: Invalid value: "same": conflicting duplicate paths',
    ]);
  });

  it('may be a token, also of a Pod without an account: a cluster gives it one before it looks', () => {
    const sources = [{ serviceAccountToken: { path: 'token', expirationSeconds: 2 ** 32 + 1 } }];
    const volumes = [{ name: 'v', projected: { sources } }];
    const path = 'spec.volumes[0].projected.sources[0].serviceAccountToken';
    expect(linesOf(pod({ volumes }))).toEqual([
      `${path}.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds`,
    ]);
  });
});

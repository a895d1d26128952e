import { describe, expect, it } from 'vitest';
import { linesOf, object, pod, podOf, template } from './objects.ts';

const ofVolume = (source: object): string[] => linesOf(pod({ volumes: [{ name: 'v', ...source }] }));

describe('sources of volumes', () => {
  it('count in the order of the API, the others at the names it gives them', () => {
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

describe('claims', () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claim = (fields: object): string[] =>
    linesOf({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec: { ...spec, ...fields } });

  it('ask for a mode and some storage', () => {
    expect(claim({})).toEqual([]);
    expect(
      claim({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany', 'Any'], resources: {}, volumeMode: 'Tape' }),
    ).toEqual([
      'spec.accessModes: Unsupported value: "Any": ' +
        'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      'spec.resources[storage]: Required value',
      'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
    ]);
    expect(claim({ accessModes: [], resources: { requests: { storage: '0' } } })).toEqual([
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ]);
  });

  it('of a Pod are named after it, and only their labels and annotations can be chosen', () => {
    const volumes = [
      { name: 'v', ephemeral: { volumeClaimTemplate: { metadata: { name: 'mine', labels: { a: 'b' } }, spec } } },
      { name: 'w', persistentVolumeClaim: { claimName: 'demo-v' } },
    ];
    expect(linesOf(pod({ volumes }))).toEqual([
      'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set',
      'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "demo-v": ' +
        'must not reference a PVC that gets created for an ephemeral volume',
    ]);
    const long = pod(
      { volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec } } }] },
      { name: 'a'.repeat(252) },
    );
    expect(linesOf(long)).toEqual([
      expect.stringMatching(/^spec\.volumes\[0\]\.name: Invalid value: "v": PVC name "a+-v": must be no more than 253/),
    ]);
  });

  it('of a StatefulSet are volumes of its Pods', () => {
    const containers = [{ name: 'app', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
    const set = (volumeClaimTemplates: object[]): string[] =>
      linesOf(
        object('StatefulSet', {
          spec: {
            selector: { matchLabels: { app: 'demo' } },
            template: template({ containers }),
            volumeClaimTemplates,
          },
        }),
      );
    expect(set([{ metadata: { name: 'data' }, spec }])).toEqual([]);
    expect(set([])).toEqual(['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"']);
  });
});

describe('mounts', () => {
  const volumes = [
    { name: 'v', emptyDir: {} },
    { name: 'i', image: { reference: 'x' } },
    { name: 'disk', persistentVolumeClaim: { claimName: 'c' } },
  ];
  const C = 'spec.containers[0]';
  const mounting = (mount: object, fields: object = {}): string[] =>
    linesOf(podOf({ volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }], ...fields }, { volumes }));

  it.each([
    { subPath: 'a/b' },
    { subPathExpr: '$(POD)' },
    { mountPropagation: 'HostToContainer' },
    { readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'None' },
    { recursiveReadOnly: 'Disabled' },
    { name: 'i' },
  ])('take %j', (mount) => {
    expect(mounting(mount)).toEqual([]);
  });

  it.each([
    { mount: { subPath: '/a' }, want: ['volumeMounts.subPath: Invalid value: "/a": must be a relative path'] },
    {
      mount: { name: 'i', subPath: 'a' },
      want: ['volumeMounts[0].subPath: Invalid value: "a": not allowed in image volume sources'],
    },
    {
      mount: { recursiveReadOnly: 'IfPossible', mountPropagation: 'HostToContainer' },
      want: [
        'volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
        'volumeMounts.recursiveReadOnly: Forbidden: ' +
          'may only be specified when mountPropagation is None or not specified',
      ],
    },
  ])('refuse $mount', ({ mount, want }) => {
    expect(mounting(mount)).toEqual(want.map((line) => `${C}.${line}`));
  });

  it('are shared both ways by privileged containers only', () => {
    const mount = { mountPropagation: 'Bidirectional' };
    expect(mounting(mount)).toHaveLength(1);
    expect(mounting(mount, { securityContext: { privileged: true } })).toEqual([]);
  });

  it('do not meet devices', () => {
    const volumeDevices = [
      { name: 'disk', devicePath: '/v' },
      { name: 'disk', devicePath: '/dev/../sda' },
      { name: 'none', devicePath: '' },
    ];
    expect(mounting({ name: 'disk' }, { volumeDevices })).toEqual(
      [
        'volumeMounts[0].name: Invalid value: "disk": must not already exist in volumeDevices',
        'volumeMounts[0].mountPath: Invalid value: "/v": must not already exist as a path in volumeDevices',
        'volumeDevices[0].name: Invalid value: "disk": must not already exist in volumeMounts',
        'volumeDevices[0].devicePath: Invalid value: "/v": must not already exist as a path in volumeMounts',
        'volumeDevices[1].name: Invalid value: "disk": must be unique',
        'volumeDevices[1].devicePath: Invalid value: "/dev/../sda": can not contain backsteps (\'..\')',
        'volumeDevices[1].name: Invalid value: "disk": must not already exist in volumeMounts',
        'volumeDevices[2].name: Not found: "none"',
        'volumeDevices[2].devicePath: Required value',
      ].map((line) => `${C}.${line}`),
    );
  });
});

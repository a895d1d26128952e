import {
  checked,
  FIELD_BY_FIELD,
  is,
  noEffect,
  partly,
  refused,
  type SupportTable,
  type TypeRules,
  needsNamespaces,
  works,
} from './rule.ts';

const TOKENS = '`podrun serve` issues tokens; without it, the file says that it is none';
const NO_CERTIFICATES = 'no server issues certificates';
const FOLDER = 'a volume is a folder of the host';

/** Volumes on storage that only a cluster reaches. */
const REMOTE = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'csi',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'glusterfs',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
];

/** Sources of PersistentVolumes that podrun has not. */
const REMOTE_PERSISTENT = REMOTE.filter((type) => type !== 'gitRepo');

const notAvailable = (types: readonly string[]): TypeRules =>
  Object.fromEntries(types.map((type) => [type, refused(`volume type ${type} is not available here`)]));

/** The rules of a Pod's volumes, of claims and of PersistentVolumes. */
export const VOLUME_RULES: SupportTable = {
  Volume: {
    ...works('name', 'hostPath', 'secret', 'configMap', 'downwardAPI'),
    emptyDir: FIELD_BY_FIELD,
    projected: FIELD_BY_FIELD,
    persistentVolumeClaim: FIELD_BY_FIELD,
    image: FIELD_BY_FIELD,
    ephemeral: partly('a folder that goes with the Pod'),
    ...notAvailable(REMOTE),
  },
  HostPathVolumeSource: works('path', 'type'),
  EmptyDirVolumeSource: {
    medium: noEffect(
      'podrun has no huge pages: the folder is on disk (Memory works)',
      (medium) => !String(medium).startsWith('HugePages'),
    ),
    sizeLimit: partly('measured every 10 seconds; in memory the size of a tmpfs, with namespaces'),
  },
  ImageVolumeSource: {
    reference: partly('with namespaces, or the folder that podrun.yaml names for it'),
    ...works('pullPolicy'),
  },
  SecretVolumeSource: works('secretName', 'items', 'defaultMode', 'optional'),
  ConfigMapVolumeSource: works('name', 'items', 'defaultMode', 'optional'),
  KeyToPath: works('key', 'path', 'mode'),
  DownwardAPIVolumeSource: works('items', 'defaultMode'),
  DownwardAPIVolumeFile: works('path', 'fieldRef', 'resourceFieldRef', 'mode'),
  ProjectedVolumeSource: { sources: FIELD_BY_FIELD, ...works('defaultMode') },
  VolumeProjection: {
    ...works('secret', 'downwardAPI', 'configMap'),
    serviceAccountToken: partly(TOKENS),
    clusterTrustBundle: refused(NO_CERTIFICATES),
    podCertificate: refused(NO_CERTIFICATES),
  },
  ServiceAccountTokenProjection: works('audience', 'expirationSeconds', 'path'),
  SecretProjection: works('name', 'items', 'optional'),
  ConfigMapProjection: works('name', 'items', 'optional'),
  DownwardAPIProjection: works('items'),
  PersistentVolumeClaimVolumeSource: {
    ...works('claimName'),
    readOnly: needsNamespaces(noEffect('containers see the files of the host', is(false))),
  },
  EphemeralVolumeSource: { volumeClaimTemplate: FIELD_BY_FIELD },
  PersistentVolumeClaimTemplate: { metadata: noEffect('there is no claim to carry it'), spec: FIELD_BY_FIELD },
  PersistentVolumeClaimSpec: {
    accessModes: checked('the user of podrun may read and write'),
    resources: checked('chooses a volume; a folder may grow as the disk permits'),
    storageClassName: partly('a class without a StorageClass makes folders, unless a PersistentVolume has it'),
    volumeAttributesClassName: noEffect(FOLDER),
    volumeMode: noEffect(FOLDER, is('Filesystem')),
    ...works('volumeName', 'selector'),
    dataSource: noEffect('the folder is empty at first'),
    dataSourceRef: noEffect('the folder is empty at first'),
  },
  PersistentVolumeSpec: {
    ...works('hostPath', 'local', 'storageClassName', 'claimRef', 'nodeAffinity'),
    ...works('accessModes'),
    persistentVolumeReclaimPolicy: {
      ...refused('Recycle only: podrun recycles no volumes'),
      isHarmless: is('Delete', 'Retain'),
    },
    capacity: checked('chooses a volume; it may grow as the disk permits'),
    mountOptions: noEffect(FOLDER),
    volumeMode: noEffect(FOLDER, is('Filesystem')),
    volumeAttributesClassName: noEffect(FOLDER),
    ...notAvailable(REMOTE_PERSISTENT),
  },
  ObjectReference: works('apiVersion', 'kind', 'namespace', 'name', 'uid', 'resourceVersion', 'fieldPath'),
  LocalVolumeSource: { ...works('path'), fsType: noEffect(FOLDER) },
  VolumeNodeAffinity: works('required'),
  TopologySelectorTerm: works('matchLabelExpressions'),
  TopologySelectorLabelRequirement: works('key', 'values'),
  'storage.StorageClass': {
    ...works('apiVersion', 'kind', 'metadata', 'reclaimPolicy', 'volumeBindingMode', 'allowedTopologies'),
    provisioner: partly('kubernetes.io/no-provisioner makes no volumes, any other makes folders'),
    parameters: noEffect(FOLDER),
    mountOptions: noEffect(FOLDER),
    allowVolumeExpansion: noEffect('a claim cannot grow: nothing limits its folder', is(false)),
  },
};

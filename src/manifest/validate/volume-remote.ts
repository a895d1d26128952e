import { labelMessages, subdomainMessages, type Volume } from '../../api/index.ts';
import { type Decoded, entriesByKey } from '../base/decoded.ts';
import { child, entry, type FieldError, invalid, notSupported, required, tooLong } from '../base/field-error.ts';
import {
  inRange,
  oneOfIfSet,
  type Range,
  requiredText,
  requiredWellFormed,
  wellFormed,
  wellFormedIfSet,
} from './checks.ts';

/**
 * Rules of volumes on remote storage. podrun cannot mount these volumes, but reports their mistakes first.
 * Source: pkg/apis/core/validation/validation.go, one function per source.
 */
type LocalSource =
  | 'emptyDir'
  | 'hostPath'
  | 'gitRepo'
  | 'secret'
  | 'configMap'
  | 'downwardAPI'
  | 'projected'
  | 'persistentVolumeClaim'
  | 'ephemeral'
  | 'image';

type Iscsi = Omit<Source<'iscsi'>, 'secretRef'> & { readonly secretRef?: object | undefined };

/** The rules of sources that are not local. */
export const REMOTE_CHECKS: SourceChecks<Exclude<SourceField, LocalSource>> = {
  awsElasticBlockStore: (path, source) => [...needs(path, source, ['volumeID']), ...partition(path, source.partition)],
  azureDisk: validateAzureDisk,
  azureFile: (path, source) => needs(path, source, ['secretName', 'shareName']),
  cephfs: (path, source) => needsItems(path, 'monitors', source.monitors),
  cinder: (path, source) => [...needs(path, source, ['volumeID']), ...secretName(path, source.secretRef)],
  csi: validateCsi,
  fc: validateFibreChannel,
  flexVolume: validateFlexVolume,
  flocker: validateFlocker,
  gcePersistentDisk: (path, source) => [...needs(path, source, ['pdName']), ...partition(path, source.partition)],
  glusterfs: (path, source) => needs(path, source, ['endpoints', 'path']),
  iscsi: validateIscsi,
  nfs: validateNfs,
  photonPersistentDisk: (path, source) => needs(path, source, ['pdID']),
  portworxVolume: (path, source) => needs(path, source, ['volumeID']),
  quobyte: validateQuobyte,
  rbd: (path, source) => [...needsItems(path, 'monitors', source.monitors), ...needs(path, source, ['image'])],
  scaleIO: (path, source) => needs(path, source, ['gateway', 'system', 'volumeName']),
  storageos: validateStorageOs,
  vsphereVolume: (path, source) => needs(path, source, ['volumePath']),
};

const PARTITIONS: Range = { min: 0, max: 255 };
const PARTITION_MESSAGE = 'must be between 1 and 255, inclusive';
const LUNS: Range = { min: 0, max: 255 };
const ISCSI_NAME_MAX = 64;
export const LONG_ISCSI =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
const CSI_DRIVER_MAX_BYTES = 63;
const QUOBYTE_TENANT_MAX = 64;
const TENANT_MESSAGE = 'must be a UUID and may not exceed a length of 64 characters';
const REGISTRY_MESSAGE = 'must be a host:port pair or multiple pairs separated by commas';
const AZURE_CACHING: readonly string[] = ['None', 'ReadOnly', 'ReadWrite'];
const AZURE_KINDS: readonly string[] = ['Dedicated', 'Managed', 'Shared'];
const AZURE_MANAGED_URI =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const AZURE_BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const ISCSI_FORMS: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.[a-zA-Z0-9\-.]+:[^,;*&$|\s]+$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

function needs<T extends object>(path: string, source: T, fields: readonly (keyof T & string)[]): FieldError[] {
  return fields.filter((field) => !source[field]).map((field) => required(child(path, field)));
}

function needsItems(path: string, field: string, items: readonly string[] | undefined): FieldError[] {
  return (items ?? []).length > 0 ? [] : [required(child(path, field))];
}

function partition(path: string, number: number | undefined): FieldError[] {
  const isGood = number === undefined || (number >= PARTITIONS.min && number <= PARTITIONS.max);
  return isGood ? [] : [invalid(child(path, 'partition'), number, PARTITION_MESSAGE)];
}

function secretName(path: string, secret: { name?: string | undefined } | undefined): FieldError[] {
  return secret === undefined ? [] : requiredText(child(path, 'secretRef', 'name'), secret.name);
}

function validateNfs(path: string, source: Source<'nfs'>): FieldError[] {
  const { path: folder = '' } = source;
  const errors = needs(path, source, ['server', 'path']);
  return folder.startsWith('/')
    ? errors
    : [...errors, invalid(child(path, 'path'), folder, 'must be an absolute path')];
}

function validateCsi(path: string, { driver = '', nodePublishSecretRef: secret }: Source<'csi'>): FieldError[] {
  const driverPath = child(path, 'driver');
  const errors = requiredText(driverPath, driver);
  if (driver.length > CSI_DRIVER_MAX_BYTES) errors.push(tooLong(driverPath, CSI_DRIVER_MAX_BYTES));
  if (driver) errors.push(...subdomainMessages(driver.toLowerCase()).map((text) => invalid(driverPath, driver, text)));
  if (secret === undefined) return errors;
  if (!secret.name) return [...errors, required(child(path, 'nodePublishSecretRef', 'name'))];
  return [...errors, ...wellFormed(child(path, 'name'), secret.name, subdomainMessages)];
}

function validateIscsi(path: string, source: Source<'iscsi'>, { volumeName }: VolumeRules): FieldError[] {
  const errors = iscsiErrors(path, source);
  const at = path.replace(/\.iscsi$/, '.name');
  return isLongIscsi(source, volumeName) ? [...errors, invalid(at, volumeName, LONG_ISCSI)] : errors;
}

/** True for an initiator whose connection has too long a name. */
export function isLongIscsi({ initiatorName, targetPortal = '' }: Iscsi, volumeName: string): boolean {
  return initiatorName !== undefined && `${volumeName}:${targetPortal}`.length > ISCSI_NAME_MAX;
}

/** The mistakes of an iSCSI source, in a Pod or a PersistentVolume. */
export function iscsiErrors(path: string, source: Iscsi): FieldError[] {
  const { iqn, lun = 0, initiatorName, chapAuthDiscovery, chapAuthSession, secretRef } = source;
  return [
    ...needs(path, source, ['targetPortal', 'iqn']),
    ...(iqn ? validateIscsiName(child(path, 'iqn'), iqn) : []),
    ...inRange(child(path, 'lun'), lun, LUNS),
    ...((chapAuthDiscovery || chapAuthSession) && !secretRef ? [required(child(path, 'secretRef'))] : []),
    ...(initiatorName === undefined ? [] : validateIscsiName(child(path, 'initiatorname'), initiatorName)),
  ];
}

function validateIscsiName(path: string, name: string): FieldError[] {
  const form = ISCSI_FORMS[name.slice(0, 3)];
  if (form === undefined) return [invalid(path, name, 'must be valid format starting with iqn, eui, or naa')];
  return form.test(name) ? [] : [invalid(path, name, 'must be valid format')];
}

function validateFibreChannel(path: string, { targetWWNs = [], wwids = [], lun }: Source<'fc'>): FieldError[] {
  const namesPath = child(path, 'targetWWNs');
  if (targetWWNs.length === 0) {
    return wwids.length > 0 ? [] : [required(namesPath, 'must specify either targetWWNs or wwids, but not both')];
  }
  const both = 'targetWWNs and wwids can not be specified simultaneously';
  const errors = wwids.length > 0 ? [invalid(namesPath, targetWWNs, both)] : [];
  const lunPath = child(path, 'lun');
  if (lun === undefined) return [...errors, required(lunPath, 'lun is required if targetWWNs is specified')];
  return [...errors, ...inRange(lunPath, lun, LUNS)];
}

function validateFlexVolume(path: string, source: Source<'flexVolume'>): FieldError[] {
  const reserved = entriesByKey(source.options).filter(([name]) => {
    const namespace = `.${(name.split('/').length > 1 ? name.slice(0, name.indexOf('/')) : name).toLowerCase()}`;
    return namespace.endsWith('.kubernetes.io') || namespace.endsWith('.k8s.io');
  });
  const text = 'kubernetes.io and k8s.io namespaces are reserved';
  return [
    ...needs(path, source, ['driver']),
    ...reserved.map(([name]) => invalid(entry(child(path, 'options'), name), name, text)),
  ];
}

function validateFlocker(path: string, { datasetName = '', datasetUUID = '' }: Source<'flocker'>): FieldError[] {
  const errors: FieldError[] = [];
  if (!datasetName && !datasetUUID) errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName && datasetUUID) {
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (datasetName.includes('/')) errors.push(invalid(child(path, 'datasetName'), datasetName, "must not contain '/'"));
  return errors;
}

function validateQuobyte(path: string, source: Source<'quobyte'>): FieldError[] {
  const { registry = '', tenant = '', volume } = source;
  return [
    ...validateRegistry(child(path, 'registry'), registry),
    ...(registry && tenant.length > QUOBYTE_TENANT_MAX ? [required(child(path, 'tenant'), TENANT_MESSAGE)] : []),
    ...requiredText(child(path, 'volume'), volume),
  ];
}

function validateRegistry(path: string, registry: string): FieldError[] {
  if (!registry) return [required(path, REGISTRY_MESSAGE)];
  const isGood = registry.split(',').every((pair) => /^(?:\[[^\]]*\]|[^:]*):[^:]*$/.test(pair));
  return isGood ? [] : [invalid(path, registry, REGISTRY_MESSAGE)];
}

function validateStorageOs(path: string, source: Source<'storageos'>): FieldError[] {
  return [
    ...requiredWellFormed(child(path, 'volumeName'), source.volumeName, labelMessages),
    ...wellFormedIfSet(child(path, 'volumeNamespace'), source.volumeNamespace, labelMessages),
    ...secretName(path, source.secretRef),
  ];
}

function validateAzureDisk(path: string, source: Source<'azureDisk'>): FieldError[] {
  const { diskURI = '', kind } = source;
  const errors = [
    ...needs(path, source, ['diskName', 'diskURI']),
    ...oneOfIfSet(child(path, 'cachingMode'), source.cachingMode, AZURE_CACHING),
    ...oneOfIfSet(child(path, 'kind'), kind, AZURE_KINDS),
  ];
  if (kind === undefined) return errors;
  const [prefix, form] = kind === 'Managed' ? ['/subscriptions/', AZURE_MANAGED_URI] : ['https://', AZURE_BLOB_URI];
  return diskURI.startsWith(prefix) ? errors : [...errors, notSupported(child(path, 'diskURI'), diskURI, [form])];
}

/** The kinds of volumes, named after the field with their settings. */
export type SourceField = Exclude<keyof Volume, 'name'>;

/** The settings of one kind of volume. */
export type Source<Field extends SourceField> = Decoded<NonNullable<Volume[Field]>>;

/** Facts about the Pod that the rules of volumes need. */
export interface VolumeRules {
  /** True for a Pod, false for a template. */
  readonly isPod: boolean;
  /** The name of the Pod. Empty in a template. */
  readonly podName: string;
  readonly volumeName: string;
}

/** The rules of each kind of volume. */
export type SourceChecks<Field extends SourceField = SourceField> = {
  readonly [F in Field]: (path: string, source: Source<F>, rules: VolumeRules) => FieldError[];
};

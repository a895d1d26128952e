import { labelMessages, type PersistentVolumeSpec, subdomainMessages } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, required } from '../base/field-error.ts';
import { noBacksteps, requiredText, requiredWellFormed } from './checks.ts';
import { iscsiErrors, isLongIscsi, LONG_ISCSI, REMOTE_CHECKS, type VolumeRules } from './volume-remote.ts';
import { validateHostPath } from './volumes.ts';

type Spec = Decoded<PersistentVolumeSpec>;
type PersistentField = Exclude<
  keyof PersistentVolumeSpec,
  | 'accessModes'
  | 'capacity'
  | 'claimRef'
  | 'mountOptions'
  | 'nodeAffinity'
  | 'persistentVolumeReclaimPolicy'
  | 'storageClassName'
  | 'volumeAttributesClassName'
  | 'volumeMode'
>;
type PersistentSource<Field extends PersistentField> = NonNullable<Spec[Field]>;
type Checks = {
  readonly [F in PersistentField]: (
    path: string,
    source: PersistentSource<F>,
    rules: VolumeRules,
    spec: Spec,
  ) => FieldError[];
};

const NO_NAMESPACE = 'if the endpointnamespace is set, it must be a valid namespace name';

/**
 * The rules of each source, in Kubernetes' order: the first source of several counts. Most are as in a Pod.
 * Source: pkg/apis/core/validation/validation.go, ValidatePersistentVolumeSpec.
 */
const CHECKS: Checks = {
  hostPath: (path, source) => validateHostPath(path, source),
  gcePersistentDisk: (path, source, rules) =>
    REMOTE_CHECKS.gcePersistentDisk(path.replace(/\.gcePersistentDisk$/, '.persistentDisk'), source, rules),
  awsElasticBlockStore: REMOTE_CHECKS.awsElasticBlockStore,
  glusterfs: (path, source, rules) => [
    ...REMOTE_CHECKS.glusterfs(path, source, rules),
    ...endpointsNamespace(child(path, 'endpointsNamespace'), source.endpointsNamespace),
  ],
  flocker: REMOTE_CHECKS.flocker,
  nfs: REMOTE_CHECKS.nfs,
  rbd: REMOTE_CHECKS.rbd,
  quobyte: REMOTE_CHECKS.quobyte,
  cephfs: REMOTE_CHECKS.cephfs,
  iscsi: validateIscsi,
  cinder: (path, source, rules) => [
    ...REMOTE_CHECKS.cinder(path, source, rules),
    ...secretNamespace(path, source.secretRef),
  ],
  fc: REMOTE_CHECKS.fc,
  flexVolume: REMOTE_CHECKS.flexVolume,
  azureFile: (path, source, rules) => [
    ...REMOTE_CHECKS.azureFile(path, source, rules),
    ...(source.secretNamespace === '' ? [required(child(path, 'secretNamespace'))] : []),
  ],
  vsphereVolume: REMOTE_CHECKS.vsphereVolume,
  photonPersistentDisk: REMOTE_CHECKS.photonPersistentDisk,
  portworxVolume: REMOTE_CHECKS.portworxVolume,
  azureDisk: REMOTE_CHECKS.azureDisk,
  scaleIO: REMOTE_CHECKS.scaleIO,
  local: (path, source, _, { nodeAffinity }) => [
    ...requiredText(child(path, 'path'), source.path),
    ...noBacksteps(child(path, 'path'), source.path ?? ''),
    ...(nodeAffinity?.required ? [] : [required('spec.nodeAffinity', 'Local volume requires node affinity')]),
  ],
  storageos: (path, source, rules) => [
    ...REMOTE_CHECKS.storageos(path, source, rules),
    ...secretNamespace(path, source.secretRef),
  ],
  csi: validateCsi,
};

/** The sources in the spec of a PersistentVolume. */
export function persistentSources(spec: Spec): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => Object.hasOwn(CHECKS, field)));
}

/** The mistakes of the one source of a PersistentVolume. */
export function validatePersistentSource(path: string, spec: Spec, volumeName: string): FieldError[] {
  const fields = (Object.keys(CHECKS) as PersistentField[]).filter((field) => spec[field] !== undefined);
  const [first, ...others] = fields;
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const rules: VolumeRules = { isPod: false, podName: '', volumeName };
  return [
    ...checked(first, path, spec, rules),
    ...others.map((field) => forbidden(child(path, field), 'may not specify more than 1 volume type')),
  ];
}

function checked<F extends PersistentField>(field: F, path: string, spec: Spec, rules: VolumeRules): FieldError[] {
  return CHECKS[field](child(path, field), spec[field] as PersistentSource<F>, rules, spec);
}

function validateCsi(path: string, source: PersistentSource<'csi'>, rules: VolumeRules): FieldError[] {
  const { driver, volumeHandle } = source;
  const secrets = (
    ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const
  ).flatMap((field) => {
    const secret = source[field];
    if (secret === undefined) return [];
    return [
      ...requiredWellFormed(child(path, field, 'name'), secret.name, subdomainMessages),
      ...requiredWellFormed(child(path, field, 'namespace'), secret.namespace, labelMessages),
    ];
  });
  return [
    ...REMOTE_CHECKS.csi(path, driver === undefined ? {} : { driver }, rules),
    ...requiredText(child(path, 'volumeHandle'), volumeHandle),
    ...secrets,
  ];
}

function validateIscsi(path: string, source: PersistentSource<'iscsi'>, { volumeName }: VolumeRules): FieldError[] {
  const { targetPortal = '', secretRef } = source;
  return [
    ...iscsiErrors(path, source),
    ...(isLongIscsi(source, volumeName) ? [invalid(child(path, 'targetportal'), targetPortal, LONG_ISCSI)] : []),
    ...(secretRef === undefined ? [] : requiredText(child(path, 'secretRef', 'name'), secretRef.name)),
  ];
}

function secretNamespace(path: string, secret: { namespace?: string | undefined } | undefined): FieldError[] {
  return secret === undefined ? [] : requiredText(child(path, 'secretRef', 'namespace'), secret.namespace);
}

function endpointsNamespace(path: string, name: string | undefined): FieldError[] {
  if (name === undefined) return [];
  if (name === '') return [invalid(path, name, NO_NAMESPACE)];
  return labelMessages(name).map((text) => invalid(path, name, text));
}

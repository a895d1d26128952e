import {
  formatQuantity,
  parseQuantity,
  type PersistentVolume,
  type PersistentVolumeSpec,
  subdomainMessages,
} from '../../api/index.ts';
import { type Decoded, entriesByKey } from '../base/decoded.ts';
import { child, entry, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { requiredNodeTerms } from './affinity.ts';
import { noBacksteps, oneOfIfSet, requiredText, wellFormedIfSet } from './checks.ts';
import { validateAccessModes, VOLUME_MODES } from './claim.ts';
import { validateHostPath } from './volumes.ts';

const RECLAIM_POLICIES: readonly string[] = ['Delete', 'Recycle', 'Retain'];

/** The fields of a spec that are no sources of storage. */
const OTHER_FIELDS: ReadonlySet<string> = new Set<keyof PersistentVolumeSpec>([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

/** Source: pkg/apis/core/validation/validation.go, ValidatePersistentVolume, ValidatePersistentVolumeSpec. */
export function validatePersistentVolume({ spec = {} }: Decoded<PersistentVolume>): FieldError[] {
  const { accessModes = [], nodeAffinity, hostPath, persistentVolumeReclaimPolicy: policy } = spec;
  const isRoot = hostPath?.path === '/' && policy === 'Recycle';
  return [
    ...validateAccessModes('spec.accessModes', accessModes),
    ...validateCapacity('spec.capacity', spec.capacity),
    ...oneOfIfSet('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES),
    ...(nodeAffinity ? requiredNodeTerms('spec.nodeAffinity.required', nodeAffinity.required) : []),
    ...validateSources('spec', spec),
    ...(isRoot
      ? [forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'")]
      : []),
    ...wellFormedIfSet('spec.storageClassName', spec.storageClassName, subdomainMessages),
    ...oneOfIfSet('spec.volumeMode', spec.volumeMode, VOLUME_MODES),
    ...(spec.volumeAttributesClassName === ''
      ? [required('spec.volumeAttributesClassName', 'an empty string is disallowed')]
      : []),
    ...(spec.volumeAttributesClassName !== undefined && spec.csi === undefined
      ? [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]
      : []),
  ];
}

function validateCapacity(path: string, capacity: Decoded<PersistentVolumeSpec>['capacity'] = {}): FieldError[] {
  const entries = entriesByKey(capacity);
  const isEmpty = entries.length === 0;
  const isStorage = entries.length === 1 && entries[0]?.[0] === 'storage';
  return [
    ...(isEmpty ? [required(path)] : []),
    ...(isStorage ? [] : [notSupported(path, isEmpty ? null : capacity, ['storage'])]),
    ...entries.flatMap(([name, text]) => {
      const quantity = parseQuantity(text ?? '0');
      return quantity.nano > 0n
        ? []
        : [invalid(entry(path, name), formatQuantity(quantity), 'must be greater than zero')];
    }),
  ];
}

function validateSources(path: string, spec: Decoded<PersistentVolumeSpec>): FieldError[] {
  const { hostPath, local, nodeAffinity } = spec;
  const [first, ...others] = Object.entries(spec).filter(([field, value]) => !OTHER_FIELDS.has(field) && value);
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const second = others.map(([field]) => forbidden(child(path, field), 'may not specify more than 1 volume type'));
  const at = child(path, 'local');
  return [
    ...(hostPath ? validateHostPath(child(path, 'hostPath'), hostPath) : []),
    ...(local
      ? [...requiredText(child(at, 'path'), local.path), ...noBacksteps(child(at, 'path'), local.path ?? '')]
      : []),
    ...(local && !nodeAffinity?.required
      ? [required(child(path, 'nodeAffinity'), 'Local volume requires node affinity')]
      : []),
    ...second,
  ];
}

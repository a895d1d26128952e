import {
  formatQuantity,
  parseQuantity,
  type PersistentVolume,
  type PersistentVolumeSpec,
  subdomainMessages,
} from '../../api/index.ts';
import { type Decoded, entriesByKey } from '../base/decoded.ts';
import { entry, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { requiredNodeTerms } from './affinity.ts';
import { oneOfIfSet, wellFormedIfSet } from './checks.ts';
import { validateAccessModes, VOLUME_MODES } from './claim.ts';
import { validatePersistentSource } from './persistent-source.ts';

const RECLAIM_POLICIES: readonly string[] = ['Delete', 'Recycle', 'Retain'];

/** Source: pkg/apis/core/validation/validation.go, ValidatePersistentVolume, ValidatePersistentVolumeSpec. */
export function validatePersistentVolume({ metadata, spec = {} }: Decoded<PersistentVolume>): FieldError[] {
  const { accessModes = [], nodeAffinity, hostPath, persistentVolumeReclaimPolicy: policy } = spec;
  const isRoot = hostPath?.path === '/' && policy === 'Recycle';
  return [
    ...validateAccessModes('spec.accessModes', accessModes),
    ...validateCapacity('spec.capacity', spec.capacity),
    ...oneOfIfSet('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES),
    ...(nodeAffinity ? requiredNodeTerms('spec.nodeAffinity.required', nodeAffinity.required) : []),
    ...validatePersistentSource('spec', spec, metadata?.name ?? ''),
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

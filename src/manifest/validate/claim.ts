import {
  formatQuantity,
  labelMessages,
  parseQuantity,
  type PersistentVolumeClaimSpec,
  type PersistentVolumeClaimTemplate,
  subdomainMessages,
  type TypedObjectReference,
} from '../../api/index.ts';
import { entriesByKey, type Decoded } from '../base/decoded.ts';
import { child, entry, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { oneOfIfSet, requiredText, wellFormedIfSet } from './checks.ts';
import { validateAnnotations, validateLabels, validateLabelSelector } from './labels.ts';

const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES: readonly string[] = ['Block', 'Filesystem'];
const TEMPLATE_METADATA: ReadonlySet<string> = new Set(['annotations', 'labels']);

/** Validates a claim inside a Pod. Its metadata may have only labels and annotations: the rest is not used. */
export function validateClaimTemplate(path: string, template: Decoded<PersistentVolumeClaimTemplate>): FieldError[] {
  const metadata = template.metadata ?? {};
  const at = child(path, 'metadata');
  const others = entriesByKey<unknown>({ ...metadata }).filter(([field]) => !TEMPLATE_METADATA.has(field));
  return [
    ...validateAnnotations(child(at, 'annotations'), metadata.annotations),
    ...validateLabels(child(at, 'labels'), metadata.labels),
    ...others.map(([field]) => forbidden(child(at, field), 'cannot be set')),
    ...validateClaimSpec(child(path, 'spec'), template.spec ?? {}),
  ];
}

/** Source: pkg/apis/core/validation/validation.go, ValidatePersistentVolumeClaimSpec. */
export function validateClaimSpec(path: string, spec: Decoded<PersistentVolumeClaimSpec>): FieldError[] {
  const { accessModes = [], dataSource, dataSourceRef } = spec;
  return [
    ...validateAccessModes(child(path, 'accessModes'), accessModes),
    ...(spec.selector ? validateLabelSelector(child(path, 'selector'), spec.selector) : []),
    ...validateStorage(entry(child(path, 'resources'), 'storage'), spec.resources?.requests?.['storage']),
    ...wellFormedIfSet(child(path, 'storageClassName'), spec.storageClassName, subdomainMessages),
    ...oneOfIfSet(child(path, 'volumeMode'), spec.volumeMode, VOLUME_MODES),
    ...(dataSource ? validateDataSource(child(path, 'dataSource'), dataSource) : []),
    ...(dataSourceRef ? validateDataSource(child(path, 'dataSourceRef'), dataSourceRef) : []),
    ...wellFormedIfSet(child(path, 'volumeAttributesClassName'), spec.volumeAttributesClassName, subdomainMessages),
  ];
}

export function validateAccessModes(path: string, modes: readonly string[]): FieldError[] {
  if (modes.length === 0) return [required(path, 'at least 1 access mode is required')];
  const errors = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported(path, mode, ACCESS_MODES));
  const others = modes.filter((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (modes.includes('ReadWriteOncePod') && others.length > 0) {
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

function validateStorage(path: string, text: string | undefined): FieldError[] {
  if (text === undefined) return [required(path)];
  const quantity = parseQuantity(text);
  return quantity.nano > 0n ? [] : [invalid(path, formatQuantity(quantity), 'must be greater than zero')];
}

function validateDataSource(path: string, source: Decoded<TypedObjectReference>): FieldError[] {
  const { apiGroup, kind, name, namespace } = source;
  const errors = [...requiredText(child(path, 'name'), name), ...requiredText(child(path, 'kind'), kind)];
  if (!apiGroup && kind !== 'PersistentVolumeClaim') {
    const text = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(invalid(path, kind ?? '', text));
  }
  return [
    ...errors,
    ...wellFormedIfSet(child(path, 'apiGroup'), apiGroup, subdomainMessages),
    ...wellFormedIfSet(child(path, 'namespace'), namespace, labelMessages),
  ];
}

import {
  configKeyMessages,
  type EnvFromSource,
  envNameMessages,
  type EnvVar,
  type EnvVarSource,
  type FileKeySelector,
  subdomainMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, invalid, notFound, required } from '../base/field-error.ts';
import { descendingPath, each, requiredText, requiredWellFormed, wellFormed, wellFormedIfSet } from './checks.ts';
import { ENV_FIELDS, validateFieldRef, validateResourceFieldRef } from './field-ref.ts';
import type { Volumes } from './volumes.ts';

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;
const NO_SOURCE =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
const SEVERAL_SOURCES = 'may not have more than one field specified at a time';

/** Source of all functions here: pkg/apis/core/validation/validation.go, ValidateEnv and ValidateEnvFrom. */
export function validateEnv(
  path: string,
  variables: readonly Decoded<EnvVar>[] | undefined,
  volumes: Volumes,
): FieldError[] {
  return each(path, variables, (variable, at) => {
    const { name, value, valueFrom } = variable;
    const named = requiredWellFormed(child(at, 'name'), name, envNameMessages);
    if (valueFrom === undefined) return named;
    const sourcePath = child(at, 'valueFrom');
    return [
      ...named,
      ...validateSource(sourcePath, valueFrom, volumes),
      ...validateSourceCount(sourcePath, valueFrom, value),
    ];
  });
}

function validateSource(path: string, source: Decoded<EnvVarSource>, volumes: Volumes): FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  const at = (field: (typeof SOURCES)[number]): string => child(path, field);
  return [
    ...(fieldRef ? validateFieldRef(at('fieldRef'), fieldRef, ENV_FIELDS) : []),
    ...(resourceFieldRef ? validateResourceFieldRef(at('resourceFieldRef'), resourceFieldRef, false) : []),
    ...(configMapKeyRef ? validateKeyRef(at('configMapKeyRef'), configMapKeyRef) : []),
    ...(secretKeyRef ? validateKeyRef(at('secretKeyRef'), secretKeyRef) : []),
    ...(fileKeyRef ? validateFileKeyRef(at('fileKeyRef'), fileKeyRef, volumes) : []),
  ];
}

/** Requires exactly one source. The value in the message is always empty, as upstream. */
function validateSourceCount(path: string, source: Decoded<EnvVarSource>, value: string | undefined): FieldError[] {
  const count = SOURCES.filter((field) => source[field] !== undefined).length;
  if (count === 0) return [invalid(path, '', NO_SOURCE)];
  if (value) return [invalid(path, '', 'may not be specified when `value` is not empty')];
  return count > 1 ? [invalid(path, '', SEVERAL_SOURCES)] : [];
}

/** Validates a reference to a key of a ConfigMap or Secret. An empty name is invalid, not missing, as upstream. */
function validateKeyRef(path: string, ref: { name?: string | undefined; key?: string | undefined }): FieldError[] {
  return [
    ...wellFormed(child(path, 'name'), ref.name ?? '', subdomainMessages),
    ...requiredWellFormed(child(path, 'key'), ref.key, configKeyMessages),
  ];
}

/** Validates a reference to a variable in a file that an earlier container wrote. */
function validateFileKeyRef(path: string, ref: Decoded<FileKeySelector>, volumes: Volumes): FieldError[] {
  const volumePath = child(path, 'volumeName');
  const errors = [
    ...requiredText(child(path, 'key'), ref.key),
    ...requiredText(volumePath, ref.volumeName),
    ...(ref.path ? descendingPath(child(path, 'path'), ref.path) : [required(child(path, 'path'))]),
  ];
  const name = ref.volumeName ?? '';
  const volume = volumes.get(name);
  if (volume === undefined) return [...errors, notFound(volumePath, name)];
  if (volume.emptyDir === undefined) {
    errors.push(invalid(volumePath, name, 'referenced volume must be of type emptyDir'));
  }
  return errors;
}

/** Validates ConfigMaps and Secrets whose keys become variables. Reports their count at the list, as upstream. */
export function validateEnvFrom(path: string, sources: readonly Decoded<EnvFromSource>[] | undefined): FieldError[] {
  return each(path, sources, ({ prefix, configMapRef, secretRef }, at) => {
    const errors = wellFormedIfSet(child(at, 'prefix'), prefix, envNameMessages);
    if (configMapRef) errors.push(...validateRefName(child(at, 'configMapRef', 'name'), configMapRef.name));
    if (secretRef) errors.push(...validateRefName(child(at, 'secretRef', 'name'), secretRef.name));
    if (!configMapRef && !secretRef) {
      errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (configMapRef && secretRef) errors.push(invalid(path, '', SEVERAL_SOURCES));
    return errors;
  });
}

function validateRefName(path: string, name: string | undefined): FieldError[] {
  return requiredWellFormed(path, name, (text) => {
    // Upstream checks this name as a prefix, which may end with a dash.
    const masked = text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text;
    return subdomainMessages(masked);
  });
}

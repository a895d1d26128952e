import type {
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, item, required } from '../base/field-error.ts';
import { each, requiredText, unreservedPath } from './checks.ts';
import { FILE_FIELDS, validateFieldRef, validateResourceFieldRef } from './field-ref.ts';

/** Volumes whose files the kubelet writes: secret, configMap, downwardAPI, projected. */

const MODE_MAX = 0o777;
const MODE_MESSAGE = 'must be a number between 0 and 0777 (octal), both inclusive';
const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;
const PROJECTIONS = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken'] as const;

/** Validates a mode. A mode that looks like octal digits in decimal gets a hint. */
function validateMode(path: string, mode: number | undefined): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= MODE_MAX)) return [];
  const error = invalid(path, mode, MODE_MESSAGE);
  return [/^[0-7]{3}$/.test(String(mode)) ? { ...error, hint: `write 0${mode}` } : error];
}

/** Validates the items and modes of a secret or configMap volume. */
export function validateConfigFiles(
  path: string,
  source: { defaultMode?: number | undefined; items?: readonly Decoded<KeyToPath>[] | undefined },
): FieldError[] {
  return [
    ...validateMode(child(path, 'defaultMode'), source.defaultMode),
    ...each(child(path, 'items'), source.items, validateKeyToPath),
  ];
}

function validateKeyToPath(file: Decoded<KeyToPath>, path: string): FieldError[] {
  return [...requiredText(child(path, 'key'), file.key), ...validateFilePath(path, file)];
}

function validateFilePath(path: string, file: { path?: string | undefined; mode?: number | undefined }): FieldError[] {
  return [
    ...requiredText(child(path, 'path'), file.path),
    ...unreservedPath(child(path, 'path'), file.path ?? ''),
    ...validateMode(child(path, 'mode'), file.mode),
  ];
}

/** Validates files with fields of the Pod. Reports mistakes at the volume, without the file's index, as upstream. */
export function validateDownwardFiles(path: string, source: Decoded<DownwardAPIVolumeSource>): FieldError[] {
  return [
    ...validateMode(child(path, 'defaultMode'), source.defaultMode),
    ...(source.items ?? []).flatMap((file) => validateDownwardFile(path, file)),
  ];
}

function validateDownwardFile(path: string, file: Decoded<DownwardAPIVolumeFile>): FieldError[] {
  const { fieldRef, resourceFieldRef } = file;
  const errors = [
    ...requiredText(child(path, 'path'), file.path),
    ...unreservedPath(child(path, 'path'), file.path ?? ''),
  ];
  if (fieldRef) {
    errors.push(...validateFieldRef(child(path, 'fieldRef'), fieldRef, FILE_FIELDS));
    if (resourceFieldRef) {
      errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (resourceFieldRef) {
    errors.push(...validateResourceFieldRef(child(path, 'resourceFieldRef'), resourceFieldRef, true));
  } else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  return [...errors, ...validateMode(child(path, 'mode'), file.mode)];
}

/** Validates several sources in one folder. */
export function validateProjected(path: string, volume: Decoded<ProjectedVolumeSource>): FieldError[] {
  const taken = new Set<string>();
  return [
    ...validateMode(child(path, 'defaultMode'), volume.defaultMode),
    ...(volume.sources ?? []).flatMap((source, index) => [
      ...validateProjection(path, item(child(path, 'sources'), index), source),
      ...conflictingPaths(path, source, taken),
    ]),
  ];
}

function validateProjection(volumePath: string, path: string, source: Decoded<VolumeProjection>): FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
  const errors = [
    ...(secret ? validateNamedFiles(child(path, 'secret'), secret) : []),
    ...(configMap ? validateNamedFiles(child(path, 'configMap'), configMap) : []),
    ...(downwardAPI ? validateDownwardFiles(child(path, 'downwardAPI'), downwardAPI) : []),
    ...(token ? validateToken(volumePath, child(path, 'serviceAccountToken'), token) : []),
  ];
  const count = PROJECTIONS.filter((field) => source[field] !== undefined).length;
  return count > 1 ? [...errors, forbidden(path, 'may not specify more than 1 volume type per source')] : errors;
}

function validateNamedFiles(
  path: string,
  source: { name?: string | undefined; items?: readonly Decoded<KeyToPath>[] | undefined },
): FieldError[] {
  return [
    ...requiredText(child(path, 'name'), source.name),
    ...each(child(path, 'items'), source.items, validateKeyToPath),
  ];
}

/** Validates a token. Reports a bad path at the volume, as upstream. */
function validateToken(volumePath: string, path: string, token: Decoded<ServiceAccountTokenProjection>): FieldError[] {
  const { expirationSeconds = 0, path: file } = token;
  const secondsPath = child(path, 'expirationSeconds');
  const errors: FieldError[] = [];
  if (expirationSeconds < TOKEN_SECONDS_MIN) {
    errors.push(invalid(secondsPath, expirationSeconds, 'may not specify a duration less than 10 minutes'));
  }
  if (expirationSeconds > TOKEN_SECONDS_MAX) {
    errors.push(invalid(secondsPath, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  const filePath = child(volumePath, 'path');
  return [...errors, ...(file ? unreservedPath(filePath, file) : [required(filePath)])];
}

/** Refuses two files with one path, also from different sources. Adds the paths of this source to `taken`. */
function conflictingPaths(path: string, source: Decoded<VolumeProjection>, taken: Set<string>): FieldError[] {
  const files = [
    ...(source.secret?.items ?? []).map((file) => ({ file: file.path, value: source.secret?.name })),
    ...(source.configMap?.items ?? []).map((file) => ({ file: file.path, value: source.configMap?.name })),
    ...(source.downwardAPI?.items ?? []).map((file) => ({ file: file.path, value: file.path })),
  ];
  return files.flatMap(({ file, value = '' }) => {
    if (!file) return [];
    if (taken.has(file)) return [invalid(path, value, 'conflicting duplicate paths')];
    taken.add(file);
    return [];
  });
}

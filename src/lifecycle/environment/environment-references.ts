import type { ConfigMap, Container, EnvFromSource, EnvVarSource, FileKeySelector, Secret } from '../../api/index.ts';
import { type DownwardFacts, podField, resourceField } from './downward-api.ts';
import { readEnvFile } from './environment-file.ts';
import {
  ENV_FILE_UNREADABLE,
  envKeyNotFound,
  envVolumeNotFound,
  keyNotFound,
  objectNotFound,
  unsupportedFieldPath,
} from '../texts/config-errors.ts';

/** The objects that references are resolved with. They belong to the Pod's namespace. */
export interface ReferenceFacts extends DownwardFacts {
  readonly container: Container;
  readonly configMap: (name: string) => ConfigMap | undefined;
  readonly secret: (name: string) => Secret | undefined;
  /** The text of a file in a volume of the Pod. Undefined: the file cannot be read. */
  readonly envFile?: (volumeName: string, path: string) => string | undefined;
}

/** The result of a reference in the environment. */
export type Resolved<T> =
  | { readonly type: 'value'; readonly value: T }
  /** An optional reference to a missing object or key: the variable is left out. */
  | { readonly type: 'skipped' }
  | { readonly type: 'failed'; readonly message: string };

export function resolveValue(source: EnvVarSource, facts: ReferenceFacts): Resolved<string> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef !== undefined) return resolveField(fieldRef.fieldPath, facts);
  if (resourceFieldRef !== undefined) {
    const outcome = resourceField(resourceFieldRef, facts.container, facts);
    return outcome.ok ? resolved(outcome.value) : failed(outcome.message);
  }
  if (configMapKeyRef !== undefined) return resolveKey('ConfigMap', configMapKeyRef, facts);
  if (secretKeyRef !== undefined) return resolveKey('Secret', secretKeyRef, facts);
  if (fileKeyRef !== undefined) return resolveFileKey(fileKeyRef, facts);
  return resolved('');
}

/** Resolves all keys and values of one entry of `envFrom`. */
export function resolveAll(source: EnvFromSource, facts: ReferenceFacts): Resolved<ReadonlyMap<string, string>> {
  if (source.configMapRef !== undefined) return resolveObject('ConfigMap', source.configMapRef, facts);
  if (source.secretRef !== undefined) return resolveObject('Secret', source.secretRef, facts);
  return resolved(new Map<string, string>());
}

function resolveField(fieldPath: string, facts: DownwardFacts): Resolved<string> {
  const value = podField(fieldPath, facts);
  return value === undefined ? failed(unsupportedFieldPath(fieldPath)) : resolved(value);
}

type ObjectKind = 'ConfigMap' | 'Secret';

interface ObjectReference {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
}

function resolveObject(
  kind: ObjectKind,
  { name = '', optional }: ObjectReference,
  facts: ReferenceFacts,
): Resolved<ReadonlyMap<string, string>> {
  const object = kind === 'ConfigMap' ? facts.configMap(name) : facts.secret(name);
  if (object !== undefined) return resolved(kind === 'ConfigMap' ? configMapText(object) : secretText(object));
  return skippedOr(optional, objectNotFound(kind === 'ConfigMap' ? 'configmap' : 'secret', name));
}

function resolveKey(
  kind: ObjectKind,
  reference: ObjectReference & { readonly key: string },
  facts: ReferenceFacts,
): Resolved<string> {
  const object = resolveObject(kind, reference, facts);
  if (object.type !== 'value') return object;
  const { key, name = '', optional } = reference;
  const value = object.value.get(key);
  if (value !== undefined) return resolved(value);
  return skippedOr(optional, keyNotFound(key, kind, facts.pod.metadata.namespace, name));
}

/** The text of a ConfigMap. Its binary data does not become variables. */
function configMapText({ data = {} }: ConfigMap): ReadonlyMap<string, string> {
  return new Map(Object.entries(data));
}

function secretText({ data = {} }: Secret): ReadonlyMap<string, string> {
  return new Map(Object.entries(data).map(([key, base64]) => [key, Buffer.from(base64, 'base64').toString()]));
}

/** Resolves a key of a file. An unreadable file is an error even if the key is optional. */
function resolveFileKey(reference: FileKeySelector, { pod, envFile }: ReferenceFacts): Resolved<string> {
  const { volumeName, path, key, optional } = reference;
  if (!(pod.spec.volumes ?? []).some(({ name }) => name === volumeName)) {
    return failed(envVolumeNotFound(volumeName));
  }
  const text = envFile?.(volumeName, path);
  const outcome = text === undefined ? { ok: false as const } : readEnvFile(text, key);
  if (!outcome.ok) return failed(ENV_FILE_UNREADABLE);
  if (outcome.value !== '') return resolved(outcome.value);
  return skippedOr(optional, envKeyNotFound(key, path));
}

function resolved<T>(value: T): Resolved<T> {
  return { type: 'value', value };
}

function failed(message: string): { readonly type: 'failed'; readonly message: string } {
  return { type: 'failed', message };
}

function skippedOr(optional: boolean | undefined, message: string): Resolved<never> {
  return optional === true ? { type: 'skipped' } : failed(message);
}

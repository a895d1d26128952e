import type {
  ConfigMap,
  Container,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  Secret,
} from '../../api/index.ts';
import {
  ENV_FILE_UNREADABLE,
  envKeyNotFound,
  envVolumeNotFound,
  keyNotFound,
  NO_SERVICE_LINKS,
  objectNotFound,
  unsupportedFieldPath,
} from '../texts/config-errors.ts';
import { type DownwardFacts, podField, resourceField } from './downward-api.ts';
import { readEnvFile } from './environment-file.ts';
import { type ServiceFact, serviceVariables } from './environment-services.ts';
import { expand, EXPANDED_MAX, type ExpansionRoom, type VariableLookup } from './expansion.ts';

/** The inputs of the environment of a container. */
export interface EnvironmentInput extends ReferenceFacts {
  /** The existing Services. Undefined: podrun knows none, and sets no variables for them. */
  readonly services: readonly ServiceFact[] | undefined;
}

/** A failure is the message of a CreateContainerConfigError. */
export type EnvironmentOutcome =
  | { readonly ok: true; readonly env: Map<string, string> }
  | { readonly ok: false; readonly message: string };

/**
 * Computes the variables that a kubelet gives a container: `envFrom`, then `env`, then Services. A variable of `env`
 * may refer to variables before it. The variables of the image and HOSTNAME, which the runtime adds, are not included.
 * Source: pkg/kubelet/kubelet_pods.go makeEnvironmentVariables.
 * @throws {PodrunError} (Invalid) when references expand to more than a program can be started with
 */
export function makeEnvironment(input: EnvironmentInput): EnvironmentOutcome {
  const { pod, container } = input;
  const { enableServiceLinks: wantsLinks } = pod.spec;
  if (wantsLinks === undefined) return { ok: false, message: NO_SERVICE_LINKS };
  const ofServices = serviceVariables(input.services ?? [], pod.metadata.namespace, wantsLinks);
  const env = new Map<string, string>();
  for (const source of container.envFrom ?? []) {
    const all = resolveAll(source, input);
    if (all.type === 'failed') return { ok: false, message: all.message };
    if (all.type === 'skipped') continue;
    for (const [key, value] of all.value) env.set(`${source.prefix ?? ''}${key}`, value);
  }
  const lookup: VariableLookup = (name) => env.get(name) ?? ofServices.get(name);
  const room: ExpansionRoom = { left: EXPANDED_MAX };
  for (const variable of container.env ?? []) {
    const resolved = resolveVariable(variable, input, (value) => expand(value, lookup, room));
    if (resolved.type === 'failed') return { ok: false, message: resolved.message };
    if (resolved.type === 'value') env.set(variable.name, resolved.value);
  }
  for (const [name, value] of ofServices) if (!env.has(name)) env.set(name, value);
  return { ok: true, env };
}

function resolveVariable(
  { value = '', valueFrom }: EnvVar,
  input: EnvironmentInput,
  expanded: (value: string) => string,
): Resolved<string> {
  if (value !== '' || valueFrom === undefined) return { type: 'value', value: expanded(value) };
  return resolveValue(valueFrom, input);
}

/**
 * Expands `command` and `args` with the container's own variables. No shell is involved. Source:
 * pkg/kubelet/container/helpers.go ExpandContainerCommandAndArgs.
 * @throws {PodrunError} (Invalid) as `makeEnvironment`
 */
export function commandLine(words: readonly string[], env: ReadonlyMap<string, string>): string[] {
  const room: ExpansionRoom = { left: EXPANDED_MAX };
  return words.map((word) => expand(word, (name) => env.get(name), room));
}

/** The objects that references are resolved with. They belong to the Pod's namespace. */
interface ReferenceFacts extends DownwardFacts {
  readonly container: Container;
  readonly configMap: (name: string) => ConfigMap | undefined;
  readonly secret: (name: string) => Secret | undefined;
  /** The text of a file in a volume of the Pod. Undefined: the file cannot be read. */
  readonly envFile?: (volumeName: string, path: string) => string | undefined;
}

/** The result of a reference in the environment. */
type Resolved<T> =
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
function resolveAll(source: EnvFromSource, facts: ReferenceFacts): Resolved<ReadonlyMap<string, string>> {
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

import {
  type ConfigMap,
  type Container,
  DEFAULT_NAMESPACE,
  type EnvVar,
  goQuote,
  type KubeObject,
  type Secret,
  type StoredPod,
} from '../../api/index.ts';
import { resolveValue } from '../../lifecycle/index.ts';
import { readNode } from '../../settings/index.ts';
import type { FileStore } from '../../store/index.ts';

/** Changes of the variables of a container. */
export interface VariableEdits {
  readonly set: readonly EnvVar[];
  readonly remove: readonly string[];
}

/** The changed variables: present ones keep their places, new ones follow. Source: set_env.go updateEnv. */
export function editVariables(present: readonly EnvVar[], { set, remove }: VariableEdits): EnvVar[] {
  const covered = new Set(remove);
  const changed: EnvVar[] = [];
  for (const variable of present) {
    if (covered.has(variable.name)) continue;
    const newer = set.find(({ name }) => name === variable.name);
    if (newer !== undefined) covered.add(variable.name);
    changed.push(newer ?? variable);
  }
  for (const variable of set) {
    if (covered.has(variable.name)) continue;
    covered.add(variable.name);
    changed.push(variable);
  }
  return changed;
}

/** The line of `set env --list` for a variable. Source: set_env.go, env/env_resolve.go GetEnvVarRefString. */
export function variableLine({ name, value = '', valueFrom }: EnvVar): string {
  return valueFrom === undefined ? `${name}=${value}` : `# ${name} from ${originText(valueFrom)}`;
}

function originText(from: NonNullable<EnvVar['valueFrom']>): string {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = from;
  if (configMapKeyRef !== undefined) return `configmap ${configMapKeyRef.name ?? ''}, key ${configMapKeyRef.key}`;
  if (secretKeyRef !== undefined) return `secret ${secretKeyRef.name ?? ''}, key ${secretKeyRef.key}`;
  if (fieldRef !== undefined) return `field path ${fieldRef.fieldPath}`;
  if (resourceFieldRef === undefined) return 'invalid valueFrom';
  const { containerName, resource } = resourceFieldRef;
  return `resource field ${containerName ? `${containerName}/` : ''}${resource}`;
}

/** The value that a reference leads to, or the reason why it leads nowhere. */
type ResolvedVariable = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly why: string };

/**
 * Looks up the value of a variable that refers to one. Fields of the object must be metadata: a template has no status.
 * Source: kubectl/pkg/cmd/set/env/env_resolve.go GetEnvVarRefValue.
 */
export function resolveVariable(
  store: FileStore,
  object: KubeObject,
  container: Container,
  { valueFrom = {} }: EnvVar,
): ResolvedVariable {
  const { namespace = DEFAULT_NAMESPACE } = object.metadata;
  const { fieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (fieldRef !== undefined && !fieldRef.fieldPath.startsWith('metadata.')) {
    return { ok: false, why: `unsupported fieldPath: ${fieldRef.fieldPath}` };
  }
  const named = configMapKeyRef ?? secretKeyRef;
  const plural = configMapKeyRef === undefined ? 'secrets' : 'configmaps';
  if (named !== undefined && store.get(plural, namespace, named.name ?? '') === undefined) {
    return { ok: false, why: `${plural} ${goQuote(named.name ?? '')} not found` };
  }
  const resolved = resolveValue(valueFrom, {
    pod: object as unknown as StoredPod,
    node: readNode({ storageDir: store.root }),
    container,
    configMap: (name) => store.get<ConfigMap & KubeObject>('configmaps', namespace, name),
    secret: (name) => store.get<Secret & KubeObject>('secrets', namespace, name),
  });
  if (resolved.type === 'value') return { ok: true, value: resolved.value };
  if (named === undefined) return { ok: false, why: resolved.type === 'failed' ? resolved.message : 'it is optional' };
  const kind = configMapKeyRef === undefined ? 'secret' : 'config map';
  return { ok: false, why: `key ${named.key} not found in ${kind} ${named.name ?? ''}` };
}

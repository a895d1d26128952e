import { readNode } from '../../settings/index.ts';
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
import type { FileStore } from '../../store/index.ts';

/** The value that a reference leads to, or the reason why it leads nowhere. */
export type ResolvedVariable =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly why: string };

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

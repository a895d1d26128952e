import { isJsonObject, type StoredPod } from '../../api/index.ts';
import type { Advice } from './advice.ts';

type Json = Record<string, unknown>;

/**
 * The suggestions as a strategic merge patch, for kustomize and kubectl. Undefined: no suggestion changes the manifest.
 * The first of two suggestions for one field counts.
 */
export function patchOf(pod: StoredPod, advice: readonly Advice[]): Json | undefined {
  const spec: Json = {};
  const taken = new Set<string>();
  for (const { path, suggested } of advice) {
    if (suggested === undefined || taken.has(path)) continue;
    taken.add(path);
    setAt(pod, spec, path.replace(/^spec\./, ''), suggested);
  }
  if (Object.keys(spec).length === 0) return undefined;
  const { name, namespace } = pod.metadata;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec };
}

/** Sets a field below `spec`. Finds containers in lists by name. */
function setAt(pod: StoredPod, spec: Json, path: string, value: unknown): void {
  let object = spec;
  const steps = path.split('.');
  for (const [index, step] of steps.entries()) {
    const [, list, number] = /^(containers|initContainers)\[(\d+)\]$/.exec(step) ?? [];
    if (list !== undefined) {
      object = entryOf(pod, object, list as 'containers' | 'initContainers', Number(number));
    } else if (index === steps.length - 1) {
      object[step] = isJsonObject(object[step]) && isJsonObject(value) ? { ...value, ...object[step] } : value;
    } else {
      object[step] ??= {};
      object = object[step] as Json;
    }
  }
}

function entryOf(pod: StoredPod, object: Json, list: 'containers' | 'initContainers', index: number): Json {
  const name = pod.spec[list]?.[index]?.name ?? '';
  const entries = (object[list] ??= []) as Json[];
  const known = entries.find((entry) => entry['name'] === name);
  if (known !== undefined) return known;
  const made: Json = { name };
  entries.push(made);
  return made;
}

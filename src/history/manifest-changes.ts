import type { StoredPod } from '../api/objects.ts';

/** A field that two manifests do not have in common. */
export interface ManifestChange {
  /** `spec.containers[main].env[LEVEL].value`; entries of lists by their name, or by their index. */
  readonly path: string;
  /** Undefined: it is not there. */
  readonly a: unknown;
  readonly b: unknown;
}

/** What tells nothing of how a Pod is meant to run. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Where the manifests of two Pods differ: labels, annotations and spec, in the order of the fields. */
export function manifestChanges(a: StoredPod, b: StoredPod): ManifestChange[] {
  return changesIn('', manifestOf(a), manifestOf(b));
}

function manifestOf({ metadata, spec }: StoredPod): unknown {
  const { [LAST_APPLIED]: _, ...annotations } = metadata.annotations ?? {};
  // The node is where a Pod came to run, for one that did not ask for it.
  const { nodeName: _node, ...rest } = spec;
  return { metadata: { labels: metadata.labels ?? {}, annotations }, spec: rest };
}

function changesIn(path: string, a: unknown, b: unknown): ManifestChange[] {
  if (Array.isArray(a) && Array.isArray(b)) return changesInLists(path, a, b);
  if (isRecord(a) && isRecord(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return keys.flatMap((key) => changesIn(path === '' ? key : `${path}${fieldPath(key)}`, a[key], b[key]));
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ path, a, b }];
}

function changesInLists(path: string, a: readonly unknown[], b: readonly unknown[]): ManifestChange[] {
  const [named, others] = [namesOf(a), namesOf(b)];
  if (named !== undefined && others !== undefined) {
    const names = [...new Set([...named.keys(), ...others.keys()])];
    return names.flatMap((name) => changesIn(`${path}[${name}]`, named.get(name), others.get(name)));
  }
  if (a.length !== b.length) return [{ path, a, b }];
  return a.flatMap((one, index) => changesIn(`${path}[${index}]`, one, b[index]));
}

/** The entries by their names; undefined where they have none, or not each its own. */
function namesOf(list: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const names = new Map<string, unknown>();
  for (const one of list) {
    if (!isRecord(one) || typeof one['name'] !== 'string' || names.has(one['name'])) return undefined;
    names.set(one['name'], one);
  }
  return names;
}

/** Keys of labels and annotations hold dots. */
function fieldPath(key: string): string {
  return /^\w+$/.test(key) ? `.${key}` : `[${key}]`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

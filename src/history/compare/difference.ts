import { isJsonObject, type StoredPod } from '../../api/index.ts';

/** A difference between two runs. */
export interface Difference {
  readonly kind:
    | 'phases'
    | 'reason'
    | 'condition'
    | 'container'
    | 'restarts'
    | 'exit'
    | 'waiting'
    | 'ready'
    | 'event'
    | 'order'
    | 'duration';
  /** `Pod`, or the name of a container. */
  readonly subject: string;
  /** The differing part, for people: `phases`, `condition Ready`, `exit of run 2`. */
  readonly what: string;
  /** The value in the first run, for people. `b` is the value in the second run. */
  readonly a: string;
  readonly b: string;
  /** The durations, in milliseconds. Only for differences in time. */
  readonly aMs?: number;
  readonly bMs?: number;
}

/** The tolerated difference of times. The larger of both limits counts. */
export interface Tolerance {
  /** A part of the time in the first run: 0.2 is a fifth. */
  readonly share: number;
  readonly minMs: number;
}

/** A field that differs between two manifests. */
export interface ManifestChange {
  /** `spec.containers[main].env[LEVEL].value`. Entries of lists are named, or numbered. */
  readonly path: string;
  /** Undefined: the field is absent. */
  readonly a: unknown;
  readonly b: unknown;
}

/** The annotation of kubectl, which repeats the manifest. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Compares the manifests of two Pods: labels, annotations and spec, in the order of the fields. */
export function manifestChanges(a: StoredPod, b: StoredPod): ManifestChange[] {
  return changesIn('', manifestOf(a), manifestOf(b));
}

function manifestOf({ metadata, spec }: StoredPod): unknown {
  const { [LAST_APPLIED]: _, ...annotations } = metadata.annotations ?? {};
  // The scheduler usually sets the node: nodeName is no part of the manifest.
  const { nodeName: _node, ...rest } = spec;
  return { metadata: { labels: metadata.labels ?? {}, annotations }, spec: rest };
}

function changesIn(path: string, a: unknown, b: unknown): ManifestChange[] {
  if (Array.isArray(a) && Array.isArray(b)) return changesInLists(path, a, b);
  if (isJsonObject(a) && isJsonObject(b)) {
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
  return a.flatMap((item, index) => changesIn(`${path}[${index}]`, item, b[index]));
}

/** The entries of a list by name. Undefined: the names are missing or not unique. */
function namesOf(list: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const names = new Map<string, unknown>();
  for (const item of list) {
    if (!isJsonObject(item) || typeof item['name'] !== 'string' || names.has(item['name'])) return undefined;
    names.set(item['name'], item);
  }
  return names;
}

/** Brackets a key with dots, as labels and annotations have. */
function fieldPath(key: string): string {
  return /^\w+$/.test(key) ? `.${key}` : `[${key}]`;
}

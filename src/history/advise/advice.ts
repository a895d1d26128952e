import { isJsonObject, type StoredPod } from '../../api/index.ts';

/** A suggested change to a manifest. */
export interface Advice {
  readonly rule: AdviceRule;
  readonly severity: AdviceSeverity;
  /** Undefined: the advice is about the Pod. */
  readonly container: string | undefined;
  /** The path of the field: `spec.containers[0].readinessProbe.timeoutSeconds`. */
  readonly path: string;
  /** The current value, defaults included. Undefined: there is none. */
  readonly current: unknown;
  /** The suggested value, for an object only the fields to set. Undefined: the manifest needs no change. */
  readonly suggested: unknown;
  /** The advice in one sentence. */
  readonly what: string;
  /** The measurement behind the advice: one sentence with numbers. */
  readonly evidence: string;
  /** The number of measurements. */
  readonly samples: number;
}

/** Advice from a rule about one container. */
export type ContainerAdvice = Omit<Advice, 'container'>;

/** The findings about a container. */
export function adviceFor(name: string, findings: ReadonlyArray<ContainerAdvice | undefined>): Advice[] {
  return findings.flatMap((finding) => finding ?? []).map((finding) => ({ ...finding, container: name }));
}

/**
 * problem: a failure in this run. risk: nearly a failure in this run, or a failure on a cluster. tuning: lost time or a
 * useless setting.
 */
export type AdviceSeverity = 'problem' | 'risk' | 'tuning';

export const SEVERITIES: readonly AdviceSeverity[] = ['problem', 'risk', 'tuning'];

/** The names of rules are output for programs: they do not change. */
type AdviceRule =
  | 'startup-budget-too-short'
  | 'startup-budget-too-long'
  | 'initial-delay-unused'
  | 'liveness-before-start'
  | 'period-delays-ready'
  | 'timeout-too-short'
  | 'readiness-flaps'
  | 'liveness-like-readiness'
  | 'ready-before-listening'
  | 'signal-ignored'
  | 'no-signal-handler'
  | 'grace-nearly-used'
  | 'grace-too-long'
  | 'pre-stop-takes-the-grace'
  | 'pre-stop-sleep'
  | 'out-of-memory'
  | 'memory-near-limit'
  | 'memory-over-request'
  | 'memory-limit-unused'
  | 'cpu-throttled'
  | 'restarts-alike'
  | 'command-not-found'
  | 'cannot-be-started'
  | 'restarts-when-done'
  | 'runs-on-beside-the-work'
  | 'no-room-on-node'
  | 'replicas-on-one-node';

/** Formats seconds for sentences: `0.04 s`, `2.1 s`, `31 s`. */
export function inSeconds(seconds: number): string {
  const digits = seconds >= 20 ? 0 : seconds >= 0.1 ? 1 : 2;
  return `${Number(seconds.toFixed(digits))} s`;
}

/** `2 of 3 stops`. */
export function partOf(part: readonly unknown[], all: readonly unknown[], word: string): string {
  return `${part.length} of ${counted(all.length, word)}`;
}

/** `1 stop`, `3 stops`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

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

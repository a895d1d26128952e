/** What a run gives reason to change. */
export interface Advice {
  readonly rule: AdviceRule;
  readonly severity: AdviceSeverity;
  /** Undefined: it is about the Pod. */
  readonly container: string | undefined;
  /** Of the field that it is about: `spec.containers[0].readinessProbe.timeoutSeconds`. */
  readonly path: string;
  /** What stands there, defaults included; undefined: nothing. */
  readonly current: unknown;
  /** What to write there: a value, or of an object the fields to set. Undefined: it is not the manifest to change. */
  readonly suggested: unknown;
  /** What to do: one sentence. */
  readonly what: string;
  /** What was measured: one sentence with numbers. */
  readonly evidence: string;
  /** How many measurements that is. */
  readonly samples: number;
}

/** It went wrong in this run; it nearly did, or will on a cluster; it costs time or means nothing. */
export type AdviceSeverity = 'problem' | 'risk' | 'tuning';

export const SEVERITIES: readonly AdviceSeverity[] = ['problem', 'risk', 'tuning'];

/** The names are part of the output for programs: they stay. */
export type AdviceRule =
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
  | 'runs-on-beside-the-work';

/** Seconds as sentences say them: `0.04 s`, `2.1 s`, `31 s`. */
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

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

import type { PodSpec } from '../../../src/api/generated/types.ts';

/** A Pod and everything that happens to it: plain data, so that it can be printed, shrunk and replayed. */
export interface Scenario {
  readonly spec: PodSpec;
  /** The programs of the first, second, … start, by container. The last one repeats. */
  readonly programs: Readonly<Record<string, readonly Program[]>>;
  /** The results of the first, second, … run of a command, by container and purpose. The last one repeats. */
  readonly commands: Readonly<Record<string, Readonly<Partial<Record<Purpose, readonly Command[]>>>>>;
  /** The faults of the machine. */
  readonly faults: Faults;
  /** The happenings in order of time. */
  readonly happenings: readonly Happening[];
  /** The time at which a Pod that has not ended is deleted. */
  readonly lastsMs: number;
}

export type Purpose = 'startup' | 'liveness' | 'readiness' | 'postStart' | 'preStop';

export interface Program {
  /** Default: the start takes no time. */
  readonly startDelayMs?: number;
  readonly failsToStart?: true;
  /** Default: the program runs until it is stopped. */
  readonly exitsAfterMs?: number;
  readonly exitCode?: number;
  readonly oomKilled?: true;
  /** The reaction to the stop signal. Default: the signal ends the program. */
  readonly onStop?: 'ignores' | { readonly exitsAfterMs: number; readonly exitCode: number };
  /** The time for which background children remain. */
  readonly sweepMs?: number;
  /** The delay of the report of the exit. */
  readonly exitReportedAfterMs?: number;
  readonly exitReportedTwice?: true;
}

/** The result of one run of a command. */
export type Command =
  | { readonly exitCode: number; readonly afterMs?: number }
  /** The command never ends by itself. */
  | 'hangs'
  /** The runtime cannot run the command. */
  | 'fails';

export interface Faults {
  /** The number of attempts to create the sandbox that fail. */
  readonly sandboxFailures?: number;
  /** The duration of its creation. */
  readonly sandboxMs?: number;
  /** The end of the time without the ConfigMap, by container. */
  readonly configMissingUntilMs?: Readonly<Record<string, number>>;
  /** The end of the time without the image, by container. */
  readonly imageAbsentUntilMs?: Readonly<Record<string, number>>;
}

/** A request of a client, or a fault of the machine. */
export type Happening = { readonly atMs: number } & (
  | { readonly does: 'delete'; readonly graceSeconds?: number }
  | { readonly does: 'deleteByForce' }
  /** The end of the run, as by Ctrl-C. By force, as by a second Ctrl-C. */
  | { readonly does: 'end'; readonly byForce: boolean }
  | { readonly does: 'changeImage'; readonly container: string; readonly image: string }
  | { readonly does: 'lowerDeadline'; readonly seconds: number }
  | { readonly does: 'label'; readonly value: string }
  /** An ephemeral container is added. */
  | { readonly does: 'debug'; readonly container: string }
  /** The controller of a readiness gate sets its condition. */
  | { readonly does: 'setCondition'; readonly type: string; readonly status: 'True' | 'False' }
  /** The scheduling gates are removed. */
  | { readonly does: 'ungate' }
  | { readonly does: 'jumpClock'; readonly byMs: number }
  /** A process dies for a reason from outside. */
  | { readonly does: 'crash'; readonly container: string; readonly exitCode: number }
);

/** The n-th item. The last one repeats. */
export function nth<T>(list: readonly T[] | undefined, n: number): T | undefined {
  return list?.[Math.min(n, list.length - 1)];
}

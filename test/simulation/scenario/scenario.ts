import type { PodSpec } from '../../../src/api/generated/types.ts';

/** A Pod and everything that happens to it: plain data, so that it can be printed, shrunk and replayed. */
export interface Scenario {
  readonly spec: PodSpec;
  /** By container: what its program does at the first, second, … start; the last one is for all further ones. */
  readonly programs: Readonly<Record<string, readonly Program[]>>;
  /** By container, then by what the command is for: how its runs end, the last one for all further ones. */
  readonly commands: Readonly<Record<string, Readonly<Partial<Record<Purpose, readonly Command[]>>>>>;
  /** What the machine gets wrong. */
  readonly faults: Faults;
  /** In the order of their times. */
  readonly happenings: readonly Happening[];
  /** When the Pod is deleted if it has not ended by then. */
  readonly lastsMs: number;
}

export type Purpose = 'startup' | 'liveness' | 'readiness' | 'postStart' | 'preStop';

export interface Program {
  /** Default: it starts without time passing. */
  readonly startDelayMs?: number;
  readonly failsToStart?: true;
  /** Default: it runs until it is stopped. */
  readonly exitsAfterMs?: number;
  readonly exitCode?: number;
  readonly oomKilled?: true;
  /** Its answer to the stop signal. Default: it dies of it. */
  readonly onStop?: 'ignores' | { readonly exitsAfterMs: number; readonly exitCode: number };
  /** How long its background children are still to be found. */
  readonly sweepMs?: number;
  /** How long the news of its exit is under way. */
  readonly exitToldAfterMs?: number;
  readonly exitToldTwice?: true;
}

/** How one run of a command ends. */
export type Command =
  | { readonly exitCode: number; readonly afterMs?: number }
  /** It never ends by itself. */
  | 'hangs'
  /** The runtime cannot run it. */
  | 'fails';

export interface Faults {
  /** So many attempts to make the Pod's environment fail. */
  readonly sandboxFailures?: number;
  /** How long making it takes. */
  readonly sandboxMs?: number;
  /** By container: until when its ConfigMap is missing. */
  readonly configMissingUntilMs?: Readonly<Record<string, number>>;
  /** By container: until when its image is absent. */
  readonly imageAbsentUntilMs?: Readonly<Record<string, number>>;
}

/** Something that somebody does, or that befalls the machine. */
export type Happening = { readonly atMs: number } & (
  | { readonly does: 'delete'; readonly graceSeconds?: number }
  | { readonly does: 'deleteByForce' }
  /** The run is ended, as by Ctrl-C; by force, as by a second one. */
  | { readonly does: 'end'; readonly byForce: boolean }
  | { readonly does: 'changeImage'; readonly container: string; readonly image: string }
  | { readonly does: 'lowerDeadline'; readonly seconds: number }
  | { readonly does: 'label'; readonly value: string }
  /** An ephemeral container is added. */
  | { readonly does: 'debug'; readonly container: string }
  /** Somebody who keeps a readiness gate has found out. */
  | { readonly does: 'setCondition'; readonly type: string; readonly status: 'True' | 'False' }
  /** The scheduling gates are taken away. */
  | { readonly does: 'ungate' }
  | { readonly does: 'jumpClock'; readonly byMs: number }
  /** A process dies of something outside. */
  | { readonly does: 'crash'; readonly container: string; readonly exitCode: number }
);

/** The item for the n-th time; the last one for all later ones. */
export function nth<T>(list: readonly T[] | undefined, n: number): T | undefined {
  return list?.[Math.min(n, list.length - 1)];
}

import type { OutputStream } from '../../src/runtime/runtime.ts';

/** How a simulated program behaves. Without any field: it starts at once and runs until it is signalled. */
export interface ProgramBehaviour {
  /** How long `start` takes. Default: it resolves without time passing. */
  readonly startDelayMs?: number;
  /** The start fails with this text, after `startDelayMs`. */
  readonly failToStart?: string;
  /** It ends by itself this long after its start. Default: never. */
  readonly exitAfterMs?: number;
  /** The code it ends with by itself. Default: 0. */
  readonly exitCode?: number;
  /** It is ended by the memory limit of the container (exit code 137) instead of by itself. */
  readonly oomKilled?: boolean;
  /** Its reaction to a signal other than SIGKILL. Default: it ends at once with 128 + the signal's number. */
  readonly onSignal?: (signal: string) => SignalReaction;
  readonly output?: readonly SimulatedOutput[];
  /** How long `swept` takes after the exit is told. Default: no time. */
  readonly sweepMs?: number;
  /** How long it takes until the exit is told. Default: no time. */
  readonly exitToldAfterMs?: number;
  /** A fault: the exit is told a second time, when the next instance runs. */
  readonly exitToldTwice?: boolean;
}

export type SignalReaction = 'ignore' | { readonly exitAfterMs: number; readonly exitCode: number };

export interface SimulatedOutput {
  /** Counted from the start. Default: 0. */
  readonly afterMs?: number;
  /** Default: stdout. */
  readonly stream?: OutputStream;
  readonly text: string;
}

/** How a simulated command behaves. Without any field: it exits with 0 at once and says nothing. */
export interface ExecBehaviour {
  readonly afterMs?: number;
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** It cannot be started: the runtime's words. */
  readonly failToStart?: string;
  /** Called when the command ends by itself; what the command does to the world of the test. */
  readonly effect?: () => void;
}

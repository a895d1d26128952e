import type { OutputStream } from '../runtime/index.ts';

/** The behaviour of a simulated program. Default: it starts at once and runs until it is signalled. */
export interface ProgramBehaviour {
  /** The duration of `start`. Default: it takes no time. */
  readonly startDelayMs?: number;
  /** The error of the start, after `startDelayMs`. */
  readonly failToStart?: string;
  /** The time from its start to its own end. Default: it never ends. */
  readonly exitAfterMs?: number;
  /** The exit code of its own end. Default: 0. */
  readonly exitCode?: number;
  /** True: the memory limit of the container ends the program (exit code 137). */
  readonly oomKilled?: boolean;
  /** The reaction to a signal other than SIGKILL. Default: it ends at once with 128 + the signal's number. */
  readonly onSignal?: (signal: string) => SignalReaction;
  readonly output?: readonly SimulatedOutput[];
  /** The time from the report of the exit to `swept`. Default: no time. */
  readonly sweepMs?: number;
  /** The delay of the report of the exit. Default: no time. */
  readonly exitReportedAfterMs?: number;
  /** A fault: the exit is reported a second time when the next instance runs. */
  readonly exitReportedTwice?: boolean;
}

export type SignalReaction = 'ignore' | { readonly exitAfterMs: number; readonly exitCode: number };

export interface SimulatedOutput {
  /** The time after the start. Default: 0. */
  readonly afterMs?: number;
  /** Default: stdout. */
  readonly stream?: OutputStream;
  readonly text: string;
}

/** The behaviour of a simulated command. Default: it exits with 0 at once without output. */
export interface ExecBehaviour {
  readonly afterMs?: number;
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** The runtime's error of the start. */
  readonly failToStart?: string;
  /** Called when the command ends by itself: its effect on the world of the test. */
  readonly effect?: () => void;
}

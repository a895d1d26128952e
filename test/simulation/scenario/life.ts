import type { ExecOutcome } from '../../../src/runtime/runtime.ts';
import type { Purpose } from './scenario.ts';

/** One instance of a container, as the machine saw it. Times are on the stopwatch. */
export interface Life {
  readonly id: string;
  readonly container: string;
  /** Counts the rounds that RestartAllContainers makes; the first one is 0. */
  readonly round: number;
  readonly askedAtMs: number;
  runningAtMs: number | undefined;
  failedAtMs: number | undefined;
  exit: { readonly atMs: number; readonly exitCode: number; readonly oomKilled: boolean } | undefined;
  /** When the agent heard of the exit. */
  toldAtMs: number | undefined;
  sweptAtMs: number | undefined;
  signalledAtMs: number | undefined;
  killedAtMs: number | undefined;
  readonly commands: CommandRun[];
  /** The events that say that it is being stopped. */
  readonly killings: { readonly atMs: number; readonly message: string }[];
}

/** A hook or a probe that was run in a container. */
export interface CommandRun {
  readonly purpose: Purpose;
  readonly startedAtMs: number;
  endedAtMs: number | undefined;
  outcome: ExecOutcome | undefined;
  /** Had the container ended before it: whatever its outcome, it came too late? */
  isCutShort: boolean;
}

/** Is there a process? */
export function lives({ runningAtMs, exit }: Life): boolean {
  return runningAtMs !== undefined && exit === undefined;
}

/** Has the start been asked for, and is it not known yet what came of it? */
export function isStarting({ runningAtMs, failedAtMs }: Life): boolean {
  return runningAtMs === undefined && failedAtMs === undefined;
}

/** Is this instance over, whether it could be started or not? */
export function endOf({ exit, failedAtMs }: Life): number | undefined {
  return exit?.atMs ?? failedAtMs;
}

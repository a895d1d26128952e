import type { ExecOutcome } from '../../../src/runtime/base/runtime.ts';
import type { Purpose } from './scenario.ts';

/** One instance of a container, as the machine saw it. Times are on the stopwatch. */
export interface Life {
  readonly id: string;
  readonly container: string;
  /** The round, which each RestartAllContainers increases from 0 on. */
  readonly round: number;
  readonly askedAtMs: number;
  runningAtMs: number | undefined;
  failedAtMs: number | undefined;
  exit: { readonly atMs: number; readonly exitCode: number; readonly oomKilled: boolean } | undefined;
  /** The time when the exit was reported to the agent. */
  exitReportedAtMs: number | undefined;
  sweptAtMs: number | undefined;
  signalledAtMs: number | undefined;
  killedAtMs: number | undefined;
  readonly commands: CommandRun[];
  /** The events for stops of this instance. */
  readonly killings: Killing[];
}

/** The event for the stop of an instance. */
export interface Killing {
  readonly atMs: number;
  readonly message: string;
  /** The grace period of a Pod that was being deleted then. */
  readonly deletionGraceSeconds: number | undefined;
}

/** A hook or a probe that ran in a container. */
export interface CommandRun {
  readonly purpose: Purpose;
  readonly startedAtMs: number;
  endedAtMs: number | undefined;
  outcome: ExecOutcome | undefined;
  /** True when the container had ended before the command: the result came too late. */
  isCutShort: boolean;
}

/** True when the instance has a process. */
export function lives({ runningAtMs, exit }: Life): boolean {
  return runningAtMs !== undefined && exit === undefined;
}

/** True while the agent waits for the result of the start. */
export function isStarting({ runningAtMs, failedAtMs }: Life): boolean {
  return runningAtMs === undefined && failedAtMs === undefined;
}

/** The end of the instance, or of its failed start. */
export function endOf({ exit, failedAtMs }: Life): number | undefined {
  return exit?.atMs ?? failedAtMs;
}

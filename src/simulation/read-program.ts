import { parseDuration, PodrunError, usage } from '../api/index.ts';
import type { OutputStream } from '../runtime/index.ts';

/** The behaviour of a program from one start to its end. */
export interface SimulatedLife extends ProgramBehaviour {
  /** The time from its start until its probes succeed. Undefined: never. */
  readonly readyAfterMs: number | undefined;
}

/** A program that runs until it is stopped. */
export const RUNS: SimulatedLife = { readyAfterMs: 0 };

/** A program that does its work and ends. */
export const DOES_ITS_WORK: SimulatedLife = { ...RUNS, exitAfterMs: 1000, exitCode: 0 };

const DURATION = String.raw`(\S+)`;

/** The clauses of the grammar. Each returns what it says about a life. */
const CLAUSES: ReadonlyArray<readonly [RegExp, (...words: string[]) => Partial<SimulatedLife>]> = [
  [/^runs$/, () => ({})],
  [/^exits (\d{1,3})$/, (code) => ({ exitAfterMs: 0, exitCode: exitCode(code) })],
  [new RegExp(`^exits (\\d{1,3}) after ${DURATION}$`), (code, after) => ({ ...ends(after), exitCode: exitCode(code) })],
  [new RegExp(`^out of memory after ${DURATION}$`), (after) => ({ ...ends(after), oomKilled: true })],
  [new RegExp(`^ready after ${DURATION}$`), (after) => ({ readyAfterMs: duration(after) })],
  [/^never ready$/, () => ({ readyAfterMs: undefined })],
  [/^ignores TERM$/, () => ({ onSignal: () => 'ignore' })],
  [
    new RegExp(`^stops after ${DURATION}$`),
    (after) => ({ onSignal: () => ({ exitAfterMs: duration(after), exitCode: 0 }) }),
  ],
  [/^cannot start$/, () => ({ failToStart: 'exec: "app": executable file not found in $PATH' })],
];

/**
 * Reads a program, `app=exits 3 after 10s, ready after 2s then runs`. Returns its container, and one life for each
 * start; the last one repeats.
 * @throws {PodrunError} (usage) for any other text
 */
export function readProgram(text: string): { readonly container: string; readonly lives: readonly SimulatedLife[] } {
  const [, container, lives] = /^([a-z0-9][-a-z0-9]*)=(.+)$/s.exec(text) ?? [];
  if (container === undefined || lives === undefined) throw mistake(text, 'it has no CONTAINER=');
  return {
    container,
    lives: lives.split(/(?<!\s)\s+then\s+/).map((life) => {
      const parts = life.split(',').map((clause) => readClause(clause.trim(), text));
      return Object.assign({}, RUNS, ...parts) as SimulatedLife;
    }),
  };
}

function readClause(clause: string, text: string): Partial<SimulatedLife> {
  for (const [pattern, read] of CLAUSES) {
    const match = pattern.exec(clause);
    if (match !== null) return read(...match.slice(1));
  }
  throw mistake(text, `${JSON.stringify(clause)} is none of its clauses`);
}

function ends(after: string | undefined): Pick<ProgramBehaviour, 'exitAfterMs'> {
  return { exitAfterMs: duration(after) };
}

function duration(text = ''): number {
  try {
    const ms = parseDuration(text);
    if (ms >= 0) return ms;
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
  }
  throw usage(`--program: ${JSON.stringify(text)} is no duration`, 'Write it as 500ms, 10s or 1m30s.');
}

function exitCode(text = ''): number {
  const code = Number(text);
  if (code <= 255) return code;
  throw usage(`--program: ${code} is no exit code`, 'Exit codes are from 0 to 255.');
}

function mistake(text: string, why: string): PodrunError {
  return usage(`invalid --program ${JSON.stringify(text)}: ${why}`, 'podrun simulate --help lists the clauses.');
}

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

type SignalReaction = 'ignore' | { readonly exitAfterMs: number; readonly exitCode: number };

interface SimulatedOutput {
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

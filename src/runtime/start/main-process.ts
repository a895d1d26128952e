import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { inBackground } from '../../defects.ts';
import { sendSignal } from '../watch/kill.ts';
import type { ConnectedPipes } from '../pipes/process-pipes.ts';
import type { ProcessInput, ProcessStreams } from '../base/runtime.ts';
import { exitCodeOf } from './spawn.ts';

const { SIGCONT } = constants.signals;

/** The main process of a container, with pipes or a terminal. */
export interface MainProcess {
  /**
   * The started process, which leads a process group of this number: the program, or the tool that has entered the
   * container.
   */
  readonly pid: number;
  /** The process of the program. */
  readonly programPid: number;
  /** Resolves at the exit, whether or not all output was read. */
  readonly ended: Promise<{ readonly exitCode: number; readonly signal: NodeJS.Signals | undefined }>;
  /** Passes on output that was written but not read yet, after the exit. */
  finishOutput(): Promise<void>;
  /** Sends a signal to this process alone. */
  signal(number: number): void;
  readonly streams: ProcessStreams;
}

/** A main process in a terminal of its own, or the reason why there is none. */
export type TerminalOutcome =
  | { readonly ok: true; readonly process: MainProcess; readonly notice: string | undefined }
  | { readonly ok: false; readonly why: string };

/**
 * A child process with pipes.
 * @param program resolves with the pid of its program
 */
export async function pipedProcess(
  child: ChildProcess,
  pid: number,
  { output, input }: ConnectedPipes,
  program: Promise<number>,
): Promise<MainProcess> {
  // A program may end, or close its input, before it has read everything.
  input?.on('error', () => undefined);
  const ended = exitOf(child);
  inBackground(ended.then(() => input?.destroy()));
  const programPid = await program;
  return {
    pid,
    programPid,
    ended,
    finishOutput: () => output.finish(),
    signal: (number) => signalProgram({ pid, programPid }, number),
    streams: {
      input: input && pipedInput(input),
      terminal: undefined,
      holdOutput: (held) => output.hold(held),
    },
  };
}

export function exitOf(child: ChildProcess): MainProcess['ended'] {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ exitCode: exitCodeOf(code, signal), signal: signal ?? undefined });
    });
  });
}

/**
 * Sends a signal to the program. The tool that waits for it stops together with the program: SIGCONT must reach both.
 */
export function signalProgram({ pid, programPid }: Pick<MainProcess, 'pid' | 'programPid'>, number: number): void {
  sendSignal(programPid, number);
  if (number === SIGCONT && programPid !== pid) sendSignal(pid, number);
}

/** The input of a process as a stream of Node. */
export function pipedInput(stream: Writable, endOfInput?: Buffer): ProcessInput {
  return {
    write: (chunk) =>
      new Promise((resolve) => {
        stream.write(chunk, () => resolve());
      }),
    end: () => {
      if (endOfInput === undefined) stream.end();
      else stream.write(endOfInput);
    },
  };
}

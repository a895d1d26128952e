import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { sendSignal } from './kill.ts';
import type { ConnectedPipes } from './process-pipes.ts';
import type { ProcessInput, ProcessStreams } from './runtime.ts';
import { exitCodeOf } from './spawn.ts';

const { SIGCONT } = constants.signals;

/** The main process of a container, behind pipes or in a terminal. */
export interface MainProcess {
  /** What was started, and leads a process group of this number: the program, or what has entered the container. */
  readonly pid: number;
  /** The program's own process. */
  readonly programPid: number;
  /** As soon as it has ended, whatever became of its output. */
  readonly ended: Promise<{ readonly exitCode: number; readonly signal: NodeJS.Signals | undefined }>;
  /** Hands on what it has written and nobody has read yet; for a process that has ended. */
  finishOutput(): Promise<void>;
  /** To this process alone. */
  signal(number: number): void;
  readonly streams: ProcessStreams;
}

/** A main process in a terminal of its own, or why there is none. */
export type TerminalOutcome =
  | { readonly ok: true; readonly process: MainProcess; readonly notice: string | undefined }
  | { readonly ok: false; readonly why: string };

/**
 * A child process behind pipes.
 * @param program the process of its program, once that is known
 */
export async function pipedProcess(
  child: ChildProcess,
  pid: number,
  { output, input }: ConnectedPipes,
  program: Promise<number>,
): Promise<MainProcess> {
  // A program may end, or close its input, before it has read everything.
  input?.on('error', () => undefined);
  const ended = endOf(child);
  void ended.then(() => input?.destroy());
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

export function endOf(child: ChildProcess): MainProcess['ended'] {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ exitCode: exitCodeOf(code, signal), signal: signal ?? undefined });
    });
  });
}

/**
 * Who waits for a program inside a container stops when the program is stopped, and has to be told that it goes on.
 */
export function signalProgram({ pid, programPid }: Pick<MainProcess, 'pid' | 'programPid'>, number: number): void {
  sendSignal(programPid, number);
  if (number === SIGCONT && programPid !== pid) sendSignal(pid, number);
}

/** An input that is a stream of Node's. */
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

import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { sendSignal } from './kill.ts';
import type { PipeReader } from './pipe-reader.ts';
import type { ProcessInput, ProcessStreams } from './runtime.ts';
import { exitCodeOf } from './spawn.ts';

/** The main process of a container, behind pipes or in a terminal. */
export interface MainProcess {
  /** It leads a process group of this number. */
  readonly pid: number;
  /** As soon as it has ended, whatever became of its output. */
  readonly ended: Promise<{ readonly exitCode: number; readonly signal: NodeJS.Signals | undefined }>;
  /** Hands on what it has written and nobody has read yet; for a process that has ended. */
  finishOutput(): Promise<void>;
  /** To this process alone. */
  signal(number: number): void;
  readonly streams: ProcessStreams;
}

/** A child process whose output comes through pipes. */
export function pipedProcess(child: ChildProcess, pid: number, output: PipeReader): MainProcess {
  const { stdin } = child;
  // A program may end, or close its input, before it has read everything.
  stdin?.on('error', () => undefined);
  return {
    pid,
    ended: new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        stdin?.destroy();
        resolve({ exitCode: exitCodeOf(code, signal), signal: signal ?? undefined });
      });
    }),
    finishOutput: () => output.finish(),
    signal: (number) => sendSignal(pid, number),
    streams: {
      input: stdin === null ? undefined : pipedInput(stdin),
      terminal: undefined,
      holdOutput: (held) => output.hold(held),
    },
  };
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

import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import type { PodrunProgram } from '../../engine/index.ts';
import { succeeds } from '../../quietly.ts';

/** The signal with the same meaning: SIGHUP for a terminal that is gone, SIGPIPE for a pipe without a reader. */
export type ReaderGone = 'SIGHUP' | 'SIGPIPE';

/** The signals that ask podrun to end. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Calls back for each signal that reaches podrun. */
interface SignalSource {
  on(signal: EndSignal, listener: (signal: EndSignal) => void): unknown;
  off(signal: EndSignal, listener: (signal: EndSignal) => void): unknown;
}

/** A standard stream that podrun writes. See `StandardStream` for the real ones. */
export interface Writer {
  /** True: programs that podrun starts inherit it. */
  readonly isInherited: boolean;
  /** Writes at once, or behind earlier output that waits. Does nothing when the reader is gone. */
  write(output: string | Uint8Array): void;
  readonly isTerminal: boolean;
  /** The terminal. Undefined when the output goes elsewhere. */
  readonly terminal: NodeJS.WriteStream | undefined;
  /** Queues output for a slow reader in memory from now on, so that podrun can work meanwhile. */
  open(): void;
  /** The number of bytes that a slow reader has not taken. */
  readonly waitingBytes: number;
  /** Resolves when the reader has all output, or is gone. */
  flush(): Promise<void>;
  /** Calls back when the reader is gone or a write fails; at once when that has already happened. */
  onLost(callback: (how: ReaderGone) => void): void;
}

/**
 * The process that runs a command, as far as a command uses it. `start.ts` passes the real one, a test a substitute.
 */
export interface Process {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writer;
  readonly stderr: Writer;
  readonly signals: SignalSource;
  readonly clock: Clock;
  /** The folder of the built program. */
  readonly folder: string;
  /** The current folder: relative paths of the user begin there. */
  readonly cwd: string;
  readonly podrun: PodrunProgram;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** True when a folder of PATH has an executable program of this name. */
export function isOnPath(program: string, searchPath: string | undefined): boolean {
  return (searchPath ?? '')
    .split(path.delimiter)
    .some((folder) => folder !== '' && isRunnable(path.join(folder, program)));
}

function isRunnable(file: string): boolean {
  return succeeds(() => accessSync(file, constants.X_OK)) && statSync(file).isFile();
}

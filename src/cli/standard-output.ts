import { closeSync, fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Writable } from 'node:stream';
import { preferences } from './preferences.ts';

/** The signal that says the same: a terminal that is gone, or a pipe that nobody reads. */
export type ReaderGone = 'SIGHUP' | 'SIGPIPE';

/** What may wait for a reader who is slow, or has not begun. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

/** Standard output that may lose its reader: `podrun apply … | head -1`. */
export class StandardOutput {
  #gone: ReaderGone | undefined;
  #onGone: (how: ReaderGone) => void = () => undefined;
  #taken: Promise<void> | undefined;

  constructor() {
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (!isReaderGone(error)) throw error;
      this.#gone = error.code === 'EIO' ? 'SIGHUP' : 'SIGPIPE';
      this.#onGone(this.#gone);
    });
  }

  write(text: string | Uint8Array): void {
    if (this.#gone === undefined) process.stdout.write(text);
  }

  /** Says what was done: with --quiet only where it was asked for in a format, as by `-o name`. */
  tell(text: string, format?: string): void {
    if (format !== undefined || !preferences().isQuiet) this.write(text);
  }

  /** Resolves when everything was handed to the reader, or the reader is gone. */
  flush(): Promise<void> {
    return this.#gone === undefined ? handedOn(process.stdout) : Promise.resolve();
  }

  /** When the reader is far behind: resolves when it has everything, or is gone. Undefined: it is not. */
  whenTaken(): Promise<void> | undefined {
    if (process.stdout.writableLength <= WAITING_BYTES_MAX) return undefined;
    this.#taken ??= this.flush().finally(() => (this.#taken = undefined));
    return this.#taken;
  }

  onReaderGone(callback: (how: ReaderGone) => void): void {
    this.#onGone = callback;
    if (this.#gone !== undefined) callback(this.#gone);
  }
}

/** Does an error of a standard stream say that nobody reads it: the pipe is closed, or the terminal is gone? */
export function isReaderGone(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'EIO';
}

/**
 * Lets go of a terminal that is gone, as the last thing that is done: Node would put it back into the state in which it
 * found it, and abort when it cannot.
 */
export function leaveDeadTerminal(): void {
  for (const descriptor of [0, 1, 2]) {
    try {
      const stats = fstatSync(descriptor);
      // Most commands whose output goes into a file have no terminal, and need not load what knows one (4 ms).
      if (!stats.isCharacterDevice() || stats.rdev === statSync(devNull).rdev) continue;
      if (!process.getBuiltinModule('node:tty').isatty(descriptor)) closeSync(descriptor);
    } catch {
      // closed already
    }
  }
}

/** Resolves when a stream has handed everything on, or nobody reads it any more: pipes take only so much at a time. */
export function handedOn(stream: Writable): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('error', done);
      resolve();
    };
    stream.once('error', done);
    stream.write('', done);
  });
}

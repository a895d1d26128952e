import { closeSync, fstatSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { errnoOf, errnoText } from '../../runtime/index.ts';
import type { ReaderGone, Writer } from '../base/process.ts';
import { quietly } from '../../quietly.ts';

const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;

/** Standard output or standard error of this process. */
export class StandardStream implements Writer {
  readonly isInherited = true;
  readonly #name: keyof typeof DESCRIPTORS;
  readonly #onFailure: (reason: string) => void;
  readonly #onLost = new Set<(how: ReaderGone) => void>();
  #opened: NodeJS.WriteStream | undefined;
  #lost: ReaderGone | undefined;

  /** @param onFailure called when podrun cannot write although the reader is present, such as to a full disk */
  constructor(name: keyof typeof DESCRIPTORS, onFailure: (reason: string) => void = () => undefined) {
    this.#name = name;
    this.#onFailure = onFailure;
  }

  write(output: string | Uint8Array): void {
    if (this.#lost !== undefined) return;
    let rest = output;
    try {
      // Node writes to a file synchronously, too, and throws errors.
      if (this.#opened !== undefined) return void this.#opened.write(output);
      rest = typeof output === 'string' ? Buffer.from(output) : output;
      while (rest.length > 0) rest = rest.subarray(writeSync(DESCRIPTORS[this.#name], rest));
    } catch (error) {
      // Another process with the same pipe may have set it to non-blocking.
      if (errnoOf(error) === 'EAGAIN') this.#stream().write(rest);
      else this.#lose(error);
    }
  }

  open(): void {
    this.#stream();
  }

  /** True for a terminal. Node's terminal code is loaded only for character devices. */
  get isTerminal(): boolean {
    return isTerminal(DESCRIPTORS[this.#name]);
  }

  get terminal(): NodeJS.WriteStream | undefined {
    if (this.#opened === undefined) return this.isTerminal ? this.#stream() : undefined;
    return this.#opened.isTTY ? this.#opened : undefined;
  }

  /** True until output has been queued or lost. */
  get isUntouched(): boolean {
    return this.#opened === undefined && this.#lost === undefined;
  }

  get waitingBytes(): number {
    return this.#lost === undefined ? (this.#opened?.writableLength ?? 0) : 0;
  }

  flush(): Promise<void> {
    return this.#opened === undefined || this.#lost !== undefined ? Promise.resolve() : drained(this.#opened);
  }

  onLost(callback: (how: ReaderGone) => void): void {
    this.#onLost.add(callback);
    if (this.#lost !== undefined) callback(this.#lost);
  }

  /**
   * The stream of Node. Its first use loads Node's streams and sockets, 5 ms of the 30 of a short command: a command
   * that prints one text does not need them.
   */
  #stream(): NodeJS.WriteStream {
    if (this.#opened === undefined) {
      this.#opened = process[this.#name];
      this.#opened.on('error', (error) => this.#lose(error));
    }
    return this.#opened;
  }

  /**
   * Drops the output of a stream that cannot be written. podrun continues, because its work matters more than a lost
   * line.
   */
  #lose(error: unknown): void {
    if (this.#lost !== undefined) return;
    const errno = errnoOf(error);
    this.#lost = errno === 'EIO' ? 'SIGHUP' : 'SIGPIPE';
    if (errno !== 'EIO' && errno !== 'EPIPE') this.#onFailure(errnoText(errno));
    for (const callback of this.#onLost) callback(this.#lost);
  }
}

/** Resolves when a stream has passed everything on, or its reader is gone: a pipe takes only so much at a time. */
export function drained(stream: Writable): Promise<void> {
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

/**
 * Closes a terminal that is gone, as the last step of the process. Node would try to restore the settings of the
 * terminal, and abort when that fails.
 */
export function leaveDeadTerminal(): void {
  for (const descriptor of [0, 1, 2]) {
    // The descriptor may be closed already.
    quietly(() => isCharacterDevice(descriptor) && !isatty(descriptor) && closeSync(descriptor));
  }
}

function isTerminal(descriptor: number): boolean {
  return isCharacterDevice(descriptor) && isatty(descriptor);
}

function isCharacterDevice(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  return stats.isCharacterDevice() && stats.rdev !== statSync(devNull).rdev;
}

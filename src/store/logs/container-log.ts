import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { handlerTags, type LogStream, recordTime } from './cri-line.ts';
import { onDisk } from '../disk-errors.ts';
import { endsWithNewline } from '../line-cursor.ts';
import { makeLogFolders, putAside, removeOldInstances } from './log-files.ts';
import { makeRecords } from './make-records.ts';

/** Kubelet's `containerLogMaxSize` and `containerLogMaxFiles`. */
const KUBELET_LIMITS: LogLimits = { fileBytesMax: 10 * 1024 * 1024, filesMax: 5 };

const FILE_MODE = 0o600;

/** Much less is said by hooks and probes. */
const HOOK_LOG_LIMITS: LogLimits = { fileBytesMax: 1024 * 1024, filesMax: 2 };

export interface LogLimits {
  /** A file that would become larger is put aside, and a new one begun. */
  readonly fileBytesMax: number;
  /** Files kept, with the one that is written. */
  readonly filesMax: number;
}

/**
 * Writes the log of one instance of a container: see cri-line.ts for the form and log-files.ts for the files. Every
 * chunk of output is in the file, byte for byte, when `write` returns; nothing is held back for the end of a line.
 */
export class ContainerLog {
  readonly #path: string;
  readonly #limits: LogLimits;
  #file: number;
  #size: number;
  #lastMs = 0;

  /**
   * Opens the log, or continues it, and removes those of instances that are too old.
   * @param file `…/logs/CONTAINER/RESTARTCOUNT.log`; its folders are made, but that of its Pod is not
   * @throws {PodrunError} when it cannot be written
   */
  constructor(file: string, limits: LogLimits = KUBELET_LIMITS) {
    this.#path = file;
    this.#limits = limits;
    [this.#file, this.#size] = this.#onDisk(() => {
      makeLogFolders(file);
      return openLog(file);
    });
  }

  /**
   * Writes a piece of output.
   * @param wallMs when it was read; times in a log never go back, whatever the clock does
   * @param tags of its records, see recordHead
   * @throws {PodrunError} when it cannot be written; the log then ends with a whole record
   */
  write(stream: LogStream, chunk: Buffer, wallMs: number, tags?: string): void {
    if (chunk.length === 0) return;
    this.#lastMs = Math.max(this.#lastMs, wallMs);
    const time = recordTime(this.#lastMs);
    this.#onDisk(() =>
      makeRecords(chunk, { time, stream, tags }, (records) => {
        if (this.#size > 0 && this.#size + records.length > this.#limits.fileBytesMax) this.#rotate(time);
        this.#append(records);
      }),
    );
  }

  /** @throws {PodrunError} when the disk tells only now that it did not keep what was written */
  close(): void {
    this.#onDisk(() => closeSync(this.#file));
  }

  #append(records: Uint8Array): void {
    try {
      let written = 0;
      while (written < records.length) written += writeSync(this.#file, records, written);
      this.#size += records.length;
    } catch (error) {
      // Half a record would spoil the next one.
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
  }

  #rotate(time: string): void {
    putAside(this.#path, time, this.#limits.filesMax);
    const next = openSync(this.#path, 'a', FILE_MODE);
    closeSync(this.#file);
    this.#file = next;
    this.#size = 0;
  }

  #onDisk<T>(run: () => T): T {
    return onDisk(`the log ${this.#path}`, run);
  }
}

/** Opens a log to go on with it; answers the file and its size. */
function openLog(log: string): [file: number, size: number] {
  const file = openSync(log, 'a+', FILE_MODE);
  try {
    // Torn by a crash: the next record begins on a line of its own.
    if (!endsWithNewline(file)) writeSync(file, '\n');
    removeOldInstances(path.dirname(log));
    return [file, fstatSync(file).size];
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** What a hook or probe said, or podrun about it. */
export interface HandlerWords {
  readonly handler: string;
  /** Undefined: a note of podrun. */
  readonly stream: LogStream | undefined;
  /** Whole lines. */
  readonly lines: Buffer;
}

/**
 * Appends to the log of the hooks and probes of an instance. Several may speak at a time: nothing is kept open.
 * @throws {PodrunError} when it cannot be written
 */
export function appendToHookLog(file: string, { handler, stream, lines }: HandlerWords, wallMs: number): void {
  const log = new ContainerLog(file, HOOK_LOG_LIMITS);
  try {
    log.write(stream ?? 'stdout', lines, wallMs, handlerTags(handler, stream === undefined));
  } finally {
    log.close();
  }
}

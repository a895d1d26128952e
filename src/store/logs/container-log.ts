import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { handlerTags, type LogStream, parseRecord, recordTime } from './cri-line.ts';
import { onDisk } from '../disk/disk-errors.ts';
import { endsWithNewline } from '../disk/line-cursor.ts';
import { makeLogFolders, rotateLog, removeOldInstances } from './log-files.ts';
import { makeRecords } from './make-records.ts';

/** Kubelet's `containerLogMaxSize` and `containerLogMaxFiles`. */
const KUBELET_LIMITS: LogLimits = { fileBytesMax: 10 * 1024 * 1024, filesMax: 5 };

const FILE_MODE = 0o600;

const NEWLINE = 10;

/** The bytes that the notes about the gaps of both streams take at most. */
const GAPS_BYTES_MAX = 400;

/** The bytes at the end of a log that surely contain whole records: more than the longest record. */
const TAIL_BYTES = 32 * 1024;

/** The limits for logs of hooks and probes, which write far less than containers. */
const HOOK_LOG_LIMITS: LogLimits = { fileBytesMax: 1024 * 1024, filesMax: 2 };

export interface LogLimits {
  /** The size of a file. A file that would exceed it is rotated. */
  readonly fileBytesMax: number;
  /** The number of files to keep, the current one included. */
  readonly filesMax: number;
}

/**
 * Writes the log of one container instance: see cri-line.ts for the format and log-files.ts for the files. Every chunk
 * of output is in the file, byte for byte, when `write` returns, whether its last line is complete or not. When the
 * disk was too full for some chunks, a line says how many bytes are missing, as soon as there is room for that line.
 */
export class ContainerLog {
  readonly #path: string;
  readonly #limits: LogLimits;
  /** Undefined before the log is open. */
  #file: number | undefined;
  #size = 0;
  #lastMs = 0;
  /** The bytes of output, by stream, that failed to be written since the last successful write. */
  readonly #missing = new Map<LogStream, { readonly bytes: number; readonly tags: string | undefined }>();
  /** Streams whose last line in the file is incomplete. */
  readonly #unfinished = new Set<LogStream>();

  /** @param file `…/logs/CONTAINER/RESTARTCOUNT.log`; makes missing folders below the Pod's */
  constructor(file: string, limits: LogLimits = KUBELET_LIMITS) {
    this.#path = file;
    this.#limits = limits;
  }

  /**
   * Writes a chunk of output. The first call opens or continues the log, and removes the logs of old instances.
   * @param wallMs the time at which the chunk was read; times in a log never decrease, whatever the clock does
   * @param tags the tags of its records, see recordHead
   * @throws {PodrunError} when the chunk cannot be written; the log then ends with a whole record
   */
  write(stream: LogStream, chunk: Buffer, wallMs: number, tags?: string): void {
    if (chunk.length === 0) return;
    this.#lastMs = Math.max(this.#lastMs, wallMs);
    try {
      this.#appendWhole((time) => {
        this.#appendGaps(time);
        this.#append(makeRecords(chunk, { time, stream, tags }), time);
      });
    } catch (error) {
      this.#missing.set(stream, { bytes: (this.#missing.get(stream)?.bytes ?? 0) + chunk.length, tags });
      throw error;
    }
    this.#missing.clear();
    if (chunk.at(-1) === NEWLINE) this.#unfinished.delete(stream);
    else this.#unfinished.add(stream);
  }

  /**
   * Closes the log.
   * @throws {PodrunError} when the end of the output is missing and there is no room for a note about it, or when the
   *   disk reports only now that it lost data
   */
  close(): void {
    try {
      if (this.#missing.size > 0) this.#appendLastGaps();
    } finally {
      const file = this.#file;
      this.#file = undefined;
      if (file !== undefined) this.#onDisk(() => closeSync(file));
    }
  }

  /** Appends the notes about the last gaps. Without room for them, they replace the last records. */
  #appendLastGaps(): void {
    const append = (time: string): void => this.#appendGaps(time);
    try {
      this.#appendWhole(append);
    } catch (error) {
      if (this.#file === undefined || this.#size === 0) throw error;
      this.#onDisk(() => this.#dropLastRecords());
      this.#appendWhole(append);
    }
  }

  /** Removes records to make room for the notes about gaps. The removed bytes count as missing. */
  #dropLastRecords(): void {
    if (this.#file === undefined) return;
    const tail = Buffer.alloc(Math.min(this.#size, TAIL_BYTES));
    readSync(this.#file, tail, 0, tail.length, this.#size - tail.length);
    let end = tail.length;
    while (end > 0 && tail.length - end < GAPS_BYTES_MAX) {
      const start = end < 2 ? 0 : tail.lastIndexOf(NEWLINE, end - 2) + 1;
      const record = parseRecord(tail.toString('latin1', start, end - 1));
      if (record !== undefined) {
        const { bytes = 0, tags } = this.#missing.get(record.stream) ?? {};
        const dropped = record.content.length + (record.isEnd ? 1 : 0);
        this.#missing.set(record.stream, { bytes: bytes + dropped, tags });
      }
      end = start;
    }
    this.#size -= tail.length - end;
    ftruncateSync(this.#file, this.#size);
  }

  /** Appends records. Restores the file when that fails. */
  #appendWhole(append: (time: string) => void): void {
    this.#onDisk(() => {
      if (this.#file === undefined) this.#open();
      const before = { file: this.#file, size: this.#size };
      try {
        append(recordTime(this.#lastMs));
      } catch (error) {
        // A file that was rotated meanwhile keeps its records. Half a record would spoil the next one.
        this.#size = before.file === this.#file ? before.size : 0;
        if (this.#file !== undefined) ftruncateSync(this.#file, this.#size);
        throw error;
      }
    });
  }

  /** Appends a note for each stream with missing bytes. */
  #appendGaps(time: string): void {
    for (const [stream, { bytes, tags }] of this.#missing) {
      const end = this.#unfinished.has(stream) ? '\n' : '';
      const line = Buffer.from(`${end}podrun: ${bytes} bytes of output are missing here: they could not be written\n`);
      this.#append(makeRecords(line, { time, stream, tags }), time);
    }
  }

  #append(records: Uint8Array, time: string): void {
    if (this.#size > 0 && this.#size + records.length > this.#limits.fileBytesMax) this.#rotate(time);
    if (this.#file === undefined) return;
    let written = 0;
    while (written < records.length) written += writeSync(this.#file, records, written);
    this.#size += records.length;
  }

  #open(): void {
    makeLogFolders(this.#path);
    [this.#file, this.#size] = openLog(this.#path);
  }

  #rotate(time: string): void {
    rotateLog(this.#path, time, this.#limits.filesMax);
    const next = openSync(this.#path, 'a', FILE_MODE);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = next;
    this.#size = 0;
  }

  #onDisk<T>(run: () => T): T {
    return onDisk(`the log ${this.#path}`, run);
  }
}

/** Opens a log to continue it. Returns the file and its size. */
function openLog(log: string): [file: number, size: number] {
  const file = openSync(log, 'a+', FILE_MODE);
  try {
    // A crash may have left half a record: the next record begins a new line.
    if (!endsWithNewline(file)) writeSync(file, '\n');
    removeOldInstances(path.dirname(log));
    return [file, fstatSync(file).size];
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Output of a hook or probe, or a note of podrun about the hook or probe. */
export interface HandlerLogEntry {
  readonly handler: string;
  /** Undefined for a note of podrun. */
  readonly stream: LogStream | undefined;
  /** Whole lines, with their newlines. */
  readonly lines: Buffer;
}

/**
 * Appends to the log of the hooks and probes of an instance. Several may write at a time, so the file is not kept open.
 * @throws {PodrunError} when it cannot be written
 */
export function appendToHookLog(file: string, { handler, stream, lines }: HandlerLogEntry, wallMs: number): void {
  const log = new ContainerLog(file, HOOK_LOG_LIMITS);
  try {
    log.write(stream ?? 'stdout', lines, wallMs, handlerTags(handler, stream === undefined));
  } finally {
    log.close();
  }
}

import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { KubeObject, WatchEvent } from '../api/objects.ts';
import { ifPresent } from './disk-errors.ts';

/**
 * The transition log of a Pod: watch events of the Pod and of its Events, one per line, appended, never changed.
 * A line is written in one call, so that lines of several processes do not mix. A crash in the middle of that call
 * leaves a torn line: no JSON, so readers skip it, and the next writer begins a line of its own.
 */

const NEWLINE = 10;
const CHUNK_BYTES = 256 * 1024;
// Read into by everybody: what is read is copied before anything else can happen.
const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
const NOTHING = Buffer.alloc(0);
// Where `"kind":"Event"` stands in a line that `transitionLine` made.
const KIND_WITHIN_BYTES = 100;

/** The line of a change. apiVersion and kind come first: readers tell Events from Pods without parsing. */
export function transitionLine<T extends object>(type: WatchEvent['type'], object: T): string {
  const { apiVersion, kind, ...rest } = object as T & Partial<KubeObject>;
  return `${JSON.stringify({ type, object: { apiVersion, kind, ...rest } })}\n`;
}

/** What a line says; undefined for a torn one. */
export function parseTransition(line: Buffer): WatchEvent | undefined {
  try {
    return JSON.parse(line.toString('utf8')) as WatchEvent;
  } catch {
    return undefined;
  }
}

/** Is the line about an Event (and not about the Pod)? */
export function isAboutEvent(line: Buffer): boolean {
  return line.subarray(0, KIND_WITHIN_BYTES).includes('"kind":"Event"');
}

/** Appends a line to a log that exists: a Pod that was removed does not come back. */
export function appendTransition(file: string, line: string): void {
  const log = openSync(file, constants.O_RDWR | constants.O_APPEND);
  try {
    const torn = !endsWithNewline(log);
    const bytes = Buffer.from(torn ? `\n${line}` : line);
    // Cut short by a disk that just became full: the whole line once more, which either fails with the reason or works.
    if (writeSync(log, bytes) < bytes.length) writeSync(log, `\n${line}`);
  } finally {
    closeSync(log);
  }
}

function endsWithNewline(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.allocUnsafe(1);
  return readSync(file, last, 0, 1, size - 1) === 0 || last[0] === NEWLINE;
}

/** Every line of a log, without its newline, in order; none where there is no log. Holds one chunk in memory. */
export function* transitionLines(file: string): Generator<Buffer> {
  const cursor = LogCursor.open(file, 'start');
  if (cursor === undefined) return;
  try {
    for (let lines = cursor.next(); lines.length > 0; lines = cursor.next()) yield* lines;
  } finally {
    cursor.close();
  }
}

/** A place in a log that grows. Holds the file open, so that it can be read to its end even after it was removed. */
export class LogCursor {
  readonly #path: string;
  readonly #file: number;
  readonly #inode: number;
  #offset: number;
  #isClosed = false;
  /** The beginning of a line whose end is not written yet. */
  #rest: Buffer = NOTHING;

  private constructor(path: string, file: number, from: 'start' | 'end') {
    const { ino, size } = fstatSync(file);
    this.#path = path;
    this.#file = file;
    this.#inode = ino;
    this.#offset = from === 'start' ? 0 : endOfLastLine(file, size);
  }

  /** Undefined when there is no such file. */
  static open(path: string, from: 'start' | 'end'): LogCursor | undefined {
    const file = ifPresent(() => openSync(path, 'r'));
    return file === undefined ? undefined : new LogCursor(path, file, from);
  }

  /** The next complete lines, without their newlines: at most a chunk of them, none at the end of what is written. */
  next(): Buffer[] {
    while (!this.#isClosed) {
      const length = readSync(this.#file, chunk, 0, CHUNK_BYTES, this.#offset);
      if (length === 0) return [];
      this.#offset += length;
      const lines = this.#split(Buffer.concat([this.#rest, chunk.subarray(0, length)]));
      if (lines.length > 0) return lines;
    }
    return [];
  }

  #split(bytes: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (end > start) lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    // A copy, so that an idle cursor does not keep the whole chunk.
    this.#rest = start === bytes.length ? NOTHING : Buffer.from(bytes.subarray(start));
    return lines;
  }

  /** Is this still the file at its path, or was that removed or replaced? */
  isCurrent(): boolean {
    return ifPresent(() => statSync(this.#path))?.ino === this.#inode;
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#file);
    this.#isClosed = true;
  }
}

/** Where the last complete line ends: what follows is still being written. */
function endOfLastLine(file: number, size: number): number {
  for (let end = size; end > 0; end -= CHUNK_BYTES) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const length = readSync(file, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, length).lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
  }
  return 0;
}

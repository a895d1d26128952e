import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { ifPresent } from './disk-errors.ts';

const NEWLINE = 10;
const CHUNK_BYTES = 256 * 1024;
// Read into by everybody: what is read is copied before anything else can happen.
const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
const NOTHING = Buffer.alloc(0);

/** Where to begin: at the first line, after the last one that is complete, or at the offset of a line. */
export type LineStart = 'start' | 'end' | number;

/**
 * A place in a file of lines that grows. Holds the file open, so that it can be read to its end even after it was moved
 * or removed.
 */
export class LineCursor {
  readonly #path: string;
  readonly #file: number;
  readonly inode: number;
  #offset: number;
  #isClosed = false;
  /** The beginning of a line whose end is not written yet. */
  #rest: Buffer = NOTHING;

  private constructor(path: string, file: number, from: LineStart) {
    const { ino, size } = fstatSync(file);
    this.#path = path;
    this.#file = file;
    this.inode = ino;
    this.#offset = from === 'end' ? endOfLastLine(file, size) : from === 'start' ? 0 : from;
  }

  /** Undefined when there is no such file. */
  static open(path: string, from: LineStart): LineCursor | undefined {
    const file = ifPresent(() => openSync(path, 'r'));
    return file === undefined ? undefined : new LineCursor(path, file, from);
  }

  /** The next complete lines, without their newlines: at most a chunk of them, none at the end of what is written. */
  next(): Buffer[] {
    for (let block = this.nextBlock(); block.length > 0; block = this.nextBlock()) {
      const lines = linesOf(block);
      if (lines.length > 0) return lines;
    }
    return [];
  }

  /** The same as one piece, with the newlines and the lines that are empty. */
  nextBlock(): Buffer {
    while (!this.#isClosed) {
      const length = readSync(this.#file, chunk, 0, CHUNK_BYTES, this.#offset);
      if (length === 0) return NOTHING;
      this.#offset += length;
      const bytes = Buffer.concat([this.#rest, chunk.subarray(0, length)]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      // A copy, so that an idle cursor does not keep the whole chunk.
      this.#rest = end === bytes.length ? NOTHING : Buffer.from(bytes.subarray(end));
      if (end > 0) return bytes.subarray(0, end);
    }
    return NOTHING;
  }

  /** Goes on after the last line that is complete by now. */
  skipToEnd(): void {
    if (this.#isClosed) return;
    this.#offset = endOfLastLine(this.#file, fstatSync(this.#file).size);
    this.#rest = NOTHING;
  }

  /** Is this still the file at its path, or was that removed or replaced? */
  isCurrent(): boolean {
    return ifPresent(() => statSync(this.#path))?.ino === this.inode;
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#file);
    this.#isClosed = true;
  }
}

/** The lines of a block, without newlines; those that are empty are none. */
export function linesOf(block: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE, start)) {
    if (end > start) lines.push(block.subarray(start, end));
    start = end + 1;
  }
  return lines;
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

/** Is the last line of a file complete? So is that of an empty one. */
export function endsWithNewline(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.allocUnsafe(1);
  return readSync(file, last, 0, 1, size - 1) === 0 || last[0] === NEWLINE;
}

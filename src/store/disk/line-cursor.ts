import { closeSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { ifPresent } from './disk-errors.ts';

const NEWLINE = 10;
// Larger strings and buffers are memory that the system allocates anew for each, which takes twice the time.
const CHUNK_BYTES = 64 * 1024;
// A buffer that all cursors share: each copies its bytes before anything else runs.
const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
const NOTHING = Buffer.alloc(0);
const NEWLINE_ALONE = Buffer.from('\n');

/** The start of a cursor: the first line, the end of the last complete line, or the offset of a line. */
export type LineStart = 'start' | 'end' | number;

/**
 * The most files that are open for cursors of {@link LineCursor.openOneOfMany}: a process may have tens of thousands of
 * Pods that wait, and has 1,024 descriptors by default.
 */
const OPEN_MAX = 400;
/** The cursors with such a file, the most recently used at the end. */
const openOfMany = new Set<LineCursor>();

/**
 * A position in a growing file of lines. The cursor holds the file open, so that it can read to the end even after the
 * file was moved or removed.
 */
export class LineCursor {
  readonly #path: string;
  /** Undefined: it is not open now. */
  #openFile: number | undefined;
  /** The flags for opening it again. Undefined: it stays open. */
  readonly #flags: string | number | undefined;
  readonly inode: number;
  #offset: number;
  #isClosed = false;
  /** The beginning of a line whose end is not yet written. */
  #rest: Buffer[] = [];

  private constructor(path: string, file: number, from: LineStart, flags?: string | number) {
    const { ino, size } = fstatSync(file);
    this.#path = path;
    this.#openFile = file;
    this.#flags = flags;
    this.inode = ino;
    this.#offset = from === 'end' ? endOfLastLine(file, size) : from === 'start' ? 0 : from;
  }

  /** Opens a file. Undefined when there is no such file. */
  static open(path: string, from: LineStart): LineCursor | undefined {
    const file = ifPresent(() => openSync(path, 'r'));
    return file === undefined ? undefined : new LineCursor(path, file, from);
  }

  /**
   * Opens a file that is closed while many other files are used, and opened again by its next use. A file that was
   * moved or removed meanwhile has no more lines, and takes none.
   * @param flags of open(2). Default: for reading only
   */
  static openOneOfMany(path: string, from: LineStart, flags: string | number = 'r'): LineCursor | undefined {
    const file = ifPresent(() => openSync(path, flags));
    return file === undefined ? undefined : new LineCursor(path, file, from, flags).#used();
  }

  /** The open file. Undefined: it is closed, or gone. */
  get #file(): number | undefined {
    if (this.#flags !== undefined && !this.#isClosed) {
      this.#openFile ??= this.#openAgain(this.#flags);
      this.#used();
    }
    return this.#openFile;
  }

  #used(): this {
    openOfMany.delete(this);
    if (this.#openFile === undefined) return this;
    openOfMany.add(this);
    const [oldest] = openOfMany;
    if (openOfMany.size > OPEN_MAX && oldest !== undefined) oldest.#closeFile();
    return this;
  }

  #openAgain(flags: string | number): number | undefined {
    const file = ifPresent(() => openSync(this.#path, flags));
    if (file === undefined || fstatSync(file).ino === this.inode) return file;
    closeSync(file);
    return undefined;
  }

  #closeFile(): void {
    openOfMany.delete(this);
    if (this.#openFile !== undefined) closeSync(this.#openFile);
    this.#openFile = undefined;
  }

  /** The next complete lines without newlines, at most one chunk. Empty at the end of the file. */
  next(): Buffer[] {
    for (let block = this.nextBlock(); block.length > 0; block = this.nextBlock()) {
      const lines = linesOf(block);
      if (lines.length > 0) return lines;
    }
    return [];
  }

  /** The next complete lines in one piece, with newlines and empty lines. */
  nextBlock(): Buffer {
    const file = this.#file;
    if (file === undefined) return NOTHING;
    for (;;) {
      const length = readSync(file, chunk, 0, CHUNK_BYTES, this.#offset);
      if (length === 0) return NOTHING;
      this.#offset += length;
      const bytes = chunk.subarray(0, length);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      const before = this.#rest;
      // The pieces of a long line are joined once, at its end.
      if (end > 0) this.#rest = [];
      // Without the copy, the next read would overwrite it.
      if (end < length) this.#rest.push(Buffer.from(bytes.subarray(end)));
      if (end > 0) return Buffer.concat([...before, bytes.subarray(0, end)]);
    }
  }

  /** Moves to the end of the last complete line. */
  skipToEnd(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#offset = endOfLastLine(file, fstatSync(file).size);
    this.#rest = [];
  }

  /** The offset up to which the file was read. */
  get offset(): number {
    return this.#offset;
  }

  /** Looks at the path: whether this file is still there, and whether there is more to read of it. */
  look(): { readonly isCurrent: boolean; readonly hasNews: boolean } {
    const stats = ifPresent(() => statSync(this.#path));
    const isCurrent = stats?.ino === this.inode;
    return { isCurrent, hasNews: !isCurrent || stats.size !== this.#offset };
  }

  /** A part of the file. */
  bytes(start: number, end: number): Buffer {
    const file = this.#file;
    if (file === undefined) return NOTHING;
    const bytes = Buffer.allocUnsafe(end - start);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
  }

  /**
   * Appends lines in one write, and moves past them. Everything before must have been read, and the file be open for
   * appending. A line that was cut short, by a crash or a full disk, is ended first: no line is joined to it.
   */
  append(lines: Buffer): void {
    const file = this.#file;
    if (file === undefined) return;
    do {
      const bytes = this.#rest.length === 0 ? lines : Buffer.concat([NEWLINE_ALONE, lines]);
      // A disk that is almost full takes a part. To write all of it again either works or fails with the reason.
      const written = writeSync(file, bytes);
      this.#offset += written;
      this.#rest = written === bytes.length ? [] : [bytes.subarray(0, written)];
    } while (this.#rest.length > 0);
  }

  close(): void {
    this.#closeFile();
    this.#isClosed = true;
  }
}

/** The lines of a block without newlines. Empty lines are left out. */
export function linesOf(block: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE, start)) {
    if (end > start) lines.push(block.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** The offset after the last complete line: an incomplete line may follow. */
function endOfLastLine(file: number, size: number): number {
  for (let end = size; end > 0; end -= CHUNK_BYTES) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const length = readSync(file, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, length).lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
  }
  return 0;
}

/** True when the file is empty or its last line is complete. */
export function endsWithNewline(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.allocUnsafe(1);
  return readSync(file, last, 0, 1, size - 1) === 0 || last[0] === NEWLINE;
}

import { statSync } from 'node:fs';
import path from 'node:path';
import { ifPresent, onDisk } from '../disk-errors.ts';
import { watchPath } from '../folder-watch.ts';
import { LineCursor, linesOf } from '../line-cursor.ts';
import { partsOfLog } from './log-files.ts';
import type { LogPlace } from './log-tail.ts';

const NOTHING = Buffer.alloc(0);

/** Parts that are held open at most. Who is slower than that loses parts that the writer removes meanwhile. */
const HELD_MAX = 64;

/** Reads a file of lines that is put aside when it is full, part by part, also while it is being written. */
export class RotatedLines {
  readonly #path: string;
  readonly #begin: (parts: readonly string[]) => LogPlace;
  #cursor: LineCursor | undefined;
  /** Parts that follow, oldest first: held open, so that they can be read when the writer has removed them. */
  #held: LineCursor[] = [];
  #isWatched = false;
  #isClosed = false;

  /**
   * @param file the part that is written last; need not exist yet
   * @param begin where to begin, given the files of all parts, oldest first
   * @throws {PodrunError} when it cannot be read
   */
  constructor(file: string, begin: (parts: readonly string[]) => LogPlace = () => ({ part: 0, offset: 0 })) {
    this.#path = file;
    this.#begin = begin;
    this.#cursor = onDisk(`the log ${file}`, () => this.#openFirst());
  }

  /**
   * The next complete lines, some at a time; none at the end of what is written.
   * @throws {PodrunError} when they cannot be read
   */
  next(): Buffer[] {
    for (let block = this.nextBlock(); block.length > 0; block = this.nextBlock()) {
      const lines = linesOf(block);
      if (lines.length > 0) return lines;
    }
    return [];
  }

  /**
   * The same as one piece, with the newlines and the lines that are empty.
   * @throws {PodrunError} when they cannot be read
   */
  nextBlock(): Buffer {
    return onDisk(`the log ${this.#path}`, () => this.#nextBlock());
  }

  #nextBlock(): Buffer {
    if (!this.#isClosed) this.#cursor ??= this.#openFirst();
    while (this.#cursor !== undefined && !this.#isClosed) {
      const block = this.#cursor.nextBlock();
      if (this.#isWatched) this.#holdSuccessors();
      if (block.length > 0) return block;
      if (this.#held.length === 0) this.#holdSuccessors();
      if (this.#held.length === 0) return NOTHING;
      // Between the last look and now the writer may have filled this part before it began the next one.
      const late = this.#cursor.nextBlock();
      if (late.length > 0) return late;
      this.#cursor.close();
      this.#cursor = this.#held.shift();
    }
    return NOTHING;
  }

  /**
   * Calls back when something may have been written. Nothing is read by itself; but nothing is lost either while this
   * goes on, however fast the writer removes its parts, as long as it is not too many of them ahead.
   */
  watch(onChange: () => void): { close(): void } {
    this.#isWatched = true;
    return watchPath(path.dirname(this.#path), () => {
      this.#holdSuccessors();
      onChange();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const cursor of [this.#cursor, ...this.#held]) cursor?.close();
    this.#held = [];
  }

  #openFirst(): LineCursor | undefined {
    const opened = this.#undisturbed((parts) => {
      const { part, offset } = this.#begin(parts);
      const first = parts[part];
      return [first === undefined ? undefined : LineCursor.open(first, offset)];
    });
    return opened[0];
  }

  /** Opens parts, at a moment when none is put aside: that gives their names to other files. */
  #undisturbed(open: (parts: readonly string[]) => Array<LineCursor | undefined>): LineCursor[] {
    for (;;) {
      const parts = partsOfLog(this.#path);
      const cursors = open(parts).filter((cursor) => cursor !== undefined);
      if (partsOfLog(this.#path).join('\n') === parts.join('\n')) return cursors;
      for (const cursor of cursors) cursor.close();
    }
  }

  /** Opens parts that follow the newest one that is open; from the oldest on when that was removed meanwhile. */
  #holdSuccessors(): void {
    const newest = this.#held.at(-1) ?? this.#cursor;
    const room = HELD_MAX - this.#held.length;
    if (room === 0) return;
    const inodeOf = (part: string): number | undefined => ifPresent(() => statSync(part))?.ino;
    // Most looks find the same file where the last part is: there is no need to look at all of them.
    if (newest === undefined || this.#isClosed || inodeOf(this.#path) === newest.inode) return;
    const successors = this.#undisturbed((parts) => {
      const place = parts.findIndex((part) => inodeOf(part) === newest.inode);
      return parts.slice(place + 1, place + 1 + room).map((part) => LineCursor.open(part, 'start'));
    });
    this.#held.push(...successors);
  }
}

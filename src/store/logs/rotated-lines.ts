import { statSync } from 'node:fs';
import path from 'node:path';
import { ifPresent, onDisk } from '../disk-errors.ts';
import { watchPath } from '../folder-watch.ts';
import { LineCursor, linesOf } from '../line-cursor.ts';
import { partsOfLog } from './log-files.ts';
import type { LogPlace } from './log-tail.ts';

const NOTHING = Buffer.alloc(0);

/** Reads a file of lines that is put aside when it is full, part by part, also while it is being written. */
export class RotatedLines {
  readonly #path: string;
  readonly #begin: (parts: readonly string[]) => LogPlace;
  #cursor: LineCursor | undefined;
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
      if (block.length > 0) return block;
      const successor = this.#openSuccessor(this.#cursor);
      if (successor === undefined) return NOTHING;
      // Between the last look and now the writer may have filled this part before it began the next one.
      const late = this.#cursor.nextBlock();
      if (late.length > 0) {
        successor.close();
        return late;
      }
      this.#cursor.close();
      this.#cursor = successor;
    }
    return NOTHING;
  }

  /** Calls back when something may have been written. Nothing is read by itself. */
  watch(onChange: () => void): { close(): void } {
    return watchPath(path.dirname(this.#path), onChange);
  }

  close(): void {
    this.#isClosed = true;
    this.#cursor?.close();
  }

  #openFirst(): LineCursor | undefined {
    return this.#undisturbed((parts) => {
      const { part, offset } = this.#begin(parts);
      const first = parts[part];
      return first === undefined ? undefined : LineCursor.open(first, offset);
    });
  }

  /** Opens one of the parts, at a moment when none is put aside: that gives their names to other files. */
  #undisturbed(open: (parts: readonly string[]) => LineCursor | undefined): LineCursor | undefined {
    for (;;) {
      const parts = partsOfLog(this.#path);
      const cursor = open(parts);
      if (partsOfLog(this.#path).join('\n') === parts.join('\n')) return cursor;
      cursor?.close();
    }
  }

  /** The part that follows the one being read; the oldest when that was removed meanwhile. */
  #openSuccessor(cursor: LineCursor): LineCursor | undefined {
    // Most looks find the same file where the last part is: there is no need to look at all of them.
    if (ifPresent(() => statSync(this.#path))?.ino === cursor.inode) return undefined;
    return this.#undisturbed((parts) => {
      const place = parts.findIndex((part) => ifPresent(() => statSync(part))?.ino === cursor.inode);
      const successor = parts[place + 1];
      return successor === undefined ? undefined : LineCursor.open(successor, 'start');
    });
  }
}

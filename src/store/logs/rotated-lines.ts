import { statSync } from 'node:fs';
import path from 'node:path';
import { ifPresent, onDisk } from '../disk/disk-errors.ts';
import { watchPath } from '../feed/folder-watch.ts';
import { LineCursor } from '../disk/line-cursor.ts';
import { partsOfLog } from './log-files.ts';
import type { LogPosition } from './log-tail.ts';

const NOTHING = Buffer.alloc(0);

/** The number of parts to hold open. A slower reader loses parts that the writer removes. */
const HELD_MAX = 64;

/** Reads a rotated file of lines, part by part, also while it is being written. */
export class RotatedLines {
  readonly #path: string;
  readonly #begin: (parts: readonly string[]) => LogPosition;
  readonly #onGap: () => void;
  #cursor: LineCursor | undefined;
  /** The following parts, oldest first: held open, so that they stay readable after the writer removed them. */
  #held: LineCursor[] = [];
  #isWatched = false;
  #isClosed = false;

  /**
   * @param file the current part; need not exist yet
   * @param begin finds the place to begin at, in the files of all parts, oldest first
   * @param onGap called when lines are missing between two pieces: the writer has removed parts that were not yet open
   * @throws {PodrunError} when the file cannot be read
   */
  constructor(
    file: string,
    begin: (parts: readonly string[]) => LogPosition = () => ({ part: 0, offset: 0 }),
    onGap: () => void = () => undefined,
  ) {
    this.#path = file;
    this.#begin = begin;
    this.#onGap = onGap;
    this.#cursor = onDisk(`the log ${file}`, () => this.#openFirst());
  }

  /**
   * The next complete lines in one piece, with newlines and empty lines. Empty at the end of the file.
   * @throws {PodrunError} when they cannot be read
   */
  next(): Buffer {
    return onDisk(`the log ${this.#path}`, () => this.#next());
  }

  #next(): Buffer {
    if (!this.#isClosed) this.#cursor ??= this.#openFirst();
    while (this.#cursor !== undefined && !this.#isClosed) {
      const block = this.#cursor.nextBlock();
      if (this.#isWatched) this.#holdSuccessors();
      if (block.length > 0) return block;
      if (this.#held.length === 0) this.#holdSuccessors();
      if (this.#held.length === 0) return NOTHING;
      // The writer may have added lines to this part before it began the next one.
      const late = this.#cursor.nextBlock();
      if (late.length > 0) return late;
      this.#cursor.close();
      this.#cursor = this.#held.shift();
    }
    return NOTHING;
  }

  /**
   * Calls back when the file may have grown. Reads nothing. While the watch lasts, no lines are lost when the writer
   * removes parts, unless it is more than HELD_MAX parts ahead.
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

  /** Opens parts. Repeats this when the writer rotated the file meanwhile, which gives their names to other files. */
  #undisturbed(open: (parts: readonly string[]) => Array<LineCursor | undefined>): LineCursor[] {
    for (;;) {
      const parts = partsOfLog(this.#path);
      const cursors = open(parts).filter((cursor) => cursor !== undefined);
      if (partsOfLog(this.#path).join('\n') === parts.join('\n')) return cursors;
      for (const cursor of cursors) cursor.close();
    }
  }

  /** Opens the parts after the newest open one. If that one was removed meanwhile, opens all parts. */
  #holdSuccessors(): void {
    const newest = this.#held.at(-1) ?? this.#cursor;
    const room = HELD_MAX - this.#held.length;
    if (room === 0) return;
    const inodeOf = (part: string): number | undefined => ifPresent(() => statSync(part))?.ino;
    // Usually the current part is unchanged: there is no need to look at all parts.
    if (newest === undefined || this.#isClosed || inodeOf(this.#path) === newest.inode) return;
    let index = -1;
    const successors = this.#undisturbed((parts) => {
      index = parts.findIndex((part) => inodeOf(part) === newest.inode);
      return parts.slice(index + 1, index + 1 + room).map((part) => LineCursor.open(part, 'start'));
    });
    if (index === -1 && successors.length > 0) this.#onGap();
    this.#held.push(...successors);
  }
}

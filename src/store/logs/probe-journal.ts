import { parseStored } from '../disk/stored-json.ts';
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { recordTime } from './cri-line.ts';
import { ifPresent, onDisk } from '../disk/disk-errors.ts';
import { rotateLog } from './log-files.ts';
import { endsWithNewline, linesOf } from '../disk/line-cursor.ts';
import { RotatedLines } from './rotated-lines.ts';

/** Limits for about ten thousand attempts in each file: some hours of a probe each second. */
const LIMITS: JournalLimits = { fileBytesMax: 4 * 1024 * 1024, filesMax: 2 };

const FILE_MODE = 0o600;

export interface JournalLimits {
  /** The size of a file. A file that would exceed it is rotated. */
  readonly fileBytesMax: number;
  /** The number of files to keep, the current one included. */
  readonly filesMax: number;
}

/**
 * Appends an entry to a journal of a Pod: one JSON object per line. Writes at once and keeps no file open, so that a
 * Pod that was removed between two entries does not come back.
 * @throws {PodrunError} when the entry cannot be written
 */
export function appendToJournal(file: string, entry: object, wallMs: number, limits: JournalLimits = LIMITS): void {
  const line = `${JSON.stringify(entry)}\n`;
  onDisk(`the journal ${file}`, () => {
    const open = (): number | undefined => ifPresent(() => openSync(file, 'a+', FILE_MODE));
    let journal = open();
    if (journal === undefined) return;
    try {
      const { size } = fstatSync(journal);
      if (size > 0 && size + Buffer.byteLength(line) > limits.fileBytesMax) {
        closeSync(journal);
        journal = undefined;
        rotateLog(file, recordTime(wallMs), limits.filesMax);
        journal = open();
      }
      if (journal !== undefined) appendLines(journal, line);
    } finally {
      if (journal !== undefined) closeSync(journal);
    }
  });
}

/**
 * A journal that gets entries often, one for each probe. The file stays open: entries after the removal of the Pod go
 * to the removed file, and the Pod does not come back.
 */
export class Journal {
  readonly #path: string;
  readonly #limits: JournalLimits;
  #file: number | undefined;
  #size = 0;

  /** @param file its folder, the Pod's, must exist */
  constructor(file: string, limits: JournalLimits = LIMITS) {
    this.#path = file;
    this.#limits = limits;
  }

  /**
   * Appends an entry. The whole line is in the file when this returns.
   * @throws {PodrunError} when the entry cannot be written; the next call tries again
   */
  append(entry: object, wallMs: number): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    const file = this.#size + line.length > this.#limits.fileBytesMax ? undefined : this.#file;
    if (file !== undefined && onDisk(`the journal ${this.#path}`, () => writeSync(file, line)) === line.length) {
      this.#size += line.length;
      return;
    }
    // The journal is not open, its file is full, or a full disk cut the line short.
    this.close();
    appendToJournal(this.#path, entry, wallMs, this.#limits);
    this.#open();
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) onDisk(`the journal ${this.#path}`, () => closeSync(file));
  }

  #open(): void {
    this.#file = onDisk(`the journal ${this.#path}`, () => ifPresent(() => openSync(this.#path, 'a', FILE_MODE)));
    if (this.#file !== undefined) this.#size = fstatSync(this.#file).size;
  }
}

/** Reads a journal of a Pod, also while it is being written. Skips lines that a crash cut short. */
export class ProbeJournalReader {
  readonly #lines: RotatedLines;

  /** @param file need not exist yet */
  constructor(file: string) {
    this.#lines = new RotatedLines(file);
  }

  /** The next entries, some at a time. Empty at the end of the file. */
  next(): unknown[] {
    for (let lines = this.#lines.next(); lines.length > 0; lines = this.#lines.next()) {
      const entries = linesOf(lines)
        .map(parsed)
        .filter((entry) => entry !== undefined);
      if (entries.length > 0) return entries;
    }
    return [];
  }

  /** Calls back when the journal may have grown. */
  watch(onChange: () => void): { close(): void } {
    return this.#lines.watch(onChange);
  }

  close(): void {
    this.#lines.close();
  }
}

function parsed(line: Buffer): unknown {
  return parseStored(line.toString('utf8'));
}

/**
 * Appends lines to a file in one write. The file must be open for reading and appending. After a line that a crash cut
 * short, begins a new line.
 * @param lines each with its newline
 */
function appendLines(file: number, lines: string): void {
  const bytes = Buffer.from(endsWithNewline(file) ? lines : `\n${lines}`);
  // A disk that is just full writes only a part. Writing all of it again either works or fails with the reason.
  if (writeSync(file, bytes) < bytes.length) writeSync(file, `\n${lines}`);
}

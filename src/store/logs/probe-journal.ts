import { parseStored } from '../stored-json.ts';
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { appendLines } from './append-lines.ts';
import { recordTime } from './cri-line.ts';
import { ifPresent, onDisk } from '../disk-errors.ts';
import { putAside } from './log-files.ts';
import { RotatedLines } from './rotated-lines.ts';

/** About ten thousand attempts in each file: with a probe each second, some hours. */
const LIMITS: JournalLimits = { fileBytesMax: 4 * 1024 * 1024, filesMax: 2 };

const FILE_MODE = 0o600;

export interface JournalLimits {
  /** A file that would become larger is put aside, and a new one begun. */
  readonly fileBytesMax: number;
  /** Files kept, with the one that is written. */
  readonly filesMax: number;
}

/**
 * Appends a line to a journal of a Pod, that of its probes or of its hooks: one JSON object per line. Nothing is held
 * back, and nothing is kept open: between two probes a Pod may be removed, and its folder does not come back.
 * @throws {PodrunError} when it cannot be written
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
        putAside(file, recordTime(wallMs), limits.filesMax);
        journal = open();
      }
      if (journal !== undefined) appendLines(journal, line);
    } finally {
      if (journal !== undefined) closeSync(journal);
    }
  });
}

/**
 * A journal that is written again and again, each probe a line. It stays open: what is written to one whose Pod was
 * removed is gone, and its folder does not come back.
 */
export class Journal {
  readonly #path: string;
  readonly #limits: JournalLimits;
  #file: number | undefined;
  #size = 0;

  /** @param file the folder of its Pod is not made */
  constructor(file: string, limits: JournalLimits = LIMITS) {
    this.#path = file;
    this.#limits = limits;
  }

  /**
   * Every line is in the file when this returns.
   * @throws {PodrunError} when it cannot be written; the next line is another chance
   */
  append(entry: object, wallMs: number): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    const file = this.#size + line.length > this.#limits.fileBytesMax ? undefined : this.#file;
    if (file !== undefined && onDisk(`the journal ${this.#path}`, () => writeSync(file, line)) === line.length) {
      this.#size += line.length;
      return;
    }
    // The first, the first of another file, or one that was cut short by a disk that just became full.
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

/** Reads such a journal of a Pod, also while it is being written. Lines that a crash has torn are left out. */
export class ProbeJournalReader {
  readonly #lines: RotatedLines;

  /** @param file need not exist yet */
  constructor(file: string) {
    this.#lines = new RotatedLines(file);
  }

  /** The next entries, some at a time; none at the end of what is written. */
  next(): unknown[] {
    for (let lines = this.#lines.next(); lines.length > 0; lines = this.#lines.next()) {
      const entries = lines.map(parsed).filter((entry) => entry !== undefined);
      if (entries.length > 0) return entries;
    }
    return [];
  }

  /** Calls back when something may have been written. */
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

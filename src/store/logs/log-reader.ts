import { type LogRecord, parseRecord, recordTime } from './cri-line.ts';
import { ifPossible } from '../disk-errors.ts';
import { makeLogFolders } from './log-files.ts';
import { findTail } from './log-tail.ts';
import { RotatedLines } from './rotated-lines.ts';

/** Which part of a log to read. */
export interface LogQuery {
  /** The last lines only; 0 is none. */
  readonly tailLines?: number | undefined;
  /** Output from this moment on, in milliseconds since 1970. Applied after `tailLines`, as kubelet does. */
  readonly sinceMs?: number | undefined;
}

/**
 * Reads the log of one instance of a container, over all its parts, also while it is being written: `next` may be
 * called again later. Records that a writer was torn away from are left out.
 */
export class LogReader {
  readonly #path: string;
  readonly #lines: RotatedLines;
  readonly #since: string;

  /** @param log `…/logs/CONTAINER/RESTARTCOUNT.log`; need not exist yet */
  constructor(log: string, { tailLines, sinceMs }: LogQuery = {}) {
    this.#path = log;
    this.#since = sinceMs === undefined ? '' : recordTime(sinceMs);
    this.#lines = new RotatedLines(log, tailLines === undefined ? undefined : (parts) => findTail(parts, tailLines));
  }

  /** The next records, some at a time; none at the end of what is written. */
  next(): LogRecord[] {
    for (let lines = this.#lines.next(); lines.length > 0; lines = this.#lines.next()) {
      const records = lines.map(parseRecord).filter((record) => record !== undefined);
      const wanted = records.filter(({ time }) => time >= this.#since);
      if (wanted.length > 0) return wanted;
    }
    return [];
  }

  /**
   * The next records as they stand in the file, some at a time, from `tailLines` on and whatever their time; none at
   * the end of what is written.
   */
  nextBlock(): Buffer {
    return this.#lines.nextBlock();
  }

  /** Calls back when something may have been written. Nothing is read by itself. */
  watch(onChange: () => void): { close(): void } {
    // A container that has written nothing has no folder yet.
    ifPossible(() => makeLogFolders(this.#path));
    return this.#lines.watch(onChange);
  }

  close(): void {
    this.#lines.close();
  }
}

/** The last lines of a log, for messages. */
export function lastLogLines(log: string, lines: number): string[] {
  const text = lastLogText(log, lines);
  return text.split('\n').slice(0, text.endsWith('\n') || text === '' ? -1 : undefined);
}

/** The last lines of a log as they were written: one that was not ended has no newline. */
export function lastLogText(log: string, lines: number): string {
  const reader = new LogReader(log, { tailLines: lines });
  try {
    let text = '';
    for (let records = reader.next(); records.length > 0; records = reader.next()) {
      for (const { content, isEnd } of records) text += content.toString('utf8') + (isEnd ? '\n' : '');
    }
    return text;
  } finally {
    reader.close();
  }
}

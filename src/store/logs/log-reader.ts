import { type LogRecord, parseRecords, recordTime } from './cri-line.ts';
import { ifPossible } from '../disk/disk-errors.ts';
import { makeLogFolders } from './log-files.ts';
import { findTail } from './log-tail.ts';
import { RotatedLines } from './rotated-lines.ts';

/** The part of a log to read. */
export interface LogQuery {
  /** The number of lines to read from the end. */
  readonly tailLines?: number | undefined;
  /** The earliest time to read, milliseconds since 1970. Applied after `tailLines`, as kubelet does. */
  readonly sinceMs?: number | undefined;
  /** Called when records are missing: they were written, and removed again, faster than they were read. */
  readonly onGap?: (() => void) | undefined;
}

/**
 * Reads the log of one container instance through all its parts, also while it is being written: a later call of `next`
 * returns later records. Skips records that a crash cut short.
 */
export class LogReader {
  readonly #path: string;
  readonly #lines: RotatedLines;
  readonly #since: string;

  /** @param log `…/logs/CONTAINER/RESTARTCOUNT.log`; need not exist yet */
  constructor(log: string, { tailLines, sinceMs, onGap }: LogQuery = {}) {
    this.#path = log;
    this.#since = sinceMs === undefined ? '' : recordTime(sinceMs);
    const begin = tailLines === undefined ? undefined : (parts: readonly string[]) => findTail(parts, tailLines);
    this.#lines = new RotatedLines(log, begin, onGap);
  }

  /** The next records, some at a time. Empty at the end of the file. */
  next(): LogRecord[] {
    for (let lines = this.#lines.next(); lines.length > 0; lines = this.#lines.next()) {
      const records = parseRecords(lines).filter(({ time }) => time >= this.#since);
      if (records.length > 0) return records;
    }
    return [];
  }

  /** Calls back when the log may have grown. Reads nothing. */
  watch(onChange: () => void): { close(): void } {
    // A container without output has no folder yet.
    ifPossible(() => makeLogFolders(this.#path));
    return this.#lines.watch(onChange);
  }

  close(): void {
    this.#lines.close();
  }
}

/** The last lines of a log, for messages. */
export function lastLogLines(log: string, lines: number): string[] {
  const text = logOutput(log, lines).toString();
  return text.split('\n').slice(0, text.endsWith('\n') || text === '' ? -1 : undefined);
}

/** The output in a log, or its last lines, byte for byte. An incomplete last line has no newline. */
export function logOutput(log: string, tailLines?: number): Buffer {
  const reader = new LogReader(log, { tailLines });
  try {
    let text = '';
    for (let records = reader.next(); records.length > 0; records = reader.next()) {
      for (const { content, isEnd } of records) text += isEnd ? `${content}\n` : content;
    }
    return Buffer.from(text, 'latin1');
  } finally {
    reader.close();
  }
}

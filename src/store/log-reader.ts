import { statSync } from 'node:fs';
import path from 'node:path';
import { type LogRecord, parseRecord, recordTime } from './cri-line.ts';
import { ifPresent } from './disk-errors.ts';
import { tryToMakeFolder, watchPath } from './folder-watch.ts';
import { LineCursor } from './line-cursor.ts';
import { partsOfLog } from './log-files.ts';
import { findTail } from './log-tail.ts';

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
  readonly #since: string;
  readonly #query: LogQuery;
  #cursor: LineCursor | undefined;
  #isClosed = false;

  /** @param log `…/logs/CONTAINER/RESTARTCOUNT.log`; need not exist yet */
  constructor(log: string, query: LogQuery = {}) {
    this.#path = log;
    this.#query = query;
    this.#since = query.sinceMs === undefined ? '' : recordTime(query.sinceMs);
    this.#cursor = this.#openFirst();
  }

  /** The next records, some at a time; none at the end of what is written. */
  next(): LogRecord[] {
    for (let lines = this.#nextLines(); lines.length > 0; lines = this.#nextLines()) {
      const records = lines.map(parseRecord).filter((record) => record !== undefined);
      const wanted = records.filter(({ time }) => time >= this.#since);
      if (wanted.length > 0) return wanted;
    }
    return [];
  }

  /** Calls back when something may have been written. Nothing is read by itself. */
  watch(onChange: () => void): { close(): void } {
    const folder = path.dirname(this.#path);
    // A container that has written nothing has no folder yet.
    tryToMakeFolder(folder);
    return watchPath(folder, onChange);
  }

  close(): void {
    this.#isClosed = true;
    this.#cursor?.close();
  }

  #openFirst(): LineCursor | undefined {
    const { tailLines } = this.#query;
    return this.#undisturbed((parts) => {
      const { part, offset } = tailLines === undefined ? { part: 0, offset: 0 } : findTail(parts, tailLines);
      const first = parts[part];
      return first === undefined ? undefined : LineCursor.open(first, offset);
    });
  }

  /**
   * Opens one of the parts of the log, at a moment when none is put aside: that gives their names to other files.
   */
  #undisturbed(open: (parts: readonly string[]) => LineCursor | undefined): LineCursor | undefined {
    for (;;) {
      const parts = partsOfLog(this.#path);
      const cursor = open(parts);
      if (partsOfLog(this.#path).join('\n') === parts.join('\n')) return cursor;
      cursor?.close();
    }
  }

  #nextLines(): Buffer[] {
    if (!this.#isClosed) this.#cursor ??= this.#openFirst();
    while (this.#cursor !== undefined && !this.#isClosed) {
      const lines = this.#cursor.next();
      if (lines.length > 0) return lines;
      const successor = this.#openSuccessor(this.#cursor);
      if (successor === undefined) return [];
      // Between the last look and now the writer may have filled this part before it began the next one.
      const late = this.#cursor.next();
      if (late.length > 0) {
        successor.close();
        return late;
      }
      this.#cursor.close();
      this.#cursor = successor;
    }
    return [];
  }

  /** The part that follows the one being read; the oldest when that was removed meanwhile. */
  #openSuccessor(cursor: LineCursor): LineCursor | undefined {
    return this.#undisturbed((parts) => {
      const place = parts.findIndex((part) => ifPresent(() => statSync(part))?.ino === cursor.inode);
      const successor = parts[place + 1];
      return successor === undefined ? undefined : LineCursor.open(successor, 'start');
    });
  }
}

/** The last lines of a log as text, for messages. */
export function lastLogLines(log: string, lines: number): string[] {
  const reader = new LogReader(log, { tailLines: lines });
  try {
    let text = '';
    for (let records = reader.next(); records.length > 0; records = reader.next()) {
      for (const { content, isEnd } of records) text += content.toString('utf8') + (isEnd ? '\n' : '');
    }
    return text.split('\n').slice(0, text.endsWith('\n') || text === '' ? -1 : undefined);
  } finally {
    reader.close();
  }
}

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parseRecord } from './cri-line.ts';
import { ifPresent } from '../disk/disk-errors.ts';

const NEWLINE = 10;
const CHUNK_BYTES = 64 * 1024;

/** A position in a log: the part and the offset in it. */
export interface LogPosition {
  readonly part: number;
  readonly offset: number;
}

/**
 * Finds the beginning of the last `lines` lines of output, or of the log when it has fewer. Reads backwards from the
 * end. An incomplete last line counts.
 * @param parts the files of the log, oldest first
 */
export function findTail(parts: readonly string[], lines: number): LogPosition {
  let ends = 0;
  for (let part = parts.length - 1; part >= 0; part--) {
    const file = ifPresent(() => openSync(parts[part] ?? '', 'r'));
    if (file === undefined) continue;
    try {
      for (const { line, end } of linesBackwards(file)) {
        const record = parseRecord(line.toString('latin1'));
        if (record === undefined) continue;
        // The last record ends a line, complete or not.
        const isEnd = record.isEnd || ends === 0;
        if (isEnd && ends === lines) return { part, offset: end };
        if (isEnd) ends += 1;
      }
    } finally {
      closeSync(file);
    }
  }
  return { part: 0, offset: 0 };
}

/** Yields the complete lines of a file backwards, without newlines, each with the offset after its newline. */
function* linesBackwards(file: number): Generator<{ line: Buffer; end: number }> {
  let rest: Buffer = Buffer.alloc(0);
  for (let position = fstatSync(file).size; position > 0;) {
    const start = Math.max(0, position - CHUNK_BYTES);
    const chunk = Buffer.alloc(position - start);
    readSync(file, chunk, 0, chunk.length, start);
    const bytes = Buffer.concat([chunk, rest]);
    let end = bytes.lastIndexOf(NEWLINE);
    while (end >= 0) {
      const before = end === 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1);
      if (before < 0 && start > 0) break;
      yield { line: bytes.subarray(before + 1, end), end: start + end + 1 };
      end = before;
    }
    // This line begins in an earlier chunk. An incomplete last line of the file was skipped.
    rest = bytes.subarray(0, end + 1);
    position = start;
  }
}

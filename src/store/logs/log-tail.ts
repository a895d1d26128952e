import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parseRecord } from './cri-line.ts';
import { ifPresent } from '../disk-errors.ts';

const NEWLINE = 10;
const CHUNK_BYTES = 64 * 1024;

/** A place in a log: which of its parts, and the offset in it. */
export interface LogPlace {
  readonly part: number;
  readonly offset: number;
}

/**
 * Where the last `lines` lines of output begin; the beginning when there are fewer. Reads from the end, and no more
 * than needed. A last line without an end counts as one.
 * @param parts the files of the log, oldest first
 */
export function findTail(parts: readonly string[], lines: number): LogPlace {
  let ends = 0;
  for (let part = parts.length - 1; part >= 0; part--) {
    const file = ifPresent(() => openSync(parts[part] ?? '', 'r'));
    if (file === undefined) continue;
    try {
      for (const { line, end } of linesBackwards(file)) {
        const record = parseRecord(line);
        if (record === undefined) continue;
        // The very last record is the end of a line in any case: of one that is not finished, at least.
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

/** Complete lines of a file from the last to the first, without newlines, and where each ends (after its newline). */
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
    // Up to its newline: the line begins further up. What follows the last newline of the file is not complete.
    rest = bytes.subarray(0, end + 1);
    position = start;
  }
}

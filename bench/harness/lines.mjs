// Makes much output in numbered lines, and checks that all of it has arrived.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The size of one copy of the lines. */
export const COPY_BYTES = 20_000_000;
const LINE_BYTES = 100;

/** Writes numbered lines of 100 bytes into a file, which containers print several times. */
export function writeLines(file) {
  const filler = 'abcdefghijklmnopqrstuvwxyz'.repeat(4);
  const lines = Array.from({ length: COPY_BYTES / LINE_BYTES }, (_, index) => {
    return `${`line ${String(index).padStart(9, '0')} ${filler}`.slice(0, LINE_BYTES - 1)}\n`;
  });
  writeFileSync(file, lines.join(''));
  return file;
}

/** A command that prints the lines: one process that needs little CPU. */
export function printing(file, copies) {
  return ['cat', ...Array.from({ length: copies }, () => file)];
}

/**
 * Compares a stream with `copies` copies of a file, each line behind a prefix. `end` throws when bytes are missing.
 *
 * @param {string} who
 * @param {{ file: string, copies: number, prefix?: string, before?: string }} expected
 */
export function comparison(who, { file, copies, prefix = '', before = '' }) {
  const copy = Buffer.from(readFileSync(file, 'latin1').replaceAll(/^(?=.)/gm, prefix), 'latin1');
  let bytes = -before.length;
  return {
    take(chunk) {
      for (let at = Math.max(0, -bytes); at < chunk.length;) {
        const place = (bytes + at) % copy.length;
        const length = Math.min(chunk.length - at, copy.length - place);
        if (chunk.compare(copy, place, place + length, at, at + length) !== 0) {
          throw new Error(`${who}: other bytes than were printed, after ${bytes} of them`);
        }
        at += length;
      }
      bytes += chunk.length;
    },
    end() {
      if (bytes !== copies * copy.length) throw new Error(`${who}: ${bytes} of ${copies * copy.length} bytes`);
    },
  };
}

/** Throws when the kept part of a log is not the end of the output. The log loses its older parts. */
export function checkKept(folder, file) {
  const parts = readdirSync(folder).filter((name) => name.startsWith('0.log.'));
  const records = [...parts.toSorted(), '0.log']
    .map((name) => readFileSync(path.join(folder, name), 'latin1'))
    .join('');
  const kept = records.replaceAll(/^\S+ stdout (?:F (.*\n)|P (.*)\n)/gm, '$1$2');
  const copy = readFileSync(file, 'latin1');
  const end = copy.repeat(Math.ceil(kept.length / copy.length)).slice(-kept.length);
  if (kept.length === 0 || kept !== end) throw new Error(`${folder}: the log is not the end of what was printed`);
}

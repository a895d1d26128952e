import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  constants,
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LineCursor } from '../../src/store/disk/line-cursor.ts';
import { needs } from '../needs.ts';
import { temporaryFolder } from './temporary-store.ts';

function emptyFile(): string {
  const file = path.join(temporaryFolder(), 'lines');
  writeFileSync(file, '');
  return file;
}

const taken = (cursor: LineCursor): string[] => {
  const lines: string[] = [];
  for (let next = cursor.next(); next.length > 0; next = cursor.next()) lines.push(...next.map(String));
  return lines;
};

describe('a cursor', () => {
  it('gives every line once it is complete, once, in whatever pieces it was written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 20 }),
        fc.infiniteStream(fc.nat(30)),
        (texts, sizes) => {
          const file = emptyFile();
          const lines = texts.map((text) => JSON.stringify(text));
          const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
          const cursor = LineCursor.open(file, 'start')!;
          const seen: string[] = [];
          for (let at = 0; at < bytes.length;) {
            const size = 1 + (sizes.next().value ?? 0);
            appendFileSync(file, bytes.subarray(at, at + size));
            at += size;
            seen.push(...taken(cursor));
          }
          cursor.close();
          expect(seen).toEqual(lines);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('from the end begins after the last complete line', () => {
    const file = emptyFile();
    const long = `{"a":"${'x'.repeat(700_000)}"`;
    writeFileSync(file, `{"a":1}\n${long}`);
    const cursor = LineCursor.open(file, 'end')!;
    expect(taken(cursor)).toEqual([]);
    appendFileSync(file, '}\n{"b":2}\n');
    expect(taken(cursor)).toEqual([`${long}}`, '{"b":2}']);
    cursor.close();
  });

  it('reads a log to its end after it was moved or removed, and knows that it is not in its place', () => {
    const file = emptyFile();
    const writer = openSync(file, 'a');
    const cursor = LineCursor.open(file, 'start')!;
    expect(cursor.look()).toEqual({ isCurrent: true, hasNews: false });
    renameSync(file, `${file}.moved`);
    writeFileSync(file, '');
    writeSync(writer, '{"last":1}\n');
    closeSync(writer);
    rmSync(`${file}.moved`);
    expect(cursor.look()).toEqual({ isCurrent: false, hasNews: true });
    expect(taken(cursor)).toEqual(['{"last":1}']);
    cursor.close();
    expect(taken(cursor)).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it('appends whole lines after a disk was full in the middle of one', needs('mounts for all'), () => {
    const folder = temporaryFolder();
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'podrun-small-disk', folder]).status).toBe(0);
    onTestFinished(() => void spawnSync('umount', ['-l', folder]));
    const file = path.join(folder, 'lines');
    writeFileSync(file, '{"a":1}\n');
    const cursor = LineCursor.openOneOfMany(file, 'end', constants.O_RDWR | constants.O_APPEND)!;
    const filler = path.join(folder, 'filler');
    writeFileSync(filler, Buffer.alloc(64 * 1024 - 4096));
    const line = JSON.stringify({ b: 'x'.repeat(10_000) });
    for (const attempt of [1, 2]) expect(() => cursor.append(Buffer.from(`${line}\n`)), `${attempt}`).toThrow('ENOSPC');
    rmSync(filler);
    cursor.append(Buffer.from(`${line}\n`));
    cursor.close();
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.filter((each) => each === line)).toHaveLength(1);
    expect(lines.at(-1)).toBe('');
  });
});

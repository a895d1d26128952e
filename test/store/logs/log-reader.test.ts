import { appendFileSync, mkdirSync, readdirSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { PodrunError } from '../../../src/api/base/errors.ts';
import { ContainerLog } from '../../../src/store/logs/container-log.ts';
import { lastLogLines, LogReader } from '../../../src/store/logs/log-reader.ts';
import { START_MS, newLogPath, writeAll, bytesOf, textFrom, textOf, out, error } from './written-log.ts';

describe('reading a log', () => {
  const TEN = Array.from({ length: 10 }, (_, index) => `line ${index}\n`);

  it.each([
    { lines: 0, want: '' },
    { lines: 1, want: 'line 9\n' },
    { lines: 3, want: 'line 7\nline 8\nline 9\n' },
    { lines: 10, want: TEN.join('') },
    { lines: 99, want: TEN.join('') },
  ])('gives the last $lines lines', ({ lines, want }) => {
    const file = newLogPath();
    writeAll(file, TEN.map(out));
    expect(textOf(file, { tailLines: lines })).toBe(want);
  });

  it('counts lines of output, not pieces of them, and an unfinished last line as one', () => {
    const file = newLogPath();
    writeAll(file, ['one\n', 't', 'w', 'o\n', 'th', 'ree'].map(out));
    expect(textOf(file, { tailLines: 1 })).toBe('three');
    expect(textOf(file, { tailLines: 2 })).toBe('two\nthree');
    expect(textOf(file, { tailLines: 3 })).toBe('one\ntwo\nthree');
  });

  it('finds the last lines wherever they are: the same as the end of everything', () => {
    const anyText = fc.array(fc.constantFrom('a', 'bb\n', '\n', 'x'.repeat(40_000), 'y'.repeat(70_000)), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(anyText, fc.nat(8), fc.integer({ min: 50, max: 150_000 }), (texts, lines, fileBytesMax) => {
        const file = newLogPath();
        writeAll(file, texts.map(out), { fileBytesMax, filesMax: 1000 });
        const all = texts.join('').split(/(?<=\n)/);
        const want = lines === 0 ? [] : all.slice(-lines);
        expect(textOf(file, { tailLines: lines }) === want.join('')).toBe(true);
      }),
      { numRuns: 80 },
    );
  });

  it('gives the output since a moment, of what tail left', () => {
    const file = newLogPath();
    writeAll(file, TEN.map(out));
    expect(textOf(file, { sinceMs: START_MS + 8 })).toBe('line 8\nline 9\n');
    expect(textOf(file, { sinceMs: START_MS + 8, tailLines: 1 })).toBe('line 9\n');
    expect(textOf(file, { sinceMs: START_MS + 7.5, tailLines: 5 })).toBe('line 8\nline 9\n');
  });

  it('resumes where it was, over files that were put aside since', () => {
    const file = newLogPath();
    const log = new ContainerLog(file, { fileBytesMax: 100, filesMax: 100 });
    const reader = new LogReader(file);
    const seen: string[] = [];
    const look = (): void => {
      for (let next = reader.next(); next.length > 0; next = reader.next()) seen.push(bytesOf(next).toString());
    };
    look();
    for (let line = 0; line < 30; line++) {
      log.write('stdout', Buffer.from(`line ${line}\n`), START_MS);
      if (line % 7 === 0) look();
    }
    look();
    expect(seen.join('')).toBe(Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join(''));
    log.write('stdout', Buffer.from('unseen'), START_MS);
    reader.close();
    log.close();
    expect(reader.next()).toEqual([]);
  });

  it('resumes with the oldest file that is left when it was too slow, and reports the gap', () => {
    const file = newLogPath();
    const log = new ContainerLog(file, { fileBytesMax: 1, filesMax: 3 });
    log.write('stdout', Buffer.from('0\n'), START_MS);
    const onGap = vi.fn<() => void>();
    const reader = new LogReader(file, { onGap });
    expect(bytesOf(reader.next()).toString()).toBe('0\n');
    for (let line = 1; line < 10; line++) log.write('stdout', Buffer.from(`${line}\n`), START_MS + line);
    expect(textFrom(reader)).toBe('7\n8\n9\n');
    expect(onGap).toHaveBeenCalledOnce();
  });

  /** Writes lines into a log of three files with one line each. Waits for the reader's notice after each line. */
  async function outrun(lines: number): Promise<{ readonly file: string; readonly reader: LogReader }> {
    const file = newLogPath();
    const log = new ContainerLog(file, { fileBytesMax: 1, filesMax: 3 });
    log.write('stdout', Buffer.from('0\n'), START_MS);
    const reader = new LogReader(file);
    let changed: () => void = () => undefined;
    reader.watch(() => changed());
    for (let line = 1; line < lines; line++) {
      const noticed = new Promise<void>((resolve) => (changed = resolve));
      log.write('stdout', Buffer.from(`${line}\n`), START_MS + line);
      await noticed;
    }
    return { file, reader };
  }

  const linesFrom = (first: number, end: number): string =>
    Array.from({ length: end - first }, (_, index) => `${first + index}\n`).join('');

  it('loses nothing while it is watched, however many files the writer removes meanwhile', async () => {
    const { file, reader } = await outrun(40);
    expect(textFrom(reader)).toBe(linesFrom(0, 40));
    reader.close();
    expect(readdirSync(path.dirname(file))).toHaveLength(3);
  });

  it('holds at most 64 files for a slow reader, and then continues with the remaining ones', async () => {
    const { reader } = await outrun(100);
    expect(textFrom(reader)).toBe(linesFrom(0, 65) + linesFrom(97, 100));
    reader.close();
  });

  it('reads all files that there are, also where there are many', () => {
    const file = newLogPath();
    const log = new ContainerLog(file, { fileBytesMax: 1, filesMax: 200 });
    log.write('stdout', Buffer.from('0\n'), START_MS);
    const reader = new LogReader(file);
    for (let line = 1; line < 100; line++) log.write('stdout', Buffer.from(`${line}\n`), START_MS + line);
    expect(textFrom(reader)).toBe(linesFrom(0, 100));
    reader.close();
  });

  it('leaves out lines that a crash cut short or that are incomplete', () => {
    const file = newLogPath();
    writeAll(file, [out('one\n'), out('two\n')]);
    truncateSync(file, statSync(file).size - 2);
    expect(textOf(file)).toBe('one\n');
    expect(textOf(file, { tailLines: 1 })).toBe('one\n');
    appendFileSync(file, '\nnot a record\n2026-11-20T');
    writeAll(file, [out('three\n')]);
    expect(textOf(file, { tailLines: 2 })).toBe('tw\nthree\n');
  });

  it('that cannot be read says so in one sentence', () => {
    const file = newLogPath();
    mkdirSync(file, { recursive: true });
    const read = (): unknown => lastLogLines(file, 10);
    expect(read).toThrow(PodrunError);
    expect(read).toThrow(`cannot use the log ${file}: is a directory`);
  });

  it('of a container that has written nothing gives nothing', () => {
    expect(textOf(newLogPath())).toBe('');
    expect(textOf(newLogPath(), { tailLines: 5 })).toBe('');
    expect(lastLogLines(newLogPath(), 10)).toEqual([]);
  });

  it('gives the last lines as text', () => {
    const file = newLogPath();
    writeAll(file, [...TEN.map(out), out('\n'), error('not finished')]);
    expect(lastLogLines(file, 3)).toEqual(['line 9', '', 'not finished']);
  });
});

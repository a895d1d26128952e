import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PodrunError } from '../../../src/api/errors.ts';
import { ContainerLog, type LogLimits } from '../../../src/store/logs/container-log.ts';
import type { LogRecord, LogStream } from '../../../src/store/logs/cri-line.ts';
import { instanceLogPath } from '../../../src/store/logs/log-files.ts';
import { lastLogLines, type LogQuery, LogReader } from '../../../src/store/logs/log-reader.ts';
import { temporaryFolder } from '../temporary-store.ts';

const START_MS = Date.UTC(2026, 10, 20, 20, 1, 2, 123);

const newLogPath = (): string => instanceLogPath(path.join(temporaryFolder(), 'logs'), 'main', 0);

interface Output {
  readonly stream: LogStream;
  readonly chunk: Buffer;
}

function writeAll(file: string, outputs: readonly Output[], limits?: LogLimits): void {
  const log = new ContainerLog(file, limits);
  for (const [index, { stream, chunk }] of outputs.entries()) log.write(stream, chunk, START_MS + index);
  log.close();
}

function recordsOf(file: string, query: LogQuery = {}): LogRecord[] {
  const reader = new LogReader(file, query);
  const records: LogRecord[] = [];
  for (let next = reader.next(); next.length > 0; next = reader.next()) records.push(...next);
  reader.close();
  return records;
}

/** What `podrun logs` would print of one stream or both. */
function bytesOf(records: readonly LogRecord[], stream?: LogStream): Buffer {
  const wanted = records.filter((record) => stream === undefined || record.stream === stream);
  return Buffer.concat(wanted.flatMap(({ content, isEnd }) => (isEnd ? [content, Buffer.from('\n')] : [content])));
}

function textFrom(reader: LogReader): string {
  const seen: string[] = [];
  for (let next = reader.next(); next.length > 0; next = reader.next()) seen.push(bytesOf(next).toString());
  return seen.join('');
}

const textOf = (file: string, query: LogQuery = {}): string => bytesOf(recordsOf(file, query)).toString();
const out = (text: string): Output => ({ stream: 'stdout', chunk: Buffer.from(text) });
const error = (text: string): Output => ({ stream: 'stderr', chunk: Buffer.from(text) });

/** Bytes with many newlines, and lines around the longest piece. */
const anyChunk = fc.oneof(
  fc.uint8Array({ maxLength: 50 }),
  fc.array(fc.constantFrom(10, 65, 0xff), { maxLength: 30 }).map((bytes) => Uint8Array.from(bytes)),
  fc.integer({ min: 16_380, max: 16_390 }).map((length) => new Uint8Array(length).fill(66)),
  fc.integer({ min: 32_760, max: 32_775 }).map((length) => new Uint8Array(length).fill(10, length - 2)),
);
const anyOutput = fc.record({
  stream: fc.constantFrom<LogStream>('stdout', 'stderr'),
  chunk: anyChunk.map((bytes) => Buffer.from(bytes)),
});

describe('a container log', () => {
  it('has the form of the container runtimes', () => {
    const file = newLogPath();
    writeAll(file, [out('one\ntwo'), error('oops\n'), out(' and a half\n\n')]);
    expect(readFileSync(file, 'utf8')).toBe(
      [
        '2026-11-20T20:01:02.123000000Z stdout F one',
        '2026-11-20T20:01:02.123000000Z stdout P two',
        '2026-11-20T20:01:02.124000000Z stderr F oops',
        '2026-11-20T20:01:02.125000000Z stdout F  and a half',
        '2026-11-20T20:01:02.125000000Z stdout F ',
        '',
      ].join('\n'),
    );
  });

  it.each([
    { bytes: 16_384, tags: ['F'] },
    { bytes: 16_385, tags: ['P', 'F'] },
    { bytes: 32_768, tags: ['P', 'F'] },
    { bytes: 40_000, tags: ['P', 'P', 'F'] },
  ])('splits a line of $bytes bytes into $tags', ({ bytes, tags }) => {
    const file = newLogPath();
    writeAll(file, [out(`${'x'.repeat(bytes)}\n`)]);
    expect(recordsOf(file).map(({ isEnd }) => (isEnd ? 'F' : 'P'))).toEqual(tags);
  });

  it('gives back every byte of both streams, however it came, over all its parts', () => {
    fc.assert(
      fc.property(
        fc.array(anyOutput, { maxLength: 12 }),
        fc.integer({ min: 60, max: 40_000 }),
        (outputs, fileBytesMax) => {
          const file = newLogPath();
          writeAll(file, outputs, { fileBytesMax, filesMax: 1000 });
          for (const stream of ['stdout', 'stderr'] as const) {
            const written = Buffer.concat(outputs.filter((one) => one.stream === stream).map(({ chunk }) => chunk));
            expect(bytesOf(recordsOf(file), stream).equals(written)).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('puts full files aside, named by time, and keeps the latest', () => {
    const file = newLogPath();
    const lines = Array.from({ length: 20 }, (_, index) => `line ${String(index).padStart(2, '0')}\n`);
    writeAll(file, lines.map(out), { fileBytesMax: 120, filesMax: 3 });
    const names = readdirSync(path.dirname(file)).toSorted();
    expect(names).toHaveLength(3);
    expect(names[0]).toBe('0.log');
    expect(names[1]).toMatch(/^0\.log\.20261120-200102\.\d{6}$/);
    for (const name of names) expect(statSync(path.join(path.dirname(file), name)).size).toBeLessThanOrEqual(120);
    const kept = textOf(file);
    expect(kept).toBe(lines.slice(-kept.split('\n').length + 1).join(''));
    expect(kept.length).toBeGreaterThan(20);
  });

  it('keeps its parts in order when the clock is set back', () => {
    const file = newLogPath();
    const limits = { fileBytesMax: 1, filesMax: 100 };
    const write = (text: string, wallMs: number): void => {
      const log = new ContainerLog(file, limits);
      log.write('stdout', Buffer.from(text), wallMs);
      log.close();
    };
    for (const [index, wallMs] of [5000, 5000, 5000, 10, 20, 9000].entries()) write(`${index}\n`, wallMs);
    expect(textOf(file)).toBe('0\n1\n2\n3\n4\n5\n');
  });

  it('never goes back in time while one writer has it', () => {
    const file = newLogPath();
    const log = new ContainerLog(file);
    for (const wallMs of [3000, 2000, 4000]) log.write('stdout', Buffer.from('x\n'), wallMs);
    log.close();
    expect(recordsOf(file).map(({ time }) => time.slice(17, 23))).toEqual(['03.000', '03.000', '04.000']);
  });

  it('removes the logs of all instances but this one and the one before', () => {
    const file = newLogPath();
    const folder = path.dirname(file);
    for (let restarts = 0; restarts < 12; restarts++) {
      const log = new ContainerLog(path.join(folder, `${restarts}.log`), { fileBytesMax: 1, filesMax: 5 });
      for (const text of ['a\n', 'b\n']) log.write('stdout', Buffer.from(text), START_MS);
      log.close();
    }
    expect(new Set(readdirSync(folder).map((name) => Number.parseInt(name, 10)))).toEqual(new Set([10, 11]));
    expect(textOf(path.join(folder, '10.log'))).toBe('a\nb\n');
  });

  it('says in one sentence that it cannot be written', () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'logs'), '');
    const open = (): unknown => new ContainerLog(path.join(folder, 'logs/main/0.log'));
    expect(open).toThrow(PodrunError);
    expect(open).toThrow(/^cannot use the log .*0\.log: not a directory$/);
  });
});

describe('the log of a Pod that was removed', () => {
  const removedLog = (): { pod: string; file: string } => {
    const pod = path.join(temporaryFolder(), 'web');
    return { pod, file: instanceLogPath(path.join(pod, 'logs'), 'main', 0) };
  };

  it('does not bring the folder of the Pod back when something is written', () => {
    const { pod, file } = removedLog();
    expect(() => new ContainerLog(file)).toThrow(/^cannot use the log .*: no such file or directory$/);
    expect(existsSync(pod)).toBe(false);
  });

  it('does not bring the folder of the Pod back when somebody follows it', () => {
    const { pod, file } = removedLog();
    const reader = new LogReader(file);
    reader.watch(() => {}).close();
    reader.close();
    expect(existsSync(pod)).toBe(false);
  });
});

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

  it('goes on where it was, over files that were put aside since', () => {
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

  it('goes on with the oldest file that is left when it was too slow', () => {
    const file = newLogPath();
    const log = new ContainerLog(file, { fileBytesMax: 1, filesMax: 3 });
    log.write('stdout', Buffer.from('0\n'), START_MS);
    const reader = new LogReader(file);
    expect(bytesOf(reader.next()).toString()).toBe('0\n');
    for (let line = 1; line < 10; line++) log.write('stdout', Buffer.from(`${line}\n`), START_MS + line);
    expect(textFrom(reader)).toBe('7\n8\n9\n');
  });

  /** Writes lines into a log that keeps three files of one line, each after the reader was told of the one before. */
  async function outrun(lines: number): Promise<{ readonly file: string; readonly reader: LogReader }> {
    const file = newLogPath();
    const log = new ContainerLog(file, { fileBytesMax: 1, filesMax: 3 });
    log.write('stdout', Buffer.from('0\n'), START_MS);
    const reader = new LogReader(file);
    let changed: () => void = () => undefined;
    reader.watch(() => changed());
    for (let line = 1; line < lines; line++) {
      const told = new Promise<void>((resolve) => (changed = resolve));
      log.write('stdout', Buffer.from(`${line}\n`), START_MS + line);
      await told;
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

  it('holds no more than 64 files for who reads nothing, and then goes on with those that are left', async () => {
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

  it('leaves out what a crash tore, and what is not complete yet', () => {
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

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PodrunError } from '../../../src/api/base/errors.ts';
import { ContainerLog } from '../../../src/store/logs/container-log.ts';
import type { LogStream } from '../../../src/store/logs/cri-line.ts';
import { instanceLogPath } from '../../../src/store/logs/log-files.ts';
import { LogReader } from '../../../src/store/logs/log-reader.ts';
import { temporaryFolder } from '../temporary-store.ts';
import { messageOf, startWorkerOnSmallDisk, useWorkers } from '../workers.ts';
import { START_MS, newLogPath, writeAll, recordsOf, bytesOf, textOf, out, error } from './written-log.ts';
import { needs } from '../../needs.ts';

/** Bytes with many newlines, and lines near the length of a record. */
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

const LINE = Buffer.from('line\n');

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
    const write = (): void => new ContainerLog(path.join(folder, 'logs/main/0.log')).write('stdout', LINE, 0);
    expect(write).toThrow(PodrunError);
    expect(write).toThrow(/^cannot use the log .*0\.log: not a directory$/);
  });
});

useWorkers();

describe('a container log on a full disk', needs('private mounts'), () => {
  it('says how much is missing, where it is missing, as soon as there is room', async () => {
    const { texts } = await messageOf<{ texts: string[] }>(startWorkerOnSmallDisk(temporaryFolder(), 'gapsInLog'));
    const missing = (bytes: number): string =>
      `podrun: ${bytes} bytes of output are missing here: they could not be written`;
    // A short line still fits into the last block of the file.
    expect(texts).toEqual(['before', 'half', missing(200_000), 'short', 'after', missing(100_000)]);
  });
});

describe('the log of a Pod that was removed', () => {
  const removedLog = (): { pod: string; file: string } => {
    const pod = path.join(temporaryFolder(), 'web');
    return { pod, file: instanceLogPath(path.join(pod, 'logs'), 'main', 0) };
  };

  it('does not bring the folder of the Pod back when something is written', () => {
    const { pod, file } = removedLog();
    expect(() => new ContainerLog(file).write('stdout', LINE, 0)).toThrow(
      /^cannot use the log .*: no such file or directory$/,
    );
    expect(existsSync(pod)).toBe(false);
  });

  it('does not make the folder of a removed Pod again for a follower', () => {
    const { pod, file } = removedLog();
    const reader = new LogReader(file);
    reader.watch(() => {}).close();
    reader.close();
    expect(existsSync(pod)).toBe(false);
  });
});

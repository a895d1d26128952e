import {
  appendFileSync,
  openSync,
  writeSync,
  closeSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appendTransition,
  isAboutEvent,
  LogCursor,
  parseTransition,
  transitionLine,
  transitionLines,
} from '../../src/store/transition-log.ts';
import { newEvent, newPod } from './objects.ts';
import { temporaryFolder } from './temporary-store.ts';

function emptyLog(): string {
  const file = path.join(temporaryFolder(), 'log');
  writeFileSync(file, '');
  return file;
}

const line = (name: string): string => transitionLine('ADDED', newPod(name));
const namesIn = (file: string): unknown[] =>
  [...transitionLines(file)].map(parseTransition).map((transition) => transition?.object.metadata.name);
const taken = (cursor: LogCursor): string[] => {
  const lines: string[] = [];
  for (let next = cursor.next(); next.length > 0; next = cursor.next()) lines.push(...next.map(String));
  return lines;
};

describe('a transition log', () => {
  it('tells Events from Pods without reading the whole line', () => {
    const { kind: _, ...rest } = newEvent('web.1', 'web', 'text');
    expect(isAboutEvent(Buffer.from(transitionLine('ADDED', { ...rest, kind: 'Event' })))).toBe(true);
    const tricky = { ...newPod('web'), metadata: { ...newPod('web').metadata, annotations: { a: '"kind":"Event"' } } };
    expect(isAboutEvent(Buffer.from(transitionLine('ADDED', tricky)))).toBe(false);
  });

  it('that was cut anywhere loses its last line only, and takes the next one', () => {
    const file = emptyLog();
    const [one, two] = [line('one'), line('two')];
    for (let cut = 1; cut < two.length; cut += 7) {
      writeFileSync(file, one + two);
      truncateSync(file, one.length + two.length - cut);
      expect(namesIn(file)).toEqual(['one']);
      appendTransition(file, line('three'));
      expect(namesIn(file).filter((name) => name !== undefined)).toEqual(
        cut === 1 ? ['one', 'two', 'three'] : ['one', 'three'],
      );
    }
  });

  it('is not made anew when it is gone', () => {
    expect(() => appendTransition(path.join(temporaryFolder(), 'none'), line('a'))).toThrow('ENOENT');
    expect([...transitionLines(path.join(temporaryFolder(), 'none'))]).toEqual([]);
  });

  it('is read in order and completely, however large', () => {
    const file = emptyLog();
    const text = 'x'.repeat(100_000);
    const lines = Array.from({ length: 50 }, (_, index) => `{"n":${index},"text":"${text.slice(0, index * 2000)}"}`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    expect([...transitionLines(file)].map(String)).toEqual(lines);
  });
});

describe('a cursor', () => {
  it('gives every line once it is complete, once, in whatever pieces it was written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 20 }),
        fc.infiniteStream(fc.nat(30)),
        (texts, sizes) => {
          const file = emptyLog();
          const lines = texts.map((text) => JSON.stringify(text));
          const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
          const cursor = LogCursor.open(file, 'start')!;
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
    const file = emptyLog();
    const long = `{"a":"${'x'.repeat(700_000)}"`;
    writeFileSync(file, `{"a":1}\n${long}`);
    const cursor = LogCursor.open(file, 'end')!;
    expect(taken(cursor)).toEqual([]);
    appendFileSync(file, '}\n{"b":2}\n');
    expect(taken(cursor)).toEqual([`${long}}`, '{"b":2}']);
    cursor.close();
  });

  it('reads a log to its end after it was moved or removed, and knows that it is not in its place', () => {
    const file = emptyLog();
    const writer = openSync(file, 'a');
    const cursor = LogCursor.open(file, 'start')!;
    expect(cursor.isCurrent()).toBe(true);
    renameSync(file, `${file}.moved`);
    writeFileSync(file, '');
    writeSync(writer, '{"last":1}\n');
    closeSync(writer);
    rmSync(`${file}.moved`);
    expect(cursor.isCurrent()).toBe(false);
    expect(taken(cursor)).toEqual(['{"last":1}']);
    cursor.close();
    expect(taken(cursor)).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});

import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAboutEvent, parseTransition, transitionLine, transitionLines } from '../../src/store/disk/transition-log.ts';
import { PodLog } from '../../src/store/disk/pod-log.ts';
import { newEvent, newPod } from './objects.ts';
import { temporaryFolder } from './temporary-store.ts';

function emptyLog(): string {
  const file = path.join(temporaryFolder(), 'log');
  writeFileSync(file, '');
  return file;
}

function append(file: string, name: string, wallMs = 0): void {
  const log = PodLog.open(file);
  log?.append([['ADDED', newPod(name)]], wallMs);
  log?.close();
}

const line = (name: string): string => transitionLine('ADDED', newPod(name), 0);
const namesIn = (file: string): unknown[] =>
  [...transitionLines(file)].map(parseTransition).map((transition) => transition?.object.metadata.name);
describe('a transition log', () => {
  it('distinguishes Events from Pods without reading the whole line', () => {
    const { kind: _, ...rest } = newEvent('web.1', 'web', 'text');
    expect(isAboutEvent(Buffer.from(transitionLine('ADDED', { ...rest, kind: 'Event' }, 0)))).toBe(true);
    const tricky = { ...newPod('web'), metadata: { ...newPod('web').metadata, annotations: { a: '"kind":"Event"' } } };
    expect(isAboutEvent(Buffer.from(transitionLine('ADDED', tricky, 0)))).toBe(false);
  });

  it('says in each line when it was written, and keeps the rest', () => {
    const file = emptyLog();
    append(file, 'web', 1_768_435_200_123.456);
    const [written] = [...transitionLines(file)].map(parseTransition);
    expect(written).toEqual({ type: 'ADDED', at: '2026-01-15T00:00:00.123456Z', object: newPod('web') });
  });

  it('that was cut anywhere loses its last line only, and takes the next one', () => {
    const file = emptyLog();
    const [one, two] = [line('one'), line('two')];
    for (let cut = 1; cut < two.length; cut += 7) {
      writeFileSync(file, one + two);
      truncateSync(file, one.length + two.length - cut);
      expect(namesIn(file)).toEqual(['one']);
      append(file, 'three');
      expect(namesIn(file).filter((name) => name !== undefined)).toEqual(
        cut === 1 ? ['one', 'two', 'three'] : ['one', 'three'],
      );
    }
  });

  it('is not made anew when it is gone', () => {
    expect(PodLog.open(path.join(temporaryFolder(), 'none'))).toBeUndefined();
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

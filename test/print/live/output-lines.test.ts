import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputLines, prefixLines } from '../../../src/print/live/output-lines.ts';

const NEWLINE = 10;

function linesOf(chunks: readonly Uint8Array[], flush = true): Buffer {
  const shown: Buffer[] = [];
  const lines = new OutputLines((whole) => {
    expect(whole.at(-1)).toBe(NEWLINE);
    shown.push(Buffer.from(whole));
  });
  for (const chunk of chunks) lines.write(Buffer.from(chunk));
  if (flush) lines.flush();
  return Buffer.concat(shown);
}

describe('lines of output', () => {
  it('are the written lines, in whatever pieces they came', () => {
    const anyChunk = fc.array(fc.constantFrom(NEWLINE, 13, 65, 0xe4, 0xff), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(anyChunk, { maxLength: 20 }), (chunks) => {
        const all = Buffer.from(chunks.flat());
        const hasEnd = all.length === 0 || all.at(-1) === NEWLINE;
        const want = hasEnd ? all : Buffer.concat([all, Buffer.of(NEWLINE)]);
        expect(linesOf(chunks.map((chunk) => Uint8Array.from(chunk))).equals(want)).toBe(true);
      }),
    );
  });

  it('are not shown before they have an end, unless they are very long', () => {
    expect(linesOf([Buffer.from('one\ntw')], false).toString()).toBe('one\n');
    expect(linesOf([Buffer.alloc(20_000, 'x')], false)).toHaveLength(20_001);
  });

  it.each(['ä', '€', '😀'])('that are very long are not cut within a character: %s', (character) => {
    for (let before = 0; before < 4; before++) {
      const text = 'x'.repeat(before) + character.repeat(9000);
      const bytes = Buffer.from(text);
      for (const middle of [17_000, 17_001, 17_002, 17_003]) {
        const shown = linesOf([bytes.subarray(0, middle), bytes.subarray(middle)]).toString();
        expect(shown.replaceAll('\n', '')).toBe(text);
      }
    }
  });
});

describe('a prefix', () => {
  const many = Array.from({ length: 500 }, (_, index) => `line ${index}`);

  it.each([
    { what: 'few lines', lines: ['one', '', 'two'] },
    { what: 'many lines', lines: many },
    { what: 'a line that is longer than anything', lines: ['a', 'x'.repeat(400_000), 'b', ...many] },
  ])('stands before $what', ({ lines }) => {
    for (const isTerminal of [false, true]) {
      const input = Buffer.from(`${lines.join('\n')}\n`);
      const shown = Buffer.from(prefixLines(input, { prefix: 'wéb | ', isTerminal })).toString();
      expect(shown).toBe(lines.map((line) => `wéb | ${line}\n`).join(''));
    }
  });

  it('leaves every byte but carriage returns, where there is no terminal to harm', () => {
    const odd = Buffer.from([0xff, 0, 27, 13, NEWLINE, 0xe4, 13, 65, NEWLINE]);
    const style = { prefix: 'é ', isTerminal: false };
    const shown = prefixLines(odd, style);
    expect([...shown]).toEqual([0xc3, 0xa9, 32, 0xff, 0, 27, 10, 0xc3, 0xa9, 32, 0xe4, 13, 65, 10]);
    expect(Buffer.from(prefixLines(odd, { ...style, isTerminal: true })).toString()).toBe('é \uFFFD\né A\n');
  });
});

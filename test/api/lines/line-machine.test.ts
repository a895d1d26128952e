import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineMachine } from '../../../src/api/lines/line-machine.ts';

const machine = LineMachine.get()!;
const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Lines of arbitrary bytes, with lengths around sixteen, the step of the machine. */
const anyLine = fc.oneof(
  fc.uint8Array({ maxLength: 70 }).map((bytes) => textOf(bytes).replaceAll('\n', '')),
  fc.integer({ min: 0, max: 300 }).map((length) => 'x'.repeat(length)),
);
const anyLines = fc.array(anyLine, { minLength: 1, maxLength: 40 });

describe('lines behind a head', () => {
  it('are the same as those made one by one', () => {
    fc.assert(
      fc.property(anyLines, fc.string({ maxLength: 60 }), (lines, text) => {
        const head = Buffer.from(text);
        const input = bytesOf(lines.map((line) => `${line}\n`).join(''));
        expect(machine.addLines(input, head, 1000)).toBe(input.length);
        const want = lines.map((line) => `${textOf(head)}${line}\n`).join('');
        expect(textOf(machine.take())).toBe(want);
      }),
    );
  });

  it.each([0, 1, 15, 16, 17, 40])('end before a line that is too long, with a head of %d bytes', (length) => {
    const head = 'h'.repeat(length);
    const input = bytesOf('one\ntwo\nthree\nfour\n');
    expect(machine.addLines(input, bytesOf(head), 5)).toBe(8);
    expect(textOf(machine.take())).toBe(`${head}one\n${head}two\n`);
    expect(machine.addLines(input.subarray(8), bytesOf(head), 5)).toBe(0);
    expect(machine.take()).toHaveLength(0);
  });

  it('come in portions when they are many', () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `${index}\n`).join('');
    const input = bytesOf(lines);
    let output = '';
    for (let at = 0; at < input.length;) {
      at += machine.addLines(input.subarray(at), bytesOf('> '), 100);
      output += textOf(machine.take());
    }
    expect(output === lines.replaceAll(/^(?=.)/gm, '> ')).toBe(true);
  });

  it('may be as long as there is room, and no longer', () => {
    const input = bytesOf(`${'x'.repeat(300_000)}\n`);
    expect(machine.addLines(input, bytesOf('> '), 1_000_000)).toBe(0);
    const shorter = input.subarray(50_000);
    expect(machine.addLines(shorter, bytesOf('> '), 1_000_000)).toBe(shorter.length);
    expect(machine.take()).toHaveLength(shorter.length + 2);
  });

  it('leave room for unchanged bytes', () => {
    machine.addLines(bytesOf('a\n'), bytesOf('> '), 100);
    const more = bytesOf('b\n');
    expect([machine.hasRoomFor(more), machine.hasRoomFor(new Uint8Array(2_000_000))]).toEqual([true, false]);
    machine.add(more);
    expect(textOf(machine.take())).toBe('> a\nb\n');
  });
});

it('a head has to fit', () => {
  expect([LineMachine.fits(new Uint8Array(300)), LineMachine.fits(new Uint8Array(5000))]).toEqual([true, false]);
});

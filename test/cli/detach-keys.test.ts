import { array, assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DetachKeys, parseDetachKeys } from '../../src/cli/connect/detach-keys.ts';

describe('parseDetachKeys()', () => {
  it.each([
    ['ctrl-p,ctrl-q', [16, 17]],
    ['ctrl-a,d', [1, 100]],
    ['CTRL-[,ctrl-@,ctrl-_', [27, 0, 31]],
    ['x', [120]],
  ])('reads %s', (text, bytes) => {
    expect([...(parseDetachKeys(text) ?? [])]).toEqual(bytes);
  });

  it.each(['ctrl-', 'ctrl-1', 'ctrl', 'a,', 'é', '\t'])('refuses %j', (text) => {
    expect(() => parseDetachKeys(text)).toThrow(/^invalid detach keys \(/);
  });

  it('has no keys for an empty text', () => {
    expect(parseDetachKeys('')).toBeUndefined();
  });
});

describe('DetachKeys', () => {
  it.each([
    ['ab', 'xaby', 'x', true],
    ['ab', 'xaay', 'xaay', false],
    ['ab', 'aab', 'a', true],
    ['ab', 'a', '', false],
    ['aab', 'aaab', 'a', true],
  ])('%s in %s', (keys, typed, input, isDetached) => {
    const taken = new DetachKeys(Buffer.from(keys)).take(Buffer.from(typed));
    expect({ ...taken, input: taken.input.toString() }).toEqual({ input, isDetached });
  });

  it('finds the keys in pieces of any size, and passes on all other bytes', () => {
    const typing = array(constantFrom('a', 'b', 'c'), { maxLength: 20 });
    assert(
      property(constantFrom('ab', 'aab', 'aba', 'c'), typing, integer({ min: 1, max: 5 }), (keys, signs, size) => {
        const typed = signs.join('');
        const detach = new DetachKeys(Buffer.from(keys));
        let out = '';
        let isDetached = false;
        for (let at = 0; at < typed.length && !isDetached; at += size) {
          const taken = detach.take(Buffer.from(typed.slice(at, at + size)));
          out += taken.input.toString();
          ({ isDetached } = taken);
        }
        const place = typed.indexOf(keys);
        expect(isDetached).toBe(place >= 0);
        // A beginning of the keys is held back.
        const expected = place < 0 ? typed : typed.slice(0, place);
        expect(expected.startsWith(out)).toBe(true);
        expect(expected.length - out.length).toBeLessThan(place < 0 ? keys.length : 1);
      }),
    );
  });
});

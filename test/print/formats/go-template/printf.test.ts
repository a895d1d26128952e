import { describe, expect, it } from 'vitest';
import { sprintf } from '../../../../src/print/formats/go-template/printf.ts';

describe('sprintf()', () => {
  it('takes a width that is too large for no verb, as Go does', () => {
    expect(sprintf('a %d b %999999999d c', [1])).toBe('a 1 b %!(NOVERB)');
    expect(sprintf('%.99999999999s', [])).toBe('%!(NOVERB)');
    expect(sprintf('%1000d', [7])).toHaveLength(1000);
  });

  it('makes no more text than a line could ever need', () => {
    expect(() => sprintf('%9999999d'.repeat(100), Array(100).fill(1))).toThrow('printf makes more than 16 MiB of text');
  });

  it('knows more digits than JavaScript', () => {
    expect(sprintf('%.120f', [0.5])).toBe(`0.5${'0'.repeat(119)}`);
  });
});

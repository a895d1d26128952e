import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  QUANTITY_SHAPE_MESSAGE,
  quantityMilliValue,
  quantityValue,
  roundUpToMilli,
} from '../../src/api/quantity.ts';

describe('quantities', () => {
  it.each([
    { text: '0.5', canonical: '500m', units: 1n },
    { text: '1.5Gi', canonical: '1536Mi', units: 1_610_612_736n },
    { text: '1500m', canonical: '1500m', units: 2n },
    { text: '0.1Ki', canonical: '102400m', units: 103n },
    { text: 1e6, canonical: '1M', units: 1_000_000n },
    { text: '1e3', canonical: '1e3', units: 1000n },
    { text: '1E3', canonical: '1e3', units: 1000n },
    { text: '15e-1', canonical: '1500e-3', units: 2n },
    { text: '1k', canonical: '1k', units: 1000n },
    { text: '1.0', canonical: '1', units: 1n },
    { text: '100m', canonical: '100m', units: 1n },
    { text: '-0', canonical: '0', units: 0n },
    { text: '-1', canonical: '-1', units: -1n },
    { text: '-1.5', canonical: '-1500m', units: -2n },
    { text: '1024Mi', canonical: '1Gi', units: 1024n ** 3n },
    { text: '1000Mi', canonical: '1000Mi', units: 1000n * 1024n ** 2n },
    { text: '1000m', canonical: '1', units: 1n },
    { text: '1n', canonical: '1n', units: 1n },
    { text: '0.1n', canonical: '1n', units: 1n },
    { text: '0.0000000000000000000000000000000000000001', canonical: '1n', units: 1n },
    { text: '8Ei', canonical: '9223372036854775807', units: 2n ** 63n - 1n },
    { text: '1e99999999', canonical: '9223372036854775807', units: 2n ** 63n - 1n },
    { text: '0e99999999', canonical: '0', units: 0n },
    { text: '1e-99999999', canonical: '1e-9', units: 1n },
    { text: '+1', canonical: '1', units: 1n },
    { text: '1.', canonical: '1', units: 1n },
    { text: '00100', canonical: '100', units: 100n },
    { text: '512', canonical: '512', units: 512n },
    { text: '512Ki', canonical: '512Ki', units: 524_288n },
    { text: 9_223_372_036_854_775_807n, canonical: '9223372036854775807', units: 2n ** 63n - 1n },
  ])('reads $text as $canonical', ({ text, canonical, units }) => {
    expect(canonicalQuantity(text)).toBe(canonical);
    expect(quantityValue(parseQuantity(text))).toBe(units);
  });

  it.each(['', '128MB', '1 Gi', ' 1', 'true', '1,5', '1KI', '0x10', '1_000', '1..2', '1.2.3', 'abc', '１'])(
    'refuses the shape of %j',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(QUANTITY_SHAPE_MESSAGE);
    },
  );

  it.each(['64K', '1mi', '1kM', '1e', '1e+', '1eE3', '+-1', '1KiKi'])('refuses the suffix of %j', (text) => {
    expect(() => parseQuantity(text)).toThrow("unable to parse quantity's suffix");
  });

  it('rounds up to thousandths, away from zero', () => {
    const rounded = (text: string): string => formatQuantity(roundUpToMilli(parseQuantity(text)));
    expect(rounded('0.0001')).toBe('1m');
    expect(rounded('0.5m')).toBe('1m');
    expect(rounded('1.5')).toBe('1500m');
    expect(rounded('-0.0001')).toBe('-1m');
    expect(quantityMilliValue(parseQuantity('1500001u'))).toBe(1501n);
  });

  it('adds in the family of the first quantity that is not zero', () => {
    const sum = (a: string, b: string): string => formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)));
    expect(sum('100m', '60m')).toBe('160m');
    expect(sum('0', '1Gi')).toBe('1Gi');
    expect(sum('1Gi', '1M')).toBe('1074741824');
  });

  it('compares exactly across families', () => {
    const order = (a: string, b: string): number => compareQuantities(parseQuantity(a), parseQuantity(b));
    expect(order('1Gi', '1073741824')).toBe(0);
    expect(order('1G', '1Gi')).toBeLessThan(0);
    expect(order('9007199254740993', '9007199254740992')).toBeGreaterThan(0);
  });

  it('reads a million digits in no time', () => {
    const digits = '1'.repeat(1_000_000);
    expect(quantityValue(parseQuantity(digits))).toBe(2n ** 63n - 1n);
    expect(quantityValue(parseQuantity(`0.${digits}`))).toBe(1n);
    expect(() => parseQuantity(`${digits}B`)).toThrow(QUANTITY_SHAPE_MESSAGE);
    expect(() => parseQuantity(`1.${digits}B`)).toThrow(QUANTITY_SHAPE_MESSAGE);
    expect(() => parseQuantity(`${'k'.repeat(1_000_000)}B`)).toThrow(QUANTITY_SHAPE_MESSAGE);
  });

  it('keeps the value when its canonical text is read again', () => {
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2');
    const number = fc.tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.integer({ min: 0, max: 99_999 }));
    fc.assert(
      fc.property(number, suffix, ([whole, fraction], unit) => {
        const first = parseQuantity(`${whole}.${fraction}${unit}`);
        const again = parseQuantity(formatQuantity(first));
        expect(again.nano).toBe(first.nano);
        expect(formatQuantity(again)).toBe(formatQuantity(first));
      }),
    );
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkBase64, checkQuantity, checkTime, toInteger } from '../../../src/manifest/decode/scalars.ts';

describe('base64', () => {
  it.each([
    ['', ''],
    ['YWxpY2U=', 'YWxpY2U='],
    ['YWxp\nY2U=\n', 'YWxpY2U='],
    ['YQ=\r\n=', 'YQ=='],
    ['YR==', 'YQ=='],
  ])('takes %j', (text, value) => {
    expect(checkBase64(text)).toEqual({ value });
  });

  it.each([
    ['%%%', 0],
    ['YWxp Y2U=', 4],
    ['YWx-', 3],
    ['YWxpY2U', 4],
    ['YWxpY', 4],
    ['=', 0],
    ['Y===', 1],
    ['YQ=', 3],
    ['YQ=a', 2],
    ['YQ==YQ==', 4],
    ['YWxpY2U=x', 8],
  ])('refuses %j at byte %i', (text, offset) => {
    expect(checkBase64(text)).toEqual({ wrong: `illegal base64 data at input byte ${offset}` });
  });

  it('takes whatever was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(checkBase64(text)).toEqual({ value: text });
      }),
    );
  });
});

describe('times', () => {
  it.each(['2024-02-29T23:59:59Z', '2006-01-02T15:04:05.999999999+07:00', '2006-01-02T5:04:05-12:00'])(
    'take %s',
    (text) => {
      expect(checkTime(text)).toEqual({ value: text });
    },
  );

  const cannot = (text: string, rest: string, part: string): string =>
    `parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse "${rest}" as "${part}"`;

  it.each([
    ['yesterday', cannot('yesterday', 'yesterday', '2006')],
    ['', cannot('', '', '2006')],
    ['2006-01-02', cannot('2006-01-02', '', 'T')],
    ['2006-01-02 15:04:05Z', cannot('2006-01-02 15:04:05Z', ' 15:04:05Z', 'T')],
    ['2006-01-02T15:04:05', cannot('2006-01-02T15:04:05', '', 'Z07:00')],
    ['2006-1-02T15:04:05Z', cannot('2006-1-02T15:04:05Z', '1-02T15:04:05Z', '01')],
    ['2006-13-02T15:04:05Z', 'parsing time "2006-13-02T15:04:05Z": month out of range'],
    ['2006-02-30T15:04:05Z', 'parsing time "2006-02-30T15:04:05Z": day out of range'],
    ['2006-01-02T24:04:05Z', 'parsing time "2006-01-02T24:04:05Z": hour out of range'],
    ['2006-01-02T15:04:05Zx', 'parsing time "2006-01-02T15:04:05Zx": extra text: "x"'],
  ])('refuse %j', (text, wrong) => {
    expect(checkTime(text)).toEqual({ wrong });
  });

  const precise = (text: string, rest: string, part: string): object => ({
    wrong: `parsing time "${text}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "${rest}" as "${part}"`,
  });

  it.each([
    ['2006-01-02T15:04:05.000000Z', { value: '2006-01-02T15:04:05.000000Z' }],
    ['2006-01-02T15:04:05Z', precise('2006-01-02T15:04:05Z', 'Z', '.000000')],
    ['2006-01-02T15:04:05.123Z', precise('2006-01-02T15:04:05.123Z', '.123Z', '.000000')],
    ['2006-01-02T15:04:05.1234567Z', precise('2006-01-02T15:04:05.1234567Z', '7Z', 'Z07:00')],
    ['x', precise('x', 'x', '2006')],
  ])('with microseconds have all of them: %j', (text, checked) => {
    expect(checkTime(text, 'microTime')).toEqual(checked);
  });
});

describe('quantities in manifests', () => {
  it('may have blanks before and after, and come out canonical', () => {
    expect(checkQuantity(' 1024Mi\n')).toEqual({ value: '1Gi' });
  });
});

describe('integers', () => {
  it.each([
    [30, 'int32', 30],
    [2_147_483_647, 'int32', 2_147_483_647],
    [2_147_483_648, 'int32', undefined],
    [-2_147_483_649n, 'int32', undefined],
    [1.5, 'int64', undefined],
    ['1', 'int64', undefined],
    [1e18, 'int64', 1e18],
    [1e19, 'int64', undefined],
    [9_223_372_036_854_775_808n, 'int64', undefined],
  ] as const)('%s as %s is %s', (value, type, want) => {
    expect(toInteger(value, type)).toBe(want);
  });

  it('beyond 2^53 still fit 64 bits when they are printed', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const printed = BigInt(String(toInteger(value, 'int64')));
        expect(BigInt.asIntN(64, printed)).toBe(printed);
        const difference = printed > value ? printed - value : value - printed;
        expect(difference).toBeLessThan(2000n);
      }),
      { examples: [[2n ** 63n - 1n], [-(2n ** 63n)], [2n ** 53n + 1n]] },
    );
  });
});

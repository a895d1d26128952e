import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolvePlain, resolveTagged } from '../../../src/manifest/read/yaml-scalars.ts';

const words = (text: string): string[] => text.split(' ');

describe('plain scalars', () => {
  it.each(words('y Y yes Yes YES on On ON true True TRUE'))('%s is true', (text) => {
    expect(resolvePlain(text)).toBe(true);
  });

  it.each(words('n N no No NO off Off OFF false False FALSE'))('%s is false', (text) => {
    expect(resolvePlain(text)).toBe(false);
  });

  it.each(['~', 'null', 'Null', 'NULL', ''])('%j is null', (text) => {
    expect(resolvePlain(text)).toBeNull();
  });

  it.each([
    ['010', 8],
    ['0o10', 8],
    ['0O10', 8],
    ['+010', 8],
    ['0x1F', 31],
    ['0X1f', 31],
    ['-0x1f', -31],
    ['0b101', 5],
    ['-0b1', -1],
    ['08', 8],
    ['09', 9],
    ['019', 19],
    ['0', 0],
    ['00', 0],
    ['-0', 0],
    ['1_000', 1000],
    ['1__0', 10],
    ['0_7', 7],
    ['1_', 1],
    ['1.0', 1],
    ['5.', 5],
    ['1e3', 1000],
    ['1E3', 1000],
    ['1e+3', 1000],
    ['1.e3', 1000],
    ['.5', 0.5],
    ['+1.5', 1.5],
    ['-.5', -0.5],
    ['0.1', 0.1],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9223372036854775807', 9_223_372_036_854_775_807n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
    ['18446744073709551615', 18_446_744_073_709_551_615n],
    ['0xFFFFFFFFFFFFFFFF', 18_446_744_073_709_551_615n],
    ['18446744073709551616', 18_446_744_073_709_552_000],
    ['1e-400', 0],
  ] as const)('%s is the number %s', (text, value) => {
    expect(resolvePlain(text)).toEqual(value);
  });

  it.each([
    ...words('yEs tRue nULL _1 0x 0b 0o 1e 1,000 1.2.3 inf nan 1e400 0xFFFFFFFFFFFFFFFFF 1:30 12:30:45 2024-02-29'),
    ...words('2024-02-29T10:00:00Z . .. = << 0,2-3 a#b - + .e5 ._5 0o8 0b2 1e3x ٣ 1k'),
    ' 1',
  ])('%j is a string', (text) => {
    expect(resolvePlain(text)).toBe(text);
  });

  it.each([
    ['.inf', '+Inf'],
    ['+.Inf', '+Inf'],
    ['-.INF', '-Inf'],
    ['.NaN', 'NaN'],
  ])('%s is refused', (text, name) => {
    expect(() => resolvePlain(text)).toThrow(`json: unsupported value: ${name}`);
  });

  it('keep every digit of a 64-bit integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (value) => {
        expect(String(resolvePlain(String(value)))).toBe(String(value));
      }),
    );
  });
});

describe('tagged scalars', () => {
  const core = (name: string, text: string): unknown => resolveTagged(`tag:yaml.org,2002:${name}`, text);

  it.each([
    ['str', '8080', '8080'],
    ['int', '5', 5],
    ['int', '0x10', 16],
    ['bool', 'yes', true],
    ['float', '1.5', 1.5],
    ['float', '3', 3],
    ['null', '', null],
    ['binary', 'aGkgdGhl\ncmU=', 'hi there'],
    ['timestamp', '2024-01-01', '2024-01-01'],
    ['set', 'x', 'x'],
  ])('!!%s %s', (tag, text, value) => {
    expect(core(tag, text)).toBe(value);
  });

  it('of no known meaning are strings', () => {
    expect(resolveTagged('!foo', '5')).toBe('5');
  });

  it.each([
    ['int', 'x', 'yaml: cannot decode !!str `x` as a !!int'],
    ['int', '1.5', 'yaml: cannot decode !!float `1.5` as a !!int'],
    ['int', '08', 'yaml: cannot decode !!float `08` as a !!int'],
    ['bool', '1', 'yaml: cannot decode !!int `1` as a !!bool'],
    ['binary', '%%', 'yaml: !!binary value contains invalid base64 data'],
  ])('!!%s %s is refused', (tag, text, message) => {
    expect(() => core(tag, text)).toThrow(message);
  });
});

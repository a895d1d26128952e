import { describe, expect, it } from 'vitest';
import { goQuote } from '../../src/api/go/go-quote.ts';
import {
  duplicate,
  forbidden,
  formatFieldError,
  invalid,
  notFound,
  notSupported,
  renderValue,
  required,
  tooLong,
  tooMany,
} from '../../src/manifest/base/field-error.ts';

describe('field errors', () => {
  it.each([
    { error: required('spec.containers[0].image'), line: 'spec.containers[0].image: Required value' },
    {
      error: required('metadata.name', 'name or generateName is required'),
      line: 'metadata.name: Required value: name or generateName is required',
    },
    { error: invalid('a', 'x', 'must be y'), line: 'a: Invalid value: "x": must be y' },
    { error: invalid('a', -1, 'must be y'), line: 'a: Invalid value: -1: must be y' },
    { error: invalid('a', '', 'must be y'), line: 'a: Invalid value: "": must be y' },
    { error: invalid('a', undefined, 'must be y'), line: 'a: Invalid value: null: must be y' },
    { error: invalid('a', { app: 'demo' }, 'must be y'), line: 'a: Invalid value: {"app":"demo"}: must be y' },
    {
      error: notSupported('spec.restartPolicy', 'Sometimes', ['Always', 'Never']),
      line: 'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never"',
    },
    { error: forbidden('spec.x', 'no'), line: 'spec.x: Forbidden: no' },
    { error: duplicate('spec.x[1]', 'app'), line: 'spec.x[1]: Duplicate value: "app"' },
    { error: notFound('spec.x', 'data'), line: 'spec.x: Not found: "data"' },
    { error: tooLong('[]', 64), line: '[]: Too long: may not be more than 64 bytes' },
    { error: tooMany('spec.x', 21, 20), line: 'spec.x: Too many: 21: must have at most 20 items' },
    {
      error: { path: '', type: 'Parse error', detail: 'expected an object' } as const,
      line: 'Parse error: expected an object',
    },
  ])('prints $line', ({ error, line }) => {
    expect(formatFieldError(error)).toBe(line);
  });

  it.each([
    ['plain', '"plain"'],
    ['say "hi" \\', '"say \\"hi\\" \\\\"'],
    ['A\nB\t\r', '"A\\nB\\t\\r"'],
    ['\u0000\u0007\u001b\u007f', '"\\x00\\a\\x1b\\x7f"'],
    ['CAFÉ 世界 😀', '"CAFÉ 世界 😀"'],
    ['a\u00a0b\u200b', '"a\\u00a0b\\u200b"'],
    ['\u{e0001}', '"\\U000e0001"'],
  ])('quotes %j as Go does', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });

  it('shows every digit of a 64-bit integer', () => {
    expect(renderValue(9_223_372_036_854_775_807n)).toBe('9223372036854775807');
  });
});

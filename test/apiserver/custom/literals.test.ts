import { beforeAll, describe, expect, it } from 'vitest';
import { loadPatterns } from '../../../src/apiserver/custom/base/patterns.ts';
import { checkExpression } from '../../../src/apiserver/custom/cel/check/check-expression.ts';
import { DYN, INT, listType, STRING } from '../../../src/apiserver/custom/cel/check/types.ts';
import { newEnvironment } from '../../../src/apiserver/custom/cel/environment.ts';

beforeAll(loadPatterns);

const environment = newEnvironment(['self', 'number', 'names', 'any']);
const variables = new Map([
  ['self', STRING],
  ['number', INT],
  ['names', listType(STRING)],
  ['any', DYN],
]);

/** The mistakes without the line that they are in: `1:11: invalid …`. */
function mistakesOf(expression: string): string[] {
  const checked = checkExpression(environment, expression, variables);
  if (!('error' in checked)) return [];
  return [...checked.error.matchAll(/^ERROR: <input>:(.*)$/gm)].map(([, text = '']) => text);
}

describe('a literal', () => {
  it.each([
    ["duration('1d') > duration('1s')", '1:10: invalid duration argument'],
    ["timestamp('2026-01-01') < timestamp('2026-01-01T00:00:00Z')", '1:11: invalid timestamp argument'],
    ["self.matches('[')", '1:14: invalid matches argument'],
    ["[1, 'a', 2.0].size() > 0", "1:5: expected type 'int' but found 'string'"],
    ["{'a': 1, 'b': 'c'}.size() > 0", "1:15: expected type 'int' but found 'string'"],
    [
      "'%d'.format(['a']) == ''",
      '1:14: error during formatting: decimal clause can only be used on integers, was given string',
    ],
    [
      "'%f'.format([number]) == ''",
      '1:14: error during formatting: fixed-point clause can only be used on doubles, was given int',
    ],
    [
      "'%b'.format([names]) == ''",
      '1:14: error during formatting: only integers and bools can be formatted as binary, was given list',
    ],
    ["'%z'.format([1]) == ''", '1:12: could not parse formatting clause: unrecognized formatting clause "z"'],
    ["'%s %s'.format([1]) == ''", '1:15: index 1 out of range'],
    ["'%s'.format([1, 2]) == ''", '1:12: too many arguments supplied to string.format (expected 1, got 2)'],
    ["'%s %'.format([1, 2]) == ''", '1:14: unexpected end of string'],
    [
      "'%.f'.format([1.0]) == ''",
      '1:13: could not parse formatting clause: error while parsing precision: ' +
        'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    ],
  ])('is a mistake: %s', (expression, mistake) => {
    expect(mistakesOf(expression)).toEqual([mistake]);
  });

  it.each([
    "duration('1h30m') > duration('0')",
    "timestamp('2026-01-01T00:00:00.5+02:00') < timestamp('2026-01-02T00:00:00Z')",
    "self.matches('^a+$') && matches('a', self)",
    'duration(self) > duration(self) && self.matches(self)',
    "'%s %d %.2f %x %% %s'.format(['a', 1, 1.5, self, [1, {'a': any}]]) == self",
    "'%d'.format([any]) == self.format(names)",
    "[any, 1, 'a'].size() > 0 && [[], ['a']].size() > 0",
  ])('is right: %s', (expression) => {
    expect(mistakesOf(expression)).toEqual([]);
  });
});

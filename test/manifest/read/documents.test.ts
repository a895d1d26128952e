import { describe, expect, it } from 'vitest';
import { cutDocuments } from '../../../src/manifest/read/documents.ts';

/** The documents: text and first line, or the failure. */
function cut(text: string | Buffer): unknown[] {
  return cutDocuments(Buffer.from(text as string)).map(({ source, failure }) => {
    const { line } = source.positionAt(failure?.offset ?? 0);
    return failure === undefined ? [line, source.text] : `${line}: ${failure.message}`;
  });
}

describe('documents', () => {
  it.each([
    ['one', 'a\n', [[1, 'a\n']]],
    ['nothing', '', [[1, '']]],
    [
      'two',
      'a\n---\nb',
      [
        [1, 'a\n'],
        [3, 'b'],
      ],
    ],
    [
      'a separator first and last',
      '---\na\n---',
      [
        [1, ''],
        [2, 'a\n'],
        [4, ''],
      ],
    ],
    [
      'a separator with a comment',
      'a\n---  # b\nc',
      [
        [1, 'a\n'],
        [3, 'c'],
      ],
    ],
    [
      'a separator with blanks',
      'a\n--- \t\r\nc',
      [
        [1, 'a\n'],
        [3, 'c'],
      ],
    ],
    ['indented dashes', 'a: |\n  ---\n', [[1, 'a: |\n  ---\n']]],
    ['dashes in a line', 'a---\nb: x---y\n', [[1, 'a---\nb: x---y\n']]],
    ['line ends of other systems', 'a\r\nb\rc', [[1, 'a\nb\nc']]],
    ['a byte order mark', '\ufeffa', [[1, 'a']]],
    [
      'a byte order mark in each',
      '\ufeffa\n---\n\ufeffb',
      [
        [1, 'a\n'],
        [3, 'b'],
      ],
    ],
  ])('are cut: %s', (_name, text, want) => {
    expect(cut(text)).toEqual(want);
  });

  it.each([
    ['a\n--- b: c\nd\n', 2, 'b: c'],
    ['a\n----\nd\n', 2, '-'],
    ['a\n---x\nd\n', 2, 'x'],
  ])('are not cut by %j, and the remaining ones are read', (text, line, rest) => {
    expect(cut(text)).toEqual([[1, 'a\n'], `${line}: invalid Yaml document separator: ${rest}`, [3, 'd\n']]);
  });

  it('name the line that is not UTF-8, and still read the other documents', () => {
    const bytes = Buffer.concat([Buffer.from('a\n---\nb\nc: '), Buffer.from([0xff]), Buffer.from('\n---\nd')]);
    expect(cut(bytes)).toEqual([[1, 'a\n'], '4: yaml: invalid UTF-8', [6, 'd']]);
  });
});

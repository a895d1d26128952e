import { expect, it } from 'vitest';
import { sourcesBelow } from './source.ts';

/** The conformance suite is developed elsewhere. */
const COPIED = 'test/conformance/';
const BARRED = /^(Who|Whose|Whoever|Whom|Of|What|That)\b/;

const code = ['src', 'test', 'bench', 'bin'].flatMap(sourcesBelow).filter(({ path }) => !path.startsWith(COPIED));

it('a comment begins with its noun or verb, not with a pronoun without one', () => {
  const barred = code.flatMap(({ path, text }) =>
    firstLines(text).flatMap(({ line, words }) => (BARRED.test(words) ? [`${path}:${line} ${words}`] : [])),
  );
  expect(barred).toEqual([]);
});

/** The first line of each comment: of a block, or of lines that follow each other. */
function firstLines(text: string): { readonly line: number; readonly words: string }[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.flatMap((line, index) => {
    const before = lines[index - 1] ?? '';
    const [, words] =
      /^\/\*\*? (.*)/.exec(line) ??
      (before.startsWith('//') ? undefined : /^\/\/ (.*)/.exec(line)) ??
      (/^\/\*\*?$/.test(before) ? /^\* (.*)/.exec(line) : undefined) ??
      [];
    return words === undefined ? [] : [{ line: index + 1, words }];
  });
}

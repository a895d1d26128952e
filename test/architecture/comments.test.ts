import { expect, it } from 'vitest';
import { sourcesBelow } from './source.ts';

/** The conformance suite is developed in a project of its own. */
const COPIED = 'test/conformance/';
const BARRED = /^(Who|Whose|Whoever|Whom|Of|What|That)\b/;
/** Beginnings of docstrings that leave the noun to the reader. */
const BARRED_IN_DOCSTRING = /^(How|Where|Whether|Its|If|It|They|Something)\b/;

const code = ['src', 'test', 'bench', 'bin'].flatMap(sourcesBelow).filter(({ path }) => !path.startsWith(COPIED));

it('a comment begins with its noun or verb, not with a pronoun without one', () => {
  const barred = code.flatMap(({ path, text }) =>
    firstLines(text).flatMap(({ line, words, isDocstring }) =>
      BARRED.test(words) || (isDocstring && BARRED_IN_DOCSTRING.test(words)) ? [`${path}:${line} ${words}`] : [],
    ),
  );
  expect(barred).toEqual([]);
});

/** The first line of each comment: of a block, or of lines that follow each other. */
function firstLines(text: string): { readonly line: number; readonly words: string; readonly isDocstring: boolean }[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.flatMap((line, index) => {
    const before = lines[index - 1] ?? '';
    const [, words] =
      /^\/\*\*? (.*)/.exec(line) ??
      (before.startsWith('//') ? undefined : /^\/\/ (.*)/.exec(line)) ??
      (/^\/\*\*?$/.test(before) ? /^\* (.*)/.exec(line) : undefined) ??
      [];
    const isDocstring = !line.startsWith('//');
    return words === undefined ? [] : [{ line: index + 1, words, isDocstring }];
  });
}

import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitWords } from '../../../src/settings/config/split-words.ts';

/** Puts each word in single quotes. */
const quote = (words: readonly string[]): string => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');

describe('splitWords()', () => {
  it.each([
    { name: 'splits at blanks', text: '  a  b\tc\nd ', words: ['a', 'b', 'c', 'd'] },
    { name: 'finds no words in blanks', text: ' \n', words: [] },
    { name: 'keeps single quotes together and literal', text: `'a  "b" \\ $c'`, words: ['a  "b" \\ $c'] },
    { name: 'keeps double quotes together', text: '"a  \'b\'"', words: ["a  'b'"] },
    { name: 'knows what a backslash escapes in double quotes', text: '"\\"\\\\\\$\\`\\n"', words: ['"\\$`\\n'] },
    { name: 'joins quoted and plain pieces', text: `a'b'"c"\\ d`, words: ['abc d'] },
    { name: 'makes a word of empty quotes', text: `a '' ""`, words: ['a', '', ''] },
    { name: 'takes a line end behind a backslash away', text: 'a\\\nb "c\\\nd"', words: ['ab', 'cd'] },
    {
      name: 'leaves what a shell would expand or act upon',
      text: '$A *.js a|b >c && d',
      words: ['$A', '*.js', 'a|b', '>c', '&&', 'd'],
    },
  ])('$name', ({ text, words }) => {
    expect(splitWords(text)).toEqual({ ok: true, words });
  });

  it.each([
    { text: "a 'b", problem: "has no closing '" },
    { text: 'a "b\\"', problem: 'has no closing "' },
    { text: 'a\\', problem: 'ends with a backslash' },
  ])('refuses what $problem', ({ text, problem }) => {
    expect(splitWords(text)).toEqual({ ok: false, problem });
  });

  it('reads back any words that are quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(splitWords(quote(words))).toEqual({ ok: true, words });
      }),
    );
  });

  it('agrees with the shell', () => {
    const piece = fc.constantFrom('a', ' ', "'", '"', '\\', '\\"', "' '", '"b c"', '\t');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const readable = text.filter((candidate) => splitWords(candidate).ok && candidate.trim() !== '');
    fc.assert(
      fc.property(fc.array(readable, { minLength: 20, maxLength: 40 }), (lines) => {
        // Runs one shell for many lines: a word ends with \1, a line with \2.
        const script = lines.map((line) => `printf '%s\\1' ${line}; printf '\\2'`).join('\n');
        const shell = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\u0002').slice(0, -1);
        const ours = lines.map((line) => {
          const outcome = splitWords(line);
          return outcome.ok ? outcome.words.map((word) => `${word}\u0001`).join('') : 'refused';
        });
        expect(ours).toEqual(shell);
      }),
      { numRuns: 10 },
    );
  });
});

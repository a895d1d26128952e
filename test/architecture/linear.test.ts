import { describe, expect, it } from 'vitest';
import { superLinear } from './linear.ts';
import { patternsIn } from './patterns.ts';
import { lineAt, sourcesBelow } from './source.ts';

/** Patterns that are linear by the texts that they meet. */
const LINEAR_BY_TEXT = new Map([
  ['src/lifecycle/environment/expansion.ts \\$(?:\\$|\\(([^)]*)\\))', 'the text ends with `)`'],
]);

/** Patterns that are put together while podrun runs, each with the reason why they are linear. */
const PUT_TOGETHER: Readonly<Record<string, string>> = {
  'src/api/go/go-json.ts': 'one letter',
  'src/network/dns/answer.ts': 'the domain of the cluster, a constant of another file',
  'src/remote/pull/portable-object.ts': 'alternatives of constant words, at the start of the text',
  'src/runtime/linux/cgroup/cgroup-usage.ts': 'the name of a line of a file, by a caller of the same file',
  'src/runtime/linux/detection/findings.ts': 'the name of a line of a file, by a caller of the same file',
  'src/runtime/watch/kill.ts': 'the name of a line of a file, by a caller of the same file',
};

const found = sourcesBelow('src')
  // The programs of this folder run in the build.
  .filter(({ path }) => !path.startsWith('src/api/schema/'))
  .flatMap((file) =>
    patternsIn(file.ast).map((pattern) => ({ ...pattern, file: file.path, line: lineAt(file, pattern.start) })),
  );

describe('the time of a regular expression', () => {
  it('is linear', () => {
    const known = found.flatMap(({ pattern, ...place }) => (pattern === undefined ? [] : [{ ...place, ...pattern }]));
    const slow = known
      .map((pattern) => ({ ...pattern, why: superLinear(pattern.source, pattern.flags) }))
      .filter(({ why }) => why.length > 0);
    const wrong = slow.filter(({ file, source }) => !LINEAR_BY_TEXT.has(`${file} ${source}`));
    expect(wrong.map(({ file, line, source, why }) => `${file}:${line} /${source}/ ${why.join('; ')}`)).toEqual([]);
    expect(slow.length - wrong.length, 'each exception is still needed').toBe(LINEAR_BY_TEXT.size);
  });

  it('is known before podrun runs, but for these', () => {
    const unknown = found.filter(({ pattern }) => pattern === undefined).map(({ file }) => file);
    expect([...new Set(unknown)]).toEqual(Object.keys(PUT_TOGETHER));
  });

  it.each([
    [/ *, */, 'a blank may begin a match'],
    [/x$/, undefined],
    [/^ +x/, undefined],
    [/(?<! ) +x/, undefined],
    [/^\s+x/m, 'each line may begin a match'],
    [/^[ \t]+x/m, undefined],
    [/\$\(([^)]*)\)/, 'the text in front repeats'],
    [/\$\(([^()]*)\)/, undefined],
    [/^(.*)=(.*);/, 'both take `=`'],
    [/^([^=]*)=(.*);/, undefined],
    [/^(.*)=(.*)/s, undefined],
    [/^\d+\.?\d*$/, 'both take digits'],
    [/^\d+(?!\d)\.?\d*$/, undefined],
    [/^(?:a*b)*$/, undefined],
    [/^(?:a*a?)*$/, 'the repetition of a repetition'],
    [/^(?:a|a)*$/, 'each character has two ways'],
    [/^(?:[^'\\]|\\.)*$/, undefined],
  ])('%s is judged rightly', (pattern, why) => {
    expect(superLinear(pattern.source, pattern.flags).length > 0).toBe(why !== undefined);
  });
});

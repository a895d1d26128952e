import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readDocument } from '../../../src/manifest/read/documents.ts';
import { nodeValue, SourceText } from '../../../src/manifest/read/source-node.ts';
import { resolvePlain } from '../../../src/manifest/read/yaml-scalars.ts';

/** Words that resemble other values. The writer below quotes them. */
const TRAPS = ['yes', 'no', 'on', '~', 'null', '0644', '1:30', '1e3', '2024-01-01', '.inf', '0x1F', '1_000', ''];

/** Texts with difficult parts: line ends, quotes, blanks, indicators. */
const text = fc.oneof(
  fc.constantFrom(...TRAPS),
  fc.constantFrom(
    ' ',
    'a\nb\n',
    '  x\n y',
    'a #b',
    '"',
    "'",
    '\\',
    '\t',
    '#',
    '%x',
    '@',
    '*a',
    '&a',
    '!a',
    '---',
    '- a',
  ),
  // The writer does not know all numbers of Go: it would not quote `-_0`.
  fc.string({ unit: 'grapheme-ascii' }).filter(isPlainText),
  fc.stringMatching(/^[a-zA-Z0-9 .:_/-]*$/).filter(isPlainText),
);

function isPlainText(word: string): boolean {
  return !/^[-+.]/.test(word) && typeof resolvePlain(word) === 'string';
}

// A merge key, which the writer does not quote.
const key = text.filter((word) => word !== '<<');

const { object } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('leaf'), tie('object'), tie('list')),
  leaf: fc.oneof(
    text,
    fc.integer(),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.boolean(),
    fc.constant(null),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
}));

function read(document: string): unknown[] {
  return readDocument({ source: new SourceText(document, 1) }).map(nodeValue);
}

it('an object reads the same from JSON, from YAML blocks and from YAML in one line', async () => {
  await fc.assert(
    fc.asyncProperty(object, async (value) => {
      const json = JSON.stringify(value);
      const want = [JSON.parse(json) as unknown];
      expect(read(json)).toEqual(want);
      // No line begins with ---: such text is quoted or indented.
      const options = { version: '1.1', lineWidth: 0 } as const;
      expect(read(stringify(value, options))).toEqual(want);
      expect(read(stringify(value, { ...options, collectionStyle: 'flow' }))).toEqual(want);
    }),
    { numRuns: 300 },
  );
});

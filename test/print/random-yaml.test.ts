import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatYaml } from '../../src/print/formats/object.ts';

it('formatYaml() writes text that a reader of YAML 1.1 and of 1.2 reads back unchanged', () => {
  const words = fc.constantFrom(' ', '\n', '\t', ': ', ' #', '- ', '"', "'", '|', '1', 'no', '0x', 'é', '😀', 'word ');
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words, { maxLength: 40 }).map((parts) => parts.join('')),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    map: fc.dictionary(
      text.filter((key) => key !== '__proto__' && key !== '<<' && key.length < 200),
      tie('value'),
    ),
  }));
  fc.assert(
    fc.property(json.map, (value) => {
      const yaml = formatYaml(value);
      for (const version of ['1.1', '1.2'] as const) {
        expect(parse(yaml, { version, maxAliasCount: 0 })).toEqual({ ...(value as object) });
      }
    }),
  );
});

import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { fieldsOf } from '../../../src/api/base/field-types.ts';
import { fieldTable } from '../../../src/api/generated/field-table.ts';
import { decodeObject } from '../../../src/manifest/decode/decode.ts';
import { parseType } from '../../../src/manifest/decode/fields.ts';
import { type MapNode, SourceText } from '../../../src/manifest/read/source-node.ts';
import { readYaml } from '../../../src/manifest/read/yaml-reader.ts';

/** A value of each primitive type, as the decoder keeps it. */
const VALUES: Readonly<Record<string, unknown>> = {
  string: 'text',
  bool: true,
  int32: 32,
  int64: 2 ** 40,
  float64: 0.5,
  quantity: '1500m',
  intOrString: 80,
  time: '2026-11-20T20:01:02Z',
  microTime: '2026-11-20T20:01:02.000003Z',
  bytes: 'cG9kcnVu',
  object: { any: { thing: ['at', 'all'] } },
  any: [1, { two: null }],
};

/** An object with every field of its type, and of all types below it. */
function fullObject(type: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fieldsOf(type) ?? {}).map(([name, field]) => [name, fullValue(field)]));
}

function fullValue(type: string): unknown {
  const { container, base } = parseType(type);
  const isNested = base.startsWith('[]');
  const one = isNested ? fullValue(base) : Object.hasOwn(VALUES, base) ? VALUES[base] : fullObject(base);
  if (container === 'list') return [one, one];
  return container === 'map' ? { first: one, second: one } : one;
}

const kinds = Object.entries(fieldTable.kinds).map(([kind, type]) => ({ kind, type }));

describe('an object with every field set', () => {
  it.each(kinds)('is decoded as it was written: $kind', ({ type }) => {
    const written = fullObject(type);
    const tree = readYaml(new SourceText(stringify(written, { aliasDuplicateObjects: false }), 1)) as MapNode;
    const { object, problems } = decodeObject(tree, type, { lineOf: () => 0, takesNewerFields: true });
    expect(problems).toEqual([]);
    expect(object).toEqual(written);
  });
});

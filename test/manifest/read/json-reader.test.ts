import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/manifest/read/json-reader.ts';
import { nodeValue, type SourceNode } from '../../../src/manifest/read/source-node.ts';
import { nodeOf } from '../../../src/manifest/read/value-node.ts';

describe('JSON', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(readJson(text).map(nodeValue)).toEqual([JSON.parse(text)]);
      }),
    );
  });

  it('reads one object after the other', () => {
    expect(readJson(' {"a":1}{}\n[2] ').map(nodeValue)).toEqual([{ a: 1 }, {}, [2]]);
  });

  it('keeps every digit, every key and every place', () => {
    expect(readJson('{"a": 9223372036854775807,\n "a": [-1.5e2]}')).toEqual([
      {
        kind: 'map',
        offset: 0,
        entries: [
          {
            key: 'a',
            keyOffset: 1,
            value: { kind: 'scalar', offset: 6, text: '9223372036854775807', value: 9_223_372_036_854_775_807n },
          },
          {
            key: 'a',
            keyOffset: 28,
            value: {
              kind: 'list',
              offset: 33,
              items: [{ kind: 'scalar', offset: 34, text: '-1.5e2', value: -150 }],
            },
          },
        ],
      },
    ]);
  });

  it('takes each character of a string but a control, escaped or not', () => {
    const text = String.raw`["\u0001\n\"\\\/", "` + '\u007f\u2028\ud83d"]';
    expect(readJson(text).map(nodeValue)).toEqual([['\u0001\n"\\/', '\u007f\u2028\ud83d']]);
  });

  it.each([
    ['{', 1],
    ['{"a"}', 4],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{a: 1}', 1],
    ["{'a': 1}", 1],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['"\\u12"', 1],
    ['"\u0001"', 1],
    ['"a', 2],
    ['01', 1],
    ['1.', 1],
    ['+1', 0],
    ['nul', 0],
    ['1e999', 0],
    ['['.repeat(101), 100],
  ])('refuses %j', (text, offset) => {
    // The texts `01` and `1.` are a value with a character that cannot follow it.
    expect(() => readJson(`${text} x`)).toThrow(expect.objectContaining({ name: 'SourceError' }) as Error);
    expect(() => readJson(text.replace(/^(01|1\.)$/, '[$1]'))).toThrow(
      expect.objectContaining({ offset: offset + (/^(?:01|1\.)$/.test(text) ? 1 : 0) }) as Error,
    );
  });
});

describe('the node of a value', () => {
  const offsets = (node: SourceNode): number[] => [
    node.offset,
    ...(node.kind === 'list' ? node.items.flatMap(offsets) : []),
    ...(node.kind === 'map' ? node.entries.flatMap(({ keyOffset, value }) => [keyOffset, ...offsets(value)]) : []),
  ];
  /** Without what a value does not say: where it was in a text, and with which escapes. */
  const said = (node: SourceNode): unknown => {
    if (node.kind === 'scalar') return typeof node.value === 'string' ? node.value : [node.text, nodeValue(node)];
    if (node.kind === 'list') return node.items.map(said);
    return { map: node.entries.map(({ key, value }) => [key, said(value)]) };
  };

  it('is as if it were read from its JSON, with offsets in the same order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const node = nodeOf(value);
        expect([said(node)]).toEqual(readJson(JSON.stringify(value)).map(said));
        expect(offsets(node)).toEqual(offsets(node).toSorted((a, b) => a - b));
      }),
    );
  });

  it('leaves out what JSON leaves out', () => {
    expect(nodeValue(nodeOf({ a: undefined, b: [undefined, Number.NaN] }))).toEqual({ b: [null, null] });
  });

  it('is refused when the value is too deep or too large', () => {
    const deep = JSON.parse('['.repeat(101) + ']'.repeat(101)) as unknown;
    expect(() => nodeOf(deep)).toThrow('nested more than 100 levels deep');
    expect(() => nodeOf(Array.from({ length: 250_000 }, () => 0))).toThrow('more than 250000 values');
  });
});

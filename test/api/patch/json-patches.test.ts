import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { applyPatch } from '../../../src/api/patch/index.ts';
import { messageOf } from './message-of.ts';

const config = (data: unknown): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data });

describe('a merge patch (RFC 7386)', () => {
  // The examples of appendix A about objects.
  const cases: Array<[data: unknown, patch: unknown, after: unknown]> = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ['text', { a: 1 }, { a: 1 }],
  ];

  it.each(cases)('%j and %j make %j', (data, patch, after) => {
    expect(applyPatch(config(data), { data: patch }, 'merge')['data']).toEqual(after);
  });

  it.each([
    [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [null, 'Invalid JSON Patch'],
  ])('is no %j', (patch, words) => {
    const message = `Error from server (BadRequest): ${words}`;
    expect(messageOf(() => applyPatch(config({}), patch, 'merge'))).toEqual({ message });
  });
});

describe('a JSON patch (RFC 6902)', () => {
  const cases: Array<{ what: string; data: unknown; operations: object[]; after: unknown }> = [
    { what: 'adds a field', data: {}, operations: [{ op: 'add', path: '/data/a', value: 1 }], after: { a: 1 } },
    {
      what: 'adds over a field',
      data: { a: 0 },
      operations: [{ op: 'add', path: '/data/a', value: 1 }],
      after: { a: 1 },
    },
    {
      what: 'inserts into a list',
      data: [1, 2],
      operations: [{ op: 'add', path: '/data/1', value: 9 }],
      after: [1, 9, 2],
    },
    { what: 'appends to a list', data: [1], operations: [{ op: 'add', path: '/data/-', value: 2 }], after: [1, 2] },
    { what: 'counts from the end', data: [1, 2], operations: [{ op: 'remove', path: '/data/-1' }], after: [1] },
    { what: 'adds null for no value', data: {}, operations: [{ op: 'add', path: '/data/a' }], after: { a: null } },
    { what: 'removes', data: { a: 1, b: 2 }, operations: [{ op: 'remove', path: '/data/a' }], after: { b: 2 } },
    { what: 'removes an item', data: [1, 2], operations: [{ op: 'remove', path: '/data/0' }], after: [2] },
    {
      what: 'replaces',
      data: { a: [1] },
      operations: [{ op: 'replace', path: '/data/a/0', value: 2 }],
      after: { a: [2] },
    },
    {
      what: 'moves',
      data: { a: { b: 1 }, c: [] },
      operations: [{ op: 'move', from: '/data/a/b', path: '/data/c/0' }],
      after: { a: {}, c: [1] },
    },
    {
      what: 'copies, and the copy is its own',
      data: { a: { x: 1 } },
      operations: [
        { op: 'copy', from: '/data/a', path: '/data/b' },
        { op: 'add', path: '/data/b/x', value: 2 },
      ],
      after: { a: { x: 1 }, b: { x: 2 } },
    },
    {
      what: 'continues when a test holds, whatever the order of fields',
      data: { a: { x: 1, y: [2] } },
      operations: [
        { op: 'test', path: '/data/a', value: { y: [2], x: 1 } },
        { op: 'remove', path: '/data/a' },
      ],
      after: {},
    },
    {
      what: 'takes what is missing for null',
      data: {},
      operations: [{ op: 'test', path: '/data/a', value: null }],
      after: {},
    },
    {
      what: 'understands ~1 and ~0',
      data: { 'a/b': 1, 'c~d': 2 },
      operations: [
        { op: 'remove', path: '/data/a~1b' },
        { op: 'replace', path: '/data/c~0d', value: 3 },
      ],
      after: { 'c~d': 3 },
    },
    {
      what: 'takes odd keys as they are',
      data: {},
      operations: [{ op: 'add', path: '/data/__proto__', value: 'x' }],
      after: JSON.parse('{"__proto__":"x"}'),
    },
  ];

  it.each(cases)('$what', ({ data, operations, after }) => {
    expect(JSON.stringify(applyPatch(config(data), operations, 'json')['data'])).toBe(JSON.stringify(after));
  });

  it('changes nothing when one operation fails', () => {
    const object = config({ a: 1 });
    const operations = [
      { op: 'remove', path: '/data/a' },
      { op: 'test', path: '/data', value: 'x' },
    ];
    expect(() => applyPatch(object, operations, 'json')).toThrow('The request is invalid');
    expect(object).toEqual(config({ a: 1 }));
  });

  const failures: Array<[operation: object, why: string]> = [
    [{ op: 'test', path: '/data/a', value: 2 }, 'testing value /data/a failed: test failed'],
    [{ op: 'test', path: '/data/b', value: 2 }, 'testing value /data/b failed: test failed'],
    [{ op: 'test', path: '/x/y', value: 2 }, 'test operation does not apply: is missing path: /x/y: missing value'],
    [
      { op: 'test', path: '/data/l/7', value: 2 },
      "error in test for path: '/data/l/7': Unable to access invalid index: 7: invalid index referenced",
    ],
    [{ op: 'add', path: '/x/y', value: 1 }, 'add operation does not apply: doc is missing path: "/x/y": missing value'],
    [{ op: 'add', path: 'data', value: 1 }, 'add operation does not apply: doc is missing path: "data": missing value'],
    [
      { op: 'add', path: '/data/l/7', value: 1 },
      "error in add for path: '/data/l/7': Unable to access invalid index: 7: invalid index referenced",
    ],
    [
      { op: 'add', path: '/data/l/one', value: 1 },
      `error in add for path: '/data/l/one': strconv.Atoi: parsing "one": invalid syntax`,
    ],
    [
      { op: 'remove', path: '/data/b' },
      "error in remove for path: '/data/b': unable to remove nonexistent key: b: missing value",
    ],
    [{ op: 'remove', path: '/x/y' }, 'remove operation does not apply: doc is missing path: "/x/y": missing value'],
    [
      { op: 'replace', path: '/data/b', value: 1 },
      'replace operation does not apply: doc is missing key: /data/b: missing value',
    ],
    [
      { op: 'replace', path: '/data/a/b', value: 1 },
      'replace operation does not apply: doc is missing path: /data/a/b: missing value',
    ],
    [
      { op: 'move', from: '/data/b', path: '/data/c' },
      "error in move for path: 'b': unable to get nonexistent key: b: missing value",
    ],
    [
      { op: 'move', from: '/data/a', path: '/x/y' },
      'move operation does not apply: doc is missing destination path: /x/y: missing value',
    ],
    [
      { op: 'copy', from: '/x/y', path: '/data/c' },
      'copy operation does not apply: doc is missing from path: /x/y: missing value',
    ],
    [{ op: 'add', value: 1 }, 'add operation failed to decode path: missing value'],
    [{ op: 'move', path: '/data/a' }, 'move operation failed to decode from: missing value'],
    [{ op: 'merge', path: '/data/a' }, 'Unexpected kind: merge'],
    [{ path: '/data/a' }, 'Unexpected kind: unknown'],
  ];

  it.each(failures)('refuses %j', (operation, hint) => {
    expect(messageOf(() => applyPatch(config({ a: 1, l: [] }), [operation], 'json'))).toEqual({
      message: 'The request is invalid: the server rejected our request due to an error in our request',
      hint,
    });
  });

  it.each([
    [{ data: {} }, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    [['x'], 'json: cannot unmarshal string into Go value of type jsonpatch.Operation'],
    [
      [{ op: 'replace', path: '', value: 1 }],
      'json: cannot unmarshal number into Go value of type map[string]interface {}',
    ],
  ])('has the form of a patch', (patch, words) => {
    const message = `Error from server (BadRequest): ${words}`;
    expect(messageOf(() => applyPatch(config({}), patch, 'json'))).toEqual({ message });
  });

  it('has at most so many operations', () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test' }));
    expect(messageOf(() => applyPatch(config({}), operations, 'json'))).toEqual({
      message:
        'Error from server (RequestEntityTooLarge): Request entity too large: ' +
        'The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  it('does not copy without end', () => {
    const operations = Array.from({ length: 30 }, (_none, index) => ({
      op: 'copy',
      from: '/data',
      path: `/data/${index}`,
    }));
    expect(messageOf(() => applyPatch(config({ a: 'x' }), operations, 'json'))?.message).toMatch(
      /^Error from server \(RequestEntityTooLarge\): Request entity too large: Unable to complete the copy, the /,
    );
  });
});

describe('a long JSON patch', () => {
  it('takes a time that grows with its length, not with what it changes', () => {
    const fields = Array.from({ length: 10_000 }, (_, index) => ({ op: 'add', path: `/data/k${index}`, value: 'x' }));
    expect(Object.keys(applyPatch(config({}), fields, 'json')['data'] as object)).toHaveLength(10_000);
    const wide = Object.fromEntries(fields.map((_, index) => [`w${index}`, { a: { b: 1 } }]));
    const deep = fields.map((_, index) => ({ op: 'replace', path: `/data/w${index}/a/b`, value: 2 }));
    const changed = applyPatch(config(wide), deep, 'json')['data'] as typeof wide;
    expect([changed['w0'], changed['w9999'], wide['w0']]).toEqual([{ a: { b: 2 } }, { a: { b: 2 } }, { a: { b: 1 } }]);
  });

  it('changes a copy without its source, and what it has moved', () => {
    const before = { a: { n: 1, l: [1] } };
    const patch = [
      { op: 'add', path: '/data/a/l/-', value: 2 },
      { op: 'copy', from: '/data/a', path: '/data/b' },
      { op: 'add', path: '/data/b/l/0', value: 0 },
      { op: 'replace', path: '/data/a/n', value: 3 },
      { op: 'move', from: '/data/b', path: '/data/c' },
      { op: 'add', path: '/data/c/l/-', value: { deep: [] } },
      { op: 'copy', from: '/data/c/l', path: '/data/d' },
      { op: 'add', path: '/data/d/3/deep/0', value: 'x' },
      { op: 'test', path: '/data/c/l', value: [0, 1, 2, { deep: [] }] },
    ];
    expect(applyPatch(config(before), patch, 'json')['data']).toEqual({
      a: { n: 3, l: [1, 2] },
      c: { n: 1, l: [0, 1, 2, { deep: [] }] },
      d: [0, 1, 2, { deep: ['x'] }],
    });
    expect(before).toEqual({ a: { n: 1, l: [1] } });
  });
});

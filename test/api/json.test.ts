import { expect, it } from 'vitest';
import { goJson, goMapJson, setField } from '../../src/api/index.ts';

it('JSON of a struct of Go keeps the order of fields, and escapes what HTML reads', () => {
  expect(goJson({ b: '<a & b>\u2028', a: [] })).toBe(String.raw`{"b":"\u003ca \u0026 b\u003e\u2028","a":[]}`);
});

it('JSON of a map of Go has its keys in order, at each depth, and no absent fields', () => {
  const value = { spec: { b: [{ y: 1, x: null }], a: '>', none: undefined }, kind: 'Gadget' };
  expect(goMapJson(value)).toBe(String.raw`{"kind":"Gadget","spec":{"a":"\u003e","b":[{"x":null,"y":1}]}}`);
});

it('a field of a new object may have any name', () => {
  const object: Record<string, unknown> = {};
  for (const name of ['b', '__proto__', 'a', 'b']) setField(object, name, `of ${name}`);
  expect(JSON.stringify(object)).toBe('{"b":"of b","__proto__":"of __proto__","a":"of a"}');
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
});

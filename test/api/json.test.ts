import { expect, it } from 'vitest';
import { goJson, goMapJson } from '../../src/api/index.ts';

it('JSON of a struct of Go keeps the order of fields, and escapes what HTML reads', () => {
  expect(goJson({ b: '<a & b>\u2028', a: [] })).toBe(String.raw`{"b":"\u003ca \u0026 b\u003e\u2028","a":[]}`);
});

it('JSON of a map of Go has its keys in order, at each depth, and no absent fields', () => {
  const value = { spec: { b: [{ y: 1, x: null }], a: '>', none: undefined }, kind: 'Gadget' };
  expect(goMapJson(value)).toBe(String.raw`{"kind":"Gadget","spec":{"a":"\u003e","b":[{"x":null,"y":1}]}}`);
});

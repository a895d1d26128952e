import { describe, expect, it } from 'vitest';
import { publishedSchema } from '../../../src/apiserver/aggregation/published-schema.ts';

const KIND = { group: 'g.io', version: 'v1', kind: 'Coat' };
const OF_COAT = { 'x-kubernetes-group-version-kind': [{ ...KIND, version: 'v2' }, KIND] };
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const schemaOf = (schemas: object): unknown => publishedSchema({ components: { schemas } }, KIND);
const coatOf = (coat: object, more: object = {}): unknown =>
  schemaOf({ Other: { type: 'object' }, Coat: { type: 'object', ...coat, ...OF_COAT }, ...more });

describe('the schema of a kind in the document of another API server', () => {
  it('has types in the places of references, also of those with a description', () => {
    const properties = {
      a: { description: 'A', default: {}, allOf: [ref('A')] },
      b: { type: 'array', items: ref('B') },
    };
    const A = { type: 'object', additionalProperties: ref('B') };
    const B = { type: 'string', format: 'byte', enum: 1, maxLength: 'x' };
    expect(coatOf({ properties }, { A, B })).toEqual({
      type: 'object',
      properties: {
        a: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
        b: { type: 'array', items: { type: 'string', format: 'byte' } },
      },
    });
  });

  it('has an object without fields for one that contains itself', () => {
    expect(coatOf({ properties: { inner: ref('Coat') } })).toEqual({
      type: 'object',
      properties: { inner: { type: 'object' } },
    });
  });

  it.each<[string, unknown]>([
    ['no document', undefined],
    ['no schemas', { components: [] }],
    ['another kind', { components: { schemas: { Coat: { type: 'object' } } } }],
  ])('does not exist in a document with %s', (_, document) => {
    expect(publishedSchema(document, KIND)).toBeUndefined();
  });

  it('does not exist with a reference that leads nowhere', () => {
    for (const name of ['nosuch', '__proto__']) expect(coatOf({ properties: { a: ref(name) } })).toBeUndefined();
  });

  it('does not exist when it would be endless, or too deep', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => {
        const fields = Array.from({ length: 10 }, (_one, field) => [`f${field}`, ref(`S${at + 1}`)]);
        return [`S${at}`, { type: 'object', properties: Object.fromEntries(fields) }];
      }),
    );
    expect(coatOf({ properties: { a: ref('S0') } }, { ...wide, S20: {} })).toBeUndefined();
    let deep: object = { type: 'string' };
    for (let depth = 0; depth < 200; depth += 1) deep = { type: 'array', items: deep };
    expect(coatOf({ properties: { deep } })).toBeUndefined();
  });
});

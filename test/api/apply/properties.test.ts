import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareFields } from '../../../src/api/apply/compare.ts';
import { fieldSetOf } from '../../../src/api/apply/field-set-of.ts';
import { FieldSet } from '../../../src/api/apply/field-set.ts';
import { applyServerSide, shapeOfType, trackUpdate } from '../../../src/api/apply/index.ts';
import { mergeFields } from '../../../src/api/apply/merge.ts';
import { isSameJson } from '../../../src/api/base/json.ts';
import type { KubeObject } from '../../../src/api/base/objects.ts';

const shape = shapeOfType('Pod');
// Go drops an empty map or list like one that is absent.
const names = fc.constantFrom('a', 'b', 'c', '__proto__');
const texts = fc.constantFrom('x', 'y');
const labels = fc.dictionary(names, texts, { minKeys: 1, maxKeys: 3 });
const env = fc.uniqueArray(fc.record({ name: names, value: texts }), {
  selector: ({ name }) => name,
  minLength: 1,
  maxLength: 3,
});
const containers = fc.uniqueArray(fc.record({ name: names, image: texts, env }, { requiredKeys: ['name'] }), {
  selector: ({ name }) => name,
  minLength: 1,
  maxLength: 3,
});
const pods: fc.Arbitrary<KubeObject> = fc
  .tuple(
    fc.record({ labels, finalizers: fc.uniqueArray(texts, { minLength: 1 }) }, { requiredKeys: [] }),
    fc.record({ containers, hostname: texts, nodeSelector: labels }, { requiredKeys: ['containers'] }),
  )
  .map(([metadata, spec]) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', ...metadata }, spec }));

const applied = (live: KubeObject | undefined, pod: KubeObject, manager: string): KubeObject => {
  const write = { shape, manager, isForced: true, subresource: '', hasStatus: true, time: '2026-11-25T10:00:00Z' };
  const outcome = applyServerSide(live, pod, write);
  if (!outcome.ok) throw new Error(outcome.conflicts.message);
  return outcome.object;
};

describe('sets of fields', () => {
  it('survive FieldsV1', () => {
    fc.assert(
      fc.property(pods, (pod) => {
        const set = fieldSetOf(shape, pod);
        return FieldSet.fromFieldsV1(JSON.parse(JSON.stringify(set.toFieldsV1()))).equals(set);
      }),
    );
  });

  it('are written in the order of the API server: fields, keys, values, indexes', () => {
    const elements = ['f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"', 'i:0', 'i:10', 'i:2'];
    const set = FieldSet.of(...elements.toReversed().map((element) => [element]));
    expect(Object.keys(set.toFieldsV1())).toEqual(elements);
    expect(set.paths()).toEqual(elements.map((element) => [element]));
  });

  it('of a comparison take no name of a map for one that each object inherits', () => {
    const withData = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data });
    const after = withData(JSON.parse('{"__proto__":"x","constructor":"x","kept":"x"}') as object);
    const { added, modified, removed } = compareFields(shapeOfType('ConfigMap'), withData({ kept: 'x' }), after);
    const changed = [added, modified, removed].map((set) => Object.keys(set.below('f:data').toFieldsV1()));
    expect(changed).toEqual([['f:__proto__', 'f:constructor'], [], []]);
  });

  it('have union, intersection and difference', () => {
    fc.assert(
      fc.property(pods, pods, (one, two) => {
        const [a, b] = [fieldSetOf(shape, one), fieldSetOf(shape, two)];
        return a.difference(b).union(a.intersection(b)).equals(a) && a.union(b).difference(b).equals(a.difference(b));
      }),
    );
  });
});

describe('a merge', () => {
  it('that changes nothing leaves the live object itself', () => {
    const live = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { one: '1', two: '2' } };
    const configMap = shapeOfType('ConfigMap');
    expect(mergeFields(configMap, live, { kind: 'ConfigMap', data: { two: '2' } })).toBe(live);
    expect(mergeFields(configMap, live, { data: { two: '3', three: '3' } })).toEqual({
      ...live,
      data: { one: '1', two: '3', three: '3' },
    });
  });
});

describe('server-side apply', () => {
  it('merges an object into itself without a change, and compares it as equal', () => {
    fc.assert(
      fc.property(pods, (pod) => {
        const { added, modified, removed } = compareFields(shape, pod, structuredClone(pod));
        const isSame = isSameJson(mergeFields(shape, pod, structuredClone(pod)), pod);
        return isSame && added.isEmpty && modified.isEmpty && removed.isEmpty;
      }),
    );
  });

  it('by one manager alone makes the manifest, whatever was applied before', () => {
    fc.assert(
      fc.property(pods, pods, (first, second) => {
        const result = applied(applied(undefined, first, 'me'), second, 'me');
        const alone = applied(undefined, second, 'me');
        return fieldSetOf(shape, result).equals(fieldSetOf(shape, alone));
      }),
    );
  });

  it('sets every field of the manifest and is stable', () => {
    fc.assert(
      fc.property(pods, pods, pods, (first, other, second) => {
        const live = applied(applied(undefined, first, 'me'), other, 'you');
        const once = applied(live, second, 'me');
        const { added, modified } = compareFields(shape, once, mergeFields(shape, once, second));
        return added.isEmpty && modified.isEmpty && isSameJson(applied(once, second, 'me'), once);
      }),
    );
  });
});

it('the owners of a wide object are found in a time that grows with its width', () => {
  const of = { shape: shapeOfType('ConfigMap'), subresource: '', hasStatus: false, time: '2026-11-25T10:00:00Z' };
  const wide = (value: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, value])),
  });
  const ownedBy = ({ metadata }: KubeObject, manager: string): number => {
    const { fieldsV1 } = metadata.managedFields?.find((one) => one.manager === manager) ?? {};
    const { 'f:data': data = {} } = (fieldsV1 ?? {}) as { readonly 'f:data'?: object };
    return Object.keys(data).filter((element) => element !== '.').length;
  };
  const created = trackUpdate(undefined, wide('a'), { ...of, manager: 'one' });
  const changed = trackUpdate(created, { ...created, data: wide('b')['data'] }, { ...of, manager: 'two' });
  expect([ownedBy(changed, 'one'), ownedBy(changed, 'two')]).toEqual([0, 20_000]);
  const outcome = applyServerSide(changed, wide('c'), { ...of, manager: 'me', isForced: true });
  expect(outcome.ok && ownedBy(outcome.object, 'me')).toBe(20_000);
});

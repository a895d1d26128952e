import { expect, it } from 'vitest';
import { KeptObject } from '../../src/store/feed/kept-object.ts';
import type { StoredObject } from '../../src/store/base/metadata.ts';

const VALUE = 'ä'.repeat(64 * 1024);

function mapOf(index: number): StoredObject {
  const metadata = { namespace: 'default', name: `map-${index}`, uid: `uid-${index}`, resourceVersion: String(index) };
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadata, creationTimestamp: '' },
    data: { [index]: VALUE },
  };
  return object;
}

it('of many large objects, the latest stay whole and the rest become texts that say the same', () => {
  const objects = Array.from({ length: 200 }, (_, index) => mapOf(index));
  const kept = objects.map((object) => KeptObject.of(object));
  expect(kept.at(-1)?.object).toBe(objects.at(-1));
  expect(kept[0]?.object).not.toBe(objects[0]);
  for (const [index, one] of kept.entries()) expect(one.object).toEqual(objects[index]);
});

it('who keeps the same object shares it, also after it was packed', () => {
  const object = mapOf(0);
  const kept = KeptObject.of(object);
  for (let index = 1; index < 200; index++) KeptObject.of(mapOf(index));
  expect(kept.object).not.toBe(object);
  expect(KeptObject.of(object)).toBe(kept);
  expect(KeptObject.of(kept.object)).toBe(kept);
});

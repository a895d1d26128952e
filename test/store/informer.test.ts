import { expect, it } from 'vitest';
import type { StoredKubeObject, WatchEvent } from '../../src/api/base/objects.ts';
import { ObjectCache } from '../../src/apiserver/informer/object-cache.ts';
import { Informer } from '../../src/store/informer.ts';
import type { Store } from '../../src/store/base/store.ts';

function podOf(uid: string, resourceVersion: number): StoredKubeObject {
  const metadata = { namespace: 'default', name: 'web', uid, resourceVersion: String(resourceVersion) };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, creationTimestamp: '' } };
}

/** A store whose reports of Pods a test makes. */
function storeWith(present: readonly StoredKubeObject[]): {
  store: Store;
  report: (type: WatchEvent['type'], object: StoredKubeObject) => void;
} {
  let tell: (event: WatchEvent<StoredKubeObject>) => void = () => undefined;
  const store = {
    watch: (resource: string, _scope: object, listener: typeof tell) => {
      if (resource === 'pods') for (const object of present) listener({ type: 'ADDED', object });
      if (resource === 'pods') tell = listener;
      return { close: () => undefined };
    },
  };
  return { store: store as unknown as Store, report: (type, object) => tell({ type, object }) };
}

it('an Informer tells each change once, and an object made again as a deletion and a creation', () => {
  const { store, report } = storeWith([podOf('a', 3)]);
  const told: string[] = [];
  const informer = new Informer<StoredKubeObject>({ store, resource: 'pods' }, ({ type, object, before }) => {
    told.push(`${type} ${object.metadata.uid}${object.metadata.resourceVersion} after ${before?.metadata.uid ?? ''}`);
  });
  expect(informer.all).toEqual([podOf('a', 3)]);
  for (const version of [2, 3, 4, 4]) report('MODIFIED', podOf('a', version));
  report('ADDED', podOf('b', 6));
  report('DELETED', podOf('a', 5));
  report('DELETED', podOf('b', 6));
  report('DELETED', podOf('b', 6));
  expect(told).toEqual(['MODIFIED a4 after a', 'DELETED a4 after a', 'ADDED b6 after ', 'DELETED b6 after b']);
  expect(informer.all).toEqual([]);
});

it('controllers do not see the Pod before one that was made again, though its deletion was not reported', () => {
  const { store, report } = storeWith([podOf('a', 3)]);
  const told: string[] = [];
  const cache = new ObjectCache(store, ({ type, object }) => told.push(`${type} ${object.metadata.uid}`));
  cache.follow('default');
  report('ADDED', podOf('b', 6));
  expect(cache.allOf('default').map(({ metadata }) => metadata.uid)).toEqual(['b']);
  expect(cache.free('default', 'Pod')).toHaveLength(1);
  expect(told).toEqual(['ADDED a', 'DELETED a', 'ADDED b']);
});

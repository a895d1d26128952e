import { expect, it, vi } from 'vitest';
import { dependentsIn } from '../../../src/apiserver/deletion/collect-dependents.ts';
import { deleteObject } from '../../../src/apiserver/deletion/delete-object.ts';
import type { StoredKubeObject } from '../../../src/api/base/objects.ts';
import { SystemClock } from '../../../src/clock.ts';
import { resourceTypeOf } from '../../../src/api/resource-types.ts';
import { openStore, temporaryFolder } from '../../store/temporary-store.ts';

const configMap = (name: string, more: object = {}): StoredKubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', ...more } }) as StoredKubeObject;
const type = resourceTypeOf(configMap('any'));

it('many deletions look at the Pods of their namespace once, and what the objects own goes with them', async () => {
  const clock = new SystemClock();
  const store = openStore(temporaryFolder(), clock);
  const names = Array.from({ length: 20 }, (_, index) => `map-${index}`);
  const uids = names.map((name) => store.create('configmaps', configMap(name)).metadata.uid);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'map-7', uid: uids[7] };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'owned', namespace: 'default' } };
  store.create('jobs', { ...job, metadata: { ...job.metadata, ownerReferences: [owner] } } as StoredKubeObject);
  const list = vi.spyOn(store, 'list');
  const request = { store, clock, graceSeconds: undefined, hasDependents: dependentsIn(store, clock) };
  for (const name of names) await deleteObject(request, { type, namespace: 'default', name });
  expect(store.list('configmaps')).toEqual([]);
  expect(store.list('jobs')).toEqual([]);
  // One look for all, and what the collection for map-7 needs.
  expect(list.mock.calls.filter(([resource]) => resource === 'pods').length).toBeLessThan(5);
});

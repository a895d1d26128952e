import { expect, it } from 'vitest';
import type { StoredMeta } from '../../src/api/base/objects.ts';
import type { Owned } from '../../src/controllers/base/reconcile.ts';
import { ObjectCache } from '../../src/apiserver/informer/object-cache.ts';
import { RunMembers } from '../../src/workloads/run-members.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';

function meta(name: string, owner?: string): StoredMeta {
  const reference = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: owner ?? '',
    uid: `uid-${owner}`,
    controller: true,
  };
  const ownerReferences = owner === undefined ? {} : { ownerReferences: [reference] };
  const fixed = { resourceVersion: '', creationTimestamp: '' };
  return { name, namespace: 'default', uid: `uid-${name}`, ...fixed, ...ownerReferences };
}

function opened(): { store: MemoryStore; members: RunMembers; told: string[]; cache: ObjectCache } {
  const store = new MemoryStore(new ManualClock());
  const told: string[] = [];
  const cache: ObjectCache = new ObjectCache(store, (event) => members.changed(event));
  const members: RunMembers = new RunMembers(cache, ({ type, object }) => told.push(`${type} ${object.metadata.name}`));
  cache.follow('default');
  return { store, members, told, cache };
}

const pod = (name: string, owner?: string): Owned => {
  const status = { phase: 'Running' };
  return Object.assign({ apiVersion: 'v1', kind: 'Pod', metadata: meta(name, owner) }, { status });
};
const replicaSet = (name: string, owner?: string): Owned => {
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: meta(name, owner) };
};

it('an object that comes to own one of the run belongs to it, with all that it owns', () => {
  const { store, members, told } = opened();
  store.create('replicasets', replicaSet('web'));
  store.create('pods', pod('other', 'web'));
  const own = store.create('pods', pod('own'));
  store.create('pods', pod('foreign'));
  members.add(own);
  expect(told).toEqual(['ADDED own']);
  store.change<Owned>('pods', own.metadata, 'object', (stored) => ({ ...stored, metadata: meta('own', 'web') }));
  expect(told).toEqual(['ADDED own', 'MODIFIED own', 'ADDED web', 'ADDED other']);
});

it('an object that belonged to the run belongs to it from then on', () => {
  const { store, members, told } = opened();
  members.add(store.create('replicasets', replicaSet('web')));
  const released = store.create('pods', pod('released', 'web'));
  store.change<Owned>('pods', released.metadata, 'object', (stored) => ({ ...stored, metadata: meta('released') }));
  store.delete('pods', 'default', 'released');
  expect(told).toEqual(['ADDED web', 'ADDED released', 'MODIFIED released', 'DELETED released']);
});

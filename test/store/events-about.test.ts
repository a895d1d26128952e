import { expect, it } from 'vitest';
import { inShort, newEvent, newPod } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';

const NAMES = ['web.1', 'web.2', 'db.1', 'gone.1'];

it('finds the Events about one Pod, on its log and beside it', () => {
  const root = temporaryFolder();
  const store = openStore(root);
  for (const name of ['web', 'db']) {
    store.create('pods', newPod(name));
    store.create('events', newEvent(`${name}.1`, name, 'started'));
  }
  store.create('events', newEvent('gone.1', 'gone', 'of a Pod that is not there'));
  const names = (scope: object): unknown[] => store.list('events', scope).map(({ metadata }) => metadata.name);
  expect(names({ namespace: 'default' })).toEqual(['db.1', 'gone.1', 'web.1']);
  expect(names({ namespace: 'default', aboutPod: 'web' })).toEqual(['gone.1', 'web.1']);
  expect(names({ namespace: 'default', aboutPod: 'gone' })).toEqual(['gone.1']);
});

it('still takes an Event about a Pod that has ended', () => {
  const store = openStore(temporaryFolder());
  const pod = store.create('pods', newPod('web'));
  store.create('events', newEvent('web.1', 'web', 'started'));
  store.updateStatus('pods', { ...pod, status: { phase: 'Succeeded' } });
  store.create('events', newEvent('web.2', 'web', 'came late'));
  expect(store.list('events').map(({ metadata }) => metadata.name)).toEqual(['web.1', 'web.2']);
});

it('takes several at once, of one Pod or of many, and reports each in order', () => {
  const root = temporaryFolder();
  const store = openStore(root);
  for (const name of ['web', 'db']) store.create('pods', newPod(name));
  const told: string[] = [];
  const subscription = store.watch('events', {}, (change) => told.push(inShort(change)));
  const written = store.createAll('events', [newEvent('web.1', 'web', 'one'), newEvent('web.2', 'web', 'two')]);
  store.createAll('events', [newEvent('db.1', 'db', 'three'), newEvent('gone.1', 'gone', 'four')]);
  store.createAll('events', []);
  subscription.close();
  expect(written.map(({ metadata }) => metadata.name)).toEqual(['web.1', 'web.2']);
  expect(told).toEqual(['one', 'two', 'three', 'four'].map((text, index) => `ADDED default/${NAMES[index]} ${text}`));
  expect(openStore(root).list('events')).toHaveLength(4);
  const known = [newEvent('web.3', 'web', 'new'), newEvent('web.1', 'web', 'known')];
  expect(() => store.createAll('events', known)).toThrow('events "web.1" already exists');
  expect(() => store.createAll('events', [newEvent('web.4', 'web', ''), newEvent('web.4', 'web', '')])).toThrow(
    'exists',
  );
});

it.each([
  ['a Pod of its own', undefined],
  ['a Pod of a workload', [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'set', controller: true }]],
])('keeps the Events of %s that is removed unchanged, and reports them once', (_title, ownerReferences) => {
  const root = temporaryFolder();
  const store = openStore(root);
  const pod = newPod('web');
  store.create('pods', { ...pod, metadata: { ...pod.metadata, ...(ownerReferences && { ownerReferences }) } });
  const told: string[] = [];
  const subscription = store.watch('events', {}, (change) => told.push(inShort(change)));
  store.create('events', newEvent('web.1', 'web', 'started'));
  const before = store.list('events');
  store.delete('pods', 'default', 'web');
  expect(store.list('events')).toEqual(before);
  expect(openStore(root).get('events', 'default', 'web.1')).toEqual(before[0]);
  subscription.close();
  expect(told).toEqual(['ADDED default/web.1 started']);
  store.create('pods', newPod('web'));
  store.delete('events', 'default', 'web.1');
  expect(store.list('events')).toEqual([]);
});

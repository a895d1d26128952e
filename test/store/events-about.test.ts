import { expect, it } from 'vitest';
import { newEvent, newPod } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';

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

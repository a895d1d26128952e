import { expect, it } from 'vitest';
import { removeExpiredEvents } from '../../../src/apiserver/deletion/expired-events.ts';
import { SystemClock } from '../../../src/clock.ts';
import { newEvent, newPod } from '../../store/objects.ts';
import { openStore, temporaryFolder } from '../../store/temporary-store.ts';

const MINUTE_MS = 60_000;

/** The clock of this machine, so many minutes later. */
function clockIn(minutes: number): SystemClock {
  const clock = new SystemClock();
  const now = clock.now.bind(clock);
  clock.now = () => ({ ...now(), wallMs: now().wallMs + minutes * MINUTE_MS });
  return clock;
}

it('removes Events an hour after their last change, when what they are about is gone', () => {
  const store = openStore(temporaryFolder());
  const about = (pod: string, uid: string): void => {
    const event = newEvent(`${pod}.1`, pod, 'started');
    store.create('events', { ...event, involvedObject: { ...event.involvedObject, uid } });
  };
  for (const name of ['gone', 'again', 'live']) about(name, store.create('pods', newPod(name)).metadata.uid);
  for (const name of ['gone', 'again']) store.delete('pods', 'default', name);
  store.create('pods', newPod('again'));
  about('nobody', 'no-uid');
  const names = (): unknown[] => store.list('events').map(({ metadata }) => metadata.name);
  removeExpiredEvents(store, clockIn(59));
  expect(names()).toEqual(['again.1', 'gone.1', 'live.1', 'nobody.1']);
  removeExpiredEvents(store, clockIn(61));
  expect(names()).toEqual(['live.1']);
});

it('removes Events about what no object can be called: a client may have written anything', () => {
  const store = openStore(temporaryFolder());
  const odd = { kind: '../Pod', apiVersion: 'x/y/z', name: 'a/../../b', namespace: 'default' };
  store.create('events', { ...newEvent('odd.1', 'odd', 'started'), involvedObject: odd });
  store.create('events', newEvent('other.1', 'other', 'started'));
  removeExpiredEvents(store, clockIn(61));
  expect(store.list('events')).toEqual([]);
});

it('removes Events about the node after an hour: it outlives them all', () => {
  const store = openStore(temporaryFolder());
  const about = { kind: 'Node', apiVersion: 'v1', name: 'vm', uid: 'vm' };
  store.create('events', { ...newEvent('vm.1', 'vm', 'started'), involvedObject: about });
  removeExpiredEvents(store, clockIn(59));
  expect(store.list('events')).toHaveLength(1);
  removeExpiredEvents(store, clockIn(61));
  expect(store.list('events')).toEqual([]);
});

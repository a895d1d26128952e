import { lstatSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { StoredPod, WatchEvent } from '../../src/api/base/objects.ts';
import { lockPath } from '../../src/store/base/layout.ts';
import type { Store, Subscription } from '../../src/store/base/store.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';
import { inShort, newPod } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';

/** The label that a client wrote last, and the message that the agent wrote last. */
function texts({ metadata, status }: StoredPod): string {
  return `${metadata.labels?.['label']}/${status.message}`;
}

const withLabel =
  (label: string) =>
  (pod: StoredPod): StoredPod => {
    return { ...pod, metadata: { ...pod.metadata, labels: { label } } };
  };

const withMessage =
  (message: string) =>
  (pod: StoredPod): StoredPod => {
    return { ...pod, status: { ...pod.status, message } };
  };

/** Follows the Pods of a store. */
function followed(store: Store): { events: WatchEvent<StoredPod>[]; subscription: Subscription } {
  const events: WatchEvent<StoredPod>[] = [];
  return { events, subscription: store.watch<StoredPod>('pods', {}, (event) => void events.push(event)) };
}

const changes = (events: WatchEvent<StoredPod>[]): string[] => events.map(({ object }) => texts(object));

it('tells every subscriber every change once, in the order of the log, and the writer its own as the answer', () => {
  // Nothing but a write makes these stores look for changes: their clocks stand still.
  const root = temporaryFolder();
  const [client, agentStore] = [openStore(root, new ManualClock()), openStore(root, new ManualClock())];
  const { metadata } = client.create('pods', newPod('web'));
  const toView = followed(agentStore).events;
  const { events: toAgent, subscription: agent } = followed(agentStore);
  client.change<StoredPod>('pods', metadata, 'object', withLabel('a'));
  const answer = agentStore.change<StoredPod>('pods', metadata, 'status', withMessage('1'), agent);
  client.change<StoredPod>('pods', metadata, 'object', withLabel('b'));
  const second = agentStore.change<StoredPod>('pods', metadata, 'status', withMessage('2'), agent);
  expect([answer, second].map(texts)).toEqual(['a/1', 'b/2']);
  expect(changes(toView)).toEqual(['a/undefined', 'a/1', 'b/1', 'b/2']);
  // Changes of the client just before are in the answers.
  expect(toAgent).toEqual([]);
  const third = client.change<StoredPod>('pods', metadata, 'object', withLabel('c'));
  agentStore.change<StoredPod>('pods', metadata, 'status', withMessage('3'));
  expect(changes(toAgent)).toEqual([texts(third), 'c/3']);
});

it('keeps the lock of an own Pod for one turn, in which other stores of the process write as well', async () => {
  const root = temporaryFolder();
  const [agent, client] = [openStore(root, new ManualClock()), openStore(root, new ManualClock())];
  const started = agent.startNewRun(newPod('web'));
  const { metadata } = started.pod;
  const lock = lockPath(root, 'pods', metadata.namespace, metadata.name);
  const isLocked = (): boolean => lstatSync(lock, { throwIfNoEntry: false }) !== undefined;
  expect(isLocked()).toBe(true);
  agent.change<StoredPod>('pods', metadata, 'status', withMessage('1'));
  client.change<StoredPod>('pods', metadata, 'object', withLabel('a'));
  expect(isLocked()).toBe(false);
  expect(texts(agent.change<StoredPod>('pods', metadata, 'status', withMessage('2')))).toBe('a/2');
  expect(isLocked()).toBe(true);
  expect(texts(client.get<StoredPod>('pods', metadata.namespace, metadata.name)!)).toBe('a/2');
  await new Promise(setImmediate);
  expect(isLocked()).toBe(false);
  client.delete('pods', metadata.namespace, metadata.name);
  expect(() => agent.change<StoredPod>('pods', metadata, 'status', withMessage('3'))).toThrow('not found');
  started.release();
});

describe.each<{ name: string; open: () => Store }>([
  { name: 'FileStore', open: () => openStore(temporaryFolder(), new ManualClock()) },
  { name: 'MemoryStore of the simulation', open: () => new MemoryStore(new ManualClock()) },
])('$name', ({ open }) => {
  it('returns each kind of write to its writer, and reports it to all other subscribers', () => {
    const store = open();
    const { metadata } = store.create('pods', newPod('web'));
    const { events: toAgent, subscription: agent } = followed(store);
    const toView = followed(store).events;
    store.bind(metadata, withMessage('bound'), agent);
    store.change<StoredPod>('pods', metadata, 'object', withLabel('a'));
    store.change<StoredPod>('pods', metadata, 'status', withMessage('runs'), agent);
    store.delete('pods', 'default', 'web', agent);
    expect(changes(toAgent)).toEqual(['a/bound']);
    expect(changes(toView)).toEqual(['undefined/bound', 'a/bound', 'a/runs', 'a/runs']);
    expect(toView.map(({ type }) => type)).toEqual(['MODIFIED', 'MODIFIED', 'MODIFIED', 'DELETED']);
  });

  it('leaves out what waits for a subscriber that meanwhile gets it as an answer', () => {
    const store = open();
    const { metadata } = store.create('pods', newPod('web'));
    const seen: string[] = [];
    // The first subscriber makes the second one write, before that has got the change itself.
    const first = store.watch<StoredPod>('pods', {}, ({ object }) => {
      if (object.status.message === undefined)
        seen.push(texts(store.change<StoredPod>('pods', metadata, 'status', withMessage('1'), agent)));
    });
    const { events: toAgent, subscription: agent } = followed(store);
    store.change<StoredPod>('pods', metadata, 'object', withLabel('a'));
    first.close();
    expect(seen).toEqual(['a/1']);
    expect(toAgent).toEqual([]);
  });
});

it('listens once for the exit of the process, however often a lock is kept in a turn', () => {
  const root = temporaryFolder();
  const [agent, client] = [openStore(root, new ManualClock()), openStore(root, new ManualClock())];
  const listeners = process.listenerCount('exit');
  const { pod, release } = agent.startNewRun(newPod('web'));
  for (const label of ['a', 'b', 'c']) {
    client.change<StoredPod>('pods', pod.metadata, 'object', withLabel(label));
    agent.change<StoredPod>('pods', pod.metadata, 'status', withMessage(label));
  }
  expect(process.listenerCount('exit')).toBeLessThanOrEqual(listeners + 1);
  release();
});

it('reports the Pod that comes after the Pod that the writer has removed', () => {
  const store = openStore(temporaryFolder(), new ManualClock());
  store.create('pods', newPod('web'));
  const { events, subscription } = followed(store);
  store.delete('pods', 'default', 'web', subscription);
  store.create('pods', newPod('web'));
  expect(events.map(inShort)).toEqual(['ADDED default/web Pending']);
});
